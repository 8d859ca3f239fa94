/* Variables among the buffers: their new values are made in their places, or copied there after the
 * last step. */
#include "lives.h"

int variable_buffer(Memory *m, int var) {
  if (m->var_buffer[var] >= 0) return m->var_buffer[var];
  const Var *v = &m->plan->program->vars.at[var];
  Buffer b = {.place = PLACE_VAR,
              .var = var,
              .offset = m->plan->var_offset[var],
              .first = -1,
              .last = m->nsteps,
              .node = NO_NODE,
              .bytes = layout_bytes(&m->plan->program->mesh, v->layout, &v->shape, v->dtype)};
  vec_push(m->plan->arena, &m->le->buffers, b);
  return m->var_buffer[var] = m->le->buffers.n - 1;
}

bool variable_in_place(const Memory *m, NodeId base, int var) {
  Reads over = {0};
  int t = m->made_at[base];
  if (t < 0 || m->plan->observe == OBSERVE_ALL) return false;
  for (int i = 0; i < m->d.old[var].n; i++) {
    const NodeId old = m->d.old[var].at[i];
    if (m->last_read[old] > t) return false;
    if (m->last_read[old] < t) continue;
    if (!over.r.n) over = lives_over(m, base);
    if (!reads_aligned(&over, old)) return false;
  }
  return true;
}

int variable_copied_at_end(Memory *m, NodeId base, int like) {
  return memory_add(m, base, m->le->buffers.at[like].bytes, m->nsteps, m->nsteps);
}

/* Several windows of a variable are written one after the other, all in its place, `to`. */
static void chain_in_variable(Memory *m, NodeId last, int var, int to) {
  const LocalEntry *le = m->le;
  for (NodeId id = lives_made_of(le, last); id != NO_NODE; last = id, id = lives_made_of(le, id)) {
    if (!lives_passes(m, id, last) || !variable_in_place(m, id, var)) return;
    le->buffer[id] = to;
  }
}

void variable_place(Memory *m) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  VEC(Copy) second = {0};
  for (int i = 0; i < le->entry->assigns.n; i++) { /* what others become is read at the end */
    const NodeId base = node_base(le->graph, le->assign[i]);
    const Node *n = graph_node(le->graph, base);
    if (n->op == OP_var && node_source(n) != le->entry->assigns.at[i].var)
      lives_read(m, base, m->nsteps);
  }
  for (int i = 0; i < le->entry->assigns.n; i++) {
    NodeId base = node_base(le->graph, le->assign[i]);
    const Node *n = graph_node(le->graph, base);
    int var = le->entry->assigns.at[i].var, to = variable_buffer(m, var);
    if (n->op == OP_var && node_source(n) == var) continue;
    const bool shared = m->plan->var_shared[var] > 0, carry = op_is(n, OPF_CARRY);
    if (shared && (le->buffer[base] == to || (le->buffer[base] < 0 && share_place(m, base))))
      continue;
    if (le->buffer[base] < 0 && n->op != OP_input && n->op != OP_var &&
        !(carry && carry_place_elsewhere(m, base)) && variable_in_place(m, base, var)) {
      if (shared && !carry) share_set_apart(m, var);
      if (!shared || (carry && !(m->plan->var_copied && m->plan->var_copied[var]))) {
        le->buffer[base] = to;
        chain_in_variable(m, base, var, to);
        continue;
      }
    }
    lives_read(m, base, m->nsteps);
    if (n->op == OP_var) {
      /* Two variables may change places: all old values are read before any is written. */
      int other = variable_buffer(m, node_source(n));
      const int between = variable_copied_at_end(m, base, to);
      vec_push(a, &le->copies, ((Copy){other, between}));
      vec_push(a, &second, ((Copy){between, to}));
    } else {
      vec_push(a, &second, ((Copy){-1 - base, to})); /* the buffer is not known yet */
    }
  }
  for (int i = 0; i < second.n; i++) vec_push(a, &le->copies, second.at[i]);
}
