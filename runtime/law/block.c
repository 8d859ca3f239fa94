/* block.c: the blocks of tensors on a mesh, and copies of boxes between dense blocks. */
#include "block.h"
#include <string.h>

int64_t block_parts(const BlockMesh *m, const dtrt_dim *d) {
  int64_t k = 1;
  for (int i = 0; i < d->naxes; i++) k *= m->size[d->axis[i]];
  return k;
}

static int64_t units(const dtrt_dim *d) { return d->of > 0 ? d->of : d->n; }
static int64_t granule(const dtrt_dim *d) { return d->granule > 1 ? d->granule : 1; }
/* Where the granules divide evenly, their size makes no difference to the blocks. */
static int64_t granule_felt(const BlockMesh *m, const dtrt_dim *d) {
  int64_t g = granule(d);
  return units(d) / g % block_parts(m, d) == 0 ? 1 : g;
}

static Window window_of(const dtrt_dim *d) {
  return (Window){d->of, d->mul, d->div, d->first, d->last, d->cyclic};
}

BlockSpan block_cut(const dtrt_dim *d, int64_t k, int64_t i) {
  return law_block(units(d), granule(d), k, i);
}

BlockSpan block_window_raw(const dtrt_dim *d, BlockSpan part) {
  const Window w = window_of(d);
  return law_window_raw(&w, part);
}

BlockSpan block_window(const dtrt_dim *d, BlockSpan part) {
  const Window w = window_of(d);
  return law_window(&w, d->n, part);
}

BlockSpan block_span(const BlockMesh *m, const dtrt_dim *d, const int32_t *coord) {
  int64_t i = 0;
  for (int j = 0; j < d->naxes; j++) i = i * m->size[d->axis[j]] + coord[d->axis[j]];
  return block_window(d, block_cut(d, block_parts(m, d), i));
}

int64_t block_box(const BlockMesh *m, const dtrt_layout *l, const int32_t *coord, BlockSpan *box) {
  int64_t n = 1;
  for (int i = 0; i < l->rank; i++) {
    box[i] = block_span(m, &l->dim[i], coord);
    n *= box[i].hi - box[i].lo;
  }
  return n;
}

int64_t block_most(const BlockMesh *m, const dtrt_dim *d) {
  const Window w = window_of(d);
  return law_block_most(&w, d->n, granule(d), block_parts(m, d));
}

void block_coord(const BlockMesh *m, int device, int32_t *coord) {
  for (int i = 0; i < m->naxes; i++) coord[i] = device / m->stride[i] % m->size[i];
}

uint32_t block_axes(const BlockMesh *m, const dtrt_layout *l) {
  uint32_t set = 0;
  for (int i = 0; i < l->rank; i++)
    for (int j = 0; j < l->dim[i].naxes; j++)
      if (m->size[l->dim[i].axis[j]] > 1) set |= 1u << l->dim[i].axis[j];
  return set;
}

bool block_same(const BlockMesh *m, const dtrt_dim *a, const dtrt_dim *b) {
  int i = 0, j = 0;
  bool cut = false;
  for (;;) { /* axes of size 1 cut nothing */
    while (i < a->naxes && m->size[a->axis[i]] == 1) i++;
    while (j < b->naxes && m->size[b->axis[j]] == 1) j++;
    if (i == a->naxes || j == b->naxes) break;
    if (a->axis[i++] != b->axis[j++]) return false;
    cut = true;
  }
  if (i != a->naxes || j != b->naxes || a->n != b->n) return false;
  if ((a->of > 0) != (b->of > 0) || (cut && granule_felt(m, a) != granule_felt(m, b))) return false;
  return a->of <= 0 || (a->of == b->of && a->mul == b->mul && a->div == b->div &&
                        a->first == b->first && a->last == b->last && a->cyclic == b->cyclic);
}

int64_t dtrt_tensor_count(const dtrt_tensor *t) {
  int64_t n = 1;
  for (int i = 0; i < t->layout->rank; i++) n *= t->layout->dim[i].n;
  return n;
}

bool block_lowest_owner(const BlockMesh *m, const int32_t *coord, const dtrt_layout *l) {
  uint32_t cut = block_axes(m, l);
  for (int i = 0; i < m->naxes; i++)
    if (!(cut & 1u << i) && coord[i] != 0) return false;
  return true;
}

/* -------- text -------- */

typedef struct BlockText {
  char *at;
  size_t size, n;
} BlockText;

static void put(void *to, const char *more) {
  BlockText *t = to;
  if (t->n < t->size) t->n += (size_t)snprintf(t->at + t->n, t->size - t->n, "%s", more);
}

void block_layout_text(const dtrt_program *p, const dtrt_layout *l, char *text, size_t size) {
  BlockText t = {.at = text, .size = size};
  law_put_layout(put, &t, p->axis_name, p->naxes, l, false);
}

/* -------- boxes -------- */

void block_piece(Piece *p, int rank, const BlockSpan *box, const BlockSpan *from,
                 const BlockSpan *to) {
  int64_t fs = 1, ts = 1;
  int n = 0; /* loops, innermost first while they are found */
  int64_t count[DTRT_MAX_RANK + 1], f[DTRT_MAX_RANK + 1], t[DTRT_MAX_RANK + 1];
  p->from = p->to = 0;
  p->elements = p->run = 1;
  for (int i = rank - 1; i >= 0; i--) {
    int64_t len = box[i].hi - box[i].lo;
    p->from += (box[i].lo - from[i].lo) * fs;
    p->to += (box[i].lo - to[i].lo) * ts;
    p->elements *= len;
    if (len != 1) {
      if (n == 0 && fs == p->run && ts == p->run) {
        p->run *= len;
      } else if (n > 0 && f[n - 1] * count[n - 1] == fs && t[n - 1] * count[n - 1] == ts) {
        count[n - 1] *= len;
      } else {
        count[n] = len;
        f[n] = fs;
        t[n++] = ts;
      }
    }
    fs *= from[i].hi - from[i].lo;
    ts *= to[i].hi - to[i].lo;
  }
  p->nloops = n;
  for (int i = 0; i < n; i++) {
    p->count[i] = count[n - 1 - i];
    p->from_step[i] = f[n - 1 - i];
    p->to_step[i] = t[n - 1 - i];
  }
}

/* The innermost loops that together fit stay whole; of the next one out (or of the run) as many
 * turns go together as fit. */
bool block_part(const Piece *p, int64_t most, int64_t k, Piece *out) {
  int64_t inner = 1, turns = p->run;
  int level = p->nloops; /* the loop that is cut; nloops: the run */
  if (p->elements == 0) return false;
  while (level > 0 && inner * turns <= most) {
    inner *= turns;
    turns = p->count[--level];
  }
  int64_t group = most / inner > 0 ? most / inner : 1, parts = (turns + group - 1) / group;
  int64_t lo = k % parts * group, len = turns - lo < group ? turns - lo : group;
  bool run = level == p->nloops;
  *out = *p;
  out->elements = inner * len;
  out->nloops = p->nloops - level;
  if (run) out->run = len;
  for (int i = 0; i < out->nloops; i++) {
    out->count[i] = i ? p->count[level + i] : len;
    out->from_step[i] = p->from_step[level + i];
    out->to_step[i] = p->to_step[level + i];
  }
  out->from += lo * (run ? 1 : p->from_step[level]);
  out->to += lo * (run ? 1 : p->to_step[level]);
  k /= parts;
  for (int i = level - 1; i >= 0; k /= p->count[i--]) {
    out->from += k % p->count[i] * p->from_step[i];
    out->to += k % p->count[i] * p->to_step[i];
  }
  return k == 0;
}

BlockWalk block_walk(const Piece *p) { return (BlockWalk){.p = p, .from = p->from, .to = p->to}; }

bool block_next(BlockWalk *w) {
  const Piece *p = w->p;
  w->dense += p->run;
  for (int i = p->nloops - 1; i >= 0; i--) {
    w->from += p->from_step[i];
    w->to += p->to_step[i];
    if (++w->at[i] < p->count[i]) return true;
    w->from -= p->from_step[i] * p->count[i];
    w->to -= p->to_step[i] * p->count[i];
    w->at[i] = 0;
  }
  return false;
}

/* n runs of `bytes` with fixed steps. Runs of one element are common (a column), so they are not
 * calls. */
static void copy_runs(char *to, const char *from, int64_t n, int64_t ts, int64_t fs,
                      int64_t bytes) {
#define RUNS(T)                                                                                    \
  case sizeof(T):                                                                                  \
    for (int64_t i = 0; i < n; i++, to += ts, from += fs) memcpy(to, from, sizeof(T));             \
    return
  switch (bytes) {
    RUNS(uint8_t);
    RUNS(uint16_t);
    RUNS(uint32_t);
    RUNS(uint64_t);
    RUNS(uint64_t[2]);
    RUNS(uint64_t[4]);
  default:
    for (int64_t i = 0; i < n; i++, to += ts, from += fs) memcpy(to, from, (size_t)bytes);
  }
#undef RUNS
}

enum { FROM_BLOCK = 1, TO_BLOCK = 2 };

/* A side that is not a block is the dense box. */
static void copy(const Piece *p, int64_t size, char *to, const char *from, int sides) {
  if (p->elements == 0) return;
  int64_t fo = sides & FROM_BLOCK ? p->from : 0, tp = sides & TO_BLOCK ? p->to : 0;
  if (p->nloops == 0) {
    memcpy(to + tp * size, from + fo * size, (size_t)(p->run * size));
    return;
  }
  int in = p->nloops - 1;
  Piece outer = *p;
  outer.nloops = in;
  BlockWalk w = block_walk(&outer);
  int64_t fs = sides & FROM_BLOCK ? p->from_step[in] : p->run;
  int64_t ts = sides & TO_BLOCK ? p->to_step[in] : p->run;
  for (int64_t dense = 0;; dense += p->run * p->count[in]) {
    fo = sides & FROM_BLOCK ? w.from : dense;
    tp = sides & TO_BLOCK ? w.to : dense;
    copy_runs(to + tp * size, from + fo * size, p->count[in], ts * size, fs * size, p->run * size);
    if (!block_next(&w)) return;
  }
}

void block_copy(const Piece *p, int64_t size, void *to, const void *from) {
  copy(p, size, to, from, FROM_BLOCK | TO_BLOCK);
}
void block_pack(const Piece *p, int64_t size, void *dense, const void *from) {
  copy(p, size, dense, from, FROM_BLOCK);
}
void block_unpack(const Piece *p, int64_t size, void *to, const void *dense) {
  copy(p, size, to, dense, TO_BLOCK);
}
