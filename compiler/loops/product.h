/* What the letters of a product are to one of matrices, as product_roles.c finds it and product.c
 * calls kernels by. */
#ifndef DTG_PRODUCT_H
#define DTG_PRODUCT_H
#include "entry_build.h"

typedef struct Side {
  const Node *n;
  NodeId id;
  const int64_t *letter;
  Expr stride[MAX_RANK], len[MAX_RANK]; /* in elements */
  bool part[MAX_RANK];                  /* a tile has a part of the dim */
  NodeId of;                            /* what it is a part of; NO_NODE: it is stored itself */
  Expr begin;                           /* there */
  DType type;                           /* of what is stored */
  int along; /* the dim of which so many elements count as `filled`; NO_DIM: all do */
  Expr filled;
} Side;

enum { X, Y, OUT, NO_LETTER = -1 };

/* One letter, or several that are one dim everywhere. */
typedef struct LetterGroup {
  int role;       /* LETTER_M, ... */
  int64_t letter; /* NO_LETTER: several */
  Expr len;
  Expr stride[3]; /* in X, Y, OUT; NO_EXPR: not there */
} LetterGroup;

typedef struct Operand {
  int t;
  bool transposed;
  Expr lead;
} Operand;

/* What lies in the band of a tile (tile_nest.c). */
typedef struct LiveBand {
  int t; /* the tensor; -1: none does */
  const char *of;
  bool transposed; /* its rows are the product's columns there */
} LiveBand;

typedef struct Product {
  EntryBuild *build;
  Loop *l;
  Exprs *x;
  Letters letters;
  Side t[3];
  LetterGroup group[26];
  int ngroups;
  LetterGroup *m, *n, *k; /* NULL: of one element */
  Operand a, b, out;
  const LetterGroup *loop[26]; /* looped over, those summed last */
  int nloops, nsummed;
  bool told;       /* the kernel goes through the loops */
  uint32_t filled; /* letters that are not gone through to the end */
  int64_t row;     /* the letter of rows that each are filled to an end of their own; NO_LETTER */
  LiveBand live;
} Product;

/* False: no kernel takes it, and it becomes plain loops. */
bool product_find(Product *p, EntryBuild *b, NodeId id);
/* Which row it is where each is filled to an end of its own. */
Expr product_row(Loop *l);
/* Whether the result has elements that no call reaches: they are 0. */
bool product_leaves_zeros(const Product *p);
Expr product_place(Product *p, const Side *s);
Expr product_len(const Product *p, const LetterGroup *g);
/* How many leading dims of the result are the rows of a product that is one call; 0: it takes no
 * epilogue. */
int product_row_dims(const Product *p);

#endif
