/* Convolutions, their gradients and pools. A convolution is a call of the runtime, which is told
 * how the blocks lie to each other. Pools, and convolutions of a group a channel, are loops over
 * the same points: for each row of the small side and each tap, the large side's row is there or it
 * is padding (or another device's); along the innermost spatial dim the positions that are there
 * are a range. Names of more than one letter that are written here end in _, which no tensor's name
 * does. */
#include "emit_loop.h"
#include "slide.h"
#include "sum_order.h"
#include <stdlib.h>
#include <string.h>

typedef struct Conv {
  Loop *l;
  Slide s;
  const Node *large, *small; /* x and y of a convolution */
  const char *lp, *sp;       /* their pointers */
  int loops;                 /* opened so far */
  NodeId id;
  const char *after; /* the line behind all loops, or NULL */
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
  if (c->s.before[d]) str_printf(&s, s.n ? " - %ld" : "-%ld", (long)c->s.before[d]);
  if (!is_number(lo, 0)) str_printf(&s, s.n ? " - %s" : "-%s", lo);
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
  if (c->after) str_line(&c->l->code, "%s", c->after);
  loop_finish(c->l, what);
}

static void zero(Conv *c, NodeId id) {
  const Node *n = graph_node(c->l->g, id);
  str_line(&c->l->code, "dtrt_zero(%s, %s * %d);", loop_pointer(c->l, id, true),
           loop_number(c->l, 'n', emit_count(c->l->e, n)), dtype_size(n->dtype));
}

/* ".stride = {2, 1}" */
static void say(Conv *c, Str *s, const char *field, const int64_t *v) {
  str_printf(s, ", .%s = {", field);
  for (int d = 0; d < c->s.n; d++) str_printf(s, "%s%ld", d ? ", " : "", (long)v[d]);
  str_printf(s, "}");
}

static void say_extents(Conv *c, Str *s, const char *field, const Node *n) {
  str_printf(s, ", .%s = {", field);
  for (int d = 0; d < c->s.n; d++)
    str_printf(s, "%s%s", d ? ", " : "", loop_extent(c->l, n, 1 + d));
  str_printf(s, "}");
}

/* The call that does it all (runtime/conv.c). */
static void call_runtime(Conv *c, const Node *n, const Node *w, const char *px, const char *pw,
                         const char *py) {
  Loop *l = c->l;
  const SlideSide makes = n->op->makes;
  const int ns = c->s.n;
  Str s = str_new(l->e->arena);
  str_printf(&s, "const dtrt_slide s_ = {DTRT_%s, %d, %s, %s, %s, %s",
             n->dtype == DT_F32 ? "F32" : "F64", ns, loop_extent(l, c->large, 0),
             loop_extent(l, c->large, ns + 1), loop_extent(l, w, ns),
             loop_extent(l, c->small, ns + 1));
  say_extents(c, &s, "large", c->large), say_extents(c, &s, "small", c->small);
  say(c, &s, "taps", c->s.taps), say(c, &s, "stride", c->s.stride);
  say(c, &s, "dilation", c->s.dilation);
  str_printf(&s, ", .at = {");
  for (int d = 0; d < ns; d++) str_printf(&s, "%s%s", d ? ", " : "", position(c, d, NULL, "0"));
  str_line(&l->code, "%s}};", s.at);
  const char *then = l->then ? "_then" : "", *passed = l->then ? ", then" : "";
  if (makes == SIDE_SMALL)
    str_line(&l->code, "dtrt_conv%s(&s_, %s, %s, %s%s);", then, px, pw, py, passed);
  else if (makes == SIDE_LARGE)
    str_line(&l->code, "dtrt_conv_input%s(&s_, %s, %s, %s%s);", then, py, pw, px, passed);
  else
    str_line(&l->code, "dtrt_conv_weight(&s_, %s, %s, %s);", px, py, pw);
}

/* The loop over the pixels of a line, where the sums of pieces go to `partial`: of a long line's,
 * or of several short lines. */
static void add_pieces(Conv *c, const char *to, const char *v, const char *at) {
  Loop *l = c->l;
  const Shape local = layout_local(l->e->mesh, c->small->layout, &c->small->shape);
  const int64_t wide = local.dim[c->s.n], lines = wide ? DEPTHWISE_PIECE / wide : 0;
  const char *cy = loop_extent(l, c->small, c->s.n + 1);
  str_line(&l->code, "DTRT_OUTER");
  str_line(&l->code, "for (int64_t from_ = 0, to_; from_ < q1_ - q0_; from_ = to_) {");
  l->code.indent++;
  str_line(&l->code, "to_ = q1_ - q0_ - from_ < %d ? q1_ - q0_ : from_ + %d;", DEPTHWISE_PIECE,
           DEPTHWISE_PIECE);
  str_line(&l->code, "DTRT_OUTER");
  str_line(&l->code, "for (int64_t q = from_; q < to_; q++) {");
  l->code.indent++;
  loop_open(l, "i", cy, "DTRT_PLAIN");
  str_line(&l->code, "%s += %s;", to, v);
  loop_close(l, 2);
  if (lines > 1)
    str_line(&l->code, "if ((small_ / %s + 1) %% %ld) continue;", loop_extent(l, c->small, c->s.n),
             (long)lines);
  loop_open(l, "i", cy, "DTRT_PLAIN");
  str_line(&l->code, "partial[%s] += %s;", at, to);
  str_line(&l->code, "%s = 0;", to);
  loop_close(l, 1);
  c->loops++;
}

/* A group a channel: no product to make of it, and the channels are a loop of vectors. */
static void depthwise(Conv *c, const Node *n, const Node *w, const char *px, const char *pw,
                      const char *py) {
  Loop *l = c->l;
  const SlideSide makes = n->op->makes;
  const int ns = c->s.n;
  const char *cx = loop_extent(l, c->large, ns + 1), *cy = loop_extent(l, c->small, ns + 1);
  const bool in_f64 = depthwise_in_f64(l->e->mesh, l->g, n);
  if (in_f64) {
    const char *count = loop_number(l, 'n', emit_count(l->e, n));
    l->partial = emit_partial(l->e, c->id);
    l->partial_type = DT_F64;
    str_line(&l->code, "dtrt_zero(partial, %s * 8);", loop_wrap(l->e, count));
    c->after = fmt(c, "for (int64_t i = 0; i < %s; i++) %s[i] = (float)(partial[i] + %s[i]);",
                   count, pw, pw);
  }
  open_points(c, true);
  const char *ex = fmt(c, "%s[(large_ + q * %ld) * %s + i]", px, (long)c->s.stride[ns - 1], cx),
             *ey = fmt(c, "%s[(small_ + q) * %s + i]", py, cy),
             *ew = fmt(c, "%s[tap_ * %s + i]", pw, loop_extent(l, w, ns + 1));
  const char *to = makes == SIDE_SMALL   ? ey
                   : makes == SIDE_LARGE ? ex
                                         : ew,
             *v = fmt(c, "%s * %s", makes == SIDE_SMALL ? ex : ey, makes == SIDE_TAPS ? ex : ew);
  if (in_f64) {
    add_pieces(c, to, v, fmt(c, "tap_ * %s + i", loop_extent(l, w, ns + 1)));
    return;
  }
  loop_open(l, "q", "q1_ - q0_", "DTRT_OUTER");
  loop_open(l, "i", cy, "DTRT_PLAIN");
  str_line(&l->code, "%s += %s;", to, v);
  c->loops += 2;
}

bool emit_conv(Emit *e, NodeId id, const Epilogue *epilogue) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id);
  const SlideSide makes = n->op->makes;
  Conv c = {.l = &l, .s = slide_of(n), .id = id};
  NodeId x = makes == SIDE_LARGE ? id : n->operand[0], w = makes == SIDE_TAPS ? id : n->operand[1],
         y = makes == SIDE_SMALL   ? id
             : makes == SIDE_LARGE ? n->operand[0]
                                   : n->operand[1];
  const Node *wn = graph_node(l.g, w);
  const int ns = c.s.n;
  c.large = graph_node(l.g, x), c.small = graph_node(l.g, y);
  l.flat = true;
  l.code.indent = 1;
  const bool alone =
      wn->shape.dim[ns] == 1 && wn->shape.dim[ns + 1] == c.s.groups && c.s.groups > 1;
  if (epilogue && !alone && makes != SIDE_TAPS) l.then = epilogue->then;
  if (alone) zero(&c, id);
  const char *px = loop_pointer(&l, x, x == id), *pw = loop_pointer(&l, w, w == id),
             *py = loop_pointer(&l, y, y == id);
  (alone ? depthwise : call_runtime)(&c, n, wn, px, pw, py);
  close(&c, n->name ? n->name : n->op->name);
  return l.then != NULL;
}

/* Windows that lie side by side and fill the large side, on each device too: the cuts are between
 * them (ops/pool.c). */
static bool fills(const Slide *s) {
  for (int d = 0; d < s->n; d++)
    if (s->stride[d] != s->taps[d] || s->before[d] || s->dilation[d] != 1 ||
        s->large[d] != s->small[d] * s->taps[d])
      return false;
  return true;
}

void emit_pool(Emit *e, NodeId id) {
  Loop l = loop_new(e, NULL);
  const Node *n = graph_node(l.g, id);
  Conv c = {.l = &l, .s = slide_of(n)};
  const Pool pool = n->op->pool;
  const bool down = n->op->makes == SIDE_LARGE;
  const bool once = down && fills(&c.s); /* each element of the result is met once: no sum */
  NodeId large = down ? id : n->operand[0], small = down ? n->operand[0] : id;
  int ns = c.s.n;
  c.large = graph_node(l.g, large), c.small = graph_node(l.g, small);
  l.flat = true;
  l.code.indent = 1;
  const char *pl = loop_pointer(&l, large, down), *ps = loop_pointer(&l, small, !down);
  const char *width = loop_extent(&l, c.small, ns + 1),
             *count = loop_number(&l, 'n', emit_count(e, n));
  const char *pi = NULL, *px = NULL;
  if (pool == POOL_AT) pi = loop_pointer(&l, n->operand[1], false);
  if (pool == POOL_WHICH) px = loop_pointer(&l, n->operand[1], false);
  if (pool == POOL_MAX) {
    loop_open(&l, "i", count, "DTRT_PLAIN");
    str_line(&l.code, "%s[i] = %s;", ps, loop_constant(e, n->dtype, -__builtin_inf()));
    loop_close(&l, 1);
  } else if (pool == POOL_WHICH) {
    loop_open(&l, "i", count, "DTRT_PLAIN");
    str_line(&l.code, "%s[i] = -1;", ps);
    loop_close(&l, 1);
  } else if (!once) {
    zero(&c, id);
  }
  open_points(&c, pool == POOL_WHICH || pi);
  loop_open(&l, "q", "q1_ - q0_", "DTRT_OUTER");
  loop_open(&l, "i", width, "DTRT_PLAIN");
  const char *el = fmt(&c, "%s[(large_ + q * %ld) * %s + i]", pl, (long)c.s.stride[ns - 1], width),
             *es = fmt(&c, "%s[(small_ + q) * %s + i]", ps, width);
  const char *t = dtype_name(n->dtype);
  switch (pool) {
  case POOL_MAX: str_line(&l.code, "%s = dtrt_max_%s(%s, %s);", es, t, es, el); break;
  case POOL_SUM:
    if (down)
      str_line(&l.code, "%s %s %s;", el, once ? "=" : "+=", es);
    else
      str_line(&l.code, "%s += %s;", es, el);
    break;
  case POOL_WHICH: /* the first tap that has the largest value, which may be NaN */
    str_line(&l.code,
             "if (%s < 0 && (%s == %s[(small_ + q) * %s + i] || %s != %s)) %s = (int32_t)tap_;", es,
             el, px, width, el, el, es);
    break;
  case POOL_AT:
    if (!down)
      str_line(&l.code, "if (%s[(small_ + q) * %s + i] == tap_) %s = %s;", pi, width, es, el);
    else if (once)
      str_line(&l.code, "%s = %s[(small_ + q) * %s + i] == tap_ ? %s : 0;", el, pi, width, es);
    else
      str_line(&l.code, "if (%s[(small_ + q) * %s + i] == tap_) %s += %s;", pi, width, el, es);
  }
  c.loops += 2;
  close(&c, n->name ? n->name : n->op->name);
}
