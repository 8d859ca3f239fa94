/* Why an exchange is there: why the value has its layout, and why its consumer requires another,
 * each followed back to the user's lines. Only axes that differ on the two sides are explained. */
#include "report.h"
#include "why.h"

enum { NOWHERE = -1, PARTIAL = -2 }; /* else a dim, as layout_dim_cut has it */

static int place_of(const Layout *l, int axis) {
  if (l->partial & 1u << axis) return PARTIAL;
  return layout_dim_cut(l, axis);
}

/* On both sides at the same dim, but seen through a window or among other axes. */
static bool stands_alike(const Layout *from, const Layout *to, int axis) {
  int at = place_of(from, axis);
  if (at != place_of(to, axis)) return false;
  return at < 0 || dim_equal(&from->dim[at], &to->dim[at]);
}

typedef struct Explain {
  const Plan *p;
  const LocalEntry *le;
  NodeId id;
  Str *out;
  const char *title;
} Explain;

/* One line a reason; the first has the title. */
static void begin_line(Explain *x) { str_printf(x->out, "      %s ", x->title); }

static const char *axis_name(const Explain *x, int axis) {
  return x->p->program->mesh.axis[axis].name;
}

static const Node *origin_of(const Explain *x, NodeId local) {
  return graph_node(x->le->entry->graph, x->le->origin.at[local]);
}

static TensorId tensor_of(const Explain *x, NodeId local) {
  return tensor_of_node(x->p, x->le->index, x->le->origin.at[local]);
}

/* The op itself, for a reader: "add at m.dtg:3". */
static void put_op(const Explain *x, const Node *n) {
  const char *at = node_where(x->p->program, n);
  str_printf(x->out, "%s%s%s", n->op->name, *at ? " at " : "", at);
}

static void put_chain(const Explain *x, TensorId t, int axis) {
  Chain c = chain_of(x->p, t, axis);
  chain_put(x->p, &c, x->out);
}

/* propagate gave the tensor this axis, on that dim (PARTIAL too). */
static bool inferred_at(const Explain *x, NodeId local, int axis, int dim) {
  return place_of(origin_of(x, local)->layout, axis) == dim &&
         reason_of(x->p, tensor_of(x, local), axis).kind != WHY_NOTHING;
}

/* Of an op's operands the one that the axis splits for the nearest reason of propagate's; NO_NODE:
 * none.
 */
static NodeId cut_operand(const Explain *x, const Node *n, int axis) {
  NodeId best = NO_NODE;
  int least = INT32_MAX;
  for (int i = 0; i < n->noperands; i++) {
    NodeId o = n->operand[i];
    if (place_of(graph_node(x->le->graph, o)->layout, axis) < 0) continue;
    if (!inferred_at(x, o, axis, place_of(origin_of(x, o)->layout, axis))) continue;
    int hops = chain_of(x->p, tensor_of(x, o), axis).hops;
    if (hops < least) least = hops, best = o;
  }
  return best;
}

static void put_operand(const Explain *x, NodeId o, int axis) {
  str_printf(x->out, "%s: ", tensor_text(x->p, tensor_of(x, o)));
  put_chain(x, tensor_of(x, o), axis);
}

/* -------- why it has its layout -------- */

/* The op whose result a chain of exchanges moves. */
static NodeId made_by(const Explain *x, NodeId id) {
  while (graph_node(x->le->graph, id)->op == OP_exchange)
    id = graph_node(x->le->graph, id)->operand[0];
  return id;
}

/* Where a partial value came to be: ops that only carry it are passed by. */
static NodeId summed_by(const Explain *x, NodeId id, int axis) {
  for (bool carried = true; carried;) {
    const Node *n = graph_node(x->le->graph, id);
    carried = false;
    for (int i = 0; i < n->noperands && !carried; i++)
      if (graph_node(x->le->graph, n->operand[i])->layout->partial & 1u << axis)
        id = n->operand[i], carried = true;
  }
  return id;
}

static void have_partial(Explain *x, NodeId from, int axis) {
  NodeId by = summed_by(x, from, axis);
  const Node *n = graph_node(x->le->graph, by);
  NodeId o = cut_operand(x, n, axis);
  begin_line(x);
  str_printf(x->out, "partial(%s): ", axis_name(x, axis));
  put_op(x, n);
  if (o == NO_NODE) {
    str_printf(x->out, " reduces a dim split over %s: cheapest by the model", axis_name(x, axis));
  } else {
    str_printf(x->out, " reduces a dim that %s splits in ", axis_name(x, axis));
    put_operand(x, o, axis);
  }
  str_puts(x->out, "\n");
}

static void have_cut(Explain *x, NodeId from, int axis, int dim) {
  NodeId by = made_by(x, from);
  const Node *n = graph_node(x->le->graph, by);
  begin_line(x);
  str_printf(x->out, "%s: ", axis_name(x, axis));
  NodeId o = cut_operand(x, n, axis);
  if (inferred_at(x, x->id, axis, dim)) {
    put_chain(x, tensor_of(x, x->id), axis);
  } else if (inferred_at(x, by, axis, dim)) {
    put_chain(x, tensor_of(x, by), axis);
  } else if (o != NO_NODE) {
    put_op(x, n);
    str_puts(x->out, " is split so, like its operand ");
    put_operand(x, o, axis);
  } else {
    put_op(x, n);
    str_puts(x->out, " is computed so: cheapest by the model");
  }
  str_puts(x->out, "\n");
}

static void put_have(Explain *x, const Layout *from, const Layout *to) {
  NodeId source = graph_node(x->le->graph, x->id)->operand[0];
  x->title = "laid out:";
  for (int a = 0; a < x->p->program->mesh.naxes; a++) {
    int at = place_of(from, a);
    if (at == NOWHERE || stands_alike(from, to, a)) continue;
    if (at == PARTIAL)
      have_partial(x, source, a);
    else
      have_cut(x, source, a, at);
  }
}

/* -------- why another is required -------- */

/* The op that reads the value, past further exchanges: the one that asked for it, else the first.
 * NO_NODE: a variable or an output does. */
static NodeId reader_of(const Explain *x, NodeId id) {
  const Graph *g = x->le->graph;
  NodeId first = NO_NODE, asked = NO_NODE, cause = x->le->cause.at[id];
  ArenaMark mark = arena_mark(x->p->arena);
  bool *same = arena_array(x->p->arena, bool, g->nodes.n + 1); /* the value itself */
  same[id] = true;
  for (NodeId i = id + 1; i < g->nodes.n && asked == NO_NODE; i++) {
    const Node *n = graph_node(g, i);
    bool reads = false;
    for (int k = 0; k < n->noperands; k++) reads = reads || same[n->operand[k]];
    if (!reads) continue;
    if (n->op == OP_exchange)
      same[i] = true;
    else if (x->le->origin.at[i] == cause)
      asked = i;
    else if (first == NO_NODE)
      first = i;
  }
  arena_release(x->p->arena, mark);
  return asked == NO_NODE ? first : asked;
}

/* What is assigned or returned from here, past further exchanges. */
static bool kept_by(const Explain *x, NodeId id, TensorId *out, const Layout **layout) {
  const LocalEntry *le = x->le;
  for (NodeId i = id; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    if (i > id && n->op == OP_exchange && n->operand[0] == id) id = i;
    if (i != id) continue;
    for (int k = 0; k < le->entry->assigns.n; k++)
      if (le->assign[k] == id) {
        int var = le->entry->assigns.at[k].var;
        *out = (TensorId){TENSOR_VAR, 0, var};
        *layout = x->p->program->vars.at[var].layout;
        return true;
      }
    for (int k = 0; k < le->entry->outputs.n; k++)
      if (le->output[k] == id) {
        *out = (TensorId){TENSOR_OUTPUT, le->index, k};
        *layout = le->entry->outputs.at[k].layout;
        return true;
      }
  }
  return false;
}

static void put_kept(Explain *x, TensorId t, const Layout *l, int axis) {
  str_printf(x->out, "%s %s ", t.kind == TENSOR_VAR ? "variable" : "output", tensor_text(x->p, t));
  if (place_of(l, axis) >= 0 && reason_of(x->p, t, axis).kind != WHY_NOTHING) {
    str_puts(x->out, "is laid out so: ");
    put_chain(x, t, axis);
  } else if (place_of(l, axis) >= 0) {
    str_puts(x->out, "is laid out as inferred for its value");
  } else {
    const Spec *s = tensor_spec(x->p, t);
    if (s && !s->open)
      str_printf(x->out, "is not split over it: annotated at %s", report_where(x->p, s->span));
    else
      str_puts(x->out, "is not split over it");
  }
}

static void put_settling(Explain *x, NodeId reader, const Layout *from) {
  static const char *const whole[] = {"sum", "maximum", "minimum", "product"};
  const Graph *g = x->le->entry->graph;
  const Node *n = graph_node(g, x->le->origin.at[reader]);
  ArenaMark mark = arena_mark(x->p->arena);
  Rule r;
  rule_of(g, n, &r, x->p->arena);
  bool jointly = r.linear_jointly, alone = r.linear_in != 0;
  arena_release(x->p->arena, mark);
  const char *op = n->op->name;
  if (from->reduce != RED_SUM || (!jointly && !alone))
    str_printf(x->out, "%s requires the complete %s, not a partial one", op, whole[from->reduce]);
  else if (jointly && !alone)
    str_printf(x->out, "%s passes partial values on only if all its operands are partial", op);
  else
    str_printf(x->out,
               "reduced before %s, which could pass partial values on: cheapest by the model", op);
}

/* The rule of its consumer requires that dim to be whole. */
static bool needs_whole(const Explain *x, NodeId reader, int dim) {
  const Node *n = graph_node(x->le->entry->graph, x->le->origin.at[reader]);
  bool whole = false;
  Rule r;
  ArenaMark mark = arena_mark(x->p->arena);
  rule_of(x->le->entry->graph, n, &r, x->p->arena);
  for (int i = 0; i < n->noperands && dim >= 0; i++) {
    const RuleDim *rd = &r.operand[i][dim];
    if (n->operand[i] != x->le->origin.at[x->id]) continue;
    for (int j = 0; j < rd->n; j++) whole = whole || r.factor[rd->factor[j]].kind == FACTOR_WHOLE;
  }
  arena_release(x->p->arena, mark);
  return whole;
}

/* What the op that reads it does with the axis. */
static void need_op(Explain *x, NodeId reader, const Layout *from, const Layout *to, int axis) {
  const Node *n = graph_node(x->le->graph, reader);
  NodeId other = cut_operand(x, n, axis);
  int at = place_of(n->layout, axis);
  bool settles = place_of(from, axis) == PARTIAL;
  TensorId keeper;
  const Layout *kept;
  begin_line(x);
  str_printf(x->out, "%s: ", axis_name(x, axis));
  if (settles) put_settling(x, reader, from);
  if (settles && place_of(to, axis) == NOWHERE) {
    str_puts(x->out, "\n");
    return;
  }
  str_printf(x->out, "%s%s", settles ? "; " : "", n->op->name);
  if (other != NO_NODE && x->le->origin.at[other] == x->le->origin.at[x->id]) other = NO_NODE;
  if (at >= 0 && inferred_at(x, reader, axis, at)) {
    str_printf(x->out, "%s splits %s: ",
               place_of(to, axis) == NOWHERE ? " uses it on another dim, where it" : "",
               tensor_text(x->p, tensor_of(x, reader)));
    put_chain(x, tensor_of(x, reader), axis);
  } else if (other != NO_NODE) {
    str_printf(x->out, "%s splits ",
               place_of(to, axis) == NOWHERE ? " uses it on another dim, where it" : "");
    put_operand(x, other, axis);
  } else if (at >= 0) {
    str_puts(x->out, " is computed so: cheapest by the model");
  } else if (needs_whole(x, reader, place_of(from, axis))) {
    str_puts(x->out, " requires the whole dim");
  } else if (kept_by(x, reader, &keeper, &kept) && place_of(kept, axis) == NOWHERE &&
             (keeper.kind == TENSOR_VAR || tensor_spec(x->p, keeper))) {
    str_puts(x->out, " is not split over it, as ");
    put_kept(x, keeper, kept, axis);
  } else {
    str_puts(x->out, " is not split over it: cheapest by the model");
  }
  str_puts(x->out, "\n");
}

static void put_need(Explain *x, const Layout *from, const Layout *to) {
  NodeId reader = reader_of(x, x->id), cause = x->le->cause.at[x->id];
  NodeId origin = x->le->origin.at[x->id];
  TensorId keeper = {0};
  const Layout *kept = NULL;
  x->title = "required:";
  bool said = cause == origin && cause != NO_NODE;
  if (!said && cause == NO_NODE) kept_by(x, x->id, &keeper, &kept);
  for (int a = 0; a < x->p->program->mesh.naxes; a++) {
    if (stands_alike(from, to, a)) continue;
    if (said || (cause != NO_NODE && graph_node(x->le->entry->graph, cause)->spec &&
                 op_is(graph_node(x->le->entry->graph, cause), OPF_LAYOUT))) {
      const Spec *s = graph_node(x->le->entry->graph, cause)->spec;
      begin_line(x);
      str_printf(x->out, "%s: annotated at %s\n", axis_name(x, a), report_where(x->p, s->span));
    } else if (kept) {
      begin_line(x);
      str_printf(x->out, "%s: ", axis_name(x, a));
      put_kept(x, keeper, kept, a);
      str_puts(x->out, "\n");
    } else if (reader != NO_NODE) {
      need_op(x, reader, from, to, a);
    }
  }
}

void explain_exchange(const Plan *p, const LocalEntry *le, NodeId id, Str *out) {
  const Node *n = graph_node(le->graph, id);
  const Layout *from = graph_operand(le->graph, n, 0)->layout;
  Explain x = {.p = p, .le = le, .id = id, .out = out};
  const int t = why_step_of(le, id);
  const Turns turns = t >= 0 ? step_turns(le, t) : (Turns){0};
  if (turns.as_one)
    str_printf(out, "      serves %lld runs of the loop\n", (long long)turns.as_one);
  put_have(&x, from, n->layout);
  put_need(&x, from, n->layout);
}
