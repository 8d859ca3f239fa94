/* dft.c: Fourier transforms beside the sums of their definition, of all sizes to 70 and some larger
 * ones, forth and back, of real and complex numbers, along any dim. All kernels that this CPU can
 * do have the same bits, and a line has those that it has alone. Nothing beyond the tensors is read
 * or written. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>
#include "dft.h"
#include "harness.h"

/* Up to MANY elements there are up to LINES lines, which have the most bytes: see `size`. */
enum { MANY = 500, LINES = 2 * 37, MOST = 4096, ROOM = MANY * LINES * 2 * (int)sizeof(double) };

typedef struct Case {
  DftKind kind;
  bool wide;
  int64_t n, outer, inner;
} Case;

static int64_t in_of(const Case *c) { return c->kind == DFT_TO_REAL ? c->n / 2 + 1 : c->n; }
static int64_t out_of(const Case *c) { return c->kind == DFT_OF_REAL ? c->n / 2 + 1 : c->n; }
static int in_numbers(const Case *c) { return c->kind == DFT_OF_REAL ? 1 : 2; }
static int out_numbers(const Case *c) { return c->kind == DFT_TO_REAL ? 1 : 2; }
static int64_t bytes(const Case *c, bool out) {
  const int64_t n = out ? out_of(c) * out_numbers(c) : in_of(c) * in_numbers(c);
  return n * c->outer * c->inner * (c->wide ? 8 : 4);
}

static double at(bool wide, const void *p, int64_t i) {
  return wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static void transform(const DftKernels *by, const Case *c, const void *from, void *to) {
  dft_lines(by, c->wide ? DTRT_F64 : DTRT_F32,
            (DftLines){.kind = c->kind,
                       .n = c->n,
                       .outer = c->outer,
                       .inner = c->inner,
                       .in = in_of(c),
                       .out = out_of(c),
                       .from = from,
                       .to = to});
}

/* Element k of line (o, i) there. */
static int64_t place(const Case *c, int64_t o, int64_t k, int64_t i, bool out) {
  const int64_t n = out ? out_of(c) : in_of(c);
  return ((o * n + k) * c->inner + i) * (out ? out_numbers(c) : in_numbers(c));
}

static void given(const Case *c, const void *from, int64_t o, int64_t i, double (*x)[2]) {
  for (int64_t k = 0; k < in_of(c); k++) {
    const int64_t p = place(c, o, k, i, false);
    x[k][0] = at(c->wide, from, p), x[k][1] = in_numbers(c) == 2 ? at(c->wide, from, p + 1) : 0;
    if (c->kind != DFT_TO_REAL) continue;
    if (k == 0 || 2 * k == c->n) x[k][1] = 0;
    x[(c->n - k) % c->n][0] = x[k][0];
    if (k && 2 * k != c->n) x[c->n - k][1] = -x[k][1];
  }
}

/* How far a line is from its sums, relative to it. */
static double off(const Case *c, const void *from, const void *to, int64_t o, int64_t i) {
  static double x[MOST][2], root[MOST][2];
  const double sign = c->kind == DFT_FORTH || c->kind == DFT_OF_REAL ? -1 : 1;
  given(c, from, o, i, x);
  for (int64_t k = 0; k < c->n; k++) {
    root[k][0] = cos(2 * 3.14159265358979323846 * (double)k / (double)c->n);
    root[k][1] = sign * sin(2 * 3.14159265358979323846 * (double)k / (double)c->n);
  }
  double wrong = 0, all = 0;
  for (int64_t k = 0; k < out_of(c); k++) {
    double re = 0, im = 0;
    for (int64_t j = 0; j < c->n; j++) {
      const double *w = root[j * k % c->n];
      re += x[j][0] * w[0] - x[j][1] * w[1], im += x[j][0] * w[1] + x[j][1] * w[0];
    }
    const int64_t p = place(c, o, k, i, true);
    const double u = at(c->wide, to, p) - re;
    const double v = out_numbers(c) == 2 ? at(c->wide, to, p + 1) - im : 0;
    wrong += u * u + v * v, all += re * re + (out_numbers(c) == 2 ? im * im : 0);
  }
  return all > 0 ? sqrt(wrong / all) : wrong;
}

static char *page(int64_t n) { /* ends before one without access */
  const int64_t size = sysconf(_SC_PAGESIZE), whole = (n + size - 1) / size * size;
  char *p = mmap(NULL, (size_t)(whole + size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
  if (p == MAP_FAILED || mprotect(p + whole, (size_t)size, PROT_NONE)) exit(1);
  return p + whole;
}

static const DftKernels *kernels[3];
static int nkernels;
static char *from_end, *to_end, *other_end;

static void check(const Case *c) {
  if (bytes(c, false) > ROOM || bytes(c, true) > ROOM) exit(1);
  char *from = from_end - bytes(c, false), *to = to_end - bytes(c, true),
       *other = other_end - bytes(c, true);
  const int64_t numbers = bytes(c, false) / (c->wide ? 8 : 4);
  for (int64_t i = 0; i < numbers; i++) {
    const double v = (double)harness_mix((uint64_t)i) / 1e19 - 0.9;
    if (c->wide)
      ((double *)(void *)from)[i] = v;
    else
      ((float *)(void *)from)[i] = (float)v;
  }
  const char *what = c->wide ? "f64" : "f32";
  transform(kernels[0], c, from, to);
  for (int k = 1; k < nkernels; k++) {
    memset(other, 0, (size_t)bytes(c, true));
    transform(kernels[k], c, from, other);
    CHECK(!memcmp(to, other, (size_t)bytes(c, true)), "%s %d of %ldx%ldx%ld: kernels %d differ",
          what, c->kind, (long)c->outer, (long)c->n, (long)c->inner, k);
  }
  const int64_t o = c->outer - 1, i = c->inner - 1;
  const double is = off(c, from, to, o, i), most = c->wide ? 2e-15 : 5e-7;
  CHECK(is < most, "%s %d of %ldx%ldx%ld is off by %g", what, c->kind, (long)c->outer, (long)c->n,
        (long)c->inner, is);
  /* The line alone. */
  static double line[2 * MOST + 4], alone[2 * MOST + 4];
  const Case single = {c->kind, c->wide, c->n, 1, 1};
  const size_t size = c->wide ? 8 : 4;
  for (int64_t k = 0; k < in_of(c); k++)
    memcpy((char *)line + (size_t)(k * in_numbers(c)) * size,
           from + (size_t)place(c, o, k, i, false) * size, (size_t)in_numbers(c) * size);
  transform(kernels[nkernels - 1], &single, line, alone);
  int wrong = 0;
  for (int64_t k = 0; k < out_of(c); k++)
    wrong +=
        memcmp((char *)alone + (size_t)(k * out_numbers(c)) * size,
               to + (size_t)place(c, o, k, i, true) * size, (size_t)out_numbers(c) * size) != 0;
  CHECK(!wrong, "%s %d of %ldx%ldx%ld: %d numbers of a line are others alone", what, c->kind,
        (long)c->outer, (long)c->n, (long)c->inner, wrong);
}

static void size(int64_t n, int which) {
  static const int64_t shapes[][2] = {{1, 1}, {5, 1}, {13, 1}, {16, 1}, {3, 2}, {2, 16}, {2, 37}};
  for (int kind = DFT_FORTH; kind <= DFT_TO_REAL; kind++)
    for (int wide = 0; wide < 2; wide++) {
      const int64_t *s = shapes[(which + kind + 2 * wide) % 7];
      check(&(Case){(DftKind)kind, wide, n, n > MANY ? 1 : s[0], n > MANY ? 2 : s[1]});
    }
}

int main(void) {
  static const int64_t larger[] = {81,  96,  100, 101, 121,  128,  143,
                                   211, 256, 384, 499, 1000, 1024, 1511};
  from_end = page(ROOM), to_end = page(ROOM), other_end = page(ROOM);
  kernels[nkernels++] = &dft_portable;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) kernels[nkernels++] = &dft_avx2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    kernels[nkernels++] = &dft_avx512;
#endif
  for (int64_t n = 1; n <= 70; n++)
    for (int which = 0; which < 7; which++) size(n, which);
  for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
    for (int which = 0; which<7; which += larger[i]> MANY ? 7 : 3) size(larger[i], which);
  return harness_result();
}
