"""JAX: one jitted step over the forced host devices, the batch sharded, all else replicated, what is updated donated."""
import os
from functools import partial

import worker

name, file, devices, cores = worker.arguments()
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


def adam(p, s, g):
    t = s["t"] + 1
    c1, c2 = 1 / (1 - 0.9 ** t), 1 / (1 - 0.999 ** t)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, s["m"], g)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, s["v"], g)
    p = jax.tree.map(lambda p, m, v: p - 1e-3 * (m * c1) / (jnp.sqrt(v * c2) + 1e-7), p, m, v)
    return p, {"t": t, "m": m, "v": v}


def sgd(rate):
    return lambda p, s, g: (jax.tree.map(lambda p, g: p - rate * g, p, g), s)


model, optimizer = {"mnist": (mnist, adam), "imdb": (imdb, sgd(1e-3)), "gpt": (gpt, sgd(1e-2))}[name]
mesh = Mesh(np.array(jax.devices()), ("batch",))
whole, cut = NamedSharding(mesh, P()), NamedSharding(mesh, P("batch"))
state = {}
if optimizer is adam:
    zeros = {k: np.zeros_like(v) for k, v in params.items()}
    state = {"t": np.float32(0), "m": zeros, "v": zeros}
params, state = jax.device_put((params, state), whole)
inputs = (cut,) * len(data[0])


@partial(jax.jit, in_shardings=(whole, whole) + inputs, out_shardings=(whole, whole, whole),
         donate_argnums=(0, 1))
def train(p, s, *batch):
    loss, g = jax.value_and_grad(model)(p, *batch)
    return *optimizer(p, s, g), loss


def step(one):
    global params, state
    params, state, loss = train(params, state, *one.values())
    return float(loss)


worker.serve(f"JAX {jax.__version__}", step, data)
