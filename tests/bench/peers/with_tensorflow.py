"""TensorFlow's DTensor: one tf.function over logical CPU devices, the batch sharded, variables replicated."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf  # noqa: E402
from tensorflow.experimental import dtensor  # noqa: E402

import models  # noqa: E402
import worker  # noqa: E402

name, file, devices, cores, _ = worker.arguments()
params, data = models.load(file)
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * devices)
mesh = dtensor.create_mesh([("batch", devices)], devices=[f"CPU:{i}" for i in range(devices)])


def whole(rank):
    return dtensor.Layout.replicated(mesh, rank)


def variable(value):
    value = tf.constant(value)
    return dtensor.DVariable(dtensor.copy_to_mesh(value, whole(value.shape.rank)))


def cut(value):
    parts = [tf.constant(part) for part in value.reshape(devices, -1, *value.shape[1:])]
    return dtensor.pack(parts, dtensor.Layout.batch_sharded(mesh, "batch", rank=value.ndim))


p = {k.removeprefix("model."): variable(v) for k, v in params.items()}


def cross_entropy(logits, label):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits)


def mnist(x, label):
    h = tf.nn.relu(x @ p["d1.w"] + p["d1.b"])
    h = tf.nn.relu(h @ p["d2.w"] + p["d2.b"])
    return tf.reduce_mean(cross_entropy(h @ p["d3.w"] + p["d3.b"], label))


def imdb(x, label):
    h = tf.nn.relu(x @ p["d1.w"] + p["d1.b"])
    h = h - tf.reduce_mean(h, axis=0)
    h = h * tf.math.rsqrt(tf.reduce_mean(h * h, axis=0) + 1e-5)
    return tf.reduce_sum(cross_entropy(h @ p["d2.w"] + p["d2.b"], label))


def norm(x, which):
    x = x - tf.reduce_mean(x, axis=-1, keepdims=True)
    x = x * tf.math.rsqrt(tf.reduce_mean(x * x, axis=-1, keepdims=True) + 1e-5)
    return x * p[f"{which}.scale"] + p[f"{which}.shift"]


def gpt(x):
    n = norm(x, "norm1")
    q, k, v = (tf.einsum("bsw,whe->bhse", n, p[f"attn.{i}"]) for i in "qkv")
    score = tf.einsum("bhse,bhte->bhst", q / 32 ** 0.5, k)
    past = tf.linalg.band_part(tf.ones((256, 256), tf.float32), -1, 0)
    a = tf.einsum("bhst,bhte->bhse", tf.nn.softmax(score + (past - 1) * 1e9), v)
    x = x + tf.einsum("bhse,hew->bsw", a, p["attn.out"])
    h = tf.einsum("bsw,wh->bsh", norm(x, "norm2"), p["up.w"]) + p["up.b"]
    h = 0.5 * h * (1 + tf.math.erf(h * 0.5 ** 0.5))
    y = x + tf.einsum("bsh,hw->bsw", h, p["down.w"]) + p["down.b"]
    return tf.reduce_mean(y * y)


model = {"mnist": mnist, "imdb": imdb, "gpt": gpt}[name]
if name == "mnist":
    t = variable([0.0])
    m = {k: variable(0 * v) for k, v in params.items()}
    v = {k: variable(0 * v) for k, v in params.items()}


def adam(grads):
    t.assign_add(tf.ones([1]))
    c1, c2 = 1 / (1 - 0.9 ** t), 1 / (1 - 0.999 ** t)
    for var, g, mi, vi in zip(p.values(), grads, m.values(), v.values()):
        mi.assign(0.9 * mi + 0.1 * g)
        vi.assign(0.999 * vi + 0.001 * g * g)
        var.assign_sub(1e-3 * (mi * c1) / (tf.sqrt(vi * c2) + 1e-7))


def sgd(grads):
    for var, g in zip(p.values(), grads):
        var.assign_sub((1e-3 if name == "imdb" else 1e-2) * g)


@tf.function
def gradients(*batch):
    with tf.GradientTape() as tape:
        loss = model(*batch)
    return [loss] + tape.gradient(loss, list(p.values()))


@tf.function
def update(*grads):
    adam(grads)


@tf.function
def train(*batch):
    loss, *grads = gradients(*batch)
    sgd(grads)
    return loss


# Of one function with Adam in it DTensor makes another training on several devices: the first loss is right, the second is not.
def step(one):
    batch = (cut(value) for value in one.values())
    if name != "mnist":
        return float(train(*batch).numpy())
    loss, *grads = gradients(*batch)
    update(*grads)
    return float(loss.numpy())


worker.serve(f"TensorFlow {tf.__version__}", step, data)
