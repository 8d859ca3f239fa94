/* Loaded before a program: rank 1 takes its locks a second late, as on a machine that is busy. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Fcntl(int, int, void *);

static int late(const char *name, int fd, int cmd, void *arg) {
  const char *rank = getenv("PMI_RANK");
  Fcntl *next;
  void *symbol = dlsym(RTLD_NEXT, name);
  memcpy(&next, &symbol, sizeof next);
  if (cmd == F_SETLK && rank && !strcmp(rank, "1")) sleep(1);
  return next(fd, cmd, arg);
}

#define LATE(name)                                                                                 \
  int name(int fd, int cmd, ...) {                                                                 \
    va_list ap;                                                                                    \
    va_start(ap, cmd);                                                                             \
    void *arg = va_arg(ap, void *);                                                                \
    va_end(ap);                                                                                    \
    return late(#name, fd, cmd, arg);                                                              \
  }

LATE(fcntl)
LATE(fcntl64)
