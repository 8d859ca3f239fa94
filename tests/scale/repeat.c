/* Steps that repeat are written once, as a function: what a program computes, bit for bit, and what
 * it says when an index is wrong must be what they are when every step is written out. Models whose
 * blocks are equal, or nearly so: another shape or constant or op in the middle, shared weights,
 * random draws, uneven blocks of rows; on 1, 2 and 5 devices. */
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3, MOST_BYTES = 1 << 20 };

typedef struct Case {
  const char *name, *text;
  int blocks; /* functions that saving 4 steps makes for one device, at least */
  bool fails; /* in the last run: an index is outside its dim */
} Case;

#define HEAD                                                                                       \
  "import \"nn\"\nimport \"optim\"\nconst deep = 6\n"                                              \
  "fn pick(is, a, b) {\n  if is { return a }\n  return b\n}\n"                                     \
  "layer block(n, m) {\n  up = dense(n, m, act=relu)\n  down = dense(m, n)\n"                      \
  "  apply(x) { return x + down(up(x)) }\n}\n"
#define TRAIN                                                                                      \
  "model = net()\nopt = adam(model, lr=1e-2)\n"                                                    \
  "entry train(x: f32[12, 8] on [batch, _], want: f32[12, 8] on [batch, _]) {\n"                   \
  "  y = model(x)\n  loss = mean((y - want) * (y - want))\n  opt.minimize(loss)\n"                 \
  "  return loss, y\n}\n"

static const Case cases[] = {
    {"equal",
     HEAD "layer net() { b = [block(8, 16) for i in 0..deep]\n"
          "  apply(x) { for f in b { x = f(x) }\n return x } }\n" TRAIN,
     2, false},
    {"another shape in the middle",
     HEAD "layer net() { b = [block(8, pick(i == 3, 24, 16)) for i in 0..deep]\n"
          "  apply(x) { for f in b { x = f(x) }\n return x } }\n" TRAIN,
     2, false},
    {"another constant in one",
     HEAD "layer net() { b = [block(8, 16) for i in 0..deep]\n"
          "  apply(x) { for i in 0..deep { x = b[i](x) * pick(i == 4, 0.5, 0.25) }\n"
          "  return x } }\n" TRAIN,
     2, false},
    {"one more op in one",
     HEAD "layer net() { b = [block(8, 16) for i in 0..deep]\n"
          "  apply(x) { for i in 0..deep { if i == 2 { x = tanh(x) }\n x = b[i](x) }\n"
          "  return x } }\n" TRAIN,
     1, false},
    {"shared weights",
     HEAD "layer net() { b = block(8, 16)\n"
          "  apply(x) { for i in 0..deep { x = b(x) }\n return x } }\n" TRAIN,
     2, false},
    {"random draws",
     HEAD "layer net() { b = [block(8, 16) for i in 0..deep]\n"
          "  apply(x) { for f in b { x = dropout(f(x), 0.25) }\n return x } }\n" TRAIN,
     2, false},
    {"a loop that swaps buffers",
     "param w: f32[8, 8] = uniform([8, 8], -0.5, 0.5)\n"
     "entry f(x: f32[12, 8] on [batch, _]) { for i in 0..50 { x = x @ w }\n return y = x }\n",
     1, false},
    {"a sum over devices in each",
     "param w: f32[8, 8] = uniform([8, 8], -0.5, 0.5)\n"
     "entry f(x: f32[12, 8] on [batch, _]) {\n"
     "  for i in 0..9 { x = (x - mean(x, axis=0)) @ w }\n return y = x\n}\n",
     1, false},
    {"an index outside, in the last run",
     "param table: f32[9, 8] = uniform([9, 8], -0.5, 0.5)\nparam w: f32[8, 8] = ones([8, 8])\n"
     "entry f(at: i32[12] on [batch], by: i32[]) {\n  s = gather(table, at)\n"
     "  for i in 0..6 {\n    at = at + by\n    s = (s + gather(table, at)) @ w\n  }\n"
     "  return s\n}\n",
     1, true},
};

static int failures;

static void fail(const Case *c, int devices, const char *what) {
  printf("FAIL %s, %d devices: %s\n", c->name, devices, what);
  failures++;
}

/* -------- one program -------- */

typedef struct Result {
  char *bytes; /* outputs of all runs, then variables */
  size_t n;
  char error[1024];
  int blocks;
} Result;

static void keep(Result *r, const void *bytes, size_t n) {
  if (r->n + n > MOST_BYTES) exit(2);
  memcpy(r->bytes + r->n, bytes, n);
  r->n += n;
}

static void die(const Case *c, const dtgc_program *p) {
  printf("FAIL %s: %s\n", c->name, dtgc_error(p));
  exit(1);
}

/* In run k; whole numbers so that the last run of the failing case, and no other, goes too far. */
static void fill(const dtgc_tensor *t, int k, char *to) {
  for (int64_t i = 0; i < t->count; i++)
    if (t->dtype == DTGC_F32)
      ((float *)(void *)to)[i] = (float)((i * 7 + k * 3) % 11) / 8 - 0.5f;
    else
      ((int32_t *)(void *)to)[i] = t->rank ? (int32_t)(i % 3) : k == RUNS - 1 ? 2 : 1;
}

static void run_once(const Case *c, dtgc_program *p, const char *entry, int k, Result *r) {
  static char in[2][4096], out[2][4096];
  dtgc_buffer from[2], to[2];
  int nin = dtgc_inputs(p, entry), nout = dtgc_outputs(p, entry);
  dtgc_tensor t;
  for (int i = 0; i < nin; i++) {
    if (dtgc_input(p, entry, i, &t)) die(c, p);
    fill(&t, k, in[i]);
    from[i] = (dtgc_buffer){t.name, in[i], t.bytes};
  }
  for (int i = 0; i < nout; i++) {
    if (dtgc_output(p, entry, i, &t)) die(c, p);
    to[i] = (dtgc_buffer){t.name, out[i], t.bytes};
  }
  bool fails = c->fails && k == RUNS - 1;
  dtgc_status s = dtgc_run(p, entry, from, nin, to, nout);
  if (fails != (s != DTGC_OK)) die(c, p);
  /* "device 1 failed in ... at ...: index 9 ...": which rank is first, and sees which index, is open
   */
  const char *what = fails ? strstr(dtgc_error(p), "failed in") : NULL;
  const char *end = what ? strstr(what, ": index") : NULL;
  if (end) snprintf(r->error, sizeof r->error, "%.*s", (int)(end - what), what);
  for (int i = 0; i < nout && !fails; i++) keep(r, out[i], to[i].bytes);
}

static int count(const char *text, const char *what) {
  int n = 0;
  for (const char *s = text; (s = strstr(s, what)); s += strlen(what)) n++;
  return n;
}

static Result compute(const Case *c, int devices, const char *disable, int saves) {
  Result r = {.bytes = malloc(MOST_BYTES)};
  char mesh[32], *text;
  if (!r.bytes) exit(2);
  snprintf(mesh, sizeof mesh, "batch=%d", devices);
  dtgc_options o = {.mesh = mesh,
                    .seed = 3,
                    .optimize = "1",
                    .disable = &disable,
                    .ndisables = disable != NULL,
                    .repeat_saves = saves};
  dtgc_program *p;
  if (dtgc_compile_string("model.dtg", c->text, &o, &p)) die(c, p);
  if (dtgc_dump(p, "c", &text)) die(c, p);
  r.blocks = count(text, "times more the like of them");
  dtgc_free_text(text);
  const char *entry = dtgc_entry(p, 0);
  for (int k = 0; k < RUNS; k++) run_once(c, p, entry, k, &r);
  for (int i = 0; i < dtgc_vars(p) && !c->fails; i++) {
    static char value[65536];
    dtgc_tensor t;
    if (dtgc_var(p, i, &t) || dtgc_get(p, t.name, value, t.bytes)) die(c, p);
    keep(&r, value, t.bytes);
  }
  dtgc_free(p);
  return r;
}

/* -------- -------- */

static void check(const Case *c, int devices) {
  Result plain = compute(c, devices, "repeat", 0);
  if (plain.blocks) fail(c, devices, "--disable=repeat makes functions");
  if (plain.n == 0) fail(c, devices, "nothing was computed");
  static const int least[] = {1, 4, 0, 12};
  for (int i = 0; i < 4; i++) {
    Result r = compute(c, devices, NULL, least[i]);
    if (r.n != plain.n || memcmp(r.bytes, plain.bytes, r.n)) fail(c, devices, "other bits");
    if (strcmp(r.error, plain.error)) {
      printf("%s\n%s\n", plain.error, r.error);
      fail(c, devices, "another message");
    }
    if (i == 1 && devices == 1 && r.blocks < c->blocks) {
      printf("%d functions, not %d\n", r.blocks, c->blocks);
      fail(c, devices, "too few functions");
    }
    free(r.bytes);
  }
  if (c->fails && !strstr(plain.error, "(model.dtg:7)"))
    fail(c, devices, "the message names no step");
  free(plain.bytes);
}

int main(void) {
  static const int devices[] = {1, 2, 5}; /* 12 rows do not divide by 5 */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int d = 0; d < 3; d++) check(&cases[i], devices[d]);
  return failures > 0;
}
