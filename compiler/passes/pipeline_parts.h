/* What the files of this room share. */
#ifndef DTG_PIPELINE_PARTS_H
#define DTG_PIPELINE_PARTS_H
#include "pipeline.h"

typedef struct PipelineRun {
  const PipelineOptions *o;    /* NULL: none */
  const LoopsKeep *loops_keep; /* of the plan; NULL: everything */
  const Plan *first;           /* the plan that keeps everything; NULL: this is it */
  bool as_first;               /* what that has too is laid out and computed as there */
  bool trying;                 /* an entry that does not fit is no error */
} PipelineRun;

/* All passes, in order. */
Plan *pipeline_once(Program *program, const PipelineRun *r);

#endif
