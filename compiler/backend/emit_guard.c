/* Names and blocks that keep a loop's text short. A value that is used at a long index, or twice
 * under a condition, would be written out at each use, and what it is made of at each of those: the
 * text would double with every op. */
#include "emit_loop.h"
#include <string.h>

/* -------- names for indices -------- */

const char *loop_key(Loop *l, NodeId id, const Index *at) {
  Str s = str_new(l->e->arena);
  str_printf(&s, "%d;", id);
  if (at->flat)
    str_puts(&s, at->flat);
  else
    for (int d = 0; d < graph_node(l->g, id)->shape.rank; d++) str_printf(&s, "%s;", at->at[d]);
  return s.at;
}

const char *loop_place(Loop *l, const char *key, const char *text) {
  Emit *e = l->e;
  int k = emit_find(e, &l->place_at, key) - 1;
  if (k < 0) {
    k = l->places.n;
    vec_push(e->arena, &l->places, ((IndexName){arena_printf(e->arena, "p%d", k), false}));
    emit_keep(e, &l->place_at, key, k + 1);
  }
  IndexName *p = &l->places.at[k];
  if (!l->counting && !p->declared) {
    str_line(&l->code, "const int64_t %s = %s;", p->name, text);
    p->declared = true;
    if (l->guard) vec_push(e->arena, &l->known, -1 - k);
  }
  return p->name;
}

const char *loop_short(Loop *l, const char *text) {
  return strlen(text) > LONG_TEXT ? loop_place(l, text, text) : text;
}

/* -------- values under conditions -------- */

Part loop_part(Loop *l, NodeId id, const Index *at) {
  Part p = {0};
  Str outside = l->code;
  int known = l->known.n;
  l->code = str_new(l->e->arena);
  l->code.indent = outside.indent + 1;
  l->guard++;
  p.value = loop_value(l, id, at);
  l->guard--;
  p.block = l->code.at;
  l->code = outside;
  while (l->known.n > known) {
    int k = l->known.at[--l->known.n];
    if (k >= 0)
      l->memo.at[k].text = NULL;
    else
      l->places.at[-1 - k].declared = false;
  }
  return p;
}

/* Of so many parts the one is looked for by halves: conditions that follow each other each hold
 * where the one before does. */
enum { MOST_IN_A_ROW = 16 };

static const char *chosen(Emit *e, const Part *part, int n, const char *other) {
  if (n > MOST_IN_A_ROW) {
    const char *first = chosen(e, part, n / 2, NULL),
               *rest = chosen(e, part + n / 2, n - n / 2, other);
    return arena_printf(e->arena, "%s ? %s : %s", part[n / 2 - 1].cond, loop_wrap(e, first),
                        loop_wrap(e, rest));
  }
  const char *v = other;
  for (int i = n - 1; i >= 0; i--)
    v = v ? arena_printf(e->arena, part[i].wraps ? "(%s) ? %s : %s" : "%s ? %s : %s", part[i].cond,
                         loop_wrap(e, part[i].value), v == other ? v : loop_wrap(e, v))
          : part[i].value;
  return v;
}

/* The same as statements, each part behind its block. */
static void put_chosen(Loop *l, const char *name, const Part *part, int n, const char *other) {
  if (n == 1) {
    if (other) str_line(&l->code, "if (%s) {", part->cond);
    str_puts(&l->code, part->block);
    if (other) l->code.indent++;
    str_line(&l->code, "%s = %s;", name, part->value);
    if (other) loop_close(l, 1);
    return;
  }
  str_line(&l->code, "if (%s) {", part[n / 2 - 1].cond);
  l->code.indent++;
  put_chosen(l, name, part, n / 2, NULL);
  l->code.indent--;
  str_line(&l->code, "} else {");
  l->code.indent++;
  put_chosen(l, name, part + n / 2, n - n / 2, other);
  loop_close(l, 1);
}

const char *loop_choose(Loop *l, const Node *n, const Part *part, int nparts, const char *other) {
  Emit *e = l->e;
  bool blocks = false;
  for (int i = 0; i < nparts; i++) blocks = blocks || *part[i].block;
  if (!blocks || l->counting) return chosen(e, part, nparts, other);
  const char *name = arena_printf(e->arena, "v%d", l->temps++);
  const char *first = other ? arena_printf(e->arena, " = %s", other) : "";
  str_line(&l->code, "%s %s%s;", loop_type(n->dtype), name, first);
  bool alone = nparts == 1 && !other;
  if (alone) str_line(&l->code, "{");
  put_chosen(l, name, part, nparts, other);
  if (alone) str_line(&l->code, "}");
  return name;
}
