/* A program's cache of exchanges: for pairs of layouts the exchange, for pairs of dims their
 * facts. Layouts, their dims and shapes are numbered here. When the table of exchanges is full, a
 * new entry replaces an older one. */
#include "exchange_dims.h"
#include <string.h>

enum {
  FEWEST = 1 << 10,
  MOST = 1 << 17, /* exchanges */
  NEAR = 4,       /* places in which one may be */
  SLOTS = 4096,
  FEW_SLOTS = 256
};

typedef struct KnownEntry {
  KnownAt at; /* shape 0: nothing here */
  Known known;
} KnownEntry;

typedef struct DimSlot {
  struct DimSlot *next;
  int32_t from, to;
  DimPair pair;
} DimSlot;

typedef struct Numbered {
  struct Numbered *next;
  int32_t number; /* from 1 */
  size_t size;
  char bytes[];
} Numbered;

typedef struct Numbers {
  int32_t n;
  Numbered *slot[FEW_SLOTS];
} Numbers;

typedef struct ExchangeDims {
  int32_t dim[MAX_RANK];
} ExchangeDims;

struct KnownExchanges {
  Arena *arena, *table; /* the latter of the exchanges */
  Lookup layouts;       /* to 1 + index in dims */
  VEC(ExchangeDims) dims;
  Numbers shapes, all_dims;
  DimSlot *pair[SLOTS];
  int n, nslots; /* a power of two */
  KnownEntry *slot;
};

KnownExchanges *known_new(const Program *p) {
  Arena *a = arena_child(p->arena);
  KnownExchanges *k = arena_new_of(a, KnownExchanges);
  k->arena = a;
  k->table = arena_child(p->arena);
  return k;
}

/* Arenas do not shrink: what is full stays so. */
static bool has_room(const KnownExchanges *k) { return arena_used(k->arena) < KNOWN_BYTES; }

/* -------- numbers -------- */

static int32_t number_of(Arena *a, Numbers *all, const void *bytes, size_t size) {
  Numbered **at = &all->slot[hash_words(bytes, size, 0) % FEW_SLOTS];
  for (Numbered *x = *at; x; x = x->next)
    if (x->size == size && !memcmp(x->bytes, bytes, size)) return x->number;
  Numbered *x = arena_alloc(a, sizeof *x + size);
  *x = (Numbered){.next = *at, .number = ++all->n, .size = size};
  memcpy(x->bytes, bytes, size);
  *at = x;
  return x->number;
}

static int32_t layout_number(KnownExchanges *k, const Layout *l) {
  int number = lookup_get(&k->layouts, l);
  if (number) return number;
  ExchangeDims d = {{0}};
  for (int i = 0; i < l->rank; i++)
    d.dim[i] = number_of(k->arena, &k->all_dims, &l->dim[i], sizeof l->dim[i]);
  vec_push(k->arena, &k->dims, d);
  lookup_put(&k->layouts, k->arena, l, k->dims.n);
  return k->dims.n;
}

KnownAt known_at(KnownExchanges *k, const Layout *from, const Layout *to, const Shape *s) {
  return (KnownAt){layout_number(k, from), layout_number(k, to),
                   number_of(k->arena, &k->shapes, s->dim, sizeof s->dim[0] * (size_t)s->rank)};
}

/* -------- exchanges -------- */

static uint64_t hash_of(KnownAt at) { return hash_words(&at, sizeof at, 0); }

static bool is_at(const KnownEntry *e, KnownAt at) {
  return e->at.from == at.from && e->at.to == at.to && e->at.shape == at.shape;
}

bool known_get(const KnownExchanges *k, KnownAt at, Known *out) {
  uint64_t h = hash_of(at);
  for (int i = 0; i < NEAR && k->nslots; i++) {
    const KnownEntry *e = &k->slot[(h + (uint64_t)i) & (uint64_t)(k->nslots - 1)];
    if (!is_at(e, at)) continue;
    *out = e->known;
    return true;
  }
  return false;
}

static void put(KnownExchanges *k, const KnownEntry *x) {
  uint64_t h = hash_of(x->at);
  int i = 0;
  while (i < NEAR && k->slot[(h + (uint64_t)i) & (uint64_t)(k->nslots - 1)].at.shape) i++;
  k->n += i < NEAR;
  k->slot[(h + (uint64_t)(i % NEAR)) & (uint64_t)(k->nslots - 1)] = *x;
}

static void grow(KnownExchanges *k) {
  const KnownEntry *old = k->slot;
  int n = k->nslots;
  k->nslots = n ? 4 * n : FEWEST;
  k->slot = arena_array(k->table, KnownEntry, k->nslots);
  k->n = 0;
  for (int i = 0; i < n; i++)
    if (old[i].at.shape) put(k, &old[i]);
}

void known_put(KnownExchanges *k, KnownAt at, const Known *x) {
  if (2 * k->n >= k->nslots && k->nslots < MOST) grow(k);
  put(k, &(KnownEntry){at, *x});
}

/* -------- pairs of dims -------- */

static DimPair *pair_here(const Program *p, Arena *a, const DimLayout *from, const DimLayout *to,
                          int64_t n) {
  DimPair *x = arena_new_of(a, DimPair);
  dim_pair_set(&p->mesh, x, from, to, n);
  return x;
}

DimPair *known_dim_pair(const Program *p, KnownExchanges *k, KnownAt at, const Layout *from,
                        const Layout *to, int dim, int64_t n) {
  if (!k) return pair_here(p, p->arena, &from->dim[dim], &to->dim[dim], n);
  int32_t f = k->dims.at[at.from - 1].dim[dim], t = k->dims.at[at.to - 1].dim[dim];
  uint64_t key[] = {(uint64_t)f << 32 | (uint32_t)t, (uint64_t)n};
  DimSlot **slot = &k->pair[hash_words(key, sizeof key, 0) % SLOTS];
  for (DimSlot *s = *slot; s; s = s->next)
    if (s->from == f && s->to == t && s->pair.n == n) return &s->pair;
  if (!has_room(k)) return pair_here(p, p->arena, &from->dim[dim], &to->dim[dim], n);
  DimSlot *s = arena_new_of(k->arena, DimSlot);
  s->next = *slot, s->from = f, s->to = t;
  dim_pair_set(&p->mesh, &s->pair, &from->dim[dim], &to->dim[dim], n);
  s->pair.kept = k->arena;
  *slot = s;
  return &s->pair;
}
