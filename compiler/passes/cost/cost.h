/* What a plan costs in the model, in seconds of one device. The model is a sum, so that every part
 * of it can be shown beside its cause:
 *
 *   a matrix product or convolution  the larger of flops / flops rate and bytes / memory rate
 *   any other op                     flops / vector rate: loops are fused, and the rate is measured
 *                                    on loops that read and write memory
 *   a step of computation            `start` once, besides its ops
 *   an exchange                      what its algorithm takes, the one that the runtime will choose
 *                                    (runtime/exchange/algorithm_table.h): waits * latency +
 * messages * message + bytes received / bandwidth, of the slowest of its axes; + bytes of the new
 * block that were there already / memory rate
 *
 * Computation hides exchanges by messages that are in flight meanwhile: wire.h.
 * Views and sources cost nothing; the bytes of a product are its operands and its result; combined
 * exchanges are done, and cost, as one. */
#ifndef DTG_COST_H
#define DTG_COST_H
#include "algorithm.h"
#include "plan.h"

/* How exchanges that go as one, n at most COMM_BATCH, are done; copies are done by nothing. */
typedef struct ExchangePrice {
  int algorithm; /* ALGORITHM_... */
  Price price;
} ExchangePrice;
ExchangePrice cost_price(const Program *p, const Exchange *x, int n, bool in_flight);
/* Whether its messages cost more than its bytes. */
bool cost_is_brief(const Program *p, const Exchange *x);
double cost_exchange(const Program *p, const Layout *from, const Layout *to, const Shape *s,
                     DType t);
/* The same without its messages, and what they take. */
double cost_exchange_apart(const Program *p, const Layout *from, const Layout *to, const Shape *s,
                           DType t, double *latency);
/* The same of an exchange that is known, where a device's block of the result has `block` bytes. */
double cost_exchange_is(const Program *p, const Exchange *x, double block, double *latency);
/* Exchanges along one of two axes cost what those along the other do, whatever axes are besides. */
bool cost_axes_alike(const Program *p, int a, int b);
/* One device's part of op n, whose rule is r, given the layouts of its operands and result. */
double cost_op(const Program *p, const Graph *g, const Node *n, const Rule *r,
               const Layout *const *operands, const Layout *result);

typedef struct StepCost {
  double compute, exchange; /* one of the two is 0 */
  double flops;
  int64_t bytes; /* received */
  int algorithm; /* of an exchange; ALGORITHMS: there is none. Of the first, where they go as
                    several */
  int64_t messages, rounds;
  double own; /* of exchange, the device's own time for its messages */
} StepCost;
/* Operations of one device, what is computed inside its loops included; 0 for exchanges. */
double cost_step_flops(const Plan *p, const LocalEntry *le, const Step *s);
StepCost cost_step(const Plan *p, const LocalEntry *le, int step);

typedef struct AxesCost {
  uint32_t axes; /* the exchanges that move data along exactly these */
  int exchanges;
  int64_t bytes; /* received by a device, the most any does */
  double time;
} AxesCost;

typedef struct EntryCost {
  /* time is the sum of computation and exchanges, less what of these is hidden (wire.h). */
  double time, compute, exchange, hidden;
  double flops;
  int exchanges;
  int64_t bytes;
  bool unknown;       /* it has loops whose number of runs is not known: they count by region_runs */
  VEC(AxesCost) over; /* in the order in which they are first met */
  AxesCost by[ALGORITHMS]; /* each batch of a step counts */
} EntryCost;
EntryCost cost_entry(const Plan *p, const LocalEntry *le);
/* Its computation on so many cores of each device: what is dealt divides, in parts that are worth
 * it (as loops/parallel.c deals it), but is no faster than the host's memory passes what its caches
 * do not hold, by all devices at once. No plan is chosen by it: the bits of results do not depend
 * on the number of cores. */
double cost_on_cores(const Plan *p, const LocalEntry *le, int64_t cores);
/* A call where each device has so many cores, and, of fewer cores than devices of the host, where
 * these take turns. */
double cost_call_on_cores(const Plan *p, const LocalEntry *le, int64_t cores);
/* Of its exchanges by messages, [steps], the seconds that computation on so many cores hides (wire.h). */
void cost_hidden(const Plan *p, const LocalEntry *le, int64_t cores, double *hidden);

/* "1.25 ms", "830 us" in out[16]. */
const char *cost_time_text(double seconds, char *out);

#endif
