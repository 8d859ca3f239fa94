/* Runs steps strip by strip, so that what passes from one to the other stays in cache and needs no
 * memory beyond one strip. It begins at a product whose result is larger than its operands, the
 * scores of attention say, and takes in what computes with them, up to the product that makes them
 * small again:
 *
 *   score = q @ k ; e = exp(score - max) ; p = e / sum ; out = p @ v
 *   ->  for b, h, rows of s: { score = q[b, s, h] @ k[b, h] ; ... ; out[b, s, h] = p @ v[b, h] }
 *
 * What a later group reads of an earlier one it makes anew, if that is large: the way back of
 * attention computes the scores again (Dao et al. 2022), and nobody keeps them.
 *
 * Strips change no bits. A row of a product is the same whatever rows are beside it, and sums over
 * strips go in the order in which they would go without. Where a product sums over a loop, strips
 * end where the kernels begin a sum anew. */
#include "strip.h"
#include <string.h>

enum {
  BUDGET = 1 << 20, /* bytes that one strip makes: half of a usual L2; smaller values are left */
  HUGE = 32 << 20,  /* bytes that are worth packing an operand again for each strip */
  FEW_ROWS = 64,    /* of a product; fewer are slow */
  LOOK_BACK = 96,   /* steps */
  MOST_MEMBERS = 48
};

typedef struct Group {
  LoopMap map;
  int nloops;
  VEC(int) member;   /* steps, in order */
  VEC(NodeId) again; /* nodes of earlier groups that are made anew */
  VEC(bool) after;   /* by step from the first on: it reads what the group makes */
  bool closed;
} Group;

typedef VEC(int) IntVec;

typedef struct Strips {
  Plan *plan;
  LocalEntry *le;
  Reads *reads;    /* by step */
  int *made_by;    /* by node: step, or -1 */
  int *group_of;   /* by step, or -1 */
  bool *is_kept;   /* by node: an output or a new value of a variable */
  bool *is_inner;  /* by node */
  IntVec *readers; /* by node: steps */
  IntVec *wanted;  /* by node: groups that make anew what reads it */
  VEC(Group *) groups;
} Strips;

static int64_t bytes_of(const Strips *s, NodeId id) {
  const Node *n = graph_node(s->le->graph, id);
  Shape local = layout_local(&s->plan->program->mesh, n->layout, &n->shape);
  return shape_count(&local) * dtype_size(n->dtype);
}

static int64_t dim_most(const Strips *s, NodeId id, int d) {
  const Node *n = graph_node(s->le->graph, id);
  return dim_block_most(&s->plan->program->mesh, &n->layout->dim[d], n->shape.dim[d]);
}

static int64_t loop_most(const Strips *s, const Group *g, int loop) {
  return dim_most(s, g->map.ref[loop].node, g->map.ref[loop].dim);
}

/* -------- which steps may be in a group -------- */

/* Letters of a product that it sums over, those of one element left out. */
static int summed_letters(const Graph *g, const Node *n) {
  const Node *x = graph_operand(g, n, 0), *y = graph_operand(g, n, 1);
  int letters = 0;
  for (int d = 0; d < x->shape.rank; d++) {
    bool out = x->shape.dim[d] == 1;
    for (int i = 0; i < n->shape.rank; i++)
      out = out || n->attr[x->shape.rank + y->shape.rank + i] == n->attr[d];
    letters += !out;
  }
  return letters;
}

static bool may_join(const Strips *s, const Step *step) {
  if (step->kind == STEP_MAP) return true;
  const Node *n = graph_node(s->le->graph, step->nodes.at[0]);
  Op op = n->op;
  if (step->kind == STEP_CONTRACT) return op == OP_contract && summed_letters(s->le->graph, n) <= 1;
  return step->kind == STEP_REDUCE && op != OP_cumsum && op != OP_argmax && op != OP_argmin;
}

/* Every operand of a product has a part for each strip: one that all of them share, a weight, would
 * be packed again for each. */
static bool is_dealt(const Strips *s, const LoopMap *m, NodeId id) {
  const Node *n = graph_node(s->le->graph, id);
  bool dealt = true, huge = bytes_of(s, id) >= HUGE;
  for (int k = 0; k < n->noperands; k++) {
    huge = huge || bytes_of(s, n->operand[k]) >= HUGE;
    dealt = dealt && loop_map_any(m, loop_map_find(m, n->operand[k]));
  }
  return dealt || huge;
}

/* Adding up strip by strip gives the sum in its own order. */
static bool may_sum(const Mesh *mesh, const Group *g, NodeId id, uint32_t summed) {
  const Node *n = graph_node(g->map.le->graph, id);
  const Node *x = graph_operand(g->map.le->graph, n, 0);
  if (!summed) return true;
  for (int i = 0; i < g->nloops; i++) {
    const Node *of = graph_node(g->map.le->graph, g->map.ref[i].node);
    int d = g->map.ref[i].dim;
    if (summed >> i & 1 && !dim_even(mesh, &of->layout->dim[d], of->shape.dim[d])) return false;
  }
  if (n->op == OP_contract) {
    return !(summed & (summed - 1)) && n->dtype == DT_F32;
  }
  const LoopDims *in = loop_map_find(&g->map, n->operand[0]);
  int last = x->shape.rank - 1, before = -1;
  while (last > 0 && x->shape.dim[last] == 1) last--;
  if (n->dtype == DT_F16 || n->dtype == DT_BF16 || n->attr[0] >> last & 1) return false;
  for (int d = 0; d < x->shape.rank; d++) {
    if (!(n->attr[0] >> d & 1) || x->shape.dim[d] == 1) continue;
    int loop = in->loop[d];
    if (loop == NO_LOOP || !(g->map.live >> loop & 1) || loop < before) return false;
    before = loop;
  }
  return true;
}

/* Whether all members can run in the loops that are left. What a reduction cannot add up strip by
 * strip is no loop. */
static bool fits_all(const Strips *s, Group *g) {
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    uint32_t summed = loop_map_summed(&g->map, t->nodes.at[0]);
    if (may_sum(&s->plan->program->mesh, g, t->nodes.at[0], summed)) continue;
    if (t->kind != STEP_REDUCE) return false;
    g->map.live &= ~summed;
    i = -1; /* from the beginning */
  }
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    if (t->kind == STEP_CONTRACT && !is_dealt(s, &g->map, t->nodes.at[0])) return false;
  }
  return g->map.live != 0;
}

/* Loops over which a member adds up what the step reads: they have to go. */
static uint32_t unfinished(const Strips *s, const Group *g, int k, int index) {
  uint32_t loops = 0;
  for (int i = 0; i < s->reads[k].r.n; i++) {
    NodeId id = s->reads[k].r.at[i].node;
    int by = s->made_by[id];
    uint32_t summed = by >= 0 && s->group_of[by] == index ? loop_map_summed(&g->map, id) : 0;
    /* Behind the product that makes little of much nothing is worth a loop. */
    if (summed && s->le->steps.at[by].kind == STEP_CONTRACT) return g->map.live;
    loops |= summed;
  }
  return loops;
}

/* The step reads something that the group makes, or that is large and that the group reads, strip
 * by strip. */
static bool has_common(const Strips *s, const Group *g, int k, int index) {
  for (int i = 0; i < s->reads[k].r.n; i++) {
    NodeId id = s->reads[k].r.at[i].node;
    int by = s->made_by[id];
    if (by >= 0 && s->group_of[by] == index) return true;
    if (loop_map_any(&g->map, loop_map_find(&g->map, id)) && bytes_of(s, id) >= BUDGET) return true;
  }
  return false;
}

static bool reads_what_comes_after(const Strips *s, const Group *g, int k) {
  int first = g->member.at[0];
  for (int i = 0; i < s->reads[k].r.n; i++) {
    int by = s->made_by[s->reads[k].r.at[i].node];
    if (by >= first && by - first < g->after.n && g->after.at[by - first]) return true;
  }
  return false;
}

/* -------- order -------- */

typedef struct Order {
  VEC(int) step;
} Order;

/* The members of a group side by side: what stands between them goes before where it can, else
 * after. False: one of them needs what must come after. `out` may be `o`, or NULL: nothing is
 * moved. */
static bool gather(const Strips *s, const Order *o, int index, Order *out) {
  Arena *a = s->plan->arena;
  const Group *g = s->groups.at[index];
  int n = o->step.n, first = 0, last = n - 1;
  while (s->group_of[o->step.at[first]] != index) first++;
  while (s->group_of[o->step.at[last]] != index) last--;
  bool *after = arena_array(a, bool, s->le->steps.n + 1), *late_group = NULL;
  late_group = arena_array(a, bool, s->groups.n + 1);
  Order before = {0}, behind = {0};
  for (int i = first; i <= last; i++) {
    int k = o->step.at[i], of = s->group_of[k];
    bool late = of >= 0 && of != index && late_group[of];
    for (int j = 0; j < s->reads[k].r.n; j++) {
      int by = s->made_by[s->reads[k].r.at[j].node];
      if (by < 0) continue;
      late = late || after[by] || (of != index && s->group_of[by] == index);
    }
    if (of == index && late) return false;
    if (of == index) continue;
    if (late) after[k] = true;
    if (late && of >= 0) {
      /* A group that stands whole already comes after as a whole. */
      for (int j = 0; j < before.step.n; j++)
        if (s->group_of[before.step.at[j]] == of) return false;
      late_group[of] = true;
    }
    if (late)
      vec_push(a, &behind.step, k);
    else
      vec_push(a, &before.step, k);
  }
  if (!out) return true;
  int to = first;
  for (int i = 0; i < before.step.n; i++) out->step.at[to++] = before.step.at[i];
  for (int i = 0; i < g->member.n; i++) out->step.at[to++] = g->member.at[i];
  for (int i = 0; i < behind.step.n; i++) out->step.at[to++] = behind.step.at[i];
  return true;
}

/* -------- joining -------- */

static void add_member(Strips *s, Group *g, int index, int k) {
  vec_push(s->plan->arena, &g->member, k);
  for (int i = g->member.n - 1; i > 0 && g->member.at[i - 1] > k; i--)
    g->member.at[i] = g->member.at[i - 1], g->member.at[i - 1] = k;
  s->group_of[k] = index;
}

static void remove_member(Strips *s, Group *g, int k) {
  int n = 0;
  for (int i = 0; i < g->member.n; i++)
    if (g->member.at[i] != k) g->member.at[n++] = g->member.at[i];
  g->member.n = n;
  s->group_of[k] = -1;
}

/* `order`: that of all steps, in which the members must be able to stand side by side; NULL: it is
 * not looked at. */
static bool try_join(Strips *s, int index, int k, const Order *order) {
  Group *g = s->groups.at[index];
  const Step *step = &s->le->steps.at[k];
  if (!may_join(s, step) || g->member.n == MOST_MEMBERS || !has_common(s, g, k, index))
    return false;
  uint32_t live = g->map.live, used;
  g->map.live &= ~unfinished(s, g, k, index);
  LoopMap fresh = {.arena = s->plan->arena, .le = s->le};
  bool fits = g->map.live && loop_map_step(&g->map, step, &fresh, &used) && used == g->map.live;
  int nknown = g->map.known.n;
  for (int i = 0; fits && i < fresh.known.n; i++) loop_map_put(&g->map, &fresh.known.at[i]);
  add_member(s, g, index, k);
  if (fits && fits_all(s, g) && (!order || gather(s, order, index, NULL))) return true;
  remove_member(s, g, k);
  g->map.live = live;
  for (; g->map.known.n > nknown; g->map.known.n--)
    lookup_put(&g->map.at, s->plan->arena,
               graph_node(s->le->graph, g->map.known.at[g->map.known.n - 1].node), 0);
  return false;
}

/* A letter that both operands and the result have: each of its elements is a product of its own. */
static bool has_batch(const Graph *g, const Node *n) {
  int rx = graph_operand(g, n, 0)->shape.rank, ry = graph_operand(g, n, 1)->shape.rank;
  for (int d = 0; d < n->shape.rank; d++) {
    bool x = false, y = false;
    for (int i = 0; i < rx; i++) x = x || n->attr[i] == n->attr[rx + ry + d];
    for (int i = 0; i < ry; i++) y = y || n->attr[rx + i] == n->attr[rx + ry + d];
    if (x && y && n->shape.dim[d] > 1) return true;
  }
  return false;
}

/* A product that makes much of little. */
static bool begins_group(const Strips *s, const Step *step) {
  if (step->kind != STEP_CONTRACT) return false;
  NodeId id = step->nodes.at[0];
  const Node *n = graph_node(s->le->graph, id);
  if (n->op != OP_contract || bytes_of(s, id) < BUDGET || n->shape.rank > MAX_STRIP_LOOPS ||
      s->is_kept[id])
    return false;
  return bytes_of(s, id) > 2 * (bytes_of(s, n->operand[0]) + bytes_of(s, n->operand[1])) &&
         (has_batch(s->le->graph, n) || bytes_of(s, id) >= HUGE);
}

static void begin_group(Strips *s, int k) {
  Arena *a = s->plan->arena;
  NodeId id = s->le->steps.at[k].nodes.at[0];
  const Node *n = graph_node(s->le->graph, id);
  Group *g = arena_new_of(a, Group);
  g->map = (LoopMap){.arena = a, .le = s->le};
  LoopDims d = {.node = id};
  memset(d.loop, NO_LOOP, sizeof d.loop);
  for (int i = 0; i < n->shape.rank; i++) {
    if (n->shape.dim[i] == 1) continue;
    int loop = g->nloops++;
    g->map.ref[loop].node = id;
    g->map.ref[loop].dim = i;
    g->map.live |= 1u << loop;
    d.loop[i] = (int8_t)loop;
  }
  uint32_t used;
  LoopMap fresh = {.arena = a, .le = s->le};
  loop_map_put(&g->map, &d);
  if (!loop_map_step(&g->map, &s->le->steps.at[k], &fresh, &used)) return;
  for (int i = 0; i < fresh.known.n; i++) loop_map_put(&g->map, &fresh.known.at[i]);
  vec_push(a, &g->member, k);
  if (!fits_all(s, g)) return;
  s->group_of[k] = s->groups.n;
  vec_push(a, &s->groups, g);
}

/* Whether a step between the members of a group has to come after it. */
static void note_after(Strips *s, Group *g, int index, int k) {
  int first = g->member.at[0];
  bool after = false;
  for (int i = 0; i < s->reads[k].r.n; i++) {
    int by = s->made_by[s->reads[k].r.at[i].node];
    if (by < first) continue;
    after =
        after || s->group_of[by] == index || (by - first < g->after.n && g->after.at[by - first]);
  }
  vec_push(s->plan->arena, &g->after, after && s->group_of[k] != index);
}

static void find_groups(Strips *s) {
  int open = 0; /* groups before it are closed */
  for (int k = 0; k < s->le->steps.n; k++) {
    bool joined = false;
    for (int i = open; i < s->groups.n; i++) {
      Group *g = s->groups.at[i];
      if (k - g->member.at[g->member.n - 1] > LOOK_BACK) g->closed = true;
      if (!g->closed && !joined && !reads_what_comes_after(s, g, k))
        joined = try_join(s, i, k, NULL);
    }
    while (open < s->groups.n && s->groups.at[open]->closed) open++;
    if (!joined && begins_group(s, &s->le->steps.at[k])) begin_group(s, k);
    for (int i = open; i < s->groups.n; i++) note_after(s, s->groups.at[i], i, k);
  }
}

static void dissolve(Strips *s, int index) {
  Group *g = s->groups.at[index];
  for (int i = 0; i < g->member.n; i++) s->group_of[g->member.at[i]] = -1;
  g->member.n = 0;
}

/* Steps that were refused because of loops that have gone since, or that stand before the first. */
static void join_late(Strips *s, const Order *o, int index) {
  Group *g = s->groups.at[index];
  int first = g->member.at[0] - LOOK_BACK, last = g->member.at[g->member.n - 1] + LOOK_BACK;
  for (int k = first < 0 ? 0 : first; k < last && k < s->le->steps.n; k++)
    if (s->group_of[k] < 0) try_join(s, index, k, o);
}

static void order_groups(Strips *s, Order *o) {
  for (int k = 0; k < s->le->steps.n; k++) vec_push(s->plan->arena, &o->step, k);
  for (int i = 0; i < s->groups.n; i++) {
    if (s->groups.at[i]->member.n > 1 && gather(s, o, i, NULL)) join_late(s, o, i);
    if (s->groups.at[i]->member.n < 2 || !gather(s, o, i, o)) dissolve(s, i);
  }
}

/* -------- what is made anew, what has memory for one strip -------- */

static Step step_of(const Strips *s, NodeId id) {
  Step t = {.kind = s->le->steps.at[s->made_by[id]].kind};
  vec_push(s->plan->arena, &t.nodes, id);
  return t;
}

/* The group can make the value anew, strip by strip. */
static bool can_repeat(Strips *s, Group *g, NodeId id) {
  LoopMap fresh = {.arena = s->plan->arena, .le = s->le};
  Step t = step_of(s, id);
  uint32_t used;
  if (!loop_map_find(&g->map, id) || !loop_map_step(&g->map, &t, &fresh, &used) ||
      used != g->map.live)
    return false;
  for (int i = 0; i < fresh.known.n; i++) loop_map_put(&g->map, &fresh.known.at[i]);
  return loop_map_summed(&g->map, id) == 0 && fits_all(s, g);
}

static void add_once(Arena *a, IntVec *v, int x) {
  for (int i = 0; i < v->n; i++)
    if (v->at[i] == x) return;
  vec_push(a, v, x);
}

/* Nobody but groups reads it, and those that do not make it can make it anew. */
static void decide(Strips *s, NodeId id) {
  Arena *a = s->plan->arena;
  int own = s->group_of[s->made_by[id]];
  IntVec at = {0};
  if (s->is_kept[id] || loop_map_summed(&s->groups.at[own]->map, id)) return;
  for (int i = 0; i < s->readers[id].n; i++) {
    int group = s->group_of[s->readers[id].at[i]];
    if (group < 0) return;
    if (group != own) add_once(a, &at, group);
  }
  for (int i = 0; i < s->wanted[id].n; i++)
    if (s->wanted[id].at[i] != own) add_once(a, &at, s->wanted[id].at[i]);
  if (at.n && bytes_of(s, id) < BUDGET) return;
  for (int i = 0; i < at.n; i++)
    if (!can_repeat(s, s->groups.at[at.at[i]], id)) return;
  s->is_inner[id] = true;
  Reads r = {0};
  Step t = step_of(s, id);
  step_reads(s->le, &t, a, &r);
  for (int i = 0; i < at.n; i++) {
    vec_push(a, &s->groups.at[at.at[i]]->again, id);
    for (int k = 0; k < r.r.n; k++) add_once(a, &s->wanted[r.r.at[k].node], at.at[i]);
  }
}

static void decide_all(Strips *s) {
  Arena *a = s->plan->arena;
  int n = s->le->graph->nodes.n;
  s->readers = arena_array(a, IntVec, n + 1);
  s->wanted = arena_array(a, IntVec, n + 1);
  for (int t = 0; t < s->le->steps.n; t++)
    for (int i = 0; i < s->reads[t].r.n; i++) add_once(a, &s->readers[s->reads[t].r.at[i].node], t);
  for (int t = s->le->steps.n - 1; t >= 0; t--)
    for (int i = s->le->steps.at[t].nodes.n - 1; s->group_of[t] >= 0 && i >= 0; i--)
      decide(s, s->le->steps.at[t].nodes.at[i]);
}

/* Strips that spare no memory are none. */
static void drop_idle(Strips *s) {
  for (int i = 0; i < s->groups.n; i++) {
    Group *g = s->groups.at[i];
    bool spares = g->again.n > 0;
    for (int k = 0; k < g->member.n; k++) {
      const Step *t = &s->le->steps.at[g->member.at[k]];
      for (int j = 0; j < t->nodes.n; j++)
        spares = spares || (s->is_inner[t->nodes.at[j]] && bytes_of(s, t->nodes.at[j]) >= BUDGET);
    }
    for (int k = 0; !spares && k < g->member.n; k++) {
      const Step *t = &s->le->steps.at[g->member.at[k]];
      for (int j = 0; j < t->nodes.n; j++) s->is_inner[t->nodes.at[j]] = false;
    }
    if (!spares) dissolve(s, i);
  }
}

/* -------- the size of a strip -------- */

static int64_t node_bytes(const Strips *s, const Group *g, NodeId id, const int64_t *most) {
  const Node *n = graph_node(s->le->graph, id);
  const LoopDims *x = loop_map_find(&g->map, id);
  int64_t bytes = dtype_size(n->dtype);
  for (int d = 0; d < n->shape.rank; d++) {
    bool loops = x && x->loop[d] != NO_LOOP && g->map.live >> x->loop[d] & 1;
    bytes *= loops ? most[x->loop[d]] : dim_most(s, id, d);
  }
  return bytes;
}

static int64_t strip_size(const Strips *s, const Group *g, const int64_t *most) {
  int64_t bytes = 0;
  for (int i = 0; i < g->again.n; i++) bytes += node_bytes(s, g, g->again.at[i], most);
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    for (int k = 0; k < t->nodes.n; k++) bytes += node_bytes(s, g, t->nodes.at[k], most);
  }
  return bytes;
}

/* A product of the group sums over the loop, or has it as its rows. */
static bool in_product(const Strips *s, const Group *g, int loop, bool summed) {
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    if (t->kind != STEP_CONTRACT) continue;
    const Node *n = graph_node(s->le->graph, t->nodes.at[0]);
    int with = 0;
    for (int k = 0; k < 2; k++) {
      const LoopDims *x = loop_map_find(&g->map, n->operand[k]);
      for (int d = 0; x && d < MAX_RANK; d++) with += x->loop[d] == loop;
    }
    bool sums = loop_map_summed(&g->map, t->nodes.at[0]) >> loop & 1;
    if (summed ? sums : !sums && with == 1) return true;
  }
  return false;
}

/* From the innermost loop outwards, as much as the budget holds; loops within what fits are left to
 * the steps. */
static void size_strips(const Strips *s, Group *g, int64_t *most) {
  for (int i = 0; i < g->nloops; i++) most[i] = 1;
  for (int i = g->nloops - 1; i >= 0; i--) {
    if (!(g->map.live >> i & 1)) continue;
    int64_t n = loop_most(s, g, i), fit = BUDGET / strip_size(s, g, most);
    bool summed = in_product(s, g, i, true);
    if (fit < FEW_ROWS && in_product(s, g, i, false)) fit = FEW_ROWS;
    if (summed) fit = dtrt_gemm_part(n);
    most[i] = fit < n ? (fit > 1 ? fit : 1) : n;
    /* One row left over would be a matrix times a vector, which sums in another order. */
    while (most[i] > 1 && most[i] < n && (n % most[i] == 1 || n % most[i] == 2))
      most[i] += summed ? 16 : 1;
    if (most[i] > n) most[i] = n;
    if (most[i] < n) return;
    g->map.live &= ~(1u << i);
  }
}

/* -------- the new steps -------- */

static void add_node(const Strips *s, const Group *g, const int *number, Strip *strip,
                     const LoopDims *x) {
  StripNode n = {.node = x->node, .sums = 0, .inner = s->is_inner[x->node]};
  bool any = false;
  for (int d = 0; d < MAX_RANK; d++) {
    bool loops = x->loop[d] != NO_LOOP && g->map.live >> x->loop[d] & 1;
    n.loop[d] = (int8_t)(loops ? number[x->loop[d]] : NO_LOOP);
    any = any || loops;
  }
  uint32_t summed = loop_map_summed(&g->map, x->node);
  for (int i = 0; i < g->nloops; i++)
    if (summed >> i & 1 && s->made_by[x->node] >= 0) n.sums |= 1u << number[i];
  if (!any && !n.sums) return;
  vec_push(s->plan->arena, &strip->nodes, n);
  lookup_put(&strip->at, s->plan->arena, graph_node(s->le->graph, x->node), strip->nodes.n);
}

static void put_strip(Strips *s, Group *g, Step *out) {
  Arena *a = s->plan->arena;
  Strip *strip = arena_new_of(a, Strip);
  int64_t most[MAX_STRIP_LOOPS], all[MAX_STRIP_LOOPS] = {0};
  int number[MAX_STRIP_LOOPS] = {0};
  size_strips(s, g, most);
  for (int i = 0; i < g->nloops; i++) {
    all[i] = most[i];
    if (!(g->map.live >> i & 1)) continue;
    number[i] = strip->nloops++;
    strip->loop[number[i]] = (StripLoop){g->map.ref[i].node, g->map.ref[i].dim, most[i]};
  }
  for (int i = 0; i < g->map.known.n; i++)
    if (loop_map_find(&g->map, g->map.known.at[i].node) == &g->map.known.at[i])
      add_node(s, g, number, strip, &g->map.known.at[i]);
  for (int i = g->again.n - 1; i >= 0; i--) vec_push(a, &strip->steps, step_of(s, g->again.at[i]));
  for (int i = 0; i < g->member.n; i++)
    vec_push(a, &strip->steps, s->le->steps.at[g->member.at[i]]);
  *out = (Step){.kind = STEP_STRIP, .strip = strip};
  for (int i = 0; i < strip->steps.n; i++)
    for (int k = 0; k < strip->steps.at[i].nodes.n; k++) {
      NodeId id = strip->steps.at[i].nodes.at[k];
      if (!strip_node(strip, s->le->graph, id)) { /* a sum over all loops has no dim of them */
        LoopDims none = {.node = id};
        memset(none.loop, NO_LOOP, sizeof none.loop);
        add_node(s, g, number, strip, &none);
      }
      int64_t bytes = node_bytes(s, g, id, all);
      vec_push(a, &out->nodes, id);
      if (s->is_inner[id] && bytes > s->le->strip_bytes[id]) s->le->strip_bytes[id] = bytes;
    }
}

static void strip_entry(Plan *p, LocalEntry *le) {
  Arena *a = p->arena;
  Strips s = {.plan = p, .le = le};
  int n = le->graph->nodes.n;
  le->strip_bytes = arena_array(a, int64_t, n + 1);
  s.made_by = arena_array(a, int, n + 1);
  s.group_of = arena_array(a, int, le->steps.n + 1);
  s.reads = arena_array(a, Reads, le->steps.n + 1);
  s.is_kept = arena_array(a, bool, n + 1);
  s.is_inner = arena_array(a, bool, n + 1);
  for (int i = 0; i < n; i++) s.made_by[i] = -1;
  for (int i = 0; i < le->entry->outputs.n; i++)
    s.is_kept[node_base(le->graph, le->output[i])] = true;
  for (int i = 0; i < le->entry->assigns.n; i++)
    s.is_kept[node_base(le->graph, le->assign[i])] = true;
  for (int t = 0; t < le->steps.n; t++) {
    s.group_of[t] = -1;
    for (int i = 0; i < le->steps.at[t].nodes.n; i++) s.made_by[le->steps.at[t].nodes.at[i]] = t;
    step_reads(le, &le->steps.at[t], a, &s.reads[t]);
  }
  find_groups(&s);
  if (!s.groups.n) return;
  Order order = {0};
  order_groups(&s, &order);
  decide_all(&s);
  drop_idle(&s);
  VEC(Step) out = {0};
  for (int i = 0; i < order.step.n; i++) {
    int k = order.step.at[i], of = s.group_of[k];
    Step step = le->steps.at[k];
    if (of >= 0 && s.groups.at[of]->member.at[0] != k) continue;
    if (of >= 0) put_strip(&s, s.groups.at[of], &step);
    vec_push(a, &out, step);
  }
  le->steps.at = out.at, le->steps.n = out.n, le->steps.cap = out.cap;
}

void strip(Plan *p) {
  for (int i = 0; i < p->entries.n; i++) strip_entry(p, &p->entries.at[i]);
}
