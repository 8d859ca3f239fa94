/* Measuring this machine for a machine file: calibrate.c is the command, calibrate_probe.c measures
 * products and exchanges on the devices themselves, calibrate_fit.c makes rates of the times. */
#ifndef DTG_CALIBRATE_H
#define DTG_CALIBRATE_H
#include "arena.h"
#include "dtrt.h"
#include "machine.h"
#include <stdbool.h>

/* -------- calibrate_probe.c: a session of a program written by hand -------- */

enum { PROBE_ALL_REDUCE, PROBE_ALL_GATHER, PROBE_ALL_TO_ALL, PROBE_HALO, PROBE_KINDS };
enum { PROBE_SIZES = 5, PROBE_PRODUCTS = 3 };

typedef struct Probe Probe;
/* NULL when out of memory; *error is malloc'ed and set when the session cannot start. */
Probe *probe_open(const char *transport, int devices, char **error);
void probe_close(Probe *p);
/* Seconds, the median of several rounds of the slowest device; all devices work at once. Below 0:
 * it failed, and probe_error has the reason. All ranks must make the same calls in the same order.
 */
double probe_product(Probe *p, int which, bool quick);
/* Of reading `bytes` of a device's own once, which lie where reading them before has left them: the
 * fastest round, since a cache is never faster than it is. */
double probe_read(Probe *p, int64_t bytes, bool quick);
int64_t probe_read_most(void); /* bytes */
double probe_exchange(Probe *p, int kind, int size, bool quick);
const char *probe_error(const Probe *p);
/* By what the devices have done their exchanges. */
LinkBy probe_by(const Probe *p);
int64_t probe_product_size(int which);  /* of a square product */
int64_t probe_exchange_count(int size); /* elements of the whole tensor, f32 */
const char *probe_exchange_name(int kind);
void probe_shape(int kind, int size, Shape *out);
/* As the runtime has them, for the same mesh [d]. */
const dtrt_exchange *probe_tables(int kind, int size);

double probe_now(void); /* seconds */
/* Sorts x. *noise (or NULL) becomes the largest of itself and median / least. */
double probe_median(double *x, int n, double *noise);
double probe_noise(const Probe *p);

/* calibrate_read.c: reads `bytes`, a multiple of 512, at a multiple of 64; the sum of what is
 * there. */
int64_t read_stream(const char *at, int64_t bytes);

/* -------- calibrate_fit.c -------- */

/* One measured exchange: the model says messages * latency + bytes / bandwidth + rest, where a wait
 * counts as a message, and a message of a device's own as a tenth. */
typedef struct Sample {
  int kind;
  int64_t count;
  double messages, bytes, rest, time;
} Sample;

/* The modelled time of exchange (kind, size) on n devices whose memory rate is given. */
Sample fit_sample(Arena *a, int devices, LinkBy by, int kind, int size, double memory_bandwidth);
/* The link that comes nearest to all samples, each weighed by its own time. */
Link fit_link(const Sample *s, int n);
double fit_error(const Link *l, const Sample *s); /* of one: modelled / measured - 1 */

#endif
