/* stack(n) layer(...): n equal layers whose variables have a leading dim, one row a layer. The
 * layer's body runs once. A row of the stack is a *view* of the instance: its variables are rows
 * (V_ROW), at a position that may be known while running alone, so that a loop over the layers has
 * one body.
 *
 * Law: a row's initial values are those of the layer at that place of a list, drawn from the same
 * streams (docs/random.md), and names of layers within a list are names of the stack. */
#include "op.h"
#include "plural.h"
#include "stack.h"
#include <string.h>

static Arg tensor_arg(NodeId id) { return (Arg){.kind = ARG_TENSOR, .node = id}; }

/* -------- making -------- */

Value stack_make(Elab *e, NameScope *s, const AstExpr *x) {
  const char *base = e->base;
  int64_t n;
  if (e->at)
    return elab_fail(e, x->span,
                     "layers are instantiated at top level or in a layer, not where tensors are "
                     "computed");
  if (!base)
    return elab_fail(e, x->span,
                     "a stack of layers requires a name, as in `blocks = stack(4) ...`");
  e->base = NULL;
  const bool sized = eval_size(e, s, x->from, "the number of layers", &n);
  e->base = base;
  if (!sized) return value_error;
  if (n < 1) return elab_fail(e, x->from->span, "a stack has one layer or more, not %ld", (long)n);
  Stack *k = arena_new_of(e->arena, Stack);
  *k = (Stack){.up = e->stack, .path = base, .n = n, .depth = e->stack ? e->stack->depth + 1 : 1};
  if (k->depth > MOST_STACKS)
    return elab_fail(e, x->span, "stacks are nested at most %d deep", MOST_STACKS);
  vec_push(e->arena, &e->stacks, k);
  e->stack = k;
  Value v = eval_expr(e, s, x->x);
  e->stack = k->up;
  if (v.kind == V_ERROR) return v;
  if (v.kind != V_INSTANCE || strcmp(v.instance->path, base))
    return elab_fail(e, x->x->span, "`stack` makes layers, but this is %s", value_describe(e, &v));
  v.instance->stack = k;
  return v;
}

/* The type with the stacks' dims before it; false: it has too many. */
bool stack_type(Elab *e, const Type *t, Span at, Type *out) {
  const int depth = e->stack ? e->stack->depth : 0;
  *out = *t;
  if (!depth) return true;
  if (t->shape.rank + depth > MAX_RANK) {
    elab_fail(e, at, "a tensor has at most %d dims, and the stack of layers adds %d", MAX_RANK,
              depth);
    return false;
  }
  memmove(out->shape.dim + depth, t->shape.dim, sizeof *t->shape.dim * (size_t)t->shape.rank);
  out->shape.rank += depth;
  for (const Stack *k = e->stack; k; k = k->up) out->shape.dim[k->depth - 1] = k->n;
  return true;
}

static const Stack *outermost(const Stack *k) {
  while (k && k->up) k = k->up;
  return k;
}

/* While its layer is made, a variable is what one layer has of it. */
int stack_own(const Elab *e, const Var *v) {
  const Stack *k = outermost(e->stack);
  if (!k || !v->stacked || !path_below(v->path, k->path)) return 0;
  return v->stacked < e->stack->depth ? v->stacked : e->stack->depth;
}

/* -------- rows -------- */

NodeId stack_row(Elab *e, NodeId x, int n, const NodeId *at) {
  for (int i = 0; i < n && x != NO_NODE; i++) {
    Arg zero = {.kind = ARG_INT};
    x = build_call(&e->at->build, op_find("gather"),
                   (Arg[]){tensor_arg(x), tensor_arg(at[i]), zero})
            .node;
  }
  return x;
}

NodeId stack_put_row(Elab *e, NodeId x, int n, const NodeId *at, NodeId row, Span span) {
  Subscript sub[MOST_STACKS];
  const Arg value = {.kind = ARG_TENSOR, .node = row, .span = span};
  for (int i = 0; i < n; i++)
    sub[i] = (Subscript){.span = span, .drop = true, .running = true, .step = 1, .at = at[i]};
  e->at->build.span = span;
  return build_put(&e->at->build, x, n, sub, &value);
}

/* -------- views -------- */

typedef struct Viewing {
  Elab *e;
  const char *path; /* of the outermost stack */
  const NodeId *row;
  int nrow;
  VEC(const Instance *) from;
  VEC(Instance *) to;
} Viewing;

static Value view_value(Viewing *v, Value of);

static Value view_instance(Viewing *v, const Instance *in) {
  Elab *e = v->e;
  for (int i = 0; i < v->from.n; i++)
    if (v->from.at[i] == in) return (Value){.kind = V_INSTANCE, .instance = v->to.at[i]};
  Instance *out = arena_copy(e->arena, in, sizeof *in);
  out->scope = (NameScope){.up = in->scope.up};
  out->row = v->row, out->nrow = v->nrow;
  vec_push(e->arena, &v->from, in);
  vec_push(e->arena, &v->to, out);
  for (int i = 0; i < in->scope.names.n; i++) {
    Binding *b = arena_copy(e->arena, in->scope.names.at[i], sizeof *b);
    b->value = view_value(v, b->value);
    vec_push(e->arena, &out->scope.names, b);
  }
  return (Value){.kind = V_INSTANCE, .instance = out};
}

static Value view_method(Viewing *v, const Method *m) {
  Method *out = arena_new_of(v->e->arena, Method);
  *out = (Method){m->stmt, view_instance(v, m->instance).instance};
  return (Value){.kind = V_METHOD, .method = out};
}

static Value view_var(Viewing *v, int index) {
  const Var *var = &v->e->program->vars.at[index];
  if (!var->stacked || !path_below(var->path, v->path)) return (Value){.kind = V_VAR, .var = index};
  LayerRow *r = arena_new_of(v->e->arena, LayerRow);
  *r = (LayerRow){index, v->nrow < var->stacked ? v->nrow : var->stacked, v->row};
  return (Value){.kind = V_ROW, .row = r};
}

static Value view_value(Viewing *v, Value of) {
  switch (of.kind) {
  case V_VAR: return view_var(v, of.var);
  case V_ROW: return view_var(v, of.row->var); /* of a view: fewer positions than these */
  case V_INSTANCE:
    return path_below(of.instance->path, v->path) ? view_instance(v, of.instance) : of;
  case V_METHOD:
    return path_below(of.method->instance->path, v->path) ? view_method(v, of.method) : of;
  case V_FAMILY:
    if (path_below(of.family->path, v->path)) {
      Family *f = arena_copy(v->e->arena, of.family, sizeof *f);
      f->row = v->row, f->nrow = v->nrow;
      of.family = f;
    }
    return of;
  case V_LIST: {
    Value *at = arena_array(v->e->arena, Value, of.list->n);
    for (int i = 0; i < of.list->n; i++) at[i] = view_value(v, of.list->at[i]);
    return value_list(v->e, at, of.list->n);
  }
  default: return of;
  }
}

Value stack_family_row(Elab *e, const Family *f, int var) {
  Viewing v = {.e = e, .path = f->path, .row = f->row, .nrow = f->nrow};
  return f->nrow ? view_var(&v, var) : (Value){.kind = V_VAR, .var = var};
}

Value stack_view(Elab *e, const Instance *in, NodeId at) {
  NodeId *row = arena_array(e->arena, NodeId, in->nrow + 1);
  if (at == NO_NODE) return value_error;
  for (int i = 0; i < in->nrow; i++) row[i] = in->row[i];
  row[in->nrow] = at;
  Viewing v = {.e = e, .path = outermost(in->stack)->path, .row = row, .nrow = in->nrow + 1};
  return view_instance(&v, in);
}

Value stack_item(Elab *e, const Instance *in, int64_t i) {
  return stack_view(e, in, build_whole(&e->at->build, DT_I64, i));
}

Value stack_index(Elab *e, const AstExpr *x, const Instance *in, Value i) {
  const int64_t n = in->stack->n;
  if (!e->at)
    return elab_fail(e, x->span, "a layer of a stack can be named in entries and methods alone");
  i = eval_read(e, i, x->span);
  if (i.kind == V_TENSOR) {
    const Node *at = graph_node(e->at->build.graph, i.node);
    if (dtype_is_int(at->dtype) && !at->shape.rank) return stack_view(e, in, i.node);
  }
  if (i.kind == V_ERROR) return i;
  if (i.kind != V_INT)
    return elab_fail(e, x->span, "a stack takes an integer as its subscript, but this is %s",
                     value_describe(e, &i));
  if (i.i < -n || i.i >= n)
    return elab_fail(e, x->span, "there is no layer %ld in a stack of %ld", (long)i.i, (long)n);
  return stack_item(e, in, i.i < 0 ? i.i + n : i.i);
}

bool stack_whole(Elab *e, const Instance *in, Span call) {
  const Stack *k = in->within;
  if (!k || in->nrow == k->depth || (!e->at->index && e->stack)) return false;
  elab_fail(e, call,
            "%s is in a stack of %ld layer%s: go through it by `scan b in %s { ... }`, and call b",
            in->path, (long)k->n, PLURAL(k->n), k->path);
  return true;
}

/* -------- what rows begin with -------- */

static NodeId call2(Elab *e, const char *op, NodeId x, int64_t y) {
  const Arg two = {.kind = ARG_INT, .i = y, .real = (double)y};
  const Op sign = op_operator(op, 2);
  const Arg a[] = {tensor_arg(x), two};
  return sign ? build_operator(&e->at->build, sign, &a[0], &a[1]).node
              : build_call(&e->at->build, op_find(op), a).node;
}

/* hash_bytes of a path, some digits of which are known while running. */
typedef struct Hashing {
  Elab *e;
  uint64_t known;
  NodeId h; /* NO_NODE: it is `known` */
} Hashing;

static void hash_text(Hashing *x, const char *s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const uint8_t c = (uint8_t)s[i];
    if (x->h == NO_NODE)
      x->known = (x->known ^ c) * HASH_PRIME;
    else
      x->h = call2(x->e, "*", call2(x->e, "bit_xor", x->h, c), (int64_t)HASH_PRIME);
  }
}

/* `at`, below n, in decimal. */
static void hash_number(Hashing *x, NodeId at, int64_t n) {
  Elab *e = x->e;
  Build *b = &e->at->build;
  int64_t power = 1;
  while (power <= (n - 1) / 10) power *= 10;
  if (x->h == NO_NODE) x->h = build_whole(b, DT_I64, (int64_t)x->known);
  for (; power; power /= 10) {
    const NodeId digit = call2(e, "+", call2(e, "%", call2(e, "//", at, power), 10), '0');
    const Arg both[] = {tensor_arg(x->h), tensor_arg(digit)};
    const NodeId mixed = build_call(b, op_find("bit_xor"), both).node;
    const NodeId next = call2(e, "*", mixed, (int64_t)HASH_PRIME);
    const Arg choice[] = {tensor_arg(call2(e, ">=", at, power)), tensor_arg(next),
                          tensor_arg(x->h)};
    x->h = power == 1 ? next : build_call(b, op_find("where"), choice).node;
  }
}

/* h ^ h >> 32, as of an unsigned number */
static NodeId fold_half(Elab *e, NodeId h) {
  const NodeId high = call2(e, "bit_and", call2(e, "shift_right", h, 32), 0xffffffff);
  const Arg both[] = {tensor_arg(h), tensor_arg(high)};
  return build_call(&e->at->build, op_find("bit_xor"), both).node;
}

NodeId stack_stream(Elab *e, const char *path, uint64_t count) {
  Hashing x = {.e = e, .known = HASH_FIRST ^ count * HASH_SEED, .h = NO_NODE};
  const Stack *in[MOST_STACKS];
  size_t before = 0;
  for (const Stack *k = e->stack; k; k = k->up) in[k->depth - 1] = k;
  for (int d = 0; d < e->stack->depth; d++) {
    const size_t n = strlen(in[d]->path);
    hash_text(&x, path + before, n - before);
    hash_text(&x, "[", 1);
    hash_number(&x, e->init_row[d], in[d]->n);
    hash_text(&x, "]", 1);
    before = n;
  }
  hash_text(&x, path + before, strlen(path) - before);
  return fold_half(e, call2(e, "*", fold_half(e, x.h), (int64_t)HASH_LAST));
}

/* Begins what is computed once for each row of the innermost stack's variables. */
void stack_rows_begin(Elab *e, Span at) {
  int64_t runs = 1;
  for (const Stack *k = e->stack; k; k = k->up) runs *= k->n;
  e->init_rows = region_rows_begin(e, runs, at);
  e->init_row = NULL;
}

/* The position of the row that is being computed, in each stack. */
const NodeId *stack_init_rows(Elab *e) {
  if (e->init_row) return e->init_row;
  NodeId *row = arena_array(e->arena, NodeId, MOST_STACKS), run = region_rows_run(e, e->init_rows);
  for (const Stack *k = e->stack; k; k = k->up) {
    row[k->depth - 1] = k->up ? call2(e, "%", run, k->n) : run;
    run = call2(e, "//", run, k->n);
  }
  return e->init_row = row;
}

/* All rows, of type t; `row` if all are alike. */
NodeId stack_rows_end(Elab *e, NodeId row, const Type *t, Span at) {
  Build *b = &e->at->build;
  const NodeId rows = region_rows_end(e, e->init_rows, row);
  const bool alike = rows == row;
  Arg dims = {.kind = ARG_LIST, .span = at, .n = t->shape.rank};
  e->init_rows = NULL, e->init_row = NULL;
  if (rows == NO_NODE) return rows;
  b->span = at;
  dims.at = arena_array(e->arena, Arg, t->shape.rank + 1);
  for (int d = 0; d < t->shape.rank; d++)
    dims.at[d] =
        (Arg){.kind = ARG_INT, .span = at, .i = t->shape.dim[d], .real = (double)t->shape.dim[d]};
  return build_call(b, op_find(alike ? "broadcast" : "reshape"), (Arg[]){tensor_arg(rows), dims})
      .node;
}
