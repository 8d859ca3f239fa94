/* What dtgc.h promises, tried from outside: results, names, sizes, errors, several programs at
 * once. */
#include "check.h"
#include <dtgc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model[] = "const n = 6\n"
                            "layer counter() {\n"
                            "  state total: f32[n] = zeros()\n"
                            "  param scale: f32[] = ones()\n"
                            "  apply(x) {\n"
                            "    total <- total + x * scale\n"
                            "    return total\n"
                            "  }\n"
                            "}\n"
                            "count = counter()\n"
                            "entry add(x: f32[n], y: f32[n]) {\n"
                            "  return sum = x + y, dot = sum(x * y)\n"
                            "}\n"
                            "entry step(x: f32[n]) { return total = count(x) }\n";

typedef struct Seen {
  int errors, notes, line, column;
  char text[400];
} Seen;

static void see(void *user, const dtgc_message *m) {
  Seen *s = user;
  if (m->severity == DTGC_NOTE) s->notes++;
  if (m->severity != DTGC_ERROR || s->errors++) return;
  s->line = m->line;
  s->column = m->column;
  snprintf(s->text, sizeof s->text, "%s", m->rendered);
}

static dtgc_program *compile(const char *mesh, Seen *seen) {
  const char *layouts[] = {"x=[a]"};
  dtgc_options o = {.mesh = mesh, .layout = layouts, .nlayouts = mesh ? 1 : 0, .seed = 7};
  dtgc_program *p = NULL;
  *seen = (Seen){0};
  o.message = see;
  o.user = seen;
  dtgc_status s = dtgc_compile_string("model.dtg", model, &o, &p);
  if (s) fprintf(stderr, "%s\n%s\n", dtgc_error(p), seen->text);
  CHECK(s == DTGC_OK);
  if (s) exit(1);
  return p;
}

static void check_tables(dtgc_program *p) {
  dtgc_tensor t;
  CHECK(dtgc_entries(p) == 2);
  CHECK(strcmp(dtgc_entry(p, 0), "add") == 0 && strcmp(dtgc_entry(p, 1), "step") == 0);
  CHECK(!dtgc_entry(p, 2) && !dtgc_entry(p, -1));
  CHECK(dtgc_inputs(p, "add") == 2 && dtgc_outputs(p, "add") == 2 && dtgc_inputs(p, "no") == -1);
  CHECK(dtgc_input(p, "add", 1, &t) == DTGC_OK);
  CHECK(strcmp(t.name, "y") == 0 && t.dtype == DTGC_F32 && t.rank == 1 && t.shape[0] == 6);
  CHECK(t.bytes == 24 && t.count == 6);
  CHECK(dtgc_output(p, "add", 1, &t) == DTGC_OK && strcmp(t.name, "dot") == 0 && t.rank == 0);
  CHECK(dtgc_output(p, "add", 2, &t) == DTGC_BAD_ARGUMENT);
  int scale = dtgc_find_var(p, "count.scale"), total = dtgc_find_var(p, "count.total");
  CHECK(scale >= 0 && total >= 0 && dtgc_find_var(p, "nothing") == -1);
  CHECK(dtgc_var(p, scale, &t) == DTGC_OK && t.trainable == 1 && t.bytes == 4);
  CHECK(dtgc_var(p, total, &t) == DTGC_OK && t.trainable == 0 && t.bytes == 24);
  CHECK(dtgc_var(p, dtgc_vars(p), &t) == DTGC_BAD_ARGUMENT);
}

static void check_run(dtgc_program *p) {
  float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {10, 20, 30, 40, 50, 60}, sum[6] = {0}, dot = 0;
  dtgc_buffer in[] = {{"y", y, sizeof y}, {"x", x, sizeof x}};
  dtgc_buffer out[] = {{"dot", &dot, sizeof dot}, {"sum", sum, sizeof sum}};
  dtgc_status s = dtgc_run(p, "add", in, 2, out, 2);
  if (s) fprintf(stderr, "%s\n", dtgc_error(p));
  CHECK(s == DTGC_OK && dot == 910);
  for (int i = 0; i < 6; i++) CHECK(sum[i] == x[i] + y[i]);
  CHECK(dtgc_run(p, "add", in, 2, NULL, 0) == DTGC_OK);
}

static void check_vars(dtgc_program *p) {
  float x[6] = {1, 1, 1, 1, 1, 1}, total[6], scale = 3;
  dtgc_buffer in[] = {{"x", x, sizeof x}}, out[] = {{"total", total, sizeof total}};
  CHECK(dtgc_set(p, "count.scale", &scale, sizeof scale) == DTGC_OK);
  for (int i = 0; i < 2; i++) CHECK(dtgc_run(p, "step", in, 1, out, 1) == DTGC_OK);
  for (int i = 0; i < 6; i++) CHECK(total[i] == 6);
  CHECK(dtgc_get(p, "count.total", total, sizeof total) == DTGC_OK && total[5] == 6);
  CHECK(dtgc_run(p, "init", NULL, 0, NULL, 0) == DTGC_OK);
  CHECK(dtgc_get(p, "count.total", total, sizeof total) == DTGC_OK && total[5] == 0);
  CHECK(dtgc_get(p, "count.scale", &scale, sizeof scale) == DTGC_OK && scale == 1);
}

static void check_misuse(dtgc_program *p) {
  float x[6] = {0};
  dtgc_buffer in[] = {{"x", x, sizeof x}, {"y", x, sizeof x}};
  CHECK(dtgc_run(p, "ad", in, 2, NULL, 0) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "`add`");
  CHECK(dtgc_run(p, "add", in, 1, NULL, 0) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "`y`");
  in[1].bytes = 20;
  CHECK(dtgc_run(p, "add", in, 2, NULL, 0) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "f32[6]");
  HAS(dtgc_error(p), "20");
  in[1] = in[0];
  CHECK(dtgc_run(p, "add", in, 2, NULL, 0) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "twice");
  in[1] = (dtgc_buffer){"z", x, sizeof x};
  CHECK(dtgc_run(p, "add", in, 2, NULL, 0) == DTGC_BAD_ARGUMENT);
  in[1] = (dtgc_buffer){"y", NULL, sizeof x};
  CHECK(dtgc_run(p, "add", in, 2, NULL, 0) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "NULL");
  CHECK(dtgc_get(p, "count.scael", x, 4) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "count.scale");
  CHECK(dtgc_set(p, "count.scale", x, 8) == DTGC_BAD_ARGUMENT);
  check_run(p); /* none of it did harm */
}

static void check_dumps(dtgc_program *p) {
  for (const char *const *s = dtgc_stages(); *s; s++) {
    char *text = NULL;
    CHECK(dtgc_dump(p, *s, &text) == DTGC_OK);
    CHECK(text && *text);
    dtgc_free_text(text);
  }
  char *text;
  CHECK(dtgc_dump(p, "nothing", &text) == DTGC_BAD_ARGUMENT && !text);
  CHECK(dtgc_why(p, "count.scale", &text) == DTGC_OK && strstr(text, "count.scale"));
  dtgc_free_text(text);
  CHECK(dtgc_diff(p, p, "this", "that", &text) == DTGC_OK && strstr(text, "that"));
  dtgc_free_text(text);
  HAS(dtgc_header("dtrt.h"), "dtrt_program");
  CHECK(dtgc_header("stdio.h") == NULL);
}

static void check_bad_sources(void) {
  dtgc_program *p = NULL;
  Seen seen = {0};
  dtgc_options o = {.message = see, .user = &seen};
  static const char bad[] = "entry f(x: f32[2]) {\n  return y = x + nothing\n}\n";
  CHECK(dtgc_compile_string("bad.dtg", bad, &o, &p) == DTGC_BAD_SOURCE);
  CHECK(seen.errors == 1 && seen.line == 2 && seen.column == 18);
  HAS(seen.text, "bad.dtg:2:18: error:");
  HAS(dtgc_error(p), "nothing");
  char *text;
  CHECK(dtgc_dump(p, "c", &text) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_run(p, "f", NULL, 0, NULL, 0) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_entries(p) == 0);
  dtgc_free(p);

  CHECK(dtgc_compile_file("/no/such/file.dtg", NULL, &p) == DTGC_BAD_SOURCE);
  HAS(dtgc_error(p), "/no/such/file.dtg");
  dtgc_free(p);
  CHECK(dtgc_compile_file("/", NULL, &p) == DTGC_BAD_SOURCE);
  dtgc_free(p);
  CHECK(dtgc_compile_string("null.dtg", NULL, NULL, &p) == DTGC_BAD_ARGUMENT);
  dtgc_free(p);
  dtgc_free(NULL);

  const char *defines[] = {"m=3"};
  o = (dtgc_options){.define = defines, .ndefines = 1};
  CHECK(dtgc_compile_string("model.dtg", model, &o, &p) == DTGC_BAD_SOURCE);
  dtgc_free(p);
  o = (dtgc_options){.mesh = "batch"};
  CHECK(dtgc_compile_string("model.dtg", model, &o, &p) == DTGC_BAD_SOURCE);
  dtgc_free(p);
}

static void check_constants(void) {
  const char *defines[] = {"n=3"};
  dtgc_options o = {.define = defines, .ndefines = 1};
  dtgc_program *p = NULL;
  float x[3] = {1, 2, 3}, sum[3];
  dtgc_buffer in[] = {{"x", x, sizeof x}, {"y", x, sizeof x}}, out[] = {{"sum", sum, sizeof sum}};
  CHECK(dtgc_compile_string("model.dtg", model, &o, &p) == DTGC_OK);
  CHECK(dtgc_run(p, "add", in, 2, out, 1) == DTGC_OK && sum[2] == 6);
  CHECK(dtgc_from_cache(p) >= 0);
  dtgc_free(p);
}

/* Results large enough to be made in the host's memory, which may be that of an input or of another
 * result, at any address, and of one block, the larger of two that differ, or none in one piece. */
enum { ROWS = 33, COLUMNS = 65, CELLS = ROWS * COLUMNS };
static void check_memory_of_results(void) {
  static const char text[] =
      "entry f(x: f32[33, 65], y: f32[33, 65]) {\n"
      "  both = x - y\n"
      "  return next = x[1:] + y[:-1], mean = x * 0.5 + y, one = both, two = both\n"
      "}\n";
  static const char *const layouts[] = {"x = [a, _]", "x = [_, a]"};
  for (int k = 0; k < 3; k++) {
    const char *layout[] = {layouts[k > 1]};
    dtgc_options o = {.mesh = k ? "a=2" : NULL, .layout = layout, .nlayouts = k ? 1 : 0};
    dtgc_program *p = NULL;
    CHECK(dtgc_compile_string("f.dtg", text, &o, &p) == DTGC_OK);
    for (int way = 0; way < (k ? 2 : 5); way++) {
      float x[2 * CELLS + 1], y[CELLS + 1], to[4][CELLS + 2];
      for (int i = 0; i < 2 * CELLS + 1; i++) x[i] = (float)i;
      for (int i = 0; i < CELLS + 1; i++) y[i] = (float)(3 * i % 1000);
      for (size_t i = 0; i < sizeof to / sizeof(float); i++) (&to[0][0])[i] = -1;
      void *const memory[] = {&to[1][1], (char *)&to[1][0] + 2, x, x + COLUMNS / 2, y + 1};
      dtgc_buffer in[] = {{"x", x, CELLS * 4}, {"y", y, CELLS * 4}},
                  out[] = {{"next", &to[0][1], (CELLS - COLUMNS) * 4},
                           {"mean", memory[way], CELLS * 4},
                           {"one", &to[2][1], CELLS * 4},
                           {"two", &to[3][1], CELLS * 4}};
      CHECK(dtgc_run(p, "f", in, 2, out, 4) == DTGC_OK);
      for (int i = 0; i < CELLS; i++) {
        const float b = (float)(3 * i % 1000), half = (float)i * 0.5f + b;
        float got;
        memcpy(&got, (char *)memory[way] + 4 * i, 4);
        CHECK(got == half && to[2][1 + i] == (float)i - b && to[3][1 + i] == (float)i - b);
        CHECK(i >= CELLS - COLUMNS || to[0][1 + i] == (float)(i + COLUMNS) + b);
      }
      CHECK(to[0][0] == -1 && to[2][0] == -1 && to[2][CELLS + 1] == -1);
      CHECK(to[0][1 + CELLS - COLUMNS] == -1);
    }
    dtgc_free(p);
  }
}

static void *alone(void *mesh) {
  for (int i = 0; i < 4; i++) {
    Seen seen;
    dtgc_program *p = compile(mesh, &seen);
    check_run(p);
    check_vars(p);
    dtgc_free(p);
  }
  return NULL;
}

int main(void) {
  CHECK(strcmp(dtgc_version(), DTGC_VERSION) == 0);
  static const struct {
    const char *mesh;
    int devices;
  } meshes[] = {{NULL, 1}, {"a=2", 2}, {"a=4", 4}, {"a=2,b=2", 4}};
  for (int i = 0; i < 4; i++) {
    Seen seen;
    dtgc_program *p = compile(meshes[i].mesh, &seen);
    CHECK(dtgc_devices(p) == meshes[i].devices);
    check_tables(p);
    check_dumps(p);
    check_run(p);
    check_vars(p);
    check_misuse(p);
    dtgc_free(p);
  }
  check_bad_sources();
  check_constants();
  check_memory_of_results();
  pthread_t one, two;
  pthread_create(&one, NULL, alone, (void *)"a=2");
  pthread_create(&two, NULL, alone, (void *)"a=3");
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  if (failures) fprintf(stderr, "%d failures\n", failures);
  return failures != 0;
}
