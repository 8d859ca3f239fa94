/* dtgc_verify: what the header promises of it. */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model[] = "const batch = 8\nparam w: f32[6, 4] = glorot_uniform()\n"
                            "entry train(x: f32[batch, 6], y: f32[batch, 4]) {\n"
                            "  e = x @ w - y\n"
                            "  loss = mean(e * e)\n"
                            "  w <- w - 0.1 * grad(loss, w)\n"
                            "  return loss\n"
                            "}\n"
                            "entry twice(x: f32[8, 6]) { return y = 2 * x }\n";
static int bad;

static void check(int ok, const char *what, const char *text) {
  if (ok) return;
  fprintf(stderr, "%s: %s\n", what, text ? text : "no text");
  bad = 1;
}

static dtgc_program *compiled(void) {
  const char *const layouts[] = {"x=[a,_]", "w=[b,_]"};
  const char *const imports[] = {"."};
  char text[2048];
  snprintf(text, sizeof text, "import \"init\"\n%s", model);
  dtgc_options o = {.mesh = "a=2,b=2",
                    .layout = layouts,
                    .nlayouts = 2,
                    .import_dir = imports,
                    .nimport_dirs = 1};
  dtgc_program *p;
  if (dtgc_compile_string("api.dtg", text, &o, &p)) fprintf(stderr, "%s\n", dtgc_error(p)), exit(1);
  return p;
}

/* A step that was run elsewhere, right and wrong; and training that looks at its own steps. */
static void verify_step(void) {
  float x[48], y[32], before[24], after[24], loss;
  for (int i = 0; i < 48; i++) x[i] = (float)(i * 7 % 13) / 13;
  for (int i = 0; i < 32; i++) y[i] = (float)(i * 5 % 11) / 11;
  dtgc_program *p = compiled();
  char *text = NULL;
  int differs = -1;
  dtgc_buffer in[] = {{"x", x, sizeof x}, {"y", y, sizeof y}}, out = {"loss", &loss, 4};
  dtgc_buffer was = {"w", before, sizeof before}, is = {"w", after, sizeof after};
  check(!dtgc_get(p, "w", before, sizeof before) && !dtgc_run(p, "train", in, 2, &out, 1) &&
            !dtgc_get(p, "w", after, sizeof after),
        "run", dtgc_error(p));
  check(!dtgc_verify_step(p, NULL, "train", in, 2, &out, 1, &was, &is, 1, &differs, &text) &&
            !differs,
        "a right step", text);
  dtgc_free_text(text);
  check(!dtgc_verify_step(p, NULL, "train", in, 2, NULL, 0, &was, &is, 1, &differs, &text) &&
            !differs,
        "without outputs", text);
  dtgc_free_text(text);
  after[5] += 1e-3f;
  check(!dtgc_verify_step(p, NULL, "train", in, 2, &out, 1, &was, &is, 1, &differs, &text) &&
            differs == 1 && strstr(text, "index [1, 1]") && strstr(text, "w of entry"),
        "a wrong variable", text);
  dtgc_free_text(text);
  check(dtgc_verify_step(p, NULL, "train", in, 1, &out, 1, &was, &is, 1, &differs, &text) ==
            DTGC_BAD_ARGUMENT,
        "an input is missing", dtgc_error(p));
  check(dtgc_verify_step(p, NULL, "train", in, 2, &out, 1, &was, &is, 0, &differs, &text) ==
            DTGC_BAD_ARGUMENT,
        "a variable is missing", dtgc_error(p));
  check(dtgc_verify_step(p, NULL, NULL, in, 2, &out, 1, &was, &is, 1, &differs, &text) ==
            DTGC_BAD_ARGUMENT,
        "entry is NULL", dtgc_error(p));
  dtgc_free(p);
}

/* dtgc_options.check_nan */
static void check_nan(void) {
  static const char text[] = "entry f(x: f32[4]) {\n  y = log(x)\n  return z = y * 2\n}\n";
  float x[4] = {1, 2, 0, 4}, z[4];
  dtgc_buffer in = {"x", x, sizeof x}, out = {"z", z, sizeof z};
  for (int mode = DTGC_CHECK_OFF; mode <= DTGC_CHECK_FULL; mode++) {
    dtgc_options o = {
        .mesh = "a=2", .layout = (const char *const[]){"x=[a]"}, .nlayouts = 1, .check_nan = mode};
    dtgc_program *p = NULL;
    int wrong = dtgc_compile_string("log.dtg", text, &o, &p);
    check(!wrong, "compile", dtgc_error(p));
    x[2] = 3;
    check(!dtgc_run(p, "f", &in, 1, &out, 1) && !*dtgc_found_nan(p), "finite", dtgc_found_nan(p));
    x[2] = 0;
    dtgc_status s = dtgc_run(p, "f", &in, 1, &out, 1);
    check(s == (mode == DTGC_CHECK_FULL ? DTGC_RUN_FAILED : DTGC_OK), "the call", dtgc_error(p));
    const char *found = dtgc_found_nan(p);
    if (mode == DTGC_CHECK_OFF) check(!*found, "off", found);
    if (mode == DTGC_CHECK_CHEAP)
      check(strstr(found, "output z is -inf at index [2] after entry `f`") != NULL, "cheap", found);
    if (mode == DTGC_CHECK_FULL)
      check(strstr(found, "y of entry `f` is -inf at index [2] on device 1: log (log.dtg:2) "
                          "computes it from x = 0") != NULL,
            "full", found);
    dtgc_free(p);
  }
  dtgc_program *p;
  check(dtgc_compile_string("log.dtg", text, &(dtgc_options){.check_nan = 3}, &p) ==
            DTGC_BAD_ARGUMENT,
        "check_nan is 3", NULL);
  dtgc_free(p);
  check(!*dtgc_found_nan(NULL), "NULL", NULL);
}

int main(void) {
  float x[16 * 6], y[16 * 4], w[24], before[24];
  for (int i = 0; i < 96; i++) x[i] = (float)(i * 7 % 13) / 13;
  for (int i = 0; i < 64; i++) y[i] = (float)(i * 5 % 11) / 11;
  verify_step();
  check_nan();
  dtgc_program *p = compiled();
  int differs = -1;
  char *text = NULL;

  check(dtgc_verify(p, NULL, &differs, &text) == DTGC_OK && differs == 0, "all entries", text);
  check(text && strstr(text, "init: ") && strstr(text, "train: ") && strstr(text, "twice: "),
        "a line each", text);
  dtgc_free_text(text);

  /* It trains p: two batches, then from the first again. */
  check(!dtgc_get(p, "w", before, sizeof before), "get", dtgc_error(p));
  dtgc_feed feed[] = {{.name = "x", .data = x, .rows = 16}, {.name = "y", .data = y, .rows = 16}};
  dtgc_verify_options o = {.entry = "train", .feed = feed, .nfeed = 2, .steps = 3};
  check(dtgc_verify(p, &o, &differs, &text) == DTGC_OK && differs == 0 && strstr(text, "3 steps"),
        "rows of arrays", text);
  dtgc_free_text(text);
  check(!dtgc_get(p, "w", w, sizeof w) && memcmp(w, before, sizeof w), "w stays as it was", NULL);
  dtgc_program *q = compiled();
  check(!dtgc_copy_variables(q, p, NULL) && !dtgc_set(q, "w", before, sizeof before), "set",
        dtgc_error(q));
  for (int k = 0; k < 3; k++) {
    float loss;
    dtgc_buffer in[] = {{"x", x + k % 2 * 48, 8 * 6 * 4}, {"y", y + k % 2 * 32, 8 * 4 * 4}},
                out = {"loss", &loss, 4};
    check(!dtgc_run(q, "train", in, 2, &out, 1), "run", dtgc_error(q));
  }
  check(!dtgc_get(q, "w", before, sizeof before) && !memcmp(w, before, sizeof w),
        "not the variables of three steps", NULL);
  dtgc_free(q);

  dtgc_fit_options fit = {
      .train = {.entry = "train", .feed = feed, .nfeed = 2}, .epochs = 2, .verify_every = 1};
  check(!dtgc_fit(p, &fit), "fit that looks at each step", dtgc_error(p));

  /* What is wrong is refused, and leaves no text. */
  o.entry = "trian";
  check(dtgc_verify(p, &o, &differs, &text) == DTGC_BAD_ARGUMENT && !text, "unknown entry",
        dtgc_error(p));
  o.entry = "twice";
  check(dtgc_verify(p, &o, &differs, &text) == DTGC_BAD_ARGUMENT && strstr(dtgc_error(p), "`y`"),
        "unknown input y", dtgc_error(p));
  o = (dtgc_verify_options){.steps = -1};
  check(dtgc_verify(p, &o, &differs, &text) == DTGC_BAD_ARGUMENT, "steps", dtgc_error(p));
  o = (dtgc_verify_options){.tolerance = -1};
  check(dtgc_verify(p, &o, &differs, &text) == DTGC_BAD_ARGUMENT, "tolerance", dtgc_error(p));
  o = (dtgc_verify_options){.nfeed = 1};
  check(dtgc_verify(p, &o, &differs, &text) == DTGC_BAD_ARGUMENT, "feed is NULL", dtgc_error(p));
  check(dtgc_verify(p, NULL, NULL, &text) == DTGC_BAD_ARGUMENT, "differs is NULL", dtgc_error(p));
  check(dtgc_verify(p, NULL, &differs, NULL) == DTGC_BAD_ARGUMENT, "text is NULL", dtgc_error(p));
  check(dtgc_verify(NULL, NULL, &differs, &text) == DTGC_BAD_ARGUMENT, "p is NULL", NULL);

  /* A variable that is not a number is so on one device, too. */
  for (int i = 0; i < 24; i++) w[i] = 0.0f / (float)(i - i);
  check(!dtgc_set(p, "w", w, sizeof w), "set", dtgc_error(p));
  check(dtgc_verify(p, NULL, &differs, &text) == DTGC_OK && differs == 0, "NaN on both sides",
        text);
  dtgc_free_text(text);
  dtgc_free(p);
  return bad;
}
