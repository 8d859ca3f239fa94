/* dtgc.h: layouts of tensors: the mesh, layouts, the box that a device holds. All of it is read
 * from the plan: no code is generated and no device started. */
#include "place.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* -------- the mesh -------- */

int dtgc_axes(const dtgc_program *p) { return p && p->compiled ? p->program->mesh.naxes : 0; }

dtgc_status dtgc_axis(dtgc_program *p, int i, const char **name, int64_t *size) {
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  const Mesh *m = &p->program->mesh;
  if (i < 0 || i >= m->naxes)
    return program_fail(p, DTGC_BAD_ARGUMENT, "there is no axis %d: the mesh has %d", i, m->naxes);
  if (name) *name = m->axis[i].name;
  if (size) *size = m->axis[i].size;
  return DTGC_OK;
}

dtgc_status place_device(dtgc_program *p, int64_t device, int *coord) {
  const Mesh *m = &p->program->mesh;
  int64_t n = mesh_devices(m);
  if (device < 0 || device >= n)
    return program_fail(p, DTGC_BAD_ARGUMENT, "there is no device %lld: the mesh has %lld",
                        (long long)device, (long long)n);
  for (int i = m->naxes - 1; i >= 0; i--) {
    coord[i] = (int)(device % m->axis[i].size);
    device /= m->axis[i].size;
  }
  return DTGC_OK;
}

dtgc_status dtgc_coordinates(dtgc_program *p, int64_t device, int64_t *at) {
  int coord[MAX_AXES] = {0};
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (!s && !at) s = program_fail(p, DTGC_BAD_ARGUMENT, "at is NULL");
  if (!s) s = place_device(p, device, coord);
  for (int i = 0; !s && i < p->program->mesh.naxes; i++) at[i] = coord[i];
  return s;
}

/* -------- tensors -------- */

static const char *tensor_name(const void *table, int i) {
  return ((const dtgc_tensor *)table)[i].name;
}

static int find(const dtgc_tensor *t, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (strcmp(t[i].name, name) == 0) return i;
  return -1;
}

static dtgc_status no_tensor(dtgc_program *p, const EntryInfo *e, const char *name) {
  const char *near = e ? inspect_near(name, tensor_name, e->in, e->nin)
                       : inspect_near(name, tensor_name, p->vars, p->nvars);
  if (!near && e) near = inspect_near(name, tensor_name, e->out, e->nout);
  return program_fail(p, DTGC_BAD_ARGUMENT, "%s%s%s `%s`%s%s%s", e ? "entry `" : "there is no",
                      e ? e->name : "", e ? "` has no input or output" : " variable", name,
                      near ? ": do you mean `" : "", near ? near : "", near ? "`?" : "");
}

/* As emit_c writes it into the tables. */
static void place_in_entry(const dtgc_program *p, const EntryInfo *e, int in, int out, Placed *to) {
  const LocalEntry *le = &p->plan->entries.at[0];
  while (strcmp(le->entry->name, e->name) != 0) le++;
  const Node *n = graph_node(le->graph, in >= 0 ? le->input[in] : le->output[out]);
  *to = (Placed){in >= 0 ? &e->in[in] : &e->out[out], n->layout, in >= 0};
}

dtgc_status place_find(dtgc_program *p, const char *entry, const char *name, Placed *out) {
  if (!name) return program_fail(p, DTGC_BAD_ARGUMENT, "name is NULL");
  const EntryInfo *e = entry ? inspect_entry(p, entry) : NULL;
  if (entry && !e) return inspect_no_entry(p, entry);
  dtgc_status s = program_plan(p);
  if (s) return s;
  if (!e) {
    int i = find(p->vars, p->nvars, name);
    if (i < 0) return no_tensor(p, NULL, name);
    *out = (Placed){&p->vars[i], p->program->vars.at[i].layout, false};
    return DTGC_OK;
  }
  int in = find(e->in, e->nin, name), to = in < 0 ? find(e->out, e->nout, name) : -1;
  if (in < 0 && to < 0) return no_tensor(p, e, name);
  place_in_entry(p, e, in, to, out);
  return DTGC_OK;
}

void place_box(const dtgc_program *p, const Placed *t, const int *coord, PlaceBox *box) {
  box->rank = t->tensor->rank;
  box->count = 1;
  for (int d = 0; d < box->rank; d++) {
    dim_box(&p->program->mesh, &t->layout->dim[d], t->tensor->shape[d], coord, &box->lo[d],
            &box->hi[d]);
    box->count *= box->hi[d] - box->lo[d];
  }
  box->bytes =
      (size_t)box->count * (t->tensor->count ? t->tensor->bytes / (size_t)t->tensor->count : 1);
}

dtgc_status dtgc_box(dtgc_program *p, const char *entry, const char *name, int64_t device,
                     int64_t *lo, int64_t *hi, size_t *bytes) {
  Placed t;
  PlaceBox box;
  int coord[MAX_AXES] = {0};
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (!s) s = place_find(p, entry, name, &t);
  if (!s) s = place_device(p, device, coord);
  if (s) return s;
  place_box(p, &t, coord, &box);
  for (int d = 0; d < box.rank; d++) {
    if (lo) lo[d] = box.lo[d];
    if (hi) hi[d] = box.hi[d];
  }
  if (bytes) *bytes = box.bytes;
  return DTGC_OK;
}

/* -------- layouts as text -------- */

typedef struct LayoutPrint {
  const Layout *layout;
  Str out;
} LayoutPrint;

static dtgc_status layout_inside(dtgc_program *p, void *arg) {
  LayoutPrint *l = arg;
  l->out = str_new(p->arena);
  layout_put(&l->out, &p->program->mesh, l->layout);
  return DTGC_OK;
}

dtgc_status dtgc_layout(dtgc_program *p, const char *entry, const char *name, char **text) {
  Placed t;
  if (text) *text = NULL;
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!text) return program_fail(p, DTGC_BAD_ARGUMENT, "text is NULL");
  if ((s = place_find(p, entry, name, &t))) return s;
  LayoutPrint l = {.layout = t.layout};
  if ((s = program_guard(p, layout_inside, &l))) return s;
  *text = text_copy(&l.out);
  return *text ? DTGC_OK : program_fail(p, DTGC_NO_MEMORY, "out of memory");
}

/* A layout as it is written in a statement: "[(batch, model), _ by 4, ...]". */
typedef struct SpecReader {
  dtgc_program *p;
  const char *at;
  Layout out;
  uint32_t used; /* axes */
} SpecReader;

static bool take(SpecReader *r, char c) {
  while (isspace((unsigned char)*r->at)) r->at++;
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static bool word(SpecReader *r, char *to, size_t size) {
  size_t n = 0;
  while (isspace((unsigned char)*r->at)) r->at++;
  while ((isalnum((unsigned char)r->at[n]) || r->at[n] == '_') && n + 1 < size) {
    to[n] = r->at[n];
    n++;
  }
  to[n] = 0;
  r->at += n;
  return n > 0;
}

static dtgc_status read_axis(SpecReader *r, const char *name, DimLayout *d) {
  int axis = mesh_find(&r->p->program->mesh, name);
  if (axis < 0) return program_fail(r->p, DTGC_BAD_ARGUMENT, "the mesh has no axis `%s`", name);
  if (r->used & 1u << axis)
    return program_fail(r->p, DTGC_BAD_ARGUMENT, "the layout has axis `%s` twice", name);
  r->used |= 1u << axis;
  d->axis[d->naxes++] = axis;
  return DTGC_OK;
}

static dtgc_status bad_layout(SpecReader *r, const char *text) {
  return program_fail(r->p, DTGC_BAD_ARGUMENT,
                      "invalid layout `%s` at column %d (expected a form such as [batch, _])", text,
                      (int)(r->at - text) + 1);
}

static dtgc_status read_dim(SpecReader *r, const char *text, DimLayout *d) {
  char name[128];
  dtgc_status s = DTGC_OK;
  d->granule = 1;
  if (take(r, '(')) {
    do {
      if (!word(r, name, sizeof name)) return bad_layout(r, text);
      s = read_axis(r, name, d);
    } while (!s && take(r, ','));
    if (!s && !take(r, ')')) return bad_layout(r, text);
  } else if (!word(r, name, sizeof name)) {
    return bad_layout(r, text);
  } else if (strcmp(name, "_") != 0) {
    s = read_axis(r, name, d);
  }
  const char *before = r->at;
  if (s || !word(r, name, sizeof name)) return s;
  char *end = NULL;
  if (strcmp(name, "by") != 0) return r->at = before, bad_layout(r, text);
  d->granule = strtoll(r->at, &end, 10);
  if (end == r->at || d->granule < 1) return bad_layout(r, text);
  r->at = end;
  return DTGC_OK;
}

static dtgc_status read_layout(SpecReader *r, const char *text, int rank) {
  bool rest = false;
  if (!take(r, '[')) return bad_layout(r, text);
  while (!take(r, ']')) {
    if (r->out.rank && !take(r, ',')) return bad_layout(r, text);
    while (isspace((unsigned char)*r->at)) r->at++;
    if (strncmp(r->at, "...", 3) == 0) {
      r->at += 3;
      rest = true;
      if (!take(r, ']')) return bad_layout(r, text);
      break;
    }
    if (r->out.rank == rank)
      return program_fail(r->p, DTGC_BAD_ARGUMENT, "`%s` is for more than %d dim%s", text, rank,
                          rank == 1 ? "" : "s");
    dtgc_status s = read_dim(r, text, &r->out.dim[r->out.rank++]);
    if (s) return s;
  }
  while (isspace((unsigned char)*r->at)) r->at++;
  if (*r->at) return bad_layout(r, text);
  if (!rest && r->out.rank < rank)
    return program_fail(r->p, DTGC_BAD_ARGUMENT, "`%s` is for %d dim%s, not %d", text, r->out.rank,
                        r->out.rank == 1 ? "" : "s", rank);
  for (; r->out.rank < rank; r->out.rank++) r->out.dim[r->out.rank] = (DimLayout){.granule = 1};
  return DTGC_OK;
}

typedef struct LayoutCheck {
  const Placed *t;
  const char *name, *text;
} LayoutCheck;

static dtgc_status check_inside(dtgc_program *p, void *arg) {
  const LayoutCheck *c = arg;
  SpecReader r = {.p = p, .at = c->text};
  dtgc_status s = read_layout(&r, c->text, c->t->tensor->rank);
  if (s) return s;
  Shape shape = {.rank = c->t->tensor->rank};
  memcpy(shape.dim, c->t->tensor->shape, sizeof *shape.dim * (size_t)shape.rank);
  const Layout *wanted = layout_of(p->program->layouts, &r.out, &shape);
  if (wanted == c->t->layout) return DTGC_OK;
  const Mesh *m = &p->program->mesh;
  return program_fail(p, DTGC_BAD_ARGUMENT, "`%s` is laid out %s, not %s", c->name,
                      layout_text(p->arena, m, c->t->layout), layout_text(p->arena, m, wanted));
}

dtgc_status dtgc_check_layout(dtgc_program *p, const char *entry, const char *name,
                              const char *layout) {
  Placed t;
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!layout) return program_fail(p, DTGC_BAD_ARGUMENT, "layout is NULL");
  if ((s = place_find(p, entry, name, &t))) return s;
  return program_guard(p, check_inside, &(LayoutCheck){&t, name, layout});
}
