#!/usr/bin/env python3
"""Writes special.h: what ops give for zeros of both signs, infinities, NaN, the largest and smallest numbers of a type, and empty
dims, by NumPy. Run it after changing a row; the tests read the header and need no NumPy."""
import math, re
import numpy as np
np.seterr(all="ignore")

TYPES = {"bool": np.bool_, "u8": np.uint8, "i8": np.int8, "i32": np.int32, "i64": np.int64, "f16": np.float16, "f32": np.float32, "f64": np.float64}
FLOATS, INTS = ["f16", "f32", "f64"], ["u8", "i8", "i32", "i64"]

def values(t, few):
    if t in INTS:
        i = np.iinfo(TYPES[t])
        v = [0, 1, 3, 7, i.max, i.min, i.min + 1] + ([] if t == "u8" else [-1, -3, -10])
        return np.array(v if few else v + [2, 10, 100, i.max - 1], TYPES[t])
    f = np.finfo(TYPES[t])
    v = [0.0, -0.0, 1, -1.5, 2.5, -3, np.inf, -np.inf, np.nan, f.max, f.tiny]
    return np.array(v if few else v + [-f.max, -f.tiny, 0.5, -0.5, 1.5, 0.1, 20, -20, f.eps, 7.25, -2.5], TYPES[t])

def pairs(t):
    a, b = np.meshgrid(values(t, True), values(t, True))
    return a.ravel(), b.ravel()

def name_of(a): return next(n for n, t in TYPES.items() if a.dtype.type is t)
def wide(f):  # rounded once to the type
    return lambda *x: f(*[a.astype(np.float64) for a in x]).astype(x[0].dtype)

ROWS = []
def row(expr, want, **inputs): ROWS.append((expr, inputs, np.asarray(want)))

UNARY = {"exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh,
         "sin": np.sin, "cos": np.cos, "floor": np.floor, "ceil": np.ceil, "round": np.rint, "abs": np.abs, "sign": np.sign, "neg": np.negative,
         "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": np.vectorize(math.erf)}
BINARY = {"+": np.add, "-": np.subtract, "*": np.multiply, "//": np.floor_divide, "%": np.mod, "==": np.equal, "!=": np.not_equal, "<": np.less,
          "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
def saturated(v, t):  # towards zero, held at the ends; NaN is 0
    i = np.iinfo(TYPES[t])
    return np.array([0 if math.isnan(a) else i.max if a >= i.max else i.min if a <= i.min else int(a) for a in v.astype(float)], TYPES[t])

for t in FLOATS:
    for op, f in UNARY.items(): row(f"{op}(x)", wide(f)(values(t, False)), x=values(t, False))
for t in INTS:
    for op in ["abs", "sign", "neg"]: row(f"{op}(x)", UNARY[op](values(t, False)), x=values(t, False))
for t in FLOATS + INTS:
    x, y = pairs(t)
    for op, f in BINARY.items(): row(f"x {op} y", f(x, y), x=x, y=y)
    if t in FLOATS:
        row("x / y", x / y, x=x, y=y)
        row("x ** y", wide(np.power)(x, y), x=x, y=y)
    else:
        row("x ** y", np.power(x[y >= 0], y[y >= 0]), x=x[y >= 0], y=y[y >= 0])
    row("min(x, y)", np.minimum(x, y), x=x, y=y)
    row("max(x, y)", np.maximum(x, y), x=x, y=y)
    row("where(x != y, x, y)", np.where(x != y, x, y), x=x, y=y)
    v = values(t, False)
    m = np.stack([np.roll(v, 3 * k) for k in range(4)])
    total = {"u8": np.int64, "i8": np.int64}.get(t, TYPES[t])
    row("clamp(x, 1, 3)", np.clip(v, 1, 3), x=v)
    row("max(x, axis=1)", m.max(1), x=m)
    row("min(x, axis=0)", m.min(0), x=m)
    row("argmax(x, axis=1)", m.argmax(1), x=m)
    row("argmin(x, axis=1)", m.argmin(1), x=m)
    row("sort(x)", np.sort(v), x=v)
    row("argsort(x)", np.argsort(v, kind="stable"), x=v)
    row("sum(x, axis=1)", m.sum(1, dtype=total), x=m)
    empty = m[:, :0]
    for op, f in {"sum": np.sum, "prod": np.prod, "cumsum": np.cumsum}.items(): row(f"{op}(x, axis=1)", f(empty, 1, dtype=total), x=empty)
    row("sort(x)", empty, x=empty)
    if t in INTS:
        row("cumsum(x, axis=1)", np.cumsum(m, 1, dtype=total), x=m)
        row("prod(x, axis=1)", np.prod(m[:, :3], 1, dtype=total), x=m[:, :3])
    for u in FLOATS + INTS + ["bool"]:
        if u != t: row(f"{u}(x)", saturated(v, u) if t in FLOATS and u in INTS else v.astype(TYPES[u]), x=v)
for t in ["f32", "f64"]:
    i, x = np.inf, None
    x = np.array([[1, 2, 3], [i, 1, 2], [-i, -i, -i], [-i, 1, 1], [np.nan, 1, 2], [1e4, -1e4, 0], [i, -i, 0]], TYPES[t])
    z = x - x.max(1, keepdims=True)
    top = np.where(np.isfinite(x.max(1)), x.max(1), 0)
    row("softmax(x)", np.exp(z) / np.exp(z).sum(1, keepdims=True), x=x)
    row("log_softmax(x)", z - np.log(np.exp(z).sum(1, keepdims=True)), x=x)
    row("logsumexp(x)", np.log(np.exp(x - top[:, None]).sum(1)) + top, x=x)
    row("mean(x, axis=1)", x.mean(1), x=x)
    p = np.array([1, np.nan, 3, i, -i, 0, 2, 5], TYPES[t]).reshape(1, 8, 1)
    row("max_pool(x, 2)", np.maximum(p[:, ::2], p[:, 1::2]), x=p)
b = np.array([[0, 0], [0, 1], [1, 1]], np.bool_)
for op, f in {"any": np.any, "all": np.all, "sum": np.sum}.items():
    row(f"{op}(x, axis=1)", f(b, 1), x=b)
    row(f"{op}(x, axis=1)", f(b[:, :0], 1), x=b[:, :0])
none = np.zeros(0, np.int32)
row("gather(x, i)", np.zeros((0, 2), "f4"), x=np.ones((3, 2), "f4"), i=none)
row("scatter_add(x, i, u)", np.ones((3, 2), "f4"), x=np.ones((3, 2), "f4"), i=none, u=np.zeros((0, 2), "f4"))
row("concat([x, y])", np.ones((2, 2), "f4"), x=np.zeros((0, 2), "f4"), y=np.ones((2, 2), "f4"))
row("one_hot(i, 3)", np.zeros((0, 3), "f4"), i=none)
row("mean(x, axis=0)", np.zeros(0, "f4"), x=np.zeros((3, 0), "f4"))
row("softmax(x)", np.zeros((0, 3), "f4"), x=np.zeros((0, 3), "f4"))
row("x @ y", np.zeros((2, 3), "f4"), x=np.zeros((2, 0), "f4"), y=np.zeros((0, 3), "f4"))

# Inputs and results are lists of numbers; equal lists stand once.
lists = {}
def data(a):
    kind = "double" if a.dtype.kind == "f" else "int64_t"
    def number(v):
        if kind == "int64_t": return "INT64_MIN" if int(v) == -2**63 else str(int(v))
        v = float(v)
        return "NAN" if v != v else ("-" if v < 0 else "") + "INFINITY" if math.isinf(v) else re.sub(r"\.?0*p", "p", v.hex()) if v != int(v) or abs(v) > 1e6 else repr(v)
    text = (kind, ", ".join(map(number, a.ravel())) or "0")
    if text not in lists: lists[text] = f"d{len(lists)}"
    return lists[text]
def tensor(name, a):
    dims = ", ".join(map(str, a.shape)) or "0"
    return f'{{"{name}", "{name_of(a) if a.dtype.type in TYPES.values() else "i64"}", {a.ndim}, {{{dims}}}, {data(a)}}}'

rows = []
for expr, inputs, want in ROWS:
    ins = ", ".join(tensor(n, np.ascontiguousarray(a)) for n, a in inputs.items())
    rows.append(f'    {{"{expr}", {len(inputs)}, {{{ins}}}, {tensor("r", want)}}},')
print("/* Made by special.py: numbers, then expression, inputs and result of each row. */")
for (kind, text), name in lists.items(): print(f"static const {kind} {name}[] = {{{text}}};")
print("static const Row rows[] = {")
print("\n".join(rows))
print("};")
