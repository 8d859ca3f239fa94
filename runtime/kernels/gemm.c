/* gemm.c: matrix products: f32 by our own kernels if this CPU has them (gemm_kernel.h), else by
 * OpenBLAS, after checking that it is usable.
 *
 * OpenBLAS 0.3.21 (Debian 12) does not know newer CPUs and runs SSE3 kernels on them, a fifth of
 * the speed; with OPENBLAS_CORETYPE set it runs the right ones. The serial build returns wrong
 * numbers when several threads call it, so it is rejected for several device threads. Each call
 * uses one thread: the devices are the parallelism. These settings apply to the whole process, as
 * include/dtrt.h documents. */
#include <cblas.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "conv.h"
#include <sys/mman.h>
#include "device.h"
#include "dtrt_math.h"
#include "gemm.h"
#include "gemm_cores.h"
#include "gemm_deep.h"
#include "gemm_kept.h"
#include "gemm_kernel.h"
#include "gemm_small.h"
#include "gemm_vector.h"
#include "variables.h"

/* Weak: another BLAS may stand behind cblas.h. */
extern __attribute__((weak)) void gotoblas_dynamic_init(void);
extern __attribute__((weak)) void gotoblas_dynamic_quit(void);
extern __attribute__((weak)) char *openblas_get_corename(void);
extern __attribute__((weak)) int openblas_get_parallel(void);
extern __attribute__((weak)) void openblas_set_num_threads(int n);
extern __attribute__((weak)) void *blas_memory_alloc(int place);
extern __attribute__((weak)) void blas_memory_free(void *buffer);

/* OpenBLAS starts threads of its own while it is loaded, which the runtime never uses: its devices
 * are the threads. Where memory is limited (ulimit -v) such a thread tries for ever to get its
 * buffer, and the process, which waits for it in the end, never ends. This takes the place of
 * OpenBLAS's function of that name, which reads $OPENBLAS_NUM_THREADS: it is looked up here first,
 * since OpenBLAS is among what we need. */
int openblas_num_threads_env(void);
__attribute__((visibility("default"))) int openblas_num_threads_env(void) { return 1; }

static bool core_is_old(void) {
  static const char *const old[] = {"Prescott",  "Core2",  "Penryn",     "Dunnington", "Nehalem",
                                    "Northwood", "Katmai", "Coppermine", "Banias",     "Generic"};
  const char *core = openblas_get_corename ? openblas_get_corename() : "";
  for (size_t i = 0; i < sizeof old / sizeof *old; i++)
    if (!strcasecmp(core, old[i])) return true;
  return false;
}

static void gemm_fit(void) {
#if defined(__x86_64__)
  const char *fit = NULL;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) fit = "Haswell";
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    fit = "SkylakeX";
  if (fit && !variable(VARIABLE_CORETYPE) && gotoblas_dynamic_quit && gotoblas_dynamic_init &&
      core_is_old()) {
    setenv("OPENBLAS_CORETYPE", fit, 1);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv("OPENBLAS_CORETYPE"); /* a child may have another OpenBLAS, which knows better */
  }
#endif
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

void gemm_prepare(int device_threads, char *why) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, gemm_fit);
  if (device_threads > 1 && openblas_get_parallel && openblas_get_parallel() == 0)
    snprintf(
        why, COMM_WHY,
        "the serial OpenBLAS is loaded, which gives wrong results to %d device threads: install "
        "libopenblas-pthread-dev (or libopenblas0-pthread)",
        device_threads);
}

/* What BLAS's 32-bit counts cannot say. Slow, and only for matrices with a side over 2^31. */
static void gemm_long(bool wide, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
                      int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc, bool add) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t l = 0; l < k; l++) {
        int64_t x = ta ? l * lda + i : i * lda + l, y = tb ? j * ldb + l : l * ldb + j;
        if (wide)
          sum += ((const double *)a)[x] * ((const double *)b)[y];
        else
          sum += (double)((const float *)a)[x] * ((const float *)b)[y];
      }
      double *to = (double *)c + i * ldc + j;
      float *to32 = (float *)c + i * ldc + j;
      if (wide)
        *to = add ? *to + sum : sum;
      else
        *to32 = (float)(add ? *to32 + sum : sum);
    }
}

static void vector_product(int t, int rows, int cols, const float *a, int lda, const float *x,
                           int step, float beta, float *y, int ystep) {
  cblas_sgemv(CblasRowMajor, t ? CblasTrans : CblasNoTrans, rows, cols, 1, a, lda, x, step, beta, y,
              ystep);
}

/* A matrix times a vector. BLAS adds up k in sequence, or in a few lanes; long ones are done in
 * blocks, which are combined pairwise (docs/sums.md), as gemm_vector.c does. y = A x, or A^T x with
 * t, of a row-major A [m][cols]; false: there is no room. */
static bool long_vector_product(int t, int m, int cols, const float *a, int lda, const float *x,
                                int step, bool add, float *y, int ystep) {
  const int n = t ? cols : m, k = t ? m : cols, block = t ? 64 : 2048;
  int rows = 3; /* the result, and those of dtrt_carry_row_sum_f32 */
  for (int blocks = k / block; blocks; blocks /= 2) rows++;
  float *sum = conv_room((int64_t)rows * n);
  if (!sum) return false;
  float *partial = sum + n;
  int64_t at = 0, blocks = 0;
  for (int here; at < k; at += here) {
    here = k - at < block ? (int)(k - at) : block;
    float *own = partial + blocks % 2 * n;
    memset(own, 0, (size_t)n * sizeof *own); /* some gemv scale what lies there, and keep its NaN */
    vector_product(t, t ? here : m, t ? cols : here, a + (t ? at * lda : at), lda, x + at * step,
                   step, 0, own, 1);
    if (here < block) break;
    if (blocks % 2) dtrt_carry_row_sum_f32(partial, n, n, blocks);
    blocks++;
  }
  dtrt_fold_row_sum_f32(sum, partial, n, n, blocks, at < k);
  for (int i = 0; i < n; i++) y[i * (int64_t)ystep] = sum[i] + (add ? y[i * (int64_t)ystep] : 0);
  return true;
}

enum { BLAS_BUFFER = 130 << 20 }; /* what OpenBLAS maps for a product, and a little more */

/* Held for reading while a product is computed, and for writing while buffers are made. */
static pthread_rwlock_t blas_lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static _Atomic int blas_inside; /* products that are computed, or wait to be */
static int blas_had;            /* buffers that OpenBLAS has; under blas_lock */

/* OpenBLAS keeps a buffer for each product that is computed at a time. Where the system refuses one
 * it tries for ever, so they are made here, one by one, each after a look whether there is memory
 * for it. They are held until all are there, as a free one would be handed out again. False: the
 * system refuses. */
static bool blas_grow(int wanted) {
  void *held[wanted];
  int n = 0;
  for (bool room = true; n < wanted && room; n += room) {
    void *look = n < blas_had ? NULL
                              : mmap(NULL, BLAS_BUFFER, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    room = look != MAP_FAILED;
    if (look && room) munmap(look, BLAS_BUFFER);
    if (room) held[n] = blas_memory_alloc ? blas_memory_alloc(0) : NULL;
  }
  for (int i = 0; i < n && blas_memory_free; i++) blas_memory_free(held[i]);
  if (n > blas_had) blas_had = n;
  return n == wanted;
}

static void blas_enter(void) {
  const int now = atomic_fetch_add(&blas_inside, 1) + 1;
  pthread_rwlock_rdlock(&blas_lock);
  while (now > blas_had) {
    pthread_rwlock_unlock(&blas_lock);
    pthread_rwlock_wrlock(&blas_lock);
    const bool room = blas_grow(now);
    pthread_rwlock_unlock(&blas_lock);
    Device *d = fail_current();
    if (!room && d) {
      atomic_fetch_sub(&blas_inside, 1);
      device_fail(d,
                  "out of memory: OpenBLAS requires %d MB per device (is there a limit, "
                  "as by ulimit -v?)",
                  BLAS_BUFFER >> 20);
    }
    pthread_rwlock_rdlock(&blas_lock);
    if (!room) return; /* no one to report to */
  }
}

static void blas_leave(void) {
  pthread_rwlock_unlock(&blas_lock);
  atomic_fetch_sub(&blas_inside, 1);
}

/* Of sizes that BLAS can say, which are not 0. */
static void gemm_blas(bool wide, int ta, int tb, int im, int in, int ik, const void *a, int ia,
                      const void *b, int ib, void *c, int ic, bool accumulate) {
  CBLAS_TRANSPOSE opa = ta ? CblasTrans : CblasNoTrans, opb = tb ? CblasTrans : CblasNoTrans;
  double beta = accumulate ? 1 : 0;
  int64_t size = wide ? 8 : 4;
  /* One column or row: a matrix times a vector, several times as fast as gemm at this shape. */
  if (!wide && in == 1 &&
      long_vector_product(ta, ta ? ik : im, ta ? im : ik, a, ia, b, tb ? 1 : ib, accumulate, c, ic))
    return;
  if (!wide && im == 1 && in > 1 &&
      long_vector_product(!tb, tb ? in : ik, tb ? ik : in, b, ib, a, ta ? ia : 1, accumulate, c, 1))
    return;
  if ((in == 1 || im == 1) &&
      !accumulate) /* some gemv scale what lies there by 0, and keep its NaN */
    for (int64_t i = 0; i < im; i++) memset((char *)c + i * ic * size, 0, (size_t)(in * size));
  if (in == 1) {
    int rows = ta ? ik : im, cols = ta ? im : ik, step = tb ? 1 : ib;
    if (wide)
      cblas_dgemv(CblasRowMajor, opa, rows, cols, 1, a, ia, b, step, beta, c, ic);
    else
      vector_product(ta, rows, cols, a, ia, b, step, (float)beta, c, ic);
  } else if (im == 1) {
    int rows = tb ? in : ik, cols = tb ? ik : in, step = ta ? ia : 1;
    if (wide)
      cblas_dgemv(CblasRowMajor, tb ? CblasNoTrans : CblasTrans, rows, cols, 1, b, ib, a, step,
                  beta, c, 1);
    else
      vector_product(!tb, rows, cols, b, ib, a, step, (float)beta, c, 1);
  } else if (wide) {
    cblas_dgemm(CblasRowMajor, opa, opb, im, in, ik, 1, a, ia, b, ib, beta, c, ic);
  } else {
    cblas_sgemm(CblasRowMajor, opa, opb, im, in, ik, 1, a, ia, b, ib, (float)beta, c, ic);
  }
}

static void gemm_by_blocks(int ta, int tb, int64_t m, int64_t n, int64_t k, const float *a,
                           int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc,
                           int accumulate, const dtrt_band *v);

static bool fits_blas(int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc) {
  return m <= INT_MAX && n <= INT_MAX && k <= INT_MAX && lda <= INT_MAX && ldb <= INT_MAX &&
         ldc <= INT_MAX;
}

GemmOperands gemm_depths(const GemmOperands *p, int64_t l, int64_t k) {
  GemmOperands q = *p;
  q.a += l * (p->ta ? p->lda : 1), q.b += l * (p->tb ? 1 : p->ldb);
  q.k = k;
  if (!p->band) return q;
  const int64_t by = p->band->of == DTRT_BAND_A ? -l : l; /* A's columns are depths, or B's rows */
  q.shifted = (dtrt_band){p->band->of, p->band->low + by, p->band->high + by};
  return q;
}

void gemm_once(const GemmOperands *p, float *c, int64_t ldc, bool add) {
  const dtrt_band *band = p->band ? &p->shifted : NULL;
  if (gemm_blocked_band(p->m, p->n, p->k, p->a, p->ta ? 1 : p->lda, p->ta ? p->lda : 1, p->b,
                        p->tb ? 1 : p->ldb, p->tb ? p->ldb : 1, c, ldc, add, NULL, band,
                        DTRT_GEMM_DEPTH))
    return;
  if (band) {
    gemm_by_blocks(p->ta, p->tb, p->m, p->n, p->k, p->a, p->lda, p->b, p->ldb, c, ldc, add, band);
    return;
  }
  if (!fits_blas(p->m, p->n, p->k, p->lda, p->ldb, ldc)) {
    gemm_long(false, p->ta, p->tb, p->m, p->n, p->k, p->a, p->lda, p->b, p->ldb, c, ldc, add);
    return;
  }
  blas_enter();
  gemm_blas(false, p->ta, p->tb, (int)p->m, (int)p->n, (int)p->k, p->a, (int)p->lda, p->b,
            (int)p->ldb, c, (int)ldc, add);
  blas_leave();
}

static void gemm(int32_t dtype, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
                 int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate,
                 bool keeps) {
  bool wide = dtype == DTRT_F64;
  int64_t size = wide ? 8 : 4;
  if (m <= 0 || n <= 0) return;
  const GemmCall all = {dtype, 0, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate, keeps, NULL};
  if (!wide && (gemm_dealt(&all) || gemm_vector_dealt(&all))) return;
  if (!wide && (m == 1 || n == 1) && (m > GEMM_SMALL_SIDE || n > GEMM_SMALL_SIDE || k > GEMM_RUN) &&
      k > 0) {
    const GemmVector v = gemm_vector_of(ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate != 0);
    if (gemm_vector(&v)) return;
  }
  if (gemm_is_small(&all)) {
    gemm_small(&all, 1, a, b, c, (const int64_t[]){0, 0, 0});
    return;
  }
  if (k <= 0) {
    for (int64_t i = 0; !accumulate && i < m; i++)
      memset((char *)c + i * ldc * size, 0, (size_t)(n * size));
    return;
  }
  if (!wide && m > 1 && n > 1 && k > GEMM_BLOCK) {
    const GemmOperands p = {ta, tb, m, n, k, a, lda, b, ldb, NULL, {0}};
    gemm_deep(&p, c, ldc, accumulate != 0, NULL);
    return;
  }
  if (!fits_blas(m, n, k, lda, ldb, ldc)) {
    gemm_long(wide, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate);
    return;
  }
  if (!wide && m > 1 && n > 1 &&
      gemm_blocked_kept(keeps ? gemm_nest() : 0, m, n, k, a, ta ? 1 : lda, ta ? lda : 1, b,
                        tb ? 1 : ldb, tb ? ldb : 1, c, ldc, accumulate != 0, NULL))
    return;
  blas_enter();
  gemm_blas(wide, ta, tb, (int)m, (int)n, (int)k, a, (int)lda, b, (int)ldb, c, (int)ldc,
            accumulate != 0);
  blas_leave();
}

void dtrt_gemm(int32_t dtype, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
               int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate) {
  gemm(dtype, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate, false);
}

void dtrt_gemm_keeping(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                       const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate) {
  gemm(DTRT_F32, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate, true);
}

static void gemm_epilogue(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
                          int64_t lda, const void *b, int64_t ldb, void *c,
                          const dtrt_epilogue *then, bool keeps) {
  if (gemm_dealt(&(GemmCall){DTRT_F32, 0, ta, tb, m, n, k, a, lda, b, ldb, c, n, 0, keeps, then}))
    return;
  if (m > 1 && n > 1 && k > GEMM_BLOCK) {
    const GemmOperands p = {ta, tb, m, n, k, a, lda, b, ldb, NULL, {0}};
    gemm_deep(&p, c, n, false, then);
    return;
  }
  if (m > 1 && n > 1 && k > 0 &&
      gemm_blocked_kept(keeps ? gemm_nest() : 0, m, n, k, a, ta ? 1 : lda, ta ? lda : 1, b,
                        tb ? 1 : ldb, tb ? ldb : 1, c, n, false, then))
    return;
  dtrt_gemm(DTRT_F32, ta, tb, m, n, k, a, lda, b, ldb, c, n, 0);
  then->rows(then->dev, then->p, then->n, 0, m);
}

void dtrt_gemm_epilogue(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                        const void *b, int64_t ldb, void *c, const dtrt_epilogue *then) {
  gemm_epilogue(ta, tb, m, n, k, a, lda, b, ldb, c, then, false);
}

void dtrt_gemm_epilogue_keeping(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
                                int64_t lda, const void *b, int64_t ldb, void *c,
                                const dtrt_epilogue *then) {
  gemm_epilogue(ta, tb, m, n, k, a, lda, b, ldb, c, then, true);
}

/* Block by block: rows of C, or columns where B has the dead part. */
static void gemm_by_blocks(int ta, int tb, int64_t m, int64_t n, int64_t k, const float *a,
                           int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc,
                           int accumulate, const dtrt_band *v) {
  const bool columns = v->of == DTRT_BAND_B;
  const int64_t side = columns ? n : m, other = v->of == DTRT_BAND_C ? n : k;
  const int64_t low = columns ? 1 - v->high : v->low, high = columns ? 1 - v->low : v->high;
  for (int64_t i = 0; i < side; i += DTRT_BAND_BLOCK) {
    const int64_t here = side - i < DTRT_BAND_BLOCK ? side - i : DTRT_BAND_BLOCK;
    const int64_t from = dtrt_band_from(i, low, other), to = dtrt_band_to(i, high, other);
    const int64_t count = to > from ? to - from : 0;
    const int64_t l = v->of == DTRT_BAND_C ? 0 : from;
    const float *x = a + (columns ? 0 : i) * (ta ? 1 : lda) + l * (ta ? lda : 1);
    const int64_t j = columns ? i : v->of == DTRT_BAND_C ? from : 0;
    dtrt_gemm(DTRT_F32, ta, tb, columns ? m : here,
              columns                ? here
              : v->of == DTRT_BAND_C ? count
                                     : n,
              v->of == DTRT_BAND_C ? k : count, x, lda, b + l * (tb ? 1 : ldb) + j * (tb ? ldb : 1),
              ldb, c + (columns ? 0 : i) * ldc + j, ldc, accumulate);
  }
}

void dtrt_gemm_band(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                    const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate,
                    dtrt_band band) {
  if (m > 1 && n > 1 && k > GEMM_BLOCK && band.of != DTRT_BAND_C) {
    const GemmOperands p = {ta, tb, m, n, k, a, lda, b, ldb, &band, {0}};
    gemm_deep(&p, c, ldc, accumulate != 0, NULL);
    return;
  }
  if (m > 1 && n > 1 && k > 0 &&
      gemm_blocked_band(m, n, k, a, ta ? 1 : lda, ta ? lda : 1, b, tb ? 1 : ldb, tb ? ldb : 1, c,
                        ldc, accumulate != 0, NULL, &band, 0))
    return;
  gemm_by_blocks(ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate, &band);
}

void dtrt_band_clear(float *p, int64_t rows, int64_t n, int64_t step, int64_t low, int64_t high) {
  for (int64_t i = 0; i < rows; i++, p += step) {
    const int64_t from = dtrt_band_from(i, low, n), to = dtrt_band_to(i, high, n);
    memset(p, 0, (size_t)from * sizeof *p);
    if (to < n) memset(p + to, 0, (size_t)(n - to) * sizeof *p);
  }
}
