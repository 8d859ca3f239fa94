/* What an entry tells a person while it runs: checks (`assert`) and prints. Law: all of them make
 * one chain of tokens, in the order of the program, which regions carry like a variable; so none is
 * left out, done twice or moved before another. What they read is whole on each device: all devices
 * take a check alike, and the first of them prints. */
#include "compose.h"
#include "plan.h"

static const char NO_GRAD[] = "its result is nothing but its place in an order";

/* Operands: the token of what was told before, the condition, and scalars to be shown. */
static bool infer_told(Build *b, Node *n) {
  (void)b;
  n->dtype = DT_I32;
  n->shape = (Shape){0};
  return true;
}

static void rule_told(const Graph *g, const Node *n, Rule *r) {
  const Node *x = graph_operand(g, n, 1);
  for (int d = 0; d < x->shape.rank; d++)
    r->operand[1][d] =
        (RuleDim){.n = 1, .factor = {(int8_t)rule_factor(r, x->shape.dim[d], FACTOR_WHOLE)}};
}

const OpDef op_assert = {.name = "assert",
                         .doc = "stops the program if its condition is false",
                         .infer = infer_told,
                         .rule = rule_told,
                         .no_grad = NO_GRAD,
                         .class = OPC_TELL,
                         .kernel = "dtrt_assert",
                         .feature = FEATURE_ASSERT,
                         .flags = OPF_TELLS};

const OpDef op_show = {.name = "show",
                       .doc = "prints a tensor of few elements",
                       .infer = infer_told,
                       .rule = rule_told,
                       .no_grad = NO_GRAD,
                       .class = OPC_TELL,
                       .kernel = "dtrt_print",
                       .feature = FEATURE_PRINT,
                       .flags = OPF_TELLS};

/* The last of an entry that tells in its last region: what is behind the region asks for it. */
const OpDef op_told = {.name = "told",
                       .doc = "no more is printed",
                       .infer = infer_told,
                       .rule = rule_elementwise,
                       .no_grad = NO_GRAD,
                       .class = OPC_TELL,
                       .kernel = "dtrt_told",
                       .feature = FEATURE_ASSERT | FEATURE_PRINT,
                       .flags = OPF_TELLS};

void build_told(Build *b, NodeId token) {
  if (token == NO_NODE || !op_is(op_node(b, token), OPF_AFTER)) return;
  const NodeId id = build_node(b, &op_told, 1, &token, 0, NULL, 0);
  graph_node(b->graph, id)->text = "";
}

static NodeId tell(Build *b, Op op, const char *text, int n, NodeId *operand) {
  for (int i = 1; i < n; i++)
    if (operand[i] == NO_NODE) return NO_NODE;
  operand[0] = b->told(b->user);
  const NodeId id = build_node(b, op, n, operand, 0, NULL, 0);
  if (id == NO_NODE) return id;
  graph_node(b->graph, id)->text = text;
  b->tells(b->user, id);
  return id;
}

void build_assert(Build *b, NodeId holds, int n, const NodeId *shown, const char *text) {
  NodeId operand[2 + MOST_SHOWN] = {NO_NODE, holds};
  for (int i = 0; i < n; i++) operand[2 + i] = shown[i];
  tell(b, &op_assert, text, 2 + n, operand);
}

/* As NumPy: of tensors of more than 1000 elements, three at each end of a dim of more than six. */
enum { MOST_WHOLE = 1000, MOST_EDGE = 3 };

static NodeId edges(Build *b, NodeId x, int dim) {
  const int64_t n = shape_of(b, x)->dim[dim];
  const NodeId end[2] = {part_of(b, x, dim, 0, MOST_EDGE),
                         part_of(b, x, dim, n - MOST_EDGE, MOST_EDGE)};
  return mk_concat(b, 2, end, dim);
}

static Arg call_print(Build *b, const Arg *a) {
  NodeId x;
  if (!arg_tensor(b, &a[0], "x", &x)) return NOTHING;
  if (!b->told) {
    op_fail(b, b->span, "nothing is printed here: it belongs in an entry, a fn or a method");
    return NOTHING;
  }
  if (a[1].kind != ARG_NONE && a[1].kind != ARG_STRING) {
    op_fail(b, a[1].span, "`label` must be a text, as in print(x, \"loss\")");
    return NOTHING;
  }
  const Shape full = *shape_of(b, x);
  NodeId part = x;
  Str text = str_new(b->arena);
  str_printf(&text, "%s\n%s\n", a[1].kind == ARG_STRING ? a[1].text : "", op_describe(b, x));
  for (int d = 0; d < full.rank; d++) {
    const bool cut = shape_count(&full) > MOST_WHOLE && full.dim[d] > 2 * MOST_EDGE;
    if (cut) part = edges(b, part, d);
    str_printf(&text, "%s%ld ", cut ? "~" : "", (long)(cut ? 2 * MOST_EDGE : full.dim[d]));
  }
  if (part == NO_NODE || tell(b, &op_show, text.at, 2, (NodeId[]){NO_NODE, part}) == NO_NODE)
    return NOTHING;
  return arg_node(x);
}

COMPOSITE(print, "x, label=none",
          "x, which is printed on standard error after the label, each time that this is run; of "
          "more than 1000 elements three at each end of each dim",
          "f32[4, 6] x: print(x)",
          .flags = OPF_COMPLEX)
