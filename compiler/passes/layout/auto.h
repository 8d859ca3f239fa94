/* Layouts for tensors that are not annotated: variables, and inputs of the entries that train. */
#ifndef DTG_AUTO_H
#define DTG_AUTO_H
#include "plan.h"

typedef struct AutoLayout {
  const char *path; /* as a `layout` statement names it: "model.d1.w", "train.image" */
  Shape shape;
  DType dtype;
  const Layout *layout;
  Span span; /* of the declaration */
} AutoLayout;

typedef struct Auto {
  VEC(AutoLayout) found;
  double time;  /* of the choice that the layouts came from, in the model of choose.h */
  double bound; /* no layouts and no choice cost less in that model */
  const struct Choice *choice; /* that the layouts came from */
} Auto;

/* For a plan whose passes have run. The layouts that make the entries which assign variables (all
 * entries, when none does) cheapest together; annotations stay. `byte_price` seconds are paid
 * for each byte of variables a device holds: the way to a plan that fits into memory. With
 * `carries` what loops and branches carry may have any layout, too; no file says it, and plans infer
 * it again. Without `carries` it has the layout of the plan given. The bound is computed when
 * `bound` is set, and holds for a price of 0 and, where something is carried, with `carries`. */
Auto *auto_find(const Plan *p, double byte_price, bool carries, bool bound);
bool auto_entry(const Plan *p, int entry); /* counts */
bool auto_carries(const Plan *p);          /* an entry that counts has regions */

#endif
