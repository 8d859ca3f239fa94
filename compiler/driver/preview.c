/* dtgc.h: checks a command line before any code is generated. The runtime checks it with the
 * tables that the code would have. */
#include "program.h"

static dtrt_tensor preview_tensor(Arena *a, const dtgc_tensor *t, const char *const *dim_const) {
  dtrt_layout *l = arena_new_of(a, dtrt_layout);
  dtrt_dim *dim = arena_array(a, dtrt_dim, t->rank + 1);
  for (int d = 0; d < t->rank; d++) dim[d] = (dtrt_dim){.n = t->shape[d], .granule = 1};
  *l = (dtrt_layout){.rank = t->rank, .dim = dim};
  return (dtrt_tensor){.name = t->name,
                       .dtype = (int32_t)t->dtype,
                       .layout = l,
                       .bytes = (int64_t)t->bytes,
                       .dim_const = dim_const};
}

static dtrt_entry preview_entry(Arena *a, const EntryInfo *e, const Entry *of) {
  dtrt_tensor *in = arena_array(a, dtrt_tensor, e->nin + 1);
  dtrt_tensor *out = arena_array(a, dtrt_tensor, e->nout + 1);
  for (int i = 0; i < e->nin; i++) in[i] = preview_tensor(a, &e->in[i], of->inputs.at[i].dim_const);
  for (int i = 0; i < e->nout; i++) out[i] = preview_tensor(a, &e->out[i], NULL);
  return (dtrt_entry){.name = e->name,
                      .nin = e->nin,
                      .nout = e->nout,
                      .assigns = of->assigns.n > 0,
                      .in = in,
                      .out = out};
}

typedef struct Preview {
  int argc, status;
  char **argv;
} Preview;

static dtgc_status preview(dtgc_program *p, void *arg) {
  Preview *v = arg;
  dtrt_entry *entry = arena_array(p->arena, dtrt_entry, p->nentries + 1);
  entry[0] = (dtrt_entry){.name = "init"};
  for (int i = 0; i < p->nentries; i++)
    entry[i + 1] = preview_entry(p->arena, &p->entries[i], &p->program->entries.at[i + 1]);
  const Mesh *m = &p->program->mesh;
  const char **axis = arena_array(p->arena, const char *, m->naxes + 1);
  int32_t *size = arena_array(p->arena, int32_t, m->naxes + 1);
  for (int i = 0; i < m->naxes; i++) axis[i] = m->axis[i].name, size[i] = (int32_t)m->axis[i].size;
  dtrt_program code = {.abi = DTRT_ABI,
                       .name = p->name,
                       .naxes = m->naxes,
                       .axis_name = axis,
                       .axis_size = size,
                       .nentries = p->nentries + 1,
                       .entry = entry};
  v->status = dtrt_check_main(v->argc, v->argv, &code);
  return DTGC_OK;
}

int dtgc_check_main(dtgc_program *p, int argc, char **argv) {
  Preview v = {argc, -1, argv};
  if (program_begin(p) || argc < 0 || !argv) return -1;
  return program_guard(p, preview, &v) ? -1 : v.status;
}
