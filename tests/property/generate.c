/* Writes random valid programs; see program.h. Every function that makes a statement returns false
 * when the dice asked for something that no value there fits. */
#include "program.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUNT = 240, MOST_MAGNITUDE = 1 << 14 };

typedef struct Gen {
  Script *s;
  int e;
  Scenery *at;
} Gen;

static int below(Gen *g, int n) { return random_below(&g->s->random, n); }

static Line *add_line(Script *s, LineKind kind, int entry) {
  if (s->nlines == MOST_LINES) abort(); /* MOST_LINES is too small */
  Line *l = &s->line[s->nlines++];
  *l = (Line){.kind = kind, .entry = entry};
  return l;
}

static Value *pick(Gen *g) {
  /* Late values more often, so that chains become long. */
  int n = g->at->nvalues, a = below(g, n), b = below(g, n);
  return &g->at->value[a > b ? a : b];
}

static int64_t count_of(const Value *v) {
  int64_t n = 1;
  for (int d = 0; d < v->rank; d++) n *= v->dim[d];
  return n;
}

static bool same_shape(const Value *a, const Value *b) {
  return a->rank == b->rank && !memcmp(a->dim, b->dim, sizeof *a->dim * (size_t)a->rank);
}

static Value *pick_like(Gen *g, const Value *like) {
  for (int tries = 0; tries < 12; tries++) {
    Value *v = pick(g);
    if (v != like && same_shape(v, like)) return v;
  }
  return NULL;
}

/* A statement `tN = ...` whose value is `v`. */
static bool __attribute__((format(printf, 3, 4))) say(Gen *g, Value v, const char *fmt, ...) {
  if (g->at->nvalues == MOST_VALUES || count_of(&v) > MOST_COUNT || v.rank > 4) return false;
  if (v.most > MOST_MAGNITUDE) return false;
  char text[400];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  Line *l = add_line(g->s, LINE_BODY, g->e);
  snprintf(v.name, sizeof v.name, "t%d", g->at->nvalues);
  v.named = true;
  snprintf(l->text, sizeof l->text, "  %s = %s\n", v.name, text);
  g->at->value[g->at->nvalues++] = v;
  return true;
}

static Tensor *add_input(Gen *g, dtgc_dtype t, const Value *shape, int64_t limit) {
  if (g->at->ninputs == 16) return NULL;
  Tensor *in = &g->at->input[g->at->ninputs];
  *in = (Tensor){.dtype = t, .rank = shape->rank, .below = limit};
  memcpy(in->dim, shape->dim, sizeof in->dim);
  snprintf(in->name, sizeof in->name, "%c%d", limit ? 'i' : 'x', g->at->ninputs++);
  return in;
}

static Value random_shape(Gen *g, int rank) {
  Value v = {.rank = rank, .most = 3};
  do
    for (int d = 0; d < rank; d++) v.dim[d] = 1 + below(g, 7);
  while (count_of(&v) > 120);
  return v;
}

/* -------- statements -------- */

static bool binary(Gen *g) {
  Value *x = pick(g), *y = pick_like(g, x);
  if (!y) return false;
  Value v = *x;
  switch (below(g, g->s->whole ? 5 : 4)) {
  case 0: v.most = x->most + y->most; return say(g, v, "%s + %s", x->name, y->name);
  case 1: v.most = x->most + y->most; return say(g, v, "%s - %s", x->name, y->name);
  case 2: v.most = x->most * y->most; return say(g, v, "%s * %s", x->name, y->name);
  case 3:
    if (g->s->whole) return say(g, v, "where(%s > %s, %s, 1)", x->name, y->name, x->name);
    v.most = x->most;
    return say(g, v, "%s / (1 + %s * %s)", x->name, y->name, y->name);
  default:
    v.most = x->most > y->most ? x->most : y->most;
    return say(g, v, "%s(%s, %s)", below(g, 2) ? "max" : "min", x->name, y->name);
  }
}

/* Right-aligned broadcasting against a new input with some dims of 1 or left out. */
static bool broadcasting(Gen *g) {
  Value *x = pick(g), y = {0};
  if (!x->rank) return false;
  int drop = below(g, x->rank + 1);
  y.rank = x->rank - drop;
  for (int d = 0; d < y.rank; d++) y.dim[d] = below(g, 2) ? x->dim[d + drop] : 1;
  Tensor *in = add_input(g, DTGC_F64, &y, 0);
  if (!in) return false;
  Value v = *x;
  bool times = below(g, 2);
  v.most = times ? x->most * 3 : x->most + 3;
  return say(g, v, below(g, 2) ? "%s %s %s" : "(%s) %s %s", x->name, times ? "*" : "+", in->name);
}

static bool unary(Gen *g) {
  static const char *const whole[] = {
      "-%s",          "abs(%s)",      "max(%s, 0)",       "sign(%s)",
      "2 * %s",       "%s - 1",       "clamp(%s, -3, 4)", "stop_gradient(%s)",
      "f64(i32(%s))", "f64(%s >= 1)", "floor(%s)"};
  static const char *const smooth[] = {
      "tanh(%s)", "sigmoid(%s)",         "sin(%s)", "exp(-(%s) ** 2)", "0.5 * %s",
      "erf(%s)",  "sqrt(1 + (%s) ** 2)", "-%s",     "%s + 0.25"};
  Value *x = pick(g), v = *x;
  int n = g->s->whole ? 11 : 9, k = below(g, n);
  const char *fmt = g->s->whole ? whole[k] : smooth[k];
  const char *hole = strstr(fmt, "%s");
  v.most = g->s->whole       ? (k == 3 || k == 9 ? 1
                                : k == 6         ? 4
                                                 : 2 * x->most)
           : k < 4 || k == 5 ? 1
                             : x->most + 1;
  return say(g, v, "%.*s%s%s", (int)(hole - fmt), fmt, x->name, hole + 2);
}

static bool reduce(Gen *g) {
  static const char *const how[] = {"sum", "sum", "max", "min", "mean", "logsumexp"};
  Value *x = pick(g), v = {0};
  char axes[40] = "";
  int k = below(g, 4), n = 0;
  bool keep = below(g, 2);
  if (!x->rank) return false;
  if (!g->s->whole && k > 1) k += 2;
  int only = below(g, x->rank); /* logsumexp takes one axis */
  v.most = k < 2 || k == 5 ? x->most * 1 : x->most;
  for (int d = 0; d < x->rank; d++) {
    bool in = k == 5 ? d == only : below(g, 2) || (d + 1 == x->rank && !n);
    if (!in)
      v.dim[v.rank++] = x->dim[d];
    else {
      n++;
      snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%d", n > 1 ? ", " : "", d);
      if (k < 2) v.most *= (double)x->dim[d];
      if (keep) v.dim[v.rank++] = 1;
    }
  }
  return say(g, v, k == 5 ? "%s(%s, axis=%s%s)" : "%s(%s, axis=[%s]%s)", how[k], x->name, axes,
             keep ? ", keepdims=true" : "");
}

static bool reshape(Gen *g) {
  Value *x = pick(g), v = {.most = x->most};
  int64_t left = count_of(x);
  char sizes[60] = "";
  while (v.rank < 3 && left > 1) {
    int64_t d = 1 + below(g, (int)left);
    while (left % d) d--;
    if (d == 1 && below(g, 3)) continue;
    v.dim[v.rank++] = d;
    left /= d;
  }
  v.dim[v.rank++] = left;
  if (same_shape(x, &v)) return false;
  for (int d = 0; d < v.rank; d++)
    snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%ld", d ? ", " : "",
             (long)v.dim[d]);
  return say(g, v, "reshape(%s, [%s])", x->name, sizes);
}

static bool transpose(Gen *g) {
  Value *x = pick(g), v = *x;
  int perm[MOST_RANK];
  char text[40] = "";
  bool same = true;
  for (int d = 0; d < x->rank; d++) perm[d] = d;
  for (int d = x->rank - 1; d > 0; d--) {
    int o = below(g, d + 1), t = perm[d];
    perm[d] = perm[o];
    perm[o] = t;
  }
  for (int d = 0; d < x->rank; d++) {
    v.dim[d] = x->dim[perm[d]];
    same = same && perm[d] == d;
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", d ? ", " : "", perm[d]);
  }
  return !same && say(g, v, "transpose(%s, [%s])", x->name, text);
}

static bool slice(Gen *g) {
  Value *x = pick(g), v = *x;
  char text[120] = "";
  bool same = true;
  if (!x->rank) return false;
  v.rank = 0;
  for (int d = 0; d < x->rank; d++) {
    int n = (int)x->dim[d], from = below(g, n), to = from + 1 + below(g, n - from),
        by = 1 + below(g, 3);
    char one[40];
    if (below(g, 6) == 0) {
      snprintf(one, sizeof one, "%d", from);
      same = false;
    } else if (below(g, 3) == 0) {
      snprintf(one, sizeof one, ":");
      v.dim[v.rank++] = n;
    } else {
      snprintf(one, sizeof one, "%d:%d:%d", from, to, by);
      v.dim[v.rank++] = (to - from + by - 1) / by;
      same = same && v.dim[v.rank - 1] == n;
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", d ? ", " : "", one);
  }
  return !same && say(g, v, "%s[%s]", x->name, text);
}

static bool pad(Gen *g) {
  Value *x = pick(g), v = *x;
  char lo[40] = "", hi[40] = "";
  if (!x->rank) return false;
  int sum = 0;
  for (int d = 0; d < x->rank; d++) {
    int l = below(g, 3), h = below(g, 3);
    sum += l + h;
    v.dim[d] += l + h;
    snprintf(lo + strlen(lo), sizeof lo - strlen(lo), "%s%d", d ? ", " : "", l);
    snprintf(hi + strlen(hi), sizeof hi - strlen(hi), "%s%d", d ? ", " : "", h);
  }
  return sum && say(g, v, "pad(%s, [%s], [%s])", x->name, lo, hi);
}

static bool concat(Gen *g) {
  Value *x = pick(g), v = *x;
  if (!x->rank) return false;
  int d = below(g, x->rank);
  for (int tries = 0; tries < 12; tries++) {
    Value *y = pick(g);
    bool fits = y->rank == x->rank;
    for (int k = 0; fits && k < x->rank; k++) fits = k == d || x->dim[k] == y->dim[k];
    if (!fits) continue;
    v.dim[d] += y->dim[d];
    if (y->most > v.most) v.most = y->most;
    return say(g, v, "concat([%s, %s], axis=%d)", x->name, y->name, d);
  }
  return false;
}

static bool matmul(Gen *g) {
  Value *x = pick(g), v = *x;
  if (x->rank != 2) return false;
  for (int tries = 0; tries < 12; tries++) {
    Value *y = pick(g);
    if (y->rank != 2) continue;
    double most = x->most * y->most;
    if (y->dim[0] == x->dim[1]) {
      v.dim[1] = y->dim[1], v.most = most * (double)x->dim[1];
      return say(g, v, "%s @ %s", x->name, y->name);
    }
    if (y->dim[1] == x->dim[1]) {
      v.dim[1] = y->dim[0], v.most = most * (double)x->dim[1];
      return say(g, v, "%s @ transpose(%s)", x->name, y->name);
    }
    if (y->dim[0] == x->dim[0]) {
      v.dim[0] = x->dim[1], v.dim[1] = y->dim[1], v.most = most * (double)x->dim[0];
      return say(g, v, "transpose(%s) @ %s", x->name, y->name);
    }
  }
  return false;
}

static bool einsum(Gen *g) {
  Value *x = pick(g), *y = pick(g), v = {0};
  int64_t size[2 * MOST_RANK];
  char lx[10] = "", ly[10] = "", out[20] = "";
  int n = 0;
  for (int d = 0; d < x->rank; d++) lx[d] = (char)('a' + n), size[n++] = x->dim[d];
  for (int d = 0; d < y->rank; d++) {
    int l = -1;
    for (int k = 0; k < x->rank && l < 0; k++)
      if (x->dim[k] == y->dim[d] && !strchr(ly, 'a' + k) && below(g, 3)) l = k;
    if (l < 0) l = n, size[n++] = y->dim[d];
    ly[d] = (char)('a' + l);
  }
  v.most = x->most * y->most;
  int from = below(g, n ? n : 1);
  for (int i = 0; i < n; i++) {
    int l = (from + i) % n;
    if (below(g, 2))
      v.most *= (double)size[l];
    else
      out[v.rank] = (char)('a' + l), v.dim[v.rank++] = size[l];
  }
  return x->rank && y->rank &&
         say(g, v, "einsum(\"%s,%s->%s\", %s, %s)", lx, ly, out, x->name, y->name);
}

static bool gather(Gen *g) {
  Value *x = pick(g), v = {.most = x->most};
  if (!x->rank) return false;
  int d = below(g, x->rank);
  Value index = random_shape(g, below(g, 3));
  Tensor *in = add_input(g, DTGC_I32, &index, x->dim[d]);
  if (!in) return false;
  for (int k = 0; k < x->rank; k++) {
    if (k != d) v.dim[v.rank++] = x->dim[k];
    for (int q = 0; k == d && q < index.rank; q++) v.dim[v.rank++] = index.dim[q];
  }
  return say(g, v, "gather(%s, %s, axis=%d)", x->name, in->name, d);
}

static bool scatter(Gen *g) {
  Value *t = pick(g), *u = pick(g), v = *t, index = {.rank = 1};
  if (!t->rank || u->rank != t->rank ||
      memcmp(t->dim + 1, u->dim + 1, sizeof *t->dim * (size_t)(t->rank - 1)))
    return false;
  index.dim[0] = u->dim[0];
  Tensor *in = add_input(g, DTGC_I32, &index, t->dim[0]);
  if (!in) return false;
  v.most = t->most + u->most * (double)u->dim[0];
  return say(g, v, "scatter_add(%s, %s, %s)", t->name, in->name, u->name);
}

static bool moved(Gen *g) {
  Value *x = pick(g), v = *x;
  if (!x->rank) return false;
  int d = below(g, x->rank);
  switch (below(g, 5)) {
  case 0: return say(g, v, "reverse(%s, axis=%d)", x->name, d);
  case 1:
    return x->dim[d] > 1 &&
           say(g, v, "roll(%s, %d, axis=%d)", x->name, 1 + below(g, (int)x->dim[d] - 1), d);
  case 2:
    memmove(v.dim + d + 1, v.dim + d, sizeof *v.dim * (size_t)(v.rank - d));
    v.dim[d] = 1, v.rank++;
    return say(g, v, "expand(%s, %d)", x->name, d);
  case 3:
    memmove(v.dim + d + 1, v.dim + d, sizeof *v.dim * (size_t)(v.rank - d));
    v.dim[d] = 2, v.rank++;
    return say(g, v, "stack([%s, %s], axis=%d)", x->name, x->name, d);
  default:
    memmove(v.dim + 1, v.dim, sizeof *v.dim * (size_t)v.rank);
    v.dim[0] = 1 + below(g, 4), v.rank++;
    char sizes[60] = "";
    for (int k = 0; k < v.rank; k++)
      snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%ld", k ? ", " : "",
               (long)v.dim[k]);
    return say(g, v, "broadcast(%s, [%s])", x->name, sizes);
  }
}

static bool special(Gen *g) {
  Value *x = pick(g), v = *x;
  if (!x->rank) return false;
  int d = below(g, x->rank);
  if (!g->s->whole) {
    v.most = 1;
    if (below(g, 2)) return say(g, v, "softmax(%s, axis=%d)", x->name, d);
    return say(g, v, "%s * uniform(shape(%s), 0, 1, f64)", x->name, x->name);
  }
  if (below(g, 3) == 0) {
    Value *y = pick_like(g, x);
    return y && say(g, v, "relayout_like(%s, %s)", x->name, y->name);
  }
  if (below(g, 2)) {
    memmove(v.dim + d, v.dim + d + 1, sizeof *v.dim * (size_t)(v.rank - d - 1));
    v.rank--;
    v.most = (double)x->dim[d];
    return say(g, v, "f64(%s(%s, axis=%d))", below(g, 2) ? "argmax" : "argmin", x->name, d);
  }
  char sizes[60] = "";
  for (int k = 0; k < v.rank; k++)
    snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%ld", k ? ", " : "",
             (long)v.dim[k]);
  v.most = x->most + (double)x->dim[d];
  return say(g, v, "%s + f64(iota([%s], axis=%d))", x->name, sizes, d);
}

/* Gradients of a sum to values before it. They may grow past what `most` knows, so they end
 * clamped. */
static bool gradient(Gen *g) {
  Value *x = pick(g), *y = pick(g);
  if (y > x) { /* of the later one to the earlier one, which it may depend on */
    Value *t = x;
    x = y;
    y = t;
  }
  Value v = *y;
  char loss[24];
  if (g->at->nvalues > MOST_VALUES - 2) return false;
  Line *l = add_line(g->s, LINE_BODY, g->e);
  snprintf(loss, sizeof loss, "s%d", g->at->nvalues);
  snprintf(l->text, sizeof l->text, "  %s = sum(%s * %s)\n", loss, x->name, x->name);
  v.most = 5;
  return say(g, v, "clamp(grad(%s, %s), -5, 5)", loss, y->name);
}

static bool assign(Gen *g) {
  for (int tries = 0; tries < 20; tries++) {
    Value *x = pick(g);
    for (int i = 0; i < g->s->nparams; i++) {
      const Tensor *p = &g->s->param[i];
      if (p->rank != x->rank || memcmp(p->dim, x->dim, sizeof *p->dim * (size_t)p->rank)) continue;
      Line *l = add_line(g->s, LINE_BODY, g->e);
      char old[16] = "0";
      if (below(g, 2)) snprintf(old, sizeof old, "net.p%d", i);
      const char *sign = below(g, 2) ? "+" : "-";
      snprintf(l->text, sizeof l->text, "  net.p%d <- clamp(%s %s %s, -3, 3)\n", i, old, sign,
               x->name);
      return true;
    }
  }
  return false;
}

/* -------- programs -------- */

static void entry_begin(Gen *g) {
  int n = 2 + below(g, 2);
  for (int i = 0; i < n; i++) {
    Value v = random_shape(g, 1 + below(g, 3));
    if (i && below(g, 2)) v = g->at->value[below(g, i)];
    v.most = 3;
    v.named = true;
    Tensor *in = add_input(g, DTGC_F64, &v, 0);
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
    if (i + 1 < g->at->nvalues && below(g, 3)) continue;
    Line *l = add_line(g->s, LINE_RETURN, g->e);
    snprintf(l->text, sizeof l->text, "%s", g->at->value[i].name);
  }
}

static void entry_generate(Gen *g) {
  static bool (*const make[])(Gen *) = {
      binary, binary, broadcasting, unary,  unary,  reduce,  reduce, reshape, transpose, slice, pad,
      concat, matmul, matmul,       einsum, gather, scatter, moved,  special, gradient,  assign};
  int wanted = 3 + below(g, 12);
  entry_begin(g);
  for (int tries = 0, made = 0; tries < 200 && made < wanted; tries++)
    made += make[below(g, (int)(sizeof make / sizeof *make))](g);
  Value last = g->at->value[g->at->nvalues - 1];
  if (last.name[0] != 't') say(g, last, "%s + 1", last.name);
  entry_end(g);
}

void script_generate(Script *s, uint64_t seed) {
  memset(s, 0, sizeof *s);
  s->random.state = seed * 7919 + 17;
  s->whole = random_below(&s->random, 3) > 0;
  Gen g = {.s = s};
  s->nparams = random_below(&s->random, 4);
  for (int i = 0; i < s->nparams; i++) {
    Value v = random_shape(&g, 1 + below(&g, 2));
    Tensor *p = &s->param[i];
    char type[100];
    *p = (Tensor){.dtype = DTGC_F64, .rank = v.rank};
    memcpy(p->dim, v.dim, sizeof p->dim);
    snprintf(p->name, sizeof p->name, "net.p%d", i);
    tensor_type(p, type, sizeof type);
    Line *l = add_line(s, LINE_PARAM, 0);
    snprintf(l->text, sizeof l->text, "  %s p%d: %s = zeros()\n", below(&g, 3) ? "param" : "state",
             i, type);
  }
  s->nentries = 1 + random_below(&s->random, s->nparams ? MOST_ENTRIES : 1);
  for (int e = 0; e < s->nentries; e++) {
    Line *l = add_line(s, LINE_ENTRY, e);
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

/* -------- layouts -------- */

static void say_layout(Script *s, int rank, const char *path) {
  char layout[80];
  Line *l = add_line(s, LINE_LAYOUT, 0);
  layout_random(&s->random, s->naxes, rank, layout, sizeof layout);
  if (random_below(&s->random, 4) == 0) /* leave some dims to inference */
    for (char *p = layout; *p; p++)
      if (*p == '_' && random_below(&s->random, 2)) *p = '?';
  snprintf(l->text, sizeof l->text, "layout %s = %s\n", path, layout);
}

void script_layouts(Script *s) {
  static const struct {
    const char *mesh;
    int naxes;
  } meshes[] = {{"a=1", 1},         {"a=2", 1},     {"a=3", 1},        {"a=4", 1},
                {"a=2,b=2", 2},     {"a=2,b=3", 2}, {"a=3,b=2", 2},    {"a=1,b=3", 2},
                {"a=2,b=2,c=2", 3}, {"a=5", 1},     {"a=2,b=1,c=2", 3}};
  int m = random_below(&s->random, (int)(sizeof meshes / sizeof *meshes));
  int often = 1 + random_below(&s->random, 4);
  char path[60];
  snprintf(s->mesh, sizeof s->mesh, "%s", meshes[m].mesh);
  s->naxes = meshes[m].naxes;
  int kept = 0;
  for (int i = 0; i < s->nlines; i++)
    if (s->line[i].kind != LINE_LAYOUT) s->line[kept++] = s->line[i];
  s->nlines = kept;
  for (int i = 0; i < s->nparams; i++)
    if (random_below(&s->random, 5) < often) say_layout(s, s->param[i].rank, s->param[i].name);
  for (int e = 0; e < s->nentries; e++) {
    Scenery *at = &s->entry[e];
    for (int i = 0; i < at->ninputs; i++) {
      snprintf(path, sizeof path, "e%d.%s", e, at->input[i].name);
      if (random_below(&s->random, 5) < often) say_layout(s, at->input[i].rank, path);
    }
    for (int i = 0; i < at->nvalues; i++) {
      snprintf(path, sizeof path, "e%d.%s", e, at->value[i].name);
      if (at->value[i].name[0] == 't' && random_below(&s->random, 10) < often)
        say_layout(s, at->value[i].rank, path);
    }
  }
}

/* -------- text -------- */

static bool is_returned(const Line *l, bool all, char *name) {
  if (l->kind == LINE_RETURN && !all) return sscanf(l->text, "%15s", name) == 1;
  return l->kind == LINE_BODY && all && sscanf(l->text, " %15[ts0-9] =", name) == 1;
}

static void write_entry(const Script *s, int e, bool all, FILE *f) {
  bool any = false;
  char name[16];
  for (int i = 0; i < s->nlines; i++) {
    const Line *l = &s->line[i];
    if (l->off || l->entry != e) continue;
    if (l->kind == LINE_ENTRY) fprintf(f, "%s) {\n", l->text), any = true;
    if (l->kind == LINE_BODY) fputs(l->text, f);
  }
  if (!any) return;
  any = false;
  for (int i = 0; i < s->nlines; i++) {
    const Line *l = &s->line[i];
    if (l->off || l->entry != e || !is_returned(l, all, name)) continue;
    fprintf(f, "%s%s", any ? ", " : "  return ", name);
    any = true;
  }
  fprintf(f, "%s}\n", any ? "\n" : "");
}

void script_write(const Script *s, bool all, FILE *model, FILE *layouts) {
  if (s->nparams) {
    fprintf(model, "layer variables() {\n");
    for (int i = 0; i < s->nlines; i++)
      if (s->line[i].kind == LINE_PARAM && !s->line[i].off) fputs(s->line[i].text, model);
    fprintf(model, "}\nnet = variables()\n");
  }
  for (int e = 0; e < s->nentries; e++) write_entry(s, e, all, model);
  for (int i = 0; layouts && i < s->nlines; i++)
    if (s->line[i].kind == LINE_LAYOUT && !s->line[i].off) fputs(s->line[i].text, layouts);
}
