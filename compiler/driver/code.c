/* dtgc.h: machine code of a plan, in this process or in an executable, and the devices that run
 * it. */
#include "environment.h"
#include "program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dtgc_status make_object(dtgc_program *p) {
  Emitted e;
  JitTimes t;
  char *error = NULL;
  dtgc_status s = program_emit(p, EMIT_TO_RUN, &e);
  if (s) return s;
  program_doing(p, "functions by clang", 0, e.functions);
  bool ok = program_alone(p) ? jit_compile(&e.text, &p->jit, &p->object, &t, &error)
                             : jit_compile_together(&e.text, &p->jit, &p->object, &t, &error);
  program_time(p, "llvm", t.module);
  program_time(p, "clang", t.compile);
  if (!ok) {
    p->object.at = NULL;
    return program_fail_with(p, DTGC_SYSTEM, error);
  }
  p->from_cache = t.cached;
  if (p->has_key) jit_remember(p->jit.cache, &p->key, &t.key);
  return DTGC_OK;
}

dtgc_status dtgc_load(dtgc_program *p, const dtrt_program **out) {
  if (out) *out = NULL;
  PROGRAM_USE(p);
  if (out && p) *out = p->code;
  dtgc_status s = program_begin(p);
  if (!s && !out) s = program_fail(p, DTGC_BAD_ARGUMENT, "out is NULL");
  if (s || p->code) return s;
  p->from_cache = p->object.at != NULL;
  if (!p->object.at && (s = make_object(p))) return s;
  double start = jit_now();
  void *at = NULL;
  char *error = NULL;
  p->loaded = jit_load(p->object.at, p->object.n, "dtg_program", p->jit.loader, &at, &error);
  free(p->object.at);
  p->object.at = NULL;
  program_time(p, "load", jit_now() - start);
  if (!p->loaded) return program_fail_with(p, DTGC_SYSTEM, error);
  *out = p->code = at;
  return DTGC_OK;
}

int dtgc_from_cache(const dtgc_program *p) { return p ? p->from_cache : -1; }

void dtgc_cache_counts(const dtgc_program *p, int *hits, int *misses) {
  int n[2] = {0};
  if (p && p->from_cache >= 0) n[p->from_cache]++;
  for (int i = 0; p && i < p->nvariants; i++)
    if (p->variant[i]->from_cache >= 0) n[p->variant[i]->from_cache]++;
  if (hits) *hits = n[1];
  if (misses) *misses = n[0];
}

static dtgc_status status_of(dtrt_status s) {
  switch (s) {
  case DTRT_OK: return DTGC_OK;
  case DTRT_BUSY: return DTGC_BUSY;
  case DTRT_FAILED: return DTGC_RUN_FAILED;
  case DTRT_INVALID: return DTGC_BAD_ARGUMENT;
  default: return DTGC_NO_MEMORY;
  }
}

/* What an entry prints, to the host program. */
static void on_print(void *user, const dtrt_printed *x) {
  const dtgc_program *p = user;
  p->print(p->doing_user, &(dtgc_printed){.text = x->text,
                                          .where = x->where,
                                          .label = x->label,
                                          .type = x->type,
                                          .dtype = (dtgc_dtype)x->dtype,
                                          .rank = x->rank,
                                          .shape = x->shape,
                                          .data = x->data});
}

dtgc_status dtgc_start(dtgc_program *p) {
  const dtrt_program *code;
  PROGRAM_USE(p);
  dtgc_status s = dtgc_load(p, &code);
  if (s || p->session) return s;
  dtrt_options o = {.transport = p->transport,
                    .seed = p->seed,
                    .devices_per_rank = p->devices_per_rank,
                    .timeout = p->timeout,
                    .cores = p->cores,
                    .progress = p->given.progress,
                    .check_nan = p->given.check_nan,
                    .mpi_comm = p->jit.mpi_comm,
                    .print = p->print ? on_print : NULL,
                    .user = p};
  dtrt_session *session = NULL;
  dtrt_status st = dtrt_open(code, &o, &session);
  if (st == DTRT_OK) {
    p->session = session;
    return DTGC_OK;
  }
  s = program_fail(p, status_of(st), "%s", session ? dtrt_session_error(session) : "out of memory");
  dtrt_close(session);
  return s;
}

const char *dtgc_found_nan(const dtgc_program *p) {
  return p && p->session ? dtrt_session_found(p->session) : "";
}

dtgc_status dtgc_barrier(dtgc_program *p, const char *name, double timeout) {
  if (!p) return DTGC_BAD_ARGUMENT;
  PROGRAM_USE(p);
  dtgc_status s = dtgc_start(p);
  if (s) return s;
  dtrt_status st = dtrt_barrier(p->session, name, timeout);
  if (st == DTRT_OK) return DTGC_OK;
  return program_fail(p, status_of(st), "%s", dtrt_session_error(p->session));
}

/* -------- executables -------- */

static dtgc_status object_of(dtgc_program *p, const JitSource *text, const char *symbol,
                             JitObject *out, char **error) {
  JitOptions o = p->jit;
  JitTimes t;
  o.symbol = symbol;
  if (!jit_compile(text, &o, out, &t, error)) return DTGC_SYSTEM;
  program_time(p, "clang", t.compile);
  return DTGC_OK;
}

/* objects[0] holds main or, for a host with its own, the table of variants; objects[1..n] the
 * programs. */
static dtgc_status make_objects(dtgc_program *const *programs, int n, bool host, JitObject *objects,
                                char **error) {
  char(*name)[32] = calloc((size_t)n, sizeof *name);
  const char **names = calloc((size_t)n, sizeof *names);
  dtgc_status s = name && names ? DTGC_OK : DTGC_NO_MEMORY;
  for (int i = 0; i < n && !s; i++) {
    snprintf(name[i], sizeof name[i], i ? "dtg_program_%d" : "dtg_program", i);
    names[i] = name[i];
    Emitted e;
    __attribute__((cleanup(hold_give))) Hold *held = hold_take(&programs[i]->hold);
    if (!held) {
      *error = jit_printf("another thread is using programs[%d]", i);
      s = DTGC_BUSY;
      break;
    }
    if ((s = program_emit(programs[i], EMIT_TO_KEEP, &e)))
      *error = jit_printf("%s", dtgc_error(programs[i]));
    if (!s) s = object_of(programs[i], &e.text, names[i], &objects[i + 1], error);
  }
  char *text = s ? NULL : link_main_source(names, n, host);
  if (!s && !text) s = DTGC_NO_MEMORY;
  const char *without[HEADER_GUARDS];
  emit_left_out(&(HeaderUse){0}, without);
  const JitSource main = {.at = text, .n = text ? strlen(text) : 0, .without = without};
  if (!s) s = object_of(programs[0], &main, NULL, &objects[0], error);
  free(text);
  free(names);
  free(name);
  return s;
}

dtgc_status dtgc_build(dtgc_program *const *programs, int n, const char *output, int with_mpi) {
  return dtgc_build_with(programs, n, NULL, 0, output, with_mpi);
}

dtgc_status dtgc_build_with(dtgc_program *const *programs, int n, const char *const *files,
                            int nfiles, const char *output, int with_mpi) {
  if (!programs || n < 0 || !programs[0]) return DTGC_BAD_ARGUMENT;
  dtgc_program *p = programs[0];
  PROGRAM_USE(p);
  if (n < 1) return program_fail(p, DTGC_BAD_ARGUMENT, "there is no program to build");
  if (!output || !*output)
    return program_fail(p, DTGC_BAD_ARGUMENT, "output is %s", output ? "empty" : "NULL");
  for (int i = 0; i < n; i++)
    if (!programs[i]) return program_fail(p, DTGC_BAD_ARGUMENT, "programs[%d] is NULL", i);
  for (int i = 0; i < n; i++) {
    PROGRAM_USE_TOO(p, programs[i], "one of the programs");
    dtgc_status s = program_begin(programs[i]);
    if (s && i) s = program_fail(p, s, "programs[%d] did not compile", i);
    if (s) return s;
  }
  if (nfiles < 0 || (nfiles && !files)) return program_fail(p, DTGC_BAD_ARGUMENT, "files is NULL");
  for (int i = 0; i < nfiles; i++)
    if (!files[i] || !*files[i] || *files[i] == '-')
      return program_fail(p, DTGC_BAD_ARGUMENT, "files[%d] is not a valid file name", i);
  char *error = NULL;
  JitObject *objects = calloc((size_t)n + 1, sizeof *objects);
  dtgc_status s = objects ? make_objects(programs, n, nfiles > 0, objects, &error) : DTGC_NO_MEMORY;
  double start = jit_now();
  LinkOptions lo = {.tools = environment_tools(),
                    .output = output,
                    .object = objects,
                    .nobjects = n + 1,
                    .file = files,
                    .nfiles = nfiles,
                    .mpi = with_mpi};
  if (!s && !link_executable(&lo, &error)) s = DTGC_SYSTEM;
  program_time(p, "link", jit_now() - start);
  for (int i = 0; objects && i <= n; i++) free(objects[i].at);
  free(objects);
  if (s) program_fail_with(p, s, error ? error : jit_printf("out of memory"));
  return s;
}
