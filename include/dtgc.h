/* dtgc.h: the compiler as a library. This header is its manual. Link with -ldtgc.
 *
 *   #include <dtgc.h>
 *   #include <stdio.h>
 *
 *   int main(void) {
 *     float x[4] = {0, 1, 2, 3}, y[4] = {1, 3, 5, 7}, loss = 0;
 *     dtgc_buffer in[] = {{"x", x, sizeof x}, {"y", y, sizeof y}};
 *     dtgc_buffer out[] = {{"loss", &loss, sizeof loss}};
 *     dtgc_program *p;
 *     int bad = dtgc_compile_file("model.dtg", NULL, &p);
 *     if (!bad) bad = dtgc_run(p, "train", in, 2, out, 1);
 *     if (bad) fprintf(stderr, "%s\n", dtgc_error(p));
 *     if (!bad) printf("loss %g\n", (double)loss);
 *     dtgc_free(p);
 *     return bad;
 *   }
 *
 * Three levels. One call: compile a file or a string, run its entries on your own memory. Options:
 * constants, mesh, layouts, transport, seed, a message callback; a training loop. Inspection:
 * entries, tensors, variables, layouts and blocks, dumps, emitted C, executables. docs/embedding.md
 * is the introduction.
 *
 * A program describes whole tensors. Buffers are whole tensors too: dense, row-major, of exactly
 * the tensor's size in bytes. The program's layouts decide which device holds which block; results
 * agree with those of one device: within rounding, since sums over devices have another order, and
 * exactly for integers.
 *
 * Compiling ends with a plan. Machine code is generated, and the devices (threads of this process,
 * or the ranks of mpiexec) are started, on the first call that requires them: dtgc_run, dtgc_get,
 * dtgc_set, dtgc_start.
 *
 * Threads. One thread at a time may use a program, not necessarily always the same. A call made
 * while another thread is in one (including dtgc_fit and its callbacks) returns DTGC_BUSY and does
 * nothing; dtgc_error then has the reason for the rejected thread. Functions that take a const
 * program may be called at the same time, except dtgc_times, dtgc_from_cache and dtgc_cache_counts.
 * Several programs may be compiled and run at the same time by different threads; they share
 * nothing. Under mpiexec all ranks make the same calls in the same order; several programs may be
 * started side by side there too, but only one may run at a time.
 *
 * Every function accepts NULL, a negative count or an index out of range: it returns
 * DTGC_BAD_ARGUMENT, or, if it returns no status, 0, -1 or NULL as documented; dtgc_error of the
 * program, if there is one, has the reason.
 *
 * The library never prints, never exits and keeps no global state that is visible across
 * programs.
 *
 * Caveats
 *  - Running executes machine code generated from the text: trust a program's text as you would
 * trust C.
 *  - The first use opens LLVM (about 100 MB of address space, some 20 ms), which stays open.
 *  - While entries run, handlers for SIGSEGV, SIGFPE, SIGBUS and SIGILL may be in place (see
 * dtrt.h).
 *  - Compiled objects are kept under $XDG_CACHE_HOME/dtgc or ~/.cache/dtgc; DTGC_CACHE=off turns it
 * off. They are used only if they and the folder belong to the user and no other user can write to
 * them; otherwise compiling warns and ignores them.
 *  - DTGC_FLAGS="--disable=NAME -O1 ..." adds options from outside; docs/dtgc.1 has all variables.
 *  - Compiling takes some 200 KiB of the calling thread's stack, and more where expressions and
 * blocks nest deep: a thread with 128 KiB (musl's) overflows, 1 MiB suffices. LLVM has threads of
 * its own.
 *  - OpenBLAS, if this library loads it, uses one thread per call.
 *  - During a call, callbacks included, the calling thread has the locale "C" (uselocale) if
 * numbers of its own have a comma, rounds to nearest and takes no subnormal number for 0, whatever
 * setlocale, fesetround or -ffast-math have set: numbers in texts and files have a point, and
 * results are the same in any host.
 *  - fork() in a process that has a started program: the child may only exec or _exit. */
#ifndef DTGC_H
#define DTGC_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DTGC_VERSION "0.1.0"
const char *dtgc_version(void); /* of the library: compare with DTGC_VERSION, of the header */

/* ------------------------------------------------------------------ results */

typedef enum dtgc_status {
  DTGC_OK = 0,
  DTGC_BAD_SOURCE,   /* errors in a .dtg text or in a text among the options (define, mesh, layout,
                        machine), or a source that cannot be read; each was given to the message
                        callback */
  DTGC_BAD_ARGUMENT, /* a wrong name, size or option of yours; nothing was done */
  DTGC_RUN_FAILED,   /* a device failed while running; the program can still be read and freed, not
                        run */
  DTGC_SYSTEM,       /* LLVM, the linker or writing a file failed */
  DTGC_NO_MEMORY,    /* the program can only be freed */
  DTGC_BUSY          /* another thread is using the program; nothing was done */
} dtgc_status;

typedef struct dtgc_program dtgc_program;

/* Why the last call on this program failed. For a bad source the first error as a message shows it:
 * location, source line, caret and notes, which name your own line if the error is in the shipped
 * library; dtgc_errors has the number of errors. Otherwise one line, followed by the output of
 * clang or the linker if one of them failed. No newline at the end. Never NULL; valid until the
 * next call on the program. dtgc_error(NULL) is "out of memory": the only failure without a
 * program. */
const char *dtgc_error(const dtgc_program *p);
/* Number of errors and warnings of the compiling call; the callback receives the first 20 errors.
 */
int dtgc_errors(const dtgc_program *p);
int dtgc_warnings(const dtgc_program *p);

/* ------------------------------------------------------------------ 1. compile and run */

/* Compiles a file, or a text; messages call the text `name`. `o` may be NULL. On failure
 * *out is still a program (or NULL when out of memory), for dtgc_error, dtgc_errors, dtgc_warnings,
 * dtgc_times and dtgc_free. Other functions are safe: those that require code return
 * DTGC_BAD_ARGUMENT, and the tables (entries, variables) are mostly empty. */
struct dtgc_options;
dtgc_status dtgc_compile_file(const char *path, const struct dtgc_options *o, dtgc_program **out);
dtgc_status dtgc_compile_string(const char *name, const char *text, const struct dtgc_options *o,
                                dtgc_program **out);

/* Stops its devices and frees it. NULL is allowed. */
void dtgc_free(dtgc_program *p);

/* A whole tensor in your memory. `bytes` must be the tensor's; no alignment is required. */
typedef struct dtgc_buffer {
  const char *name;
  void *data;
  size_t bytes;
} dtgc_buffer;

/* Runs an entry: every input must be given once, in any order; outputs that are not named are not
 * returned, and what a call that fails leaves in the others is undefined. Inputs are only read; on one
 * device an output may have the memory of an input. Returns when all devices have finished. Variables that the
 * entry assigns keep their values for the next call. Every program has the entry "init":
 * without inputs and outputs, it initializes all variables again. */
dtgc_status dtgc_run(dtgc_program *p, const char *entry, const dtgc_buffer *in, int nin,
                     const dtgc_buffer *out, int nout);

/* n runs of an entry in one call, without a return to the host between them: each buffer of an input
 * holds n tensors one after another (or one, which all runs get), each of an output has room for n.
 * The same as n calls of dtgc_run; buffers of other sizes, and n < 1, are DTGC_BAD_ARGUMENT, before
 * anything runs. It saves what a call costs (docs/performance.md), which tells where a run takes
 * microseconds. */
dtgc_status dtgc_run_many(dtgc_program *p, const char *entry, int64_t n, const dtgc_buffer *in,
                          int nin, const dtgc_buffer *out, int nout);

/* ------------------------------------------------------------------ 2. options */

typedef enum dtgc_severity { DTGC_ERROR, DTGC_WARNING, DTGC_NOTE } dtgc_severity;

/* One message of the compiler. A note belongs to the error or warning before it. All texts live
 * only during the callback. */
typedef struct dtgc_message {
  dtgc_severity severity;
  const char *file;     /* NULL: no location. For a text among the options: "mesh",
                           "layout[1]", "define[0]", with the resulting statement as the line */
  int line, column;     /* from 1; columns count bytes */
  const char *text;     /* "unknown name `bach`" */
  const char *rendered; /* with file, line, the line itself and a caret; ends in a newline */
} dtgc_message;

/* Called by the compiling thread during the compiling call. It must return, and must not use the
 * program. */
typedef void dtgc_message_fn(void *user, const dtgc_message *m);

/* Progress of a long call: "compiling by clang: functions"; `done` of `all` (0: unknown)
 * are finished. Called by the calling thread; like the message callback it must return and must not
 * use the program. Any call may report progress until the program is freed. */
typedef void dtgc_doing_fn(void *user, const char *what, int64_t done, int64_t all);

struct dtgc_printed; /* below */
/* Called by `print` in an entry: in the process of device 0, by the thread that calls the entry, in
 * the order of the program. It must return and must not use the program. */
typedef void dtgc_print_fn(void *user, const struct dtgc_printed *p);

enum { DTGC_CHECK_OFF, DTGC_CHECK_CHEAP, DTGC_CHECK_FULL };

struct dtgc_source;
/* Zero every field you do not set: `dtgc_options o = {.mesh = "batch=4"};`. Everything that it
 * points to is copied. */
typedef struct dtgc_options {
  const char *const *define; /* "batch=256": overrides `const batch` */
  int ndefines;
  const char *mesh;          /* "batch=4,model=2"; NULL: the mesh of the sources, or one device */
  /* "bf16" or "f16": products and convolutions of f32 tensors round their operands to it and add in
   * f32; "f32": they do not; "bf16, master f32": activations are kept in bf16, too, as
   * docs/language.md says. Takes precedence over `precision` of the sources; NULL: as they say. */
  const char *precision;
  const char *const *layout; /* "model.d1.w=[_,model]": takes precedence over the sources */
  int nlayouts;
  int strict_layouts; /* 1: a layout statement without effect (no tensor has its name, no path
                         matches its pattern) is an error; 0: a warning */
  const char *const
      *import_dir; /* searched for `import "x"` after the importing file's own folder */
  int nimport_dirs;
  /* "threads", "mpi" or "self" (one device only); NULL: mpi under mpiexec, else self or threads.
   * A missing MPI is detected when devices start. */
  const char *transport;
  /* The address of your own MPI_Comm, with as many ranks as the mesh has devices; NULL: all ranks
   * of mpiexec. It is duplicated when the devices start, and must stay valid until then; you
   * initialize MPI yourself, with MPI_THREAD_SERIALIZED or more if other threads of yours use it.
   * The ranks of the communicator make the same calls in the same order; those of others may do
   * something else. Without a `transport` it chooses mpi. */
  const void *mpi_comm;
  uint64_t seed;   /* of all random values; 0 by default */
  const char *cpu; /* code for this kind of CPU, as in -march=; NULL: for this machine. Looked up
                      while compiling, which opens LLVM */
  int no_cache;    /* 1: neither read nor write the cache of compiled objects */
  int no_lines;    /* 1: no line tables for gdb and perf; compiles a little faster */
  /* 1: messages name these texts --layout, -D and --mesh; 0: layout[0], define[0], mesh. */
  int command_line;
  /* 1: dtgc_load, dtgc_start or dtgc_build follow: while passes run, LLVM is opened on a thread,
   * which has ended when the compiling call returns, and ranks under mpiexec look for the program
   * in the cache together, as they compile together: all call, and no session runs an entry. 0: it
   * is opened when it is needed, and only a process by itself looks there. */
  int will_load;
  /* A program from the same sources with other constants, whose variable layouts this one takes
   * over, so that both can run on the same variables (dtgc_build). Its mesh must be the same, and
   * variables of both must have the same type and shape, else DTGC_BAD_ARGUMENT. It is used only
   * during the compiling call. */
  const dtgc_program *variant_of;
  /* The machine that plans are made for: a machine file (docs/machines.md), or its text. Errors in
   * it are messages like those of sources. The name "generic" without a text: the built-in figures,
   * the same on every computer. NULL, or the name "native": these with the sizes of this computer's
   * caches; generic for another `cpu` and under MPI, whose hosts may differ. --dump=cost shows the
   * machine; no file is read implicitly. */
  const struct dtgc_source *machine;
  /* Under mpiexec: how many devices each process owns, as threads (0: devices of the mesh / ranks), and
   * the seconds after which a missing rank is named in an error (0:
   * $DTRT_TIMEOUT, else 600; less than 0: forever). docs/clusters.md. */
  int devices_per_rank;
  double timeout;
  int cores; /* of each device; 0: $DTRT_CORES, else the host's cores shared out among its devices */
  int progress; /* DTRT_PROGRESS_... of dtrt.h: who takes messages further that were started early */
  /* Limit in bytes for variables and arena of a device (--dump=memory shows both); 0: none. Values are
   * recomputed to fit, with bit-identical results; DTGC_BAD_SOURCE if it cannot be met. */
  uint64_t memory;
  /* DTGC_CHECK_CHEAP: outputs, variables and exchanges are checked for NaN and infinity while
   * the program runs, large ones a 64th, or 128 KiB, at a time; dtgc_found_nan reports the first.
   * DTGC_CHECK_FULL: all results of each step; the call in which an op computes one from finite
   * operands fails with DTGC_RUN_FAILED and an error that names it (docs/debugging.md). Such code
   * is slower and takes more memory: no loops are fused. */
  int check_nan;
  /* Optimizations to disable, to find out whether one of them is at fault: each text is one or more
   * names of dtgc_optimization, "overlap,rows". Results keep their bits where the exchanges stay
   * the same. */
  const char *const *disable;
  int ndisables;
  const char *optimize; /* clang's -O for what devices run, "0" to "3"; NULL: "2". "0" compiles
                           fastest and runs slowest */
  /* "own" or "llvm": the loader of code into this process; "perf": LLVM, which registers the code
   * with perf. NULL: own, or llvm where own is not supported. */
  const char *loader;
  /* "fixed" or "fast": in which order partial values of devices on several hosts are combined. Fast:
   * each host sends one sum, in the tensor's own type: fewer bytes on some meshes, and results that
   * depend on which devices share a host (docs/sums.md). NULL: fixed. */
  const char *sums;
  int repeat_saves;  /* repeated steps become a function if that saves at least so many; 0: 24 */
  int drop_exchange; /* for tests of checks: leaves out this exchange, counted from 1 over all
                        entries, which makes results wrong; 0: none */
  dtgc_message_fn *message; /* NULL: messages are only counted, the first error is in dtgc_error */
  void *user;
  dtgc_doing_fn *doing; /* NULL: no progress reports */
  dtgc_print_fn *print; /* gets what entries print; NULL: it is written to stderr */
} dtgc_options;

/* A source is a text, or (text == NULL) the file called `name`. */
typedef struct dtgc_source {
  const char *name;
  const char *text;
  size_t bytes; /* of text, without a final NUL */
} dtgc_source;

/* All sources form one program: the model first, then files of mesh and layout statements. */
dtgc_status dtgc_compile(const dtgc_source *sources, int n, const dtgc_options *o,
                         dtgc_program **out);

/* Generates the code and starts the devices now rather than at the first run. Idempotent. */
dtgc_status dtgc_start(dtgc_program *p);

/* Under mpiexec: returns when all ranks have called it with this name (at most 100 bytes; NULL is ""), or
 * fails with DTGC_RUN_FAILED and an error that names the rank that is missing or elsewhere. `timeout`
 * in seconds, 0: that of the options. Starts the devices. In one process it returns at once. */
dtgc_status dtgc_barrier(dtgc_program *p, const char *name, double timeout);

/* Checks arguments of dtrt_main (dtrt.h) before any code is generated: -1 if they are valid or the program did
 * not compile, else the exit status, with the reason on standard error.
 * argv[0] is the name in messages. */
int dtgc_check_main(dtgc_program *p, int argc, char **argv);

/* ------------------------------------------------------------------ 3. train */

/* Rows for one input of an entry whose first dim is the batch: a file, or an array of yours that
 * must not change during the call. */
typedef struct dtgc_feed {
  const char *name; /* of the input */
  const char *file; /* .npy, IDX, CSV, raw records: as after --feed NAME= (docs/running.md) */
  const void *data; /* or, when not NULL: dense rows of the input's own type */
  int64_t rows;     /* of data. A scalar input is the same in every step: data points to its value
                       and rows is ignored */
} dtgc_feed;

/* The rows that an entry runs over. */
typedef struct dtgc_rows {
  const char *entry;
  const dtgc_feed *feed; /* each input once */
  int nfeed;
  int64_t skip, limit; /* skips rows at the beginning; uses at most `limit` of the rest, 0: all */
} dtgc_rows;

typedef struct dtgc_metric { /* a float scalar output */
  const char *name;
  double value; /* of the last step */
  double mean;  /* over the rows of this epoch so far: every row counts once */
} dtgc_metric;

/* The progress of one pass over the rows of an entry. */
typedef struct dtgc_pass {
  const char *entry;
  int evaluates; /* 1: the entry of `eval` */
  int64_t epoch, epochs;
  int64_t step, steps; /* of the epoch: completed, and in total */
  int64_t rows;        /* counted in the means */
  double seconds;      /* duration of the steps with their callbacks */
  int nmetrics;
  const dtgc_metric *metric;
  int64_t beyond; /* steps that have run after this one already (steps_per_call) */
} dtgc_pass;

/* Called between steps by the thread that called dtgc_fit. It may use the program: dtgc_get,
 * dtgc_set, dtgc_run, saving; but neither dtgc_fit nor dtgc_free. Its arguments are valid until it
 * returns. A result other than 0 stops training, which is not a failure. Under mpiexec every rank
 * calls its own, and all must do the same. `eval` is NULL when nothing evaluates. */
typedef int dtgc_step_fn(void *user, dtgc_program *p, const dtgc_pass *at);
typedef int dtgc_epoch_fn(void *user, dtgc_program *p, const dtgc_pass *train,
                          const dtgc_pass *eval);

/* Zero every field you do not set. */
typedef struct dtgc_fit_options {
  dtgc_rows train;
  dtgc_rows eval;      /* run after each epoch; entry NULL: no evaluation */
  int64_t epochs;      /* number of the last epoch; required */
  int64_t first_epoch; /* 0 means 1; higher to continue an earlier call */
  /* 1: reshuffles the training rows in each epoch, depending on seed and epoch number alone: the
   * same on every mesh and transport. */
  int shuffle;
  uint64_t shuffle_seed;
  int drop_last;         /* 1: leave out rows that do not fill a batch */
  /* Every so many steps of training (0: never) the step is compared with one device as by
   * dtgc_verify_step; a difference stops training with DTGC_RUN_FAILED and an error that describes
   * it. A short last batch is not compared. */
  int64_t verify_every;
  double verify_tolerance; /* 0: 1 */
  dtgc_step_fn *on_step; /* after each step, of evaluation too */
  dtgc_epoch_fn *on_epoch;
  void *user;
  /* After every so many training steps: compares the bits of variables on all devices that hold
   * the same block, and fails with the variable, the step and the devices. 0: never. */
  int64_t check_replicas;
  /* NULL, or an entry without inputs: row b of a step is then the row after row b of the step before
   * it, for training of a recurrent model in pieces (truncated backpropagation). States carry what
   * steps pass on; the entry resets them, and runs before each pass begins. Rows that do not fill a
   * step are left out. Excludes `shuffle`. */
  const char *stream;
  /* So many steps at most run without a return to the host; 0: 1. on_step is then called for each of
   * them afterwards, with the step's own metrics, but variables are those after the last:
   * dtgc_pass.beyond. A step that is verified or after which replicas are checked ends such a
   * sequence. */
  int64_t steps_per_call;
} dtgc_fit_options;

/* Trains: runs an entry on batches of rows, epoch after epoch, like `dtgc run ... fit`, but prints
 * nothing. The first dim of the entry's inputs must be written as a `const`; a short last batch is
 * run by the program recompiled for its size, once, and kept with `p`. A wrong option, file or
 * shape is DTGC_BAD_ARGUMENT, before any step. */
dtgc_status dtgc_fit(dtgc_program *p, const dtgc_fit_options *o);

/* The first finding of dtgc_options.check_nan, as one line; "": nothing so far. Valid until the
 * next call on p. */
const char *dtgc_found_nan(const dtgc_program *p);

/* ------------------------------------------------------------------ verify */

/* Runs entries of a program, all its devices as threads of this process, beside the same program on
 * one device without layouts, on the same inputs and variables, and compares: every value with a
 * name (gradients too), every output, every variable after each step. Values may differ by the
 * accumulated rounding of their ops: the one-device program is run several times more with each
 * op's stated rounding as perturbation; integers and bools that are not perturbed must be equal. If
 * they differ, the first differing value in program order is reported with its line, the op or
 * exchange that computes it, a device, the index and both numbers. A second run verifies that
 * storing all values does not change any bit of outputs and variables.
 *
 * It starts p (so p's transport must not be mpi), compiles it two or three more times, and keeps
 * all values of the one-device program in memory. The first entry begins with p's variables, and
 * afterwards p has the variables after all steps. */
typedef struct dtgc_verify_options { /* zero what you do not set */
  const char *entry;                 /* NULL: all, in order, beginning with `init` */
  const dtgc_feed *feed; /* of inputs: rows, one batch per step, or whole; other inputs are drawn at
                            random according to their types and uses */
  int nfeed;
  int64_t steps;    /* of each entry; 0: 1 */
  double tolerance; /* factor of all bounds; 0: 1 */
  uint64_t seed;    /* of drawn inputs */
  int json;         /* 1: the text is JSON, one object per line */
} dtgc_verify_options;
/* *differs becomes 1 if something differs, *text is the report (dtgc_free_text);
 * NULL on failure. DTGC_OK in both cases. `o` may be NULL. */
dtgc_status dtgc_verify(dtgc_program *p, const dtgc_verify_options *o, int *differs, char **text);
/* The same for one step that was run elsewhere: the arguments of an entry (in, all inputs; before,
 * all variables) and its results (after, all variables; out, any outputs). p itself is not run. The
 * one-device program is compiled at the first call and kept with p. Of `o` only tolerance, seed and
 * json are used. */
dtgc_status dtgc_verify_step(dtgc_program *p, const dtgc_verify_options *o, const char *entry, const dtgc_buffer *in,
                             int nin, const dtgc_buffer *out, int nout, const dtgc_buffer *before,
                             const dtgc_buffer *after, int nvars, int *differs, char **text);
/* The same as a dtrt_verify_fn of dtrt.h, whose user is the program: for hosts that call dtrt_fit
 * with dtgc_load's tables. */
int dtgc_verify_fit(void *program, int entry, const void *const *in, const void *const *out, const void *const *before,
                    const void *const *after, char *why, int n);

/* ------------------------------------------------------------------ 4. look inside */

/* The numbers are those of dtrt.h. f16 and bf16 are their 16-bit patterns, bool is a byte of 0
 * or 1, c64 and c128 are two floats, re and im. */
typedef enum dtgc_dtype {
  DTGC_BOOL,
  DTGC_U8,
  DTGC_I8,
  DTGC_I32,
  DTGC_I64,
  DTGC_F16,
  DTGC_BF16,
  DTGC_F32,
  DTGC_F64,
  DTGC_I16,
  DTGC_U16,
  DTGC_U32,
  DTGC_U64,
  DTGC_F8_E4M3,
  DTGC_F8_E5M2,
  DTGC_C64,
  DTGC_C128
} dtgc_dtype;
const char *dtgc_dtype_name(dtgc_dtype t); /* "f32" */

/* What `print` in an entry shows. All of it lives only during the callback. `data` has all elements
 * of a tensor of up to 1000; of a larger one three at each end of each dim of more than 6, which
 * has 6 in `shape`. */
typedef struct dtgc_printed {
  const char *text;  /* as it would be written to stderr; ends in a newline */
  const char *where; /* "model.dtg:12" */
  const char *label; /* "" without one */
  const char *type;  /* "f32[100, 4]" */
  dtgc_dtype dtype;
  int rank;
  const int64_t *shape; /* [rank] */
  const void *data;     /* dense, row-major */
} dtgc_printed;

/* A whole tensor. The pointers live as long as the program. */
typedef struct dtgc_tensor {
  const char *name; /* of an input or output; the path of a variable: "model.d1.w" */
  dtgc_dtype dtype;
  int rank;
  const int64_t *shape; /* [rank] */
  int64_t count;        /* of elements */
  size_t bytes;
  int trainable; /* variables: 1 for a param, 0 for a state */
} dtgc_tensor;

/* The entries that the source declares, in its order; "init" is not counted, but has 0 inputs and 0
 * outputs. An index out of range yields NULL, or DTGC_BAD_ARGUMENT. */
int dtgc_entries(const dtgc_program *p);
const char *dtgc_entry(const dtgc_program *p, int i);
int dtgc_inputs(const dtgc_program *p, const char *entry);  /* -1: no such entry */
int dtgc_outputs(const dtgc_program *p, const char *entry); /* -1: no such entry */
dtgc_status dtgc_input(const dtgc_program *p, const char *entry, int i, dtgc_tensor *out);
dtgc_status dtgc_output(const dtgc_program *p, const char *entry, int i, dtgc_tensor *out);
int64_t dtgc_devices(const dtgc_program *p); /* of the mesh; 1 without one; 0: not compiled */

/* Variables: params and states, by index or by path. get and set copy the whole value. */
int dtgc_vars(const dtgc_program *p);
dtgc_status dtgc_var(const dtgc_program *p, int i, dtgc_tensor *out);
int dtgc_find_var(const dtgc_program *p, const char *path); /* -1 */
dtgc_status dtgc_get(dtgc_program *p, const char *path, void *to, size_t bytes);
dtgc_status dtgc_set(dtgc_program *p, const char *path, const void *from, size_t bytes);
/* Copies the values of variables with the same paths from `from` to `to`, whatever the mesh and
 * layouts of either. Variables of both must have the same type and shape, or nothing is copied.
 * *left, if not NULL, becomes the number of variables of `to` that `from` does not have; variables
 * of `from` alone are ignored. One thread uses both during the call, and dtgc_error(to) has the
 * reason of a failure. */
dtgc_status dtgc_copy_variables(dtgc_program *to, dtgc_program *from, int *left);

/* ------------------------------------------------------------------ 5. devices and blocks */

/* The mesh. Devices are its points, the last axis counting fastest: device 3 of [a=2, b=2] is at
 * (1, 1). at is [dtgc_axes]. */
int dtgc_axes(const dtgc_program *p); /* 0 without a mesh, or when it did not compile */
dtgc_status dtgc_axis(dtgc_program *p, int i, const char **name, int64_t *size);
dtgc_status dtgc_coordinates(dtgc_program *p, int64_t device, int64_t *at);
/* The devices of this process: all, unless under mpiexec. Starts the devices. */
dtgc_status dtgc_local_devices(dtgc_program *p, int64_t *first, int64_t *count);

/* In the functions below `entry` and `name` are an entry and an input or output of it, or NULL and a
 * variable's path. */

/* A tensor's layout, as in a layout statement: "[(batch, model), _]". Free with dtgc_free_text. */
dtgc_status dtgc_layout(dtgc_program *p, const char *entry, const char *name, char **text);
/* DTGC_OK if it has layout `layout` ("[batch, ...]"; axes of size 1 and granules that change no
 * block are no difference), else DTGC_BAD_ARGUMENT with both in the error. */
dtgc_status dtgc_check_layout(dtgc_program *p, const char *entry, const char *name,
                              const char *layout);
/* A device's block of it: [lo[d], hi[d]) of each dim, and the bytes of that block, dense and
 * row-major. A box may be empty, and those of an input may overlap (windows). Each of lo, hi
 * and bytes may be NULL. */
dtgc_status dtgc_box(dtgc_program *p, const char *entry, const char *name, int64_t device,
                     int64_t *lo, int64_t *hi, size_t *bytes);

/* A block in your memory. */
typedef struct dtgc_block {
  const char *name; /* of an input; ignored by dtgc_pack and dtgc_unpack */
  int64_t device;   /* of this process */
  void *data;
  size_t bytes; /* as dtgc_box says */
} dtgc_block;

/* The blocks of a variable as the devices hold them, of any of this process's devices. */
dtgc_status dtgc_unpack(dtgc_program *p, const char *path, const dtgc_block *to, int n);
/* Sets a variable from blocks, one of every device of this process (under mpiexec all ranks call).
 * Blocks of devices that hold the same elements must have the same bytes there; otherwise it is
 * DTGC_BAD_ARGUMENT, the error names the devices and the first element, and nothing is set. Blocks
 * of other processes are not compared. */
dtgc_status dtgc_pack(dtgc_program *p, const char *path, const dtgc_block *from, int n);
/* dtgc_run with the inputs as blocks, in any order, under the same rule; outputs are whole. */
dtgc_status dtgc_run_blocks(dtgc_program *p, const char *entry, const dtgc_block *in, int nin,
                            const dtgc_buffer *out, int nout);
/* Whether the devices of this process that hold the same elements of a variable hold the same
 * bytes, as they always should; if not, DTGC_BAD_ARGUMENT, and the error names the first
 * difference. */
dtgc_status dtgc_check_replicas(dtgc_program *p, const char *path);

/* ------------------------------------------------------------------ 6. what is inside, as text */

/* A stage as text: "ast", "graph", "layouts", "layouts:why" (with chains of reasons), "statements",
 * "spmd", "comm", "edits", "memory", "cost", "c" or "summary" (one line); "layouts:json",
 * "comm:json", "memory:json" and "cost:json" are one JSON object each (docs/dumps.md). *text is
 * malloc'ed and ends in NUL; free it with dtgc_free_text. NULL on failure. "edits" compiles the
 * program some hundred times to measure single edits of its layouts; "comm" does so too if it takes
 * about a second at most; imported files are not read again. */
dtgc_status dtgc_dump(dtgc_program *p, const char *stage, char **text);
/* One tensor explained, as text: where its layout comes from, rejected proposals, the versions of
 * it that a device holds and their cost, and the other ways to compute its op. `name` is a
 * variable's path, an input, an output or a named value ("train.loss", "loss"), or the op and line
 * of a value without a name as dumps show it ("exp@m.dtg:13#2"). Free with dtgc_free_text.
 * DTGC_BAD_ARGUMENT if there is no such tensor: the error has the nearest names. */
dtgc_status dtgc_why(dtgc_program *p, const char *name, char **text);
/* Two programs from the same model under other layouts, side by side: exchanges, bytes, memory,
 * modelled time, and the tensors with different layouts. `was` and `now` head the columns of p and
 * `other` (NULL: "this", "other"). Entries and variables of only one of them are omitted. This
 * thread uses both during the call. Free with dtgc_free_text. */
dtgc_status dtgc_diff(dtgc_program *p, dtgc_program *other, const char *was, const char *now,
                      char **text);
/* Layouts for everything that is not annotated, as a layout file: variables, and inputs of the
 * entries that assign variables (all entries, when none does), for the least modelled time of these
 * entries with at most `memory` bytes per device (0: no limit). Its comments show the cost of the
 * alternatives and the distance from a lower bound. Free with dtgc_free_text. DTGC_BAD_ARGUMENT if
 * nothing fits.
 */
dtgc_status dtgc_auto(dtgc_program *p, uint64_t memory, char **text);
/* A self-contained HTML page without network access: the graph with its layouts in color,
 * each tensor's blocks on the mesh, the exchanges by cost, memory over the steps. The same sources
 * and options give the same bytes. Free with dtgc_free_text; NULL on failure. */
dtgc_status dtgc_html(dtgc_program *p, char **text);
/* The sources as parsed, without compiling further: also for a program with semantic errors.
 * Messages go to o->message. On failure *text is the error (NULL: out of memory),
 * to be freed as well. */
dtgc_status dtgc_dump_ast(const dtgc_source *sources, int n, const dtgc_options *o, char **text);
void dtgc_free_text(char *text);
const char *const *dtgc_stages(void); /* the names above, ending in NULL */
/* The names for dtgc_options.disable, from 0; NULL: past the last. */
const char *dtgc_optimization(int i);

/* sizeof a struct of this header, "options" for dtgc_options, so that a binding of another language can
 * check its own layout; 0: unknown. */
size_t dtgc_size_of(const char *type);

/* The operations of the language as a Markdown page (docs/ops.md). Free with dtgc_free_text. Fails
 * only with DTGC_NO_MEMORY. */
dtgc_status dtgc_ops(char **text);

/* The headers that emitted C includes, as built into the library: "dtrt.h", "dtrt_math.h" and
 * "dtrt_special.h". NULL: unknown. */
const char *dtgc_header(const char *name);

/* An executable that holds the code of programs[0] and, for batches of other sizes, of the others,
 * which must be the same sources with other constants. with_mpi: it can run under mpiexec. Requires
 * a C compiler to link (CC, else cc, gcc or clang). dtgc_error(programs[0]) has the reason of a
 * failure, which leaves an older `output` unchanged; programs[0] is used for that even if n is 0.
 */
dtgc_status dtgc_build(dtgc_program *const *programs, int n, const char *output, int with_mpi);
/* The same around a program of your own: `files` are C sources, objects and archives, one of which
 * has main. They include dtrt.h, which declares dtg_program, programs[0], and dtg_variants, the
 * others. Sources are compiled with -O2 and CFLAGS. */
dtgc_status dtgc_build_with(dtgc_program *const *programs, int n, const char *const *files,
                            int nfiles, const char *output, int with_mpi);

/* The compiled tables of dtrt.h, for hosts that call the runtime themselves. They live as long as
 * p. */
struct dtrt_program;
dtgc_status dtgc_load(dtgc_program *p, const struct dtrt_program **out);

/* Measures this machine for some seconds: matrix products, loops, memory and exchanges with all
 * devices at work at once. *text becomes a machine file for dtgc_options.machine, whose comments
 * contain the measurements and the error of the model. Free it with dtgc_free_text. `o` may be
 * NULL. Under mpiexec all ranks call; each gets its own text, and rank 0's is the one to keep. On
 * failure *text is the reason (NULL: out of memory), to be freed as well. */
typedef struct dtgc_calibration {
  const char *transport; /* "threads" or "mpi"; NULL: mpi under mpiexec, else threads */
  int devices;           /* threads: 2 to 128; 0: as many as there are cores, at least 2 */
  int quick;             /* 1: fewer rounds and smaller sizes, in about a second; rough */
} dtgc_calibration;
dtgc_status dtgc_calibrate(const dtgc_calibration *o, char **text);

/* Duration of each step of the compiler so far, in order. Returns their number; fills at most
 * `most`. Steps: "front", "recall" (from the cache); the passes by the names that --disable and the
 * manual have for them, if the program was not recalled; then, each time code is generated, "emit",
 * "llvm" (opening it), "clang", "load" (into this process), "link" (an executable). */
typedef struct dtgc_time {
  const char *step;
  double ms;
} dtgc_time;
int dtgc_times(const dtgc_program *p, dtgc_time *out, int most);
/* The memory of a device, in bytes, like dtrt_memory of dtrt.h. Predicted: of the device that uses
 * most, after all entries have run, if devices read each other's memory (threads, ranks of one
 * host); --dump=memory shows its parts. Measured: the pages that device `device` of this process
 * uses so far; DTGC_BAD_ARGUMENT if the program has not run yet or another process owns the device.
 */
typedef struct dtgc_memory {
  int64_t variables;
  int64_t arena;     /* inputs, outputs and intermediate values */
  int64_t packing;   /* packed operands of matrix products */
  int64_t exchanges; /* scratch and tables */
  int64_t total;
} dtgc_memory;
dtgc_status dtgc_memory_predicted(dtgc_program *p, dtgc_memory *out);
dtgc_status dtgc_memory_measured(dtgc_program *p, int device, dtgc_memory *out);
/* 1: the object came from the cache; 0: it was compiled; -1: there is no code yet. */
int dtgc_from_cache(const dtgc_program *p);
/* Objects that came from the cache and objects that were compiled, for this program and the variants
 * that dtgc_fit compiled for short batches. */
void dtgc_cache_counts(const dtgc_program *p, int *hits, int *misses);

/* Times each step of the running program on each device (docs/profiling.md). start times everything
 * that runs from now on and discards earlier times; it starts the devices if they do not run yet.
 * Under mpiexec all ranks call each of these, and rank 0 has the profile of all devices. */
dtgc_status dtgc_profile_start(dtgc_program *p);
/* A table of the entries that ran and their steps, "" on ranks above 0. Free with dtgc_free_text.
 * DTGC_BAD_ARGUMENT: dtgc_profile_start was not called. */
dtgc_status dtgc_profile_text(dtgc_program *p, char **text);
/* A trace for chrome://tracing or Perfetto, as JSON, of the first calls. It replaces the file at `path`,
 * written aside and synced first. DTGC_SYSTEM: it cannot be written. */
dtgc_status dtgc_profile_save(dtgc_program *p, const char *path);

/* ------------------------------------------------------------------ 7. checkpoints */

/* All variables of a program as safetensors files in a folder (docs/checkpoints.md), saved from one
 * mesh and layout and restored under any other. Under mpiexec all ranks call, and the folder is one
 * that all of them see. The devices are started if they do not run yet. */

/* Progress of a training run, saved with the variables. You fill in all fields; zero if unused. */
typedef struct dtgc_progress {
  int64_t step;  /* total steps completed */
  int64_t epoch; /* epochs completed */
  int64_t row;   /* rows completed of the current epoch */
  int64_t rows;  /* per epoch */
  int32_t shuffled;
  uint64_t shuffle, seed;
  char note[1024]; /* any text in UTF-8, ending in NUL */
} dtgc_progress;

typedef struct dtgc_save_options {
  const dtgc_progress *progress; /* NULL: zeros */
  int bf16; /* 1: params of f32 are rounded to bf16 on disk; restoring gives f32 again */
} dtgc_save_options;
/* Writes a checkpoint as folder `path`, replacing an existing one. It is written beside it, synced
 * to disk and then renamed, so that `path` is always complete: the old checkpoint, the new one or,
 * if there was none, absent. Anything else at `path`, or a failure to write, is DTGC_SYSTEM and
 * leaves it unchanged. `o` may be NULL. */
dtgc_status dtgc_save(dtgc_program *p, const char *path, const dtgc_save_options *o);

typedef struct dtgc_restore_options {
  const char *map; /* lines `theirs -> ours` (docs/checkpoints.md); NULL: names as they are */
  int partial;     /* 1: variables missing from the files keep their values, unknown tensors are
                      ignored; 0: both are errors */
  void (*tell)(void *user,
               const char *line); /* called with one line for each of these; NULL: not called */
  void *user;
} dtgc_restore_options;
/* Sets variables to the values in `path`: a checkpoint, a folder of checkpoints step-N (the
 * newest), a .safetensors file, a folder of such files with model.safetensors.index.json, an .npz
 * archive of stored arrays, or a file of torch.save or of Keras (.keras, .h5). All checksums are
 * verified before any variable is changed. DTGC_SYSTEM: it cannot be read or is damaged;
 * DTGC_BAD_ARGUMENT: it belongs to another program, or the map is wrong; both leave the variables
 * unchanged. DTGC_RUN_FAILED: it failed half-way. `o` and `progress` may be NULL; *progress is set
 * on success, to zeros for files that dtg did not write. To continue training from a checkpoint
 * that on_epoch saved with the epoch's number as progress.epoch, call dtgc_fit with first_epoch =
 * progress.epoch + 1: the following epochs have the same bits as without the interruption. */
dtgc_status dtgc_restore(dtgc_program *p, const char *path, const dtgc_restore_options *o,
                         dtgc_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
