/* hand_team.c: see hand_team.h. */
#include "hand_team.h"
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STAGES = 2, HUGE = 2 << 20, LOOKS = 4000, LOOKS_YIELDING = 100, SPINS = 2000, TILE = 1024 };

typedef struct Member {
  _Alignas(128) _Atomic uint64_t flag; /* barriers reached */
  uint64_t reached;                    /* the same, for its own use */
  unsigned stage_at;
  _Alignas(128) float stage[STAGES][TEAM_SMALL];
} Member;

struct Team {
  int n;
  bool spin; /* a core for each */
  _Atomic unsigned turn;
  _Atomic int running, sleeping;
  TeamJob *job; /* NULL: end */
  void *arg;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  pthread_t thread[TEAM_MOST];
  struct Start {
    Team *team;
    int device;
  } start[TEAM_MOST];
  Member *member; /* [n] */
};

/* With a core for each, peers are there within microseconds, unless others use the cores too. */
static void pause_a_little(const Team *t, unsigned turn) {
  if (!t->spin || turn >= SPINS) {
    sched_yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/* -------- jobs -------- */

static void wait_for_job(Team *t, unsigned seen) {
  for (unsigned i = 0; i < (t->spin ? LOOKS : LOOKS_YIELDING); i++) {
    if (atomic_load_explicit(&t->turn, memory_order_acquire) != seen) return;
    pause_a_little(t, i);
  }
  pthread_mutex_lock(&t->mutex);
  atomic_fetch_add(&t->sleeping, 1);
  while (atomic_load(&t->turn) == seen) pthread_cond_wait(&t->wake, &t->mutex);
  atomic_fetch_sub(&t->sleeping, 1);
  pthread_mutex_unlock(&t->mutex);
}

static void *member_main(void *arg) {
  struct Start *s = arg;
  Team *t = s->team;
  for (unsigned seen = 0;; seen++) {
    wait_for_job(t, seen);
    if (!t->job) return NULL;
    t->job(t->arg, s->device);
    atomic_fetch_sub_explicit(&t->running, 1, memory_order_release);
  }
}

static void announce(Team *t, TeamJob *job, void *arg) {
  t->job = job;
  t->arg = arg;
  atomic_store_explicit(&t->running, t->n - 1, memory_order_relaxed);
  atomic_fetch_add(&t->turn, 1);
  if (atomic_load(&t->sleeping) == 0) return;
  pthread_mutex_lock(&t->mutex);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->mutex);
}

void team_run(Team *t, TeamJob *job, void *arg) {
  announce(t, job, arg);
  job(arg, 0);
  for (unsigned i = 0; atomic_load_explicit(&t->running, memory_order_acquire) > 0; i++)
    pause_a_little(t, i);
}

Team *team_new(int ndevices) {
  Team *t = calloc(1, sizeof *t);
  if (!t || ndevices < 1 || ndevices > TEAM_MOST) return NULL;
  cpu_set_t set;
  t->spin = sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) >= ndevices;
  t->member = aligned_alloc(_Alignof(Member), (size_t)ndevices * sizeof(Member));
  if (!t->member) return NULL;
  memset(t->member, 0, (size_t)ndevices * sizeof(Member));
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->wake, NULL);
  for (t->n = 1; t->n < ndevices; t->n++) {
    t->start[t->n] = (struct Start){t, t->n};
    if (pthread_create(&t->thread[t->n], NULL, member_main, &t->start[t->n])) return NULL;
  }
  return t;
}

void team_free(Team *t) {
  announce(t, NULL, NULL);
  for (int i = 1; i < t->n; i++) pthread_join(t->thread[i], NULL);
  pthread_cond_destroy(&t->wake);
  pthread_mutex_destroy(&t->mutex);
  free(t->member);
  free(t);
}

int team_size(const Team *t) { return t->n; }

/* -------- together -------- */

void team_barrier(Team *t, int me) {
  uint64_t flag = ++t->member[me].reached;
  atomic_store_explicit(&t->member[me].flag, flag, memory_order_release);
  for (int i = 1; i < t->n; i++) {
    Member *peer = &t->member[(me + i) % t->n];
    for (unsigned k = 0; atomic_load_explicit(&peer->flag, memory_order_acquire) < flag; k++)
      pause_a_little(t, k);
  }
}

void team_chunk(const Team *t, int me, size_t n, size_t *lo, size_t *hi) {
  size_t lines = (n + 15) / 16, k = (size_t)t->n, i = (size_t)me;
  *lo = lines * i / k * 16;
  *hi = lines * (i + 1) / k * 16;
  if (*lo > n) *lo = n;
  if (*hi > n) *hi = n;
}

/* Four terms at a time. */
static void add4(float *restrict to, const float *restrict a, const float *restrict b,
                 const float *restrict c, const float *restrict d, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = (((to[i] + a[i]) + b[i]) + c[i]) + d[i];
}
static void add1(float *restrict to, const float *restrict a, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] += a[i];
}

void team_sum(const Team *t, float *const *each, size_t lo, size_t hi, float *to) {
  size_t n = hi - lo;
  int i = 1;
  memcpy(to, each[0] + lo, n * sizeof *to);
  for (; i + 4 <= t->n; i += 4)
    add4(to, each[i] + lo, each[i + 1] + lo, each[i + 2] + lo, each[i + 3] + lo, n);
  for (; i < t->n; i++) add1(to, each[i] + lo, n);
}

/* One barrier: a stage is written again two all-reduces later, when all are past the one between.
 */
static void all_reduce_small(Team *t, int me, float *const *each, size_t n) {
  Member *m = &t->member[me];
  unsigned at = m->stage_at;
  m->stage_at = (at + 1) % STAGES;
  memcpy(m->stage[at], each[me], n * sizeof(float));
  team_barrier(t, me);
  float *stage[TEAM_MOST];
  for (int i = 0; i < t->n; i++) stage[i] = t->member[i].stage[at];
  team_sum(t, stage, 0, n, each[me]);
}

void team_all_reduce(Team *t, int me, float *const *each, size_t n) {
  if (t->n == 1) return;
  if (n <= TEAM_SMALL) {
    all_reduce_small(t, me, each, n);
    return;
  }
  _Alignas(64) float tile[TILE];
  size_t lo, hi;
  team_chunk(t, me, n, &lo, &hi);
  team_barrier(t, me);
  for (size_t at = lo; at < hi; at += TILE) {
    size_t end = at + TILE < hi ? at + TILE : hi;
    team_sum(t, each, at, end, tile);
    for (int i = 0; i < t->n; i++) memcpy(each[i] + at, tile, (end - at) * sizeof *tile);
  }
  team_barrier(t, me);
}

float *team_floats(size_t n) {
  size_t bytes = (n * sizeof(float) + HUGE - 1) / HUGE * HUGE + HUGE;
  char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) abort();
  at += -(uintptr_t)at & (uintptr_t)(HUGE - 1);
  madvise(at, bytes - HUGE, MADV_HUGEPAGE);
  return (float *)(void *)at;
}
