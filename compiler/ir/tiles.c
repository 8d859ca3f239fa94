/* What is known of the tiles of a STEP_TILES. */
#include "plan.h"

const TileNode *tiles_node(const Tiles *s, const Graph *g, NodeId id) {
  int at = lookup_get(&s->at, graph_node(g, id));
  return at ? &s->nodes.at[at - 1] : NULL;
}

int64_t tiles_turns(const Mesh *m, const Graph *g, const Tiles *s) {
  const TileLoop *l = &s->loop[0];
  const Node *n = graph_node(g, l->node);
  int64_t turns = 1;
  for (int d = s->epilogue ? 0 : l->dim; d <= l->dim; d++)
    turns *= dim_block_most(m, &n->layout->dim[d], n->shape.dim[d]);
  return turns;
}

bool tiles_apart(const Tiles *s, const Graph *g) {
  for (int i = 0; i < s->nodes.n; i++)
    if (s->nodes.at[i].sums & 1 && !s->unit) return false;
  for (int i = s->epilogue; i < s->steps.n; i++)
    for (int k = 0; k < s->steps.at[i].nodes.n; k++) {
      const TileNode *n = tiles_node(s, g, s->steps.at[i].nodes.at[k]);
      bool varies = n && (n->inner || n->sums & 1);
      for (int d = 0; n && d < MAX_RANK; d++) varies = varies || n->loop[d] == 0;
      if (!varies) return false;
    }
  return true;
}

static void own_buffer(const LocalEntry *le, int b, int64_t *own, int64_t *end) {
  enum { ALIGN = 64 };
  if (b < 0 || b >= le->buffers.n || own[b]) return; /* before there is memory, none */
  own[b] = 1 + *end;
  *end += (le->buffers.at[b].bytes + ALIGN - 1) / ALIGN * ALIGN;
}

int64_t tiles_own(const LocalEntry *le, const Tiles *s, int64_t *own) {
  int64_t end = 0;
  if (!le->buffer || !le->scratch || !tiles_apart(s, le->graph)) return 0;
  for (int i = 0; i < s->steps.n; i++)
    for (int k = 0; k < s->steps.at[i].nodes.n; k++) {
      const NodeId id = s->steps.at[i].nodes.at[k];
      if (le->tile_bytes[id]) own_buffer(le, le->buffer[id], own, &end);
      const TileNode *n = tiles_node(s, le->graph, id);
      if (!n || !(n->sums & 1)) own_buffer(le, le->scratch[id], own, &end);
    }
  return end;
}

void tiles_own_none(const LocalEntry *le, const Tiles *s, int64_t *own) {
  for (int i = 0; i < s->steps.n; i++)
    for (int k = 0; k < s->steps.at[i].nodes.n; k++) {
      const NodeId id = s->steps.at[i].nodes.at[k];
      if (le->buffer[id] >= 0) own[le->buffer[id]] = 0;
      if (le->scratch[id] >= 0) own[le->scratch[id]] = 0;
    }
}

bool tiles_made_before(const Tiles *s, int step, NodeId id) {
  for (int i = 0; i < step; i++)
    if (step_stores(&s->steps.at[i], id)) return true;
  return false;
}

bool tiles_in_band(const Tiles *s, const Graph *g, NodeId id) {
  return s->band.of != NO_NODE && same_space(graph_node(g, id), graph_node(g, s->band.of)) &&
         tiles_make(s, id);
}
