/* A loop that rides on a product or a convolution does what it would do after it, bit for bit:
 * updates, activations with biases over two and three dims, masks of random draws, residuals, loops
 * that may not ride since they would write what the product still reads; on 1, 2 and 3 devices. */
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 2 };

typedef struct Case {
  const char *name, *text;
  int rides; /* products of one device that take a loop along, at least */
} Case;

#define TRAIN                                                                                      \
  "model = net()\nopt = adam(model, lr=1e-2)\n"                                                    \
  "entry train(x: f32[600, 300] on [batch, _], want: f32[600, 40] on [batch, _]) {\n"              \
  "  y = model(x)\n  loss = mean((y - want) * (y - want))\n  opt.minimize(loss)\n"                 \
  "  return loss, y\n}\n"

static const Case cases[] = {
    {"an update of weights and an activation with a bias",
     "import \"nn\"\nimport \"optim\"\n"
     "layer net() {\n  a = dense(300, 500, act=gelu)\n  b = dense(500, 40)\n"
     "  apply(x) { return b(a(x)) }\n}\n" TRAIN,
     2},
    {"random draws over three dims",
     "import \"nn\"\nimport \"optim\"\n"
     "layer net() {\n  a = dense(100, 500, act=relu)\n  b = dense(500, 40)\n"
     "  apply(x) {\n    h = dropout(a(reshape(x, [600, 3, 100])), 0.25)\n"
     "    return sum(b(h), axis=1)\n  }\n}\n" TRAIN,
     1},
    {"a residual and a row's own factor",
     "param w: f32[300, 300] = uniform([300, 300], -0.1, 0.1)\n"
     "param r: f32[600, 1] = uniform([600, 1], -1, 1)\n"
     "entry f(x: f32[600, 300] on [batch, _]) { return y = x + r * (x @ w) }\n",
     1},
    {"in the place of what the product reads",
     "state s: f32[400, 400] = uniform([400, 400], -0.1, 0.1)\n"
     "entry f(x: f32[400, 400]) {\n  s = 0.5 * (s @ x)\n  return y = sum(s)\n}\n",
     0},
    {"a convolution with a bias and relu, and its way back",
     "import \"nn\"\nimport \"optim\"\n"
     "layer net() {\n  a = conv_layer(3, 24, [3, 3], act=relu)\n"
     "  b = conv_layer(24, 16, [3, 3], act=relu)\n  c = dense(16, 4)\n"
     "  apply(x) { return c(mean(b(a(x)), axis=[1, 2])) }\n}\n"
     "model = net()\nopt = sgd(model, lr=1e-2)\n"
     "entry train(x: f32[36, 28, 28, 3] on [batch, ...], want: f32[36, 4] on [batch, _]) {\n"
     "  y = model(x)\n  loss = mean((y - want) * (y - want))\n  opt.minimize(loss)\n"
     "  return loss, y\n}\n",
     1},
    {"convolutions with strides, of short lines, of more weights than are packed at once",
     "param a: f32[3, 3, 16, 32] = uniform([3, 3, 16, 32], -0.1, 0.1)\n"
     "param b: f32[3, 3, 32, 512] = uniform([3, 3, 32, 512], -0.1, 0.1)\n"
     "param c: f32[3, 3, 512, 64] = uniform([3, 3, 512, 64], -0.1, 0.1)\n"
     "entry f(x: f32[48, 21, 21, 16] on [batch, ...]) {\n"
     "  p = max(conv(x, a, stride=2), 0)\n  q = tanh(conv(p, b, stride=[2, 2]) + 0.5)\n"
     "  r = tanh(conv(q, c) - 0.5)\n"
     "  return p, q, r, 2 * grad(sum(r), q), grad(sum(r), p), grad(sum(r), x)\n}\n",
     3},
    {"a convolution of one dim in rows of a residual",
     "param w: f32[5, 32, 32] = uniform([5, 32, 32], -0.1, 0.1)\n"
     "entry f(x: f32[12, 700, 32] on [batch, ...]) { return y = x + max(conv(x, w), 0) }\n",
     1},
    {"a convolution of whose groups each has a product",
     "param w: f32[3, 3, 8, 32] = uniform([3, 3, 8, 32], -0.1, 0.1)\n"
     "entry f(x: f32[12, 28, 28, 32] on [batch, ...]) {\n"
     "  return y = max(conv(x, w, groups=4), 0)\n}\n",
     1},
    {"the product is wanted, too",
     "param w: f32[300, 300] = uniform([300, 300], -0.1, 0.1)\n"
     "entry f(x: f32[600, 300] on [batch, _]) { z = x @ w\n return z, y = tanh(z) }\n",
     1},
};

static int failures;

static void fail(const Case *c, int devices, const char *what) {
  printf("FAIL %s, %d devices: %s\n", c->name, devices, what);
  failures++;
}

static void die(const Case *c, const dtgc_program *p) {
  printf("FAIL %s: %s\n", c->name, dtgc_error(p));
  exit(1);
}

/* -------- one program -------- */

typedef struct Result {
  char *bytes; /* outputs of all runs, then variables */
  size_t n;
  int rides;
} Result;

static char *more(Result *r, size_t n) {
  r->bytes = realloc(r->bytes, r->n + n);
  if (!r->bytes) exit(2);
  r->n += n;
  return r->bytes + r->n - n;
}

static void run_once(const Case *c, dtgc_program *p, const char *entry, int k, Result *r) {
  dtgc_buffer from[2], to[8];
  int nin = dtgc_inputs(p, entry), nout = dtgc_outputs(p, entry);
  dtgc_tensor t;
  for (int i = 0; i < nin; i++) {
    if (dtgc_input(p, entry, i, &t)) die(c, p);
    float *x = malloc(t.bytes);
    if (!x) exit(2);
    for (int64_t q = 0; q < t.count; q++) x[q] = (float)((q * 7 + k * 3) % 11) / 8 - 0.5f;
    from[i] = (dtgc_buffer){t.name, x, t.bytes};
  }
  for (int i = 0; i < nout; i++) {
    if (dtgc_output(p, entry, i, &t)) die(c, p);
    to[i] = (dtgc_buffer){t.name, malloc(t.bytes), t.bytes};
    if (!to[i].data) exit(2);
  }
  if (dtgc_run(p, entry, from, nin, to, nout)) die(c, p);
  for (int i = 0; i < nout; i++) memcpy(more(r, to[i].bytes), to[i].data, to[i].bytes);
  for (int i = 0; i < nin; i++) free(from[i].data);
  for (int i = 0; i < nout; i++) free(to[i].data);
}

static Result compute(const Case *c, int devices, const char *ride) {
  Result r = {0};
  char mesh[32], *text;
  setenv("DTGC_RIDE", ride, 1);
  snprintf(mesh, sizeof mesh, "batch=%d", devices);
  dtgc_options o = {.mesh = mesh, .seed = 3};
  dtgc_program *p;
  if (dtgc_compile_string("model.dtg", c->text, &o, &p)) die(c, p);
  if (dtgc_dump(p, "c", &text)) die(c, p);
  for (const char *s = text; (s = strstr(s, "&(dtrt_then){")); s++) r.rides++;
  dtgc_free_text(text);
  for (int k = 0; k < RUNS; k++) run_once(c, p, dtgc_entry(p, 0), k, &r);
  for (int i = 0; i < dtgc_vars(p); i++) {
    dtgc_tensor t;
    if (dtgc_var(p, i, &t)) die(c, p);
    char *value = more(&r, t.bytes);
    if (dtgc_get(p, t.name, value, t.bytes)) die(c, p);
  }
  dtgc_free(p);
  return r;
}

/* -------- -------- */

static void check(const Case *c, int devices) {
  Result plain = compute(c, devices, "off"), rides = compute(c, devices, "");
  if (plain.rides) fail(c, devices, "DTGC_RIDE=off lets loops ride");
  if (plain.n == 0) fail(c, devices, "nothing was computed");
  if (rides.n != plain.n || memcmp(rides.bytes, plain.bytes, plain.n))
    fail(c, devices, "other bits");
  if (devices == 1 && (c->rides ? rides.rides < c->rides : rides.rides > 0)) {
    printf("%d products with a loop, not %d\n", rides.rides, c->rides);
    fail(c, devices, "another number of loops ride");
  }
  free(plain.bytes), free(rides.bytes);
}

int main(void) {
  static const int devices[] = {1, 2, 3};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int d = 0; d < 3; d++) check(&cases[i], devices[d]);
  return failures > 0;
}
