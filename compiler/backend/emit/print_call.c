/* Calls of entries as C: of loop functions, on one core or several, of the runtime's kernels with
 * their epilogues, and of exchanges; and the expressions that entries alone have. */
#include "print_entry.h"
#include <string.h>

/* -------- expressions -------- */

static const char *space_name(Arena *a, int64_t space) {
  if (space >= SPACE_SHARED) return arena_printf(a, "shared[%ld]", (long)space - SPACE_SHARED);
  return space == SPACE_ARENA   ? "arena"
         : space == SPACE_VARS  ? "vars"
         : space == SPACE_INPUT ? "in"
                                : "out";
}

/* A table of addresses. */
static bool is_hosts(int64_t space) { return space == SPACE_INPUT || space == SPACE_OUTPUT; }

static const char *number(Arena *a, int64_t v) {
  return v >> 48 ? arena_printf(a, "0x%lxu", (unsigned long)v) : arena_printf(a, "%ld", (long)v);
}

/* What an epilogue is passed in place of an integer of the entry; NULL: it is no such. */
static const char *passed(const Function *f, const ExprNode *n) {
  for (int i = 0; f->rows && i < f->rows->integers.n; i++)
    if (expr_node(f->en->x, f->rows->integers.at[i]) == n)
      return arena_printf(f->e->arena, "n[%d]", i);
  return NULL;
}

static const char *symbol(Function *f, const ExprNode *n) {
  const LoopSymbols *all = &f->en->symbols;
  const char *own = passed(f, n);
  for (int i = 0; !own && i < all->n; i++) {
    const LoopSymbol *s = &all->at[i];
    if (s->kind > INTEGER_FROM || expr_node(f->en->x, s->symbol) != n || f->symbol[i]) continue;
    const Node *of = graph_node(f->en->le->graph, s->node);
    const char *t = emit_dim(f->e, &of->layout->dim[s->dim], of->shape.dim[s->dim]);
    if (s->kind == INTEGER_BLOCK)
      str_line(&f->head, "const int64_t %s = dtrt_hi(dev, &%s) - dtrt_lo(dev, &%s);", n->name, t,
               t);
    else
      str_line(&f->head, "const int64_t %s = dtrt_lo(dev, &%s);", n->name, t);
    f->symbol[i] = true;
  }
  return own ? own : n->name;
}

static const char *place(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  if (!n->n) return f->view[n->v];
  Str s = str_new(p->arena);
  str_printf(&s, "&%s", f->view[n->v]);
  for (int d = 0; d < n->n; d++) str_printf(&s, "[%s]", print_in(p, n->arg[d], scope));
  return s.at;
}

static const char *after(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  const ExprNode *of = expr_node(p->x, n->arg[0]);
  const char *from = print_in(p, n->arg[0], scope), *by = print_in(p, n->arg[1], scope);
  const LoopView *v = &f->en->views.at[of->v];
  const bool flat = v->rank == 1 && !of->n && v->type == n->type;
  const char *cast = flat ? "" : arena_printf(p->arena, "(%s *)", dtype_c_name(n->type));
  int64_t none;
  if (expr_is_int(p->x, n->arg[1], &none) && !none)
    return arena_printf(p->arena, "%s%s", cast, from);
  return arena_printf(p->arena, "%s%s + %s", cast, from, by);
}

static const char *joined(Arena *a, const char *const *text, int n) {
  Str s = str_new(a);
  for (int i = 0; i < n; i++) str_printf(&s, "%s%s", i ? ", " : "", text[i]);
  return n ? s.at : "";
}

/* "(void *const[]){x, y}"; 0: of nothing. */
static const char *array(Arena *a, const char *type, const char *const *text, int n) {
  return n ? arena_printf(a, "(%s[]){%s}", type, joined(a, text, n)) : "0";
}

static const char **texts(Print *p, const Expr *e, int n, int scope) {
  const char **text = arena_array(p->arena, const char *, n + 1);
  for (int i = 0; i < n; i++) text[i] = print_in(p, e[i], scope);
  return text;
}

/* Elements of the arrays in structs of dtrt.h. They are written out, zeros too: clang fills the rest of
 * an array by a loop, and LLVM takes the square of the loops of a function. */
static int list_room(const char *of, int n) {
  const dtrt_slide *slide = NULL;
  const dtrt_loops *loops = NULL;
  if (!strcmp(of, "dtrt_slide")) return (int)(sizeof slide->large / sizeof *slide->large);
  return strcmp(of, "dtrt_loops") ? n : (int)(sizeof loops->count / sizeof *loops->count);
}

/* A struct; an array is one of its fields. */
static const char *list(Print *p, const ExprNode *n, int scope) {
  Str s = str_new(p->arena);
  str_printf(&s, "(%s){", n->name);
  for (int i = 0; i < n->n; i++) {
    const ExprNode *arg = expr_node(p->x, n->arg[i]);
    const int room = list_room(n->name, arg->n);
    str_puts(&s, i ? ", " : "");
    if (arg->kind != EXPR_LIST) {
      str_puts(&s, print_in(p, n->arg[i], scope));
      continue;
    }
    str_printf(&s, ".%s = {%s", arg->name,
               joined(p->arena, texts(p, arg->arg, arg->n, scope), arg->n));
    for (int k = arg->n; k < room; k++) str_puts(&s, k ? ", 0" : "0");
    str_puts(&s, "}");
  }
  str_puts(&s, "}");
  return s.at;
}

/* Buffers of functions that see them otherwise are passed as no pointer in particular. */
static const char **arguments(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  const LoopFunction *called = &f->en->runs.at[n->v];
  const char **text = texts(p, n->arg, n->n, scope);
  for (int i = called->used.n; i < n->n; i++) {
    const ExprNode *arg = expr_node(p->x, n->arg[i]);
    if (arg->kind != EXPR_PLACE || f->en->views.at[arg->v].rank < 2) continue;
    const int b = i - called->used.n;
    const bool other = b < called->buffers.n && called->buffers.at[b].first;
    if (called->flat || arg->n || other) text[i] = arena_printf(p->arena, "(void *)%s", text[i]);
  }
  return text;
}

static const char *run(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  const LoopFunction *called = &f->en->runs.at[n->v];
  return arena_printf(p->arena, "%s(%s%s)", f->e->unit[called->number],
                      !called->uses_dev ? ""
                      : n->n            ? "dev, "
                                        : "dev",
                      joined(p->arena, arguments(p, n, scope), n->n));
}

static const char *epilogue(Print *p, const ExprNode *n, int scope) {
  const Function *f = p->user;
  const LoopRows *r = &f->en->rows.at[n->v];
  const char **text = texts(p, n->arg, n->n, scope);
  return arena_printf(p->arena, "&(dtrt_epilogue){%s, dev, %s, %s, %d, %s, %s}",
                      f->e->unit[r->number],
                      array(p->arena, "void *const", text, r->views.n),
                      array(p->arena, "const int64_t", text + r->views.n, r->integers.n), r->ahead,
                      array(p->arena, "const void *const", text + n->n - r->ahead, r->ahead),
                      r->unit == LOOP_ALL_ROWS ? "DTRT_FAR"
                                               : arena_printf(p->arena, "%ld", (long)r->unit));
}

const char *print_of_entry(Print *p, const ExprNode *n, int scope) {
  Function *f = p->user;
  switch (n->kind) {
  case EXPR_SYMBOL: return symbol(f, n);
  case EXPR_GIVEN: {
    const char *own = passed(f, n);
    return own ? own : number(p->arena, n->v);
  }
  case EXPR_COLUMN: return arena_printf(p->arena, "%s[%ld]", f->given, (long)n->v);
  case EXPR_MEMORY:
    return arena_printf(p->arena, is_hosts(n->v) ? "dev->%s[%s]" : "dev->%s + %s",
                        space_name(p->arena, n->v), print_wrapped_in(p, n->arg[0], scope));
  case EXPR_PLACE: return place(p, n, scope);
  case EXPR_AFTER: return after(p, n, scope);
  case EXPR_LIST: return list(p, n, scope);
  case EXPR_RUN: return run(p, n, scope);
  default: return epilogue(p, n, scope);
  }
}

/* -------- calls -------- */

/* A loop function as dtrt_parallel calls it, one for each set of integers that are numbers: clang then
 * knows them in the loops. Others come through n: their places in the call are in `through`. */
static const char *part_function(Print *p, const ExprNode *n, int *through, int *nthrough) {
  const Function *f = p->user;
  Emit *e = f->e;
  const LoopFunction *called = &f->en->runs.at[n->v];
  const char *of = e->unit[called->number];
  Str text = str_new(e->arena);
  str_printf(&text,
             "(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {\n"
             "  (void)dev, (void)n;\n  %s(%sfrom, to",
             of, called->uses_dev ? "dev, " : "");
  for (int i = 0; i < called->used.n; i++) {
    int64_t v;
    if (expr_is_int(p->x, n->arg[i], &v))
      str_printf(&text, ", %ld", (long)v);
    else
      str_printf(&text, ", n[%d]", *nthrough), through[(*nthrough)++] = i;
  }
  const int pointers = called->buffers.n + (called->partial != NO_NODE);
  for (int i = 0; i < pointers; i++) str_printf(&text, ", p[%d]", i);
  str_puts(&text, ");\n}\n\n");
  const int had = emit_find(e, &e->part_at, text.at);
  if (had) return e->parts.at[had - 1];
  const char *own = arena_printf(e->arena, "part%d_%s", e->parts.n + 1, of);
  vec_push(e->arena, &e->parts, own);
  emit_keep(e, &e->part_at, text.at, e->parts.n);
  str_printf(&e->loops, "static void %s%s", own, text.at);
  e->counts->functions++;
  return own;
}

/* dtrt_parallel(dev, part8_loop7_x, 4096, 64, pointers, integers): what cores do at once, of a loop
 * function or of tiles. Last of the call's arguments are how many iterations there are and how many
 * a part has at least. */
static void put_parallel(Print *p, const ExprNode *n) {
  const Function *f = p->user;
  const bool tiles = n->kind == EXPR_ROWS;
  const LoopRows *r = tiles ? &f->en->rows.at[n->v] : NULL;
  const LoopFunction *called = tiles ? NULL : &f->en->runs.at[n->v];
  const char **own = texts(p, n->arg, n->n, p->scope), *name = NULL;
  const char **pointers = own, **integers = arena_array(p->arena, const char *, n->n + 1);
  int npointers = tiles ? r->views.n : called->buffers.n + (called->partial != NO_NODE),
      nintegers = 0;
  if (tiles) {
    name = f->e->unit[r->number];
    nintegers = r->integers.n;
    integers = own + npointers;
  } else {
    int *through = arena_array(p->arena, int, called->used.n + 1);
    name = part_function(p, n, through, &nintegers);
    for (int i = 0; i < nintegers; i++) integers[i] = own[through[i]];
    pointers = own + called->used.n;
  }
  const char *const text[] = {"dev",
                              name,
                              own[n->n - 2],
                              own[n->n - 1],
                              array(p->arena, "void *const", pointers, npointers),
                              array(p->arena, "const int64_t", integers, nintegers)};
  emit_list(&p->code, "dtrt_parallel", text, 6, ";");
}

void print_called(Print *p, Expr e) {
  const Function *f = p->user;
  const ExprNode *n = expr_node(p->x, e);
  if (n->kind == EXPR_CALL) {
    emit_uses_function(p->headers, n->name);
    emit_list(&p->code, n->name, texts(p, n->arg, n->n, p->scope), n->n, ";");
    return;
  }
  if (n->kind == EXPR_ROWS || f->en->runs.at[n->v].part) {
    put_parallel(p, n);
    return;
  }
  const LoopFunction *called = &f->en->runs.at[n->v];
  const char **text = arena_array(p->arena, const char *, n->n + 1), **own;
  own = arguments(p, n, p->scope);
  text[0] = "dev";
  memcpy(text + called->uses_dev, own, sizeof *own * (size_t)n->n);
  emit_list(&p->code, f->e->unit[called->number], text, n->n + called->uses_dev, ";");
}

/* In place of an exchange that is left out: what an earlier value left there may be right by
 * chance. A sum in the place of its addends stays the device's own. */
static void spoil(Function *f, NodeId id, const char *to) {
  const LocalEntry *le = f->en->le;
  const int at = le->buffer[id];
  if (at == le->buffer[node_base(le->graph, graph_node(le->graph, id)->operand[0])]) return;
  str_line(&f->print.code, "for (int64_t i = 0; i < %ld; i++) ((char *)%s)[i] = 0x7f;",
           (long)le->buffers.at[at].bytes, to);
}

static const char *exchange_name_of(Function *f, Expr e) {
  const ExprNode *n = expr_node(f->en->x, e);
  const char *text = print_expr(&f->print, e);
  return arena_printf(f->e->arena, n->kind == EXPR_GIVEN ? "&exchange_%s" : "exchanges[%s]", text);
}

void print_exchange(Function *f, const LoopStmt *s) {
  Print *p = &f->print;
  const Step *step = s->step;
  const int most = step->nodes.n;
  const char **x = arena_array(p->arena, const char *, 3 * most), **from = x + most,
             **to = from + most;
  int n = 0;
  for (int i = 0; i < most; i++) {
    const bool dropped = emit_is_dropped(f->e, step->nodes.at[i]);
    if (s->a == NO_EXPR) {
      n += !dropped;
      continue;
    }
    const Expr *arg = expr_node(p->x, s->a)->arg + 3 * i;
    x[n] = exchange_name_of(f, arg[0]);
    from[n] = print_expr(p, arg[1]), to[n] = print_expr(p, arg[2]);
    if (dropped)
      spoil(f, step->nodes.at[i], to[n]);
    else
      n++;
  }
  if (n == 0) return;
  if (s->a == NO_EXPR) {
    str_line(&p->code, "dtrt_wait_exchange(dev, %ld);", (long)s->count);
    return;
  }
  const char *dev = s->count ? arena_printf(p->arena, "dev, %ld", (long)s->count) : "dev",
             *name = arena_printf(p->arena, "dtrt_%s_exchange%s", s->count ? "start" : "run",
                                  n > 1 ? "s" : "");
  if (n == 1) {
    emit_list(&p->code, name, (const char *[]){dev, x[0], from[0], to[0]}, 4, ";");
    return;
  }
  const char *const all[] = {dev, arena_printf(p->arena, "%d", n),
                             array(p->arena, "const dtrt_exchange *const", x, n),
                             array(p->arena, "const void *const", from, n),
                             array(p->arena, "void *const", to, n)};
  emit_list(&p->code, name, all, 5, ";");
}
