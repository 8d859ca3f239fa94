/* Numbers that have no type yet: what `where` chooses of two numbers, and what is computed of such
 * and of numbers alone. They are f32, and made again in the type of the first tensor of another one
 * that they meet, as a number in the text is:
 *
 *   rate = where(warm, 0.5, 0.8)             rate: f32[]
 *   y = 2 * rate * x                    is   y = 2 * where(warm, 0.5, 0.8) * x in x's type
 *
 * They are remembered while a program is elaborated; what has no uses then is left out. */
#include "opdefs.h"
#include <string.h>

typedef struct Number {
  NodeId id;
  Op op; /* `where`, or an operator */
  int n;
  Arg arg[3]; /* numbers, nodes of the same kind, and the condition of `where` */
} Number;

struct Untyped {
  VEC(Number) at; /* by rising id */
};

Untyped *untyped_new(Arena *a) { return arena_new_of(a, Untyped); }

static const Number *find(const Build *b, NodeId id) {
  if (!b->untyped) return NULL;
  int from = 0, to = b->untyped->at.n;
  while (from < to) {
    const int i = (from + to) / 2;
    if (b->untyped->at.at[i].id < id)
      from = i + 1;
    else
      to = i;
  }
  const Number *x = from < b->untyped->at.n ? &b->untyped->at.at[from] : NULL;
  return x && x->id == id ? x : NULL;
}

/* Elements of one tensor in other places. */
static bool moves(Op op) {
  return op == &op_reshape || op == &op_broadcast || op == &op_transpose || op == &op_slice ||
         op == &op_reverse;
}

bool untyped_is(const Build *b, NodeId id) {
  if (!b->untyped || !b->untyped->at.n) return false;
  while (!find(b, id) && moves(op_node(b, id)->op)) id = op_node(b, id)->operand[0];
  return find(b, id) != NULL;
}

static bool is_number(const Build *b, const Arg *a) {
  return a->kind == ARG_INT || a->kind == ARG_REAL ||
         (a->kind == ARG_TENSOR && untyped_is(b, a->node));
}

void untyped_add(Build *b, NodeId id, Op op, int n, const Arg *a) {
  const int first = op == &op_where; /* behind the condition */
  bool some = first;
  if (!b->untyped || id == NO_NODE || op_node(b, id)->dtype != DT_F32) return;
  const int known = b->untyped->at.n;
  if (known && b->untyped->at.at[known - 1].id >= id) return;
  for (int i = first; i < n; i++) {
    if (!is_number(b, &a[i])) return;
    some = some || a[i].kind == ARG_TENSOR;
  }
  if (!some) return;
  Number x = {.id = id, .op = op, .n = n};
  memcpy(x.arg, a, sizeof *a * (size_t)n);
  vec_push(b->arena, &b->untyped->at, x);
}

static NodeId make(Build *b, NodeId id, DType t) {
  Arg a[3];
  const Number *x = find(b, id);
  if (!x) {
    const Node n = *op_node(b, id);
    const NodeId of = make(b, n.operand[0], t);
    return build_node(b, n.op, 1, &of, n.nattr, n.attr, n.value);
  }
  const Number number = *x; /* what is made may move them */
  x = &number;
  for (int i = 0; i < x->n; i++) {
    a[i] = x->arg[i];
    if (i || x->op != &op_where)
      if (a[i].kind == ARG_TENSOR || x->op == &op_where) a[i] = arg_node(build_tensor(b, &a[i], t));
    if (a[i].kind == ARG_TENSOR && a[i].node == NO_NODE) return NO_NODE;
  }
  if (x->op == &op_where) return build_call(b, &op_where, a).node;
  return build_operator(b, x->op, &a[0], x->n > 1 ? &a[1] : NULL).node;
}

NodeId untyped_as(Build *b, NodeId id, DType t) {
  if (t == DT_F32 || !untyped_is(b, id)) return id;
  const Span at = b->span;
  const char *what = b->what;
  b->span = op_node(b, id)->span, b->what = op_written(op_node(b, id)->op);
  const NodeId y = make(b, id, t);
  b->span = at, b->what = what;
  if (y == NO_NODE)
    diag_note(b->diag, at, "it meets a tensor of type %s here", dtype_name(t));
  else if (op_node(b, id)->name)
    b->remade(b->user, id, y);
  return y;
}

bool untyped_agree(Build *b, int n, NodeId *x) {
  int typed = 0;
  while (typed < n && (x[typed] == NO_NODE || untyped_is(b, x[typed]))) typed++;
  for (int i = 0; i < n && typed < n; i++) {
    if (x[i] != NO_NODE) x[i] = untyped_as(b, x[i], op_node(b, x[typed])->dtype);
    if (x[i] == NO_NODE) return false;
  }
  return true;
}

/* Whether it is a choice of integers, which f64 may not have. */
static bool is_whole(const Build *b, NodeId id) {
  while (!find(b, id)) id = op_node(b, id)->operand[0];
  const Number *x = find(b, id);
  bool whole = x->op == &op_where;
  for (int i = 1; whole && i < 3; i++)
    whole = x->arg[i].kind == ARG_INT ||
            (x->arg[i].kind == ARG_TENSOR && is_whole(b, x->arg[i].node));
  return whole;
}

NodeId untyped_cast(Build *b, NodeId id, DType to) {
  if (!untyped_is(b, id) || to == DT_BOOL || (dtype_is_float(to) && dtype_size(to) < 8)) return id;
  const DType whole = dtype_is_int(to) && is_whole(b, id) ? DT_I64 : DT_F64;
  return untyped_as(b, id, dtype_is_complex(to) ? dtype_part(to) : whole);
}
