/* Convolutions, their gradients and pools. All run over the same points: for each row of the small
 * side and each tap, the large side's row is there or it is padding (or another device's); along
 * the innermost spatial dim the positions that are there are a range, and for a convolution that
 * range is one matrix product with rows `stride` apart. Nothing is unrolled into a second buffer.
 * Names of more than one letter that are written here end in _, which no tensor's name does. */
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

/* Opens the loops down to one range of the innermost spatial dim: small rows q0_ to q1_ meet large
 * rows from `at` on. The flat rows are `small_` and `large_`; `tap_` is the tap's number, where
 * `tapped` asks for it. */
static void open_points(Conv *c, bool tapped) {
  Loop *l = c->l;
  int n = c->s.n, last = n - 1;
  const char *row_s = "b", *row_l = "b", *tap = "0";
  open(c, "b", loop_extent(l, c->small, 0));
  for (int d = 0; d < last; d++) {
    const char *q = fmt(c, "r%d_", d), *k = fmt(c, "k%d_", d), *p = fmt(c, "p%d_", d);
    open(c, q, loop_extent(l, c->small, 1 + d));
    open(c, k, loop_literal(l, c->s.taps[d]));
    str_line(&l->code, "const int64_t %s = %s;", p, position(c, d, q, k));
    str_line(&l->code, "if (%s >= 0 && %s < %s) {", p, p, loop_extent(l, c->large, 1 + d));
    l->code.indent++, c->loops++;
    row_s = fmt(c, "(%s * %s + %s)", row_s, loop_extent(l, c->small, 1 + d), q);
    row_l = fmt(c, "(%s * %s + %s)", row_l, loop_extent(l, c->large, 1 + d), p);
    tap = is_number(tap, 0) ? k : fmt(c, "(%s * %ld + %s)", tap, (long)c->s.taps[d], k);
  }
  const char *k = fmt(c, "k%d_", last);
  open(c, k, loop_literal(l, c->s.taps[last]));
  const char *ns = loop_extent(l, c->small, n), *nl = loop_extent(l, c->large, n);
  str_line(&l->code, "const int64_t at = %s;", position(c, last, NULL, k));
  str_line(&l->code,
           "const int64_t q0_ = dtrt_first(at, %ld, %s), q1_ = dtrt_last(at, %ld, %s, %s);",
           (long)c->s.stride[last], ns, (long)c->s.stride[last], ns, nl);
  str_line(&l->code, "if (q0_ < q1_) {");
  l->code.indent++, c->loops++;
  str_line(&l->code, "const int64_t small_ = %s * %s + q0_, large_ = %s * %s + q0_ * %ld + at;",
           row_s, ns, row_l, nl, (long)c->s.stride[last]);
  if (!tapped) return;
  str_line(&l->code, "const int64_t tap_ = %s;",
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

/* The gradient to the input multiplies by the weights with in and out changed about. BLAS reads a
 * small matrix that way at a third of its speed, so they are turned first, as many output features
 * at a time as the stack is to hold: worth it from 16. */
enum { TURNED_BYTES = 256 << 10, TURNED_LEAST = 16 };

static int64_t turned_room(const Node *w) { return TURNED_BYTES / dtype_size(w->dtype); }

static int64_t taps_of(const Conv *c) {
  int64_t taps = 1;
  for (int d = 0; d < c->s.n; d++) taps *= c->s.taps[d];
  return taps;
}

static bool can_turn(const Conv *c, const Node *w) {
  int64_t row = taps_of(c) * w->shape.dim[c->s.n];
  return row > 0 && row <= turned_room(w) / TURNED_LEAST;
}

/* Opens the loops over groups and over pieces of output features, from o0_ on no_ of them, with the
 * piece of the weights as `turned_` [taps][no_][in]. */
static void open_turned(Conv *c, const Node *w, const char *pw) {
  Loop *l = c->l;
  int ns = c->s.n;
  const char *in = loop_extent(l, w, ns), *out = loop_extent(l, w, ns + 1);
  long taps = (long)taps_of(c);
  const char *type = dtype_c_name(w->dtype), *wide = c->s.groups > 1 ? "wide_" : out;
  const char *from = c->s.groups > 1 ? "g * wide_ + o0_" : "o0_";
  str_line(&l->code, "%s turned_[%ld];", type, (long)turned_room(w));
  str_line(&l->code, "const int64_t most_ = %s ? %ld / (%ld * %s) : 1;", in, (long)turned_room(w),
           taps, in);
  str_line(&l->code, "const int64_t pieces_ = (%s + most_ - 1) / most_;", wide);
  if (c->s.groups > 1) open(c, "g", "groups_");
  open(c, "piece_", "pieces_");
  str_line(&l->code, "const int64_t o0_ = piece_ * %s / pieces_;", wide);
  str_line(&l->code, "const int64_t no_ = (piece_ + 1) * %s / pieces_ - o0_;", wide);
  loop_open(l, "t", loop_literal(l, taps), "DTRT_OUTER");
  loop_open(l, "o", "no_", "DTRT_OUTER");
  loop_open(l, "i", in, "DTRT_PLAIN");
  str_line(&l->code, "turned_[(t * no_ + o) * %s + i] = %s[(t * %s + i) * %s + %s + o];", in, pw,
           in, out, from);
  loop_close(l, 3);
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
    str_line(&l.code,
             "const int64_t groups_ = %s ? %s / %s : 0, wide_ = groups_ ? %s / groups_ : 0;", wi,
             cx, wi, wo);
  }
  bool turned = n->op == OP_conv_input && !depthwise && can_turn(&c, wn);
  if (turned) open_turned(&c, wn, pw);
  open_points(&c, true);
  long stride = (long)c.s.stride[ns - 1];
  if (depthwise) {
    loop_open(&l, "q", "q1_ - q0_", "DTRT_OUTER");
    loop_open(&l, "i", cy, "DTRT_PLAIN");
    const char *ex = fmt(&c, "%s[(large_ + q * %ld) * %s + i]", px, stride, cx),
               *ey = fmt(&c, "%s[(small_ + q) * %s + i]", py, cy),
               *ew = fmt(&c, "%s[tap_ * %s + i]", pw, wo);
    str_line(&l.code, "%s += %s * %s;",
             n->op == OP_conv         ? ey
             : n->op == OP_conv_input ? ex
                                      : ew,
             n->op == OP_conv ? ex : ey, n->op == OP_conv_weight ? ex : ew);
    c.loops += 2;
  } else {
    const char *g = "", *go = "", *oi = wo;
    if (c.s.groups > 1) {
      if (!turned) open(&c, "g", "groups_");
      g = fmt(&c, " + g * %s", wi), go = " + g * wide_", oi = "wide_";
    }
    const char *ax = fmt(&c, "%s + large_ * %s%s", px, cx, g),
               *ay = fmt(&c, "%s + small_ * %s%s", py, cy, go),
               *aw = fmt(&c, "%s + tap_ * %s * %s%s", pw, wi, wo, go),
               *lx = stride == 1 ? cx : fmt(&c, "%ld * %s", stride, cx);
    const char *t = n->dtype == DT_F32 ? "F32" : "F64";
    if (n->op == OP_conv)
      str_line(&l.code, "dtrt_gemm(DTRT_%s, 0, 0, q1_ - q0_, %s, %s, %s, %s, %s, %s, %s, %s, 1);",
               t, oi, wi, ax, lx, aw, wo, ay, cy);
    else if (turned)
      str_line(&l.code,
               "dtrt_gemm(DTRT_%s, 0, 0, q1_ - q0_, %s, no_, %s + o0_, %s, "
               "turned_ + tap_ * no_ * %s, %s, %s, %s, 1);",
               t, wi, ay, cy, wi, wi, ax, lx);
    else if (n->op == OP_conv_input)
      str_line(&l.code, "dtrt_gemm(DTRT_%s, 0, 1, q1_ - q0_, %s, %s, %s, %s, %s, %s, %s, %s, 1);",
               t, wi, oi, ay, cy, aw, wo, ax, lx);
    else
      str_line(&l.code, "dtrt_gemm(DTRT_%s, 1, 0, %s, %s, q1_ - q0_, %s, %s, %s, %s, %s, %s, 1);",
               t, wi, oi, ax, lx, ay, cy, aw, wo);
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
  open_points(&c, n->op == OP_pool_index || n->op == OP_unpool);
  loop_open(&l, "q", "q1_ - q0_", "DTRT_OUTER");
  loop_open(&l, "i", width, "DTRT_PLAIN");
  const char *el = fmt(&c, "%s[(large_ + q * %ld) * %s + i]", pl, (long)c.s.stride[ns - 1], width),
             *es = fmt(&c, "%s[(small_ + q) * %s + i]", ps, width);
  const char *t = dtype_name(n->dtype);
  switch (n->op) {
  case OP_pool_max: str_line(&l.code, "%s = dtrt_max_%s(%s, %s);", es, t, es, el); break;
  case OP_pool_sum: str_line(&l.code, "%s += %s;", es, el); break;
  case OP_unpool_sum: str_line(&l.code, "%s += %s;", el, es); break;
  case OP_pool_index: /* the first tap that has the largest value */
    str_line(&l.code, "if (%s < 0 && %s == %s[(small_ + q) * %s + i]) %s = (int32_t)tap_;", es, el,
             px, width, es);
    break;
  default: str_line(&l.code, "if (%s[(small_ + q) * %s + i] == tap_) %s += %s;", pi, width, el, es);
  }
  c.loops += 2;
  close(&c, n->name ? n->name : op_def(n->op)->name);
}
