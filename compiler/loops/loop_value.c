/* What the expressions of loops are made of: integers of the entry, which become parameters, and
 * values. Broadcasts, transposes, slices and reshapes only change the index, so fusing them takes
 * no code of its own. */
#include "loop_build.h"
#include <string.h>

/* -------- integers of the entry -------- */

static NodeId id_of(const Loop *l, const Node *n) { return (NodeId)(n - graph_node(l->g, 0)); }

Expr loop_int(Loop *l, int64_t v) { return expr_int(l->x, v); }

Expr loop_given(Loop *l, int64_t v) {
  return expr_of_entry(l->x, EXPR_GIVEN, DT_I64, v, NULL, 0, NULL);
}

bool is_int(const Loop *l, Expr e, int64_t v) {
  int64_t known;
  return expr_is_int(l->x, e, &known) && known == v;
}

Expr loop_symbol(Loop *l, const char *name, int64_t lo, int64_t hi) {
  return expr_symbol(l->x, name, lo, hi);
}

static Expr entry_integer(Loop *l, EntryInteger kind, NodeId node, int dim, const char *name,
                          int64_t lo, int64_t hi) {
  const Expr e = loop_symbol(l, name, lo, hi);
  for (int i = 0; i < l->f.symbols.n; i++)
    if (l->f.symbols.at[i].symbol == e) return e;
  vec_push(l->arena, &l->f.symbols, ((LoopSymbol){e, kind, node, dim}));
  return e;
}

/* Dims that lie alike have equal names. */
static Expr of_layout(Loop *l, const Node *n, int d, EntryInteger kind, int64_t least,
                      int64_t most) {
  const DimLayout *a = &n->layout->dim[d];
  Str s = str_new(l->arena);
  str_printf(&s, "%s%ld", kind == INTEGER_BLOCK ? "block" : "from", (long)n->shape.dim[d]);
  for (int i = 0; i < a->naxes; i++) str_printf(&s, "_%s", l->mesh->axis[a->axis[i]].name);
  if (a->granule > 1) str_printf(&s, "_by%ld", (long)a->granule);
  if (a->window.of)
    str_printf(&s, "_of%ld_%ld_%ld_%ld_%ld", (long)a->window.of, (long)a->window.mul,
               (long)a->window.div, (long)a->window.first, (long)a->window.last);
  if (a->window.cyclic) str_puts(&s, "_cyclic");
  for (char *c = s.at; *c; c++)
    if (*c == '-') *c = 'm'; /* the name is one of C, too */
  return entry_integer(l, kind, id_of(l, n), d, s.at, least, most);
}

int64_t most_of(const Loop *l, const Node *n, int d) {
  return dim_block_most(l->mesh, &n->layout->dim[d], n->shape.dim[d]);
}

int64_t most_elements(const Loop *l, const Node *n) {
  const Shape local = node_local(l->mesh, n);
  return shape_count(&local);
}

static int tile_loop(const Loop *l, const Node *n, int d) {
  const TileNode *s = l->tile ? tiles_node(l->tile, l->g, id_of(l, n)) : NULL;
  return s ? s->loop[d] : NO_LOOP;
}

Expr site_extent(Loop *l, const Node *n, int d) {
  const int64_t most = most_of(l, n, d);
  return dim_even(l->mesh, &n->layout->dim[d], n->shape.dim[d])
             ? loop_int(l, most)
             : of_layout(l, n, d, INTEGER_BLOCK, 0, most);
}

Expr site_tile(Loop *l, EntryInteger kind, int loop) {
  const char *word = kind == INTEGER_AT ? "tile" : "len";
  return entry_integer(l, kind, NO_NODE, loop, arena_printf(l->arena, "%s%d", word, loop), 0,
                       kind == INTEGER_AT ? INT64_MAX : l->tile->loop[loop].most);
}

bool site_is_whole(const Loop *l, const Node *n, int first, int ndims) {
  for (int d = first; d < first + ndims; d++)
    if (tile_loop(l, n, d) != NO_LOOP) return false;
  return true;
}

bool site_is_one_dim(Loop *l, const Node *n, int first, int ndims) {
  if (!site_is_whole(l, n, first, ndims)) return false;
  for (int d = first + 1; d < first + ndims; d++)
    if (site_room(l, n, d) != site_extent(l, n, d)) return false;
  return true;
}

bool loop_joins(const Loop *l, const Node *n, int d) {
  return n == l->joined && l->joined_from[d] < d;
}

Expr site_len(Loop *l, const Node *n, int d) {
  const int loop = tile_loop(l, n, d);
  if (loop_joins(l, n, d)) return site_product(l, n, l->joined_from[d], d + 1, site_extent);
  if (loop == NO_LOOP) return site_extent(l, n, d);
  if (loop == IN_ROWS || l->tile->loop[loop].most == 1) return loop_int(l, 1);
  return site_tile(l, INTEGER_LEN, loop);
}

static bool is_inner(const Loop *l, const Node *n) {
  const TileNode *s = l->tile ? tiles_node(l->tile, l->g, node_base(l->g, id_of(l, n))) : NULL;
  return s && s->inner;
}

bool site_is_part(const Loop *l, const Node *n) {
  bool loops = false;
  for (int d = 0; d < n->shape.rank; d++) loops = loops || tile_loop(l, n, d) != NO_LOOP;
  return loops && !is_inner(l, n);
}

Expr site_room(Loop *l, const Node *n, int d) {
  const int loop = is_inner(l, n) ? tile_loop(l, n, d) : NO_LOOP;
  if (loop == NO_LOOP) return site_extent(l, n, d);
  return loop_int(l, loop == IN_ROWS ? 1 : l->tile->loop[loop].most);
}

Expr site_at(Loop *l, const Node *n, int d) {
  const int loop = tile_loop(l, n, d);
  return loop < 0 ? loop_int(l, 0) : site_tile(l, INTEGER_AT, loop);
}

/* Where the device's block begins, in the whole. */
static Expr block_from(Loop *l, const Node *n, int d) {
  const DimLayout *a = &n->layout->dim[d];
  const bool cut = a->naxes || a->window.of,
             even = !a->window.of && dim_even(l->mesh, a, n->shape.dim[d]);
  const int64_t most =
      n->shape.dim[d] - (even ? most_of(l, n, d) : 0); /* blocks of one size end there */
  if (a->window.cyclic) return of_layout(l, n, d, INTEGER_FROM, -n->shape.dim[d], most);
  return cut ? of_layout(l, n, d, INTEGER_FROM, 0, most) : loop_int(l, 0);
}

Expr site_from(Loop *l, const Node *n, int d) {
  return expr_add(l->x, block_from(l, n, d), site_at(l, n, d));
}

Expr site_product(Loop *l, const Node *n, int from, int to, SiteSize *size) {
  Expr all = loop_int(l, 1);
  for (int d = from; d < to; d++) all = expr_mul(l->x, all, size(l, n, d));
  return all;
}

Expr site_count(Loop *l, const Node *n) {
  return site_product(l, n, 0, n->shape.rank, site_extent);
}

Expr site_first(Loop *l, NodeId id) {
  const TileNode *s = l->tile ? tiles_node(l->tile, l->g, id) : NULL;
  if (!s || !s->sums) return NO_EXPR;
  Expr first = loop_int(l, 1);
  for (int i = 0; i < l->tile->nloops; i++)
    if (s->sums >> i & 1)
      first = expr_and(l->x, first,
                       expr_compare(l->x, EXPR_EQUAL, site_tile(l, INTEGER_AT, i), loop_int(l, 0)));
  return first;
}

Expr site_bound(Loop *l, EntryInteger which) {
  return entry_integer(l, which, NO_NODE, 0, which == INTEGER_LOW ? "low" : "high", INT64_MIN,
                       INT64_MAX);
}

/* -------- parameters -------- */

Expr loop_param(Loop *l, ParamUse use, Expr value) {
  const ExprNode *n = expr_node(l->x, value);
  const int64_t lo = n->lo, hi = n->hi;
  int i = 0;
  if (is_int(l, value, 0) || is_int(l, value, 1)) return value;
  while (i < l->f.params.n && l->f.params.at[i].value != value) i++;
  if (i == l->f.params.n) vec_push(l->arena, &l->f.params, ((LoopParam){use, value, -1}));
  /* A number that other calls have otherwise says nothing of the range. */
  return expr_param(l->x, i, lo == hi ? 0 : lo, hi);
}

Expr loop_extent(Loop *l, const Node *n, int d) {
  return loop_param(l, PARAM_EXTENT, site_len(l, n, d));
}
/* Where a tile begins in the block. */
static Expr tile_offset(Loop *l, const Node *n, int d) {
  return loop_param(l, PARAM_OFFSET, site_at(l, n, d));
}
Expr loop_room(Loop *l, const Node *n, int d) {
  return loop_param(l, PARAM_EXTENT, site_room(l, n, d));
}
/* Two parameters, of which that of the tile goes away where a nest counts from the block's begin.
 */
Expr loop_offset(Loop *l, const Node *n, int d) {
  return expr_add(l->x, loop_param(l, PARAM_OFFSET, block_from(l, n, d)), tile_offset(l, n, d));
}
Expr loop_count(Loop *l, const Node *n) { return loop_param(l, PARAM_EXTENT, site_count(l, n)); }

/* -------- indices -------- */

Expr loop_letter(Loop *l, char letter, const Node *n, int d) {
  const char name[] = {letter, 0};
  if (is_int(l, loop_extent(l, n, d), 1)) return loop_int(l, 0);
  return loop_symbol(l, name, 0, most_of(l, n, d) - 1);
}

At loop_nest_index(Loop *l, const Node *n) {
  At at = {.flat = NO_EXPR};
  for (int d = 0; d < n->shape.rank; d++) at.dim[d] = loop_letter(l, "ijklpqrs"[d], n, d);
  return at;
}

bool at_in_block(Loop *l, const Node *n, At *at) {
  bool any = false;
  for (int d = 0; d < n->shape.rank; d++) {
    const Expr from = tile_offset(l, n, d);
    if (is_int(l, from, 0) || !has_loop(l, at, d)) continue;
    l->in_block[d] = loop_symbol(l, expr_node(l->x, at->dim[d])->name, 0, most_of(l, n, d) - 1);
    at->dim[d] = expr_sub(l->x, l->in_block[d], from);
    any = true;
  }
  return any;
}

void loop_in_tile(Loop *l) {
  for (int d = 0; d < MAX_RANK; d++) l->in_block[d] = NO_EXPR;
}

Expr loop_index(Loop *l, const At *at, int d) {
  return l->in_block[d] != NO_EXPR ? l->in_block[d] : at->dim[d];
}

bool has_loop(const Loop *l, const At *at, int d) { return !is_int(l, at->dim[d], 0); }
At at_flat(Expr i) { return (At){.flat = i}; }

At loop_flat_index(Loop *l, const Node *n, Expr count) {
  if (is_int(l, count, 1)) return at_flat(loop_int(l, 0));
  return at_flat(loop_symbol(l, "i", 0, most_elements(l, n) - 1));
}

At at_part(Loop *l, const At *at, int d, int64_t lo, int64_t hi) {
  At part = *at;
  const Expr i = loop_index(l, at, d);
  const Expr own = lo == hi ? loop_int(l, lo) : loop_symbol(l, expr_node(l->x, i)->name, lo, hi);
  part.dim[d] = expr_add(l->x, own, expr_sub(l->x, at->dim[d], i));
  return part;
}

/* -------- values -------- */

bool loop_stores(const Loop *l, NodeId id) { return l->step && step_stores(l->step, id); }

static bool is_borders(const Loop *l, NodeId id) { return l->le->borders && l->le->borders[id]; }

bool loop_is_flat(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id);
  NodeId base = node_base(l->g, id);
  if (is_borders(l, base)) return false;
  /* A tile need not lie in one piece; rows of an epilogue do. */
  if (l->tile && !l->tile->epilogue) return false;
  if (l->le->stored[base] && !loop_stores(l, base)) return true;
  if (node_is_const(n)) return true;
  if (op_class(n) == OPC_VIEW) return loop_is_flat(l, n->operand[0]);
  if (op_is(n, OPF_REPEATS)) {
    NodeId x = n->operand[0];
    return graph_node(l->g, x)->shape.rank == 0 && loop_is_flat(l, x);
  }
  if (op_class(n) == OPC_RANDOM) {
    if (graph_operand(l->g, n, 0)->shape.rank) return false; /* a step for each row */
    for (int d = 1; d < n->shape.rank; d++)
      if (n->layout->dim[d].naxes) return false;
    return true;
  }
  if (!op_is(n, OPF_ELEMENTWISE)) return false;
  if (lookup_get(&l->flat_known, n)) return true;
  for (int k = 0; k < n->noperands; k++)
    if (!loop_is_flat(l, n->operand[k])) return false;
  lookup_put(&l->flat_known, l->arena, n, 1);
  return true;
}

/* A number is itself. */
static Expr extent_param(Loop *l, Expr len) {
  int64_t v;
  return expr_is_int(l->x, len, &v) ? len : loop_param(l, PARAM_EXTENT, len);
}

static Expr extent(Lower *lower, const Node *n, int d) {
  Loop *l = lower->user;
  return extent_param(l, site_len(l, n, d));
}

static Expr offset(Lower *lower, const Node *n, int d) { return loop_offset(lower->user, n, d); }

static Expr behind(Lower *lower, const Node *n, int d, const Node *other, int k) {
  Loop *l = lower->user;
  if (tile_loop(l, n, d) == tile_loop(l, other, k)) return loop_int(l, 0);
  return expr_sub(l->x, tile_offset(l, n, d), tile_offset(l, other, k));
}

static Expr key(Lower *lower, const Node *n) {
  Loop *l = lower->user;
  if (n->noperands == 2) {
    const At scalar = {.flat = NO_EXPR};
    const Expr word = loop_param(l, PARAM_KEY, loop_call(l, "dtrt_seed_word", DT_I64, 0, NULL));
    const Expr arg[] = {word, lower->value(lower, n->operand[1], &scalar)};
    return loop_call(l, "dtrt_word_key", DT_I64, 2, arg);
  }
  const Expr key = loop_given(l, node_attr(n, "key"));
  return loop_param(l, PARAM_KEY, loop_call(l, "dtrt_stream_key", DT_I64, 1, &key));
}

/* What is around a device's block, and the block itself from where it is. */
static Expr load_around(Lower *lower, NodeId id, const At *at) {
  Loop *l = lower->user;
  Exprs *x = l->x;
  const Node *n = graph_node(l->g, id), *of = graph_operand(l->g, n, 0);
  At own = *at;
  Expr inside = loop_int(l, 1);
  for (int d = 0; d < n->shape.rank; d++) {
    if (dim_equal(&n->layout->dim[d], &of->layout->dim[d])) {
      own.dim[d] =
          expr_sub(x, expr_add(x, at->dim[d], tile_offset(l, n, d)), tile_offset(l, of, d));
      continue;
    }
    const Expr i = expr_sub(x, expr_add(x, at->dim[d], loop_offset(l, n, d)),
                            loop_param(l, PARAM_OFFSET, block_from(l, of, d)));
    own.dim[d] = expr_sub(x, i, tile_offset(l, of, d));
    const Expr extent = extent_param(l, site_extent(l, of, d));
    inside = expr_and(x, inside, expr_within(x, i, loop_int(l, 0), extent));
  }
  return loop_choose(l, inside, lower_element(lower, EXPR_LOAD, n->operand[0], &own),
                     lower_element(lower, EXPR_LOAD, id, at));
}

bool loop_runs_once(const Loop *l) { return !strcmp(l->le->entry->name, "init"); }

/* First values of variables differ in their numbers alone: as parameters, one function draws them
 * all. It runs once, so what a compiler could do with a number it knows is no loss. */
static Expr constant(Lower *lower, NodeId id, const At *at) {
  Loop *l = lower->user;
  const Expr v = lower_node(lower, id, at);
  const ExprNode *n = expr_node(l->x, v);
  const float f = (float)n->real;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (n->type != DT_F32 || !bits || !loop_runs_once(l)) return v;
  const Expr given = loop_param(l, PARAM_BITS, loop_int(l, bits));
  return loop_call(l, "dtrt_from_bits_f32", DT_F32, 1, &given);
}

/* What the loop reads of Loop.slots. */
static Expr load_of_slot(Lower *lower, NodeId id, const At *at) {
  const Loop *l = lower->user;
  if (id != l->slots) return lower_node(lower, id, at);
  At own = *at;
  own.dim[0] = l->slot;
  return lower_element(lower, EXPR_LOAD, id, &own);
}

static bool has_slots(const Loop *l, NodeId id) {
  return l->slots != NO_NODE && node_base(l->g, id) == l->slots;
}

static Expr load(Lower *lower, NodeId id, const At *at) {
  if (has_slots(lower->user, id)) return load_of_slot(lower, id, at);
  if (node_is_const(graph_node(lower->g, id))) return constant(lower, id, at);
  if (is_borders(lower->user, id)) return load_around(lower, id, at);
  return lower_element(lower, EXPR_LOAD, id, at);
}

const TileBand *loop_band(const Loop *l) {
  return l->tile && l->tile->band.of != NO_NODE ? &l->tile->band : NULL;
}

bool in_band(const Loop *l, NodeId id) { return loop_band(l) && tiles_in_band(l->tile, l->g, id); }

/* The operand of a mask that shows outside of the band; else 0. */
static int band_mask(const Loop *l, NodeId id) {
  const TileBand *b = loop_band(l);
  for (int i = 0; b && i < b->masks.n; i++)
    if (b->masks.at[i].node == id) return b->masks.at[i].dead;
  return 0;
}

static bool in_memory(const Loop *l, NodeId id) {
  const NodeId base = node_base(l->g, id);
  return l->le->stored[base] && !loop_stores(l, base) && !(l->outside && in_band(l, base));
}

static bool divides(const Exprs *x, Expr e) {
  const ExprNode *n = expr_node(x, e);
  if (n->kind == EXPR_DIV || n->kind == EXPR_MOD) return true;
  for (int i = 0; i < n->n; i++)
    if (divides(x, n->arg[i])) return true;
  return false;
}

/* The loop writes into what view `id` shows. */
static bool is_written_into(const Loop *l, NodeId id) {
  const NodeId base = node_base(l->g, id);
  for (int i = 0; l->step && i < l->step->nodes.n; i++) {
    const Node *n = graph_node(l->g, l->step->nodes.at[i]);
    if (n->op->updates && n->operand[0] == base) return true;
  }
  return false;
}

/* An element in memory of what a view shows in other dims. Where its index is divided to be in
 * those, it may be whole in the dims of what is shown. What the loop writes into is one array. */
static Expr load_of_view(Lower *lower, NodeId id, const At *at) {
  Loop *l = lower->user;
  const Node *n = graph_node(l->g, id);
  if (node_class(n) == CLASS_VIEW && is_written_into(l, id))
    return at->flat == NO_EXPR ? lower_node(lower, id, at) : load(lower, node_base(l->g, id), at);
  const Expr own = load(lower, id, at);
  if (l->tile || at->flat != NO_EXPR || node_class(n) != CLASS_VIEW || !divides(l->x, own))
    return own;
  const Expr of = lower_node(lower, id, at);
  return divides(l->x, of) ? own : of;
}

static Expr value(Lower *lower, NodeId id, const At *at) {
  Loop *l = lower->user;
  const Node *n = graph_node(l->g, id);
  if (node_is_const(n)) return constant(lower, id, at);
  if (l->same != NO_NODE && node_base(l->g, id) == l->same) return l->same_as;
  if (has_slots(l, id)) return load_of_slot(lower, id, at);
  if (in_memory(l, id)) return load_of_view(lower, id, at);
  const Expr k = lower_element(lower, EXPR_VALUE, id, at);
  const int mode = 2 * l->outside + (at->flat != NO_EXPR);
  while (l->known[mode].n <= k) vec_push(l->arena, &l->known[mode], 0);
  if (l->known[mode].at[k]) return l->known[mode].at[k] - 1;
  const int shown = l->outside ? band_mask(l, id) : 0;
  const Expr made = shown ? value(lower, n->operand[shown], at) : lower_node(lower, id, at);
  l->known[mode].at[k] = made + 1;
  return made;
}

Loop *loop_new(const LoopSite *s) {
  Loop *l = arena_new_of(s->arena, Loop);
  *l = (Loop){.arena = s->arena,
              .plan = s->plan,
              .le = s->le,
              .g = s->le->graph,
              .mesh = &s->plan->program->mesh,
              .tile = s->tile,
              .numbers = s->numbers,
              .apart = NO_EXPR,
              .apart_extent = NO_EXPR,
              .same = NO_NODE,
              .slots = NO_NODE,
              .x = exprs_new(s->arena)};
  l->f = (LoopFunction){.x = l->x, .partial = NO_NODE};
  loop_in_tile(l);
  l->lower = (Lower){.x = l->x,
                     .g = l->g,
                     .mesh = l->mesh,
                     .user = l,
                     .value = value,
                     .load = load,
                     .extent = extent,
                     .offset = offset,
                     .behind = behind,
                     .key = key};
  vec_push(l->arena, &l->open, ((OpenBody){NULL, &l->f.body}));
  return l;
}

Expr loop_value(Loop *l, NodeId id, const At *at) { return value(&l->lower, id, at); }

Expr loop_load(Loop *l, NodeId id, const At *at) {
  return lower_element(&l->lower, EXPR_LOAD, id, at);
}

Expr loop_number(Loop *l, DType t, double v) {
  t = dtype_computed(t);
  return expr_number(l->x, t, dtype_is_float(t) ? v : 0, dtype_is_float(t) ? 0 : (int64_t)v);
}

Expr loop_op2(Loop *l, Op op, DType t, Expr a, Expr b) {
  return expr_op(l->x, op, dtype_computed(t), 2, (Expr[]){a, b});
}

Expr loop_call(Loop *l, const char *function, DType t, int n, const Expr *arg) {
  return expr_call(l->x, function, t, n, arg, INT64_MIN, INT64_MAX);
}

Expr loop_choose(Loop *l, Expr cond, Expr v, Expr other) {
  return expr_select(l->x, 3, (Expr[]){cond, v, other});
}

Expr loop_word(Loop *l, const char *name, int64_t v) { return loop_symbol(l, name, v, v); }
