/* dft.h: Fourier transforms of lines by Stockham's stages (dft_lines.inc), compiled once for each
 * kind of CPU. A product is rounded before it is added, so that every CPU has the same bits; and
 * lines that go through the stages together have each the arithmetic it would have alone. */
#ifndef DTRT_DFT_H
#define DTRT_DFT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  DFT_RADIX = 13, /* the largest */
  DFT_STAGES = 64,
  DFT_LANES = 16 /* most lines that go together */
};

typedef enum DftKind { DFT_FORTH, DFT_BACK, DFT_OF_REAL, DFT_TO_REAL } DftKind;

/* Numbers in two arrays, of a type that is known elsewhere. */
typedef struct DftParts {
  void *re, *im;
} DftParts;

typedef struct DftStage {
  int radix;
  int64_t parts; /* what is left of the line, divided by the radix */
  DftParts turn; /* [parts][radix]: of output k of part p, exp(-2 pi i p k / left) */
  DftParts root; /* [radix]: of odd ones, cos and sin of 2 pi j / radix */
} DftStage;

/* What transforms of one size and type need; made once a process, and kept. */
typedef struct DftTable {
  struct DftTable *next;
  int64_t n;
  bool is_f64;
  int nstages;
  DftStage stage[DFT_STAGES];
  DftParts
      half; /* where lines of n complex numbers are 2 n real ones: exp(-pi i k / n), k <= n / 2 */
  /* By convolution, where `chirps` is set: */
  const struct DftTable *chirps;
  DftParts chirp, kernel; /* exp(-pi i k^2 / n); the transform of its conjugate, over chirps->n */
} DftTable;

/* Lines of a tensor [outer][in or out numbers of a line][inner], a number being `numbers` of its
 * type, there and here. */
struct DftKernels;
typedef struct DftLines {
  DftKind kind;
  const struct DftKernels *kernels;
  const DftTable *table; /* of n, or of n / 2 for an even number of real ones */
  int64_t n, outer, inner;
  int64_t lanes;               /* lines that go together: a unit of work, which may have fewer */
  int64_t room;                /* numbers that a unit needs, a quarter for each of four arrays */
  int64_t in, out;             /* elements of a line */
  int in_numbers, out_numbers; /* of an element: 2 are complex */
  const void *from;
  void *to;
} DftLines;

typedef void DftUnits(const DftLines *l, int64_t from, int64_t to, void *room);
typedef struct DftKernels {
  DftUnits *units[2]; /* of f32, of f64 */
  int lanes[2];       /* of a vector */
  /* x, a line, becomes its transform; y is room. By stages, not by convolution. */
  void (*transform[2])(const DftTable *p, DftParts *x, DftParts *y);
} DftKernels;
extern const DftKernels dft_avx512, dft_avx2, dft_portable;

/* By one of them: of l what is given are kind, n, outer, inner, in, out, from and to. */
void dft_lines(const DftKernels *by, int32_t dtype, DftLines l);
#endif
