/* dtgc_verify: the oracle's values and the effect of rounding on them; see verify.h. */
#include "verify.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double verify_distance(double x, double y) {
  if (x == y || (isnan(x) && isnan(y))) return 0;
  const double d = fabs(x - y);
  return isnan(d) ? INFINITY : d;
}

void values_at(int dtype, const void *a, int64_t i, const void *b, int64_t j, double *x,
               double *y) {
  const int part = (int)dtype_part((DType)dtype);
  *x = value_at(dtype, a, i), *y = value_at(dtype, b, j);
  if (part == dtype) return;
  const double u = value_at(part, a, 2 * i + 1), v = value_at(part, b, 2 * j + 1);
  if (verify_distance(u, v) > verify_distance(*x, *y)) *x = u, *y = v;
}

/* The distance of two elements; integers too large for a double are still told apart. */
static double distance(int dtype, const void *a, const void *b, int64_t i) {
  size_t size = (size_t)dtrt_dtype_size(dtype);
  if (!memcmp((const char *)a + (size_t)i * size, (const char *)b + (size_t)i * size, size))
    return 0;
  double x, y;
  values_at(dtype, a, i, b, i, &x, &y);
  return x == y && dtype == DTRT_I64 ? 1 : verify_distance(x, y); /* 0 and -0 are equal */
}

/* -------- keeping -------- */

static void keep_base(Bounds *b, Kept *k, int dtype, int64_t count, const void *data) {
  size_t bytes = (size_t)count * (size_t)dtrt_dtype_size(dtype);
  kept_free(k);
  *k = (Kept){.dtype = dtype, .count = count, .base = malloc(bytes + 1)};
  k->moved = calloc((size_t)count + 1, sizeof *k->moved);
  if (!k->base || !k->moved) {
    b->no_memory = true;
    kept_free(k);
    return;
  }
  if (bytes) memcpy(k->base, data, bytes);
}

/* The larger of `moved` and what a and b are apart: `distance` of most tensors' type. */
static void farthest_f32(double *moved, const float *a, const float *b, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    double d = a[i] == b[i] ? 0 : fabs((double)a[i] - (double)b[i]);
    if (isnan(d)) d = isnan(a[i]) && isnan(b[i]) ? 0 : INFINITY;
    moved[i] = d > moved[i] ? d : moved[i];
  }
}

void kept_add(Bounds *b, Kept *k, int dtype, int64_t count, const void *data) {
  if (b->run < 0) {
    keep_base(b, k, dtype, count, data);
    return;
  }
  if (!k->base || k->count != count || k->dtype != dtype) return;
  if (dtype == DTRT_F32) {
    farthest_f32(k->moved, (const float *)(const void *)k->base, data, count);
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    double d = distance(dtype, k->base, data, i);
    if (d > k->moved[i]) k->moved[i] = d;
  }
}

void kept_end(Kept *k) {
  double sum = 0;
  int64_t n = 0;
  if (!k->base) return;
  for (int64_t i = 0; i < k->count; i++)
    if (isfinite(k->moved[i])) sum += k->moved[i] * k->moved[i], n++;
  /* An integer may differ where it did, and nowhere else. */
  k->mean = n && dtype_is_float((DType)k->dtype) ? sqrt(sum / (double)n) : 0;
}

double kept_bound(const Kept *k, int64_t i, double tolerance) {
  double moved = k->moved[i];
  if (k->own > 0) {
    const double own = k->own * fabs(value_at(k->dtype, k->base, i));
    if (isfinite(own)) moved = fmax(moved, own);
  }
  return tolerance * (VERIFY_FAR * moved + VERIFY_MEAN * k->mean);
}

static void hand_on(const LocalEntry *le, double *own, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  if (!dtype_is_float(n->dtype)) return;
  own[id] = fmax(own[id], op_rounding(le->graph, n).result);
  for (int k = 0; k < n->noperands; k++) {
    const bool handed = !n->op->rounding || n->op->passes >> k & 1;
    if (handed && dtype_is_float(graph_operand(le->graph, n, k)->dtype))
      own[id] = fmax(own[id], own[n->operand[k]]);
  }
}

double *bounds_own(const LocalEntry *le) {
  const int n = le->graph->nodes.n;
  double *own = calloc((size_t)n + 1, sizeof *own);
  for (int turn = 0; own && turn < 2; turn++) { /* what a loop carries has its next value's, too */
    for (NodeId i = 0; i < n; i++) hand_on(le, own, i);
    for (int r = 0; r < le->entry->regions.n; r++)
      for (int i = 0; i < le->region[r].carries.n; i++) {
        const LocalCarry *c = &le->region[r].carries.at[i];
        own[c->node] = fmax(own[c->node], own[c->next]);
      }
  }
  return own;
}

void kept_free(Kept *k) {
  free(k->base);
  free(k->moved);
  *k = (Kept){0};
}

void bounds_free(Bounds *b) {
  for (int i = 0; b->kept && i < b->n; i++) kept_free(&b->kept[i]);
  free(b->kept);
  free(b->own);
  *b = (Bounds){0};
}

/* -------- moving -------- */

static uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* 16-bit floats by their bits: less than half a unit would be rounded away. */
static uint16_t move_half(uint16_t h, int64_t units, uint16_t infinity) {
  int64_t size = (h & 0x7fff) + units;
  if ((h & 0x7fff) == 0 || (h & 0x7fff) >= infinity || size < 1 || size >= infinity) return h;
  return (uint16_t)((h & 0x8000) | (uint16_t)size);
}

static void move(int dtype, double by, void *at, int64_t i) {
  double unit = dtype_unit((DType)dtype), units = fmin(fmax(round(fabs(by) / unit), 1), 1e6);
  int64_t n = (int64_t)(by < 0 ? -units : units);
  const DType t = (DType)dtype;
  if (!dtype_is_float(t)) return;
  if (dtype_size(t) == 2) {
    const int infinity = 0x7fff & ~((1 << (dtype_digits(t) - 1)) - 1);
    uint16_t *x = (uint16_t *)at + i;
    *x = move_half(*x, n, (uint16_t)infinity);
    return;
  }
  const double y = dtype_round(t, dtype_get(t, at, i) * (1 + by));
  if (isfinite(y)) dtype_set(t, at, i, y);
}

static void move_all(const Bounds *b, const dtrt_value *v, const dtrt_seen *seen) {
  uint64_t key =
      mix(b->seed + (uint64_t)(b->run / 2)) ^ mix((uint64_t)v->tag << 20 | (uint64_t)v->node);
  const double by = v->rounding;
  float *x = v->dtype == DTRT_F32 ? seen->data : NULL;
  for (int64_t i = 0; by > 0 && i < seen->count; i++) {
    const bool down = (mix(key + (uint64_t)i) ^ (uint64_t)b->run) & 1;
    if (x) {
      const float y = (float)(x[i] * (1 + (down ? -by : by)));
      x[i] = isfinite(y) ? y : x[i];
    } else {
      move(v->dtype, down ? -by : by, seen->data, i);
    }
  }
}

void bounds_watch(void *user, const dtrt_seen *seen) {
  Bounds *b = user;
  const dtrt_value *v = &seen->entry->value[seen->value];
  if (b->run >= 0) move_all(b, v, seen);
  if (v->tag <= 0 || v->tag >= b->n) return;
  kept_add(b, &b->kept[v->tag], v->dtype, seen->count, seen->data);
  b->kept[v->tag].own = dtype_is_float((DType)v->dtype) ? b->own[v->node] : 0;
}
