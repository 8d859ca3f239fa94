"""The models: sizes, first values and batches, which all systems are given alike.

Parameters are named as in the .dtg files beside this one. Every batch is drawn with NumPy, once, into a file. `gflop` is
what a step's products and convolutions take, their gradients included: 3 times the forward pass, but that no gradient
goes to the inputs; `systems` are those that a model was written for.
"""
import sys

import numpy as np

BATCHES = 8  # taken in turn

DTENSOR = ["dtg", "jax", "tensorflow", "torch"]
PLAIN = ["dtg", "jax", "eager", "compiled"]


def block(name, width):
    """A transformer's block, 4 times as wide inside."""
    heads = (width, width // 64, 64)
    return {f"{name}.norm1.scale": (width,), f"{name}.norm1.shift": (width,), f"{name}.attn.q": heads,
            f"{name}.attn.k": heads, f"{name}.attn.v": heads, f"{name}.attn.out": heads[1:] + (width,),
            f"{name}.norm2.scale": (width,), f"{name}.norm2.shift": (width,),
            f"{name}.up.w": (width, 4 * width), f"{name}.up.b": (4 * width,),
            f"{name}.down.w": (4 * width, width), f"{name}.down.b": (width,)}


def blocks(n, width):
    return {k: v for i in range(n) for k, v in block(f"model.block[{i}]", width).items()}


def dense(name, *sizes):
    """Layers name1, name2 ... from a size to the next."""
    return {k: v for i, (a, b) in enumerate(zip(sizes, sizes[1:]), 1)
            for k, v in {f"model.{name}{i}.w": (a, b), f"model.{name}{i}.b": (b,)}.items()}


def residual_units():
    p = {}
    for i in range(9):
        a, b, u = 16 * 2 ** (max(i - 1, 0) // 3), 16 * 2 ** (i // 3), f"model.unit[{i}]"
        p |= {f"{u}.w1": (3, 3, a, b), f"{u}.n1.scale": (b,), f"{u}.n1.shift": (b,), f"{u}.w2": (3, 3, b, b),
              f"{u}.n2.scale": (b,), f"{u}.n2.shift": (b,)}
        if a != b:
            p[f"{u}.short[0].w"] = (1, 1, a, b)
    return p


def recurrent(kind, gates, steps):
    """One layer of width 256."""
    biases = {"model.b": (gates, 256)} | ({"model.c": (gates, 256)} if kind == "GRU" else {})
    return {
        "batch": 32,
        "params": {"model.w": (256, gates, 256), "model.u": (256, gates, 256)} | biases,
        "inputs": {"x": (32, steps, 256), "y": (32, steps, 256)},
        "classes": 1,
        "systems": PLAIN,
        "gflop": 2e-9 * 32 * steps * (2 + 3) * 256 * gates * 256,
        "title": f"{kind}, {steps} steps, width 256, SGD, batch 32",
    }


MODELS = {
    "mnist": {
        "batch": 128,
        "params": {"model.d1.w": (784, 700), "model.d1.b": (700,), "model.d2.w": (700, 500),
                   "model.d2.b": (500,), "model.d3.w": (500, 10), "model.d3.b": (10,)},
        "inputs": {"x": (128, 784), "label": (128,)},
        "classes": 10,
        "title": "MNIST 784-700-500-10, Adam, batch 128",
    },
    "imdb": {
        "batch": 64,
        "params": {"model.d1.w": (1200, 48), "model.d1.b": (48,), "model.d2.w": (48, 2),
                   "model.d2.b": (2,)},
        "inputs": {"x": (64, 1200), "label": (64,)},
        "classes": 2,
        "title": "IMDB 1200-48-batch norm-2, SGD, batch 64",
    },
    "gpt": {
        "batch": 8,
        "params": {"model.norm1.scale": (256,), "model.norm1.shift": (256,),
                   "model.attn.q": (256, 8, 32), "model.attn.k": (256, 8, 32),
                   "model.attn.v": (256, 8, 32), "model.attn.out": (8, 32, 256),
                   "model.norm2.scale": (256,), "model.norm2.shift": (256,),
                   "model.up.w": (256, 1024), "model.up.b": (1024,),
                   "model.down.w": (1024, 256), "model.down.b": (256,)},
        "inputs": {"x": (8, 256, 256)},
        "classes": 1,
        "title": "GPT block, width 256, 8 heads, 256 positions, SGD, batch 8",
    },
    "gpt6": {
        "batch": 8,
        "params": {"model.token.table": (256, 384), "model.place": (256, 384)} | blocks(6, 384)
                  | {"model.norm.scale": (384,), "model.norm.shift": (384,), "model.head": (384, 256)},
        "inputs": {"text": (8, 256), "next": (8, 256)},
        "classes": 256,
        "systems": PLAIN,
        "gflop": 3 * 2e-9 * 8 * 256 * (6 * (12 * 384 * 384 + 256 * 384) + 384 * 256),
        "title": "GPT, 6 blocks x 384, 6 heads, 256 positions, AdamW, batch 8",
    },
    "resnet": {
        "batch": 128,
        "params": {"model.w": (3, 3, 3, 16), "model.n.scale": (16,), "model.n.shift": (16,)} | residual_units()
                  | {"model.top.w": (64, 10), "model.top.b": (10,)},
        "inputs": {"x": (128, 32, 32, 3), "label": (128,)},
        "classes": 10,
        "systems": PLAIN,
        "gflop": 3 * 2e-9 * 128 * 40.5e6,
        "title": "ResNet-20, SGD with momentum, batch 128",
    },
    "lstm": recurrent("LSTM", 4, 64),
    "lstm512": recurrent("LSTM", 4, 512),
    "gru": recurrent("GRU", 3, 64),
    "vit": {
        "batch": 128,
        "params": {"model.patch.w": (16, 192), "model.patch.b": (192,), "model.place": (49, 192)} | blocks(6, 192)
                  | {"model.norm.scale": (192,), "model.norm.shift": (192,), "model.top.w": (192, 10),
                     "model.top.b": (10,)},
        "inputs": {"x": (128, 28, 28), "label": (128,)},
        "classes": 10,
        "systems": PLAIN,
        "gflop": 3 * 2e-9 * 128 * 49 * 6 * (12 * 192 * 192 + 2 * 49 * 192),
        "title": "ViT of 28 x 28, patches of 4, 6 blocks x 192, AdamW, batch 128",
    },
    "dlrm": {
        "batch": 2048,
        "params": {f"model.table[{i}].table": (100000, 32) for i in range(8)}
                  | dense("low", 13, 512, 256, 32) | dense("top", 113, 512, 256, 1),
        "inputs": {"x": (2048, 13), "at": (2048, 8), "y": (2048,)},
        "classes": 100000,
        "systems": PLAIN,
        "gflop": 3 * 2e-9 * 2048 * (2 * (512 + 32) * 256 + 113 * 512),
        "title": "DLRM, 8 tables of 100k x 32, SGD, batch 2048",
    },
    "mlp": {
        "batch": 256,
        "params": dense("d", 4096, 4096, 4096, 4096),
        "inputs": {"x": (256, 4096), "y": (256, 4096)},
        "classes": 1,
        "systems": PLAIN,
        "gflop": 8 * 2e-9 * 256 * 4096 * 4096,
        "title": "MLP of 3 x 4096, SGD, batch 256",
    },
    "chain": {
        "batch": 2048,
        "params": {"model.scale": (4096,), "model.shift": (4096,)},
        "inputs": {"x": (2048, 4096)},
        "classes": 1,
        "systems": PLAIN,
        "title": "softmax and elementwise operations over 2048 x 4096, SGD",
    },
    "mlp1": {
        "batch": 1,
        "params": dense("d", 784, 700, 500, 10),
        "inputs": {"x": (1, 784)},
        "classes": 1,
        "systems": PLAIN,
        "title": "MLP 784-700-500-10, one row, forward",
    },
}


def first_values(name):
    """{parameter: f32 array}: ones for scales, zeros for biases, else normal, of variance 1 over the fan-in, or small
    for what is looked up or added."""
    rng, values = np.random.default_rng(1), {}
    for path, shape in MODELS[name]["params"].items():
        last = path.split(".")[-1]
        if last == "scale":
            values[path] = np.ones(shape, np.float32)
        elif last in ("b", "c", "shift"):
            values[path] = np.zeros(shape, np.float32)
        else:
            fan_in = int(np.prod(shape[:2] if last == "out" else shape[:1] if last in "qkvu" else shape[:-1]))
            if len(shape) == 3 and last == "w":
                fan_in = shape[0]
            if last in ("table", "place"):
                fan_in = 2500
            values[path] = rng.standard_normal(shape, np.float32) / np.float32(np.sqrt(fan_in))
    return values


def batches(name):
    """BATCHES times {input: array}: of the inputs named here integers below the number of classes."""
    rng, m = np.random.default_rng(2), MODELS[name]
    whole = {"label", "text", "next", "at"}
    return [{k: rng.integers(0, m["classes"], shape, np.int32) if k in whole
             else rng.standard_normal(shape).astype(np.float32) for k, shape in m["inputs"].items()}
            for _ in range(BATCHES)]


def save(name, path):
    arrays = {f"param/{k}": v for k, v in first_values(name).items()}
    for i, one in enumerate(batches(name)):
        arrays |= {f"batch{i}/{k}": v for k, v in one.items()}
    np.savez(path, **arrays)


def load(path):
    """(parameters, batches) of such a file."""
    with np.load(path) as f:
        params = {k[6:]: f[k] for k in f if k.startswith("param/")}
        data = [{k.split("/")[1]: f[k] for k in f if k.startswith(f"batch{i}/")}
                for i in range(BATCHES)]
    return params, data


if __name__ == "__main__":
    if len(sys.argv) > 1:
        save(sys.argv[1], sys.argv[2])
    else:
        print(*MODELS)
