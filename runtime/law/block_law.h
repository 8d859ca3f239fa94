/* block_law.h: blocks and windows of a dim, and how a layout is written: the rules that compiler
 * and runtime must agree on to the last element, in the one place that both read. They are those of
 * include/dtrt.h.
 *
 * Block law: a dim of n elements in granules of g, cut k ways, has m = n/g granules, and block i is
 * [i*m/k * g, (i+1)*m/k * g) in integer arithmetic. Blocks differ by at most one granule, are empty
 * only when m < k, and a cut over (a, b) nests inside the cut over a. A plain cut has g = 1; a
 * reshape that merges a cut dim with a whole one below it gives g > 1.
 *
 * Window law: a dim may hold, instead of its own block, what a block of another dim (`of` elements,
 * cut in the same way) needs of it. With that block [lo, hi), both ends counted in elements of the
 * other dim, the device holds [ceil((lo*mul + first)/div), floor(((hi-1)*mul + last)/div) + 1), cut
 * off at 0 and n; for mul < 0 lo and hi-1 change places. A slice from s by t has mul = t, first =
 * last = s; a convolution of k taps has mul = stride, first = -pad, last = first + (k-1)*dilation.
 * A cyclic window is not cut off: places below 0 and from n on are those of the elements n further
 * up or down. It goes round once as the other dim does, of * mul = n * div, begins and ends at most
 * n away from its block, and shows no element twice.
 */
#ifndef DTG_BLOCK_LAW_H
#define DTG_BLOCK_LAW_H
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include "dtrt.h"

typedef struct BlockSpan {
  int64_t lo, hi;
} BlockSpan;

typedef struct Window {
  int64_t of; /* size of the dim whose blocks are meant; 0: no window */
  int64_t mul, div, first, last;
  int64_t cyclic; /* 1: it goes on at the other end of the dim */
} Window;

static inline int64_t law_floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int64_t law_ceil_div(int64_t a, int64_t b) { return -law_floor_div(-a, b); }

/* floor(i * m / k) without overflow for 0 <= i <= k. */
static inline int64_t law_share(int64_t i, int64_t m, int64_t k) {
  return i * (m / k) + i * (m % k) / k;
}

/* Block i of k of n elements in granules. */
static inline BlockSpan law_block(int64_t n, int64_t granule, int64_t k, int64_t i) {
  if (k == 1) return (BlockSpan){0, n};
  int64_t m = n / granule;
  return (BlockSpan){law_share(i, m, k) * granule, law_share(i + 1, m, k) * granule};
}

/* What the window shows of a block of the other dim, before cutting off. Both ends grow with the
 * block, or shrink when mul < 0, even if it is empty. */
static inline BlockSpan law_window_raw(const Window *w, BlockSpan block) {
  int64_t a = w->mul < 0 ? block.hi - 1 : block.lo, b = w->mul < 0 ? block.lo : block.hi - 1;
  return (BlockSpan){law_ceil_div(a * w->mul + w->first, w->div),
                     law_floor_div(b * w->mul + w->last, w->div) + 1};
}

/* The same of a dim of n elements; without a window, the block. Of a cyclic one it may begin below
 * 0 and end behind n. */
static inline BlockSpan law_window(const Window *w, int64_t n, BlockSpan block) {
  if (w->of <= 0) return block;
  if (block.lo >= block.hi) return (BlockSpan){0, 0};
  BlockSpan s = law_window_raw(w, block);
  if (w->cyclic) return s;
  if (s.lo < 0) s.lo = 0;
  if (s.hi > n) s.hi = n;
  return s.lo < s.hi ? s : (BlockSpan){0, 0};
}

/* The element of a dim of n that a box shows at place `at`: a cyclic window's may be outside of 0
 * to n. */
static inline int64_t law_element(int64_t n, int64_t at) {
  return n < 1 || (at >= 0 && at < n) ? at : at - law_floor_div(at, n) * n;
}

/* Elements of the largest block of a dim of n cut k ways. The largest window is that of a largest
 * block, not cut off: its length is monotone in the block's. */
static inline int64_t law_block_most(const Window *w, int64_t n, int64_t granule, int64_t k) {
  int64_t units = w->of > 0 ? w->of : n;
  int64_t len = k == 1 ? units : law_ceil_div(units / granule, k) * granule;
  if (w->of <= 0 || len == 0) return len;
  int64_t mul = w->mul < 0 ? -w->mul : w->mul;
  int64_t most = law_floor_div((len - 1) * mul + w->last - w->first, w->div) + 1;
  return most < 0 ? 0 : most > n ? n : most;
}

/* -------- a layout as docs/language.md spells it -------- */

/* Takes the text piece by piece. */
typedef void LawPut(void *to, const char *text);

static inline void law_put_axes(LawPut *put, void *to, const char *const *axis,
                                const int32_t *which, int n) {
  for (int i = 0; i < n; i++) {
    if (i) put(to, ", ");
    put(to, axis[which[i]]);
  }
}

/* [(batch, model) by 28, _] partial(model, max). `windows`: their numbers, for those who work on
 * dtg; else " with halo". */
static inline void law_put_layout(LawPut *put, void *to, const char *const *axis, int naxes,
                                  const dtrt_layout *l, bool windows) {
  static const char *const reduce[] = {"", ", max", ", min", ", prod"};
  char number[160];
  put(to, "[");
  for (int i = 0; i < l->rank; i++) {
    const dtrt_dim *d = &l->dim[i];
    if (i) put(to, ", ");
    if (!d->naxes) put(to, "_");
    if (d->naxes > 1) put(to, "(");
    law_put_axes(put, to, axis, d->axis, d->naxes);
    if (d->naxes > 1) put(to, ")");
    snprintf(number, sizeof number, " by %" PRId64, d->granule);
    if (d->naxes && d->granule > 1) put(to, number);
    snprintf(number, sizeof number,
             " window(%" PRId64 ", *%" PRId64 " %+" PRId64 "..%+" PRId64 " /%" PRId64 "%s)", d->of,
             d->mul, d->first, d->last, d->div, d->cyclic ? ", cyclic" : "");
    if (d->of > 0 && windows) put(to, number);
    if (d->of > 0 && !windows && d->naxes) put(to, " with halo");
  }
  put(to, "]");
  int32_t partial[DTRT_MAX_AXES];
  int n = 0;
  for (int a = 0; a < naxes; a++)
    if (l->partial >> a & 1) partial[n++] = a;
  if (!n) return;
  put(to, " partial(");
  law_put_axes(put, to, axis, partial, n);
  put(to, l->reduce >= 0 && l->reduce < 4 ? reduce[l->reduce] : "");
  put(to, ")");
}

#endif
