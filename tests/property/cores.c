/* The number of cores of a device is never seen in a result: on 1, 2, 3 and 7 of them every output
 * and every variable has the same bits, after each of two calls.
 *
 *   property_bits SEED COUNT [FILE.dtg ...]   random programs SEED, SEED + 1, ...; and the files
 *
 * Which loops are dealt is up to the machine of the plan ($DTGC_FLAGS). */
#include <stdlib.h>
#include <string.h>
#include "program.h"

enum { CALLS = 2, MOST_OUTPUTS = 64 };
static const int cores[] = {1, 2, 3, 7};
enum { RUNS = sizeof cores / sizeof *cores };

static void *need(void *p) {
  if (!p) abort();
  return p;
}

static dtgc_program *compile(const char *name, const char *text, int n) {
  const dtgc_options o = {.no_lines = 1, .seed = 11, .cores = n};
  dtgc_program *p = NULL;
  if (!dtgc_compile_string(name, text, &o, &p)) return p;
  fprintf(stderr, "# %s: %s\n", name, dtgc_error(p));
  exit(2);
}

static Tensor like(const dtgc_tensor *t) {
  Tensor out = {.dtype = t->dtype, .rank = t->rank};
  snprintf(out.name, sizeof out.name, "%s", t->name);
  memcpy(out.dim, t->shape, sizeof *t->shape * (size_t)t->rank);
  tensor_size(&out);
  return out;
}

/* Whole numbers are indices: small ones, so that many are equal; below what a random program says.
 */
static Tensor drawn(const dtgc_tensor *t, const Tensor *said, Random *r) {
  Tensor out = like(t);
  if (t->dtype == DTGC_I32) out.below = said ? said->below : 10;
  tensor_fill(&out, r, false);
  return out;
}

/* True: the bits are those of the first. The first is kept in `kept`. */
static bool compare(const char *program, const char *where, const char *name, const Tensor *t,
                    Tensor *kept, int run) {
  if (run == 0) {
    *kept = *t;
    return true;
  }
  Tensor own = *t;
  const bool same = !memcmp(kept->data, t->data, t->bytes);
  if (!same)
    fprintf(stderr, "# %s: %s of %s has other bits on %d cores\n", program, name, where,
            cores[run]);
  tensor_free(&own);
  return same;
}

static int call(const char *program, dtgc_program **p, const char *entry, const Script *s,
                Random *r) {
  const int nin = dtgc_inputs(p[0], entry), nout = dtgc_outputs(p[0], entry);
  Tensor in[16], kept[MOST_OUTPUTS];
  dtgc_buffer given[16], taken[MOST_OUTPUTS];
  int differing = 0;
  if (nin > 16 || nout > MOST_OUTPUTS) abort();
  for (int i = 0; i < nin; i++) {
    dtgc_tensor t;
    if (dtgc_input(p[0], entry, i, &t)) abort();
    in[i] = drawn(&t, s ? &s->entry[entry[1] - '0'].input[i] : NULL, r);
    given[i] = (dtgc_buffer){in[i].name, in[i].data, in[i].bytes};
  }
  for (int k = 0; k < RUNS; k++) {
    Tensor got[MOST_OUTPUTS];
    for (int i = 0; i < nout; i++) {
      dtgc_tensor t;
      if (dtgc_output(p[k], entry, i, &t)) abort();
      got[i] = like(&t);
      taken[i] = (dtgc_buffer){t.name, got[i].data, got[i].bytes};
    }
    if (dtgc_run(p[k], entry, given, nin, taken, nout)) {
      fprintf(stderr, "# %s: %s does not run on %d cores: %s\n", program, entry, cores[k],
              dtgc_error(p[k]));
      return 1;
    }
    for (int i = 0; i < nout; i++)
      differing += !compare(program, entry, got[i].name, &got[i], &kept[i], k);
  }
  for (int i = 0; i < nin; i++) tensor_free(&in[i]);
  for (int i = 0; i < nout; i++) tensor_free(&kept[i]);
  return differing;
}

static int compare_variables(const char *program, dtgc_program **p) {
  int differing = 0;
  for (int i = 0; i < dtgc_vars(p[0]); i++) {
    Tensor kept;
    for (int k = 0; k < RUNS; k++) {
      dtgc_tensor t;
      if (dtgc_var(p[k], i, &t)) abort();
      Tensor v = like(&t);
      if (dtgc_get(p[k], t.name, v.data, v.bytes)) return 1;
      differing += !compare(program, "the variables", t.name, &v, &kept, k);
    }
    tensor_free(&kept);
  }
  return differing;
}

static int try_text(const char *name, const char *text, const Script *s) {
  dtgc_program *p[RUNS];
  Random r = {5};
  int differing = 0;
  for (int k = 0; k < RUNS; k++) p[k] = compile(name, text, cores[k]);
  for (int i = 0; i < CALLS * dtgc_entries(p[0]); i++)
    differing += call(name, p, dtgc_entry(p[0], i % dtgc_entries(p[0])), s, &r);
  differing += compare_variables(name, p);
  for (int k = 0; k < RUNS; k++) dtgc_free(p[k]);
  return differing;
}

static int try_random(uint64_t seed) {
  static Script s;
  char *text, name[40];
  size_t n;
  FILE *f = need(open_memstream(&text, &n));
  memset(&s, 0, sizeof s);
  script_generate(&s, seed);
  script_write(&s, false, f, NULL);
  fclose(f);
  snprintf(name, sizeof name, "seed-%lu.dtg", (unsigned long)seed);
  const int differing = try_text(name, text, &s);
  if (differing) fputs(text, stderr);
  free(text);
  return differing;
}

static int try_file(const char *path) {
  FILE *f = need(fopen(path, "r"));
  static char text[1 << 16];
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  return try_text(path, text, NULL);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
  int differing = 0;
  for (int i = 3; i < argc; i++) differing += try_file(argv[i]);
  for (uint64_t seed = first; seed < first + count; seed++) differing += try_random(seed);
  printf("%lu random programs, %d files: %d results differ\n", (unsigned long)count, argc - 3,
         differing);
  return differing != 0;
}
