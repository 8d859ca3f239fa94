/* copy.c: copies and zeros, by all cores of the device where they take longer than handing over
 * parts does. A part is so long that a core, at the speed of memory, takes some microseconds. */
#include <string.h>
#include "crew.h"
#include "dtrt.h"

enum {
  PART = 64 << 10,      /* bytes of a part at least */
  PIECES_OF = 2 * PART, /* bytes from which on a box is cut */
};

typedef struct ByteRun {
  char *to;
  const char *from; /* NULL: zeros */
} ByteRun;

static void copy_part(void *arg, int core, int64_t from, int64_t to) {
  const ByteRun *c = arg;
  (void)core;
  if (c->from)
    memcpy(c->to + from, c->from + from, (size_t)(to - from));
  else
    memset(c->to + from, 0, (size_t)(to - from));
}

void dtrt_copy(void *to, const void *from, int64_t bytes) {
  if (bytes > 0) crew_run(bytes, PART, copy_part, &(ByteRun){to, from});
}

void dtrt_zero(void *to, int64_t bytes) {
  if (bytes > 0) crew_run(bytes, PART, copy_part, &(ByteRun){to, NULL});
}

typedef struct BoxCopy {
  const Piece *p;
  int64_t most, size;
  void *to;
  const void *from;
} BoxCopy;

static void box_part(void *arg, int core, int64_t from, int64_t to) {
  const BoxCopy *b = arg;
  Piece part;
  (void)core;
  for (int64_t k = from; k < to; k++) {
    block_part(b->p, b->most, k, &part);
    block_copy(&part, b->size, b->to, b->from);
  }
}

void crew_copy(const Piece *p, int64_t size, void *to, const void *from) {
  const int64_t cores = crew_cores(), bytes = p->elements * size;
  const int64_t share = bytes / (4 * cores), most = (share > PART ? share : PART) / size;
  Piece part;
  int64_t parts = 0;
  if (cores < 2 || bytes < PIECES_OF) {
    block_copy(p, size, to, from);
    return;
  }
  while (block_part(p, most, parts, &part)) parts++;
  crew_run(parts, 1, box_part, &(BoxCopy){p, most, size, to, from});
}
