/* fit_steps.c: see fit_steps.h. */
#include "fit_steps.h"
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "fit_ahead.h"
#include "fit_verify.h"
#include "session.h"

/* ---- how many */

/* What a call costs beside its steps (devices in threads of their own are woken, and the thread
 * that reads ahead hands a batch over), and the least that steps take: from what they do, at rates
 * that no device exceeds by far. Counts alone decide, so all ranks choose the same. */
enum { CALL_NS = 6000, STEP_NS = 10, MEETING_NS = 300 }; /* MEETING_NS: of a step that exchanges */
static const double flops_ns = 100, bytes_ns = 50;       /* in a nanosecond */
enum { CALL_PART = 20 }; /* a call may cost a step divided by that */

static double least_time(const dtrt_entry *e) {
  double ns = 1;
  for (int i = 0; i < e->nsteps; i++) {
    const dtrt_step *t = &e->step[i];
    ns += t->kind == DTRT_STEP_EXCHANGE ? MEETING_NS : STEP_NS;
    ns += (double)t->flops / flops_ns + (double)t->bytes / bytes_ns;
  }
  return ns;
}

static int64_t by_cost(const fit *f) {
  double n = (double)CALL_PART * CALL_NS / least_time(f->train.entry);
  return n < 1 ? 1 : n < FIT_PER_CALL_MOST ? (int64_t)n : FIT_PER_CALL_MOST;
}

static fit_status make_room(fit *f, fit_pass *pass) {
  for (int i = 0; pass->entry && i < pass->entry->nout; i++) {
    if (!pass->out[i]) continue;
    pass->outs[i] = calloc((size_t)f->per_call, 8);
    if (!pass->outs[i]) return fit_fail(f, "out of memory");
  }
  return FIT_OK;
}

fit_status fit_calls_start(fit *f) {
  if (!f->per_call) f->per_call = by_cost(f);
  fit_status status = make_room(f, &f->train);
  return status ? status : make_room(f, &f->eval);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* What this loop itself has due: the step that is verified has a call of its own. */
static int64_t until_due(const fit *f, const fit_pass *pass, int64_t n) {
  int64_t done = (f->epoch - 1) * fit_steps(pass) + pass->step;
  if (pass != &f->train) return n;
  if (f->check_replicas) n = least(n, f->check_replicas - done % f->check_replicas);
  if (fit_verifies(f, pass)) return 1;
  if (f->verify_every && f->verify) n = least(n, f->verify_every - 1 - done % f->verify_every);
  return n;
}

int64_t fit_call_steps(const fit *f, const fit_pass *pass) {
  if (pass->step == pass->full) return 1;
  int64_t n = least(f->per_call, fit_epoch_steps(f, pass, f->epoch) - pass->step);
  n = until_due(f, pass, least(n, pass->full - pass->step));
  if (f->session->check_nan == DTRT_CHECK_FULL) return 1; /* ends with the step that it is in */
  return f->until ? least(n, f->until(f, pass)) : n;
}

/* ---- calls */

/* Without a thread that reads ahead each device reads its blocks as it comes to them. */
static int fill_now(void *user, int64_t run, int device, int input, const int64_t *lo,
                    const int64_t *hi, void *to, char *why) {
  data_set set = *(const data_set *)user;
  set.first += run * set.batch;
  return data_fill(&set, device, input, lo, hi, to, why);
}

static fit_status run_steps(fit *f, fit_pass *pass, int64_t n) {
  bool is_short = pass->step == pass->full;
  prefetch *reader = f->ahead ? fit_ahead_reader(f->ahead) : NULL;
  SessionCall c = {.program = is_short && pass->which >= 0 ? pass->which : 0,
                   .entry = is_short ? pass->short_entry : (int)(pass->entry - f->program->entry),
                   .runs = n,
                   .fill = reader ? prefetch_fill : fill_now,
                   .user = reader ? (void *)reader : &pass->set,
                   .out = pass->outs};
  int64_t from = clock_ns(), waited = 0;
  if (reader) {
    prefetch_take(reader, n);
    waited = clock_ns() - from;
  }
  dtrt_status status = session_call(f->session, &c);
  if (reader) waited += prefetch_waited(reader);
  pass->took = (clock_ns() - from) / n;
  pass->waited = waited / n;
  pass->beyond = n;
  return status == DTRT_OK ? FIT_OK : fit_session_failed(f);
}

fit_status fit_call(fit *f, fit_pass *pass, int64_t n) {
  fit_verify v = {0};
  if (pass->step == pass->full || !fit_verifies(f, pass)) return run_steps(f, pass, n);
  fit_status status = fit_verify_before(&v, f, pass);
  if (!status) status = run_steps(f, pass, n);
  fit_call_step(f, pass, 0);
  if (!status) status = fit_verify_after(&v, f, pass);
  fit_verify_free(&v);
  return status;
}

void fit_call_step(fit *f, fit_pass *pass, int64_t i) {
  for (int k = 0; k < pass->entry->nout; k++) {
    size_t size = pass->out[k] ? (size_t)dtrt_dtype_size(pass->entry->out[k].dtype) : 0;
    if (size) memcpy(pass->out[k], (const char *)pass->outs[k] + (size_t)i * size, size);
  }
  bool any = *dtrt_session_found(f->session) != 0;
  f->found = f->found || (any && i >= f->session->found_run);
}
