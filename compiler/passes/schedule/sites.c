/* See sites.h. The uses of operands come from OpDef.lower. */
#include "sites.h"
#include <string.h>

struct Sites {
  Arena *arena;
  const Mesh *mesh;
  const Graph *graph;
  Exprs *x; /* indices, guards and sites are expressions: equal ones are equal numbers */
  Lower lower;
  Lookup seen;   /* sites that sites_first was called with, by the address of their name */
  double *count; /* by node; < 0: not computed yet */
  const char *index[MAX_RANK]; /* of loops, by dim; NULL: none yet */
};

/* -------- lowering -------- */

/* Dims that are laid out alike have one symbol. */
static Expr dim_symbol(Lower *l, const Node *n, int d, int64_t which, int64_t least, int64_t most) {
  const DimLayout *a = &n->layout->dim[d];
  const Window *w = &a->window;
  int64_t key[9 + MAX_AXES] = {which,  n->shape.dim[d], a->granule, w->of,    w->mul,
                               w->div, w->first,        w->last,    w->cyclic};
  for (int i = 0; i < a->naxes; i++) key[9 + i] = a->axis[i] + 1;
  return expr_symbol_of(l->x, key, sizeof key, least, most);
}

static Expr extent_of(Lower *l, const Node *n, int d) {
  const DimLayout *a = &n->layout->dim[d];
  const int64_t most = dim_block_most(l->mesh, a, n->shape.dim[d]);
  return dim_even(l->mesh, a, n->shape.dim[d]) ? expr_int(l->x, most)
                                               : dim_symbol(l, n, d, 0, 0, most);
}

static Expr offset_of(Lower *l, const Node *n, int d) {
  const DimLayout *a = &n->layout->dim[d];
  const int64_t size = n->shape.dim[d], least = a->window.cyclic ? -size : 0;
  return a->naxes || a->window.of ? dim_symbol(l, n, d, 1, least, size) : expr_int(l->x, 0);
}

Sites *sites_new(Arena *a, const Mesh *m, const Graph *g) {
  Sites *s = arena_new_of(a, Sites);
  *s = (Sites){.arena = a, .mesh = m, .graph = g, .x = exprs_new(a)};
  s->lower = (Lower){.x = s->x,
                     .g = g,
                     .mesh = m,
                     .value = lower_leaf_value,
                     .load = lower_leaf_load,
                     .extent = extent_of,
                     .offset = offset_of,
                     .key = lower_leaf_key};
  s->count = arena_array(a, double, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) s->count[i] = -1;
  return s;
}

void sites_forget(Sites *s, Arena *a) {
  s->arena = a;
  s->x = s->lower.x = exprs_new(a);
  memset(s->index, 0, sizeof s->index);
}

double sites_count(Sites *s, NodeId id) {
  const Node *n = graph_node(s->graph, id);
  if (s->count[id] >= 0) return s->count[id];
  Shape local = node_local(s->mesh, n);
  s->count[id] = 1;
  for (int d = 0; d < local.rank; d++) s->count[id] *= (double)local.dim[d];
  return s->count[id];
}

/* -------- sites -------- */

/* An index that reads a tensor is an atom to what is computed at it: it is computed once. */
static Expr index_atom(Sites *s, Expr i) {
  const ExprNode *n = expr_node(s->x, i);
  return n->reads ? expr_symbol_of(s->x, &i, sizeof i, n->lo, n->hi) : i;
}

static Expr tuple(Sites *s, const char *what, int n, const Expr *part) {
  return expr_call(s->x, what, DT_I64, n, part, INT64_MIN, INT64_MAX);
}

NodeId sites_over(const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  const NodeClass c = node_class(n);
  return c == CLASS_REDUCE ? n->operand[0] : c == CLASS_SCATTER ? n->operand[1] : id;
}

Site sites_body(Sites *s, NodeId loop, NodeId over) {
  static const char *const index[] = {"i", "j", "k", "l", "p", "q", "r", "s"};
  const Node *n = graph_node(s->graph, over);
  Expr at[MAX_RANK];
  for (int d = 0; d < n->shape.rank; d++) {
    const int64_t most = dim_block_most(s->mesh, &n->layout->dim[d], n->shape.dim[d]);
    at[d] = most == 1 ? expr_int(s->x, 0) : expr_symbol(s->x, index[d], 0, most - 1);
    if (most > 1) s->index[d] = expr_node(s->x, at[d])->name;
  }
  return (Site){.loop = loop,
                .guard = NO_EXPR,
                .index = tuple(s, "at", n->shape.rank, at),
                .turns = sites_count(s, over)};
}

/* The last dim that the loop goes over; -1: it is one turn. */
static int last_of_loop(const Sites *s, const Site *at) {
  const Node *n = graph_node(s->graph, sites_over(s->graph, at->loop));
  int d = shape_last(&n->shape);
  while (d >= 0 && dim_block_most(s->mesh, &n->layout->dim[d], n->shape.dim[d]) == 1) d--;
  return d;
}

bool sites_innermost(const Sites *s, NodeId id, const Site *at, int d) {
  const int last = last_of_loop(s, at);
  if (last < 0 || d < 0 || d >= graph_node(s->graph, id)->shape.rank) return false;
  return expr_mentions(s->x, expr_node(s->x, at->index)->arg[d], s->index[last]);
}

int64_t sites_line(const Sites *s, const Site *at) {
  const Node *n = graph_node(s->graph, sites_over(s->graph, at->loop));
  const int d = last_of_loop(s, at);
  return d < 0 ? 1 : dim_block_most(s->mesh, &n->layout->dim[d], n->shape.dim[d]);
}

typedef struct UseWalk {
  Sites *s;
  NodeId of;
  SiteUses *out;
} UseWalk;

/* Part k of a select: `share` of the turns get there, by the size of what is read there. */
static Site guarded(Sites *s, const Site *at, Expr select, int k) {
  const Expr part[] = {at->guard == NO_EXPR ? expr_int(s->x, 0) : at->guard, select,
                       expr_int(s->x, k)};
  Site in = *at;
  in.guard = tuple(s, "in", 3, part);
  in.depth++;
  return in;
}

static void find_uses(UseWalk *w, Expr e, const Site *at) {
  Sites *s = w->s;
  const ExprNode n = *expr_node(s->x, e);
  if (!n.reads) return;
  if (n.kind == EXPR_VALUE || n.kind == EXPR_LOAD) {
    SiteUse use = {.node = (NodeId)n.v, .loaded = n.kind == EXPR_LOAD, .at = *at};
    Expr in[MAX_RANK];
    for (int d = 0; d < n.n; d++) in[d] = index_atom(s, n.arg[d]);
    use.at.index = tuple(s, "at", n.n, in);
    if (at->depth > w->out->depth && sites_count(s, w->of) > 0) {
      const double share = sites_count(s, use.node) / sites_count(s, w->of);
      use.at.turns *= share < 1 ? share : 1;
    }
    vec_push(s->arena, &w->out->use, use);
    for (int d = 0; d < n.n; d++) find_uses(w, n.arg[d], at);
    return;
  }
  for (int i = 0; i < n.n; i++) {
    const Site in = expr_is_part(&n, i) ? guarded(s, at, e, i) : *at;
    find_uses(w, n.arg[i], &in);
  }
}

void sites_uses(Sites *s, NodeId id, const Site *at, SiteUses *out) {
  UseWalk w = {.s = s, .of = id, .out = out};
  const ExprNode index = *expr_node(s->x, at->index);
  At here = {.flat = NO_EXPR};
  for (int d = 0; d < index.n; d++) here.dim[d] = index.arg[d];
  out->use.n = 0;
  out->depth = at->depth;
  find_uses(&w, lower_node(&s->lower, id, &here), at);
}

/* Indices of the loop (sites_body) that an expression is made of: 2 if they are divided. */
static int indices_of(const Sites *s, Expr e) {
  const ExprNode *n = expr_node(s->x, e);
  if (n->kind == EXPR_SYMBOL) {
    int d = 0;
    while (d < MAX_RANK && s->index[d] != n->name) d++;
    return d < MAX_RANK;
  }
  int sum = n->kind == EXPR_DIV || n->kind == EXPR_MOD ? 2 : 0;
  for (int i = 0; i < n->n && n->kind != EXPR_VALUE && n->kind != EXPR_LOAD; i++)
    sum += indices_of(s, n->arg[i]);
  return sum;
}

int sites_parts(Sites *s, NodeId id, const Site *at, bool *mixed) {
  const ExprNode index = *expr_node(s->x, at->index);
  At here = {.flat = NO_EXPR};
  for (int d = 0; d < index.n; d++) here.dim[d] = index.arg[d];
  const ExprNode n = *expr_node(s->x, lower_node(&s->lower, id, &here));
  int parts = 0;
  *mixed = false;
  if (n.kind != EXPR_SELECT) return 1;
  for (int i = 0; i < n.n; i++) {
    const bool part = expr_is_part(&n, i);
    parts += part && expr_node(s->x, n.arg[i])->reads;
    if (!part) *mixed = *mixed || indices_of(s, n.arg[i]) > 1;
  }
  return parts;
}

bool sites_first(Sites *s, NodeId id, const Site *at) {
  const Expr part[] = {expr_int(s->x, id), expr_int(s->x, at->loop),
                       at->guard == NO_EXPR ? expr_int(s->x, -1) : at->guard, at->index};
  const int before = s->x->n;
  return tuple(s, "site", 4, part) >= before;
}

/* -------- work -------- */

double sites_own(const Node *n) {
  double f = n->op->flops;
  return f > 0 ? f : op_is(n, OPF_NO_WORK) ? 0 : 1;
}

/* Operands that take a read if they are in memory. A constant stands in the text. */
static int reads(const Graph *g, const Node *n, const bool *stored) {
  int sum = 0;
  for (int k = 0; k < n->noperands; k++)
    if (!node_is_const(graph_operand(g, n, k)))
      sum += !stored || stored[node_base(g, n->operand[k])];
  return sum;
}

static bool is_loop(const Node *n) {
  NodeClass c = node_class(n);
  return c == CLASS_MAP || c == CLASS_REDUCE;
}

static double turns_of(Sites *s, NodeId id) { return sites_count(s, sites_over(s->graph, id)); }

void sites_add(Sites *s, const bool *stored, NodeId id, const Site *at, Work *sum) {
  const Node *n = graph_node(s->graph, id);
  if (!is_loop(n)) return;
  int r = reads(s->graph, n, stored);
  sum->executed += at->turns * (sites_own(n) + r);
  sum->code += 1 + r;
}

void sites_add_store(Sites *s, NodeId id, Work *sum) {
  sum->executed += sites_count(s, id);
  sum->code += 1;
}

void sites_once(Sites *s, NodeId id, Work *sum) {
  Site own = {.turns = turns_of(s, id)};
  if (!is_loop(graph_node(s->graph, id))) return;
  sites_add(s, NULL, id, &own, sum);
  sites_add_store(s, id, sum);
}

bool work_within(const Work *work, const Work *once) {
  const double most = WORK_MOST * (1 + 1e-9);
  return work->executed <= most * once->executed && work->code <= most * once->code;
}
