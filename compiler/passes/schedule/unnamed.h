/* What values are in the rows that no index of a scatter names: there the scatter has the identity
 * of its reduction (0 of a sum), and so `where(last >= 0, new, old)` is `old`, `x + g` is `x`. */
#ifndef DTG_UNNAMED_H
#define DTG_UNNAMED_H
#include "plan.h"

typedef bool (*InMemory)(void *user, NodeId id); /* a value is read, not computed */
typedef struct Unnamed Unnamed;

Unnamed *unnamed_new(Arena *a, const Mesh *m, const LocalEntry *le, InMemory in_memory, void *user);
/* From here on the rows are those of another scatter, or other values are in memory. */
void unnamed_of(Unnamed *u, NodeId scatter);
/* The value in memory that `id` is equal to in those rows, element by element in the order in which
 * they lie; NO_NODE: there is none that is known. *rows: which dims of `id` the rows are.
 * What a window is written into is such a value where the window holds what it held. The dims are
 * those of the window. */
NodeId unnamed_kept(Unnamed *u, NodeId id, RowDims *rows);

#endif
