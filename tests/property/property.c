/* Random programs under random layouts give what they give on one device, where nothing is fused
 * because every value is returned.
 *
 *   property SEED COUNT        programs SEED, SEED + 1, ...; each under three meshes and layouts
 *
 *   property SEED print        shows program SEED under its first layouts
 *
 * Every trial runs in a process of its own, so that a crash, a hang or a stuck device is a failure
 * like any other. A failing program is made small, line by line, and printed with its seed, mesh
 * and layouts. */
#include "program.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, SECONDS = 30, MOST_TRIALS = 400 };
typedef enum Outcome { SAME, DIFFERS, REFUSED, INVALID, CRASHES } Outcome;

/* Roundings that two orders of summation may come to in a program that is not `whole`. */
static const double ROUNDINGS = 1e6;
/* Whole numbers that large may not be exact any more on the way. */
static const double HUGE_WHOLE = 0x1p40;

/* -------- one trial, in the child -------- */

static void *need(void *p) {
  if (!p) abort();
  return p;
}

static bool differ(const Script *s, const Tensor *a, const Tensor *b, const char *entry,
                   const char *name) {
  double most = 0;
  for (int64_t i = 0; i < a->count; i++) most = fmax(most, fabs(tensor_at(a, i)));
  bool exact = s->whole && most < HUGE_WHOLE;
  int64_t at = tensor_differs(a, b, exact ? 0 : ROUNDINGS * (1 + most));
  if (at < 0) return false;
  fprintf(stderr, "# %s.%s[%ld] is %.17g, on one device %.17g\n", entry, name, (long)at,
          tensor_at(b, at), tensor_at(a, at));
  return true;
}

static Tensor like(const dtgc_tensor *t) {
  Tensor out = {.dtype = t->dtype, .rank = t->rank};
  memcpy(out.dim, t->shape, sizeof *t->shape * (size_t)t->rank);
  tensor_size(&out);
  return out;
}

/* Calls an entry on both programs. Returns how many outputs differ, or -1 when one did not run. */
static int call(const Script *s, dtgc_program **p, const char *entry, Random *random) {
  int nin = dtgc_inputs(p[0], entry), nout = dtgc_outputs(p[1], entry), differing = 0;
  dtgc_buffer in[16], *out[2];
  Tensor *got[2];
  const Scenery *at = &s->entry[entry[1] - '0'];
  for (int i = 0; i < nin; i++) {
    Tensor t = at->input[i];
    tensor_size(&t);
    tensor_fill(&t, random, s->whole);
    in[i] = (dtgc_buffer){at->input[i].name, t.data, t.bytes};
  }
  for (int k = 0; k < 2; k++) {
    got[k] = need(calloc((size_t)nout + 1, sizeof(Tensor)));
    out[k] = need(calloc((size_t)nout + 1, sizeof(dtgc_buffer)));
    for (int i = 0; i < nout; i++) {
      dtgc_tensor t;
      if (dtgc_output(p[1], entry, i, &t)) return -1;
      got[k][i] = like(&t);
      out[k][i] = (dtgc_buffer){t.name, got[k][i].data, got[k][i].bytes};
    }
    if (!dtgc_run(p[k], entry, in, nin, out[k], nout)) continue;
    fprintf(stderr, "# %s does not run %s: %s\n", entry, k ? "on the mesh" : "on one device",
            dtgc_error(p[k]));
    return -1;
  }
  for (int i = 0; i < nout; i++)
    differing += differ(s, &got[0][i], &got[1][i], entry, out[0][i].name);
  return differing;
}

static void set_variables(const Script *s, dtgc_program **p, Random *random) {
  for (int i = 0; i < dtgc_vars(p[0]); i++) {
    dtgc_tensor t;
    if (dtgc_var(p[0], i, &t)) abort();
    if (t.dtype != DTGC_F64) continue; /* the counter of random draws */
    Tensor v = like(&t);
    tensor_fill(&v, random, s->whole);
    for (int k = 0; k < 2; k++)
      if (dtgc_set(p[k], t.name, v.data, v.bytes)) {
        fprintf(stderr, "# %s cannot be set: %s\n", t.name, dtgc_error(p[k]));
        _exit(DIFFERS);
      }
  }
}

static int compare_variables(const Script *s, dtgc_program **p) {
  int differing = 0;
  for (int i = 0; i < dtgc_vars(p[0]); i++) {
    dtgc_tensor t;
    Tensor v[2];
    if (dtgc_var(p[0], i, &t)) abort();
    for (int k = 0; k < 2; k++) {
      v[k] = like(&t);
      if (dtgc_get(p[k], t.name, v[k].data, v[k].bytes)) return 1;
    }
    differing += differ(s, &v[0], &v[1], "after all calls", t.name);
  }
  return differing;
}

static Outcome try_here(const Script *s) {
  char *all, *model, *layouts, *why;
  size_t n;
  FILE *f[] = {need(open_memstream(&all, &n)), need(open_memstream(&model, &n)),
               need(open_memstream(&layouts, &n))};
  script_write(s, true, f[0], NULL);
  script_write(s, false, f[1], f[2]);
  for (int i = 0; i < 3; i++) fclose(f[i]);
  dtgc_program *p[2] = {kit_compile(all, NULL, NULL, &why)};
  if (!p[0]) {
    fprintf(stderr, "%s", why);
    return INVALID;
  }
  p[1] = kit_compile(model, layouts, s->mesh, &why);
  if (!p[1]) {
    fprintf(stderr, "# the layouts do not compile: %s", why);
    return REFUSED;
  }
  Random random = {s->random.state};
  int differing = 0;
  set_variables(s, p, &random);
  for (int i = 0; i < 2 * dtgc_entries(p[0]); i++) {
    int d = call(s, p, dtgc_entry(p[0], i % dtgc_entries(p[0])), &random);
    if (d < 0) return DIFFERS;
    differing += d;
  }
  differing += compare_variables(s, p);
  return differing ? DIFFERS : SAME;
}

/* -------- trials -------- */

static Outcome try_script(const Script *s, bool aloud) {
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return CRASHES;
  if (child == 0) {
    alarm(SECONDS);
    if (!aloud) {
      int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
      if (null >= 0) dup2(null, 2);
    }
    Outcome o = try_here(s);
    fflush(NULL);
    _exit((int)o);
  }
  int status;
  while (waitpid(child, &status, 0) < 0) {
  }
  if (!WIFEXITED(status)) {
    if (aloud)
      fprintf(stderr, "# signal %d%s\n", WTERMSIG(status),
              WTERMSIG(status) == 14 ? " (it hung)" : "");
    return CRASHES;
  }
  return (Outcome)WEXITSTATUS(status);
}

/* Switches lines off for as long as the failure stays. */
static void shrink(Script *s, Outcome failure) {
  int trials = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = s->nlines - 1; i >= 0 && trials < MOST_TRIALS; i--) {
      if (s->line[i].off) continue;
      s->line[i].off = true;
      trials++;
      if (try_script(s, false) == failure)
        changed = true;
      else
        s->line[i].off = false;
    }
  }
}

static void report(Script *s, uint64_t seed, int round, Outcome failure) {
  fprintf(stderr, "\n# seed %lu, round %d: %s\n", (unsigned long)seed, round,
          failure == CRASHES ? "crashes or hangs" : "differs");
  shrink(s, failure);
  if (try_script(s, true) != failure) fprintf(stderr, "# it does not fail every time\n");
  fprintf(stderr, "mesh [%s]\n", s->mesh);
  script_write(s, false, stderr, stderr);
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  int count = argc > 2 ? atoi(argv[2]) : 10, trials = 0, failures = 0, invalid = 0;
  Script *s = need(malloc(sizeof *s));
  if (argc > 2 && !strcmp(argv[2], "print")) {
    script_generate(s, seed);
    script_layouts(s);
    printf("mesh [%s]\n", s->mesh);
    script_write(s, false, stdout, stdout);
    free(s);
    return 0;
  }
  for (int i = 0; i < count; i++) {
    script_generate(s, seed + (uint64_t)i);
    for (int round = 0; round < ROUNDS; round++) {
      script_layouts(s);
      Outcome o = try_script(s, argc > 3);
      trials++;
      if (o == SAME) continue;
      if (o == INVALID) {
        fprintf(stderr, "# seed %lu is no valid program\n", (unsigned long)(seed + (uint64_t)i));
        if (invalid++ == 0) try_script(s, true), script_write(s, false, stderr, NULL);
        break;
      }
      failures++;
      report(s, seed + (uint64_t)i, round, o);
      break;
    }
  }
  free(s);
  printf("%d programs, %d trials, %d failures, %d invalid\n", count, trials, failures, invalid);
  return failures || invalid * 20 > count;
}
