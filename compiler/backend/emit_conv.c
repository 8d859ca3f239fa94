/* Convolutions, their gradients and pools. All run over the same points: for each row of the small
 * side and each tap, the large side's row is there or it is padding (or another device's); along
 * the innermost spatial dim the positions that are there are a range, and for a convolution that
 * range is one matrix product with rows `stride` apart. Nothing is unrolled into a second buffer.
 */
#include "emit_loop.h"
#include "slide.h"
#include <string.h>

typedef struct Conv {
  Loop *l;
  Slide s;
  const Node *large, *small; /* x and y of a convolution */
  const char *lp, *sp;       /* their pointers */
  int loops;                 /* opened so far */
} Conv;

static const char *fmt(Conv *c, const char *f, ...) __attribute__((format(printf, 2, 3)));
static const char *fmt(Conv *c, const char *f, ...) {
  va_list ap;
  va_start(ap, f);
  const char *s = arena_vprintf(c->l->e->arena, f, ap);
  va_end(ap);
  return s;
}

/* "q * 2 - 1 + k * 3 - lo": where the large side's block has position q, tap k. */
static const char *position(Conv *c, int d, const char *q, const char *k) {
  Str s = str_new(c->l->e->arena);
  const char *from = loop_offset(c->l, c->small, 1 + d), *lo = loop_offset(c->l, c->large, 1 + d);
  if (!is_number(from, 0)) q = q ? fmt(c, "(%s + %s)", q, from) : from;
  if (q) str_printf(&s, c->s.stride[d] == 1 ? "%s" : "%s * %ld", q, (long)c->s.stride[d]);
  if (!is_number(k, 0))
    str_printf(&s, c->s.dilation[d] == 1 ? "%s%s" : "%s%s * %ld", s.n ? " + " : "", k,
               (long)c->s.dilation[d]);
  if (c->s.before[d]) str_printf(&s, " - %ld", (long)c->s.before[d]);
  if (!is_number(lo, 0)) str_printf(&s, " - %s", lo);
  return s.n ? s.at : "0";
}

static void open(Conv *c, const char *var, const char *len) {
  loop_open(c->l, var, len, "DTRT_OUTER");
  c->loops++;
}

/* Opens the loops down to one range of the innermost spatial dim: small rows q0..q1 meet large rows
 * from p0. The flat rows are `small` and `large`, the tap's number is `tap`. */
static void open_points(Conv *c) {
  Loop *l = c->l;
  int n = c->s.n, last = n - 1;
  const char *row_s = "b", *row_l = "b", *tap = "0";
  open(c, "b", loop_extent(l, c->small, 0));
  for (int d = 0; d < last; d++) {
    const char *q = fmt(c, "r%d", d), *k = fmt(c, "k%d", d), *p = fmt(c, "p%d", d);
    open(c, q, loop_extent(l, c->small, 1 + d));
    open(c, k, loop_literal(l, c->s.taps[d]));
    str_line(&l->code, "const int64_t %s = %s;", p, position(c, d, q, k));
    str_line(&l->code, "if (%s >= 0 && %s < %s) {", p, p, loop_extent(l, c->large, 1 + d));
    l->code.indent++, c->loops++;
    row_s = fmt(c, "(%s * %s + %s)", row_s, loop_extent(l, c->small, 1 + d), q);
    row_l = fmt(c, "(%s * %s + %s)", row_l, loop_extent(l, c->large, 1 + d), p);
    tap = is_number(tap, 0) ? k : fmt(c, "(%s * %ld + %s)", tap, (long)c->s.taps[d], k);
  }
  const char *k = fmt(c, "k%d", last);
  open(c, k, loop_literal(l, c->s.taps[last]));
  const char *ns = loop_extent(l, c->small, n), *nl = loop_extent(l, c->large, n);
  str_line(&l->code, "const int64_t at = %s;", position(c, last, NULL, k));
  str_line(&l->code, "const int64_t q0 = dtrt_first(at, %ld, %s), q1 = dtrt_last(at, %ld, %s, %s);",
           (long)c->s.stride[last], ns, (long)c->s.stride[last], ns, nl);
  str_line(&l->code, "if (q0 < q1) {");
  l->code.indent++, c->loops++;
  str_line(&l->code, "const int64_t small = %s * %s + q0, large = %s * %s + q0 * %ld + at;", row_s,
           ns, row_l, nl, (long)c->s.stride[last]);
  str_line(&l->code, "const int64_t tap = %s;",
           is_number(tap, 0) ? k : fmt(c, "%s * %ld + %s", tap, (long)c->s.taps[last], k));
}

static void close(Conv *c, const char *what) {
  for (int i = 0; i < c->loops; i++) {
    c->l->code.indent--;
    str_line(&c->l->code, "}");
  }
  loop_finish(c->l, what);
}

static void zero(Conv *c, NodeId id) {
  const Node *n = graph_node(c->l->g, id);
  str_line(&c->l->code, "dtrt_zero(%s, %s * %d);", loop_pointer(c->l, id, true),
           loop_number(c->l, 'n', emit_count(c->l->e, n)), dtype_size(n->dtype));
}

void emit_conv(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id);
  Conv c = {.l = &l, .s = slide_of(n)};
  NodeId x = n->op == OP_conv_input ? id : n->operand[0],
         w = n->op == OP_conv_weight ? id : n->operand[1],
         y = n->op == OP_conv         ? id
             : n->op == OP_conv_input ? n->operand[0]
                                      : n->operand[1];
  const Node *wn = graph_node(l.g, w);
  int ns = c.s.n;
  c.large = graph_node(l.g, x), c.small = graph_node(l.g, y);
  l.flat = true;
  l.code.indent = 1;
  zero(&c, id);
  const char *px = loop_pointer(&l, x, x == id), *pw = loop_pointer(&l, w, w == id),
             *py = loop_pointer(&l, y, y == id);
  const char *cx = loop_extent(&l, c.large, ns + 1), *cy = loop_extent(&l, c.small, ns + 1),
             *wi = loop_extent(&l, wn, ns), *wo = loop_extent(&l, wn, ns + 1);
  bool depthwise = wn->shape.dim[ns] == 1 && wn->shape.dim[ns + 1] == c.s.groups && c.s.groups > 1;
  if (c.s.groups > 1 && !depthwise) {
    str_line(&l.code, "const int64_t groups = %s ? %s / %s : 0, wide = groups ? %s / groups : 0;",
             wi, cx, wi, wo);
  }
  open_points(&c);
  long stride = (long)c.s.stride[ns - 1];
  if (depthwise) {
    loop_open(&l, "q", "q1 - q0", "DTRT_OUTER");
    loop_open(&l, "i", cy, "DTRT_PLAIN");
    const char *ex = fmt(&c, "%s[(large + q * %ld) * %s + i]", px, stride, cx),
               *ey = fmt(&c, "%s[(small + q) * %s + i]", py, cy),
               *ew = fmt(&c, "%s[tap * %s + i]", pw, wo);
    str_line(&l.code, "%s += %s * %s;",
             n->op == OP_conv         ? ey
             : n->op == OP_conv_input ? ex
                                      : ew,
             n->op == OP_conv ? ex : ey, n->op == OP_conv_weight ? ex : ew);
    c.loops += 2;
  } else {
    const char *g = "", *go = "", *oi = wo;
    if (c.s.groups > 1) {
      open(&c, "g", "groups");
      g = fmt(&c, " + g * %s", wi), go = " + g * wide", oi = "wide";
    }
    const char *ax = fmt(&c, "%s + large * %s%s", px, cx, g),
               *ay = fmt(&c, "%s + small * %s%s", py, cy, go),
               *aw = fmt(&c, "%s + tap * %s * %s%s", pw, wi, wo, go),
               *lx = stride == 1 ? cx : fmt(&c, "%ld * %s", stride, cx);
    const char *t = n->dtype == DT_F32 ? "F32" : "F64";
    if (n->op == OP_conv)
      str_line(&l.code, "dtrt_gemm(DTRT_%s, 0, 0, q1 - q0, %s, %s, %s, %s, %s, %s, %s, %s, 1);", t,
               oi, wi, ax, lx, aw, wo, ay, cy);
    else if (n->op == OP_conv_input)
      str_line(&l.code, "dtrt_gemm(DTRT_%s, 0, 1, q1 - q0, %s, %s, %s, %s, %s, %s, %s, %s, 1);", t,
               wi, oi, ay, cy, aw, wo, ax, lx);
    else
      str_line(&l.code, "dtrt_gemm(DTRT_%s, 1, 0, %s, %s, q1 - q0, %s, %s, %s, %s, %s, %s, 1);", t,
               wi, oi, ax, lx, ay, cy, aw, wo);
  }
  close(&c, n->name ? n->name : op_def(n->op)->name);
}

void emit_pool(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id);
  Conv c = {.l = &l, .s = slide_of(n)};
  bool down = n->op == OP_unpool || n->op == OP_unpool_sum;
  NodeId large = down ? id : n->operand[0], small = down ? n->operand[0] : id;
  int ns = c.s.n;
  c.large = graph_node(l.g, large), c.small = graph_node(l.g, small);
  l.flat = true;
  l.code.indent = 1;
  const char *pl = loop_pointer(&l, large, down), *ps = loop_pointer(&l, small, !down);
  const char *width = loop_extent(&l, c.small, ns + 1),
             *count = loop_number(&l, 'n', emit_count(e, n));
  const char *pi = NULL, *px = NULL;
  if (n->op == OP_unpool) pi = loop_pointer(&l, n->operand[1], false);
  if (n->op == OP_pool_index) px = loop_pointer(&l, n->operand[1], false);
  if (n->op == OP_pool_max) {
    loop_open(&l, "i", count, "DTRT_PLAIN");
    str_line(&l.code, "%s[i] = %s;", ps, loop_constant(e, n->dtype, -__builtin_inf()));
    loop_close(&l, 1);
  } else if (n->op == OP_pool_index) {
    loop_open(&l, "i", count, "DTRT_PLAIN");
    str_line(&l.code, "%s[i] = -1;", ps);
    loop_close(&l, 1);
  } else {
    zero(&c, id);
  }
  open_points(&c);
  loop_open(&l, "q", "q1 - q0", "DTRT_OUTER");
  loop_open(&l, "i", width, "DTRT_PLAIN");
  const char *el = fmt(&c, "%s[(large + q * %ld) * %s + i]", pl, (long)c.s.stride[ns - 1], width),
             *es = fmt(&c, "%s[(small + q) * %s + i]", ps, width);
  const char *t = dtype_name(n->dtype);
  switch (n->op) {
  case OP_pool_max: str_line(&l.code, "%s = dtrt_max_%s(%s, %s);", es, t, es, el); break;
  case OP_pool_sum: str_line(&l.code, "%s += %s;", es, el); break;
  case OP_unpool_sum: str_line(&l.code, "%s += %s;", el, es); break;
  case OP_pool_index: /* the first tap that has the largest value */
    str_line(&l.code, "if (%s < 0 && %s == %s[(small + q) * %s + i]) %s = (int32_t)tap;", es, el,
             px, width, es);
    break;
  default: str_line(&l.code, "if (%s[(small + q) * %s + i] == tap) %s += %s;", pi, width, el, es);
  }
  c.loops += 2;
  close(&c, n->name ? n->name : op_def(n->op)->name);
}
