/* The band of a tile's masked scores (tile_band.c says where that is right): loops over the
 * columns that the mask leaves, and the function that sees whether what is left out counts. */
#include "loop_build.h"
#include "op_list.h"

bool reads_band(const Loop *l, NodeId id) {
  const TileBand *b = loop_band(l);
  return b && same_space(graph_operand(l->g, graph_node(l->g, id), 0), graph_node(l->g, b->of));
}

static Expr live(Loop *l, const Node *n, const At *at, const char *function, EntryInteger bound) {
  const Expr arg[] = {at->dim[loop_band(l)->row], loop_param(l, PARAM_BOUND, site_bound(l, bound)),
                      loop_extent(l, n, n->shape.rank - 1)};
  return loop_call(l, function, DT_I64, 3, arg);
}

Expr live_from(Loop *l, const Node *n, const At *at) {
  return live(l, n, at, "dtrt_band_from", INTEGER_LOW);
}

Expr live_to(Loop *l, const Node *n, const At *at) {
  return live(l, n, at, "dtrt_band_to", INTEGER_HIGH);
}

Expr value_outside(Loop *l, NodeId id, const At *at) {
  At in = *at;
  in.dim[graph_node(l->g, id)->shape.rank - 1] = loop_int(l, 0);
  l->outside = true;
  const Expr v = loop_value(l, id, &in);
  l->outside = false;
  return v;
}

void build_band_check(const LoopSite *s, LoopFunction *out) {
  Loop *l = loop_new(s);
  const TileBand *b = loop_band(l);
  const Node *n = graph_node(l->g, b->vanishes);
  const Expr some = loop_integer(l, "some", loop_int(l, 0), false);
  const At at = loop_nest_index(l, n);
  int loops = 0;
  for (int d = 0; d + 1 < n->shape.rank; d++)
    if (has_loop(l, &at, d))
      loop_open(l, at.dim[d], loop_extent(l, n, d), d == b->row ? LOOP_PLAIN : LOOP_OUTER), loops++;
  const Expr v = value_outside(l, b->vanishes, &at);
  const Expr is = loop_op2(l, loop_ops.unequal, n->dtype, v, loop_number(l, n->dtype, 0));
  loop_set(l, some, loop_op2(l, loop_ops.bit_or, DT_BOOL, some, is));
  loop_close(l, loops);
  loop_add(l, (LoopStmt){.kind = STMT_RETURN, .a = some});
  l->f.returns = true;
  loop_done(l, n->op->name, out);
}
