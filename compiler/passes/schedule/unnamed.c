/* See unnamed.h. A value is seen as its ops compute an element at an index (OpDef.lower), so that
 * the row of the scatter that is read is known: that of a transposed one may be a row with a name.
 */
#include "unnamed.h"
#include "expr.h"
#include "op_list.h"
#include <string.h>

typedef enum RestKind { REST_UNKNOWN, REST_NUMBER, REST_VALUE } RestKind;

typedef struct Rest {
  RestKind kind;
  Scalar number;
  Expr value; /* of what has nothing to do with the scatter */
} Rest;

typedef struct KnownRest {
  int round; /* 0: none */
  Rest rest;
} KnownRest;

struct Unnamed {
  Arena *arena;
  const Graph *g;
  const Mesh *mesh;
  InMemory in_memory;
  void *user;
  Lower lower, whole, block;
  bool in_block; /* `lower` is `block`: of a device's own elements */
  bool odd;      /* ... where not all devices have as many */
  NodeId scatter;
  Scalar none;       /* what the scatter has there */
  Expr row;          /* that is read of it, wherever it is read; NO_EXPR: not yet */
  const Node *put;   /* whose value is looked at; NULL: of no window */
  Expr written;      /* what lies where it writes; NO_EXPR: it is not read yet */
  At at;             /* the index that is looked at */
  VEC(KnownRest) known; /* by expression, where `round` is that of now */
  int round, looks;
};

enum { MOST_LOOKS = 4096 }; /* expressions that an answer may take; more are not known */

static const Rest unknown = {.kind = REST_UNKNOWN};

/* -------- a device's block: so many elements of each dim, from a symbol of its cut on -------- */

static Expr block_extent(Lower *l, const Node *n, int d) {
  Unnamed *u = l->user;
  const DimLayout *x = &n->layout->dim[d];
  u->odd = u->odd || x->window.of || !dim_even(u->mesh, x, n->shape.dim[d]);
  return expr_int(l->x, n->shape.dim[d] / dim_parts(u->mesh, x));
}

static Expr block_offset(Lower *l, const Node *n, int d) {
  const Unnamed *u = l->user;
  const DimLayout *x = &n->layout->dim[d];
  const int64_t size = n->shape.dim[d], last = size - size / dim_parts(u->mesh, x);
  block_extent(l, n, d);
  if (!last) return expr_int(l->x, 0);
  const char *name = arena_printf(u->arena, "from%ld", (long)size);
  for (int k = 0; k < x->naxes; k++) name = arena_printf(u->arena, "%s_%d", name, x->axis[k]);
  return expr_symbol(l->x, name, 0, last);
}

static At block_index(Unnamed *u, const Node *n) {
  At at = {.flat = NO_EXPR};
  const Shape s = node_local(u->mesh, n);
  for (int d = 0; d < n->shape.rank; d++) {
    const char *name = arena_printf(u->arena, "at%d", d);
    block_extent(&u->block, n, d);
    at.dim[d] =
        s.dim[d] > 1 ? expr_symbol(u->lower.x, name, 0, s.dim[d] - 1) : expr_int(u->lower.x, 0);
  }
  return at;
}

Unnamed *unnamed_new(Arena *a, const Mesh *m, const LocalEntry *le, InMemory in_memory,
                     void *user) {
  Unnamed *u = arena_new_of(a, Unnamed);
  *u = (Unnamed){.arena = a,
                 .g = le->graph,
                 .mesh = m,
                 .in_memory = in_memory,
                 .user = user,
                 .whole = lower_whole(exprs_new(a), le->graph)};
  u->block = u->lower = u->whole;
  u->block.extent = block_extent, u->block.offset = block_offset, u->block.user = u;
  return u;
}

void unnamed_of(Unnamed *u, NodeId scatter) {
  u->scatter = scatter;
  u->none = reduction_none(graph_node(u->g, scatter));
}

static Rest rest_of(Unnamed *u, Expr e);

static bool is_number(const Rest *r, double x) {
  return r->kind == REST_NUMBER && number_real(&r->number) == x;
}

static bool is_none(const Unnamed *u, const Rest *r) {
  return is_number(r, number_real(&u->none)) && r->number.i == u->none.i;
}

static bool is_same(const Rest *a, const Rest *b) {
  if (a->kind != b->kind || a->kind == REST_UNKNOWN) return false;
  if (a->kind == REST_VALUE) return a->value == b->value;
  return a->number.kind == b->number.kind && a->number.i == b->number.i &&
         a->number.real == b->number.real;
}

static Rest number_of(DType t, double real, int64_t whole) {
  const ScalarKind kind = t == DT_BOOL ? NUM_BOOL : dtype_is_float(t) ? NUM_REAL : NUM_INT;
  return (Rest){
      REST_NUMBER, {kind, kind == NUM_REAL ? 0 : whole, kind == NUM_REAL ? real : 0}, NO_EXPR};
}

/* A cast that rounds nothing. */
static Rest of_cast(DType to, const Rest *x) {
  const double v = number_real(&x->number);
  if (v != 0 && v != 1 && !(dtype_is_float(to) && x->number.kind == NUM_REAL && v - v != 0))
    return unknown;
  return number_of(to, v, (int64_t)(v == 1));
}

/* Numbers decide conditions; of other ops they are not folded, which may round in another way than
 * the type does. */
static Rest of_numbers(const ExprNode *n, DType from, const Rest *x) {
  Scalar arg[MOST_NUMBERS], out;
  for (int k = 0; k < n->n; k++) arg[k] = x[k].number;
  if (n->n == 1 && !n->op->c) return of_cast(n->type, x);
  if (n->type != DT_BOOL || from == DT_U64 || op_fold(n->op, arg, n->n, &out) != FOLDED)
    return unknown;
  return (Rest){REST_NUMBER, out, NO_EXPR};
}

static bool is_cast(const ExprNode *n) { return n->kind == EXPR_OP && n->n == 1 && !n->op->c; }

/* f16(f32(x)) is x. */
static const Rest *of_casts(const Unnamed *u, const ExprNode *n, Rest *x) {
  if (!is_cast(n) || x->kind != REST_VALUE) return NULL;
  const ExprNode *wide = expr_node(u->lower.x, x->value);
  if (!is_cast(wide) || !dtype_is_float(n->type) || !dtype_is_float(wide->type) ||
      dtype_size(wide->type) <= dtype_size(n->type) ||
      expr_node(u->lower.x, wide->arg[0])->type != n->type)
    return NULL;
  x->value = wide->arg[0];
  return x;
}

/* x + 0, x - 0, and what the scatter's own op makes of its identity: max(x, -inf). */
static const Rest *beside_none(const Unnamed *u, const ExprNode *n, const Rest *x) {
  if (n->n != 2) return NULL;
  const bool sum = n->op->linear_jointly && n->op->index[0] == 1;
  if (sum && is_number(&x[1], 0)) return &x[0];
  if (sum && n->op->index[1] == 1 && is_number(&x[0], 0)) return &x[1];
  if (n->op != reduction_step(graph_node(u->g, u->scatter))) return NULL;
  return is_none(u, &x[1]) ? &x[0] : is_none(u, &x[0]) ? &x[1] : NULL;
}

static Rest of_op(Unnamed *u, Expr e) {
  const ExprNode n = *expr_node(u->lower.x, e);
  Rest x[MOST_NUMBERS];
  bool numbers = true, apart = true;
  for (int k = 0; k < n.n; k++) {
    x[k] = rest_of(u, n.arg[k]);
    numbers = numbers && x[k].kind == REST_NUMBER;
    apart =
        apart && (x[k].kind == REST_VALUE ? x[k].value == n.arg[k]
                                          : expr_node(u->lower.x, n.arg[k])->kind == EXPR_NUMBER);
  }
  if (n.op->flags & OPF_CHOICE) {
    if (x[0].kind == REST_NUMBER) return x[number_real(&x[0].number) != 0 ? 1 : 2];
    if (is_same(&x[1], &x[2])) return x[1];
  }
  for (int k = 0; k < n.n; k++)
    if (n.op->linear >> k & 1 && is_number(&x[k], 0)) return number_of(n.type, 0, 0);
  const Rest *other = of_casts(u, &n, x);
  if (!other) other = beside_none(u, &n, x);
  if (other) return *other;
  if (apart) return (Rest){.kind = REST_VALUE, .value = e};
  return numbers ? of_numbers(&n, expr_node(u->lower.x, n.arg[0])->type, x) : unknown;
}

/* It is what lies where the window goes, which may be all of the tensor. */
static bool is_written(const Unnamed *u, NodeId id, const Node *n) {
  return node_attr(u->put, "axis") ? part_is_written(u->g, u->put, n) : id == u->put->operand[0];
}

static Rest of_value(Unnamed *u, Expr e) {
  const ExprNode n = *expr_node(u->lower.x, e);
  const NodeId id = (NodeId)n.v;
  const Node *x = graph_node(u->g, id);
  At at = {.flat = NO_EXPR};
  if (id == u->scatter) {
    if (u->row == NO_EXPR) u->row = n.arg[0];
    return n.arg[0] == u->row ? (Rest){REST_NUMBER, u->none, NO_EXPR} : unknown;
  }
  for (int d = 0; d < n.n; d++) {
    at.dim[d] = n.arg[d];
    if (expr_node(u->lower.x, n.arg[d])->reads) return unknown;
  }
  if (u->put && is_written(u, id, x)) {
    bool here = true;
    for (int d = 0; d < n.n; d++) here = here && n.arg[d] == u->at.dim[d];
    if (here) return (Rest){.kind = REST_VALUE, .value = u->written = e};
  }
  const bool computed = x->op->lower || (op_is(x, OPF_ELEMENTWISE) && x->noperands <= MOST_NUMBERS);
  if (!computed || u->in_memory(u->user, id)) return (Rest){.kind = REST_VALUE, .value = e};
  return rest_of(u, lower_node(&u->lower, id, &at));
}

static Rest of_select(Unnamed *u, const ExprNode *n) {
  const Rest first = rest_of(u, n->arg[n->n - 1]);
  for (int i = 1; i < n->n; i += 2) {
    const Rest part = rest_of(u, n->arg[i]);
    if (!is_same(&part, &first)) return unknown;
  }
  return first;
}

static Rest find_rest(Unnamed *u, Expr e) {
  const ExprNode n = *expr_node(u->lower.x, e);
  switch (n.kind) {
  case EXPR_NUMBER: return number_of(n.type, n.real, n.v);
  case EXPR_VALUE: return of_value(u, e);
  case EXPR_OP: return of_op(u, e);
  case EXPR_SELECT: return of_select(u, &n);
  default: return n.reads ? unknown : (Rest){.kind = REST_VALUE, .value = e};
  }
}

static Rest rest_of(Unnamed *u, Expr e) {
  while (u->known.n <= e) vec_push(u->arena, &u->known, (KnownRest){0});
  if (u->known.at[e].round == u->round) return u->known.at[e].rest;
  if (u->looks++ >= MOST_LOOKS) return unknown;
  const Rest r = find_rest(u, e);
  u->known.at[e] = (KnownRest){u->round, r};
  return r;
}

/* Where in memory an element lies. */
static Expr place_of(Exprs *x, const Shape *s, const Expr *index) {
  Expr at = expr_int(x, 0);
  for (int d = 0; d < s->rank; d++) at = expr_add(x, expr_scale(x, at, s->dim[d]), index[d]);
  return at;
}

/* The dims whose indices in `at` make the row: each row is that of one index of theirs. */
static bool find_rows(const Unnamed *u, const Node *n, const At *at, RowDims *out) {
  const Exprs *x = u->lower.x;
  const ExprNode *e = expr_node(x, u->row);
  const bool one = e->kind == EXPR_SYMBOL;
  const Node *table = graph_node(u->g, u->scatter);
  const Shape s = u->in_block ? node_local(u->mesh, n) : n->shape;
  int64_t stride = u->in_block ? node_local(u->mesh, table).dim[0] : table->shape.dim[0];
  if (!one && (e->kind != EXPR_LINEAR || e->v)) return false;
  for (out->n = 0; stride > 1; out->n++) {
    int dim = -1;
    for (int d = 0; d < n->shape.rank; d++)
      for (int i = 0; i < (one ? 1 : e->n); i++)
        if (at->dim[d] == (one ? u->row : e->arg[i]) && (one ? 1 : e->coef[i]) * s.dim[d] == stride)
          dim = d;
    if (dim < 0) return false;
    out->dim[out->n] = dim;
    stride /= s.dim[dim];
  }
  return out->n == (one ? 1 : e->n);
}

/* Evenly along the same axes, or not at all. */
static bool cut_alike(const Unnamed *u, const Node *a, int da, const Node *b, int db) {
  const DimLayout *x = &a->layout->dim[da], *y = &b->layout->dim[db];
  return x->naxes == y->naxes && !memcmp(x->axis, y->axis, sizeof *x->axis * x->naxes) &&
         !x->window.of && !y->window.of && dim_even(u->mesh, x, a->shape.dim[da]) &&
         dim_even(u->mesh, y, b->shape.dim[db]);
}

/* A device's rows are those of its block of the scatter: of several dims, the outermost is cut. */
static bool has_rows_of(const Unnamed *u, const Node *n, const RowDims *rows) {
  const Node *of = graph_node(u->g, u->scatter);
  if (u->in_block) return rows->n > 0 && !u->odd;
  if (rows->n == 1) return dim_equal(&n->layout->dim[rows->dim[0]], &of->layout->dim[0]);
  for (int k = 1; k < rows->n; k++) {
    const DimLayout *x = &n->layout->dim[rows->dim[k]];
    if (x->naxes || x->window.of) return false;
  }
  return rows->n && cut_alike(u, n, rows->dim[0], of, 0);
}

/* The element of another value in memory that lies in the same place as n's. */
static NodeId same_place(Unnamed *u, const Node *n, Expr e) {
  const ExprNode v = *expr_node(u->lower.x, e);
  if (v.kind != EXPR_VALUE) return NO_NODE;
  const Node *x = graph_node(u->g, (NodeId)v.v);
  const Shape s = u->in_block ? node_local(u->mesh, x) : x->shape,
              t = u->in_block ? node_local(u->mesh, n) : n->shape;
  for (int d = 0; u->in_block && d < x->shape.rank; d++) block_extent(&u->block, x, d);
  const bool same = shape_count(&s) == shape_count(&t) &&
                    place_of(u->lower.x, &s, v.arg) == place_of(u->lower.x, &t, u->at.dim);
  return same ? (NodeId)v.v : NO_NODE;
}

static NodeId kept(Unnamed *u, NodeId id, RowDims *rows) {
  const Node *n = graph_node(u->g, id);
  u->put = n->op->updates ? n : NULL;
  if (u->put && node_begins_by_row(u->g, n)) return NO_NODE;
  if (u->put) n = graph_node(u->g, id = n->operand[1]);
  u->at = u->in_block ? block_index(u, n) : lower_whole_index(&u->lower, n);
  u->row = u->written = NO_EXPR;
  u->looks = 0;
  u->round++;
  const Rest r = rest_of(u, u->put ? lower_element(&u->lower, EXPR_VALUE, id, &u->at)
                                   : lower_node(&u->lower, id, &u->at));
  if (r.kind != REST_VALUE || u->row == NO_EXPR || !find_rows(u, n, &u->at, rows) ||
      !has_rows_of(u, n, rows))
    return NO_NODE;
  if (!u->put) return same_place(u, n, r.value);
  return r.value == u->written ? node_base(u->g, u->put->operand[0]) : NO_NODE;
}

/* Where rows are dims that are cut, they are so in a device's block alone. */
NodeId unnamed_kept(Unnamed *u, NodeId id, RowDims *rows) {
  const NodeId whole = kept(u, id, rows);
  if (whole != NO_NODE || !u->mesh->naxes) return whole;
  u->lower = u->block, u->in_block = true, u->odd = false;
  block_extent(&u->block, graph_node(u->g, u->scatter), 0);
  const NodeId own = kept(u, id, rows);
  u->lower = u->whole, u->in_block = false;
  return u->odd ? NO_NODE : own;
}
