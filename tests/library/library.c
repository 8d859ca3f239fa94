/* The shipped library against values that PyTorch, or library.py itself, worked out in f64: every
 * layer, rate, loss and metric (and by -DTABLE recurrent.h's, of recurrent.py) on one device and with its tensor x cut over meshes of 2, 3 and
 * 2x2. The bound is that of f32: 1e-5 of the largest element, at least of 1. */
#include "dtgc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expected {
  const char *name;
  int count;
  const double *value; /* [count] */
};
struct test {
  const char *name, *text;
  int noutputs;
  struct expected output[5];
};
#ifndef TABLE
#define TABLE "library.h"
#endif
#include TABLE

static const struct cut {
  const char *mesh, *layout;
} cuts[] = {
    {NULL, NULL}, {"a=2", "x=[a, ...]"}, {"a=3", "x=[a, ...]"}, {"a=2,b=2", "x=[(a, b), ...]"}};

static int failed;

static void wrong(const struct test *t, const struct cut *c, const char *what) {
  printf("FAIL %s on mesh %s: %s\n", t->name, c->mesh ? c->mesh : "of one", what);
  failed++;
}

static void compare(const struct test *t, const struct cut *c, const struct expected *e,
                    const float *got) {
  double most = 1;
  for (int i = 0; i < e->count; i++) most = fmax(most, fabs(e->value[i]));
  for (int i = 0; i < e->count; i++)
    if (!(fabs((double)got[i] - e->value[i]) <= 1e-5 * most)) {
      char what[200];
      snprintf(what, sizeof what, "%s[%d] is %.9g, expected %.9g", e->name, i, (double)got[i],
               e->value[i]);
      wrong(t, c, what);
      return;
    }
}

static void run(const struct test *t, const struct cut *c) {
  static float got[5][512];
  char text[16384];
  snprintf(text, sizeof text, "%s%s", head, t->text);
  dtgc_options o = {.mesh = c->mesh,
                    .layout = &c->layout,
                    .nlayouts = c->layout && strstr(t->text, " x = ") ? 1 : 0};
  dtgc_program *p;
  dtgc_buffer out[5];
  for (int i = 0; i < t->noutputs; i++)
    out[i] = (dtgc_buffer){t->output[i].name, got[i], (size_t)t->output[i].count * sizeof(float)};
  if (dtgc_compile_string(t->name, text, &o, &p) || dtgc_run(p, "f", NULL, 0, out, t->noutputs)) {
    wrong(t, c, dtgc_error(p));
  } else {
    for (int i = 0; i < t->noutputs; i++) compare(t, c, &t->output[i], got[i]);
  }
  dtgc_free(p);
}

int main(void) {
  int n = (int)(sizeof tests / sizeof *tests), m = (int)(sizeof cuts / sizeof *cuts);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) run(&tests[i], &cuts[k]);
  printf("%d cases on %d meshes, %d failed\n", n, m, failed);
  return failed != 0;
}
