/* What a core of each family of CPUs does, by a table. */
#ifndef DTG_CPU_FAMILY_H
#define DTG_CPU_FAMILY_H
#include <stdbool.h>

/* Arm's implementers have the numbers of their registers; the others none of these. */
typedef enum CpuMaker {
  CPU_UNKNOWN,
  CPU_ARM = 0x41,
  CPU_FUJITSU = 0x46,
  CPU_HISILICON = 0x48,
  CPU_APPLE = 0x61,
  CPU_AMPERE = 0xc0,
  CPU_INTEL = 0x100,
  CPU_AMD
} CpuMaker;

/* The widest vectors that kernels may use; of what a CPU has, a virtual machine may hide some. */
typedef enum CpuVectors { CPU_NO_VECTORS, CPU_SSE2, CPU_AVX2, CPU_AVX512, CPU_NEON } CpuVectors;

typedef struct Cpu {
  CpuMaker maker;
  int family, model; /* Arm: 0 and the part */
  CpuVectors vectors;
  double clock; /* cycles a second at most, as the system says; 0: it does not */
} Cpu;

typedef struct CpuRates {
  const char *name; /* of the family; NULL: the table has no such CPU */
  double flops;     /* of f32, a cycle of one core: two a lane of each unit that multiplies and
                       adds; 0: unknown */
  double clock;     /* cycles a second, while all cores multiply */
  double lines;     /* cache lines that a core has under way */
} CpuRates;

CpuRates cpu_rates(const Cpu *cpu);
/* Family and model from cpuid's leaf 1. */
void cpu_read_version(unsigned eax, Cpu *cpu);
/* From the identification register of one of Arm's, MIDR_EL1; false: the text is none. */
bool cpu_read_midr(const char *text, Cpu *cpu);

#endif
