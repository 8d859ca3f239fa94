/* hold.c: see hold.h. */
#include "hold.h"
#include <stddef.h>

/* Its address identifies the thread; it is what this thread was last refused. */
static _Thread_local const Hold *last_refused;

Hold *hold_take(Hold *h) {
  uintptr_t me = (uintptr_t)&last_refused, no_owner = 0;
  if (atomic_load_explicit(&h->owner, memory_order_relaxed) == me ||
      atomic_compare_exchange_strong(&h->owner, &no_owner, me)) {
    if (h->depth++ == 0) h->before = thread_state_plain();
    if (last_refused == h) last_refused = NULL;
    return h;
  }
  last_refused = h;
  return NULL;
}

void hold_give(Hold **h) {
  if (!*h || --(*h)->depth > 0) return;
  thread_state_restore(&(*h)->before);
  atomic_store(&(*h)->owner, 0);
}

bool hold_refused(const Hold *h) { return last_refused == h; }
