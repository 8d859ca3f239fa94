/* The words that reports share. */
#include "algorithm_table.h"
#include "report.h"
#include <string.h>

const char *report_where(const Plan *p, Span s) {
  return diag_where(p->program->diag, p->arena, s);
}

void report_mesh(const Plan *p, Str *out) {
  const Mesh *m = &p->program->mesh;
  str_puts(out, "mesh [");
  for (int i = 0; i < m->naxes; i++)
    str_printf(out, "%s%s=%ld", i ? ", " : "", m->axis[i].name, (long)m->axis[i].size);
  str_printf(out, "]  %ld device%s  machine %s\n", (long)mesh_devices(m),
             mesh_devices(m) == 1 ? "" : "s", p->program->machine->name);
}

const char *report_axes(const Plan *p, uint32_t axes) {
  return axes_text(p->arena, &p->program->mesh, axes);
}

const char *report_value(const Plan *p, const Entry *e, NodeId id) {
  const Node *n = graph_node(e->graph, id);
  const char *text = node_text(p->program, e->graph, id, p->arena);
  return n->name ? arena_printf(p->arena, "%s (%s)", text, n->op->name) : text;
}

/* The same, and its line if that is not in it. */
static const char *report_value_at(const Plan *p, const Entry *e, NodeId id) {
  const Node *n = graph_node(e->graph, id);
  const char *text = report_value(p, e, id);
  if (n->name || (n->site.file && n->site.file != n->span.file))
    return arena_printf(p->arena, "%s at %s", text, node_where(p->program, n));
  return text;
}

const char *report_bytes(const Plan *p, double n) {
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
  int u = 0;
  while (n >= 1000 && u < 4) n /= 1000, u++;
  return arena_printf(p->arena, u ? "%.3g %s" : "%.0f %s", n, unit[u]);
}

const char *report_algorithm(const Plan *p, const StepCost *c) {
  if (c->algorithm == ALGORITHMS) return "";
  const char *messages = c->messages == 1 ? ", 1 message"
                         : c->messages
                             ? arena_printf(p->arena, ", %lld messages", (long long)c->messages)
                             : "";
  return arena_printf(p->arena, ", by %s: %lld wait%s%s", collective_algorithm(c->algorithm)->name,
                      (long long)c->rounds, c->rounds == 1 ? "" : "s", messages);
}

const char *report_time(const Plan *p, double s) {
  return cost_time_text(s, arena_alloc(p->arena, 16));
}

const char *report_turns(const Plan *p, const Turns *t) {
  if (!t->in_loop) return "";
  if (!t->unknown) return arena_printf(p->arena, " x %.0f", t->times);
  return t->known > 1 ? arena_printf(p->arena, " x %.0f x ?", t->known) : " x ?";
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
  return n->op == OP_exchange && exchange_at(p->program, le->graph, n).kind != DTRT_COPY;
}

void report_exchange(const Plan *p, const LocalEntry *le, NodeId id, Str *out) {
  const Node *n = graph_node(le->graph, id), *x = graph_operand(le->graph, n, 0);
  Exchange ex = exchange_at(p->program, le->graph, n);
  NodeId cause = le->cause.at[id];
  const Graph *g = le->entry->graph;
  str_printf(out, "    %s over (%s) of %ld  %ld bytes a device  %s ", exchange_name(ex.kind),
             report_axes(p, ex.axes), (long)ex.group, (long)ex.bytes,
             node_text(p->program, g, le->origin.at[id], p->arena));
  str_puts(out, dtype_name(n->dtype));
  shape_put(out, &n->shape);
  str_printf(out, " %s -> %s", report_layout(p, x->layout), report_layout(p, n->layout));
  if (n->panels) str_printf(out, ", panel %d of %d", n->panel, n->panels);
  if (cause != NO_NODE)
    str_printf(out, "\n      for %s\n", report_value_at(p, le->entry, cause));
  else
    str_printf(out, "\n      computed at %s\n",
               node_where(p->program, graph_node(g, le->origin.at[id])));
}

/* How good a place to break a line is the blank at s[i]; 0: none. */
static int break_grade(const char *s, int i, int depth) {
  if (s[i] != ' ' || s[i + 1] == ' ') return 0;
  if (depth > 0) return 1;
  if (s[i - 1] == ' ' || !strncmp(s + i + 1, "<-", 2) || s[i - 1] == ';') return 4;
  return strchr(",:", s[i - 1]) || s[i + 1] == '(' ? 3 : 2;
}

/* Where to break a line that is longer than `most`: at the best place of its last third, else
 * anywhere before; 0: nowhere. */
static int break_at(const char *s, int n, int indent, int most) {
  int best = 0, grade = 0, depth = 0;
  for (int i = 0; i < n && i <= most; i++) {
    depth += (s[i] == '[' || s[i] == '(') - (s[i] == ']' || s[i] == ')');
    if (i <= indent + 8) continue;
    int g = break_grade(s, i, depth);
    if (g && (g >= grade || (i > most * 2 / 3 && best <= most * 2 / 3))) best = i, grade = g;
  }
  return best;
}

void report_wrap(const char *text, Str *out) {
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = text + strcspn(text, "\n");
    int n = (int)(end - text), indent = (int)strspn(text, " "), more = 0, at;
    while (n + more > REPORT_WIDTH &&
           (at = break_at(text, n, more ? 0 : indent, REPORT_WIDTH - more))) {
      int kept = at;
      while (kept && text[kept - 1] == ' ') kept--;
      str_printf(out, "%*s%.*s\n", more, "", kept, text);
      text += at + 1, n -= at + 1;
      more = indent + 8;
    }
    str_printf(out, "%*s%.*s%s", more, "", n, text, *end ? "\n" : "");
  }
}
