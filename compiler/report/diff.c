/* Two plans of one model, side by side: the cost of a call, the tensors with different layouts,
 * and the exchanges that only one of them has. Tensors of the two are the same when their entry and
 * name are; unnamed values, which layout files cannot mention, are only counted. */
#include "diff.h"
#include <string.h>

enum { LABEL = 24, COLUMN = 24 };

typedef struct PlanDiff {
  const Plan *a, *b;
  Str *out; /* in a's arena */
} PlanDiff;

/* -------- figures -------- */

static void put_row(const PlanDiff *d, const char *label, const char *a, const char *b,
                    const char *change) {
  str_printf(d->out, "  %-*s  %-*s  %-*s  %s", LABEL, label, COLUMN, a, *change ? COLUMN : 0, b,
             change);
  while (d->out->n && d->out->at[d->out->n - 1] == ' ') d->out->at[--d->out->n] = 0;
  str_puts(d->out, "\n");
}

static const char *change(const PlanDiff *d, double a, double b) {
  return a == b ? "=" : report_change(d->a, a, b);
}

static void put_number(const PlanDiff *d, const char *label, int64_t a, int64_t b) {
  Arena *m = d->a->arena;
  put_row(d, label, arena_printf(m, "%ld", (long)a), arena_printf(m, "%ld", (long)b),
          change(d, (double)a, (double)b));
}

static void put_time(const PlanDiff *d, const char *label, double a, double b) {
  put_row(d, label, report_time(d->a, a), report_time(d->a, b), change(d, a, b));
}

static const char *mesh_text(const PlanDiff *d, const Plan *p) {
  const Mesh *m = &p->program->mesh;
  Str s = str_new(d->a->arena);
  str_puts(&s, "[");
  for (int i = 0; i < m->naxes; i++)
    str_printf(&s, "%s%s=%ld", i ? ", " : "", m->axis[i].name, (long)m->axis[i].size);
  str_puts(&s, "]");
  return s.at;
}

static void put_costs(const PlanDiff *d, const LocalEntry *a, const LocalEntry *b) {
  EntryCost x = cost_entry(d->a, a), y = cost_entry(d->b, b);
  put_time(d, "a call, modelled", x.time, y.time);
  put_time(d, "  computation", x.compute, y.compute);
  put_time(d, "  exchanges", x.exchange, y.exchange);
  if (x.hidden > 0 || y.hidden > 0) put_time(d, "    hidden", x.hidden, y.hidden);
  put_number(d, "exchanges", x.exchanges, y.exchanges);
  put_number(d, "bytes a device", x.bytes, y.bytes);
  put_number(d, "memory a device", d->a->vars_bytes + a->arena_bytes,
             d->b->vars_bytes + b->arena_bytes);
}

/* -------- layouts -------- */

/* Of a value the layout in which it is computed, as --dump=layouts shows it. */
static const char *layout_of_tensor(const PlanDiff *d, const Plan *p, TensorId t) {
  const Layout *l = t.kind == TENSOR_NODE ? report_computed(p, &p->entries.at[t.entry], t.index)
                                          : tensor_layout(p, t);
  return layout_text(d->a->arena, &p->program->mesh, l);
}

static void put_side(const PlanDiff *d, const Plan *p, const char *layout, TensorId t) {
  str_printf(d->out, "      %-*s  %s\n", COLUMN, layout, report_origin(p, t, tensor_layout(p, t)));
}

/* True when they differ. Of a variable both sides have where they come from; of values --why has.
 */
static bool put_tensor(const PlanDiff *d, TensorId a, TensorId b, bool begun) {
  const char *x = layout_of_tensor(d, d->a, a), *y = layout_of_tensor(d, d->b, b);
  if (!strcmp(x, y)) return false;
  if (!begun) str_puts(d->out, "  layouts that differ\n");
  if (a.kind != TENSOR_VAR) {
    str_printf(d->out, "    %-*s  %-*s  %s\n", LABEL - 2, tensor_text(d->a, a), COLUMN, x, y);
    return true;
  }
  str_printf(d->out, "    %s\n", tensor_text(d->a, a));
  put_side(d, d->a, x, a);
  put_side(d, d->b, y, b);
  return true;
}

static void put_vars(const PlanDiff *d) {
  bool begun = false;
  for (int i = 0; i < d->a->program->vars.n; i++) {
    int k = program_find_var(d->b->program, d->a->program->vars.at[i].path);
    if (k >= 0)
      begun |= put_tensor(d, (TensorId){TENSOR_VAR, 0, i}, (TensorId){TENSOR_VAR, 0, k}, begun);
  }
}

/* Values by name and how many of that name came before; the model is one, so they pair up. */
static NodeId pair_of(const Graph *g, const Graph *other, NodeId id, NodeId *from) {
  const Node *n = graph_node(g, id);
  for (NodeId i = *from; i < other->nodes.n; i++) {
    const Node *x = graph_node(other, i);
    if (!x->name || strcmp(x->name, n->name) || x->op != n->op ||
        !shape_equal(&x->shape, &n->shape))
      continue;
    *from = i + 1;
    return i;
  }
  return NO_NODE;
}

static void put_values(const PlanDiff *d, int ea, int eb) {
  const Entry *a = &d->a->program->entries.at[ea], *b = &d->b->program->entries.at[eb];
  bool begun = false;
  NodeId from = 0;
  for (NodeId i = 0; i < a->graph->nodes.n; i++) {
    const Node *n = graph_node(a->graph, i);
    if (!n->name || n->op == OP_var) continue;
    NodeId k = pair_of(a->graph, b->graph, i, &from);
    if (k != NO_NODE)
      begun |= put_tensor(d, (TensorId){TENSOR_NODE, ea, i}, (TensorId){TENSOR_NODE, eb, k}, begun);
  }
  for (int i = 0; i < a->outputs.n && i < b->outputs.n; i++)
    begun |=
        put_tensor(d, (TensorId){TENSOR_OUTPUT, ea, i}, (TensorId){TENSOR_OUTPUT, eb, i}, begun);
}

/* -------- exchanges -------- */

/* What is moved how: equal in both plans when this text is. */
static const char *exchange_key(const PlanDiff *d, const Plan *p, const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id), *x = graph_operand(le->graph, n, 0);
  Exchange ex = exchange_at(p->program, le->graph, n);
  const Node *origin = graph_node(le->entry->graph, le->origin.at[id]);
  const Mesh *m = &p->program->mesh;
  Arena *a = d->a->arena;
  return arena_printf(
      a, "%s %s %s %s %ld", exchange_name(ex.kind),
      origin->name ? origin->name
                   : arena_printf(a, "%s:%ld", origin->op->name, (long)shape_count(&origin->shape)),
      layout_text(a, m, x->layout), layout_text(a, m, n->layout), (long)ex.bytes);
}

typedef struct Moves {
  VEC(const char *) key;
  NodeVec id;
} Moves;

static void collect(const PlanDiff *d, const Plan *p, const LocalEntry *le, Moves *out) {
  for (int t = 0; t < le->steps.n; t++)
    for (int i = 0; i < le->steps.at[t].nodes.n; i++) {
      NodeId id = le->steps.at[t].nodes.at[i];
      if (!report_moves(p, le, id)) continue;
      vec_push(d->a->arena, &out->key, exchange_key(d, p, le, id));
      vec_push(d->a->arena, &out->id, id);
    }
}

static void put_only(const PlanDiff *d, const Plan *p, const LocalEntry *le, const Moves *mine,
                     const Moves *other, const char *name) {
  bool begun = false;
  bool *taken = arena_array(d->a->arena, bool, other->key.n + 1);
  for (int i = 0; i < mine->key.n; i++) {
    int k = 0;
    while (k < other->key.n && (taken[k] || strcmp(other->key.at[k], mine->key.at[i]))) k++;
    if (k < other->key.n) {
      taken[k] = true;
      continue;
    }
    if (!begun) str_printf(d->out, "  exchanges of %s alone\n", name);
    begun = true;
    Str line = str_new(p->arena);
    report_exchange(p, le, mine->id.at[i], &line);
    str_puts(d->out, line.at);
  }
}

/* -------- all -------- */

static void put_entry(const PlanDiff *d, const LocalEntry *a, const LocalEntry *b, const char *was,
                      const char *now) {
  Moves x = {0}, y = {0};
  str_printf(d->out, "entry %s\n", a->entry->name);
  put_costs(d, a, b);
  put_values(d, a->index, b->index);
  collect(d, d->a, a, &x);
  collect(d, d->b, b, &y);
  put_only(d, d->a, a, &x, &y, was);
  put_only(d, d->b, b, &y, &x, now);
}

void diff_put(const Plan *a, const Plan *b, const char *was, const char *now, Str *all) {
  Str text = str_new(a->arena), *out = &text;
  PlanDiff d = {a, b, out};
  put_row(&d, "", was, now, "");
  put_row(&d, "mesh", mesh_text(&d, a), mesh_text(&d, b), "");
  put_number(&d, "devices", mesh_devices(&a->program->mesh), mesh_devices(&b->program->mesh));
  str_puts(out, "variables\n");
  put_number(&d, "bytes a device", a->vars_bytes, b->vars_bytes);
  put_vars(&d);
  for (int e = 0; e < a->entries.n; e++) {
    int k = program_find_entry(b->program, a->entries.at[e].entry->name);
    const LocalEntry *x = &a->entries.at[e];
    bool quiet = !strcmp(x->entry->name, "init") && cost_entry(a, x).exchanges == 0 && k >= 0 &&
                 cost_entry(b, &b->entries.at[k]).exchanges == 0;
    if (k >= 0 && !quiet) put_entry(&d, x, &b->entries.at[k], was, now);
  }
  report_wrap(text.at, all);
}
