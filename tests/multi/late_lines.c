/* Loaded before `dtgc launch`: a watcher connects its output late, and the launcher, once it has
 * seen that a connection has something to read, reads it only when the rank has ended. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef ssize_t Recv(int, void *, size_t, int);
typedef int Connect(int, const struct sockaddr *, socklen_t);

static int calls;

static int is_launch(void) { return strstr(program_invocation_short_name, "launch") != NULL; }

ssize_t recv(int fd, void *to, size_t n, int flags) {
  Recv *next;
  void *symbol = dlsym(RTLD_NEXT, "recv");
  memcpy(&next, &symbol, sizeof next);
  if (is_launch() && !getenv("DTGC_LAUNCH") && calls++ == 0) sleep(2);
  return next(fd, to, n, flags);
}

int connect(int fd, const struct sockaddr *to, socklen_t n) {
  Connect *next;
  void *symbol = dlsym(RTLD_NEXT, "connect");
  memcpy(&next, &symbol, sizeof next);
  if (is_launch() && getenv("DTGC_LAUNCH") && to->sa_family == AF_INET && calls++ == 1)
    usleep(200000);
  return next(fd, to, n);
}
