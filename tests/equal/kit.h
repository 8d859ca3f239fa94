/* What the equality tests share: cases made from every op's example, whole tensors of values that a
 * seed decides, random layouts on a mesh, and comparing two tensors.
 *
 * The oracle is the same text without a mesh. Values are bit for bit the same unless the case says
 * that its op adds terms up, in an order that the layout decides: then whole numbers must still
 * agree to the bit, and other values within `terms` roundings. */
#ifndef DTG_TEST_KIT_H
#define DTG_TEST_KIT_H
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>

enum { MOST_INPUTS = 10, MOST_AXES = 4, MOST_RANK = 8 };

/* -------- values -------- */

typedef struct Random {
  uint64_t state;
} Random;
uint64_t random_next(Random *r);
int random_below(Random *r, int n);
double random_real(Random *r); /* [0, 1) */

typedef struct Tensor {
  char name[32];
  dtgc_dtype dtype;
  int rank;
  int64_t dim[MOST_RANK];
  bool positive; /* 0.5 to 2 */
  bool zeros;    /* two of three elements are 0 */
  int64_t below; /* > 0: whole numbers 0 to below - 1 */
  int64_t count;
  size_t bytes;
  void *data;
} Tensor;

void tensor_size(Tensor *t); /* sets count and bytes, and data to zeros */
void tensor_free(Tensor *t);
/* whole: small whole numbers, whose sums and products are exact. */
void tensor_fill(Tensor *t, Random *r, bool whole);
double tensor_at(const Tensor *t, int64_t i);
void tensor_put(Tensor *t, int64_t i, double v);
void tensor_type(const Tensor *t, char *out, size_t n); /* f32[4, 6] */
dtgc_dtype dtype_named(const char *name, size_t len, bool *ok);

/* Index of the first element that differs by more than `terms` roundings of (1 + |a|); -1 when
 * there is none. terms == 0: bit for bit, but any not-a-number equals any other, and 0 equals -0: a
 * sum that is settled after it was negated, -1 + 1, is 0, where on one device it is -(1 - 1), -0.
 */
int64_t tensor_differs(const Tensor *a, const Tensor *b, double terms);

/* -------- cases -------- */

typedef struct Case {
  char entry[40];
  const char *op;
  char expr[400];
  Tensor in[MOST_INPUTS];
  int nin;
  double terms; /* 0: exact for all values; else exact for small whole numbers if `whole_exact` */
  bool whole_exact;
  bool smooth; /* no_grad == NULL in every op it is made of, as far as the roll says */
} Case;

/* "f32[4, 6] x, f32[6] y+, f32[6] z~, i32[4] i%6: EXPR". False when the text is not of that form. */
bool case_parse(Case *c, const char *example);
/* The same case in another floating or whole type; false when it has no f32. */
bool case_as(const Case *c, const char *dtype, Case *out);
void case_free(Case *c);
void case_write(const Case *c, FILE *out); /* as an entry that returns r */

/* -------- layouts -------- */

typedef struct Grid {
  const char *mesh; /* "a=2,b=3"; NULL: one device */
  int naxes;
} Grid;
extern const Grid grids[]; /* ends with a NULL mesh */

/* [a, (b, c), _]: each axis over a random dim or none, at most once. */
void layout_random(Random *r, int naxes, int rank, char *out, size_t n);
void layout_write(FILE *out, const char *tensor, const char *layout);

/* -------- compiling -------- */

/* `layouts` may be NULL. NULL after having said why in *why (malloc'ed). */
dtgc_program *kit_compile(const char *model, const char *layouts, const char *mesh, char **why);
/* The same with an optimization left out; NULL: none. */
dtgc_program *kit_compile_without(const char *disable, const char *model, const char *layouts,
                                  const char *mesh, char **why);

#endif
