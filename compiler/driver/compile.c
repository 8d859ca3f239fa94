/* dtgc.h, first part: from sources and options to a program with a plan, and the dumps of its
 * stages. Texts and options of the host are copied into the program's arena; the host's own memory
 * is not referenced afterwards. */
#include "program.h"
#include "thread_state.h"
#include "edits.h"
#include "emit_c.h"
#include "environment.h"
#include "files.h"
#include "host_machine.h"
#include "report.h"
#include "op_list.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SOURCE_BYTES = 64 << 20 };

const char *dtgc_version(void) { return DTGC_VERSION; }

/* -------- messages -------- */

/* The first error with its notes: when it is in the shipped library, they lead to the line of the
 * host's own text. */
static void keep_first(dtgc_program *p, const Message *m) {
  char *text = NULL;
  if (m->severity != SEV_NOTE) p->after_first = m->severity == SEV_ERROR && !p->first_error_kept;
  if (!p->after_first && !m->of_first) return;
  if (m->severity == SEV_ERROR)
    program_fail_with(p, DTGC_OK, strdup(m->rendered));
  else if (p->error && asprintf(&text, "%s\n%s", p->error, m->rendered) >= 0)
    program_fail_with(p, DTGC_OK, text);
  p->first_error_kept = true;
}

static void on_message(void *user, const Message *m) {
  dtgc_program *p = user;
  keep_first(p, m);
  static const dtgc_severity severity[] = {
      [SEV_ERROR] = DTGC_ERROR, [SEV_WARNING] = DTGC_WARNING, [SEV_NOTE] = DTGC_NOTE};
  dtgc_message out = {severity[m->severity], m->file, m->line, m->column, m->text, m->rendered};
  if (p->message) p->message(p->user, &out);
}

/* -------- sources and options into the arena -------- */

/* Arena memory ending in NUL; NULL with *why when the file cannot be read. */
static char *read_file(Arena *a, const char *path, size_t *len, const char **why) {
  int fd = file_open(path, why);
  FILE *f = fd >= 0 ? fdopen(fd, "rb") : NULL;
  if (!f) {
    if (fd >= 0) *why = strerror(errno), close(fd);
    return NULL;
  }
  /* Through malloc, because an arena that runs out would jump past fclose. */
  size_t n = 0, cap = 1 << 14;
  char *text = malloc(cap);
  while (text && n <= MOST_SOURCE_BYTES) {
    size_t got = fread(text + n, 1, cap - n, f);
    n += got;
    if (got == 0) break;
    if (n == cap) {
      char *more = realloc(text, cap *= 2);
      if (!more) free(text);
      text = more;
    }
  }
  int bad = !text ? ENOMEM : n > MOST_SOURCE_BYTES ? EFBIG : ferror(f) ? EIO : 0;
  fclose(f);
  char *copy = bad ? NULL : arena_strndup(a, text, n);
  free(text);
  *len = n;
  if (bad) *why = strerror(bad);
  return copy;
}

static char *read_import(void *user, Arena *a, const char *path, size_t *len, const char **why) {
  (void)user;
  errno = 0;
  char *text = read_file(a, path, len, why);
  if (text || errno == ENOENT || errno == ENOTDIR) *why = NULL;
  return text;
}

static const char *const *copy_texts(Arena *a, const char *const *from, int n) {
  const char **out = arena_array(a, const char *, n > 0 ? n : 1);
  for (int i = 0; i < n; i++) out[i] = arena_strdup(a, from[i]);
  return out;
}

typedef struct CompileArgs {
  const dtgc_source *source;
  int n;
  const dtgc_options *o;
  Str *ast; /* not NULL: the AST alone is requested */
  bool single;
  Observe observe;
  JitAhead *ahead;
} CompileArgs;

/* "samples/mnist/mlp.dtg" is called "mlp". */
static const char *stem_of(Arena *a, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  size_t n = strlen(base);
  if (n > 4 && strcmp(base + n - 4, ".dtg") == 0) n -= 4;
  return arena_strndup(a, base, n);
}

/* The text of a source in the arena; NULL with *why when its file cannot be read. */
static char *source_text(Arena *a, const dtgc_source *from, const char *name, size_t *len,
                         const char **why) {
  if (!from->text) return read_file(a, name, len, why);
  *len = from->bytes;
  return arena_strndup(a, from->text, from->bytes);
}

static dtgc_status take_sources(dtgc_program *p, const CompileArgs *c) {
  FrontSource *s = arena_array(p->arena, FrontSource, c->n > 0 ? c->n : 1);
  for (int i = 0; i < c->n; i++) {
    const dtgc_source *from = &c->source[i];
    s[i].name = arena_strdup(p->arena, from->name ? from->name : "text");
    const char *why = "";
    s[i].text = source_text(p->arena, from, s[i].name, &s[i].len, &why);
    if (!s[i].text) diag_error(&p->diag, (Span){0}, "%s cannot be read: %s", s[i].name, why);
  }
  p->front.source = s;
  p->name = c->n ? stem_of(p->arena, s[0].name) : "program";
  p->front.nsources = c->n;
  return p->diag.errors ? DTGC_BAD_SOURCE : DTGC_OK;
}

/* Ranks on several computers, which may differ and need the same plan, or where the launcher does
 * not say. Ranks of one have the plan, and so the bits, of threads. */
static bool is_for_hosts(const dtgc_options *o) {
  const int ranks = dtrt_launch_size();
  if (ranks > 1) return dtrt_launch_local() != ranks;
  return o->mpi_comm || (o->transport && !strcmp(o->transport, "mpi"));
}

/* The machine that a word names, or the default; NULL: that of a file. Code for another CPU runs on
 * a computer that is not here. */
static const char *machine_word(const dtgc_program *p, const dtgc_options *o) {
  const char *name = o->machine ? o->machine->name : NULL;
  if (!o->machine) return p->jit.cpu || is_for_hosts(o) ? "generic" : "native";
  if (o->machine->text || !name) return NULL;
  return !strcmp(name, "generic") ? "generic" : !strcmp(name, "native") ? "native" : NULL;
}

/* After the front end, whose sources come first. False when it is wrong. What it is is kept for
 * variants. */
static bool take_machine(dtgc_program *p, const dtgc_options *o, const Machine **out) {
  size_t len;
  *out = NULL;
  const char *word = machine_word(p, o);
  if (word) {
    *out = *word == 'g' ? machine_generic() : host_machine(p->arena);
    dtgc_source *kept = arena_array(p->arena, dtgc_source, 1);
    *kept = (dtgc_source){.name = word};
    p->given.machine = kept;
    return true;
  }
  const char *why = "";
  char *name = arena_strdup(p->arena, o->machine->name ? o->machine->name : "machine");
  char *text = source_text(p->arena, o->machine, name, &len, &why);
  dtgc_source *kept = arena_array(p->arena, dtgc_source, 1);
  *kept = (dtgc_source){name, text, len};
  p->given.machine = kept;
  if (!text)
    diag_error(&p->diag, (Span){0},
               "%s cannot be read: %s (--machine takes a file, native or generic)", name, why);
  else
    *out = machine_read(p->arena, &p->diag, diag_add_source(&p->diag, name, text, len));
  return *out;
}

static JitLoader loader_of(const char *name) {
  if (!name) return LOADER_ANY;
  return !strcmp(name, "own") ? LOADER_OWN : !strcmp(name, "llvm") ? LOADER_LLVM : LOADER_PERF;
}

static void take_disabled(dtgc_program *p, const dtgc_options *o) {
  const char *word;
  int len;
  p->given.disable = copy_texts(p->arena, o->disable, o->ndisables);
  for (int i = 0; i < o->ndisables; i++)
    pipeline_disable(&p->disabled, o->disable[i], &word,
                     &len); /* check_arguments saw no wrong one */
  /* Code for another CPU may round where the kernels, which are those of the CPU that runs it, do
   * not. */
  if (p->jit.cpu || !host_multiplies_adds()) pipeline_disable(&p->disabled, "unroll", &word, &len);
}

static void take_options(dtgc_program *p, const dtgc_options *o) {
  Arena *a = p->arena;
  p->front.read = read_import;
  p->jit.debug_lines = true;
  p->front.define = copy_texts(a, o->define, p->front.ndefines = o->ndefines);
  p->front.layout = copy_texts(a, o->layout, p->front.nlayouts = o->nlayouts);
  p->front.strict_layouts = o->strict_layouts != 0;
  p->front.import_dir = copy_texts(a, o->import_dir, p->front.nimport_dirs = o->nimport_dirs);
  p->front.mesh = o->mesh ? arena_strdup(a, o->mesh) : NULL;
  p->front.precision = o->precision ? arena_strdup(a, o->precision) : NULL;
  p->front.command_line = o->command_line;
  p->front.variant = o->variant_of != NULL;
  p->transport = o->transport ? arena_strdup(a, o->transport) : NULL;
  p->jit.cpu = o->cpu && strcmp(o->cpu, "native") != 0 ? arena_strdup(a, o->cpu) : NULL;
  p->jit.cache = o->no_cache ? NULL : environment_cache(a, &p->jit.cache_named);
  p->jit.level = o->optimize ? arena_strdup(a, o->optimize) : NULL;
  p->jit.loader = loader_of(o->loader);
  p->jit.debug_lines = !o->no_lines;
  p->seed = o->seed;
  p->jit.mpi_comm = o->mpi_comm;
  p->devices_per_rank = o->devices_per_rank;
  p->timeout = o->timeout;
  p->cores = o->cores;
  if (o->check_nan == DTGC_CHECK_FULL) p->observe = OBSERVE_ALL;
  p->given = *o;
  p->given.define = p->front.define;
  p->given.layout = p->front.layout;
  p->given.import_dir = p->front.import_dir;
  p->given.mesh = p->front.mesh;
  p->given.precision = p->front.precision;
  p->given.transport = p->transport;
  p->given.cpu = p->jit.cpu;
  p->given.optimize = p->jit.level;
  p->given.loader = o->loader ? arena_strdup(a, o->loader) : NULL;
  p->given.sums = o->sums ? arena_strdup(a, o->sums) : NULL;
  take_disabled(p, o);
  p->given.variant_of = NULL;
  p->given.machine = NULL; /* take_machine copies it */
  p->given.message = NULL;
  p->given.doing = NULL;
  p->given.print = NULL;
  p->given.user = NULL;
}

/* -------- compiling -------- */

static void on_forbidden(void *user, Plan *p) { cure_forbidden(p, &((dtgc_program *)user)->front); }

static void on_pass(void *user, const char *pass, double ms) { program_time(user, pass, ms); }

static void on_trial(void *user, int done, int all) {
  program_doing(user, "layouts tried", done, all);
}

static bool is_fast(const char *sums) { return sums && !strcmp(sums, "fast"); }

static dtgc_status plan_inside(dtgc_program *p, void *arg) {
  const dtgc_program *base = arg;
  int warnings = p->diag.warnings;
  PipelineOptions po = {.variables_of = base ? base->plan : NULL,
                        .machine = p->machine,
                        .timed = on_pass,
                        .cure = on_forbidden,
                        .memory = p->observe ? 0 : (int64_t)p->given.memory,
                        .single = p->single,
                        .observe = p->observe,
                        .disabled = p->disabled,
                        .repeat_saves = p->given.repeat_saves,
                        .fast_sums = is_fast(p->given.sums),
                        .user = p};
  p->plan = pipeline_run(p->program, &po);
  p->has_key = p->has_key && p->diag.warnings == warnings;
  return p->plan ? DTGC_OK : DTGC_BAD_SOURCE;
}

void program_doing(dtgc_program *p, const char *what, int64_t done, int64_t all) {
  if (p->doing) p->doing(p->doing_user, what, done, all);
}

dtgc_status program_plan(dtgc_program *p) {
  dtgc_status s = program_begin(p);
  return s || p->plan ? s : program_guard(p, plan_inside, NULL);
}

/* A variant has the layouts of its base program's variables. */
static dtgc_status plan_of_base(dtgc_program *p, const dtgc_program *base) {
  dtgc_program *b = (dtgc_program *)base;
  PROGRAM_USE_TOO(p, b, "variant_of");
  dtgc_status s = program_plan(b);
  return s ? program_fail(p, s, "variant_of: %s", dtgc_error(b)) : DTGC_OK;
}

static dtgc_status compile_inside(dtgc_program *p, void *arg) {
  CompileArgs *c = arg;
  take_options(p, c->o);
  p->front.tried = on_trial, p->front.tried_user = p;
  dtgc_status s = take_sources(p, c);
  if (s) return s;
  if (c->ast) {
    *c->ast = str_new(p->arena);
    return front_dump_ast(p->arena, &p->diag, &p->front, c->ast) ? DTGC_OK : DTGC_BAD_SOURCE;
  }
  double start = jit_now();
  p->program = front_compile(p->arena, &p->diag, &p->front);
  program_time(p, "front", jit_now() - start);
  if (!take_machine(p, c->o, &p->machine) || !p->program) return DTGC_BAD_SOURCE;
  inspect_make(p);
  const dtgc_program *base = c->o->variant_of;
  if ((s = check_mesh(p)) || (base && (s = check_variant(p, base)))) return s;
  if (base && (s = plan_of_base(p, base))) return s;
  start = jit_now();
  bool found;
  if ((s = recall_object(p, c->o, &found))) return s;
  program_time(p, "recall", jit_now() - start);
  if (!found && c->o->will_load) c->ahead = jit_ahead();
  s = found ? DTGC_OK : plan_inside(p, (void *)base);
  p->compiled = s == DTGC_OK;
  return s;
}

static dtgc_status compile_with(CompileArgs *c, dtgc_program **out) {
  if (!out) return DTGC_BAD_ARGUMENT;
  *out = calloc(1, sizeof **out);
  dtgc_program *p = *out;
  if (p) p->arena = arena_new();
  if (!p || !p->arena) {
    free(p);
    *out = NULL;
    return DTGC_NO_MEMORY;
  }
  PROGRAM_USE(p);
  p->from_cache = -1;
  p->single = c->single;
  p->observe = c->observe;
  p->message = c->o ? c->o->message : NULL;
  p->user = c->o ? c->o->user : NULL;
  p->doing = c->o ? c->o->doing : NULL;
  p->print = c->o ? c->o->print : NULL;
  p->doing_user = p->user;
  if (arena_catch(p->arena)) { /* diag_init itself may need memory */
    p->out_of_memory = true;
    return DTGC_NO_MEMORY;
  }
  diag_init(&p->diag, p->arena, on_message, p);
  dtgc_options o;
  dtgc_status s = environment_options(p, c->o, &o);
  c->o = &o;
  if (!s) s = check_arguments(p, c->source, c->n, &o);
  if (!s) s = program_guard(p, compile_inside, c);
  jit_ahead_end(c->ahead);
  p->errors = p->diag.errors;
  p->warnings = p->diag.warnings;
  p->message = NULL; /* a dump may parse again, when the callback's `user` is no more */
  return s;
}

dtgc_status dtgc_compile(const dtgc_source *sources, int n, const dtgc_options *o,
                         dtgc_program **out) {
  return compile_with(&(CompileArgs){.source = sources, .n = n, .o = o}, out);
}

dtgc_status dtgc_compile_file(const char *path, const dtgc_options *o, dtgc_program **out) {
  dtgc_status s = dtgc_compile(&(dtgc_source){.name = path}, 1, o, out);
  if (!path && out && *out) program_fail(*out, s, "path is NULL");
  return s;
}

dtgc_status dtgc_compile_string(const char *name, const char *text, const dtgc_options *o,
                                dtgc_program **out) {
  dtgc_source s = {.name = name, .text = text, .bytes = text ? strlen(text) : 0};
  dtgc_status st = dtgc_compile(&s, text ? 1 : 0, o, out);
  if (!text && out && *out) program_fail(*out, st, "text is NULL");
  return st;
}

/* With one more constant, where `define` is not NULL; c holds the other options. */
static dtgc_status compile_again(dtgc_program *p, const char *define, CompileArgs *c,
                                 dtgc_options *o, dtgc_program **out) {
  int n = p->front.nsources, ndefines = p->front.ndefines;
  *out = NULL;
  dtgc_source *source = calloc((size_t)n, sizeof *source);
  const char **defines = calloc((size_t)ndefines + 1, sizeof *defines);
  dtgc_status s = DTGC_NO_MEMORY;
  if (source && defines) {
    for (int i = 0; i < n; i++)
      source[i] =
          (dtgc_source){p->front.source[i].name, p->front.source[i].text, p->front.source[i].len};
    for (int i = 0; i < ndefines; i++) defines[i] = p->front.define[i];
    defines[ndefines] = define;
    o->define = defines;
    o->ndefines = ndefines + (define != NULL);
    c->source = source, c->n = n, c->o = o;
    s = compile_with(c, out);
  }
  free(source);
  free(defines);
  return s;
}

dtgc_status program_variant(dtgc_program *p, const char *define, dtgc_program **out) {
  dtgc_options o = p->given;
  o.variant_of = p;
  return compile_again(p, define, &(CompileArgs){.observe = p->observe}, &o, out);
}

dtgc_status program_again(dtgc_program *p, bool single, Observe observe, dtgc_program **out) {
  dtgc_options o = p->given;
  o.check_nan = DTGC_CHECK_OFF;
  o.transport = single || dtgc_devices(p) == 1 ? "self" : "threads";
  o.mpi_comm = NULL;
  o.devices_per_rank = 0;
  return compile_again(p, NULL, &(CompileArgs){.single = single, .observe = observe}, &o, out);
}

/* -------- dumps -------- */

dtgc_status dtgc_ops(char **text) {
  PLAIN_THREAD_HERE;
  if (!text) return DTGC_BAD_ARGUMENT;
  Arena *a = arena_new();
  *text = NULL;
  if (a && !arena_catch(a)) {
    Str s = str_new(a);
    ops_doc(&s);
    *text = strdup(s.at);
  }
  arena_free(a);
  return *text ? DTGC_OK : DTGC_NO_MEMORY;
}

enum { MOST_STAGES = 64, LOOP_STAGES = 24 };
static const char *stages[MOST_STAGES] = {
#define STAGE(NAME, ...) NAME,
#include "stages.def"
};

/* "loops:PASS", for each pass after which the loops can be shown. */
static void name_loop_stages(void) {
  static char names[LOOP_STAGES][32];
  int n = 0;
  while (stages[n]) n++;
  for (int i = 0; i < LOOP_STAGES && pipeline_shows(i) && n + 1 < MOST_STAGES; i++) {
    snprintf(names[i], sizeof names[i], "loops:%s", pipeline_shows(i));
    stages[n++] = names[i];
  }
}

const char *const *dtgc_stages(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, name_loop_stages);
  return stages;
}

const char *dtgc_optimization(int i) { return i < 0 ? NULL : pipeline_optimization(i); }

static const char *stage_name(const void *table, int i) { return ((const char *const *)table)[i]; }

static dtgc_status fail_stage(dtgc_program *p, const char *stage) {
  const char *const *all = dtgc_stages();
  int n = 0;
  while (all[n]) n++;
  const char *near = inspect_near(stage, stage_name, all, n);
  return program_fail(p, DTGC_BAD_ARGUMENT, "unknown stage `%s`%s%s%s; dtgc_stages() lists them",
                      stage, near ? " (do you mean `" : "", near ? near : "", near ? "`?)" : "");
}

static dtgc_status emit_inside(dtgc_program *p, void *arg) {
  Emitted *e = arg;
  Str s = str_new(p->arena);
  Str layouts = str_new(p->arena);
  bool code = e->purpose != EMIT_TO_READ;
  EmitOptions o = {.name = p->name, .line_marks = code && p->jit.debug_lines};
  o.drop_exchange = p->given.drop_exchange;
  const long n = o.drop_exchange ? emit_exchanges(p->arena, p->plan) : 0;
  if (o.drop_exchange > n && !p->plan->single)
    return program_fail(p, DTGC_BAD_ARGUMENT,
                        "drop_exchange is %d, and the program has %ld exchange%s", o.drop_exchange,
                        n, n == 1 ? "" : "s");
  bool keeps = e->purpose == EMIT_TO_KEEP;
  o.values = p->observe != OBSERVE_NOTHING;
  if (keeps && report_dump(p->plan, &p->front, "layouts", &layouts)) o.layouts = layouts.at;
  EmitCounts counts;
  emit_c(&s, p->plan, &o, &counts);
  emit_left_out(&counts.uses, e->without);
  e->text = (JitSource){.at = s.at ? s.at : "", .n = s.n, .without = e->without};
  e->functions = counts.functions;
  return DTGC_OK;
}

dtgc_status program_emit(dtgc_program *p, EmitPurpose purpose, Emitted *out) {
  *out = (Emitted){.purpose = purpose};
  dtgc_status s = program_plan(p);
  double start = jit_now();
  if (!s) s = program_guard(p, emit_inside, out);
  program_time(p, "emit", jit_now() - start);
  return s;
}

typedef struct DumpArgs {
  const char *stage;
  Str out;
} DumpArgs;

static dtgc_status dump_inside(dtgc_program *p, void *arg) {
  DumpArgs *d = arg;
  d->out = str_new(p->arena);
  if (strcmp(d->stage, "ast") == 0)
    return front_dump_ast(p->arena, &p->diag, &p->front, &d->out) ? DTGC_OK : DTGC_BAD_SOURCE;
  if (report_dump(p->plan, &p->front, d->stage, &d->out)) return DTGC_OK;
  return fail_stage(p, d->stage);
}

dtgc_status dtgc_dump(dtgc_program *p, const char *stage, char **text) {
  if (text) *text = NULL;
  PROGRAM_USE(p);
  dtgc_status s = program_plan(p);
  if (s) return s;
  if (!stage || !text)
    return program_fail(p, DTGC_BAD_ARGUMENT, "%s is NULL", stage ? "text" : "stage");
  DumpArgs d = {.stage = stage};
  if (strcmp(stage, "c") == 0) {
    Emitted e;
    if ((s = program_emit(p, EMIT_TO_READ, &e))) return s;
    d.out = (Str){.at = (char *)e.text.at, .n = e.text.n};
  } else if ((s = program_guard(p, dump_inside, &d))) {
    return s;
  }
  *text = text_copy(&d.out);
  return *text ? DTGC_OK : program_fail(p, DTGC_NO_MEMORY, "out of memory");
}

static dtgc_status html_inside(dtgc_program *p, void *arg) {
  Str *out = arg;
  *out = str_new(p->arena);
  html_page(p->plan, p->name, out);
  return DTGC_OK;
}

dtgc_status dtgc_html(dtgc_program *p, char **text) {
  Str page;
  if (text) *text = NULL;
  PROGRAM_USE(p);
  dtgc_status s = program_plan(p);
  if (s) return s;
  if (!text) return program_fail(p, DTGC_BAD_ARGUMENT, "text is NULL");
  if ((s = program_guard(p, html_inside, &page))) return s;
  *text = text_copy(&page);
  return *text ? DTGC_OK : program_fail(p, DTGC_NO_MEMORY, "out of memory");
}

dtgc_status dtgc_dump_ast(const dtgc_source *sources, int n, const dtgc_options *o, char **text) {
  Str out = {0};
  dtgc_program *p = NULL;
  if (!text) return DTGC_BAD_ARGUMENT;
  *text = NULL;
  dtgc_status s = compile_with(&(CompileArgs){.source = sources, .n = n, .o = o, .ast = &out}, &p);
  *text = s ? strdup(dtgc_error(p)) : text_copy(&out);
  if (!*text) s = DTGC_NO_MEMORY;
  dtgc_free(p);
  return s;
}

const char *dtgc_header(const char *name) {
  if (!name) return NULL;
  if (strcmp(name, "dtrt.h") == 0) return jit_dtrt_h;
  if (strcmp(name, "dtrt_math.h") == 0) return jit_dtrt_math_h;
  return strcmp(name, "dtrt_special.h") == 0 ? jit_dtrt_special_h : NULL;
}
