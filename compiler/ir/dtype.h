/* Element types: the rows of runtime/law/dtypes.def. The order is dtrt.h's, since a DType is stored
 * as it is in compiled programs. */
#ifndef DTG_DTYPE_H
#define DTG_DTYPE_H
#include "dtrt.h"
#include <stdbool.h>

typedef enum DType {
#define DTYPE(ID, ...) DT_##ID = DTRT_##ID,
#include "dtypes.def"
  DT_COUNT
} DType;

const char *dtype_name(DType t);   /* "f32" */
const char *dtype_constant(DType t); /* of dtrt.h: "DTRT_F32" */
const char *dtype_c_name(DType t); /* how elements lie in memory: "float", "uint8_t" */
int dtype_size(DType t);           /* bytes */
bool dtype_is_float(DType t);
bool dtype_is_int(DType t); /* not bool */
/* The type that its numbers are computed as, and whether that is another: f16 and bf16 are stored
 * so, and computed as f32. */
DType dtype_computed(DType t);
bool dtype_is_half(DType t);
/* Has only casts and moves: f8. */
bool dtype_is_stored(DType t);
/* c64 and c128, which count as floats: of the digits and the range that both parts have. As a number
 * such an element is its real part. */
bool dtype_is_complex(DType t);
DType dtype_part(DType t); /* of its parts, f32 or f64; of other types: itself */
/* Of floats: binary digits of the significand, the smallest normal number, the largest one, and the
 * unit in the last place, relative: 2^-23 for f32; 0 for integers. */
int dtype_digits(DType t);
double dtype_smallest(DType t), dtype_largest(DType t), dtype_unit(DType t);
/* Of integers and bool, as far as an int64_t has them: the most of u64 is 2^63 - 1 here, and as
 * dtype_top, the bits of the largest, -1. */
int64_t dtype_least(DType t), dtype_most(DType t), dtype_top(DType t);
int64_t dtype_wrap(DType t, int64_t v); /* the integer of type t with the low bits of v */
/* Element i in memory; i64 and f64 round where a double, or the type, does not have the number. */
double dtype_get(DType t, const void *at, int64_t i);
void dtype_set(DType t, void *at, int64_t i, double v);
/* The number that a floating-point type has for v: infinite where v is beyond its largest. */
double dtype_round(DType t, double v);
bool dtype_from_name(const char *name, DType *out);

#endif
