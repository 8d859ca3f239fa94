/* exchange.h: exchanges, by reading the peers' memory or by messages. */
#ifndef DTG_RUNTIME_EXCHANGE_H
#define DTG_RUNTIME_EXCHANGE_H
#include "device.h"

/* Whether no other device takes part, and then does all of it. */
bool exchange_alone(const Together *t);
/* Finds the group and the algorithm. */
void exchange_choose(Together *t);
/* What this device does in an exchange: made on first use, and kept. */
const Transfer *exchange_transfer(Device *d, const dtrt_exchange *x);
void exchange_run(Device *d, const Transfer *p, const void *from, void *to);
/* Checks the results of n exchanges. */
void exchange_check(Device *d, int n, const Transfer *const *p, void *const *to);
/* Does them, one or several as one. */
void exchange_do(Together *t);
/* What is left to do of n exchanges, when those into shared variables are done: of the first so many
 * that it has room for. How many those are. */
typedef struct ExchangesLeft {
  int n;
  const dtrt_exchange *x[COMM_BATCH];
  const void *from[COMM_BATCH];
  void *to[COMM_BATCH];
} ExchangesLeft;
int exchange_batch(Device *d, int n, const dtrt_exchange *const *x, const void *const *from,
                   void *const *to, ExchangesLeft *b);
/* Puts the first of n exchanges that can go as one into `t`, whose transfers are in p [COMM_BATCH].
 */
void exchange_gather(Device *d, int n, const dtrt_exchange *const *x, const void *const *from,
                     void *const *to, const Transfer **p, Together *t);

#endif
