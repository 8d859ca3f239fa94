#include "graph.h"
#include <string.h>

Graph *graph_new(Arena *a, View view, int nodes) {
  Graph *g = arena_new_of(a, Graph);
  vec_reserve(a, &g->nodes, nodes > 8 ? nodes : 8);
  g->arena = a;
  g->view = view;
  g->ordinals = arena_new_of(a, Ordinals);
  g->verified = arena_new_of(a, uint64_t);
  return g;
}

NodeId graph_add(Graph *g, const Node *n) {
  Node copy = *n;
  copy.operand = arena_copy(g->arena, n->operand, sizeof *n->operand * (size_t)n->noperands);
  copy.attr = arena_copy(g->arena, n->attr, sizeof *n->attr * (size_t)n->nattr);
  vec_push(g->arena, &g->nodes, copy);
  return g->nodes.n - 1;
}

int program_find_entry(const Program *p, const char *name) {
  for (int i = 0; i < p->entries.n; i++)
    if (!strcmp(p->entries.at[i].name, name)) return i;
  return -1;
}

int program_find_var(const Program *p, const char *path) {
  for (int i = 0; i < p->vars.n; i++)
    if (!strcmp(p->vars.at[i].path, path)) return i;
  return -1;
}
