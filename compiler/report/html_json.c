/* html_json.h. */
#include "html_json.h"
#include "utf8.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINE = 400 }; /* bytes of a source line that are shown */

/* -------- text -------- */

/* Text inside quotes. Whatever bytes it has, what comes out is plain ASCII or whole UTF-8
 * characters, and nothing in it can end a script element or open a comment there. */
static void html_json_text(Str *out, const char *text, size_t n) {
  const unsigned char *s = (const unsigned char *)text;
  for (size_t i = 0; i < n;) {
    int len = utf8_character(text + i, n - i);
    if (len == 0) {
      str_puts(out, "\\ufffd");
      len = 1;
    } else if (len == 1 && (s[i] < 32 || s[i] == 127 || strchr("\"\\<>&", s[i]))) {
      str_printf(out, "\\u%04x", s[i]);
    } else {
      str_put(out, text + i, (size_t)len);
    }
    i += (size_t)len;
  }
}

void html_json_string(Str *out, const char *s) {
  if (!s) {
    str_puts(out, "null");
    return;
  }
  str_puts(out, "\"");
  html_json_text(out, s, strlen(s));
  str_puts(out, "\"");
}

void html_json_number(Str *out, double x) {
  char text[32];
  if (!isfinite(x)) {
    str_puts(out, "null");
    return;
  }
  snprintf(text, sizeof text, "%.6g", x);
  for (char *c = text; *c; c++)
    if (!strchr("0123456789+-e", *c)) *c = '.';
  str_puts(out, text);
}

/* -------- tables -------- */

static int *slot_of(const JsonTable *t, const char *json) {
  uint64_t h = hash_bytes(json, strlen(json), 0);
  int i = (int)(h % (uint64_t)t->slots);
  while (t->slot[i] && strcmp(t->value.at[t->slot[i] - 1], json) != 0) i = (i + 1) % t->slots;
  return &t->slot[i];
}

static void grow(JsonTable *t) {
  t->slots = t->slots ? t->slots * 2 : 256;
  t->slot = arena_array(t->arena, int, t->slots);
  for (int i = 0; i < t->value.n; i++) *slot_of(t, t->value.at[i]) = i + 1;
}

int html_json_intern(JsonTable *t, const char *json) {
  if (t->value.n * 2 >= t->slots) grow(t);
  int *slot = slot_of(t, json);
  if (!*slot) {
    vec_push(t->arena, &t->value, arena_strdup(t->arena, json));
    *slot = t->value.n;
  }
  return *slot - 1;
}

void html_json_table(Str *out, const char *key, const JsonTable *t) {
  str_printf(out, "\"%s\":[", key);
  for (int i = 0; i < t->value.n; i++) str_printf(out, "%s%s", i ? ",\n" : "", t->value.at[i]);
  str_puts(out, "]");
}

/* -------- lines -------- */

JsonLines html_json_lines_new(const Diag *d, Arena *a) {
  JsonLines l = {.diag = d, .arena = a};
  l.file = arena_alloc(a, sizeof *l.file * (size_t)(d->sources.n + 1));
  return l;
}

static void find_lines(JsonLines *l, struct JsonFile *f, const Source *s) {
  f->count = 1;
  for (size_t i = 0; i < s->len; i++) f->count += s->text[i] == '\n';
  f->begin = arena_array(l->arena, int, f->count + 1);
  f->named = arena_array(l->arena, bool, f->count);
  int n = 1;
  for (size_t i = 0; i < s->len; i++)
    if (s->text[i] == '\n') f->begin[n++] = (int)i + 1;
  f->begin[n] = (int)s->len + 1;
}

int html_json_line(JsonLines *l, Span at) {
  const Source *s = diag_source(l->diag, at.file);
  if (!s) return 0;
  struct JsonFile *f = &l->file[at.file - 1];
  if (!f->begin) find_lines(l, f, s);
  int low = 0, high = f->count; /* the line that holds it is in [low, high) */
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if ((uint32_t)f->begin[middle] <= at.begin)
      low = middle;
    else
      high = middle;
  }
  f->named[low] = true;
  return low + 1;
}

void html_json_files(Str *out, const char *key, const JsonLines *l) {
  str_printf(out, "\"%s\":[", key);
  for (int i = 0; i < l->diag->sources.n; i++) {
    const Source *s = &l->diag->sources.at[i];
    const struct JsonFile *f = &l->file[i];
    const char *comma = "";
    str_puts(out, i ? ",\n[" : "[");
    html_json_string(out, s->name);
    str_puts(out, ",{");
    for (int k = 0; f->begin && k < f->count; k++) {
      if (!f->named[k]) continue;
      int n = f->begin[k + 1] - 1 - f->begin[k];
      str_printf(out, "%s\"%d\":\"", comma, k + 1);
      html_json_text(out, s->text + f->begin[k], (size_t)(n < MOST_LINE ? n : MOST_LINE));
      str_puts(out, "\"");
      comma = ",";
    }
    str_puts(out, "}]");
  }
  str_puts(out, "]");
}
