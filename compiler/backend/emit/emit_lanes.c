/* The innermost line of a reduction of floats, in 32 lanes (dtrt_math.h). Sums and products combine
 * blocks of 32 turns pairwise:
 *
 *   while (at + 32 <= len) {
 *     const int64_t end = ...;                          // of the block
 *     for (; at + 32 <= end; at += 32) { ...; turn(&acc, line); }
 *     if (at % 1024 == 0) carry(partial, at / 1024 - 1, &acc);
 *   }
 */
#include <string.h>
#include "emit_reduce.h"

enum { LANES = 32, BLOCK = LANES * SUM_BLOCK };
const char LANE[] = "at + lane";

static const char *op_word(const Node *n) {
  static const char *const word[] = {
      [RED_SUM] = "sum", [RED_PROD] = "prod", [RED_MAX] = "max", [RED_MIN] = "min"};
  return word[n->op->reduce];
}

static const char *type_word(const Node *n) { return dtype_name(loop_computed_as(n->dtype)); }

/* Blocks are combined pairwise: a line can be longer than one. */
static bool in_blocks(const Node *n, int64_t most) { return op_is(n, OPF_SUMS) && most > BLOCK; }

bool lanes_fit(const Node *n, int64_t most) { return dtype_is_float(n->dtype) && most >= LANES; }

void lanes_begin(Loop *l, const Node *n, int64_t most, const char *from) {
  const char *t = type_word(n), *identity = reduction_identity(l->e, n);
  str_line(&l->code, "dtrt_lanes_%s acc = (dtrt_lanes_%s){0} + (%s);", t, t, identity);
  if (!in_blocks(n, most)) return;
  str_line(&l->code, "dtrt_lanes_%s partial[%d];", t, sum_levels(most / LANES));
  if (is_number(from, 0)) return;
  /* The blocks in front of `from` count as combined. */
  str_line(&l->code, "for (int64_t b = 0; b < %d; b++) partial[b] = acc;",
           sum_levels(most / LANES));
}

static void put_turn(Loop *l, const Node *n) {
  str_line(&l->code, "dtrt_turn_%s_%s(&acc, line);", op_word(n), type_word(n));
}

const char *loop_body(Loop *l, NodeId id, const Index *at, int indent, const char **value) {
  Str outside = l->code;
  l->code = str_new(l->e->arena);
  l->code.indent = outside.indent + indent;
  *value = loop_value(l, id, at);
  const char *body = l->code.n ? l->code.at : "";
  l->code = outside;
  return body;
}

/* The lines that assign an element to `to`. */
static const char *body_text(Loop *l, const Node *n, const Index *at, const char *to, int indent) {
  const char *v, *body = loop_body(l, n->operand[0], at, indent, &v);
  Str s = str_new(l->e->arena);
  s.indent = l->code.indent + indent;
  str_puts(&s, body);
  str_line(&s, "%s = %s;", to, v);
  return s.at;
}

const char *text_deeper(Arena *a, const char *body) {
  Str s = str_new(a);
  for (const char *c = body; *c; c++) {
    if (c == body || c[-1] == '\n') str_puts(&s, "  ");
    str_put(&s, c, 1);
  }
  return s.n ? s.at : "";
}

/* The turns from `at` to `end`. */
static void put_turns(Loop *l, const Node *n, const char *body, const char *end) {
  str_line(&l->code, "DTRT_OUTER");
  str_line(&l->code, "for (; at + DTRT_LANES <= %s; at += DTRT_LANES) {", end);
  l->code.indent++;
  loop_open(l, "lane", "DTRT_LANES", "DTRT_PLAIN");
  str_puts(&l->code, body);
  loop_close(l, 1);
  put_turn(l, n);
  loop_close(l, 1);
}

void lanes_line(Loop *l, const Node *n, int64_t most, const Index *at, const char *from,
                const char *len) {
  const bool blocks = in_blocks(n, most);
  const char *body = body_text(l, n, at, "line[lane]", 2);
  str_line(&l->code, "%s line[DTRT_LANES];", loop_type(n->dtype));
  str_line(&l->code, "int64_t at = %s;", from);
  if (blocks) {
    str_line(&l->code, "DTRT_OUTER");
    str_line(&l->code, "while (at + DTRT_LANES <= %s) {", len);
    l->code.indent++;
    str_line(&l->code, "const int64_t next = (at / %d + 1) * %d, end = next < %s ? next : %s;",
             BLOCK, BLOCK, len, len);
    put_turns(l, n, text_deeper(l->e->arena, body), "end");
    str_line(&l->code, "if (at == next) dtrt_carry_lanes_%s_%s(partial, at / %d - 1, &acc);",
             op_word(n), type_word(n), BLOCK);
    loop_close(l, 1);
  } else {
    put_turns(l, n, body, len);
  }
  str_line(&l->code, "if (at < %s) {", len);
  l->code.indent++;
  str_line(&l->code, "for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = %s;",
           reduction_identity(l->e, n));
  str_line(&l->code, "DTRT_FEW");
  str_line(&l->code, "for (int64_t lane = 0; at + lane < %s; lane++) {", len);
  str_puts(&l->code, body);
  str_line(&l->code, "}");
  put_turn(l, n);
  loop_close(l, 1);
  if (blocks)
    str_line(&l->code, "dtrt_fold_lanes_%s_%s(partial, at / %d, &acc);", op_word(n), type_word(n),
             BLOCK);
}

void lanes_of_dead(Loop *l, const Node *n, const Index *at, const char *from, const char *len) {
  const Node *x = graph_operand(l->g, n, 0);
  if (n->op->reduce == RED_SUM) return; /* they are 0 there */
  str_line(&l->code, "if (%s > 0 || %s < %s) {", from, len, loop_extent(l, x, x->shape.rank - 1));
  l->code.indent++;
  const char *v = loop_value_outside(l, n->operand[0], at);
  str_line(&l->code, "for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = %s;", v);
  put_turn(l, n);
  loop_close(l, 1);
}

void lanes_buffered(Loop *l, const Node *n, int64_t most, const Nest *t, int first) {
  const Node *x = graph_operand(l->g, n, 0);
  const char *word = op_word(n), *type = type_word(n), *len = loop_extent(l, x, t->last);
  const bool blocks = in_blocks(n, most);
  int loops = 0;
  str_line(&l->code, "%s line[%d];", loop_type(n->dtype), BLOCK);
  str_line(&l->code, "int64_t filled = 0%s;", blocks ? ", block = 0" : "");
  for (int d = first; d < t->last; d++)
    if (nest_has_loop(t, d)) loop_open(l, t->in.at[d], loop_extent(l, x, d), "DTRT_OUTER"), loops++;
  const char *i = t->in.at[t->last];
  str_line(&l->code, "for (int64_t from = 0, to; from < %s; from = to) {", len);
  l->code.indent++;
  str_line(&l->code, "to = %s - from <= %d - filled ? %s : from + %d - filled;", len, BLOCK, len,
           BLOCK);
  const char *body =
      body_text(l, n, &t->in, arena_printf(l->e->arena, "line[filled + %s - from]", i), 1);
  str_line(&l->code, "DTRT_PLAIN");
  str_line(&l->code, "for (int64_t %s = from; %s < to; %s++) {", i, i, i);
  str_puts(&l->code, body);
  str_line(&l->code, "}");
  str_line(&l->code, "filled += to - from;");
  str_line(&l->code, "if (filled < %d) continue;", BLOCK);
  str_line(&l->code, "for (int64_t turn = 0; turn < %d; turn += DTRT_LANES)", BLOCK);
  str_line(&l->code, "  dtrt_turn_%s_%s(&acc, line + turn);", word, type);
  if (blocks) str_line(&l->code, "dtrt_carry_lanes_%s_%s(partial, block++, &acc);", word, type);
  str_line(&l->code, "filled = 0;");
  loop_close(l, loops + 1);
  str_line(&l->code, "for (int64_t turn = filled; turn < (filled + DTRT_LANES - 1) / DTRT_LANES * "
                     "DTRT_LANES; turn++)");
  str_line(&l->code, "  line[turn] = %s;", reduction_identity(l->e, n));
  str_line(&l->code, "for (int64_t turn = 0; turn < filled; turn += DTRT_LANES)");
  str_line(&l->code, "  dtrt_turn_%s_%s(&acc, line + turn);", word, type);
  if (blocks) str_line(&l->code, "dtrt_fold_lanes_%s_%s(partial, block, &acc);", word, type);
}

/* Elements of the block in front of this tile's, where whole rows are done in order. */
static const char *elements_before(Loop *l, const Node *x) {
  const char *before = "0", *below = "1";
  for (int d = x->shape.rank - 1; d >= 0; d--) {
    const char *at = emit_at(l->e, x, d);
    const char *here = is_number(below, 1) ? at : arena_printf(l->e->arena, "%s * %s", at, below);
    if (!is_number(at, 0))
      before = is_number(before, 0) ? here : arena_printf(l->e->arena, "%s + %s", here, before);
    below = emit_product(l->e, below, emit_extent(l->e, &x->layout->dim[d], x->shape.dim[d]));
  }
  return loop_number(l, 'o', before);
}

void lanes_on(Loop *l, NodeId id, int64_t most, const Nest *t) {
  const Node *n = graph_node(l->g, id), *x = graph_operand(l->g, n, 0);
  const char *word = op_word(n), *type = type_word(n), *len = loop_extent(l, x, t->last);
  const char *all = loop_number(l, 'n', emit_count(l->e, x));
  int loops = 0;
  l->partial = emit_partial(l->e, id);
  l->partial_type = n->dtype;
  str_line(&l->code, "%s line[DTRT_LANES];", loop_type(n->dtype));
  str_line(&l->code, "dtrt_lanes_%s kept[%d];", type, 1 + sum_levels(most / LANES));
  str_line(&l->code, "int64_t done = %s;", elements_before(l, x));
  str_line(&l->code, "if (done == 0) kept[0] = (dtrt_lanes_%s){0} + (%s);", type,
           reduction_identity(l->e, n));
  str_line(&l->code, "else dtrt_copy(kept, partial, sizeof kept);");
  str_line(&l->code, "dtrt_lanes_%s acc = kept[0];", type);
  for (int d = 0; d < t->last; d++)
    if (nest_has_loop(t, d)) loop_open(l, t->in.at[d], loop_extent(l, x, d), "DTRT_OUTER"), loops++;
  const char *body = body_text(l, n, &t->in, "line[lane]", 2);
  str_line(&l->code, "DTRT_OUTER");
  str_line(&l->code, "for (int64_t at = 0; at < %s;) {", len);
  l->code.indent++;
  str_line(&l->code, "const int64_t next = ((done + at) / %d + 1) * %d - done;", BLOCK, BLOCK);
  str_line(&l->code, "const int64_t end = next < %s ? next : %s;", len, len);
  put_turns(l, n, text_deeper(l->e->arena, body), "end");
  str_line(&l->code,
           "if (at == next) dtrt_carry_lanes_%s_%s(kept + 1, (done + at) / %d - 1, &acc);", word,
           type, BLOCK);
  loop_close(l, 1);
  str_line(&l->code, "done += %s;", len);
  loop_close(l, loops);
  str_line(&l->code, "if (done == %s) {", all);
  l->code.indent++;
  str_line(&l->code, "dtrt_fold_lanes_%s_%s(kept + 1, done / %d, &acc);", word, type, BLOCK);
  const Index none = t->out;
  reduction_store(l, id, &none, lanes_end(l, n));
  l->code.indent--;
  str_line(&l->code, "} else {");
  str_line(&l->code, "  kept[0] = acc;");
  str_line(&l->code, "  dtrt_copy(partial, kept, sizeof kept);");
  str_line(&l->code, "}");
}

const char *lanes_end(Loop *l, const Node *n) {
  return arena_printf(l->e->arena, "dtrt_line_%s_%s(&acc)", op_word(n), type_word(n));
}
