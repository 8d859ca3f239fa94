/* The ops that passes refer to by name: leaves of graphs, and the exchange. All others are known by
 * their definitions only. */
#ifndef DTG_OP_IDS_H
#define DTG_OP_IDS_H

extern const struct OpDef op_input, op_var, op_exchange;
#define OP_input (&op_input)
#define OP_var (&op_var)
#define OP_exchange (&op_exchange)

#endif
