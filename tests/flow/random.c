/* Random loops and branches within each other, with jumps and what is collected, beside the same
 * unrolled: values, first gradients and second ones, on one device and with random layouts on a
 * mesh. Both texts are written at once; what stands in one as repeat, scan, while or a for with
 * jumps stands in the other as for, and what a `break` or `continue` leaves out is in an `if` for
 * each statement there.
 *
 *   flow_random SEED COUNT         programs from SEED on
 *   flow_random SEED print         shows both */
#include "kit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4, WIDTH = 5, RUNS = 3 };

/* A loop that is open. */
typedef struct Open {
  int own;     /* its number in names */
  int turns;   /* at most */
  bool jumps;  /* alive<own> and here<own> in the unrolled text say if it goes on, and this run */
  bool leaves; /* it collects y<own> in rows at<own> */
  bool adds;   /* a<own>, a number before it, takes the type of what is added in it */
} Open;

typedef struct Gen {
  Random random;
  FILE *loops, *unrolled;
  int names, scans; /* of loops; of those that go over xs and are open */
  int scan[8];
} Gen;

static int pick(Gen *g, int n) { return random_below(&g->random, n); }

static void both(Gen *g, const char *text) { fputs(text, g->loops), fputs(text, g->unrolled); }

static const char *matrix(Gen *g, char out[16]) {
  const int n = pick(g, 3 + g->scans);
  snprintf(out, 16, "%s", n == 0 ? "x" : n == 1 ? "h" : "g");
  if (n >= 3) snprintf(out, 16, "z%d", g->scan[n - 3]);
  return out;
}
static const char *row(Gen *g) { return pick(g, 2) ? "b" : "c"; }
static const char *number(Gen *g) { return pick(g, 2) ? "s" : "u"; }

static void say_matrix(Gen *g) {
  char p[16], q[16], r[16], text[160];
  matrix(g, p), matrix(g, q), matrix(g, r);
  switch (pick(g, 8)) {
  case 0: snprintf(text, sizeof text, "tanh(%s + %s)", p, row(g)); break;
  case 1: snprintf(text, sizeof text, "%s * 0.7 + %s * 0.4", p, q); break;
  case 2:
    snprintf(text, sizeof text, "tanh(%s @ transpose(%s, [1, 0]) @ %s * 0.2)", p, q, r);
    break;
  case 3: snprintf(text, sizeof text, "cumsum(%s, axis=%d) * 0.3", p, pick(g, 2)); break;
  case 4: snprintf(text, sizeof text, "softmax(%s, axis=%d)", p, pick(g, 2)); break;
  case 5: snprintf(text, sizeof text, "%s * %s", p, number(g)); break;
  case 6: snprintf(text, sizeof text, "concat([%s[1:], %s[:1]], axis=0)", p, p); break;
  default: snprintf(text, sizeof text, "sin(%s) + %s * 0.1", p, number(g));
  }
  both(g, pick(g, 2) ? "h = " : "g = "), both(g, text), both(g, "\n");
}

static void say_value(Gen *g) {
  char p[16], text[96];
  const int kind = pick(g, 5);
  if (kind < 3) {
    say_matrix(g);
    return;
  }
  if (kind == 3 && pick(g, 2))
    snprintf(text, sizeof text, "c = mean(%s, axis=0)\n", matrix(g, p));
  else if (kind == 3)
    snprintf(text, sizeof text, "c = tanh(%s) + %s * 0.2\n", row(g), number(g));
  else if (pick(g, 2))
    snprintf(text, sizeof text, "u = mean(%s) + %s * 0.5\n", matrix(g, p), number(g));
  else
    snprintf(text, sizeof text, "u = tanh(%s * 1.2)\n", number(g));
  both(g, text);
}

static void say_body(Gen *g, int depth);
static void say_within(Gen *g, int depth);

/* What is not finite, or out of range, where the branch is not taken, of what is outside of it: the
 * unrolled program computes it of other numbers there. */
static void say_guarded(Gen *g, int own) {
  static const char *const what[] = {
      "h = h * 0.5 + log(d%d) * 0.1\n", "g = g * (1.0 + 0.1 * sqrt(d%d))\n",
      "u = u * 0.5 + 0.1 / (1.0 + d%d ** 0.5)\n", "h = tanh(h * sqrt(sum(x * x * d%d)))\n"};
  const char *text = what[pick(g, 4)];
  const bool row = pick(g, 2);
  FILE *const to[] = {g->loops, g->unrolled};
  for (int i = 0; i < 2; i++) {
    if (i) fprintf(to[i], "t%d = d%d\nd%d = where(t%d > 0.0, t%d, 1.0)\n", own, own, own, own, own);
    fprintf(to[i], "if %c%d > 0.0 {\n", i ? 't' : 'd', own);
    fprintf(to[i], text, own);
    if (row) fprintf(to[i], i ? "g = g + xs[0]\n" : "g = g + xs[i64(d%d <= 0.0) * 99]\n", own);
  }
}

static const char *const limits[] = {"-0.2", "0.0", "0.3"};

static void say_unrolled_jump(Gen *g, int own, bool ends) {
  if (ends) fprintf(g->unrolled, "alive%d = false\n", own);
  fprintf(g->unrolled, "here%d = false\n", own);
}

/* `if ... { ...; break }`, perhaps within another one. */
static void say_jump(Gen *g, const Open *o, int depth) {
  const bool ends = pick(g, 3) > 0, deep = depth < 3 && pick(g, 4) == 0;
  char text[64];
  snprintf(text, sizeof text, "if %s > %s {\n", pick(g, 4) ? "u" : "s", limits[pick(g, 3)]);
  both(g, text);
  if (pick(g, 2)) say_value(g);
  if (deep) {
    say_jump(g, o, depth + 1);
    fprintf(g->unrolled, "if here%d {\n", o->own);
    say_value(g);
    fputs("}\n", g->unrolled);
  } else {
    fputs(ends ? "break\n" : "continue\n", g->loops);
    say_unrolled_jump(g, o->own, ends);
  }
  both(g, "}\n");
}

static void say_loop_body(Gen *g, int depth, Open o) {
  if (o.jumps) fprintf(g->unrolled, "here%d = alive%d\n", o.own, o.own);
  if (o.jumps && pick(g, 2)) {
    fprintf(g->unrolled, "if here%d {\n", o.own);
    both(g, "u = mean(h) + u * 0.5\n");
    say_jump(g, &o, depth);
    fputs("}\n", g->unrolled);
  }
  const int before = pick(g, 3);
  for (int i = 0; i < 3; i++) {
    if (o.jumps) fprintf(g->unrolled, "if here%d {\n", o.own);
    if (i == (before + 1) % 3 && o.adds) {
      char text[64];
      snprintf(text, sizeof text, "a%d = a%d * 0.5 + h * u\n", o.own, o.own);
      both(g, text);
    } else if (i == before && o.leaves) {
      fprintf(g->loops, "collect y%d = h * c\n", o.own);
      fprintf(g->unrolled, "y%d[at%d] <- h * c\n", o.own, o.own);
    } else if (depth < 3 && pick(g, 4) == 0) {
      say_within(g, depth);
    } else {
      say_value(g);
    }
    if (o.jumps) fputs("}\n", g->unrolled);
    if (o.jumps && pick(g, 3) == 0) {
      fprintf(g->unrolled, "if here%d {\n", o.own);
      say_jump(g, &o, depth);
      fputs("}\n", g->unrolled);
    }
  }
}

/* The rows of what a loop may leave, and that it has not ended, as the unrolled text has them. */
static Open begin(Gen *g, int own, int turns, bool jumps) {
  const Open o = {own, turns, jumps, pick(g, 2), pick(g, 3) == 0};
  const char *const first[] = {"0", "0.5", "-2", "1.0"}, *number = first[pick(g, 4)];
  if (o.adds) {
    fprintf(g->loops, "a%d = %s\n", own, number);
    fprintf(g->unrolled, "a%d = full([4, 5], %s, f64)\n", own, number);
  }
  if (o.leaves) fprintf(g->unrolled, "y%d = zeros([%d, 4, 5], f64)\n", own, turns);
  if (o.jumps) fprintf(g->unrolled, "alive%d = true\n", own);
  return o;
}

/* What it left is read in the body around it. */
static void end(Gen *g, const Open *o) {
  char text[64];
  both(g, "}\n");
  if (o->adds) {
    snprintf(text, sizeof text, "g = tanh(g + a%d * 0.2)\n", o->own);
    both(g, text);
  }
  if (!o->leaves) return;
  snprintf(text, sizeof text, "h = tanh(h + sum(y%d, axis=0) * 0.3)\n", o->own);
  both(g, text);
}

static void say_while(Gen *g, int depth, int own) {
  const Open o = begin(g, own, 1 + pick(g, 4), true);
  const char *of = pick(g, 4) ? "u" : "s", *limit = limits[pick(g, 3)];
  fprintf(g->loops, "while %s > %s most=%d {\n", of, limit, o.turns);
  fprintf(g->unrolled, "for at%d in 0..%d {\nalive%d = alive%d and %s > %s\n", own, o.turns, own,
          own, of, limit);
  say_loop_body(g, depth + 1, o);
  end(g, &o);
}

static void say_within(Gen *g, int depth) {
  char text[64];
  const int kind = pick(g, 7), own = g->names++;
  if (kind < 2 || kind == 5) {
    const char *of = number(g), *limit = limits[pick(g, 3)];
    if (kind < 2)
      snprintf(text, sizeof text, "if %s > %s {\n", of, limit);
    else
      snprintf(text, sizeof text, "d%d = %s - (%s)\n", own, of, limit);
    both(g, text);
    if (kind == 5) say_guarded(g, own);
    say_body(g, depth + 1);
    if (pick(g, 2)) both(g, "} else {\n"), say_body(g, depth + 1);
    both(g, "}\n");
  } else if (kind == 6) {
    say_while(g, depth, own);
  } else if (kind < 4) {
    const Open o = begin(g, own, 1 + pick(g, 4), pick(g, 2));
    const bool unrolled = o.jumps && !o.leaves && pick(g, 2); /* with its jumps */
    fprintf(g->loops, "%s i%d in 0..%d {\n", unrolled ? "for" : "repeat", own, o.turns);
    fprintf(g->unrolled, "for at%d in 0..%d {\n", own, o.turns);
    say_loop_body(g, depth + 1, o);
    end(g, &o);
  } else {
    const bool back = pick(g, 2);
    const Open o = begin(g, own, RUNS, pick(g, 2));
    fprintf(g->loops, "scan z%d in xs%s {\n", own, back ? " reverse" : "");
    if (back)
      fprintf(g->unrolled, "for at%d in %d..-1 by -1 {\nz%d = xs[", own, RUNS - 1, own);
    else
      fprintf(g->unrolled, "for at%d in 0..%d {\nz%d = xs[", own, RUNS, own);
    fprintf(g->unrolled, "at%d]\n", own);
    g->scan[g->scans++] = own;
    say_loop_body(g, depth + 1, o);
    g->scans--;
    end(g, &o);
  }
}

static void say_body(Gen *g, int depth) {
  for (int n = 1 + pick(g, 3); n > 0; n--)
    if (depth < 3 && pick(g, 3) == 0)
      say_within(g, depth);
    else
      say_value(g);
}

static void say_layouts(Gen *g, FILE *to) {
  static const char *const name[] = {"x", "h", "g", "b", "xs"};
  static const int rank[] = {2, 2, 2, 1, 3};
  for (int i = 0; i < 5; i++) {
    const int dim = pick(g, rank[i]), other = pick(g, rank[i]), axis = pick(g, 2);
    if (pick(g, 2)) continue;
    fprintf(to, "layout f.%s = [", name[i]);
    for (int d = 0; d < rank[i]; d++)
      fprintf(to, "%s%s", d ? ", " : "",
              d == dim     ? axis ? "p" : "q"
              : d == other ? axis ? "q" : "p"
                           : "_");
    fputs("]\n", to);
  }
}

typedef struct Texts {
  char *loops, *unrolled, *layouts;
} Texts;

static Texts write_texts(uint64_t seed) {
  Texts t = {0};
  size_t n[3];
  Gen g = {.random = {seed}};
  FILE *layouts = open_memstream(&t.layouts, &n[2]);
  g.loops = open_memstream(&t.loops, &n[0]), g.unrolled = open_memstream(&t.unrolled, &n[1]);
  both(&g,
       "entry f(x: f64[4, 5], b: f64[5], xs: f64[3, 4, 5]) {\nh = x * 0.5\ng = sin(x)\nc = b * 1\n"
       "s = mean(x)\nu = sum(b) * 0.1\n");
  say_within(&g, 0);
  say_body(&g, 0);
  both(&g, "loss = mean(h * g) + mean(c * c) * 0.3 + u * u * 0.1 + mean(x * x) * mean(b) + "
           "mean(xs) * mean(x)\n"
           "dx = grad(loss, x)\ndb = grad(loss, b)\ndxs = grad(loss, xs)\n");
  if (pick(&g, 2)) both(&g, "dx = dx + grad(sum(dx * dx) + sum(db * db), x)\n");
  both(&g, "return loss = loss, h = h, dx = dx, db = db, dxs = dxs\n}\n");
  say_layouts(&g, layouts);
  fclose(g.loops), fclose(g.unrolled), fclose(layouts);
  return t;
}

static char heard[4096];
static void hear(void *user, const dtgc_message *m) {
  (void)user;
  const size_t n = strlen(heard);
  if (m->severity == DTGC_ERROR) snprintf(heard + n, sizeof heard - n, "%s", m->rendered);
}

enum { OUTPUTS = 5, INPUTS = 3 };
typedef struct Results {
  double *at;
  size_t n;
} Results;

/* `at` is NULL, and why is in `heard`, where it does not run. */
static Results results(const char *text, const char *layouts, const char *mesh) {
  static const int64_t sizes[INPUTS] = {ROWS * WIDTH, WIDTH, RUNS * ROWS * WIDTH};
  const dtgc_source source[] = {{.name = "f", .text = text, .bytes = strlen(text)},
                                {.name = "on", .text = layouts, .bytes = strlen(layouts)}};
  const dtgc_options o = {.mesh = mesh, .message = hear};
  dtgc_program *p = NULL;
  dtgc_buffer in[INPUTS], out[OUTPUTS];
  Random random = {5};
  Results r = {0};
  heard[0] = 0;
  dtgc_compile(source, mesh ? 2 : 1, &o, &p);
  if (dtgc_errors(p)) {
    dtgc_free(p);
    return r;
  }
  for (int i = 0; i < INPUTS; i++) {
    dtgc_tensor t;
    dtgc_input(p, "f", i, &t);
    double *x = malloc(t.bytes);
    for (int64_t k = 0; k < sizes[i]; k++) x[k] = 2 * random_real(&random) - 1;
    in[i] = (dtgc_buffer){t.name, x, t.bytes};
  }
  for (int i = 0; i < OUTPUTS; i++) {
    dtgc_tensor t;
    dtgc_output(p, "f", i, &t);
    out[i] = (dtgc_buffer){t.name, calloc(1, t.bytes), t.bytes};
    r.n += t.bytes / sizeof(double);
  }
  if (dtgc_run(p, "f", in, INPUTS, out, OUTPUTS)) {
    snprintf(heard, sizeof heard, "%s", dtgc_error(p));
  } else {
    double *to = r.at = malloc(r.n * sizeof *r.at);
    for (int i = 0; i < OUTPUTS; to += out[i++].bytes / sizeof(double))
      memcpy(to, out[i].data, out[i].bytes);
  }
  for (int i = 0; i < INPUTS; i++) free(in[i].data);
  for (int i = 0; i < OUTPUTS; i++) free(out[i].data);
  dtgc_free(p);
  return r;
}

static const char *compare(const Results *want, const Results *got) {
  if (!got->at) return "does not run";
  double most = 1;
  for (size_t i = 0; i < want->n; i++) most = fmax(most, fabs(want->at[i]));
  for (size_t i = 0; i < want->n; i++)
    if (!(fabs(want->at[i] - got->at[i]) <= 1e-10 * most)) return "has other values";
  return NULL;
}

static int try_seed(uint64_t seed) {
  static const char *const meshes[] = {"p=2,q=1", "p=2,q=2", "p=3,q=2", "p=1,q=4"};
  const char *mesh = meshes[seed % 4];
  const Texts t = write_texts(seed);
  const Results want = results(t.unrolled, "", NULL);
  int failures = 0;
  if (!want.at) fprintf(stderr, "seed %llu, unrolled: %s\n", (unsigned long long)seed, heard);
  failures += !want.at;
  for (int on = 0; on < 2 && want.at; on++) {
    const Results got = results(t.loops, t.layouts, on ? mesh : NULL);
    const char *bad = compare(&want, &got);
    if (bad)
      fprintf(stderr, "seed %llu on %s: the program of loops %s: %s\n", (unsigned long long)seed,
              on ? mesh : "one device", bad, heard);
    failures += bad != NULL;
    free(got.at);
  }
  free(want.at), free(t.loops), free(t.unrolled), free(t.layouts);
  return failures;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const uint64_t seed = strtoull(argv[1], NULL, 10);
  int failures = 0;
  if (!strcmp(argv[2], "print")) {
    const Texts t = write_texts(seed);
    printf("%s\n%s\n%s", t.loops, t.unrolled, t.layouts);
    return 0;
  }
  const int count = atoi(argv[2]);
  setvbuf(stdout, NULL, _IOLBF, 0); /* the last program is the one that ended the compiler */
  for (int i = 0; i < count; i++) {
    printf("seed %llu\n", (unsigned long long)seed + (unsigned long long)i);
    failures += try_seed(seed + (uint64_t)i);
  }
  printf("%d programs, %d failures\n", count, failures);
  return failures != 0;
}
