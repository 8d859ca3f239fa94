/* profile_trace.c: a profile as a trace in the format of chrome://tracing, which Perfetto reads
 * too: a process per rank, a thread per device, a span per call, with one span per step inside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session.h"
#include "tensor_file.h"
#include "utf8.h"

/* Names of files need not be UTF-8, and JSON must. */
static void put_text(FILE *to, const char *text) {
  for (size_t n = text ? strlen(text) : 0; n > 0;) {
    int len = utf8_character(text, n);
    if (len == 0)
      fputs("\\ufffd", to);
    else if (*text == '"' || *text == '\\')
      fprintf(to, "\\%c", *text);
    else if (len == 1 && ((unsigned char)*text < 32 || *text == 127))
      fprintf(to, "\\u%04x", *text);
    else
      fwrite(text, 1, (size_t)len, to);
    text += len ? len : 1;
    n -= len ? (size_t)len : 1;
  }
}

static void put_string(FILE *to, const char *text) {
  fputc('"', to);
  put_text(to, text);
  fputc('"', to);
}

static void put_names(FILE *to, const dtrt_session *s, int64_t devices) {
  const Comm *c = s->comm;
  for (int r = 0; r < c->nranks; r++) {
    const char *host = dtrt_session_host(s, r);
    fprintf(to, "%s\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"process_name\", ",
            r ? "," : "", r, r * c->count);
    fprintf(to, "\"args\": {\"name\": \"rank %d%s", r, *host ? " on " : "");
    put_text(to, host);
    fputs("\"}}", to);
  }
  for (int64_t d = 0; d < devices; d++)
    fprintf(to,
            ",\n{\"ph\": \"M\", \"pid\": %lld, \"tid\": %lld, \"name\": \"thread_name\", "
            "\"args\": {\"name\": \"device %lld\"}}",
            (long long)(d / c->count), (long long)d, (long long)d);
}

/* Micro-seconds, with the nanoseconds behind the point. */
static void put_us(FILE *to, const char *key, int64_t ns) {
  fprintf(to, "\"%s\": %lld.%03lld", key, (long long)(ns / 1000), (long long)(ns % 1000));
}

static void put_event(FILE *to, const dtrt_session *s, const Profile *p, const ProfileEvent *v,
                      int64_t device) {
  static const char *const kind[] = {"loop", "product", "exchange"};
  static const char *const part[] = {[PROFILE_COPIES] = "copies",
                                     [PROFILE_INPUTS] = "inputs",
                                     [PROFILE_CHECKS] = "checks for NaN",
                                     [PROFILE_OUTPUTS] = "outputs"};
  const ProfileTable *t = &p->table[v->table];
  const dtrt_entry *e = &s->program[t->program].p->entry[t->entry];
  const dtrt_step *step = v->part < e->nsteps ? &e->step[v->part] : NULL;
  int64_t other = v->part - e->nsteps;
  fprintf(to, ",\n{\"ph\": \"X\", \"pid\": %lld, \"tid\": %lld, ",
          (long long)(device / s->comm->count), (long long)device);
  put_us(to, "ts", v->began);
  fputs(", ", to);
  put_us(to, "dur", v->ended - v->began);
  fputs(", \"name\": ", to);
  put_string(to, step ? step->what : other == PROFILE_CALL ? e->name : part[other]);
  fprintf(to, ", \"cat\": \"%s\", \"args\": {",
          step                    ? kind[step->kind]
          : other == PROFILE_CALL ? "call"
                                  : "host");
  put_us(to, "waiting", v->waited);
  if (step) {
    fputs(", \"where\": ", to);
    put_string(to, step->where);
    fprintf(to, ", \"step\": %lld, \"flops\": %lld, \"bytes\": %lld", (long long)v->part,
            (long long)step->flops, (long long)step->bytes);
  }
  fputs("}}", to);
}

/* Timed steps that a trace lacks. */
static int64_t profile_dropped(const Profile *p) {
  int64_t timed = 0;
  for (int64_t i = 0; i < p->ntables; i++)
    for (int64_t k = 0; k < p->devices * p->table[i].parts; k++) timed += p->table[i].time[k].times;
  for (int64_t i = 0; i < p->devices; i++) timed -= p->nevents[i];
  return timed;
}

/* malloc'ed; NULL when out of memory. */
static char *profile_trace_text(const dtrt_session *s, const Profile *p, size_t *n) {
  char *text = NULL;
  FILE *to = open_memstream(&text, n);
  if (!to) return NULL;
  fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"program\": ", to);
  put_string(to, s->program[0].p->name);
  fprintf(to, ", \"dropped\": %lld}, \"traceEvents\": [", (long long)profile_dropped(p));
  put_names(to, s, p->devices);
  for (int64_t d = 0; d < p->devices; d++)
    for (int64_t i = 0; i < p->nevents[d]; i++) put_event(to, s, p, &p->event[d][i], d);
  fputs("\n]}\n", to);
  bool good = !ferror(to);
  if (fclose(to)) good = false;
  if (good) return text;
  free(text);
  return NULL;
}

dtrt_status dtrt_profile_save(dtrt_session *s, const char *path) {
  SESSION_USE(s);
  Profile p;
  char why[512];
  size_t n = 0;
  dtrt_status status = session_usable(s);
  if (status == DTRT_OK) status = profile_collect(s, &p);
  if (status != DTRT_OK) return status;
  if (s->comm->rank == 0) {
    char *text = profile_trace_text(s, &p, &n);
    if (!text)
      status = session_error(s, DTRT_NO_MEMORY, "out of memory for the trace");
    else if (!tensor_file_replace(path, text, n, "", 0, why, sizeof why))
      status = session_error(s, DTRT_FILE, "%s", why);
    free(text);
  }
  profile_free(&p);
  return session_agree(s, status);
}
