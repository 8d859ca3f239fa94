/* Every op's derivatives against central differences, in f64, and under layouts against one device.
 *
 *   equal_gradients [--seed S] [--layouts N] [--meshes all] [--order 1|2|3] [--only ENTRY]
 *
 * For a case r = EXPR(x, y) the entry computes s = sum(wr * r) and grad(s, x), grad(s, y), with a
 * random w. A difference of 1e-6, relative to 1 + |gradient|, is a failure; with steps of 1e-5 the
 * error of a central difference is well below it. Random values do not come within a step of a
 * kink. For order 2 the same is done to s' = sum(v0 * grad(s, x)) + sum(v1 * grad(s, y)), so that
 * mixed derivatives count, and for order 3 to s'' made of s' alike. Layouts are tried on all meshes,
 * or on two of them: N is 1 without `--meshes all`. */
#include "examples.h"
#include "kit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 256 }; /* roundings that two orders of summation may differ by */
static const double STEP = 1e-5, TOLERANCE = 1e-6;

typedef struct Grad {
  Case c;                       /* its inputs, then wr, then (from order 2 on) v0, v1 ... */
  int ndiff, diff[MOST_INPUTS]; /* the inputs with a gradient */
  int order;
  Tensor out[MOST_INPUTS]; /* gradients on one device */
  char layouts[900];
} Grad;

typedef struct Suite {
  Grad *at;
  int n, cap;
  const char *only;
  int order;
  uint64_t seed;
  long checked, failed;
} Suite;

/* -------- the programs -------- */

static void write_entry(const Grad *g, FILE *f) {
  const Case *c = &g->c;
  char type[100];
  fprintf(f, "entry %s(", c->entry);
  for (int i = 0; i < c->nin; i++) {
    tensor_type(&c->in[i], type, sizeof type);
    fprintf(f, "%s%s: %s", i ? ", " : "", c->in[i].name, type);
  }
  fprintf(f, ") {\n  r = %s\n  s = sum(wr * r)\n", c->expr);
  for (int order = 2; order <= g->order; order++) {
    fprintf(f, "  s = ");
    for (int k = 0; k < g->ndiff; k++)
      fprintf(f, "%ssum(v%d * grad(s, %s))", k ? " + " : "", k, c->in[g->diff[k]].name);
    fprintf(f, "\n");
  }
  fprintf(f, "  return s = s + 0");
  for (int k = 0; k < g->ndiff; k++) fprintf(f, ", d%d = grad(s, %s)", k, c->in[g->diff[k]].name);
  fprintf(f, "\n}\n");
}

static char *text_of(const Grad *g) {
  char *text;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (!f) abort();
  write_entry(g, f);
  fclose(f);
  return text;
}

/* The shape of r on its own; false when r is no f64 tensor. */
static bool result_of(const Case *c, Tensor *out) {
  char *text, *why = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (!f) abort();
  case_write(c, f);
  fclose(f);
  dtgc_program *p = kit_compile(text, NULL, NULL, &why);
  dtgc_tensor t;
  bool ok = p && !dtgc_output(p, c->entry, 0, &t) && t.dtype == DTGC_F64;
  if (ok) {
    *out = (Tensor){.dtype = DTGC_F64, .rank = t.rank};
    memcpy(out->dim, t.shape, sizeof *t.shape * (size_t)t.rank);
    tensor_size(out);
  }
  dtgc_free(p);
  free(text);
  free(why);
  return ok;
}

/* -------- collecting -------- */

static void append(Suite *s, const Grad *g) {
  if (s->only && strcmp(s->only, g->c.entry)) return;
  if (s->n == s->cap) {
    s->cap = s->cap ? 2 * s->cap : 64;
    s->at = realloc(s->at, sizeof *s->at * (size_t)s->cap);
    if (!s->at) abort();
  }
  s->at[s->n++] = *g;
}

static void add_input(Case *c, const Tensor *like, const char *name) {
  Tensor *t = &c->in[c->nin++];
  *t = *like;
  t->positive = t->zeros = false;
  snprintf(t->name, sizeof t->name, "%s", name);
  tensor_size(t);
}

static void collect_one(void *user, const char *name, const char *op, const char *example) {
  Suite *s = user;
  Case c32 = {.op = op};
  Grad g = {.order = s->order};
  Tensor r;
  char *why = NULL;
  snprintf(c32.entry, sizeof c32.entry, "%s_grad", name);
  if (!strcmp(op, "stop_gradient")) return; /* differs from its slope on purpose */
  if (!case_parse(&c32, example) || !case_as(&c32, "f64", &g.c) || !result_of(&g.c, &r)) return;
  for (int i = 0; i < g.c.nin; i++)
    if (g.c.in[i].dtype == DTGC_F64) g.diff[g.ndiff++] = i;
  if (!g.ndiff) return;
  add_input(&g.c, &r, "wr");
  for (int k = 0; s->order > 1 && k < g.ndiff; k++) {
    char v[16];
    snprintf(v, sizeof v, "v%d", k);
    add_input(&g.c, &g.c.in[g.diff[k]], v);
  }
  char *text = text_of(&g);
  dtgc_program *p = kit_compile(text, NULL, NULL, &why);
  if (p) {
    append(s, &g);
  } else {
    s->failed++;
    fprintf(stderr, "no gradient:\n%s%s", text, why);
  }
  dtgc_free(p);
  free(text);
  free(why);
}

/* -------- running -------- */

static void fill(Suite *s, Grad *g) {
  Random random = {s->seed};
  for (const char *p = g->c.entry; *p; p++) random.state = random.state * 31 + (unsigned char)*p;
  for (int i = 0; i < g->c.nin; i++) tensor_fill(&g->c.in[i], &random, false);
}

/* Outputs that are NULL are not asked for. */
static bool run(Suite *s, dtgc_program *p, Grad *g, double *sum, Tensor *d) {
  dtgc_buffer in[MOST_INPUTS], out[MOST_INPUTS + 1];
  char name[MOST_INPUTS][16];
  int64_t step = 3;
  int nout = 0;
  for (int i = 0; i < g->c.nin; i++)
    in[i] = (dtgc_buffer){g->c.in[i].name, g->c.in[i].data, g->c.in[i].bytes};
  if (sum) out[nout++] = (dtgc_buffer){"s", sum, sizeof *sum};
  for (int k = 0; d && k < g->ndiff; k++) {
    snprintf(name[k], sizeof name[k], "d%d", k);
    out[nout++] = (dtgc_buffer){name[k], d[k].data, d[k].bytes};
  }
  bool set = dtgc_find_var(p, "random.step") < 0 || !dtgc_set(p, "random.step", &step, sizeof step);
  if (set && !dtgc_run(p, g->c.entry, in, g->c.nin, out, nout)) return true;
  fprintf(stderr, "%s does not run: %s\n", g->c.entry, dtgc_error(p));
  s->failed++;
  return false;
}

static void make_out(const Grad *g, Tensor *d) {
  for (int k = 0; k < g->ndiff; k++) {
    d[k] = g->c.in[g->diff[k]];
    tensor_size(&d[k]);
  }
}

static dtgc_program *compile_all(Suite *s, const char *mesh) {
  char *model, *layouts, *why;
  size_t n;
  FILE *f = open_memstream(&model, &n), *g = open_memstream(&layouts, &n);
  if (!f || !g) abort();
  for (int i = 0; i < s->n; i++) {
    write_entry(&s->at[i], f);
    if (mesh) fputs(s->at[i].layouts, g);
  }
  fclose(f);
  fclose(g);
  dtgc_program *p = kit_compile(model, layouts, mesh, &why);
  if (!p || dtgc_start(p)) {
    fprintf(stderr, "mesh %s: %s\n", mesh ? mesh : "none", p ? dtgc_error(p) : why);
    s->failed++;
    dtgc_free(p);
    p = NULL;
  }
  free(model);
  free(layouts);
  free(why);
  return p;
}

/* -------- checking -------- */

static void report(Suite *s, const char *mesh, const Grad *g, int k, int64_t at, double got,
                   double want, const char *of) {
  if (s->failed++ >= 40) return;
  char *text = text_of(g);
  fprintf(stderr, "# d%d[%ld] is %.12g, %s %.12g\n", k, (long)at, got, of, want);
  if (mesh) fprintf(stderr, "mesh [%s]\n%s", mesh, g->layouts);
  fprintf(stderr, "%s\n", text);
  free(text);
}

static void check_slopes(Suite *s, dtgc_program *p, Grad *g) {
  fill(s, g);
  make_out(g, g->out);
  if (!run(s, p, g, NULL, g->out)) return;
  for (int k = 0; k < g->ndiff; k++) {
    Tensor *x = &g->c.in[g->diff[k]];
    bool told = false;
    for (int64_t i = 0; i < x->count; i++) {
      double was = tensor_at(x, i), up = 0, down = 0, have = tensor_at(&g->out[k], i);
      tensor_put(x, i, was + STEP);
      bool ok = run(s, p, g, &up, NULL);
      tensor_put(x, i, was - STEP);
      ok = ok && run(s, p, g, &down, NULL);
      tensor_put(x, i, was);
      double slope = (up - down) / (2 * STEP);
      s->checked++;
      if (ok && !told && !(fabs(slope - have) <= TOLERANCE * (1 + fabs(slope)))) {
        report(s, NULL, g, k, i, have, slope, "the slope");
        told = true;
      }
    }
  }
}

static void deal_layouts(Grad *g, Random *random, int naxes) {
  char one[80], name[24];
  int at = 0;
  g->layouts[0] = 0;
  for (int i = 0; i < g->c.nin + g->ndiff; i++) {
    const Tensor *t = i < g->c.nin ? &g->c.in[i] : &g->out[i - g->c.nin];
    if (random_below(random, 4) == 0) continue; /* left to inference */
    snprintf(name, sizeof name, "d%d", i - g->c.nin);
    layout_random(random, naxes, t->rank, one, sizeof one);
    at += snprintf(g->layouts + at, sizeof g->layouts - (size_t)at, "layout %s.%s = %s\n",
                   g->c.entry, i < g->c.nin ? t->name : name, one);
  }
}

static void check_layouts(Suite *s, const Grid *grid, Random *random) {
  for (int i = 0; i < s->n; i++) deal_layouts(&s->at[i], random, grid->naxes);
  dtgc_program *p = compile_all(s, grid->mesh);
  for (int i = 0; p && i < s->n; i++) {
    Grad *g = &s->at[i];
    Tensor d[MOST_INPUTS];
    make_out(g, d);
    if (run(s, p, g, NULL, d))
      for (int k = 0; k < g->ndiff; k++) {
        /* What rounding leaves of a sum is measured by its terms, not by what is left of them. */
        double most = 0;
        for (int64_t j = 0; j < g->out[k].count; j++)
          most = fmax(most, fabs(tensor_at(&g->out[k], j)));
        int64_t at = tensor_differs(&g->out[k], &d[k], TERMS * (1 + most));
        s->checked++;
        if (at >= 0)
          report(s, grid->mesh, g, k, at, tensor_at(&d[k], at), tensor_at(&g->out[k], at),
                 "on one device");
      }
    for (int k = 0; k < g->ndiff; k++) tensor_free(&d[k]);
  }
  dtgc_free(p);
}

int main(int argc, char **argv) {
  Suite s = {.seed = 1, .order = 1};
  int layouts = 1;
  bool all = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--layouts"))
      layouts = atoi(argv[i + 1]);
    else if (!strcmp(argv[i], "--seed"))
      s.seed = strtoull(argv[i + 1], NULL, 10);
    else if (!strcmp(argv[i], "--order"))
      s.order = atoi(argv[i + 1]);
    else if (!strcmp(argv[i], "--meshes"))
      all = !strcmp(argv[i + 1], "all");
    else if (!strcmp(argv[i], "--only"))
      s.only = argv[i + 1];
  }
  s.failed += examples_each(collect_one, &s);
  dtgc_program *p = compile_all(&s, NULL);
  for (int i = 0; p && i < s.n; i++) check_slopes(&s, p, &s.at[i]);
  Random random = {s.seed};
  for (int k = 0; p && k < layouts; k++)
    for (int g = 1; grids[g].mesh; g++)
      if (all || g == 3 || g == 5) check_layouts(&s, &grids[g], &random);
  dtgc_free(p);
  printf("%d cases, %ld values checked, %ld failures\n", s.n, s.checked, s.failed);
  return s.failed || !s.checked;
}
