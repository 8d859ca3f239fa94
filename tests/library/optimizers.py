#!/usr/bin/env python3
"""Writes optimizers.h: parameters after 20 steps of each optimizer of include/dtg/optim.dtg, by Keras's and by PyTorch's own rule.
The rules below are transcribed from Keras 3.15's sources (keras/src/optimizers) and from PyTorch 2's documentation (torch.optim),
computed with 40 digits. `optimizers.py --keras` compares the first ones with an installed Keras in f64 (KERAS_BACKEND=jax)."""
import sys
from decimal import Decimal as D, getcontext
from struct import pack, unpack
getcontext().prec = 40

STEPS, N = 20, 6
SCALES = [2.0 ** -40, 2.0 ** -17, 1.0, 2.0 ** 30]   # of gradients; powers of two, so f32 has them exactly
start = [0 if i < 3 else ((7 * i + 3) % 11 - 4) / 2048 for i in range(N)]   # from 0 on even the smallest step shows
def pattern(t, i): return ((7 * i + 3 * t + t * t) % 11 - 4) / 2
as_f32 = lambda x: unpack("f", pack("f", x))[0]
sqrt = lambda x: D(x).sqrt()

# Each rule: defaults, and step(p, g, slots, t, lr, o) -> p with t from 1 on. Keras: apply_gradients takes weight_decay off first.
def keras_decay(p, lr, o): return p - p * o["decay"] * lr if o.get("decay") else p
def keras_sgd(p, g, s, t, lr, o):
    p = keras_decay(p, lr, o)
    if not o["momentum"]: return p - lr * g
    s["m"] = s.get("m", 0) * o["momentum"] - g * lr
    return p + s["m"] * o["momentum"] - g * lr if o.get("nesterov") else p + s["m"]
def keras_adam(p, g, s, t, lr, o):
    p = keras_decay(p, lr, o)
    m, v = s.get("m", D(0)), s.get("v", D(0))
    alpha = lr * sqrt(1 - o["b2"] ** t) / (1 - o["b1"] ** t)
    s["m"] = m = m + (g - m) * (1 - o["b1"])
    s["v"] = v = v + (g * g - v) * (1 - o["b2"])
    if o.get("amsgrad"): s["hat"] = v = max(s.get("hat", D(0)), v)
    return p - m * alpha / (sqrt(v) + o["eps"])
def keras_rmsprop(p, g, s, t, lr, o):
    s["v"] = o["rho"] * s.get("v", 0) + (1 - o["rho"]) * g * g
    d = s["v"] + o["eps"]
    if o.get("centered"):
        s["a"] = o["rho"] * s.get("a", 0) + (1 - o["rho"]) * g
        d = s["v"] - s["a"] ** 2 + o["eps"]
    step = lr * g / sqrt(d)
    if o["momentum"]: step = s["m"] = o["momentum"] * s.get("m", 0) + step
    return p - step
def keras_adagrad(p, g, s, t, lr, o):
    s["v"] = s.get("v", o["initial"]) + g * g
    return p - lr * g / sqrt(s["v"] + o["eps"])
def adadelta(p, g, s, t, lr, o):   # Keras's and PyTorch's are one rule
    s["v"] = o["rho"] * s.get("v", 0) + (1 - o["rho"]) * g * g
    delta = sqrt(s.get("d", 0) + o["eps"]) / sqrt(s["v"] + o["eps"]) * g
    s["d"] = o["rho"] * s.get("d", 0) + (1 - o["rho"]) * delta * delta
    return p - lr * delta
def lion(p, g, s, t, lr, o):       # Keras's
    p = keras_decay(p, lr, o)
    m = s.get("m", D(0))
    c = m * o["b1"] + g * (1 - o["b1"])
    assert c == 0 or abs(c) > abs(g) / 1000, "the sign hangs on rounding"
    s["m"] = m * o["b2"] + g * (1 - o["b2"])
    return p - lr * ((c > 0) - (c < 0))

def torch_sgd(p, g, s, t, lr, o):
    if o.get("decay"): g = g + o["decay"] * p
    if o["momentum"]:
        s["b"] = o["momentum"] * s["b"] + g if t > 1 else g
        g = g + o["momentum"] * s["b"] if o.get("nesterov") else s["b"]
    return p - lr * g
def torch_adam(p, g, s, t, lr, o):
    if o.get("decay"): p = p - lr * o["decay"] * p      # AdamW's
    s["m"] = o["b1"] * s.get("m", 0) + (1 - o["b1"]) * g
    s["v"] = v = o["b2"] * s.get("v", 0) + (1 - o["b2"]) * g * g
    if o.get("amsgrad"): s["most"] = v = max(s.get("most", D(0)), v)
    c1, c2 = 1 - o["b1"] ** t, 1 - o["b2"] ** t
    return p - lr / c1 * s["m"] / (sqrt(v) / sqrt(c2) + o["eps"])
def torch_rmsprop(p, g, s, t, lr, o):
    s["v"] = v = o["rho"] * s.get("v", 0) + (1 - o["rho"]) * g * g
    if o.get("centered"):
        s["a"] = o["rho"] * s.get("a", 0) + (1 - o["rho"]) * g
        v = v - s["a"] ** 2
    step = g / (sqrt(v) + o["eps"])
    if o["momentum"]: step = s["b"] = o["momentum"] * s.get("b", 0) + step
    return p - lr * step
def torch_adagrad(p, g, s, t, lr, o):
    s["v"] = s.get("v", o["initial"]) + g * g
    return p - lr * g / (sqrt(s["v"]) + o["eps"])

RULES = {   # optimizer: {style: (rule, defaults, class of Keras)}
    "sgd": {"keras": (keras_sgd, dict(lr=.01, momentum=0), "SGD"), "torch": (torch_sgd, dict(lr=.01, momentum=0))},
    "adam": {"keras": (keras_adam, dict(lr=1e-3, b1=.9, b2=.999, eps=1e-7), "Adam"), "torch": (torch_adam, dict(lr=1e-3, b1=.9, b2=.999, eps=1e-8))},
    "adamw": {"keras": (keras_adam, dict(lr=1e-3, b1=.9, b2=.999, eps=1e-7, decay=.004), "AdamW"),
              "torch": (torch_adam, dict(lr=1e-3, b1=.9, b2=.999, eps=1e-8, decay=.01))},
    "rmsprop": {"keras": (keras_rmsprop, dict(lr=1e-3, rho=.9, eps=1e-7, momentum=0), "RMSprop"),
                "torch": (torch_rmsprop, dict(lr=1e-2, rho=.99, eps=1e-8, momentum=0))},
    "adagrad": {"keras": (keras_adagrad, dict(lr=1e-3, initial=.1, eps=1e-7), "Adagrad"), "torch": (torch_adagrad, dict(lr=1e-2, initial=0, eps=1e-10))},
    "adadelta": {"keras": (adadelta, dict(lr=1e-3, rho=.95, eps=1e-7), "Adadelta"), "torch": (adadelta, dict(lr=1, rho=.9, eps=1e-6))},
    "lion": {"keras": (lion, dict(lr=1e-4, b1=.9, b2=.99), "Lion")},
}
FALLS = (0.05, 0.7)   # where lr is "falls": exponential(0.05, 0.7), whose `now` is f32 or f64
CASES = [(name, o) for name, o in [
    ("sgd", {}), ("sgd", dict(momentum=.9)), ("sgd", dict(momentum=.9, nesterov=True)), ("sgd", dict(momentum=.8, decay=.1)),
    ("sgd", dict(lr="falls", momentum=.9)), ("sgd", dict(lr="falls", momentum=.9, nesterov=True, decay=.1)), ("adam", {}), ("adam", dict(lr="falls")), ("adam", dict(b2=.5, amsgrad=True)),
    ("adam", dict(b1=.5, b2=.99999)), ("adamw", {}), ("adamw", dict(lr=.1, decay=.3)), ("rmsprop", {}), ("rmsprop", dict(momentum=.5, centered=True)),
    ("rmsprop", dict(lr="falls", momentum=.9, rho=.8)), ("adagrad", {}), ("adagrad", dict(lr=.1, initial=0, eps=1e-5)), ("adadelta", {}),
    ("lion", {}), ("lion", dict(lr=.01, decay=.2))]]

def run(rule, options, scale, real):
    """The parameters after all steps, and how far each went: the sum of its steps' sizes."""
    o = {k: D(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else v for k, v in options.items()}
    p, way, slots = [D(x) for x in start], [D(0)] * N, [{} for _ in range(N)]
    for t in range(STEPS):
        lr = o["lr"]
        if lr == "falls":
            lr = D(FALLS[0]) * D(FALLS[1]) ** t
            lr = D(as_f32(float(lr))) if real == "f32" else lr
        for i in range(N):
            new = rule(p[i], D(pattern(t, i)) * D(scale), slots[i], t + 1, lr, o)
            way[i] += abs(new - p[i])
            p[i] = new
    return [float(x) for x in p], [float(x) for x in way]

def call(name, o, style):
    said = "".join(f", {k}={'rate.now' if v == 'falls' else 'true' if v is True else repr(v)}" for k, v in o.items())
    return f"{name}(over{said}{', style=TORCH' if style == 'torch' else ''})".replace("TORCH", '\\"torch\\"')

def with_keras():
    import os
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import jax, keras, numpy
    jax.config.update("jax_enable_x64", True)
    keras.backend.set_floatx("float64")
    names = dict(lr="learning_rate", b1="beta_1", b2="beta_2", eps="epsilon", decay="weight_decay", initial="initial_accumulator_value")
    worst = 0
    for name, o in CASES:
        rule, defaults, cls = RULES[name]["keras"]
        for scale in SCALES:
            said = {names.get(k, k): FALLS[0] if v == "falls" else v for k, v in o.items()}
            if name == "lion": said.setdefault("learning_rate", defaults["lr"])
            opt, w = getattr(keras.optimizers, cls)(**said), keras.Variable(numpy.array(start), dtype="float64")
            for t in range(STEPS):
                if o.get("lr") == "falls": opt.learning_rate = FALLS[0] * FALLS[1] ** t
                opt.apply([numpy.array([pattern(t, i) * scale for i in range(N)])], [w])
            mine, way = run(rule, {**defaults, **o}, scale, "f64")
            off = max(abs(float(a) - b) / max(c, abs(b), 1e-300) for a, b, c in zip(numpy.array(w.value), mine, way))
            worst = max(worst, off)
            print(f"{name} {o} {scale:g}: {off:.1e}")
    print(f"worst: {worst:.1e} of the way, keras {keras.__version__}")
    return worst > 1e-12 # 1 - b2 ** t in f64, as Keras has it, is 1e-13 off for b2 = 0.99999

if "--keras" in sys.argv: sys.exit(with_keras())
rows = []
for name, o in CASES:
    for style in RULES[name]:
        rule, defaults = RULES[name][style][:2]
        braces = lambda items: "{" + ", ".join(items) + "}"
        digits = {"f32": "%.10g", "f64": "%.17g"}
        values = ",\n      ".join(braces(braces(braces(digits[real] % x for x in y) for y in run(rule, {**defaults, **o}, scale, real)) for scale in SCALES)
                                  for real in ("f32", "f64"))
        rows.append(f'    {{"{call(name, o, style)}",\n     {{{values}}}}},\n')
with open("optimizers.h", "w") as out:
    out.write("/* Made by optimizers.py; do not edit. */\n")
    out.write(f"enum {{ STEPS = {STEPS}, N = {N}, NSCALES = {len(SCALES)} }};\n")
    out.write(f"static const char *const rate = \"exponential({FALLS[0]}, {FALLS[1]}, real=%s)\";\n")
    out.write(f"static const double scales[NSCALES] = {{{', '.join(map(repr, SCALES))}}};\n")
    out.write(f"static const double start[N] = {{{', '.join(map(repr, start))}}};\n")
    out.write("static const double gradient[STEPS][N] = {\n" + "".join(f"    {{{', '.join(repr(pattern(t, i)) for i in range(N))}}},\n" for t in range(STEPS)) + "};\n")
    out.write("/* [real: f32, f64][scale][value, length of the way] */\n")
    out.write("static const struct rule {\n  const char *call;\n  double after[2][NSCALES][2][N];\n} rules[] = {\n" + "".join(rows) + "};\n")
print(len(rows), "rules")
