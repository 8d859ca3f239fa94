/* Calls of the kernels for products: what lies in the band of a tile, the loops around a call, and
 * the matrices that stay packed through a loop. */
#include "product.h"
#include <string.h>

/* -------- in the band of a tile -------- */

static void find_live(Product *p) {
  const LetterGroup *const role[3][2] = {{p->m, p->n}, {p->m, p->k}, {p->k, p->n}};
  static const char *const names[] = {"DTRT_BAND_C", "DTRT_BAND_A", "DTRT_BAND_B"};
  LiveBand *v = &p->live;
  *v = (LiveBand){.t = -1};
  for (int t = 0; t < 3; t++)
    if (in_band(p->l, p->t[t].id)) v->t = t;
  if (v->t < 0) return;
  const Side *s = &p->t[v->t];
  const int64_t row = s->letter[p->l->tile->band.row], column = s->letter[s->n->shape.rank - 1];
  for (int i = 0; i < 3; i++)
    for (int transposed = 0; transposed < 2; transposed++) {
      const LetterGroup *r = role[i][transposed], *q = role[i][!transposed];
      if (r && q && r->letter == row && q->letter == column)
        v->of = names[i], v->transposed = transposed;
    }
}

/* Where the product cannot leave out what is outside of the band, that has to be 0. */
static void clear_dead(Product *p) {
  const LiveBand *v = &p->live;
  if (v->of || (v->t != X && v->t != Y)) return;
  const Side *s = &p->t[v->t];
  entry_clear(p->build, s->n, entry_place(p->build, s->id), s->stride);
}

static Expr live_list(Product *p) {
  const LiveBand *v = &p->live;
  const Expr low = site_bound(p->l, INTEGER_LOW), high = site_bound(p->l, INTEGER_HIGH),
             one = loop_int(p->l, 1);
  const Expr arg[] = {loop_word(p->l, v->of, 0), v->transposed ? expr_sub(p->x, one, high) : low,
                      v->transposed ? expr_sub(p->x, one, low) : high};
  return entry_list(p->build, "dtrt_band", 3, arg);
}

/* -------- calls -------- */

/* Where a tile's depths lie among all that the product sums over: false if they are not one run of
 * them. */
static bool depths_before(const Product *p, Expr *at, Expr *all) {
  const Node *x = p->t[X].n;
  bool first = true;
  *at = loop_int(p->l, 0), *all = loop_int(p->l, 1);
  for (int d = 0; d < x->shape.rank; d++) {
    if (p->letters.in[p->t[X].letter[d]] & LETTER_OUT) continue;
    const Expr len = site_extent(p->l, x, d);
    if (is_int(p->l, len, 1)) continue;
    if (!first && p->t[X].part[d]) return false;
    *at = first ? site_at(p->l, x, d) : expr_mul(p->x, *at, len);
    *all = expr_mul(p->x, *all, len);
    first = false;
  }
  return p->k && !first;
}

static bool is_row(const Product *p, int loop) {
  return p->row != NO_LETTER && p->loop[loop]->letter == p->row;
}

/* The kernel goes through this loop. */
static bool is_told(const Product *p, int loop) { return p->told && !is_row(p, loop); }

static Expr index_of(const Product *p, int loop) {
  if (is_row(p, loop)) return product_row(p->l);
  return loop_symbol(p->l, arena_printf(p->l->arena, "i%d", loop), 0, INT64_MAX);
}

/* Tensor t where the loops are. */
static Expr place_in_loops(Product *p, int t) {
  Expr at = loop_int(p->l, 0);
  bool any = false;
  const Expr place = product_place(p, &p->t[t]);
  for (int i = 0; i < p->nloops; i++) {
    const Expr stride = p->loop[i]->stride[t];
    if (stride == NO_EXPR || is_told(p, i)) continue;
    at = expr_add(p->x, at, expr_mul(p->x, index_of(p, i), stride));
    any = true;
  }
  return any ? entry_after(p->build, p->t[t].type, place, at) : place;
}

/* The result, or the tile's part of it, is 0: runs of whole dims one after the other. */
static void clear_result(Product *p) {
  const Side *out = &p->t[OUT];
  const DType t = out->n->dtype;
  Expr run = loop_int(p->l, 1), at = loop_int(p->l, 0);
  int d = out->n->shape.rank, loops = 0;
  bool whole = true;
  while (d > 0 && whole) {
    const Expr len = site_len(p->l, out->n, --d);
    run = expr_mul(p->x, run, len);
    whole = len == site_room(p->l, out->n, d);
  }
  for (int e = 0; e < d; e++) {
    const Expr len = site_len(p->l, out->n, e);
    if (is_int(p->l, len, 1)) continue;
    const Expr i = loop_symbol(p->l, arena_printf(p->l->arena, "i%d", loops++), 0, INT64_MAX);
    loop_open(p->l, i, len, LOOP_SOME);
    at = expr_add(p->x, at, expr_mul(p->x, i, out->stride[e]));
  }
  const Expr place = entry_place(p->build, out->id);
  loop_zero_at(p->l, is_int(p->l, at, 0) ? place : entry_after(p->build, t, place, at), run,
               dtype_size(t));
  loop_close(p->l, loops);
}

/* How many. */
static int open_loops(Product *p) {
  /* A further summed dim is added up, which an empty one must not leave undone. */
  if (p->nsummed || product_leaves_zeros(p)) clear_result(p);
  int open = 0;
  for (int i = 0; i < p->nloops; i++) {
    if (is_told(p, i)) continue;
    loop_open(p->l, index_of(p, i), p->loop[i]->len, LOOP_SOME);
    open++;
  }
  return open;
}

/* What all kinds of calls have, behind the type: 11 arguments. */
static void matrices(Product *p, Expr *arg) {
  const Expr own[] = {loop_int(p->l, p->a.transposed),
                      loop_int(p->l, p->b.transposed),
                      product_len(p, p->m),
                      product_len(p, p->n),
                      product_len(p, p->k),
                      place_in_loops(p, p->a.t),
                      p->a.lead,
                      place_in_loops(p, p->b.t),
                      p->b.lead,
                      place_in_loops(p, OUT),
                      p->out.lead};
  for (int i = 0; i < 11; i++) arg[i] = own[i];
}

/* A tile adds to what the tiles before it have summed. */
static Expr is_later(Product *p, Expr first) {
  const ExprNode n = *expr_node(p->x, first);
  if (n.kind == EXPR_EQUAL) return expr_compare(p->x, EXPR_LESS, n.arg[1], n.arg[0]);
  Expr later = loop_int(p->l, 0);
  for (int i = 0; i < n.n; i++) later = expr_or(p->x, later, is_later(p, n.arg[i]));
  return later;
}

static NodeId memory_of(const Side *s) { return s->of == NO_NODE ? s->id : s->of; }

/* In a nest of tiles that does not compute the second matrix: tiles that read the same part of it
 * need it packed once. */
static bool keeps_columns(const Product *p) {
  const Tiles *s = p->l->tile;
  if (!s || p->nloops || p->filled) return false;
  return !tiles_make(s, memory_of(&p->t[p->b.t]));
}

/* The innermost loop that a node is in, or NO_REGION. */
static int loop_around(const EntryBuild *b, NodeId id) {
  return region_loop(b->en->le->entry, b->region[id]);
}

/* The node has one value in all runs of the loop. */
static bool is_fixed(const EntryBuild *b, NodeId id, int loop) {
  const LocalEntry *le = b->en->le;
  return !region_within(le->entry, b->region[node_base(le->graph, id)], loop);
}

/* So has operand k of a product: a part lies in one place, too. */
static bool is_operand_fixed(const EntryBuild *b, const Node *product, int k, int loop) {
  const LocalEntry *le = b->en->le;
  const NodeId id = product->operand[k];
  TensorPart part;
  if (le->stored[node_base(le->graph, id)] || !product_part(le, product, k, &part))
    return is_fixed(b, id, loop);
  bool fixed = is_fixed(b, part.of, loop);
  for (int d = 0; d < graph_node(le->graph, part.of)->shape.rank; d++)
    if (part.at[d] != NO_NODE) fixed = fixed && is_fixed(b, part.at[d], loop);
  return fixed;
}

/* In a loop of the entry that does not change the second matrix: each run needs it packed. */
static bool stays(const Product *p) {
  const EntryBuild *b = p->build;
  if (!b->region || p->l->tile || p->nloops || p->filled ||
      product_is_batch(b->en->le->graph, p->t[OUT].n))
    return false;
  const int loop = loop_around(b, p->t[OUT].id);
  return loop != NO_REGION && is_operand_fixed(b, p->t[OUT].n, p->b.t, loop);
}

/* Which operands lie there in f32: DTRT_ROUND_A, ... */
static int rounds(const Product *p) {
  const bool a = p->t[p->a.t].type != p->t[p->a.t].n->dtype,
             b = p->t[p->b.t].type != p->t[p->b.t].n->dtype;
  return (a ? DTRT_ROUND_A : 0) | (b ? DTRT_ROUND_B : 0);
}

/* The kernel is told the loops: it deals the products to the cores of the device. In a tile, cores
 * have tiles. */
enum { MOST_TOLD = 8 }; /* as dtrt_loops has */
static bool tells_loops(const Product *p) {
  const DType t = p->t[X].n->dtype;
  const int loops = p->nloops - (p->row != NO_LETTER);
  const bool kernel = t == DT_F32 || t == DT_F64 || dtype_is_half(t);
  if (rounds(p)) return false;
  return loops && loops <= MOST_TOLD && kernel && !p->l->tile && !p->live.of &&
         site_first(p->l, p->t[OUT].id) == NO_EXPR && !stays(p);
}

static Expr told_loops(Product *p) {
  const int tensor[3] = {p->a.t, p->b.t, OUT};
  Expr count[MOST_TOLD], step[3][MOST_TOLD];
  int n = 0;
  for (int i = 0; i < p->nloops; i++) {
    const LetterGroup *g = p->loop[i];
    if (!is_told(p, i)) continue;
    count[n] = g->len;
    for (int t = 0; t < 3; t++)
      step[t][n] = g->stride[tensor[t]] == NO_EXPR ? loop_int(p->l, 0) : g->stride[tensor[t]];
    n++;
  }
  const Expr field[] = {loop_int(p->l, n),
                        loop_int(p->l, n - p->nsummed),
                        entry_list(p->build, "count", n, count),
                        entry_list(p->build, "a", n, step[0]),
                        entry_list(p->build, "b", n, step[1]),
                        entry_list(p->build, "c", n, step[2])};
  return expr_address(p->x, entry_list(p->build, "dtrt_loops", 6, field));
}

bool *entry_products_stay(const EntryBuild *b) {
  const LocalEntry *le = b->en->le;
  const Graph *g = le->graph;
  bool *stays = arena_array(b->l->arena, bool, le->entry->regions.n + 1);
  for (NodeId i = 0; le->entry->regions.n && i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    const int loop = op_class(n) == OPC_PRODUCT ? loop_around(b, i) : NO_REGION;
    if (loop != NO_REGION && !stays[loop] && !product_is_batch(g, n))
      stays[loop] = is_operand_fixed(b, n, 0, loop) || is_operand_fixed(b, n, 1, loop);
  }
  return stays;
}

static bool call(Product *p, const Tiles *epilogue) {
  EntryBuild *b = p->build;
  const NodeId id = p->t[OUT].id;
  const Expr first = site_first(p->l, id), zero = loop_int(p->l, 0);
  Expr arg[16], before, all;
  matrices(p, arg + 1);
  const bool takes = epilogue && p->nloops == 0 && !p->filled && product_row_dims(p), keeps = stays(p);
  arg[0] = loop_word(p->l, dtype_constant(p->t[X].n->dtype), 0);
  if (dtype_is_half(p->t[X].n->dtype) && !p->told) {
    memmove(arg + 2, arg + 1, 11 * sizeof *arg);
    arg[1] = loop_int(p->l, rounds(p));
    arg[13] = loop_int(p->l, p->nsummed > 0), arg[14] = loop_int(p->l, keeps_columns(p) || keeps);
    arg[15] = takes ? entry_rows(b, epilogue) : zero;
    loop_run(b->l, "dtrt_gemm_half", 16, arg);
    return takes;
  }
  if (takes) {
    arg[11] = entry_rows(b, epilogue); /* its result is dense */
    loop_run(b->l, keeps ? "dtrt_gemm_epilogue_keeping" : "dtrt_gemm_epilogue", 11, arg + 1);
    return true;
  }
  Expr adds = loop_int(p->l, p->nsummed > 0);
  if (first != NO_EXPR) adds = is_later(p, first);
  if (first != NO_EXPR && !(p->live.of && p->live.t == OUT) &&
      (!entry_has_memory(b) || b->en->le->scratch[id] >= 0) && !p->nloops &&
      depths_before(p, &before, &all)) {
    arg[12] = entry_partial(b, id, DT_F64), arg[13] = before, arg[14] = all;
    Expr with[15];
    for (int i = 0; i < 14; i++) with[i] = arg[i + 1];
    with[14] = p->live.of ? expr_address(p->x, live_list(p)) : zero;
    loop_run(b->l, "dtrt_gemm_sum", 15, with);
    return false;
  }
  arg[12] = adds;
  if (p->told) {
    arg[13] = told_loops(p);
    loop_run(b->l, "dtrt_gemm_loops", 14, arg);
    return false;
  }
  if (p->live.of) {
    arg[13] = live_list(p);
    loop_run(b->l, "dtrt_gemm_band", 13, arg + 1);
    return false;
  }
  if (keeps && p->t[X].n->dtype == DT_F32)
    loop_run(b->l, "dtrt_gemm_keeping", 12, arg + 1);
  else
    loop_run(b->l, "dtrt_gemm", 13, arg);
  return false;
}

bool entry_product(EntryBuild *b, NodeId id, const Tiles *epilogue) {
  Product p;
  const bool matrices = product_find(&p, b, id);
  find_live(&p);
  clear_dead(&p);
  if (!matrices) {
    entry_loop(b, build_contract, id);
    return false;
  }
  p.told = tells_loops(&p);
  const int open = open_loops(&p);
  const bool took = call(&p, epilogue);
  loop_close(b->l, open);
  return took;
}
