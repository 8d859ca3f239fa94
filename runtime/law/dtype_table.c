/* dtype_table.c: sizes and names of the data types, from their table. */
#include "dtrt.h"
#include "sum_type.h"

int dtrt_dtype_size(int dtype) {
  static const signed char size[] = {
#define DTYPE(ID, NAME, C, ...) [DTRT_##ID] = sizeof(C),
#include "dtypes.def"
  };
  return dtype >= 0 && dtype < (int)sizeof size ? size[dtype] : 0;
}

const char *dtrt_dtype_name(int dtype) {
  static const char *const name[] = {
#define DTYPE(ID, NAME, ...) [DTRT_##ID] = NAME,
#include "dtypes.def"
  };
  return dtype >= 0 && dtype < (int)(sizeof name / sizeof *name) ? name[dtype] : "?";
}

int sum_type(int dtype) {
  static const signed char type[] = {
#define DTYPE(ID, NAME, C, COMPUTED, ...) [DTRT_##ID] = DTRT_##COMPUTED,
#include "dtypes.def"
  };
  return dtype >= 0 && dtype < (int)sizeof type ? type[dtype] : dtype;
}
