/* fit.c: see fit.h. */
#include "fit.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "element.h"
#include "fit_ahead.h"
#include "fit_steps.h"
#include "plural.h"
#include "progress.h"
#include "same.h"

const char *fit_reason(const fit *f) {
  if (f->why[0]) return f->why;
  const char *why = f->session ? dtrt_session_error(f->session) : "out of memory";
  return *why ? why : "the session failed";
}

bool fit_is_metric(const dtrt_tensor *t) {
  return t->layout->rank == 0 && element_is_float(t->dtype);
}

/* ---- the program for a short batch */

/* The same entry, with the batch const at `rest`. -1: not in that program. */
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
      if (strcmp(x->name, y->name) != 0 || x->dtype != y->dtype ||
          fit_is_metric(x) != fit_is_metric(y))
        return -1;
    }
    return k;
  }
  return -1;
}

static bool find_short(const fit *f, fit_pass *pass) {
  const dtrt_program *const *v = f->variants;
  for (; v && *v; v++)
    if ((pass->short_entry = short_entry(pass, *v)) >= 0) return pass->short_program = *v, true;
  if (!f->more || !pass->set.constant) return false;
  const dtrt_program *p = f->more(f->more_user, pass->set.constant, pass->rest);
  if (!p) return false;
  pass->short_program = p;
  return (pass->short_entry = short_entry(pass, p)) >= 0;
}

static const char *drop_last_name(const fit *f) { return f->by_call ? "drop_last" : "--drop-last"; }

static fit_status no_short(fit *f, const fit_pass *pass) {
  long long rest = pass->rest, full = pass->full;
  const char *name = pass->set.constant;
  if (!name)
    return fit_fail(
        f,
        "%lld row%s for '%s' make %lld batch%s of %lld and a short one of %lld, and the "
        "first dim of its inputs is a number. Write it as a const (const batch = "
        "%lld), or leave the last %lld row%s out with %s",
        (long long)pass->set.limit, PLURAL(pass->set.limit), pass->entry->name, full,
        full == 1 ? "" : "es", (long long)pass->set.batch, rest, (long long)pass->set.batch, rest,
        rest == 1 ? "" : "s", drop_last_name(f));
  return fit_fail(
      f,
      "%lld row%s for '%s' make %lld batch%s of %lld and a short one of %lld, and this "
      "program has no '%s' for %s = %lld. Build it in with `dtgc ... --also %s=%lld`, or "
      "leave the last %lld row%s out with %s",
      (long long)pass->set.limit, PLURAL(pass->set.limit), pass->entry->name, full,
      full == 1 ? "" : "es", (long long)pass->set.batch, rest, pass->entry->name, name, rest, name,
      rest, rest, rest == 1 ? "" : "s", drop_last_name(f));
}

/* ---- preparing */

/* A batch of streams is whole: the states that the steps pass on have a row for each stream. */
static fit_status leave_rest(fit *f, fit_pass *pass) {
  const char *what = f->stream && f->by_call ? "stream"
                     : f->stream             ? "--stream"
                                             : drop_last_name(f);
  pass->dropped = pass->rest;
  pass->rest = 0;
  if (pass->full) return FIT_OK;
  return fit_fail(f, "%s leaves no batch of the %lld row%s for '%s': the batch is %lld", what,
                  (long long)pass->set.limit, PLURAL(pass->set.limit), pass->entry->name,
                  (long long)pass->set.batch);
}

fit_status fit_open(fit *f, fit_pass *pass, const dtrt_entry *e, const data_pair *feed, int nfeed,
                    int64_t skip, int64_t limit) {
  const data_set *like = pass == &f->eval ? &f->train.set : NULL;
  if (!data_open_in(f->job, &pass->set, e, feed, nfeed, false, skip, limit, like, f->why,
                    sizeof f->why))
    return FIT_FAILED;
  pass->entry = e;
  pass->bad = -1;
  pass->full = pass->set.limit / pass->set.batch;
  pass->rest = pass->set.limit % pass->set.batch;
  pass->out = calloc((size_t)e->nout + 1, sizeof *pass->out);
  pass->outs = calloc((size_t)e->nout + 1, sizeof *pass->outs);
  pass->sum = calloc((size_t)e->nout + 1, sizeof *pass->sum);
  if (!pass->out || !pass->outs || !pass->sum) return fit_fail(f, "out of memory");
  for (int i = 0; i < e->nout; i++)
    if (fit_is_metric(&e->out[i]) && !(pass->out[i] = calloc(1, 8)))
      return fit_fail(f, "out of memory");
  if (f->drop_last || f->stream) return leave_rest(f, pass);
  bool never = pass == &f->train && f->steps && f->steps <= pass->full;
  if (never) pass->rest = 0;
  return pass->rest && !find_short(f, pass) ? no_short(f, pass) : FIT_OK;
}

static void pass_close(fit_pass *pass) {
  if (!pass->entry) return;
  for (int i = 0; pass->out && i < pass->entry->nout; i++) free(pass->out[i]);
  for (int i = 0; pass->outs && i < pass->entry->nout; i++) free(pass->outs[i]);
  free(pass->out);
  free(pass->outs);
  free(pass->sum);
  data_close(&pass->set);
  *pass = (fit_pass){0};
}

void fit_close(fit *f) {
  pass_close(&f->train);
  pass_close(&f->eval);
  free(f->first_sum);
  f->first_sum = NULL;
}

/* Both passes may share one short program. */
static fit_status add_short(fit *f, fit_pass *pass, const fit_pass *other) {
  if (!pass->rest) return FIT_OK;
  if (pass->short_program == f->program) {
    pass->which = -1;
  } else if (other && other->rest && other->short_program == pass->short_program) {
    pass->which = other->which;
  } else if (dtrt_add_program(f->session, pass->short_program, &pass->which) != DTRT_OK) {
    return fit_session_failed(f);
  }
  return FIT_OK;
}

fit_status fit_same_files(fit *f) {
  same_list list = {0};
  if (dtrt_session_nranks(f->session) == 1) return FIT_OK;
  same_files(&list, "--feed", &f->train.set);
  if (f->eval.entry) same_files(&list, "--eval-feed", &f->eval.set);
  dtrt_status status = session_same(f->session, "comparing files", &list);
  same_free(&list);
  return status == DTRT_OK ? FIT_OK : fit_session_failed(f);
}

fit_status fit_start(fit *f) {
  int64_t each = fit_steps(&f->train);
  fit_status ready = fit_calls_start(f);
  if (ready) return ready;
  if (f->steps) f->epochs = f->steps / each + (f->steps % each > 0);
  if (f->stream && f->eval.entry && f->steps % each)
    return fit_fail(
        f,
        "--steps %lld ends within an epoch of %lld step%s, and the evaluation would then "
        "reset the states of --stream: give a multiple of %lld, or leave out --eval",
        (long long)f->steps, (long long)each, PLURAL(each), (long long)each);
  fit_status status = add_short(f, &f->train, NULL);
  return !status && f->eval.entry ? add_short(f, &f->eval, &f->train) : status;
}

/* ---- running */

static void pass_begin(fit_pass *pass) {
  pass->set.first = 0;
  pass->rows = 0;
  pass->step = pass->begun = 0;
  pass->bad = -1;
  for (int i = 0; i < pass->entry->nout; i++) pass->sum[i] = 0;
}

/* The rows of the first epoch that were done before, when the loop goes on from there. */
static void pass_go_on(const fit *f, fit_pass *pass) {
  pass->step = pass->begun = f->first_step;
  pass->rows = f->first_step * pass->set.batch;
  if (pass->rows > pass->set.limit - pass->dropped) pass->rows = pass->set.limit - pass->dropped;
  pass->set.first = pass->rows;
  for (int i = 0; f->first_sum && i < pass->entry->nout; i++) pass->sum[i] = f->first_sum[i];
}

static void pass_count(fit_pass *pass, int64_t rows) {
  pass->bad = -1;
  pass->beyond--;
  for (int i = 0; i < pass->entry->nout; i++) {
    if (!pass->out[i]) continue;
    double v = fit_value(pass, i);
    pass->sum[i] += v * (double)rows;
    if (!isfinite(v) && pass->bad < 0) pass->bad = i;
  }
  pass->rows += rows;
  pass->set.first += rows;
  pass->step++;
}

/* Before anything is made of the step: what differs is not saved. */
static fit_status check_replicas(fit *f, const fit_pass *pass) {
  int64_t step = (f->epoch - 1) * fit_steps(pass) + pass->step;
  if (pass != &f->train || !f->check_replicas || step % f->check_replicas) return FIT_OK;
  if (dtrt_check_replicas(f->session) == DTRT_OK) return FIT_OK;
  return fit_fail(f, "after step %lld: %.600s", (long long)step, dtrt_session_error(f->session));
}

static fit_status reset_states(fit *f) {
  int which = (int)(f->stream - f->program->entry);
  void **out = calloc((size_t)f->stream->nout + 1, sizeof *out);
  if (!out) return fit_fail(f, "out of memory");
  dtrt_status status = dtrt_call(f->session, which, NULL, out);
  free(out);
  return status == DTRT_OK ? FIT_OK : fit_session_failed(f);
}

/* Step i of a call that has been. */
static fit_status pass_step(fit *f, fit_pass *pass, int64_t i) {
  fit_call_step(f, pass, i);
  pass_count(pass, pass->step == pass->full ? pass->rest : pass->set.batch);
  fit_status status = check_replicas(f, pass);
  return status || !f->on_step ? status : f->on_step(f, pass);
}

static fit_status pass_run(fit *f, fit_pass *pass) {
  int64_t steps = fit_epoch_steps(f, pass, f->epoch);
  double start = progress_now();
  pass_begin(pass);
  if (pass == &f->train && f->epoch == f->first_epoch && f->first_step) pass_go_on(f, pass);
  if (f->stream && !pass->step) {
    fit_status status = reset_states(f);
    if (status) return status;
  }
  while (pass->step < steps) {
    int64_t n = fit_call_steps(f, pass);
    fit_status status = fit_call(f, pass, n);
    pass->seconds = progress_now() - start;
    for (int64_t i = 0; i < n && !status; i++) status = pass_step(f, pass, i);
    if (status) return status;
  }
  return FIT_OK;
}

static fit_status run_epochs(fit *f) {
  fit_status status = FIT_OK;
  if (f->stream && !f->ahead && f->eval.entry && !fit_order(f, &f->eval, &f->eval.set, 1))
    return fit_fail(f, "out of memory");
  for (f->epoch = f->first_epoch ? f->first_epoch : 1; f->epoch <= f->epochs; f->epoch++) {
    if (!f->ahead && !fit_order(f, &f->train, &f->train.set, f->epoch))
      return fit_fail(f, "out of memory");
    if ((status = pass_run(f, &f->train))) return status;
    if (f->eval.entry && (status = pass_run(f, &f->eval))) return status;
    if (f->on_epoch && (status = f->on_epoch(f))) return status;
  }
  return FIT_OK;
}

fit_status fit_run(fit *f) {
  if (f->prefetch && !(f->ahead = fit_ahead_start(f)))
    return fit_fail(f, "out of memory or threads for reading ahead");
  fit_status status = run_epochs(f);
  fit_ahead_stop(f->ahead);
  f->ahead = NULL;
  return status;
}
