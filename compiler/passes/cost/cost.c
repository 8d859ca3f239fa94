/* The model of cost.h. */
#include "cost.h"
#include "work.h"
#include <math.h>
#include <stdio.h>

/* -------- exchanges -------- */

/* One after the other when each device has word from all its senders by doubling. */
static double messages(int64_t senders) {
  double rounds = 0;
  for (int64_t g = senders + 1; g > 1; g = (g + 1) / 2) rounds++;
  return rounds;
}

/* Of one exchange without its messages, and of its messages. */
static double bytes_time(const Program *p, const Exchange *x, double block, double *latency) {
  double bandwidth = INFINITY;
  *latency = 0;
  for (int a = 0; a < p->mesh.naxes; a++) {
    if (!(x->axes & 1u << a)) continue;
    Link l = machine_axis(p->machine, &p->mesh, a);
    bandwidth = fmin(bandwidth, l.bandwidth);
    *latency = fmax(*latency, l.latency);
  }
  *latency *= messages(x->senders);
  double kept = fmax(0, block - (double)x->bytes);
  return (double)x->bytes / bandwidth + kept / p->machine->memory_bandwidth;
}

bool cost_is_brief(const Program *p, const Exchange *x) {
  double latency, time = bytes_time(p, x, 0, &latency);
  return time < latency;
}

double cost_exchange(const Program *p, const Layout *from, const Layout *to, const Shape *s,
                     DType t) {
  if (from == to) return 0;
  double latency;
  Exchange x = exchange_of(p, from, to, s, t);
  double time = bytes_time(p, &x, work_block_bytes(p, to, s, t), &latency);
  return x.kind == DTRT_COPY ? time : time + latency;
}

double cost_exchange_apart(const Program *p, const Layout *from, const Layout *to, const Shape *s,
                           DType t, double *latency) {
  Exchange x = exchange_of(p, from, to, s, t);
  double time = bytes_time(p, &x, work_block_bytes(p, to, s, t), latency);
  if (x.kind == DTRT_COPY) *latency = 0;
  return time;
}

/* -------- ops -------- */

double cost_op(const Program *p, const Graph *g, const Node *n, const Rule *r,
               const Layout *const *operands, const Layout *result) {
  const Machine *m = p->machine;
  double flops = work_flops(p, g, n, r, operands, result);
  if (node_class(n) == CLASS_VIEW || node_class(n) == CLASS_SOURCE) return 0;
  if (!op_is(n, OPF_PRODUCT)) return flops / m->vector_flops;
  double bytes = work_block_bytes(p, result, &n->shape, n->dtype);
  for (int i = 0; i < n->noperands; i++) {
    const Node *x = graph_operand(g, n, i);
    bytes += work_block_bytes(p, operands[i], &x->shape, x->dtype);
  }
  return fmax(flops / m->flops, bytes / m->memory_bandwidth);
}

/* -------- steps -------- */

static void add_local_op(const Plan *p, const LocalEntry *le, NodeId id, StepCost *c) {
  const Node *n = graph_node(le->graph, id);
  const Layout *lies[64];
  ArenaMark mark = arena_mark(p->arena);
  const Layout **l =
      n->noperands <= 64 ? lies : arena_array(p->arena, const Layout *, n->noperands);
  Rule r;
  for (int i = 0; i < n->noperands; i++) l[i] = graph_operand(le->graph, n, i)->layout;
  rule_of(le->graph, n, &r, p->arena);
  c->compute += cost_op(p->program, le->graph, n, &r, l, n->layout);
  c->flops += work_flops(p->program, le->graph, n, &r, l, n->layout);
  arena_release(p->arena, mark);
}

/* The ops of one step: those it stores, and what is computed inside its loop. */
typedef struct Members {
  VEC(NodeId) m;
} Members;

static void collect(const Plan *p, const LocalEntry *le, NodeId id, Members *out) {
  const Node *n = graph_node(le->graph, id);
  for (int i = 0; i < out->m.n; i++)
    if (out->m.at[i] == id) return;
  vec_push(p->arena, &out->m, id);
  for (int i = 0; i < n->noperands; i++)
    if (!le->stored[n->operand[i]]) collect(p, le, n->operand[i], out);
}

static void add_exchange(const Plan *p, const LocalEntry *le, const Step *s, StepCost *c) {
  double slowest = 0, latency;
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *n = graph_node(le->graph, s->nodes.at[i]), *x = graph_operand(le->graph, n, 0);
    Exchange ex = exchange_of(p->program, x->layout, n->layout, &n->shape, n->dtype);
    double block = work_block_bytes(p->program, n->layout, &n->shape, n->dtype);
    double time = bytes_time(p->program, &ex, block, &latency);
    c->bytes += ex.bytes;
    if (ex.kind == DTRT_COPY) {
      c->compute += time;
      continue;
    }
    c->exchange += time;
    slowest = fmax(slowest, latency); /* combined ones share their messages */
  }
  c->exchange += slowest;
}

double cost_step_flops(const Plan *p, const LocalEntry *le, const Step *s) {
  StepCost c = {0};
  Members all = {0};
  if (s->kind == STEP_EXCHANGE || s->kind == STEP_WAIT) return 0;
  for (int i = 0; i < s->nodes.n; i++) collect(p, le, s->nodes.at[i], &all);
  for (int i = 0; i < all.m.n; i++) add_local_op(p, le, all.m.at[i], &c);
  return c.flops;
}

StepCost cost_step(const Plan *p, const LocalEntry *le, int step) {
  const Step *s = &le->steps.at[step];
  StepCost c = {0};
  if (s->kind == STEP_WAIT) return c; /* all is counted where it starts */
  if (s->kind == STEP_EXCHANGE) {
    add_exchange(p, le, s, &c);
    if (c.exchange > 0) return c;
  } else {
    Members all = {0};
    for (int i = 0; i < s->nodes.n; i++) collect(p, le, s->nodes.at[i], &all);
    for (int i = 0; i < all.m.n; i++) add_local_op(p, le, all.m.at[i], &c);
  }
  c.compute += p->program->machine->start;
  return c;
}

static AxesCost *over(const Plan *p, EntryCost *e, uint32_t axes) {
  for (int i = 0; i < e->over.n; i++)
    if (e->over.at[i].axes == axes) return &e->over.at[i];
  vec_push(p->arena, &e->over, ((AxesCost){.axes = axes}));
  return &e->over.at[e->over.n - 1];
}

EntryCost cost_entry(const Plan *p, const LocalEntry *le) {
  EntryCost e = {0};
  for (int t = 0; t < le->steps.n; t++) {
    StepCost c = cost_step(p, le, t);
    e.compute += c.compute, e.exchange += c.exchange, e.flops += c.flops, e.bytes += c.bytes;
    if (c.exchange == 0) continue;
    const Node *n = graph_node(le->graph, le->steps.at[t].nodes.at[0]);
    Exchange x = exchange_of(p->program, graph_operand(le->graph, n, 0)->layout, n->layout,
                             &n->shape, n->dtype);
    AxesCost *a = over(p, &e, x.axes);
    a->exchanges++, a->bytes += c.bytes, a->time += c.exchange;
    e.exchanges++;
  }
  e.time = e.compute + e.exchange;
  return e;
}

const char *cost_time_text(double s, char *out) {
  if (s >= 1)
    snprintf(out, 16, "%.3g s", s);
  else if (s >= 1e-3)
    snprintf(out, 16, "%.3g ms", s * 1e3);
  else
    snprintf(out, 16, "%.3g us", s * 1e6);
  return out;
}
