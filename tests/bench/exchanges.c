/* exchanges.c: bytes that move between random pairs of layouts on random meshes: what dtg plans,
 * the lower bound, and a planner that goes collective by collective as others do. Nothing is timed.
 *   bench_exchanges [PAIRS [SEED]]     4000 pairs by default; prints the table of
 * docs/performance.md
 *
 * dtg: the bytes of --dump=cost for a program that is nothing but the relayout. A partial value is
 * made by a sum over split dims; it is then a partial value, at no cost.
 * Bound: the most that any device needs and does not own. From a partial value over axes of g
 * devices a device receives something for each element it needs, and all together, for an element
 * that d devices need, g - 1 + d - 1 at least: not always reached.
 * Greedy: settle (reduce-scatter where an axis may go to its dim at once, else all-reduce), then
 * over and over what is possible first: a permute that ends it, slice, all-to-all of a minor axis
 * to its dim, a permute of a dim's axes so that those that leave are minor, all-gather of a minor
 * axis. Without such permutes, with them, and with axes in any order until one permute at the end:
 * the best of the three. Sizes are even and uneven. Bytes are those of the device that receives
 * most, summed over steps.
 */
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, RANK = 3 };

typedef struct Mesh {
  int naxes, size[AXES], ndevices;
} Mesh;

typedef struct Lay {
  int rank;
  int64_t n[RANK];
  int naxes[RANK], axis[RANK][AXES]; /* major to minor */
  unsigned partial;
} Lay;

static uint64_t state;
static int below(int n) { /* splitmix64 */
  uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (int)((x ^ x >> 31) % (uint64_t)n);
}

/* -------- boxes, from the words of docs/layouts.md -------- */

static int coord(const Mesh *m, int device, int axis) {
  for (int a = m->naxes - 1; a > axis; a--) device /= m->size[a];
  return device % m->size[axis];
}

static void span(const Mesh *m, const Lay *l, int dim, int device, int64_t *lo, int64_t *hi) {
  int64_t k = 1, i = 0;
  for (int j = 0; j < l->naxes[dim]; j++) {
    k *= m->size[l->axis[dim][j]];
    i = i * m->size[l->axis[dim][j]] + coord(m, device, l->axis[dim][j]);
  }
  *lo = i * l->n[dim] / k;
  *hi = (i + 1) * l->n[dim] / k;
}

static int64_t block(const Mesh *m, const Lay *l, int device) {
  int64_t n = 1, lo, hi;
  for (int d = 0; d < l->rank; d++, n *= hi - lo) span(m, l, d, device, &lo, &hi);
  return n;
}

static int64_t common(const Mesh *m, const Lay *a, const Lay *b, int device) {
  int64_t n = 1, lo, hi, lo2, hi2;
  for (int d = 0; d < a->rank; d++) {
    span(m, a, d, device, &lo, &hi);
    span(m, b, d, device, &lo2, &hi2);
    if (lo2 > lo) lo = lo2;
    if (hi2 < hi) hi = hi2;
    n *= hi > lo ? hi - lo : 0;
  }
  return n;
}

static int64_t devices_of(const Mesh *m, unsigned axes) {
  int64_t n = 1;
  for (int a = 0; a < m->naxes; a++)
    if (axes & 1u << a) n *= m->size[a];
  return n;
}

/* The most that any device receives when each element (or each of its terms) comes once. */
static int64_t direct(const Mesh *m, const Lay *from, const Lay *to) {
  int64_t most = 0, terms = devices_of(m, from->partial & ~to->partial);
  for (int d = 0; d < m->ndevices; d++) {
    int64_t n = terms * block(m, to, d) - common(m, from, to, d);
    if (n > most) most = n;
  }
  return most;
}

static int64_t all_reduce(const Mesh *m, const Lay *l, int64_t g) {
  int64_t most = 0;
  for (int d = 0; d < m->ndevices; d++) {
    int64_t e = block(m, l, d), n = e + (g - 2) * ((e + g - 1) / g);
    if (n > most) most = n;
  }
  return most;
}

static int64_t bound(const Mesh *m, const Lay *from, const Lay *to) {
  int64_t g = devices_of(m, from->partial & ~to->partial), most = 0, needed = 0, all = 1;
  if (g == 1) return direct(m, from, to);
  for (int d = 0; d < m->ndevices; d++) {
    int64_t n = block(m, to, d);
    needed += n;
    if (n > most) most = n;
  }
  for (int i = 0; i < from->rank; i++) all *= from->n[i];
  int64_t kept = devices_of(m, to->partial); /* values that stay partial are as many tensors */
  int64_t total = needed + kept * all * (g - 2), mean = (total + m->ndevices - 1) / m->ndevices;
  return mean > most ? mean : most;
}

/* -------- greedy -------- */

typedef struct Greedy {
  const Mesh *m;
  const Lay *to;
  Lay now;
  bool loose; /* an axis may come to its dim before those that are major to it there; a permute at
                 the end puts them in order */
} Greedy;

static bool used(const Lay *l, int axis) {
  for (int d = 0; d < l->rank; d++)
    for (int j = 0; j < l->naxes[d]; j++)
      if (l->axis[d][j] == axis) return true;
  return (l->partial >> axis & 1) != 0;
}

static int place_of(const Lay *l, int d, int axis) {
  for (int j = 0; j < l->naxes[d]; j++)
    if (l->axis[d][j] == axis) return j;
  return -1;
}

/* Whether the first n axes of dim d can stay as they are. */
static bool fine(const Greedy *g, int d, int n) {
  for (int j = 0; j < n; j++) {
    int at = place_of(g->to, d, g->now.axis[d][j]);
    if (at < 0 || (!g->loose && at != j)) return false;
  }
  return true;
}

/* Whether `axis` may be appended to dim d. */
static bool wants(const Greedy *g, int d, int axis) {
  int n = g->now.naxes[d], at = place_of(g->to, d, axis);
  return at >= 0 && (g->loose || (at == n && fine(g, d, n)));
}

static int dim_for(const Greedy *g, int axis) {
  for (int d = 0; d < g->to->rank; d++)
    if (wants(g, d, axis)) return d;
  return -1;
}

static void append(Lay *l, int d, int axis) { l->axis[d][l->naxes[d]++] = axis; }

static int64_t settle(Greedy *g) {
  int64_t bytes = 0;
  for (int a = 0; a < g->m->naxes; a++) {
    if (!(g->now.partial & ~g->to->partial & 1u << a)) continue;
    Lay was = g->now;
    int into = dim_for(g, a);
    g->now.partial &= ~(1u << a);
    if (into >= 0) append(&g->now, into, a);
    bytes += into >= 0 ? direct(g->m, &was, &g->now) : all_reduce(g->m, &was, g->m->size[a]);
  }
  return bytes;
}

/* The same number of parts everywhere: one permute does it. */
static bool only_order(const Greedy *g) {
  for (int d = 0; d < g->to->rank; d++) {
    int64_t k = 1, l = 1;
    for (int j = 0; j < g->now.naxes[d]; j++) k *= g->m->size[g->now.axis[d][j]];
    for (int j = 0; j < g->to->naxes[d]; j++) l *= g->m->size[g->to->axis[d][j]];
    if (k != l) return false;
  }
  return true;
}

static bool slice(Greedy *g) {
  for (int a = 0; a < g->m->naxes; a++) {
    int d = used(&g->now, a) ? -1 : dim_for(g, a);
    if (d < 0) continue;
    append(&g->now, d, a);
    return true;
  }
  return false;
}

/* A permute that puts the axes that leave a dim behind those that stay. */
static bool reorder(Greedy *g) {
  Lay was = g->now;
  for (int d = 0; d < g->to->rank; d++) {
    int n = 0;
    for (int j = 0; j < g->to->naxes[d]; j++) {
      bool here = place_of(&was, d, g->to->axis[d][j]) >= 0;
      if (!here && !g->loose) break;
      if (here) g->now.axis[d][n++] = g->to->axis[d][j];
    }
    g->now.naxes[d] = n;
    for (int j = 0; j < was.naxes[d]; j++)
      if (place_of(&g->now, d, was.axis[d][j]) < 0) append(&g->now, d, was.axis[d][j]);
  }
  return memcmp(was.axis, g->now.axis, sizeof was.axis) != 0;
}

/* The minor axis of a dim where it has to go. */
static bool all_to_all(Greedy *g) {
  for (int d = 0; d < g->to->rank; d++) {
    int n = g->now.naxes[d], e = n && !fine(g, d, n) ? dim_for(g, g->now.axis[d][n - 1]) : -1;
    if (e < 0 || e == d) continue;
    append(&g->now, e, g->now.axis[d][n - 1]);
    g->now.naxes[d]--;
    return true;
  }
  return false;
}

static bool all_gather(Greedy *g) {
  for (int d = 0; d < g->to->rank; d++)
    if (!fine(g, d, g->now.naxes[d])) {
      g->now.naxes[d]--;
      return true;
    }
  return false;
}

static int64_t go(const Mesh *m, const Lay *from, const Lay *to, bool loose, bool reorders) {
  Greedy g = {m, to, *from, loose};
  int64_t bytes = settle(&g);
  for (;;) {
    Lay was = g.now;
    if (only_order(&g)) return bytes + direct(m, &g.now, to);
    if (!slice(&g) && !all_to_all(&g) && !(reorders && reorder(&g)) && !all_gather(&g)) abort();
    bytes += direct(m, &was, &g.now);
  }
}

/* The best that one who goes so can do. */
static int64_t greedy(const Mesh *m, const Lay *from, const Lay *to) {
  int64_t best = INT64_MAX;
  for (int how = 0; how < 3; how++) {
    int64_t bytes = go(m, from, to, how == 2, how >= 1);
    if (bytes < best) best = bytes;
  }
  return best;
}

/* -------- dtg -------- */

static void put_layout(char *out, const Lay *l, const char *before) {
  out += sprintf(out, "[%s", before);
  for (int d = 0; d < l->rank; d++) {
    if (d || *before) out += sprintf(out, ", ");
    if (!l->naxes[d]) out += sprintf(out, "_");
    if (l->naxes[d] > 1) out += sprintf(out, "(");
    for (int j = 0; j < l->naxes[d]; j++)
      out += sprintf(out, "%sa%d", j ? ", " : "", l->axis[d][j]);
    if (l->naxes[d] > 1) out += sprintf(out, ")");
  }
  sprintf(out, "]");
}

/* Elements that a device receives at most. */
static int64_t planned(const Mesh *m, const Lay *from, const Lay *to) {
  char text[1024], lies[128], wanted[128], dims[96] = "", sizes[96] = "", axes[64] = "",
                                           mesh[64] = "";
  int nterms = 0;
  for (int a = 0; a < m->naxes; a++) {
    sprintf(mesh + strlen(mesh), "%sa%d=%d", a ? ", " : "", a, m->size[a]);
    if (!(from->partial & 1u << a)) continue;
    sprintf(sizes + strlen(sizes), "%s%d", nterms ? ", " : "", m->size[a]);
    sprintf(axes + strlen(axes), "%sa%d", nterms ? ", " : "", a);
    sprintf(dims + strlen(dims), "%s%d", nterms ? ", " : "", nterms);
    nterms++;
  }
  put_layout(lies, from, axes);
  put_layout(wanted, to, "");
  for (int d = 0; d < from->rank; d++)
    sprintf(sizes + strlen(sizes), "%s%ld", d || nterms ? ", " : "", (long)from->n[d]);
  snprintf(text, sizeof text,
           "mesh [%s]\nentry f(x: f32[%s] on %s) {\n  s = %s%s%s\n  return relayout(s, %s)\n}\n",
           mesh, sizes, lies, nterms ? "sum(x, axis=[" : "x", dims, nterms ? "])" : "", wanted);
  dtgc_program *p;
  char *cost = NULL;
  if (dtgc_compile_string("pair.dtg", text, NULL, &p) || dtgc_dump(p, "cost", &cost)) {
    fprintf(stderr, "%s\n%s\n", text, dtgc_error(p));
    exit(1);
  }
  const char *at = strstr(cost, "\nentry f:");
  if (at) at = strstr(at, "exchanges");
  if (at) at = strchr(at, '%');
  if (!at) exit(fprintf(stderr, "--dump=cost has another form:\n%s", cost));
  int64_t bytes = strtoll(at + 1, NULL, 10);
  dtgc_free_text(cost);
  dtgc_free(p);
  return bytes / 4;
}

/* -------- the table -------- */

static Lay random_layout(const Mesh *m, const Lay *like, bool partial) {
  Lay l = {.rank = like->rank};
  int order[AXES] = {0, 1, 2};
  memcpy(l.n, like->n, sizeof l.n);
  for (int i = m->naxes - 1; i > 0; i--) { /* axes come in any order */
    int j = below(i + 1), keep = order[i];
    order[i] = order[j], order[j] = keep;
  }
  for (int i = 0; i < m->naxes; i++) {
    int d = below(l.rank + 1 + partial);
    if (d < l.rank) l.axis[d][l.naxes[d]++] = order[i];
    if (d == l.rank + 1) l.partial |= 1u << order[i];
  }
  return l;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void row(const char *what, double *ratio, int n) {
  int more = 0;
  if (!n) return;
  qsort(ratio, (size_t)n, sizeof *ratio, compare);
  for (int i = 0; i < n; i++) more += ratio[i] > 1.001; /* not a rounding */
  printf("| %s | %d | %.1f %% | %.2f | %.2f | %.2f |\n", what, n, 100.0 * more / n, ratio[n / 2],
         ratio[n * 9 / 10], ratio[n - 1]);
}

int main(int argc, char **argv) {
  int pairs = argc > 1 ? atoi(argv[1]) : 4000, n[2] = {0}, wrong = 0;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  double *ours[2], *theirs[2], *between[2];
  for (int i = 0; i < 2; i++) {
    ours[i] = calloc((size_t)pairs + 1, sizeof(double));
    theirs[i] = calloc((size_t)pairs + 1, sizeof(double));
    between[i] = calloc((size_t)pairs + 1, sizeof(double));
  }
  for (int i = 0; i < pairs; i++) {
    static const int longest[RANK] = {4000000, 2000, 160};
    Mesh m = {.naxes = 1 + below(AXES), .ndevices = 1};
    Lay like = {.rank = 1 + below(RANK)};
    for (int a = 0; a < m.naxes; a++) m.ndevices *= m.size[a] = 2 + below(3);
    for (int d = 0; d < like.rank; d++) {
      like.n[d] = longest[like.rank - 1] / 4 + below(longest[like.rank - 1] * 3 / 4);
      if (below(2)) like.n[d] = (like.n[d] + 63) / 64 * 64; /* half of them divide by most */
    }
    Lay from = random_layout(&m, &like, below(2)), to = random_layout(&m, &like, false);
    int64_t least = bound(&m, &from, &to), dtg = planned(&m, &from, &to),
            g = greedy(&m, &from, &to);
    int k = from.partial != 0;
    if (dtg < least || (!k && dtg != least)) {
      wrong++;
      char lies[128], wanted[128];
      put_layout(lies, &from, "");
      put_layout(wanted, &to, "");
      fprintf(stderr, "pair %d: %s partial %x -> %s of %ld %ld %ld on %d %d %d: %ld, bound %ld\n",
              i, lies, from.partial, wanted, (long)from.n[0], (long)from.n[1], (long)from.n[2],
              m.size[0], m.size[1], m.size[2], (long)dtg, (long)least);
    }
    if (g == 0 && dtg == 0) continue; /* a slice of local data */
    if (least == 0)
      exit(fprintf(stderr, "pair %d: %ld and %ld bytes where none must move\n", i, (long)dtg,
                   (long)g));
    ours[k][n[k]] = (double)dtg / (double)least;
    theirs[k][n[k]] = (double)g / (double)least;
    between[k][n[k]++] = (double)g / (double)dtg;
  }
  printf("| bytes against | pairs | more | median | p90 | max |\n| --- | --- | --- | --- | --- | "
         "--- |\n");
  row("dtg to the bound, nothing partial", ours[0], n[0]);
  row("greedy to the bound, nothing partial", theirs[0], n[0]);
  row("dtg to the bound, from partial", ours[1], n[1]);
  row("greedy to the bound, from partial", theirs[1], n[1]);
  row("greedy to dtg, nothing partial", between[0], n[0]);
  row("greedy to dtg, from partial", between[1], n[1]);
  if (wrong)
    printf("%d pairs where the plan says less than the bound, or nothing is partial and it is not "
           "the bound\n",
           wrong);
  return wrong != 0;
}
