/* --diff: two plans of one model, side by side. */
#ifndef DTG_DIFF_H
#define DTG_DIFF_H
#include "report.h"

/* The programs are from the same model; reports their differences, meshes and constants too.
 * `was` and `now` are what their columns are called. */
void diff_put(const Plan *a, const Plan *b, const char *was, const char *now, Str *out);

#endif
