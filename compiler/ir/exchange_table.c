/* exchange_table.c: see exchange_table.h. */
#include "exchange_dims.h"

enum { MOST_DIMS = 256 }; /* layouts of one dim that have numbers */

typedef struct DimTable {
  VEC(const DimLayout *) at;
  int cap;
  DimPair **pair; /* [from * cap + to]; NULL: not looked up yet, or not kept */
} DimTable;

struct ExchangeTable {
  Arena *arena;
  Shape shape;
  VEC(ExchangeEnd) ends;
  DimTable dim[MAX_RANK];
};

ExchangeTable *exchange_table_new(Arena *a, const Shape *s) {
  ExchangeTable *t = arena_new_of(a, ExchangeTable);
  t->arena = a;
  t->shape = *s;
  return t;
}

int exchange_table_count(const ExchangeTable *t) { return t->ends.n; }
const ExchangeEnd *exchange_table_end(const ExchangeTable *t, int layout) {
  return &t->ends.at[layout];
}

static void grow(ExchangeTable *t, DimTable *x) {
  const int cap = x->cap ? 2 * x->cap : 8;
  DimPair **pair = arena_array(t->arena, DimPair *, (size_t)cap * (size_t)cap);
  for (int i = 0; i < x->cap; i++)
    for (int k = 0; k < x->cap; k++) pair[i * cap + k] = x->pair[i * x->cap + k];
  x->pair = pair, x->cap = cap;
}

static int dim_number(ExchangeTable *t, int dim, const DimLayout *l) {
  DimTable *x = &t->dim[dim];
  if (l->window.of) return -1;
  for (int i = 0; i < x->at.n; i++)
    if (dim_equal(x->at.at[i], l)) return i;
  if (x->at.n == MOST_DIMS) return -1;
  vec_push(t->arena, &x->at, l);
  if (x->at.n > x->cap) grow(t, x);
  return x->at.n - 1;
}

void exchange_table_add(ExchangeTable *t, const Program *p, const Layout *l) {
  ExchangeEnd x = exchange_end(p, l, &t->shape);
  for (int d = 0; d < t->shape.rank; d++) x.dim[d] = dim_number(t, d, &l->dim[d]);
  vec_push(t->arena, &t->ends, x);
}

static DimPair *pair_of(ExchangeTable *t, const Program *p, const ExchangeEnd *from,
                        const ExchangeEnd *to, int dim) {
  DimTable *x = &t->dim[dim];
  const int f = from->dim[dim], g = to->dim[dim];
  const bool numbered = f >= 0 && g >= 0;
  if (numbered && x->pair[f * x->cap + g]) return x->pair[f * x->cap + g];
  KnownAt at = {0};
  if (p->known) at = known_at(p->known, from->layout, to->layout, &t->shape);
  DimPair *pair = known_dim_pair(p, p->known, at, from->layout, to->layout, dim, t->shape.dim[dim]);
  if (numbered && pair->kept) x->pair[f * x->cap + g] = pair;
  return pair;
}

Exchange exchange_between(ExchangeTable *t, const Program *p, int from, int to, DType type) {
  const ExchangeEnd *f = &t->ends.at[from], *g = &t->ends.at[to];
  DimPair *pair[MAX_RANK];
  ArenaMark mark = arena_mark(p->arena);
  for (int d = 0; d < t->shape.rank; d++) pair[d] = pair_of(t, p, f, g, d);
  const Exchange x = exchange_by(p, pair, f, g, type);
  arena_release(p->arena, mark);
  return x;
}
