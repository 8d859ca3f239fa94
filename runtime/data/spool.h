/* spool.h: temporary files that the ranks of a host share: the output of a command, and what one of
 * them decoded for all (decoded.h). Invariant: one process fills a file while the others wait for
 * it; one that dies while it fills it leaves it to the next. The last that closes a file removes
 * it, and the files of processes that were killed are removed by the next that makes one. */
#ifndef DTG_RUNTIME_SPOOL_H
#define DTG_RUNTIME_SPOOL_H
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

/* What runs: its files belong together. */
typedef struct spool_job {
  uint64_t id; /* the same on all ranks, and of no other job */
  bool shared; /* there are several ranks */
} spool_job;

typedef struct spool {
  int fd;     /* < 0: not open */
  char *path; /* NULL: as well */
} spool;

typedef enum spool_state {
  SPOOL_FAILED, /* with why, that begins with the folder */
  SPOOL_EMPTY,  /* to be filled by the caller, while others wait */
  SPOOL_FULL
} spool_state;

/* The file of this job and key, in TMPDIR or /tmp. */
spool_state spool_open(spool *s, const spool_job *job, const char *key, char *why, size_t whysize);
bool spool_filled(spool *s); /* it is whole, and others may read it */
void spool_close(spool *s);  /* one that is not full is left to the next process */

/* Standard output of `sh -c command`, at whose end it must have status 0. False with why. */
bool spool_command(spool *s, const char *command, char *why, size_t whysize);
#endif
