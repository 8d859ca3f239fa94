/* flight.h: exchanges that are started early and awaited late: flight.c. */
#ifndef DTG_RUNTIME_FLIGHT_H
#define DTG_RUNTIME_FLIGHT_H
#include "device.h"
#include "messages.h"

/* An in-flight slot: an exchange that was started and not awaited yet. */
typedef struct Flight {
  enum { FLIGHT_NONE, FLIGHT_DIRECT, FLIGHT_MESSAGES, FLIGHT_OVER } state;
  uint64_t uses; /* of the lane, the same on all devices */
  Together all;
  const Transfer *transfer[COMM_BATCH];
  const void *from[COMM_BATCH];
  void *to[COMM_BATCH];
  /* Devices that may still read the stage of the lane, since which use of it; NULL: none. */
  const DeviceGroup *readers;
  uint64_t read_at;
  CollectiveRun run;
} Flight;

int flights_open(Device *d); /* 0, or -1 when out of memory */
void flights_close(Device *d);
/* Makes progress on in-flight messages without waiting. */
void flights_turn(Device *d);

#endif
