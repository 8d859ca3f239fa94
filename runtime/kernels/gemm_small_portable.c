/* gemm_small_portable.c: products of small matrices for any CPU, in vectors of 16 bytes. As in
 * gemm_portable.c, multiply and add are fused where the compiler may take that for granted. */
#include "gemm_small.h"

#define T float
#define TLANES 4
#define TROWS 4
#define TNAME(x) x##_f32
#define TPart int
#define TPART_OF(n) (n)
#define TLOAD_PART(p, part) load_part_f32(p, part)
#define TSTORE_PART(p, part, v) store_part_f32(p, part, v)
#define TPARTS
#include "gemm_small.inc"
#undef T
#undef TLANES
#undef TNAME
#undef TLOAD_PART
#undef TSTORE_PART
#define T double
#define TLANES 2
#define TNAME(x) x##_f64
#define TLOAD_PART(p, part) load_part_f64(p, part)
#define TSTORE_PART(p, part, v) store_part_f64(p, part, v)
#include "gemm_small.inc"

const GemmSmallKernels gemm_small_portable = {small_f32, small_f64};
