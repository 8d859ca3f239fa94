/* Numbers that take a type: of `total = 0` before a loop that adds f64 to it. A number that a
 * region carries is an i64, an f32 or a bool; where its body does not go with that, the first run
 * is built alone, of the number itself, as if it were unrolled. What that makes of the number is
 * what the region carries, if it is wrong in fewer places then, or in as many that come later in
 * the text: what goes wrong there is more likely a mistake that no type mends. What is wrong in as
 * many places of the first run alone is one. In that first run, a number that a region within makes
 * of one is a number behind it, too (`if c { total = 0 }`). What is a number behind the first run,
 * too (`rate = rate * 0.9`), and the number of a `repeat`, take another type of the entry's tensors,
 * f64 or i32 say, where the body goes with that.
 *
 * What was built in vain is left in the graph and in variables' versions. So a program in which a
 * number has taken a type is elaborated again (elaborate.c), with what was found: its key says
 * where, in which calls and turns of `for`. Programs without errors are elaborated once. */
#include "flow.h"
#include "op.h"
#include <string.h>

/* Tries that helped nothing, of loops within loops with a mistake in them. */
enum { MOST_IN_VAIN = 300 };

/* -------- places -------- */

static uint64_t mix(uint64_t a, uint64_t b) {
  const uint64_t both[] = {a, b};
  return hash_words(both, sizeof both, HASH_SEED);
}

uint64_t place_span(Span at) { return mix(at.file, (uint64_t)at.begin << 32 | at.end); }

uint64_t place_enter(Elab *e, uint64_t which) {
  const uint64_t before = e->place;
  e->place = mix(before, which);
  return before;
}

/* Names that the compiler sets are what they are. */
uint64_t adopt_key(const Elab *e, Span region, const char *name) {
  if (*name == '(') return 0;
  return hash_bytes(name, strlen(name), mix(e->place, place_span(region))) | 1;
}

uint64_t adopt_item(uint64_t key, int i) { return key ? mix(key, (uint64_t)i) | 1 : 0; }

/* -------- what was found -------- */

bool adopt_is_number(const Value *v) {
  return v->kind == V_INT || v->kind == V_REAL || v->kind == V_BOOL;
}

static Adopted *find(const Elab *e, uint64_t key) {
  for (int i = 0; i < e->adopted->at.n; i++)
    if (e->adopted->at.at[i].key == key) return &e->adopted->at.at[i];
  return NULL;
}

static void adopt(Elab *e, uint64_t key, const Type *type) {
  Adopted *had = find(e, key);
  const Adopted a = {.key = key, .type = *type};
  if (had && had->type.dtype == type->dtype && shape_equal(&had->type.shape, &type->shape)) return;
  e->adopted->changes++;
  if (had)
    *had = a;
  else
    vec_push(e->arena, &e->adopted->at, a);
}

/* A number without a type, or with none but its own, takes the given one. */
static const Adopted *adopt_number(Elab *e, NumberTypes types, ValueKind kind, uint64_t key) {
  const Adopted *a = find(e, key);
  if (a && a->type.shape.rank) return a;
  const bool real = a ? a->type.dtype == DT_F32 : kind == V_REAL;
  const bool whole = a ? a->type.dtype == DT_I64 : kind == V_INT;
  if (real && types.real) adopt(e, key, &(Type){.dtype = types.real});
  if (whole && types.whole) adopt(e, key, &(Type){.dtype = types.whole});
  return find(e, key);
}

DType adopt_counter(Elab *e, const Running *x, int64_t from, int64_t to) {
  if (!x->stmt->name.text || x->peels) return DT_I64;
  const uint64_t key = adopt_key(e, x->stmt->span, x->stmt->name.text);
  const Adopted *a = adopt_number(e, x->types, V_INT, key);
  if (!a) return DT_I64;
  const DType t = a->type.dtype;
  const int64_t least = from < to ? from : to, most = from < to ? to : from;
  return least >= dtype_least(t) && most <= dtype_most(t) ? t : DT_I64;
}

NodeId adopt_first(Elab *e, NumberTypes types, const Value *v, uint64_t key, Span at) {
  const Adopted *a = adopt_number(e, types, v->kind, key);
  if (!a) return NO_NODE;
  const Shape *s = &a->type.shape;
  Arg number, dims = {.kind = ARG_LIST, .span = at, .n = s->rank};
  dims.at = arena_array(e->arena, Arg, s->rank + 1);
  for (int d = 0; d < s->rank; d++) dims.at[d] = int_arg(s->dim[d]);
  if (!builtin_arg(e, v, at, &number)) return NO_NODE;
  e->at->build.span = at;
  const NodeId id = build_tensor(&e->at->build, &number, a->type.dtype);
  if (id == NO_NODE || !s->rank) return id;
  return build_call(&e->at->build, op_find("broadcast"), (Arg[]){tensor_arg(id), dims}).node;
}

/* The type of what the first run made of a number; false: the number does not go with it. */
static bool type_of(const Elab *e, const Value *number, const Value *to, Type *out) {
  *out = (Type){.dtype = DT_F32};
  if (to->kind == V_REAL) return number->kind == V_INT;
  if (to->kind != V_TENSOR) return false;
  const Node *n = graph_node(e->at->build.graph, to->node);
  *out = (Type){n->dtype, n->shape};
  if (number->kind == V_BOOL) return n->dtype == DT_BOOL;
  return n->dtype != DT_BOOL && (number->kind == V_INT || !dtype_is_int(n->dtype));
}

void adopt_found(Elab *e, const Value *number, const Value *to, uint64_t key) {
  Type type;
  if (!type_of(e, number, to, &type)) return;
  const bool as_ever = number->kind == V_REAL && type.dtype == DT_F32 && !type.shape.rank;
  if (!as_ever || find(e, key)) adopt(e, key, &type);
}

/* -------- running -------- */

/* What a scope binds, and how much the region around it collects. */
typedef struct ScopeThen {
  int n, collected;
  Binding *at;
} ScopeThen;

static ScopeThen bound(Elab *e, const NameScope *s) {
  ScopeThen b = {.n = s->names.n, .at = arena_array(e->arena, Binding, s->names.n + 1)};
  if (e->at->open) b.collected = e->at->open->collected.n;
  for (int i = 0; i < b.n; i++) b.at[i] = *s->names.at[i];
  return b;
}

static void bind_again(Elab *e, NameScope *s, const ScopeThen *b) {
  s->names.n = 0;
  if (e->at->open) e->at->open->collected.n = b->collected;
  for (int i = 0; i < b->n; i++)
    vec_push(e->arena, &s->names, arena_copy(e->arena, &b->at[i], sizeof b->at[i]));
}

static Adoptions adoptions(Elab *e) {
  Adoptions a = {.changes = e->adopted->changes};
  for (int i = 0; i < e->adopted->at.n; i++) vec_push(e->arena, &a.at, e->adopted->at.at[i]);
  return a;
}

static bool has_number(const Value *v) {
  for (int i = 0; v->kind == V_LIST && i < v->list->n; i++)
    if (has_number(&v->list->at[i])) return true;
  return adopt_is_number(v);
}

static bool carries_number(Elab *e, const NameScope *s, const StmtVec *body) {
  IdentVec names = {0};
  bound_names(e, body, false, &names);
  for (int i = 0; i < names.n; i++) {
    const Binding *b = bound_before(s, names.at[i].text);
    if (b && !b->lazy && *b->name != '(' && has_number(&b->value)) return true;
  }
  return false;
}

static Withheld held_run(Elab *e, NameScope *s, const Running *x, RunFn *run) {
  Withheld h;
  diag_hold(e->diag, &h);
  run(e, s, x);
  diag_take(e->diag, &h);
  if (e->full) e->full = e->stop = false; /* with other types there may be fewer errors */
  return h;
}

/* Of which types the entry's tensors are so far, as bits. */
static uint32_t types_seen(const Elab *e) {
  const Graph *g = e->at->build.graph;
  uint32_t seen = 0;
  for (NodeId i = 0; i < g->nodes.n; i++) seen |= 1u << graph_node(g, i)->dtype;
  return seen;
}

/* Where in the text from a loop on its first error is, or the call that leads there: its line and
 * column. */
static int64_t first_error(const Elab *e, const Stmt *loop, const Withheld *h) {
  int line, column, errors = 0;
  const char *file = diag_source(e->diag, loop->span.file)->name;
  diag_locate(e->diag, loop->span, &line, &column);
  for (int i = 0; i < h->message.n; i++) {
    const Message *m = &h->message.at[i];
    errors += m->severity == SEV_ERROR;
    if (errors > 1) break;
    if (errors && m->file && !strcmp(m->file, file) && m->line >= line)
      return (int64_t)m->line << 32 | m->column;
  }
  return 0;
}

/* A body with different types of its numbers, and what it had of them where it was wrong in fewest
 * places, and of these in the last ones. */
typedef struct Tries {
  Elab *e;
  NameScope *s;
  RunFn *run;
  Running x;
  ScopeThen before;
  Withheld best, alone; /* of the first run alone */
  Adoptions with;
  ScopeThen behind;
} Tries;

static int try_with(Tries *t, NumberTypes types) {
  Running x = t->x;
  x.types = types;
  bind_again(t->e, t->s, &t->before);
  const Withheld h = held_run(t->e, t->s, &x, t->run);
  const bool later = h.errors == t->best.errors &&
                     first_error(t->e, t->x.stmt, &h) > first_error(t->e, t->x.stmt, &t->best);
  if (!t->e->stop && (h.errors < t->best.errors || later))
    t->best = h, t->with = adoptions(t->e), t->behind = bound(t->e, t->s);
  return h.errors;
}

/* Returns how many errors are left of `errors`; more of them, and the types are left out again. */
static int try_more(Tries *t, NumberTypes types, int errors) {
  const Adoptions had = adoptions(t->e);
  const int found = try_with(t, types);
  if (found < errors) return found;
  *t->e->adopted = had;
  return errors;
}

/* With what the first run alone makes of numbers, then with each other type that the entry has of
 * what that leaves numbers: of reals, of integers. */
static void try_types(Tries *t) {
  Elab *e = t->e;
  const Adoptions none = adoptions(e);
  Running first = t->x;
  int errors = t->best.errors;
  first.peels = true;
  bind_again(e, t->s, &t->before);
  e->peels++;
  t->alone = held_run(e, t->s, &first, t->run);
  e->peels--;
  if (e->adopted->changes != none.changes && !e->stop) {
    const int found = try_with(t, (NumberTypes){0});
    if (found > errors) *e->adopted = none;
    errors = found > errors ? errors : found;
  }
  const uint32_t seen = types_seen(e);
  for (DType u = 0; u < DT_COUNT && errors && !e->stop; u++) {
    if (!(seen >> u & 1) || u == DT_F32 || u == DT_I64) continue;
    if (dtype_is_float(u) && !dtype_is_complex(u) && !dtype_is_stored(u))
      errors = try_more(t, (NumberTypes){.real = u}, errors);
    if (dtype_is_int(u)) errors = try_more(t, (NumberTypes){.whole = u}, errors);
  }
}

static bool has_numbers(Elab *e, const NameScope *s, const Running *x) {
  const Stmt *stmt = x->stmt;
  return carries_number(e, s, x->body) || stmt->other.n ||
         (stmt->kind == ST_REPEAT && stmt->name.text);
}

void adopt_run(Elab *e, NameScope *s, const Running *x, RunFn *run) {
  if (!has_numbers(e, s, x)) {
    run(e, s, x);
    return;
  }
  Tries t = {.e = e, .s = s, .run = run, .x = *x, .before = bound(e, s)};
  t.best = held_run(e, s, x, run);
  if (t.best.errors && !e->stop && e->in_vain < MOST_IN_VAIN) {
    t.with = adoptions(e), t.behind = bound(e, s);
    const int changes = t.with.changes, errors = t.best.errors;
    try_types(&t);
    *e->adopted = t.with;
    bind_again(e, s, &t.behind);
    if (t.with.changes != changes) e->adopted->region = x->stmt->span;
    if (t.best.errors == errors) e->in_vain++;
  }
  /* What is wrong with the numbers themselves is no matter of their types. */
  const bool alone = t.alone.errors && t.alone.errors == t.best.errors;
  diag_show(e->diag, alone ? &t.alone : &t.best);
}
