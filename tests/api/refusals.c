/* What dtgc.h refuses: NULL, negative counts, wrong names and options. Each is DTGC_BAD_ARGUMENT
 * (or the value the header names) and leaves a reason of its own, not the one of the call before.
 */
#include <dtgc.h>
#include <dtrt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(int ok, int line, const char *what, const char *said) {
  if (ok) return;
  fprintf(stderr, "refusals.c:%d: %s: %s\n", line, what, said);
  failures++;
}
#define CHECK(what) check(what, __LINE__, #what, "")
/* The call is refused, and the reason has `part` in it. */
#define REFUSED(p, call, part)                                                                     \
  do {                                                                                             \
    dtgc_get(p, "stale", NULL, 0); /* an error to be replaced */                                   \
    int s_ = (call);                                                                               \
    check(s_ == DTGC_BAD_ARGUMENT && strstr(dtgc_error(p), part), __LINE__, #call, dtgc_error(p)); \
  } while (0)

static const char model[] = "const n = 4\n"
                            "const k = 2\n"
                            "layer scaled() {\n"
                            "  param w: f32[k] = ones()\n"
                            "  apply(x) { return x * sum(w) }\n"
                            "}\n"
                            "m = scaled()\n"
                            "entry go(x: f32[n]) { return y = m(x) }\n";

static dtgc_status compile(const dtgc_options *o, dtgc_program **p) {
  return dtgc_compile_string("model.dtg", model, o, p);
}

/* Compiling with these options is refused before anything runs. */
static void bad_options(int line, dtgc_options o, const char *part) {
  dtgc_program *p = NULL;
  dtgc_status s = compile(&o, &p);
  check(s == DTGC_BAD_ARGUMENT && strstr(dtgc_error(p), part), line, part, dtgc_error(p));
  dtgc_free(p);
}
#define BAD_OPTIONS(part, ...) bad_options(__LINE__, (dtgc_options){__VA_ARGS__}, part)

static const char *const wrong_names[] = {"overlap,overlpa", "partition", "", "rows,"};
static void wrong_ways(void) {
  BAD_OPTIONS("do you mean `overlap`", .disable = wrong_names, .ndisables = 1);
  BAD_OPTIONS("`partition` cannot be disabled", .disable = wrong_names + 1, .ndisables = 1);
  BAD_OPTIONS("unknown optimization ``", .disable = wrong_names + 2, .ndisables = 1);
  BAD_OPTIONS("unknown optimization ``", .disable = wrong_names + 3, .ndisables = 1);
  BAD_OPTIONS("ndisables is -1", .disable = wrong_names, .ndisables = -1);
  BAD_OPTIONS("disable is NULL", .ndisables = 1);
  BAD_OPTIONS("optimize is `4`", .optimize = "4");
  BAD_OPTIONS("optimize is ``", .optimize = "");
  BAD_OPTIONS("do you mean `llvm`", .loader = "lvm");
  BAD_OPTIONS("own, llvm or perf", .loader = "elsewhere");
  BAD_OPTIONS("sums is `any`, not fixed or fast", .sums = "any");
  BAD_OPTIONS("repeat_saves is -1", .repeat_saves = -1);
  BAD_OPTIONS("drop_exchange is -2", .drop_exchange = -2);
  CHECK(!dtgc_optimization(-1) && dtgc_optimization(0) && !dtgc_optimization(1000));
}

static void no_program(void) {
  dtgc_tensor t;
  char *text;
  const struct dtrt_program *code;
  CHECK(dtgc_run(NULL, "go", NULL, 0, NULL, 0) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_start(NULL) == DTGC_BAD_ARGUMENT && dtgc_load(NULL, &code) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_get(NULL, "a", &t, 1) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_set(NULL, "a", &t, 1) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_entries(NULL) == 0 && !dtgc_entry(NULL, 0) && dtgc_vars(NULL) == 0);
  CHECK(dtgc_inputs(NULL, "go") == -1 && dtgc_outputs(NULL, "go") == -1);
  CHECK(dtgc_input(NULL, "go", 0, &t) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_output(NULL, "go", 0, &t) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_var(NULL, 0, &t) == DTGC_BAD_ARGUMENT && dtgc_find_var(NULL, "a") == -1);
  CHECK(dtgc_dump(NULL, "c", &text) == DTGC_BAD_ARGUMENT && !text);
  CHECK(dtgc_why(NULL, "a", &text) == DTGC_BAD_ARGUMENT && !text);
  CHECK(dtgc_diff(NULL, NULL, NULL, NULL, &text) == DTGC_BAD_ARGUMENT && !text);
  CHECK(dtgc_times(NULL, NULL, 3) == 0 && dtgc_from_cache(NULL) == -1 && dtgc_devices(NULL) == 0);
  CHECK(dtgc_errors(NULL) == 0 && dtgc_warnings(NULL) == 0 && !dtgc_header(NULL));
  CHECK(dtgc_build(NULL, 1, "x", 0) == DTGC_BAD_ARGUMENT && dtgc_ops(NULL) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_compile_file("x", NULL, NULL) == DTGC_BAD_ARGUMENT && compile(NULL, NULL));
  CHECK(dtgc_dump_ast(NULL, 1, NULL, NULL) == DTGC_BAD_ARGUMENT);
  dtgc_free_text(NULL);
}

static void wrong_runs(dtgc_program *p) {
  float x[4] = {0};
  dtgc_buffer in = {"x", x, sizeof x}, nameless = {NULL, x, sizeof x};
  REFUSED(p, dtgc_run(p, NULL, &in, 1, NULL, 0), "entry is NULL");
  REFUSED(p, dtgc_run(p, "go", NULL, 2, NULL, 0), "inputs are NULL");
  REFUSED(p, dtgc_run(p, "go", &in, 1, NULL, 1), "outputs are NULL");
  REFUSED(p, dtgc_run(p, "go", &in, -1, NULL, 0), "-1 inputs");
  REFUSED(p, dtgc_run(p, "go", &in, 1, NULL, -2), "-2 outputs");
  REFUSED(p, dtgc_run(p, "go", &nameless, 1, NULL, 0), "name is NULL");
  REFUSED(p, dtgc_run(p, "init", &in, 1, NULL, 0), "unknown input `x`");
  REFUSED(p, dtgc_get(p, NULL, x, 8), "path is NULL");
  REFUSED(p, dtgc_set(p, NULL, x, 8), "path is NULL");
  REFUSED(p, dtgc_get(p, "m.w", NULL, 8), "buffer is NULL");
  REFUSED(p, dtgc_set(p, "m.w", NULL, 8), "buffer is NULL");
}

static void wrong_looks(dtgc_program *p) {
  dtgc_tensor t;
  char *text = NULL;
  dtgc_program *two[] = {p, NULL};
  CHECK(dtgc_inputs(p, NULL) == -1 && dtgc_find_var(p, NULL) == -1);
  CHECK(dtgc_inputs(p, "init") == 0 && dtgc_outputs(p, "init") == 0 && dtgc_entries(p) == 1);
  REFUSED(p, dtgc_var(p, 999, &t), "no variable 999");
  REFUSED(p, dtgc_var(p, 0, NULL), "out is NULL");
  REFUSED(p, dtgc_input(p, "goo", 0, &t), "`go`");
  REFUSED(p, dtgc_input(p, "go", 7, &t), "no input 7");
  REFUSED(p, dtgc_output(p, "go", -1, &t), "no output -1");
  REFUSED(p, dtgc_input(p, NULL, 0, &t), "entry is NULL");
  REFUSED(p, dtgc_input(p, "go", 0, NULL), "out is NULL");
  REFUSED(p, dtgc_load(p, NULL), "out is NULL");
  REFUSED(p, dtgc_dump(p, NULL, &text), "stage is NULL");
  REFUSED(p, dtgc_dump(p, "c", NULL), "text is NULL");
  REFUSED(p, dtgc_dump(p, "layout", &text), "`layouts`");
  REFUSED(p, dtgc_dump(p, "zzzzzzzzz", &text), "dtgc_stages() lists them");
  REFUSED(p, dtgc_why(p, NULL, &text), "name is NULL");
  REFUSED(p, dtgc_why(p, "m.w", NULL), "text is NULL");
  REFUSED(p, dtgc_why(p, "n.w", &text), "`m.w`");
  REFUSED(p, dtgc_why(p, "", &text), "no tensor");
  REFUSED(p, dtgc_diff(p, NULL, NULL, NULL, &text), "other is NULL");
  REFUSED(p, dtgc_diff(p, p, NULL, NULL, NULL), "text is NULL");
  REFUSED(p, dtgc_build(&p, 0, "x", 0), "no program to build");
  REFUSED(p, dtgc_build(&p, 1, NULL, 0), "output is NULL");
  REFUSED(p, dtgc_build(&p, 1, "", 0), "output is empty");
  REFUSED(p, dtgc_build(two, 2, "x", 0), "programs[1] is NULL");
  const char *files[] = {"main.c", "-o"};
  REFUSED(p, dtgc_build_with(&p, 1, NULL, 1, "x", 0), "files is NULL");
  REFUSED(p, dtgc_build_with(&p, 1, files, -1, "x", 0), "files is NULL");
  REFUSED(p, dtgc_build_with(&p, 1, files, 2, "x", 0), "files[1] is not a valid file name");
}

/* A layout of a variable that is not there: told, or with strict_layouts an error. */
static void strict_layouts(void) {
  const char *gone[] = {"gone.w=replicated"};
  for (int strict = 0; strict < 2; strict++) {
    dtgc_options o = {.layout = gone, .nlayouts = 1, .strict_layouts = strict};
    dtgc_program *p = NULL;
    CHECK(compile(&o, &p) == (strict ? DTGC_BAD_SOURCE : DTGC_OK));
    CHECK(dtgc_warnings(p) == !strict && dtgc_errors(p) == strict);
    CHECK(!strict || strstr(dtgc_error(p), "`gone.w` names no tensor"));
    dtgc_free(p);
  }
}

static void wrong_options(void) {
  const char *none[] = {NULL};
  BAD_OPTIONS("layout is NULL, but nlayouts is 3", .nlayouts = 3);
  BAD_OPTIONS("define is NULL", .ndefines = 1);
  BAD_OPTIONS("nimport_dirs is -1", .nimport_dirs = -1);
  BAD_OPTIONS("layout[0] is NULL", .layout = none, .nlayouts = 1);
  BAD_OPTIONS("pigeon", .transport = "pigeon");
  BAD_OPTIONS("do you mean `threads`", .transport = "thread");
  BAD_OPTIONS("the mesh has 2", .transport = "self", .mesh = "a=2");
  BAD_OPTIONS("unknown CPU `z80`", .cpu = "z80");
  BAD_OPTIONS("unknown CPU ``", .cpu = "");
  dtgc_program *p = NULL;
  CHECK(compile(&(dtgc_options){.cpu = "native", .transport = "self"}, &p) == DTGC_OK);
  dtgc_free(p);
  CHECK(dtgc_compile_file(NULL, NULL, &p) == DTGC_BAD_ARGUMENT);
  CHECK(strstr(dtgc_error(p), "path is NULL") != NULL);
  dtgc_free(p);
  CHECK(dtgc_compile(NULL, 2, NULL, &p) == DTGC_BAD_ARGUMENT);
  dtgc_free(p);
  CHECK(dtgc_compile(&(dtgc_source){0}, 1, NULL, &p) == DTGC_BAD_ARGUMENT);
  dtgc_free(p);
}

static void variants(void) {
  const char *n[] = {"n=2"}, *k[] = {"k=3"};
  dtgc_program *base = NULL, *p = NULL;
  CHECK(compile(&(dtgc_options){.mesh = "a=2"}, &base) == DTGC_OK);
  BAD_OPTIONS("another mesh", .variant_of = base);
  BAD_OPTIONS("`m.w` is a param f32[3] here, but a param f32[2]", .variant_of = base, .mesh = "a=2",
              .define = k, .ndefines = 1);
  dtgc_options o = {.variant_of = base, .mesh = "a=2", .define = n, .ndefines = 1};
  CHECK(compile(&o, &p) == DTGC_OK);
  dtgc_free(p);
  dtgc_free(base);
}

typedef struct Seen {
  int n;
  char file[2][32];
} Seen;

static void see(void *user, const dtgc_message *m) {
  Seen *s = user;
  if (m->severity == DTGC_ERROR && s->n < 2)
    snprintf(s->file[s->n++], sizeof *s->file, "%s", m->file ? m->file : "");
}

/* Two wrong layouts: each is told by its own name; both are counted. */
static void told(void) {
  const char *layouts[] = {"x=[a,a]", "m.w=[a,a]"};
  static const char *const names[2][2] = {{"layout[0]", "layout[1]"}, {"--layout 1", "--layout 2"}};
  for (int command_line = 0; command_line < 2; command_line++) {
    Seen seen = {0};
    dtgc_program *p = NULL;
    dtgc_options o = {.mesh = "a=2",
                      .layout = layouts,
                      .nlayouts = 2,
                      .command_line = command_line,
                      .message = see,
                      .user = &seen};
    CHECK(compile(&o, &p) == DTGC_BAD_SOURCE);
    for (int i = 0; i < 2; i++)
      check(strcmp(seen.file[i], names[command_line][i]) == 0, __LINE__, names[command_line][i],
            seen.file[i]);
    CHECK(dtgc_errors(p) == 2 && dtgc_warnings(p) == 0);
    dtgc_free(p);
  }
  const char *also[] = {"x=[a]\nmesh [b=2]"};
  dtgc_program *p = NULL;
  dtgc_options o = {.mesh = "a=2", .layout = also, .nlayouts = 1};
  CHECK(compile(&o, &p) == DTGC_BAD_SOURCE && strstr(dtgc_error(p), "expected a layout statement"));
  dtgc_free(p);
  CHECK(compile(&(dtgc_options){.mesh = "a=2]\nconst z = [1"}, &p) == DTGC_BAD_SOURCE);
  dtgc_free(p);
}

/* The error lies in the library; its notes lead to the line that called it. */
static void told_of_library(void) {
  static const char text[] = "import \"nn\"\n"
                             "d = dense(4, 2)\n"
                             "entry go(x: f32[3, 5]) { return y = d(x) }\n";
  dtgc_program *p = NULL;
  CHECK(dtgc_compile_string("mine.dtg", text, NULL, &p) == DTGC_BAD_SOURCE);
  check(strstr(dtgc_error(p), "dtg/nn.dtg:") && strstr(dtgc_error(p), "mine.dtg:3:"), __LINE__,
        "both places", dtgc_error(p));
  dtgc_free(p);
  char *ast = NULL;
  dtgc_source s = {.name = "half.dtg", .text = "entry go(", .bytes = 9};
  CHECK(dtgc_dump_ast(&s, 1, NULL, &ast) == DTGC_BAD_SOURCE);
  check(ast && strstr(ast, "half.dtg:1:"), __LINE__, "dtgc_dump_ast", ast ? ast : "NULL");
  dtgc_free_text(ast);
}

/* dtrt.h with the code of a program: what is not there, or NULL, is refused. */
#define INVALID(s, call, part)                                                                     \
  check((call) == DTRT_INVALID && strstr(dtrt_session_error(s), part), __LINE__, #call,            \
        dtrt_session_error(s))
static void runtime(dtgc_program *p) {
  const dtrt_program *code = NULL;
  dtrt_session *s = NULL, *none = NULL, *shut = NULL;
  dtrt_memory m;
  char why[99] = "", *text;
  float x[4] = {0};
  void *in[1] = {x};
  dtrt_feed feed = {0};
  int which;
  CHECK(dtgc_load(p, &code) == DTGC_OK && dtrt_open(code, NULL, NULL) == DTRT_INVALID);
  INVALID(none, dtrt_open(NULL, NULL, &none), "the program is NULL");
  INVALID(shut, dtrt_open(code, &(dtrt_options){.transport = "pigeon"}, &shut), "pigeon");
  CHECK(dtrt_open(code, NULL, &s) == DTRT_OK);
  dtrt_session *wrong[] = {NULL, none, shut};
  for (int i = 0; i < 3; i++) {
    dtrt_session *w = wrong[i];
    CHECK(dtrt_call(w, 1, (const void *const *)in, NULL) == DTRT_INVALID);
    CHECK(dtrt_get_var(w, 0, x, 8) == DTRT_INVALID && dtrt_set_var(w, 0, x, 8) == DTRT_INVALID);
    CHECK(dtrt_get_block(w, 0, 0, x, 8) == DTRT_INVALID && dtrt_barrier(w, "b", 1) == DTRT_INVALID);
    CHECK(dtrt_add_program(w, code, &which) == DTRT_INVALID && dtrt_fit(w, NULL) == DTRT_INVALID);
    CHECK(dtrt_check_replicas(w) == DTRT_INVALID && dtrt_profile_start(w) == DTRT_INVALID);
    CHECK(dtrt_profile_text(w, &text) == DTRT_INVALID);
    CHECK(dtrt_save(w, "x", NULL) == DTRT_INVALID);
    CHECK(dtrt_restore(w, "x", NULL, NULL) == DTRT_INVALID);
    CHECK(dtrt_session_rank(w) == 0 && dtrt_session_nranks(w) == 1);
    CHECK(dtrt_session_local_devices(w) == 0 && !*dtrt_session_host(w, 0));
    CHECK(dtrt_session_traffic(w, 0).sent == -1 && dtrt_device_memory(w, 0).total == -1);
    CHECK(dtrt_session_algorithm(w, 0, 0).exchanges == -1 && dtrt_session_memory(w) == 0);
    dtrt_local_devices(w, NULL, NULL);
    dtrt_watch(NULL, NULL, NULL);
  }
  CHECK(!dtrt_session_program(NULL) && dtrt_session_ndevices(NULL) == 0);
  INVALID(s, dtrt_add_program(s, NULL, &which), "it is NULL");
  INVALID(s, dtrt_add_program(s, code, NULL), "which is NULL");
  INVALID(s, dtrt_get_block(s, 0, 0, NULL, 8), "the buffer is NULL");
  INVALID(s, dtrt_profile_text(s, NULL), "text is NULL");
  CHECK(dtrt_find_var(code, NULL) == -1 && dtrt_find_var(NULL, "m.w") == -1);
  CHECK(dtrt_find_entry(code, NULL) == -1 && dtrt_find_entry(NULL, "go") == -1);
  CHECK(dtrt_predict_memory(NULL, 0, &m) == DTRT_INVALID);
  CHECK(dtrt_predict_memory(code, 0, NULL) == DTRT_INVALID);
  CHECK(dtrt_read_inputs(code, 9, NULL, 0, 0, in, NULL, 0) == DTRT_INVALID);
  CHECK(dtrt_read_inputs(code, 1, &feed, 1, 0, in, why, sizeof why) == DTRT_INVALID && *why);
  CHECK(dtrt_read_inputs(NULL, 1, NULL, 0, 0, in, why, sizeof why) == DTRT_INVALID);
  CHECK(dtrt_launch_place(NULL, NULL, NULL) == DTRT_INVALID);
  CHECK(dtrt_launch_bcast(NULL, NULL, NULL) == DTRT_INVALID);
  dtrt_close(s), dtrt_close(none), dtrt_close(shut), dtrt_close(NULL);
}

int main(void) {
  dtgc_program *p = NULL;
  wrong_ways();
  no_program();
  CHECK(compile(NULL, &p) == DTGC_OK);
  wrong_runs(p);
  wrong_looks(p);
  CHECK(dtgc_times(p, NULL, 5) > 3);
  CHECK(dtgc_run(p, "init", NULL, 0, NULL, 0) == DTGC_OK);
  runtime(p);
  dtgc_free(p);
  strict_layouts();
  wrong_options();
  variants();
  told();
  told_of_library();
  if (failures) fprintf(stderr, "%d failures\n", failures);
  return failures != 0;
}
