/* Windows that are written into values (x[i] <- e: put). In the value's place a window takes no
 * pass over the rest. For that, what reads other elements of the value must have read them before.
 * For each window one of these, whichever moves the fewest bytes:
 *
 *   the parts that are read are stored       they are written and read once more
 *   the window is stored, where all of them
 *     go into it                             so is the window
 *   the value with the window is made
 *     elsewhere, and nothing is stored       so is the rest of the value: a stencil that leaves
 *                                            the border out is one pass, if a loop carries it
 *
 * Parts that are written back where they lie, and what is read by then, need nothing. */
#include "in_place.h"
#include "depend.h"

typedef struct PartRead {
  NodeId stored; /* what would be */
  bool late;     /* it is not read for the window alone */
  int next;      /* 1 + another of that window; 0: none */
} PartRead;

typedef struct Windows {
  Arena *arena;
  const Plan *plan;
  LocalEntry *le;
  const Graph *g;
  Sites *sites;
  const int *region;
  IntVec *reader; /* by node */
  NodeId *next;   /* by carry: what it is when a run of its region ends; 0: nothing */
  NodeId *writer; /* by node: the last that writes into it in place; 0: none */
  bool *many;     /* by node: several do */
  bool *written;  /* by node */
  VEC(PartRead) parts;
  int *part; /* by window: 1 + the last of the parts that it would change; 0: none */
  IntVec open;
  int32_t *seen, mark; /* by node, of a search */
} Windows;

static double bytes_of(const Windows *w, NodeId id) {
  return sites_count(w->sites, id) * (double)dtype_size(graph_node(w->g, id)->dtype);
}

/* -------- order -------- */

static bool is_new(Windows *w, NodeId id) {
  if (w->seen[id] == w->mark) return false;
  w->seen[id] = w->mark;
  return true;
}

static bool is_origin(Windows *w, NodeId x, NodeId than) {
  if (x == than) return true;
  if (x > than && is_new(w, x)) vec_push(w->arena, &w->open, x);
  return false;
}

/* Node id is computed from `than`, as far as that shows in so many steps. What comes out of a
 * region has been through all of what its runs computed. */
enum { ORIGINS = 4096 };
static bool comes_after(Windows *w, NodeId id, NodeId than) {
  int steps = 0;
  w->open.n = 0;
  w->mark++;
  vec_push(w->arena, &w->open, id);
  while (w->open.n && steps++ < ORIGINS) {
    const Node *n = graph_node(w->g, w->open.at[--w->open.n]);
    for (int k = 0; k < n->noperands; k++)
      if (is_origin(w, n->operand[k], than)) return true;
    const NodeId next = op_is(n, OPF_AFTER) ? w->next[n->operand[0]] : 0;
    if (next && is_origin(w, next, than)) return true;
  }
  return false;
}

/* -------- where parts go -------- */

typedef struct Flow {
  bool into_window, late;
  IntVec ends; /* stored values that are computed from the part */
} Flow;

/* Follows what is computed from a part, without memory, to where it is stored: at most so many
 * nodes, else it counts as late. */
enum { FOLLOWED = 1024 };
static void follow(Windows *w, NodeId part, NodeId writer, Flow *out) {
  const bool *stored = w->le->stored;
  int steps = 0;
  w->open.n = 0;
  w->mark++;
  vec_push(w->arena, &w->open, part);
  while (w->open.n && !out->late) {
    const NodeId id = w->open.at[--w->open.n];
    out->late = ++steps > FOLLOWED;
    for (int i = 0; i < w->reader[id].n; i++) {
      const NodeId r = w->reader[id].at[i];
      const Node *n = graph_node(w->g, r);
      if (!is_new(w, r)) continue;
      const NodeClass c = node_class(n);
      if (r == writer && n->op->updates && n->operand[1] == id && n->operand[0] != id)
        out->into_window = true;
      else if (stored[r] || w->written[r] || (c != CLASS_MAP && c != CLASS_VIEW))
        vec_push(w->arena, &out->ends, r);
      else
        vec_push(w->arena, &w->open, r);
    }
  }
}

static Flow flow_of(Windows *w, NodeId part, NodeId writer) {
  Flow f = {.into_window = false};
  follow(w, part, writer, &f);
  if (!f.ends.n && !f.into_window) f.late = true;
  for (int i = 0; i < f.ends.n && !f.late; i++) f.late = !comes_after(w, writer, f.ends.at[i]);
  return f;
}

/* The smallest part that is made of part `id` alone, through views and parts. */
static NodeId smallest_part(const Windows *w, NodeId id) {
  NodeId least = id;
  for (NodeId at = id; w->reader[at].n == 1;) {
    const NodeId next = w->reader[at].at[0];
    const Node *n = graph_node(w->g, next);
    const int shown = part_operand(w->g, n);
    if (shown < 0 || n->operand[shown] != at) break;
    if (node_class(n) != CLASS_VIEW && sites_count(w->sites, next) < sites_count(w->sites, least))
      least = next;
    at = next;
  }
  return least;
}

/* All that is computed from node id, at most so many nodes, is at the same index, and goes where
 * `part` lies: x[i] <- 2 * x[i]. */
enum { WRITTEN_BACK = 64 };
static bool is_written_back(const Windows *w, NodeId part, NodeId id, int *nodes) {
  if (w->le->stored[id] || ++*nodes > WRITTEN_BACK) return false;
  for (int i = 0; i < w->reader[id].n; i++) {
    const NodeId r = w->reader[id].at[i];
    const Node *n = graph_node(w->g, r);
    if (n->op->updates && n->operand[1] == id && n->operand[0] != id &&
        part_is_written(w->g, n, graph_node(w->g, part)))
      continue;
    if (!(op_is(n, OPF_ELEMENTWISE) || (op_class(n) == OPC_VIEW && !op_is(n, OPF_AFTER))) ||
        !is_written_back(w, part, r, nodes))
      return false;
  }
  return w->reader[id].n > 0;
}

/* -------- decisions -------- */

/* A value that is made elsewhere than the one it goes on from takes no copy: a loop that carries it
 * changes places with it, and one that is still the host's, or made outside of the loop, cannot be
 * written into. */
static bool goes_elsewhere(const Windows *w, NodeId writer) {
  const LocalEntry *le = w->le;
  NodeId of = writer;
  const Node *n;
  do of = node_base_here(w->g, graph_node(w->g, of)->operand[0]);
  while ((n = graph_node(w->g, of))->op->updates);
  if (n->op == OP_var) return false;
  if (!op_is(n, OPF_CARRY)) return true;
  const int region = (int)node_attr(n, "region");
  return w->plan->observe == OBSERVE_NOTHING && w->region && w->region[writer] == region &&
         le->entry->regions.at[region].kind == REGION_LOOP;
}

static void store_least(Windows *w, NodeId writer) {
  const Node *n = graph_node(w->g, writer);
  bool *stored = w->le->stored;
  const NodeId window = node_base(w->g, n->operand[1]);
  double parts = 0, late = 0;
  w->mark++;
  for (int i = w->part[writer]; i; i = w->parts.at[i - 1].next) {
    const PartRead *x = &w->parts.at[i - 1];
    if (!is_new(w, x->stored)) continue;
    parts += bytes_of(w, x->stored);
    if (x->late) late += bytes_of(w, x->stored);
  }
  const double with_window = late + bytes_of(w, window);
  double elsewhere = bytes_of(w, writer) - bytes_of(w, n->operand[1]);
  if (!goes_elsewhere(w, writer)) elsewhere += bytes_of(w, writer);
  if (elsewhere < parts && elsewhere < with_window) return;
  const bool in_window = with_window < parts && node_class(graph_node(w->g, window)) == CLASS_MAP;
  for (int i = w->part[writer]; i; i = w->parts.at[i - 1].next)
    if (!in_window || w->parts.at[i - 1].late) stored[w->parts.at[i - 1].stored] = true;
  if (in_window) stored[window] = true;
}

static void find_readers(Windows *w) {
  const int n = w->g->nodes.n + 1;
  w->reader = arena_array(w->arena, IntVec, n);
  w->seen = arena_array(w->arena, int32_t, n);
  w->next = arena_array(w->arena, NodeId, n);
  w->part = arena_array(w->arena, int, n);
  for (int i = 0; i < w->le->entry->regions.n; i++)
    for (int k = 0; k < w->le->region[i].carries.n; k++)
      w->next[w->le->region[i].carries.at[k].node] = w->le->region[i].carries.at[k].next;
  for (NodeId i = 0; i < w->g->nodes.n; i++) {
    const Node *x = graph_node(w->g, i);
    for (int k = 0; k < x->noperands; k++) vec_push(w->arena, &w->reader[x->operand[k]], i);
  }
}

/* What comes out of a region is written no more, unless it is written into itself. */
static void find_writers(Windows *w) {
  for (NodeId i = w->g->nodes.n - 1; i >= 0; i--) {
    const Node *n = graph_node(w->g, i);
    if (!n->op->updates && !(op_is(n, OPF_CARRY) && w->written && w->written[i])) continue;
    if (!w->written) {
      w->written = arena_array(w->arena, bool, w->g->nodes.n + 1);
      w->many = arena_array(w->arena, bool, w->g->nodes.n + 1);
      w->writer = arena_array(w->arena, NodeId, w->g->nodes.n + 1);
    }
    const NodeId of = node_base_here(w->g, n->operand[0]);
    w->many[of] = w->many[of] || w->writer[of];
    w->writer[of] = i;
    w->written[node_base(w->g, n->operand[0])] = w->written[of] = true;
  }
}

static void read_part(Windows *w, NodeId id, NodeId of) {
  const NodeId writer = w->many[of] ? 0 : w->writer[of];
  int nodes = 0;
  Flow f = {.late = true};
  if (!w->reader) find_readers(w);
  if (writer) f = flow_of(w, id, writer);
  if ((!f.late && !f.into_window) || is_written_back(w, id, id, &nodes)) return;
  const NodeId stored = smallest_part(w, id);
  if (w->le->stored[stored]) return; /* a carry's next value, and so on */
  if (!writer || !graph_node(w->g, writer)->op->updates) {
    w->le->stored[stored] = true;
    return;
  }
  vec_push(w->arena, &w->parts, ((PartRead){stored, f.late, w->part[writer]}));
  w->part[writer] = w->parts.n;
}

void in_place_store(const Plan *p, LocalEntry *le, Sites *sites, const int *region, Arena *a) {
  Windows w = {.arena = a, .plan = p, .le = le, .g = le->graph, .sites = sites, .region = region};
  find_writers(&w);
  for (NodeId i = 0; w.written && i < w.g->nodes.n; i++) {
    const Node *n = graph_node(w.g, i);
    const NodeId of = n->noperands ? node_base_here(w.g, n->operand[0]) : NO_NODE;
    if (op_class(n) == OPC_MOVE && !n->op->updates && of != NO_NODE && w.written[of] &&
        sites_count(sites, i) < sites_count(sites, of))
      read_part(&w, i, of);
    else if (w.written[i] && n->op->updates)
      le->stored[i] = true;
  }
  for (NodeId i = 0; w.parts.n && i < w.g->nodes.n; i++)
    if (w.part[i]) store_least(&w, i);
}
