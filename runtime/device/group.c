/* group.c: the devices that one meets along some axes, and which of them are of its place. */
#include <stdlib.h>
#include <string.h>
#include "device.h"

/* Numbers of the devices that differ in the axes only from device `base`, which has 0 on them. */
static void number(const BlockMesh *m, uint32_t axes, int base, int n, int *device) {
  for (int i = 0; i < n; i++) {
    int rest = i;
    device[i] = base;
    for (int a = m->naxes - 1; a >= 0; a--) {
      if (!(axes & 1u << a)) continue;
      device[i] += rest % m->size[a] * m->stride[a];
      rest /= m->size[a];
    }
  }
}

static DeviceGroup *members_of(Device *d, uint32_t axes) {
  const BlockMesh *m = d->mesh;
  int n = 1, base = 0;
  for (int i = 0; i < m->naxes; i++) {
    if (axes & 1u << i)
      n *= m->size[i];
    else
      base += d->coord[i] * m->stride[i];
  }
  DeviceGroup *g = calloc(1, sizeof *g + (size_t)n * sizeof(int));
  if (!g) device_fail(d, "out of memory");
  g->axes = axes;
  g->n = n;
  number(m, axes, base, n, g->device);
  for (int i = 0; i < n; i++)
    if (g->device[i] == d->id) g->me = i;
  return g;
}

/* Whether all groups along the axes are shared out among places as mine is, `where`. room: [2n] */
static bool alike(const Device *d, const DeviceGroup *g, const int *where, int *room) {
  const BlockMesh *m = d->mesh;
  int *device = room, *other = room + g->n;
  for (int base = 0; base < d->comm->ndevices; base++) {
    bool first = true; /* of its group */
    for (int a = 0; a < m->naxes; a++)
      first = first && !(g->axes >> a & 1 && base / m->stride[a] % m->size[a]);
    if (!first) continue;
    number(m, g->axes, base, g->n, device);
    for (int i = 0; i < g->n; i++) other[i] = d->comm->place[device[i]];
    if (!places_alike(g->n, where, other)) return false;
  }
  return true;
}

static int by_leaf(const void *a, const void *b) {
  const GroupTerm *p = a, *q = b;
  const int64_t x = sum_node_first(p->node), y = sum_node_first(q->node);
  return x != y ? (x > y) - (x < y) : (p->member > q->member) - (p->member < q->member);
}

/* Own leaves, and the subtrees of the other places, or their sums. */
static bool list_terms(DeviceGroup *g) {
  const Places *p = g->places;
  const int mine = p->place[g->me];
  int number = 0;
  g->term = calloc((size_t)g->n, sizeof *g->term);
  if (!g->term) return false;
  for (int i = p->first[mine]; i < p->first[mine + 1]; i++)
    g->term[g->nterms++] = (GroupTerm){
        g->fast ? (SumNode){SUM_ADDEND, mine} : (SumNode){0, p->member[i]}, p->member[i], 0};
  for (int k = 0; k < p->count; k++)
    for (int i = p->subtree[k]; k != mine && i < p->subtree[k + 1]; i++)
      g->term[g->nterms++] = (GroupTerm){p->node[i], -1, number++};
  qsort(g->term, (size_t)g->nterms, sizeof *g->term, by_leaf);
  return true;
}

/* Those of my place, as a group. */
static bool find_near(DeviceGroup *g) {
  const Places *p = g->places;
  const int mine = p->place[g->me], n = places_near(p, mine);
  DeviceGroup *near = calloc(1, sizeof *near + (size_t)n * sizeof(int));
  if (!near) return false;
  *near =
      (DeviceGroup){.axes = g->axes, .n = n, .me = p->seat[g->me], .direct = true, .near = near};
  for (int i = 0; i < n; i++) near->device[i] = g->device[p->member[p->first[mine] + i]];
  g->near = near;
  return true;
}

/* Along which axes all devices are of one place, everywhere. */
static uint32_t inner_axes(const Device *d, uint32_t axes) {
  const BlockMesh *m = d->mesh;
  const int *place = d->comm->place;
  for (int i = 0; place && i < d->comm->ndevices; i++)
    for (int a = 0; a < m->naxes; a++)
      if (axes >> a & 1 && place[i] != place[i - i / m->stride[a] % m->size[a] * m->stride[a]])
        axes &= ~(1u << a);
  return axes;
}

int device_copy(const Device *d, uint32_t copied, int device, int i) {
  const BlockMesh *m = d->mesh;
  for (int a = m->naxes - 1; a >= 0; a--) {
    if (!(copied >> a & 1)) continue;
    device += (i % m->size[a] - d->coord[a]) * m->stride[a];
    i /= m->size[a];
  }
  return device;
}

static void number_copies(const Device *d, Transfer *p) {
  const BlockMesh *m = d->mesh;
  p->copies = 1, p->copy = 0;
  for (int a = 0; a < m->naxes; a++) {
    if (!(p->copied >> a & 1)) continue;
    p->copies *= m->size[a];
    p->copy = p->copy * m->size[a] + d->coord[a];
  }
}

void device_group_free(DeviceGroup *g) {
  if (!g) return;
  device_group_free(g->next);
  if (g->near != g && !g->copied) free(g->near);
  if (!g->copied) places_free(g->places);
  if (!g->copied) free(g->term);
  free(g);
}

const DeviceGroup *device_group(Device *d, uint32_t axes) {
  const bool wants = d->transfers[d->program].program->sums == DTRT_SUMS_FAST;
  DeviceGroup **at = &d->group[axes | (uint32_t)wants << d->mesh->naxes], *g = *at;
  if (g) return g;
  g = *at = members_of(d, axes);
  const int *place = d->comm->place;
  g->direct = true;
  g->near = g;
  for (int i = 0; place && i < g->n; i++)
    g->direct = g->direct && place[g->device[i]] == place[d->id];
  if (g->direct) return g;
  g->near = NULL;
  int *where = calloc(3 * (size_t)g->n, sizeof *where);
  for (int i = 0; where && i < g->n; i++) where[i] = place[g->device[i]];
  g->fast = where && wants && alike(d, g, where, where + g->n);
  g->places = where ? places_new(g->n, where, g->fast) : NULL;
  free(where);
  if (!g->places || !list_terms(g) || !find_near(g)) device_fail(d, "out of memory");
  g->shape = places_shape(g->places);
  return g;
}

const DeviceGroup *device_group_with(Device *d, uint32_t axes, uint32_t copied) {
  DeviceGroup *g = (DeviceGroup *)(uintptr_t)device_group(d, axes);
  if (g->direct) return g;
  for (; g->copied != copied && g->next; g = g->next) continue;
  if (g->copied == copied) return g;
  const DeviceGroup *all = device_group(d, axes | copied), *base = device_group(d, axes);
  DeviceGroup *more = g->next = calloc(1, sizeof *g + (size_t)g->n * sizeof(int));
  if (!more) device_fail(d, "out of memory");
  memcpy(more, base, sizeof *base + (size_t)base->n * sizeof(int));
  more->next = NULL;
  more->copied = copied;
  more->near = all->near;
  return more;
}

void device_places(Collective *c, const DeviceGroup *g) {
  c->direct = g->direct;
  if (!g->direct) c->places = g->shape;
  if (g->fast && c->all_reduce) c->wide = c->size;
}

void device_teams(Device *d, Transfer *p) {
  const DeviceGroup *team = device_group(d, p->settle), *alike = device_group(d, p->alike);
  p->one.team = team->direct ? places_regular(team->n, team->n, false) : team->shape;
  p->one.twins = alike->direct ? alike->n : alike->shape.near;
  p->fast = team->fast;
  if (team->fast) p->one.wide = p->one.size;
  if (!device_group(d, p->axes)->direct && !p->for_hosts) p->copied = inner_axes(d, p->idle);
  number_copies(d, p);
  collective_share(&p->one, p->copies);
}
