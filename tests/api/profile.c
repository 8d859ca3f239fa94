/* Profiles of dtgc.h: what is timed, the contents of tables, and errors. */
#include "check.h"
#include <dtgc.h>
#include <stdlib.h>

static const char model[] = "entry scale(x: f32[64, 64]) {\n"
                            "  return y = x @ x * 2\n"
                            "}\n"
                            "entry total(x: f32[64, 64]) {\n"
                            "  return t = sum(x)\n"
                            "}\n";

static float x[64][64], y[64][64], t;

static dtgc_program *compile(void) {
  const char *layouts[] = {"x=[a, _]"};
  dtgc_program *p = NULL;
  dtgc_options o = {.mesh = "a=2", .layout = layouts, .nlayouts = 1};
  CHECK(dtgc_compile_string("scale.dtg", model, &o, &p) == DTGC_OK);
  return p;
}

static void scale(dtgc_program *p, int times) {
  dtgc_buffer in = {.name = "x", .data = x, .bytes = sizeof x};
  dtgc_buffer out = {.name = "y", .data = y, .bytes = sizeof y};
  for (int i = 0; i < times; i++) CHECK(dtgc_run(p, "scale", &in, 1, &out, 1) == DTGC_OK);
}

static void total(dtgc_program *p) {
  dtgc_buffer in = {.name = "x", .data = x, .bytes = sizeof x};
  dtgc_buffer out = {.name = "t", .data = &t, .bytes = sizeof t};
  CHECK(dtgc_run(p, "total", &in, 1, &out, 1) == DTGC_OK);
}

static void refuses(dtgc_program *p) {
  char *text = (char *)p;
  CHECK(dtgc_profile_start(NULL) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_profile_text(NULL, &text) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_profile_save(NULL, "x.json") == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_profile_text(p, NULL) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_profile_text(p, &text) == DTGC_BAD_ARGUMENT && !text);
  HAS(dtgc_error(p), "no profile was begun");
  CHECK(dtgc_profile_save(p, "x.json") == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_profile_save(p, "") == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_profile_save(p, NULL) == DTGC_BAD_ARGUMENT);
}

int main(void) {
  dtgc_program *p = compile();
  char *text = NULL;
  refuses(p);
  scale(p, 2); /* not timed */
  CHECK(dtgc_profile_start(p) == DTGC_OK);
  CHECK(dtgc_profile_text(p, &text) == DTGC_OK && !*text); /* nothing has run */
  dtgc_free_text(text);
  scale(p, 3);
  total(p);
  CHECK(dtgc_profile_text(p, &text) == DTGC_OK);
  HAS(text, "profile of scale: 3 calls of ");
  HAS(text, "profile of total: 1 call of ");
  HAS(text, " us on 2 devices\n");
  HAS(text, "  inputs into the arena\n"); /* has a row whatever its share is */
  dtgc_free_text(text);
  CHECK(dtgc_profile_save(p, "api_profile.json") == DTGC_OK);
  CHECK(dtgc_profile_save(p, "no such folder/x.json") == DTGC_SYSTEM);
  HAS(dtgc_error(p), "no such folder/x.json: cannot write");
  scale(p, 1);                             /* a file that cannot be written ends nothing */
  CHECK(dtgc_profile_start(p) == DTGC_OK); /* and it begins anew */
  scale(p, 1);
  CHECK(dtgc_profile_text(p, &text) == DTGC_OK);
  HAS(text, "profile of scale: 1 call of ");
  CHECK(!strstr(text, "profile of total"));
  dtgc_free_text(text);
  dtgc_free(p);
  return failures > 0;
}
