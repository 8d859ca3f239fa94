/* sum_tree.c: see sum_tree.h. */
#include "sum_tree.h"

static int64_t end_of(SumNode node) { return (int64_t)(node.index + 1) << node.level; }

int sum_tree_leaves(SumNode node, const int *leaf, int nleaves) {
  int n = 0;
  while (n < nleaves && leaf[n] < end_of(node)) n++;
  return n;
}

/* Leaves are ascending, so all of [first, end) are there when as many of them are. */
static int holds(const int *leaf, int nleaves, int n, SumNode node) {
  int64_t first = (int64_t)node.index << node.level, end = end_of(node) < n ? end_of(node) : n;
  return end - first <= nleaves && leaf[end - first - 1] == end - 1;
}

int sum_tree_nodes(const int *leaf, int nleaves, int n, SumNode *node) {
  int count = 0;
  while (nleaves > 0) {
    SumNode most = {0, *leaf};
    while (most.index % 2 == 0 && end_of(most) < 2 * (int64_t)n) {
      SumNode next = {most.level + 1, most.index / 2};
      if (!holds(leaf, nleaves, n, next)) break;
      most = next;
    }
    int taken = sum_tree_leaves(most, leaf, nleaves);
    if (taken == 1) most = (SumNode){0, *leaf}; /* with nothing beside it a leaf stays one */
    if (node) node[count] = most;
    count++;
    leaf += taken, nleaves -= taken;
  }
  return count;
}
