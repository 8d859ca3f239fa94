/* dft.c: discrete Fourier transforms of lines of complex numbers (pairs of re and im) or of real
 * ones, not scaled, along any dim. Sizes of factors up to 13 take Stockham's stages, which need no
 * permutation; others Bluestein's convolution with a chirp, of such a size. An even number of real
 * ones is half as many complex ones. As many lines as a vector has lanes go through the stages
 * together (dft_lines.inc): along the last dim they are transposed, along others they lie so. */
#include "dft.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "crew.h"
#include "device.h"
#include "dtrt.h"
#include "vectors.h"

enum {
  NEAR = 1 << 23,  /* bytes of lines that go together: of longer ones fewer do */
  FAR = 1 << 25,   /* of columns, which share cache lines */
  LEAST = 1 << 14, /* numbers for which another core is worth waking */
  APART = 80,      /* numbers between arrays, which would meet in the same lines of L1 else */
  FEW = 4          /* lines, which are a vector after the first stage */
};

/* -------- tables -------- */

/* Numbers re and im of a table's type, by which they are stored. */
static DftParts parts_new(bool is_f64, int64_t n) {
  const size_t size = is_f64 ? sizeof(double) : sizeof(float);
  char *at = malloc((size_t)(n > 0 ? n : 1) * 2 * size);
  return (DftParts){at, at ? at + (size_t)n * size : at};
}
static void put(const DftTable *p, DftParts x, int64_t at, double re, double im) {
  if (p->is_f64)
    ((double *)x.re)[at] = re, ((double *)x.im)[at] = im;
  else
    ((float *)x.re)[at] = (float)re, ((float *)x.im)[at] = (float)im;
}

/* exp(-2 pi i k / n), 0 <= k < n: of an angle up to pi / 4, so that it is exact to the last place
 * and symmetric. */
static void root_of(int64_t k, int64_t n, double *re, double *im) {
  const bool below = 2 * k > n;
  if (below) k = n - k;
  const bool left = 4 * k > n;
  const double up = left ? (double)n / 2 - (double)k : (double)k; /* up to n / 4 */
  const bool steep = 8 * up > (double)n;
  const double angle =
      2 * 3.14159265358979323846 * (steep ? ((double)n / 4 - up) / (double)n : up / (double)n);
  const double c = steep ? sin(angle) : cos(angle), s = steep ? cos(angle) : sin(angle);
  *re = left ? -c : c;
  *im = below ? s : -s;
}

/* exp(-2 pi i k / n) as number `at`. */
static void put_root(const DftTable *p, DftParts x, int64_t at, int64_t k, int64_t n) {
  double re, im;
  root_of(k, n, &re, &im);
  put(p, x, at, re, im);
}

/* Odd factors first, then 2, 4 and 8, the largest last, whose outputs are not turned. */
static int next_radix(int64_t n) {
  static const int odd[] = {13, 11, 7, 5, 3};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    if (n % odd[i] == 0) return odd[i];
  int twos = 0;
  while (n % 2 == 0) n /= 2, twos++;
  return n > 1 || !twos ? 0 : twos == 1 ? 2 : twos % 3 ? 4 : 8;
}

static bool is_smooth(int64_t n) {
  while (n > 1 && next_radix(n)) n /= next_radix(n);
  return n == 1;
}

static const DftKernels *kernels(void);
static const DftTable *table_of(int64_t n, bool is_f64);

static bool make_stages(DftTable *p) {
  for (int64_t left = p->n; left > 1;) {
    const int r = next_radix(left);
    DftStage *s = &p->stage[p->nstages++];
    *s = (DftStage){r, left / r, parts_new(p->is_f64, left), parts_new(p->is_f64, r)};
    if (!s->turn.re || !s->root.re) return false;
    for (int64_t i = 0; i < s->parts; i++)
      for (int k = 0; k < r; k++) put_root(p, s->turn, i * r + k, i * k, left);
    for (int j = 0; j < r; j++) put_root(p, s->root, j, (r - j) % r, r); /* + i */
    left = s->parts;
  }
  return true;
}

/* A size of a convolution: the least of few factors that is enough. */
static int64_t size_for(int64_t least) {
  static const int odd[] = {1, 3, 5, 9, 15};
  int64_t best = 0;
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    int64_t m = odd[i];
    while (m < least) m *= 2;
    if (!best || m < best) best = m;
  }
  return best;
}

/* The kernel is transformed in f64, whatever the type. */
static bool make_chirps(DftTable *p) {
  const int64_t m = size_for(2 * p->n - 1);
  const DftTable *wide = table_of(m, true);
  p->chirps = table_of(m, p->is_f64);
  p->chirp = parts_new(p->is_f64, p->n), p->kernel = parts_new(p->is_f64, m);
  DftParts own = parts_new(true, m), other = parts_new(true, m), x = own, y = other;
  const bool made = wide && p->chirps && p->chirp.re && p->kernel.re && x.re && y.re;
  if (made) {
    double *re = x.re, *im = x.im;
    memset(re, 0, (size_t)m * sizeof *re), memset(im, 0, (size_t)m * sizeof *im);
    int64_t square = 0; /* k * k modulo 2 n */
    for (int64_t k = 0; k < p->n; square = (square + 2 * k + 1) % (2 * p->n), k++) {
      double c, s;
      root_of(square, 2 * p->n, &c, &s);
      put(p, p->chirp, k, c, s);
      const int64_t back = k ? m - k : 0;
      re[k] = re[back] = c, im[k] = im[back] = -s;
    }
    kernels()->transform[1](wide, &x, &y);
    re = x.re, im = x.im;
    for (int64_t k = 0; k < m; k++) put(p, p->kernel, k, re[k] / (double)m, im[k] / (double)m);
  }
  free(own.re), free(other.re);
  return made;
}

static DftTable *tables;
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;

static void table_free(DftTable *p) {
  for (int i = 0; i < p->nstages; i++) free(p->stage[i].turn.re), free(p->stage[i].root.re);
  free(p->half.re), free(p->chirp.re), free(p->kernel.re);
  free(p);
}

/* With tables_lock held. NULL: out of memory. */
static const DftTable *table_of(int64_t n, bool is_f64) {
  for (const DftTable *p = tables; p; p = p->next)
    if (p->n == n && p->is_f64 == is_f64) return p;
  DftTable *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->n = n, p->is_f64 = is_f64;
  p->half = parts_new(is_f64, n / 2 + 1);
  for (int64_t k = 0; p->half.re && k <= n / 2; k++) put_root(p, p->half, k, k, 2 * n);
  if (!p->half.re || !(is_smooth(n) ? make_stages(p) : make_chirps(p))) return table_free(p), NULL;
  p->next = tables;
  return tables = p;
}

/* -------- lines -------- */

static const DftKernels *kernels(void) {
#if defined(DTRT_X86_KERNELS)
  static const DftKernels *const all[] = {&dft_portable, &dft_avx2, &dft_avx512};
  return all[kernel_vectors()];
#else
  return &dft_portable;
#endif
}

/* Of each array that a line goes through. */
static int64_t rows_of(const DftLines *l) {
  const int64_t m = l->table->chirps ? l->table->chirps->n : l->table->n, half = l->n / 2 + 1;
  return m > half ? m : half;
}

static int64_t units_of(const DftLines *l) {
  const int64_t whole = l->inner / l->lanes, rest = l->inner % l->lanes;
  return l->outer * whole + (l->outer * rest + l->lanes - 1) / l->lanes;
}
static int64_t room_of(const DftLines *l) { return 4 * (rows_of(l) * l->lanes + APART); }

static void some_units(void *arg, int core, int64_t from, int64_t to) {
  const DftLines *l = arg;
  const bool is_f64 = l->table->is_f64;
  (void)core;
  void *room = malloc((size_t)l->room * (is_f64 ? sizeof(double) : sizeof(float)));
  if (!room)
    device_fail(fail_current(), "out of memory for a Fourier transform of %ld elements",
                (long)l->n);
  l->kernels->units[is_f64](l, from, to, room);
  free(room);
}

void dft_lines(const DftKernels *by, int32_t dtype, DftLines l) {
  if (l.outer < 1 || l.inner < 1 || l.n < 1) return;
  l.kernels = by;
  if (l.n > INT64_C(1) << 40)
    device_fail(fail_current(), "a Fourier transform of %ld elements is too large", (long)l.n);
  const bool is_f64 = dtype == DTRT_F64, real = l.kind == DFT_OF_REAL || l.kind == DFT_TO_REAL;
  pthread_mutex_lock(&tables_lock);
  l.table = table_of(real && l.n % 2 == 0 ? l.n / 2 : l.n, is_f64);
  pthread_mutex_unlock(&tables_lock);
  if (!l.table)
    device_fail(fail_current(), "out of memory for a Fourier transform of %ld elements", (long)l.n);
  l.in_numbers = l.kind == DFT_OF_REAL ? 1 : 2, l.out_numbers = l.kind == DFT_TO_REAL ? 1 : 2;
  l.lanes = 1; /* for which there is room */
  const int64_t each = room_of(&l) * (is_f64 ? 8 : 4);
  l.lanes = by->lanes[is_f64];
  if (each * l.lanes > (l.inner > 1 ? FAR : NEAR))
    l.lanes = l.inner == 1 && each * FEW <= NEAR && l.lanes > FEW ? FEW : 1;
  l.room = room_of(&l);
  const int64_t grain = LEAST / l.n / l.lanes;
  crew_run(units_of(&l), grain > 1 ? grain : 1, some_units, &l);
}

/* Of lines of `in` elements that become `out`. */
static void fourier(DftKind kind, int32_t dtype, int64_t outer, int64_t n, int64_t inner,
                    int64_t in, int64_t out, const void *from, void *to) {
  dft_lines(kernels(), dtype,
            (DftLines){.kind = kind,
                       .n = n,
                       .outer = outer,
                       .inner = inner,
                       .in = in,
                       .out = out,
                       .from = from,
                       .to = to});
}

void dtrt_dft(int32_t dtype, int64_t outer, int64_t n, int64_t inner, const void *a, void *out) {
  fourier(DFT_FORTH, dtype, outer, n, inner, n, n, a, out);
}
void dtrt_dft_inverse(int32_t dtype, int64_t outer, int64_t n, int64_t inner, const void *a,
                      void *out) {
  fourier(DFT_BACK, dtype, outer, n, inner, n, n, a, out);
}
void dtrt_dft_of_real(int32_t dtype, int64_t outer, int64_t n, int64_t inner, const void *a,
                      void *out) {
  fourier(DFT_OF_REAL, dtype, outer, n, inner, n, n / 2 + 1, a, out);
}
void dtrt_dft_to_real(int32_t dtype, int64_t outer, int64_t frequencies, int64_t inner,
                      const void *a, void *out, int64_t n) {
  fourier(DFT_TO_REAL, dtype, outer, n, inner, frequencies, n, a, out);
}
