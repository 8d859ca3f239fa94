#!/usr/bin/env python3
"""Writes recurrent.h: what recurrent layers, attention, later losses, optimizers and wrappers of include/dtg give on small inputs,
worked out here by NumPy in f64 from the papers' formulas; ctc by adding up all alignments. Run it after changing a case. The cases
are of the form of library.py's, whose runner is library.c."""
import itertools, math, os
import numpy as np

HEAD = '''import "nn"
import "optim"
fn v(dims, k) {
  n = 1
  for d in dims { n = n * d }
  return f32(reshape((iota([n]) * 7 + k * 3) % 11 - 4, dims)) / 4
}
'''
def v(dims, k): return ((np.arange(math.prod(dims)) * 7 + k * 3) % 11 - 4).reshape(dims) / 4.0
sigmoid = lambda a: 1 / (1 + np.exp(-a))
cases = []
def case(name, text, *expected): cases.append((name, text, [(n, np.asarray(t, float).ravel().tolist()) for n, t in expected]))
def layer(name, make, sets, shape, y, call="layer_(x)"):
    lines = "".join(f"  layer_.{p} <- v(shape(layer_.{p}), {k})\n" for p, k in sets)
    case(name, f"layer_ = {make}\nentry f() {{\n{lines}  x = v({shape}, 5)\n  return y = {call}\n}}", ("y", y))

# -------- recurrent
x = v([2, 4, 3], 5)
def steps(x, f, h, reverse):
    out = [None] * x.shape[1]
    for t in (reversed if reverse else list)(range(x.shape[1])):
        h = f(x[:, t], h)
        out[t] = h[0] if isinstance(h, tuple) else h
    return np.stack(out, 1)
zero = np.zeros((2, 2))
def rnn(x, h): return np.tanh(x @ v([3, 2], 1) + h @ v([2, 2], 2) + v([2], 3))
def gru(x, h):
    w, u, b, c = v([3, 3, 2], 1), v([2, 3, 2], 2), v([3, 2], 3), v([3, 2], 4)
    a, o = [x @ w[:, i] + b[i] for i in range(3)], [h @ u[:, i] + c[i] for i in range(3)]
    r, z = sigmoid(a[0] + o[0]), sigmoid(a[1] + o[1])
    return z * h + (1 - z) * np.tanh(a[2] + r * o[2])
def lstm(x, s):
    w, u, b = v([3, 4, 2], 1), v([2, 4, 2], 2), v([4, 2], 3)
    i, f, g, o = [x @ w[:, k] + s[0] @ u[:, k] + b[k] for k in range(4)]
    c = sigmoid(f) * s[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c
for flag in (False, True):
    t = str(flag).lower()
    layer(f"rnn reverse={t}", f"rnn(3, 2, reverse={t})", [("w", 1), ("u", 2), ("b", 3)], [2, 4, 3], steps(x, rnn, zero, flag))
    layer(f"gru reverse={t}", f"gru(3, 2, reverse={t})", [("w", 1), ("u", 2), ("b", 3), ("c", 4)], [2, 4, 3], steps(x, gru, zero, flag))
    layer(f"lstm reverse={t}", f"lstm(3, 2, reverse={t})", [("w", 1), ("u", 2), ("b", 3)], [2, 4, 3], steps(x, lstm, (zero, zero), flag))
first = (v([2, 2], 7), v([2, 2], 8))
layer("lstm last from a state", "lstm(3, 2, last=true)", [("w", 1), ("u", 2), ("b", 3)], [2, 4, 3], steps(x, lstm, first, False)[:, -1],
      "layer_(x, [v([2, 2], 7), v([2, 2], 8)])")
case("lstm begins with forgetting nothing", "layer_ = lstm(3, 2)\nentry f() { return y = layer_.b + 0 }", ("y", [[0, 0], [1, 1], [0, 0], [0, 0]]))

# -------- attention
def rotary(x, base=10000):
    half, out = x.shape[-1] // 2, np.empty_like(x)
    for p in range(x.shape[1]):
        for i in range(half):
            a = p * base ** (-2 * i / x.shape[-1])
            out[:, p, ..., i] = x[:, p, ..., i] * math.cos(a) - x[:, p, ..., half + i] * math.sin(a)
            out[:, p, ..., half + i] = x[:, p, ..., half + i] * math.cos(a) + x[:, p, ..., i] * math.sin(a)
    return out
case("rotary", "entry f() {\n  x = v([2, 4, 3, 6], 5)\n  return y = rotary(x)\n}", ("y", rotary(v([2, 4, 3, 6], 5))))
turned = rotary(np.concatenate([np.zeros((1, 37, 6)), v([1, 4, 6], 5)], 1))[:, 37:]
case("rotary from a position known while running", """layer counter() { state t: i64[] = 30 }
at = counter()
entry f() {
  at.t <- at.t + 7
  x = v([1, 4, 6], 5)
  return y = rotary(x, first=at.t), z = rotary(x, first=37)
}""", ("y", turned), ("z", turned))
def attention(x, context, kv, groups, each, looks, rotates):
    w = x.shape[-1]
    q = np.einsum("bsw,wkge->bskge", x, v([w, kv, groups, each], 1)) + v([kv, groups, each], 5)
    k = np.einsum("btw,wke->btke", context, v([context.shape[-1], kv, each], 2)) + v([kv, each], 6)
    u = np.einsum("btw,wke->btke", context, v([context.shape[-1], kv, each], 3)) + v([kv, each], 7)
    if rotates: q, k = rotary(q), rotary(k)
    score = np.einsum("bskge,btke->bkgst", q, k) / math.sqrt(each)
    score = np.where(looks, score, -np.inf)
    p = np.exp(score - score.max(-1, keepdims=True))
    mixed = np.einsum("bkgst,btke->bskge", p / p.sum(-1, keepdims=True), u)
    return np.einsum("bskge,kgew->bsw", mixed, v([kv, groups, each, w], 4)) + v([w], 8)
NAMES = [("q", 1), ("k", 2), ("v", 3), ("out", 4), ("q_bias", 5), ("k_bias", 6), ("v_bias", 7), ("out_bias", 8)]
x, c = v([2, 4, 6], 5), v([2, 5, 3], 9)
lower = np.tril(np.ones((4, 4), bool))
layer("multi_head_attention", "multi_head_attention(6, 2, each=4, causal=true, rotates=true)", NAMES, [2, 4, 6],
      attention(x, x, 2, 1, 4, lower, True))
layer("grouped queries", "multi_head_attention(6, 6, kv_heads=2, each=2)", NAMES, [2, 4, 6], attention(x, x, 2, 3, 2, True, False))
looks = (np.arange(4)[:, None] + np.arange(5)) % 3 != 1
layer("attention to a context", "multi_head_attention(6, 2, kv_heads=1, context_width=3)", NAMES, [2, 4, 6],
      attention(x, c, 1, 2, 3, looks, False), "layer_(x, context=v([2, 5, 3], 9), mask=(iota([4, 5]) + iota([4, 5], axis=1)) % 3 != 1)")

case("sequential hands on what is given by name", f"""at = multi_head_attention(6, 2, kv_heads=1, context_width=3)
many = sequential([at, dropout_layer(0.5), relu])
entry f() {{
""" + "".join(f"  at.{p} <- v(shape(at.{p}), {k})\n" for p, k in NAMES) + """  x = v([2, 4, 6], 5)
  return y = many(x, train=false, mask=(iota([4, 5]) + iota([4, 5], axis=1)) % 3 != 1, context=v([2, 5, 3], 9))
}""", ("y", np.maximum(attention(x, c, 1, 2, 3, looks, False), 0)))

x = v([2, 3, 5, 4], 5)
mean, var = x.mean((1, 2), keepdims=True), x.var((1, 2), keepdims=True)
layer("instance_norm", "instance_norm(4)", [("scale", 1), ("shift", 2)], [2, 3, 5, 4], (x - mean) / np.sqrt(var + 1e-5) * v([4], 1) + v([4], 2))

# -------- every layer of nn in the other types, beside itself in f32
MAKE = {"dense": "dense(4, 4, w_init=fixed", "layer_norm": "layer_norm(4", "batch_norm": "batch_norm(4", "rms_norm": "rms_norm(4", "group_norm": "group_norm(4, 2",
        "instance_norm": "instance_norm(4", "prelu": "prelu(4", "conv_layer": "conv_layer(4, 4, [3], w_init=fixed",
        "conv_transpose_layer": "conv_transpose_layer(4, 4, [3], w_init=fixed", "lstm": "lstm(4, 4, w_init=fixed, u_init=fixed",
        "gru": "gru(4, 4, w_init=fixed, u_init=fixed", "rnn": "rnn(4, 4, w_init=fixed, u_init=fixed", "self_attention": "self_attention(4, 2, stddev=0",
        "multi_head_attention": "multi_head_attention(4, 2, causal=true, rotates=true, init=fixed"}
for kind, within in ("f16", 0.02), ("bf16", 0.1), ("f64", 1e-5):
    lines = "".join(f"{n}_a = {m})\n{n}_b = {m}, type={kind})\n" for n, m in MAKE.items())
    outs = ", ".join(f"far({n}_a(x), {n}_b({kind}(x)), {kind})" for n in MAKE)
    case(f"layers in {kind}", f'''fn fixed(shape = declared.shape, dtype = declared.dtype) {{ return cast(v(shape, 3), dtype) }}
fn far(a, b, type) {{
  if dtype(b) != type {{ error("another type") }}
  return f32(max(abs(a - f32(b))) > {within} * max(1, max(abs(a))))
}}
{lines}table = embedding(5, 4, type={kind})
entry f() {{
  x = v([2, 6, 4], 5)
  return y = stack([{outs}]), t = f32(sum(abs(table(iota(5) % 5))) < 0)
}}''', ("y", [0] * len(MAKE)), ("t", 0))

# -------- losses
def loss(name, call, value): case(name, f"entry f() {{\n  x = v([6, 4], 1)\n  t = v([6, 4], 2)\n  return y = {call}\n}}", ("y", value))
x, t = v([6, 4], 1), v([6, 4], 2)
one = (t > 0).astype(float)
p = np.where(one == 1, sigmoid(x), 1 - sigmoid(x))
loss("focal", "focal(x, f32(t > 0))", (np.where(one == 1, 0.25, 0.75) * (1 - p) ** 2 * -np.log(p)).mean())
loss("focal without weights", "focal(x, f32(t > 0), gamma=3, alpha=none)", ((1 - p) ** 3 * -np.log(p)).mean())
d = lambda a, b: np.sqrt(((a - b) ** 2).sum(-1))
u = v([6, 4], 3)
loss("triplet", "triplet(x, t, v([6, 4], 3), margin=0.5)", np.maximum(d(x, t) - d(x, u) + 0.5, 0).mean())
same = np.arange(6) % 2
loss("contrastive", "contrastive(x, t, f32(iota(6) % 2), margin=4)", (same * d(x, t) ** 2 + (1 - same) * np.maximum(4 - d(x, t), 0) ** 2).mean())
def ctc(logits, label, blank):
    z = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    total = 0
    for path in itertools.product(range(logits.shape[1]), repeat=logits.shape[0]):
        short = [k for i, k in enumerate(path) if k != blank and (i == 0 or path[i - 1] != k)]
        if short == list(label): total += math.exp(sum(z[i, k] for i, k in enumerate(path)))
    return -math.log(total)
z = v([2, 5, 3], 1)
def lossctc(name, label, blank, call, lengths=None, steps=None):
    n = lengths or [len(l) for l in label]
    s = steps or [5, 5]
    case(name, f"entry f() {{\n  x = v([2, 5, 3], 1)\n  return y = {call}\n}}", ("y", np.mean([ctc(z[b, :s[b]], label[b][:n[b]], blank) for b in range(2)])))
lossctc("ctc", [[1, 2], [1, 1]], 0, "ctc(x, reshape(array([1, 2, 1, 1]), [2, 2]))")
lossctc("ctc of lengths", [[1, 0, 1], [0, 1, 0]], 2, "ctc(x, array([[1, 0, 1], [0, 1, 0]]), input_length=array([5, 4]), label_length=array([3, 2]), blank=2)", [3, 2], [5, 4])
lossctc("ctc of nothing", [[1], [2]], 0, "ctc(x, array([[1], [2]]), label_length=array([0, 1]))", [0, 1])

# -------- optimizers: three steps of the gradients v(shape, t) from v(shape, 1)
def trained(name, make, shape, f, more=""):
    p, slots = v(shape, 1), {}
    for t in (1, 2, 3): p = f(p, v(shape, t + 1), slots, t)
    text = f'''layer net() {{ param w: f32{shape} = 0 }}
model = net()
opt = {make}
entry f() {{
  model.w <- v({shape}, 1)
  for t in 1..4 {{ opt.minimize(sum(v({shape}, t + 1) * model.w)) }}
  x = model.w + 0{more}
  return y = x
}}'''
    case(name, text, ("y", p))
def lamb(p, g, s, t):
    s["m"] = s.get("m", 0) * 0.9 + 0.1 * g
    s["v"] = s.get("v", 0) * 0.999 + 0.001 * g * g
    step = s["m"] / (1 - 0.9 ** t) / (np.sqrt(s["v"] / (1 - 0.999 ** t)) + 1e-6) + 0.01 * p
    return p - 1e-3 * np.linalg.norm(p) / np.linalg.norm(step) * step
def adafactor(p, g, s, t):
    beta, rho, q = 1 - t ** -0.8, min(0.01, t ** -0.5), g * g + 1e-30
    if p.ndim > 1:
        s["r"] = beta * s.get("r", 0) + (1 - beta) * q.mean(-1)
        s["c"] = beta * s.get("c", 0) + (1 - beta) * q.mean(-2)
        second = s["r"][..., :, None] * s["c"][..., None, :] / s["r"].mean(-1)[..., None, None]
    else: second = s["v"] = beta * s.get("v", 0) + (1 - beta) * q
    step = g / np.sqrt(second)
    step = step / max(1, math.sqrt((step ** 2).mean()))
    return p - max(1e-3, math.sqrt((p ** 2).mean())) * rho * step
def sgd(change): return lambda p, g, s, t: change(p) - 0.1 * g
trained("lamb", "lamb(model)", [4, 3], lamb)
trained("adafactor of a matrix", "adafactor(model)", [4, 3], adafactor)
trained("adafactor of a stack", "adafactor(model)", [2, 4, 3], adafactor)
trained("adafactor of a vector", "adafactor(model)", [5], adafactor)
keep = lambda p: p
trained("clipped_by_norm", "clipped_by_norm(sgd(model, lr=0.1), model, 1.5)", [4, 3], lambda p, g, s, t: p - 0.1 * g * min(1, 1.5 / np.linalg.norm(g)))
trained("clipped_by_value", "clipped_by_value(sgd(model, lr=0.1), model, 0.6)", [4, 3], lambda p, g, s, t: p - 0.1 * np.clip(g, -0.6, 0.6))
trained("decoupled_decay", "decoupled_decay(sgd(model, lr=0.1), model, 0.02)", [4, 3], lambda p, g, s, t: p * 0.98 - 0.1 * g)
trained("wrapped twice", "decoupled_decay(clipped_by_value(sgd(model, lr=0.1), model, 0.6), model, 0.02)", [4, 3], lambda p, g, s, t: p * 0.98 - 0.1 * np.clip(g, -0.6, 0.6))
w = v([4, 3], 1)
case("accumulated", '''layer net() { param w: f32[4, 3] = 0 }
model = net()
opt = accumulated(sgd(model, lr=0.1), model, 3)
entry f() {
  model.w <- v([4, 3], 1)
  for t in 1..4 { opt.add(sum(v([4, 3], t + 1) * model.w)) }
  opt.step()
  x = model.w + 0
  return y = x, left = sum(abs(opt.total[model.w]))
}''', ("y", w - 0.1 * sum(v([4, 3], t + 1) for t in (1, 2, 3)) / 3), ("left", 0))
mean = v([4, 3], 1)
for t in (2, 3): mean = 0.9 * mean + 0.1 * v([4, 3], t)
case("ema", '''layer net() { param w: f32[4, 3] = 0 }
model = net()
average = ema(model, keeps=0.9)
entry f() {
  for t in 1..4 {
    model.w <- v([4, 3], t)
    average.update()
  }
  average.swap()
  x = model.w + 0
  average.swap()
  return y = x, back = model.w + 0
}''', ("y", mean), ("back", v([4, 3], 3)))

def lit(s): return "\n".join('     "' + l.replace("\\", "\\\\").replace('"', '\\"') + '\\n"' for l in s.strip().split("\n"))
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "recurrent.h"), "w") as out:
    out.write("/* Made by recurrent.py; do not edit. */\n")
    out.write(f"static const char *const head =\n{lit(HEAD)};\nstatic const struct test tests[] = {{\n")
    for name, text, expected in cases:
        rows = ",\n      ".join(f'{{"{n}", {len(d)}, (const double[]){{{", ".join(repr(round(z, 12) + 0.0) for z in d)}}}}}' for n, d in expected)
        out.write(f'    {{"{name}",\n{lit(text)},\n     {len(expected)},\n     {{{rows}}}}},\n')
    out.write("};\n")
