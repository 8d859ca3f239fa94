/* save_job.h: a checkpoint that is written beside training: the variables are copied, and a thread
 * of each process writes and syncs its files. Once all processes have, rank 0 writes the index and
 * renames the folder, by a thread too: only then does the checkpoint count. */
#ifndef DTG_RUNTIME_SAVE_JOB_H
#define DTG_RUNTIME_SAVE_JOB_H
#include <stdbool.h>
#include "dtrt.h"

typedef enum save_state {
  SAVE_RUNS,      /* its thread does */
  SAVE_WRITTEN,   /* the files of this process are on disk */
  SAVE_FAILED,    /* with a reason */
  SAVE_COMMITTED, /* the checkpoint is there; of rank 0 */
} save_state;
typedef struct save_job save_job;
typedef void save_after_fn(void *user);

/* Memory for the copies, of one session. */
typedef struct save_copies {
  char **at;      /* [n] of a device of this process */
  int64_t *bytes; /* [n] */
  int n, first;   /* first: its number */
} save_copies;

/* Collective. Returns when the variables may change again; *to is NULL after a failure. Without
 * memory for a copy this process writes before it returns. */
dtrt_status save_begin(dtrt_session *s, const char *path, const dtrt_save_options *o,
                       save_copies *copies, save_job **to);
/* Of this process alone. `wait`: until its thread ends. */
save_state save_job_state(save_job *j, bool wait, const char **why);
/* Rank 0, when all processes have WRITTEN. `after` runs in the thread, once the folder is there. */
void save_job_commit(save_job *j, save_after_fn *after, void *user);
/* Waits for its thread; `discard`: what is there without its name is removed, by one process. */
void save_job_end(save_job *j, bool discard);
void save_copies_free(save_copies *c);
#endif
