/* device_memory.c: the memory that a device takes, by the system's count and by its tables, and
 * what a program will take, computed from its tables before it runs. */
#define _DEFAULT_SOURCE /* mincore */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "pending.h"
#include "gemm.h"
#include "session.h"

/* Bytes of [at, at + bytes), which begins a page, in pages that the system has given. */
static int64_t touched(char *at, int64_t bytes) {
  enum { PAGES = 4096 };
  unsigned char there[PAGES];
  int64_t page = sysconf(_SC_PAGESIZE), sum = 0;
  for (int64_t from = 0; from < bytes; from += PAGES * page) {
    int64_t n = bytes - from < PAGES * page ? bytes - from : PAGES * page;
    if (mincore(at + from, (size_t)n, there)) return bytes;
    for (int64_t i = 0; i * page < n; i++)
      if (there[i] & 1) sum += n - i * page < page ? n - i * page : page;
  }
  return sum;
}

static int64_t transfer_bytes(const Transfer *p) {
  return (int64_t)sizeof *p + p->nterms * (int64_t)sizeof *p->term +
         (p->nrecv + p->nsend) * (int64_t)sizeof *p->recv;
}

static int64_t group_bytes(int n) {
  return (int64_t)sizeof(DeviceGroup) + n * (int64_t)sizeof(int);
}

/* What every device has, whatever it runs. */
static int64_t fixed_bytes(const BlockMesh *m, int nexchanges) {
  return (int64_t)sizeof(Device) + DTRT_SLOTS * (int64_t)sizeof(Pending) + (int64_t)sizeof(Slot) +
         ((int64_t)sizeof(DeviceGroup *) << m->naxes) + nexchanges * (int64_t)sizeof(Transfer *);
}

/* -------- measured -------- */

dtrt_memory dtrt_device_memory(const dtrt_session *s, int device) {
  const Comm *c = session_or_none(s)->comm;
  if (!c || !s->device || device < c->first || device >= c->first + c->count)
    return (dtrt_memory){-1, -1, -1, -1, -1};
  const Device *d = &s->device[device - c->first];
  dtrt_memory m = {
      .variables = touched(c->segment[SEGMENT_VARS][device], c->segment_bytes[SEGMENT_VARS]),
      .arena = touched(c->segment[SEGMENT_ARENA][device], c->segment_bytes[SEGMENT_ARENA]),
      .packing = d->packing};
  for (int i = 0; i < COMM_LANES; i++) m.exchanges += d->scratch[i].bytes;
  for (int i = 0; i < d->nprograms; i++) {
    int n = s->program[i].p->nexchanges; /* those of hosts come after */
    m.exchanges += i ? n * (int64_t)sizeof(Transfer *) : fixed_bytes(&s->mesh, n);
    for (int j = 0; j < n; j++)
      if (d->transfers[i].of[j]) m.exchanges += transfer_bytes(d->transfers[i].of[j]);
  }
  for (int i = 0; i < 1 << s->mesh.naxes; i++)
    if (d->group[i]) m.exchanges += group_bytes(d->group[i]->n);
  m.total = m.variables + m.arena + m.packing + m.exchanges;
  return m;
}

/* -------- predicted -------- */

static int group_size(const BlockMesh *m, uint32_t axes) {
  int n = 1;
  for (int i = 0; i < m->naxes; i++)
    if (axes & 1u << i) n *= m->size[i];
  return n;
}

/* Scratch of an exchange that reads the peers' memory (exchange.c). */
static int64_t scratch_of(const BlockMesh *m, const Transfer *p) {
  int64_t pointers = 2 * (int64_t)sizeof(void *);
  if (p->kind == TRANSFER_ALL_REDUCE) return COMM_STAGE_BYTES + pointers * group_size(m, p->axes);
  return p->axes && p->nterms > 1 ? pointers * p->nterms : 0;
}

static bool same_blocks(const BlockMesh *m, const dtrt_layout *x, const dtrt_layout *y) {
  if (x->rank != y->rank || x->partial != y->partial || x->reduce != y->reduce) return false;
  for (int d = 0; d < x->rank; d++)
    if (!block_same(m, &x->dim[d], &y->dim[d])) return false;
  return true;
}

/* They move the same between the same places. */
static bool alike(const BlockMesh *m, const dtrt_exchange *x, const dtrt_exchange *y) {
  return x->kind == y->kind && x->dtype == y->dtype && x->axes == y->axes &&
         same_blocks(m, x->from, y->from) && same_blocks(m, x->to, y->to) &&
         x->received == y->received && x->senders == y->senders && x->run == y->run &&
         x->borders == y->borders;
}

/* The exchanges in groups that are alike: of each the first, and how many. How many groups. */
static int alike_groups(const BlockMesh *m, const dtrt_program *p, int *first, int *count) {
  int n = 0;
  for (int i = 0; i < p->nexchanges; i++) {
    int g = 0;
    while (g < n && !alike(m, p->exchange[first[g]], p->exchange[i])) g++;
    if (g == n) first[n] = i, count[n++] = 0;
    count[g]++;
  }
  return n;
}

/* Of one device's exchanges; -1 when one cannot be planned. */
static int64_t exchange_bytes(const BlockMesh *m, const dtrt_program *p, const int32_t *coord,
                              int ngroups, const int *first, const int *count) {
  int64_t sum = fixed_bytes(m, p->nexchanges), scratch = 0;
  bool met[1 << DTRT_MAX_AXES] = {0};
  for (int g = 0; g < ngroups; g++) {
    char why[256];
    Transfer *transfer = transfer_new(m, coord, p->exchange[first[g]], false, why);
    if (!transfer) return -1;
    sum += count[g] * transfer_bytes(transfer);
    if (scratch_of(m, transfer) > scratch) scratch = scratch_of(m, transfer);
    if (transfer->axes && !met[transfer->axes]) {
      met[transfer->axes] = true;
      sum += group_bytes(group_size(m, transfer->axes));
    }
    transfer_free(transfer);
  }
  return sum + scratch;
}

enum { DEVICES = 64 }; /* of larger meshes the first so many are measured */

dtrt_status dtrt_predict_memory(const dtrt_program *p, int multiplies, dtrt_memory *out) {
  BlockMesh mesh;
  if (!p || !out) return DTRT_INVALID;
  session_mesh(&mesh, p);
  *out = (dtrt_memory){.variables = p->vars_bytes, .packing = multiplies ? gemm_room_bytes() : 0};
  for (int i = 0; i < p->nentries; i++)
    if (p->entry[i].arena_bytes > out->arena) out->arena = p->entry[i].arena_bytes;
  int *groups = calloc(2 * (size_t)p->nexchanges + 1, sizeof *groups);
  if (!groups) return DTRT_NO_MEMORY;
  int *count = groups + p->nexchanges;
  const int ngroups = alike_groups(&mesh, p, groups, count);
  int64_t most = 0;
  for (int d = 0; d < mesh.ndevices && d < DEVICES && most >= 0; d++) {
    int32_t coord[DTRT_MAX_AXES];
    block_coord(&mesh, d, coord);
    const int64_t own = exchange_bytes(&mesh, p, coord, ngroups, groups, count);
    most = own < 0 || own > most ? own : most;
  }
  free(groups);
  if (most < 0) return DTRT_NO_MEMORY;
  out->exchanges = most;
  out->total = out->variables + out->arena + out->packing + out->exchanges;
  return DTRT_OK;
}
