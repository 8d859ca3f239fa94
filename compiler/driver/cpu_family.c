/* Rates of families of CPUs. The clock is what servers of the family hold while all cores multiply
 * with their widest vectors. The system's is of no use for them: virtual machines and some drivers
 * show the base clock, others what a single core reaches for a moment. CPUs of desktops have none
 * here, as they differ too much; the system knows theirs. */
#include "cpu_family.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Row {
  CpuMaker maker;
  int family, first, last; /* models */
  CpuRates rates;
} Row;

enum { ANY = 0xfff, SOME_LINES = 16, MORE_LINES = 24, MANY_LINES = 48 };
static const double GHZ = 1e9;

/* The first row that has a CPU applies. */
static const Row table[] = {
    {CPU_AMD, 0x17, 0x00, 0x2f, {"Zen", 16, 2.7, MANY_LINES}}, /* vectors in halves */
    {CPU_AMD, 0x17, 0x30, 0x3f, {"Zen 2", 32, 3.3, MANY_LINES}},
    {CPU_AMD, 0x17, 0x40, ANY, {"Zen 2", 32, 0, MANY_LINES}},
    {CPU_AMD, 0x19, 0x00, 0x0f, {"Zen 3", 32, 3.4, MANY_LINES}},
    {CPU_AMD, 0x19, 0x10, 0x1f, {"Zen 4", 32, 3.7, MANY_LINES}}, /* AVX-512 in halves */
    {CPU_AMD, 0x19, 0xa0, 0xaf, {"Zen 4c", 32, 3.1, MANY_LINES}},
    {CPU_AMD, 0x19, 0x20, ANY, {"Zen 3 or 4", 32, 0, MANY_LINES}},
    {CPU_AMD, 0x1a, 0x00, 0x0f, {"Zen 5", 64, 3.8, MANY_LINES}},
    {CPU_AMD, 0x1a, 0x10, 0x1f, {"Zen 5c", 64, 3.5, MANY_LINES}},
    {CPU_AMD, 0x1a, 0x20, 0x3f, {"Zen 5 of laptops", 32, 0, MANY_LINES}}, /* in halves */
    {CPU_AMD, 0x1a, 0x60, 0x6f, {"Zen 5 of laptops", 32, 0, MANY_LINES}},
    {CPU_INTEL, 6, 0x3f, 0x3f, {"Haswell", 32, 2.6, SOME_LINES}},
    {CPU_INTEL, 6, 0x4f, 0x4f, {"Broadwell", 32, 2.6, SOME_LINES}},
    {CPU_INTEL, 6, 0x56, 0x56, {"Broadwell", 32, 2.2, SOME_LINES}},
    {CPU_INTEL, 6, 0x55, 0x55, {"Skylake to Cooper Lake", 64, 2.5, SOME_LINES}},
    {CPU_INTEL, 6, 0x6a, 0x6a, {"Ice Lake", 64, 2.7, SOME_LINES}},
    {CPU_INTEL, 6, 0x6c, 0x6c, {"Ice Lake", 64, 2.7, SOME_LINES}},
    {CPU_INTEL, 6, 0x8f, 0x8f, {"Sapphire Rapids", 64, 2.8, MORE_LINES}},
    {CPU_INTEL, 6, 0xcf, 0xcf, {"Emerald Rapids", 64, 2.8, MORE_LINES}},
    {CPU_INTEL, 6, 0xad, 0xae, {"Granite Rapids", 64, 3.0, MORE_LINES}},
    {CPU_INTEL, 6, 0xaf, 0xaf, {"Sierra Forest", 16, 2.7, SOME_LINES}},     /* vectors in halves */
    {CPU_INTEL, 6, 0x7d, 0x7e, {"Ice Lake of laptops", 32, 0, SOME_LINES}}, /* one wide unit */
    {CPU_INTEL, 6, 0x8c, 0x8d, {"Tiger Lake", 32, 0, SOME_LINES}},
    {CPU_INTEL, 6, 0xa7, 0xa7, {"Rocket Lake", 32, 0, SOME_LINES}},
    {CPU_ARM, 0, 0xd08, 0xd08, {"Cortex-A72", 8, 2.3, SOME_LINES}},
    {CPU_ARM, 0, 0xd0c, 0xd0c, {"Neoverse N1", 16, 2.6, MANY_LINES}},
    {CPU_ARM, 0, 0xd40, 0xd40, {"Neoverse V1", 32, 2.6, MANY_LINES}},
    {CPU_ARM, 0, 0xd49, 0xd49, {"Neoverse N2", 16, 3.0, MANY_LINES}},
    {CPU_ARM, 0, 0xd4f, 0xd4f, {"Neoverse V2", 32, 2.8, MANY_LINES}},
    {CPU_ARM, 0, 0xd83, 0xd84, {"Neoverse V3", 32, 3.0, MANY_LINES}},
    {CPU_ARM, 0, 0xd8e, 0xd8e, {"Neoverse N3", 16, 3.0, MANY_LINES}},
    {CPU_FUJITSU, 0, 0x001, 0x001, {"A64FX", 16, 2.2, MANY_LINES}}, /* of NEON, not of SVE */
    {CPU_HISILICON, 0, 0xd01, 0xd01, {"TaiShan v110", 16, 2.6, SOME_LINES}},
    {CPU_APPLE, 0, 0x000, ANY, {"Apple", 32, 3.2, MANY_LINES}},
    {CPU_AMPERE, 0, 0x000, ANY, {"AmpereOne", 16, 3.0, MANY_LINES}},
};

/* What today's CPUs have at least that have such vectors. */
static double flops_of(CpuVectors v) {
  static const double flops[] = {
      [CPU_NO_VECTORS] = 0, [CPU_SSE2] = 8, [CPU_AVX2] = 32, [CPU_AVX512] = 64, [CPU_NEON] = 16};
  return flops[v];
}

static const Row *find_row(const Cpu *c) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const Row *r = &table[i];
    if (r->maker == c->maker && r->family == c->family && c->model >= r->first &&
        c->model <= r->last)
      return r;
  }
  return NULL;
}

CpuRates cpu_rates(const Cpu *cpu) {
  static const double unknown = 3, least = 0.5, most = 10; /* GHz */
  const Row *row = find_row(cpu);
  const double said = cpu->clock >= least * GHZ && cpu->clock <= most * GHZ ? cpu->clock : 0;
  CpuRates r = {.lines = cpu->maker == CPU_AMD ? MANY_LINES : SOME_LINES};
  if (row) r = row->rates;
  /* A virtual machine may hide vectors: a unit multiplies and adds no more of the others. */
  const double widest = flops_of(cpu->vectors);
  if (r.flops == 0 || (cpu->vectors != CPU_NEON && r.flops > widest)) r.flops = widest;
  r.clock *= GHZ;
  if (r.clock == 0) r.clock = said > 0 ? said : unknown * GHZ;
  return r;
}

void cpu_read_version(unsigned eax, Cpu *cpu) {
  const unsigned family = eax >> 8 & 15, model = eax >> 4 & 15;
  cpu->family = (int)(family == 15 ? family + (eax >> 20 & 255) : family);
  cpu->model = (int)(family == 15 || family == 6 ? model | (eax >> 12 & 0xf0) : model);
}

bool cpu_read_midr(const char *text, Cpu *cpu) {
  char *end;
  const unsigned long long id = strtoull(text, &end, 16);
  if (end == text || id == 0) return false;
  cpu->maker = (CpuMaker)(id >> 24 & 0xff);
  cpu->family = 0;
  cpu->model = (int)(id >> 4 & 0xfff);
  return true;
}
