/* fit.c: `fit ENTRY`: steps of an entry through the rows of files, epoch after epoch, with another
 * entry to evaluate after each. The law: every row counts once and equally, so a last short batch
 * is run by a program compiled for its size, and means over an epoch are weighted by rows. */
#include "cli.h"
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "element.h"
#include "progress.h"

/* Set by Ctrl-C; a signal handler has nowhere else to write. */
static volatile sig_atomic_t fit_interrupted;

static void fit_on_interrupt(int sig) {
  (void)sig;
  fit_interrupted = 1;
}

/* One way through the rows: of training or of evaluation. */
typedef struct fit_pass {
  const dtrt_entry *entry;
  data_set set;
  int64_t full, rest; /* steps of a whole batch; rows of the short one after them, or 0 */
  int64_t dropped;    /* rows that --drop-last leaves out */
  const dtrt_program *short_program;
  int which, short_entry; /* of the short batch, in the session */
  void **out;             /* one an output; NULL for those that are no metric */
  double *sum;            /* weighted by rows */
  int64_t rows;           /* counted in sum */
} fit_pass;

typedef struct fit {
  cli c;
  dtrt_session *s;
  fit_pass train, eval;
  progress bar;
  bool nan_said;
  char *log; /* text so far */
  size_t nlog;
} fit;

static bool is_metric(const dtrt_tensor *t) {
  return t->layout->rank == 0 && element_is_float(t->dtype);
}

/* ---- the program for a short batch */

/* The same entry, with the batch const at `rows`. -1: not in that program. */
static int short_entry(const fit_pass *pass, const dtrt_program *p) {
  const dtrt_entry *e = pass->entry;
  for (int k = 1; k < p->nentries; k++) {
    const dtrt_entry *f = &p->entry[k];
    if (strcmp(f->name, e->name) != 0) continue;
    if (f->nin != e->nin || f->nout != e->nout) return -1;
    for (int i = 0; i < e->nin; i++) {
      const dtrt_layout *a = e->in[i].layout, *b = f->in[i].layout;
      if (strcmp(e->in[i].name, f->in[i].name) != 0 || e->in[i].dtype != f->in[i].dtype) return -1;
      if (a->rank != b->rank) return -1;
      for (int d = 0; d < a->rank; d++)
        if (b->dim[d].n != (d ? a->dim[d].n : pass->rest)) return -1;
    }
    for (int i = 0; i < e->nout; i++) {
      const dtrt_tensor *x = &e->out[i], *y = &f->out[i];
      if (strcmp(x->name, y->name) != 0 || x->dtype != y->dtype || is_metric(x) != is_metric(y))
        return -1;
    }
    return k;
  }
  return -1;
}

static bool find_short(const fit *f, fit_pass *pass) {
  const dtrt_program *const *v = f->c.variants;
  for (; v && *v; v++)
    if ((pass->short_entry = short_entry(pass, *v)) >= 0) return pass->short_program = *v, true;
  if (!f->c.more) return false;
  const dtrt_program *p = f->c.more(f->c.user, pass->set.constant, pass->rest);
  if (!p) return false;
  pass->short_program = p;
  return (pass->short_entry = short_entry(pass, p)) >= 0;
}

static int no_short(const fit *f, const fit_pass *pass) {
  long long rest = pass->rest, full = pass->full;
  const char *name = pass->set.constant;
  char why[768];
  snprintf(why, sizeof why,
           "%lld rows for '%s' are %lld batch%s of %lld and a short one of %lld, and this program "
           "has no "
           "'%s' for %s = %lld. Build it in with `dtgc ... --also %s=%lld`, or leave the last %lld "
           "row%s out with --drop-last",
           (long long)pass->set.limit, pass->entry->name, full, full == 1 ? "" : "es",
           (long long)pass->set.batch, rest, pass->entry->name, name, rest, name, rest, rest,
           rest == 1 ? "" : "s");
  return cli_fail(&f->c, why);
}

/* ---- preparing */

static int pass_open(fit *f, fit_pass *pass, const dtrt_entry *e, const data_pair *feed, int nfeed,
                     int64_t skip, int64_t limit) {
  char why[768];
  if (!data_open(&pass->set, e, feed, nfeed, false, skip, limit, why, sizeof why))
    return cli_fail(&f->c, why);
  pass->entry = e;
  cli_note_set(&f->c, &pass->set);
  pass->full = pass->set.limit / pass->set.batch;
  pass->rest = pass->set.limit % pass->set.batch;
  pass->out = calloc((size_t)e->nout + 1, sizeof *pass->out);
  pass->sum = calloc((size_t)e->nout + 1, sizeof *pass->sum);
  if (!pass->out || !pass->sum) return cli_fail(&f->c, "out of memory");
  for (int i = 0; i < e->nout; i++)
    if (is_metric(&e->out[i]) && !(pass->out[i] = calloc(1, 8)))
      return cli_fail(&f->c, "out of memory");
  if (f->c.drop_last) {
    pass->dropped = pass->rest;
    pass->rest = 0;
    if (pass->full) return CLI_OK;
    snprintf(why, sizeof why,
             "--drop-last leaves nothing of the %lld rows for '%s': its batch is %lld",
             (long long)pass->set.limit, e->name, (long long)pass->set.batch);
    return cli_fail(&f->c, why);
  }
  return pass->rest && !find_short(f, pass) ? no_short(f, pass) : CLI_OK;
}

static void pass_close(fit_pass *pass) {
  if (!pass->entry) return;
  for (int i = 0; pass->out && i < pass->entry->nout; i++) free(pass->out[i]);
  free(pass->out);
  free(pass->sum);
  data_close(&pass->set);
}

/* Both passes may share one short program. */
static int pass_add_short(fit *f, fit_pass *pass, const fit_pass *other) {
  if (!pass->rest) return CLI_OK;
  if (pass->short_program == f->c.program) {
    pass->which = -1;
  } else if (other && other->rest && other->short_program == pass->short_program) {
    pass->which = other->which;
  } else if (dtrt_add_program(f->s, pass->short_program, &pass->which) != DTRT_OK) {
    return cli_session_failed(&f->c, f->s);
  }
  return CLI_OK;
}

static void say_plan(const fit *f, const char *command, const fit_pass *pass) {
  long long full = pass->full;
  printf("%s %s: %lld rows, ", command, pass->entry->name, (long long)pass->set.limit);
  if (full) printf("%lld step%s of %lld", full, full == 1 ? "" : "s", (long long)pass->set.batch);
  if (pass->rest) printf("%sone step of %lld", full ? " and " : "", (long long)pass->rest);
  if (pass->dropped) printf(", the last %lld rows left out", (long long)pass->dropped);
  if (pass == &f->train) {
    char mesh[512];
    cli_mesh_text(f->c.program, mesh, sizeof mesh);
    printf("; %s", mesh);
  }
  putchar('\n');
}

/* ---- running */

/* The sign of a NaN tells nothing, and printf would show it as "-nan". */
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
    double mean = pass->sum[i] / (double)pass->rows;
    int digits = fabs(mean) < 1e4 ? 4 : 7;
    if (pass->out[i])
      add(text, size, "  %s%s %.*g", prefix, pass->entry->out[i].name, digits, shown(mean));
  }
}

static void pass_begin(fit_pass *pass) {
  pass->set.first = 0;
  pass->rows = 0;
  for (int i = 0; i < pass->entry->nout; i++) pass->sum[i] = 0;
}

/* Adds the metrics of one step; true when one was not finite and was to be reported. */
static bool pass_count(fit *f, fit_pass *pass, int64_t rows, int64_t epoch, int64_t step) {
  bool bad = false;
  for (int i = 0; i < pass->entry->nout; i++) {
    if (!pass->out[i]) continue;
    double v = element_value(pass->entry->out[i].dtype, pass->out[i]);
    pass->sum[i] += v * (double)rows;
    if (isfinite(v)) continue;
    bad = true;
    if (f->nan_said) continue;
    f->nan_said = true;
    char note[256];
    snprintf(note, sizeof note, "warning: %s of '%s' is %g at step %lld of epoch %lld",
             pass->entry->out[i].name, pass->entry->name, shown(v), (long long)step,
             (long long)epoch);
    progress_clear(&f->bar);
    cli_note(&f->c, note);
  }
  pass->rows += rows;
  pass->set.first += rows;
  return bad;
}

static int pass_step(fit *f, fit_pass *pass, bool is_short) {
  int entry = (int)(pass->entry - f->c.program->entry);
  dtrt_status status;
  if (is_short && pass->which >= 0)
    status =
        dtrt_call_fill_in(f->s, pass->which, pass->short_entry, data_fill, &pass->set, pass->out);
  else
    status = dtrt_call_fill(f->s, is_short ? pass->short_entry : entry, data_fill, &pass->set,
                            pass->out);
  if (status == DTRT_OK) return CLI_OK;
  progress_clear(&f->bar);
  return cli_session_failed(&f->c, f->s);
}

/* All steps of a pass. `seconds` is the time they took. */
static int pass_run(fit *f, fit_pass *pass, int64_t epoch, double *seconds) {
  int64_t steps = pass->full + (pass->rest > 0);
  char head[96], text[512];
  const char *name = pass->entry->name;
  double start = progress_now();
  pass_begin(pass);
  snprintf(head, sizeof head, "epoch %lld/%lld%s%.40s", (long long)epoch, (long long)f->c.epochs,
           pass == &f->train ? "" : " ", pass == &f->train ? "" : name);
  for (int64_t i = 0; i < steps; i++) {
    bool is_short = i == pass->full;
    int status = pass_step(f, pass, is_short);
    if (status) return status;
    bool bad = pass_count(f, pass, is_short ? pass->rest : pass->set.batch, epoch, i + 1);
    if (bad && f->c.stop_on_nan) {
      progress_clear(&f->bar);
      cli_note(&f->c, "stopped, as --stop-on-nan asks");
      return CLI_FAILED;
    }
    if (fit_interrupted) {
      progress_clear(&f->bar);
      snprintf(text, sizeof text, "stopped by Ctrl-C after step %lld of %lld of epoch %lld (%s)",
               (long long)i + 1, (long long)steps, (long long)epoch, name);
      cli_note(&f->c, text);
      return CLI_STOPPED;
    }
    if (progress_due(&f->bar)) {
      metrics_text(pass, "", text, sizeof text);
      progress_step(&f->bar, head, i + 1, steps, progress_now() - start, text);
    }
  }
  *seconds = progress_now() - start;
  return CLI_OK;
}

/* ---- the log */

static bool log_add(fit *f, const char *format, ...) {
  char text[256];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (n < 0 || (size_t)n >= sizeof text) return false;
  char *bigger = realloc(f->log, f->nlog + (size_t)n + 1);
  if (!bigger) return false;
  f->log = bigger;
  memcpy(f->log + f->nlog, text, (size_t)n + 1);
  f->nlog += (size_t)n;
  return true;
}

static bool log_means(fit *f, const fit_pass *pass, bool names, const char *prefix,
                      const char *dot) {
  bool good = true;
  for (int i = 0; i < pass->entry->nout && good; i++) {
    if (!pass->out[i]) continue;
    if (names)
      good = log_add(f, ",%s%s%s", prefix, dot, pass->entry->out[i].name);
    else
      good = log_add(f, ",%.9g", shown(pass->sum[i] / (double)pass->rows));
  }
  return good;
}

static bool log_line(fit *f, bool names) {
  return log_means(f, &f->train, names, "", "") &&
         (!f->eval.entry || log_means(f, &f->eval, names, f->eval.entry->name, ".")) &&
         log_add(f, "\n");
}

/* The whole log anew, so that the file is at any time the log of whole epochs. */
static int log_write(fit *f) {
  char why[512];
  if (tensor_file_replace(f->c.log, f->log, f->nlog, "", 0, why, sizeof why)) return CLI_OK;
  return cli_fail(&f->c, why);
}

static int log_epoch(fit *f, int64_t epoch, double seconds) {
  long long steps = f->train.full + (f->train.rest > 0);
  if (!f->c.log || f->c.quiet) return CLI_OK;
  if (!log_add(f, "%lld,%lld,%.6g", (long long)epoch, steps, seconds) || !log_line(f, false))
    return cli_fail(&f->c, "out of memory");
  return log_write(f);
}

static int log_start(fit *f) {
  if (!f->c.log || f->c.quiet) return CLI_OK;
  if (!log_add(f, "epoch,steps,seconds") || !log_line(f, true))
    return cli_fail(&f->c, "out of memory");
  return log_write(f); /* a path that cannot be written is better known before the first epoch */
}

/* ---- epochs */

static int fit_epoch(fit *f, int64_t epoch) {
  double seconds = 0, eval_seconds = 0;
  char text[512], line[1024];
  if (f->c.shuffle && !data_shuffle(&f->train.set, f->c.shuffle_seed, epoch))
    return cli_fail(&f->c, "out of memory");
  int status = pass_run(f, &f->train, epoch, &seconds);
  if (status) return status;
  snprintf(line, sizeof line, "epoch %lld/%lld", (long long)epoch, (long long)f->c.epochs);
  metrics_text(&f->train, "", text, sizeof text);
  add(line, sizeof line, "%s", text);
  if (f->eval.entry) {
    char prefix[64];
    status = pass_run(f, &f->eval, epoch, &eval_seconds);
    if (status) return status;
    snprintf(prefix, sizeof prefix, "%.60s ", f->eval.entry->name);
    metrics_text(&f->eval, prefix, text, sizeof text);
    add(line, sizeof line, "%s", text);
  }
  progress_clear(&f->bar);
  double rate = (double)(f->train.full + (f->train.rest > 0)) / (seconds > 1e-9 ? seconds : 1e-9);
  if (!f->c.quiet) {
    printf("%s  %.*f steps/s  %.1f s\n", line, rate < 10 ? 1 : 0, rate, seconds + eval_seconds);
    fflush(stdout);
  }
  return log_epoch(f, epoch, seconds);
}

/* Under mpiexec a signal reaches ranks at different steps, so there it keeps its own meaning: the
 * launcher ends all. A second Ctrl-C ends the process at once. */
static bool catch_interrupt(const fit *f, struct sigaction *old) {
  struct sigaction a = {.sa_handler = fit_on_interrupt,
                        .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
  fit_interrupted = 0;
  if (dtrt_session_nranks(f->s) > 1) return false;
  if (sigaction(SIGINT, NULL, old) || old->sa_handler == SIG_IGN) return false;
  return sigaction(SIGINT, &a, NULL) == 0;
}

static int fit_session(fit *f) {
  struct sigaction old;
  int status = pass_add_short(f, &f->train, NULL);
  if (!status && f->eval.entry) status = pass_add_short(f, &f->eval, &f->train);
  if (status) return status;
  if (!f->c.quiet) {
    say_plan(f, "fit", &f->train);
    if (f->eval.entry) say_plan(f, "eval", &f->eval);
    fflush(stdout);
  }
  progress_start(&f->bar, !f->c.quiet && !f->c.plain);
  status = log_start(f);
  bool caught = catch_interrupt(f, &old);
  for (int64_t epoch = 1; !status && epoch <= f->c.epochs; epoch++) status = fit_epoch(f, epoch);
  progress_clear(&f->bar);
  if (caught) sigaction(SIGINT, &old, NULL);
  return status;
}

/* data_open would name --feed, which does not feed this entry. */
static int check_eval_feed(const fit *f) {
  const dtrt_entry *e = f->c.eval;
  for (int i = 0; i < e->nin; i++) {
    bool fed = false;
    for (int k = 0; k < f->c.neval_feed; k++)
      fed = fed || !strcmp(f->c.eval_feed[k].name, e->in[i].name);
    if (fed) continue;
    char type[256], why[768];
    cli_type_text(&e->in[i], type, sizeof type);
    snprintf(why, sizeof why, "entry '%s' needs input '%s' (%s): --eval-feed %s=FILE", e->name,
             e->in[i].name, type, e->in[i].name);
    return cli_fail(&f->c, why);
  }
  return CLI_OK;
}

int fit_run(const cli *given) {
  fit f = {.c = *given};
  cli *c = &f.c;
  int status = (f.s = cli_open(c)) ? CLI_OK : CLI_FAILED;
  if (!status) status = pass_open(&f, &f.train, c->entry, c->feed, c->nfeed, c->skip, c->limit);
  if (!status && c->eval) status = check_eval_feed(&f);
  if (!status && c->eval)
    status =
        pass_open(&f, &f.eval, c->eval, c->eval_feed, c->neval_feed, c->eval_skip, c->eval_limit);
  if (!status) status = fit_session(&f);
  if (f.s) dtrt_close(f.s);
  pass_close(&f.train);
  pass_close(&f.eval);
  free(f.log);
  return status;
}
