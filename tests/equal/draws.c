/* Random ops: moments and frequencies of many draws against those of the distribution, ranges, and
 * what `seed=` promises: the same values at every call and place. Every entry gives one vector,
 * which is also the same on a mesh. Bounds are 5 standard deviations of the mean of so many draws.
 */
#include "kit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Draw {
  const char *name, *body; /* the entry gives r, a vector */
  int n;
  double want[8], within[8];
} Draw;

#define N 40000
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

static const Draw draws[] = {
    {"small_gamma",
     "x = gamma([" TEXT(N) "], 0.5, f64)\n  return r = stack([mean(x), var(x), mean(sqrt(x))])",
     3,
     {0.5, 0.5, 0.5641895835477563},
     {0.018, 0.05, 0.011}},
    {"large_gamma",
     "x = gamma([" TEXT(N) "], 7.5, f32)\n  return r = stack([mean(x), var(x), mean(log(x))])",
     3,
     {7.5, 7.5, 1.9467574},
     {0.07, 0.4, 0.01}},
    {"gamma_slopes", /* of E x = a and E x^2 = a + a^2 */
     "a = full([" TEXT(N) "], 0.4, f64)\n  b = full([" TEXT(
         N) "], 3, f32)\n"
            "  x = gamma([" TEXT(N) "], a, f64)\n  y = gamma([" TEXT(
                N) "], b, f32)\n"
                   "  g = grad(sum(x), a)\n  h = grad(sum(f64(y) ** 2), b)\n"
                   "  return r = stack([mean(g), mean(f64(h))])",
     2,
     {1, 7},
     {0.05, 0.25}},
    {"gammas",
     "x = gamma([2, " TEXT(N) "], [[1], [3]], f64)\n  return r = mean(x, axis=1)",
     2,
     {1, 3},
     {0.026, 0.044}},
    {"integers",
     "x = randint([" TEXT(
         N) "], -2, 3)\n  return r = f64(concat([bincount(x + 2, 5), stack([min(x), max(x)])]))",
     7,
     {8000, 8000, 8000, 8000, 8000, -2, 2},
     {400, 400, 400, 400, 400, 0, 0}},
    {"classes",
     "x = categorical(broadcast(log(array([0.5, 0.2, 0.3], f64)), [" TEXT(
         N) ", 3]))\n"
            "  return r = f64(bincount(x, 3))",
     3,
     {20000, 8000, 12000},
     {500, 400, 460}},
    {"orders",
     "x = permutation(1000)\n  y = permutation(arange(1000))\n"
     "  return r = f64(stack([sum(sort(x) != arange(1000)), sum(sort(y) != arange(1000)), "
     "i32(sum(i32(x == y)) < 10)]))",
     3,
     {0, 0, 1},
     {0, 0, 0}},
    {"between",
     "x = normal_between([" TEXT(N) "], -1, 2, 0, 1, f64)\n"
                                    "  return r = stack([mean(x), f64(min(x) >= -1), f64(max(x) < "
                                    "2), f64(min(x) < -0.99), f64(max(x) > 1.97)])",
     5,
     {0.22964, 1, 1, 1, 1},
     {0.019, 0, 0, 0, 0}},
    {"seeded",
     "a = uniform([300], 0, 1, f64, seed=7)\n  b = uniform([300], 0, 1, f64, seed=7)\n"
     "  c = uniform([300], 0, 1, f64, seed=8)\n  d = uniform([300], 0, 1, f64)\n"
     "  e = dropout(ones([300], f64), 0.5, seed=3)\n  g = dropout(ones([300], f64), 0.5, "
     "seed=i64(3))\n"
     "  return r = f64(stack([sum(i32(a != b)), sum(i32(a == c)), sum(i32(a == d)), sum(i32(e != "
     "g))]))",
     4,
     {0},
     {0}},
    {"steady",
     "return r = concat([uniform([3], 0, 1, f64, seed=5), normal([2], 0, 1, f64, seed=6)])",
     0,
     {0},
     {0}},
    {"moving", "return r = uniform([5], 0, 1, f64)", 0, {0}, {0}},
};
enum { DRAWS = sizeof draws / sizeof *draws };

static int failures;

static void fail(const char *name, const char *what, double got, double want) {
  fprintf(stderr, "%s: %s: %.9g, not %.9g\n", name, what, got, want);
  failures++;
}

/* At a step, which random values depend on. */
static bool call(dtgc_program *p, const Draw *d, int64_t step, double *r) {
  dtgc_tensor t;
  if (dtgc_set(p, "random.step", &step, sizeof step)) abort();
  if (dtgc_output(p, d->name, 0, &t)) abort();
  float narrow[8];
  void *at = t.dtype == DTGC_F64 ? (void *)r : (void *)narrow;
  size_t size = t.dtype == DTGC_F64 ? sizeof *r : sizeof *narrow;
  if (dtgc_run(p, d->name, NULL, 0, &(dtgc_buffer){"r", at, size * (size_t)t.count}, 1)) {
    fprintf(stderr, "%s: %s\n", d->name, dtgc_error(p));
    failures++;
    return false;
  }
  for (int64_t i = 0; t.dtype == DTGC_F32 && i < t.count; i++) r[i] = (double)narrow[i];
  return true;
}

static dtgc_program *compile(const char *mesh) {
  char *text, *why = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (!f) abort();
  for (int i = 0; i < DRAWS; i++)
    fprintf(f, "entry %s() {\n  %s\n}\n", draws[i].name, draws[i].body);
  fclose(f);
  dtgc_program *p = kit_compile(text, mesh ? "layout \".*x\" = [a, ...]\n" : NULL, mesh, &why);
  if (!p) fprintf(stderr, "%s", why), failures++;
  free(text);
  free(why);
  return p;
}

int main(void) {
  dtgc_program *one = compile(NULL), *two = compile("a=2");
  for (int i = 0; one && two && i < DRAWS; i++) {
    const Draw *d = &draws[i];
    double r[8] = {0}, again[8] = {0}, split[8] = {0};
    if (!call(one, d, 4, r) || !call(one, d, 5, again) || !call(two, d, 4, split)) continue;
    for (int k = 0; k < d->n; k++)
      if (!(fabs(r[k] - d->want[k]) <= d->within[k]))
        fail(d->name, "on one device", r[k], d->want[k]);
    for (int k = 0; k < 5 && strcmp(d->name, "moving"); k++)
      if (!(fabs(r[k] - split[k]) <= 1e-5 * fabs(r[k]))) fail(d->name, "on a mesh", split[k], r[k]);
    if (!strcmp(d->name, "steady") && memcmp(r, again, 5 * sizeof *r))
      fail(d->name, "a second call", again[0], r[0]);
    if (!strcmp(d->name, "moving") && !memcmp(r, again, 5 * sizeof *r))
      fail(d->name, "a second call is alike", again[0], r[0]);
  }
  dtgc_free(one);
  dtgc_free(two);
  printf("%d entries, %d failures\n", DRAWS, failures);
  return failures != 0;
}
