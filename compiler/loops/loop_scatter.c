/* Scatters: sums, products and extremes at places whose indices are data. Equal rows are added in
 * the order of their indices, in blocks of 32 that are combined pairwise (runtime/scatter.c), or
 * single elements in a table of f64. */
#include "loop_reduce.h"
#include "op_list.h"
#include "work.h"

typedef struct Scatter {
  Loop *l;
  NodeId id;
  const Node *n;
  int dim;
  bool each;       /* elements of a line are picked, not rows */
  int64_t updates; /* that may go to one place; 0: so few that there are no blocks */
  bool in_f64;     /* `partial` has the sums */
  bool named; /* only the rows that are named are touched; `partial` begins with who did, ... */
  bool last;  /* ... unless that is its result, and has the row of each at that index */
  const char *row; /* its name: one index has no loops, in which all could have the same */
  At out;          /* of the result */
  Expr partial, sums;
  Expr from, to; /* rows that this core has */
} Scatter;

/* The product of what the result's dims have in memory, from dim `from` on. */
static Expr room_from(Scatter *s, int from) {
  const Expr all = site_product(s->l, s->n, from, s->n->shape.rank, site_room);
  return loop_param(s->l, PARAM_EXTENT, all);
}

/* The address of the part of the result that has one index of the dims before. */
static Expr table(Scatter *s, Expr row) {
  At first = s->out;
  for (int d = s->dim; d < s->n->shape.rank; d++)
    first.dim[d] = d == s->dim ? row : loop_int(s->l, 0);
  return expr_address(s->l->x, loop_load(s->l, s->id, &first));
}

static Scatter scatter_new(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id);
  return (Scatter){.l = l,
                   .id = id,
                   .n = n,
                   .dim = (int)node_attr(n, "axis"),
                   .row = "row",
                   .each = op_class(n) == OPC_ADD_EACH,
                   .updates = scatter_updates(l->mesh, l->g, n),
                   .in_f64 = scatter_in_f64(l->mesh, l->g, n)};
}

/* Behind the last place that sums are kept of: rows of this core, or all elements of a line. */
static Expr places_to(Scatter *s) { return s->each ? room_from(s, s->dim) : s->to; }

/* `before`: updates of rows below `from`. */
static void begin(Scatter *s, Expr before) {
  Loop *l = s->l;
  if (s->named && !s->last) s->partial = loop_partial(l, s->id, DT_I32);
  if (!s->updates) return;
  if (!s->named) s->partial = loop_partial(l, s->id, s->in_f64 ? DT_F64 : s->n->dtype);
  if (s->in_f64) {
    loop_zero_at(l, expr_address(l->x, loop_element(l, s->partial, s->from)),
                 expr_sub(l->x, places_to(s), s->from), dtype_size(DT_F64));
    return;
  }
  const Expr rows = s->each ? room_from(s, s->dim) : loop_room(l, s->n, s->dim),
             size = s->each ? loop_int(l, 1) : room_from(s, s->dim + 1),
             type = s->n->dtype == DT_F64 ? loop_word(l, "DTRT_F64", DTRT_F64)
                                          : loop_word(l, "DTRT_F32", DTRT_F32);
  const int64_t words = scatter_named(l->mesh, l->g, s->n) / (int64_t)sizeof(int32_t);
  const Expr zero = loop_int(l, 0), from = s->named ? zero : s->from,
             to = s->named ? zero : places_to(s),
             room = s->named ? expr_address(l->x, loop_element(l, s->partial, loop_int(l, words)))
                             : s->partial;
  const Expr arg[] = {type, room, rows, loop_int(l, s->updates), size, from, to, before};
  const Expr sums = loop_call(l, "dtrt_scatter_begin", DT_I64, 8, arg);
  s->sums = expr_address(l->x, loop_local(l, LOCAL_SCATTER, s->n->dtype, "sums", 0, sums));
}

static void end(Scatter *s) {
  Loop *l = s->l;
  if (s->in_f64) {
    const Expr i = loop_symbol(l, "sum", 0, INT64_MAX),
               to = loop_local(l, LOCAL_POINTER, DT_F32, "to", 0, table(s, loop_int(l, 0)));
    loop_open_from(l, i, s->from, places_to(s), LOOP_PLAIN);
    loop_set(l, loop_element(l, to, i), loop_element(l, s->partial, i));
    loop_close(l, 1);
  } else if (s->updates) {
    loop_run(l, "dtrt_scatter_end", 2, (Expr[]){s->sums, table(s, loop_int(l, 0))});
  }
}

/* Where an element is in its table. */
static Expr place(Scatter *s) {
  Expr at = loop_int(s->l, 0);
  for (int d = s->dim; d < s->n->shape.rank; d++)
    at = expr_add(s->l->x, at, expr_mul(s->l->x, s->out.dim[d], room_from(s, d + 1)));
  return at;
}

/* A hit of `at`, whose sum is at address `sum`. */
static void hit(Scatter *s, Expr at, Expr sum) {
  if (s->updates && !s->in_f64) loop_run(s->l, "dtrt_scatter_hit", 3, (Expr[]){s->sums, at, sum});
}

/* Memory is rounded to its type once. */
static void join(Scatter *s, Expr v) {
  Loop *l = s->l;
  const Expr to = s->in_f64 ? loop_element(l, s->partial, place(s)) : loop_load(l, s->id, &s->out);
  loop_set(l, to, loop_op2(l, reduction_step(s->n), s->in_f64 ? DT_F64 : s->n->dtype, to, v));
}

/* Declares the row of this device's block that an element of `index` says, and asks for it. */
static Expr if_row_is_here(Scatter *s, Expr index, int64_t size) {
  Loop *l = s->l;
  const Expr found = expr_index(l->x, index, 0, size);
  const Expr row =
      loop_integer(l, s->row, expr_sub(l->x, found, loop_offset(l, s->n, s->dim)), true);
  loop_if(l, expr_within(l->x, row, s->from, s->to));
  return row;
}

/* The outermost dim before that of the rows; -1: there is none. */
static int outermost_line(const Scatter *s, const At *at) {
  for (int d = 0; d < s->dim; d++)
    if (has_loop(s->l, at, d)) return d;
  return -1;
}

/* Each core has some rows, and looks at all indices for them, in each line that has such rows. Or
 * some lines, if there are many, whose sums need no table beside. */
static void begin_parts(Scatter *s, const At *at) {
  Loop *l = s->l;
  const int line = outermost_line(s, at);
  if (line >= 0 && !s->updates && !s->named && most_of(l, s->n, line) >= PARTS_ENOUGH) {
    s->from = loop_int(l, 0), s->to = loop_extent(l, s->n, s->dim);
    l->apart = at->dim[line], l->apart_extent = loop_extent(l, s->n, line);
    return;
  }
  l->ranges = true;
  l->apart = s->from = loop_symbol(l, LOOP_PART_FROM, 0, INT64_MAX);
  s->to = loop_symbol(l, "part_to", 0, INT64_MAX);
  l->apart_extent = loop_extent(l, s->n, s->dim);
  l->looks = most_elements(l, graph_operand(l->g, s->n, 0));
  for (int d = 0; d < s->dim; d++) l->looks *= most_of(l, s->n, d);
}

/* What places have to which nothing goes, in `count` elements from an address on. */
static void clear(Scatter *s, Expr address, Expr count) {
  Loop *l = s->l;
  const DType t = s->n->dtype;
  if (s->n->op->reduce == RED_SUM) {
    loop_zero_at(l, address, count, dtype_size(t));
    return;
  }
  if (!shape_count(&s->n->shape)) return;
  const bool half = dtype_is_half(t); /* a pointer would be to floats: bits are stored */
  const DType memory = half ? DT_U16 : t;
  const Expr i = loop_symbol(l, "place", 0, INT64_MAX),
             to = loop_local(l, LOCAL_POINTER, memory, "none", 0, address);
  Expr none = loop_reduced_none(l, s->n);
  if (half)
    none = loop_call(l, t == DT_F16 ? "dtrt_f32_to_f16" : "dtrt_f32_to_bf16", memory, 1, &none);
  loop_open_from(l, i, loop_int(l, 0), count, LOOP_PLAIN);
  loop_set(l, loop_element(l, to, i), none);
  loop_close(l, 1);
}

static void clear_part(Scatter *s) {
  clear(s, table(s, s->from),
        expr_mul(s->l->x, expr_sub(s->l->x, s->to, s->from), room_from(s, s->dim + 1)));
}

/* Updates that go to rows below this core's. */
static Expr count_before(Scatter *s, const Node *u, const At *at, const At *in, int dims) {
  Loop *l = s->l;
  if (!s->updates || s->in_f64) return loop_int(l, 0);
  const Expr before = loop_integer(l, "before", loop_int(l, 0), false);
  loop_if(l, expr_compare(l->x, EXPR_LESS, loop_int(l, 0), s->from));
  const int loops = loop_open_dims(l, u, at, s->dim, s->dim + dims, LOOP_SOME, LOOP_SOME);
  Scatter below = *s;
  below.from = loop_int(l, 0), below.to = s->from;
  if_row_is_here(&below, loop_value(l, s->n->operand[0], in), s->n->shape.dim[s->dim]);
  loop_step(l, before, 1);
  loop_close(l, loops + 2);
  return before;
}

/* Loops over the indices; the row that each names is this core's. How many blocks are open. */
static int open_named(Scatter *s, const Node *u, const At *at, Expr *row) {
  Loop *l = s->l;
  const int ri = graph_operand(l->g, s->n, 0)->shape.rank;
  At in = {.flat = NO_EXPR};
  for (int d = 0; d < ri; d++) in.dim[d] = at->dim[s->dim + d];
  const int loops = loop_open_dims(l, u, at, s->dim, s->dim + ri, LOOP_SOME, LOOP_SOME);
  *row = if_row_is_here(s, loop_value(l, s->n->operand[0], &in), s->n->shape.dim[s->dim]);
  return loops + 1;
}

/* Which of the indices, counted through. */
static Expr number_of(Loop *l, const Node *u, const At *at, int dims) {
  Expr i = loop_int(l, 0);
  for (int d = 0; d < dims; d++)
    i = expr_add(l->x, expr_mul(l->x, i, loop_extent(l, u, d)), at->dim[d]);
  return i;
}

static Expr which(Loop *l, const Node *u, const At *at, int dims) {
  return expr_count(l->x, DT_I32, number_of(l, u, at, dims));
}

/* Opens loops over the elements of row `row` of n within loops over indices of so many dims. *at:
 * where they are. How many. */
static int open_row(Loop *l, const Node *n, const RowDims *rows, int dims, Expr row, At *at) {
  At beside = {.flat = NO_EXPR};
  const Shape block = node_local(l->mesh, n); /* of dims that are cut evenly, but the first */
  for (int d = 0; d < n->shape.rank; d++) beside.dim[d] = NO_EXPR;
  *at = beside;
  for (int k = rows->n - 1; k >= 0; k--) {
    const int d = rows->dim[k];
    const Expr size = loop_int(l, block.dim[d]);
    at->dim[d] = k ? expr_mod(l->x, row, size) : row;
    beside.dim[d] = loop_int(l, 0);
    row = expr_div(l->x, row, size);
  }
  for (int d = 0; d < n->shape.rank; d++)
    if (beside.dim[d] == NO_EXPR)
      beside.dim[d] = at->dim[d] = loop_letter(l, "ijklpqrstuvwxyz"[dims++], n, d);
  return loop_open_dims(l, n, &beside, 0, n->shape.rank, LOOP_OUTER, LOOP_PLAIN);
}

/* Sets all elements of a row to the identity. How many loops are open. */
static int clear_row(Scatter *s, Expr row, int dims) {
  const RowDims rows = {1, {0}};
  At to;
  const int loops = open_row(s->l, s->n, &rows, dims, row, &to);
  loop_set(s->l, loop_load(s->l, s->id, &to), loop_reduced_none(s->l, s->n));
  return loops;
}

/* Where the sum of a row that is named is: in the row of the last index that names it. */
static Expr slot_of(Scatter *s, Expr row) {
  if (!s->named || s->last) return row;
  return loop_integer(s->l, "slot", loop_element(s->l, s->partial, row), true);
}

/* Clears a row for each index, and notes which is the last for the row that it names. */
static void clear_named(Scatter *s, const Node *u, const At *at) {
  Loop *l = s->l;
  const int ri = graph_operand(l->g, s->n, 0)->shape.rank;
  Expr row;
  s->row = "fresh";
  int open = open_named(s, u, at, &row);
  s->row = "row";
  const Expr slot = number_of(l, u, at, ri);
  loop_set(l, loop_element(l, s->partial, row), expr_count(l->x, DT_I32, slot));
  if (s->updates) loop_run(l, "dtrt_scatter_fresh", 2, (Expr[]){s->sums, row});
  const bool sums = s->n->op->reduce == RED_SUM;
  if (sums) loop_zero_at(l, table(s, slot), room_from(s, s->dim + 1), dtype_size(s->n->dtype));
  if (!sums) open += clear_row(s, slot, ri);
  loop_close(l, open);
}

static void end_named(Scatter *s, const Node *u, const At *at) {
  Expr row;
  if (!s->updates) return;
  s->row = "last";
  const int open = open_named(s, u, at, &row);
  const Expr to = table(s, slot_of(s, row));
  loop_run(s->l, "dtrt_scatter_row", 3, (Expr[]){s->sums, row, to});
  loop_close(s->l, open);
}

/* What `id` is the new value of: what a window is written into, a carry, or else an OP_var. */
static NodeId replaced(const LocalEntry *le, NodeId id) {
  const Node *made = graph_node(le->graph, id);
  if (made->op->updates) return node_base(le->graph, made->operand[0]);
  const NodeId carry = entry_carry_of(le, id);
  NodeId var = 0;
  int which = 0;
  if (carry != NO_NODE) return carry;
  while (node_base(le->graph, le->assign[which]) != id) which++;
  const int of = le->entry->assigns.at[which].var;
  for (const Node *n = graph_node(le->graph, 0); n->op != OP_var || node_source(n) != of;)
    n = graph_node(le->graph, ++var);
  return var;
}

/* The whole memory of `id`. */
static Expr whole_of(Loop *l, NodeId id) {
  return expr_element(l->x, EXPR_LOAD, graph_node(l->g, id)->dtype, id, 0, NULL);
}

static Expr memory_of(Loop *l, NodeId id) { return expr_address(l->x, whole_of(l, id)); }

/* A value that is not made in the place of what it replaces begins as a copy of that. */
static bool named_copy(Loop *l, NodeId id) {
  const LocalEntry *le = l->le;
  const NodeId old = replaced(le, id);
  if (!le->buffer || le->buffer[id] < 0 || le->buffer[id] == le->buffer[old]) return false;
  const Node *n = graph_node(l->g, id);
  const Expr bytes = expr_scale(l->x, loop_count(l, n), dtype_size(n->dtype));
  const Expr from = expr_address_read(l->x, whole_of(l, old));
  loop_run(l, "dtrt_copy", 3, (Expr[]){memory_of(l, id), from, bytes});
  return true;
}

static void store_in_window(Loop *l, NodeId put, Begins *begin, const At *at) {
  const Node *n = graph_node(l->g, put);
  At to = *at;
  for (int d = 0; d < n->shape.rank; d++) to.dim[d] = window_place(l, n, begin, at, d);
  window_store(l, put, begin, at, &to);
}

/* A map over the rows that a scatter's indices name, each once: what it makes of the others is what
 * is there (passes/schedule/named.c). Where it is not made in the place of what it replaces, that
 * is copied before. */
void build_map_named(const LoopSite *site, const Step *step, LoopFunction *out) {
  Loop *l = loop_new(site);
  const NodeId id = step->nodes.at[0];
  const Node *n = graph_node(l->g, step->named - 1), *x = graph_operand(l->g, n, 0),
             *u = graph_operand(l->g, n, 1), *made = graph_node(l->g, id);
  const bool window = made->op->updates;
  const int ri = x->shape.rank;
  const At at = loop_nest_index(l, u);
  At in = {.flat = NO_EXPR}, to;
  Begins begin;
  l->step = step;
  l->share = work_named_share(l->mesh, l->g, step->named - 1);
  l->apart = ri && has_loop(l, &at, 0) ? at.dim[0] : NO_EXPR;
  l->apart_extent = ri ? loop_extent(l, u, 0) : NO_EXPR;
  const bool last = scatter_is_last(l->g, n);
  const Expr number = which(l, u, &at, ri);
  const Expr owners = last ? NO_EXPR : loop_partial(l, step->named - 1, DT_I32);
  for (int i = 0; i < step->nodes.n; i++)
    if (named_copy(l, step->nodes.at[i])) l->apart = NO_EXPR;
  if (window) begin = window_begins(l, made);
  for (int d = 0; d < ri; d++) in.dim[d] = at.dim[d];
  int open = loop_open_dims(l, u, &at, 0, ri, LOOP_SOME, LOOP_SOME);
  Scatter s = {.l = l, .n = n, .row = "row", .from = loop_int(l, 0), .to = loop_extent(l, n, 0)};
  const Expr row = if_row_is_here(&s, loop_value(l, n->operand[0], &in), n->shape.dim[0]);
  const At here = {.dim = {row}, .flat = NO_EXPR};
  const Expr owner = last ? loop_load(l, step->named - 1, &here) : loop_element(l, owners, row);
  loop_if(l, loop_op2(l, loop_ops.equal, DT_BOOL, owner, number));
  if (last)
    l->same = step->named - 1, l->same_as = number;
  else
    l->slots = step->named - 1, l->slot = number_of(l, u, &at, ri);
  open += 2 + open_row(l, window ? graph_operand(l->g, made, 1) : made, &step->rows, ri, row, &to);
  if (window)
    store_in_window(l, id, &begin, &to);
  else
    map_body(l, step, &to);
  loop_close(l, open);
  loop_done_as(l, id, out);
}

/* Updates come in the order of their indices: of dims `from` to `to` of the updates. */
static void adds_up(const Scatter *s, const At *at, int from, int to) {
  const bool adds = s->n->op->reduce == RED_SUM || s->n->op->reduce == RED_PROD;
  LoopSum sum = {.node = s->id, .kind = SUM_SCATTERED, .blocks = s->updates && !s->in_f64};
  if (!adds || !dtype_is_float(s->n->dtype)) return;
  for (int d = from; d < to; d++)
    if (has_loop(s->l, at, d)) sum.at[sum.dims++] = at->dim[d];
  loop_adds_up(s->l, &sum);
}

void build_scatter(const LoopSite *site, const Step *step, LoopFunction *out) {
  const NodeId id = step->nodes.at[0];
  Loop *l = loop_new(site);
  Scatter s = scatter_new(l, id);
  s.named = step->named, s.last = s.named && scatter_is_last(l->g, s.n);
  const Node *n = s.n, *x = graph_operand(l->g, n, 0), *u = graph_operand(l->g, n, 1);
  const int dim = s.dim, ri = x->shape.rank;
  const At at = loop_nest_index(l, u);
  At in = {.flat = NO_EXPR};
  s.out = at;
  begin_parts(&s, &at);
  for (int d = 0; d < ri; d++) in.dim[d] = at.dim[dim + d];
  const int outer = loop_open_dims(l, u, &at, 0, dim, LOOP_SOME, LOOP_SOME);
  if (!s.named) clear_part(&s);
  begin(&s, count_before(&s, u, &at, &in, ri));
  if (s.named && !s.last) clear_named(&s, u, &at);
  if (s.named) l->share = work_named_share(l->mesh, l->g, id);
  const int loops = loop_open_dims(l, u, &at, dim, dim + ri, LOOP_SOME, LOOP_SOME);
  const Expr row = if_row_is_here(&s, loop_value(l, n->operand[0], &in), n->shape.dim[dim]);
  const Expr to = slot_of(&s, row);
  for (int d = dim; d < n->shape.rank; d++) s.out.dim[d] = d > dim ? at.dim[d + ri - 1] : to;
  const int inner = loop_open_dims(l, u, &at, dim + ri, u->shape.rank, LOOP_SOME, LOOP_SOME);
  if (s.last)
    loop_set(l, loop_load(l, id, &s.out), which(l, u, &at, ri));
  else
    join(&s, loop_value(l, n->operand[1], &at));
  loop_close(l, inner);
  hit(&s, row, table(&s, to));
  loop_close(l, loops + 1);
  if (s.named)
    end_named(&s, u, &at);
  else
    end(&s);
  loop_close(l, outer);
  if (!s.last) adds_up(&s, &at, dim, dim + ri);
  loop_done_as(l, id, out);
}

/* take_along_axis's gradient */
void build_unpick(const LoopSite *site, NodeId id, LoopFunction *out) {
  Loop *l = loop_new(site);
  Scatter s = scatter_new(l, id);
  const Node *n = s.n, *u = graph_operand(l->g, n, 1);
  const At at = loop_nest_index(l, u);
  s.out = at;
  s.from = loop_int(l, 0), s.to = loop_extent(l, n, s.dim);
  clear(&s, memory_of(l, id), loop_count(l, n));
  const int outer = loop_open_dims(l, u, &at, 0, s.dim, LOOP_SOME, LOOP_SOME);
  begin(&s, loop_int(l, 0));
  const int loops = loop_open_dims(l, u, &at, s.dim, u->shape.rank, LOOP_SOME, LOOP_SOME);
  const Expr i = loop_value(l, n->operand[0], &at), v = loop_value(l, n->operand[1], &at);
  s.out.dim[s.dim] = if_row_is_here(&s, i, node_attr(n, "size"));
  join(&s, v);
  if (s.updates) hit(&s, place(&s), expr_address(l->x, loop_load(l, id, &s.out)));
  loop_close(l, loops + 1);
  end(&s);
  loop_close(l, outer);
  adds_up(&s, &at, s.dim, s.dim + 1);
  loop_done_as(l, id, out);
}
