/* --dump=ast: prints a tree as .dtg text that parses back to the same tree, with parentheses only
 * where the grammar requires them. */
#include "ast.h"
#include "op_list.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int op_level(Op op) { return (int)op->binds; }

static int level(const AstExpr *x) {
  if (x->kind == EX_BINARY || x->kind == EX_UNARY) return op_level(x->op);
  if (x->kind == EX_CHOICE) return BINDS_NONE;
  return BINDS_POSTFIX;
}

static void put(Str *out, const AstExpr *x, int least) {
  bool wrap = level(x) < least;
  if (wrap) str_puts(out, "(");
  ast_print_expr(out, x);
  if (wrap) str_puts(out, ")");
}

/* The shortest text that reads back the same. */
static void ast_print_real(Str *out, double v) {
  char s[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(s, sizeof s, "%.*g", digits, v);
    if (strtod(s, NULL) == v) break;
  }
  str_puts(out, s);
  if (!strpbrk(s, ".en")) str_puts(out, ".0");
}

static void put_string(Str *out, const char *s) {
  str_puts(out, "\"");
  for (; *s; s++) {
    if (*s == '"') str_puts(out, "\\");
    str_put(out, s, 1);
  }
  str_puts(out, "\"");
}

static void put_givens(Str *out, const GivenVec *v) {
  for (int i = 0; i < v->n; i++) {
    if (i) str_puts(out, ", ");
    if (v->at[i].name.text) str_printf(out, "%s=", v->at[i].name.text);
    ast_print_expr(out, v->at[i].value);
    if (v->at[i].spread) str_puts(out, "...");
  }
}

static void put_sub(Str *out, const Sub *s) {
  if (s->rest) str_puts(out, "...");
  if (s->begin) ast_print_expr(out, s->begin);
  if (s->slice) str_puts(out, ":");
  if (s->end) ast_print_expr(out, s->end);
  if (!s->step) return;
  str_puts(out, ":");
  ast_print_expr(out, s->step);
}

static void put_range_as(Str *out, const char *word, const char *name, const AstExpr *from,
                         const AstExpr *to, const AstExpr *by, int binds) {
  str_printf(out, "%s %s in ", word, name);
  put(out, from, binds);
  if (!to) return;
  str_puts(out, "..");
  put(out, to, binds);
  if (!by) return;
  str_puts(out, " by ");
  put(out, by, binds);
}

static void put_range(Str *out, const char *word, const char *name, const AstExpr *from,
                      const AstExpr *to, const AstExpr *by) {
  put_range_as(out, word, name, from, to, by, BINDS_NONE);
}

static void put_each(Str *out, const AstExpr *x) {
  const AstExpr *item = x->x;
  for (const AstExpr *c = x; c->joined; c = c->x) item = c->x->x;
  ast_print_expr(out, item);
  for (const AstExpr *c = x;; c = c->x) {
    str_puts(out, " ");
    put_range_as(out, "for", c->name.text, c->from, c->to, c->by, BINDS_OR);
    if (c->y) {
      str_puts(out, " if ");
      put(out, c->y, BINDS_OR);
    }
    if (!c->joined) return;
  }
}

static void put_binary(Str *out, const AstExpr *x) {
  int l = op_level(x->op);
  bool power = l == BINDS_POWER;
  put(out, x->x,
      power                ? BINDS_POSTFIX
      : l == BINDS_COMPARE ? l + 1
                           : l); /* comparisons do not chain */
  str_printf(out, power ? "%s" : " %s ", op_written(x->op));
  put(out, x->y, power ? BINDS_FACTOR : l + 1);
}

void ast_print_expr(Str *out, const AstExpr *x) {
  switch (x->kind) {
  case EX_ERROR: str_puts(out, "none"); break;
  case EX_INT: str_printf(out, "%ld", (long)x->i); break;
  case EX_REAL: ast_print_real(out, x->real); break;
  case EX_STRING: put_string(out, x->text); break;
  case EX_BOOL: str_puts(out, x->i ? "true" : "false"); break;
  case EX_NONE: str_puts(out, "none"); break;
  case EX_NAME: str_puts(out, x->name.text); break;
  case EX_LIST:
    str_puts(out, "[");
    for (int i = 0; i < x->list.n; i++) {
      if (i) str_puts(out, ", ");
      ast_print_expr(out, x->list.at[i]);
    }
    str_puts(out, "]");
    break;
  case EX_EACH:
    str_puts(out, "[");
    put_each(out, x);
    str_puts(out, "]");
    break;
  case EX_CHOICE:
    put(out, x->x, BINDS_OR);
    str_puts(out, " if ");
    put(out, x->from, BINDS_OR);
    str_puts(out, " else ");
    put(out, x->y, BINDS_NONE);
    break;
  case EX_CALL:
    put(out, x->x, BINDS_POSTFIX);
    str_puts(out, "(");
    put_givens(out, &x->given);
    str_puts(out, ")");
    break;
  case EX_INDEX:
    put(out, x->x, BINDS_POSTFIX);
    str_puts(out, "[");
    for (int i = 0; i < x->subs.n; i++) {
      if (i) str_puts(out, ", ");
      put_sub(out, &x->subs.at[i]);
    }
    str_puts(out, "]");
    break;
  case EX_FIELD:
    put(out, x->x, BINDS_POSTFIX);
    str_printf(out, ".%s", x->name.text);
    break;
  case EX_UNARY:
    str_printf(out, level(x) == BINDS_NOT ? "%s " : "%s", op_written(x->op));
    put(out, x->x, level(x));
    break;
  case EX_BINARY: put_binary(out, x); break;
  case EX_STACK:
    str_puts(out, "stack(");
    ast_print_expr(out, x->from);
    str_puts(out, ") ");
    ast_print_expr(out, x->x);
    break;
  case EX_RELAYOUT:
    str_puts(out, "relayout(");
    ast_print_expr(out, x->x);
    str_puts(out, ", ");
    ast_print_spec(out, x->spec);
    str_puts(out, ")");
    break;
  }
}

/* Without blanks, so that it compares equal to a variable's path. */
void ast_print_path(Str *out, const AstExpr *x) {
  if (x->kind == EX_FIELD) {
    ast_print_path(out, x->x);
    str_printf(out, ".%s", x->name.text);
  } else if (x->kind == EX_INDEX) {
    ast_print_path(out, x->x);
    str_puts(out, "[");
    ast_print_path(out, x->subs.at[0].begin);
    str_puts(out, "]");
  } else {
    ast_print_expr(out, x);
  }
}

/* -------- layouts -------- */

static void put_names(Str *out, const IdentVec *v) {
  for (int i = 0; i < v->n; i++) str_printf(out, "%s%s", i ? ", " : "", v->at[i].text);
}

static void put_item(Str *out, const AstItem *item) {
  if (item->kind == ITEM_WHOLE) str_puts(out, "_");
  if (item->kind == ITEM_OPEN) str_puts(out, "?");
  if (item->kind == ITEM_REST) str_puts(out, "...");
  if (item->kind != ITEM_AXES) return;
  if (item->tuple) str_puts(out, "(");
  put_names(out, &item->axes);
  if (item->tuple) str_puts(out, ")");
  if (item->granule > 1) str_printf(out, " by %ld", (long)item->granule);
}

void ast_print_spec(Str *out, const SpecExpr *s) {
  if (s->replicated) {
    str_puts(out, "replicated");
    return;
  }
  str_puts(out, "[");
  for (int i = 0; i < s->items.n; i++) {
    if (i) str_puts(out, ", ");
    put_item(out, &s->items.at[i]);
  }
  str_puts(out, "]");
  if (!s->partial.n) return;
  str_puts(out, " partial(");
  put_names(out, &s->partial);
  str_puts(out, ")");
}

static void put_on(Str *out, const SpecExpr *s) {
  if (!s) return;
  str_puts(out, " on ");
  ast_print_spec(out, s);
}

/* -------- statements -------- */

static void put_params(Str *out, const ParamVec *v) {
  for (int i = 0; i < v->n; i++) {
    const Param *p = &v->at[i];
    str_printf(out, "%s%s%s", i ? ", " : "", p->name.text, p->rest ? "..." : "");
    if (p->type) {
      str_puts(out, ": ");
      ast_print_expr(out, p->type);
    }
    put_on(out, p->on);
    if (!p->value) continue;
    str_puts(out, "=");
    ast_print_expr(out, p->value);
  }
}

static void indent(Str *out) {
  for (int i = 0; i < out->indent; i++) str_puts(out, "  ");
}

static void put_most(Str *out, const Stmt *s) {
  if (!s->most) return;
  str_puts(out, " most = ");
  ast_print_expr(out, s->most);
}

static void put_block(Str *out, const StmtVec *body) {
  str_puts(out, " {\n");
  out->indent++;
  ast_print_stmts(out, body);
  out->indent--;
  indent(out);
  str_puts(out, "}");
}

static void put_decl(Str *out, const char *word, const Stmt *s) {
  str_printf(out, "%s%s(", word, s->name.text);
  put_params(out, &s->params);
  str_puts(out, ")");
  put_block(out, &s->body);
}

static void put_var(Str *out, const char *word, const Stmt *s) {
  str_printf(out, "%s%s", word, s->name.text);
  if (s->key) {
    str_puts(out, "[");
    ast_print_expr(out, s->key);
    str_puts(out, "]");
  }
  str_puts(out, ": ");
  ast_print_expr(out, s->type);
  put_on(out, s->spec);
  if (!s->value) return;
  str_puts(out, " = ");
  ast_print_expr(out, s->value);
}

static void put_if(Str *out, const Stmt *s) {
  str_puts(out, "if ");
  ast_print_expr(out, s->value);
  put_block(out, &s->body);
  if (!s->other.n) return;
  str_puts(out, " else");
  if (s->other.n == 1 && s->other.at[0]->kind == ST_IF) {
    str_puts(out, " ");
    put_if(out, s->other.at[0]);
  } else {
    put_block(out, &s->other);
  }
}

static void put_targets(Str *out, const Stmt *s, const char *sign) {
  for (int i = 0; i < s->targets.n; i++) {
    if (i) str_puts(out, ", ");
    ast_print_expr(out, s->targets.at[i]);
  }
  str_printf(out, " %s ", sign);
  ast_print_expr(out, s->value);
}

static void put_stmt(Str *out, const Stmt *s) {
  switch (s->kind) {
  case ST_ERROR: break;
  case ST_IMPORT:
    str_puts(out, "import ");
    ast_print_expr(out, s->value);
    break;
  case ST_CONST:
    str_printf(out, "const %s = ", s->name.text);
    ast_print_expr(out, s->value);
    break;
  case ST_FN: put_decl(out, "fn ", s); break;
  case ST_LAYER: put_decl(out, "layer ", s); break;
  case ST_ENTRY: put_decl(out, "entry ", s); break;
  case ST_METHOD: put_decl(out, "", s); break;
  case ST_MESH:
    str_puts(out, "mesh [");
    put_givens(out, &s->given);
    str_puts(out, "]");
    break;
  case ST_LAYOUT:
    str_puts(out, "layout");
    if (s->name.text) str_printf(out, " %s", s->name.text);
    if (s->value) str_puts(out, " ");
    if (s->value) ast_print_path(out, s->value);
    if (s->spec) str_puts(out, " = ");
    if (s->spec) ast_print_spec(out, s->spec);
    if (s->forbid.file) str_puts(out, s->keep ? " forbid keep" : " forbid gather");
    break;
  case ST_PRECISION:
    str_puts(out, "precision ");
    if (s->value) ast_print_path(out, s->value);
    str_printf(out, s->value ? " = %s" : "%s", s->name.text);
    if (s->master.text) str_printf(out, ", master %s", s->master.text);
    break;
  case ST_PARAM: put_var(out, "param ", s); break;
  case ST_STATE: put_var(out, "state ", s); break;
  case ST_BIND: put_targets(out, s, "="); break;
  case ST_ASSIGN: put_targets(out, s, "<-"); break;
  case ST_EXPR: ast_print_expr(out, s->value); break;
  case ST_WHILE:
    str_puts(out, "while ");
    ast_print_expr(out, s->value);
    put_most(out, s);
    put_block(out, &s->body);
    break;
  case ST_SCAN:
    for (int i = 0; i < s->given.n; i++) {
      str_printf(out, "%s%s in ", i ? ", " : "scan ", s->given.at[i].name.text);
      ast_print_expr(out, s->given.at[i].value);
    }
    if (s->keep) str_puts(out, " reverse");
    put_block(out, &s->body);
    break;
  case ST_ASSERT:
    str_puts(out, "assert ");
    ast_print_expr(out, s->value);
    if (s->to) str_puts(out, ", "), ast_print_expr(out, s->to);
    break;
  case ST_COLLECT:
    str_printf(out, "collect %s = ", s->name.text);
    ast_print_expr(out, s->value);
    break;
  case ST_FOR:
  case ST_REPEAT:
    put_range(out, s->kind == ST_FOR ? "for" : "repeat", s->name.text, s->from, s->to, s->by);
    put_most(out, s);
    put_block(out, &s->body);
    break;
  case ST_IF: put_if(out, s); break;
  case ST_RETURN:
    str_puts(out, s->given.n ? "return " : "return");
    put_givens(out, &s->given);
    break;
  }
}

void ast_print_stmts(Str *out, const StmtVec *stmts) {
  for (int i = 0; i < stmts->n; i++) {
    indent(out);
    put_stmt(out, stmts->at[i]);
    str_puts(out, "\n");
  }
}
