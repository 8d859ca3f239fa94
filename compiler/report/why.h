/* --why NAME: the story of one tensor. */
#ifndef DTG_WHY_H
#define DTG_WHY_H
#include "choose.h"
#include "report.h"

/* A variable, input, output or named value of any entry, or one without a name by its op and line,
 * as dumps show it. False: there is none, and `out` has the nearest names, "`a`, `b`", or nothing.
 */
bool why_put(const Plan *p, const char *name, Str *out);
/* alternatives.c: how its op could have been computed. */
void why_alternatives(const Plan *p, const LocalEntry *le, NodeId id, Str *out);

/* why_place.c: where it is computed, and what the next best would cost. */
void why_place(const Plan *p, const LocalEntry *le, NodeId id, Str *out);
int why_step_of(const LocalEntry *le, NodeId id); /* the step that stores it, or -1 */

/* A copy of an entry's choice, to try ways on. */
Choice *why_trial(const Plan *p, const Choice *from);
/* By which part of its cost the entry would be dearer if this op alone made its result in that
 * layout; negative when it cannot. The trial is afterwards as it was. */
double why_saving(const Plan *p, Choice *trial, NodeId id, const Layout *instead);

#endif
