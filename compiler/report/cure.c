/* Cures of forbidden gathers: of the edits of one layout near each, the cheapest under which a plan
 * without it exists. Trials list what they gather instead of failing, so that a program with
 * several mistakes gets a cure for each. */
#include "edits.h"

enum { MOST_NEAR = 8 + 2 * MAX_RANK };

/* The tensors that a forbidden gather is about; returns how many. */
static int near_forbidden(const Plan *p, const Forbidden *f, TensorId *out) {
  int n = 0;
  const Entry *e = &p->program->entries.at[f->entry];
  const Node *node = graph_node(e->graph, f->node), *consumer = graph_node(e->graph, f->consumer);
  out[n++] = tensor_of_node(p, f->entry, f->node);
  if (f->output >= 0) out[n++] = (TensorId){TENSOR_OUTPUT, f->entry, f->output};
  if (f->assign >= 0) out[n++] = (TensorId){TENSOR_VAR, 0, e->assigns.at[f->assign].var};
  if (f->consumer != f->node) out[n++] = tensor_of_node(p, f->entry, f->consumer);
  for (int i = 0; i < consumer->noperands && n < MOST_NEAR / 2; i++)
    out[n++] = tensor_of_node(p, f->entry, consumer->operand[i]);
  for (int i = 0; i < node->noperands && n < MOST_NEAR; i++)
    out[n++] = tensor_of_node(p, f->entry, node->operand[i]);
  return n;
}

static bool has(const uint64_t *at, int n, uint64_t x) {
  for (int i = 0; i < n; i++)
    if (at[i] == x) return true;
  return false;
}

/* The edit gathers nothing that was not gathered before. */
static bool no_worse(const Edits *all, const Edit *e, uint64_t *const *sig) {
  const Plan *p = all->plan;
  for (int i = 0; i < p->entries.n; i++)
    for (int k = 0; k < e->entry[i].gathered.n; k++) {
      bool known = false;
      for (int j = 0; j < p->forbidden.n && !known; j++)
        known = p->forbidden.at[j].entry == i &&
                sig[i][p->forbidden.at[j].node] == e->entry[i].gathered.at[k];
      if (!known) return false;
    }
  return true;
}

static double time_of(const Plan *p, const Edit *e, int entry) {
  double t = 0;
  for (int i = 1; i < p->entries.n; i++) t += e->entry[i].time;
  return entry ? e->entry[entry].time : t;
}

/* Prefers edits under which the tensor stays split. */
static const char *cure_of(const Edits *all, Forbidden *f, uint64_t *const *sig) {
  const Plan *p = all->plan;
  const Edit *best = NULL;
  bool best_split = false;
  uint64_t value = sig[f->entry][f->node];
  for (int i = 0; i < all->edit.n; i++) {
    const Edit *e = &all->edit.at[i];
    if (!e->compiles) continue;
    const EntryOutcome *o = &e->entry[f->entry];
    if (has(o->gathered.at, o->gathered.n, value) || !no_worse(all, e, sig)) continue;
    bool split = !has(o->whole.at, o->whole.n, value);
    if (best && (best_split > split ||
                 (best_split == split && time_of(p, best, f->entry) <= time_of(p, e, f->entry))))
      continue;
    best = e, best_split = split;
  }
  if (!best)
    return arena_printf(p->arena, "none of the %d single-layout edits tried avoids it",
                        all->edit.n);
  Str s = str_new(p->arena);
  str_puts(&s, best_split ? "cheapest edit that avoids it: "
                          : "avoided only if it is not stored split: ");
  edits_put_change(all, best, &s);
  f->cure_at = best->at;
  str_printf(&s, "; a call is then modelled at %s", report_time(p, time_of(p, best, f->entry)));
  return s.at;
}

void cure_forbidden(Plan *p, const FrontOptions *front) {
  if (p->variables_of) return;
  Edits all = {.plan = p, .front = front, .limit = 2 * EDITS_SECOND, .lists_forbidden = true};
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < p->forbidden.n; i++) {
      TensorId t[MOST_NEAR];
      int n = near_forbidden(p, &p->forbidden.at[i], t);
      for (int k = 0; k < n; k++) edits_offer(&all, t[k], round);
    }
  int most = 2 * edits_affordable(p);
  edits_try_all(&all, most < 10 ? 10 : most > 200 ? 200 : most);
  uint64_t **sig = arena_array(p->arena, uint64_t *, p->entries.n);
  for (int e = 0; e < p->entries.n; e++)
    sig[e] = edits_signatures(p->arena, p->entries.at[e].entry->graph);
  for (int i = 0; i < p->forbidden.n; i++)
    p->forbidden.at[i].cure = cure_of(&all, &p->forbidden.at[i], sig);
}
