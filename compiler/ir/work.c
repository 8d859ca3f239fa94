#include "work.h"
#include "cut.h"
#include <math.h>

double work_block_bytes(const Program *p, const Layout *l, const Shape *s, DType t) {
  Shape local = layout_local(&p->mesh, l, s);
  return (double)shape_count(&local) * dtype_size(t);
}

/* Elements of factor f in a device's block of a tensor. A compound dim, such as the groups and the
 * features of each in a grouped convolution, is what of its axes is on each factor. */
static double factor_here(const Program *p, const Rule *r, const RuleDim *rd, const Shape *s,
                          const Layout *l, int f, double size) {
  for (int d = 0; d < s->rank; d++) {
    bool plain = rd[d].n == 1 && rd[d].factor[0] == f && s->dim[d] == r->factor[f].size;
    DimLayout part = l->dim[d];
    Cut cut;
    if (rd[d].window.of) continue;
    if (!plain) {
      if (rd[d].n < 2 || part.window.of || !cut_of(&p->mesh, r, &rd[d], &l->dim[d], f, &cut))
        continue;
      part = (DimLayout){.naxes = cut.naxes, .granule = cut.granule};
      for (int i = 0; i < cut.naxes; i++) part.axis[i] = cut.axis[i];
    }
    size = fmin(size, (double)dim_block_most(&p->mesh, &part, r->factor[f].size));
  }
  return size;
}

static double points_here(const Program *p, const Graph *g, const Node *n, const Rule *r,
                          const Layout *const *operands, const Layout *result) {
  double points = 1;
  for (int f = 0; f < r->nfactors; f++) {
    double size = (double)r->factor[f].size;
    for (int i = 0; i < n->noperands; i++)
      size = factor_here(p, r, r->operand[i], &graph_operand(g, n, i)->shape, operands[i], f, size);
    points *= factor_here(p, r, r->result, &n->shape, result, f, size);
  }
  return n->op->points ? n->op->points(n, points) : points;
}

double work_flops(const Program *p, const Graph *g, const Node *n, const Rule *r,
                  const Layout *const *operands, const Layout *result) {
  double each = n->op->flops;
  if (op_is(n, OPF_PRODUCT)) return each * points_here(p, g, n, r, operands, result);
  Shape local = layout_local(&p->mesh, result, &n->shape);
  double most = (double)shape_count(&local);
  for (int i = 0; i < n->noperands; i++) {
    local = layout_local(&p->mesh, operands[i], &graph_operand(g, n, i)->shape);
    most = fmax(most, (double)shape_count(&local));
  }
  return each * most;
}

double work_node_flops(const Program *p, const Graph *g, const Node *n) {
  ArenaMark mark = arena_mark(p->arena);
  const Layout **lies = arena_array(p->arena, const Layout *, n->noperands + 1);
  Rule r;
  for (int i = 0; i < n->noperands; i++) lies[i] = graph_operand(g, n, i)->layout;
  rule_of(g, n, &r, p->arena);
  const double flops = work_flops(p, g, n, &r, lies, n->layout);
  arena_release(p->arena, mark);
  return flops;
}
