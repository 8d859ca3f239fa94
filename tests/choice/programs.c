/* Random small programs as people of several fields would write them: products and einsums,
 * convolutions in groups, strided slices, reshapes, sorts, running sums, shifts. Every input has a
 * annotated layout; results have none, or, with `said`, sometimes. */
#include "kit.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 16 };

typedef struct Writer {
  uint64_t r;
  char *out;
  size_t n, size;
  int nvalues; /* x0 ... */
  int rank[MOST_VALUES], dim[MOST_VALUES][4];
  int axes[3]; /* sizes */
} Writer;

static void put(Writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Writer *w, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(w->out + w->n, w->size - w->n, fmt, ap);
  va_end(ap);
  if (n > 0) w->n += (size_t)n;
}

static int pick(Writer *w, int n) { return (int)kit_random(&w->r, (uint64_t)n); }

void kit_layout(uint64_t *r, const int *axes, int rank, const int *dim, char *out, size_t size) {
  int order[3] = {0, 1, 2}, at[3], left[4];
  for (int i = 2; i > 0; i--) {
    int k = (int)kit_random(r, (uint64_t)i + 1), t = order[i];
    order[i] = order[k], order[k] = t;
  }
  memcpy(left, dim, sizeof *dim * (size_t)rank);
  for (int i = 0; i < 3; i++) { /* no more parts than elements */
    int d = at[order[i]] = (int)kit_random(r, (uint64_t)rank + 1) - 1, k = axes[order[i]];
    if (d < 0) continue;
    if (k < 2 || left[d] < k) at[order[i]] = -1;
    if (at[order[i]] >= 0) left[d] /= k;
  }
  size_t n = (size_t)snprintf(out, size, "[");
  for (int d = 0; d < rank; d++) {
    char list[32] = "";
    int count = 0;
    for (int i = 0; i < 3; i++)
      if (at[order[i]] == d) {
        strcat(list, count++ ? ", " : "");
        strcat(list, (const char *[]){"a", "b", "c"}[order[i]]);
      }
    n += (size_t)snprintf(out + n, size - n, count > 1 ? "%s(%s)" : "%s%s", d ? ", " : "",
                          count ? list : "_");
  }
  snprintf(out + n, size - n, "]");
}

static void layout_of_value(Writer *w, int x) {
  char l[100];
  kit_layout(&w->r, w->axes, w->rank[x], w->dim[x], l, sizeof l);
  put(w, "layout f.x%d = %s\n", x, l);
}

static int value(Writer *w, int rank, const int *dim) {
  int x = w->nvalues++;
  w->rank[x] = rank;
  memcpy(w->dim[x], dim, sizeof *dim * (size_t)rank);
  return x;
}

/* -------- ops: each writes one statement, or returns false -------- */

static bool elementwise(Writer *w, int x) {
  for (int y = w->nvalues - 1; y >= 0; y--) {
    bool same = y != x && w->rank[y] == w->rank[x];
    for (int d = 0; d < w->rank[x] && same; d++) same = w->dim[y][d] == w->dim[x][d];
    if (!same) continue;
    put(w, "  x%d = x%d * x%d + x%d\n", w->nvalues, x, y, x);
    value(w, w->rank[x], w->dim[x]);
    return true;
  }
  put(w, "  x%d = exp(x%d) * 2\n", w->nvalues, x);
  value(w, w->rank[x], w->dim[x]);
  return true;
}

static bool product(Writer *w, int x) {
  for (int y = 0; y < w->nvalues; y++) {
    if (w->rank[x] != 2 || w->rank[y] != 2 || w->dim[x][1] != w->dim[y][0]) continue;
    put(w, "  x%d = x%d @ x%d\n", w->nvalues, x, y);
    value(w, 2, (int[]){w->dim[x][0], w->dim[y][1]});
    return true;
  }
  if (w->rank[x] != 3) return false;
  put(w, "  x%d = einsum(\"bij,bkj->bik\", x%d, x%d)\n", w->nvalues, x, x);
  value(w, 3, (int[]){w->dim[x][0], w->dim[x][1], w->dim[x][1]});
  return true;
}

static bool slice(Writer *w, int x) {
  int size[4], start = (int)w->n;
  bool any = false;
  put(w, "  x%d = x%d[", w->nvalues, x);
  for (int d = 0; d < w->rank[x]; d++) {
    int n = w->dim[x][d], step = (int[]){1, 1, 2, 4}[pick(w, 4)], from = 0, to = n;
    if (n < 8) step = 1;
    if (n >= 8 && pick(w, 2)) from = pick(w, n / 4 + 1), to = n - pick(w, n / 4 + 1);
    put(w, "%s%d:%d:%d", d ? ", " : "", from, to, step);
    size[d] = (to - from + step - 1) / step;
    any = any || size[d] != n;
  }
  put(w, "]\n");
  if (!any) w->out[w->n = (size_t)start] = 0;
  if (!any) return false;
  value(w, w->rank[x], size);
  return true;
}

static bool reshape(Writer *w, int x) {
  int r = w->rank[x], d = pick(w, r), dim[4], n = 0, by = (int[]){2, 4, 3}[pick(w, 3)];
  if (r > 1 && pick(w, 2)) { /* join d and the next */
    if (d == r - 1) d--;
    for (int i = 0; i < r; i++)
      if (i == d + 1)
        dim[n - 1] *= w->dim[x][i];
      else
        dim[n++] = w->dim[x][i];
  } else {
    if (r == 4 || w->dim[x][d] % by) return false;
    for (int i = 0; i < r; i++) {
      dim[n++] = w->dim[x][i];
      if (i == d) dim[n - 1] = by, dim[n++] = w->dim[x][i] / by;
    }
  }
  put(w, "  x%d = reshape(x%d, [", w->nvalues, x);
  for (int i = 0; i < n; i++) put(w, "%s%d", i ? ", " : "", dim[i]);
  put(w, "])\n");
  value(w, n, dim);
  return true;
}

static bool along(Writer *w, int x) {
  static const char *const form[] = {"sort(x%d, axis=%d)", "cumsum(x%d, axis=%d)",
                                     "softmax(x%d, axis=%d)", "roll(x%d, 1, axis=%d)",
                                     "reverse(x%d, axis=%d)"};
  char text[64];
  int d = pick(w, w->rank[x]);
  if (w->dim[x][d] < 2) return false; /* a roll would be another name of its operand */
  snprintf(text, sizeof text, form[pick(w, 5)], x, d);
  put(w, "  x%d = %s\n", w->nvalues, text);
  value(w, w->rank[x], w->dim[x]);
  return true;
}

static bool reduce(Writer *w, int x) {
  if (w->rank[x] < 2) return false;
  int d = pick(w, w->rank[x]), dim[4], n = 0;
  for (int i = 0; i < w->rank[x]; i++)
    if (i != d) dim[n++] = w->dim[x][i];
  put(w, "  x%d = %s(x%d, axis=%d)\n", w->nvalues, pick(w, 3) ? "sum" : "max", x, d);
  value(w, n, dim);
  return true;
}

static bool transpose(Writer *w, int x) {
  int dim[4];
  if (w->rank[x] < 2) return false;
  for (int i = 0; i < w->rank[x]; i++) dim[i] = w->dim[x][w->rank[x] - 1 - i];
  put(w, "  x%d = transpose(x%d)\n", w->nvalues, x);
  value(w, w->rank[x], dim);
  return true;
}

static bool window(Writer *w, int x) {
  if (w->rank[x] != 4 || w->dim[x][1] < 4 || w->dim[x][2] < 4) return false;
  put(w, "  x%d = avg_pool(x%d, [2, 2])\n", w->nvalues, x);
  value(w, 4, (int[]){w->dim[x][0], w->dim[x][1] / 2, w->dim[x][2] / 2, w->dim[x][3]});
  return true;
}

/* -------- programs -------- */

static void images(Writer *w, int scale) {
  static const int groups_of[] = {1, 2, 4, 16};
  int in = 16, groups = groups_of[pick(w, 4)], out = pick(w, 2) ? 16 : 32, stride = 1 + pick(w, 2);
  int n = 2 * scale, side = 4 * scale;
  put(w, "entry f(x0: f32[%d, %d, %d, %d], x1: f32[3, 3, %d, %d]) {\n", n, side, side, in,
      in / groups, out);
  value(w, 4, (int[]){n, side, side, in});
  value(w, 4, (int[]){3, 3, in / groups, out});
  put(w, "  x2 = conv(x0, x1, stride=%d, groups=%d)\n", stride, groups);
  value(w, 4, (int[]){n, (side + stride - 1) / stride, (side + stride - 1) / stride, out});
}

static void matrices(Writer *w, int scale) {
  int m = 8 * scale, k = 16 * scale, n = pick(w, 2) ? 8 * scale : 24 * scale;
  put(w, "entry f(x0: f32[%d, %d], x1: f32[%d, %d], x2: f32[%d, %d]) {\n", m, k, k, n, m, k);
  value(w, 2, (int[]){m, k});
  value(w, 2, (int[]){k, n});
  value(w, 2, (int[]){m, k});
}

static void batches(Writer *w, int scale) {
  int b = 4, s = 8 * scale, d = 8 * scale;
  put(w, "entry f(x0: f32[%d, %d, %d], x1: f32[%d, %d, %d]) {\n", b, s, d, b, s, d);
  value(w, 3, (int[]){b, s, d});
  value(w, 3, (int[]){b, s, d});
}

int kit_mixed_program(uint64_t seed, bool said, char *out, size_t size) {
  static const struct {
    const char *text;
    int axes[3];
  } meshes[] = {{"[a=2]", {2}},
                {"[a=4]", {4}},
                {"[a=8]", {8}},
                {"[a=2, b=2]", {2, 2}},
                {"[a=4, b=2]", {4, 2}},
                {"[a=3, b=2]", {3, 2}},
                {"[a=2, b=2, c=2]", {2, 2, 2}}};
  static bool (*const ops[])(Writer *, int) = {elementwise, elementwise, product, product,
                                               slice,       slice,       reshape, reshape,
                                               along,       reduce,      transpose, window};
  Writer w = {.r = seed, .out = out, .size = size};
  int mesh = pick(&w, 7), scale = (int[]){1, 4, 32}[pick(&w, 3)], count = 1 + pick(&w, 4);
  int kind = pick(&w, 3);
  memcpy(w.axes, meshes[mesh].axes, sizeof w.axes);
  put(&w, "mesh %s\n", meshes[mesh].text);
  (kind == 0 ? matrices : kind == 1 ? batches : images)(&w, kind == 2 && scale > 4 ? 4 : scale);
  int inputs = kind == 2 ? 2 : w.nvalues;
  for (int i = 0; i < count; i++) {
    int x = pick(&w, 3) ? w.nvalues - 1 : pick(&w, w.nvalues);
    while (!ops[pick(&w, sizeof ops / sizeof *ops)](&w, x)) continue;
  }
  put(&w, "  return x%d\n}\n", w.nvalues - 1);
  for (int x = 0; x < inputs; x++) layout_of_value(&w, x);
  for (int x = inputs; x < w.nvalues && said; x++)
    if (x == w.nvalues - 1 || !pick(&w, 4)) layout_of_value(&w, x);
  return w.nvalues;
}

/* -------- loops -------- */

/* A statement of the body that makes v, w or both of what was there before. */
static void loop_body(Writer *w, const char *indent, int products) {
  static const char *const forms[] = {"v = v @ x%d\n", "v = exp(v) * x%d\n", "u = v @ x%d\n",
                                      "v = u - x%d\n", "u = u * v + x%d\n",
                                      "v = v - sum(u @ x%d, axis=0)\n"};
  for (int i = 0; i < products; i++) {
    put(w, "%s", indent);
    put(w, forms[pick(w, 6)], 1 + pick(w, 2));
  }
}

void kit_loop_program(uint64_t seed, char *out, size_t size) {
  static const char *const layouts[] = {"[_, _]", "[a, _]", "[_, a]"};
  Writer w = {.r = seed, .out = out, .size = size};
  const int n = (int[]){8, 30, 256}[pick(&w, 3)], nested = !pick(&w, 3);
  put(&w, "mesh [a=%d]\nparam x1: f32[%d, %d] = 0\nparam x2: f32[%d, %d] = 0\n", 2 << pick(&w, 2), n,
      n, n, n);
  put(&w, "entry f(x0: f32[%d, %d]) {\n  v = x0\n  u = %s\n", n, n, pick(&w, 2) ? "x0" : "x1 @ x2");
  if (pick(&w, 2)) put(&w, "  v = v @ x1\n");
  put(&w, "  repeat i in 0..%d {\n", (int[]){1, 3, 40, 1000}[pick(&w, 4)]);
  loop_body(&w, "    ", 1 + pick(&w, 3 - nested));
  if (nested) {
    put(&w, "    repeat k in 0..%d {\n", 2 + pick(&w, 30));
    loop_body(&w, "      ", 1 + pick(&w, 2));
    put(&w, "    }\n");
  }
  put(&w, "  }\n");
  if (pick(&w, 2)) put(&w, "  v = v @ x2\n");
  put(&w, "  return v\n}\n");
  for (int i = 0; i < 3; i++)
    if (pick(&w, 3)) put(&w, "layout %sx%d = %s\n", i ? "" : "f.", i, layouts[pick(&w, 3)]);
}
