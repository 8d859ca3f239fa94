/* What runs in the epilogue of a product or a convolution does what it would do after it, bit for
 * bit: updates, activations with biases over two and three dims, masks of random draws, residuals,
 * norms of rows, sums over rows and over all, chains of them; on 1, 2 and 3 devices, in tiles of
 * the usual size and (for tiny caches, on 2 devices) of a few elements. */
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 2 };

typedef struct Case {
  const char *name, *text;
  int kernels; /* of one device, with an epilogue, at least; 0: none */
  int steps;   /* of all entries, at most; 0: not asked */
  int fetched; /* arrays that epilogues fetch ahead, at most; 0: not asked */
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
     2, 0, 0},
    {"random draws over three dims",
     "import \"nn\"\nimport \"optim\"\n"
     "layer net() {\n  a = dense(100, 500, act=relu)\n  b = dense(500, 40)\n"
     "  apply(x) {\n    h = dropout(a(reshape(x, [600, 3, 100])), 0.25)\n"
     "    return sum(b(h), axis=1)\n  }\n}\n" TRAIN,
     1, 0, 0},
    {"a residual and a row's own factor",
     "param w: f32[300, 300] = uniform([300, 300], -0.1, 0.1)\n"
     "param r: f32[600, 1] = uniform([600, 1], -1, 1)\n"
     "entry f(x: f32[600, 300] on [batch, _]) { return y = x + r * (x @ w) }\n",
     1, 0, 0},
    {"in the place of what the product reads",
     "state s: f32[400, 400] = uniform([400, 400], -0.1, 0.1)\n"
     "entry f(x: f32[400, 400]) {\n  s <- 0.5 * (s @ x)\n  return y = sum(s)\n}\n",
     0, 0, 0},
    {"a convolution with a bias and relu, and its backward pass",
     "import \"nn\"\nimport \"optim\"\n"
     "layer net() {\n  a = conv_layer(3, 24, [3, 3], act=relu)\n"
     "  b = conv_layer(24, 16, [3, 3], act=relu)\n  c = dense(16, 4)\n"
     "  apply(x) { return c(mean(b(a(x)), axis=[1, 2])) }\n}\n"
     "model = net()\nopt = sgd(model, lr=1e-2)\n"
     "entry train(x: f32[36, 28, 28, 3] on [batch, ...], want: f32[36, 4] on [batch, _]) {\n"
     "  y = model(x)\n  loss = mean((y - want) * (y - want))\n  opt.minimize(loss)\n"
     "  return loss, y\n}\n",
     1, 0, 0},
    {"convolutions with strides, of short lines, of more weights than are packed at once",
     "param a: f32[3, 3, 16, 32] = uniform([3, 3, 16, 32], -0.1, 0.1)\n"
     "param b: f32[3, 3, 32, 512] = uniform([3, 3, 32, 512], -0.1, 0.1)\n"
     "param c: f32[3, 3, 512, 64] = uniform([3, 3, 512, 64], -0.1, 0.1)\n"
     "entry f(x: f32[48, 21, 21, 16] on [batch, ...]) {\n"
     "  p = max(conv(x, a, stride=2), 0)\n  q = tanh(conv(p, b, stride=[2, 2]) + 0.5)\n"
     "  r = tanh(conv(q, c) - 0.5)\n"
     "  return p, q, r, 2 * grad(sum(r), q), grad(sum(r), p), grad(sum(r), x)\n}\n",
     3, 0, 0},
    {"a convolution of one dim in rows of a residual",
     "param w: f32[5, 32, 32] = uniform([5, 32, 32], -0.1, 0.1)\n"
     "entry f(x: f32[12, 700, 32] on [batch, ...]) { return y = x + max(conv(x, w), 0) }\n",
     1, 0, 0},
    {"a convolution of whose groups each has a product",
     "param w: f32[3, 3, 8, 32] = uniform([3, 3, 8, 32], -0.1, 0.1)\n"
     "entry f(x: f32[12, 28, 28, 32] on [batch, ...]) {\n"
     "  return y = max(conv(x, w, groups=4), 0)\n}\n",
     1, 0, 0},
    {"the product is wanted, too",
     "param w: f32[300, 300] = uniform([300, 300], -0.1, 0.1)\n"
     "entry f(x: f32[600, 300] on [batch, _]) { z = x @ w\n return z, y = tanh(z) }\n",
     1, 2, 0},
    {"a sum of squares and an activation",
     "param w: f32[300, 512] = uniform([300, 512], -0.1, 0.1)\n"
     "param b: f32[512] = uniform([512], -1, 1)\n"
     "entry f(x: f32[600, 300]) { y = x @ w + b\n return s = sum(y * y), z = max(y, 0) }\n",
     1, 3, 0},
    {"a sum of all, of rows that are no whole groups of lanes",
     "param w: f32[300, 500] = uniform([300, 500], -0.1, 0.1)\n"
     "entry f(x: f32[600, 300] on [batch, _]) { y = x @ w\n return s = sum(tanh(y)), y }\n",
     0, 0, 0},
    {"a sum over rows",
     "param w: f32[300, 500] = uniform([300, 500], -0.1, 0.1)\n"
     "param b: f32[500] = uniform([500], -1, 1)\n"
     "entry f(x: f32[700, 300] on [batch, _]) { return s = sum(max(x @ w + b, 0), axis=0) }\n",
     1, 0, 0},
    {"the largest of columns, means of rows",
     "param w: f32[300, 500] = uniform([300, 500], -0.1, 0.1)\n"
     "entry f(x: f32[700, 300] on [batch, _]) {\n"
     "  y = x @ w\n  return a = max(y, axis=0), b = mean(y, axis=1), c = min(y, axis=1) }\n",
     1, 0, 0},
    {"a norm of rows behind a residual",
     "import \"nn\"\nimport \"optim\"\n"
     "layer net() {\n  a = dense(300, 300)\n  n = layer_norm(300)\n  b = dense(300, 40)\n"
     "  apply(x) { return b(n(x + a(x))) }\n}\n" TRAIN,
     2, 0, 0},
    {"a norm of rows of two dims, dropout, a norm again",
     "import \"nn\"\nimport \"optim\"\n"
     "layer net() {\n  a = dense(100, 256)\n  m = layer_norm(256)\n  b = dense(256, 256)\n"
     "  n = layer_norm(256)\n  c = dense(256, 40)\n"
     "  apply(x) {\n    h = m(a(reshape(x, [600, 3, 100])))\n"
     "    return sum(c(n(h + dropout(b(h), 0.25))), axis=1)\n  }\n}\n" TRAIN,
     3, 0, 0},
    {"batch norms of convolutions, and their backward pass",
     "import \"nn\"\nimport \"optim\"\n"
     "layer net() {\n  a = conv_layer(3, 24, [3, 3])\n  m = batch_norm(24)\n"
     "  b = conv_layer(24, 16, [3, 3])\n  n = batch_norm(16)\n  c = dense(16, 4)\n"
     "  apply(x) { return c(mean(max(n(b(max(m(a(x)), 0))), 0), axis=[1, 2])) }\n}\n"
     "model = net()\nopt = sgd(model, lr=1e-2)\n"
     "entry train(x: f32[36, 28, 28, 3] on [batch, ...], want: f32[36, 4] on [batch, _]) {\n"
     "  y = model(x)\n  loss = mean((y - want) * (y - want))\n  opt.minimize(loss)\n"
     "  return loss, y\n}\n",
     2, 0, 1},
    {"softmax of rows, and what is computed from indices of rows",
     "param w: f32[100, 400] = uniform([100, 400], -0.1, 0.1)\n"
     "entry f(x: f32[600, 3, 100] on [batch, ...]) {\n"
     "  z = x @ w\n  e = exp(z - max(z, axis=-1, keepdims=true))\n"
     "  p = e / sum(e, axis=-1, keepdims=true)\n"
     "  return p, q = p * cast(iota([600, 3, 400], axis=0) + iota([600, 3, 400], axis=1), "
     "f32)\n}\n",
     1, 0, 0},
    {"a factor of the outer dim of rows, and of the inner",
     "param w: f32[100, 400] = uniform([100, 400], -0.1, 0.1)\n"
     "param a: f32[600, 1, 1] = uniform([600, 1, 1], -1, 1)\n"
     "param b: f32[3, 1] = uniform([3, 1], -1, 1)\n"
     "entry f(x: f32[600, 3, 100] on [batch, ...]) { z = x @ w\n return u = z * a, v = tanh(z) * b "
     "}\n",
     0, 0, 0},
    {"sums over the outer dim of rows alone, and over the inner alone",
     "param w: f32[100, 400] = uniform([100, 400], -0.1, 0.1)\n"
     "entry f(x: f32[600, 3, 100] on [batch, ...]) {\n"
     "  z = x @ w\n  return u = sum(z, axis=0), v = sum(z, axis=1), s = sum(z, axis=[0, 1]) }\n",
     1, 0, 0},
    {"whole numbers and halves of the rows",
     "param w: f32[100, 1024] = uniform([100, 1024], -0.1, 0.1)\n"
     "entry f(x: f32[600, 100] on [batch, _]) {\n"
     "  z = x @ w\n  n = cast(z * 10, i32)\n  h = cast(z, f16)\n"
     "  return a = sum(n, axis=0), b = sum(n), c = sum(h, axis=0), d = sum(h), e = sum(h, axis=1) "
     "}\n",
     1, 0, 0},
    {"a sum in which the update of the product's own operand waits",
     "param w: f32[300, 300] = uniform([300, 300], -0.1, 0.1)\n"
     "entry f(x: f32[600, 300]) {\n  y = x @ w\n  g = transpose(x) @ tanh(y)\n"
     "  w <- w - 1e-3 * g\n  return y, s = sum(w * w) }\n",
     1, 0, 0},
    {"a loss of each row, and their sum: rows are the last dim of what is added up",
     "import \"loss\"\n"
     "param w: f32[100, 320] = uniform([100, 320], -0.1, 0.1)\n"
     "entry f(x: f32[600, 3, 100] on [batch, ...]) {\n"
     "  z = x @ w\n  l = log(sum(exp(z), axis=-1)) - z[:, :, 7]\n"
     "  return s = mean(l), t = sum(l, axis=0), u = sum(l, axis=1), v = max(l) }\n",
     1, 0, 0},
    /* Rows that are no leading dim: the sum took tiles for one run of elements. */
    {"a sum of all elements behind a transpose",
     "param w: f32[100, 256] = uniform([100, 256], -0.1, 0.1)\n"
     "entry f(x: f32[600, 100] on [batch, _]) {\n"
     "  y = x @ w\n  t = transpose(reshape(y, [600, 4, 64]), [1, 0, 2])\n"
     "  return t, s = sum(t * t), m = max(t, axis=2), u = tanh(y), v = transpose(tanh(y)) }\n",
     1, 0, 0},
    {"a product with its rows innermost",
     "param w: f32[300, 300] = uniform([300, 300], -0.1, 0.1)\n"
     "entry f(x: f32[600, 300] on [batch, _]) {\n"
     "  y = einsum(\"ik,kj->ji\", x, w)\n  return a = tanh(y), s = sum(y, axis=0), t = sum(y, "
     "axis=1) }\n",
     1, 0, 0},
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
  int kernels, steps, fetched;
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

/* Caches so small that small values are tiled, in tiles of a few elements. */
static const char tiny_text[] = "flops = 50 Gflop/s\nmemory_bandwidth = 10 GB/s\n"
                                "cache L1 size=64B\ncache L2 size=1600B\n"
                                "link bandwidth=2GB/s latency=10us\n";
static const dtgc_source tiny_machine = {"tiny", tiny_text, sizeof tiny_text - 1};

/* The arrays of the list of an epilogue that names them, up to the next step. */
static int arrays_fetched(const char *s) {
  static const char list[] = "(const void *const[]){";
  const char *end = strstr(s, "dtrt_begin_step("), *at = strstr(s, list);
  if (!at || (end && at > end)) return 0;
  int n = 1;
  for (at += sizeof list - 1; *at && *at != '}'; at++) n += *at == ',';
  return n;
}

static Result compute(const Case *c, int devices, const char *disable, bool tiny) {
  Result r = {0};
  char mesh[32], *text;
  snprintf(mesh, sizeof mesh, "batch=%d", devices);
  dtgc_options o = {.mesh = mesh,
                    .seed = 3,
                    .disable = &disable,
                    .ndisables = disable != NULL,
                    .machine = tiny ? &tiny_machine : NULL};
  dtgc_program *p;
  if (dtgc_compile_string("model.dtg", c->text, &o, &p)) die(c, p);
  if (dtgc_dump(p, "c", &text)) die(c, p);
  for (const char *s = text; (s = strstr(s, "&(dtrt_epilogue){")); s++)
    r.kernels++, r.fetched += arrays_fetched(s);
  for (const char *s = text; (s = strstr(s, "dtrt_begin_step(")); s++) r.steps++;
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

static void check(const Case *c, int devices, bool tiny) {
  Result plain = compute(c, devices, "epilogue", tiny), with = compute(c, devices, NULL, tiny);
  if (plain.kernels) fail(c, devices, "--disable=epilogue leaves an epilogue");
  if (plain.n == 0) fail(c, devices, "nothing was computed");
  if (with.n != plain.n || memcmp(with.bytes, plain.bytes, plain.n))
    fail(c, devices, tiny ? "other bits, in small tiles" : "other bits");
  if (devices == 1 && !tiny && (c->kernels ? with.kernels < c->kernels : with.kernels > 0)) {
    printf("%d kernels with an epilogue, not %d\n", with.kernels, c->kernels);
    fail(c, devices, "another number of epilogues");
  }
  if (devices == 1 && !tiny && c->steps && with.steps > c->steps) {
    printf("%d steps, not %d\n", with.steps, c->steps);
    fail(c, devices, "more steps");
  }
  /* What an epilogue makes and reads again was fetched, too: memory beyond a tile's. */
  if (devices == 1 && !tiny && c->fetched && with.fetched > c->fetched) {
    printf("%d arrays fetched, not %d\n", with.fetched, c->fetched);
    fail(c, devices, "epilogues fetch more");
  }
  free(plain.bytes), free(with.bytes);
}

int main(void) {
  static const int devices[] = {1, 2, 3};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int d = 0; d < 3; d++) {
      check(&cases[i], devices[d], false);
      if (devices[d] == 2) check(&cases[i], devices[d], true);
    }
  return failures > 0;
}
