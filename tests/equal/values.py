#!/usr/bin/env python3
"""Writes values.h: what every op gives on small inputs, worked out here in plain Python, independently of dtg.
Inputs follow the formulas of `value` below, which values.c repeats. Run it after changing a row."""
import cmath, functools, itertools, math, re

def value(kind, k, i):
    """Element i of input k."""
    if kind == "+": return 0.5 + (i * 7 + k * 3) % 11 / 4
    if kind == "b": return (i * 3 + i // 2 + k) % 2
    if kind.startswith("%"): return (i * 5 + k) % int(kind[1:])
    return (i * 7 + k * 3) % 11 - 4 if kind == "i" else ((i * 7 + k * 3) % 11 - 4) / 2

class T:
    def __init__(s, shape, data): s.shape, s.data = tuple(shape), list(data)
    def __getitem__(s, ix):
        at = 0
        for n, i in zip(s.shape, ix): at = at * n + i
        return s.data[at]

def points(shape): return itertools.product(*[range(n) for n in shape])
def make(shape, f): return T(shape, [f(*p) for p in points(shape)])
def like(f): return lambda *t: make(t[0].shape, lambda *p: f(*[x[bc(x, p)] for x in t]))
def bc(x, p):  # NumPy's broadcasting
    p = p[len(p) - len(x.shape):]
    return tuple(0 if n == 1 else i for n, i in zip(x.shape, p))
def over(f, axis):
    def run(x):
        shape = [n for d, n in enumerate(x.shape) if d != axis]
        return make(shape, lambda *p: f([x[p[:axis] + (i,) + p[axis:]] for i in range(x.shape[axis])]))
    return run
def sums(z, n, sign): return [sum(a * cmath.exp(sign * 2j * math.pi * (j * k % n) / n) for j, a in enumerate(z)) for k in range(n)]
def apart(z): return [v for a in z for v in (a.real, a.imag)]
def joined(x): return [complex(a, c) for a, c in zip(x.data[::2], x.data[1::2])]
def of_pairs(shape, e):  # an expression of w, complex numbers read from pairs and given back as pairs
    e = re.sub(r"\bw\b", "complex(z[..., 0], z[..., 1])", e)
    return f"{shape} z: stack([real({e}), imag({e})], -1)"
def whole(z, n):  # all frequencies of n real numbers
    z = [a.real if 2 * k % n == 0 else a for k, a in enumerate(z)]
    return z + [z[n - k].conjugate() for k in range(len(z), n)]
def transform(sign, by=1): return lambda z: T(z.shape, apart([by * a for a in sums(joined(z), z.shape[0], sign)]))
def sums2(z, n, m, sign):
    z = [sums(z[i * m:i * m + m], m, sign) for i in range(n)]
    z = [sums([r[j] for r in z], n, sign) for j in range(m)]
    return [z[j][i] for i in range(n) for j in range(m)]
def lse(v): return math.log(sum(math.exp(a) for a in v))
def sign(a): return (a > 0) - (a < 0)
def sigmoid(a): return 1 / (1 + math.exp(-a))
def rows(f): return lambda x, *r: make(x.shape, lambda i, j: f([x[i, q] for q in range(x.shape[1])])[j])
def floordiv(a, b): return 0 if b == 0 else a // b
def mod(a, b): return 0 if b == 0 else a - b * (a // b)
def trunc(a): return int(a)
def polygamma(n, x):  # by steps up to 40, then Euler and Maclaurin's first terms
    s = n + 1
    z, y = 0, x
    while y < 40: z, y = z + y ** -s, y + 1
    z += y ** (1 - s) / (s - 1) + y ** -s / 2 + s * y ** (-s - 1) / 12
    z -= s * (s + 1) * (s + 2) * y ** (-s - 3) / 720
    z += s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * y ** (-s - 5) / 30240
    return (-1) ** (n + 1) * math.factorial(n) * z
def digamma(x):
    r = 0
    while x < 40: r, x = r - 1 / x, x + 1
    return r + math.log(x) - 1 / (2 * x) - 1 / (12 * x ** 2) + 1 / (120 * x ** 4) - 1 / (252 * x ** 6)
def erfinv(a):  # Newton's steps from 0
    y = 0.0
    for _ in range(60): y -= (math.erf(y) - a) * math.sqrt(math.pi) / 2 * math.exp(y * y)
    return y
def bits(v, n=32): return v & (2 ** n - 1)
def signed(v, n=32): return (v + 2 ** (n - 1)) % 2 ** n - 2 ** (n - 1)
def moments(v, ddof): return sum((a - sum(v) / len(v)) ** 2 for a in v) / (len(v) - ddof)
def quantile(v, q):
    v, at = sorted(v), q * (len(v) - 1)
    return v[int(at)] + (v[min(int(at) + 1, len(v) - 1)] - v[int(at)]) * (at - int(at))
def grid(x): return [[x[i, j] for j in range(x.shape[1])] for i in range(x.shape[0])]
def flat(m): return T((len(m), len(m[0])), [v for r in m for v in r])
def unit(n): return [[float(i == j) for j in range(n)] for i in range(n)]
def turn(m): return [list(c) for c in zip(*m)]
def prod(x, y): return [[sum(a * b for a, b in zip(r, c)) for c in zip(*y)] for r in x]
def plus(m, d): return [[v + d * (i == j) for j, v in enumerate(r)] for i, r in enumerate(m)]
def eliminated(a, y):  # by rows, with the largest pivot: U, what y became, the sign of the exchanges
    a, y, s = [r[:] for r in a], [r[:] for r in y], 1
    for k in range(len(a)):
        p = max(range(k, len(a)), key=lambda i: abs(a[i][k]))
        if p != k: a[k], a[p], y[k], y[p], s = a[p], a[k], y[p], y[k], -s
        for i in range(k + 1, len(a)):
            f = a[i][k] / a[k][k]
            a[i], y[i] = [u - f * v for u, v in zip(a[i], a[k])], [u - f * v for u, v in zip(y[i], y[k])]
    return a, y, s
def backward(u, y):  # solves an upper triangle
    x = [None] * len(u)
    for i in reversed(range(len(u))):
        x[i] = [(v - sum(u[i][j] * x[j][c] for j in range(i + 1, len(u)))) / u[i][i] for c, v in enumerate(y[i])]
    return x
def solved(a, y):
    u, y, _ = eliminated(a, y)
    return backward(u, y)
def determinant(a):
    u, _, s = eliminated(a, a)
    return s * math.prod(u[i][i] for i in range(len(u)))
def cholesky(a):
    l = [[0.0] * len(a) for _ in a]
    for i in range(len(a)):
        for j in range(i + 1):
            v = a[i][j] - sum(l[i][k] * l[j][k] for k in range(j))
            l[i][j] = math.sqrt(v) if i == j else v / l[j][j]
    return l
def eigenvalues(a):  # Jacobi's turns
    a = [r[:] for r in a]
    for _ in range(60):
        for p in range(len(a)):
            for q in range(p):
                if abs(a[p][q]) < 1e-300: continue
                t = math.atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2
                c, s, r = math.cos(t), math.sin(t), unit(len(a))
                r[p][p] = r[q][q] = c
                r[p][q], r[q][p] = s, -s
                a = prod(turn(r), prod(a, r))
    return sorted(a[i][i] for i in range(len(a)))
def running(f): return lambda v: list(itertools.accumulate(v, f))
def resize1(v, m, kind):
    n = len(v)
    at = lambda i: v[min(max(i, 0), n - 1)]
    keys = lambda d: 1.5 * d ** 3 - 2.5 * d ** 2 + 1 if d < 1 else -0.5 * d ** 3 + 2.5 * d ** 2 - 4 * d + 2 if d < 2 else 0
    out = []
    for o in range(m):
        p = (o + 0.5) * n / m - 0.5
        i = math.floor(p)
        if kind == "nearest": out.append(at(math.floor((o + 0.5) * n / m)))
        elif kind == "linear": out.append(at(i) * (1 - (p - i)) + at(i + 1) * (p - i))
        else: out.append(sum(at(k) * keys(abs(p - k)) for k in range(i - 1, i + 3)))
    return out
def smoothed1(v, m, kind):
    n, out = len(v), []
    keys = lambda d: 1.5 * d ** 3 - 2.5 * d ** 2 + 1 if d < 1 else -0.5 * d ** 3 + 2.5 * d ** 2 - 4 * d + 2 if d < 2 else 0
    for o in range(m):
        w = [(keys if kind == "cubic" else lambda d: max(0, 1 - d))(abs(j + 0.5 - (o + 0.5) * n / m) * m / n) for j in range(n)]
        out.append(sum(a * b for a, b in zip(v, w)) / sum(w))
    return out
def windows(x, size, stride, pad, f, none):
    out = [(n + 2 * p - k) // s + 1 for n, k, s, p in zip(x.shape, size, stride, pad)]
    def at(*q):
        vals = []
        for o in points(size):
            i = tuple(a * s + b - p for a, s, b, p in zip(q, stride, o, pad))
            vals.append(x[i] if all(0 <= a < n for a, n in zip(i, x.shape)) else none)
        return f(vals)
    return make(out, at)
def counts(x, n, w=None):
    r = [0] * n
    for i, c in enumerate(x.data): r[c] += w.data[i] if w else 1
    return T((n,), r)
def scatter(t, ix, u, f=lambda a, b: a + b):
    out = T(t.shape, t.data)
    for n, i in enumerate(ix.data):
        for j in range(t.shape[1]): out.data[i * t.shape[1] + j] = f(out.data[i * t.shape[1] + j], u[n, j])
    return out
def last(a, b): return b
def segments(f, none):
    def run(x, at):
        rows = lambda s, j: [x[i, j] for i in range(x.shape[0]) if at[i,] == s]
        return make((4, x.shape[1]), lambda s, j: f(rows(s, j)) if rows(s, j) else none)
    return run
def windowed(f):  # [2, 4, 5] at lists of windows of [2, 3], behind a batch
    def run(t, ix, u):
        out = T(t.shape, t.data)
        for b, k, i, j in points((2, 3, 2, 3)):
            at = (b * 4 + ix[b, k, 0] + i) * 5 + ix[b, k, 1] + j
            out.data[at] = f(out.data[at], u[b, k, i, j])
        return out
    return run
def same(n, k, st, d=1):  # padding before, and the result's size
    out = -(-n // st)
    return max((out - 1) * st + (k - 1) * d + 1 - n, 0) // 2, out
def conv2(x, w, st=1, d=1, g=1):  # "same"
    (b, h, v, _), (kh, kv, ci, o) = x.shape, w.shape
    (ph, oh), (pv, ov) = same(h, kh, st, d), same(v, kv, st, d)
    def at(n, i, j, f):
        r = 0
        for a, c, q in points((kh, kv, ci)):
            y, z = i * st + a * d - ph, j * st + c * d - pv
            if 0 <= y < h and 0 <= z < v: r += x[n, y, z, f // (o // g) * ci + q] * w[a, c, q, f]
        return r
    return make((b, oh, ov, o), at)
def conv2t(y, w, st):  # "same": each element of y spreads over the large side
    (b, h, v, o), (kh, kv, ci, _) = y.shape, w.shape
    ph, pv = same(h * st, kh, st)[0], same(v * st, kv, st)[0]
    def at(n, i, j, q):
        r = 0
        for a, c, f in points((kh, kv, o)):
            for p, s in points((h, v)):
                if p * st + a - ph == i and s * st + c - pv == j: r += y[n, p, s, f] * w[a, c, q, f]
        return r
    return make((b, h * st, v * st, ci), at)
def pool1(x, k, st, f, pad):
    before, out = same(x.shape[1], k, st) if pad else (0, (x.shape[1] - k) // st + 1)
    return make((x.shape[0], out, x.shape[2]), lambda n, i, c: f(
        [x[n, i * st + a - before, c] for a in range(k) if 0 <= i * st + a - before < x.shape[1]]))
def ce(x, t): return make(x.shape[:1], lambda i: -sum(t[i, j] * (x[i, j] - lse([x[i, q] for q in range(x.shape[1])]))
                                                     for j in range(x.shape[1])))
def sce(x, l): return make(x.shape[:1], lambda i: lse([x[i, q] for q in range(x.shape[1])]) - x[i, l[i,]])

def along(f, axis):  # f of each line, which may change its length
    def run(x, *r):
        lines = {p: f([x[p[:axis] + (i,) + p[axis:]] for i in range(x.shape[axis])], *[
                     [t[p[:axis] + (i,) + p[axis:]] for i in range(t.shape[axis])] for t in r])
                 for p in points([n for d, n in enumerate(x.shape) if d != axis])}
        n = len(next(iter(lines.values())))
        return make(x.shape[:axis] + (n,) + x.shape[axis + 1:], lambda *p: lines[p[:axis] + p[axis + 1:]][p[axis]])
    return run
def order(v, down=False): return sorted(range(len(v)), key=lambda i: (-v[i] if down else v[i], i))
def before(v): return [sum(v[:i]) for i in range(len(v))]

M = "f64[2, 3] x, f64[3] y"
X = "f64[2, 3] x"
P = "f64[2, 3] x+"
I = "i32[4, 3] x, i32[3] y"
CASES = [
    ("add", M + ": x + y", like(lambda a, b: a + b)), ("sub", M + ": x - y", like(lambda a, b: a - b)),
    ("mul", "f64[2, 3] x, f64[2, 1] y: x * y", like(lambda a, b: a * b)),
    ("div", "f64[2, 3] x, f64[3] y+: x / y", like(lambda a, b: a / b)),
    ("floordiv", "i32[4, 3] x, i32[3] y: x // y", like(floordiv)), ("mod", "i32[4, 3] x, i32[3] y: x % y", like(mod)),
    ("mod", "f64[4, 3] x, f64[3] y+: x % y", like(mod)), ("pow", "f64[2, 3] x+, f64[3] y: x ** y", like(lambda a, b: a ** b)),
    ("min", M + ": min(x, y)", like(min)), ("max", M + ": max(x, y)", like(max)),
    ("eq", M + ": x == y", like(lambda a, b: a == b)), ("ne", M + ": x != y", like(lambda a, b: a != b)),
    ("lt", M + ": x < y", like(lambda a, b: a < b)), ("le", M + ": x <= y", like(lambda a, b: a <= b)),
    ("gt", M + ": x > y", like(lambda a, b: a > b)), ("ge", M + ": x >= y", like(lambda a, b: a >= b)),
    ("and", "bool[2, 3] x, bool[3] y: x and y", like(lambda a, b: a and b)),
    ("or", "bool[2, 3] x, bool[3] y: x or y", like(lambda a, b: a or b)),
    ("not", "bool[2, 3] x: not x", like(lambda a: not a)),
    ("where", "bool[2, 3] c, f64[2, 3] x, f64[3] y: where(c, x, y)", like(lambda c, a, b: a if c else b)),
    ("clamp", X + ": clamp(x, -1, 0.75)", like(lambda a: min(max(a, -1), 0.75))),
    ("neg", X + ": -x", like(lambda a: -a)), ("abs", X + ": abs(x)", like(abs)), ("sign", X + ": sign(x)", like(sign)),
    ("exp", X + ": exp(x)", like(math.exp)), ("expm1", X + ": expm1(x)", like(math.expm1)),
    ("log", P + ": log(x)", like(math.log)), ("log1p", P + ": log1p(x)", like(math.log1p)),
    ("sqrt", P + ": sqrt(x)", like(math.sqrt)), ("rsqrt", P + ": rsqrt(x)", like(lambda a: 1 / math.sqrt(a))),
    ("tanh", X + ": tanh(x)", like(math.tanh)), ("sigmoid", X + ": sigmoid(x)", like(sigmoid)),
    ("erf", X + ": erf(x)", like(math.erf)), ("sin", X + ": sin(x)", like(math.sin)), ("cos", X + ": cos(x)", like(math.cos)),
    ("tan", X + ": tan(x)", like(math.tan)), ("asin", X + ": asin(x / 4)", like(lambda a: math.asin(a / 4))),
    ("acos", X + ": acos(x / 4)", like(lambda a: math.acos(a / 4))), ("atan", X + ": atan(x)", like(math.atan)),
    ("atan2", M + ": atan2(x, y)", like(math.atan2)), ("sinh", X + ": sinh(x)", like(math.sinh)), ("cosh", X + ": cosh(x)", like(math.cosh)),
    ("asinh", X + ": asinh(x)", like(math.asinh)), ("acosh", P + ": acosh(x + 1)", like(lambda a: math.acosh(a + 1))),
    ("atanh", X + ": atanh(x / 4)", like(lambda a: math.atanh(a / 4))), ("exp2", X + ": exp2(x)", like(lambda a: 2 ** a)),
    ("log2", P + ": log2(x)", like(math.log2)), ("log10", P + ": log10(x)", like(math.log10)),
    ("cbrt", X + ": cbrt(x)", like(lambda a: math.copysign(abs(a) ** (1 / 3), a))), ("erfc", X + ": erfc(x)", like(math.erfc)),
    ("erfinv", X + ": erfinv(x / 4)", like(lambda a: erfinv(a / 4))), ("lgamma", P + ": lgamma(x)", like(math.lgamma)),
    ("digamma", P + ": digamma(x)", like(digamma)), ("polygamma", P + ": polygamma(2, x)", like(lambda a: polygamma(2, a))),
    ("trunc", "f64[11] x: trunc(x)", like(trunc)), ("frac", "f64[11] x: frac(x)", like(lambda a: a - trunc(a))),
    ("isnan", X + ": isnan(x / (x - 3) * 0)", like(lambda a: a == 3)), ("isinf", X + ": isinf(x / (x - 3))", like(lambda a: a == 3)),
    ("isfinite", X + ": isfinite(x / (x - 3))", like(lambda a: a != 3)), ("hypot", M + ": hypot(x, y)", like(math.hypot)),
    ("logaddexp", M + ": logaddexp(x, y)", like(lambda a, b: lse([a, b]))), ("fmod", "f64[4, 3] x, f64[3] y+: fmod(x, y)", like(math.fmod)),
    ("fmod", "i32[4, 3] x, i32[3] y: fmod(x, y)", like(lambda a, b: 0 if b == 0 else int(math.fmod(a, b)))),
    ("copysign", M + ": copysign(x, y)", like(math.copysign)), ("nextafter", M + ": nextafter(x, y) - x", like(lambda a, b: math.nextafter(a, b) - a)),
    ("bit_and", I + ": bit_and(x, y)", like(lambda a, b: a & b)), ("bit_or", I + ": bit_or(x, y)", like(lambda a, b: a | b)),
    ("bit_xor", I + ": bit_xor(x, y)", like(lambda a, b: a ^ b)), ("bit_not", I + ": bit_not(x) + 0 * y", like(lambda a, b: ~a)),
    ("shift_left", I + ": shift_left(x, y + 4)", like(lambda a, b: signed(a << (b + 4)))),
    ("shift_right", I + ": shift_right(x * 1000, y + 4)", like(lambda a, b: (a * 1000) >> (b + 4))),
    ("popcount", I + ": popcount(x) + 0 * y", like(lambda a, b: bin(bits(a)).count("1"))),
    ("clz", I + ": clz(x) + 0 * y", like(lambda a, b: 32 - bits(a).bit_length())),
    ("floor", "f64[11] x: floor(x)", like(math.floor)), ("ceil", "f64[11] x: ceil(x)", like(math.ceil)),
    ("round", "f64[11] x: round(x)", like(round)), ("cast", "f64[11] x: i32(x)", like(trunc)),
    ("stop_gradient", X + ": stop_gradient(x)", like(lambda a: a)),
    ("print", X + ": print(x)", like(lambda a: a)),
    ("matmul", "f64[2, 3] x, f64[3, 4] y: x @ y",
     lambda x, y: make((2, 4), lambda i, j: sum(x[i, k] * y[k, j] for k in range(3)))),
    ("matmul", "f64[2, 2, 3] x, f64[2, 3, 2] y: x @ y",
     lambda x, y: make((2, 2, 2), lambda b, i, j: sum(x[b, i, k] * y[b, k, j] for k in range(3)))),
    ("einsum", "f64[2, 3, 4] x, f64[5, 3] y: einsum(\\\"bik,ji->kbj\\\", x, y)",
     lambda x, y: make((4, 2, 5), lambda k, b, j: sum(x[b, i, k] * y[j, i] for i in range(3)))),
    ("einsum", "f64[2, 3] x, f64[3, 4] y, f64[4, 2] z: einsum(\\\"ij,jk,kl->li\\\", x, y, z)",
     lambda x, y, z: make((2, 2), lambda l, i: sum(x[i, j] * y[j, k] * z[k, l] for j in range(3) for k in range(4)))),
    ("einsum", "f64[2, 1, 2, 3] x, f64[4, 3, 2] y: einsum(\\\"...ij,...jk->...ki\\\", x, y)",
     lambda x, y: make((2, 4, 2, 2), lambda a, b, k, i: sum(x[a, 0, i, j] * y[b, j, k] for j in range(3)))),
    ("einsum", "f64[3, 3] x, f64[3] y: einsum(\\\"ii,j\\\", x, y)", lambda x, y: make((3,), lambda j: sum(x[i, i] for i in range(3)) * y[j,])),
    ("sum", "f64[2, 3, 2] x: sum(x, axis=1)", over(sum, 1)), ("mean", X + ": mean(x, axis=0)", over(lambda v: sum(v) / len(v), 0)),
    ("max", X + ": max(x, axis=1)", over(max, 1)), ("min", X + ": min(x, axis=0)", over(min, 0)),
    ("prod", X + ": prod(x, axis=1)", over(math.prod, 1)),
    ("any", "bool[4, 2] x: any(x, axis=1)", over(any, 1)), ("all", "bool[4, 2] x: all(x, axis=1)", over(all, 1)),
    ("argmax", "f64[3, 13] x: argmax(x, axis=1)", over(lambda v: v.index(max(v)), 1)),
    ("argmin", "f64[3, 13] x: argmin(x, axis=1)", over(lambda v: v.index(min(v)), 1)),
    ("cumsum", "f64[2, 5] x: cumsum(x, axis=1)", along(lambda v: list(itertools.accumulate(v)), 1)),
    ("cumsum", "f64[2, 4, 3] x: cumsum(x, axis=1, exclusive=true)", along(before, 1)),
    ("cumsum", "f64[5, 2] x: cumsum(x, axis=0, reverse=true)", along(lambda v: [sum(v[i:]) for i in range(5)], 0)),
    ("cumsum", "f64[6] x: cumsum(x, reverse=true, exclusive=true)", along(lambda v: [sum(v[i + 1:]) for i in range(6)], 0)),
    ("cumsum", "bool[7] x: cumsum(x)", along(lambda v: list(itertools.accumulate(v)), 0)),
    ("sort", "f64[3, 13] x: sort(x)", along(sorted, 1)),
    ("sort", "i32[13, 2] x: sort(x, axis=0, descending=true)", along(lambda v: sorted(v, reverse=True), 0)),
    ("argsort", "f64[3, 13] x: argsort(x)", along(order, 1)),
    ("argsort", "f64[13, 3] x: argsort(x, axis=0, descending=true)", along(lambda v: order(v, True), 0)),
    ("top_k", "f64[3, 13] x: top_k(x, 4)[0]", along(lambda v: sorted(v, reverse=True)[:4], 1)),
    ("top_k", "f64[13, 3] x: top_k(x, 4, axis=0)[1]", along(lambda v: order(v, True)[:4], 0)),
    ("take_along_axis", "f64[3, 5] x, i32[3, 4] i%5: take_along_axis(x, i)", along(lambda v, i: [v[j] for j in i], 1)),
    ("take_along_axis", "f64[5, 2] x, i32[3, 2] i%5: take_along_axis(x, i, axis=0)", along(lambda v, i: [v[j] for j in i], 0)),
    ("var", X + ": var(x, axis=1)", over(lambda v: moments(v, 0), 1)), ("var", X + ": var(x, axis=0, ddof=1)", over(lambda v: moments(v, 1), 0)),
    ("std", X + ": std(x, axis=1, ddof=1)", over(lambda v: moments(v, 1) ** 0.5, 1)),
    ("norm", X + ": norm(x, axis=1)", over(lambda v: sum(a * a for a in v) ** 0.5, 1)),
    ("norm", X + ": norm(x, axis=0, ord=3)", over(lambda v: sum(abs(a) ** 3 for a in v) ** (1 / 3), 0)),
    ("norm", X + ": norm(x, axis=1, ord=inf)", over(lambda v: max(map(abs, v)), 1)), ("norm", X + ": norm(x, ord=1)", lambda x: T((), [sum(map(abs, x.data))])),
("cholesky", "f64[3, 3] x: cholesky(x @ transpose(x) + 9 * eye(3, dtype=f64))", lambda x: flat(cholesky(plus(prod(grid(x), turn(grid(x))), 9)))),
    ("solve", "f64[3, 3] x, f64[3, 4] y: solve(x, y)", lambda x, y: flat(solved(grid(x), grid(y)))),
    ("solve", "f64[4, 4] x, f64[4] y: solve(x + eye(4, dtype=f64), y)", lambda x, y: T((4,), [r[0] for r in solved(plus(grid(x), 1), [[y[i,]] for i in range(4)])])),
    ("triangular_solve", "f64[3, 3] x, f64[3, 2] y: triangular_solve(x + 9 * eye(3, dtype=f64), y, lower=false)", lambda x, y: flat(backward(plus(grid(x), 9), grid(y)))),
    ("triangular_solve", "f64[3, 3] x, f64[3, 2] y: triangular_solve(x, y, transposed=true, unit=true)", lambda x, y: flat(backward([[x[i, j] if i > j else float(i == j) for i in range(3)] for j in range(3)], grid(y)))),
    ("inv", "f64[3, 3] x: inv(x)", lambda x: flat(solved(grid(x), unit(3)))),
    ("det", "f64[2, 3, 3] x: det(x)", lambda x: T((2,), [determinant([[x[b, i, j] for j in range(3)] for i in range(3)]) for b in range(2)])),
    ("slogdet", "f64[3, 3] x: slogdet(x)[0] * slogdet(x)[1]", lambda x: T((), [math.copysign(math.log(abs(determinant(grid(x)))), determinant(grid(x)))])),
    ("lu", "f64[3, 3] x: lu(x)[2]", lambda x: flat(eliminated(grid(x), grid(x))[0])),
    ("lu", "f64[4, 4] x: lu(x)[0] @ lu(x)[1] @ lu(x)[2]", lambda x: x),
    ("qr", "f64[4, 3] x: abs(qr(x)[1])", lambda x: flat([[abs(v) for v in r] for r in turn(cholesky(prod(turn(grid(x)), grid(x))))])),
    ("qr", "f64[2, 4] x: qr(x)[0] @ qr(x)[1]", lambda x: x),
    ("eigh", "f64[3, 3] x: eigh(x + transpose(x))[1] @ diag(eigh(x + transpose(x))[0]) @ transpose(eigh(x + transpose(x))[1])", lambda x: make((3, 3), lambda i, j: x[i, j] + x[j, i])),
    ("eigvalsh", "f64[4, 4] x: eigvalsh(x @ transpose(x))", lambda x: T((4,), eigenvalues(prod(grid(x), turn(grid(x)))))),
    ("svd", "f64[4, 3] x: svd(x)[1]", lambda x: T((3,), [math.sqrt(v) for v in reversed(eigenvalues(prod(turn(grid(x)), grid(x))))])),
    ("svd", "f64[3, 5] x: (svd(x)[0] * svd(x)[1]) @ svd(x)[2]", lambda x: x),
    ("pinv", "f64[4, 3] x: pinv(x)", lambda x: flat(solved(prod(turn(grid(x)), grid(x)), turn(grid(x))))),
    ("fft", of_pairs("f64[1, 2]", "fft(w)"), transform(-1)),
    ("ifft", of_pairs("f64[1, 2]", "ifft(w)"), transform(1, 1 / 1)),
    ("rfft", "f64[1] x: stack([real(rfft(x)), imag(rfft(x))], -1)", lambda x: T((1, 2), apart(sums(x.data, 1, -1)[:1]))),
    ("irfft", "f64[1, 2] z: irfft(complex(z[..., 0], z[..., 1]), 1)", lambda z: T((1,), [a.real / 1 for a in sums(whole(joined(z), 1), 1, 1)])),
    ("fft", of_pairs("f64[2, 2]", "fft(w)"), transform(-1)),
    ("ifft", of_pairs("f64[2, 2]", "ifft(w)"), transform(1, 1 / 2)),
    ("rfft", "f64[2] x: stack([real(rfft(x)), imag(rfft(x))], -1)", lambda x: T((2, 2), apart(sums(x.data, 2, -1)[:2]))),
    ("irfft", "f64[2, 2] z: irfft(complex(z[..., 0], z[..., 1]), 2)", lambda z: T((2,), [a.real / 2 for a in sums(whole(joined(z), 2), 2, 1)])),
    ("fft", of_pairs("f64[3, 2]", "fft(w)"), transform(-1)),
    ("ifft", of_pairs("f64[3, 2]", "ifft(w)"), transform(1, 1 / 3)),
    ("rfft", "f64[3] x: stack([real(rfft(x)), imag(rfft(x))], -1)", lambda x: T((2, 2), apart(sums(x.data, 3, -1)[:2]))),
    ("irfft", "f64[2, 2] z: irfft(complex(z[..., 0], z[..., 1]), 3)", lambda z: T((3,), [a.real / 3 for a in sums(whole(joined(z), 3), 3, 1)])),
    ("fft", of_pairs("f64[5, 2]", "fft(w)"), transform(-1)),
    ("ifft", of_pairs("f64[5, 2]", "ifft(w)"), transform(1, 1 / 5)),
    ("rfft", "f64[5] x: stack([real(rfft(x)), imag(rfft(x))], -1)", lambda x: T((3, 2), apart(sums(x.data, 5, -1)[:3]))),
    ("irfft", "f64[3, 2] z: irfft(complex(z[..., 0], z[..., 1]), 5)", lambda z: T((5,), [a.real / 5 for a in sums(whole(joined(z), 5), 5, 1)])),
    ("fft", of_pairs("f64[8, 2]", "fft(w)"), transform(-1)),
    ("ifft", of_pairs("f64[8, 2]", "ifft(w)"), transform(1, 1 / 8)),
    ("rfft", "f64[8] x: stack([real(rfft(x)), imag(rfft(x))], -1)", lambda x: T((5, 2), apart(sums(x.data, 8, -1)[:5]))),
    ("irfft", "f64[5, 2] z: irfft(complex(z[..., 0], z[..., 1]), 8)", lambda z: T((8,), [a.real / 8 for a in sums(whole(joined(z), 8), 8, 1)])),
    ("fft", of_pairs("f64[17, 2]", "fft(w)"), transform(-1)),
    ("ifft", of_pairs("f64[17, 2]", "ifft(w)"), transform(1, 1 / 17)),
    ("rfft", "f64[17] x: stack([real(rfft(x)), imag(rfft(x))], -1)", lambda x: T((9, 2), apart(sums(x.data, 17, -1)[:9]))),
    ("irfft", "f64[9, 2] z: irfft(complex(z[..., 0], z[..., 1]), 17)", lambda z: T((17,), [a.real / 17 for a in sums(whole(joined(z), 17), 17, 1)])),
    ("fft2", of_pairs("f64[3, 4, 2]", "fft2(w)"), lambda z: T((3, 4, 2), apart(sums2(joined(z), 3, 4, -1)))),
    ("ifftn", of_pairs("f64[3, 4, 2]", "ifftn(w, axis=[1, 0])"), lambda z: T((3, 4, 2), [v / 12 for v in apart(sums2(joined(z), 3, 4, 1))])),
    ("rfft2", "f64[4, 5] x: irfft2(rfft2(x), 5)", lambda x: x),
    ("rfftn", "f64[4, 5] x: real(rfftn(x))", lambda x: T((4, 3), [sums2(x.data, 4, 5, -1)[i * 5 + j].real for i in range(4) for j in range(3)])),
    ("mul", of_pairs("f64[3, 2]", "w * conj(w + complex(1, 2))"), lambda z: T((3, 2), apart([a * (a + 1 + 2j).conjugate() for a in joined(z)]))),
    ("div", of_pairs("f64[9, 2]", "complex(1, 2) / w + w / complex(-3, f64(2)) + w / complex(f64(0), 2)"), lambda z: T((9, 2), apart([(1 + 2j) / a + a / (-3 + 2j) + a / 2j for a in joined(z)]))),
    ("exp", of_pairs("f64[7, 2]", "exp(w)"), lambda z: T((7, 2), apart([cmath.exp(a) for a in joined(z)]))),
    ("log", of_pairs("f64[7, 2]", "log(w)"), lambda z: T((7, 2), apart([cmath.log(a) for a in joined(z)]))),
    ("sqrt", of_pairs("f64[7, 2]", "sqrt(w)"), lambda z: T((7, 2), apart([cmath.sqrt(a) for a in joined(z)]))),
    ("sin", of_pairs("f64[7, 2]", "sin(w)"), lambda z: T((7, 2), apart([cmath.sin(a) for a in joined(z)]))),
    ("cos", of_pairs("f64[7, 2]", "cos(w)"), lambda z: T((7, 2), apart([cmath.cos(a) for a in joined(z)]))),
    ("tanh", of_pairs("f64[7, 2]", "tanh(w)"), lambda z: T((7, 2), apart([cmath.tanh(a) for a in joined(z)]))),
    ("sinh", of_pairs("f64[7, 2]", "sinh(w)"), lambda z: T((7, 2), apart([cmath.sinh(a) for a in joined(z)]))),
    ("cosh", of_pairs("f64[7, 2]", "cosh(w)"), lambda z: T((7, 2), apart([cmath.cosh(a) for a in joined(z)]))),
    ("pow", of_pairs("f64[5, 2]", "w ** 5 + 1 / w ** 2 + w ** complex(f64(0.5), 1)"), lambda z: T((5, 2), apart([a ** 5 + a ** -2 + cmath.exp((0.5 + 1j) * cmath.log(a)) for a in joined(z)]))),
    ("prod", of_pairs("f64[7, 2]", "prod(w, keepdims=true)"), lambda z: T((1, 2), apart([functools.reduce(lambda a, c: a * c, joined(z))]))),
    ("angle", "f64[5, 2] z: angle(complex(z[:, 0], z[:, 1]))", lambda z: T((5,), [cmath.phase(a) for a in joined(z)])),
    ("abs", "f64[5, 2] z: abs(complex(z[:, 0], z[:, 1]))", lambda z: T((5,), [abs(a) for a in joined(z)])),
    ("complex", "f64[2, 3] x, f64[2, 3] y: stack([real(complex(x, y)), imag(complex(x, y))], -1)", lambda x, y: T((2, 3, 2), [v for a in zip(x.data, y.data) for v in a])), ("complex", "f64[3] x: stack([real(complex(x)), imag(complex(x))], -1)", lambda x: T((3, 2), [v for a in x.data for v in (a, 0)])),
    ("real", "f64[4, 2] z: real(complex(z[:, 0], z[:, 1]))", lambda z: T((4,), z.data[::2])), ("imag", "f64[4, 2] z: imag(complex(z[:, 0], z[:, 1]))", lambda z: T((4,), z.data[1::2])),
    ("conj", of_pairs("f64[4, 2]", "conj(w)"), lambda z: T((4, 2), apart([a.conjugate() for a in joined(z)]))),
    ("ifft2", of_pairs("f64[3, 5, 2]", "ifft2(w)"), lambda z: T((3, 5, 2), apart([a / 15 for a in sums2(joined(z), 3, 5, 1)]))),
    ("irfft2", "f64[1, 4, 2] z: irfft2(complex(z[..., 0], z[..., 1]))", lambda z: T((1, 6), [a.real / 6 for a in sums(whole(joined(z), 6), 6, 1)])),
    ("irfftn", "f64[4, 1, 2] z: irfftn(complex(z[..., 0], z[..., 1]), 7, axis=[1, 0])", lambda z: T((7, 1), [a.real / 7 for a in sums(whole(joined(z), 7), 7, 1)])),
    ("fftn", of_pairs("f64[3, 5, 2]", "fftn(w)"), lambda z: T((3, 5, 2), apart(sums2(joined(z), 3, 5, -1)))),
    ("median", "f64[3, 13] x: median(x, axis=1)", over(lambda v: quantile(v, 0.5), 1)), ("median", "f64[4, 3] x: median(x, axis=0)", over(lambda v: quantile(v, 0.5), 0)),
    ("quantile", "f64[3, 7] x: quantile(x, 0.8, axis=1)", over(lambda v: quantile(v, 0.8), 1)),
    ("quantile", "f64[6] x: quantile(x, [0, 0.25, 1])", lambda x: T((3,), [quantile(x.data, q) for q in (0, 0.25, 1)])),
    ("argtopk", "f64[3, 13] x: argtopk(x, 4)", along(lambda v: order(v, True)[:4], 1)),
    ("cumprod", "f64[2, 5] x: cumprod(x, axis=1)", along(running(lambda a, c: a * c), 1)),
    ("cumprod", "f64[6] x+: cumprod(x, reverse=true, exclusive=true)", along(lambda v: [math.prod(v[i + 1:]) for i in range(6)], 0)),
    ("cummax", "f64[2, 9] x: cummax(x, axis=1)", along(running(max), 1)), ("cummin", "i32[7, 2] x: cummin(x, axis=0)", along(running(min), 0)),
    ("cummin", "f64[7] x: cummin(x, reverse=true)", along(lambda v: [min(v[i:]) for i in range(7)], 0)),
    ("sort_by", "f64[3, 5] x, f64[3, 5] y: sort_by(x, [y])[1]", along(lambda v, w: [w[i] for i in order(v)], 1)),
    ("sort_by", "i32[3, 9] x%3, f64[3, 9] y, f64[3, 9] z+: sort_by([x, y], [z])[2]", along(lambda u, v, w: [w[i] for i in sorted(range(9), key=lambda i: (u[i], v[i]))], 1)),
    ("sort_by", "i32[9, 2] x%2, i32[9, 2] y%3, f64[9, 2] z: sort_by([x, y], z, axis=0, descending=[true, false])[2]",
     along(lambda u, v, w: [w[i] for i in sorted(range(9), key=lambda i: (-u[i], v[i], i))], 0)),
    ("searchsorted", "f64[7] s, f64[9] x: searchsorted(sort(s), x)", lambda s, x: make(x.shape, lambda i: sum(a < x[i,] for a in s.data))),
    ("searchsorted", "f64[7] s, f64[9] x: searchsorted(sort(s), x, side=\\\"right\\\")", lambda s, x: make(x.shape, lambda i: sum(a <= x[i,] for a in s.data))),
    ("segment_sum", "f64[6, 2] x, i32[6] s%4: segment_sum(x, s, 4)", lambda x, s: make((4, 2), lambda k, j: sum(x[i, j] for i in range(6) if s[i,] == k))),
    ("bincount", "i32[11] x%5: bincount(x, 6)", lambda x: counts(x, 6)), ("bincount", "i32[11] x%5, f64[11] w: bincount(x, 5, w)", lambda x, w: counts(x, 5, w)),
    ("histogram", "f64[11] x: histogram(x, 4, -1, 3)", lambda x: make((4,), lambda k: sum(-1 <= a <= 3 and min(int(a + 1), 3) == k for a in x.data))),
    ("arange", "i32[4] x: x + arange(2, 13, 3)", lambda x: make((4,), lambda i: x[i,] + 2 + 3 * i)), ("arange", "f64[3] x: x + arange(1, -0.4, -0.5, f64)", lambda x: make((3,), lambda i: x[i,] + 1 - 0.5 * i)),
    ("linspace", "f64[5] x: x + linspace(-1, 2, 5, f64)", lambda x: make((5,), lambda i: x[i,] - 1 + 0.75 * i)),
    ("eye", "f64[2, 3] x: x + eye(2, 3, f64)", lambda x: make((2, 3), lambda i, j: x[i, j] + (i == j))),
    ("tril", "f64[4, 3] x: tril(x, -1)", lambda x: make((4, 3), lambda i, j: x[i, j] if j - i <= -1 else 0)), ("triu", "f64[4, 3] x: triu(x, 1)", lambda x: make((4, 3), lambda i, j: x[i, j] if j - i >= 1 else 0)),
    ("diag", "f64[4, 6] x: diag(x, 1)", lambda x: make((4,), lambda i: x[i, i + 1])), ("diag", "f64[2, 4, 3] x: diag(x, -1)", lambda x: make((2, 3), lambda n, i: x[n, i + 1, i])),
    ("diag", "f64[3] x: diag(x, -1)", lambda x: make((4, 4), lambda i, j: x[j,] if j == i - 1 else 0)), ("diag", "f64[3] x: diag(x, 2)", lambda x: make((5, 5), lambda i, j: x[i,] if j == i + 2 else 0)),
    ("array", "f64[2, 3] x: x * [[1, 2, 3], [4, 5.5, 6]] + array([0.5, 1, 1], f64)", lambda x: make((2, 3), lambda i, j: x[i, j] * [[1, 2, 3], [4, 5.5, 6]][i][j] + [0.5, 1, 1][j])),
    ("array", "i32[3] x: x + [7, 7, -9]", lambda x: make((3,), lambda i: x[i,] + [7, 7, -9][i])),
    ("tile", "f64[2, 3] x: tile(x, [2, 3])", lambda x: make((4, 9), lambda i, j: x[i % 2, j % 3])), ("tile", "f64[3] x: tile(x, [2, 1])", lambda x: make((2, 3), lambda i, j: x[j,])),
    ("repeat_interleave", "f64[2, 3] x: repeat_interleave(x, 2, axis=1)", lambda x: make((2, 6), lambda i, j: x[i, j // 2])),
    ("meshgrid", "f64[2] x, f64[3] y: meshgrid(x, y)[0] - meshgrid(x, y)[1]", lambda x, y: make((2, 3), lambda i, j: x[i,] - y[j,])),
    ("flip", "f64[4, 3] x: flip(x)", lambda x: make((4, 3), lambda i, j: x[3 - i, 2 - j])),
    ("rot90", "f64[4, 3] x: rot90(x)", lambda x: make((3, 4), lambda i, j: x[j, 2 - i])), ("rot90", "f64[4, 3] x: rot90(x, -1)", lambda x: make((3, 4), lambda i, j: x[3 - j, i])),
    ("rot90", "f64[4, 3] x: rot90(x, 2)", lambda x: make((4, 3), lambda i, j: x[3 - i, 2 - j])),
] + [("resize", "f64[1, 5, 2] x: resize(x, %d, \\\"%s\\\")" % (m, k), along(lambda v, m=m, k=k: resize1(v, m, k), 1)) for m in (3, 8) for k in ("nearest", "linear", "cubic")] + [
    ("resize", "f64[1, 13, 2] x: resize(x, %d, \\\"%s\\\", antialias=true)" % (m, k), along(lambda v, m=m, k=k: smoothed1(v, m, k) if m < 13 else resize1(v, m, k), 1)) for m in (1, 3, 5, 12, 15) for k in ("linear", "cubic")] + [
    ("upsample", "f64[1, 3, 2] x: upsample(x, 3)", along(lambda v: [a for a in v for _ in range(3)], 1)),
    ("upsample", "f64[1, 3, 2] x: upsample(x, 2, \\\"linear\\\")", along(lambda v: resize1(v, 6, "linear"), 1)),
    ("reduce_window", "f64[5, 6] x: reduce_window(x, [2, 3], \\\"sum\\\", stride=[1, 2])", lambda x: windows(x, (2, 3), (1, 2), (0, 0), sum, 0)),
    ("reduce_window", "f64[5, 6] x: reduce_window(x, 3, padding=\\\"same\\\")", lambda x: windows(x, (3, 3), (1, 1), (1, 1), max, -math.inf)),
    ("reduce_window", "i32[7] x: reduce_window(x, 2, \\\"min\\\", padding=[[1, 1]])", lambda x: windows(x, (2,), (1,), (1,), min, 2 ** 31 - 1)),
    ("pixel_shuffle", "f64[1, 2, 3, 8] x: pixel_shuffle(x, 2)", lambda x: make((1, 4, 6, 2), lambda n, i, j, c: x[n, i // 2, j // 2, c * 4 + i % 2 * 2 + j % 2])),
    ("pixel_unshuffle", "f64[1, 4, 2, 2] x: pixel_unshuffle(x, 2)", lambda x: make((1, 2, 1, 8), lambda n, i, j, c: x[n, 2 * i + c // 2 % 2, 2 * j + c % 2, c // 4])),
    ("softmax", X + ": softmax(x)", rows(lambda v: [math.exp(a - lse(v)) for a in v])),
    ("log_softmax", X + ": log_softmax(x)", rows(lambda v: [a - lse(v) for a in v])),
    ("logsumexp", X + ": logsumexp(x)", over(lse, 1)),
    ("softmax_cross_entropy", "f64[2, 3] x, f64[2, 3] t: softmax_cross_entropy(x, t)", ce),
    ("sparse_softmax_cross_entropy", "f64[2, 3] x, i32[2] l%3: sparse_softmax_cross_entropy(x, l)", sce),
    ("reshape", "f64[4, 3] x: reshape(x, [2, 6])", lambda x: T((2, 6), x.data)),
    ("transpose", "f64[2, 3, 4] x: transpose(x, [2, 0, 1])", lambda x: make((4, 2, 3), lambda a, b, c: x[b, c, a])),
    ("broadcast", "f64[3] x: broadcast(x, [2, 3])", lambda x: make((2, 3), lambda i, j: x[j,])),
    ("expand", X + ": expand(x, 1)", lambda x: T((2, 1, 3), x.data)),
    ("squeeze", "f64[2, 1, 3] x: squeeze(x, axis=1)", lambda x: T((2, 3), x.data)),
    ("slice", "f64[7, 3] x: slice(x, [1, 0], [7, 2], [2, 1])", lambda x: make((3, 2), lambda i, j: x[1 + 2 * i, j])),
    ("slice", "f64[7, 3] x: x[-3:, 1]", lambda x: make((3,), lambda i: x[4 + i, 1])),
    ("concat", "f64[2, 3] x, f64[1, 3] y: concat([x, y], axis=0)", lambda x, y: T((3, 3), x.data + y.data)),
    ("stack", "f64[2, 3] x, f64[2, 3] y: stack([x, y], axis=1)",
     lambda x, y: make((2, 2, 3), lambda i, k, j: (x, y)[k][i, j])),
    ("split", "f64[2, 5] x: split(x, [2, 3], axis=1)[1]", lambda x: make((2, 3), lambda i, j: x[i, j + 2])),
    ("pad", "f64[2, 3] x: pad(x, [1, 0], [0, 2])",
     lambda x: make((3, 5), lambda i, j: x[i - 1, j] if i >= 1 and j < 3 else 0)),
    ("reverse", "f64[4, 3] x: reverse(x, axis=0)", lambda x: make((4, 3), lambda i, j: x[3 - i, j])),
    ("roll", "f64[5, 2] x: roll(x, 2, axis=0)", lambda x: make((5, 2), lambda i, j: x[(i - 2) % 5, j])),
    ("gather", "f64[4, 3] t, i32[5] i%4: gather(t, i)", lambda t, i: make((5, 3), lambda a, b: t[i[a,], b])),
    ("gather", "f64[3, 4] t, i32[2, 2] i%4: gather(t, i, axis=1)",
     lambda t, i: make((3, 2, 2), lambda a, b, c: t[a, i[b, c]])),
    ("take", "f64[3, 4] t, i32[5] i%4: take(t, i, axis=1)", lambda t, i: make((3, 5), lambda a, b: t[a, i[b,]])),
    ("scatter_add", "f64[4, 3] t, i32[6] i%4, f64[6, 3] u: scatter_add(t, i, u)", scatter),
    ("scatter_set", "f64[4, 3] t, i32[6] i%4, f64[6, 3] u: scatter_set(t, i, u)", lambda t, i, u: scatter(t, i, u, last)),
    ("scatter_mul", "f64[4, 3] t, i32[6] i%4, f64[6, 3] u: scatter_mul(t, i, u)", lambda t, i, u: scatter(t, i, u, lambda a, b: a * b)),
    ("scatter_max", "f64[4, 3] t, i32[6] i%4, f64[6, 3] u: scatter_max(t, i, u)", lambda t, i, u: scatter(t, i, u, max)),
    ("scatter_min", "i32[4, 3] t, i32[6] i%4, i32[6, 3] u: scatter_min(t, i, u)", lambda t, i, u: scatter(t, i, u, min)),
    ("segment_mean", "f64[6, 3] x, i32[6] at%3: segment_mean(x, at, 4)", segments(lambda v: sum(v) / len(v), 0)),
    ("segment_max", "i32[6, 3] x, i32[6] at%3: segment_max(x, at, 4)", segments(max, -2 ** 31)),
    ("segment_min", "i32[6, 3] x, i32[6] at%3: segment_min(x, at, 4)", segments(min, 2 ** 31 - 1)),
    ("segment_prod", "f64[6, 3] x, i32[6] at%3: segment_prod(x, at, 4)", segments(math.prod, 1)),
    ("gather_nd", "f64[6, 5] t, i32[4, 2] i%4: gather_nd(t, i, window=[3, 2])", lambda t, i: make((4, 3, 2), lambda a, b, c: t[i[a, 0] + b, i[a, 1] + c])),
    *[(f"scatter_nd_{name}", f"f64[2, 4, 5] t, i32[2, 3, 2] i%3, f64[2, 3, 2, 3] u: scatter_nd_{name}(t, i, u, batch=1, window=[2, 3])", windowed(f))
      for name, f in {"set": last, "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "max": max, "min": min}.items()],
    ("one_hot", "i32[5] i%4: one_hot(i, 4)", lambda i: make((5, 4), lambda a, b: i[a,] == b)),
    ("window", "f64[6, 5] x, i32[] i%4, i32[] j%3: window(x, [i, j], [3, 3])", lambda x, i, j: make((3, 3), lambda a, b: x[i[()] + a, j[()] + b])),
    ("window", "f64[6, 5] x, i32[] j%3: x[1, j + 1 : j - 1 : -1]", lambda x, j: make((2,), lambda a: x[1, j[()] + 1 - a])),
    ("put_window", "f64[6, 5] x, i32[] i%4, i32[] j%3, f64[3, 3] v: put_window(x, [i, j], v)",
     lambda x, i, j, v: make((6, 5), lambda a, b: v[a - i[()], b - j[()]] if 0 <= a - i[()] < 3 and 0 <= b - j[()] < 3 else x[a, b])),
    ("gather_nd", "f64[6, 5] t, i32[4, 2] i%5: gather_nd(t, i)", lambda t, i: make((4,), lambda a: t[i[a, 0], i[a, 1]])),
    ("gather_nd", "f64[2, 4, 3] t, i32[2, 3, 1] i%4: gather_nd(t, i, batch=1)", lambda t, i: make((2, 3, 3), lambda a, b, c: t[a, i[a, b, 0], c])),
    ("scatter_nd_add", "f64[6, 5] t, i32[4, 2] i%5, f64[4] u: scatter_nd_add(t, i, u)",
     lambda t, i, u: make((6, 5), lambda a, b: t[a, b] + sum(u[k,] for k in range(4) if (i[k, 0], i[k, 1]) == (a, b)))),
    ("put", "f64[4, 3] x, i64[] i%4, f64[3] v: put(x, i, v)", lambda x, i, v: make((4, 3), lambda a, b: v[b,] if a == i[()] else x[a, b])),
    ("put", "f64[4, 3] x, f64[4] v: put(x, 2, v, axis=1)", lambda x, v: make((4, 3), lambda a, b: v[a,] if b == 2 else x[a, b])),
    ("iota", "f64[3, 4] x: x + f64(iota([3, 4], axis=1))", lambda x: make((3, 4), lambda i, j: x[i, j] + j)),
    ("conv", "f64[1, 5, 4, 2] x, f64[3, 2, 2, 3] w: conv(x, w)", conv2),
    ("conv", "f64[2, 5, 4, 2] x, f64[3, 3, 2, 1] w: conv(x, w, stride=2)", lambda x, w: conv2(x, w, 2)),
    ("conv", "f64[1, 6, 5, 2] x, f64[2, 2, 2, 1] w: conv(x, w, dilation=2)", lambda x, w: conv2(x, w, 1, 2)),
    ("conv", "f64[1, 4, 4, 4] x, f64[2, 2, 2, 6] w: conv(x, w, groups=2)", lambda x, w: conv2(x, w, 1, 1, 2)),
    ("conv", "f64[1, 4, 4, 3] x, f64[3, 3, 1, 3] w: conv(x, w, groups=3)", lambda x, w: conv2(x, w, 1, 1, 3)),
    ("conv", "f64[2, 6, 2] x, f64[3, 2, 2] w: conv(x, w, padding=[[2, 0]])",
     lambda x, w: make((2, 6, 2), lambda n, i, f: sum(
         x[n, i + a - 2, q] * w[a, q, f] for a in range(3) for q in range(2) if i + a >= 2))),
    ("conv", "f64[2, 6, 2] x, f64[3, 2, 2] w: conv(x, w, padding=\\\"wrap\\\", stride=2)",
     lambda x, w: make((2, 3, 2), lambda n, i, f: sum(x[n, (2 * i + a) % 6, q] * w[a, q, f] for a in range(3) for q in range(2)))),
    ("conv_transpose", "f64[1, 3, 2, 3] y, f64[3, 3, 2, 3] w: conv_transpose(y, w, stride=2)",
     lambda y, w: conv2t(y, w, 2)),
    ("max_pool", "f64[2, 7, 2] x: max_pool(x, 2)", lambda x: pool1(x, 2, 2, max, False)),
    ("max_pool", "f64[2, 7, 2] x: max_pool(x, 3, stride=2, padding=\\\"same\\\")", lambda x: pool1(x, 3, 2, max, True)),
    ("avg_pool", "f64[2, 7, 2] x: avg_pool(x, 3, stride=2, padding=\\\"same\\\")",
     lambda x: pool1(x, 3, 2, lambda v: sum(v) / len(v), True)),
    ("zeros", X + ": x + zeros([2, 3], f64)", like(lambda a: a)), ("ones", X + ": x * ones([2, 3], f64)", like(lambda a: a)),
    ("full", X + ": x + full([2, 3], 2.5, f64)", like(lambda a: a + 2.5)),
    ("relayout_like", "f64[2, 3] x, f64[2, 3] y: relayout_like(x, y)", lambda x, y: x),
    # Of one factor, derivatives by hand.
    ("grad", "f64[2, 3] x: grad(sum(x * x * x), x)", like(lambda a: 3 * a * a)),
    ("grad", "f64[2, 3] x, f64[3] y: grad(sum(x * y), y)", lambda x, y: make((3,), lambda j: x[0, j] + x[1, j])),
]

def inputs(example):
    out = []
    for k, (dtype, dims, name, kind) in enumerate(re.findall(r"(\w+)\[([\d, ]*)\] (\w+)(\+|%\d+)?", example.split(": ")[0])):
        shape = [int(n) for n in dims.split(",")] if dims else []
        kind = kind or {"i32": "i", "bool": "b"}.get(dtype, "")
        out.append(T(shape, [value(kind, k, i) for i in range(math.prod(shape))]))
    return out

print("/* Made by values.py: op, case, shape and elements of the result. */")
print("static const Expected expected[] = {")
for op, example, f in CASES:
    r = f(*inputs(example))
    rank = len(r.shape)
    data = ", ".join(repr(float(v)) for v in r.data)
    print(f'    {{"{op}", "{example}", {rank}, {{{", ".join(map(str, r.shape)) or 0}}}, {len(r.data)}, {{{data}}}}},')
print("    {0}};")
