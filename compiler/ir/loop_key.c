/* Statements of entries as keys: steps are compared by them, blocks of steps that repeat are found
 * by them, and their hash is what devices compare. */
#include "loop.h"
#include <string.h>

typedef struct KeyWalk {
  Arena *arena;
  const LoopEntry *en;
  bool all;      /* an entry's: it is hashed as it comes, since the bytes may be many */
  uint64_t hash; /* of all */
  LoopUses *out; /* unless all */
} KeyWalk;

static void put_bytes(KeyWalk *w, const void *p, size_t n) {
  if (w->all)
    w->hash = hash_more(w->hash, p, n);
  else
    str_put(&w->out->key, p, n);
}
static void put(KeyWalk *w, int64_t v) { put_bytes(w, &v, sizeof v); }
static void put_text(KeyWalk *w, const char *s) { put_bytes(w, s, strlen(s) + 1); }

static void walk(KeyWalk *w, Expr e);

static void put_view(KeyWalk *w, const LoopView *v) {
  const ExprNode *m = expr_node(w->en->x, v->address);
  put(w, m->v << 16 | (int64_t)v->type << 8 | v->rank);
  if (w->all) walk(w, m->arg[0]);
  for (int d = 1; d < v->rank; d++) walk(w, v->room[d]);
}

/* Of a list: numbered by its first use. */
static void use_view(KeyWalk *w, int number) {
  int i = 0;
  if (w->all) {
    put(w, number);
    return;
  }
  while (i < w->out->views.n && w->out->views.at[i] != number) i++;
  put(w, i);
  if (i < w->out->views.n) return;
  vec_push(w->arena, &w->out->views, number);
  put_view(w, &w->en->views.at[number]);
}

static void use_integer(KeyWalk *w, Expr e) {
  int i = 0;
  while (i < w->out->integers.n && w->out->integers.at[i] != e) i++;
  if (i == w->out->integers.n) vec_push(w->arena, &w->out->integers, e);
}

static bool is_of_entry(const KeyWalk *w, Expr e) {
  for (int i = 0; i < w->en->symbols.n; i++)
    if (w->en->symbols.at[i].symbol == e) return w->en->symbols.at[i].kind <= INTEGER_FROM;
  return false;
}

static void walk_list(KeyWalk *w, const LoopStmt *s);

static void put_called(KeyWalk *w, const ExprNode *n) {
  const LoopFunction *f = n->kind == EXPR_RUN ? &w->en->runs.at[n->v] : NULL;
  if (!w->all)
    put(w, f ? f->number : w->en->rows.at[n->v].number);
  else if (f)
    put(w, (int64_t)hash_bytes(f->key.at, f->key.n, 1));
  else
    walk_list(w, w->en->rows.at[n->v].body);
}

static void walk(KeyWalk *w, Expr e) {
  const ExprNode *n = expr_node(w->en->x, e);
  put(w, (int64_t)n->kind << 32 | (int64_t)n->type << 16 | n->n);
  switch (n->kind) {
  case EXPR_GIVEN:
    if (w->all) {
      put(w, n->v);
      break;
    }
    vec_push(w->arena, &w->out->given, e);
    use_integer(w, e);
    break;
  case EXPR_PLACE: use_view(w, (int)n->v); break;
  case EXPR_RUN:
  case EXPR_ROWS: put_called(w, n); break;
  case EXPR_SYMBOL:
    put_text(w, n->name);
    if (!w->all && is_of_entry(w, e)) use_integer(w, e);
    break;
  case EXPR_CALL:
  case EXPR_LIST:
  case EXPR_LOCAL: put_text(w, n->name); break;
  default: put(w, n->v);
  }
  for (int i = 0; n->coef && i < n->n; i++) put(w, n->coef[i]);
  for (int i = 0; i < n->n; i++) walk(w, n->arg[i]);
}

static void put_layout(KeyWalk *w, const Layout *l) {
  put(w, (int64_t)l->rank << 40 | (int64_t)l->reduce << 32 | l->partial);
  for (int d = 0; d < l->rank; d++) {
    const DimLayout *x = &l->dim[d];
    const int64_t of[] = {x->granule,      x->window.of,   x->window.mul,    x->window.div,
                          x->window.first, x->window.last, x->window.cyclic, x->naxes};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) put(w, of[i]);
    for (int i = 0; i < x->naxes; i++) put(w, x->axis[i]);
  }
}

/* What the exchanges of a list move. Those of a block that runs several times are alike. */
static void put_exchanges(KeyWalk *w, const ExprNode *list) {
  const Graph *g = w->en->le->graph;
  for (int i = 0; i < list->n; i += 3) {
    const ExprNode *number = expr_node(w->en->x, list->arg[i]);
    if (number->kind != EXPR_GIVEN) continue;
    const Node *n = graph_node(g, w->en->exchanges.at[number->v - w->en->first_exchange]);
    put(w, n->dtype);
    put(w, w->en->le->borders &&
               w->en->le->borders[w->en->exchanges.at[number->v - w->en->first_exchange]]);
    for (int d = 0; d < n->shape.rank; d++) put(w, n->shape.dim[d]);
    put_layout(w, graph_operand(g, n, 0)->layout);
    put_layout(w, n->layout);
  }
}

static void walk_list(KeyWalk *w, const LoopStmt *s) {
  for (; s; s = s->next) {
    put(w, (int64_t)s->kind << 32 | (int64_t)s->how << 16 | (int64_t)s->local << 8 | s->goes_on);
    put(w, (int64_t)s->type << 32 | s->count);
    if (s->name) put_text(w, s->name);
    for (int i = 0; s->kind == STMT_ROTATE && i < s->rotation->buffers.n; i++)
      put(w, w->en->le->buffers.at[s->rotation->buffers.at[i]].offset);
    if (s->kind == STMT_EXCHANGE && s->a != NO_EXPR) put_exchanges(w, expr_node(w->en->x, s->a));
    if (s->a != NO_EXPR && (s->kind != STMT_STEP || w->all)) walk(w, s->a);
    if (s->kind == STMT_FOR) walk(w, s->b), walk(w, s->c);
    walk_list(w, s->body);
    walk_list(w, s->other);
    put(w, -1);
  }
}

void loop_uses(Arena *a, const LoopEntry *en, const LoopStmt *s, LoopUses *out) {
  *out = (LoopUses){.key = str_new(a)};
  walk_list(&(KeyWalk){.arena = a, .en = en, .out = out}, s);
}

uint64_t loop_identity(const LoopEntry *en) {
  KeyWalk w = {.en = en, .all = true, .hash = hash_begin(1)};
  for (int i = 0; i < en->views.n; i++) put_view(&w, &en->views.at[i]);
  walk_list(&w, en->body);
  return en->views.n || en->body ? hash_end(w.hash) : 1;
}
