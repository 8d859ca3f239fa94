/* attempt.c: see supervise.h. One loop over all connections. The first failure ends the others, a
 * moment later: what a host's loss has taken with it counts together, and of ranks that fail alike
 * rank 0 speaks. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "files.h"
#include "launcher.h"
#include "supervise.h"
#include "tcp.h"

static const double settle_seconds = 0.15; /* from the first failure to the end of the others */
/* The same after a signal that stops all, as ranks save then. Who ends has met the others in
 * MPI_Finalize, where MPICH leaves one of them behind now and then. */
static const double leave_seconds = 10;
static const double drain_seconds = 1; /* for output, and watchers, after that */

enum { OUTPUTS = 2 }; /* standard output and error */

typedef struct Rank {
  char host[SUPERVISE_HOST], last[SUPERVISE_LINE]; /* last: its last line on standard error */
  long pid;
  int control;            /* index of its connection, -1: none */
  int outputs;            /* connections for its output that have come: OUTPUTS of them will */
  bool came, ended, gone; /* gone: ended without a report */
  bool killed;            /* after this launcher had killed it */
  int status;             /* as wait has it */
} Rank;

typedef struct RankLine {
  int fd, rank; /* rank: -1 before its first line */
  char kind;
  line_merge text;
} RankLine;

typedef struct AttemptWatch {
  attempt *a;
  const job *j;
  int nranks, listener, signals;
  uint64_t token;
  bool away; /* ranks may be on other hosts */
  Rank *rank;
  RankLine *line;
  int nlines, room;
  starter from;
  line_merge starter_text;
  status_line status;
  int stop;             /* the signal that the launcher got */
  double failed, ended; /* when the first failure was seen, and when ranks were killed; 0: not */
  bool starter_gone;
} AttemptWatch;

static double now(void) { return (double)clock_ns() * 1e-9; }

/* -------- connections -------- */

static int listen_here(bool away, int *port) {
  struct sockaddr_in at = {.sin_family = AF_INET};
  socklen_t n = sizeof at;
  if (!away) at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && bind(fd, (struct sockaddr *)(void *)&at, n) == 0 && listen(fd, 1024) == 0 &&
      getsockname(fd, (struct sockaddr *)(void *)&at, &n) == 0)
    return *port = ntohs(at.sin_port), fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* "TOKEN PORT ADDRESS ADDRESS...", the loopback last. */
static char *address_text(const AttemptWatch *w, int port) {
  char *text = NULL, name[64];
  size_t n = 0;
  FILE *to = open_memstream(&text, &n);
  struct ifaddrs *list = NULL;
  if (!to) return NULL;
  fprintf(to, "%llx %d", (unsigned long long)w->token, port);
  if (w->away && getifaddrs(&list) == 0)
    for (struct ifaddrs *i = list; i; i = i->ifa_next) {
      if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
      if (i->ifa_flags & IFF_LOOPBACK || !(i->ifa_flags & IFF_UP)) continue;
      const struct sockaddr_in *at = (const void *)i->ifa_addr;
      if (inet_ntop(AF_INET, &at->sin_addr, name, sizeof name)) fprintf(to, " %s", name);
    }
  if (list) freeifaddrs(list);
  fputs(" 127.0.0.1", to);
  fclose(to);
  return text;
}

static void accept_lines(AttemptWatch *w) {
  for (int fd; (fd = accept4(w->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
    if (w->nlines == w->room) {
      int room = 2 * w->room + 16;
      RankLine *bigger = realloc(w->line, (size_t)room * sizeof *bigger);
      if (!bigger) {
        close(fd);
        continue;
      }
      w->line = bigger;
      w->room = room;
    }
    tcp_keep_alive(fd, 2, 1, 3);
    w->line[w->nlines++] = (RankLine){.fd = fd, .rank = -1, .kind = '?'};
  }
}

static void drop_line(RankLine *l) {
  close(l->fd);
  l->fd = -1;
  free(l->text.text);
  l->text = (line_merge){0};
}

/* -------- ranks -------- */

static void send_all(const AttemptWatch *w, int sig) {
  char byte = (char)sig;
  for (int r = 0; r < w->nranks; r++)
    if (w->rank[r].control >= 0 && !w->rank[r].ended)
      (void)!send(w->line[w->rank[r].control].fd, &byte, 1, MSG_NOSIGNAL);
}

static void end_all(AttemptWatch *w) {
  if (w->ended != 0) return;
  w->ended = now();
  for (int r = 0; r < w->nranks; r++) w->rank[r].killed = !w->rank[r].ended;
  send_all(w, SIGKILL);
}

static void rank_ended(AttemptWatch *w, int r, int status, bool reported) {
  Rank *k = &w->rank[r];
  if (k->ended) return;
  k->ended = true;
  k->gone = !reported;
  k->status = status;
  if ((k->gone || status) && w->failed == 0) w->failed = now();
}

/* The first line of a connection: whose it is. */
static bool hello(AttemptWatch *w, RankLine *l, const char *text) {
  unsigned long long token = 0;
  char kind = 0, host[SUPERVISE_HOST];
  int rank = -1;
  long pid = 0;
  if (sscanf(text, "dtgc-launch %c %llx %d %ld %63s", &kind, &token, &rank, &pid, host) != 5 ||
      token != w->token || rank < 0 || rank >= w->nranks || !strchr("COEP", kind))
    return false;
  l->kind = kind;
  l->rank = rank;
  Rank *k = &w->rank[rank];
  k->outputs += kind == 'O' || kind == 'E';
  if (kind != 'C') return true;
  snprintf(k->host, sizeof k->host, "%s", host);
  k->control = (int)(l - w->line);
  k->came = true;
  if (w->stop) (void)!send(l->fd, &(char){(char)w->stop}, 1, MSG_NOSIGNAL);
  return true;
}

static void report(AttemptWatch *w, const RankLine *l, const char *text) {
  long n = strtol(text + 1, NULL, 10);
  if (*text == 'P') w->rank[l->rank].pid = n;
  if (*text == 'X') rank_ended(w, l->rank, (int)n, true);
}

/* Lines of a control connection, or the first of another. What follows it is output. */
static bool take_lines(AttemptWatch *w, RankLine *l) {
  line_merge *m = &l->text;
  char *end;
  while ((l->kind == '?' || l->kind == 'C') && (end = memchr(m->text, '\n', m->n))) {
    *end = 0;
    if (l->kind == 'C')
      report(w, l, m->text);
    else if (!hello(w, l, m->text))
      return false;
    m->n -= (size_t)(end + 1 - m->text);
    memmove(m->text, end + 1, m->n);
  }
  return m->n < 4096 || strchr("OEP", l->kind); /* a line of ours is short; output is not */
}

static void put(AttemptWatch *w, RankLine *l, const char *bytes, size_t n) {
  if (l->kind == 'P') return status_put(&w->status, bytes, n);
  status_clear(&w->status);
  if (l->kind == 'E')
    line_merge_put(&l->text, STDERR_FILENO, bytes, n, w->rank[l->rank].last);
  else
    line_merge_put(&l->text, STDOUT_FILENO, bytes, n, NULL);
  status_draw(&w->status);
}

static void put_end(AttemptWatch *w, RankLine *l) {
  if (l->kind == 'P' || (l->kind == 'O' && !l->rank)) w->status.text[0] = 0;
  status_clear(&w->status);
  if (l->kind == 'E') line_merge_end(&l->text, STDERR_FILENO, w->rank[l->rank].last);
  if (l->kind == 'O') line_merge_end(&l->text, STDOUT_FILENO, NULL);
  status_draw(&w->status);
}

static void take(AttemptWatch *w, RankLine *l) {
  char bytes[1 << 16];
  ssize_t n = recv(l->fd, bytes, sizeof bytes, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  const bool output = strchr("OEP", l->kind);
  if (n <= 0) {
    if (output) put_end(w, l);
    if (l->kind == 'C') rank_ended(w, l->rank, 0, false);
    return drop_line(l);
  }
  if (output) return put(w, l, bytes, (size_t)n);
  char *text = realloc(l->text.text, l->text.n + (size_t)n);
  if (!text) return drop_line(l);
  memcpy(text + l->text.n, bytes, (size_t)n);
  l->text = (line_merge){text, l->text.n + (size_t)n, l->text.n + (size_t)n};
  if (!take_lines(w, l)) return drop_line(l);
  if (strchr("OEP", l->kind) && l->text.n) { /* came with the first line */
    line_merge early = l->text;
    l->text = (line_merge){0};
    put(w, l, early.text, early.n);
    free(early.text);
  }
}

/* -------- the loop -------- */

static void take_signals(AttemptWatch *w) {
  char byte[64];
  ssize_t n = read(w->signals, byte, sizeof byte);
  for (ssize_t i = 0; i < n; i++) {
    if (byte[i] == SIGCHLD) continue;
    if (!w->stop) w->stop = byte[i];
    send_all(w, byte[i]);
  }
}

/* What mpiexec says itself is shown only where it explains something. */
static void take_starter(AttemptWatch *w) {
  char bytes[4096];
  ssize_t n = read(w->from.out, bytes, sizeof bytes);
  if (n > 0) {
    line_merge *m = &w->starter_text;
    char *text = m->n < 1 << 16 ? realloc(m->text, m->n + (size_t)n) : NULL;
    if (!text) return;
    memcpy(text + m->n, bytes, (size_t)n);
    *m = (line_merge){text, m->n + (size_t)n, m->n + (size_t)n};
  } else if (n == 0) {
    close(w->from.out);
    w->from.out = -1;
  }
}

/* How many connections for output are still to come or to end. A rank may have reported its end
 * before they are seen: they were made before, but are connections of their own. */
static int outputs_open(const AttemptWatch *w) {
  int open = 0;
  for (int r = 0; r < w->nranks; r++)
    if (w->rank[r].came && !w->rank[r].gone) open += OUTPUTS - w->rank[r].outputs;
  for (int i = 0; i < w->nlines; i++) open += w->line[i].fd >= 0 && w->line[i].kind != 'C';
  return open;
}

static bool all_done(const AttemptWatch *w) {
  int came = 0;
  for (int r = 0; r < w->nranks; r++) {
    came += w->rank[r].came;
    if (w->rank[r].came && !w->rank[r].ended) return false;
  }
  if (came < w->nranks && !w->starter_gone && w->ended == 0) return false;
  return outputs_open(w) == 0 || (w->ended != 0 && now() > w->ended + drain_seconds);
}

/* A watcher that has reported waits for the others: mpiexec ends all when it sees one go that has
 * not taken its leave of MPI. */
static void let_go(AttemptWatch *w) {
  for (int i = 0; i < w->nlines; i++)
    if (w->line[i].fd >= 0) drop_line(&w->line[i]);
}

static void step(AttemptWatch *w, struct pollfd *p) {
  int n = w->nlines;
  for (int i = 0; i < n; i++) p[i] = (struct pollfd){.fd = w->line[i].fd, .events = POLLIN};
  p[n] = (struct pollfd){.fd = w->listener, .events = POLLIN};
  p[n + 1] = (struct pollfd){.fd = w->signals, .events = POLLIN};
  p[n + 2] = (struct pollfd){.fd = w->from.out, .events = POLLIN};
  poll(p, (nfds_t)n + 3, w->failed != 0 || w->starter_gone ? 20 : 500);
  if (p[n + 1].revents) take_signals(w);
  if (p[n + 2].revents) take_starter(w);
  for (int i = 0; i < n; i++)
    if (p[i].revents && w->line[i].fd >= 0) take(w, &w->line[i]);
  if (p[n].revents) accept_lines(w);
  if (!w->starter_gone && w->from.pid > 0 && waitpid(w->from.pid, NULL, WNOHANG) == w->from.pid) {
    w->starter_gone = true;
    if (w->failed == 0) w->failed = now();
    kill(-w->from.pid, SIGKILL);
    w->from.pid = -1;
  }
  /* A watcher that has not connected cannot be reached: its launcher ends it. */
  const double left = w->stop && !w->starter_gone ? leave_seconds : settle_seconds;
  if (w->failed != 0 && now() > w->failed + left) end_all(w);
}

static void run(AttemptWatch *w) {
  struct pollfd *p = NULL;
  int room = 0;
  while (!all_done(w)) {
    if (room < w->nlines + 3) {
      struct pollfd *bigger = realloc(p, (size_t)(room = w->nlines + 64) * sizeof *p);
      if (!bigger) break;
      p = bigger;
    }
    step(w, p);
    if (w->ended != 0 && now() > w->ended + 2 * drain_seconds) break;
  }
  free(p);
}

/* -------- what happened -------- */

static const char *signal_name(int sig, char *text, size_t n) {
  const char *name = sigabbrev_np(sig);
  if (name)
    snprintf(text, n, "SIG%s", name);
  else
    snprintf(text, n, "signal %d", sig);
  return text;
}

static void name_rank(const AttemptWatch *w, int r, char *text, size_t n) {
  const Rank *k = &w->rank[r];
  snprintf(text, n, "rank %d on host %s (process %ld)", r, k->host, k->pid);
}

static bool was_killed(const Rank *k) {
  if (k->came && !k->ended) return true; /* told to end, it has not answered */
  return k->ended && !k->killed && (k->gone || WIFSIGNALED(k->status));
}

/* A signal that a program's own error raises, not somebody else. */
static bool is_crash(int sig) {
  return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGABRT;
}

static bool keep_lost(AttemptWatch *w) {
  attempt *a = w->a;
  a->lost = calloc((size_t)w->nranks, sizeof *a->lost);
  a->lost_host = calloc((size_t)w->nranks, SUPERVISE_HOST);
  if (!a->lost || !a->lost_host) return false;
  for (int r = 0; r < w->nranks; r++) {
    if (!was_killed(&w->rank[r])) continue;
    snprintf(a->lost_host + a->nlost * SUPERVISE_HOST, SUPERVISE_HOST, "%s", w->rank[r].host);
    a->lost[a->nlost++] = r;
    w->rank[r].gone = w->rank[r].gone || !w->rank[r].ended;
    a->host_is_gone = a->host_is_gone || w->rank[r].gone;
  }
  return true;
}

static void tell_killed(AttemptWatch *w, int r) {
  attempt *a = w->a;
  char who[160], sig[32], more[48] = "";
  const Rank *k = &w->rank[r];
  name_rank(w, r, who, sizeof who);
  if (a->nlost > 1)
    snprintf(more, sizeof more, ", and %d more rank%s", a->nlost - 1, a->nlost > 2 ? "s" : "");
  a->status = SUPERVISE_SIGNAL + (k->gone ? SIGKILL : WTERMSIG(k->status));
  if (k->gone)
    snprintf(a->why, sizeof a->why, "%s is gone with its watcher%s", who, more);
  else
    snprintf(a->why, sizeof a->why, "%s was killed by %s%s", who,
             signal_name(WTERMSIG(k->status), sig, sizeof sig), more);
  a->end = !k->gone && is_crash(WTERMSIG(k->status)) ? ATTEMPT_FAILED : ATTEMPT_LOST;
}

static void tell_failed(AttemptWatch *w, int r) {
  attempt *a = w->a;
  char who[160];
  const Rank *k = &w->rank[r];
  name_rank(w, r, who, sizeof who);
  a->status = WEXITSTATUS(k->status);
  snprintf(a->why, sizeof a->why, "%s ended with status %d%s%.600s", who, a->status,
           *k->last ? ": " : "", k->last);
  a->end = ATTEMPT_FAILED;
}

static void tell_no_start(AttemptWatch *w) {
  int missing = 0, first = -1;
  line_merge *m = &w->starter_text;
  for (int r = 0; r < w->nranks; r++)
    if (!w->rank[r].came && !missing++) first = r;
  w->a->end = ATTEMPT_NO_START;
  w->a->status = SUPERVISE_FAILED;
  if (missing)
    snprintf(w->a->why, sizeof w->a->why, "%d of %d ranks were not started (the first: rank %d)",
             missing, w->nranks, first);
  else
    snprintf(w->a->why, sizeof w->a->why, "the launcher of the %d ranks ended before them",
             w->nranks);
  if (m->n) fprintf(stderr, "%.*s", (int)m->n, m->text);
}

static void conclude(AttemptWatch *w) {
  attempt *a = w->a;
  int killed = -1, crashed = -1, failed = -1, missing = 0;
  if (!keep_lost(w)) {
    snprintf(a->why, sizeof a->why, "out of memory");
    a->end = ATTEMPT_NO_START;
    a->status = SUPERVISE_FAILED;
    return;
  }
  for (int r = w->nranks - 1; r >= 0; r--) {
    const Rank *k = &w->rank[r];
    missing += !k->came;
    if (k->ended && !k->killed && !k->gone && WIFEXITED(k->status) && WEXITSTATUS(k->status))
      failed = r;
    bool crash = was_killed(k) && !k->gone && is_crash(WTERMSIG(k->status));
    if (crash) crashed = r;
    if (was_killed(k) && !crash) killed = r;
  }
  a->detected = w->failed;
  a->end = ATTEMPT_DONE;
  if (killed >= 0) /* MPI of another may have crashed because of it */
    tell_killed(w, killed);
  else if (crashed >= 0)
    tell_killed(w, crashed);
  else if (failed >= 0)
    tell_failed(w, failed);
  else if (missing || (w->ended != 0 && w->failed != 0))
    tell_no_start(w);
  if (w->stop) {
    a->end = ATTEMPT_STOPPED;
    if (!a->status)
      a->status =
          killed < 0 && crashed < 0 && failed < 0 && !missing ? 0 : SUPERVISE_SIGNAL + w->stop;
  }
}

void attempt_run(attempt *a, const job *j, const job_plan *p, char **words) {
  AttemptWatch w;
  int port = 0;
  *a = (attempt){.end = ATTEMPT_NO_START, .status = SUPERVISE_FAILED};
  w = (AttemptWatch){
      .a = a, .j = j, .nranks = p->ranks, .token = file_random(), .from = {-1, -1, NULL}};
  w.away = j->hosts || j->with || launcher_allocates();
  w.rank = calloc((size_t)p->ranks, sizeof *w.rank);
  w.signals = stop_signals_open();
  w.listener = listen_here(w.away, &port);
  char *address = address_text(&w, port);
  if (!w.rank || !address || w.signals < 0 || w.listener < 0) {
    snprintf(a->why, sizeof a->why, "no memory, or no sockets: %s", strerror(errno));
  } else {
    for (int r = 0; r < p->ranks; r++) w.rank[r].control = -1;
    a->status = 0;
    if (starter_begin(&w.from, j, p, words, address, a->why)) {
      status_begin(&w.status, j->progress);
      run(&w);
      status_clear(&w.status);
      bool orderly = w.ended == 0;
      let_go(&w);
      for (size_t before = 1, after = 0; w.from.out >= 0 && before != after;) {
        before = w.starter_text.n;
        take_starter(&w);
        after = w.starter_text.n;
      }
      starter_end(&w.from, !orderly);
      conclude(&w);
    } else {
      a->status = SUPERVISE_FAILED;
      starter_end(&w.from, true);
    }
  }
  if (w.listener >= 0) close(w.listener);
  stop_signals_close();
  free(address);
  free(w.rank);
  free(w.line);
  free(w.starter_text.text);
}

void attempt_free(attempt *a) {
  free(a->lost);
  free(a->lost_host);
}
