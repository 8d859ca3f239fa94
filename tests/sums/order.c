/* Reductions of every form, each alone, with a map fused into it and beside others over the same
 * tensor, against docs/sums.md: equal to the bit. Sizes are around 32, 1024 and their multiples. */
#include <dtgc.h>
#include <math.h>
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
  if (!row) abort();
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
      row[r] = length > 1 ? line(k, x + offset * length, length) : x[offset];
    }
    out[o] = rows > 1 ? in_blocks(k, row, rows, 1) : row[0];
  }
  free(row);
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

/* All reductions of one shape in one program: alone, of x * 1.5 - 0.25, of a transposed view, and
 * products of values near 1. */
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
  sprintf(t, "\n}\n");
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
  dtgc_free(p);
}

/* cumsum along a dim against the page. */
static void try_scan(const Shape *s, int dim) {
  char text[512], shape[80];
  shape_text(s, shape);
  sprintf(text,
          "entry f(x: f32[%s]) {\n  return a = cumsum(x, axis=%d), b = cumsum(x, axis=%d, "
          "reverse=true, exclusive=true)\n}\n",
          shape, dim, dim);
  dtgc_program *p;
  if (dtgc_compile_string("scan.dtg", text, NULL, &p)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
    return;
  }
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
        for (int64_t j = 0; j < len; j++) {
          const int64_t upto = reverse ? j : j + 1, block = j / 32 * 32;
          const float before = in_blocks(SUM, own, block, 1);
          float sum = 0;
          for (int64_t q = block; q < upto; q++) sum += own[q];
          (reverse ? back : want)[o * len * inner + i + (reverse ? len - 1 - j : j) * inner] =
              before + sum;
        }
      }
  const dtgc_buffer in[] = {{"x", x, sizeof *x * (size_t)n}};
  const size_t bytes = sizeof *x * (size_t)n;
  dtgc_buffer out[] = {{"a", a, bytes}, {"b", b, bytes}};
  if (dtgc_run(p, "f", in, 1, out, 2)) {
    printf("FAIL %s\n", dtgc_error(p));
    failures++;
  } else {
    check("cumsum", s, 1 << dim, a, want, n);
    check("reverse exclusive cumsum", s, 1 << dim, b, back, n);
  }
  free(x);
  dtgc_free(p);
}

int main(void) {
  static const Shape shapes[] = {
      {1, {1}},          {1, {31}},           {1, {32}},          {1, {33}},
      {1, {1023}},       {1, {1024}},         {1, {1025}},        {1, {2047}},
      {1, {3072}},       {1, {5000}},         {1, {66000}},       {2, {40, 40}},
      {2, {33, 1}},      {2, {1, 2049}},      {2, {64, 3}},       {2, {65, 16}},
      {2, {3, 64}},      {2, {1000, 7}},      {2, {7, 1100}},     {2, {2100, 2}},
      {2, {129, 33}},    {3, {5, 33, 3}},     {3, {34, 3, 7}},    {3, {3, 7, 34}},
      {3, {40, 70, 5}},  {3, {70, 1, 70}},    {3, {1, 65, 40}},   {3, {12, 12, 12}},
      {3, {2, 1100, 3}}, {4, {2, 28, 28, 3}}, {4, {5, 9, 8, 16}}, {4, {3, 40, 2, 33}},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    try_shape(&shapes[i]);
    for (int d = 0; d < shapes[i].rank; d++) try_scan(&shapes[i], d);
  }
  printf("%d reductions compared, %d failures\n", compared, failures);
  return failures > 0 || compared == 0;
}
