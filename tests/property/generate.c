/* Writes random valid programs; see program.h. */
#include "generate.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int gen_below(Gen *g, int n) { return random_below(&g->s->random, n); }

Line *gen_line(Script *s, LineKind kind, int entry) {
  if (s->nlines == MOST_LINES) abort(); /* MOST_LINES is too small */
  Line *l = &s->line[s->nlines++];
  *l = (Line){.kind = kind, .entry = entry};
  return l;
}

Value *gen_pick(Gen *g) {
  int n = g->at->nvalues, a = gen_below(g, n), b = gen_below(g, n);
  return &g->at->value[a > b ? a : b];
}

int64_t gen_count(const Value *v) {
  int64_t n = 1;
  for (int d = 0; d < v->rank; d++) n *= v->dim[d];
  return n;
}

bool gen_same_shape(const Value *a, const Value *b) {
  return a->rank == b->rank && !memcmp(a->dim, b->dim, sizeof *a->dim * (size_t)a->rank);
}

Value *gen_pick_like(Gen *g, const Value *like) {
  for (int tries = 0; tries < 12; tries++) {
    Value *v = gen_pick(g);
    if (v != like && gen_same_shape(v, like)) return v;
  }
  return NULL;
}

bool gen_say(Gen *g, Value v, const char *fmt, ...) {
  if (g->at->nvalues == MOST_VALUES || gen_count(&v) > MOST_COUNT || v.rank > 4) return false;
  if (v.most > MOST_MAGNITUDE) return false;
  char text[400];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  Line *l = gen_line(g->s, LINE_BODY, g->e);
  snprintf(v.name, sizeof v.name, "t%d", g->at->nvalues);
  v.named = true;
  snprintf(l->text, sizeof l->text, "  %s = %s\n", v.name, text);
  g->at->value[g->at->nvalues++] = v;
  return true;
}

Tensor *gen_input(Gen *g, dtgc_dtype t, const Value *shape, int64_t limit) {
  if (g->at->ninputs == 16) return NULL;
  Tensor *in = &g->at->input[g->at->ninputs];
  *in = (Tensor){.dtype = t, .rank = shape->rank, .below = limit};
  memcpy(in->dim, shape->dim, sizeof in->dim);
  snprintf(in->name, sizeof in->name, "%c%d", limit ? 'i' : 'x', g->at->ninputs++);
  return in;
}

Value gen_shape(Gen *g, int rank) {
  Value v = {.rank = rank, .most = 3};
  do
    for (int d = 0; d < rank; d++) v.dim[d] = 1 + gen_below(g, 7);
  while (gen_count(&v) > 120);
  return v;
}

/* -------- programs -------- */

static void entry_begin(Gen *g) {
  int n = 2 + gen_below(g, 2);
  for (int i = 0; i < n; i++) {
    Value v = gen_shape(g, 1 + gen_below(g, 3));
    if (i && gen_below(g, 2)) v = g->at->value[gen_below(g, i)];
    v.most = 3;
    v.named = true;
    Tensor *in = gen_input(g, DTGC_F64, &v, 0);
    snprintf(v.name, sizeof v.name, "%s", in->name);
    g->at->value[g->at->nvalues++] = v;
  }
  for (int i = 0; i < g->s->nparams; i++) {
    Value v = {.rank = g->s->param[i].rank, .most = 3};
    memcpy(v.dim, g->s->param[i].dim, sizeof v.dim);
    snprintf(v.name, sizeof v.name, "%s", g->s->param[i].name);
    g->at->value[g->at->nvalues++] = v;
  }
}

static void entry_end(Gen *g) {
  for (int i = 0; i < g->at->nvalues; i++) {
    if (!g->at->value[i].named || g->at->value[i].name[0] != 't') continue;
    if (i + 1 < g->at->nvalues && gen_below(g, 3)) continue;
    Line *l = gen_line(g->s, LINE_RETURN, g->e);
    snprintf(l->text, sizeof l->text, "%s", g->at->value[i].name);
  }
}

static void entry_generate(Gen *g) {
  static bool (*const make[])(Gen *) = {
      say_binary,  say_binary,      say_broadcasting, say_unary,      say_unary,   say_reduce,
      say_reduce,  say_reshape,     say_transpose,    say_slice,      say_pad,     say_concat,
      say_matmul,  say_matmul,      say_einsum,       say_gather,     say_scatter, say_moved,
      say_special, say_gradient,    say_assign,       say_ordered,    say_ordered, say_picked,
      say_product, say_convolution, say_convolution,  say_transposed, say_pool,    say_gradient,
      say_loop};
  int a = gen_below(g, 12), b = gen_below(g, 12), wanted = 3 + (a < b ? a : b); /* some are long */
  entry_begin(g);
  for (int tries = 0, made = 0; tries < 200 && made < wanted; tries++)
    made += make[gen_below(g, (int)(sizeof make / sizeof *make))](g);
  Value last = g->at->value[g->at->nvalues - 1];
  if (last.name[0] != 't') gen_say(g, last, "%s + 1", last.name);
  entry_end(g);
}

void script_generate(Script *s, uint64_t seed) {
  memset(s, 0, sizeof *s);
  s->random.state = seed * 7919 + 17;
  s->whole = random_below(&s->random, 3) > 0;
  Gen g = {.s = s};
  s->nparams = random_below(&s->random, 4);
  for (int i = 0; i < s->nparams; i++) {
    Value v = gen_shape(&g, 1 + gen_below(&g, 2));
    Tensor *p = &s->param[i];
    char type[100];
    *p = (Tensor){.dtype = DTGC_F64, .rank = v.rank};
    memcpy(p->dim, v.dim, sizeof p->dim);
    snprintf(p->name, sizeof p->name, "net.p%d", i);
    tensor_type(p, type, sizeof type);
    Line *l = gen_line(s, LINE_PARAM, 0);
    snprintf(l->text, sizeof l->text, "  %s p%d: %s = zeros()\n",
             gen_below(&g, 3) ? "param" : "state", i, type);
  }
  s->nentries = 1 + (s->nparams ? gen_below(&g, 1 + gen_below(&g, MOST_ENTRIES)) : 0);
  for (int e = 0; e < s->nentries; e++) {
    Line *l = gen_line(s, LINE_ENTRY, e);
    g.e = e;
    g.at = &s->entry[e];
    entry_generate(&g);
    int at = snprintf(l->text, sizeof l->text, "entry e%d(", e);
    for (int i = 0; i < g.at->ninputs; i++) {
      char type[100];
      tensor_type(&g.at->input[i], type, sizeof type);
      at += snprintf(l->text + at, sizeof l->text - (size_t)at, "%s%s: %s", i ? ", " : "",
                     g.at->input[i].name, type);
    }
  }
}
