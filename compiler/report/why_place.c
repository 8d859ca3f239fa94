/* Where a value is computed: stored by a step, tile by tile, in the epilogue of a kernel, or as an
 * expression in others' loops; and what the next best would cost, by the model. */
#include "why.h"
#include "work.h"

int why_step_of(const LocalEntry *le, NodeId id) {
  for (int t = 0; t < le->steps.n; t++)
    for (int i = 0; i < le->steps.at[t].nodes.n; i++)
      if (le->steps.at[t].nodes.at[i] == id) return t;
  return -1;
}

/* -------- where it is computed -------- */

static bool uses_inline(const LocalEntry *le, NodeId user, NodeId id, bool *met) {
  const Node *n = graph_node(le->graph, user);
  for (int k = 0; k < n->noperands; k++) {
    const NodeId x = n->operand[k];
    if (x == id) return true;
    if (met[x] || le->stored[node_base(le->graph, x)]) continue;
    met[x] = true;
    if (uses_inline(le, x, id, met)) return true;
  }
  return false;
}

static bool step_computes(const Plan *p, const LocalEntry *le, const Step *s, NodeId id) {
  const ArenaMark mark = arena_mark(p->arena);
  bool *met = arena_array(p->arena, bool, le->graph->nodes.n + 1), found = false;
  for (int i = 0; i < s->nodes.n && !found; i++) found = uses_inline(le, s->nodes.at[i], id, met);
  arena_release(p->arena, mark);
  return found;
}

static double block_bytes(const Plan *p, const LocalEntry *le, NodeId id) {
  return (double)node_bytes(p->program, graph_node(le->graph, id));
}

/* Computing it once, from what is stored. */
static double arithmetic(const Plan *p, const LocalEntry *le, NodeId id) {
  Step s = {.kind = STEP_MAP};
  vec_push(p->arena, &s.nodes, id);
  return cost_step_flops(p, le, &s) / p->program->machine->vector_flops;
}

/* "; stored instead: 512 bytes more over memory, 0.014 us": the next best, by the model. */
static void put_alternative(const Plan *p, Str *out, const char *what, double bytes, double saved) {
  const double memory = bytes / p->program->machine->memory_bandwidth;
  str_printf(out, "; %s: %.0f bytes more over memory, %s", what, bytes, report_time(p, memory));
  if (saved > 0) str_printf(out, ", and %s less arithmetic", report_time(p, saved));
}

/* ", not stored: an expression in the loops of steps 3 and 5", as --dump=loops numbers them. */
static void put_inline(const Plan *p, Str *out, const LocalEntry *le, NodeId id) {
  VEC(int) in = {0};
  for (int t = 0; t < le->steps.n; t++)
    if (step_computes(p, le, &le->steps.at[t], id)) vec_push(p->arena, &in, t);
  str_puts(out, ", not stored");
  for (int i = 0; i < in.n; i++)
    str_printf(out, "%s%d",
               i           ? (i + 1 < in.n ? ", " : " and ")
               : in.n == 1 ? ": an expression in the loops of step "
                           : ": an expression in the loops of steps ",
               in.at[i]);
  if (in.n && node_class(graph_node(le->graph, id)) == CLASS_MAP)
    put_alternative(p, out, "stored instead", (1 + in.n) * block_bytes(p, le, id),
                    (in.n - 1) * arithmetic(p, le, id));
}

/* What the value would cost as an expression of those who read it, where it could be one. */
static void put_in_readers(const Plan *p, Str *out, const LocalEntry *le, NodeId id) {
  int readers = 0;
  for (int i = 0; i < le->entry->outputs.n; i++)
    if (node_base(le->graph, le->output[i]) == id) return;
  for (int i = 0; i < le->entry->assigns.n; i++)
    if (node_base(le->graph, le->assign[i]) == id) return;
  for (int t = 0; t < le->steps.n; t++) {
    const ArenaMark mark = arena_mark(p->arena);
    Reads r = {0};
    bool reads = false;
    step_reads(le, &le->steps.at[t], p->arena, &r);
    for (int i = 0; i < r.r.n; i++) reads = reads || r.r.at[i].node == id;
    arena_release(p->arena, mark);
    if (reads && le->steps.at[t].kind != STEP_MAP && le->steps.at[t].kind != STEP_REDUCE) return;
    readers += reads;
  }
  if (readers)
    str_printf(
        out,
        "; in the loops of its readers instead: %s more arithmetic, %.0f bytes less over memory",
        report_time(p, (readers - 1) * arithmetic(p, le, id)),
        (1 + readers) * block_bytes(p, le, id));
}

/* ", in step 7", and how its loops are nested in others'. */
static void put_place(const Plan *p, Str *out, const LocalEntry *le, NodeId id, int t) {
  const Step *s = &le->steps.at[t];
  str_printf(out, ", in step %d of %d", t, le->steps.n);
  if (s->kind == STEP_TILES && s->tile->epilogue && s->tile->steps.at[0].nodes.at[0] != id)
    str_puts(out, ", in the epilogue of its kernel, on the rows that are done");
  for (int i = 0; s->kind == STEP_TILES && !s->tile->epilogue && i < s->tile->nloops; i++) {
    const TileLoop *l = &s->tile->loop[i];
    const Node *n = graph_node(le->graph, l->node);
    const int64_t all =
        dim_block_most(&p->program->mesh, &n->layout->dim[l->dim], n->shape.dim[l->dim]);
    str_printf(out, "%s %ld of %ld", i ? " x" : ", tile by tile,", (long)l->most, (long)all);
  }
  if (le->tile_bytes && le->tile_bytes[id])
    str_printf(out, ", with memory for one tile, %ld bytes", (long)le->tile_bytes[id]);
  str_printf(out, "; the step takes %s", report_time(p, cost_step(p, le, t).compute));
  const bool kernel =
      s->kind == STEP_TILES && s->tile->epilogue && s->tile->steps.at[0].nodes.at[0] == id;
  if (s->kind == STEP_TILES && !kernel)
    put_alternative(p, out, "in a step of its own", 2 * block_bytes(p, le, id), 0);
  else if (s->kind == STEP_MAP)
    put_in_readers(p, out, le, id);
}

void why_place(const Plan *p, const LocalEntry *le, NodeId id, Str *out) {
  const int t = why_step_of(le, id);
  if (!le->stored[node_base(le->graph, id)])
    put_inline(p, out, le, id);
  else if (t >= 0)
    put_place(p, out, le, id, t);
}
