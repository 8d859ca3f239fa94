/* crew.c: see crew.h. The device opens a job, does parts of it like everybody else, closes it when
 * no part is left and waits for those who are still in one. Cores that come late find it closed:
 * no core waits for one that sleeps. Each core takes its own share from the front, and shares of
 * others from the back. */
#include "crew.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "device.h"
#include "float_mode.h"
#include "thread.h"

enum {
  PARTS = 4,       /* of a core's share: so many at most, so that a late one leaves little behind */
  LOOK_NS = 60000, /* how long a core looks for the next job before it sleeps */
  LOOKS_A_TIME = 32 /* looks between two at the clock */
};

/* What is left of a core's share: parts [low half, high half). */
typedef struct Share {
  _Alignas(COMM_APART) _Atomic uint64_t left;
} Share;

typedef struct Helper {
  Crew *crew;
  int core;
  pthread_t thread;
} Helper;

/* Job number, whether it is open, and how many helpers are in it: one word, so that no core enters
 * a job that has been closed. */
enum { JOB_INSIDE = 0xffff, JOB_OPEN = 0x10000 };
#define JOB_NEXT ((uint64_t)1 << 32)

struct Crew {
  _Alignas(COMM_APART) _Atomic uint64_t job;
  _Atomic int sleeping;
  _Atomic int broken; /* a part of this job has failed */
  _Atomic bool ends;
  Device *device;
  int n, started; /* cores; threads among them */
  bool spin;
  unsigned forks; /* of the process when the threads were started */
  CrewPart *f;
  void *arg;
  int64_t count, grain, parts;
  unsigned mode; /* of floats */
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  Helper *helper; /* [n - 1] */
  Share *share;   /* [n] */
  char **own;     /* [n] */
  int64_t own_bytes;
};

static bool has_threads(const Crew *c) { return c->forks == thread_forks(); }

/* -------- parts -------- */

/* The next part of a share, from its front or its back; -1: there is none. */
static int64_t take(Share *s, bool front) {
  uint64_t left = atomic_load_explicit(&s->left, memory_order_relaxed);
  for (;;) {
    const uint32_t low = (uint32_t)left, high = (uint32_t)(left >> 32);
    if (low >= high) return -1;
    const uint64_t rest = front ? left + 1 : left - ((uint64_t)1 << 32);
    if (atomic_compare_exchange_weak_explicit(&s->left, &left, rest, memory_order_relaxed,
                                              memory_order_relaxed))
      return front ? low : high - 1;
  }
}

static int64_t next_part(Crew *c, int core) {
  int64_t part = take(&c->share[core], true);
  for (int i = 1; part < 0 && i < c->n; i++) part = take(&c->share[(core + i) % c->n], false);
  return part;
}

static int64_t part_begin(const Crew *c, int64_t part) {
  const int64_t units = (c->count + c->grain - 1) / c->grain,
                at = units * part / c->parts * c->grain;
  return at < c->count ? at : c->count;
}

typedef struct CrewMember {
  Crew *crew;
  int core;
} CrewMember;

static void do_parts(void *arg) {
  const CrewMember *p = arg;
  Crew *c = p->crew;
  for (int64_t part; !device_stopped(c->device) && (part = next_part(c, p->core)) >= 0;)
    c->f(c->arg, p->core, part_begin(c, part), part_begin(c, part + 1));
}

static void work(Crew *c, int core) {
  CrewMember p = {c, core};
  if (fail_guard_part(c->device, core, do_parts, &p)) atomic_store(&c->broken, 1);
}

/* -------- helpers -------- */

/* True: this core is in the job; `last` is its number, which is entered once. */
static bool enter(Crew *c, uint64_t *last) {
  uint64_t job = atomic_load_explicit(&c->job, memory_order_acquire);
  while (job & JOB_OPEN && job / JOB_NEXT != *last)
    if (atomic_compare_exchange_weak_explicit(&c->job, &job, job + 1, memory_order_acquire,
                                              memory_order_acquire))
      return *last = job / JOB_NEXT, true;
  return false;
}

/* False: there are no more jobs. */
static bool await(Crew *c, uint64_t *last) {
  int64_t until = 0;
  for (unsigned i = 1; c->spin; i++) {
    if (enter(c, last)) return true;
    comm_pause(true, 0);
    if (i % LOOKS_A_TIME) continue;
    const int64_t now = clock_ns();
    if (!until) until = now + LOOK_NS;
    if (now >= until) break;
  }
  pthread_mutex_lock(&c->mutex);
  atomic_fetch_add(&c->sleeping, 1);
  bool in = false;
  while (!atomic_load(&c->ends) && !(in = enter(c, last))) pthread_cond_wait(&c->wake, &c->mutex);
  atomic_fetch_sub(&c->sleeping, 1);
  pthread_mutex_unlock(&c->mutex);
  return in;
}

static void *helper_main(void *arg) {
  const Helper *h = arg;
  Crew *c = h->crew;
  const unsigned own = float_mode();
  fail_alt_stack(true);
  for (uint64_t last = 0; await(c, &last);) {
    float_mode_set(c->mode);
    work(c, h->core);
    float_mode_set(own);
    atomic_fetch_sub_explicit(&c->job, 1, memory_order_release);
  }
  fail_alt_stack(false);
  return NULL;
}

/* -------- jobs -------- */

static void wake(Crew *c) {
  if (atomic_load(&c->sleeping) == 0) return; /* in one order with the sleeper's two steps */
  pthread_mutex_lock(&c->mutex);
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->mutex);
}

int crew_size(const Crew *c) { return c ? c->n : 1; }

static Crew *crew_here(void) {
  Device *d = fail_in_part() ? NULL : fail_current();
  return d && d->crew && has_threads(d->crew) ? d->crew : NULL;
}

int crew_cores(void) { return crew_size(crew_here()); }

void crew_run(int64_t count, int64_t grain, CrewPart *f, void *arg) {
  Crew *c = crew_here();
  if (count <= 0) return;
  if (grain < 1) grain = 1;
  const int64_t units = (count + grain - 1) / grain;
  if (!c || units == 1) {
    f(arg, 0, 0, count);
    return;
  }
  c->f = f, c->arg = arg, c->count = count, c->grain = grain, c->mode = float_mode();
  c->parts = units < (int64_t)PARTS * c->n ? units : (int64_t)PARTS * c->n;
  for (int i = 0; i < c->n; i++) {
    const uint64_t from = (uint64_t)(i * c->parts / c->n),
                   to = (uint64_t)((i + 1) * c->parts / c->n);
    atomic_store_explicit(&c->share[i].left, from | to << 32, memory_order_relaxed);
  }
  atomic_store_explicit(&c->broken, 0, memory_order_relaxed);
  const uint64_t job = atomic_load_explicit(&c->job, memory_order_relaxed);
  atomic_store(&c->job, (job / JOB_NEXT + 1) * JOB_NEXT | JOB_OPEN);
  wake(c);
  work(c, 0);
  uint64_t now = atomic_fetch_and_explicit(&c->job, ~(uint64_t)JOB_OPEN, memory_order_acquire);
  for (unsigned i = 0; now & JOB_INSIDE; i++) {
    comm_pause(c->spin, i);
    now = atomic_load_explicit(&c->job, memory_order_acquire);
  }
  if (atomic_load_explicit(&c->broken, memory_order_relaxed) || device_stopped(c->device))
    device_give_up(c->device);
}

/* -------- what cores have of their own -------- */

int crew_make_own(Crew *c, int64_t bytes) {
  if (!c || bytes <= c->own_bytes) return 0;
  for (int i = 1; i < c->n; i++) {
    comm_unmap(c->own[i], c->own_bytes);
    c->own[i] = NULL;
  }
  c->own_bytes = bytes;
  for (int i = 1; i < c->n; i++)
    if (!(c->own[i] = comm_map(bytes))) return -1;
  return 0;
}

void *dtrt_own(dtrt_device *dev, void *at, int64_t offset) {
  const int core = dtrt_core();
  return core ? device_of(dev)->crew->own[core] + offset : at;
}

/* -------- for emitted C -------- */

typedef struct Call {
  dtrt_device *dev;
  dtrt_part_fn *f;
  void *const *p;
  const int64_t *n;
} Call;

static void call(void *arg, int core, int64_t from, int64_t to) {
  const Call *c = arg;
  (void)core;
  c->f(c->dev, c->p, c->n, from, to);
}

void dtrt_parallel(dtrt_device *dev, dtrt_part_fn *f, int64_t count, int64_t grain, void *const *p,
                   const int64_t *n) {
  crew_run(count, grain, call, &(Call){dev, f, p, n});
}

/* -------- opening -------- */

void crew_close(Crew *c) {
  if (!c) return;
  if (has_threads(c)) {
    atomic_store(&c->ends, true);
    pthread_mutex_lock(&c->mutex);
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->mutex);
    for (int i = 0; i < c->started; i++) pthread_join(c->helper[i].thread, NULL);
    pthread_cond_destroy(&c->wake);
    pthread_mutex_destroy(&c->mutex);
  }
  for (int i = 1; c->own && i < c->n; i++) comm_unmap(c->own[i], c->own_bytes);
  free(c->own);
  free(c->helper);
  free(c->share);
  free(c);
}

static int start(Crew *c) {
  int error = 0;
  while (c->started < c->n - 1 && !error) {
    Helper *h = &c->helper[c->started];
    char name[32];
    *h = (Helper){.crew = c, .core = c->started + 1};
    snprintf(name, sizeof name, "dtrt %d.%d", c->device->id, h->core);
    name[15] = 0;
    error = thread_start(&h->thread, helper_main, h, name);
    c->started += !error;
  }
  return error;
}

bool crew_bind(Crew *c, int k, const cpu_set_t *set) {
  return pthread_setaffinity_np(c->helper[k - 1].thread, sizeof *set, set) == 0;
}

Crew *crew_open(Device *d, int n, bool spin, char *why) {
  Crew *c = aligned_alloc(COMM_APART, sizeof *c);
  snprintf(why, COMM_WHY, "out of memory for %d cores", n);
  if (!c) return NULL;
  memset(c, 0, sizeof *c);
  c->device = d, c->n = n, c->spin = spin;
  c->forks = thread_forks();
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->wake, NULL);
  c->helper = calloc((size_t)n, sizeof *c->helper);
  c->share = aligned_alloc(COMM_APART, (size_t)n * sizeof *c->share);
  c->own = calloc((size_t)n, sizeof *c->own);
  const int error = c->helper && c->share && c->own ? start(c) : ENOMEM;
  if (!error) return *why = 0, c;
  snprintf(why, COMM_WHY, "cannot start a thread for core %d of %d: %s", c->started + 1, n,
           strerror(error));
  crew_close(c);
  return NULL;
}
