/* Ops on zeros of both signs, infinities, NaN, the ends of each type and empty dims against what
 * NumPy gives (special.py). All rows stand in one program. Reals may differ by a few roundings,
 * those of f16 and bf16 by one; results too small to be normal may be zeros. */
#include "kit.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Data {
  const char *name, *dtype;
  int rank;
  int64_t dim[3];
  const void *at; /* doubles of floats, else int64_t: of u64 its bits */
} Data;

typedef struct Row {
  const char *expr;
  int nin;
  Data in[3], want;
} Row;

#include "special.h"

enum { ROWS = sizeof rows / sizeof *rows };
static int failures;
static long checked;

static dtgc_dtype dtype_of(const Data *d) {
  bool ok;
  return dtype_named(d->dtype, strlen(d->dtype), &ok);
}

static Tensor tensor_of(const Data *d) {
  Tensor t = {.dtype = dtype_of(d), .rank = d->rank};
  memcpy(t.dim, d->dim, sizeof d->dim);
  tensor_size(&t);
  return t;
}

static bool is_real(dtgc_dtype t) { return t >= DTGC_F16 && t <= DTGC_F64; }

/* As its bits. */
static bool is_long(dtgc_dtype t) { return t == DTGC_I64 || t == DTGC_U64; }

/* f16 and bf16 by their bits; the kit's own values are those of f32 and f64. */
static bool is_half(dtgc_dtype t) { return t == DTGC_F16 || t == DTGC_BF16; }

static double half_value(dtgc_dtype t, uint16_t h) {
  if (t == DTGC_BF16) {
    const uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
  }
  int e = h >> 10 & 31, m = h & 1023;
  double v = e == 31 ? (m ? NAN : INFINITY) : ldexp(e ? 1024 + m : m, (e ? e : 1) - 25);
  return h & 0x8000 ? -v : v;
}

static uint16_t half_of(dtgc_dtype t, double v) {
  for (uint32_t h = 0; h < 65536; h++) {
    double u = half_value(t, (uint16_t)h);
    if ((u == v && !signbit(u) == !signbit(v)) || (u != u && v != v)) return (uint16_t)h;
  }
  abort();
}

static void put(Tensor *t, int64_t i, const Data *d) {
  if (is_half(t->dtype))
    ((uint16_t *)t->data)[i] = half_of(t->dtype, ((const double *)d->at)[i]);
  else if (is_real(t->dtype))
    tensor_put(t, i, ((const double *)d->at)[i]);
  else if (is_long(t->dtype))
    ((int64_t *)t->data)[i] = ((const int64_t *)d->at)[i];
  else
    tensor_put(t, i, (double)((const int64_t *)d->at)[i]);
}

static bool alike(const Tensor *t, int64_t i, const Data *d) {
  if (!is_real(t->dtype)) {
    int64_t got = is_long(t->dtype) ? ((int64_t *)t->data)[i] : (int64_t)tensor_at(t, i);
    return got == ((const int64_t *)d->at)[i];
  }
  double want = ((const double *)d->at)[i];
  double got = is_half(t->dtype) ? half_value(t->dtype, ((uint16_t *)t->data)[i]) : tensor_at(t, i);
  double eps = t->dtype == DTGC_F16    ? 0x1p-10
               : t->dtype == DTGC_BF16 ? 0x1p-7
               : t->dtype == DTGC_F32  ? FLT_EPSILON
                                       : DBL_EPSILON;
  double least = t->dtype == DTGC_F16 ? 0x1p-14 : t->dtype == DTGC_F64 ? DBL_MIN : FLT_MIN;
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
  return got == want || fabs(got - want) <= (is_half(t->dtype) ? 1 : 8) * eps * fabs(want) ||
         (fabs(want) <= least && fabs(got) <= least);
}

static void check(dtgc_program *p, int k) {
  const Row *row = &rows[k];
  Tensor in[3], out;
  dtgc_buffer buffer[3];
  dtgc_tensor r;
  char entry[20];
  snprintf(entry, sizeof entry, "row%d", k);
  for (int j = 0; j < row->nin; j++) {
    in[j] = tensor_of(&row->in[j]);
    for (int64_t i = 0; i < in[j].count; i++) put(&in[j], i, &row->in[j]);
    buffer[j] = (dtgc_buffer){row->in[j].name, in[j].data, in[j].bytes};
  }
  if (dtgc_output(p, entry, 0, &r)) abort();
  out = (Tensor){.dtype = r.dtype, .rank = r.rank};
  memcpy(out.dim, r.shape, sizeof *r.shape * (size_t)r.rank);
  tensor_size(&out);
  bool shape = out.rank == row->want.rank &&
               !memcmp(out.dim, row->want.dim, sizeof *out.dim * (size_t)out.rank) &&
               is_real(out.dtype) == is_real(dtype_of(&row->want));
  dtgc_buffer o = {"r", out.data, out.bytes};
  if (!shape || dtgc_run(p, entry, buffer, row->nin, &o, 1)) {
    fprintf(stderr, "%s of %s: %s\n", row->expr, row->in[0].dtype,
            shape ? dtgc_error(p) : "another shape or kind");
    failures++;
  }
  for (int64_t i = 0, told = 0; shape && i < out.count; i++, checked++)
    if (!alike(&out, i, &row->want) && failures++ < 40 && told++ < 3)
      fprintf(stderr, "%s of %s: element %ld is wrong\n", row->expr, row->in[0].dtype, (long)i);
  for (int j = 0; j < row->nin; j++) tensor_free(&in[j]);
  tensor_free(&out);
}

int main(void) {
  char *model, *why = NULL, type[100];
  size_t n;
  FILE *f = open_memstream(&model, &n);
  if (!f) abort();
  for (int k = 0; k < ROWS; k++) {
    fprintf(f, "entry row%d(", k);
    for (int j = 0; j < rows[k].nin; j++) {
      Tensor t = tensor_of(&rows[k].in[j]);
      tensor_type(&t, type, sizeof type);
      fprintf(f, "%s%s: %s", j ? ", " : "", rows[k].in[j].name, type);
      tensor_free(&t);
    }
    fprintf(f, ") { return r = %s }\n", rows[k].expr);
  }
  fclose(f);
  dtgc_program *p = kit_compile(model, NULL, NULL, &why);
  if (!p) fprintf(stderr, "%s", why), failures++;
  for (int k = 0; p && k < ROWS; k++) check(p, k);
  dtgc_free(p);
  free(model);
  free(why);
  printf("%d rows, %ld values checked, %d failures\n", ROWS, checked, failures);
  return failures || !checked;
}
