/* trace FILE RANKS DEVICES CALLS [NAME WHERE]...: checks the consistency of a trace of --profile.
 * FILE is JSON; DEVICES rows in RANKS processes, each with CALLS spans of calls (0: at least one);
 * in a call its steps follow each other without a gap from its beginning to its end, numbered in
 * order, and only exchanges wait. Each NAME is a step's, at WHERE. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 64 };

static int failures;

static void fail(const char *what, long long at) {
  fprintf(stderr, "trace: %s (%lld)\n", what, at);
  failures++;
}

typedef struct Span {
  const char *name, *cat, *where;
  long long pid, tid, ts, dur, waiting, step; /* ns; step: -1 for none */
} Span;

static long long ns(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  if (!json_is_real(v)) fail("a time is no number", 0);
  double us = json_number_value(v);
  if (us < 0) fail("a time is negative", (long long)us);
  return (long long)(us * 1e3 + 0.5);
}

static Span span_of(const json_t *e) {
  const json_t *args = json_object_get(e, "args"), *step = json_object_get(args, "step");
  Span s = {.name = json_string_value(json_object_get(e, "name")),
            .cat = json_string_value(json_object_get(e, "cat")),
            .where = json_string_value(json_object_get(args, "where")),
            .pid = json_integer_value(json_object_get(e, "pid")),
            .tid = json_integer_value(json_object_get(e, "tid")),
            .ts = ns(e, "ts"),
            .dur = ns(e, "dur"),
            .waiting = ns(args, "waiting"),
            .step = step ? json_integer_value(step) : -1};
  if (!s.name || !s.cat) fail("a span has no name or category", s.ts);
  if (step && !json_is_integer(json_object_get(args, "flops"))) fail("a step has no flops", s.step);
  if (step && !json_is_integer(json_object_get(args, "bytes"))) fail("a step has no bytes", s.step);
  return s;
}

/* What a device's row has come to. */
typedef struct Row {
  long long pid, calls, open, at, step; /* open: when the first span since the last call began */
} Row;

/* The span of a call comes after those in it. */
static void take(Row *r, const Span *s) {
  bool exchange = !strcmp(s->cat, "exchange"), host = !strcmp(s->cat, "host");
  if (s->waiting > s->dur) fail("it waits longer than it takes", s->ts);
  if (s->pid != r->pid) fail("a device is in two processes", s->tid);
  if (!strcmp(s->cat, "call")) {
    if (s->ts != r->open || s->ts + s->dur != r->at) fail("a call is not its steps", s->ts);
    r->calls++;
    r->open = r->step = -1;
    return;
  }
  if (r->open < 0) {
    if (s->ts < r->at) fail("a call begins before the one before ends", s->ts);
    r->open = r->at = s->ts;
  }
  if (s->ts != r->at) fail("a step does not begin where the one before ends", s->ts);
  /* Before variables that devices share are written, all have read them. */
  bool update = strstr(s->name, " <- ") != NULL;
  if (s->waiting && !exchange && !host && !update)
    fail("something waits that is no exchange or update", s->ts);
  if (s->step >= 0 && s->step != r->step + 1) fail("a step is out of order", s->step);
  if (s->step >= 0) r->step = s->step;
  if (s->step >= 0 && !s->where) fail("a step has no line", s->step);
  r->at = s->ts + s->dur;
}

static int has(const Span *s, size_t n, const char *name, const char *where) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(s[i].name, name)) return s[i].where && !strcmp(s[i].where, where);
  return 0;
}

static void check(const Span *s, size_t n, int ranks, int devices, long long calls) {
  Row row[MOST_DEVICES];
  for (int d = 0; d < devices; d++)
    row[d] = (Row){.pid = d / (devices / ranks), .open = -1, .step = -1};
  for (size_t i = 0; i < n; i++) {
    if (s[i].tid < 0 || s[i].tid >= devices)
      fail("a row is no device", s[i].tid);
    else
      take(&row[s[i].tid], &s[i]);
  }
  for (int d = 0; d < devices; d++) {
    if (row[d].calls != row[0].calls || (calls && row[d].calls != calls) || !row[d].calls)
      fail("a device has another number of calls", row[d].calls);
    if (row[d].open >= 0) fail("a call is not closed", d);
  }
}

int main(int argc, char **argv) {
  json_error_t error;
  if (argc < 5) return 2;
  int ranks = atoi(argv[2]), devices = atoi(argv[3]);
  json_t *file = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
  if (!file) return fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text), 1;
  const json_t *events = json_object_get(file, "traceEvents");
  size_t n = 0, names = 0, all = json_array_size(events);
  Span *s = calloc(all + 1, sizeof *s);
  if (!s || !json_is_array(events) || devices > MOST_DEVICES) return 1;
  for (size_t i = 0; i < all; i++) {
    const json_t *e = json_array_get(events, i);
    const char *ph = json_string_value(json_object_get(e, "ph"));
    if (ph && !strcmp(ph, "X")) s[n++] = span_of(e);
    if (ph && !strcmp(ph, "M")) names++;
  }
  if (names != (size_t)(ranks + devices)) fail("names of processes and threads", (long long)names);
  check(s, n, ranks, devices, atoll(argv[4]));
  for (int i = 5; i + 1 < argc; i += 2)
    if (!has(s, n, argv[i], argv[i + 1]))
      fprintf(stderr, "trace: no step `%s` at %s\n", argv[i], argv[i + 1]), failures++;
  free(s);
  json_decref(file);
  return failures > 0;
}
