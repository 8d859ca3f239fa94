/* dtgc.h: invalid arguments of a host other than the text, found before anything is compiled.
 * Invariant: a wrong argument is DTGC_BAD_ARGUMENT with a reason, and nothing was done. */
#include "program.h"
#include <string.h>

enum { CORES_MOST = 1024 }; /* of a device: CREW_MOST of the runtime */
static const char *const transports[] = {"threads", "mpi", "self"};
static const char *const loaders[] = {"own", "llvm", "perf"};

static const char *text_name(const void *table, int i) { return ((const char *const *)table)[i]; }

static dtgc_status check_texts(dtgc_program *p, const char *what, const char *const *at, int n) {
  if (n < 0) return program_fail(p, DTGC_BAD_ARGUMENT, "n%ss is %d", what, n);
  if (n && !at)
    return program_fail(p, DTGC_BAD_ARGUMENT, "%s is NULL, but n%ss is %d", what, what, n);
  for (int i = 0; i < n; i++)
    if (!at[i]) return program_fail(p, DTGC_BAD_ARGUMENT, "%s[%d] is NULL", what, i);
  return DTGC_OK;
}

/* NULL, or one of three. */
static dtgc_status check_name(dtgc_program *p, const char *what, const char *name,
                              const char *const *of) {
  for (int i = 0; name && i < 3; i++)
    if (strcmp(name, of[i]) == 0) return DTGC_OK;
  if (!name) return DTGC_OK;
  const char *near = inspect_near(name, text_name, of, 3);
  return near ? program_fail(p, DTGC_BAD_ARGUMENT, "unknown %s `%s`: do you mean `%s`?", what, name,
                             near)
              : program_fail(p, DTGC_BAD_ARGUMENT, "unknown %s `%s`: it is %s, %s or %s", what,
                             name, of[0], of[1], of[2]);
}

static const char *optimization_name(const void *table, int i) {
  (void)table;
  return pipeline_optimization(i);
}

/* The names of what can be disabled, as a list. */
static const char *optimization_names(Arena *a) {
  Str s = str_new(a);
  for (int i = 0; pipeline_optimization(i); i++)
    str_printf(&s, "%s%s", i ? ", " : "", pipeline_optimization(i));
  return s.at;
}

static dtgc_status check_disable(dtgc_program *p, const char *list) {
  Disabled any = {0};
  const char *word;
  int len, n = 0;
  if (pipeline_disable(&any, list, &word, &len)) return DTGC_OK;
  while (pipeline_optimization(n)) n++;
  if (pipeline_needs(word, len))
    return program_fail(
        p, DTGC_BAD_ARGUMENT,
        "the pass `%.*s` cannot be disabled: every plan requires it; these can be: %s", len, word,
        optimization_names(p->arena));
  const char *near =
      inspect_near(arena_strndup(p->arena, word, (size_t)len), optimization_name, NULL, n);
  return program_fail(p, DTGC_BAD_ARGUMENT,
                      "unknown optimization `%.*s` to disable%s%s%s; there are %s",
                      len > 40 ? 40 : len, word, near ? ": do you mean `" : "", near ? near : "",
                      near ? "`?" : "", optimization_names(p->arena));
}

static dtgc_status check_how(dtgc_program *p, const dtgc_options *o) {
  const char *level = o->optimize;
  dtgc_status s = check_texts(p, "disable", o->disable, o->ndisables);
  for (int i = 0; i < o->ndisables && !s; i++) s = check_disable(p, o->disable[i]);
  if (s || (s = check_name(p, "loader", o->loader, loaders))) return s;
  if (o->sums && strcmp(o->sums, "fixed") != 0 && strcmp(o->sums, "fast") != 0)
    return program_fail(p, DTGC_BAD_ARGUMENT, "sums is `%.40s`, not fixed or fast", o->sums);
  if (level && !(*level >= '0' && *level <= '3' && !level[1]))
    return program_fail(p, DTGC_BAD_ARGUMENT, "optimize is `%.40s`, not 0, 1, 2 or 3", level);
  if (o->repeat_saves < 0)
    return program_fail(p, DTGC_BAD_ARGUMENT, "repeat_saves is %d, expected 0 or more",
                        o->repeat_saves);
  if (o->drop_exchange < 0)
    return program_fail(p, DTGC_BAD_ARGUMENT,
                        "drop_exchange is %d, expected 0 (none) or the number of an exchange",
                        o->drop_exchange);
  return DTGC_OK;
}

static dtgc_status check_options(dtgc_program *p, const dtgc_options *o) {
  dtgc_status s = DTGC_OK;
  if ((s = check_texts(p, "define", o->define, o->ndefines)) ||
      (s = check_texts(p, "layout", o->layout, o->nlayouts)) ||
      (s = check_texts(p, "import_dir", o->import_dir, o->nimport_dirs)) ||
      (s = check_name(p, "transport", o->transport, transports)) || (s = check_how(p, o)))
    return s;
  if (o->devices_per_rank < 0)
    return program_fail(
        p, DTGC_BAD_ARGUMENT,
        "devices_per_rank is %d, expected 1 or more (0: devices of the mesh by ranks)",
        o->devices_per_rank);
  if (o->cores < 0 || o->cores > CORES_MOST)
    return program_fail(p, DTGC_BAD_ARGUMENT, "cores is %d, expected 0 to %d", o->cores,
                        CORES_MOST);
  if (o->progress < DTRT_PROGRESS_AUTO || o->progress > DTRT_PROGRESS_POLL)
    return program_fail(p, DTGC_BAD_ARGUMENT, "progress is %d, expected 0 to 2", o->progress);
  if (!(o->timeout <= 1e9)) /* not a number, too */
    return program_fail(p, DTGC_BAD_ARGUMENT,
                        "timeout is %g, expected at most 1e9 seconds (below 0: forever)",
                        o->timeout);
  if (o->check_nan < DTGC_CHECK_OFF || o->check_nan > DTGC_CHECK_FULL)
    return program_fail(p, DTGC_BAD_ARGUMENT,
                        "check_nan is %d, expected 0 (off), 1 (cheap) or 2 (full)", o->check_nan);
  if (o->machine && !o->machine->name && !o->machine->text)
    return program_fail(p, DTGC_BAD_ARGUMENT, "machine has neither a name nor text");
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
  if (n < 1) return program_fail(p, DTGC_BAD_ARGUMENT, "no source is given");
  if (!source) return program_fail(p, DTGC_BAD_ARGUMENT, "the sources are NULL");
  for (int i = 0; i < n; i++)
    if (!source[i].name && !source[i].text)
      return program_fail(p, DTGC_BAD_ARGUMENT, "source %d has neither a name nor text", i);
  return check_options(p, o);
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
