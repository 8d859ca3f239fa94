/* entry_call.c: running an entry on all devices, and moving whole tensors between a host and the
 * blocks.
 *
 * Each device fills its own input blocks, runs, and writes its own output block. A block that lies
 * in one piece in the host's memory, and that the program only reads, stays there, and one that it
 * only writes is made there. A block that several devices hold is written by the lowest of them.
 * Under several processes a host gets the whole by an exchange that ends in its own memory. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "float_mode.h"
#include "exchange.h"
#include "gemm.h"
#include "nan.h"
#include "crew.h"
#include "plural.h"
#include "session.h"

typedef struct SessionRun {
  dtrt_session *s;
  SessionJob *f;
  void *arg;
} SessionRun;

static void run_one(void *arg, int device) {
  SessionRun *r = arg;
  Device *d = &r->s->device[device - r->s->comm->first];
  const unsigned mode = float_mode();
  if (!device_stopped(d)) fail_guard(d, r->f, r->arg);
  float_mode_set(mode);
}

dtrt_status session_run(dtrt_session *s, SessionJob *f, void *arg) {
  Comm *c = s->comm;
  SessionRun run = {s, f, arg};
  if (s->team)
    team_run(s->team, run_one, &run);
  else
    run_one(&run, c->first);
  if (!atomic_load(c->failed)) return DTRT_OK;
  if (!s->told) { /* another process failed: it has reported that and is about to end all */
    nanosleep(&(struct timespec){.tv_sec = 5}, NULL);
    return session_error(s, DTRT_FAILED, "another rank has failed");
  }
  return DTRT_FAILED;
}

/* -------- blocks and whole tensors -------- */

static void whole_box(const dtrt_layout *l, BlockSpan *box) {
  for (int i = 0; i < l->rank; i++) box[i] = (BlockSpan){0, l->dim[i].n};
}

/* The piece of a whole tensor that is the device's block; false: there is none. */
static bool own_piece(const Device *d, const dtrt_tensor *t, Piece *p) {
  BlockSpan own[DTRT_MAX_RANK], whole[DTRT_MAX_RANK];
  if (block_box(d->mesh, t->layout, d->coord, own) == 0) return false;
  whole_box(t->layout, whole);
  block_piece(p, t->layout->rank, own, whole, own);
  return true;
}

static void block_from_host(const Device *d, const dtrt_tensor *t, char *block, const void *host) {
  Piece p;
  if (own_piece(d, t, &p)) crew_copy(&p, dtrt_dtype_size(t->dtype), block, host);
}

/* Where the block of an input is, after copying it to `block` if it cannot stay with the host. */
static const void *take_input(const Device *d, const dtrt_tensor *t, char *block,
                              const void *host) {
  int64_t size = dtrt_dtype_size(t->dtype);
  Piece p;
  if (!own_piece(d, t, &p)) return block;
  const char *at = (const char *)host + p.from * size;
  const bool lent =
      t->lent == DTRT_LENT_TO_ONE || (t->lent == DTRT_LENT_TO_ALL && d->comm->nranks == 1);
  if (lent && p.run == p.elements && (uintptr_t)at % (uintptr_t)size == 0) return at;
  crew_copy(&p, size, block, host);
  return block;
}

static void block_to_host(const Device *d, const dtrt_tensor *t, const char *block, void *host) {
  BlockSpan own[DTRT_MAX_RANK], whole[DTRT_MAX_RANK];
  Piece p;
  if (!block_lowest_owner(d->mesh, d->coord, t->layout)) return;
  if (block_box(d->mesh, t->layout, d->coord, own) == 0) return;
  whole_box(t->layout, whole);
  block_piece(&p, t->layout->rank, own, own, whole);
  crew_copy(&p, dtrt_dtype_size(t->dtype), host, block);
}

/* Traffic to hosts is not the program's, so it is not counted. */
static void to_host(Device *d, int host_exchange, const dtrt_tensor *t, const char *block,
                    void *host) {
  if (d->comm->nranks == 1) {
    block_to_host(d, t, block, host);
    return;
  }
  const dtrt_exchange *x = &d->session->program[d->program].host[host_exchange];
  d->uncounted = true;
  exchange_run(d, exchange_transfer(d, x), block, host);
  d->uncounted = false;
}

/* -------- calls -------- */

/* The tensor of the device's run, of those that lie one after another. */
static const char *of_run(const Device *d, const dtrt_tensor *t, const void *at, bool same) {
  return (const char *)at + (same ? 0 : d->run * session_tensor_bytes(t));
}

static void fill_inputs(Device *d, const SessionCall *c, const dtrt_entry *e) {
  for (int i = 0; i < e->nin; i++) {
    const dtrt_tensor *t = &e->in[i];
    char *block = d->pub.arena + t->offset, why[256] = "";
    d->in[i] = block;
    if (!c->fill) {
      if (c->in[i])
        d->in[i] = take_input(d, t, block, of_run(d, t, c->in[i], c->same && c->same[i]));
      continue;
    }
    BlockSpan box[DTRT_MAX_RANK];
    int64_t lo[DTRT_MAX_RANK + 1] = {0}, hi[DTRT_MAX_RANK + 1] = {0};
    if (block_box(d->mesh, t->layout, d->coord, box) == 0) continue;
    for (int j = 0; j < t->layout->rank; j++) {
      lo[j] = box[j].lo;
      hi[j] = box[j].hi;
    }
    if (c->fill(c->user, d->run, d->id, i, lo, hi, block, why) == 0) continue;
    why[sizeof why - 1] = 0;
    char doing[128];
    snprintf(doing, sizeof doing, "reading input `%s`", t->name);
    d->doing = doing;
    device_fail(d, "%s", why[0] ? why : "reading it failed");
  }
}

/* Bytes a..a + na and b..b + nb. */
static bool overlap(const void *a, int64_t na, const void *b, int64_t nb) {
  return (uintptr_t)a < (uintptr_t)b + (uintptr_t)nb && (uintptr_t)b < (uintptr_t)a + (uintptr_t)na;
}

/* What the host passes for output `own`, of all runs, lies apart from all else that it passes:
 * inputs are read, and outputs copied, after it is written. */
static bool is_apart(const SessionCall *c, const dtrt_entry *e, int own) {
  const int64_t bytes = c->runs * session_tensor_bytes(&e->out[own]);
  for (int i = 0; c->in && i < e->nin; i++) {
    const int64_t all = (c->same && c->same[i] ? 1 : c->runs) * session_tensor_bytes(&e->in[i]);
    if (c->in[i] && overlap(c->out[own], bytes, c->in[i], all)) return false;
  }
  for (int i = 0; i < e->nout; i++)
    if (i != own && c->out[i] &&
        overlap(c->out[own], bytes, c->out[i], c->runs * session_tensor_bytes(&e->out[i])))
      return false;
  return true;
}

/* Where the whole of an output goes in the host's memory; NULL: it is not returned. */
static char *whole_output(const Device *d, const SessionCall *c, const dtrt_tensor *t, int i) {
  return c->out && c->out[i] ? (char *)c->out[i] + d->run * session_tensor_bytes(t) : NULL;
}

/* Where the device makes its block of output i: in the host's memory, if that has room for what the
 * largest block takes, in one piece. */
static char *take_output(const Device *d, const SessionCall *c, const dtrt_entry *e, int i) {
  const dtrt_tensor *t = &e->out[i];
  const int64_t size = dtrt_dtype_size(t->dtype);
  char *block = d->pub.arena + t->offset, *whole = whole_output(d, c, t, i);
  Piece p;
  if (!t->lent || !whole || d->comm->nranks > 1) return block;
  if (!block_lowest_owner(d->mesh, d->coord, t->layout) || !own_piece(d, t, &p)) return block;
  char *at = whole + p.from * size;
  const bool fits = p.run == p.elements && p.elements * size == t->bytes;
  return fits && (uintptr_t)at % (uintptr_t)size == 0 && is_apart(c, e, i) ? at : block;
}

static void run_device(Device *d, const SessionCall *c) {
  const SessionProgram *g = &d->session->program[c->program];
  const dtrt_entry *e = &g->p->entry[c->entry];
  d->program = c->program;
  d->entry = e;
  d->doing = "before its first step";
  d->pub.at = 0;
  if (d->profile) profile_enter(d);
  fill_inputs(d, c, e);
  for (int i = 0; i < e->nout; i++) d->out[i] = take_output(d, c, e, i);
  if (c->fill) device_pause(d, 0); /* all take theirs first: the next batch needs the room */
  d->doing = NULL;
  d->in_entry = true;
  /* Results below the smallest normal number are zeros. CPUs take some hundred times as long for
   * them, and training makes them: the moments of a weight that gets no gradient any more decay
   * through them forever. Only results, so that what a host gives is read as it is. */
  float_mode_set(float_mode() | FLOAT_FLUSH_TO_ZERO);
  d->shown = 0;
  d->watched = -1;
  if (d->nan) nan_enter(d);
  e->run(&d->pub);
  if (watch_wanted(d)) watch_until(d, INT32_MAX);
  d->in_entry = false;
  if (d->profile && d->nan) profile_part(d, e->nsteps + PROFILE_CHECKS);
  if (d->nan) nan_leave(d);
  if (d->profile) profile_part(d, e->nsteps + PROFILE_OUTPUTS);
  d->packing = gemm_room_taken();
  d->doing = "copying its outputs";
  for (int i = 0; i < e->nout; i++) {
    const dtrt_tensor *t = &e->out[i];
    char *block = d->pub.arena + t->offset, *whole = whole_output(d, c, t, i);
    if (whole && d->out[i] == block) to_host(d, g->first_out[c->entry] + i, t, block, whole);
  }
  if (d->profile) profile_leave(d);
}

static void call_device(Device *d, void *arg) {
  const SessionCall *c = arg;
  const unsigned mode = float_mode();
  for (d->run = 0; d->run < c->runs; d->run++) {
    float_mode_set(mode); /* inputs are read as they are */
    run_device(d, c);
  }
}

dtrt_status session_call(dtrt_session *s, const SessionCall *c) {
  SESSION_USE(s);
  dtrt_status status = session_usable(s);
  if (status != DTRT_OK) return status;
  if (c->program < 0 || c->program >= s->nprograms)
    return session_error(s, DTRT_INVALID, "there is no program %d in this session", c->program);
  const dtrt_program *p = s->program[c->program].p;
  if (c->entry < 0 || c->entry >= p->nentries)
    return session_error(s, DTRT_INVALID, "there is no entry %d: %s has %d", c->entry, p->name,
                         p->nentries);
  const dtrt_entry *e = &p->entry[c->entry];
  for (int i = 0; !c->fill && i < e->nin; i++)
    if (dtrt_tensor_count(&e->in[i]) > 0 && (!c->in || !c->in[i]))
      return session_error(s, DTRT_INVALID, "entry `%s`: input `%s` is not given", e->name,
                           e->in[i].name);
  if (s->profile && profile_call(s, c->program, c->entry))
    return session_error(s, DTRT_NO_MEMORY, "out of memory for the profile");
  status = session_run(s, call_device, (void *)c);
  if (s->check_nan) status = nan_called(s, status, e, c->fill ? NULL : c->in);
  if (s->profile) profile_called(s, c->runs);
  return status;
}

dtrt_status dtrt_call(dtrt_session *s, int entry, const void *const *in, void *const *out) {
  return session_call(s, &(SessionCall){.entry = entry, .runs = 1, .in = in, .out = out});
}

typedef struct FillEach {
  dtrt_fill_fn *fill;
  void *user;
} FillEach;

static int fill_each(void *user, int64_t run, int device, int input, const int64_t *lo,
                     const int64_t *hi, void *to, char *why) {
  const FillEach *f = user;
  (void)run;
  return f->fill(f->user, device, input, lo, hi, to, why);
}

dtrt_status dtrt_call_fill(dtrt_session *s, int entry, dtrt_fill_fn *fill, void *user,
                           void *const *out) {
  return dtrt_call_fill_in(s, 0, entry, fill, user, out);
}

dtrt_status dtrt_call_fill_in(dtrt_session *s, int which, int entry, dtrt_fill_fn *fill, void *user,
                              void *const *out) {
  FillEach each = {fill, user};
  return session_call(s, &(SessionCall){.program = which,
                                        .entry = entry,
                                        .runs = 1,
                                        .fill = fill ? fill_each : NULL,
                                        .user = &each,
                                        .out = out});
}

dtrt_status session_init(dtrt_session *s) {
  const dtrt_entry *e = &s->program[0].p->entry[0];
  if (e->nin)
    return session_error(s, DTRT_INVALID,
                         "entry `%s` initializes variables, so it cannot have inputs", e->name);
  dtrt_status status = session_run(s, call_device, &(SessionCall){.runs = 1});
  return s->check_nan ? nan_called(s, status, e, NULL) : status;
}

/* -------- variables -------- */

typedef struct VarJob {
  int var;
  void *to;
  const void *from;
} VarJob;

static void get_device(Device *d, void *arg) {
  const VarJob *v = arg;
  const SessionProgram *g = &d->session->program[0];
  const dtrt_tensor *t = &g->p->var[v->var];
  d->program = 0;
  d->doing = "reading a variable";
  to_host(d, g->first_var + v->var, t, device_variable(d, t), v->to);
}

static void set_device(Device *d, void *arg) {
  const VarJob *v = arg;
  const dtrt_tensor *t = &d->session->program[0].p->var[v->var];
  if (device_writes(d, t)) block_from_host(d, t, device_variable(d, t), v->from);
}

static dtrt_status check_var(dtrt_session *s, int var, const void *host, int64_t bytes) {
  dtrt_status status = session_usable(s);
  if (status != DTRT_OK) return status;
  const dtrt_program *p = s->program[0].p;
  if (var < 0 || var >= p->nvars)
    return session_error(s, DTRT_INVALID, "there is no variable %d: %s has %d", var, p->name,
                         p->nvars);
  int64_t has = session_tensor_bytes(&p->var[var]);
  if (bytes != has)
    return session_error(s, DTRT_INVALID, "variable %s has %lld byte%s, not %lld", p->var[var].name,
                         (long long)has, PLURAL(has), (long long)bytes);
  if (!host && has)
    return session_error(s, DTRT_INVALID, "variable %s: no buffer is given", p->var[var].name);
  return DTRT_OK;
}

dtrt_status dtrt_get_var(dtrt_session *s, int var, void *to, int64_t bytes) {
  SESSION_USE(s);
  dtrt_status status = check_var(s, var, to, bytes);
  return status ? status : session_run(s, get_device, &(VarJob){.var = var, .to = to});
}

dtrt_status dtrt_set_var(dtrt_session *s, int var, const void *from, int64_t bytes) {
  SESSION_USE(s);
  dtrt_status status = check_var(s, var, from, bytes);
  if (status) return status;
  nan_unsee(s);
  return session_run(s, set_device, &(VarJob){.var = var, .from = from});
}

void dtrt_local_devices(const dtrt_session *s, int *first, int *count) {
  const Comm *c = session_or_none(s)->comm;
  if (first) *first = c ? c->first : 0;
  if (count) *count = c ? c->count : 0;
}

/* Between calls no device is running, so the host may read what it holds. */
dtrt_status dtrt_get_block(dtrt_session *s, int var, int device, void *to, int64_t bytes) {
  SESSION_USE(s);
  dtrt_status status = session_usable(s);
  if (status != DTRT_OK) return status;
  const dtrt_program *p = s->program[0].p;
  const Comm *c = s->comm;
  if (var < 0 || var >= p->nvars || device < c->first || device >= c->first + c->count)
    return session_error(s, DTRT_INVALID, "there is no variable %d on a device %d of this process",
                         var, device);
  const Device *d = &s->device[device - c->first];
  const dtrt_tensor *t = &p->var[var];
  BlockSpan box[DTRT_MAX_RANK];
  int64_t has = block_box(&s->mesh, t->layout, d->coord, box) * dtrt_dtype_size(t->dtype);
  if (bytes != has)
    return session_error(s, DTRT_INVALID, "the block of %s on device %d has %lld byte%s, not %lld",
                         t->name, device, (long long)has, PLURAL(has), (long long)bytes);
  if (!to && bytes)
    return session_error(s, DTRT_INVALID, "the block of %s on device %d: the buffer is NULL",
                         t->name, device);
  if (bytes) memcpy(to, device_variable(d, t), (size_t)bytes);
  return DTRT_OK;
}
