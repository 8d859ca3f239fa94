/* Which names statements bind: those that a loop or a branch that runs may have to carry (flow.c).
 */
#include "elaborate.h"

void bound_add(Elab *e, IdentVec *names, Ident name) {
  for (int i = 0; i < names->n; i++)
    if (names->at[i].text == name.text) return;
  vec_push(e->arena, names, name);
}

void bound_names(Elab *e, const StmtVec *body, bool parts, IdentVec *names) {
  for (int i = 0; i < body->n; i++) {
    const Stmt *s = body->at[i];
    for (int k = 0; !parts && s->kind == ST_BIND && k < s->targets.n; k++)
      if (s->targets.at[k]->kind == EX_NAME) bound_add(e, names, s->targets.at[k]->name);
    if (parts && s->kind == ST_ASSIGN && s->targets.at[0]->kind == EX_INDEX &&
        s->targets.at[0]->x->kind == EX_NAME)
      bound_add(e, names, s->targets.at[0]->x->name);
    bound_names(e, &s->body, parts, names);
    bound_names(e, &s->other, parts, names);
  }
}

void bound_in_vain(Elab *e, const Stmt *s) {
  bound_names(e, &s->body, false, &e->failed);
  bound_names(e, &s->other, false, &e->failed);
  if (s->kind == ST_COLLECT) bound_add(e, &e->failed, s->name);
  for (int i = 0; i < s->body.n; i++) bound_in_vain(e, s->body.at[i]);
  for (int i = 0; i < s->other.n; i++) bound_in_vain(e, s->other.at[i]);
}

/* What the top level defines is no value that could be carried, but for numbers and variables: a
 * body that binds its name has another one. */
static bool is_definition(const NameScope *s, const Binding *b) {
  const ValueKind k = b->value.kind;
  return s->module && (k == V_ENTRY || k == V_FN || k == V_LAYER || k == V_INSTANCE);
}

const Binding *bound_before(const NameScope *s, const char *name) {
  for (; s; s = s->up) {
    const Binding *b = scope_find(s, name);
    if (b && !is_definition(s, b)) return b;
  }
  return NULL;
}
