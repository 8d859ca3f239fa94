/* gemm_amx.c: products of bf16 for CPUs with the tiles of AMX (gemm_half.h): four tiles of 16 x 16
 * sums, two of x and two of y, 32 numbers of depth at a time. In each such block the CPU adds the
 * products of even depths in sequence, and those of odd ones, both from 0, and then the sum of both
 * to the sum before; results below the smallest normal number are 0 (5 million random sums agree
 * with that in every bit). */
#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "gemm_amx.h"
#include "gemm_half.h"

enum { SIDE = 16 };

/* -------- may this process have tiles? -------- */

static bool may_have_tiles(void) {
  enum {
    REQUEST = 0x1023 /* ARCH_REQ_XCOMP_PERM */,
    TILE_DATA = 18,
    TILES = 3 << 17,
    BF16 = 1 << 22,
    TILE = 1 << 24
  };
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & BF16) || !(d & TILE)) return false;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  /* The kernel gives a process room for tiles on demand; it says no where a stack for signals is
   * too small. */
  return (low & TILES) == TILES && !syscall(SYS_arch_prctl, REQUEST, TILE_DATA);
}

/* -------- tiles -------- */

static void amx_begin(void) {
  AmxShapes s = {.palette = 1};
  for (int i = 0; i < 8; i++) s.line[i] = AMX_LINE, s.rows[i] = SIDE;
  amx_configure(&s);
}

#define ZERO(t, i, j) _tile_zero(t)
#define LOAD(t, i, j) _tile_loadd(t, at + (i)*SIDE * step + (j)*SIDE, step * 4)
#define STORE(t, i, j) _tile_stored(t, at + (i)*SIDE * step + (j)*SIDE, step * 4)

static void depths_all(const float *x, int64_t pitch, const float *y, int64_t blocks) {
  const float *z = x + SIDE * pitch;
  for (int64_t l = 0; l < blocks; l++, x += SIDE, z += SIDE, y += SIDE * HALF_SQUARE) {
    _tile_loadd(4, x, pitch * 4);
    _tile_loadd(6, y, HALF_SQUARE * 4);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, y + SIDE, HALF_SQUARE * 4);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, z, pitch * 4);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
}

static void depths_some(const float *x, int64_t pitch, const float *y, int64_t blocks, bool right,
                        bool below) {
  const float *z = x + SIDE * pitch;
  for (int64_t l = 0; l < blocks; l++, x += SIDE, z += SIDE, y += SIDE * HALF_SQUARE) {
    _tile_loadd(4, x, pitch * 4);
    _tile_loadd(6, y, HALF_SQUARE * 4);
    _tile_dpbf16ps(0, 4, 6);
    if (right) {
      _tile_loadd(7, y + SIDE, HALF_SQUARE * 4);
      _tile_dpbf16ps(1, 4, 7);
    }
    if (below) {
      _tile_loadd(5, z, pitch * 4);
      _tile_dpbf16ps(2, 5, 6);
    }
  }
}

static void copy(const float *from, int64_t step, float *to, int64_t pitch, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    memcpy(to + i * pitch, from + i * step, (size_t)columns * sizeof *to);
}

/* Where not all of the square is there, its sums pass through a square of our own. */
static void amx_square(const float *x, int64_t pitch, const float *y, int64_t blocks, float *c,
                       int64_t ldc, int rows, int columns, bool add) {
  _Alignas(AMX_LINE) float edge[HALF_SQUARE * HALF_SQUARE];
  const bool whole = rows == HALF_SQUARE && columns == HALF_SQUARE;
  const bool right = columns > SIDE, below = rows > SIDE;
  float *const at = whole ? c : edge;
  const int64_t step = whole ? ldc : HALF_SQUARE;
  if (add && !whole) copy(c, ldc, edge, HALF_SQUARE, rows, columns);
  AMX_BARRIER;
  if (add)
    AMX_SUMS(LOAD)
  else
    AMX_SUMS(ZERO)
  if (right && below)
    depths_all(x, pitch, y, blocks);
  else
    depths_some(x, pitch, y, blocks, right, below);
  AMX_SUMS(STORE)
  AMX_BARRIER;
  if (!whole) copy(edge, HALF_SQUARE, c, ldc, rows, columns);
}

/* -------- a vector times a matrix whose rows lie whole -------- */

typedef uint32_t Words __attribute__((vector_size(AMX_LINE)));
typedef uint32_t LooseWords __attribute__((vector_size(AMX_LINE), aligned(2)));

/* Of two rows, the first added first: the instruction for pairs begins with the upper half. */
static inline void chain(__m512 sum[2], const uint16_t *first, const uint16_t *second, uint32_t x) {
  const Words a = *(const LooseWords *)(const void *)first,
              b = *(const LooseWords *)(const void *)second;
  const __m512bh by = (__m512bh)_mm512_set1_epi32((int)x);
  sum[0] = _mm512_dpbf16_ps(sum[0], (__m512bh)(a << 16 | (b & 0xffffu)), by);
  sum[1] = _mm512_dpbf16_ps(sum[1], (__m512bh)((a & 0xffff0000u) | b >> 16), by);
}

/* Blocks of 32 rows in sequence, in each the even rows and the odd ones. */
#define LINES_OF(name, v)                                                                          \
  static void name(const uint16_t *b, int64_t step, int64_t depth, const uint16_t *x, float *y) {  \
    enum { AHEAD = 12 };                                                                           \
    static const uint16_t none[2 * SIDE];                                                          \
    __m512 all[v][2];                                                                              \
    for (int q = 0; q < v; q++) all[q][0] = all[q][1] = _mm512_setzero_ps();                       \
    for (int64_t from = 0; from < depth; from += HALF_AMX_BLOCK) {                                 \
      __m512 even[v][2], odd[v][2];                                                                \
      const int64_t end = from + HALF_AMX_BLOCK < depth ? from + HALF_AMX_BLOCK : depth;           \
      for (int q = 0; q < v; q++)                                                                  \
        even[q][0] = even[q][1] = odd[q][0] = odd[q][1] = _mm512_setzero_ps();                     \
      for (int64_t l = from; l < end; l += 4) {                                                    \
        const uint16_t *row[4];                                                                    \
        uint32_t by[4];                                                                            \
        for (int i = 0; i < 4; i++) by[i] = l + i < end ? x[l + i] : 0;                            \
        _Pragma("GCC unroll 4") for (int q = 0; q < v; q++) {                                      \
          for (int i = 0; i < 4; i++)                                                              \
            row[i] = l + i < end ? b + (l + i) * step + 2 * q * SIDE : none;                       \
          for (int i = 0; i < 4; i++)                                                              \
            __builtin_prefetch(b + (l + i + AHEAD) * step + 2 * q * SIDE);                         \
          chain(even[q], row[0], row[2], by[0] << 16 | by[2]);                                     \
          chain(odd[q], row[1], row[3], by[1] << 16 | by[3]);                                      \
        }                                                                                          \
      }                                                                                            \
      for (int q = 0; q < v; q++)                                                                  \
        for (int h = 0; h < 2; h++) all[q][h] += even[q][h] + odd[q][h];                           \
    }                                                                                              \
    for (int q = 0; q < v; q++)                                                                    \
      for (int j = 0; j < SIDE; j++)                                                               \
        y[2 * (q * SIDE + j)] = all[q][0][j], y[2 * (q * SIDE + j) + 1] = all[q][1][j];            \
  }
LINES_OF(lines_narrow, HALF_NARROW / 2 / SIDE)
LINES_OF(lines_wide, 4)

static void amx_lines(const uint16_t *b, int64_t step, int64_t depth, const uint16_t *x, bool wide,
                      float *y) {
  enum { AT_ONCE = 4 * 2 * SIDE };
  if (!wide) lines_narrow(b, step, depth, x, y);
  for (int j = 0; wide && j < HALF_WIDE; j += AT_ONCE) lines_wide(b + j, step, depth, x, y + j);
}

static pthread_once_t asked = PTHREAD_ONCE_INIT;
static HalfKernel kernel; /* packs, and multiplies rows by a vector, as that for pairs */

static void ask(void) {
  if (!may_have_tiles()) return;
  kernel = half_kernel_bf16;
  kernel.lines = amx_lines;
  kernel.begin = amx_begin;
  kernel.end = amx_release;
  kernel.square = amx_square;
}

const HalfKernel *half_kernel_amx(void) {
  pthread_once(&asked, ask);
  return kernel.square ? &kernel : NULL;
}
