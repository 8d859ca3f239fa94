/* fit_report.h: an entry without inputs that is run after each epoch, for measures that are not
 * means over batches: areas under curves, precision, anything kept in states
 * (include/dtg/metric.dtg). Its float scalars are displayed as they are. */
#ifndef DTG_RUNTIME_FIT_REPORT_H
#define DTG_RUNTIME_FIT_REPORT_H
#include "fit.h"

typedef struct fit_report {
  const dtrt_entry *entry; /* NULL: there is none */
  int which;               /* the entry's number in the program */
  void **out;              /* [outputs]; NULL for outputs that are not shown */
} fit_report;

/* Checks that it takes no input and has something to show. */
fit_status fit_report_open(fit_report *r, fit *f, const dtrt_entry *e);
fit_status fit_report_run(fit_report *r, fit *f);
double fit_report_value(const fit_report *r, int output);
void fit_report_close(fit_report *r);
#endif
