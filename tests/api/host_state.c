/* A host whose locale writes numbers with a comma had wrong values without a word: 0.3 in a text
 * was 0, 1.75 was 1. Numbers of texts, options, files and messages have a point in any locale, and
 * the host has its own again behind each call. The locale is made here, by localedef, so that
 * the test does not depend on those of the system; without localedef that part is skipped.
 *
 * In a host that had been compiled with -ffast-math subnormal inputs were read as 0, in one that
 * rounds upwards sums and constants were others, and one that traps divisions by 0 had 1 / 0 fail.
 */
#include <fenv.h>
#include <locale.h>
#include <stdlib.h>
#include "check.h"
#include "dtgc.h"

enum { SKIPPED = 77 };

static const char model[] = "const half = 0\n"
                            "param w: f32[] = full([], 0.25)\n"
                            "entry f(x: f32[4] on [a]) {\n"
                            "  y = print(x * 0.3 + 1.75 + half, \"y\")\n"
                            "  w <- w + 0.125\n"
                            "  return y, e = exp(x * 0)\n"
                            "}\n";

static char printed[200];
static void on_print(void *user, const dtgc_printed *p) {
  (void)user;
  snprintf(printed, sizeof printed, "%s", p->text);
}

static int has_comma(void) { return *localeconv()->decimal_point == ','; }

static int set_comma(void) {
  char folder[4096];
  if (system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >localedef.txt 2>&1") == -1) return 0;
  if (!realpath(".", folder) || setenv("LOCPATH", folder, 1)) return 0;
  return setlocale(LC_ALL, "de_DE.UTF-8") && has_comma();
}

static void check_on(const char *mesh) {
  dtgc_program *p;
  const char *define[] = {"half=0.5"};
  const dtgc_options o = {.mesh = mesh, .print = on_print, .define = define, .ndefines = 1};
  float x[4] = {0, 1, 2, 3}, y[4], e[4], w = 0;
  CHECK(dtgc_compile_string("m", model, &o, &p) == DTGC_OK && has_comma());
  dtgc_buffer in[] = {{"x", x, sizeof x}}, out[] = {{"y", y, sizeof y}, {"e", e, sizeof e}};
  CHECK(dtgc_run(p, "f", in, 1, out, 2) == DTGC_OK && has_comma());
  for (int i = 0; i < 4; i++) CHECK(y[i] == (float)i * 0.3f + 1.75f + 0.5f && e[i] == 1);
  HAS(printed, "2.25");
  CHECK(dtgc_get(p, "w", &w, sizeof w) == DTGC_OK && w == 0.375f);
  char *text = NULL;
  CHECK(dtgc_dump(p, "graph", &text) == DTGC_OK && has_comma());
  HAS(text ? text : "", "1.75");
  dtgc_free_text(text);
  dtgc_free(p);
}

/* Rows of a text, read by a thread of the library's own. */
static void check_fit(void) {
  dtgc_program *p;
  FILE *f = fopen("rows.csv", "w");
  CHECK(f && fputs("0.5\n0.25\n", f) >= 0 && fclose(f) == 0);
  static const char sum[] = "state s: f32[] = zeros()\n"
                            "entry add(x: f32[1]) { s <- s + sum(x); return loss = sum(x) }\n";
  CHECK(dtgc_compile_string("m", sum, NULL, &p) == DTGC_OK);
  dtgc_feed feed[] = {{"x", .file = "rows.csv"}};
  const dtgc_fit_options fit = {.train = {.entry = "add", .feed = feed, .nfeed = 1}, .epochs = 1};
  float s = 0;
  CHECK(dtgc_fit(p, &fit) == DTGC_OK && has_comma());
  CHECK(dtgc_get(p, "s", &s, sizeof s) == DTGC_OK && s == 0.75f);
  dtgc_free(p);
}

#if defined(__SSE2__)
#include <xmmintrin.h>
static void zero_subnormals(void) { _mm_setcsr(_mm_getcsr() | 0x8040); } /* as -ffast-math does */
static int is_zeroing(void) { return (_mm_getcsr() & 0x8040) == 0x8040; }
#else
static void zero_subnormals(void) {}
static int is_zeroing(void) { return 1; }
#endif

static void check_floats(const char *mesh, int changed) {
  static const char text[] =
      "entry f(x: f32[4] on [a]) {\n"
      "  return y = x * 1e30, z = (x * 1e30 + 1) / 3 * 0.1, w = 1 / (x - x)\n"
      "}\n";
  dtgc_program *p;
  const dtgc_options o = {.mesh = mesh};
  const uint32_t subnormal = 1000;
  float x[4], y[4], z[4], w[4];
  for (int i = 0; i < 4; i++) memcpy(&x[i], &subnormal, sizeof *x);
  if (changed) {
    zero_subnormals();
    fesetround(FE_UPWARD);
    feenableexcept(FE_DIVBYZERO);
  }
  dtgc_buffer in[] = {{"x", x, sizeof x}};
  dtgc_buffer out[] = {{"y", y, sizeof y}, {"z", z, sizeof z}, {"w", w, sizeof w}};
  const dtgc_status compiled = dtgc_compile_string("m", text, &o, &p);
  const dtgc_status ran = compiled ? compiled : dtgc_run(p, "f", in, 1, out, 3);
  CHECK(!changed || (fegetround() == FE_UPWARD && is_zeroing() && fegetexcept() == FE_DIVBYZERO));
  fesetenv(FE_DFL_ENV);
  CHECK(compiled == DTGC_OK && ran == DTGC_OK);
  for (int i = 0; i < 4; i++)
    CHECK(y[i] == 0x1.8a6e32p-40f && z[i] == 0x1.111112p-5f && w[i] > 3e38f);
  dtgc_free(p);
}

int main(void) {
  for (int changed = 0; changed < 2; changed++) {
    check_floats("a=1", changed);
    check_floats("a=4", changed);
  }
  if (failures) return 1;
  if (!set_comma()) return puts("skipped: no locale with a comma"), SKIPPED;
  check_on("a=1");
  check_on("a=4");
  check_fit();
  printf("%d failures\n", failures);
  return failures != 0;
}
