/* reduction.c: what all reductions are built of, whatever their order: identity, step and result.
 */
#include "loop_reduce.h"
#include "op_list.h"

Expr reduction_identity(ReduceNest *r) { return loop_reduced_none(r->l, r->n); }

Expr loop_reduced_none(Loop *l, const Node *n) {
  const Scalar none = reduction_none(n);
  return expr_number(l->x, dtype_computed(n->dtype), none.real, none.i);
}

Expr reduction_joined(ReduceNest *r, Expr acc, Expr v) {
  return loop_op2(r->l, reduction_step(r->n), r->n->dtype, acc, v);
}

Expr reduction_result(ReduceNest *r) { return loop_load(r->l, r->id, &r->out); }

const char *reduction_helper(ReduceNest *r, const char *what) {
  return arena_printf(r->l->arena, "dtrt_%s_%s_%s", what, r->word, r->type);
}

int reduction_open(ReduceNest *r, int from, int to, bool gone, LoopHow how) {
  int loops = 0;
  for (int d = from; d < to; d++)
    if (r->gone[d] == gone && has_loop(r->l, &r->in, d))
      loop_open(r->l, r->in.dim[d], loop_extent(r->l, r->x, d), how), loops++;
  return loops;
}

/* The result has the dims of the operand from `first` to `last`, which are kept, side by side. */
static bool is_one_dim_of_result(ReduceNest *r, int first, int last) {
  int to = 0;
  for (int d = 0; d < first; d++) to += !r->gone[d];
  return site_is_one_dim(r->l, r->n, to, last - first + 1);
}

/* It loads elements of a shorter type than it has itself. */
static bool loads_shorter(const Exprs *x, Expr e, DType t, bool *met) {
  const ExprNode *n = expr_node(x, e);
  if (met[e]) return false;
  met[e] = true;
  if (n->kind == EXPR_LOAD && dtype_size(n->type) < dtype_size(t)) return true;
  for (int i = 0; i < n->n; i++)
    if (loads_shorter(x, n->arg[i], t, met)) return true;
  return false;
}

bool reduction_widens(ReduceNest *r) {
  const Exprs *x = r->l->x;
  const Expr v = loop_value(r->l, r->n->operand[0], &r->in);
  return dtype_is_int(r->n->dtype) &&
         loads_shorter(x, v, r->n->dtype, arena_array(r->l->arena, bool, x->n));
}

void reduction_join(ReduceNest *r, int from) {
  Loop *l = r->l;
  const int rank = r->x->shape.rank;
  if (l->step || loop_band(l)) return;
  l->joined = r->x;
  for (int d = 0; d < rank; d++) l->joined_from[d] = (int8_t)d;
  for (int first = from, last; first < rank; first = last + 1) {
    const bool gone = r->gone[first];
    for (last = first; last + 1 < rank && r->gone[last + 1] == gone;) last++;
    int end = last;
    while (end > first && !has_loop(l, &r->in, end)) end--;
    /* Of bytes that become i64 a short line is a vector by itself. */
    if (end == first || (gone && most_of(l, r->x, end) >= LANES && reduction_widens(r)) ||
        !site_is_whole(l, r->x, first, end - first + 1) ||
        !loop_is_one_dim(l, r->n->operand[0], first, end - first + 1) ||
        (!gone && !is_one_dim_of_result(r, first, end)))
      continue;
    int64_t most = 1;
    int to = 0;
    for (int d = 0; d < first; d++) to += !r->gone[d];
    for (int d = first; d <= end; d++) {
      most *= most_of(l, r->x, d);
      r->in.dim[d] = d < end ? loop_int(l, 0)
                             : loop_symbol(l, expr_node(l->x, r->in.dim[d])->name, 0, most - 1);
      if (!gone) r->out.dim[to++] = r->in.dim[d];
    }
    l->joined_from[end] = (int8_t)first;
  }
  r->first_gone = rank;
  for (int d = rank - 1; d >= 0; d--)
    if (r->gone[d] && has_loop(l, &r->in, d)) r->first_gone = d;
}

int64_t reduction_most(const ReduceNest *r, int d) {
  int64_t most = 1;
  for (int k = r->l->joined ? r->l->joined_from[d] : d; k <= d; k++) most *= most_of(r->l, r->x, k);
  return most;
}

Expr reduction_line(ReduceNest *r) {
  return r->l->f.flat ? loop_count(r->l, r->x) : loop_extent(r->l, r->x, r->last);
}

/* Of half a vector and less compilers make none, but write the loop out, and take a vector of rows
 * at a time: if they know how long it is. */
static bool is_written_out(ReduceNest *r) {
  int64_t known;
  return expr_is_int(r->l->x, site_len(r->l, r->x, r->last), &known) &&
         (double)(known * dtype_size(r->n->dtype)) <= loop_machine(r->l)->vector / 2;
}

/* Loads, and at most `most` operations of one instruction each, without conditions. */
static bool is_light(const Exprs *x, Expr e, int *most) {
  const ExprNode *n = expr_node(x, e);
  if (n->kind == EXPR_LOAD || n->kind == EXPR_NUMBER) return true;
  if (n->kind != EXPR_OP || n->type == DT_BOOL || n->op->flops > 1 || n->op->c_special ||
      --*most < 0)
    return false;
  for (int i = 0; i < n->n; i++)
    if (!is_light(x, n->arg[i], most)) return false;
  return true;
}

static bool reads_half(const Exprs *x, Expr e) {
  const ExprNode *n = expr_node(x, e);
  if (n->kind == EXPR_LOAD) return dtype_is_half(n->type);
  for (int i = 0; i < n->n; i++)
    if (reads_half(x, n->arg[i])) return true;
  return false;
}

static bool fills_vectors(ReduceNest *r) {
  const int64_t bytes = reduction_most(r, r->last) * (int64_t)dtype_size(r->n->dtype);
  return bytes % (int64_t)loop_machine(r->l)->vector == 0;
}

/* The one reduced dim from `first` on, if its sequence is short and written out, or its elements
 * are more than an instruction or two: one that waits for each element before the next would
 * compute them one by one. */
static bool is_short_line(ReduceNest *r, int first, Expr v) {
  const Loop *l = r->l;
  if (l->f.flat || r->last < 0 || !r->gone[r->last]) return false;
  for (int d = first; d < r->last; d++)
    if (r->gone[d] && has_loop(l, &r->in, d)) return false;
  int two = 2;
  return has_loop(l, &r->in, r->last) && reduction_most(r, r->last) <= LANES &&
         (!is_light(l->x, v, &two) || reads_half(l->x, v) || fills_vectors(r) || is_written_out(r));
}

/* Stores the line's elements, each v at i; if these are light, identities behind them, too: loads
 * wait for what vectors stored in part. */
static void store_line(ReduceNest *r, Expr to, Expr i, Expr n, Expr v) {
  Loop *l = r->l;
  const int64_t size = (int64_t)dtype_size(dtype_computed(r->n->dtype));
  const Expr arg[] = {n, loop_int(l, machine_vector(loop_machine(l), size))},
             more = expr_compare(l->x, EXPR_LESS, i, n);
  int eight = 8;
  const bool light = is_light(l->x, v, &eight);
  loop_open(l, i, light ? expr_call(l->x, "DTRT_REST", DT_I64, 2, arg, 1, LANES) : n, LOOP_FEW);
  loop_set(l, to, light ? loop_choose(l, more, v, reduction_identity(r)) : v);
  loop_close(l, 1);
}

/* The elements in masked vectors, and then their sum, unless it is written out. */
static Expr sum_of_short_line(ReduceNest *r, Expr v) {
  Loop *l = r->l;
  const bool written_out = is_written_out(r);
  const Expr i = r->in.dim[r->last],
             len = written_out ? site_len(l, r->x, r->last) : loop_extent(l, r->x, r->last);
  if (!written_out) {
    const Expr line = loop_local(l, LOCAL_ARRAY, r->n->dtype, "line", LANES, NO_EXPR);
    store_line(r, loop_element(l, line, i), i, len, v);
    v = loop_element(l, line, i);
  }
  const Expr acc = loop_local(l, LOCAL_VALUE, r->n->dtype, "acc", 0, reduction_identity(r));
  loop_open(l, i, len, written_out ? LOOP_WHOLE : LOOP_SOME);
  loop_set(l, acc, reduction_joined(r, acc, v));
  loop_close(l, 1);
  return acc;
}

Expr reduction_in_sequence(ReduceNest *r, int first) {
  Loop *l = r->l;
  const Expr v = loop_value(l, r->n->operand[0], &r->in);
  if (is_short_line(r, first, v)) return sum_of_short_line(r, v);
  const Expr acc = loop_local(l, LOCAL_VALUE, r->n->dtype, "acc", 0, reduction_identity(r));
  int loops = 0;
  if (!l->f.flat)
    loops = reduction_open(r, first, r->x->shape.rank, true, LOOP_SOME);
  else if (!is_int(l, r->in.flat, 0))
    loop_open(l, r->in.flat, loop_count(l, r->x), LOOP_SOME), loops++;
  loop_set(l, acc, reduction_joined(r, acc, v));
  loop_close(l, loops);
  return acc;
}

bool reduction_few_columns(ReduceNest *r, int first) {
  enum { MOST_COLUMNS = 15, MOST_EXTREMES = 7 }; /* these take more registers and instructions */
  Loop *l = r->l;
  const bool extremes = dtype_is_float(r->n->dtype) && !op_is(r->n, OPF_SUMS);
  int64_t known;
  if (l->tile || l->step || r->last < first || r->gone[r->last]) return false;
  for (int d = first; d < r->last; d++)
    if (!r->gone[d] && has_loop(l, &r->in, d)) return false;
  return expr_is_int(l->x, site_len(l, r->x, r->last), &known) && known % 4 &&
         known <= (extremes ? MOST_EXTREMES : MOST_COLUMNS);
}

void reduction_in_registers(ReduceNest *r, int first) {
  enum { FEW_ROWS = 8 };
  Loop *l = r->l;
  const Expr i = r->in.dim[r->last], n = site_len(l, r->x, r->last);
  const int64_t columns = reduction_most(r, r->last);
  const Expr all = loop_local(l, LOCAL_ARRAY, r->n->dtype, "acc_", columns, NO_EXPR);
  const Expr acc = loop_element(l, all, i);
  int loops = 0;
  loop_open(l, i, n, LOOP_WHOLE);
  loop_set(l, acc, reduction_identity(r));
  loop_close(l, 1);
  for (int d = first; d < r->last; d++) {
    if (!has_loop(l, &r->in, d)) continue;
    const Expr len = site_len(l, r->x, d);
    int64_t known;
    const bool whole = expr_is_int(l->x, len, &known) && known <= FEW_ROWS;
    loop_open(l, r->in.dim[d], whole ? len : loop_extent(l, r->x, d),
              whole ? LOOP_WHOLE : LOOP_OUTER);
    loops++;
  }
  loop_open(l, i, n, LOOP_WHOLE);
  loop_set(l, acc, reduction_joined(r, acc, loop_value(l, r->n->operand[0], &r->in)));
  loop_close(l, 1 + loops);
  loop_open(l, i, n, LOOP_WHOLE);
  loop_set(l, reduction_result(r), acc);
  loop_close(l, 1);
}

int reduction_open_row(ReduceNest *r, int from) {
  int loops = 0;
  for (int d = from; d < r->x->shape.rank; d++)
    loops += reduction_open(r, d, d + 1, false, d == r->last ? LOOP_PLAIN : LOOP_OUTER);
  return loops;
}

/* Values that are used more than once, each of which is a line of C. */
static int shared_values(const Exprs *x, Expr e, uint8_t *met) {
  const ExprNode *n = expr_node(x, e);
  int shared = 0;
  if (met[e]) return n->kind >= EXPR_OP && met[e]++ == 1;
  met[e] = 1;
  for (int i = 0; i < n->n; i++) shared += shared_values(x, n->arg[i], met);
  return shared;
}

bool reduction_is_cheap(ReduceNest *r, Expr v) {
  enum { FEW_VALUES = 8 };
  const Exprs *x = r->l->x;
  return shared_values(x, v, arena_array(r->l->arena, uint8_t, x->n)) <= FEW_VALUES;
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

static bool has_value_of_row(const ReduceNest *r, Expr v) {
  Loop *l = r->l;
  if (r->last < 0) return false;
  int along = r->last; /* a row */
  while (r->gone[along])
    if (along-- == 0) return false;
  const ExprNode *i = expr_node(l->x, r->in.dim[along]);
  return i->kind == EXPR_SYMBOL &&
         reads_of_row(l, v, i->name, arena_array(l->arena, bool, l->x->n));
}

/* How many rows are added to a block's sum at a time, so that it is read and written less often.
 * One where an element takes so much to compute that this does not count, as it is there twice, and
 * where it reads what is the same along a row, which compilers gather. Memory that is waited for
 * brings one stream best, unless the sum does not stay in L1 meanwhile, or four rows and more share
 * a page, which is one stream: all that are added at once lie in two. The sums of short
 * rows, of fewer vectors than a core adds at once, for which a quarter of its registers is there,
 * wait for each other: so many rows that few are left over.
 *
 * 8, 4, 2: a sum is read and written once for so many rows, so that 8 leave an eighth of what one
 * at a time takes for that; and they divide a block of SUM_BLOCK. */
int reduction_together(ReduceNest *r, int first_row, int last, Expr v) {
  const Machine *m = loop_machine(r->l);
  const Shape local = node_local(r->l->mesh, r->x);
  int64_t columns = 1, run = 1;
  for (int d = last + 1; d < local.rank; d++) columns *= local.dim[d];
  for (int d = first_row; d <= last; d++) run *= local.dim[d];
  if (!reduction_is_cheap(r, v) || !has_loop(r->l, &r->in, last) || has_value_of_row(r, v))
    return 1;
  const int64_t size = (int64_t)dtype_size(r->x->dtype), row = columns * size,
                bytes = shape_count(&local) * size;
  const bool here = bytes <= machine_cache(m, CACHE_L2) / 2,
             sum_leaves = row > machine_cache(m, CACHE_L1) / 2;
  const bool is_short = (double)row <= (double)m->registers / 4 * m->vector;
  const bool shares_page = 4 * (double)row <= m->page;
  int rows = is_short ? 8 : here || sum_leaves ? 4 : shares_page ? 8 : 1;
  if (run <= SUM_BLOCK && run % rows) rows = run % 4 ? 2 : 4;
  return run >= rows ? rows : 1;
}

int reduction_if_first(ReduceNest *r) {
  const Expr first = site_first(r->l, r->id);
  if (first == NO_EXPR) return 0;
  loop_if(r->l, loop_param(r->l, PARAM_FIRST, first));
  return 1;
}
