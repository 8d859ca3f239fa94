/* ties.c: the tensors of all entries, with the layouts that are said of them, and what ties them:
 * ops, assignments, outputs (propagate.c). */
#include "propagate.h"
#include "plural.h"

static Cell *cell_new(Propagate *p, TensorId id, const Shape *s, DType t, const char *name) {
  Cell *c = arena_new_of(p->plan->arena, Cell);
  c->id = id;
  c->shape = *s;
  c->name = name;
  c->bytes = (double)shape_count(s) * dtype_size(t);
  c->dim = arena_array(p->plan->arena, DimLayout, s->rank);
  for (int d = 0; d < s->rank; d++) c->dim[d].granule = 1;
  return c;
}

static void cell_say(Propagate *p, Cell *c, const Spec *spec) {
  if (!spec) return;
  c->spec = spec;
  for (int d = 0; d < c->shape.rank; d++)
    if (spec->dim[d].granule > 1 && c->shape.dim[d] % spec->dim[d].granule)
      diag_error(p->plan->program->diag, spec->span,
                 "blocks of `%s` cannot be multiples of %ld: dim %d has %ld element%s", c->name,
                 (long)spec->dim[d].granule, d, (long)c->shape.dim[d], PLURAL(c->shape.dim[d]));
  for (int d = 0; d < c->shape.rank; d++) {
    c->dim[d] = spec->dim[d];
    if (c->dim[d].granule < 1) c->dim[d].granule = 1;
    if (!(spec->open & 1u << d)) c->closed |= 1u << d;
    for (int i = 0; i < c->dim[d].naxes; i++) {
      c->used |= 1u << c->dim[d].axis[i];
      c->why.why[c->dim[d].axis[i]] = (Reason){.kind = WHY_ANNOTATED, .said = spec->span};
    }
  }
  c->used |= spec->partial;
  for (int a = 0; a < p->mesh->naxes; a++)
    if (spec->partial & 1u << a)
      c->why.why[a] = (Reason){.kind = WHY_ANNOTATED, .said = spec->span};
}

/* A layout that another plan has fixed for this variable. */
static void cell_fix(Cell *c, const Layout *l) {
  for (int d = 0; d < l->rank; d++) {
    c->dim[d] = l->dim[d];
    for (int i = 0; i < l->dim[d].naxes; i++) {
      c->used |= 1u << l->dim[d].axis[i];
      c->why.why[l->dim[d].axis[i]] = (Reason){.kind = WHY_KEPT};
    }
  }
  c->closed = ~0u;
}

static void add_tie(Propagate *p, Tie *t, SharedRule *s) {
  t->shared = s;
  t->rule = &s->rule;
  for (int i = 0; i < t->ncells; i++) {
    bool again = false;
    for (int k = 0; k < i; k++) again = again || t->cell[k] == t->cell[i];
    if (t->cell[i] && !again) vec_push(p->plan->arena, &t->cell[i]->ties, p->ties.n);
  }
  vec_push(p->plan->arena, &p->ties, *t);
}

static void add_equality(Propagate *p, int entry, Cell *a, Cell *b) {
  Tie t = {.entry = entry, .node = NO_NODE, .ncells = 2};
  t.cell = arena_array(p->plan->arena, Cell *, 2);
  t.cell[0] = a;
  t.cell[1] = b;
  add_tie(p, &t, shared_equality(&p->rules, &a->shape));
}

static void add_op(Propagate *p, int e, NodeId id) {
  const Graph *g = p->plan->program->entries.at[e].graph;
  const Node *n = graph_node(g, id);
  if (!n->noperands) return;
  Tie t = {.entry = e, .node = id, .ncells = n->noperands + 1};
  t.rank = op_is(n, OPF_REPEATS) ? 2 : op_is(n, OPF_ELEMENTWISE | OPF_ONE_TO_ONE) ? 0 : 1;
  t.cell = arena_array(p->plan->arena, Cell *, t.ncells);
  for (int i = 0; i < n->noperands; i++)
    if (!op_is(graph_operand(g, n, i), OPF_FREE)) t.cell[i] = p->node[e][n->operand[i]];
  t.cell[n->noperands] = p->node[e][id];
  if (op_is(n, OPF_LAYOUT) && n->noperands > 1) t.cell[0] = NULL;
  add_tie(p, &t, shared_rule(&p->rules, g, id));
}

static bool check_spec(Propagate *p, const Spec *s, const char *what) {
  if (!s || !s->partial) return true;
  diag_error(p->plan->program->diag, s->span,
             "%s cannot be partial: each device would hold only an addend of it", what);
  return false;
}

void ties_set_up(Propagate *p, const Plan *as) {
  Program *g = p->plan->program;
  Arena *a = p->plan->arena;
  p->var = arena_array(a, Cell, g->vars.n + 1);
  for (int i = 0; i < g->vars.n; i++) {
    Var *v = &g->vars.at[i];
    p->var[i] = *cell_new(p, (TensorId){TENSOR_VAR, 0, i}, &v->shape, v->dtype, v->path);
    if (check_spec(p, v->spec, "a variable")) cell_say(p, &p->var[i], v->spec);
    int other = as ? program_find_var(as->program, v->path) : -1;
    if (other >= 0) cell_fix(&p->var[i], as->program->vars.at[other].layout);
    vec_push(a, &p->cells, &p->var[i]);
  }
  p->node = arena_array(a, Cell **, g->entries.n);
  int noutputs = 0;
  for (int e = 0; e < g->entries.n; e++) noutputs += g->entries.at[e].outputs.n;
  p->output = arena_array(a, Cell *, noutputs + 1);
  noutputs = 0;
  for (int e = 0; e < g->entries.n; e++) {
    Entry *en = &g->entries.at[e];
    p->node[e] = arena_array(a, Cell *, en->graph->nodes.n + 1);
    const NodeId *as = p->plan->alike ? alike_find(p->plan, p->plan->alike, e) : NULL;
    for (NodeId i = 0; i < en->graph->nodes.n; i++) {
      const Node *n = graph_node(en->graph, i);
      if (n->op == OP_var) {
        p->node[e][i] = &p->var[node_source(n)];
        continue;
      }
      TensorId id = {TENSOR_NODE, e, i};
      p->node[e][i] = cell_new(p, id, &n->shape, n->dtype,
                               n->spec ? node_text(p->plan->program, en->graph, i, a) : n->name);
      vec_push(a, &p->cells, p->node[e][i]);
      if (n->op == OP_input) check_spec(p, n->spec, "an input");
      cell_say(p, p->node[e][i], n->spec);
      if (as && as[i] != NO_NODE && !n->spec)
        cell_fix(p->node[e][i],
                 graph_node(p->plan->alike->program->entries.at[e].graph, as[i])->layout);
    }
    for (NodeId i = 0; i < en->graph->nodes.n; i++) add_op(p, e, i);
    for (int i = 0; i < en->assigns.n; i++) {
      const Assign *x = &en->assigns.at[i];
      /* Variables with the same initial constant may have different layouts. */
      if (op_is(graph_node(en->graph, x->node), OPF_FREE)) continue;
      add_equality(p, e, p->node[e][x->node], &p->var[x->var]);
    }
    for (int i = 0; i < en->regions.n; i++)
      for (int k = 0; k < en->regions.at[i].carries.n; k++) {
        const Carry *c = &en->regions.at[i].carries.at[k];
        if (op_is(graph_node(en->graph, c->next), OPF_FREE)) continue;
        add_equality(p, e, p->node[e][c->next], p->node[e][c->node]);
      }
    for (int i = 0; i < en->outputs.n; i++, noutputs++) {
      const Output *o = &en->outputs.at[i];
      const Node *n = graph_node(en->graph, o->node);
      if (!o->spec) continue;
      check_spec(p, o->spec, "an output");
      TensorId id = {TENSOR_OUTPUT, e, i};
      p->output[noutputs] = cell_new(p, id, &n->shape, n->dtype, o->name);
      cell_say(p, p->output[noutputs], o->spec);
      vec_push(a, &p->cells, p->output[noutputs]);
      add_equality(p, e, p->node[e][o->node], p->output[noutputs]);
    }
  }
}
