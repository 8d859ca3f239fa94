/* Random statements of all kinds but those with windows. */
#include "generate.h"
#include <stdio.h>
#include <string.h>

bool say_binary(Gen *g) {
  Value *x = gen_pick(g), *y = gen_pick_like(g, x);
  if (!y) return false;
  Value v = *x;
  switch (gen_below(g, g->s->whole ? 5 : 4)) {
  case 0: v.most = x->most + y->most; return gen_say(g, v, "%s + %s", x->name, y->name);
  case 1: v.most = x->most + y->most; return gen_say(g, v, "%s - %s", x->name, y->name);
  case 2: v.most = x->most * y->most; return gen_say(g, v, "%s * %s", x->name, y->name);
  case 3:
    if (g->s->whole) return gen_say(g, v, "where(%s > %s, %s, 1)", x->name, y->name, x->name);
    v.most = x->most;
    return gen_say(g, v, "%s / (1 + %s * %s)", x->name, y->name, y->name);
  default:
    v.most = x->most > y->most ? x->most : y->most;
    return gen_say(g, v, "%s(%s, %s)", gen_below(g, 2) ? "max" : "min", x->name, y->name);
  }
}

/* Right-aligned broadcasting against a new input with some dims of 1 or left out. */
bool say_broadcasting(Gen *g) {
  Value *x = gen_pick(g), y = {0};
  if (!x->rank) return false;
  int drop = gen_below(g, x->rank + 1);
  y.rank = x->rank - drop;
  for (int d = 0; d < y.rank; d++) y.dim[d] = gen_below(g, 2) ? x->dim[d + drop] : 1;
  Tensor *in = gen_input(g, DTGC_F64, &y, 0);
  if (!in) return false;
  Value v = *x;
  bool times = gen_below(g, 2);
  v.most = times ? x->most * 3 : x->most + 3;
  return gen_say(g, v, gen_below(g, 2) ? "%s %s %s" : "(%s) %s %s", x->name, times ? "*" : "+",
                 in->name);
}

bool say_unary(Gen *g) {
  static const char *const whole[] = {
      "-%s",          "abs(%s)",      "max(%s, 0)",       "sign(%s)",
      "2 * %s",       "%s - 1",       "clamp(%s, -3, 4)", "stop_gradient(%s)",
      "f64(i32(%s))", "f64(%s >= 1)", "floor(%s)",        "f64(f32(%s))"};
  static const char *const smooth[] = {
      "tanh(%s)", "sigmoid(%s)",         "sin(%s)", "exp(-(%s) ** 2)", "0.5 * %s",
      "erf(%s)",  "sqrt(1 + (%s) ** 2)", "-%s",     "%s + 0.25"};
  Value *x = gen_pick(g), v = *x;
  int n = g->s->whole ? 12 : 9, k = gen_below(g, n);
  const char *fmt = g->s->whole ? whole[k] : smooth[k];
  const char *hole = strstr(fmt, "%s");
  v.most = g->s->whole       ? (k == 3 || k == 9 ? 1
                                : k == 6         ? 4
                                                 : 2 * x->most)
           : k < 4 || k == 5 ? 1
                             : x->most + 1;
  return gen_say(g, v, "%.*s%s%s", (int)(hole - fmt), fmt, x->name, hole + 2);
}

bool say_reduce(Gen *g) {
  static const char *const how[] = {"sum", "sum", "max", "min", "mean", "logsumexp"};
  Value *x = gen_pick(g), v = {0};
  char axes[40] = "";
  int k = gen_below(g, 4), n = 0;
  bool keep = gen_below(g, 2);
  if (!x->rank) return false;
  if (!g->s->whole && k > 1) k += 2;
  int only = gen_below(g, x->rank); /* logsumexp takes one axis */
  v.most = k < 2 || k == 5 ? x->most * 1 : x->most;
  for (int d = 0; d < x->rank; d++) {
    bool in = k == 5 ? d == only : gen_below(g, 2) || (d + 1 == x->rank && !n);
    if (!in)
      v.dim[v.rank++] = x->dim[d];
    else {
      n++;
      snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%d", n > 1 ? ", " : "", d);
      if (k < 2) v.most *= (double)x->dim[d];
      if (keep) v.dim[v.rank++] = 1;
    }
  }
  return gen_say(g, v, k == 5 ? "%s(%s, axis=%s%s)" : "%s(%s, axis=[%s]%s)", how[k], x->name, axes,
                 keep ? ", keepdims=true" : "");
}

bool say_reshape(Gen *g) {
  Value *x = gen_pick(g), v = {.most = x->most};
  int64_t left = gen_count(x);
  char sizes[60] = "";
  while (v.rank < 3 && left > 1) {
    int64_t d = 1 + gen_below(g, (int)left);
    while (left % d) d--;
    if (d == 1 && gen_below(g, 3)) continue;
    v.dim[v.rank++] = d;
    left /= d;
  }
  v.dim[v.rank++] = left;
  if (gen_same_shape(x, &v)) return false;
  for (int d = 0; d < v.rank; d++)
    snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%ld", d ? ", " : "",
             (long)v.dim[d]);
  return gen_say(g, v, "reshape(%s, [%s])", x->name, sizes);
}

bool say_transpose(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  int perm[MOST_RANK];
  char text[40] = "";
  bool same = true;
  for (int d = 0; d < x->rank; d++) perm[d] = d;
  for (int d = x->rank - 1; d > 0; d--) {
    int o = gen_below(g, d + 1), t = perm[d];
    perm[d] = perm[o];
    perm[o] = t;
  }
  for (int d = 0; d < x->rank; d++) {
    v.dim[d] = x->dim[perm[d]];
    same = same && perm[d] == d;
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", d ? ", " : "", perm[d]);
  }
  return !same && gen_say(g, v, "transpose(%s, [%s])", x->name, text);
}

bool say_slice(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  char text[120] = "";
  bool same = true;
  if (!x->rank) return false;
  v.rank = 0;
  for (int d = 0; d < x->rank; d++) {
    int n = (int)x->dim[d], from = gen_below(g, n), to = from + 1 + gen_below(g, n - from),
        by = 1 + gen_below(g, 3);
    char one[40];
    if (gen_below(g, 6) == 0) {
      snprintf(one, sizeof one, "%d", from);
      same = false;
    } else if (gen_below(g, 3) == 0) {
      snprintf(one, sizeof one, ":");
      v.dim[v.rank++] = n;
    } else {
      snprintf(one, sizeof one, "%d:%d:%d", from, to, by);
      v.dim[v.rank++] = (to - from + by - 1) / by;
      same = same && v.dim[v.rank - 1] == n;
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", d ? ", " : "", one);
  }
  return !same && gen_say(g, v, "%s[%s]", x->name, text);
}

bool say_pad(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  char lo[40] = "", hi[40] = "";
  if (!x->rank) return false;
  int sum = 0;
  for (int d = 0; d < x->rank; d++) {
    int l = gen_below(g, 3), h = gen_below(g, 3);
    sum += l + h;
    v.dim[d] += l + h;
    snprintf(lo + strlen(lo), sizeof lo - strlen(lo), "%s%d", d ? ", " : "", l);
    snprintf(hi + strlen(hi), sizeof hi - strlen(hi), "%s%d", d ? ", " : "", h);
  }
  return sum && gen_say(g, v, "pad(%s, [%s], [%s])", x->name, lo, hi);
}

bool say_concat(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  if (!x->rank) return false;
  int d = gen_below(g, x->rank);
  for (int tries = 0; tries < 12; tries++) {
    Value *y = gen_pick(g);
    bool fits = y->rank == x->rank;
    for (int k = 0; fits && k < x->rank; k++) fits = k == d || x->dim[k] == y->dim[k];
    if (!fits) continue;
    v.dim[d] += y->dim[d];
    if (y->most > v.most) v.most = y->most;
    return gen_say(g, v, "concat([%s, %s], axis=%d)", x->name, y->name, d);
  }
  return false;
}

bool say_matmul(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  if (x->rank != 2) return false;
  for (int tries = 0; tries < 12; tries++) {
    Value *y = gen_pick(g);
    if (y->rank != 2) continue;
    double most = x->most * y->most;
    if (y->dim[0] == x->dim[1]) {
      v.dim[1] = y->dim[1], v.most = most * (double)x->dim[1];
      return gen_say(g, v, "%s @ %s", x->name, y->name);
    }
    if (y->dim[1] == x->dim[1]) {
      v.dim[1] = y->dim[0], v.most = most * (double)x->dim[1];
      return gen_say(g, v, "%s @ transpose(%s)", x->name, y->name);
    }
    if (y->dim[0] == x->dim[0]) {
      v.dim[0] = x->dim[1], v.dim[1] = y->dim[1], v.most = most * (double)x->dim[0];
      return gen_say(g, v, "transpose(%s) @ %s", x->name, y->name);
    }
  }
  return false;
}

bool say_einsum(Gen *g) {
  Value *x = gen_pick(g), *y = gen_pick(g), v = {0};
  int64_t size[2 * MOST_RANK];
  char lx[10] = "", ly[10] = "", out[20] = "";
  int n = 0;
  for (int d = 0; d < x->rank; d++) lx[d] = (char)('a' + n), size[n++] = x->dim[d];
  for (int d = 0; d < y->rank; d++) {
    int l = -1;
    for (int k = 0; k < x->rank && l < 0; k++)
      if (x->dim[k] == y->dim[d] && !strchr(ly, 'a' + k) && gen_below(g, 3)) l = k;
    if (l < 0) l = n, size[n++] = y->dim[d];
    ly[d] = (char)('a' + l);
  }
  v.most = x->most * y->most;
  int from = gen_below(g, n ? n : 1);
  for (int i = 0; i < n; i++) {
    int l = (from + i) % n;
    if (gen_below(g, 2))
      v.most *= (double)size[l];
    else
      out[v.rank] = (char)('a' + l), v.dim[v.rank++] = size[l];
  }
  return x->rank && y->rank &&
         gen_say(g, v, "einsum(\"%s,%s->%s\", %s, %s)", lx, ly, out, x->name, y->name);
}

bool say_gather(Gen *g) {
  Value *x = gen_pick(g), v = {.most = x->most};
  if (!x->rank) return false;
  int d = gen_below(g, x->rank);
  Value index = gen_shape(g, gen_below(g, 3));
  Tensor *in = gen_input(g, DTGC_I32, &index, x->dim[d]);
  if (!in) return false;
  for (int k = 0; k < x->rank; k++) {
    if (k != d) v.dim[v.rank++] = x->dim[k];
    for (int q = 0; k == d && q < index.rank; q++) v.dim[v.rank++] = index.dim[q];
  }
  return gen_say(g, v, "gather(%s, %s, axis=%d)", x->name, in->name, d);
}

bool say_scatter(Gen *g) {
  Value *t = gen_pick(g), *u = gen_pick(g), v = *t, index = {.rank = 1};
  if (!t->rank || u->rank != t->rank ||
      memcmp(t->dim + 1, u->dim + 1, sizeof *t->dim * (size_t)(t->rank - 1)))
    return false;
  index.dim[0] = u->dim[0];
  Tensor *in = gen_input(g, DTGC_I32, &index, t->dim[0]);
  if (!in) return false;
  v.most = t->most + u->most * (double)u->dim[0];
  return gen_say(g, v, "scatter_add(%s, %s, %s)", t->name, in->name, u->name);
}

bool say_moved(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  if (!x->rank) return false;
  int d = gen_below(g, x->rank);
  switch (gen_below(g, 5)) {
  case 0: return gen_say(g, v, "reverse(%s, axis=%d)", x->name, d);
  case 1:
    return x->dim[d] > 1 &&
           gen_say(g, v, "roll(%s, %d, axis=%d)", x->name, 1 + gen_below(g, (int)x->dim[d] - 1), d);
  case 2:
    memmove(v.dim + d + 1, v.dim + d, sizeof *v.dim * (size_t)(v.rank - d));
    v.dim[d] = 1, v.rank++;
    return gen_say(g, v, "expand(%s, %d)", x->name, d);
  case 3:
    memmove(v.dim + d + 1, v.dim + d, sizeof *v.dim * (size_t)(v.rank - d));
    v.dim[d] = 2, v.rank++;
    return gen_say(g, v, "stack([%s, %s], axis=%d)", x->name, x->name, d);
  default:
    memmove(v.dim + 1, v.dim, sizeof *v.dim * (size_t)v.rank);
    v.dim[0] = 1 + gen_below(g, 4), v.rank++;
    char sizes[60] = "";
    for (int k = 0; k < v.rank; k++)
      snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%ld", k ? ", " : "",
               (long)v.dim[k]);
    return gen_say(g, v, "broadcast(%s, [%s])", x->name, sizes);
  }
}

bool say_special(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  if (!x->rank) return false;
  int d = gen_below(g, x->rank);
  if (!g->s->whole) {
    v.most = 1;
    if (gen_below(g, 2)) return gen_say(g, v, "softmax(%s, axis=%d)", x->name, d);
    return gen_say(g, v, "%s * uniform(shape(%s), 0, 1, f64)", x->name, x->name);
  }
  if (gen_below(g, 3) == 0) {
    Value *y = gen_pick_like(g, x);
    return y && gen_say(g, v, "relayout_like(%s, %s)", x->name, y->name);
  }
  char sizes[60] = "";
  for (int k = 0; k < v.rank; k++)
    snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%ld", k ? ", " : "",
             (long)v.dim[k]);
  v.most = x->most + (double)x->dim[d];
  return gen_say(g, v, "%s + f64(iota([%s], axis=%d))", x->name, sizes, d);
}

/* Along one dim: running sums, sorting, searching. What sorts is only in `whole` programs, where
 * equals are equals whatever was added up in which order. */
bool say_ordered(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  if (!x->rank) return false;
  int d = gen_below(g, x->rank), n = (int)x->dim[d], k = 1 + gen_below(g, n);
  const char *falls = gen_below(g, 2) ? "true" : "false";
  switch (gen_below(g, g->s->whole ? 7 : 2)) {
  case 0:
  case 1:
    v.most *= (double)n;
    return gen_say(g, v, "cumsum(%s, axis=%d, reverse=%s, exclusive=%s)", x->name, d, falls,
                   gen_below(g, 2) ? "true" : "false");
  case 2: return gen_say(g, v, "sort(%s, axis=%d, descending=%s)", x->name, d, falls);
  case 3:
    v.most = n;
    return gen_say(g, v, "f64(argsort(%s, axis=%d, descending=%s))", x->name, d, falls);
  case 4: v.dim[d] = k; return gen_say(g, v, "top_k(%s, %d, axis=%d)[0]", x->name, k, d);
  case 5:
    v.dim[d] = k, v.most = n;
    return gen_say(g, v, "f64(top_k(%s, %d, axis=%d)[1])", x->name, k, d);
  default:
    memmove(v.dim + d, v.dim + d + 1, sizeof *v.dim * (size_t)(v.rank - d - 1));
    v.rank--, v.most = n;
    return gen_say(g, v, "f64(%s(%s, axis=%d))", gen_below(g, 2) ? "argmax" : "argmin", x->name, d);
  }
}

bool say_picked(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  if (!x->rank) return false;
  int d = gen_below(g, x->rank);
  if (gen_below(g, 3) == 0) { /* numbers from one more than there are: that one becomes zeros */
    Value index = gen_shape(g, gen_below(g, 3));
    int n = 1 + gen_below(g, 4);
    Tensor *in = gen_input(g, DTGC_I32, &index, n + 1);
    if (!in) return false;
    v = index, v.dim[v.rank++] = n, v.most = 1;
    return gen_say(g, v, "one_hot(%s, %d, f64)", in->name, n);
  }
  v.dim[d] = 1 + gen_below(g, 7);
  if (gen_count(&v) > 120) return false;
  Tensor *in = gen_input(g, DTGC_I32, &v, x->dim[d]);
  return in && gen_say(g, v, "take_along_axis(%s, %s, axis=%d)", x->name, in->name, d);
}

bool say_product(Gen *g) {
  Value *x = gen_pick(g), v = *x;
  if (!x->rank) return false;
  int d = gen_below(g, x->rank);
  for (int64_t i = 1; i < x->dim[d] && v.most <= MOST_MAGNITUDE; i++) v.most *= x->most;
  memmove(v.dim + d, v.dim + d + 1, sizeof *v.dim * (size_t)(v.rank - d - 1));
  v.rank--;
  return gen_say(g, v, "prod(%s, axis=%d)", x->name, d);
}

/* Gradients of a sum to values before it. They may grow past what `most` knows, so they end
 * clamped. */
bool say_gradient(Gen *g) {
  Value *x = gen_pick(g), *y = gen_pick(g);
  if (y > x) { /* of the later one to the earlier one, which it may depend on */
    Value *t = x;
    x = y;
    y = t;
  }
  Value v = *y;
  char loss[24];
  if (g->at->nvalues > MOST_VALUES - 2) return false;
  Line *l = gen_line(g->s, LINE_BODY, g->e);
  snprintf(loss, sizeof loss, "s%d", g->at->nvalues);
  snprintf(l->text, sizeof l->text, "  %s = sum(%s * %s)\n", loss, x->name, x->name);
  v.most = 5;
  return gen_say(g, v, "clamp(grad(%s, %s), -5, 5)", loss, y->name);
}

bool say_assign(Gen *g) {
  for (int tries = 0; tries < 20; tries++) {
    Value *x = gen_pick(g);
    for (int i = 0; i < g->s->nparams; i++) {
      const Tensor *p = &g->s->param[i];
      if (p->rank != x->rank || memcmp(p->dim, x->dim, sizeof *p->dim * (size_t)p->rank)) continue;
      Line *l = gen_line(g->s, LINE_BODY, g->e);
      char old[24] = "0";
      if (gen_below(g, 2)) snprintf(old, sizeof old, "net.p%d", i);
      const char *sign = gen_below(g, 2) ? "+" : "-";
      snprintf(l->text, sizeof l->text, "  net.p%d <- clamp(%s %s %s, -3, 3)\n", i, old, sign,
               x->name);
      return true;
    }
  }
  return false;
}
