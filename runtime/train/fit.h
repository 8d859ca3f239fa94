/* fit.h: the training loop: runs an entry on batches of rows, epoch after epoch, with another
 * entry to evaluate after each. Invariant: every row counts once and equally, so a short last
 * batch is run by a program compiled for its size, and means over an epoch are weighted by rows.
 *
 * A call of the session runs several steps where nothing is due between them. Then the hook of
 * steps is called for each of them after the call, with its own metrics.
 *
 * It prints nothing and reads no arguments. Two hooks between steps decide what is displayed,
 * saved or stopped; there the session may be used for anything else. Clients: cli_fit.c. */
#ifndef DTG_RUNTIME_FIT_H
#define DTG_RUNTIME_FIT_H
#include "data.h"

typedef enum fit_status {
  FIT_OK,
  FIT_FAILED, /* fit_reason has the reason */
  FIT_STOPPED /* a hook requested it */
} fit_status;

/* One way through the rows: of training or of evaluation. */
typedef struct fit_pass {
  const dtrt_entry *entry; /* NULL: there is no such pass */
  data_set set;
  int64_t full, rest; /* steps of a whole batch; rows of the short one after them, or 0 */
  int64_t dropped;    /* rows that drop_last leaves out */
  const dtrt_program *short_program;
  int which, short_entry; /* of the short batch, in the session */
  void **out;             /* one an output, of the last step; NULL for outputs that are no metric */
  void **outs;            /* those of the steps of a call */
  double *sum;            /* weighted by rows */
  int64_t rows;           /* counted in sum */
  int64_t begun;          /* steps of this epoch that an earlier run has done */
  int64_t step;           /* steps done in this epoch, these too ... */
  int64_t beyond;         /* ... and those that the same call has done after it already */
  int bad;                /* first metric of the last step that is not finite; -1: none */
  double seconds;       /* that the steps of this epoch took, but for those before it was resumed */
  int64_t took, waited; /* nanoseconds of the last step, and of these for its rows to be read; of
                           a call of several steps the mean */
} fit_pass;

typedef struct fit fit;
typedef fit_status fit_step_hook(fit *f, const fit_pass *pass);
typedef fit_status fit_epoch_hook(fit *f);
/* How many steps a call may run from here, so that what is due after a step finds the session as
 * that step has left it. */
typedef int64_t fit_until_hook(const fit *f, const fit_pass *pass);

struct fit {
  /* Set by the client; zero is a default but for session, program and epochs. */
  dtrt_session *session;
  const dtrt_program *program;
  const dtrt_program *const *variants; /* NULL-terminated, or NULL */
  dtrt_more_fn *more;                  /* provides a short batch's program */
  void *more_user;
  int64_t first_epoch; /* 0 is 1 */
  int64_t first_step;  /* steps of it that are done already */
  double *first_sum;   /* [outputs] what they add to the sums of its means, malloc'ed, or NULL */
  int64_t epochs;      /* the number of the last; 0: it comes of steps */
  int64_t steps;       /* of training in all, the last epoch may be cut off; 0: whole epochs */
  int prefetch;        /* batches that a thread reads ahead; 0: none */
  int64_t per_call;    /* steps in one call at most; 0: FIT_PER_CALL_MOST or less, by cost */
  bool shuffle, drop_last;
  uint64_t shuffle_seed;
  int64_t check_replicas; /* training steps from one check to the next; 0: never */
  int64_t verify_every;   /* steps of training; 0: none */
  dtrt_verify_fn *verify;
  void *verify_user;
  const dtrt_entry *stream; /* NULL, or rows are streams (data_stream): run before each pass begins,
                               to reset the states that the steps pass on */
  bool by_call;             /* a host's call, so messages name no options of a command line */
  const spool_job *job;     /* of its files (session_job), or NULL: there are no commands */
  fit_until_hook *until;    /* NULL: a call may always have per_call steps */
  fit_step_hook *on_step;   /* after each step of either pass */
  fit_epoch_hook *on_epoch; /* after each epoch and its evaluation */
  void *user;
  /* Kept by the loop. */
  fit_pass train, eval;
  int64_t epoch; /* that runs, from 1 */
  bool found;    /* the check for NaN has found something by the last step */
  struct fit_ahead *ahead;
  char why[4096];
};

/* Opens the data of f->train or f->eval and finds the program for its short batch. */
fit_status fit_open(fit *f, fit_pass *pass, const dtrt_entry *entry, const data_pair *feed,
                    int nfeed, int64_t skip, int64_t limit);
/* Puts the rows of `set`, the pass's or a copy, into the order of this epoch. False when out of
 * memory. */
bool fit_order(const fit *f, const fit_pass *pass, data_set *set, int64_t epoch);
/* Once all is open: the ranks have been given the same files. */
fit_status fit_same_files(fit *f);
/* Before the first epoch: the session takes in the programs for short batches. */
fit_status fit_start(fit *f);
fit_status fit_run(fit *f); /* all epochs */
void fit_close(fit *f);     /* the passes; the session is the client's */
const char *fit_reason(const fit *f);
enum { FIT_PER_CALL_MOST = 32 };
/* For the loop's own files: FIT_FAILED for this reason, or for the session's. */
__attribute__((format(printf, 2, 3))) fit_status fit_fail(fit *f, const char *format, ...);
fit_status fit_session_failed(fit *f);

int64_t fit_steps(const fit_pass *pass);                                    /* of an epoch */
int64_t fit_epoch_steps(const fit *f, const fit_pass *pass, int64_t epoch); /* of this one */
/* Float scalar outputs are metrics; the others are not kept. */
bool fit_is_metric(const dtrt_tensor *t);
double fit_value(const fit_pass *pass, int output); /* of the last step */
double fit_mean(const fit_pass *pass, int output);  /* over the rows so far */
#endif
