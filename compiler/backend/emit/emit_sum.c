/* Sums and products of floats, in the order that docs/sums.md states: a line along the trailing
 * reduced dims, and above it, or where there is no line, rows: blocks of 32 in sequence, combined
 * pairwise. Up to 32 rows are added up in the result's place; the partial sums of more lie in
 * memory that the pass `memory` gave them. */
#include <stdlib.h>
#include <string.h>
#include "dtrt.h"
#include "emit_reduce.h"

typedef struct Sum {
  Loop *l;
  NodeId id;
  const Node *n, *x;
  SumOrder order;
  Nest nest;
  Index flat;              /* where one index goes over all elements */
  int first_row;           /* reduced dims from here to the last that counts rows are one loop */
  const char *word, *type; /* of the helpers in dtrt_math.h */
} Sum;

static int open_loops(Sum *s, int from, int to, bool gone, const char *pragma) {
  int loops = 0;
  for (int d = from; d < to; d++)
    if (s->nest.gone[d] == gone && nest_has_loop(&s->nest, d)) {
      loop_open(s->l, s->nest.in.at[d], loop_extent(s->l, s->x, d), pragma);
      loops++;
    }
  return loops;
}

/* -------- lines -------- */

/* Fewer than 32 elements, one after the other. */
static const char *short_line(Sum *s, const char *acc) {
  Loop *l = s->l;
  str_line(&l->code, "%s %s = %s;", loop_type(s->n->dtype), acc, reduction_identity(l->e, s->n));
  int loops = 0;
  if (!l->flat)
    loops = open_loops(s, s->order.first, s->x->shape.rank, true, "");
  else if (!is_number(s->flat.flat, 0))
    loop_open(l, "i", loop_number(l, 'n', emit_count(l->e, s->x)), ""), loops++;
  const char *v = loop_value(l, s->n->operand[0], l->flat ? &s->flat : &s->nest.in);
  str_line(&l->code, "%s = %s;", acc, reduction_combined(l->e, s->n, acc, v));
  loop_close(l, loops);
  return acc;
}

static bool several_dims(const Sum *s) {
  int loops = 0;
  for (int d = s->order.first; d < s->x->shape.rank; d++) loops += nest_has_loop(&s->nest, d);
  return loops > 1;
}

static const char *long_line(Sum *s) {
  Loop *l = s->l;
  const int64_t most = s->order.line;
  if (l->flat) {
    lanes_begin(l, s->n, most, "0");
    lanes_line(l, s->n, most, &s->flat, "0", loop_number(l, 'n', emit_count(l->e, s->x)));
  } else if (several_dims(s)) {
    lanes_begin(l, s->n, most, "0");
    lanes_buffered(l, s->n, most, &s->nest, s->order.first);
  } else {
    const bool band = emit_reads_band(l->e, s->id);
    const char *from = band ? loop_live_from(l, s->x, &s->nest.in) : "0";
    const char *len =
        band ? loop_live_to(l, s->x, &s->nest.in) : loop_extent(l, s->x, s->nest.last);
    lanes_begin(l, s->n, most, from);
    lanes_line(l, s->n, most, &s->nest.in, from, len);
    if (band) lanes_of_dead(l, s->n, &s->nest.in, from, len);
  }
  return lanes_end(l, s->n);
}

/* Whole lines side by side in the lanes, which are joined once at the end. */
static void sum_short_lines(Sum *s) {
  Loop *l = s->l;
  const int64_t in_block = s->order.lines_in_block;
  const bool blocks = s->order.rows > in_block;
  const int64_t most = blocks ? s->order.rows / in_block * SUM_BLOCK * DTRT_LANES + 1 : 0;
  const int outer = open_loops(s, 0, s->order.first, false, "DTRT_OUTER");
  lanes_begin(l, s->n, most, "0");
  if (blocks) str_line(&l->code, "int64_t lines = 0, block = 0;");
  const int inner = open_loops(s, 0, s->order.first, true, "DTRT_OUTER");
  if (several_dims(s))
    lanes_buffered(l, s->n, s->order.line, &s->nest, s->order.first);
  else
    lanes_line(l, s->n, s->order.line, &s->nest.in, "0", loop_extent(l, s->x, s->nest.last));
  if (blocks) {
    str_line(&l->code, "if (++lines < %ld) continue;", (long)in_block);
    str_line(&l->code, "dtrt_carry_lanes_%s_%s(partial, block++, &acc);", s->word, s->type);
    str_line(&l->code, "lines = 0;");
  }
  loop_close(l, inner);
  if (blocks) str_line(&l->code, "dtrt_fold_lanes_%s_%s(partial, block, &acc);", s->word, s->type);
  reduction_store(l, s->id, &s->nest.out, lanes_end(l, s->n));
  loop_close(l, outer);
}

static void sum_lines(Sum *s) {
  Loop *l = s->l;
  if (s->order.lines_in_block) {
    sum_short_lines(s);
    return;
  }
  const bool blocks = s->order.rows > SUM_BLOCK, lanes = lanes_fit(s->n, s->order.line);
  bool many = false; /* lines; a dim of which some devices have nothing counts */
  for (int d = 0; d < s->order.first; d++)
    many = many || (s->nest.gone[d] && nest_has_loop(&s->nest, d));
  const int outer = open_loops(s, 0, s->order.first, false, "DTRT_OUTER");
  if (many)
    str_line(&l->code, "%s sum = %s;", loop_type(s->n->dtype), reduction_identity(l->e, s->n));
  if (blocks) str_line(&l->code, "%s rows[%d];", loop_type(s->n->dtype), sum_levels(s->order.rows));
  if (blocks) str_line(&l->code, "int64_t row = 0;");
  const int inner = open_loops(s, 0, s->order.first, true, "DTRT_OUTER");
  const char *v = lanes ? long_line(s) : short_line(s, "acc");
  if (many) {
    str_line(&l->code, "sum = %s;", reduction_combined(l->e, s->n, "sum", v));
    if (blocks)
      str_line(&l->code,
               "if (++row %% DTRT_SUM_BLOCK == 0)"
               " dtrt_carry_%s_%s(rows, row / DTRT_SUM_BLOCK - 1, &sum);",
               s->word, s->type);
  }
  loop_close(l, inner);
  if (blocks)
    str_line(&l->code, "dtrt_fold_%s_%s(rows, row / DTRT_SUM_BLOCK, &sum);", s->word, s->type);
  reduction_store(l, s->id, &s->nest.out, many ? "sum" : v);
  loop_close(l, outer);
}

/* -------- rows -------- */

/* A strip may have no loop over a dim that its own loops go over. */
static bool counts_rows(const Sum *s, int d) {
  const char *all = emit_extent(s->l->e, &s->x->layout->dim[d], s->x->shape.dim[d]);
  return s->nest.gone[d] && !is_number(all, 1);
}

/* Whether dims [first, first + n) of a node are one dim to whoever reads it at an index of them:
 * they lie side by side in whatever has them. */
static bool is_one_dim(const Sum *s, NodeId id, int first, int n, int *looks) {
  enum { MOST_LOOKS = 64 };
  Loop *l = s->l;
  const Node *x = graph_node(l->g, id);
  const NodeId base = node_base(l->g, id);
  if (++*looks > MOST_LOOKS) return false;
  if (node_is_const(x)) return true;
  if (l->le->stored[base] && !loop_stores(l, base)) {
    for (int d = first + 1; d < first + n; d++)
      if (strcmp(emit_room(l->e, x, d), emit_extent(l->e, &x->layout->dim[d], x->shape.dim[d])))
        return false;
    return true;
  }
  if (op_is(x, OPF_REPEATS)) {
    const int rank = graph_operand(l->g, x, 0)->shape.rank;
    int with = 0, at = 0, of[MAX_RANK];
    x->op->dims(l->g, x, of);
    for (int d = rank - 1; d >= 0; d--)
      if (of[d] >= first && of[d] < first + n) at = d, with++;
    for (int d = 0; d < with; d++)
      if (of[at + d] != first + d) return false;
    return !with || (with == n && is_one_dim(s, x->operand[0], at, n, looks));
  }
  if (!op_is(x, OPF_ELEMENTWISE)) return false;
  for (int k = 0; k < x->noperands; k++)
    if (!is_one_dim(s, x->operand[k], first, n, looks)) return false;
  return true;
}

/* Reduced dims side by side become one loop: blocks of 32 rows then end where they will. */
static void join_rows(Sum *s) {
  int last = s->x->shape.rank - 1, first, looks = 0;
  while (last > 0 && !counts_rows(s, last)) last--;
  for (first = last; first > 0 && s->nest.gone[first - 1];) first--;
  s->first_row = last;
  if (s->l->e->strip || first == last || !nest_has_loop(&s->nest, last) ||
      !is_one_dim(s, s->n->operand[0], first, last - first + 1, &looks))
    return;
  s->first_row = first;
  for (int d = first; d < last; d++) s->nest.in.at[d] = "0";
}

static int count_row(const Sum *s, int from) {
  int loops = 0;
  for (int d = from; d < s->x->shape.rank; d++)
    loops += nest_has_loop(&s->nest, d) && !s->nest.gone[d];
  return loops;
}

static int open_row(Sum *s, int from) {
  int loops = 0;
  for (int d = from; d < s->x->shape.rank; d++)
    if (nest_has_loop(&s->nest, d) && !s->nest.gone[d]) {
      loop_open(s->l, s->nest.in.at[d], loop_extent(s->l, s->x, d),
                d == s->nest.last ? "DTRT_PLAIN" : "DTRT_OUTER");
      loops++;
    }
  return loops;
}

/* Number of the first row of this device's block that the loop over dim `last` begins with: that of
 * the strip, and of the outer reduced dims. */
static const char *first_row(Sum *s, int last) {
  Loop *l = s->l;
  const char *row = "0";
  for (int d = 0; d <= last; d++) {
    if (!s->nest.gone[d]) continue;
    const char *all =
        loop_number(l, 'n', emit_extent(l->e, &s->x->layout->dim[d], s->x->shape.dim[d]));
    const char *from = loop_number(l, 'o', emit_at(l->e, s->x, d));
    const char *i = d < last && nest_has_loop(&s->nest, d) ? s->nest.in.at[d] : "0";
    const char *at = is_number(i, 0)      ? from
                     : is_number(from, 0) ? i
                                          : arena_printf(l->e->arena, "%s + %s", from, i);
    if (is_number(row, 0) || is_number(all, 1))
      row = is_number(row, 0)  ? at
            : is_number(at, 0) ? row
                               : arena_printf(l->e->arena, "%s + %s", row, at);
    else
      row = arena_printf(l->e->arena, is_number(at, 0) ? "%s * %s" : "%s * %s + %s",
                         loop_wrap(l->e, row), all, at);
  }
  return row;
}

static const char *all_rows(Sum *s) {
  const char *n = "1";
  for (int d = 0; d < s->x->shape.rank; d++)
    if (s->nest.gone[d])
      n = emit_product(s->l->e, n, emit_extent(s->l->e, &s->x->layout->dim[d], s->x->shape.dim[d]));
  return loop_number(s->l, 'n', n);
}

/* The place of an element within a row of partial results: that in the whole result. */
static const char *place_in_row(Sum *s) {
  Loop *l = s->l;
  const char *stride = "1";
  Str at = str_new(l->e->arena);
  for (int d = s->n->shape.rank - 1; d >= 0; d--) {
    const char *i = s->nest.out.at[d];
    if (strcmp(i, "0"))
      str_printf(&at, is_number(stride, 1) ? "%s%s" : "%s%s * %s", at.n ? " + " : "", i, stride);
    stride = emit_product(l->e, stride, loop_room(l, s->n, d));
  }
  return at.n ? at.at : "0";
}

static const char *row_size(Sum *s) {
  const char *n = "1";
  for (int d = 0; d < s->n->shape.rank; d++)
    n = emit_product(s->l->e, n, emit_room(s->l->e, s->n, d));
  return loop_number(s->l, 'n', n);
}

/* Calls a helper upon each run of a row, the innermost dim: `result` goes in front, `rest` behind.
 */
static void put_runs(Sum *s, int last, const char *verb, bool result, const char *rest) {
  Loop *l = s->l;
  Nest *t = &s->nest;
  const int run = t->last > last ? t->last : -1;
  const char *len = run < 0 ? "1" : loop_extent(l, s->x, run), *i = run < 0 ? NULL : t->in.at[run];
  int loops = 0;
  for (int d = last + 1; d < run; d++)
    if (nest_has_loop(t, d))
      loop_open(l, t->in.at[d], loop_extent(l, s->x, d), "DTRT_OUTER"), loops++;
  Nest all = *t;
  if (run >= 0) {
    t->in.at[run] = "0";
    for (int d = 0; d < s->n->shape.rank; d++)
      if (t->out.at[d] == i) t->out.at[d] = "0";
  }
  const char *to =
      result ? arena_printf(l->e->arena, "&%s, ", loop_element(l, s->id, &t->out, true)) : "";
  const char *place = place_in_row(s);
  const char *partial =
      is_number(place, 0) ? "partial" : arena_printf(l->e->arena, "partial + %s", place);
  *t = all;
  str_line(&l->code, "dtrt_%s_row_%s_%s(%s%s, %s, %s, %s);", verb, s->word, s->type, to, partial,
           len, row_size(s), rest);
  loop_close(l, loops);
}

/* Rows of the last dim that counts them, and of those before that are one loop with it. */
static const char *rows_extent(Sum *s, int last) {
  const char *n = "1";
  if (s->first_row == last) return loop_extent(s->l, s->x, last);
  for (int d = s->first_row; d <= last; d++)
    n = emit_product(s->l->e, n, emit_extent(s->l->e, &s->x->layout->dim[d], s->x->shape.dim[d]));
  return loop_number(s->l, 'n', n);
}

/* It reads a value that is the same along a row. */
static bool reads_of_row(const Loop *l, Expr e, const char *along, bool *met) {
  const ExprNode *n = expr_node(l->x, e);
  if (met[e]) return false;
  met[e] = true;
  if (n->kind == EXPR_LOAD && n->n) {
    bool moves = false;
    for (int i = 0; i < n->n; i++) moves = moves || expr_mentions(l->x, n->arg[i], along);
    if (!moves) return true;
  }
  for (int i = 0; i < n->n; i++)
    if (reads_of_row(l, n->arg[i], along, met)) return true;
  return false;
}

static bool has_value_of_row(Sum *s) {
  Loop *l = s->l;
  if (s->nest.last < 0) return false;
  const Expr e = loop_expr(l, s->n->operand[0], &s->nest.in);
  return reads_of_row(l, e, s->nest.in.at[s->nest.last],
                      arena_array(l->e->arena, bool, l->x->at.n));
}

/* How many rows are added to a block's sum at a time, so that it is read and written less often.
 * One where an element takes so many lines to compute that this does not count, as they are there
 * twice, where it reads what is the same along a row, which compilers gather, and where memory is
 * waited for, which brings one stream best; more of short rows, whose
 * sums wait for each other: so many that few are left over. */
static int together(Sum *s, int last, const char *body) {
  enum { SHORT = 128, FEW_LINES = 8 };
  const Shape local = layout_local(s->l->e->mesh, s->x->layout, &s->x->shape);
  int64_t columns = 1, run = 1;
  int lines = 0;
  for (int d = last + 1; d < local.rank; d++) columns *= local.dim[d];
  for (int d = s->first_row; d <= last; d++) run *= local.dim[d];
  for (const char *c = body; *c; c++) lines += *c == '\n';
  if (lines > FEW_LINES || strstr(body, "for (") || !nest_has_loop(&s->nest, last) ||
      has_value_of_row(s))
    return 1;
  const int64_t bytes = shape_count(&local) * (int64_t)dtype_size(s->x->dtype);
  const bool cached = bytes <= machine_cache(s->l->e->program->machine, CACHE_L2) / 2;
  int rows = columns <= SHORT ? 8 : cached ? 4 : 1;
  if (run <= SUM_BLOCK && run % rows) rows = run % 4 ? 2 : 4;
  return run >= rows ? rows : 1;
}

/* Runs of short rows that kept dims part from each other: their sums stay in registers from one end
 * of a run to the other, as the loop does nothing else. Where rows follow each other without end,
 * several at a time are faster. */
static bool row_in_registers(const Sum *s, int last) {
  enum { MOST = 32 };
  const Shape local = layout_local(s->l->e->mesh, s->x->layout, &s->x->shape);
  int64_t columns = 1;
  int runs = 0;
  for (int d = last + 1; d < local.rank; d++) columns *= local.dim[d];
  for (int d = last; d > 0; d--) runs += !s->nest.gone[d] && local.dim[d] > 1;
  return runs && columns <= MOST && nest_has_loop(&s->nest, last);
}

static void add_short_rows(Sum *s, int last, const char *own) {
  Loop *l = s->l;
  const char *i = s->nest.in.at[last];
  str_line(&l->code, "if (begin - start == fresh) {");
  l->code.indent++;
  int loops = open_row(s, last + 1);
  str_line(&l->code, "%s = %s;", own, reduction_identity(l->e, s->n));
  loop_close(l, loops + 1);
  str_line(&l->code, "DTRT_OUTER");
  str_line(&l->code, "for (int64_t %s = begin - start; %s < end - start; %s++) {", i, i, i);
  l->code.indent++;
  loops = open_row(s, last + 1);
  const char *v = loop_value(l, s->n->operand[0], &s->nest.in);
  str_line(&l->code, "%s = %s;", own, reduction_combined(l->e, s->n, own, v));
  loop_close(l, loops + 1);
}

/* Adds rows `begin` to `end`, which lie in one block, whose first is `fresh`. */
static void add_rows(Sum *s, int last, const char *own) {
  Loop *l = s->l;
  const char *i = s->nest.in.at[last], *from = "begin - start", *v;
  const char *identity = reduction_identity(l->e, s->n);
  const bool rows = nest_has_loop(&s->nest, last);
  const int inner = rows + count_row(s, last + 1);
  const char *body = loop_body(l, s->n->operand[0], &s->nest.in, inner, &v);
  const int some = together(s, last, body);
  if (some > 1) {
    from = "first";
    str_line(&l->code, "int64_t first = begin - start;");
    str_line(&l->code, "DTRT_OUTER");
    str_line(&l->code, "for (; first + %d <= end - start; first += %d) {", some, some);
    l->code.indent++;
    const int loops = open_row(s, last + 1);
    str_line(&l->code, "%s sum = first == fresh ? %s : %s;", loop_type(s->n->dtype), identity, own);
    str_line(&l->code, "DTRT_WHOLE");
    str_line(&l->code, "for (int64_t %s = first; %s < first + %d; %s++) {", i, i, some, i);
    l->code.indent++;
    str_puts(&l->code, text_deeper(l->e->arena, body));
    str_line(&l->code, "sum = %s;", reduction_combined(l->e, s->n, "sum", v));
    loop_close(l, 1);
    str_line(&l->code, "%s = sum;", own);
    loop_close(l, loops + 1);
  }
  if (rows) {
    str_line(&l->code, "DTRT_OUTER");
    str_line(&l->code, "for (int64_t %s = %s; %s < end - start; %s++) {", i, from, i, i);
    l->code.indent++;
  }
  open_row(s, last + 1);
  str_puts(&l->code, body);
  const char *before = arena_printf(l->e->arena, "(%s == fresh ? %s : %s)", i, identity, own);
  str_line(&l->code, "%s = %s;", own, reduction_combined(l->e, s->n, before, v));
  loop_close(l, inner);
}

/* The rows of dim `last`, a block at a time. */
static void put_blocks(Sum *s, int last) {
  Loop *l = s->l;
  l->partial = emit_partial(l->e, s->id);
  l->partial_type = s->n->dtype;
  const char *first = first_row(s, last), *len = rows_extent(s, last),
             *own = arena_printf(l->e->arena, "own[%s]", place_in_row(s));
  str_line(&l->code, "const int64_t start = %s, stop = start + %s;", first, loop_wrap(l->e, len));
  str_line(&l->code, "DTRT_OUTER");
  str_line(&l->code, "for (int64_t begin = start; begin < stop;) {");
  l->code.indent++;
  str_line(&l->code,
           "const int64_t block = begin / DTRT_SUM_BLOCK, next = (block + 1) * DTRT_SUM_BLOCK;");
  str_line(&l->code, "const int64_t end = next < stop ? next : stop;");
  str_line(&l->code, "%s *own = partial + block %% 2 * %s;", loop_type(s->n->dtype),
           loop_wrap(l->e, row_size(s)));
  str_line(&l->code, "const int64_t fresh = block * DTRT_SUM_BLOCK - start;");
  if (row_in_registers(s, last))
    add_short_rows(s, last, own);
  else
    add_rows(s, last, own);
  str_line(&l->code, "begin = end;");
  str_line(&l->code, "if (end < next || block %% 2 == 0) continue;");
  put_runs(s, last, "carry", false, "block");
  loop_close(l, 1);
  str_line(&l->code, "if (stop == %s) {", all_rows(s));
  l->code.indent++;
  put_runs(s, last, "fold", true, "stop / DTRT_SUM_BLOCK, stop % DTRT_SUM_BLOCK > 0");
  loop_close(l, 1);
}

/* Some device may have no row at all, and comes to no end of the last. */
static bool may_be_empty(const Sum *s) {
  const Mesh *m = s->l->e->mesh;
  for (int d = 0; d < s->x->shape.rank; d++)
    if (s->nest.gone[d] && !dim_even(m, &s->x->layout->dim[d], s->x->shape.dim[d])) return true;
  return false;
}

/* The result before any row, in the first of the strips that add to it. */
static void put_identity(Sum *s, int rows, const char *to) {
  Loop *l = s->l;
  const char *first = emit_first(l->e, s->id);
  if (first) str_line(&l->code, "if (%s)", loop_number(l, 'f', first)), l->code.indent++;
  const int loops = open_row(s, rows);
  str_line(&l->code, "%s = %s;", to, reduction_identity(l->e, s->n));
  loop_close(l, loops);
  if (first) l->code.indent--;
}

static void sum_rows(Sum *s) {
  Loop *l = s->l;
  Emit *e = l->e;
  Nest *t = &s->nest;
  const int rank = s->x->shape.rank;
  const bool blocks = s->order.rows > SUM_BLOCK;
  int rows = rank, last = rank, outer = 0, inner = 0;
  for (int d = rank - 1; d >= 0; d--)
    if (counts_rows(s, d)) rows = d, last = last < rank ? last : d;
  for (int d = 0; d < rows; d++)
    if (nest_has_loop(t, d))
      loop_open(l, t->in.at[d], loop_extent(l, s->x, d), "DTRT_OUTER"), outer++;
  const char *to = loop_element(l, s->id, &t->out, true);
  if (!blocks || may_be_empty(s)) put_identity(s, rows, to);
  for (int d = rows; d < (blocks ? last : rank); d++)
    if (nest_has_loop(t, d)) {
      const char *pragma = d == t->last ? "DTRT_PLAIN" : "DTRT_OUTER";
      loop_open(l, t->in.at[d], loop_extent(l, s->x, d), pragma);
      inner++;
    }
  if (blocks) {
    put_blocks(s, last);
  } else {
    const char *v = loop_value(l, s->n->operand[0], &t->in);
    str_line(&l->code, "%s = %s;", to, reduction_combined(e, s->n, to, v));
  }
  loop_close(l, inner + outer);
}

void emit_sum(Loop *l, NodeId id, const SumOrder *o) {
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  Sum s = {.l = l,
           .id = id,
           .n = n,
           .x = x,
           .order = *o,
           .word = n->op->reduce == RED_SUM ? "sum" : "prod",
           .type = dtype_name(loop_computed_as(n->dtype))};
  const bool lines = o->first < x->shape.rank, lanes = lanes_fit(n, o->line);
  const bool goes_on = lines && emit_first(l->e, id);
  l->flat = lines && n->shape.rank == 0 && !l->e->strip && loop_is_flat(l, n->operand[0]);
  s.nest = reduction_nest(l, n, (uint32_t)node_attr(n, "axis"));
  if (l->flat)
    s.flat.flat = lanes ? LANE : is_number(emit_count(l->e, x), 1) ? "0" : "i";
  else if (lines && lanes && (goes_on || !several_dims(&s)))
    s.nest.in.at[s.nest.last] = LANE;
  if (!lines && o->rows > SUM_BLOCK) join_rows(&s);
  reduction_count(l, n, l->flat ? &s.flat : &s.nest.in);
  if (goes_on)
    lanes_on(l, id, o->line, &s.nest);
  else if (lines)
    sum_lines(&s);
  else
    sum_rows(&s);
}
