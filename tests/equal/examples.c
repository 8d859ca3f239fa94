/* All cases: the examples of the roll of ops, then corners of the ops whose rule has many. */
#include "examples.h"
#include "op.h"
#include <stdio.h>

typedef struct More {
  const char *op, *example;
} More;

static const More more[] = {
    {"einsum", "f32[3, 4, 5] x, f32[2, 5] y: einsum(\"bik,jk->ibj\", x, y)"},
    {"einsum", "f32[4, 5] x, f32[4, 5] y: einsum(\"ij,ij->\", x, y)"},
    {"einsum", "f32[4] x, f32[5] y: einsum(\"i,j->ji\", x, y)"},
    {"einsum", "f32[4, 3] x, f32[4, 3] y: einsum(\"ij,ij->ij\", x, y)"},
    {"conv", "f32[2, 9, 8, 4] x, f32[3, 3, 4, 6] w: conv(x, w, stride=2)"},
    {"conv", "f32[2, 9, 8, 4] x, f32[3, 3, 4, 6] w: conv(x, w, padding=\"valid\")"},
    {"conv", "f32[2, 9, 8, 4] x, f32[3, 2, 2, 6] w: conv(x, w, dilation=2, groups=2)"},
    {"conv", "f32[2, 9, 8, 4] x, f32[3, 3, 1, 4] w: conv(x, w, groups=4)"},
    {"conv", "f32[3, 11, 4] x, f32[7, 4, 2] w: conv(x, w)"},
    {"conv", "f32[2, 4, 5, 3, 2] x, f32[2, 3, 3, 2, 3] w: conv(x, w)"},
    {"conv", "f32[2, 6, 6, 2] x, f32[5, 5, 2, 2] w: conv(x, w, padding=[[4, 1], [0, 3]])"},
    {"conv_transpose",
     "f32[2, 4, 5, 3] y, f32[3, 3, 2, 3] w: conv_transpose(y, w, padding=\"valid\")"},
    {"conv_transpose", "f32[2, 5, 3] y, f32[4, 2, 3] w: conv_transpose(y, w, stride=3)"},
    {"max_pool", "f32[2, 9, 8, 3] x: max_pool(x, 3, stride=2, padding=\"same\")"},
    {"max_pool", "f32[2, 9, 8, 3] x: max_pool(x, [2, 3])"},
    {"avg_pool", "f32[2, 9, 8, 3] x: avg_pool(x, 2, stride=1)"},
    {"matmul", "f32[3, 4, 5] x, f32[3, 5, 2] y: x @ y"},
    {"matmul", "f32[3, 4, 5] x, f32[5, 2] y: x @ y"},
    {"matmul", "f32[7, 5] x, f32[7, 6] y: transpose(x) @ y"},
    {"matmul", "f32[7, 5] x, f32[6, 5] y: x @ transpose(y)"},
    {"matmul", "f32[7, 5] x, f32[5] y: x @ y"},
    {"matmul", "f32[7, 5] x, f32[5, 4] w, f32[4] b: max(x @ w + b, 0)"},
    {"matmul", "f32[3, 5] x, f32[5, 4] w, f32[4, 6] v: (x @ w) @ v"},
    {"sum", "f32[4, 6] x: sum(x)"},
    {"sum", "f32[3, 4, 5] x: sum(x, axis=[0, 2])"},
    {"sum", "f32[3, 4, 5] x: sum(x, axis=1, keepdims=true)"},
    {"sum", "f32[4, 6] x, f32[4, 6] y: sum(x, axis=0) - sum(y, axis=0)"},
    {"sum", "f32[4, 6] x: reshape(sum(x, axis=0), [2, 3])"},
    {"sum", "f32[4, 6] x: sum(x, axis=0)[1:5:2]"},
    {"sum", "f32[4, 6] x: x - sum(x, axis=1, keepdims=true)"},
    {"sum", "f32[4, 6] x, f32[5, 6] y: concat([sum(x, axis=0), sum(y, axis=0)])"},
    {"sum", "f32[8, 6] x: -2 * sum(x, axis=0) + 1"},
    {"mean", "f32[7, 5] x: mean(x)"},
    {"reduce_max", "f32[7, 5] x: max(x, axis=[0, 1])"},
    {"reduce_max", "f32[7, 5] x: -max(x, axis=0)"},
    {"reduce_min", "f32[7, 5] x: min(x, axis=1, keepdims=true)"},
    {"prod", "f32[7, 5] x: prod(x, axis=0)"},
    {"argmax", "f32[7, 5] x: argmax(x, axis=0)"},
    {"argmin", "f32[3, 7, 2] x: argmin(x, axis=1)"},
    {"any", "bool[7, 5] x: any(x, axis=0)"},
    {"all", "bool[2, 5] x: all(x)"},
    {"argmax", "f32[5, 40] x: argmax(x, axis=1)"},
    {"argmin", "f32[40] x: argmin(x)"},
    {"argmax", "f32[3, 40, 2] x: argmax(x * 2, axis=1, keepdims=true)"},
    {"cumsum", "f32[41] x: cumsum(x)"},
    {"cumsum", "f32[3, 40] x: cumsum(x, axis=1, reverse=true)"},
    {"cumsum", "f32[41, 3] x: cumsum(x, axis=0, exclusive=true)"},
    {"cumsum", "f32[2, 23, 5] x: cumsum(x, axis=1, reverse=true, exclusive=true)"},
    {"cumsum", "f32[2, 7] x, f32[3, 7] y: cumsum(concat([x, y]), axis=0)"},
    {"cumsum", "f32[7, 5] x: cumsum(reshape(x, [35]))"},
    {"cumsum", "f32[4, 6] x: cumsum(sum(x, axis=0), axis=0)"},
    {"cumsum", "f32[7, 5] x: cumsum(cumsum(x, axis=0), axis=1)"},
    {"cumsum", "f32[1, 5] x: cumsum(x, axis=0)"},
    {"top_k", "f32[100] x: top_k(x, 5)[1]"},
    {"top_k", "f32[3, 50] x: top_k(x, 2)[0]"},
    {"top_k", "f32[50, 3] x: top_k(x, 3, axis=0)[1]"},
    {"top_k", "f32[2, 73, 3] x: top_k(x, 4, axis=1)[0]"},
    {"top_k", "f32[60, 2] x: top_k(reshape(x, [120]), 3)[1]"},
    {"top_k", "f32[7, 5] x: top_k(x, 5)[1]"},
    {"sort", "f32[33] x: sort(x, descending=true)"},
    {"sort", "f32[3, 7, 2] x: sort(x, axis=1)"},
    {"argsort", "f32[7, 5] x: argsort(x, descending=true)"},
    {"argsort", "f32[2, 9] x: argsort(argsort(x))"},
    {"take_along_axis", "f32[7, 5] x, i32[3, 5] i%7: take_along_axis(x, i, axis=0)"},
    {"take_along_axis", "f32[3, 7, 2] x, i32[3, 4, 2] i%7: take_along_axis(x * 2, i, axis=1)"},
    {"softmax", "f32[7, 5] x: softmax(x, axis=0)"},
    {"logsumexp", "f32[3, 4, 5] x: logsumexp(x, axis=1)"},
    {"reshape", "f32[4, 6] x: reshape(x, [24])"},
    {"reshape", "f32[4, 6] x: reshape(x, [6, 4])"},
    {"reshape", "f32[4, 6] x: reshape(x, [8, 3])"},
    {"reshape", "f32[5, 3] x: reshape(x, [3, 5])"},
    {"reshape", "f32[2, 3, 4] x: reshape(x, [6, 4])"},
    {"reshape", "f32[2, 3, 4] x: reshape(x, [2, 12])"},
    {"reshape", "f32[12, 5] x: reshape(x, [3, 4, 5])"},
    {"reshape", "f32[12] x: reshape(x, [2, 1, 3, 2])"},
    {"reshape", "f32[3, 7] x: reshape(reshape(x, [21]) * 2, [7, 3])"},
    {"reshape", "f32[1, 1] x: reshape(x, [1])"},
    {"transpose", "f32[7, 5] x: transpose(x)"},
    {"transpose", "f32[2, 3, 4, 5] x: transpose(x, [3, 1, 0, 2])"},
    {"transpose", "f32[2, 3, 4] x: reshape(transpose(x, [2, 1, 0]), [4, 6])"},
    {"broadcast", "f32[5, 1] x: broadcast(x, [5, 7])"},
    {"broadcast", "f32[1, 5, 1] x: broadcast(x, [3, 2, 5, 4])"},
    {"add", "f32[7, 1] x, f32[1, 5] y: x + y"},
    {"add", "f32[7] x, f32[] y: x + y"},
    {"mul", "f32[4, 6] x: x * x + 3"},
    {"pow", "f32[4, 6] x+: x ** 2.5"},
    {"slice", "f32[9, 6] x: x[::2]"},
    {"slice", "f32[9, 6] x: x[1:8:3, 2:5]"},
    {"slice", "f32[9, 6] x: x[:, 3]"},
    {"slice", "f32[9, 6] x: x[-2]"},
    {"slice", "f32[9, 6] x: x[7:9] + x[0:2]"},
    {"slice", "f32[9, 6] x: x[1:] - x[:-1]"},
    {"slice", "f32[9, 6] x: x[4:4]"},
    {"pad", "f32[4, 6] x: pad(x, [3, 0], [0, 5])"},
    {"pad", "f32[4, 6] x: pad(x, [2, 1], [2, 1])[1:7, 2:]"},
    {"concat", "f32[4, 6] x, f32[4, 1] y, f32[4, 3] z: concat([x, y, z], axis=1)"},
    {"concat", "f32[1, 6] x, f32[7, 6] y: concat([x, y, x])"},
    {"concat", "f32[4, 6] x: concat([x[2:], x[:2]])"},
    {"stack", "f32[4, 6] x, f32[4, 6] y, f32[4, 6] z: stack([x, y, z])"},
    {"split", "f32[6, 4] x: split(x, 3)[2] + split(x, 3)[0]"},
    {"reverse", "f32[5, 6] x: reverse(x)"},
    {"reverse", "f32[5, 6] x: reverse(x, axis=1) + x"},
    {"roll", "f32[5, 6] x: roll(x, -7, axis=1)"},
    {"roll", "f32[7, 6] x: x + roll(x, 1) + roll(x, -1)"},
    {"gather", "f32[6, 5] t, i32[3, 4] i%6: gather(t, i)"},
    {"gather", "f32[5, 6] t, i32[4] i%6: gather(t, i, axis=1)"},
    {"gather", "f32[7] t, i32[] i%7: gather(t, i)"},
    {"scatter_add", "f32[6, 5] t, i32[3, 4] i%6, f32[3, 4, 5] u: scatter_add(t, i, u)"},
    {"one_hot", "i32[3, 4] i%7: one_hot(i, 7)"},
    {"where", "f32[7, 5] x, f32[7, 5] y: where(x > y, x - y, 0)"},
    {"clamp", "f32[7, 5] x: clamp(x, lo=0)"},
    {"add", "f32[7, 5] x, f32[7, 5] y: relayout_like(x, y) + y"},
    {"sum", "f32[1, 1] x: sum(x, axis=0)"},
    {"sum", "f32[3, 4] x, f32[3, 5] y: reshape(sum(x, axis=1), [3, 1]) * y"},
    {"cast", "u8[5, 6] x: x"},
    {"cast", "u8[5, 6] x: f32(x) / 4"},
    {"sum", "i32[7, 5] x: sum(x, axis=0)"},
    {"sum", "f32[7, 5] x: sum(f32(x > 0), axis=0)"},
    /* Larger than vectors, tiles and unrolled loops. */
    {"matmul", "f32[33, 65] x, f32[65, 40] y: x @ y"},
    {"matmul", "f32[2, 33, 17] x, f32[2, 17, 19] y: x @ y"},
    {"matmul", "f32[40, 33] x, f32[40, 18] y: tanh(transpose(x) @ y)"},
    {"sum", "f32[257, 9] x: sum(x, axis=0)"},
    {"sum", "f32[9, 257] x: sum(x, axis=1)"},
    {"sum", "f32[41, 7] x: sum(x * x) - sum(x)"},
    {"softmax", "f32[5, 130] x: softmax(x)"},
    {"argmax", "f32[5, 130] x: argmax(x, axis=1)"},
    {"add", "f32[130, 33] x, f32[33] y: tanh(x) * 2 + y"},
    {"transpose", "f32[65, 33] x: transpose(x)"},
    {"reshape", "f32[60, 35] x: reshape(x, [20, 105])"},
    {0, 0},
};

int examples_each(ExampleFn *visit, void *user) {
  char name[40];
  int missing = 0;
  const OpDef *d;
  for (int i = 0; (d = op_at(i)); i++) {
    if (d->example) {
      snprintf(name, sizeof name, "%.20s", d->name);
      visit(user, name, d->name, d->example);
    } else if (d->params) {
      fprintf(stderr, "%s can be called but has no example\n", d->name);
      missing++;
    }
  }
  for (int i = 0; more[i].op; i++) {
    snprintf(name, sizeof name, "more%d_%.16s", i, more[i].op);
    visit(user, name, more[i].op, more[i].example);
  }
  return missing;
}
