/* raised.c: by futexes. The kernel looks at 32 bits: the low half of the value. */
#include "raised.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t *low_half(Raised *r) {
  return (uint32_t *)&r->value + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* In one order for all, here and in raised_sleep: either the sleeper sees the new value, or it is
 * seen to sleep. */
void raised_set(Raised *r, uint64_t value) {
  atomic_store(&r->value, value);
  if (atomic_load(&r->asleep))
    syscall(SYS_futex, low_half(r), FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void raised_sleep(Raised *r, uint64_t least, long ns) {
  atomic_fetch_add(&r->asleep, 1);
  const uint64_t now = atomic_load(&r->value);
  const struct timespec most = {.tv_nsec = ns};
  if (now < least)
    syscall(SYS_futex, low_half(r), FUTEX_WAIT, (uint32_t)now, ns ? &most : NULL, NULL, 0);
  atomic_fetch_sub(&r->asleep, 1);
}
