/* rank_watch.c: beside each rank, on its host: starts the program with its output on connections
 * to the launcher, passes signals on, and reports how it ended. Without the launcher, the program
 * is asked to save and end, and ended later if it does not. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "launcher.h"
#include "supervise.h"

enum { CONNECT_SECONDS = 10, ALONE_SECONDS = 60, NOT_FOUND = 127 };

static int child_pipe[2]; /* SIGCHLD comes as a byte */

static void on_child(int sig) {
  char byte = (char)sig;
  int error = errno;
  (void)!write(child_pipe[1], &byte, 1);
  errno = error;
}

static int connect_one(const char *address, int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  if (inet_pton(AF_INET, address, &to.sin_addr) != 1) return -1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct timeval soon = {.tv_sec = CONNECT_SECONDS}, never = {0};
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon); /* of connect, too */
  if (connect(fd, (struct sockaddr *)(void *)&to, sizeof to) == 0)
    return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &never, sizeof never), fd;
  close(fd);
  return -1;
}

/* "TOKEN PORT ADDRESS ADDRESS...": the first address that answers. */
static int connect_home(const char *where, char kind, int rank) {
  char *words = strdup(where), *rest = NULL, host[SUPERVISE_HOST] = "?", hello[256];
  const char *token = words ? strtok_r(words, " ", &rest) : NULL;
  const char *port = token ? strtok_r(NULL, " ", &rest) : NULL, *address;
  int fd = -1;
  while (port && fd < 0 && (address = strtok_r(NULL, " ", &rest)))
    fd = connect_one(address, atoi(port));
  gethostname(host, sizeof host - 1);
  if (fd >= 0) {
    int n = snprintf(hello, sizeof hello, RANK_HELLO, kind, strtoull(token, NULL, 16), rank,
                     (long)getpid(), host);
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    if (send(fd, hello, (size_t)n, MSG_NOSIGNAL) != n) fd = (close(fd), -1);
  }
  free(words);
  return fd;
}

__attribute__((noreturn)) static void become(char **command, int out, int err, int progress,
                                             pid_t parent) {
  char number[16];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  signal(SIGPIPE, SIG_IGN); /* without the launcher it still saves */
  unsetenv(RANK_PROGRESS);
  if (progress >= 0 && fcntl(progress, F_SETFD, 0) == 0) {
    snprintf(number, sizeof number, "%d", progress);
    setenv(RANK_PROGRESS, number, 1);
  }
  if (getppid() == parent) execvp(command[0], command);
  fprintf(stderr, "dtgc launch: %s: %s\n", command[0], strerror(errno));
  fflush(stderr);
  _exit(NOT_FOUND);
}

static void say(int home, const char *format, long number) {
  char text[64];
  int n = snprintf(text, sizeof text, format, number);
  (void)!send(home, text, (size_t)n, MSG_NOSIGNAL);
}

/* Signals from the launcher, a byte each; 0 when it is gone. */
static bool pass_on(int home, pid_t child) {
  char byte[16];
  ssize_t n = recv(home, byte, sizeof byte, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  for (ssize_t i = 0; i < n; i++)
    if (kill(-child, byte[i])) kill(child, byte[i]);
  return n > 0;
}

/* Until the program has ended: its status, as wait has it. */
static int watch(int home, pid_t child) {
  bool alone = false;
  time_t since = 0;
  for (;;) {
    int status = 0;
    struct pollfd p[2] = {{.fd = child_pipe[0], .events = POLLIN},
                          {.fd = alone ? -1 : home, .events = POLLIN}};
    if (waitpid(child, &status, WNOHANG) == child) return status;
    poll(p, 2, 1000);
    char drop[16];
    (void)!read(child_pipe[0], drop, sizeof drop);
    if (p[1].revents && !pass_on(home, child)) {
      alone = true;
      since = time(NULL);
      kill(-child, SIGCONT);
      kill(-child, SIGTERM);
    }
    if (alone && time(NULL) - since > ALONE_SECONDS) kill(-child, SIGKILL);
  }
}

static int watch_program(char **command) {
  const char *where = launcher_home();
  int rank = launcher_rank();
  char host[SUPERVISE_HOST] = "?";
  gethostname(host, sizeof host - 1);
  if (!where || rank < 0) {
    fprintf(stderr, "dtgc launch: host %s: a rank was started without %s\n", host,
            where ? "its number" : RANK_ADDRESS);
    return SUPERVISE_FAILED;
  }
  int home = connect_home(where, 'C', rank), out = connect_home(where, 'O', rank),
      err = connect_home(where, 'E', rank);
  int progress = rank == 0 ? connect_home(where, 'P', rank) : -1;
  if (home < 0 || out < 0 || err < 0) {
    fprintf(stderr, "dtgc launch: host %s: the launcher cannot be reached at %s\n", host,
            strchr(where, ' ') + 1);
    return SUPERVISE_FAILED;
  }
  struct sigaction a = {.sa_handler = on_child, .sa_flags = (int)SA_RESTART};
  sigemptyset(&a.sa_mask);
  signal(SIGPIPE, SIG_IGN);
  if (pipe2(child_pipe, O_CLOEXEC | O_NONBLOCK) || sigaction(SIGCHLD, &a, NULL)) return 1;
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    become(command, out, err, progress, parent);
  }
  close(out);
  close(err);
  if (progress >= 0) close(progress);
  if (child < 0) return say(home, "X %ld\n", 1L << 8), SUPERVISE_FAILED;
  say(home, "P %ld\n", (long)child);
  say(home, "X %ld\n", (long)watch(home, child));
  /* Until the launcher has seen all of them end. */
  for (char drop[16];;) {
    ssize_t n = recv(home, drop, sizeof drop, 0);
    if (n == 0 || (n < 0 && errno != EINTR)) return 0;
  }
}

/* mpiexec kills the processes of all hosts that it has started when one host is lost, and then
 * nobody could tell which. So what it has started only waits for the watcher, which is in a session
 * of its own. */
int rank_watch(char **command) {
  /* Those that a scheduler sends to all processes: the program gets them, too. */
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  int status = 0;
  pid_t watcher = fork();
  if (watcher == 0) {
    setsid();
    _exit(watch_program(command));
  }
  while (watcher > 0 && waitpid(watcher, &status, 0) < 0 && errno == EINTR) continue;
  return watcher > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : SUPERVISE_FAILED;
}
