/* sum_tree.h: the order in which terms of devices are combined: the one place that says it.
 *
 * Law: the n terms, in the order of their devices along the axes, are the leaves of a binary tree:
 * 0 with 1, 2 with 3, then those two, and so on; leaves that are missing count as nothing. So
 * devices that hold all leaves of a subtree can combine these before anybody else has a part in it,
 * wherever the others are, and bits stay the same. */
#ifndef DTG_RUNTIME_SUM_TREE_H
#define DTG_RUNTIME_SUM_TREE_H
#include <stdint.h>

typedef struct SumNode {
  int32_t level, index; /* of leaves [index << level, (index + 1) << level), as far as they exist;
                           level 0: it is a leaf, else there are several. SUM_ADDEND: see below */
} SumNode;

/* The level of addends whose sum, by a tree of their own and rounded to their type, is leaf `index`:
 * all that have it in a row. So a host that sends this sum, and one that has the addends, give the
 * same bits (--sums=fast). */
enum { SUM_ADDEND = -1 };

/* The largest subtrees of a tree of n leaves that hold none but some given ones: leaves [nleaves],
 * ascending. In their order, at most nleaves; returns how many. node may be NULL. */
int sum_tree_nodes(const int *leaf, int nleaves, int n, SumNode *node);
static inline int64_t sum_node_first(SumNode node) { /* its first leaf */
  return node.level > 0 ? (int64_t)node.index << node.level : node.index;
}
/* How many of the given leaves lie in the node, from the first on. */
int sum_tree_leaves(SumNode node, const int *leaf, int nleaves);

#endif
