/* Element types: the rows of runtime/law/dtypes.def. The order is dtrt.h's, since a DType is stored
 * as it is in compiled programs. */
#ifndef DTG_DTYPE_H
#define DTG_DTYPE_H
#include "dtrt.h"
#include <stdbool.h>

typedef enum DType {
  DT_BOOL = DTRT_BOOL,
  DT_U8 = DTRT_U8,
  DT_I8 = DTRT_I8,
  DT_I32 = DTRT_I32,
  DT_I64 = DTRT_I64,
  DT_F16 = DTRT_F16,
  DT_BF16 = DTRT_BF16,
  DT_F32 = DTRT_F32,
  DT_F64 = DTRT_F64,
  DT_COUNT
} DType;

const char *dtype_name(DType t);   /* "f32" */
const char *dtype_constant(DType t); /* of dtrt.h: "DTRT_F32" */
const char *dtype_c_name(DType t); /* how elements lie in memory: "float", "uint8_t" */
int dtype_size(DType t);           /* bytes */
bool dtype_is_float(DType t);
bool dtype_is_int(DType t); /* u8 i8 i32 i64 */
/* The type that its numbers are computed as, and whether that is another: f16 and bf16 are stored
 * so, and computed as f32. */
DType dtype_computed(DType t);
bool dtype_is_half(DType t);
/* Of floats: binary digits of the significand, the smallest normal number, the largest one, and the
 * unit in the last place, relative: 2^-23 for f32; 0 for integers. */
int dtype_digits(DType t);
double dtype_smallest(DType t), dtype_largest(DType t), dtype_unit(DType t);
int64_t dtype_least(DType t), dtype_most(DType t); /* of integers and bool */
/* Element i in memory; i64 and f64 round where a double, or the type, does not have the number. */
double dtype_get(DType t, const void *at, int64_t i);
void dtype_set(DType t, void *at, int64_t i, double v);
/* The number that a floating-point type has for v: infinite where v is beyond its largest. */
double dtype_round(DType t, double v);
bool dtype_from_name(const char *name, DType *out);

#endif
