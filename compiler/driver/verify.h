/* Shared by the files of dtgc_verify: verify.c runs it and reports the result, verify_bound.c
 * keeps the oracle's values and their bounds, verify_tell.c formats the report, verify_compare.c
 * compares devices' results with them, verify_draw.c draws inputs.
 *
 * The oracle is the program on one device without layouts. It runs once as it is, and several more
 * times with each value perturbed, where it is computed, by the rounding its op states
 * (OpDef.rounding), up or down at random, the second run of a pair opposite to the first. The
 * resulting change of a value is its bound: rounding propagates through the program itself,
 * through sums, cancellation, decisions and all. What the last op rounds adds to what its operands
 * bring; that the two made the same number in all of the few runs is an accident, so a change is at
 * least what that op states. */
#ifndef DTG_VERIFY_H
#define DTG_VERIFY_H
#include "program.h"
#include <pthread.h>

/* Moved runs, in pairs; the bound is so many times the farthest that one went, and, as runs are
 * few, so many times the mean (rms) way of the tensor's elements. */
enum { VERIFY_RUNS = 4, VERIFY_FAR = 6, VERIFY_MEAN = 3 };

typedef struct Kept {
  int dtype;
  int64_t count;
  char *base;    /* [count] as the oracle makes it; NULL: it makes no such value */
  double *moved; /* [count] how far the moved runs were off */
  double mean;   /* of moved */
  double own;    /* relative: the rounding of its elements that is stated, or of what they are of */
} Kept;

typedef struct Bounds {
  int n;
  Kept *kept; /* [n] by tag */
  double *own; /* by node of the oracle's entry: Kept.own */
  int run;     /* -1: the base; else which of the moved */
  uint64_t seed;
  bool no_memory;
} Bounds;

/* Element i of `at`. */
static inline double value_at(int dtype, const void *at, int64_t i) {
  return dtype == DTRT_F32 ? ((const float *)at)[i] : dtype_get((DType)dtype, at, i);
}
/* How far x is from y; infinity where one of them alone is NaN. */
double verify_distance(double x, double y);
/* Element i of a and element j of b; of complex elements the parts that are further apart. */
void values_at(int dtype, const void *a, int64_t i, const void *b, int64_t j, double *x, double *y);
/* Keeps a tensor of the base run, or how far it is off in a moved one. */
void kept_add(Bounds *b, Kept *k, int dtype, int64_t count, const void *data);
void kept_end(Kept *k); /* after the last run: the mean */
double kept_bound(const Kept *k, int64_t i, double tolerance);
/* By node of a local entry: the relative rounding that its op states, and where that hands elements
 * on, what theirs was; malloced, NULL: no memory. */
double *bounds_own(const LocalEntry *le);
void kept_free(Kept *k);
/* A dtrt_watch_fn over Bounds. */
dtrt_watch_fn bounds_watch;
void bounds_free(Bounds *b);

/* Where two runs part. */
typedef struct Parting {
  bool found;
  int value; /* index in the entry's table; of a host's tensor -1 */
  int device;
  int64_t index[DTRT_MAX_RANK];
  double got, want, bound;
} Parting;

/* Addends of a partial value, as far as they have come. */
typedef struct Addends Addends;

typedef struct Compare {
  const Bounds *bounds;
  double tolerance;
  const dtrt_program *program;
  pthread_mutex_t lock; /* of what follows: devices run at once */
  Addends *addends;
  Parting first;   /* in program order, of the lowest device */
  int64_t tensors; /* compared, on one device each */
  double worst;    /* difference / bound */
  int worst_value;
  bool no_memory;
  bool failed; /* it ended in a failure behind the first difference */
} Compare;
dtrt_watch_fn compare_watch;
void compare_free(Compare *c);
/* A whole tensor; false: out of bounds, which is in *at. */
bool compare_whole(const Kept *k, const void *data, double tolerance, Parting *at, double *worst);
/* "[4, 7]" */
void index_text(int rank, const int64_t *index, char *out, size_t n);
void index_of(int rank, const int64_t *shape, int64_t flat, int64_t *index);

/* What an input is drawn from: integers below `below` (or any that fit `least`), else reals. */
typedef struct Range {
  bool whole;
  int64_t least, most; /* whole */
  double low, high;
  const char *since; /* "label of 10 classes", or NULL */
} Range;
Range draw_range(const Entry *e, int input);
void draw_input(const Range *r, const dtgc_tensor *t, uint64_t seed, void *to);

/* Host's buffers of an entry and of all variables. */
typedef struct Tensors {
  int n;
  const dtgc_tensor **of;
  void **data;
} Tensors;

typedef struct Verify {
  dtgc_program *p, *oracle, *looked; /* looked: with named values in memory */
  const dtgc_verify_options *o;
  double tolerance;
  const EntryInfo *entry; /* that runs */
  int64_t step;
  Bounds bounds;
  Kept *out, *var;                       /* the oracle's, beside entry->out and vars */
  Tensors in, outs, vars, before, again; /* again: outputs or variables of another run */
  int64_t tensors;
  double worst;
  char worst_name[160];
  bool differs;
  bool failed; /* the plan did, and cannot go on */
  bool given;  /* the step was run elsewhere, which knows its number */
  Str text;
} Verify;

/* verify_tell.c */
typedef struct Told {
  const char *name, *what, *where; /* what: the op or exchange that makes it, or NULL */
  const dtgc_program *of;
  Span at;
  int rank, device; /* device: -1 is all of them */
  Parting p;
} Told;
void verify_tell(Verify *v, const Told *t); /* something differs */
void verify_say_entry(Verify *v, int64_t steps);
void verify_json(Str *s, const char *text); /* in quotes */

#endif
