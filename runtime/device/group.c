/* group.c: the devices that one meets along some axes, and which of them are of its place. */
#include <stdlib.h>
#include "device.h"

/* Numbers of the devices that differ from this one in the axes only. */
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
  for (int i = 0; i < n; i++) {
    int device = base, rest = i;
    for (int a = m->naxes - 1; a >= 0; a--) {
      if (!(axes & 1u << a)) continue;
      device += rest % m->size[a] * m->stride[a];
      rest /= m->size[a];
    }
    g->device[i] = device;
    if (device == d->id) g->me = i;
  }
  return g;
}

static int by_leaf(const void *a, const void *b) {
  const GroupTerm *p = a, *q = b;
  const int64_t x = (int64_t)p->node.index << p->node.level,
                y = (int64_t)q->node.index << q->node.level;
  return (x > y) - (x < y);
}

/* Own leaves, and the subtrees of the other places. */
static bool list_terms(DeviceGroup *g) {
  const Places *p = g->places;
  const int mine = p->place[g->me];
  int number = 0;
  g->term = calloc((size_t)g->n, sizeof *g->term);
  if (!g->term) return false;
  for (int i = p->first[mine]; i < p->first[mine + 1]; i++)
    g->term[g->nterms++] = (GroupTerm){{0, p->member[i]}, p->member[i], 0};
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

void device_group_free(DeviceGroup *g) {
  if (!g) return;
  if (g->near != g) free(g->near);
  places_free(g->places);
  free(g->term);
  free(g);
}

const DeviceGroup *device_group(Device *d, uint32_t axes) {
  if (d->group[axes]) return d->group[axes];
  DeviceGroup *g = d->group[axes] = members_of(d, axes);
  const int *place = d->comm->place;
  g->direct = true;
  g->near = g;
  for (int i = 0; place && i < g->n; i++)
    g->direct = g->direct && place[g->device[i]] == place[d->id];
  if (g->direct) return g;
  g->near = NULL;
  int *where = calloc((size_t)g->n, sizeof *where);
  for (int i = 0; where && i < g->n; i++) where[i] = place[g->device[i]];
  g->places = where ? places_new(g->n, where) : NULL;
  free(where);
  if (!g->places || !list_terms(g) || !find_near(g)) device_fail(d, "out of memory");
  g->shape = places_shape(g->places);
  return g;
}

void device_places(Collective *c, const DeviceGroup *g) {
  c->direct = g->direct;
  if (!g->direct) c->places = g->shape;
}

void device_teams(Device *d, Transfer *p) {
  const DeviceGroup *team = device_group(d, p->settle), *alike = device_group(d, p->alike);
  p->one.team = team->direct ? places_regular(team->n, team->n) : team->shape;
  p->one.twins = alike->direct ? alike->n : alike->shape.near;
}
