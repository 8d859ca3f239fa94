/* How much a step has to do, for the table of steps: a profile makes rates of it. */
#include "emit.h"
#include "thresholds.h"
#include "work.h"

/* The part of a product that a tile computes, and the rest leaves out (tile_band.c): blocks of 32
 * rows and columns. On several devices, that of all of them. */
static double live_part(const LocalEntry *le, const Tiles *s, const Node *n) {
  const Node *of = s ? graph_node(le->graph, s->band.of == NO_NODE ? 0 : s->band.of) : NULL;
  NodeId id = (NodeId)(n - graph_node(le->graph, 0));
  bool in_band = s && tiles_in_band(s, le->graph, id);
  for (int k = 0; s && k < n->noperands; k++)
    in_band = in_band || tiles_in_band(s, le->graph, n->operand[k]);
  if (!in_band || op_class(n) != OPC_PRODUCT) return 1;
  const int64_t rows = of->shape.dim[s->band.row], columns = of->shape.dim[of->shape.rank - 1];
  double live = 0;
  for (int64_t i = 0; i < rows; i += KERNEL_BAND) {
    int64_t from = i + s->band.low;
    int64_t to = (i + KERNEL_BAND - 1 + s->band.high + KERNEL_BAND - 1) / KERNEL_BAND * KERNEL_BAND;
    from = from < 0 ? 0 : from / KERNEL_BAND * KERNEL_BAND;
    if (to > columns) to = columns;
    if (to > from) live += (double)(to - from) * (double)(i + KERNEL_BAND < rows ? KERNEL_BAND : rows - i);
  }
  return live / ((double)rows * (double)columns);
}

static double bytes_of(const Program *p, const LocalEntry *le, NodeId id) {
  if (le->tile_bytes[id]) return 0; /* it stays in cache */
  return (double)node_bytes(p, graph_node(le->graph, id));
}

/* What moves, or, where all that a device needs is its own, a loop that copies. */
static void moves(const Program *p, const LocalEntry *le, const Step *s, StepWork *w) {
  double copied = 0;
  for (int i = 0; i < s->nodes.n; i++) {
    const Exchange x = exchange_at(p, le->graph, graph_node(le->graph, s->nodes.at[i]));
    w->exchange = w->exchange || x.kind != DTRT_COPY;
    w->bytes += (double)x.bytes;
    copied += 2 * bytes_of(p, le, s->nodes.at[i]);
  }
  if (!w->exchange) w->bytes = copied;
}

StepWork emit_work(Emit *e, const Step *s) {
  const Program *p = e->program;
  const LocalEntry *le = e->le;
  StepWork w = {0};
  if (step_moves(s)) {
    moves(p, le, s, &w);
    if (s->kind == STEP_EXCHANGE && s->slot) w.bytes = 0; /* they are the wait's */
    return w;
  }
  for (int i = 0; i < s->nodes.n; i++) {
    NodeId id = s->nodes.at[i];
    const Node *n = graph_node(le->graph, id);
    if (op_is(n, OPF_PRODUCT))
      w.flops += work_node_flops(p, le->graph, n) * live_part(le, s->tile, n);
    w.bytes += bytes_of(p, le, id);
  }
  ArenaMark mark = arena_mark(p->arena);
  Reads reads = {0};
  step_reads(le, s, p->arena, &reads);
  for (int i = 0; i < reads.n; i++) w.bytes += bytes_of(p, le, reads.at[i].node);
  arena_release(p->arena, mark);
  return w;
}
