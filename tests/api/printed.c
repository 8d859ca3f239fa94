/* What `print` shows, handed to the host program: values, labels, places and types, in the order of
 * the program, once, from a mesh too; and nothing of it on stderr. */
#include <stdlib.h>
#include "dtgc.h"
#include "check.h"

static const char model[] =
    "entry f(x: f32[4, 3] on [a, _]) {\n"
    "  repeat i in 0..3 { print(i * i, \"square\") }\n"
    "  y = print(x * 2, \"twice\")\n"
    "  print(sum(iota([2000, 9], dtype=i64), axis=1) + 9000000000000000000)\n"
    "  print(x > 2)\n"
    "  return y\n"
    "}\n";

typedef struct Seen {
  int calls;
  char *text; /* all that there was */
  size_t n;
  FILE *f;
} Seen;

static void on_print(void *user, const dtgc_printed *p) {
  Seen *s = user;
  const int call = s->calls++;
  fputs(p->text, s->f);
  CHECK(strstr(p->text, p->where) == p->text && strstr(p->text, p->type));
  if (call < 3) {
    CHECK(!strcmp(p->where, "m:2") && !strcmp(p->label, "square") && !strcmp(p->type, "i64[]"));
    CHECK(p->dtype == DTGC_I64 && p->rank == 0 && *(const int64_t *)p->data == call * call);
  } else if (call == 3) {
    const float *x = p->data;
    CHECK(!strcmp(p->label, "twice") && p->dtype == DTGC_F32 && p->rank == 2);
    CHECK(p->shape[0] == 4 && p->shape[1] == 3);
    for (int i = 0; i < 12; i++) CHECK(x[i] == 2 * (float)i);
  } else if (call == 4) {
    const int64_t *x = p->data;
    CHECK(!strcmp(p->label, "") && !strcmp(p->type, "i64[2000]") && p->rank == 1);
    CHECK(p->shape[0] == 6 && x[1] - x[0] == 9 && x[5] - x[0] == 9 * 1999);
  } else {
    const uint8_t *x = p->data;
    CHECK(p->dtype == DTGC_BOOL && !x[2] && x[3] && x[11]);
  }
}

static void check_on(const char *mesh) {
  Seen seen = {0};
  seen.f = open_memstream(&seen.text, &seen.n);
  float x[12], y[12];
  for (int i = 0; i < 12; i++) x[i] = (float)i;
  dtgc_program *p;
  const dtgc_options o = {.mesh = mesh, .print = on_print, .user = &seen, .optimize = "0"};
  CHECK(dtgc_compile_string("m", model, &o, &p) == DTGC_OK);
  /* What a process writes to stderr beside is seen by the test that runs this one. */
  CHECK(dtgc_run(p, "f", &(dtgc_buffer){"x", x, sizeof x}, 1, &(dtgc_buffer){"y", y, sizeof y},
                 1) == DTGC_OK);
  fflush(seen.f);
  CHECK(seen.calls == 6 && y[11] == 22);
  CHECK(strstr(seen.text, "m:2: square: i64[] = 4\nm:3: twice: f32[4, 3] =\n  [[0, 2, 4],\n"));
  CHECK(strstr(seen.text, "..., "));
  fclose(seen.f);
  free(seen.text);
  dtgc_free(p);
}

int main(void) {
  check_on("a=1");
  check_on("a=4");
  printf("%d failures\n", failures);
  return failures != 0;
}
