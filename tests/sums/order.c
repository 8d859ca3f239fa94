/* Reductions of every form, each alone, with a map fused into it and beside others over the same
 * tensor, against docs/sums.md: equal to the bit. Sizes are around 32, 1024 and their multiples. */
#include <dtgc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "reference.h"

enum { RANK = 4 };
typedef struct Shape {
  int rank;
  int64_t dim[RANK];
} Shape;

static int failures, compared;
static uint64_t state = 7;
static float random_value(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (float)(state >> 40) * 0x1p-24f + 0.5f;
}

static int64_t count(const Shape *s) {
  int64_t n = 1;
  for (int d = 0; d < s->rank; d++) n *= s->dim[d];
  return n;
}

/* The reference: out has the kept dims. */
static void reduce(Kind k, const float *x, const Shape *s, int dims, float *out) {
  int first = s->rank; /* of the line */
  for (int d = s->rank - 1; d >= 0; d--) {
    if (s->dim[d] == 1) continue;
    if (!(dims >> d & 1)) break;
    first = d;
  }
  int64_t length = 1, at[RANK] = {0}, kept = 1, rows = 1;
  for (int d = first; d < s->rank; d++) length *= s->dim[d];
  for (int d = 0; d < first; d++) *(dims >> d & 1 ? &rows : &kept) *= s->dim[d];
  float *row = malloc(sizeof *row * (size_t)rows);
  const float **from = malloc(sizeof *from * (size_t)rows);
  if (!row || !from) abort();
  const bool side_by_side = rows > 1 && length >= 32 && length <= 512;
  for (int64_t o = 0; o < kept; o++) {
    int64_t rest = o;
    for (int d = first - 1; d >= 0; d--)
      if (!(dims >> d & 1)) at[d] = rest % s->dim[d], rest /= s->dim[d];
    for (int64_t r = 0; r < rows; r++) {
      rest = r;
      for (int d = first - 1; d >= 0; d--)
        if (dims >> d & 1) at[d] = rest % s->dim[d], rest /= s->dim[d];
      int64_t offset = 0;
      for (int d = 0; d < first; d++) offset = offset * s->dim[d] + at[d];
      from[r] = x + offset * length;
      row[r] = length > 1 ? line(k, from[r], length) : *from[r];
    }
    out[o] = side_by_side ? short_lines(k, from, rows, length)
             : rows > 1   ? in_blocks(k, row, rows, 1)
                          : row[0];
  }
  free(row);
  free(from);
}

static void shape_text(const Shape *s, char *out) {
  for (int d = 0; d < s->rank; d++) out += sprintf(out, "%s%ld", d ? ", " : "", (long)s->dim[d]);
}

static void axes_text(int dims, char *out) {
  *out = 0;
  for (int d = 0, any = 0; d < RANK; d++)
    if (dims >> d & 1) out += sprintf(out, "%s%d", any++ ? ", " : "", d);
}

static void check(const char *name, const Shape *s, int dims, const float *got, const float *want,
                  int64_t n) {
  char shape[80], axes[20];
  compared++;
  for (int64_t i = 0; i < n; i++) {
    if (!memcmp(&got[i], &want[i], sizeof *got)) continue;
    shape_text(s, shape), axes_text(dims, axes);
    if (failures++ < 20)
      printf("FAIL %s over [%s] of f32[%s]: element %ld is %.9g, in the documented order %.9g\n",
             name, axes, shape, (long)i, got[i], want[i]);
    return;
  }
}

/* cumsum along a dim, the entry `along` and its number, against the page. */
static void try_scan(dtgc_program *p, const Shape *s, int dim) {
  char entry[20];
  sprintf(entry, "along%d", dim);
  const int64_t n = count(s), len = s->dim[dim];
  int64_t inner = 1;
  for (int d = dim + 1; d < s->rank; d++) inner *= s->dim[d];
  float *x = malloc(sizeof *x * (size_t)n * 6), *a = x + n, *b = a + n, *want = b + n,
        *back = want + n, *own = back + n;
  if (!x) abort();
  for (int64_t i = 0; i < n; i++) x[i] = random_value();
  for (int64_t o = 0; o < n / len / inner; o++)
    for (int64_t i = 0; i < inner; i++)
      for (int reverse = 0; reverse < 2; reverse++) {
        const float *from = x + o * len * inner + i;
        for (int64_t j = 0; j < len; j++) own[j] = from[(reverse ? len - 1 - j : j) * inner];
        float before = 0;
        for (int64_t j = 0; j < len; j++) {
          const int64_t upto = reverse ? j : j + 1, block = j / 32 * 32;
          if (j == block) before = before_block(own, j / 32);
          float sum = 0;
          for (int64_t q = block; q < upto; q++) sum += own[q];
          (reverse ? back : want)[o * len * inner + i + (reverse ? len - 1 - j : j) * inner] =
              before + sum;
        }
      }
  const dtgc_buffer in[] = {{"x", x, sizeof *x * (size_t)n}};
  const size_t bytes = sizeof *x * (size_t)n;
  dtgc_buffer out[] = {{"a", a, bytes}, {"b", b, bytes}};
  if (dtgc_run(p, entry, in, 1, out, 2)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
  } else {
    check("cumsum", s, 1 << dim, a, want, n);
    check("reverse exclusive cumsum", s, 1 << dim, b, back, n);
  }
  free(x);
}

/* All reductions of one shape in one program: alone, of x * 1.5 - 0.25, of a transposed view, and
 * products of values near 1; and scans along each dim, in entries of their own. */
static void try_shape(const Shape *s) {
  static char text[1 << 16];
  char shape[80], axes[20];
  shape_text(s, shape);
  char *t = text;
  t += sprintf(t, "entry f(x: f32[%s], z: f32[%s]) {\n  y = x * 1.5 - 0.25\n  return ", shape,
               shape);
  const int all = 1 << s->rank;
  for (int dims = 1; dims < all; dims++) {
    axes_text(dims, axes);
    t += sprintf(t, "%sa%d = sum(x, axis=[%s]), b%d = sum(y, axis=[%s]), c%d = prod(z, axis=[%s])",
                 dims > 1 ? ", " : "", dims, axes, dims, axes, dims, axes);
  }
  t += sprintf(t, "\n}\n");
  for (int d = 0; d < s->rank; d++)
    t += sprintf(t,
                 "entry along%d(x: f32[%s]) {\n  return a = cumsum(x, axis=%d), b = cumsum(x, axis=%d, "
                 "reverse=true, exclusive=true)\n}\n",
                 d, shape, d, d);
  dtgc_program *p;
  if (dtgc_compile_string("order.dtg", text, NULL, &p)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
    return;
  }
  const int64_t n = count(s);
  float *x = malloc(sizeof *x * (size_t)n * 4), *y = x + n, *z = y + n, *want = z + n;
  if (!x) abort();
  for (int64_t i = 0; i < n; i++) {
    x[i] = random_value();
    y[i] = x[i] * 1.5f;
    y[i] = y[i] - 0.25f;
    z[i] = 1 + (random_value() - 1) * 0x1p-6f;
  }
  const dtgc_buffer in[] = {{"x", x, sizeof *x * (size_t)n}, {"z", z, sizeof *x * (size_t)n}};
  dtgc_buffer out[3 << RANK];
  char name[3 << RANK][8];
  int nout = 0;
  for (int dims = 1; dims < all; dims++) {
    int64_t kept = 1;
    for (int d = 0; d < s->rank; d++)
      if (!(dims >> d & 1)) kept *= s->dim[d];
    for (int k = 0; k < 3; k++, nout++) {
      sprintf(name[nout], "%c%d", 'a' + k, dims);
      out[nout] =
          (dtgc_buffer){name[nout], malloc(sizeof *x * (size_t)kept), sizeof *x * (size_t)kept};
    }
  }
  if (dtgc_run(p, "f", in, 2, out, nout)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
  } else {
    for (int i = 0; i < nout; i++) {
      const int dims = 1 + i / 3, kind = i % 3;
      reduce(kind == 2 ? PROD : SUM, kind == 0 ? x : kind == 1 ? y : z, s, dims, want);
      check(kind == 2   ? "prod"
            : kind == 1 ? "sum of a map"
                        : "sum",
            s, dims, out[i].data, want, (int64_t)(out[i].bytes / sizeof *x));
    }
  }
  for (int i = 0; i < nout; i++) free(out[i].data);
  free(x);
  for (int d = 0; d < s->rank; d++) try_scan(p, s, d);
  dtgc_free(p);
}

/* Products of one depth in one program, an entry of each size: alone, and in tiles of k where maps
 * of both operands are tiled. */
static void try_product(dtgc_program *p, const char *entry, int64_t m, int64_t n, int64_t k) {
  float *x = malloc(sizeof *x * (size_t)(2 * m * k + 2 * k * n + 4 * m * n));
  if (!x) abort();
  float *y = x + m * k, *u = y + k * n, *v = u + m * k, *a = v + k * n, *b = a + m * n,
        *want = b + m * n, *mapped = want + m * n;
  for (int64_t i = 0; i < m * k; i++)
    x[i] = random_value(), u[i] = x[i] * 1.5f, u[i] = u[i] - 0.25f;
  for (int64_t i = 0; i < k * n; i++) y[i] = random_value(), v[i] = y[i] * 2;
  const dtgc_buffer in[] = {{"x", x, sizeof *x * (size_t)(m * k)},
                            {"y", y, sizeof *x * (size_t)(k * n)}};
  const size_t bytes = sizeof *x * (size_t)(m * n);
  dtgc_buffer out[] = {{"a", a, bytes}, {"b", b, bytes}};
  if (dtgc_run(p, entry, in, 2, out, 2)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
  } else {
    const int64_t each = 1 + m * n * k / 1000000 * 37; /* of many elements, some */
    memcpy(want, a, bytes);
    memcpy(mapped, b, bytes);
    for (int64_t i = 0; i < m * n; i += each) {
      want[i] = product(x + i / n * k, y + i % n, k, n);
      mapped[i] = product(u + i / n * k, v + i % n, k, n);
    }
    const Shape s = {3, {m, n, k}};
    check("product", &s, 4, a, want, m * n);
    check("product of maps", &s, 4, b, mapped, m * n);
  }
  free(x);
}

static void try_products(int sizes, const int64_t (*size)[2] /* [sizes]: m, n */, int64_t k) {
  char text[2000], *t = text, entry[20];
  for (int i = 0; i < sizes; i++)
    t += sprintf(t,
                 "entry f%d(x: f32[%ld, %ld], y: f32[%ld, %ld]) {\n  u = transpose(x) * 1.5 - 0.25\n  "
                 "return a = x @ y, "
                 "b = transpose(u) @ (y * 2)\n}\n",
                 i, (long)size[i][0], (long)k, (long)k, (long)size[i][1]);
  dtgc_program *p;
  if (dtgc_compile_string("product.dtg", text, NULL, &p)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
    return;
  }
  for (int i = 0; i < sizes; i++) {
    sprintf(entry, "f%d", i);
    try_product(p, entry, size[i][0], size[i][1], k);
  }
  dtgc_free(p);
}

static bool has_kernels(void) {
#if defined(__x86_64__)
  const char *want = getenv("DTRT_GEMM");
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         (!want || !strcmp(want, "avx2"));
#else
  return false;
#endif
}

/* A convolution [1, 6, 7, c] by [3, 3, c, n], and rows of n added where an index says. */
static void try_ops(int64_t c, int64_t n, int64_t updates) {
  char text[600];
  sprintf(text,
          "entry f(x: f32[1, 6, 7, %ld], w: f32[3, 3, %ld, %ld], i: i32[%ld], u: f32[%ld, %ld]) {\n"
          "  return a = conv(x, w), b = scatter_add(zeros([5, %ld], f32), i, u)\n}\n",
          (long)c, (long)c, (long)n, (long)updates, (long)updates, (long)n, (long)n);
  dtgc_program *p;
  if (dtgc_compile_string("ops.dtg", text, NULL, &p)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
    return;
  }
  const int64_t nx = 42 * c, nw = 9 * c * n, nu = updates * n;
  float *x = malloc(sizeof *x * (size_t)(nx + nw + 2 * nu + 84 * n + 10 * n));
  int32_t *index = malloc(sizeof *index * (size_t)updates);
  if (!x || !index) abort();
  float *w = x + nx, *u = w + nw, *a = u + nu, *b = a + 42 * n, *want = b + 5 * n,
        *rows = want + 47 * n;
  for (int64_t i = 0; i < nx + nw + nu; i++) x[i] = random_value();
  for (int64_t i = 0; i < updates; i++) index[i] = random_value() < 0.7f ? 3 : (int32_t)(i % 5);
  const dtgc_buffer in[] = {{"x", x, sizeof *x * (size_t)nx},
                            {"w", w, sizeof *x * (size_t)nw},
                            {"i", index, sizeof *index * (size_t)updates},
                            {"u", u, sizeof *x * (size_t)nu}};
  dtgc_buffer out[] = {{"a", a, sizeof *x * 42 * (size_t)n}, {"b", b, sizeof *x * 5 * (size_t)n}};
  if (dtgc_run(p, "f", in, 4, out, 2)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
  } else {
    const Shape s = {4, {3, 3, c, n}};
    for (int64_t q = 0; q < 42; q++)
      for (int64_t o = 0; o < n; o++) want[q * n + o] = convolution(x, w, c, n, q / 7, q % 7, o);
    if (has_kernels()) check("convolution", &s, 7, a, want, 42 * n);
    for (int64_t row = 0; row < 5; row++)
      for (int64_t o = 0; o < n; o++) {
        int64_t hits = 0;
        for (int64_t i = 0; i < updates; i++)
          if (index[i] == row) rows[hits++] = u[i * n + o];
        want[row * n + o] = in_blocks(SUM, rows, hits, 1);
      }
    check("scatter", &(Shape){2, {updates, n}}, 1, b, want, 5 * n);
  }
  free(x);
  free(index);
  dtgc_free(p);
}

/* Products over rows that come in tiles, as in attention's gradient, beside the same of stored
 * values. */
static void try_tiles(bool masked) {
  enum { ROWS = 3000, WIDE = 16, SQUARE = ROWS * ROWS, FLAT = ROWS * WIDE };
  static const char mask[] =
      "where(iota([3000, 3000], axis=1) > iota([3000, 3000], axis=0), -inf, ";
  char text[2000];
  snprintf(
      text, sizeof text,
      "entry f(q: f32[3000, 16], k: f32[3000, 16], v: f32[3000, 16], g: f32[3000, 16]) {\n"
      "  p = softmax(%sq @ transpose(k)%s)\n"
      "  dp = g @ transpose(v)\n"
      "  ds = p * (dp - sum(dp * p, axis=1, keepdims=true))\n"
      "  return o = p @ v, dv = transpose(p) @ g, dk = transpose(ds) @ q\n}\n"
      "entry kept(q: f32[3000, 16], k: f32[3000, 16], v: f32[3000, 16], g: f32[3000, 16]) {\n"
      "  p = softmax(%sq @ transpose(k)%s)\n"
      "  dp = g @ transpose(v)\n"
      "  return p = p, ds = p * (dp - sum(dp * p, axis=1, keepdims=true))\n}\n"
      "entry after(p: f32[3000, 3000], ds: f32[3000, 3000], q: f32[3000, 16], g: f32[3000, 16]) {\n"
      "  return dv = transpose(p) @ g, dk = transpose(ds) @ q\n}\n",
      masked ? mask : "", masked ? ")" : "", masked ? mask : "", masked ? ")" : "");
  dtgc_program *t;
  if (dtgc_compile_string("tiles.dtg", text, NULL, &t)) {
    printf("FAIL %s\n", dtgc_error(t));
    failures++;
    return;
  }
  float *x = malloc(sizeof *x * (9 * (size_t)FLAT + 2 * (size_t)SQUARE));
  if (!x) abort();
  for (int i = 0; i < 4 * FLAT; i++) x[i] = random_value() - 1;
  const size_t flat = sizeof *x * FLAT, square = sizeof *x * SQUARE;
  float *o = x + 4 * FLAT, *dv = o + FLAT, *dk = dv + FLAT, *v2 = dk + FLAT, *k2 = v2 + FLAT;
  float *p = k2 + FLAT, *ds = p + SQUARE;
  const dtgc_buffer in[] = {
      {"q", x, flat}, {"k", x + FLAT, flat}, {"v", x + 2 * FLAT, flat}, {"g", x + 3 * FLAT, flat}};
  dtgc_buffer out[] = {{"o", o, flat}, {"dv", dv, flat}, {"dk", dk, flat}};
  dtgc_buffer kept[] = {{"p", p, square}, {"ds", ds, square}};
  const dtgc_buffer again[] = {{"p", p, square}, {"ds", ds, square}, in[0], in[3]};
  dtgc_buffer after[] = {{"dv", v2, flat}, {"dk", k2, flat}};
  if (dtgc_run(t, "f", in, 4, out, 3) || dtgc_run(t, "kept", in, 4, kept, 2) ||
      dtgc_run(t, "after", again, 4, after, 2)) {
    printf("FAIL %s\n", dtgc_error(t));
    failures++;
  } else {
    const Shape s = {2, {ROWS, WIDE}};
    check("product in tiles", &s, 1, dv, v2, FLAT);
    check("product in tiles", &s, 1, dk, k2, FLAT);
  }
  free(x);
  dtgc_free(t);
}

int main(void) {
  static const Shape shapes[] = {
      {1, {1}},           {1, {31}},           {1, {32}},
      {1, {33}},          {1, {1023}},         {1, {1024}},
      {1, {1025}},        {1, {2047}},         {1, {3072}},
      {1, {5000}},        {1, {66000}},        {2, {40, 40}},
      {2, {33, 1}},       {2, {1, 2049}},      {2, {64, 3}},
      {2, {65, 16}},      {2, {3, 64}},        {2, {1000, 7}},
      {2, {7, 1100}},     {2, {2100, 2}},      {2, {129, 33}},
      {3, {5, 33, 3}},    {3, {34, 3, 7}},     {3, {3, 7, 34}},
      {3, {40, 70, 5}},   {3, {70, 1, 70}},    {3, {1, 65, 40}},
      {3, {12, 12, 12}},  {3, {2, 1100, 3}},   {4, {2, 28, 28, 3}},
      {4, {5, 9, 8, 16}}, {4, {3, 40, 2, 33}}, {4, {3, 70, 3, 64}},
      {3, {40, 3, 512}},  {3, {70, 2, 513}},   {4, {9, 2, 10, 35}},
      {3, {70, 3, 2100}},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) try_shape(&shapes[i]);
  static const int64_t depth[] = {1,   16,   63,   64,   65,   128,  255,  256,  257,
                                  513, 1000, 2047, 2048, 2049, 2304, 4096, 4099, 10000};
  static const int64_t sizes[][2] = {{3, 5}, {40, 33}, {17, 80}}, large[][2] = {{2100, 2100}};
  for (size_t i = 0; has_kernels() && i < sizeof depth / sizeof *depth; i++)
    try_products(3, sizes, depth[i]);
  for (int masked = 0; has_kernels() && masked < 2; masked++) try_tiles(masked);
  static const int64_t channels[] = {1, 3, 16, 22, 70, 400, 1500};
  for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
    try_ops(channels[i], 2 + 9 * (int64_t)i, 20 + 300 * (int64_t)(i * i));
  if (has_kernels()) try_products(1, large, 2200); /* the result in several pieces */
  printf("%d reductions compared, %d failures\n", compared, failures);
  return failures > 0 || compared == 0;
}
