/* Sums over the turns of a tile's loop are made of units (sum_order.h), whole subtrees of their
 * order. Turns after which all of them are at the end of a unit begin afresh: cores can have some
 * such runs of turns each, and the entry joins the units when all are done. The units are the same
 * on any number of cores, and so are the bits. */
#include "sum_order.h"
#include "tile_group.h"

static int64_t divisor(int64_t a, int64_t b) {
  while (b) {
    const int64_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

/* What a sum adds in a turn, elements of a line or else rows: the loop runs over the first dim of
 * its operand that has more than one element, and the dims that it reduces follow. */
static int64_t added_in_turn(const Tiling *s, const Tiles *tile, const Node *n, bool line) {
  const Graph *g = s->le->graph;
  const Mesh *m = &s->plan->program->mesh;
  const TileNode *in = tiles_node(tile, g, n->operand[0]);
  const Node *x = graph_operand(g, n, 0);
  const Shape local = node_local(m, x);
  int64_t added = 1;
  int d = 0;
  if (!in) return 0;
  while (d < local.rank && in->loop[d] != 0 && (in->loop[d] == IN_ROWS || local.dim[d] == 1)) d++;
  if (d == local.rank || in->loop[d] != 0) return 0;
  while (++d < local.rank && (line || node_attr(n, "axis") >> d & 1)) {
    if (!dim_even(m, &x->layout->dim[d], x->shape.dim[d])) return 0;
    added *= local.dim[d];
  }
  return added;
}

/* Turns after which the sum is at the end of a unit; 0: it goes on to the last turn. */
static int64_t turns_of_unit(const Tiling *s, const Tiles *tile, const Node *n, bool line) {
  const Mesh *m = &s->plan->program->mesh;
  const SumOrder order = sum_order(m, s->le->graph, n);
  const int64_t unit = line ? sum_line_unit(m, s->le->graph, n) : sum_unit(m, s->le->graph, n),
                added = added_in_turn(s, tile, n, line);
  if (!order.fixed || !unit || !added) return 0;
  if ((line ? order.line : order.rows) != tiles_turns(m, s->le->graph, tile) * added) return 0;
  /* A tile of a line lies in one unit; those of an epilogue begin anywhere. */
  if (line && (tile->epilogue || unit % added)) return 0;
  return unit / divisor(unit, added);
}

void tile_units(const Tiling *s, Tiles *tile) {
  const Graph *g = s->le->graph;
  int64_t all = 0, of_lines = 0;
  tile->unit = 0;
  if (tile->nloops != 1) return;
  for (int i = 0; i < tile->nodes.n; i++) {
    if (!(tile->nodes.at[i].sums & 1)) continue;
    const Node *n = graph_node(g, tile->nodes.at[i].node);
    const bool line =
        sum_order(&s->plan->program->mesh, g, n).first < graph_operand(g, n, 0)->shape.rank;
    const int64_t unit = turns_of_unit(s, tile, n, line);
    if (!unit) return;
    if (line) of_lines = divisor(unit, of_lines);
    all = all ? all / divisor(all, unit) * unit : unit;
  }
  while (of_lines % tile->loop[0].most) tile->loop[0].most--;
  tile->unit = all;
}
