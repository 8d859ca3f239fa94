/* plan.h: what one device must do in an exchange, computed once from the two layouts.
 *
 * The law: a device needs its box of `to`. Each element comes from one owner: the device with my
 * own coordinate on every axis that `from` does not use, so what I own I keep, and the nearest have
 * it otherwise. Where `from` is partial and `to` is not, all devices along those axes each hold a
 * term. Everything is symbolic in the blocks: the cost is that of the pieces, whatever the size of
 * the mesh. */
#ifndef DTG_RUNTIME_PLAN_H
#define DTG_RUNTIME_PLAN_H
#include "block.h"

typedef enum PlanKind {
  PLAN_LOCAL,      /* same blocks, nothing to settle: a copy */
  PLAN_ALL_REDUCE, /* same blocks, terms to settle */
  PLAN_BOXES
} PlanKind;

typedef struct Plan {
  PlanKind kind;
  int dtype, reduce;
  int64_t size;  /* bytes of an element */
  uint32_t axes; /* along which devices meet */
  int64_t
      elements; /* of my block of `from`; with PLAN_ALL_REDUCE and PLAN_LOCAL that of `to` too */
  int64_t to_elements;
  int64_t most;  /* bytes of the largest block of `from`, the same on all devices */
  bool identity; /* `to` is partial where `from` is whole, and I am not the one that keeps the value
                  */
  int nterms;
  int *term; /* [nterms] device number less that of the first, ascending; {0} when nothing is
                settled */
  int nrecv, nsend;
  Piece *recv;        /* peer: the device with the first term */
  Piece *send;        /* peer: the device that needs it; only made when asked for */
  int64_t recv_bytes; /* from others */
} Plan;

/* NULL with a reason in why (of 256 bytes). */
Plan *plan_new(const Mesh *m, const int32_t *coord, const dtrt_exchange *x, bool sends, char *why);
void plan_free(Plan *p);

#endif
