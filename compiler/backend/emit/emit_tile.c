/* Tiling: one nest of loops around several steps. Inside, a node that the loops run over is seen as
 * the part of it that belongs to the tile: fewer elements, a pointer to the first, another offset.
 * Everything else is written as outside. */
#include "emit.h"
#include <string.h>

static NodeId id_of(const Emit *e, const Node *n) {
  return (NodeId)(n - graph_node(e->le->graph, 0));
}

static int tile_loop(const Emit *e, NodeId id, int d) {
  const TileNode *s = e->tile ? tiles_node(e->tile, e->le->graph, id) : NULL;
  return s ? s->loop[d] : NO_LOOP;
}

static bool is_inner(const Emit *e, NodeId id) {
  const TileNode *s =
      e->tile ? tiles_node(e->tile, e->le->graph, node_base(e->le->graph, id)) : NULL;
  return s && s->inner;
}

static const char *at_name(Emit *e, int loop) { return arena_printf(e->arena, "at%d", loop); }

const char *emit_len(Emit *e, const Node *n, int d) {
  int loop = tile_loop(e, id_of(e, n), d);
  if (loop == NO_LOOP) return emit_extent(e, &n->layout->dim[d], n->shape.dim[d]);
  return loop == IN_ROWS || e->tile->loop[loop].most == 1 ? "1"
                                                          : arena_printf(e->arena, "len%d", loop);
}

const char *emit_room(Emit *e, const Node *n, int d) {
  int loop = is_inner(e, id_of(e, n)) ? tile_loop(e, id_of(e, n), d) : NO_LOOP;
  if (loop == NO_LOOP) return emit_extent(e, &n->layout->dim[d], n->shape.dim[d]);
  if (loop == IN_ROWS) return "1";
  return arena_printf(e->arena, "%ld", (long)e->tile->loop[loop].most);
}

const char *emit_from(Emit *e, const Node *n, int d) {
  const char *from = emit_offset(e, &n->layout->dim[d], n->shape.dim[d]);
  int loop = tile_loop(e, id_of(e, n), d);
  if (loop < 0) return from;
  return is_number(from, 0) ? at_name(e, loop)
                            : arena_printf(e->arena, "%s + %s", from, at_name(e, loop));
}

const char *emit_at(Emit *e, const Node *n, int d) {
  int loop = tile_loop(e, id_of(e, n), d);
  return loop < 0 ? "0" : at_name(e, loop);
}

const char *emit_start(Emit *e, NodeId id, bool *part) {
  const Node *n = graph_node(e->le->graph, id);
  const char *p = emit_pointer(e, id);
  bool loops = false;
  for (int d = 0; d < n->shape.rank; d++) loops = loops || tile_loop(e, id, d) != NO_LOOP;
  const bool is_part = loops && !is_inner(e, id);
  if (part) *part = is_part;
  if (!is_part) return p;
  Str s = str_new(e->arena);
  str_printf(&s, "&%s", p);
  for (int d = 0; d < n->shape.rank; d++) {
    int loop = tile_loop(e, id, d);
    str_printf(&s, "[%s]", loop < 0 ? "0" : at_name(e, loop));
  }
  return s.at;
}

const char *emit_first(Emit *e, NodeId id) {
  const TileNode *s = e->tile ? tiles_node(e->tile, e->le->graph, id) : NULL;
  Str t = str_new(e->arena);
  for (int i = 0; s && i < e->tile->nloops; i++)
    if (s->sums >> i & 1) str_printf(&t, "%s%s == 0", t.n ? " && " : "", at_name(e, i));
  return t.n ? t.at : NULL;
}

static void open_loop(Emit *e, int i) {
  const TileLoop *l = &e->tile->loop[i];
  const Node *n = graph_node(e->le->graph, l->node);
  const bool rows = e->tile->epilogue;
  const char *from = rows ? "from" : "0";
  const char *len = rows ? "to" : emit_extent(e, &n->layout->dim[l->dim], n->shape.dim[l->dim]);
  if (l->most == 1) {
    str_line(&e->body, "for (int64_t at%d = %s; at%d < %s; at%d++) {", i, from, i, len, i);
    e->body.indent++;
    return;
  }
  long most = (long)l->most;
  str_line(&e->body, "for (int64_t at%d = %s; at%d < %s; at%d += %ld) {", i, from, i, len, i, most);
  e->body.indent++;
  str_line(&e->body, "const int64_t len%d = %s - at%d < %ld ? %s - at%d : %ld;", i, len, i, most,
           len, i, most);
}

/* Without names, so that like steps stay alike. */
static void put_note(Emit *e, const Step *s) {
  const Node *n = graph_node(e->le->graph, s->nodes.at[0]);
  const char *where = diag_where(e->program->diag, e->arena, n->span);
  str_line(&e->body, "/* %s%s%s */", n->op->name, *where ? "    " : "", emit_comment(e, where));
}

static void put_tiles(Emit *e, int first) {
  const Tiles *s = e->tile;
  for (int i = 0; i < s->nloops; i++) open_loop(e, i);
  emit_band_begin(e);
  for (int i = first; i < s->steps.n; i++) {
    emit_band_check(e, i);
    put_note(e, &s->steps.at[i]);
    emit_calls(e, &s->steps.at[i], NULL);
    emit_band_clear(e, &s->steps.at[i]);
  }
  emit_band_end(e);
  for (int i = 0; i < s->nloops; i++) {
    e->body.indent--;
    str_line(&e->body, "}");
  }
}

void emit_tiles(Emit *e, const Step *s) {
  Str outside = e->body;
  const bool epilogue = s->tile->epilogue;
  e->tile = s->tile;
  e->before = str_new(e->arena);
  e->before.indent = outside.indent;
  e->body = str_new(e->arena);
  e->body.indent = epilogue ? 1 : outside.indent;
  put_tiles(e, epilogue);
  Str body = e->body;
  e->tile = NULL;
  e->body = outside;
  if (e->before.n) str_puts(&e->body, e->before.at);
  if (epilogue)
    emit_calls(e, &s->tile->steps.at[0], emit_epilogue(e, s->tile, body.at));
  else
    str_puts(&e->body, body.at);
}
