/* gemm_setup.c: which kernels a process computes products with, and each thread's room for packing
 * (gemm_kernel.h). */
#include "caches.h"
#include "gemm.h"
#include "gemm_kernel.h"
#include "variables.h"
#if defined(DTRT_X86_KERNELS)
#include <cpuid.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const GemmKernel *gemm_kernel(void) {
  const char *say = variable(VARIABLE_GEMM);
  if (say && !strcmp(say, "openblas")) return NULL;
  if (say && !strcmp(say, "portable")) return &gemm_kernel_portable;
#if defined(DTRT_X86_KERNELS)
  const bool narrow = say && !strcmp(say, "avx2");
  if (!narrow && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return &gemm_kernel_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &gemm_kernel_avx2;
#endif
  return &gemm_kernel_portable;
}

enum { HUGE_PAGE = 2 << 20 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static GemmSetup setup; /* of this process: chosen once */
static pthread_key_t room_key;

int64_t gemm_packed_floats(int64_t l2) {
  const int64_t least = 32 * 1024, most = 512 * 1024;
  const int64_t half = (l2 ? l2 : 1 << 20) / 2 / (int64_t)sizeof(float);
  return half < least ? least : half > most ? most : half;
}

#if defined(DTRT_X86_KERNELS)
/* Whether a vector of 512 bits takes the core's multipliers two cycles, or both of them one: AMD
 * says how wide they are (CPUID function 8000001A). */
static bool multiplies_by_halves(void) {
  enum { WIDTHS = 0x8000001A, OF_256 = 1 << 2, OF_512 = 1 << 3 };
  unsigned a, b, c, d;
  return __builtin_cpu_is("amd") && __get_cpuid(WIDTHS, &a, &b, &c, &d) && (a & OF_256) &&
         !(a & OF_512);
}
#endif

void gemm_setup_sizes(GemmSetup *s, int64_t l1, int64_t l2, int64_t l3) {
  enum { SHARING = 8, OTHERWISE_L1 = 32 << 10, OTHERWISE_L2 = 1 << 20, OTHERWISE_L3 = 8 << 20 };
  const int64_t first = (l1 ? l1 : OTHERWISE_L1) / (int64_t)sizeof(float);
  s->all_floats = gemm_packed_floats(l2);
  s->far_floats = (l3 ? l3 : OTHERWISE_L3) / 2 / (int64_t)sizeof(float);
  s->kept_floats = s->far_floats / SHARING;
  s->near_floats = 2 * first;
  s->beside_floats = first * 5 / 8;
  const int64_t room = s->all_floats / 4; /* of what a thread packs */
  if (s->beside_floats > room) s->beside_floats = room;
  /* L1 finds a set while the address is translated, by its place in a page. */
  s->l1_way = caches_way(1, sysconf(_SC_PAGESIZE));
  s->l2_way = caches_way(2, OTHERWISE_L2 / 16);
  s->l2_ways = (l2 ? l2 : OTHERWISE_L2) / s->l2_way;
}

static void prepare(void) {
  gemm_setup_sizes(&setup, caches_bytes(1), caches_bytes(2), caches_bytes(3));
  if (pthread_key_create(&room_key, free) == 0) setup.kernel = gemm_kernel();
#if defined(DTRT_X86_KERNELS)
  setup.halves = setup.kernel == &gemm_kernel_avx512 && multiplies_by_halves();
#endif
}

static int64_t room_size(void) {
  const int64_t bytes = GEMM_ROOM_FLOATS(&setup) * (int64_t)sizeof(float);
  return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

static float *room_of_thread(void) {
  static _Thread_local float *room;
  if (room) return room;
  float *p = aligned_alloc(HUGE_PAGE, (size_t)room_size());
  if (p) madvise(p, (size_t)room_size(), MADV_HUGEPAGE); /* what is packed is on one page */
  if (p && pthread_setspecific(room_key, p)) {
    free(p);
    p = NULL;
  }
  return room = p;
}

const GemmSetup *gemm_setup(float **room) {
  pthread_once(&once, prepare);
  *room = setup.kernel ? room_of_thread() : NULL;
  return &setup;
}

float *gemm_room(int64_t *floats) {
  pthread_once(&once, prepare);
  *floats = setup.all_floats;
  return room_of_thread();
}

int64_t gemm_room_bytes(void) {
  pthread_once(&once, prepare);
  return setup.kernel ? room_size() : 0;
}

int64_t gemm_room_taken(void) {
  pthread_once(&once, prepare);
  return setup.kernel && pthread_getspecific(room_key) ? room_size() : 0;
}
