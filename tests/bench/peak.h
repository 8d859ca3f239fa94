/* peak.h: the most multiply-adds of f32 that a core does, by vectors of what this is compiled
 * for. */
#ifndef DTG_BENCH_PEAK_H
#define DTG_BENCH_PEAK_H

#ifdef __AVX512F__
enum { PEAK_LANES = 16, PEAK_SUMS = 24 }; /* 32 registers */
#elif defined __AVX__
enum { PEAK_LANES = 8, PEAK_SUMS = 12 }; /* 16 registers; two hold x and y */
#else
enum { PEAK_LANES = 4, PEAK_SUMS = 12 };
#endif
typedef float Vec __attribute__((vector_size(PEAK_LANES * sizeof(float))));

/* GFLOP/s of multiply-adds that wait for nothing, by vectors of this CPU (-march=native). */
static __attribute__((noinline)) double peak(double (*now)(void)) {
  enum { TIMES = 20000 };
  Vec sum[PEAK_SUMS], x = (Vec){0} + 0.999f, y = (Vec){0} + 0.001f;
  for (int i = 0; i < PEAK_SUMS; i++) sum[i] = (Vec){0} + (float)i;
  __asm__ volatile("" : "+m"(x), "+m"(y));
  const double start = now();
  for (int t = 0; t < TIMES; t++) {
#pragma GCC unroll 24
    for (int i = 0; i < PEAK_SUMS; i++) sum[i] = sum[i] * x + y;
  }
  Vec all = {0};
  for (int i = 0; i < PEAK_SUMS; i++) all += sum[i];
  __asm__ volatile("" : : "m"(all));
  const double took = now() - start;
  return 2.0 * PEAK_LANES * PEAK_SUMS * TIMES / took * 1e-9;
}
#endif
