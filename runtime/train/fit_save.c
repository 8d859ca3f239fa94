/* fit_save.c: see fit_save.h. All ranks call it together; only rank 0 removes old checkpoints. */
#include "fit_save.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint.h"
#include "session.h"

__attribute__((format(printf, 2, 3))) static fit_status fail(fit *f, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(f->why, sizeof f->why, format, list);
  va_end(list);
  return FIT_FAILED;
}

static fit_status session_failed(fit *f) {
  f->why[0] = '\0';
  return FIT_FAILED;
}

/* -------- what is kept of a half-done epoch: the sums behind its means -------- */

static void put_sums(const fit_pass *pass, char *note, size_t size) {
  size_t n = 0;
  note[0] = '\0';
  for (int i = 0; i < pass->entry->nout; i++) {
    if (!pass->out[i]) continue;
    int k = snprintf(note + n, size - n, "%s %a\n", pass->entry->out[i].name, pass->sum[i]);
    if (k < 0 ||
        (size_t)k >= size - n) { /* more metrics than a note holds: means of the rest only */
      note[n] = '\0';
      return;
    }
    n += (size_t)k;
  }
}

static void get_sums(fit_pass *pass, const char *note, double *sum) {
  for (int i = 0; i < pass->entry->nout; i++) {
    const char *name = pass->entry->out[i].name;
    size_t n = strlen(name);
    sum[i] = 0;
    for (const char *line = note; line && *line; line = strchr(line, '\n')) {
      line += *line == '\n';
      if (!strncmp(line, name, n) && line[n] == ' ') sum[i] = strtod(line + n, NULL);
    }
  }
}

/* -------- saving -------- */

/* The newest `keep` up to this one stay; damaged ones are not counted. Later ones were passed over.
 */
static void remove_old(const fit_save *s) {
  checkpoint_steps steps;
  char why[256];
  int64_t kept = 0;
  if (!checkpoint_list(s->dir, &steps, why, sizeof why)) return;
  for (int i = 0; i < steps.n; i++) {
    bool bad = false;
    for (int k = 0; k < s->nbad; k++) bad |= s->bad[k] == steps.step[i];
    if (steps.step[i] > s->step || (!bad && kept++ < s->keep)) continue;
    char *path = checkpoint_step_path(s->dir, steps.step[i]);
    if (path) checkpoint_remove(path);
    free(path);
  }
  free(steps.step);
}

static void forget_bad(fit_save *s, int64_t step) {
  int n = 0;
  for (int i = 0; i < s->nbad; i++)
    if (s->bad[i] != step) s->bad[n++] = s->bad[i];
  s->nbad = n;
}

static void tell(const fit_save *s, const fit *f, const char *format, ...) {
  char line[CHECKPOINT_WHY];
  va_list list;
  if (!s->tell || dtrt_session_rank(f->session) != 0) return;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  s->tell(s->user, line);
}

/* Collective, like all of saving. */
static dtrt_status write_checkpoint(fit_save *s, fit *f, const dtrt_progress *p) {
  char why[CHECKPOINT_WHY] = "";
  bool ready = !s->before || s->before(s->user, why, sizeof why);
  dtrt_status status = ready ? DTRT_OK : session_error(f->session, DTRT_FILE, "%s", why);
  if (s->before) status = session_agree(f->session, status);
  if (status != DTRT_OK) return status;
  char *path = checkpoint_step_path(s->dir, s->step);
  if (!path) return session_error(f->session, DTRT_NO_MEMORY, "out of memory");
  status = dtrt_save(f->session, path, &(dtrt_save_options){.progress = p, .bf16 = s->bf16});
  free(path);
  return status;
}

/* All ranks have the same reason. The checkpoints that are there stay as they are. */
static fit_status not_saved(const fit_save *s, fit *f, bool final) {
  char kept[64] = "there is no checkpoint yet";
  if (s->saved >= 0)
    snprintf(kept, sizeof kept, "step-%06lld stays the newest", (long long)s->saved);
  if (final) return fail(f, "not saved: %.600s (%s)", dtrt_session_error(f->session), kept);
  tell(s, f,
       "warning: not saved after step %lld: %s; training continues, %s, and the next save is "
       "attempted when due",
       (long long)s->step, dtrt_session_error(f->session), kept);
  return FIT_OK;
}

/* `final`: no later one would make up for it. */
static fit_status save(fit_save *s, fit *f, int64_t epochs, int64_t row, bool final) {
  dtrt_progress p = {.step = s->step,
                     .epoch = epochs,
                     .row = row,
                     .rows = f->train.set.limit,
                     .shuffled = f->shuffle,
                     .shuffle = f->shuffle_seed,
                     .seed = s->seed};
  if (row) put_sums(&f->train, p.note, sizeof p.note);
  dtrt_status status = write_checkpoint(s, f, &p);
  bool again = s->failed;
  s->failed = status == DTRT_FILE;
  if (status == DTRT_FILE) return not_saved(s, f, final);
  if (status != DTRT_OK) return session_failed(f);
  s->saved = s->step;
  forget_bad(s, s->step); /* it was replaced */
  if (dtrt_session_rank(f->session) != 0) return FIT_OK;
  remove_old(s);
  if (again) checkpoint_remove_aside(s->dir);
  return FIT_OK;
}

fit_status fit_save_step(fit_save *s, fit *f, const fit_pass *pass) {
  if (pass != &f->train) return FIT_OK;
  s->step++;
  /* That of an epoch's last step waits for the evaluation. */
  bool last = pass->step == fit_epoch_steps(f, pass, f->epoch);
  if (!s->dir || !s->every || s->step % s->every || last) return FIT_OK;
  return save(s, f, f->epoch - 1, pass->rows, false);
}

fit_status fit_save_epoch(fit_save *s, fit *f) {
  bool final = f->epoch == f->epochs;
  if (!s->dir || s->saved == s->step) return FIT_OK;
  if (s->every && s->step % s->every && !final) return FIT_OK;
  /* An epoch that --steps cuts off goes on from there, when there are more. */
  bool cut = f->train.step < fit_steps(&f->train);
  return cut ? save(s, f, f->epoch - 1, f->train.rows, final) : save(s, f, f->epoch, 0, final);
}

fit_status fit_save_now(fit_save *s, fit *f) {
  if (!s->dir || s->saved == s->step) return FIT_OK;
  return save(s, f, f->epoch - 1, f->train.rows, true);
}

/* -------- going on -------- */

/* Where the loop goes on. In the middle of an epoch its rows must be the same, in the same order.
 */
static fit_status go_on(fit_save *s, fit *f, const char *path, const dtrt_progress *p) {
  fit_pass *t = &f->train;
  int64_t batch = t->set.batch;
  s->step = s->saved = s->restored = p->step;
  f->first_epoch = p->epoch + 1;
  if (s->seed != p->seed)
    tell(s, f, "%s was trained with --seed %" PRIu64 ": random values will differ from now on",
         path, p->seed);
  if (f->steps && p->step >= f->steps) f->first_epoch = f->epochs + 1; /* all are done */
  if (!p->row || f->first_epoch > f->epochs) return FIT_OK;
  if (p->rows != t->set.limit)
    return fail(f, "%s: it was saved within an epoch of %lld rows, and now there are %lld", path,
                (long long)p->rows, (long long)t->set.limit);
  if ((p->shuffled != 0) != f->shuffle || (f->shuffle && p->shuffle != f->shuffle_seed)) {
    if (!p->shuffled)
      return fail(f, "%s: it was saved within an epoch that was not shuffled", path);
    return fail(f, "%s: it was saved within an epoch that was shuffled with --shuffle %" PRIu64,
                path, p->shuffle);
  }
  if (p->row > p->rows || (p->row % batch && p->row != p->rows - t->dropped))
    return fail(
        f,
        "%s: it was saved after row %lld of an epoch, which is not a multiple of the batch of %lld",
        path, (long long)p->row, (long long)batch);
  f->first_step = (p->row + batch - 1) / batch;
  f->first_sum = calloc((size_t)t->entry->nout + 1, sizeof *f->first_sum);
  if (!f->first_sum) return fail(f, "out of memory");
  get_sums(t, p->note, f->first_sum);
  return FIT_OK;
}

static fit_status pass_over(fit_save *s, fit *f, int64_t step) {
  int64_t *bigger = realloc(s->bad, ((size_t)s->nbad + 1) * sizeof *bigger);
  if (!bigger) return fail(f, "out of memory");
  s->bad = bigger;
  s->bad[s->nbad++] = step;
  tell(s, f, "%s", dtrt_session_error(f->session));
  return FIT_OK;
}

/* Collective: ranks that saw other folders would wait for each other. */
static bool all_see(fit *f, int64_t step) {
  return session_share(f->session, (uint64_t)step) == (uint64_t)step;
}

static fit_status resume(fit_save *s, fit *f, const checkpoint_steps *steps) {
  for (int i = 0; i < steps->n; i++) {
    dtrt_progress p;
    char *path = checkpoint_step_path(s->dir, steps->step[i]);
    if (!path) return fail(f, "out of memory");
    dtrt_status got = dtrt_restore(f->session, path, NULL, &p);
    fit_status status = FIT_OK;
    if (got == DTRT_FILE)
      status = pass_over(s, f, steps->step[i]);
    else
      status = got == DTRT_OK ? go_on(s, f, path, &p) : session_failed(f);
    free(path);
    if (got != DTRT_FILE || status) return status;
  }
  return fail(f, "%s: none of its %d checkpoints can be restored; name another folder to start new",
              s->dir, steps->n);
}

static fit_status open_folder(fit_save *s, fit *f, const checkpoint_steps *steps) {
  dtrt_session *session = f->session;
  int64_t newest = steps->n ? steps->step[0] : -1;
  bool same = all_see(f, newest);
  if (session_agree(session, same
                                 ? DTRT_OK
                                 : session_error(session, DTRT_INVALID,
                                                 "%s: it is not the folder that rank 0 sees; "
                                                 "checkpoints require a folder shared by all ranks",
                                                 s->dir)))
    return session_failed(f);
  if (steps->n && s->resume) return resume(s, f, steps);
  if (steps->n)
    return fail(
        f,
        "%s: it holds checkpoints (the newest: step-%06lld); continue from them with --resume, "
        "or name another folder",
        s->dir, (long long)newest);
  return FIT_OK;
}

static bool lock_folder(fit_save *s, fit *f) {
  folder_lock_status status = folder_lock_take(&s->lock, s->dir, f->why, sizeof f->why);
  if (status == FOLDER_LOCKS_NONE) tell(s, f, "%s", f->why);
  return status == FOLDER_LOCKED || status == FOLDER_LOCKS_NONE;
}

fit_status fit_save_open(fit_save *s, fit *f) {
  s->restored = -1;
  s->saved = -1;
  if (!s->dir) return FIT_OK;
  checkpoint_steps steps = {0};
  bool good = true;
  if (dtrt_session_rank(f->session) == 0) { /* better known before the first step */
    good = checkpoint_make_folder(s->dir, f->why, sizeof f->why) && lock_folder(s, f);
    if (good) checkpoint_remove_aside(s->dir);
  }
  good = good && checkpoint_list(s->dir, &steps, f->why, sizeof f->why);
  dtrt_status status = good ? DTRT_OK : session_error(f->session, DTRT_FILE, "%s", f->why);
  f->why[0] = '\0';
  fit_status end =
      session_agree(f->session, status) ? session_failed(f) : open_folder(s, f, &steps);
  free(steps.step);
  /* A crash may have come between the last save and the removal of what it replaced. */
  if (!end && s->restored >= 0 && dtrt_session_rank(f->session) == 0) remove_old(s);
  return end;
}

void fit_save_close(fit_save *s) {
  folder_lock_drop(&s->lock);
  free(s->bad);
  s->bad = NULL;
  s->nbad = 0;
}
