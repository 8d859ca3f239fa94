/* comm_mpi_life_open.c: how deaths will show (comm_mpi_life.c): the locks of ranks of one host, and
 * the connections of hosts to rank 0. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "comm_mpi_life.h"
#include "tcp.h"

enum { MOST_ADDRESSES = 8, CONNECT_MS = 2000 };
typedef struct Home { /* where rank 0 can be reached */
  uint64_t nonce;
  int32_t port, n;
  struct sockaddr_in address[MOST_ADDRESSES];
} Home;

/* -------- ranks of one host -------- */

/* False: a rank is missing. No shared memory is no failure. */
static bool share_marks(Mpi *m, Life *l, char *why) {
  Comm *c = &m->comm;
  ShareOffer o = {0}, *all = calloc((size_t)c->nranks, sizeof *all);
  l->bytes = MPI_PAGE + (int64_t)((size_t)c->nranks * sizeof(LifeMark));
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
  struct flock mine = life_lock(c->rank);
  if (fine && l->fd >= 0 && fcntl(l->fd, F_SETLK, &mine) == 0 &&
      posix_fallocate(l->fd, 0, l->bytes) == 0)
    at = mmap(NULL, (size_t)l->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, l->fd, 0);
  fine = at != MAP_FAILED && !memcmp(at, &o.nonce, sizeof o.nonce);
  LifeMark *mark = (LifeMark *)(void *)(at == MAP_FAILED ? NULL : at + MPI_PAGE);
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
      return tcp_keep_alive(fd, 5, 5, 3), fd;
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
    tcp_keep_alive(fd, 5, 5, 3);
    l->line[l->nlines++] = (LifeLine){fd, g.rank, false};
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
    if (fd >= 0) l->line[l->nlines++] = (LifeLine){fd, 0, false};
  }
  if (fine && home >= 0) accept_lines(m, l, home, mine.nonce, c->nhosts - 1);
  if (home >= 0) close(home);
  free(all);
  return true;
}

/* -------- all -------- */

bool mpi_life_open(Mpi *m, char *why) {
  Life *l = calloc(1, sizeof *l);
  if (!mpi_all_agree(m, l != NULL)) return free(l), snprintf(why, COMM_WHY, "out of memory"), false;
  l->fd = -1;
  m->life = l;
  return share_marks(m, l, why) && (m->comm.nhosts == 1 || open_lines(m, l, why));
}
