/* Single edits of the layouts, tried: each is written into a copy of the sources as the user would
 * write it, the program is recompiled, and its modelled time compared. */
#ifndef DTG_EDITS_H
#define DTG_EDITS_H
#include "frontend.h"
#include "report.h"

/* Something that moves in a plan, by what does not change when layouts do. */
typedef struct Moved {
  uint64_t value; /* what moves */
  uint32_t axes;
} Moved;

typedef struct EntryOutcome {
  double time;
  int64_t memory;
  VEC(Moved) moved;
  VEC(uint64_t) gathered; /* values that are whole, though forbidden */
  VEC(uint64_t) whole;    /* values that must not be gathered, and are no longer split */
} EntryOutcome;

typedef struct Edit {
  Span at; /* the layout's text in the sources, which is replaced; file 0: a statement is added */
  const char *target; /* the tensor; where a statement has several, one of them */
  const char *now;    /* the layout */
  int turn; /* edits are tried in this order: each statement's first, then its second ... */
  bool compiles;
  EntryOutcome *entry; /* [entries of the plan] */
} Edit;

typedef struct Edits {
  const Plan *plan;
  const FrontOptions *front;
  VEC(Edit) edit;
  int left_out;  /* candidates beyond the most that are tried */
  double limit;  /* of Program.effort, of all trials; 0: none */
  bool is_short; /* it ended the search */
  bool lists_forbidden;
  EntryOutcome *base;
} Edits;

/* Tries edits near each exchange of an entry but init, dearest exchanges first.
 * NULL for a variant, whose variables' layouts another program decides. `most`: of
 * compilations. */
Edits *edits_try(const Plan *p, const FrontOptions *front, int most, double limit);
static const double EDITS_SECOND = 1e9; /* of effort */
/* How many compilations of this program take about a second, and some seconds; the same on every
 * machine. */
int edits_affordable(const Plan *p);
int edits_many(const Plan *p);
/* The cheapest edit without the exchanges of a step: a line for --dump=comm. */
void edits_put_without(const Edits *e, const LocalEntry *le, int step, Str *out);
/* --dump=edits; `e` may be NULL */
void edits_put(const Edits *e, Str *out);

/* -------- cure.c -------- */

/* For Plan.cure: for each value gathered in spite of `forbid`, the edit that avoids it. */
void cure_forbidden(Plan *p, const FrontOptions *front);

/* -------- what it is made of -------- */

/* Candidates: the statements that the tensor's axes come from, or with `unsaid` the tensor
 * itself if it is not annotated. */
void edits_offer(Edits *e, TensorId t, bool unsaid);
void edits_try_all(Edits *e, int most);
/* By node: a value by its op, name and type, and how many like it come before. */
uint64_t *edits_signatures(Arena *a, const Graph *g);
/* "layout x = [a] at m.dtg:3 -> [_]" */
void edits_put_change(const Edits *all, const Edit *e, Str *out);

#endif
