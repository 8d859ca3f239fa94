/* scatter.c: sums of rows selected by an index, in the order of docs/sums.md: the emitted loop
 * adds 32 rows in sequence to a row of the table; the sum of such a block is kept in a slot of its
 * own, and equal numbers of blocks are combined. Each row has a stack of slots, at most one per
 * block: so slots of cores that have the rows of a table in parts begin apart. */
#include <string.h>
#include "dtrt.h"

dtrt_scatter dtrt_scatter_begin(int32_t dtype, void *room, int64_t rows, int64_t updates,
                                int64_t size, int64_t from, int64_t to, int64_t before) {
  const int64_t slots = updates / DTRT_SUM_BLOCK;
  char *at = room;
  dtrt_scatter s = {.dtype = dtype, .from = from, .to = to, .size = size};
  s.top = (int32_t *)(void *)at, at += dtrt_scatter_part(rows * (int64_t)sizeof *s.top);
  s.hits = (uint8_t *)at, at += dtrt_scatter_part(rows);
  s.below = (int32_t *)(void *)at, at += dtrt_scatter_part(slots * (int64_t)sizeof *s.below);
  s.level = (uint8_t *)at, at += dtrt_scatter_part(slots);
  s.slot = at;
  s.used = (int32_t)(before / DTRT_SUM_BLOCK);
  s.none = s.used;
  memset(s.hits + from, 0, (size_t)(to - from));
  return s;
}

/* to = a + b */
static void add(const dtrt_scatter *s, void *to, const void *a, const void *b) {
  if (s->dtype == DTRT_F64) {
    const double *x = a, *y = b;
    double *r = to;
    for (int64_t i = 0; i < s->size; i++) r[i] = x[i] + y[i];
  } else {
    const float *x = a, *y = b;
    float *r = to;
    for (int64_t i = 0; i < s->size; i++) r[i] = x[i] + y[i];
  }
}

void dtrt_scatter_block(dtrt_scatter *s, int64_t row, void *sum) {
  const int64_t bytes = s->size * dtrt_dtype_size(s->dtype);
  int level = 0;
  if (s->used == s->none) /* the first block of all: where no row has one, no row has a stack */
    memset(s->top + s->from, 0, (size_t)(s->to - s->from) * sizeof *s->top);
  s->hits[row] = 0;
  for (int32_t top; (top = s->top[row]) && s->level[top - 1] == level; level++) {
    add(s, sum, s->slot + (top - 1) * bytes, sum);
    s->top[row] = s->below[top - 1];
    s->below[top - 1] = s->spare, s->spare = top;
  }
  const int32_t to = s->spare ? s->spare : ++s->used;
  if (s->spare) s->spare = s->below[to - 1];
  memcpy(s->slot + (to - 1) * bytes, sum, (size_t)bytes);
  memset(sum, 0, (size_t)bytes);
  s->below[to - 1] = s->top[row];
  s->level[to - 1] = (uint8_t)level;
  s->top[row] = to;
}

void dtrt_scatter_row(dtrt_scatter *s, int64_t row, void *sum) {
  const int64_t bytes = s->size * dtrt_dtype_size(s->dtype);
  for (int32_t top = s->top[row]; top; top = s->below[top - 1])
    add(s, sum, s->slot + (top - 1) * bytes, sum);
  s->top[row] = 0;
}

void dtrt_scatter_end(dtrt_scatter *s, void *table) {
  const int64_t bytes = s->size * dtrt_dtype_size(s->dtype);
  for (int64_t row = s->from; s->used > s->none && row < s->to; row++)
    for (int32_t top = s->top[row]; top; top = s->below[top - 1]) {
      char *sum = (char *)table + row * bytes;
      add(s, sum, s->slot + (top - 1) * bytes, sum);
    }
}
