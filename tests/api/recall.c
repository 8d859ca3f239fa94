/* A program whose object was in the cache has run no pass. What is asked of it then is answered as
 * of one that was compiled: dumps, places, memory, results, and programs with the same layouts. */
#include "check.h"
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model[] = "import \"nn\"\nimport \"optim\"\n"
                            "const rows = 12\n"
                            "d1 = dense(8, 16, act=relu)\n"
                            "d2 = dense(16, 4)\n"
                            "opt = sgd([d1, d2], lr=0.1)\n"
                            "entry train(x: f32[rows, 8], t: f32[rows, 4]) {\n"
                            "  loss = mean((d2(d1(x)) - t) ** 2)\n"
                            "  opt.minimize(loss)\n"
                            "  return loss\n}\n"
                            "mesh [a=2, b=2]\n"
                            "layout train.x = [a, _]\nlayout d1.w = [_, b]\n";
enum { ROWS = 12, STEPS = 3 };

static dtgc_program *compile(int no_cache, const char *define, const dtgc_program *base) {
  dtgc_program *p = NULL;
  dtgc_options o = {.no_cache = no_cache, .variant_of = base, .define = &define, .ndefines = 1};
  CHECK(!dtgc_compile_string("model.dtg", model, &o, &p));
  return p;
}

static bool has_passed(const dtgc_program *p) {
  dtgc_time t[64];
  int n = dtgc_times(p, t, 64);
  for (int i = 0; i < n && i < 64; i++)
    if (!strcmp(t[i].step, "partition")) return true;
  return false;
}

/* The losses of a few steps. */
static void train(dtgc_program *p, float *loss) {
  float x[ROWS * 8], t[ROWS * 4];
  for (int i = 0; i < ROWS * 8; i++) x[i] = (float)(i * 7 % 11) / 8 - 0.5f;
  for (int i = 0; i < ROWS * 4; i++) t[i] = (float)(i * 5 % 7) / 4 - 0.5f;
  dtgc_buffer in[] = {{"x", x, sizeof x}, {"t", t, sizeof t}};
  for (int k = 0; k < STEPS; k++) {
    dtgc_buffer out = {"loss", &loss[k], sizeof loss[k]};
    CHECK(!dtgc_run(p, "train", in, 2, &out, 1));
  }
}

static void same_text(dtgc_status a, char *x, dtgc_status b, char *y, const char *what) {
  if (a || b || !x || !y || strcmp(x, y)) {
    fprintf(stderr, "%s is another\n", what);
    failures++;
  }
  dtgc_free_text(x);
  dtgc_free_text(y);
}

/* The 33rd step and all after it were once left out, "load" among them. */
static void check_times_end_with_load(void) {
  dtgc_program *p = compile(1, "rows=12", NULL);
  const struct dtrt_program *code = NULL;
  dtgc_time t[256];
  CHECK(!dtgc_load(p, &code));
  int n = dtgc_times(p, t, 256);
  CHECK(n > 32 && n <= 256 && !strcmp(t[0].step, "front") && !strcmp(t[n - 1].step, "load"));
  dtgc_free(p);
}

/* Each asks first for something else that needs the plan. */
static void check_asked(int what) {
  dtgc_program *warm = compile(0, "rows=12", NULL), *cold = compile(1, "rows=12", NULL);
  CHECK(!has_passed(warm) && has_passed(cold));
  CHECK(dtgc_devices(warm) == 4 && dtgc_axes(warm) == 2);
  char *x = NULL, *y = NULL;
  if (what == 0) {
    for (const char *const *stage = dtgc_stages(); *stage; stage++) {
      dtgc_status a = dtgc_dump(warm, *stage, &x), b = dtgc_dump(cold, *stage, &y);
      same_text(a, x, b, y, *stage);
    }
  } else if (what == 1) {
    dtgc_status a = dtgc_html(warm, &x), b = dtgc_html(cold, &y);
    same_text(a, x, b, y, "html");
  } else if (what == 2) {
    dtgc_status a = dtgc_why(warm, "loss", &x), b = dtgc_why(cold, "loss", &y);
    same_text(a, x, b, y, "why");
  } else if (what == 3) {
    dtgc_memory m, n;
    CHECK(!dtgc_memory_predicted(warm, &m) && !dtgc_memory_predicted(cold, &n));
    CHECK(m.total == n.total && m.arena == n.arena && m.variables == n.variables);
  } else if (what == 4) {
    int64_t lo[2][2], hi[2][2];
    size_t bytes[2];
    CHECK(!dtgc_box(warm, NULL, "d1.w", 1, lo[0], hi[0], &bytes[0]));
    CHECK(!dtgc_box(cold, NULL, "d1.w", 1, lo[1], hi[1], &bytes[1]));
    CHECK(bytes[0] == bytes[1] && bytes[0] == 8 * 8 * 4);
    CHECK(!memcmp(lo[0], lo[1], sizeof lo[0]) && !memcmp(hi[0], hi[1], sizeof hi[0]));
  } else if (what == 5) {
    dtgc_status a = dtgc_layout(warm, "train", "x", &x), b = dtgc_layout(cold, "train", "x", &y);
    same_text(a, x, b, y, "layout");
  } else if (what == 6) {
    CHECK(!dtgc_diff(cold, warm, NULL, NULL, &x));
    dtgc_free_text(x);
  } else if (what == 7) {
    dtgc_status a = dtgc_auto(warm, 0, &x), b = dtgc_auto(cold, 0, &y);
    same_text(a, x, b, y, "auto");
  }
  CHECK(has_passed(warm));
  dtgc_free(warm);
  dtgc_free(cold);
}

int main(void) {
  float loss[3][STEPS];
  dtgc_program *first = compile(0, "rows=12", NULL);
  train(first, loss[0]);
  dtgc_free(first);
  dtgc_program *warm = compile(0, "rows=12", NULL);
  train(warm, loss[1]);
  CHECK(dtgc_from_cache(warm) == 1 && !has_passed(warm));
  CHECK(!memcmp(loss[0], loss[1], sizeof loss[0]) && loss[0][2] < loss[0][0]);
  /* One that lies as a program which has no plan yet. */
  dtgc_program *variant = compile(0, "rows=8", warm);
  CHECK(has_passed(variant) && has_passed(warm));
  dtgc_free(warm);
  char *text = NULL;
  CHECK(!dtgc_dump(variant, "layouts", &text));
  dtgc_free_text(text);
  dtgc_free(variant);
  check_times_end_with_load();
  for (int what = 0; what < 8; what++) check_asked(what);
  /* Without the cache there is nothing to recall. */
  dtgc_program *cold = compile(1, "rows=12", NULL);
  train(cold, loss[2]);
  CHECK(dtgc_from_cache(cold) == 0 && !memcmp(loss[0], loss[2], sizeof loss[0]));
  dtgc_free(cold);
  return failures > 0;
}
