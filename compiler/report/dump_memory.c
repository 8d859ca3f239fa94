/* --dump=memory: what a device takes in all, live buffers at the peak, and the offset and lifetime
 * of each buffer. */
#include "plural.h"
#include "report.h"
#include <math.h>
#include <string.h>

/* -------- what the runtime takes -------- */

/* The runtime's own table of a layout, as the backend writes it into C. */
static const dtrt_layout *layout_table(const Plan *p, const Layout *l, const Shape *s) {
  dtrt_layout *t = arena_new_of(p->arena, dtrt_layout);
  dtrt_dim *dim = arena_array(p->arena, dtrt_dim, l->rank + 1);
  for (int d = 0; d < l->rank; d++) layout_dim(&dim[d], &l->dim[d], s->dim[d]);
  *t = (dtrt_layout){.rank = l->rank, .partial = l->partial, .reduce = (int)l->reduce, .dim = dim};
  return t;
}

static const dtrt_exchange *exchange_row(const Plan *p, const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0);
  Exchange e = exchange_at(p->program, g, n);
  dtrt_exchange *row = arena_new_of(p->arena, dtrt_exchange);
  *row = (dtrt_exchange){.kind = e.kind,
                         .dtype = (int)n->dtype,
                         .axes = e.axes,
                         .from = layout_table(p, x->layout, &n->shape),
                         .to = layout_table(p, n->layout, &n->shape),
                         .what = "",
                         .where = ""};
  return row;
}

/* A product of two matrices, neither of which is a vector: the runtime packs their parts. */
static bool is_packed(const Plan *p, const Graph *g, const Node *n) {
  if (n->dtype != DT_F32 || node_class(n) != CLASS_KERNEL) return false;
  if (op_class(n) != OPC_PRODUCT) return op_is(n, OPF_PRODUCT);
  const Letters l = product_letters(g, n);
  Shape local = node_local(&p->program->mesh, n);
  int64_t rows = 1, columns = 1;
  for (int d = 0; d < n->shape.rank; d++) {
    if (l.in[l.out[d]] == LETTER_M) rows *= local.dim[d];
    if (l.in[l.out[d]] == LETTER_N) columns *= local.dim[d];
  }
  return rows > 1 && columns > 1;
}

typedef VEC(const dtrt_exchange *) Rows;

/* The entry's exchanges; whether it packs. */
static bool entry_needs(const Plan *p, const LocalEntry *le, Rows *rows) {
  bool packs = false;
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    for (int i = 0; i < s->nodes.n; i++)
      if (s->kind == STEP_EXCHANGE)
        vec_push(p->arena, rows, exchange_row(p, le->graph, s->nodes.at[i]));
      else
        packs = packs || is_packed(p, le->graph, graph_node(le->graph, s->nodes.at[i]));
  }
  return packs;
}

dtrt_memory report_memory(const Plan *p) {
  const Mesh *m = &p->program->mesh;
  int32_t size[MAX_AXES];
  dtrt_entry *entry = arena_array(p->arena, dtrt_entry, p->entries.n);
  Rows rows = {0};
  bool packs = false;
  for (int a = 0; a < m->naxes; a++) size[a] = (int32_t)m->axis[a].size;
  for (int e = 0; e < p->entries.n; e++) {
    entry[e].arena_bytes = p->entries.at[e].arena_bytes;
    packs = entry_needs(p, &p->entries.at[e], &rows) || packs;
  }
  dtrt_program table = {.naxes = m->naxes,
                        .axis_size = size,
                        .nentries = p->entries.n,
                        .entry = entry,
                        .nexchanges = rows.n,
                        .exchange = rows.at,
                        .vars_bytes = p->vars_bytes};
  dtrt_memory out;
  if (dtrt_predict_memory(&table, packs, &out)) out.exchanges = out.total = -1;
  return out;
}

/* -------- values -------- */

/* Which values are in each buffer, one after the other. */
typedef struct Tenants {
  NodeId *first; /* by buffer, or NO_NODE ... */
  NodeId *next;  /* ... and by node */
} Tenants;

static Tenants tenants_of(const Plan *p, const LocalEntry *le) {
  Tenants t = {arena_array(p->arena, NodeId, le->buffers.n + 1),
               arena_array(p->arena, NodeId, le->graph->nodes.n + 1)};
  for (int i = 0; i < le->buffers.n; i++) t.first[i] = NO_NODE;
  for (NodeId i = le->graph->nodes.n - 1; i >= 0; i--) {
    if (le->buffer[i] < 0) continue;
    t.next[i] = t.first[le->buffer[i]];
    t.first[le->buffer[i]] = i;
  }
  return t;
}

static const char *value_name(const Plan *p, const LocalEntry *le, NodeId id) {
  return node_label(p->program, le->entry->graph, le->origin.at[id], p->arena);
}

/* The value in buffer b at step t: of two that meet there, the newer. */
static NodeId value_at(const LocalEntry *le, const Tenants *in, int b, int t) {
  NodeId found = NO_NODE;
  for (NodeId i = in->first[b]; i != NO_NODE; i = in->next[i])
    if (le->made_at[i] <= t && t <= le->last_read[i] &&
        (found == NO_NODE || le->made_at[i] >= le->made_at[found]))
      found = i;
  return found == NO_NODE ? le->buffers.at[b].node : found;
}

enum { SHOWN = 16 };

/* Live buffers at step t, the largest first. */
static void put_alive(const Plan *p, const LocalEntry *le, const Tenants *in, int t, Str *out) {
  int n = 0;
  const Buffer **list = entry_live(p->arena, le, t, &n);
  int64_t rest = 0;
  for (int i = 0; i < n; i++) {
    if (i >= SHOWN) {
      rest += list[i]->bytes;
      continue;
    }
    NodeId id = value_at(le, in, (int)(list[i] - le->buffers.at), t);
    const Node *node = graph_node(le->graph, id);
    if (list[i]->scratch) {
      str_printf(out, "    %10ld  partial sums of %s\n", (long)list[i]->bytes,
                 value_name(p, le, list[i]->node));
      continue;
    }
    str_printf(out, "    %10ld  %s  %s", (long)list[i]->bytes, value_name(p, le, id),
               dtype_name(node->dtype));
    shape_put(out, &node->shape);
    str_printf(out, " %s  %s\n", report_layout(p, node->layout), node_where(p->program, node));
  }
  if (n > SHOWN) str_printf(out, "    %10ld  in %d more\n", (long)rest, n - SHOWN);
}

/* The step with peak memory. */
static int worst_step(const Plan *p, const LocalEntry *le) {
  int64_t *change = arena_array(p->arena, int64_t, le->steps.n + 3), live = 0, most = -1;
  int worst = -1;
  for (int i = 0; i < le->buffers.n; i++) {
    const Buffer *b = &le->buffers.at[i];
    if (b->place != PLACE_ARENA || b->first > b->last) continue;
    change[b->first + 1] += b->bytes;
    change[b->last + 2] -= b->bytes;
  }
  for (int t = -1; t <= le->steps.n; t++) {
    live += change[t + 1];
    if (live > most) most = live, worst = t;
  }
  return worst;
}

static void put_worst(const Plan *p, const LocalEntry *le, const Tenants *in, Str *out) {
  int t = worst_step(p, le);
  if (t < 0)
    str_puts(out, "  live at the peak, before the first step:\n");
  else if (t == le->steps.n)
    str_puts(out, "  live at the peak, after the last step:\n");
  else
    str_printf(out, "  live at the peak, step %d of %d, which computes %s:\n", t, le->steps.n,
               value_name(p, le, le->steps.at[t].nodes.at[0]));
  put_alive(p, le, in, t, out);
}

/* What --memory has computed a second time. */
static void put_again(const Plan *p, const LocalEntry *le, Str *out) {
  double all = 0;
  int n = 0;
  if (!le->again) return;
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    for (int i = 0; i < s->nodes.n; i++) {
      if (!le->again[s->nodes.at[i]]) continue;
      double time = cost_step(p, le, t).compute / s->nodes.n;
      const Buffer *b = &le->buffers.at[le->buffer[s->nodes.at[i]]];
      str_printf(out, "  %s is recomputed in step %d: %ld bytes, %s\n",
                 value_name(p, le, s->nodes.at[i]), t, (long)b->bytes, report_time(p, time));
      all += time, n++;
    }
  }
  str_printf(out, "  %d values are recomputed to fit %lld bytes: %s a call, modelled\n", n,
             (long long)p->memory, report_time(p, all));
}

/* "    the buffers at 0 and 4096 change places after each run" */
static void put_rotations(const LocalEntry *le, const LocalRegion *x, Str *out) {
  for (int i = 0; i < x->rotations.n; i++) {
    const Rotation *r = &x->rotations.at[i];
    str_puts(out, "    the buffers at");
    for (int k = 0; k < r->buffers.n; k++)
      str_printf(out, "%s %ld",
                 k == 0                 ? ""
                 : k + 1 < r->buffers.n ? ","
                                        : " and",
                 (long)le->buffers.at[r->buffers.at[k]].offset);
    str_puts(out, " change places after each run\n");
  }
}

/* "    of 64 runs one in 8 keeps what it carries; the backward pass recomputes 8 at a time" */
static void put_segments(const Plan *p, int entry, const Region *x, Str *out) {
  const int64_t runs = x->turns == TURNS_UNKNOWN ? x->most : x->turns;
  const LoopsKeep *keep = p->loops_keep ? &p->loops_keep[entry] : NULL;
  if (!keep || !keep->levels || !x->gone_back) return;
  if (!x->segment[0]) {
    const char *all =
        runs == 1 ? "the run keeps" : arena_printf(p->arena, "all %lld runs keep", (long long)runs);
    str_printf(out, "    %s what the backward pass requires: %s\n", all,
               x->differentiated_again ? "there is a gradient of its gradient"
               : runs < 2              ? "there are no more"
                                       : "it carries a tensor of the most dims that there can be");
    return;
  }
  str_printf(out, "    of %lld runs ", (long long)runs);
  if (x->segment[0] == 1)
    str_puts(out, "each keeps what it carries alone; the backward pass recomputes each");
  else
    str_printf(out,
               "one in %lld keeps what it carries; the backward pass recomputes %lld at a time",
               (long long)x->segment[0], (long long)x->segment[0]);
  for (int l = 1; l < KEEP_LEVELS && x->segment[l]; l++)
    str_printf(out, ", and %lld of these at a time once more", (long long)x->segment[l]);
  str_puts(out, x->differentiated_again ? "; another gradient of its gradient keeps all\n" : "\n");
}

/* What loops take less, and compute more, than where all is kept for the backward pass. */
static void put_saved(const Plan *p, const LocalEntry *le, Str *out) {
  if (!p->all_kept || !p->loops_keep[le->index].levels) return;
  const LocalEntry *all = &p->all_kept->entries.at[le->index];
  const double more = cost_entry(p, le).time - cost_entry(p->all_kept, all).time;
  str_printf(out, "  loops keep less to fit %lld bytes: %ld bytes less than with all kept",
             (long long)p->memory, (long)(all->arena_bytes - le->arena_bytes));
  str_printf(out, ", %s%s a call, modelled\n", more < 0 ? "-" : "+", report_time(p, fabs(more)));
}

/* Which steps loops repeat, and how often: buffers of a body are used again by each run. */
static void put_loops(const Plan *p, const LocalEntry *le, Str *out) {
  for (int r = 0; r < le->entry->regions.n; r++) {
    const Region *x = &le->entry->regions.at[r];
    if (x->condition == NO_NODE || le->region[r].condition == NO_NODE) continue;
    const RegionSpan steps = region_span(le, r);
    if (steps.end <= steps.begin) continue;
    str_printf(out, "  steps %d..%d: ", steps.begin, steps.end - 1);
    if (x->kind != REGION_LOOP)
      str_puts(out, "a branch");
    else if (x->turns != TURNS_UNKNOWN)
      str_printf(out, "a loop that runs %lld time%s", (long long)x->turns,
                 x->turns == 1 ? "" : "s");
    else if (x->most)
      str_printf(out, "a loop that runs at most %lld time%s", (long long)x->most, PLURAL(x->most));
    else
      str_puts(out, "a loop whose number of runs is known only at run time");
    if (x->as_one) str_printf(out, ", each %lld runs as written", (long long)x->as_one);
    if (x->rest) str_puts(out, ", for the runs that are left");
    str_printf(out, ", %s\n",
               node_where(p->program, graph_node(le->graph, le->region[r].condition)));
    put_segments(p, le->index, x, out);
    put_rotations(le, &le->region[r], out);
  }
}

/* The values of a buffer in turn; a name that several of them share in a row stands once. */
static void put_values(const Plan *p, const LocalEntry *le, const Tenants *in, int buffer,
                       Str *out) {
  const char *last = NULL;
  for (NodeId id = in->first[buffer]; id != NO_NODE; id = in->next[id]) {
    const char *name = value_name(p, le, id);
    if (last && strcmp(last, name) == 0) continue;
    str_printf(out, "%s%s", last ? ", then " : " ", name);
    last = name;
  }
  if (!last) str_printf(out, " %s", value_name(p, le, le->buffers.at[buffer].node));
}

static void put_entry(const Plan *p, const LocalEntry *le, Str *out) {
  str_printf(out, "entry %s: arena %ld bytes a device; %ld live at the peak\n", le->entry->name,
             (long)le->arena_bytes, (long)le->live_bytes);
  Tenants in = tenants_of(p, le);
  put_loops(p, le, out);
  put_saved(p, le, out);
  if (le->arena_bytes) put_worst(p, le, &in, out);
  if (le->arena_bytes)
    str_puts(out, "        offset       bytes  buffer: lifetime (-1: inputs), values\n");
  for (int i = 0; i < le->buffers.n; i++) {
    const Buffer *b = &le->buffers.at[i];
    if (b->place != PLACE_ARENA) continue;
    str_printf(out, "    %10ld  %10ld  steps %d..%d ", (long)b->offset, (long)b->bytes, b->first,
               b->last);
    if (b->scratch) str_puts(out, " partial sums of");
    put_values(p, le, &in, i, out);
    str_puts(out, "\n");
  }
  put_again(p, le, out);
  for (int i = 0; i < le->copies.n; i++) {
    const Buffer *to = &le->buffers.at[le->copies.at[i].to];
    if (to->place == PLACE_VAR)
      str_printf(out, "  %s is updated by a copy at the end\n", p->program->vars.at[to->var].path);
  }
}

/* Along which axes devices share it. */
static void put_sharers(const Plan *p, uint32_t axes, Str *out) {
  const char *before = "  shared along ";
  for (int a = 0; a < p->program->mesh.naxes; a++)
    if (axes >> a & 1) str_printf(out, "%s%s", before, p->program->mesh.axis[a].name), before = ", ";
}

void dump_memory(const Plan *p, Str *out) {
  report_mesh(p, out);
  dtrt_memory m = report_memory(p);
  if (m.total >= 0)
    str_printf(out,
               "a device takes %ld bytes: variables %ld, arena %ld, packing %ld, exchanges %ld\n",
               (long)m.total, (long)m.variables, (long)m.arena, (long)m.packing, (long)m.exchanges);
  str_printf(out, "variables: %ld bytes a device\n", (long)p->vars_bytes);
  if (p->program->vars.n) str_puts(out, "      offset       bytes  variable\n");
  for (int i = 0; i < p->program->vars.n; i++) {
    const Var *v = &p->program->vars.at[i];
    str_printf(out, "  %10ld  %10ld  %s", (long)p->var_offset[i],
               (long)layout_bytes(&p->program->mesh, v->layout, &v->shape, v->dtype), v->path);
    if (p->var_shared[i]) put_sharers(p, p->shared.at[p->var_shared[i] - 1], out);
    str_puts(out, "\n");
  }
  for (int e = 0; e < p->entries.n; e++) put_entry(p, &p->entries.at[e], out);
}
