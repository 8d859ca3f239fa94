/* The cost model of cost.h. */
#include "cost.h"
#include "wire.h"
#include "algorithm_table.h"
#include "work.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>

/* -------- exchanges -------- */

/* Of the slowest axis; whether all devices of a group read each other's memory. */
static Speed speed_of(const Program *p, uint32_t axes, bool *direct) {
  Speed all = {.bandwidth = INFINITY};
  *direct = true;
  for (int a = 0; a < p->mesh.naxes; a++) {
    if (!(axes & 1u << a) || p->mesh.axis[a].size == 1) continue;
    Link l = machine_axis(p->machine, &p->mesh, a);
    all = speed_slower(all, (Speed){l.bandwidth, l.latency, l.message});
    *direct = *direct && l.by == LINK_MEMORY;
  }
  return all;
}

/* Which members of a group read each other's memory, and whether each such place sends one sum. */
typedef struct TeamPlaces {
  PlacesShape shape;
  bool fast;
} TeamPlaces;

/* Where member i of the group number `group` along the axes is. */
static void places_list(const Program *p, uint32_t axes, int64_t group, int64_t n, int64_t memory,
                        int *where) {
  const Mesh *m = &p->mesh;
  for (int64_t i = 0; i < n; i++) {
    int64_t device = 0, member = i, other = group, stride = 1;
    for (int a = m->naxes - 1; a >= 0; a--, stride *= m->axis[a + 1].size) {
      const int64_t size = m->axis[a].size;
      int64_t *rest = axes & 1u << a ? &member : &other;
      device += *rest % size * stride;
      *rest /= size;
    }
    where[i] = (int)(device / memory);
  }
}

/* Of a group whose members lie anywhere: `axes` of them in turns. */
static TeamPlaces places_listed(const Program *p, uint32_t axes, int64_t memory) {
  const Mesh *m = &p->mesh;
  int64_t n = 1, groups = 1;
  for (int a = 0; a < m->naxes; a++) *(axes & 1u << a ? &n : &groups) *= m->axis[a].size;
  int *where = arena_array(p->arena, int, n), *other = arena_array(p->arena, int, n);
  TeamPlaces out = {.fast = p->fast_sums};
  places_list(p, axes, 0, n, memory, where);
  for (int64_t k = 1; out.fast && k < groups; k++) {
    places_list(p, axes, k, n, memory, other);
    out.fast = places_alike((int)n, where, other);
  }
  Places *all = places_new((int)n, where, out.fast);
  out.shape = all ? places_shape(all) : places_regular(n, 1, out.fast);
  places_free(all);
  return out;
}

/* Which devices of a group read each other's memory. Almost always as many of each host, in a row.
 */
static TeamPlaces places_of(const Program *p, uint32_t axes) {
  const bool fast = p->fast_sums;
  const Mesh *m = &p->mesh;
  const int64_t memory = machine_memory_group(p->machine);
  int64_t stride = 1, n = 1, near = 1;
  for (int a = m->naxes - 1; a >= 0; stride *= m->axis[a--].size) {
    const int64_t size = m->axis[a].size, reach = stride * size;
    if (!(axes & 1u << a) || size == 1) continue;
    n *= size;
    if (stride >= memory) continue;
    if (memory % stride || (memory % reach && reach % memory)) {
      ArenaMark mark = arena_mark(p->arena);
      TeamPlaces listed = places_listed(p, axes, memory);
      arena_release(p->arena, mark);
      return listed;
    }
    near *= reach <= memory ? size : memory / stride;
  }
  return (TeamPlaces){places_regular(n, near, fast), fast};
}

/* How many devices of a host do the same along some axes: those all of whose devices are on one. */
static int64_t copies_of(const Program *p, uint32_t axes) {
  const Mesh *m = &p->mesh;
  const int64_t memory = machine_memory_group(p->machine);
  int64_t copies = 1, reach = 1;
  for (int a = m->naxes - 1; a >= 0; a--) {
    reach *= m->axis[a].size;
    if (axes >> a & 1 && memory % reach == 0) copies *= m->axis[a].size;
  }
  return copies;
}

ExchangePrice cost_price(const Program *p, const Exchange *x, int n, bool in_flight) {
  Collective all = {0};
  bool direct;
  Speed speed = speed_of(p, x->axes, &direct);
  for (int i = 0; i < n; i++) {
    Collective one = {.all_reduce = x[i].kind == DTRT_ALL_REDUCE,
                      .group = x[i].group,
                      .terms = x[i].terms,
                      .size = x[i].size,
                      .wide = x[i].wide,
                      .most = x[i].most,
                      .received = x[i].bytes,
                      .senders = x[i].senders,
                      .run = x[i].run};
    if (!direct) {
      const TeamPlaces team = places_of(p, x[i].settled);
      one.team = team.shape;
      one.twins = places_of(p, x[i].alike).shape.near;
      if (team.fast) one.wide = one.size;
    }
    collective_share(&one, direct ? 1 : copies_of(p, x[i].idle));
    collective_add(&all, &one);
  }
  all.direct = direct;
  if (!direct) all.places = places_of(p, x->axes).shape;
  all.in_flight = in_flight;
  ExchangePrice out = {.algorithm = collective_choose(&all, &speed)};
  out.price = collective_price(out.algorithm, &all, &speed);
  return out;
}

/* No group along any axes has a part of the devices that read each other's memory. */
static bool places_are_regular(const Mesh *m, int64_t memory) {
  int64_t stride = 1;
  for (int a = m->naxes - 1; a >= 0; stride *= m->axis[a--].size)
    if (stride < memory && (memory % stride || memory % (stride * m->axis[a].size))) return false;
  return true;
}

static bool is_within(const Mesh *m, int axis, int64_t memory) {
  int64_t stride = 1;
  for (int a = m->naxes - 1; a > axis; a--) stride *= m->axis[a].size;
  return stride < memory;
}

bool cost_axes_alike(const Program *p, int a, int b) {
  const Mesh *m = &p->mesh;
  const int64_t memory = machine_memory_group(p->machine);
  if (a == b) return true;
  if (m->axis[a].size != m->axis[b].size || m->axis[a].size == 1) return false;
  const Link x = machine_axis(p->machine, m, a), y = machine_axis(p->machine, m, b);
  return x.bandwidth == y.bandwidth && x.latency == y.latency && x.message == y.message &&
         x.by == y.by && places_are_regular(m, memory) &&
         is_within(m, a, memory) == is_within(m, b, memory);
}

/* What of the new block was there already is copied. */
static double copy_time(const Program *p, const Exchange *x, double block) {
  return fmax(0, block - (double)x->bytes) / p->machine->memory_bandwidth;
}

bool cost_is_brief(const Program *p, const Exchange *x) {
  Price price = cost_price(p, x, 1, false).price;
  return price.moving < price.waiting;
}

double cost_exchange(const Program *p, const Layout *from, const Layout *to, const Shape *s,
                     DType t) {
  double waiting = 0;
  if (from == to) return 0;
  double time = cost_exchange_apart(p, from, to, s, t, &waiting);
  return time + waiting;
}

/* Seconds that an exchange takes besides waiting and moving. A reduction over several axes at once
 * saves one for each axis more: where it has the price of as many reductions in turn, it is better.
 */
static const double CALL = 1e-7;

double cost_exchange_apart(const Program *p, const Layout *from, const Layout *to, const Shape *s,
                           DType t, double *waiting) {
  const Exchange x = exchange_of(p, from, to, s, t);
  return cost_exchange_is(p, &x, work_block_bytes(p, to, s, t), waiting);
}

double cost_exchange_is(const Program *p, const Exchange *x, double block, double *waiting) {
  const double time = copy_time(p, x, block);
  *waiting = 0;
  if (x->kind == DTRT_COPY) return time;
  Price price = cost_price(p, x, 1, false).price;
  *waiting = price.waiting;
  for (uint32_t more = x->settled & (x->settled - 1); more; more &= more - 1)
    *waiting = fmax(0, *waiting - CALL);
  return time + price.moving;
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
  NodeVec m;
} Members;

static void collect(const Plan *p, const LocalEntry *le, NodeId id, Members *out) {
  const Node *n = graph_node(le->graph, id);
  for (int i = 0; i < out->m.n; i++)
    if (out->m.at[i] == id) return;
  vec_push(p->arena, &out->m, id);
  for (int i = 0; i < n->noperands; i++)
    if (!le->stored[n->operand[i]]) collect(p, le, n->operand[i], out);
}

/* What goes as one goes in batches, as in runtime/exchange/exchange.c. `by` may be NULL. */
static void add_exchange(const Plan *p, const LocalEntry *le, const Step *s, StepCost *c,
                         AxesCost *by) {
  const Program *program = p->program;
  Exchange batch[COMM_BATCH];
  int n = 0;
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *node = graph_node(le->graph, s->nodes.at[i]);
    const Exchange ex = exchange_at(program, le->graph, node);
    const bool borders = le->borders && le->borders[s->nodes.at[i]]; /* the block stays where it is */
    const double block = borders ? 0 : (double)node_bytes(program, node);
    *(ex.kind == DTRT_COPY ? &c->compute : &c->exchange) += copy_time(program, &ex, block);
    if (ex.kind != DTRT_COPY) batch[n++] = ex;
    if (!n || (n < COMM_BATCH && i + 1 < s->nodes.n)) continue;
    ExchangePrice done = cost_price(program, batch, n, s->slot > 0 && s->nodes.n <= COMM_BATCH);
    double time = done.price.waiting + done.price.moving;
    c->exchange += time;
    c->bytes += done.price.bytes;
    if (by && done.algorithm < ALGORITHMS) {
      by[done.algorithm].exchanges++;
      by[done.algorithm].bytes += done.price.bytes, by[done.algorithm].time += time;
    }
    c->messages += done.price.messages, c->rounds += done.price.rounds;
    c->own += done.price.own;
    if (c->algorithm == ALGORITHMS) c->algorithm = done.algorithm;
    n = 0;
  }
}

static void add_local_step(const Plan *p, const LocalEntry *le, const Step *s, StepCost *c) {
  Members all = {0};
  for (int i = 0; i < s->nodes.n; i++) collect(p, le, s->nodes.at[i], &all);
  for (int i = 0; i < all.m.n; i++) add_local_op(p, le, all.m.at[i], c);
}

double cost_step_flops(const Plan *p, const LocalEntry *le, const Step *s) {
  StepCost c = {0};
  if (!step_moves(s)) add_local_step(p, le, s, &c);
  return c.flops;
}

static StepCost cost_step_by(const Plan *p, const LocalEntry *le, int step, AxesCost *by) {
  const Step *s = &le->steps.at[step];
  StepCost c = {.algorithm = ALGORITHMS};
  if (s->kind == STEP_WAIT) return c; /* all is counted where it starts */
  if (s->kind == STEP_EXCHANGE) {
    add_exchange(p, le, s, &c, by);
    if (c.exchange > 0) return c;
  } else {
    add_local_step(p, le, s, &c);
    const double share = s->kind == STEP_MAP && s->named
                             ? work_named_share(&p->program->mesh, le->graph, s->named - 1)
                             : 1;
    c.compute *= share, c.flops *= share;
  }
  c.compute += p->program->machine->start;
  return c;
}

StepCost cost_step(const Plan *p, const LocalEntry *le, int step) {
  return cost_step_by(p, le, step, NULL);
}

static AxesCost *over(const Plan *p, EntryCost *e, uint32_t axes) {
  for (int i = 0; i < e->over.n; i++)
    if (e->over.at[i].axes == axes) return &e->over.at[i];
  vec_push(p->arena, &e->over, ((AxesCost){.axes = axes}));
  return &e->over.at[e->over.n - 1];
}

static void add_times(AxesCost *to, const AxesCost *x, double times) {
  to->exchanges += (int)fmin(times * x->exchanges, INT_MAX / 2);
  to->bytes += (int64_t)(times * (double)x->bytes);
  to->time += times * x->time;
}

EntryCost cost_entry(const Plan *p, const LocalEntry *le) {
  EntryCost e = {0};
  Wire wire = {0};
  double *hidden = arena_array(p->arena, double, le->steps.n + 1);
  for (int t = 0; t < le->steps.n; t++) {
    AxesCost by[ALGORITHMS] = {0};
    StepCost c = cost_step_by(p, le, t, by);
    wire_step(&wire, &le->steps.at[t], t, &c, hidden);
    const Turns turns = step_turns(le, t);
    e.unknown = e.unknown || turns.unknown;
    e.compute += turns.times * c.compute, e.flops += turns.times * c.flops;
    c.exchange *= turns.times, c.bytes = (int64_t)(turns.times * (double)c.bytes);
    e.exchange += c.exchange, e.bytes += c.bytes;
    if (c.exchange == 0) continue;
    for (int i = 0; i < ALGORITHMS; i++) add_times(&e.by[i], &by[i], turns.times);
    const Node *n = graph_node(le->graph, le->steps.at[t].nodes.at[0]);
    Exchange x = exchange_at(p->program, le->graph, n);
    AxesCost *a = over(p, &e, x.axes);
    const int times = turns.times < INT_MAX / 2 ? (int)turns.times : INT_MAX / 2;
    a->exchanges += times, a->bytes += c.bytes, a->time += c.exchange;
    e.exchanges += times;
  }
  for (int t = 0; t < le->steps.n; t++) e.hidden += step_turns(le, t).times * hidden[t];
  e.time = e.compute + e.exchange - e.hidden;
  return e;
}

/* What a step of all devices of a host, which work at once, takes at least to pass its memory: no
 * more than one device after the other, each in the `time` that it is modelled to take alone. */
static double through_memory(const Plan *p, const LocalEntry *le, const Step *s, double time) {
  const Machine *m = p->program->machine;
  const double devices = (double)mesh_devices(&p->program->mesh);
  if (m->host_bandwidth == 0 || step_moves(s)) return 0;
  const double bytes = work_step(p->program, le, s).bytes * devices;
  return bytes > machine_near(m) ? fmin(bytes / m->host_bandwidth, devices * time) : 0;
}

/* A sort of a line, and what is known to stay on one core, is not told apart. */
static double step_on_cores(const Plan *p, const LocalEntry *le, const Step *s, double compute,
                            int64_t cores) {
  const Machine *m = p->program->machine;
  const double time = compute - m->start;
  if (time <= 0) return compute;
  const double most = machine_deals(m, time) ? fmax(1, floor(time / machine_part(m))) : 1;
  const double divided = time / fmin(most, (double)cores);
  return m->start + fmax(divided, through_memory(p, le, s, time));
}

double cost_on_cores(const Plan *p, const LocalEntry *le, int64_t cores) {
  double sum = 0;
  for (int t = 0; t < le->steps.n; t++)
    sum += step_turns(le, t).times *
           step_on_cores(p, le, &le->steps.at[t], cost_step(p, le, t).compute, cores);
  return sum;
}

void cost_hidden(const Plan *p, const LocalEntry *le, int64_t cores, double *hidden) {
  Wire w = {0};
  for (int t = 0; t < le->steps.n; t++) {
    StepCost c = cost_step(p, le, t);
    c.compute = step_on_cores(p, le, &le->steps.at[t], c.compute, cores);
    wire_step(&w, &le->steps.at[t], t, &c, hidden);
  }
}

double cost_call_on_cores(const Plan *p, const LocalEntry *le, int64_t cores) {
  const Machine *m = p->program->machine;
  double *hidden = arena_array(p->arena, double, le->steps.n + 1), sum = 0, exchange = 0;
  cost_hidden(p, le, cores, hidden);
  for (int t = 0; t < le->steps.n; t++) {
    const double times = step_turns(le, t).times;
    sum += times * hidden[t];
    exchange += times * cost_step(p, le, t).exchange;
  }
  const double devices = (double)mesh_devices(&p->program->mesh),
               turns = m->cores > 0 ? fmax(1, devices / (double)m->cores) : 1;
  return turns * cost_on_cores(p, le, cores) + exchange - sum;
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
