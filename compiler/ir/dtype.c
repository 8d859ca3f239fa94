#include "dtype.h"
#include <string.h>

static const struct {
  const char *name, *c;
  int size;
} table[DT_COUNT] = {
    [DT_BOOL] = {"bool", "uint8_t", 1},  [DT_U8] = {"u8", "uint8_t", 1},
    [DT_I8] = {"i8", "int8_t", 1},       [DT_I32] = {"i32", "int32_t", 4},
    [DT_I64] = {"i64", "int64_t", 8},    [DT_F16] = {"f16", "uint16_t", 2},
    [DT_BF16] = {"bf16", "uint16_t", 2}, [DT_F32] = {"f32", "float", 4},
    [DT_F64] = {"f64", "double", 8},
};

const char *dtype_name(DType t) { return table[t].name; }
const char *dtype_c_name(DType t) { return table[t].c; }
int dtype_size(DType t) { return table[t].size; }
bool dtype_is_float(DType t) { return t >= DT_F16; }
bool dtype_is_int(DType t) { return t >= DT_U8 && t <= DT_I64; }

double dtype_round(DType t, double v) {
  switch (t) {
  case DT_F32: return (double)(float)v;
  case DT_F16: return (double)dtrt_f16_to_f32(dtrt_f64_to_f16(v));
  case DT_BF16: return (double)dtrt_bf16_to_f32(dtrt_f64_to_bf16(v));
  default: return v;
  }
}

bool dtype_from_name(const char *name, DType *out) {
  for (int t = 0; t < DT_COUNT; t++)
    if (!strcmp(name, table[t].name)) {
      *out = (DType)t;
      return true;
    }
  return false;
}
