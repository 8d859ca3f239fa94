/* supervise_main.c: `dtgc launch`, and the watcher of a rank that it has started on every host. An
 * executable of its own beside dtgc: a watcher has no use for a compiler's libraries. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "checkpoint.h"
#include "clock.h"
#include "process.h"
#include "supervise.h"

enum { MOST_TOLD = 100 };

typedef struct Happened {
  attempt_end end;
  char *why;
  int64_t step; /* of the newest checkpoint then; -1: none */
} Happened;

typedef struct SupervisedRun {
  job j;
  job_mesh mesh;
  Happened *past;
  int npast, restarts;
} SupervisedRun;

static int64_t newest(const job *j) {
  checkpoint_steps steps;
  char why[256];
  int64_t step = -1;
  if (!j->save || !checkpoint_list(j->save, &steps, why, sizeof why)) return -1;
  if (steps.n) step = steps.step[0];
  free(steps.step);
  return step;
}

static void step_text(int64_t step, char *text, size_t n) {
  if (step < 0)
    snprintf(text, n, "no checkpoint");
  else
    snprintf(text, n, "step-%06lld", (long long)step);
}

/* -------- slots that are lost -------- */

static void leave_out(job *j, const char *host) {
  char *longer = NULL;
  if (j->left_out && strstr(j->left_out, host)) return;
  if (asprintf(&longer, "%s%s%s", j->left_out ? j->left_out : "", j->left_out ? "," : "", host) < 0)
    return;
  free(j->left_out);
  j->left_out = longer;
}

/* Ranks fill hosts in the order of the file; those above a shrunk number are free. */
static void take_away(job *j, const attempt *a) {
  int *less = calloc((size_t)j->nhosts, sizeof *less);
  for (int i = 0; less && i < a->nlost; i++) {
    int first = 0, h = 0;
    while (h < j->nhosts - 1 && a->lost[i] >= first + j->host[h].ranks) first += j->host[h++].ranks;
    less[h]++;
    if (!j->hosts && a->host_is_gone) leave_out(j, a->lost_host + i * SUPERVISE_HOST);
  }
  for (int h = 0; less && h < j->nhosts; h++)
    j->host[h].ranks = j->host[h].ranks > less[h] ? j->host[h].ranks - less[h] : 0;
  free(less);
}

/* -------- telling -------- */

static bool remember(SupervisedRun *r, const attempt *a) {
  Happened *bigger = realloc(r->past, ((size_t)r->npast + 1) * sizeof *bigger);
  if (!bigger) return false;
  r->past = bigger;
  r->past[r->npast] = (Happened){a->end, strdup(a->why), newest(&r->j)};
  return r->past[r->npast++].why != NULL;
}

static void tell_past(const SupervisedRun *r, const char *reason) {
  char step[32];
  fprintf(stderr, "dtgc launch: given up: %s\n", reason);
  for (int i = r->npast > MOST_TOLD ? r->npast - MOST_TOLD : 0; i < r->npast; i++) {
    step_text(r->past[i].step, step, sizeof step);
    fprintf(stderr, "  %d. %s (%s)\n", i + 1, r->past[i].why, step);
  }
}

/* Whether two reasons are the same but for numbers: of processes, addresses, seconds. */
static bool same_reason(const char *a, const char *b) {
  static const char digits[] = "-0123456789";
  for (;;) {
    a += strspn(a, digits);
    b += strspn(b, digits);
    if (*a != *b) return false;
    if (!*a) return true;
    a++, b++;
  }
}

/* A failure of the program's own that came twice without a new checkpoint comes again. */
static bool repeats(const SupervisedRun *r) {
  if (r->npast < 2) return false;
  const Happened *a = &r->past[r->npast - 2], *b = &r->past[r->npast - 1];
  return a->end == b->end && b->end == ATTEMPT_FAILED && a->step == b->step &&
         same_reason(a->why, b->why);
}

/* -------- -------- */

/* The next plan after `a`; false after saying why there is none. */
static bool go_on(SupervisedRun *r, const attempt *a, job_plan *p) {
  const job *j = &r->j;
  char step[32], reason[128];
  if (!remember(r, a)) return false;
  if (r->npast == 1 &&
      (a->end == ATTEMPT_NO_START || a->status == SUPERVISE_USAGE || a->status == 127)) {
    if (a->end == ATTEMPT_NO_START) fprintf(stderr, "dtgc launch: %s\n", a->why);
    return false;
  }
  if (!j->restarts) {
    if (a->end != ATTEMPT_FAILED) fprintf(stderr, "dtgc launch: %s\n", a->why);
    return false;
  }
  if (repeats(r)) return tell_past(r, "it fails again at the same place"), false;
  if (r->restarts == j->restarts) {
    snprintf(reason, sizeof reason, "%d restart%s", j->restarts, j->restarts == 1 ? "" : "s");
    return tell_past(r, reason), false;
  }
  if (j->least) take_away(&r->j, a);
  if (!job_choose(j, &r->mesh, p)) {
    snprintf(reason, sizeof reason, "%d rank%s left, and --elastic requires %d (or no mesh fits)",
             job_slots(j), job_slots(j) == 1 ? " is" : "s are", j->least);
    return tell_past(r, reason), false;
  }
  r->restarts++;
  step_text(r->past[r->npast - 1].step, step, sizeof step);
  fprintf(stderr, "dtgc launch: %s; restart %d of %d with %d rank%s%s%s from %s\n", a->why,
          r->restarts, j->restarts, p->ranks, p->ranks == 1 ? "" : "s", p->mesh ? ", mesh " : "",
          p->mesh ? p->mesh : "", step);
  if (a->end == ATTEMPT_NO_START) nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  return true;
}

static int supervise(SupervisedRun *r) {
  job_plan p;
  if (r->j.least && !r->j.nrules) job_find_mesh(&r->j, &r->mesh);
  if (!job_choose(&r->j, &r->mesh, &p)) {
    fprintf(stderr, "dtgc launch: %d ranks do not fit\n", r->j.ranks);
    return SUPERVISE_USAGE;
  }
  for (;;) {
    attempt a;
    char **words = job_words(&r->j, &p, r->npast > 0);
    if (!words) return fprintf(stderr, "dtgc launch: out of memory\n"), SUPERVISE_FAILED;
    attempt_run(&a, &r->j, &p, words);
    job_free_words(words);
    bool over = a.end == ATTEMPT_DONE || a.end == ATTEMPT_STOPPED || !go_on(r, &a, &p);
    int status = a.status;
    attempt_free(&a);
    if (over) return status;
  }
}

int main(int argc, char **argv) {
  SupervisedRun r = {0};
  bool done = false;
  process_begin();
  if (argc > 2 && !strcmp(argv[1], "--watch-rank")) return rank_watch(argv + 2);
  bool good = job_read(&r.j, argc, argv, &done);
  int status = done ? 0 : good ? supervise(&r) : SUPERVISE_USAGE;
  for (int i = 0; i < r.npast; i++) free(r.past[i].why);
  free(r.past);
  job_free(&r.j);
  return status;
}
