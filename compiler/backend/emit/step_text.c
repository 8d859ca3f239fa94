/* What steps and exchanges are, for tables, comments and messages. */
#include "emit.h"

/* -------- exchanges -------- */

void emit_exchange(Emit *e, NodeId id, int number) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0);
  Exchange ex = exchange_at(e->program, g, n);
  const char *from = emit_layout(e, x->layout, &n->shape),
             *to = emit_layout(e, n->layout, &n->shape);
  const char *what = arena_printf(e->arena, "%s, %s, 0x%x, &%s, &%s", emit_kind(ex.kind),
                                  dtype_constant(n->dtype), ex.axes, from, to);
  str_printf(&e->tables, "static const dtrt_exchange exchange_%d = {%d, %s,\n    ", number, number,
             what);
  emit_string(&e->tables, node_called(x));
  str_puts(&e->tables, ", ");
  emit_string(&e->tables, node_where(e->program, n));
  str_printf(&e->tables, ", %lld, %lld, %lld, %d};\n", (long long)ex.bytes, (long long)ex.senders,
             (long long)ex.run, e->le->borders && e->le->borders[id]);
  if (number >= e->nexchanges) e->nexchanges = number + 1;
}

/* -------- steps -------- */

static const char *global_name(Emit *e, NodeId id) {
  const Node *n = graph_node(e->le->graph, id);
  if (n->name) return n->name;
  return node_text(e->program, e->le->entry->graph, e->le->origin.at[id], e->arena);
}

/* Of a constant without a name its number. */
static const char *operand_text(Emit *e, NodeId id) {
  const Node *n = graph_node(e->le->graph, id);
  if (n->name || !node_is_const(n)) return global_name(e, id);
  return n->dtype == DT_U64       ? arena_printf(e->arena, "%llu", (unsigned long long)n->whole)
         : dtype_is_int(n->dtype) ? arena_printf(e->arena, "%lld", (long long)n->whole)
                                  : arena_printf(e->arena, "%.7g", n->value);
}

/* What a step is, for comments, messages and profiles: "h = contract(x, model.d1.w)". */
static const char *step_text(Emit *e, const Step *s) {
  bool exchanges = step_moves(s);
  Str t = str_new(e->arena);
  for (int i = 0; i < s->nodes.n && i < 4; i++) {
    const Node *n = graph_node(e->le->graph, s->nodes.at[i]);
    const char *to = e->assigned[s->nodes.at[i]];
    str_puts(&t, i ? ", " : "");
    if (exchanges || to || n->name) str_puts(&t, to ? to : global_name(e, s->nodes.at[i]));
    if (exchanges) continue;
    str_printf(&t, "%s%s(", to ? " <- " : n->name ? " = " : "", n->op->name);
    for (int k = 0; k < n->noperands && k < 4; k++)
      str_printf(&t, "%s%s", k ? ", " : "", operand_text(e, n->operand[k]));
    str_puts(&t, n->noperands > 4 ? ", ...)" : ")");
  }
  if (s->nodes.n > 4) str_printf(&t, " and %d more", s->nodes.n - 4);
  if (!exchanges) return t.at;
  const Node *n = graph_node(e->le->graph, s->nodes.at[0]);
  Exchange x = exchange_at(e->program, e->le->graph, n);
  const char *part = s->kind == STEP_WAIT ? "wait for " : s->slot ? "start of " : "";
  return arena_printf(e->arena, x.axes ? "%s%s over %s: %s" : "%s%s%s: %s", part,
                      exchange_name(x.kind), axes_text(e->arena, e->mesh, x.axes), t.at);
}

/* Variables by the nodes that are their new values. */
static void find_assigned(Emit *e, const LocalEntry *le) {
  e->assigned = arena_array(e->arena, const char *, le->graph->nodes.n + 1);
  for (int i = le->entry->assigns.n - 1; i >= 0; i--)
    e->assigned[node_base(le->graph, le->assign[i])] =
        e->program->vars.at[le->entry->assigns.at[i].var].path;
}

void emit_begin_entry(Emit *e, const LocalEntry *le) {
  StepText *text = arena_array(e->arena, StepText, le->steps.n + 1);
  e->le = le;
  find_assigned(e, le);
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    const Node *last = graph_node(le->graph, s->nodes.at[s->nodes.n - 1]);
    text[t] = (StepText){step_text(e, s), node_where(e->program, last)};
  }
  e->text = text;
}
