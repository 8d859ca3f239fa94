/* Which loop of a function may be done in parts, each by a core of the device: the outermost one
 * whose index alone says, in every element that the function writes, where in one and the same dim
 * it is. So parts write apart, and no part reads what another writes; and as a reduced dim is in no
 * index of the result, no sum is ever cut. A function that takes too short, by the machine
 * (machine_deals), stays whole; and so does what calls functions that write memory.
 *
 *   for i in part { acc = 0; for j in 64 { acc += x[i, j] }; y[i] = acc } */
#include "loop_build.h"
#include <math.h>

enum {
  FLOPS = 2, /* of a multiply-add */
  LOOKS = 4, /* a part computes for so many times as long as it looks for what to compute */
  MOST_WRITTEN = 16
};

typedef struct PartSearch {
  Loop *l;
  const char *index; /* the candidate */
  Expr extent;       /* of its loops; NO_EXPR: none is met */
  bool fits;
  struct {
    int memory, dim;
    Expr index; /* in that dim */
    int rank;
    int64_t size; /* of an element */
  } written[MOST_WRITTEN];
  int nwritten;
  VEC(const char *) outside, inside; /* locals declared there */
  int *met, looks;                   /* by expression: the last look that met it */
  int *stamp, turn;
  bool *touched; /* nodes whose bytes are counted */
  double bytes;
} PartSearch;

/* It is another integer in each turn: the candidate, alone or in 2 i + 1. */
static bool is_apart(const PartSearch *p, Expr index) {
  const ExprNode *n = expr_node(p->l->x, index);
  bool own = n->kind == EXPR_SYMBOL && n->name == p->index;
  for (int k = 0; n->kind == EXPR_LINEAR && k < n->n; k++) {
    const ExprNode *arg = expr_node(p->l->x, n->arg[k]);
    if (arg->kind == EXPR_SYMBOL && arg->name == p->index)
      own = n->coef[k] != 0;
    else if (arg->kind != EXPR_PARAM)
      return false;
  }
  return own;
}

/* The dim of an element's index that tells turns apart; -1: none. */
static int dim_of(const PartSearch *p, const ExprNode *load) {
  for (int d = 0; d < load->n; d++)
    if (is_apart(p, load->arg[d])) return d;
  return -1;
}

static void write_to(PartSearch *p, const ExprNode *load) {
  const int dim = dim_of(p, load), memory = loop_memory(p->l, (NodeId)load->v);
  int k = 0;
  while (k < p->nwritten && p->written[k].memory != memory) k++;
  if (dim < 0 || k == MOST_WRITTEN ||
      (k < p->nwritten && (p->written[k].dim != dim || p->written[k].rank != load->n ||
                           p->written[k].index != load->arg[dim]))) {
    p->fits = false;
    return;
  }
  p->written[k].memory = memory, p->written[k].dim = dim, p->written[k].rank = load->n;
  p->written[k].index = load->arg[dim];
  p->written[k].size = (int64_t)dtype_size(graph_node(p->l->g, (NodeId)load->v)->dtype);
  if (k == p->nwritten) p->nwritten++;
}

static bool is_among(const char *const *list, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (list[i] == name) return true;
  return false;
}

/* A local that lives longer than one iteration. */
static void set_local(PartSearch *p, const char *name, bool in) {
  if (in && !is_among(p->inside.at, p->inside.n, name) &&
      is_among(p->outside.at, p->outside.n, name))
    p->fits = false;
}

/* Addresses: what is called may write there. */
static void look_at(PartSearch *p, Expr e, bool in) {
  const ExprNode *n = expr_node(p->l->x, e);
  if (p->met[e] == p->looks) return;
  p->met[e] = p->looks;
  if (n->kind == EXPR_ADDRESS) {
    const ExprNode *of = expr_node(p->l->x, n->arg[0]);
    if (of->kind == EXPR_LOCAL)
      set_local(p, of->name, in);
    else
      p->fits = false;
  }
  if (n->kind == EXPR_CALL)
    for (int i = 0; i < n->n; i++) {
      const ExprNode *of = expr_node(p->l->x, n->arg[i]);
      if (of->kind == EXPR_LOCAL && !of->n) set_local(p, of->name, in); /* an array */
    }
  for (int i = 0; i < n->n; i++) look_at(p, n->arg[i], in);
}

static void look_fresh(PartSearch *p, Expr e, bool in) {
  p->looks++;
  if (e != NO_EXPR) look_at(p, e, in);
}

/* Whether the loops of the candidate are all alike, and all else that is written is in them. */
static void scan(PartSearch *p, const LoopStmt *s, bool in) {
  const int inside = p->inside.n;
  for (; s && p->fits; s = s->next) {
    const bool own = s->kind == STMT_FOR && s->name == p->index;
    if (own) {
      if (in || !loop_counts_up(p->l->x, s) || (p->extent != NO_EXPR && p->extent != s->b))
        p->fits = false;
      p->extent = s->b;
    }
    const ExprNode *to = s->a == NO_EXPR ? NULL : expr_node(p->l->x, s->a);
    const bool sets = s->kind == STMT_SET || s->kind == STMT_STORE;
    if (sets && to->kind == EXPR_LOAD) {
      if (!in) p->fits = false;
      write_to(p, to);
    } else if (sets && (to->kind == EXPR_LOCAL || to->kind == EXPR_SYMBOL)) {
      set_local(p, to->name, in);
    } else if (sets) {
      p->fits = false;
    }
    if (s->kind == STMT_FOR && s->goes_on) set_local(p, s->name, in);
    if (s->kind == STMT_RETURN || s->local == LOCAL_POINTER || s->local == LOCAL_SCATTER)
      p->fits = false;
    if (s->kind == STMT_LOCAL && in) vec_push(p->l->arena, &p->inside, s->name);
    if (s->kind == STMT_LOCAL && !in) vec_push(p->l->arena, &p->outside, s->name);
    look_fresh(p, s->kind == STMT_LOCAL || !sets ? s->a : s->b, in);
    scan(p, s->body, in || own);
    scan(p, s->other, in || own);
  }
  p->inside.n = inside;
}

/* Reads of what is written are at the same place of the dim. */
static void check_reads(PartSearch *p) {
  const Exprs *x = p->l->x;
  for (Expr e = 0; e < x->n && p->fits; e++) {
    const ExprNode *n = expr_node(x, e);
    if (n->kind != EXPR_LOAD || !p->stamp[e]) continue; /* of another form of the function */
    const int memory = loop_memory(p->l, (NodeId)n->v);
    for (int k = 0; k < p->nwritten; k++)
      if (p->written[k].memory == memory &&
          (p->written[k].rank != n->n || n->arg[p->written[k].dim] != p->written[k].index))
        p->fits = false;
  }
}

/* -------- time -------- */

static double ops_of(PartSearch *p, Expr e) {
  const ExprNode *n = expr_node(p->l->x, e);
  if (p->stamp[e] == p->turn) return 0;
  p->stamp[e] = p->turn;
  double ops = 0;
  if (n->kind == EXPR_OP || n->kind == EXPR_RANDOM) ops = fmax(1, n->op->flops);
  if (n->kind == EXPR_CALL) ops = 1;
  if (n->kind == EXPR_LOAD && n->n) {
    const Node *of = graph_node(p->l->g, (NodeId)n->v);
    ops = 1;
    if (!p->touched[n->v])
      p->bytes += (double)most_elements(p->l, of) * (double)dtype_size(of->dtype) *
                  (p->l->share > 0 ? p->l->share : 1);
    p->touched[n->v] = true;
  }
  for (int i = 0; i < n->n; i++) ops += ops_of(p, n->arg[i]);
  return ops;
}

/* Operations of statements; a loop of an unknown number of turns counts once. */
static double ops_of_all(PartSearch *p, const LoopStmt *s) {
  double ops = 0;
  for (; s; s = s->next) {
    double turns = 1;
    p->turn++;
    if (s->a != NO_EXPR) ops += ops_of(p, s->a);
    if (s->kind == STMT_SET || s->kind == STMT_STORE) ops += ops_of(p, s->b);
    if (s->kind == STMT_FOR) {
      const ExprNode *from = expr_node(p->l->x, s->a), *to = expr_node(p->l->x, s->b),
                     *by = expr_node(p->l->x, s->c);
      const bool known = to->hi < INT64_MAX / 2 && (from->lo == from->hi || s->within);
      if (known && to->hi > from->lo) turns = (double)(to->hi - from->lo);
      if (by->lo > 1) turns /= (double)by->lo;
    }
    ops += turns * ops_of_all(p, s->body) + ops_of_all(p, s->other);
  }
  return ops;
}

static double seconds(PartSearch *p) {
  const Machine *m = p->l->plan->program->machine;
  const double ops = (ops_of_all(p, p->l->f.body) + p->l->called_ops) / m->vector_flops;
  const bool near = p->bytes <= (double)machine_cache(m, CACHE_L2) / 2;
  return fmax(ops, p->bytes / (near ? m->cache[CACHE_L2].bandwidth : m->memory_bandwidth));
}

/* -------- the choice -------- */

/* Indices of loops over all of a dim, outermost first. */
typedef struct Indices {
  VEC(const char *) names;
} Indices;

static void collect(PartSearch *p, const LoopStmt *s, Indices *out) {
  for (; s; s = s->next) {
    if (s->kind == STMT_FOR && !s->goes_on && !is_among(out->names.at, out->names.n, s->name))
      vec_push(p->l->arena, &out->names, s->name);
    collect(p, s->body, out);
    collect(p, s->other, out);
  }
}

static int64_t turns_of(const PartSearch *p) {
  const ExprNode *n = expr_node(p->l->x, p->extent);
  return n->hi < INT64_MAX / 2 ? n->hi : 0;
}

static bool try(PartSearch *p, const char *index) {
  p->index = index;
  p->extent = NO_EXPR;
  p->fits = true;
  p->nwritten = p->outside.n = p->inside.n = 0;
  scan(p, p->l->f.body, false);
  check_reads(p);
  return p->fits && p->nwritten && p->extent != NO_EXPR;
}

/* Elements of a cache line where the index is the last of what is written, so that parts of whole
 * ones share none; 0: it is the last of nothing. A turn that takes so long that fewer are a part
 * shares them: to hand over a line is nothing beside it, and whole ones would be few parts. */
static int64_t innermost_line(const PartSearch *p) {
  int64_t line = 0;
  for (int k = 0; k < p->nwritten; k++) {
    if (p->written[k].dim != p->written[k].rank - 1) continue;
    const int64_t own = machine_line(loop_machine(p->l), p->written[k].size);
    if (own > line) line = own;
  }
  return line;
}

/* Rounded up to whole lines, and to what compilers take at once, of which nothing is left over. */
static int64_t in_whole(int64_t n, int64_t line, int64_t unrolled) {
  const int64_t each = line > unrolled ? line : unrolled;
  return (n + each - 1) / each * each;
}

/* A turn writes to memory at its end, not in loops of its own or around it. */
static bool writes_once(const PartSearch *p, const LoopStmt *s, bool in) {
  for (; s; s = s->next) {
    const bool sets = s->kind == STMT_SET || s->kind == STMT_STORE;
    if (in && sets && expr_node(p->l->x, s->a)->kind == EXPR_LOAD) return false;
    const bool loops = in || (s->kind == STMT_FOR && s->name != p->index) || s->kind == STMT_WHILE;
    if (!writes_once(p, s->body, loops) || !writes_once(p, s->other, loops)) return false;
  }
  return true;
}

/* The builder says which turns write apart. */
static void known_part(PartSearch *p, double time) {
  Loop *l = p->l;
  LoopFunction *f = &l->f;
  p->extent = l->apart_extent;
  const int64_t most = turns_of(p);
  const Machine *m = l->plan->program->machine;
  /* A look is a load, a comparison and a branch: the time of an operation of a vector. */
  const double look = FLOPS * (double)machine_vector(m, sizeof(float)) / m->vector_flops,
               looks = LOOKS * look * (double)l->looks, least = fmax(machine_part(m), looks);
  const bool whole = !machine_deals(m, time) || least > time / 2;
  f->part = whole && !l->ranges ? NULL : expr_node(l->x, l->apart)->name;
  f->iterations = p->extent;
  f->grain = whole ? LOOP_ALL_ROWS : (int64_t)ceil(least * (double)most / time);
}

static PartSearch part_new(Loop *l, Arena *scratch) {
  const int n = l->x->n;
  return (PartSearch){.l = l,
                      .met = arena_array(scratch, int, n),
                      .stamp = arena_array(scratch, int, n),
                      .touched = arena_array(scratch, bool, l->g->nodes.n)};
}

static void part(Loop *l, Arena *scratch, bool known) {
  LoopFunction *f = &l->f;
  PartSearch p = part_new(l, scratch);
  Indices all = {0};
  const Machine *m = l->plan->program->machine;
  const double time = seconds(&p);
  if (!machine_deals(m, time) && !known) return;
  if (known) {
    known_part(&p, time);
    return;
  }
  collect(&p, f->body, &all);
  int64_t most = 1;
  for (int i = 0; i < all.names.n && most < PARTS_ENOUGH; i++) {
    if (!try(&p, all.names.at[i]) || turns_of(&p) <= most) continue;
    most = turns_of(&p);
    f->part = p.index;
    f->iterations = p.extent;
    f->grain = (int64_t)ceil(machine_part(m) / (time / (double)most));
    const int64_t line = innermost_line(&p);
    if (line && (f->grain > line || !writes_once(&p, f->body, false)))
      f->grain = in_whole(f->grain, line, loop_unrolled(l));
  }
  if (f->part && f->grain >= most) f->part = NULL;
}

void loop_part(Loop *l) {
  const LoopFunction *f = &l->f;
  const bool known = l->apart != NO_EXPR;
  if (l->tile || f->returns || (f->partial != NO_NODE && !known)) return;
  const ArenaMark mark = arena_mark(l->plan->scratch);
  part(l, l->plan->scratch, known);
  arena_release(l->plan->scratch, mark);
}

bool loop_deals(Loop *l) {
  const Machine *m = l->plan->program->machine;
  const ArenaMark mark = arena_mark(l->plan->scratch);
  PartSearch p = part_new(l, l->plan->scratch);
  const double time = seconds(&p);
  arena_release(l->plan->scratch, mark);
  return machine_deals(m, time) && machine_part(m) <= time / 2;
}

bool loop_turns_apart(Loop *l, const char *index) {
  const ArenaMark mark = arena_mark(l->plan->scratch);
  PartSearch p = part_new(l, l->plan->scratch);
  const bool apart = try(&p, index);
  arena_release(l->plan->scratch, mark);
  return apart;
}
