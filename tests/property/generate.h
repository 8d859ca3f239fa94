/* What the files that make random statements share. A `say_` function makes one statement; it
 * returns false when the dice asked for something that no value there fits. */
#ifndef DTG_TEST_GENERATE_H
#define DTG_TEST_GENERATE_H
#include "program.h"

enum { MOST_COUNT = 240, MOST_MAGNITUDE = 1 << 14 };

typedef struct Gen {
  Script *s;
  int e;
  Scenery *at;
} Gen;

int gen_below(Gen *g, int n);
Line *gen_line(Script *s, LineKind kind, int entry);
Value *gen_pick(Gen *g); /* late values more often, so that chains become long */
Value *gen_pick_like(Gen *g, const Value *like); /* of the same shape; NULL */
int64_t gen_count(const Value *v);
bool gen_same_shape(const Value *a, const Value *b);
Value gen_shape(Gen *g, int rank);
/* A new input of the entry; limit > 0: whole numbers below it. NULL: there are too many. */
Tensor *gen_input(Gen *g, dtgc_dtype t, const Value *shape, int64_t limit);
/* A statement `tN = ...` whose value is `v`; false: it would be too large. */
bool __attribute__((format(printf, 3, 4))) gen_say(Gen *g, Value v, const char *fmt, ...);

bool say_binary(Gen *g);
bool say_broadcasting(Gen *g);
bool say_unary(Gen *g);
bool say_reduce(Gen *g);
bool say_reshape(Gen *g);
bool say_transpose(Gen *g);
bool say_slice(Gen *g);
bool say_pad(Gen *g);
bool say_concat(Gen *g);
bool say_matmul(Gen *g);
bool say_einsum(Gen *g);
bool say_gather(Gen *g);
bool say_scatter(Gen *g);
bool say_moved(Gen *g);
bool say_special(Gen *g);
bool say_ordered(Gen *g);
bool say_picked(Gen *g);
bool say_product(Gen *g);
bool say_gradient(Gen *g);
bool say_assign(Gen *g);
bool say_convolution(Gen *g);
bool say_transposed(Gen *g);
bool say_pool(Gen *g);
bool say_loop(Gen *g);

#endif
