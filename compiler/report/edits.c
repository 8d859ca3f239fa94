/* Which edits are near an exchange, and what they would cost: edits.h.
 *
 * Near are the statements at the ends of the chains of reasons on both sides of it, and the tensors
 * without a statement that it is about: the value, the op that reads it, and the variables and
 * inputs beside them. One edit changes one layout: an axis goes, comes, moves to another dim or
 * takes another's place, or all go. */
#include "choose.h"
#include "edits.h"
#include "pipeline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------- the text of an edit -------- */

static void put_dim(const Plan *p, const DimLayout *d, bool open, Str *s) {
  if (open) {
    str_puts(s, "?");
    return;
  }
  if (!d->naxes) {
    str_puts(s, "_");
    return;
  }
  for (int i = 0; i < d->naxes; i++)
    str_printf(s, "%s%s",
               i              ? ", "
               : d->naxes > 1 ? "("
                              : "",
               p->program->mesh.axis[d->axis[i]].name);
  if (d->naxes > 1) str_puts(s, ")");
  if (d->granule > 1) str_printf(s, " by %ld", (long)d->granule);
}

/* `rest`: the statement was written with `...` at its end, and may be about tensors of several
 * ranks. */
static const char *spec_text(const Plan *p, const Spec *s, bool rest) {
  Str out = str_new(p->arena);
  int n = s->rank;
  while (rest && n > 0 && !s->dim[n - 1].naxes && !(s->open & 1u << (n - 1))) n--;
  str_puts(&out, "[");
  for (int d = 0; d < n; d++) {
    if (d) str_puts(&out, ", ");
    put_dim(p, &s->dim[d], s->open & 1u << d, &out);
  }
  if (rest) str_puts(&out, n ? ", ..." : "...");
  str_puts(&out, "]");
  if (s->partial) str_printf(&out, " partial(%s)", report_axes(p, s->partial));
  return out.at;
}

static const char *span_text(const Plan *p, Span at) {
  const Source *s = diag_source(p->program->diag, at.file);
  return s ? arena_strndup(p->arena, s->text + at.begin, at.end - at.begin) : "";
}

/* -------- candidates -------- */

enum { UNSAID_LATER = 100 }; /* turns */

typedef struct Candidates {
  const Plan *p;
  Edits *out;
} Candidates;

/* Also counts the edits of the same statement or tensor. */
static bool already(const Edits *e, const Edit *x, int *others) {
  *others = 0;
  for (int i = 0; i < e->edit.n; i++) {
    const Edit *o = &e->edit.at[i];
    bool same = x->at.file ? !memcmp(&o->at, &x->at, sizeof x->at)
                           : !o->at.file && !strcmp(o->target, x->target);
    if (same && !strcmp(o->now, x->now)) return true;
    *others += same;
  }
  return false;
}

static void offer(Candidates *c, Span at, const char *target, const Spec *s) {
  const char *was = at.file ? span_text(c->p, at) : "";
  bool rest = strstr(was, "...") && s->rank && !s->dim[s->rank - 1].naxes;
  Edit e = {.at = at, .target = target, .now = spec_text(c->p, s, rest)};
  int others;
  if (!strcmp(was, e.now) || already(c->out, &e, &others)) return;
  e.turn = others + (at.file ? 0 : UNSAID_LATER);
  vec_push(c->p->arena, &c->out->edit, e);
}

static void drop(DimLayout *d, int axis) {
  int n = 0;
  for (int i = 0; i < d->naxes; i++)
    if (d->axis[i] != axis) d->axis[n++] = d->axis[i];
  d->naxes = n;
  d->granule = 1;
}

static void add(DimLayout *d, int axis) {
  if (d->naxes < MAX_AXES) d->axis[d->naxes++] = axis;
  d->granule = 1;
}

static int dim_of(const Spec *s, int axis) {
  for (int d = 0; d < s->rank; d++)
    for (int i = 0; i < s->dim[d].naxes; i++)
      if (s->dim[d].axis[i] == axis) return d;
  return -1;
}

/* All edits of one dim of one layout; the axes of the exchange first matter, but others may help.
 */
static void offer_around(Candidates *c, Span at, const char *target, const Spec *s) {
  const Mesh *m = &c->p->program->mesh;
  Spec whole = {.rank = s->rank, .partial = s->partial, .reduce = s->reduce};
  offer(c, at, target, &whole);
  for (int a = 0; a < m->naxes; a++) {
    int at_dim = dim_of(s, a);
    if (m->axis[a].size < 2 || s->partial & 1u << a) continue;
    if (at_dim >= 0) {
      Spec e = *s;
      drop(&e.dim[at_dim], a);
      offer(c, at, target, &e);
    }
    for (int d = 0; d < s->rank; d++) {
      Spec e = *s;
      if (d == at_dim) continue;
      if (at_dim >= 0) drop(&e.dim[at_dim], a);
      e.open &= ~(1u << d);
      add(&e.dim[d], a);
      offer(c, at, target, &e);
    }
    for (int d = 0; at_dim < 0 && d < s->rank; d++)
      for (int i = 0; i < s->dim[d].naxes; i++) {
        Spec e = *s;
        e.dim[d].axis[i] = a, e.dim[d].granule = 1;
        offer(c, at, target, &e);
      }
  }
}

/* A tensor without annotation, as if its inferred layout were annotated. */
static void offer_unsaid(Candidates *c, TensorId t) {
  if (!tensor_is_named(c->p, t) || tensor_spec(c->p, t)) return;
  const Layout *l = tensor_layout(c->p, t);
  if (!l || l->partial || !layout_is_plain(l)) return;
  Spec s = {.rank = l->rank};
  memcpy(s.dim, l->dim, sizeof *s.dim * (size_t)l->rank);
  offer_around(c, (Span){0}, tensor_text(c->p, t), &s);
}

static void offer_said(Candidates *c, TensorId t) {
  const Spec *s = tensor_spec(c->p, t);
  if (s && s->span.file) offer_around(c, s->span, tensor_text(c->p, t), s);
}

/* The statements that a tensor's axes come from. */
static void offer_roots(Candidates *c, TensorId t) {
  const Layout *l = tensor_layout(c->p, t);
  offer_said(c, t);
  for (int a = 0; l && a < c->p->program->mesh.naxes; a++) {
    if (!(layout_axes(l) & 1u << a)) continue;
    Chain chain = chain_of(c->p, t, a);
    if (chain.last.why.kind == WHY_ANNOTATED) offer_said(c, chain.last.tensor);
  }
}

/* The op that made a value, past exchanges and reshapes of it. */
static const Node *maker(const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  while (n->noperands == 1 && (n->op == OP_exchange || op_class(n) == OPC_VIEW))
    n = graph_node(le->graph, n->operand[0]);
  return n;
}

enum { MOST_NEAR = 8 + 2 * MAX_RANK };

/* The tensors that an exchange is about; returns how many. */
static int near(const Plan *p, const LocalEntry *le, NodeId id, TensorId *out) {
  int n = 0;
  const Graph *g = le->entry->graph;
  NodeId cause = le->cause.at[id];
  const Node *by = maker(le, graph_node(le->graph, id)->operand[0]);
  out[n++] = tensor_of_node(p, le->index, le->origin.at[id]);
  if (cause != NO_NODE) out[n++] = tensor_of_node(p, le->index, cause);
  for (int i = 0; i < le->entry->outputs.n && n < MOST_NEAR / 2; i++)
    if (le->output[i] == id) out[n++] = (TensorId){TENSOR_OUTPUT, le->index, i};
  for (int i = 0; i < le->entry->assigns.n && n < MOST_NEAR / 2; i++)
    if (le->assign[i] == id) out[n++] = (TensorId){TENSOR_VAR, 0, le->entry->assigns.at[i].var};
  for (int i = 0; i < by->noperands && n < MOST_NEAR; i++)
    out[n++] = tensor_of_node(p, le->index, le->origin.at[by->operand[i]]);
  for (int i = 0; cause != NO_NODE && i < graph_node(g, cause)->noperands && n < MOST_NEAR; i++)
    out[n++] = tensor_of_node(p, le->index, graph_node(g, cause)->operand[i]);
  return n;
}

/* -------- outcomes -------- */

/* A value by its op, name and type, and how many like it come before. */
uint64_t *edits_signatures(Arena *a, const Graph *g) {
  int n = g->nodes.n, nslots = 2 * n + 16;
  uint64_t *sig = arena_array(a, uint64_t, n + 1), *slot = arena_array(a, uint64_t, nslots);
  int *count = arena_array(a, int, nslots);
  for (NodeId i = 0; i < n; i++) {
    const Node *x = graph_node(g, i);
    uint64_t h = hash_bytes(x->shape.dim, sizeof *x->shape.dim * (size_t)x->shape.rank,
                            (uint64_t)x->op * 64 + (uint64_t)x->dtype);
    if (x->name) h = hash_bytes(x->name, strlen(x->name), h);
    h += !h;
    int k = (int)(h % (uint64_t)nslots);
    while (slot[k] && slot[k] != h) k = (k + 1) % nslots;
    slot[k] = h;
    sig[i] = hash_bytes(&count[k], sizeof count[k], h);
    count[k]++;
  }
  return sig;
}

/* Into `keep`, which outlives the plan. */
static EntryOutcome *outcomes(const Plan *p, Arena *keep) {
  EntryOutcome *out = arena_array(keep, EntryOutcome, p->entries.n + 1);
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    const uint64_t *sig = edits_signatures(p->arena, le->entry->graph);
    out[e].time = cost_entry(p, le).time;
    out[e].memory = p->vars_bytes + le->arena_bytes;
    for (NodeId i = 0; i < le->graph->nodes.n; i++) {
      const Node *n = graph_node(le->graph, i);
      if (!report_moves(p, le, i)) continue;
      const Layout *from = graph_operand(le->graph, n, 0)->layout;
      Exchange x = exchange_of(p->program, from, n->layout, &n->shape, n->dtype);
      vec_push(keep, &out[e].moved, ((Moved){sig[le->origin.at[i]], x.axes}));
    }
    for (int i = 0; i < p->forbidden.n; i++)
      if (p->forbidden.at[i].entry == e)
        vec_push(keep, &out[e].gathered, sig[p->forbidden.at[i].node]);
    const Graph *g = le->entry->graph;
    const Span *by = forbid_find(p->program, le->entry);
    for (NodeId i = 0; by && i < g->nodes.n; i++)
      if (by[i].file && !layout_axes(graph_node(g, i)->layout))
        vec_push(keep, &out[e].whole, sig[i]);
  }
  return out;
}

/* -------- a trial -------- */

typedef struct EditTrial {
  const Edits *edits;
  FrontOptions front;
  const char *path; /* of the imported file that is edited; NULL: none */
  const char *text;
} EditTrial;

/* Imports come from what was read the first time. */
static char *read_again(void *user, Arena *a, const char *path, size_t *len, const char **why) {
  const EditTrial *t = user;
  const Diag *d = t->edits->plan->program->diag;
  if (t->path && !strcmp(path, t->path)) {
    *len = strlen(t->text);
    return arena_strndup(a, t->text, *len);
  }
  for (int i = t->edits->front->nsources; i < d->sources.n; i++)
    if (!strcmp(d->sources.at[i].name, path)) {
      *len = d->sources.at[i].len;
      return arena_strndup(a, d->sources.at[i].text, *len);
    }
  return t->edits->front->read ? t->edits->front->read(t->edits->front->user, a, path, len, why)
                               : NULL;
}

static char *spliced(Arena *a, const Source *s, const Edit *e) {
  return arena_printf(a, "%.*s%s%s", (int)e->at.begin, s->text, e->now, s->text + e->at.end);
}

/* False when the text to be edited is none of the user's. */
static bool apply(EditTrial *t, Arena *a, const Edit *e) {
  const FrontOptions *o = t->edits->front;
  t->front = *o;
  t->front.read = read_again, t->front.user = t;
  t->front.parsed = t->edits->plan->program->parsed;
  const char **layout = arena_array(a, const char *, o->nlayouts + 1);
  for (int i = 0; i < o->nlayouts; i++) layout[i] = o->layout[i];
  t->front.layout = layout;
  if (!e->at.file) {
    layout[t->front.nlayouts++] = arena_printf(a, "%s=%s", e->target, e->now);
    return true;
  }
  const Source *s = diag_source(t->edits->plan->program->diag, e->at.file);
  int file = (int)e->at.file - 1;
  if (file < o->nsources) {
    FrontSource *source = arena_copy(a, o->source, sizeof *source * (size_t)o->nsources);
    source[file].text = spliced(a, s, e);
    source[file].len = strlen(source[file].text);
    t->front.source = source;
    return true;
  }
  for (int i = 0; i < o->nlayouts; i++)
    if (!strncmp(s->text, "layout ", 7) && !strcmp(s->text + 7, o->layout[i])) {
      layout[i] = spliced(a, s, e) + 7;
      return true;
    }
  if (!strncmp(s->name, "dtg/", 4)) return false; /* the shipped library */
  t->path = s->name;
  t->text = spliced(a, s, e);
  return true;
}

/* What outlives the trial goes into the plan's arena; when that runs out, the trial's memory is
 * given back before the host gets the result. */
static void keep_outcomes(Edits *all, Edit *e, const Plan *trial, Arena *of_trial) {
  jmp_buf *jmp = arena_jmp(all->plan->arena), outer;
  memcpy(&outer, jmp, sizeof outer);
  if (setjmp(*jmp)) {
    arena_free(of_trial);
    memcpy(jmp, &outer, sizeof outer);
    longjmp(*jmp, 1);
  }
  e->entry = outcomes(trial, all->plan->arena);
  e->compiles = true;
  memcpy(jmp, &outer, sizeof outer);
}

/* Besides finding layouts; some 20000 ops can be compiled in a second. */
static double effort_of(const Program *g) {
  double nodes = 1;
  for (int e = 0; e < g->entries.n; e++) nodes += g->entries.at[e].graph->nodes.n;
  return g->effort + nodes * EDITS_SECOND / 20000;
}

/* A compilation of its own, in memory of its own. Returns what it took. */
static double try_edit(Edits *all, Edit *e) {
  Arena *a = arena_new();
  if (!a) return 0;
  if (arena_catch(a)) {
    arena_free(a);
    return 0;
  }
  Diag d;
  EditTrial t = {.edits = all};
  diag_init(&d, a, NULL, NULL);
  Program *g = apply(&t, a, e) ? front_compile(a, &d, &t.front) : NULL;
  PipelineOptions o = {.machine = all->plan->program->machine,
                       .fast_sums = all->plan->program->fast_sums,
                       .loops_keep = all->plan->loops_keep,
                       .lists_forbidden = all->lists_forbidden,
                       .disabled = all->plan->disabled};
  Plan *p = g && d.warnings <= all->plan->program->diag->warnings ? pipeline_run(g, &o) : NULL;
  if (p && p->entries.n == all->plan->entries.n) keep_outcomes(all, e, p, a);
  double effort = g ? effort_of(g) : 0;
  arena_free(a);
  return effort;
}

/* -------- all -------- */

static int budget(const Plan *p, int64_t all, int least, int most) {
  int64_t nodes = 1;
  for (int e = 0; e < p->program->entries.n; e++) nodes += p->program->entries.at[e].graph->nodes.n;
  int64_t n = all / nodes;
  return n < least ? least : n > most ? most : (int)n;
}

/* Some 20000 ops can be compiled in a second. */
int edits_affordable(const Plan *p) { return budget(p, 20000, 0, 200); }
int edits_many(const Plan *p) { return budget(p, 300000, 40, 400); }

typedef struct Dear {
  int entry, step;
  double time;
} Dear;

static int by_time(const void *a, const void *b) {
  const Dear *x = a, *y = b;
  if (x->time != y->time) return x->time > y->time ? -1 : 1;
  return x->entry != y->entry ? x->entry - y->entry : x->step - y->step;
}

/* Stable: of one turn those near dearer exchanges first. */
static void take_turns(Edits *all) {
  int n = all->edit.n, done = 0;
  Edit *sorted = arena_array(all->plan->arena, Edit, n);
  for (int turn = 0; done < n; turn++)
    for (int i = 0; i < n; i++)
      if (all->edit.at[i].turn == turn) sorted[done++] = all->edit.at[i];
  all->edit.at = sorted;
  all->edit.cap = n;
}

void edits_offer(Edits *all, TensorId t, bool unsaid) {
  Candidates c = {all->plan, all};
  if (unsaid)
    offer_unsaid(&c, t);
  else
    offer_roots(&c, t);
}

void edits_try_all(Edits *all, int most) {
  if (all->edit.n) take_turns(all);
  if (all->edit.n > most) {
    all->left_out = all->edit.n - most;
    all->edit.n = most;
  }
  double effort = 0;
  for (int i = 0; i < all->edit.n; i++) {
    if (all->front->tried) all->front->tried(all->front->tried_user, i, all->edit.n);
    effort += try_edit(all, &all->edit.at[i]);
    if (all->limit == 0 || effort < all->limit || i + 1 == all->edit.n) continue;
    all->left_out += all->edit.n - (i + 1);
    all->edit.n = i + 1;
    all->is_short = true;
  }
}

Edits *edits_try(const Plan *p, const FrontOptions *front, int most, double limit) {
  if (p->variables_of) return NULL;
  Edits *all = arena_new_of(p->arena, Edits);
  Candidates c = {p, all};
  VEC(Dear) dear = {0};
  *all = (Edits){.plan = p, .front = front, .limit = limit, .base = outcomes(p, p->arena)};
  for (int e = 1; e < p->entries.n; e++) /* init runs once */
    for (int t = 0; t < p->entries.at[e].steps.n; t++) {
      const LocalEntry *le = &p->entries.at[e];
      if (le->steps.at[t].kind == STEP_EXCHANGE && report_moves(p, le, le->steps.at[t].nodes.at[0]))
        vec_push(p->arena, &dear, ((Dear){e, t, cost_step(p, le, t).exchange}));
    }
  if (dear.n) qsort(dear.at, (size_t)dear.n, sizeof *dear.at, by_time);
  for (int round = 0; round < 2; round++) /* statements that there are come first */
    for (int i = 0; i < dear.n; i++) {
      const LocalEntry *le = &p->entries.at[dear.at[i].entry];
      const Step *s = &le->steps.at[dear.at[i].step];
      for (int k = 0; k < s->nodes.n; k++) {
        TensorId t[MOST_NEAR];
        int n = near(p, le, s->nodes.at[k], t);
        for (int j = 0; j < n; j++) round ? offer_unsaid(&c, t[j]) : offer_roots(&c, t[j]);
      }
    }
  edits_try_all(all, most);
  return all;
}

/* -------- what came of it -------- */

static bool still_moves(const EntryOutcome *o, Moved m) {
  for (int i = 0; i < o->moved.n; i++)
    if (o->moved.at[i].value == m.value && o->moved.at[i].axes & m.axes) return true;
  return false;
}

void edits_put_change(const Edits *all, const Edit *e, Str *out) {
  const Plan *p = all->plan;
  const char *statement = statement_text(p, e->at);
  if (e->at.file && !strncmp(statement, "layout ", 7))
    str_printf(out, "%s at %s -> %s", statement, report_where(p, e->at), e->now);
  else if (e->at.file) /* `on`, relayout */
    str_printf(out, "%s of %s at %s -> %s", statement, e->target, report_where(p, e->at), e->now);
  else
    str_printf(out, "layout %s = %s, not annotated now", e->target, e->now);
}

static void put_edit(const Edits *all, const Edit *e, int entry, Str *out) {
  const Plan *p = all->plan;
  const EntryOutcome *base = &all->base[entry], *o = &e->entry[entry];
  edits_put_change(all, e, out);
  str_printf(out, ": a call %s -> %s (%s)", report_time(p, base->time), report_time(p, o->time),
             report_change(p, base->time, o->time));
  double was = (double)base->memory, is = (double)o->memory;
  if (fabs(is - was) >= 0.0005 * was && is != was)
    str_printf(out, ", memory %s", report_change(p, was, is));
  for (int i = 1; i < p->entries.n; i++) {
    double before = all->base[i].time, after = e->entry[i].time;
    if (i != entry && fabs(after - before) > 0.01 * before)
      str_printf(out, ", entry %s %s", p->entries.at[i].entry->name,
                 report_change(p, before, after));
  }
  str_puts(out, "\n");
}

void edits_put_without(const Edits *all, const LocalEntry *le, int step, Str *out) {
  const Plan *p = all->plan;
  const Step *s = &le->steps.at[step];
  const Edit *best = NULL;
  ArenaMark mark = arena_mark(p->arena);
  const uint64_t *sig = edits_signatures(p->arena, le->entry->graph);
  for (int i = 0; i < all->edit.n; i++) {
    const Edit *e = &all->edit.at[i];
    bool gone = e->compiles;
    for (int k = 0; k < s->nodes.n && gone; k++) {
      const Node *n = graph_node(le->graph, s->nodes.at[k]);
      Exchange x = exchange_at(p->program, le->graph, n);
      gone =
          !still_moves(&e->entry[le->index], (Moved){sig[le->origin.at[s->nodes.at[k]]], x.axes});
    }
    if (gone && (!best || e->entry[le->index].time < best->entry[le->index].time)) best = e;
  }
  arena_release(p->arena, mark);
  str_puts(out, "    cheapest edit that avoids it: ");
  if (best)
    put_edit(all, best, le->index, out);
  else
    str_printf(out, "none of the %d tried\n", all->edit.n);
}

enum { MOST_SHOWN = 5 };

/* What would make a call quicker, the best first. */
static void put_best(const Edits *all, int entry, Str *out) {
  double last = -1;
  int last_i = -1, shown = 0;
  for (; shown < MOST_SHOWN; shown++) {
    int best = -1;
    for (int i = 0; i < all->edit.n; i++) {
      const Edit *e = &all->edit.at[i];
      if (!e->compiles || e->entry[entry].time >= all->base[entry].time * (1 - 1e-9)) continue;
      double t = e->entry[entry].time;
      if (t < last || (t == last && i <= last_i)) continue;
      if (best < 0 || t < all->edit.at[best].entry[entry].time) best = i;
    }
    if (best < 0) break;
    str_puts(out, "  faster: ");
    put_edit(all, &all->edit.at[best], entry, out);
    last = all->edit.at[best].entry[entry].time, last_i = best;
  }
  if (!shown) str_puts(out, "  no edit makes a call faster\n");
}

void edits_put(const Edits *all, Str *out) {
  if (!all) {
    str_puts(out, "a variant takes its variables' layouts from its base program: dump that one\n");
    return;
  }
  const Plan *p = all->plan;
  report_mesh(p, out);
  str_printf(out, "%d single-layout edit%s tried", all->edit.n, all->edit.n == 1 ? "" : "s");
  if (all->left_out) str_printf(out, ", %d not tried", all->left_out);
  if (all->is_short) str_puts(out, " because each takes long");
  str_puts(out, "\n");
  for (int e = 1; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    if (!all->base[e].moved.n) continue;
    str_printf(out, "entry %s: %s a call, modelled\n", le->entry->name,
               report_time(p, all->base[e].time));
    put_best(all, e, out);
    int count = 0;
    for (int t = 0; t < le->steps.n; t++) {
      const Step *s = &le->steps.at[t];
      if (s->kind != STEP_EXCHANGE || !report_moves(p, le, s->nodes.at[0])) continue;
      str_printf(out, "  exchange %d: %s\n", ++count, report_time(p, cost_step(p, le, t).exchange));
      for (int i = 0; i < s->nodes.n; i++) report_exchange(p, le, s->nodes.at[i], out);
      edits_put_without(all, le, t, out);
    }
  }
}
