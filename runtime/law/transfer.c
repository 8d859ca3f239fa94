/* transfer.c: needed minus owned, for one device and one exchange; see transfer.h for the rule. */
#include "transfer.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sum_type.h"

/* A part of one dim: its place and how far its device is from the base device. A cyclic window
 * shows elements at their places, or n further up or down: all spans of a part are those of one
 * such lap. */
typedef struct DimPart {
  int64_t delta;
  BlockSpan owner; /* the block it is cut from (or for sends: is put into) */
  BlockSpan own;   /* of sends: mine, that it is cut from */
  BlockSpan here;  /* the required part of it */
} DimPart;

typedef struct DimPartList {
  DimPart *at;
  int n, room;
} DimPartList;

typedef struct TransferMaker {
  const BlockMesh *mesh;
  const int32_t *coord;
  const dtrt_layout *from, *to;
  BlockSpan own[DTRT_MAX_RANK], need[DTRT_MAX_RANK];
  uint32_t reduce; /* axes whose partials are combined */
  uint32_t moving; /* axes along which owners differ from me */
  DimPartList dim[DTRT_MAX_RANK];
  bool no_memory;
} TransferMaker;

static void part_add(TransferMaker *w, DimPartList *p, DimPart part) {
  if (p->n == p->room) {
    int room = p->room ? p->room * 2 : 8;
    DimPart *at = realloc(p->at, (size_t)room * sizeof *at);
    if (!at) {
      w->no_memory = true;
      return;
    }
    p->at = at;
    p->room = room;
  }
  p->at[p->n++] = part;
}

static BlockSpan moved(BlockSpan s, int64_t by) { return (BlockSpan){s.lo + by, s.hi + by}; }

/* Elements of the dim may be shown in laps -laps to laps. */
static int laps_of(const dtrt_dim *to) { return to->of > 0 && to->cyclic ? 1 : 0; }

static BlockSpan meet(BlockSpan a, BlockSpan b) {
  BlockSpan s = {a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
  return s.lo < s.hi ? s : (BlockSpan){0, 0};
}

/* -------- what I receive -------- */

/* How far the device with block i of a cut dim is from the one with coordinate 0 on its axes. */
static int64_t delta_of(const BlockMesh *m, const dtrt_dim *d, int64_t i) {
  int64_t delta = 0;
  for (int j = d->naxes - 1; j >= 0; j--) {
    int32_t size = m->size[d->axis[j]];
    delta += i % size * m->stride[d->axis[j]];
    i /= size;
  }
  return delta;
}

/* The owners of what I need of a dim in one lap: `up` places further up. */
static void owners_in(TransferMaker *w, int dim, BlockSpan need, int64_t up) {
  const dtrt_dim *d = &w->from->dim[dim];
  int64_t k = block_parts(w->mesh, d), lo = 0, hi = k; /* the first block that ends after need.lo */
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (block_cut(d, k, mid).hi > need.lo)
      hi = mid;
    else
      lo = mid + 1;
  }
  for (int64_t i = lo; i < k; i++) {
    BlockSpan block = block_cut(d, k, i), here = meet(block, need);
    if (block.lo >= need.hi) break;
    if (here.lo >= here.hi) continue;
    part_add(w, &w->dim[dim],
             (DimPart){delta_of(w->mesh, d, i), moved(block, up), w->own[dim], moved(here, up)});
  }
}

/* The owners of what I need of a dim. */
static void owners(TransferMaker *w, int dim) {
  const dtrt_dim *d = &w->from->dim[dim];
  BlockSpan need = w->need[dim];
  if (need.lo >= need.hi) return;
  if (block_same(w->mesh, d, &w->to->dim[dim])) {
    int64_t delta = 0;
    for (int j = 0; j < d->naxes; j++)
      delta += (int64_t)w->coord[d->axis[j]] * w->mesh->stride[d->axis[j]];
    part_add(w, &w->dim[dim], (DimPart){delta, w->own[dim], w->own[dim], need});
    return;
  }
  for (int lap = -laps_of(&w->to->dim[dim]); lap <= laps_of(&w->to->dim[dim]); lap++)
    owners_in(w, dim, moved(need, -lap * d->n), lap * d->n);
}

/* -------- what I send -------- */

/* The devices that need something of my block of a dim in one lap, by going down the axes of `to`:
 * a cut over (a, b) nests in the cut over a, and both ends of the raw windows only grow (or only
 * shrink) along an axis. */
static void needers(TransferMaker *w, int dim, BlockSpan own, int level, int64_t parts,
                    int64_t index, int64_t delta) {
  const dtrt_dim *d = &w->to->dim[dim];
  if (level == d->naxes) {
    BlockSpan block = block_window(d, block_cut(d, parts, index)), here = meet(block, own);
    if (here.lo < here.hi) part_add(w, &w->dim[dim], (DimPart){delta, block, own, here});
    return;
  }
  int axis = d->axis[level];
  int64_t size = w->mesh->size[axis], k = parts * size, first = index * size;
  if (!((w->moving | w->reduce) & 1u << axis)) { /* such a device has my own coordinate here */
    needers(w, dim, own, level + 1, k, first + w->coord[axis], delta);
    return;
  }
  bool down = d->of > 0 && d->mul < 0;
  int64_t lo = 0, hi = size;
  while (lo < hi) { /* the first, in the order that spans grow, that ends after own.lo */
    int64_t mid = lo + (hi - lo) / 2;
    BlockSpan cut = block_cut(d, k, first + (down ? size - 1 - mid : mid));
    BlockSpan raw = d->of > 0 ? block_window_raw(d, cut) : cut;
    if (raw.hi > own.lo)
      hi = mid;
    else
      lo = mid + 1;
  }
  for (; lo < size; lo++) {
    int64_t c = down ? size - 1 - lo : lo;
    BlockSpan cut = block_cut(d, k, first + c);
    if ((d->of > 0 ? block_window_raw(d, cut) : cut).lo >= own.hi) break;
    needers(w, dim, own, level + 1, k, first + c, delta + c * w->mesh->stride[axis]);
  }
}

/* -------- products -------- */

/* Makes pieces of all combinations of the dims' parts. */
static Piece *product(TransferMaker *w, int64_t base, bool sends, int *n) {
  int rank = w->from->rank;
  int64_t total = 1;
  *n = 0;
  for (int i = 0; i < rank; i++) {
    total *= w->dim[i].n;
    if (total > INT_MAX) return NULL;
  }
  if (w->no_memory) return NULL;
  Piece *piece = malloc((size_t)(total ? total : 1) * sizeof *piece);
  if (!piece) return NULL;
  int at[DTRT_MAX_RANK] = {0};
  for (int64_t i = 0; i < total; i++) {
    BlockSpan box[DTRT_MAX_RANK] = {{0, 0}}, theirs[DTRT_MAX_RANK] = {{0, 0}},
              own[DTRT_MAX_RANK] = {{0, 0}};
    int64_t peer = base;
    for (int d = 0; d < rank; d++) {
      const DimPart *p = &w->dim[d].at[at[d]];
      peer += p->delta;
      box[d] = p->here;
      theirs[d] = p->owner;
      own[d] = p->own;
    }
    Piece *q = &piece[(*n)++];
    block_piece(q, rank, box, sends ? own : theirs, sends ? theirs : w->need);
    q->peer = (int32_t)peer;
    for (int d = rank - 1; d >= 0 && ++at[d] == w->dim[d].n; d--) at[d] = 0;
  }
  return piece;
}

/* Device number with my coordinates on the axes not in `but`, and 0 on those. */
static int64_t base_of(const TransferMaker *w, uint32_t but) {
  int64_t base = 0;
  for (int i = 0; i < w->mesh->naxes; i++)
    if (!(but & 1u << i)) base += (int64_t)w->coord[i] * w->mesh->stride[i];
  return base;
}

static uint32_t all_axes(const dtrt_layout *l) {
  uint32_t set = 0;
  for (int i = 0; i < l->rank; i++)
    for (int j = 0; j < l->dim[i].naxes; j++) set |= 1u << l->dim[i].axis[j];
  return set;
}

/* All offsets of device numbers along a set of axes, ascending. */
static int *deltas(const BlockMesh *m, uint32_t axes, int *n) {
  int64_t total = 1;
  for (int i = 0; i < m->naxes; i++)
    if (axes & 1u << i) total *= m->size[i];
  int *at = malloc((size_t)total * sizeof *at);
  if (!at) return NULL;
  *n = 1;
  at[0] = 0;
  for (int i = 0; i < m->naxes; i++) {
    if (!(axes & 1u << i)) continue;
    for (int j = *n - 1; j >= 0; j--) /* backwards, so that it can be done in place */
      for (int c = m->size[i] - 1; c >= 0; c--) at[j * m->size[i] + c] = at[j] + c * m->stride[i];
    *n *= m->size[i];
  }
  return at;
}

static void forget(TransferMaker *w) {
  for (int i = 0; i < w->from->rank; i++) w->dim[i].n = 0;
}

static bool receives(TransferMaker *w, Transfer *p) {
  for (int i = 0; i < w->from->rank; i++) owners(w, i);
  p->recv = product(w, base_of(w, all_axes(w->from) | w->reduce), false, &p->nrecv);
  forget(w);
  if (!p->recv) return false;
  int64_t me = base_of(w, 0);
  for (int i = 0; i < p->nrecv; i++)
    for (int t = 0; t < p->nterms; t++)
      if (p->recv[i].peer + p->term[t] != me) p->recv_bytes += p->recv[i].elements * p->size;
  /* Every device begins with the piece after its own, so that not all read the first one's memory
   * at once. */
  int turn = 0;
  while (turn < p->nrecv && p->recv[turn].peer <= me) turn++;
  if (turn == 0 || turn == p->nrecv) return true;
  Piece *turned = malloc((size_t)p->nrecv * sizeof *turned);
  if (!turned) return true; /* as good in any order */
  memcpy(turned, p->recv + turn, (size_t)(p->nrecv - turn) * sizeof *turned);
  memcpy(turned + (p->nrecv - turn), p->recv, (size_t)turn * sizeof *turned);
  free(p->recv);
  p->recv = turned;
  return true;
}

/* What it has itself stays where it is. */
static void leave_own(TransferMaker *w, Transfer *p) {
  const int64_t me = base_of(w, 0);
  int kept = 0;
  for (int i = 0; i < p->nrecv; i++)
    if (p->recv[i].peer != me) p->recv[kept++] = p->recv[i];
  p->nrecv = kept;
  p->borders = true;
}

static bool make_sends(TransferMaker *w, Transfer *p, uint32_t fresh) {
  uint32_t in_dims = all_axes(w->to), free_axes = (w->moving | w->reduce) & ~in_dims;
  for (int i = 0; i < w->from->rank; i++)
    for (int lap = -laps_of(&w->to->dim[i]); lap <= laps_of(&w->to->dim[i]); lap++)
      if (w->own[i].lo < w->own[i].hi)
        needers(w, i, moved(w->own[i], lap * w->to->dim[i].n), 0, 1, 0, 0);
  int nbox = 0, nfree = 0;
  int64_t base = base_of(w, w->moving | w->reduce);
  Piece *box = product(w, base, true, &nbox);
  /* Devices along axes that `to` does not use need the same; of those where it is partial, only the
   * first. */
  int *step = deltas(w->mesh, free_axes & ~fresh, &nfree);
  for (int i = 0; i < w->mesh->naxes; i++)
    if (fresh & ~free_axes & 1u << i && w->coord[i] != 0) nbox = 0;
  p->send = box && step ? malloc(((size_t)nbox * (size_t)nfree + 1) * sizeof *p->send) : NULL;
  int64_t me = base_of(w, 0);
  for (int i = 0; p->send && i < nbox; i++)
    for (int j = 0; j < nfree; j++) {
      Piece q = box[i];
      q.peer += step[j];
      if (q.peer != me) p->send[p->nsend++] = q;
    }
  free(box);
  free(step);
  return p->send != NULL;
}

/* -------- the order by messages -------- */

/* Number of a device's team among those of its group. */
static int64_t team_of(const BlockMesh *m, uint32_t axes, int device) {
  int64_t team = 0;
  for (int i = 0; i < m->naxes; i++)
    if (axes & 1u << i) team = team * m->size[i] + device / m->stride[i] % m->size[i];
  return team;
}

static int by_round(const void *a, const void *b) {
  const Piece *p = a, *q = b;
  if (p->round != q->round) return (p->round > q->round) - (p->round < q->round);
  if (p->peer != q->peer) return (p->peer > q->peer) - (p->peer < q->peer);
  return (p->to > q->to) -
         (p->to < q->to); /* of one device to another: in the same order in both */
}

static void set_rounds(const TransferMaker *w, Transfer *p) {
  uint32_t axes = p->axes & ~w->reduce;
  int64_t teams = 1, mine = team_of(w->mesh, axes, (int)base_of(w, 0));
  for (int i = 0; i < w->mesh->naxes; i++)
    if (axes & 1u << i) teams *= w->mesh->size[i];
  for (int i = 0; i < p->nrecv; i++)
    p->recv[i].round = (int32_t)((mine - team_of(w->mesh, axes, p->recv[i].peer) + teams) % teams);
  for (int i = 0; i < p->nsend; i++)
    p->send[i].round = (int32_t)((team_of(w->mesh, axes, p->send[i].peer) - mine + teams) % teams);
  qsort(p->recv, (size_t)p->nrecv, sizeof *p->recv, by_round);
  qsort(p->send, (size_t)p->nsend, sizeof *p->send, by_round);
}

static bool check(const BlockMesh *m, const dtrt_exchange *x, char *why) {
  const dtrt_layout *f = x->from, *t = x->to;
  if (f->rank != t->rank || f->rank < 0 || f->rank > DTRT_MAX_RANK) {
    snprintf(why, 256, "exchange of %s: ranks %d and %d", x->what, f->rank, t->rank);
    return false;
  }
  for (int i = 0; i < f->rank; i++)
    if (f->dim[i].n != t->dim[i].n ||
        (f->dim[i].of > 0 && !block_same(m, &f->dim[i], &t->dim[i]))) {
      snprintf(why, 256, "exchange of %s: dim %d cannot be exchanged", x->what, i);
      return false;
    }
  return true;
}

/* Over the axes that the compiler recorded; without any, over those along which devices meet. */
static void set_collective(const BlockMesh *m, Transfer *p, const dtrt_exchange *x) {
  uint32_t axes = x->axes ? x->axes : p->axes;
  int64_t group = 1;
  for (int i = 0; i < m->naxes; i++)
    if (axes & 1u << i) group *= m->size[i];
  p->one = (Collective){.all_reduce = p->kind == TRANSFER_ALL_REDUCE,
                        .group = group,
                        .terms = p->nterms,
                        .size = p->size,
                        .wide = dtrt_dtype_size(sum_type(p->dtype)),
                        .most = p->most,
                        .staged = p->most,
                        .received = x->received,
                        .senders = x->senders,
                        .run = x->run};
  collective_share(&p->one, 1);
  p->speed = speed_default();
}

/* Those of several devices that the exchange does not know. */
static uint32_t idle_axes(const BlockMesh *m, uint32_t known, const dtrt_exchange *x) {
  uint32_t idle = 0;
  known |= all_axes(x->from) | all_axes(x->to) | x->from->partial | x->to->partial;
  for (int i = 0; i < m->naxes; i++)
    if (m->size[i] > 1 && !(known >> i & 1)) idle |= 1u << i;
  return idle;
}

Transfer *transfer_new(const BlockMesh *m, const int32_t *coord, const dtrt_exchange *x, bool sends,
                       char *why) {
  if (!check(m, x, why)) return NULL;
  snprintf(why, 256, "out of memory for the exchange of %s", x->what);
  TransferMaker w = {.mesh = m, .coord = coord, .from = x->from, .to = x->to};
  Transfer *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->dtype = x->dtype;
  p->size = dtrt_dtype_size(x->dtype);
  p->elements = block_box(m, x->from, coord, w.own);
  p->to_elements = block_box(m, x->to, coord, w.need);
  p->most = p->size;
  bool same = true;
  uint32_t fresh = x->to->partial & ~x->from->partial;
  p->reduce = x->from->partial ? x->from->reduce : x->to->reduce;
  for (int i = 0; i < m->naxes; i++) {
    if (m->size[i] == 1)
      fresh &= ~(1u << i); /* its one device keeps the value: nothing is dealt out */
    if (m->size[i] == 1) continue;
    if (x->from->partial & ~x->to->partial & 1u << i) w.reduce |= 1u << i;
    if (fresh & 1u << i && coord[i] != 0) p->identity = true;
  }
  for (int i = 0; i < x->from->rank; i++) {
    const dtrt_dim *d = &x->from->dim[i];
    p->most *= block_most(m, d);
    if (block_same(m, d, &x->to->dim[i])) continue;
    same = false;
    for (int j = 0; j < d->naxes; j++)
      if (m->size[d->axis[j]] > 1) w.moving |= 1u << d->axis[j];
  }
  /* The largest and the smallest of equal terms is the term, so there is no need to leave any out.
   */
  if (p->reduce == DTRT_MAX || p->reduce == DTRT_MIN) p->identity = false, fresh = 0;
  p->axes = w.reduce | w.moving;
  p->settle = w.reduce;
  p->alike = p->axes & ~all_axes(x->to) & ~fresh;
  p->idle = idle_axes(m, p->axes | x->axes, x);
  p->copies = 1;
  p->kind = !same || fresh ? TRANSFER_BOXES : w.reduce ? TRANSFER_ALL_REDUCE : TRANSFER_LOCAL;
  p->term = deltas(m, w.reduce, &p->nterms);
  set_collective(m, p, x);
  bool fine = p->term != NULL;
  if (fine && p->kind == TRANSFER_BOXES) {
    if (p->identity) p->recv = malloc(sizeof *p->recv);
    fine = p->identity ? p->recv != NULL : receives(&w, p);
    if (fine && x->borders && p->nterms == 1) leave_own(&w, p);
    if (fine && sends && p->axes) {
      fine = make_sends(&w, p, fresh);
      if (fine) set_rounds(&w, p);
    }
  }
  for (int i = 0; i < x->from->rank; i++) free(w.dim[i].at);
  if (fine) return p;
  transfer_free(p);
  return NULL;
}

void transfer_for_hosts(Transfer *p, int device, int count) {
  int kept = 0;
  p->for_hosts = true;
  for (int i = 0; i < p->nsend; i++)
    if (p->send[i].peer % count == 0) p->send[kept++] = p->send[i];
  p->nsend = kept;
  if (device % count == 0) return;
  p->nrecv = 0;
  p->recv_bytes = 0;
  if (p->kind != TRANSFER_LOCAL) return;
  p->kind = TRANSFER_BOXES; /* of no box */
  p->axes = 0;
}

void transfer_free(Transfer *p) {
  if (!p) return;
  free(p->term);
  free(p->recv);
  free(p->send);
  free(p);
}
