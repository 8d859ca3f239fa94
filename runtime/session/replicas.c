/* replicas.c: dtrt_check_replicas: whether devices that hold the same block of a variable hold the
 * same bits, and whether all have taken the same ways through loops and branches. They compute the
 * same, so differences are a fault of the memory, a CPU or the compiler, or ranks run different
 * programs.
 *
 * Variables that are replicated along the same axes are hashed together, so that a few numbers per
 * device suffice if all agree; only otherwise is the variable located. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session.h"

typedef struct Replicas {
  dtrt_session *s;
  const dtrt_program *p;
  int nclasses;    /* the last is that of ways, which all devices have */
  uint32_t *axes;  /* [nclasses] along which the variables of a class are whole; not 0 */
  int *class_of;   /* [nvars] -1: no two devices hold the same block */
  uint64_t *var;   /* [devices of this process][nvars] */
  uint64_t *mixed; /* [devices of this process][nclasses] */
} Replicas;

/* Eight bytes at a time, each by a multiplication that no later one undoes. */
static uint64_t hash_block(const char *p, int64_t n) {
  uint64_t h = (uint64_t)n, word;
  for (; n >= 8; n -= 8, p += 8) {
    memcpy(&word, p, 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  word = 0;
  if (n > 0) memcpy(&word, p, (size_t)n);
  h = (h ^ word) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

static void hash_device(Device *d, void *arg) {
  Replicas *r = arg;
  const size_t at = (size_t)(d->id - d->comm->first);
  uint64_t *var = r->var + at * (size_t)r->p->nvars, *mixed = r->mixed + at * (size_t)r->nclasses;
  for (int i = 0; i < r->p->nvars; i++) {
    const dtrt_tensor *t = &r->p->var[i];
    BlockSpan box[DTRT_MAX_RANK];
    if (r->class_of[i] < 0) continue;
    int64_t n = block_box(d->mesh, t->layout, d->coord, box);
    var[i] = hash_block(device_variable(d, t), n * dtrt_dtype_size(t->dtype));
    uint64_t *m = &mixed[r->class_of[i]];
    *m = (*m ^ var[i]) * 0xbf58476d1ce4e5b9u + (uint64_t)i;
  }
  if (r->nclasses) mixed[r->nclasses - 1] = d->pub.ways;
}

static void classify(Replicas *r) {
  const BlockMesh *m = &r->s->mesh;
  uint32_t all = 0;
  for (int i = 0; i < m->naxes; i++)
    if (m->size[i] > 1) all |= 1u << i;
  for (int i = 0; i < r->p->nvars; i++) {
    uint32_t whole = all & ~block_axes(m, r->p->var[i].layout);
    int k = 0;
    while (k < r->nclasses && r->axes[k] != whole) k++;
    r->class_of[i] = whole ? k : -1;
    if (whole && k == r->nclasses) r->axes[r->nclasses++] = whole;
  }
  if (all) r->axes[r->nclasses++] = all;
}

/* The lowest of the devices that hold what device d holds. */
static int lowest(const BlockMesh *m, int d, uint32_t whole) {
  int32_t coord[DTRT_MAX_AXES];
  int low = 0;
  block_coord(m, d, coord);
  for (int i = 0; i < m->naxes; i++)
    if (!(whole & 1u << i)) low += coord[i] * m->stride[i];
  return low;
}

/* "device 3 (rank 1 on host b)" */
static void device_text(const Comm *c, int device, char *text, size_t size) {
  int rank = device / c->count;
  bool away = c->nhosts > 1 && c->host;
  if (c->nranks == 1)
    snprintf(text, size, "device %d", device);
  else
    snprintf(text, size, "device %d (rank %d%s%s)", device, rank, away ? " on host " : "",
             away ? c->host[rank] : "");
}

/* The other ranks would wait. */
static dtrt_status no_memory(dtrt_session *s) {
  if (s->comm->nranks > 1) s->comm->verbs->fail(s->comm, "out of memory to compare replicas");
  return session_error(s, DTRT_NO_MEMORY, "out of memory to compare replicas");
}

/* Which variable of class k it is that differs between two devices. */
static dtrt_status name_it(Replicas *r, int low, int other, int k) {
  static const char at[] = "comparing replicas";
  const Comm *c = r->s->comm;
  const size_t n = (size_t)r->p->nvars;
  uint64_t *mine = calloc(2 * n, sizeof *mine),
           *all = calloc(2 * n * (size_t)c->nranks, sizeof *all);
  if (!mine || !all) {
    free(mine);
    free(all);
    return no_memory(r->s);
  }
  const int device[] = {low, other};
  const bool ways = k == r->nclasses - 1;
  for (int i = 0; i < 2; i++)
    if (device[i] / c->count == c->rank)
      memcpy(mine + (size_t)i * n, r->var + (size_t)(device[i] - c->first) * n, n * sizeof *mine);
  dtrt_status status = session_gather_words(r->s, at, mine, (int)(2 * n), all);
  const uint64_t *a = all + 2 * n * (size_t)(low / c->count);
  const uint64_t *b = all + 2 * n * (size_t)(other / c->count) + n;
  size_t var = 0;
  while (var + 1 < n && (r->class_of[var] != k || a[var] == b[var])) var++;
  free(mine);
  free(all);
  if (status != DTRT_OK) return status;
  char first[COMM_HOST + 64], second[COMM_HOST + 64];
  device_text(c, low, first, sizeof first);
  device_text(c, other, second, sizeof second);
  atomic_store(r->s->comm->failed, 1);
  r->s->told = true;
  if (ways)
    return session_error(
        r->s, DTRT_FAILED,
        "devices took different ways: a condition of a loop or a branch came to another value "
        "on %s than on %s",
        second, first);
  return session_error(r->s, DTRT_FAILED,
                       "replicas differ: variable %s has different bits on %s and on %s",
                       r->p->var[var].name, second, first);
}

static dtrt_status compare(Replicas *r) {
  const Comm *c = r->s->comm;
  const BlockMesh *m = &r->s->mesh;
  int n = r->nclasses, words = c->count * n;
  uint64_t *all = calloc((size_t)words * (size_t)c->nranks + 1, sizeof *all);
  if (!all) return no_memory(r->s);
  dtrt_status status = session_gather_words(r->s, "comparing replicas", r->mixed, words, all);
  int low = -1, other = 0, k = 0;
  for (int d = 0; status == DTRT_OK && d < m->ndevices && low < 0; d++)
    for (k = 0; k < n && low < 0; k++) {
      int of = lowest(m, d, r->axes[k]);
      if (all[d * n + k] != all[of * n + k]) low = of, other = d;
    }
  free(all);
  return low >= 0 ? name_it(r, low, other, k - 1) : status;
}

dtrt_status dtrt_check_replicas(dtrt_session *s) {
  SESSION_USE(s);
  dtrt_status status = session_usable(s);
  if (status != DTRT_OK) return status;
  Replicas r = {.s = s, .p = s->program[0].p};
  size_t n = (size_t)r.p->nvars + 2, devices = (size_t)s->comm->count;
  r.axes = calloc(n, sizeof *r.axes);
  r.class_of = calloc(n, sizeof *r.class_of);
  r.var = calloc(n * devices, sizeof *r.var);
  r.mixed = calloc(n * devices, sizeof *r.mixed);
  if (r.axes && r.class_of && r.var && r.mixed) {
    classify(&r);
    if (r.nclasses) status = session_run(s, hash_device, &r);
  } else {
    status = session_error(s, DTRT_NO_MEMORY, "out of memory to compare replicas");
  }
  status = session_agree(s, status);
  if (status == DTRT_OK && r.nclasses) status = compare(&r);
  free(r.axes);
  free(r.class_of);
  free(r.var);
  free(r.mixed);
  return status;
}
