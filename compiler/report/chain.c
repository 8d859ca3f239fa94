/* Why an axis splits a tensor, followed back to a line that the user wrote: tensor <- tensor <-
 * ... <- annotation. Invariant: a tensor had the axis before it gave it, so a chain ends. */
#include "report.h"
#include <string.h>

const char *tensor_text(const Plan *p, TensorId t) {
  const Program *g = p->program;
  if (t.kind == TENSOR_VAR) return g->vars.at[t.index].path;
  const Entry *e = &g->entries.at[t.entry];
  if (t.kind == TENSOR_OUTPUT) return e->outputs.at[t.index].name;
  const Node *n = graph_node(e->graph, t.index);
  return n->op == OP_var ? g->vars.at[node_source(n)].path
                         : node_text(p->program, e->graph, t.index, p->arena);
}

bool tensor_is_named(const Plan *p, TensorId t) {
  return t.kind != TENSOR_NODE || graph_node(p->program->entries.at[t.entry].graph, t.index)->name;
}

bool tensor_equal(TensorId a, TensorId b) {
  return a.kind == b.kind && a.index == b.index && (a.kind == TENSOR_VAR || a.entry == b.entry);
}

TensorId tensor_of_node(const Plan *p, int entry, NodeId id) {
  const Node *n = graph_node(p->program->entries.at[entry].graph, id);
  if (n->op == OP_var) return (TensorId){TENSOR_VAR, 0, node_source(n)};
  return (TensorId){TENSOR_NODE, entry, id};
}

const Spec *tensor_spec(const Plan *p, TensorId t) {
  const Program *g = p->program;
  if (t.kind == TENSOR_VAR) return g->vars.at[t.index].spec;
  const Entry *e = &g->entries.at[t.entry];
  return t.kind == TENSOR_OUTPUT ? e->outputs.at[t.index].spec
                                 : graph_node(e->graph, t.index)->spec;
}

const Layout *tensor_layout(const Plan *p, TensorId t) {
  const Program *g = p->program;
  if (t.kind == TENSOR_VAR) return g->vars.at[t.index].layout;
  const Entry *e = &g->entries.at[t.entry];
  return t.kind == TENSOR_OUTPUT ? e->outputs.at[t.index].layout
                                 : graph_node(e->graph, t.index)->layout;
}

/* An output is the source of an axis only if it is annotated. */
Reason reason_of(const Plan *p, TensorId t, int axis) {
  if (t.kind == TENSOR_VAR) return p->var_inferred[t.index].why[axis];
  if (t.kind == TENSOR_NODE) return p->inferred[t.entry][t.index]->why[axis];
  const Spec *s = tensor_spec(p, t);
  if (s) return (Reason){.kind = WHY_ANNOTATED, .said = s->span};
  const Output *o = &p->program->entries.at[t.entry].outputs.at[t.index];
  const Layout *inferred = graph_node(p->program->entries.at[t.entry].graph, o->node)->layout;
  int d = layout_dim_cut(o->layout, axis);
  bool own = d >= 0 && d != layout_dim_cut(inferred, axis);
  return (Reason){.kind = own ? WHY_CHEAPEST : WHY_NOTHING};
}

/* Of the named tensors passed, the last two by different names: what is near to the root is what
 * the user knows. */
static void pass(const Plan *p, Chain *c, TensorId t) {
  if (!tensor_is_named(p, t)) return;
  if (c->through[0] && !strcmp(c->through[0], tensor_text(p, t))) return;
  c->through[1] = c->through[0];
  c->through[0] = tensor_text(p, t);
}

enum { MOST_HOPS = 1 << 20 }; /* against a cycle, which the invariant forbids */

Chain chain_of(const Plan *p, TensorId t, int axis) {
  Chain c = {.axis = axis, .first = {t, reason_of(p, t, axis)}};
  c.last = c.first;
  while (c.last.why.kind == WHY_FROM && c.hops < MOST_HOPS) {
    if (c.hops > 1) pass(p, &c, c.last.tensor);
    t = c.last.why.from;
    c.last = (ChainHop){t, reason_of(p, t, axis)};
    c.hops++;
  }
  return c;
}

/* -------- as text -------- */

static void put_link(const Plan *p, const Reason *r, Str *out) {
  const Program *g = p->program;
  str_printf(out, "from %s", tensor_text(p, r->from));
  if (r->op == NO_NODE) {
    str_printf(out, ", its value in entry %s", g->entries.at[r->entry].name);
    return;
  }
  const Node *n = graph_node(g->entries.at[r->entry].graph, r->op);
  const char *at = node_where(g, n);
  str_printf(out, " by %s%s%s", n->op->name, *at ? " at " : "", at);
}

static void put_end(const Plan *p, const Reason *r, Str *out) {
  if (r->kind == WHY_ANNOTATED)
    str_printf(out, "annotated at %s", report_where(p, r->said));
  else if (r->kind == WHY_KEPT)
    str_puts(out, "kept from the program that this one is a variant of");
  else if (r->kind == WHY_SHARED)
    str_puts(out, "chosen by updates: shared weight update, since no layout is given");
  else if (r->kind == WHY_CHEAPEST)
    str_puts(out, "chosen by cost, since no layout is given");
  else
    str_puts(out, "unknown");
}

static void put_through(const Plan *p, const Chain *c, Str *out) {
  const char *told[3] = {tensor_text(p, c->first.tensor), tensor_text(p, c->first.why.from),
                         tensor_text(p, c->last.tensor)};
  bool any = false;
  for (int i = 1; i >= 0; i--) {
    bool again = !c->through[i];
    for (int k = 0; k < 3 && !again; k++) again = !strcmp(c->through[i], told[k]);
    if (!again) str_printf(out, "%s%s", any ? ", " : ", through ", c->through[i]);
    any = any || !again;
  }
}

void chain_put(const Plan *p, const Chain *c, Str *out) {
  if (c->hops > 0) {
    put_link(p, &c->first.why, out);
    str_puts(out, " <- ");
  }
  if (c->hops > 1) str_printf(out, "%s, ", tensor_text(p, c->last.tensor));
  put_end(p, &c->last.why, out);
  if (c->hops > 1) {
    str_printf(out, " (%d ops", c->hops);
    put_through(p, c, out);
    str_puts(out, ")");
  }
}

void chain_put_whole(const Plan *p, const Chain *c, const char *indent, Str *out) {
  static const char *const won[] = {[WON_ALONE] = "",
                                    [WON_LONGEST] = "  (the longest list there)",
                                    [WON_LARGEST] = "  (the largest tensor where lists disagree)"};
  for (ChainHop h = c->first;; h = (ChainHop){h.why.from, reason_of(p, h.why.from, c->axis)}) {
    str_printf(out, "%s%s: ", indent, tensor_text(p, h.tensor));
    if (h.why.kind == WHY_FROM)
      put_link(p, &h.why, out), str_puts(out, won[h.why.won]);
    else
      put_end(p, &h.why, out);
    str_puts(out, "\n");
    if (h.why.kind != WHY_FROM) return;
  }
}

static void put_axis(const Plan *p, TensorId t, int axis, const char *before, Str *out) {
  Chain c = chain_of(p, t, axis);
  str_printf(out, "%s%s: ", before, p->program->mesh.axis[axis].name);
  chain_put(p, &c, out);
}

void chain_put_tensor(const Plan *p, TensorId t, const Layout *l, Str *out) {
  const Spec *spec = tensor_spec(p, t);
  bool any = false;
  for (int d = 0; d < l->rank; d++)
    for (int i = 0; i < l->dim[d].naxes; i++, any = true)
      put_axis(p, t, l->dim[d].axis[i], any ? "; " : "", out);
  for (int a = 0; a < p->program->mesh.naxes; a++)
    if (l->partial & 1u << a) put_axis(p, t, a, any ? "; partial " : "partial ", out), any = true;
  if (any) return;
  if (spec && !spec->open)
    str_printf(out, "replicated: annotated at %s", report_where(p, spec->span));
  else
    str_puts(out, "replicated: nothing splits it");
}
