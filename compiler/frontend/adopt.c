/* Numbers that take a type: of `total = 0` before a loop that adds f64 to it. A number that a
 * region carries is an i64, an f32 or a bool; where its body does not go with that, the first run
 * is built alone, of the number itself, as if it were unrolled. What that makes of the number is
 * what the region carries, if it is wrong in fewer places then. In that first run, a number that a
 * region within makes of one is a number behind it, too (`if c { total = 0 }`).
 *
 * What was built in vain is left in the graph and in variables' versions. So a program in which a
 * number has taken a type is elaborated again (elaborate.c), with what was found: its key says
 * where, in which calls and turns of `for`. Programs without errors are elaborated once. */
#include "flow.h"
#include "op.h"
#include <string.h>

/* Tries that helped nothing, of loops within loops with a mistake in them. */
enum { MOST_IN_VAIN = 1000 };

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

NodeId adopt_first(Elab *e, const Value *v, uint64_t key, Span at) {
  const Adopted *a = find(e, key);
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
  Adopted *had = find(e, key), a = {.key = key};
  if (!type_of(e, number, to, &a.type)) return;
  if (had && had->type.dtype == a.type.dtype && shape_equal(&had->type.shape, &a.type.shape))
    return;
  e->adopted->changes++;
  if (had)
    *had = a;
  else
    vec_push(e->arena, &e->adopted->at, a);
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
  return h;
}

/* Whether it is wrong in fewer places with the types that the first run alone makes of numbers. */
static bool adopts(Elab *e, NameScope *s, const Running *x, RunFn *run, const ScopeThen *before,
                   int errors) {
  const int changes = e->adopted->changes;
  Running first = *x;
  first.peels = true;
  e->peels++;
  held_run(e, s, &first, run);
  e->peels--;
  bind_again(e, s, before);
  if (e->stop || e->adopted->changes == changes) return false;
  const Withheld again = held_run(e, s, x, run);
  if (again.errors >= errors) return false;
  diag_show(e->diag, &again);
  e->adopted->region = x->stmt->span;
  return true;
}

void adopt_run(Elab *e, NameScope *s, const Running *x, RunFn *run) {
  if (!carries_number(e, s, x->body) && !x->stmt->other.n) {
    run(e, s, x);
    return;
  }
  const ScopeThen before = bound(e, s);
  const Withheld held = held_run(e, s, x, run);
  if (held.errors && !e->stop && e->in_vain < MOST_IN_VAIN) {
    const ScopeThen behind = bound(e, s);
    const Adoptions had = adoptions(e);
    bind_again(e, s, &before);
    if (adopts(e, s, x, run, &before, held.errors)) return;
    *e->adopted = had;
    e->in_vain++;
    bind_again(e, s, &behind);
  }
  diag_show(e->diag, &held);
}
