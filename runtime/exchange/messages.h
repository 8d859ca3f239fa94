/* messages.h: an exchange under way, which its algorithm takes further as what it waits for comes;
 * and what those that send messages are made of. */
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

typedef struct CollectiveRun {
  struct Together *all;
  int step; /* how often its algorithm has been called before */
  char *scratch;
  int64_t room; /* bytes of it for parts */
  /* boxes by messages: messages.c */
  const char **term;      /* [2 * nterms]: their addresses, and a run of them */
  MessagePart first, end; /* what is posted: from `first` on, up to `end` */
  int64_t posted;    /* parts */
  bool more;
  /* all-reduces in two shots by messages: collective_messages.c */
  int64_t at, len, longest; /* bytes of every chunk: done, at a time, of the longest chunk */
  bool sums;                /* results are under way, else terms */
} CollectiveRun;

void run_begin(CollectiveRun *r, struct Together *all);
/* Calls the algorithm; what to wait for before the next call. */
RunWait run_next(CollectiveRun *r);
/* Waits in lane 0, or for messages, until it is over. `wait`: what it waits for now. */
void run_wait(CollectiveRun *r, RunWait wait);
/* Goes on with messages without waiting; true: it is over. */
bool run_turn(CollectiveRun *r);
/* What they are made of. */
void messages_send(const struct Together *t, int peer, const void *at, int64_t bytes);
void messages_recv(const struct Together *t, int peer, void *at, int64_t bytes);
int64_t messages_limit(const struct Together *t); /* bytes of scratch */

#endif
