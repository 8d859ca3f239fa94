/* texts.c: see texts.h. */
#include "texts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const Text text_all[] = {
    {.name = "mnist",
     .devices = 1 | 2 | 8,
     .batch = 128,
     .width = 784,
     .classes = 10,
     .ninputs = 2,
     .steps = 12,
     .part = {"model.d1.w", "model.d1.b", "model.d2.w", "model.d2.b", "model.d3.w", "model.d3.b"},
     .layouts = {"train.x=[batch, _]", "train.label=[batch]"},
     .split_layouts = {"train.x=[batch, _]", "train.label=[batch]",
                       "\"opt\\.[mv].*\"=[batch, ...]"},
     .text = "import \"nn\"\n"
             "import \"optim\"\n"
             "layer mlp() {\n"
             "  d1 = dense(784, 700, act=relu)\n"
             "  d2 = dense(700, 500, act=relu)\n"
             "  d3 = dense(500, 10)\n"
             "  apply(x) { return d3(d2(d1(x))) }\n"
             "}\n"
             "model = mlp()\n"
             "opt   = adam(model, lr=1e-3)\n"
             "entry train(x: f32[128, 784], label: i32[128]) {\n"
             "  loss = mean(sparse_softmax_cross_entropy(model(x), label))\n"
             "  opt.minimize(loss)\n"
             "  return loss\n"
             "}\n"},
    {.name = "imdb",
     .devices = 1 | 2 | 8,
     .batch = 64,
     .width = 1200,
     .classes = 2,
     .ninputs = 2,
     .steps = 300,
     .part = {"model.d1.w", "model.d1.b", "model.d2.w", "model.d2.b"},
     .layouts = {"train.x=[batch, _]", "train.label=[batch]"},
     .text = "import \"nn\"\n"
             "import \"optim\"\n"
             "fn normalise(x) {\n"
             "  centred = x - mean(x, axis=0)\n"
             "  return centred * rsqrt(mean(centred * centred, axis=0) + 1e-5)\n"
             "}\n"
             "layer net() {\n"
             "  d1 = dense(1200, 48, act=relu)\n"
             "  d2 = dense(48, 2)\n"
             "  apply(x) { return d2(normalise(d1(x))) }\n"
             "}\n"
             "model = net()\n"
             "opt   = sgd(model, lr=1e-2)\n"
             "entry train(x: f32[64, 1200], label: i32[64]) {\n"
             "  loss = sum(sparse_softmax_cross_entropy(model(x), label))\n"
             "  opt.minimize(loss)\n"
             "  return loss\n"
             "}\n"},
    {.name = "gpt", /* one block of a transformer */
     .devices = 1 | 2,
     .batch = 8,
     .width = 256 * 256,
     .classes = 1,
     .ninputs = 1,
     .steps = 4,
     .part = {"model.norm1.scale", "model.norm1.shift", "model.attn.q", "model.attn.k",
              "model.attn.v", "model.attn.out", "model.norm2.scale", "model.norm2.shift",
              "model.up.w", "model.up.b", "model.down.w", "model.down.b"},
     .layouts = {"train.x=[batch, _, _]"},
     .text = "import \"nn\"\n"
             "import \"optim\"\n"
             "layer block(width, heads) {\n"
             "  norm1 = layer_norm(width)\n"
             "  attn  = self_attention(width, heads)\n"
             "  norm2 = layer_norm(width)\n"
             "  up    = dense(width, 4 * width, act=gelu)\n"
             "  down  = dense(4 * width, width)\n"
             "  apply(x) {\n"
             "    x = x + attn(norm1(x))\n"
             "    return x + down(up(norm2(x)))\n"
             "  }\n"
             "}\n"
             "model = block(256, 8)\n"
             "opt   = sgd(model, lr=1e-2)\n"
             "entry train(x: f32[8, 256, 256]) {\n"
             "  y    = model(x)\n"
             "  loss = mean(y * y)\n"
             "  opt.minimize(loss)\n"
             "  return loss\n"
             "}\n"},
    {.name = "small", /* thirty small operations and one all-reduce */
     .devices = 2,
     .batch = 64,
     .width = 64,
     .classes = 1,
     .ninputs = 1,
     .steps = 500,
     .part = {"w", "b"},
     .layouts = {"train.x=[batch, _]"},
     .text = "import \"nn\"\n"
             "param w: f32[64, 64] = glorot_uniform()\n"
             "param b: f32[64] = zeros()\n"
             "entry train(x: f32[64, 64]) {\n"
             "  for i in 0..10 { x = relu(x @ w + b) }\n"
             "  return loss = mean(x)\n"
             "}\n"},
    {.name = "chain", /* eight elementwise operations over 1 MiB, in place */
     .devices = 1,
     .batch = 1,
     .width = 1,
     .classes = 1,
     .steps = 300,
     .part = {"y"},
     .text = "param y: f32[262144] = uniform([262144], 0, 1)\n"
             "entry train() {\n"
             "  a = y * 0.75 + 0.125\n"
             "  b = abs(a - 0.5)\n"
             "  y <- max(sqrt(b) * a, 0.25) - b * 0.5\n"
             "  return loss = y[0]\n"
             "}\n"},
    {0}};

double text_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_message(void *user, const dtgc_message *m) {
  (void)user;
  fputs(m->rendered, stderr);
}

static dtgc_program *compile(const Text *t, int devices, const char *const *layouts, bool cold) {
  char mesh[32];
  snprintf(mesh, sizeof mesh, "batch=%d", devices);
  dtgc_options o = {.mesh = mesh, .layout = layouts, .no_cache = cold, .message = on_message};
  while (layouts[o.nlayouts]) o.nlayouts++;
  dtgc_program *p;
  if (dtgc_compile_string(t->name, t->text, &o, &p) || dtgc_start(p)) {
    fprintf(stderr, "steps: %s on %d: %s\n", t->name, devices, dtgc_error(p));
    exit(1);
  }
  return p;
}

dtgc_program *text_compile(const Text *t, int devices, const char *const *layouts) {
  return compile(t, devices, layouts, false);
}

int text_compile_once(int devices, bool cold) {
  double start = text_now();
  dtgc_program *p = compile(&text_all[0], devices, text_all[0].layouts, cold);
  printf("%.2f", (text_now() - start) * 1e3);
  dtgc_time times[64];
  int n = dtgc_times(p, times, 64);
  for (int i = 0; i < n && i < 64; i++) printf(" %s %.1f", times[i].step, times[i].ms);
  printf("\n");
  bool wrong = dtgc_from_cache(p) != !cold;
  if (wrong) fprintf(stderr, "steps: the cache was %s\n", cold ? "used" : "not used");
  dtgc_free(p);
  return wrong;
}
