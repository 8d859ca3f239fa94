/* Loops under a limit of memory: what the backward pass requires is recomputed in segments, and
 * outputs, gradients and variables have the same bits. An LSTM, a stack of transformer blocks and
 * others on 1, 2 and 4 devices; random loops on one. What is asked for is kept, in the plan and in
 * the pages that a device takes; a limit that nothing can keep is an error with the least that can,
 * which can.
 *
 *   memory_loops [SEED COUNT]      the programs above; or random ones, from SEED on
 *   memory_loops SEED print        shows one */
#include "kit.h"
#include <stdlib.h>
#include <string.h>

static int failures;

typedef struct Limited {
  const char *name, *text, *mesh, *layouts;
  bool fewer; /* it can do with less than with all kept */
} Limited;

static char heard[8192];
static void hear(void *user, const dtgc_message *m) {
  (void)user;
  const size_t n = strlen(heard);
  snprintf(heard + n, sizeof heard - n, "%s", m->rendered);
}

static void fail(const Limited *c, uint64_t memory, const char *what) {
  fprintf(stderr, "%s on %s, %llu bytes: %s\n%s\n", c->name, c->mesh ? c->mesh : "one device",
          (unsigned long long)memory, what, heard);
  failures++;
}

static dtgc_program *compile_with(const Limited *c, uint64_t memory, const char *const *disable) {
  const dtgc_source source[] = {
      {.name = c->name, .text = c->text, .bytes = strlen(c->text)},
      {.name = "layouts.dtg", .text = c->layouts, .bytes = c->layouts ? strlen(c->layouts) : 0}};
  const dtgc_options o = {.mesh = c->mesh,
                          .memory = memory,
                          .message = hear,
                          .seed = 3,
                          .disable = disable,
                          .ndisables = disable ? 1 : 0};
  dtgc_program *p = NULL;
  heard[0] = 0;
  dtgc_compile(source, c->layouts ? 2 : 1, &o, &p);
  return p;
}

static dtgc_program *compile(const Limited *c, uint64_t memory) {
  return compile_with(c, memory, NULL);
}

/* The outputs of two calls of `f`, then all variables: malloc'ed, *n bytes. NULL: it does not run.
 */
static char *results(dtgc_program *p, size_t *n) {
  enum { CALLS = 2, MOST = 16 };
  dtgc_buffer in[MOST], out[MOST];
  const int nin = dtgc_inputs(p, "f"), nout = dtgc_outputs(p, "f");
  Random random = {11};
  dtgc_tensor t;
  size_t room = 0;
  bool runs = nin <= MOST && nout <= MOST;
  for (int i = 0; i < nout; i++) room += dtgc_output(p, "f", i, &t) ? 0 : CALLS * t.bytes;
  for (int v = 0; v < dtgc_vars(p); v++) room += dtgc_var(p, v, &t) ? 0 : t.bytes;
  char *all = calloc(1, room + 1), *at = all;
  for (int i = 0; i < nin && runs; i++) {
    dtgc_input(p, "f", i, &t);
    in[i] = (dtgc_buffer){t.name, malloc(t.bytes), t.bytes};
    for (int64_t k = 0; k < t.count; k++)
      ((float *)in[i].data)[k] = (float)random_real(&random) - 0.5f;
  }
  for (int call = 0; call < CALLS && runs; call++) {
    for (int i = 0; i < nout; i++) {
      dtgc_output(p, "f", i, &t);
      out[i] = (dtgc_buffer){t.name, at, t.bytes};
      at += t.bytes;
    }
    runs = !dtgc_run(p, "f", in, nin, out, nout);
  }
  for (int v = 0; v < dtgc_vars(p) && runs; v++) {
    dtgc_var(p, v, &t);
    runs = !dtgc_get(p, t.name, at, t.bytes);
    at += t.bytes;
  }
  if (!runs) fprintf(stderr, "%s\n", dtgc_error(p));
  for (int i = 0; i < nin; i++) free(in[i].data);
  *n = room;
  if (runs) return all;
  free(all);
  return NULL;
}

/* Where nothing else fits, what loops carry is laid out as inferred (attempts.c). */
static bool is_as_inferred(const Limited *c, const char *is, size_t n) {
  const char *const disable[] = {"carries"};
  dtgc_program *p = compile_with(c, 0, disable);
  size_t k = 0;
  char *as = c->mesh ? results(p, &k) : NULL;
  const bool same = as && k == n && !memcmp(is, as, n);
  free(as);
  dtgc_free(p);
  return same;
}

/* With a limit that it can keep. Returns the bytes of its plan. */
static uint64_t check_limit(const Limited *c, uint64_t limit, const char *expect, size_t n) {
  dtgc_program *p = compile(c, limit);
  dtgc_memory m = {0}, got = {0};
  size_t k = 0;
  if (dtgc_memory_predicted(p, &m)) {
    fail(c, limit, "does not compile");
    dtgc_free(p);
    return 0;
  }
  if ((uint64_t)(m.variables + m.arena) > limit) fail(c, limit, "takes more than it may");
  char *is = results(p, &k);
  if (!is || k != n || (memcmp(is, expect, n) && !is_as_inferred(c, is, n)))
    fail(c, limit, "gives other bits");
  if (dtgc_memory_measured(p, 0, &got) || got.arena > m.arena) fail(c, limit, "takes more pages");
  free(is);
  dtgc_free(p);
  return (uint64_t)(m.variables + m.arena);
}

/* What the error for a limit that nothing can keep says is the least. */
static uint64_t least_of(const Limited *c, uint64_t limit) {
  dtgc_program *p = compile(c, limit);
  const char *least = strstr(heard, "entry f does not fit");
  const int errors = dtgc_errors(p);
  dtgc_free(p);
  if (least) least = strstr(least, "it requires ");
  if (!errors || !least) fail(c, limit, "is no error");
  return errors && least ? strtoull(least + strlen("it requires "), NULL, 10) : 0;
}

static void check_dumps(const Limited *c, uint64_t limit) {
  dtgc_program *p = compile(c, limit);
  char *text = NULL;
  if (dtgc_dump(p, "memory", &text) || !strstr(text, "; the backward pass recomputes ") ||
      !strstr(text, "bytes less than with all kept"))
    fail(c, limit, "--dump=memory shows no segments");
  dtgc_free_text(text);
  if (dtgc_dump(p, "cost", &text) || !strstr(text, "runs of loops are computed again"))
    fail(c, limit, "--dump=cost does not show what that costs");
  dtgc_free_text(text);
  dtgc_free(p);
}

static void check_case(const Limited *c) {
  static const double shares[] = {0.9, 0.7, 0.5, 0.3};
  dtgc_program *p = compile(c, 0);
  dtgc_memory m = {0};
  size_t n = 0;
  if (dtgc_memory_predicted(p, &m)) {
    fail(c, 0, "does not compile");
    dtgc_free(p);
    return;
  }
  char *expect = results(p, &n);
  dtgc_free(p);
  if (!expect) {
    fail(c, 0, "does not run");
    return;
  }
  const uint64_t all = (uint64_t)(m.variables + m.arena), least = least_of(c, 1);
  uint64_t was = all;
  if (least > all || (c->fewer && least >= all)) fail(c, least, "is no less than with all kept");
  for (int i = 0; i < 4; i++) {
    const uint64_t limit = (uint64_t)m.variables + (uint64_t)((double)m.arena * shares[i]);
    if (limit < least || limit >= was) continue;
    was = check_limit(c, limit, expect, n);
  }
  check_limit(c, least, expect, n);
  if (least > 1 && least_of(c, least - 1) != least) fail(c, least, "is not the least any more");
  if (c->fewer) check_dumps(c, least);
  printf("%s on %s: %llu -> %llu bytes\n", c->name, c->mesh ? c->mesh : "one device",
         (unsigned long long)all, (unsigned long long)least);
  free(expect);
}

/* -------- programs -------- */

static const char lstm[] =
    "param w: f32[16, 64] = normal(stddev=0.2)\nparam u: f32[16, 64] = normal(stddev=0.2)\n"
    "param b: f32[64] = normal(stddev=0.1)\n"
    "entry f(xs: f32[60, 4, 16]) {\n"
    "  h = zeros([4, 16]); c = zeros([4, 16])\n"
    "  scan x in xs {\n"
    "    g = x @ w + h @ u + b\n"
    "    c = sigmoid(g[:, 16:32]) * c + sigmoid(g[:, 0:16]) * tanh(g[:, 48:64])\n"
    "    h = sigmoid(g[:, 32:48]) * tanh(c)\n"
    "    collect ys = h\n  }\n"
    "  loss = sum(ys * ys) + sum(c)\n"
    "  return loss, grad(loss, w), grad(loss, u), grad(loss, b), grad(loss, xs), ys\n}\n";

static const char blocks[] =
    "import \"nn\"\n"
    "layer block() {\n  norm = layer_norm(16); up = dense(16, 64); down = dense(64, 16)\n"
    "  q = dense(16, 16); k = dense(16, 16); v = dense(16, 16)\n"
    "  apply(x) {\n    y = norm(x)\n"
    "    a = softmax(einsum(\"bid,bjd->bij\", q(y), k(y)) / 4, axis=2)\n"
    "    x = x + einsum(\"bij,bjd->bid\", a, v(y))\n"
    "    return x + dropout(down(gelu(up(x))), 0.1)\n  }\n}\n"
    "blocks = stack(24) block()\n"
    "entry f(x: f32[4, 8, 16]) {\n  h = x\n  scan b in blocks { h = b(h) }\n"
    "  loss = sum(h * h)\n"
    "  return loss, grad(loss, x), grad(loss, blocks.up.w), grad(loss, blocks.q.w), "
    "grad(loss, blocks.norm.scale)\n}\n";

/* The number of runs is found while running, and is no multiple of a segment's. */
static const char bounded[] =
    "param w: f32[16, 16] = normal(stddev=0.3)\n"
    "entry f(x: f32[4, 16]) {\n  h = x; k = 0\n"
    "  while sum(h * h) >= 0 and k < 37 most=41 { h = tanh(h @ w) + 0.1 * h; k = k + 1 }\n"
    "  loss = sum(h * h)\n  return loss, grad(loss, w), grad(loss, x), k\n}\n";

/* Loops that end by `break`, rows before and behind the jumps, and another such loop within. */
static const char ended[] =
    "param w: f32[16, 16] = normal(stddev=0.3)\nparam b: f32[9, 16] = normal(stddev=0.3)\n"
    "entry f(xs: f32[40, 4, 16]) {\n  h = zeros([4, 16]); n = 0\n"
    "  scan x in xs reverse {\n    collect before = h * x\n    z = x\n"
    "    scan v in b {\n      z = tanh(z @ w + v)\n      if sum(z) < -1.0 { break }\n"
    "      collect zs = z * h\n    }\n"
    "    if sum(z * x) > 1.0 { h = h * 0.5; continue }\n"
    "    h = tanh(h @ w + z + sum(zs, axis=0))\n    n = n + 1\n    if n == 23 { break }\n"
    "    collect ys = h * h\n  }\n"
    "  loss = sum(ys * ys) + sum(before) + sum(h)\n"
    "  return loss, grad(loss, w), grad(loss, b), grad(loss, xs), ys, n\n}\n";

static const char nested[] =
    "param w: f32[7, 16, 16] = normal(stddev=0.3)\nparam b: f32[16] = normal(stddev=0.3)\n"
    "entry f(xs: f32[23, 4, 16]) {\n  h = zeros([4, 16]); c = zeros([4, 16])\n"
    "  scan x in xs reverse {\n    z = x\n"
    "    scan v in w reverse { z = tanh(z @ v + h) + b; c = c * 0.9 + z }\n"
    "    h = 0.5 * h + z + dropout(z, 0.25)\n    collect ys = cumsum(h * z, axis=1)\n  }\n"
    "  loss = sum(ys * ys) + sum(c * h)\n"
    "  return loss, grad(loss, w), grad(loss, xs), grad(loss, b)\n}\n";

/* Variables that a run reads and assigns, and a branch. */
static const char assigned[] =
    "state seen: i64[] = zeros()\nstate mean: f32[4, 16] = zeros()\n"
    "param w: f32[16, 16] = normal(stddev=0.3)\n"
    "entry f(xs: f32[29, 4, 16]) {\n  h = zeros([4, 16])\n"
    "  scan x in xs {\n    h = tanh(h @ w + x)\n"
    "    if sum(x) > 0 { h = h * h + x; seen <- seen + 1 } else { h = sin(h @ w) }\n"
    "    mean <- mean * 0.5 + h\n    h = h + stop_gradient(mean) * 0.1 + mean * x\n"
    "    assert all(h < 1e30), \"large\"\n    collect ys = h * h\n  }\n"
    "  mean <- mean * 2\n"
    "  loss = sum(ys) + sum(mean)\n  return loss, grad(loss, w), grad(loss, xs)\n}\n";

/* A gradient of a gradient: the first one keeps all. */
static const char second[] =
    "param w: f32[16, 16] = normal(stddev=0.3)\n"
    "entry f(xs: f32[30, 4, 16]) {\n  h = zeros([4, 16])\n"
    "  scan x in xs { h = tanh(h @ w + x) + h * x * 0.1; collect ys = h }\n"
    "  loss = sum(ys * ys)\n  g = grad(loss, w)\n  steep = sum(g * g)\n"
    "  return loss, g, grad(steep, w), grad(steep, xs)\n}\n";

/* What is kept is rounded, and the same is where runs are computed again: a loop in the loop that
 * begins with what was kept, what is made of sums alone, variables, gradients of gradients. */
#define SHORT "precision bf16, master f32\n"
static const char short_nested[] = SHORT
    "entry f(xs: f32[21, 3, 8], n: f32[]) {\n  h = xs[0]\n"
    "  scan x in xs reverse {\n    k = 0\n"
    "    while f32(k) < n + 5 most=6 { k = k + 1; h = tanh(h) }\n"
    "    h = tanh(h)\n  }\n"
    "  loss = sum(h)\n  return loss, grad(loss, xs)\n}\n";

static const char short_sums[] = SHORT
    "entry f(xs: f32[18, 3, 8]) {\n  h = xs[0]; c = zeros([3, 8])\n"
    "  scan x in xs { t = softmax(softmax(h)); h = h + c; c = t * h }\n"
    "  loss = sum(h)\n  return loss, grad(loss, xs)\n}\n";

static const char short_variables[] = SHORT
    "state kept: f32[8] = ones()\n"
    "entry f(xs: f32[29, 3, 8]) {\n  h = xs[0]; c = zeros([3, 8])\n"
    "  scan x in xs {\n    t = x * kept\n    kept <- 0.2 + mean(c, axis=0)\n"
    "    h = h + t; c = 0.2 * c + h\n    collect ys = h * c\n  }\n"
    "  loss = sum(h) + sum(ys * ys)\n  return loss, grad(loss, xs)\n}\n";

static const char short_second[] = SHORT
    "param w: f32[8, 8] = normal(stddev=0.4)\nparam rows: f32[2, 3, 8] = normal(stddev=0.4)\n"
    "entry f(xs: f32[15, 3, 8]) {\n  h = xs[0]; c = zeros([3, 8]); k = 0\n"
    "  while k < 9 most=15 {\n    k = k + 1; t = tanh(xs[1] @ w)\n"
    "    scan x in rows { h = tanh(h + x) }\n    h = tanh(h + t); c = 0.5 * c + h * h\n"
    "    collect ys = h * c\n  }\n"
    "  loss = sum(h * h) + sum(c * 0.1) + sum(ys * ys)\n  g = grad(loss, w)\n"
    "  return loss, g, grad(loss, rows), grad(sum(g * g), w)\n}\n";

/* With what its loop carries gathered to save time it requires less than as that was inferred. */
static const char gathered[] =
    "param v: f32[8] = normal(stddev=0.4)\nstate kept: f32[8] = ones()\n"
    "entry f(xs: f32[31, 3, 8]) {\n  h = xs[0]; c = zeros([3, 8]); k = 0; x = xs[1]\n"
    "  while k < 25 most=31 {\n    k = k + 1; c = x + 0.3 * c\n"
    "    h = tanh(h + c + 0.1 * v * kept)\n"
    "    if sum(h * c) > 0.5 { c = c * 0.8; continue }\n  }\n"
    "  loss = sum(h * h) + sum(c * 0.1)\n  return loss, grad(loss, xs), grad(loss, v)\n}\n";

static const Limited cases[] = {
    {"lstm", lstm, NULL, NULL, true},
    {"lstm", lstm, "p=2", "layout xs = [_, p, _]\n", true},
    {"lstm", lstm, "p=2,q=2", "layout xs = [_, p, _]\nlayout u = [_, q]\n", true},
    {"blocks", blocks, NULL, NULL, true},
    {"blocks", blocks, "p=2", "layout x = [p, _, _]\n", true},
    {"blocks", blocks, "p=4", "layout blocks.up.w = [_, _, p]\nlayout blocks.down.w = [_, p, _]\n",
     true},
    {"blocks", blocks, "p=2,q=2", "layout x = [p, _, _]\nlayout blocks.up.w = [q, _, _]\n", true},
    {"bounded", bounded, NULL, NULL, true},
    {"bounded", bounded, "p=4", "layout w = [_, p]\n", true},
    {"ended", ended, NULL, NULL, true},
    {"ended", ended, "p=2,q=2", "layout xs = [_, p, _]\nlayout w = [q, _]\n", true},
    {"nested", nested, NULL, NULL, true},
    {"nested", nested, "p=2", "layout xs = [_, p, _]\n", true},
    {"assigned", assigned, NULL, NULL, true},
    {"assigned", assigned, "p=2", "layout xs = [_, p, _]\n", true},
    {"second", second, NULL, NULL, true},
    {"short_nested", short_nested, NULL, NULL, true},
    {"short_sums", short_sums, NULL, NULL, true},
    {"short_variables", short_variables, NULL, NULL, true},
    {"short_second", short_second, NULL, NULL, true},
    {"gathered", gathered, "p=2,q=2", "layout xs = [_, _, p]\n", true},
};

/* -------- random loops -------- */

typedef struct Gen {
  Random random;
  FILE *to;
  int names; /* t0, t1, ... of this body */
  int depth;
} Gen;

static int pick(Gen *g, int n) { return random_below(&g->random, n); }

/* A value of shape [3, 8] that is there. */
static const char *some(Gen *g, char out[16]) {
  static const char *const always[] = {"h", "c", "h", "x"};
  const int n = pick(g, 4 + g->names);
  snprintf(out, 16, "%s", n < 4 ? always[n] : "");
  if (n >= 4) snprintf(out, 16, "t%d", n - 4);
  return out;
}

static void say_value(Gen *g) {
  char a[16], b[16];
  some(g, a), some(g, b);
  fprintf(g->to, "t%d = ", g->names);
  switch (pick(g, 12)) {
  case 0: fprintf(g->to, "tanh(%s @ w)", a); break;
  case 1: fprintf(g->to, "%s * %s", a, b); break;
  case 2: fprintf(g->to, "softmax(%s)", a); break;
  case 3: fprintf(g->to, "%s - mean(%s, axis=1, keepdims=true)", a, a); break;
  case 4: fprintf(g->to, "dropout(%s, 0.3)", a); break;
  case 5: fprintf(g->to, "cumsum(%s, axis=1) * 0.1", a); break;
  case 6: fprintf(g->to, "where(%s > 0.1, %s, %s)", a, a, b); break;
  case 7: fprintf(g->to, "stop_gradient(%s) * %s", a, b); break;
  case 8: fprintf(g->to, "%s * rsqrt(mean(%s * %s, axis=1, keepdims=true) + 0.1)", a, a, a); break;
  case 9: fprintf(g->to, "einsum(\"bi,bj->bij\", %s, %s) @ v", a, b); break;
  case 10: fprintf(g->to, "%s + 0.1 * v * kept", a); break;
  default: fprintf(g->to, "max(%s, %s)", a, b);
  }
  fprintf(g->to, "; ");
  g->names++;
}

static void say_body(Gen *g);

/* A loop or a branch within; what it binds ends with it. */
static void say_within(Gen *g) {
  const int names = g->names, kind = pick(g, 4);
  char a[16];
  if (kind == 0)
    fprintf(g->to, "if sum(%s) > 0.1 { ", some(g, a));
  else if (kind == 1)
    fprintf(g->to, "repeat %d { ", 1 + pick(g, 7));
  else if (kind == 2)
    fprintf(g->to, "scan x in rows%s { ", pick(g, 2) ? " reverse" : "");
  else
    fprintf(g->to, "k%d = 0; while k%d < %d most=%d { k%d = k%d + 1; ", g->depth, g->depth,
            pick(g, 6), 1 + pick(g, 6), g->depth, g->depth);
  g->depth++;
  say_body(g);
  g->depth--;
  fprintf(g->to, kind == 0 && pick(g, 2) ? "} else { c = c * 0.5 + h }; " : "}; ");
  g->names = names;
}

static void say_body(Gen *g) {
  for (int n = 1 + pick(g, 4); n > 0; n--) {
    char a[16];
    const int kind = pick(g, 10);
    if (kind == 0 && g->depth < 3)
      say_within(g);
    else if (kind == 1)
      fprintf(g->to, "kept <- kept * 0.5 + mean(%s, axis=0); ", some(g, a));
    else if (kind == 2)
      fprintf(g->to, "c = %s + 0.3 * c; ", some(g, a));
    else
      say_value(g);
  }
  char a[16];
  fprintf(g->to, "h = tanh(h + %s); ", some(g, a));
  if (pick(g, 2)) fprintf(g->to, "c = 0.5 * c + %s * h; ", some(g, a));
}

static char *random_program(uint64_t seed) {
  char *text;
  size_t n;
  Gen g = {{seed * 0x9e3779b97f4a7c15u + 1}, open_memstream(&text, &n), 0, 1};
  const int runs = 2 + pick(&g, 30);
  fprintf(g.to,
          "%sparam w: f32[8, 8] = normal(stddev=0.4)\nparam v: f32[8] = normal(stddev=0.4)\n"
          "param rows: f32[%d, 3, 8] = normal(stddev=0.4)\nstate kept: f32[8] = ones()\n"
          "entry f(xs: f32[%d, 3, 8]) {\n  h = xs[0]; c = zeros([3, 8])\n  ",
          seed % 2 ? "" : SHORT, 1 + pick(&g, 6), runs);
  const int kind = pick(&g, 4);
  if (kind == 0)
    fprintf(g.to, "repeat i in 0..%d { x = xs[i]; ", runs);
  else if (kind == 1)
    fprintf(g.to, "k = 0; x = xs[1]; while k < %d most=%d { k = k + 1; ", pick(&g, runs + 1), runs);
  else
    fprintf(g.to, "scan x in xs%s { ", kind == 2 ? " reverse" : "");
  say_body(&g);
  const bool collects = pick(&g, 3) > 0;
  if (pick(&g, 3) == 0)
    fprintf(g.to, "if sum(h * c) > 0.5 { c = c * 0.8; %s }; ", pick(&g, 2) ? "break" : "continue");
  if (collects) fprintf(g.to, "collect ys = h * c");
  fprintf(g.to, "}\n  loss = sum(h * h) + sum(c * 0.1)%s\n", collects ? " + sum(ys * ys)" : "");
  fprintf(g.to,
          "  g = grad(loss, w)\n  return loss, g, grad(loss, xs), grad(loss, v), grad(loss, rows)");
  fprintf(g.to, "%s\n}\n", pick(&g, 5) ? "" : ", grad(sum(g * g), w)");
  fclose(g.to);
  return text;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&cases[i]);
    return failures != 0;
  }
  const uint64_t seed = strtoull(argv[1], NULL, 10);
  for (uint64_t i = seed; i < seed + strtoull(argv[2], NULL, 10) || i == seed; i++) {
    char name[40], *text = random_program(i);
    snprintf(name, sizeof name, "random %llu", (unsigned long long)i);
    const Limited c = {.name = name, .text = text};
    if (!strcmp(argv[2], "print"))
      printf("%s", text);
    else
      check_case(&c);
    free(text);
  }
  return failures != 0;
}
