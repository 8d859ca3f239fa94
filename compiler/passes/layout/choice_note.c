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
  double latency;
} Alike;

typedef struct Shared {
  int n;
  Alike alike[32];
  double time;
} Shared;

static void add_hop(const Choice *c, const ChoiceValue *v, Hop hop, Shared *s) {
  const Form *f = &c->figures->forms.at[v->form];
  const Layout *from = f->layouts.at[hop.from], *to = f->layouts.at[hop.to];
  const Program *p = c->plan->program;
  double latency, time = cost_exchange_apart(p, from, to, &f->shape, f->dtype, &latency);
  Exchange x = exchange_of(p, from, to, &f->shape, f->dtype);
  bool may =
      x.kind == DTRT_ALL_REDUCE || x.kind == DTRT_REDUCE_SCATTER || x.kind == DTRT_ALL_GATHER;
  int k = 0;
  s->time += time;
  while (k < s->n && (s->alike[k].kind != x.kind || s->alike[k].axes != x.axes)) k++;
  if (!may || k == 32) {
    s->time += latency;
    return;
  }
  if (k == s->n) s->alike[s->n++] = (Alike){x.kind, x.axes, 0};
  s->time += fmax(0, latency - s->alike[k].latency);
  s->alike[k].latency = fmax(latency, s->alike[k].latency);
}

/* The sum, with the messages of alike exchanges counted once. */
static double shared_total(const Choice *c) {
  Shared s = {0};
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    const ChoiceValue *v = &c->value[i];
    int wanted[MAX_HOPS], n = choice_wanted(c, i, wanted, MAX_HOPS);
    Tree t;
    if (c->ways[i]) s.time += c->ways[i]->way[c->way[i]].work;
    if (v->free || !n) continue;
    const int result = choice_result(c, i), source = choice_source(c, i, result);
    if (source != result) {
      if (!(route_tree(c->figures, v->form, result, &source, 1, &t) < INFINITY)) return INFINITY;
      for (int k = 0; k < t.nhops; k++) add_hop(c, v, t.hop[k], &s);
    }
    if (!(route_tree(c->figures, v->form, source, wanted, n, &t) < INFINITY)) return INFINITY;
    for (int k = 0; k < t.nhops; k++) add_hop(c, v, t.hop[k], &s);
  }
  return s.time;
}

/* Routes through the same layouts where a message takes a fraction of its time, as it does when
 * several exchanges go as one. */
Routes *choice_brief_routes(const Choice *c) {
  Program *p = arena_copy(c->arena, c->routes->program, sizeof *p);
  Machine *m = arena_copy(c->arena, p->machine, sizeof *m);
  Routes *r = arena_new_of(c->arena, Routes);
  for (int i = 0; i < m->nlinks; i++) {
    m->link[i].latency *= BRIEF;
    if (m->link[i].message > 0) m->link[i].message *= BRIEF;
  }
  p->machine = m;
  *r = (Routes){.program = p, .arena = c->arena};
  for (int i = 0; i < c->routes->forms.n; i++) {
    const Form *of = &c->routes->forms.at[i];
    Form f = {.shape = of->shape, .dtype = of->dtype, .guard = of->guard};
    for (int k = 0; k < of->layouts.n; k++) vec_push(c->arena, &f.layouts, of->layouts.at[k]);
    vec_push(c->arena, &r->forms, f);
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
