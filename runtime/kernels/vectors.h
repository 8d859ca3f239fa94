/* vectors.h: whose vectors the kernels use that are compiled once for each kind of CPU: the widest
 * that this one has, or what DTRT_GEMM says (avx2, portable). */
#ifndef DTRT_VECTORS_H
#define DTRT_VECTORS_H

typedef enum KernelVectors { VECTORS_PORTABLE, VECTORS_AVX2, VECTORS_AVX512 } KernelVectors;
KernelVectors kernel_vectors(void);

#endif
