/* Offsets of buffers in the arena, from their lifetimes. */
#ifndef DTG_PACK_H
#define DTG_PACK_H
#include "schedule_passes.h"

enum { PACK_ALIGN = 64 };
static inline int64_t pack_round(int64_t n) {
  return (n + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN;
}

/* Sets le->arena_bytes, le->live_bytes and the offsets of all buffers in the arena: those whose
 * lives meet share no byte. The same for the same lives. */
void pack_arena(Arena *a, LocalEntry *le);

/* Bytes of the arena that are alive at each step, from before the first, -1, to after the last:
 * [t] of what is returned is of step t. The most of them; *at (may be NULL): the first such step. */
int64_t *pack_live(Arena *a, const LocalEntry *le);
int64_t pack_most_live(Arena *a, const LocalEntry *le, int *at);

#endif
