/* Every op on one device against values that values.py worked out without dtg. Ops whose values are
 * random have no rows; every other op of the roll that has an example must have one. */
#include "examples.h"
#include "kit.h"
#include "op_list.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Expected {
  const char *op, *example;
  int rank;
  int64_t dim[4];
  int count;
  double value[128];
} Expected;

#include "values.h"

static int failures;

/* The formulas of values.py. */
static double element(const Tensor *t, int64_t k, int64_t i) {
  int64_t n = (i * 7 + k * 3) % 11;
  if (t->positive) return 0.5 + (double)n / 4;
  if (t->dtype == DTGC_BOOL) return (double)((i * 3 + i / 2 + k) % 2);
  if (t->below) return (double)((i * 5 + k) % t->below);
  return t->dtype == DTGC_I32 ? (double)(n - 4) : (double)(n - 4) / 2;
}

static void compare(const Expected *e, const dtgc_tensor *t, const Tensor *out) {
  bool shape = t->rank == e->rank && t->count == e->count;
  for (int d = 0; shape && d < e->rank; d++) shape = t->shape[d] == e->dim[d];
  if (!shape) {
    fprintf(stderr, "%s: the result has another shape\n", e->example);
    failures++;
    return;
  }
  for (int i = 0; i < e->count; i++) {
    double got = tensor_at(out, i), want = e->value[i];
    if (fabs(got - want) <= 1e-13 * (1 + fabs(want))) continue;
    fprintf(stderr, "%s: element %d is %.17g, not %.17g\n", e->example, i, got, want);
    failures++;
    return;
  }
}

enum { ROWS = sizeof expected / sizeof *expected - 1 };

static void prepare(Case *c, int row, FILE *model) {
  *c = (Case){.op = expected[row].op};
  snprintf(c->entry, sizeof c->entry, "row%d", row);
  if (!case_parse(c, expected[row].example)) abort();
  case_write(c, model);
  for (int k = 0; k < c->nin; k++)
    for (int64_t i = 0; i < c->in[k].count; i++) tensor_put(&c->in[k], i, element(&c->in[k], k, i));
}

static void check(dtgc_program *p, const Expected *e, Case *c) {
  dtgc_tensor t;
  dtgc_buffer in[MOST_INPUTS];
  if (dtgc_output(p, c->entry, 0, &t)) abort();
  Tensor out = {.dtype = t.dtype, .rank = t.rank};
  memcpy(out.dim, t.shape, sizeof *t.shape * (size_t)t.rank);
  tensor_size(&out);
  for (int k = 0; k < c->nin; k++)
    in[k] = (dtgc_buffer){c->in[k].name, c->in[k].data, c->in[k].bytes};
  if (dtgc_run(p, c->entry, in, c->nin, &(dtgc_buffer){"r", out.data, out.bytes}, 1)) {
    fprintf(stderr, "%s: %s\n", e->example, dtgc_error(p));
    failures++;
  } else {
    compare(e, &t, &out);
  }
  tensor_free(&out);
}

static void has_row(void *user, const char *name, const char *op, const char *example) {
  static const char *const random[] = {"uniform", "normal",         "bernoulli",
                                       "dropout", "categorical",    "permutation",
                                       "randint", "normal_between", "gamma"};
  (void)user, (void)name;
  for (size_t i = 0; i < sizeof random / sizeof *random; i++)
    if (!strcmp(op, random[i])) return;
  /* The reductions max and min are called by the names of the pairwise ones. */
  if (!strncmp(op, "reduce_m", 8)) op += 7;
  for (const Expected *e = expected; e->op; e++)
    if (!strcmp(e->op, op)) return;
  fprintf(stderr, "values.py has no row for %s: %s\n", op, example);
  failures++;
}

/* A call of a name that dtg does not have is answered by its advice: `var(x)` was taken for the
 * keyword of another language. */
static void check_answer(const Concept *k) {
  char text[200], *why = NULL;
  snprintf(text, sizeof text, "entry f(x: f32[4]) { return r = %s(x) }\n", k->name);
  dtgc_program *p = kit_compile(text, NULL, NULL, &why);
  if (p || (!strstr(why, "writ") && !strstr(why, "the types are"))) {
    fprintf(stderr, "%s(x) is answered by: %s\n", k->name, p ? "nothing" : why);
    failures++;
  }
  dtgc_free(p);
  free(why);
}

/* What is advised for names that dtg does not have must compile, and give what it stands for: a
 * tensor. And the name must not be one that dtg has. */
static void check_concepts(void) {
  const Concept *k;
  char *model = NULL, *why = NULL;
  size_t n;
  FILE *f = open_memstream(&model, &n);
  if (!f) abort();
  for (int i = 0; (k = op_concept_at(i)); i++) {
    Case c = {.op = k->name};
    snprintf(c.entry, sizeof c.entry, "concept%d", i);
    if (!case_parse(&c, k->example)) abort();
    case_write(&c, f);
    case_free(&c);
    check_answer(k);
    if (op_find(k->name)) {
      fprintf(stderr, "%s is an op: no advice is needed\n", k->name);
      failures++;
    }
  }
  fclose(f);
  dtgc_program *p = kit_compile(model, NULL, NULL, &why);
  if (!p) fprintf(stderr, "%s", why), failures++;
  dtgc_free(p);
  free(model);
  free(why);
}

int main(void) {
  static Case c[ROWS];
  char *model = NULL, *why = NULL;
  size_t n;
  FILE *f = open_memstream(&model, &n);
  if (!f) abort();
  examples_each(has_row, NULL);
  check_concepts();
  for (int i = 0; i < ROWS; i++) prepare(&c[i], i, f);
  fclose(f);
  dtgc_program *p = kit_compile(model, NULL, NULL, &why);
  if (!p) fprintf(stderr, "%s", why), failures++;
  for (int i = 0; i < ROWS; i++) {
    if (p) check(p, &expected[i], &c[i]);
    case_free(&c[i]);
  }
  dtgc_free(p);
  free(model);
  free(why);
  printf("%d rows, %d failures\n", ROWS, failures);
  return failures != 0;
}
