/* messages.h: an exchange under way, which its algorithm takes further as what it waits for comes;
 * and what those that send messages are made of.
 *
 * Law: who posts a message drives it until it has come or gone, and does not leave the exchange
 * before. So no device depends on one that is past it, whether that computes, has left the entry
 * or is in another session: of tracks that it has posted on a device waits for every one, receives
 * and sends alike; a barrier (RUN_ARRIVE, RUN_LEAVE) it enters while none of the exchange is under
 * way; what is in flight goes on in every wait and at each step, and waited for within the entry.
 * Both ends of a pair post their messages of a lane in one order, which is all that matches them.
 * runtime_exchanges_*_random and multi_sessions_* test this. */
#ifndef DTG_RUNTIME_MESSAGES_H
#define DTG_RUNTIME_MESSAGES_H
#include <stdbool.h>
#include <stdint.h>
#include "algorithm.h"

struct Together;

/* Part `part` of the pieces of one round of an exchange. */
typedef struct MessagePart {
  int of; /* which of the exchanges that go as one */
  int recv, recv_end, send, send_end;
  int64_t number;
} MessagePart;

typedef struct MessageBatch { /* parts that go at a time */
  MessagePart first;
  int64_t parts;
} MessageBatch;

typedef struct CollectiveRun {
  struct Together *all;
  int step;     /* how often its algorithm has been called before */
  int track;    /* of its lane: what RUN_MESSAGES waits for */
  RunWait wait; /* what it waits for now */
  uint64_t use; /* of its lane */
  char *scratch;
  /* boxes by messages: messages.c */
  char *room;                      /* for what is combined at a time */
  int64_t each;                    /* bytes of scratch of a track */
  MessageBatch batch[COMM_PIECES]; /* of tracks: what is posted */
  MessagePart end;                 /* what is next */
  bool more;
  /* all-reduces by messages: two_shot.c, one_shot.c */
  int64_t pieces, piece, len; /* all of them; that is next; elements of each chunk in one */
  int have;                   /* places whose terms have come */
  bool waited, taken;         /* for the terms of the piece; for sums that its track had */
} CollectiveRun;

void run_begin(CollectiveRun *r, struct Together *all, uint64_t use);
/* Calls the algorithm; what to wait for before the next call. */
RunWait run_next(CollectiveRun *r);
/* Waits until it is over. `wait`: what it waits for now. */
void run_wait(CollectiveRun *r, RunWait wait);
/* Goes on without waiting; true: it is over. */
bool run_turn(CollectiveRun *r);
/* What they are made of; `track` is one of its lane. */
void messages_send(const struct Together *t, int track, int peer, const void *at, int64_t bytes);
void messages_recv(const struct Together *t, int track, int peer, void *at, int64_t bytes);

#endif
