/* `assert cond, "text"`: what is known while compiling is checked here, a tensor while running; and
 * the order of all that an entry tells (ops/told.c). */
#include "elaborate.h"
#include "op.h"
#include <ctype.h>

static NodeId told(void *user) { return region_told(user); }
static void tells(void *user, NodeId token) { ((Elab *)user)->at->told = token; }

void tell_begin(Building *b) {
  b->told = NO_NODE;
  b->build.told = told;
  b->build.tells = tells;
}

typedef struct Shown {
  int n;
  NodeId node[MOST_SHOWN];
  Str text; /* a line each */
} Shown;

/* As written, on one line. */
static void put_source(Elab *e, Str *out, Span at) {
  enum { MOST = 80 };
  const char *text = diag_source(e->diag, at.file)->text;
  bool space = false;
  for (uint32_t i = at.begin; i < at.end && i < at.begin + MOST; i++) {
    const char c = text[i];
    if (!isspace((unsigned char)c)) str_printf(out, "%s%c", space ? " " : "", c);
    space = isspace((unsigned char)c);
  }
  if (at.end > at.begin + MOST) str_puts(out, "...");
}

/* The scalars that comparisons in the condition compare. */
static void show(Elab *e, Shown *s, const AstExpr *x, NodeId holds, NodeId id) {
  const Node *n = graph_node(e->at->build.graph, id);
  const bool joins = (x->kind == EX_BINARY || x->kind == EX_UNARY) && x->op == n->op &&
                     (n->op->logic || n->op->compares);
  if (joins) {
    const NodeId of[2] = {n->operand[0], n->noperands > 1 ? n->operand[1] : NO_NODE};
    show(e, s, x->x, holds, of[0]);
    if (x->kind == EX_BINARY) show(e, s, x->y, holds, of[1]);
    return;
  }
  if (id == holds) return; /* it is false: that is known */
  if (n->shape.rank || node_is_const(n) || s->n == MOST_SHOWN) return;
  for (int i = 0; i < s->n; i++)
    if (s->node[i] == id) return;
  s->node[s->n++] = id;
  str_puts(&s->text, "\n");
  put_source(e, &s->text, x->span);
}

static void check_running(Elab *e, const Stmt *stmt, NodeId holds, const char *text) {
  Shown s = {.text = str_new(e->arena)};
  const Node *n = graph_node(e->at->build.graph, holds);
  if (n->dtype != DT_BOOL || n->shape.rank) {
    const Value v = value_node(holds);
    elab_fail(e, stmt->value->span, "`assert` requires a scalar of type bool, but this is %s%s",
              value_describe(e, &v),
              n->dtype == DT_BOOL ? "; take any(...) or all(...) of it"
              : n->shape.rank     ? ""
                                  : "; compare it, as in x > 0");
    return;
  }
  str_printf(&s.text, "%s\n", text);
  put_source(e, &s.text, stmt->value->span);
  show(e, &s, stmt->value, holds, holds);
  e->at->build.span = stmt->span;
  build_assert(&e->at->build, holds, s.n, s.node, s.text.at);
}

void tell_assert(Elab *e, NameScope *s, const Stmt *stmt) {
  const Value v = eval_read(e, eval_expr(e, s, stmt->value), stmt->value->span);
  const char *text = "";
  if (stmt->to) {
    const Value t = eval_expr(e, s, stmt->to);
    if (t.kind == V_ERROR) return;
    if (t.kind != V_STRING) {
      elab_fail(e, stmt->to->span, "`assert` takes a text behind its condition, but this is %s",
                value_describe(e, &t));
      return;
    }
    text = t.text;
  }
  if (v.kind == V_ERROR || (v.kind == V_BOOL && v.i)) return;
  if (v.kind == V_TENSOR && e->at)
    check_running(e, stmt, v.node, text);
  else if (v.kind == V_BOOL)
    elab_fail(e, stmt->value->span, "%s", *text ? text : "this assertion is false");
  else
    elab_fail(e, stmt->value->span, "`assert` requires true or false, but this is %s",
              value_describe(e, &v));
}
