/* The dims of ops that `distribute` processes in blocks: how they are split and reassembled. */
#include "blocks.h"
#include "scan.h"
#include <string.h>

bool split_of(const Distribute *d, const Node *n, int dim, Split *s) {
  const DimLayout *l = &n->layout->dim[dim];
  *s = (Split){n->shape.dim[dim], dim_parts(&d->program->mesh, l), l->granule};
  return s->parts > 1 && !l->window.of && n->layout->partial == 0;
}

bool split_has_room(const Node *n, int dim, int64_t parts) {
  for (int d = 0; d < n->shape.rank; d++)
    if (d != dim && !n->layout->dim[d].naxes && n->shape.dim[d] >= parts) return true;
  return false;
}

bool split_rank_fits(const Node *n, const Split *s) {
  return n->shape.rank + 1 + (s->granule > 1) <= MAX_RANK;
}

Shape shape_with(const Shape *s, int dim, int drop, int n, const int64_t *sizes) {
  Shape t = {0};
  for (int d = 0; d < dim; d++) t.dim[t.rank++] = s->dim[d];
  for (int i = 0; i < n; i++) t.dim[t.rank++] = sizes[i];
  for (int d = dim + drop; d < s->rank; d++) t.dim[t.rank++] = s->dim[d];
  return t;
}

NodeId split_deal(Build *b, NodeId x, int dim, const Split *s, double fill, int64_t whole) {
  Shape full = graph_node(b->graph, x)->shape;
  if (s->granule == 1) return mk_deal(b, x, dim, s->parts, fill, whole);
  Shape units = shape_with(&full, dim, 1, 2, (int64_t[]){s->n / s->granule, s->granule});
  NodeId y = mk_deal(b, mk_reshape(b, x, &units), dim, s->parts, fill, whole);
  Shape dealt = graph_node(b->graph, y)->shape;
  Shape rows = shape_with(&dealt, dim + 1, 2, 1, (int64_t[]){dealt.dim[dim + 1] * s->granule});
  return mk_reshape(b, y, &rows);
}

NodeId split_undeal(Build *b, NodeId x, int dim, const Split *s) {
  if (s->granule == 1) return mk_undeal(b, x, dim, s->n);
  Shape rows = graph_node(b->graph, x)->shape;
  Shape dealt =
      shape_with(&rows, dim + 1, 1, 2, (int64_t[]){rows.dim[dim + 1] / s->granule, s->granule});
  NodeId y = mk_undeal(b, mk_reshape(b, x, &dealt), dim, s->n / s->granule);
  Shape units = graph_node(b->graph, y)->shape;
  Shape full = shape_with(&units, dim, 2, 1, &s->n);
  return mk_reshape(b, y, &full);
}

NodeId split_row_begin(Build *b, const Shape *shape, int dim, const Split *s) {
  NodeId i = mk_iota(b, DT_I64, shape, dim);
  i = mk2(b, &op_mul, i, mk_whole(b, DT_I64, shape, s->n / s->granule));
  i = mk2(b, &op_floordiv, i, mk_whole(b, DT_I64, shape, s->parts));
  i = mk2(b, &op_mul, i, mk_whole(b, DT_I64, shape, s->granule));
  return build_cast(b, i, DT_I32);
}

NodeId split_element(Build *b, NodeId x, int dim, int64_t at) {
  Shape s = graph_node(b->graph, x)->shape, size = s;
  int64_t start[MAX_RANK] = {0}, step[MAX_RANK];
  for (int d = 0; d < s.rank; d++) step[d] = 1;
  start[dim] = at, size.dim[dim] = 1;
  Shape t = shape_with(&s, dim, 1, 0, NULL);
  return mk_reshape(b, mk_slice(b, x, start, size.dim, step), &t);
}

bool split_must_merge(const Distribute *d, const Node *x, int dim, const Split *s) {
  return !d->may_be_whole(d->program, x) && !split_has_room(x, dim, s->parts);
}
