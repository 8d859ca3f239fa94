/* Computes with the parts of complex tensors: a node of c64 or c128 becomes one of its real parts
 * and one of its imaginary parts, as its op's `complex` builds them, or as the node itself for each
 * (ops/complex.c). All later passes, the taking of gradients first, see real numbers; complex
 * elements are left in inputs and variables, which `re` and `im` take apart, and in what outputs,
 * variables and prints are given, which `join` puts together.
 *
 *   %1 = input z ; %2 = exp %1 ; return %2
 *   ->  %1 = input z ; %2 = re %1 ; %3 = im %1 ; %4 = exp %2 ; ... ; %9 = join %7, %8 ; return %9
 */
#include "complex.h"
#include "graph_passes.h"
#include "opdefs.h"

typedef struct Apart {
  Plan *plan;
  Entry *entry;
  const Graph *old;
  Build b;
  Complex *parts; /* by old node: of a real one `re` is it */
  NodeId *joined; /* by old node: of one that is complex, once something asked for its elements */
  bool *both;     /* by old node: its imaginary part has a use that a number without one lacks */
} Apart;

static bool is_complex(const Apart *a, NodeId old) {
  return dtype_is_complex(graph_node(a->old, old)->dtype);
}

static NodeId zero_of(Apart *a, NodeId x) { return mk_number(&a->b, x, 0); }

static NodeId join(Apart *a, NodeId old) {
  if (!is_complex(a, old)) return a->parts[old].re;
  if (a->joined[old] == NO_NODE) a->joined[old] = complex_join(&a->b, a->parts[old]);
  return a->joined[old];
}

/* The copy of a node for one of the parts. */
static NodeId copy_part(Apart *a, const Node *n, const NodeId *operand, int part) {
  Node copy = *n;
  int64_t *attr = arena_array(a->plan->arena, int64_t, n->nattr + 1);
  for (int k = 0; k < n->nattr; k++) attr[k] = n->attr[k];
  if (op_class(n) == OPC_CONST) attr[0] = dtype_part(n->dtype);
  if (op_is(n, OPF_GRAD)) copy.nattr = 1, attr[0] = 1 + part;
  copy.attr = attr;
  copy.operand = operand;
  copy.dtype = dtype_part(n->dtype);
  copy.precision = 0;
  if (part) copy.value = 0;
  if (n->name) copy.name = arena_printf(a->plan->arena, "%s.%s", n->name, part ? "im" : "re");
  return graph_add(a->b.graph, &copy);
}

/* The same op for re and for im. */
static Complex alike(Apart *a, const Node *n) {
  NodeId *x = arena_array(a->plan->arena, NodeId, n->noperands + 1);
  bool any = op_is(n, OPF_CARRY | OPF_GRAD);
  Complex out = {NO_NODE, NO_NODE};
  for (int k = 0; k < n->noperands; k++) {
    x[k] = a->parts[n->operand[k]].re;
    any = any || a->parts[n->operand[k]].im != NO_NODE;
  }
  out.re = copy_part(a, n, x, 0);
  if (!any) return out;
  for (int k = 0; k < n->noperands; k++) {
    if (!is_complex(a, n->operand[k])) continue;
    const Complex p = a->parts[n->operand[k]];
    x[k] = p.im != NO_NODE ? p.im : zero_of(a, p.re);
  }
  out.im = copy_part(a, n, x, 1);
  return out;
}

/* What the user said of the whole is said of a part that was built for it; of one that was there
 * before, by a relayout. */
static NodeId annotate(Apart *a, const Node *n, NodeId x, NodeId first, const char *part) {
  if (x == NO_NODE || (x < first && !n->spec && !n->forbid.file)) return x;
  if (x < first) x = build_relayout(&a->b, x, n->spec);
  Node *made = graph_node(a->b.graph, x);
  made->spec = n->spec;
  made->forbid = n->forbid;
  if (n->name && !made->name)
    made->name = *part ? arena_printf(a->plan->arena, "%s.%s", n->name, part) : n->name;
  return x;
}

static Complex built(Apart *a, const Node *n) {
  const NodeId first = a->b.graph->nodes.n;
  Complex x[2] = {{NO_NODE, NO_NODE}, {NO_NODE, NO_NODE}};
  for (int k = 0; k < n->noperands && k < 2; k++) x[k] = a->parts[n->operand[k]];
  Complex out = n->op->complex(&a->b, n, x);
  const bool whole = dtype_is_complex(n->dtype);
  out.re = annotate(a, n, out.re, first, whole ? "re" : "");
  if (whole) out.im = annotate(a, n, out.im, first, "im");
  return out;
}

static NodeId copy_whole(Apart *a, const Node *n) {
  Node copy = *n;
  NodeId *x = arena_array(a->plan->arena, NodeId, n->noperands + 1);
  for (int k = 0; k < n->noperands; k++) x[k] = join(a, n->operand[k]);
  copy.operand = x;
  return graph_add(a->b.graph, &copy);
}

static Complex take_apart(Apart *a, NodeId i) {
  const Node *n = graph_node(a->old, i);
  bool complex = dtype_is_complex(n->dtype);
  for (int k = 0; k < n->noperands; k++) complex = complex || is_complex(a, n->operand[k]);
  a->b.span = n->span, a->b.site = n->site, a->b.back = n->back;
  a->b.within = n->within;
  if (!complex || op_class(n) == OPC_TELL) return (Complex){copy_whole(a, n), NO_NODE};
  if (op_class(n) == OPC_SOURCE) {
    a->joined[i] = copy_whole(a, n);
    return complex_parts(&a->b, a->joined[i]);
  }
  Complex out = n->op->complex ? built(a, n) : alike(a, n);
  if (a->both[i] && out.im == NO_NODE) out.im = zero_of(a, out.re);
  return out;
}

/* -------- regions -------- */

/* Carries of complex values become two; a carry's number is its place. */
static void rewrite_region(Apart *a, int index) {
  Region *r = &a->entry->regions.at[index];
  const Region old = *r;
  r->carries.at = NULL, r->carries.n = r->carries.cap = 0;
  r->condition = old.condition == NO_NODE ? NO_NODE : a->parts[old.condition].re;
  for (int i = 0; i < old.carries.n; i++) {
    const Carry c = old.carries.at[i];
    const Complex p = a->parts[c.node], next = a->parts[c.next];
    for (int k = 0; k < (is_complex(a, c.node) ? 2 : 1); k++) {
      Carry of = c;
      of.node = k ? p.im : p.re;
      of.next = k ? next.im : next.re;
      vec_push(a->plan->arena, &r->carries, of);
      int64_t *attr = arena_array(a->plan->arena, int64_t, 2);
      attr[0] = index, attr[1] = r->carries.n - 1;
      graph_node(a->b.graph, of.node)->attr = attr;
    }
  }
}

/* A gradient with respect to an imaginary part, and what a run leaves in one, take a node, also
 * where that is 0. It stands beside the real part: in the region's body, before what comes behind.
 */
static void find_both(Apart *a) {
  for (NodeId i = 0; i < a->old->nodes.n; i++)
    if (op_is(graph_node(a->old, i), OPF_GRAD)) a->both[graph_node(a->old, i)->operand[1]] = true;
  for (int r = 0; r < a->entry->regions.n; r++)
    for (int k = 0; k < a->entry->regions.at[r].carries.n; k++) {
      const Carry c = a->entry->regions.at[r].carries.at[k];
      if (is_complex(a, c.node)) a->both[c.next] = true;
    }
}

static bool any_complex(const Graph *g) {
  bool any = false;
  for (NodeId i = 0; i < g->nodes.n; i++) any = any || dtype_is_complex(graph_node(g, i)->dtype);
  return any;
}

static void rewrite(Plan *p, Entry *e) {
  if (!any_complex(e->graph)) return;
  const Graph *old = e->graph;
  const int n = old->nodes.n;
  Apart a = {.plan = p,
             .entry = e,
             .old = old,
             .b = {.arena = p->arena,
                   .diag = p->program->diag,
                   .graph = graph_new(p->arena, VIEW_GLOBAL, 3 * n)},
             .parts = arena_array(p->arena, Complex, n + 1),
             .joined = arena_array(p->arena, NodeId, n + 1),
             .both = arena_array(p->arena, bool, n + 1)};
  for (NodeId i = 0; i < n; i++) a.joined[i] = NO_NODE;
  find_both(&a);
  for (NodeId i = 0; i < n; i++) a.parts[i] = take_apart(&a, i);
  for (int i = 0; i < e->regions.n; i++) rewrite_region(&a, i);
  for (int i = 0; i < e->inputs.n; i++) e->inputs.at[i].node = join(&a, e->inputs.at[i].node);
  for (int i = 0; i < e->outputs.n; i++) e->outputs.at[i].node = join(&a, e->outputs.at[i].node);
  for (int i = 0; i < e->assigns.n; i++) e->assigns.at[i].node = join(&a, e->assigns.at[i].node);
  e->graph = a.b.graph;
}

void take_complex_apart(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++) {
    rewrite(p, &p->program->entries.at[i]);
    if (p->program->entries.at[i].regions.n) regions_settle(p->arena, &p->program->entries.at[i]);
  }
}
