/* Small products in loops of the entry become expressions, which loops compute and fuse with what
 * is around them:
 *
 *   k = contract(A, y), z = tanh(k)  ->  for i: z[i] = tanh(A[i][0] * y[0] + A[i][1] * y[1] + ...)
 *
 * The shorter of both is taken. An element's sum is a chain of operations that wait for each other:
 * a vector of them runs at m->vector_flops, two at a time twice as fast. A kernel has as many
 * chains as it takes to reach m->flops, but two for a single row or column (gemm_vector.c), and
 * takes m->call besides. Where an operand does not lie along the result's last dim, which are a
 * vector's lanes, its numbers come one by one, machine_apart times as long: for each operation of a
 * loop, and once for each number when the kernel turns the operand. Outside of loops a call takes
 * less time than compiling a loop does.
 *
 * Bits are the same: so few products are added in sequence, by multiply-add, either way
 * (docs/sums.md). Where other kernels are asked for ($DTRT_GEMM) they are not; so sizes are those
 * of whole tensors, which no layout changes. */
#include "schedule_passes.h"
#include <math.h>

/* Of one row of results, that run at once: of a kernel, and of a loop if registers hold what all of
 * the row is multiplied by. */
enum { CHAINS = 2 };

/* One dim of several elements is summed at most, and a device has all of it. */
static bool sums_one_dim(const Graph *g, const Node *n) {
  const Node *x = graph_operand(g, n, 0);
  const Letters l = product_letters(g, n);
  int summed = 0;
  for (int d = 0; d < x->shape.rank; d++) {
    if (l.in[l.x[d]] != LETTER_SUMMED) continue;
    if (x->layout->dim[d].naxes || x->layout->dim[d].window.of) return false;
    summed += x->shape.dim[d] != 1;
  }
  return summed <= 1;
}

/* The elements of operands that have the result's last dim and do not lie along it. */
static double elements_apart(const Graph *g, const Node *n) {
  const Letters l = product_letters(g, n);
  const int last = shape_last(&n->shape);
  double apart = 0;
  for (int k = 0; last >= 0 && k < 2; k++) {
    const Shape *s = &graph_operand(g, n, k)->shape;
    const int64_t *letter = k ? l.y : l.x;
    const bool has = l.in[l.out[last]] & (k ? LETTER_Y : LETTER_X), any = shape_last(s) >= 0;
    if (has && any && letter[shape_last(s)] != l.out[last]) apart += (double)shape_count(s);
  }
  return apart;
}

/* Vectors of the result. */
static double vectors_of(const Machine *m, const Node *n) {
  return (double)shape_count(&n->shape) * dtype_size(n->dtype) / m->vector;
}

static double flops_of(const ProductSizes *z) { return 2 * z->m * z->n * z->k * z->batch; }
static bool is_row(const ProductSizes *z) { return (z->m == 1 || z->n == 1) && z->batch == 1; }

static double kernel_time(const Machine *m, const ProductSizes *z, double apart) {
  const double rate = is_row(z) ? fmin(m->flops, CHAINS * m->vector_flops) : m->flops;
  return m->call + flops_of(z) / rate + apart * machine_apart(m) / m->vector_flops;
}

/* Rows of several are short loops one after the other. */
static double loop_time(const Machine *m, const Node *n, const ProductSizes *z, double apart) {
  const double most = is_row(z) && z->k <= (double)m->registers ? CHAINS : 1,
               chains = fmin(most, fmax(1, vectors_of(m, n)));
  return flops_of(z) / m->vector_flops * (apart ? machine_apart(m) : 1 / chains);
}

static bool is_quicker(const Machine *m, const Graph *g, const Node *n) {
  if (n->dtype != graph_operand(g, n, 0)->dtype || (n->dtype != DT_F32 && n->dtype != DT_F64))
    return false;
  const ProductSizes z = product_sizes_of(g, n);
  if (z.k > PRODUCT_SEQUENCE || !sums_one_dim(g, n)) return false;
  if (n->dtype == DT_F64 && (z.m > PRODUCT_SIDE || z.n > PRODUCT_SIDE)) return false;
  const double apart = elements_apart(g, n);
  return loop_time(m, n, &z, apart) < kernel_time(m, &z, apart);
}

static void unroll_entry(Plan *p, LocalEntry *le) {
  const Graph *g = le->graph;
  if (!le->entry->regions.n) return;
  const int *region = regions_find(p->arena, le->entry, g);
  for (NodeId i = 0; i < g->nodes.n; i++) {
    Node *n = graph_node(g, i);
    if (op_class(n) != OPC_PRODUCT || region_loop(le->entry, region[i]) == NO_REGION ||
        !is_quicker(p->program->machine, g, n))
      continue;
    n->op = n->op->unrolled;
    n->keep = KEEP_ALWAYS; /* computed once, also where several loops read it */
  }
}

void unroll(Plan *p) {
  for (int i = 0; i < p->entries.n; i++) unroll_entry(p, &p->entries.at[i]);
}
