/* --dump=layouts: the mesh, and each tensor's type, layout, local block and, in a word, where its
 * layout comes from. --dump=layouts:why has the chains of reasons below each. A row whose layout
 * the cost model chose over the inferred one shows the chosen one: it is what the devices hold. */
#include "report.h"
#include "why.h"
#include <math.h>
#include <string.h>

enum { COLUMNS = 4, NAME_MOST = 34, CELL_MOST = 28, ORIGIN_LEAST = 24 };

typedef struct LayoutRow {
  const char *cell[COLUMNS]; /* name, type, layout, local block */
  const char *origin;        /* from where, in a word */
  const char *why;           /* layouts:why: lines */
} LayoutRow;

typedef struct LayoutRows {
  const char *title;
  VEC(LayoutRow) r;
} LayoutRows;

/* -------- the mesh, drawn -------- */

enum { DRAWN_MOST = 8 };

static void put_device_row(const Mesh *m, int64_t first, int64_t n, int wide, Str *out) {
  (void)m;
  for (int64_t c = 0; c < n; c++) str_printf(out, "  %*ld", wide, (long)(first + c));
  str_puts(out, "\n");
}

/* Devices by number: columns are the last axis, rows the one before it. */
static void put_drawing(const Plan *p, Str *out) {
  const Mesh *m = &p->program->mesh;
  if (m->naxes < 1 || m->naxes > 2) return;
  const Axis *row = m->naxes == 2 ? &m->axis[0] : NULL, *column = &m->axis[m->naxes - 1];
  int64_t rows = row ? row->size : 1, columns = column->size;
  if (rows > DRAWN_MOST || columns > DRAWN_MOST || rows * columns < 2) return;
  int label = row ? (int)strlen(row->name) + 2 : 6;
  int wide = (int)strlen(column->name) + 2;
  str_printf(out, "  %-*s", label, row ? "" : "");
  for (int64_t c = 0; c < columns; c++) str_printf(out, "  %s %ld", column->name, (long)c);
  str_puts(out, "\n");
  for (int64_t r = 0; r < rows; r++) {
    const char *head = row ? arena_printf(p->arena, "%s %ld", row->name, (long)r) : "device";
    str_printf(out, "  %-*s", label, head);
    put_device_row(m, r * columns, columns, wide, out);
  }
}

/* -------- rows -------- */

/* The inferred layout, or the one that costs less. An annotated value has the annotated one. */
const Layout *report_computed(const Plan *p, const LocalEntry *le, NodeId id) {
  const Node *n = graph_node(le->entry->graph, id);
  const Choice *c = le->choice;
  if (!c || !c->ways[id] || choice_is_said(n) || op_is(n, OPF_LAYOUT)) return n->layout;
  const Layout *made = form_at(c->routes, c->value[id].form, choice_result(c, id));
  return made == n->layout ? made : layout_without_partial(p->program->layouts, made, &n->shape);
}

static const char *report_local(const Plan *p, const Layout *l, const Shape *s) {
  const Mesh *mesh = &p->program->mesh;
  Str text = str_new(p->arena);
  Shape here = layout_local(mesh, l, s);
  shape_put(&text, &here);
  for (int d = 0; d < s->rank; d++)
    if (!dim_even(mesh, &l->dim[d], s->dim[d])) {
      str_puts(&text, " at most");
      break;
    }
  return text.at;
}

/* Where one axis came from, in a word or two. */
static const char *axis_origin(const Plan *p, TensorId t, int axis) {
  Chain c = chain_of(p, t, axis);
  switch (c.last.why.kind) {
  case WHY_ANNOTATED:
    return c.hops ? arena_printf(p->arena, "from %s", tensor_text(p, c.last.tensor)) : "annotated";
  case WHY_KEPT: return "kept from the base program";
  case WHY_SHARED: return "shared weight update";
  case WHY_CHEAPEST: return "chosen by cost";
  default: return "";
  }
}

const char *report_origin(const Plan *p, TensorId t, const Layout *l) {
  Str s = str_new(p->arena);
  const char *had[MAX_AXES];
  int n = 0;
  uint32_t axes = l->partial;
  for (int d = 0; d < l->rank; d++)
    for (int i = 0; i < l->dim[d].naxes; i++) axes |= 1u << l->dim[d].axis[i];
  for (int a = 0; a < p->program->mesh.naxes; a++) {
    if (!(axes & 1u << a)) continue;
    const char *word = axis_origin(p, t, a);
    bool again = !*word;
    for (int i = 0; i < n; i++) again = again || !strcmp(had[i], word);
    if (again) continue;
    bool joins = n && !strncmp(word, "from ", 5) && !strncmp(had[n - 1], "from ", 5);
    str_printf(&s, "%s%s", n ? ", " : "", joins ? word + 5 : word);
    had[n++] = word;
  }
  if (n) return s.at;
  const Spec *spec = tensor_spec(p, t);
  return spec && !spec->open ? "annotated" : "default";
}

static const char *chosen_text(const Plan *p, double saving) {
  return saving >= 0.005 ? arena_printf(p->arena, "chosen: %.0f %% cheaper", 100 * saving)
                         : "chosen by cost";
}

const char *report_origin_of_node(const Plan *p, const LocalEntry *le, Choice **trial, NodeId id) {
  const Node *n = graph_node(le->entry->graph, id);
  if (report_computed(p, le, id) == n->layout)
    return report_origin(p, tensor_of_node(p, le->index, id), n->layout);
  if (!*trial) *trial = why_trial(p, le->choice);
  return chosen_text(p, why_saving(p, *trial, id, n->layout));
}

static void add_row(const Plan *p, LayoutRows *rows, const char *name, DType t, const Shape *s,
                    const Layout *l, const char *origin) {
  Str type = str_new(p->arena);
  str_puts(&type, dtype_name(t));
  shape_put(&type, s);
  LayoutRow r = {.cell = {name, type.at, report_layout(p, l), report_local(p, l, s)},
                 .origin = origin};
  vec_push(p->arena, &rows->r, r);
}

/* The inferred layout's chains; of a value computed otherwise, that it is. */
static const char *chains_text(const Plan *p, TensorId t, const Layout *inferred, bool is_other) {
  Str s = str_new(p->arena);
  if (is_other) str_printf(&s, "inferred %s: ", report_layout(p, inferred));
  chain_put_tensor(p, t, inferred, &s);
  return s.at;
}

/* The next narrower width of a column, and how many rows then exceed it; 0: its head is as wide. */
static int narrower(const LayoutRows *rows, const int *w, int c, int head, int *exceed) {
  int next = head;
  *exceed = 0;
  for (int i = 0; i < rows->r.n; i++) {
    const int n = (int)strlen(rows->r.at[i].cell[c]);
    if (n >= w[c])
      ++*exceed;
    else if (n > next)
      next = n;
  }
  return next < w[c] ? next : 0;
}

/* Columns as wide as their cells; where lines would be too long for that, a few rows that exceed
 * their columns are broken rather than all. */
static int widths(const LayoutRows *rows, int *w) {
  static const char *const heads[COLUMNS] = {"", "type", "layout", "local block"};
  int sum = 2, head[COLUMNS], origin = 0;
  for (int i = 0; i < rows->r.n; i++) {
    const int n = (int)strlen(rows->r.at[i].origin);
    if (n > origin && n <= ORIGIN_LEAST) origin = n;
  }
  for (int c = 0; c < COLUMNS; c++) {
    int most = c ? CELL_MOST : NAME_MOST;
    w[c] = head[c] = (int)strlen(c ? heads[c] : rows->title);
    for (int i = 0; i < rows->r.n; i++) {
      int n = (int)strlen(rows->r.at[i].cell[c]);
      if (n > w[c] && n <= most) w[c] = n;
    }
    sum += w[c] + 2;
  }
  while (sum + origin > REPORT_WIDTH) {
    int best = -1, to = 0, fewest = 0;
    for (int c = 0; c < COLUMNS; c++) {
      int exceed;
      const int next = narrower(rows, w, c, head[c], &exceed);
      if (c == 0) exceed /= 2; /* a name on a line of its own moves nothing else */
      if (next && (best < 0 || exceed < fewest)) best = c, to = next, fewest = exceed;
    }
    if (best < 0) break;
    sum -= w[best] - to;
    w[best] = to;
  }
  return sum;
}

/* A cell wider than its column takes the room of the next ones; a wider name stands alone on its
 * line, and so does the origin where the line would be too long. */
static void put_row(const LayoutRow *r, const int *w, int used, Str *out) {
  int at = 2 + (int)strlen(r->cell[0]), column = 2 + w[0];
  str_printf(out, "  %s", r->cell[0]);
  if (at > column) str_puts(out, "\n"), at = 0;
  for (int c = 1; c < COLUMNS; c++) {
    const int gap = column + 2 - at > 2 ? column + 2 - at : 2;
    str_printf(out, "%*s%s", gap, "", r->cell[c]);
    at += gap + (int)strlen(r->cell[c]);
    column += 2 + w[c];
  }
  const int gap = used - at > 2 ? used - at : 2;
  if (at + gap + (int)strlen(r->origin) <= REPORT_WIDTH || REPORT_WIDTH - at - gap >= ORIGIN_LEAST)
    str_printf(out, "%*s", gap, "");
  else
    str_printf(out, "\n%*s", used < 60 ? used : 60, "");
  str_printf(out, "%s\n", r->origin);
  if (r->why) str_printf(out, "      %s\n", r->why);
}

static void put_rows(const LayoutRows *rows, Str *out) {
  int w[COLUMNS], used = widths(rows, w);
  str_printf(out, "%-*s  %-*s  %-*s  %-*s  %s\n", w[0] + 2, rows->title, w[1], "type", w[2],
             "layout", w[3], "local block", "from");
  for (int i = 0; i < rows->r.n; i++) put_row(&rows->r.at[i], w, used, out);
}

static void put_outputs(const Plan *p, const Entry *en, Str *out) {
  for (int i = 0; i < en->outputs.n; i++) {
    const Output *o = &en->outputs.at[i];
    str_printf(out, "  return %s = %s %s", o->name,
               node_label(p->program, en->graph, o->node, p->arena), report_layout(p, o->layout));
    if (o->spec) str_printf(out, "  annotated at %s", report_where(p, o->spec->span));
    str_puts(out, "\n");
  }
}

static void put_entry(const Plan *p, int e, bool why, Str *out) {
  const LocalEntry *le = &p->entries.at[e];
  const Entry *en = le->entry;
  LayoutRows rows = {.title = arena_printf(p->arena, "entry %s", en->name)};
  Choice *trial = NULL;
  for (NodeId i = 0; i < en->graph->nodes.n; i++) {
    const Node *n = graph_node(en->graph, i);
    if (n->op == OP_var || node_is_const(n)) continue;
    const Layout *l = report_computed(p, le, i);
    add_row(p, &rows, node_label(p->program, en->graph, i, p->arena), n->dtype, &n->shape, l,
            report_origin_of_node(p, le, &trial, i));
    TensorId t = {TENSOR_NODE, e, i};
    if (why) rows.r.at[rows.r.n - 1].why = chains_text(p, t, n->layout, l != n->layout);
  }
  put_rows(&rows, out);
  put_outputs(p, en, out);
}

static void put_layouts(const Plan *p, bool why, Str *out) {
  LayoutRows vars = {.title = "variables"};
  report_mesh(p, out);
  put_drawing(p, out);
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    TensorId t = {TENSOR_VAR, 0, i};
    add_row(p, &vars, v->path, v->dtype, &v->shape, v->layout, report_origin(p, t, v->layout));
    if (why) vars.r.at[i].why = chains_text(p, t, v->layout, false);
  }
  if (vars.r.n) put_rows(&vars, out);
  for (int e = 0; e < p->program->entries.n; e++)
    if (strcmp(p->program->entries.at[e].name, "init")) put_entry(p, e, why, out);
}

void dump_layouts(const Plan *p, Str *out) { put_layouts(p, false, out); }

void dump_layouts_why(const Plan *p, Str *out) { put_layouts(p, true, out); }
