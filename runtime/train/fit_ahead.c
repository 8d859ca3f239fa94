/* fit_ahead.c: see fit_ahead.h. */
#include "fit_ahead.h"
#include <stdio.h>
#include <stdlib.h>

struct fit_ahead {
  const fit *f;
  data_set train, eval; /* the same files as the passes', with an order of their own */
  bool in_eval, ordered;
  int64_t epoch, step; /* the next to read */
  prefetch *reader;
};

/* Past the ends of passes and epochs; false: there are no more steps. */
static bool find_step(fit_ahead *a) {
  const fit *f = a->f;
  while (a->epoch <= f->epochs) {
    const fit_pass *pass = a->in_eval ? &f->eval : &f->train;
    if (pass->entry && a->step < fit_epoch_steps(f, pass, a->epoch)) return true;
    a->step = 0;
    a->ordered = false;
    if (a->in_eval) a->epoch++;
    a->in_eval = !a->in_eval;
  }
  return false;
}

static bool next_batch(void *user, prefetch_batch *b, char *why) {
  fit_ahead *a = user;
  const fit *f = a->f;
  if (!find_step(a)) return false;
  const fit_pass *pass = a->in_eval ? &f->eval : &f->train;
  bool is_short = a->step == pass->full;
  b->set = a->in_eval ? &a->eval : &a->train;
  b->entry = is_short ? &pass->short_program->entry[pass->short_entry] : pass->entry;
  if (!a->ordered) {
    a->ordered = fit_order(f, pass, b->set, a->epoch);
    if (!a->ordered) return snprintf(why, 256, "out of memory"), false;
  }
  b->set->first = a->step++ * b->set->batch;
  return true;
}

fit_ahead *fit_ahead_start(const fit *f) {
  fit_ahead *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->f = f;
  a->train = f->train.set;
  a->eval = f->eval.set;
  a->train.order = a->eval.order = NULL;
  a->epoch = f->first_epoch ? f->first_epoch : 1;
  a->step = f->first_step;
  /* Besides what a call takes. */
  int depth = f->prefetch + (int)(f->per_call > 1 ? f->per_call - 1 : 0);
  a->reader = prefetch_start(f->session, depth, next_batch, a);
  if (a->reader) return a;
  free(a);
  return NULL;
}

prefetch *fit_ahead_reader(const fit_ahead *a) { return a->reader; }

void fit_ahead_stop(fit_ahead *a) {
  if (!a) return;
  prefetch_stop(a->reader);
  free(a->train.order);
  free(a->eval.order);
  free(a);
}
