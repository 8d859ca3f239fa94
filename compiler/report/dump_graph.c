/* --dump=graph, the whole tensors, and --dump=spmd, one device's: one node a line, in order. */
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shortest text, of 9 digits at most, that stands for the same number of that type. */
static void put_number(Str *out, DType t, double v) {
  char text[40];
  for (int digits = 3; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (dtype_round(t, strtod(text, NULL)) == v) break;
  }
  str_puts(out, text);
}

/* A text for each node that no other has: several values may have one name. */
static const char **labels_of(const Plan *p, const Graph *g) {
  const char **label = arena_array(p->arena, const char *, g->nodes.n + 1);
  Names *names = names_new(p->arena);
  Lookup count = {0};
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const char *text = node_text(p->program, g, i, p->arena);
    text = name_of(names, text, strlen(text));
    int had = lookup_get(&count, text);
    lookup_put(&count, p->arena, text, had + 1);
    label[i] = had ? arena_printf(p->arena, "%s#%d", text, had + 1) : text;
  }
  return label;
}

static void put_node(const Plan *p, const Graph *g, const char *const *label, NodeId id, Str *out) {
  const Node *n = graph_node(g, id);
  const OpDef *def = n->op;
  str_printf(out, "  %s = %s", label[id], def->name);
  for (int k = 0; k < n->noperands; k++)
    str_printf(out, "%s%s", k ? ", " : " ", label[n->operand[k]]);
  if (node_is_const(n) || n->value != 0) {
    str_puts(out, " ");
    put_number(out, n->dtype, n->value);
  }
  node_attrs_put(out, g, n);
  str_printf(out, " : %s", dtype_name(n->dtype));
  shape_put(out, &n->shape);
  if (g->view == VIEW_LOCAL) {
    Shape local = node_local(&p->program->mesh, n);
    str_puts(out, " ");
    layout_put(out, &p->program->mesh, n->layout);
    str_puts(out, " local ");
    shape_put(out, &local);
  }
  str_puts(out, "\n");
}

/* What each run makes of what a region carries; `local`: of one device's graph, or NULL. */
static void put_regions(const Entry *e, const LocalRegion *local, const char *const *label,
                        Str *out) {
  for (int r = 0; r < e->regions.n; r++) {
    const Region *x = &e->regions.at[r];
    if (x->condition == NO_NODE) continue;
    str_printf(out, "  region %d: %s %s", r, x->kind == REGION_LOOP ? "while" : "if",
               label[local ? local[r].condition : x->condition]);
    if (x->turns != TURNS_UNKNOWN) str_printf(out, ", x %lld", (long long)x->turns);
    if (x->most) str_printf(out, ", at most x %lld", (long long)x->most);
    if (x->as_one) str_printf(out, ", each %lld runs as written", (long long)x->as_one);
    if (x->rest) str_puts(out, ", the runs that are left");
    if (x->parent != NO_REGION) str_printf(out, ", in region %d", x->parent);
    str_puts(out, "\n");
    for (int i = 0; i < x->carries.n; i++)
      str_printf(out, "    %s <- %s\n",
                 label[local ? local[r].carries.at[i].node : x->carries.at[i].node],
                 label[local ? local[r].carries.at[i].next : x->carries.at[i].next]);
  }
}

/* `assign`, `output`: a local entry's; NULL: as the entry has them */
static void put_entry(const Plan *p, const Entry *e, const Graph *g, const NodeId *assign,
                      const NodeId *output, const LocalRegion *region, Str *out) {
  const char *const *label = labels_of(p, g);
  str_printf(out, "entry %s {\n", e->name);
  for (NodeId i = 0; i < g->nodes.n; i++) put_node(p, g, label, i, out);
  put_regions(e, region, label, out);
  for (int i = 0; i < e->assigns.n; i++)
    str_printf(out, "  %s <- %s\n", p->program->vars.at[e->assigns.at[i].var].path,
               label[assign ? assign[i] : e->assigns.at[i].node]);
  if (e->outputs.n) str_puts(out, "  return ");
  for (int i = 0; i < e->outputs.n; i++)
    str_printf(out, "%s%s = %s", i ? ", " : "", e->outputs.at[i].name,
               label[output ? output[i] : e->outputs.at[i].node]);
  str_puts(out, e->outputs.n ? "\n}\n" : "}\n");
}

void dump_graph(const Plan *p, Str *out) {
  for (int e = 0; e < p->program->entries.n; e++) {
    const Entry *en = &p->program->entries.at[e];
    put_entry(p, en, en->graph, NULL, NULL, NULL, out);
  }
}

void dump_spmd(const Plan *p, Str *out) {
  report_mesh(p, out);
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    put_entry(p, le->entry, le->graph, le->assign, le->output, le->region, out);
  }
}
