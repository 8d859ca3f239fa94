/* copy.c: copies and zeros, by all cores of the device where they take longer than handing over
 * parts does. A part is so long that a core, at the speed of memory, takes some microseconds.
 *
 * A copy that the last cache does not hold is written past it, which saves reading the lines that
 * are overwritten. The C library does so, too, but in a virtual machine it may take the cache for
 * many times as large: 64 MB ran at 0.7 of the speed beside a cache of 32. */
#include <pthread.h>
#include <string.h>
#include "caches.h"
#include "crew.h"
#include "dtrt.h"
#ifdef __x86_64__
#include <emmintrin.h>
#endif

enum {
  PART = 64 << 10,      /* bytes of a part at least */
  PIECES_OF = 2 * PART, /* bytes from which on a box is cut */
  LINE = 64,
};

typedef struct ByteRun {
  char *to;
  const char *from; /* NULL: zeros */
  bool past;        /* the caches */
} ByteRun;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int64_t last_cache; /* bytes; 0: who knows */

static void ask(void) { last_cache = caches_bytes(3); }

static bool is_held(int64_t bytes) { /* read and written, by the last cache */
  if (bytes < PIECES_OF) return true;
  pthread_once(&once, ask);
  return !last_cache || bytes <= last_cache;
}

/* `to` begins a line of a cache, and there are whole ones. */
static void copy_past(char *to, const char *from, int64_t n) {
#ifdef __x86_64__
  for (int64_t i = 0; i < n; i += LINE) {
    __m128i *line = (void *)(to + i);
    const __m128i *x = (const void *)(from + i);
    const __m128i a = _mm_loadu_si128(x), b = _mm_loadu_si128(x + 1), c = _mm_loadu_si128(x + 2),
                  d = _mm_loadu_si128(x + 3);
    _mm_stream_si128(line, a);
    _mm_stream_si128(line + 1, b);
    _mm_stream_si128(line + 2, c);
    _mm_stream_si128(line + 3, d);
  }
  _mm_sfence(); /* others read it */
#else
  memcpy(to, from, (size_t)n);
#endif
}

static void copy_part(void *arg, int core, int64_t from, int64_t to) {
  const ByteRun *c = arg;
  const int64_t n = to - from, head = (int64_t)(-(uintptr_t)(c->to + from) & (LINE - 1));
  (void)core;
  if (!c->from) {
    memset(c->to + from, 0, (size_t)n);
  } else if (!c->past || n < 2 * LINE) {
    memcpy(c->to + from, c->from + from, (size_t)n);
  } else {
    const int64_t first = from + head, last = to - (n - head) % LINE;
    memcpy(c->to + from, c->from + from, (size_t)head);
    copy_past(c->to + first, c->from + first, last - first);
    memcpy(c->to + last, c->from + last, (size_t)(to - last));
  }
}

void dtrt_copy(void *to, const void *from, int64_t bytes) {
  if (bytes > 0) crew_run(bytes, PART, copy_part, &(ByteRun){to, from, !is_held(2 * bytes)});
}

void dtrt_zero(void *to, int64_t bytes) {
  if (bytes > 0) crew_run(bytes, PART, copy_part, &(ByteRun){to, NULL, false});
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
