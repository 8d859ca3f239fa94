/* peaks.c: what the cores that this runs on reach together, one thread each: multiply-adds of f32
 * in GFLOP/s, and reading of what no cache holds in GB/s; the best of some rounds.
 *   cc -O2 -march=native -pthread peaks.c -o peaks; ./peaks THREADS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../peak.h"

enum { ROUNDS = 7, MOST = 1024 };
static const size_t BYTES = 256u << 20;

static pthread_barrier_t all;
static double peaks[ROUNDS][MOST], rates[ROUNDS][MOST];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double read_once(const Vec *v, size_t n) {
  const double start = now();
  Vec sum[8] = {{0}};
  for (size_t i = 0; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; k++) sum[k] += v[i + (size_t)k];
  for (int k = 1; k < 8; k++) sum[0] += sum[k];
  __asm__ volatile("" : : "m"(sum[0]));
  return (double)(n * sizeof *v) / (now() - start) * 1e-9;
}

static void *work(void *arg) {
  const long t = (long)arg;
  Vec *v = aligned_alloc(4096, BYTES);
  if (!v) exit(1);
  memset(v, 0, BYTES);
  for (int r = 0; r < ROUNDS; r++) {
    pthread_barrier_wait(&all);
    peaks[r][t] = peak(now);
    pthread_barrier_wait(&all);
    rates[r][t] = read_once(v, BYTES / sizeof *v);
  }
  free(v);
  return NULL;
}

static double best(double (*of)[MOST], long n) {
  double most = 0;
  for (int r = 0; r < ROUNDS; r++) {
    double sum = 0;
    for (long t = 0; t < n; t++) sum += of[r][t];
    if (sum > most) most = sum;
  }
  return most;
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1;
  pthread_t thread[MOST];
  if (n < 1 || n > MOST || pthread_barrier_init(&all, NULL, (unsigned)n)) return 1;
  for (long t = 0; t < n; t++)
    if (pthread_create(&thread[t], NULL, work, (void *)t)) return 1;
  for (long t = 0; t < n; t++) pthread_join(thread[t], NULL);
  printf("%.1f %.1f\n", best(peaks, n), best(rates, n));
  return 0;
}
