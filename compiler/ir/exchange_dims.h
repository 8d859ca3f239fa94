/* Inside of exchange_of: facts of two layouts of one dim (exchange_dims.c), and what is known of
 * pairs of layouts (exchange_known.c). Searches need the same exchanges many times, each
 * trial and each form again; a program keeps both. Invariant: what is kept depends on mesh, layouts
 * and shape alone, so keeping it changes no answer, and it takes at most some megabytes. */
#ifndef DTG_EXCHANGE_DIMS_H
#define DTG_EXCHANGE_DIMS_H
#include "exchange_table.h"

/* The coordinates that are visited: of an axis of up to EVERY all, of a longer one the
 * first, the middle and the last; fewer, the ends in any case, along many axes. */
enum { EVERY = 4, MOST_PLACES = 256 };

/* Of some dims, of one device: elements that it needs, how many of these it has, and from how many
 * blocks they come. */
typedef struct Need {
  int64_t need, own, blocks;
} Need;

typedef struct Needs {
  Need *at;
  int n;
} Needs;

/* By the ways along some axes; the number of an entry is a sum of strides. */
typedef struct PlaceSteps {
  int stride[MAX_AXES], choices;
} PlaceSteps;

/* The parts of one dim, by the ways along the axes that it has before or behind. */
typedef struct DimNeeds {
  Need *at;
  Need most; /* need and blocks: no place has more; own: none has less */
  PlaceSteps steps;
  int now;
} DimNeeds;

typedef struct DimPair {
  const DimLayout *from, *to;
  int64_t n;
  uint32_t from_axes, to_axes;
  /* Axes along which elements move: those of `from`, and those of `to` that the operand is cut by.
   * Axes that both begin with, alike, lead a device to the same part before and after. */
  uint32_t moving_from, moving_to;
  bool equal, nested, gathers, same_parts, same_axes;
  bool uniform; /* every device needs as much of the dim and has as much of that */
  Arena
      *kept; /* the program's own, for its tables while there is room; NULL: the pair is not kept */
  Need first;   /* of the device that is first along all axes */
  /* By how few coordinates of the long axes are visited; at: NULL, or of all visited places. */
  DimNeeds every[EVERY + 1];
  Needs alone; /* at: NULL, or what there is when no axis links the dim to another */
} DimPair;

int how_few(const Mesh *m, uint32_t axes);
PlaceSteps steps_along(const Mesh *m, uint32_t axes, int few);
/* Goes over all places, which it begins at the first of; at[k] goes by of[k]'s strides. */
typedef struct PlaceWalk {
  int n, axis[MAX_AXES], ways[MAX_AXES], way[MAX_AXES];
} PlaceWalk;
PlaceWalk walk_along(const Mesh *m, uint32_t axes, int few);
void walk_step(PlaceWalk *w, int n, const PlaceSteps *const *of, int **at);

void dim_pair_set(const Mesh *m, DimPair *x, const DimLayout *from, const DimLayout *to, int64_t n);
/* What they point to is kept by the pair or, where it may not grow, allocated in p->arena. */
DimNeeds dim_pair_every(const Program *p, DimPair *x, int few);
Needs dim_pair_alone(const Program *p, DimPair *x);
void needs_add(Needs *p, Need x);

/* By what is known of each dim. */
Exchange exchange_by(const Program *p, DimPair *const *pair, const ExchangeEnd *from,
                     const ExchangeEnd *to, DType t);

/* -------- exchange_known.c -------- */

/* Bytes that a program keeps for pairs of dims. */
enum { KNOWN_BYTES = 32 << 20 };

/* An exchange as a program keeps it, in elements. */
typedef struct Known {
  int kind;
  uint32_t axes, settled, alike;
  int64_t elements, senders;
  int64_t most, terms, run; /* elements of the operand's largest block; terms of each; together */
} Known;

/* Layouts and shape by number. */
typedef struct KnownAt {
  int32_t from, to, shape;
} KnownAt;

KnownExchanges *known_new(const Program *p);
KnownAt known_at(KnownExchanges *k, const Layout *from, const Layout *to, const Shape *s);
bool known_get(const KnownExchanges *k, KnownAt at, Known *out);
void known_put(KnownExchanges *k, KnownAt at, const Known *x);
/* k may be NULL: then the pair is allocated in p->arena. */
DimPair *known_dim_pair(const Program *p, KnownExchanges *k, KnownAt at, const Layout *from,
                        const Layout *to, int dim, int64_t n);

#endif
