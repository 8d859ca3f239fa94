/* Loops that ride on a product: what is done to each row of its result as soon as the row is there,
 * in the cache. The loop is the function it would be otherwise; a second one, of the signature that
 * dtrt_gemm_then wants, calls it for some rows. DTGC_RIDE=off leaves all loops by themselves. */
#include "emit_loop.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_READ = 8 };

/* -------- which -------- */

static bool overlap(const Buffer *a, const Buffer *b) {
  return a->place == b->place && a->offset < b->offset + b->bytes &&
         b->offset < a->offset + a->bytes;
}

/* The loop may run while the product does: it writes nothing that the product still reads. */
static bool apart(const LocalEntry *le, const Step *product, const Step *loop) {
  const Node *p = graph_node(le->graph, product->nodes.at[0]);
  for (int k = 0; k < 2; k++) {
    const Buffer *x = &le->buffers.at[le->buffer[node_base(le->graph, p->operand[k])]];
    for (int i = 0; i < loop->nodes.n; i++)
      if (overlap(x, &le->buffers.at[le->buffer[loop->nodes.at[i]]])) return false;
  }
  return true;
}

bool emit_rides(Emit *e, const Step *product, const Step *loop) {
  const char *say = getenv("DTGC_RIDE");
  return loop->rides && !(say && !strcmp(say, "off")) && apart(e->le, product, loop);
}

/* -------- the call -------- */

/* Values of numbers that stand in the function itself, not in the entry. */
static bool is_local(const char *value) {
  return strspn(value, "0123456789") == strlen(value) || !strcmp(value, "from") ||
         !strcmp(value, "to") || !strncmp(value, "(to - from)", 11);
}

static const char *row_pointer(Loop *l, const Node *n, int i, int64_t columns) {
  if (!l->flat || n->shape.rank == 0) return arena_printf(l->e->arena, "p[%d]", i);
  return arena_printf(l->e->arena, "(%s *)p[%d] + from * %ld", dtype_c_name(n->dtype), i,
                      (long)columns);
}

const char *emit_rows(Emit *e, const Step *s, int dims, int64_t columns) {
  Loop l = map_loop(e, s, dims, columns);
  const Node *stored = graph_node(l.g, s->nodes.at[0]);
  const char *loop = loop_function(&l, stored->name ? stored->name : stored->op->name);
  Str text = str_new(e->arena), pointers = str_new(e->arena), numbers = str_new(e->arena),
      read = str_new(e->arena);
  int nnumbers = 0, nread = 0;
  const char *sep = "";
  str_printf(&text,
             "_rows(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) "
             "{\n  (void)dev, (void)p, (void)n;\n  %s(",
             loop);
  if (l.needs_dev) str_puts(&text, "dev"), sep = ", ";
  for (int i = 0; i < l.numbers.n; i++, sep = ", ") {
    const char *value = l.numbers.at[i].value;
    if (is_local(value)) {
      str_printf(&text, "%s%s", sep, value);
    } else {
      str_printf(&text, "%sn[%d]", sep, nnumbers);
      str_printf(&numbers, "%s%s", nnumbers++ ? ", " : "", value);
    }
  }
  for (int i = 0; i < l.pointers.n; i++, sep = ", ") {
    NodeId id = l.pointers.at[i].node;
    const Node *n = graph_node(l.g, id);
    const char *name = emit_pointer(e, id);
    str_printf(&text, "%s%s", sep, row_pointer(&l, n, i, columns));
    str_printf(&pointers, "%s%s", i ? ", " : "", name);
    bool wide = n->dtype == DT_F32 && same_space(n, stored) && nread < MOST_READ;
    bool made_here = false;
    for (int k = 0; k < s->nodes.n; k++) made_here |= s->nodes.at[k] == id;
    if (wide && id != e->product && !made_here)
      str_printf(&read, "%s%s", nread++ ? ", " : "", name);
  }
  str_puts(&text, ");\n}\n\n");
  int had = emit_find(e, &e->loop_at, text.at);
  const char *name = had ? e->loop.at[had - 1].name : arena_printf(e->arena, "%s_rows", loop);
  if (!had) {
    if (emit_find(e, &e->loop_at, name)) /* the same loop over other rows */
      name = arena_printf(e->arena, "%s_rows%d", loop, e->loop.n);
    vec_push(e->arena, &e->loop, ((LoopText){text.at, name}));
    emit_keep(e, &e->loop_at, text.at, e->loop.n);
    emit_keep(e, &e->loop_at, name, e->loop.n);
    str_printf(&e->loops, "static void %s%s", name, text.at + strlen("_rows"));
  }
  Str then = str_new(e->arena);
  str_printf(&then, "&(dtrt_then){%s, dev, (void *const[]){%s},\n                   ", name,
             pointers.at);
  str_printf(&then, nnumbers ? "(const int64_t[]){%s}, " : "0%s, ", numbers.at);
  str_printf(&then, nread ? "%d, (const void *const[]){%s}}" : "%d, 0%s}", nread, read.at);
  return then.at;
}
