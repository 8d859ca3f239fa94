/* dtgc_verify: compares each device's values with the oracle's, element by element; see verify.h.
 * An addend of a partial value is kept until all of its group are available. */
#include "verify.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one group of devices. They are combined in the order of the devices, whoever comes first. */
struct Addends {
  Addends *next;
  int value, came, members;
  int64_t group, count;
  double *addend;     /* [members][count] */
  double *sum, *size; /* size: of magnitudes, for the rounding of each addend */
};

void index_of(int rank, const int64_t *shape, int64_t flat, int64_t *index) {
  for (int d = rank - 1; d >= 0; d--) {
    index[d] = shape[d] ? flat % shape[d] : 0;
    flat = shape[d] ? flat / shape[d] : 0;
  }
}

void index_text(int rank, const int64_t *index, char *out, size_t n) {
  size_t at = (size_t)snprintf(out, n, "[");
  for (int d = 0; d < rank && at < n; d++)
    at += (size_t)snprintf(out + at, n - at, "%s%lld", d ? ", " : "", (long long)index[d]);
  if (at < n) snprintf(out + at, n - at, "]");
}

static double ratio(double d, double bound) {
  return d == 0 ? 0 : bound > 0 ? (isinf(bound) ? 0 : d / bound) : INFINITY;
}

bool compare_whole(const Kept *k, const void *data, double tolerance, Parting *at, double *worst) {
  size_t size = (size_t)dtrt_dtype_size(k->dtype);
  for (int64_t i = 0; i < k->count; i++) {
    if (!memcmp(k->base + (size_t)i * size, (const char *)data + (size_t)i * size, size)) continue;
    double got, want;
    values_at(k->dtype, data, i, k->base, i, &got, &want);
    double bound = kept_bound(k, i, tolerance), d = verify_distance(got, want);
    if (k->dtype == DTRT_I64 && d == 0) d = 1;
    if (ratio(d, bound) > *worst) *worst = ratio(d, bound);
    if (d == 0 || d <= bound) continue;
    *at = (Parting){.found = true, .value = -1, .got = got, .want = want, .bound = bound};
    at->index[0] = i; /* flat */
    return false;
  }
  return true;
}

/* -------- blocks -------- */

/* The place in the whole tensor of element i of the block. */
static int64_t global_index(const dtrt_value *v, const dtrt_seen *s, int64_t i, int64_t *index) {
  int64_t flat = 0;
  for (int d = v->layout->rank - 1; d >= 0; d--) {
    int64_t n = s->hi[d] - s->lo[d];
    index[d] = law_element(v->layout->dim[d].n, s->lo[d] + (n ? i % n : 0));
    i = n ? i / n : 0;
  }
  for (int d = 0; d < v->layout->rank; d++) flat = flat * v->layout->dim[d].n + index[d];
  return flat;
}

/* So many elements of the block from i on follow each other in the whole tensor, too: a row of it,
 * or what of that is on one side of the end that a cyclic window goes beyond. */
static int64_t run_from(const dtrt_value *v, const dtrt_seen *s, int64_t i, const int64_t *index) {
  const int last = v->layout->rank - 1;
  if (last < 0) return 1;
  const int64_t row = s->hi[last] - s->lo[last], rest = row - i % row;
  const int64_t to_end = v->layout->dim[last].n - index[last];
  return rest < to_end ? rest : to_end;
}

static bool before(const Parting *a, const Parting *b) {
  return a->value != b->value ? a->value < b->value : a->device < b->device;
}

static void note(Compare *c, const Parting *p) {
  if (!c->first.found || before(p, &c->first)) c->first = *p;
}

/* What compare_block compares. */
typedef struct BlockCompare {
  const Compare *c;
  const dtrt_seen *s;
  const Kept *k;
  const double *got, *size;
  double unit, worst;
  Parting first;
} BlockCompare;

/* Element i of the block with element `flat` of the oracle's; false: it is out of bounds. */
static bool compare_element(BlockCompare *b, int64_t i, int64_t flat) {
  const int dtype = b->k->dtype;
  double x, y;
  if (b->got)
    x = b->got[i], y = value_at(dtype, b->k->base, flat);
  else
    values_at(dtype, b->s->data, i, b->k->base, flat, &x, &y);
  double bound = kept_bound(b->k, flat, b->c->tolerance), d = verify_distance(x, y);
  if (dtype == DTRT_I64 && d == 0 && !b->got) /* equal as doubles */
    d = ((const int64_t *)b->s->data)[i] != ((const int64_t *)(const void *)b->k->base)[flat];
  if (b->size) bound += b->c->tolerance * b->unit * b->size[i];
  if (ratio(d, bound) > b->worst) b->worst = ratio(d, bound);
  if (d == 0 || d <= bound) return true;
  b->first.found = true;
  b->first.got = x, b->first.want = y, b->first.bound = bound;
  return false;
}

/* got[i], or the block's own elements, row by row of the last dim. */
static void compare_block(Compare *c, const dtrt_seen *s, const Kept *k, const double *got,
                          const double *size) {
  const dtrt_value *v = &s->entry->value[s->value];
  BlockCompare b = {.c = c, .s = s, .k = k, .got = got, .size = size};
  b.first = (Parting){.value = s->value, .device = s->device};
  b.unit = dtype_unit((DType)v->dtype);
  const size_t bytes = (size_t)dtrt_dtype_size(v->dtype);
  for (int64_t i = 0, row; i < s->count && !b.first.found; i += row) {
    int64_t index[DTRT_MAX_RANK], flat = global_index(v, s, i, index);
    row = run_from(v, s, i, index);
    if (!got && !memcmp(k->base + (size_t)flat * bytes, (char *)s->data + (size_t)i * bytes,
                        (size_t)row * bytes))
      continue;
    int64_t q = 0;
    while (q < row && compare_element(&b, i + q, flat + q)) q++;
    if (q < row) global_index(v, s, i + q, b.first.index);
  }
  pthread_mutex_lock(&c->lock);
  if (b.first.found) note(c, &b.first);
  if (b.worst > c->worst || (b.worst == c->worst && s->value < c->worst_value))
    c->worst = b.worst, c->worst_value = s->value;
  c->tensors += s->device == 0 && !got;
  pthread_mutex_unlock(&c->lock);
}

/* -------- partial values -------- */

/* A device's number among those along the axes of `set`, and how many these are. */
static int64_t place_along(const dtrt_seen *s, uint32_t set, int *all) {
  int64_t at = 0;
  *all = 1;
  for (int a = 0; a < s->program->naxes; a++) {
    if (!(set >> a & 1)) continue;
    at = at * s->program->axis_size[a] + s->coord[a];
    *all *= s->program->axis_size[a];
  }
  return at;
}

static void addends_free(Addends *a) {
  free(a->addend);
  free(a->sum);
  free(a->size);
  free(a);
}

static Addends *addends_of(Compare *c, const dtrt_seen *s, uint32_t partial) {
  int groups, members;
  int64_t group = place_along(s, ~partial, &groups);
  place_along(s, partial, &members);
  for (Addends *a = c->addends; a; a = a->next)
    if (a->value == s->value && a->group == group) return a;
  Addends *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  *a = (Addends){.value = s->value, .members = members, .group = group, .count = s->count};
  a->addend = calloc((size_t)(s->count * members) + 1, sizeof *a->addend);
  a->sum = calloc((size_t)s->count + 1, sizeof *a->sum);
  a->size = calloc((size_t)s->count + 1, sizeof *a->size);
  if (!a->addend || !a->sum || !a->size) {
    addends_free(a);
    return NULL;
  }
  a->next = c->addends;
  return c->addends = a;
}

static double combined(int reduce, double a, double b) {
  switch (reduce) {
  case DTRT_MAX: return a > b || isnan(a) ? a : b;
  case DTRT_MIN: return a < b || isnan(a) ? a : b;
  case DTRT_PROD: return a * b;
  default: return a + b;
  }
}

/* True: this was the last of its group. */
static bool add(Addends *a, const dtrt_seen *s, const dtrt_layout *l, int dtype) {
  int members;
  double *mine = a->addend + place_along(s, l->partial, &members) * a->count;
  for (int64_t i = 0; i < s->count; i++) mine[i] = value_at(dtype, s->data, i);
  if (++a->came < members) return false;
  for (int64_t i = 0; i < a->count; i++)
    for (int k = 0; k < members; k++) {
      double x = a->addend[k * a->count + i];
      a->sum[i] = k ? combined(l->reduce, a->sum[i], x) : x;
      a->size[i] += fabs(x);
    }
  return true;
}

void compare_watch(void *user, const dtrt_seen *s) {
  Compare *c = user;
  const dtrt_value *v = &s->entry->value[s->value];
  if (v->step < 0 || v->tag <= 0 || v->tag >= c->bounds->n) return;
  const Kept *k = &c->bounds->kept[v->tag];
  if (!k->base || k->dtype != v->dtype) return;
  if (!v->layout->partial) {
    compare_block(c, s, k, NULL, NULL);
    return;
  }
  pthread_mutex_lock(&c->lock);
  Addends *a = addends_of(c, s, v->layout->partial);
  bool whole = a && add(a, s, v->layout, v->dtype);
  c->tensors += whole && a->group == 0;
  c->no_memory |= !a;
  pthread_mutex_unlock(&c->lock);
  if (whole) compare_block(c, s, k, a->sum, a->size);
}

void compare_free(Compare *c) {
  while (c->addends) {
    Addends *a = c->addends;
    c->addends = a->next;
    addends_free(a);
  }
}
