/* program.c: errors, memory and time of a dtgc_program, and its end. */
#include "program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------- errors, memory, time -------- */

static void set_error(dtgc_program *p, char *text) {
  free(p->error);
  p->error = text;
  for (size_t n = text ? strlen(text) : 0; n > 0 && text[n - 1] == '\n';) text[--n] = 0;
}

dtgc_status program_fail(dtgc_program *p, dtgc_status s, const char *fmt, ...) {
  va_list ap;
  char *text = NULL;
  va_start(ap, fmt);
  if (vasprintf(&text, fmt, ap) < 0) text = NULL;
  va_end(ap);
  set_error(p, text);
  return s;
}

dtgc_status program_fail_with(dtgc_program *p, dtgc_status s, char *text) {
  set_error(p, text);
  return s;
}

dtgc_status program_begin(dtgc_program *p) {
  if (!p) return DTGC_BAD_ARGUMENT;
  if (p->out_of_memory) return DTGC_NO_MEMORY;
  if (!p->compiled)
    return program_fail(p, DTGC_BAD_ARGUMENT, "this program did not compile: it can only be freed");
  set_error(p, NULL);
  return DTGC_OK;
}

/* The jump comes back here, where nothing but p is needed. */
dtgc_status program_guard(dtgc_program *p, GuardedFn *fn, void *arg) {
  if (arena_catch(p->arena)) {
    p->out_of_memory = true;
    set_error(p, NULL);
    return DTGC_NO_MEMORY;
  }
  return fn(p, arg);
}

int dtgc_errors(const dtgc_program *p) { return p ? p->errors : 0; }
int dtgc_warnings(const dtgc_program *p) { return p ? p->warnings : 0; }

const char *dtgc_error(const dtgc_program *p) {
  if (p && hold_refused(&p->hold))
    return "another thread is using this program, and it may be used by one at a time: compile one "
           "program per thread, or take turns";
  if (!p || p->out_of_memory) return "out of memory";
  return p->error ? p->error : "no error";
}

void program_time(dtgc_program *p, const char *step, double ms) {
  if (p->ntimes == p->time_room) {
    int room = p->time_room ? 2 * p->time_room : 64;
    dtgc_time *more = realloc(p->time, (size_t)room * sizeof *more);
    if (!more) return; /* what was timed is told */
    p->time = more;
    p->time_room = room;
  }
  p->time[p->ntimes++] = (dtgc_time){step, ms};
}

int dtgc_times(const dtgc_program *p, dtgc_time *out, int most) {
  if (!p) return 0;
  for (int i = 0; out && i < p->ntimes && i < most; i++) out[i] = p->time[i];
  return p->ntimes;
}

char *text_copy(const Str *s) {
  char *t = malloc(s->n + 1);
  if (!t) return NULL;
  if (s->n) memcpy(t, s->at, s->n);
  t[s->n] = 0;
  return t;
}

void dtgc_free_text(char *text) { free(text); }

/* -------- the end -------- */

static void free_variants(dtgc_program *p) {
  for (int i = 0; i < p->nvariants; i++) dtgc_free(p->variant[i]);
  free(p->variant);
  p->variant = NULL;
  p->nvariants = 0;
}

void dtgc_free(dtgc_program *p) {
  if (!p) return;
  if (p->session) dtrt_close(p->session);
  jit_unload(p->loaded);
  free(p->object.at);
  free_variants(p);
  dtgc_free(p->oracle);
  free(p->error);
  free(p->time);
  arena_free(p->arena);
  free(p);
}
