/* Where a value is computed: stored by a step, tile by tile, in the epilogue of a kernel, or as an
 * expression in others' loops; and what the next best would cost, by the model. */
#include "why.h"
#include "work.h"
#include <string.h>

int why_step_of(const LocalEntry *le, NodeId id) {
  for (int t = 0; t < le->steps.n; t++)
    if (step_stores(&le->steps.at[t], id)) return t;
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

/* "; stored instead: 512 bytes more over memory, 0.014 us": the next best, by the model; `starts`:
 * how many steps more begin. */
static void put_alternative(const Plan *p, Str *out, const char *what, double bytes, int starts,
                            double saved) {
  const Machine *m = p->program->machine;
  str_printf(out, "; %s: %.0f bytes more over memory, %s", what, bytes,
             report_time(p, bytes / m->memory_bandwidth + starts * m->start));
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
    put_alternative(p, out, "stored instead", (1 + in.n) * block_bytes(p, le, id), 0,
                    (in.n - 1) * arithmetic(p, le, id));
}

/* Bytes of the stored values that a step reads: of its node `only`, or of all but `except`. */
static double read_bytes(const Plan *p, const LocalEntry *le, const Step *s, NodeId only,
                         NodeId except) {
  const ArenaMark mark = arena_mark(p->arena);
  Step part = *s;
  Reads r = {0};
  double bytes = 0;
  memset(&part.nodes, 0, sizeof part.nodes);
  for (int i = 0; i < s->nodes.n; i++) {
    const NodeId x = s->nodes.at[i];
    if ((only == NO_NODE || x == only) && x != except) vec_push(p->arena, &part.nodes, x);
  }
  step_reads(le, &part, p->arena, &r);
  for (int i = 0; i < r.n; i++) bytes += block_bytes(p, le, r.at[i].node);
  arena_release(p->arena, mark);
  return bytes;
}

/* The steps that read it from memory; -1: one of them is no loop, or it leaves the entry. */
static int readers_of(const Plan *p, const LocalEntry *le, NodeId id, bool loops) {
  int readers = 0;
  for (int i = 0; i < le->entry->outputs.n; i++)
    if (node_base(le->graph, le->output[i]) == id) return -1;
  for (int i = 0; i < le->entry->assigns.n; i++)
    if (node_base(le->graph, le->assign[i]) == id) return -1;
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    const ArenaMark mark = arena_mark(p->arena);
    Reads r = {0};
    bool reads = false;
    step_reads(le, s, p->arena, &r);
    for (int i = 0; i < r.n; i++) reads = reads || r.at[i].node == id;
    arena_release(p->arena, mark);
    if (reads && loops && !step_loops(s)) return -1;
    readers += reads;
  }
  return readers;
}

/* What the value would cost as an expression of its consumers, where it could be one. */
static void put_in_readers(const Plan *p, Str *out, const LocalEntry *le, NodeId id) {
  const int readers = readers_of(p, le, id, true);
  if (readers > 0)
    str_printf(
        out,
        "; in the loops of its readers instead: %s more arithmetic, %.0f bytes less over memory",
        report_time(p, (readers - 1) * arithmetic(p, le, id)),
        (1 + readers) * block_bytes(p, le, id));
}

/* A loop that makes several values reads what they share once. */
static void put_apart(const Plan *p, Str *out, const LocalEntry *le, const Step *s, NodeId id) {
  const double twice = read_bytes(p, le, s, id, NO_NODE) + read_bytes(p, le, s, NO_NODE, id) -
                       read_bytes(p, le, s, NO_NODE, NO_NODE);
  put_alternative(p, out, "in a step of its own instead", twice, 1, 0);
}

/* Bytes that a step reads of what other steps have computed. */
static double made_bytes(const Plan *p, const LocalEntry *le, const Step *s) {
  const ArenaMark mark = arena_mark(p->arena);
  Reads r = {0};
  double bytes = 0;
  step_reads(le, s, p->arena, &r);
  for (int i = 0; i < r.n; i++) {
    const int t = why_step_of(le, r.at[i].node);
    const bool loops = t >= 0 && le->steps.at[t].kind != STEP_EXCHANGE;
    if (loops) bytes += block_bytes(p, le, r.at[i].node);
  }
  arena_release(p->arena, mark);
  return bytes;
}

/* A product or a reduction in a step of its own has no place that is known to be possible: what one
 * with the steps around it could save, at most. */
static void put_bound(const Plan *p, Str *out, const LocalEntry *le, const Step *s, NodeId id) {
  const int readers = readers_of(p, le, id, false);
  double bytes = (1 + readers) * block_bytes(p, le, id);
  if (s->kind == STEP_REDUCE) bytes = made_bytes(p, le, s);
  if (bytes <= 0) return;
  str_printf(out, "; tile by tile with %s instead: at most %.0f bytes less over memory, %s",
             s->kind == STEP_REDUCE ? "the steps whose results it reads" : "the steps that read it",
             bytes, report_time(p, bytes / p->program->machine->memory_bandwidth));
}

/* The loops in the epilogue of a kernel would read its whole result again. */
static void put_without_epilogue(const Plan *p, Str *out, const LocalEntry *le, const Tiles *tile,
                                 NodeId id) {
  int loops = 0;
  for (int i = 1; i < tile->steps.n; i++) {
    const ArenaMark mark = arena_mark(p->arena);
    Reads r = {0};
    step_reads(le, &tile->steps.at[i], p->arena, &r);
    for (int k = 0; k < r.n; k++) loops += r.at[k].node == id;
    arena_release(p->arena, mark);
  }
  if (loops)
    put_alternative(p, out, "its epilogue in steps of their own instead",
                    loops * block_bytes(p, le, id), loops, 0);
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
  const Turns turns = step_turns(le, t);
  str_printf(out, "; the step takes %s%s", report_time(p, cost_step(p, le, t).compute),
             report_turns(p, &turns));
  const bool kernel =
      s->kind == STEP_TILES && s->tile->epilogue && s->tile->steps.at[0].nodes.at[0] == id;
  if (kernel)
    put_without_epilogue(p, out, le, s->tile, id);
  else if (s->kind == STEP_TILES)
    put_alternative(p, out, "in a step of its own instead", 2 * block_bytes(p, le, id), 1, 0);
  else if (s->nodes.n > 1 && step_loops(s))
    put_apart(p, out, le, s, id);
  else if (s->kind == STEP_MAP)
    put_in_readers(p, out, le, id);
  else if (s->kind == STEP_REDUCE || s->kind == STEP_KERNEL)
    put_bound(p, out, le, s, id);
}

void why_place(const Plan *p, const LocalEntry *le, NodeId id, Str *out) {
  const int t = why_step_of(le, id);
  if (!le->stored[node_base(le->graph, id)])
    put_inline(p, out, le, id);
  else if (t >= 0)
    put_place(p, out, le, id, t);
  else if (node_base(le->graph, id) != id)
    str_printf(out, ", the memory of %s under another shape",
               report_value(p, le->entry, le->origin.at[node_base(le->graph, id)]));
}
