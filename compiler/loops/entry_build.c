/* Entries as statements: step by step, what is called and with which memory. */
#include "entry_build.h"
#include "thresholds.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------- memory -------- */

static Expr memory(EntryBuild *b, LoopSpace space, Expr at) {
  return expr_of_entry(b->en->x, EXPR_MEMORY, DT_I64, space, NULL, 1, &at);
}

/* Before `memory` has run, each value has its own, and all begin at 0. */
bool entry_has_memory(const EntryBuild *b) { return b->en->le->buffers.n > 0; }

static Expr address_within(EntryBuild *b, int buffer, int64_t bytes) {
  const LocalEntry *le = b->en->le;
  const Buffer *own = entry_has_memory(b) ? &le->buffers.at[buffer] : NULL;
  return memory(b, own ? shared_space(b, buffer) : SPACE_ARENA,
                loop_given(b->l, (own ? own->offset : 0) + bytes));
}

static Expr buffer_address(EntryBuild *b, int buffer) { return address_within(b, buffer, 0); }

Expr entry_view(EntryBuild *b, const LoopView *v) {
  Arena *scratch = b->l->plan->scratch;
  const ArenaMark mark = arena_mark(scratch);
  Str key = str_new(scratch);
  str_printf(&key, "%d %d %d %d", v->buffer, v->address, (int)v->type, v->partial);
  for (int d = 1; d < v->rank; d++) str_printf(&key, " %d", v->room[d]);
  const char *name = name_of(b->names, key.at, key.n);
  arena_release(scratch, mark);
  int had = lookup_get(&b->view_at, name);
  if (!had) {
    vec_push(b->l->arena, &b->en->views, *v);
    lookup_put(&b->view_at, b->l->arena, name, had = b->en->views.n);
  }
  return expr_of_entry(b->en->x, EXPR_PLACE, v->type, had - 1, NULL, 0, NULL);
}

Expr entry_whole(EntryBuild *b, NodeId id) {
  const LocalEntry *le = b->en->le;
  const Node *n = graph_node(le->graph, id);
  const NodeId base = node_base(le->graph, id);
  const int lent = lent_input(le, base), rank = n->shape.rank;
  LoopView v = {.type = n->dtype,
                .rank = rank ? rank : 1,
                .node = id,
                .buffer = entry_has_memory(b) ? le->buffer[base] : base};
  const int output = entry_has_memory(b) ? le->buffers.at[v.buffer].output : 0;
  v.address = lent >= 0 ? memory(b, SPACE_INPUT, loop_given(b->l, lent))
              : output  ? memory(b, SPACE_OUTPUT, loop_given(b->l, output - 1))
                        : buffer_address(b, v.buffer);
  for (int d = 1; d < rank; d++) {
    v.room[d] = site_room(b->l, n, d);
    if (is_int(b->l, v.room[d], 0)) v.room[d] = loop_int(b->l, 1); /* C has no such arrays */
  }
  return entry_view(b, &v);
}

Expr entry_part(EntryBuild *b, NodeId part, NodeId of, Expr begin) {
  const LocalEntry *le = b->en->le;
  const DType t = graph_node(le->graph, of)->dtype;
  const NodeId base = node_base(le->graph, of);
  const int buffer = entry_has_memory(b) ? le->buffer[base] : base;
  int64_t at;
  if (is_int(b->l, begin, 0)) return entry_whole(b, of);
  if (!expr_is_int(b->en->x, begin, &at)) return entry_after(b, t, entry_whole(b, of), begin);
  if (lent_input(le, base) >= 0 ||
      (entry_has_memory(b) && (plan_rotates(le, buffer) || le->buffers.at[buffer].output)))
    return entry_after(b, t, entry_whole(b, of), loop_given(b->l, at));
  const LoopView v = {.type = t,
                      .rank = 1,
                      .node = part,
                      .buffer = buffer,
                      .address = address_within(b, buffer, at * dtype_size(t))};
  return entry_view(b, &v);
}

Expr entry_position(EntryBuild *b, NodeId id, int64_t reach, int64_t size) {
  const Node *n = graph_node(b->en->le->graph, id);
  const char *name = arena_printf(b->l->arena, "dtrt_begin_%s", dtype_name(n->dtype));
  const Expr arg[] = {entry_whole(b, id), loop_int(b->l, reach), loop_int(b->l, size)};
  return expr_call(b->en->x, name, DT_I64, 3, arg, 0, size - 1 - reach);
}

Expr entry_filled(EntryBuild *b, DType t, Expr address, int64_t more, Expr size) {
  const char *name = arena_printf(b->l->arena, "dtrt_filled_%s", dtype_name(t));
  const Expr arg[] = {address, loop_int(b->l, more), size};
  return expr_call(b->en->x, name, DT_I64, 3, arg, 0, expr_node(b->en->x, size)->hi);
}

Expr entry_place(EntryBuild *b, NodeId id) {
  const Node *n = graph_node(b->en->le->graph, id);
  const Expr whole = entry_whole(b, id);
  Expr at[MAX_RANK];
  if (!site_is_part(b->l, n)) return whole;
  for (int d = 0; d < n->shape.rank; d++) at[d] = site_at(b->l, n, d);
  return expr_of_entry(b->en->x, EXPR_PLACE, n->dtype, expr_node(b->en->x, whole)->v, NULL,
                       n->shape.rank, at);
}

void entry_strides(EntryBuild *b, const Node *n, Expr *stride) {
  Expr own = loop_int(b->l, 1);
  for (int d = n->shape.rank - 1; d >= 0; d--) {
    stride[d] = own;
    own = expr_mul(b->en->x, own, site_room(b->l, n, d));
  }
}

Expr entry_after(EntryBuild *b, DType t, Expr address, Expr elements) {
  return expr_of_entry(b->en->x, EXPR_AFTER, t, 0, NULL, 2, (Expr[]){address, elements});
}

Expr entry_partial(EntryBuild *b, NodeId id, DType t) {
  const LocalEntry *le = b->en->le;
  const Node *n = graph_node(le->graph, id);
  Expr stride[MAX_RANK], at = loop_int(b->l, 0);
  if (entry_has_memory(b) && le->scratch[id] < 0) {
    fprintf(stderr, "dtgc: bug: the partial sums of %s have no memory\n", n->op->name);
    abort();
  }
  LoopView v = {.type = t,
                .rank = 1,
                .node = id,
                .partial = true,
                .buffer = entry_has_memory(b) ? le->scratch[id] : id};
  v.address = buffer_address(b, v.buffer);
  entry_strides(b, n, stride);
  for (int d = 0; d < n->shape.rank; d++)
    at = expr_add(b->en->x, at, expr_mul(b->en->x, site_at(b->l, n, d), stride[d]));
  const Expr p = entry_view(b, &v);
  return is_int(b->l, at, 0) ? p : entry_after(b, t, p, at);
}

Expr entry_list(EntryBuild *b, const char *name, int n, const Expr *arg) {
  return expr_of_entry(b->en->x, EXPR_LIST, DT_I64, 0, name, n, arg);
}

/* -------- calls -------- */

int entry_unit(EntryBuild *b, const char *kind, const Str *key, LoopUnit unit) {
  Arena *scratch = b->l->plan->scratch;
  const ArenaMark mark = arena_mark(scratch);
  Str all = str_new(scratch);
  str_puts(&all, kind);
  str_put(&all, key->at, key->n);
  const char *name = name_of(b->names, all.at, all.n);
  arena_release(scratch, mark);
  const int had = lookup_get(b->unit_at, name);
  if (had) return had - 1;
  vec_push(b->l->arena, &b->program->units, unit);
  lookup_put(b->unit_at, b->l->arena, name, b->program->units.n);
  return b->program->units.n - 1;
}

typedef struct Passing {
  EntryBuild *b;
  const LoopFunction *f;
} Passing;

/* An integer of the entry, as a function's parameter has it. */
static Expr move_symbol(void *user, Expr e) {
  const Passing *m = user;
  const ExprNode *n = expr_node(m->f->x, e);
  if (n->kind == EXPR_PARAM)
    return expr_rebuild(m->b->en->x, m->f->x, m->f->params.at[n->v].value, move_symbol, user);
  if (n->kind != EXPR_SYMBOL) return NO_EXPR;
  const Expr own = expr_symbol(m->b->en->x, n->name, n->lo, n->hi);
  LoopSymbols *all = &m->b->l->f.symbols;
  for (int i = 0; i < all->n; i++)
    if (all->at[i].symbol == own) return own;
  for (int i = 0; i < m->f->symbols.n; i++)
    if (m->f->symbols.at[i].symbol == e) {
      LoopSymbol s = m->f->symbols.at[i];
      s.symbol = own;
      vec_push(m->b->l->arena, all, s);
    }
  return own;
}

/* Of a function that equals an earlier one its call needs no more than what is passed. Its buffers
 * and indices are its own, so it is verified first. */
static void forget_equal(EntryBuild *b, int run, ArenaMark before) {
  LoopFunction *f = &b->en->runs.at[run];
  const LoopUnit *u = &b->program->units.at[f->number];
  const LoopFunction *first = &u->entry->runs.at[u->run];
  if (b->whole || first == f || f->join || b->en->outside) return;
  b->en->outside = loop_verify_function(b->functions, b->l->plan, b->en->le, f);
  if (b->en->outside) return; /* which lies there */
  LoopFunction rest = {.what = f->what,
                       .flat = f->flat,
                       .uses_dev = f->uses_dev,
                       .draws_once = f->draws_once,
                       .returns = f->returns,
                       .partial = f->partial,
                       .partial_type = f->partial_type,
                       .part = first->part,
                       .grain = f->grain,
                       .key = first->key,
                       .number = f->number};
  rest.used.n = f->used.n;
  for (int i = 0; i < f->buffers.n; i++) vec_push(b->l->arena, &rest.buffers, f->buffers.at[i]);
  *f = rest;
  arena_release(b->functions, before);
}

Expr entry_run(EntryBuild *b, const LoopFunction *f, ArenaMark before) {
  Exprs *x = b->en->x;
  Expr *arg = arena_array(b->l->arena, Expr, f->used.n + f->buffers.n + 3);
  int n = 0;
  const int run = b->en->runs.n;
  vec_push(b->l->arena, &b->en->runs, *f);
  b->en->runs.at[run].number = entry_unit(b, "loop ", &f->key, (LoopUnit){b->en, run, -1});
  Passing m = {b, f};
  for (int i = 0; i < f->used.n; i++)
    arg[n++] = expr_rebuild(x, f->x, f->params.at[f->used.at[i]].value, move_symbol, &m);
  for (int i = 0; i < f->buffers.n; i++) arg[n++] = entry_place(b, f->buffers.at[i].node);
  if (f->partial != NO_NODE) arg[n++] = entry_partial(b, f->partial, f->partial_type);
  if (f->part) {
    arg[n++] = expr_rebuild(x, f->x, f->iterations, move_symbol, &m);
    arg[n++] = loop_int(b->l, f->grain);
  }
  forget_equal(b, run, before);
  return expr_of_entry(x, EXPR_RUN, f->returns ? DT_BOOL : DT_I64, run, NULL, n, arg);
}

/* The sum of units, which several cores may have made. */
static void join(EntryBuild *b, const LoopFunction *f) {
  Passing m = {b, f};
  Exprs *x = b->en->x;
  const Expr arg[] = {entry_whole(b, f->partial), entry_partial(b, f->partial, f->partial_type),
                      expr_rebuild(x, f->x, f->size, move_symbol, &m),
                      expr_rebuild(x, f->x, f->units, move_symbol, &m)};
  loop_run(b->l, f->join, 4, arg);
}

/* Within a tile, joins wait for its end. */
static void put_joins(EntryBuild *b) {
  for (int i = 0; i < b->joins.n; i++) join(b, &b->joins.at[i]);
  b->joins.n = 0;
}

static void put_loop(EntryBuild *b, const LoopFunction *f, ArenaMark before) {
  loop_add(b->l, (LoopStmt){.kind = STMT_CALL, .a = entry_run(b, f, before)});
  if (f->join) vec_push(b->l->arena, &b->joins, *f);
  if (!b->l->tile) put_joins(b);
}

LoopSite entry_site(const EntryBuild *b) {
  return (LoopSite){b->functions, b->l->plan, b->l->le, b->l->tile, b->numbers};
}

void entry_loop(EntryBuild *b, LoopBuilder *build, NodeId id) {
  const LoopSite site = entry_site(b);
  const ArenaMark before = arena_mark(b->functions);
  LoopFunction f;
  build(&site, id, &f);
  put_loop(b, &f, before);
}

/* -------- steps -------- */

static void exchange(EntryBuild *b, const Step *s) {
  const Graph *g = b->en->le->graph;
  Expr *arg = arena_array(b->l->arena, Expr, 3 * s->nodes.n + 1), a = NO_EXPR;
  for (int i = 0; s->kind == STEP_EXCHANGE && i < s->nodes.n; i++) {
    const NodeId id = s->nodes.at[i];
    arg[3 * i] = loop_given(b->l, b->en->first_exchange + b->en->exchanges.n);
    arg[3 * i + 1] = entry_place(b, graph_node(g, id)->operand[0]);
    arg[3 * i + 2] = entry_place(b, id);
    vec_push(b->l->arena, &b->en->exchanges, id);
  }
  if (s->kind == STEP_EXCHANGE) a = entry_list(b, "exchanges", 3 * s->nodes.n, arg);
  loop_add(b->l, (LoopStmt){.kind = STMT_EXCHANGE, .a = a, .count = s->slot, .step = s});
}

static bool kernel(EntryBuild *b, const Step *s, const Tiles *epilogue) {
  const NodeId id = s->nodes.at[0];
  switch (op_class(graph_node(b->en->le->graph, id))) {
  case OPC_PRODUCT: return entry_product(b, id, epilogue);
  case OPC_CONVOLUTION: return entry_convolution(b, id, epilogue);
  case OPC_SORT: entry_sort(b, id); return false;
  case OPC_TELL: entry_tell(b, id); return false;
  case OPC_MATRIX: entry_matrix(b, id); return false;
  default: entry_loop(b, build_pool, id); return false;
  }
}

/* A carry in the place of what it is at first, or which nothing reads at first: there is nothing to
 * do. */
static bool is_there(const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  if (le->unfilled && le->unfilled[id]) return true;
  return op_is(n, OPF_CARRY) && le->buffer[id] >= 0 &&
         le->buffer[id] == le->buffer[node_base(le->graph, n->operand[0])];
}

static void map(EntryBuild *b, const LoopSite *site, const Step *s) {
  const ArenaMark before = arena_mark(b->functions);
  Step rest = *s;
  LoopFunction f;
  rest.nodes.at = NULL, rest.nodes.n = rest.nodes.cap = 0;
  for (int i = 0; i < s->nodes.n; i++)
    if (!entry_has_memory(b) || !is_there(site->le, s->nodes.at[i]))
      vec_push(b->l->arena, &rest.nodes, s->nodes.at[i]);
  if (rest.nodes.n)
    loop_of(site, rest.nodes.n == s->nodes.n ? s : &rest, &f), put_loop(b, &f, before);
}

bool entry_storing(EntryBuild *b, const Step *made, const Step *reduce) {
  const LoopSite site = entry_site(b);
  const ArenaMark before = arena_mark(b->functions);
  LoopFunction f;
  if (made->kind != STEP_MAP || reduce->kind != STEP_REDUCE) return false;
  for (int i = 0; i < made->nodes.n; i++)
    if (entry_has_memory(b) && is_there(site.le, made->nodes.at[i])) return false;
  if (!build_reduce_storing(&site, made, reduce->nodes.at[0], &f)) {
    arena_release(b->functions, before);
    return false;
  }
  Step *both = arena_new_of(b->l->arena, Step);
  *both = *reduce;
  both->nodes = (NodeVec){0};
  for (int i = 0; i < made->nodes.n; i++) vec_push(b->l->arena, &both->nodes, made->nodes.at[i]);
  vec_push(b->l->arena, &both->nodes, reduce->nodes.at[0]);
  loop_open_body(b->l, (LoopStmt){.kind = STMT_STEP, .a = NO_EXPR, .step = both});
  put_loop(b, &f, before);
  loop_close(b->l, 1);
  return true;
}

void entry_step(EntryBuild *b, const Step *s) {
  const LoopSite site = entry_site(b);
  const ArenaMark before = arena_mark(b->functions);
  LoopFunction f;
  switch (s->kind) {
  case STEP_MAP: map(b, &site, s); break;
  case STEP_REDUCE:
  case STEP_SCATTER: loop_of(&site, s, &f), put_loop(b, &f, before); break;
  case STEP_KERNEL: kernel(b, s, NULL); break;
  case STEP_EXCHANGE:
  case STEP_WAIT: exchange(b, s); break;
  case STEP_TILES:
    if (!s->tile->epilogue || !kernel(b, &s->tile->steps.at[0], s->tile)) entry_tiles(b, s);
    put_joins(b);
    break;
  }
}

/* -------- what outputs and variables become -------- */

/* How many copies from `first` on go between the same places. */
static int like_copies(const EntryBuild *b, int first) {
  const LocalEntry *le = b->en->le;
  const Copy *c = le->copies.at;
  int n = first;
  while (n < le->copies.n && shared_space(b, c[n].from) == shared_space(b, c[first].from) &&
         shared_space(b, c[n].to) == shared_space(b, c[first].to))
    n++;
  return n - first;
}

static void copy(EntryBuild *b, const Copy *c, Expr to, Expr from, Expr bytes) {
  loop_run(b->l, "dtrt_copy", 3,
             (Expr[]){memory(b, shared_space(b, c->to), to),
                      memory(b, shared_space(b, c->from), from), bytes});
}

/* Many are a table: a call each would take clang as long as a loop. */
static void copy_many(EntryBuild *b, const Copy *c, int n) {
  int64_t *row = arena_array(b->l->arena, int64_t, 3 * n);
  Expr column[3];
  for (int i = 0; i < n; i++) {
    const Buffer *to = &b->en->le->buffers.at[c[i].to], *from = &b->en->le->buffers.at[c[i].from];
    row[3 * i] = to->offset, row[3 * i + 1] = from->offset, row[3 * i + 2] = to->bytes;
  }
  for (int i = 0; i < 3; i++)
    column[i] = expr_of_entry(b->en->x, EXPR_COLUMN, DT_I64, i, NULL, 0, NULL);
  LoopRepeat *r = arena_new_of(b->l->arena, LoopRepeat);
  *r = (LoopRepeat){.runs = n, .columns = 3, .given = row};
  loop_open_body(b->l, (LoopStmt){.kind = STMT_REPEAT, .a = NO_EXPR, .repeat = r});
  copy(b, c, column[0], column[1], column[2]);
  loop_close(b->l, 1);
}

static void copies(EntryBuild *b) {
  const LocalEntry *le = b->en->le;
  if (le->copies.n == 0) return;
  loop_open_body(b->l, (LoopStmt){.kind = STMT_STEP, .a = loop_int(b->l, le->steps.n)});
  for (int i = 0, n; i < le->copies.n; i += n) {
    const Copy *c = &le->copies.at[i];
    const bool many = (n = like_copies(b, i)) >= CALLS_COPIES;
    int shared = 0;
    if (!many) n = 1;
    for (int k = 0; k < n; k++) shared = shared_copy(b, &c[k]);
    shared_open(b, shared);
    const Buffer *to = &le->buffers.at[c->to], *from = &le->buffers.at[c->from];
    if (many)
      copy_many(b, c, n);
    else
      copy(b, c, loop_given(b->l, to->offset), loop_given(b->l, from->offset),
           loop_int(b->l, to->bytes));
    shared_close(b, shared);
  }
  loop_close(b->l, 1);
}

/* -------- regions -------- */

/* A condition is a scalar in memory. */
static Expr holds(EntryBuild *b, const LocalRegion *x) {
  const LocalEntry *le = b->en->le;
  const NodeId base = node_base(le->graph, x->condition);
  const Expr at = buffer_address(b, entry_has_memory(b) ? le->buffer[base] : base);
  const Expr arg[] = {loop_word(b->l, "dev", 0), at};
  return expr_call(b->en->x, "dtrt_holds", DT_I64, 2, arg, 0, 1);
}

/* The last to begin ends first. */
static void rotate(EntryBuild *b, const LocalRegion *x, RotateWhen when) {
  const int n = x->rotations.n;
  for (int i = 0; i < n; i++)
    loop_add(b->l, (LoopStmt){.kind = STMT_ROTATE,
                              .a = NO_EXPR,
                              .count = when,
                              .rotation = &x->rotations.at[when == ROTATE_END ? n - 1 - i : i]});
}

static void region_begins(EntryBuild *b, int region) {
  const LocalRegion *x = &b->en->le->region[region];
  const bool loops = b->en->le->entry->regions.at[region].kind == REGION_LOOP;
  if (loops && b->stays[region]) loop_run(b->l, "dtrt_gemm_nest", 0, NULL);
  rotate(b, x, ROTATE_BEGIN);
  loop_open_body(b->l, (LoopStmt){.kind = loops ? STMT_WHILE : STMT_IF,
                                  .a = loops ? loop_int(b->l, 1) : holds(b, x)});
}

static void region_tests(EntryBuild *b, const LocalRegion *x) {
  const Expr over = expr_compare(b->en->x, EXPR_EQUAL, holds(b, x), loop_int(b->l, 0));
  loop_open_body(b->l, (LoopStmt){.kind = STMT_IF, .a = over});
  loop_add(b->l, (LoopStmt){.kind = STMT_LEAVE, .a = NO_EXPR});
  loop_close(b->l, 1);
}

/* Where a buffer is: in a loop around it may change places. */
static Expr buffer_now(EntryBuild *b, int buffer) {
  const LocalEntry *le = b->en->le;
  const Buffer *own = &le->buffers.at[buffer];
  const LoopView v = {.type =
                          own->node == NO_NODE ? DT_U8 : graph_node(le->graph, own->node)->dtype,
                      .rank = 1,
                      .node = own->node,
                      .buffer = buffer,
                      .address = buffer_address(b, buffer)};
  return plan_rotates(le, buffer) ? entry_view(b, &v) : v.address;
}

static void region_ends(EntryBuild *b, const LocalRegion *x) {
  const Buffer *at = b->en->le->buffers.at;
  for (int i = 0; i < x->copies.n; i++) {
    const Copy *c = &x->copies.at[i];
    loop_run(
        b->l, "dtrt_copy", 3,
        (Expr[]){buffer_now(b, c->to), buffer_now(b, c->from), loop_int(b->l, at[c->to].bytes)});
  }
  rotate(b, x, ROTATE_RUN);
  loop_close(b->l, 1);
  rotate(b, x, ROTATE_END);
}

/* Bounds from *k on that stand before a segment. */
static void bounds(EntryBuild *b, int *k, int segment) {
  const LocalEntry *le = b->en->le;
  for (; *k < segment; ++*k) {
    const Bound *own = &le->bounds.at[*k];
    const LocalRegion *x = &le->region[own->region];
    switch (own->kind) {
    case BOUND_BEGIN:
      shared_region(b, own->region);
      region_begins(b, own->region);
      break;
    case BOUND_TEST: region_tests(b, x); break;
    case BOUND_END:
      region_ends(b, x);
      shared_region_end(b);
      break;
    }
  }
}

/* -------- programs -------- */

static LoopEntry *entry(EntryBuild b, const Plan *p, const LocalEntry *le, int first_exchange) {
  LoopEntry *en = arena_new_of(p->arena, LoopEntry);
  const LoopSite site = {p->arena, p, le, NULL, NULL};
  b.l = loop_new(&site), b.en = en;
  *en = (LoopEntry){.le = le, .x = b.l->x, .first_exchange = first_exchange};
  b.region = le->entry->regions.n ? regions_find(p->arena, le->entry, le->graph) : NULL;
  b.stays = entry_products_stay(&b);
  int bound = 0;
  shared_begin(&b);
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    bounds(&b, &bound, s->segment);
    loop_open_body(b.l, (LoopStmt){.kind = STMT_STEP, .a = loop_int(b.l, t), .step = s});
    const int shared = shared_step(&b, s);
    shared_open(&b, shared);
    entry_step(&b, s);
    shared_close(&b, shared);
    loop_close(b.l, 1);
  }
  bounds(&b, &bound, le->bounds.n);
  copies(&b);
  shared_end(&b);
  en->body = b.l->f.body;
  en->symbols = b.l->f.symbols;
  en->identity = loop_identity(en);
  if (plan_has(p, FEATURE_REPEAT))
    entry_repeats(&b, p->repeat_saves ? p->repeat_saves : REPEAT_SAVES);
  return en;
}

static LoopProgram *program(const Plan *p, bool whole) {
  LoopProgram *all = arena_new_of(p->arena, LoopProgram);
  Lookup unit_at = {0};
  LoopNumbers numbers = {.arena = p->arena, .names = names_new(p->arena)};
  const EntryBuild b = {.program = all,
                        .names = names_new(p->arena),
                        .unit_at = &unit_at,
                        .numbers = &numbers,
                        .functions = arena_child(p->arena),
                        .whole = whole};
  for (int i = 0, exchanges = 0; i < p->entries.n; i++) {
    LoopEntry *en = entry(b, p, &p->entries.at[i], exchanges);
    exchanges += en->exchanges.n;
    vec_push(p->arena, &all->entries, en);
  }
  return all;
}

LoopProgram *loop_program(const Plan *p) { return program(p, true); }
LoopProgram *loop_program_once(const Plan *p) { return program(p, false); }
