/* See sites.h. Indices are compared as the texts of the emitter would be (emit_value.c): what is
 * equal here is equal there, though not the reverse. */
#include "sites.h"
#include <string.h>

enum {
  KEY_VAR,
  KEY_DIM,
  KEY_VECTOR,
  KEY_SHIFT,
  KEY_REVERSE,
  KEY_VIEW,
  KEY_PICK,
  KEY_NODE,
  KEY_GUARD
};
enum { MOST_WORDS = 16 + 6 * MAX_RANK + MAX_AXES, ZERO = 1, NO_INDEX = -1 };

typedef struct Vector {
  int at[MAX_RANK]; /* by dim: an interned index */
} Vector;

struct Sites {
  Arena *arena;
  const Mesh *mesh;
  const Graph *graph;
  Names *keys;
  Lookup id;
  int nids;
  VEC(Vector) vectors; /* Site.index is one's place */
  Lookup vector_at;    /* 1 + the place, by key */
  double *count;       /* by node; < 0: not asked yet */
};

typedef struct Key {
  int64_t word[MOST_WORDS];
  int n;
} Key;

static void put(Key *k, int64_t word) {
  if (k->n < MOST_WORDS) k->word[k->n++] = word;
}

static const char *key_name(Sites *s, const Key *k) {
  return name_of(s->keys, (const char *)k->word, sizeof *k->word * (size_t)k->n);
}

static int intern(Sites *s, const Key *k) {
  const char *name = key_name(s, k);
  int had = lookup_get(&s->id, name);
  if (!had) lookup_put(&s->id, s->arena, name, had = ++s->nids + ZERO);
  return had;
}

Sites *sites_new(Arena *a, const Mesh *m, const Graph *g) {
  Sites *s = arena_new_of(a, Sites);
  *s = (Sites){.arena = a, .mesh = m, .graph = g, .keys = names_new(a)};
  s->count = arena_array(a, double, g->nodes.n + 1);
  for (NodeId i = 0; i < g->nodes.n; i++) s->count[i] = -1;
  return s;
}

double sites_count(Sites *s, NodeId id) {
  const Node *n = graph_node(s->graph, id);
  if (s->count[id] >= 0) return s->count[id];
  Shape local = layout_local(s->mesh, n->layout, &n->shape);
  s->count[id] = 1;
  for (int d = 0; d < local.rank; d++) s->count[id] *= (double)local.dim[d];
  return s->count[id];
}

/* -------- indices -------- */

static int vector(Sites *s, const int *at, int rank) {
  Key k = {0};
  Vector v = {0};
  put(&k, KEY_VECTOR);
  for (int d = 0; d < rank; d++) put(&k, v.at[d] = at[d]);
  const char *name = key_name(s, &k);
  int had = lookup_get(&s->vector_at, name);
  if (had) return had - 1;
  vec_push(s->arena, &s->vectors, v);
  lookup_put(&s->vector_at, s->arena, name, s->vectors.n);
  return s->vectors.n - 1;
}

Site sites_body(Sites *s, NodeId loop, NodeId over) {
  const Node *n = graph_node(s->graph, over);
  int at[MAX_RANK] = {0};
  for (int d = 0; d < n->shape.rank; d++) {
    Key k = {0};
    put(&k, KEY_VAR), put(&k, d);
    at[d] = n->shape.dim[d] == 1 ? ZERO : intern(s, &k);
  }
  return (Site){.loop = loop, .index = vector(s, at, n->shape.rank), .turns = sites_count(s, over)};
}

/* How a dim lies: its offset is part of an index. 0: whole. */
static int dim_key(Sites *s, const Node *n, int d) {
  const DimLayout *l = &n->layout->dim[d];
  Key k = {0};
  if (!l->naxes && !l->window.of) return 0;
  put(&k, KEY_DIM), put(&k, n->shape.dim[d]), put(&k, l->granule);
  put(&k, l->window.of), put(&k, l->window.mul), put(&k, l->window.div);
  put(&k, l->window.first), put(&k, l->window.last);
  for (int i = 0; i < l->naxes; i++) put(&k, l->axis[i]);
  return intern(s, &k);
}

/* The index of dim e of x for that of dim d of n, which is another by so much. */
static int moved(Sites *s, int kind, int index, const Node *n, int d, const Node *x, int e,
                 int64_t by, int64_t step) {
  int lies = dim_key(s, n, d), other = dim_key(s, x, e);
  Key k = {0};
  if (kind == KEY_SHIFT && by == 0 && step == 1 && !lies && !other) return index;
  put(&k, kind), put(&k, index), put(&k, by), put(&k, step), put(&k, lies), put(&k, other);
  return intern(s, &k);
}

/* An index that is this node's alone. */
static int computed(Sites *s, NodeId id, int index, int d) {
  Key k = {0};
  put(&k, KEY_NODE), put(&k, id), put(&k, index), put(&k, d);
  return intern(s, &k);
}

/* Dims that are the same pass a reshape; the others go by the flat index. */
static void through_view(Sites *s, const Node *n, const int *at, int *in) {
  const Node *x = graph_operand(s->graph, n, 0);
  int i = 0, j = 0, nr = n->shape.rank, xr = x->shape.rank;
  Key k = {0};
  for (int d = 0; d < xr; d++) in[d] = ZERO;
  for (;;) {
    while (i < nr && n->shape.dim[i] == 1) i++;
    while (j < xr && x->shape.dim[j] == 1) j++;
    if (i == nr || j == xr || n->shape.dim[i] != x->shape.dim[j]) break;
    in[j++] = at[i++];
  }
  put(&k, KEY_VIEW);
  for (int d = i; d < nr; d++) put(&k, at[d]), put(&k, n->shape.dim[d]), put(&k, dim_key(s, n, d));
  put(&k, xr);
  for (int d = j; d < xr; d++) put(&k, x->shape.dim[d]), put(&k, dim_key(s, x, d));
  int rest = intern(s, &k);
  for (int d = j; d < xr; d++)
    if (x->shape.dim[d] != 1) in[d] = computed(s, -1 - d, rest, d);
}

/* Within a condition that is node id's, on part k of it: `share` of the turns get there. */
static void guard(Sites *s, NodeId id, const Site *at, int part, double share, Site *out) {
  Key k = {0};
  put(&k, KEY_GUARD), put(&k, id), put(&k, at->index), put(&k, at->guard), put(&k, part);
  out->guard = intern(s, &k);
  out->depth = at->depth + 1;
  out->turns = at->turns * (share < 1 ? share : 1);
}

static double share_of(Sites *s, NodeId part, NodeId of) {
  return sites_count(s, of) > 0 ? sites_count(s, part) / sites_count(s, of) : 0;
}

static void slice_index(Sites *s, const Node *n, const int *at, int *in) {
  const Node *x = graph_operand(s->graph, n, 0);
  int rank = n->shape.rank;
  for (int d = 0; d < rank; d++) {
    int64_t start = n->attr[d], step = n->attr[2 * rank + d];
    bool whole = !start && step == 1 && n->shape.dim[d] == x->shape.dim[d];
    in[d] = whole ? at[d] : moved(s, KEY_SHIFT, at[d], n, d, x, d, start, step);
  }
}

static void pad_index(Sites *s, NodeId id, const Site *site, const int *at, int *in, Site *out) {
  const Node *n = graph_node(s->graph, id), *x = graph_operand(s->graph, n, 0);
  int rank = n->shape.rank;
  bool guarded = false;
  for (int d = 0; d < rank; d++) {
    int64_t lo = n->attr[d], hi = n->attr[rank + d], gap = n->attr[2 * rank + d] + 1;
    bool touched = lo || hi || gap > 1;
    in[d] = touched ? moved(s, KEY_SHIFT, at[d], n, d, x, d, -lo, -gap) : at[d];
    guarded = guarded || touched;
  }
  if (guarded) guard(s, id, site, 0, share_of(s, n->operand[0], id), out);
}

/* Dims but `dim` of a deal's or its reverse's operand; `grows`: the operand has one more. */
static void dealt_index(Sites *s, NodeId id, const Site *site, bool grows, int *in, Site *out) {
  const Node *n = graph_node(s->graph, id);
  const int *at = s->vectors.at[site->index].at;
  int dim = (int)n->attr[0];
  for (int d = 0; d < n->shape.rank; d++) {
    if (grows)
      in[d > dim ? d + 1 : d] = at[d];
    else if (d != dim + 1)
      in[d > dim ? d - 1 : d] = at[d];
  }
  in[dim] = computed(s, id, site->index, dim);
  if (grows)
    in[dim + 1] = computed(s, id, site->index, dim + 1);
  else
    guard(s, id, site, 0, share_of(s, n->operand[0], id), out);
}

static void pick_index(Sites *s, NodeId id, const Site *site, int *in, Site *out) {
  const Node *n = graph_node(s->graph, id), *x = graph_operand(s->graph, n, 0);
  int dim = (int)n->attr[0];
  Key k = {0};
  put(&k, KEY_PICK), put(&k, n->operand[1]), put(&k, site->index);
  put(&k, x->shape.dim[dim]), put(&k, dim_key(s, x, dim));
  memcpy(in, s->vectors.at[site->index].at, sizeof(Vector));
  in[dim] = intern(s, &k);
  if (x->layout->dim[dim].naxes) guard(s, id, site, 0, 1, out);
}

static int64_t concat_begin(const Graph *g, const Node *n, int part) {
  int64_t begin = 0;
  for (int i = 0; i < part; i++) begin += graph_operand(g, n, i)->shape.dim[n->attr[0]];
  return begin;
}

bool sites_operand(Sites *s, NodeId id, const Site *at, int k, Site *out) {
  const Node *n = graph_node(s->graph, id), *x = graph_operand(s->graph, n, k);
  Vector here = s->vectors.at[at->index], in = here; /* interning may move the vectors */
  int dim = n->nattr ? (int)n->attr[0] : 0;
  *out = *at;
  switch (n->op) {
  case OP_gather:
    for (int d = 0; d < x->shape.rank; d++) in.at[d] = here.at[dim + d];
    if (k == 0) return false;
    break;
  case OP_broadcast:
    for (int d = 0; d < x->shape.rank; d++) in.at[d] = here.at[n->attr[d]];
    break;
  case OP_transpose:
    for (int d = 0; d < n->shape.rank; d++) in.at[n->attr[d]] = here.at[d];
    break;
  case OP_reshape: through_view(s, n, here.at, in.at); break;
  case OP_slice: slice_index(s, n, here.at, in.at); break;
  case OP_reverse:
    for (int d = 0; d < n->shape.rank; d++)
      if (n->attr[0] & 1 << d)
        in.at[d] = moved(s, KEY_REVERSE, here.at[d], n, d, x, d, n->shape.dim[d], 1);
    break;
  case OP_pad: pad_index(s, id, at, here.at, in.at, out); break;
  case OP_concat:
    in.at[dim] =
        moved(s, KEY_SHIFT, here.at[dim], n, dim, x, dim, -concat_begin(s->graph, n, k), 1);
    guard(s, id, at, k, share_of(s, n->operand[k], id), out);
    break;
  case OP_deal: dealt_index(s, id, at, false, in.at, out); break;
  case OP_undeal: dealt_index(s, id, at, true, in.at, out); break;
  case OP_pick:
    if (k == 0) pick_index(s, id, at, in.at, out);
    break;
  default: break; /* at the same index */
  }
  out->index = vector(s, in.at, x->shape.rank);
  return true;
}

bool sites_first(Sites *s, NodeId id, const Site *at) {
  Key k = {0};
  put(&k, KEY_NODE), put(&k, id), put(&k, at->loop), put(&k, at->guard), put(&k, at->index);
  put(&k, NO_INDEX);
  int before = s->nids;
  intern(s, &k);
  return s->nids > before;
}

/* -------- work -------- */

double sites_own(const Node *n) {
  double f = op_def(n->op)->flops;
  return f > 0 ? f : n->op == OP_const || n->op == OP_broadcast ? 0 : 1;
}

/* Operands that take a read if they are in memory. A constant stands in the text. */
static int reads(const Graph *g, const Node *n, const bool *stored) {
  int sum = 0;
  for (int k = 0; k < n->noperands; k++)
    if (graph_operand(g, n, k)->op != OP_const)
      sum += !stored || stored[node_base(g, n->operand[k])];
  return sum;
}

static bool is_loop(const Node *n) {
  NodeClass c = node_class(n);
  return c == CLASS_MAP || c == CLASS_REDUCE;
}

static double turns_of(Sites *s, NodeId id) {
  const Node *n = graph_node(s->graph, id);
  return sites_count(s, node_class(n) == CLASS_REDUCE ? n->operand[0] : id);
}

void sites_add(Sites *s, const bool *stored, NodeId id, const Site *at, Work *sum) {
  const Node *n = graph_node(s->graph, id);
  if (!is_loop(n)) return;
  int r = reads(s->graph, n, stored);
  sum->executed += at->turns * (sites_own(n) + r);
  sum->code += 1 + r;
}

void sites_add_store(Sites *s, NodeId id, Work *sum) {
  sum->executed += sites_count(s, id);
  sum->code += 1;
}

void sites_once(Sites *s, NodeId id, Work *sum) {
  Site own = {.turns = turns_of(s, id)};
  if (!is_loop(graph_node(s->graph, id))) return;
  sites_add(s, NULL, id, &own, sum);
  sites_add_store(s, id, sum);
}

bool work_within(const Work *work, const Work *once) {
  const double most = WORK_MOST * (1 + 1e-9);
  return work->executed <= most * once->executed && work->code <= most * once->code;
}
