/* Random programs under random layouts give what they give on one device, where nothing is fused
 * because every value is returned.
 *
 *   property SEED COUNT [ROUNDS]   programs SEED, SEED + 1, ...; each under ROUNDS meshes and
 * layouts property SEED print            shows program SEED under its first layouts
 *
 * A process a program, so that a crash, a hang or a stuck device is a failure like any other; LLVM
 * is opened before it is forked. A failing round is tried again in a process of its own, made
 * small, line by line, and printed with its seed, mesh and layouts. What the programs were made of
 * is counted and printed at the end: a kind of statement that never comes is a failure of a run
 * that is long enough. */
#include "program.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 300, MOST_TRIALS = 400, ENOUGH = 200 };
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

/* What one device computes: compiled once for all rounds of a program. */
static Outcome make_reference(const Script *s, dtgc_program **out) {
  char *text, *why;
  size_t n;
  FILE *f = need(open_memstream(&text, &n));
  script_write(s, true, f, NULL);
  fclose(f);
  *out = kit_compile(text, NULL, NULL, &why);
  if (*out) return SAME;
  fprintf(stderr, "%s", why);
  return INVALID;
}

static dtgc_program *compile_on_mesh(const Script *s, char **why) {
  char *model, *layouts;
  size_t n;
  FILE *f[] = {need(open_memstream(&model, &n)), need(open_memstream(&layouts, &n))};
  script_write(s, false, f[0], f[1]);
  for (int i = 0; i < 2; i++) fclose(f[i]);
  dtgc_program *p = kit_compile(model, layouts, s->mesh, why);
  free(model);
  free(layouts);
  return p;
}

static Outcome compare_here(const Script *s, dtgc_program **p) {
  Random random = {s->random.state};
  int differing = 0;
  if (dtgc_run(p[0], "init", NULL, 0, NULL, 0)) return DIFFERS; /* an earlier round counted on */
  set_variables(s, p, &random);
  for (int i = 0; i < 2 * dtgc_entries(p[0]); i++) {
    int d = call(s, p, dtgc_entry(p[0], i % dtgc_entries(p[0])), &random);
    if (d < 0) return DIFFERS;
    differing += d;
  }
  differing += compare_variables(s, p);
  return differing ? DIFFERS : SAME;
}

/* A plan may be refused because it gathers where that is forbidden, and for nothing else; then the
 * layouts must do without the statements that forbid it. */
static Outcome try_here(Script *s, dtgc_program *reference, bool *forbidden) {
  char *why = NULL;
  dtgc_program *p[2] = {reference, compile_on_mesh(s, &why)};
  *forbidden = !p[1] && strstr(why, "must not be gathered") && script_allow_gathers(s);
  if (*forbidden) {
    free(why);
    p[1] = compile_on_mesh(s, &why);
  }
  if (!p[1]) {
    fprintf(stderr, "# the layouts do not compile: %s", why);
    return REFUSED;
  }
  Outcome o = compare_here(s, p);
  dtgc_free(p[1]);
  return o;
}

/* -------- trials -------- */

/* What a child tells, in memory that it shares with its parent. */
typedef struct Told {
  int done;      /* rounds that were equal */
  int forbidden; /* rounds whose first plan was refused */
} Told;

/* Opens LLVM and what of clang the first text needs, so that each child finds it open. Nothing is
 * run: there are no threads to lose in a fork. */
static void open_llvm(void) {
  char *why;
  const struct dtrt_program *code;
  dtgc_program *p =
      kit_compile("entry f(x: f64[4]) { return y = sum(tanh(x)) }\n", NULL, NULL, &why);
  if (!p || dtgc_load(p, &code)) {
    fprintf(stderr, "# no code can be made: %s\n", p ? dtgc_error(p) : why);
    exit(2);
  }
  dtgc_free(p);
}

static void child_main(Script *s, int rounds, Told *told, bool aloud) {
  dtgc_program *reference;
  if (!aloud) {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, 2);
  }
  alarm(SECONDS);
  Outcome o = make_reference(s, &reference);
  for (int round = 0; round < rounds && o == SAME; round++) {
    bool forbidden;
    alarm(SECONDS);
    if (rounds > 1) script_layouts(s);
    o = try_here(s, reference, &forbidden);
    told->done += o == SAME;
    told->forbidden += forbidden;
  }
  fflush(NULL);
  _exit((int)o);
}

/* rounds == 1: the script as it is. More: each under layouts of its own. */
static Outcome try_script(Script *s, int rounds, Told *told, bool aloud) {
  *told = (Told){0};
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return CRASHES;
  if (child == 0) child_main(s, rounds, told, aloud);
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
static void shrink(Script *s, Outcome failure, Told *told) {
  int trials = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = s->nlines - 1; i >= 0 && trials < MOST_TRIALS; i--) {
      if (s->line[i].off) continue;
      s->line[i].off = true;
      trials++;
      if (try_script(s, 1, told, false) == failure)
        changed = true;
      else
        s->line[i].off = false;
    }
  }
}

static const char *outcome_text(Outcome o) {
  static const char *const text[] = {"is the same", "differs", "does not compile",
                                     "is no valid program", "crashes or hangs"};
  return text[o];
}

/* `s` comes as it was before its first round. */
static void report(Script *s, uint64_t seed, int round, Outcome failure, Told *told) {
  fprintf(stderr, "\n# seed %lu, round %d: %s\n", (unsigned long)seed, round,
          outcome_text(failure));
  for (int i = 0; i <= round; i++) script_layouts(s);
  Outcome alone = try_script(s, 1, told, true);
  if (alone != failure)
    fprintf(stderr, "# by itself it %s: this takes the rounds before it, or luck\n",
            outcome_text(alone));
  else {
    shrink(s, failure, told);
    if (try_script(s, 1, told, true) != failure) fprintf(stderr, "# it does not fail every time\n");
  }
  fprintf(stderr, "mesh [%s]\n", s->mesh);
  script_write(s, false, stderr, stderr);
}

/* -------- what the programs were made of -------- */

static const char *const kinds[] = {"cumsum(",
                                    "argmax(",
                                    "argmin(",
                                    "top_k(",
                                    " sort(",
                                    "argsort(",
                                    "repeat i in",
                                    "scan r in",
                                    "take_along_axis(",
                                    "conv(",
                                    "conv_transpose(",
                                    "max_pool(",
                                    "avg_pool(",
                                    "grad(",
                                    "gather(",
                                    "scatter_add(",
                                    "einsum(",
                                    "relayout_like(",
                                    "reshape(",
                                    "concat(",
                                    "pad(",
                                    " <- ",
                                    "one_hot(",
                                    "prod(",
                                    "f32(",
                                    "(b, a)",
                                    "(c, a)",
                                    "?",
                                    " by ",
                                    "...",
                                    "] forbid gather",
                                    "layout forbid gather",
                                    "a=2,b=2,c=2",
                                    "a=2,b=3,c=2"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Each kind at most once a program; layouts and meshes of its first round. */
static void count_kinds(const Script *before, int *count) {
  static Script s;
  bool has[KINDS] = {0};
  s = *before;
  script_layouts(&s);
  for (int k = 0; k < KINDS; k++) has[k] = strcmp(s.mesh, kinds[k]) == 0;
  for (int i = 0; i < s.nlines; i++)
    for (int k = 0; k < KINDS; k++) has[k] = has[k] || strstr(s.line[i].text, kinds[k]);
  for (int k = 0; k < KINDS; k++) count[k] += has[k];
}

static int missing_kinds(const int *count, int programs) {
  int missing = 0;
  printf("programs with");
  for (int k = 0; k < KINDS; k++) {
    printf("%s %s %d", k ? "," : "", kinds[k], count[k]);
    missing += programs >= ENOUGH && !count[k];
  }
  printf("\n");
  return missing;
}

typedef struct Sum {
  int programs, trials, failures, invalid, forbidden;
  int kind[KINDS];
} Sum;

static void try_program(uint64_t seed, int rounds, Told *told, Sum *sum) {
  static Script s, before;
  script_generate(&s, seed);
  count_kinds(&s, sum->kind);
  before = s;
  Outcome o = try_script(&s, rounds, told, false);
  int done = told->done;
  sum->programs++;
  sum->trials += done + (o != SAME && o != INVALID);
  sum->forbidden += told->forbidden;
  if (o == SAME) return;
  s = before;
  if (o == INVALID) {
    fprintf(stderr, "# seed %lu is no valid program\n", (unsigned long)seed);
    if (sum->invalid++) return;
    try_script(&s, 1, told, true);
    script_write(&s, false, stderr, NULL);
    return;
  }
  sum->failures++;
  report(&s, seed, done, o, told);
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  if (argc > 2 && !strcmp(argv[2], "print")) {
    static Script s;
    script_generate(&s, seed);
    script_layouts(&s);
    printf("mesh [%s]\n", s.mesh);
    script_write(&s, false, stdout, stdout);
    return 0;
  }
  int count = argc > 2 ? atoi(argv[2]) : 10, rounds = argc > 3 ? atoi(argv[3]) : 3;
  if (count < 1 || rounds < 2) {
    fprintf(stderr, "usage: property SEED COUNT [ROUNDS, at least 2]\n");
    return 2;
  }
  Told *told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (told == MAP_FAILED || setenv("DTGC_CACHE", "off", 1)) return 2;
  open_llvm();
  static Sum sum;
  for (int i = 0; i < count; i++) {
    try_program(seed + (uint64_t)i, rounds, told, &sum);
    if (sum.programs % 100 && sum.programs != count) continue;
    printf("%d programs, %d trials, %d failures, %d invalid, %d plans refused for a gather\n",
           sum.programs, sum.trials, sum.failures, sum.invalid, sum.forbidden);
    fflush(stdout);
  }
  int missing = missing_kinds(sum.kind, count);
  if (missing) fprintf(stderr, "# %d kinds never came\n", missing);
  return sum.failures || missing || sum.invalid * 20 > count;
}
