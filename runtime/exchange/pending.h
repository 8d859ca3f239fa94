/* pending.h: exchanges that are started early and awaited late: pending.c. */
#ifndef DTG_RUNTIME_PENDING_H
#define DTG_RUNTIME_PENDING_H
#include "device.h"
#include "messages.h"

enum { PENDING_NONE, PENDING_DIRECT, PENDING_MESSAGES, PENDING_OVER };

/* An in-flight slot: an exchange that was started and not awaited yet. */
typedef struct Pending {
  _Atomic int state; /* PENDING_...; MESSAGES: it is for whoever has Device.polled */
  unsigned mode;     /* of floats, where it was started */
  uint64_t uses;     /* of the lane, the same on all devices */
  Together all;
  const Transfer *transfer[COMM_BATCH];
  const void *from[COMM_BATCH];
  void *to[COMM_BATCH];
  /* Devices that may still read the stage of the lane, since which use of it; NULL: none. */
  const DeviceGroup *readers;
  uint64_t read_at;
  CollectiveRun run;
} Pending;

int pending_open(Device *d); /* 0, or -1 when out of memory */
void pending_close(Device *d);
/* Makes progress on in-flight messages without waiting. */
void pending_poll(Device *d);

/* The same by another thread than the device's (progress_thread.h). */
bool pending_turn(Device *d);

#endif
