/* What kind of CPU this is, for the cache's key, without LLVM: all that it looks at to name
 * the CPU and its features, as bits. Two machines with the same text get the same code. */
#include "jit.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>

static struct {
  pthread_once_t once;
  char text[1024];
} host = {.once = PTHREAD_ONCE_INIT};

/* Once a process: a virtual machine stops for each of these instructions. */
static void find_host(void) {
  /* leaf, subleaf, and which of eax, ebx, ecx, edx are the same on all cores */
  static const unsigned asked[][3] = {
      {0, 0, 0xf},    {1, 0, 0xd},    {7, 0, 0xe},    {7, 1, 0xf},          {0xd, 1, 0x1},
      {0x14, 0, 0x2}, {0x19, 0, 0x2}, {0x24, 0, 0x2}, {0x80000001, 0, 0xc}, {0x80000008, 0, 0x2}};
  size_t at = 0;
  bool saves = false;
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    unsigned r[4] = {0};
    __get_cpuid_count(asked[i][0], asked[i][1], &r[0], &r[1], &r[2], &r[3]);
    if (asked[i][0] == 1) saves = r[2] & bit_OSXSAVE;
    for (int k = 0; k < 4; k++)
      at += (size_t)snprintf(host.text + at, sizeof host.text - at, "%x ",
                             asked[i][2] & 1u << k ? r[k] : 0);
  }
  unsigned low = 0, high = 0;
  if (saves) __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  snprintf(host.text + at, sizeof host.text - at, "x86-64 %x %x", low, high);
}
#endif

const char *jit_host_cpu(void) {
#if defined(__x86_64__)
  pthread_once(&host.once, find_host);
  return host.text;
#else
  return NULL;
#endif
}
