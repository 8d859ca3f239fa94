/* See tile_group.h. */
#include "tile_group.h"
#include "sum_order.h"

int64_t tiling_bytes(const Tiling *s, NodeId id) {
  return node_bytes(s->plan->program, graph_node(s->le->graph, id));
}

int64_t tiling_most(const Tiling *s, NodeId id, int d) {
  const Node *n = graph_node(s->le->graph, id);
  return dim_block_most(&s->plan->program->mesh, &n->layout->dim[d], n->shape.dim[d]);
}

int64_t tiling_part(const Tiling *s, const Group *g, NodeId id, const int64_t *most) {
  const Node *n = graph_node(s->le->graph, id);
  const LoopDims *x = loop_map_find(&g->map, id);
  int64_t bytes = dtype_size(n->dtype);
  for (int d = 0; d < n->shape.rank; d++) {
    const bool loops = x && loop_map_lives(&g->map, x->loop[d]);
    bytes *= loops ? most[x->loop[d]] : tiling_most(s, id, d);
  }
  return bytes;
}

/* -------- which steps may be in a group -------- */

/* Letters of a product that it sums over, those of one element left out. */
static int summed_letters(const Graph *g, const Node *n) {
  const Node *x = graph_operand(g, n, 0);
  const Letters l = product_letters(g, n);
  int letters = 0;
  for (int d = 0; d < x->shape.rank; d++)
    letters += x->shape.dim[d] != 1 && !(l.in[l.x[d]] & LETTER_OUT);
  return letters;
}

static bool may_join(const Tiling *s, const Group *g, const Step *step) {
  if (step->kind == STEP_MAP) return !step_updates(s->le->graph, step);
  const Node *n = graph_node(s->le->graph, step->nodes.at[0]);
  if (step->kind == STEP_KERNEL && !g->epilogue)
    return op_class(n) == OPC_PRODUCT && summed_letters(s->le->graph, n) <= 1;
  return step->kind == STEP_REDUCE && op_class(n) == OPC_REDUCE;
}

/* Every operand of a product has a part for each tile: one that all of them share, a weight, would
 * be packed again for each. */
static bool is_dealt(const Tiling *s, const LoopMap *m, NodeId id) {
  const Node *n = graph_node(s->le->graph, id);
  bool dealt = true, huge = tiling_bytes(s, id) >= s->far;
  for (int k = 0; k < n->noperands; k++) {
    huge = huge || tiling_bytes(s, n->operand[k]) >= s->far;
    dealt = dealt && loop_map_any(m, loop_map_find(m, n->operand[k]));
  }
  return dealt || huge;
}

/* A product with a vector, which the runtime sums in another order than one of matrices. */
static bool by_vector(const Mesh *mesh, const Graph *g, const Node *n) {
  const Node *side[] = {graph_operand(g, n, 0), graph_operand(g, n, 1)};
  const Letters l = product_letters(g, n);
  for (int k = 0; k < 2; k++) {
    int64_t own = 1; /* elements along the letters that this operand and the result have */
    for (int d = 0; d < side[k]->shape.rank; d++)
      if (l.in[(k ? l.y : l.x)[d]] == (k ? LETTER_N : LETTER_M))
        own *= dim_block_most(mesh, &side[k]->layout->dim[d], side[k]->shape.dim[d]);
    if (own == 1) return true;
  }
  return false;
}

/* Loops run over the leading dims of a tensor, in the order of the dims: a tile is one run of
 * elements, and follows the tile before it. */
static bool is_run(const Group *g, const Node *n, const LoopDims *x) {
  int before = -1;
  bool behind = false;
  for (int d = 0; d < n->shape.rank; d++) {
    const int loop = x->loop[d];
    if (!loop_map_lives(&g->map, loop)) {
      behind = behind || n->shape.dim[d] > 1;
      continue;
    }
    if (behind || loop < before) return false;
    before = loop;
  }
  return true;
}

/* Of the loops that a sum reduces, those that must be removed for it to be added up tile by tile in
 * its own order; all of them: it cannot. */
static uint32_t must_go(const Mesh *mesh, const Group *g, NodeId id, uint32_t summed) {
  const Node *n = graph_node(g->map.le->graph, id);
  const Node *x = graph_operand(g->map.le->graph, n, 0);
  if (!summed) return 0;
  for (int i = 0; i < g->nloops; i++) {
    const Node *of = graph_node(g->map.le->graph, g->map.ref[i].node);
    int d = g->map.ref[i].dim;
    if (summed >> i & 1 && !dim_even(mesh, &of->layout->dim[d], of->shape.dim[d])) return summed;
  }
  if (op_class(n) == OPC_PRODUCT) {
    const bool adds_up = !(summed & (summed - 1)) && n->dtype == DT_F32 && x->dtype == DT_F32 &&
                         !by_vector(mesh, g->map.le->graph, n);
    return adds_up ? 0 : summed;
  }
  const SumOrder order = sum_order(mesh, g->map.le->graph, n);
  const LoopDims *in = loop_map_find(&g->map, n->operand[0]);
  if (order.fixed && order.first < x->shape.rank) {
    if (!g->rows || !is_run(g, x, in) || !sum_goes_on(mesh, g->map.le->graph, n)) return summed;
    const int loop = in->loop[x->shape.rank - 1]; /* a tile has whole lines of the last dim */
    return loop_map_lives(&g->map, loop) ? 1u << loop : 0;
  }
  int last = x->shape.rank - 1, before = -1;
  while (last > 0 && x->shape.dim[last] == 1) last--;
  if (dtype_is_half(n->dtype) || node_attr(n, "axis") >> last & 1) return summed;
  for (int d = 0; d < x->shape.rank; d++) {
    if (!(node_attr(n, "axis") >> d & 1) || x->shape.dim[d] == 1) continue;
    int loop = in->loop[d];
    if (!loop_map_lives(&g->map, loop) || loop < before) return summed;
    before = loop;
  }
  return 0;
}

/* -------- what a loop over the rows of an epilogue allows -------- */

/* A dim among the rows that is cut, other than the first: the global index of a row is then no
 * constant plus its number. */
static bool is_cut_within(const Group *g, const LocalEntry *le) {
  bool cut = false;
  for (int i = 1; i < g->nloops; i++) {
    const DimLayout *d = &graph_node(le->graph, g->map.ref[i].node)->layout->dim[g->map.ref[i].dim];
    cut = cut || d->naxes || d->window.of;
  }
  return cut;
}

/* A node's dims have all loops, in order, in front, or none. */
static bool has_rows(const Tiling *s, const Group *g, const LoopDims *x) {
  const Node *n = graph_node(s->le->graph, x->node);
  int next = 0;
  bool behind = false;
  for (int d = 0; d < n->shape.rank; d++) {
    if (x->loop[d] == NO_LOOP) {
      behind = behind || n->shape.dim[d] > 1;
      continue;
    }
    if (behind || x->loop[d] != next++) return false;
  }
  return next == 0 || next == g->nloops;
}

static bool epilogue_fits(const Tiling *s, const Group *g) {
  if (g->map.live != (1u << g->nloops) - 1) return false;
  const bool cut = is_cut_within(g, s->le);
  for (int i = 0; i < g->map.known.n; i++) {
    const LoopDims *x = &g->map.known.at[i];
    const Node *n = graph_node(s->le->graph, x->node);
    if (!has_rows(s, g, x)) return false;
    if (g->nloops == 1) continue;
    if (op_class(n) == OPC_INDEX && x->loop[node_attr(n, "axis")] != NO_LOOP) return false;
    if (op_class(n) == OPC_RANDOM && cut) return false;
  }
  return true;
}

/* What members make is read in the same turn alone: not beyond its tile. */
static bool stays_within(const Tiling *s, const Group *g) {
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    for (int k = 0; k < t->nodes.n; k++)
      if (loop_map_beyond(&g->map, t->nodes.at[k])) return false;
  }
  for (int i = 0; i < g->again.n; i++)
    if (loop_map_beyond(&g->map, g->again.at[i])) return false;
  return true;
}

bool group_fits(const Tiling *s, Group *g) {
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    uint32_t summed = loop_map_summed(&g->map, t->nodes.at[0]);
    const uint32_t go = must_go(&s->plan->program->mesh, g, t->nodes.at[0], summed);
    if (!go) continue;
    if (t->kind != STEP_REDUCE) return false;
    g->map.live &= ~go;
    i = -1; /* from the beginning */
  }
  if (!stays_within(s, g)) return false;
  if (g->epilogue) return epilogue_fits(s, g);
  for (int i = 0; i < g->member.n; i++) {
    const Step *t = &s->le->steps.at[g->member.at[i]];
    if (t->kind == STEP_KERNEL && !is_dealt(s, &g->map, t->nodes.at[0])) return false;
  }
  return g->rows ? g->map.live & 1 : g->map.live != 0;
}

/* Loops over which a member adds up what the step reads: they have to go. */
static uint32_t unfinished(const Tiling *s, const Group *g, int k, int index) {
  uint32_t loops = 0;
  for (int i = 0; i < s->d.reads[k].n; i++) {
    NodeId id = s->d.reads[k].at[i].node;
    int by = s->d.made_by[id];
    uint32_t summed = by >= 0 && s->group_of[by] == index ? loop_map_summed(&g->map, id) : 0;
    /* Behind the product that makes little of much nothing is worth a loop. */
    if (summed && s->le->steps.at[by].kind == STEP_KERNEL) return g->map.live;
    loops |= summed;
  }
  return loops;
}

/* The step reads something that the group makes, or that is large and that the group reads, tile
 * by tile. */
static bool has_common(const Tiling *s, const Group *g, int k, int index) {
  for (int i = 0; i < s->d.reads[k].n; i++) {
    NodeId id = s->d.reads[k].at[i].node;
    int by = s->d.made_by[id];
    if (by >= 0 && s->group_of[by] == index) return true;
    if (loop_map_any(&g->map, loop_map_find(&g->map, id)) && tiling_bytes(s, id) >= s->budget)
      return true;
  }
  return false;
}

bool group_reads_after(const Tiling *s, const Group *g, int k) {
  int first = g->member.at[0];
  for (int i = 0; i < s->d.reads[k].n; i++) {
    int by = s->d.made_by[s->d.reads[k].at[i].node];
    if (by >= first && by - first < g->after.n && g->after.at[by - first]) return true;
  }
  return false;
}

/* -------- order -------- */

/* The steps from the first member to the last, sorted; false: they cannot be. */
static bool sort_span(const Tiling *s, int index, int first, int last, IntVec *before,
                      IntVec *behind) {
  Arena *a = s->plan->scratch;
  for (int i = first; i <= last; i++) {
    int k = s->order.at[i], of = s->group_of[k];
    bool late = of >= 0 && of != index && s->is_late_group[of];
    for (int j = 0; j < s->d.reads[k].n; j++) {
      int by = s->d.made_by[s->d.reads[k].at[j].node];
      if (by < 0) continue;
      late = late || s->is_late[by] || (of != index && s->group_of[by] == index);
    }
    if (of == index && late) return false;
    if (of == index) continue;
    s->is_late[k] = late;
    if (late && of >= 0) {
      /* A group that stands whole already comes after as a whole. */
      for (int j = 0; j < before->n; j++)
        if (s->group_of[before->at[j]] == of) return false;
      s->is_late_group[of] = true;
    }
    vec_push(a, late ? behind : before, k);
  }
  return true;
}

static bool gather(const Tiling *s, int index, int *first, IntVec *before, IntVec *behind) {
  const Group *g = s->groups.at[index];
  int last = 0;
  *first = s->order.n;
  for (int i = 0; i < g->member.n; i++) {
    int at = s->place[g->member.at[i]];
    if (at < *first) *first = at;
    if (at > last) last = at;
  }
  bool can = sort_span(s, index, *first, last, before, behind);
  for (int i = *first; i <= last; i++) {
    int k = s->order.at[i];
    s->is_late[k] = false;
    if (s->group_of[k] >= 0) s->is_late_group[s->group_of[k]] = false;
  }
  return can;
}

bool group_gathers(const Tiling *s, int index) {
  const ArenaMark mark = arena_mark(s->plan->scratch);
  int first;
  IntVec before = {0}, behind = {0};
  const bool can = gather(s, index, &first, &before, &behind);
  arena_release(s->plan->scratch, mark);
  return can;
}

bool group_gather(Tiling *s, int index) {
  const ArenaMark mark = arena_mark(s->plan->scratch);
  int to;
  IntVec before = {0}, behind = {0};
  const IntVec *parts[] = {&before, &s->groups.at[index]->member, &behind};
  const bool can = gather(s, index, &to, &before, &behind);
  for (int p = 0; can && p < 3; p++)
    for (int i = 0; i < parts[p]->n; i++) {
      s->order.at[to] = parts[p]->at[i];
      s->place[parts[p]->at[i]] = to++;
    }
  arena_release(s->plan->scratch, mark);
  return can;
}

/* -------- joining -------- */

static void add_member(Tiling *s, Group *g, int index, int k) {
  vec_push(s->plan->scratch, &g->member, k);
  for (int i = g->member.n - 1; i > 0 && g->member.at[i - 1] > k; i--)
    g->member.at[i] = g->member.at[i - 1], g->member.at[i - 1] = k;
  s->group_of[k] = index;
}

static void remove_member(Tiling *s, Group *g, int k) {
  int n = 0;
  for (int i = 0; i < g->member.n; i++)
    if (g->member.at[i] != k) g->member.at[n++] = g->member.at[i];
  g->member.n = n;
  s->group_of[k] = -1;
}

bool group_join(Tiling *s, int index, int k, bool gathers) {
  Group *g = s->groups.at[index];
  const Step *step = &s->le->steps.at[k];
  if (step->segment != s->le->steps.at[g->member.at[0]].segment) return false;
  if (!may_join(s, g, step) || g->member.n == TILE_MEMBERS || !has_common(s, g, k, index))
    return false;
  const LoopsKnown before = loop_map_mark(&g->map);
  uint32_t used;
  g->map.live &= ~unfinished(s, g, k, index);
  LoopMap fresh = {.arena = s->plan->scratch, .le = s->le};
  const bool fits = g->map.live && loop_map_step(&g->map, step, &fresh, &used) &&
                    used == g->map.live && loop_map_add(&g->map, &fresh);
  add_member(s, g, index, k);
  if (fits && group_fits(s, g) && s->may_stay(s, index, k) && (!gathers || group_gathers(s, index)))
    return true;
  remove_member(s, g, k);
  loop_map_return(&g->map, before);
  return false;
}

/* A group with a loop for each of the first dims of a node. */
static Group *group_over(Tiling *s, NodeId over, int dims) {
  Arena *a = s->plan->scratch;
  const Node *n = graph_node(s->le->graph, over);
  Group *g = arena_new_of(a, Group);
  g->map = (LoopMap){.arena = a, .le = s->le, .shifts = true, .spread = s->spread};
  LoopDims d = loop_dims_none(over);
  for (int i = 0; i < dims; i++) {
    if (n->shape.dim[i] == 1) continue;
    int loop = g->nloops++;
    g->map.ref[loop].node = over;
    g->map.ref[loop].dim = i;
    g->map.live |= 1u << loop;
    d.loop[i] = (int8_t)loop;
  }
  loop_map_put(&g->map, &d);
  return g;
}

static int add_group(Tiling *s, Group *g, int k) {
  s->group_of[k] = s->groups.n;
  vec_push(s->plan->scratch, &s->groups, g);
  return s->groups.n - 1;
}

bool group_begin(Tiling *s, int k, NodeId over, bool rows) {
  Arena *a = s->plan->scratch;
  Group *g = group_over(s, over, graph_node(s->le->graph, over)->shape.rank);
  g->rows = rows;
  uint32_t used;
  LoopMap fresh = {.arena = a, .le = s->le};
  if (!loop_map_step(&g->map, &s->le->steps.at[k], &fresh, &used) || !loop_map_add(&g->map, &fresh))
    return false;
  vec_push(a, &g->member, k);
  if (!group_fits(s, g)) return false;
  add_group(s, g, k);
  return true;
}

int group_begin_epilogue(Tiling *s, int k, int dims) {
  Group *g = group_over(s, s->le->steps.at[k].nodes.at[0], dims);
  g->rows = true;
  g->epilogue = dims;
  g->map.shifts = false; /* its rows are one loop over several dims */
  vec_push(s->plan->scratch, &g->member, k);
  return add_group(s, g, k);
}

void group_note_after(Tiling *s, Group *g, int index, int k) {
  int first = g->member.at[0];
  bool after = false;
  for (int i = 0; i < s->d.reads[k].n; i++) {
    int by = s->d.made_by[s->d.reads[k].at[i].node];
    if (by < first) continue;
    after =
        after || s->group_of[by] == index || (by - first < g->after.n && g->after.at[by - first]);
  }
  vec_push(s->plan->scratch, &g->after, after && s->group_of[k] != index);
}

void group_dissolve(Tiling *s, int index) {
  Group *g = s->groups.at[index];
  for (int i = 0; i < g->member.n; i++) s->group_of[g->member.at[i]] = -1;
  g->member.n = 0;
}
