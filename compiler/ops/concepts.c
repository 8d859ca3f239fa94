/* Functions of other libraries that dtg does not have under that name, and how to write them. The
 * front end searches here before it suggests similar names. Each example is compiled by
 * tests/equal/values.c, which also checks that no name is an op's. */
#include "opdefs.h"
#include <string.h>

#define X "f32[4, 6] x: "
#define XP "f32[4, 6] x+: "
#define XY "f32[4, 6] x, f32[4, 6] y: "
#define II "i32[4, 6] x, i32[4, 6] y: "
#define BOOLS "bool[4, 6] x, bool[4, 6] y: "

static const Concept concepts[] = {
    /* elementwise */
    {"complex_mul", XY "real(complex(x, y) * complex(y, x))"},
    {"complex_abs", XY "abs(complex(x, y))"},
    {"arg", XY "angle(complex(x, y))"},
    {"view_as_complex", XY "abs(complex(x, y))"},
    {"nan_to_num", X "where(x == x, x, 0)"},
    {"square", X "x * x"},
    {"power", XY "x ** y"},
    {"reciprocal", X "1 / x"},
    {"logit", XP "log(x / (1 - x))"},
    {"log_sigmoid", X "-logaddexp(-x, 0)"},
    {"logsigmoid", X "-logaddexp(-x, 0)"},
    {"remainder", XY "x % y"},
    {"arctan2", XY "atan2(x, y)"},
    {"arcsin", X "asin(x / 4)"},
    {"arccos", X "acos(x / 4)"},
    {"arctan", X "atan(x)"},
    {"arcsinh", X "asinh(x)"},
    {"arccosh", XP "acosh(x + 1)"},
    {"arctanh", X "atanh(x / 4)"},
    {"gammaln", XP "lgamma(x)"},
    {"bitwise_and", II "bit_and(x, y)"},
    {"bitwise_or", II "bit_or(x, y)"},
    {"bitwise_xor", II "bit_xor(x, y)"},
    {"bitwise_not", II "bit_not(x)"},
    {"invert", II "bit_not(x)"},
    {"left_shift", II "shift_left(x, y)"},
    {"right_shift", II "shift_right(x, y)"},
    {"population_count", II "popcount(x)"},
    {"floor_divide", XY "x // y"},
    {"divide", XY "x / y"},
    {"multiply", XY "x * y"},
    {"subtract", XY "x - y"},
    {"negative", X "-x"},
    {"absolute", X "abs(x)"},
    {"maximum", XY "max(x, y)"},
    {"minimum", XY "min(x, y)"},
    {"clip", X "clamp(x, 0, 1)"},
    {"lerp", XY "x + 0.5 * (y - x)"},
    {"isclose", XY "abs(x - y) <= 1e-8 + 1e-5 * abs(y)"},
    {"allclose", XY "all(abs(x - y) <= 1e-8 + 1e-5 * abs(y))"},
    {"logical_and", BOOLS "x and y"},
    {"logical_or", BOOLS "x or y"},
    {"logical_not", "bool[4, 6] x: not x"},
    {"logical_xor", BOOLS "x != y"},
    {"xor", BOOLS "x != y"},
    {"masked_fill", "f32[4, 6] x, bool[4, 6] mask: where(mask, 0, x)"},
    {"detach", X "stop_gradient(x)"},
    {"astype", X "f32(x)"},
    {"float", X "f32(x)"},
    {"double", X "f64(x)"},
    {"int", X "i32(x)"},
    {"half", X "f16(x)"},
    /* reductions */
    {"variance", X "var(x, axis=-1)"},
    {"amax", X "max(x, axis=-1)"},
    {"amin", X "min(x, axis=-1)"},
    {"average", X "mean(x, axis=-1)"},
    {"nansum", X "sum(where(x == x, x, 0), axis=-1)"},
    {"nanmean", X "sum(where(x == x, x, 0), axis=-1) / f32(sum(x == x, axis=-1))"},
    {"count_nonzero", X "sum(x != 0, axis=-1)"},
    {"trace", X "sum(diag(x))"},
    {"log_sum_exp", X "logsumexp(x)"},
    {"argpartition", X "argtopk(x, 3)"},
    {"percentile", X "quantile(x, 0.9)"},
    {"interpolate", "f32[2, 4, 3, 2] x: resize(x, [6, 5])"},
    {"digitize", "f32[6] x, f32[4] y: searchsorted(x, y, side=\"right\")"},
    {"bucketize", "f32[6] x, f32[4] y: searchsorted(x, y)"},
    {"depth_to_space", "f32[2, 3, 2, 8] x: pixel_shuffle(x, 2)"},
    {"space_to_depth", "f32[2, 4, 2, 8] x: pixel_unshuffle(x, 2)"},
    {"topk", X "top_k(x, 3)[0]"},
    /* products */
    {"dot", "f32[6] x, f32[6] y: x @ y"},
    {"inner", "f32[6] x, f32[6] y: x @ y"},
    {"mm", "f32[4, 5] x, f32[5, 6] y: x @ y"},
    {"bmm", "f32[2, 4, 5] x, f32[2, 5, 6] y: x @ y"},
    {"outer", "f32[4] x, f32[6] y: expand(x, 1) * y"},
    {"tensordot", "f32[4, 5] x, f32[5, 6] y: einsum(\"ij,jk->ik\", x, y)"},
    /* shapes */
    {"diagonal", X "diag(x)"},
    {"range", "i32[6] x: x + arange(6)"},
    {"tensor", "f32[2] x: x + array([1, 2.5])"},
    {"constant", "f32[2] x: x + array([1, 2.5])"},
    {"zeros_like", X "zeros(shape(x), dtype(x))"},
    {"ones_like", X "ones(shape(x), dtype(x))"},
    {"full_like", X "full(shape(x), 2, dtype(x))"},
    {"flatten", X "reshape(x, [4 * 6])"},
    {"ravel", X "reshape(x, [4 * 6])"},
    {"view", X "reshape(x, [6, 4])"},
    {"permute", X "transpose(x, [1, 0])"},
    {"swapaxes", X "transpose(x, [1, 0])"},
    {"unsqueeze", X "expand(x, 1)"},
    {"expand_dims", X "expand(x, 1)"},
    {"broadcast_to", "f32[6] x: broadcast(x, [4, 6])"},
    {"concatenate", XY "concat([x, y], axis=0)"},
    {"cat", XY "concat([x, y], axis=0)"},
    {"vstack", XY "concat([x, y], axis=0)"},
    {"hstack", XY "concat([x, y], axis=1)"},
    {"repeat", "f32[6] x: repeat_interleave(x, 2)"},
    {"chunk", X "split(x, 2)[0]"},
    {"index_select", "f32[4, 6] x, i32[3] index%4: gather(x, index)"},
    {"onehot", "i32[4] x%6: one_hot(x, 6)"},
    /* random */
    {"rand", X "x + uniform([4, 6], 0, 1, f32)"},
    {"randn", X "x + normal([4, 6], 0, 1, f32)"},
    {"multinomial", X "categorical(x)"},
    {"shuffle", X "permutation(x)"},
    {"randperm", "i32[7] x: x + permutation(7)"},
    {"trunc_normal", X "x + normal_between([4, 6], -2, 2)"},
};

const Concept *op_concept_at(int i) {
  return i >= 0 && i < (int)(sizeof concepts / sizeof *concepts) ? &concepts[i] : NULL;
}

const char *op_instead(const char *name) {
  for (size_t i = 0; i < sizeof concepts / sizeof *concepts; i++)
    if (!strcmp(concepts[i].name, name)) return strstr(concepts[i].example, ": ") + 2;
  return NULL;
}
