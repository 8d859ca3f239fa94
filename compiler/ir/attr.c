/* Attributes by name. The position of an attribute's values follows from those before it. */
#include "op.h"
#include "slide.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_of(const Node *n, const Attr *a) {
  switch (a->kind) {
  case ATTR_LIST:
  case ATTR_SHAPE: return n->shape.rank;
  case ATTR_MAP: return n->nattr - n->shape.rank; /* a shape comes after it */
  case ATTR_LETTERS:
  case ATTR_SLIDE: return n->nattr;
  default: return 1;
  }
}

bool op_has_attr(Op op, const char *name) {
  for (int i = 0; i < MAX_ATTRS && op->attr[i].kind; i++)
    if (!strcmp(op->attr[i].name, name)) return true;
  return false;
}

const int64_t *node_attrs(const Node *n, const char *name) {
  const int64_t *at = n->attr;
  for (int i = 0; i < MAX_ATTRS && n->op->attr[i].kind; i++) {
    if (!strcmp(n->op->attr[i].name, name)) return at;
    at += count_of(n, &n->op->attr[i]);
  }
  fprintf(stderr, "dtgc: bug: %s has no attribute %s\n", n->op->name, name);
  abort();
}

Letters product_letters(const Graph *g, const Node *n) {
  const int64_t *x = n->attr, *y = x + graph_operand(g, n, 0)->shape.rank;
  Letters l = {.x = x, .y = y, .out = y + graph_operand(g, n, 1)->shape.rank};
  for (int i = 0; i < n->nattr; i++)
    l.in[x[i]] |= x + i < y ? LETTER_X : x + i < l.out ? LETTER_Y : LETTER_OUT;
  return l;
}

ProductSizes product_sizes(const Letters *l, const double *size) {
  ProductSizes z = {1, 1, 1, 1};
  for (int i = 0; i < 26; i++) {
    if (l->in[i] == LETTER_BATCH) z.batch *= size[i];
    if (l->in[i] == LETTER_M) z.m *= size[i];
    if (l->in[i] == LETTER_N) z.n *= size[i];
    if (l->in[i] == LETTER_SUMMED) z.k *= size[i];
  }
  return z;
}

ProductSizes product_sizes_of(const Graph *g, const Node *n) {
  const Letters l = product_letters(g, n);
  double size[26] = {0};
  for (int k = 0; k < 2; k++) {
    const Shape *s = &graph_operand(g, n, k)->shape;
    for (int d = 0; d < s->rank; d++) size[(k ? l.y : l.x)[d]] = (double)s->dim[d];
  }
  return product_sizes(&l, size);
}

bool product_is_batch(const Graph *g, const Node *n) {
  const Letters l = product_letters(g, n);
  for (int d = 0; d < n->shape.rank; d++)
    if (l.in[l.out[d]] == LETTER_BATCH && n->shape.dim[d] > 1) return true;
  return false;
}

static void put_letters(Str *out, const Graph *g, const Node *n) {
  const int64_t *at = n->attr;
  str_puts(out, " \"");
  for (int t = 0; t < 3; t++) {
    const Shape *s = t < 2 ? &graph_operand(g, n, t)->shape : &n->shape;
    if (t) str_puts(out, t == 1 ? "," : "->");
    for (int d = 0; d < s->rank; d++) str_printf(out, "%c", (int)('a' + *at++));
  }
  str_puts(out, "\"");
}

static void put_list(Str *out, const char *name, const int64_t *at, int n) {
  str_printf(out, "%s=[", name);
  for (int i = 0; i < n; i++) str_printf(out, "%s%ld", i ? ", " : "", (long)at[i]);
  str_puts(out, "]");
}

static void put_set(Str *out, const char *name, int64_t set) {
  int64_t dims[MAX_RANK];
  int n = 0;
  for (int d = 0; d < MAX_RANK; d++)
    if (set >> d & 1) dims[n++] = d;
  if (n == 1)
    str_printf(out, "%s=%ld", name, (long)dims[0]);
  else
    put_list(out, name, dims, n);
}

static void put_slide(Str *out, const Node *n) {
  const Slide s = slide_of(n);
  put_list(out, "taps", s.taps, s.n);
  put_list(out, " stride", s.stride, s.n);
  put_list(out, " before", s.before, s.n);
  put_list(out, " dilation", s.dilation, s.n);
  bool wraps = false;
  for (int d = 0; d < s.n; d++) wraps |= s.wraps[d];
  if (wraps) put_list(out, " wraps", s.wraps, s.n);
  if (s.groups > 1) str_printf(out, " groups=%ld", (long)s.groups);
}

static void put_attr(Str *out, const Node *n, const Attr *a, const int64_t *at) {
  switch (a->kind) {
  case ATTR_INT: str_printf(out, "%s=%ld", a->name, (long)*at); break;
  case ATTR_BOOL: str_puts(out, *at ? a->name : ""); break;
  case ATTR_SET: put_set(out, a->name, *at); break;
  case ATTR_KEY: str_printf(out, "%s=%016lx", a->name, (unsigned long)*at); break;
  case ATTR_LIST:
  case ATTR_MAP: put_list(out, a->name, at, count_of(n, a)); break;
  case ATTR_SLIDE: put_slide(out, n); break;
  default: break; /* the type of the result shows it */
  }
}

void node_attrs_put(Str *out, const Graph *g, const Node *n) {
  if (n->op->attr[0].kind == ATTR_LETTERS) {
    put_letters(out, g, n);
    return;
  }
  Str s = str_new(g->arena);
  const int64_t *at = n->attr;
  for (int i = 0; i < MAX_ATTRS && n->op->attr[i].kind && n->nattr; i++) {
    Str one = str_new(g->arena);
    put_attr(&one, n, &n->op->attr[i], at);
    if (one.n) str_printf(&s, "%s%s", s.n ? " " : "", one.at);
    at += count_of(n, &n->op->attr[i]);
  }
  if (s.n) str_printf(out, " {%s}", s.at);
}
