/* Every layer of include/dtg/nn.dtg in every floating-point type, and in f32 with each `precision`,
 * beside the same layer in f32 with the same parameters: results and gradients, on one device and
 * with the batch cut. The bound is some roundings of the type, relative to the norm of what is
 * compared: an element alone may be all rounding. */
#include "dtgc.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct layer {
  const char *call; /* %s: the type */
  const char *shape;
  bool products, integers; /* it has products of f32; x is */
} layers[] = {
    {"dense(6, 5, type=%s)", "[8, 6]", true, false},
    {"dense(6, 5, act=gelu, type=%s)", "[8, 3, 6]", true, false},
    {"embedding(7, 5, stddev=1, type=%s)", "[8, 3]", false, true},
    {"layer_norm(12, type=%s)", "[8, 12]", false, false},
    {"batch_norm(5, type=%s)", "[8, 4, 5]", false, false},
    {"rms_norm(12, type=%s)", "[8, 12]", false, false},
    {"group_norm(6, 2, type=%s)", "[8, 5, 6]", false, false},
    {"instance_norm(6, type=%s)", "[8, 9, 6]", false, false},
    {"prelu(6, type=%s)", "[8, 6]", false, false},
    {"conv_layer(3, 5, [3, 3], type=%s)", "[8, 6, 5, 3]", false, false},
    {"conv_layer(4, 4, [3], groups=4, stride=2, act=gelu, type=%s)", "[8, 9, 4]", false, false},
    {"conv_layer(5, 4, [1, 1], type=%s)", "[8, 6, 5, 5]", false, false},
    {"conv_transpose_layer(3, 4, [3, 3], stride=2, type=%s)", "[8, 4, 3, 3]", false, false},
    {"self_attention(12, 3, stddev=0.4, type=%s)", "[8, 5, 12]", true, false},
    {"transformer_encoder_block(16, 4, kv_heads=2, causal=true, rotates=true, type=%s)", "[8, 5, 16]",
     true, false},
    {"separable_conv_layer(4, 6, [3, 3], act=gelu, type=%s)", "[8, 6, 5, 4]", false, false},
    {"multi_head_attention(16, 4, kv_heads=2, causal=true, rotates=true, type=%s)", "[8, 5, 16]",
     true, false},
    {"rnn(6, 5, type=%s)", "[8, 4, 6]", true, false},
    {"gru(6, 5, type=%s)", "[8, 4, 6]", true, false},
    {"lstm(6, 5, type=%s)", "[8, 4, 6]", true, false},
};

static const struct type {
  const char *name, *precision;
  double unit; /* of its rounding */
} types[] = {{"f64", "f32", 0x1p-23},
             {"f32", "bf16", 0x1p-8},
             {"f32", "f16", 0x1p-11},
             {"f32", "bf16, master f32", 0x1p-8},
             {"f32", "f16, master f32", 0x1p-11},
             {"f16", "f32", 0x1p-11},
             {"bf16", "bf16", 0x1p-8}};
enum { LAYERS = sizeof layers / sizeof *layers, TYPES = sizeof types / sizeof *types, UNITS = 12 };

static int failed;

/* The entry `set` gives each variant the parameters of `a`; `f` returns, for each variant, how far
 * its result and its gradients are from a's, by the norm of a's. */
static void make(const struct layer *layer, char *text, size_t room) {
  char call[200];
  int n = snprintf(text, room, "import \"nn\"\na = ");
  n += snprintf(text + n, room - (size_t)n, layer->call, "f32");
  for (int i = 0; i < TYPES; i++) {
    snprintf(call, sizeof call, layer->call, types[i].name);
    n += snprintf(text + n, room - (size_t)n, "\nb%d = %s\nprecision b%d = %s", i, call, i,
                  types[i].precision);
  }
  n += snprintf(text + n, room - (size_t)n,
                "\nfn far(x, y) { return sqrt(sum((f64(x) - f64(y)) ** 2) / sum(f64(y) ** 2)) }\n"
                "fn loss(y) {\n  c = iota(shape(y), axis=-1) + 2 * iota(shape(y), axis=0)\n"
                "  return sum(f64(y) * (1.5 + cos(f64(c + iota(shape(y), axis=1)))))\n}\n"
                "entry set() {\n  i = 0\n  for p in params(a) {\n"
                "    v = p + 0.1 * sin(f32(iota(shape(p), axis=-1) + 1))\n    p <- v\n");
  for (int i = 0; i < TYPES; i++)
    n += snprintf(text + n, room - (size_t)n, "    params(b%d)[i] <- cast(v, %s)\n", i,
                  types[i].name);
  n += snprintf(
      text + n, room - (size_t)n,
      "    i = i + 1\n  }\n}\nentry f(x: f32%s) {\n  y = a(%s)\n  g = grad(loss(y), params(a))\n",
      layer->shape, layer->integers ? "i32(abs(x) * 3)" : "x");
  for (int i = 0; i < TYPES; i++) {
    snprintf(call, sizeof call, layer->integers ? "i32(abs(x) * 3)" : "cast(x, %s)", types[i].name);
    n += snprintf(text + n, room - (size_t)n,
                  "  z = b%d(%s)\n  e%d = far(z, y)\n  i = 0\n"
                  "  for d in grad(loss(z), params(b%d)) {\n    e%d = max(e%d, far(d, g[i]))\n"
                  "    i = i + 1\n  }\n",
                  i, call, i, i, i, i);
  }
  n += snprintf(text + n, room - (size_t)n, "  return e0");
  for (int i = 1; i < TYPES; i++) n += snprintf(text + n, room - (size_t)n, ", e%d", i);
  snprintf(text + n, room - (size_t)n, "\n}\n");
}

static void run(const struct layer *layer, const char *mesh) {
  char text[10000];
  const char *layout = "x=[a, ...]";
  dtgc_options o = {.mesh = mesh, .layout = &layout, .nlayouts = mesh != NULL};
  dtgc_program *p;
  float x[8 * 6 * 5 * 5];
  double far[TYPES];
  char name[TYPES][8];
  dtgc_buffer out[TYPES];
  dtgc_tensor t;
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = (float)((i * 37 + i / 11) % 29) / 14 - 1;
  for (int i = 0; i < TYPES; i++) {
    snprintf(name[i], sizeof name[i], "e%d", i);
    out[i] = (dtgc_buffer){name[i], &far[i], sizeof far[i]};
  }
  make(layer, text, sizeof text);
  bool bad = dtgc_compile_string(layer->call, text, &o, &p) ||
             dtgc_run(p, "set", NULL, 0, NULL, 0) || dtgc_input(p, "f", 0, &t);
  dtgc_buffer in = {"x", x, bad ? 0 : t.bytes};
  if (bad || dtgc_run(p, "f", &in, 1, out, TYPES)) {
    printf("FAIL %s: %s\n%s", layer->call, dtgc_error(p), text);
    failed++;
  }
  for (int i = 0; !bad && i < TYPES; i++) {
    const bool same = layer->products && !far[i];
    if (far[i] <= UNITS * types[i].unit && !same) continue;
    printf("FAIL %s%s%s: %s with products in %s is %g off, of %g\n", layer->call,
           mesh ? " on " : "", mesh ? mesh : "", types[i].name, types[i].precision, far[i],
           UNITS * types[i].unit);
    failed++;
  }
  dtgc_free(p);
}

/* --all: each layer on both meshes, not by turns */
int main(int argc, char **argv) {
  const bool all = argc > 1 && !strcmp(argv[1], "--all");
  for (int i = 0; i < LAYERS; i++) {
    if (all || i % 2) run(&layers[i], NULL);
    if (all || !(i % 2)) run(&layers[i], "a=2");
  }
  printf("%d layers in %d types\n", LAYERS, TYPES);
  return failed != 0;
}
