/* --dump=layouts: every tensor's layout, and for each axis the chain that brought it there. */
#include "choose.h"
#include "report.h"
#include <string.h>

typedef struct Row {
  const char *name, *type, *layout, *local, *why;
} Row;

typedef struct Rows {
  VEC(Row) r;
} Rows;

static void add_row(const Plan *p, Rows *rows, const char *name, DType t, const Shape *s,
                    const Layout *l, TensorId id) {
  Arena *a = p->arena;
  Str type = str_new(a), local = str_new(a), reason = str_new(a);
  str_puts(&type, dtype_name(t));
  shape_put(&type, s);
  Shape here = layout_local(&p->program->mesh, l, s);
  shape_put(&local, &here);
  for (int d = 0; d < s->rank; d++)
    if (!dim_even(&p->program->mesh, &l->dim[d], s->dim[d])) {
      str_puts(&local, " at most");
      break;
    }
  chain_put_tensor(p, id, l, &reason);
  Row r = {name, type.at, layout_text(a, &p->program->mesh, l), local.at, reason.at};
  vec_push(a, &rows->r, r);
}

static void put_rows(const Rows *rows, Str *out) {
  int w[4] = {0};
  for (int i = 0; i < rows->r.n; i++) {
    const Row *r = &rows->r.at[i];
    const char *cell[4] = {r->name, r->type, r->layout, r->local};
    for (int c = 0; c < 4; c++)
      if ((int)strlen(cell[c]) > w[c]) w[c] = (int)strlen(cell[c]);
  }
  for (int c = 0; c < 4; c++)
    if (w[c] > 48) w[c] = 48;
  for (int i = 0; i < rows->r.n; i++) {
    const Row *r = &rows->r.at[i];
    str_printf(out, "  %-*s  %-*s  %-*s  here %-*s  %s\n", w[0], r->name, w[1], r->type, w[2],
               r->layout, w[3], r->local, r->why);
  }
}

/* The cost may have it computed in other pieces than those that were inferred. */
static void note_choice(const Plan *p, const LocalEntry *le, NodeId id, Row *row) {
  const Node *n = graph_node(le->entry->graph, id);
  const Choice *c = le->choice;
  if (!c->ways[id] || n->op == OP_relayout || n->op == OP_relayout_like) return;
  const Layout *made = form_at(c->routes, c->value[id].form, choice_result(c, id));
  const Layout *settled = layout_without_partial(p->program->layouts, made, &n->shape);
  if (made == n->layout || settled == n->layout) return;
  row->why = arena_printf(p->arena, "%s; made as %s, which is cheaper", row->why,
                          layout_text(p->arena, &p->program->mesh, made));
}

void dump_layouts(const Plan *p, Str *out) {
  Rows vars = {0};
  report_mesh(p, out);
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    add_row(p, &vars, v->path, v->dtype, &v->shape, v->layout, (TensorId){TENSOR_VAR, 0, i});
  }
  if (vars.r.n) str_puts(out, "variables\n");
  put_rows(&vars, out);
  for (int e = 0; e < p->program->entries.n; e++) {
    const Entry *en = &p->program->entries.at[e];
    if (!strcmp(en->name, "init")) continue;
    Rows rows = {0};
    str_printf(out, "entry %s\n", en->name);
    for (NodeId i = 0; i < en->graph->nodes.n; i++) {
      const Node *n = graph_node(en->graph, i);
      if (n->op == OP_var || n->op == OP_const) continue;
      add_row(p, &rows, node_text(en->graph, i, p->arena), n->dtype, &n->shape, n->layout,
              (TensorId){TENSOR_NODE, e, i});
      note_choice(p, &p->entries.at[e], i, &rows.r.at[rows.r.n - 1]);
    }
    put_rows(&rows, out);
    for (int i = 0; i < en->outputs.n; i++) {
      const Output *o = &en->outputs.at[i];
      str_printf(out, "  return %s = %s %s", o->name, node_text(en->graph, o->node, p->arena),
                 layout_text(p->arena, &p->program->mesh, o->layout));
      if (o->spec) str_printf(out, "  said at %s", report_where(p, o->spec->span));
      str_puts(out, "\n");
    }
  }
}
