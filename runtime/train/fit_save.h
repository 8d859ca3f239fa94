/* fit_save.h: checkpoints of a training loop: when they are written, which are kept, and resuming
 * from the newest valid one so that every later step is identical to an uninterrupted run. A
 * checkpoint that cannot be written causes a warning, and the next one is attempted when due; only
 * a failure at the end is an error. */
#ifndef DTG_RUNTIME_FIT_SAVE_H
#define DTG_RUNTIME_FIT_SAVE_H
#include "fit.h"
#include "folder_lock.h"
#include "save_job.h"

typedef struct fit_save {
  /* Set by the client. */
  const char *dir; /* NULL: nothing is written */
  int64_t every;   /* steps; 0: each epoch. The last step is always saved */
  int64_t keep;    /* the newest ones that stay */
  bool bf16, resume;
  bool sync;     /* training waits until a checkpoint is on disk */
  uint64_t seed; /* of random values, to be kept */
  /* Of a checkpoint that was passed over or could not be written; rank 0 speaks. */
  void (*tell)(void *user, const char *line);
  /* Makes durable what goes with a checkpoint, before each. False with why. NULL: nothing does. */
  bool (*before)(void *user, char *why, size_t whysize);
  void *user;
  /* Kept here. */
  int64_t step, saved; /* of training, in all; at the last checkpoint */
  int64_t restored;    /* step that it went on from; -1: it began new */
  int64_t *bad;        /* [nbad] checkpoints that were found damaged */
  int nbad;
  folder_lock lock; /* rank 0's */
  save_job *job;    /* being written beside training; NULL: none */
  save_copies copies;
  struct fit_removal *removal;     /* what to remove once it is there */
  int64_t job_step, job_next_look; /* its step; the step after which ranks compare how far it is */
} fit_save;

/* Before the first step: reads the folder and, with `resume`, restores and sets f's first
 * epoch and step. fit_reason has the reason of a failure. */
fit_status fit_save_open(fit_save *s, fit *f);
fit_status fit_save_step(fit_save *s, fit *f, const fit_pass *pass); /* from the hooks */
fit_status fit_save_epoch(fit_save *s, fit *f);
fit_status fit_save_now(fit_save *s, fit *f); /* between steps, of whatever pass */
/* After the loop, before the session closes: what is being written is waited for. `failed`: the
 * session may be unusable; ranks cannot agree then, and the checkpoint is dropped. */
fit_status fit_save_settle(fit_save *s, fit *f, bool failed);
void fit_save_close(fit_save *s);
#endif
