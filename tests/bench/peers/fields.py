"""Programs of other fields beside JAX on one core: stencils, solvers, graphs, sequences, samplers, vision, attention as people write it.

    DTG_PEERS_LIBRARY=build/lib/libdtgc.so PYTHON tests/bench/peers/fields.py [--rounds 7] [NAME...]

PYTHON has NumPy and JAX, as one that tests/bench/peers/run installs. Each program is in dtg and in JAX (jitted; gradients by autodiff in
both), and their results are compared before anything is timed: the largest difference, to the largest element of a result, is within
2e-4 unless the program says otherwise. Then both are called by turns; times are CPU time of the process, in us, minima (medians) over the
rounds, and the ratio is JAX's to dtg's."""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["OMP_NUM_THREADS"] = os.environ["DTRT_CORES"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[2] / "samples" / "embed"))
import numpy_ctypes as dtg  # noqa: E402

F = np.float32
g = np.random.default_rng(0)
cases = []


def case(name, body, inputs, by_jax, tol=2e-4):
    """One entry with these inputs, and the same of JAX."""
    cases.append((name, body, inputs, by_jax, tol))


def normal(*shape):
    return g.normal(size=shape).astype(F)


def uniform(*shape):
    return g.random(shape).astype(F)


def conv(x, w, stride=1, padding="SAME", groups=1, dilation=1):
    dims = {1: ("NWC", "WIO", "NWC"), 2: ("NHWC", "HWIO", "NHWC"), 3: ("NDHWC", "DHWIO", "NDHWC")}[x.ndim - 2]
    n = x.ndim - 2
    return lax.conv_general_dilated(
        x, w, (stride,) * n, padding, rhs_dilation=(dilation,) * n, dimension_numbers=dims, feature_group_count=groups
    )


def with_gradients(f, names):
    def both(**a):
        loss, grads = jax.value_and_grad(lambda p: f(**{**a, **p}))({k: a[k] for k in names})
        return loss, *[grads[k] for k in names]

    return both


def gradients(names):
    return "return L, " + ", ".join(f"g{i} = grad(L, {k})" for i, k in enumerate(names))


# Lattice Boltzmann, nine velocities in the plane: ten steps.
cx = [0, 1, 0, -1, 0, 1, -1, -1, 1]
cy = [0, 0, 1, 0, -1, 1, 1, -1, -1]
wt = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4


def collide(f):
    f = [jnp.roll(f[i], (cx[i], cy[i]), (0, 1)) for i in range(9)]
    rho = sum(f)
    ux = sum(cx[i] * f[i] for i in range(9)) / rho
    uy = sum(cy[i] * f[i] for i in range(9)) / rho
    u2 = ux * ux + uy * uy
    return jnp.stack(
        [
            f[i]
            + 0.6 * (wt[i] * rho * (1 + 3 * (cx[i] * ux + cy[i] * uy) + 4.5 * (cx[i] * ux + cy[i] * uy) ** 2 - 1.5 * u2) - f[i])
            for i in range(9)
        ]
    )


case(
    "lbm",
    """
  cx = [0, 1, 0, -1, 0, 1, -1, -1, 1]
  cy = [0, 0, 1, 0, -1, 1, 1, -1, -1]
  wt = [4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36]
  repeat t in 0..10 {
    s = [roll(f[i], [cx[i], cy[i]], axis=[0, 1]) for i in 0..9]
    rho = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7] + s[8]
    ux = (s[1] - s[3] + s[5] - s[6] - s[7] + s[8]) / rho
    uy = (s[2] - s[4] + s[5] + s[6] - s[7] - s[8]) / rho
    u2 = ux * ux + uy * uy
    along = [cx[i] * ux + cy[i] * uy for i in 0..9]
    f = stack([s[i] + 0.6 * (wt[i] * rho * (1 + 3 * along[i] + 4.5 * along[i] ** 2 - 1.5 * u2) - s[i]) for i in 0..9])
  }
  return f""",
    dict(f=uniform(9, 256, 256) + 1),
    lambda f: lax.fori_loop(0, 10, lambda i, f: collide(f), f),
)


# Heat in a cube, whose border stays: ten steps.
def heat(u):
    c = u[1:-1, 1:-1, 1:-1]
    return u.at[1:-1, 1:-1, 1:-1].set(
        c
        + 0.1
        * (
            u[2:, 1:-1, 1:-1]
            + u[:-2, 1:-1, 1:-1]
            + u[1:-1, 2:, 1:-1]
            + u[1:-1, :-2, 1:-1]
            + u[1:-1, 1:-1, 2:]
            + u[1:-1, 1:-1, :-2]
            - 6 * c
        )
    )


case(
    "heat3d",
    """
  repeat t in 0..10 {
    c = u[1:-1, 1:-1, 1:-1]
    beside = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
    u[1:-1, 1:-1, 1:-1] <- c + 0.1 * (beside + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6 * c)
  }
  return u""",
    dict(u=uniform(100, 100, 100)),
    lambda u: lax.fori_loop(0, 10, lambda i, u: heat(u), u),
)


# Accelerations of bodies by all others.
def bodies(x, m):
    d = x[None, :, :] - x[:, None, :]
    r2 = jnp.sum(d * d, -1) + 1e-2
    return jnp.einsum("ij,ijk->ik", m[None, :] * r2**-1.5, d)


case(
    "nbody",
    """
  d = expand(x, 0) - expand(x, 1)
  r2 = sum(d * d, axis=-1) + 0.01
  w = expand(m, 0) * rsqrt(r2) / r2
  return a = einsum("ij,ijk->ik", w, d)""",
    dict(x=normal(1500, 3), m=uniform(1500)),
    bodies,
    tol=1e-3,
)


# Kalman filters of 64 series, 50 steps.
def kalman(y, A, C, Q, R):
    n = 8

    def st(c, yt):
        m, P = c
        m = m @ A.T
        P = A @ P @ A.T + Q
        S = C @ P @ C.T + R
        K = jnp.linalg.solve(S, C @ P).swapaxes(-1, -2)
        m = m + jnp.einsum("bij,bj->bi", K, yt - m @ C.T)
        P = P - K @ C @ P
        return (m, P), m

    B = y.shape[1]
    (m, P), ms = lax.scan(st, (jnp.zeros((B, n)), jnp.broadcast_to(jnp.eye(n), (B, n, n))), y)
    return ms, P


n = 8
A = (np.eye(n) * 0.95 + 0.02 * g.normal(size=(n, n))).astype(F)
C = normal(4, n)

case(
    "kalman",
    """
  mm = zeros([64, 8])
  P = broadcast(eye(8, 8, f32), [64, 8, 8])
  scan yt in y {
    mm = mm @ transpose(A)
    P = A @ P @ transpose(A) + Q
    S = C @ P @ transpose(C) + R
    K = transpose(solve(S, C @ P), [0, 2, 1])
    mm = mm + einsum("bij,bj->bi", K, yt - mm @ transpose(C))
    P = P - K @ C @ P
    collect ms = mm
  }
  return ms, P""",
    dict(y=normal(50, 64, 4), A=A, C=C, Q=np.eye(n, dtype=F) * 0.1, R=np.eye(4, dtype=F) * 0.5),
    kalman,
    tol=2e-3,
)


# Forward algorithm of a hidden Markov model, in logarithms, and its gradient.
def hmm(la, lb):
    def f(la):
        def st(a, b):
            return jax.nn.logsumexp(a[:, :, None] + la[None], 1) + b, None

        a, _ = lax.scan(st, lb[0], lb[1:])
        return jnp.sum(jax.nn.logsumexp(a, -1))

    return jax.value_and_grad(f)(la)


case(
    "hmm_grad",
    """
  a = lb[0]
  scan b in lb[1:] { a = logsumexp(expand(a, 2) + la, axis=1) + b }
  L = sum(logsumexp(a))
  return L, g = grad(L, la)""",
    dict(la=normal(32, 32), lb=normal(60, 16, 32)),
    hmm,
)
# Two layers of sums over neighbours in a graph, and their gradients.
EDGES = 20000
V = 3000
src = g.integers(0, V, EDGES).astype(np.int32)
dst = g.integers(0, V, EDGES).astype(np.int32)


def gnn(x, w1, w2, src, dst, y):
    def L(w1, w2):
        h = x
        for w in (w1, w2):
            m = jax.ops.segment_sum(h[src], dst, V)
            h = jnp.tanh((h + m) @ w)
        return jnp.mean((h - y) ** 2)

    l, gr = jax.value_and_grad(L, (0, 1))(w1, w2)
    return l, *gr


case(
    "gnn",
    """
  h = x
  for w in [w1, w2] { h = tanh((h + segment_sum(h[src], dst, 3000)) @ w) }
  L = mean((h - y) ** 2)
  return L, g1=grad(L, w1), g2=grad(L, w2)""",
    dict(x=normal(V, 64), w1=normal(64, 64) * 0.1, w2=normal(64, 64) * 0.1, src=src, dst=dst, y=normal(V, 64)),
    gnn,
)


# Attention over the edges of a graph.
def gat(h, a1, a2, src, dst):
    s = jax.nn.leaky_relu((h @ a1)[src] + (h @ a2)[dst], 0.2)
    m = jax.ops.segment_max(s, dst, V)
    e = jnp.exp(s - m[dst])
    z = jax.ops.segment_sum(e, dst, V)
    al = e / z[dst]
    return jax.ops.segment_sum(al[:, None] * h[src], dst, V)


case(
    "gat",
    """
  s = (h @ a1)[src] + (h @ a2)[dst]
  s = where(s > 0, s, 0.2 * s)
  m = segment_max(s, dst, 3000)
  e = exp(s - m[dst])
  z = segment_sum(e, dst, 3000)
  al = e / z[dst]
  return segment_sum(expand(al, 1) * h[src], dst, 3000)""",
    dict(h=normal(V, 64), a1=normal(64), a2=normal(64), src=src, dst=dst),
    gat,
)


# k-means, five rounds.
def kmeans(x, c):
    def st(i, c):
        d = jnp.sum(c * c, 1) - 2 * x @ c.T
        k = jnp.argmin(d, 1)
        s = jax.ops.segment_sum(x, k, 64)
        n = jax.ops.segment_sum(jnp.ones(len(x)), k, 64)
        return s / jnp.maximum(n, 1)[:, None]

    return lax.fori_loop(0, 5, st, c)


X = normal(10000, 16)

case(
    "kmeans",
    """
  repeat i in 0..5 {
    d = sum(c * c, axis=1) - 2 * (x @ transpose(c))
    k = argmin(d, axis=1)
    s = segment_sum(x, k, 64)
    n = f32(bincount(k, 64))
    c = s / expand(max(n, 1), 1)
  }
  return c""",
    dict(x=X, c=X[:64].copy()),
    kmeans,
)


# Optimal transport by Sinkhorn's iterations.
def sinkhorn(x, y):
    Cm = jnp.sum((x[:, None] - y[None]) ** 2, -1) / 0.1
    f = jnp.zeros(len(x))
    gg = jnp.zeros(len(y))

    def st(i, c):
        f, gg = c
        f = -jax.nn.logsumexp(gg[None] - Cm, 1)
        gg = -jax.nn.logsumexp(f[:, None] - Cm, 0)
        return f, gg

    return lax.fori_loop(0, 10, st, (f, gg))


case(
    "sinkhorn",
    """
  C = sum((expand(x, 1) - expand(y, 0)) ** 2, axis=-1) / 0.1
  f = zeros([400])
  h = zeros([500])
  repeat i in 0..10 {
    f = -logsumexp(expand(h, 0) - C, axis=1)
    h = -logsumexp(expand(f, 1) - C, axis=0)
  }
  return f, h""",
    dict(x=uniform(400, 2), y=uniform(500, 2)),
    sinkhorn,
)
# Vorticity in a periodic square, by Fourier transforms.
n = 256
kx = np.fft.fftfreq(n, 1 / n).astype(F)
ky = np.fft.rfftfreq(n, 1 / n).astype(F)
k2 = (kx[:, None] ** 2 + ky[None] ** 2).astype(F)
k2i = np.where(k2 == 0, 1, k2).astype(F)


def vorticity(w, kx, ky, k2, k2i):
    def st(i, w):
        wh = jnp.fft.rfft2(w)
        ph = wh / k2i
        ux = jnp.fft.irfft2(1j * ky * ph)
        uy = jnp.fft.irfft2(-1j * kx[:, None] * ph)
        wx = jnp.fft.irfft2(1j * kx[:, None] * wh)
        wy = jnp.fft.irfft2(1j * ky * wh)
        nh = jnp.fft.rfft2(ux * wx + uy * wy)
        wh = (wh - 1e-3 * nh) / (1 + 1e-6 * k2)
        return jnp.fft.irfft2(wh)

    return lax.fori_loop(0, 3, st, w)


case(
    "spectral",
    """
  repeat i in 0..3 {
    wh = rfft2(w)
    ph = wh / complex(k2i)
    I = complex(0.0, 1.0)
    ux = irfft2(I * complex(ky) * ph)
    uy = irfft2(-I * complex(expand(kx, 1)) * ph)
    wx = irfft2(I * complex(expand(kx, 1)) * wh)
    wy = irfft2(I * complex(ky) * wh)
    nh = rfft2(ux * wx + uy * wy)
    w = irfft2((wh - 0.001 * nh) / complex(1 + 1e-6 * k2))
  }
  return w""",
    dict(w=normal(n, n), kx=kx, ky=ky, k2=k2, k2i=k2i),
    vorticity,
    tol=1e-3,
)


# A neural differential equation by Runge and Kutta's method, and its gradients.
def neural_ode(x, w1, w2):
    def L(w1, w2):
        f = lambda z: jnp.tanh(z @ w1) @ w2

        def st(z, _):
            a = f(z)
            b = f(z + 0.05 * a)
            c = f(z + 0.05 * b)
            d = f(z + 0.1 * c)
            return z + 0.1 / 6 * (a + 2 * b + 2 * c + d), None

        z, _ = lax.scan(st, x, None, length=20)
        return jnp.mean(z * z)

    l, gr = jax.value_and_grad(L, (0, 1))(w1, w2)
    return l, *gr


case(
    "neural_ode",
    """
  z = x
  repeat t in 0..20 {
    a = tanh(z @ w1) @ w2
    b = tanh((z + 0.05 * a) @ w1) @ w2
    c = tanh((z + 0.05 * b) @ w1) @ w2
    d = tanh((z + 0.1 * c) @ w1) @ w2
    z = z + 0.1 / 6 * (a + 2 * b + 2 * c + d)
  }
  L = mean(z * z)
  return L, g1=grad(L, w1), g2=grad(L, w2)""",
    dict(x=normal(128, 32), w1=normal(32, 64) * 0.2, w2=normal(64, 32) * 0.2),
    neural_ode,
)


# Soft dynamic time warping, by antidiagonals.
def soft_dtw(D):
    D = jnp.asarray(D)
    B, n, m = D.shape
    ii = np.arange(n)[None]
    tt = np.arange(n + m - 1)[:, None]
    jj = tt - ii
    ok = (jj >= 0) & (jj < m)
    lines = jnp.where(ok[:, None, :], jnp.transpose(D[:, np.broadcast_to(ii, ok.shape), np.clip(jj, 0, m - 1)], (1, 0, 2)), 1e9)

    def st(c, d):
        p2, p1 = c
        s = lambda a: jnp.concatenate([jnp.full((B, 1), 1e9), a[:, :-1]], 1)
        z = jnp.stack([p1, s(p1), s(p2)], -1)
        r = d - jax.nn.logsumexp(-z, -1)
        return (p1, r), None

    p2 = jnp.full((B, n), 1e9)
    p1 = p2.at[:, 0].set(lines[0, :, 0])
    (p2, p1), _ = lax.scan(st, (p2, p1), lines[1:])
    return p1[:, -1]


case(
    "softdtw",
    """
  ii = expand(iota([80]), 0)
  jj = expand(iota([149]), 1) - ii
  ok = jj >= 0 and jj < 70
  pick = reshape(D, [16, 80 * 70])
  at = ii * 70 + clamp(jj, 0, 69)
  sk = where(expand(ok, 1), transpose(take(pick, at, axis=1), [1, 0, 2]), 1e9)
  p2 = full([16, 80], 1e9)
  p1 = where(iota([16, 80], axis=1) == 0, sk[0], 1e9)
  scan d in sk[1:] {
    s1 = concat([full([16, 1], 1e9), p1[:, :-1]], axis=1)
    s2 = concat([full([16, 1], 1e9), p2[:, :-1]], axis=1)
    z = stack([p1, s1, s2], axis=-1)
    r = d - logsumexp(-z)
    p2 = p1
    p1 = r
  }
  return p1[:, -1]""",
    dict(D=uniform(16, 80, 70)),
    soft_dtw,
)


# A small U-Net.
def unet(x, w1, w2, w3, w4):
    h1 = jax.nn.relu(conv(x, w1))
    p = lax.reduce_window(h1, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h2 = jax.nn.relu(conv(p, w2))
    u = jnp.repeat(jnp.repeat(h2, 2, 1), 2, 2)
    h3 = jax.nn.relu(conv(jnp.concatenate([h1, u], -1), w3))
    return jnp.mean(conv(h3, w4) ** 2)


W = ["w1", "w2", "w3", "w4"]

case(
    "unet",
    """
  h1 = max(conv(x, w1), 0)
  h2 = max(conv(max_pool(h1, 2), w2), 0)
  u = upsample(h2, 2)
  h3 = max(conv(concat([h1, u], axis=-1), w3), 0)
  L = mean(conv(h3, w4) ** 2)
  """ + gradients(W),
    dict(
        x=normal(8, 64, 64, 3),
        w1=normal(3, 3, 3, 16) * 0.2,
        w2=normal(3, 3, 16, 32) * 0.1,
        w3=normal(3, 3, 48, 16) * 0.1,
        w4=normal(1, 1, 16, 1) * 0.3,
    ),
    with_gradients(unet, W),
)


# Gated, dilated convolutions of a WaveNet.
def wavenet(x, a, b, c):
    h = x
    for i, d in enumerate((1, 2, 4, 8)):
        xp = jnp.pad(h, ((0, 0), (d, 0), (0, 0)))
        h = h + jnp.einsum(
            "bti,io->bto",
            jnp.tanh(conv(xp, a[i], padding="VALID", dilation=d)) * jax.nn.sigmoid(conv(xp, b[i], padding="VALID", dilation=d)),
            c[i],
        )
    return jnp.mean(h**2)


W = ["a", "b", "c"]

case(
    "wavenet",
    """
  h = x
  for i in 0..4 {
    d = 2 ** i
    xp = pad(h, [0, d, 0])
    h = h + (tanh(conv(xp, a[i], padding="valid", dilation=d)) * sigmoid(conv(xp, b[i], padding="valid", dilation=d))) @ c[i]
  }
  L = mean(h ** 2)
  """ + gradients(W),
    dict(x=normal(4, 1024, 32), a=normal(4, 2, 32, 32) * 0.1, b=normal(4, 2, 32, 32) * 0.1, c=normal(4, 32, 32) * 0.1),
    with_gradients(wavenet, W),
)


# word2vec with negative samples.
def word2vec(ein, eout, c, p, n):
    a = ein[c]
    pos = jnp.sum(a * eout[p], -1)
    neg = jnp.einsum("bd,bkd->bk", a, eout[n])
    return jnp.mean(jax.nn.softplus(-pos) + jnp.sum(jax.nn.softplus(neg), -1))


W = ["ein", "eout"]

case(
    "word2vec",
    """
  a = ein[c]
  pos = sum(a * eout[p], axis=-1)
  neg = einsum("bd,bkd->bk", a, eout[n])
  L = mean(max(-pos, 0) + log1p(exp(-abs(pos))) + sum(max(neg, 0) + log1p(exp(-abs(neg))), axis=-1))
  """ + gradients(W),
    dict(
        ein=normal(5000, 64) * 0.1,
        eout=normal(5000, 64) * 0.1,
        c=g.integers(0, 5000, 512).astype(np.int32),
        p=g.integers(0, 5000, 512).astype(np.int32),
        n=g.integers(0, 5000, (512, 5)).astype(np.int32),
    ),
    with_gradients(word2vec, W),
)


# A physics-informed network: Burgers' equation by second derivatives.
def pinn(p, w1, w2, w3):
    u = lambda q: (jnp.tanh(jnp.tanh(q @ w1) @ w2) @ w3)[..., 0]

    def r(q):
        d = jax.grad(u)(q)
        dxx = jax.grad(lambda z: jax.grad(u)(z)[0])(q)[0]
        return d[1] + u(q) * d[0] - 0.01 * dxx

    return jnp.mean(jax.vmap(r)(p) ** 2)


W = ["w1", "w2", "w3"]

case(
    "pinn",
    """
  u = (tanh(tanh(p @ w1) @ w2) @ w3)[:, 0]
  d = grad(sum(u), p)
  dxx = grad(sum(d[:, 0]), p)[:, 0]
  r = d[:, 1] + u * d[:, 0] - 0.01 * dxx
  L = mean(r ** 2)
  """ + gradients(W),
    dict(p=normal(512, 2), w1=normal(2, 64) * 0.5, w2=normal(64, 64) * 0.2, w3=normal(64, 1) * 0.2),
    with_gradients(pinn, W),
)
# Conjugate gradients with a sparse matrix, as lists of positions.
nn = 4000
EDGES = 20000
ri = g.integers(0, nn, EDGES).astype(np.int32)
ci = g.integers(0, nn, EDGES).astype(np.int32)
va = uniform(EDGES)


def cg(ri, ci, va, b):
    mv = lambda v: jnp.zeros(nn).at[ri].add(va * v[ci]) + jnp.zeros(nn).at[ci].add(va * v[ri]) + 20 * v

    def st(i, c):
        x, r, p, rs = c
        Ap = mv(p)
        a = rs / (p @ Ap)
        x = x + a * p
        r = r - a * Ap
        rn = r @ r
        return x, r, r + rn / rs * p, rn

    return lax.fori_loop(0, 10, st, (jnp.zeros(nn), b, b, b @ b))[0]


case(
    "cg_coo",
    """
  x = zeros([4000])
  r = b
  p = b
  rs = sum(b * b)
  repeat i in 0..10 {
    Ap = segment_sum(va * p[ci], ri, 4000) + segment_sum(va * p[ri], ci, 4000) + 20 * p
    al = rs / sum(p * Ap)
    x = x + al * p
    r = r - al * Ap
    rn = sum(r * r)
    p = r + rn / rs * p
    rs = rn
  }
  return x""",
    dict(ri=ri, ci=ci, va=va, b=normal(nn)),
    cg,
    tol=1e-3,
)


# Connectionist temporal classification, and its gradient.
def ctc(lp, lab):
    B, Tn, S = 16, 60, 21
    ext = jnp.zeros((B, S), jnp.int32).at[:, 1::2].set(lab)
    lpe = jnp.take_along_axis(lp, ext[:, None, :].repeat(Tn, 1), 2)
    skips = jnp.concatenate([jnp.zeros((B, 2), bool), (ext[:, 2:] != ext[:, :-2]) & (ext[:, 2:] != 0)], 1)
    a = jnp.full((B, S), -1e30).at[:, 0].set(lpe[:, 0, 0]).at[:, 1].set(lpe[:, 0, 1])

    def st(a, l):
        a1 = jnp.concatenate([jnp.full((B, 1), -1e30), a[:, :-1]], 1)
        a2 = jnp.concatenate([jnp.full((B, 2), -1e30), a[:, :-2]], 1)
        a2 = jnp.where(skips, a2, -1e30)
        return jax.nn.logsumexp(jnp.stack([a, a1, a2]), 0) + l, None

    a, _ = lax.scan(st, a, jnp.swapaxes(lpe, 0, 1)[1:])
    return -jnp.mean(jnp.logaddexp(a[:, -1], a[:, -2]))


case(
    "ctc",
    """
  ext = zeros([16, 21], i32)
  ext[:, 1::2] <- lab
  lpe = take_along_axis(lp, broadcast(expand(ext, 1), [16, 60, 21]), axis=2)
  sk = concat([full([16, 2], false), ext[:, 2:] != ext[:, :-2] and ext[:, 2:] != 0], axis=1)
  a = full([16, 21], -1e30)
  a[:, 0:2] <- lpe[:, 0, 0:2]
  scan l in transpose(lpe, [1, 0, 2])[1:] {
    a1 = concat([full([16, 1], -1e30), a[:, :-1]], axis=1)
    a2 = where(sk, concat([full([16, 2], -1e30), a[:, :-2]], axis=1), -1e30)
    a = logsumexp(stack([a, a1, a2]), axis=0) + l
  }
  L = -mean(logaddexp(a[:, -1], a[:, -2]))
  """ + gradients(["lp"]),
    dict(
        lp=np.log(np.random.default_rng(1).dirichlet(np.ones(30), (16, 60))).astype(F),
        lab=g.integers(1, 30, (16, 10)).astype(np.int32),
    ),
    with_gradients(ctc, ["lp"]),
    tol=1e-3,
)


# The Ising model on a checkerboard, with given random numbers.
def ising(s, u):
    ii = jnp.arange(256)[:, None] + jnp.arange(256)[None]

    def st(t, s):
        for c in (0, 1):
            bodies = jnp.roll(s, 1, 0) + jnp.roll(s, -1, 0) + jnp.roll(s, 1, 1) + jnp.roll(s, -1, 1)
            acc = u[t] < jnp.exp(-2 * 0.4 * s * bodies)
            s = jnp.where(acc & ((ii % 2) == c), -s, s)
        return s

    return lax.fori_loop(0, 5, st, s)


case(
    "ising",
    """
  ii = expand(iota([256]), 1) + expand(iota([256]), 0)
  repeat t in 0..5 {
    for c in 0..2 {
      nb = roll(s, 1, axis=0) + roll(s, -1, axis=0) + roll(s, 1, axis=1) + roll(s, -1, axis=1)
      s = where(u[t] < exp(-0.8 * s * nb) and ii%2 == c, -s, s)
    }
  }
  return s""",
    dict(s=np.sign(normal(256, 256)), u=uniform(5, 256, 256)),
    ising,
)


# Causal attention with linear biases (ALiBi).
def alibi(q, k, v):
    n = 128
    b = -jnp.abs(jnp.arange(n)[:, None] - jnp.arange(n)[None]) * 2.0 ** -jnp.arange(1, 9)[:, None, None]
    s = jnp.einsum("bhid,bhjd->bhij", q, k) / 8 + b
    s = jnp.where(jnp.tril(jnp.ones((n, n), bool)), s, -1e9)
    return jnp.mean(jnp.einsum("bhij,bhjd->bhid", jax.nn.softmax(s), v) ** 2)


W = ["q", "k", "v"]

case(
    "alibi",
    """
  d = abs(expand(iota([128]), 1) - expand(iota([128]), 0))
  sl = exp2(-f32(iota([8]) + 1))
  s = einsum("bhid,bhjd->bhij", q, k) / 8 - f32(d) * expand(sl, [1, 2])
  s = where(expand(iota([128]), 1) >= expand(iota([128]), 0), s, -1e9)
  L = mean(einsum("bhij,bhjd->bhid", softmax(s), v) ** 2)
  """ + gradients(W),
    dict(q=normal(4, 8, 128, 64), k=normal(4, 8, 128, 64), v=normal(4, 8, 128, 64)),
    with_gradients(alibi, W),
)


# Attention as people write it, with its gradients: a causal mask by a broadcast, documents of their own, and no mask.
def attend(q, k, v, mask=None):
    s = jnp.einsum("bthd,bshd->bhts", q, k) / 8
    s = s if mask is None else jnp.where(mask, s, -1e9)
    return jnp.mean(jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(s), v) ** 2)


T = 256
masks = {
    "causal": ("expand(iota([256]), 1) >= iota([256])", lambda own: jnp.arange(T)[:, None] >= jnp.arange(T)),
    "documents": ("expand(own, 1) == own", lambda own: own[:, None] == own),
    "no mask": ("true", lambda own: None),
}
for name, (mask, by_jax) in masks.items():
    case(
        f"attention, {name}",
        f"""
  s = where({mask}, einsum("bthd,bshd->bhts", q, k) / 8.0, -1e9)
  L = mean(einsum("bhts,bshd->bthd", softmax(s), v) ** 2)
  """
        + gradients("qkv"),
        dict(zip("qkv", normal(3, 16, T, 8, 64)), own=np.repeat(np.arange(8), T // 8).astype(np.int32)),
        with_gradients(lambda q, k, v, own, by_jax=by_jax: attend(q, k, v, by_jax(own)), "qkv"),
    )


# Multigrid of two levels: smoothing, restriction, interpolation.
def multigrid(u, f):
    sm = lambda u, f: u.at[1:-1, 1:-1].set(0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] + f[1:-1, 1:-1]))

    def cyc(i, u):
        for _ in range(3):
            u = sm(u, f)
        r = (
            jnp.zeros_like(u)
            .at[1:-1, 1:-1]
            .set(f[1:-1, 1:-1] + u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        )
        rc = 4 * r[::2, ::2]
        e = jnp.zeros_like(rc)
        for _ in range(6):
            e = sm(e, rc)
        ef = jnp.zeros_like(u).at[::2, ::2].set(e)
        ef = ef.at[1::2, ::2].set(0.5 * (ef[:-1:2, ::2] + ef[2::2, ::2]))
        ef = ef.at[:, 1::2].set(0.5 * (ef[:, :-1:2] + ef[:, 2::2]))
        return u + ef

    return lax.fori_loop(0, 3, cyc, u)


case(
    "multigrid",
    """
  repeat i in 0..3 {
    for s in 0..3 { u[1:-1, 1:-1] <- 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] + f0[1:-1, 1:-1]) }
    r = zeros([257, 257])
    r[1:-1, 1:-1] <- f0[1:-1, 1:-1] + u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    rc = 4 * r[::2, ::2]
    e = zeros([129, 129])
    for s in 0..6 { e[1:-1, 1:-1] <- 0.25 * (e[2:, 1:-1] + e[:-2, 1:-1] + e[1:-1, 2:] + e[1:-1, :-2] + rc[1:-1, 1:-1]) }
    ef = zeros([257, 257])
    ef[::2, ::2] <- e
    ef[1::2, ::2] <- 0.5 * (ef[:-1:2, ::2] + ef[2::2, ::2])
    ef[:, 1::2] <- 0.5 * (ef[:, :-1:2] + ef[:, 2::2])
    u = u + ef
  }
  return u""",
    dict(u=np.zeros((257, 257), F), f0=uniform(257, 257)),
    lambda u, f0: multigrid(u, f0),
)


# Tridiagonal systems by Thomas's algorithm.
def thomas(a, b, c, d):
    def fw(cr, x):
        cp, dp = cr
        a, b, c, d = x
        m = b - a * cp
        cp2 = c / m
        dp2 = (d - a * dp) / m
        return (cp2, dp2), (cp2, dp2)

    z = jnp.zeros(a.shape[1])
    _, (cp, dp) = lax.scan(fw, (z, z), (a, b, c, d))

    def bw(x, s):
        cp, dp = s
        x = dp - cp * x
        return x, x

    _, x = lax.scan(bw, z, (cp, dp), reverse=True)
    return x


case(
    "thomas",
    """
  p = zeros([512])
  q = zeros([512])
  scan ai in a, bi in b, ci in c, di in d {
    m = bi - ai * p
    q = (di - ai * q) / m
    p = ci / m
    collect cp = p
    collect dp = q
  }
  x = zeros([512])
  scan ci in cp, di in dp reverse { x = di - ci * x
    collect xs = x }
  return xs""",
    dict(a=uniform(300, 512) * 0.3, b=uniform(300, 512) + 2, c=uniform(300, 512) * 0.3, d=normal(300, 512)),
    thomas,
)


# Viterbi's algorithm, with the path.
def viterbi(lt, le):
    def st(s, e):
        z = s[:, :, None] + lt[None]
        k = jnp.argmax(z, 1)
        return jnp.max(z, 1) + e, k

    s, ks = lax.scan(st, le[0], le[1:])
    last = jnp.argmax(s, 1)

    def bk(c, k):
        c = jnp.take_along_axis(k, c[:, None], 1)[:, 0]
        return c, c

    _, path = lax.scan(bk, last, ks, reverse=True)
    return jnp.max(s, 1), path.astype(jnp.int32)


case(
    "viterbi",
    """
  s = le[0]
  scan e in le[1:] {
    z = expand(s, 2) + lt
    collect ks = argmax(z, axis=1)
    s = max(z, axis=1) + e
  }
  c = argmax(s, axis=1)
  scan k in ks reverse {
    c = take_along_axis(k, expand(c, 1), axis=1)[:, 0]
    collect path = c
  }
  return m = max(s, axis=1), path""",
    dict(lt=normal(24, 24), le=normal(80, 16, 24)),
    viterbi,
)


# Gaussian mixtures by expectation maximization.
def mixtures(x, mu):
    def st(i, c):
        mu, ls, lp = c
        ll = lp - 0.5 * jnp.sum((x[:, None] - mu[None]) ** 2 / jnp.exp(2 * ls)[None], -1) - jnp.sum(ls, -1)
        r = jax.nn.softmax(ll, 1)
        n = r.sum(0)
        mu = (r.T @ x) / n[:, None]
        v = jnp.einsum("nk,nkd->kd", r, (x[:, None] - mu[None]) ** 2) / n[:, None]
        return mu, 0.5 * jnp.log(v + 1e-4), jnp.log(n / len(x))

    return lax.fori_loop(0, 5, st, (mu, jnp.zeros_like(mu), jnp.full(8, -np.log(8))))


X = normal(2000, 6)

case(
    "gmm",
    """
  ls = zeros([8, 6])
  lp = full([8], -log(8.0))
  repeat i in 0..5 {
    ll = lp - 0.5 * sum((expand(x, 1) - mu) ** 2 / exp(2 * ls), axis=-1) - sum(ls, axis=-1)
    r = softmax(ll, axis=1)
    n = sum(r, axis=0)
    mu = transpose(r) @ x / expand(n, 1)
    v = einsum("nk,nkd->kd", r, (expand(x, 1) - mu) ** 2) / expand(n, 1)
    ls = 0.5 * log(v + 0.0001)
    lp = log(n / 2000)
  }
  return mu, ls, lp""",
    dict(x=X, mu=X[:8].copy()),
    mixtures,
    tol=5e-3,
)


# Grouped-query attention with rotary positions.
def rope_gqa(x, wq, wk, wv, wo):
    B, Tn, D = x.shape
    q = (x @ wq).reshape(B, Tn, 8, 32)
    k = (x @ wk).reshape(B, Tn, 2, 32)
    v = (x @ wv).reshape(B, Tn, 2, 32)
    th = jnp.arange(Tn)[:, None] * 10000.0 ** (-jnp.arange(16) / 16)
    c, s = jnp.cos(th)[:, None], jnp.sin(th)[:, None]

    def ro(z):
        a, b = z[..., :16], z[..., 16:]
        return jnp.concatenate([a * c - b * s, a * s + b * c], -1)

    q, k = ro(q), ro(k)
    k = jnp.repeat(k, 4, 2)
    v = jnp.repeat(v, 4, 2)
    sc = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(32)
    sc = jnp.where(jnp.tril(jnp.ones((Tn, Tn), bool)), sc, -jnp.inf)
    return jnp.mean((jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(sc), v).reshape(B, Tn, 256) @ wo) ** 2)


W = ["wq", "wk", "wv", "wo"]

case(
    "rope_gqa",
    """
  q = reshape(x @ wq, [4, 256, 8, 32])
  k = reshape(x @ wk, [4, 256, 2, 32])
  v = reshape(x @ wv, [4, 256, 2, 32])
  th = expand(f32(iota([256])), 1) * exp(-log(10000.0) * f32(iota([16])) / 16)
  c = expand(cos(th), 1)
  s = expand(sin(th), 1)
  q = concat([q[:, :, :, :16] * c - q[:, :, :, 16:] * s, q[:, :, :, :16] * s + q[:, :, :, 16:] * c], axis=-1)
  k = concat([k[:, :, :, :16] * c - k[:, :, :, 16:] * s, k[:, :, :, :16] * s + k[:, :, :, 16:] * c], axis=-1)
  k = repeat_interleave(k, 4, axis=2)
  v = repeat_interleave(v, 4, axis=2)
  sc = einsum("bthd,bshd->bhts", q, k) / sqrt(32.0)
  sc = where(expand(iota([256]), 1) >= expand(iota([256]), 0), sc, -inf)
  o = reshape(einsum("bhts,bshd->bthd", softmax(sc), v), [4, 256, 256])
  L = mean((o @ wo) ** 2)
  """ + gradients(W),
    dict(
        x=normal(4, 256, 256),
        wq=normal(256, 256) * 0.06,
        wk=normal(256, 64) * 0.06,
        wv=normal(256, 64) * 0.06,
        wo=normal(256, 256) * 0.06,
    ),
    with_gradients(rope_gqa, W),
    tol=1e-3,
)


# Matrix factorization: one step on the rows of a batch.
def factorize(P, Q, u, i, r):
    p = P[u]
    q = Q[i]
    e = jnp.sum(p * q, 1) - r
    return P.at[u].add(-0.01 * (e[:, None] * q + 0.1 * p)), Q.at[i].add(-0.01 * (e[:, None] * p + 0.1 * q))


case(
    "matfac",
    """
  p = P[u]
  q = Q[i]
  e = expand(sum(p * q, axis=1) - r, 1)
  return A = scatter_add(P, u, -0.01 * (e * q + 0.1 * p)), B = scatter_add(Q, i, -0.01 * (e * p + 0.1 * q))""",
    dict(
        P=normal(3000, 32),
        Q=normal(2000, 32),
        u=g.integers(0, 3000, 4096).astype(np.int32),
        i=g.integers(0, 2000, 4096).astype(np.int32),
        r=normal(4096),
    ),
    factorize,
)


# A recurrent cell with a norm, and its gradients.
def norm_cell(x, wx, wh):
    ln = lambda h: (h - h.mean(-1, keepdims=True)) * lax.rsqrt(h.var(-1, keepdims=True) + 1e-5)

    def st(h, xt):
        z = ln(xt @ wx + h @ wh)
        a, b = jnp.split(z, 2, -1)
        gt = jax.nn.sigmoid(a)
        h = gt * h + (1 - gt) * jnp.tanh(b)
        return h, h

    _, hs = lax.scan(st, jnp.zeros((32, 64)), x)
    return jnp.mean(hs**2)


W = ["wx", "wh"]

case(
    "ln_cell",
    """
  h = zeros([32, 64])
  scan xt in x {
    z = xt @ wx + h @ wh
    z = (z - mean(z, axis=-1, keepdims=true)) * rsqrt(var(z, axis=-1, keepdims=true) + 0.00001)
    gt = sigmoid(z[:, :64])
    h = gt * h + (1 - gt) * tanh(z[:, 64:])
    collect hs = h
  }
  L = mean(hs ** 2)
  """ + gradients(W),
    dict(x=normal(40, 32, 32), wx=normal(32, 128) * 0.2, wh=normal(64, 128) * 0.1),
    with_gradients(norm_cell, W),
    tol=1e-3,
)


# Alignment of 64 pairs of sequences, cell by cell.
def align(S):
    n, m, B = S.shape

    def row(prev, s):
        up = prev[1:] - 1
        dg = prev[:-1] + s
        best = jnp.maximum(up, dg)

        def cell(l, b):
            l = jnp.maximum(l - 1, b)
            return l, l

        l0 = prev[0] - 1
        _, r = lax.scan(cell, l0, best)
        return jnp.concatenate([l0[None], r]), None

    p0 = -jnp.arange(m + 1, dtype=jnp.float32)[:, None] * jnp.ones((1, B))
    p, _ = lax.scan(row, p0, S)
    return p[-1]


case(
    "align",
    """
  p = -expand(f32(iota([41])), 1) * ones([1, 64])
  scan s in S {
    best = max(p[1:] - 1, p[:-1] + s)
    l = p[0] - 1
    r = zeros([41, 64])
    r[0] <- l
    repeat j in 0..40 {
      l = max(l - 1, best[j])
      r[j + 1] <- l
    }
    p = r
  }
  return p[40]""",
    dict(S=normal(40, 40, 64)),
    align,
)


# A selective scan, as Mamba's, and its gradients.
def selective_scan(x, dt, A, B, C):
    def st(h, s):
        x, dt, B, C = s
        a = jnp.exp(dt[..., None] * A)
        h = a * h + (dt * x)[..., None] * B[:, None, :]
        return h, jnp.einsum("bdn,bn->bd", h, C)

    _, y = lax.scan(st, jnp.zeros((4, 64, 16)), (x, dt, B, C))
    return jnp.mean(y**2)


W = ["x", "dt", "A", "B", "C"]

case(
    "mamba",
    """
  h = zeros([4, 64, 16])
  scan xi in x, di in dt, Bi in B, Ci in C {
    h = exp(expand(di, -1) * A) * h + expand(di * xi, -1) * expand(Bi, 1)
    collect y = einsum("bdn,bn->bd", h, Ci)
  }
  L = mean(y ** 2)
  """ + gradients(W),
    dict(x=normal(100, 4, 64), dt=uniform(100, 4, 64) * 0.1, A=-uniform(64, 16), B=normal(100, 4, 16), C=normal(100, 4, 16)),
    with_gradients(selective_scan, W),
    tol=1e-3,
)


# Triplet loss with the hardest pairs of a batch.
def triplet(x, y):
    d = jnp.sqrt(jnp.sum((x[:, None] - x[None]) ** 2, -1) + 1e-6)
    same = y[:, None] == y[None]
    pos = jnp.max(jnp.where(same, d, -1e9), 1)
    neg = jnp.min(jnp.where(same, 1e9, d), 1)
    return jnp.mean(jnp.maximum(pos - neg + 0.5, 0))


case(
    "triplet",
    """
  d = sqrt(sum((expand(x, 1) - expand(x, 0)) ** 2, axis=-1) + 1e-6)
  same = expand(y, 1) == y
  pos = max(where(same, d, -1e9), axis=1)
  neg = min(where(same, 1e9, d), axis=1)
  L = mean(max(pos - neg + 0.5, 0))
  """ + gradients(["x"]),
    dict(x=normal(256, 32), y=g.integers(0, 10, 256).astype(np.int32)),
    with_gradients(triplet, ["x"]),
    tol=1e-3,
)


# Shallow water on a staggered grid.
def shallow_water(h, u, v):
    def st(i, c):
        h, u, v = c
        u = u.at[1:-1, :].add(-0.1 * (h[1:, :] - h[:-1, :]))
        v = v.at[:, 1:-1].add(-0.1 * (h[:, 1:] - h[:, :-1]))
        h = h - 0.1 * (u[1:, :] - u[:-1, :] + v[:, 1:] - v[:, :-1])
        return h, u, v

    return lax.fori_loop(0, 20, st, (h, u, v))


case(
    "shallow",
    """
  repeat i in 0..20 {
    u[1:-1, :] <- u[1:-1, :] - 0.1 * (h[1:, :] - h[:-1, :])
    v[:, 1:-1] <- v[:, 1:-1] - 0.1 * (h[:, 1:] - h[:, :-1])
    h = h - 0.1 * (u[1:, :] - u[:-1, :] + v[:, 1:] - v[:, :-1])
  }
  return h, u, v""",
    dict(h=uniform(300, 300), u=np.zeros((301, 300), F), v=np.zeros((300, 301), F)),
    shallow_water,
)


# Overlap of all pairs of boxes.
def iou(b):
    a = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    lt = jnp.maximum(b[:, None, :2], b[None, :, :2])
    rb = jnp.minimum(b[:, None, 2:], b[None, :, 2:])
    wh = jnp.maximum(rb - lt, 0)
    i = wh[..., 0] * wh[..., 1]
    return i / (a[:, None] + a[None] - i)


case(
    "iou",
    """
  a = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
  lt = max(expand(b[:, :2], 1), expand(b[:, :2], 0))
  rb = min(expand(b[:, 2:], 1), expand(b[:, 2:], 0))
  wh = max(rb - lt, 0)
  i = wh[:, :, 0] * wh[:, :, 1]
  return r = i / (expand(a, 1) + a - i)""",
    dict(b=np.concatenate([uniform(500, 2), uniform(500, 2) + 1], 1)),
    iou,
)


def type_of(x):
    kind = {"float32": "f32", "int32": "i32", "bool": "bool"}[x.dtype.name]
    return f"{kind}[{', '.join(map(str, x.shape))}]"


def aligned(x):
    """A copy that begins with a line of the caches."""
    room = np.zeros(x.nbytes + 64, np.uint8)
    at = -room.ctypes.data % 64
    y = room[at : at + x.nbytes].view(x.dtype).reshape(x.shape)
    y[...] = x
    return y


class Entry:
    def __init__(self, lib, folder, name, body, inputs):
        file = Path(folder) / f"{name}.dtg"
        params = ", ".join(f"{k}: {type_of(x)}" for k, x in inputs.items())
        file.write_text(f"entry f({params}) {{\n{body}\n}}\n")
        self.run = lib.dtgc_run
        self.program = dtg.Program(lib, {str(file): None}, mesh="a=1")
        self.inputs = {k: aligned(x) for k, x in inputs.items()}
        self.results = self.program.run("f", **self.inputs)
        self.room = {k: aligned(x) for k, x in self.results.items()}
        self.ins, self.outs = self.program._buffers(self.inputs), self.program._buffers(self.room)

    def __call__(self):
        self.run(self.program.p, b"f", self.ins, len(self.inputs), self.outs, len(self.room))


def difference(x, y):
    y = np.asarray(y)
    if x.shape != y.shape:
        return float("inf")
    return float(np.max(np.abs(x.astype(float) - y)) / (1e-6 + np.max(np.abs(y))))


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--rounds", type=int, default=7)
    ask.add_argument("--seconds", type=float, default=0.6, help="of each side, over all rounds")
    ask.add_argument("names", nargs="*")
    asked = ask.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    lib = dtg.open_library(os.environ.get("DTG_PEERS_LIBRARY"))
    ratios, wrong = [], 0
    print("| program | dtg | JAX | ratio of minima | of medians |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, body, inputs, by_jax, tol in cases:
            if asked.names and name not in asked.names:
                continue
            ours = Entry(lib, folder, name, body, inputs)
            jitted, arrays = jax.jit(by_jax), {k: jnp.asarray(x) for k, x in inputs.items()}

            def theirs():
                return jax.block_until_ready(jitted(**arrays))

            theirs_gives = theirs() if isinstance(theirs(), tuple) else (theirs(),)
            far = max(difference(x, y) for x, y in zip(ours.results.values(), theirs_gives, strict=True))
            if not far <= tol:
                print(f"{name}: results differ by {far:.1e}, more than {tol:.0e}")
                wrong += 1
                continue
            took = {ours: [], theirs: []}
            calls = {}
            for side in took:
                side()
                began = time.process_time()
                side()
                calls[side] = max(1, min(3000, int(asked.seconds / asked.rounds / max(time.process_time() - began, 2e-6))))
            for _ in range(asked.rounds):
                for side, each in took.items():
                    began = time.process_time_ns()
                    for _ in range(calls[side]):
                        side()
                    each.append((time.process_time_ns() - began) / calls[side] / 1e3)
            low, mid = [min(t) for t in took.values()], [statistics.median(t) for t in took.values()]
            ratios.append(low[1] / low[0])
            print(
                f"| {name} | {low[0]:.1f} ({mid[0]:.1f}) | {low[1]:.1f} ({mid[1]:.1f}) | {low[1] / low[0]:.2f} | {mid[1] / mid[0]:.2f} |",
                flush=True,
            )
    if ratios:
        ratios.sort()
        print(
            f"{len(ratios)} programs; ratio of minima {ratios[0]:.2f} to {ratios[-1]:.2f}, median {statistics.median(ratios):.2f}"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
