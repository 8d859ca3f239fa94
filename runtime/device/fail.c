/* fail.c: one failing device stops all, with one message.
 *
 * The first to fail writes the message and raises the flag that every wait polls; all leave
 * their entry by a jump. Faults (a bad pointer, a division) inside an entry become failures too;
 * faults elsewhere are left to whoever handled them before. Under mpi the message goes to stderr
 * and the job is aborted. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include "device.h"

static _Thread_local Device *fail_running; /* the device whose entry this thread is in */

/* A part of what a device does (crew.h), which this thread is in: failures leave that. */
typedef struct FailPart {
  sigjmp_buf jump;
  int core; /* 0: it is on the device's own thread, or on one that may use the transport, too */
} FailPart;
static _Thread_local FailPart *fail_part;

bool fail_in_part(void) { return fail_part != NULL; }
int32_t dtrt_core(void) { return fail_part ? fail_part->core : 0; }

Device *fail_swap(Device *running) {
  Device *was = fail_running;
  fail_running = running;
  return was;
}

Device *fail_current(void) { return fail_running; }

enum { JUMP_FAILED = 1, JUMP_SIGNAL = 1000 };

__attribute__((noreturn)) static void leave(Device *d, int code) {
  siglongjmp(fail_part ? fail_part->jump : d->jump, code);
}

void fail_place(const Device *d, char *out, size_t room) {
  const dtrt_entry *e = d->entry;
  int step = d->pub.at;
  if (!e)
    snprintf(out, room, "%s", d->doing ? d->doing : "a call");
  else if (d->doing)
    snprintf(out, room, "entry `%s`, %s", e->name, d->doing);
  else if (step < 0 || step >= e->nsteps || !e->step)
    snprintf(out, room, "entry `%s`", e->name);
  else
    snprintf(out, room, "entry `%s` at %s (%s)", e->name,
             e->step[step].what ? e->step[step].what : "?",
             e->step[step].where ? e->step[step].where : "?");
}

/* "device 6 of rank 3 on host b failed in entry `train` at gather of table (model.dtg:14)"; "device
 * 6" where there are no ranks, and "rank 3" where a rank is one device. */
static void put_place(const Device *d, char *out, size_t room) {
  const Comm *c = d->comm;
  char who[COMM_HOST + 64], place[300];
  bool alone = c->nranks == 1, away = c->nhosts > 1 && c->host;
  int at = 0;
  if (alone || c->count > 1)
    at = snprintf(who, sizeof who, "device %d%s", d->id, alone ? "" : " of ");
  if (!alone)
    snprintf(who + at, sizeof who - (size_t)at, "rank %d%s%s", c->rank, away ? " on host " : "",
             away ? c->host[c->rank] : "");
  fail_place(d, place, sizeof place);
  snprintf(out, room, "%s failed%s%s", who, d->entry ? " in " : "", d->entry ? place : "");
}

/* The first one's message stands, and all the others stop. */
static void tell(Device *d, const char *message) {
  if (atomic_exchange(d->comm->failed, 1)) return; /* another was first, and reports */
  snprintf(d->error, DEVICE_ERROR, "%s", message);
  *d->told = true;
  if (!d->comm->verbs->fail) return;
  if (dtrt_core() > 0) /* transports are for the device's own thread */
    d->tells = true;
  else
    d->comm->verbs->fail(d->comm, d->error);
}

static void report(Device *d, const char *why) {
  char text[DEVICE_ERROR], place[sizeof text / 2];
  put_place(d, place, sizeof place);
  snprintf(text, sizeof text, "%s: %s", place, why);
  tell(d, text);
}

void device_fail(Device *d, const char *why, ...) {
  char text[512];
  va_list ap;
  va_start(ap, why);
  vsnprintf(text, sizeof text, why, ap);
  va_end(ap);
  report(d, text);
  leave(d, JUMP_FAILED);
}

void device_missing(Device *d, const char *message) {
  tell(d, message);
  leave(d, JUMP_FAILED);
}

void device_give_up(Device *d) {
  if (d->tells && d->comm->verbs->fail) d->comm->verbs->fail(d->comm, d->error);
  leave(d, JUMP_FAILED);
}

void dtrt_bad_index(dtrt_device *dev, int64_t index, int64_t n) {
  device_fail(device_of(dev), "index %lld is outside [0, %lld)", (long long)index, (long long)n);
}

void dtrt_bad_window(dtrt_device *dev, int64_t index, int64_t reach, int64_t n) {
  device_fail(device_of(dev), "a window from index %lld to %lld is not inside [0, %lld)",
              (long long)index, (long long)(index > INT64_MAX - reach ? INT64_MAX : index + reach),
              (long long)n);
}

static const char *signal_words(int sig) {
  switch (sig) {
  case SIGSEGV: return "invalid memory access (SIGSEGV)";
  case SIGBUS: return "access to memory that does not exist (SIGBUS)";
  case SIGFPE: return "arithmetic fault, such as an integer divided by zero (SIGFPE)";
  default: return "illegal instruction (SIGILL): compiled for another CPU?";
  }
}

int fail_guard(Device *d, void (*f)(Device *d, void *arg), void *arg) {
  Device *outer = fail_running;
  int code = sigsetjmp(d->jump, 0);
  if (code == 0) {
    fail_running = d;
    f(d, arg);
  } else if (code >= JUMP_SIGNAL) {
    report(d, signal_words(code - JUMP_SIGNAL));
  }
  /* What the host gave may go as soon as the call has returned. */
  for (unsigned i = 0; code && atomic_load(&d->polled) == DEVICE_POLLED_BY_GUEST; i++)
    comm_pause(d->comm->spin, i);
  d->in_entry = false;
  d->entry = NULL;
  d->doing = NULL;
  fail_running = outer;
  return code ? -1 : 0;
}

int fail_guard_part(Device *d, int core, void (*f)(void *arg), void *arg) {
  FailPart here = {.core = core};
  Device *outer = fail_running;
  int code = sigsetjmp(here.jump, 0);
  if (code == 0) {
    fail_running = d;
    fail_part = &here;
    f(arg);
  } else if (code >= JUMP_SIGNAL) {
    report(d, signal_words(code - JUMP_SIGNAL));
  }
  fail_part = NULL;
  fail_running = outer;
  return code ? -1 : 0;
}

/* -------- signals -------- */

static const int fail_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { NSIGNALS = sizeof fail_signals / sizeof *fail_signals };
static struct sigaction fail_old[NSIGNALS];
static int fail_holders;
static pthread_mutex_t fail_mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int sig, siginfo_t *info, void *context) {
  Device *d = fail_running;
  if (d && d->in_entry) {
    sigset_t set; /* the jump does not restore the mask, which would cost a system call each time it
                     is set */
    sigemptyset(&set);
    sigaddset(&set, sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    leave(d, JUMP_SIGNAL + sig);
  }
  int i = 0;
  while (i < NSIGNALS - 1 && fail_signals[i] != sig) i++;
  struct sigaction *old = &fail_old[i];
  if (old->sa_flags & SA_SIGINFO)
    old->sa_sigaction(sig, info, context);
  else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
    old->sa_handler(sig);
  else {
    sigaction(sig, old, NULL); /* the fault comes again as soon as this returns, or is sent again */
    if (info->si_code <= 0) raise(sig);
  }
}

void fail_hold_signals(void) {
  pthread_mutex_lock(&fail_mutex);
  if (fail_holders++ == 0) {
    struct sigaction new = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&new.sa_mask);
    for (int i = 0; i < NSIGNALS; i++) sigaction(fail_signals[i], &new, &fail_old[i]);
  }
  pthread_mutex_unlock(&fail_mutex);
}

void fail_release_signals(void) {
  pthread_mutex_lock(&fail_mutex);
  if (--fail_holders == 0)
    for (int i = 0; i < NSIGNALS; i++) {
      struct sigaction now;
      sigaction(fail_signals[i], NULL, &now); /* a host that has set its own since keeps it */
      if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal)
        sigaction(fail_signals[i], &fail_old[i], NULL);
    }
  pthread_mutex_unlock(&fail_mutex);
}

/* A thread that has one already (of a sanitizer, for example) keeps it. */
static _Thread_local void *fail_stack;

void fail_alt_stack(bool on) {
  enum { BYTES = 64 << 10 };
  stack_t old;
  if (on) {
    if (sigaltstack(NULL, &old) || !(old.ss_flags & SS_DISABLE)) return;
    fail_stack = malloc(BYTES);
    if (fail_stack) sigaltstack(&(stack_t){.ss_sp = fail_stack, .ss_size = BYTES}, NULL);
  } else if (fail_stack) {
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(fail_stack);
    fail_stack = NULL;
  }
}
