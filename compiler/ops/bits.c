/* Functions of the bits of integers, as two's complement. They are functions, not operators: `and`,
 * `or` and `not` are of truth values, and `^` would be read as a power. */
#define ELEMENT_IN_SPECIAL true
#include "elementwise.h"

FOLD_INTEGERS(bit_and)
FOLD_INTEGERS(bit_or)
FOLD_INTEGERS(bit_xor)
FOLD_INTEGERS(shift_left)
FOLD_INTEGERS(shift_right)
FOLD_INTEGER(bit_not)
FOLD_INTEGER(popcount)
FOLD_INTEGER(clz)

#define I "i32[4, 6] x, i32[6] y: "
BINARY(bit_and, "bit_and", "the bits that x and y both have", I "bit_and(x, y)", infer_integer,
       NO_NODE, NO_NODE, INTEGER, "dtrt_bit_and_@($0, $1)")
BINARY(bit_or, "bit_or", "the bits that x or y has", I "bit_or(x, y)", infer_integer, NO_NODE,
       NO_NODE, INTEGER, "dtrt_bit_or_@($0, $1)")
BINARY(bit_xor, "bit_xor", "the bits in which x and y differ", I "bit_xor(x, y)", infer_integer,
       NO_NODE, NO_NODE, INTEGER, "dtrt_bit_xor_@($0, $1)")
BINARY(shift_left, "shift_left",
       "the bits of x moved up by y; those beyond the type are lost. 0 where y is negative or all "
       "bits and more",
       "i32[4, 6] x, i32[6] y: shift_left(x, y + 3)", infer_integer, NO_NODE, NO_NODE, INTEGER,
       "dtrt_shift_left_@($0, $1)")
BINARY(shift_right, "shift_right",
       "the bits of x moved down by y, which keeps the sign: x // 2 ** y. 0, or -1 of a negative "
       "number, where y is negative or all bits and more",
       "i32[4, 6] x, i32[6] y: shift_right(x * 100, y + 3)", infer_integer, NO_NODE, NO_NODE,
       INTEGER, "dtrt_shift_right_@($0, $1)")
UNARY(bit_not, "bit_not", "all bits of x inverted", "i32[4, 6] x: bit_not(x)", infer_integer,
      NO_NODE, INTEGER, "dtrt_bit_not_@($0)", 1)
UNARY(popcount, "popcount", "how many bits of x are 1, in the type of x",
      "i32[4, 6] x: popcount(x)", infer_integer, NO_NODE, INTEGER, "dtrt_popcount_@($0)", 1)
UNARY(clz, "clz", "how many bits of x above the highest 1 are 0, in the type of x",
      "i32[4, 6] x: clz(x)", infer_integer, NO_NODE, INTEGER, "dtrt_clz_@($0)", 1)
