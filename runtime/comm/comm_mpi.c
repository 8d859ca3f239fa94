/* comm_mpi.c: the devices are those of MPI ranks, one or several each (comm_mpi.h).
 *
 * A message goes from device to device: its rank and a tag for the pair of devices within the two
 * ranks, so that the order of one pair's messages is that of the two threads. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "comm_mpi.h"
#include "launcher.h"
#include "plural.h"

enum { CHUNK = 1 << 30 };

/* -------- messages -------- */

static MPI_Request *new_request(Box *b, int peer) {
  if (b->n == b->room) {
    int room = b->room ? 2 * b->room : 64;
    MPI_Request *r = realloc(b->request, (size_t)room * sizeof *r);
    if (r) b->request = r;
    int *p = realloc(b->peer, (size_t)room * sizeof *p);
    if (p) b->peer = p;
    if (!r || !p) return NULL;
    b->room = room;
  }
  b->peer[b->n] = peer;
  return &b->request[b->n++];
}

static int tag_of(const Comm *c, int lane, int from, int to) {
  return MPI_TAG_DEVICES + (lane * c->count + from % c->count) * c->count + to % c->count;
}

static int count_lanes(const Comm *c, MPI_Comm on) {
  int *most, given = 0;
  MPI_Comm_get_attr(on, MPI_TAG_UB, &most, &given);
  int64_t last = MPI_TAG_DEVICES + (int64_t)COMM_LANES * c->count * c->count - 1;
  return given && last <= *most ? COMM_LANES : 1;
}

/* To the peer, or from it. Counts are int in MPI, so long messages go in several; they arrive in order. */
static int start_message(Comm *c, int me, int track, int peer, bool sends, void *bytes, int64_t n) {
  Mpi *m = (Mpi *)(void *)c;
  const int tag = tag_of(c, track / COMM_TRACKS, sends ? me : peer, sends ? peer : me);
  int bad = 0;
  pthread_mutex_lock(&m->mutex);
  for (int64_t at = 0; at < n && !bad; at += CHUNK) {
    MPI_Request *r = new_request(mpi_box(m, me, track), peer);
    char *from = (char *)bytes + at;
    const int len = n - at < CHUNK ? (int)(n - at) : CHUNK, rank = peer / c->count;
    if (!r)
      bad = -1;
    else if (sends)
      MPI_Isend(from, len, MPI_BYTE, rank, tag, m->on, r);
    else
      MPI_Irecv(from, len, MPI_BYTE, rank, tag, m->on, r);
  }
  pthread_mutex_unlock(&m->mutex);
  return bad;
}

static int mpi_send(Comm *c, int me, int track, int peer, const void *bytes, int64_t n) {
  return start_message(c, me, track, peer, true, (void *)bytes, n);
}

static int mpi_recv(Comm *c, int me, int track, int peer, void *bytes, int64_t n) {
  return start_message(c, me, track, peer, false, bytes, n);
}

/* One request after the other: a test of all would look at each of them again whenever it fails. */
static int mpi_finish(Comm *c, int me, int track) {
  Mpi *m = (Mpi *)(void *)c;
  Box *b = mpi_box(m, me, track);
  int come = 1, bad = MPI_SUCCESS;
  if (b->broken) return -1;
  if (b->n == 0) return 1;
  if (pthread_mutex_trylock(&m->mutex)) return 0; /* another thread of ours moves messages on */
  for (; b->done < b->n && come && bad == MPI_SUCCESS; b->done += come)
    bad = MPI_Test(&b->request[b->done], &come, MPI_STATUS_IGNORE);
  b->broken = bad != MPI_SUCCESS;
  come = come && !b->broken;
  if (come) b->n = b->done = 0;
  pthread_mutex_unlock(&m->mutex);
  return b->broken ? -1 : come;
}

static int mpi_faces(Comm *c, const CommFace *mine, CommFace *all, double timeout, char *why) {
  return mpi_gather((Mpi *)(void *)c, mine, all, sizeof *mine, mine->at, timeout, why);
}

static void mpi_leave(Comm *c) { ((Mpi *)(void *)c)->leaves = true; }

static void mpi_close(Comm *c) {
  Mpi *m = (Mpi *)(void *)c;
  const bool leaves = m->leaves;
  int gone = 0;
  MPI_Finalized(&gone);
  if (!gone && m->on != m->given) {
    mpi_watch_drop(m);
    MPI_Comm_free(&m->on);
  }
  mpi_life_close(m);
  mpi_share_close(m);
  mpi_watch_close(m);
  for (int i = 0; m->box && i < c->count * COMM_LANES * COMM_TRACKS; i++) {
    free(m->box[i].request);
    free(m->box[i].peer);
  }
  for (int i = 0; i < NSEGMENTS; i++) free(c->segment[i]);
  free(c->host);
  free(c->slot);
  free(c->place);
  free(m->box);
  pthread_mutex_destroy(&m->mutex);
  free(m);
  if (leaves) mpi_end();
}

/* -------- opening -------- */

/* Devices of each rank, or 0 with a reason. */
static int choose_per_rank(const CommOpen *o, int nranks, char *why) {
  int n = o->ndevices, t = o->per_rank, level;
  if (!t && n % nranks == 0)
    t = n / nranks;
  else if (!t && n > nranks)
    return snprintf(
               why, COMM_WHY,
               "the mesh has %d device%s, which %d MPI ranks cannot share evenly: start it with "
               "mpiexec -n %d, or another number that divides %d",
               n, PLURAL(n), nranks, n, n),
           0;
  else if (!t || (int64_t)t * nranks != n) {
    char each[64] = "";
    if (t > 1) snprintf(each, sizeof each, " of %d devices each", t);
    int k = snprintf(why, COMM_WHY, "the mesh has %d device%s, but there are %d MPI ranks%s", n,
                     PLURAL(n), nranks, each);
    if (t && n % t)
      snprintf(why + k, COMM_WHY - (size_t)k, ": %d is not a multiple of %d", n, t);
    else
      snprintf(why + k, COMM_WHY - (size_t)k, ": start it with mpiexec -n %d", n / (t ? t : 1));
    return 0;
  }
  MPI_Query_thread(&level);
  if (t > MPI_MOST_PER_RANK)
    return snprintf(why, COMM_WHY, "%d device%s for each of %d MPI ranks: at most %d can be", t,
                    PLURAL(t), nranks, MPI_MOST_PER_RANK),
           0;
  if (t > 1 && level < MPI_THREAD_SERIALIZED)
    return snprintf(why, COMM_WHY,
                    "this program has started MPI for one thread; ranks of several devices need "
                    "MPI_Init_thread with MPI_THREAD_SERIALIZED"),
           0;
  return t;
}

static bool tables(Mpi *m, int ndevices, int count, int nranks) {
  Comm *c = &m->comm;
  size_t n = (size_t)ndevices, t = (size_t)count;
  c->slot = calloc(n, sizeof *c->slot);
  c->place = calloc(n, sizeof *c->place);
  c->host = calloc((size_t)nranks, sizeof *c->host);
  bool fine = c->slot && c->place && c->host;
  for (int i = 0; i < NSEGMENTS; i++) fine = (c->segment[i] = calloc(n, sizeof(char *))) && fine;
  m->index = calloc(n, sizeof *m->index);
  m->box = calloc(t * COMM_LANES * COMM_TRACKS, sizeof *m->box);
  m->state = calloc(t, sizeof *m->state);
  m->reply = calloc(n, sizeof *m->reply);
  m->got = calloc((size_t)nranks, 1);
  m->pid = calloc((size_t)nranks, sizeof *m->pid);
  return fine && m->pid && m->index && m->box && m->state && m->reply && m->got;
}

/* Exchanges identities, makes a communicator of our own, and finds what can be shared. */
static bool meet(Mpi *m, double timeout, char *why) {
  Comm *c = &m->comm;
  Hello mine, *all = calloc((size_t)c->nranks, sizeof *all);
  MPI_Request r;
  MPI_Comm own;
  if (!all) return snprintf(why, COMM_WHY, "out of memory"), false;
  mpi_hello(&mine);
  mine.ndevices = c->ndevices;
  mine.per_rank = c->count;
  if (mpi_gather(m, &mine, all, sizeof mine, "the start", timeout, why)) return false;
  for (int i = 0; i < c->nranks; i++) {
    all[i].host[COMM_HOST - 1] = 0;
    memcpy(c->host[i], all[i].host, COMM_HOST);
    m->pid[i] = all[i].pid;
    if (all[i].ndevices == all[0].ndevices && all[i].per_rank == all[0].per_rank) continue;
    snprintf(
        why, COMM_WHY,
        "rank %d on host %s has a mesh of %d device%s, %d of them its own, but rank 0 one of %d "
        "and %d; all ranks must run the same program with the same arguments",
        i, all[i].host, all[i].ndevices, PLURAL(all[i].ndevices), all[i].per_rank, all[0].ndevices,
        all[0].per_rank);
    free(all);
    return false;
  }
  MPI_Comm_idup(m->given, &own, &r);
  mpi_must_wait(m, &r);
  m->on = own;
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN); /* finish reports */
  mpi_share_hosts(m, all);
  free(all);
  return mpi_life_open(m, why) && mpi_share_open(m, why) == 0;
}

Comm *dtrt_comm_open_mpi(const CommOpen *o, char *why) {
  static const CommVerbs verbs = {.name = "mpi",
                                  .segment = mpi_segment,
                                  .faces = mpi_faces,
                                  .send = mpi_send,
                                  .recv = mpi_recv,
                                  .finish = mpi_finish,
                                  .watch = mpi_watch,
                                  .fail = mpi_fail,
                                  .leave = mpi_leave,
                                  .close = mpi_close};
  if (!mpi_start(o->timeout, why)) return NULL;
  int all;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (!launcher_agrees(all, MPI_IS_OPEN, why, COMM_WHY)) return NULL;
  MPI_Comm on = o->mpi_comm ? *(const MPI_Comm *)o->mpi_comm : MPI_COMM_WORLD;
  int rank, nranks;
  MPI_Comm_rank(on, &rank);
  MPI_Comm_size(on, &nranks);
  CommOpen how = *o;
  if (!how.ndevices) how.ndevices = nranks;
  int count = choose_per_rank(&how, nranks, why);
  Mpi *m = count ? calloc(1, sizeof *m) : NULL;
  if (!count) return NULL;
  snprintf(why, COMM_WHY, "out of memory");
  if (!m) return NULL;
  m->given = m->on = on;
  m->slow = o->slow;
  pthread_mutex_init(&m->mutex, NULL);
  m->comm = (Comm){.verbs = &verbs,
                   .ndevices = how.ndevices,
                   .first = rank * count,
                   .count = count,
                   .rank = rank,
                   .nranks = nranks,
                   .nhosts = 1,
                   .timeout = o->timeout,
                   .failed = &m->failed};
  m->comm.lanes = count_lanes(&m->comm, on);
  int level;
  MPI_Query_thread(&level);
  m->comm.any_thread = level >= MPI_THREAD_SERIALIZED;
  if (tables(m, how.ndevices, count, nranks) && meet(m, o->timeout, why)) return &m->comm;
  mpi_close(&m->comm);
  return NULL;
}
