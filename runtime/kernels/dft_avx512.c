/* dft_avx512.c: Fourier transforms for CPUs with AVX-512. */
#include <string.h>
#include "dft.h"

#define T float
#define VL 16
#define TNAME(x) x##_f32
#include "dft_lines.inc"
#undef T
#undef VL
#undef TNAME
#define T double
#define VL 8
#define TNAME(x) x##_f64
#include "dft_lines.inc"

const DftKernels dft_avx512 = {
    {units_f32, units_f64}, {16, 8}, {whole_transform_f32, whole_transform_f64}};
