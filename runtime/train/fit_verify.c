/* fit_verify.c: see fit_verify.h. */
#include "fit_verify.h"
#include <stdio.h>
#include <stdlib.h>
#include "session.h"

bool fit_rows(const fit *f, const fit_pass *pass, int64_t step, data_set *rows) {
  *rows = pass->set;
  rows->first = step * rows->batch;
  rows->order = NULL;
  return fit_order(f, pass, rows, f->epoch);
}

void fit_rows_end(data_set *rows) { free(rows->order); }

bool fit_verifies(const fit *f, const fit_pass *pass) {
  if (!f->verify_every || !f->verify || pass != &f->train) return false;
  return ((f->epoch - 1) * fit_steps(pass) + pass->step + 1) % f->verify_every == 0;
}

static void **tensors_new(const dtrt_tensor *t, int n) {
  void **at = calloc((size_t)n + 1, sizeof *at);
  for (int i = 0; at && i < n; i++)
    if (!(at[i] = malloc((size_t)session_tensor_bytes(&t[i]) + 1))) {
      while (i-- > 0) free(at[i]);
      free(at);
      return NULL;
    }
  return at;
}

static void tensors_free(void **at, int n) {
  for (int i = 0; at && i < n; i++) free(at[i]);
  free(at);
}

void fit_verify_free(fit_verify *v) {
  tensors_free(v->in, v->nin);
  tensors_free(v->before, v->nvars);
  tensors_free(v->after, v->nvars);
}

/* All ranks call. */
static fit_status get_variables(fit *f, void **to) {
  const dtrt_program *p = f->program;
  for (int i = 0; i < p->nvars; i++)
    if (dtrt_get_var(f->session, i, to[i], session_tensor_bytes(&p->var[i])))
      return fit_fail(f, "%s", dtrt_session_error(f->session));
  return FIT_OK;
}

static fit_status read_inputs(fit_verify *v, fit *f, const fit_pass *pass) {
  data_set rows;
  char why[256] = "out of memory";
  bool good = fit_rows(f, pass, pass->step, &rows);
  for (int i = 0; good && i < v->nin; i++) {
    const dtrt_layout *l = pass->entry->in[i].layout;
    int64_t lo[DTRT_MAX_RANK + 1] = {0}, hi[DTRT_MAX_RANK + 1] = {0};
    for (int d = 0; d < l->rank; d++) hi[d] = l->dim[d].n;
    good = data_fill(&rows, 0, i, lo, hi, v->in[i], why) == 0;
  }
  fit_rows_end(&rows);
  return good ? FIT_OK : fit_fail(f, "%s", why);
}

fit_status fit_verify_before(fit_verify *v, fit *f, const fit_pass *pass) {
  v->nin = pass->entry->nin;
  v->nvars = f->program->nvars;
  v->in = tensors_new(pass->entry->in, v->nin);
  v->before = tensors_new(f->program->var, v->nvars);
  v->after = tensors_new(f->program->var, v->nvars);
  if (!v->in || !v->before || !v->after) return fit_fail(f, "out of memory to verify a step");
  fit_status status = read_inputs(v, f, pass);
  return status ? status : get_variables(f, v->before);
}

/* Rank 0 checks, and all end with its result. */
fit_status fit_verify_after(fit_verify *v, fit *f, const fit_pass *pass) {
  char why[sizeof f->why - 128] = "";
  fit_status status = get_variables(f, v->after);
  if (status) return status;
  int found = 0;
  if (dtrt_session_rank(f->session) == 0)
    found = f->verify(f->verify_user, (int)(pass->entry - f->program->entry),
                      (const void *const *)v->in, (const void *const *)pass->out,
                      (const void *const *)v->before, (const void *const *)v->after, why,
                      (int)sizeof why);
  if (found)
    session_error(f->session, DTRT_INVALID, "step %lld of epoch %lld %s", (long long)pass->step + 1,
                  (long long)f->epoch,
                  found > 0 ? "differs from the result on one device" : "cannot be verified");
  if (session_agree(f->session, found ? DTRT_INVALID : DTRT_OK) == DTRT_OK) return FIT_OK;
  snprintf(f->why, sizeof f->why, "%s%s%s", dtrt_session_error(f->session), *why ? ":\n" : "", why);
  return FIT_FAILED;
}
