/* columns.c: the selected columns of a row: "0-3,7,9-". They count from 0, in the order written; a
 * column may be repeated. */
#include <stdlib.h>
#include "plural.h"
#include "tensor_file.h"

/* A digit string at *p, or -1. */
static int64_t index_at(const char **p) {
  int64_t v = 0;
  const char *from = *p;
  for (; **p >= '0' && **p <= '9'; ++*p) {
    if (v > 1000000000) return -1;
    v = v * 10 + (**p - '0');
  }
  return *p > from ? v : -1;
}

/* The ranges of a text (an open end is -1); their number, or -1. `range` may be NULL. */
static int parse(const char *p, column_range *range) {
  for (int n = 0;; p++) {
    column_range one;
    one.first = one.last = index_at(&p);
    if (one.first < 0) return -1;
    if (*p == '-') {
      p++;
      bool open = !*p || *p == ',';
      one.last = open ? -1 : index_at(&p);
      if (!open && one.last < one.first) return -1;
    }
    if (range) range[n] = one;
    n++;
    if (!*p) return n;
    if (*p != ',') return -1;
  }
}

bool columns_ok(const char *text) { return parse(text, NULL) > 0; }

bool columns_choose(columns *c, gz_stream *s, const char *text, int64_t width) {
  int n = text ? parse(text, NULL) : 1;
  *c = (columns){0};
  if (n < 1) return gz_fail(s, "columns '%s'; expected something like 0-63 or 0-3,7", text);
  c->range = calloc((size_t)n, sizeof *c->range);
  if (!c->range) return gz_fail(s, "out of memory");
  c->n = n;
  if (text)
    parse(text, c->range);
  else
    c->range[0] = (column_range){0, -1};
  for (int i = 0; i < n; i++) {
    column_range *g = &c->range[i];
    int64_t most = g->last > g->first ? g->last : g->first;
    if (most >= width)
      return gz_fail(s, "expected a column %lld (they count from 0), found %lld column%s",
                     (long long)most, (long long)width, PLURAL(width));
    if (g->last < 0) g->last = width - 1;
    c->count += g->last - g->first + 1;
  }
  return true;
}
