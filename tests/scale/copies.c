/* Many copies at the end of an entry are a table and a loop: first values that are the same are
 * computed once and copied, and variables that change places go by the arena. All must arrive, in
 * order, on one device and on three. */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 24, SIZE = 5, TURNS = 3 };

static int failures;

static void fail(const char *what, int devices) {
  printf("FAIL %s, %d devices\n", what, devices);
  failures++;
}

/* v0 .. are turned round by one; the e's are all alike. */
static const char *model(void) {
  static char text[8192];
  int n = 0;
  for (int i = 0; i < MANY; i++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "state v%d: f32[%d] = f32(iota([%d], axis=0)) + %d\n"
                  "state e%d: f32[%d] = zeros([%d])\n",
                  i, SIZE, SIZE, 10 * i, i, SIZE, SIZE);
  n += snprintf(text + n, sizeof text - (size_t)n, "entry turn() {\n");
  for (int i = 0; i < MANY; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "  old%d = v%d\n", i, i);
  for (int i = 0; i < MANY; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "  v%d <- old%d\n", i, (i + 1) % MANY);
  snprintf(text + n, sizeof text - (size_t)n, "  return r = 1.0\n}\nlayout \"v\\d+\" = [a]\n");
  return text;
}

static void check_values(dtgc_program *p, int turns, int devices) {
  float v[SIZE];
  char name[16];
  for (int i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "v%d", i);
    if (dtgc_get(p, name, v, sizeof v)) fail(dtgc_error(p), devices);
    for (int k = 0; k < SIZE; k++)
      if (v[k] != (float)(k + 10 * ((i + turns) % MANY)))
        fail("a variable went elsewhere", devices);
    snprintf(name, sizeof name, "e%d", i);
    if (dtgc_get(p, name, v, sizeof v)) fail(dtgc_error(p), devices);
    for (int k = 0; k < SIZE; k++)
      if (v[k] != 0) fail("a first value is another", devices);
  }
}

static void check(int devices) {
  char mesh[16], *c = NULL;
  snprintf(mesh, sizeof mesh, "a=%d", devices);
  dtgc_options o = {.mesh = mesh};
  dtgc_program *p;
  if (dtgc_compile_string("copies.dtg", model(), &o, &p) || dtgc_dump(p, "c", &c)) {
    printf("FAIL %s\n", dtgc_error(p));
    exit(1);
  }
  if (!strstr(c, "entry_init_copies1[") || !strstr(c, "entry_turn_copies2["))
    fail("there is no table of copies", devices);
  dtgc_free_text(c);
  check_values(p, 0, devices);
  for (int t = 1; t <= TURNS; t++) {
    float r;
    if (dtgc_run(p, "turn", NULL, 0, &(dtgc_buffer){"r", &r, sizeof r}, 1))
      fail(dtgc_error(p), devices);
    check_values(p, t, devices);
  }
  dtgc_free(p);
}

int main(void) {
  check(1);
  check(3);
  return failures > 0;
}
