/* comm_mpi_life.c: which ranks are dead. A killed rank sends nothing, and not every launcher
 * ends the others then, so waiting ranks check, within seconds of its death:
 *
 *   of one host   every rank holds a lock on its byte of a file in shared memory, which the kernel
 *                 releases with the process; before it closes in order it leaves a mark there
 *   of others     the first rank of each host has a connection to rank 0, which ends with either
 *
 * Neither is needed: where there is no shared memory, or no way to rank 0, the timeout remains. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "comm_mpi.h"

/* By rank, in the file. */
typedef struct Mark {
  int32_t pid;
  _Atomic int32_t left; /* it has closed in order */
} Mark;

/* A connection to the first rank of another host, or from there to rank 0. */
typedef struct Line {
  int fd, rank;
  bool left;
} Line;

enum { MOST_ADDRESSES = 8, CONNECT_MS = 2000 };
static const double life_seconds = 0.2; /* between two checks */

typedef struct Home { /* where rank 0 can be reached */
  uint64_t nonce;
  int32_t port, n;
  struct sockaddr_in address[MOST_ADDRESSES];
} Home;

struct Life {
  int fd; /* of the file, whose lock of this process goes when it is closed */
  Mark *mark;
  _Atomic int *told; /* in the header: a rank of this host has found a dead one */
  int64_t bytes;
  Line *line;
  int nlines;
  double last;
};

/* -------- ranks of one host -------- */

static struct flock lock_of(int rank) {
  return (struct flock){
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = MPI_PAGE + rank, .l_len = 1};
}

/* False: a rank is missing. No shared memory is no failure. */
static bool share_marks(Mpi *m, Life *l, char *why) {
  Comm *c = &m->comm;
  ShareOffer o = {0}, *all = calloc((size_t)c->nranks, sizeof *all);
  l->bytes = MPI_PAGE + (int64_t)((size_t)c->nranks * sizeof(Mark));
  if (all && c->rank == m->leader) l->fd = mpi_make_file(&o, l->bytes);
  bool fine = mpi_all_agree(m, all != NULL);
  if (fine && mpi_gather(m, &o, all, sizeof o, "the start", c->timeout, why)) return false;
  if (fine && c->rank != m->leader) {
    o = all[m->leader];
    o.name[sizeof o.name - 1] = 0;
    if (o.fine) l->fd = shm_open(o.name, O_RDWR, 0);
  }
  free(all);
  char *at = MAP_FAILED;
  struct flock mine = lock_of(c->rank);
  if (fine && l->fd >= 0 && fcntl(l->fd, F_SETLK, &mine) == 0 &&
      posix_fallocate(l->fd, 0, l->bytes) == 0)
    at = mmap(NULL, (size_t)l->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, l->fd, 0);
  fine = at != MAP_FAILED && !memcmp(at, &o.nonce, sizeof o.nonce);
  Mark *mark = (Mark *)(void *)(at == MAP_FAILED ? NULL : at + MPI_PAGE);
  if (fine) mark[c->rank].pid = (int32_t)getpid();
  /* No rank checks before all have their locks: one without a lock would be taken for dead. */
  fine = mpi_all_agree(m, fine);
  if (c->rank == m->leader && o.fine) shm_unlink(o.name);
  if (fine) {
    l->mark = mark;
    l->told = (_Atomic int *)(void *)(at + COMM_LINE);
  } else if (at != MAP_FAILED) {
    munmap(at, (size_t)l->bytes);
  }
  return true;
}

/* The first rank of this host that has neither its lock nor a mark; -1: none. */
static int find_dead(const Mpi *m, const Life *l) {
  const Comm *c = &m->comm;
  for (int i = 0; l->mark && i < c->nranks; i++) {
    struct flock its = lock_of(i);
    if (m->index[i * c->count] < 0 || i == c->rank || atomic_load(&l->mark[i].left)) continue;
    if (fcntl(l->fd, F_GETLK, &its) == 0 && its.l_type == F_UNLCK && !atomic_load(&l->mark[i].left))
      return i;
  }
  return -1;
}

/* -------- hosts -------- */

static int listen_at_home(Home *h) {
  struct sockaddr_in any = {.sin_family = AF_INET};
  socklen_t n = sizeof any;
  struct ifaddrs *list = NULL;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  FILE *f = fopen("/dev/urandom", "rbe");
  bool fine = f && fread(&h->nonce, sizeof h->nonce, 1, f) == 1;
  if (f) fclose(f);
  if (!fine || fd < 0 || bind(fd, (struct sockaddr *)(void *)&any, n) || listen(fd, 128) ||
      getsockname(fd, (struct sockaddr *)(void *)&any, &n) || getifaddrs(&list)) {
    if (fd >= 0) close(fd);
    return -1;
  }
  h->port = any.sin_port;
  for (struct ifaddrs *i = list; i && h->n < MOST_ADDRESSES; i = i->ifa_next)
    if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && !(i->ifa_flags & IFF_LOOPBACK) &&
        i->ifa_flags & IFF_UP)
      memcpy(&h->address[h->n++], i->ifa_addr, sizeof *h->address);
  freeifaddrs(list);
  return fd;
}

/* A host that loses its power sends nothing either. */
static void keep_alive(int fd) {
  int on = 1, idle = 5, every = 5, count = 3;
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

typedef struct Greeting {
  uint64_t nonce;
  int32_t rank;
} Greeting;

static int connect_home(const Home *h, int rank) {
  for (int i = 0; i < h->n && i < MOST_ADDRESSES; i++) {
    struct sockaddr_in to = h->address[i];
    to.sin_port = (in_port_t)h->port;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), bad = 0;
    socklen_t n = sizeof bad;
    if (fd < 0) return -1;
    if (connect(fd, (struct sockaddr *)(void *)&to, sizeof to) && errno == EINPROGRESS) {
      struct pollfd p = {.fd = fd, .events = POLLOUT};
      if (poll(&p, 1, CONNECT_MS / (h->n < 4 ? h->n : 4)) != 1) bad = ETIMEDOUT;
    }
    if (!bad) getsockopt(fd, SOL_SOCKET, SO_ERROR, &bad, &n);
    Greeting g = {h->nonce, rank};
    if (!bad && send(fd, &g, sizeof g, MSG_NOSIGNAL) == (ssize_t)sizeof g)
      return keep_alive(fd), fd;
    close(fd);
  }
  return -1;
}

/* Accepts connections that send the number. */
static void accept_lines(Mpi *m, Life *l, int home, uint64_t nonce, int want) {
  double end = comm_now() + CONNECT_MS / 1000.0;
  while (l->nlines < want && comm_now() < end) {
    struct pollfd p = {.fd = home, .events = POLLIN};
    if (poll(&p, 1, 100) != 1) continue;
    int fd = accept4(home, NULL, NULL, SOCK_CLOEXEC);
    struct timeval soon = {.tv_sec = 1};
    Greeting g = {0};
    if (fd < 0) continue;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    bool good = recv(fd, &g, sizeof g, MSG_WAITALL) == (ssize_t)sizeof g && g.nonce == nonce &&
                g.rank > 0 && g.rank < m->comm.nranks;
    if (!good) {
      close(fd);
      continue;
    }
    keep_alive(fd);
    l->line[l->nlines++] = (Line){fd, g.rank, false};
  }
}

static bool open_lines(Mpi *m, Life *l, char *why) {
  Comm *c = &m->comm;
  Home mine = {0}, *all = calloc((size_t)c->nranks, sizeof *all);
  l->line = calloc((size_t)c->nhosts, sizeof *l->line);
  bool fine = mpi_all_agree(m, all && l->line);
  int home = fine && c->rank == 0 ? listen_at_home(&mine) : -1;
  if (fine && mpi_gather(m, &mine, all, sizeof mine, "the start", c->timeout, why)) return false;
  if (fine && all[0].n > 0 && c->rank != 0 && c->rank == m->leader) {
    int fd = connect_home(&all[0], c->rank);
    if (fd >= 0) l->line[l->nlines++] = (Line){fd, 0, false};
  }
  if (fine && home >= 0) accept_lines(m, l, home, mine.nonce, c->nhosts - 1);
  if (home >= 0) close(home);
  free(all);
  return true;
}

/* The rank at the other end of a line that ended without a word; -1: none. */
static int find_cut(Life *l) {
  for (int i = 0; i < l->nlines; i++) {
    Line *line = &l->line[i];
    char word;
    ssize_t n;
    if (line->left) continue;
    while ((n = recv(line->fd, &word, 1, MSG_DONTWAIT)) == 1) line->left = true;
    if (line->left) continue;
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return line->rank;
  }
  return -1;
}

/* -------- all -------- */

bool mpi_life_open(Mpi *m, char *why) {
  Life *l = calloc(1, sizeof *l);
  if (!mpi_all_agree(m, l != NULL)) return free(l), snprintf(why, COMM_WHY, "out of memory"), false;
  l->fd = -1;
  m->life = l;
  return share_marks(m, l, why) && (m->comm.nhosts == 1 || open_lines(m, l, why));
}

int mpi_life_look(Mpi *m, const CommState *from, char *why) {
  Life *l = m->life;
  Comm *c = &m->comm;
  double now = comm_now();
  char process[32] = "";
  if (!l || now - l->last < life_seconds) return 0;
  l->last = now;
  int dead = find_dead(m, l);
  if (dead >= 0) snprintf(process, sizeof process, " (process %d)", (int)l->mark[dead].pid);
  if (dead < 0) dead = find_cut(l);
  if (dead < 0) return 0;
  /* One rank reports; the others if that has not ended them. */
  if (l->mark && atomic_exchange(l->told, 1)) nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
  const char *host = c->host[dead];
  snprintf(why, COMM_WHY, "rank %d%s%.*s%s has died; rank %d was at %.*s", dead,
           *host ? " on host " : "", COMM_HOST, host, process, c->rank, COMM_AT - 1, from->at);
  return -1;
}

void mpi_life_close(Mpi *m) {
  Life *l = m->life;
  if (!l) return;
  if (l->mark) atomic_store(&l->mark[m->comm.rank].left, 1);
  for (int i = 0; i < l->nlines; i++) {
    (void)!send(l->line[i].fd, "L", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(l->line[i].fd);
  }
  if (l->mark) munmap((char *)(void *)l->mark - MPI_PAGE, (size_t)l->bytes);
  if (l->fd >= 0) close(l->fd);
  free(l->line);
  free(l);
  m->life = NULL;
}
