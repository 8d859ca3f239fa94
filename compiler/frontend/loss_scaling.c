/* Under `precision f16, master f32` losses are scaled by themselves: gradients in f16 end at 6e-8.
 * What is bound to a name and has minimize(loss) and update(grads) over some parameters, as all
 * optimizers do, gets a `loss_scaled` of "optim" beside it, `opt.loss_scaled`, whose minimize is
 * called in place of its own. One that the program makes itself is left as it is. */
#include "elaborate.h"
#include <string.h>

static bool in_f16(const Elab *e) {
  for (int i = 0; i < e->program->precisions.n; i++) {
    const Precision *p = &e->program->precisions.at[i];
    if (p->activations && p->dtype == DT_F16) return true;
  }
  return false;
}

static Binding *find_name(const Elab *e, const NameScope *s, const char *name) {
  return scope_find(s, name_of(e->names, name, strlen(name)));
}

/* The library's. */
static const Def *find_layer(const Elab *e) {
  for (int i = 0; i < e->modules.n; i++) {
    const Module *m = e->modules.at[i];
    if (!m->library) continue;
    const Binding *b = find_name(e, &m->scope, "loss_scaled");
    if (b && b->value.kind == V_LAYER) return b->value.def;
  }
  return NULL;
}

void loss_scaling_of(Elab *e, Instance *in) {
  if (in->scaled || !in_f16(e) || !call_find_method(in, "minimize")) return;
  const Def *def = find_layer(e);
  const Binding *over = find_name(e, &in->scope, "over");
  if (in->def == def) return;
  if (!def || !over || !call_find_method(in, "update")) {
    diag_warning(e->diag, in->span,
                 "losses that %s minimizes are not scaled, so small gradients vanish in f16: %s",
                 in->path,
                 def ? "that takes a layer over parameters named `over`, with update(grads)"
                     : "import \"optim\", which does that");
    return;
  }
  const char *base = e->base;
  e->base = path_join(e, in->path, "loss_scaled");
  const Actual a[] = {{.span = in->span, .value = {.kind = V_INSTANCE, .instance = in}},
                      {.span = in->span, .value = over->value}};
  const Value v = call_layer(e, def, in->span, a, 2);
  e->base = base;
  if (v.kind != V_INSTANCE) return;
  in->scaled = v.instance;
  const Ident name = {name_of(e->names, "loss_scaled", strlen("loss_scaled")), in->span};
  if (!scope_find(&in->scope, name.text)) scope_bind(e, &in->scope, name, v);
}

const Method *loss_scaling_method(const Method *m) {
  if (!m->instance->scaled || strcmp(m->stmt->name.text, "minimize")) return m;
  return call_find_method(m->instance->scaled, "minimize");
}
