/* --dump=graph, the whole tensors, and --dump=spmd, one device's: one node a line, in order. */
#include "report.h"
#include <stdio.h>
#include <stdlib.h>

/* The shortest text, of 9 digits at most, that stands for the same number of that type. */
static void put_number(Str *out, DType t, double v) {
  char text[40];
  for (int digits = 3; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (dtype_round(t, strtod(text, NULL)) == v) break;
  }
  str_puts(out, text);
}

static void put_node(const Plan *p, const Graph *g, NodeId id, Str *out) {
  const Node *n = graph_node(g, id);
  const OpDef *def = op_def(n->op);
  str_printf(out, "  %%%d = %s", id, def->name);
  for (int k = 0; k < n->noperands; k++) str_printf(out, "%s%%%d", k ? ", " : " ", n->operand[k]);
  if (n->op == OP_const || (n->op == OP_pad && n->value != 0)) {
    str_puts(out, " ");
    put_number(out, n->dtype, n->value);
  }
  int skip = n->op == OP_input || n->op == OP_var ? 2 : n->op == OP_const ? 1 : 0;
  if (n->nattr > skip && !skip && n->op != OP_reshape && n->op != OP_cast) {
    str_puts(out, " {");
    for (int i = 0; i < n->nattr; i++) str_printf(out, "%s%ld", i ? " " : "", (long)n->attr[i]);
    str_puts(out, "}");
  }
  str_printf(out, " : %s", dtype_name(n->dtype));
  shape_put(out, &n->shape);
  if (g->view == VIEW_LOCAL) {
    Shape local = layout_local(&p->program->mesh, n->layout, &n->shape);
    str_puts(out, " ");
    layout_put(out, &p->program->mesh, n->layout);
    str_puts(out, " here ");
    shape_put(out, &local);
  }
  if (n->name) str_printf(out, "  # %s", n->name);
  str_puts(out, "\n");
}

static void put_assigns(const Plan *p, const Entry *e, const NodeId *assign, Str *out) {
  for (int i = 0; i < e->assigns.n; i++)
    str_printf(out, "  %s <- %%%d\n", p->program->vars.at[e->assigns.at[i].var].path,
               assign ? assign[i] : e->assigns.at[i].node);
}

static void put_outputs(const Entry *e, const NodeId *output, Str *out) {
  if (e->outputs.n) str_puts(out, "  return ");
  for (int i = 0; i < e->outputs.n; i++)
    str_printf(out, "%s%s = %%%d", i ? ", " : "", e->outputs.at[i].name,
               output ? output[i] : e->outputs.at[i].node);
  if (e->outputs.n) str_puts(out, "\n");
}

void dump_graph(const Plan *p, Str *out) {
  for (int e = 0; e < p->program->entries.n; e++) {
    const Entry *en = &p->program->entries.at[e];
    str_printf(out, "entry %s {\n", en->name);
    for (NodeId i = 0; i < en->graph->nodes.n; i++) put_node(p, en->graph, i, out);
    put_assigns(p, en, NULL, out);
    put_outputs(en, NULL, out);
    str_puts(out, "}\n");
  }
}

void dump_spmd(const Plan *p, Str *out) {
  report_mesh(p, out);
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    str_printf(out, "entry %s {\n", le->entry->name);
    for (NodeId i = 0; i < le->graph->nodes.n; i++) put_node(p, le->graph, i, out);
    put_assigns(p, le->entry, le->assign, out);
    put_outputs(le->entry, le->output, out);
    str_puts(out, "}\n");
  }
}
