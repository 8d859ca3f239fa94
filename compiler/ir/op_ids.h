/* The ops that mean something to the compiler itself: where values come from, and what says or
 * changes where they lie. All others are known by what their definitions say. */
#ifndef DTG_OP_IDS_H
#define DTG_OP_IDS_H

extern const struct OpDef op_input, op_var, op_relayout, op_relayout_like, op_exchange;
#define OP_input (&op_input)
#define OP_var (&op_var)
#define OP_relayout (&op_relayout)
#define OP_relayout_like (&op_relayout_like)
#define OP_exchange (&op_exchange)

#endif
