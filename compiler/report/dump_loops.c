/* --dump=loops: what each step computes, as loops over a device's block: which values are in
 * memory, and which are expressions in the loops that use them; tiles with the steps inside;
 * kernels with their epilogues; exchanges. */
#include "nest.h"
#include "report.h"

typedef struct Dump {
  const Plan *plan;
  const LocalEntry *le;
  Str *out;
  ExprNames names; /* of what a nest uses twice */
} Dump;

static void put_name(Dump *d, NodeId id) {
  str_puts(d->out, node_text(d->plan->program, d->le->graph, id, d->plan->arena));
}

static void put_list(Dump *d, const Nest *n, const char *open, const Expr *e, int count,
                     const char *close) {
  str_puts(d->out, open);
  for (int i = 0; i < count; i++) {
    if (i) str_puts(d->out, ", ");
    expr_put(d->out, n->x, d->plan->program, d->le->graph, e[i], &d->names);
  }
  str_puts(d->out, close);
}

static void put_where(Dump *d, const Step *s) {
  const Node *n = graph_node(d->le->graph, s->nodes.at[s->nodes.n - 1]);
  const char *where = node_where(d->plan->program, n);
  if (*where) str_printf(d->out, "    # %s", where);
  str_puts(d->out, "\n");
}

static void count_uses(const Exprs *x, Expr e, int *uses) {
  const ExprNode *n = expr_node(x, e);
  if (uses[e]++) return;
  for (int i = 0; i < n->n; i++) count_uses(x, n->arg[i], uses);
}

/* What is computed once and used twice gets a name, on a line of its own before its uses. */
static void put_shared(Dump *d, const Nest *n, Expr e, const int *uses, const char **name,
                       int *count, bool *done, int indent) {
  const ExprNode *x = expr_node(n->x, e);
  if (done[e]) return;
  done[e] = true;
  for (int i = 0; i < x->n; i++) put_shared(d, n, x->arg[i], uses, name, count, done, indent);
  if (uses[e] < 2 || x->kind < EXPR_OP) return;
  const char *own = arena_printf(d->plan->arena, "v%d", (*count)++);
  str_printf(d->out, "%*s%s = ", indent, "", own);
  expr_put(d->out, n->x, d->plan->program, d->le->graph, e, &d->names);
  str_puts(d->out, "\n");
  name[e] = own;
}

static void put_all_shared(Dump *d, const Nest *n, int indent) {
  Arena *a = d->plan->arena;
  const int size = n->x->at.n;
  int *uses = arena_array(a, int, size), count = 0;
  const char **name = arena_array(a, const char *, size);
  bool *done = arena_array(a, bool, size);
  for (int i = 0; i < n->stores.n; i++) count_uses(n->x, n->stores.at[i].value, uses);
  d->names = (ExprNames){name, size};
  for (int i = 0; i < n->stores.n; i++)
    put_shared(d, n, n->stores.at[i].value, uses, name, &count, done, indent);
}

/* "for i in 64, j in 10", and a line for each value that is stored. A reduction names its op in
 * front of what it reduces. */
static void put_nest(Dump *d, const Step *s, const Nest *n, int indent) {
  for (int i = 0; i < n->nloops; i++) {
    str_printf(d->out, "%s%s in ", i ? ", " : "for ", n->loop[i].index);
    expr_put(d->out, n->x, d->plan->program, d->le->graph, n->loop[i].extent, NULL);
  }
  if (!n->nloops) str_puts(d->out, "once");
  put_where(d, s);
  put_all_shared(d, n, indent + 2);
  for (int i = 0; i < n->stores.n; i++) {
    const NestStore *store = &n->stores.at[i];
    str_printf(d->out, "%*s", indent + 2, "");
    put_name(d, store->node);
    put_list(d, n, "[", store->index, store->nindex, "] = ");
    if (s->kind == STEP_REDUCE)
      str_printf(d->out, "%s of ", graph_node(d->le->graph, store->node)->op->name);
    expr_put(d->out, n->x, d->plan->program, d->le->graph, store->value, &d->names);
    str_puts(d->out, "\n");
  }
  d->names = (ExprNames){0};
}

/* "contract y f32[64, 10] of x, w" */
static void put_kernel(Dump *d, const Step *s) {
  const Node *n = graph_node(d->le->graph, s->nodes.at[0]);
  const Shape local = layout_local(&d->plan->program->mesh, n->layout, &n->shape);
  str_printf(d->out, "%s ", n->op->name);
  put_name(d, s->nodes.at[0]);
  str_printf(d->out, " %s", dtype_name(n->dtype));
  shape_put(d->out, &local);
  for (int k = 0; k < n->noperands; k++) {
    str_puts(d->out, k ? ", " : " of ");
    put_name(d, n->operand[k]);
  }
  put_where(d, s);
}

static void put_exchange(Dump *d, const Step *s) {
  const Graph *g = d->le->graph;
  const Node *n = graph_node(g, s->nodes.at[0]), *x = graph_operand(g, n, 0);
  const Exchange e = exchange_of(d->plan->program, x->layout, n->layout, &n->shape, n->dtype);
  str_printf(d->out, "%s%s of ",
             s->kind == STEP_WAIT ? "wait for "
             : s->flight          ? "start "
                                  : "",
             exchange_name(e.kind));
  for (int i = 0; i < s->nodes.n; i++) {
    if (i) str_puts(d->out, ", ");
    put_name(d, graph_node(g, s->nodes.at[i])->operand[0]);
  }
  put_where(d, s);
}

static void put_step(Dump *d, const Step *s, int indent);

/* "contract y ...", and below it what runs on its rows. */
static void put_epilogue(Dump *d, const Strip *t, int indent) {
  put_step(d, &t->steps.at[0], indent);
  str_printf(d->out, "%*sepilogue, by %ld rows\n", indent + 2, "", (long)t->loop[0].most);
  for (int i = 1; i < t->steps.n; i++) {
    str_printf(d->out, "%*s", indent + 4, "");
    put_step(d, &t->steps.at[i], indent + 4);
  }
}

static void put_tiles(Dump *d, const Strip *t, int indent) {
  for (int i = 0; i < t->nloops; i++) {
    const StripLoop *l = &t->loop[i];
    const Node *n = graph_node(d->le->graph, l->node);
    const int64_t all =
        dim_block_most(&d->plan->program->mesh, &n->layout->dim[l->dim], n->shape.dim[l->dim]);
    str_printf(d->out, "%stile %ld by %ld", i ? ", " : "", (long)all, (long)l->most);
  }
  str_puts(d->out, "\n");
  for (int i = 0; i < t->steps.n; i++) {
    str_printf(d->out, "%*s", indent + 2, "");
    put_step(d, &t->steps.at[i], indent + 2);
  }
}

/* Its first line begins where the text is. */
static void put_step(Dump *d, const Step *s, int indent) {
  Nest nest;
  if (s->kind == STEP_STRIP && s->strip->epilogue)
    put_epilogue(d, s->strip, indent);
  else if (s->kind == STEP_STRIP)
    put_tiles(d, s->strip, indent);
  else if (s->kind == STEP_EXCHANGE || s->kind == STEP_WAIT)
    put_exchange(d, s);
  else if (nest_of(d->plan->arena, d->plan, d->le, s, &nest))
    put_nest(d, s, &nest, indent);
  else
    put_kernel(d, s);
}

void dump_loops(const Plan *p, Str *out) {
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    Dump d = {.plan = p, .le = le, .out = out};
    str_printf(out, "%sentry %s: %d step%s\n", e ? "\n" : "", le->entry->name, le->steps.n,
               le->steps.n == 1 ? "" : "s");
    for (int t = 0; t < le->steps.n; t++) {
      str_printf(out, "%4d  ", t);
      put_step(&d, &le->steps.at[t], 6);
    }
  }
}
