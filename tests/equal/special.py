#!/usr/bin/env python3
"""Writes special.h: what ops give for zeros of both signs, infinities, NaN, the largest and smallest numbers of a type, and empty
dims, by NumPy and SciPy. Run it after changing a row; the tests read the header and need neither."""
import math, re
import numpy as np
import scipy.special as sp
np.seterr(all="ignore")

TYPES = {"bool": np.bool_, "u8": np.uint8, "i8": np.int8, "i32": np.int32, "i64": np.int64, "i16": np.int16, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64}
FLOATS, INTS = ["f16", "bf16", "f32", "f64"], ["u8", "i8", "i32", "i64", "i16", "u16", "u32", "u64"]

class Bf16(np.ndarray):
    """f64 numbers that are bf16's: NumPy has no such type."""

def to_bf16(a):  # rounded once, ties to even
    a = np.asarray(a, np.float64)
    step = np.ldexp(1.0, np.maximum(np.frexp(a)[1], -125) - 8)
    r = np.where(np.isfinite(a), np.rint(a / step) * step, a)
    return np.where(np.isfinite(a) & (np.abs(r) >= 2.0**128), np.copysign(np.inf, a), r).view(Bf16)

def to(a, t): return to_bf16(a) if t == "bf16" else np.asarray(a).astype(TYPES[t])
def ends(t):  # largest, smallest normal, and one's last bit
    if t == "bf16": return (2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-7
    f = np.finfo(TYPES[t])
    return f.max, f.tiny, f.eps

def values(t, few):
    if t in INTS:
        i = np.iinfo(TYPES[t])
        v = [0, 1, 3, 7, i.max, i.min, i.min + 1] + ([] if t[0] == "u" else [-1, -3, -10])
        return np.array(v if few else v + [2, 10, 100, i.max - 1], TYPES[t])
    most, tiny, eps = ends(t)
    v = [0.0, -0.0, 1, -1.5, 2.5, -3, np.inf, -np.inf, np.nan, most, tiny]
    return to(np.array(v if few else v + [-most, -tiny, 0.5, -0.5, 1.5, 0.1, 20, -20, eps, 7.25, -2.5]), t)

def pairs(t):
    a, b = np.meshgrid(values(t, True), values(t, True))
    return (to(a.ravel(), t), to(b.ravel(), t)) if t in FLOATS else (a.ravel(), b.ravel())

def name_of(a): return "bf16" if isinstance(a, Bf16) else next(n for n, t in TYPES.items() if a.dtype.type is t)
def wide(f):  # rounded once to the type
    return lambda *x: to(f(*[np.asarray(a, np.float64) for a in x]), name_of(x[0]))
def own(f):  # computed as NumPy does in the type, if it has it
    def g(*x):
        if not isinstance(x[0], Bf16): return f(*x)
        r = f(*[np.asarray(a) for a in x])
        return to_bf16(r) if r.dtype.kind == "f" else r
    return g

ROWS = []
def row(expr, want, **inputs): ROWS.append((expr, inputs, np.asanyarray(want)))

UNARY = {"exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh,
         "sin": np.sin, "cos": np.cos, "floor": np.floor, "ceil": np.ceil, "round": np.rint, "abs": np.abs, "sign": np.sign, "neg": np.negative,
         "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": np.vectorize(math.erf), "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
         "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "exp2": np.exp2, "log2": np.log2, "log10": np.log10, "cbrt": np.cbrt,
         "erfc": np.vectorize(math.erfc), "erfinv": sp.erfinv, "lgamma": sp.gammaln, "digamma": sp.digamma, "trunc": np.trunc,
         "frac": lambda x: np.where(np.isinf(x), np.nan, np.modf(x)[0]), "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}
CLASSES = ["isnan", "isinf", "isfinite"]
BITS = {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor, "shift_left": np.left_shift, "shift_right": np.right_shift}
BINARY = {"+": np.add, "-": np.subtract, "*": np.multiply, "//": np.floor_divide, "%": np.mod, "==": np.equal, "!=": np.not_equal, "<": np.less,
          "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
def saturated(v, t):  # towards zero, held at the ends; NaN is 0
    i = np.iinfo(TYPES[t])
    return np.array([0 if math.isnan(a) else i.max if a >= i.max else i.min if a <= i.min else int(a) for a in v.astype(float)], TYPES[t])

for t in FLOATS:
    for op, f in UNARY.items(): row(f"{op}(x)", f(np.asarray(values(t, False))) if op in CLASSES else wide(f)(values(t, False)), x=values(t, False))
    for op, f in {"atan2": np.arctan2, "hypot": np.hypot, "logaddexp": np.logaddexp, "copysign": np.copysign, "fmod": np.fmod}.items():
        x, y = pairs(t)
        row(f"{op}(x, y)", wide(f)(x, y), x=x, y=y)
    if t in TYPES and t != "f16": row("nextafter(x, y)", np.nextafter(x, y), x=x, y=y)
for t in INTS:
    x, y = pairs(t)
    for op, f in BITS.items(): row(f"{op}(x, y)", f(x, y), x=x, y=y)
    row("fmod(x, y)", np.where(y == 0, 0, np.fmod(x, np.where(y == 0, 1, y))).astype(TYPES[t]), x=x, y=y)
    row("bit_not(x)", np.invert(values(t, False)), x=values(t, False))
    row("popcount(x)", np.array([bin(int(v) % 2 ** (8 * TYPES[t]().nbytes)).count("1") for v in values(t, False)], TYPES[t]), x=values(t, False))
    for op in ["abs", "sign", "neg"]: row(f"{op}(x)", UNARY[op](values(t, False)), x=values(t, False))
for t in FLOATS + INTS:
    x, y = pairs(t)
    for op, f in BINARY.items(): row(f"x {op} y", own(f)(x, y), x=x, y=y)
    if t in FLOATS:
        row("x / y", own(np.divide)(x, y), x=x, y=y)
        row("x ** y", wide(np.power)(x, y), x=x, y=y)
    else:
        row("x ** y", np.power(x[y >= 0], y[y >= 0]), x=x[y >= 0], y=y[y >= 0])
    row("min(x, y)", own(np.minimum)(x, y), x=x, y=y)
    row("max(x, y)", own(np.maximum)(x, y), x=x, y=y)
    row("where(x != y, x, y)", own(lambda x, y: np.where(x != y, x, y))(x, y), x=x, y=y)
    v = values(t, False)
    m = np.stack([np.roll(v, 3 * k) for k in range(4)])
    if t in FLOATS: m = to(m, t)
    total = {"u8": np.int64, "i8": np.int64, "u16": np.int64, "i16": np.int64, "bf16": np.float64}.get(t) or TYPES[t]
    row("clamp(x, 1, 3)", own(lambda v: np.clip(v, 1, 3))(v), x=v)
    row("max(x, axis=1)", own(lambda m: m.max(1))(m), x=m)
    row("min(x, axis=0)", own(lambda m: m.min(0))(m), x=m)
    row("argmax(x, axis=1)", np.asarray(m).argmax(1), x=m)
    row("argmin(x, axis=1)", np.asarray(m).argmin(1), x=m)
    row("sort(x)", own(np.sort)(v), x=v)
    row("argsort(x)", np.argsort(np.asarray(v), kind="stable"), x=v)
    row("sum(x, axis=1)", own(lambda m: m.sum(1, dtype=total))(m), x=m)
    empty = m[:, :0]
    for op, f in {"sum": np.sum, "prod": np.prod, "cumsum": np.cumsum}.items(): row(f"{op}(x, axis=1)", own(lambda e: f(e, 1, dtype=total))(empty), x=empty)
    row("sort(x)", empty, x=empty)
    if t in INTS:
        row("cumsum(x, axis=1)", np.cumsum(m, 1, dtype=total), x=m)
        row("prod(x, axis=1)", np.prod(m[:, :3], 1, dtype=total), x=m[:, :3])
    for u in FLOATS + INTS + ["bool"]:
        if u != t: row(f"{u}(x)", saturated(v, u) if t in FLOATS and u in INTS else to(v, u), x=v)
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
for op in ["set", "mul", "max", "min"]:
    row(f"scatter_{op}(x, i, u)", np.ones((3, 2), "f4"), x=np.ones((3, 2), "f4"), i=none, u=np.zeros((0, 2), "f4"))
    row(f"scatter_{op}(x, i, u)", np.ones((3, 0), "f4"), x=np.ones((3, 0), "f4"), i=np.array([2, 0], "i4"), u=np.zeros((2, 0), "f4"))
big = np.array([[1, -np.inf], [np.nan, 2], [3, np.inf], [-0.0, 5]], "f4")
at = np.array([1, 2, 1, 1], "i4")
def segments(f, none): return np.stack([np.full(2, none, "f4"), f(big[[0, 2, 3]]), big[1]])
with np.errstate(all="ignore"):
    row("segment_max(x, at, 3)", segments(lambda v: v.max(0), -np.inf), x=big, at=at)
    row("segment_min(x, at, 3)", segments(lambda v: v.min(0), np.inf), x=big, at=at)
    row("segment_prod(x, at, 3)", segments(lambda v: v.prod(0), 1), x=big, at=at)
    row("scatter_set(x, at, u)", np.array([[0, 0], [-0.0, 5], [np.nan, 2]], "f4"), x=np.zeros((3, 2), "f4"), at=at, u=big)
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
        if kind == "int64_t": 
            v = int(v) - 2**64 if int(v) >= 2**63 else int(v) # u64 by its bits
            return "INT64_MIN" if v == -2**63 else str(v)
        v = float(v)
        return "NAN" if v != v else ("-" if v < 0 else "") + "INFINITY" if math.isinf(v) else re.sub(r"\.?0*p", "p", v.hex()) if v != int(v) or abs(v) > 1e6 else repr(v)
    text = (kind, ", ".join(map(number, a.ravel())) or "0")
    if text not in lists: lists[text] = f"d{len(lists)}"
    return lists[text]
def tensor(name, a):
    dims = ", ".join(map(str, a.shape)) or "0"
    return f'{{"{name}", "{name_of(a) if isinstance(a, Bf16) or a.dtype.type in TYPES.values() else "i64"}", {a.ndim}, {{{dims}}}, {data(a)}}}'

rows = []
for expr, inputs, want in ROWS:
    ins = ", ".join(tensor(n, a) for n, a in inputs.items())
    rows.append(f'    {{"{expr}", {len(inputs)}, {{{ins}}}, {tensor("r", want)}}},')
print("/* Made by special.py: numbers, then expression, inputs and result of each row. */")
for (kind, text), name in lists.items(): print(f"static const {kind} {name}[] = {{{text}}};")
print("static const Row rows[] = {")
print("\n".join(rows))
print("};")
