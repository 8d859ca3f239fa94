/* Ops along one dim: running sums as loops, and sorting as a call of the runtime. `distribute` has
 * seen to it that the dim of a running sum and of a sort is whole here. */
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

static const char *reversed(Loop *l, const Node *n, const char *len, const char *i) {
  if (!node_attr(n, "reverse")) return i;
  return arena_printf(l->e->arena, "%s - 1 - %s", len, i);
}

/* One step of a running sum: `so_far` is the sum with `acc` in it. */
static void scan_step(Loop *l, NodeId id, const Index *at, const char *acc, const char *so_far) {
  const Node *n = graph_node(l->g, id);
  const char *to = loop_element(l, id, at, true), *v = operand(l, n, at);
  if (node_attr(n, "exclusive")) {
    /* The value is read before it may be overwritten. */
    str_line(&l->code, "const %s x = %s;", loop_type(n->dtype), v);
    str_line(&l->code, "%s = %s;", to, so_far);
    str_line(&l->code, "%s = %s;", acc, added(l->e, n->dtype, acc, "x"));
  } else {
    str_line(&l->code, "%s = %s;", acc, added(l->e, n->dtype, acc, v));
    str_line(&l->code, "%s = %s;", to, so_far);
  }
}

/* The summed dim is the innermost with a loop: the sum stays in a register. */
static void scan_line(Loop *l, NodeId id, Index *at) {
  const Node *n = graph_node(l->g, id);
  const int dim = (int)node_attr(n, "axis");
  const bool blocks = in_blocks(l, n);
  const char *t = loop_type(n->dtype), *len = loop_extent(l, n, dim);
  const char *place = reversed(l, n, len, "i");
  if (blocks) {
    str_line(&l->code, "%s before = 0, partial[%d], above[%d];", t, levels_of(l, n),
             levels_of(l, n));
    str_line(&l->code, "DTRT_OUTER");
    loop_open(l, "block",
              arena_printf(l->e->arena, "(%s + DTRT_SUM_BLOCK - 1) / DTRT_SUM_BLOCK", len), "");
    str_line(&l->code, "const int64_t begin = block * DTRT_SUM_BLOCK;");
    str_line(&l->code,
             "const int64_t end = %s - begin < DTRT_SUM_BLOCK ? %s : begin + DTRT_SUM_BLOCK;", len,
             len);
  }
  str_line(&l->code, "%s acc = 0;", t);
  if (blocks) {
    str_line(&l->code, "for (int64_t i = begin; i < end; i++) {");
    l->code.indent++;
  } else {
    loop_open(l, "i", len, "");
  }
  if (strcmp(place, "i")) str_line(&l->code, "const int64_t at = %s;", place);
  at->at[dim] = strcmp(place, "i") ? "at" : "i";
  scan_step(l, id, at, "acc", blocks ? "before + acc" : "acc");
  loop_close(l, 1);
  if (!blocks) return;
  str_line(&l->code,
           "if (end %% DTRT_SUM_BLOCK == 0) before = dtrt_scan_%s(partial, above, block, acc);",
           dtype_name(n->dtype));
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

/* The rows of a block, of all dims inside. The innermost is taken in parts whose sums stay in the
 * first cache. */
static void scan_block(Loop *l, NodeId id, Index *at) {
  enum { PART = 2048 };
  const Node *n = graph_node(l->g, id);
  const int dim = (int)node_attr(n, "axis"), last = n->shape.rank - 1;
  const bool parts = layout_local(l->e->mesh, n->layout, &n->shape).dim[last] > PART && dim < last;
  const char *size, *len = loop_extent(l, n, last);
  if (parts) {
    str_line(&l->code, "DTRT_OUTER");
    str_line(&l->code, "for (int64_t from = 0, to; from < %s; from = to) {", len);
    l->code.indent++;
    str_line(&l->code, "to = %s - from < %d ? %s : from + %d;", len, PART, len, PART);
  }
  str_line(&l->code, "DTRT_OUTER");
  str_line(&l->code, "for (int64_t i = begin; i < end; i++) {");
  l->code.indent++;
  str_line(&l->code, "const int64_t at = %s;", reversed(l, n, loop_extent(l, n, dim), "i"));
  at->at[dim] = "at";
  int loops = open_dims(l, n, dim + 1, parts ? last : n->shape.rank, at, "DTRT_PLAIN");
  if (parts) {
    const char *i = at->at[last] = letter(l, last);
    str_line(&l->code, "DTRT_PLAIN");
    str_line(&l->code, "for (int64_t %s = from; %s < to; %s++) {", i, i, i);
    l->code.indent++;
    loops += 2;
  }
  const char *place = row_place(l, n, at, &size);
  str_line(&l->code, "%s acc = i == begin ? 0 : own[%s];", loop_type(n->dtype), place);
  scan_step(l, id, at, "acc", arena_printf(l->e->arena, "before[%s] + acc", place));
  str_line(&l->code, "own[%s] = acc;", place);
  loop_close(l, loops + 1);
}

/* Dims lie inside the summed one, and it has several blocks. */
static void scan_blocks(Loop *l, NodeId id, Index *at) {
  const Node *n = graph_node(l->g, id);
  const int dim = (int)node_attr(n, "axis"), levels = levels_of(l, n);
  const char *t = loop_type(n->dtype), *len = loop_extent(l, n, dim), *size;
  l->partial = emit_partial(l->e, id);
  l->partial_type = n->dtype;
  row_place(l, n, at, &size);
  str_line(&l->code, "%s *const rows = partial + %d * %s;", t, 1 + levels, loop_wrap(l->e, size));
  str_line(&l->code, "const %s *before = partial;", t);
  str_line(&l->code, "dtrt_zero(partial, %s * %d);", loop_wrap(l->e, size), dtype_size(n->dtype));
  str_line(&l->code, "DTRT_OUTER");
  loop_open(l, "block",
            arena_printf(l->e->arena, "(%s + DTRT_SUM_BLOCK - 1) / DTRT_SUM_BLOCK", len), "");
  str_line(&l->code, "const int64_t begin = block * DTRT_SUM_BLOCK;");
  str_line(&l->code,
           "const int64_t end = %s - begin < DTRT_SUM_BLOCK ? %s : begin + DTRT_SUM_BLOCK;", len,
           len);
  str_line(&l->code, "%s *own = rows + block %% 2 * %s;", t, loop_wrap(l->e, size));
  scan_block(l, id, at);
  str_line(&l->code,
           "if (end %% DTRT_SUM_BLOCK == 0) before = dtrt_scan_rows_%s(partial, %s, %d, block);",
           dtype_name(n->dtype), size, levels);
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
    scan_line(&l, id, &at);
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
