/* fit_steps.h: the calls of the loop of fit.h: how many steps each runs, and what is kept of them.
 */
#ifndef DTG_RUNTIME_FIT_STEPS_H
#define DTG_RUNTIME_FIT_STEPS_H
#include "fit.h"

/* Before the first call: the number of steps in one, and room for their metrics. */
fit_status fit_calls_start(fit *f);
/* Of the next call: up to per_call, all with whole batches or one with the short one, and nothing
 * is due before the last of them. */
int64_t fit_call_steps(const fit *f, const fit_pass *pass);
/* Runs them; pass->step is still that before. */
fit_status fit_call(fit *f, fit_pass *pass, int64_t n);
/* Metrics and findings of step i of the call. */
void fit_call_step(fit *f, fit_pass *pass, int64_t i);
#endif
