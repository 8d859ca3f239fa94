/* --emit-html: a plan as one page that needs nothing else. The page is its data, as JSON, and the
 * fixed texts page.css and *.js beside this file, which are built in. All drawing is done there:
 * the data says what the plan is, by number where something is said often, and grows with the graph
 * and not with the number of devices. The same plan always gives the same bytes. */
#include "report.h"
#include "html_json.h"
#include "utf8.h"
#include <string.h>

typedef struct Page {
  const Plan *plan;
  Arena *arena;
  Str *out;
  JsonTable names, types, layouts, places;
  JsonLines lines;
} Page;

/* -------- values that tables hold -------- */

static int name_index(Page *g, const char *name) {
  Str s = str_new(g->arena);
  html_json_string(&s, name);
  return html_json_intern(&g->names, s.at);
}

/* ["f32", bytes of an element, [64, 784]] */
static int type_index(Page *g, DType t, const Shape *shape) {
  Str s = str_new(g->arena);
  str_printf(&s, "[\"%s\",%d,[", dtype_name(t), dtype_size(t));
  for (int d = 0; d < shape->rank; d++)
    str_printf(&s, "%s%lld", d ? "," : "", (long long)shape->dim[d]);
  str_puts(&s, "]]");
  return html_json_intern(&g->types, s.at);
}

static void put_dim(Str *s, const DimLayout *d) {
  str_puts(s, "{\"axes\":[");
  for (int i = 0; i < d->naxes; i++) str_printf(s, "%s%d", i ? "," : "", d->axis[i]);
  str_puts(s, "]");
  if (d->granule > 1) str_printf(s, ",\"by\":%lld", (long long)d->granule);
  if (d->window.of)
    str_printf(s, ",\"window\":[%lld,%lld,%lld,%lld,%lld,%d]", (long long)d->window.of,
               (long long)d->window.mul, (long long)d->window.div, (long long)d->window.first,
               (long long)d->window.last, d->window.cyclic ? 1 : 0);
  str_puts(s, "}");
}

static int layout_index(Page *g, const Layout *l) {
  static const char *const reduce[] = {
      [RED_SUM] = "sum", [RED_MAX] = "max", [RED_MIN] = "min", [RED_PROD] = "prod"};
  const Mesh *m = &g->plan->program->mesh;
  Str s = str_new(g->arena);
  str_puts(&s, "{\"text\":");
  html_json_string(&s, layout_text(g->arena, m, l));
  str_puts(&s, ",\"dims\":[");
  for (int d = 0; d < l->rank; d++) {
    if (d) str_puts(&s, ",");
    put_dim(&s, &l->dim[d]);
  }
  str_printf(&s, "],\"partial\":%u,\"reduce\":\"%s\"}", l->partial, reduce[l->reduce]);
  return html_json_intern(&g->layouts, s.at);
}

/* [file, line] or [file, line, file, line] of the call; files count from 1. -1: nowhere */
static int place_index(Page *g, Span at, Span site) {
  int line = html_json_line(&g->lines, at), call;
  if (!line) return -1;
  Str s = str_new(g->arena);
  str_printf(&s, "[%u,%d", at.file, line);
  if (site.file && site.file != at.file && (call = html_json_line(&g->lines, site)))
    str_printf(&s, ",%u,%d", site.file, call);
  str_puts(&s, "]");
  return html_json_intern(&g->places, s.at);
}

/* -------- reasons -------- */

/* One an axis that has one, said: [axis, "said", place]; inferred: [axis, "from", kind, entry,
 * index of the tensor, entry of the op, op or -1, how it won]; [axis, "kept"]; [axis, "shared"];
 * or, of an output, [axis, "cheapest"]. */
static void put_reasons(Page *g, TensorId t) {
  static const char *const kind[] = {
      [TENSOR_NODE] = "node", [TENSOR_VAR] = "var", [TENSOR_OUTPUT] = "output"};
  static const char *const won[] = {
      [WON_ALONE] = "", [WON_LONGEST] = "longest", [WON_LARGEST] = "largest"};
  const char *comma = "";
  str_puts(g->out, "[");
  for (int a = 0; a < g->plan->program->mesh.naxes; a++) {
    Reason r = reason_of(g->plan, t, a);
    if (r.kind == WHY_NOTHING) continue;
    str_printf(g->out, "%s[%d,", comma, a);
    if (r.kind == WHY_ANNOTATED)
      str_printf(g->out, "\"said\",%d", place_index(g, r.said, (Span){0}));
    else if (r.kind == WHY_KEPT)
      str_puts(g->out, "\"kept\"");
    else if (r.kind == WHY_SHARED)
      str_puts(g->out, "\"shared\"");
    else if (r.kind == WHY_CHEAPEST)
      str_puts(g->out, "\"cheapest\"");
    else
      str_printf(g->out, "\"from\",\"%s\",%d,%d,%d,%d,\"%s\"", kind[r.from.kind], r.from.entry,
                 r.from.index, r.entry, r.op, won[r.won]);
    str_puts(g->out, "]");
    comma = ",";
  }
  str_puts(g->out, "]");
}

static int spec_place(Page *g, const Spec *spec) {
  return spec && !spec->open ? place_index(g, spec->span, (Span){0}) : -1;
}

/* -------- one entry -------- */

/* The whole program's nodes: [op, name, type, layout, place, reasons, place of the annotation]. */
static void put_global(Page *g, int e) {
  const Entry *en = &g->plan->program->entries.at[e];
  str_puts(g->out, "\"global\":[");
  for (NodeId i = 0; i < en->graph->nodes.n; i++) {
    const Node *n = graph_node(en->graph, i);
    str_printf(g->out, "%s[%d,%d,%d,%d,%d,", i ? ",\n" : "", name_index(g, n->op->name),
               n->name ? name_index(g, n->name) : -1, type_index(g, n->dtype, &n->shape),
               layout_index(g, n->layout), place_index(g, n->span, n->site));
    put_reasons(g, tensor_of_node(g->plan, e, i));
    str_printf(g->out, ",%d]", spec_place(g, n->spec));
  }
  str_puts(g->out, "],\n");
}

/* One device's nodes: [op, origin, type, layout, [operands], value or variable or null, buffer]. */
static void put_local(Page *g, const LocalEntry *le) {
  str_puts(g->out, "\"local\":[");
  for (NodeId i = 0; i < le->graph->nodes.n; i++) {
    const Node *n = graph_node(le->graph, i);
    str_printf(g->out, "%s[%d,%d,%d,%d,[", i ? ",\n" : "", name_index(g, n->op->name),
               le->origin.at[i], type_index(g, n->dtype, &n->shape), layout_index(g, n->layout));
    for (int k = 0; k < n->noperands; k++) str_printf(g->out, "%s%d", k ? "," : "", n->operand[k]);
    str_puts(g->out, "],");
    if (node_is_const(n))
      html_json_number(g->out, n->value);
    else if (n->op == OP_var)
      str_printf(g->out, "%lld", (long long)node_source(n));
    else
      str_puts(g->out, "null");
    str_printf(g->out, ",%d]", le->buffer[i]);
  }
  str_puts(g->out, "],\n");
}

/* [kind, [nodes], seconds, flops, bytes received], and of steps in loops [..., " x 40" or " x ?",
 * runs that the model takes] */
static void put_steps(Page *g, const LocalEntry *le) {
  static const char *const kind[] = {
      [STEP_MAP] = "map",         [STEP_REDUCE] = "reduce",     [STEP_KERNEL] = "contract",
      [STEP_SCATTER] = "scatter", [STEP_EXCHANGE] = "exchange", [STEP_TILES] = "tiles",
      [STEP_WAIT] = "wait"};
  str_puts(g->out, "\"steps\":[");
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    StepCost c = cost_step(g->plan, le, t);
    str_printf(g->out, "%s[\"%s\",[", t ? ",\n" : "", kind[s->kind]);
    for (int i = 0; i < s->nodes.n; i++) str_printf(g->out, "%s%d", i ? "," : "", s->nodes.at[i]);
    str_puts(g->out, "],");
    html_json_number(g->out, c.compute + c.exchange);
    str_puts(g->out, ",");
    html_json_number(g->out, c.flops);
    str_printf(g->out, ",%lld", (long long)c.bytes);
    const Turns turns = step_turns(le, t);
    if (turns.in_loop) {
      str_printf(g->out, ",\"%s\",", report_turns(g->plan, &turns));
      html_json_number(g->out, turns.times);
    }
    str_puts(g->out, "]");
  }
  str_puts(g->out, "],\n");
}

/* [step, node, kind, set of axes, group, bytes, seconds, global node that required it or -1, why].
 * The time of combined exchanges is theirs together, shared out as they would cost alone. */
static void put_exchanges(Page *g, const LocalEntry *le) {
  const Program *p = g->plan->program;
  const char *comma = "";
  str_puts(g->out, "\"exchanges\":[");
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    if (s->kind != STEP_EXCHANGE) continue;
    double all = 0;
    StepCost c = cost_step(g->plan, le, t);
    double *alone = arena_array(g->arena, double, s->nodes.n);
    for (int i = 0; i < s->nodes.n; i++) {
      const Node *n = graph_node(le->graph, s->nodes.at[i]), *x = graph_operand(le->graph, n, 0);
      all += alone[i] = cost_exchange(p, x->layout, n->layout, &n->shape, n->dtype);
    }
    for (int i = 0; i < s->nodes.n; i++) {
      NodeId id = s->nodes.at[i];
      const Exchange ex = exchange_at(p, le->graph, graph_node(le->graph, id));
      str_printf(g->out, "%s[%d,%d,\"%s\",%u,%lld,%lld,", comma, t, id, exchange_name(ex.kind),
                 ex.axes, (long long)ex.group, (long long)ex.bytes);
      html_json_number(g->out, all > 0 ? (c.compute + c.exchange) * alone[i] / all : 0);
      Str why = str_new(g->arena);
      explain_exchange(g->plan, le, id, &why);
      str_printf(g->out, ",%d,%d]", le->cause.at[id], name_index(g, why.at));
      comma = ",\n";
    }
  }
  str_puts(g->out, "],\n");
}

/* [offset, bytes, first step, last step, local node], those of the arena; and by buffer of `local`
 * the variable or null */
static void put_buffers(Page *g, const LocalEntry *le) {
  str_puts(g->out, "\"buffers\":[");
  for (int i = 0; i < le->buffers.n; i++) {
    const Buffer *b = &le->buffers.at[i];
    str_printf(g->out, "%s[%lld,%lld,%d,%d,%d,%d]", i ? ",\n" : "", (long long)b->offset,
               (long long)b->bytes, b->first, b->last, b->node,
               b->place == PLACE_VAR ? b->var : -1);
  }
  str_printf(g->out, "],\n\"arena\":%lld,\"live\":%lld,\n", (long long)le->arena_bytes,
             (long long)le->live_bytes);
}

/* Local nodes; an output is [name, node, reasons], an assignment [variable, node]. */
static void put_ends(Page *g, const LocalEntry *le) {
  const Entry *e = le->entry;
  str_puts(g->out, "\"inputs\":[");
  for (int i = 0; i < e->inputs.n; i++) str_printf(g->out, "%s%d", i ? "," : "", le->input[i]);
  str_puts(g->out, "],\"outputs\":[");
  for (int i = 0; i < e->outputs.n; i++) {
    str_printf(g->out, "%s[%d,%d,", i ? "," : "", name_index(g, e->outputs.at[i].name),
               le->output[i]);
    put_reasons(g, (TensorId){TENSOR_OUTPUT, le->index, i});
    str_puts(g->out, "]");
  }
  str_puts(g->out, "],\"assigns\":[");
  for (int i = 0; i < e->assigns.n; i++)
    str_printf(g->out, "%s[%d,%d]", i ? "," : "", e->assigns.at[i].var, le->assign[i]);
  str_puts(g->out, "]");
}

static void put_entry_cost(Page *g, const LocalEntry *le) {
  EntryCost c = cost_entry(g->plan, le);
  str_puts(g->out, "\"compute\":");
  html_json_number(g->out, c.compute);
  str_puts(g->out, ",\"exchange\":");
  html_json_number(g->out, c.exchange);
  str_puts(g->out, ",\"hidden\":");
  html_json_number(g->out, c.hidden);
  str_puts(g->out, ",\"flops\":");
  html_json_number(g->out, c.flops);
  str_printf(g->out, ",\"received\":%lld,\"over\":[", (long long)c.bytes);
  for (int i = 0; i < c.over.n; i++) {
    const AxesCost *a = &c.over.at[i];
    str_printf(g->out, "%s[%u,%d,%lld,", i ? "," : "", a->axes, a->exchanges, (long long)a->bytes);
    html_json_number(g->out, a->time);
    str_puts(g->out, "]");
  }
  str_puts(g->out, "],\n");
}

static void put_entry(Page *g, const LocalEntry *le) {
  str_puts(g->out, "{\"name\":");
  html_json_string(g->out, le->entry->name);
  str_printf(g->out, ",\"place\":%d,\n", place_index(g, le->entry->span, (Span){0}));
  put_entry_cost(g, le);
  put_global(g, le->index);
  put_local(g, le);
  put_steps(g, le);
  put_exchanges(g, le);
  put_buffers(g, le);
  put_ends(g, le);
  str_puts(g->out, "}");
}

/* -------- the program -------- */

static void put_mesh(Page *g) {
  const Program *p = g->plan->program;
  str_puts(g->out, "\"mesh\":[");
  for (int a = 0; a < p->mesh.naxes; a++) {
    Link l = machine_axis(p->machine, &p->mesh, a);
    str_puts(g->out, a ? ",[" : "[");
    html_json_string(g->out, p->mesh.axis[a].name);
    str_printf(g->out, ",%lld,", (long long)p->mesh.axis[a].size);
    html_json_number(g->out, l.bandwidth);
    str_puts(g->out, ",");
    html_json_number(g->out, l.latency);
    str_puts(g->out, "]");
  }
  str_puts(g->out, "],\n");
}

static void put_machine(Page *g) {
  const Machine *m = g->plan->program->machine;
  const double rate[] = {m->flops, m->vector_flops, m->memory_bandwidth, m->memory, m->start};
  str_puts(g->out, "\"machine\":[");
  html_json_string(g->out, m->name);
  for (int i = 0; i < 5; i++) {
    str_puts(g->out, ",");
    html_json_number(g->out, rate[i]);
  }
  str_puts(g->out, "],\n");
}

/* [path, type, layout, place, bytes here, offset, 1 for a param, reasons, place of the annotation]
 */
static void put_vars(Page *g) {
  const Plan *p = g->plan;
  str_puts(g->out, "\"vars\":[");
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    str_printf(g->out, "%s[%d,%d,%d,%d,%lld,%lld,%d,", i ? ",\n" : "", name_index(g, v->path),
               type_index(g, v->dtype, &v->shape), layout_index(g, v->layout),
               place_index(g, v->span, (Span){0}),
               (long long)layout_bytes(&p->program->mesh, v->layout, &v->shape, v->dtype),
               (long long)p->var_offset[i], v->trainable);
    put_reasons(g, (TensorId){TENSOR_VAR, 0, i});
    str_printf(g->out, ",%d]", spec_place(g, v->spec));
  }
  str_printf(g->out, "],\n\"vars_bytes\":%lld,\n", (long long)p->vars_bytes);
}

static void put_data(Page *g, const char *name) {
  const Plan *p = g->plan;
  str_puts(g->out, "{\"program\":");
  html_json_string(g->out, name);
  str_puts(g->out, ",\n");
  put_mesh(g);
  put_machine(g);
  put_vars(g);
  str_puts(g->out, "\"entries\":[");
  for (int e = 0; e < p->entries.n; e++) {
    if (e) str_puts(g->out, ",\n");
    put_entry(g, &p->entries.at[e]);
  }
  str_puts(g->out, "],\n");
  html_json_table(g->out, "names", &g->names);
  str_puts(g->out, ",\n");
  html_json_table(g->out, "types", &g->types);
  str_puts(g->out, ",\n");
  html_json_table(g->out, "layouts", &g->layouts);
  str_puts(g->out, ",\n");
  html_json_table(g->out, "places", &g->places);
  str_puts(g->out, ",\n");
  html_json_files(g->out, "files", &g->lines);
  str_puts(g->out, "}");
}

/* -------- the page -------- */

static void put_html(Str *out, const char *s) {
  for (int n; *s; s += n ? n : 1) {
    unsigned char c = (unsigned char)*s;
    n = utf8_character(s, strlen(s));
    if (n == 0 || c < 32 || c == 127)
      str_puts(out, "?");
    else if (strchr("<>&", c))
      str_printf(out, "&#%d;", c);
    else
      str_put(out, s, (size_t)n);
  }
}

void html_page(const Plan *p, const char *name, Str *out) {
  Arena *a = p->arena;
  Page g = {.plan = p, .arena = a, .out = out, .lines = html_json_lines_new(p->program->diag, a)};
  g.names.arena = g.types.arena = g.layouts.arena = g.places.arena = a;
  str_puts(out,
           "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  put_html(out, name);
  str_puts(out, ": layouts</title>\n<style>\n");
  str_puts(out, html_page_css);
  str_puts(out, "</style>\n</head>\n<body>\n<noscript>This page requires JavaScript: the script it "
                "contains draws it.</noscript>\n"
                "<script type=\"application/json\" id=\"data\">\n");
  put_data(&g, name);
  str_puts(out, "\n</script>\n<script>\n");
  for (int i = 0; html_scripts[i]; i++) str_puts(out, html_scripts[i]);
  str_puts(out, "</script>\n</body>\n</html>\n");
}
