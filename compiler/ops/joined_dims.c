/* Dims that became one because a list has positions in all of them (positions.c), where others than
 * the first are cut: in that order of elements a device's are not together, so all would move. A
 * cut dim is its blocks and what is in each, and the blocks of all of them can stand in front:
 *
 *   x [1000, 600 in 4 blocks]  -> [1000, 4, 150] -> [4, 1000, 150] -> [4 * 1000 * 150]
 *
 * where each device has one block, in the order that it has it in memory. `distribute` reads rows
 * there, at numbers that follow the order, and has what is scattered, and all that is computed from
 * it element by element, in that order, up to where it takes the dims apart again. */
#include <string.h>
#include "blocks.h"

/* Dims that are apart in one tensor and joined in the other. */
typedef struct Joined {
  Distribute *d;
  int at, n; /* n dims from `at` on */
  int64_t size[MAX_RANK], parts[MAX_RANK];
  int64_t count; /* of all of them */
  VEC(NodeId)
  old, made; /* what was put in order: old nodes, times MAX_RANK + its dim, and new ones */
} Joined;

/* n dims of `apart` are one of `joined`, at `at`, and the others are the same. */
static bool joins_dims(const Shape *joined, const Shape *apart, int at, int *n) {
  *n = apart->rank - joined->rank + 1;
  if (*n < 2 || at < 0 || at >= joined->rank) return false;
  int64_t count = 1;
  for (int d = 0; d < at; d++)
    if (joined->dim[d] != apart->dim[d]) return false;
  for (int d = 0; d < *n; d++) count *= apart->dim[at + d];
  for (int d = at + 1; d < joined->rank; d++)
    if (joined->dim[d] != apart->dim[d + *n - 1]) return false;
  return count == joined->dim[at] && count > 0;
}

/* Which dim of `joined` dims of the node were made from, that cuts make lie apart; false: none. */
static bool find_joined(Distribute *d, const Node *apart, const Shape *joined, int at, Joined *j) {
  const Mesh *mesh = &d->program->mesh;
  *j = (Joined){.d = d, .at = at, .count = 1};
  if (apart->layout->partial || !joins_dims(joined, &apart->shape, at, &j->n)) return false;
  bool before = false, lies_apart = false; /* what an earlier dim has in a block is more than one */
  int cut = 0;
  for (int k = 0; k < j->n; k++) {
    const DimLayout *l = &apart->layout->dim[at + k];
    j->size[k] = apart->shape.dim[at + k];
    j->parts[k] = dim_parts(mesh, l);
    j->count *= j->size[k];
    if (l->window.of || !dim_even(mesh, l, j->size[k]) || j->size[k] % j->parts[k]) return false;
    lies_apart = lies_apart || (before && j->parts[k] > 1);
    before = before || j->size[k] > j->parts[k];
    cut += j->parts[k] > 1 && j->size[k] > j->parts[k];
  }
  return lies_apart && apart->shape.rank + cut <= MAX_RANK;
}

/* The dims of x in the new graph, blocks and what is in each apart, and where each of those goes
 * when blocks stand in front. */
static Shape taken_apart(const Joined *j, const Shape *x, int *perm) {
  Shape s = {0};
  int blocks = 0, front = 0, behind;
  for (int k = 0; k < j->n; k++) blocks += j->parts[k] > 1;
  behind = j->at + blocks;
  for (int d = 0; d < x->rank; d++) {
    const int k = d - j->at;
    if (k < 0 || k >= j->n) {
      perm[k < 0 ? d : behind++] = s.rank;
      s.dim[s.rank++] = x->dim[d];
      continue;
    }
    if (j->parts[k] > 1) {
      perm[j->at + front++] = s.rank;
      s.dim[s.rank++] = j->parts[k];
    }
    if (j->parts[k] > 1 && j->size[k] == j->parts[k]) continue;
    perm[behind++] = s.rank;
    s.dim[s.rank++] = j->size[k] / j->parts[k];
  }
  return s;
}

static NodeId in_blocks(const Joined *j, NodeId x, const Shape *joined) {
  Build *b = &j->d->b;
  int perm[MAX_RANK];
  const Shape apart = taken_apart(j, &graph_node(b->graph, x)->shape, perm);
  return mk_reshape(b, mk_transpose(b, mk_reshape(b, x, &apart), perm), joined);
}

static NodeId out_of_blocks(const Joined *j, NodeId x, const Shape *to) {
  Build *b = &j->d->b;
  int perm[MAX_RANK], back[MAX_RANK];
  const Shape apart = taken_apart(j, to, perm);
  Shape front = {.rank = apart.rank};
  for (int d = 0; d < apart.rank; d++) front.dim[d] = apart.dim[perm[d]], back[perm[d]] = d;
  return mk_reshape(b, mk_transpose(b, mk_reshape(b, x, &front), back), to);
}

static NodeId number(Build *b, NodeId like, int64_t v) {
  const Node *n = graph_node(b->graph, like);
  const Shape s = n->shape;
  return mk_whole(b, n->dtype, &s, v);
}

/* Rows of the dims in their order, as rows of blocks. */
static NodeId row_in_blocks(const Joined *j, NodeId row) {
  Build *b = &j->d->b;
  NodeId in[MAX_RANK], block = NO_NODE, within = NO_NODE;
  if (graph_node(b->graph, row)->dtype != DT_I64) row = build_cast(b, row, DT_I64);
  for (int k = j->n - 1; k >= 0; k--) {
    in[k] = k ? mk2(b, &op_mod, row, number(b, row, j->size[k])) : row;
    if (k) row = mk2(b, &op_floordiv, row, number(b, row, j->size[k]));
  }
  for (int k = 0; k < j->n; k++) {
    const int64_t length = j->size[k] / j->parts[k];
    NodeId rest = in[k];
    if (j->parts[k] > 1) {
      const NodeId own = mk2(b, &op_floordiv, rest, number(b, rest, length));
      block = block == NO_NODE
                  ? own
                  : mk_add(b, mk2(b, &op_mul, block, number(b, block, j->parts[k])), own);
      rest = mk2(b, &op_mod, rest, number(b, rest, length));
    }
    within = within == NO_NODE
                 ? rest
                 : mk_add(b, mk2(b, &op_mul, within, number(b, within, length)), rest);
  }
  int64_t length = 1;
  for (int k = 0; k < j->n; k++) length *= j->size[k] / j->parts[k];
  return mk_add(b, mk2(b, &op_mul, block, number(b, block, length)), within);
}

NodeId distribute_rows(Distribute *d, NodeId id, NodeId y) {
  const Node *n = graph_node(d->old, id), *x = graph_operand(d->old, n, 0);
  const int at = (int)node_attr(n, "axis");
  Joined j;
  (void)y;
  if (x->op != &op_reshape || x->spec) return NO_NODE;
  if (!find_joined(d, graph_operand(d->old, x, 0), &x->shape, at, &j)) return NO_NODE;
  Node made = *n;
  const Shape joined = x->shape;
  NodeId operand[] = {in_blocks(&j, d->map[x->operand[0]], &joined),
                      row_in_blocks(&j, d->map[n->operand[1]])};
  made.operand = operand;
  return graph_add(d->b.graph, &made);
}

/* -------- in the order of blocks -------- */

static NodeId ordered(Joined *j, NodeId id, int dim);

/* Operand k in that order along its dim `dim` (-1: it has no such dim). */
static bool order_operand(Joined *j, NodeId *x, const Node *n, int k, int dim) {
  x[k] = dim < 0 ? j->d->map[n->operand[k]] : ordered(j, n->operand[k], dim);
  return x[k] != NO_NODE;
}

/* The dim of x that is dim `dim` of a reshape; -1: none. */
static int dim_before(const Shape *x, const Shape *y, int dim) {
  int64_t before = 1, passed = 1;
  for (int d = 0; d < dim; d++) before *= y->dim[d];
  for (int d = 0; d < x->rank; d++) {
    if (passed == before && x->dim[d] == y->dim[dim]) return d;
    passed *= x->dim[d];
  }
  return -1;
}

/* What dim `dim` of a value that moves elements is in operand k; -1: it has none; -2: who knows. */
static int dim_of_operand(const Graph *g, const Node *n, int k, int dim) {
  const Shape *x = &graph_operand(g, n, k)->shape;
  if (op_is(n, OPF_ELEMENTWISE) && !op_is(n, OPF_CARRY)) return x->rank == n->shape.rank ? dim : -2;
  if (n->op == &op_transpose) return (int)node_attrs(n, "perm")[dim];
  if (n->op == &op_broadcast) {
    for (int d = 0; d < x->rank; d++)
      if (node_attrs(n, "dims")[d] == dim) return x->dim[d] == n->shape.dim[dim] ? d : -2;
    return -1;
  }
  if (n->op == &op_gather) {
    const int at = (int)node_attr(n, "axis"), lists = graph_operand(g, n, 1)->shape.rank;
    const bool listed = dim >= at && dim < at + lists;
    if (k) return listed ? dim - at : -1;
    return listed ? -1 : dim < at ? dim : dim - lists + 1;
  }
  if (n->op != &op_reshape) return -2;
  const int d = dim_before(x, &n->shape, dim);
  return d < 0 ? -2 : d;
}

/* Its elements are in another order, so it is not the value that others know by that number. */
static NodeId add_like(Joined *j, const Node *n, NodeId *x) {
  Node made = *n;
  made.operand = x;
  made.tag = 0;
  made.within = j->d->b.within;
  return graph_add(j->d->b.graph, &made);
}

static NodeId ordered_by_operands(Joined *j, const Node *n, int dim) {
  NodeId *x = arena_array(j->d->b.arena, NodeId, n->noperands + 1);
  if (!n->noperands || n->op->updates) return NO_NODE;
  for (int k = 0; k < n->noperands; k++) {
    const int of = dim_of_operand(j->d->old, n, k, dim);
    if (of == -2 || !order_operand(j, x, n, k, of)) return NO_NODE;
  }
  return add_like(j, n, x);
}

static bool is_of_dims(const Joined *j, const Shape *apart, int at) {
  bool same = apart->rank >= at + j->n;
  for (int k = 0; k < j->n && same; k++) same = apart->dim[at + k] == j->size[k];
  return same;
}

/* A value of the old graph whose dim `dim` is the joined one, with that in the order of blocks;
 * NO_NODE: it is not known how. */
static NodeId order(Joined *j, NodeId id, int dim) {
  const Node *n = graph_node(j->d->old, id);
  if (n->spec) return NO_NODE;
  if (node_is_const(n)) return j->d->map[id];
  const OpClass class = op_class(n);
  if ((class == OPC_ADD_ROWS || class == OPC_ADD_EACH) && node_attr(n, "axis") == dim) {
    NodeId x[] = {row_in_blocks(j, j->d->map[n->operand[0]]), j->d->map[n->operand[1]]};
    return add_like(j, n, x);
  }
  if (n->op == &op_reshape) {
    const Shape *x = &graph_operand(j->d->old, n, 0)->shape;
    int dims;
    if (joins_dims(&n->shape, x, dim, &dims) && dims == j->n && is_of_dims(j, x, dim)) {
      Joined here = *j;
      const Shape joined = n->shape;
      here.at = dim;
      return in_blocks(&here, j->d->map[n->operand[0]], &joined);
    }
  }
  return ordered_by_operands(j, n, dim);
}

static NodeId ordered(Joined *j, NodeId id, int dim) {
  const NodeId key = id * MAX_RANK + dim;
  for (int i = 0; i < j->old.n; i++)
    if (j->old.at[i] == key) return j->made.at[i];
  const NodeId made = order(j, id, dim);
  vec_push(j->d->b.arena, &j->old, key);
  vec_push(j->d->b.arena, &j->made, made);
  return made;
}

/* Something scattered is in it: else the order is no gain. */
static bool scatters(const Graph *g, NodeId id, int looks) {
  const Node *n = graph_node(g, id);
  const OpClass class = op_class(n);
  if (class == OPC_ADD_ROWS || class == OPC_ADD_EACH) return true;
  const bool passes = op_is(n, OPF_ELEMENTWISE) || n->op == &op_transpose ||
                      n->op == &op_broadcast || n->op == &op_gather || n->op == &op_reshape;
  for (int k = 0; passes && looks > 0 && k < n->noperands; k++)
    if (scatters(g, n->operand[k], looks - 1)) return true;
  return false;
}

NodeId distribute_apart(Distribute *d, NodeId id, NodeId y) {
  enum { LOOKS = 12 };
  const Node *n = graph_node(d->old, id), *x = graph_operand(d->old, n, 0);
  Joined j;
  (void)y;
  for (int at = 0; at < x->shape.rank; at++) {
    if (!find_joined(d, n, &x->shape, at, &j)) continue;
    if (!scatters(d->old, n->operand[0], LOOKS)) return NO_NODE;
    const Shape to = n->shape;
    const NodeId in_order = ordered(&j, n->operand[0], at);
    if (in_order != NO_NODE) return out_of_blocks(&j, in_order, &to);
  }
  return NO_NODE;
}
