/* dtgc.h, "look inside": the declarations of a program, as tables made once after the front end.
 * They do not refer to the graphs, which the passes replace. */
#include "program.h"
#include <stdio.h>
#include <string.h>

#define DTYPE(ID, ...) _Static_assert((int)DTGC_##ID == DTRT_##ID, "dtgc.h and dtrt.h");
#include "dtypes.def"

const char *dtgc_dtype_name(dtgc_dtype t) {
  return (int)t >= 0 && (int)t < DT_COUNT ? dtype_name((DType)t) : "?";
}

/* Also of a const program: the reason of an error is kept in it. */
#define tell(p, ...) program_fail((dtgc_program *)(p), DTGC_BAD_ARGUMENT, __VA_ARGS__)

static dtgc_tensor tensor_of(Arena *a, const char *name, DType t, const Shape *s, bool trainable) {
  int64_t *shape = arena_array(a, int64_t, s->rank > 0 ? s->rank : 1), count = shape_count(s);
  memcpy(shape, s->dim, sizeof *shape * (size_t)s->rank);
  return (dtgc_tensor){.name = name,
                       .dtype = (dtgc_dtype)t,
                       .rank = s->rank,
                       .shape = shape,
                       .count = count,
                       .bytes = (size_t)count * (size_t)dtype_size(t),
                       .trainable = trainable};
}

static void entry_make(dtgc_program *p, const Entry *e, EntryInfo *out) {
  Arena *a = p->arena;
  dtgc_tensor *in = arena_array(a, dtgc_tensor, e->inputs.n + 1);
  dtgc_tensor *to = arena_array(a, dtgc_tensor, e->outputs.n + 1);
  for (int i = 0; i < e->inputs.n; i++) {
    const Node *n = graph_node(e->graph, e->inputs.at[i].node);
    in[i] = tensor_of(a, e->inputs.at[i].name, n->dtype, &n->shape, false);
  }
  for (int i = 0; i < e->outputs.n; i++) {
    const Node *n = graph_node(e->graph, e->outputs.at[i].node);
    to[i] = tensor_of(a, e->outputs.at[i].name, n->dtype, &n->shape, false);
  }
  *out = (EntryInfo){e->name, e->inputs.n, e->outputs.n, in, to};
}

void inspect_make(dtgc_program *p) {
  const Program *g = p->program;
  p->entries = arena_array(p->arena, EntryInfo, g->entries.n + 1);
  for (int i = 1; i < g->entries.n; i++)
    entry_make(p, &g->entries.at[i], &p->entries[p->nentries++]);
  p->vars = arena_array(p->arena, dtgc_tensor, g->vars.n + 1);
  for (int i = 0; i < g->vars.n; i++) {
    const Var *v = &g->vars.at[i];
    p->vars[p->nvars++] = tensor_of(p->arena, v->path, v->dtype, &v->shape, v->trainable);
  }
}

const char *inspect_near(const char *typed, const char *(*name)(const void *table, int i),
                         const void *table, int n) {
  const char *best = NULL;
  int most = (int)strlen(typed) / 3 + 1, least = most + 1;
  for (int i = 0; i < n; i++) {
    int d = str_distance(typed, name(table, i), most);
    if (d < least) least = d, best = name(table, i);
  }
  return best;
}

void inspect_text(const dtgc_tensor *t, char *out, size_t n) {
  size_t at = (size_t)snprintf(out, n, "%s[", dtgc_dtype_name(t->dtype));
  for (int d = 0; d < t->rank && at < n; d++)
    at += (size_t)snprintf(out + at, n - at, "%s%lld", d ? ", " : "", (long long)t->shape[d]);
  if (at < n) snprintf(out + at, n - at, "]");
}

const EntryInfo *inspect_entry(const dtgc_program *p, const char *name) {
  static const EntryInfo init = {.name = "init"};
  for (int i = 0; i < p->nentries; i++)
    if (strcmp(p->entries[i].name, name) == 0) return &p->entries[i];
  return p->compiled && strcmp(name, init.name) == 0 ? &init : NULL;
}

static const char *entry_name(const void *table, int i) {
  return ((const EntryInfo *)table)[i].name;
}

dtgc_status inspect_no_entry(const dtgc_program *p, const char *entry) {
  const char *near = inspect_near(entry, entry_name, p->entries, p->nentries);
  return tell(p, "unknown entry `%s`%s%s%s", entry, near ? ": do you mean `" : "", near ? near : "",
              near ? "`?" : "");
}

int dtgc_entries(const dtgc_program *p) { return p ? p->nentries : 0; }

const char *dtgc_entry(const dtgc_program *p, int i) {
  return p && i >= 0 && i < p->nentries ? p->entries[i].name : NULL;
}

int dtgc_inputs(const dtgc_program *p, const char *entry) {
  const EntryInfo *e = p && entry ? inspect_entry(p, entry) : NULL;
  return e ? e->nin : -1;
}

int dtgc_outputs(const dtgc_program *p, const char *entry) {
  const EntryInfo *e = p && entry ? inspect_entry(p, entry) : NULL;
  return e ? e->nout : -1;
}

static dtgc_status take_tensor(const dtgc_program *p, const EntryInfo *e, const char *entry,
                               const char *what, const dtgc_tensor *from, int n, int i,
                               dtgc_tensor *out) {
  if (!p) return DTGC_BAD_ARGUMENT;
  if (!entry || !out) return tell(p, "%s is NULL", entry ? "out" : "entry");
  if (!e) return inspect_no_entry(p, entry);
  if (i < 0 || i >= n) return tell(p, "there is no %s %d: entry `%s` has %d", what, i, entry, n);
  *out = from[i];
  return DTGC_OK;
}

dtgc_status dtgc_input(const dtgc_program *p, const char *entry, int i, dtgc_tensor *out) {
  const EntryInfo *e = p && entry ? inspect_entry(p, entry) : NULL;
  return take_tensor(p, e, entry, "input", e ? e->in : NULL, e ? e->nin : 0, i, out);
}

dtgc_status dtgc_output(const dtgc_program *p, const char *entry, int i, dtgc_tensor *out) {
  const EntryInfo *e = p && entry ? inspect_entry(p, entry) : NULL;
  return take_tensor(p, e, entry, "output", e ? e->out : NULL, e ? e->nout : 0, i, out);
}

int64_t dtgc_devices(const dtgc_program *p) {
  return p && p->compiled ? mesh_devices(&p->program->mesh) : 0;
}

int dtgc_vars(const dtgc_program *p) { return p ? p->nvars : 0; }

dtgc_status dtgc_var(const dtgc_program *p, int i, dtgc_tensor *out) {
  if (!p) return DTGC_BAD_ARGUMENT;
  if (!out) return tell(p, "out is NULL");
  if (i < 0 || i >= p->nvars)
    return tell(p, "there is no variable %d: the program has %d", i, p->nvars);
  *out = p->vars[i];
  return DTGC_OK;
}

int dtgc_find_var(const dtgc_program *p, const char *path) {
  for (int i = 0; p && path && i < p->nvars; i++)
    if (strcmp(p->vars[i].name, path) == 0) return i;
  return -1;
}

size_t dtgc_size_of(const char *type) {
  static const struct {
    const char *name;
    size_t bytes;
  } sizes[] = {{"options", sizeof(dtgc_options)},
               {"source", sizeof(dtgc_source)},
               {"buffer", sizeof(dtgc_buffer)},
               {"tensor", sizeof(dtgc_tensor)},
               {"message", sizeof(dtgc_message)},
               {"time", sizeof(dtgc_time)},
               {"memory", sizeof(dtgc_memory)},
               {"calibration", sizeof(dtgc_calibration)},
               {"block", sizeof(dtgc_block)},
               {"feed", sizeof(dtgc_feed)},
               {"rows", sizeof(dtgc_rows)},
               {"metric", sizeof(dtgc_metric)},
               {"pass", sizeof(dtgc_pass)},
               {"fit_options", sizeof(dtgc_fit_options)},
               {"progress", sizeof(dtgc_progress)},
               {"save_options", sizeof(dtgc_save_options)},
               {"verify_options", sizeof(dtgc_verify_options)},
               {"restore_options", sizeof(dtgc_restore_options)}};
  for (size_t i = 0; type && i < sizeof sizes / sizeof *sizes; i++)
    if (strcmp(sizes[i].name, type) == 0) return sizes[i].bytes;
  return 0;
}
