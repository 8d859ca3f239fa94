#include "json.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  const char *at, *end;
} Reader;

static void skip(Reader *r) {
  while (r->at < r->end && strchr(" \n\r\t", *r->at) && *r->at) r->at++;
}

static bool take(Reader *r, char c) {
  skip(r);
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static size_t put_utf8(char *out, unsigned c) {
  if (c < 0x80) return out[0] = (char)(c ? c : '?'), 1;
  if (c < 0x800) return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
  out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63));
  return out[2] = (char)(0x80 | (c & 63)), 3;
}

static bool read_escape(Reader *r, char *out, size_t *n) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  char hex[5] = {0};
  if (r->at == r->end) return false;
  char c = *r->at++;
  const char *k = strchr(from, c);
  if (c && k) {
    out[(*n)++] = to[k - from];
    return true;
  }
  if (c != 'u' || r->end - r->at < 4) return false;
  for (int i = 0; i < 4; i++)
    if (!isxdigit((unsigned char)(hex[i] = *r->at++))) return false;
  *n += put_utf8(out + *n, (unsigned)strtoul(hex, NULL, 16));
  return true;
}

/* Memory of the text's own length is enough: no escape grows. */
static char *read_string(Reader *r) {
  if (!take(r, '"')) return NULL;
  const char *close = r->at;
  while (close < r->end && *close != '"') close += *close == '\\' && close + 1 < r->end ? 2 : 1;
  char *out = malloc((size_t)(close - r->at) + 4);
  size_t n = 0;
  while (out && r->at < r->end) {
    unsigned char c = (unsigned char)*r->at++;
    if (c == '"') {
      out[n] = 0;
      return out;
    }
    if (c < 32) break;
    if (c != '\\')
      out[n++] = (char)c;
    else if (!read_escape(r, out, &n))
      break;
  }
  free(out);
  return NULL;
}

static bool read_number(Reader *r, double *out) {
  char text[64] = {0}, *end;
  const char *p = r->at;
  if (p < r->end && *p == '-') p++;
  if (p == r->end || !isdigit((unsigned char)*p)) return false;
  if (*p == '0' && p + 1 < r->end && isdigit((unsigned char)p[1])) return false;
  while (p < r->end && strchr("0123456789+-.eE", *p) && *p) p++;
  if (p - r->at >= (int)sizeof text || !isdigit((unsigned char)p[-1])) return false;
  memcpy(text, r->at, (size_t)(p - r->at));
  r->at = p;
  *out = strtod(text, &end);
  return !*end;
}

static bool read_value(Reader *r, Json *j, int depth);

static bool read_members(Reader *r, Json *j, char close, int depth) {
  if (take(r, close)) return true;
  for (int cap = 0;;) {
    if (j->n == cap) {
      Json *more = realloc(j->at, sizeof *more * (size_t)(cap = cap ? cap * 2 : 8));
      if (!more) return false;
      j->at = more;
    }
    Json *m = &j->at[j->n++];
    *m = (Json){0};
    if (close == '}' && (!(m->key = read_string(r)) || !take(r, ':'))) return false;
    if (!read_value(r, m, depth + 1)) return false;
    if (take(r, close)) return true;
    if (!take(r, ',')) return false;
  }
}

static bool read_value(Reader *r, Json *j, int depth) {
  skip(r);
  if (r->at == r->end || depth > 100) return false;
  if (*r->at == '"') return j->kind = JSON_STRING, (j->text = read_string(r)) != NULL;
  if (take(r, '[')) return j->kind = JSON_LIST, read_members(r, j, ']', depth);
  if (take(r, '{')) return j->kind = JSON_OBJECT, read_members(r, j, '}', depth);
  if (r->end - r->at >= 4 && strncmp(r->at, "null", 4) == 0) return r->at += 4, true;
  return j->kind = JSON_NUMBER, read_number(r, &j->number);
}

static void free_inside(Json *j) {
  for (int i = 0; i < j->n; i++) free_inside(&j->at[i]);
  free(j->at);
  free(j->text);
  free(j->key);
}

Json *json_read(const char *text, size_t n, size_t *wrong) {
  Reader r = {text, text + n};
  Json *j = calloc(1, sizeof *j);
  bool ok = j && read_value(&r, j, 0);
  skip(&r);
  *wrong = (size_t)(r.at - text);
  if (ok && r.at == r.end) return j;
  json_free(j);
  return NULL;
}

void json_free(Json *j) {
  if (j) free_inside(j);
  free(j);
}

const Json *json_get(const Json *o, const char *key) {
  for (int i = 0; o && o->kind == JSON_OBJECT && i < o->n; i++)
    if (strcmp(o->at[i].key, key) == 0) return &o->at[i];
  return NULL;
}
