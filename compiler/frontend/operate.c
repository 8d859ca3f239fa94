/* Operators and subscripts: on plain values they are computed immediately (fold_numbers.c); with a
 * tensor operand they become nodes. */
#include "stack.h"
#include <string.h>

/* -------- tensors -------- */

static Value on_tensors(Elab *e, const AstExpr *x, const Value *l, const Value *r) {
  Arg p, q;
  if (!builtin_arg(e, l, x->x->span, &p) || !builtin_arg(e, r, x->y->span, &q)) return value_error;
  Build *b = &e->at->build;
  b->span = x->span;
  if (x->op->class == OPC_CALL) {
    Arg both[] = {p, q};
    Arg out = build_call(b, x->op, both);
    return builtin_from_arg(e, &out);
  }
  Arg out = build_operator(b, x->op, &p, &q);
  return builtin_from_arg(e, &out);
}

static Value joined(Elab *e, const AstExpr *x, const ValueList *a, const ValueList *b) {
  if (!list_fits(e, x->span, (int64_t)a->n + b->n)) return value_error;
  Value *at = arena_array(e->arena, Value, a->n + b->n);
  if (a->n) memcpy(at, a->at, sizeof *at * (size_t)a->n);
  if (b->n) memcpy(at + a->n, b->at, sizeof *at * (size_t)b->n);
  return value_list(e, at, a->n + b->n);
}

Value operate_binary(Elab *e, const AstExpr *x, Value l, Value r) {
  Op op = x->op;
  const int compares = op->compares;
  const bool equality = compares == ORDER_EQUAL || compares == (ORDER_LESS | ORDER_GREATER);
  /* Whether an argument was given is known also where it is a tensor. */
  if (equality && l.kind != r.kind && (l.kind == V_NONE || r.kind == V_NONE) && l.kind != V_ERROR &&
      r.kind != V_ERROR)
    return value_bool(compares != ORDER_EQUAL);
  if (e->at) {
    l = eval_read(e, l, x->x->span);
    r = eval_read(e, r, x->y->span);
    if (l.kind == V_ERROR || r.kind == V_ERROR) return value_error;
    if (l.kind == V_TENSOR || r.kind == V_TENSOR) return on_tensors(e, x, &l, &r);
  }
  Value v = fold_values(e, op, x->span, (const Value *[]){&l, &r}, 2);
  if (v.kind != V_NONE) return v;
  if (equality) return value_bool(value_same(&l, &r) == (compares == ORDER_EQUAL));
  const bool joins = !strcmp(op_written(op), "+");
  if (joins && l.kind == V_LIST && r.kind == V_LIST) return joined(e, x, l.list, r.list);
  if (joins && l.kind == V_STRING && r.kind == V_STRING && strlen(l.text) + strlen(r.text) < 65536)
    return value_text(arena_printf(e->arena, "%s%s", l.text, r.text));
  const char *instead = value_instead(e, &l);
  return elab_fail(e, x->span, "`%s` does not take %s and %s%s", op_written(op),
                   value_describe(e, &l), value_describe(e, &r),
                   *instead ? instead : value_instead(e, &r));
}

Value operate_unary(Elab *e, const AstExpr *x, Value v) {
  if (v.kind == V_ERROR) return v;
  Value folded = fold_values(e, x->op, x->span, (const Value *[]){&v}, 1);
  if (folded.kind != V_NONE) return folded;
  v = eval_read(e, v, x->x->span);
  if (v.kind == V_ERROR) return v;
  if (v.kind != V_TENSOR)
    return elab_fail(e, x->span, "`%s` does not take %s%s", op_written(x->op),
                     value_describe(e, &v), value_instead(e, &v));
  Arg a = {.kind = ARG_TENSOR, .node = v.node, .span = x->x->span};
  e->at->build.span = x->span;
  Arg out = build_operator(&e->at->build, x->op, &a, NULL);
  return builtin_from_arg(e, &out);
}

/* -------- subscripts of lists and families -------- */

/* A bound of a slice, or a plain index. Absent and `none` leave *has false. */
static bool bound_value(Elab *e, const AstExpr *x, Value v, bool *has, int64_t *out) {
  *has = false;
  if (!x) return true;
  if (v.kind == V_NONE || v.kind == V_ERROR) return v.kind == V_NONE;
  if (v.kind == V_INT) {
    *has = true;
    *out = v.i;
    return true;
  }
  elab_fail(e, x->span,
            v.kind == V_TENSOR || v.kind == V_VAR
                ? "the bounds of a slice must be compile-time constants, but this is %s"
                : "the bounds of a slice are integers, but this is %s",
            value_describe(e, &v));
  return false;
}

static bool bound(Elab *e, NameScope *s, const AstExpr *x, bool *has, int64_t *out) {
  *has = false;
  return !x || bound_value(e, x, eval_expr(e, s, x), has, out);
}

/* Which of a list's values it is has to be known. */
static bool is_known_here(Elab *e, const AstExpr *x, const Value *v) {
  if (!x || (v->kind != V_TENSOR && v->kind != V_VAR)) return true;
  elab_fail(e, x->span,
            "a list takes a subscript that is known at compile time, but this is %s; "
            "`stack(list)[i]` picks one of equal tensors at run time",
            value_describe(e, v));
  return false;
}

/* A bound of a slice as Python clips it; `least` is where one before the first element ends up. */
static int64_t clip(int64_t i, int64_t n, int64_t least) {
  if (i < 0) i += n;
  return i < least ? least : i > n + least ? n + least : i;
}

static Value list_slice(Elab *e, const ValueList *l, int64_t a, int64_t b, int64_t step) {
  const int64_t way = b - a, most = way / step + (way % step != 0);
  const int n = (way > 0) == (step > 0) ? (int)most : 0;
  if (step == 1) return value_list(e, l->at + (n ? a : 0), n);
  Value *at = arena_array(e->arena, Value, n);
  for (int i = 0; i < n; i++) at[i] = l->at[a + i * step];
  return value_list(e, at, n);
}

static Value list_index(Elab *e, NameScope *s, const AstExpr *x, const ValueList *l) {
  const Sub *sub = &x->subs.at[0];
  bool has_a, has_b, has_step;
  int64_t a = 0, b = l->n, step = 1;
  if (x->subs.n != 1 || sub->rest)
    return elab_fail(e, x->span, "a list takes one subscript: list[i] or list[a:b]");
  const Value begin = sub->begin ? eval_expr(e, s, sub->begin) : (Value){.kind = V_NONE};
  if (!sub->slice && !is_known_here(e, sub->begin, &begin)) return value_error;
  if (!bound_value(e, sub->begin, begin, &has_a, &a) || !bound(e, s, sub->end, &has_b, &b) ||
      !bound(e, s, sub->step, &has_step, &step))
    return value_error;
  if (!sub->slice) {
    if (!has_a) return elab_fail(e, sub->span, "a list takes an integer as its subscript");
    if (a < -(int64_t)l->n || a >= l->n)
      return elab_fail(e, sub->span, "there is no element %ld in a list of %d", (long)a, l->n);
    return l->at[a < 0 ? a + l->n : a];
  }
  if (!has_step) step = 1;
  if (step == 0) return elab_fail(e, sub->step->span, "the step of a slice cannot be 0");
  const int64_t least = step < 0 ? -1 : 0, first = step < 0 ? l->n - 1 : 0;
  a = has_a ? clip(a, l->n, least) : first;
  b = has_b ? clip(b, l->n, least) : step < 0 ? -1 : l->n;
  return list_slice(e, l, a, b, step);
}

static Value family_index(Elab *e, NameScope *s, const AstExpr *x, const Family *f) {
  const Sub *sub = &x->subs.at[0];
  if (x->subs.n != 1 || sub->rest || sub->slice)
    return elab_fail(e, x->span, "%s[...] takes one key", f->path);
  Value v = eval_expr(e, s, sub->begin);
  const char *key = variable_key(e, &v, sub->span);
  if (!key && v.kind == V_TENSOR) lookup_note_value(e, s, sub->begin);
  if (!key) return value_error;
  int var = lookup_get(&f->members, name_of(e->names, key, strlen(key)));
  if (var) return stack_family_row(e, f, var - 1);
  return elab_fail(e, sub->span, "there is no variable %s[%s]", f->path, key);
}

/* -------- subscripts of tensors -------- */

/* What remains to be done on the sliced tensor: a new dim, or rows picked by a tensor; several
 * tensors pick together, of dims that do not stand side by side as if these came first. `dim`
 * counts in the sliced tensor. */
typedef struct Later {
  int dim, of;  /* of the sliced tensor, of the tensor */
  NodeId index; /* NO_NODE: a new dim */
  Span span;
} Later;

typedef struct Subscripting {
  Subscript sub[MAX_RANK];
  int n;   /* dims of the tensor seen so far */
  int dim; /* dims of the sliced tensor so far */
  Later later[2 * MAX_RANK];
  int nlater, ntensors;
  bool apart;   /* the dims of its tensors are not side by side */
  bool running; /* one begins at a position known while running */
  bool by_row;  /* a slice begins at a list of such positions */
} Subscripting;

/* A scalar of integers that a subscript begins or ends at. */
static bool is_position(Elab *e, const Value *v) {
  if (v->kind != V_TENSOR) return false;
  const Node *n = graph_node(e->at->build.graph, v->node);
  return dtype_is_int(n->dtype) && n->shape.rank == 0;
}

/* A list of integers, one for each row of another dim. */
static bool is_list(Elab *e, const Value *v) {
  if (v->kind != V_TENSOR) return false;
  const Node *n = graph_node(e->at->build.graph, v->node);
  return dtype_is_int(n->dtype) && n->shape.rank == 1;
}

/* x[i : i + 4]: how far the end is from the begin must be seen in the two expressions. */
static bool running_slice(Elab *e, const Sub *x, const Value *begin, const Value *end,
                          Subscripting *t, Subscript *u) {
  const Value *const both[] = {begin, end};
  const bool lists = is_list(e, begin) && is_list(e, end);
  for (int i = 0; i < 2 && !lists; i++)
    if (both[i]->kind == V_TENSOR && !is_position(e, both[i])) {
      elab_fail(e, (i ? x->end : x->begin)->span,
                "the bounds of a slice are integers or scalar tensors of an integer type, but this "
                "is %s",
                value_describe(e, both[i]));
      return false;
    }
  t->by_row = t->by_row || lists;
  u->running = begin->kind == V_TENSOR && end->kind == V_TENSOR &&
               position_distance(e->at->build.graph, begin->node, end->node, &u->end);
  u->has_begin = u->has_end = true;
  u->at = begin->node;
  if (!u->running)
    elab_fail(e, x->span,
              "the size of this slice is not known at compile time: write its end as its begin "
              "plus a constant, as in x[i : i + 4]");
  return u->running;
}

static bool one_slice(Elab *e, NameScope *s, const Sub *x, Subscripting *t) {
  Subscript *u = &t->sub[t->n];
  const AstExpr *const given[] = {x->begin, x->end};
  Value v[2] = {value_none, value_none};
  bool has_step;
  *u = (Subscript){.span = x->span, .whole = !x->begin && !x->end && !x->step, .step = 1};
  for (int i = 0; i < 2; i++) {
    if (given[i]) v[i] = eval_read(e, eval_expr(e, s, given[i]), given[i]->span);
    if (v[i].kind == V_ERROR) return false;
  }
  if (!bound(e, s, x->step, &has_step, &u->step)) return false;
  if (has_step && u->step == 0) {
    elab_fail(e, x->step->span, "the step of a slice cannot be 0");
    return false;
  }
  if (!has_step) u->step = 1;
  t->n++, t->dim++;
  if (v[0].kind == V_TENSOR || v[1].kind == V_TENSOR)
    return t->running = true, running_slice(e, x, &v[0], &v[1], t, u);
  return bound_value(e, x->begin, v[0], &u->has_begin, &u->begin) &&
         bound_value(e, x->end, v[1], &u->has_end, &u->end);
}

static Value position_outside(Elab *e, Span at, int64_t i, int64_t size) {
  return elab_fail(e, at, "index %ld is out of range for a dim of size %ld", (long)i, (long)size);
}

/* [0, 2, -1], also nested, for a dim of `size`: as numbers from 0 on. */
static bool list_positions(Elab *e, const ValueList *list, int64_t size, Span at, Value *to) {
  ValueList *l = arena_new_of(e->arena, ValueList);
  Value *v = arena_array(e->arena, Value, list->n + 1);
  for (int i = 0; i < list->n; i++) {
    v[i] = list->at[i];
    if (v[i].kind == V_LIST) {
      if (!list_positions(e, v[i].list, size, at, &v[i])) return false;
      continue;
    }
    if (v[i].kind != V_INT) {
      elab_fail(e, at, "a list as a subscript has integers, but this has %s",
                value_describe(e, &v[i]));
      return false;
    }
    if (v[i].i < -size || v[i].i >= size) {
      position_outside(e, at, v[i].i, size);
      return false;
    }
    if (v[i].i < 0) v[i].i += size;
  }
  *l = (ValueList){v, list->n};
  *to = (Value){.kind = V_LIST, .list = l};
  return true;
}

/* [i, i + 1, 0]: some of it are positions known while running. */
static bool has_positions(Elab *e, const ValueList *l) {
  bool some = false;
  for (int i = 0; i < l->n; i++) {
    if (l->at[i].kind != V_INT && !is_position(e, &l->at[i])) return false;
    some = some || l->at[i].kind == V_TENSOR;
  }
  return some;
}

static Value stacked_positions(Elab *e, const ValueList *l, int64_t size, Span at) {
  Build *b = &e->at->build;
  Arg list = {.kind = ARG_LIST, .n = l->n, .at = arena_array(e->arena, Arg, l->n), .span = at};
  for (int i = 0; i < l->n; i++) {
    const int64_t v = l->at[i].kind == V_INT ? l->at[i].i : 0;
    if (v < -size || v >= size) return position_outside(e, at, v, size);
    const NodeId node = l->at[i].kind == V_INT ? build_whole(b, DT_I64, v < 0 ? v + size : v)
                                               : build_cast(b, l->at[i].node, DT_I64);
    list.at[i] = (Arg){.kind = ARG_TENSOR, .node = node, .span = at};
  }
  const Arg out = build_call(b, op_find("stack"), (Arg[]){list, {.kind = ARG_INT, .span = at}});
  return out.kind == ARG_TENSOR ? value_node(out.node) : value_error;
}

/* A list as a tensor. */
static bool list_subscript(Elab *e, const Sub *x, int64_t size, Value *v) {
  Arg list;
  e->at->build.span = x->span;
  if (has_positions(e, v->list)) {
    *v = stacked_positions(e, v->list, size, x->span);
    return v->kind == V_TENSOR;
  }
  if (!list_positions(e, v->list, size, x->span, v) || !builtin_arg(e, v, x->span, &list))
    return false;
  *v = value_node(build_tensor(&e->at->build, &list, DT_I64));
  return v->kind == V_TENSOR;
}

static bool is_mask(Elab *e, const Value *v) {
  return v->kind == V_TENSOR && graph_node(e->at->build.graph, v->node)->dtype == DT_BOOL;
}

static bool one_index(Elab *e, NameScope *s, const Sub *x, Subscripting *t, const Shape *shape) {
  Value v = eval_read(e, eval_expr(e, s, x->begin), x->span);
  if (v.kind == V_ERROR) return false;
  const int rank = shape->rank;
  const bool new_dim = v.kind == V_NONE;
  if (!new_dim && t->n == rank) {
    elab_fail(e, x->span, "the tensor has only %d dim%s", rank, rank == 1 ? "" : "s");
    return false;
  }
  if (v.kind == V_LIST && !list_subscript(e, x, shape->dim[t->n], &v)) return false;
  if (is_mask(e, &v)) {
    elab_fail(e, x->span,
              "a mask is not a subscript: how many elements it takes is known only while running. "
              "`where(mask, x, 0)` keeps the shape");
    return false;
  }
  const bool picked = v.kind == V_TENSOR;
  const Node *n = picked ? graph_node(e->at->build.graph, v.node) : NULL;
  if (n && !dtype_is_int(n->dtype)) {
    elab_fail(e, x->span, "a position is an integer, not %s", type_text(e, n->dtype, &n->shape));
    return false;
  }
  if (is_position(e, &v)) {
    t->running = true;
    t->sub[t->n++] =
        (Subscript){.span = x->span, .drop = true, .running = true, .step = 1, .at = v.node};
    return true;
  }
  if (new_dim || picked) {
    const Later *last = t->nlater ? &t->later[t->nlater - 1] : NULL;
    const bool beside = last && last->index != NO_NODE && last->dim + 1 == t->dim;
    if (t->nlater == 2 * MAX_RANK) {
      elab_fail(e, x->span, "too many new dims");
      return false;
    }
    if (picked && t->ntensors++ && !beside) t->apart = true;
    t->later[t->nlater++] = (Later){t->dim, t->n, new_dim ? NO_NODE : v.node, x->span};
    if (picked) t->sub[t->n++] = (Subscript){.span = x->span, .whole = true, .step = 1}, t->dim++;
    return true;
  }
  if (v.kind != V_INT) {
    elab_fail(e, x->span,
              "a subscript is an integer, a slice, or a list or tensor of integers, but this is "
              "%s",
              value_describe(e, &v));
    return false;
  }
  t->sub[t->n++] = (Subscript){.span = x->span, .drop = true, .begin = v.i, .step = 1};
  return true;
}

/* How many dims of the tensor the subscripts name: all but `...` and the literal `none`. */
static int named_dims(const AstExpr *x) {
  int n = 0;
  for (int i = 0; i < x->subs.n; i++)
    n += !x->subs.at[i].rest && (x->subs.at[i].slice || x->subs.at[i].begin->kind != EX_NONE);
  return n;
}

static bool read_subs(Elab *e, NameScope *s, const AstExpr *x, Subscripting *t, NodeId base) {
  const Shape shape = graph_node(e->at->build.graph, base)->shape;
  const int rank = shape.rank;
  int rests = 0;
  for (int i = 0; i < x->subs.n; i++) {
    const Sub *sub = &x->subs.at[i];
    if (sub->rest) {
      if (rests++) {
        elab_fail(e, sub->span, "`...` may occur only once among the subscripts");
        return false;
      }
      for (int more = rank - named_dims(x); more > 0 && t->n < rank; more--, t->dim++)
        t->sub[t->n++] = (Subscript){.span = sub->span, .whole = true, .step = 1};
      continue;
    }
    if (sub->slice && t->n == rank) {
      elab_fail(e, sub->span, "the tensor has only %d dim%s", rank, rank == 1 ? "" : "s");
      return false;
    }
    if (sub->slice ? !one_slice(e, s, sub, t) : !one_index(e, s, sub, t, &shape)) return false;
  }
  for (int i = 0; t->apart && i < t->nlater; i++)
    if (t->later[i].index == NO_NODE) {
      elab_fail(e, t->later[i].span,
                "no new dim stands beside tensors or lists for dims that are not side by side: "
                "give the result its new dim, as in expand(x[i, :, j], 1)");
      return false;
    }
  return true;
}

/* x[iota(n), :, at] and x[iota(n), at : at + 4] where the list `at` has n positions: each row has a
 * window of its own. The lists that pick become positions by row; false: they are others. The rows'
 * dim is the first that a list names, and in the result where it is in the tensor. */
static bool goes_by_row(Elab *e, NodeId base, Subscripting *t) {
  Build *b = &e->at->build;
  const Node *x = graph_node(b->graph, base);
  const int row = t->nlater ? t->later[0].of : 0;
  const Shape list = {1, {x->shape.rank ? x->shape.dim[row] : 0}};
  bool other = t->by_row, fits = t->nlater && build_is_iota(b, t->later[0].index, list.dim[0]);
  for (int d = 0; fits && t->apart && d < row; d++) fits = t->sub[d].drop;
  for (int i = 1; fits && i < t->nlater; i++) {
    other = true;
    fits = t->later[i].index != NO_NODE &&
           shape_equal(&graph_node(b->graph, t->later[i].index)->shape, &list);
  }
  for (int d = 0; fits && d < t->n; d++) {
    const Subscript *u = &t->sub[d];
    if (u->running && graph_node(b->graph, u->at)->shape.rank)
      fits = d > row && shape_equal(&graph_node(b->graph, u->at)->shape, &list);
  }
  if (!fits || !other) return false;
  for (int i = 1; i < t->nlater; i++) {
    Subscript *u = &t->sub[t->later[i].of];
    *u = (Subscript){
        .span = u->span, .drop = true, .running = true, .step = 1, .at = t->later[i].index};
  }
  for (int d = 0; d < t->n; d++)
    if (t->sub[d].running && graph_node(b->graph, t->sub[d].at)->shape.rank)
      t->sub[d].rows = row + 1;
  t->nlater = 0, t->running = true, t->apart = false;
  return true;
}

static bool slices_fit(Elab *e, NodeId base, Subscripting *t, Span at) {
  if (!t->by_row || goes_by_row(e, base, t)) return true;
  elab_fail(e, at,
            "a slice at a list of positions takes one for each row of an earlier dim, all of whose "
            "rows `iota` names: x[iota(4), :, at : at + 2] for 4 rows and positions");
  return false;
}

/* The dims that tensors pick rows of come first. */
static NodeId picked_first(Build *b, const Subscripting *t, NodeId y) {
  const int rank = y == NO_NODE ? 0 : graph_node(b->graph, y)->shape.rank;
  Arg at[MAX_RANK];
  int n = 0;
  for (int first = 1; first >= 0; first--)
    for (int d = 0; d < rank; d++) {
      bool picked = false;
      for (int i = 0; i < t->nlater; i++) picked = picked || t->later[i].dim == d;
      if (picked != first) continue;
      at[n++] = (Arg){.kind = ARG_INT, .i = d, .real = d, .span = b->span};
    }
  if (y == NO_NODE) return y;
  const Arg x = {.kind = ARG_TENSOR, .node = y, .span = b->span};
  const Arg dims = {.kind = ARG_LIST, .n = rank, .at = at, .span = b->span};
  const Arg out = build_call(b, op_find("transpose"), (Arg[]){x, dims});
  return out.kind == ARG_TENSOR ? out.node : NO_NODE;
}

/* The tensors that pick together, of which number *i is the last: from the first one on, which *i
 * becomes. */
static int picks(const Subscripting *t, int *i, NodeId index[MAX_RANK]) {
  const int end = *i + 1;
  while (*i > 0 && t->later[*i - 1].index != NO_NODE) --*i;
  for (int k = *i; k < end; k++) index[k - *i] = t->later[k].index;
  return end - *i;
}

static Value tensor_index(Elab *e, NameScope *s, const AstExpr *x, NodeId base) {
  Build *b = &e->at->build;
  Subscripting t = {0};
  if (!x->subs.n) return elab_fail(e, x->span, "a subscript is missing between the brackets");
  if (!read_subs(e, s, x, &t, base) || !slices_fit(e, base, &t, x->span)) return value_error;
  b->span = x->span;
  if (t.running) base = build_window(b, base, t.n, t.sub);
  NodeId y = build_subscript(b, base, t.n, t.sub);
  if (t.apart) y = picked_first(b, &t, y);
  /* From the last: what is done to a dim does not move those before it. */
  for (int i = t.nlater; i-- > 0 && y != NO_NODE;) {
    const Later *l = &t.later[i];
    if (l->index != NO_NODE) {
      NodeId index[MAX_RANK];
      const int n = picks(&t, &i, index);
      y = build_pick(b, y, t.apart ? 0 : t.later[i].dim, n, index);
      continue;
    }
    Arg dim = {.kind = ARG_INT, .i = l->dim, .real = l->dim, .span = l->span};
    Arg tensor = {.kind = ARG_TENSOR, .node = y, .span = x->x->span};
    Arg out = build_call(b, op_find("expand"), (Arg[]){tensor, dim});
    y = out.kind == ARG_TENSOR ? out.node : NO_NODE;
  }
  return value_node(y);
}

/* Rows of what the other subscripts take are written, and it is put back. */
static NodeId put_rows(Build *b, NodeId base, const Subscripting *t, const Arg *value) {
  Subscript sub[MAX_RANK];
  NodeId index[MAX_RANK], part = base;
  int last = t->nlater - 1, dim[MAX_RANK];
  memcpy(sub, t->sub, sizeof sub);
  if (t->running) part = build_window(b, base, t->n, sub);
  part = build_subscript(b, part, t->n, sub);
  const int n = picks(t, &last, index);
  for (int k = 0; k < n; k++) dim[k] = t->later[last + k].dim;
  if (part == NO_NODE) return part;
  bool whole = true; /* the other subscripts take all */
  for (int d = 0; d < t->n; d++) whole = whole && t->sub[d].whole;
  part = build_put_rows(b, part, n, dim, index, t->apart ? 0 : dim[0], value, whole);
  if (part == NO_NODE) return part;
  return build_put(b, base, t->n, t->sub,
                   &(Arg){.kind = ARG_TENSOR, .node = part, .span = value->span});
}

Value operate_put(Elab *e, NameScope *s, const AstExpr *x, NodeId base, Value v, Span at) {
  Build *b = &e->at->build;
  Subscripting t = {0};
  Arg value;
  if (!x->subs.n) return elab_fail(e, x->span, "a subscript is missing between the brackets");
  if (!read_subs(e, s, x, &t, base)) return value_error;
  for (int i = 0; i < t.nlater; i++)
    if (t.later[i].index == NO_NODE)
      return elab_fail(e, t.later[i].span, "what is written has no new dims");
  v = eval_read(e, v, at);
  if (v.kind == V_ERROR || !builtin_arg(e, &v, at, &value)) return value_error;
  b->span = x->span;
  if (!slices_fit(e, base, &t, x->span)) return value_error;
  if (t.nlater) goes_by_row(e, base, &t);
  return value_node(t.nlater ? put_rows(b, base, &t, &value)
                             : build_put(b, base, t.n, t.sub, &value));
}

Value operate_index(Elab *e, NameScope *s, const AstExpr *x, Value base) {
  if (base.kind == V_LIST && x->subs.n) return list_index(e, s, x, base.list);
  if (base.kind == V_FAMILY && x->subs.n) return family_index(e, s, x, base.family);
  if (value_stack(&base) && x->subs.n == 1 && !x->subs.at[0].slice && !x->subs.at[0].rest)
    return stack_index(e, x, base.instance, eval_expr(e, s, x->subs.at[0].begin));
  base = eval_read(e, base, x->x->span);
  if (base.kind == V_TENSOR) return tensor_index(e, s, x, base.node);
  if (base.kind == V_ERROR) return base;
  elab_fail(e, x->span, "%s takes no subscript", value_describe(e, &base));
  lookup_note(e, s, x->x, "bound here");
  return value_error;
}
