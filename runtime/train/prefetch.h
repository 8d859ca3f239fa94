/* prefetch.h: reads upcoming batches in a thread while the devices compute.
 *
 * The thread asks its owner for the next batch, reads the blocks of this process's devices (a
 * block that several hold is read once) and waits when `depth` batches are ready. Batches are
 * consumed in that order, one per call of an entry. A block that cannot be read fails where it is
 * used, with the same error as without the thread. */
#ifndef DTG_RUNTIME_PREFETCH_H
#define DTG_RUNTIME_PREFETCH_H
#include "data.h"

typedef struct prefetch_batch {
  const dtrt_entry *entry; /* whose blocks; of a short batch, its program's */
  data_set *set;           /* with order and first row; the thread's own */
} prefetch_batch;

/* Called on the thread, before a batch is read. False: there are no more, or `why` is filled. */
typedef bool prefetch_next_fn(void *user, prefetch_batch *b, char *why);

typedef struct prefetch prefetch;
/* depth >= 1. NULL when out of memory or threads. `user` is used until prefetch_stop. */
prefetch *prefetch_start(dtrt_session *s, int depth, prefetch_next_fn *next, void *user);
/* Waits for the next batch, which prefetch_fill then hands out. Before each call of the entry. */
void prefetch_take(prefetch *p);
dtrt_fill_fn prefetch_fill;      /* user: the prefetch */
void prefetch_stop(prefetch *p); /* waits for what is being read; NULL is allowed */
#endif
