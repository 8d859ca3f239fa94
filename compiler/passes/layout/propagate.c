/* Gives every tensor a layout, from the annotations, forward and backward through all entries at
 * once (a variable is one tensor in all of them) until nothing changes.
 *
 * A relayout's layout propagates back to an operand that has none by then. `updates` then adds
 * layouts of variables, and propagation continues.
 *
 * Facts are only added: an annotated dim that is not open never changes; others may gain axes,
 * each axis at most once per tensor; so the sweeps end. A sweep skips ops none of whose tensors
 * has changed since their last visit. One step handles one factor of one op: the longest list of
 * axes that its tensors agree on is written to every tensor that can take it. If they disagree the
 * largest tensor's list is taken, and the others stay as they are, unless `contest` finds another
 * outcome cheaper.
 *
 * Order: ops that only rename dims first, then factors that pass, then those that reduce or shift,
 * and broadcasts forward last, so that a bias does not decide for its batch. After Shardy
 * (OpenXLA). */
#include "plural.h"
#include "shared_rules.h"
#include <string.h>

enum { MAX_HELD = 2 };

typedef struct Cell {
  Shape shape;
  DimLayout *dim;                /* [rank] */
  VEC(int) ties;                 /* it is in */
  uint32_t closed;               /* dims */
  uint32_t used;                 /* axes */
  const Contest *held[MAX_HELD]; /* what is decided of it */
  double bytes;
  const char *name;
  const Spec *spec;
  TensorId id;
  Inferred why;
} Cell;

typedef struct Tie { /* an op, or an equality of two cells (an assignment, an output) */
  int entry;
  NodeId node; /* NO_NODE for an equality */
  int rank;    /* sweeps in which it takes part: 0 renames, 1 others, 2 broadcasts */
  const SharedRule *shared;
  const Rule *rule; /* shared->rule */
  int ncells;
  Cell **cell; /* operands, then the result; NULL: takes no part */
} Tie;

/* What sweeps change of a cell. */
typedef struct CellState {
  DimLayout *dim;
  uint32_t closed, used;
  Inferred why;
} CellState;

typedef struct Propagate {
  Plan *plan;
  const Mesh *mesh;
  Cell *var;
  Cell ***node;  /* [entry][node] */
  Cell **output; /* flat over entries */
  VEC(Tie) ties;
  uint64_t *dirty; /* set of ties with a tensor changed since their last visit */
  SharedRules rules;
  const Layout *whole[MAX_RANK + 1]; /* by rank */
  VEC(Cell *) cells;                 /* all */
  CellState *before; /* by cell: before `updates` added anything; NULL: it has not yet */
} Propagate;

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

/* What `updates` adds, behind what cuts the dim already. */
static void cell_add(Propagate *p, Cell *c, const Added *x) {
  DimLayout *d = &c->dim[x->dim];
  for (int a = 0; a < p->mesh->naxes; a++) {
    if (!(x->axes & 1u << a) || c->used & 1u << a) continue;
    d->axis[d->naxes++] = a;
    c->used |= 1u << a;
    c->why.why[a] = (Reason){.kind = WHY_SHARED};
  }
  if (x->closed) c->closed = ~0u;
}

/* -------- one step -------- */

static const RuleDim *rule_dims(const Tie *t, int i) {
  return i + 1 < t->ncells ? t->rule->operand[i] : t->rule->result;
}

/* The dim of cell i that carries factor f, or -1. */
static int dim_with(const Tie *t, int i, int f) {
  return t->shared->where[i * t->rule->nfactors + f];
}

static bool is_prefix(const Cut *a, const Cut *b) {
  if (a->naxes > b->naxes) return false;
  for (int i = 0; i < a->naxes; i++)
    if (a->axis[i] != b->axis[i]) return false;
  return true;
}

/* The list that wins: that of the largest tensor, extended by any that continues it. */
static int choose_cut(Propagate *p, const Tie *t, int f, Cut *best, Won *won) {
  int from = -1;
  *won = WON_ALONE;
  for (int i = 0; i < t->ncells; i++) {
    Cut c;
    int d = t->cell[i] ? dim_with(t, i, f) : -1;
    if (d < 0) continue;
    const Cell *x = t->cell[i];
    if (!x->dim[d].naxes) continue;
    cut_of(p->mesh, t->rule, &rule_dims(t, i)[d], &x->dim[d], f, &c);
    if (!c.naxes) continue;
    bool longer = from >= 0 && is_prefix(best, &c) && c.naxes > best->naxes;
    bool against = from >= 0 && !is_prefix(&c, best) && !is_prefix(best, &c);
    bool larger = against && x->bytes > t->cell[from]->bytes;
    if (against)
      *won = WON_LARGEST;
    else if (from >= 0 && c.naxes != best->naxes && *won == WON_ALONE)
      *won = WON_LONGEST;
    if (from < 0 || longer || larger) *best = c, from = i;
  }
  return from;
}

static bool cell_can_take(const Cell *c, int axis) { return !(c->used & 1u << axis); }

/* -------- contests -------- */

enum { MOST_CONTESTS = 64 };

static bool contest_is(const Contest *x, const Cell *c, int d, const int *axis, int n) {
  return x->dim == d && x->naxes == n && shape_equal(&x->shape, &c->shape) &&
         !memcmp(x->axis, axis, sizeof *axis * (size_t)n);
}

static void add_contest(Propagate *p, const Cell *c, int d, const int *axis, int n) {
  Contests *all = p->plan->contests;
  Contest *x = NULL;
  if (!all || all->known || !n || c->closed & 1u << d) return;
  for (int i = 0; i < all->at.n && !x; i++)
    if (contest_is(&all->at.at[i], c, d, axis, n)) x = &all->at.at[i];
  if (!x) {
    if (all->at.n == MOST_CONTESTS) return;
    vec_push(p->plan->arena, &all->at, ((Contest){.shape = c->shape, .dim = d, .naxes = n}));
    x = &all->at.at[all->at.n - 1];
    memcpy(x->axis, axis, sizeof *axis * (size_t)n);
  }
  for (int i = 0; i < x->tensors.n; i++)
    if (!memcmp(&x->tensors.at[i], &c->id, sizeof c->id)) return;
  if (!x->held) vec_push(p->plan->arena, &x->tensors, c->id);
}

/* An op would split dim d of the cell over `want`, of which other dims, or others in its place,
 * have some: the whole list, and what is left of it, can be had instead. */
static void contested(Propagate *p, const Cell *c, int d, const Cut *want) {
  int rest[MAX_AXES], n = 0;
  uint32_t others = c->used;
  for (int i = 0; i < c->dim[d].naxes; i++) others &= ~(1u << c->dim[d].axis[i]);
  if (want->granule > 1) return;
  for (int i = 0; i < want->naxes; i++)
    if (!(others & 1u << want->axis[i])) rest[n++] = want->axis[i];
  add_contest(p, c, d, want->axis, want->naxes);
  if (n < want->naxes) add_contest(p, c, d, rest, n);
}

/* What of a list dim d of the cell may take: a contest that is decided leaves the dim its axes and
 * the other dims the rest. */
static Cut allowed(const Cell *c, int d, const Cut *want) {
  Cut x = *want;
  for (int h = 0; h < MAX_HELD && c->held[h]; h++) {
    const Contest *k = c->held[h];
    int n = 0;
    for (int i = 0; i < x.naxes; i++) {
      bool among = false;
      for (int j = 0; j < k->naxes; j++) among = among || k->axis[j] == x.axis[i];
      if (among == (k->dim == d)) x.axis[n++] = x.axis[i];
    }
    x.naxes = n;
  }
  return x;
}

/* Writes what of `all` is not yet there to dim d of cell i. A shifted dim is written as if it were
 * not. */
static void write(Propagate *p, const Tie *t, int i, int d, int f, const Cut *all, int from,
                  Won won, bool shifted) {
  Cell *c = t->cell[i];
  Cut kept = allowed(c, d, all), *want = &kept;
  RuleDim plain = rule_dims(t, i)[d], *rd = &plain;
  Cut have, cut[MAX_FACTORS];
  if (c->closed & 1u << d || (!shifted && rd->window.of)) return;
  bool looks = p->plan->contests && !p->plan->contests->known;
  if (rd->n == 1 && c->dim[d].naxes >= want->naxes && !looks) return; /* it is whole in the dim */
  plain.window = (Window){0};
  int64_t size = t->rule->factor[f].size, k = 1;
  cut_of(p->mesh, t->rule, rd, &c->dim[d], f, &have);
  if (!is_prefix(&have, want)) {
    if (rd->n == 1 && !is_prefix(want, &have)) contested(p, c, d, want);
    return;
  }
  if (have.naxes == want->naxes) return;
  for (int j = 0; j < rd->n; j++) {
    int g = rd->factor[j];
    cut_of(p->mesh, t->rule, rd, &c->dim[d], g, &cut[g]);
  }
  for (int j = 0; j < have.naxes; j++) k *= p->mesh->axis[have.axis[j]].size;
  cut[f].granule = want->granule;
  for (int j = have.naxes; j < want->naxes; j++) {
    k *= p->mesh->axis[want->axis[j]].size;
    if (!cell_can_take(c, want->axis[j])) {
      if (rd->n == 1) contested(p, c, d, want);
      break;
    }
    if (k > size && !(size == c->shape.dim[d] && from >= 0 && rd->n == 1)) break;
    cut[f].axis[cut[f].naxes++] = want->axis[j];
  }
  DimLayout next;
  if (cut[f].naxes == have.naxes || !cut_join(p->mesh, t->rule, rd, cut, &next)) return;
  /* Only appending at the end keeps what was there. */
  for (int j = 0; j < c->dim[d].naxes; j++)
    if (next.axis[j] != c->dim[d].axis[j]) return;
  for (int j = c->dim[d].naxes; j < next.naxes; j++) {
    c->used |= 1u << next.axis[j];
    c->why.why[next.axis[j]] = (Reason){
        .kind = WHY_FROM, .won = won, .from = t->cell[from]->id, .entry = t->entry, .op = t->node};
  }
  c->dim[d] = next;
  for (int j = 0; j < c->ties.n; j++) p->dirty[c->ties.at[j] / 64] |= 1ull << c->ties.at[j] % 64;
}

/* Tensors whose lists lost: what won could be had by them, and theirs by the others. */
static void note_losers(Propagate *p, const Tie *t, int f, const Cut *won) {
  for (int i = 0; i < t->ncells; i++) {
    Cut c;
    int d = t->cell[i] ? dim_with(t, i, f) : -1;
    if (d < 0 || rule_dims(t, i)[d].n > 1 || rule_dims(t, i)[d].window.of) continue;
    cut_of(p->mesh, t->rule, &rule_dims(t, i)[d], &t->cell[i]->dim[d], f, &c);
    if (!c.naxes || is_prefix(&c, won) || is_prefix(won, &c)) continue;
    for (int k = 0; k < t->ncells; k++) {
      int e = t->cell[k] && t->cell[k] != t->cell[i] ? dim_with(t, k, f) : -1;
      if (e >= 0 && rule_dims(t, k)[e].n == 1) contested(p, t->cell[k], e, &c);
    }
  }
}

/* One visit of an op, or of its shifted dims alone. A shifted dim keeps its layout too: blocks of
 * the result and of the operand are cut alike, and the exchange moves the difference. */
static void step(Propagate *p, const Tie *t, int stage, bool shifted) {
  for (int f = 0; f < t->rule->nfactors; f++) {
    FactorKind kind = t->rule->factor[f].kind;
    if ((kind == FACTOR_SHIFT) != shifted) continue;
    if (kind == FACTOR_WHOLE || (!shifted && t->rule->factor[f].size <= 1)) continue;
    if (kind == FACTOR_REDUCE && stage < 2) continue;
    Cut want;
    Won won;
    int from = choose_cut(p, t, f, &want, &won);
    if (from < 0) continue;
    if (won == WON_LARGEST) note_losers(p, t, f, &want);
    for (int i = 0; i < t->ncells; i++) {
      if (!t->cell[i] || i == from) continue;
      /* A broadcast goes forward last. */
      if (!shifted && t->rank == 2 && stage < 3 && i + 1 == t->ncells) continue;
      int d = dim_with(t, i, f);
      if (d >= 0) write(p, t, i, d, f, &want, from, won, shifted);
    }
  }
}

/* A relayout has the lowest priority for its operand: it applies to a dim that nothing else splits.
 */
static bool reach_back(Propagate *p) {
  bool any = false;
  for (int i = 0; i < p->ties.n; i++) {
    const Tie *t = &p->ties.at[i];
    if (t->node == NO_NODE || !t->cell[0]) continue;
    if (!op_is(graph_node(p->plan->program->entries.at[t->entry].graph, t->node), OPF_LAYOUT))
      continue;
    Cell *from = t->cell[1], *to = t->cell[0];
    for (int d = 0; d < to->shape.rank; d++) {
      const DimLayout *said = &from->dim[d];
      bool can = !(to->closed & 1u << d) && !to->dim[d].naxes && said->naxes;
      for (int j = 0; j < said->naxes && can; j++) can = cell_can_take(to, said->axis[j]);
      if (!can) continue;
      to->dim[d] = *said;
      for (int j = 0; j < said->naxes; j++) {
        to->used |= 1u << said->axis[j];
        to->why.why[said->axis[j]] =
            (Reason){.kind = WHY_FROM, .from = from->id, .entry = t->entry, .op = t->node};
      }
      any = true;
    }
  }
  return any;
}

static bool is_cut(const Tie *t) {
  for (int i = 0; i < t->ncells; i++)
    if (t->cell[i] && t->cell[i]->used) return true;
  return false;
}

static void look_at(Propagate *p, int i, int stage) {
  const Tie *t = &p->ties.at[i];
  p->dirty[i / 64] &= ~(1ull << i % 64);
  if (t->rank > stage || !is_cut(t)) return;
  step(p, t, stage, false);
  if (stage >= 2 && t->shared->shifts) step(p, t, stage, true);
}

/* Forward and backward over what is dirty, in turn, until nothing is. */
static void sweep(Propagate *p, int stage) {
  int words = (p->ties.n + 63) / 64;
  for (int i = 0; i < p->ties.n; i++)
    if (p->ties.at[i].rank <= stage) p->dirty[i / 64] |= 1ull << i % 64;
  for (bool any = true; any;) {
    any = false;
    for (int w = 0; w < words; w++)
      for (int i = 0; p->dirty[w] && i < 64; i++)
        if (p->dirty[w] >> i & 1) look_at(p, w * 64 + i, stage);
    for (int w = words - 1; w >= 0; w--)
      for (int i = 63; p->dirty[w] && i >= 0; i--)
        if (p->dirty[w] >> i & 1) look_at(p, w * 64 + i, stage);
    for (int w = 0; w < words; w++) any = any || p->dirty[w];
  }
}

/* -------- setting up -------- */

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

static void set_up(Propagate *p, const Plan *as) {
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

static Cell *cell_of(const Propagate *p, TensorId t) {
  if (t.kind == TENSOR_VAR) return &p->var[t.index];
  if (t.kind == TENSOR_NODE) return p->node[t.entry][t.index];
  int before = 0;
  for (int e = 0; e < t.entry; e++) before += p->plan->program->entries.at[e].outputs.n;
  return p->output[before + t.index];
}

/* Decisions so far; the first time, contests are collected. */
static void hold_contests(Propagate *p) {
  Plan *plan = p->plan;
  if (!plan->contests) plan->contests = arena_new_of(plan->arena, Contests);
  if (!plan->contests->known) plan->contests->at.n = 0;
  for (int i = 0; i < plan->contests->at.n; i++) {
    const Contest *x = &plan->contests->at.at[i];
    for (int k = 0; k < x->tensors.n && x->held; k++) {
      Cell *c = cell_of(p, x->tensors.at[k]);
      int h = 0;
      while (h < MAX_HELD && c->held[h]) h++;
      if (h < MAX_HELD) c->held[h] = x;
    }
  }
}

static const Layout *cell_layout(Propagate *p, const Cell *c) {
  const Layout **whole = &p->whole[c->shape.rank];
  if (!c->used && !c->spec) {
    if (!*whole) *whole = layout_whole(p->plan->program->layouts, c->shape.rank);
    return *whole;
  }
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

static void sweeps(Propagate *p) {
  for (int stage = 0; stage <= 3; stage++) sweep(p, stage);
}

static void add(Propagate *p) {
  const Plan *plan = p->plan;
  if (!plan->added) return;
  for (int v = 0; v < plan->program->vars.n; v++) cell_add(p, &p->var[v], &plan->added[v]);
  sweeps(p);
}

void propagate(Plan *plan) {
  Propagate *p = arena_new_of(plan->arena, Propagate);
  *p = (Propagate){.plan = plan, .mesh = &plan->program->mesh, .rules.arena = plan->arena};
  set_up(p, plan->variables_as);
  hold_contests(p);
  p->dirty = arena_array(plan->arena, uint64_t, p->ties.n / 64 + 1);
  sweeps(p);
  while (reach_back(p)) sweeps(p);
  add(p);
  finish(p);
  plan->propagated = plan->added ? NULL : p;
}

static void remember(Propagate *p) {
  Arena *a = p->plan->arena;
  p->before = arena_array(a, CellState, p->cells.n + 1);
  for (int i = 0; i < p->cells.n; i++) {
    const Cell *c = p->cells.at[i];
    p->before[i] = (CellState){.closed = c->closed, .used = c->used, .why = c->why};
    p->before[i].dim = arena_copy(a, c->dim, sizeof *c->dim * (size_t)c->shape.rank);
  }
}

static void restore(Propagate *p) {
  for (int i = 0; i < p->cells.n; i++) {
    Cell *c = p->cells.at[i];
    const CellState *s = &p->before[i];
    c->closed = s->closed, c->used = s->used, c->why = s->why;
    memcpy(c->dim, s->dim, sizeof *c->dim * (size_t)c->shape.rank);
  }
}

void propagate_added(Plan *plan) {
  Propagate *p = plan->propagated;
  if (!p) {
    propagate(plan);
    return;
  }
  if (p->before)
    restore(p);
  else
    remember(p);
  add(p);
  finish(p);
}
