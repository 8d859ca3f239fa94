/* Epilogue fusion: loops over the result of a large product or convolution (the kernel) run on each
 * block of its rows while the rows are in cache. The epilogue holds elementwise loops, reductions
 * along rows, sums over all rows, and the update of a variable by its gradient:
 *
 *   p = x @ w ; h = relu(p + b) ; s = sum(h) ; y = h - mean(h, axis=1)
 *   ->  p = x @ w, with the epilogue { h[rows] ; s += sum(h[rows]) ; y[rows] } on each block of
 * rows
 *
 * The rows are the leading dims of the kernel's result, flattened into one loop: of dims [b, s,
 * ...] row r has b = r / s. A step that needs one of these dims alone cannot join. Blocks of rows
 * arrive in ascending order, so a sum over rows continues from block to block in its own order, and
 * the size of a block does not affect any bit.
 *
 * --disable=epilogue turns it off. */
#include "tile_group.h"
#include <string.h>

/* -------- kernels -------- */

/* The leading dims of a product that its first operand alone has, provided that all others are the
 * second's alone; 0: the order is another. */
static int product_rows(const Graph *g, const Node *n) {
  const Letters l = product_letters(g, n);
  int rows = 0, side = 0, changes = 0;
  for (int d = 0; d < n->shape.rank; d++) {
    if (l.in[l.out[d]] == LETTER_BATCH) return 0;
    if (side != l.in[l.out[d]]) changes++;
    side = l.in[l.out[d]];
    if (changes == 1) rows = d + 1;
  }
  return changes == 2 ? rows : 0;
}

static int kernel_rows(const Tiling *s, const Step *step) {
  const Graph *g = s->le->graph;
  const Mesh *m = &s->plan->program->mesh;
  const NodeId id = step->nodes.at[0];
  const Node *n = graph_node(g, id);
  if (step->kind != STEP_KERNEL || n->dtype != DT_F32 || !op_is(n, OPF_ROWS)) return 0;
  for (int d = 0; d < n->shape.rank; d++)
    if (!dim_even(m, &n->layout->dim[d], n->shape.dim[d])) return 0;
  if (tiling_bytes(s, id) < s->least_epilogue) return 0;
  if (op_class(n) == OPC_CONVOLUTION) return n->shape.rank - 1; /* all but the channels */
  return op_class(n) == OPC_PRODUCT ? product_rows(g, n) : 0;
}

/* -------- members -------- */

static bool is_update(const Tiling *s, const Step *t) {
  for (int i = 0; i < t->nodes.n; i++)
    if (s->d.variable[t->nodes.at[i]] < 0) return false;
  return true;
}

static bool may_run(const Tiling *s, const Group *g, int k) {
  const Step *t = &s->le->steps.at[k];
  const int kernel = g->member.at[0];
  if (s->group_of[k] >= 0 || k < kernel) return false;
  if (!step_loops(t)) return false;
  if (step_updates(s->le->graph, t)) return false;
  if (k - g->member.at[g->member.n - 1] > ROWS_STEPS && !is_update(s, t)) return false;
  return !depend_update_waits(&s->d, t, kernel, k);
}

/* Takes in one step more that reads what the group makes; false: there is none. */
static bool take_one(Tiling *s, int index) {
  Group *g = s->groups.at[index];
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    for (int j = 0; j < t->nodes.n; j++) {
      const IntVec *readers = &s->d.readers[t->nodes.at[j]];
      for (int r = 0; r < readers->n; r++)
        if (may_run(s, g, readers->at[r]) && group_join(s, index, readers->at[r], true))
          return true;
    }
  }
  return false;
}

void epilogues_find(Tiling *s) {
  if (!plan_has(s->plan, FEATURE_EPILOGUE)) return;
  for (int k = 0; k < s->le->steps.n; k++) {
    const int rows = s->group_of[k] < 0 ? kernel_rows(s, &s->le->steps.at[k]) : 0;
    if (!rows) continue;
    const int index = group_begin_epilogue(s, k, rows);
    while (take_one(s, index)) continue;
    if (s->groups.at[index]->member.n < 2 || !group_gather(s, index)) group_dissolve(s, index);
  }
}
