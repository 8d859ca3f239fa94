/* dtype_table.h: what the rows of dtypes.def say of elements in memory. */
#ifndef DTG_RUNTIME_DTYPE_TABLE_H
#define DTG_RUNTIME_DTYPE_TABLE_H
#include "dtrt.h"

enum {
  DTYPES = 0
#define DTYPE(...) +1
#include "dtypes.def"
};

/* Of c64 and c128 the type of their two parts; of other types itself. */
static inline int dtype_part(int dtype) {
  return dtype == DTRT_C64 ? DTRT_F32 : dtype == DTRT_C128 ? DTRT_F64 : dtype;
}

/* An element, at any alignment; i64 and u64 round; of complex ones the real part. */
double dtype_number(int dtype, const void *at);
/* A number that the type has, or, of floats, rounded to one. */
void dtype_store(int dtype, void *at, double v);

#endif
