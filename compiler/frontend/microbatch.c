/* pipeline(blocks, x, microbatches=m): x through all layers of a stack, in m parts of its rows one
 * after the other. Where a layout cuts the stack's first dim into s blocks, devices are the stages
 * of a pipeline (GPipe): the loop has m + s - 1 ticks, at each of which all stages compute, and
 * what they hold, a tensor [stages, rows, ...], moves on by one. Else the layers are gone through
 * by a scan, on all parts at once, [parts, rows, ...].
 *
 * Either way the layer's body runs once here, on one part; what it makes are prototypes, which are
 * copied for many rows at once (ops/rows.c). Law: a draw depends on the layer and the part alone,
 * so that both ways give the same values; and what is computed in the bubble, on the first part in
 * place of what is not there yet, has no uses.
 *
 * How the stack is cut is known once all layout statements have met all names. So a program with a
 * cut one is elaborated twice (elaborate.c), the second time with what the first has found. */
#include "flow.h"
#include "op.h"
#include "plural.h"
#include "stack.h"
#include <string.h>

typedef struct Pipeline {
  Elab *e;
  Span at;
  const Instance *blocks;
  const Staged *cut; /* NULL: into one stage */
  int64_t layers, stages, parts;
  NodeId rows; /* [parts, rows, ...] */
  /* prototypes: */
  NodeId x, layer, run;  /* of one part, one layer, one of all parts x layers */
  NodeId first, last, y; /* nodes from first on, before last */
} Pipeline;

static NodeId call(Pipeline *p, const char *op, Arg x, Arg y) {
  return build_call(&p->e->at->build, op_find(op), (Arg[]){x, y, int_arg(0)}).node;
}

static const Node *node(const Pipeline *p, NodeId id) {
  return graph_node(p->e->at->build.graph, id);
}

static Arg list_arg(Pipeline *p, int n, const int64_t *at) {
  Arg out = {.kind = ARG_LIST, .span = p->at, .n = n, .at = arena_array(p->e->arena, Arg, n + 1)};
  for (int i = 0; i < n; i++) out.at[i] = int_arg(at[i]);
  return out;
}

static NodeId reshaped(Pipeline *p, NodeId x, const Shape *to) {
  if (x == NO_NODE) return x;
  return call(p, "reshape", tensor_arg(x), list_arg(p, to->rank, to->dim));
}

static Shape led_by(const Shape *s, int64_t n) {
  Shape out = {.rank = s->rank + 1, .dim = {n}};
  memcpy(out.dim + 1, s->dim, sizeof *s->dim * (size_t)s->rank);
  return out;
}

/* x[from : from + n] along the first dim. */
static NodeId part_of(Pipeline *p, NodeId x, int64_t from, int64_t n) {
  const Subscript u = {
      .span = p->at, .has_begin = true, .has_end = true, .begin = from, .end = from + n, .step = 1};
  return build_subscript(&p->e->at->build, x, 1, &u);
}

/* 0 1 2 ... as i64[n] */
static NodeId numbers(Pipeline *p, int64_t n) {
  const Arg type = {.kind = ARG_DTYPE, .i = DT_I64};
  return build_call(&p->e->at->build, op_find("iota"),
                    (Arg[]){list_arg(p, 1, &n), int_arg(0), type})
      .node;
}

/* A scalar that nothing is concluded from. */
static NodeId some_number(Pipeline *p) {
  return call(p, "gather", tensor_arg(numbers(p, 2)), int_arg(0));
}

static NodeId pad_first(Pipeline *p, NodeId x, int dim, int64_t before, int64_t after) {
  int64_t lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0};
  if (x == NO_NODE) return x;
  lo[dim] = before, hi[dim] = after;
  const int rank = node(p, x)->shape.rank;
  return build_call(
             &p->e->at->build, op_find("pad"),
             (Arg[5]){tensor_arg(x), list_arg(p, rank, lo), list_arg(p, rank, hi), int_arg(0)})
      .node;
}

/* x with the stages along dim, whatever the other dims. `kept`: for the backward pass, which else
 * would exchange it again. */
static NodeId staged(Pipeline *p, NodeId x, int dim, bool kept) {
  if (x == NO_NODE || !p->cut) return x;
  Spec *s = arena_new_of(p->e->arena, Spec);
  s->rank = node(p, x)->shape.rank, s->span = p->at;
  for (int d = 0; d < s->rank; d++) s->dim[d].granule = 1;
  s->open = ((1u << s->rank) - 1) & ~(1u << dim);
  s->dim[dim].naxes = p->cut->dim.naxes;
  memcpy(s->dim[dim].axis, p->cut->dim.axis, sizeof s->dim[dim].axis);
  const NodeId y = build_relayout(&p->e->at->build, x, s);
  if (y != NO_NODE && kept) graph_node(p->e->at->build.graph, y)->keep = KEEP_FETCHED;
  return y;
}

/* -------- one layer, on one part -------- */

static bool acts_alone(Pipeline *p, int regions, int writes, NodeId told, Span at) {
  const Building *b = p->e->at;
  const char *what = b->writes != writes             ? "assigns a variable"
                     : b->entry.regions.n != regions ? "has a loop or a branch that runs"
                     : b->told != told               ? "checks or prints a tensor"
                                                     : NULL;
  if (!what) return true;
  elab_fail(p->e, at,
            "`pipeline` computes several layers at the same time, on different microbatches: their "
            "method may only compute, and this one %s",
            what);
  return false;
}

static bool prototype(Pipeline *p, const Actual *more, int nmore) {
  Elab *e = p->e;
  Building *b = e->at;
  Actual *a = arena_array(e->arena, Actual, nmore + 1);
  p->x = call(p, "gather", tensor_arg(p->rows), int_arg(0));
  p->layer = some_number(p), p->run = some_number(p);
  const int regions = b->entry.regions.n, writes = b->writes, errors = e->diag->errors;
  const NodeId told = b->told;
  p->first = b->build.graph->nodes.n;
  a[0] = (Actual){.span = p->at, .value = value_node(p->x)};
  memcpy(a + 1, more, sizeof *a * (size_t)nmore);
  b->run = p->run;
  const Value view = stack_view(e, p->blocks, p->layer);
  const Value v = eval_read(e, call_instance(e, view.instance, p->at, a, nmore + 1), p->at);
  b->run = NO_NODE, b->build.span = p->at;
  p->last = b->build.graph->nodes.n;
  if (v.kind == V_ERROR || e->diag->errors > errors) return false;
  if (!acts_alone(p, regions, writes, told, p->at)) return false;
  const Node *x = node(p, p->x), *y = v.kind == V_TENSOR ? node(p, v.node) : NULL;
  if (y && y->dtype == x->dtype && shape_equal(&y->shape, &x->shape)) {
    p->y = v.node;
    return true;
  }
  elab_fail(e, p->at,
            "each layer takes what the one before it makes, so both must be alike, but of %s this "
            "one makes %s",
            type_text(e, x->dtype, &x->shape), value_describe(e, &v));
  return false;
}

/* -------- all rows at once -------- */

/* What prototypes become in one place of the program. */
typedef struct Copying {
  Pipeline *p;
  int64_t n;    /* rows */
  NodeId layer; /* scalar: the layer of all rows; or NO_NODE ... */
  int64_t nth;  /* ... each row is a stage, this the layer within it */
  NodeId *to;   /* by prototype, from p->first on */
  bool *many, *needed;
  NodeId x, run, layers;
} Copying;

static bool is_root(const Pipeline *p, NodeId id) {
  return id == p->x || id == p->run || id == p->layer;
}

static NodeId copy_of(const Copying *c, NodeId id) {
  const Pipeline *p = c->p;
  if (id == p->x) return c->x;
  if (id == p->run) return c->run;
  if (id == p->layer) return c->layer != NO_NODE ? c->layer : c->layers;
  return id < p->first ? id : c->to[id - p->first];
}

static bool is_many(const Copying *c, NodeId id) {
  const Pipeline *p = c->p;
  if (is_root(p, id)) return id != p->layer || c->layer == NO_NODE;
  return id >= p->first && c->many[id - p->first];
}

/* The layer's row of a variable of the stack. */
static bool reads_row(const Copying *c, const Node *n) {
  return n->op->rows && n->operand[1] == c->p->layer && node_attr(n, "axis") == 0 &&
         !is_many(c, n->operand[0]) && copy_of(c, n->operand[0]) == n->operand[0];
}

/* [layers, ...] as [stages, layers of a stage, ...], of which each stage takes the nth. */
static NodeId rows_of_stages(Copying *c, NodeId all) {
  Pipeline *p = c->p;
  const Shape s = node(p, all)->shape;
  const int64_t each = p->layers / p->stages;
  Shape by = led_by(&s, p->stages);
  by.dim[1] = each;
  if (each == 1) return all;
  if (s.rank == MAX_RANK)
    return elab_fail(p->e, p->at,
                     "a tensor has at most %d dims, and layers of stages are one more than %s has",
                     MAX_RANK, node(p, all)->name ? node(p, all)->name : "a variable of the stack"),
           NO_NODE;
  const NodeId x = reshaped(p, all, &by);
  const Subscript u[2] = {{.span = p->at, .whole = true},
                          {.span = p->at, .drop = true, .begin = c->nth, .step = 1}};
  return build_subscript(&p->e->at->build, x, 2, u);
}

/* What is said of one part, or one layer, of all rows. */
static const Spec *spec_of_rows(const Copying *c, const Spec *of) {
  Spec *s = arena_copy(c->p->e->arena, of, sizeof *of);
  memmove(s->dim + 1, s->dim, sizeof *s->dim * (size_t)s->rank++);
  s->dim[0] = (DimLayout){.granule = 1};
  s->open = of->open << 1 | 1;
  return s;
}

/* A prototype is no tensor of the program: names and statements are about its copies. */
static void name_copy(const Copying *c, NodeId from, NodeId to, int named) {
  Elab *e = c->p->e;
  if (!node(c->p, from)->name) return;
  for (int i = 0; i < named; i++) {
    Named n = e->named.at[i];
    if (n.kind != NAMED_NODE || n.entry != e->at->index || n.index != from) continue;
    graph_node(e->at->build.graph, to)->name = n.text;
    n.index = to, n.of_rows = is_many(c, from);
    vec_push(e->arena, &e->named, n);
  }
}

static NodeId copy_node(Copying *c, const Node *n, NodeId id) {
  Pipeline *p = c->p;
  Build *b = &p->e->at->build;
  NodeId *x = arena_array(p->e->arena, NodeId, n->noperands + 1);
  bool *many = arena_array(p->e->arena, bool, n->noperands + 1);
  for (int k = 0; k < n->noperands; k++)
    x[k] = copy_of(c, n->operand[k]), many[k] = is_many(c, n->operand[k]);
  if (!is_many(c, id)) {
    Node copy = *n;
    copy.operand = x;
    return graph_add(b->graph, &copy);
  }
  b->span = n->span, b->site = n->site, b->precision = n->precision;
  const NodeId y = build_rows(b, n, x, many, c->n);
  if (y == NO_NODE) return y;
  Node *made = graph_node(b->graph, y);
  made->forbid = n->forbid;
  if (n->spec) made->spec = spec_of_rows(c, n->spec);
  return y;
}

static void find_needed(Copying *c) {
  const Pipeline *p = c->p;
  if (p->y >= p->first) c->needed[p->y - p->first] = true;
  for (NodeId i = p->last; i-- > p->first;) {
    const Node *n = node(p, i);
    for (int k = 0; k < n->noperands && c->needed[i - p->first]; k++)
      if (n->operand[k] >= p->first) c->needed[n->operand[k] - p->first] = true;
  }
}

/* The layer on all rows: x and run are theirs. */
static NodeId layer_of_rows(Copying *c) {
  Pipeline *p = c->p;
  Build *b = &p->e->at->build;
  const Build was = *b;
  const int count = p->last - p->first, named = p->e->named.n;
  c->to = arena_array(p->e->arena, NodeId, count + 1);
  c->many = arena_array(p->e->arena, bool, count + 1);
  c->needed = arena_array(p->e->arena, bool, count + 1);
  find_needed(c);
  NodeId failed = 0;
  for (NodeId i = p->first; i < p->last && failed != NO_NODE; i++) {
    const Node n = *node(p, i);
    bool own = false;
    for (int k = 0; k < n.noperands; k++) {
      const NodeId x = n.operand[k];
      own = own || is_root(p, x) || (x >= p->first && copy_of(c, x) != x);
      c->many[i - p->first] = c->many[i - p->first] || is_many(c, x);
    }
    c->to[i - p->first] = i;
    if (!own || !c->needed[i - p->first]) continue;
    NodeId *to = &c->to[i - p->first];
    *to = c->layer == NO_NODE && reads_row(c, &n) ? rows_of_stages(c, n.operand[0])
                                                  : copy_node(c, &n, i);
    failed = *to;
    if (*to != NO_NODE) name_copy(c, i, *to, named);
  }
  b->span = was.span, b->site = was.site, b->precision = was.precision;
  return failed == NO_NODE ? NO_NODE : copy_of(c, p->y);
}

/* -------- the two ways -------- */

static void open_loop(Pipeline *p, OpenRegion **r, int64_t turns) {
  Build *b = &p->e->at->build;
  *r = flow_open(p->e, REGION_LOOP, p->at);
  flow_region(p->e, *r)->turns = turns;
  (*r)->counter = flow_carry(p->e, *r, build_whole(b, DT_I64, 0), NULL, p->at);
  (*r)->counts = true, (*r)->run = (*r)->counter;
}

/* Behind the loop, what it carries. */
static NodeId close_loop(Pipeline *p, OpenRegion *r, int64_t turns, NodeId carry) {
  NameScope none = {0};
  const CarriedVec carried = {0};
  p->e->at->build.span = p->at;
  flow_region(p->e, r)->condition = flow_operate(p->e, "<", tensor_arg(r->counter), int_arg(turns));
  flow_close(p->e, r, &none, &carried, IN_FN);
  return build_after(&p->e->at->build, carry);
}

static NodeId plus_times(Pipeline *p, NodeId x, NodeId y, int64_t by) {
  return flow_operate(p->e, "+", tensor_arg(x),
                      tensor_arg(flow_operate(p->e, "*", tensor_arg(y), int_arg(by))));
}

/* All parts through one layer, then the next. */
static NodeId layer_by_layer(Pipeline *p) {
  OpenRegion *r;
  open_loop(p, &r, p->layers);
  const NodeId x = flow_carry(p->e, r, p->rows, NULL, p->at);
  Copying c = {.p = p, .n = p->parts, .layer = r->counter, .x = x};
  c.run = plus_times(p, r->counter, numbers(p, p->parts), p->layers);
  const NodeId y = layer_of_rows(&c);
  if (y != NO_NODE) flow_carry_of(p->e, r, x)->next = y;
  const NodeId out = close_loop(p, r, p->layers, x);
  return y == NO_NODE ? y : out;
}

/* What enters the first stage at each tick, [ticks, stages, rows, ...]: parts, then the last again.
 */
static NodeId entering(Pipeline *p) {
  const Shape s = node(p, p->rows)->shape;
  const int64_t more = p->stages - 1;
  Shape one = led_by(&s, s.dim[0]), rest = s;
  one.dim[1] = 1;
  rest.dim[0] = more;
  const NodeId parts = pad_first(p, reshaped(p, p->rows, &one), 1, 0, more);
  const NodeId last =
      call(p, "stop_gradient", tensor_arg(part_of(p, p->rows, p->parts - 1, 1)), (Arg){0});
  const NodeId again = call(p, "broadcast", tensor_arg(last), list_arg(p, rest.rank, rest.dim));
  one.dim[0] = more;
  const NodeId ends = pad_first(p, reshaped(p, again, &one), 1, 0, more);
  Arg both = {.kind = ARG_LIST, .span = p->at, .n = 2, .at = arena_array(p->e->arena, Arg, 2)};
  both.at[0] = tensor_arg(parts), both.at[1] = tensor_arg(ends);
  if (parts == NO_NODE || ends == NO_NODE) return NO_NODE;
  return staged(p, call(p, "concat", both, int_arg(0)), 1, false);
}

/* What the stages hold: in the first what enters, in the others what the stage before has made. */
static NodeId move_on(Pipeline *p, NodeId enters, NodeId held) {
  const Shape s = node(p, held)->shape;
  Shape line = {.rank = s.rank, .dim = {s.dim[0]}};
  for (int d = 1; d < s.rank; d++) line.dim[d] = 1;
  const NodeId stage = reshaped(p, numbers(p, p->stages), &line);
  const NodeId first = flow_operate(p->e, "==", tensor_arg(stage), int_arg(0));
  const NodeId moved = pad_first(p, part_of(p, held, 0, p->stages - 1), 0, 1, 0);
  if (first == NO_NODE || moved == NO_NODE || enters == NO_NODE) return NO_NODE;
  const Arg choice[] = {tensor_arg(first), tensor_arg(enters), tensor_arg(moved)};
  return staged(p, build_call(&p->e->at->build, op_find("where"), choice).node, 0, true);
}

static NodeId stage_by_stage(Pipeline *p) {
  const int64_t s = p->stages, ticks = p->parts + s - 1, each = p->layers / s;
  OpenRegion *r;
  Shape held = node(p, p->rows)->shape;
  held.dim[0] = s;
  const NodeId in = entering(p);
  const NodeId one = call(p, "stop_gradient", tensor_arg(part_of(p, p->rows, 0, 1)), (Arg){0});
  const NodeId begin = call(p, "broadcast", tensor_arg(one), list_arg(p, held.rank, held.dim));
  if (in == NO_NODE || begin == NO_NODE) return NO_NODE;
  open_loop(p, &r, ticks);
  const NodeId carry = flow_carry(p->e, r, staged(p, begin, 0, false), NULL, p->at);
  NodeId x = move_on(p, call(p, "gather", tensor_arg(in), tensor_arg(r->counter)), carry);
  /* Stage i has part tick - i, or none, whose run is not asked for. */
  const NodeId stage = numbers(p, s);
  const NodeId part = flow_operate(p->e, "-", tensor_arg(r->counter), tensor_arg(stage));
  for (int64_t nth = 0; nth < each && x != NO_NODE; nth++) {
    Copying c = {.p = p, .n = s, .layer = NO_NODE, .nth = nth, .x = x};
    c.layers = flow_operate(p->e, "+",
                            tensor_arg(flow_operate(p->e, "*", tensor_arg(stage), int_arg(each))),
                            int_arg(nth));
    c.run = plus_times(p, c.layers, part, p->layers);
    x = layer_of_rows(&c);
  }
  NodeId out = NO_NODE;
  if (x != NO_NODE) {
    flow_carry_of(p->e, r, carry)->next = x;
    out = flow_collect(p->e, r, r->counter, x, (Ident){.span = p->at});
  }
  const NodeId all = close_loop(p, r, ticks, out == NO_NODE ? carry : out);
  if (out == NO_NODE) return NO_NODE;
  const Subscript last[2] = {{.span = p->at, .has_begin = true, .begin = s - 1, .step = 1},
                             {.span = p->at, .drop = true, .begin = s - 1, .step = 1}};
  return build_subscript(&p->e->at->build, staged(p, all, 1, false), 2, last);
}

/* -------- the call -------- */

/* Row i of the batch is in part i % parts, so that a device with some of the batch's rows has some
 * of each part's. */
static NodeId swapped(Pipeline *p, NodeId x) {
  int64_t perm[MAX_RANK] = {1, 0};
  if (x == NO_NODE) return x;
  for (int d = 2; d < node(p, x)->shape.rank; d++) perm[d] = d;
  return call(p, "transpose", tensor_arg(x), list_arg(p, node(p, x)->shape.rank, perm));
}

static const Staged *cut_of(Elab *e, const Stack *k, Span at) {
  for (int i = 0; i < e->staged.n; i++)
    if (!strcmp(e->staged.at[i].path, k->path)) return &e->staged.at[i];
  for (int i = 0; i < e->piped.n; i++)
    if (e->piped.at[i].path == k->path) return NULL;
  vec_push(e->arena, &e->piped, ((Staged){.path = k->path, .span = at}));
  return NULL;
}

static bool take_blocks(Pipeline *p, const Actual *a) {
  Elab *e = p->e;
  const Stack *k = value_stack(&a->value);
  if (!k || a->value.instance->nrow || k->up)
    return elab_fail(e, a->span,
                     k ? "the stack of a pipeline is not one of the layers of another stack"
                       : "`pipeline` takes a stack of layers, as of `blocks = stack(8) ...`, but "
                         "this is %s",
                     value_describe(e, &a->value)),
           false;
  p->blocks = a->value.instance, p->layers = k->n, p->stages = 1;
  p->cut = cut_of(e, k, p->at);
  for (int i = 0; p->cut && i < p->cut->dim.naxes; i++)
    p->stages *= e->program->mesh.axis[p->cut->dim.axis[i]].size;
  if (p->layers % p->stages == 0) return true;
  elab_fail(e, a->span,
            "%s has %ld layers, which its layout deals to %ld stages: their number must be a "
            "multiple of that of the stages",
            k->path, (long)p->layers, (long)p->stages);
  diag_note(e->diag, p->cut->span, "the layout is here");
  return false;
}

static bool take_parts(Pipeline *p, const Actual *x, const Actual *parts) {
  Elab *e = p->e;
  const Value v = eval_read(e, x->value, x->span);
  if (v.kind == V_ERROR || parts->value.kind == V_ERROR) return false;
  if (v.kind != V_TENSOR || !node(p, v.node)->shape.rank)
    return elab_fail(e, x->span,
                     "`pipeline` takes a tensor whose first dim is a batch, but this is %s",
                     value_describe(e, &v)),
           false;
  if (parts->value.kind != V_INT || parts->value.i < 1)
    return elab_fail(e, parts->span, "`microbatches` is a number from 1 on, but this is %s",
                     value_describe(e, &parts->value)),
           false;
  Shape s = node(p, v.node)->shape;
  p->parts = parts->value.i;
  if (s.dim[0] % p->parts || !s.dim[0])
    return elab_fail(e, parts->span,
                     "a batch of %ld row%s cannot be divided into %ld equal microbatches",
                     (long)s.dim[0], PLURAL(s.dim[0]), (long)p->parts),
           false;
  if (s.rank + 2 > MAX_RANK)
    return elab_fail(e, x->span, "a tensor that goes through a pipeline has at most %d dims",
                     MAX_RANK - 2),
           false;
  s = led_by(&s, s.dim[0] / p->parts);
  s.dim[1] = p->parts;
  p->rows = swapped(p, reshaped(p, v.node, &s));
  return p->rows != NO_NODE;
}

Value pipeline_call(Elab *e, Span at, const Actual *blocks, const Actual *x, const Actual *parts,
                    const Actual *more, int nmore) {
  Pipeline p = {.e = e, .at = at};
  if (!e->at)
    return elab_fail(e, at, "`pipeline` computes: it can be called in entries and methods only");
  if (e->at->run != NO_NODE)
    return elab_fail(e, at, "a layer of a pipeline cannot be a pipeline itself");
  e->at->build.span = at;
  if (!take_blocks(&p, blocks) || !take_parts(&p, x, parts) || !prototype(&p, more, nmore))
    return value_error;
  const NodeId y = swapped(&p, p.stages > 1 ? stage_by_stage(&p) : layer_by_layer(&p));
  if (y == NO_NODE) return value_error;
  Shape s = node(&p, y)->shape, out = {.rank = s.rank - 1};
  memcpy(out.dim, s.dim + 1, sizeof *s.dim * (size_t)out.rank);
  out.dim[0] = s.dim[0] * s.dim[1];
  return value_node(reshaped(&p, y, &out));
}

/* -------- how stacks are cut -------- */

/* Of a program that is elaborated, the stacks of pipelines that its layouts cut. */
bool pipeline_cuts(Elab *e, StagedVec *out) {
  const Program *program = e->program;
  for (int i = 0; i < e->piped.n; i++) {
    Staged found = {.path = e->piped.at[i].path};
    for (int k = 0; k < program->vars.n; k++) {
      const Var *v = &program->vars.at[k];
      if (!v->stacked || !v->spec || v->spec->open & 1 || !path_below(v->path, found.path) ||
          !v->spec->dim[0].naxes)
        continue;
      if (!found.dim.naxes) {
        found.dim = v->spec->dim[0], found.span = v->spec->span;
      } else if (!dim_equal(&found.dim, &v->spec->dim[0])) {
        elab_fail(e, v->spec->span,
                  "the layouts of the variables of %s deal its layers differently", found.path);
        diag_note(e->diag, found.span, "the other is here");
        diag_note(e->diag, e->piped.at[i].span, "they are the stages of this pipeline");
        return false;
      }
    }
    if (found.dim.naxes) vec_push(e->arena, out, found);
  }
  return true;
}
