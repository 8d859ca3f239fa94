/* cli_call.c: `call ENTRY`: files in, one run of an entry, files and printed values out. */
#include "cli.h"
#include "busy.h"
#include <stdlib.h>
#include <string.h>
#include "element.h"

static const char *wanted(const cli *c, const dtrt_tensor *out) {
  for (int i = 0; i < c->nout; i++)
    if (!strcmp(c->out[i].name, out->name)) return c->out[i].file;
  return NULL;
}

static size_t tensor_bytes(const dtrt_tensor *t) {
  return (size_t)dtrt_tensor_count(t) * (size_t)dtrt_dtype_size(t->dtype);
}

/* Nested brackets, the last dim on one line. `at` moves over the elements. */
static void print_dims(const dtrt_tensor *t, int d, const char **at) {
  if (d == t->layout->rank) {
    char text[64];
    element_print(t->dtype, false, *at, text, sizeof text);
    fputs(strcmp(text, "-nan") ? text : "nan", stdout);
    *at += dtrt_dtype_size(t->dtype);
    return;
  }
  putchar('[');
  for (int64_t i = 0; i < t->layout->dim[d].n; i++) {
    if (i) fputs(d + 1 == t->layout->rank ? ", " : ",\n", stdout);
    if (i && d + 1 < t->layout->rank) printf("%*s", d + 1, "");
    print_dims(t, d + 1, at);
  }
  putchar(']');
}

static void print_tensor(const dtrt_tensor *t, const void *data) {
  const char *at = data;
  printf("%s = ", t->name);
  if (t->layout->rank > 1) putchar('\n');
  print_dims(t, 0, &at);
  putchar('\n');
}

static int give_output(const cli *c, const dtrt_tensor *t, const void *data) {
  const char *to = wanted(c, t);
  char why[512], text[256];
  if (to && strcmp(to, "-") != 0) {
    int64_t shape[DTRT_MAX_RANK];
    for (int d = 0; d < t->layout->rank; d++) shape[d] = t->layout->dim[d].n;
    if (tensor_file_write(to, t->dtype, t->layout->rank, shape, data, why, sizeof why))
      return CLI_OK;
    return cli_fail(c, why);
  }
  if (data) {
    print_tensor(t, data);
    return CLI_OK;
  }
  cli_type_text(t, text, sizeof text);
  fflush(stdout);
  fprintf(stderr,
          "%s: output %s, %s, is discarded; --out %s=FILE.npy writes it, --out %s=- prints it\n",
          c->prog, t->name, text, t->name, t->name);
  return CLI_OK;
}

/* Before anything runs: names that end in .npy and dtypes that .npy has. */
static bool check_outputs(const cli *c) {
  char header[1024];
  for (int i = 0; i < c->entry->nout; i++) {
    const dtrt_tensor *t = &c->entry->out[i];
    const char *to = wanted(c, t);
    if (!to || !strcmp(to, "-")) continue;
    size_t n = strlen(to);
    if (n < 5 || strcmp(to + n - 4, ".npy") != 0)
      return cli_usage(c,
                       "--out %s=%s: outputs are written as .npy; expected FILE.npy, or - to print",
                       t->name, to),
             false;
    if (npy_header(t->dtype, 0, NULL, header, sizeof header) < 0)
      return cli_usage(c,
                       "--out %s=%s: .npy has no %s; cast the output in the program, as in f32(%s)",
                       t->name, to, dtrt_dtype_name(t->dtype), t->name),
             false;
  }
  return true;
}

/* What this process's devices have moved: one line each. */
static void print_traffic(const dtrt_session *s, const dtrt_traffic *before) {
  for (int d = 0; d < dtrt_session_ndevices(s); d++) {
    dtrt_traffic t = dtrt_session_traffic(s, d);
    if (t.bytes < 0) continue;
    printf("device %d: received %lld bytes, sent %lld, in %lld exchanges; scratch %lld\n", d,
           (long long)(t.bytes - before[d].bytes), (long long)(t.sent - before[d].sent),
           (long long)(t.exchanges - before[d].exchanges), (long long)t.scratch);
    for (int i = 0;; i++) {
      dtrt_algorithm a = dtrt_session_algorithm(s, d, i);
      if (!a.name) break;
      if (a.exchanges > 0)
        printf("  by %-17s %lld exchange%s, %lld wait%s, %lld message%s received\n", a.name,
               (long long)a.exchanges, a.exchanges == 1 ? "" : "s", (long long)a.rounds,
               a.rounds == 1 ? "" : "s", (long long)a.messages, a.messages == 1 ? "" : "s");
    }
  }
}

static int call_session(const cli *c, dtrt_session *s, const dtrt_progress *progress, data_set *set,
                        void **out) {
  int entry = (int)(c->entry - c->program->entry), status = CLI_OK;
  for (int i = 0; i < c->entry->nout; i++) {
    const dtrt_tensor *t = &c->entry->out[i];
    if (!wanted(c, t) && t->layout->rank > 0) continue;
    out[i] = malloc(tensor_bytes(t) + 1);
    if (!out[i]) return cli_fail(c, "out of memory");
  }
  int n = dtrt_session_ndevices(s);
  dtrt_traffic *before = malloc((size_t)n * sizeof *before);
  if (!before) return cli_fail(c, "out of memory");
  for (int d = 0; d < n; d++) before[d] = dtrt_session_traffic(s, d);
  if (cli_profile_start(c, s)) return free(before), CLI_FAILED;
  bool ran = dtrt_call_fill(s, entry, data_fill, set, out) == DTRT_OK;
  dtrt_save_options save = {.progress = progress, .bf16 = c->save_bf16};
  if (ran && c->save) ran = dtrt_save(s, c->save, &save) == DTRT_OK;
  if (ran && c->traffic && !c->quiet) print_traffic(s, before);
  if (ran && c->footprint && !c->quiet) cli_print_footprint(s);
  free(before);
  if (!ran) return cli_session_failed(c, s);
  if (*dtrt_session_found(s) && data_finite(set)) {
    char note[1100];
    snprintf(note, sizeof note, "warning: %s", dtrt_session_found(s));
    cli_note(c, note);
  }
  for (int i = 0; !c->quiet && i < c->entry->nout && !status; i++)
    status = give_output(c, &c->entry->out[i], out[i]);
  return status ? status : cli_profile_end(c, s);
}

static int compare_files(const cli *c, dtrt_session *s, const data_set *set) {
  same_list list = {0};
  if (dtrt_session_nranks(s) == 1) return CLI_OK;
  same_files(&list, "--feed", set);
  dtrt_status status = session_same(s, "comparing files", &list);
  same_free(&list);
  return status == DTRT_OK ? CLI_OK : cli_session_failed(c, s);
}

int call_run(const cli *given) {
  cli c = *given;
  data_set set;
  dtrt_progress progress = {0};
  char why[512];
  if (!check_outputs(&c)) return CLI_USAGE;
  dtrt_session *s = cli_open(&c);
  if (!s) return CLI_FAILED;
  int status = CLI_FAILED;
  void **out = calloc((size_t)c.entry->nout + 1, sizeof *out);
  busy *b = c.quiet || !c.nfeed ? NULL : busy_begin();
  busy_say(b, "reading %s%s", c.nfeed ? c.feed[0].file : "", c.nfeed > 1 ? " and others" : "");
  spool_job job = session_job(s);
  bool good =
      out && data_open_in(&job, &set, c.entry, c.feed, c.nfeed, true, 0, 0, NULL, why, sizeof why);
  busy_end(b);
  if (!out) {
    cli_fail(&c, "out of memory");
  } else if (!good) {
    cli_fail(&c, why);
  } else {
    cli_note_set(&c, &set);
    status = compare_files(&c, s, &set);
    if (!status) status = cli_load(&c, s, &progress);
    if (!status) status = call_session(&c, s, &progress, &set, out);
    data_close(&set);
  }
  for (int i = 0; out && i < c.entry->nout; i++) free(out[i]);
  free(out);
  dtrt_close(s);
  return status;
}
