/* prefetch.c: see prefetch.h. A ring of batches; the thread fills slot after slot, and a slot is
 * free again when the last device has its copy, so that with depth 1 one batch is read while
 * another is in use. */
#include "prefetch.h"
#include "bind.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "thread.h"

/* A block of an input, for all local devices that hold it. */
typedef struct InputBlock {
  int input;
  int64_t lo[DTRT_MAX_RANK + 1], hi[DTRT_MAX_RANK + 1];
  int64_t at; /* in the slot's data */
} InputBlock;

/* What is read for an entry: the same for each of its batches. */
typedef struct BatchBlocks {
  const dtrt_entry *entry;
  InputBlock *block;
  int n;
  int *of;   /* [devices here][inputs] index in block; -1: empty, and not requested */
  int asked; /* how many are not empty */
  int64_t bytes;
  struct BatchBlocks *next;
} BatchBlocks;

enum { WHY = 256 };

typedef struct Batch {
  atomic_bool ready;    /* changed under the lock */
  const BatchBlocks *blocks; /* NULL: nothing could be read, for why */
  char *data;
  int64_t room;
  int bad; /* block that could not be read; -1: none */
  char why[WHY];
  atomic_int left; /* copies that devices have not taken yet */
} Batch;

struct prefetch {
  dtrt_session *s;
  prefetch_next_fn *next;
  void *user;
  BatchBlocks *known;
  pthread_t thread;
  pthread_mutex_t lock; /* over ready, ended, stop and the two conditions */
  pthread_cond_t filled, freed;
  bool stop, ended;
  int64_t first, taken; /* the batch of the call's first run, and that after its last */
  int64_t waited;       /* by the first device here */
  int depth;
  Batch slot[];
};

/* ---- what to read */

static void blocks_free(BatchBlocks *b) {
  if (!b) return;
  free(b->block);
  free(b->of);
  free(b);
}

static bool block_equal(const InputBlock *a, const InputBlock *b, int rank) {
  size_t n = (size_t)rank * sizeof *a->lo;
  return a->input == b->input && !memcmp(a->lo, b->lo, n) && !memcmp(a->hi, b->hi, n);
}

/* The index of a device's block of an input; -1: it is empty. */
static int block_add(BatchBlocks *b, const Device *d, int input) {
  const dtrt_tensor *t = &b->entry->in[input];
  int rank = t->layout->rank, i = 0;
  BlockSpan box[DTRT_MAX_RANK];
  InputBlock *to = &b->block[b->n];
  *to = (InputBlock){.input = input, .at = b->bytes};
  int64_t n = block_box(d->mesh, t->layout, d->coord, box);
  if (n == 0) return -1;
  for (int k = 0; k < rank; k++) {
    to->lo[k] = box[k].lo;
    to->hi[k] = box[k].hi;
  }
  while (i < b->n && !block_equal(&b->block[i], to, rank)) i++;
  if (i < b->n) return i;
  b->bytes += (n * dtrt_dtype_size(t->dtype) + 63) / 64 * 64;
  return b->n++;
}

static BatchBlocks *blocks_of(const prefetch *p, const dtrt_entry *e) {
  BatchBlocks *b = calloc(1, sizeof *b);
  size_t most = (size_t)p->s->comm->count * (size_t)e->nin + 1;
  if (!b) return NULL;
  b->entry = e;
  b->block = calloc(most, sizeof *b->block);
  b->of = calloc(most, sizeof *b->of);
  if (!b->block || !b->of) return blocks_free(b), NULL;
  for (int d = 0; d < p->s->comm->count; d++)
    for (int i = 0; i < e->nin; i++) {
      int k = block_add(b, &p->s->device[d], i);
      b->of[d * e->nin + i] = k;
      b->asked += k >= 0;
    }
  return b;
}

static const BatchBlocks *blocks_known(prefetch *p, const dtrt_entry *e) {
  for (BatchBlocks *b = p->known; b; b = b->next)
    if (b->entry == e) return b;
  BatchBlocks *b = blocks_of(p, e);
  if (!b) return NULL;
  b->next = p->known;
  return p->known = b;
}

/* ---- the thread */

static void read_batch(prefetch *p, Batch *slot, const prefetch_batch *batch) {
  const BatchBlocks *b = blocks_known(p, batch->entry);
  slot->bad = -1;
  slot->blocks = NULL;
  snprintf(slot->why, WHY, "out of memory");
  if (!b) return;
  if (b->bytes > slot->room) {
    free(slot->data);
    slot->room = b->bytes;
    slot->data = malloc((size_t)b->bytes);
    if (!slot->data) slot->room = 0;
    if (!slot->data) return;
  }
  slot->blocks = b;
  atomic_store(&slot->left, b->asked);
  for (int i = 0; i < b->n && slot->bad < 0; i++) {
    const InputBlock *k = &b->block[i];
    slot->why[0] = '\0';
    if (data_fill(batch->set, 0, k->input, k->lo, k->hi, slot->data + k->at, slot->why))
      slot->bad = i;
  }
}

/* Until the slot is free; false: to stop. */
static bool wait_free(prefetch *p, const Batch *slot) {
  pthread_mutex_lock(&p->lock);
  while (slot->ready && !p->stop) pthread_cond_wait(&p->freed, &p->lock);
  bool go = !p->stop;
  pthread_mutex_unlock(&p->lock);
  return go;
}

static void *read_ahead(void *arg) {
  prefetch *p = arg;
  bool more = true;
  bind_loosen(p->s->bind);
  for (int64_t i = 0; more; i++) {
    Batch *slot = &p->slot[i % p->depth];
    prefetch_batch batch = {0};
    char why[WHY] = "";
    if (!wait_free(p, slot)) break;
    more = p->next(p->user, &batch, why);
    if (!more && !why[0]) break; /* that was all */
    if (more) {
      read_batch(p, slot, &batch);
    } else {
      slot->blocks = NULL;
      memcpy(slot->why, why, WHY);
    }
    more = more && slot->blocks && slot->bad < 0;
    pthread_mutex_lock(&p->lock);
    slot->ready = true;
    pthread_cond_broadcast(&p->filled);
    pthread_mutex_unlock(&p->lock);
  }
  pthread_mutex_lock(&p->lock);
  p->ended = true;
  pthread_cond_broadcast(&p->filled);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* ---- its owner */

prefetch *prefetch_start(dtrt_session *s, int depth, prefetch_next_fn *next, void *user) {
  prefetch *p = calloc(1, sizeof *p + (size_t)depth * sizeof *p->slot);
  if (!p) return NULL;
  p->s = s;
  p->depth = depth;
  p->next = next;
  p->user = user;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->filled, NULL);
  pthread_cond_init(&p->freed, NULL);
  if (!thread_start(&p->thread, read_ahead, p, "dtrt reads")) return p;
  free(p);
  return NULL;
}

static void release(prefetch *p, Batch *slot) {
  pthread_mutex_lock(&p->lock);
  slot->ready = false;
  pthread_cond_signal(&p->freed);
  pthread_mutex_unlock(&p->lock);
}

/* The slot of batch i once it is read; NULL: there are no more. */
static Batch *await(prefetch *p, int64_t i) {
  Batch *slot = &p->slot[i % p->depth];
  if (atomic_load(&slot->ready)) return slot;
  pthread_mutex_lock(&p->lock);
  while (!slot->ready && !p->ended) pthread_cond_wait(&p->filled, &p->lock);
  bool ready = slot->ready;
  pthread_mutex_unlock(&p->lock);
  return ready ? slot : NULL;
}

static bool nobody_asks(const Batch *slot) { return slot && slot->blocks && !slot->blocks->asked; }

void prefetch_take(prefetch *p, int64_t runs) {
  p->first = p->taken;
  p->taken += runs;
  p->waited = 0;
  Batch *slot = await(p, p->first);
  if (!nobody_asks(slot)) return;
  release(p, slot);
  for (int64_t i = p->first + 1; i < p->taken; i++)
    if (nobody_asks(slot = await(p, i))) release(p, slot);
}

int64_t prefetch_waited(const prefetch *p) { return p->waited; }

/* The same on a device. */
static Batch *await_run(prefetch *p, int64_t run, int device) {
  Batch *slot = &p->slot[(p->first + run) % p->depth];
  if (atomic_load(&slot->ready)) return slot;
  int64_t from = clock_ns();
  slot = await(p, p->first + run);
  if (device == p->s->comm->first) p->waited += clock_ns() - from;
  return slot;
}

int prefetch_fill(void *user, int64_t run, int device, int input, const int64_t *lo,
                  const int64_t *hi, void *to, char *why) {
  prefetch *p = user;
  Batch *slot = await_run(p, run, device);
  const BatchBlocks *b = slot ? slot->blocks : NULL;
  int64_t bytes = 1;
  int k = b ? b->of[(device - p->s->comm->first) * b->entry->nin + input] : -1;
  if (!b || slot->bad == k) {
    snprintf(why, WHY, "%s", slot ? slot->why : "no batch is left");
    return 1;
  }
  const dtrt_tensor *t = &b->entry->in[input];
  for (int i = 0; i < t->layout->rank; i++) bytes *= hi[i] - lo[i];
  memcpy(to, slot->data + b->block[k].at, (size_t)(bytes * dtrt_dtype_size(t->dtype)));
  if (atomic_fetch_sub(&slot->left, 1) == 1) release(p, slot);
  return 0;
}

void prefetch_stop(prefetch *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->stop = true;
  pthread_cond_signal(&p->freed);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  for (int i = 0; i < p->depth; i++) free(p->slot[i].data);
  for (BatchBlocks *b = p->known, *next; b; b = next) {
    next = b->next;
    blocks_free(b);
  }
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->filled);
  pthread_cond_destroy(&p->freed);
  free(p);
}
