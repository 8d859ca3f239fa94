/* Converts a written mesh or layout to the compiler's form, after all checks against the mesh and
 * the number of dims. */
#include "elaborate.h"
#include <string.h>

/* -------- mesh -------- */

/* A plan takes time and memory for each device: of a million some seconds, of a size that was
 * mistyped for ever. */
static const int64_t MOST_DEVICES = 1 << 20;

static void add_axis(Elab *e, Mesh *m, NameScope *s, const AstGiven *g) {
  int64_t size;
  if (mesh_find(m, g->name.text) >= 0) {
    elab_fail(e, g->name.span, "the mesh has two axes named `%s`", g->name.text);
  } else if (m->naxes == MAX_AXES) {
    elab_fail(e, g->name.span, "a mesh has at most %d axes", MAX_AXES);
  } else if (!strcmp(g->name.text, "_")) {
    elab_fail(e, g->name.span,
              "`_` means a dim that is not split: choose another name for the axis");
  } else if (eval_size(e, s, g->value, "the size of an axis", &size)) {
    if (size < 1)
      elab_fail(e, g->value->span, "an axis requires at least one device");
    else if (size > MOST_DEVICES / mesh_devices(m))
      elab_fail(e, g->value->span, "this mesh has more than 2^20 devices");
    else {
      m->axis[m->naxes++] = (Axis){g->name.text, size, g->name.span};
      return;
    }
  }
  e->mesh_failed = true;
}

static void take_mesh(Elab *e, const Stmt *stmt, NameScope *s) {
  Mesh *m = &e->program->mesh;
  m->span = stmt->span;
  for (int i = 0; i < stmt->given.n; i++) add_axis(e, m, s, &stmt->given.at[i]);
}

void spec_mesh(Elab *e) {
  const Stmt *first = NULL;
  Module *in = NULL;
  if (e->options->mesh) {
    char *text = arena_printf(e->arena, "mesh [%s]", e->options->mesh);
    int errors = e->diag->errors;
    const char *called = e->options->command_line ? "--mesh" : "mesh";
    StmtVec v = parse_text(e->arena, e->diag, e->names, called, text, strlen(text));
    e->mesh_failed = e->diag->errors > errors;
    if (v.n == 1 && v.at[0]->kind == ST_MESH)
      take_mesh(e, v.at[0], &e->main->scope);
    else if (!e->mesh_failed)
      elab_fail(e, (Span){0}, "%s takes AXIS=SIZE,..., not `%s`", called, e->options->mesh);
    return;
  }
  for (int i = 0; i < e->modules.n; i++)
    for (int k = 0; k < e->modules.at[i]->stmts.n; k++) {
      const Stmt *s = e->modules.at[i]->stmts.at[k];
      if (s->kind != ST_MESH) continue;
      if (first) {
        elab_fail(e, s->span, "the mesh is given twice");
        diag_note(e->diag, first->span, "the first is here");
      } else {
        first = s;
        in = e->modules.at[i];
      }
    }
  if (first) take_mesh(e, first, &in->scope);
}

/* -------- axes that values name -------- */

typedef struct LayoutNaming {
  Elab *e;
  Ident at; /* where the layout names the value */
} LayoutNaming;

static bool add_axis_of(LayoutNaming *k, const Value *v, IdentVec *out) {
  Elab *e = k->e;
  const Mesh *m = &e->program->mesh;
  if (v->kind == V_NONE) return true;
  if (v->kind == V_LIST) {
    for (int i = 0; i < v->list->n; i++)
      if (!add_axis_of(k, &v->list->at[i], out)) return false;
    return true;
  }
  if (v->kind == V_ERROR) return false;
  if (v->kind != V_STRING) {
    elab_fail(e, k->at.span, "`%s` is %s; an axis is named by text, as in \"%s\"", k->at.text,
              value_describe(e, v), m->naxes ? m->axis[0].name : "model");
    return false;
  }
  Ident axis = {name_of(e->names, v->text, strlen(v->text)), k->at.span};
  if (e->mesh_failed) return false;
  if (mesh_find(m, axis.text) < 0) {
    Near near = {.want = axis.text};
    for (int i = 0; i < m->naxes; i++) near_offer(&near, m->axis[i].name);
    elab_fail(e, axis.span, "`%s` is \"%s\", but %s%s", k->at.text, axis.text,
              m->naxes ? "the mesh has no axis of that name" : "there is no mesh",
              near_text(e, &near));
    if (m->naxes) diag_note(e->diag, m->span, "the mesh is declared here");
    return false;
  }
  vec_push(e->arena, out, axis);
  return true;
}

/* Text, none, or a list of them. */
static bool may_name_axes(const Value *v) {
  if (v->kind != V_LIST) return v->kind == V_STRING || v->kind == V_NONE;
  for (int i = 0; i < v->list->n; i++)
    if (!may_name_axes(&v->list->at[i])) return false;
  return true;
}

/* What a fn, a layer or a method has bound the name to, if that may name axes: the mesh's axes go
 * before what else has their names. NULL: the name is an axis itself. */
static const Value *axis_value(Elab *e, const NameScope *s, const char *name) {
  for (; s && !s->module; s = s->up) {
    const Binding *b = scope_find(s, name);
    if (!b) continue;
    const bool axis = mesh_find(&e->program->mesh, name) >= 0;
    return may_name_axes(&b->value) || !axis ? &b->value : NULL;
  }
  return NULL;
}

static bool name_axes(Elab *e, const NameScope *s, const IdentVec *from, IdentVec *to) {
  for (int i = 0; i < from->n; i++) {
    const Value *v = axis_value(e, s, from->at[i].text);
    LayoutNaming k = {e, from->at[i]};
    if (!v)
      vec_push(e->arena, to, from->at[i]);
    else if (!add_axis_of(&k, v, to))
      return false;
  }
  return true;
}

const SpecExpr *spec_named(Elab *e, const NameScope *s, const SpecExpr *x) {
  SpecExpr *out = arena_copy(e->arena, x, sizeof *x);
  out->items = (ItemVec){0};
  out->partial = (IdentVec){0};
  for (int i = 0; i < x->items.n; i++) {
    AstItem item = x->items.at[i];
    item.axes = (IdentVec){0};
    if (!name_axes(e, s, &x->items.at[i].axes, &item.axes)) return NULL;
    if (item.kind == ITEM_AXES && !item.axes.n) item.kind = ITEM_WHOLE, item.granule = 1;
    vec_push(e->arena, &out->items, item);
  }
  return name_axes(e, s, &x->partial, &out->partial) ? out : NULL;
}

/* -------- one layout -------- */

typedef struct Making {
  Elab *e;
  Spec *spec;
  uint32_t used; /* axes so far */
  Span used_at[MAX_AXES];
} Making;

/* -1 after a report. */
static int find_axis(Elab *e, Ident name) {
  const Mesh *m = &e->program->mesh;
  int a = mesh_find(m, name.text);
  if (a >= 0 || e->mesh_failed) return a;
  for (int i = 0; e->diag->errors && i < e->no_axes.n; i++)
    if (e->no_axes.at[i].text == name.text) return -1;
  vec_push(e->arena, &e->no_axes, name);
  if (!m->naxes && !m->span.file) {
    elab_fail(
        e, name.span,
        "there is no mesh, so there is no axis `%s`; write `mesh [%s=2]`, or give --mesh %s=2",
        name.text, name.text, name.text);
    return -1;
  }
  Near near = {.want = name.text};
  for (int i = 0; i < m->naxes; i++) near_offer(&near, m->axis[i].name);
  const bool nothing = !strcmp(name.text, "None") || !strcmp(name.text, "null");
  elab_fail(e, name.span, "the mesh has no axis `%s`%s", name.text,
            nothing ? "; a dim that is not split is written `_`" : near_text(e, &near));
  diag_note(e->diag, m->span, "the mesh is declared here");
  return -1;
}

static int use_axis(Making *k, Ident name) {
  int a = find_axis(k->e, name);
  if (a < 0) return a;
  if (k->used & 1u << a) {
    elab_fail(k->e, name.span, "the axis `%s` is used twice in this layout", name.text);
    diag_note(k->e->diag, k->used_at[a], "the first use is here");
    return -1;
  }
  k->used |= 1u << a;
  k->used_at[a] = name.span;
  return a;
}

static bool make_item(Making *k, const AstItem *item, int dim, bool may_match) {
  DimLayout *d = &k->spec->dim[dim];
  d->granule = 1;
  bool match = may_match && item->kind == ITEM_AXES && item->axes.n == 1 &&
               !strcmp(item->axes.at[0].text, "match") &&
               mesh_find(&k->e->program->mesh, "match") < 0;
  if (item->kind == ITEM_OPEN || match) k->spec->open |= 1u << dim;
  if (item->kind != ITEM_AXES || match) return true;
  d->granule = item->granule;
  for (int i = 0; i < item->axes.n; i++) {
    int a = use_axis(k, item->axes.at[i]);
    if (a < 0) return false;
    d->axis[d->naxes++] = a;
  }
  return true;
}

static bool make_dims(Making *k, const SpecExpr *x, int rank, const char *what, bool may_match) {
  const ItemVec *v = &x->items;
  int rests = 0, dim = 0;
  for (int i = 0; i < rank; i++) k->spec->dim[i].granule = 1;
  for (int i = 0; i < v->n; i++)
    if (v->at[i].kind == ITEM_REST && rests++) {
      elab_fail(k->e, v->at[i].span, "`...` may occur only once in a layout");
      return false;
    }
  /* [] is the same value on every device, whatever the dims */
  if (!v->n) return true;
  int given = v->n - rests;
  if (given > rank || (!rests && given < rank)) {
    elab_fail(k->e, x->span, "this layout has %d dim%s, but %s has %d%s", given,
              given == 1 ? "" : "s", what, rank,
              given < rank ? "; `...` stands for further whole dims" : "");
    return false;
  }
  for (int i = 0; i < v->n; i++) {
    if (v->at[i].kind == ITEM_REST)
      dim += rank - given;
    else if (!make_item(k, &v->at[i], dim++, may_match))
      return false;
  }
  return true;
}

static bool reduce_from(const char *name, Reduce *out) {
  static const char *const word[] = {"sum", "max", "min", "prod"};
  for (int i = 0; i < 4; i++)
    if (!strcmp(word[i], name)) {
      *out = (Reduce)i;
      return true;
    }
  return false;
}

static bool make_partial(Making *k, const SpecExpr *x) {
  int n = x->partial.n;
  const Mesh *m = &k->e->program->mesh;
  if (n > 1 && mesh_find(m, x->partial.at[n - 1].text) < 0 &&
      reduce_from(x->partial.at[n - 1].text, &k->spec->reduce))
    n--;
  for (int i = 0; i < n; i++) {
    int a = use_axis(k, x->partial.at[i]);
    if (a < 0) return false;
    k->spec->partial |= 1u << a;
  }
  return true;
}

const Spec *spec_make(Elab *e, const SpecExpr *x, int rank, const char *what, bool may_be_partial,
                      bool may_match) {
  Spec *s = arena_new_of(e->arena, Spec);
  Making k = {.e = e, .spec = s};
  s->rank = rank;
  s->span = x->span;
  if (x->partial.n && !may_be_partial) {
    elab_fail(e, x->span, "%s cannot be partial: only a tensor inside an entry can", what);
    return NULL;
  }
  return make_dims(&k, x, rank, what, may_match) && make_partial(&k, x) ? s : NULL;
}

static bool spec_equal(const Spec *a, const Spec *b) {
  if (a->rank != b->rank || a->open != b->open || a->partial != b->partial) return false;
  if (a->partial && a->reduce != b->reduce) return false;
  for (int i = 0; i < a->rank; i++)
    if (!dim_equal(&a->dim[i], &b->dim[i])) return false;
  return true;
}

static bool is_open(const Spec *s, int dim) { return s->open & 1u << dim; }

const Spec *spec_both(Arena *a, const Spec *x, const Spec *y) {
  uint32_t used = x->partial;
  if (spec_equal(x, y)) return y;
  if (x->partial != y->partial || (x->partial && x->reduce != y->reduce)) return NULL;
  Spec *both = arena_copy(a, x, sizeof *x);
  bool changed = false;
  for (int d = 0; d < x->rank; d++) {
    if (is_open(x, d) && !is_open(y, d)) {
      both->dim[d] = y->dim[d];
      both->open &= ~(1u << d);
      changed = true;
    } else if (!is_open(x, d) && !is_open(y, d) && !dim_equal(&x->dim[d], &y->dim[d])) {
      return NULL;
    }
    for (int i = 0; i < both->dim[d].naxes; i++) {
      if (used & 1u << both->dim[d].axis[i]) return NULL;
      used |= 1u << both->dim[d].axis[i];
    }
  }
  if (changed) both->span = y->span;
  return changed ? both : x;
}
