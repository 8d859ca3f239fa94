/* What compiling and what running take, counted, so that it is the same on every machine:
 *
 *   layouts  for ops and meshes of 1 to 1024 devices, over up to eight axes, finding layouts takes
 *            no more than about a second (Program.effort)
 *   work     chains that read each value at several places execute and emit, a step, what one step
 *            does: it grows with their length and no faster (passes/schedule/sites.h) */
#include "frontend.h"
#include "pipeline.h"
#include "sites.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };
/* Of an estimate that is up to four times too large where most dims are 1. */
static const double MOST = 3.4e9;
static int failed;

typedef struct Counted {
  double effort;
  Work work;
} Counted;

static void on_message(void *user, const Message *m) {
  (void)user;
  fputs(m->rendered, stderr);
}

/* Of entry 1. */
static Counted count(const char *text) {
  Arena *a = arena_new();
  Counted c = {0};
  Diag d;
  FrontSource source = {.name = "m.dtg", .text = text, .len = strlen(text)};
  FrontOptions o = {.source = &source, .nsources = 1};
  if (!a || arena_catch(a)) abort();
  diag_init(&d, a, on_message, NULL);
  Program *g = front_compile(a, &d, &o);
  Plan *p = g ? pipeline_run(g, NULL) : NULL;
  if (!p) {
    fprintf(stderr, "does not compile:\n%s", text);
    exit(1);
  }
  Work once;
  NodeId where;
  c.effort = g->effort;
  c.work = work_count(p, &p->entries.at[1], &once, &where);
  if (!work_within(&c.work, &once)) failed = 1;
  arena_free(a);
  return c;
}

/* -------- layouts -------- */

typedef struct Case {
  const char *inputs, *expr;
  int in_rank, out_rank;
} Case;

static const Case cases[] = {
    {"a: f32[64, 60]", "tanh(a)", 2, 2},
    {"a: f32[28, 28, 16]", "pad(a[:, 1:-1], [1, 0, 0], [1, 0, 0])", 3, 3},
    {"a: f32[64, 60]", "pad(a, [1, 2], [1, 0])", 2, 2},
    {"a: f32[64, 60]", "roll(a, 5, axis=1)", 2, 2},
    {"a: f32[64, 60]", "concat([a, a[:7]])", 2, 2},
    {"a: f32[64, 64]", "a @ a", 2, 2},
    {"a: f32[8, 64, 64]", "einsum(\"bij,bjk->bik\", a, a)", 3, 3},
    {"a: f32[64, 32, 16]", "sum(a, axis=0)", 3, 2},
    {"a: f32[64, 32]", "softmax(a)", 2, 2},
    {"a: f32[32, 48, 10]", "reshape(a, [48, 32, 10])", 3, 3},
    {"a: f32[8, 6, 8, 6]", "a + transpose(a, [2, 3, 0, 1])", 4, 4},
    {"a: f32[4, 8, 8, 4], k: f32[3, 3, 4, 4]", "conv(a, k)", 4, 4},
    {"a: f32[64, 32]", "cumsum(a, axis=0)", 2, 2},
    {"a: f32[64, 32], i: i32[40]", "take(a, i)", 2, 2},
};

/* The first axes on one dim each, from the first dim on or from the last back. */
static void put_layout(Str *s, const char *name, int rank, int naxes, bool back) {
  str_printf(s, "layout f.%s = [", name);
  for (int d = 0; d < rank; d++) {
    int axis = back ? rank - 1 - d : d;
    str_printf(s, axis < naxes ? "%sa%d" : "%s_", d ? ", " : "", axis);
  }
  str_puts(s, "]\n");
}

static void layouts_take_about_a_second_at_most(void) {
  static const int meshes[][8] = {
      {1}, {1024}, {32, 32}, {3, 5, 7}, {4, 4, 4, 8}, {4, 4, 4, 4, 4}, {2, 2, 2, 2, 2, 2, 4, 4}};
  double most = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
      Arena *a = arena_new();
      Str s = str_new(a);
      int n = 0;
      str_puts(&s, "mesh [");
      for (; n < 8 && meshes[i][n]; n++) str_printf(&s, "%sa%d=%d", n ? ", " : "", n, meshes[i][n]);
      str_printf(&s, "]\nentry f(%s) {\n  v = %s\n  return v\n}\n", cases[k].inputs, cases[k].expr);
      put_layout(&s, "a", cases[k].in_rank, n, false);
      put_layout(&s, "v", cases[k].out_rank, n, true);
      double effort = count(s.at).effort;
      if (getenv("SHOW")) printf("%5.2f s  %s %s\n", effort * 1e-9, cases[k].expr, s.at + 0);
      if (effort > most) most = effort;
      if (effort > MOST) {
        printf("FAIL finding layouts takes about %.1f s:\n%s", effort * 1e-9, s.at);
        failed = 1;
      }
      arena_free(a);
    }
  printf("finding layouts takes at most about %.2f s\n", most * 1e-9);
}

/* -------- work -------- */

static const char *const steps[] = {
    "v = v + 0.1 * (roll(v, 1) + roll(v, -1) - 2 * v)",
    "p = pad(v, [1], [1])\n v = v + 0.1 * (p[2:] + p[:-2] - 2 * v)",
    "v = max(v, pad(v[:-1], [1], [0]))",
    "v = v + roll(roll(v, 3), 5) * v[::-1]",
    "v = concat([v[32:] * 2, v[:32] + v[32:]])",
    "v = reshape(transpose(reshape(v, [8, 8])), [64]) - v",
    "v = take_along_axis(v, (iota([64]) * 3 + 1) % 64, axis=0) + v",
    "v = v + cumsum(roll(v, 1)) + roll(v, 2)",
    "v = v - mean(v) + roll(v, 1) * sum(v * v)",
    "v = v * v + v",
    "v = where(iota([64]) % 2 == 0, v, roll(v, 1)) + pad(v[2:], [1], [1])",
};

static Work work_of(const char *step, int n) {
  char text[TEXT];
  snprintf(text, sizeof text,
           "entry f(x: f32[64]) {\n v = x\n for t in 0..%d {\n %s\n }\n return v, g = grad(sum(v), "
           "x)\n}\n",
           n, step);
  return count(text).work;
}

/* Loops hold a few steps each, so that 60 steps more are the same again but for the last loop, which
 * may be a full one or not: A_LOOP steps at most. */
enum { A_LOOP = 8 };

static void work_grows_with_the_steps(void) {
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    Work a = work_of(steps[i], 20), b = work_of(steps[i], 80), c = work_of(steps[i], 140);
    double more = b.executed - a.executed, again = c.executed - b.executed;
    double code = b.code - a.code, code_again = c.code - b.code;
    if (getenv("SHOW"))
      printf("%.0f %.0f  %.0f %.0f  %s\n", more, again, code, code_again, steps[i]);
    Work last = work_of(steps[i], A_LOOP);
    if (again <= more + last.executed && code_again <= code + last.code) continue;
    printf("FAIL %s: 60 steps more execute %.0f, then %.0f; code %.0f, then %.0f\n", steps[i], more,
           again, code, code_again);
    failed = 1;
  }
}

int main(void) {
  layouts_take_about_a_second_at_most();
  work_grows_with_the_steps();
  return failed;
}
