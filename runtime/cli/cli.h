/* cli.h: the parsed arguments of dtrt_main, and the commands that implement it. */
#ifndef DTG_RUNTIME_CLI_H
#define DTG_RUNTIME_CLI_H
#include <stdbool.h>
#include <stdio.h>
#include "data.h"
#include "dtrt.h"
#include "same.h"

/* Exit statuses; of a fit that a signal has stopped, as a shell has it: 130 after Ctrl-C. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_SIGNAL = 128 };
enum { CLI_WHY = 768 };

typedef struct cli {
  const char *prog; /* argv[0] */
  const dtrt_program *program;
  const dtrt_program *const *variants; /* NULL-terminated, or NULL */
  dtrt_more_fn *more;
  dtrt_verify_fn *verify; /* NULL: steps cannot be verified */
  void *user;
  int64_t verify_every;
  bool quiet; /* another process is rank 0 and speaks */
  bool looks; /* nothing runs: the arguments are checked */
  int rank;   /* of MPI, according to the environment */

  const char *command;
  const dtrt_entry *entry, *eval, *report, *stream; /* NULL: not given */
  data_pair *feed, *eval_feed, *out;
  int nfeed, neval_feed, nout;
  int64_t epochs, steps, limit, eval_limit; /* 0: not given, all rows */
  int64_t skip, eval_skip, prefetch, per_call, per_rank, cores, check_replicas, progress, bind;
  int64_t check_nan; /* DTRT_CHECK_OFF ... */
  double timeout;    /* seconds; 0: not given; less: no limit */
  bool shuffle, drop_last, stop_on_nan, plain, layouts, traffic, footprint, stragglers;
  uint64_t shuffle_seed, seed;
  const char *log, *log_steps, *log_ranks, *transport;
  const char *profile; /* NULL: none; "": the table alone; else the file of the trace */
  const char *save, *every_text, *load, *load_map;
  int64_t every, keep; /* every: 0 is each epoch; keep: 0 is 3 */
  bool resume, save_bf16, save_sync, load_partial;
} cli;

int info_run(const cli *c);
int call_run(const cli *c);
int cli_fit(const cli *c);
int help_run(const cli *c, FILE *to, int status);
int look_run(const cli *c, bool calls); /* cli_look.c: -1, or why not; `calls`: else it fits */

/* "PROG: message" on stderr, of rank 0 alone; returns CLI_USAGE. */
__attribute__((format(printf, 2, 3))) int cli_usage(const cli *c, const char *format, ...);
/* The same for what may go wrong in one process only (files). With a session open, a rank that
 * leaves with a failure has mpiexec end the others; ranks above 0 wait a moment first, so that
 * where all fail alike rank 0 alone speaks. Returns CLI_FAILED. */
int cli_fail(const cli *c, const char *why);
void cli_note(const cli *c, const char *note); /* on stderr; nothing for "" */
void cli_note_set(const cli *c, const data_set *set);

/* Opens the session, before any file, for the reason above; NULL after saying why. */
dtrt_session *cli_open(cli *c);
/* Of the commands whose bits are set: takes the option at argv[*i], with its value; and once all
 * are taken, whether they go together. False after saying why. */
bool cli_take_option(cli *c, int argc, char **argv, int *i, int bit);
bool cli_check_options(cli *c, int bit);
bool cli_find_entry(const cli *c, const char *name, const dtrt_entry **to);
/* The options that all ranks must have been given alike. */
void cli_same_options(const cli *c, same_list *l);
/* What --load and its options request; without them nothing. `progress` may be NULL. */
int cli_load(cli *c, dtrt_session *s, dtrt_progress *progress);
/* --profile: begins it, and prints its results. Without it nothing. */
int cli_profile_start(const cli *c, dtrt_session *s);
int cli_profile_end(const cli *c, dtrt_session *s);
/* --stragglers: prints them now. */
int cli_stragglers(const cli *c, dtrt_session *s);
/* What memory the devices of this process have taken: one line each. */
void cli_print_footprint(const dtrt_session *s);
/* Prints why the session failed; CLI_FAILED. */
int cli_session_failed(const cli *c, const dtrt_session *s);

/* " (did you mean 'train'?)" or "": the name nearest to `word`, where one is near. */
typedef struct cli_near {
  const char *word, *best;
  int distance;
  char text[96];
} cli_near;
void cli_near_start(cli_near *n, const char *word);
void cli_near_try(cli_near *n, const char *name);
const char *cli_near_text(cli_near *n);

/* "u8[batch=128, 28, 28]" */
void cli_type_text(const dtrt_tensor *t, char *text, size_t size);
/* "8 devices, mesh [batch=4, model=2]" */
void cli_mesh_text(const dtrt_program *p, char *text, size_t size);
#endif
