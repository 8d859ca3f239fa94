/* Which integers a tensor can hold, by what it is computed from: a list of numbers, clamp(i, 0, 8),
 * i % 9. An index that lies within its dim is read by without a check, which may keep a loop from
 * being vectorized; one that surely lies outside is an error while compiling. The shape of a node
 * is that of the whole tensor, so what is said here holds for every block of it. */
#include "opdefs.h"

typedef struct Integers {
  int64_t lo, hi;
  bool met; /* lo and hi are both among them */
} Integers;

/* What an op makes of its operands' integers. */
enum { NOTHING_KNOWN, UNCHANGED, EITHER, SUM, DIFFERENCE, PRODUCT, LEAST, MOST, REMAINDER };
static int kind_of(Op op) {
  static const struct {
    Op op;
    int kind;
  } kinds[] = {{&op_reshape, UNCHANGED},   {&op_broadcast, UNCHANGED},
               {&op_transpose, UNCHANGED}, {&op_slice, UNCHANGED},
               {&op_reverse, UNCHANGED},   {&op_roll, UNCHANGED},
               {&op_cast, UNCHANGED},      {&op_concat, EITHER},
               {&op_where, EITHER},        {&op_add, SUM},
               {&op_sub, DIFFERENCE},      {&op_mul, PRODUCT},
               {&op_min, LEAST},           {&op_max, MOST},
               {&op_mod, REMAINDER}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].op == op) return kinds[i].kind;
  return NOTHING_KNOWN;
}

static Integers both(Integers a, Integers b) {
  return (Integers){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi, a.met && b.met};
}

static bool single(Integers a) { return a.lo == a.hi; }

/* A sum, difference or product of what lies in x and y; false where one does not fit 64 bits. */
static bool combined(int kind, Integers x, Integers y, Integers *r) {
  const int64_t a[] = {x.lo, x.hi}, b[] = {y.lo, y.hi};
  for (int i = 0; i < 4; i++) {
    int64_t v;
    const bool over = kind == SUM          ? __builtin_add_overflow(a[i / 2], b[i % 2], &v)
                      : kind == DIFFERENCE ? __builtin_sub_overflow(a[i / 2], b[i % 2], &v)
                                           : __builtin_mul_overflow(a[i / 2], b[i % 2], &v);
    if (over) return false;
    *r = i ? both(*r, (Integers){v, v, true}) : (Integers){v, v, true};
  }
  return true;
}

/* What wraps may be anything. */
static Integers bounded(Integers r, Integers any) {
  return r.lo < any.lo || r.hi > any.hi ? any : r;
}

/* `looks`: how many more nodes are looked at; those beyond hold anything of their type. */
static Integers integers_of(const Graph *g, NodeId id, int *looks) {
  const Node *n = graph_node(g, id);
  if (n->dtype == DT_BOOL) return (Integers){0, 1, false};
  const Integers any = {dtype_least(n->dtype), dtype_most(n->dtype), false};
  const bool filled = shape_count(&n->shape) > 0;
  if (--*looks < 0) return any;
  if (node_is_const(n)) return (Integers){n->whole, n->whole, filled};
  if (op_class(n) == OPC_INDEX) {
    const int64_t size = n->shape.dim[node_attr(n, "axis")];
    return bounded((Integers){0, size > 0 ? size - 1 : 0, filled}, any);
  }
  const int kind = kind_of(n->op), first = op_is(n, OPF_CHOICE);
  if (kind == NOTHING_KNOWN) return any;
  Integers r = any, y = any;
  for (int k = first; k < n->noperands; k++) {
    const DType t = graph_node(g, n->operand[k])->dtype;
    if ((!dtype_is_int(t) && t != DT_BOOL) || t == DT_U64) return any;
    y = integers_of(g, n->operand[k], looks);
    if (k == first) r = y;
    if (kind == EITHER) r = both(r, y);
  }
  const bool met = filled && r.met && y.met, meets = met && (single(r) || single(y));
  switch (kind) {
  case SUM:
  case DIFFERENCE:
  case PRODUCT:
    if (!combined(kind, r, y, &r)) return any;
    r.met = meets;
    break;
  case LEAST: r = (Integers){r.lo < y.lo ? r.lo : y.lo, r.hi < y.hi ? r.hi : y.hi, meets}; break;
  case MOST: r = (Integers){r.lo > y.lo ? r.lo : y.lo, r.hi > y.hi ? r.hi : y.hi, meets}; break;
  case REMAINDER: r = y.lo > 0 ? (Integers){0, y.hi - 1, false} : any; break; /* y's sign */
  default: r.met = met && !first && (n->op != &op_slice || single(r)); /* a choice may take one */
  }
  return bounded(r, any);
}

enum { MOST_LOOKS = 1500 }; /* array literals are of up to 1024 parts */

bool index_lies_within(const Graph *g, NodeId id, int64_t size) {
  int looks = MOST_LOOKS;
  const DType t = graph_node(g, id)->dtype;
  if (!dtype_is_int(t) || t == DT_U64) return false;
  const Integers r = integers_of(g, id, &looks);
  return r.lo >= 0 && r.hi < size;
}

bool index_lies_outside(const Graph *g, NodeId id, int64_t size, int64_t *index) {
  int looks = MOST_LOOKS;
  const DType t = graph_node(g, id)->dtype;
  if (!dtype_is_int(t) || t == DT_U64) return false;
  const Integers r = integers_of(g, id, &looks);
  *index = r.lo < 0 ? r.lo : r.hi;
  return r.met && (r.lo < 0 || r.hi >= size);
}
