/* Plans that keep less and less of the runs of loops, until every entry fits --memory.
 *
 * What the backward pass of a loop keeps is part of the graph, which autodiff writes before layouts
 * and memory are known. So the passes are run once more, with less kept in the entries that were
 * too large, until those fit. An entry that never does is as it was smallest, and an error. */
#include "layout_passes.h"
#include "pipeline_parts.h"
#include <string.h>

/* From the least computation to the least memory (docs/debugging.md). */
static const LoopsKeep levels[] = {
    {0},
    {.levels = 1, .power = {0}},
    {.levels = 1, .power = {0.25}},
    {.levels = 1, .power = {0.375}},
    {.levels = 1, .power = {0.5}},
    {.levels = 2, .power = {0.5, 0}},
    {.levels = 3, .power = {0.67, 0.33, 0}},
};
enum { LEVELS = sizeof levels / sizeof *levels };

/* -------- the program before its passes -------- */

#define COPY_VEC(a, v)                                                                             \
  ((v)->at = arena_copy(a, (v)->at, sizeof *(v)->at * (size_t)((v)->n)), (v)->cap = (v)->n)

static Graph *copy_graph(Arena *a, const Graph *g) {
  Graph *copy = graph_new(a, g->view, g->nodes.n);
  for (NodeId i = 0; i < g->nodes.n; i++) graph_add(copy, graph_node(g, i));
  return copy;
}

static void copy_entry(Arena *a, Entry *e) {
  e->graph = copy_graph(a, e->graph);
  COPY_VEC(a, &e->regions);
  for (int r = 0; r < e->regions.n; r++) COPY_VEC(a, &e->regions.at[r].carries);
  COPY_VEC(a, &e->inputs);
  COPY_VEC(a, &e->outputs);
  COPY_VEC(a, &e->assigns);
}

/* All that passes write to. */
static Program copy_program(const Program *p) {
  Program copy = *p;
  COPY_VEC(p->arena, &copy.vars);
  COPY_VEC(p->arena, &copy.entries);
  for (int e = 0; e < copy.entries.n; e++) copy_entry(p->arena, &copy.entries.at[e]);
  return copy;
}

static bool has_loops(const Program *p) {
  for (int e = 0; e < p->entries.n; e++)
    for (int r = 0; r < p->entries.at[e].regions.n; r++)
      if (p->entries.at[e].regions.at[r].kind == REGION_LOOP) return true;
  return false;
}

/* -------- attempts -------- */

typedef struct Attempts {
  Program *program;
  Program before;
  const PipelineOptions *o;
  Plan *first;
  bool as_first; /* else sums would have other orders */
  int entries;
  int *level, *best; /* by entry: of this attempt, and where it took least ... */
  int64_t *least;    /* ... bytes */
} Attempts;

static bool goes_back(const Entry *e) {
  for (int r = 0; r < e->regions.n; r++)
    if (e->regions.at[r].gone_back) return true;
  return false;
}

static bool fits(const Plan *p, int e) {
  return p->vars_bytes + p->entries.at[e].arena_bytes <= p->memory;
}

/* Entries that are too large, and could keep less, do so in the next attempt. Whether there are
 * any. */
static bool keep_less(Attempts *t, const Plan *p) {
  bool more = false;
  for (int e = 0; e < t->entries; e++) {
    const int64_t bytes = p->entries.at[e].arena_bytes;
    if (t->level[e] == 0 || bytes < t->least[e]) t->least[e] = bytes, t->best[e] = t->level[e];
    if (fits(p, e) || !goes_back(p->entries.at[e].entry)) continue;
    if (t->level[e] + 1 == LEVELS) continue;
    t->level[e]++;
    more = true;
  }
  return more;
}

static bool all_fit(const Plan *p) {
  for (int e = 0; e < p->entries.n; e++)
    if (!fits(p, e)) return false;
  return true;
}

static bool same_variables(const Program *x, const Program *y) {
  for (int i = 0; i < x->vars.n; i++)
    if (x->vars.at[i].layout != y->vars.at[i].layout) return false;
  return true;
}

static Plan *run(Attempts *t, bool trying) {
  LoopsKeep *keep = arena_array(t->program->arena, LoopsKeep, t->entries + 1);
  for (int e = 0; e < t->entries; e++) keep[e] = levels[t->level[e]];
  if (t->first) *t->program = copy_program(&t->before);
  PipelineRun r = {
      .o = t->o, .loops_keep = keep, .first = t->first, .as_first = t->as_first, .trying = trying};
  Plan *p = pipeline_once(t->program, &r);
  if (!p || !t->first ||
      (same_variables(p->program, t->first->program) && alike_plans(p, t->first)))
    return p;
  t->as_first = r.as_first = true;
  *t->program = copy_program(&t->before);
  return pipeline_once(t->program, &r);
}

/* The plan with its own copy of the program, which the next attempt changes. */
static Plan *set_apart(const Plan *p) {
  Plan *first = arena_copy(p->arena, p, sizeof *p);
  Program *own = arena_copy(p->arena, p->program, sizeof *p->program);
  first->program = own;
  return first;
}

/* The plan that fits, or the smallest, without an error. */
static Plan *attempts(Attempts *t, Program *program, const PipelineOptions *o) {
  *t = (Attempts){.program = program, .o = o, .entries = program->entries.n};
  t->before = copy_program(program);
  t->level = arena_array(program->arena, int, t->entries + 1);
  t->best = arena_array(program->arena, int, t->entries + 1);
  t->least = arena_array(program->arena, int64_t, t->entries + 1);
  Plan *p = run(t, true);
  bool more = p && keep_less(t, p);
  while (more) {
    if (!t->first) t->first = set_apart(p);
    p = run(t, true);
    more = p && keep_less(t, p);
  }
  if (!p || all_fit(p)) return p;
  if (!t->first) t->first = set_apart(p);
  for (int e = 0; e < t->entries; e++)
    if (!fits(p, e)) t->level[e] = t->best[e];
  t->as_first = true;
  return run(t, true);
}

/* Bytes that the entries of a plan have too many. */
static int64_t excess(const Plan *p) {
  int64_t n = 0;
  for (int e = 0; e < p->entries.n; e++)
    if (!fits(p, e)) n += p->vars_bytes + p->entries.at[e].arena_bytes - p->memory;
  return n;
}

/* What loops carry may have been gathered to save time: as it was inferred it may take less. */
Plan *pipeline_run(Program *program, const PipelineOptions *o) {
  if (!o || o->memory <= 0 || !has_loops(program)) {
    const PipelineRun once = {.o = o, .loops_keep = o ? o->loops_keep : NULL};
    return pipeline_once(program, &once);
  }
  const Program before = copy_program(program);
  PipelineOptions inferred = *o;
  Attempts given, other;
  const char *word;
  int len;
  pipeline_disable(&inferred.disabled, "carries", &word, &len);
  Plan *p = attempts(&given, program, o);
  if (!p || all_fit(p)) return p;
  const int64_t least = excess(p);
  *program = copy_program(&before);
  p = attempts(&other, program, &inferred);
  if (!p || all_fit(p)) return p;
  /* Reports what the smaller one requires. */
  return run(excess(p) < least ? &other : &given, false);
}
