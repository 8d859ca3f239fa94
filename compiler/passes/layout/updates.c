/* Shards optimizer updates over the devices of an axis. If a gradient is summed over an axis, all
 * its devices would compute the same update of the whole variable, and each store the whole
 * optimizer state. Without annotations each may own a part: the gradient is reduce-scattered, a
 * part updated, and the new weights are gathered, immediately or when they are read. After Xu et
 * al. 2020 (Automatic cross-replica sharding of weight update).
 *
 *   opt.m[w] [_, _], grad(w) partial(batch)
 *   ->  opt.m[w] [batch, _]; and w [batch, _] too where that is faster still
 *
 * Annotations are kept. A layout is adopted only if the modelled time of all entries but init
 * falls; and weights, which have other uses, follow only if it falls by a hundredth. */
#include "choose.h"
#include <math.h>
#include <string.h>

static const double GAIN = 1e-6; /* seconds: less is no reason */
static const double GAIN_OF_WEIGHTS = 0.01;
enum { MOST_NODES = 1000 }; /* of a program in which each shape is tried both ways */

typedef struct Updates {
  Plan *plan;
  Program *program;
  bool *kept_apart; /* by variable: only elementwise updates read it */
  uint32_t *summed; /* by variable: axes over which what it is given is summed */
  Added *shared[2]; /* by variable: of what is remembered, and with weights; no axes: nothing */
  WaysCache *ways;
} Updates;

/* -------- what is known of variables -------- */

/* Nothing but elementwise ops comes of it, up to what is assigned: what else is done with that is
 * done with the variable it is assigned to. */
static void find_kept_apart(Updates *u, const Entry *e) {
  const Graph *g = e->graph;
  bool *mixed = arena_array(u->plan->arena, bool, g->nodes.n + 1);
  int *var = arena_array(u->plan->arena, int, g->nodes.n + 1); /* 1 + what it is assigned to */
  for (int i = 0; i < e->outputs.n; i++) mixed[e->outputs.at[i].node] = true;
  for (int i = 0; i < e->assigns.n; i++) var[e->assigns.at[i].node] = e->assigns.at[i].var + 1;
  for (NodeId i = g->nodes.n - 1; i >= 0; i--) {
    const Node *n = graph_node(g, i);
    bool passes = mixed[i] && !var[i];
    if (mixed[i] && n->op == OP_var) u->kept_apart[node_source(n)] = false;
    if (mixed[i] && var[i]) u->kept_apart[var[i] - 1] = false;
    for (int k = 0; k < n->noperands; k++)
      if (passes || !op_is(n, OPF_ELEMENTWISE)) mixed[n->operand[k]] = true;
  }
}

/* The axes that cut a dim which the op sums over. */
static uint32_t summed_by(const Updates *u, const Graph *g, const Node *n) {
  Arena *a = u->plan->arena;
  ArenaMark mark = arena_mark(a);
  uint32_t axes = 0;
  Rule r;
  rule_of(g, n, &r, a);
  for (int k = 0; k < n->noperands && r.reduce == RED_SUM; k++) {
    const Node *x = graph_operand(g, n, k);
    for (int d = 0; d < x->shape.rank; d++)
      for (int j = 0; j < r.operand[k][d].n; j++) {
        Cut c;
        int f = r.operand[k][d].factor[j];
        if (r.factor[f].kind != FACTOR_REDUCE ||
            !cut_of(&u->program->mesh, &r, &r.operand[k][d], &x->layout->dim[d], f, &c))
          continue;
        for (int i = 0; i < c.naxes; i++) axes |= 1u << c.axis[i];
      }
  }
  arena_release(a, mark);
  return axes;
}

static void find_summed(Updates *u, const Entry *e) {
  const Graph *g = e->graph;
  uint32_t *axes = arena_array(u->plan->arena, uint32_t, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    bool passes = op_is(n, OPF_ELEMENTWISE | OPF_ONE_TO_ONE);
    if (!n->noperands) continue;
    if (!passes) axes[i] = summed_by(u, g, n);
    for (int k = 0; k < n->noperands && passes; k++) axes[i] |= axes[n->operand[k]];
  }
  for (int i = 0; i < e->assigns.n; i++)
    u->summed[e->assigns.at[i].var] |= axes[e->assigns.at[i].node];
}

/* -------- layouts -------- */

/* What of a variable's all-reduce are messages, and what bytes; and what reading and writing it
 * takes less time when each device has only a part. */
typedef struct UpdateTimes {
  double messages, bytes, memory;
} UpdateTimes;

static UpdateTimes times_of(const Updates *u, const Var *v, uint32_t axes, int64_t k) {
  Shape local = layout_local(&u->program->mesh, v->layout, &v->shape);
  const Exchange x = {.kind = DTRT_ALL_REDUCE,
                      .axes = axes,
                      .group = k,
                      .terms = k,
                      .size = dtype_size(v->dtype),
                      .wide = dtype_size(dtype_computed(v->dtype)),
                      .most = shape_count(&local) * dtype_size(v->dtype)};
  Price price = cost_price(u->program, &x, 1, false).price;
  double less = 2 * (double)x.most * (1 - 1 / (double)k);
  return (UpdateTimes){.messages = price.waiting,
                       .bytes = price.moving,
                       .memory = less / u->program->machine->memory_bandwidth};
}

/* The first dim that the axes cut evenly, else the longest. */
static int dim_to_cut(const Updates *u, const Var *v, int64_t k) {
  int longest = -1;
  for (int d = 0; d < v->shape.rank; d++) {
    int64_t n = v->shape.dim[d], parts = dim_parts(&u->program->mesh, &v->layout->dim[d]);
    if (n % (parts * k) == 0) return d;
    if (n >= parts * k && (longest < 0 || n > v->shape.dim[longest])) longest = d;
  }
  return longest;
}

static Added layout_when_shared(const Updates *u, int var, bool weights_too) {
  const Added none = {0};
  const Var *v = &u->program->vars.at[var];
  const Mesh *m = &u->program->mesh;
  const Plan *like = u->plan->variables_as;
  uint32_t axes = u->summed[var] & ~layout_axes(v->layout);
  int64_t k = 1;
  for (int a = 0; a < m->naxes; a++)
    if (axes & 1u << a) k *= m->axis[a].size;
  if (k == 1 || v->spec) return none;
  if (like && program_find_var(like->program, v->path) >= 0) return none;
  /* With the weights split too there may be no exchange more; else there are two. */
  UpdateTimes t = times_of(u, v, axes, k);
  if (t.bytes < 2 * t.messages || (!weights_too && t.memory < 2 * t.messages)) return none;
  int d = dim_to_cut(u, v, k);
  return d < 0 ? none : (Added){.dim = d, .axes = axes};
}

/* -------- trials -------- */

typedef struct AddedTrial {
  const Added *added;
  PlanTrial is;
} AddedTrial;

/* With the layouts that propagate has found now. */
static AddedTrial try_now(const Updates *u) {
  return (AddedTrial){u->plan->added, trial_of_plan(u->plan, u->ways)};
}

/* Optimizer state is split; weights keep their layout, or follow. */
static const Added *added(const Updates *u, bool weights_too) {
  int n = u->program->vars.n;
  Added *x = arena_array(u->plan->arena, Added, n + 1);
  for (int v = 0; v < n; v++) {
    if (u->kept_apart[v] || weights_too) x[v] = u->shared[weights_too][v];
    x[v].closed = !weights_too && !x[v].axes;
  }
  return x;
}

static AddedTrial try_with(const Updates *u, const Added *x) {
  u->plan->added = x;
  propagate_added(u->plan);
  return try_now(u);
}

/* A dim of the variable's that its axes could cut instead; -1: none. */
static int other_dim(const Updates *u, int var, const Added *x) {
  const Var *v = &u->program->vars.at[var];
  const Mesh *m = &u->program->mesh;
  int64_t k = 1;
  for (int a = 0; a < m->naxes; a++)
    if (x->axes & 1u << a) k *= m->axis[a].size;
  for (int d = 0; d < v->shape.rank; d++)
    if (d != x->dim && v->shape.dim[d] >= k * dim_parts(m, &v->layout->dim[d])) return d;
  return -1;
}

/* Weights of one shape, with all that is remembered of them, cut along another dim. */
static const Added *turned(const Updates *u, const Added *x, int var) {
  int n = u->program->vars.n, d = other_dim(u, var, &x[var]);
  if (d < 0) return NULL;
  Added *y = arena_copy(u->plan->arena, x, sizeof *x * (size_t)n);
  for (int v = 0; v < n; v++)
    if (x[v].axes == x[var].axes && x[v].dim == x[var].dim &&
        shape_equal(&u->program->vars.at[v].shape, &u->program->vars.at[var].shape))
      y[v].dim = d;
  return y;
}

/* Layers that follow one another need least between them when one is cut along what goes in and the
 * next along what comes out, or the reverse. */
static AddedTrial try_turned(const Updates *u, AddedTrial best) {
  for (int v = 0; v < u->program->vars.n; v++) {
    bool first = best.added[v].axes;
    for (int w = 0; w < v; w++)
      first = first && !shape_equal(&u->program->vars.at[w].shape, &u->program->vars.at[v].shape);
    const Added *x = first ? turned(u, best.added, v) : NULL;
    if (!x) continue;
    AddedTrial t = try_with(u, x);
    if (t.is.time < best.is.time - GAIN) best = t;
  }
  return best;
}

static void try_shared(const Updates *u) {
  AddedTrial best = try_now(u);
  bool weights = false;
  for (int weights_too = 0; weights_too <= 1; weights_too++) {
    AddedTrial t = try_with(u, added(u, weights_too));
    double gain = weights_too ? GAIN_OF_WEIGHTS * best.is.time : GAIN;
    if (t.is.time < best.is.time - gain) best = t, weights = weights_too;
  }
  if (weights && trial_nodes(u->program) <= MOST_NODES) best = try_turned(u, best);
  u->plan->chosen = best.is.chosen;
  if (u->plan->added == best.added) return;
  u->plan->added = best.added;
  propagate_added(u->plan);
}

static bool find_shared(Updates *u) {
  int n = u->program->vars.n;
  bool any = false;
  for (int weights_too = 0; weights_too <= 1; weights_too++) {
    u->shared[weights_too] = arena_array(u->plan->arena, Added, n + 1);
    for (int v = 0; v < n; v++) {
      Added x = layout_when_shared(u, v, weights_too);
      u->shared[weights_too][v] = x;
      any = any || x.axes;
    }
  }
  return any;
}

void updates(Plan *p) {
  Program *g = p->program;
  size_t n = (size_t)g->vars.n;
  if (!g->mesh.naxes) return;
  Updates u = {.plan = p, .program = g};
  u.kept_apart = arena_array(p->arena, bool, n + 1);
  u.summed = arena_array(p->arena, uint32_t, n + 1);
  memset(u.kept_apart, true, sizeof *u.kept_apart * n);
  for (int e = 1; e < g->entries.n; e++) find_summed(&u, &g->entries.at[e]);
  if (!find_shared(&u)) return;
  for (int e = 1; e < g->entries.n; e++) find_kept_apart(&u, &g->entries.at[e]);
  u.ways = plan_ways(p);
  try_shared(&u);
}
