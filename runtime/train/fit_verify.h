/* fit_verify.h: every so many training steps the inputs and results of the step are passed to a
 * function that verifies them (`fit --verify-every`). */
#ifndef DTG_RUNTIME_FIT_VERIFY_H
#define DTG_RUNTIME_FIT_VERIFY_H
#include "fit.h"

typedef struct fit_verify {
  int nin, nvars;
  void **in, **before, **after; /* whole tensors */
} fit_verify;

bool fit_verifies(const fit *f, const fit_pass *pass); /* the step that comes next */
fit_status fit_verify_before(fit_verify *v, fit *f, const fit_pass *pass);
fit_status fit_verify_after(fit_verify *v, fit *f, const fit_pass *pass);
void fit_verify_free(fit_verify *v);
/* The rows of a step that is counted from 0, as files have them: what reads ahead has an order of
 * its own. Freed by fit_rows_end. False: out of memory. */
bool fit_rows(const fit *f, const fit_pass *pass, int64_t step, data_set *rows);
void fit_rows_end(data_set *rows);
#endif
