/* transposed_copy.c: transposed copies of elements of 8 to 64 bits, in blocks of a cache line each way.
 * Lines come as vectors of 16 bytes; a square of as many lines as a vector has elements is
 * transposed in registers, and what becomes of the block is written line by line, so that each line
 * of both sides is touched once, however far apart they lie. */
#include <stdint.h>
#include <string.h>
#include "dtrt.h"

enum { LINE = 64, VECTOR = 16 };

#define LOW_1(p, q)                                                                                \
  __builtin_shufflevector(p, q, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_1(p, q)                                                                               \
  __builtin_shufflevector(p, q, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_2(p, q) __builtin_shufflevector(p, q, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(p, q) __builtin_shufflevector(p, q, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(p, q) __builtin_shufflevector(p, q, 0, 4, 1, 5)
#define HIGH_4(p, q) __builtin_shufflevector(p, q, 2, 6, 3, 7)
#define LOW_8(p, q) __builtin_shufflevector(p, q, 0, 2)
#define HIGH_8(p, q) __builtin_shufflevector(p, q, 1, 3)

/* Lines k and k + SIDE / 2 are merged element by element: so often as SIDE is 2 to that, all are
 * transposed. */
#define TRANSPOSE(BYTES, T)                                                                        \
  typedef T Vector_##BYTES __attribute__((vector_size(VECTOR)));                                   \
  enum { SIDE_##BYTES = VECTOR / BYTES, BLOCK_##BYTES = LINE / BYTES };                            \
  static inline __attribute__((always_inline)) void square_##BYTES(                                \
      T *to, int64_t to_row, const T *from, int64_t from_row) {                                    \
    enum { SIDE = SIDE_##BYTES };                                                                  \
    Vector_##BYTES v[SIDE], w[SIDE];                                                               \
    for (int k = 0; k < SIDE; k++) memcpy(&v[k], from + k * from_row, VECTOR);                     \
    for (int n = SIDE; n > 1; n /= 2) {                                                            \
      for (int k = 0; k < SIDE / 2; k++)                                                           \
        w[2 * k] = LOW_##BYTES(v[k], v[k + SIDE / 2]),                                             \
              w[2 * k + 1] = HIGH_##BYTES(v[k], v[k + SIDE / 2]);                                  \
      memcpy(v, w, sizeof v);                                                                      \
    }                                                                                              \
    for (int k = 0; k < SIDE; k++) memcpy(to + k * to_row, &v[k], VECTOR);                         \
  }                                                                                                \
  static void block_##BYTES(T *to, int64_t to_row, const T *from, int64_t from_row) {              \
    enum { SIDE = SIDE_##BYTES, BLOCK = BLOCK_##BYTES };                                           \
    _Alignas(LINE) T room[BLOCK][BLOCK];                                                           \
    for (int j = 0; j < BLOCK; j += SIDE) {                                                        \
      for (int k = 0; k < SIDE; k++)                                                               \
        __builtin_prefetch(                                                                        \
            (const void *)((uintptr_t)from + (uintptr_t)((BLOCK + j + k) * from_row) * BYTES));    \
      for (int i = 0; i < BLOCK; i += SIDE)                                                        \
        square_##BYTES(&room[i][j], BLOCK, from + j * from_row + i, from_row);                     \
    }                                                                                              \
    for (int i = 0; i < BLOCK; i++) memcpy(to + i * to_row, room[i], LINE);                        \
  }                                                                                                \
  void dtrt_transpose_##BYTES(void *to, int64_t to_row, const void *from, int64_t from_row,        \
                              int64_t rows, int64_t columns) {                                     \
    enum { SIDE = SIDE_##BYTES, BLOCK = BLOCK_##BYTES };                                           \
    if (rows == BLOCK && columns == BLOCK) {                                                       \
      block_##BYTES(to, to_row, from, from_row);                                                   \
      return;                                                                                      \
    }                                                                                              \
    for (int64_t i = 0; i < rows; i += SIDE)                                                       \
      for (int64_t j = 0; j < columns; j += SIDE) {                                                \
        T *t = (T *)to + i * to_row + j;                                                           \
        const T *f = (const T *)from + j * from_row + i;                                           \
        const int64_t m = rows - i < SIDE ? rows - i : SIDE,                                       \
                      n = columns - j < SIDE ? columns - j : SIDE;                                 \
        if (m == SIDE && n == SIDE) {                                                              \
          square_##BYTES(t, to_row, f, from_row);                                                  \
          continue;                                                                                \
        }                                                                                          \
        for (int64_t a = 0; a < m; a++)                                                            \
          for (int64_t b = 0; b < n; b++) t[a * to_row + b] = f[b * from_row + a];                 \
      }                                                                                            \
  }
TRANSPOSE(1, uint8_t)
TRANSPOSE(2, uint16_t)
TRANSPOSE(4, uint32_t)
TRANSPOSE(8, uint64_t)
