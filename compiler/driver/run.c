/* dtgc.h: running entries on the host's buffers, reading and writing variables. Names and sizes are
 * checked here, before any device moves. */
#include "program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *tensor_name(const void *table, int i) {
  return ((const dtgc_tensor *)table)[i].name;
}

static dtgc_status fail_near(dtgc_program *p, const char *what, const char *typed,
                             const char *near) {
  return near ? program_fail(p, DTGC_BAD_ARGUMENT, "unknown %s `%s`: do you mean `%s`?", what,
                             typed, near)
              : program_fail(p, DTGC_BAD_ARGUMENT, "unknown %s `%s`", what, typed);
}

/* Of n tensors one after another; of an input also one for all. */
static bool are_many(const char *what, const dtgc_tensor *t, int64_t n, size_t bytes) {
  size_t all;
  bool good = !__builtin_mul_overflow(t->bytes, (size_t)n, &all);
  return (good && bytes == all) || (bytes == t->bytes && !strcmp(what, "input"));
}

static dtgc_status check_size(dtgc_program *p, const char *what, const dtgc_tensor *t, int64_t n,
                              size_t bytes) {
  if (are_many(what, t, n, bytes)) return DTGC_OK;
  char text[TENSOR_TEXT];
  inspect_text(t, text, sizeof text);
  if (n > 1)
    return program_fail(p, DTGC_BAD_ARGUMENT,
                        "%s `%s` is %s, %zu bytes, times %lld; the buffer has %zu", what, t->name,
                        text, t->bytes, (long long)n, bytes);
  return program_fail(p, DTGC_BAD_ARGUMENT, "%s `%s` is %s, %zu bytes; the buffer has %zu", what,
                      t->name, text, t->bytes, bytes);
}

/* bytes: the size of each buffer, unless NULL. */
static dtgc_status place_many(dtgc_program *p, const char *what, const dtgc_tensor *tensors,
                              int ntensors, int64_t runs, const dtgc_buffer *b, int n, void **at,
                              int64_t *bytes) {
  if (n < 0) return program_fail(p, DTGC_BAD_ARGUMENT, "there cannot be %d %ss", n, what);
  if (n && !b) return program_fail(p, DTGC_BAD_ARGUMENT, "the %ss are NULL", what);
  for (int k = 0; k < n; k++) {
    int i = 0;
    const char *name = b[k].name;
    if (!name) return program_fail(p, DTGC_BAD_ARGUMENT, "%s %d: its name is NULL", what, k);
    while (i < ntensors && strcmp(tensors[i].name, name) != 0) i++;
    if (i == ntensors)
      return fail_near(p, what, name, inspect_near(name, tensor_name, tensors, ntensors));
    if (at[i]) return program_fail(p, DTGC_BAD_ARGUMENT, "%s `%s` is given twice", what, name);
    dtgc_status s = check_size(p, what, &tensors[i], runs, b[k].bytes);
    if (s) return s;
    if (bytes) bytes[i] = (int64_t)b[k].bytes;
    /* A tensor without elements may have no memory. */
    at[i] = b[k].data || tensors[i].bytes ? b[k].data : (void *)"";
    if (!at[i]) return program_fail(p, DTGC_BAD_ARGUMENT, "%s `%s`: data is NULL", what, name);
  }
  return DTGC_OK;
}

dtgc_status program_place_buffers(dtgc_program *p, const char *what, const dtgc_tensor *tensors,
                                  int ntensors, const dtgc_buffer *b, int n, void **at) {
  return place_many(p, what, tensors, ntensors, 1, b, n, at, NULL);
}

dtgc_status program_run_failed(dtgc_program *p, dtrt_status st) {
  if (st == DTRT_OK) return DTGC_OK;
  dtgc_status s = st == DTRT_INVALID     ? DTGC_BAD_ARGUMENT
                  : st == DTRT_NO_MEMORY ? DTGC_NO_MEMORY
                                         : DTGC_RUN_FAILED;
  return program_fail(p, s, "%s", dtrt_session_error(p->session));
}

/* What a run gets: buffers, and their sizes where there are several runs. */
typedef struct Buffers {
  int64_t runs; /* 0: one, by dtgc_run */
  const dtgc_buffer *in, *out;
  int nin, nout;
  void **at, **to;
  int64_t *in_bytes, *out_bytes;
} Buffers;

static dtgc_status run_entry(dtgc_program *p, const EntryInfo *e, const Buffers *b) {
  int64_t n = b->runs ? b->runs : 1;
  dtgc_status s = place_many(p, "input", e->in, e->nin, n, b->in, b->nin, b->at, b->in_bytes);
  if (!s) s = place_many(p, "output", e->out, e->nout, n, b->out, b->nout, b->to, b->out_bytes);
  if (s) return s;
  for (int i = 0; i < e->nin; i++)
    if (!b->at[i])
      return program_fail(p, DTGC_BAD_ARGUMENT, "input `%s` of entry `%s` is not given",
                          e->in[i].name, e->name);
  if ((s = dtgc_start(p))) return s;
  int index = dtrt_find_entry(p->code, e->name);
  if (index < 0) return program_fail(p, DTGC_SYSTEM, "the code has no entry `%s`", e->name);
  const void *const *in = (const void *const *)b->at;
  if (!b->runs) return program_run_failed(p, dtrt_call(p->session, index, in, b->to));
  return program_run_failed(
      p, dtrt_call_many(p->session, index, n, in, b->in_bytes, b->to, b->out_bytes));
}

static dtgc_status run(dtgc_program *p, const char *entry, Buffers *b) {
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!entry) return program_fail(p, DTGC_BAD_ARGUMENT, "entry is NULL");
  const EntryInfo *e = inspect_entry(p, entry);
  if (!e) return inspect_no_entry(p, entry);
  size_t n = (size_t)(e->nin + e->nout) + 1;
  b->at = calloc(n, sizeof *b->at);
  b->in_bytes = calloc(n, sizeof *b->in_bytes);
  if (b->at && b->in_bytes) {
    b->to = b->at + e->nin;
    b->out_bytes = b->in_bytes + e->nin;
    s = run_entry(p, e, b);
  } else {
    s = program_fail(p, DTGC_NO_MEMORY, "out of memory");
  }
  free(b->at);
  free(b->in_bytes);
  return s;
}

dtgc_status dtgc_run(dtgc_program *p, const char *entry, const dtgc_buffer *in, int nin,
                     const dtgc_buffer *out, int nout) {
  PROGRAM_USE(p);
  return run(p, entry, &(Buffers){.in = in, .nin = nin, .out = out, .nout = nout});
}

dtgc_status dtgc_run_many(dtgc_program *p, const char *entry, int64_t n, const dtgc_buffer *in,
                          int nin, const dtgc_buffer *out, int nout) {
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (n < 1) return program_fail(p, DTGC_BAD_ARGUMENT, "there cannot be %lld runs", (long long)n);
  return run(p, entry, &(Buffers){.runs = n, .in = in, .nin = nin, .out = out, .nout = nout});
}

/* The variable's number in the code, after all checks; devices are running. */
static dtgc_status find_var(dtgc_program *p, const char *path, const void *buffer, size_t bytes,
                            int *index) {
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!path) return program_fail(p, DTGC_BAD_ARGUMENT, "path is NULL");
  int i = dtgc_find_var(p, path);
  if (i < 0)
    return fail_near(p, "variable", path, inspect_near(path, tensor_name, p->vars, p->nvars));
  if ((s = check_size(p, "variable", &p->vars[i], 1, bytes))) return s;
  if (!buffer && bytes)
    return program_fail(p, DTGC_BAD_ARGUMENT, "variable `%s`: the buffer is NULL", path);
  if ((s = dtgc_start(p))) return s;
  *index = dtrt_find_var(p->code, path);
  return *index >= 0 ? DTGC_OK
                     : program_fail(p, DTGC_SYSTEM, "the code has no variable `%s`", path);
}

dtgc_status dtgc_get(dtgc_program *p, const char *path, void *to, size_t bytes) {
  int i = -1;
  PROGRAM_USE(p);
  dtgc_status s = find_var(p, path, to, bytes, &i);
  return s ? s : program_run_failed(p, dtrt_get_var(p->session, i, to, (int64_t)bytes));
}

dtgc_status dtgc_set(dtgc_program *p, const char *path, const void *from, size_t bytes) {
  int i = -1;
  PROGRAM_USE(p);
  dtgc_status s = find_var(p, path, from, bytes, &i);
  return s ? s : program_run_failed(p, dtrt_set_var(p->session, i, from, (int64_t)bytes));
}

/* -------- from one program to another -------- */

/* The variable of `from` with the path of to->vars[i]: its index, or -1. False: it is of another
 * kind. */
static bool same_variable(const dtgc_program *to, int i, const dtgc_program *from, int *k) {
  const dtgc_tensor *a = &to->vars[i];
  *k = dtgc_find_var(from, a->name);
  if (*k < 0) return true;
  const dtgc_tensor *b = &from->vars[*k];
  return a->dtype == b->dtype && a->rank == b->rank &&
         memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->rank) == 0;
}

static dtgc_status check_copy(dtgc_program *to, const dtgc_program *from, int *left, size_t *most) {
  for (int i = 0; i < to->nvars; i++) {
    int k;
    if (!same_variable(to, i, from, &k)) {
      char mine[TENSOR_TEXT], other[TENSOR_TEXT];
      inspect_text(&to->vars[i], mine, sizeof mine);
      inspect_text(&from->vars[k], other, sizeof other);
      return program_fail(to, DTGC_BAD_ARGUMENT, "variable `%s` is %s here, but %s in `from`",
                          to->vars[i].name, mine, other);
    }
    if (k < 0)
      ++*left;
    else if (to->vars[i].bytes > *most)
      *most = to->vars[i].bytes;
  }
  return DTGC_OK;
}

static dtgc_status copy_one(dtgc_program *to, dtgc_program *from, const dtgc_tensor *t,
                            void *buffer) {
  if (dtgc_find_var(from, t->name) < 0) return DTGC_OK;
  dtgc_status s = dtgc_get(from, t->name, buffer, t->bytes);
  if (s) return program_fail(to, s, "`from`: %s", dtgc_error(from));
  return dtgc_set(to, t->name, buffer, t->bytes);
}

dtgc_status dtgc_copy_variables(dtgc_program *to, dtgc_program *from, int *left) {
  int none = 0;
  size_t most = 1;
  PROGRAM_USE(to);
  dtgc_status s = program_begin(to);
  if (s) return s;
  PROGRAM_USE_TOO(to, from, "`from`");
  if ((s = program_begin(from)))
    return program_fail(to, s, "%s", from ? "`from` did not compile" : "from is NULL");
  if ((s = check_copy(to, from, &none, &most))) return s;
  if (left) *left = none;
  if (to == from) return DTGC_OK;
  void *buffer = malloc(most);
  if (!buffer) return program_fail(to, DTGC_NO_MEMORY, "out of memory");
  for (int i = 0; i < to->nvars && !s; i++) s = copy_one(to, from, &to->vars[i], buffer);
  free(buffer);
  return s;
}
