/* reduce_terms.c: chooses the reduction kernel for a dtype, an op and this CPU; see reduce_terms.h
 * for the law.
 *
 * Up to four addends are combined at a time, in tiles that stay in L1; the tile is then copied to
 * every result. The kernels are reduce_kernels.inc, compiled once per vector width: the order of
 * an element's addends is in the loops over addends, so the width cannot change a bit. */
#include "reduce_terms.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "crew.h"
#include "dtrt_math.h"
#include "dtype_table.h"
#include "half.h"
#include "sum_type.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
  TILE = 4096,       /* bytes of the values of a tile, as f32 or as they are */
  STREAMED = 8 << 20 /* so many bytes of results are in no cache when they are wanted */
};

typedef struct Kernel {
  void (*leaves)(void *to, const void *const *from, int64_t at, int terms, int64_t n); /* 2 or 4 */
  void (*join)(void *left, const void *right, int64_t n);
} Kernel;
/* From a dtype to its sum's, or back; NULL: they are the same. */
typedef void ConvertFn(void *to, const void *from, int64_t n);
/* Types that are combined as f32: type, name, type in memory, to f32, from f32. */
#define SHORT_FLOATS(ROW)                                                                          \
  ROW(F16, f16, uint16_t, half_from_f16, half_to_f16)                                              \
  ROW(BF16, bf16, uint16_t, half_from_bf16, half_to_bf16)                                          \
  ROW(F8_E4M3, f8e4m3, uint8_t, dtrt_f8e4m3_to_f32, dtrt_f32_to_f8e4m3)                            \
  ROW(F8_E5M2, f8e5m2, uint8_t, dtrt_f8e5m2_to_f32, dtrt_f32_to_f8e5m2)

#define WIDTH(name) name##_base
#define TARGET
#include "reduce_kernels.inc"
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDTH(name) name##_avx2
#define TARGET __attribute__((target("avx2")))
#include "reduce_kernels.inc"
#define OF_WIDTH(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_base)
#else
#define OF_WIDTH(name) name##_base
#endif

/* Past the caches: what is so long would only push out what is wanted soon, and its lines would be
 * read before they are written. */
static void stream(char *to, const char *tile, size_t n) {
#if defined(__SSE2__)
  size_t head = (size_t)(-(uintptr_t)to & 15), i = head < n ? head : n;
  memcpy(to, tile, i);
  for (; i + 16 <= n; i += 16)
    _mm_stream_si128((__m128i *)(void *)(to + i),
                     _mm_loadu_si128((const __m128i *)(const void *)(tile + i)));
  memcpy(to + i, tile + i, n - i);
#else
  memcpy(to, tile, n);
#endif
}

/* -------- one tile -------- */

enum {
  LEVELS = 24 /* subtrees that wait for their neighbours: each is of more devices than the next */
};

typedef struct Fold {
  const Kernel *kernel;
  ConvertFn *widen;
  int64_t at, len, leaf, wide; /* elements of the tile; bytes of a leaf's, and of a sum's */
  int dtype, base, depth;      /* nodes from `base` on are of the tree that is combined now */
  SumNode node[LEVELS];
  _Alignas(64) char sum[LEVELS][TILE];
} Fold;

static void join_last(Fold *f) {
  f->depth--;
  f->kernel->join(f->sum[f->depth - 1], f->sum[f->depth], f->len);
}

/* What is on top of the stack joins its left neighbours that are whole. */
static void pushed(Fold *f, SumNode node) {
  f->node[f->depth++] = node;
  for (; f->depth > f->base + 1; join_last(f)) {
    SumNode *left = &f->node[f->depth - 2], *right = left + 1;
    if (left->level != right->level || left->index % 2 || left->index + 1 != right->index) return;
    *left = (SumNode){left->level + 1, left->index / 2};
  }
}

static SumNode node_at(const SumNode *node, int i) {
  return node ? node[i] : (SumNode){0, i}; /* all leaves */
}

/* How many leaves from the i-th on make up a subtree, at most four. */
static int leaves_together(const SumNode *node, int i, int nodes) {
  const SumNode first = node_at(node, i);
  int n = 1;
  for (; i + n < nodes && n < 4; n++) {
    const SumNode next = node_at(node, i + n);
    if (next.level || next.index != first.index + n) break;
  }
  if (n == 4 && first.index % 4 == 0) return 4;
  return n >= 2 && first.index % 2 == 0 ? 2 : 1;
}

static void fold(Fold *f, const void *const *from, const SumNode *node, int nodes);

/* The addends from the i-th on that make up one leaf: their sum, as a host rounds what it sends.
 * Returns how many. */
static int fold_leaf(Fold *f, const void *const *from, const SumNode *node, int nodes) {
  const int base = f->base;
  char *sum = f->sum[f->depth];
  int n = 1;
  while (n < nodes && node[n].level == SUM_ADDEND && node[n].index == node->index) n++;
  f->base = f->depth;
  fold(f, from, NULL, n);
  f->base = base;
  f->depth--; /* it is pushed as what it stands for */
  if (f->widen && n > 1) {
    _Alignas(64) char tile[TILE];
    OF_WIDTH(rounds)[f->dtype](tile, sum, f->len);
    f->widen(sum, tile, f->len);
  }
  pushed(f, (SumNode){0, node->index});
  return n;
}

static void fold(Fold *f, const void *const *from, const SumNode *node, int nodes) {
  for (int i = 0; i < nodes;) {
    char *sum = f->sum[f->depth];
    const SumNode one = node_at(node, i);
    if (one.level == SUM_ADDEND) {
      i += fold_leaf(f, from + i, node + i, nodes - i);
      continue;
    }
    const int n = one.level ? 1 : leaves_together(node, i, nodes), level = one.level + n / 2;
    if (one.level)
      memcpy(sum, (const char *)from[i] + f->at * f->wide, (size_t)(f->len * f->wide));
    else if (n > 1)
      f->kernel->leaves(sum, from + i, f->at, n, f->len);
    else if (f->widen)
      f->widen(sum, (const char *)from[i] + f->at * f->leaf, f->len);
    else
      memcpy(sum, (const char *)from[i] + f->at * f->leaf, (size_t)(f->len * f->leaf));
    pushed(f, (SumNode){level, one.index >> (n / 2)});
    i += n;
  }
  while (f->depth > f->base + 1) join_last(f); /* the others' right neighbours are missing */
}

/* -------- all of it -------- */

int reduce_wide(int dtype) { return sum_type(dtype); }

static void put(void *const *to, int nto, int64_t at, const char *tile, size_t bytes,
                bool streams) {
  for (int j = 0; j < nto; j++) {
    char *result = (char *)to[j] + at;
    if (result == tile) continue;
    if (streams)
      stream(result, tile, bytes);
    else
      memcpy(result, tile, bytes);
  }
}

typedef struct Combining {
  int dtype, op, result, nto, nodes;
  void *const *to;
  const void *const *from;
  const SumNode *node;
  bool streams;
} Combining;

/* Elements `from` to `to` of the results, each of which is a sum of its own. */
static void reduce_part(void *arg, int core, int64_t from, int64_t to) {
  const Combining *r = arg;
  const bool rounds = r->result != reduce_wide(r->dtype);
  const int64_t size = dtrt_dtype_size(r->result), leaf = dtrt_dtype_size(r->dtype);
  Fold f;
  (void)core;
  f.dtype = r->dtype;
  f.kernel = &OF_WIDTH(table)[r->dtype][r->op];
  f.widen = OF_WIDTH(widens)[r->dtype];
  f.leaf = leaf;
  f.wide = dtrt_dtype_size(reduce_wide(r->dtype));
  const int64_t step = TILE / (f.wide < (int64_t)sizeof(float) ? (int64_t)sizeof(float) : f.wide);
  const bool one = r->nodes == 1 && node_at(r->node, 0).level == 0 && size == leaf;
  _Alignas(64) char tile[TILE];
  for (f.at = from; f.at < to; f.at += step) {
    f.len = to - f.at < step ? to - f.at : step;
    const char *sum = f.sum[0];
    if (one)
      sum = (const char *)r->from[0] + f.at * leaf; /* as it is: NaN keeps its bits */
    else
      f.base = f.depth = 0, fold(&f, r->from, r->node, r->nodes);
    if (rounds && !one) {
      OF_WIDTH(rounds)[r->dtype](tile, sum, f.len);
      sum = tile;
    }
    put(r->to, r->nto, f.at * size, sum, (size_t)(f.len * size), r->streams);
  }
#if defined(__SSE2__)
  if (r->streams) _mm_sfence();
#endif
}

void reduce_nodes(int dtype, int op, bool wide, void *const *to, int nto, const void *const *from,
                  const SumNode *node, int nodes, int64_t n) {
  enum { PART = 64 << 10 }; /* bytes that a core reads and writes in some microseconds */
  const int result = wide ? reduce_wide(dtype) : dtype;
  const int64_t size = dtrt_dtype_size(result), grain = PART / (size * (nodes + nto)) / 64 * 64;
  Combining r = {dtype, op, result, nto, nodes, to, from, node, n * size >= STREAMED};
  if (n > 0) crew_run(n, grain ? grain : 64, reduce_part, &r);
}

void reduce_terms(int dtype, int op, void *const *to, int nto, const void *const *from, int terms,
                  int64_t n) {
  reduce_nodes(dtype, op, false, to, nto, from, NULL, terms, n);
}

void reduce_identity(int dtype, int op, void *to, int64_t n) {
  size_t size = (size_t)dtrt_dtype_size(dtype);
  memset(to, 0, (size_t)n * size);
  if (op != DTRT_PROD) return;
  unsigned char one[8];
  dtype_store(dtype, one, 1);
  for (int64_t i = 0; i < n; i++) memcpy((char *)to + (size_t)i * size, one, size);
}
