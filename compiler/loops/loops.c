/* See loops.h. */
#include "loop_build.h"

bool loop_of(const LoopSite *s, const Step *step, LoopFunction *out) {
  const NodeId id = step->nodes.at[0];
  const OpClass class = op_class(graph_node(s->le->graph, id));
  switch (step->kind) {
  case STEP_MAP: build_map(s, step, out); return true;
  case STEP_REDUCE: (class == OPC_SCAN ? build_cumsum : build_reduce)(s, id, out); return true;
  case STEP_SCATTER:
    if (class == OPC_ADD_EACH)
      build_unpick(s, id, out);
    else
      build_scatter(s, step, out);
    return true;
  default: return false;
  }
}
