/* dtgc.h: the training loop. It is the runtime's (dtrt_fit); this file adds programs for short
 * batches, compiled on demand and kept. */
#include "program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Training {
  dtgc_program *p;
  const dtgc_fit_options *o;
  dtgc_status failed; /* a variant did not compile: p's error has the reason */
  dtgc_metric *metric[2];
  dtrt_feed *feed[2];
} Training;

/* -------- programs for short batches -------- */

static bool keep_variant(dtgc_program *p, dtgc_program *v) {
  dtgc_program **list = realloc(p->variant, ((size_t)p->nvariants + 1) * sizeof(dtgc_program *));
  if (!list) return false;
  p->variant = list;
  list[p->nvariants++] = v;
  return true;
}

static const dtrt_program *more(void *user, const char *constant, int64_t value) {
  Training *t = user;
  dtgc_program *p = t->p, *v = NULL;
  const dtrt_program *code = NULL;
  char define[256];
  snprintf(define, sizeof define, "%s=%lld", constant, (long long)value);
  for (int i = 0; i < p->nvariants; i++) {
    const FrontOptions *f = &p->variant[i]->front;
    if (strcmp(f->define[f->ndefines - 1], define) == 0) v = p->variant[i];
  }
  if (!v) {
    dtgc_status s = program_variant(p, define, &v);
    if (!s) s = dtgc_load(v, &code);
    if (!s && !keep_variant(p, v)) s = DTGC_NO_MEMORY;
    if (s) {
      t->failed = program_fail(p, s, "%s", dtgc_error(v));
      dtgc_free(v);
      return NULL;
    }
  }
  return v->code;
}

/* -------- callbacks -------- */

static dtgc_pass pass_of(const dtrt_pass *at, dtgc_metric *metric) {
  for (int i = 0; i < at->nmetrics; i++)
    metric[i] = (dtgc_metric){at->metric[i].name, at->metric[i].value, at->metric[i].mean};
  return (dtgc_pass){.entry = at->entry,
                     .evaluates = at->evaluates,
                     .epoch = at->epoch,
                     .epochs = at->epochs,
                     .step = at->step,
                     .steps = at->steps,
                     .rows = at->rows,
                     .seconds = at->seconds,
                     .nmetrics = at->nmetrics,
                     .metric = metric,
                     .beyond = at->beyond};
}

static int on_step(void *user, const dtrt_pass *at) {
  Training *t = user;
  dtgc_pass pass = pass_of(at, t->metric[at->evaluates]);
  return t->o->on_step(t->o->user, t->p, &pass);
}

static int on_epoch(void *user, const dtrt_pass *train, const dtrt_pass *eval) {
  Training *t = user;
  dtgc_pass a = pass_of(train, t->metric[0]), b = {0};
  if (eval) b = pass_of(eval, t->metric[1]);
  return t->o->on_epoch(t->o->user, t->p, &a, eval ? &b : NULL);
}

static int verify(void *user, int entry, const void *const *in, const void *const *out,
                  const void *const *before, const void *const *after, char *why, int n) {
  Training *t = user;
  return program_verify(t->p, t->o->verify_tolerance, t->p->code->entry[entry].name, in, out,
                        before, after, why, n);
}

/* -------- -------- */

/* Room for the callbacks' metrics, and the feeds as the runtime takes them. */
static dtgc_status take_rows(Training *t, int i, const dtgc_rows *from, dtrt_rows *to) {
  dtgc_program *p = t->p;
  const EntryInfo *e = from->entry ? inspect_entry(p, from->entry) : NULL;
  if (!from->entry) return program_fail(p, DTGC_BAD_ARGUMENT, "train.entry is NULL");
  if (!e) return inspect_no_entry(p, from->entry);
  if (from->nfeed < 0 || (from->nfeed && !from->feed))
    return program_fail(p, DTGC_BAD_ARGUMENT, "entry `%s`: feed is NULL, or nfeed is %d", e->name,
                        from->nfeed);
  t->metric[i] = calloc((size_t)e->nout + 1, sizeof *t->metric[i]);
  t->feed[i] = calloc((size_t)from->nfeed + 1, sizeof *t->feed[i]);
  if (!t->metric[i] || !t->feed[i]) return program_fail(p, DTGC_NO_MEMORY, "out of memory");
  for (int k = 0; k < from->nfeed; k++) {
    const dtgc_feed *f = &from->feed[k];
    t->feed[i][k] = (dtrt_feed){f->name, f->file, f->data, f->rows};
  }
  *to = (dtrt_rows){from->entry, t->feed[i], from->nfeed, from->skip, from->limit};
  return DTGC_OK;
}

static dtgc_status train(Training *t) {
  const dtgc_fit_options *o = t->o;
  dtgc_program *p = t->p;
  dtrt_fit_options fit = {.epochs = o->epochs,
                          .first_epoch = o->first_epoch,
                          .shuffle = o->shuffle,
                          .shuffle_seed = o->shuffle_seed,
                          .drop_last = o->drop_last,
                          .stream = o->stream,
                          .check_replicas = o->check_replicas,
                          .steps_per_call = o->steps_per_call,
                          .verify_every = o->verify_every,
                          .verify = verify,
                          .verify_user = t,
                          .more = more,
                          .more_user = t,
                          .on_step = o->on_step ? on_step : NULL,
                          .on_epoch = o->on_epoch ? on_epoch : NULL,
                          .user = t};
  dtgc_status s = take_rows(t, 0, &o->train, &fit.train);
  if (!s && o->eval.entry) s = take_rows(t, 1, &o->eval, &fit.eval);
  if (!s) s = dtgc_start(p);
  if (s) return s;
  dtrt_status st = dtrt_fit(p->session, &fit);
  return t->failed ? t->failed : program_run_failed(p, st);
}

dtgc_status dtgc_fit(dtgc_program *p, const dtgc_fit_options *o) {
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!o) return program_fail(p, DTGC_BAD_ARGUMENT, "the options are NULL");
  if (p->fits) return program_fail(p, DTGC_BAD_ARGUMENT, "dtgc_fit is already running");
  Training t = {.p = p, .o = o};
  p->fits = true;
  s = train(&t);
  p->fits = false;
  for (int i = 0; i < 2; i++) {
    free(t.metric[i]);
    free(t.feed[i]);
  }
  return s;
}
