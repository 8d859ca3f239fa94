/* dtgc.h: what a host can give wrongly besides the text, found before anything is compiled. Law: a
 * wrong argument is DTGC_BAD_ARGUMENT with a reason, and nothing has been done. */
#include "program.h"
#include <string.h>

static const char *const transports[] = {"threads", "mpi", "self"};

static const char *text_name(const void *table, int i) { return ((const char *const *)table)[i]; }

static dtgc_status check_texts(dtgc_program *p, const char *what, const char *const *at, int n) {
  if (n < 0) return program_fail(p, DTGC_BAD_ARGUMENT, "n%ss is %d", what, n);
  if (n && !at)
    return program_fail(p, DTGC_BAD_ARGUMENT, "%s is NULL, but n%ss is %d", what, what, n);
  for (int i = 0; i < n; i++)
    if (!at[i]) return program_fail(p, DTGC_BAD_ARGUMENT, "%s[%d] is NULL", what, i);
  return DTGC_OK;
}

static dtgc_status check_transport(dtgc_program *p, const char *name) {
  for (int i = 0; name && i < 3; i++)
    if (strcmp(name, transports[i]) == 0) return DTGC_OK;
  if (!name) return DTGC_OK;
  const char *near = inspect_near(name, text_name, transports, 3);
  return near ? program_fail(p, DTGC_BAD_ARGUMENT, "unknown transport `%s`: do you mean `%s`?",
                             name, near)
              : program_fail(p, DTGC_BAD_ARGUMENT,
                             "unknown transport `%s`: it is threads, mpi or self", name);
}

static dtgc_status check_options(dtgc_program *p, const dtgc_options *o) {
  dtgc_status s = DTGC_OK;
  if ((s = check_texts(p, "define", o->define, o->ndefines)) ||
      (s = check_texts(p, "layout", o->layout, o->nlayouts)) ||
      (s = check_texts(p, "import_dir", o->import_dir, o->nimport_dirs)) ||
      (s = check_transport(p, o->transport)))
    return s;
  if (o->devices_per_rank < 0)
    return program_fail(p, DTGC_BAD_ARGUMENT, "devices_per_rank is %d", o->devices_per_rank);
  if (!(o->timeout <= 1e9)) /* not a number, too */
    return program_fail(p, DTGC_BAD_ARGUMENT, "timeout is %g seconds", o->timeout);
  if (o->check_nan < DTGC_CHECK_OFF || o->check_nan > DTGC_CHECK_FULL)
    return program_fail(p, DTGC_BAD_ARGUMENT, "check_nan is %d", o->check_nan);
  if (o->machine && !o->machine->name && !o->machine->text)
    return program_fail(p, DTGC_BAD_ARGUMENT, "machine has neither a name nor a text");
  if (o->variant_of && !o->variant_of->compiled)
    return program_fail(p, DTGC_BAD_ARGUMENT, "variant_of is a program that did not compile");
  if (o->mpi_comm && o->transport && strcmp(o->transport, "mpi") != 0)
    return program_fail(p, DTGC_BAD_ARGUMENT, "mpi_comm is given, but the transport is %s",
                        o->transport);
  char *error = NULL;
  if (o->cpu && !jit_check_cpu(o->cpu, &error))
    return program_fail_with(p, DTGC_BAD_ARGUMENT, error);
  return DTGC_OK;
}

dtgc_status check_arguments(dtgc_program *p, const dtgc_source *source, int n,
                            const dtgc_options *o) {
  if (n < 1) return program_fail(p, DTGC_BAD_ARGUMENT, "there is no source to compile");
  if (!source) return program_fail(p, DTGC_BAD_ARGUMENT, "the sources are NULL");
  for (int i = 0; i < n; i++)
    if (!source[i].name && !source[i].text)
      return program_fail(p, DTGC_BAD_ARGUMENT, "source %d has neither a name nor a text", i);
  return o ? check_options(p, o) : DTGC_OK;
}

dtgc_status check_mesh(dtgc_program *p) {
  int64_t n = mesh_devices(&p->program->mesh);
  if (n == 1 || p->single || !p->transport || strcmp(p->transport, "self") != 0) return DTGC_OK;
  return program_fail(p, DTGC_BAD_ARGUMENT,
                      "transport `self` is for one device, but the mesh has %lld", (long long)n);
}

static bool same_mesh(const Mesh *a, const Mesh *b) {
  if (a->naxes != b->naxes) return false;
  for (int i = 0; i < a->naxes; i++)
    if (a->axis[i].size != b->axis[i].size || strcmp(a->axis[i].name, b->axis[i].name) != 0)
      return false;
  return true;
}

dtgc_status check_variant(dtgc_program *p, const dtgc_program *base) {
  if (!same_mesh(&p->program->mesh, &base->program->mesh))
    return program_fail(p, DTGC_BAD_ARGUMENT, "variant_of has another mesh");
  for (int i = 0; i < p->nvars; i++) {
    int k = dtgc_find_var(base, p->vars[i].name);
    if (k < 0) continue;
    char mine[TENSOR_TEXT], other[TENSOR_TEXT];
    inspect_text(&p->vars[i], mine, sizeof mine);
    inspect_text(&base->vars[k], other, sizeof other);
    if (strcmp(mine, other) != 0 || p->vars[i].trainable != base->vars[k].trainable)
      return program_fail(
          p, DTGC_BAD_ARGUMENT,
          "variable `%s` is a %s %s here, but a %s %s in variant_of: the two cannot share it",
          p->vars[i].name, p->vars[i].trainable ? "param" : "state", mine,
          base->vars[k].trainable ? "param" : "state", other);
  }
  return DTGC_OK;
}
