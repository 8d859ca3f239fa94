/* The passes in order, from global graphs to a plan for one device. */
#ifndef DTG_PIPELINE_H
#define DTG_PIPELINE_H
#include "plan.h"

typedef struct PipelineOptions {
  /* Variables keep the layouts of this plan (a variant of the same model for other sizes); NULL:
   * none. */
  const Plan *variables_of;
  const Machine *machine; /* NULL: machine_generic() */
  /* Milliseconds of each pass, in order, for --time; NULL: not wanted. */
  void (*timed)(void *user, const char *pass, double ms);
  bool lists_forbidden; /* what is gathered though forbidden is listed in the plan, no error */
  void (*cure)(void *user, Plan *p); /* as of Plan; NULL: none */
  void *user;
  int64_t memory; /* bytes that variables and arena of a device may take; 0: any */
  const LoopsKeep *loops_keep; /* as of Plan, where `memory` is 0 */
  bool single;    /* for one device: the program's mesh and layouts are forgotten */
  Observe observe;
  Disabled disabled;
  int repeat_saves; /* steps that a block of repeated steps saves at least; 0: as usual */
  bool fast_sums;   /* as of Program */
} PipelineOptions;

/* The i-th pass that makes or moves steps; NULL: there are no more. */
const char *pipeline_shows(int i);
/* The plan's steps as they are after a pass that makes or moves steps, for `show`; the plan itself
 * stays as it is. False: it is no such pass. */
bool pipeline_show(Plan *p, const char *pass, void (*show)(const Plan *p, Str *out), Str *out);

/* The names of what can be disabled, features and passes that only make a plan better. NULL: there
 * are no more. */
const char *pipeline_optimization(int i);
/* Adds the names of a list, "overlap,rows", to a set. False: the `len` bytes at *word are no such
 * name. */
bool pipeline_disable(Disabled *d, const char *list, const char **word, int *len);
/* A pass of that name is there, but no plan is made without it. */
bool pipeline_needs(const char *name, int len);

/* Reports to p->diag and returns NULL when anything is wrong. `o` may be NULL. */
Plan *pipeline_run(Program *p, const PipelineOptions *o);

#endif
