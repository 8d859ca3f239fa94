/* Names, strings and comments of the emitted C, and the tables of dims and layouts that entries,
 * exchanges and watched values refer to: each is written when it is first asked for. */
#include "emit.h"
#include <ctype.h>
#include <string.h>

/* -------- names and numbers -------- */

const char *emit_word(Emit *e, const char *name) {
  Str s = str_new(e->arena);
  if (isdigit((unsigned char)*name)) str_puts(&s, "_");
  for (const char *c = name; *c; c++) {
    bool ok = isalnum((unsigned char)*c) || *c == '_';
    if (ok)
      str_put(&s, c, 1);
    else if (s.n && s.at[s.n - 1] != '_' && c[1])
      str_puts(&s, "_");
  }
  while (s.n && s.at[s.n - 1] == '_') s.at[--s.n] = 0;
  if (!s.n) str_puts(&s, "t");
  if (s.n > 40) s.at[s.n = 40] = 0;
  return s.at;
}

const char *emit_identifier(Emit *e, const char *name) {
  const char *s = emit_word(e, name);
  /* Words of C, types and the runtime's device. */
  static const char *const taken[] = {
      "asm",      "auto",    "break",   "case",     "char",     "const",    "continue", "default",
      "dev",      "do",      "double",  "else",     "enum",     "extern",   "float",    "for",
      "goto",     "if",      "inline",  "int",      "int32_t",  "int64_t",  "linux",    "long",
      "register", "restrict", "return", "short",    "signed",   "sizeof",   "static",   "struct",
      "switch",   "typedef", "typeof",  "uint32_t", "uint64_t", "uint8_t",  "union",    "unix",
      "unsigned", "void",    "volatile", "while"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(s, taken[i])) return arena_printf(e->arena, "%s_", s);
  return strncmp(s, "dtrt_", 5) ? s : arena_printf(e->arena, "_%s", s);
}

const char *emit_numbered(Emit *e, const char *name, int number) {
  const size_t n = strlen(name);
  return arena_printf(e->arena, n && name[n - 1] == '_' ? "%s%d" : "%s_%d", name, number);
}

void emit_list(Str *to, const char *head, const char *const *text, int n, const char *tail) {
  enum { MOST_COLUMNS = 100 };
  const int indent = 2 * to->indent;
  int column = indent + (int)strlen(head) + 1;
  str_printf(to, "%*s%s(", indent, "", head);
  for (int i = 0; i < n; i++) {
    const int length = (int)strlen(text[i]) + 2;
    const bool wraps = i && column + length > MOST_COLUMNS;
    str_puts(to, !i ? "" : wraps ? "," : ", ");
    if (wraps) str_printf(to, "\n%*s", indent + 4, "");
    str_puts(to, text[i]);
    column = (wraps ? indent + 4 : column) + length;
  }
  str_printf(to, ")%s\n", tail);
}

/* -------- tables -------- */

int emit_find(Emit *e, const Lookup *table, const char *text) {
  return lookup_get(table, name_of(e->names, text, strlen(text)));
}

void emit_keep(Emit *e, Lookup *table, const char *text, int value) {
  lookup_put(table, e->arena, name_of(e->names, text, strlen(text)), value);
}

static void dim_initializer(Str *s, const DimLayout *d, int64_t n) {
  str_printf(s, "{.n = %ld, .granule = %ld", (long)n, (long)d->granule);
  if (d->window.of)
    str_printf(s, ", .of = %ld, .mul = %ld, .div = %ld, .first = %ld, .last = %ld",
               (long)d->window.of, (long)d->window.mul, (long)d->window.div, (long)d->window.first,
               (long)d->window.last);
  if (d->window.cyclic) str_puts(s, ", .cyclic = 1");
  if (d->naxes) {
    str_printf(s, ", .naxes = %d, .axis = {", d->naxes);
    for (int i = 0; i < d->naxes; i++) str_printf(s, "%s%d", i ? ", " : "", d->axis[i]);
    str_puts(s, "}");
  }
  str_puts(s, "}");
}

const char *emit_dim(Emit *e, const DimLayout *d, int64_t n) {
  Str s = str_new(e->arena);
  dim_initializer(&s, d, n);
  int had = emit_find(e, &e->dim_at, s.at);
  if (had) return e->dims.at[had - 1];
  const char *name = arena_printf(e->arena, "dim_%d", e->dims.n);
  str_line(&e->tables, "static const dtrt_dim %s = %s;", name, s.at);
  vec_push(e->arena, &e->dims, name);
  emit_keep(e, &e->dim_at, s.at, e->dims.n);
  return name;
}

const char *emit_layout(Emit *e, const Layout *l, const Shape *shape) {
  static const char *const how[] = {"DTRT_SUM", "DTRT_MAX", "DTRT_MIN", "DTRT_PROD"};
  Str dims = str_new(e->arena);
  for (int d = 0; d < l->rank; d++) {
    str_puts(&dims, d ? ",\n    " : "\n    ");
    dim_initializer(&dims, &l->dim[d], shape->dim[d]);
  }
  const char *key =
      arena_printf(e->arena, "%x %d%s", l->partial, l->reduce, l->rank ? dims.at : "");
  int had = emit_find(e, &e->layout_at, key);
  if (had) return e->layouts.at[had - 1];
  const char *name = arena_printf(e->arena, "layout_%d", e->layouts.n);
  str_printf(&e->tables, "/* ");
  shape_put(&e->tables, shape);
  str_printf(&e->tables, " on %s */\n", emit_comment(e, layout_text(e->arena, e->mesh, l)));
  if (l->rank) str_printf(&e->tables, "static const dtrt_dim %s_dims[] = {%s};\n", name, dims.at);
  str_printf(&e->tables, "static const dtrt_layout %s = {%d, 0x%x, %s, ", name, l->rank, l->partial,
             how[l->reduce]);
  if (l->rank)
    str_printf(&e->tables, "%s_dims};\n", name);
  else
    str_puts(&e->tables, "0};\n");
  vec_push(e->arena, &e->layouts, name);
  emit_keep(e, &e->layout_at, key, e->layouts.n);
  return name;
}

const char *emit_comment(const Emit *e, const char *text) {
  Str s = str_new(e->arena);
  for (const char *c = text; *c; c++) {
    char shown = (unsigned char)*c < 32 || *c == 127 || *c == '\\' ? '?' : *c;
    char last = s.n ? s.at[s.n - 1] : ' ';
    /* Neither the end of a comment, nor the beginning of one, nor a trigraph. */
    if ((last == '*' && shown == '/') || (last == '/' && shown == '*') ||
        (last == '?' && shown == '?'))
      str_puts(&s, " ");
    str_put(&s, &shown, 1);
  }
  return s.at ? s.at : "";
}

void emit_string(Str *s, const char *text) {
  if (text)
    str_literal(s, text, true);
  else
    str_puts(s, "0");
}

const char *emit_kind(int kind) {
  static const char *const name[] = {"DTRT_COPY",       "DTRT_ALL_REDUCE", "DTRT_REDUCE_SCATTER",
                                     "DTRT_ALL_GATHER", "DTRT_ALL_TO_ALL", "DTRT_PERMUTE",
                                     "DTRT_BOXES",      "DTRT_HALO"};
  return name[kind];
}
