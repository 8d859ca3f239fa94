/* dtgc: the compiler's command line, written on dtgc.h and dtrt.h alone. The only file of the
 * compiler that prints. Under mpiexec only rank 0 prints. */
#include "busy.h"
#include "color.h"
#include "dtgc.h"
#include "dtrt.h"
#include "files.h"
#include "options.h"
#include "plot.h"
#include "process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_ERRORS = 1, EXIT_USAGE = 2, MOST_VARIANTS = 64 };

typedef struct Driver {
  Options o;
  dtgc_options options;
  dtgc_source machine;
  dtgc_source *source;
  bool quiet; /* another rank speaks */
  busy *busy; /* what takes long, on a terminal */
  dtgc_program *program;
  dtgc_program *variant[MOST_VARIANTS];
  char *layouts; /* text that the running program shows */
  int nvariants;
} Driver;

static void on_message(void *user, const dtgc_message *m) {
  Driver *d = user;
  busy_clear(d->busy);
  if (!d->quiet) fputs(m->rendered, stderr);
}

static void on_doing(void *user, const char *what, int64_t done, int64_t all) {
  Driver *d = user;
  if (done)
    busy_more(d->busy, "%lld of %lld %s", (long long)done, (long long)all, what);
  else
    busy_more(d->busy, "%lld %s", (long long)all, what);
}

/* What the message callback has not already shown. */
static int fail(const Driver *d, dtgc_status s, const dtgc_program *p) {
  busy_idle(d->busy);
  if (s != DTGC_BAD_SOURCE && !d->quiet) fprintf(stderr, "dtgc: %s\n", dtgc_error(p));
  return EXIT_ERRORS;
}

static int fail_file(const char *path) {
  fprintf(stderr, "dtgc: %s: %s\n", path, strerror(errno));
  return EXIT_ERRORS;
}

static void show_times(const Driver *d) {
  if (!d->o.time || d->quiet) return;
  int n = dtgc_times(d->program, NULL, 0);
  dtgc_time *t = calloc((size_t)n, sizeof *t);
  double sum = 0;
  if (t) dtgc_times(d->program, t, n);
  for (int i = 0; t && i < n; i++) {
    bool cached = strcmp(t[i].step, "load") == 0 && dtgc_from_cache(d->program) == 1;
    fprintf(stderr, "%-12s %9.2f ms%s\n", t[i].step, t[i].ms, cached ? "  (from the cache)" : "");
    sum += t[i].ms;
  }
  fprintf(stderr, "%-12s %9.2f ms\n", "all", sum);
  free(t);
}

/* -------- dumps -------- */

static int dump(Driver *d) {
  for (int i = 0; i < d->o.ndumps; i++) {
    char *text;
    bool edits = !strcmp(d->o.dump[i], "comm") || !strcmp(d->o.dump[i], "edits");
    busy_say(d->busy, edits ? "searching for cheaper layouts for %s" : "compiling %s",
             d->o.file[0]);
    dtgc_status s = dtgc_dump(d->program, d->o.dump[i], &text);
    if (s) return fail(d, s, d->program);
    busy_idle(d->busy);
    if (d->o.ndumps > 1 && !d->o.json) printf("%s# ---- %s ----\n", i ? "\n" : "", d->o.dump[i]);
    color_print(text);
    dtgc_free_text(text);
  }
  return 0;
}

static int why(Driver *d) {
  for (int i = 0; i < d->o.nwhys; i++) {
    char *text;
    dtgc_status s = dtgc_why(d->program, d->o.why[i], &text);
    if (s) return fail(d, s, d->program);
    if (i || d->o.ndumps) putchar('\n');
    color_print(text);
    dtgc_free_text(text);
  }
  return 0;
}

static int find_layouts(Driver *d) {
  char *text;
  busy_say(d->busy, "searching for layouts of %s", d->o.file[0]);
  dtgc_status s = dtgc_auto(d->program, d->o.memory, &text);
  if (s) return fail(d, s, d->program);
  busy_idle(d->busy);
  fputs(text, stdout); /* finish_output reports failures */
  dtgc_free_text(text);
  return 0;
}

/* The same program with another last file. */
static int diff(Driver *d) {
  dtgc_source *last = &d->source[d->o.nfiles - 1];
  dtgc_program *other = NULL;
  char *text = NULL;
  last->name = d->o.diff;
  dtgc_status s = dtgc_compile(d->source, d->o.nfiles, &d->options, &other);
  last->name = d->o.file[d->o.nfiles - 1];
  int bad = s ? fail(d, s, other) : 0;
  if (!bad && (s = dtgc_diff(d->program, other, last->name, d->o.diff, &text)))
    bad = fail(d, s, d->program);
  if (!bad && (d->o.ndumps || d->o.nwhys)) putchar('\n');
  if (!bad) color_print(text);
  dtgc_free_text(text);
  dtgc_free(other);
  return bad;
}

/* The parsed text needs no meaning: --dump=ast alone works on half a program. */
static bool wants_only_ast(const Options *o) {
  return o->ndumps == 1 && strcmp(o->dump[0], "ast") == 0 && !o->output && !o->emit_c &&
         !o->emit_html && !o->run && !o->nwhys && !o->diff;
}

static int dump_ast(Driver *d) {
  char *text;
  dtgc_status s = dtgc_dump_ast(d->source, d->o.nfiles, &d->options, &text);
  if (s && s != DTGC_BAD_SOURCE) fprintf(stderr, "dtgc: %s\n", text ? text : "out of memory");
  if (!s) fputs(text, stdout);
  dtgc_free_text(text);
  return s ? EXIT_ERRORS : 0;
}

/* -------- emitted C -------- */

static int write_file(const char *path, const char *text) {
  errno = file_replace(path, text, strlen(text), "", 0);
  return errno ? fail_file(path) : 0;
}

static int write_text(const char *folder, const char *name, const char *text) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return fail_file(folder);
  }
  return write_file(path, text);
}

static int emit_c_files(Driver *d) {
  const char *folder = d->o.emit_c, *base = strrchr(d->o.file[0], '/');
  base = base ? base + 1 : d->o.file[0];
  int stem = (int)strlen(base);
  if (stem > 4 && strcmp(base + stem - 4, ".dtg") == 0) stem -= 4;
  char name[512], *text;
  snprintf(name, sizeof name, "%.*s.c", stem < 500 ? stem : 500, base);
  if (mkdir(folder, 0777) && errno != EEXIST) return fail_file(folder);
  dtgc_status s = dtgc_dump(d->program, "c", &text);
  if (s) return fail(d, s, d->program);
  int bad = write_text(folder, name, text);
  dtgc_free_text(text);
  static const char *const headers[] = {"dtrt.h", "dtrt_math.h", "dtrt_special.h"};
  for (int i = 0; i < 3 && !bad; i++) bad = write_text(folder, headers[i], dtgc_header(headers[i]));
  return bad;
}

static int emit_html_file(Driver *d) {
  char *text;
  dtgc_status s = dtgc_html(d->program, &text);
  if (s) return fail(d, s, d->program);
  int bad = write_file(d->o.emit_html, text);
  dtgc_free_text(text);
  return bad;
}

/* -------- variants: the same sources with one more constant -------- */

static dtgc_program *make_variant(Driver *d, const char *define) {
  if (d->nvariants == MOST_VARIANTS) {
    fprintf(stderr, "dtgc: more than %d variants of one program\n", MOST_VARIANTS);
    return NULL;
  }
  int n = d->options.ndefines;
  const char **defines = calloc((size_t)n + 1, sizeof *defines);
  if (!defines) return NULL;
  for (int i = 0; i < n; i++) defines[i] = d->options.define[i];
  defines[n] = define;
  dtgc_options o = d->options;
  o.define = defines;
  o.ndefines = n + 1;
  o.variant_of = d->program;
  dtgc_program *p = NULL;
  dtgc_status s = dtgc_compile(d->source, d->o.nfiles, &o, &p);
  free(defines);
  if (s) {
    fail(d, s, p);
    dtgc_free(p);
    return NULL;
  }
  return d->variant[d->nvariants++] = p;
}

static int build(Driver *d) {
  dtgc_program *all[MOST_VARIANTS + 1] = {d->program};
  for (int i = 0; i < d->o.nalsos; i++)
    if (!(all[i + 1] = make_variant(d, d->o.also[i]))) return EXIT_ERRORS;
  busy_say(d->busy, "compiling %s%s", d->o.file[0], d->o.nalsos ? " for several sizes" : "");
  int mpi = !d->o.transport || strcmp(d->o.transport, "threads") != 0;
  dtgc_status s = dtgc_build_with(all, d->o.nalsos + 1, d->o.host, d->o.nhosts, d->o.output, mpi);
  busy_idle(d->busy);
  return s ? fail(d, s, d->program) : 0;
}

/* -------- run -------- */

static const dtrt_program *more(void *user, const char *constant, int64_t value) {
  Driver *d = user;
  char define[256];
  const dtrt_program *code = NULL;
  snprintf(define, sizeof define, "%s=%lld", constant, (long long)value);
  dtgc_program *p = make_variant(d, define);
  dtgc_status s = p ? dtgc_load(p, &code) : DTGC_OK;
  if (s) fail(d, s, p);
  return s ? NULL : code;
}

/* "dtgc run model.dtg layouts.dtg": how the program is called in its messages. */
static char *run_name(const Options *o) {
  size_t n = 16;
  for (int i = 0; i < o->nfiles; i++) n += strlen(o->file[i]) + 1;
  char *name = calloc(1, n);
  if (!name) return NULL;
  strcpy(name, "dtgc run");
  for (int i = 0; i < o->nfiles; i++) strcat(strcat(name, " "), o->file[i]);
  return name;
}

/* `info --layouts` shows what an executable has within it, and code made to run at once has not. */
static void add_layouts(Driver *d, dtrt_program *code) {
  char *text = NULL;
  for (int i = 0; i < d->o.nrest && !text; i++)
    if (!strcmp(d->o.rest[i], "--layouts") && !dtgc_dump(d->program, "layouts", &text))
      code->layouts = d->layouts = text;
}

static int verify_step(void *user, int entry, const void *const *in, const void *const *out,
                       const void *const *before, const void *const *after, char *why, int n) {
  return dtgc_verify_fit(((Driver *)user)->program, entry, in, out, before, after, why, n);
}

static int run_with(Driver *d, int argc, char **argv) {
  const dtrt_program *code;
  busy_say(d->busy, "compiling %s", d->o.file[0]);
  dtgc_status s = dtgc_load(d->program, &code);
  if (s) return fail(d, s, d->program);
  busy_end(d->busy);
  d->busy = NULL;
  show_times(d);
  fflush(stdout);
  dtrt_program shown = *code;
  add_layouts(d, &shown);
  return dtrt_main_verified(argc, argv, &shown, NULL, more, verify_step, d);
}

static int run(Driver *d) {
  int n = d->o.nrest + 1;
  char **argv = calloc((size_t)n + 3, sizeof *argv), *name = run_name(&d->o);
  int status = EXIT_ERRORS;
  if (argv && name) {
    argv[0] = name;
    memcpy(argv + 1, d->o.rest, (size_t)d->o.nrest * sizeof *argv);
    if (d->o.cores && d->o.nrest) { /* given before the program's own words */
      argv[n++] = (char *)"--cores";
      argv[n++] = (char *)d->o.cores;
    }
    status = dtgc_check_main(d->program, n, argv);
    if (status < 0) status = run_with(d, n, argv);
  }
  free(name);
  free(argv);
  return status;
}

/* -------- verify -------- */

/* "image=digits.npy" into its two halves. */
static dtgc_feed *read_feeds(const Options *o) {
  dtgc_feed *feed = calloc((size_t)o->nfeeds + 1, sizeof *feed);
  for (int i = 0; feed && i < o->nfeeds; i++) {
    const char *equal = strchr(o->feed[i], '=');
    feed[i].name = strndup(o->feed[i], (size_t)(equal - o->feed[i]));
    feed[i].file = equal + 1;
  }
  return feed;
}

/* 0: all agree, 1: something differs, 2: verification failed. */
static int verify(Driver *d) {
  const Options *o = &d->o;
  int differs = 0;
  char *text = NULL;
  dtgc_feed *feed = read_feeds(o);
  dtgc_verify_options v = {.entry = o->entry,
                           .feed = feed,
                           .nfeed = o->nfeeds,
                           .steps = o->steps,
                           .tolerance = o->tolerance,
                           .seed = o->seed,
                           .json = o->json};
  busy_say(d->busy, "compiling %s", o->file[0]);
  dtgc_status s = dtgc_compile(d->source, o->nfiles, &d->options, &d->program);
  busy_say(d->busy, "verifying %s", o->file[0]);
  if (!s) s = dtgc_verify(d->program, &v, &differs, &text);
  busy_idle(d->busy);
  if (s) fail(d, s, d->program);
  show_times(d);
  if (text) fputs(text, stdout);
  dtgc_free_text(text);
  for (int i = 0; feed && i < o->nfeeds; i++) free((char *)(uintptr_t)feed[i].name);
  free(feed);
  return s ? EXIT_USAGE : differs;
}

/* -------- -------- */

/* Whether the folder that a file is to be written to can be written. */
static int cannot_write(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
  bool ok = folder && access(slash ? folder : ".", W_OK) == 0;
  free(folder);
  return ok ? 0 : fail_file(path);
}

/* Whether a file to be written is one that is read, which would be lost. */
static int is_read(const Options *o, const char *option, const char *path) {
  bool same =
      (o->machine && file_is_same(path, o->machine)) || (o->diff && file_is_same(path, o->diff));
  for (int i = 0; i < o->nfiles; i++) same |= file_is_same(path, o->file[i]);
  for (int i = 0; i < o->nhosts; i++) same |= file_is_same(path, o->host[i]);
  if (!same) return 0;
  fprintf(stderr, "dtgc: %s %s would overwrite a file that is compiled; name another\n", option,
          path);
  return EXIT_USAGE;
}

/* Before anything is computed for it. */
static int check_output(const Options *o, const char *option, const char *path) {
  if (!path) return 0;
  const int bad = is_read(o, option, path);
  return bad ? bad : cannot_write(path);
}

/* The files are only checked. */
static bool asks_nothing(const Options *o) {
  return !o->ndumps && !o->nwhys && !o->diff && !o->automatic && !o->emit_c && !o->emit_html &&
         !o->output && !o->run;
}

static int summary(Driver *d) {
  char *text;
  dtgc_status s = dtgc_dump(d->program, "summary", &text);
  if (s) return fail(d, s, d->program);
  printf("%s: %s", d->o.file[0], text);
  dtgc_free_text(text);
  return 0;
}

static int work(Driver *d) {
  if (wants_only_ast(&d->o)) return dump_ast(d);
  int bad = check_output(&d->o, "-o", d->o.output);
  if (!bad) bad = check_output(&d->o, "--emit-html", d->o.emit_html);
  if (bad) return bad;
  busy_say(d->busy, "compiling %s", d->o.file[0]);
  dtgc_status s = dtgc_compile(d->source, d->o.nfiles, &d->options, &d->program);
  if (s) return fail(d, s, d->program);
  busy_idle(d->busy);
  bad = d->quiet ? 0 : asks_nothing(&d->o) ? summary(d) : dump(d);
  if (!bad) bad = why(d);
  if (!bad && d->o.automatic) bad = find_layouts(d);
  if (!bad && d->o.diff) bad = diff(d);
  if (!bad && d->o.emit_c) bad = emit_c_files(d);
  if (!bad && d->o.emit_html) bad = emit_html_file(d);
  if (!bad && d->o.output) bad = build(d);
  if (!bad && d->o.run && !(d->o.ndumps && d->o.nrest == 0)) return run(d);
  if (!bad) show_times(d);
  return bad;
}

static int show_ops(void) {
  char *text = NULL;
  if (dtgc_ops(&text)) return EXIT_ERRORS;
  fputs(text, stdout); /* finish_output reports failures */
  dtgc_free_text(text);
  return 0;
}

/* To -o FILE, or to standard output; of rank 0 alone. */
static int calibrate(Driver *d) {
  const Options *o = &d->o;
  dtgc_calibration c = {.transport = o->transport, .devices = o->devices, .quick = o->quick};
  char *text = NULL;
  int bad = 0;
  /* Before seconds are spent on measuring. */
  if (o->output && (bad = cannot_write(o->output))) return bad;
  dtgc_status s = dtgc_calibrate(&c, &text);
  if (s) {
    if (dtrt_launch_rank() == 0) fprintf(stderr, "dtgc: %s\n", text ? text : "out of memory");
    bad = s == DTGC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_ERRORS;
  } else if (dtrt_launch_rank() == 0 && o->output) {
    bad = write_file(o->output, text);
  } else if (dtrt_launch_rank() == 0) {
    fputs(text, stdout);
  }
  dtgc_free_text(text);
  return bad;
}

static int drive(Driver *d) {
  Options *o = &d->o;
  if (o->calibrate && !o->help && !o->version && !o->ops) return calibrate(d);
  if (o->help) fputs(options_help, stdout);
  if (o->help) return 0;
  if (o->ops) return show_ops();
  if (o->version) printf("dtgc %s\n", dtgc_version());
  if (o->version) return 0;
  if (o->nalsos > MOST_VARIANTS) {
    fprintf(stderr, "dtgc: --also is given more than %d times\n", MOST_VARIANTS);
    return EXIT_USAGE;
  }
  d->quiet = o->run && dtrt_launch_rank() > 0;
  if (o->timeout) setenv("DTRT_TIMEOUT", o->timeout, 1); /* dtrt_main rejects a wrong one */
  d->machine = (dtgc_source){.name = o->machine};
  d->options = (dtgc_options){.define = o->define,
                              .ndefines = o->ndefines,
                              .mesh = o->mesh,
                              .precision = o->precision,
                              .layout = o->layout,
                              .nlayouts = o->nlayouts,
                              .memory = o->automatic ? 0 : o->memory,
                              .strict_layouts = o->strict_layouts,
                              .seed = o->run ? o->seed : 0,
                              .check_nan = o->check_nan ? DTGC_CHECK_FULL : DTGC_CHECK_OFF,
                              .import_dir = o->import_dir,
                              .nimport_dirs = o->nimport_dirs,
                              .transport = o->transport,
                              .cpu = o->cpu,
                              .machine = o->machine ? &d->machine : NULL,
                              .disable = o->disable,
                              .ndisables = o->ndisables,
                              .optimize = o->optimize,
                              .no_lines = o->no_lines,
                              .loader = o->loader,
                              .sums = o->sums,
                              .repeat_saves = o->repeat_saves,
                              .drop_exchange = o->drop_exchange,
                              .command_line = 1,
                              .will_load = o->run || o->verify || o->output,
                              .message = on_message,
                              .doing = on_doing,
                              .user = d};
  d->source = calloc((size_t)o->nfiles, sizeof *d->source);
  if (!d->source) return EXIT_ERRORS;
  for (int i = 0; i < o->nfiles; i++) d->source[i].name = o->file[i];
  if (!d->quiet) d->busy = busy_begin();
  int status = o->verify ? verify(d) : work(d);
  busy_end(d->busy);
  for (int i = 0; i < d->nvariants; i++) dtgc_free(d->variant[i]);
  dtgc_free_text(d->layouts);
  dtgc_free(d->program);
  free(d->source);
  return status;
}

/* The executable beside this one: docs/clusters.md. */
static int launch(char **argv) {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof "-launch");
  if (n > 0) memcpy(path + n, "-launch", sizeof "-launch");
  if (n > 0) execv(path, argv + 1);
  fprintf(stderr, "dtgc: %s: %s\n", n > 0 ? path : "/proc/self/exe", strerror(errno));
  return EXIT_ERRORS;
}

static int checkpoint(int argc, char **argv) {
  static char name[] = "dtgc checkpoint";
  argv[0] = name;
  return dtrt_checkpoint_main(argc, argv);
}

/* All output must have been written. A write that failed earlier is remembered by the stream, not
 * by its last flush, and some file systems report a full disk when the file is closed. */
static int finish_output(int status) {
  bool bad = ferror(stdout);
  int error = 0;
  if (fflush(stdout)) bad = true, error = errno;
  /* Closed by the caller, and nothing was printed: no error. */
  if (fclose(stdout) && !bad && errno != EBADF) bad = true, error = errno;
  if (!bad || status) return status;
  fprintf(stderr, "dtgc: standard output: %s\n",
          error ? strerror(error) : "it could not be written");
  return EXIT_ERRORS;
}

/* Launchers end all ranks when one ends badly: the others leave rank 0 time to say why. */
static void let_first_speak(int status) {
  if (status && dtrt_launch_rank() > 0) nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
}

int main(int argc, char **argv) {
  static Driver d;
  char why[512];
  int status = EXIT_USAGE;
  process_begin();
  if (argc > 1 && !strcmp(argv[1], "plot")) return finish_output(plot_main(argc - 2, argv + 2));
  if (argc > 1 && !strcmp(argv[1], "launch")) return launch(argv);
  if (argc > 1 && !strcmp(argv[1], "checkpoint"))
    return finish_output(checkpoint(argc - 1, argv + 1));
  if (argc < 2)
    fputs(options_help, stderr);
  else if (!options_read(argc, argv, &d.o, why, sizeof why))
    fprintf(stderr, "dtgc: %s\n", why);
  else
    status = drive(&d);
  options_free(&d.o);
  let_first_speak(status);
  return d.quiet ? status : finish_output(status);
}
