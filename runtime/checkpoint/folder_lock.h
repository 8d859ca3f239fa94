/* folder_lock.h: one training run at a time writes into a folder. Invariant: the holder of the
 * lock is alive, since the kernel releases it with the process, however that ends; the file names
 * the holder, for the error of a rejected process. */
#ifndef DTG_RUNTIME_FOLDER_LOCK_H
#define DTG_RUNTIME_FOLDER_LOCK_H
#include <stddef.h>

typedef struct folder_lock { /* zero: not held */
  int fd;
  char *path; /* malloc'ed: DIR/.lock; NULL: not held */
} folder_lock;

typedef enum folder_lock_status {
  FOLDER_LOCKED,
  FOLDER_TAKEN,      /* `why` names the process that has it */
  FOLDER_LOCKS_NONE, /* the file system has no locks: `why` has the message; nothing is held */
  FOLDER_LOCK_FAILED
} folder_lock_status;

/* Never waits. The folder must be there. */
folder_lock_status folder_lock_take(folder_lock *l, const char *dir, char *why, size_t whysize);
void folder_lock_drop(folder_lock *l); /* also of one that is not held */
#endif
