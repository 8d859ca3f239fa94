/* shared.c: a program whose variables devices share (shared.dtg) beside itself with variables of
 * each device's own: the same bits after each call, what is set is there for all, and no race, as
 * the thread sanitizer sees it: the emitted C is compiled with it here. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dtrt.h"

extern const dtrt_program shared_program, apart_program;
enum { BATCH = 12, WIDE = 9, CALLS = 6, MOST = 1 << 20 };

static int failures;
static void check(bool holds, const char *what, const char *more) {
  if (!holds) failures++, fprintf(stderr, "%s: %s\n", what, more);
}

static dtrt_session *opened(const dtrt_program *p) {
  dtrt_session *s = NULL;
  const dtrt_options o = {.seed = 5};
  check(dtrt_open(p, &o, &s) == DTRT_OK, "open", dtrt_session_error(s));
  return s;
}

static void same(dtrt_session *s, dtrt_session *t) {
  static char a[MOST], b[MOST];
  const dtrt_program *p = dtrt_session_program(s);
  for (int i = 0; i < p->nvars; i++) {
    const int64_t bytes = dtrt_tensor_count(&p->var[i]) * dtrt_dtype_size(p->var[i].dtype);
    check(bytes <= MOST && dtrt_get_var(s, i, a, bytes) == DTRT_OK, "get", dtrt_session_error(s));
    check(dtrt_get_var(t, i, b, bytes) == DTRT_OK, "get", dtrt_session_error(t));
    check(!memcmp(a, b, (size_t)bytes), "other bits", p->var[i].name);
  }
}

static void call(dtrt_session *s, const char *entry, const void *x, const int32_t *label) {
  const int e = dtrt_find_entry(dtrt_session_program(s), entry);
  const void *in[] = {x, label};
  static float out[2][4096];
  void *outs[] = {out[0], out[1]};
  check(dtrt_call(s, e, in, outs) == DTRT_OK, entry, dtrt_session_error(s));
}

static void set(dtrt_session *s, const char *name, float value) {
  static float all[MOST / 4];
  const int i = dtrt_find_var(dtrt_session_program(s), name);
  const int64_t n = dtrt_tensor_count(&dtrt_session_program(s)->var[i]);
  for (int64_t k = 0; k < n; k++) all[k] = value * (float)(k % 7 - 3);
  check(dtrt_set_var(s, i, all, n * 4) == DTRT_OK, "set", dtrt_session_error(s));
}

int main(void) {
  dtrt_session *s[] = {opened(&shared_program), opened(&apart_program)};
  int64_t variables[2] = {0, 0};
  float x[BATCH][WIDE];
  int32_t label[BATCH];
  check(shared_program.nshared && !apart_program.nshared, "the programs", "not as they should be");
  for (int k = 0; k < CALLS && !failures; k++) {
    for (int i = 0; i < BATCH; i++) {
      label[i] = (i + k) % 5;
      for (int j = 0; j < WIDE; j++) x[i][j] = (float)((i * 7 + j * 5 + k) % 11) / 4 - 1;
    }
    for (int i = 0; i < 2; i++) {
      call(s[i], "train", x, label);
      call(s[i], "ask", x, label);
      if (k == CALLS / 2) set(s[i], "model.d1.w", 0.1f), set(s[i], "table", 0.01f);
    }
    same(s[0], s[1]);
  }
  for (int i = 0; i < 2; i++) {
    check(dtrt_check_replicas(s[i]) == DTRT_OK, "replicas", dtrt_session_error(s[i]));
    for (int d = 0; d < 4; d++) variables[i] += dtrt_device_memory(s[i], d).variables;
    dtrt_close(s[i]);
  }
  check(variables[0] * 2 < variables[1], "memory of variables", "it is not shared");
  return failures != 0;
}
