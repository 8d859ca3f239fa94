/* fit_report.c: see fit_report.h. */
#include "fit_report.h"
#include <stdio.h>
#include <stdlib.h>
#include "element.h"

fit_status fit_report_open(fit_report *r, fit *f, const dtrt_entry *e) {
  bool any = false;
  if (e->nin)
    return fit_fail(f, "--report runs an entry without inputs, and '%s' has some", e->name);
  r->which = (int)(e - f->program->entry);
  r->out = calloc((size_t)e->nout + 1, sizeof *r->out);
  if (!r->out) return fit_fail(f, "out of memory for '%s'", e->name);
  r->entry = e;
  for (int i = 0; i < e->nout; i++) {
    if (!fit_is_metric(&e->out[i])) continue;
    any = true;
    if (!(r->out[i] = calloc(1, 8))) return fit_fail(f, "out of memory for '%s'", e->name);
  }
  return any ? FIT_OK : fit_fail(f, "--report %s: no output is a float scalar", e->name);
}

fit_status fit_report_run(fit_report *r, fit *f) {
  if (!dtrt_call(f->session, r->which, NULL, r->out)) return FIT_OK;
  snprintf(f->why, sizeof f->why, "%s", dtrt_session_error(f->session));
  return FIT_FAILED;
}

double fit_report_value(const fit_report *r, int output) {
  return element_value(r->entry->out[output].dtype, r->out[output]);
}

void fit_report_close(fit_report *r) {
  for (int i = 0; r->entry && i < r->entry->nout; i++) free(r->out[i]);
  free(r->out);
}
