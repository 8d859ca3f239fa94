/* Constructors of expressions and layouts, and parse_text. Errors that the grammar cannot express
 * are detected here and in ast_stmt.c: numbers that are too large, targets that cannot be bound,
 * the two forms that a method's head and a call share. */
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

AstExpr *ast_int(Parse *p, Span at, const char *text, size_t n, int base) {
  AstExpr *x = ast_new(p, EX_INT, at);
  errno = 0;
  x->i = strtoll(digits(p, text, n), NULL, base);
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

AstExpr *ast_clause(Parse *p, Span at, Ident name, AstRange over, AstExpr *condition) {
  AstExpr *x = ast_new(p, EX_EACH, at);
  x->name = name, x->from = over.from, x->to = over.to, x->by = over.by, x->y = condition;
  return x;
}

AstExpr *ast_each(Parse *p, Span at, AstExpr *item, AstExpr *clause) {
  clause->joined = clause->x != NULL;
  clause->x = clause->joined ? ast_each(p, clause->x->span, item, clause->x) : item;
  clause->span = at;
  const int range = max(clause->from->depth, max(depth_of(clause->to), depth_of(clause->by)));
  return deepen(p, clause, max(clause->x->depth, max(depth_of(clause->y), range)));
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

/* Without a granule the word behind the axis does not belong there, or is a `by` that lacks it. */
AstItem ast_item_by(Parse *p, AstItem item, Ident by, AstExpr *granule) {
  const bool is_by = !strcmp(by.text, "by");
  if (!is_by)
    parse_wrong(p, by.span, "unexpected `%s`; expected `,`, `]` or `by`", by.text);
  else if (!granule)
    parse_wrong(p, by.span, "`by` requires a number of elements, as in `batch by 28`");
  if (!is_by || !granule) return item;
  item.span = span_join(item.span, granule->span);
  if (granule->kind == EX_INT && granule->i < 1)
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

/* Whether a mistake lies on the line of `at`. */
static bool on_line(const Parse *p, Span mistake, Span at) {
  const uint32_t a = mistake.begin, b = at.begin, from = a < b ? a : b;
  const char *text = diag_source(p->diag, p->file)->text;
  return mistake.end && !memchr(text + from, '\n', (a < b ? b : a) - from);
}

bool parse_wrong(Parse *p, Span at, const char *fmt, ...) {
  if (on_line(p, p->wrong, at) || on_line(p, p->meant, at)) return false;
  va_list ap;
  va_start(ap, fmt);
  diag_error(p->diag, at, "%s", arena_vprintf(p->arena, fmt, ap));
  va_end(ap);
  p->wrong = at;
  return true;
}

void parse_meant(Parse *p, Span at, const char *message) {
  if (!on_line(p, p->wrong, at)) diag_error(p->diag, at, "%s", message);
  p->meant = at;
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
