/* What each op makes of numbers while compiling against what it makes of tensors of them when run:
 * every op that has a `fold`, on all tuples of the values below, as f64, i64 and bool. Then the
 * same through the language: OP(2, 0.5) written out. Results must be the same to the bit, but that
 * results too small to be normal are zeros when run. */
#include "kit.h"
#include "op_list.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double reals[] = {
    0.0,    -0.0,   0.1,     -0.1,   0.5,       -0.5,     0.7,       1.0,   -1.0,
    1.5,    -1.5,   2.0,     2.5,    -2.5,      3.0,      -3.0,      3.25,  10.0,
    -10.0,  0.001,  1e-3,    100.25, 709.9,     -745.5,   1e16,      -1e16, 1e22,
    4.5e15, 9.3e18, -9.3e18, 1e100,  -1e100,    1e308,    -1.7e308,  1e-16, 1e-200,
    3e-308, 4e-310, -4e-310, 5e-324, 0.1 + 0.2, INFINITY, -INFINITY, NAN};
static const int64_t ints[] = {0,
                               1,
                               -1,
                               2,
                               -2,
                               3,
                               -3,
                               7,
                               -7,
                               10,
                               -10,
                               63,
                               64,
                               1000,
                               2147483647,
                               -2147483648,
                               4294967297,
                               3037000500,
                               9007199254740993,
                               INT64_MAX,
                               INT64_MIN,
                               INT64_MIN + 1};
enum { REALS = sizeof reals / sizeof *reals, INTS = sizeof ints / sizeof *ints };

static long checked;
static int failures;

typedef struct Tuples {
  const OpDef *op;
  int args, n;
  ScalarKind kind[MOST_NUMBERS];
  Scalar (*at)[MOST_NUMBERS];
} Tuples;

static int values_of(ScalarKind k) { return k == NUM_REAL ? REALS : k == NUM_INT ? INTS : 2; }
static Scalar value(ScalarKind k, int i) {
  return k == NUM_REAL  ? (Scalar){.kind = k, .real = reals[i]}
         : k == NUM_INT ? (Scalar){.kind = k, .i = ints[i]}
                        : (Scalar){.kind = k, .i = i};
}

static void all_tuples(Tuples *t) {
  t->n = 1;
  for (int k = 0; k < t->args; k++) t->n *= values_of(t->kind[k]);
  t->at = calloc((size_t)t->n, sizeof *t->at);
  if (!t->at) abort();
  for (int i = 0; i < t->n; i++)
    for (int k = 0, rest = i; k < t->args; k++) {
      t->at[i][k] = value(t->kind[k], rest % values_of(t->kind[k]));
      rest /= values_of(t->kind[k]);
    }
}

/* -------- on tensors -------- */

static void call_text(FILE *f, const OpDef *op, int args, char (*arg)[40]) {
  if (!strcmp(op->name, "and") || !strcmp(op->name, "or"))
    fprintf(f, "%s %s %s", arg[0], op->name, arg[1]);
  else if (!strcmp(op->name, "not"))
    fprintf(f, "not %s", arg[0]);
  else
    for (int k = 0; k < args; k++) fprintf(f, "%s%s%s", k ? ", " : op->name, k ? "" : "(", arg[k]);
  if (args && strcmp(op->name, "and") && strcmp(op->name, "or") && strcmp(op->name, "not"))
    fputs(")", f);
}

/* Elements of the op on tensors: numbers as `type`. NULL: it does not take those. */
static Tensor *on_tensors(const Tuples *t, const char *type) {
  static const char name[] = "xyz", *const names[] = {"x", "y", "z"};
  static Tensor in[MOST_NUMBERS], out;
  char *text, *why, arg[MOST_NUMBERS][40];
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (!f) abort();
  fprintf(f, "entry f(");
  for (int k = 0; k < t->args; k++) {
    const char *of = t->kind[k] == NUM_BOOL ? "bool" : type;
    fprintf(f, "%s%c: %s[%d]", k ? ", " : "", name[k], of, t->n);
    snprintf(arg[k], sizeof arg[k], "%c", name[k]);
  }
  fprintf(f, ") { return r = ");
  call_text(f, t->op, t->args, arg);
  fprintf(f, " }\n");
  fclose(f);
  dtgc_program *p = kit_compile(text, NULL, NULL, &why);
  free(text);
  dtgc_tensor r;
  if (!p) {
    free(why);
    return NULL;
  }
  dtgc_buffer buffer[MOST_NUMBERS];
  for (int k = 0; k < t->args; k++) {
    bool ok;
    const char *of = t->kind[k] == NUM_BOOL ? "bool" : type;
    in[k] = (Tensor){.dtype = dtype_named(of, strlen(of), &ok), .rank = 1, .dim = {t->n}};
    tensor_size(&in[k]);
    for (int i = 0; i < t->n; i++)
      if (in[k].dtype == DTGC_I64)
        ((int64_t *)in[k].data)[i] = t->at[i][k].i;
      else
        tensor_put(&in[k], i, number_real(&t->at[i][k]));
    buffer[k] = (dtgc_buffer){names[k], in[k].data, in[k].bytes};
  }
  if (dtgc_output(p, "f", 0, &r)) abort();
  out = (Tensor){.dtype = r.dtype, .rank = 1, .dim = {t->n}};
  tensor_size(&out);
  dtgc_buffer o = {"r", out.data, out.bytes};
  if (dtgc_run(p, "f", buffer, t->args, &o, 1)) {
    fprintf(stderr, "%s: %s\n", t->op->name, dtgc_error(p));
    exit(1);
  }
  dtgc_free(p);
  for (int k = 0; k < t->args; k++) tensor_free(&in[k]);
  Tensor *copy = malloc(sizeof out);
  if (!copy) abort();
  *copy = out;
  return copy;
}

/* -------- comparing -------- */

static void report(const Tuples *t, int i, const char *what, double got, double want) {
  if (failures++ >= 20) return;
  fprintf(stderr, "%s(", t->op->name);
  for (int k = 0; k < t->args; k++)
    fprintf(stderr, "%s%.17g", k ? ", " : "", number_real(&t->at[i][k]));
  fprintf(stderr, "): %s: folded %.17g, run %.17g\n", what, got, want);
}

/* Which of two zeros these give is not promised. */
static bool zero_of_any_sign(const OpDef *op) {
  return !strcmp(op->name, "min") || !strcmp(op->name, "max") || !strcmp(op->name, "clamp");
}

static bool same(double folded, double run) {
  if (isnan(folded) || isnan(run)) return isnan(folded) && isnan(run);
  if (fabs(folded) < DBL_MIN && run == 0) return true;
  return folded == run;
}

static bool sign_differs(const Tuples *t, const Scalar *folded, double run) {
  return folded->kind == NUM_REAL && !zero_of_any_sign(t->op) && !isnan(run) &&
         signbit(folded->real) != signbit(run);
}

static void compare(const Tuples *t, int i, const Tensor *real, const Tensor *whole) {
  Scalar r;
  bool ints_only = t->kind[t->args - 1] == NUM_INT;
  double run = real ? tensor_at(real, i) : whole ? tensor_at(whole, i) : NAN;
  checked++;
  switch (op_fold(t->op, t->at[i], t->args, &r)) {
  case FOLDED:
    if (ints_only && r.kind == NUM_INT && whole && whole->dtype == DTGC_I64) {
      if (((int64_t *)whole->data)[i] != r.i)
        report(t, i, "integers", (double)r.i, (double)((int64_t *)whole->data)[i]);
    } else if (ints_only && r.kind == NUM_BOOL && whole) {
      if (tensor_at(whole, i) != (double)r.i)
        report(t, i, "truth", (double)r.i, tensor_at(whole, i));
    } else if (ints_only && r.kind == NUM_INT) { /* a quotient that is exact, not rounded to f64 */
      if (fabs(number_real(&r) - run) > DBL_EPSILON * fabs(run))
        report(t, i, "integer", number_real(&r), run);
    } else if (!same(number_real(&r), run) || sign_differs(t, &r, run)) {
      report(t, i, "value", number_real(&r), run);
    }
    return;
  case FOLD_NONE: report(t, i, "nothing was folded", NAN, run); return;
  case FOLD_BY_ZERO:
    if (number_real(&t->at[i][1]) != 0) report(t, i, "no division by zero", NAN, run);
    return;
  case FOLD_TOO_LARGE:
    if (!ints_only || fabs(run) < 0x1p63) report(t, i, "it fits in 64 bits", NAN, run);
    return;
  case FOLD_NOT_FINITE:
    if (isfinite(run)) report(t, i, "it is finite", NAN, run);
    return;
  }
}

static bool folds(const Tuples *t) {
  Scalar r;
  for (int i = 0; i < t->n; i++)
    if (op_fold(t->op, t->at[i], t->args, &r) != FOLD_NONE) return true;
  return false;
}

static bool check_kinds(const OpDef *op, int args, const ScalarKind *kind) {
  Tuples t = {.op = op, .args = args};
  for (int k = 0; k < args; k++) t.kind[k] = kind[k];
  if (args == 3 && kind[0] == NUM_REAL) t.args = args = 2; /* clamp: a lower bound is enough */
  all_tuples(&t);
  bool any = folds(&t);
  if (any) {
    bool ints_only = kind[args - 1] == NUM_INT;
    Tensor *whole = ints_only ? on_tensors(&t, "i64") : NULL, *real = on_tensors(&t, "f64");
    for (int i = 0; i < t.n; i++) compare(&t, i, real, whole);
    if (!whole && !real) failures++, fprintf(stderr, "no tensors for %s\n", op->name);
    if (whole) tensor_free(whole);
    if (real) tensor_free(real);
    free(whole);
    free(real);
  }
  free(t.at);
  return any;
}

/* -------- through the language -------- */

static void put_literal(char *out, size_t n, const Scalar *x) {
  if (x->kind == NUM_BOOL)
    snprintf(out, n, "%s", x->i ? "true" : "false");
  else if (x->kind == NUM_INT)
    snprintf(out, n, "%ld", (long)x->i);
  else
    snprintf(out, n, strpbrk((snprintf(out, n, "%.17g", x->real), out), ".e") ? "%.17g" : "%.1f",
             x->real);
}

/* The tuples that fold, written out as one list; the language must find the same numbers. */
static void check_language(const OpDef *op, int args, const ScalarKind *kind) {
  Tuples t = {.op = op, .args = args};
  for (int k = 0; k < args; k++) t.kind[k] = kind[k];
  all_tuples(&t);
  double *want = calloc((size_t)t.n, sizeof *want), *got;
  char *text, *why, arg[MOST_NUMBERS][40];
  size_t size;
  int n = 0;
  FILE *f = open_memstream(&text, &size);
  if (!want || !f) abort();
  fprintf(f, "entry f() { return r = stack([");
  for (int i = 0; i < t.n && n < 40; i += 1 + t.n / 97) {
    Scalar r;
    bool finite = true;
    for (int k = 0; k < args; k++) {
      finite = finite && isfinite(number_real(&t.at[i][k]));
      put_literal(arg[k], sizeof arg[k], &t.at[i][k]);
    }
    if (!finite || t.at[i][0].i == INT64_MIN || t.at[i][1].i == INT64_MIN ||
        op_fold(op, t.at[i], args, &r) != FOLDED)
      continue;
    /* A truth value is taken as one by turns, and met by a tensor. */
    const bool meets = r.kind == NUM_BOOL && n % 2;
    fprintf(f, "%s%s", n ? ", " : "",
            meets                ? "f64((iota([1])[0] == 0) == ("
            : r.kind == NUM_BOOL ? "full([], where("
                                 : "full([], ");
    call_text(f, op, args, arg);
    fprintf(f, "%s", meets ? "))" : r.kind == NUM_BOOL ? ", 1, 0), f64)" : ", f64)");
    want[n++] = number_real(&r);
  }
  fprintf(f, "]) }\n");
  fclose(f);
  dtgc_program *p = n ? kit_compile(text, NULL, NULL, &why) : NULL;
  got = calloc((size_t)n + 1, sizeof *got);
  if (!got) abort();
  dtgc_buffer out = {"r", got, sizeof *got * (size_t)n};
  if (n && (!p || dtgc_run(p, "f", NULL, 0, &out, 1))) {
    fprintf(stderr, "%s%s", text, p ? dtgc_error(p) : why);
    failures++;
  }
  for (int i = 0; p && i < n; i++, checked++)
    if (!(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])))) {
      if (failures++ < 20)
        fprintf(stderr, "%s: element %d is %.17g, not %.17g\n%s", op->name, i, got[i], want[i],
                text);
    }
  dtgc_free(p);
  free(got);
  free(want);
  free(text);
  free(t.at);
}

int main(void) {
  static const ScalarKind kinds[][MOST_NUMBERS] = {{NUM_REAL, NUM_REAL, NUM_REAL},
                                                   {NUM_INT, NUM_INT, NUM_INT},
                                                   {NUM_BOOL, NUM_BOOL, NUM_BOOL},
                                                   {NUM_BOOL, NUM_REAL, NUM_REAL},
                                                   {NUM_BOOL, NUM_INT, NUM_INT}};
  const OpDef *op;
  int ops = 0;
  for (int i = 0; (op = op_at(i)); i++) {
    if (!op->fold) continue;
    bool any = false;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      if (k > 2 && op->numbers != 3) continue;
      bool folded = check_kinds(op, op->numbers, kinds[k]);
      if (folded) check_language(op, op->numbers, kinds[k]);
      any = any || folded;
    }
    if (!any) failures++, fprintf(stderr, "%s folds nothing\n", op->name);
    ops++;
  }
  printf("%d ops, %ld values checked, %d failures\n", ops, checked, failures);
  return failures || !checked;
}
