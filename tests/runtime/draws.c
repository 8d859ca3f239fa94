/* draws.c: the runtime draws the random numbers that programs compute, whatever the vectors,
 * from any element on: past 2^32 of them, too. */
#include "draws.h"
#include "harness.h"
#include "dtrt_math.h"

enum { MOST = 700, GUARD = 4 };

static void check(const char *name, const DrawKernels *by, bool normal, uint64_t step,
                  int64_t first, int64_t n) {
  static float to[MOST + GUARD];
  const uint64_t key = 0x4a5b4cb63159c8d3u;
  for (int i = 0; i < MOST + GUARD; i++) to[i] = -7;
  (normal ? by->normal : by->uniform)(to, key, step, first, n);
  for (int64_t i = 0; i < n + GUARD; i++) {
    float want = -7;
    if (i < n)
      want = normal ? dtrt_normal_key_f32(key, step, first + i)
                    : dtrt_uniform_key_f32(key, step, first + i);
    CHECK(!memcmp(&want, &to[i], sizeof want),
          "%s, %s: element %lld of %lld from %lld on is %.9g, not %.9g", name,
          normal ? "normal" : "uniform", (long long)i, (long long)n, (long long)first,
          (double)to[i], (double)want);
  }
}

static void check_all(const char *name, const DrawKernels *by) {
  static const int64_t firsts[] = {0, 5, ((int64_t)1 << 32) - 300, ((int64_t)1 << 40) + 3},
                       sizes[] = {0, 1, 15, 16, 17, 31, 33, 255, 256, 257, MOST};
  for (int f = 0; f < 4; f++)
    for (int k = 0; k < 11; k++)
      for (int normal = 0; normal < 2; normal++)
        for (int late = 0; late < 2; late++)
          check(name, by, normal, late ? ((uint64_t)1 << 40) + 7 : 0, firsts[f], sizes[k]);
}

int main(void) {
  check_all("any CPU", &draws_portable);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    check_all("AVX2", &draws_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    check_all("AVX-512", &draws_avx512);
#endif
  return harness_result();
}
