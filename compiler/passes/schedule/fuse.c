/* Loop fusion: merges elementwise loops over the same space. Two map steps merge if the later can
 * move to the position of the earlier, or the reverse; where one uses the other's result, it must
 * be at the same index, so that the value passes in a register. Large loops merge only if they
 * share a value; the merged loop may then share one with a third. Updates of the rows of a table
 * that indices name (named.c) stay apart from those of other tables: together they would be a pass
 * over all rows.
 *
 *   for i: m[i] = ...          for i: m[i] = ..., v[i] = ..., w[i] = ...
 *   for i: v[i] = ...     ->
 *   for i: w[i] = f(m[i], v[i]) */
#include "depend.h"
#include "schedule_passes.h"

typedef struct Fuse {
  Plan *plan;
  LocalEntry *le;
  Depend d;         /* but for readers */
  const int *named; /* by step: 1 + the scatter whose rows alone it may come to touch */
} Fuse;

/* K may be done where J is: all it reads is there before J, or is J's own at the same index. */
static bool can_move_up(const Fuse *f, int k, int j) {
  const Reads *r = &f->d.reads[k];
  for (int i = 0; i < r->n; i++) {
    int by = f->d.made_by[r->at[i].node];
    if (by > j || (by == j && !r->at[i].aligned)) return false;
  }
  return true;
}

/* J may move to K: no step between reads its result, and K only at the same index. */
static bool can_move_down(const Fuse *f, int j, int k) {
  const Step *s = &f->le->steps.at[j];
  for (int t = j + 1; t <= k; t++)
    for (int i = 0; i < f->d.reads[t].n; i++) {
      const Read *r = &f->d.reads[t].at[i];
      if (step_stores(s, r->node) && (t < k || !r->aligned)) return false;
    }
  return true;
}

static void join(Fuse *f, int into, int from) {
  Arena *a = f->plan->arena;
  Step *s = &f->le->steps.at[into], *t = &f->le->steps.at[from],
       both = {.kind = STEP_MAP, .segment = s->segment};
  Reads reads = {0};
  const Step *first = into < from ? s : t, *second = into < from ? t : s;
  for (int i = 0; i < first->nodes.n; i++) vec_push(a, &both.nodes, first->nodes.at[i]);
  for (int i = 0; i < second->nodes.n; i++) vec_push(a, &both.nodes, second->nodes.at[i]);
  *s = both;
  t->nodes.n = 0;
  for (int i = 0; i < both.nodes.n; i++) f->d.made_by[both.nodes.at[i]] = into;
  step_reads(f->le, &both, f->plan->scratch, &reads);
  f->d.reads[into] = reads;
  f->d.reads[from].n = 0;
}

/* Values that one loop stores: of the streams that a core fetches ahead a quarter is left to what
 * the loop reads. */
static int stores_most(const Fuse *f) { return (int)(f->plan->program->machine->streams * 3 / 4); }

/* Joining gains more than the start of a loop: one passes a value to the other, or both read one at
 * the same index. */
static bool share(const Fuse *f, int j, int k) {
  const Reads *a = &f->d.reads[j], *b = &f->d.reads[k];
  for (int i = 0; i < b->n; i++) {
    if (!b->at[i].aligned) continue;
    if (f->d.made_by[b->at[i].node] == j) return true;
    for (int l = 0; l < a->n; l++)
      if (a->at[l].node == b->at[i].node && a->at[l].aligned) return true;
  }
  return false;
}

/* What a loop over a large space reads would be kept until the last of many unrelated loops: for
 * example, gathered updates of all parameters of a shape. What stays in L1 is not large. */
static bool is_large(const Fuse *f, const Node *n) {
  const Program *p = f->plan->program;
  return node_bytes(p, n) > machine_cache(p->machine, CACHE_L1) / 2;
}

/* Computations in its loop; what several of its values require counts for each. */
static int body_of(const Fuse *f, const Step *s) {
  int n = 0;
  for (int i = 0; i < s->nodes.n; i++) n += f->le->body[s->nodes.at[i]];
  return n;
}

/* It may come to write a row alone, which others have no part in. */
static bool updates(const Fuse *f, const Step *s) {
  return graph_node(f->le->graph, s->nodes.at[0])->op->updates;
}

/* Merges step k with one before it. Returns which of the two steps the merged one is; -1: none
 * merges. */
static int try_join(Fuse *f, int k) {
  Step *s = &f->le->steps.at[k];
  const Node *n = graph_node(f->le->graph, s->nodes.at[0]);
  if (updates(f, s)) return -1;
  for (int j = k - 1, seen = 0; j >= 0 && seen < FUSE_STEPS; j--) {
    Step *t = &f->le->steps.at[j];
    if (!t->nodes.n) continue;
    if (t->segment != s->segment) break;
    seen++;
    if (t->kind != STEP_MAP || updates(f, t) || f->named[j] != f->named[k] ||
        !same_space(n, graph_node(f->le->graph, t->nodes.at[0])) ||
        s->nodes.n + t->nodes.n > stores_most(f) || body_of(f, s) + body_of(f, t) > BODY_SITES ||
        (is_large(f, n) && !share(f, j, k)))
      continue;
    if (can_move_up(f, k, j)) {
      join(f, j, k);
      return j;
    }
    if (can_move_down(f, j, k)) {
      join(f, k, j);
      return k;
    }
  }
  return -1;
}

/* A value that only its own loop reads needs no memory. */
static void drop_stores(Fuse *f) {
  LocalEntry *le = f->le;
  int n = le->graph->nodes.n;
  bool *kept = arena_array(f->plan->scratch, bool, n + 1);
  kept_mark(le, kept);
  for (int t = 0; t < le->steps.n; t++)
    for (int i = 0; le->steps.at[t].nodes.n && i < f->d.reads[t].n; i++)
      if (f->d.made_by[f->d.reads[t].at[i].node] != t) kept[f->d.reads[t].at[i].node] = true;
  for (int t = 0; t < le->steps.n; t++) {
    Step *s = &le->steps.at[t];
    if (s->kind != STEP_MAP || s->nodes.n < 2) continue;
    int m = 0;
    for (int i = 0; i < s->nodes.n; i++) {
      if (kept[s->nodes.at[i]])
        s->nodes.at[m++] = s->nodes.at[i];
      else
        le->stored[s->nodes.at[i]] = false;
    }
    s->nodes.n = m;
  }
}

static void fuse_entry(Plan *p, LocalEntry *le) {
  const ArenaMark mark = arena_mark(p->scratch);
  Fuse f = {.plan = p, .le = le, .d = depend_of(p->scratch, le), .named = named_groups(p, le)};
  int m = 0;
  for (int k = 0; k < le->steps.n; k++)
    if (le->steps.at[k].kind == STEP_MAP && le->steps.at[k].nodes.n)
      for (int at = k; at >= 0;) at = try_join(&f, at); /* the merged one may merge too */
  drop_stores(&f);
  for (int t = 0; t < le->steps.n; t++)
    if (le->steps.at[t].nodes.n) le->steps.at[m++] = le->steps.at[t];
  le->steps.n = m;
  arena_release(p->scratch, mark);
}

void fuse(Plan *p) {
  for (int i = 0; i < p->entries.n; i++) fuse_entry(p, &p->entries.at[i]);
}
