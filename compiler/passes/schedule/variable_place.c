/* Variables among the buffers: their new values are made in their places, or copied there after the
 * last step. */
#include "lives.h"

/* Several windows of a variable are written one after the other, all in its place, `to`. */
static void chain_in_variable(EntryMemory *m, NodeId last, int var, int to) {
  const LocalEntry *le = m->le;
  for (NodeId id = lives_made_of(le, last); id != NO_NODE; last = id, id = lives_made_of(le, id)) {
    if (!lives_passes(m, id, last) || !lives_in_variable(m, id, var)) return;
    le->buffer[id] = to;
  }
}

void variable_place(EntryMemory *m) {
  LocalEntry *le = m->le;
  Arena *a = m->plan->arena;
  Copies second = {0};
  for (int i = 0; i < le->entry->assigns.n; i++) { /* what others become is read at the end */
    const NodeId base = node_base(le->graph, le->assign[i]);
    const Node *n = graph_node(le->graph, base);
    if (n->op == OP_var && node_source(n) != le->entry->assigns.at[i].var)
      lives_read(m, base, m->nsteps);
  }
  for (int i = 0; i < le->entry->assigns.n; i++) {
    NodeId base = node_base(le->graph, le->assign[i]);
    const Node *n = graph_node(le->graph, base);
    int var = le->entry->assigns.at[i].var, to = buffer_of_variable(m, var);
    if (n->op == OP_var && node_source(n) == var) continue;
    const bool shared = m->plan->var_shared[var] > 0, carry = op_is(n, OPF_CARRY);
    if (shared && (le->buffer[base] == to || (le->buffer[base] < 0 && share_place(m, base))))
      continue;
    if (le->buffer[base] < 0 && n->op != OP_input && n->op != OP_var &&
        !(carry && carry_place_elsewhere(m, base)) && lives_in_variable(m, base, var)) {
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
      int other = buffer_of_variable(m, node_source(n));
      const int between = buffer_at_end(m, base, to);
      vec_push(a, &le->copies, ((Copy){other, between}));
      vec_push(a, &second, ((Copy){between, to}));
    } else {
      vec_push(a, &second, ((Copy){-1 - base, to})); /* the buffer is not known yet */
    }
  }
  for (int i = 0; i < second.n; i++) vec_push(a, &le->copies, second.at[i]);
}
