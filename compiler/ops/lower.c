/* The index maps of ops, and the few ops that use the index itself. An index into a tensor is one
 * into the block that a device holds, so a map goes through the global index: + offset of the
 * result's block, the map, - offset of the operand's. Elementwise ops need no map. */
#include "opdefs.h"
#include "op_list.h"
#include "plan.h"
#include <math.h>
#include <string.h>

static const Node *operand(const Lower *l, const Node *n, int k) {
  return graph_operand(l->g, n, k);
}

static Expr global(Lower *l, const Node *n, int d, Expr i) {
  return expr_add(l->x, i, l->offset(l, n, d));
}
static Expr local(Lower *l, const Node *n, int d, Expr i) {
  return expr_sub(l->x, i, l->offset(l, n, d));
}
static Expr number(Lower *l, int64_t v) { return expr_int(l->x, v); }

static At none(void) { return (At){.flat = NO_EXPR}; }

/* The number that a node has: integers are in `whole`, a truth value is in `value`. */
static Expr fill(Lower *l, const Node *n) {
  const DType t = n->dtype;
  return expr_number(l->x, t, dtype_is_float(t) ? n->value : 0,
                     t == DT_BOOL ? n->value != 0 : n->whole);
}

/* A device that does not own what is looked up adds this to what the others find: adding -0 changes
 * nothing, where adding 0 would make a 0 of a -0. */
static Expr nothing(Lower *l, const Node *n) { return expr_number(l->x, n->dtype, -0.0, 0); }

static Expr choose(Lower *l, Expr cond, Expr v, Expr other) {
  const Expr arg[] = {cond, v, other};
  return expr_select(l->x, 3, arg);
}

/* -------- dims in another order -------- */

Expr lower_const(Lower *l, NodeId id, const At *at) {
  (void)at;
  return fill(l, graph_node(l->g, id));
}

Expr lower_broadcast(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  At in = none();
  if (at->flat != NO_EXPR) in.flat = number(l, 0); /* of one element */
  for (int d = 0; at->flat == NO_EXPR && d < operand(l, n, 0)->shape.rank; d++) {
    const int to = (int)node_attrs(n, "dims")[d];
    in.dim[d] = at->dim[to];
    if (l->behind) in.dim[d] = expr_add(l->x, in.dim[d], l->behind(l, n, to, operand(l, n, 0), d));
  }
  return l->value(l, n->operand[0], &in);
}

Expr lower_transpose(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  At in = none();
  for (int d = 0; d < n->shape.rank; d++) in.dim[node_attrs(n, "perm")[d]] = at->dim[d];
  return l->value(l, n->operand[0], &in);
}

/* An element lies where it did. */
Expr lower_transpose_view(Lower *l, NodeId id, const At *at) {
  if (at->flat == NO_EXPR) return lower_transpose(l, id, at);
  const At in = {.flat = at->flat};
  return l->value(l, graph_node(l->g, id)->operand[0], &in);
}

/* Dims that are the same pass; the others go by the flat index, which divisions take apart. */
Expr lower_reshape(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  const int nr = n->shape.rank, xr = x->shape.rank;
  At in = {.flat = at->flat};
  int i = 0, j = 0;
  if (at->flat != NO_EXPR) return l->value(l, n->operand[0], &in);
  for (int d = 0; d < xr; d++) in.dim[d] = number(l, 0);
  for (;;) {
    while (i < nr && n->shape.dim[i] == 1) i++;
    while (j < xr && x->shape.dim[j] == 1) j++;
    if (i == nr || j == xr || n->shape.dim[i] != x->shape.dim[j]) break;
    in.dim[j++] = at->dim[i++];
  }
  Expr rest = number(l, 0);
  for (int d = i; d < nr; d++)
    rest = expr_add(l->x, expr_mul(l->x, rest, l->extent(l, n, d)), at->dim[d]);
  for (int d = xr - 1; d >= j && i < nr; d--) {
    const Expr len = l->extent(l, x, d);
    int64_t one;
    if (expr_is_int(l->x, len, &one) && one == 1) continue;
    in.dim[d] = d == j ? rest : expr_mod(l->x, rest, len);
    rest = expr_div(l->x, rest, len);
  }
  return l->value(l, n->operand[0], &in);
}

/* -------- shifted: the operand may be a larger box than the result asks for, along any dim -------- */

/* Of the operand, where the index of a dim is the same. */
static Expr same_place(Lower *l, const Node *n, const Node *x, int d, const At *at) {
  return local(l, x, d, global(l, n, d, at->dim[d]));
}

Expr lower_slice(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  const int rank = n->shape.rank;
  At in = none();
  for (int d = 0; d < rank; d++) {
    const int64_t start = node_attrs(n, "begin")[d], step = node_attrs(n, "step")[d];
    in.dim[d] = same_place(l, n, x, d, at);
    if (!start && step == 1 && n->shape.dim[d] == x->shape.dim[d]) continue;
    const Expr i = expr_scale(l->x, global(l, n, d, at->dim[d]), step);
    in.dim[d] = local(l, x, d, expr_add(l->x, i, number(l, start)));
  }
  return l->value(l, n->operand[0], &in);
}

Expr lower_reverse(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  At in = none();
  for (int d = 0; d < n->shape.rank; d++) {
    in.dim[d] = same_place(l, n, x, d, at);
    if (!(node_attr(n, "axis") & 1 << d)) continue;
    const Expr last = number(l, n->shape.dim[d] - 1);
    in.dim[d] = local(l, x, d, expr_sub(l->x, last, global(l, n, d, at->dim[d])));
  }
  return l->value(l, n->operand[0], &in);
}

/* From dim d on. Of a block with what is around it there is one place; a whole dim is read in two
 * parts. */
static Expr rolled(Lower *l, const Node *n, int d, const At *at, At *in) {
  const Node *x = operand(l, n, 0);
  while (d < n->shape.rank && !node_attrs(n, "shift")[d]) d++;
  if (d == n->shape.rank) return l->value(l, n->operand[0], in);
  const int64_t size = n->shape.dim[d], by = node_attrs(n, "shift")[d];
  const Expr i = global(l, n, d, at->dim[d]);
  if (x->layout->dim[d].window.cyclic) {
    in->dim[d] = local(l, x, d, expr_add(l->x, i, number(l, roll_from(by, size))));
    return rolled(l, n, d + 1, at, in);
  }
  in->dim[d] = local(l, x, d, expr_add(l->x, i, number(l, size - by)));
  const Expr end = rolled(l, n, d + 1, at, in);
  in->dim[d] = local(l, x, d, expr_sub(l->x, i, number(l, by)));
  const Expr begin = rolled(l, n, d + 1, at, in);
  return choose(l, expr_compare(l->x, EXPR_LESS, i, number(l, by)), end, begin);
}

Expr lower_roll(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  At in = none();
  for (int d = 0; d < n->shape.rank; d++) in.dim[d] = same_place(l, n, x, d, at);
  return rolled(l, n, 0, at, &in);
}

Expr lower_pad(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  const int rank = n->shape.rank;
  At in = none();
  Expr inside = number(l, 1);
  for (int d = 0; d < rank; d++) {
    const int64_t lo = node_attrs(n, "before")[d], hi = node_attrs(n, "after")[d],
                  gap = node_attrs(n, "between")[d] + 1;
    in.dim[d] = same_place(l, n, x, d, at);
    if (!lo && !hi && gap == 1) continue;
    Expr i = expr_sub(l->x, global(l, n, d, at->dim[d]), number(l, lo));
    if (lo > 0 || gap > 1)
      inside = expr_and(l->x, inside, expr_compare(l->x, EXPR_LEAST, i, number(l, 0)));
    if (hi > 0) {
      const Expr end = number(l, (x->shape.dim[d] - 1) * gap + 1);
      inside = expr_and(l->x, inside, expr_compare(l->x, EXPR_LESS, i, end));
    }
    if (x->shape.dim[d] == 0) inside = expr_and(l->x, inside, number(l, 0));
    if (gap > 1) {
      const Expr between = expr_mod(l->x, i, number(l, gap));
      inside = expr_and(l->x, inside, expr_compare(l->x, EXPR_EQUAL, between, number(l, 0)));
      i = expr_div(l->x, i, number(l, gap));
    }
    in.dim[d] = local(l, x, d, i);
  }
  if (expr_is_true(l->x, inside)) return l->value(l, n->operand[0], &in);
  if (expr_is_false(l->x, inside)) return fill(l, n);
  return choose(l, inside, l->value(l, n->operand[0], &in), fill(l, n));
}

Expr lower_concat(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  const int dim = (int)node_attr(n, "axis");
  const Expr i = global(l, n, dim, at->dim[dim]);
  Expr *arg = arena_array(l->x->arena, Expr, 2 * n->noperands + 1);
  int64_t begin = 0;
  int k = 0;
  for (int p = 0; p < n->noperands; p++) {
    const Node *x = operand(l, n, p);
    if (!x->shape.dim[dim]) continue;
    At in = none();
    for (int d = 0; d < n->shape.rank; d++) in.dim[d] = same_place(l, n, x, d, at);
    in.dim[dim] = local(l, x, dim, expr_sub(l->x, i, number(l, begin)));
    begin += x->shape.dim[dim];
    const Expr before_end = expr_compare(l->x, EXPR_LESS, i, number(l, begin));
    if (expr_is_false(l->x, before_end)) continue;
    arg[k++] = before_end;
    arg[k++] = l->value(l, n->operand[p], &in);
    if (expr_is_true(l->x, before_end)) break;
  }
  if (!k) return expr_number(l->x, n->dtype, 0, 0);
  arg[k - 2] = arg[k - 1]; /* whatever is behind the others is the last's */
  return expr_select(l->x, k - 1, arg);
}

/* -------- looked up -------- */

static Expr owned(Lower *l, const Node *x, int dim, Expr i) {
  const Expr arg[] = {i, l->offset(l, x, dim), l->extent(l, x, dim)};
  return expr_call(l->x, "dtrt_owns", DT_BOOL, 3, arg, 0, 1);
}

/* Read at indices that are data, from memory; a constant has none. */
static Expr from_memory(Lower *l, NodeId id, const At *at) {
  return node_is_const(graph_node(l->g, node_base(l->g, id))) ? l->value(l, id, at)
                                                              : l->load(l, id, at);
}

/* An index into a dim of `size`, checked where it may lie outside. */
static Expr index_at(Lower *l, NodeId id, Expr i, int64_t size) {
  const Expr checked = expr_index(l->x, i, 0, size);
  if (expr_node(l->x, checked)->kind != EXPR_CALL || !index_lies_within(l->g, id, size))
    return checked;
  return expr_call(l->x, "dtrt_at", DT_I64, 1, &i, 0, size - 1);
}

Expr lower_gather(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *t = operand(l, n, 0), *x = operand(l, n, 1);
  const int dim = (int)node_attr(n, "axis"), ri = x->shape.rank;
  At in = none(), row = none();
  for (int d = 0; d < ri; d++) in.dim[d] = at->dim[dim + d];
  for (int d = 0; d < t->shape.rank; d++) row.dim[d] = at->dim[d < dim ? d : d + ri - 1];
  const Expr i = l->value(l, n->operand[1], &in),
             found = index_at(l, n->operand[1], i, t->shape.dim[dim]);
  if (!t->layout->dim[dim].naxes) {
    row.dim[dim] = found;
    return from_memory(l, n->operand[0], &row);
  }
  row.dim[dim] = local(l, t, dim, i);
  return choose(l, owned(l, t, dim, found), from_memory(l, n->operand[0], &row), nothing(l, n));
}

/* An operand of a product: where it is a part of a tensor, it is read there. */
static Expr factor(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  const bool part = part_operand(l->g, n) >= 0 && !op_is(n, OPF_CHOICE);
  return part ? l->value(l, id, at) : from_memory(l, id, at);
}

/* In sequence along the one dim that is summed, each product rounded with its sum, as the kernels
 * add so few (docs/sums.md). */
Expr lower_small_contract(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0), *y = operand(l, n, 1);
  const Letters letters = product_letters(l->g, n);
  const char *add = n->dtype == DT_F64 ? "dtrt_add_product_f64" : "dtrt_add_product_f32";
  Expr index[26], sum = expr_number(l->x, n->dtype, 0, 0);
  for (int i = 0; i < 26; i++) index[i] = number(l, 0);
  for (int d = 0; d < n->shape.rank; d++) index[letters.out[d]] = at->dim[d];
  int64_t summed = 0, count = 1;
  for (int d = 0; d < x->shape.rank; d++)
    if (letters.in[letters.x[d]] == LETTER_SUMMED && x->shape.dim[d] != 1)
      summed = letters.x[d], count = x->shape.dim[d];
  for (int64_t i = 0; i < count; i++) {
    At in[2] = {none(), none()};
    if (count > 1) index[summed] = number(l, i);
    for (int d = 0; d < x->shape.rank; d++) in[0].dim[d] = index[letters.x[d]];
    for (int d = 0; d < y->shape.rank; d++) in[1].dim[d] = index[letters.y[d]];
    const Expr arg[] = {factor(l, n->operand[0], &in[0]), factor(l, n->operand[1], &in[1]), sum};
    sum = expr_call(l->x, add, n->dtype, 3, arg, INT64_MIN, INT64_MAX);
  }
  return sum;
}

Expr lower_position(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  const Expr i = l->value(l, n->operand[0], at);
  const int64_t reach = node_attr(n, "reach"), size = node_attr(n, "size");
  return expr_index(l->x, i, reach, size);
}

/* As gather, but the index has a place on every line. */
Expr lower_pick(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  const int dim = (int)node_attr(n, "axis");
  const Expr i = l->value(l, n->operand[1], at),
             found = index_at(l, n->operand[1], i, x->shape.dim[dim]);
  At in = *at;
  in.dim[dim] = found;
  if (!x->layout->dim[dim].naxes) return l->value(l, n->operand[0], &in);
  in.dim[dim] = local(l, x, dim, i);
  return choose(l, owned(l, x, dim, found), l->value(l, n->operand[0], &in), nothing(l, n));
}

/* Where operand k has the position that element `at` of n goes by. */
static At begin_at(Lower *l, const Node *n, int k, const At *at) {
  const Node *begin = operand(l, n, k);
  At in = none();
  for (int d = 0; d < begin->shape.rank; d++)
    in.dim[d] =
        begin->shape.dim[d] == 1 ? number(l, 0) : local(l, begin, d, global(l, n, d, at->dim[d]));
  return in;
}

/* Operand k, where a window of `size` elements begins in a dim of n; checked. */
static Expr window_begin(Lower *l, const Node *n, int k, const At *at, int64_t size, int64_t step,
                         int64_t of) {
  const At in = begin_at(l, n, k, at);
  const int64_t reach = (size - 1) * step;
  const Expr i = l->load(l, n->operand[k], &in);
  return expr_index(l->x, i, reach, of);
}

Expr lower_window(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  At in = *at;
  Expr here = number(l, 1);
  int k = 1;
  for (int d = 0; d < n->shape.rank; d++) {
    if (!(node_attr(n, "axis") >> d & 1)) continue;
    const int64_t step = node_attrs(n, "step")[d];
    const Expr begin = window_begin(l, n, k++, at, n->shape.dim[d], step, x->shape.dim[d]);
    const Expr i = expr_add(l->x, begin, expr_scale(l->x, global(l, n, d, at->dim[d]), step));
    in.dim[d] = local(l, x, d, i);
    if (x->layout->dim[d].naxes) here = expr_and(l->x, here, owned(l, x, d, i));
  }
  const Expr v = from_memory(l, n->operand[0], &in);
  return expr_is_true(l->x, here) ? v : choose(l, here, v, nothing(l, n));
}

/* A window that begins at data is another tensor's. */
Expr lower_put(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *v = operand(l, n, 1);
  At in = *at;
  Expr here = number(l, 1);
  int k = 2;
  for (int d = 0; d < n->shape.rank; d++) {
    if (!(node_attr(n, "axis") >> d & 1)) continue;
    const int64_t size = v->shape.dim[d], step = node_attrs(n, "step")[d];
    const Expr begin = window_begin(l, n, k++, at, size, step, n->shape.dim[d]);
    const Expr i = expr_sub(l->x, global(l, n, d, at->dim[d]), begin);
    in.dim[d] = number(l, 0);
    if (size == 1) {
      here = expr_and(l->x, here, expr_compare(l->x, EXPR_EQUAL, i, number(l, 0)));
      continue;
    }
    const Expr end = number(l, (size - 1) * step + 1);
    here = expr_and(l->x, here, expr_within(l->x, i, number(l, 0), end));
    if (step > 1) {
      const Expr between = expr_mod(l->x, i, number(l, step));
      here = expr_and(l->x, here, expr_compare(l->x, EXPR_EQUAL, between, number(l, 0)));
    }
    in.dim[d] = expr_div(l->x, i, number(l, step));
  }
  return choose(l, here, l->value(l, n->operand[1], &in), l->value(l, n->operand[0], at));
}

/* -------- rows of blocks -------- */

/* This device has one row, and the same block of the dim it is split from. Whole tensors (NULL: no
 * mesh) have all rows. */
static bool one_row(const Lower *l, const Node *rows, const Node *line, int dim) {
  const DimLayout *a = &rows->layout->dim[dim], *b = &line->layout->dim[dim];
  return l->mesh && dim_equal(a, b) && !a->window.of &&
         dim_parts(l->mesh, a) == rows->shape.dim[dim];
}

static Expr row_begin(Lower *l, Expr i, int64_t size, int64_t k) {
  const Expr arg[] = {i, number(l, size), number(l, k)};
  return expr_call(l->x, "dtrt_row", DT_I64, 3, arg, 0, size);
}

/* Element j of row i: the row begins at floor(i * n / k), and may be an element short. */
Expr lower_deal(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  const int dim = (int)node_attr(n, "axis");
  const Expr j = at->dim[dim + 1];
  Expr len;
  At in = none();
  for (int d = 0; d < n->shape.rank; d++)
    if (d != dim + 1) in.dim[d > dim ? d - 1 : d] = at->dim[d];
  if (one_row(l, n, x, dim)) {
    len = l->extent(l, x, dim);
    in.dim[dim] = j;
  } else {
    const int64_t size = x->shape.dim[dim], k = node_attr(n, "parts");
    const Expr i = global(l, n, dim, at->dim[dim]), from = row_begin(l, i, size, k);
    len = expr_sub(l->x, row_begin(l, expr_add(l->x, i, number(l, 1)), size, k), from);
    in.dim[dim] = local(l, x, dim, expr_add(l->x, from, j));
  }
  const Expr there = expr_compare(l->x, EXPR_LESS, j, len);
  return choose(l, there, l->value(l, n->operand[0], &in), fill(l, n));
}

Expr lower_undeal(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id), *x = operand(l, n, 0);
  const int dim = (int)node_attr(n, "axis");
  At in = none();
  for (int d = 0; d < n->shape.rank; d++) in.dim[d > dim ? d + 1 : d] = at->dim[d];
  if (one_row(l, x, n, dim)) {
    in.dim[dim] = number(l, 0);
    in.dim[dim + 1] = at->dim[dim];
  } else {
    const int64_t size = node_attr(n, "size"), k = x->shape.dim[dim];
    const Expr p = global(l, n, dim, at->dim[dim]), arg[] = {p, number(l, size), number(l, k)};
    const Expr row = expr_call(l->x, "dtrt_row_of", DT_I64, 3, arg, 0, k - 1);
    in.dim[dim + 1] = expr_sub(l->x, p, row_begin(l, row, size, k));
    in.dim[dim] = local(l, x, dim, row);
  }
  return l->value(l, n->operand[0], &in);
}

/* -------- made of the index -------- */

Expr lower_iota(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  const int d = (int)node_attr(n, "axis");
  return expr_count(l->x, n->dtype, global(l, n, d, at->dim[d]));
}

/* Element i of the whole tensor has draw i, whatever device makes it. */
Expr lower_random(Lower *l, NodeId id, const At *at) {
  const Node *n = graph_node(l->g, id);
  const int by_row = graph_operand(l->g, n, 0)->shape.rank;
  At first = none();
  Expr i = number(l, 0);
  if (by_row) first.dim[0] = at->dim[0];
  if (at->flat != NO_EXPR) {
    Expr before = n->shape.rank ? l->offset(l, n, 0) : i;
    for (int d = 1; d < n->shape.rank; d++) before = expr_mul(l->x, before, l->extent(l, n, d));
    i = expr_add(l->x, at->flat, before);
  }
  for (int d = by_row; at->flat == NO_EXPR && d < n->shape.rank; d++)
    i = expr_add(l->x, expr_scale(l->x, i, n->shape.dim[d]), global(l, n, d, at->dim[d]));
  return expr_random(l->x, n->op, n->dtype, l->key(l, n), l->value(l, n->operand[0], &first), i);
}

/* -------- of loops -------- */

const LoopOps loop_ops = {.add = &op_add,
                          .mul = &op_mul,
                          .max = &op_max,
                          .bit_or = &op_or,
                          .greater = &op_gt,
                          .less = &op_lt,
                          .equal = &op_eq,
                          .unequal = &op_ne,
                          .where = &op_where};

Op reduction_step(const Node *n) {
  const bool truth = n->dtype == DT_BOOL;
  switch (n->op->reduce) {
  case RED_SUM: return &op_add;
  case RED_PROD: return &op_mul;
  case RED_MAX: return truth ? &op_or : &op_max;
  default: return truth ? &op_and : &op_min;
  }
}

Scalar reduction_none(const Node *n) {
  const DType t = dtype_computed(n->dtype);
  const bool real = dtype_is_float(t);
  const Scalar none = {.kind = real ? NUM_REAL : t == DT_BOOL ? NUM_BOOL : NUM_INT};
  switch (n->op->reduce) {
  case RED_PROD: return (Scalar){none.kind, !real, real};
  case RED_MAX: return (Scalar){none.kind, real ? 0 : dtype_least(t), real ? -INFINITY : 0};
  case RED_MIN: return (Scalar){none.kind, real ? 0 : dtype_top(t), real ? INFINITY : 0};
  default: return none;
  }
}
