/* --dump=statements: each layout statement with the tensors it applies to, and the variables that
 * no statement names. A rename that leaves a pattern with nothing to match shows here. */
#include "report.h"
#include "op.h"
#include "slide.h"
#include <string.h>

enum { LIST_MOST = 6 };

/* Each name once: a method's value has the same in every entry. */
static void put_list(const char *const *name, int n, Str *out) {
  int different = 0;
  for (int i = 0; i < n; i++) {
    bool had = false;
    for (int k = 0; k < i && !had; k++) had = !strcmp(name[k], name[i]);
    if (!had && ++different <= LIST_MOST)
      str_printf(out, "%s%s", different > 1 ? ", " : "", name[i]);
  }
  if (different > LIST_MOST) str_printf(out, " and %d more", different - LIST_MOST);
}

/* Those it names but does not have, by the statement that has them, in the order of the names. */
static void put_yielded(const Plan *p, const Statement *s, Str *out) {
  bool *done = arena_array(p->arena, bool, s->yielded.n + 1);
  for (int i = 0; i < s->yielded.n; i++) {
    VEC(const char *) same = {0};
    for (int k = i; k < s->yielded.n; k++) {
      Span a = s->to.at[i], b = s->to.at[k];
      if (done[k] || a.file != b.file || a.begin != b.begin) continue;
      done[k] = true;
      vec_push(p->arena, &same, s->yielded.at[k]);
    }
    if (!same.n) continue;
    str_puts(out, "      not ");
    put_list(same.at, same.n, out);
    str_printf(out, ": annotated at %s\n", report_where(p, s->to.at[i]));
  }
}

static void put_statement(const Plan *p, const Statement *s, Str *out) {
  str_printf(out, "  %s  %s\n      ", report_where(p, s->span), statement_line(p, s->span));
  if (s->gave.n)
    put_list(s->gave.at, s->gave.n, out);
  else
    str_puts(out, "no tensor");
  str_puts(out, "\n");
  put_yielded(p, s, out);
}

/* The inferred layouts of variables without annotation. */
static void put_unsaid(const Plan *p, bool trainable, Str *out) {
  const Program *g = p->program;
  int n = 0, all = 0;
  size_t wide = 0, long_type = 0;
  Str type = str_new(p->arena);
  for (int i = 0; i < g->vars.n; i++) {
    const Var *v = &g->vars.at[i];
    if (v->trainable != trainable) continue;
    all++;
    if (v->spec) continue;
    n++;
    type.n = 0;
    shape_put(&type, &v->shape);
    if (strlen(v->path) > wide) wide = strlen(v->path);
    if (type.n > long_type) long_type = type.n;
  }
  if (!all) return;
  str_printf(out, "not annotated: %d of %d %s%s\n", n, all, trainable ? "param" : "state",
             all == 1 ? "" : "s");
  for (int i = 0; i < g->vars.n; i++) {
    const Var *v = &g->vars.at[i];
    if (v->trainable != trainable || v->spec) continue;
    type.n = 0;
    shape_put(&type, &v->shape);
    str_printf(out, "  %-*s  %s%-*s  %s%s\n", (int)wide, v->path, dtype_name(v->dtype),
               (int)long_type, type.at, report_layout(p, v->layout),
               plan_shares_update(p, i) ? "  shared weight update" : "");
  }
}

typedef bool Kind(const Graph *g, const Node *n);
static bool is_product(const Graph *g, const Node *n) {
  (void)g;
  return op_class(n) == OPC_PRODUCT;
}
static bool is_depthwise(const Graph *g, const Node *n) {
  return op_class(n) == OPC_CONVOLUTION && slide_is_depthwise(g, n);
}
static bool is_convolution(const Graph *g, const Node *n) {
  return op_class(n) == OPC_CONVOLUTION && !slide_is_depthwise(g, n);
}

/* Of all entries, those of gradients included, what a statement applies to. */
static int count_of(const Program *g, int precision, Kind *kind) {
  int n = 0;
  for (int i = 0; i < g->entries.n; i++) {
    const Graph *graph = g->entries.at[i].graph;
    for (NodeId k = 0; k < graph->nodes.n; k++) {
      const Node *x = graph_node(graph, k);
      n += x->precision == precision && kind(graph, x);
    }
  }
  return n;
}

static void put_count(Str *out, const char *before, int n, const char *what, DType t) {
  str_printf(out, "%s%d %s%s of f32 %s %s", before, n, what, n == 1 ? "" : "s",
             dtype_is_half(t) ? "rounded to" : "in", dtype_name(t));
}

static void put_precisions(const Plan *p, Str *out) {
  const Program *g = p->program;
  if (g->precisions.n)
    str_printf(out, "%d precision statement%s\n", g->precisions.n, g->precisions.n == 1 ? "" : "s");
  for (int i = 0; i < g->precisions.n; i++) {
    const Precision *x = &g->precisions.at[i];
    str_printf(out, "  %s  %s\n      ", report_where(p, x->span), statement_line(p, x->span));
    const int convolutions = count_of(g, i + 1, is_convolution),
              depthwise = count_of(g, i + 1, is_depthwise);
    put_count(out, "", count_of(g, i + 1, is_product), "product", x->dtype);
    if (convolutions) put_count(out, "; ", convolutions, "convolution", x->dtype);
    if (depthwise) put_count(out, "; ", depthwise, "depthwise convolution", DT_F32);
    str_puts(out, "\n");
  }
}

void dump_statements(const Plan *p, Str *out) {
  const Program *g = p->program;
  report_mesh(p, out);
  str_printf(out, "%d layout statement%s\n", g->statements.n, g->statements.n == 1 ? "" : "s");
  for (int i = 0; i < g->statements.n; i++) put_statement(p, g->statements.at[i], out);
  put_precisions(p, out);
  put_unsaid(p, true, out);
  put_unsaid(p, false, out);
}
