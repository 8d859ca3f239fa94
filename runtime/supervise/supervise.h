/* supervise.h: `dtgc launch`: starts the ranks of a job, watches them, and starts those that are
 * left again when some are lost.
 *
 * mpiexec or srun starts one watcher a rank (rank_watch.c), on whatever host. It connects to the
 * launcher, starts the program with its output on connections of their own, and reports how it
 * ended: so the launcher knows of each rank by itself, and no line of one is broken by another's.
 * Invariant: of one attempt nothing runs any more when the next begins. */
#ifndef DTG_RUNTIME_SUPERVISE_H
#define DTG_RUNTIME_SUPERVISE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SUPERVISE_HOST = 64, SUPERVISE_LINE = 512, SUPERVISE_WHY = 1024, SUPERVISE_RULES = 32 };
enum { SUPERVISE_FAILED = 1, SUPERVISE_USAGE = 2, SUPERVISE_SIGNAL = 128 };

typedef struct job_host {
  char *name;
  int ranks; /* that it may have */
} job_host;

typedef struct job_rule {
  int ranks;
  const char *mesh; /* "data=2,model=2" */
} job_rule;

/* What the command line requests. */
typedef struct job {
  int ranks;       /* 0: not given, as many as the hosts have */
  int restarts;    /* -1: not given */
  int least, most; /* of --elastic; 0: not given */
  job_rule rule[SUPERVISE_RULES];
  int nrules;
  const char *hosts, *with; /* the file; the command that starts ranks */
  char **command;           /* NULL-terminated */
  int ncommand;
  const char *save; /* the folder after --save in the command, or NULL */
  bool resumes;     /* the command has --resume */
  bool progress;    /* --progress: what rank 0's `fit` is doing is shown */
  job_host *host;   /* [nhosts], without a file the only one is "" */
  int nhosts;
  char *left_out; /* hosts that a scheduler chose and that were lost: "b,c" */
} job;

/* job_read.c: the arguments after `launch`. False after printing why; *done when only help was
 * requested. */
bool job_read(job *j, int argc, char **argv, bool *done);
void job_free(job *j);
int job_slots(const job *j);

/* job_plan.c: how many ranks run, on which mesh, by which words. */
typedef struct job_plan {
  int ranks;
  const char *mesh; /* for --mesh or {mesh}; NULL: as the program has it */
} job_plan;
typedef struct job_mesh { /* of the program, as its `info` has it */
  int devices, naxes;
  int size[16];
  char name[16][64];
  char shrunk[512]; /* text of a smaller one */
} job_mesh;
/* Finds the program's mesh when ranks may become fewer and no rule names one. */
bool job_find_mesh(const job *j, job_mesh *m);
/* The largest number of ranks that can go on with those left. False: none. */
bool job_choose(const job *j, job_mesh *m, job_plan *p);
/* The words to start: a NULL-terminated copy with mesh, ranks and --resume. */
char **job_words(const job *j, const job_plan *p, bool again);
void job_free_words(char **words);

/* attempt.c: one start of all ranks. */
typedef enum attempt_end {
  ATTEMPT_DONE,    /* every rank ended with status 0 */
  ATTEMPT_STOPPED, /* by a signal to the launcher */
  ATTEMPT_LOST,    /* ranks were killed, or their host is gone */
  ATTEMPT_FAILED,  /* a rank ended with a failure of its own */
  ATTEMPT_NO_START /* not all ranks could be started */
} attempt_end;
typedef struct attempt {
  attempt_end end;
  int status;              /* to exit with if this is the last */
  char why[SUPERVISE_WHY]; /* "rank 3 on host a (process 4711) was killed by SIGKILL" */
  int nlost;
  int *lost;         /* [nlost] ranks */
  char *lost_host;   /* [nlost * SUPERVISE_HOST] by the names that they gave themselves */
  bool host_is_gone; /* a connection ended, and no report came */
  double detected;   /* seconds of comm_now: when the first failure was seen */
} attempt;
void attempt_run(attempt *a, const job *j, const job_plan *p, char **words);
void attempt_free(attempt *a);

/* starter.c: the command that starts the watchers of all ranks. */
typedef struct starter {
  int pid;     /* its process, in a group of its own */
  int out;     /* what it prints itself */
  char *hosts; /* the file of hosts that was written for it */
} starter;
bool starter_begin(starter *s, const job *j, const job_plan *p, char **words, const char *address,
                   char *why);
void starter_end(starter *s, bool kill_it); /* waits for it */

/* line_merge.c: output of many streams, whole lines of one at a time. */
typedef struct line_merge {
  char *text;
  size_t n, room;
} line_merge;
/* Writes the lines that `bytes` complete to `fd`, and keeps the rest. `last`, of SUPERVISE_LINE
 * bytes or NULL, gets the last one that is not empty. */
void line_merge_put(line_merge *m, int fd, const char *bytes, size_t n, char *last);
void line_merge_end(line_merge *m, int fd, char *last); /* what lacks its end of line */

/* status_line.c: the progress of rank 0's `fit`, below all other output. */
typedef struct status_line {
  bool on, terminal; /* it was requested; standard error is a terminal that can redraw */
  bool shown;        /* there is a line to clear */
  double last;       /* when one was written, seconds */
  char text[SUPERVISE_LINE];
  char in[2 * SUPERVISE_LINE]; /* [n] of the line that comes */
  size_t n;
} status_line;
void status_begin(status_line *s, bool wanted);
void status_put(status_line *s, const char *bytes, size_t n); /* what rank 0 has sent */
void status_clear(status_line *s);                            /* before other output, ... */
void status_draw(status_line *s);                             /* ... and after it */

/* stop_signals.c: signals to the launcher, as readable bytes. */
int stop_signals_open(void); /* a descriptor, or -1 */
void stop_signals_close(void);

/* rank_watch.c: the watcher of one rank; returns its exit status. */
int rank_watch(char **command);
/* The first line that a watcher's connections send; and the variable with the launcher's address,
 * "TOKEN PORT ADDRESS ADDRESS...". */
#define RANK_HELLO "dtgc-launch %c %llx %d %ld %63s\n"
#define RANK_ADDRESS "DTGC_LAUNCH"
/* The descriptor to which rank 0's `fit` writes its progress, a line each time. */
#define RANK_PROGRESS "DTGC_LAUNCH_PROGRESS"

#endif
