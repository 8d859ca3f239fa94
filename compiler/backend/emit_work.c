/* How much a step has to do, for the table of steps: a profile makes rates of it. */
#include "emit.h"
#include "work.h"

static double product_flops(const Program *p, const LocalEntry *le, const Node *n) {
  const Layout *lies[64];
  Rule r;
  if (!work_is_product(n->op) || n->noperands > 64) return 0;
  for (int i = 0; i < n->noperands; i++) lies[i] = graph_operand(le->graph, n, i)->layout;
  ArenaMark mark = arena_mark(p->arena);
  rule_of(le->graph, n, &r, p->arena);
  double flops = work_flops(p, le->graph, n, &r, lies, n->layout);
  arena_release(p->arena, mark);
  return flops;
}

static double node_bytes(const Program *p, const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  return work_block_bytes(p, n->layout, &n->shape, n->dtype);
}

static double received(const Program *p, const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id), *x = graph_operand(le->graph, n, 0);
  return (double)exchange_of(p, x->layout, n->layout, &n->shape, n->dtype).bytes;
}

StepWork emit_work(Emit *e, const Step *s) {
  const Program *p = e->program;
  const LocalEntry *le = e->le;
  StepWork w = {0};
  for (int i = 0; i < s->nodes.n; i++) {
    NodeId id = s->nodes.at[i];
    w.flops += product_flops(p, le, graph_node(le->graph, id));
    w.bytes += s->kind == STEP_EXCHANGE ? received(p, le, id) : node_bytes(p, le, id);
  }
  if (s->kind == STEP_EXCHANGE) return w;
  ArenaMark mark = arena_mark(p->arena);
  Reads reads = {0};
  step_reads(le, s, p->arena, &reads);
  for (int i = 0; i < reads.r.n; i++) w.bytes += node_bytes(p, le, reads.r.at[i].node);
  arena_release(p->arena, mark);
  return w;
}
