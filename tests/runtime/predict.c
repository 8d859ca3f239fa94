/* predict.c: the compiler's prediction of an exchange that the runtime's tests run. */
#include "plan.h"

typedef struct Grid { /* the beginning of law.h's, which the compiler's names do not go with */
  int naxes, size[3];
} Grid;

static const Layout *layout_from(Program *p, const dtrt_layout *l, const Shape *s) {
  Layout out = {.rank = l->rank, .partial = l->partial, .reduce = (Reduce)l->reduce};
  for (int i = 0; i < l->rank; i++) {
    const dtrt_dim *d = &l->dim[i];
    out.dim[i] = (DimLayout){.granule = d->granule, .naxes = d->naxes};
    for (int j = 0; j < d->naxes; j++) out.dim[i].axis[j] = d->axis[j];
    if (d->of > 0)
      out.dim[i].window = (Window){d->of, d->mul, d->div, d->first, d->last, d->cyclic};
  }
  return layout_of(p->layouts, &out, s);
}

/* -1: the compiler never makes it: a value that becomes partial, or is reduced and moved where it
 * takes two exchanges, or is reduced into windows that are the blocks (it has no such layout). */
int64_t predict_bytes(const Grid *g, const dtrt_exchange *x);
int64_t predict_bytes(const Grid *g, const dtrt_exchange *x) {
  static _Thread_local Arena *arena;
  if (!arena) arena = arena_new();
  ArenaMark mark = arena_mark(arena);
  Program p = {.arena = arena, .mesh.naxes = g->naxes};
  Shape s = {.rank = x->from->rank};
  for (int i = 0; i < g->naxes; i++) p.mesh.axis[i].size = g->size[i];
  for (int i = 0; i < s.rank; i++) s.dim[i] = x->from->dim[i].n;
  p.layouts = layout_set_new(arena, &p.mesh);
  const Layout *from = layout_from(&p, x->from, &s), *to = layout_from(&p, x->to, &s);
  uint32_t reduce = from->partial & ~to->partial;
  int64_t bytes = -1;
  bool made = !(to->partial & ~from->partial);
  bool moved = false;
  for (int i = 0; i < s.rank; i++) moved = moved || !dim_equal(&from->dim[i], &to->dim[i]);
  if (reduce & ~layout_axes(to) && moved) made = false;
  for (int i = 0; i < s.rank && reduce; i++)
    if (x->to->dim[i].of > 0 && !to->dim[i].window.of) made = false;
  if (made) bytes = exchange_of(&p, from, to, &s, DT_F32).bytes;
  arena_release(arena, mark);
  return bytes;
}
