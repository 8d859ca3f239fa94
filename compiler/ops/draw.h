/* Draws that other random ops are made of (random.c). */
#ifndef DTG_DRAW_H
#define DTG_DRAW_H
#include "opdefs.h"

/* uniform or normal of f32 or f64: a stream of its own, or, where `seed` is given, that of the seed. */
NodeId random_node(Build *b, Op op, DType t, const Shape *s, const Arg *seed);

#endif
