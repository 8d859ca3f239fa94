/* The whole compiler but for machine code, over any bytes: it must return, with a program or with
 * messages.
 *
 *   fuzz [--count N] [--seed S] FILE|FOLDER...    the .dtg files below, as they are, then N mutants
 * of them; the .machine files likewise
 *
 * LLVMFuzzerTestOneInput is the entry for a fuzzing engine (compile with -DFUZZ_NO_MAIN). The bytes
 * of an input that crashed, or took longer than SECONDS of the CPU's time, are left in
 * fuzz-failure.dtg in the current folder. */
#include <dtgc.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_EDITED = 300 };

/* Stage NULL: all. */
static void look_inside(dtgc_program *p, size_t size, const char *stage) {
  for (const char *const *s = dtgc_stages(); *s; s++) {
    char *text;
    /* These two compile it again some hundred times: of small programs only. */
    bool again = !strcmp(*s, "edits") || !strcmp(*s, "comm");
    if (again && size > MOST_EDITED) continue;
    if ((!stage || !strcmp(stage, *s)) && !dtgc_dump(p, *s, &text)) dtgc_free_text(text);
  }
}

static void count_message(void *user, const dtgc_message *m) {
  *(size_t *)user += strlen(m->rendered);
}

static bool compile_with(dtgc_options o, const uint8_t *data, size_t size, const char *stage) {
  size_t said = 0;
  o.message = count_message;
  o.user = &said;
  dtgc_source s = {"input.dtg", (const char *)data, size};
  dtgc_program *p = NULL;
  dtgc_status status = dtgc_compile(&s, 1, &o, &p);
  if (!status)
    look_inside(p, size, stage);
  else if (status != DTGC_BAD_SOURCE && status != DTGC_NO_MEMORY)
    abort();
  else if (status == DTGC_BAD_SOURCE && !said)
    abort(); /* refused without a word */
  dtgc_free(p);
  return !status;
}

/* Whether there is a program. */
static bool compile(const uint8_t *data, size_t size, const char *mesh, const char *layout) {
  dtgc_options o = {.mesh = mesh, .layout = &layout, .nlayouts = layout != NULL};
  return compile_with(o, data, size, NULL);
}

/* Whether it is a machine file: a program is planned for it. */
static bool compile_for(const uint8_t *data, size_t size) {
  static const char text[] =
      "entry f(x: f32[8, 6], w: f32[6, 8]) { return y = exp(x) @ w, s = sum(x) }\n"
      "layout x = [b, a]\nlayout w = [a, b]\n";
  dtgc_source machine = {"input.machine", (const char *)data, size};
  dtgc_options o = {.mesh = "a=2,b=4", .machine = &machine};
  return compile_with(o, (const uint8_t *)text, sizeof text - 1, "cost");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  compile(data, size, NULL, NULL);
  compile(data, size, "a=2,batch=3", "\".*\"=[batch, ...]");
  return 0;
}

#ifndef FUZZ_NO_MAIN

enum { SECONDS = 20, MOST_BYTES = 1 << 16, MOST_FILES = 1000 };

typedef struct Text {
  uint8_t *at;
  size_t n;
} Text;

typedef struct Corpus {
  const char *suffix;
  bool (*run)(const uint8_t *data, size_t n); /* whether it is good */
  int n, ngood;
  Text text[MOST_FILES];
  int good[MOST_FILES]; /* those that compile: their mutants go deepest */
} Corpus;

/* -------- what is running, for the signal handler -------- */

static const uint8_t *volatile now_at;
static volatile size_t now_n;

static void leave(int signal) {
  static const char name[] = "fuzz-failure.dtg";
  int f = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (f < 0 || write(f, now_at, now_n) < 0) _exit(3);
  static const char hung[] = "fuzz: this input takes too long: fuzz-failure.dtg\n";
  static const char crashed[] = "fuzz: this input crashes: fuzz-failure.dtg\n";
  if (signal == SIGALRM || signal == SIGPROF) {
    if (write(2, hung, sizeof hung - 1) < 0) _exit(3);
    _exit(2);
  }
  if (write(2, crashed, sizeof crashed - 1) < 0) _exit(3);
  struct sigaction by_default = {.sa_handler = SIG_DFL};
  sigaction(signal, &by_default, NULL);
  raise(signal);
}

static bool run_program(const uint8_t *data, size_t n) {
  bool alone = compile(data, n, NULL, NULL);
  compile(data, n, "a=2,batch=3", "\".*\"=[batch, ...]");
  return alone;
}

static bool run(const Corpus *c, const uint8_t *data, size_t n) {
  now_at = data;
  now_n = n;
  /* The CPU's time, which a busy machine does not stretch; what waits for ever takes none. */
  struct itimerval most = {.it_value.tv_sec = SECONDS}, off = {0};
  setitimer(ITIMER_PROF, &most, NULL);
  alarm(15 * SECONDS);
  bool good = c->run(data, n);
  alarm(0);
  setitimer(ITIMER_PROF, &off, NULL);
  return good;
}

/* -------- the corpus -------- */

static void add_file(Corpus *c, const char *path) {
  size_t len = strlen(path), tail = strlen(c->suffix);
  FILE *f = c->n < MOST_FILES && len > tail && !strcmp(path + len - tail, c->suffix)
                ? fopen(path, "rbe")
                : NULL;
  if (!f) return;
  Text *t = &c->text[c->n++];
  t->at = malloc(MOST_BYTES);
  if (!t->at) abort();
  t->n = fread(t->at, 1, MOST_BYTES, f);
  fclose(f);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void add(Corpus *c, const char *path) {
  struct stat st;
  struct dirent **names;
  char inner[4096];
  if (stat(path, &st)) {
    fprintf(stderr, "fuzz: there is no %s\n", path);
    exit(1);
  }
  if (!S_ISDIR(st.st_mode)) {
    add_file(c, path);
    return;
  }
  int n = scandir(path, &names, NULL, by_name);
  for (int i = 0; i < n; i++) {
    snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
    if (names[i]->d_name[0] != '.') add(c, inner);
    free(names[i]);
  }
  if (n >= 0) free(names);
}

/* -------- mutants -------- */

static uint64_t dice(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static bool in_word(uint8_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

/* The token at or after a random place. */
static void token(const Text *t, uint64_t *state, size_t *from, size_t *to) {
  size_t i = t->n ? dice(state) % t->n : 0;
  while (i > 0 && in_word(t->at[i]) && in_word(t->at[i - 1])) i--;
  *from = i;
  while (i < t->n && in_word(t->at[i])) i++;
  *to = i > *from ? i : i < t->n ? i + 1 : i;
}

/* Puts `n` bytes in the place of [from, to). */
static void replace(Text *t, size_t from, size_t to, const void *by, size_t n) {
  if (t->n - (to - from) + n > MOST_BYTES) return;
  memmove(t->at + from + n, t->at + to, t->n - to);
  memcpy(t->at + from, by, n);
  t->n += n - (to - from);
}

static void line(const Text *t, uint64_t *state, size_t *from, size_t *to) {
  size_t i = t->n ? dice(state) % t->n : 0;
  while (i > 0 && t->at[i - 1] != '\n') i--;
  *from = i;
  while (i < t->n && t->at[i] != '\n') i++;
  *to = i < t->n ? i + 1 : i;
}

static void mutate(Text *t, const Corpus *c, uint64_t *state) {
  static const char *const words[] = {
      "0",      "-1",   "1",     "7",     "1e99",    "4294967296", "9223372036854775807",
      "0.5",    "[]",   "_",     "?",     "...",     "grad",       "(",
      ")",      "{",    "}",     "\"",    "axis=",   "none",       "true",
      "<-",     "for",  "in",    "..",    "a",       "batch",      "f64",
      "bool",   "like", "@",     "\n",    ",",       ":",          "\\",
      "params", "x",    "state", "layer", "reshape", "einsum",     "GB/s",
      "Gb/s",   "=",    "link",  "axis",  "#"};
  size_t from, to, other_from, other_to;
  const Text *other = &c->text[dice(state) % (uint64_t)c->n];
  uint8_t copy[256];
  size_t n;
  token(t, state, &from, &to);
  switch (dice(state) % 8) {
  case 0:
    if (t->n) t->at[dice(state) % t->n] ^= (uint8_t)(1u << dice(state) % 8);
    break;
  case 1: replace(t, from, to, "", 0); break;
  case 2:
    n = to - from < sizeof copy ? to - from : sizeof copy;
    memcpy(copy, t->at + from, n);
    replace(t, to, to, copy, n);
    break;
  case 3:
  case 4: {
    const char *w = words[dice(state) % (sizeof words / sizeof *words)];
    replace(t, from, to, w, strlen(w));
    break;
  }
  case 5:
    token(other, state, &other_from, &other_to);
    replace(t, from, to, other->at + other_from, other_to - other_from);
    break;
  case 6:
    line(t, state, &from, &to);
    line(other, state, &other_from, &other_to);
    replace(t, from, dice(state) % 2 ? from : to, other->at + other_from, other_to - other_from);
    break;
  default: line(t, state, &from, &to); replace(t, from, to, "", 0);
  }
}

static void fuzz(Corpus *c, long count, uint64_t seed) {
  static uint8_t room[MOST_BYTES];
  long valid = 0;
  for (int i = 0; i < c->n; i++)
    if (run(c, c->text[i].at, c->text[i].n)) c->good[c->ngood++] = i;
  for (long i = 0; i < count; i++) {
    uint64_t state = (seed * 1000003 + (uint64_t)i) * 0x9e3779b97f4a7c15u | 1;
    bool good = c->ngood && dice(&state) % 4;
    const Text *from = &c->text[good ? c->good[dice(&state) % (uint64_t)c->ngood]
                                     : (int)(dice(&state) % (uint64_t)c->n)];
    Text t = {room, from->n};
    memcpy(room, from->at, from->n);
    uint64_t many = dice(&state) % 3 ? 1 : 1 + dice(&state) % 4;
    for (; many; many--) mutate(&t, c, &state);
    valid += run(c, t.at, t.n);
  }
  printf("%d files (%s), %d valid; %ld mutants, %ld valid\n", c->n, c->suffix, c->ngood, count,
         valid);
  for (int i = 0; i < c->n; i++) free(c->text[i].at);
}

int main(int argc, char **argv) {
  static Corpus programs = {.suffix = ".dtg", .run = run_program},
                machines = {.suffix = ".machine", .run = compile_for};
  uint64_t seed = 1;
  long count = 1000;
  static const int fatal[] = {SIGALRM, SIGPROF, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  struct sigaction action = {.sa_handler = leave};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) sigaction(fatal[i], &action, NULL);
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--count") && i + 1 < argc)
      count = atol(argv[++i]);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 10);
    else
      add(&programs, argv[i]), add(&machines, argv[i]);
  }
  if (!programs.n) {
    fprintf(stderr, "fuzz: no .dtg files\n");
    return 1;
  }
  fuzz(&programs, count, seed);
  if (machines.n) fuzz(&machines, count, seed);
  return 0;
}
#endif
