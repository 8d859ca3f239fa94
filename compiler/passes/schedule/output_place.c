/* Outputs that loops and kernels make in the memory that the host passes for them, instead of in
 * the arena, from where they would be copied there:
 *
 *   y = (void *)dev->out[0]
 *
 * The address is the host's if that has the device's block in one piece, and else the arena's,
 * where the place stays (entry_call.c). So one step makes all that is ever in that place, and none
 * reads it: the host's memory need not begin with a line of the caches either. For the same reason
 * loops store each element once; to kernels of products it makes no difference. */
#include "lives.h"

/* A smaller one is copied sooner than it is asked where the host's memory lies. */
enum { LEAST_BYTES = 4096 };

/* No operand has more elements than it, so that each is added to once on average. */
static bool is_scattered_once(const EntryMemory *m, NodeId id) {
  const Node *n = graph_node(m->le->graph, id);
  for (int k = 0; k < n->noperands; k++)
    if (node_bytes(m->plan->program, graph_operand(m->le->graph, n, k)) >
        node_bytes(m->plan->program, n))
      return false;
  return true;
}

static bool is_stored_once(const EntryMemory *m, const Step *s, NodeId id) {
  const LocalEntry *le = m->le;
  for (int i = 0; s->kind == STEP_TILES && i < s->tile->steps.n; i++)
    if (step_stores(&s->tile->steps.at[i], id)) return is_stored_once(m, &s->tile->steps.at[i], id);
  const OpClass class = op_class(graph_node(le->graph, id));
  if (s->named) return false;
  if (s->kind == STEP_KERNEL) return class == OPC_PRODUCT || class == OPC_CONVOLUTION;
  return s->kind == STEP_MAP || class == OPC_SCAN ||
         (s->kind == STEP_SCATTER && is_scattered_once(m, id));
}

/* Step t alone makes it, outside of regions, and nothing but the output has it. */
static bool is_made_by(const EntryMemory *m, int t, NodeId id) {
  return m->made_at[id] == t && m->done_at[id] == t && !m->remade[id].n && !m->wanted[id] &&
         !m->d.readers[id].n && m->region_at[t] == NO_REGION && !lives_in_tile(m, id) &&
         !op_is(graph_node(m->le->graph, id), OPF_CARRY) &&
         is_stored_once(m, &m->le->steps.at[t], id);
}

void output_place(EntryMemory *m) {
  LocalEntry *le = m->le;
  if (m->plan->observe != OBSERVE_NOTHING) return;
  for (int i = 0; i < le->entry->outputs.n; i++) {
    Buffer *b = &le->buffers.at[le->output_buffer[i]];
    const bool copied =
        b->output || b->place != PLACE_ARENA || b->rotates || b->bytes < LEAST_BYTES;
    b->output = copied ? -1 : i + 1; /* -1, too, for what two outputs have */
  }
  for (int i = 0; i < le->copies.n; i++)
    le->buffers.at[le->copies.at[i].from].output = le->buffers.at[le->copies.at[i].to].output = -1;
  for (NodeId id = 0; id < le->graph->nodes.n; id++) {
    Buffer *b = le->buffer[id] < 0 ? NULL : &le->buffers.at[le->buffer[id]];
    if (!b || b->output <= 0) continue;
    const int t = m->made_at[node_base(le->graph, le->output[b->output - 1])];
    if (t < 0 || !is_made_by(m, t, id)) b->output = -1;
  }
  for (int i = 0; i < le->buffers.n; i++)
    if (le->buffers.at[i].output < 0) le->buffers.at[i].output = 0;
}
