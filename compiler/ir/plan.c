#include "plan.h"
#include <stdlib.h>
#include <string.h>

/* Where the line of a span begins: one number a line, found in a line's time. */
static uint32_t line_begin(const Program *p, Span s) {
  const Source *src = diag_source(p->diag, s.file);
  uint32_t b = src && s.begin < src->len ? s.begin : 0;
  while (b > 0 && src->text[b - 1] != '\n') b--;
  return b;
}

static const int32_t *ordinals_of(const Program *p, const Graph *g) {
  Ordinals *o = g->ordinals;
  if (o->nth && o->n == g->nodes.n) return o->nth;
  typedef struct Slot {
    uint64_t key[2];
    int32_t count;
  } Slot;
  size_t slots = 2 * (size_t)g->nodes.n + 16;
  int32_t *nth = arena_array(g->arena, int32_t, g->nodes.n + 1);
  Slot *slot = calloc(slots, sizeof *slot);
  for (NodeId i = 0; slot && i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    if (n->name && op_class(n) == OPC_SOURCE)
      continue; /* variables and inputs have names of their own */
    uint64_t key[2] = {(uint64_t)n->op << 32 | n->span.file, n->name ? 0 : line_begin(p, n->span)};
    if (n->name) key[0] = hash_bytes(n->name, strlen(n->name), 0), key[1] = UINT64_MAX;
    size_t k = hash_words(key, sizeof key, 0) % slots;
    while (slot[k].count && memcmp(slot[k].key, key, sizeof key)) k = (k + 1) % slots;
    memcpy(slot[k].key, key, sizeof key);
    nth[i] = slot[k].count++;
  }
  free(slot);
  *o = (Ordinals){g->nodes.n, nth};
  return nth;
}

const char *node_text(const Program *p, const Graph *g, NodeId id, Arena *a) {
  const Node *n = graph_node(g, id);
  if (n->name) return n->name;
  int32_t nth = ordinals_of(p, g)[id];
  const char *op = n->op->name, *at = diag_where(p->diag, a, n->span);
  const char *file = strrchr(at, '/') ? strrchr(at, '/') + 1 : at;
  const char *number = nth ? arena_printf(a, "#%d", nth + 1) : "";
  return arena_printf(a, "%s%s%s%s", op, *file ? "@" : "", file, number);
}

const char *node_label(const Program *p, const Graph *g, NodeId id, Arena *a) {
  const char *name = graph_node(g, id)->name;
  const int32_t nth = name ? ordinals_of(p, g)[id] : 0;
  return nth ? arena_printf(a, "%s#%d", name, nth + 1) : node_text(p, g, id, a);
}

const char *local_label(const Program *p, const LocalEntry *le, NodeId id, Arena *a) {
  const Node *n = graph_node(le->graph, id);
  const NodeId from = id < le->origin.n ? le->origin.at[id] : NO_NODE;
  const bool same =
      n->name && from != NO_NODE && graph_node(le->entry->graph, from)->name == n->name;
  return same ? node_label(p, le->entry->graph, from, a) : node_text(p, le->graph, id, a);
}

const char *node_where(const Program *p, const Node *n) {
  const char *at = diag_where(p->diag, p->arena, n->span);
  if (!n->site.file || n->site.file == n->span.file) return at;
  return arena_printf(p->arena, "%s, called at %s", at, diag_where(p->diag, p->arena, n->site));
}

NodeClass node_class(const Node *n) {
  switch (op_class(n)) {
  case OPC_SOURCE: return CLASS_SOURCE;
  case OPC_VIEW: return CLASS_VIEW;
  case OPC_REDUCE:
  case OPC_SEARCH:
  case OPC_SCAN: return CLASS_REDUCE;
  case OPC_PRODUCT:
  case OPC_CONVOLUTION:
  case OPC_POOL:
  case OPC_MATRIX:
  case OPC_TELL:
  case OPC_SORT: return CLASS_KERNEL;
  case OPC_ADD_ROWS:
  case OPC_ADD_EACH: return CLASS_SCATTER;
  case OPC_EXCHANGE: return CLASS_EXCHANGE;
  default: return CLASS_MAP;
  }
}

NodeId node_base(const Graph *g, NodeId id) {
  while (op_class(graph_node(g, id)) == OPC_VIEW) id = graph_node(g, id)->operand[0];
  return id;
}

NodeId node_base_here(const Graph *g, NodeId id) {
  for (const Node *n = graph_node(g, id); op_class(n) == OPC_VIEW && !op_is(n, OPF_AFTER);
       n = graph_node(g, id))
    id = n->operand[0];
  return id;
}

void regions_mark(const LocalEntry *le, bool *kept) {
  for (int r = 0; r < le->entry->regions.n; r++) {
    const LocalRegion *x = &le->region[r];
    if (x->condition == NO_NODE) continue;
    kept[node_base(le->graph, x->condition)] = true;
    for (int i = 0; i < x->carries.n; i++) {
      kept[x->carries.at[i].node] = true;
      kept[node_base(le->graph, x->carries.at[i].next)] = true;
    }
  }
}

/* What tells a person: OPF_TELLS. */
static void tells_mark(const Graph *g, bool *kept) {
  for (NodeId i = 0; i < g->nodes.n; i++)
    if (op_is(graph_node(g, i), OPF_TELLS)) kept[i] = true;
}

void kept_mark(const LocalEntry *le, bool *kept) {
  const Graph *g = le->graph;
  for (int i = 0; i < le->entry->outputs.n; i++) kept[node_base(g, le->output[i])] = true;
  for (int i = 0; i < le->entry->assigns.n; i++) kept[node_base(g, le->assign[i])] = true;
  tells_mark(g, kept);
  regions_mark(le, kept);
}

NodeId entry_carry_of(const LocalEntry *le, NodeId id) {
  for (int r = 0; r < le->entry->regions.n; r++)
    for (int i = 0; i < le->region[r].carries.n; i++)
      if (node_base(le->graph, le->region[r].carries.at[i].next) == id)
        return le->region[r].carries.at[i].node;
  return NO_NODE;
}

static int larger(const void *x, const void *y) {
  const Buffer *a = *(const Buffer *const *)x, *b = *(const Buffer *const *)y;
  if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
  return (a > b) - (a < b);
}

const Buffer **entry_live(Arena *a, const LocalEntry *le, int t, int *n) {
  const Buffer **list = arena_array(a, const Buffer *, le->buffers.n + 1);
  *n = 0;
  for (int i = 0; i < le->buffers.n; i++) {
    const Buffer *b = &le->buffers.at[i];
    if (b->place == PLACE_ARENA && b->first <= t && t <= b->last) list[(*n)++] = b;
  }
  qsort(list, (size_t)*n, sizeof *list, larger);
  return list;
}

bool *entry_needed(Arena *a, const LocalEntry *le) {
  const Graph *g = le->graph;
  bool *needed = arena_array(a, bool, g->nodes.n + 1);
  for (int i = 0; i < le->entry->outputs.n; i++) needed[le->output[i]] = true;
  for (int i = 0; i < le->entry->assigns.n; i++) needed[le->assign[i]] = true;
  tells_mark(g, needed);
  for (int r = 0; r < le->entry->regions.n; r++) {
    const LocalRegion *x = &le->region[r];
    if (x->condition != NO_NODE) needed[x->condition] = true;
    for (int i = 0; i < x->carries.n; i++)
      needed[x->carries.at[i].node] = needed[x->carries.at[i].next] = true;
  }
  for (NodeId i = g->nodes.n - 1; i >= 0; i--)
    for (int k = 0; needed[i] && k < graph_node(g, i)->noperands; k++)
      needed[graph_node(g, i)->operand[k]] = true;
  return needed;
}

int64_t node_bytes(const Program *p, const Node *n) {
  return layout_bytes(&p->mesh, n->layout, &n->shape, n->dtype);
}

Exchange exchange_at(const Program *p, const Graph *g, const Node *n) {
  return exchange_of(p, graph_operand(g, n, 0)->layout, n->layout, &n->shape, n->dtype);
}

static int first_of(const LocalEntry *le, int segment) {
  int lo = 0, hi = le->steps.n;
  while (lo < hi) {
    const int mid = lo + (hi - lo) / 2;
    if (le->steps.at[mid].segment < segment)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

bool step_in_region(const LocalEntry *le, const Step *s) {
  int depth = 0;
  for (int k = 0; k < s->segment; k++)
    depth += le->bounds.at[k].kind == BOUND_BEGIN ? 1 : le->bounds.at[k].kind == BOUND_END ? -1 : 0;
  return depth > 0;
}

bool step_leaves(const LocalEntry *le, const Step *s, int i) {
  const NodeId id = s->nodes.at[i];
  if (le->tile_bytes[id]) return false;
  return step_in_region(le, s) || le->last_read[id] > (int)(s - le->steps.at);
}

RegionSpan region_span(const LocalEntry *le, int region) {
  RegionSpan s = {0};
  for (int k = 0; k < le->bounds.n; k++) {
    const Bound *b = &le->bounds.at[k];
    if (b->region != region) continue;
    const int at = first_of(le, k + 1);
    if (b->kind == BOUND_BEGIN) s.begin = s.test = at;
    if (b->kind == BOUND_TEST) s.test = at;
    if (b->kind == BOUND_END) s.end = at;
  }
  return s;
}

Turns step_turns(const LocalEntry *le, int step) {
  Turns out = {.times = 1, .known = 1};
  for (int k = le->steps.at[step].segment - 1, closed = 0; k >= 0; k--) {
    const Bound *b = &le->bounds.at[k];
    const Region *r = &le->entry->regions.at[b->region];
    if (b->kind == BOUND_END) closed++;
    if (b->kind != BOUND_BEGIN || (closed > 0 && closed--)) continue;
    if (r->kind != REGION_LOOP) continue;
    if (!out.in_loop) out.as_one = r->as_one;
    out.in_loop = true;
    out.unknown = out.unknown || r->turns == TURNS_UNKNOWN;
    out.times *= region_runs(r);
    if (r->turns != TURNS_UNKNOWN) out.known *= region_runs(r);
  }
  return out;
}

bool same_space(const Node *a, const Node *b) {
  if (!shape_equal(&a->shape, &b->shape)) return false;
  for (int d = 0; d < a->shape.rank; d++)
    if (!dim_equal(&a->layout->dim[d], &b->layout->dim[d])) return false;
  return true;
}

bool plan_rotates(const LocalEntry *le, int buffer) {
  return buffer >= 0 && buffer < le->buffers.n && le->buffers.at[buffer].rotates;
}

bool step_stores(const Step *s, NodeId id) {
  for (int i = 0; i < s->nodes.n; i++)
    if (s->nodes.at[i] == id) return true;
  return false;
}

int lent_input(const LocalEntry *le, NodeId base) {
  for (int i = 0; le->lent && i < le->entry->inputs.n; i++)
    if (le->input[i] == base) return le->lent[i] != NOT_LENT ? i : -1;
  return -1;
}

bool plan_shares_update(const Plan *p, int var) {
  for (int a = 0; a < p->program->mesh.naxes; a++)
    if (p->var_inferred[var].why[a].kind == WHY_SHARED) return true;
  return false;
}
