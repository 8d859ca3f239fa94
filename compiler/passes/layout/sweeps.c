/* sweeps.c: how layouts go from tensor to tensor (propagate.c): one factor of one op at a time,
 * until nothing changes; and what lost on the way, for `contest` to price. */
#include "propagate.h"
#include <string.h>

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
bool sweeps_reach_back(Propagate *p) {
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

void sweeps_all(Propagate *p) {
  for (int stage = 0; stage <= 3; stage++) sweep(p, stage);
}
