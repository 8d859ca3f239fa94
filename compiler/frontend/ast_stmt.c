/* Constructors of statements. */
#include "ast.h"
#include "foreign.h"
#include <string.h>

static Stmt *ast_stmt(Parse *p, StmtKind kind, Span at) {
  Stmt *s = arena_new_of(p->arena, Stmt);
  s->kind = kind;
  s->span = at;
  s->depth = 1;
  return s;
}

static int deepest(const StmtVec *v, int depth) {
  for (int i = 0; v && i < v->n; i++)
    if (v->at[i]->depth > depth) depth = v->at[i]->depth;
  return depth;
}

/* Takes the bodies; a nest of blocks that is too deep loses its innermost. */
static Stmt *with_bodies(Parse *p, Stmt *s, const StmtVec *body, const StmtVec *other) {
  s->depth = deepest(other, deepest(body, 0)) + 1;
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
      if (g->value->kind != EX_NAME && !strcmp(head->x->name.text, "repeat")) {
        diag_error(p->diag, head->span,
                   "the range of a `repeat` stands without parentheses: `repeat 3 { }`");
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
    if (t->kind == EX_INDEX)
      diag_error(p->diag, t->span, "`=` binds a plain name; a part is written with `<-`");
    else if (t->kind == EX_FIELD)
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
  return ast_repeat(p, at, name, (AstRange){ast_int(p, times->span, "0", 1, 10), times, NULL},
                    body);
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
