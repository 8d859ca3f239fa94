/* --why NAME: the story of one tensor. */
#ifndef DTG_WHY_H
#define DTG_WHY_H
#include "report.h"

/* A variable, input, output or named value of any entry, or %12. False: there is none, and `out`
 * has the nearest names, "`a`, `b`", or nothing. */
bool why_put(const Plan *p, const char *name, Str *out);
/* alternatives.c: how its op could have been computed. */
void why_alternatives(const Plan *p, const LocalEntry *le, NodeId id, Str *out);

#endif
