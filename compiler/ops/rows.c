/* One op for many rows at once: what a node makes of one row, as a node that makes it of all rows
 * of a new first dim. The front end runs the body of a layer once, for one row, and has the stages
 * of a pipeline computed so, each of which has a row of its own (frontend/microbatch.c). Gradients,
 * layouts and code are those of the ops that come out. */
#include "opdefs.h"
#include <string.h>

typedef struct RowsBuild {
  Build *b;
  const Node *n; /* of one row */
  NodeId *x;     /* its operands, of all rows or the same for each */
  const bool *many;
  int64_t rows;
} RowsBuild;

static NodeId none(RowsBuild *r, const char *why) {
  return op_fail(r->b, r->n->span, "`%s` cannot be computed for several rows at once%s%s",
                 r->n->op->name, *why ? ": " : "", why);
}

/* The same for each row, as all rows. */
static NodeId spread(RowsBuild *r, NodeId x) {
  Shape s = op_node(r->b, x)->shape;
  int map[MAX_RANK];
  for (int d = 0; d < s.rank; d++) map[d] = d + 1;
  memmove(s.dim + 1, s.dim, sizeof *s.dim * (size_t)s.rank++);
  s.dim[0] = r->rows;
  return mk_broadcast(r->b, x, &s, map);
}

static void spread_all(RowsBuild *r) {
  for (int k = 0; k < r->n->noperands; k++)
    if (!r->many[k]) r->x[k] = spread(r, r->x[k]);
}

static bool many_from(const RowsBuild *r, int k) {
  for (; k < r->n->noperands; k++)
    if (r->many[k]) return true;
  return false;
}

static NodeId made(RowsBuild *r, int nattr, const int64_t *attr) {
  const NodeId y = build_node(r->b, r->n->op, r->n->noperands, r->x, nattr, attr, r->n->value);
  if (y != NO_NODE) graph_node(r->b->graph, y)->whole = r->n->whole;
  return y;
}

/* -------- attributes -------- */

static NodeId as_it_is(RowsBuild *r) {
  spread_all(r);
  return made(r, r->n->nattr, r->n->attr);
}

/* The first attribute is a dim. */
static NodeId along_dim(RowsBuild *r) {
  int64_t attr[MAX_ATTRS];
  spread_all(r);
  memcpy(attr, r->n->attr, sizeof *attr * (size_t)r->n->nattr);
  attr[0]++;
  return made(r, r->n->nattr, attr);
}

/* A set of dims. */
static NodeId along_dims(RowsBuild *r) {
  spread_all(r);
  return made(r, 1, (int64_t[]){r->n->attr[0] << 1});
}

/* Lists of one number a dim, each with one more for the new dim, in front. */
static NodeId by_dim(RowsBuild *r, int lists, const int64_t *first) {
  const int rank = r->n->shape.rank;
  int64_t attr[3 * (MAX_RANK + 1)];
  spread_all(r);
  for (int l = 0; l < lists; l++) {
    attr[l * (rank + 1)] = first[l];
    memcpy(attr + l * (rank + 1) + 1, r->n->attr + l * rank, sizeof *attr * (size_t)rank);
  }
  return made(r, lists * (rank + 1), attr);
}

static NodeId rows_of_reshape(RowsBuild *r) { return by_dim(r, 1, (int64_t[]){r->rows}); }
static NodeId rows_of_slice(RowsBuild *r) { return by_dim(r, 3, (int64_t[]){0, r->rows, 1}); }
static NodeId rows_of_roll(RowsBuild *r) { return by_dim(r, 1, (int64_t[]){0}); }
static NodeId rows_of_pad(RowsBuild *r) { return by_dim(r, 3, (int64_t[]){0, 0, 0}); }

static NodeId rows_of_transpose(RowsBuild *r) {
  int64_t attr[MAX_RANK + 1] = {0};
  for (int d = 0; d < r->n->nattr; d++) attr[d + 1] = r->n->attr[d] + 1;
  return made(r, r->n->nattr + 1, attr);
}

static NodeId rows_of_broadcast(RowsBuild *r) {
  const int from = r->n->nattr - r->n->shape.rank;
  int64_t attr[2 * MAX_RANK + 2] = {0};
  for (int d = 0; d < from; d++) attr[d + 1] = r->n->attr[d] + 1;
  attr[from + 1] = r->rows;
  memcpy(attr + from + 2, r->n->attr + from, sizeof *attr * (size_t)r->n->shape.rank);
  return made(r, r->n->nattr + 2, attr);
}

static NodeId rows_of_random(RowsBuild *r) {
  int64_t attr[MAX_RANK + 3] = {r->n->attr[0], r->n->attr[1], r->rows};
  spread_all(r);
  memcpy(attr + 3, r->n->attr + 2, sizeof *attr * (size_t)r->n->shape.rank);
  return made(r, r->n->nattr + 1, attr);
}

/* One letter more, in what has all rows and in the result. */
static NodeId rows_of_contract(RowsBuild *r) {
  const Letters was = product_letters(r->b->graph, r->n);
  const int64_t *from[3] = {was.x, was.y, was.out};
  int64_t attr[3 * (MAX_RANK + 1)];
  int letter = 0, n = 0;
  while (letter < 26 && was.in[letter]) letter++;
  if (letter == 26) return none(r, "it has 26 letters already");
  for (int t = 0; t < 3; t++) {
    const int rank = t < 2 ? graph_operand(r->b->graph, r->n, t)->shape.rank : r->n->shape.rank;
    if (t == 2 || r->many[t]) attr[n++] = letter;
    memcpy(attr + n, from[t], sizeof *attr * (size_t)rank);
    n += rank;
  }
  return made(r, n, attr);
}

/* -------- positions that are data -------- */

/* Indices of rows along dim `axis`, one list for each row, as indices of elements of a tensor that
 * has the shape `of` but for that dim. */
static NodeId each_index(RowsBuild *r, NodeId index, const Shape *of, int axis) {
  const Shape s = op_node(r->b, index)->shape;
  Shape line = {.rank = 2, .dim = {s.dim[0], 1}}, full = *of;
  for (int d = 1; d < s.rank; d++) line.dim[1] *= s.dim[d];
  full.dim[axis] = line.dim[1];
  return mk_broadcast(r->b, mk_reshape(r->b, index, &line), &full, (int[]){0, axis});
}

/* From another tensor in each row, at other positions. */
static NodeId gather_each(RowsBuild *r, int axis) {
  const Shape of = op_node(r->b, r->x[0])->shape;
  Shape full = {.rank = r->n->shape.rank + 1, .dim = {r->rows}};
  memcpy(full.dim + 1, r->n->shape.dim, sizeof *full.dim * (size_t)r->n->shape.rank);
  const NodeId at = each_index(r, r->x[1], &of, axis + 1);
  const NodeId y =
      build_node(r->b, &op_pick, 2, (NodeId[]){r->x[0], at}, 1, (int64_t[]){axis + 1}, 0);
  return mk_reshape(r->b, y, &full);
}

static NodeId rows_of_gather(RowsBuild *r) {
  const int axis = (int)r->n->attr[0];
  int perm[MAX_RANK];
  if (!r->many[1]) return made(r, 1, (int64_t[]){axis + 1});
  if (r->many[0]) return gather_each(r, axis);
  const NodeId y = made(r, 1, (int64_t[]){axis}); /* the rows are where the indices are */
  if (y == NO_NODE) return y;
  perm[0] = axis;
  for (int d = 0; d < r->n->shape.rank; d++) perm[d + 1] = d < axis ? d : d + 1;
  return mk_transpose(r->b, y, perm);
}

static NodeId scatter_each(RowsBuild *r, int axis) {
  spread_all(r);
  const int rank = op_node(r->b, r->x[0])->shape.rank - 1; /* of one row's indices */
  const Shape all = op_node(r->b, r->x[1])->shape;
  Shape flat = {.rank = all.rank - rank + 1}; /* the indices' dims as one */
  int64_t count = 1;
  for (int d = 0; d < rank; d++) count *= all.dim[axis + 1 + d];
  for (int d = 0; d < flat.rank; d++)
    flat.dim[d] = d <= axis ? all.dim[d] : d == axis + 1 ? count : all.dim[d + rank - 1];
  const NodeId at = each_index(r, r->x[0], &flat, axis + 1);
  const NodeId updates = mk_reshape(r->b, r->x[1], &flat);
  return build_node(r->b, &op_unpick, 2, (NodeId[]){at, updates}, 2,
                    (int64_t[]){axis + 1, r->n->attr[1]}, 0);
}

static NodeId rows_of_scatter(RowsBuild *r) {
  if (r->many[0] && r->n->op == &op_scatter_add) return scatter_each(r, (int)r->n->attr[0]);
  if (r->many[0]) return none(r, "it writes to other positions in each row");
  return made(r, 2, (int64_t[]){r->n->attr[0] + 1, r->n->attr[1]});
}

/* Of a window, or what is put in its place: a set of dims, then lists. */
static NodeId at_positions(RowsBuild *r, int tensors, int lists, const int64_t *first) {
  const int rank = r->n->shape.rank;
  int64_t attr[2 * MAX_RANK + 3] = {r->n->attr[0] << 1};
  if (many_from(r, tensors)) return none(r, "its position is another one in each row");
  for (int k = 0; k < tensors; k++)
    if (!r->many[k]) r->x[k] = spread(r, r->x[k]);
  for (int k = tensors; k < r->n->noperands; k++) { /* of rows of their own, the same in each row */
    Shape s = {.rank = rank + 1, .dim = {1}};
    const Shape own = op_node(r->b, r->x[k])->shape;
    if (!own.rank) continue;
    memcpy(s.dim + 1, own.dim, sizeof *s.dim * (size_t)rank);
    r->x[k] = mk_reshape(r->b, r->x[k], &s);
  }
  for (int l = 0; l < lists; l++) {
    attr[1 + l * (rank + 1)] = first[l];
    memcpy(attr + 2 + l * (rank + 1), r->n->attr + 1 + l * rank, sizeof *attr * (size_t)rank);
  }
  return made(r, 1 + lists * (rank + 1), attr);
}

static NodeId rows_of_window(RowsBuild *r) {
  return at_positions(r, 1, 2, (int64_t[]){r->rows, 1});
}
static NodeId rows_of_put(RowsBuild *r) { return at_positions(r, 2, 1, (int64_t[]){1}); }

/* -------- which -------- */

static const struct {
  const OpDef *op;
  NodeId (*make)(RowsBuild *r);
} own[] = {{&op_contract, rows_of_contract},
           {&op_reshape, rows_of_reshape},
           {&op_transpose, rows_of_transpose},
           {&op_broadcast, rows_of_broadcast},
           {&op_slice, rows_of_slice},
           {&op_pad, rows_of_pad},
           {&op_concat, along_dim},
           {&op_reverse, along_dims},
           {&op_roll, rows_of_roll},
           {&op_gather, rows_of_gather},
           {&op_pick, along_dim},
           {&op_window, rows_of_window},
           {&op_put, rows_of_put},
           {&op_uniform, rows_of_random},
           {&op_normal, rows_of_random}};

static NodeId rows_of(RowsBuild *r) {
  const OpDef *op = r->n->op;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (own[i].op == op) return own[i].make(r);
  if (op->flags & (OPF_CARRY | OPF_AFTER | OPF_GRAD | OPF_TELLS)) return none(r, "");
  if (op->flags & OPF_ELEMENTWISE) return as_it_is(r);
  switch (op->class) {
  case OPC_REDUCE: return along_dims(r);
  case OPC_SEARCH:
  case OPC_SCAN:
  case OPC_SORT:
  case OPC_ADD_EACH: return along_dim(r);
  case OPC_ADD_ROWS: return rows_of_scatter(r);
  case OPC_MATRIX: return op_has_attr(op, "axis") ? along_dim(r) : as_it_is(r);
  default: return none(r, "");
  }
}

NodeId build_rows(Build *b, const Node *n, const NodeId *operand, const bool *many, int64_t rows) {
  const char *outer = b->what;
  NodeId *x = arena_array(b->arena, NodeId, n->noperands + 1);
  RowsBuild r = {.b = b, .n = n, .x = x, .many = many, .rows = rows};
  int rank = n->shape.rank;
  for (int k = 0; k < n->noperands; k++) {
    const int own_rank = graph_operand(b->graph, n, k)->shape.rank;
    if (operand[k] == NO_NODE) return NO_NODE;
    if (own_rank > rank) rank = own_rank;
    x[k] = operand[k];
  }
  if (rank >= MAX_RANK)
    return op_fail(b, n->span,
                   "a tensor has at most %d dims, and the rows of a pipeline are one more",
                   MAX_RANK);
  b->what = NULL;
  const NodeId y = rows_of(&r);
  b->what = outer;
  return y;
}
