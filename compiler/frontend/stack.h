/* Stacks of layers: stack.c. */
#ifndef DTG_STACK_H
#define DTG_STACK_H
#include "elaborate.h"

/* The type with the dims of the stacks that are being made before it; false after a report. */
bool stack_type(Elab *e, const Type *t, Span at, Type *out);
/* How many of a variable's dims are of stacks that are being made. */
int stack_own(const Elab *e, const Var *v);
NodeId stack_row(Elab *e, NodeId x, int n, const NodeId *at);
NodeId stack_put_row(Elab *e, NodeId x, int n, const NodeId *at, NodeId row, Span span);
/* The layer at a position; at a number; at a subscript. */
Value stack_view(Elab *e, const Instance *in, NodeId at);
Value stack_item(Elab *e, const Instance *in, int64_t i);
Value stack_index(Elab *e, const AstExpr *x, const Instance *in, Value i);
/* A variable of a family, or its row. */
Value stack_family_row(Elab *e, const Family *f, int var);
/* Reports the call of a method of all layers at once. */
bool stack_whole(Elab *e, const Instance *in, Span call);

/* What `init` computes for each row. Between begin and end a draw of that path has this stream. */
void stack_rows_begin(Elab *e, Span at);
const NodeId *stack_init_rows(Elab *e);
NodeId stack_stream(Elab *e, const char *path, uint64_t count);
NodeId stack_rows_end(Elab *e, NodeId row, const Type *t, Span at);

#endif
