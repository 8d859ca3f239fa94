/* From emitted C to code: clang in process, an object cache, a loader of objects (ours, else ORC),
 * cc to link executables.
 *
 * LLVM and Clang live in a module of their own, libdtgc-jit.so, which is opened when the first
 * program is compiled: dumps, and objects found in the cache, do not pay for
 * it. The module's one symbol is `dtgc_jit_verbs`; the host's side (jit.c, cache.c, link.c) knows
 * no LLVM header.
 *
 * All texts of errors are malloc'ed and belong to the caller. */
#ifndef DTG_JIT_H
#define DTG_JIT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -------- the module -------- */

typedef struct JitObject {
  void *at; /* malloc'ed */
  size_t n;
} JitObject;

typedef struct JitLoaded JitLoaded;

/* A file that the source may include; clang sees no other. */
typedef struct JitHeader {
  const char *name, *at; /* the text ends in NUL */
  size_t n;
} JitHeader;

/* What code is made for, and how. */
typedef struct JitTarget {
  const JitHeader *header;
  int nheaders;
  const char *const *args; /* of clang -cc1 */
  int nargs;
  char level;                          /* of -O: '0' to '3' */
  const char *triple, *cpu, *features; /* as in args */
  const char *suffix; /* ends the names that parts of one program know each other by */
} JitTarget;

typedef struct JitVerbs {
  int abi;
  const char *(*version)(void); /* "19.1.7" */
  const char *(*triple)(void);  /* of this machine; these three live as long as the module */
  const char *(*cpu)(void);
  const char *(*features)(void); /* "+avx2,-amx-tile,..." */
  /* One C source to an object, on as many cores as this process may use. False: *error says why. */
  bool (*compile)(const char *source, size_t n, const JitTarget *t, JitObject *out, char **error);
  /* Loads an object and finds `symbol`. Names that the object does not define are looked for in
   * `library` and what it depends on. `bytes` may be freed afterwards. perf: it is told of the
   * code. NULL: *error says why. */
  JitLoaded *(*load)(const void *bytes, size_t n, const char *symbol, const char *library,
                     bool perf, void **address, char **error);
  void (*unload)(JitLoaded *l);
} JitVerbs;

enum { JIT_ABI = 5 };

/* parts.c: as JitVerbs.compile, once LLVM is initialized. */
bool parts_compile(const char *source, size_t n, const JitTarget *t, JitObject *out, char **error);

/* -------- the host's side: jit.c -------- */


/* Opens it on a thread of its own, as far as it takes no program; the call that follows waits until
 * that has ended. Together no more than once a process. */
typedef struct JitAhead JitAhead;
JitAhead *jit_ahead(void); /* NULL: there is no such thread */
void jit_ahead_end(JitAhead *a);

/* Who loads objects. */
typedef enum JitLoader {
  LOADER_ANY,  /* ours, or LLVM's where ours cannot */
  LOADER_OWN,  /* ours alone */
  LOADER_LLVM, /* LLVM's */
  LOADER_PERF  /* LLVM's, which registers the code with perf */
} JitLoader;

typedef struct JitOptions {
  const char *cpu;      /* NULL: this machine with all its features; else a name as in -march= */
  const char *symbol;   /* what `dtg_program` is called in the object; NULL: unchanged */
  const void *mpi_comm; /* whose ranks compile together; NULL: those of mpiexec */
  const char *cache;    /* folder of compiled objects; NULL: none */
  bool cache_named;     /* by the user, not by default */
  const char *level;    /* clang's -O: "0" to "3"; NULL: "2" */
  JitLoader loader;
  bool debug_lines; /* line tables that lead back to the .dtg; costs a few per cent of compile time
                     */
} JitOptions;

typedef struct CacheKey {
  uint64_t a, b;
} CacheKey;

typedef struct JitTimes {
  double module, compile; /* milliseconds; compile is 0 when the object came from the cache */
  bool cached;
  CacheKey key; /* of the object in the cache */
} JitTimes;

/* Whether clang knows a CPU of that name for this kind of machine; false: *error says why not. */
bool jit_check_cpu(const char *cpu, char **error);
/* A C text, which includes dtrt.h alone. */
enum { JIT_WITHOUT = 8 };
typedef struct JitSource {
  const char *at;
  size_t n;
  const char *const *without; /* macros that are defined before it, at most JIT_WITHOUT: guards of
                                 parts of dtrt.h that it does not use. NULL: none, or their end */
} JitSource;

/* To an object. */
bool jit_compile(const JitSource *source, const JitOptions *o, JitObject *out, JitTimes *t,
                 char **error);
/* The same where several processes do the same thing (mpiexec): rank 0 compiles, the others
 * receive. */
bool jit_compile_together(const JitSource *source, const JitOptions *o, JitObject *out, JitTimes *t,
                          char **error);

typedef enum CacheFound {
  CACHE_NONE,
  CACHE_FOUND,
  CACHE_UNTRUSTED /* somebody else may have written it: removed, not used */
} CacheFound;

/* Objects by what their C is made from, so that a warm start needs no C. The key begins with what
 * is known here: the options, the machine, LLVM; false: it cannot be told. The caller adds the
 * rest, and the build of the compiler. */
bool jit_key_options(CacheKey *k, const JitOptions *o);
void jit_remember(const char *cache, const CacheKey *k, const CacheKey *object);
CacheFound jit_recall(const char *cache, const CacheKey *k, JitObject *out);
/* The same where several processes do the same thing: rank 0 looks, the others receive. `k` is NULL
 * where there is no key. *apart: rank 0 has the object, and this rank must make its own, because
 * its machine or its inputs are others. False: the ranks cannot be reached. */
bool jit_recall_together(const char *cache, const CacheKey *k, const void *mpi_comm,
                         CacheFound *found, JitObject *out, bool *apart, char **error);
/* build_id.c: adds which build this is; false: the linker wrote no id. */
bool jit_build_id(CacheKey *k);

/* An object in memory, ready to be called. */
typedef struct JitCode JitCode;
/* Loads an object and finds `symbol`; names that it does not define are looked for in this library.
 * NULL: *error says why. `bytes` may be freed afterwards. */
JitCode *jit_load(const void *bytes, size_t n, const char *symbol, JitLoader loader, void **address,
                  char **error);
void jit_unload(JitCode *c); /* may be NULL */

/* host_cpu.c: text that identifies the kind of CPU; NULL where that takes LLVM. */
const char *jit_host_cpu(void);

/* -------- cache.c -------- */

/* Objects by 128-bit key in a folder (`path`; NULL: there is none). Any number of processes may use
 * it at once. A missing or damaged entry is no entry. Never fails aloud: a machine without a place
 * to write only compiles more often. */
void cache_key_add(CacheKey *k, const void *bytes, size_t n);
CacheFound cache_get(const char *path, const CacheKey *k, JitObject *out);
/* Whoever compiles what the key is of holds its lock, and looks again once it has it. Waits for a
 * bounded time; -1, or a wait in vain: compile without. */
int cache_lock(const char *path, const CacheKey *k);
void cache_unlock(int lock);
/* Why the folder is not used although it is there (malloc'ed), or, if the user has named it, cannot
 * be used or made; or NULL. */
char *cache_refused(const char *path, bool named);
/* Why nothing can be stored in it (malloc'ed), or NULL. */
char *cache_unwritable(const char *path);
void cache_put(const char *path, const CacheKey *k, const JitObject *o);

/* -------- link.c -------- */

/* The link tools given by the environment; each may be NULL. */
typedef struct LinkTools {
  const char *path, *tmp; /* PATH, TMPDIR */
  const char *cc, *flags; /* CC and CFLAGS: words */
} LinkTools;

typedef struct LinkOptions {
  LinkTools tools;
  const char *output;
  const JitObject *object;
  int nobjects;
  const char *const *file; /* of the host: C sources, objects, archives */
  int nfiles;
  bool mpi;        /* with libdtrt_mpi and its MPI */
  const char *lib; /* folder of libdtrt.a; NULL: beside libdtgc.so */
} LinkOptions;
bool link_executable(const LinkOptions *o, char **error);
/* The main() of an executable whose programs are called names[0..n); for a host with its own the
 * table of names[1..n) alone. Malloc'ed C text. */
char *link_main_source(const char *const *names, int n, bool host);

/* Path of the shared object (or executable) that holds this code; NULL when it cannot be told. */
const char *jit_own_path(void);
char *jit_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* malloc'ed */
double jit_now(void);                                                         /* milliseconds */

/* Text of include/dtrt.h dtrt_math.h and dtrt_special.h, as built in (generated). */
extern const char jit_dtrt_h[], jit_dtrt_math_h[], jit_dtrt_special_h[];
extern const size_t jit_dtrt_h_len, jit_dtrt_math_h_len, jit_dtrt_special_h_len;

#endif
