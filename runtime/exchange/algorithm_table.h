/* algorithm_table.h: the table of collective algorithms, and the choice among them.
 *
 * Law: collective_choose is the only place that decides, for the runtime and for the compiler's
 * cost model: of the algorithms that fit the one of the lowest price, the first of equals. Except
 * for `run`, which only the runtime calls, nothing behind this header uses devices, memory or
 * transports. */
#ifndef DTG_RUNTIME_ALGORITHM_TABLE_H
#define DTG_RUNTIME_ALGORITHM_TABLE_H
#include "algorithm.h"

const CollectiveAlgorithm *collective_algorithm(int which);

/* Its number. There is always one. */
int collective_choose(const Collective *c, const Speed *s);
/* With seconds: by messages every round takes the latency and every message its time; where memory
 * is read the latency counts for every doubling of those who hear from one another, however often
 * they wait (docs/decisions.md says why). A group of one waits for none and moves nothing. */
Price collective_price(int which, const Collective *c, const Speed *s);

#endif
