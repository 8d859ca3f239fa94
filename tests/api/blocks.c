/* Mesh, layouts and boxes as the host sees them, and tensors in and out a block at a time. */
#include "check.h"
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED(call, part)                                                                        \
  do {                                                                                             \
    if ((call) != DTGC_BAD_ARGUMENT || !strstr(dtgc_error(p), (part))) {                           \
      fprintf(stderr, "%s:%d: %s: \"%s\"\n", __FILE__, __LINE__, #call, dtgc_error(p));            \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

static const char model[] =
    "layer net() {\n"
    "  state w: f32[5, 6] = zeros()\n"
    "  state b: f32[6] = zeros()\n"
    "  state n: i32[] = zeros()\n"
    "  apply(x) { return x @ w + b }\n"
    "}\n"
    "m = net()\n"
    "entry apply(x: f32[4, 5], s: f32[]) { return y = m(x) * s + f32(m.n) }\n"
    "mesh [a=2, one=1, b=3]\n"
    "layout m.w = [a, b]\n"
    "layout m.b = [b]\n"
    "layout apply.x = [a, _]\n";
enum { DEVICES = 6, K = 5, N = 6 };

static void check_mesh(dtgc_program *p) {
  const char *name = NULL;
  int64_t size = 0, at[3], first = -1, count = 0;
  CHECK(dtgc_axes(p) == 3 && dtgc_axes(NULL) == 0);
  CHECK(!dtgc_axis(p, 2, &name, &size) && !strcmp(name, "b") && size == 3);
  CHECK(!dtgc_axis(p, 0, NULL, NULL));
  REFUSED(dtgc_axis(p, 3, &name, &size), "no axis 3");
  CHECK(!dtgc_coordinates(p, 5, at) && at[0] == 1 && at[1] == 0 && at[2] == 2);
  CHECK(!dtgc_coordinates(p, 1, at) && at[0] == 0 && at[2] == 1);
  REFUSED(dtgc_coordinates(p, 6, at), "no device 6");
  REFUSED(dtgc_coordinates(p, -1, at), "no device -1");
  CHECK(!dtgc_local_devices(p, &first, &count) && first == 0 && count == DEVICES);
}

static void check_text(dtgc_program *p, const char *entry, const char *name, const char *wanted) {
  char *text = NULL;
  CHECK(!dtgc_layout(p, entry, name, &text));
  if (!text || strcmp(text, wanted)) fprintf(stderr, "%s: %s, not %s\n", name, text, wanted);
  CHECK(text && !strcmp(text, wanted));
  CHECK(text && dtgc_check_layout(p, entry, name, text) == DTGC_OK);
  dtgc_free_text(text);
}

static void check_layouts(dtgc_program *p) {
  char *text;
  check_text(p, NULL, "m.w", "[a, b]");
  check_text(p, NULL, "m.b", "[b]");
  check_text(p, NULL, "m.n", "[]");
  check_text(p, "apply", "x", "[a, _]");
  CHECK(!dtgc_check_layout(p, "apply", "x", " [ (a) , ... ] "));
  REFUSED(dtgc_check_layout(p, "apply", "x", "[(a, one), one]"), "axis `one` twice");
  CHECK(!dtgc_check_layout(p, "apply", "x", "[(a, one), _]")); /* `one` cuts nothing */
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "[b, a]"), "`m.w` is laid out [a, b], not [b, a]");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "[a]"), "is for 1 dim, not 2");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "[a, b, _]"), "more than 2 dims");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "[a, c]"), "no axis `c`");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "[a, a]"), "axis `a` twice");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "a, b"), "a form such as");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "[a, b"), "a form such as");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "[a, b] x"), "a form such as");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", "[a, b by 0]"), "a form such as");
  REFUSED(dtgc_check_layout(p, NULL, "m.w", NULL), "NULL");
  REFUSED(dtgc_layout(p, NULL, "m.u", &text), "no variable `m.u`: do you mean");
  REFUSED(dtgc_layout(p, "apply", "z", &text), "entry `apply` has no input or output `z`");
  REFUSED(dtgc_layout(p, "aply", "x", &text), "`apply`");
  REFUSED(dtgc_layout(p, NULL, NULL, &text), "name is NULL");
}

static float w_at(int64_t i, int64_t j) { return (float)(10 * i + j); }

/* The block of m.w that a device should hold, by the block law alone. */
static int w_block(int device, float *to, int64_t *lo, int64_t *hi) {
  int64_t a = device / 3, b = device % 3, n = 0;
  lo[0] = a * K / 2, hi[0] = (a + 1) * K / 2;
  lo[1] = b * N / 3, hi[1] = (b + 1) * N / 3;
  for (int64_t i = lo[0]; i < hi[0]; i++)
    for (int64_t j = lo[1]; j < hi[1]; j++) to[n++] = w_at(i, j);
  return (int)n;
}

static void check_boxes(dtgc_program *p) {
  float block[K * N];
  int64_t lo[2], hi[2], l[2], h[2];
  size_t bytes;
  for (int d = 0; d < DEVICES; d++) {
    size_t n = (size_t)w_block(d, block, lo, hi);
    CHECK(!dtgc_box(p, NULL, "m.w", d, l, h, &bytes) && bytes == n * sizeof *block);
    CHECK(!memcmp(lo, l, sizeof lo) && !memcmp(hi, h, sizeof hi));
  }
  CHECK(!dtgc_box(p, NULL, "m.n", 3, NULL, NULL, &bytes) && bytes == 4);
  REFUSED(dtgc_box(p, NULL, "m.w", 6, l, h, &bytes), "no device 6");
}

static void check_variables(dtgc_program *p) {
  float block[DEVICES][K * N], got[K * N], whole[K][N], b[DEVICES][2] = {{0}};
  dtgc_block w[DEVICES + 1], bias[DEVICES];
  for (int d = 0; d < DEVICES; d++) {
    int64_t lo[2], hi[2];
    w[d] = (dtgc_block){NULL, d, block[d], sizeof(float) * (size_t)w_block(d, block[d], lo, hi)};
    b[d][0] = (float)(2 * (d % 3)), b[d][1] = b[d][0] + 1;
    bias[d] = (dtgc_block){NULL, DEVICES - 1 - d, b[DEVICES - 1 - d], sizeof b[d]};
  }
  CHECK(!dtgc_pack(p, "m.w", w, DEVICES) && !dtgc_get(p, "m.w", whole, sizeof whole));
  for (int i = 0; i < K; i++)
    for (int j = 0; j < N; j++) CHECK(whole[i][j] == w_at(i, j));
  for (int d = 0; d < DEVICES; d++) { /* one at a time */
    CHECK(!dtgc_unpack(p, "m.w", &(dtgc_block){NULL, d, got, w[d].bytes}, 1));
    CHECK(!memcmp(got, block[d], w[d].bytes));
  }
  CHECK(!dtgc_pack(p, "m.b", bias, DEVICES) && !dtgc_get(p, "m.b", got, 6 * sizeof *got));
  for (int i = 0; i < N; i++) CHECK(got[i] == (float)i);
  CHECK(!dtgc_check_replicas(p, "m.b") && !dtgc_check_replicas(p, "m.n"));

  b[4][1] += 0.5f; /* device 4 holds what device 1 does */
  REFUSED(dtgc_pack(p, "m.b", bias, DEVICES),
          "`m.b`: devices 1 and 4 differ in what both hold, first at [3]: 3 and 3.5");
  CHECK(!dtgc_get(p, "m.b", got, 6 * sizeof *got) && got[3] == 3); /* nothing was set */
  REFUSED(dtgc_pack(p, "m.w", w, DEVICES - 1), "the block of device 5 is not given");
  w[DEVICES] = w[2];
  REFUSED(dtgc_pack(p, "m.w", w, DEVICES + 1), "device 2 is given twice");
  w[2].bytes -= 4;
  REFUSED(dtgc_pack(p, "m.w", w, DEVICES), "the buffer has");
  w[2].bytes += 4, w[2].data = NULL;
  REFUSED(dtgc_pack(p, "m.w", w, DEVICES), "is NULL");
  w[2].device = 6;
  REFUSED(dtgc_unpack(p, "m.w", w, DEVICES), "device 6 does not belong to this process");
  REFUSED(dtgc_pack(p, "m.v", w, DEVICES), "no variable `m.v`");
  REFUSED(dtgc_pack(p, "m.w", NULL, 1), "NULL");
  REFUSED(dtgc_check_replicas(p, "m.v"), "no variable `m.v`");
}

static void check_inputs(dtgc_program *p) {
  float x[4][K], s[DEVICES] = {2, 2, 2, 2, 2, 2}, y[4][N], wanted[4][N];
  dtgc_block in[2 * DEVICES];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < K; j++) x[i][j] = (float)(i - j);
  dtgc_buffer whole[] = {{"x", x, sizeof x}, {"s", s, sizeof *s}};
  dtgc_buffer out[] = {{"y", wanted, sizeof wanted}};
  CHECK(!dtgc_run(p, "apply", whole, 2, out, 1));
  for (int d = 0; d < DEVICES; d++) { /* [a, _]: rows 0, 1 on devices 0 to 2 */
    in[d] = (dtgc_block){"x", d, x[d / 3 * 2], sizeof x / 2};
    in[DEVICES + d] = (dtgc_block){"s", d, &s[d], sizeof *s};
  }
  out[0].data = y;
  CHECK(!dtgc_run_blocks(p, "apply", in, 2 * DEVICES, out, 1));
  CHECK(!memcmp(y, wanted, sizeof y) && y[3][5] != 0);
  s[5] = 3;
  REFUSED(dtgc_run_blocks(p, "apply", in, 2 * DEVICES, out, 1),
          "`s`: devices 0 and 5 differ in what both hold, first at []: 2 and 3");
  REFUSED(dtgc_run_blocks(p, "apply", in, DEVICES, out, 1), "`s`: the block of device 0");
  in[0].name = "z";
  REFUSED(dtgc_run_blocks(p, "apply", in, 2 * DEVICES, out, 1), "has no input `z`");
  in[0].name = NULL;
  REFUSED(dtgc_run_blocks(p, "apply", in, 2 * DEVICES, out, 1), "has no name");
  REFUSED(dtgc_run_blocks(p, "aply", in, 0, out, 1), "do you mean");
}

int main(void) {
  dtgc_program *p = NULL;
  int hits = -1, misses = -1;
  dtgc_status s = dtgc_compile_string("m.dtg", model, NULL, &p);
  if (s) fprintf(stderr, "%s\n", dtgc_error(p));
  CHECK(!s);
  dtgc_cache_counts(p, &hits, &misses);
  CHECK(hits == 0 && misses == 0); /* there is no code yet */
  check_layouts(p);
  check_boxes(p);
  dtgc_cache_counts(p, &hits, &misses);
  CHECK(hits + misses == 0);
  check_mesh(p);
  dtgc_cache_counts(p, &hits, &misses);
  CHECK(hits + misses == 1);
  check_variables(p);
  check_inputs(p);
  CHECK(dtgc_size_of("block") == sizeof(dtgc_block) && dtgc_size_of("nothing") == 0);
  dtgc_free(p);
  return failures != 0;
}
