/* Sums and products of floats, in the order that docs/sums.md states: a line along the trailing
 * reduced dims, and above it, or where there is no line, rows: blocks of 32 in sequence, combined
 * pairwise. Up to 32 rows are added up in the result's place; the partial sums of more lie in
 * memory that the pass `memory` gave them. */
#include "sum_build.h"

static int last_reduced(const ReduceNest *r) {
  int last = r->x->shape.rank - 1;
  while (last >= 0 && !r->gone[last]) last--;
  return last;
}

static void build(SumNest *s) {
  Loop *l = s->l;
  ReduceNest *r = s->r;
  const SumOrder *o = &s->order;
  const Node *n = s->n, *x = s->x;
  const bool lines = o->first < x->shape.rank, lanes = lanes_fit(n, o->line);
  const bool goes_on = lines && site_first(l, r->id) != NO_EXPR;
  l->f.flat = lines && n->shape.rank == 0 && !l->tile && loop_is_flat(l, n->operand[0]);
  const int64_t unit = l->f.flat ? sum_line_unit(l->mesh, l->g, n) : 0;
  if (unit) {
    lanes_units(r, o->line, unit);
    return;
  }
  if (lines && !l->f.flat && !goes_on) reduction_join(r, o->first);
  if (l->f.flat)
    lanes_flat(r, o->line);
  else if (lines && lanes && (goes_on || !sum_several_dims(s)))
    r->in.dim[r->last] = lanes_index(l, reduction_most(r, r->last));
  const bool rows = !lines || (o->in_rows && !goes_on);
  s->end = lines && rows ? o->first : x->shape.rank;
  if (rows && o->rows > SUM_BLOCK) sum_join_rows(s);
  if (rows && !lines) reduction_join(r, last_reduced(r) + 1);
  if (goes_on)
    lanes_on(r, o->line, l->tile->unit ? sum_line_unit(l->mesh, l->g, n) : 0);
  else if (rows)
    sum_rows(s);
  else
    sum_lines(s);
}

/* Units, and what goes on from tile to tile, are subtrees of the order: they may have fewer blocks.
 */
static bool has_blocks(const SumNest *s) {
  const SumOrder *o = &s->order;
  if (s->l->tile || s->l->f.join) return false;
  const int64_t addends = o->lines_in_block ? o->rows / o->lines_in_block * SUM_BLOCK : o->rows;
  return addends > SUM_BLOCK || o->line > LANES_BLOCK;
}

void build_sum(ReduceNest *r, const SumOrder *o) {
  Loop *l = r->l;
  SumNest s = {.r = r, .l = l, .n = r->n, .x = r->x, .order = *o};
  if (sum_picked(&s)) return;
  build(&s);
  LoopSum sum = {.node = r->id, .lanes = LANES, .blocks = has_blocks(&s)};
  const bool flat = r->in.flat != NO_EXPR;
  if (flat) sum.at[sum.dims++] = r->in.flat;
  for (int d = 0; !flat && d < r->x->shape.rank; d++)
    if (r->gone[d] && has_loop(l, &r->in, d)) sum.at[sum.dims++] = r->in.dim[d];
  loop_adds_up(l, &sum);
}
