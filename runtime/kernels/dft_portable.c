/* dft_portable.c: Fourier transforms for any CPU, in vectors of 16 bytes. */
#include <string.h>
#include "dft.h"

#define T float
#define VL 4
#define TNAME(x) x##_f32
#include "dft_lines.inc"
#undef T
#undef VL
#undef TNAME
#define T double
#define VL 2
#define TNAME(x) x##_f64
#include "dft_lines.inc"

const DftKernels dft_portable = {
    {units_f32, units_f64}, {4, 2}, {whole_transform_f32, whole_transform_f64}};
