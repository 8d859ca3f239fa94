/* See nest.h. */
#include "nest.h"
#include <string.h>

typedef struct Lowering {
  const Plan *plan;
  const LocalEntry *le;
  const Step *step;
  Arena *arena;
  VEC(Expr) known; /* by the number of an EXPR_VALUE: 1 + what it is */
} Lowering;

static const char *const index_names[] = {"i", "j", "k", "l", "p", "q", "r", "s"};

/* -------- symbols -------- */

static Expr symbol(Lower *l, const Node *n, int d, const char *what, int64_t most) {
  const Lowering *w = l->user;
  const DimLayout *a = &n->layout->dim[d];
  Str s = str_new(w->arena);
  str_printf(&s, "%s%ld", what, (long)n->shape.dim[d]);
  for (int i = 0; i < a->naxes; i++) str_printf(&s, "_%s", l->mesh->axis[a->axis[i]].name);
  if (a->granule > 1) str_printf(&s, "_by%ld", (long)a->granule);
  if (a->window.of)
    str_printf(&s, "_of%ld_%ld_%ld_%ld_%ld", (long)a->window.of, (long)a->window.mul,
               (long)a->window.div, (long)a->window.first, (long)a->window.last);
  return expr_symbol(l->x, s.at, 0, most);
}

static Expr extent(Lower *l, const Node *n, int d) {
  const DimLayout *a = &n->layout->dim[d];
  const int64_t most = dim_block_most(l->mesh, a, n->shape.dim[d]);
  return dim_even(l->mesh, a, n->shape.dim[d]) ? expr_int(l->x, most)
                                               : symbol(l, n, d, "block", most);
}

static Expr offset(Lower *l, const Node *n, int d) {
  const DimLayout *a = &n->layout->dim[d];
  return a->naxes || a->window.of ? symbol(l, n, d, "from", n->shape.dim[d]) : expr_int(l->x, 0);
}

static Expr key(Lower *l, const Node *n) {
  const Lowering *w = l->user;
  return expr_symbol(l->x, arena_printf(w->arena, "key%lx", (unsigned long)node_attr(n, "key")),
                     INT64_MIN, INT64_MAX);
}

/* -------- values -------- */

static Expr load(Lower *l, NodeId id, const At *at) {
  if (node_is_const(graph_node(l->g, id))) return lower_node(l, id, at);
  return lower_element(l, EXPR_LOAD, id, at);
}

static bool is_own(const Lowering *w, NodeId id) {
  for (int i = 0; i < w->step->nodes.n; i++)
    if (w->step->nodes.at[i] == id) return true;
  return false;
}

static Expr value(Lower *l, NodeId id, const At *at) {
  Lowering *w = l->user;
  const NodeId base = node_base(l->g, id);
  if (node_is_const(graph_node(l->g, id))) return lower_node(l, id, at);
  if (w->le->stored[base] && !is_own(w, base)) return load(l, id, at);
  const Expr k = lower_element(l, EXPR_VALUE, id, at);
  while (w->known.n <= k) vec_push(w->arena, &w->known, 0);
  if (!w->known.at[k]) {
    const Expr made = lower_node(l, id, at);
    w->known.at[k] = made + 1;
  }
  return w->known.at[k] - 1;
}

/* -------- nests -------- */

/* Dims of a reduction that it sums over. */
static uint32_t summed_dims(const Node *n) {
  const int64_t axis = node_attr(n, "axis"); /* a set of dims, or one */
  return op_class(n) == OPC_REDUCE ? (uint32_t)axis : UINT32_C(1) << axis;
}

bool nest_of(Arena *a, const Plan *p, const LocalEntry *le, const Step *s, Nest *out) {
  if (s->kind != STEP_MAP && s->kind != STEP_REDUCE) return false;
  const bool reduces = s->kind == STEP_REDUCE;
  const Node *first = graph_node(le->graph, s->nodes.at[0]);
  const Node *over = reduces ? graph_operand(le->graph, first, 0) : first;
  Lowering w = {.plan = p, .le = le, .step = s, .arena = a};
  *out = (Nest){.x = exprs_new(a)};
  Lower l = {.x = out->x,
             .g = le->graph,
             .mesh = &p->program->mesh,
             .user = &w,
             .value = value,
             .load = load,
             .extent = extent,
             .offset = offset,
             .key = key};
  At at = {.flat = NO_EXPR};
  for (int d = 0; d < over->shape.rank; d++) {
    const int64_t most = dim_block_most(l.mesh, &over->layout->dim[d], over->shape.dim[d]);
    const bool one = most == 1;
    at.dim[d] = one ? expr_int(l.x, 0) : expr_symbol(l.x, index_names[d], 0, most - 1);
    if (!one) out->loop[out->nloops++] = (NestLoop){index_names[d], extent(&l, over, d)};
  }
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *n = graph_node(le->graph, s->nodes.at[i]);
    NestStore store = {.node = s->nodes.at[i]};
    for (int d = 0; d < over->shape.rank; d++)
      if (!reduces || op_class(n) == OPC_SCAN || !(summed_dims(n) >> d & 1))
        store.index[store.nindex++] = at.dim[d];
    store.value = value(&l, reduces ? n->operand[0] : s->nodes.at[i], &at);
    vec_push(a, &out->stores, store);
  }
  return true;
}

/* -------- the law -------- */

typedef struct Check {
  Arena *arena;
  const Plan *plan;
  const LocalEntry *le;
  const Nest *nest;
  bool *met;
  const char *breach;
} Check;

/* What ranges say of an integer is exact: of loop indices alone, each of which it has once. `had`:
 * set of those met. */
static bool is_exact(const Exprs *x, Expr e, uint32_t *had) {
  const ExprNode *n = expr_node(x, e);
  for (int i = 0; n->kind == EXPR_SYMBOL && i < MAX_RANK; i++)
    if (!strcmp(n->name, index_names[i])) {
      const bool again = *had >> i & 1;
      *had |= 1u << i;
      return !again;
    }
  if (n->kind != EXPR_LINEAR && n->kind != EXPR_DIV && n->kind != EXPR_MOD) return false;
  for (int i = 0; i < n->n; i++)
    if (!is_exact(x, n->arg[i], had)) return false;
  return true;
}

static void check(Check *c, Expr e) {
  const ExprNode n = *expr_node(c->nest->x, e);
  if (c->met[e] || c->breach) return;
  c->met[e] = true;
  if (n.kind == EXPR_LOAD) {
    const Node *x = graph_node(c->le->graph, (NodeId)n.v);
    for (int d = 0; d < n.n; d++) {
      const ExprNode *i = expr_node(c->nest->x, n.arg[d]);
      const int64_t most =
          dim_block_most(&c->plan->program->mesh, &x->layout->dim[d], x->shape.dim[d]);
      uint32_t had = 0;
      if ((i->lo >= 0 && i->hi < most) || !is_exact(c->nest->x, n.arg[d], &had)) continue;
      Str s = str_new(c->arena);
      expr_put(&s, c->nest->x, c->plan->program, c->le->graph, e, NULL);
      c->breach = s.at;
      return;
    }
  }
  /* Parts of a select hold where its conditions do, of which ranges say nothing. */
  for (int i = 0; i < n.n; i++)
    if (n.kind != EXPR_SELECT || !(i % 2 || i == n.n - 1)) check(c, n.arg[i]);
}

const char *nest_verify(Arena *a, const Plan *p, const LocalEntry *le, const Nest *n) {
  Check c = {
      .arena = a, .plan = p, .le = le, .nest = n, .met = arena_array(a, bool, n->x->at.n + 1)};
  for (int i = 0; i < n->stores.n; i++) check(&c, n->stores.at[i].value);
  return c.breach;
}
