/* nan.h: detects new NaN and infinity: --check-nan, dtrt_options.check_nan.
 *
 * Cheap: after each call outputs and variables, and exchanges as they run; of tensors above
 * NAN_WHOLE elements each call checks another 64th, or as much as is 128 KiB if that is less: a
 * call may touch a few rows of a large table alone. That reads so little beside the call itself
 * that it costs next to nothing, and a lasting value is found within 64 calls, or of tensors above
 * 8 MiB as many as they have parts of 128 KiB. A finding is an output or a variable that is not
 * finite while inputs and variables were finite before; the first exchange with such a value is
 * reported too. Inputs are checked only then: those of a host are still available; rows that were
 * filled in are checked by their reader (data_finite). Nothing is stopped. A program whose
 * variables hold infinities by design has them from the beginning, or is warned once.
 *
 * Full: every value after the step that computes it. The finding is the first in program order, of
 * the lowest device, that is NaN though no operand is, or infinite though all operands are finite.
 * Infinite constants, ops that move or choose elements, and the maximum of nothing are not
 * findings. */
#ifndef DTG_RUNTIME_NAN_H
#define DTG_RUNTIME_NAN_H
#include <stdbool.h>
#include "dtrt.h"

enum { NAN_WHOLE = 256, NAN_PARTS = 64, NAN_PART_BYTES = 128 << 10, NAN_TEXT = 1000 };

struct Device;
/* Of one device, written by its own thread. */
typedef struct NanCheck {
  uint8_t *flags; /* full: by value of the running entry */
  int64_t room;
  int32_t value;    /* full: the first found; INT32_MAX: none */
  bool exchanged;   /* it came of a sum over devices ... */
  bool tainted;     /* ... and this device had put in infinities that are meant */
  uint8_t *var_bad; /* by variable: what it had before the call */
  int64_t calls;
  int32_t suspect; /* cheap: the first step of the call whose exchange brought one; -1 */
  bool unseen;     /* a host may have set variables since the last call */
  bool out_of_memory;
  char text[NAN_TEXT]; /* what was found; "" nothing */
  int64_t run;         /* in which run of its call */
} NanCheck;

int nan_open(dtrt_session *s, int mode);             /* -1: out of memory */
void nan_close(dtrt_session *s);
/* A device's side of a call. */
void nan_enter(struct Device *d);
void nan_value(struct Device *d, const dtrt_seen *seen);
void nan_leave(struct Device *d);
void nan_unsee(dtrt_session *s); /* variables have been set */
/* The host's, after a call: what was found becomes the session's; in full mode, DTRT_FAILED. */
dtrt_status nan_called(dtrt_session *s, dtrt_status status, const dtrt_entry *e,
                       const void *const *in /* whole, or NULL: they were filled in */);
#endif
