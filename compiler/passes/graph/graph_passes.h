/* Passes over global graphs, each in the file of its name: they replace graphs by new ones,
 * independently of layouts. */
#ifndef DTG_GRAPH_PASSES_H
#define DTG_GRAPH_PASSES_H
#include "plan.h"

void take_complex_apart(Plan *p);
void joins(Plan *p);
void shorten(Plan *p);
void autodiff(Plan *p);
void kept(Plan *p);
void precision(Plan *p);
void simplify(Plan *p);
void arrange(Plan *p);
void transpose_before_loops(Plan *p);
void single(Plan *p);
void refetch(Plan *p);

/* The statement that forbids to gather a node by itself, file 0: none. A copy of it in another order
 * must not be gathered either. */
Span forbid_of(const Program *p, const Node *n);

#endif
