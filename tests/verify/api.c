/* dtgc_verify: what the header promises of it. */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model[] = "param w: f32[6, 4] = glorot_uniform()\n"
                            "entry train(x: f32[8, 6], y: f32[8, 4]) {\n"
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

int main(void) {
  float x[16 * 6], y[16 * 4], w[24], before[24];
  for (int i = 0; i < 96; i++) x[i] = (float)(i * 7 % 13) / 13;
  for (int i = 0; i < 64; i++) y[i] = (float)(i * 5 % 11) / 11;
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

  /* What is wrong is refused, and leaves no text. */
  o.entry = "trian";
  check(dtgc_verify(p, &o, &differs, &text) == DTGC_BAD_ARGUMENT && !text, "no entry",
        dtgc_error(p));
  o.entry = "twice";
  check(dtgc_verify(p, &o, &differs, &text) == DTGC_BAD_ARGUMENT && strstr(dtgc_error(p), "`y`"),
        "no input y", dtgc_error(p));
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
