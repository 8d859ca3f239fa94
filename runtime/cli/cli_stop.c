/* cli_stop.c: see cli_stop.h. */
#include "cli_stop.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "progress.h"

static const int stop_signals[CLI_STOP_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

enum { AGREE_AT_MOST = 1000 };            /* steps; an evaluation's may be much slower */
static const double agree_seconds = 0.25; /* between two agreements */
static const double same_seconds = 2;     /* a launcher may pass one Ctrl-C on twice */

/* A signal handler has nowhere else to write. */
static volatile sig_atomic_t stop_asked, stop_among_others;
static struct timespec stop_first;

/* Before any constructor, a sanitizer's too. */
static enum { EARLY_UNKNOWN, EARLY_TAKEN, EARLY_IGNORED } stop_early;

__attribute__((no_sanitize("address", "undefined", "thread"))) void dtrt_main_early(void) {
  struct sigaction a;
  if (stop_early != EARLY_UNKNOWN || sigaction(SIGHUP, NULL, &a)) return;
  stop_early = a.sa_handler == SIG_IGN ? EARLY_IGNORED : EARLY_TAKEN;
}

/* The first is kept; a second one ends the process at once. Under a launcher both may be the same,
 * so there it has to come later. */
static void on_stop(int sig) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!stop_asked) {
    stop_first = now;
    stop_asked = sig;
    return;
  }
  double since =
      (double)(now.tv_sec - stop_first.tv_sec) + 1e-9 * (double)(now.tv_nsec - stop_first.tv_nsec);
  if (stop_among_others && since < same_seconds) return;
  signal(sig, SIG_DFL);
  raise(sig); /* it comes when this handler returns */
}

void cli_stop_catch(cli_stop *c, dtrt_session *s) {
  *c = (cli_stop){.session = s, .nranks = dtrt_session_nranks(s), .last = progress_now()};
  stop_asked = 0;
  stop_among_others = c->nranks > 1;
  for (int i = 0; i < CLI_STOP_SIGNALS; i++) {
    struct sigaction a = {.sa_handler = on_stop, .sa_flags = (int)SA_RESTART};
    sigemptyset(&a.sa_mask);
    if (sigaction(stop_signals[i], NULL, &c->old[i]) || c->old[i].sa_handler == SIG_IGN) continue;
    if (stop_signals[i] == SIGHUP && stop_early == EARLY_IGNORED) continue;
    c->caught[i] = sigaction(stop_signals[i], &a, NULL) == 0;
  }
}

void cli_stop_release(cli_stop *c) {
  for (int i = 0; i < CLI_STOP_SIGNALS; i++)
    if (c->caught[i]) sigaction(stop_signals[i], &c->old[i], NULL);
}

/* Each rank's signal and the time that a step takes it; from the same numbers all compute after how
 * many steps they meet again. */
static dtrt_status agree(cli_stop *c, int *sig) {
  double now = progress_now(), slowest = 1e-9;
  uint64_t mine[2] = {(uint64_t)stop_asked}, *all = calloc((size_t)c->nranks, sizeof mine);
  mine[1] = (uint64_t)((now - c->last) / (double)(c->steps - c->last_steps) * 1e9);
  if (!all) return session_error(c->session, DTRT_NO_MEMORY, "out of memory");
  dtrt_status status = session_gather_words(c->session, "between steps", mine, 2, all);
  for (int r = 0; status == DTRT_OK && r < c->nranks; r++) {
    if (!*sig) *sig = (int)all[2 * r];
    if ((double)all[2 * r + 1] * 1e-9 > slowest) slowest = (double)all[2 * r + 1] * 1e-9;
  }
  free(all);
  double steps = agree_seconds / slowest;
  c->next = c->steps + (steps < 1 ? 1 : steps < AGREE_AT_MOST ? (int64_t)steps : AGREE_AT_MOST);
  c->last_steps = c->steps;
  c->last = progress_now();
  return status;
}

dtrt_status cli_stop_asked(cli_stop *c, int *sig) {
  *sig = 0;
  c->steps++;
  c->met = c->nranks > 1 ? c->steps >= c->next : progress_now() - c->last >= agree_seconds;
  if (c->nranks > 1) return c->met ? agree(c, sig) : DTRT_OK;
  if (c->met) c->last = progress_now();
  *sig = stop_asked;
  return DTRT_OK;
}

void cli_stop_later(cli_stop *c) { c->steps++; }

const char *cli_stop_name(int sig) {
  return sig == SIGINT ? "Ctrl-C" : sig == SIGTERM ? "SIGTERM" : "SIGHUP";
}
