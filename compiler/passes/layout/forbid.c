/* `forbid gather`: a tensor that is laid out split must not be whole on any device.
 *
 * The choice avoids it: the values of such a tensor have layout tables of their own, in which
 * every way and every exchange that leaves it whole costs CHOICE_FORBIDDEN, so that a plan without
 * is taken if one exists. Remaining gathers are errors, with the op that requires the gather, the
 * statement that forbids it, the reason why the tensor is split, and the cheapest edit without it.
 *
 * A layout is whole if it has no partial axes and every device holds all of every dim; a tensor of
 * one element cannot be split. A reshape holds the same bytes as its operand, so it must not be
 * gathered either. */
#include "choose.h"
#include "graph_passes.h"

static bool any_forbidden(const Program *p, const Entry *e) {
  bool any = p->forbid.file;
  for (int v = 0; v < p->vars.n; v++) any = any || p->vars.at[v].forbid.file;
  for (NodeId i = 0; i < e->graph->nodes.n && !any; i++) any = graph_node(e->graph, i)->forbid.file;
  return any;
}

const Span *forbid_find(const Program *p, const Entry *e) {
  const Graph *g = e->graph;
  if (!p->mesh.naxes || !any_forbidden(p, e)) return NULL;
  Span *by = arena_array(p->arena, Span, g->nodes.n + 1);
  for (int i = 0; i < e->assigns.n; i++) {
    const Var *v = &p->vars.at[e->assigns.at[i].var];
    /* A replicated variable may be computed in parts and gathered. */
    if (!v->layout || layout_axes(v->layout)) by[e->assigns.at[i].node] = v->forbid;
  }
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    Span own = forbid_of(p, n);
    if (own.file) by[i] = own;
    if (!by[i].file && op_class(n) == OPC_VIEW) by[i] = by[n->operand[0]];
    if (node_is_free(n)) by[i] = (Span){0};
  }
  return by;
}

const Guard *forbid_guards(const Program *p, const Entry *e) {
  const Span *by = forbid_find(p, e);
  if (!by) return NULL;
  Guard *guard = arena_array(p->arena, Guard, e->graph->nodes.n + 1);
  for (NodeId i = 0; i < e->graph->nodes.n; i++)
    if (by[i].file && layout_axes(graph_node(e->graph, i)->layout)) guard[i] = GUARD_WHOLE;
  return guard;
}

/* -------- what remains -------- */

/* No way of the op does with less than the whole of node x. */
static bool must_have_whole(const Plan *p, const Choice *c, NodeId op, NodeId x) {
  const Ways *w = c->ways[op];
  const Form *f = &c->routes->forms.at[c->value[x].form];
  for (int k = 0; w && k < w->noperands; k++) {
    bool always = c->operand[op][k] == x;
    for (int i = 0; i < w->need[k].n && always; i++)
      always = layout_is_whole(&p->program->mesh, f->layouts.at[w->need[k].layout[i]], &f->shape);
    if (always) return true;
  }
  return false;
}

/* The op that reads local node id: the first that cannot do without it, else the first. */
static NodeId find_reader(const Plan *p, const LocalEntry *le, NodeId id, NodeId node) {
  NodeId first = NO_NODE;
  for (NodeId r = id + 1; r < le->graph->nodes.n; r++) {
    const Node *n = graph_node(le->graph, r);
    for (int k = 0; k < n->noperands; k++) {
      if (n->operand[k] != id) continue;
      NodeId by = n->op == OP_exchange ? le->cause.at[r] : le->origin.at[r];
      if (by == NO_NODE || by == node) continue;
      if (must_have_whole(p, le->choice, by, node)) return by;
      if (first == NO_NODE) first = by;
    }
  }
  return first;
}

/* What requires local node id: an output, an assignment, an op, or only the op itself. */
static void find_asker(const Plan *p, const LocalEntry *le, NodeId id, Forbidden *f) {
  const Entry *e = le->entry;
  NodeId cause = le->cause.at[id];
  f->consumer = f->node, f->output = f->assign = -1;
  for (int i = 0; i < e->outputs.n && f->output < 0; i++)
    if (le->output[i] == id && e->outputs.at[i].node == f->node) f->output = i;
  for (int i = 0; i < e->assigns.n && f->assign < 0 && f->output < 0; i++)
    if (le->assign[i] == id && e->assigns.at[i].node == f->node) f->assign = i;
  if (f->output >= 0 || f->assign >= 0) return;
  NodeId reader = find_reader(p, le, id, f->node);
  if (reader != NO_NODE && must_have_whole(p, le->choice, reader, f->node))
    f->consumer = reader;
  else if (cause != NO_NODE && cause != f->node)
    f->consumer = cause;
  else if (reader != NO_NODE)
    f->consumer = reader;
}

static void look_through(Plan *p, const LocalEntry *le) {
  const Graph *g = le->entry->graph;
  const Span *by = forbid_find(p->program, le->entry);
  if (!by) return;
  bool *told = arena_array(p->arena, bool, g->nodes.n + 1);
  for (NodeId i = 0; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    NodeId origin = le->origin.at[i];
    if (!by[origin].file || told[origin] || !layout_axes(graph_node(g, origin)->layout)) continue;
    if (!layout_is_whole(&p->program->mesh, n->layout, &n->shape)) continue;
    Forbidden f = {.entry = le->index, .node = origin, .by = by[origin]};
    told[origin] = true;
    find_asker(p, le, i, &f);
    vec_push(p->arena, &p->forbidden, f);
  }
}

/* -------- telling -------- */

static const char *text_of(const Plan *p, const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  if (n->op == OP_var) return p->program->vars.at[node_source(n)].path;
  if (n->name) return n->name;
  return arena_printf(p->arena, "the result of `%s`", op_written(n->op));
}

static Reason reason(const Plan *p, TensorId t, int axis) {
  if (t.kind == TENSOR_VAR) return p->var_inferred[t.index].why[axis];
  if (t.kind == TENSOR_NODE) {
    const Node *n = graph_node(p->program->entries.at[t.entry].graph, t.index);
    if (n->op == OP_var) return p->var_inferred[node_source(n)].why[axis];
    return p->inferred[t.entry][t.index]->why[axis];
  }
  const Spec *s = p->program->entries.at[t.entry].outputs.at[t.index].spec;
  return (Reason){.kind = s ? WHY_ANNOTATED : WHY_NOTHING, .said = s ? s->span : (Span){0}};
}

/* Invariant of Reason: a chain ends. */
static void tell_why(const Plan *p, const Forbidden *f, const char *what) {
  const Layout *l = graph_node(p->program->entries.at[f->entry].graph, f->node)->layout;
  for (int a = 0; a < p->program->mesh.naxes; a++) {
    if (!(layout_axes(l) & 1u << a)) continue;
    TensorId t = {TENSOR_NODE, f->entry, f->node};
    Reason r = reason(p, t, a);
    bool own = r.kind == WHY_ANNOTATED;
    while (r.kind == WHY_FROM) r = reason(p, r.from, a);
    if (r.kind != WHY_ANNOTATED) continue;
    diag_note(p->program->diag, r.said, "%s is split over %s: %s", what,
              p->program->mesh.axis[a].name,
              own ? "annotated here" : "inferred from this annotation");
  }
}

/* One op may take several such tensors: it is told of once. */
static bool told_before(const Plan *p, const Forbidden *f) {
  for (const Forbidden *o = p->forbidden.at; o < f; o++) {
    const Node *x = graph_node(p->program->entries.at[o->entry].graph, o->consumer);
    const Node *y = graph_node(p->program->entries.at[f->entry].graph, f->consumer);
    if (o->output < 0 && f->output < 0 && o->assign < 0 && f->assign < 0 &&
        x->span.file == y->span.file && x->span.begin == y->span.begin &&
        x->site.begin == y->site.begin && o->by.begin == f->by.begin)
      return true;
  }
  return false;
}

static void tell(const Plan *p, const Forbidden *f) {
  const Entry *e = &p->program->entries.at[f->entry];
  const Node *n = graph_node(e->graph, f->node), *consumer = graph_node(e->graph, f->consumer);
  const char *what = text_of(p, e->graph, f->node);
  const char *lies = layout_text(p->arena, &p->program->mesh, n->layout);
  Diag *d = p->program->diag;
  Span site = {0};
  if (f->output >= 0) {
    diag_error(
        d, e->outputs.at[f->output].span,
        "the output %s of %s is whole on every device, but %s is laid out split, %s, and must not "
        "be gathered",
        e->outputs.at[f->output].name, e->name, what, lies);
  } else if (f->assign >= 0) {
    diag_error(
        d, e->assigns.at[f->assign].span,
        "%s is whole on every device, but the value assigned to it is laid out split, %s, and "
        "must not be gathered",
        p->program->vars.at[e->assigns.at[f->assign].var].path, lies);
  } else if (f->consumer == f->node) {
    diag_error(
        d, n->span,
        "`%s` would be computed whole on every device, but %s is laid out split, %s, and must not "
        "be gathered",
        op_written(n->op), what, lies);
    site = n->site;
  } else {
    diag_error(
        d, consumer->span,
        "`%s` requires all of %s on every device, but it is laid out split, %s, and must not "
        "be gathered",
        op_written(consumer->op), what, lies);
    site = consumer->site;
  }
  if (site.file) diag_note(d, site, "called here");
  diag_note(d, f->by, "`forbid gather` is here");
  tell_why(p, f, what);
  if (f->cure) diag_note(d, f->cure_at, "%s", f->cure);
}

void forbid(Plan *p) {
  for (int e = 0; e < p->entries.n; e++) look_through(p, &p->entries.at[e]);
  if (!p->forbidden.n || p->lists_forbidden) return;
  if (p->cure) p->cure(p->cure_user, p);
  for (int i = 0; i < p->forbidden.n; i++)
    if (!told_before(p, &p->forbidden.at[i])) tell(p, &p->forbidden.at[i]);
}
