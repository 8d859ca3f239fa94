/* dtgc_program, for the files that implement dtgc.h:
 *   program.c  errors, time, the end
 *   compile.c  compilation, dumps       inspect.c  entries and variables
 *   code.c     machine code, devices    run.c      runs, reading and writing variables
 *   train.c    the training loop        place.c    mesh, layouts, boxes
 *   program_blocks.c   tensors by device            program_profile.c  times of steps
 *   program_checkpoint.c   checkpoints              program_auto.c     layouts of the search
 *   check.c    invalid arguments        ask.c      reasons of layouts, differences of plans
 *   recall.c   cached objects, before any pass      verify*.c  the plan against one device
 * Invariant: nothing prints, and every failure sets `error` and returns a status. */
#ifndef DTG_PROGRAM_H
#define DTG_PROGRAM_H
#include "dtgc.h"
#include "dtrt.h"
#include "hold.h"
#include "frontend.h"
#include "emit_c.h"
#include "pipeline.h"
#include "jit.h"

typedef struct EntryInfo {
  const char *name;
  int nin, nout;
  const dtgc_tensor *in, *out;
} EntryInfo;

struct dtgc_program {
  Hold hold; /* by the thread whose call uses it */
  Arena *arena;
  Diag diag;
  dtgc_message_fn *message;
  dtgc_doing_fn *doing;
  dtgc_print_fn *print; /* with doing_user */
  void *doing_user;
  void *user;
  const char *name;   /* of the first source, without folder and suffix */
  FrontOptions front; /* copied into the arena */
  const char *transport;
  int devices_per_rank, cores;
  double timeout;
  uint64_t seed;
  JitOptions jit;
  Disabled disabled;
  dtgc_options given; /* what the host gave, copied into the arena; for variants */
  bool single;        /* verify.c: the program on one device, without layouts */
  Observe observe;    /* which values are checked */
  Program *program;
  const Machine *machine;
  bool compiled;      /* nothing was wrong */
  Plan *plan;         /* NULL: not requested yet; program_plan */
  EntryInfo *entries; /* without init */
  int nentries;
  dtgc_tensor *vars;
  int nvars;
  /* recall.c */
  bool has_key;
  bool apart; /* the other ranks have their objects, and this one makes its own */
  CacheKey key;
  JitObject object; /* found in the cache, not loaded yet */
  /* code.c */
  JitCode *loaded;
  const dtrt_program *code;
  int from_cache;
  dtrt_session *session;
  /* train.c */
  dtgc_program **variant; /* for short batches: they share p's variables and session */
  int nvariants;
  dtgc_program *oracle; /* verify.c: of dtgc_verify_step; NULL: not requested yet */
  bool fits;          /* dtgc_fit is running */
  bool out_of_memory; /* only dtgc_error and dtgc_free may follow */
  char *error;        /* malloc'ed; NULL: no_memory or "" */
  bool first_error_kept;
  bool after_first;     /* the next note belongs to the error that was kept */
  int errors, warnings; /* of the compiling call */
  dtgc_time *time; /* malloc'ed */
  int ntimes, time_room;
};

/* Begins every public function that changes anything in p, its arena and error included: rejects
 * a second thread. */
#define PROGRAM_USE(p)                                                                             \
  __attribute__((cleanup(hold_give))) Hold *held_here = (p) ? hold_take(&(p)->hold) : NULL;        \
  if ((p) && !held_here) return DTGC_BUSY
/* The same of a second program, which may be NULL or p itself. */
#define PROGRAM_USE_TOO(p, other, called)                                                          \
  __attribute__((cleanup(hold_give))) Hold *held_too = (other) ? hold_take(&(other)->hold) : NULL; \
  if ((other) && !held_too)                                                                        \
  return program_fail(p, DTGC_BUSY, "another thread is using %s", called)

/* program.c. Sets the error text and returns `s`. */
dtgc_status program_fail(dtgc_program *p, dtgc_status s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a text of the JIT's, which is freed. */
dtgc_status program_fail_with(dtgc_program *p, dtgc_status s, char *text);
/* Before each public call: an old error is forgotten; not DTGC_OK when p is NULL or can do nothing
 * any more. */
dtgc_status program_begin(dtgc_program *p);
/* The same, and there is a plan afterwards. */
dtgc_status program_plan(dtgc_program *p);
void program_doing(dtgc_program *p, const char *what, int64_t done, int64_t all);
/* Runs fn where an arena that runs out of memory comes back as DTGC_NO_MEMORY. */
typedef dtgc_status GuardedFn(dtgc_program *p, void *arg);
dtgc_status program_guard(dtgc_program *p, GuardedFn *fn, void *arg);
void program_time(dtgc_program *p, const char *step, double ms);
char *text_copy(const Str *s); /* malloc'ed */

/* inspect.c: tables of what is inside, made once after the front end. */
void inspect_make(dtgc_program *p);
const EntryInfo *inspect_entry(const dtgc_program *p, const char *name);
/* "f32[64, 784]" */
enum { TENSOR_TEXT = 256 };
void inspect_text(const dtgc_tensor *t, char *out, size_t n);
/* The error that there is none, with the nearest name. */
dtgc_status inspect_no_entry(const dtgc_program *p, const char *entry);
/* The name nearest to a mistyped one, or NULL. name(table, i) gives the i-th of n. */
const char *inspect_near(const char *typed, const char *(*name)(const void *table, int i),
                         const void *table, int n);

/* check.c. Before the front end: */
dtgc_status check_arguments(dtgc_program *p, const dtgc_source *source, int n,
                            const dtgc_options *o);
/* after it: the transport can hold the mesh; the variables that both have are alike. */
dtgc_status check_mesh(dtgc_program *p);
dtgc_status check_variant(dtgc_program *p, const dtgc_program *base);

/* run.c: puts each buffer at the place of its tensor, checked. */
dtgc_status program_place_buffers(dtgc_program *p, const char *what, const dtgc_tensor *tensors,
                                  int ntensors, const dtgc_buffer *b, int n, void **at);
/* run.c: the session's error of a call. */
dtgc_status program_run_failed(dtgc_program *p, dtrt_status st);

/* environment.c: the options with what $DTGC_FLAGS adds: what the host gives itself is stronger. */
dtgc_status environment_options(dtgc_program *p, const dtgc_options *o, dtgc_options *out);

/* recall.c: whether the cache has the object of what the front end has read. Warns of a cache
 * that others can write to, which is not used. */
dtgc_status recall_object(dtgc_program *p, const dtgc_options *o, bool *found);
/* This process makes its code by itself; else one of several under mpiexec makes it for all, and
 * they come together. */
bool program_alone(const dtgc_program *p);

/* compile.c: the same sources and options with one more constant, and p's layouts of variables. */
dtgc_status program_variant(dtgc_program *p, const char *define, dtgc_program **out);
/* The same once more, for checks: on threads, on one device or under p's layouts. */
dtgc_status program_again(dtgc_program *p, bool single, Observe observe, dtgc_program **out);

/* verify_fit.c: a step of the runtime's training loop (dtrt_verify_fn). */
int program_verify(dtgc_program *p, double tolerance, const char *entry, const void *const *in,
                   const void *const *out, const void *const *before, const void *const *after,
                   char *why, int n);

/* compile.c: the emitted C, in p's arena. All but that for a reader has #line; what is kept, in an
 * executable, has the text of the layouts too, which a host that has p asks p for. */
typedef enum EmitPurpose { EMIT_TO_READ, EMIT_TO_RUN, EMIT_TO_KEEP } EmitPurpose;
typedef struct Emitted {
  JitSource text;
  int functions;
  EmitPurpose purpose;
  const char *without[HEADER_GUARDS]; /* `text` refers to it */
} Emitted;
dtgc_status program_emit(dtgc_program *p, EmitPurpose purpose, Emitted *out);

#endif
