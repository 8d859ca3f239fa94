/* Ops along one dim: running sums as loops, sorting as a call of the runtime, and the scatter that
 * is take_along_axis's gradient. `distribute` has seen to it that the dim of a running sum and of a
 * sort is whole here. */
#include "emit_loop.h"
#include "sum_order.h"
#include "scan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need_placed(const Node *n) {
  if (node_attr(n, "placed")) return;
  fprintf(stderr, "dtgc: bug: %s was not placed by the pass distribute\n", n->op->name);
  abort();
}

/* One letter, as no tensor's name is; `i` is the dim that is summed along. */
static const char *letter(Loop *l, int d) { return arena_printf(l->e->arena, "%c", "jklpqrst"[d]); }

/* Opens loops over dims [from, to) of n where `at` is to have them; returns how many. */
static int open_dims(Loop *l, const Node *n, int from, int to, Index *at, const char *innermost) {
  int loops = 0, last = -1;
  for (int d = from; d < to; d++) {
    at->at[d] = is_number(loop_extent(l, n, d), 1) ? "0" : letter(l, d);
    if (strcmp(at->at[d], "0")) last = d;
  }
  for (int d = from; d < to; d++)
    if (strcmp(at->at[d], "0")) {
      const char *pragma = d == last ? innermost : "DTRT_OUTER";
      loop_open(l, at->at[d], loop_extent(l, n, d), pragma);
      loops++;
    }
  return loops;
}

/* -------- running sums -------- */

static const char *added(Emit *e, DType t, const char *a, const char *b) {
  if (dtype_is_int(t)) return arena_printf(e->arena, "dtrt_add_%s(%s, %s)", dtype_name(t), a, b);
  return arena_printf(e->arena, "%s + %s", a, loop_wrap(e, b));
}

/* The value of the operand, counted first so that what is wanted twice is computed once. */
static const char *operand(Loop *l, const Node *n, const Index *at) {
  loop_count(l, true);
  loop_value(l, n->operand[0], at);
  loop_count(l, false);
  return loop_value(l, n->operand[0], at);
}

/* Sums of floats over more than a block: the sum of the blocks before is `before`, that of the
 * block so far `acc` (docs/sums.md). */
static bool in_blocks(const Loop *l, const Node *n) {
  const int dim = (int)node_attr(n, "axis");
  return dtype_is_float(n->dtype) &&
         dim_block_most(l->e->mesh, &n->layout->dim[dim], n->shape.dim[dim]) > SUM_BLOCK;
}

static int levels_of(const Loop *l, const Node *n) {
  const int dim = (int)node_attr(n, "axis");
  return sum_levels(dim_block_most(l->e->mesh, &n->layout->dim[dim], n->shape.dim[dim]));
}

/* The summed dim is the innermost with a loop: the sum stays in a register. */
static void scan_line(Loop *l, NodeId id, Index *at, const char *place) {
  const Node *n = graph_node(l->g, id);
  int dim = (int)node_attr(n, "axis");
  const bool exclusive = node_attr(n, "exclusive"), blocks = in_blocks(l, n);
  const char *t = dtype_name(n->dtype), *so_far = blocks ? "before + acc" : "acc";
  str_line(&l->code, "%s acc = 0%s;", loop_type(n->dtype), blocks ? ", before = 0" : "");
  if (blocks) str_line(&l->code, "%s partial[%d];", loop_type(n->dtype), levels_of(l, n));
  loop_open(l, "i", loop_extent(l, n, dim), "");
  if (strcmp(place, "i")) str_line(&l->code, "const int64_t at = %s;", place);
  at->at[dim] = strcmp(place, "i") ? "at" : "i";
  const char *to = loop_element(l, id, at, true);
  const char *v = operand(l, n, at);
  if (exclusive) {
    /* The value is read before it may be overwritten. */
    str_line(&l->code, "const %s x = %s;", loop_type(n->dtype), v);
    str_line(&l->code, "%s = %s;", to, so_far);
    str_line(&l->code, "acc = %s;", added(l->e, n->dtype, "acc", "x"));
  } else {
    str_line(&l->code, "acc = %s;", added(l->e, n->dtype, "acc", v));
    str_line(&l->code, "%s = %s;", to, so_far);
  }
  if (blocks) {
    str_line(&l->code, "if ((i + 1) %% DTRT_SUM_BLOCK) continue;");
    str_line(&l->code, "dtrt_carry_sum_%s(partial, i / DTRT_SUM_BLOCK, &acc);", t);
    str_line(&l->code, "before = 0;");
    str_line(&l->code, "dtrt_fold_sum_%s(partial, i / DTRT_SUM_BLOCK + 1, &before);", t);
  }
  loop_close(l, 1);
}

/* The flat index of the dims inside the summed one; in *size how many elements they have. */
static const char *row_place(Loop *l, const Node *n, const Index *at, const char **size) {
  const char *stride = "1";
  Str s = str_new(l->e->arena);
  for (int d = n->shape.rank - 1; d > node_attr(n, "axis"); d--) {
    if (strcmp(at->at[d], "0"))
      str_printf(&s, is_number(stride, 1) ? "%s%s" : "%s%s * %s", s.n ? " + " : "", at->at[d],
                 stride);
    stride = emit_product(l->e, stride, emit_extent(l->e, &n->layout->dim[d], n->shape.dim[d]));
  }
  *size = loop_number(l, 'n', stride);
  return s.at;
}

/* Dims lie inside the summed one, and it has several blocks: `partial` holds the sum of the blocks
 * before, and then rows as dtrt_carry_row_sum_f32 has them. */
static void scan_blocks(Loop *l, NodeId id, Index *at) {
  const Node *n = graph_node(l->g, id);
  const int dim = (int)node_attr(n, "axis"), rank = n->shape.rank;
  const bool reverse = node_attr(n, "reverse"), exclusive = node_attr(n, "exclusive");
  const char *t = dtype_name(n->dtype), *len = loop_extent(l, n, dim), *size;
  l->partial = emit_partial(l->e, id);
  l->partial_type = n->dtype;
  const int zero = open_dims(l, n, dim + 1, rank, at, "DTRT_PLAIN");
  const char *place = row_place(l, n, at, &size);
  const char *before = arena_printf(l->e->arena, "partial[%s]", place),
             *own = arena_printf(l->e->arena, "own[%s]", place);
  str_line(&l->code, "%s = 0;", before);
  loop_close(l, zero);
  loop_open(l, "i", len, "DTRT_OUTER");
  str_line(&l->code, "const int64_t block = i / DTRT_SUM_BLOCK, at = %s;",
           reverse ? arena_printf(l->e->arena, "%s - 1 - i", len) : "i");
  str_line(&l->code, "%s *rows = partial + %s, *own = rows + block %% 2 * %s;", loop_type(n->dtype),
           size, size);
  str_line(&l->code, "if (i %% DTRT_SUM_BLOCK == 0) dtrt_zero(own, %s * %d);", size,
           dtype_size(n->dtype));
  const int loops = open_dims(l, n, dim + 1, rank, at, "DTRT_PLAIN");
  at->at[dim] = "at";
  const char *to = loop_element(l, id, at, true);
  str_line(&l->code, "const %s x = %s;", loop_type(n->dtype), operand(l, n, at));
  if (exclusive) str_line(&l->code, "%s = %s + %s;", to, before, own);
  str_line(&l->code, "%s = %s + x;", own, own);
  if (!exclusive) str_line(&l->code, "%s = %s + %s;", to, before, own);
  loop_close(l, loops);
  str_line(&l->code, "if ((i + 1) %% DTRT_SUM_BLOCK) continue;");
  str_line(&l->code, "if (block %% 2) dtrt_carry_row_sum_%s(rows, %s, %s, block);", t, size, size);
  str_line(&l->code, "dtrt_fold_row_sum_%s(partial, rows, %s, %s, block + 1, 0);", t, size, size);
  loop_close(l, 1);
}

/* Dims lie inside the summed one: each row of them is the one before it and what is added. */
static void scan_rows(Loop *l, NodeId id, Index *at) {
  const Node *n = graph_node(l->g, id);
  int dim = (int)node_attr(n, "axis"), rank = n->shape.rank;
  bool reverse = node_attr(n, "reverse"), exclusive = node_attr(n, "exclusive");
  const char *len = loop_extent(l, n, dim);
  Index from = *at;
  at->at[dim] = reverse ? arena_printf(l->e->arena, "%s - 1", len) : "0";
  int loops = open_dims(l, n, dim + 1, rank, at, "DTRT_PLAIN");
  const char *to = loop_element(l, id, at, true);
  str_line(&l->code, "%s = %s;", to, exclusive ? "0" : operand(l, n, at));
  loop_close(l, loops);
  loop_open(l, "i", arena_printf(l->e->arena, "%s - 1", len), "DTRT_OUTER");
  str_line(&l->code, "const int64_t row = %s, at = %s;",
           reverse ? arena_printf(l->e->arena, "%s - 1 - i", len) : "i",
           reverse ? "row - 1" : "row + 1");
  loops = open_dims(l, n, dim + 1, rank, at, "DTRT_PLAIN");
  at->at[dim] = "at";
  to = loop_element(l, id, at, true);
  from = *at;
  from.at[dim] = "row";
  const char *before = loop_element(l, id, &from, true);
  const char *v = operand(l, n, exclusive ? &from : at);
  str_line(&l->code, "%s = %s;", to, added(l->e, n->dtype, before, v));
  loop_close(l, loops + 1);
}

void emit_cumsum(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id);
  int dim = (int)node_attr(n, "axis"), rank = n->shape.rank;
  bool lines = true;
  Index at = {0};
  need_placed(n);
  l.code.indent = 1;
  if (n->shape.dim[dim] == 0) return;
  for (int d = dim + 1; d < rank; d++) {
    lines = lines && is_number(loop_extent(&l, n, d), 1);
    at.at[d] = "0";
  }
  int loops = open_dims(&l, n, 0, dim, &at, "DTRT_OUTER");
  if (!lines && in_blocks(&l, n))
    scan_blocks(&l, id, &at);
  else if (lines)
    scan_line(&l, id, &at,
              node_attr(n, "reverse")
                  ? arena_printf(e->arena, "%s - 1 - i", loop_extent(&l, n, dim))
                  : "i");
  else
    scan_rows(&l, id, &at);
  loop_close(&l, loops);
  loop_finish(&l, n->name ? n->name : "cumsum");
}

/* -------- sorting -------- */

void emit_order(Emit *e, NodeId id) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0);
  int dim = (int)node_attr(n, "axis");
  const char *outer = "1", *inner = "1";
  need_placed(n);
  for (int d = 0; d < n->shape.rank; d++) {
    const char *len = emit_extent(e, &n->layout->dim[d], n->shape.dim[d]);
    if (d < dim) outer = emit_product(e, outer, len);
    if (d > dim) inner = emit_product(e, inner, len);
  }
  const char *from = emit_pointer(e, n->operand[0]), *to = emit_pointer(e, id);
  char type[16];
  int i = 0;
  for (const char *c = dtype_name(x->dtype); *c; c++)
    type[i++] = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
  type[i] = 0;
  str_line(&e->body, "dtrt_order(DTRT_%s, %s, %ld, %s, %s, %ld, %d, (void *)%s);", type, outer,
           (long)x->shape.dim[dim], inner, from, (long)node_attr(n, "count"),
           (int)node_attr(n, "descending"), to);
}

/* -------- take_along_axis's gradient -------- */

void emit_unpick(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id), *u = graph_operand(l.g, n, 1);
  int dim = (int)node_attr(n, "axis");
  const char *t = dtype_name(n->dtype);
  Index at = {0};
  l.code.indent = 1;
  l.needs_dev = true;
  str_line(&l.code, "dtrt_zero(%s, %s * %d);", loop_pointer(&l, id, true),
           loop_number(&l, 'n', emit_count(e, n)), dtype_size(n->dtype));
  int loops = open_dims(&l, u, 0, u->shape.rank, &at, "");
  const char *index = loop_value(&l, n->operand[0], &at), *v = loop_value(&l, n->operand[1], &at);
  const char *lo = loop_offset(&l, n, dim);
  str_line(&l.code, "const int64_t row = dtrt_index(dev, %s, %s)%s%s;", index,
           loop_literal(&l, node_attr(n, "size")), is_number(lo, 0) ? "" : " - ",
           is_number(lo, 0) ? "" : lo);
  at.at[dim] = "row";
  const char *to = loop_element(&l, id, &at, true);
  if (loop_is_half(n->dtype))
    v = arena_printf(e->arena, "dtrt_f32_to_%s(dtrt_%s_to_f32(%s) + %s)", t, t, to, v);
  else
    v = added(e, n->dtype, to, v);
  str_line(&l.code, "if (row >= 0 && row < %s) %s = %s;", loop_extent(&l, n, dim), to, v);
  loop_close(&l, loops);
  loop_finish(&l, n->name ? n->name : "unpick");
}
