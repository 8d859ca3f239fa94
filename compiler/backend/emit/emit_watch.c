/* Tables of what each step makes, for checks that look at every value as soon as it is there
 * (dtrt_watch): where it lies, how, what it was made from, and how far its rounding may go. The
 * code of the steps is the same with and without them.
 *
 * Also what leaves an exchange out, so that it can be seen whether anybody notices. */
#include "emit.h"
#include <math.h>
#include <string.h>

/* -------- leaving an exchange out -------- */

/* Exchanges of an entry that steps do, before node `id`. */
static long exchanges_before(Arena *a, const LocalEntry *le, NodeId id) {
  bool *done = arena_array(a, bool, le->graph->nodes.n + 1);
  long n = 0;
  for (int t = 0; t < le->steps.n; t++)
    for (int i = 0; le->steps.at[t].kind == STEP_EXCHANGE && i < le->steps.at[t].nodes.n; i++)
      done[le->steps.at[t].nodes.at[i]] = true;
  for (NodeId i = 0; i < id; i++) n += done[i];
  return n;
}

/* Of all entries in front of number `entries`. */
static long exchanges_of(Arena *a, const Plan *plan, int entries) {
  long n = 0;
  for (int i = 0; i < entries; i++)
    n += exchanges_before(a, &plan->entries.at[i], plan->entries.at[i].graph->nodes.n);
  return n;
}

long emit_exchanges(Arena *a, const Plan *plan) { return exchanges_of(a, plan, plan->entries.n); }

bool emit_is_dropped(const Emit *e, NodeId id) {
  if (!e->options->drop_exchange || e->plan->single) return false;
  const int entry = (int)(e->le - e->plan->entries.at);
  return exchanges_of(e->arena, e->plan, entry) + exchanges_before(e->arena, e->le, id) + 1 ==
         e->options->drop_exchange;
}

/* -------- values -------- */

typedef struct WatchedValues {
  Emit *e;
  const Graph *g;
  int *step;         /* by node: after which it is there, or -1 */
  int *index;        /* by node: in the table, or -1 */
  const int *region; /* by node */
  double *moved;     /* by node: its rounding, with what sums that read it do to it */
  NodeVec list;
} WatchedValues;

static void find_steps(WatchedValues *v) {
  const LocalEntry *le = v->e->le;
  for (NodeId i = 0; i < v->g->nodes.n; i++) v->step[i] = v->index[i] = -1;
  for (int t = 0; t < le->steps.n; t++)
    for (int i = 0; i < le->steps.at[t].nodes.n; i++) v->step[le->steps.at[t].nodes.at[i]] = t;
}

static void list_value(WatchedValues *v, NodeId id) {
  const LocalEntry *le = v->e->le;
  NodeId base = node_base(v->g, id);
  if (v->index[id] >= 0 || le->buffer[base] < 0 || le->tile_bytes[base]) return;
  v->index[id] = v->list.n;
  vec_push(v->e->arena, &v->list, id);
}

/* Inputs and variables, then what the steps make, and under it names for views of it. */
static void list_values(WatchedValues *v) {
  const LocalEntry *le = v->e->le;
  int n = v->g->nodes.n, *view = arena_array(v->e->arena, int, n + 1),
      *next = arena_array(v->e->arena, int, n + 1);
  for (NodeId i = n - 1; i >= 0; i--) {
    NodeId base = node_base(v->g, i);
    if (op_is(graph_node(v->g, base), OPF_CARRY)) continue; /* behind its region it is another */
    if (base != i && graph_node(v->g, i)->name) next[i] = view[base], view[base] = i + 1;
  }
  for (NodeId i = 0; i < n; i++)
    if (node_class(graph_node(v->g, i)) == CLASS_SOURCE) list_value(v, i);
  for (int t = 0; t < le->steps.n; t++)
    for (int i = 0; i < le->steps.at[t].nodes.n; i++) {
      NodeId id = le->steps.at[t].nodes.at[i];
      if (v->step[id] != t) continue; /* an exchange that is awaited later */
      list_value(v, id);
      for (int k = view[id]; k; k = next[k - 1]) v->step[k - 1] = t, list_value(v, k - 1);
    }
}

/* A value that is not stored passes what its readers do on to its operands. */
static void find_rounding(WatchedValues *v) {
  for (NodeId i = v->g->nodes.n - 1; i >= 0; i--) {
    const Node *n = graph_node(v->g, i);
    if (n->op == OP_exchange) {
      if (v->moved[n->operand[0]] < v->moved[i]) v->moved[n->operand[0]] = v->moved[i];
      continue;
    }
    Rounding r = op_rounding(v->g, n);
    bool stored = v->e->le->stored[i];
    v->moved[i] += r.result;
    double back = stored ? r.operands : fmax(r.operands, v->moved[i]);
    for (int k = 0; k < n->noperands; k++)
      if (v->moved[n->operand[k]] < back) v->moved[n->operand[k]] = back;
  }
}

static const char *kind_of(const Graph *g, const Node *n) {
  if (n->op == OP_exchange) { /* one that sums makes values, others bring them */
    const Layout *from = graph_operand(g, n, 0)->layout;
    bool sums = from->reduce == RED_SUM || from->reduce == RED_PROD;
    return sums && from->partial & ~n->layout->partial ? "DTRT_EXCHANGED" : "DTRT_MOVED";
  }
  if (op_is(n, OPF_EXTREME)) return "DTRT_MIN_MAX";
  if (op_is(n, OPF_MOVES)) return "DTRT_MOVED"; /* an infinite constant is meant so */
  return op_is(n, OPF_ELEMENTWISE) ? "DTRT_OF_ELEMENT" : "DTRT_OF_MANY";
}

static const char *text_of(Emit *e, NodeId id) {
  const Node *n = graph_node(e->le->graph, id);
  const char *name = e->assigned[node_base(e->le->graph, id)];
  size_t len = strlen(e->le->entry->name);
  bool own = n->name && !strncmp(n->name, e->le->entry->name, len) && n->name[len] == '.';
  if (n->name) return own ? n->name + len + 1 : n->name;
  return name && n->op != OP_var
             ? arena_printf(e->arena, "%s, new", name)
             : node_text(e->program, e->le->entry->graph, e->le->origin.at[id], e->arena);
}

static void put_operands(WatchedValues *v, Str *out, const char *table, NodeId id) {
  const Node *n = graph_node(v->g, id);
  str_printf(out, "static const dtrt_operand %s[] = {", table);
  for (int k = 0; k < n->noperands; k++) {
    const Node *x = graph_operand(v->g, n, k);
    NodeId base = node_base(v->g, n->operand[k]);
    int at = v->index[n->operand[k]] >= 0 ? v->index[n->operand[k]] : v->index[base];
    str_printf(out, "%s{%d, %d, %.17g, ", k ? ", " : "", at,
               !node_is_const(x)    ? 0
               : isfinite(x->value) ? 1
                                    : 2,
               node_is_const(x) && isfinite(x->value) ? x->value : 0);
    emit_string(out, text_of(v->e, n->operand[k]));
    str_puts(out, "}");
  }
  str_puts(out, "};\n");
}

static const char *op_text(Emit *e, const Node *n) {
  const Graph *g = e->le->graph;
  if (n->op != OP_exchange) return op_written(n->op);
  Exchange ex = exchange_at(e->program, g, n);
  return arena_printf(e->arena, "%s%s%s", exchange_name(ex.kind), ex.axes ? " over " : "",
                      axes_text(e->arena, e->mesh, ex.axes));
}

static void put_value(WatchedValues *v, Str *out, int i, const char *operands) {
  Emit *e = v->e;
  NodeId id = v->list.at[i], base = node_base(v->g, id);
  const Node *n = graph_node(v->g, id);
  const Buffer *b = &e->le->buffers.at[e->le->buffer[base]];
  str_puts(out, "    {");
  emit_string(out, text_of(e, id));
  str_puts(out, ", ");
  emit_string(out, op_text(e, n));
  str_puts(out, ", ");
  emit_string(out, node_where(e->program, n));
  const Entry *en = e->le->entry;
  /* In a loop a value is another in each run, and has no equal in the other run to compare with. */
  const Node *of = graph_node(en->graph, e->le->origin.at[id]);
  /* What has the ends of another tensor around it is not that tensor. */
  int tag = v->region[id] == NO_REGION && shape_equal(&n->shape, &of->shape) ? of->tag : 0;
  str_printf(out, ", %d, %d, %d, %s, %s, %d, %d, %ld, &%s, %.17g, %d, %s},\n", tag, id, v->step[id],
             dtype_constant(n->dtype), kind_of(v->g, n), lent_input(e->le, base),
             b->place == PLACE_VAR, (long)b->offset, emit_layout(e, n->layout, &n->shape),
             v->moved[id], n->noperands, n->noperands ? operands : "0");
}

void emit_values(Emit *e, Str *tables, Str *row, const char *id) {
  if (!e->options->values) {
    str_puts(row, "0, 0");
    return;
  }
  int n = e->le->graph->nodes.n;
  WatchedValues v = {.e = e,
                     .g = e->le->graph,
                     .step = arena_array(e->arena, int, n + 1),
                     .index = arena_array(e->arena, int, n + 1),
                     .region = regions_find(e->arena, e->le->entry, e->le->graph),
                     .moved = arena_array(e->arena, double, n + 1)};
  Str rows = str_new(e->arena);
  find_steps(&v);
  list_values(&v);
  find_rounding(&v);
  for (int i = 0; i < v.list.n; i++) {
    const char *operands = arena_printf(e->arena, "%s_operands_%d", id, i);
    if (graph_node(v.g, v.list.at[i])->noperands) put_operands(&v, tables, operands, v.list.at[i]);
    put_value(&v, &rows, i, operands);
  }
  if (v.list.n) str_printf(tables, "static const dtrt_value %s_values[] = {\n%s};\n", id, rows.at);
  str_printf(row, v.list.n ? "%d, %s_values" : "%d, 0", v.list.n, id);
}
