/* From each layout of a tensor to each other: the cost that route() returns is the length of the
 * shortest path through all layouts there are, every order of axes and every set of terms (Floyd
 * and Warshall), on machines whose links are alike, on such where they differ a hundredfold and on
 * hosts that have a part of the devices each.
 * Where it is the shortest path it keeps the triangle inequality, which the bound of --auto stands
 * on.
 *
 *   choice_routes [all] */
#include "kit.h"
#include "cost.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

typedef struct Space {
  Program *program;
  Shape shape;
  int n;
  const Layout *layout[MOST];
  double *path; /* [from * n + to] */
} Space;

typedef struct Tally {
  long pairs, dearer, cheaper; /* cheaper: a route that cannot be */
  double most;
} Tally;

/* Each axis cuts a dim, at the end of its list, or is summed over, or neither; in every order. */
static void add_layouts(Space *s, Layout *l, uint32_t used) {
  const Layout *x = layout_of(s->program->layouts, l, &s->shape);
  const Mesh *m = &s->program->mesh;
  bool known = false;
  for (int i = 0; i < s->n && !known; i++) known = s->layout[i] == x;
  if (!known && s->n < MOST) s->layout[s->n++] = x;
  for (int a = 0; a < m->naxes; a++) {
    if (used & 1u << a) continue;
    for (int d = 0; d < l->rank; d++) {
      l->dim[d].axis[l->dim[d].naxes++] = a;
      add_layouts(s, l, used | 1u << a);
      l->dim[d].naxes--;
    }
    if (used >> a)
      continue; /* terms have no order: theirs are added rising, before or after cuts */
    l->partial |= 1u << a;
    add_layouts(s, l, used | 1u << a);
    l->partial &= ~(1u << a);
  }
}

static bool same_dims(const Layout *a, const Layout *b) {
  for (int d = 0; d < a->rank; d++)
    if (!dim_equal(&a->dim[d], &b->dim[d])) return false;
  return true;
}

/* What one exchange can do: sum in place, sum and cut, or move. */
static double one_exchange(const Space *s, const Layout *x, const Layout *y) {
  uint32_t settle = x->partial & ~y->partial;
  if (x == y) return 0;
  if (y->partial & ~x->partial) return INFINITY;
  if (settle && !same_dims(x, y) && settle & ~layout_axes(y)) return INFINITY;
  return cost_exchange(s->program, x, y, &s->shape, DT_F32);
}

static void find_paths(Space *s) {
  int n = s->n;
  s->path = malloc(sizeof *s->path * (size_t)n * (size_t)n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s->path[i * n + j] = one_exchange(s, s->layout[i], s->layout[j]);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      double first = s->path[i * n + k];
      if (first == INFINITY) continue;
      for (int j = 0; j < n; j++) {
        double all = first + s->path[k * n + j];
        if (all < s->path[i * n + j]) s->path[i * n + j] = all;
      }
    }
}

static void check(Space *s, Tally *t, int i, int j, double got, const char *machine,
                  const char *mesh) {
  double best = s->path[i * s->n + j];
  t->pairs++;
  if (got == best || fabs(got - best) <= 1e-9 * best) return;
  bool below = got < best;
  t->dearer += !below, t->cheaper += below;
  if (!below && !(got / best > t->most)) return;
  Arena *a = arena_new();
  if (arena_catch(a)) abort();
  Str text = str_new(a);
  t->most = fmax(t->most, got / best);
  shape_put(&text, &s->shape);
  printf("FAIL %s, mesh %s, %s: %s -> %s: %.6g s, shortest %.6g s\n", machine, mesh, text.at,
         layout_text(a, &s->program->mesh, s->layout[i]),
         layout_text(a, &s->program->mesh, s->layout[j]), got, best);
  arena_free(a);
}

static Routes *routes_new(Space *s, int *form) {
  Arena *a = arena_new();
  if (arena_catch(a)) abort();
  Routes *r = arena_new_of(a, Routes);
  *r = (Routes){.program = s->program, .arena = a};
  *form = form_of(r, &s->shape, DT_F32);
  return r;
}

/* All layouts in one table, and `alone` pairs that have no table but what route() makes for them.
 */
static void compare(Space *s, Tally *t, uint64_t *seed, int alone, const char *machine,
                    const char *mesh) {
  int form;
  Routes *r = routes_new(s, &form);
  for (int i = 0; i < s->n; i++) form_layout(r, form, s->layout[i]);
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n; j++) check(s, t, i, j, route(r, form, i, j), machine, mesh);
  arena_free(r->arena);
  for (int k = 0; k < alone; k++) {
    int i = (int)kit_random(seed, (uint64_t)s->n), j = (int)kit_random(seed, (uint64_t)s->n);
    r = routes_new(s, &form);
    int x = form_layout(r, form, s->layout[i]), y = form_layout(r, form, s->layout[j]);
    check(s, t, i, j, route(r, form, x, y), machine, mesh);
    arena_free(r->arena);
  }
}

/* Where the layouts are too many to be all stops: a route exists where one can, and none is dearer
 * than by way of a third layout. */
static long check_triangles(Space *s, uint64_t *seed) {
  enum { FEW = 24 };
  int form, at[FEW];
  long wrong = 0;
  Routes *r = routes_new(s, &form);
  for (int i = 0; i < FEW; i++)
    at[i] = form_layout(r, form, s->layout[kit_random(seed, (uint64_t)s->n)]);
  for (int i = 0; i < FEW; i++)
    for (int j = 0; j < FEW; j++) {
      const Layout *x = form_at(r, form, at[i]), *y = form_at(r, form, at[j]);
      double direct = route(r, form, at[i], at[j]);
      wrong += (direct < INFINITY) != !(y->partial & ~x->partial);
      wrong += direct > one_exchange(s, x, y) * (1 + 1e-9);
      for (int k = 0; k < FEW; k++)
        wrong +=
            direct > (route(r, form, at[i], at[k]) + route(r, form, at[k], at[j])) * (1 + 1e-9);
    }
  if (wrong) printf("FAIL %ld triangles or lone exchanges are cheaper than the route\n", wrong);
  arena_free(r->arena);
  return wrong;
}

#define RATES "flops = 100 Gflop/s\nvector_flops = 10 Gflop/s\nmemory_bandwidth = 100 GB/s\n"
#define OUTSIDE "link bandwidth=1GB/s latency=30us\n"
static const char *const machines[][2] = {
    {"the default", NULL},
    {"links alike", RATES "link bandwidth=1GB/s latency=10us\n"},
    {"a slow and quick to answer", RATES "link bandwidth=10GB/s latency=100us\n"
                                         "axis a bandwidth=100MB/s latency=1us\n"},
    {"a slow", RATES "link bandwidth=10GB/s latency=1us\naxis a bandwidth=100MB/s latency=100us\n"},
    {"b slow", RATES "link bandwidth=10GB/s latency=1us\naxis b bandwidth=100MB/s latency=100us\n"},
    {"hosts of two", RATES "link devices=2 bandwidth=10GB/s latency=1us\n" OUTSIDE},
    {"hosts of three", RATES "link devices=3 bandwidth=10GB/s latency=1us\n" OUTSIDE},
    {"hosts of four", RATES "link devices=4 bandwidth=10GB/s latency=1us\n" OUTSIDE},
    {"latency only",
     RATES "link bandwidth=1TB/s latency=1ms\naxis b bandwidth=1TB/s latency=10us\n"},
};

static const Shape shapes[] = {
    {1, {64}},        {1, {7}},        {1, {3}},          {1, {100000}},     {2, {64, 64}},
    {2, {1024, 30}},  {2, {5, 7}},     {2, {3, 1000}},    {2, {2000, 2000}}, {3, {16, 8, 8}},
    {3, {5, 300, 3}}, {3, {2, 7, 99}}, {3, {64, 64, 64}},
};

static const char *const meshes[] = {
    "[a=2]",      "[a=4]",           "[a=2, b=2]",          "[a=4, b=2]",
    "[a=3, b=3]", "[a=2, b=2, c=2]", "[a=2, b=2, c=2, d=2]"};

int main(int argc, char **argv) {
  bool all = argc > 1 && strcmp(argv[1], "all") == 0;
  Tally total = {0};
  uint64_t seed = 1;
  int alone = all ? 400 : 20;
  for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++)
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
      char text[256];
      Tally t = {.most = 1};
      snprintf(text, sizeof text, "mesh %s\nentry f(x: f32[8]) { return y = x + x }\n", meshes[m]);
      Kit *kit = kit_compile(text);
      if (!kit) return 1;
      if (machines[k][1] && !kit_machine(kit, machines[k][1])) return 1;
      for (size_t z = 0; z < sizeof shapes / sizeof *shapes; z++) {
        if (m >= 5 && (shapes[z].rank == 3) != (m == 6) && !all) continue;
        Space *s = calloc(1, sizeof *s);
        *s = (Space){.program = kit->program, .shape = shapes[z]};
        Layout l = {.rank = shapes[z].rank};
        for (int d = 0; d < l.rank; d++) l.dim[d].granule = 1;
        add_layouts(s, &l, 0);
        if (m == 6) {
          t.dearer += check_triangles(s, &seed);
          free(s);
          continue;
        }
        find_paths(s);
        compare(s, &t, &seed, alone, machines[k][0], meshes[m]);
        free(s->path);
        free(s);
      }
      if (t.dearer || t.cheaper)
        printf("mesh %s, machine %s: %ld pairs, %ld dearer than the shortest path, by up to %.3f "
               "times, %ld cheaper\n",
               meshes[m], machines[k][0], t.pairs, t.dearer, t.most, t.cheaper);
      total.pairs += t.pairs, total.dearer += t.dearer, total.cheaper += t.cheaper;
      kit_free(kit);
    }
  printf("%ld pairs of layouts: %ld routes are not the shortest path\n", total.pairs,
         total.dearer + total.cheaper);
  return total.dearer || total.cheaper;
}
