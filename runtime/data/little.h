/* little.h: numbers of files, which have the least byte first. */
#ifndef DTG_RUNTIME_LITTLE_H
#define DTG_RUNTIME_LITTLE_H
#include <stdint.h>

static inline uint64_t le(const unsigned char *p, int bytes) {
  uint64_t v = 0;
  while (bytes--) v = v << 8 | p[bytes];
  return v;
}
#endif
