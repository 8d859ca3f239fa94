/* Chains of up to DEPTH shifts, pads, slices, rolls, joins, gathers, reshapes, transposes, running
 * sums and reductions, forward and with gradient: a compiler that computes a value once for each
 * place that reads it would take longer than anybody waits.
 *
 *   chains SEED COUNT [print]
 *
 * Each compiles within SECONDS of the CPU's time; the C that is emitted for it is at most twice
 * that of the same program with every value stored (--disable=inline), and computes the same bits.
 * That what is executed is bounded too the compiler asserts by itself
 * (passes/schedule/verify_work.c). */
#include "dtrt.h"
#include "kit.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH = 200, TEXT = 1 << 16 };
static const double SECONDS = 2; /* of CPU; 1.4 for the longest with gradient */

typedef struct Chain {
  Random random;
  char text[TEXT];
  size_t n;
  int rows, columns;
  bool gradient, print;
} Chain;

static void put(Chain *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Chain *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  c->n += (size_t)vsnprintf(c->text + c->n, TEXT - c->n, fmt, ap);
  va_end(ap);
}

/* One op more: v is another f64[rows, columns], of about the same size. */
static void put_op(Chain *c) {
  int axis = random_below(&c->random, 2), n = axis ? c->columns : c->rows;
  int k = 1 + random_below(&c->random, n - 1);
  const char *before = axis ? ":, " : "";
  switch (random_below(&c->random, 14)) {
  case 0: put(c, "  v = v + 0.1 * (roll(v, %d, axis=%d) - v)\n", k, axis); break;
  case 1:
    put(c, "  v = 0.4 * (roll(v, 1, axis=%d) + roll(v, -%d, axis=%d) - 0.5 * v)\n", axis, k, axis);
    break;
  case 2:
    put(c, "  p = pad(v, [%d, %d], [%d, %d])\n", !axis, axis, !axis, axis);
    put(c, "  v = 0.3 * (p[%s2:] - p[%s:-2]) + 0.5 * v\n", before, before);
    break;
  case 3:
    put(c, "  v = max(v, pad(v[%s:-%d], [%d, %d], [0, 0], value=-1))\n", before, k, axis ? 0 : k,
        axis ? k : 0);
    break;
  case 4:
    put(c, "  v = concat([v[%s%d:], 0.5 * v[%s:%d]], axis=%d)\n", before, k, before, k, axis);
    break;
  case 5:
    put(c, "  v = 0.6 * take(v, (iota([%d]) * %d + 1) %% %d, axis=%d) + 0.3 * v\n", n, k, n, axis);
    break;
  case 6:
    put(c, "  v = 0.9 * take_along_axis(v, (iota([%d, %d], axis=%d) + %d) %% %d, axis=%d)\n",
        c->rows, c->columns, axis, k, n, axis);
    break;
  case 7: put(c, "  v = transpose(reshape(v, [%d, %d]))\n", c->columns, c->rows); break;
  case 8: put(c, "  v = reshape(transpose(v), [%d, %d])\n", c->rows, c->columns); break;
  case 9:
    put(c, "  v = v + 0.1 * (roll(roll(v, 1, axis=0), %d, axis=1) - tanh(v))\n",
        1 + random_below(&c->random, c->columns - 1));
    break;
  case 10: put(c, "  v = 0.2 * cumsum(v, axis=%d) - 0.1 * v\n", axis); break;
  case 11: put(c, "  v = v - mean(v, axis=%d, keepdims=true)\n", axis); break;
  case 12: put(c, "  v = v / (1 + max(abs(v), axis=%d, keepdims=true))\n", axis); break;
  case 13:
    put(c, "  v = where(iota([%d, %d], axis=%d) < %d, v, 0.7 * v[%s::-1])\n", c->rows, c->columns,
        axis, k, before);
    break;
  }
}

static void put_chain(Chain *c) {
  int depth = 1 + random_below(&c->random, DEPTH);
  bool full = random_below(&c->random, 3) == 0;
  c->rows = 3 + random_below(&c->random, 6), c->columns = 3 + random_below(&c->random, 6);
  c->gradient = random_below(&c->random, 2);
  c->n = 0;
  put(c, "entry f(x: f64[%d, %d]) {\n  v = x\n", c->rows, c->columns);
  for (int i = 0; i < (full ? DEPTH : depth); i++) put_op(c);
  put(c, "  return v%s\n}\n", c->gradient ? ", g = grad(sum(v * v), x)" : "");
}

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The loops alone: what is around them is in both. */
static size_t size_of_code(dtgc_program *p) {
  char *text = NULL;
  size_t sum = 0;
  if (dtgc_dump(p, "c", &text)) return 0;
  for (const char *at = text; (at = strstr(at, "\nDTRT_LOOP "));) {
    const char *end = strstr(++at, "\n}\n");
    sum += (size_t)(end - at);
  }
  dtgc_free_text(text);
  return sum;
}

typedef struct Made {
  double seconds;
  size_t code;
  Tensor v, g;
  bool ok;
} Made;

static Made make(Chain *c, const char *disable) {
  Made m = {0};
  char *why = NULL;
  double start = cpu();
  dtgc_program *p = kit_compile_without(disable, c->text, NULL, NULL, &why);
  const dtrt_program *code;
  if (p && dtgc_load(p, &code)) why = strdup(dtgc_error(p));
  m.seconds = cpu() - start;
  if (!p || why) {
    fprintf(stderr, "# does not compile: %s\n", why ? why : "?");
    free(why);
    return m;
  }
  m.code = size_of_code(p);
  Tensor x = {.dtype = DTGC_F64, .rank = 2, .dim = {c->rows, c->columns}};
  Random values = {c->rows * 1000 + c->columns};
  m.v = m.g = x;
  tensor_size(&x), tensor_size(&m.v), tensor_size(&m.g);
  for (int64_t i = 0; i < x.count; i++) tensor_put(&x, i, 2 * random_real(&values) - 1);
  dtgc_buffer in = {"x", x.data, x.bytes},
              out[] = {{"v", m.v.data, m.v.bytes}, {"g", m.g.data, m.g.bytes}};
  m.ok = dtgc_run(p, "f", &in, 1, out, c->gradient ? 2 : 1) == DTGC_OK;
  if (!m.ok) fprintf(stderr, "# does not run: %s\n", dtgc_error(p));
  tensor_free(&x);
  dtgc_free(p);
  return m;
}

static bool try(Chain *c, uint64_t seed) {
  c->random.state = seed * 0x9e3779b97f4a7c15ull + 1;
  put_chain(c);
  if (c->print) fputs(c->text, stdout);
  Made some = make(c, NULL), all = make(c, "inline");
  bool slow = some.seconds > SECONDS, large = some.code > 2 * all.code,
       differs = tensor_differs(&some.v, &all.v, 0) >= 0 || tensor_differs(&some.g, &all.g, 0) >= 0;
  bool ok = some.ok && all.ok && !slow && !large && !differs;
  if (!ok || c->print)
    printf("%s chain %lu%s: %.2f s of CPU, %zu bytes of loops for %zu%s\n", ok ? "ok" : "FAIL",
           (unsigned long)seed, c->gradient ? " with gradient" : "", some.seconds, some.code,
           all.code, differs ? ", other values" : "");
  tensor_free(&some.v), tensor_free(&some.g), tensor_free(&all.v), tensor_free(&all.g);
  return ok;
}

int main(int argc, char **argv) {
  static Chain c;
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  int count = argc > 2 ? atoi(argv[2]) : 5, failed = 0;
  c.print = argc > 3;
  setenv("DTGC_CACHE", "off", 1);
  for (int i = 0; i < count; i++) failed += !try(&c, seed + (uint64_t)i);
  printf("%d chains of up to %d ops, %d failed\n", count, DEPTH, failed);
  return failed != 0;
}
