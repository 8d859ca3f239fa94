/* gemm_cores.c: a product as parts of its result, each of which one core computes as if it were a
 * product of its own: an element has the same bits in any part of at least two rows and columns
 * (gemm_kernel.h). Parts of rows read all of b, parts of columns all of a, and pack it; the cut is
 * that which packs least. An epilogue wants whole rows: it follows each part of rows, or, where
 * columns are cut, all of them. */
#include "gemm_cores.h"
#include "crew.h"
#include "gemm_kernel.h"
#include "gemm_small.h"
#include "gemm_vector.h"
#include <stddef.h>
#include <string.h>

enum {
  ROW_UNIT =
      GEMM_ROW_UNIT, /* parts begin at multiples of these, rows also at those of an epilogue */
  COLUMN_UNIT = 32,
  PART_FLOPS = 1000000, /* of a part at least: some microseconds */
  MOST_PARTS = 4        /* for a core */
};

/* In the time of one multiplication and addition on one core: to pack an element, and to read and
 * write one of the result once more. Late cores cost a part of the last round. */
static const double PACK = 12, AGAIN = 26, LATE = 0.04;

static int64_t units(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }

static double cost(double m, double n, double k, GemmCut g, bool then, int cores) {
  const double rows = (double)g.rows, columns = (double)g.columns, parts = rows * columns;
  const double rounds = (double)((g.rows * g.columns + cores - 1) / cores);
  const double part = m / rows * (n / columns) * k + PACK * k * (m / rows + n / columns);
  const double again = then && g.columns > 1 ? AGAIN * m * n / cores : 0;
  return rounds * part * (1 + (parts > 1 ? LATE / rounds : 0)) + again;
}

GemmCut gemm_cut(int64_t m, int64_t n, int64_t k, bool then, int64_t unit, int cores) {
  GemmCut best = {1, 1};
  const double flops = 2 * (double)m * (double)n * (double)k;
  const int64_t high = units(m, unit), wide = units(n, COLUMN_UNIT);
  if (cores < 2 || m < 2 || n < 2 || flops < 2 * PART_FLOPS) return best;
  double least = cost((double)m, (double)n, (double)k, best, then, cores);
  for (int64_t parts = cores; parts <= MOST_PARTS * (int64_t)cores; parts += cores)
    for (int64_t rows = 1; rows <= parts; rows++) {
      const GemmCut g = {rows, parts / rows};
      if (parts % rows || rows > high || g.columns > wide || flops / (double)parts < PART_FLOPS)
        continue;
      const double c = cost((double)m, (double)n, (double)k, g, then, cores);
      if (c < least) least = c, best = g;
    }
  return best;
}

typedef struct Deal {
  const GemmCall *p;
  GemmCut cut;
  int64_t unit; /* parts of rows begin at multiples of it */
  bool after;   /* the epilogue, if there is one, comes after all parts */
} Deal;

/* Where part i of `parts` of n begins: at a unit, and not so that one row or column is left. */
static int64_t begin(int64_t i, int64_t parts, int64_t n, int64_t unit) {
  const int64_t at = units(n, unit) * i / parts * unit;
  return i == parts || at > n ? n : at > 0 && n - at < 2 ? n - 2 : at;
}

static void part_rows(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from,
                      int64_t to) {
  const dtrt_epilogue *then = p[0];
  then->rows(dev, then->p, then->n, n[0] + from, n[0] + to);
}

static void parts(void *arg, int core, int64_t from, int64_t to) {
  const Deal *d = arg;
  const GemmCall *p = d->p;
  (void)core;
  for (int64_t at = from; at < to; at++) {
    const int64_t r = at / d->cut.columns, q = at % d->cut.columns;
    const int64_t i = begin(r, d->cut.rows, p->m, d->unit),
                  j = begin(q, d->cut.columns, p->n, COLUMN_UNIT);
    const int64_t m = begin(r + 1, d->cut.rows, p->m, d->unit) - i,
                  n = begin(q + 1, d->cut.columns, p->n, COLUMN_UNIT) - j;
    const int64_t a_size = p->dtype == DTRT_F32 || p->rounds & DTRT_ROUND_A ? 4 : 2,
                  b_size = p->dtype == DTRT_F32 || p->rounds & DTRT_ROUND_B ? 4 : 2;
    const char *a = (const char *)p->a + i * (p->ta ? 1 : p->lda) * a_size,
               *b = (const char *)p->b + j * (p->tb ? p->ldb : 1) * b_size;
    float *c = p->c + i * p->ldc + j;
    if (d->after) {
      if (p->dtype == DTRT_F32 && p->keeps)
        dtrt_gemm_keeping(p->ta, p->tb, m, n, p->k, a, p->lda, b, p->ldb, c, p->ldc, p->accumulate);
      else if (p->dtype == DTRT_F32)
        dtrt_gemm(DTRT_F32, p->ta, p->tb, m, n, p->k, a, p->lda, b, p->ldb, c, p->ldc,
                  p->accumulate);
      else
        dtrt_gemm_half(p->dtype, p->rounds, p->ta, p->tb, m, n, p->k, a, p->lda, b, p->ldb, c,
                       p->ldc, p->accumulate, p->keeps, NULL);
      continue;
    }
    dtrt_epilogue then = *p->then;
    const void *read[8];
    for (int32_t k = 0; k < then.nread; k++) read[k] = (const float *)then.read[k] + i * p->n;
    then.rows = part_rows, then.p = (void *const[]){(void *)p->then}, then.n = &i, then.read = read;
    if (p->dtype == DTRT_F32 && p->keeps)
      dtrt_gemm_epilogue_keeping(p->ta, p->tb, m, n, p->k, a, p->lda, b, p->ldb, c, &then);
    else if (p->dtype == DTRT_F32)
      dtrt_gemm_epilogue(p->ta, p->tb, m, n, p->k, a, p->lda, b, p->ldb, c, &then);
    else
      dtrt_gemm_half(p->dtype, p->rounds, p->ta, p->tb, m, n, p->k, a, p->lda, b, p->ldb, c, p->ldc,
                     p->accumulate, p->keeps, &then);
  }
}

static void rows_after(void *arg, int core, int64_t from, int64_t to) {
  const dtrt_epilogue *then = arg;
  (void)core;
  then->rows(then->dev, then->p, then->n, from, to);
}

bool gemm_dealt(const GemmCall *p) {
  const int cores = crew_cores();
  if (cores < 2 || !gemm_kernel()) return false;
  const int64_t unit = p->then && p->then->unit ? p->then->unit : ROW_UNIT;
  const bool ordered =
      unit >= p->m; /* within parts of columns alone, and the epilogue afterwards */
  Deal d = {p, {1, 1}, ordered || p->m % unit == 1 ? ROW_UNIT : unit, false};
  d.cut = gemm_cut(p->m, p->n, p->k, p->then && d.unit == unit, d.unit, cores);
  if (d.cut.rows * d.cut.columns < 2) return false;
  d.after = !p->then || d.unit != unit || d.cut.columns > 1;
  crew_run(d.cut.rows * d.cut.columns, 1, parts, &d);
  if (p->then && d.after) crew_run(p->m, unit, rows_after, (void *)p->then);
  return true;
}

/* -------- a matrix and a vector -------- */

/* Rows that lie along the vector are dot products: each has the same bits in any part (swept over
 * OpenBLAS's kernels for Nehalem to SkylakeX). Columns have by our own kernels; a core takes as
 * many side by side as it can, since each row is read as far as they go. */
enum {
  VECTOR_UNIT = 64,
  VECTOR_PART_BYTES = 64 << 10 /* of the matrix, for a part at least: some microseconds */
};

static void vector_part(void *arg, int core, int64_t from, int64_t to) {
  const GemmCall *p = arg;
  const bool rows = p->n == 1;
  const int64_t all = rows ? p->m : p->n;
  if (all - to == 1) to = all; /* a part of one element would be another kind of product */
  (void)core;
  const float *a = (const float *)p->a + (rows ? from * (p->ta ? 1 : p->lda) : 0),
              *b = (const float *)p->b + (rows ? 0 : from * (p->tb ? p->ldb : 1));
  dtrt_gemm(DTRT_F32, p->ta, p->tb, rows ? to - from : 1, rows ? 1 : to - from, p->k, a, p->lda, b,
            p->ldb, p->c + from * (rows ? p->ldc : 1), p->ldc, p->accumulate);
}

bool gemm_vector_dealt(const GemmCall *p) {
  const int64_t all = p->n == 1 ? p->m : p->n;
  const bool dots = p->n == 1 ? !p->ta : p->m == 1 && p->tb;
  if ((p->m != 1 && p->n != 1) || crew_cores() < 2 || p->k < 1) return false;
  if (!dots && !gemm_kernel()) return false;
  int64_t grain = VECTOR_UNIT;
  if (!dots) grain *= (all + VECTOR_UNIT * crew_cores() - 1) / (VECTOR_UNIT * crew_cores());
  while (grain * p->k * (int64_t)sizeof(float) < VECTOR_PART_BYTES) grain *= 2;
  const int64_t dealt = all % grain == 1 ? all - 1 : all;
  if (dealt <= grain) return false;
  crew_run(dealt, grain, vector_part, (void *)p);
  return true;
}

/* -------- many products -------- */

typedef struct Many {
  const GemmCall *p;
  const dtrt_loops *loops;
  int64_t count, added; /* products apart, and those that add up to each */
} Many;

/* Steps of the loops from..to where they run for the i-th time in all, the last fastest. */
static void steps_to(const dtrt_loops *l, int from, int to, int64_t i, int64_t *step) {
  for (int d = to - 1; d >= from; d--) {
    const int64_t at = i % l->count[d];
    i /= l->count[d];
    step[0] += at * l->a[d], step[1] += at * l->b[d], step[2] += at * l->c[d];
  }
}

/* Of many matrices times a vector each, which come from beyond L2: the CPU waits at the begin of
 * each, as it cannot know where the next one lies. */
static bool reads_far(const Many *m) {
  const GemmCall *p = m->p;
  const dtrt_loops *l = m->loops;
  float *room;
  const int64_t near = gemm_setup(&room)->all_floats, each = p->k * (p->m == 1 ? p->n : p->m);
  int64_t span = each;
  for (int d = 0; d < l->n; d++) {
    const int64_t step = p->n == 1 ? l->a[d] : l->b[d];
    span += (l->count[d] - 1) * (step < 0 ? -step : step);
  }
  return each <= near / 4 && span > 2 * near;
}

/* Of the matrices' rows, bytes that are fetched before they are multiplied: all of the next
 * matrix's where that is small, as it has come then when it is its turn; else, where the CPU itself
 * fetches what follows in memory, the first ones. */
enum { SMALL_BYTES = 64 << 10, FETCHED_BYTES = 16 << 10, BEGIN_BYTES = 8 << 10 };

static void fetch_next(GemmVector *v, const float *next) {
  const int64_t rows = v->along ? v->n : v->k, bytes = 4 * (v->along ? v->k : v->n);
  const bool small = rows * bytes <= SMALL_BYTES;
  const int64_t most = (small ? FETCHED_BYTES : BEGIN_BYTES) / bytes;
  v->fetch = (GemmFetch){most < 1 ? 1 : most < rows ? most : rows, rows, next, small};
}

/* Those of the q-th product of all. */
static void steps_of(const Many *m, int64_t q, int64_t *step) {
  memset(step, 0, 3 * sizeof *step);
  steps_to(m->loops, 0, m->loops->apart, m->added > 1 ? q / m->added : q, step);
  if (m->added > 1) steps_to(m->loops, m->loops->apart, m->loops->n, q % m->added, step);
}

/* Matrices times a vector each: while one is multiplied, the next is fetched. */
static void vectors_part(void *arg, int core, int64_t from, int64_t to) {
  const Many *m = arg;
  const GemmCall *p = m->p;
  const float *a = p->a, *b = p->b;
  float *c = p->c;
  const GemmVector first = gemm_vector_of(p->ta, p->tb, p->m, p->n, p->k, a, p->lda, b, p->ldb, c,
                                          p->ldc, p->accumulate != 0);
  const int matrix = p->n == 1 ? 0 : 1; /* whose steps are the matrix's */
  const bool far = reads_far(m);
  (void)core;
  int64_t step[3], next[3];
  steps_of(m, from * m->added, next);
  for (int64_t q = from * m->added; q < to * m->added; q++) {
    const bool last = q + 1 == to * m->added;
    memcpy(step, next, sizeof step);
    if (!last) steps_of(m, q + 1, next);
    GemmVector v = first;
    v.a += step[matrix], v.x += step[!matrix], v.c += step[2];
    if (far) fetch_next(&v, last ? NULL : first.a + next[matrix]);
    if (!gemm_vector(&v))
      dtrt_gemm(DTRT_F32, p->ta, p->tb, p->m, p->n, p->k, a + step[0], p->lda, b + step[1], p->ldb,
                c + step[2], p->ldc, p->accumulate);
  }
}

static bool is_half(const GemmCall *p) { return p->dtype == DTRT_BF16 || p->dtype == DTRT_F16; }
static int64_t size_of(const GemmCall *p) { return is_half(p) ? 2 : p->dtype == DTRT_F64 ? 8 : 4; }
static int64_t size_of_result(const GemmCall *p) { return p->dtype == DTRT_F64 ? 8 : 4; }

/* Small products, as many at a time as the innermost loop has: the ones that add up to one result,
 * if any do, which are innermost. */
static void small_part(void *arg, int core, int64_t from, int64_t to) {
  const Many *m = arg;
  const GemmCall *p = m->p;
  const dtrt_loops *l = m->loops;
  const int64_t size = size_of(p);
  (void)core;
  const int last = (m->added > 1 ? l->n : l->apart) - 1;
  const int64_t run = last < 0 ? 1 : l->count[last];
  const int64_t next[3] = {run > 1 ? l->a[last] : 0, run > 1 ? l->b[last] : 0,
                           run > 1 ? l->c[last] : 0};
  for (int64_t q = from * m->added, end = to * m->added, here; q < end; q += here) {
    here = run - q % run < end - q ? run - q % run : end - q;
    int64_t step[3];
    steps_of(m, q, step);
    const char *a = (const char *)p->a + step[0] * size, *b = (const char *)p->b + step[1] * size;
    char *c = (char *)p->c + step[2] * size_of_result(p);
    if (is_half(p))
      gemm_half_small(p, here, (const void *)a, (const void *)b, (void *)c, next);
    else
      gemm_small(p, here, a, b, c, next);
  }
}

/* The matrices of all products are more than half of L2, those of one are not. */
static bool come_from_afar(const Many *m) {
  const GemmCall *p = m->p;
  const dtrt_loops *l = m->loops;
  float *room;
  if (p->dtype != DTRT_F32 || !gemm_kernel()) return false;
  int64_t a = p->m * p->k, b = p->k * p->n, c = p->m * p->n;
  const int64_t near = gemm_setup(&room)->all_floats, each = a + b + c;
  for (int d = 0; d < l->n; d++)
    a *= l->a[d] ? l->count[d] : 1, b *= l->b[d] ? l->count[d] : 1, c *= l->c[d] ? l->count[d] : 1;
  return each <= near && a + b + c > near;
}

static void many_part(void *arg, int core, int64_t from, int64_t to) {
  const Many *m = arg;
  const GemmCall *p = m->p;
  const int64_t size = size_of(p), end = to * m->added;
  const bool far = come_from_afar(m);
  (void)core;
  int64_t step[3], next[3];
  steps_of(m, from * m->added, next);
  for (int64_t q = from * m->added; q < end; q++) {
    memcpy(step, next, sizeof step);
    if (q + 1 < end) steps_of(m, q + 1, next);
    if (far && q + 1 < end)
      gemm_then(p->m, p->n, p->k, (const float *)p->a + next[0], p->ta ? 1 : p->lda,
                p->ta ? p->lda : 1, (const float *)p->b + next[1], p->tb ? 1 : p->ldb,
                p->tb ? p->ldb : 1, p->c + next[2], p->ldc);
    const char *a = (const char *)p->a + step[0] * size, *b = (const char *)p->b + step[1] * size;
    char *c = (char *)p->c + step[2] * size_of_result(p);
    if (is_half(p))
      dtrt_gemm_half(p->dtype, 0, p->ta, p->tb, p->m, p->n, p->k, a, p->lda, b, p->ldb, c, p->ldc,
                     p->accumulate, 0, NULL);
    else
      dtrt_gemm(p->dtype, p->ta, p->tb, p->m, p->n, p->k, a, p->lda, b, p->ldb, c, p->ldc,
                p->accumulate);
    if (far) gemm_then_nothing();
  }
}

/* By the kernels of vectors, which have the same bits as those of small matrices: where each is not
 * small, or where the next is to be fetched. */
static bool are_vectors(const Many *m) {
  const GemmCall *p = m->p;
  if (p->dtype != DTRT_F32 || (p->m != 1 && p->n != 1) || p->m < 1 || p->n < 1 || p->k < 1)
    return false;
  return gemm_kernel() &&
         (!gemm_is_small(p) || p->m > GEMM_SMALL_SIDE || p->n > GEMM_SMALL_SIDE || reads_far(m));
}

/* Few large products are dealt each by itself. */
void dtrt_gemm_loops(int32_t dtype, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
                     int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate,
                     const dtrt_loops *loops) {
  const GemmCall p = {dtype, 0, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate, 0, NULL};
  Many many = {&p, loops, 1, 1};
  for (int d = 0; d < loops->n; d++)
    *(d < loops->apart ? &many.count : &many.added) *= loops->count[d];
  if (!many.count || !many.added) return;
  const double flops = 2 * (double)m * (double)n * (double)k,
               bytes = 4 * ((double)m + (double)n) * (double)k,
               part = (double)many.added * (flops / PART_FLOPS > bytes / VECTOR_PART_BYTES
                                                ? flops / PART_FLOPS
                                                : bytes / VECTOR_PART_BYTES);
  const int64_t grain = part >= 1 ? 1 : part > 0 ? (int64_t)(1 / part) + 1 : many.count;
  const int cores = crew_cores();
  const bool small = is_half(&p) ? gemm_half_is_small(&p) : gemm_is_small(&p);
  CrewPart *const fn = are_vectors(&many) ? vectors_part : small ? small_part : many_part;
  if (cores < 2 || many.count < 2 * grain ||
      (part >= 2 && many.count < MOST_PARTS * (int64_t)cores))
    fn(&many, 0, 0, many.count);
  else
    crew_run(many.count, grain, fn, &many);
}
