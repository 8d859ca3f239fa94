/* session.h: the parts of a session that session.c, entry_call.c and program_check.c share. */
#ifndef DTG_RUNTIME_SESSION_H
#define DTG_RUNTIME_SESSION_H
#include "device.h"
#include "hold.h"
#include "profile.h"

/* A program of a session. Its own exchanges are followed by the ones that gather whole
 * outputs and variables for a host (under mpi), with the next ids. */
typedef struct SessionProgram {
  const dtrt_program *p;
  int nexchanges; /* with those for hosts */
  dtrt_exchange *host;
  dtrt_layout *whole;
  dtrt_dim *dims;
  int *
      first_out; /* [nentries] index in host of the first output of an entry; variables come last */
  int first_var;
} SessionProgram;

struct dtrt_session {
  Hold hold;               /* by the thread whose call uses it */
  SessionProgram *program; /* [nprograms] */
  int nprograms;
  BlockMesh mesh;
  Comm *comm;
  Team *team;                      /* NULL for one device */
  Device *device;                  /* [comm->count] */
  struct CpuBinding *bind;         /* NULL: not bound */
  struct ProgressThread *progress; /* NULL: there is none */
  Profile *profile;                /* NULL: nothing is timed */
  dtrt_watch_fn *watch;            /* NULL: none */
  void *watch_user;
  int check_nan;     /* DTRT_CHECK_OFF ... */
  char found[1024];  /* what that has found, the first; "" nothing */
  int64_t found_run; /* in which run of its call */
  uint64_t seed;
  dtrt_print_fn *print;
  void *print_user;
  bool handlers; /* signal handlers are held */
  bool opened;
  bool told; /* error has the reason why a device of this process failed */
  char error[DEVICE_ERROR];
};

/* Sets the session's error and returns the status. */
__attribute__((format(printf, 3, 4))) dtrt_status session_error(dtrt_session *s, dtrt_status status,
                                                                const char *why, ...);
/* NULL, or what is wrong with a program's tables. */
const char *session_check(const dtrt_program *p);
/* What distinguishes the variables of two programs that should have the same, in `why`; 0 when
 * nothing. */
int session_compare(const dtrt_program *a, const dtrt_program *b, char *why, size_t room);
/* Hashes of all that decides the messages between devices: sizes, layouts, names and order, but
 * not where in a file they were written. */
CommFace session_face(const dtrt_program *p, uint64_t seed);
void session_mesh(BlockMesh *m, const dtrt_program *p);
int64_t session_tensor_bytes(const dtrt_tensor *t); /* -1 when it overflows */

/* All ranks' faces (comm.h), or an error that names the rank that has not come, or is at another
 * place; the session has then failed. Only of several processes. */
dtrt_status session_gather(dtrt_session *s, const CommFace *mine, CommFace *all, double timeout);

/* Begins every public function that runs or changes a session: rejects NULL and a second thread. */
#define SESSION_USE(s)                                                                             \
  if (!(s)) return DTRT_INVALID;                                                                   \
  HOLD_OR_RETURN(&(s)->hold, DTRT_BUSY)
/* Begins every public function that only reads a session: NULL reads as one that is not open. */
static inline const dtrt_session *session_or_none(const dtrt_session *s) {
  static const dtrt_session none;
  return s ? s : &none;
}

/* Runs f on every device of this process, guarded. */
typedef void SessionJob(Device *d, void *arg);
dtrt_status session_run(dtrt_session *s, SessionJob *f, void *arg);
dtrt_status session_init(dtrt_session *s); /* runs entry 0 */

/* A dtrt_fill_fn that is told for which run of the call, from 0. */
typedef int SessionFill(void *user, int64_t run, int device, int input, const int64_t *lo,
                        const int64_t *hi, void *to, char *why);
/* One call, of so many runs: each device goes on from one to the next without waiting for the
 * host, and for others only where the entry does. */
typedef struct SessionCall {
  int program, entry;
  int64_t runs;
  const void *const *in; /* whole tensors, those of the runs one after another ... */
  const bool *same;      /* [inputs] ... but for these, of which there is one for all; or NULL */
  SessionFill *fill;     /* in their place; NULL: none */
  void *user;            /* of fill */
  void *const *out;      /* those of the runs one after another; NULL: not wanted */
} SessionCall;
dtrt_status session_call(dtrt_session *s, const SessionCall *c);
/* DTRT_OK, or why no entry can be called now. */
dtrt_status session_usable(dtrt_session *s);
/* All processes come here together, each with what became of its part; all leave with the failure
 * of the lowest rank that has one, and its reason as the session's error. */
dtrt_status session_agree(dtrt_session *s, dtrt_status mine);
/* n numbers of every rank, [nranks][n] in `all`, while all are `at` the same place. With one
 * process they are its own. */
dtrt_status session_gather_words(dtrt_session *s, const char *at, const uint64_t *mine, int n,
                                 uint64_t *all);
/* The bytes of one rank, to all. */
dtrt_status session_spread(dtrt_session *s, const char *place, int from, char *text, size_t size);
/* The lowest rank's number, on every rank. */
uint64_t session_share(dtrt_session *s, uint64_t mine);
/* The most of all ranks' numbers, on every rank. */
uint64_t session_most(dtrt_session *s, uint64_t mine);
/* Of variables and entries as the model's text has them, whatever the mesh and the layouts are. */
uint64_t session_hash(const dtrt_program *p);

/* -------- watching: watch.c -------- */

/* Before step `step`: shows the values of the step before it. */
void watch_until(Device *d, int32_t step);
/* The address of a value of the running entry. */
static inline void *watch_at(const Device *d, const dtrt_value *v) {
  if (v->lent >= 0) return (void *)(uintptr_t)d->in[v->lent];
  return (v->in_vars ? d->pub.vars : d->pub.arena) + v->offset;
}
static inline bool watch_wanted(const Device *d) {
  return d->session->watch || d->session->check_nan == DTRT_CHECK_FULL;
}

#endif
