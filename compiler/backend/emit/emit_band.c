/* Strips whose scores are masked: loops over the columns that the mask leaves (strip_band.c says
 * where that is right), and products of the same part.
 *
 *   for (int whole = 0;; whole = 1) {
 *     const int64_t low = whole ? -DTRT_FAR : ..., high = ...;
 *     ... scores, their largest ...
 *     if (!whole && loop_exp(...)) continue;   // some masked score is not 0 beside such small ones
 *     ... the rest ...
 *     break;
 *   } */
#include "emit_loop.h"
#include <string.h>

static const StripBand *band_of(const Emit *e) {
  return e->strip && e->strip->band.of != NO_NODE ? &e->strip->band : NULL;
}

bool emit_in_band(Emit *e, NodeId id) {
  return band_of(e) && strip_in_band(e->strip, e->le->graph, id);
}

bool emit_reads_band(Emit *e, NodeId id) {
  const Graph *g = e->le->graph;
  const StripBand *b = band_of(e);
  return b && same_space(graph_operand(g, graph_node(g, id), 0), graph_node(g, b->of));
}

int emit_mask(Emit *e, NodeId id) {
  const StripBand *b = band_of(e);
  for (int i = 0; b && i < b->masks.n; i++)
    if (b->masks.at[i].node == id) return b->masks.at[i].dead;
  return 0;
}

/* -------- loops -------- */

static const char *live(Loop *l, const Node *n, const Index *at, const char *end,
                        const char *bound) {
  return arena_printf(l->e->arena, "dtrt_live_%s(%s, %s, %s)", end, at->at[band_of(l->e)->row],
                      loop_number(l, 'b', bound), loop_extent(l, n, n->shape.rank - 1));
}

const char *loop_live_from(Loop *l, const Node *n, const Index *at) {
  return live(l, n, at, "from", "low");
}

const char *loop_live_to(Loop *l, const Node *n, const Index *at) {
  return live(l, n, at, "to", "high");
}

void loop_open_live(Loop *l, const Node *n, const Index *at) {
  const char *var = at->at[n->shape.rank - 1];
  str_line(&l->code, "DTRT_PLAIN");
  str_line(&l->code, "for (int64_t %s = %s; %s < %s; %s++) {", var, loop_live_from(l, n, at), var,
           loop_live_to(l, n, at), var);
  l->code.indent++;
}

const char *loop_value_outside(Loop *l, NodeId id, const Index *at) {
  Index in = *at;
  in.at[graph_node(l->g, id)->shape.rank - 1] = "0";
  l->outside = true;
  const char *v = loop_value(l, id, &in);
  l->outside = false;
  return v;
}

/* -------- the band -------- */

/* What a step stores for others than the strip has its zeros as well. */
void emit_band_clear(Emit *e, const Step *s) {
  for (int i = 0; i < s->nodes.n; i++) {
    const NodeId id = s->nodes.at[i];
    if (!emit_in_band(e, id) || e->le->strip_bytes[id]) continue;
    const Node *n = graph_node(e->le->graph, id);
    const char *stride[MAX_RANK], *step = "1";
    for (int d = n->shape.rank - 1; d >= 0; d--) {
      stride[d] = step;
      step = emit_product(e, step, emit_room(e, n, d));
    }
    emit_clear(e, n, emit_start(e, id), stride);
  }
}

void emit_clear(Emit *e, const Node *n, const char *p, const char *const *stride) {
  const int last = n->shape.rank - 1, row = e->strip->band.row;
  Str at = str_new(e->arena);
  int loops = 0;
  for (int d = 0; d < last; d++) {
    if (d == row || is_number(emit_len(e, n, d), 1)) continue;
    str_line(&e->body, "for (int64_t i%d = 0; i%d < %s; i%d++)", loops, loops, emit_len(e, n, d),
             loops);
    e->body.indent++;
    str_printf(&at, " + i%d * %s", loops++, stride[d]);
  }
  str_line(&e->body, "dtrt_live_clear((float *)%s%s, %s, %s, %s, low, high);", p, at.at,
           emit_len(e, n, row), emit_len(e, n, last), stride[row]);
  e->body.indent -= loops;
}

static const char *bound_text(Emit *e, int64_t bound) {
  const StripBand *b = band_of(e);
  const Node *n = graph_node(e->le->graph, b->of);
  if (bound == BAND_FAR) return "DTRT_FAR";
  if (bound == -BAND_FAR) return "-DTRT_FAR";
  const char *row = emit_from(e, n, b->row), *column = emit_from(e, n, n->shape.rank - 1);
  Str s = str_new(e->arena);
  str_printf(&s, "%ld", (long)bound);
  if (!is_number(row, 0)) str_printf(&s, " + %s", row);
  if (!is_number(column, 0)) str_printf(&s, " - %s", loop_wrap(e, column));
  return s.at;
}

static void put_bound(Emit *e, const char *name, const char *far, const char *bound) {
  bool looks = band_of(e)->vanishes != NO_NODE && strcmp(bound, far);
  if (looks)
    str_line(&e->body, "const int64_t %s = whole ? %s : %s;", name, far, bound);
  else
    str_line(&e->body, "const int64_t %s = %s;", name, bound);
}

void emit_band_begin(Emit *e) {
  const StripBand *b = band_of(e);
  if (!b) return;
  bool looks = b->vanishes != NO_NODE;
  if (looks) {
    str_line(&e->body, "for (int whole = 0;; whole = 1) {");
    e->body.indent++;
  }
  put_bound(e, "low", "-DTRT_FAR", bound_text(e, b->low));
  put_bound(e, "high", "DTRT_FAR", bound_text(e, b->high));
}

void emit_band_end(Emit *e) {
  if (!band_of(e) || band_of(e)->vanishes == NO_NODE) return;
  str_line(&e->body, "break;");
  e->body.indent--;
  str_line(&e->body, "}");
}

static void look(Loop *l, NodeId id, Index *at) {
  const char *v = loop_value_outside(l, id, at);
  str_line(&l->code, "some |= !(%s == 0);", loop_wrap(l->e, v));
}

/* Whether some row's value is not 0. */
void emit_band_check(Emit *e, int i) {
  const StripBand *b = band_of(e);
  if (!b || b->vanishes == NO_NODE || b->at != i) return;
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, b->vanishes);
  l.returns = "int";
  l.code.indent = 1;
  str_line(&l.code, "int some = 0;");
  Index at = loop_nest_index(&l, n);
  int loops = 0;
  for (int d = 0; d + 1 < n->shape.rank; d++)
    if (strcmp(at.at[d], "0"))
      loop_open(&l, at.at[d], loop_extent(&l, n, d), d == b->row ? "DTRT_PLAIN" : "DTRT_OUTER"),
          loops++;
  Str before = l.code;
  l.code = str_new(e->arena);
  loop_count(&l, true);
  look(&l, b->vanishes, &at);
  loop_count(&l, false);
  l.code = before;
  l.pointers.n = 0;
  look(&l, b->vanishes, &at);
  loop_close(&l, loops);
  str_line(&l.code, "return some;");
  str_line(&e->body, "if (!whole && %s) continue;", loop_call(&l, n->op->name));
}
