/* cli_fit.c: `fit ENTRY`: the training loop of fit.h from a command line, with what it prints: the
 * plan, a line an epoch, the progress bar, the log, warnings. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "busy.h"
#include "cli.h"
#include "cli_stop.h"
#include "fit.h"
#include "fit_report.h"
#include "fit_save.h"
#include "fit_verify.h"
#include "launcher.h"
#include "plural.h"
#include "safetensors.h"
#include "profile.h"
#include "progress.h"
#include "rank_log.h"
#include "step_log.h"

typedef struct show {
  cli c;
  fit f;
  fit_save save;
  fit_report report;
  step_log steps;
  rank_log ranks;
  progress bar;
  cli_stop stop;
  bool nan_said;
  bool rows_bad;  /* what --check-nan has found came in with rows */
  bool log_fails; /* the last attempt to write a log has failed; reported once */
  int status;     /* to exit with, once a hook has stopped the loop */
  int64_t since;  /* steps of training since the slowest ranks were printed */
  bool json;      /* the log of epochs has JSON lines */
  char *log;      /* text so far */
  size_t nlog;
} show;

static void say_plan(const show *w, const char *command, const fit_pass *pass) {
  long long full = pass->full;
  printf("%s %s: %lld row%s, ", command, pass->entry->name, (long long)pass->set.limit,
         PLURAL(pass->set.limit));
  if (full) printf("%lld step%s of %lld", full, full == 1 ? "" : "s", (long long)pass->set.batch);
  if (pass->rest) printf("%sone step of %lld", full ? " and " : "", (long long)pass->rest);
  if (w->f.stream) printf(", as streams of %lld row%s", full, PLURAL(full));
  if (pass->dropped)
    printf(", the last %lld row%s left out", (long long)pass->dropped, PLURAL(pass->dropped));
  if (pass == &w->f.train && w->f.steps)
    printf("; %lld step%s in all", (long long)w->f.steps, w->f.steps == 1 ? "" : "s");
  if (pass == &w->f.train) {
    char mesh[512];
    cli_mesh_text(w->c.program, mesh, sizeof mesh);
    printf("; %s", mesh);
  }
  putchar('\n');
}

/* ---- steps */

/* The sign of a NaN has no meaning, and printf would show it as "-nan". */
static double shown(double v) { return isnan(v) ? fabs(v) : v; }

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format,
                                                      ...) {
  size_t n = strlen(text);
  va_list list;
  va_start(list, format);
  if (n < size) vsnprintf(text + n, size - n, format, list);
  va_end(list);
}

/* "  loss 0.671  accuracy 0.823", each name after `prefix`. */
static void metrics_text(const fit_pass *pass, const char *prefix, char *text, size_t size) {
  text[0] = '\0';
  for (int i = 0; i < pass->entry->nout && pass->rows; i++) {
    if (!pass->out[i]) continue;
    double mean = fit_mean(pass, i);
    int digits = fabs(mean) < 1e4 ? 4 : 7;
    add(text, size, "  %s%s %.*g", prefix, pass->entry->out[i].name, digits, shown(mean));
  }
}

/* "  0.671" for each output, after its name and the entry's. */
static void report_text(const fit_report *r, char *text, size_t size) {
  for (int i = 0; r->entry && i < r->entry->nout; i++) {
    if (!r->out[i]) continue;
    double v = fit_report_value(r, i);
    add(text, size, "  %.40s %s %.*g", r->entry->name, r->entry->out[i].name, fabs(v) < 1e4 ? 4 : 7,
        shown(v));
  }
}

/* Whether the last step's rows were finite. A short batch is not checked. */
static bool rows_finite(show *w, const fit_pass *pass) {
  data_set rows;
  if (pass->step > pass->full) return true;
  bool finite = !fit_rows(&w->f, pass, pass->step - 1, &rows) || data_finite(&rows);
  fit_rows_end(&rows);
  return finite;
}

/* Once a run; the first of them prints where it began. */
static void warn_of_nan(show *w, const fit_pass *pass) {
  char note[1500];
  const char *found = w->rows_bad || !w->f.found ? "" : dtrt_session_found(w->f.session);
  if (w->nan_said || (pass->bad < 0 && !*found)) return;
  if (*found && !rows_finite(w, pass)) {
    w->rows_bad = true;
    if (pass->bad < 0) return;
    found = "the rows of this step are not finite";
  }
  w->nan_said = true;
  if (pass->bad >= 0)
    snprintf(note, sizeof note, "warning: %s of '%s' is %g at step %lld of epoch %lld%s%s",
             pass->entry->out[pass->bad].name, pass->entry->name, shown(fit_value(pass, pass->bad)),
             (long long)pass->step, (long long)w->f.epoch, *found ? ": " : "", found);
  else
    snprintf(note, sizeof note, "warning: step %lld of epoch %lld: %s", (long long)pass->step,
             (long long)w->f.epoch, found);
  progress_clear(&w->bar);
  cli_note(&w->c, note);
}

static void draw(show *w, const fit_pass *pass) {
  char head[96], text[512];
  const char *name = pass == &w->f.eval ? pass->entry->name : "";
  if (!progress_due(&w->bar)) return;
  snprintf(head, sizeof head, "epoch %lld/%lld%s%.40s", (long long)w->f.epoch,
           (long long)w->f.epochs, *name ? " " : "", name);
  metrics_text(pass, "", text, sizeof text);
  progress_step(&w->bar, head, pass->begun, pass->step, fit_epoch_steps(&w->f, pass, w->f.epoch),
                pass->seconds, text);
}

/* All processes come here after the same step. */
static fit_status stop(show *w, const fit_pass *pass, int sig) {
  const fit *f = &w->f;
  char text[512];
  progress_clear(&w->bar);
  snprintf(text, sizeof text, "stopped by %s after step %lld of %lld of epoch %lld (%s)",
           cli_stop_name(sig), (long long)pass->step, (long long)fit_epoch_steps(f, pass, f->epoch),
           (long long)f->epoch, pass->entry->name);
  cli_note(&w->c, text);
  w->status = CLI_SIGNAL + sig;
  if (fit_save_now(&w->save, &w->f)) return FIT_FAILED;
  snprintf(text, sizeof text, "saved %.400s/step-%06lld", w->c.save ? w->c.save : "",
           (long long)w->save.step);
  if (w->c.save) cli_note(&w->c, text);
  Comm *comm = w->f.session->comm;
  if (comm->verbs->leave) comm->verbs->leave(comm);
  return FIT_STOPPED;
}

/* --stragglers: after as many steps as are kept. All processes come here after the same step. */
static fit_status say_stragglers(show *w) {
  progress_clear(&w->bar);
  w->since = 0;
  w->status = cli_stragglers(&w->c, w->f.session);
  return w->status ? FIT_STOPPED : FIT_OK;
}

/* The next step of training after which something is done with the session. */
static int64_t until(const fit *f, const fit_pass *pass) {
  const show *w = f->user;
  int64_t n = INT64_MAX;
  if (pass != &f->train) return n;
  if (w->save.dir && w->save.every) n = w->save.every - w->save.step % w->save.every;
  if (w->c.stragglers && n > PROFILE_RECENT - w->since) n = PROFILE_RECENT - w->since;
  return n;
}

static fit_status on_step(fit *f, const fit_pass *pass) {
  show *w = f->user;
  fit_status status = FIT_OK;
  if (pass == &f->train && (status = step_log_add(&w->steps, f))) return status;
  if (pass == &f->train && (status = rank_log_add(&w->ranks, f))) return status;
  if (!w->nan_said) warn_of_nan(w, pass);
  if (pass->bad >= 0 && w->c.stop_on_nan) {
    progress_clear(&w->bar);
    cli_note(&w->c, "stopped because of --stop-on-nan");
    w->status = CLI_FAILED;
    return FIT_STOPPED;
  }
  if ((status = fit_save_step(&w->save, f, pass))) return status;
  if (w->c.stragglers && pass == &f->train) w->since++;
  if (pass->beyond) return cli_stop_later(&w->stop), FIT_OK;
  int sig = 0;
  if (cli_stop_asked(&w->stop, &sig)) return f->why[0] = '\0', FIT_FAILED;
  if ((w->stop.met || sig) && (status = rank_log_gather(&w->ranks, f))) return status;
  if (sig) return stop(w, pass, sig);
  draw(w, pass);
  return w->since == PROFILE_RECENT ? say_stragglers(w) : FIT_OK;
}

/* ---- the log */

static bool log_add(show *w, const char *format, ...) {
  char text[256];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (n < 0 || (size_t)n >= sizeof text) return false;
  char *bigger = realloc(w->log, w->nlog + (size_t)n + 1);
  if (!bigger) return false;
  w->log = bigger;
  memcpy(w->log + w->nlog, text, (size_t)n + 1);
  w->nlog += (size_t)n;
  return true;
}

/* A field behind others; JSON has a name for each, and no numbers that are not finite. */
static bool log_mean(show *w, const char *prefix, const char *dot, const char *name, double v) {
  if (w->json && !log_add(w, ",\"%s%s%s\":", prefix, dot, name)) return false;
  if (w->json && !isfinite(v)) return log_add(w, "null");
  return log_add(w, w->json ? "%.9g" : ",%.9g", shown(v));
}

static bool log_means(show *w, const fit_pass *pass, bool names, const char *prefix,
                      const char *dot) {
  bool good = true;
  for (int i = 0; i < pass->entry->nout && good; i++) {
    if (!pass->out[i]) continue;
    if (names)
      good = log_add(w, ",%s%s%s", prefix, dot, pass->entry->out[i].name);
    else
      good = log_mean(w, prefix, dot, pass->entry->out[i].name, fit_mean(pass, i));
  }
  return good;
}

static bool log_report(show *w, bool names) {
  const dtrt_entry *e = w->report.entry;
  bool good = true;
  for (int i = 0; good && e && i < e->nout; i++) {
    if (!w->report.out[i]) continue;
    good = names ? log_add(w, ",%s.%s", e->name, e->out[i].name)
                 : log_mean(w, e->name, ".", e->out[i].name, fit_report_value(&w->report, i));
  }
  return good;
}

static bool log_line(show *w, bool names) {
  const fit *f = &w->f;
  return log_means(w, &f->train, names, "", "") &&
         (!f->eval.entry || log_means(w, &f->eval, names, f->eval.entry->name, ".")) &&
         log_report(w, names) && log_add(w, w->json ? "}\n" : "\n");
}

static fit_status log_fail(show *w) {
  snprintf(w->f.why, sizeof w->f.why, "out of memory");
  return FIT_FAILED;
}

/* Rewrites the whole log, so that the file is at any time the log of whole epochs. */
static bool log_write(show *w, char *why, size_t whysize) {
  return !w->c.log || w->c.quiet ||
         tensor_file_replace(w->c.log, w->log, w->nlog, "", 0, why, whysize);
}

/* `more`: the log of epochs has a line more. False with why. */
static bool logs_write(show *w, bool more, char *why, size_t whysize) {
  bool good = step_log_sync(&w->steps, why, whysize);
  good = step_log_sync(&w->ranks.file, why, whysize) && good;
  if (more || w->log_fails) good = log_write(w, why, whysize) && good;
  w->log_fails = !good;
  return good;
}

/* A full disk does not end a training: both logs are kept in memory, and written with what comes
 * next. It is reported once. */
static void logs_try(show *w) {
  char why[CLI_WHY], line[CLI_WHY + 128];
  bool failed = w->log_fails;
  if (logs_write(w, true, why, sizeof why) || failed) return;
  snprintf(line, sizeof line, "warning: %s; its lines are kept in memory and written when possible",
           why);
  progress_clear(&w->bar);
  cli_note(&w->c, line);
}

static fit_status log_epoch(show *w) {
  const fit *f = &w->f;
  if (!w->c.log || w->c.quiet) return FIT_OK;
  const char *format =
      w->json ? "{\"epoch\":%lld,\"steps\":%lld,\"seconds\":%.6g" : "%lld,%lld,%.6g";
  if (!log_add(w, format, (long long)f->epoch, (long long)f->train.step, f->train.seconds) ||
      !log_line(w, false))
    return log_fail(w);
  return FIT_OK;
}

/* The log's lines of earlier epochs, if the log is of this training. */
static bool log_keep(show *w) {
  char why[256];
  int64_t n = 0;
  if (w->save.restored < 0) return true;
  char *old = safetensors_slurp(w->c.log, 256 << 20, &n, why, sizeof why);
  bool good = true;
  static const char key[] = "{\"epoch\":";
  size_t skip = w->json ? sizeof key - 1 : 0;
  if (old && !strncmp(old, w->nlog ? w->log : "", w->nlog))
    for (char *line = old + w->nlog, *end; good && (end = strchr(line, '\n')); line = end + 1)
      if (!strncmp(line, key, skip) && strtoll(line + skip, NULL, 10) < w->f.first_epoch)
        for (const char *at = line; good && at <= end; at += 200)
          good = log_add(w, "%.*s", (int)(end - at) < 200 ? (int)(end - at) + 1 : 200, at);
  free(old);
  return good;
}

static fit_status log_start(show *w) {
  if (!w->c.log || w->c.quiet) return FIT_OK;
  w->json = log_is_json(w->c.log);
  bool headed = w->json || (log_add(w, "epoch,steps,seconds") && log_line(w, true));
  if (!headed || !log_keep(w)) return log_fail(w);
  /* A path that cannot be written is better known before the first epoch. */
  return log_write(w, w->f.why, sizeof w->f.why) ? FIT_OK : FIT_FAILED;
}

/* ---- epochs */

static fit_status on_epoch(fit *f) {
  show *w = f->user;
  char text[512], line[1024];
  double seconds = f->train.seconds, all = seconds;
  snprintf(line, sizeof line, "epoch %lld/%lld", (long long)f->epoch, (long long)f->epochs);
  metrics_text(&f->train, "", text, sizeof text);
  add(line, sizeof line, "%s", text);
  if (f->eval.entry) {
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%.60s ", f->eval.entry->name);
    metrics_text(&f->eval, prefix, text, sizeof text);
    add(line, sizeof line, "%s", text);
    all += f->eval.seconds;
  }
  if (w->report.entry) {
    fit_status status = fit_report_run(&w->report, f);
    if (status) return status;
    report_text(&w->report, line, sizeof line);
  }
  progress_clear(&w->bar);
  double rate = (double)(f->train.step - f->train.begun) / (seconds > 1e-9 ? seconds : 1e-9);
  if (!w->c.quiet) {
    printf("%s  %.*f steps/s  %.1f s\n", line, rate < 10 ? 1 : 0, rate, all);
    fflush(stdout);
  }
  fit_status status = log_epoch(w);
  if (!status) status = rank_log_gather(&w->ranks, f);
  if (!status) logs_try(w);
  return status ? status : fit_save_epoch(&w->save, f);
}

static void on_line(void *user, const char *line) { cli_note(&((show *)user)->c, line); }

/* A checkpoint whose step the log has not reached on disk is not written. */
static bool before_save(void *user, char *why, size_t whysize) {
  show *w = user;
  if (rank_log_gather(&w->ranks, &w->f)) {
    snprintf(why, whysize, "%s", fit_reason(&w->f));
    return false;
  }
  return w->c.quiet ||
         (step_log_sync(&w->steps, why, whysize) && step_log_sync(&w->ranks.file, why, whysize));
}

/* What the variables begin with. */
static fit_status begin(show *w) {
  const cli *c = &w->c;
  w->save = (fit_save){.dir = c->save,
                       .every = c->every,
                       .keep = c->keep ? c->keep : 3,
                       .bf16 = c->save_bf16,
                       .resume = c->resume,
                       .sync = c->save_sync,
                       .seed = c->seed,
                       .tell = on_line,
                       .before = c->log_steps || c->log_ranks ? before_save : NULL,
                       .user = w};
  fit_status status = fit_save_open(&w->save, &w->f);
  if (status || w->save.restored >= 0) return status;
  w->status = cli_load(&w->c, w->f.session, NULL);
  return w->status ? FIT_STOPPED : FIT_OK;
}

static void say_begin(const show *w) {
  const fit *f = &w->f;
  const char *dir = w->c.save;
  if (w->save.restored < 0) {
    if (w->c.load) printf("loaded %s\n", w->c.load);
    if (w->c.resume) printf("no checkpoint in %s: starting new\n", dir);
    return;
  }
  printf("restored %s/step-%06lld: ", dir, (long long)w->save.restored);
  if (f->first_epoch > f->epochs)
    printf("training is complete\n");
  else if (f->first_step)
    printf("continuing after step %lld of epoch %lld\n", (long long)f->first_step,
           (long long)f->first_epoch);
  else
    printf("continuing with epoch %lld\n", (long long)f->first_epoch);
}

/* The profile is printed also when Ctrl-C has ended the run. */
static fit_status run(show *w) {
  if ((w->status = cli_profile_start(&w->c, w->f.session))) return FIT_STOPPED;
  fit_status status = fit_run(&w->f);
  if (status == FIT_FAILED) return status;
  progress_clear(&w->bar);
  if (status == FIT_OK && rank_log_gather(&w->ranks, &w->f)) return FIT_FAILED;
  if (!logs_write(w, false, w->f.why, sizeof w->f.why)) return FIT_FAILED;
  int told = w->since ? cli_stragglers(&w->c, w->f.session) : CLI_OK;
  if (!told) told = cli_profile_end(&w->c, w->f.session);
  if (told) w->status = told;
  return status;
}

static fit_status train(show *w) {
  fit *f = &w->f;
  fit_status status = fit_start(f);
  if (!status) status = begin(w);
  if (status) return status;
  if (!w->c.quiet) {
    say_plan(w, "fit", &f->train);
    if (f->eval.entry) say_plan(w, "eval", &f->eval);
    say_begin(w);
    fflush(stdout);
  }
  progress_start(&w->bar, !w->c.quiet && !w->c.plain, w->c.quiet ? -1 : launcher_progress());
  status = log_start(w);
  int64_t epochs = f->first_epoch ? f->first_epoch - 1 : 0;
  int64_t first = epochs * fit_steps(&f->train) + f->first_step + 1;
  w->steps.path = w->c.quiet ? NULL : w->c.log_steps;
  w->ranks.path = w->c.log_ranks;
  if (!status) status = step_log_open(&w->steps, f, first);
  if (!status) status = rank_log_open(&w->ranks, f, first);
  cli_stop_catch(&w->stop, f->session);
  if (!status) status = run(w);
  progress_clear(&w->bar);
  cli_stop_release(&w->stop);
  return status;
}

/* data_open would name --feed, which does not feed this entry. */
static fit_status check_eval_feed(show *w) {
  const dtrt_entry *e = w->c.eval;
  for (int i = 0; i < e->nin; i++) {
    bool fed = false;
    for (int k = 0; k < w->c.neval_feed; k++)
      fed = fed || !strcmp(w->c.eval_feed[k].name, e->in[i].name);
    if (fed) continue;
    char type[256];
    cli_type_text(&e->in[i], type, sizeof type);
    snprintf(w->f.why, sizeof w->f.why, "entry '%s' requires input '%s' (%s): --eval-feed %s=%s",
             e->name, e->in[i].name, type, e->in[i].name,
             e->in[i].layout->rank ? "FILE" : "NUMBER");
    return FIT_FAILED;
  }
  return FIT_OK;
}

/* Notes about a file are printed also when the pass cannot run. */
static fit_status open_pass(show *w, fit_pass *pass, const dtrt_entry *e, const data_pair *feed,
                            int nfeed, int64_t skip, int64_t limit) {
  busy *b = w->c.quiet || !nfeed ? NULL : busy_begin();
  busy_say(b, "reading %s%s", nfeed ? feed[0].file : "", nfeed > 1 ? " and others" : "");
  fit_status status = fit_open(&w->f, pass, e, feed, nfeed, skip, limit);
  busy_end(b);
  if (pass->entry) cli_note_set(&w->c, &pass->set);
  return status;
}

/* A log that would take the place of rows. */
static fit_status check_logs(show *w) {
  const char *const log[] = {w->c.log, w->c.log_steps, w->c.log_ranks, w->c.profile};
  static const char *const name[] = {"--log", "--log-steps", "--log-ranks", "--profile"};
  for (int i = 0; i < 4; i++) {
    if (!log[i] || !(data_reads(&w->f.train.set, log[i]) || data_reads(&w->f.eval.set, log[i])))
      continue;
    snprintf(w->f.why, sizeof w->f.why, "%s %s would overwrite a file that is fed; name another",
             name[i], log[i]);
    return FIT_FAILED;
  }
  return FIT_OK;
}

static fit_status work(show *w) {
  const cli *c = &w->c;
  fit *f = &w->f;
  fit_status status = open_pass(w, &f->train, c->entry, c->feed, c->nfeed, c->skip, c->limit);
  if (!status && c->eval) status = check_eval_feed(w);
  if (!status && c->eval)
    status =
        open_pass(w, &f->eval, c->eval, c->eval_feed, c->neval_feed, c->eval_skip, c->eval_limit);
  if (!status && c->report) status = fit_report_open(&w->report, f, c->report);
  if (!status) status = fit_same_files(f);
  if (!status) status = check_logs(w);
  return status ? status : train(w);
}

/* What ended it, and where it was when --check-nan did. */
static int fail(show *w) {
  const fit *f = &w->f;
  const fit_pass *pass = f->eval.entry && f->train.step >= fit_epoch_steps(f, &f->train, f->epoch)
                             ? &f->eval
                             : &f->train;
  char why[sizeof f->why + 128];
  if (!f->session || !*dtrt_session_found(f->session)) return cli_fail(&w->c, fit_reason(f));
  snprintf(why, sizeof why, "step %lld of epoch %lld of '%s': %s", (long long)pass->step + 1,
           (long long)f->epoch, pass->entry->name, fit_reason(f));
  return cli_fail(&w->c, why);
}

int cli_fit(const cli *given) {
  show w = {.c = *given};
  cli *c = &w.c;
  dtrt_session *s = cli_open(c);
  if (!s) return CLI_FAILED;
  spool_job job = session_job(s);
  w.f = (fit){.session = s,
              .job = &job,
              .program = c->program,
              .variants = c->variants,
              .more = c->more,
              .more_user = c->user,
              .epochs = c->epochs,
              .steps = c->steps,
              .prefetch = (int)c->prefetch,
              .per_call = c->per_call,
              .shuffle = c->shuffle,
              .shuffle_seed = c->shuffle_seed,
              .drop_last = c->drop_last,
              .check_replicas = c->check_replicas,
              .stream = c->stream,
              .verify_every = c->verify_every,
              .verify = c->verify,
              .verify_user = c->user,
              .until = until,
              .on_step = on_step,
              .on_epoch = on_epoch,
              .user = &w};
  fit_status ended = work(&w);
  if (ended == FIT_FAILED) w.status = fail(&w);
  if (fit_save_settle(&w.save, &w.f, ended == FIT_FAILED) == FIT_FAILED && !w.status)
    w.status = fail(&w);
  if (c->footprint && !w.status && !c->quiet) cli_print_footprint(s);
  dtrt_close(s);
  fit_save_close(&w.save);
  fit_report_close(&w.report);
  step_log_close(&w.steps);
  rank_log_close(&w.ranks);
  fit_close(&w.f);
  free(w.log);
  return w.status;
}
