/* batch_norm's running averages as Keras and PyTorch keep them: momentum's sense, eps, and the
 * biased or unbiased variance, each by the system's own formula in f64, after some steps and then
 * in `infer`. On one device and with the batch cut, where the moments are still the whole batch's.
 */
#include "dtgc.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 6, WIDTH = 3, STEPS = 4 };

static const struct rule {
  const char *call;
  double keeps, eps; /* keeps: the running average's own share */
  bool unbiased;
} rules[] = {
    {"batch_norm(3)", 0.99, 1e-3, false},
    {"batch_norm(3, momentum=0.8, eps=1e-5)", 0.8, 1e-5, false},
    {"batch_norm(3, 0.8, 1e-5, unbiased=true)", 0.8, 1e-5, true},
    {"batch_norm(3, style=\"torch\")", 1 - 0.1, 1e-5, true},
    {"batch_norm(3, momentum=0.3, eps=1e-2, style=\"torch\")", 1 - 0.3, 1e-2, true},
    {"batch_norm(3, unbiased=false, style=\"torch\")", 1 - 0.1, 1e-5, false},
};

static int failed;

static void fail(const struct rule *r, const char *mesh, const char *what) {
  printf("FAIL %s%s%s: %s\n", r->call, mesh ? " on " : "", mesh ? mesh : "", what);
  failed++;
}

static float element(int step, int row, int column) {
  return (float)((row * 7 + step * 5 + column * row * 3) % 11 - 4) * (float)(column + 1) +
         (float)(10 * column);
}

/* What the rule keeps after all steps, and the last step's result. */
static void expect(const struct rule *r, double *mean, double *var, double (*y)[WIDTH]) {
  for (int c = 0; c < WIDTH; c++) {
    mean[c] = 0, var[c] = 1;
    for (int t = 0; t < STEPS; t++) {
      double sum = 0, square = 0;
      for (int i = 0; i < ROWS; i++) sum += (double)element(t, i, c);
      for (int i = 0; i < ROWS; i++) square += pow((double)element(t, i, c) - sum / ROWS, 2);
      for (int i = 0; i < ROWS; i++)
        y[i][c] = ((double)element(t, i, c) - sum / ROWS) / sqrt(square / ROWS + r->eps);
      mean[c] = r->keeps * mean[c] + (1 - r->keeps) * sum / ROWS;
      var[c] = r->keeps * var[c] + (1 - r->keeps) * square / (r->unbiased ? ROWS - 1 : ROWS);
    }
  }
}

static void near(const struct rule *r, const char *mesh, const char *name, double got,
                 double want) {
  char what[120];
  snprintf(what, sizeof what, "%s is %.9g, expected %.9g", name, got, want);
  if (!(fabs(got - want) <= 1e-6 * fmax(1, fabs(want)))) fail(r, mesh, what);
}

static void run(const struct rule *r, const char *mesh) {
  static const char model[] = "import \"nn\"\nnorm = %s\n"
                              "entry train(x: f32[6, 1, 3]) { return y = norm(x) }\n"
                              "entry eval(x: f32[6, 1, 3]) { return y = norm.infer(x) }\n";
  char text[1024];
  const char *layout = "x=[a, ...]";
  dtgc_options o = {.mesh = mesh, .layout = &layout, .nlayouts = mesh ? 1 : 0};
  dtgc_program *p;
  float x[ROWS][WIDTH], y[ROWS][WIDTH], mean[WIDTH], var[WIDTH];
  double want_mean[WIDTH], want_var[WIDTH], want[ROWS][WIDTH];
  dtgc_buffer in = {"x", x, sizeof x}, out = {"y", y, sizeof y};
  snprintf(text, sizeof text, model, r->call);
  bool bad = dtgc_compile_string(r->call, text, &o, &p);
  for (int t = 0; t < STEPS && !bad; t++) {
    for (int i = 0; i < ROWS * WIDTH; i++)
      x[i / WIDTH][i % WIDTH] = element(t, i / WIDTH, i % WIDTH);
    bad = dtgc_run(p, "train", &in, 1, &out, 1);
  }
  bad = bad || dtgc_get(p, "norm.running_mean", mean, sizeof mean) ||
        dtgc_get(p, "norm.running_var", var, sizeof var);
  expect(r, want_mean, want_var, want);
  for (int i = 0; i < ROWS * WIDTH && !bad; i++)
    near(r, mesh, "y", (double)y[i / WIDTH][i % WIDTH], want[i / WIDTH][i % WIDTH]);
  bad = bad || dtgc_run(p, "eval", &in, 1, &out, 1);
  if (bad) fail(r, mesh, dtgc_error(p));
  for (int c = 0; c < WIDTH && !bad; c++) {
    near(r, mesh, "running_mean", (double)mean[c], want_mean[c]);
    near(r, mesh, "running_var", (double)var[c], want_var[c]);
    near(r, mesh, "infer", (double)y[1][c],
         ((double)x[1][c] - want_mean[c]) / sqrt(want_var[c] + r->eps));
  }
  dtgc_free(p);
}

/* PyTorch refuses this too: there is no unbiased variance of one value. */
static void one_value(void) {
  const char *text = "import \"nn\"\nnorm = batch_norm(3, style=\"torch\")\n"
                     "entry train(x: f32[1, 3]) { return y = norm(x) }\n";
  dtgc_program *p;
  if (!dtgc_compile_string("one", text, &(dtgc_options){0}, &p) ||
      !strstr(dtgc_error(p), "more than one value a channel"))
    fail(&rules[3], NULL, "a batch of one is accepted");
  dtgc_free(p);
}

int main(void) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    run(&rules[i], NULL);
    run(&rules[i], "a=4");
  }
  one_value();
  return failed != 0;
}
