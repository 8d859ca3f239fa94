/* --dump=loops: what each step computes, as loops over a device's block: which values are in
 * memory, and which are expressions in the loops that use them; tiles with the steps inside;
 * kernels with their epilogues; exchanges. */
#include "loops.h"
#include "report.h"

typedef struct Dump {
  const Plan *plan;
  const LocalEntry *le;
  Str *out;
  const Tiles *tile; /* whose tiles are shown; NULL */
} Dump;

static void put_name(Dump *d, NodeId id) {
  str_puts(d->out, node_text(d->plan->program, d->le->graph, id, d->plan->arena));
}

static void put_where(Dump *d, const Step *s) {
  const Node *n = graph_node(d->le->graph, s->nodes.at[s->nodes.n - 1]);
  const char *where = node_where(d->plan->program, n);
  if (*where) str_printf(d->out, "    # %s", where);
  str_puts(d->out, "\n");
}

/* What the step stores, and its statements. */
static void put_loop(Dump *d, const Step *s, const LoopFunction *f, int indent) {
  for (int i = 0; i < s->nodes.n; i++) {
    if (i) str_puts(d->out, ", ");
    put_name(d, s->nodes.at[i]);
  }
  put_where(d, s);
  loop_put(d->out, d->plan, d->le, f, indent + 2);
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
static void put_epilogue(Dump *d, const Tiles *t, int indent) {
  put_step(d, &t->steps.at[0], indent);
  str_printf(d->out, "%*sepilogue, by %ld rows\n", indent + 2, "", (long)t->loop[0].most);
  d->tile = t;
  for (int i = 1; i < t->steps.n; i++) {
    str_printf(d->out, "%*s", indent + 4, "");
    put_step(d, &t->steps.at[i], indent + 4);
  }
  d->tile = NULL;
}

static void put_tiles(Dump *d, const Tiles *t, int indent) {
  for (int i = 0; i < t->nloops; i++) {
    const TileLoop *l = &t->loop[i];
    const Node *n = graph_node(d->le->graph, l->node);
    const int64_t all =
        dim_block_most(&d->plan->program->mesh, &n->layout->dim[l->dim], n->shape.dim[l->dim]);
    str_printf(d->out, "%stile %ld by %ld", i ? ", " : "", (long)all, (long)l->most);
  }
  str_puts(d->out, "\n");
  d->tile = t;
  for (int i = 0; i < t->steps.n; i++) {
    str_printf(d->out, "%*s", indent + 2, "");
    put_step(d, &t->steps.at[i], indent + 2);
  }
  d->tile = NULL;
}

/* Its first line begins where the text is. */
static void put_step(Dump *d, const Step *s, int indent) {
  const LoopSite site = {d->plan->arena, d->plan, d->le, d->tile};
  LoopFunction f;
  if (s->kind == STEP_TILES && s->tile->epilogue)
    put_epilogue(d, s->tile, indent);
  else if (s->kind == STEP_TILES)
    put_tiles(d, s->tile, indent);
  else if (s->kind == STEP_EXCHANGE || s->kind == STEP_WAIT)
    put_exchange(d, s);
  else if (loop_of(&site, s, &f))
    put_loop(d, s, &f, indent);
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
