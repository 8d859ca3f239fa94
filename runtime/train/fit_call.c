/* fit_call.c: dtrt_fit, the training loop of fit.h for a host: checks its options and calls its
 * callbacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fit.h"
#include "plural.h"
#include "same.h"

/* What the callbacks are shown of a pass. */
typedef struct view {
  dtrt_pass pass;
  dtrt_metric *metric;
} view;

typedef struct call {
  fit f;
  const dtrt_fit_options *o;
  view train, eval;
} call;

static bool view_make(view *v, const fit_pass *pass) {
  if (!pass->entry) return true;
  v->metric = calloc((size_t)pass->entry->nout + 1, sizeof *v->metric);
  return v->metric != NULL;
}

static const dtrt_pass *view_of(view *v, const fit *f, const fit_pass *pass) {
  int n = 0;
  if (!pass->entry) return NULL;
  for (int i = 0; i < pass->entry->nout; i++)
    if (pass->out[i])
      v->metric[n++] = (dtrt_metric){pass->entry->out[i].name, fit_value(pass, i),
                                     pass->rows ? fit_mean(pass, i) : 0};
  v->pass = (dtrt_pass){.entry = pass->entry->name,
                        .evaluates = pass == &f->eval,
                        .epoch = f->epoch,
                        .epochs = f->epochs,
                        .step = pass->step,
                        .steps = fit_steps(pass),
                        .rows = pass->rows,
                        .seconds = pass->seconds,
                        .nmetrics = n,
                        .metric = v->metric,
                        .beyond = pass->beyond};
  return &v->pass;
}

static fit_status on_step(fit *f, const fit_pass *pass) {
  call *c = f->user;
  view *v = pass == &f->eval ? &c->eval : &c->train;
  return c->o->on_step(c->o->user, view_of(v, f, pass)) ? FIT_STOPPED : FIT_OK;
}

static fit_status on_epoch(fit *f) {
  call *c = f->user;
  const dtrt_pass *train = view_of(&c->train, f, &f->train);
  return c->o->on_epoch(c->o->user, train, view_of(&c->eval, f, &f->eval)) ? FIT_STOPPED : FIT_OK;
}

/* ---- arguments */

static dtrt_status check_feed(dtrt_session *s, const dtrt_entry *e, const dtrt_feed *feed) {
  if (!feed->name) return session_error(s, DTRT_INVALID, "a feed of '%s' has no name", e->name);
  for (int i = 0; i < e->nin; i++) {
    if (strcmp(e->in[i].name, feed->name) != 0) continue;
    if (!feed->file == !feed->data)
      return session_error(s, DTRT_INVALID, "input '%s' of '%s': %s", feed->name, e->name,
                           feed->file ? "both a file and an array are given"
                                      : "neither a file nor an array is given");
    if (feed->data && e->in[i].layout->rank && feed->rows < 1)
      return session_error(s, DTRT_INVALID, "input '%s' of '%s': the array has %lld row%s",
                           feed->name, e->name, (long long)feed->rows, PLURAL(feed->rows));
    return DTRT_OK;
  }
  return session_error(s, DTRT_INVALID, "entry '%s' has no input '%s'", e->name, feed->name);
}

static dtrt_status check_rows(dtrt_session *s, const dtrt_rows *r, const dtrt_entry **entry) {
  const dtrt_program *p = dtrt_session_program(s);
  int k = r->entry ? dtrt_find_entry(p, r->entry) : -1;
  if (k < 1)
    return session_error(s, DTRT_INVALID, "%s has no entry '%s' to run over rows", p->name,
                         r->entry ? r->entry : "");
  const dtrt_entry *e = *entry = &p->entry[k];
  if (r->nfeed < 0 || (r->nfeed && !r->feed) || r->skip < 0 || r->limit < 0)
    return session_error(s, DTRT_INVALID, "the rows of '%s': %s", e->name,
                         r->skip < 0 || r->limit < 0 ? "a negative skip or limit" : "no feeds");
  for (int i = 0; i < r->nfeed; i++) {
    dtrt_status status = check_feed(s, e, &r->feed[i]);
    if (status) return status;
    for (int j = 0; j < i; j++)
      if (!strcmp(r->feed[i].name, r->feed[j].name))
        return session_error(s, DTRT_INVALID, "input '%s' of '%s' is given twice", r->feed[i].name,
                             e->name);
  }
  for (int i = 0; i < e->nin; i++) {
    bool fed = false;
    for (int k2 = 0; k2 < r->nfeed; k2++) fed = fed || !strcmp(r->feed[k2].name, e->in[i].name);
    if (!fed)
      return session_error(s, DTRT_INVALID, "input '%s' of '%s' is not given", e->in[i].name,
                           e->name);
  }
  return DTRT_OK;
}

static dtrt_status open_rows(dtrt_session *s, call *c, fit_pass *pass, const dtrt_rows *r) {
  const dtrt_entry *e = NULL;
  dtrt_status status = check_rows(s, r, &e);
  if (status) return status;
  data_pair *feed = calloc((size_t)r->nfeed + 1, sizeof *feed);
  if (!feed) return session_error(s, DTRT_NO_MEMORY, "out of memory");
  for (int i = 0; i < r->nfeed; i++)
    feed[i] = (data_pair){r->feed[i].name, r->feed[i].file, r->feed[i].data, r->feed[i].rows};
  if (fit_open(&c->f, pass, e, feed, r->nfeed, r->skip, r->limit))
    status = session_error(s, DTRT_INVALID, "%s", fit_reason(&c->f));
  free(feed);
  return status;
}

/* ---- */

/* Under mpi every rank has its own host, whose options decide how many calls there will be. */
static void same_rows(same_list *l, const char *which, const dtrt_rows *r) {
  char what[64];
  snprintf(what, sizeof what, "the entry of `%s`", which);
  same_add(l, what, 0, "%s", r->entry ? r->entry : "none");
  snprintf(what, sizeof what, "skip of `%s`", which);
  same_add(l, what, 0, "%lld", (long long)r->skip);
  snprintf(what, sizeof what, "limit of `%s`", which);
  same_add(l, what, 0, "%lld", (long long)r->limit);
}

static dtrt_status same_options(dtrt_session *s, const call *c) {
  const dtrt_fit_options *o = c->o;
  same_list list = {0};
  if (dtrt_session_nranks(s) == 1) return DTRT_OK;
  same_rows(&list, "train", &o->train);
  same_rows(&list, "eval", &o->eval);
  same_add(&list, "epochs", 0, "%lld", (long long)o->epochs);
  same_add(&list, "first_epoch", 0, "%lld", (long long)o->first_epoch);
  same_add(&list, "the number of rows", 0, "%lld", (long long)c->f.train.set.limit);
  if (o->shuffle)
    same_add(&list, "shuffle_seed", 0, "%llu", (unsigned long long)o->shuffle_seed);
  else
    same_add(&list, "shuffle", 0, "0");
  same_add(&list, "stream", 0, "%s", o->stream ? o->stream : "none");
  same_add(&list, "drop_last", 0, "%d", o->drop_last != 0);
  same_add(&list, "steps_per_call", 0, "%lld", (long long)c->f.per_call);
  same_add(&list, "check_replicas", 0, "%lld", (long long)o->check_replicas);
  dtrt_status status = session_same(s, "comparing options", &list);
  same_free(&list);
  return status;
}

static dtrt_status find_stream(dtrt_session *s, call *c) {
  const dtrt_program *p = dtrt_session_program(s);
  const char *name = c->o->stream;
  if (!name) return DTRT_OK;
  int k = dtrt_find_entry(p, name);
  if (k < 1) return session_error(s, DTRT_INVALID, "stream: %s has no entry '%s'", p->name, name);
  if (p->entry[k].nin)
    return session_error(
        s, DTRT_INVALID,
        "stream: expected an entry without inputs, which resets states; '%s' has %d", name,
        p->entry[k].nin);
  if (c->o->shuffle)
    return session_error(s, DTRT_INVALID, "fit: stream and shuffle exclude each other");
  c->f.stream = &p->entry[k];
  return DTRT_OK;
}

static dtrt_status run(dtrt_session *s, call *c) {
  dtrt_status status = find_stream(s, c);
  if (!status) status = open_rows(s, c, &c->f.train, &c->o->train);
  if (!status && c->o->eval.entry) status = open_rows(s, c, &c->f.eval, &c->o->eval);
  if (!status) status = same_options(s, c);
  if (status) return status;
  if (fit_same_files(&c->f)) return DTRT_INVALID; /* the session has the reason */
  if (!view_make(&c->train, &c->f.train) || !view_make(&c->eval, &c->f.eval))
    return session_error(s, DTRT_NO_MEMORY, "out of memory");
  if (fit_start(&c->f) == FIT_FAILED) return DTRT_INVALID; /* the session has the reason */
  if (fit_run(&c->f) != FIT_FAILED) return DTRT_OK;
  if (atomic_load(s->comm->failed)) /* with the step, where that is known */
    return c->f.why[0] ? session_error(s, DTRT_FAILED, "%s", c->f.why) : DTRT_FAILED;
  return c->f.why[0] ? session_error(s, DTRT_NO_MEMORY, "%s", c->f.why) : DTRT_FAILED;
}

dtrt_status dtrt_fit(dtrt_session *s, const dtrt_fit_options *o) {
  SESSION_USE(s);
  dtrt_status status = session_usable(s);
  if (status) return status;
  if (o && (o->verify_every < 0 || (o->verify_every && !o->verify)))
    return session_error(s, DTRT_INVALID, "fit: verify_every is %lld%s", (long long)o->verify_every,
                         o->verify ? "" : ", and there is no `verify`");
  if (o && (o->steps_per_call < 0 || o->steps_per_call > 1000000))
    return session_error(s, DTRT_INVALID, "fit: steps_per_call is %lld, expected 0 to 1000000",
                         (long long)o->steps_per_call);
  if (!o || o->epochs < 1 || o->first_epoch < 0 || o->check_replicas < 0)
    return session_error(s, DTRT_INVALID, "fit: %s",
                         o ? "epochs and first_epoch count from 1, check_replicas from 0"
                           : "there are no options");
  call c = {.o = o,
            .f = {.session = s,
                  .program = dtrt_session_program(s),
                  .variants = o->variants,
                  .more = o->more,
                  .more_user = o->more_user,
                  .first_epoch = o->first_epoch,
                  .epochs = o->epochs,
                  .shuffle = o->shuffle,
                  .shuffle_seed = o->shuffle_seed,
                  .drop_last = o->drop_last,
                  .check_replicas = o->check_replicas,
                  .per_call = o->steps_per_call ? o->steps_per_call : 1,
                  .verify_every = o->verify_every,
                  .verify = o->verify,
                  .verify_user = o->verify_user,
                  .by_call = true,
                  .on_step = o->on_step ? on_step : NULL,
                  .on_epoch = o->on_epoch ? on_epoch : NULL}};
  c.f.user = &c;
  status = run(s, &c);
  fit_close(&c.f);
  free(c.train.metric);
  free(c.eval.metric);
  return status;
}
