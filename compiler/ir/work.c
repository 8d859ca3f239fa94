#include "work.h"
#include "cut.h"
#include "thresholds.h"
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

/* Of a local node. */
static double work_node_flops(const Program *p, const Graph *g, const Node *n) {
  ArenaMark mark = arena_mark(p->arena);
  const Layout **lies = arena_array(p->arena, const Layout *, n->noperands + 1);
  Rule r;
  for (int i = 0; i < n->noperands; i++) lies[i] = graph_operand(g, n, i)->layout;
  rule_of(g, n, &r, p->arena);
  const double flops = work_flops(p, g, n, &r, lies, n->layout);
  arena_release(p->arena, mark);
  return flops;
}

/* -------- steps -------- */

double work_named_share(const Mesh *m, const Graph *g, NodeId scatter) {
  const Node *n = graph_node(g, scatter);
  const Shape table = node_local(m, n), index = node_local(m, graph_operand(g, n, 0));
  const double rows = (double)table.dim[node_attr(n, "axis")];
  return fmin(1, (double)shape_count(&index) / fmax(1, rows));
}

double work_band_share(const Shape *s, int row, int64_t low, int64_t high) {
  const int64_t rows = s->dim[row], columns = s->dim[s->rank - 1];
  double live = 0;
  for (int64_t i = 0; i < rows; i += KERNEL_BAND) {
    const int64_t down = i + KERNEL_BAND < rows ? KERNEL_BAND : rows - i;
    int64_t from = i + low, to = i + down - 1 + high;
    from = from < 0 ? 0 : from / KERNEL_BAND * KERNEL_BAND;
    to = to > columns ? columns : (to + KERNEL_BAND - 1) / KERNEL_BAND * KERNEL_BAND;
    if (to > from) live += (double)(down * ((to < columns ? to : columns) - from));
  }
  return live / (double)(rows * columns);
}

/* Of a product in a tile with a band (tile_band.c). */
static double live_part(const LocalEntry *le, const Tiles *s, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  if (!s || s->band.of == NO_NODE || op_class(n) != OPC_PRODUCT) return 1;
  bool in_band = tiles_in_band(s, le->graph, id);
  for (int k = 0; k < n->noperands; k++)
    in_band = in_band || tiles_in_band(s, le->graph, n->operand[k]);
  const Node *of = graph_node(le->graph, s->band.of);
  return in_band ? work_band_share(&of->shape, s->band.row, s->band.low, s->band.high) : 1;
}

static double bytes_of(const Program *p, const LocalEntry *le, NodeId id) {
  return le->tile_bytes[id] ? 0 : (double)node_bytes(p, graph_node(le->graph, id));
}

/* What moves, or, where all that a device needs is its own, a loop that copies. */
static StepWork moves(const Program *p, const LocalEntry *le, const Step *s) {
  StepWork w = {0};
  double copied = 0;
  for (int i = 0; i < s->nodes.n; i++) {
    const Exchange x = exchange_at(p, le->graph, graph_node(le->graph, s->nodes.at[i]));
    w.exchange = w.exchange || x.kind != DTRT_COPY;
    w.bytes += (double)x.bytes;
    copied += 2 * bytes_of(p, le, s->nodes.at[i]);
  }
  if (!w.exchange) w.bytes = copied;
  if (s->kind == STEP_EXCHANGE && s->slot) w.bytes = 0; /* they are the wait's */
  return w;
}

/* A window is written in the place of what it is put into, and nothing else there is touched. */
static bool in_place(const LocalEntry *le, NodeId put) {
  const Node *n = graph_node(le->graph, put);
  const int at = n->op->updates && le->buffer ? le->buffer[put] : -1;
  return at >= 0 && at == le->buffer[node_base(le->graph, n->operand[0])];
}

/* What a step reads or writes of a value: the rows that it names, where it touches these alone. */
static double touched_of(const Program *p, const LocalEntry *le, const Step *s, NodeId id) {
  const double bytes = bytes_of(p, le, id);
  if (!s->named) return bytes;
  const Node *table = graph_node(le->graph, s->named - 1);
  const bool has_rows = shape_equal(&graph_node(le->graph, id)->shape, &table->shape);
  return has_rows ? bytes * work_named_share(&p->mesh, le->graph, s->named - 1) : bytes;
}

typedef struct Passed {
  NodeVec met;
  NodeVec read; /* stored values that are read whole, or at indices that are data */
  NodeVec put;  /* those in whose place a window is written */
  double bytes;
} Passed;

static bool met(const NodeVec *v, NodeId id) {
  for (int i = 0; i < v->n; i++)
    if (v->at[i] == id) return true;
  return false;
}

/* Bytes of stored values that a step does not read, as it picks elements by indices that are data,
 * at most one for each that it looks up, or writes a window in their place. */
static void passed_over(const Program *p, const LocalEntry *le, NodeId id, Passed *out) {
  const Node *n = graph_node(le->graph, id);
  if (met(&out->met, id)) return;
  vec_push(p->arena, &out->met, id);
  for (int k = 0; k < n->noperands; k++) {
    const NodeId base = node_base(le->graph, n->operand[k]);
    if (!le->stored[base])
      passed_over(p, le, n->operand[k], out);
    else
      vec_push(p->arena, !k && in_place(le, id) ? &out->put : &out->read, base);
    if (le->stored[base] && op_picks(n->op, k))
      out->bytes += fmax(0, bytes_of(p, le, base) - (double)node_bytes(p, n));
  }
}

/* What a step writes of a value that it makes. */
static double made_of(const Program *p, const LocalEntry *le, const Step *s, NodeId id) {
  const NodeId window = in_place(le, id) ? graph_node(le->graph, id)->operand[1] : NO_NODE;
  return window == NO_NODE ? touched_of(p, le, s, id)
                           : (double)node_bytes(p, graph_node(le->graph, window));
}

StepWork work_step(const Program *p, const LocalEntry *le, const Step *s) {
  StepWork w = {0};
  Passed passed = {0};
  if (step_moves(s)) return moves(p, le, s);
  const ArenaMark mark = arena_mark(p->arena);
  for (int i = 0; i < s->nodes.n; i++) {
    const NodeId id = s->nodes.at[i];
    const Node *n = graph_node(le->graph, id);
    if (op_is(n, OPF_PRODUCT))
      w.flops += work_node_flops(p, le->graph, n) * live_part(le, s->tile, id);
    w.bytes += made_of(p, le, s, id);
    passed_over(p, le, id, &passed);
  }
  Reads reads = {0};
  step_reads(le, s, p->arena, &reads);
  for (int i = 0; i < reads.n; i++) {
    const NodeId id = reads.at[i].node;
    if (met(&passed.read, id) || !met(&passed.put, id)) w.bytes += touched_of(p, le, s, id);
  }
  arena_release(p->arena, mark);
  w.bytes = fmax(0, w.bytes - passed.bytes);
  return w;
}
