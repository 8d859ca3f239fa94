/* Convolutions and their gradients: calls of the runtime, which is told how the blocks lie to each
 * other. Those of a group a channel, and pools, are loops (loops/pool.c). */
#include "emit.h"
#include "slide.h"

/* Where the large side's block has the small one's first position, tap 0. */
static const char *position(Emit *e, const Slide *s, int d, const Node *large, const Node *small) {
  const char *from = emit_from(e, small, 1 + d), *lo = emit_from(e, large, 1 + d);
  Str t = str_new(e->arena);
  str_printf(&t, "%ld", -(long)s->before[d]);
  if (!is_number(from, 0)) str_printf(&t, " + %s * %ld", from, (long)s->stride[d]);
  if (!is_number(lo, 0)) str_printf(&t, " - %s", lo);
  return t.at;
}

static void put_numbers(Str *s, const char *field, int n, const int64_t *v) {
  str_printf(s, ", .%s = {", field);
  for (int d = 0; d < n; d++) str_printf(s, "%s%ld", d ? ", " : "", (long)v[d]);
  str_puts(s, "}");
}

static void put_extents(Emit *e, Str *s, const char *field, int n, const Node *side) {
  str_printf(s, ", .%s = {", field);
  for (int d = 0; d < n; d++) str_printf(s, "%s%s", d ? ", " : "", emit_len(e, side, 1 + d));
  str_puts(s, "}");
}

bool emit_conv(Emit *e, NodeId id, const Epilogue *epilogue) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id);
  const SlideSide makes = n->op->makes;
  const Slide s = slide_of(n);
  const NodeId x = makes == SIDE_LARGE ? id : n->operand[0],
               w = makes == SIDE_TAPS ? id : n->operand[1],
               y = makes == SIDE_SMALL   ? id
                   : makes == SIDE_LARGE ? n->operand[0]
                                         : n->operand[1];
  const Node *large = graph_node(g, x), *small = graph_node(g, y), *taps = graph_node(g, w);
  if (taps->shape.dim[s.n] == 1 && taps->shape.dim[s.n + 1] == s.groups && s.groups > 1) {
    const LoopSite site = emit_site(e);
    LoopFunction f;
    loop_of_depthwise(&site, id, &f);
    emit_loop(e, &f);
    return false;
  }
  const bool then = epilogue && makes != SIDE_TAPS;
  Str slide = str_new(e->arena);
  str_printf(&slide, "DTRT_%s, %d, %s, %s, %s, %s", n->dtype == DT_F32 ? "F32" : "F64", s.n,
             emit_len(e, large, 0), emit_len(e, large, s.n + 1), emit_len(e, taps, s.n),
             emit_len(e, small, s.n + 1));
  put_extents(e, &slide, "large", s.n, large);
  put_extents(e, &slide, "small", s.n, small);
  put_numbers(&slide, "taps", s.n, s.taps);
  put_numbers(&slide, "stride", s.n, s.stride);
  put_numbers(&slide, "dilation", s.n, s.dilation);
  str_puts(&slide, ", .at = {");
  for (int d = 0; d < s.n; d++)
    str_printf(&slide, "%s%s", d ? ", " : "", position(e, &s, d, large, small));
  const char *px = emit_start(e, x, NULL), *pw = emit_start(e, w, NULL),
             *py = emit_start(e, y, NULL);
  const char *part = makes == SIDE_SMALL ? "" : makes == SIDE_LARGE ? "_input" : "_weight";
  str_line(&e->body, "dtrt_conv%s%s(&(dtrt_slide){%s}},", part, then ? "_then" : "", slide.at);
  str_line(&e->body, "    %s, %s, %s%s%s);", makes == SIDE_LARGE ? py : px,
           makes == SIDE_TAPS ? py : pw,
           makes == SIDE_SMALL   ? py
           : makes == SIDE_LARGE ? px
                                 : pw,
           then ? ",\n      " : "", then ? epilogue->then : "");
  return then;
}
