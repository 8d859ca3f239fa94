/* The ops that passes refer to by name: leaves of graphs, ops that set or change layouts, and the
 * two ends of what a region carries. All
 * others are known by their definitions only. */
#ifndef DTG_OP_IDS_H
#define DTG_OP_IDS_H

extern const struct OpDef op_input, op_var, op_relayout, op_relayout_like, op_exchange, op_carry,
    op_after;
#define OP_input (&op_input)
#define OP_var (&op_var)
#define OP_relayout (&op_relayout)
#define OP_relayout_like (&op_relayout_like)
#define OP_exchange (&op_exchange)
#define OP_carry (&op_carry)
#define OP_after (&op_after)

#endif
