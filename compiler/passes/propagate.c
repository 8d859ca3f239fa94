/* Gives every tensor a layout, from what the user said, forward and backward through all entries at
 * once (a variable is one tensor in all of them) until nothing changes.
 *
 * Facts only grow: a dim that was said and is not open never changes; others may gain axes, each
 * axis at most once a tensor; so the sweeps end. One step takes one factor of one op: the longest
 * list of axes that its tensors agree on is written to every tensor that can take it. Where they
 * disagree the largest tensor's list is taken, and the others stay as they are.
 *
 * Order: ops that only rename dims first, then factors that pass, then those that reduce or shift,
 * and broadcasts forward last, so that a bias does not decide for its batch. After Shardy
 * (OpenXLA). */
#include "passes.h"
#include <string.h>

typedef struct Cell {
  Shape shape;
  DimLayout dim[MAX_RANK];
  uint32_t closed; /* dims */
  uint32_t used;   /* axes */
  double bytes;
  const char *name;
  const Spec *spec;
  Inferred why;
} Cell;

typedef struct Tie { /* an op, or an equality of two cells (an assignment, an output) */
  int entry;
  NodeId node; /* NO_NODE for an equality */
  int rank;    /* sweeps in which it takes part: 0 renames, 1 others, 2 broadcasts */
  Rule rule;
  int ncells;
  Cell **cell; /* operands, then the result; NULL: takes no part */
} Tie;

typedef struct Propagate {
  Plan *plan;
  const Mesh *mesh;
  Cell *var;
  Cell ***node;  /* [entry][node] */
  Cell **output; /* flat over entries */
  VEC(Tie) ties;
} Propagate;

static Cell *cell_new(Propagate *p, const Shape *s, DType t, const char *name) {
  Cell *c = arena_new_of(p->plan->arena, Cell);
  c->shape = *s;
  c->name = name;
  c->bytes = (double)shape_count(s) * dtype_size(t);
  for (int d = 0; d < s->rank; d++) c->dim[d].granule = 1;
  return c;
}

static void cell_say(Propagate *p, Cell *c, const Spec *spec) {
  if (!spec) return;
  c->spec = spec;
  for (int d = 0; d < c->shape.rank; d++)
    if (spec->dim[d].granule > 1 && c->shape.dim[d] % spec->dim[d].granule)
      diag_error(p->plan->program->diag, spec->span,
                 "blocks of `%s` cannot be multiples of %ld: dim %d has %ld elements", c->name,
                 (long)spec->dim[d].granule, d, (long)c->shape.dim[d]);
  for (int d = 0; d < c->shape.rank; d++) {
    c->dim[d] = spec->dim[d];
    if (c->dim[d].granule < 1) c->dim[d].granule = 1;
    if (!(spec->open & 1u << d)) c->closed |= 1u << d;
    for (int i = 0; i < c->dim[d].naxes; i++) {
      c->used |= 1u << c->dim[d].axis[i];
      c->why.why[d][i].said = spec->span;
    }
  }
  c->used |= spec->partial;
}

/* A layout that another plan has fixed for this variable. */
static void cell_fix(Cell *c, const Layout *l) {
  for (int d = 0; d < l->rank; d++) {
    c->dim[d] = l->dim[d];
    for (int i = 0; i < l->dim[d].naxes; i++) c->used |= 1u << l->dim[d].axis[i];
  }
  c->closed = ~0u;
}

/* -------- one step -------- */

static const RuleDim *rule_dims(const Tie *t, int i) {
  return i + 1 < t->ncells ? t->rule.operand[i] : t->rule.result;
}

/* The dim of cell i that carries factor f, or -1. */
static int dim_with(const Tie *t, int i, int f) {
  const RuleDim *rd = rule_dims(t, i);
  for (int d = 0; d < t->cell[i]->shape.rank; d++)
    for (int j = 0; j < rd[d].n; j++)
      if (rd[d].factor[j] == f) return d;
  return -1;
}

static bool is_prefix(const Cut *a, const Cut *b) {
  if (a->naxes > b->naxes) return false;
  for (int i = 0; i < a->naxes; i++)
    if (a->axis[i] != b->axis[i]) return false;
  return true;
}

/* The list that wins: that of the largest tensor, made longer by any that continues it. */
static int choose(Propagate *p, const Tie *t, int f, Cut *best) {
  int from = -1;
  for (int i = 0; i < t->ncells; i++) {
    Cut c;
    int d = t->cell[i] ? dim_with(t, i, f) : -1;
    if (d < 0) continue;
    const Cell *x = t->cell[i];
    cut_of(p->mesh, &t->rule, &rule_dims(t, i)[d], &x->dim[d], f, &c);
    if (!c.naxes) continue;
    bool longer = from >= 0 && is_prefix(best, &c) && c.naxes > best->naxes;
    bool larger = from >= 0 && !is_prefix(&c, best) && !is_prefix(best, &c) &&
                  x->bytes > t->cell[from]->bytes;
    if (from < 0 || longer || larger) *best = c, from = i;
  }
  return from;
}

static bool cell_can_take(const Cell *c, int axis) { return !(c->used & 1u << axis); }

/* Writes what of `want` is not yet there to dim d of cell i. True when something changed. */
static bool write(Propagate *p, const Tie *t, int i, int d, int f, const Cut *want, int from) {
  Cell *c = t->cell[i];
  const RuleDim *rd = &rule_dims(t, i)[d];
  Cut have, cut[MAX_FACTORS];
  if (c->closed & 1u << d || rd->window.of) return false;
  int64_t size = t->rule.factor[f].size, k = 1;
  for (int j = 0; j < rd->n; j++) {
    int g = rd->factor[j];
    cut_of(p->mesh, &t->rule, rd, &c->dim[d], g, &cut[g]);
  }
  have = cut[f];
  if (!is_prefix(&have, want) || have.naxes == want->naxes) return false;
  for (int j = 0; j < have.naxes; j++) k *= p->mesh->axis[have.axis[j]].size;
  cut[f].granule = want->granule;
  for (int j = have.naxes; j < want->naxes; j++) {
    k *= p->mesh->axis[want->axis[j]].size;
    if (!cell_can_take(c, want->axis[j]) ||
        (k > size && !(size == c->shape.dim[d] && from >= 0 && rd->n == 1)))
      break;
    cut[f].axis[cut[f].naxes++] = want->axis[j];
  }
  DimLayout next;
  if (cut[f].naxes == have.naxes || !cut_join(p->mesh, &t->rule, rd, cut, &next)) return false;
  /* Only appending at the end keeps what was there. */
  for (int j = 0; j < c->dim[d].naxes; j++)
    if (next.axis[j] != c->dim[d].axis[j]) return false;
  for (int j = c->dim[d].naxes; j < next.naxes; j++) {
    c->used |= 1u << next.axis[j];
    c->why.why[d][j] = (Reason){.entry = t->entry, .op = t->node, .from = t->cell[from]->name};
    /* An equality (assignment, output) passes on the reason of the other side. */
  }
  c->dim[d] = next;
  return true;
}

static bool step(Propagate *p, const Tie *t, int stage) {
  bool changed = false;
  for (int f = 0; f < t->rule.nfactors; f++) {
    FactorKind kind = t->rule.factor[f].kind;
    if (kind == FACTOR_WHOLE || kind == FACTOR_SHIFT || t->rule.factor[f].size <= 1) continue;
    if (kind == FACTOR_REDUCE && stage < 2) continue;
    Cut want;
    int from = choose(p, t, f, &want);
    if (from < 0) continue;
    for (int i = 0; i < t->ncells; i++) {
      if (!t->cell[i] || i == from) continue;
      if (t->rank == 2 && stage < 3 && i + 1 == t->ncells) continue; /* broadcast forward: last */
      int d = dim_with(t, i, f);
      if (d >= 0) changed |= write(p, t, i, d, f, &want, from);
    }
  }
  return changed;
}

/* A shifted dim keeps its layout too: blocks of the result and of the operand are cut alike, and
 * the exchange moves the difference. */
static bool step_shift(Propagate *p, const Tie *t) {
  bool changed = false;
  Tie plain = *t;
  for (int f = 0; f < t->rule.nfactors; f++) {
    if (t->rule.factor[f].kind != FACTOR_SHIFT) continue;
    Cut want;
    int from = choose(p, t, f, &want);
    for (int i = 0; from >= 0 && i < t->ncells; i++) {
      int d = t->cell[i] && i != from ? dim_with(t, i, f) : -1;
      if (d < 0) continue;
      RuleDim rd = rule_dims(t, i)[d], *slot = (RuleDim *)&rule_dims(&plain, i)[d];
      Window w = rd.window;
      slot->window = (Window){0};
      changed |= write(p, &plain, i, d, f, &want, from);
      slot->window = w;
    }
  }
  return changed;
}

static void sweep(Propagate *p, int stage) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < p->ties.n; i++) {
      const Tie *t = &p->ties.at[i];
      if (t->rank > stage) continue;
      changed |= step(p, t, stage);
      if (stage >= 2) changed |= step_shift(p, t);
    }
    for (int i = p->ties.n - 1; i >= 0; i--) {
      const Tie *t = &p->ties.at[i];
      if (t->rank > stage) continue;
      changed |= step(p, t, stage);
      if (stage >= 2) changed |= step_shift(p, t);
    }
  }
}

/* -------- setting up -------- */

static void add_equality(Propagate *p, int entry, Cell *a, Cell *b) {
  Tie t = {.entry = entry, .node = NO_NODE, .ncells = 2};
  t.cell = arena_array(p->plan->arena, Cell *, 2);
  t.cell[0] = a;
  t.cell[1] = b;
  t.rule.operand = arena_alloc(p->plan->arena, sizeof *t.rule.operand);
  for (int d = 0; d < a->shape.rank; d++) {
    int f = rule_factor(&t.rule, a->shape.dim[d], FACTOR_PASS);
    t.rule.operand[0][d] = t.rule.result[d] = (RuleDim){.n = 1, .factor = {(int8_t)f}};
  }
  vec_push(p->plan->arena, &p->ties, t);
}

static void add_op(Propagate *p, int e, NodeId id) {
  const Graph *g = p->plan->program->entries.at[e].graph;
  const Node *n = graph_node(g, id);
  if (!n->noperands) return;
  Tie t = {.entry = e, .node = id, .ncells = n->noperands + 1};
  rule_of(g, n, &t.rule, p->plan->arena);
  t.rank = n->op == OP_broadcast ? 2
           : op_def(n->op)->flags & OPF_ELEMENTWISE || n->op == OP_reshape || n->op == OP_transpose
               ? 0
               : 1;
  t.cell = arena_array(p->plan->arena, Cell *, t.ncells);
  for (int i = 0; i < n->noperands; i++)
    if (!(op_def(graph_operand(g, n, i)->op)->flags & OPF_FREE))
      t.cell[i] = p->node[e][n->operand[i]];
  t.cell[n->noperands] = p->node[e][id];
  if (n->op == OP_relayout_like) t.cell[0] = NULL;
  if (n->op == OP_relayout)
    for (int d = 0; d < n->shape.rank; d++)
      if (!n->spec || !(n->spec->open & 1u << d)) t.rule.operand[0][d].n = 0;
  vec_push(p->plan->arena, &p->ties, t);
}

static bool check_spec(Propagate *p, const Spec *s, const char *what) {
  if (!s || !s->partial) return true;
  diag_error(p->plan->program->diag, s->span,
             "%s cannot be partial: a device would hold only a term of it", what);
  return false;
}

static void set_up(Propagate *p, const Plan *variables_of) {
  Program *g = p->plan->program;
  Arena *a = p->plan->arena;
  p->var = arena_array(a, Cell, g->vars.n + 1);
  for (int i = 0; i < g->vars.n; i++) {
    Var *v = &g->vars.at[i];
    p->var[i] = *cell_new(p, &v->shape, v->dtype, v->path);
    if (check_spec(p, v->spec, "a variable")) cell_say(p, &p->var[i], v->spec);
    int other = variables_of ? program_find_var(variables_of->program, v->path) : -1;
    if (other >= 0) cell_fix(&p->var[i], variables_of->program->vars.at[other].layout);
  }
  p->node = arena_array(a, Cell **, g->entries.n);
  int noutputs = 0;
  for (int e = 0; e < g->entries.n; e++) noutputs += g->entries.at[e].outputs.n;
  p->output = arena_array(a, Cell *, noutputs + 1);
  noutputs = 0;
  for (int e = 0; e < g->entries.n; e++) {
    Entry *en = &g->entries.at[e];
    p->node[e] = arena_array(a, Cell *, en->graph->nodes.n + 1);
    for (NodeId i = 0; i < en->graph->nodes.n; i++) {
      const Node *n = graph_node(en->graph, i);
      if (n->op == OP_var) {
        p->node[e][i] = &p->var[n->attr[1]];
        continue;
      }
      p->node[e][i] = cell_new(p, &n->shape, n->dtype, node_text(en->graph, i, a));
      if (n->op == OP_input) check_spec(p, n->spec, "an input");
      cell_say(p, p->node[e][i], n->spec);
    }
    for (NodeId i = 0; i < en->graph->nodes.n; i++) add_op(p, e, i);
    for (int i = 0; i < en->assigns.n; i++)
      add_equality(p, e, p->node[e][en->assigns.at[i].node], &p->var[en->assigns.at[i].var]);
    for (int i = 0; i < en->outputs.n; i++, noutputs++) {
      const Output *o = &en->outputs.at[i];
      const Node *n = graph_node(en->graph, o->node);
      if (!o->spec) continue;
      check_spec(p, o->spec, "an output");
      p->output[noutputs] = cell_new(p, &n->shape, n->dtype, o->name);
      cell_say(p, p->output[noutputs], o->spec);
      add_equality(p, e, p->node[e][o->node], p->output[noutputs]);
    }
  }
}

static const Layout *cell_layout(Propagate *p, const Cell *c) {
  Layout l = {.rank = c->shape.rank};
  memcpy(l.dim, c->dim, sizeof l.dim[0] * (size_t)l.rank);
  if (c->spec) l.partial = c->spec->partial, l.reduce = c->spec->reduce;
  return layout_of(p->plan->program->layouts, &l, &c->shape);
}

static void finish(Propagate *p) {
  Program *g = p->plan->program;
  Plan *plan = p->plan;
  int noutputs = 0;
  plan->var_inferred = arena_array(plan->arena, Inferred, g->vars.n + 1);
  plan->inferred = arena_array(plan->arena, const Inferred **, g->entries.n);
  for (int i = 0; i < g->vars.n; i++) {
    g->vars.at[i].layout = cell_layout(p, &p->var[i]);
    plan->var_inferred[i] = p->var[i].why;
  }
  for (int e = 0; e < g->entries.n; e++) {
    Entry *en = &g->entries.at[e];
    plan->inferred[e] = arena_array(plan->arena, const Inferred *, en->graph->nodes.n + 1);
    for (NodeId i = 0; i < en->graph->nodes.n; i++) {
      graph_node(en->graph, i)->layout = cell_layout(p, p->node[e][i]);
      plan->inferred[e][i] = &p->node[e][i]->why;
    }
    for (int i = 0; i < en->outputs.n; i++, noutputs++) {
      Output *o = &en->outputs.at[i];
      const Cell *c = p->output[noutputs] ? p->output[noutputs] : p->node[e][o->node];
      o->layout = layout_without_partial(g->layouts, cell_layout(p, c), &c->shape);
    }
  }
}

void propagate(Plan *plan) {
  Propagate p = {.plan = plan, .mesh = &plan->program->mesh};
  set_up(&p, plan->variables_of);
  for (int stage = 0; stage <= 3; stage++) sweep(&p, stage);
  finish(&p);
}
