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

/* The most that is alive at one step, in le->steps.n + 2 of them: from before the first to after
 * the last. *at (may be NULL): the first such step. */
int64_t pack_most_live(Arena *a, const LocalEntry *le, int *at);

#endif
