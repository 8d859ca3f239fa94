/* The laws of a stage. A breach is a bug of the compiler: it names the pass and the node and stops.
 */
#include "passes.h"
#include <stdio.h>
#include <stdlib.h>

static void breach(const Plan *p, const Entry *e, const Graph *g, NodeId id, const char *after,
                   const char *law) {
  Str s = str_new(p->arena);
  const Node *n = graph_node(g, id);
  str_printf(&s, "dtgc: bug after pass %s: entry %s, %%%d = %s", after, e->name, id,
             op_def(n->op)->name);
  for (int k = 0; k < n->noperands; k++) str_printf(&s, " %%%d", n->operand[k]);
  str_printf(&s, " %s", dtype_name(n->dtype));
  shape_put(&s, &n->shape);
  str_printf(&s, ": %s\n", law);
  fputs(s.at, stderr);
  abort();
}

/* Operands come first, every dim of a factor has the factor's size. */
static const char *broken(Arena *scratch, const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  Rule r;
  for (int k = 0; k < n->noperands; k++)
    if (n->operand[k] < 0 || n->operand[k] >= id) return "an operand does not come before its use";
  if (n->shape.rank > MAX_RANK) return "too many dims";
  if (n->op == OP_exchange) return NULL;
  rule_of(g, n, &r, scratch);
  for (int i = 0; i <= n->noperands; i++) {
    const Shape *s = i < n->noperands ? &graph_operand(g, n, i)->shape : &n->shape;
    const RuleDim *rd = i < n->noperands ? r.operand[i] : r.result;
    for (int d = 0; d < s->rank; d++) {
      int64_t size = 1;
      for (int j = 0; j < rd[d].n; j++) size *= r.factor[rd[d].factor[j]].size;
      if (rd[d].n && !rd[d].window.of && size != s->dim[d])
        return "a dim does not have the size of its factors";
    }
  }
  return NULL;
}

void verify_global(const Plan *p, const char *after) {
  for (int e = 0; e < p->program->entries.n; e++) {
    const Entry *en = &p->program->entries.at[e];
    for (NodeId i = 0; i < en->graph->nodes.n; i++) {
      ArenaMark mark = arena_mark(p->arena);
      const char *law = broken(p->arena, en->graph, i);
      arena_release(p->arena, mark);
      if (law) breach(p, en, en->graph, i, after, law);
    }
  }
}

void verify_local(const Plan *p, const char *after) {
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    for (NodeId i = 0; i < le->graph->nodes.n; i++) {
      const Node *n = graph_node(le->graph, i);
      ArenaMark mark = arena_mark(p->arena);
      const char *law = broken(p->arena, le->graph, i);
      arena_release(p->arena, mark);
      if (!law && !n->layout) law = "no layout";
      if (!law && n->layout->rank != n->shape.rank) law = "the layout has another number of dims";
      if (!law && n->layout->partial & layout_axes(n->layout))
        law = "an axis both cuts it and is summed over";
      if (law) breach(p, le->entry, le->graph, i, after, law);
    }
    for (int i = 0; i < le->entry->outputs.n; i++)
      if (graph_node(le->graph, le->output[i])->layout->partial)
        breach(p, le->entry, le->graph, le->output[i], after, "an output is partial");
  }
}
