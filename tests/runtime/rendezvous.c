/* rendezvous.c: threads whose memory is not shared: the transport of threads with messages instead,
 * none of which is buffered. A send is complete when its receive is posted, so what an order of
 * sends and receives relies on MPI's own buffers for hangs here. Both ends must mean as many bytes,
 * and at the end nothing may be left over. TEST_HOSTS says on how many hosts the devices are, in a
 * row or "in turns", which share their memory; else each is alone. Takes the place of
 * comm_open_threads when linked in. */
#define comm_open_threads open_sharing
#include "../../runtime/comm/comm_threads.c"
#include <pthread.h>
#include <stdint.h>
#undef comm_open_threads

typedef struct Post {
  struct Post *next;
  bool is_send;
  int track;
  char *at;
  int64_t bytes;
} Post;

enum { DEVICES = 64 };
typedef struct Mail {
  Comm comm; /* first: what the session sees */
  Comm *real;
  Slot **real_slot;
  pthread_mutex_t mutex;
  Post *unmet[COMM_LANES][DEVICES][DEVICES];   /* [][from][to], oldest first, all of one kind */
  int open[DEVICES][COMM_LANES * COMM_TRACKS]; /* posts of a device that are not over */
} Mail;

static int post(Comm *c, int me, int track, int other, bool is_send, char *at, int64_t bytes) {
  Mail *m = (Mail *)(void *)c;
  const int lane = track / COMM_TRACKS;
  if (bytes <= 0 || me == other) abort();
  pthread_mutex_lock(&m->mutex);
  Post **p = is_send ? &m->unmet[lane][me][other] : &m->unmet[lane][other][me], *met = *p;
  if (met && met->is_send != is_send) {
    if (met->bytes != bytes) {
      fprintf(stderr, "device %d and %d: a message of %ld and of %ld bytes\n", me, other,
              (long)bytes, (long)met->bytes);
      abort();
    }
    memcpy(is_send ? met->at : at, is_send ? at : met->at, (size_t)bytes);
    *p = met->next;
    m->open[other][met->track]--;
    free(met);
  } else {
    while (*p) p = &(*p)->next;
    *p = malloc(sizeof **p);
    **p = (Post){.is_send = is_send, .track = track, .at = at, .bytes = bytes};
    m->open[me][track]++;
  }
  pthread_mutex_unlock(&m->mutex);
  return 0;
}

static int mail_send(Comm *c, int me, int track, int peer, const void *bytes, int64_t n) {
  return post(c, me, track, peer, true, (char *)(uintptr_t)bytes, n);
}
static int mail_recv(Comm *c, int me, int track, int peer, void *bytes, int64_t n) {
  return post(c, me, track, peer, false, bytes, n);
}
static int mail_finish(Comm *c, int me, int track) {
  Mail *m = (Mail *)(void *)c;
  pthread_mutex_lock(&m->mutex);
  int open = m->open[me][track];
  pthread_mutex_unlock(&m->mutex);
  return open == 0;
}

static int mail_segment(Comm *c, int which, int64_t bytes, char *why) {
  Mail *m = (Mail *)(void *)c;
  int status = m->real->verbs->segment(m->real, which, bytes, why);
  m->comm.segment_bytes[which] = m->real->segment_bytes[which];
  return status;
}
static void mail_close(Comm *c) {
  Mail *m = (Mail *)(void *)c;
  for (int i = 0; i < COMM_LANES * DEVICES * DEVICES; i++) {
    int lane = i / DEVICES / DEVICES, from = i / DEVICES % DEVICES, to = i % DEVICES;
    if (!m->unmet[lane][from][to]) continue;
    fprintf(stderr, "a message between %d and %d of lane %d is left over\n", from, to, lane);
    abort();
  }
  m->real->verbs->close(m->real);
  free(m->comm.place);
  if (m->comm.slot != m->real_slot) free(m->comm.slot);
  free(m);
}

Comm *comm_open_threads(const CommOpen *o, char *why) {
  static const CommVerbs verbs = {.name = "threads",
                                  .segment = mail_segment,
                                  .send = mail_send,
                                  .recv = mail_recv,
                                  .finish = mail_finish,
                                  .close = mail_close};
  Comm *real = o->ndevices <= DEVICES ? open_sharing(o, why) : NULL;
  if (!real) return NULL;
  Mail *m = calloc(1, sizeof *m);
  m->comm = *real;
  m->real = real;
  m->comm.verbs = &verbs;
  m->comm.all_direct = false;
  m->comm.lanes = COMM_LANES;
  m->comm.any_thread = true;
  m->comm.place = calloc(DEVICES, sizeof *m->comm.place);
  const char *said = getenv("TEST_HOSTS"); /* "2", or "2 in turns" */
  const int hosts = said ? atoi(said) : o->ndevices;
  for (int i = 0; i < o->ndevices; i++)
    m->comm.place[i] =
        said && strchr(said, ' ') ? i % hosts : (int)((int64_t)i * hosts / o->ndevices);
  m->real_slot = real->slot;
  if (!said) m->comm.slot = calloc(DEVICES, sizeof *m->comm.slot); /* no send is buffered */
  pthread_mutex_init(&m->mutex, NULL);
  return &m->comm;
}
