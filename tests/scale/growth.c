/* Programs that the passes were not designed for: thousands of small operations, slices, variables
 * and entries, loops in loops, gradients of gradients. What compiling them takes may grow as they
 * do, or little faster. Counted in memory, which does not depend on the machine's load, and in what
 * loops of the emitted C compute; C compilers take the square of their number. */
#define _DEFAULT_SOURCE /* wait4 */
#include <dtgc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_TEXT = 1 << 20, SMALL = 250, TIMES = 8, MOST_GROWTH = 13 /* the square would be 64 */ };

static int failures;
static char text[MOST_TEXT];
static size_t used;

static void fail(const char *name, const char *what) {
  printf("FAIL %s: %s\n", name, what);
  failures++;
}

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
  va_list args;
  va_start(args, format);
  used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
}

/* -------- programs of n parts -------- */

/* Each part of the result has a layout with a window of its own. */
static void put_stack(int n) {
  put("entry f(x: f32[64]) {\n  return y = stack([");
  for (int i = 0; i < n; i++) put("%ssum(x * %d.5)", i ? ", " : "", i);
  put("], axis=0)\n}\n");
}

static void put_slices(int n) {
  put("entry f(x: f32[%d]) {\n  y = x[0:4]\n", 4 * n);
  for (int i = 1; i < n; i++) put("  y = y + x[%d:%d]\n", 4 * i, 4 * i + 4);
  put("  return y\n}\n");
}

/* The groups in which they are drawn and updated overlap, link after link. */
static void put_variables(int n) {
  put("import \"optim\"\nlayer m() {\n");
  for (int i = 0; i < n; i++) put("  param w%d: f32[4, 4] = uniform([4, 4], -1, 1)\n", i);
  put("  apply(x) {\n");
  for (int i = 0; i < n; i++) put("    x = tanh(x @ w%d) * 0.5\n    x = x + w%d * w%d\n", i, i, i);
  put("    return x\n  }\n}\nmodel = m()\nopt = adam(model, lr=1e-3)\n"
      "entry f(x: f32[4, 4]) {\n  loss = mean(model(x))\n  opt.minimize(loss)\n  return loss\n}\n");
}

static void put_entries(int n) {
  put("param w: f32[4, 4] = ones()\n");
  for (int i = 0; i < n; i++)
    put("entry e%d(x: f32[4, 4]) { return y = tanh(x @ w * %d.25) }\n", i, i);
}

static void put_stencils(int n) {
  put("entry f(x: f32[64, 64] on [a, _]) {\n");
  for (int i = 0; i < n; i++) put("  x = 0.5 * (roll(x, 1, axis=0) + roll(x, -1, axis=1))\n");
  put("  return y = x\n}\n");
}

static void put_branches(int n) {
  put("entry f(x: f32[8], n: i32[]) {\n");
  for (int i = 0; i < n; i++) put("  if n > %d { x = tanh(x + %d.5) } else { x = x * 2 }\n", i, i);
  put("  return y = x\n}\n");
}

/* Each has a backward pass of its own. */
static void put_losses(int n) {
  put("entry f(x: f32[8]) {\n  y = x\n");
  for (int i = 0; i < n; i++) put("  y = y + grad(sum(tanh(x * %d.5)), x)\n", i);
  put("  return y\n}\n");
}

/* Their reverses, of which each has rows that its loop has kept. */
static void put_loops(int n) {
  put("entry f(x: f32[8]) {\n  h = x\n");
  for (int i = 0; i < n; i++) put("  repeat i in 0..7 { h = tanh(h * %d.5) }\n", i);
  put("  return y = h, d = grad(sum(h), x)\n}\n");
}

/* -------- how they grow -------- */

static dtgc_status compile(const char *mesh, dtgc_program **p) {
  return dtgc_compile_string("growth.dtg", text, &(dtgc_options){.mesh = mesh, .no_cache = 1}, p);
}

/* The most memory that a process had, in kB, which compiled a program of n parts; 0: none. */
static long peak_of(const char *name, void (*put_program)(int), int n) {
  dtgc_program *p;
  struct rusage use;
  int status;
  fflush(stdout);
  const pid_t child = fork();
  if (!child) {
    used = 0;
    put_program(n);
    if (n && compile("a=2", &p)) fail(name, dtgc_error(p));
    fflush(stdout);
    _exit(failures > 0);
  }
  if (wait4(child, &status, 0, &use) != child || status) failures++;
  return use.ru_maxrss;
}

static void check_growth(const char *name, void (*put_program)(int), int few) {
  const long none = peak_of(name, put_program, 0), one = peak_of(name, put_program, few) - none,
             many = peak_of(name, put_program, TIMES * few) - none;
  printf("%s: %ld kB, and %ld kB of %d times as many\n", name, one, many, TIMES);
  if (many > MOST_GROWTH * one) fail(name, "memory grows faster than the program");
}

/* -------- what would never end -------- */

/* The verifier walked a loop twice, and one in it four times. */
static void check_deep_loops(void) {
  enum { DEEP = 60 };
  dtgc_program *p;
  used = 0;
  put("entry f(x: f32[8], n: i32[]) {\n");
  for (int i = 0; i < DEEP; i++) put("repeat i%d in 0..n {\n", i);
  put("x = x * 0.5\n");
  for (int i = 0; i < DEEP; i++) put("}\n");
  put("return y = x\n}\n");
  if (compile("a=2", &p)) fail("loops in loops", dtgc_error(p));
  dtgc_free(p);
}

static void check_deep_gradients(void) {
  dtgc_program *p;
  used = 0;
  put("param w: f32[16] = ones()\nentry f(x: f32[16]) {\n  l = sum(tanh(w * x))\n");
  for (int i = 0; i < 40; i++) put("  l = sum(grad(l, w) * tanh(w))\n");
  put("  return l\n}\n");
  if (!compile("a=1", &p) || !strstr(dtgc_error(p), "1.2 million operations"))
    fail("gradients of gradients", "there is no error");
  dtgc_free(p);
}

/* Each `continue` puts the rest of its loop into a block; clang takes 256 in each other. */
static void check_deep_jumps(void) {
  enum { JUMPS = 300 };
  dtgc_program *p;
  const float x = 250.5f;
  float y = 0;
  const dtgc_buffer in = {"x", (void *)&x, sizeof x}, out = {"y", &y, sizeof y};
  used = 0;
  put("entry f(x: f32[]) {\n  repeat i in 0..2 {\n");
  for (int i = 0; i < JUMPS; i++) put("    x = x + 1\n    if x > %d.0 { continue }\n", 500 - i);
  put("  }\n  return y = x\n}\n");
  if (compile("a=1", &p) || dtgc_run(p, "f", &in, 1, &out, 1))
    fail("jumps", dtgc_error(p));
  else if (y != 439.5f)
    fail("jumps", "they end a run elsewhere");
  dtgc_free(p);
}

/* -------- loops and calls of the emitted C -------- */

static int count(const char *from, const char *to, const char *what) {
  int n = 0;
  for (const char *at = from; (at = strstr(at, what)) && at < to; at++) n++;
  return n;
}

/* The most often that one function has a word. */
static int most_in_function(const char *c, const char *what) {
  int most = 0;
  for (const char *end; (end = strstr(c, "\n}\n")); c = end + 3) {
    const int n = count(c, end, what);
    if (n > most) most = n;
  }
  return most;
}

static char *emitted(const char *name, dtgc_program **p) {
  char *c = NULL;
  if (compile("a=1", p) || dtgc_dump(*p, "c", &c)) {
    printf("FAIL %s: %s\n", name, dtgc_error(*p));
    exit(1);
  }
  return c;
}

static void check_loops(void) {
  static const char *const step[] = {"dropout(x, 0.25) * 1.5", "tanh(x)", "tanh(x) + x * 0.5"};
  static const char *const word[] = {"dtrt_uniform", "dtrt_tanh", "dtrt_tanh"};
  for (int k = 0; k < 3; k++) {
    dtgc_program *p;
    used = 0;
    put("import \"nn\"\nentry f(x: f32[64]) {\n");
    for (int i = 0; i < 600; i++) put("  x = %s\n", step[k]);
    put("  return y = x\n}\n");
    char *c = emitted(step[k], &p);
    const int most = most_in_function(c, word[k]);
    printf("%s: %d of 600 in a loop\n", step[k], most);
    if (most > 160 || most < 16) fail(step[k], "the loop is too long, or too short");
    dtgc_free_text(c);
    dtgc_free(p);
  }
}

/* Clang fills the rest of an array by a loop. */
static void check_calls(void) {
  dtgc_program *p;
  used = 0;
  put("entry f(x: f32[2, 8, 8, 4], w: f32[3, 3, 4, 4], a: f32[6, 4, 5, 8], b: f32[5, 6, 8, 4]) {\n"
      "  return y = conv(x, w), z = einsum(\"bmnk,nbkl->mbnl\", a, b)\n}\n");
  char *c = emitted("calls", &p);
  if (!strstr(c, ".large = {8, 8, 0}")) fail("calls", "a slide is not whole");
  const char *loops = strstr(c, ".count = {");
  if (loops && count(loops, strchr(loops, '}'), ",") != 7) fail("calls", "loops are not whole");
  dtgc_free_text(c);
  dtgc_free(p);
}

/* -------- steps that differ in where they read and write alone -------- */

/* Forward and backward, a time in reverse, neighbours, and a step of two of them. */
static void put_steps(int n) {
  put("entry f(x: f32[4, %d, 8], u: f32[8, 8], w: f32[%d]) {\n  h = full([4, 8], 0.0)\n", n, 2 * n);
  put("  for t in 0..%d { h = tanh(x[:, t] * w[2 * t] + h @ u + x[:, %d - t] * w[2 * t + 1]) }\n",
      n, n - 1);
  put("  loss = sum(h)\n  g = grad(loss, [x, u, w])\n");
  put("  return loss, gx = g[0], gu = g[1], gw = g[2]\n}\n");
}

/* Parts of two rows each, whose gradients are summed. */
static void put_parts(int n) {
  put("param w: f32[8, 8] = ones()\nentry f(x: f32[%d, 8], y: f32[%d, 8]) {\n  loss = 0.0\n", 2 * n,
      2 * n);
  put("  for b in 0..%d {\n    at = 2 * b\n", n);
  put("    loss = loss + sum(tanh(x[at : at + 2] @ w) * y[at : at + 2])\n  }\n");
  put("  w <- w - 0.1 * grad(loss, w)\n  return loss\n}\n");
}

/* What each step has made is written into a window. */
static void put_windows(int n) {
  put("entry f(x: f32[%d, 8]) {\n  s = full([%d, 8], 0.0)\n  h = full([1, 8], 0.0)\n", n, n);
  put("  for t in 0..%d {\n    h = tanh(x[t : t + 1] + h) * sum(h)\n    s[t : t + 1] <- h\n  }\n",
      n);
  put("  g = grad(sum(s * s), x)\n  return s, g\n}\n");
}

/* Steps that differ in their numbers: of a sum and an extreme, of f64 too, and of a branch. */
static void put_numbers(int n) {
  put("entry f(x: f32[64], z: f64[8], n: i32[]) {\n  h = x\n");
  for (int i = 0; i < n; i++)
    put("  h = sin(h * %d.25 - 0.%d) + max(sum(h), 0.75)\n  z = z * %d.125 + sum(z)\n"
        "  if n > 3 { h = h + 2.%d }\n",
        i + 1, i, i + 1, i);
  put("  return h, z\n}\n");
}

static int functions_of(const char *name, void (*put_program)(int), int n) {
  dtgc_program *p;
  used = 0;
  put_program(n);
  char *c = emitted(name, &p);
  const int functions = count(c, c + strlen(c), "\nDTRT_LOOP ");
  dtgc_free_text(c);
  dtgc_free(p);
  return functions;
}

static void check_functions(const char *name, void (*put_program)(int), int few) {
  const int some = functions_of(name, put_program, few),
            more = functions_of(name, put_program, 4 * few);
  printf("%s: %d have %d functions, %d have %d\n", name, few, some, 4 * few, more);
  if (more > some + some / 4) fail(name, "each has functions of its own");
}

int main(void) {
  check_growth("parts of a stack", put_stack, SMALL);
  check_growth("slices", put_slices, SMALL);
  check_growth("variables", put_variables, SMALL);
  check_growth("entries", put_entries, SMALL);
  check_growth("stencils", put_stencils, SMALL);
  check_growth("branches", put_branches, SMALL);
  check_growth("losses", put_losses, SMALL);
  check_growth("loops", put_loops, SMALL / 2);
  check_deep_loops();
  check_deep_gradients();
  check_deep_jumps();
  check_loops();
  check_calls();
  check_functions("steps of a loop over time", put_steps, 24);
  check_functions("parts of a batch", put_parts, 64);
  check_functions("windows", put_windows, 16);
  check_functions("numbers", put_numbers, 16);
  return failures > 0;
}
