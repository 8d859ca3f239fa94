#include "plan.h"

const char *node_text(const Graph *g, NodeId id, Arena *a) {
  const Node *n = graph_node(g, id);
  return n->name ? n->name : arena_printf(a, "%%%d", id);
}

const char *node_where(const Program *p, const Node *n) {
  const char *at = diag_where(p->diag, p->arena, n->span);
  if (!n->site.file || n->site.file == n->span.file) return at;
  return arena_printf(p->arena, "%s, called at %s", at, diag_where(p->diag, p->arena, n->site));
}

NodeClass node_class(const Node *n) {
  switch (n->op) {
  case OP_input:
  case OP_var: return CLASS_SOURCE;
  case OP_reshape: return CLASS_VIEW;
  case OP_contract:
  case OP_conv:
  case OP_conv_input:
  case OP_conv_weight:
  case OP_pool_max:
  case OP_pool_sum:
  case OP_pool_index:
  case OP_unpool:
  case OP_unpool_sum: return CLASS_CONTRACT;
  case OP_scatter_add: return CLASS_SCATTER;
  case OP_exchange: return CLASS_EXCHANGE;
  case OP_argmax:
  case OP_argmin: return CLASS_REDUCE;
  default: return op_def(n->op)->flags & OPF_REDUCE ? CLASS_REDUCE : CLASS_MAP;
  }
}

NodeId node_base(const Graph *g, NodeId id) {
  while (graph_node(g, id)->op == OP_reshape) id = graph_node(g, id)->operand[0];
  return id;
}

bool same_space(const Node *a, const Node *b) {
  if (!shape_equal(&a->shape, &b->shape)) return false;
  for (int d = 0; d < a->shape.rank; d++)
    if (!dim_equal(&a->layout->dim[d], &b->layout->dim[d])) return false;
  return true;
}

static void add_read(Reads *out, Arena *a, NodeId base, bool aligned) {
  for (int i = 0; i < out->r.n; i++)
    if (out->r.at[i].node == base) {
      out->r.at[i].aligned = out->r.at[i].aligned && aligned;
      return;
    }
  vec_push(a, &out->r, ((Read){base, aligned}));
}

/* `aligned`: the value is wanted at the loop's own index. */
static void reads_of(const LocalEntry *le, NodeId id, bool aligned, Arena *a, Reads *out) {
  const Node *n = graph_node(le->graph, id);
  NodeId base = node_base(le->graph, id);
  if (le->stored[base]) {
    add_read(out, a, base, aligned && same_space(n, graph_node(le->graph, base)));
    return;
  }
  if (base != id) {
    reads_of(le, base, false, a, out);
    return;
  }
  bool keeps = aligned && op_def(n->op)->flags & OPF_ELEMENTWISE;
  for (int k = 0; k < n->noperands; k++) reads_of(le, n->operand[k], keeps, a, out);
}

void step_reads(const LocalEntry *le, const Step *s, Arena *a, Reads *out) {
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *n = graph_node(le->graph, s->nodes.at[i]);
    bool map = s->kind == STEP_MAP && op_def(n->op)->flags & OPF_ELEMENTWISE;
    for (int k = 0; k < n->noperands; k++) reads_of(le, n->operand[k], map, a, out);
  }
}
