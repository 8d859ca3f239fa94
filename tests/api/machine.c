/* dtgc_options.machine from a host: a path, a text, what is wrong with them; and what
 * dtgc_calibrate refuses. */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void check(int ok, const char *what, const char *said) {
  if (ok) return;
  printf("FAIL %s: %s\n", what, said ? said : "");
  failed = 1;
}

static const char program[] = "mesh [a=2]\n"
                              "entry f(x: f32[8]) { return y = sum(x) }\n"
                              "layout x = [a]\n";

typedef struct Heard {
  char file[64];
  int line, column;
} Heard;

static void hear(void *user, const dtgc_message *m) {
  Heard *h = user;
  if (h->line) return;
  snprintf(h->file, sizeof h->file, "%s", m->file ? m->file : "");
  h->line = m->line;
  h->column = m->column;
}

static dtgc_status compile(const dtgc_source *machine, dtgc_program **p, Heard *h) {
  dtgc_options o = {.machine = machine, .message = hear, .user = h};
  *h = (Heard){0};
  return dtgc_compile_string("f.dtg", program, &o, p);
}

/* The cost of the program on a machine says `part`. */
static void says(const dtgc_source *machine, const char *part) {
  dtgc_program *p;
  char *text = NULL;
  Heard h;
  dtgc_status s = compile(machine, &p, &h);
  if (!s) s = dtgc_dump(p, "cost", &text);
  check(!s && strstr(text, part), part, s ? dtgc_error(p) : text);
  dtgc_free_text(text);
  dtgc_free(p);
}

static void refuses(const dtgc_source *machine, dtgc_status status, const char *part) {
  dtgc_program *p;
  Heard h;
  dtgc_status s = compile(machine, &p, &h);
  check(s == status && strstr(dtgc_error(p), part), part, dtgc_error(p));
  dtgc_free(p);
}

int main(void) {
  static const char text[] = "flops = 7 Gflop/s\nmemory_bandwidth = 1 GB/s\n"
                             "link bandwidth=3GB/s latency=2us\n";
  static const char bad[] = "flops = 7\n";
  dtgc_source good = {"box", text, sizeof text - 1}, nameless = {NULL, text, sizeof text - 1},
              wrong = {"box", bad, sizeof bad - 1}, part = {"box", text, 18},
              missing = {"no/such", NULL, 0}, nothing = {NULL, NULL, 0};
  Heard h;
  dtgc_program *p;
  unsetenv("DTGC_FLAGS");
  says(NULL, "machine native");
  says(&(dtgc_source){.name = "native"}, "machine native");
  says(&(dtgc_source){.name = "generic"},
       "machine generic: 50 Gflop/s in products, 20 in the rest, memory 10 GB/s\n"
       "  caches of a core: L1 32 KiB at 80 GB/s, L2 2048 KiB at 40 GB/s, L3 4096 KiB at 20 GB/s\n");
  says(&(dtgc_source){"generic", text, sizeof text - 1}, "machine generic: 7 Gflop/s");
  says(&good, "L1 32 KiB at 8 GB/s"); /* of generic size, at rates of this memory */
  says(&good, "machine box: 7 Gflop/s");
  says(&good, "axis a: 3 GB/s, 2 us");
  says(&nameless, "machine machine");
  refuses(&wrong, DTGC_BAD_SOURCE, "box:1:9: error");
  refuses(&part, DTGC_BAD_SOURCE, "memory_bandwidth"); /* `bytes` is where it ends, not the NUL */
  refuses(&missing, DTGC_BAD_SOURCE, "no/such cannot be read");
  refuses(&nothing, DTGC_BAD_ARGUMENT, "machine has neither a name nor text");
  compile(&wrong, &p, &h);
  check(!strcmp(h.file, "box") && h.line == 1 && h.column == 9, "place of the message", h.file);
  check(dtgc_errors(p) == 1, "one error", dtgc_error(p));
  dtgc_free(p);

  char *why = NULL;
  check(dtgc_calibrate(NULL, NULL) == DTGC_BAD_ARGUMENT, "text is NULL", NULL);
  const dtgc_calibration odd[] = {{.transport = "self"}, {.transport = "telepathy"},
                                  {.devices = 1},        {.devices = -2},
                                  {.devices = 129},      {.transport = "mpi"}};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    check(dtgc_calibrate(&odd[i], &why) == DTGC_BAD_ARGUMENT && why, "a wrong calibration", why);
    dtgc_free_text(why);
  }
  return failed;
}
