/* Splitting loops at the conditions of their index. The parts of a concat, the borders of a pad:
 * for each range of the index the conditions are known, so that a loop over it computes one part
 * and asks nothing. Emitted code may not grow by it beyond the law of bounded work: the expressions
 * of all parts together are at most twice the one they replace. */
#include "loop_build.h"
#include "thresholds.h"
#include <stdlib.h>

typedef struct Find {
  const Loop *l;
  Expr index; /* NO_EXPR: no cuts are looked for */
  int64_t len;
  Cuts *cut;
  bool *met; /* by expression; of `size` */
  int size;
  int code, once; /* operations and reads; the same if each value had a loop */
} Find;

/* The index at which a condition changes, where it is about the index alone. */
static void add_cut(Find *f, const ExprNode *n) {
  Exprs *x = f->l->x;
  const Expr left = expr_sub(x, n->arg[0], n->arg[1]);
  const ExprNode d = *expr_node(x, left);
  int64_t at = 0;
  if (left != f->index) {
    if (d.kind != EXPR_LINEAR || d.n != 1 || d.arg[0] != f->index) return;
    if (d.coef[0] != 1 && d.coef[0] != -1) return;
    at = d.coef[0] > 0 ? -d.v : d.v + 1;
  }
  if (at > 0 && at < f->len) vec_push(f->l->arena, f->cut, at);
}

static void find(Find *f, Expr e) {
  if (e < f->size && f->met[e]) return;
  const ExprNode n = *expr_node(f->l->x, e);
  if (e < f->size) f->met[e] = true;
  const bool select = n.kind == EXPR_SELECT;
  f->code += n.kind == EXPR_LOAD || n.kind >= EXPR_OP || n.kind == EXPR_COUNT;
  if (n.kind >= EXPR_OP) f->once += 2 + (select ? n.n / 2 : n.n);
  if (f->index != NO_EXPR && (n.kind == EXPR_LESS || n.kind == EXPR_LEAST)) add_cut(f, &n);
  for (int i = 0; i < n.n; i++) find(f, n.arg[i]);
}

static Find look(Loop *l, const Step *s, const At *at, Expr index, int64_t len, Cuts *cut) {
  Find f = {.l = l, .index = index, .len = len, .cut = cut};
  Expr *e = arena_array(l->arena, Expr, s->nodes.n);
  for (int i = 0; i < s->nodes.n; i++) e[i] = loop_as_holds(l, loop_value(l, s->nodes.at[i], at));
  f.size = l->x->n;
  f.met = arena_array(l->arena, bool, f.size);
  for (int i = 0; i < s->nodes.n; i++) find(&f, e[i]);
  return f;
}

int loop_last(const Loop *l, const Node *n, const At *at) {
  int last = -1;
  for (int d = 0; d < n->shape.rank; d++)
    if (has_loop(l, at, d)) last = d;
  return last;
}

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void sort_cuts(Arena *a, Cuts *cut, int64_t len) {
  vec_push(a, cut, 0);
  vec_push(a, cut, len);
  qsort(cut->at, (size_t)cut->n, sizeof *cut->at, by_value);
  int n = 0;
  for (int i = 0; i < cut->n; i++)
    if (!n || cut->at[i] != cut->at[n - 1]) cut->at[n++] = cut->at[i];
  cut->n = n;
}

static int code_of_parts(Loop *l, const Step *s, const At *at, SplitDims dims, int d, int most);

/* The interior of dim d, and the bodies that ask before and behind it, or in turns outside. */
static int code_of_ranged(Loop *l, const Step *s, const At *at, SplitDims dims, int d, int most) {
  const Interior *in = &l->interior[d];
  const bool last = d == loop_last(l, graph_node(l->g, s->nodes.at[0]), at);
  const int bodies = last ? (in->from != NO_EXPR) + (in->to != NO_EXPR) : 1,
            outside = bodies * look(l, s, at, NO_EXPR, 0, NULL).code, had = loop_holds(l, in);
  const int inside = code_of_parts(l, s, at, dims, d + 1, most - outside);
  l->holds.n = had;
  return outside + inside;
}

/* The expressions of all parts that splitting `dims` makes, from dim `d` on; counting ends beyond
 * `most`, and with too many parts. */
static int code_of_parts(Loop *l, const Step *s, const At *at, SplitDims dims, int d, int most) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  while (d < n->shape.rank && !((dims.parts | dims.inner | dims.ranged) >> d & 1)) d++;
  if (d == n->shape.rank) return look(l, s, at, NO_EXPR, 0, NULL).code;
  if (dims.ranged >> d & 1) return code_of_ranged(l, s, at, dims, d, most);
  Cuts cut = {0};
  int sum = 0;
  if (dims.inner >> d & 1) {
    const At part = loop_inner_part(l, s, at, d, &cut);
    sum = look(l, s, at, NO_EXPR, 0, NULL).code;
    return sum + code_of_parts(l, s, &part, dims, d + 1, most - sum);
  }
  loop_cuts(l, s, at, d, &cut);
  for (int i = 0; i + 1 < cut.n && sum <= most; i++) {
    const At part = at_part(l, at, d, cut.at[i], cut.at[i + 1] - 1);
    sum += code_of_parts(l, s, &part, dims, d + 1, most - sum);
  }
  return sum;
}

/* What the loop over dim d counts up to, if that is a number. */
static bool size_of(Loop *l, const Node *n, int d, int64_t *size) {
  const bool in_block = l->in_block[d] != NO_EXPR;
  return expr_is_int(l->x, in_block ? site_extent(l, n, d) : site_len(l, n, d), size);
}

void loop_cuts(Loop *l, const Step *s, const At *at, int d, Cuts *cut) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  int64_t size = 0;
  size_of(l, n, d, &size);
  look(l, s, at, loop_index(l, at, d), size, cut);
  sort_cuts(l->arena, cut, size);
}

At loop_inner_part(Loop *l, const Step *s, const At *at, int d, Cuts *longest) {
  Cuts cut = {0};
  int k = 0;
  loop_cuts(l, s, at, d, &cut);
  for (int i = 1; i + 1 < cut.n; i++)
    if (cut.at[i + 1] - cut.at[i] > cut.at[k + 1] - cut.at[k]) k = i;
  vec_push(l->arena, longest, cut.at[k]);
  vec_push(l->arena, longest, cut.at[k + 1]);
  return at_part(l, at, d, cut.at[k], cut.at[k + 1] - 1);
}

/* Dims that are left, though asked for, around others: what is inside of all conditions has a body
 * of its own, and the loop asks once for all that it has within: compilers would ask in each element,
 * of which there are many more. */
static void find_inner(Loop *l, const Step *s, const At *at, uint32_t left, int most,
                       SplitDims *dims) {
  const int last = loop_last(l, graph_node(l->g, s->nodes.at[0]), at);
  for (int d = 0; d < last; d++) {
    if (!(left >> d & 1)) continue;
    dims->inner |= 1u << d;
    if (code_of_parts(l, s, at, *dims, 0, most) > most) dims->inner &= ~(1u << d);
  }
}

/* Dims whose conditions change at places known while running alone, innermost first, as those are
 * asked for most often. Whether all of them have a body for their interior. */
static bool find_ranged(Loop *l, const Step *s, const At *at, uint32_t asked, int most,
                        SplitDims *dims) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  bool all = true;
  for (int d = n->shape.rank - 1; d >= 0; d--) {
    if (!has_loop(l, at, d) || asked >> d & 1 || l->in_block[d] != NO_EXPR ||
        !loop_interior(l, s, at, d, &l->interior[d]))
      continue;
    dims->ranged |= 1u << d;
    if (code_of_parts(l, s, at, *dims, 0, most) <= most) continue;
    dims->ranged &= ~(1u << d);
    all = false;
  }
  return all;
}

/* Most loops have no condition, and that is soon seen. */
static bool asks(Loop *l, const Step *s, const At *at) {
  for (int i = 0; i < s->nodes.n; i++) loop_value(l, s->nodes.at[i], at);
  for (Expr e = 0; e < l->x->n; e++)
    if (expr_node(l->x, e)->kind == EXPR_SELECT) return true;
  return false;
}

/* The longest part of dim d asks, too, at places that are known while running alone. */
static bool asks_within(Loop *l, const Step *s, const At *at, int d) {
  Cuts longest = {0};
  Interior in;
  if (l->in_block[d] != NO_EXPR) return false;
  const At part = loop_inner_part(l, s, at, d, &longest);
  return loop_interior(l, s, &part, d, &in);
}

bool loop_split(Loop *l, const Step *s, const At *at, SplitDims *dims) {
  const Node *n = graph_node(l->g, s->nodes.at[0]);
  int parts = 1, by[MAX_RANK] = {0};
  uint32_t asked = 0;
  *dims = (SplitDims){0};
  l->holds.n = 0;
  if (in_band(l, s->nodes.at[0]) || !asks(l, s, at)) return true;
  const int once = look(l, s, at, NO_EXPR, 0, NULL).once;
  for (int d = 0; d < n->shape.rank; d++) {
    Cuts cut = {0};
    int64_t size;
    if (!has_loop(l, at, d) || !size_of(l, n, d, &size)) continue;
    look(l, s, at, loop_index(l, at, d), size, &cut);
    sort_cuts(l->arena, &cut, size);
    if (cut.n <= 2 || asks_within(l, s, at, d)) continue;
    asked |= 1u << d;
    if (cut.n > LOOP_PARTS || l->in_block[d] != NO_EXPR) continue; /* a tile has some of them */
    by[d] = cut.n - 1;
    parts = parts > LOOP_PARTS ? parts : parts * by[d];
    dims->parts |= 1u << d;
  }
  /* Too much for all: the dims with the most parts are left. */
  while (dims->parts && (parts > LOOP_PARTS ||
                         code_of_parts(l, s, at, *dims, 0, WORK_MOST * once) > WORK_MOST * once)) {
    int least = -1;
    for (int d = 0; d < n->shape.rank; d++)
      if (dims->parts >> d & 1 && (least < 0 || by[d] < by[least])) least = d;
    dims->parts &= ~(1u << least);
    parts = 1;
    for (int d = 0; d < n->shape.rank; d++)
      if (dims->parts >> d & 1 && parts <= LOOP_PARTS) parts *= by[d];
  }
  find_inner(l, s, at, asked & ~dims->parts, WORK_MOST * once, dims);
  return find_ranged(l, s, at, asked, WORK_MOST * once, dims) && dims->parts == asked;
}

/* -------- loops apart -------- */

static Step *new_step(Loop *l, const Step *like) {
  Step *s = arena_new_of(l->arena, Step);
  *s = *like;
  s->nodes.at = NULL;
  s->nodes.n = s->nodes.cap = 0;
  return s;
}

/* The expression reads memory that one of the step's values was written over. */
static bool reads_over(Loop *l, const Step *written, Expr e) {
  const ExprNode n = *expr_node(l->x, e);
  if (n.kind == EXPR_LOAD)
    for (int i = 0; i < written->nodes.n; i++)
      if (loop_memory(l, (NodeId)n.v) == loop_memory(l, written->nodes.at[i]) &&
          node_base(l->g, (NodeId)n.v) != written->nodes.at[i])
        return true;
  for (int i = 0; i < n.n; i++)
    if (reads_over(l, written, n.arg[i])) return true;
  return false;
}

void loop_step_is(Loop *l, const Step *rest) {
  l->step = rest;
  for (int i = 0; i < 4; i++) l->known[i].n = 0;
}

static bool may_follow(Loop *l, const StepList *groups, const At *at) {
  Step *before = new_step(l, groups->at[0].own);
  for (int k = 0; k < groups->n; k++) {
    const Step *own = groups->at[k].own;
    loop_step_is(l, groups->at[k].rest);
    for (int i = 0; k && i < own->nodes.n; i++)
      if (reads_over(l, before, loop_value(l, own->nodes.at[i], at))) return false;
    for (int i = 0; i < own->nodes.n; i++) vec_push(l->arena, &before->nodes, own->nodes.at[i]);
  }
  return true;
}

/* `rest`: what is stored from there on. */
static void find_rest(Loop *l, StepList *groups) {
  for (int k = groups->n - 1; k >= 0; k--) {
    Step *rest = new_step(l, groups->at[k].own);
    for (int j = k; j < groups->n; j++)
      for (int i = 0; i < groups->at[j].own->nodes.n; i++)
        vec_push(l->arena, &rest->nodes, groups->at[j].own->nodes.at[i]);
    groups->at[k].rest = rest;
  }
}

bool loop_apart(Loop *l, const Step *s, const At *at, bool whole, StepList *groups) {
  Step *plain = new_step(l, s);
  groups->n = 0;
  for (int i = 0; i < s->nodes.n; i++) {
    Step *one = new_step(l, s);
    SplitDims dims;
    vec_push(l->arena, &one->nodes, s->nodes.at[i]);
    const bool splits = loop_split(l, one, at, &dims);
    if (whole && !splits) return false;
    if (splits && !dims.parts && !dims.ranged)
      vec_push(l->arena, &plain->nodes, s->nodes.at[i]);
    else
      vec_push(l->arena, groups, ((StepPart){one, NULL}));
  }
  if (plain->nodes.n) vec_push(l->arena, groups, ((StepPart){plain, NULL}));
  find_rest(l, groups);
  bool fits = may_follow(l, groups, at);
  if (!fits && plain->nodes.n) { /* the plain ones first */
    for (int k = groups->n - 1; k > 0; k--) groups->at[k] = groups->at[k - 1];
    groups->at[0] = (StepPart){plain, NULL};
    find_rest(l, groups);
    fits = may_follow(l, groups, at);
  }
  loop_step_is(l, s);
  return fits;
}
