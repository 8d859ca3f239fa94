/* The exchanges between all layouts of one tensor: what depends on one layout, or on two of a dim,
 * is found once, so that a table of all pairs takes little for each. */
#ifndef DTG_EXCHANGE_TABLE_H
#define DTG_EXCHANGE_TABLE_H
#include "plan.h"

/* One of its layouts. */
typedef struct ExchangeEnd {
  const Layout *layout;
  uint32_t axes;     /* that cut some dim */
  bool plain;        /* no windows */
  Shape block;       /* the largest */
  int64_t elements;  /* of it */
  int dim[MAX_RANK]; /* number among the plain ones of that dim; -1: a window, or too many */
} ExchangeEnd;
ExchangeEnd exchange_end(const Program *p, const Layout *l, const Shape *s);

typedef struct ExchangeTable ExchangeTable;
ExchangeTable *exchange_table_new(Arena *a, const Shape *s);
/* Layouts are numbered as they are added, from 0. */
void exchange_table_add(ExchangeTable *t, const Program *p, const Layout *l);
int exchange_table_count(const ExchangeTable *t);
const ExchangeEnd *exchange_table_end(const ExchangeTable *t, int layout);
/* As exchange_of. */
Exchange exchange_between(ExchangeTable *t, const Program *p, int from, int to, DType type);

#endif
