"""JAX: one jitted step over the forced host devices, the batch sharded, all else replicated, what is updated donated."""
import os
from functools import partial

import worker

name, file, devices, cores, precision = worker.arguments()
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

import models  # noqa: E402

params, data = models.load(file)
params = {k.removeprefix("model."): v for k, v in params.items()}


def cross_entropy(logits, label):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), label[:, None], axis=1)


def mnist(p, x, label):
    h = jax.nn.relu(x @ p["d1.w"] + p["d1.b"])
    h = jax.nn.relu(h @ p["d2.w"] + p["d2.b"])
    return jnp.mean(cross_entropy(h @ p["d3.w"] + p["d3.b"], label))


def imdb(p, x, label):
    h = jax.nn.relu(x @ p["d1.w"] + p["d1.b"])
    h = h - jnp.mean(h, axis=0)
    h = h * jax.lax.rsqrt(jnp.mean(h * h, axis=0) + 1e-5)
    return jnp.sum(cross_entropy(h @ p["d2.w"] + p["d2.b"], label))


def norm(x, scale, shift):
    x = x - jnp.mean(x, axis=-1, keepdims=True)
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * scale + shift


def gpt(p, x):
    n = norm(x, p["norm1.scale"], p["norm1.shift"])
    q, k, v = (jnp.einsum("bsw,whe->bshe", n, p[f"attn.{i}"]) for i in "qkv")
    a = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    x = x + jnp.einsum("bshe,hew->bsw", a, p["attn.out"])
    n = norm(x, p["norm2.scale"], p["norm2.shift"])
    h = jax.nn.gelu(n @ p["up.w"] + p["up.b"], approximate=False)
    y = x + h @ p["down.w"] + p["down.b"]
    return jnp.mean(y * y)


def attention_block(p, name, x, causal):
    q = lambda k: p[f"{name}.{k}"]  # noqa: E731
    n = norm(x, q("norm1.scale"), q("norm1.shift"))
    heads = (jnp.einsum("bsw,whe->bshe", n, q(f"attn.{i}")) for i in "qkv")
    a = jax.nn.dot_product_attention(*heads, is_causal=causal)
    x = x + jnp.einsum("bshe,hew->bsw", a, q("attn.out"))
    n = norm(x, q("norm2.scale"), q("norm2.shift"))
    return x + jax.nn.gelu(n @ q("up.w") + q("up.b"), approximate=False) @ q("down.w") + q("down.b")


def gpt6(p, text, next):
    x = p["token.table"][text] + p["place"]
    for i in range(6):
        x = attention_block(p, f"block[{i}]", x, True)
    x = norm(x, p["norm.scale"], p["norm.shift"]) @ p["head"]
    return jnp.mean(cross_entropy(x.reshape(-1, 256), next.reshape(-1)))


def vit(p, x, label):
    x = x.reshape(-1, 7, 4, 7, 4).transpose(0, 1, 3, 2, 4).reshape(-1, 49, 16)
    x = x @ p["patch.w"] + p["patch.b"] + p["place"]
    for i in range(6):
        x = attention_block(p, f"block[{i}]", x, False)
    x = jnp.mean(norm(x, p["norm.scale"], p["norm.shift"]), axis=1)
    return jnp.mean(cross_entropy(x @ p["top.w"] + p["top.b"], label))


def convolution(x, w, stride=1):
    pad = (w.shape[0] // 2,) * 2
    return jax.lax.conv_general_dilated(x, w, (stride, stride), (pad, pad), dimension_numbers=("NHWC", "HWIO", "NHWC"))


def batch_norm(p, name, x):
    x = x - jnp.mean(x, axis=(0, 1, 2))
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=(0, 1, 2)) + 1e-5) * p[f"{name}.scale"] + p[f"{name}.shift"]


def resnet(p, x, label):
    x = jax.nn.relu(batch_norm(p, "n", convolution(x, p["w"])))
    for i in range(9):
        u, stride = f"unit[{i}]", 2 if i in (3, 6) else 1
        y = jax.nn.relu(batch_norm(p, f"{u}.n1", convolution(x, p[f"{u}.w1"], stride)))
        y = batch_norm(p, f"{u}.n2", convolution(y, p[f"{u}.w2"]))
        if f"{u}.short[0].w" in p:
            x = convolution(x, p[f"{u}.short[0].w"], stride)
        x = jax.nn.relu(x + y)
    return jnp.mean(cross_entropy(jnp.mean(x, axis=(1, 2)) @ p["top.w"] + p["top.b"], label))


def lstm(p, x, y):
    all = jnp.einsum("bti,igw->tbgw", x, p["w"]) + p["b"]

    def one(state, now):
        h, c = state
        i, f, g, o = jnp.moveaxis(now + jnp.einsum("bi,igw->bgw", h, p["u"]), 1, 0)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[0], 256))
    _, seen = jax.lax.scan(one, (zero, zero), all)
    return jnp.mean((seen.transpose(1, 0, 2) - y) ** 2)


lstm512 = lstm


def gru(p, x, y):
    all = jnp.einsum("bti,igw->tbgw", x, p["w"]) + p["b"]

    def one(h, now):
        old = jnp.einsum("bi,igw->bgw", h, p["u"]) + p["c"]
        r, z = (jax.nn.sigmoid(now[:, k] + old[:, k]) for k in (0, 1))
        n = jnp.tanh(now[:, 2] + r * old[:, 2])
        h = n + z * (h - n)
        return h, h

    _, seen = jax.lax.scan(one, jnp.zeros((x.shape[0], 256)), all)
    return jnp.mean((seen.transpose(1, 0, 2) - y) ** 2)


def dlrm(p, x, at, y):
    low = x
    for i in range(1, 4):
        low = jax.nn.relu(low @ p[f"low{i}.w"] + p[f"low{i}.b"])
    all = jnp.stack([low] + [p[f"table[{i}].table"][at[:, i]] for i in range(8)], 1)
    z = jnp.concatenate([low, jnp.einsum("bik,bjk->bij", all, all).reshape(len(x), -1)], 1)
    for i in range(1, 4):
        z = z @ p[f"top{i}.w"] + p[f"top{i}.b"]
        z = jax.nn.relu(z) if i < 3 else z[:, 0]
    return jnp.mean(jax.nn.relu(z) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z))))


def dense3(p, x):
    x = jax.nn.relu(x @ p["d1.w"] + p["d1.b"])
    return jax.nn.relu(x @ p["d2.w"] + p["d2.b"]) @ p["d3.w"] + p["d3.b"]


def mlp(p, x, y):
    return jnp.mean((dense3(p, x) - y) ** 2)


def mlp1(p, x):
    return jnp.max(dense3(p, x))


def chain(p, x):
    y = jax.nn.softmax(jnp.tanh(x * p["scale"] + p["shift"]) * 2)
    y = y * jax.nn.sigmoid(x) + p["shift"] * y
    return jnp.mean(y * y) * 4096


def adam(rate, eps, decay):
    def update(p, s, g):
        t = s["t"] + 1
        c1, c2 = 1 / (1 - 0.9 ** t), 1 / (1 - 0.999 ** t)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, s["m"], g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, s["v"], g)
        p = jax.tree.map(lambda p, m, v: p - rate * decay * p - rate * (m * c1) / (jnp.sqrt(v * c2) + eps), p, m, v)
        return p, {"t": t, "m": m, "v": v}
    return update


def sgd(rate):
    return lambda p, s, g: (jax.tree.map(lambda p, g: p - rate * g, p, g), s)


def momentum(rate):
    def update(p, s, g):
        v = jax.tree.map(lambda v, g: 0.9 * v + g, s["v"], g)
        return jax.tree.map(lambda p, v: p - rate * v, p, v), {"v": v}
    return update


rates = {"mnist": adam(1e-3, 1e-7, 0), "gpt6": adam(3e-4, 1e-8, 0.01), "vit": adam(3e-4, 1e-8, 0.01),
         "resnet": momentum(1e-3), "imdb": sgd(1e-3), "mlp": sgd(1e-3), "lstm": sgd(0.1),
         "lstm512": sgd(0.1), "gru": sgd(0.1)}
model, optimizer = globals()[name], rates.get(name, sgd(1e-2))
mesh = Mesh(np.array(jax.devices()), ("batch",))
whole, cut = NamedSharding(mesh, P()), NamedSharding(mesh, P("batch"))
state = {}
if name in ("mnist", "gpt6", "vit", "resnet"):
    zeros = {k: np.zeros_like(v) for k, v in params.items()}
    state = {"v": zeros} if name == "resnet" else {"t": np.float32(0), "m": zeros, "v": zeros}
params, state = jax.device_put((params, state), whole)
inputs = (cut,) * len(data[0])


@partial(jax.jit, in_shardings=(whole, whole) + inputs, out_shardings=(whole, whole, whole),
         donate_argnums=(0, 1))
def train(p, s, *batch):
    loss, g = jax.value_and_grad(model)(p, *batch)
    return *optimizer(p, s, g), loss


forward = jax.jit(model)


def step(one):
    global params, state
    if name == "mlp1":
        return float(forward(params, *one.values()))
    params, state, loss = train(params, state, *one.values())
    return float(loss)


worker.serve(f"JAX {jax.__version__}", step, data)
