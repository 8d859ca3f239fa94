/* peak.h: the most multiply-adds of f32 that a core does, by vectors of what this is compiled
 * for. */
#ifndef DTG_BENCH_PEAK_H
#define DTG_BENCH_PEAK_H

typedef float Vec __attribute__((vector_size(64)));

/* GFLOP/s of multiply-adds that wait for nothing, by vectors of this CPU (-march=native). */
static __attribute__((noinline)) double peak(double (*now)(void)) {
  enum { SUMS = 24, TIMES = 20000 };
  Vec sum[SUMS], x = (Vec){0} + 0.999f, y = (Vec){0} + 0.001f;
  for (int i = 0; i < SUMS; i++) sum[i] = (Vec){0} + (float)i;
  __asm__ volatile("" : "+v"(x), "+v"(y));
  const double start = now();
  for (int t = 0; t < TIMES; t++) {
#pragma GCC unroll 24
    for (int i = 0; i < SUMS; i++) sum[i] = sum[i] * x + y;
  }
  const double took = now() - start;
  Vec all = {0};
  for (int i = 0; i < SUMS; i++) all += sum[i];
  __asm__ volatile("" : : "v"(all));
  return 2.0 * 16 * SUMS * TIMES / took * 1e-9;
}
#endif
