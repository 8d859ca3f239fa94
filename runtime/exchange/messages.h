/* messages.h: an exchange by messages, which goes on as they come. */
#ifndef DTG_RUNTIME_MESSAGES_H
#define DTG_RUNTIME_MESSAGES_H
#include <stdbool.h>
#include <stdint.h>

struct Together;

/* Part `part` of the pieces of one round of an exchange. */
typedef struct Part {
  int of; /* which of the exchanges that go as one */
  int recv, recv_end, send, send_end;
  int64_t number;
} Part;

typedef struct Messages {
  const struct Together *all;
  /* Called when all that was posted has come and gone: takes it, and posts what is next. False:
   * there is nothing more. */
  bool (*next)(struct Messages *m);
  char *scratch;
  int64_t room; /* bytes of it for parts */
  /* exchanges that are no all-reduces: messages.c */
  const char **term; /* [2 * nterms]: where they lie, and a run of them */
  Part first, end;   /* what is posted: from `first` on, up to `end` */
  int64_t posted;    /* parts */
  bool more;
  /* all-reduces: collective_messages.c */
  int64_t at, len, longest; /* bytes of every chunk: done, at a time, of the longest chunk */
  bool sums;                /* results are under way, else terms */
} Messages;

/* Posts the first messages. `all` stays until the end. */
void messages_begin(Messages *m, const struct Together *all);
/* Goes on without waiting; true: it is over. */
bool messages_turn(Messages *m);
void messages_wait(Messages *m);
/* What they are made of. */
void messages_send(const struct Together *t, int peer, const void *at, int64_t bytes);
void messages_recv(const struct Together *t, int peer, void *at, int64_t bytes);
int64_t messages_limit(const struct Together *t); /* bytes of scratch */
void messages_boxes(Messages *m);
void messages_all_reduce(Messages *m);

#endif
