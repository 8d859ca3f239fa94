/* The n-th allocation of a report fails: it returns to the host, and a second try, with memory,
 * has the result that the first would have had. Under the address sanitizer nothing may leak,
 * trials of edits least. */
#include "diff.h"
#include "edits.h"
#include "pipeline.h"
#include "why.h"
#include <stdio.h>
#include <string.h>

static const char text[] = "mesh [a=2, b=2]\n"
                           "layer dense() {\n"
                           "  param w: f32[8, 8] = 1\n"
                           "  apply(x) { return x @ w }\n"
                           "}\n"
                           "m = dense()\n"
                           "entry f(x: f32[8, 8] on [a, b]) { y = m(x); return z = y + 1 }\n"
                           "layout m.w = [b, _]\n";

static const FrontSource source = {"model.dtg", text, sizeof text - 1};
static const FrontOptions front = {.source = &source, .nsources = 1};

typedef void ReportFn(const Plan *p, Str *out);

static void comm(const Plan *p, Str *out) { report_dump(p, &front, "comm", out); }
static void edits(const Plan *p, Str *out) { report_dump(p, &front, "edits", out); }
static void layouts(const Plan *p, Str *out) { report_dump(p, &front, "layouts", out); }
static void why(const Plan *p, Str *out) { why_put(p, "y", out); }
static void diff(const Plan *p, Str *out) { diff_put(p, p, "this", "that", out); }

/* Not allocated: into `out`, of n bytes. False when memory ran out. */
static bool report(ReportFn *fn, long fail_at, char *out, size_t n) {
  Arena *volatile a = arena_new();
  Diag d;
  bool volatile whole = false;
  if (!arena_catch(a)) {
    diag_init(&d, a, NULL, NULL);
    Program *g = front_compile(a, &d, &front);
    Plan *p = g ? pipeline_run(g, NULL) : NULL;
    if (p) {
      Str s = str_new(a);
      arena_fail_at(a, fail_at);
      fn(p, &s);
      arena_fail_at(a, 0);
      snprintf(out, n, "%s", s.at ? s.at : "");
      whole = true;
    }
  }
  arena_free(a);
  return whole;
}

int main(void) {
  static const struct {
    const char *name;
    ReportFn *fn;
  } all[] = {{"comm", comm}, {"edits", edits}, {"layouts", layouts}, {"why", why}, {"diff", diff}};
  static char first[1 << 16], now[1 << 16];
  int failures = 0;
  for (int i = 0; i < 5; i++) {
    long refused = 0;
    if (!report(all[i].fn, 0, first, sizeof first) || !*first) {
      printf("FAIL %s says nothing\n", all[i].name);
      failures++;
    }
    /* Each of the first, then ever rarer. */
    for (long n = 1;; n += 1 + n / 6) {
      if (report(all[i].fn, n, now, sizeof now)) break;
      refused++;
    }
    if (strcmp(first, now) != 0 || refused < 5) {
      printf("FAIL %s after %ld refusals:\n%s\nand without:\n%s\n", all[i].name, refused, now,
             first);
      failures++;
    }
  }
  if (!failures) printf("every report came back from every failure\n");
  return failures != 0;
}
