/* See caches.h. /sys says what shares one cache; sysconf counts all of a socket's third level. */
#include "caches.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_index(int index, const char *what, char *text, int size) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
  FILE *f = fopen(path, "r");
  if (!f) return false;
  const bool said = fgets(text, size, f) != NULL;
  fclose(f);
  return said;
}

static int64_t bytes_of(const char *text) { /* 1024K */
  char *unit;
  const long n = strtol(text, &unit, 10);
  return n <= 0 ? 0 : *unit == 'K' ? (int64_t)n << 10 : *unit == 'M' ? (int64_t)n << 20 : n;
}

int64_t caches_bytes(int level) {
  char text[64];
  for (int i = 0; i < 16 && read_index(i, "level", text, sizeof text); i++)
    if (atoi(text) == level && read_index(i, "type", text, sizeof text) &&
        strncmp(text, "Instruction", 11) && read_index(i, "size", text, sizeof text))
      return bytes_of(text);
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  const long said = level >= 1 && level <= 3 ? sysconf(names[level - 1]) : 0;
  return said > 0 ? said : 0;
#else
  return 0;
#endif
}
