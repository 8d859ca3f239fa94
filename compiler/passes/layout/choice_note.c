/* The cheapest choices that were met, by the sum with the messages of alike exchanges counted once:
 * what weigh.c chooses from. */
#include "choose.h"
#include <math.h>
#include <string.h>

enum { MOST_NODES = 250 };
static const double BRIEF = 0.2;

typedef struct Alike { /* exchanges that may go as one */
  int kind;
  uint32_t axes;
  double runs;    /* in a call: those of one loop alone can */
  double latency; /* of one run */
} Alike;

typedef struct Shared {
  int n;
  Alike alike[32];
  double time;
} Shared;

static void add_hop(const Choice *c, NodeId id, Hop hop, Shared *s) {
  const ChoiceValue *v = &c->value[id];
  const double runs = c->moves[id];
  const Form *f = &c->figures->forms.at[v->form];
  const Layout *from = f->layouts.at[hop.from], *to = f->layouts.at[hop.to];
  const Program *p = c->plan->program;
  double latency, time = cost_exchange_apart(p, from, to, &f->shape, f->dtype, &latency);
  Exchange x = exchange_of(p, from, to, &f->shape, f->dtype);
  bool may =
      x.kind == DTRT_ALL_REDUCE || x.kind == DTRT_REDUCE_SCATTER || x.kind == DTRT_ALL_GATHER;
  int k = 0;
  s->time += time * runs;
  while (k < s->n &&
         (s->alike[k].kind != x.kind || s->alike[k].axes != x.axes || s->alike[k].runs != runs))
    k++;
  if (!may || k == 32) {
    s->time += latency * runs;
    return;
  }
  if (k == s->n) s->alike[s->n++] = (Alike){x.kind, x.axes, runs, 0};
  s->time += fmax(0, latency - s->alike[k].latency) * runs;
  s->alike[k].latency = fmax(latency, s->alike[k].latency);
}

/* The sum, with the messages of alike exchanges counted once. */
static double shared_total(const Choice *c) {
  Shared s = {0};
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    const ChoiceValue *v = &c->value[i];
    int wanted[MAX_HOPS], n = choice_wanted(c, i, wanted, MAX_HOPS);
    Tree t;
    if (c->ways[i]) s.time += choice_work(c, i, c->way[i]);
    if (v->free || !n) continue;
    const int result = choice_result(c, i), source = choice_source(c, i, result);
    if (source != result) {
      if (!(route_tree(c->figures, v->form, result, &source, 1, &t) < INFINITY)) return INFINITY;
      for (int k = 0; k < t.nhops; k++) add_hop(c, i, t.hop[k], &s);
    }
    if (!(route_tree(c->figures, v->form, source, wanted, n, &t) < INFINITY)) return INFINITY;
    for (int k = 0; k < t.nhops; k++) add_hop(c, i, t.hop[k], &s);
  }
  return s.time;
}

/* A form of the same values, without tables. */
static Form form_afresh(const Form *of) {
  return (Form){.shape = of->shape, .dtype = of->dtype, .guard = of->guard};
}

/* Its tables hold for the first layouts of `of`, too. */
static bool is_part_of(const Form *f, const Form *of) {
  const int n = f->layouts.n;
  return !n || (n <= of->layouts.n &&
                !memcmp(f->layouts.at, of->layouts.at, sizeof *f->layouts.at * (size_t)n));
}

static Routes *brief_new(const Routes *of) {
  Routes *r = arena_new_of(of->arena, Routes);
  Machine *m = arena_copy(of->arena, of->program->machine, sizeof *m);
  for (int i = 0; i < m->nlinks; i++) {
    m->link[i].latency *= BRIEF;
    if (m->link[i].message > 0) m->link[i].message *= BRIEF;
  }
  *r = (Routes){.program = arena_copy(of->arena, of->program, sizeof *r->program),
                .arena = of->arena};
  r->program->machine = m;
  return r;
}

/* Routes through the same layouts where a message takes a fraction of its time, as it does when
 * several exchanges go as one. Entries share them, as they share the routes that they are like. */
Routes *choice_brief_routes(const Choice *c) {
  Routes *of = c->routes;
  if (!of->brief) of->brief = brief_new(of);
  Routes *r = of->brief;
  for (int i = 0; i < of->forms.n; i++) {
    const Form *from = &of->forms.at[i];
    if (i == r->forms.n) vec_push(r->arena, &r->forms, form_afresh(from));
    Form *f = &r->forms.at[i];
    if (!is_part_of(f, from)) *f = form_afresh(from);
    for (int k = f->layouts.n; k < from->layouts.n; k++) form_layout(r, i, from->layouts.at[k]);
  }
  return r;
}

void choice_note(Choice *c) {
  size_t bytes = sizeof *c->way * (size_t)c->graph->nodes.n;
  if (c->graph->nodes.n > MOST_NODES || !c->notes) return;
  for (int i = 0; i < c->nnoted; i++)
    if (!memcmp(c->noted[i].way, c->way, bytes)) return;
  double total = shared_total(c);
  if (!(total < INFINITY)) return;
  int k = c->nnoted < MOST_NOTED ? c->nnoted++ : MOST_NOTED - 1;
  if (c->noted[k].way && c->noted[k].total <= total) return;
  Noted x = {total, c->noted[k].way ? c->noted[k].way : arena_alloc(c->arena, bytes)};
  memcpy(x.way, c->way, bytes);
  for (; k > 0 && c->noted[k - 1].total > total; k--) c->noted[k] = c->noted[k - 1];
  c->noted[k] = x;
}
