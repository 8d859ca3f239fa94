/* What loop.h calls laws. */
#include "loop.h"
#include <string.h>

/* -------- functions -------- */

typedef struct IndexCheck {
  Arena *arena;
  const Plan *plan;
  const LocalEntry *le;
  const Exprs *x;
  bool *met;
  VEC(const char *) index; /* of the loops around */
  const char *breach;
} IndexCheck;

/* What ranges say of an integer is exact: of loop indices alone, each of which it has once. `had`:
 * set of those met. */
static bool is_exact(const IndexCheck *c, Expr e, uint32_t *had) {
  const ExprNode *n = expr_node(c->x, e);
  for (int i = 0; n->kind == EXPR_SYMBOL && i < c->index.n; i++)
    if (n->name == c->index.at[i]) {
      const bool again = *had >> i & 1;
      *had |= 1u << i;
      return !again;
    }
  if (n->kind != EXPR_LINEAR && n->kind != EXPR_DIV && n->kind != EXPR_MOD) return false;
  for (int i = 0; i < n->n; i++)
    if (!is_exact(c, n->arg[i], had)) return false;
  return true;
}

/* No loop that runs reads such a tensor, so that an index of it may be anything: -1 - i of the
 * elements in reverse order. */
static bool is_empty(const Node *of) {
  for (int d = 0; d < of->shape.rank; d++)
    if (!of->shape.dim[d]) return true;
  return false;
}

/* What the index of dim d of a load has to stay below. Dims in front of it whose index is 0 are one
 * with it where a loop is over all of them. */
static int64_t most_index(const IndexCheck *c, const ExprNode *load, const Node *of, int d) {
  const Mesh *m = &c->plan->program->mesh;
  int64_t most = dim_block_most(m, &of->layout->dim[d], of->shape.dim[d]);
  for (; d > 0; d--) {
    const ExprNode *i = expr_node(c->x, load->arg[d - 1]);
    if (i->lo || i->hi) break;
    most *= dim_block_most(m, &of->layout->dim[d - 1], of->shape.dim[d - 1]);
  }
  return most;
}

static void check(IndexCheck *c, Expr e) {
  if (c->met[e] || c->breach) return;
  const ExprNode *n = expr_node(c->x, e);
  c->met[e] = true;
  const Node *of = n->kind == EXPR_LOAD ? graph_node(c->le->graph, (NodeId)n->v) : NULL;
  for (int d = 0; of && !is_empty(of) && n->n == of->shape.rank && d < n->n; d++) {
    const ExprNode *i = expr_node(c->x, n->arg[d]);
    const int64_t most = most_index(c, n, of, d);
    uint32_t had = 0;
    if ((i->lo >= 0 && i->hi < most) || !is_exact(c, n->arg[d], &had)) continue;
    Str s = str_new(c->arena);
    expr_put(&s, c->x, c->plan->program, c->le->graph, e, NULL);
    c->breach = s.at;
    return;
  }
  /* Parts of a select hold where its conditions do, of which ranges say nothing. */
  for (int i = 0; i < n->n; i++)
    if (!expr_is_part(n, i)) check(c, n->arg[i]);
}

static void check_all(IndexCheck *c, const LoopStmt *s) {
  for (; s && !c->breach; s = s->next) {
    if (s->a != NO_EXPR) check(c, s->a);
    if (s->kind == STMT_SET || s->kind == STMT_STORE) check(c, s->b);
    if (s->kind == STMT_IF) continue;
    const int around = c->index.n;
    if (s->kind == STMT_FOR && around < 32 && !s->within) vec_push(c->arena, &c->index, s->name);
    check_all(c, s->body);
    c->index.n = around;
  }
}

const char *loop_verify(Arena *a, const Plan *p, const LocalEntry *le, const LoopFunction *f) {
  IndexCheck c = {.arena = a, .plan = p, .le = le, .x = f->x, .met = arena_array(a, bool, f->x->n)};
  check_all(&c, f->body);
  return c.breach;
}

/* -------- entries -------- */

typedef struct EntryCheck {
  Arena *arena;
  const Plan *plan;
  const LoopEntry *en;
  const Exprs *x;
  const LoopRepeat *in;        /* the repeated block around */
  int64_t next;                /* number of the next step */
  uint32_t started[8];         /* set of slots */
  VEC(const Rotation *) moved; /* by the loops around, outermost first */
  NodeId where;
  const char *breach;
} EntryCheck;

/* The most that the address of a view can be. */
static int64_t most_address(const EntryCheck *c, const LoopView *v) {
  const ExprNode *at = expr_node(c->x, expr_node(c->x, v->address)->arg[0]);
  int64_t most = at->v;
  if (at->kind != EXPR_COLUMN) return most;
  for (int i = most = 0; c->in && i < c->in->runs; i++) {
    const int64_t own = c->in->given[i * c->in->columns + at->v];
    if (own > most) most = own;
  }
  return most;
}

static bool fits_space(const EntryCheck *c, const LoopView *v) {
  const Node *n = graph_node(c->en->le->graph, v->node);
  const ExprNode *m = expr_node(c->x, v->address);
  if (m->v == SPACE_INPUT || m->v == SPACE_OUTPUT) return true;
  int64_t bytes = layout_bytes(&c->plan->program->mesh, n->layout, &n->shape, v->type);
  if (v->partial || bytes > c->en->le->buffers.at[v->buffer].bytes) /* of one tile alone */
    bytes = c->en->le->buffers.at[v->buffer].bytes;
  return most_address(c, v) + bytes <=
         (m->v != SPACE_ARENA ? c->plan->vars_bytes : c->en->le->arena_bytes);
}

/* The element that a tile begins with is one. */
static bool place_lies(const EntryCheck *c, const ExprNode *n) {
  const LoopView *v = &c->en->views.at[n->v];
  if (n->n && n->n != (v->rank ? v->rank : 1)) return false;
  for (int d = 1; d < n->n; d++) {
    const ExprNode *i = expr_node(c->x, n->arg[d]), *room = expr_node(c->x, v->room[d]);
    if (i->lo == i->hi && i->lo > 0 && room->lo == room->hi && i->lo >= room->lo) return false;
  }
  return true;
}

static bool passes_all(const EntryCheck *c, const ExprNode *n) {
  const LoopFunction *f = &c->en->runs.at[n->v];
  const int last = f->used.n + f->buffers.n + (f->partial != NO_NODE);
  if (n->n != last + (f->part ? 2 : 0)) return false;
  for (int i = f->used.n; i < last; i++) {
    const ExprNode *p = expr_node(c->x, n->arg[i]);
    if (p->kind == EXPR_AFTER) p = expr_node(c->x, p->arg[0]);
    if (p->kind != EXPR_PLACE) return false;
    const int b = i - f->used.n;
    const LoopView *v = &c->en->views.at[p->v];
    if (b == f->buffers.n ? v->type != f->partial_type
                          : v->type != graph_node(c->en->le->graph, f->buffers.at[b].node)->dtype)
      return false;
  }
  return true;
}

static void breaks(EntryCheck *c, const char *what) {
  if (!c->breach) c->breach = what;
}

static void check_list(EntryCheck *c, const LoopStmt *s);
static bool is_in_moved(const EntryCheck *c, int buffer);

/* It has no name that moves with the buffer. */
static bool is_moved_place(const EntryCheck *c, const ExprNode *n) {
  const int64_t at = expr_node(c->x, n->arg[0])->v;
  const LocalEntry *le = c->en->le;
  for (int i = 0; n->v == SPACE_ARENA && i < le->buffers.n; i++) {
    const Buffer *b = &le->buffers.at[i];
    if (is_in_moved(c, i) && at >= b->offset && at < b->offset + b->bytes) return true;
  }
  return false;
}

static void check_expr(EntryCheck *c, Expr e) {
  const ExprNode *n = expr_node(c->x, e);
  const LoopRepeat *r = c->in;
  if (n->kind == EXPR_PLACE && !place_lies(c, n)) breaks(c, "a place that is not in its view");
  if (n->kind == EXPR_PLACE && !fits_space(c, &c->en->views.at[n->v]))
    breaks(c, "a view that is not in its memory");
  if (n->kind == EXPR_PLACE && c->in && c->in->steps &&
      is_in_moved(c, c->en->views.at[n->v].buffer))
    breaks(c, "a repeated block with memory that changes places");
  if (n->kind == EXPR_MEMORY && c->moved.n && is_moved_place(c, n))
    breaks(c, "memory that changes places is named by one of them");
  if (n->kind == EXPR_RUN && !passes_all(c, n)) breaks(c, "a call that does not fit its function");
  if (n->kind == EXPR_COLUMN && (!r || n->v >= r->columns)) breaks(c, "a column of no table");
  for (int i = 0; i < n->n; i++) check_expr(c, n->arg[i]);
  if (n->kind == EXPR_ROWS) check_list(c, c->en->rows.at[n->v].body);
}

static void check_exchange(EntryCheck *c, const LoopStmt *s) {
  uint32_t *set = &c->started[s->count >> 5 & 7];
  const uint32_t bit = 1u << (s->count & 31);
  if (!s->count) return;
  if (s->a != NO_EXPR && *set & bit) breaks(c, "an in-flight slot that is started twice");
  if (s->a == NO_EXPR && !(*set & bit)) breaks(c, "a wait for what is not started");
  *set ^= bit;
}

static void check_step(EntryCheck *c, const LoopStmt *s) {
  int64_t number;
  if (s->step) c->where = s->step->nodes.at[0];
  if (s->a == NO_EXPR) return;
  if (c->in) {
    c->next++;
    return; /* numbers of the first run, which are relative */
  }
  if (!expr_is_int(c->x, s->a, &number) || number != c->next) breaks(c, "a step out of order");
  c->next = number + 1;
}

/* Before a loop, at the end of its body and behind it. */
static void check_rotation(EntryCheck *c, const LoopStmt *s) {
  const Rotation *last = c->moved.n ? c->moved.at[c->moved.n - 1] : NULL;
  const LoopStmt *loop = s->next;
  while (loop && loop->kind == STMT_ROTATE) loop = loop->next;
  if (s->count == ROTATE_BEGIN) {
    vec_push(c->arena, &c->moved, s->rotation);
    if (!loop || loop->kind != STMT_WHILE) breaks(c, "buffers change places in no loop");
  } else if (s->count == ROTATE_RUN) {
    bool begun = false;
    for (int i = 0; i < c->moved.n; i++) begun = begun || c->moved.at[i] == s->rotation;
    if (!begun || loop) breaks(c, "buffers change places within a run");
  } else if (last == s->rotation) {
    c->moved.n--;
  } else {
    breaks(c, "buffers are moved back that did not change places");
  }
}

static bool is_in_moved(const EntryCheck *c, int buffer) {
  for (int i = 0; i < c->moved.n; i++)
    for (int k = 0; k < c->moved.at[i]->buffers.n; k++)
      if (c->moved.at[i]->buffers.at[k] == buffer) return true;
  return false;
}

static void check_list(EntryCheck *c, const LoopStmt *s) {
  for (; s && !c->breach; s = s->next) {
    if (s->kind == STMT_ROTATE) check_rotation(c, s);
    const LoopRepeat *around = c->in;
    const int64_t next = c->next;
    if (s->kind == STMT_REPEAT) c->in = s->repeat;
    if (s->kind == STMT_STEP) check_step(c, s);
    if (s->kind == STMT_EXCHANGE) check_exchange(c, s);
    if (s->a != NO_EXPR && s->kind != STMT_STEP) check_expr(c, s->a);
    if (s->kind == STMT_FOR) check_expr(c, s->b), check_expr(c, s->c);
    check_list(c, s->body);
    check_list(c, s->other);
    if (s->kind != STMT_REPEAT) continue;
    if (c->next != next + c->in->steps) breaks(c, "a block of other steps than it declares");
    c->next = next + (int64_t)c->in->steps * c->in->runs;
    c->in = around;
  }
}

/* Arrays of a function are `restrict`: what it writes lies in none of the others. */
static const char *not_apart(Arena *a, const LocalEntry *le, const LoopFunction *f) {
  for (int i = 0; i < f->buffers.n; i++)
    for (int k = 0; k < f->buffers.n; k++) {
      const LoopBuffer *x = &f->buffers.at[i], *y = &f->buffers.at[k];
      const int lies = le->buffer[node_base(le->graph, x->node)];
      if (i != k && x->written && lies >= 0 && lies == le->buffer[node_base(le->graph, y->node)])
        return arena_printf(a, "%s is written where %s is read as another array",
                            node_called(graph_node(le->graph, x->node)),
                            node_called(graph_node(le->graph, y->node)));
    }
  return NULL;
}

const char *loop_verify_function(Arena *a, const Plan *p, const LocalEntry *le,
                                 const LoopFunction *f) {
  const char *outside = loop_verify(a, p, le, f), *breach;
  if (outside) return arena_printf(a, "an index leaves its block: %s", outside);
  breach = not_apart(a, le, f);
  return breach ? breach : loop_verify_sum(a, p, le, f);
}

const char *loop_verify_entry(Arena *a, const Plan *p, const LoopEntry *en, NodeId *where) {
  EntryCheck c = {.arena = a, .plan = p, .en = en, .x = en->x, .breach = en->outside};
  for (int i = 0; i < en->runs.n && !c.breach; i++)
    if (en->runs.at[i].x) c.breach = loop_verify_function(a, p, en->le, &en->runs.at[i]);
  check_list(&c, en->body);
  if (c.next < en->le->steps.n) breaks(&c, "steps that are missing");
  for (int i = 0; i < 8; i++)
    if (c.started[i]) breaks(&c, "an in-flight slot that is not awaited");
  *where = c.where;
  return c.breach;
}
