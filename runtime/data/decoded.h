/* decoded.h: what one rank of a host has decoded of a file (gzip, CSV, deflated members), for the
 * others, which map it: so a file is decoded once a host, and is in memory once. */
#ifndef DTG_RUNTIME_DECODED_H
#define DTG_RUNTIME_DECODED_H
#include "spool.h"
#include "tensor_file.h"

/* Writes what `f` has in memory, and maps it in its place. False: f stays as it is. */
bool decoded_put(tensor_file *f, const spool *to);
/* Fills `f`, newly made, from what another rank has put. False: f stays as it is. */
bool decoded_get(tensor_file *f, const spool *from);
#endif
