/* row_sums.c: rows of partial sums and products, which programs call (dtrt_math.h says what of).
 * row_sums.inc is compiled once for each width of vectors: an element's addends are those of every
 * width, in the same order. */
#include "dtrt.h"
#include "dtrt_math.h"
#include "vectors.h"

#ifdef __clang__
#define ROW_IVDEP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define ROW_IVDEP _Pragma("GCC ivdep")
#endif

/* Rows of n elements that are added up, `stride` from one to the next, `some` at a time; those of
 * partial results begin `size` apart. */
typedef struct RowsAt {
  int64_t size, stride, n;
  int some;
} RowsAt;

#define TARGET
#define BYTES 16
#define T float
#define NAME(x) x##_f32_base
#include "row_sums.inc"
#undef T
#undef NAME
#define T double
#define NAME(x) x##_f64_base
#include "row_sums.inc"
#undef T
#undef NAME
#undef TARGET
#undef BYTES
#if defined(DTRT_X86_KERNELS)
#define TARGET __attribute__((target("avx2")))
#define BYTES 32
#define T float
#define NAME(x) x##_f32_avx2
#include "row_sums.inc"
#undef T
#undef NAME
#define T double
#define NAME(x) x##_f64_avx2
#include "row_sums.inc"
#undef T
#undef NAME
#undef TARGET
#undef BYTES
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#define T float
#define NAME(x) x##_f32_avx512
#include "row_sums.inc"
#undef T
#undef NAME
#define T double
#define NAME(x) x##_f64_avx512
#include "row_sums.inc"
#undef T
#undef NAME
#define OF_WIDTH(name)                                                                             \
  (kernel_vectors() == VECTORS_AVX512 ? name##_avx512                                              \
   : kernel_vectors() == VECTORS_AVX2 ? name##_avx2                                                \
                                      : name##_base)
#else
#define OF_WIDTH(name) name##_base
#endif

#define ROWS_OF(OP, S, T)                                                                          \
  void dtrt_carry_row_##OP##_##S(T *partial, int64_t n, int64_t size, int64_t block) {             \
    OF_WIDTH(carry_##OP##_##S)(partial, n, size, block);                                           \
  }                                                                                                \
  void dtrt_fold_row_##OP##_##S(T *to, const T *partial, int64_t n, int64_t size, int64_t blocks,  \
                                int rest) {                                                        \
    OF_WIDTH(fold_##OP##_##S)(to, partial, n, size, blocks, rest);                                 \
  }                                                                                                \
  void dtrt_join_rows_##OP##_##S(void *result, void *sums, int64_t n, int64_t units) {             \
    OF_WIDTH(join_##OP##_##S)(result, sums, n, units);                                             \
  }                                                                                                \
  void dtrt_join_lines_##OP##_##S(void *result, void *lanes, int64_t n, int64_t units) {           \
    dtrt_lanes_##S acc;                                                                            \
    T own[DTRT_LANES];                                                                             \
    dtrt_join_rows_##OP##_##S(own, lanes, n, units);                                               \
    __builtin_memcpy(&acc, own, sizeof acc);                                                       \
    *(T *)result = dtrt_line_##OP##_##S(&acc);                                                     \
  }
#define SUMS_OF(S, T)                                                                              \
  void dtrt_sum_rows_##S(T *to, T *partial, int64_t size, const T *x, int64_t stride, int64_t n,   \
                         int64_t first, int64_t rows, int64_t all, int some) {                     \
    OF_WIDTH(rows_##S)(to, partial, &(RowsAt){size, stride, n, some}, x, first, rows, all);        \
  }                                                                                                \
  void dtrt_sum_rows_in_units_##S(T *sums, T *partial, int64_t size, int64_t whole, int64_t unit,  \
                                  int64_t levels, const T *x, int64_t stride, int64_t n,           \
                                  int64_t first, int64_t rows, int64_t all, int some) {            \
    const RowsAt r = {size, stride, n, some};                                                      \
    const int64_t stop = first + rows;                                                             \
    for (int64_t begin = first, end; begin < stop; begin = end) {                                  \
      const int64_t u = begin / unit, base = u * unit;                                             \
      end = base + unit < stop ? base + unit : stop;                                               \
      OF_WIDTH(rows_##S)                                                                           \
      (sums + u * whole, partial + u * levels * size, &r, x + (begin - first) * stride,            \
       begin - base, end - begin, (all - base < unit ? all - base : unit));                        \
    }                                                                                              \
  }
#define SCAN_OF(S, T)                                                                              \
  T *dtrt_scan_rows_##S(T *partial, int64_t n, int64_t levels, int64_t block) {                    \
    return OF_WIDTH(scan_##S)(partial, n, levels, block);                                          \
  }
ROWS_OF(sum, f32, float)
ROWS_OF(prod, f32, float)
ROWS_OF(sum, f64, double)
ROWS_OF(prod, f64, double)
SUMS_OF(f32, float)
SUMS_OF(f64, double)
SCAN_OF(f32, float)
SCAN_OF(f64, double)
