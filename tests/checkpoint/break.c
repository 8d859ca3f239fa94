/* break.c: a library to preload that ends the process, or has a call fail, at the n-th call by
 * which files under a folder are changed:   BREAK_IN=name BREAK_AT=n [BREAK_HOW=kill|fail] With
 * BREAK_TO=m all calls from n to m fail, as on a disk that is full for a while. With
 * With BREAK_HOW=wait it waits until the file BREAK_UNTIL is there. With BREAK_COUNT=file it writes how many there were. A call belongs when its path holds the name, or
 * its file was opened by such a path. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 4096 };
static atomic_int calls;
static atomic_char ours[FILES];

static int is_ours(const char *path) {
  const char *in = getenv("BREAK_IN");
  return in && path && strstr(path, in) != NULL;
}

static void count(void) {
  const char *to = getenv("BREAK_COUNT");
  FILE *f = to ? fopen(to, "w") : NULL;
  if (!f) return;
  fprintf(f, "%d\n", atomic_load(&calls));
  fclose(f);
}
__attribute__((destructor)) static void at_end(void) { count(); }

/* 1: this call is to fail. */
static int now(void) {
  const char *at = getenv("BREAK_AT"), *how = getenv("BREAK_HOW"), *to = getenv("BREAK_TO");
  int n = atomic_fetch_add(&calls, 1) + 1;
  if (!at || n < atoi(at) || n > atoi(to ? to : at)) return 0;
  if (!how || !strcmp(how, "kill")) kill(getpid(), SIGKILL);
  if (how && !strcmp(how, "wait")) {
    const char *until = getenv("BREAK_UNTIL");
    for (int i = 0; i < 6000 && until && access(until, F_OK); i++) usleep(10000);
    return 0;
  }
  errno = ENOSPC;
  return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(int fd, int mine) {
  if (fd >= 0 && fd < FILES) atomic_store(&ours[fd], (char)mine);
  return fd;
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  int mine = is_ours(path);
  if (mine && flags & O_CREAT && now()) return -1;
  return opened(NEXT(open)(path, flags, mode), mine);
}
int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  return open(path, flags, mode);
}
static int of_ours(int fd) { return fd >= 0 && fd < FILES && atomic_load(&ours[fd]); }

ssize_t write(int fd, const void *b, size_t n) {
  return of_ours(fd) && now() ? -1 : NEXT(write)(fd, b, n);
}
/* Half of it arrives: a crash tears what is written. */
ssize_t pwrite(int fd, const void *b, size_t n, off_t at) {
  if (of_ours(fd)) {
    const char *where = getenv("BREAK_AT");
    if (where && atomic_load(&calls) + 1 == atoi(where)) NEXT(pwrite)(fd, b, n / 2, at);
    if (now()) return -1;
  }
  return NEXT(pwrite)(fd, b, n, at);
}
int fsync(int fd) { return of_ours(fd) && now() ? -1 : NEXT(fsync)(fd); }
int mkdir(const char *path, mode_t mode) {
  return is_ours(path) && now() ? -1 : NEXT(mkdir)(path, mode);
}
int rename(const char *from, const char *to) {
  return is_ours(to) && now() ? -1 : NEXT(rename)(from, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return is_ours(to) && now() ? -1 : NEXT(renameat2)(a, from, b, to, flags);
}
int unlinkat(int dir, const char *path, int flags) {
  return of_ours(dir) && now() ? -1 : NEXT(unlinkat)(dir, path, flags);
}
int rmdir(const char *path) { return is_ours(path) && now() ? -1 : NEXT(rmdir)(path); }
