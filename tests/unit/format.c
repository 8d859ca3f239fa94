/* format_text writes what vsnprintf writes, for any size of buffer. */
#include "format.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int failed;

__attribute__((format(printf, 1, 2))) static void check(const char *fmt, ...) {
  char want[512], got[512];
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(want, sizeof want, fmt, again);
  va_end(again);
  for (size_t room = 0; room <= (size_t)n + 3; room++) {
    memset(got, '#', sizeof got);
    va_copy(again, ap);
    size_t m = format_text(got, room, fmt, again);
    va_end(again);
    size_t kept = room == 0 ? 0 : room <= (size_t)n ? room - 1 : (size_t)n;
    int bad = m != (size_t)n || memcmp(got, want, kept) || (room && got[kept]) || got[room] != '#';
    if (bad) {
      printf("FAIL \"%s\" in %zu bytes: %zu \"%.*s\", not %d \"%s\"\n", fmt, room, m, (int)kept,
             got, n, want);
      failed = 1;
    }
  }
  va_end(ap);
}

int main(void) {
  check("nothing");
  check("%s", "");
  check("%s and %s%c", "one", "two", '!');
  check("100 %% of %s", "it");
  check("%d %d %d %d", 0, -1, INT_MAX, INT_MIN);
  check("%u %x %lx", UINT_MAX, 0xbeefu, ULONG_MAX);
  check("%ld|%ld|%lu", LONG_MIN, LONG_MAX, ULONG_MAX);
  check("a %.*s b %5d c %-3s| %g %s", 2, "xyz", 7, "w", 0.5, "end");
  check("%s then %08lx and %zu, %d", "first", 0xabcul, (size_t)9, 3);
  check("%3$s(%1$s, %2$s)", "x", "y", "add");
  check("%lld %s", -5ll, "after");
  return failed;
}
