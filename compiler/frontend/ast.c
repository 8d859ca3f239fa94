/* Constructors of the tree, and parse_text. Errors that the grammar cannot express are detected
 * here: numbers that are too large, targets that cannot be bound, the two forms that a method's
 * head and a call share. */
#include "ast.h"
#include "foreign.h"
#include "lex.h"
#include "op_list.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Ident ast_ident(Parse *p, Span at, const char *text, size_t n) {
  return (Ident){name_of(p->names, text, n), at};
}

AstExpr *ast_new(Parse *p, AstExprKind kind, Span at) {
  AstExpr *x = arena_new_of(p->arena, AstExpr);
  x->kind = kind;
  x->span = at;
  x->depth = 1;
  return x;
}

/* The parent of trees of that depth; past the limit it becomes a leaf. */
static AstExpr *deepen(Parse *p, AstExpr *x, int depth) {
  x->depth = depth + 1;
  if (x->depth <= AST_DEEPEST) return x;
  diag_error(p->diag, x->span, "this expression is nested too deeply: more than %d levels",
             AST_DEEPEST);
  return ast_new(p, EX_ERROR, x->span);
}

static int max(int a, int b) { return a > b ? a : b; }
static int depth_of(const AstExpr *x) { return x ? x->depth : 0; }

/* -------- leaves -------- */

/* The digits without their underscores. */
static char *digits(Parse *p, const char *text, size_t n) {
  char *s = arena_alloc(p->arena, n + 1), *to = s;
  for (size_t i = 0; i < n; i++)
    if (text[i] != '_') *to++ = text[i];
  return s;
}

AstExpr *ast_int(Parse *p, Span at, const char *text, size_t n) {
  AstExpr *x = ast_new(p, EX_INT, at);
  errno = 0;
  x->i = strtoll(digits(p, text, n), NULL, 10);
  x->real = (double)x->i;
  if (errno != ERANGE) return x;
  diag_error(p->diag, at, "this integer is too large: the maximum is 9223372036854775807");
  return ast_new(p, EX_ERROR, at);
}

AstExpr *ast_real(Parse *p, Span at, const char *text, size_t n) {
  AstExpr *x = ast_new(p, EX_REAL, at);
  x->real = strtod(digits(p, text, n), NULL);
  if (isfinite(x->real)) return x;
  diag_error(p->diag, at, "this number is too large: the largest is about 1.8e308");
  return ast_new(p, EX_ERROR, at);
}

/* Text stands as it is (regular expressions are full of backslashes); only \" is a quote. */
AstExpr *ast_string(Parse *p, Span at, const char *text, size_t n) {
  AstExpr *x = ast_new(p, EX_STRING, at);
  char *s = arena_alloc(p->arena, n), *to = s;
  for (size_t i = 1; i + 1 < n; i++) {
    if (text[i] == '\\' && text[i + 1] == '"') i++;
    *to++ = text[i];
  }
  x->text = s;
  return x;
}

AstExpr *ast_bool(Parse *p, Span at, bool value) {
  AstExpr *x = ast_new(p, EX_BOOL, at);
  x->i = value;
  return x;
}

AstExpr *ast_name(Parse *p, Ident name) {
  AstExpr *x = ast_new(p, EX_NAME, name.span);
  x->name = name;
  return x;
}

/* -------- inner nodes -------- */

AstExpr *ast_list(Parse *p, Span at, const ExprVec *items) {
  AstExpr *x = ast_new(p, EX_LIST, at);
  int depth = 0;
  x->list = *items;
  for (int i = 0; i < items->n; i++) depth = max(depth, items->at[i]->depth);
  return deepen(p, x, depth);
}

AstExpr *ast_each(Parse *p, Span at, AstExpr *item, Ident name, AstRange over) {
  AstExpr *x = ast_new(p, EX_EACH, at);
  x->x = item, x->name = name, x->from = over.from, x->to = over.to, x->by = over.by;
  const int range = max(over.from->depth, max(depth_of(over.to), depth_of(over.by)));
  return deepen(p, x, max(item->depth, range));
}

AstExpr *ast_choice(Parse *p, Span at, AstExpr *yes, AstExpr *condition, AstExpr *no) {
  AstExpr *x = ast_new(p, EX_CHOICE, at);
  x->x = yes, x->from = condition, x->y = no;
  return deepen(p, x, max(condition->depth, max(yes->depth, no->depth)));
}

AstRange ast_range_by(Parse *p, AstExpr *from, AstExpr *to, Ident by, AstExpr *step) {
  if (strcmp(by.text, "by"))
    diag_error(p->diag, by.span,
               "unexpected `%s`; the step of a range is written `by`, as in 0..n by 2", by.text);
  return (AstRange){from, to, step};
}

AstExpr *ast_wrap(Span at, AstExpr *x) {
  x->span = at;
  x->wrapped = true;
  return x;
}

AstExpr *ast_call(Parse *p, Span at, AstExpr *callee, const GivenVec *given) {
  AstExpr *x = ast_new(p, EX_CALL, at);
  int depth = callee->depth;
  x->x = callee;
  x->given = *given;
  for (int i = 0; i + 1 < given->n; i++)
    if (given->at[i].spread)
      diag_error(p->diag, given->at[i].value->span, "what `...` hands on goes last in the list");
  for (int i = 0; i < given->n; i++) depth = max(depth, given->at[i].value->depth);
  return deepen(p, x, depth);
}

AstExpr *ast_index(Parse *p, Span at, AstExpr *base, const SubVec *subs) {
  AstExpr *x = ast_new(p, EX_INDEX, at);
  int depth = base->depth;
  x->x = base;
  if (subs) x->subs = *subs;
  for (int i = 0; i < x->subs.n; i++) {
    const Sub *s = &x->subs.at[i];
    depth = max(depth, max(depth_of(s->begin), max(depth_of(s->end), depth_of(s->step))));
  }
  return deepen(p, x, depth);
}

AstExpr *ast_field(Parse *p, Span at, AstExpr *base, Ident name) {
  AstExpr *x = ast_new(p, EX_FIELD, at);
  x->x = base, x->name = name;
  return deepen(p, x, base->depth);
}

AstExpr *ast_unary(Parse *p, Span at, const char *sign, AstExpr *operand) {
  AstExpr *x = ast_new(p, EX_UNARY, at);
  x->op = op_operator(sign, 1), x->x = operand;
  return deepen(p, x, operand->depth);
}

static bool compares(Op op) { return op->compares != 0; }

AstExpr *ast_binary(Parse *p, const char *sign, AstExpr *l, AstExpr *r) {
  AstExpr *x = ast_new(p, EX_BINARY, span_join(l->span, r->span));
  x->op = op_operator(sign, 2), x->x = l, x->y = r;
  if (compares(x->op) && l->kind == EX_BINARY && compares(l->op) && !l->wrapped)
    diag_error(p->diag, x->span, "comparisons do not chain; write `a < b and b < c`");
  return deepen(p, x, max(l->depth, r->depth));
}

AstExpr *ast_stack(Parse *p, Span at, AstExpr *n, AstExpr *layer) {
  AstExpr *x = ast_new(p, EX_STACK, at);
  x->from = n, x->x = layer;
  return deepen(p, x, max(n->depth, layer->depth));
}

AstExpr *ast_relayout(Parse *p, Span at, AstExpr *operand, SpecExpr *spec) {
  AstExpr *x = ast_new(p, EX_RELAYOUT, at);
  x->x = operand, x->spec = spec;
  return deepen(p, x, operand->depth);
}

/* -------- sequences -------- */

#define AST_SEQUENCE(NAME, VECTOR, ITEM, GIVEN, PUSH)                                              \
  VECTOR *NAME(Parse *p, VECTOR *v, ITEM) {                                                        \
    if (!v) v = arena_new_of(p->arena, VECTOR);                                                    \
    if (GIVEN) vec_push(p->arena, v, PUSH);                                                        \
    return v;                                                                                      \
  }
AST_SEQUENCE(ast_exprs, ExprVec, AstExpr *x, x, x)
AST_SEQUENCE(ast_givens, GivenVec, const AstGiven *g, g, *g)
AST_SEQUENCE(ast_subs, SubVec, Sub s, true, s)
AST_SEQUENCE(ast_idents, IdentVec, Ident name, true, name)
AST_SEQUENCE(ast_params, ParamVec, const Param *one, one, *one)
AST_SEQUENCE(ast_items, ItemVec, const AstItem *item, true, *item)
AST_SEQUENCE(ast_stmts, StmtVec, Stmt *s, s, s)

/* -------- layouts -------- */

AstItem ast_item_name(Parse *p, Ident name) {
  AstItem item = {.kind = ITEM_AXES, .span = name.span, .granule = 1};
  if (!strcmp(name.text, "_"))
    item.kind = ITEM_WHOLE;
  else
    vec_push(p->arena, &item.axes, name);
  return item;
}

AstItem ast_item_tuple(Parse *p, Span at, const IdentVec *axes) {
  AstItem item = {.kind = ITEM_AXES, .span = at, .axes = *axes, .tuple = true, .granule = 1};
  for (int i = 0; i < axes->n; i++)
    if (!strcmp(axes->at[i].text, "_"))
      diag_error(p->diag, axes->at[i].span,
                 "`_` is a dim that is not split: it cannot be combined with axes");
  return item;
}

AstItem ast_item_by(Parse *p, AstItem item, Ident by, AstExpr *granule) {
  item.span = span_join(item.span, granule->span);
  if (strcmp(by.text, "by"))
    diag_error(p->diag, by.span, "unexpected `%s`; expected `,`, `]` or `by`", by.text);
  else if (granule->kind == EX_INT && granule->i < 1)
    diag_error(p->diag, granule->span, "a granule requires at least one element");
  else if (item.kind != ITEM_AXES)
    diag_error(p->diag, item.span,
               "`by` applies to an axis that splits the dim; `_` does not split it");
  else if (granule->kind == EX_INT)
    item.granule = granule->i;
  return item;
}

SpecExpr *ast_spec(Parse *p, Span at, const ItemVec *items) {
  SpecExpr *s = arena_new_of(p->arena, SpecExpr);
  s->span = at;
  if (items) s->items = *items;
  return s;
}

SpecExpr *ast_spec_word(Parse *p, Ident word) {
  SpecExpr *s = ast_spec(p, word.span, NULL);
  s->replicated = true;
  if (strcmp(word.text, "replicated"))
    diag_error(p->diag, word.span, "`%s` is not a layout; expected [...] or `replicated`",
               word.text);
  return s;
}

SpecExpr *ast_spec_partial(Parse *p, Span at, SpecExpr *s, Ident word, const IdentVec *names) {
  s->span = at;
  s->partial = *names;
  if (strcmp(word.text, "partial"))
    diag_error(p->diag, word.span, "unexpected `%s`; only `partial(axis)` may follow a layout",
               word.text);
  return s;
}

/* -------- statements -------- */

Stmt *ast_stmt(Parse *p, StmtKind kind, Span at) {
  Stmt *s = arena_new_of(p->arena, Stmt);
  s->kind = kind;
  s->span = at;
  s->depth = 1;
  return s;
}

/* Takes the bodies; a nest of blocks that is too deep loses its innermost. */
static Stmt *with_bodies(Parse *p, Stmt *s, const StmtVec *body, const StmtVec *other) {
  int depth = 0;
  for (int i = 0; body && i < body->n; i++) depth = max(depth, body->at[i]->depth);
  for (int i = 0; other && i < other->n; i++) depth = max(depth, other->at[i]->depth);
  s->depth = depth + 1;
  if (s->depth > AST_DEEPEST / 4) {
    diag_error(p->diag, s->span, "blocks are nested too deeply: more than %d levels",
               AST_DEEPEST / 4);
    return ast_stmt(p, ST_ERROR, s->span);
  }
  if (body) s->body = *body;
  if (other) s->other = *other;
  return s;
}

Stmt *ast_import(Parse *p, Span at, AstExpr *module) {
  Stmt *s = ast_stmt(p, module->kind == EX_STRING ? ST_IMPORT : ST_ERROR, at);
  s->value = module;
  return s;
}

Stmt *ast_const(Parse *p, Span at, Ident name, AstExpr *value) {
  Stmt *s = ast_stmt(p, ST_CONST, at);
  s->name = name, s->value = value;
  return s;
}

static void check_param(Parse *p, StmtKind kind, const Param *a) {
  if (kind == ST_ENTRY && !a->type)
    diag_error(p->diag, a->name.span, "an entry's input requires a type, as in `%s: f32[8, 3]`",
               a->name.text);
  else if (kind == ST_ENTRY && a->value)
    diag_error(p->diag, a->value->span,
               "an entry's input cannot have a default: the host passes it");
  else if (kind != ST_ENTRY && a->type)
    diag_error(p->diag, a->type->span,
               "only the inputs of an entry have types; `%s` takes what it is given", a->name.text);
}

Stmt *ast_decl(Parse *p, StmtKind kind, Span at, Ident name, const ParamVec *params,
               const StmtVec *body) {
  Stmt *s = ast_stmt(p, kind, at);
  s->name = name;
  s->params = *params;
  for (int i = 0; i < params->n; i++) {
    check_param(p, kind, &params->at[i]);
    if (params->at[i].rest && i + 1 < params->n && kind != ST_METHOD) /* a method's: as a call's */
      diag_error(p->diag, params->at[i].name.span, "a parameter `name...` goes last in the list");
    for (int j = 0; j < i; j++)
      if (params->at[j].name.text == params->at[i].name.text) {
        diag_error(p->diag, params->at[i].name.span, "`%s` is named twice",
                   params->at[i].name.text);
        diag_note(p->diag, params->at[j].name.span, "the first is here");
      }
  }
  return with_bodies(p, s, body, NULL);
}

/* `apply(x, k=1)` before a block was parsed as a call: its arguments are the parameters. */
Stmt *ast_method(Parse *p, AstExpr *head, const StmtVec *body) {
  if (head->kind == EX_ERROR) return ast_stmt(p, ST_ERROR, head->span);
  if (head->kind != EX_CALL || head->x->kind != EX_NAME) {
    diag_error(p->diag, head->span,
               "a block may follow `fn`, `layer`, `entry`, `for`, `if` or a method's head such as "
               "`apply(x)`");
    return ast_stmt(p, ST_ERROR, head->span);
  }
  ParamVec params = {0};
  for (int i = 0; i < head->given.n; i++) {
    const AstGiven *g = &head->given.at[i];
    Param a = {.name = g->name, .value = g->value};
    if (!g->name.text) {
      const char *foreign = foreign_statement(head->x->name.text);
      if (g->value->kind != EX_NAME && foreign) { /* while (x < 3) { */
        diag_error(p->diag, head->x->span, "%s", foreign);
        return ast_stmt(p, ST_ERROR, head->span);
      }
      if (g->value->kind != EX_NAME) {
        diag_error(p->diag, g->value->span, "a parameter is a name, or `name = default`");
        continue;
      }
      a = (Param){.name = g->value->name, .rest = g->spread};
    }
    vec_push(p->arena, &params, a);
  }
  return ast_decl(p, ST_METHOD, head->span, head->x->name, &params, body);
}

Stmt *ast_mesh(Parse *p, Span at, const GivenVec *axes) {
  Stmt *s = ast_stmt(p, ST_MESH, at);
  s->given = *axes;
  return s;
}

/* a.b[3].m[a.d.w] */
static bool is_path(const AstExpr *x) {
  if (x->kind == EX_NAME) return true;
  if (x->kind == EX_FIELD) return is_path(x->x);
  if (x->kind != EX_INDEX || x->subs.n != 1 || !is_path(x->x)) return false;
  const Sub *s = &x->subs.at[0];
  return !s->slice && !s->rest && (s->begin->kind == EX_INT || is_path(s->begin));
}

Ident ast_forbid(Parse *p, Span at, Ident what) {
  if (strcmp(what.text, "gather") && strcmp(what.text, "keep"))
    diag_error(p->diag, what.span,
               "unexpected `%s`; a layout can only `forbid gather` or `forbid keep`", what.text);
  return (Ident){what.text, at};
}

AstExpr *ast_slashed(Parse *p, Span at, AstExpr *x, AstExpr *y) {
  Str s = str_new(p->arena);
  if (!is_path(x) || !is_path(y)) return ast_binary(p, "/", x, y); /* ast_layout rejects it */
  ast_print_path(&s, x);
  str_puts(&s, "/");
  ast_print_path(&s, y);
  return ast_name(p, ast_ident(p, at, s.at, s.n));
}

Stmt *ast_layout(Parse *p, Span at, AstExpr *target, SpecExpr *spec, Ident forbid) {
  Stmt *s = ast_stmt(p, ST_LAYOUT, at);
  s->value = target, s->spec = spec, s->forbid = forbid.span;
  s->keep = forbid.text && !strcmp(forbid.text, "keep");
  if (!target) return s;
  if (target->kind == EX_STRING || is_path(target)) return s;
  if (target->kind != EX_ERROR)
    diag_error(p->diag, target->span,
               "a layout is for a path such as `model.d1.w`, or for a pattern in quotes");
  s->kind = ST_ERROR;
  return s;
}

Stmt *ast_layout_word(Parse *p, Span at, Ident word) {
  Stmt *s = ast_stmt(p, ST_LAYOUT, at);
  s->name = word;
  if (!strcmp(word.text, "first")) return s;
  diag_error(p->diag, word.span,
             "incomplete statement about `%s`: expected `= LAYOUT` or `forbid gather` (only "
             "`layout first` "
             "has neither)",
             word.text);
  s->kind = ST_ERROR;
  return s;
}

AstExpr *ast_item_of(Parse *p, Span at, AstExpr *x, AstExpr *i) {
  return ast_index(p, at, x, ast_subs(p, NULL, (Sub){.span = i->span, .begin = i}));
}

Stmt *ast_precision(Parse *p, Span at, AstExpr *target, Ident type) {
  Stmt *s = ast_stmt(p, ST_PRECISION, at);
  s->value = target, s->name = type;
  DType t;
  if (dtype_from_name(type.text, &t) && (t == DT_F16 || t == DT_BF16 || t == DT_F32)) return s;
  diag_error(p->diag, type.span,
             "expected the type that products of f32 round their operands to: bf16 or f16, or f32 "
             "for none; found `%s`",
             type.text);
  s->kind = ST_ERROR;
  return s;
}

Stmt *ast_master(Parse *p, Stmt *s, Ident word, Ident type) {
  if (s->kind == ST_ERROR) return s;
  s->master = type;
  if (strcmp(word.text, "master"))
    diag_error(p->diag, word.span,
               "expected `master f32` after the type of `precision`, found `%s`", word.text);
  else if (strcmp(type.text, "f32"))
    diag_error(p->diag, type.span, "variables are kept in f32 under `precision`, not in `%s`",
               type.text);
  else if (!strcmp(s->name.text, "f32"))
    diag_error(p->diag, s->name.span,
               "f32 beside a master of f32 is what `precision f32` says: leave `, master f32` out");
  else
    return s;
  s->kind = ST_ERROR;
  return s;
}

Stmt *ast_no_comma(Parse *p, Span at, Ident word, Ident type) {
  Stmt *s = ast_stmt(p, ST_ERROR, at);
  diag_error(p->diag, word.span, "expected a comma before `%s`: `precision TYPE, %s %s`", word.text,
             word.text, type.text);
  return s;
}

Stmt *ast_var(Parse *p, StmtKind kind, Span at, Ident name, AstExpr *key, AstExpr *type,
              SpecExpr *on, AstExpr *value) {
  Stmt *s = ast_stmt(p, kind, at);
  s->name = name, s->key = key, s->type = type, s->spec = on, s->value = value;
  return s;
}

Stmt *ast_bind(Parse *p, Span at, const ExprVec *targets, AstExpr *value) {
  Stmt *s = ast_stmt(p, ST_BIND, at);
  s->targets = *targets, s->value = value;
  for (int i = 0; i < targets->n; i++) {
    const AstExpr *t = targets->at[i];
    if (t->kind == EX_NAME) continue;
    if (t->kind == EX_FIELD || t->kind == EX_INDEX)
      diag_error(p->diag, t->span, "`=` binds a plain name; a variable is assigned with `<-`");
    else if (t->kind != EX_ERROR)
      diag_error(p->diag, t->span, "`=` requires a name on its left");
    s->kind = ST_ERROR;
  }
  return s;
}

Stmt *ast_assign(Parse *p, Span at, AstExpr *target, AstExpr *value) {
  Stmt *s = ast_stmt(p, ST_ASSIGN, at);
  vec_push(p->arena, &s->targets, target);
  s->value = value;
  return s;
}

Stmt *ast_expr_stmt(Parse *p, AstExpr *x) {
  Stmt *s = ast_stmt(p, x->kind == EX_ERROR ? ST_ERROR : ST_EXPR, x->span);
  s->value = x;
  return s;
}

Stmt *ast_for(Parse *p, Span at, Ident name, AstRange over, const StmtVec *body) {
  Stmt *s = ast_stmt(p, ST_FOR, at);
  s->name = name, s->from = over.from, s->to = over.to, s->by = over.by;
  return with_bodies(p, s, body, NULL);
}

Stmt *ast_if(Parse *p, Span at, AstExpr *cond, const StmtVec *body, const StmtVec *other) {
  Stmt *s = ast_stmt(p, ST_IF, at);
  s->value = cond;
  return with_bodies(p, s, body, other);
}

Stmt *ast_while(Parse *p, Span at, AstExpr *cond, const StmtVec *body) {
  Stmt *s = ast_stmt(p, ST_WHILE, at);
  s->value = cond;
  return with_bodies(p, s, body, NULL);
}

Stmt *ast_most(Parse *p, Stmt *s, Ident word, AstExpr *most) {
  if (strcmp(word.text, "most") != 0)
    diag_error(p->diag, word.span,
               "`%s` has no meaning here: what bounds the number of runs is `most=`", word.text);
  s->most = most;
  return s;
}

Stmt *ast_repeat(Parse *p, Span at, Ident name, AstRange over, const StmtVec *body) {
  Stmt *s = ast_stmt(p, ST_REPEAT, at);
  s->name = name, s->from = over.from, s->to = over.to, s->by = over.by;
  return with_bodies(p, s, body, NULL);
}

/* Nothing in the body says which run it is. */
Stmt *ast_repeat_times(Parse *p, Span at, AstExpr *times, const StmtVec *body) {
  const Ident name = {.text = "_", .span = at};
  return ast_repeat(p, at, name, (AstRange){ast_int(p, times->span, "0", 1), times, NULL}, body);
}

Stmt *ast_scan(Parse *p, Span at, const GivenVec *over, Ident order, const StmtVec *body) {
  Stmt *s = ast_stmt(p, ST_SCAN, at);
  s->given = *over;
  s->keep = order.text;
  if (order.text && strcmp(order.text, "reverse"))
    diag_error(p->diag, order.span, "expected `reverse` or `{`, found `%s`", order.text);
  return with_bodies(p, s, body, NULL);
}

Stmt *ast_collect(Parse *p, Span at, Ident name, AstExpr *value) {
  Stmt *s = ast_stmt(p, ST_COLLECT, at);
  s->name = name, s->value = value;
  return s;
}

Stmt *ast_assert(Parse *p, Span at, AstExpr *cond, AstExpr *text) {
  Stmt *s = ast_stmt(p, ST_ASSERT, at);
  s->value = cond, s->to = text;
  return s;
}

Stmt *ast_else(Parse *p, Span at) {
  diag_error(p->diag, at, "this `else` has no `if`: it must follow the `}` of one");
  return ast_stmt(p, ST_ERROR, at);
}

Stmt *ast_return(Parse *p, Span at, const GivenVec *results) {
  Stmt *s = ast_stmt(p, ST_RETURN, at);
  if (results) s->given = *results;
  return s;
}

/* -------- from text -------- */

/* Length of the UTF-8 character at s, 0 when there is none. */
static size_t utf8_length(const unsigned char *s, size_t n) {
  if (s[0] < 0x80) return s[0] != 0;
  size_t len = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
  if (!len || len > n) return 0;
  for (size_t i = 1; i < len; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  return len;
}

static bool is_text(Diag *d, uint32_t file, const char *text, size_t len) {
  for (size_t i = 0, step; i < len; i += step) {
    step = utf8_length((const unsigned char *)text + i, len - i);
    if (step) continue;
    Span at = {file, (uint32_t)i, (uint32_t)i + 1};
    if (!text[i])
      diag_error(d, at, "this is not text: a zero byte at offset %zu", i);
    else
      diag_error(d, at, "this is not text: byte 0x%02x at offset %zu is not UTF-8",
                 (unsigned char)text[i], i);
    return false;
  }
  return true;
}

StmtVec parse_text(Arena *a, Diag *d, Names *names, const char *name, const char *text,
                   size_t len) {
  StmtVec none = {0};
  if (len > (size_t)1 << 28) {
    diag_error(d, (Span){0}, "%s: a source of %zu bytes is too long: at most 2^28", name, len);
    return none;
  }
  Parse p = {.arena = a, .diag = d, .names = names, .file = diag_add_source(d, name, text, len)};
  if (!is_text(d, p.file, text, len)) return none;
  if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) p.at = 3;
  void *lex;
  if (dtg_yylex_init_extra(&p, &lex)) longjmp(*arena_jmp(a), 1);
  dtg_yy_scan_bytes(text + p.at, (int)(len - p.at), lex);
  dtg_yyparse(&p, lex);
  return p.stmts;
}
