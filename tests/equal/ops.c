/* Every op under random layouts on every mesh gives what it gives on one device.
 *
 *   equal_ops [--layouts N] [--seed S] [--only ENTRY] [--quick N]
 *
 * The cases are the examples of the roll of ops, in f32, f64 and i32 where the op takes them, and
 * those of examples.c. All cases stand in one program, so a (mesh, layouts) pair is compiled once.
 * A failure prints the case alone with its mesh and layouts, ready to be fed to `dtgc run`.
 * --quick: only the types that the examples are written in, and an N-th of the cases on each mesh,
 * in turn: with 6 each case on one of the meshes. */
#include "examples.h"
#include "kit.h"
#include <stdlib.h>
#include <string.h>

typedef struct Result {
  Case c;
  Tensor out[2];     /* for real and for small whole numbers */
  char layouts[600]; /* of the compile at hand */
  bool skip;         /* in the compile at hand */
} Result;

typedef struct Suite {
  Result *at;
  int n, cap;
  const char *only;
  int quick;
  uint64_t seed;
  long compared, failed;
} Suite;

/* -------- collecting -------- */

typedef struct Bound {
  const char *op;
  double terms;
  bool whole_exact;
} Bound;

/* Ops that add terms up in an order that layouts decide, with how many roundings that may come to
 * for the longest sums among the examples (257 terms of size 2); all others are exact. A mean of
 * whole numbers is not: devices may divide their sums before these are added. LAPACK adds in an order
 * that the number of columns decides. */
static const Bound bounds[] = {{"sum", 64, true},
                               {"mean", 8, false},
                               {"prod", 16, true},
                               {"norm", 16, false},
                               {"var", 32, false},
                               {"std", 32, false},
                               {"segment_sum", 8, true},
                               {"bincount", 8, true},
                               {"resize", 8, false},
                               {"upsample", 8, false},
                               {"cumsum", 16, true},
                               {"matmul", 64, true},
                               {"einsum", 32, true},
                               {"conv", 64, true},
                               {"conv_transpose", 64, true},
                               {"avg_pool", 8, false},
                               {"scatter_add", 8, true},
                               {"scatter_mul", 8, true},
                               {"scatter_nd_mul", 8, true},
                               {"segment_prod", 8, true},
                               {"segment_mean", 8, false},
                               {"cholesky", 16, false},
                               {"solve", 4, false},
                               {"inv", 4, false},
                               {"triangular_solve", 4, false},
                               {"pinv", 16, false},
                               {"softmax", 32, false},
                               {"log_softmax", 16, false},
                               {"logsumexp", 16, false},
                               {"softmax_cross_entropy", 48, false},
                               {"sparse_softmax_cross_entropy", 16, false}};

static void set_bound(Case *c) {
  c->terms = 0;
  c->whole_exact = true;
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
    if (!strcmp(bounds[i].op, c->op))
      c->terms = bounds[i].terms, c->whole_exact = bounds[i].whole_exact;
}

static char *text_of(const Case *c) {
  char *text;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (!f) abort();
  case_write(c, f);
  fclose(f);
  return text;
}

static bool compiles(const Case *c, char **why) {
  char *text = text_of(c);
  dtgc_program *p = kit_compile(text, NULL, NULL, why);
  dtgc_free(p);
  free(text);
  return p != NULL;
}

static void add(Suite *s, const Case *c) {
  if (s->only && strcmp(s->only, c->entry)) return;
  if (s->n == s->cap) {
    s->cap = s->cap ? 2 * s->cap : 64;
    s->at = realloc(s->at, sizeof *s->at * (size_t)s->cap);
    if (!s->at) abort();
  }
  s->at[s->n++] = (Result){.c = *c};
}

/* `must` be accepted; otherwise it is a type that the op may refuse. */
static void offer(Suite *s, Case *c, const char *suffix, bool must) {
  char *why = NULL;
  strcat(c->entry, suffix);
  set_bound(c);
  if (compiles(c, &why)) {
    add(s, c);
  } else if (must) {
    fprintf(stderr, "%s does not compile: %s\n%s", c->entry, c->expr, why);
    s->failed++;
  }
  free(why);
}

static bool whole_example(const Case *c) {
  for (int i = 0; i < c->nin; i++)
    if (c->in[i].dtype == DTGC_F32) return false;
  return true;
}

static void collect_one(void *user, const char *name, const char *op, const char *example) {
  Suite *s = user;
  Case c = {.op = op}, other;
  snprintf(c.entry, sizeof c.entry, "%s", name);
  if (!case_parse(&c, example)) {
    fprintf(stderr, "the example of %s is not of the agreed form: %s\n", op, example);
    s->failed++;
    return;
  }
  if (!s->quick && case_as(&c, "f64", &other)) offer(s, &other, "_f64", true);
  if (!s->quick && case_as(&c, "i32", &other)) offer(s, &other, "_i32", false);
  offer(s, &c, whole_example(&c) ? "_whole" : "_f32", true);
}

static void collect(Suite *s) { s->failed += examples_each(collect_one, s); }

/* -------- running -------- */

static void fill(Suite *s, Result *r, bool whole) {
  Random random = {s->seed};
  for (const char *p = r->c.entry; *p; p++) random.state = random.state * 31 + (unsigned char)*p;
  for (int i = 0; i < r->c.nin; i++) tensor_fill(&r->c.in[i], &random, whole);
}

static bool run(Suite *s, dtgc_program *p, Result *r, Tensor *out, bool whole) {
  dtgc_buffer in[MOST_INPUTS], to = {"r", out->data, out->bytes};
  int64_t step = whole ? 5 : 4; /* random values depend on how often the program has drawn any */
  fill(s, r, whole);
  bool set = dtgc_find_var(p, "random.step") < 0 || !dtgc_set(p, "random.step", &step, sizeof step);
  for (int i = 0; i < r->c.nin; i++)
    in[i] = (dtgc_buffer){r->c.in[i].name, r->c.in[i].data, r->c.in[i].bytes};
  if (set && !dtgc_run(p, r->c.entry, in, r->c.nin, &to, 1)) return true;
  fprintf(stderr, "%s does not run: %s\n", r->c.entry, dtgc_error(p));
  s->failed++;
  return false;
}

static void make_out(dtgc_program *p, const Result *r, Tensor *out) {
  dtgc_tensor t;
  if (dtgc_output(p, r->c.entry, 0, &t)) abort();
  *out = (Tensor){.dtype = t.dtype, .rank = t.rank};
  memcpy(out->dim, t.shape, sizeof *t.shape * (size_t)t.rank);
  tensor_size(out);
}

static dtgc_program *compile_all(Suite *s, const char *mesh) {
  char *model, *layouts, *why;
  size_t n;
  FILE *f = open_memstream(&model, &n), *g = open_memstream(&layouts, &n);
  if (!f || !g) abort();
  for (int i = 0; i < s->n; i++) {
    if (s->at[i].skip) continue;
    case_write(&s->at[i].c, f);
    if (mesh) fputs(s->at[i].layouts, g);
  }
  fclose(f);
  fclose(g);
  dtgc_program *p = kit_compile(model, layouts, mesh, &why);
  if (!p) {
    fprintf(stderr, "mesh %s: the cases do not compile together:\n%s%s", mesh ? mesh : "none",
            layouts, why);
    s->failed++;
  } else if (dtgc_start(p)) {
    fprintf(stderr, "mesh %s: no machine code: %s\n", mesh ? mesh : "none", dtgc_error(p));
    s->failed++;
    dtgc_free(p);
    p = NULL;
  }
  free(model);
  free(layouts);
  free(why);
  return p;
}

static bool make_oracle(Suite *s) {
  dtgc_program *p = compile_all(s, NULL);
  if (!p) return false;
  bool ok = true;
  for (int i = 0; i < s->n; i++)
    for (int whole = 0; whole < 2; whole++) {
      make_out(p, &s->at[i], &s->at[i].out[whole]);
      ok &= run(s, p, &s->at[i], &s->at[i].out[whole], whole);
    }
  dtgc_free(p);
  return ok;
}

/* -------- comparing -------- */

static void deal_layouts(Result *r, Random *random, int naxes) {
  char one[80];
  int at = 0;
  r->layouts[0] = 0;
  for (int i = 0; i <= r->c.nin; i++) {
    bool result = i == r->c.nin;
    if (random_below(random, 10) < (result ? 3 : 1)) continue; /* left to inference */
    layout_random(random, naxes, result ? r->out[0].rank : r->c.in[i].rank, one, sizeof one);
    at += snprintf(r->layouts + at, sizeof r->layouts - (size_t)at, "layout %s.%s = %s\n",
                   r->c.entry, result ? "r" : r->c.in[i].name, one);
  }
}

static void report(Suite *s, const Grid *g, const Result *r, const Tensor *got, const Tensor *want,
                   int64_t at) {
  if (s->failed++ >= 40) return;
  char *text = text_of(&r->c);
  fprintf(stderr, "# element %ld is %.17g, on one device %.17g\nmesh [%s]\n%s%s\n", (long)at,
          tensor_at(got, at), tensor_at(want, at), g->mesh, text, r->layouts);
  free(text);
}

static void compare(Suite *s, const Grid *g, dtgc_program *p, Result *r) {
  for (int whole = 0; whole < 2; whole++) {
    Tensor out;
    make_out(p, r, &out);
    if (run(s, p, r, &out, whole)) {
      double terms = whole && r->c.whole_exact ? 0 : r->c.terms;
      int64_t at = tensor_differs(&r->out[whole], &out, terms);
      s->compared++;
      if (at >= 0) report(s, g, r, &out, &r->out[whole], at);
    }
    tensor_free(&out);
  }
}

static void try_grid(Suite *s, int grid, Random *random) {
  const Grid *g = &grids[grid];
  for (int i = 0; i < s->n; i++) {
    s->at[i].skip = s->quick && s->n > 1 && (i + grid) % s->quick;
    deal_layouts(&s->at[i], random, g->naxes);
  }
  dtgc_program *p = compile_all(s, g->mesh);
  for (int i = 0; p && i < s->n; i++)
    if (!s->at[i].skip) compare(s, g, p, &s->at[i]);
  dtgc_free(p);
}

int main(int argc, char **argv) {
  Suite s = {.seed = 1};
  int layouts = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--layouts"))
      layouts = atoi(argv[i + 1]);
    else if (!strcmp(argv[i], "--seed"))
      s.seed = strtoull(argv[i + 1], NULL, 10);
    else if (!strcmp(argv[i], "--quick"))
      s.quick = atoi(argv[i + 1]);
    else if (!strcmp(argv[i], "--only"))
      s.only = argv[i + 1];
  }
  collect(&s);
  if (make_oracle(&s)) {
    Random random = {s.seed};
    for (int k = 0; k < layouts; k++)
      for (int g = 0; grids[g].mesh; g++)
        if (k == 0 || g > 0) try_grid(&s, g, &random);
  }
  printf("%d cases, %ld comparisons, %ld failures\n", s.n, s.compared, s.failed);
  for (int i = 0; i < s.n; i++) {
    case_free(&s.at[i].c);
    tensor_free(&s.at[i].out[0]);
    tensor_free(&s.at[i].out[1]);
  }
  bool empty = s.compared == 0;
  free(s.at);
  return s.failed || empty;
}
