/* Where variables lie, and which of them devices of one process share: those that are whole along
 * some axes have one memory for all devices that differ in these axes alone (dtrt_program.shared).
 * Replicas are read by all and written once: between readers and writers devices meet
 * (loops/meet.c), and what is written comes from
 *
 * - a step that makes new values of variables with the same sharers and nothing else, also in a
 *   loop or a branch: one device runs it;
 * - an all-gather: each device writes its own part;
 * - a copy at the end of the entry, where without others it would take one, too.
 *
 * A variable whose new value could be made in its place but for others that share it (of a step that
 * makes something else, too, which each device needs for itself, or of another exchange) is not
 * shared: what is made elsewhere and copied would take as much memory.
 *
 * Which devices are in one process is known when a program is opened; with others, each has its
 * own memory and meets nobody. Where values are watched, each has its own, too: watchers may write.
 */
#include "lives.h"
#include "pack.h"

typedef struct NewValue {
  NodeId node;
  int var;
} NewValue;
typedef VEC(NewValue) NewValues;

uint32_t share_axes(const Plan *p, int var) {
  const Mesh *m = &p->program->mesh;
  uint32_t whole = 0;
  if (p->observe || p->single || !plan_has(p, FEATURE_SHARE)) return 0;
  for (int a = 0; a < m->naxes; a++)
    if (m->axis[a].size > 1) whole |= 1u << a;
  return whole & ~layout_axes(p->program->vars.at[var].layout);
}

static int set_of(Plan *p, uint32_t axes) {
  int k = 0;
  while (k < p->shared.n && p->shared.at[k] != axes) k++;
  if (k == p->shared.n) vec_push(p->arena, &p->shared, axes);
  return k;
}

static void place_set(Plan *p, int set) {
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    if (p->var_shared[i] != set) continue;
    p->var_offset[i] = p->vars_bytes;
    p->vars_bytes += pack_room(layout_bytes(&p->program->mesh, v->layout, &v->shape, v->dtype));
  }
}

/* Those with the same sharers lie together, so that a device that has the memory of some has few
 * pages of others in it. */
void memory_variables(Plan *p) {
  const int n = p->program->vars.n;
  p->vars_bytes = 0;
  p->shared.n = 0;
  p->var_offset = arena_array(p->arena, int64_t, n + 1);
  p->var_shared = arena_array(p->arena, int, n + 1);
  for (int i = 0; i < n; i++) {
    const uint32_t axes = p->var_apart && p->var_apart[i] ? 0 : share_axes(p, i);
    p->var_shared[i] = axes ? 1 + set_of(p, axes) : 0;
  }
  for (int set = 0; set <= p->shared.n; set++) place_set(p, set);
}

/* Each device has a part of it, and these make up all. */
static bool is_gathered(const Plan *p, const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  if (n->op != OP_exchange || (le->borders && le->borders[id])) return false;
  return exchange_at(p->program, le->graph, n).kind == DTRT_ALL_GATHER;
}

/* What the step that makes node `id`, the new value of a variable, makes in variables' places. */
static bool all_in_place(const EntryMemory *m, NodeId id, NewValues *out) {
  const LocalEntry *le = m->le;
  const Plan *p = m->plan;
  const Step *s = &le->steps.at[m->made_at[id]];
  const int var = m->d.variable[id];
  if (step_in_region(le, s)) return false;
  if (step_moves(s)) {
    vec_push(p->arena, out, ((NewValue){id, var}));
    return is_gathered(p, le, id) && lives_in_variable(m, id, var);
  }
  for (int i = 0; i < s->nodes.n; i++) {
    const NodeId own = s->nodes.at[i];
    const int to = m->d.variable[own];
    if (to < 0 && !step_leaves(le, s, i)) continue;
    if (to < 0 || p->var_shared[to] != p->var_shared[var] || le->buffer[own] >= 0 ||
        op_is(graph_node(le->graph, own), OPF_CARRY) || !lives_in_variable(m, own, to))
      return false;
    vec_push(p->arena, out, ((NewValue){own, to}));
  }
  return out->n > 0;
}

bool share_place(EntryMemory *m, NodeId base) {
  NewValues all = {0};
  if (m->made_at[base] < 0 || !all_in_place(m, base, &all)) return false;
  for (int i = 0; i < all.n; i++)
    m->le->buffer[all.at[i].node] = buffer_of_variable(m, all.at[i].var);
  return true;
}

void share_set_apart(EntryMemory *m, int var) {
  const Plan *p = m->plan;
  bool *set = p->variables_of ? p->var_copied : p->var_apart;
  if (set) set[var] = true;
}

static int root_of(int *with, int var) {
  while (with[var] != var) var = with[var] = with[with[var]];
  return var;
}

/* New values that this entry makes in places that devices share, those of a step with each other. */
static void join_steps(Plan *p, const LocalEntry *le, int *with) {
  ArenaMark mark = arena_mark(p->arena);
  int *first = arena_array(p->arena, int, le->steps.n + 1); /* 1 + a variable */
  for (int i = 0; i < le->entry->assigns.n; i++) {
    const NodeId base = node_base(le->graph, le->assign[i]);
    const int var = le->entry->assigns.at[i].var, t = le->made_at[base];
    if (t < 0 || step_moves(&le->steps.at[t]) || !p->var_shared[var] ||
        le->buffers.at[le->buffer[base]].place != PLACE_VAR ||
        le->buffers.at[le->buffer[base]].var != var ||
        op_is(graph_node(le->graph, base), OPF_CARRY))
      continue;
    if (!first[t]) first[t] = 1 + var;
    with[root_of(with, var)] = root_of(with, first[t] - 1);
  }
  arena_release(p->arena, mark);
}

/* A step that makes the new value of a variable set apart makes those of others neither in a place
 * that is shared: with many variables in several entries one sets all apart, link by link. */
void share_spread(Plan *p) {
  const int n = p->program->vars.n;
  if (p->variables_of || !p->shared.n) return;
  ArenaMark mark = arena_mark(p->arena);
  int *with = arena_array(p->arena, int, n + 1);
  bool *apart = arena_array(p->arena, bool, n + 1);
  for (int i = 0; i < n; i++) with[i] = i;
  for (int i = 0; i < p->entries.n; i++) join_steps(p, &p->entries.at[i], with);
  for (int i = 0; i < n; i++)
    if (p->var_apart[i]) apart[root_of(with, i)] = true;
  for (int i = 0; i < n; i++) p->var_apart[i] = p->var_apart[i] || apart[root_of(with, i)];
  arena_release(p->arena, mark);
}

/* What a step stores where devices share it one of them stores, so that the step may store nothing
 * else, and no exchange may, but for one that brings each its part. */
void share_check(EntryMemory *m) {
  const LocalEntry *le = m->le;
  for (int t = 0; t < m->nsteps; t++) {
    const Step *s = &le->steps.at[t];
    const bool moves = step_moves(s);
    int first = -1;
    bool alike = !moves || !step_in_region(le, s);
    for (int i = 0; i < s->nodes.n; i++) {
      const NodeId own = s->nodes.at[i];
      if (le->tile_bytes[own]) continue;
      const Buffer *b = &le->buffers.at[le->buffer[own]];
      if (b->place != PLACE_VAR && !step_leaves(le, s, i)) continue;
      const int with = b->place == PLACE_VAR ? m->plan->var_shared[b->var] : 0;
      if (moves && with && !is_gathered(m->plan, le, own)) alike = false;
      if (first >= 0 && with != first && !moves) alike = false;
      first = with;
    }
    for (int i = 0; i < s->nodes.n && !alike; i++) {
      if (le->tile_bytes[s->nodes.at[i]]) continue;
      const Buffer *b = &le->buffers.at[le->buffer[s->nodes.at[i]]];
      if (b->place == PLACE_VAR) share_set_apart(m, b->var);
    }
  }
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; lives_region(m, r) && i < le->region[r].copies.n; i++) {
      const Buffer *b = &le->buffers.at[le->region[r].copies.at[i].to];
      if (b->place == PLACE_VAR) share_set_apart(m, b->var);
    }
}
