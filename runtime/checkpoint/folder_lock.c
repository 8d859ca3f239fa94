/* folder_lock.c: see folder_lock.h. An open file description lock (fcntl), which network file
 * systems forward to their server and which, unlike a process's record locks, two sessions of one
 * process do not share; flock if the kernel or the file system does not support it.
 *
 * The file is removed with the lock, so a lock is valid only if the name still refers to it. */
#include "folder_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 100, WHO = 256 };

/* 1: locked; 0: another has it; -1: errno. */
static int try_lock(int fd) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, F_OFD_SETLK, &all) == 0) return 1;
  if (errno == EAGAIN || errno == EACCES) return 0;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return 1;
  return errno == EWOULDBLOCK ? 0 : -1;
}

static bool has_no_locks(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

/* Whoever had the file before may have removed it between our open and our lock. */
static bool is_still_there(int fd, const char *path) {
  struct stat mine, named;
  return fstat(fd, &mine) == 0 && stat(path, &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

/* A full disk leaves it without a name, which is still a lock. */
static void write_who(int fd) {
  char host[128] = "?", since[64], text[WHO];
  time_t now = time(NULL);
  struct tm t;
  gethostname(host, sizeof host - 1);
  strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S %z", localtime_r(&now, &t));
  int n = snprintf(text, sizeof text, "process %ld on host %s, since %s\n", (long)getpid(), host,
                   since);
  if (ftruncate(fd, 0) == 0 && write(fd, text, (size_t)n) != n) (void)!ftruncate(fd, 0);
}

/* The one that has it may be about to write its name. */
static void read_who(int fd, char *who) {
  for (int i = 0; i < 20; i++) {
    ssize_t n = pread(fd, who, WHO - 1, 0);
    who[n > 0 ? n : 0] = 0;
    char *end = strchr(who, '\n');
    if (end) {
      *end = 0;
      return;
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  snprintf(who, WHO, "an unknown process");
}

folder_lock_status folder_lock_take(folder_lock *l, const char *dir, char *why, size_t whysize) {
  char *path = NULL, who[WHO];
  *l = (folder_lock){.fd = -1};
  if (asprintf(&path, "%s/.lock", dir) < 0)
    return snprintf(why, whysize, "%s: out of memory", dir), FOLDER_LOCK_FAILED;
  folder_lock_status status = FOLDER_LOCK_FAILED;
  int got = 1, fd = -1, error = 0;
  for (int i = 0; i < ATTEMPTS; i++) {
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    got = fd < 0 ? -1 : try_lock(fd);
    error = errno;
    if (got <= 0 || is_still_there(fd, path)) break;
    close(fd);
    fd = -1;
  }
  if (fd >= 0 && got > 0) {
    write_who(fd);
    *l = (folder_lock){.fd = fd, .path = path};
    return FOLDER_LOCKED;
  }
  if (got == 0) {
    read_who(fd, who);
    snprintf(why, whysize,
             "%s: another training run is writing into it: %s; name another folder, or wait until "
             "it has ended",
             dir, who);
    status = FOLDER_TAKEN;
  } else if (fd >= 0 && has_no_locks(error)) {
    snprintf(why, whysize,
             "warning: %s: its file system has no locks (%s), so another training run could write "
             "into it too",
             dir, strerror(error));
    unlink(path);
    status = FOLDER_LOCKS_NONE;
  } else {
    snprintf(why, whysize, "%s: %s", path, strerror(error));
  }
  if (fd >= 0) close(fd);
  free(path);
  return status;
}

void folder_lock_drop(folder_lock *l) {
  if (!l->path) return;
  unlink(l->path); /* first: as long as it is locked, it is ours */
  close(l->fd);
  free(l->path);
  *l = (folder_lock){.fd = -1};
}
