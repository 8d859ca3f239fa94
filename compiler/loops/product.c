/* Products. The letters of a contraction are dealt to the roles of a matrix product: m (in x and
 * the result), n (in y and the result), k (summed), and a batch that is looped over. Letters of one
 * role that lie side by side in every tensor are one dim. Strides decide whether a matrix is read
 * as it lies or transposed, so nothing is ever copied into another order; what fits no matrix
 * product becomes plain loops. */
#include "entry_build.h"

typedef struct Side {
  const Node *n;
  NodeId id;
  const int64_t *letter;
  Expr stride[MAX_RANK], len[MAX_RANK]; /* in elements */
  bool part[MAX_RANK];                  /* a tile has a part of the dim */
  NodeId of;                            /* what it is a part of; NO_NODE: it is stored itself */
  Expr begin;                           /* there */
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
typedef struct Live {
  int t; /* the tensor; -1: none does */
  const char *of;
  bool transposed; /* its rows are the product's columns there */
} Live;

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
  Live live;
} Product;

/* -------- letters -------- */

static int find_letter(const Side *s, int64_t c) {
  for (int d = 0; d < s->n->shape.rank; d++)
    if (s->letter[d] == c) return d;
  return -1;
}

/* Where a part lies in its tensor. */
static void measure_part(Product *p, Side *s, const TensorPart *part) {
  Expr stride[MAX_RANK];
  const Node *of = graph_node(p->build->en->le->graph, part->of);
  s->of = part->of;
  s->begin = loop_int(p->l, 0);
  entry_strides(p->build, of, stride);
  for (int d = 0; d < of->shape.rank; d++) {
    s->begin = expr_add(p->x, s->begin, expr_scale(p->x, stride[d], part->begin[d]));
    if (part->at[d] == NO_NODE) continue;
    const Expr at = entry_position(p->build, part->at[d], part->reach[d], of->shape.dim[d]);
    s->begin = expr_add(p->x, s->begin, expr_mul(p->x, at, stride[d]));
  }
  for (int d = 0; d < s->n->shape.rank; d++)
    s->stride[d] = part->dim[d] == NO_DIM ? loop_int(p->l, 1) : stride[part->dim[d]];
}

/* Which row it is where each is filled to an end of its own. */
static Expr row_index(Loop *l) { return loop_symbol(l, "row", 0, INT64_MAX); }

/* Where the list of ends has that of the row which the loops are at. A tile has some rows, and of
 * the list those too, if it makes it. */
static Expr end_of_row(Product *p, const Side *s, const TensorPart *part) {
  const Node *list = graph_node(p->build->en->le->graph, part->filled);
  bool tiled = false;
  for (int d = 0; d < list->shape.rank; d++)
    tiled = tiled || site_len(p->l, list, d) != site_extent(p->l, list, d);
  Expr row = tiled ? loop_int(p->l, 0) : site_at(p->l, s->n, part->row);
  if (!is_int(p->l, s->len[part->row], 1)) {
    row = expr_add(p->x, row, row_index(p->l));
    p->row = s->letter[part->row];
  }
  const Expr first =
      tiled ? entry_place(p->build, part->filled) : entry_whole(p->build, part->filled);
  return is_int(p->l, row, 0) ? first : entry_after(p->build, list->dtype, first, row);
}

static void measure(Product *p, Side *s, const TensorPart *part) {
  s->of = NO_NODE, s->along = NO_DIM;
  if (part)
    measure_part(p, s, part);
  else
    entry_strides(p->build, s->n, s->stride);
  for (int d = 0; d < s->n->shape.rank; d++) {
    s->len[d] = site_len(p->l, s->n, d);
    s->part[d] = s->len[d] != site_room(p->l, s->n, d);
  }
  if (!part || part->filled == NO_NODE) return;
  s->along = part->along;
  const Expr at =
      part->row == NO_DIM ? entry_whole(p->build, part->filled) : end_of_row(p, s, part);
  const DType t = graph_node(p->build->en->le->graph, part->filled)->dtype;
  s->filled = entry_filled(p->build, t, at, part->more, s->len[part->along]);
}

/* A letter of which one tensor has only so many elements that count is no longer in the others. */
static void fill(Product *p) {
  for (int t = 0; t < 3; t++) {
    const Side *s = &p->t[t];
    if (s->along == NO_DIM) continue;
    const int64_t letter = s->letter[s->along];
    p->filled |= 1u << letter;
    for (int q = 0; q < 3; q++)
      for (int d = 0; d < p->t[q].n->shape.rank; d++)
        if (p->t[q].letter[d] == letter) p->t[q].len[d] = s->filled;
  }
}

/* Whether the result has elements that no call reaches: they are 0. */
static bool leaves_zeros(const Product *p) {
  const Side *out = &p->t[OUT];
  for (int d = 0; d < out->n->shape.rank; d++)
    if (p->filled >> out->letter[d] & 1) return true;
  return false;
}

/* Tiles add to each other's sums, or have parts of what is filled: plain loops ask each element. */
static bool fills_in_parts(const Product *p) {
  bool parts = p->filled && site_first(p->l, p->t[OUT].id) != NO_EXPR;
  for (int t = 0; t < 3; t++)
    for (int d = 0; d < p->t[t].n->shape.rank; d++)
      parts = parts || (p->filled >> p->t[t].letter[d] & 1 && p->t[t].part[d]);
  return parts;
}

static Expr place_of(Product *p, const Side *s) {
  if (s->of == NO_NODE) return entry_place(p->build, s->id);
  Expr at = loop_int(p->l, 0);
  for (int d = 0; d < s->n->shape.rank && site_is_part(p->l, s->n); d++)
    at = expr_add(p->x, at, expr_mul(p->x, site_at(p->l, s->n, d), s->stride[d]));
  const Expr place = entry_part(p->build, s->id, s->of, s->begin);
  return is_int(p->l, at, 0) ? place : entry_after(p->build, s->n->dtype, place, at);
}

/* The dims of a letter, by tensor; -1: it is not there. */
static void places_of(const Product *p, int64_t letter, int at[3]) {
  for (int t = 0; t < 3; t++) at[t] = find_letter(&p->t[t], letter);
}

/* The dims lie side by side: the first goes on where the second ends. */
static bool goes_on(const Product *p, const Side *s, int first, int second) {
  if (first < 0 || second < 0) return first < 0 && second < 0;
  return s->stride[first] == expr_mul(p->x, s->stride[second], s->len[second]);
}

/* Each letter, in the order of the result and then of x, joined to the one before where both lie
 * side by side in every tensor that has them. */
static void find_groups(Product *p) {
  int last[3] = {-2, -2, -2}, last_role = 0; /* 0: none may join */
  uint32_t done = 0;
  const int order[3] = {OUT, X, Y};
  for (int o = 0; o < 3; o++)
    for (int d = 0; d < p->t[order[o]].n->shape.rank; d++) {
      const int64_t letter = p->t[order[o]].letter[d];
      if (done & 1u << letter) continue;
      done |= 1u << letter;
      int at[3];
      const int role = p->letters.in[letter];
      places_of(p, letter, at);
      const Expr len = p->t[order[o]].len[d];
      if (is_int(p->l, len, 1)) continue;
      bool joins = role == last_role && p->ngroups && letter != p->row;
      for (int t = 0; joins && t < 3; t++) joins = goes_on(p, &p->t[t], last[t], at[t]);
      LetterGroup *g = joins ? &p->group[p->ngroups - 1] : &p->group[p->ngroups++];
      g->len = joins ? expr_mul(p->x, g->len, len) : len;
      g->role = role;
      g->letter = joins ? NO_LETTER : letter;
      for (int t = 0; t < 3; t++) {
        g->stride[t] = at[t] >= 0 ? p->t[t].stride[at[t]] : NO_EXPR;
        last[t] = at[t];
      }
      last_role = letter == p->row ? 0 : role;
    }
}

static bool has_unit(const Product *p, const LetterGroup *g, int t) {
  return g->stride[t] != NO_EXPR && is_int(p->l, g->stride[t], 1);
}

/* The group of a role that the product takes: one with unit stride where there is one, else the
 * last. */
static LetterGroup *pick(Product *p, int role) {
  LetterGroup *best = NULL;
  for (int i = 0; i < p->ngroups; i++) {
    LetterGroup *g = &p->group[i];
    if (g->role != role) continue;
    bool own = false, best_own = false;
    for (int t = 0; t < 3; t++) {
      own |= has_unit(p, g, t);
      best_own |= best && has_unit(p, best, t);
    }
    if (!best || own || !best_own) best = g;
  }
  return best;
}

static Expr len_of(const Product *p, const LetterGroup *g) {
  return g ? g->len : loop_int(p->l, 1);
}

/* How a matrix with `rows` and `columns` lies in tensor t; false: neither dim has unit stride. */
static bool matrix(const Product *p, int t, const LetterGroup *rows, const LetterGroup *columns,
                   Operand *out) {
  const bool along = !columns || has_unit(p, columns, t);
  if (!along && rows && !has_unit(p, rows, t)) return false;
  out->t = t;
  out->transposed = !along;
  if (along)
    out->lead = rows ? rows->stride[t] : len_of(p, columns);
  else
    out->lead = columns->stride[t];
  return true;
}

/* A kernel multiplies these numbers: half-width floats whole, not in parts, nor in a mask's band.
 */
static bool has_kernel(const Product *p) {
  const DType type = p->t[X].n->dtype;
  if (!dtype_is_half(type)) return type == DT_F32 || type == DT_F64;
  bool band = false;
  for (int t = 0; t < 3; t++) band |= in_band(p->l, p->t[t].id);
  return !band && site_first(p->l, p->t[OUT].id) == NO_EXPR;
}

static bool find_matrices(Product *p) {
  p->m = pick(p, LETTER_M), p->n = pick(p, LETTER_N), p->k = pick(p, LETTER_SUMMED);
  if (!has_kernel(p)) return false;
  if (!matrix(p, OUT, p->m, p->n, &p->out) || !matrix(p, X, p->m, p->k, &p->a) ||
      !matrix(p, Y, p->k, p->n, &p->b))
    return false;
  if (!p->out.transposed) return true;
  /* The result lies with its rows innermost: its transpose is the product of the transposes. */
  LetterGroup *rows = p->m;
  const Operand a = p->a;
  p->m = p->n, p->n = rows;
  matrix(p, Y, p->k, p->m, &p->b);
  p->a = (Operand){p->b.t, !p->b.transposed, p->b.lead};
  p->b = (Operand){a.t, !a.transposed, a.lead};
  return true;
}

static void find_loops(Product *p) {
  for (int summed = 0; summed < 2; summed++)
    for (int i = 0; i < p->ngroups; i++) {
      const LetterGroup *g = &p->group[i];
      if (g == p->m || g == p->n || g == p->k || (g->role == LETTER_SUMMED) != summed) continue;
      p->loop[p->nloops++] = g;
      p->nsummed += summed;
    }
}

/* How many leading dims of the result are the rows of a product that is one call; 0: it takes no
 * epilogue. */
static int row_dims(const Product *p) {
  const Side *out = &p->t[OUT];
  const LetterGroup *m = p->m;
  if (!m || !p->n || !has_unit(p, p->n, OUT) || m->stride[OUT] != p->n->len) return 0;
  Expr rows = loop_int(p->l, 1);
  int d = 0;
  for (; d < out->n->shape.rank; d++) {
    if (p->letters.in[out->letter[d]] != m->role) break;
    rows = expr_mul(p->x, rows, out->len[d]);
  }
  return rows == m->len ? d : 0;
}

/* -------- in the band of a tile -------- */

static void find_live(Product *p) {
  const LetterGroup *const role[3][2] = {{p->m, p->n}, {p->m, p->k}, {p->k, p->n}};
  static const char *const names[] = {"DTRT_BAND_C", "DTRT_BAND_A", "DTRT_BAND_B"};
  Live *v = &p->live;
  *v = (Live){.t = -1};
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
  const Live *v = &p->live;
  if (v->of || (v->t != X && v->t != Y)) return;
  const Side *s = &p->t[v->t];
  entry_clear(p->build, s->n, entry_place(p->build, s->id), s->stride);
}

static Expr live_list(Product *p) {
  const Live *v = &p->live;
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
  if (is_row(p, loop)) return row_index(p->l);
  return loop_symbol(p->l, arena_printf(p->l->arena, "i%d", loop), 0, INT64_MAX);
}

/* Tensor t where the loops are. */
static Expr place_in_loops(Product *p, int t) {
  Expr at = loop_int(p->l, 0);
  bool any = false;
  const Expr place = place_of(p, &p->t[t]);
  for (int i = 0; i < p->nloops; i++) {
    const Expr stride = p->loop[i]->stride[t];
    if (stride == NO_EXPR || is_told(p, i)) continue;
    at = expr_add(p->x, at, expr_mul(p->x, index_of(p, i), stride));
    any = true;
  }
  return any ? entry_after(p->build, p->t[t].n->dtype, place, at) : place;
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
  if (p->nsummed || leaves_zeros(p)) clear_result(p);
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
                      len_of(p, p->m),
                      len_of(p, p->n),
                      len_of(p, p->k),
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

/* In a loop of the entry that does not change the second matrix: each run needs it packed. */
static bool stays(const Product *p) {
  const EntryBuild *b = p->build;
  if (!b->region || p->l->tile || p->nloops || p->filled ||
      product_is_batch(b->en->le->graph, p->t[OUT].n))
    return false;
  const int loop = loop_around(b, p->t[OUT].id);
  return loop != NO_REGION && is_fixed(b, memory_of(&p->t[p->b.t]), loop);
}

/* The kernel is told the loops: it deals the products to the cores of the device. In a tile, cores
 * have tiles. */
enum { MOST_TOLD = 8 }; /* as dtrt_loops has */
static bool tells_loops(const Product *p) {
  const DType t = p->t[X].n->dtype;
  const int loops = p->nloops - (p->row != NO_LETTER);
  return loops && loops <= MOST_TOLD && (t == DT_F32 || t == DT_F64) && !p->l->tile &&
         !p->live.of && site_first(p->l, p->t[OUT].id) == NO_EXPR && !stays(p);
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

/* Where a product has its operand k. */
static NodeId operand_memory(const LocalEntry *le, const Node *n, int k) {
  TensorPart part;
  const NodeId id = n->operand[k];
  const bool stored = le->stored[node_base(le->graph, id)];
  return !stored && product_part(le, n, k, &part) ? part.of : id;
}

bool entry_product_stays(const EntryBuild *b, int loop) {
  const LocalEntry *le = b->en->le;
  const Graph *g = le->graph;
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    if (op_class(n) == OPC_PRODUCT && loop_around(b, i) == loop && !product_is_batch(g, n) &&
        (is_fixed(b, operand_memory(le, n, 0), loop) ||
         is_fixed(b, operand_memory(le, n, 1), loop)))
      return true;
  }
  return false;
}

static bool call(Product *p, const Tiles *epilogue) {
  EntryBuild *b = p->build;
  const NodeId id = p->t[OUT].id;
  const Expr first = site_first(p->l, id), zero = loop_int(p->l, 0);
  Expr arg[15], before, all;
  matrices(p, arg + 1);
  const bool takes = epilogue && p->nloops == 0 && !p->filled && row_dims(p), keeps = stays(p);
  arg[0] = loop_word(p->l, dtype_constant(p->t[X].n->dtype), 0);
  if (dtype_is_half(p->t[X].n->dtype)) {
    arg[12] = loop_int(p->l, p->nsummed > 0), arg[13] = loop_int(p->l, keeps_columns(p) || keeps);
    arg[14] = takes ? entry_rows(b, epilogue) : zero;
    loop_run(b->l, "dtrt_gemm_half", 15, arg);
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
  const Graph *g = b->en->le->graph;
  const Node *n = graph_node(g, id);
  Product p = {
      .build = b, .l = b->l, .x = b->en->x, .letters = product_letters(g, n), .row = NO_LETTER};
  const NodeId ids[3] = {n->operand[0], n->operand[1], id};
  const int64_t *const letter[3] = {p.letters.x, p.letters.y, p.letters.out};
  for (int t = 0; t < 3; t++) {
    TensorPart part;
    const bool stored = t == OUT || b->en->le->stored[node_base(g, ids[t])];
    p.t[t] = (Side){.n = graph_node(g, ids[t]), .id = ids[t], .letter = letter[t]};
    measure(&p, &p.t[t], !stored && product_part(b->en->le, n, t, &part) ? &part : NULL);
  }
  fill(&p);
  find_groups(&p);
  if (fills_in_parts(&p) || !find_matrices(&p)) {
    p.m = p.n = p.k = NULL;
    find_live(&p);
    clear_dead(&p);
    entry_loop(b, build_contract, id);
    return false;
  }
  find_loops(&p);
  find_live(&p);
  clear_dead(&p);
  p.told = tells_loops(&p);
  const int open = open_loops(&p);
  const bool took = call(&p, epilogue);
  loop_close(b->l, open);
  return took;
}
