/* `break` and `continue` in loops, as names that they set and what follows asks for:
 *
 *   while c {                          stop = false
 *     a                                while not stop and c {      c only where not stop
 *     if d { b; break }         is       a
 *     f                                  if d { b; stop = true }
 *   }                                    if not stop { f }
 *                                      }
 *
 * `continue` sets a name that each run begins with as false. No text has these names. In a `for`
 * they are known while compiling where the conditions are; where not, its other turns are branches.
 */
#include "flow.h"
#include "op.h"
#include <string.h>

typedef struct JumpNames {
  Elab *e;
  Ident stop, skip; /* `text` NULL: not met */
} JumpNames;

static const char *jump_of(const Stmt *s) {
  static const char *const word[] = {"break", "continue"};
  for (int i = 0; s->kind == ST_EXPR && s->value->kind == EX_NAME && i < 2; i++)
    if (!strcmp(s->value->name.text, word[i])) return word[i];
  return NULL;
}

/* Jumps of loops within are theirs. */
static bool jumps(const Stmt *s) {
  if (s->kind != ST_IF) return jump_of(s) != NULL;
  for (int i = 0; i < s->body.n; i++)
    if (jumps(s->body.at[i])) return true;
  for (int i = 0; i < s->other.n; i++)
    if (jumps(s->other.at[i])) return true;
  return false;
}

static AstExpr *expr(Elab *e, AstExpr x) { return arena_copy(e->arena, &x, sizeof x); }

static AstExpr *name_again(Elab *e, Ident name) {
  return expr(e, (AstExpr){.kind = EX_NAME, .span = name.span, .name = name});
}

static Stmt *set(Elab *e, Ident name, bool to) {
  Stmt s = {.kind = ST_BIND, .span = name.span};
  vec_push(e->arena, &s.targets, name_again(e, name));
  s.value = expr(e, (AstExpr){.kind = EX_BOOL, .span = name.span, .i = to});
  return arena_copy(e->arena, &s, sizeof s);
}

static Stmt *unless(Elab *e, Ident name, Stmt *body) {
  AstExpr *x = name_again(e, name);
  Stmt s = {.kind = ST_IF, .span = name.span, .rest = true};
  s.value =
      expr(e, (AstExpr){.kind = EX_UNARY, .op = op_operator("not", 1), .span = name.span, .x = x});
  vec_push(e->arena, &s.body, body);
  return arena_copy(e->arena, &s, sizeof s);
}

static void rewrite(JumpNames *r, const StmtVec *body, int from, StmtVec *out);

static void jump(JumpNames *r, const Stmt *s, const char *word, bool last, StmtVec *out) {
  Ident *name = *word == 'b' ? &r->stop : &r->skip;
  vec_push(r->e->arena, out, set(r->e, (Ident){name->text, s->span}, true));
  if (!last) elab_fail(r->e, s->span, "what follows `%s` in the same block is never run", word);
}

static Stmt *rewritten_if(JumpNames *r, const Stmt *s) {
  Stmt copy = *s;
  copy.body = copy.other = (StmtVec){0};
  rewrite(r, &s->body, 0, &copy.body);
  rewrite(r, &s->other, 0, &copy.other);
  return arena_copy(r->e->arena, &copy, sizeof copy);
}

/* What follows an `if` that may jump is run unless it has. */
static void rest(JumpNames *r, const StmtVec *body, int from, Span at, StmtVec *out) {
  Elab *e = r->e;
  Stmt all = {.kind = ST_IF, .span = at};
  all.value = expr(e, (AstExpr){.kind = EX_BOOL, .span = at, .i = true});
  rewrite(r, body, from, &all.body);
  Stmt *s = arena_copy(e->arena, &all, sizeof all);
  if (r->skip.text) s = unless(e, (Ident){r->skip.text, at}, s);
  if (r->stop.text) s = unless(e, (Ident){r->stop.text, at}, s);
  vec_push(e->arena, out, s);
}

static void rewrite(JumpNames *r, const StmtVec *body, int from, StmtVec *out) {
  for (int i = from; i < body->n; i++) {
    Stmt *s = body->at[i];
    const char *word = jump_of(s);
    if (word) {
      jump(r, s, word, i + 1 == body->n, out);
      return;
    }
    if (!jumps(s)) {
      vec_push(r->e->arena, out, s);
      continue;
    }
    vec_push(r->e->arena, out, rewritten_if(r, s));
    if (i + 1 < body->n) rest(r, body, i + 1, s->span, out);
    return;
  }
}

static void find(JumpNames *r, const StmtVec *body) {
  for (int i = 0; i < body->n; i++) {
    const Stmt *s = body->at[i];
    const char *word = jump_of(s);
    if (word && *word == 'b') r->stop = (Ident){arena_printf(r->e->arena, "(break)"), s->span};
    if (word && *word == 'c') r->skip = (Ident){arena_printf(r->e->arena, "(continue)"), s->span};
    if (s->kind == ST_IF) find(r, &s->body), find(r, &s->other);
  }
}

Jumps jumps_begin(Elab *e, NameScope *s, const Stmt *stmt) {
  JumpNames r = {.e = e};
  Jumps j = {.body = stmt->body};
  find(&r, &stmt->body);
  if (!r.stop.text && !r.skip.text) return j;
  j.body = (StmtVec){0}, j.stop = r.stop, j.skip = r.skip;
  if (r.skip.text) vec_push(e->arena, &j.body, set(e, r.skip, false));
  rewrite(&r, &stmt->body, 0, &j.body);
  if (j.stop.text) scope_bind(e, s, j.stop, (Value){.kind = V_BOOL});
  return j;
}

void jumps_end(NameScope *s, const Jumps *j) {
  if (j->stop.text) scope_drop(s, j->stop.text);
  if (j->skip.text) scope_drop(s, j->skip.text);
}

Value jumps_met(const NameScope *s, const Jumps *j) {
  return j->stop.text ? scope_find(s, j->stop.text)->value : value_none;
}

NodeId jumps_none(Elab *e, const NameScope *in, const Jumps *j) {
  const Arg stop = tensor_arg(jumps_met(in, j).node);
  return build_operator(&e->at->build, op_operator("not", 1), &stop, NULL).node;
}

NodeId jumps_and(Elab *e, const NameScope *in, const Jumps *j, NodeId condition) {
  if (!j->stop.text || condition == NO_NODE) return condition;
  const Arg goes = tensor_arg(condition), none = tensor_arg(jumps_none(e, in, j));
  return build_operator(&e->at->build, op_operator("and", 2), &goes, &none).node;
}
