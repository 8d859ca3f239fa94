/* dft.c: discrete Fourier transforms of lines of complex numbers (pairs of re and im) or of
 * real ones, not scaled. Sizes of factors up to 13 take Stockham's stages, which need no
 * permutation; others Bluestein's convolution with a chirp, of a power of two. All is computed in
 * f64, so that f32 results are rounded about once. Up to LANES lines go through the stages
 * together, innermost, where each has the arithmetic it would have alone: its bits do not depend on
 * the others, on cores, or on how a batch is cut. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "crew.h"
#include "device.h"
#include "dtrt.h"

enum {
  LANES = 8,
  MOST_RADIX = 13,
  MOST_STAGES = 64,
  LANES_UP_TO = 1 << 15, /* longer lines go one by one: several would leave the caches */
  LEAST = 1 << 14        /* numbers for which another core is worth waking */
};

/* Numbers in two arrays. */
typedef struct Parts {
  double *re, *im;
} Parts;

typedef struct Stage {
  int radix;
  int64_t parts; /* what is left of the line, divided by the radix */
  Parts turn;    /* [parts][radix]: of output k of part p, exp(-2 pi i p k / left) */
} Stage;

/* What lines of one size need; made once a process, and kept. */
typedef struct DftTable {
  struct DftTable *next;
  int64_t n;
  int nstages;
  Stage stage[MOST_STAGES];
  Parts root; /* [MOST_RADIX + 1][MOST_RADIX]: exp(-2 pi i j / radix) */
  /* By convolution, where `chirps` is set: */
  const struct DftTable *chirps;
  Parts chirp, kernel; /* exp(-pi i k^2 / n); the transform of its conjugate, over chirps->n */
} DftTable;

typedef enum FourierKind { FOURIER, FOURIER_INVERSE, FOURIER_OF_REAL, FOURIER_TO_REAL } FourierKind;

typedef struct Lines {
  const DftTable *table;
  FourierKind kind;
  bool is_f64;
  int64_t lanes, batch, in, out; /* numbers of a line there and here */
  const void *a;
  void *to;
} Lines;

/* -------- tables -------- */

static Parts parts_new(int64_t n) {
  double *at = malloc((size_t)(n > 0 ? n : 1) * 2 * sizeof *at);
  return (Parts){at, at ? at + n : at};
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

static int next_radix(int64_t n) {
  static const int radix[] = {4, 2, 3, 5, 7, 11, 13};
  for (size_t i = 0; i < sizeof radix / sizeof *radix; i++)
    if (n % radix[i] == 0) return radix[i];
  return 0;
}

static void transform(const DftTable *p, int64_t lanes, Parts *x, Parts *y);
static const DftTable *table_of(int64_t n);

static bool make_stages(DftTable *p) {
  for (int64_t left = p->n; left > 1;) {
    const int r = next_radix(left);
    Stage *s = &p->stage[p->nstages++];
    *s = (Stage){.radix = r, .parts = left / r, .turn = parts_new(left)};
    if (!s->turn.re) return false;
    for (int64_t i = 0; i < s->parts; i++)
      for (int k = 0; k < r; k++)
        root_of(i * k, left, &s->turn.re[i * r + k], &s->turn.im[i * r + k]);
    left = s->parts;
  }
  p->root = parts_new((MOST_RADIX + 1) * MOST_RADIX);
  if (!p->root.re) return false;
  for (int r = 1; r <= MOST_RADIX; r++)
    for (int j = 0; j < r; j++)
      root_of(j, r, &p->root.re[r * MOST_RADIX + j], &p->root.im[r * MOST_RADIX + j]);
  return true;
}

static bool make_chirps(DftTable *p) {
  int64_t m = 1;
  while (m < 2 * p->n - 1) m *= 2;
  p->chirps = table_of(m);
  p->chirp = parts_new(p->n), p->kernel = parts_new(m);
  Parts other = parts_new(m);
  const bool made = p->chirps && p->chirp.re && p->kernel.re && other.re;
  if (made) {
    Parts x = p->kernel, y = other;
    memset(x.re, 0, (size_t)m * sizeof *x.re), memset(x.im, 0, (size_t)m * sizeof *x.im);
    int64_t square = 0; /* k * k modulo 2 n */
    for (int64_t k = 0; k < p->n; square = (square + 2 * k + 1) % (2 * p->n), k++) {
      root_of(square, 2 * p->n, &p->chirp.re[k], &p->chirp.im[k]);
      const int64_t back = k ? m - k : 0;
      x.re[k] = x.re[back] = p->chirp.re[k];
      x.im[k] = x.im[back] = -p->chirp.im[k];
    }
    transform(p->chirps, 1, &x, &y);
    for (int64_t k = 0; k < m; k++) { /* 1 / m is exact */
      const double re = x.re[k] / (double)m, im = x.im[k] / (double)m;
      p->kernel.re[k] = re, p->kernel.im[k] = im;
    }
  }
  free(other.re);
  return made;
}

static DftTable *tables;
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;

static void table_free(DftTable *p) {
  for (int i = 0; i < p->nstages; i++) free(p->stage[i].turn.re);
  free(p->root.re), free(p->chirp.re), free(p->kernel.re);
  free(p);
}

/* With tables_lock held. NULL: out of memory. */
static const DftTable *table_of(int64_t n) {
  for (const DftTable *p = tables; p; p = p->next)
    if (p->n == n) return p;
  DftTable *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->n = n;
  int64_t left = n;
  while (next_radix(left) && left > 1) left /= next_radix(left);
  if (!(left == 1 ? make_stages(p) : make_chirps(p))) return table_free(p), NULL;
  p->next = tables;
  return tables = p;
}

/* -------- stages -------- */

/* One output of a stage: y = (a0 + a1 i) turned. */
static inline void put(Parts y, int64_t at, double re, double im, double c, double s) {
  y.re[at] = re * c - im * s;
  y.im[at] = re * s + im * c;
}

static void stage2(const Stage *s, int64_t stride, Parts x, Parts y) {
  const int64_t far = stride * s->parts;
  for (int64_t p = 0; p < s->parts; p++) {
    const double c = s->turn.re[2 * p + 1], d = s->turn.im[2 * p + 1];
    const Parts a = {x.re + stride * p, x.im + stride * p};
    const Parts b = {y.re + stride * 2 * p, y.im + stride * 2 * p};
    for (int64_t q = 0; q < stride; q++) {
      const double ar = a.re[q], ai = a.im[q], br = a.re[q + far], bi = a.im[q + far];
      b.re[q] = ar + br, b.im[q] = ai + bi;
      put(b, q + stride, ar - br, ai - bi, c, d);
    }
  }
}

static void stage4(const Stage *s, int64_t stride, Parts x, Parts y) {
  const int64_t far = stride * s->parts;
  for (int64_t p = 0; p < s->parts; p++) {
    const double *c = s->turn.re + 4 * p, *d = s->turn.im + 4 * p;
    const Parts a = {x.re + stride * p, x.im + stride * p};
    const Parts b = {y.re + stride * 4 * p, y.im + stride * 4 * p};
    for (int64_t q = 0; q < stride; q++) {
      const double sr = a.re[q] + a.re[q + 2 * far], si = a.im[q] + a.im[q + 2 * far];
      const double dr = a.re[q] - a.re[q + 2 * far], di = a.im[q] - a.im[q + 2 * far];
      const double tr = a.re[q + far] + a.re[q + 3 * far], ti = a.im[q + far] + a.im[q + 3 * far];
      const double er = a.re[q + far] - a.re[q + 3 * far], ei = a.im[q + far] - a.im[q + 3 * far];
      b.re[q] = sr + tr, b.im[q] = si + ti;
      put(b, q + stride, dr + ei, di - er, c[1], d[1]);
      put(b, q + 2 * stride, sr - tr, si - ti, c[2], d[2]);
      put(b, q + 3 * stride, dr - ei, di + er, c[3], d[3]);
    }
  }
}

static void stage_odd(const DftTable *table, const Stage *s, int64_t stride, Parts x, Parts y) {
  const int r = s->radix;
  const int64_t far = stride * s->parts;
  const double *cosine = table->root.re + r * MOST_RADIX, *sine = table->root.im + r * MOST_RADIX;
  for (int64_t p = 0; p < s->parts; p++)
    for (int k = 0; k < r; k++) {
      const double c = s->turn.re[r * p + k], d = s->turn.im[r * p + k];
      const Parts a = {x.re + stride * p, x.im + stride * p};
      const Parts b = {y.re + stride * (r * p + k), y.im + stride * (r * p + k)};
      for (int64_t q = 0; q < stride; q++) {
        double re = a.re[q], im = a.im[q];
        for (int j = 1; j < r; j++) {
          const double u = cosine[j * k % r], v = sine[j * k % r];
          re += a.re[q + j * far] * u - a.im[q + j * far] * v;
          im += a.re[q + j * far] * v + a.im[q + j * far] * u;
        }
        put(b, q, re, im, c, d);
      }
    }
}

static void swap_parts(Parts *x, Parts *y) {
  const Parts z = *x;
  *x = *y, *y = z;
}

/* x, which becomes the result, and room y: [n][lanes]. */
static void transform(const DftTable *p, int64_t lanes, Parts *x, Parts *y) {
  int64_t stride = lanes;
  for (int i = 0; i < p->nstages; i++) {
    const Stage *s = &p->stage[i];
    if (s->radix == 4)
      stage4(s, stride, *x, *y);
    else if (s->radix == 2)
      stage2(s, stride, *x, *y);
    else
      stage_odd(p, s, stride, *x, *y);
    stride *= s->radix;
    swap_parts(x, y);
  }
}

static void times_chirp(const DftTable *p, int64_t lanes, Parts x) {
  for (int64_t k = 0; k < p->n; k++)
    for (int64_t q = 0; q < lanes; q++)
      put(x, k * lanes + q, x.re[k * lanes + q], x.im[k * lanes + q], p->chirp.re[k],
          p->chirp.im[k]);
}

static void convolve(const DftTable *p, int64_t lanes, Parts *x, Parts *y) {
  const int64_t m = p->chirps->n, used = p->n * lanes;
  times_chirp(p, lanes, *x);
  memset(x->re + used, 0, (size_t)(m * lanes - used) * sizeof *x->re);
  memset(x->im + used, 0, (size_t)(m * lanes - used) * sizeof *x->im);
  transform(p->chirps, lanes, x, y);
  for (int64_t k = 0; k < m; k++)
    for (int64_t q = 0; q < lanes; q++)
      put(*x, k * lanes + q, x->re[k * lanes + q], x->im[k * lanes + q], p->kernel.re[k],
          p->kernel.im[k]);
  /* Back is forth with re and im in each other's place. */
  Parts u = {x->im, x->re}, v = {y->im, y->re};
  transform(p->chirps, lanes, &u, &v);
  *x = (Parts){u.im, u.re}, *y = (Parts){v.im, v.re};
  times_chirp(p, lanes, *x);
}

/* -------- lines -------- */

static double number(const Lines *l, int64_t at) {
  return l->is_f64 ? ((const double *)l->a)[at] : (double)((const float *)l->a)[at];
}
static void keep(const Lines *l, int64_t at, double v) {
  if (l->is_f64)
    ((double *)l->to)[at] = v;
  else
    ((float *)l->to)[at] = (float)v;
}

/* Frequency k of n of a real line stands for n - k too; it is alone, and real, if it is 0 or half
 * of n. */
static bool is_alone(int64_t k, int64_t n) { return k == 0 || 2 * k == n; }

static void read_line(const Lines *l, int64_t line, int64_t lane, int64_t lanes, Parts x) {
  const int64_t n = l->table->n, at = line * l->in;
  if (l->kind == FOURIER_OF_REAL) {
    for (int64_t k = 0; k < n; k++)
      x.re[k * lanes + lane] = number(l, at + k), x.im[k * lanes + lane] = 0;
    return;
  }
  const int64_t given = l->in / 2;
  for (int64_t k = 0; k < given; k++) {
    x.re[k * lanes + lane] = number(l, at + 2 * k);
    x.im[k * lanes + lane] = number(l, at + 2 * k + 1);
  }
  if (l->kind != FOURIER_TO_REAL) return;
  for (int64_t k = 0; k < given; k++) {
    if (is_alone(k, n)) {
      x.im[k * lanes + lane] = 0;
    } else {
      x.re[(n - k) * lanes + lane] = x.re[k * lanes + lane];
      x.im[(n - k) * lanes + lane] = -x.im[k * lanes + lane];
    }
  }
}

static void write_line(const Lines *l, int64_t line, int64_t lane, int64_t lanes, Parts x) {
  const int64_t n = l->table->n, at = line * l->out;
  if (l->kind == FOURIER_TO_REAL) {
    for (int64_t k = 0; k < n; k++) keep(l, at + k, x.re[k * lanes + lane]);
    return;
  }
  for (int64_t k = 0; k < l->out / 2; k++) {
    const bool real = l->kind == FOURIER_OF_REAL && is_alone(k, n);
    keep(l, at + 2 * k, x.re[k * lanes + lane]);
    keep(l, at + 2 * k + 1, real ? 0 : x.im[k * lanes + lane]);
  }
}

static void some_lines(void *arg, int core, int64_t from, int64_t to) {
  const Lines *l = arg;
  (void)core;
  const int64_t n = l->table->chirps ? l->table->chirps->n : l->table->n, most = n * l->lanes;
  double *room = malloc((size_t)most * 4 * sizeof *room);
  if (!room)
    device_fail(fail_current(), "out of memory for a Fourier transform of %ld elements",
                (long)l->table->n);
  const bool back = l->kind == FOURIER_INVERSE || l->kind == FOURIER_TO_REAL;
  for (int64_t i = from; i < to; i += l->lanes) {
    const int64_t lanes = to - i < l->lanes ? to - i : l->lanes;
    Parts x = {room, room + most}, y = {room + 2 * most, room + 3 * most};
    for (int64_t k = 0; k < lanes; k++) read_line(l, i + k, k, lanes, x);
    if (back) x = (Parts){x.im, x.re}, y = (Parts){y.im, y.re};
    if (l->table->chirps)
      convolve(l->table, lanes, &x, &y);
    else
      transform(l->table, lanes, &x, &y);
    if (back) x = (Parts){x.im, x.re};
    for (int64_t k = 0; k < lanes; k++) write_line(l, i + k, k, lanes, x);
  }
  free(room);
}

static void fourier(FourierKind kind, int32_t dtype, int64_t n, Lines l) {
  if (l.batch < 1 || n < 1) return;
  if (n > INT64_C(1) << 40)
    device_fail(fail_current(), "a Fourier transform of %ld elements is too large", (long)n);
  pthread_mutex_lock(&tables_lock);
  l.table = table_of(n);
  pthread_mutex_unlock(&tables_lock);
  if (!l.table)
    device_fail(fail_current(), "out of memory for a Fourier transform of %ld elements", (long)n);
  l.kind = kind;
  l.is_f64 = dtype == DTRT_F64;
  l.lanes = n > LANES_UP_TO ? 1 : LANES;
  const int64_t grain = LEAST / n / l.lanes * l.lanes;
  crew_run(l.batch, grain > l.lanes ? grain : l.lanes, some_lines, &l);
}

void dtrt_dft(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a, void *out) {
  (void)cols;
  fourier(FOURIER, dtype, rows,
          (Lines){.batch = batch, .in = 2 * rows, .out = 2 * rows, .a = a, .to = out});
}
void dtrt_dft_inverse(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                      void *out) {
  (void)cols;
  fourier(FOURIER_INVERSE, dtype, rows,
          (Lines){.batch = batch, .in = 2 * rows, .out = 2 * rows, .a = a, .to = out});
}
void dtrt_dft_of_real(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                      void *out) {
  (void)cols;
  fourier(FOURIER_OF_REAL, dtype, rows,
          (Lines){.batch = batch, .in = rows, .out = 2 * (rows / 2 + 1), .a = a, .to = out});
}
void dtrt_dft_to_real(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                      void *out, int64_t n) {
  (void)cols;
  fourier(FOURIER_TO_REAL, dtype, n,
          (Lines){.batch = batch, .in = 2 * rows, .out = n, .a = a, .to = out});
}
