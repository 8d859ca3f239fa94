/* Random loops that run: windows that move with the run are read, rows are written into a value in
 * its place, rows are collected, a branch is taken in some runs. */
#include "generate.h"
#include <stdio.h>
#include <string.h>

/* Of the rows from a position on, `n` of them, in dim d: "[:, i : i + n]" */
static void window_text(char *out, size_t size, int d, const char *from, int n) {
  size_t at = (size_t)snprintf(out, size, "[");
  for (int i = 0; i < d; i++) at += (size_t)snprintf(out + at, size - at, ":, ");
  if (n)
    snprintf(out + at, size - at, "%s : %s + %d]", from, from, n);
  else
    snprintf(out + at, size - at, "%s]", from);
}

static bool next_name(const Gen *g, char out[32]) {
  return snprintf(out, 32, "t%d", g->at->nvalues) > 0;
}

/* t = x[0 : n] and in each run x[i : i + n] more */
static bool say_window(Gen *g, const Value *x, int d) {
  Value v = *x;
  const int size = (int)x->dim[d], n = 1 + gen_below(g, size), runs = size - n + 1;
  char first[80], each[80], name[32];
  next_name(g, name);
  window_text(first, sizeof first, d, "0", n);
  window_text(each, sizeof each, d, "i", n);
  v.dim[d] = n, v.most = x->most * (runs + 1) + 1;
  return gen_say(g, v, "%s%s + 1.0; repeat i in 0..%d { %s = %s %s %s%s }", x->name, first, runs,
                 name, name, gen_below(g, 2) ? "+" : "-", x->name, each);
}

/* t = x, in whose rows sums of rows are written, from the first to the last or back */
static bool say_written(Gen *g, const Value *x, int d) {
  Value v = *x;
  const int size = (int)x->dim[d];
  char row[80], other[80], name[32], by[120] = "";
  next_name(g, name);
  window_text(row, sizeof row, d, "i", 0);
  window_text(other, sizeof other, d, gen_below(g, 2) ? "0" : "i", 0);
  if (gen_below(g, 3) == 0)
    snprintf(by, sizeof by, "if i %% 2 == 1 { %s = %s - 1.0 }; ", name, name);
  v.most = (x->most + 1 + size) * (size + 1);
  return gen_say(g, v, "%s + 1.0; repeat i in 0..%d { %s%s%s <- %s%s + %s%s }", x->name, size, by,
                 name, row, x->name, row, name, other);
}

/* The sums so far of x's rows, collected */
static bool say_collected(Gen *g, const Value *x) {
  Value v = *x;
  const int size = (int)x->dim[0];
  char name[32];
  const char *back = gen_below(g, 2) ? " reverse" : "";
  next_name(g, name);
  v.most = x->most * (size + 1);
  return gen_say(g, v, "0.0; h = %s[0]; scan r in %s%s { h = h - r; collect %s = h + r }", x->name,
                 x->name, back, name);
}

bool say_loop(Gen *g) {
  const Value *x = gen_pick(g);
  if (!x->rank || x->most * 64 > MOST_MAGNITUDE) return false;
  const int d = gen_below(g, x->rank);
  switch (gen_below(g, 3)) {
  case 0: return say_window(g, x, d);
  case 1: return say_written(g, x, d);
  default: return say_collected(g, x);
  }
}
