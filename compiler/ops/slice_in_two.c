/* Slices where exchanges are expensive: see TwoSlices. */
#include "blocks.h"

/* A slice done in two: `first` what a device can do with what it has, whole dims and strides, and
 * then what shifts blocks. An exchange moves boxes, so that after the first there is less in them.
 *
 *   x[1024:3072, ::8], x [a, _]  ->  x[:, ::8]; only its [1024:3072] moves */
typedef struct TwoSlices {
  Shape between;
  int64_t start[2][MAX_RANK], size[2][MAX_RANK], step[2][MAX_RANK];
} TwoSlices;

/* False: one of the two would do nothing. */
static bool part_slice(const Node *n, const Node *x, TwoSlices *t) {
  int rank = n->shape.rank;
  bool any[2] = {false, false};
  t->between.rank = rank;
  for (int d = 0; d < rank; d++) {
    int64_t all = x->shape.dim[d], size = n->shape.dim[d], step = node_attrs(n, "step")[d];
    int64_t start = node_attrs(n, "begin")[d], offset = start % step,
            strided = (all - offset + step - 1) / step;
    bool is_cut = x->layout->dim[d].naxes || n->layout->dim[d].naxes;
    bool here = !is_cut || size == 0;
    t->start[0][d] = here ? start : offset;
    t->step[0][d] = step;
    t->size[0][d] = t->between.dim[d] = here ? size : strided;
    t->start[1][d] = here ? 0 : start / step;
    t->step[1][d] = 1;
    t->size[1][d] = size;
    any[0] = any[0] || t->between.dim[d] != all;
    any[1] = any[1] || t->between.dim[d] != size;
  }
  return any[0] && any[1];
}

/* The exchange before a slice from `from` to `to`: as far as the slice reaches, or more where that
 * is there or not cut. */
static double slice_cost(const Distribute *d, const Layout *from, const Shape *s, DType type,
                         const Layout *to, const Shape *sliced, const int64_t *start,
                         const int64_t *step) {
  double best = INFINITY;
  for (int windows = 0; windows < 2; windows++) {
    Layout need = *to;
    for (int i = 0; i < s->rank; i++) {
      bool touched = start[i] || step[i] != 1 || s->dim[i] != sliced->dim[i];
      if (touched) need.dim[i].window = (Window){sliced->dim[i], step[i], 1, start[i], start[i], 0};
      if (touched && !windows &&
          (!need.dim[i].naxes || window_is_there(&d->program->mesh, &need.dim[i], s->dim[i])))
        need.dim[i].window = (Window){0};
    }
    const Layout *l = layout_of(d->program->layouts, &need, s);
    best = fmin(best, d->cost(d->program, from, l, s, type));
  }
  return best;
}

static bool in_two_is_cheaper(const Distribute *d, const Node *n, const Node *x,
                              const TwoSlices *t) {
  if (!layout_is_plain(x->layout) || x->layout->partial || n->layout->partial) return false;
  Layout l = *x->layout;
  for (int i = 0; i < l.rank; i++)
    if (t->between.dim[i] != x->shape.dim[i]) l.dim[i].granule = 1;
  const Layout *between = layout_of(d->program->layouts, &l, &t->between);
  const int64_t *start = node_attrs(n, "begin"), *step = node_attrs(n, "step");
  /* As it is to lie by propagation, or whole, should its readers need that. */
  const Layout *to[2] = {n->layout, layout_whole(d->program->layouts, n->shape.rank)};
  double one[2], two[2], more = d->program->machine->start;
  for (int i = 0; i < 2; i++) {
    one[i] = slice_cost(d, x->layout, &x->shape, n->dtype, to[i], &n->shape, start, step);
    two[i] =
        slice_cost(d, x->layout, &x->shape, n->dtype, between, &t->between, t->start[0],
                   t->step[0]) +
        slice_cost(d, between, &t->between, n->dtype, to[i], &n->shape, t->start[1], t->step[1]);
  }
  return two[0] + more < one[0] || (two[0] <= one[0] && two[1] + more < one[1]);
}

NodeId distribute_slice(Distribute *d, NodeId id, NodeId y) {
  const Node *n = graph_node(d->old, id), *x = graph_operand(d->old, n, 0);
  TwoSlices t;
  if (!part_slice(n, x, &t) || !in_two_is_cheaper(d, n, x, &t)) return NO_NODE;
  NodeId first = mk_slice(&d->b, y, t.start[0], t.size[0], t.step[0]);
  return mk_slice(&d->b, first, t.start[1], t.size[1], t.step[1]);
}
