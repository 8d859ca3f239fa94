"""The three models: sizes, first values and batches, which all systems are given alike.

Parameters are named as in the .dtg files beside this one. Every batch is drawn with NumPy, once, into a file.
"""
import sys

import numpy as np

BATCHES = 8  # taken in turn

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
}


def first_values(name):
    """{parameter: f32 array}: ones for scales, zeros for biases, else normal, of variance 1 over the fan-in."""
    rng, values = np.random.default_rng(1), {}
    for path, shape in MODELS[name]["params"].items():
        last = path.split(".")[-1]
        if last == "scale":
            values[path] = np.ones(shape, np.float32)
        elif last in ("b", "shift"):
            values[path] = np.zeros(shape, np.float32)
        else:
            fan_in = shape[0] * shape[1] if last == "out" else shape[0]
            values[path] = (rng.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32)
    return values


def batches(name):
    """BATCHES times {input: array}."""
    rng, m = np.random.default_rng(2), MODELS[name]
    all = []
    for _ in range(BATCHES):
        one = {"x": rng.standard_normal(m["inputs"]["x"]).astype(np.float32)}
        if "label" in m["inputs"]:
            one["label"] = rng.integers(0, m["classes"], m["inputs"]["label"], np.int32)
        all.append(one)
    return all


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
    save(sys.argv[1], sys.argv[2])
