/* Tiling whose scores are masked: loops over the columns that the mask leaves (tile_band.c says
 * where that is right), and products of the same part.
 *
 *   for (int whole = 0;; whole = 1) {
 *     const int64_t low = whole ? -DTRT_FAR : ..., high = ...;
 *     ... scores, their largest ...
 *     if (!whole && loop_exp(...)) continue;   // some masked score is not 0 beside such small ones
 *     ... the rest ...
 *     break;
 *   } */
#include "emit.h"
#include <string.h>

static const TileBand *band_of(const Emit *e) {
  return e->tile && e->tile->band.of != NO_NODE ? &e->tile->band : NULL;
}

bool emit_in_band(Emit *e, NodeId id) {
  return band_of(e) && tiles_in_band(e->tile, e->le->graph, id);
}

/* -------- the band -------- */

/* What a step stores for others than the tile has its zeros as well. */
void emit_band_clear(Emit *e, const Step *s) {
  for (int i = 0; i < s->nodes.n; i++) {
    const NodeId id = s->nodes.at[i];
    if (!emit_in_band(e, id) || e->le->tile_bytes[id]) continue;
    const Node *n = graph_node(e->le->graph, id);
    const char *stride[MAX_RANK], *step = "1";
    for (int d = n->shape.rank - 1; d >= 0; d--) {
      stride[d] = step;
      step = emit_product(e, step, emit_room(e, n, d));
    }
    emit_clear(e, n, emit_start(e, id, NULL), stride);
  }
}

void emit_clear(Emit *e, const Node *n, const char *p, const char *const *stride) {
  const int last = n->shape.rank - 1, row = e->tile->band.row;
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
  const TileBand *b = band_of(e);
  const Node *n = graph_node(e->le->graph, b->of);
  if (bound == BAND_FAR) return "DTRT_FAR";
  if (bound == -BAND_FAR) return "-DTRT_FAR";
  Str s = str_new(e->arena);
  str_printf(&s, "%ld", (long)bound);
  for (int side = 0; side < 2; side++) {
    const int d = side ? n->shape.rank - 1 : b->row;
    const char *part[] = {emit_offset(e, &n->layout->dim[d], n->shape.dim[d]), emit_at(e, n, d)};
    for (int i = 0; i < 2; i++)
      if (!is_number(part[i], 0)) str_printf(&s, side ? " - %s" : " + %s", part[i]);
  }
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
  const TileBand *b = band_of(e);
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

/* Whether some row's value is not 0. */
void emit_band_check(Emit *e, int i) {
  const TileBand *b = band_of(e);
  if (!b || b->vanishes == NO_NODE || b->at != i) return;
  const LoopSite site = emit_site(e);
  LoopFunction f;
  loop_of_band_check(&site, &f);
  const char *call = emit_loop_call(e, &f);
  str_line(&e->body, "if (!whole && %s) continue;", call);
}
