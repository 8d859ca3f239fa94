/* The definitions of ops: each is whole, and its properties agree with what it makes of
 * numbers. Passes and emitters use these properties alone, so that a wrong one is a wrong program.
 */
#include "op_list.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failed;
static const OpDef *op;

static void expect(bool holds, const char *what) {
  if (holds) return;
  printf("%s: %s\n", op->name, what);
  failed++;
}

static bool has(uint32_t flag) { return op->flags & flag; }

static void whole(void) {
  if (op->class == OPC_CALL && !has(OPF_GRAD)) {
    expect(op->call && op->params, "a composite needs a call");
    return;
  }
  expect(op->infer && op->rule, "a primitive needs infer and rule");
  expect(op->grad || op->no_grad, "it says neither a gradient nor why there is none");
  expect((op->class == OPC_ELEMENT) == has(OPF_ELEMENTWISE), "elementwise, or not");
  expect(op->class != OPC_ELEMENT || op->c || !strcmp(op->name, "cast"), "it has no C");
  expect(op->class != OPC_MOVE || op->lower, "it moves elements and does not say where");
  expect(!has(OPF_ONE_TO_ONE | OPF_REPEATS | OPF_SHIFTS) || has(OPF_MOVES), "it moves elements");
  expect(!has(OPF_SUMS) || op->rounding > 0, "what sums rounds");
  expect(!op->in_memory || op->by_index, "only what is read at given indices must be in memory");
  expect(op->class != OPC_CONVOLUTION || has(OPF_PRODUCT), "a convolution is a product");
  expect(!op->params || op_find(op->name) == op, "it cannot be found by its name");
}

static void attributes(void) {
  bool ended = false;
  for (int i = 0; i < MAX_ATTRS; i++) {
    ended = ended || !op->attr[i].kind;
    expect(!ended == (op->attr[i].name != NULL), "an attribute without a name, or after the last");
    for (int k = 0; k < i && !ended; k++)
      expect(strcmp(op->attr[i].name, op->attr[k].name), "two attributes have one name");
  }
}

static void operators(void) {
  if (!op->sign) return;
  const bool unary = op->numbers == 1;
  expect(op->binds != BINDS_NONE, "an operator binds");
  expect(op_operator(op->sign, unary ? 1 : 2) == op, "another operator is written so");
}

/* -------- against folding -------- */

static Scalar real(double x) { return (Scalar){.kind = NUM_REAL, .real = x}; }
static Scalar whole_number(int64_t i) { return (Scalar){.kind = NUM_INT, .i = i}; }
static Scalar truth(bool x) { return (Scalar){.kind = NUM_BOOL, .i = x}; }

/* NaN where the result is not finite. */
static Scalar folded(Scalar a, Scalar b) {
  Scalar r = {0}, x[2] = {a, b};
  const Folded how = op_fold(op, x, op->numbers, &r);
  expect(how == FOLDED || how == FOLD_NOT_FINITE, "it does not fold");
  return how == FOLDED ? r : real(NAN);
}
static double of(double a, double b) {
  const Scalar r = folded(real(a), real(b));
  return number_real(&r);
}

static bool same(double x, double y) { return fabs(x - y) <= 1e-12 * fmax(fabs(x), 1); }

static void comparisons(void) {
  const double a[] = {1, 2, 3};
  for (int i = 0; i < 3 && op->compares; i++)
    expect(folded(real(a[i]), real(2)).i == (op->compares >> i & 1), "it compares otherwise");
  for (int i = 0; i < 4 && op->logic; i++) {
    const bool x = i & 1, y = i & 2,
               want = op->logic == '&'   ? x && y
                      : op->logic == '|' ? x || y
                                         : !x;
    expect(folded(truth(x), truth(y)).i == want, "its truth values are others");
  }
}

static void arithmetic(void) {
  static const double at[] = {-2.5, -1, 0.5, 3, 7};
  if (op->class != OPC_ELEMENT || !op->fold || op->compares || op->logic || op->numbers > 2) return;
  const Scalar ones[] = {real(1), real(1)}, wholes[] = {whole_number(1), whole_number(1)};
  Scalar r;
  if (op_fold(op, ones, op->numbers, &r) == FOLD_NONE) { /* bits: of integers alone */
    expect(op_fold(op, wholes, op->numbers, &r) == FOLDED, "it folds nothing");
    expect(!op->linear && !op->linear_jointly && !op->index[0], "more than its folds show");
    return;
  }
  for (int i = 0; i < 25; i++) {
    const double x = at[i % 5], y = at[i / 5];
    if (op->linear & 1) expect(same(of(2 * x, y), 2 * of(x, y)), "not linear in its operand 0");
    if (op->linear & 2) expect(same(of(x, 2 * y), 2 * of(x, y)), "not linear in its operand 1");
    if (op->linear_jointly) expect(same(of(2 * x, 2 * y), 2 * of(x, y)), "not linear in both");
    if (op->index[0] && op->numbers)
      expect(same(of(x, y), op->index[0] * x + op->index[1] * y), "another function of indices");
    if (op->passes && op->numbers == 1) expect(of(x, y) == x, "it does not pass its operand on");
    if (has(OPF_EXTREME)) expect(of(x, y) == x || of(x, y) == y, "it is neither operand");
    if (!op->linear && op->numbers == 2 && of(0, 3) == 0 && of(4, 3) == 2 * of(2, 3) &&
        of(6, 3) == 3 * of(2, 3) && of(-2, 3) == -of(2, 3))
      expect(false, "linear in its operand 0, which it does not say");
  }
  expect(op->vanishes ==
             (of(-1000, 1) == 0 && of(-900, 1) == 0 && of(0, 1) != 0 && op->numbers == 1),
         "0 for numbers far below 0, or not");
}

int main(void) {
  int n = 0;
  while ((op = op_at(n))) {
    whole();
    attributes();
    operators();
    comparisons();
    arithmetic();
    n++;
  }
  printf("%d ops, %d failed\n", n, failed);
  return failed != 0 || n < 50;
}
