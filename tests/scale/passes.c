/* How often norms, softmax and cross-entropy go over memory: steps that touch a value as large as
 * the input, counted in the table of steps of the emitted C. And that loops which run tile by
 * tile compute what they compute untiled (--disable=rows), bit for bit, on 1, 2 and 3 devices. */
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Case {
  const char *name, *text;
  int64_t bytes; /* of what counts as large */
  int passes, alone;
} Case;

#define ROWS "x: f32[4500, 256] on [batch, _], g: f32[4500, 256] on [batch, _]"
#define IMAGES "x: f32[180, 16, 16, 32] on [batch, ...], g: f32[180, 16, 16, 32] on [batch, ...]"
#define LOGITS "x: f32[600, 2050] on [batch, _], g: f32[600, 2050] on [batch, _]"
#define GRADIENTS                                                                                  \
  "  y = model(x)\n  loss = sum(y * g)\n"                                                          \
  "  return grad(loss, x), grad(loss, model.n.scale), grad(loss, model.n.shift)\n}\n"

static const Case cases[] = {
    {"layer norm",
     "import \"nn\"\nlayer m() {\n  n = layer_norm(256)\n  apply(x) { return n(x) }\n}\n"
     "model = m()\nentry f(" ROWS ") { return model(x) + g }\n",
     4500 * 256 * 4, 1, 3},
    {"layer norm, forward and backward",
     "import \"nn\"\nlayer m() {\n  n = layer_norm(256)\n  apply(x) { return n(x) }\n}\n"
     "model = m()\nentry f(" ROWS ") {\n" GRADIENTS,
     4500 * 256 * 4, 2, 7},
    {"root mean square norm",
     "import \"nn\"\nlayer m() {\n  n = rms_norm(256)\n  apply(x) { return n(x) }\n}\n"
     "model = m()\nentry f(" ROWS ") { return model(x) + g }\n",
     4500 * 256 * 4, 1, 2},
    {"root mean square norm, forward and backward",
     "import \"nn\"\nlayer m() {\n  n = rms_norm(256)\n  apply(x) { return n(x) }\n}\n"
     "model = m()\nentry f(" ROWS ") {\n  loss = sum(model(x) * g)\n"
     "  return grad(loss, x), grad(loss, model.n.scale)\n}\n",
     4500 * 256 * 4, 1, 4},
    {"batch norm",
     "import \"nn\"\nlayer m() {\n  n = batch_norm(32)\n  apply(x) { return n(x) }\n}\n"
     "model = m()\nentry f(" IMAGES ") { return model(x) + g }\n",
     180 * 16 * 16 * 32 * 4, 3, 3},
    {"batch norm, forward and backward",
     "import \"nn\"\nlayer m() {\n  n = batch_norm(32)\n  apply(x) { return n(x) }\n}\n"
     "model = m()\nentry f(" IMAGES ") {\n" GRADIENTS,
     180 * 16 * 16 * 32 * 4, 4, 7},
    {"softmax", "entry f(" LOGITS ") { return softmax(x) + g }\n", 600 * 2050 * 4, 1, 4},
    {"softmax, forward and backward",
     "entry f(" LOGITS ") {\n  y = softmax(x)\n  return y, grad(sum(y * g), x)\n}\n",
     600 * 2050 * 4, 1, 6},
    {"cross-entropy",
     "entry f(" LOGITS ", label: i32[600] on [batch]) {\n"
     "  return sparse_softmax_cross_entropy(x + g, label)\n}\n",
     600 * 2050 * 4, 1, 3},
    {"cross-entropy, forward and backward",
     "entry f(" LOGITS ", label: i32[600] on [batch]) {\n"
     "  loss = mean(sparse_softmax_cross_entropy(x + g, label))\n"
     "  return loss, grad(loss, x)\n}\n",
     600 * 2050 * 4, 1, 5},
    {"a mask and the sum of its rows", /* as of a bias before an activation */
     "entry f(" ROWS ") {\n  d = where(x > 0, g, 0)\n  return d, sum(d, axis=0)\n}\n",
     4500 * 256 * 4, 1, 2},
    {"a loss of all elements, its gradient, and sums",
     "entry f(" ROWS ") {\n  d = tanh(x) - g\n  return a = sum(d * d), b = 2 * d, c = sum(d, axis=0),\n"
     "         e = mean(d)\n}\n",
     4500 * 256 * 4, 1, 4},
    {"sums of all elements, of three dims",
     "entry f(x: f32[9, 500, 256] on [batch, ...]) {\n  d = tanh(x)\n"
     "  return a = sum(d * d), b = 2 * d, c = sum(d, axis=[0, 1]), e = mean(abs(d))\n}\n",
     4500 * 256 * 4, 1, 4},
    {"rows of halves",
     "import \"nn\"\nentry f(" ROWS ") {\n  y = softmax(f16(x))\n  return f32(y) + g\n}\n",
     4500 * 256 * 4, 1, 4}, /* the halves are cast to f32 once, for all that softmax does */
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
  char *bytes; /* of all outputs */
  size_t n;
  int passes;
} Result;

/* The last number of a step's line is the bytes that it touches. */
static int count_passes(const Case *c, const char *text) {
  int passes = 0;
  const char *line = strstr(text, "entry_f_steps[]");
  for (line = line ? strchr(line, '\n') : NULL; line && line[1] == ' ';
       line = strchr(line + 1, '\n')) {
    const char *end = strstr(line + 1, "},\n"), *number = end;
    while (number && number[-1] != ' ') number--;
    passes += number && strtoll(number, NULL, 10) >= c->bytes;
  }
  return passes;
}

static void run(const Case *c, dtgc_program *p, Result *r) {
  dtgc_buffer from[3], to[4];
  int nin = dtgc_inputs(p, "f"), nout = dtgc_outputs(p, "f");
  dtgc_tensor t;
  for (int i = 0; i < nin; i++) {
    if (dtgc_input(p, "f", i, &t)) die(c, p);
    float *x = malloc(t.bytes);
    if (!x) exit(2);
    for (int64_t q = 0; q < t.count; q++) {
      if (t.dtype == DTGC_I32)
        ((int32_t *)x)[q] = (int32_t)(q * 37 % 2050);
      else
        x[q] = (float)((q * (7 + i) + q / 64) % 101) / 40 - 1;
    }
    from[i] = (dtgc_buffer){t.name, x, t.bytes};
  }
  for (int i = 0; i < nout; i++) {
    if (dtgc_output(p, "f", i, &t)) die(c, p);
    to[i] = (dtgc_buffer){t.name, malloc(t.bytes), t.bytes};
    if (!to[i].data) exit(2);
  }
  if (dtgc_run(p, "f", from, nin, to, nout)) die(c, p);
  for (int i = 0; i < nout; i++) {
    r->bytes = realloc(r->bytes, r->n + to[i].bytes);
    if (!r->bytes) exit(2);
    memcpy(r->bytes + r->n, to[i].data, to[i].bytes);
    r->n += to[i].bytes;
    free(to[i].data);
  }
  for (int i = 0; i < nin; i++) free((void *)from[i].data);
}

static Result compute(const Case *c, int devices, const char *disable) {
  Result r = {0};
  char mesh[32], *text;
  snprintf(mesh, sizeof mesh, "batch=%d", devices);
  dtgc_options o = {.mesh = mesh, .disable = &disable, .ndisables = disable != NULL};
  dtgc_program *p;
  if (dtgc_compile_string("model.dtg", c->text, &o, &p)) die(c, p);
  if (dtgc_dump(p, "c", &text)) die(c, p);
  r.passes = count_passes(c, text);
  dtgc_free_text(text);
  run(c, p, &r);
  dtgc_free(p);
  return r;
}

static void check(const Case *c, int devices) {
  Result alone = compute(c, devices, "rows"), rows = compute(c, devices, NULL);
  if (!alone.n || alone.n != rows.n || memcmp(alone.bytes, rows.bytes, alone.n))
    fail(c, devices, "other bits than by themselves");
  if (devices == 1 && (rows.passes != c->passes || alone.passes != c->alone)) {
    printf("%d passes, not %d; by themselves %d, not %d\n", rows.passes, c->passes, alone.passes,
           c->alone);
    fail(c, devices, "another number of passes");
  }
  free(alone.bytes), free(rows.bytes);
}

int main(void) {
  static const int devices[] = {1, 2, 3};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int d = 0; d < 3; d++) check(&cases[i], devices[d]);
  return failures > 0;
}
