/* session.c: opening, closing and querying a session: a program, its devices, their memory.
 *
 * Nothing is global except the signal handlers and OpenBLAS's settings, so that several sessions
 * can coexist. */
#include "bind.h"
#include "session.h"
#include "algorithm_table.h"
#include "thread_state.h"
#include "pending.h"
#include "progress_thread.h"
#include "cpus.h"
#include "gemm.h"
#include "variables.h"
#include "nan.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "same.h"

const char *dtrt_session_error(const dtrt_session *s) {
  if (s && hold_refused(&s->hold))
    return "another thread is using this session, and it may be used by one at a time: open one "
           "session per thread, or take turns";
  return s ? s->error : "there is no session: NULL was passed, or there was no memory for one";
}
const dtrt_program *dtrt_session_program(const dtrt_session *s) {
  s = session_or_none(s);
  return s->nprograms ? s->program[0].p : NULL;
}
int dtrt_session_ndevices(const dtrt_session *s) {
  s = session_or_none(s);
  return s->mesh.ndevices;
}
int dtrt_session_rank(const dtrt_session *s) {
  s = session_or_none(s);
  return s->comm ? s->comm->rank : 0;
}
int dtrt_session_nranks(const dtrt_session *s) {
  s = session_or_none(s);
  return s->comm ? s->comm->nranks : 1;
}
int dtrt_session_first_device(const dtrt_session *s) {
  s = session_or_none(s);
  return s->comm ? s->comm->first : 0;
}
int dtrt_session_local_devices(const dtrt_session *s) {
  s = session_or_none(s);
  return s->comm ? s->comm->count : 0;
}
const char *dtrt_session_host(const dtrt_session *s, int rank) {
  const Comm *c = session_or_none(s)->comm;
  return c && c->host && rank >= 0 && rank < c->nranks ? c->host[rank] : "";
}

int dtrt_session_cores(const dtrt_session *s) {
  s = session_or_none(s);
  return s->device ? crew_size(s->device[0].crew) : 1;
}

int dtrt_session_progress(const dtrt_session *s) {
  return session_or_none(s)->progress ? DTRT_PROGRESS_THREAD : DTRT_PROGRESS_POLL;
}

dtrt_traffic dtrt_session_traffic(const dtrt_session *s, int device) {
  const Comm *c = session_or_none(s)->comm;
  if (!c || !s->device || device < c->first || device >= c->first + c->count)
    return (dtrt_traffic){-1, -1, -1, -1};
  return device_traffic(&s->device[device - c->first]);
}

dtrt_algorithm dtrt_session_algorithm(const dtrt_session *s, int device, int which) {
  const Comm *c = session_or_none(s)->comm;
  if (which < 0 || which >= ALGORITHMS) return (dtrt_algorithm){NULL, -1, -1, -1, -1};
  dtrt_algorithm a = {collective_algorithm(which)->name, -1, -1, -1, -1};
  if (!c || !s->device || device < c->first || device >= c->first + c->count) return a;
  const Device *d = &s->device[device - c->first];
  a.exchanges = d->ran[which].exchanges;
  a.messages = d->ran[which].messages;
  a.rounds = d->ran[which].rounds;
  a.bytes = d->ran[which].bytes;
  return a;
}

int64_t dtrt_session_memory(const dtrt_session *s) {
  s = session_or_none(s);
  return s->comm ? s->comm->segment_bytes[SEGMENT_VARS] + s->comm->segment_bytes[SEGMENT_ARENA] : 0;
}

int dtrt_find_var(const dtrt_program *p, const char *path) {
  for (int i = 0; p && path && i < p->nvars; i++)
    if (!strcmp(p->var[i].name, path)) return i;
  return -1;
}

int dtrt_find_entry(const dtrt_program *p, const char *name) {
  for (int i = 0; p && name && i < p->nentries; i++)
    if (!strcmp(p->entry[i].name, name)) return i;
  return -1;
}

/* -------- programs -------- */

/* The exchange that brings all of a tensor to every device: for hosts of several processes. */
static void host_exchange(SessionProgram *g, int at, const dtrt_tensor *t) {
  const dtrt_layout *l = t->layout;
  dtrt_dim *dim = g->dims + (size_t)at * DTRT_MAX_RANK;
  for (int i = 0; i < l->rank; i++) dim[i] = (dtrt_dim){.n = l->dim[i].n, .granule = 1};
  g->whole[at] = (dtrt_layout){.rank = l->rank, .dim = dim};
  g->host[at] = (dtrt_exchange){.id = g->p->nexchanges + at,
                                .kind = DTRT_ALL_GATHER,
                                .dtype = t->dtype,
                                .from = l,
                                .to = &g->whole[at],
                                .what = t->name,
                                .where = t->where};
}

static int program_init(SessionProgram *g, const dtrt_program *p) {
  *g = (SessionProgram){.p = p};
  int n = p->nvars;
  for (int i = 0; i < p->nentries; i++) n += p->entry[i].nout;
  g->nexchanges = p->nexchanges + n;
  g->host = calloc((size_t)n + 1, sizeof *g->host);
  g->whole = calloc((size_t)n + 1, sizeof *g->whole);
  g->dims = calloc(((size_t)n + 1) * DTRT_MAX_RANK, sizeof *g->dims);
  g->first_out = calloc((size_t)p->nentries & INT_MAX, sizeof *g->first_out);
  if (!g->host || !g->whole || !g->dims || !g->first_out) return -1;
  int at = 0;
  for (int i = 0; i < p->nentries; i++) {
    g->first_out[i] = at;
    for (int j = 0; j < p->entry[i].nout; j++) host_exchange(g, at++, &p->entry[i].out[j]);
  }
  g->first_var = at;
  for (int i = 0; i < p->nvars; i++) host_exchange(g, at++, &p->var[i]);
  return 0;
}

static void program_free(SessionProgram *g) {
  free(g->host);
  free(g->whole);
  free(g->dims);
  free(g->first_out);
}

/* Adds a program to the session's and to every device's tables. */
static dtrt_status add(dtrt_session *s, const dtrt_program *p) {
  SessionProgram *list = realloc(s->program, ((size_t)s->nprograms + 1) * sizeof *list);
  if (!list) return session_error(s, DTRT_NO_MEMORY, "out of memory");
  s->program = list;
  SessionProgram *g = &list[s->nprograms];
  if (program_init(g, p)) {
    program_free(g);
    return session_error(s, DTRT_NO_MEMORY, "out of memory");
  }
  s->nprograms++; /* from here on it is freed with the session */
  int64_t own = 0;
  for (int i = 0; i < p->nentries; i++)
    if (p->entry[i].own_bytes > own) own = p->entry[i].own_bytes;
  for (int i = 0; i < s->comm->count; i++)
    if (device_add_program(&s->device[i], s->nprograms, p, g->nexchanges) ||
        crew_make_own(s->device[i].crew, own))
      return session_error(s, DTRT_NO_MEMORY, "out of memory");
  return DTRT_OK;
}

static dtrt_status set_segment(dtrt_session *s, int which, int64_t bytes) {
  char why[COMM_WHY] = "";
  Comm *c = s->comm;
  if (c->verbs->segment(c, which, bytes, why)) {
    atomic_store(c->failed, 1); /* there is no arena now */
    return session_error(s, DTRT_NO_MEMORY, "%s", why);
  }
  for (int i = 0; i < c->count; i++) {
    s->device[i].pub.vars = c->segment[SEGMENT_VARS][c->first + i];
    s->device[i].pub.arena = c->segment[SEGMENT_ARENA][c->first + i];
  }
  for (int i = 0; which == SEGMENT_VARS && i < c->count; i++)
    if (device_share(&s->device[i], s->program[0].p))
      return session_error(s, DTRT_NO_MEMORY, "out of memory");
  return DTRT_OK;
}

static int64_t arena_bytes(const dtrt_program *p) {
  int64_t most = 0;
  for (int i = 0; i < p->nentries; i++)
    if (p->entry[i].arena_bytes > most) most = p->entry[i].arena_bytes;
  return most;
}

/* Two programs under one mpiexec would wait for each other forever, or add up what does not belong
 * together. All ranks report the same, since all see the same faces. */
static dtrt_status meet(dtrt_session *s, const dtrt_program *p) {
  static const char *const what[COMM_FACES] = {
      "mesh", "variables", "entries", "exchanges", "links of the machine", "seed", "code"};
  const Comm *c = s->comm;
  if (!c->verbs->faces || c->nranks == 1) return DTRT_OK;
  CommFace mine = session_face(p, s->seed);
  same_list list = {0};
  same_program(&list, p);
  mine.hash[COMM_CODE] = same_hash(&list);
  CommFace *all = calloc((size_t)c->nranks, sizeof *all);
  snprintf(mine.at, sizeof mine.at, "%s %.80s", s->nprograms ? "adding" : "opening", p->name);
  /* A rank without memory cannot report it here, as the others would wait: it ends all. */
  if (!all || list.broken) {
    free(all);
    same_free(&list);
    c->verbs->fail(s->comm, "out of memory to compare programs");
    return session_error(s, DTRT_NO_MEMORY, "out of memory");
  }
  dtrt_status status = session_gather(s, &mine, all, c->timeout);
  int other = 0, face = 0;
  while (other < c->nranks && !memcmp(all[other].hash, all[0].hash, sizeof all->hash)) other++;
  bool differs = status == DTRT_OK && other < c->nranks;
  /* A difference in a const or in the code of an entry explains more than its consequences. */
  if (differs) status = session_same(s, "opening", &list);
  if (differs && status == DTRT_OK) {
    while (all[other].hash[face] == all[0].hash[face]) face++;
    status =
        session_error(s, DTRT_INVALID,
                      "rank %d runs a different program than rank 0: its %s differ%s; all ranks "
                      "must run the same program with the same arguments",
                      other, what[face], face == COMM_MESH || face == COMM_SEED ? "s" : "");
  }
  free(all);
  same_free(&list);
  if (status == DTRT_OK && session_most(s, !gemm_by_amx())) gemm_leave_amx();
  return status;
}

dtrt_status dtrt_add_program(dtrt_session *s, const dtrt_program *p, int *which) {
  SESSION_USE(s);
  if (!s->comm || !s->nprograms) return DTRT_INVALID;
  if (!p || !which)
    return session_error(s, DTRT_INVALID, "cannot add program: %s is NULL", p ? "which" : "it");
  if (atomic_load(s->comm->failed)) return DTRT_FAILED;
  for (int i = 0; i < s->nprograms; i++)
    if (s->program[i].p == p) return *which = i, DTRT_OK;
  char why[256] = "";
  const char *bad = session_check(p);
  if (bad) return session_error(s, DTRT_INVALID, "cannot add program: %s", bad);
  if (session_compare(s->program[0].p, p, why, sizeof why))
    return session_error(s, DTRT_INVALID, "cannot add program %s: %s", p->name, why);
  dtrt_status status = meet(s, p);
  if (status == DTRT_OK) status = add(s, p);
  if (status == DTRT_OK && arena_bytes(p) > s->comm->segment_bytes[SEGMENT_ARENA])
    status = set_segment(s, SEGMENT_ARENA, arena_bytes(p));
  if (status == DTRT_OK) *which = s->nprograms - 1;
  return status;
}

/* -------- open and close -------- */

static Comm *choose(const char *name, const CommOpen *o, char *why) {
  if (!name && (o->mpi_comm || comm_under_mpi())) name = "mpi";
  if (!name) name = o->ndevices == 1 ? "self" : "threads";
  if (!strcmp(name, "mpi")) return comm_open_mpi(o, why);
  if (o->per_rank && o->per_rank != o->ndevices) {
    snprintf(why, COMM_WHY,
             "the mesh has %d devices, but this single process would own %d: start %d with "
             "mpiexec, or set devices per rank to 0",
             o->ndevices, o->per_rank, o->ndevices / o->per_rank);
    return NULL;
  }
  if (!strcmp(name, "self")) return comm_open_self(o, why);
  if (!strcmp(name, "threads")) return comm_open_threads(o, why);
  snprintf(why, COMM_WHY, "unknown transport `%s`: self, threads or mpi", name);
  return NULL;
}

void session_mesh(BlockMesh *m, const dtrt_program *p) {
  m->naxes = p->naxes;
  m->ndevices = 1;
  for (int i = p->naxes - 1; i >= 0; i--) {
    m->size[i] = p->axis_size[i];
    m->stride[i] = m->ndevices;
    m->ndevices *= p->axis_size[i];
  }
}

/* A thread for each core; for debuggers, which know threads, a thread for each device. */
static Team *team_for(const Comm *c, char *why) {
  if (c->count == 1) return NULL;
  const char *each = variable(VARIABLE_THREAD_EACH);
  const int cores = comm_cores(), threads = each && !strcmp(each, "1") ? c->count : cores;
  const bool spin = c->spin || (c->nranks == 1 && threads <= cores);
  return team_open(c->first, c->count, threads, spin, why);
}

/* A program whose entries have no steps has nothing to check. */
static bool has_values(const dtrt_program *p) {
  bool steps = false;
  for (int i = 0; i < p->nentries; i++) {
    if (p->entry[i].nvalues) return true;
    steps = steps || p->entry[i].nsteps;
  }
  return !steps;
}

/* Cores of each device: as many as are asked for, or the host's, shared out. 0 with a reason. */
static int cores_of(const Comm *c, int asked, char *why) {
  const char *text = variable(VARIABLE_CORES);
  if (asked < 0 || asked > CREW_MOST)
    return snprintf(why, COMM_WHY,
                    "%d cores a device: expected 1 to %d, or 0 for a share of the host's", asked,
                    CREW_MOST),
           0;
  if (asked) return asked;
  if (text && *text) {
    char *end;
    const long n = strtol(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && n >= 1 && n <= CREW_MOST) return (int)n;
    return snprintf(why, COMM_WHY, "DTRT_CORES is `%.40s`, not a number from 1 to %d", text,
                    CREW_MOST),
           0;
  }
  const int share = cpus_cores() / c->beside;
  return share < 1 ? 1 : share < CREW_MOST ? share : CREW_MOST;
}

/* The cores of each device. Unless cores were requested, failing to start threads leaves one. */
static dtrt_status open_crews(dtrt_session *s, int asked) {
  Comm *c = s->comm;
  char why[COMM_WHY] = "";
  const int n = cores_of(c, asked, why), has = comm_cores();
  const char *text = variable(VARIABLE_CORES);
  if (!n) return session_error(s, DTRT_INVALID, "%s", why);
  for (int i = 0; n > 1 && i < c->count; i++) {
    s->device[i].crew = crew_open(&s->device[i], n, n * c->beside <= has, why);
    if (!s->device[i].crew && (asked || (text && *text)))
      return session_error(s, DTRT_INVALID, "%s", why);
  }
  return DTRT_OK;
}

typedef struct BindJob {
  dtrt_session *s;
  _Atomic bool failed;
} BindJob;

static void bind_one(void *arg, int device) {
  BindJob *b = arg;
  const int i = device - b->s->comm->first;
  if (!bind_device(b->s->bind, i, b->s->device[i].crew)) b->failed = true;
}

/* Before memory is touched, so that it is near. */
static dtrt_status bind_devices(dtrt_session *s, int how, int cores) {
  const Comm *c = s->comm;
  char why[COMM_WHY] = "";
  BindJob b = {.s = s};
  if (how < DTRT_BIND_NONE || how > DTRT_BIND_NUMA)
    return session_error(s, DTRT_INVALID, "bind is %d, expected 0 to 2", how);
  if (how == DTRT_BIND_NONE) return DTRT_OK;
  const int each = s->device->crew ? crew_size(s->device->crew) : cores_of(c, cores, why);
  s->bind = each ? bind_open(how, c->before, c->beside, each, why) : NULL;
  if (!s->bind) return session_error(s, DTRT_INVALID, "%s", why);
  if (s->team)
    team_run(s->team, bind_one, &b);
  else
    bind_one(&b, c->first);
  return b.failed ? session_error(s, DTRT_INVALID, "--bind: the system rejects it") : DTRT_OK;
}

/* DTRT_PROGRESS_...; -1 with a reason. */
static int progress_of(int asked, char *why) {
  const char *text = variable(VARIABLE_PROGRESS);
  if (asked < DTRT_PROGRESS_AUTO || asked > DTRT_PROGRESS_POLL)
    return snprintf(why, COMM_WHY, "progress is %d, expected 0 to 2", asked), -1;
  if (asked || !text || !*text) return asked;
  return strcmp(text, "poll") ? DTRT_PROGRESS_THREAD : DTRT_PROGRESS_POLL;
}

/* The progress thread, where messages are sent. Unless it was requested, failing to start it leaves
 * none. */
static dtrt_status open_progress(dtrt_session *s, int asked) {
  const Comm *c = s->comm;
  char why[COMM_WHY] = "";
  const int how = progress_of(asked, why);
  if (how < 0) return session_error(s, DTRT_INVALID, "%s", why);
  if (how == DTRT_PROGRESS_POLL || c->all_direct || c->lanes < COMM_LANES) return DTRT_OK;
  const bool spare = comm_cores() > c->beside && cpus_cores() >= c->beside; /* the quota, too */
  if (how == DTRT_PROGRESS_AUTO && !(c->any_thread && spare)) return DTRT_OK;
  if (!c->any_thread)
    return session_error(s, DTRT_INVALID,
                         "this program has started MPI for one thread; a progress thread needs "
                         "MPI_Init_thread with MPI_THREAD_SERIALIZED");
  s->progress = progress_thread_open(s->device, c->count, pending_turn, why);
  if (!s->progress && how == DTRT_PROGRESS_THREAD) return session_error(s, DTRT_INVALID, "%s", why);
  for (int i = 0; i < c->count; i++) s->device[i].thread = s->progress;
  return DTRT_OK;
}

static int init_device(dtrt_session *s, int i) {
  Device *d = &s->device[i];
  d->id = s->comm->first + i;
  d->session = s;
  d->mesh = &s->mesh;
  d->comm = s->comm;
  d->team = s->team;
  d->error = s->error;
  d->told = &s->told;
  d->pub.seed = s->seed;
  d->print = s->print;
  d->print_user = s->print_user;
  return device_init(d) || pending_open(d) ? -1 : 0;
}

static dtrt_status open(dtrt_session *s, const dtrt_program *p, const dtrt_options *o) {
  const char *bad = session_check(p);
  if (bad) return session_error(s, DTRT_INVALID, "cannot run program: %s", bad);
  session_mesh(&s->mesh, p);
  s->seed = o->seed;
  s->print = o->print;
  s->print_user = o->user;
  char why[COMM_WHY] = "";
  double timeout = o->timeout > 0 ? o->timeout : o->timeout < 0 ? 0 : comm_timeout(why);
  const double slow = comm_slow(why);
  if (timeout < 0 || slow < 0 || !variables_good(why, sizeof why))
    return session_error(s, DTRT_INVALID, "%s", why);
  if (o->timeout != o->timeout) return session_error(s, DTRT_INVALID, "timeout is not a number");
  if (o->devices_per_rank < 0)
    return session_error(s, DTRT_INVALID, "%d devices for each rank", o->devices_per_rank);
  CommOpen how = {s->mesh.ndevices, o->devices_per_rank, timeout, slow, o->mpi_comm};
  s->comm = choose(o->transport, &how, why);
  if (!s->comm) return session_error(s, DTRT_INVALID, "%s", why);
  Comm *c = s->comm;
  why[0] = 0;
  s->team = team_for(c, why);
  if (c->count > 1 && !s->team) return session_error(s, DTRT_INVALID, "%s", why);
  s->device = calloc((size_t)c->count, sizeof *s->device);
  if (!s->device) return session_error(s, DTRT_NO_MEMORY, "out of memory");
  for (int i = 0; i < c->count; i++)
    if (init_device(s, i)) return session_error(s, DTRT_NO_MEMORY, "out of memory");
  dtrt_status met = open_crews(s, o->cores);
  if (met == DTRT_OK) met = open_progress(s, o->progress);
  if (met == DTRT_OK) met = bind_devices(s, o->bind, o->cores);
  if (met == DTRT_OK) met = meet(s, p);
  if (met != DTRT_OK) return met;
  gemm_prepare(c->count, why);
  if (why[0]) return session_error(s, DTRT_INVALID, "%s", why);
  dtrt_status status = add(s, p);
  if (status == DTRT_OK) status = set_segment(s, SEGMENT_VARS, p->vars_bytes);
  if (status == DTRT_OK) status = set_segment(s, SEGMENT_ARENA, arena_bytes(p));
  if (status != DTRT_OK) return status;
  if (o->check_nan < DTRT_CHECK_OFF || o->check_nan > DTRT_CHECK_FULL)
    return session_error(s, DTRT_INVALID, "check_nan is %d", o->check_nan);
  if (o->check_nan == DTRT_CHECK_FULL && !has_values(p))
    return session_error(
        s, DTRT_INVALID,
        "this code does not support --check-nan=full: compile it with --check-nan, "
        "or use `dtgc run`");
  if (nan_open(s, o->check_nan)) return session_error(s, DTRT_NO_MEMORY, "out of memory");
  fail_hold_signals();
  s->handlers = true;
  return session_init(s);
}

dtrt_status dtrt_open(const dtrt_program *p, const dtrt_options *o, dtrt_session **out) {
  dtrt_options none = {0};
  PLAIN_THREAD_HERE;
  if (!out) return DTRT_INVALID;
  *out = calloc(1, sizeof **out);
  if (!*out) return DTRT_NO_MEMORY;
  dtrt_status status =
      p ? open(*out, p, o ? o : &none)
        : session_error(*out, DTRT_INVALID, "cannot open a session: the program is NULL");
  (*out)->opened = status == DTRT_OK;
  return status;
}

void dtrt_close(dtrt_session *s) {
  if (!s) return;
  progress_thread_close(s->progress);
  if (s->handlers) fail_release_signals();
  for (int i = 0; s->device && i < s->comm->count; i++) crew_close(s->device[i].crew);
  team_close(s->team);
  bind_close(s->bind);
  profile_close(s);
  if (s->comm) nan_close(s);
  for (int i = 0; s->device && i < s->comm->count; i++) {
    pending_close(&s->device[i]);
    device_free(&s->device[i]);
  }
  free(s->device);
  if (s->comm) s->comm->verbs->close(s->comm);
  for (int i = 0; i < s->nprograms; i++) program_free(&s->program[i]);
  free(s->program);
  free(s);
}
