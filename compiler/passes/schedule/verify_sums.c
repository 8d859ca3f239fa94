/* Verifies the order of sums (docs/sums.md) on tiles: what is added up from tile to tile must come
 * row-major, as the loops of the sum itself would take it (ir/loop_verify_sum.c checks those), and
 * what a product sums in whole parts. The passes tile, reorder and named decide this; each may
 * leave tiles in which this holds alone. */
#include "schedule_passes.h"
#include "sum_order.h"
#include "dtrt.h"

typedef struct SumTiles {
  const Plan *plan;
  const LocalEntry *le;
  const char *breach;
  NodeId where;
} SumTiles;

static void breaks(SumTiles *c, NodeId id, const char *what) {
  if (!c->breach) c->breach = what, c->where = id;
}

/* A loop over a dim that tiles have parts of: all dims before, outside of it, one element at a
 * time; then tiles follow each other row-major. */
static void check_dims(SumTiles *c, const Tiles *t, const Node *n, const Node *x,
                       const TileNode *in) {
  const Mesh *m = &c->plan->program->mesh;
  const Shape local = node_local(m, x);
  bool whole = true; /* tiles have single elements of the dims before */
  int before = -1;
  for (int d = 0; d < local.rank; d++) {
    const int loop = in->loop[d];
    if (local.dim[d] == 1 || !(node_attr(n, "axis") >> d & 1)) continue;
    if (loop < 0) {
      whole = false;
      continue;
    }
    if (loop < before) breaks(c, in->node, "tiles add up dims in another order than the sum's");
    if (!whole && t->loop[loop].most < local.dim[d])
      breaks(c, in->node, "tiles add up parts of a dim before all of the dims before it");
    whole = whole && t->loop[loop].most == 1;
    before = loop;
  }
}

/* What a product sums comes to it tile by tile in whole parts, of which its kernels are made, too
 * (dtrt_gemm_part): the last alone may be shorter, as the last part is. */
static void check_product(SumTiles *c, const Tiles *t, const TileNode *in) {
  const Mesh *m = &c->plan->program->mesh;
  for (int l = 0; l < t->nloops; l++) {
    const TileLoop *loop = &t->loop[l];
    if (!(in->sums >> l & 1)) continue;
    const Shape local = node_local(m, graph_node(c->le->graph, loop->node));
    const int64_t n = local.dim[loop->dim];
    if (loop->most < n && loop->most % dtrt_gemm_part(n))
      breaks(c, in->node, "tiles cut the sums of a product within a part");
  }
}

static void check_tiles(SumTiles *c, const Tiles *t) {
  const Graph *g = c->le->graph;
  const Mesh *m = &c->plan->program->mesh;
  for (int i = 0; i < t->nodes.n; i++) {
    const NodeId id = t->nodes.at[i].node;
    const Node *n = graph_node(g, id);
    const SumOrder order = sum_order(m, g, n);
    if (op_class(n) == OPC_PRODUCT && dtype_is_float(n->dtype))
      check_product(c, t, &t->nodes.at[i]);
    if (!t->nodes.at[i].sums || !order.fixed) continue;
    const Node *x = graph_operand(g, n, 0);
    const TileNode *in = tiles_node(t, g, n->operand[0]);
    if (order.first < x->shape.rank && !sum_goes_on(m, g, n))
      breaks(c, id, "tiles add up a line whose lanes they do not keep");
    if (dtype_is_half(n->dtype)) breaks(c, id, "tiles add up what is rounded once");
    if (in && !t->epilogue) check_dims(c, t, n, x, in); /* rows of an epilogue are row-major */
  }
  for (int i = 0; i < t->steps.n; i++)
    if (t->steps.at[i].kind == STEP_TILES) check_tiles(c, t->steps.at[i].tile);
}

const char *sums_breach(const Plan *p, const LocalEntry *le, NodeId *where) {
  SumTiles c = {.plan = p, .le = le};
  for (int t = 0; t < le->steps.n; t++)
    if (le->steps.at[t].kind == STEP_TILES) check_tiles(&c, le->steps.at[t].tile);
  *where = c.where;
  return c.breach;
}

void verify_sums(const Plan *p, const char *after) {
  verify_local(p, after);
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    NodeId where;
    const char *law = sums_breach(p, le, &where);
    if (law) verify_breach(p, le->entry, le->graph, where, after, law);
  }
}
