/* dtgc.h: tensors as the blocks that devices hold. Invariant: where two devices hold the same
 * elements the host's blocks must have the same bits there, which is checked before any device
 * receives one. */
#include "place.h"
#include "plural.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The host's blocks of one tensor, one a device of this process. */
typedef struct HostBlocks {
  dtgc_program *p;
  const char *name;
  Placed t;
  int first, count;
  const void **data; /* [count] */
  PlaceBox *box;     /* [count] */
} HostBlocks;

static void blocks_free(HostBlocks *b) {
  free(b->data);
  free(b->box);
}

/* Devices are running afterwards. */
static dtgc_status blocks_open(HostBlocks *b, dtgc_program *p, const char *entry,
                               const char *name) {
  *b = (HostBlocks){.p = p, .name = name};
  dtgc_status s = place_find(p, entry, name, &b->t);
  if (!s) s = dtgc_start(p);
  if (s) return s;
  dtrt_local_devices(p->session, &b->first, &b->count);
  b->data = calloc((size_t)b->count, sizeof *b->data);
  b->box = calloc((size_t)b->count, sizeof *b->box);
  if (!b->data || !b->box) return program_fail(p, DTGC_NO_MEMORY, "out of memory");
  for (int i = 0; i < b->count; i++) {
    int coord[MAX_AXES] = {0};
    place_device(p, b->first + i, coord);
    place_box(p, &b->t, coord, &b->box[i]);
  }
  return DTGC_OK;
}

static dtgc_status blocks_local(const HostBlocks *b, const dtgc_block *block, int *i) {
  if (block->device < b->first || block->device >= b->first + b->count)
    return program_fail(b->p, DTGC_BAD_ARGUMENT,
                        "`%s`: device %lld does not belong to this process, which has %d to %d",
                        b->name, (long long)block->device, b->first, b->first + b->count - 1);
  *i = (int)(block->device - b->first);
  if (block->bytes != b->box[*i].bytes)
    return program_fail(b->p, DTGC_BAD_ARGUMENT,
                        "`%s`: the block of device %lld has %zu byte%s; the buffer has %zu",
                        b->name, (long long)block->device, b->box[*i].bytes,
                        PLURAL(b->box[*i].bytes), block->bytes);
  if (!block->data && block->bytes)
    return program_fail(b->p, DTGC_BAD_ARGUMENT, "`%s`: data of device %lld is NULL", b->name,
                        (long long)block->device);
  return DTGC_OK;
}

static dtgc_status blocks_take(HostBlocks *b, const dtgc_block *block) {
  int i;
  dtgc_status s = blocks_local(b, block, &i);
  if (s) return s;
  if (b->data[i])
    return program_fail(b->p, DTGC_BAD_ARGUMENT, "`%s`: device %lld is given twice", b->name,
                        (long long)block->device);
  b->data[i] = block->data ? block->data : "";
  return DTGC_OK;
}

static dtgc_status blocks_full(const HostBlocks *b) {
  for (int i = 0; i < b->count; i++)
    if (!b->data[i])
      return program_fail(b->p, DTGC_BAD_ARGUMENT, "`%s`: the block of device %d is not given",
                          b->name, b->first + i);
  return DTGC_OK;
}

/* -------- replicas -------- */

static size_t element_bytes(const Placed *t) {
  return t->tensor->count ? t->tensor->bytes / (size_t)t->tensor->count : 1;
}

/* Where an element of the whole stands in a block. */
static int64_t place_in(const PlaceBox *box, const int64_t *at) {
  int64_t i = 0;
  for (int d = 0; d < box->rank; d++) i = i * (box->hi[d] - box->lo[d]) + at[d] - box->lo[d];
  return i;
}

static bool step(const PlaceBox *box, int64_t *at, int dims) {
  int d = dims - 1;
  for (; d >= 0 && ++at[d] == box->hi[d]; d--) at[d] = box->lo[d];
  return d >= 0;
}

/* What both hold, an empty box when nothing. */
static PlaceBox common(const PlaceBox *a, const PlaceBox *b) {
  PlaceBox c = {.rank = a->rank, .count = 1};
  for (int d = 0; d < a->rank; d++) {
    c.lo[d] = a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d];
    c.hi[d] = a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d];
    c.count *= c.hi[d] > c.lo[d] ? c.hi[d] - c.lo[d] : 0;
  }
  return c;
}

static bool same_box(const PlaceBox *a, const PlaceBox *b) {
  return memcmp(a->lo, b->lo, sizeof *a->lo * (size_t)a->rank) == 0 &&
         memcmp(a->hi, b->hi, sizeof *a->hi * (size_t)a->rank) == 0;
}

static void value_text(dtgc_dtype t, const void *at, char *out, size_t n) {
  const DType type = (DType)t;
  int64_t i64;
  uint16_t u16;
  if (dtype_is_stored(type))
    snprintf(out, n, "0x%02x", *(const uint8_t *)at);
  else if (dtype_is_half(type))
    snprintf(out, n, "0x%04x", *(uint16_t *)memcpy(&u16, at, sizeof u16));
  else if (t == DTGC_U64)
    snprintf(out, n, "%llu", (unsigned long long)*(int64_t *)memcpy(&i64, at, sizeof i64));
  else if (t == DTGC_I64)
    snprintf(out, n, "%lld", (long long)*(int64_t *)memcpy(&i64, at, sizeof i64));
  else if (dtype_is_complex(type))
    snprintf(out, n, "%.*g%+.*gj", t == DTGC_C64 ? 9 : 17, dtype_get(dtype_part(type), at, 0),
             t == DTGC_C64 ? 9 : 17, dtype_get(dtype_part(type), at, 1));
  else if (dtype_is_float(type))
    snprintf(out, n, "%.*g", t == DTGC_F32 ? 9 : 17, dtype_get(type, at, 0));
  else
    snprintf(out, n, "%.0f", dtype_get(type, at, 0));
}

static dtgc_status differ(const HostBlocks *b, int i, int j, const int64_t *at) {
  size_t size = element_bytes(&b->t), n = 0;
  char where[256] = "", one[64], other[64];
  for (int d = 0; d < b->t.tensor->rank && n < sizeof where; d++)
    n += (size_t)snprintf(where + n, sizeof where - n, "%s%lld", d ? ", " : "", (long long)at[d]);
  value_text(b->t.tensor->dtype, (const char *)b->data[i] + (size_t)place_in(&b->box[i], at) * size,
             one, sizeof one);
  value_text(b->t.tensor->dtype, (const char *)b->data[j] + (size_t)place_in(&b->box[j], at) * size,
             other, sizeof other);
  return program_fail(b->p, DTGC_BAD_ARGUMENT,
                      "`%s`: devices %d and %d differ in what both hold, first at [%s]: %s and %s",
                      b->name, b->first + i, b->first + j, where, one, other);
}

/* Element by element only where whole rows differ. */
static dtgc_status compare(const HostBlocks *b, int i, int j) {
  PlaceBox both = common(&b->box[i], &b->box[j]);
  size_t size = element_bytes(&b->t);
  int64_t at[MAX_RANK] = {0};
  int last = both.rank - 1;
  if (!both.count) return DTGC_OK;
  memcpy(at, both.lo, sizeof both.lo);
  int64_t row = both.rank ? both.hi[last] - both.lo[last] : 1;
  do {
    const char *x = (const char *)b->data[i] + (size_t)place_in(&b->box[i], at) * size;
    const char *y = (const char *)b->data[j] + (size_t)place_in(&b->box[j], at) * size;
    if (memcmp(x, y, (size_t)row * size) == 0) continue;
    for (int64_t k = 0; memcmp(x, y, size) == 0; k++, x += size, y += size)
      if (both.rank) at[last] = both.lo[last] + k + 1;
    return differ(b, i, j, at);
  } while (both.rank > 1 && step(&both, at, last));
  return DTGC_OK;
}

/* Each with one that has the same box, else with all that overlap. */
static dtgc_status blocks_agree(const HostBlocks *b) {
  for (int j = 1; j < b->count; j++) {
    int same = -1;
    for (int i = 0; i < j && same < 0; i++)
      if (same_box(&b->box[i], &b->box[j])) same = i;
    for (int i = same < 0 ? 0 : same; i < (same < 0 ? j : same + 1); i++) {
      if (same < 0 && !b->t.input) continue; /* without windows blocks are the same or apart */
      dtgc_status s = compare(b, i, j);
      if (s) return s;
    }
  }
  return DTGC_OK;
}

/* -------- variables -------- */

dtgc_status dtgc_local_devices(dtgc_program *p, int64_t *first, int64_t *count) {
  int f, n;
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (!s) s = dtgc_start(p);
  if (s) return s;
  dtrt_local_devices(p->session, &f, &n);
  if (first) *first = f;
  if (count) *count = n;
  return DTGC_OK;
}

static dtgc_status get_block(const HostBlocks *b, int i, void *to) {
  int var = dtrt_find_var(b->p->code, b->name);
  return program_run_failed(
      b->p, dtrt_get_block(b->p->session, var, b->first + i, to, (int64_t)b->box[i].bytes));
}

dtgc_status dtgc_unpack(dtgc_program *p, const char *path, const dtgc_block *to, int n) {
  HostBlocks b = {0};
  int i;
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (n < 0 || (n && !to)) return program_fail(p, DTGC_BAD_ARGUMENT, "the blocks are NULL");
  s = blocks_open(&b, p, NULL, path);
  for (int k = 0; k < n && !s; k++) s = blocks_local(&b, &to[k], &i);
  for (int k = 0; k < n && !s; k++) s = get_block(&b, (int)(to[k].device - b.first), to[k].data);
  blocks_free(&b);
  return s;
}

/* Into a whole tensor, of which devices read their own part alone: what other processes hold may
 * stay unset. */
static dtgc_status set_from(const HostBlocks *b) {
  const dtgc_tensor *t = b->t.tensor;
  size_t size = element_bytes(&b->t);
  PlaceBox all = {.rank = t->rank};
  char *whole = calloc(1, t->bytes + 1);
  if (!whole) return program_fail(b->p, DTGC_NO_MEMORY, "out of memory");
  memcpy(all.hi, t->shape, sizeof *all.hi * (size_t)t->rank);
  for (int i = 0; i < b->count; i++) {
    const PlaceBox *box = &b->box[i];
    const char *from = b->data[i];
    int64_t at[MAX_RANK] = {0};
    if (!box->count) continue;
    memcpy(at, box->lo, sizeof box->lo);
    size_t row = size * (size_t)(box->rank ? box->hi[box->rank - 1] - box->lo[box->rank - 1] : 1);
    do {
      memcpy(whole + (size_t)place_in(&all, at) * size, from, row);
      from += row;
    } while (box->rank > 1 && step(box, at, box->rank - 1));
  }
  int var = dtrt_find_var(b->p->code, b->name);
  dtrt_status st = dtrt_set_var(b->p->session, var, whole, (int64_t)t->bytes);
  free(whole);
  return program_run_failed(b->p, st);
}

dtgc_status dtgc_pack(dtgc_program *p, const char *path, const dtgc_block *from, int n) {
  HostBlocks b = {0};
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (n < 0 || (n && !from)) return program_fail(p, DTGC_BAD_ARGUMENT, "the blocks are NULL");
  s = blocks_open(&b, p, NULL, path);
  for (int k = 0; k < n && !s; k++) s = blocks_take(&b, &from[k]);
  if (!s) s = blocks_full(&b);
  if (!s) s = blocks_agree(&b);
  if (!s) s = set_from(&b);
  blocks_free(&b);
  return s;
}

dtgc_status dtgc_check_replicas(dtgc_program *p, const char *path) {
  HostBlocks b = {0};
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  s = blocks_open(&b, p, NULL, path);
  void **own = calloc((size_t)b.count + 1, sizeof *own);
  if (!s && !own) s = program_fail(p, DTGC_NO_MEMORY, "out of memory");
  for (int i = 0; i < b.count && !s; i++) {
    b.data[i] = own[i] = malloc(b.box[i].bytes + 1);
    s = own[i] ? get_block(&b, i, own[i]) : program_fail(p, DTGC_NO_MEMORY, "out of memory");
  }
  if (!s) s = blocks_agree(&b);
  for (int i = 0; own && i < b.count; i++) free(own[i]);
  free(own);
  blocks_free(&b);
  return s;
}

/* -------- inputs -------- */

/* Runs on each device's own thread. */
static int fill(void *user, int device, int input, const int64_t *lo, const int64_t *hi, void *to,
                char *why) {
  const HostBlocks *b = (const HostBlocks *)user + input;
  (void)lo, (void)hi, (void)why;
  memcpy(to, b->data[device - b->first], b->box[device - b->first].bytes);
  return 0;
}

static dtgc_status take_inputs(dtgc_program *p, const EntryInfo *e, const dtgc_block *in, int nin,
                               HostBlocks *b) {
  dtgc_status s = DTGC_OK;
  for (int i = 0; i < e->nin && !s; i++) s = blocks_open(&b[i], p, e->name, e->in[i].name);
  for (int k = 0; k < nin && !s; k++) {
    int i = 0;
    if (!in[k].name) return program_fail(p, DTGC_BAD_ARGUMENT, "input block %d has no name", k);
    while (i < e->nin && strcmp(e->in[i].name, in[k].name) != 0) i++;
    if (i == e->nin)
      return program_fail(p, DTGC_BAD_ARGUMENT, "entry `%s` has no input `%s`", e->name,
                          in[k].name);
    s = blocks_take(&b[i], &in[k]);
  }
  for (int i = 0; i < e->nin && !s; i++) s = blocks_full(&b[i]);
  for (int i = 0; i < e->nin && !s; i++) s = blocks_agree(&b[i]);
  return s;
}

dtgc_status dtgc_run_blocks(dtgc_program *p, const char *entry, const dtgc_block *in, int nin,
                            const dtgc_buffer *out, int nout) {
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!entry) return program_fail(p, DTGC_BAD_ARGUMENT, "entry is NULL");
  const EntryInfo *e = inspect_entry(p, entry);
  if (!e) return inspect_no_entry(p, entry);
  if (nin < 0 || (nin && !in)) return program_fail(p, DTGC_BAD_ARGUMENT, "the blocks are NULL");
  if ((s = dtgc_start(p))) return s;
  void **to = calloc((size_t)e->nout + 1, sizeof *to);
  HostBlocks *b = calloc((size_t)e->nin + 1, sizeof *b);
  if (!to || !b) s = program_fail(p, DTGC_NO_MEMORY, "out of memory");
  if (!s) s = program_place_buffers(p, "output", e->out, e->nout, out, nout, to);
  if (!s) s = take_inputs(p, e, in, nin, b);
  if (!s)
    s = program_run_failed(
        p, dtrt_call_fill(p->session, dtrt_find_entry(p->code, e->name), fill, b, to));
  for (int i = 0; b && i < e->nin; i++) blocks_free(&b[i]);
  free(b);
  free(to);
  return s;
}
