/* Scatters: sums at places whose indices are data. Equal rows are added in the order of their
 * indices, in blocks of 32 that are combined pairwise (runtime/scatter.c), or single elements in a
 * table of f64. */
#include <string.h>
#include "emit_loop.h"
#include "sum_order.h"

typedef struct Scatter {
  Loop *l;
  NodeId id;
  const Node *n;
  int dim;
  bool each;       /* elements of a line are picked, not rows */
  int64_t updates; /* that may go to one place; 0: so few that there are no blocks */
  bool in_f64;     /* `partial` has the sums */
  Index out;       /* of the result */
} Scatter;

/* The product of what the result's dims have in memory, from dim `from` on. */
static const char *room_from(const Scatter *s, int from) {
  const char *n = "1";
  for (int d = from; d < s->n->shape.rank; d++)
    n = emit_product(s->l->e, n, emit_room(s->l->e, s->n, d));
  return loop_number(s->l, 'n', n);
}

/* The address of the part of the result that has one index of the dims before. */
static const char *table(const Scatter *s, const char *row) {
  Index first = s->out;
  for (int d = s->dim; d < s->n->shape.rank; d++) first.at[d] = d == s->dim ? row : "0";
  return arena_printf(s->l->e->arena, "&%s", loop_element(s->l, s->id, &first, true));
}

static void begin(Scatter *s) {
  Loop *l = s->l;
  if (!s->updates) return;
  l->partial = emit_partial(l->e, s->id);
  l->partial_type = s->in_f64 ? DT_F64 : s->n->dtype;
  if (s->in_f64) {
    str_line(&l->code, "dtrt_zero(partial, %s * 8);", loop_wrap(l->e, room_from(s, s->dim)));
    return;
  }
  str_line(&l->code, "dtrt_scatter sums = dtrt_scatter_begin(DTRT_%s, partial, %s, %ld, %s);",
           s->n->dtype == DT_F64 ? "F64" : "F32",
           s->each ? room_from(s, s->dim) : loop_room(l, s->n, s->dim), (long)s->updates,
           s->each ? "1" : room_from(s, s->dim + 1));
}

static void end(Scatter *s) {
  if (s->in_f64) {
    str_line(&s->l->code, "float *to = %s;", table(s, "0"));
    loop_open(s->l, "sum", room_from(s, s->dim), "DTRT_PLAIN");
    str_line(&s->l->code, "to[sum] = (float)partial[sum];");
    loop_close(s->l, 1);
  } else if (s->updates) {
    str_line(&s->l->code, "dtrt_scatter_end(&sums, %s);", table(s, "0"));
  }
}

/* Where an element is in its table. */
static const char *place(const Scatter *s) {
  Str at = str_new(s->l->e->arena);
  for (int d = s->dim; d < s->n->shape.rank; d++) {
    const char *i = s->out.at[d], *stride = room_from(s, d + 1);
    if (!strcmp(i, "0")) continue;
    str_printf(&at, is_number(stride, 1) ? "%s%s" : "%s%s * %s", at.n ? " + " : "", i, stride);
  }
  return at.at;
}

/* A hit of `at`, whose sum is at address `sum`. */
static void hit(const Scatter *s, const char *at, const char *sum) {
  if (!s->updates || s->in_f64) return;
  str_line(&s->l->code, "if (++sums.hits[%s] == DTRT_SUM_BLOCK) dtrt_scatter_block(&sums, %s, %s);",
           at, at, sum);
}

static Scatter scatter_new(Loop *l, NodeId id) {
  const Node *n = graph_node(l->g, id);
  l->code.indent = 1;
  l->needs_dev = true;
  str_line(&l->code, "dtrt_zero(%s, %s * %d);", loop_pointer(l, id, true),
           loop_number(l, 'n', emit_count(l->e, n)), dtype_size(n->dtype));
  return (Scatter){.l = l,
                   .id = id,
                   .n = n,
                   .dim = (int)node_attr(n, "axis"),
                   .each = op_class(n) == OPC_ADD_EACH,
                   .updates = scatter_updates(l->e->mesh, l->g, n),
                   .in_f64 = scatter_in_f64(l->e->mesh, l->g, n)};
}

static int open_dims(Loop *l, const Node *u, const Index *at, int from, int to) {
  int loops = 0;
  for (int d = from; d < to; d++)
    if (strcmp(at->at[d], "0")) loop_open(l, at->at[d], loop_extent(l, u, d), ""), loops++;
  return loops;
}

static void add(const Scatter *s, const char *to, const char *v) {
  Loop *l = s->l;
  const Node *n = s->n;
  const char *t = dtype_name(n->dtype);
  if (s->in_f64)
    str_line(&l->code, "partial[%s] += %s;", place(s), v);
  else if (dtype_is_int(n->dtype))
    str_line(&l->code, "%s = dtrt_add_%s(%s, %s);", to, t, to, v);
  else if (loop_is_half(n->dtype))
    str_line(&l->code, "%s = dtrt_f32_to_%s(dtrt_%s_to_f32(%s) + %s);", to, t, t, to, v);
  else
    str_line(&l->code, "%s += %s;", to, v);
}

void emit_scatter(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  Scatter s = scatter_new(&l, id);
  const Node *n = s.n, *x = graph_operand(l.g, n, 0), *u = graph_operand(l.g, n, 1);
  const int dim = s.dim, ri = x->shape.rank;
  Index at = loop_nest_index(&l, u), in = {0};
  for (int d = 0; d < ri; d++) in.at[d] = at.at[dim + d];
  for (int d = 0; d < n->shape.rank; d++)
    s.out.at[d] = d < dim ? at.at[d] : d > dim ? at.at[d + ri - 1] : "row";
  const int outer = open_dims(&l, u, &at, 0, dim);
  begin(&s);
  int loops = open_dims(&l, u, &at, dim, dim + ri);
  str_line(&l.code, "const int64_t row = dtrt_index(dev, %s, %s) - %s;",
           loop_value(&l, n->operand[0], &in), loop_literal(&l, n->shape.dim[dim]),
           loop_offset(&l, n, dim));
  str_line(&l.code, "if (row >= 0 && row < %s) {", loop_extent(&l, n, dim));
  l.code.indent++, loops++;
  const int inner = open_dims(&l, u, &at, dim + ri, u->shape.rank);
  add(&s, loop_element(&l, id, &s.out, true), loop_value(&l, n->operand[1], &at));
  loop_close(&l, inner);
  hit(&s, "row", table(&s, "row"));
  loop_close(&l, loops);
  end(&s);
  loop_close(&l, outer);
  loop_finish(&l, n->name ? n->name : "scatter_add");
}

/* take_along_axis's gradient. */
void emit_unpick(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  Scatter s = scatter_new(&l, id);
  const Node *n = s.n, *u = graph_operand(l.g, n, 1);
  const Index at = loop_nest_index(&l, u);
  s.out = at;
  s.out.at[s.dim] = "row";
  const int outer = open_dims(&l, u, &at, 0, s.dim);
  begin(&s);
  const int loops = open_dims(&l, u, &at, s.dim, u->shape.rank);
  const char *index = loop_value(&l, n->operand[0], &at), *v = loop_value(&l, n->operand[1], &at);
  const char *lo = loop_offset(&l, n, s.dim);
  str_line(&l.code, "const int64_t row = dtrt_index(dev, %s, %s)%s%s;", index,
           loop_literal(&l, node_attr(n, "size")), is_number(lo, 0) ? "" : " - ",
           is_number(lo, 0) ? "" : lo);
  str_line(&l.code, "if (row >= 0 && row < %s) {", loop_extent(&l, n, s.dim));
  l.code.indent++;
  const char *to = loop_element(&l, id, &s.out, true);
  add(&s, to, v);
  if (s.updates) hit(&s, place(&s), arena_printf(e->arena, "&%s", to));
  loop_close(&l, loops + 1);
  end(&s);
  loop_close(&l, outer);
  loop_finish(&l, n->name ? n->name : "unpick");
}
