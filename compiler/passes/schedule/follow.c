/* Loops over what a large product or convolution makes ride on it: each row is read while it is in
 * the cache (see emit_then.c). An update of variables is brought right behind its product; other
 * loops stay where they are, as what they make would live longer.
 *
 *   grad w2 ; grad w1 ; update w2 ; update w1  ->  grad w2 ; update w2 ; grad w1 ; update w1 */
#include "schedule_passes.h"
#include <string.h>

enum { LARGE = 1 << 17 /* elements of the result: it would not stay in a cache by itself */ };

typedef struct Follow {
  Plan *plan;
  LocalEntry *le;
  int *made_by; /* node -> step, or -1 */
  Reads *reads; /* by step */
  int *var;     /* by node: the variable that it is the new value of, or -1 */
} Follow;

static bool reads_aligned(const Reads *r, NodeId id) {
  bool found = false;
  for (int i = 0; i < r->r.n; i++)
    if (r->r.at[i].node == id) {
      if (!r->r.at[i].aligned) return false;
      found = true;
    }
  return found;
}

/* Nobody from step `from` to step `to` reads a variable that step `s` gives a new value, which then
 * could not be put in its place. */
static bool leaves_variables(const Follow *f, const Step *s, int from, int to) {
  for (int i = 0; i < s->nodes.n; i++) {
    int var = f->var[s->nodes.at[i]];
    for (int t = from; var >= 0 && t <= to; t++)
      for (int k = 0; k < f->reads[t].r.n; k++) {
        const Node *n = graph_node(f->le->graph, f->reads[t].r.at[k].node);
        if (n->op == OP_var && node_source(n) == var) return false;
      }
  }
  return true;
}

static bool can_follow(const Follow *f, int product, int t) {
  const Step *s = &f->le->steps.at[t], *p = &f->le->steps.at[product];
  if (s->kind != STEP_MAP || !reads_aligned(&f->reads[t], p->nodes.at[0]) ||
      !same_space(graph_node(f->le->graph, s->nodes.at[0]),
                  graph_node(f->le->graph, p->nodes.at[0])))
    return false;
  for (int i = 0; i < f->reads[t].r.n; i++) {
    int by = f->made_by[f->reads[t].r.at[i].node];
    if (by > product && by != t) return false;
  }
  return leaves_variables(f, s, product, t - 1);
}

static bool is_update(const Follow *f, const Step *s) {
  for (int i = 0; i < s->nodes.n; i++)
    if (f->var[s->nodes.at[i]] < 0) return false;
  return true;
}

/* Step t becomes step `to`, which is before it. */
static void move_up(Follow *f, int t, int to) {
  LocalEntry *le = f->le;
  const Step s = le->steps.at[t];
  const Reads r = f->reads[t];
  memmove(&le->steps.at[to + 1], &le->steps.at[to], (size_t)(t - to) * sizeof s);
  memmove(&f->reads[to + 1], &f->reads[to], (size_t)(t - to) * sizeof r);
  le->steps.at[to] = s, f->reads[to] = r;
  for (int i = to; i <= t; i++)
    for (int k = 0; k < le->steps.at[i].nodes.n; k++) f->made_by[le->steps.at[i].nodes.at[k]] = i;
}

static bool is_large_product(const Follow *f, const Step *s) {
  const Node *n = graph_node(f->le->graph, s->nodes.at[0]);
  if (s->kind != STEP_CONTRACT || n->dtype != DT_F32 || !op_is(n, OPF_ROWS)) return false;
  const Mesh *m = &f->plan->program->mesh;
  for (int d = 0; d < n->shape.rank; d++)
    if (!dim_even(m, &n->layout->dim[d], n->shape.dim[d])) return false;
  Shape local = layout_local(m, n->layout, &n->shape);
  return shape_count(&local) >= LARGE;
}

static void follow_entry(Plan *p, LocalEntry *le) {
  int n = le->graph->nodes.n;
  Follow f = {.plan = p,
              .le = le,
              .made_by = arena_array(p->arena, int, n + 1),
              .reads = arena_array(p->arena, Reads, le->steps.n + 1),
              .var = arena_array(p->arena, int, n + 1)};
  for (int i = 0; i < n; i++) f.made_by[i] = f.var[i] = -1;
  for (int i = 0; i < le->entry->assigns.n; i++)
    f.var[node_base(le->graph, le->assign[i])] = le->entry->assigns.at[i].var;
  for (int t = 0; t < le->steps.n; t++) {
    for (int i = 0; i < le->steps.at[t].nodes.n; i++) f.made_by[le->steps.at[t].nodes.at[i]] = t;
    step_reads(le, &le->steps.at[t], p->arena, &f.reads[t]);
  }
  for (int t = 0; t + 1 < le->steps.n; t++) {
    if (!is_large_product(&f, &le->steps.at[t])) continue;
    for (int u = t + 1; u < le->steps.n; u++) {
      if (!can_follow(&f, t, u) || (u > t + 1 && !is_update(&f, &le->steps.at[u]))) continue;
      if (u > t + 1) move_up(&f, u, t + 1);
      le->steps.at[t + 1].rides = true;
      break;
    }
  }
}

void follow(Plan *p) {
  for (int i = 0; i < p->entries.n; i++) follow_entry(p, &p->entries.at[i]);
}
