/* Offsets of buffers in the arena, from their lifetimes. */
#ifndef DTG_PACK_H
#define DTG_PACK_H
#include "schedule_passes.h"

/* What all code is aligned to, whatever its CPU: a multiple of vectors and lines. What a large
 * value has more is less than half a percent of it, wherever it may be of no use. */
enum { PACK_ALIGN = 64, PACK_APART = 4096 + 3 * PACK_ALIGN, PACK_LARGE = 1 << 20 };
_Static_assert((int)PACK_LARGE > 200 * (int)PACK_APART, "less than half a percent");

/* Bytes of memory for a value of n: whole lines. AMD's first caches tell lines apart by a hash of bits
 * 12 to 27 of their addresses, so that of two values that lie a multiple of 256 MiB apart they keep
 * one, and a loop over both takes twice the time. Sizes that are powers of two lead to such places,
 * hence a large value has a page and three lines more. */
static inline int64_t pack_room(int64_t n) {
  const int64_t lines = (n + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN;
  return lines < PACK_LARGE ? lines : lines + PACK_APART;
}

/* Sets le->arena_bytes, le->live_bytes and the offsets of all buffers in the arena: those whose
 * lives meet share no byte. The same for the same lives. */
void pack_arena(Arena *a, LocalEntry *le);

/* Bytes of the arena that are alive at each step, from before the first, -1, to after the last:
 * [t] of what is returned is of step t. The most of them; *at (may be NULL): the first such step. */
int64_t *pack_live(Arena *a, const LocalEntry *le);
int64_t pack_most_live(Arena *a, const LocalEntry *le, int *at);

#endif
