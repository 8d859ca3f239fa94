/* The stages of --dump that a plan has, and the words that they share. */
#include "edits.h"
#include <string.h>

const char *report_where(const Plan *p, Span s) {
  return diag_where(p->program->diag, p->arena, s);
}

void report_mesh(const Plan *p, Str *out) {
  const Mesh *m = &p->program->mesh;
  if (!m->naxes) {
    str_puts(out, "mesh []  1 device\n");
    return;
  }
  str_puts(out, "mesh [");
  for (int i = 0; i < m->naxes; i++)
    str_printf(out, "%s%s=%ld", i ? ", " : "", m->axis[i].name, (long)m->axis[i].size);
  str_printf(out, "]  %ld device%s\n", (long)mesh_devices(m), mesh_devices(m) == 1 ? "" : "s");
}

const char *report_axes(const Plan *p, uint32_t axes) {
  Str s = str_new(p->arena);
  for (int a = 0; a < p->program->mesh.naxes; a++)
    if (axes & 1u << a) str_printf(&s, "%s%s", s.n ? ", " : "", p->program->mesh.axis[a].name);
  return s.at;
}

const char *report_time(const Plan *p, double s) {
  return cost_time_text(s, arena_alloc(p->arena, 16));
}

const char *report_change(const Plan *p, double was, double is) {
  if (was == is) return "+0.0%";
  return was > 0 ? arena_printf(p->arena, "%+.1f%%", 100 * (is / was - 1)) : "new";
}

const char *report_layout(const Plan *p, const Layout *l) {
  return layout_text(p->arena, &p->program->mesh, l);
}

/* From the beginning of a layout statement, else the layout alone. */
const char *statement_text(const Plan *p, Span s) {
  const Source *src = diag_source(p->program->diag, s.file);
  if (!src) return "";
  uint32_t b = s.begin;
  while (b > 0 && src->text[b - 1] != '\n' && src->text[b - 1] != ';') b--;
  while (b < s.begin && (src->text[b] == ' ' || src->text[b] == '\t')) b++;
  if (s.end - b > 100 || strncmp(src->text + b, "layout ", 7)) b = s.begin;
  return arena_strndup(p->arena, src->text + b, s.end - b);
}

const char *statement_line(const Plan *p, Span s) {
  const Source *src = diag_source(p->program->diag, s.file);
  if (!src) return "";
  uint32_t b = s.begin, e = s.end;
  while (b > 0 && src->text[b - 1] != '\n' && src->text[b - 1] != ';') b--;
  while (src->text[b] == ' ' || src->text[b] == '\t') b++;
  while (e < src->len && !strchr("\n\r;#", src->text[e])) e++;
  while (e > b && (src->text[e - 1] == ' ' || src->text[e - 1] == '\t')) e--;
  return arena_strndup(p->arena, src->text + b, e - b);
}

bool report_moves(const Plan *p, const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->graph, id);
  return n->op == OP_exchange && exchange_of(p->program, graph_operand(le->graph, n, 0)->layout,
                                             n->layout, &n->shape, n->dtype)
                                         .kind != DTRT_COPY;
}

bool report_dump(const Plan *p, const FrontOptions *front, const char *stage, Str *out) {
  static const struct {
    const char *name;
    void (*dump)(const Plan *p, Str *out);
  } stages[] = {{"graph", dump_graph}, {"layouts", dump_layouts}, {"statements", dump_statements},
                {"spmd", dump_spmd},   {"loops", dump_loops},  {"memory", dump_memory},   {"cost", dump_cost}};
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
    if (!strcmp(stage, stages[i].name)) {
      stages[i].dump(p, out);
      return true;
    }
  if (!strcmp(stage, "comm"))
    dump_comm(p, front, out);
  else if (!strcmp(stage, "edits"))
    edits_put(edits_try(p, front, edits_many(p), 10 * EDITS_SECOND), out);
  else
    return false;
  return true;
}
