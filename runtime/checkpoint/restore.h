/* restore.h: which elements of a checkpoint's files become which of a program's variables. */
#ifndef DTG_RUNTIME_RESTORE_H
#define DTG_RUNTIME_RESTORE_H
#include "checkpoint.h"
#include "file_jobs.h"
#include "load_map.h"
#include "session.h"

/* What a tensor of the files gives of a variable. */
typedef struct RestorePart {
  const checkpoint_var *from; /* the tensor, or `view` */
  int rank;
  int dim[DTRT_MAX_RANK];  /* dim i is dim dim[i] of the variable; in its others is one place, */
  int perm[DTRT_MAX_RANK]; /* and dim perm[i] of `from` */
  BlockSpan box[DTRT_MAX_RANK]; /* of the variable */
  bool add;
  /* The tensor where the map takes a part of it or gives it other dims. */
  checkpoint_var view;
  checkpoint_piece piece;
  int64_t step[DTRT_MAX_RANK];
  struct RestorePart *next;
} RestorePart;

typedef struct Restore {
  dtrt_session *s;
  const dtrt_program *p;
  const dtrt_restore_options *o;
  checkpoint c;
  load_map map;
  RestorePart **part; /* [nvars]: those to add last; NULL: it keeps its value */
  bool *taken;        /* [c.nvars] */
  FileJobs work;
} Restore;

/* Finds the parts of all variables by the map. An error, too, where something is left over on one
 * side, unless the load is partial. */
dtrt_status restore_match(Restore *r);
void restore_match_free(Restore *r);
#endif
