/* What --dump prints of a plan. */
#include "passes.h"
#include <string.h>

static const char *where(const Plan *p, Span s) {
  return diag_where(p->program->diag, p->arena, s);
}

static void put_mesh(const Plan *p, Str *out) {
  const Mesh *m = &p->program->mesh;
  if (!m->naxes) {
    str_puts(out, "mesh []  1 device\n");
    return;
  }
  str_puts(out, "mesh [");
  for (int i = 0; i < m->naxes; i++)
    str_printf(out, "%s%s=%ld", i ? ", " : "", m->axis[i].name, (long)m->axis[i].size);
  str_printf(out, "]  %ld devices\n", (long)mesh_devices(m));
}

static void put_node(const Plan *p, const Graph *g, NodeId id, Str *out) {
  const Node *n = graph_node(g, id);
  const OpDef *def = op_def(n->op);
  str_printf(out, "  %%%d = %s", id, def->name);
  for (int k = 0; k < n->noperands; k++) str_printf(out, "%s%%%d", k ? ", " : " ", n->operand[k]);
  if (n->op == OP_const || (n->op == OP_pad && n->value != 0)) str_printf(out, " %.9g", n->value);
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
  put_mesh(p, out);
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    str_printf(out, "entry %s {\n", le->entry->name);
    for (NodeId i = 0; i < le->graph->nodes.n; i++) put_node(p, le->graph, i, out);
    put_assigns(p, le->entry, le->assign, out);
    put_outputs(le->entry, le->output, out);
    str_puts(out, "}\n");
  }
}

/* -------- layouts -------- */

static void put_reason(const Plan *p, const Layout *l, const Inferred *why, const Spec *spec,
                       Str *out) {
  const Mesh *m = &p->program->mesh;
  bool any = false;
  for (int d = 0; d < l->rank; d++)
    for (int i = 0, k = 0; i < MAX_AXES && k < l->dim[d].naxes; i++) {
      const Reason *r = &why->why[d][i];
      /* Axes of size 1 are not in the layout, but have a reason. */
      if (!r->said.file && !r->from) continue;
      str_printf(out, "%s%s: ", any ? "; " : "", m->axis[l->dim[d].axis[k++]].name);
      any = true;
      if (r->said.file) {
        str_printf(out, "said at %s", where(p, r->said));
      } else {
        if (r->op == NO_NODE) {
          str_printf(out, "from %s, its value in entry %s", r->from,
                     p->program->entries.at[r->entry].name);
        } else {
          const Node *n = graph_node(p->program->entries.at[r->entry].graph, r->op);
          const char *at = node_where(p->program, n);
          str_printf(out, "from %s by %s%s%s", r->from, op_def(n->op)->name, *at ? " at " : "", at);
        }
      }
    }
  if (any) return;
  if (spec && !spec->open)
    str_printf(out, "whole: said at %s", where(p, spec->span));
  else
    str_puts(out, "whole: nothing cuts it");
}

typedef struct Row {
  const char *name, *type, *layout, *local, *why;
} Row;

typedef struct Rows {
  VEC(Row) r;
} Rows;

static void add_row(const Plan *p, Rows *rows, const char *name, DType t, const Shape *s,
                    const Layout *l, const Inferred *why, const Spec *spec) {
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
  put_reason(p, l, why, spec, &reason);
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

void dump_layouts(const Plan *p, Str *out) {
  Rows vars = {0};
  put_mesh(p, out);
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    add_row(p, &vars, v->path, v->dtype, &v->shape, v->layout, &p->var_inferred[i], v->spec);
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
              p->inferred[e][i], n->spec);
    }
    put_rows(&rows, out);
    for (int i = 0; i < en->outputs.n; i++) {
      const Output *o = &en->outputs.at[i];
      str_printf(out, "  return %s = %s %s", o->name, node_text(en->graph, o->node, p->arena),
                 layout_text(p->arena, &p->program->mesh, o->layout));
      if (o->spec) str_printf(out, "  said at %s", where(p, o->spec->span));
      str_puts(out, "\n");
    }
  }
}

/* -------- comm -------- */

static const char *axes_text(const Plan *p, uint32_t axes) {
  Str s = str_new(p->arena);
  for (int a = 0; a < p->program->mesh.naxes; a++)
    if (axes & 1u << a) str_printf(&s, "%s%s", s.n ? ", " : "", p->program->mesh.axis[a].name);
  return s.at;
}

static void put_exchange(const Plan *p, const LocalEntry *le, NodeId id, Str *out, int64_t *bytes) {
  const Node *n = graph_node(le->graph, id), *x = graph_operand(le->graph, n, 0);
  Exchange ex = exchange_of(p->program, x->layout, n->layout, &n->shape, n->dtype);
  NodeId cause = le->cause.at[id];
  const Graph *g = le->entry->graph;
  str_printf(out, "    %s over (%s) of %ld  %ld bytes a device  %s ", exchange_name(ex.kind),
             axes_text(p, ex.axes), (long)ex.group, (long)ex.bytes,
             node_text(g, le->origin.at[id], p->arena));
  str_puts(out, dtype_name(n->dtype));
  shape_put(out, &n->shape);
  str_printf(out, " %s -> %s", layout_text(p->arena, &p->program->mesh, x->layout),
             layout_text(p->arena, &p->program->mesh, n->layout));
  if (cause != NO_NODE) {
    const Node *c = graph_node(g, cause);
    str_printf(out, "  for %s (%s) at %s", node_text(g, cause, p->arena), op_def(c->op)->name,
               node_where(p->program, c));
  } else {
    str_printf(out, "  made at %s", node_where(p->program, graph_node(g, le->origin.at[id])));
  }
  str_puts(out, "\n");
  *bytes += ex.bytes;
}

void dump_comm(const Plan *p, Str *out) {
  put_mesh(p, out);
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    int64_t bytes = 0;
    int count = 0, local = 0;
    Str list = str_new(p->arena);
    for (int t = 0; t < le->steps.n; t++) {
      const Step *s = &le->steps.at[t];
      if (s->kind != STEP_EXCHANGE) continue;
      const Node *n = graph_node(le->graph, s->nodes.at[0]);
      if (exchange_of(p->program, graph_operand(le->graph, n, 0)->layout, n->layout, &n->shape,
                      n->dtype)
              .kind == DTRT_COPY) {
        local++;
        continue;
      }
      count++;
      str_printf(&list, "  exchange %d%s\n", count, s->nodes.n > 1 ? ", combined" : "");
      for (int i = 0; i < s->nodes.n; i++) put_exchange(p, le, s->nodes.at[i], &list, &bytes);
    }
    str_printf(
        out, "entry %s: %d exchange%s, %ld bytes a device each call%s\n", le->entry->name, count,
        count == 1 ? "" : "s", (long)bytes,
        local ? arena_printf(p->arena, " (and %d local cop%s)", local, local == 1 ? "y" : "ies")
              : "");
    str_puts(out, list.at);
  }
}

/* -------- memory -------- */

void dump_memory(const Plan *p, Str *out) {
  put_mesh(p, out);
  str_printf(out, "variables: %ld bytes a device\n", (long)p->vars_bytes);
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    Shape local = layout_local(&p->program->mesh, v->layout, &v->shape);
    str_printf(out, "  %10ld  %10ld  %s\n", (long)p->var_offset[i],
               (long)(shape_count(&local) * dtype_size(v->dtype)), v->path);
  }
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    str_printf(out, "entry %s: arena %ld bytes a device; %ld are alive at once\n", le->entry->name,
               (long)le->arena_bytes, (long)le->live_bytes);
    for (int i = 0; i < le->buffers.n; i++) {
      const Buffer *b = &le->buffers.at[i];
      if (b->place != PLACE_ARENA) continue;
      str_printf(out, "  %10ld  %10ld  steps %d..%d  %s\n", (long)b->offset, (long)b->bytes,
                 b->first, b->last, node_text(le->entry->graph, le->origin.at[b->node], p->arena));
    }
  }
}

/* -------- cost -------- */

static const char *time_text(const Plan *p, double s) {
  return cost_time_text(s, arena_alloc(p->arena, 16));
}

static void put_machine(const Plan *p, Str *out) {
  const Machine *m = p->program->machine;
  const Mesh *mesh = &p->program->mesh;
  str_printf(out, "machine %s: %.3g Gflop/s in products, %.3g in the rest, memory %.3g GB/s\n",
             m->name, m->flops / 1e9, m->vector_flops / 1e9, m->memory_bandwidth / 1e9);
  for (int a = 0; a < mesh->naxes; a++) {
    Link l = machine_axis(m, mesh, a);
    str_printf(out, "  axis %s: %.3g GB/s, %s a message\n", mesh->axis[a].name, l.bandwidth / 1e9,
               time_text(p, l.latency));
  }
}

static void put_entry_cost(const Plan *p, const LocalEntry *le, Str *out) {
  EntryCost c = cost_entry(p, le);
  str_printf(out, "entry %s: %s a call, modelled\n", le->entry->name, time_text(p, c.time));
  str_printf(out, "  computation  %-10s %4.1f%%  %.4g Mflop a device\n", time_text(p, c.compute),
             c.time > 0 ? 100 * c.compute / c.time : 0, c.flops / 1e6);
  str_printf(out, "  exchanges    %-10s %4.1f%%  %ld bytes a device in %d\n",
             time_text(p, c.exchange), c.time > 0 ? 100 * c.exchange / c.time : 0, (long)c.bytes,
             c.exchanges);
  for (int i = 0; i < c.over.n; i++) {
    const AxesCost *a = &c.over.at[i];
    str_printf(out, "    over (%s)  %-10s %4.1f%%  %ld bytes a device in %d\n",
               axes_text(p, a->axes), time_text(p, a->time), 100 * a->time / c.time, (long)a->bytes,
               a->exchanges);
  }
  int64_t memory = p->vars_bytes + le->arena_bytes;
  str_printf(out, "  memory       %ld bytes a device: variables %ld, arena %ld", (long)memory,
             (long)p->vars_bytes, (long)le->arena_bytes);
  if (p->program->machine->memory > 0)
    str_printf(out, " (%.3g%% of %.4g GB)", 100 * (double)memory / p->program->machine->memory,
               p->program->machine->memory / 1e9);
  str_puts(out, "\n");
}

void dump_cost(const Plan *p, Str *out) {
  put_mesh(p, out);
  put_machine(p, out);
  for (int e = 0; e < p->entries.n; e++) put_entry_cost(p, &p->entries.at[e], out);
}
