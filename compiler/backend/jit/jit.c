/* Emitted C to an object, in this process: opens the LLVM module, chooses clang's arguments and
 * the headers it finds, tries the cache first. Invariant: the same source,
 * arguments, CPU and LLVM give the same key, and nothing else does. */
#include "jit.h"
#include "dtrt.h"
#include "elf_load.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double jit_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

const char *jit_own_path(void) {
  Dl_info info;
  return dladdr((void *)jit_dtrt_h, &info) && info.dli_fname ? info.dli_fname : NULL;
}

/* -------- the module -------- */

static struct {
  pthread_once_t once;
  const JitVerbs *verbs;
  char *error;
} jit_module = {.once = PTHREAD_ONCE_INIT};

static const JitVerbs *open_module(const char *path, char **why) {
  if (*why && access(path, F_OK)) return NULL; /* why the first, which is there, was of no use */
  void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const JitVerbs *v = h ? dlsym(h, "dtgc_jit_verbs") : NULL;
  if (v && v->abi == JIT_ABI) return v;
  char *said =
      h ? jit_printf("%s is of another version of dtgc", path) : jit_printf("%s", dlerror());
  free(*why);
  *why = said;
  if (h) dlclose(h);
  return NULL;
}

/* Beside this library first, so that a build tree uses its own; then where it was installed. */
static void open_module_once(void) {
  const char *own = jit_own_path(), *slash = own ? strrchr(own, '/') : NULL;
  char *why = NULL;
  if (slash) {
    char *path = jit_printf("%.*s/libdtgc-jit.so", (int)(slash - own), own);
    if (path) jit_module.verbs = open_module(path, &why);
    free(path);
  }
  if (!jit_module.verbs) jit_module.verbs = open_module(DTG_LIBDIR "/libdtgc-jit.so", &why);
  if (!jit_module.verbs)
    jit_module.error = jit_printf("cannot open libdtgc-jit.so, which generates machine code: %s",
                                  why ? why : "out of memory");
  free(why);
}

/* Opens the module once a process; NULL: *error says why. Any thread. */
static const JitVerbs *jit_verbs(char **error) {
  pthread_once(&jit_module.once, open_module_once);
  if (!jit_module.verbs && error)
    *error = jit_printf("%s", jit_module.error ? jit_module.error : "out of memory");
  return jit_module.verbs;
}

struct JitAhead {
  pthread_t thread;
};

static void *open_ahead(void *unused) {
  const JitVerbs *v = jit_verbs(NULL);
  if (v) v->features(); /* which initializes LLVM */
  return unused;
}

JitAhead *jit_ahead(void) {
  JitAhead *a = malloc(sizeof *a);
  if (a && !pthread_create(&a->thread, NULL, open_ahead, NULL)) return a;
  free(a);
  return NULL;
}

void jit_ahead_end(JitAhead *a) {
  if (a) pthread_join(a->thread, NULL);
  free(a);
}

/* -------- clang's arguments -------- */

enum { HEADERS = 3 };

typedef struct Args {
  JitHeader header[HEADERS];
  const char *at[512];
  int n;
  char *features; /* owned; the texts of -target-feature point into it */
  char define[160];
  char without[JIT_WITHOUT][40];
} Args;

static void args_put(Args *a, const char *s) {
  if (a->n < (int)(sizeof a->at / sizeof *a->at)) a->at[a->n++] = s;
}

/* Macros that the source is read with: guards of parts of the headers. */
static void args_without(Args *a, const char *const *without) {
  for (int i = 0; i < JIT_WITHOUT && without && without[i]; i++) {
    snprintf(a->without[i], sizeof a->without[i], "-D%s", without[i]);
    args_put(a, a->without[i]);
  }
}

static const char *args_level(const char *want) {
  static const char *const level[] = {"-O0", "-O1", "-O2", "-O3"};
  return want && *want >= '0' && *want <= '3' ? level[*want - '0'] : level[2];
}

/* cc1 arguments, not the driver's: no resource folder, no system headers are needed.
 * -ffp-contract=off: what is fused into one statement depends on the layouts, and the bits of a
 * value must not; kernels that need fused multiply-add request it themselves. No -ffast-math for
 * the same reason. */
static void args_make(Args *a, const JitOptions *o) {
  static const char *const fixed[] = {"-emit-obj",
                                      "-vectorize-loops",
                                      "-vectorize-slp",
                                      "-mrelocation-model",
                                      "pic",
                                      "-pic-level",
                                      "2",
                                      "-mframe-pointer=none",
                                      "-mprefer-vector-width=512",
                                      "-nostdsysteminc",
                                      "-nobuiltininc",
                                      "-I.",
                                      "-x",
                                      "c",
                                      "-std=c11",
                                      "-ffp-contract=off",
                                      "-fdebug-compilation-dir=.",
                                      "-disable-llvm-verifier",
                                      "-discard-value-names",
                                      "-main-file-name",
                                      "dtg.c"};
  static const char *const lines[] = {"-debug-info-kind=line-tables-only", "-dwarf-version=4",
                                      "-debugger-tuning=gdb"};
  *a = (Args){.header = {{"dtrt.h", jit_dtrt_h, jit_dtrt_h_len},
                         {"dtrt_math.h", jit_dtrt_math_h, jit_dtrt_math_h_len},
                         {"dtrt_special.h", jit_dtrt_special_h, jit_dtrt_special_h_len}}};
  args_put(a, args_level(o->level));
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) args_put(a, fixed[i]);
  for (size_t i = 0; o->debug_lines && i < sizeof lines / sizeof *lines; i++) args_put(a, lines[i]);
  if (o->symbol) {
    snprintf(a->define, sizeof a->define, "-Ddtg_program=%s", o->symbol);
    args_put(a, a->define);
  }
}

/* What LLVM is told too. */
static JitTarget args_target(const Args *a, const JitVerbs *v, const char *cpu) {
  return (JitTarget){.args = a->at,
                     .nargs = a->n,
                     .header = a->header,
                     .nheaders = HEADERS,
                     .level = a->at[0][2],
                     .triple = v->triple(),
                     .cpu = cpu ? cpu : v->cpu(),
                     .features = cpu ? "" : v->features(),
                     .suffix = ""};
}

/* For which machine; only LLVM can name it. */
static bool args_machine(Args *a, const JitVerbs *v, const char *cpu) {
  args_put(a, "-triple");
  args_put(a, v->triple());
  args_put(a, "-target-cpu");
  args_put(a, cpu ? cpu : v->cpu());
  if (cpu) return true;
  a->features = jit_printf("%s", v->features());
  if (!a->features) return false;
  char *rest = NULL;
  for (char *f = strtok_r(a->features, ",", &rest); f; f = strtok_r(NULL, ",", &rest)) {
    args_put(a, "-target-feature");
    args_put(a, f);
  }
  return true;
}

/* -------- compiling -------- */

typedef struct CompileJob {
  const JitSource *source;
  const char *cpu; /* NULL: this machine's */
  const char *suffix;
  Args args; /* but for the machine */
  CacheKey key;
} CompileJob;

/* Of an executable's programs the first has its names as they are. */
static bool is_first(const char *symbol) { return !symbol || !strcmp(symbol, "dtg_program"); }

static void key_text(CacheKey *k, const char *text) { cache_key_add(k, text, strlen(text) + 1); }

/* The machine for which code is made, without LLVM where that can be. */
static bool key_machine(CacheKey *k, const char *cpu, char **error) {
  if (cpu || (cpu = jit_host_cpu())) {
    key_text(k, cpu);
  } else {
    const JitVerbs *v = jit_verbs(error);
    if (!v) return false;
    key_text(k, v->triple());
    key_text(k, v->cpu());
    key_text(k, v->features());
  }
  return true;
}

static void key_args(CacheKey *k, const Args *a) {
  key_text(k, DTG_LLVM_VERSION);
  key_text(k, DTG_JIT_MODULE);
  for (int i = 0; i < a->n; i++) key_text(k, a->at[i]);
}

static void key_headers(CacheKey *k, const Args *a) {
  for (int i = 0; i < HEADERS; i++) {
    key_text(k, a->header[i].name);
    cache_key_add(k, a->header[i].at, a->header[i].n);
  }
}

/* `j` stays where it is: its arguments refer to each other. */
static bool job_make(CompileJob *j, const JitSource *source, const JitOptions *o, char **error) {
  *j =
      (CompileJob){.source = source, .cpu = o->cpu, .suffix = is_first(o->symbol) ? "" : o->symbol};
  args_make(&j->args, o);
  args_without(&j->args, source->without);
  key_args(&j->key, &j->args);
  key_headers(&j->key, &j->args);
  cache_key_add(&j->key, source->at, source->n);
  return key_machine(&j->key, o->cpu, error);
}

static void job_free(CompileJob *j) { free(j->args.features); }

static bool job_compile(CompileJob *j, JitObject *out, JitTimes *t, char **error) {
  double start = jit_now();
  const JitVerbs *v = jit_verbs(error);
  if (!v) return false;
  if (!args_machine(&j->args, v, j->cpu)) {
    *error = jit_printf("out of memory");
    return false;
  }
  t->module = jit_now() - start;
  start += t->module;
  char *said = NULL;
  JitTarget target = args_target(&j->args, v, j->cpu);
  target.suffix = j->suffix;
  bool ok = v->compile(j->source->at, j->source->n, &target, out, &said);
  t->compile = jit_now() - start;
  if (!ok) *error = jit_printf("clang rejects the C that dtgc emitted (a bug of dtgc):\n%s", said);
  free(said);
  return ok;
}

static bool job_run(CompileJob *j, const char *cache, JitObject *out, JitTimes *t, char **error) {
  if (!cache) return job_compile(j, out, t, error);
  t->cached = cache_get(cache, &j->key, out) == CACHE_FOUND;
  if (t->cached) return true;
  int lock = cache_lock(cache, &j->key);
  t->cached = lock >= 0 && cache_get(cache, &j->key, out) == CACHE_FOUND;
  bool ok = t->cached || job_compile(j, out, t, error);
  if (ok && !t->cached) cache_put(cache, &j->key, out);
  cache_unlock(lock);
  return ok;
}

bool jit_compile(const JitSource *source, const JitOptions *o, JitObject *out, JitTimes *t,
                 char **error) {
  CompileJob j;
  *t = (JitTimes){0};
  if (!job_make(&j, source, o, error)) return false;
  t->key = j.key;
  bool ok = job_run(&j, o->cache, out, t, error);
  job_free(&j);
  return ok;
}

/* -------- objects by what their C is made from -------- */

bool jit_key_options(CacheKey *k, const JitOptions *o) {
  Args a;
  char *error = NULL;
  args_make(&a, o);
  key_args(k, &a);
  bool ok = key_machine(k, o->cpu, &error);
  free(error);
  return ok;
}

/* An entry of the cache that holds the key of another. */
void jit_remember(const char *cache, const CacheKey *k, const CacheKey *object) {
  cache_put(cache, k, &(JitObject){(void *)object, sizeof *object});
}

CacheFound jit_recall(const char *cache, const CacheKey *k, JitObject *out) {
  JitObject link;
  CacheKey object;
  CacheFound found = cache_get(cache, k, &link);
  if (found != CACHE_FOUND) return found;
  bool ok = link.n == sizeof object;
  if (ok) memcpy(&object, link.at, sizeof object);
  free(link.at);
  return ok ? cache_get(cache, &object, out) : CACHE_NONE;
}

/* A text that is right for every CPU is compiled: what fails then is the CPU. "native" is no name
 * of cc1's, and is what the caller gets without one. */
bool jit_check_cpu(const char *cpu, char **error) {
  static const char text[] = "int dtg_cpu;\n";
  const JitVerbs *v = strcmp(cpu, "native") == 0 ? NULL : jit_verbs(NULL);
  Args a;
  if (!v) return true; /* a module that cannot be opened is told when code is made */
  JitObject o = {0};
  char *said = NULL;
  args_make(&a, &(JitOptions){.cpu = cpu});
  bool ok = *cpu && args_machine(&a, v, cpu);
  const JitTarget target = args_target(&a, v, cpu);
  ok = ok && v->compile(text, sizeof text - 1, &target, &o, &said);
  if (!ok && said && !strstr(said, "unknown target CPU"))
    *error = jit_printf("cannot generate code for CPU `%s`: %s", cpu, said);
  else if (!ok)
    *error = jit_printf("unknown CPU `%s` for %s", cpu, v->triple());
  free(said);
  free(o.at);
  return ok;
}

/* -------- one compiles for all -------- */

/* What rank 0 sends: one byte for the kind, the key, then the object or the reason. */
enum { PARCEL_HEAD = 1 + (int)sizeof(CacheKey) };
enum { PARCEL_OBJECT = 'o', PARCEL_ERROR = 'e', PARCEL_NOTHING = 'n' };

static bool parcel_make(char kind, const CacheKey *key, const void *at, size_t n, void **bytes,
                        int64_t *size) {
  char *p = malloc(PARCEL_HEAD + n);
  if (!p) return false;
  *p = kind;
  memcpy(p + 1, key, sizeof *key);
  if (n) memcpy(p + PARCEL_HEAD, at, n);
  *bytes = p;
  *size = (int64_t)(PARCEL_HEAD + n);
  return true;
}

static bool parcel_object(const char *p, int64_t n, JitObject *out) {
  out->n = (size_t)n - PARCEL_HEAD;
  out->at = malloc(out->n);
  if (out->at) memcpy(out->at, p + PARCEL_HEAD, out->n);
  return out->at;
}

static bool ranks_of(const void *mpi_comm, int *rank, int *ranks, char **error) {
  if (dtrt_launch_place(mpi_comm, rank, ranks) == DTRT_OK) return true;
  *error = jit_printf("cannot determine the ranks of the host's MPI communicator: %s",
                      dtrt_launch_error());
  return false;
}

static bool parcel_send(const void *mpi_comm, void **bytes, int64_t *size, char **error) {
  if (dtrt_launch_bcast(mpi_comm, bytes, size) == DTRT_OK) return true;
  *error =
      jit_printf("the compiled program could not be sent to all ranks: %s", dtrt_launch_error());
  return false;
}

/* A rank on another kind of machine has another key, and compiles for itself. */
static bool parcel_open(CompileJob *j, const char *p, int64_t n, const char *cache, JitObject *out,
                        JitTimes *t, char **error) {
  if (n <= PARCEL_HEAD) {
    *error = jit_printf("rank 0 sent no object");
    return false;
  }
  if (*p != PARCEL_OBJECT) {
    *error = jit_printf("%s", p + PARCEL_HEAD);
    return false;
  }
  if (memcmp(p + 1, &j->key, sizeof j->key) != 0) return job_run(j, cache, out, t, error);
  t->cached = true;
  if (parcel_object(p, n, out)) return true;
  *error = jit_printf("out of memory");
  return false;
}

bool jit_compile_together(const JitSource *source, const JitOptions *o, JitObject *out, JitTimes *t,
                          char **error) {
  int rank, ranks;
  if (!ranks_of(o->mpi_comm, &rank, &ranks, error)) return false;
  if (ranks <= 1) return jit_compile(source, o, out, t, error);
  CompileJob j;
  *t = (JitTimes){0};
  void *bytes = NULL;
  int64_t size = 0;
  bool first = rank == 0;
  bool made = job_make(&j, source, o, error), ok = made;
  if (!made) j = (CompileJob){0};
  t->key = j.key;
  if (first && made) ok = job_run(&j, o->cache, out, t, error);
  if (first && ok)
    parcel_make(PARCEL_OBJECT, &j.key, out->at, out->n, &bytes, &size);
  else if (first)
    parcel_make(PARCEL_ERROR, &j.key, *error, strlen(*error) + 1, &bytes, &size);
  /* Even a rank that has failed takes part, or the others would wait forever. */
  char *unsent = NULL;
  bool sent = parcel_send(o->mpi_comm, &bytes, &size, &unsent);
  if (ok && !sent) {
    *error = unsent, unsent = NULL;
    if (first) free(out->at), out->at = NULL;
    ok = false;
  } else if (!first && ok) {
    ok = parcel_open(&j, bytes, size, o->cache, out, t, error);
  }
  free(unsent);
  free(bytes);
  job_free(&j);
  return ok;
}

bool jit_recall_together(const char *cache, const CacheKey *k, const void *mpi_comm,
                         CacheFound *found, JitObject *out, bool *apart, char **error) {
  int rank, ranks;
  *found = CACHE_NONE;
  *apart = false;
  if (!ranks_of(mpi_comm, &rank, &ranks, error)) return false;
  if (rank == 0 && k) *found = jit_recall(cache, k, out);
  if (ranks <= 1) return true;
  void *bytes = NULL;
  int64_t n = 0;
  const bool has = *found == CACHE_FOUND;
  if (rank == 0)
    parcel_make(has ? PARCEL_OBJECT : PARCEL_NOTHING, k ? k : &(CacheKey){0}, out->at,
                has ? out->n : 0, &bytes, &n);
  bool ok = parcel_send(mpi_comm, &bytes, &n, error);
  const char *p = bytes;
  if (ok && rank && n > PARCEL_HEAD && *p == PARCEL_OBJECT) {
    *apart = !k || memcmp(p + 1, k, sizeof *k) != 0;
    if (*apart)
      *found = k ? jit_recall(cache, k, out) : CACHE_NONE;
    else
      *found = parcel_object(p, n, out) ? CACHE_FOUND : CACHE_NONE;
    *apart |= *found != CACHE_FOUND;
  }
  free(bytes);
  return ok;
}

/* -------- loading -------- */

struct JitCode {
  ElfLoaded *own; /* or */
  JitLoaded *orc;
};

static void load_into(JitCode *c, const void *bytes, size_t n, const char *symbol, JitLoader loader,
                      void **address, char **error) {
  const char *why = NULL;
  if (loader == LOADER_ANY || loader == LOADER_OWN)
    c->own = elf_load(bytes, n, symbol, jit_own_path(), address, &why);
  if (c->own) return;
  if (why && loader == LOADER_OWN) {
    *error = jit_printf("the object cannot be loaded: %s", why);
    return;
  }
  const JitVerbs *v = jit_verbs(error);
  if (v) c->orc = v->load(bytes, n, symbol, jit_own_path(), loader == LOADER_PERF, address, error);
}

JitCode *jit_load(const void *bytes, size_t n, const char *symbol, JitLoader loader, void **address,
                  char **error) {
  JitCode *c = calloc(1, sizeof *c);
  if (c) load_into(c, bytes, n, symbol, loader, address, error);
  if (c && (c->own || c->orc)) return c;
  if (!c) *error = jit_printf("out of memory");
  free(c);
  return NULL;
}

void jit_unload(JitCode *c) {
  if (!c) return;
  elf_unload(c->own);
  if (c->orc) jit_verbs(NULL)->unload(c->orc);
  free(c);
}
