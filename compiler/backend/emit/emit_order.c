/* Sorting: a call of the runtime. `distribute` has seen to it that the dim is whole here. */
#include "emit.h"
#include "scan.h"

void emit_order(Emit *e, NodeId id) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0);
  const int dim = (int)node_attr(n, "axis");
  scan_need_placed(n);
  const char *outer = "1", *inner = "1";
  for (int d = 0; d < n->shape.rank; d++) {
    const char *len = emit_extent(e, &n->layout->dim[d], n->shape.dim[d]);
    if (d < dim) outer = emit_product(e, outer, len);
    if (d > dim) inner = emit_product(e, inner, len);
  }
  const char *from = emit_pointer(e, n->operand[0]), *to = emit_pointer(e, id);
  str_line(&e->body, "dtrt_order(%s, %s, %ld, %s, %s, %ld, %d, (void *)%s);",
           emit_dtype(e, x->dtype), outer, (long)x->shape.dim[dim], inner, from,
           (long)node_attr(n, "count"), (int)node_attr(n, "descending"), to);
}
