/* shared.c: variables that devices of one process share. Of those that hold the same block the
 * first has the memory, and the others know where: what lies in their own segments is never
 * touched, so that the system gives no pages for it.
 *
 * Law: between a device that reads a variable and one that writes it all of them meet, wherever the
 * compiler's statements say so; and what is written in between is written once, by the first of
 * them or by each a part. */
#include <stdlib.h>
#include <string.h>
#include "device.h"

/* Of the devices that differ from me in these axes alone, those of my process, in order. */
static DeviceGroup *local_group(const Device *d, uint32_t axes) {
  const Comm *c = d->comm;
  DeviceGroup *g = calloc(1, sizeof *g + (size_t)c->count * sizeof *g->device);
  for (int i = c->first; g && i < c->first + c->count; i++) {
    int32_t coord[DTRT_MAX_AXES];
    bool same = true;
    block_coord(d->mesh, i, coord);
    for (int a = 0; a < d->mesh->naxes; a++)
      same = same && (axes >> a & 1 || coord[a] == d->coord[a]);
    if (i == d->id) g->me = g->n;
    if (same) g->device[g->n++] = i;
  }
  return g;
}

int device_share(Device *d, const dtrt_program *p) {
  char **vars = d->comm->segment[SEGMENT_VARS];
  uint32_t all = 0;
  device_unshare(d);
  d->share = p->shared, d->nshared = p->nshared;
  d->shared = calloc((size_t)p->nshared + 1, sizeof *d->shared);
  d->share_range = calloc((size_t)p->nshared + 1, sizeof *d->share_range);
  if (!d->shared || !d->share_range) return -1;
  for (int i = 0; i < p->nvars; i++) {
    const dtrt_tensor *t = &p->var[i];
    if (!t->shared) continue;
    struct SharedRange *r = &d->share_range[t->shared - 1];
    if (!r->end || t->offset < r->begin) r->begin = t->offset;
    if (t->offset + t->bytes > r->end) r->end = t->offset + t->bytes;
  }
  d->pub.shared = d->shared;
  for (int i = 0; i < p->nshared; i++) {
    DeviceGroup *g = local_group(d, p->shared[i]);
    if (!g) return -1;
    if (g->n > 1) all |= p->shared[i];
    d->shared[i] = vars[g->device[0]];
    free(g);
  }
  if (all && !(d->sharers = local_group(d, all))) return -1;
  return 0;
}

void device_unshare(Device *d) {
  free(d->shared);
  free(d->share_range);
  free(d->sharers);
  d->shared = NULL, d->share_range = NULL, d->sharers = NULL;
}

char *device_variable(const Device *d, const dtrt_tensor *t) {
  return (t->shared ? d->shared[t->shared - 1] : d->pub.vars) + t->offset;
}

bool device_writes(const Device *d, const dtrt_tensor *t) {
  return !t->shared || d->shared[t->shared - 1] == d->pub.vars;
}

uint32_t device_shared_at(const Device *d, const dtrt_layout *l, const void *at) {
  const char *p = at;
  uint32_t whole = 0;
  if (!d->sharers || l->partial) return 0;
  const uint32_t cut = block_axes(d->mesh, l);
  for (int a = 0; a < d->mesh->naxes; a++)
    if (d->mesh->size[a] > 1 && !(cut >> a & 1)) whole |= 1u << a;
  for (int i = 0; whole && i < d->nshared; i++)
    if (d->share[i] == whole)
      return p >= d->shared[i] + d->share_range[i].begin && p < d->shared[i] + d->share_range[i].end
                 ? whole
                 : 0;
  return 0;
}

char *device_apart(const Device *d, uint32_t axes, void *at) {
  int i = 0;
  while (d->share[i] != axes) i++;
  return d->pub.vars + ((char *)at - d->shared[i]);
}

void dtrt_meet(dtrt_device *dev) {
  Device *d = device_of(dev);
  device_begin(d, d->sharers != NULL);
  if (d->sharers) device_arrive(d, d->sharers);
}

int dtrt_writes(const dtrt_device *dev, int32_t shared) { return dev->shared[shared] == dev->vars; }
