/* The graph of an entry some of whose products go in panels: each panel is cut out of a device's
 * own blocks, exchanged, multiplied and exchanged, and what reads the whole reads the panels
 * joined.
 *
 * Where devices have blocks of the dim, a panel is a part of each: [T] is seen as [blocks, T /
 * blocks] and cut along the second. */
#include "opdefs.h"
#include "panels.h"
#include <string.h>

/* A value of the new graph in panels along one of its dims. */
typedef struct InPanels {
  NodeId of; /* old */
  int dim, n;
  int64_t blocks;
  NodeId *panel;
} InPanels;

typedef struct PanelRewrite {
  const Plan *plan;
  const LocalEntry *from;
  LocalEntry *to;
  Build b;
  NodeId *map;            /* by old node; NO_NODE: it is not there, or only in panels */
  const Panels **product; /* by old node: of a product in panels, or of the exchange behind one */
  const Panels **before;  /* by old node: of an exchange in panels that such a product reads */
  VEC(InPanels) cut;
  const Panels *products;
  int nproducts;
  bool *done;     /* by product in panels */
  int64_t copied; /* bytes */
  int now;        /* which products in panels, from 1 on */
} PanelRewrite;

int panels_dim(const Graph *g, NodeId product, int k, int64_t letter) {
  const Node *n = graph_node(g, product);
  const Letters l = product_letters(g, n);
  const int64_t *of = k == 0 ? l.x : k == 1 ? l.y : l.out;
  const int rank = (k < 2 ? graph_operand(g, n, k) : n)->shape.rank;
  for (int d = 0; d < rank; d++)
    if (of[d] == letter) return d;
  return -1;
}

int64_t panels_block(const Mesh *m, const DimLayout *along, int64_t n) {
  return n / dim_parts(m, along);
}

/* Elements of a block before panel i. */
static int64_t panel_begin(int64_t block, int panels, int i) { return block * i / panels; }

/* -------- nodes -------- */

/* What was added to the graph since the last call comes from these. */
static void note_origin(PanelRewrite *w, NodeId origin, NodeId cause) {
  while (w->to->origin.n < w->to->graph->nodes.n) {
    vec_push(w->plan->arena, &w->to->origin, origin);
    vec_push(w->plan->arena, &w->to->cause, cause);
  }
}

static NodeId laid_out(PanelRewrite *w, NodeId id, const Layout *l) {
  Node *n = graph_node(w->to->graph, id);
  n->layout = layout_of(w->plan->program->layouts, l, &n->shape);
  return id;
}

/* Dim d of n elements in blocks of `along`: as the two dims [blocks, n / blocks], or back. */
static NodeId in_blocks(PanelRewrite *w, NodeId x, int d, int64_t blocks) {
  const Node *n = graph_node(w->to->graph, x);
  if (blocks == 1) return x;
  Shape s = {.rank = n->shape.rank + 1};
  Layout l = *n->layout;
  l.rank++;
  for (int i = 0; i < s.rank; i++) s.dim[i] = n->shape.dim[i <= d ? i : i - 1];
  for (int i = s.rank - 1; i > d + 1; i--) l.dim[i] = l.dim[i - 1];
  s.dim[d] = blocks, s.dim[d + 1] = n->shape.dim[d] / blocks;
  l.dim[d + 1] = (DimLayout){.granule = 1};
  return laid_out(w, mk_reshape(&w->b, x, &s), &l);
}

static NodeId out_of_blocks(PanelRewrite *w, NodeId x, int d, int64_t blocks) {
  const Node *n = graph_node(w->to->graph, x);
  if (blocks == 1) return x;
  Shape s = {.rank = n->shape.rank - 1};
  Layout l = *n->layout;
  l.rank--;
  for (int i = 0; i < s.rank; i++) s.dim[i] = n->shape.dim[i < d ? i : i + 1];
  for (int i = d + 1; i < s.rank; i++) l.dim[i] = l.dim[i + 1];
  s.dim[d] *= blocks;
  return laid_out(w, mk_reshape(&w->b, x, &s), &l);
}

static void begin_nodes(PanelRewrite *w, NodeId like) {
  const Node *n = graph_node(w->from->graph, like);
  w->b.span = n->span, w->b.site = n->site, w->b.within = n->within;
}

/* Panel i of new node x, which is of old node `like`. */
static NodeId sliced(PanelRewrite *w, NodeId x, NodeId like, const Panels *s, int d, int i) {
  const int64_t blocks = dim_parts(&w->plan->program->mesh, &s->along);
  begin_nodes(w, like);
  const NodeId seen = in_blocks(w, x, d, blocks);
  const Node *n = graph_node(w->to->graph, seen);
  const Shape shape = n->shape;
  const Layout l = *n->layout;
  const int at = blocks == 1 ? d : d + 1;
  int64_t begin[MAX_RANK] = {0}, size[MAX_RANK], step[MAX_RANK];
  for (int k = 0; k < shape.rank; k++) size[k] = shape.dim[k], step[k] = 1;
  begin[at] = panel_begin(shape.dim[at], s->n, i);
  size[at] = panel_begin(shape.dim[at], s->n, i + 1) - begin[at];
  const NodeId part = laid_out(w, mk_slice(&w->b, seen, begin, size, step), &l);
  graph_node(w->to->graph, part)->in_panels = w->now;
  const NodeId out = out_of_blocks(w, part, d, blocks);
  w->copied += node_bytes(w->plan->program, graph_node(w->to->graph, out));
  note_origin(w, w->from->origin.at[like], NO_NODE);
  return out;
}

/* The whole of which these are the panels. */
static NodeId joined(PanelRewrite *w, NodeId like, const Panels *s, const InPanels *c) {
  const int64_t blocks = dim_parts(&w->plan->program->mesh, &s->along);
  begin_nodes(w, like);
  NodeId *part = arena_array(w->plan->arena, NodeId, c->n);
  for (int i = 0; i < c->n; i++) part[i] = in_blocks(w, c->panel[i], c->dim, blocks);
  const Layout l = *graph_node(w->to->graph, part[0])->layout;
  NodeId all = mk_concat(&w->b, c->n, part, blocks == 1 ? c->dim : c->dim + 1);
  all = out_of_blocks(w, laid_out(w, all, &l), c->dim, blocks);
  const Node *old = graph_node(w->from->graph, like);
  Node *n = graph_node(w->to->graph, all);
  w->copied += node_bytes(w->plan->program, n);
  n->name = old->name, n->keep = old->keep, n->forbid = old->forbid, n->layout = old->layout;
  note_origin(w, w->from->origin.at[like], NO_NODE);
  return all;
}

/* Old node `like` for panel i, of other operands. */
static NodeId copied(PanelRewrite *w, NodeId like, const NodeId *operand, const Panels *s, int d,
                     int i) {
  const Node *old = graph_node(w->from->graph, like);
  const int64_t block = panels_block(&w->plan->program->mesh, &s->along, old->shape.dim[d]);
  const int64_t rows = panel_begin(block, s->n, i + 1) - panel_begin(block, s->n, i);
  Node n = *old;
  n.operand = operand;
  n.shape.dim[d] = old->shape.dim[d] / block * rows;
  n.layout = layout_of(w->plan->program->layouts, old->layout, &n.shape);
  n.in_panels = w->now, n.panel = (uint8_t)(i + 1), n.panels = (uint8_t)s->n;
  const NodeId id = graph_add(w->to->graph, &n);
  note_origin(w, w->from->origin.at[like], w->from->cause.at[like]);
  return id;
}

/* -------- panels -------- */

static NodeId value(PanelRewrite *w, NodeId old);

/* The panels of an old node along a dim, each made when it is asked for. */
static InPanels panels_of(PanelRewrite *w, NodeId old, const Panels *s, int dim) {
  const int64_t blocks = dim_parts(&w->plan->program->mesh, &s->along);
  for (int i = 0; i < w->cut.n; i++) {
    const InPanels *c = &w->cut.at[i];
    if (c->of == old && c->dim == dim && c->n == s->n && c->blocks == blocks) return *c;
  }
  InPanels c = {old, dim, s->n, blocks, arena_array(w->plan->arena, NodeId, s->n)};
  for (int i = 0; i < s->n; i++) c.panel[i] = NO_NODE;
  vec_push(w->plan->arena, &w->cut, c);
  return c;
}

static NodeId sliced_once(PanelRewrite *w, NodeId old, const Panels *s, int d, int i) {
  NodeId *panel = panels_of(w, old, s, d).panel;
  if (panel[i] == NO_NODE) panel[i] = sliced(w, value(w, old), old, s, d, i);
  return panel[i];
}

static NodeId sends(PanelRewrite *w, NodeId exchange, const Panels *s, int d, int i) {
  return sliced_once(w, graph_node(w->from->graph, exchange)->operand[0], s, d, i);
}

/* Panel i of an exchange that goes in panels. */
static NodeId exchanged(PanelRewrite *w, NodeId old, const Panels *s, int d, int i) {
  NodeId *panel = panels_of(w, old, s, d).panel;
  if (panel[i] != NO_NODE) return panel[i];
  const NodeId x = sends(w, old, s, d, i);
  return panel[i] = copied(w, old, &x, s, d, i);
}

static NodeId multiplied(PanelRewrite *w, const Panels *s, int i) {
  const Graph *g = w->from->graph;
  const Node *n = graph_node(g, s->product);
  NodeId x[2];
  for (int k = 0; k < 2; k++) {
    const int d = panels_dim(g, s->product, k, s->letter);
    x[k] = d < 0                 ? value(w, n->operand[k])
           : s->in[k] != NO_NODE ? exchanged(w, s->in[k], s, d, i)
                                 : sliced_once(w, n->operand[k], s, d, i);
  }
  return copied(w, s->product, x, s, panels_dim(g, s->product, 2, s->letter), i);
}

static NodeId last_of(const Panels *s) { return s->out != NO_NODE ? s->out : s->product; }

/* Both read an exchange that goes in panels. */
static bool shares(const Panels *a, const Panels *b) {
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < 2; j++)
      if (a->in[k] != NO_NODE && a->in[k] == b->in[j]) return true;
  return false;
}

/* It is made of a variable or an input alone, or is there already. */
static bool may_come(const PanelRewrite *w, NodeId id) {
  const Node *n = graph_node(w->from->graph, id);
  while (w->map[id] == NO_NODE && n->noperands == 1 && !w->product[id] && !w->before[id] &&
         !op_is(n, OPF_CARRY | OPF_AFTER))
    n = graph_node(w->from->graph, id = n->operand[0]);
  return w->map[id] != NO_NODE || !n->noperands;
}

static void put(PanelRewrite *w, NodeId old);

static void bring(PanelRewrite *w, NodeId old) {
  if (w->map[old] != NO_NODE || w->product[old] || w->before[old]) return;
  const Node *n = graph_node(w->from->graph, old);
  if (n->noperands) bring(w, n->operand[0]);
  put(w, old);
}

/* What operand k is, or what is exchanged for it. */
static NodeId source_of(const PanelRewrite *w, const Panels *s, int k) {
  const Graph *g = w->from->graph;
  return s->in[k] != NO_NODE ? graph_node(g, s->in[k])->operand[0]
                             : graph_node(g, s->product)->operand[k];
}

/* Product x shares panels with s, and what else it reads can be there now. */
static bool goes_with(const PanelRewrite *w, const Panels *s, const Panels *x) {
  if (!shares(s, x)) return false;
  for (int k = 0; k < 2; k++) {
    const bool shared = x->in[k] != NO_NODE && (x->in[k] == s->in[0] || x->in[k] == s->in[1]);
    if (!shared && !may_come(w, source_of(w, x, k))) return false;
  }
  return true;
}

static void put_panel(PanelRewrite *w, const Panels *s, int i) {
  const int d = panels_dim(w->from->graph, s->product, 2, s->letter);
  NodeId *panel = panels_of(w, last_of(s), s, d).panel;
  panel[i] = multiplied(w, s, i);
  if (s->out != NO_NODE) panel[i] = copied(w, s->out, &panel[i], s, d, i);
}

/* With those that read the same panels, so that these are there for all of them at once. */
static void put_product(PanelRewrite *w, const Panels *s) {
  const Panels **all = arena_array(w->plan->arena, const Panels *, w->nproducts);
  int n = 0;
  for (int i = 0; i < w->nproducts; i++) {
    const Panels *x = &w->products[i];
    if (w->done[i] || (x != s && !goes_with(w, s, x))) continue;
    w->done[i] = true;
    all[n++] = x;
    for (int k = 0; k < 2 && x != s; k++) bring(w, source_of(w, x, k));
  }
  if (n) w->now++;
  for (int i = 0; i < s->n; i++)
    for (int k = 0; k < n; k++) {
      /* What the next exchange sends is there before it is to be under way. */
      for (int j = 0; j < 2; j++) {
        if (all[k]->in[j] == NO_NODE || w->product[all[k]->in[j]]) continue;
        const int d = panels_dim(w->from->graph, all[k]->product, j, all[k]->letter);
        exchanged(w, all[k]->in[j], all[k], d, i);
        if (i + 1 < s->n) sends(w, all[k]->in[j], all[k], d, i + 1);
      }
      put_panel(w, all[k], i);
    }
}

/* What reads the whole of what goes in panels. */
static NodeId put_joined(PanelRewrite *w, NodeId old) {
  const Graph *g = w->from->graph;
  const Panels *s = w->product[old] ? w->product[old] : w->before[old];
  const int k = w->product[old] ? 2 : s->in[0] == old ? 0 : 1;
  const int d = panels_dim(g, s->product, k, s->letter);
  if (k < 2)
    for (int i = 0; i < s->n; i++) exchanged(w, old, s, d, i);
  const InPanels c = panels_of(w, old, s, d);
  return joined(w, old, s, &c);
}

static NodeId value(PanelRewrite *w, NodeId old) {
  if (w->map[old] == NO_NODE) w->map[old] = put_joined(w, old);
  return w->map[old];
}

static void put(PanelRewrite *w, NodeId old) {
  Node n = *graph_node(w->from->graph, old);
  if (w->map[old] != NO_NODE) return;
  if (w->product[old] && w->product[old]->product == old) put_product(w, w->product[old]);
  if (w->product[old] || w->before[old]) return; /* joined when it is asked for */
  NodeId *x = arena_array(w->plan->arena, NodeId, n.noperands + 1);
  for (int k = 0; k < n.noperands; k++) x[k] = value(w, n.operand[k]);
  n.operand = x;
  w->map[old] = graph_add(w->to->graph, &n);
  note_origin(w, w->from->origin.at[old], w->from->cause.at[old]);
}

/* -------- entries -------- */

static NodeId *moved(PanelRewrite *w, const NodeId *from, int n) {
  NodeId *list = arena_array(w->plan->arena, NodeId, n + 1);
  for (int i = 0; i < n; i++) list[i] = value(w, from[i]);
  return list;
}

static void move_regions(PanelRewrite *w) {
  const int n = w->from->entry->regions.n;
  w->to->region = arena_array(w->plan->arena, LocalRegion, n + 1);
  for (int r = 0; r < n; r++) {
    const LocalRegion *from = &w->from->region[r];
    LocalRegion *to = &w->to->region[r];
    to->condition = from->condition == NO_NODE ? NO_NODE : value(w, from->condition);
    for (int i = 0; i < from->carries.n; i++) {
      const LocalCarry c = {value(w, from->carries.at[i].node), value(w, from->carries.at[i].next)};
      vec_push(w->plan->arena, &to->carries, c);
    }
  }
}

LocalEntry panels_made(const Plan *p, const LocalEntry *le, int n, const Panels *products,
                       int64_t *copied) {
  const int nodes = le->graph->nodes.n;
  LocalEntry to = {.entry = le->entry,
                   .index = le->index,
                   .choice = le->choice,
                   .graph = graph_new(p->arena, VIEW_LOCAL, nodes + nodes / 4)};
  PanelRewrite w = {.plan = p,
                    .from = le,
                    .to = &to,
                    .b = {.arena = p->arena, .diag = p->program->diag, .graph = to.graph},
                    .products = products,
                    .nproducts = n,
                    .done = arena_array(p->arena, bool, n + 1),
                    .map = arena_array(p->arena, NodeId, nodes + 1),
                    .product = arena_array(p->arena, const Panels *, nodes + 1),
                    .before = arena_array(p->arena, const Panels *, nodes + 1)};
  for (NodeId i = 0; i < nodes; i++) w.map[i] = NO_NODE;
  for (int i = 0; i < n; i++) {
    const Panels *s = &products[i];
    w.product[s->product] = s;
    if (s->out != NO_NODE) w.product[s->out] = s;
    for (int k = 0; k < 2; k++)
      if (s->in[k] != NO_NODE && !w.before[s->in[k]]) w.before[s->in[k]] = s;
  }
  for (NodeId i = 0; i < nodes; i++) put(&w, i);
  to.input = moved(&w, le->input, le->entry->inputs.n);
  to.output = moved(&w, le->output, le->entry->outputs.n);
  to.assign = moved(&w, le->assign, le->entry->assigns.n);
  move_regions(&w);
  *copied = w.copied;
  return to;
}
