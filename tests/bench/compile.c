/* How long it takes from the text of a program until it can be called, each time in a new process:
 * cache cold (nothing in it that fits) and warm. Cases are run by turns; figures are minima and
 * medians over the rounds. "Loaded" is from the text to machine code in memory; "started" has the
 * devices' threads and the first values of all variables too, which is work of the program's own.
 *
 *   bench_compile FOLDER [ROUNDS [NAME...]]     FOLDER: tests/scale
 *
 * NAME: one of `cases`. The cases `passes` and `stack` make no code. */
#include <dtgc.h>
#include <dtrt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "texts.h"

enum { MOST_ROUNDS = 101, MOST_STEPS = 256, MOST_LINE = 1024 };

typedef struct Case {
  const char *name;
  int blocks;          /* of the GPT; 0: another text */
  bool stacked;        /* they are a stack: a loop */
  bool plan;           /* no code is made */
  const char *layouts; /* file beside gpt.dtg */
  const char *mesh;
  const char *text, *file, *define; /* where it is no GPT; the file from FOLDER on */
  const char *goal;
} Case;

static const char chain[] = "entry f(x: f32[64, 64], w: f32[64, 64]) {\n"
                            "  for i in 0..1000 { x = x @ w }\n"
                            "  return y = x\n"
                            "}\n";

static const char one[] = "data=1,model=1", four[] = "data=2,model=2",
                  many[] = "data=256,model=256";
static const Case cases[] = {
    {.name = "mnist", .mesh = "batch=1", .goal = "cold 120 ms, warm 15 ms"},
    {.name = "mnist8", .mesh = "batch=8", .goal = "cold 120 ms, warm 15 ms"},
    {.name = "chain", .text = chain, .goal = "cold 150 ms, warm 15 ms"},
    {.name = "resnet", .file = "../bench/peers/resnet.dtg", .goal = "cold 900 ms, warm 15 ms"},
    {.name = "lstm",
     .file = "../../samples/lstm/lstm.dtg",
     .define = "seq=1024",
     .goal = "cold 500 ms, warm 15 ms"},
    {.name = "gpt12",
     .blocks = 12,
     .layouts = "data",
     .mesh = one,
     .goal = "cold 600 ms, warm 15 ms"},
    {.name = "gpt48",
     .blocks = 48,
     .layouts = "data",
     .mesh = one,
     .goal = "cold 1.2 gpt12, warm 15 ms"},
    {.name = "gpt12x4", .blocks = 12, .layouts = "megatron", .mesh = four},
    {.name = "gpt48x4", .blocks = 48, .layouts = "megatron", .mesh = four},
    {.name = "passes",
     .blocks = 96,
     .plan = true,
     .layouts = "megatron",
     .mesh = many,
     .goal = "400 ms"},
    {.name = "stack",
     .blocks = 96,
     .stacked = true,
     .plan = true,
     .layouts = "megatron",
     .mesh = many,
     .goal = "100 ms"},
};
enum { NCASES = sizeof cases / sizeof *cases };

static void on_message(void *user, const dtgc_message *m) {
  (void)user;
  fputs(m->rendered, stderr);
}

static const Case *case_named(const char *name) {
  for (int i = 0; i < NCASES; i++)
    if (!strcmp(cases[i].name, name)) return &cases[i];
  fprintf(stderr, "bench_compile: there is no case `%s`\n", name);
  exit(2);
}

/* -------- one compilation, in this process -------- */

static dtgc_status compile(const Case *c, const char *folder, dtgc_options *o, dtgc_program **p) {
  char model[1024], layouts[1024], blocks[32];
  dtgc_source s[] = {{.name = model}, {.name = layouts}};
  const Text *mnist = &text_all[0];
  o->mesh = c->mesh;
  if (c->text) return dtgc_compile_string(c->name, c->text, o, p);
  if (c->file) {
    snprintf(model, sizeof model, "%s/%s", folder, c->file);
    o->define = &c->define, o->ndefines = c->define != NULL;
    return dtgc_compile(s, 1, o, p);
  }
  if (!c->blocks) {
    o->layout = mnist->layouts;
    while (mnist->layouts[o->nlayouts]) o->nlayouts++;
    return dtgc_compile_string(mnist->name, mnist->text, o, p);
  }
  snprintf(model, sizeof model, "%s/gpt.dtg", folder);
  snprintf(layouts, sizeof layouts, "%s/%s.dtg", folder, c->layouts);
  snprintf(blocks, sizeof blocks, "blocks=%d", c->blocks);
  const char *define[] = {blocks, c->plan ? "batch=65536" : "batch=8",
                          c->stacked ? "stacked=true" : "stacked=false"};
  o->define = define, o->ndefines = 3;
  return dtgc_compile(s, 2, o, p);
}

/* Prints "loaded started step ms step ms ..." */
static int compile_once(const char *folder, const char *name, const char *how) {
  bool cold = !strcmp(how, "cold"), fill = !strcmp(how, "fill");
  const Case *c = case_named(name);
  dtgc_options o = {.no_cache = cold, .will_load = !c->plan, .message = on_message};
  dtgc_program *p;
  const dtrt_program *code;
  double start = text_now(), loaded, started;
  bool ok = !compile(c, folder, &o, &p);
  if (!c->plan) ok = ok && !dtgc_load(p, &code);
  loaded = text_now();
  if (!c->plan) ok = ok && !dtgc_start(p);
  started = text_now();
  if (!ok) {
    fprintf(stderr, "bench_compile: %s: %s\n", name, dtgc_error(p));
    return 1;
  }
  printf("%.2f %.2f", (loaded - start) * 1e3, (started - start) * 1e3);
  dtgc_time t[MOST_STEPS];
  int n = dtgc_times(p, t, MOST_STEPS);
  for (int i = 0; i < n && i < MOST_STEPS; i++) printf(" %s %.1f", t[i].step, t[i].ms);
  printf("\n");
  bool wrong = !c->plan && !fill && dtgc_from_cache(p) != !cold;
  if (wrong) fprintf(stderr, "bench_compile: the cache was %s\n", cold ? "used" : "not used");
  dtgc_free(p);
  return wrong;
}

/* -------- by turns, each in a new process -------- */

typedef struct Figure {
  double loaded[MOST_ROUNDS], started[MOST_ROUNDS];
  char steps[MOST_LINE]; /* of the last round */
} Figure;
static Figure figure[NCASES][2]; /* warm, cold */

static void run_one(const char *self, const char *folder, int k, const char *how, int round) {
  char command[4096], line[MOST_LINE] = "";
  Figure *f = &figure[k][!strcmp(how, "cold")];
  int n = snprintf(command, sizeof command, "exec '%s' --once '%s' %s %s", self, folder,
                   cases[k].name, how);
  FILE *out = n < (int)sizeof command ? popen(command, "r") : NULL;
  if (!out || !fgets(line, sizeof line, out) || pclose(out)) {
    fprintf(stderr, "bench_compile: %s failed\n", command);
    exit(1);
  }
  char *rest = line;
  f->loaded[round] = strtod(rest, &rest);
  f->started[round] = strtod(rest, &rest);
  snprintf(f->steps, sizeof f->steps, "%s", rest);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_case(int k, int rounds) {
  const bool plan = cases[k].plan;
  for (int cold = 1; cold >= plan; cold--) {
    Figure *f = &figure[k][cold];
    qsort(f->loaded, (size_t)rounds, sizeof(double), by_size);
    qsort(f->started, (size_t)rounds, sizeof(double), by_size);
    printf("%-8s %-4s loaded min %7.1f median %7.1f   started min %7.1f median %7.1f   goal: %s\n",
           cases[k].name,
           plan   ? ""
           : cold ? "cold"
                  : "warm",
           f->loaded[0], f->loaded[rounds / 2], f->started[0], f->started[rounds / 2],
           cases[k].goal ? cases[k].goal : "-");
    printf("  last:%s", f->steps);
  }
}

int main(int argc, char **argv) {
  if (argc == 5 && !strcmp(argv[1], "--once")) return compile_once(argv[2], argv[3], argv[4]);
  int rounds = argc > 2 ? atoi(argv[2]) : 7;
  if (argc < 2 || rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "bench_compile FOLDER [ROUNDS (1 to %d) [NAME...]]\n", MOST_ROUNDS);
    return 2;
  }
  bool wanted[NCASES] = {false};
  for (int k = 0; k < NCASES; k++) wanted[k] = argc < 4;
  for (int i = 3; i < argc; i++) wanted[case_named(argv[i]) - cases] = true;
  for (int k = 0; k < NCASES; k++)
    if (wanted[k]) run_one(argv[0], argv[1], k, "fill", 0);
  for (int r = 0; r < rounds; r++)
    for (int k = 0; k < NCASES; k++)
      for (int cold = 1; wanted[k] && cold >= cases[k].plan; cold--)
        run_one(argv[0], argv[1], k, cold ? "cold" : "warm", r);
  printf("ms, text to callable, %d rounds\n", rounds);
  for (int k = 0; k < NCASES; k++)
    if (wanted[k]) print_case(k, rounds);
  return 0;
}
