/* --dump=layouts, comm, memory and cost for programs: one JSON object on one line, described in
 * docs/dumps.md. Keys are only ever added; numbers are bytes, seconds and counts without units. */
#include "algorithm_table.h"
#include "choose.h"
#include "html_json.h"
#include "report.h"
#include <string.h>

/* -------- pieces -------- */

static void put_key(Str *out, const char *key) {
  bool first = out->n && strchr("{[", out->at[out->n - 1]);
  str_printf(out, "%s\"%s\":", first ? "" : ",", key);
}

static void put_text(Str *out, const char *key, const char *text) {
  put_key(out, key);
  html_json_string(out, text);
}

static void put_integer(Str *out, const char *key, int64_t n) {
  put_key(out, key);
  str_printf(out, "%lld", (long long)n);
}

static void put_number(Str *out, const char *key, double x) {
  put_key(out, key);
  html_json_number(out, x);
}

static void put_bool(Str *out, const char *key, bool b) {
  put_key(out, key);
  str_puts(out, b ? "true" : "false");
}

static void begin_list(Str *out, const char *key) {
  put_key(out, key);
  str_puts(out, "[");
}

static void begin_object(Str *out) {
  str_puts(out, out->n && out->at[out->n - 1] == '}' ? ",{" : "{");
}

static void put_axes(const Plan *p, Str *out, const char *key, uint32_t axes) {
  const char *comma = "";
  begin_list(out, key);
  for (int a = 0; a < p->program->mesh.naxes; a++) {
    if (!(axes & 1u << a)) continue;
    str_puts(out, comma);
    html_json_string(out, p->program->mesh.axis[a].name);
    comma = ",";
  }
  str_puts(out, "]");
}

static void put_shape(Str *out, const char *key, const Shape *s) {
  begin_list(out, key);
  for (int d = 0; d < s->rank; d++) str_printf(out, "%s%lld", d ? "," : "", (long long)s->dim[d]);
  str_puts(out, "]");
}

/* "axes": for each dim the axes that split it, the major first. */
static void put_layout(const Plan *p, Str *out, const Layout *l, const Shape *s) {
  const Mesh *m = &p->program->mesh;
  bool even = true;
  put_text(out, "layout", report_layout(p, l));
  begin_list(out, "axes");
  for (int d = 0; d < l->rank; d++) {
    even = even && dim_even(m, &l->dim[d], s->dim[d]);
    str_puts(out, d ? ",[" : "[");
    for (int i = 0; i < l->dim[d].naxes; i++) {
      str_puts(out, i ? "," : "");
      html_json_string(out, m->axis[l->dim[d].axis[i]].name);
    }
    str_puts(out, "]");
  }
  str_puts(out, "]");
  put_axes(p, out, "partial", l->partial);
  Shape here = layout_local(m, l, s);
  put_shape(out, "local", &here);
  put_bool(out, "even", even);
}

static void begin_dump(const Plan *p, Str *out, const char *stage) {
  const Mesh *m = &p->program->mesh;
  begin_object(out);
  put_text(out, "dump", stage);
  put_integer(out, "format", 1);
  begin_list(out, "mesh");
  for (int a = 0; a < m->naxes; a++) {
    begin_object(out);
    put_text(out, "axis", m->axis[a].name);
    put_integer(out, "size", m->axis[a].size);
    str_puts(out, "}");
  }
  str_puts(out, "]");
  put_integer(out, "devices", mesh_devices(m));
  put_text(out, "machine", p->program->machine->name);
}

static void put_type(Str *out, DType t, const Shape *s) {
  put_text(out, "dtype", dtype_name(t));
  put_shape(out, "shape", s);
}

/* -------- layouts -------- */

static void put_origin(const Plan *p, Str *out, const char *origin, const Spec *spec) {
  put_text(out, "from", origin);
  if (spec) put_text(out, "annotated_at", report_where(p, spec->span));
}

static void put_variables(const Plan *p, Str *out) {
  begin_list(out, "variables");
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    begin_object(out);
    put_text(out, "name", v->path);
    put_bool(out, "trainable", v->trainable);
    put_type(out, v->dtype, &v->shape);
    put_layout(p, out, v->layout, &v->shape);
    put_origin(p, out, report_origin(p, (TensorId){TENSOR_VAR, 0, i}, v->layout), v->spec);
    str_puts(out, "}");
  }
  str_puts(out, "]");
}

static void put_values(const Plan *p, const LocalEntry *le, Str *out) {
  const Graph *g = le->entry->graph;
  Choice *trial = NULL;
  begin_list(out, "values");
  for (NodeId i = 0; i < g->nodes.n; i++) {
    const Node *n = graph_node(g, i);
    if (n->op == OP_var || node_is_const(n)) continue;
    begin_object(out);
    put_text(out, "name", node_label(p->program, g, i, p->arena));
    put_bool(out, "named", n->name != NULL);
    put_text(out, "op", n->op->name);
    put_text(out, "where", node_where(p->program, n));
    put_type(out, n->dtype, &n->shape);
    put_layout(p, out, report_computed(p, le, i), &n->shape);
    put_origin(p, out, report_origin_of_node(p, le, &trial, i), n->spec);
    str_puts(out, "}");
  }
  str_puts(out, "]");
}

static void put_outputs(const Plan *p, const Entry *e, Str *out) {
  begin_list(out, "outputs");
  for (int i = 0; i < e->outputs.n; i++) {
    const Output *o = &e->outputs.at[i];
    begin_object(out);
    put_text(out, "name", o->name);
    put_text(out, "value", node_label(p->program, e->graph, o->node, p->arena));
    put_layout(p, out, o->layout, &graph_node(e->graph, o->node)->shape);
    if (o->spec) put_text(out, "annotated_at", report_where(p, o->spec->span));
    str_puts(out, "}");
  }
  str_puts(out, "]");
}

/* Every entry, `init` too. */
static void put_entries(const Plan *p, Str *out,
                        void (*put)(const Plan *p, const LocalEntry *le, Str *out)) {
  begin_list(out, "entries");
  for (int e = 0; e < p->entries.n; e++) {
    begin_object(out);
    put_text(out, "name", p->entries.at[e].entry->name);
    put(p, &p->entries.at[e], out);
    str_puts(out, "}");
  }
  str_puts(out, "]}\n");
}

static void put_entry_layouts(const Plan *p, const LocalEntry *le, Str *out) {
  put_values(p, le, out);
  put_outputs(p, le->entry, out);
}

void dump_layouts_json(const Plan *p, Str *out) {
  begin_dump(p, out, "layouts");
  put_variables(p, out);
  put_entries(p, out, put_entry_layouts);
}

/* -------- comm -------- */

static void put_move(const Plan *p, const LocalEntry *le, NodeId id, Str *out) {
  const Graph *g = le->entry->graph;
  const Node *n = graph_node(le->graph, id), *x = graph_operand(le->graph, n, 0);
  Exchange ex = exchange_at(p->program, le->graph, n);
  NodeId cause = le->cause.at[id], origin = le->origin.at[id];
  Str why = str_new(p->arena);
  explain_exchange(p, le, id, &why);
  begin_object(out);
  put_text(out, "kind", exchange_name(ex.kind));
  put_axes(p, out, "over", ex.axes);
  put_integer(out, "group", ex.group);
  put_integer(out, "bytes", ex.bytes);
  put_text(out, "value", node_label(p->program, g, origin, p->arena));
  if (n->panels) {
    put_integer(out, "panel", n->panel);
    put_integer(out, "panels", n->panels);
  }
  put_type(out, n->dtype, &n->shape);
  put_text(out, "from", report_layout(p, x->layout));
  put_text(out, "to", report_layout(p, n->layout));
  put_key(out, "for");
  html_json_string(out, cause == NO_NODE ? NULL : node_label(p->program, g, cause, p->arena));
  put_text(out, "where", node_where(p->program, graph_node(g, cause == NO_NODE ? origin : cause)));
  put_text(out, "why", why.at);
  str_puts(out, "}");
}

static void put_entry_comm(const Plan *p, const LocalEntry *le, Str *out) {
  EntryCost c = cost_entry(p, le);
  put_number(out, "time", c.time);
  put_number(out, "exchange_time", c.exchange);
  put_number(out, "hidden_time", c.hidden);
  put_integer(out, "bytes", c.bytes);
  double *hidden = arena_array(p->arena, double, le->steps.n + 1);
  cost_hidden(p, le, 1, hidden);
  begin_list(out, "exchanges");
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    if (s->kind != STEP_EXCHANGE || !report_moves(p, le, s->nodes.at[0])) continue;
    begin_object(out);
    put_integer(out, "step", t);
    StepCost c = cost_step(p, le, t);
    put_number(out, "time", c.exchange);
    put_number(out, "hidden_time", hidden[t]);
    put_integer(out, "bytes", c.bytes);
    if (c.algorithm < ALGORITHMS)
      put_text(out, "algorithm", collective_algorithm(c.algorithm)->name);
    put_integer(out, "waits", c.rounds);
    put_integer(out, "messages", c.messages);
    put_bool(out, "overlapped", s->slot != 0);
    begin_list(out, "moves");
    for (int i = 0; i < s->nodes.n; i++) put_move(p, le, s->nodes.at[i], out);
    str_puts(out, "]}");
  }
  str_puts(out, "]");
}

void dump_comm_json(const Plan *p, Str *out) {
  begin_dump(p, out, "comm");
  put_text(out, "sums", p->program->fast_sums ? "fast" : "fixed");
  put_entries(p, out, put_entry_comm);
}

/* -------- memory -------- */

/* `first`, `next`: the values in a buffer, one after the other. */
static void put_buffer(const Plan *p, const LocalEntry *le, int b, const NodeId *first,
                       const NodeId *next, Str *out) {
  const Buffer *x = &le->buffers.at[b];
  const char *comma = "";
  begin_object(out);
  put_integer(out, "offset", x->offset);
  put_integer(out, "bytes", x->bytes);
  put_integer(out, "first_step", x->first);
  put_integer(out, "last_step", x->last);
  put_bool(out, "partial_sums", x->scratch);
  begin_list(out, "values");
  for (NodeId i = x->scratch ? x->node : first[b]; i != NO_NODE;
       i = x->scratch ? NO_NODE : next[i]) {
    str_puts(out, comma);
    html_json_string(out, node_label(p->program, le->entry->graph, le->origin.at[i], p->arena));
    comma = ",";
  }
  str_puts(out, "]}");
}

/* Which steps loops and branches hold; runs: unless it is known only at run time. */
static void put_loops(const Plan *p, const LocalEntry *le, Str *out) {
  begin_list(out, "loops");
  for (int r = 0; r < le->entry->regions.n; r++) {
    const Region *x = &le->entry->regions.at[r];
    if (x->condition == NO_NODE || le->region[r].condition == NO_NODE) continue;
    const RegionSpan steps = region_span(le, r);
    if (steps.end <= steps.begin) continue;
    begin_object(out);
    put_text(out, "kind", x->kind == REGION_LOOP ? "loop" : "branch");
    put_integer(out, "first_step", steps.begin);
    put_integer(out, "last_step", steps.end - 1);
    if (x->kind == REGION_LOOP && x->turns != TURNS_UNKNOWN) put_integer(out, "runs", x->turns);
    if (x->kind == REGION_LOOP && x->most) put_integer(out, "most", x->most);
    if (x->as_one) put_integer(out, "serves_runs", x->as_one);
    if (x->segment[0]) {
      begin_list(out, "segments");
      for (int l = 0; l < KEEP_LEVELS && x->segment[l]; l++)
        str_printf(out, "%s%lld", l ? ", " : "", (long long)x->segment[l]);
      str_puts(out, "]");
    }
    put_text(out, "where", node_where(p->program, graph_node(le->graph, le->region[r].condition)));
    str_puts(out, "}");
  }
  str_puts(out, "]");
}

static void put_entry_memory(const Plan *p, const LocalEntry *le, Str *out) {
  NodeId *first = arena_array(p->arena, NodeId, le->buffers.n + 1);
  NodeId *next = arena_array(p->arena, NodeId, le->graph->nodes.n + 1);
  for (int i = 0; i < le->buffers.n; i++) first[i] = NO_NODE;
  for (NodeId i = le->graph->nodes.n - 1; i >= 0; i--)
    if (le->buffer[i] >= 0) next[i] = first[le->buffer[i]], first[le->buffer[i]] = i;
  put_integer(out, "arena", le->arena_bytes);
  put_integer(out, "live", le->live_bytes);
  put_loops(p, le, out);
  begin_list(out, "buffers");
  for (int i = 0; i < le->buffers.n; i++)
    if (le->buffers.at[i].place == PLACE_ARENA) put_buffer(p, le, i, first, next, out);
  str_puts(out, "]");
}

void dump_memory_json(const Plan *p, Str *out) {
  dtrt_memory m = report_memory(p);
  begin_dump(p, out, "memory");
  if (m.total >= 0) put_integer(out, "total", (int64_t)m.total);
  if (m.total >= 0) put_integer(out, "exchange_buffers", (int64_t)m.exchanges);
  put_integer(out, "arena", (int64_t)m.arena);
  put_integer(out, "packing", (int64_t)m.packing);
  put_integer(out, "variable_bytes", p->vars_bytes);
  begin_list(out, "variables");
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    begin_object(out);
    put_text(out, "name", v->path);
    put_integer(out, "offset", p->var_offset[i]);
    put_integer(out, "bytes", layout_bytes(&p->program->mesh, v->layout, &v->shape, v->dtype));
    str_puts(out, "}");
  }
  str_puts(out, "]");
  put_entries(p, out, put_entry_memory);
}

/* -------- cost -------- */

static void put_entry_cost(const Plan *p, const LocalEntry *le, Str *out) {
  EntryCost c = cost_entry(p, le);
  put_number(out, "time", c.time);
  put_number(out, "compute_time", c.compute);
  put_number(out, "exchange_time", c.exchange);
  put_number(out, "hidden_time", c.hidden);
  const int64_t cores = machine_cores(p->program->machine, mesh_devices(&p->program->mesh));
  put_integer(out, "cores", cores);
  put_number(out, "time_on_cores", cost_call_on_cores(p, le, cores));
  put_number(out, "flops", c.flops);
  put_integer(out, "bytes", c.bytes);
  put_integer(out, "exchanges", c.exchanges);
  begin_list(out, "over");
  for (int i = 0; i < c.over.n; i++) {
    const AxesCost *a = &c.over.at[i];
    begin_object(out);
    put_axes(p, out, "axes", a->axes);
    put_number(out, "time", a->time);
    put_integer(out, "bytes", a->bytes);
    put_integer(out, "exchanges", a->exchanges);
    str_puts(out, "}");
  }
  str_puts(out, "]");
  put_integer(out, "arena", le->arena_bytes);
}

void dump_cost_json(const Plan *p, Str *out) {
  const Machine *m = p->program->machine;
  begin_dump(p, out, "cost");
  put_number(out, "flops_rate", m->flops);
  put_number(out, "vector_flops_rate", m->vector_flops);
  put_number(out, "memory_bandwidth", m->memory_bandwidth);
  put_integer(out, "host_cores", m->cores);
  put_number(out, "host_bandwidth", m->host_bandwidth);
  str_puts(out, ",\"caches\":[");
  for (int l = 0; l < CACHE_LEVELS && m->cache[l].size > 0; l++) {
    str_printf(out, "%s{\"level\":%d", l ? "," : "", l + 1);
    put_integer(out, "size", (int64_t)m->cache[l].size);
    put_integer(out, "cores", m->cache[l].cores);
    put_number(out, "bandwidth", m->cache[l].bandwidth);
    str_puts(out, "}");
  }
  str_puts(out, "]");
  put_integer(out, "variable_bytes", p->vars_bytes);
  put_entries(p, out, put_entry_cost);
}
