/* From the global graph to one device's: every op works on boxes, and exchanges stand between a box
 * that is owned and a box that is needed.
 *
 * For each op, each mesh axis is dealt to one factor of its rule, to a partial value that passes,
 * or to none (the axis's devices then compute the same). That fixes which layout each operand is
 * needed in and which layout the result comes out in. The assignment with the least modelled time
 * wins: exchanges of the operands, the work itself, and bringing the result to the layout that
 * propagate gave it.
 *
 * A value may exist in several layouts at once (versions); it is converted when somebody asks, so a
 * partial value is settled late and once, and as a reduce-scatter where a split is wanted.
 *
 *   %5 = contract %3, %4     x [batch, model], w [model, _]
 *   ->  %5 = contract %3, %4        [batch, _] partial(model)
 *       %6 = exchange %5            [batch, _]                     all-reduce over model */
#include "passes.h"
#include <string.h>

typedef struct Version {
  const Layout *layout;
  NodeId local;
} Version;

typedef struct Versions {
  VEC(Version) v;
} Versions;

typedef struct Part {
  Plan *plan;
  Program *program;
  const Mesh *mesh;
  Arena *arena;
  const Graph *g;
  LocalEntry *le;
  Versions *have;    /* by global node */
  bool *must_settle; /* some consumer cannot carry a partial value */
} Part;

enum { TO_NONE = -1, CARRY_JOINTLY = MAX_FACTORS, CARRY_IN = MAX_FACTORS + 1 /* + operand */ };

typedef struct Assignment {
  int to[MAX_AXES]; /* a factor, TO_NONE, CARRY_JOINTLY or CARRY_IN + operand */
} Assignment;

typedef struct Choice {
  double cost;
  const Layout **need; /* by operand */
  const Layout *result;
} Choice;

static const Layout *intern(Part *p, const Layout *l, const Shape *s) {
  return layout_of(p->program->layouts, l, s);
}

static NodeId add_local(Part *p, const Node *n, NodeId from, NodeId cause) {
  NodeId id = graph_add(p->le->graph, n);
  vec_push(p->arena, &p->le->origin, from);
  vec_push(p->arena, &p->le->cause, cause);
  return id;
}

/* -------- exchanges -------- */

static NodeId add_exchange(Part *p, NodeId x, const Layout *to, NodeId origin, NodeId cause) {
  const Node *from = graph_node(p->le->graph, x);
  Node n = {.op = OP_exchange,
            .dtype = from->dtype,
            .shape = from->shape,
            .noperands = 1,
            .operand = &x,
            .name = from->name,
            .layout = to};
  const Node *for_whom = graph_node(p->g, cause == NO_NODE ? origin : cause);
  n.span = for_whom->span, n.site = for_whom->site;
  return add_local(p, &n, origin, cause);
}

static const Layout *with_partial(Part *p, const Layout *dims, uint32_t partial, Reduce how,
                                  const Shape *s) {
  Layout l = *dims;
  l.partial = partial;
  l.reduce = how;
  return intern(p, &l, s);
}

/* Settles what must be settled, and moves boxes: in the order that moves least. */
static NodeId exchange_to(Part *p, NodeId x, const Layout *to, NodeId origin, NodeId cause) {
  for (;;) {
    Node n = *graph_node(p->le->graph, x);
    const Layout *from = n.layout;
    if (from == to) return x;
    uint32_t settle = from->partial & ~to->partial, scatter = settle & layout_axes(to);
    if (!settle || (settle == scatter && from->partial == settle))
      return add_exchange(p, x, to, origin, cause);
    const Layout *next;
    if (scatter) {
      next = with_partial(p, to, from->partial & ~scatter, from->reduce, &n.shape);
    } else {
      Shape a = layout_local(p->mesh, from, &n.shape), b = layout_local(p->mesh, to, &n.shape);
      const Layout *moved = with_partial(p, to, from->partial, from->reduce, &n.shape);
      bool move_first = layout_is_plain(to) && moved != from && shape_count(&b) < shape_count(&a);
      next = move_first ? moved
                        : with_partial(p, from, from->partial & ~settle, from->reduce, &n.shape);
    }
    x = add_exchange(p, x, next, origin, cause);
  }
}

static bool is_free(const Part *p, NodeId id) {
  const Node *n = graph_node(p->g, id);
  return op_def(n->op)->flags & OPF_FREE && !n->spec;
}

/* The version from which `need` is cheapest to have; -1 when none can be turned into it. */
static int best_version(Part *p, NodeId id, const Layout *need, double *cost) {
  const Node *n = graph_node(p->g, id);
  int best = -1;
  *cost = 1e30;
  if (is_free(p, id)) {
    *cost = need->partial ? 1e30 : 0;
    return -1;
  }
  for (int i = 0; i < p->have[id].v.n; i++) {
    const Layout *from = p->have[id].v.at[i].layout;
    if (from != need && (!layout_is_plain(from) || (need->partial & ~from->partial) ||
                         (need->partial && need->reduce != from->reduce)))
      continue;
    double c = cost_exchange(p->program, from, need, &n->shape, n->dtype);
    if (c < *cost) *cost = c, best = i;
  }
  return best;
}

/* The value of a global node in a layout, made if it is not there yet. */
static NodeId value_in(Part *p, NodeId id, const Layout *need, NodeId cause) {
  Versions *have = &p->have[id];
  for (int i = 0; i < have->v.n; i++)
    if (have->v.at[i].layout == need) return have->v.at[i].local;
  NodeId local;
  if (is_free(p, id)) {
    Node n = *graph_node(p->g, id);
    n.layout = need;
    local = add_local(p, &n, id, NO_NODE);
  } else {
    double cost;
    int best = best_version(p, id, need, &cost);
    if (best < 0) {
      const Node *n = graph_node(p->g, id);
      diag_error(p->plan->program->diag, graph_node(p->g, cause == NO_NODE ? id : cause)->span,
                 "%s cannot be had in layout %s: no device holds a term of it; cut an operand of "
                 "the op that makes it over that axis",
                 node_text(p->g, id, p->arena), layout_text(p->arena, p->mesh, need));
      Node copy = *n;
      copy.op = OP_const;
      copy.noperands = 0;
      copy.layout = need;
      return add_local(p, &copy, id, NO_NODE);
    }
    local = exchange_to(p, have->v.at[best].local, need, id, cause);
    /* What lies on the way is a version too: an all-reduce before a slice serves others. */
    for (NodeId x = local;
         x != have->v.at[best].local && graph_node(p->le->graph, x)->op == OP_exchange;
         x = graph_node(p->le->graph, x)->operand[0])
      if (x != local) {
        Version between = {graph_node(p->le->graph, x)->layout, x};
        vec_push(p->arena, &have->v, between);
      }
  }
  vec_push(p->arena, &have->v, ((Version){need, local}));
  return local;
}

/* -------- the assignment of one op -------- */

typedef struct Search {
  Part *p;
  NodeId id;
  const Node *n;
  Rule rule;
  int naxes, axis[MAX_AXES]; /* the axes that matter here */
  int noptions[MAX_AXES], option[MAX_AXES][MAX_FACTORS + 2 * MAX_RANK];
  Assignment now;
  Choice best;
} Search;

static const RuleDim *dims_of(const Search *s, int i) {
  return i < s->n->noperands ? s->rule.operand[i] : s->rule.result;
}
static const Shape *shape_of(const Search *s, int i) {
  return i < s->n->noperands ? &graph_operand(s->p->g, s->n, i)->shape : &s->n->shape;
}

/* Visits every layout known for operand i (its versions) or for the result (what propagate said).
 */
static const Layout *known_layout(const Search *s, int i, int k) {
  if (i == s->n->noperands) return k == 0 ? s->n->layout : NULL;
  NodeId x = s->n->operand[i];
  return k < s->p->have[x].v.n ? s->p->have[x].v.at[k].layout : NULL;
}

static void add_option(Search *s, int a, int to) {
  for (int i = 0; i < s->noptions[a]; i++)
    if (s->option[a][i] == to) return;
  if (s->noptions[a] < MAX_FACTORS + 2 * MAX_RANK) s->option[a][s->noptions[a]++] = to;
}

static void collect_axis(Search *s, int axis) {
  int a = s->naxes, nfactors = s->rule.nfactors;
  bool matters = false, blocked = false;
  s->noptions[a] = 0;
  add_option(s, a, TO_NONE);
  for (int i = 0; i <= s->n->noperands; i++) {
    const Layout *l;
    for (int k = 0; (l = known_layout(s, i, k)); k++) {
      if (l->partial & 1u << axis && i < s->n->noperands && !s->p->must_settle[s->n->operand[i]] &&
          l->reduce == RED_SUM) {
        if (s->rule.linear_jointly) add_option(s, a, CARRY_JOINTLY);
        if (s->rule.linear_in & 1u << i) add_option(s, a, CARRY_IN + i);
      }
      matters |= (l->partial >> axis & 1) != 0;
      for (int d = 0; d < l->rank; d++) {
        bool here = false;
        for (int j = 0; j < l->dim[d].naxes; j++) here |= l->dim[d].axis[j] == axis;
        if (!here) continue;
        matters = true;
        const RuleDim *rd = &dims_of(s, i)[d];
        for (int j = 0; j < rd->n; j++) {
          if (s->rule.factor[rd->factor[j]].kind == FACTOR_WHOLE)
            blocked = true;
          else
            add_option(s, a, rd->factor[j]);
        }
        blocked |= rd->n > 1;
      }
    }
  }
  for (int f = 0; blocked && f < nfactors; f++)
    if (s->rule.factor[f].kind == FACTOR_PASS &&
        s->rule.factor[f].size >= s->p->mesh->axis[axis].size)
      add_option(s, a, f);
  if (!matters) return;
  s->axis[s->naxes++] = axis;
}

/* The order of axes on a factor, and its granule, are those of a layout that is already there. */
static void order_factor(const Search *s, int f, Cut *cut) {
  for (int i = s->n->noperands; i >= 0; i--) {
    const Layout *l;
    for (int k = 0; (l = known_layout(s, i, k)); k++)
      for (int d = 0; d < l->rank; d++) {
        Cut c;
        int order[MAX_AXES], n = 0;
        if (!cut_of(s->p->mesh, &s->rule, &dims_of(s, i)[d], &l->dim[d], f, &c) ||
            l->dim[d].window.of)
          continue;
        for (int j = 0; j < c.naxes; j++)
          for (int q = 0; q < cut->naxes; q++)
            if (cut->axis[q] == c.axis[j]) order[n++] = c.axis[j];
        if (n != cut->naxes) continue;
        memcpy(cut->axis, order, sizeof *order * (size_t)n);
        if (c.naxes == n) cut->granule = c.granule;
        return;
      }
  }
}

/* A dim of an operand is there whole, so that a window of it need not be copied out. */
static bool is_whole_already(const Search *s, int i, int d) {
  const Layout *l;
  if (is_free(s->p, s->n->operand[i])) return true;
  for (int k = 0; (l = known_layout(s, i, k)); k++)
    if (!l->dim[d].naxes && !l->dim[d].window.of) return true;
  return false;
}

/* Layout of tensor i under the present assignment; NULL: it would be no box. */
static const Layout *assigned_layout(Search *s, int i, const Cut *cut) {
  Layout l = {.rank = shape_of(s, i)->rank, .reduce = RED_SUM};
  for (int d = 0; d < l.rank; d++) {
    if (!cut_join(s->p->mesh, &s->rule, &dims_of(s, i)[d], cut, &l.dim[d])) return NULL;
    if (l.dim[d].window.of && !l.dim[d].naxes && is_whole_already(s, i, d))
      l.dim[d].window = (Window){0};
  }
  bool result = i == s->n->noperands;
  uint32_t reduced = 0;
  for (int a = 0; a < s->naxes; a++) {
    int to = s->now.to[a];
    uint32_t bit = 1u << s->axis[a];
    if (to == CARRY_JOINTLY || (to >= CARRY_IN && (result || to == CARRY_IN + i))) l.partial |= bit;
    if (result && to >= 0 && to < MAX_FACTORS && s->rule.factor[to].kind == FACTOR_REDUCE)
      reduced |= bit;
  }
  if (reduced && l.partial && s->rule.reduce != RED_SUM) return NULL;
  if (reduced) l.reduce = s->rule.reduce;
  l.partial |= reduced;
  return intern(s->p, &l, shape_of(s, i));
}

static void evaluate(Search *s) {
  Part *p = s->p;
  Cut cut[MAX_FACTORS];
  for (int f = 0; f < s->rule.nfactors; f++) cut[f] = (Cut){.granule = 1};
  for (int a = 0; a < s->naxes; a++) {
    int to = s->now.to[a];
    if (to >= 0 && to < MAX_FACTORS) cut[to].axis[cut[to].naxes++] = s->axis[a];
  }
  for (int f = 0; f < s->rule.nfactors; f++)
    if (cut[f].naxes) order_factor(s, f, &cut[f]);
  const Layout *result = assigned_layout(s, s->n->noperands, cut);
  if (!result) return;
  const Layout *target = s->n->layout;
  double cost, c;
  if (target->partial & ~result->partial)
    target = layout_without_partial(p->program->layouts, target, &s->n->shape);
  cost = cost_exchange(p->program, result, target, &s->n->shape, s->n->dtype);
  const Layout *need[64];
  const Layout **needs =
      s->n->noperands <= 64 ? need : arena_array(p->arena, const Layout *, s->n->noperands);
  for (int i = 0; i < s->n->noperands; i++) {
    if (!(needs[i] = assigned_layout(s, i, cut))) return;
    best_version(p, s->n->operand[i], needs[i], &c);
    cost += c;
    if (cost >= s->best.cost) return;
  }
  cost += cost_op(p->program, p->g, s->n, &s->rule, needs, result);
  if (cost >= s->best.cost) return;
  s->best.cost = cost;
  s->best.result = result;
  for (int i = 0; i < s->n->noperands; i++) s->best.need[i] = needs[i];
}

static void enumerate(Search *s, int a) {
  if (a == s->naxes) {
    evaluate(s);
    return;
  }
  for (int i = 0; i < s->noptions[a]; i++) {
    s->now.to[a] = s->option[a][i];
    enumerate(s, a + 1);
  }
}

static Choice choose(Part *p, NodeId id) {
  Search s = {.p = p, .id = id, .n = graph_node(p->g, id), .best.cost = 1e29};
  rule_of(p->g, s.n, &s.rule, p->arena);
  s.best.need = arena_array(p->arena, const Layout *, s.n->noperands + 1);
  for (int axis = 0; axis < p->mesh->naxes; axis++)
    if (p->mesh->axis[axis].size > 1) collect_axis(&s, axis);
  enumerate(&s, 0);
  return s.best;
}

/* -------- nodes -------- */

static void place(Part *p, NodeId id) {
  Node n = *graph_node(p->g, id);
  if (is_free(p, id)) return;
  NodeId local;
  if (n.op == OP_relayout || n.op == OP_relayout_like) {
    local = value_in(p, n.operand[0], n.layout, id);
  } else if (!n.noperands) {
    local = add_local(p, &n, id, NO_NODE);
  } else {
    Choice c = choose(p, id);
    NodeId *x = arena_array(p->arena, NodeId, n.noperands);
    for (int i = 0; i < n.noperands; i++) x[i] = value_in(p, n.operand[i], c.need[i], id);
    n.operand = x;
    const Layout *wanted = n.layout;
    n.layout = c.result;
    local = add_local(p, &n, id, NO_NODE);
    if (n.spec && wanted != c.result) {
      /* What is said is kept exactly: everybody reads it from there. */
      Version v = {c.result, local};
      vec_push(p->arena, &p->have[id].v, v);
      local = value_in(p, id, wanted, id);
      p->have[id].v.n = 0;
    }
  }
  Version v = {graph_node(p->le->graph, local)->layout, local};
  vec_push(p->arena, &p->have[id].v, v);
}

static void find_settlers(Part *p, const Entry *e) {
  for (NodeId i = 0; i < p->g->nodes.n; i++) {
    const Node *n = graph_node(p->g, i);
    if (!n->noperands) continue;
    Rule r;
    ArenaMark mark = arena_mark(p->arena);
    rule_of(p->g, n, &r, p->arena);
    arena_release(p->arena, mark); /* r itself is here; what it points to is not read */
    for (int k = 0; k < n->noperands; k++)
      if (!r.linear_jointly && !(r.linear_in & 1u << k)) p->must_settle[n->operand[k]] = true;
    if (n->op == OP_mul && n->operand[0] == n->operand[1]) p->must_settle[n->operand[0]] = true;
  }
  for (int i = 0; i < e->outputs.n; i++) p->must_settle[e->outputs.at[i].node] = true;
  for (int i = 0; i < e->assigns.n; i++) p->must_settle[e->assigns.at[i].node] = true;
}

static void partition_entry(Plan *plan, int index) {
  Program *g = plan->program;
  const Entry *e = &g->entries.at[index];
  LocalEntry le = {.entry = e, .index = index, .graph = graph_new(plan->arena, VIEW_LOCAL)};
  Part p = {
      .plan = plan, .program = g, .mesh = &g->mesh, .arena = plan->arena, .g = e->graph, .le = &le};
  int n = e->graph->nodes.n;
  p.have = arena_array(plan->arena, Versions, n + 1);
  p.must_settle = arena_array(plan->arena, bool, n + 1);
  find_settlers(&p, e);
  for (NodeId i = 0; i < n; i++) place(&p, i);
  le.input = arena_array(plan->arena, NodeId, e->inputs.n + 1);
  le.output = arena_array(plan->arena, NodeId, e->outputs.n + 1);
  le.assign = arena_array(plan->arena, NodeId, e->assigns.n + 1);
  for (int i = 0; i < e->inputs.n; i++) le.input[i] = p.have[e->inputs.at[i].node].v.at[0].local;
  for (int i = 0; i < e->assigns.n; i++)
    le.assign[i] =
        value_in(&p, e->assigns.at[i].node, g->vars.at[e->assigns.at[i].var].layout, NO_NODE);
  for (int i = 0; i < e->outputs.n; i++)
    le.output[i] = value_in(&p, e->outputs.at[i].node, e->outputs.at[i].layout, NO_NODE);
  vec_push(plan->arena, &plan->entries, le);
}

void partition(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++) partition_entry(p, i);
}
