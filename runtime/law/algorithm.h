/* algorithm.h: a collective algorithm, as the runtime runs it and the compiler's cost model prices
 * it.
 *
 * Law: `fits` and `price` depend on Collective and Speed alone, which are the same on all devices
 * of a group, so that all choose the same algorithm without communication
 * (exchange/algorithm_table.h). Every algorithm gives the same bits: those of one order of sums.
 *
 * To add one: a file in runtime/exchange with its three functions and its struct, and a row in
 * algorithms.def. */
#ifndef DTG_RUNTIME_ALGORITHM_H
#define DTG_RUNTIME_ALGORITHM_H
#include <stdbool.h>
#include "dtrt.h"
#include "places.h"

enum {
  COMM_STAGE_BYTES = 4096, /* a slot's stage: blocks that fit are read with one barrier, not two */
  COMM_LANE_BYTES = 1024,  /* the same of an exchange in flight */
  COMM_LINE = 64,          /* bytes of a cache line */
  COMM_SCRATCH = 4 << 20,  /* bytes of memory that an exchange by messages takes (exchange.c) ... */
  COMM_MOST_SCRATCH = 64 << 20, /* ... and an all-reduce where latency times bandwidth is much */
  COMM_PIECES = 4,              /* that are under way at a time, by messages */
  COMM_PIECE = 64 << 10,        /* bytes of each to one peer, where latency asks for no more */
  COMM_BATCH = 32               /* tensors of exchanges that go as one */
};

/* One exchange, or several that go as one. */
typedef struct Collective {
  bool all_reduce;    /* terms are combined where the blocks stay; else boxes move */
  bool direct;        /* all of the group can read each other's memory; else: */
  PlacesShape places; /* which can, ... */
  PlacesShape team;   /* ... of those that have the terms of one element, */
  int64_t twins;      /* and of a place, how many need the same box, at most */
  bool in_flight;     /* started early: its stage and its scratch are those of an in-flight slot */
  int64_t group;      /* devices */
  int64_t terms;      /* of each element of the result; 1: nothing is combined */
  int64_t size;       /* bytes of an element */
  int64_t wide;       /* and of a sum of several that is not rounded yet (sum_type.h) */
  int64_t copies; /* groups of a place that do the same, each a share of it; at least 1 */
  int64_t share;  /* of `most` what one of them combines */
  int64_t most;   /* bytes of the largest block of the operand; of all that go as one, the sum */
  int64_t staged; /* the same where every block but the last takes whole lines */
  /* Of boxes, of the device that receives most; a program that does not say it leaves 0. */
  int64_t received, senders;
  int64_t run;   /* bytes of a box that lie together at both ends, at least */
  int64_t boxes; /* that come: of several exchanges, from all senders of each */
} Collective;

/* The slowest of the links that it goes over. */
typedef struct Speed {
  double bandwidth; /* bytes a second that a device receives while it sends as many */
  double latency;   /* seconds until another has word */
  double message;   /* seconds of a device's own for each message */
} Speed;

/* Of the device that has most. */
typedef struct Price {
  int64_t bytes;          /* received */
  int64_t peers;          /* that it hears from */
  int64_t far;            /* of the bytes, those by messages */
  int64_t messages;       /* received; 0 where memory is read */
  int64_t rounds;         /* times that it waits for others while nothing is under way */
  int64_t local;          /* of these, for others of its place, in an exchange by messages */
  double waiting, moving; /* seconds */
  double own;             /* of `waiting`, those in which the device itself sends and receives */
} Price;

struct CollectiveRun; /* messages.h */
typedef enum RunWait {
  RUN_OVER,
  RUN_ARRIVE,   /* until all of the group have come as far */
  RUN_LEAVE,    /* until all of the group have read what is mine */
  RUN_MESSAGES, /* until all messages posted on the run's track have come and gone ... */
  RUN_PIECE     /* ... while other pieces are under way */
} RunWait;

typedef struct CollectiveAlgorithm {
  const char *name;
  bool (*fits)(const Collective *c);
  /* All but the seconds, which collective_price makes of the rest. */
  Price (*price)(const Collective *c, const Speed *s);
  /* Does what comes next and says what to wait for before it is called again. */
  RunWait (*run)(struct CollectiveRun *r);
} CollectiveAlgorithm;

enum {
#define ALGORITHM(NAME) ALGORITHM_##NAME,
#include "algorithms.def"
  ALGORITHMS
};

/* One more to go with those before, which may be none: over the same axes, of the same type where
 * they are all-reduces. */
void collective_add(Collective *all, const Collective *one);

/* Sets copies and share. */
void collective_share(Collective *c, int64_t copies);

Speed speed_default(void); /* where a program carries none */
Speed speed_slower(Speed a, Speed b);

/* What both sides of the algorithms measure by. */
int64_t collective_stage(const Collective *c); /* bytes */
/* Elements of every chunk that go at a time by messages. */
int64_t collective_piece(const Collective *c, const Speed *s);
/* Bytes that COMM_PIECES such pieces take for terms, and for sums. */
int64_t collective_terms_room(const Collective *c, int64_t piece);
int64_t collective_sums_room(const Collective *c, int64_t piece);
/* Elements of a box that go at a time by messages. */
int64_t collective_part(const Collective *c);
/* Of a box of so many, in runs, at most `most`: so that all copies have a part. */
int64_t collective_box_part(const Collective *c, int64_t most, int64_t box, int64_t run);
static inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
/* Bytes that a device receives where each device combines one of `group` chunks. They are blocks by
 * the block law, so the device with the largest, k of n elements, receives (group - 1) k terms and
 * the n - k other sums. */
static inline int64_t collective_chunked(const Collective *c) {
  int64_t n = c->most / c->size;
  return (n + (c->group - 2) * divide_up(n, c->group)) * c->size;
}

#endif
