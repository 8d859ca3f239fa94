/* complex.h: complex tensors and their parts. */
#ifndef DTG_COMPLEX_H
#define DTG_COMPLEX_H
#include "op_list.h"

extern const OpDef op_re, op_im, op_join;
Complex complex_parts(Build *b, NodeId z); /* of a tensor of complex elements */
NodeId complex_join(Build *b, Complex z);  /* and back; `im` may be NO_NODE */

#endif
