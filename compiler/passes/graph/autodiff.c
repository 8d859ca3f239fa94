/* Reverse-mode differentiation. A `grad` node is replaced by the nodes that compute it; all grads
 * of one loss share one backward pass, placed at the first of them. Gradients of gradients work
 * because graphs are rewritten in order: an inner backward pass consists of ordinary nodes by the
 * time it is needed.
 *
 *   %9 = grad(%8 loss, %1 w)   becomes   %9.. = cotangents from %8 back to %1 */
#include "opdefs.h"
#include "graph_passes.h"

typedef struct Diff {
  Plan *plan;
  const Entry *entry;
  Build b;
  const Graph *old;
  NodeId *map;      /* old node -> new node */
  NodeId *gradient; /* old grad node -> its value in the new graph, once computed */
} Diff;

/* What comes out of a region depends on all that goes into any of its carries: each run may pass
 * it from one to another. */
static bool region_depends(const Diff *d, NodeId after, const bool *dep) {
  const Node *carry = graph_operand(d->b.graph, graph_node(d->b.graph, after), 0);
  const Region *r = &d->entry->regions.at[node_attr(carry, "region")];
  for (int i = 0; i < r->carries.n; i++) {
    const Carry *c = &r->carries.at[i];
    if (dtype_is_float(graph_node(d->old, c->node)->dtype) && c->next != c->node &&
        (dep[d->map[c->node]] || dep[d->map[c->next]]))
      return true;
  }
  return false;
}

/* Which new nodes the loss is computed from. */
static bool *leads_to(const Diff *d, NodeId loss) {
  const Graph *g = d->b.graph;
  bool *leads = arena_array(d->plan->arena, bool, loss + 1);
  leads[loss] = true;
  for (NodeId i = loss; i >= 0; i--) {
    const Node *n = graph_node(g, i);
    for (int k = 0; leads[i] && k < n->noperands; k++) leads[n->operand[k]] = true;
    if (!leads[i] || n->op != OP_after) continue;
    const Region *r = &d->entry->regions.at[node_attr(graph_operand(g, n, 0), "region")];
    for (int k = 0; k < r->carries.n; k++)
      leads[d->map[r->carries.at[k].node]] = leads[d->map[r->carries.at[k].next]] = true;
  }
  return leads;
}

/* Which new nodes depend on a node in `wrt` by a path that carries a gradient, to the loss. */
static bool *depends_on(Diff *d, NodeId loss, const bool *wrt) {
  const Graph *g = d->b.graph;
  bool *dep = arena_array(d->plan->arena, bool, loss + 1);
  const bool *leads = leads_to(d, loss);
  for (NodeId i = 0; i <= loss; i++) {
    const Node *n = graph_node(g, i);
    dep[i] = wrt[i];
    if (!leads[i] && !wrt[i] && (n->op == OP_carry || n->op == OP_after)) continue;
    for (int k = 0; k < n->noperands; k++)
      if (dep[n->operand[k]] && dtype_is_float(n->dtype)) dep[i] = true;
    if (n->op == OP_after && dtype_is_float(n->dtype)) dep[i] = dep[i] || region_depends(d, i, dep);
    /* Never a silent zero. */
    if (dep[i] && !wrt[i] && !n->op->grad)
      diag_error(d->plan->program->diag, n->span, "`%s` has no derivative: %s", n->op->name,
                 n->op->no_grad);
  }
  return dep;
}

static void name_gradient(Diff *d, NodeId of, NodeId cot) {
  Node *c = graph_node(d->b.graph, cot);
  const char *name = graph_node(d->b.graph, of)->name;
  if (name && !c->name && !node_is_const(c))
    c->name = arena_printf(d->plan->arena, "grad(%s)", name);
}

static void backward(Diff *d, NodeId loss, const bool *wrt, NodeId *cot) {
  Build *b = &d->b;
  Arena *a = d->plan->arena;
  bool *dep = depends_on(d, loss, wrt);
  Span outer = b->span, outer_site = b->site;
  b->span = graph_node(b->graph, loss)->span;
  cot[loss] = build_const(b, graph_node(b->graph, loss)->dtype, 1);
  for (NodeId i = loss; i >= 0; i--) {
    Node n = *graph_node(b->graph, i);
    if (cot[i] == NO_NODE || !dep[i]) continue;
    name_gradient(d, i, cot[i]);
    if (!n.op->grad || !n.noperands) continue;
    NodeId *dx = arena_array(a, NodeId, n.noperands);
    for (int k = 0; k < n.noperands; k++) dx[k] = NO_NODE;
    b->span = n.span, b->site = n.site;
    n.op->grad(b, i, cot[i], dx);
    for (int k = 0; k < n.noperands; k++) {
      NodeId x = n.operand[k];
      if (dx[k] == NO_NODE || !dep[x]) continue;
      cot[x] = cot[x] == NO_NODE ? dx[k] : mk_add(b, cot[x], dx[k]);
    }
  }
  b->span = outer, b->site = outer_site;
}

/* Computes every grad of this grad's loss. */
static void differentiate(Diff *d, NodeId first) {
  Arena *a = d->plan->arena;
  NodeId old_loss = graph_node(d->old, first)->operand[0], loss = d->map[old_loss];
  bool *wrt = arena_array(a, bool, loss + 1);
  NodeId *cot = arena_array(a, NodeId, loss + 1);
  for (NodeId i = 0; i <= loss; i++) cot[i] = NO_NODE;
  for (NodeId i = first; i < d->old->nodes.n; i++) {
    const Node *n = graph_node(d->old, i);
    if (!op_is(n, OPF_GRAD) || n->operand[0] != old_loss || n->operand[1] > old_loss) continue;
    if (d->map[n->operand[1]] <= loss) wrt[d->map[n->operand[1]]] = true;
  }
  backward(d, loss, wrt, cot);
  for (NodeId i = first; i < d->old->nodes.n; i++) {
    const Node *n = graph_node(d->old, i);
    if (!op_is(n, OPF_GRAD) || n->operand[0] != old_loss) continue;
    NodeId x = n->operand[1] <= old_loss ? d->map[n->operand[1]] : NO_NODE;
    NodeId value = x != NO_NODE && x <= loss ? cot[x] : NO_NODE;
    if (value == NO_NODE) {
      const Node *of = graph_node(d->old, n->operand[1]);
      diag_warning(d->plan->program->diag, n->span,
                   "the loss does not depend on %s: its gradient is zero",
                   node_text(d->plan->program, d->old, n->operand[1], a));
      d->b.span = n->span, d->b.site = n->site;
      value = mk_const(&d->b, of->dtype, &of->shape, 0);
    }
    d->gradient[i] = value;
  }
}

/* A gradient with an annotated layout is a relayout of the cotangent: that may be the same for
 * several `grad`s, or anything else that the backward pass has made. */
static NodeId lay_out(Diff *d, const Node *grad, NodeId value) {
  if (!grad->spec) return value;
  d->b.span = grad->span, d->b.site = grad->site;
  NodeId id = build_node(&d->b, OP_relayout, 1, &value, 0, NULL, 0);
  Node *made = graph_node(d->b.graph, id), *x = graph_node(d->b.graph, value);
  made->spec = grad->spec;
  made->name = x->name ? x->name : grad->name;
  return id;
}

static void rewrite(Plan *p, Entry *e) {
  Diff d = {.plan = p, .entry = e, .old = e->graph};
  int n = e->graph->nodes.n;
  bool any = false;
  for (NodeId i = 0; i < n; i++) any = any || op_is(graph_node(e->graph, i), OPF_GRAD);
  if (!any) return;
  d.b = (Build){.arena = p->arena,
                .diag = p->program->diag,
                .graph = graph_new(p->arena, VIEW_GLOBAL, 2 * e->graph->nodes.n)};
  d.map = arena_array(p->arena, NodeId, n);
  d.gradient = arena_array(p->arena, NodeId, n);
  for (NodeId i = 0; i < n; i++) d.gradient[i] = NO_NODE;
  for (NodeId i = 0; i < n; i++) {
    Node copy = *graph_node(e->graph, i);
    if (op_is(&copy, OPF_GRAD)) {
      if (d.gradient[i] == NO_NODE) differentiate(&d, i);
      d.map[i] = lay_out(&d, &copy, d.gradient[i]);
      Node *made = graph_node(d.b.graph, d.map[i]);
      if (!made->forbid.file) made->forbid = copy.forbid;
      continue;
    }
    NodeId *x = arena_array(p->arena, NodeId, copy.noperands);
    for (int k = 0; k < copy.noperands; k++) x[k] = d.map[copy.operand[k]];
    copy.operand = x;
    d.map[i] = graph_add(d.b.graph, &copy);
  }
  entry_rewritten(e, d.b.graph, d.map);
}

void autodiff(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++) rewrite(p, &p->program->entries.at[i]);
}
