/* fit_save.c: see fit_save.h. All ranks call it together; only rank 0 removes old checkpoints. */
#include "fit_save.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint.h"
#include "plural.h"
#include "session.h"

/* -------- what is kept of a half-done epoch: the sums behind its means -------- */

static void put_sums(const fit_pass *pass, char *note, size_t size) {
  size_t n = strlen(note);
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

/* The order of streams depends on the batch. No output has a name that begins so. */
static const char stream_key[] = "--stream ";

static void put_stream(const fit *f, char *note, size_t size) {
  if (f->stream) snprintf(note, size, "%s%lld\n", stream_key, (long long)f->train.set.batch);
}

/* The batch of the streams; 0: the rows were no streams. */
static int64_t get_stream(const char *note) {
  size_t n = strlen(stream_key);
  return strncmp(note, stream_key, n) == 0 ? strtoll(note + n, NULL, 10) : 0;
}

/* -------- saving -------- */

typedef struct fit_removal {
  const char *dir;
  int64_t step, keep; /* of the checkpoint that has just been written */
  int64_t *bad;
  int nbad;
  char why[256 + 4096]; /* "": all were removed */
} fit_removal;

/* The newest `keep` up to this one stay; damaged ones are not counted. Later ones were passed over.
 */
static void remove_old(void *user) {
  fit_removal *r = user;
  checkpoint_steps steps;
  int64_t kept = 0;
  /* Of earlier ones that could not be written or removed. */
  checkpoint_remove_aside(r->dir);
  if (!checkpoint_list(r->dir, &steps, r->why, sizeof r->why)) return;
  for (int i = 0; i < steps.n; i++) {
    bool bad = false;
    for (int k = 0; k < r->nbad; k++) bad |= r->bad[k] == steps.step[i];
    if (steps.step[i] > r->step || (!bad && kept++ < r->keep)) continue;
    char *path = checkpoint_step_path(r->dir, steps.step[i]);
    if (path && !checkpoint_remove(path))
      snprintf(r->why, sizeof r->why, "%s: %s", path, strerror(errno));
    free(path);
  }
  free(steps.step);
}

/* A snapshot for the thread that removes. The step itself is replaced, so it is damaged no more. */
static fit_removal *new_removal(const fit_save *s) {
  fit_removal *r = calloc(1, sizeof *r + (size_t)s->nbad * sizeof *r->bad);
  if (!r) return NULL;
  r->dir = s->dir;
  r->step = s->step;
  r->keep = s->keep;
  r->bad = (int64_t *)(void *)(r + 1);
  for (int i = 0; i < s->nbad; i++)
    if (s->bad[i] != s->step) r->bad[r->nbad++] = s->bad[i];
  return r;
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

static void end_removal(fit_save *s, const fit *f) {
  const fit_removal *r = s->removal;
  if (r && *r->why)
    tell(s, f,
         "warning: an old checkpoint cannot be removed: %s; removal is retried after the next save",
         r->why);
  free(s->removal);
  s->removal = NULL;
}

/* Collective, like all of saving. */
static dtrt_status write_checkpoint(fit_save *s, fit *f, const dtrt_progress *p) {
  char why[CHECKPOINT_WHY] = "";
  dtrt_save_options o = {.progress = p, .bf16 = s->bf16};
  bool ready = !s->before || s->before(s->user, why, sizeof why);
  dtrt_status status = ready ? DTRT_OK : session_error(f->session, DTRT_FILE, "%s", why);
  if (s->before) status = session_agree(f->session, status);
  if (status != DTRT_OK) return status;
  char *path = checkpoint_step_path(s->dir, s->step);
  if (!path) return session_error(f->session, DTRT_NO_MEMORY, "out of memory");
  if (s->sync)
    status = dtrt_save(f->session, path, &o);
  else
    status = save_begin(f->session, path, &o, &s->copies, &s->job);
  free(path);
  return status;
}

/* All ranks have the same reason. The checkpoints that are there stay as they are. */
static fit_status not_saved(const fit_save *s, fit *f, int64_t step, bool final) {
  char kept[64] = "there is no checkpoint yet";
  if (s->saved >= 0)
    snprintf(kept, sizeof kept, "step-%06lld stays the newest", (long long)s->saved);
  if (final) return fit_fail(f, "not saved: %.600s (%s)", dtrt_session_error(f->session), kept);
  tell(s, f,
       "warning: not saved after step %lld: %s; training continues, %s, and the next save is "
       "attempted when due",
       (long long)step, dtrt_session_error(f->session), kept);
  return FIT_OK;
}

/* What became of the checkpoint of `step`. */
static fit_status ended(fit_save *s, fit *f, dtrt_status status, int64_t step, bool final) {
  if (status == DTRT_FILE) return not_saved(s, f, step, final);
  if (status != DTRT_OK) return fit_session_failed(f);
  s->saved = step;
  forget_bad(s, step); /* it was replaced */
  return FIT_OK;
}

/* -------- beside training: save_job.h -------- */

enum { LOOK_FAILED = -1, LOOK_RUNS, LOOK_WRITTEN, LOOK_COMMITTED };

/* How far it is on all ranks. */
static dtrt_status look(const fit_save *s, fit *f, bool wait, int *at) {
  int n = dtrt_session_nranks(f->session), runs = 0;
  uint64_t mine = save_job_state(s->job, wait, NULL), *all = calloc((size_t)n, sizeof *all);
  if (!all) return session_error(f->session, DTRT_NO_MEMORY, "out of memory");
  dtrt_status status = session_gather_words(f->session, "saving", &mine, 1, all);
  *at = all[0] == SAVE_COMMITTED ? LOOK_COMMITTED : LOOK_WRITTEN;
  for (int r = 0; r < n; r++) {
    if (all[r] == SAVE_FAILED) *at = LOOK_FAILED;
    runs += all[r] == SAVE_RUNS;
  }
  if (runs && *at != LOOK_FAILED) *at = LOOK_RUNS;
  free(all);
  return status;
}

/* All ranks: their threads end, and the reason of the lowest that has one is that of all. */
static dtrt_status give_up(fit_save *s, fit *f) {
  const char *why = "";
  bool bad = save_job_state(s->job, true, &why) == SAVE_FAILED;
  dtrt_status status =
      session_agree(f->session, bad ? session_error(f->session, DTRT_FILE, "%s", why) : DTRT_OK);
  save_job_end(s->job, dtrt_session_rank(f->session) == 0);
  s->job = NULL;
  return status;
}

/* One look, or with `wait` until it has ended. */
static fit_status go_on_saving(fit_save *s, fit *f, bool wait, bool final) {
  int at = LOOK_RUNS, rank = dtrt_session_rank(f->session);
  while (s->job) {
    dtrt_status status = look(s, f, wait, &at);
    if (status != DTRT_OK) return fit_session_failed(f);
    if (at == LOOK_FAILED) {
      status = give_up(s, f);
    } else if (at == LOOK_COMMITTED) {
      save_job_end(s->job, false);
      s->job = NULL;
    } else if (at == LOOK_WRITTEN && rank == 0) {
      save_job_commit(s->job, s->removal ? remove_old : NULL, s->removal);
    }
    if (!s->job) {
      end_removal(s, f);
      return ended(s, f, status, s->job_step, final);
    }
    if (!wait) break;
  }
  return FIT_OK;
}

/* Between processes looks become rarer the longer it takes: each is a short exchange. */
static fit_status look_at_job(fit_save *s, fit *f) {
  if (!s->job || (s->step < s->job_next_look && dtrt_session_nranks(f->session) > 1)) return FIT_OK;
  s->job_next_look = s->step + 1 + (s->step - s->job_step) / 4;
  return go_on_saving(s, f, false, false);
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
  fit_status end = go_on_saving(s, f, true, false); /* the one before */
  if (end) return end;
  if (row) put_stream(f, p.note, sizeof p.note);
  if (row) put_sums(&f->train, p.note, sizeof p.note);
  dtrt_status status = write_checkpoint(s, f, &p);
  if (s->job) {
    s->removal = new_removal(s);
    s->job_step = s->step;
    s->job_next_look = s->step + 1;
    return final ? go_on_saving(s, f, true, true) : FIT_OK;
  }
  if ((end = ended(s, f, status, s->step, final)) || status != DTRT_OK) return end;
  if (dtrt_session_rank(f->session) == 0 && (s->removal = new_removal(s))) remove_old(s->removal);
  end_removal(s, f);
  return FIT_OK;
}

/* A session whose replicas differ can only be closed: what was begun before the check is ended. */
static bool is_checked_next(const fit_save *s, const fit *f) {
  return f->check_replicas && (s->step + 1) % f->check_replicas == 0;
}

static fit_status save_step(fit_save *s, fit *f, const fit_pass *pass) {
  fit_status status = look_at_job(s, f);
  if (status) return status;
  /* That of an epoch's last step waits for the evaluation. */
  bool last = pass->step == fit_epoch_steps(f, pass, f->epoch);
  if (!s->dir || !s->every || s->step % s->every || last) return FIT_OK;
  return save(s, f, f->epoch - 1, pass->rows, false);
}

fit_status fit_save_step(fit_save *s, fit *f, const fit_pass *pass) {
  if (pass != &f->train) return FIT_OK;
  s->step++;
  fit_status status = save_step(s, f, pass);
  return status || !is_checked_next(s, f) ? status : go_on_saving(s, f, true, false);
}

fit_status fit_save_epoch(fit_save *s, fit *f) {
  bool final = f->epoch == f->epochs;
  if (!s->dir || s->saved == s->step) return FIT_OK;
  if (s->job && s->job_step == s->step) return final ? go_on_saving(s, f, true, true) : FIT_OK;
  if (s->every && s->step % s->every && !final) return FIT_OK;
  /* An epoch that --steps cuts off goes on from there, when there are more. */
  bool cut = f->train.step < fit_steps(&f->train);
  return cut ? save(s, f, f->epoch - 1, f->train.rows, final) : save(s, f, f->epoch, 0, final);
}

fit_status fit_save_now(fit_save *s, fit *f) {
  if (!s->dir || s->saved == s->step) return FIT_OK;
  if (s->job && s->job_step == s->step) return go_on_saving(s, f, true, true);
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
    return fit_fail(f, "%s: it was saved within an epoch of %lld row%s, and now there are %lld",
                    path, (long long)p->rows, PLURAL(p->rows), (long long)t->set.limit);
  if ((p->shuffled != 0) != f->shuffle || (f->shuffle && p->shuffle != f->shuffle_seed)) {
    if (!p->shuffled)
      return fit_fail(f, "%s: it was saved within an epoch that was not shuffled", path);
    return fit_fail(f, "%s: it was saved within an epoch that was shuffled with --shuffle %" PRIu64,
                    path, p->shuffle);
  }
  int64_t streams = get_stream(p->note);
  if (streams != (f->stream ? batch : 0)) {
    if (!streams) return fit_fail(f, "%s: it was saved within an epoch without --stream", path);
    return fit_fail(f, "%s: it was saved within an epoch of %lld streams (--stream)", path,
                    (long long)streams);
  }
  if (p->row > p->rows || (p->row % batch && p->row != p->rows - t->dropped))
    return fit_fail(
        f,
        "%s: it was saved after row %lld of an epoch, which is not a multiple of the batch of %lld",
        path, (long long)p->row, (long long)batch);
  f->first_step = (p->row + batch - 1) / batch;
  f->first_sum = calloc((size_t)t->entry->nout + 1, sizeof *f->first_sum);
  if (!f->first_sum) return fit_fail(f, "out of memory");
  get_sums(t, p->note, f->first_sum);
  return FIT_OK;
}

static fit_status pass_over(fit_save *s, fit *f, int64_t step) {
  int64_t *bigger = realloc(s->bad, ((size_t)s->nbad + 1) * sizeof *bigger);
  if (!bigger) return fit_fail(f, "out of memory");
  s->bad = bigger;
  s->bad[s->nbad++] = step;
  tell(s, f, "warning: skipping a checkpoint: %s", dtrt_session_error(f->session));
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
    if (!path) return fit_fail(f, "out of memory");
    dtrt_status got = dtrt_restore(f->session, path, NULL, &p);
    fit_status status = FIT_OK;
    if (got == DTRT_FILE)
      status = pass_over(s, f, steps->step[i]);
    else
      status = got == DTRT_OK ? go_on(s, f, path, &p) : fit_session_failed(f);
    free(path);
    if (got != DTRT_FILE || status) return status;
  }
  return fit_fail(
      f, "%s: none of its %d checkpoints can be restored; name another folder to start new", s->dir,
      steps->n);
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
    return fit_session_failed(f);
  if (steps->n && s->resume) return resume(s, f, steps);
  if (steps->n)
    return fit_fail(
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
      session_agree(f->session, status) ? fit_session_failed(f) : open_folder(s, f, &steps);
  free(steps.step);
  /* A crash may have come between the last save and the removal of what it replaced. */
  bool removes = !end && s->restored >= 0 && dtrt_session_rank(f->session) == 0;
  if (removes)
    remove_old(&(fit_removal){
        .dir = s->dir, .step = s->step, .keep = s->keep, .bad = s->bad, .nbad = s->nbad});
  return end;
}

fit_status fit_save_settle(fit_save *s, fit *f, bool failed) {
  if (!s->job) return FIT_OK;
  if (!failed || dtrt_session_nranks(f->session) == 1) return go_on_saving(s, f, true, true);
  save_job_end(s->job, dtrt_session_rank(f->session) == 0);
  s->job = NULL;
  return FIT_OK;
}

void fit_save_close(fit_save *s) {
  save_copies_free(&s->copies);
  free(s->removal);
  s->removal = NULL;
  folder_lock_drop(&s->lock);
  free(s->bad);
  s->bad = NULL;
  s->nbad = 0;
}
