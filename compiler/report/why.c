/* --why NAME: where a tensor's layout comes from, who proposed another, which versions of it exist
 * on a device and what they cost. */
#include "why.h"
#include "layout_passes.h"
#include <stdlib.h>
#include <string.h>

typedef struct Why {
  const Plan *p;
  const Mesh *mesh;
  TensorId t;
  Str *out;
  int refused, agreed;
} Why;

/* -------- proposals -------- */

typedef struct Proposal {
  TensorId by;
  int entry;
  NodeId op; /* NO_NODE: an assignment or an output */
  int dim;
  Cut wants, has;
} Proposal;

static const char *cut_text(const Why *w, const Cut *c) {
  Str s = str_new(w->p->arena);
  str_puts(&s, c->naxes > 1 ? "(" : "");
  for (int i = 0; i < c->naxes; i++)
    str_printf(&s, "%s%s", i ? ", " : "", w->mesh->axis[c->axis[i]].name);
  str_puts(&s, c->naxes > 1 ? ")" : "");
  return s.at;
}

static int common(const Cut *a, const Cut *b) {
  int n = 0;
  while (n < a->naxes && n < b->naxes && a->axis[n] == b->axis[n]) n++;
  return n;
}

/* The first rule of propagate's that explains why the proposal did not win. */
static void put_refusal(const Why *w, const Proposal *x) {
  const Layout *l = tensor_layout(w->p, w->t);
  const Spec *spec = tensor_spec(w->p, w->t);
  int at = common(&x->wants, &x->has), axis = x->wants.axis[at];
  int elsewhere = layout_dim_cut(l, axis);
  if (elsewhere == x->dim) elsewhere = -1;
  if (spec && !(spec->open & 1u << x->dim)) {
    str_printf(w->out, "the dim is fixed, annotated at %s", report_where(w->p, spec->span));
  } else if (elsewhere >= 0) {
    Chain c = chain_of(w->p, w->t, axis);
    str_printf(w->out, "%s already splits its dim %d, ", w->mesh->axis[axis].name, elsewhere);
    chain_put(w->p, &c, w->out);
  } else if (at < x->has.naxes) {
    Reason had = reason_of(w->p, w->t, x->has.axis[at]);
    str_printf(
        w->out, "the dim is already split by %s, and axis lists that disagree are not merged%s",
        cut_text(w, &x->has), had.won == WON_LARGEST ? ": that of the largest tensor wins" : "");
  } else {
    str_puts(w->out,
             "inference order: broadcasts go forward only, reductions and shifts come last, and an "
             "axis in use elsewhere in the op is not imposed");
  }
}

static void propose(Why *w, const Proposal *x, bool *begun) {
  int same = common(&x->wants, &x->has);
  if (same == x->wants.naxes) {
    if (x->wants.naxes) w->agreed++;
    return;
  }
  if (!*begun) str_puts(w->out, "  rejected proposals\n");
  *begun = true;
  w->refused++;
  str_printf(w->out, "    %s on dim %d, by %s", cut_text(w, &x->wants), x->dim,
             tensor_text(w->p, x->by));
  if (x->op == NO_NODE) {
    str_printf(w->out, ", its value in entry %s: ", w->p->program->entries.at[x->entry].name);
  } else {
    const Node *n = graph_node(w->p->program->entries.at[x->entry].graph, x->op);
    const char *at = node_where(w->p->program, n);
    str_printf(w->out, " through %s%s%s: ", n->op->name, *at ? " at " : "", at);
  }
  put_refusal(w, x);
  str_puts(w->out, "\n");
}

typedef struct OpTensor {
  TensorId t;
  const RuleDim *dims;
  const Layout *layout;
  int rank;
  bool takes_part;
} OpTensor;

static OpTensor op_tensor(const Why *w, int e, NodeId op, const Rule *r, int i) {
  const Graph *g = w->p->program->entries.at[e].graph;
  const Node *n = graph_node(g, op);
  bool result = i == n->noperands;
  NodeId id = result ? op : n->operand[i];
  const Node *x = graph_node(g, id);
  return (OpTensor){tensor_of_node(w->p, e, id), result ? r->result : r->operand[i], x->layout,
                    x->shape.rank, result || !(x->op->flags & OPF_FREE)};
}

static void proposals_of_op(Why *w, int e, NodeId op, bool *begun) {
  const Graph *g = w->p->program->entries.at[e].graph;
  const Node *n = graph_node(g, op);
  Rule r;
  bool about = false;
  if (op_is(n, OPF_LAYOUT) || !n->noperands) return;
  for (int i = 0; i <= n->noperands; i++)
    about =
        about || tensor_equal(tensor_of_node(w->p, e, i < n->noperands ? n->operand[i] : op), w->t);
  if (!about) return;
  rule_of(g, n, &r, w->p->arena);
  for (int i = 0; i <= n->noperands; i++) {
    OpTensor me = op_tensor(w, e, op, &r, i);
    if (!tensor_equal(me.t, w->t)) continue;
    for (int k = 0; k <= n->noperands; k++) {
      OpTensor other = op_tensor(w, e, op, &r, k);
      if (k == i || !other.takes_part || tensor_equal(other.t, w->t)) continue;
      for (int d = 0; d < me.rank; d++)
        for (int j = 0; j < me.dims[d].n; j++)
          for (int d2 = 0; d2 < other.rank; d2++) {
            Proposal x = {.by = other.t, .entry = e, .op = op, .dim = d};
            int f = me.dims[d].factor[j];
            if (r.factor[f].kind == FACTOR_WHOLE || r.factor[f].size <= 1 ||
                !cut_of(w->mesh, &r, &other.dims[d2], &other.layout->dim[d2], f, &x.wants) ||
                !cut_of(w->mesh, &r, &me.dims[d], &me.layout->dim[d], f, &x.has))
              continue;
            propose(w, &x, begun);
          }
    }
    break; /* an op that reads it twice proposes the same twice */
  }
}

static void proposal_of_equal(Why *w, int e, TensorId a, TensorId b, bool *begun) {
  TensorId other = tensor_equal(a, w->t) ? b : a;
  if (!tensor_equal(a, w->t) && !tensor_equal(b, w->t)) return;
  const Layout *mine = tensor_layout(w->p, w->t), *l = tensor_layout(w->p, other);
  for (int d = 0; d < mine->rank; d++) {
    Proposal x = {.by = other, .entry = e, .op = NO_NODE, .dim = d};
    x.wants.naxes = l->dim[d].naxes, x.has.naxes = mine->dim[d].naxes;
    memcpy(x.wants.axis, l->dim[d].axis, sizeof x.wants.axis);
    memcpy(x.has.axis, mine->dim[d].axis, sizeof x.has.axis);
    propose(w, &x, begun);
  }
}

static void put_proposals(Why *w) {
  const Program *g = w->p->program;
  bool begun = false;
  for (int e = 0; e < g->entries.n; e++) {
    const Entry *en = &g->entries.at[e];
    if (w->t.kind != TENSOR_VAR && w->t.entry != e) continue;
    for (NodeId i = 0; i < en->graph->nodes.n; i++) proposals_of_op(w, e, i, &begun);
    for (int i = 0; i < en->assigns.n; i++)
      proposal_of_equal(w, e, tensor_of_node(w->p, e, en->assigns.at[i].node),
                        (TensorId){TENSOR_VAR, 0, en->assigns.at[i].var}, &begun);
    for (int i = 0; i < en->outputs.n; i++)
      if (en->outputs.at[i].spec)
        proposal_of_equal(w, e, tensor_of_node(w->p, e, en->outputs.at[i].node),
                          (TensorId){TENSOR_OUTPUT, e, i}, &begun);
  }
  str_printf(w->out, "  %d neighbor%s agree%s with its axes, %d proposed others\n", w->agreed,
             w->agreed == 1 ? "" : "s", w->agreed == 1 ? "s" : "", w->refused);
}

/* -------- versions -------- */

static void put_readers(const Why *w, const LocalEntry *le, NodeId id) {
  int shown = 0, more = 0;
  NodeId last = NO_NODE;
  for (NodeId i = id + 1; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    bool reads = false;
    for (int k = 0; k < n->noperands; k++) reads = reads || n->operand[k] == id;
    if (!reads || n->op == OP_exchange || le->origin.at[i] == last) continue;
    last = le->origin.at[i];
    if (shown == 6) {
      more++;
      continue;
    }
    str_printf(w->out, "%s%s", shown++ ? ", " : "      read by ",
               report_value(w->p, le->entry, last));
  }
  if (more) str_printf(w->out, " and %d more", more);
  if (shown) str_puts(w->out, "\n");
  const Entry *e = le->entry;
  for (int i = 0; i < e->assigns.n; i++)
    if (le->assign[i] == id)
      str_printf(w->out, "      is the new value of %s\n",
                 w->p->program->vars.at[e->assigns.at[i].var].path);
  for (int i = 0; i < e->outputs.n; i++)
    if (le->output[i] == id) str_printf(w->out, "      is returned as %s\n", e->outputs.at[i].name);
}

static void put_version(const Why *w, const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  Shape here = node_local(w->mesh, n);
  str_printf(w->out, "    %s local ", report_layout(w->p, n->layout));
  shape_put(w->out, &here);
  int t = why_step_of(le, id);
  if (n->op == OP_exchange) {
    const Layout *from = graph_operand(le->graph, n, 0)->layout;
    Exchange x = exchange_of(w->p->program, from, n->layout, &n->shape, n->dtype);
    double time = cost_exchange(w->p->program, from, n->layout, &n->shape, n->dtype);
    str_printf(w->out, "  by %s from %s", exchange_name(x.kind), report_layout(w->p, from));
    if (x.kind != DTRT_COPY)
      str_printf(w->out, " over (%s) of %ld, %ld bytes a device", report_axes(w->p, x.axes),
                 (long)x.group, (long)x.bytes);
    str_printf(w->out, ", %s", report_time(w->p, time));
    if (t >= 0) {
      const StepCost c = cost_step(w->p, le, t);
      const Turns turns = step_turns(le, t);
      str_printf(w->out, "%s%s", report_turns(w->p, &turns), report_algorithm(w->p, &c));
    }
    if (t >= 0 && le->steps.at[t].nodes.n > 1)
      str_printf(w->out, " (%s with the %d that share its messages)",
                 report_time(w->p, cost_step(w->p, le, t).exchange), le->steps.at[t].nodes.n - 1);
  } else if (node_class(n) != CLASS_SOURCE) {
    str_printf(w->out, "  by %s", n->op->name);
    why_place(w->p, le, id, w->out);
  } else {
    str_printf(w->out, "  as stored");
  }
  str_puts(w->out, "\n");
  put_readers(w, le, id);
  if (n->op == OP_exchange && report_moves(w->p, le, id)) explain_exchange(w->p, le, id, w->out);
}

static void put_versions(const Why *w) {
  for (int e = 0; e < w->p->entries.n; e++) {
    const LocalEntry *le = &w->p->entries.at[e];
    bool begun = false;
    if (w->t.kind != TENSOR_VAR && w->t.entry != e) continue;
    for (NodeId i = 0; i < le->graph->nodes.n; i++) {
      TensorId of = tensor_of_node(w->p, e, le->origin.at[i]);
      if (!tensor_equal(of, w->t)) continue;
      if (!begun && w->t.kind == TENSOR_NODE) why_alternatives(w->p, le, w->t.index, w->out);
      if (!begun) str_printf(w->out, "  on each device, in entry %s\n", le->entry->name);
      begun = true;
      put_version(w, le, i);
    }
  }
}

/* -------- one tensor -------- */

static void put_axes(const Why *w) {
  const Layout *l = tensor_layout(w->p, w->t);
  const Spec *spec = tensor_spec(w->p, w->t);
  if (spec) {
    str_printf(w->out, "  annotated at %s: %s", report_where(w->p, spec->span),
               statement_text(w->p, spec->span));
    str_puts(w->out, spec->open ? " (dims with ? are inferred)\n" : "\n");
  }
  for (int d = 0; d < l->rank; d++)
    for (int i = 0; i < l->dim[d].naxes; i++) {
      int a = l->dim[d].axis[i];
      Chain c = chain_of(w->p, w->t, a);
      str_printf(w->out, "  %s splits dim %d\n", w->mesh->axis[a].name, d);
      chain_put_whole(w->p, &c, "    ", w->out);
    }
  if (!layout_axes(l)) str_puts(w->out, spec && !spec->open ? "" : "  nothing splits it\n");
}

static void put_tensor(const Plan *p, TensorId t, Str *out) {
  Why w = {.p = p, .mesh = &p->program->mesh, .t = t, .out = out};
  const Program *g = p->program;
  const Layout *l = tensor_layout(p, t);
  const Node *n = NULL;
  Shape shape;
  DType type;
  if (t.kind == TENSOR_VAR) {
    shape = g->vars.at[t.index].shape, type = g->vars.at[t.index].dtype;
    str_printf(out, "variable %s", g->vars.at[t.index].path);
  } else {
    const Entry *e = &g->entries.at[t.entry];
    bool output = t.kind == TENSOR_OUTPUT;
    n = graph_node(e->graph, output ? e->outputs.at[t.index].node : t.index);
    shape = n->shape, type = n->dtype;
    str_printf(out, "entry %s, %s%s", e->name, output ? "output " : "", tensor_text(p, t));
  }
  Shape here = layout_local(w.mesh, l, &shape);
  str_printf(out, "  %s", dtype_name(type));
  shape_put(out, &shape);
  str_printf(out, " %s local ", report_layout(p, l));
  shape_put(out, &here);
  if (n && t.kind == TENSOR_NODE && n->op != OP_input)
    str_printf(out, "  by %s at %s", n->op->name, node_where(g, n));
  str_puts(out, "\n");
  put_axes(&w);
  put_proposals(&w);
  if (t.kind != TENSOR_OUTPUT) put_versions(&w);
}

/* -------- names -------- */

/* "train.x" and "x" are the same in entry train. */
static bool is_called(const char *name, const char *entry, const char *own) {
  size_t n = strlen(entry);
  if (!strcmp(name, own)) return true;
  if (!strncmp(name, entry, n) && name[n] == '.') return !strcmp(name + n + 1, own);
  return !strncmp(own, entry, n) && own[n] == '.' && !strcmp(own + n + 1, name);
}

typedef struct NameSearch {
  const Plan *p;
  const char *name;
  VEC(TensorId) found;
  const char *near[3];
  int distance[3];
} NameSearch;

static void offer(NameSearch *s, const char *text, const char *entry, TensorId t) {
  if (is_called(s->name, entry, text)) {
    vec_push(s->p->arena, &s->found, t);
    return;
  }
  size_t own = strlen(text), typed = strlen(s->name);
  int most = (int)(own > typed ? own : typed) / 3 + 1, d = str_distance(s->name, text, most);
  bool tail = own > typed + 1 && text[own - typed - 1] == '.'; /* "d1.w" of model.d1.w */
  bool part = tail ? !strcmp(text + own - typed, s->name) : typed > 1 && strstr(text, s->name);
  if (part && d > 2) d = 2;
  if (d > most) return;
  for (int i = 0; i < 3; i++) {
    if (s->near[i] && !strcmp(s->near[i], text)) return;
    if (s->near[i] && d >= s->distance[i]) continue;
    for (int k = 2; k > i; k--) s->near[k] = s->near[k - 1], s->distance[k] = s->distance[k - 1];
    s->near[i] = text, s->distance[i] = d;
    return;
  }
}

static void search(NameSearch *s) {
  const Program *g = s->p->program;
  bool by_line = strchr(s->name, '@'); /* a value without a name */
  bool by_number = !by_line && strchr(s->name, '#');
  for (int i = 0; i < g->vars.n; i++)
    offer(s, g->vars.at[i].path, "", (TensorId){TENSOR_VAR, 0, i});
  for (int e = 0; e < g->entries.n; e++) {
    const Entry *en = &g->entries.at[e];
    if (!by_line && !strcmp(en->name, "init")) continue;
    for (NodeId i = 0; i < en->graph->nodes.n; i++) {
      const Node *n = graph_node(en->graph, i);
      TensorId t = {TENSOR_NODE, e, i};
      if (n->op == OP_var) continue;
      const bool numbered = by_number && n->name;
      if (n->name || by_line)
        offer(s, (numbered ? node_label : node_text)(g, en->graph, i, s->p->arena), en->name, t);
    }
    for (int i = 0; i < en->outputs.n; i++) {
      const Output *o = &en->outputs.at[i];
      const Node *n = graph_node(en->graph, o->node);
      /* An output by the name of its value is that value, unless its layout differs. */
      const char *own = n->name && strchr(n->name, '.') ? strrchr(n->name, '.') + 1 : n->name;
      bool same = own && !strcmp(own, o->name) && o->layout == n->layout;
      if (same && is_called(s->name, en->name, o->name))
        vec_push(s->p->arena, &s->found, tensor_of_node(s->p, e, o->node));
      else if (!same)
        offer(s, o->name, en->name, (TensorId){TENSOR_OUTPUT, e, i});
    }
  }
}

/* Text of readable width. */
static bool put_all(const Plan *p, const char *name, Str *out) {
  NameSearch s = {.p = p, .name = name};
  search(&s);
  for (int i = 0; i < s.found.n; i++) {
    bool again = false;
    for (int k = 0; k < i; k++) again = again || tensor_equal(s.found.at[k], s.found.at[i]);
    if (again) continue;
    if (i) str_puts(out, "\n");
    put_tensor(p, s.found.at[i], out);
  }
  for (int i = 0; i < 3 && !s.found.n && s.near[i]; i++)
    str_printf(out, "%s`%s`", i ? ", " : "", s.near[i]);
  return s.found.n > 0;
}

bool why_put(const Plan *p, const char *name, Str *out) {
  Str text = str_new(p->arena);
  bool found = put_all(p, name, &text);
  report_wrap(text.at, out);
  return found;
}
