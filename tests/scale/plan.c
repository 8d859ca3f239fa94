/* What compiling costs, and how large its result is, does not depend on the number of devices: the
 * training step of gpt.dtg on 4 and on 65536 of them.
 *
 * A device's share of the batch stays the same, so that the meshes differ in nothing but the number
 * of devices. In a small program that leaves nothing to choose, steps and exchanges are the same,
 * and the emitted C but for its numbers. Elsewhere a larger group makes other ways cheapest; then
 * the plan of 16384 times as many devices may be at most half as large again, with twice the
 * exchanges where smaller ones are cheaper, and take half as long again.
 *
 *   scale_plan FOLDER     where gpt.dtg and the layouts are */
#include <ctype.h>
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ROUNDS = 5 };
static const char *const meshes[] = {"data=2,model=2", "data=256,model=256"};

enum { C_BYTES, C_LINES, STEPS, EXCHANGES, NSIZES };
static const char *const size_name[NSIZES] = {"bytes of C", "lines of C", "steps", "exchanges"};
typedef struct Size {
  long of[NSIZES];
} Size;

static void die(const dtgc_program *p, const char *what) {
  fprintf(stderr, "%s: %s\n", what, dtgc_error(p));
  exit(1);
}

static double user_ms(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)r.ru_utime.tv_sec * 1e3 + (double)r.ru_utime.tv_usec / 1e3;
}

static dtgc_program *compile(const dtgc_source *s, int n, const char *const *define, int ndefines,
                             const char *mesh) {
  /* Every step is to be counted, and blocks of 256x256 are too small for tiles of rows and for
   * epilogues. */
  const char *disable = "repeat,rows,epilogue";
  dtgc_options o = {
      .define = define, .ndefines = ndefines, .mesh = mesh, .disable = &disable, .ndisables = 1};
  dtgc_program *p;
  if (dtgc_compile(s, n, &o, &p)) die(p, mesh);
  return p;
}

static long count(const char *text, const char *what) {
  long n = 0;
  for (const char *s = text; (s = strstr(s, what)); s += strlen(what)) n++;
  return n;
}

static char *dump(dtgc_program *p, const char *stage) {
  char *text;
  if (dtgc_dump(p, stage, &text)) die(p, stage);
  return text;
}

/* Numbers become one sign, so that texts which differ in numbers alone are equal. */
static void drop_numbers(char *text) {
  char *to = text;
  for (const char *s = text; *s;) {
    *to++ = isdigit((unsigned char)*s) ? '0' : *s;
    if (isxdigit((unsigned char)*s++) && isdigit((unsigned char)s[-1]))
      while (isxdigit((unsigned char)*s) || *s == 'x') s++;
  }
  *to = 0;
}

static Size size_of(dtgc_program *p) {
  char *c = dump(p, "c"), *comm = dump(p, "comm");
  Size s = {{[C_BYTES] = (long)strlen(c),
             [C_LINES] = count(c, "\n"),
             [STEPS] = count(c, "dtrt_begin_step("),
             [EXCHANGES] = count(comm, "\n  exchange ")}};
  dtgc_free_text(c);
  dtgc_free_text(comm);
  return s;
}

static int fail(const char *what, double here, double there) {
  fprintf(stderr, "FAIL %s: %g on 2x2, %g on 256x256\n", what, here, there);
  return 1;
}

static int check_equal(const Size size[2]) {
  int bad = 0;
  for (int i = STEPS; i <= EXCHANGES; i++)
    if (size[0].of[i] != size[1].of[i])
      bad |= fail(size_name[i], (double)size[0].of[i], (double)size[1].of[i]);
  return bad;
}

/* -------- where nothing is to be chosen -------- */

/* Rows of a device are so long, or so short, that several are added up at a time on both meshes. */
static const char plain[] =
    "entry f(x: f32[262144, 1536, 40] on [data, model, _], w: f32[40] on [_]) {\n"
    "  h = x * w + 1\n"
    "  return y = tanh(h), row = sum(h, axis=0)\n"
    "}\n"
    "layout f.y = [data, model, _]\n"
    "layout f.row = [model, _]\n"
    "mesh [data=2, model=2]\n";

static int check_same(void) {
  dtgc_source s = {.name = "plain.dtg", .text = plain, .bytes = sizeof plain - 1};
  char *c[2];
  Size size[2];
  for (int m = 0; m < 2; m++) {
    dtgc_program *p = compile(&s, 1, NULL, 0, meshes[m]);
    size[m] = size_of(p);
    c[m] = dump(p, "c");
    drop_numbers(c[m]);
    dtgc_free(p);
  }
  int bad = 0;
  bad |= check_equal(size);
  if (size[0].of[STEPS] < 3 || size[0].of[EXCHANGES] < 1)
    bad |= fail("steps: too few for a test", (double)size[0].of[STEPS], (double)size[1].of[STEPS]);
  if (strcmp(c[0], c[1])) {
    long line = 1;
    for (long i = 0; c[0][i] && c[0][i] == c[1][i]; i++) line += c[0][i] == '\n';
    bad |= fail("emitted C differs in more than numbers: line", (double)line, (double)line);
  }
  printf("nothing to choose: %ld steps, %ld exchanges, %ld lines of C on both\n", size[0].of[STEPS],
         size[0].of[EXCHANGES], size[0].of[C_LINES]);
  dtgc_free_text(c[0]);
  dtgc_free_text(c[1]);
  return bad;
}

/* -------- the GPT -------- */

typedef struct Layouts {
  const char *name;
  int batch[2]; /* by mesh */
} Layouts;

static int check_gpt(const char *folder, const Layouts *l) {
  char model[1024], layouts[1024], batch[2][32];
  snprintf(model, sizeof model, "%s/gpt.dtg", folder);
  snprintf(layouts, sizeof layouts, "%s/%s.dtg", folder, l->name);
  dtgc_source s[] = {{.name = model}, {.name = layouts}};
  double least[2] = {1e30, 1e30};
  Size size[2];
  for (int m = 0; m < 2; m++) snprintf(batch[m], sizeof batch[m], "batch=%d", l->batch[m]);
  for (int round = 0; round < ROUNDS; round++)
    for (int m = 0; m < 2; m++) {
      double start = user_ms();
      dtgc_program *p = compile(s, 2, (const char *[]){"blocks=8", batch[m]}, 2, meshes[m]);
      double ms = user_ms() - start;
      if (ms < least[m]) least[m] = ms;
      if (round == 0) size[m] = size_of(p);
      dtgc_free(p);
    }
  printf("%-9s %6.1f ms %6.1f ms   steps %ld %ld   exchanges %ld %ld   KB of C %ld %ld\n", l->name,
         least[0], least[1], size[0].of[STEPS], size[1].of[STEPS], size[0].of[EXCHANGES],
         size[1].of[EXCHANGES], size[0].of[C_BYTES] / 1024, size[1].of[C_BYTES] / 1024);
  int bad = 0;
  for (int i = 0; i < NSIZES; i++) {
    double here = (double)size[0].of[i], there = (double)size[1].of[i];
    const double most = i == EXCHANGES ? 2 : 1.5; /* see above */
    if (here <= 0 || there > most * here + 4) bad |= fail(size_name[i], here, there);
  }
  if (least[1] > 1.5 * least[0]) bad |= fail("user time, ms", least[0], least[1]);
  return bad;
}

int main(int argc, char **argv) {
  int bad = 0;
  if (argc != 2) return 2;
  bad |= check_same();
  static const Layouts layouts[] = {
      {"data", {8 * 4, 8 * 65536}}, {"zero", {8 * 4, 8 * 65536}}, {"megatron", {16, 2048}}};
  for (int i = 0; i < 3; i++) bad |= check_gpt(argv[1], &layouts[i]);
  return bad;
}
