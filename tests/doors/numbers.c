/* Whole numbers that a person writes (bounds and steps of slices, sizes, pads, strides, windows, axes,
 * mesh sizes, granules, constants) at the extremes of 64 bits: each program compiles or is rejected
 * with a message; slices are what arithmetic of 128 bits makes of them. Under UBSan, overflow ends
 * the test; without it, `x[::9223372036854775807]` gave `[]`. */
#include <dtgc.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, programs, compiled;

static const char *const extreme[] = {
    "-9223372036854775807 - 1", "-9223372036854775807", "-4611686018427387904", "-4294967296",
    "-2147483649", "-1000000007", "-65", "-2", "-1", "0", "1", "2", "3", "7", "8", "9", "64", "65",
    "4097", "1048576", "1048577", "2147483647", "2147483648", "4294967295", "4294967296",
    "70368744177664", "4611686018427387904", "6148914691236517206", "9223372036854775806",
    "9223372036854775807", "1e15", "1e18", "1e19", "-1e300", "0.5", "true", "none"};
enum { EXTREMES = sizeof extreme / sizeof *extreme };

/* N is the number, M another one. */
static const char *const line[] = {
    "y = x[(N)]", "y = x[(N):]", "y = x[:(N)]", "y = x[(N):(M)]", "y = x[::(N)]",
    "y = x[(M):(N):(N)]", "y = x[::-1][::(N)]", "y = z[(N), (M)]", "y = z[(N):, ::(M)]",
    "y = slice(x, [(N)], [(M)])", "y = slice(x, [(M)], [(N)], [(N)])",
    "y = pad(x, [(N)], [(M)])", "y = pad(x, [(N)])", "y = pad(z, [(N), (N)], [(N), (N)])",
    "y = pad(i, [1], [1], value=(N))",
    "y = reshape(x, [(N)])", "y = reshape(x, [(N), -1])", "y = reshape(x, [(N), (M), -1])",
    "y = reshape(x, [(N), (M)])", "y = reshape(x[:0], [(N), 0])", "y = reshape(x[:0], [0, (N), (M)])",
    "y = broadcast(x, [(N), 8])", "y = broadcast(x[0:1], [(N), (M)])", "y = broadcast(1.0, [(N), (M)])",
    "y = roll(x, (N))", "y = roll(z, (N), axis=(M))", "y = expand(x, (N))", "y = expand(x, [(N), (M)])",
    "y = squeeze(z, axis=(N))", "y = transpose(z, [(N), (M)])", "y = sum(z, axis=(N))",
    "y = sum(z, axis=[(N), (M)])", "y = cumsum(z, axis=(N))", "y = softmax(z, axis=(N))",
    "y = concat([x, x], axis=(N))", "y = stack([x, x], axis=(N))", "y = split(x, (N))[0]",
    "y = split(x, [(N), (M)])[0]", "y = split(x, [(N), (M), (N)])[0]", "y = reverse(z, axis=(N))",
    "y = top_k(x, (N))[0]", "y = sort(z, axis=(N))", "y = argmax(z, axis=(N))",
    "y = gather(z, i, axis=(N))", "y = take(x, (N))", "y = one_hot(i, (N))", "y = iota([(N)])",
    "y = iota([(N), (M)], axis=(M))", "y = iota([0, (N), (M)])", "y = zeros([(N)])",
    "y = zeros([(N), (M)])", "y = zeros([0, (N), (M), (N)])", "y = full([(N)], (M))",
    "y = full([2], (N), dtype=i64)", "y = full([2], (N), dtype=u8)",
    "y = uniform([(N)])", "y = uniform([2], lo=(N), hi=(M))", "y = normal([2], stddev=(N))",
    "y = max_pool(p, (N))", "y = max_pool(p, (N), stride=(M))", "y = avg_pool(p, 2, stride=(N))",
    "y = max_pool(p, 2, padding=[[(N), (M)], [0, 0]])", "y = max_pool(p, [(N), (M)], padding=\"same\")",
    "y = conv(p, k, stride=(N))", "y = conv(p, k, stride=(N), padding=\"valid\")",
    "y = conv(p, k, dilation=(N))", "y = conv(p, k, dilation=[(N), (M)], padding=\"valid\")",
    "y = conv(p, k, groups=(N))", "y = conv(p, k, padding=[[(N), (M)], [(N), 0]])",
    "y = conv_transpose(p, k, stride=(N))", "y = conv_transpose(p, k, padding=[[(N), (M)], [0, (N)]])",
    "y = x + (N)", "y = i * (N)", "y = l + (N)", "y = u + (N)", "y = x ** (N)", "y = l // (N)",
    "y = l % (N)", "y = (N) - l", "y = l == (N)", "y = where(l > (N), l, (M))", "y = clamp(l, (N), (M))",
    "y = x * ((N) + (M))", "y = x * ((N) - (M))", "y = x * ((N) * (M))", "y = x * ((N) // (M))",
    "y = x * ((N) % (M))", "y = x * ((N) ** (M))", "y = x * (-(N))", "y = x * abs(N)",
    "y = x * min(N, M)", "y = x + i32(N)", "y = f32(l + i64(N))", "y = x * f32(u8(N))", "y = x * floor(N)",
    "y = sum([x * t for t in (N)..(M)])", "for t in (N)..(M) { y0 = x * t }\n  y = x",
    "y = x * len([0 for t in 0..(N)])", "y = [x, x * 2][(N)]", "y = concat([x, x][(N):(M)])",
    "y = relayout(x, [a by (N)])", "y = cast(x * (N), i8)", "y = dropout(x, (N))",
};
enum { LINES = sizeof line / sizeof *line };

/* Programs by themselves. */
static const char *const whole[] = {
    "entry f(x: f32[(N)]) { return y = x }", "entry f(x: f32[(N), (M)]) { return y = sum(x) }",
    "entry f(x: f32[0, (N), (M), (N)]) { return y = x * 2 }",
    "param w: f32[(N)] = zeros([(N)])\nentry f() { return sum(w) }",
    "param w: u8[(N), (M)] = 0\nentry f() { return w }", "state n: i64[] = (N)\nentry f() { return n }",
    "const n = (N)\nentry f(x: f32[n]) { return y = x[n // 2:] }",
    "const n = (N)\nconst m = n + (M)\nentry f(x: f32[8]) { return y = x * m }",
    "mesh [a=(N)]\nentry f(x: f32[8]) { return y = x }\nlayout x = [a]",
    "mesh [a=(N), b=(M)]\nentry f(x: f32[8]) { return y = x }\nlayout x = [(a, b)]",
    "mesh [a=(N), b=(M)]\nentry f(x: f32[8, 8]) { return y = sum(x, axis=0) }\nlayout x = [a, b]",
    "mesh [a=2]\nentry f(x: f32[8]) { return y = x * 2 }\nlayout x = [a by (N)]",
    "mesh [a=2, b=3]\nentry f(x: f32[72]) { return y = reshape(x, [8, 9]) }\nlayout x = [(a, b) by (N)]",
    "import \"nn\"\nd = dense((N), (M))\nentry f(x: f32[4, (N)]) { return y = d(x) }",
    "import \"nn\"\nd = embedding((N), (M))\nentry f(x: i32[4]) { return y = d(x) }",
    "import \"nn\"\nd = group_norm(8, (N))\nentry f(x: f32[4, 8]) { return y = d(x) }",
    "import \"nn\"\nd = self_attention((N), (M))\nentry f(x: f32[2, 4, 8]) { return y = d(x) }",
};
enum { WHOLES = sizeof whole / sizeof *whole };

/* Text with each (N) and (M) replaced. */
static void fill(char *to, size_t size, const char *from, const char *n, const char *m) {
  size_t at = 0;
  for (; *from && at + 64 < size; from++) {
    if ((*from == 'N' || *from == 'M') && from[-1] == '(' && from[1] == ')')
      at += (size_t)snprintf(to + at, size - at, "%s", *from == 'N' ? n : m);
    else
      to[at++] = *from;
  }
  to[at] = 0;
}

static const char *const cut[] = {"x=[a]", "z=[_,b]", "p=[_,a,_,_]"};

/* Compiles or is rejected in words; then the plan is made too, on one device and on some. */
static void try_one(const char *text) {
  for (int m = 0; m < 2; m++) {
    dtgc_options o = {.mesh = m && !strstr(text, "mesh") ? "a=2,b=3" : NULL};
    if (o.mesh && strstr(text, "z: ")) o.layout = cut, o.nlayouts = 3;
    dtgc_program *p = NULL;
    dtgc_status s = dtgc_compile_string("m.dtg", text, &o, &p);
    programs++;
    compiled += !s;
    if (s && (s != DTGC_BAD_SOURCE || !strstr(dtgc_error(p), "m.dtg:"))) {
      printf("status %d, %s\nof:\n%s\n", s, dtgc_error(p), text);
      failures++;
    }
    for (int e = 0; !s && e < dtgc_outputs(p, "f"); e++) {
      dtgc_tensor t;
      bool bad = dtgc_output(p, "f", e, &t) != DTGC_OK || t.count < 0;
      for (int d = 0; !bad && d < t.rank; d++) bad = t.shape[d] < 0;
      if (bad) printf("a negative shape of:\n%s\n", text);
      failures += bad;
    }
    dtgc_free(p);
  }
}

static void sweep(int most) {
  char body[1024], text[2048];
  for (int k = 0; k < LINES + WHOLES; k++) {
    const char *form = k < LINES ? line[k] : whole[k - LINES];
    bool two = strstr(form, "(M)") != NULL;
    for (int n = 0; n < EXTREMES; n++)
      for (int m = 0; m < (two ? EXTREMES : 1); m++) {
        /* In pairs every number with itself and with some others. */
        if (two && n != m && (n * 7 + m * 3 + k) % 16 >= most) continue;
        fill(body, sizeof body, form, extreme[n], extreme[m]);
        if (k < LINES)
          snprintf(text, sizeof text,
                   "entry f(x: f32[8], z: f32[6, 9], i: i32[8], l: i64[8], u: u8[8], p: f32[2, 8, 8, 4], "
                   "k: f32[3, 3, 4, 4]) {\n  %s\n  return y\n}\n",
                   body);
        try_one(k < LINES ? text : body);
      }
  }
}

/* -------- slices, by value -------- */

static const int64_t bounds[] = {INT64_MIN, INT64_MIN + 1, -4294967297, -9, -8, -7, -1, 0, 1, 7, 8, 9,
                                 4294967297, INT64_MAX - 1, INT64_MAX};
static const int64_t steps[] = {INT64_MIN, INT64_MIN + 1, -9, -8, -3, -1, 1, 2, 7, 8, 4294967296,
                                INT64_MAX - 1, INT64_MAX};
enum { BOUNDS = sizeof bounds / sizeof *bounds, STEPS = sizeof steps / sizeof *steps };

/* Python's slice.indices, in 128 bits. Returns how many; their elements to `to`. */
static int reference(int64_t len, int begin, int end, int64_t step, float *to) {
  __int128 lower = step < 0 ? -1 : 0, upper = step < 0 ? len - 1 : len;
  __int128 a = step < 0 ? upper : lower, b = step < 0 ? lower : upper;
  if (begin < BOUNDS) {
    a = bounds[begin] < 0 ? (__int128)bounds[begin] + len : bounds[begin];
    a = a < lower ? lower : a > upper ? upper : a;
  }
  if (end < BOUNDS) {
    b = bounds[end] < 0 ? (__int128)bounds[end] + len : bounds[end];
    b = b < lower ? lower : b > upper ? upper : b;
  }
  int n = 0;
  for (__int128 i = a; step < 0 ? i > b : i < b; i += step) to[n++] = (float)i;
  return n;
}

static void put(char *text, size_t *at, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  *at += (size_t)vsnprintf(text + *at, size - *at, format, list);
  va_end(list);
}

static void put_number(char *text, size_t *at, size_t size, int64_t v) {
  if (v == INT64_MIN)
    put(text, at, size, "-9223372036854775807 - 1");
  else
    put(text, at, size, "%lld", (long long)v);
}

/* All bounds with one step, joined into one tensor. */
static void slices(int64_t len, int64_t step, const char *mesh) {
  enum { ROOM = 1 << 16, MOST = (BOUNDS + 1) * (BOUNDS + 1) * 16 };
  static char text[ROOM];
  static float want[MOST], got[MOST];
  size_t at = 0;
  int n = 0;
  put(text, &at, ROOM, "entry f(x: f32[%lld]) {\n  return y = concat([", (long long)len);
  for (int a = 0; a <= BOUNDS; a++)
    for (int b = 0; b <= BOUNDS; b++) {
      put(text, &at, ROOM, a + b ? ", x[" : "x[");
      if (a < BOUNDS) put_number(text, &at, ROOM, bounds[a]);
      put(text, &at, ROOM, ":");
      if (b < BOUNDS) put_number(text, &at, ROOM, bounds[b]);
      put(text, &at, ROOM, ":");
      put_number(text, &at, ROOM, step);
      put(text, &at, ROOM, "]");
      n += reference(len, a, b, step, want + n);
    }
  put(text, &at, ROOM, "])\n}\nlayout x = [a]\n");
  float x[16];
  for (int64_t i = 0; i < len; i++) x[i] = (float)i;
  dtgc_program *p = NULL;
  dtgc_options o = {.mesh = mesh};
  dtgc_buffer in = {"x", x, (size_t)len * sizeof *x}, out = {"y", got, (size_t)n * sizeof *got};
  dtgc_status s = dtgc_compile_string("slices.dtg", text, &o, &p);
  if (!s) s = dtgc_run(p, "f", &in, 1, &out, 1);
  if (s || memcmp(want, got, (size_t)n * sizeof *got) != 0) {
    printf("slices of %lld in steps of %lld on %s: %s\n", (long long)len, (long long)step, mesh,
           s ? dtgc_error(p) : "another result");
    failures++;
  }
  dtgc_free(p);
}

/* numbers [MOST]: of 16 pairs of numbers, how many are tried */
int main(int argc, char **argv) {
  for (int i = 0; i < STEPS; i++) {
    slices(8, steps[i], "a=1");
    slices(8, steps[i], "a=3");
  }
  slices(1, INT64_MAX, "a=1");
  slices(1, INT64_MIN, "a=2");
  sweep(argc > 1 ? atoi(argv[1]) : 1);
  printf("%d programs, of which %d compile; %d failures\n", programs, compiled, failures);
  if (compiled < programs / 20) failures++; /* the templates rot */
  return failures != 0;
}
