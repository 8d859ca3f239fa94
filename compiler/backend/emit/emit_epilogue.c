/* Epilogues as C: the function that a kernel calls upon rows of its result as soon as they are
 * final (dtrt_then). What it is made of names no address of this entry, so that kernels of like
 * layers share one function: pointers and extents are passed.
 *
 *   static void rows3_relu(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from,
 * int64_t to) { float (*const h)[64] = p[0]; for (int64_t at0 = from; at0 < to; at0 += 128) { ... }
 *   } */
#include "emit.h"
#include <string.h>

enum { MOST_READ = 8 };

typedef struct Rows {
  Emit *e;
  Str head, text, pointers, numbers;
  int npointers, nnumbers;
  Lookup pointer_at, number_at; /* 1 + the place in p, in n, by the mark */
  const char **name;            /* by place in p */
  Lookup used;                  /* names */
} Rows;

/* A mark's own text, which stands for it where the kernel is called. */
static const char *mark_text(Rows *r, char kind, int number) {
  const char *t = arena_printf(r->e->arena, "%c%d%c", kind, number, MARK_END);
  return name_of(r->e->names, t, strlen(t));
}

static const char *number_text(Rows *r, char kind, int number) {
  const char *mark = mark_text(r, kind, number);
  int had = lookup_get(&r->number_at, mark);
  if (!had) {
    str_printf(&r->numbers, "%s%s", r->nnumbers ? ", " : "", mark);
    lookup_put(&r->number_at, r->e->arena, mark, had = ++r->nnumbers);
  }
  return arena_printf(r->e->arena, "n[%d]", had - 1);
}

static void put_marked(Rows *r, Str *out, const char *text);

static const char *unique(Rows *r, const char *base) {
  const char *name = base;
  for (int k = 2; lookup_get(&r->used, name_of(r->e->names, name, strlen(name))); k++)
    name = arena_printf(r->e->arena, "%s_%d", base, k);
  lookup_put(&r->used, r->e->arena, name_of(r->e->names, name, strlen(name)), 1);
  return name;
}

static const char *pointer_text(Rows *r, int number) {
  Emit *e = r->e;
  const Given *g = &e->givens.at[number];
  const char *mark = mark_text(r, MARK_GIVEN, number);
  int had = lookup_get(&r->pointer_at, mark);
  if (!had) {
    const char *name = unique(r, g->short_name);
    str_printf(&r->pointers, "%s%s", r->npointers ? ", " : "", mark);
    str_puts(&r->head, "  ");
    put_marked(r, &r->head, g->before);
    str_puts(&r->head, name);
    put_marked(r, &r->head, g->after);
    str_printf(&r->head, " = p[%d];\n", r->npointers);
    r->name[r->npointers] = name;
    lookup_put(&r->pointer_at, e->arena, mark, had = ++r->npointers);
  }
  return r->name[had - 1];
}

static void put_marked(Rows *r, Str *out, const char *text) {
  for (const char *c = text; *c; c++) {
    const char kind = *c;
    if (kind != MARK_GIVEN && kind != MARK_EXTENT) {
      str_put(out, c, 1);
      continue;
    }
    const int number = mark_number(&c);
    const bool pointer = kind == MARK_GIVEN && r->e->givens.at[number].before;
    str_puts(out, pointer ? pointer_text(r, number) : number_text(r, kind, number));
  }
}

/* The function's name; it is written if no equal one is there. */
static const char *function_of(Rows *r, const char *what) {
  Emit *e = r->e;
  Str text = str_new(e->arena);
  str_printf(&text,
             "(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {\n"
             "  (void)dev, (void)p, (void)n;\n%s%s}\n\n",
             r->head.n ? r->head.at : "", r->text.at);
  const int had = emit_find(e, &e->loop_at, text.at);
  if (had) return e->loop.at[had - 1].name;
  const char *name = arena_printf(e->arena, "rows%d_%s", e->loop.n + 1, emit_word(e, what));
  vec_push(e->arena, &e->loop, ((LoopText){text.at, name}));
  emit_keep(e, &e->loop_at, text.at, e->loop.n);
  str_printf(&e->loops, "static void %s%s", name, text.at);
  return name;
}

/* What the epilogue reads along with the kernel's result, to be fetched ahead. */
static const char *read_ahead(Emit *e, const Tiles *s, int *n) {
  const LocalEntry *le = e->le;
  const Node *result = graph_node(le->graph, s->steps.at[0].nodes.at[0]);
  const Step whole = {.kind = STEP_TILES, .tile = s};
  Str out = str_new(e->arena);
  Reads reads = {0};
  step_reads(le, &whole, e->arena, &reads);
  *n = 0;
  for (int i = 0; i < reads.r.n && *n < MOST_READ; i++) {
    const NodeId id = reads.r.at[i].node;
    const Node *x = graph_node(le->graph, id);
    const TileNode *part = tiles_node(s, le->graph, id);
    if (part && x->dtype == DT_F32 && same_space(x, result))
      str_printf(&out, "%s%s", (*n)++ ? ", " : "", emit_pointer(e, id));
  }
  return out.n ? out.at : "";
}

const Epilogue *emit_epilogue(Emit *e, const Tiles *s, const char *body) {
  const Node *result = graph_node(e->le->graph, s->steps.at[0].nodes.at[0]);
  Rows r = {.e = e,
            .head = str_new(e->arena),
            .text = str_new(e->arena),
            .pointers = str_new(e->arena),
            .numbers = str_new(e->arena),
            .name = arena_array(e->arena, const char *, e->givens.n + 1)};
  put_marked(&r, &r.text, body);
  const char *name = function_of(&r, result->name ? result->name : result->op->name);
  const char *p = r.npointers ? arena_printf(e->arena, "(void *const[]){%s}", r.pointers.at) : "0";
  const char *n = r.nnumbers ? arena_printf(e->arena, "(const int64_t[]){%s}", r.numbers.at) : "0";
  int nread;
  const char *read = read_ahead(e, s, &nread);
  Str then = str_new(e->arena);
  str_printf(&then, "&(dtrt_then){%s, dev, %s,\n                   %s, ", name, p, n);
  str_printf(&then, nread ? "%d, (const void *const[]){%s}}" : "%d, 0%s}", nread, read);
  const TileLoop *l = &s->loop[0];
  const char *rows = "1";
  for (int d = 0; d <= l->dim; d++)
    rows = emit_product(e, rows, emit_extent(e, &result->layout->dim[d], result->shape.dim[d]));
  Epilogue *out = arena_new_of(e->arena, Epilogue);
  *out = (Epilogue){then.at, arena_printf(e->arena, "%s(dev, %s, %s, 0, %s)", name, p, n, rows)};
  return out;
}
