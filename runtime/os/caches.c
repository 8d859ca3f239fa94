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

/* A file of the level's data cache. */
static bool read_level(int level, const char *what, char *text, int size) {
  for (int i = 0; i < 16 && read_index(i, "level", text, size); i++)
    if (atoi(text) == level && read_index(i, "type", text, size) &&
        strncmp(text, "Instruction", 11))
      return read_index(i, what, text, size);
  return false;
}

int64_t caches_bytes(int level) {
  char text[64];
  if (read_level(level, "size", text, sizeof text)) return bytes_of(text);
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  const long said = level >= 1 && level <= 3 ? sysconf(names[level - 1]) : 0;
  return said > 0 ? said : 0;
#else
  return 0;
#endif
}

int64_t caches_way(int level, int64_t otherwise) {
  char text[64];
  long ways = 0;
  if (read_level(level, "ways_of_associativity", text, sizeof text)) ways = strtol(text, NULL, 10);
  const int64_t bytes = caches_bytes(level), way = ways > 0 ? bytes / ways : 0;
  return way >= 64 && way * ways == bytes && !(way & (way - 1)) ? way : otherwise;
}
