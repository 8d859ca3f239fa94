/* device.c: a device's place in the mesh, and the tables it makes as it goes. */
#include "device.h"
#include <stdlib.h>

int device_init(Device *d) {
  block_coord(d->mesh, d->id, d->coord);
  d->pub.coord = d->coord;
  d->group = calloc((size_t)2 << d->mesh->naxes, sizeof(DeviceGroup *));
  return d->group ? 0 : -1;
}

void device_free(Device *d) {
  for (int i = 0; i < d->nprograms; i++) {
    TransferTable *table = &d->transfers[i];
    for (int j = 0; table->of && j < table->n; j++) transfer_free(table->of[j]);
    free(table->of);
  }
  free(d->transfers);
  for (int i = 0; d->group && i < 2 << d->mesh->naxes; i++) device_group_free(d->group[i]);
  free(d->group);
  for (int i = 0; i < COMM_LANES; i++) free(d->scratch[i].at);
  device_unshare(d);
  free(d->in);
  free(d->out);
}

static int more(int a, int b) { return a > b ? a : b; }

/* Room for the inputs and outputs of any entry. */
static int make_room(Device *d, const dtrt_program *p) {
  int nin = d->room_in, nout = d->room_out;
  for (int i = 0; i < p->nentries; i++) {
    nin = more(nin, p->entry[i].nin);
    nout = more(nout, p->entry[i].nout);
  }
  const void **in = nin > d->room_in ? realloc(d->in, (size_t)nin * sizeof *in) : d->in;
  if (nin && !in) return -1;
  d->pub.in = d->in = in;
  d->room_in = nin;
  char **out = nout > d->room_out ? realloc(d->out, (size_t)nout * sizeof *out) : d->out;
  if (nout && !out) return -1;
  d->pub.out = d->out = out;
  d->room_out = nout;
  return 0;
}

int device_add_program(Device *d, int nprograms, const dtrt_program *p, int nexchanges) {
  if (make_room(d, p)) return -1;
  TransferTable *list = realloc(d->transfers, (size_t)nprograms * sizeof *list);
  if (!list) return -1;
  d->transfers = list;
  while (d->nprograms < nprograms) list[d->nprograms++] = (TransferTable){0};
  TransferTable *table = &list[nprograms - 1];
  table->of = calloc((size_t)nexchanges + 1, sizeof(Transfer *));
  if (!table->of) return -1;
  table->program = p;
  table->n = nexchanges;
  return 0;
}

Transfer **device_transfer(Device *d, const dtrt_exchange *x) {
  return &d->transfers[d->program].of[x->id];
}

char *device_lane_scratch(Device *d, int lane, int64_t bytes) {
  char **at = &d->scratch[lane].at;
  int64_t *has = &d->scratch[lane].bytes;
  if (bytes <= *has) return *at;
  free(*at);
  *has = 0;
  *at = malloc((size_t)bytes);
  if (!*at) device_fail(d, "out of memory: %lld bytes of scratch", (long long)bytes);
  *has = bytes;
  return *at;
}

char *device_scratch(Device *d, int64_t bytes) { return device_lane_scratch(d, 0, bytes); }

int64_t dtrt_lo(const dtrt_device *dev, const dtrt_dim *dim) {
  return block_span(device_mesh(dev), dim, dev->coord).lo;
}

int64_t dtrt_hi(const dtrt_device *dev, const dtrt_dim *dim) {
  return block_span(device_mesh(dev), dim, dev->coord).hi;
}
