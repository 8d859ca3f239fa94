/* rank_log.c: see rank_log.h. */
#include "rank_log.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "profile.h"
#include "session.h"

enum { WORD_STEP, WORD_EPOCH, WORD_ROWS, WORD_CLOCK, WORD_TOOK, WORD_WAITED, WORDS };
static const char fields[] = "step,epoch,rank,host,time,seconds,data_seconds,rows_per_second";

static int metrics(const fit_pass *pass) {
  int n = 0;
  for (int i = 0; i < pass->entry->nout; i++) n += pass->out[i] != NULL;
  return n;
}

fit_status rank_log_open(rank_log *l, fit *f, int64_t first) {
  l->file = (step_log){.fd = -1};
  if (!l->path || dtrt_session_rank(f->session)) return FIT_OK;
  l->file.path = l->path;
  return step_log_open_as(&l->file, f, fields, first);
}

fit_status rank_log_add(rank_log *l, fit *f) {
  const fit_pass *pass = &f->train;
  int64_t width = WORDS + metrics(pass);
  if (!l->path) return FIT_OK;
  if (l->n + width > l->room) {
    int64_t room = 2 * (l->n + width);
    int64_t *bigger = realloc(l->words, (size_t)room * sizeof *bigger);
    if (!bigger) return fit_fail(f, "%s: out of memory", l->path);
    l->words = bigger;
    l->room = room;
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t *at = l->words + l->n, rows = pass->step > pass->full ? pass->rest : pass->set.batch;
  at[WORD_STEP] = (f->epoch - 1) * fit_steps(pass) + pass->step;
  at[WORD_EPOCH] = f->epoch;
  at[WORD_ROWS] = rows;
  at[WORD_CLOCK] = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - pass->beyond * pass->took;
  at[WORD_TOOK] = pass->took;
  at[WORD_WAITED] = pass->waited;
  at += WORDS;
  for (int i = 0; i < pass->entry->nout; i++) {
    if (!pass->out[i]) continue;
    double v = fit_value(pass, i);
    memcpy(at++, &v, sizeof v);
  }
  l->n += width;
  return FIT_OK;
}

static bool put_line(step_log *to, const fit_pass *pass, int rank, const char *host,
                     const int64_t *at) {
  double took = (double)at[WORD_TOOK] * 1e-9, waited = (double)at[WORD_WAITED] * 1e-9;
  char clock[40];
  snprintf(clock, sizeof clock, "%lld.%03d", (long long)(at[WORD_CLOCK] / 1000000000),
           (int)(at[WORD_CLOCK] % 1000000000 / 1000000));
  bool good =
      step_log_int(to, "step", at[WORD_STEP]) && step_log_int(to, "epoch", at[WORD_EPOCH]) &&
      step_log_int(to, "rank", rank) && step_log_text(to, "host", host) &&
      step_log_number(to, "time", clock) && step_log_real(to, "seconds", took) &&
      step_log_real(to, "data_seconds", waited) &&
      step_log_real(to, "rows_per_second", (double)at[WORD_ROWS] / (took > 1e-9 ? took : 1e-9));
  at += WORDS;
  for (int i = 0; good && i < pass->entry->nout; i++) {
    double v;
    if (!pass->out[i]) continue;
    memcpy(&v, at++, sizeof v);
    good = step_log_real(to, pass->entry->out[i].name, v);
  }
  return good && step_log_end(to);
}

/* Rank 0: step by step, and of each step rank by rank. */
static bool put_all(rank_log *l, const fit *f, int64_t *const *of) {
  int64_t width = WORDS + metrics(&f->train);
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  for (int64_t at = 0; at < l->n; at += width)
    for (int r = 0; r < dtrt_session_nranks(f->session); r++) {
      const char *host = dtrt_session_host(f->session, r);
      if (!put_line(&l->file, &f->train, r, *host ? host : own, of[r] + at)) return false;
    }
  return true;
}

fit_status rank_log_gather(rank_log *l, fit *f) {
  int ranks = dtrt_session_nranks(f->session);
  if (!l->path || !l->n) return FIT_OK;
  dtrt_status status = DTRT_OK;
  int64_t **of = calloc((size_t)ranks, sizeof *of);
  if (!of) status = session_error(f->session, DTRT_NO_MEMORY, "%s: out of memory", l->path);
  if (ranks > 1) status = session_agree(f->session, status);
  if (!status) status = profile_gather(f->session, l->words, l->n, of);
  fit_status end = status ? fit_session_failed(f) : FIT_OK;
  if (!end && dtrt_session_rank(f->session) == 0) {
    of[0] = l->words;
    if (!put_all(l, f, of)) end = fit_fail(f, "%s: out of memory", l->path);
    step_log_write(&l->file); /* the next sync reports failures */
  }
  for (int r = 1; of && r < ranks; r++) free(of[r]);
  free(of);
  l->n = 0;
  return end;
}

void rank_log_close(rank_log *l) {
  step_log_close(&l->file);
  free(l->words);
  l->words = NULL;
}
