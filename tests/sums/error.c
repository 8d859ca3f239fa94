/* Sums of up to 10^8 elements against f64: relative error below 1e-6, of constants (which round the
 * same way at every step) and of random values, along inner, outer and all dims; and sums inside of
 * convolutions, scatters and pools. */
#include <dtgc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double BOUND = 1e-6;
static int failures;

static void expect(const char *what, double got, double want) {
  const double error = fabs(got - want) / fabs(want);
  printf("%-40s %.3g\n", what, error);
  if (error < BOUND) return;
  printf("FAIL %s: %.9g instead of %.9g\n", what, got, want);
  failures++;
}

static dtgc_program *compile(const char *text) {
  dtgc_program *p;
  if (!dtgc_compile_string("error.dtg", text, NULL, &p)) return p;
  printf("FAIL %s\n", dtgc_error(p));
  exit(1);
}

/* x[rows, 4] filled by `value`. */
static void try_rows(int64_t rows, float (*value)(int64_t i), const char *name) {
  char text[800], what[80];
  snprintf(
      text, sizeof text,
      "entry f(x: f32[%ld, 4]) {\n  return a = sum(x), b = sum(x, axis=0)[1], c = mean(x, "
      "axis=0)[2], d = sum(reshape(x, [4, %ld]), axis=1)[0], e = sum(x * 3, axis=0)[3], g = "
      "cumsum(x, axis=0)[%ld, 3], h = (ones([1, %ld], f32) @ x)[0, 0], p = (full([2, %ld], 0.7, "
      "f32) @ x)[1, 1], q = (transpose(x) @ full([%ld, 3], 0.1, f32))[2, 0]\n}\n",
      (long)rows, (long)rows, (long)rows - 1, (long)rows, (long)rows, (long)rows);
  dtgc_program *p = compile(text);
  float *x = malloc(sizeof *x * 4 * (size_t)rows), r[9];
  if (!x) abort();
  double all = 0, column[4] = {0}, first = 0;
  for (int64_t i = 0; i < 4 * rows; i++) {
    x[i] = value(i);
    all += x[i], column[i % 4] += x[i];
    if (i < rows) first += x[i];
  }
  const dtgc_buffer in = {"x", x, sizeof *x * 4 * (size_t)rows};
  static const char *const out_name[] = {"a", "b", "c", "d", "e", "g", "h", "p", "q"};
  dtgc_buffer out[9];
  for (int i = 0; i < 9; i++) out[i] = (dtgc_buffer){out_name[i], &r[i], sizeof *r};
  if (dtgc_run(p, "f", &in, 1, out, 9)) {
    printf("FAIL %s\n", dtgc_error(p));
    exit(1);
  }
  const double want[] = {all,       column[1],        column[2] / (double)rows,
                         first,     3 * column[3],    column[3],
                         column[0], 0.7f * column[1], 0.1f * column[2]};
  static const char *const form[] = {"sum",           "sum axis 0",   "mean axis 0",
                                     "sum axis 1",    "sum of a map", "cumsum",
                                     "ones times it", "a product",    "a product of its columns"};
  for (int i = 0; i < 9; i++) {
    snprintf(what, sizeof what, "%s of %s, %ld x 4", form[i], name, (long)rows);
    expect(what, r[i], want[i]);
  }
  free(x);
  dtgc_free(p);
}

static float tenth(int64_t i) { return (void)i, 0.1f; }
static float third(int64_t i) { return (void)i, 1.0f / 3; }
static float spread(int64_t i) {
  uint64_t z = (uint64_t)i * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  return (float)(z >> 40) * 0x1p-24f;
}

/* Made and added up in one loop: no memory for them. */
static void try_made(int64_t n) {
  char text[300], what[80];
  snprintf(text, sizeof text,
           "entry f() {\n  x = f32(iota([%ld], axis=0) %% 1000) * 0.001\n  return a = sum(x), m = "
           "mean(full([%ld, 2], 0.1, f32), axis=0)[1]\n}\n",
           (long)n, (long)(n / 4));
  dtgc_program *p = compile(text);
  float r[2];
  dtgc_buffer out[] = {{"a", &r[0], sizeof r[0]}, {"m", &r[1], sizeof r[1]}};
  if (dtgc_run(p, "f", NULL, 0, out, 2)) {
    printf("FAIL %s\n", dtgc_error(p));
    exit(1);
  }
  double want = 0;
  for (int i = 0; i < 1000; i++) want += (float)i * 0.001f;
  snprintf(what, sizeof what, "sum of %ld made in the loop", (long)n);
  expect(what, r[0], want * (double)n / 1000);
  expect("mean of as many constants", r[1], 0.1f);
  dtgc_free(p);
}

/* r[0] of entry f, all of whose inputs but `w`, `i` and `p`, which are zeros, are 0.1. */
static void try_deep(const char *what, const char *text, double terms) {
  dtgc_program *p = compile(text);
  dtgc_buffer in[3], out;
  dtgc_tensor t;
  int nin = 0;
  float r;
  for (; nin < 3 && !dtgc_input(p, "f", nin, &t); nin++) {
    float *x = calloc(t.count ? (size_t)t.count : 1, sizeof *x);
    if (!x) abort();
    for (int64_t i = 0; !strchr("wip", *t.name) && i < t.count; i++) x[i] = 0.1f;
    in[nin] = (dtgc_buffer){t.name, x, t.bytes};
  }
  out = (dtgc_buffer){"r", &r, sizeof r};
  if (dtgc_run(p, "f", in, nin, &out, 1)) {
    printf("FAIL %s\n", dtgc_error(p));
    exit(1);
  }
  expect(what, r, terms * (double)0.1f);
  for (int k = 0; k < nin; k++) free((void *)in[k].data);
  dtgc_free(p);
}

/* Sums inside of other ops. */
static void try_ops(void) {
  try_deep(
      "convolution over 4608",
      "entry f(x: f32[1, 6, 6, 512]) { return r = conv(x, ones([3, 3, 512, 16], f32))[0, 2, 2, "
      "3] }",
      4608);
  try_deep("convolution over 102400",
           "entry f(x: f32[1, 5, 5, 4096]) { return r = conv(x, ones([5, 5, 4096, 3], f32), "
           "padding=\"valid\")[0, 0, 0, 1] }",
           102400);
  try_deep("its gradient to the input",
           "entry f(p: f32[1, 6, 6, 4], x: f32[1, 6, 6, 4096]) { return r = grad(sum(conv(p, "
           "ones([3, 3, 4, 4096], f32)) * x), p)[0, 2, 2, 1] }",
           9 * 4096);
  try_deep("its gradient to the weights, 1M pixels",
           "entry f(x: f32[64, 128, 128, 2], w: f32[3, 3, 2, 3]) { return r = grad(sum(conv(x, "
           "w)), w)[1, 1, 0, 2] }",
           64 * 128 * 128);
  try_deep(
      "of one line of 1M pixels",
      "entry f(x: f32[1, 1000000, 2], w: f32[3, 2, 3]) { return r = grad(sum(conv(x, w)), w)[1, "
      "0, 2] }",
      1000000);
  try_deep("of a group a channel",
           "entry f(x: f32[64, 64, 64, 4], w: f32[3, 3, 1, 4]) { return r = grad(sum(conv(x, w, "
           "groups=4)), w)[1, 1, 0, 2] }",
           64 * 64 * 64);
  try_deep("scatter of 1M rows to one",
           "entry f(i: i32[1000000], x: f32[1000000, 4]) { return r = scatter_add(zeros([3, 4], "
           "f32), i, x)[0, 2] }",
           1000000);
  try_deep("scatter of 1M numbers to one",
           "entry f(i: i32[1000000], x: f32[1000000]) { return r = scatter_add(zeros([3], f32), i, "
           "x)[0] }",
           1000000);
  try_deep(
      "gradient of gather",
      "entry f(i: i32[1000000], p: f32[3, 8]) { return r = grad(sum(gather(p, i) * 0.1), p)[0, "
      "5] }",
      1000000);
  try_deep("gradient of take_along_axis",
           "entry f(i: i32[2, 100000], p: f32[2, 300000]) { return r = grad(sum(take_along_axis(p, "
           "i, axis=1) * 0.1), p)[1, 0] }",
           100000);
  try_deep("windows of 1000 that overlap",
           "entry f(x: f32[1, 3000, 2]) { return r = avg_pool(x, 1000, stride=1)[0, 7, 1] }", 1);
  try_deep("windows of 100000, 7 apart",
           "entry f(x: f32[1, 150000, 2]) { return r = avg_pool(x, 100000, stride=7, "
           "padding=\"same\")[0, 9000, 1] }",
           1);
  try_deep("windows of 1000, 990 apart",
           "entry f(x: f32[1, 5000, 2]) { return r = avg_pool(x, 1000, stride=990)[0, 2, 1] }", 1);
  try_deep("windows of 900, 1000 apart",
           "entry f(x: f32[1, 5000, 2]) { return r = avg_pool(x, 900, stride=1000, "
           "padding=\"same\")[0, 2, 1] }",
           1);
}

int main(void) {
  try_ops();
  for (int64_t rows = 1000; rows <= 10000000; rows *= 100) {
    try_rows(rows, tenth, "0.1");
    try_rows(rows, third, "1/3");
    try_rows(rows, spread, "random values");
  }
  try_made(100000000);
  return failures > 0;
}
