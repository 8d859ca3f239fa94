/* comm_mpi_watch.c: who is missing, when a wait takes too long.
 *
 * A waiting process polls some 20 times a second for queries of its position, and answers;
 * a process that computes, is stopped or is dead does not. Whoever has waited for the whole timeout
 * queries all others, and goes from the devices it waits for to those that they wait for, until one
 * does not wait: that one is missing. Of several that query, the lowest rank goes on, and should
 * its query have come too late to the others, one of a host reports. Long before, after m->slow,
 * the same query is only for a warning. Nothing of this costs a wait that is short. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "comm_mpi.h"

typedef struct StateAnswer {
  struct StateAnswer *next; /* until the transport closes: MPI may still read it */
  int64_t question;
  CommState state[];
} StateAnswer;

static double grace(double timeout) { return timeout < 8 ? 2 : timeout > 40 ? 10 : timeout / 4; }

static int answer_bytes(const Mpi *m) {
  return (int)(sizeof(StateAnswer) + (size_t)m->comm.count * sizeof(CommState));
}

/* With the mutex held, as all that follows but for look_for_missing. */
static void answer(Mpi *m, double timeout) {
  for (;;) {
    int there = 0;
    int64_t question;
    MPI_Status st;
    MPI_Request r;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_TAG_ASK, m->on, &there, &st);
    if (!there) return;
    MPI_Recv(&question, 8, MPI_BYTE, st.MPI_SOURCE, MPI_TAG_ASK, m->on, MPI_STATUS_IGNORE);
    if (st.MPI_SOURCE < m->comm.rank) m->stand_down = comm_now() + 3 * grace(timeout);
    StateAnswer *a = calloc(1, (size_t)answer_bytes(m));
    if (!a) return;
    a->next = m->answers;
    m->answers = a;
    a->question = question;
    memcpy(a->state, m->state, (size_t)m->comm.count * sizeof *m->state);
    if (!MPI_Isend(a, answer_bytes(m), MPI_BYTE, st.MPI_SOURCE, MPI_TAG_ANSWER, m->on, &r))
      MPI_Request_free(&r);
  }
}

/* Answers to the question that runs; how many ranks have not given theirs. */
static int take_answers(Mpi *m, StateAnswer *a) {
  Comm *c = &m->comm;
  for (;;) {
    int there = 0, missing = 0;
    MPI_Status st;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_TAG_ANSWER, m->on, &there, &st);
    for (int i = 0; i < c->nranks; i++) missing += !m->got[i];
    if (!there) return missing;
    MPI_Recv(a, answer_bytes(m), MPI_BYTE, st.MPI_SOURCE, MPI_TAG_ANSWER, m->on, MPI_STATUS_IGNORE);
    if (a->question != m->asked) continue; /* of an earlier one */
    m->got[st.MPI_SOURCE] = 1;
    memcpy(&m->reply[st.MPI_SOURCE * c->count], a->state, (size_t)c->count * sizeof *a->state);
  }
}

static void ask(Mpi *m) {
  Comm *c = &m->comm;
  m->asked++;
  memset(m->got, 0, (size_t)c->nranks);
  m->got[c->rank] = 1;
  for (int i = 0; i < c->nranks; i++) {
    MPI_Request r;
    if (i == c->rank) continue;
    if (!MPI_Isend(&m->asked, 8, MPI_BYTE, i, MPI_TAG_ASK, m->on, &r)) MPI_Request_free(&r);
  }
}

/* -------- from answers to words -------- */

static void add(char *why, const char *text) {
  size_t n = strlen(why);
  snprintf(why + n, COMM_WHY - n, "%s", text);
}

static void add_rank(Mpi *m, char *why, int rank) {
  char text[COMM_HOST + 64];
  const Comm *c = &m->comm;
  const char *host = c->host[rank]; /* "" when it has not connected */
  snprintf(text, sizeof text, "rank %d%s%s", rank, *host ? " on host " : "", host);
  add(why, text);
}

/* Of a process of this host: whether a signal has stopped it. */
static bool is_stopped(const Mpi *m, int rank) {
  char path[64], text[512];
  if (m->index[rank * m->comm.count] < 0) return false;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)m->pid[rank]);
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[n] = 0;
  const char *name = strrchr(text, ')');
  return name && name[1] == ' ' && (name[2] == 'T' || name[2] == 't');
}

/* Before the first meeting its number is not known. */
static void add_process(Mpi *m, char *why, int rank) {
  char text[64];
  if (!m->pid[rank]) return;
  snprintf(text, sizeof text, " (process %d%s)", (int)m->pid[rank],
           is_stopped(m, rank) ? ", stopped" : "");
  add(why, text);
}

enum { MISSING = 1, WAITS = 2 };

/* Marks the devices that `from` waits for, and those that they wait for. Returns where the first
 * that is missing is waited for. */
static const char *follow(Mpi *m, const CommState *from, char *mark, int *queue) {
  Comm *c = &m->comm;
  int n = 0, at = 0;
  const CommState *s = from;
  const char *place = NULL;
  memcpy(&m->reply[c->first], m->state, (size_t)c->count * sizeof *m->state);
  for (;;) {
    bool all = s->npeers == COMM_ALL;
    for (int i = 0; i < (all ? c->ndevices : s->npeers) && i < (all ? c->ndevices : COMM_PEERS);
         i++) {
      int device = all ? i : s->peer[i];
      if (device < 0 || device >= c->ndevices || mark[device]) continue;
      if (all && device / c->count == c->rank) continue;
      mark[device] = m->got[device / c->count] && m->reply[device].waits ? WAITS : MISSING;
      if (mark[device] == WAITS)
        queue[n++] = device;
      else if (!place)
        place = s->at;
    }
    if (at == n) return place;
    s = &m->reply[queue[at++]];
  }
}

/* "rank 3 on host b" and the like, for all that are marked; how many. */
static int name_missing(Mpi *m, const char *mark, bool processes, char *why) {
  Comm *c = &m->comm;
  int ranks = 0, named = 0;
  why[0] = 0;
  for (int r = 0; r < c->nranks; r++) {
    int n = 0, device = -1;
    for (int i = r * c->count; i < (r + 1) * c->count; i++)
      if (mark[i] == MISSING) n++, device = i;
    if (!n) continue;
    if (ranks++ == 4) add(why, " and others");
    if (ranks > 4) continue;
    add(why, named++ ? ", " : "");
    if (n < c->count && m->got[r]) {
      char text[32];
      snprintf(text, sizeof text, "device %d of ", device);
      add(why, text);
    }
    add_rank(m, why, r);
    if (processes) add_process(m, why, r);
  }
  return ranks;
}

static void describe_all(Mpi *m, const char *mark, char *why) {
  Comm *c = &m->comm;
  int named = 0;
  snprintf(why, COMM_WHY, "no rank is missing, but they wait for each other: rank %d is at %s",
           c->rank, m->reply[c->first].waits ? m->reply[c->first].at : "another place");
  for (int i = 0; i < c->ndevices && named < 3; i++) {
    if (mark[i] != WAITS || i / c->count == c->rank) continue;
    if (!strcmp(m->reply[i].at, m->reply[c->first].at) && named) continue;
    named++;
    add(why, ", ");
    add_rank(m, why, i / c->count);
    add(why, " at ");
    add(why, m->reply[i].at);
  }
}

static int conclude(Mpi *m, const CommState *from, double timeout, bool warns, char *why) {
  Comm *c = &m->comm;
  char *mark = calloc((size_t)c->ndevices, 1), text[COMM_AT + 64];
  int *queue = calloc((size_t)c->ndevices, sizeof *queue), missing = 0;
  if (mark && queue) {
    const char *place = follow(m, from, mark, queue);
    missing = name_missing(m, mark, warns, why);
    if (missing && warns) {
      snprintf(text, sizeof text, " %s not reached %.*s for %.3g s", missing > 1 ? "have" : "has",
               COMM_AT - 1, place, timeout);
      add(why, text);
    } else if (warns) {
      missing = 0;
    } else if (missing) {
      snprintf(text, sizeof text, " did not reach %.*s within %g s", COMM_AT - 1, place, timeout);
      add(why, text);
    } else if (++m->fruitless > 2) {
      missing = 1;
      describe_all(m, mark, why);
    }
  }
  free(mark);
  free(queue);
  return missing ? -1 : 0;
}

/* -1: somebody is missing, or all wait for each other. `warns`: only the first counts, and the
 * query is short, since what is awaited may come meanwhile. */
static int look_for_missing(Mpi *m, const CommState *from, double timeout, bool warns, char *why) {
  Comm *c = &m->comm;
  StateAnswer *a = malloc((size_t)answer_bytes(m));
  if (!a) return 0;
  double end = comm_now() + (warns ? 0.3 : grace(timeout));
  pthread_mutex_lock(&m->mutex);
  ask(m);
  int missing = 1, found = 0;
  while (missing && comm_now() < end && comm_now() >= m->stand_down) {
    missing = take_answers(m, a);
    answer(m, timeout);
    pthread_mutex_unlock(&m->mutex);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    pthread_mutex_lock(&m->mutex);
  }
  if (comm_now() >= m->stand_down && !atomic_load(c->failed))
    found = conclude(m, from, timeout, warns, why);
  pthread_mutex_unlock(&m->mutex);
  free(a);
  return found;
}

/* -------- what waits call -------- */

static int look(Mpi *m, const CommState *from, double waited, double timeout, char *why) {
  pthread_mutex_lock(&m->mutex);
  answer(m, timeout);
  int dead = mpi_life_look(m, from, why);
  bool free = !dead && !m->asking && comm_now() >= m->stand_down;
  bool late = free && timeout > 0 && waited >= timeout;
  bool warns = free && !late && m->slow > 0 && waited >= m->slow;
  if (late || warns) m->asking = true;
  if (warns) m->slow *= 2; /* a rank that is slow again and again is named more and more rarely */
  pthread_mutex_unlock(&m->mutex);
  if (!late && !warns) return dead;
  int found = look_for_missing(m, from, late ? timeout : waited, warns, why);
  pthread_mutex_lock(&m->mutex);
  m->asking = false;
  pthread_mutex_unlock(&m->mutex);
  if (found && !warns) mpi_life_await_word(m);
  if (!warns) return found;
  if (found) fprintf(stderr, "warning: %s\n", why);
  return 0;
}

/* The devices whose messages have not come or gone. */
static void peers_of_messages(Mpi *m, int me, CommState *s) {
  s->npeers = 0;
  for (int track = 0; track < COMM_LANES * COMM_TRACKS; track++) {
    Box *b = mpi_box(m, me, track);
    for (int i = 0; i < b->n && s->npeers < COMM_PEERS; i++) {
      int done = 1, known = 0;
      MPI_Status st;
      if (b->request[i] != MPI_REQUEST_NULL) MPI_Request_get_status(b->request[i], &done, &st);
      for (int k = 0; k < s->npeers; k++) known |= s->peer[k] == b->peer[i];
      if (!done && !known) s->peer[s->npeers++] = b->peer[i];
    }
  }
}

int mpi_watch(Comm *c, int me, const CommState *state, double waited, char *why) {
  Mpi *m = (Mpi *)(void *)c;
  CommState *mine = &m->state[me - c->first];
  pthread_mutex_lock(&m->mutex);
  *mine = state ? *state : (CommState){0};
  if (state && state->npeers == COMM_MESSAGES) peers_of_messages(m, me, mine);
  if (!state) m->fruitless = 0;
  CommState now = *mine;
  pthread_mutex_unlock(&m->mutex);
  return state ? look(m, &now, waited, c->timeout, why) : 0;
}

int mpi_watch_all(Mpi *m, const CommState *state, double waited, double timeout, char *why) {
  for (int i = 0; i < m->comm.count; i++) m->state[i] = state ? *state : (CommState){0};
  if (!state) m->fruitless = 0;
  return state ? look(m, state, waited, timeout, why) : 0;
}

void mpi_watch_drop(Mpi *m) {
  for (int tag = MPI_TAG_ASK; tag <= MPI_TAG_ANSWER; tag++)
    for (;;) {
      int there = 0, bytes = 0;
      MPI_Status st;
      MPI_Iprobe(MPI_ANY_SOURCE, tag, m->on, &there, &st);
      if (there) MPI_Get_count(&st, MPI_BYTE, &bytes);
      char *to = there ? malloc((size_t)bytes + 1) : NULL;
      if (!to) break;
      MPI_Recv(to, bytes, MPI_BYTE, st.MPI_SOURCE, tag, m->on, MPI_STATUS_IGNORE);
      free(to);
    }
}

void mpi_watch_close(Mpi *m) {
  for (StateAnswer *a = m->answers, *next; a; a = next) {
    next = a->next;
    free(a);
  }
  free(m->state);
  free(m->reply);
  free(m->got);
  free(m->pid);
}
