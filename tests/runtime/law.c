#include "law.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------- meshes -------- */

static void set_coords(Grid *g) {
  for (int d = 0; d < g->ndevices; d++)
    for (int i = g->naxes - 1, rest = d; i >= 0; rest /= g->size[i--])
      g->coord[d][i] = rest % g->size[i];
}

static uint8_t along(const Grid *g, int device, uint32_t same) {
  const int32_t *mine = g->coord[device];
  uint8_t set = 0;
  for (int d = 0; d < g->ndevices; d++) {
    const int32_t *theirs = g->coord[d];
    bool alike = true;
    for (int i = 0; i < g->naxes; i++) alike = alike && (!(same & 1u << i) || mine[i] == theirs[i]);
    if (alike) set |= (uint8_t)(1u << d);
  }
  return set;
}

static int nearest(const Grid *g, int device, int set) {
  const int32_t *mine = g->coord[device];
  int best = -1, least = 1 << 30;
  for (int d = 0; d < g->ndevices; d++) {
    const int32_t *theirs = g->coord[d];
    int far = 0;
    if (!(set & 1u << d)) continue;
    for (int i = 0; i < g->naxes; i++)
      if (mine[i] != theirs[i]) far += 1000 + abs(mine[i] - theirs[i]);
    if (far == least) best = -1;
    if (far < least) best = d, least = far;
  }
  return best;
}

Grid grid_of(int naxes, const int *size) {
  Grid g = {.naxes = naxes, .ndevices = 1};
  for (int i = 0; i < naxes; i++) g.ndevices *= g.size[i] = size[i];
  set_coords(&g);
  for (int d = 0; d < g.ndevices; d++) {
    for (uint32_t axes = 0; axes < 1u << naxes; axes++) g.along[d][axes] = along(&g, d, axes);
    for (int set = 0; set < 1 << g.ndevices; set++) g.nearest[d][set] = (int8_t)nearest(&g, d, set);
  }
  return g;
}

/* -------- who holds what -------- */

static int64_t floor_of(int64_t a, int64_t b) {
  int64_t q = a / b;
  while (q * b > a) q--;
  while ((q + 1) * b <= a) q++;
  return q;
}

/* Whether the device with these coordinates holds element e of the dim. */
static bool holds(const Grid *g, const dtrt_dim *d, const int32_t *coord, int64_t e) {
  int64_t k = 1, i = 0;
  for (int j = 0; j < d->naxes; j++) {
    k *= g->size[d->axis[j]];
    i = i * g->size[d->axis[j]] + coord[d->axis[j]];
  }
  int64_t n = d->of > 0 ? d->of : d->n, m = n / d->granule;
  int64_t lo = i * m / k * d->granule, hi = (i + 1) * m / k * d->granule;
  if (k == 1) lo = 0, hi = n;
  if (d->of <= 0) return e >= lo && e < hi;
  if (lo >= hi) return false;
  int64_t a = d->mul < 0 ? hi - 1 : lo, b = d->mul < 0 ? lo : hi - 1;
  for (int64_t lap = -1; lap <= 1; lap++) {
    const int64_t at = e + lap * d->n;
    if (lap && !d->cyclic) continue;
    if (at * d->div >= a * d->mul + d->first && at <= floor_of(b * d->mul + d->last, d->div))
      return true;
  }
  return false;
}

int64_t law_count(const dtrt_layout *l) {
  int64_t n = 1;
  for (int i = 0; i < l->rank; i++) n *= l->dim[i].n;
  return n;
}

void law_hold(const Grid *g, Laid *o) {
  const int64_t n = law_count(&o->l);
  uint8_t *of_dim[LAW_RANK]; /* [index]: set of devices */
  for (int i = 0; i < o->l.rank; i++) {
    of_dim[i] = calloc((size_t)o->dim[i].n + 1, 1);
    for (int64_t e = 0; e < o->dim[i].n; e++)
      for (int d = 0; d < g->ndevices; d++)
        if (holds(g, &o->dim[i], g->coord[d], e)) of_dim[i][e] |= (uint8_t)(1u << d);
  }
  o->held = calloc((size_t)n + 1, 1);
  for (int64_t e = 0; e < n; e++) {
    uint8_t all = (uint8_t)((1u << g->ndevices) - 1);
    int64_t rest = e;
    for (int i = o->l.rank - 1; i >= 0; rest /= o->dim[i--].n) all &= of_dim[i][rest % o->dim[i].n];
    o->held[e] = all;
  }
  for (int i = 0; i < o->l.rank; i++) free(of_dim[i]);
}

/* -------- what happens -------- */

float law_term(int64_t element, int device) { return (float)(element * LAW_DEVICES + device); }

static uint32_t reduced(const dtrt_exchange *x) { return x->from->partial & ~x->to->partial; }

/* Where the granules divide evenly, their size makes no difference to the blocks. */
static int64_t felt(const Grid *g, const dtrt_dim *d) {
  int64_t k = 1;
  for (int i = 0; i < d->naxes; i++) k *= g->size[d->axis[i]];
  return d->n / d->granule % k ? d->granule : 1;
}

static bool same_dim(const Grid *g, const dtrt_dim *a, const dtrt_dim *b) {
  int i = 0, j = 0;
  bool cut = false;
  for (;; i++, j++, cut = true) { /* axes of size 1 cut nothing */
    while (i < a->naxes && g->size[a->axis[i]] == 1) i++;
    while (j < b->naxes && g->size[b->axis[j]] == 1) j++;
    if (i >= a->naxes || j >= b->naxes || a->axis[i] != b->axis[j]) break;
  }
  return i >= a->naxes && j >= b->naxes && a->of <= 0 && b->of <= 0 &&
         (!cut || felt(g, a) == felt(g, b));
}

bool law_is_all_reduce(const Grid *g, const dtrt_exchange *x) {
  uint32_t fresh = x->to->partial & ~x->from->partial;
  bool terms = false;
  for (int i = 0; i < g->naxes; i++) {
    terms = terms || (reduced(x) & 1u << i && g->size[i] > 1);
    if (g->size[i] == 1) fresh &= ~(1u << i);
  }
  for (int i = 0; i < x->from->rank; i++)
    if (!same_dim(g, &x->from->dim[i], &x->to->dim[i])) return false;
  return terms && (!fresh || x->to->reduce != DTRT_SUM);
}

/* A fresh partial value of a sum is kept by the first device of each axis and zero on the others.
 */
static bool is_zero(const Grid *g, const dtrt_exchange *x, int device) {
  uint32_t fresh = x->to->partial & ~x->from->partial;
  int reduce = x->from->partial ? x->from->reduce : x->to->reduce;
  for (int i = 0; fresh && i < g->naxes; i++)
    if (fresh & 1u << i && g->coord[device][i] && reduce == DTRT_SUM) return true;
  return false;
}

/* Who gives a device its terms of an element, in the order of the devices that stand for the terms;
 * returns how many. */
static int givers(const Grid *g, const dtrt_exchange *x, const Laid *from, int64_t element,
                  int device, int *out, bool *ambiguous) {
  uint32_t reduce = reduced(x), all = (1u << g->naxes) - 1;
  uint8_t terms = grid_along(g, device, all & ~reduce), of_mine;
  int n = 0;
  for (int t = 0; t < g->ndevices; t++) {
    if (!(terms & 1u << t)) continue;
    /* Any who has this term's coordinates, and mine where the value stays partial. */
    of_mine = grid_along(g, t, reduce) & grid_along(g, device, x->from->partial & ~reduce);
    out[n] = grid_nearest(g, device, from->held[element] & of_mine);
    *ambiguous = *ambiguous || out[n] < 0;
    n++;
  }
  return n;
}

uint32_t law_copied(const Grid *g, const dtrt_exchange *x, const int *host) {
  uint32_t axes = (1u << g->naxes) - 1;
  for (int k = 0; k < 2; k++) {
    const dtrt_layout *l = k ? x->to : x->from;
    axes &= ~l->partial;
    for (int i = 0; i < l->rank; i++)
      for (int j = 0; j < l->dim[i].naxes; j++) axes &= ~(1u << l->dim[i].axis[j]);
  }
  for (int a = 0; a < g->naxes; a++)
    for (int d = 0; d < g->ndevices; d++)
      if (host[d] != host[law_first(g, 1u << a, d)]) axes &= ~(1u << a);
  return axes;
}

int law_first(const Grid *g, uint32_t axes, int device) {
  const uint8_t all = grid_along(g, device, ((1u << g->naxes) - 1) & ~axes);
  for (int d = 0;; d++)
    if (all >> d & 1) return d;
}

float law_value(const Grid *g, const dtrt_exchange *x, const Laid *from, int64_t element,
                int device, uint32_t copied) {
  int giver[LAW_DEVICES];
  bool ambiguous = false;
  if (is_zero(g, x, device)) return 0;
  int n = givers(g, x, from, element, device, giver, &ambiguous);
  float v = law_term(element, law_first(g, copied, giver[0]));
  for (int i = 1; i < n; i++) {
    float t = law_term(element, law_first(g, copied, giver[i]));
    v = x->from->reduce == DTRT_SUM ? v + t : v > t ? v : t;
  }
  return v;
}

/* Element e of a device's block belongs to the chunk of one of the group, by the block law. What
 * one device combines it takes from g-1 others and gives to as many. */
static void all_reduced(const Grid *g, const dtrt_exchange *x, const Laid *from, Moved *m) {
  uint32_t all = (1u << g->naxes) - 1;
  for (int d = 0; d < g->ndevices; d++) {
    uint8_t group = grid_along(g, d, all & ~reduced(x));
    int64_t n = 0, count = law_count(&from->l), terms = 0, me = 0;
    for (int64_t e = 0; e < count; e++) n += from->held[e] >> d & 1;
    for (int t = 0; t < g->ndevices; t++) {
      if (t == d) me = terms;
      terms += group >> t & 1;
    }
    int64_t chunk = (me + 1) * n / terms - me * n / terms;
    bool single = true; /* all devices decide by the largest block of all */
    for (int t = 0; t < g->ndevices && single; t++) {
      int64_t b = 0;
      for (int64_t e = 0; e < count; e++) b += from->held[e] >> t & 1;
      single = b <= 1;
    }
    m->received[d] = m->sent[d] = single ? (terms - 1) * n : (terms - 1) * chunk + n - chunk;
    m->all_terms[d] = (terms - 1) * n;
  }
}

Moved law_moved(const Grid *g, const dtrt_exchange *x, const Laid *from, const Laid *to) {
  Moved m = {0};
  int64_t n = law_count(x->to);
  int giver[LAW_DEVICES];
  if (law_is_all_reduce(g, x)) {
    all_reduced(g, x, from, &m);
  } else {
    for (int d = 0; d < g->ndevices; d++)
      for (int64_t e = 0, end = is_zero(g, x, d) ? 0 : n; e < end; e++) {
        if (!(to->held[e] & 1u << d)) continue;
        int terms = givers(g, x, from, e, d, giver, &m.ambiguous);
        for (int t = 0; t < terms; t++) {
          if (giver[t] == d || giver[t] < 0) continue;
          m.received[d]++;
          m.sent[giver[t]]++;
        }
      }
  }
  for (int d = 0; d < g->ndevices; d++)
    if (m.received[d] > m.most) m.most = m.received[d];
  return m;
}

/* -------- between places -------- */

static uint8_t devices_of(const Grid *g, const int *host, int place) {
  uint8_t set = 0;
  for (int d = 0; d < g->ndevices; d++) set |= (uint8_t)((host[d] == place) << d);
  return set;
}

/* The sums of a block enter a place that has not all of its terms, or all terms of the others do.
 */
static void all_reduced_far(const Grid *g, const dtrt_exchange *x, const Laid *from,
                            const int *host, MovedFar *m) {
  const uint32_t all = (1u << g->naxes) - 1, copied = law_copied(g, x, host);
  const int64_t count = law_count(&from->l);
  for (int d = 0; d < g->ndevices; d++) {
    if (law_first(g, copied, d) != d) continue;
    const uint8_t group = grid_along(g, d, all & ~reduced(x));
    const uint8_t near = group & devices_of(g, host, host[d]);
    int64_t n = 0;
    if (near & ((1u << d) - 1)) continue; /* a place is counted by its first device */
    for (int64_t e = 0; e < count; e++) n += from->held[e] >> d & 1;
    if (group != near) m->least[host[d]] += n;
    m->most[host[d]] += n * __builtin_popcount(group & ~near);
  }
}

/* Whether a place holds every term of an element for a device. */
static bool held_near(const Grid *g, const dtrt_exchange *x, const Laid *from, int64_t element,
                      int device, uint8_t near) {
  const uint32_t reduce = reduced(x), all = (1u << g->naxes) - 1;
  const uint8_t terms = grid_along(g, device, all & ~reduce);
  const uint8_t mine = grid_along(g, device, x->from->partial & ~reduce);
  for (int t = 0; t < g->ndevices; t++)
    if (terms >> t & 1 && !(from->held[element] & grid_along(g, t, reduce) & mine & near))
      return false;
  return true;
}

MovedFar law_far(const Grid *g, const dtrt_exchange *x, const Laid *from, const Laid *to,
                 const int *host) {
  MovedFar m = {0};
  int giver[LAW_DEVICES];
  bool ambiguous = false;
  const uint32_t copied = law_copied(g, x, host);
  if (law_is_all_reduce(g, x)) {
    all_reduced_far(g, x, from, host, &m);
    return m;
  }
  for (int64_t e = 0; e < law_count(x->to); e++) {
    uint8_t lacks = 0; /* places */
    for (int d = 0; d < g->ndevices; d++) {
      if (!(to->held[e] & 1u << d) || is_zero(g, x, d)) continue;
      const int terms = givers(g, x, from, e, d, giver, &ambiguous);
      for (int t = 0; law_first(g, copied, d) == d && t < terms; t++)
        m.most[host[d]] += host[giver[t]] != host[d];
      if (!held_near(g, x, from, e, d, devices_of(g, host, host[d])))
        lacks |= (uint8_t)(1u << host[d]);
    }
    for (int place = 0; place < g->ndevices; place++) m.least[place] += lacks >> place & 1;
  }
  return m;
}

/* -------- all layouts -------- */

static int deal(const Grid *g, const Laid *so_far, int axis, Laid *out, int made) {
  if (axis == g->naxes) {
    if (made == LAW_LAYOUTS) abort();
    out[made] = *so_far;
    return made + 1;
  }
  made = deal(g, so_far, axis + 1, out, made);
  Laid l = *so_far;
  l.l.partial |= 1u << axis;
  made = deal(g, &l, axis + 1, out, made);
  for (int i = 0; i < so_far->l.rank; i++)
    for (int at = 0; at <= so_far->dim[i].naxes; at++) {
      l = *so_far;
      dtrt_dim *d = &l.dim[i];
      memmove(&d->axis[at + 1], &d->axis[at], sizeof d->axis[0] * (size_t)(d->naxes - at));
      d->axis[at] = axis;
      d->naxes++;
      made = deal(g, &l, axis + 1, out, made);
    }
  return made;
}

int law_layouts(const Grid *g, Laid *out, int rank, const int64_t *n, bool granules) {
  Laid l = {.l = {.rank = rank}};
  for (int i = 0; i < rank; i++)
    l.dim[i] = (dtrt_dim){.n = n[i], .granule = granules && n[i] % 3 == 0 && n[i] ? 3 : 1};
  return deal(g, &l, 0, out, 0);
}

/* A cyclic window shows no element twice, and none more than n further up or down. */
static bool shows_once(const Grid *g, const dtrt_dim *d) {
  int64_t k = 1;
  for (int j = 0; j < d->naxes; j++) k *= g->size[d->axis[j]];
  const int64_t len = (d->of + k - 1) / k;
  return ((len - 1) * d->mul + d->last - d->first) / d->div < d->n && d->first >= -d->n &&
         d->last <= d->n;
}

bool law_window(const Grid *g, Laid *o, int which) {
  static const struct {
    int of_mul, of_add;
    int64_t mul, div, first, last, cyclic;
  } window[LAW_WINDOWS] = {
      {1, 0, 1, 1, -1, 1, 0},   /* a halo of one */
      {1, -2, 1, 1, 2, 2, 0},   /* a slice from 2 */
      {1, 0, -1, 1, -1, -1, 0}, /* reverse; first is set below */
      {2, 0, 1, 2, 0, 0, 0},    /* every device of a longer dim needs half as much */
      {1, 3, 1, 1, -3, -3, 0},  /* padding before */
      {1, 0, -2, 3, 4, 9, 0},   /* backwards and bent */
      {1, 0, 1, 1, -1, 2, 1},   /* a halo that goes on at the other end */
      {1, 0, 1, 1, 2, 2, 1},    /* a roll by -2 */
      {2, 0, 1, 2, -1, 1, 1},   /* what twice as many elements need, or half as many, see below */
  };
  for (int i = 0; i < o->l.rank; i++) {
    dtrt_dim *d = &o->dim[i];
    int64_t of = d->n * window[which].of_mul + window[which].of_add;
    if (!d->naxes || of <= 0) continue;
    d->of = of;
    d->granule = 1;
    d->mul = window[which].mul;
    d->div = window[which].div;
    d->first = window[which].first;
    d->last = window[which].last;
    d->cyclic = window[which].cyclic;
    if (which == 2) d->first = d->last = d->n - 1;
    if (which == LAW_WINDOWS - 1 && d->n % 2 == 0) d->of = d->n / 2, d->mul = 2, d->div = 1;
    return !d->cyclic || shows_once(g, d);
  }
  return false;
}

static void print(const char *word, const dtrt_layout *l) {
  fprintf(stderr, " %s [", word);
  for (int i = 0; i < l->rank; i++) {
    const dtrt_dim *d = &l->dim[i];
    fprintf(stderr, "%s%ld:", i ? " " : "", (long)d->n);
    for (int j = 0; j < d->naxes; j++) fputc("xyz"[d->axis[j]], stderr);
    if (d->granule > 1) fprintf(stderr, " by %ld", (long)d->granule);
    if (d->of) fprintf(stderr, " window %ld *%ld", (long)d->of, (long)d->mul);
  }
  fprintf(stderr, "] partial %u", l->partial);
}

void law_print(const Grid *g, const dtrt_exchange *x) {
  fprintf(stderr, "  in mesh ");
  for (int i = 0; i < g->naxes; i++) fprintf(stderr, "%s%d", i ? "x" : "", g->size[i]);
  fputc(':', stderr);
  print("from", x->from);
  print("to", x->to);
  fputc('\n', stderr);
}
