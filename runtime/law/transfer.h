/* transfer.h: what one device must do in an exchange, computed once from the two layouts.
 *
 * The law: a device needs its box of `to`. Each element comes once, from the nearest device that
 * holds it: the one whose coordinates differ from mine on the fewest axes, and there by the least.
 * `from` fixes an owner's coordinates on the axes it uses and leaves the others free, so the
 * nearest is the one with my own coordinates there; what I own I keep. Where `from` is partial and
 * `to` is not, all devices along those axes each hold a term. Everything is symbolic in the blocks:
 * the cost is that of the pieces, whatever the size of the mesh.
 *
 * Order: by messages a device meets the others in rounds. Devices that differ only in the axes
 * whose partials are reduced are a team; in round i team t receives from team t - i and sends to
 * team t + i. Every device takes the rounds in this order and posts both directions of a round
 * before it waits, so of all that wait, the one that is least far finds what it waits for posted:
 * no deadlock. */
#ifndef DTG_RUNTIME_TRANSFER_H
#define DTG_RUNTIME_TRANSFER_H
#include "algorithm.h"
#include "block.h"

typedef enum TransferKind {
  TRANSFER_LOCAL,      /* same blocks, nothing to reduce: a copy */
  TRANSFER_ALL_REDUCE, /* same blocks, partials to reduce */
  TRANSFER_BOXES
} TransferKind;

typedef struct Transfer {
  TransferKind kind;
  int dtype, reduce;
  int64_t size;  /* bytes of an element */
  uint32_t axes; /* along which devices meet */
  int64_t
      elements; /* of my block of `from`; with PLAN_ALL_REDUCE and PLAN_LOCAL that of `to` too */
  int64_t to_elements;
  int64_t most;    /* bytes of the largest block of `from`, the same on all devices */
  uint32_t settle; /* of these, those whose terms are combined */
  uint32_t alike;  /* of these, those along which all need the same box */
  /* Axes along which all devices are of one place and do the same: they share it out, and each writes
   * its part to all. Set with the algorithm, as are how many they are and my number. */
  uint32_t copied;
  int copies, copy;
  uint32_t idle;   /* axes along which devices do the same, wherever they are */
  bool for_hosts;  /* it ends in a host's memory */
  bool borders;  /* what the device has itself is not brought: of `to` the rest alone is written */
  bool fast;     /* terms: of each place one sum (places.h); set with its algorithm */
  bool identity; /* `to` is partial where `from` is whole, and I am not the one that keeps the value
                  */
  int nterms;
  int *term; /* [nterms] device number less that of the first, ascending; {0} when nothing is
                reduced */
  int nrecv, nsend;
  Piece *recv;        /* peer: the device with the first term */
  Piece *send;        /* peer: the device that needs it; only made when asked for, and then both
                         are in the order of their rounds */
  int64_t recv_bytes; /* from others */
  Collective one;     /* what its algorithm is chosen by; not `direct` and `in_flight` */
  Speed speed;        /* ... and the links that it goes over; of the default machine at first */
  int8_t alone[2];    /* the algorithm, by whether it is in flight, where it goes as one */
} Transfer;

/* NULL with a reason in why (of 256 bytes). */
Transfer *transfer_new(const BlockMesh *m, const int32_t *coord, const dtrt_exchange *x, bool sends,
                       char *why);
/* Of an exchange that ends in a host's memory: of `count` devices of a process only the first takes
 * part as one that needs something. */
void transfer_for_hosts(Transfer *p, int device, int count);
void transfer_free(Transfer *p);

#endif
