/* prefetch.h: reads upcoming batches in a thread while the devices compute.
 *
 * The thread asks its owner for the next batch, reads the blocks of this process's devices (a
 * block that several hold is read once) and waits when `depth` batches are ready. Batches are
 * consumed in that order, one per run of an entry; a call of several runs takes as many. A block
 * that cannot be read fails where it is used, with the same error as without the thread. */
#ifndef DTG_RUNTIME_PREFETCH_H
#define DTG_RUNTIME_PREFETCH_H
#include "data.h"
#include "session.h"

typedef struct prefetch_batch {
  const dtrt_entry *entry; /* whose blocks; of a short batch, its program's */
  data_set *set;           /* with order and first row; the thread's own */
} prefetch_batch;

/* Called on the thread, before a batch is read. False: there are no more, or `why` is filled. */
typedef bool prefetch_next_fn(void *user, prefetch_batch *b, char *why);

typedef struct prefetch prefetch;
/* depth >= 1, and not less than the runs of a call. NULL when out of memory or threads. `user` is
 * used until prefetch_stop. */
prefetch *prefetch_start(dtrt_session *s, int depth, prefetch_next_fn *next, void *user);
/* Before each call of the entry, of so many runs: waits for the batch of the first. The devices
 * wait for those of the others when they come to them. */
void prefetch_take(prefetch *p, int64_t runs);
SessionFill prefetch_fill; /* user: the prefetch */
/* Nanoseconds that the first device here has waited since then, beside that. */
int64_t prefetch_waited(const prefetch *p);
void prefetch_stop(prefetch *p); /* waits for what is being read; NULL is allowed */
#endif
