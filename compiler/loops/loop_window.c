/* A window that is written in the place of what it is written into: loops over its elements alone.
 */
#include "loop_build.h"

/* The begin in dim d, which operand k has. `at`: within the value, for one that has rows. */
static void begin_in(Loop *l, const Node *n, int d, int k, const At *at, Begins *out) {
  const Node *v = graph_operand(l->g, n, 1), *begin = graph_operand(l->g, n, k);
  const int64_t reach = (v->shape.dim[d] - 1) * node_attrs(n, "step")[d], of = n->shape.dim[d];
  At in = {.flat = NO_EXPR};
  for (int e = 0; e < begin->shape.rank; e++)
    in.dim[e] = begin->shape.dim[e] == 1 ? loop_int(l, 0) : at->dim[e];
  const Expr i = expr_index(l->x, loop_value(l, n->operand[k], &in), reach, of);
  int64_t known;
  out->is[d] = out->name[d] = i;
  if (!expr_is_int(l->x, i, &known))
    out->name[d] = loop_integer(l, arena_printf(l->arena, "begin%d", d), i, true);
}

Begins window_begins(Loop *l, const Node *n) {
  Begins out;
  for (int d = 0; d < MAX_RANK; d++) out.is[d] = NO_EXPR;
  for (int d = 0, k = 2; d < n->shape.rank; d++) {
    if (!(node_attr(n, "axis") >> d & 1)) continue;
    if (!graph_operand(l->g, n, k)->shape.rank) begin_in(l, n, d, k, NULL, &out);
    k++;
  }
  return out;
}

static Expr begin_name(void *user, Expr e) {
  const Begins *begin = user;
  for (int d = 0; d < MAX_RANK; d++)
    if (begin->is[d] == e) return begin->name[d];
  return NO_EXPR;
}

void window_store(Loop *l, NodeId id, Begins *begin, const At *at, const At *to) {
  Expr value = loop_value(l, graph_node(l->g, id)->operand[1], at);
  value = expr_rewrite(l->x, value, arena_array(l->arena, Expr, l->x->n), begin_name, begin);
  loop_add(l, (LoopStmt){.kind = STMT_STORE, .a = loop_load(l, id, to), .b = value});
}

Expr window_place(Loop *l, const Node *n, const Begins *begin, const At *at, int d) {
  if (begin->is[d] == NO_EXPR) return at->dim[d];
  return expr_add(l->x, begin->name[d], expr_scale(l->x, at->dim[d], node_attrs(n, "step")[d]));
}

/* Loops over the value's elements; a device writes those that it owns. */
void build_map_window(const LoopSite *site, const Step *s, LoopFunction *out) {
  Loop *l = loop_new(site);
  const NodeId id = s->nodes.at[0];
  const Node *n = graph_node(l->g, id), *v = graph_operand(l->g, n, 1);
  Begins begin = window_begins(l, n);
  int last = -1, opened = 0, k = 2;
  l->step = s;
  const At at = loop_nest_index(l, v);
  At to = at;
  for (int d = 0; d < n->shape.rank; d++)
    if (has_loop(l, &at, d)) last = d;
  for (int d = 0; d < n->shape.rank; d++) {
    const bool moves = node_attr(n, "axis") >> d & 1;
    if (moves && graph_operand(l->g, n, k)->shape.rank) begin_in(l, n, d, k, &at, &begin);
    k += moves;
    if (has_loop(l, &at, d)) {
      loop_open(l, at.dim[d], loop_extent(l, v, d), d == last ? LOOP_PLAIN : LOOP_OUTER);
      opened++;
    }
    if (!moves) continue;
    to.dim[d] = window_place(l, n, &begin, &at, d);
    if (!n->layout->dim[d].naxes) continue;
    to.dim[d] = expr_sub(l->x, to.dim[d], loop_offset(l, n, d));
    loop_if(l, expr_within(l->x, to.dim[d], loop_int(l, 0), loop_extent(l, n, d)));
    opened++;
  }
  window_store(l, id, &begin, &at, &to);
  loop_close(l, opened);
  loop_done_as(l, id, out);
}
