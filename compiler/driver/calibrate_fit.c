/* Fits a link to measured times of exchanges. The predicted time of an exchange comes from
 * cost_exchange, on machines with one finite rate at a time, so that the model exists only once.
 */
#include "calibrate.h"
#include "cost.h"
#include <math.h>

static Layout layout_from(const dtrt_layout *r) {
  Layout l = {.rank = r->rank, .partial = r->partial, .reduce = RED_SUM};
  for (int d = 0; d < r->rank; d++) {
    const dtrt_dim *x = &r->dim[d];
    l.dim[d] = (DimLayout){.naxes = x->naxes,
                           .granule = x->granule,
                           .window = {x->of, x->mul, x->div, x->first, x->last, x->cyclic}};
  }
  return l;
}

static double modelled(Program *p, const Machine *m, const Layout *from, const Layout *to,
                       const Shape *s) {
  p->machine = m;
  return cost_exchange(p, from, to, s, DT_F32);
}

Sample fit_sample(Arena *a, int devices, LinkBy by, int kind, int size, double memory_bandwidth) {
  static const double never = 1e300;
  Program p = {.arena = a, .mesh = {.naxes = 1, .axis = {{.name = "d", .size = devices}}}};
  Sample out = {.kind = kind, .count = probe_exchange_count(size)};
  Shape s;
  probe_shape(kind, size, &s);
  p.layouts = layout_set_new(a, &p.mesh);
  const dtrt_exchange *x = probe_tables(kind, size);
  Layout from = layout_from(x->from), to = layout_from(x->to);
  const Layout *f = layout_of(p.layouts, &from, &s), *t = layout_of(p.layouts, &to, &s);
  Machine m = {.name = "probe", .flops = never, .vector_flops = never, .nlinks = 1};
  m.memory_bandwidth = never;
  m.link[0] = (Link){.bandwidth = never, .latency = 1, .message = -1, .by = by};
  out.messages = modelled(&p, &m, f, t, &s);
  m.link[0] = (Link){.bandwidth = 1, .latency = 0, .by = by};
  out.bytes = modelled(&p, &m, f, t, &s);
  m.memory_bandwidth = memory_bandwidth;
  m.link[0] = (Link){.bandwidth = never, .latency = 0, .by = by};
  out.rest = modelled(&p, &m, f, t, &s);
  return out;
}

/* Least squares of (latency * messages + bytes / bandwidth + rest) / time - 1, both at least 0. */
Link fit_link(const Sample *s, int n) {
  double mm = 0, mb = 0, bb = 0, m1 = 0, b1 = 0;
  for (int i = 0; i < n; i++) {
    double m = s[i].messages / s[i].time, b = s[i].bytes / s[i].time;
    double left = 1 - s[i].rest / s[i].time;
    mm += m * m, mb += m * b, bb += b * b, m1 += m * left, b1 += b * left;
  }
  double det = mm * bb - mb * mb;
  double latency = det > 0 ? (m1 * bb - b1 * mb) / det : 0;
  double pace = det > 0 ? (b1 * mm - m1 * mb) / det : 0; /* seconds a byte */
  if (latency < 0) latency = 0, pace = bb > 0 ? b1 / bb : 0;
  if (pace <= 0) pace = 0, latency = mm > 0 ? fmax(m1 / mm, 0) : 0;
  return (Link){.bandwidth = pace > 0 ? 1 / pace : INFINITY, .latency = latency, .message = -1};
}

double fit_error(const Link *l, const Sample *s) {
  return (l->latency * s->messages + s->bytes / l->bandwidth + s->rest) / s->time - 1;
}
