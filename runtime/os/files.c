/* files.c: see files.h. */
#include "files.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STALE_SECONDS = 60, HEX = 16 };

static const char *wrong_kind(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR: return "expected a file, found a directory";
  case S_IFIFO: return "expected a regular file, found a pipe";
  case S_IFSOCK: return "expected a regular file, found a socket";
  case S_IFCHR:
  case S_IFBLK: return "expected a regular file, found a device";
  default: return "expected a regular file";
  }
}

/* A socket cannot even be opened. */
static const char *cannot_open(const char *path, int error) {
  struct stat st;
  if (error == ENXIO && stat(path, &st) == 0 && !S_ISREG(st.st_mode)) return wrong_kind(st.st_mode);
  return strerror(error);
}

int file_open(const char *path, const char **why) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error = errno;
  if (fd >= 0 && fstat(fd, &st)) {
    error = errno;
    close(fd);
    fd = -1;
  }
  if (fd < 0) {
    *why = cannot_open(path, error);
    errno = error;
    return -1;
  }
  if (S_ISREG(st.st_mode)) return fd;
  close(fd);
  *why = wrong_kind(st.st_mode);
  errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
  return -1;
}

bool file_is_same(const char *path, const char *other) {
  struct stat a, b;
  return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/* What reads a pipe may have been started together with us. */
enum { READER_WAITS = 200 }; /* of 10 ms */

bool file_is_special(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int file_open_special(const char *path) {
  const struct timespec pause = {.tv_nsec = 10000000};
  int fd = -1;
  for (int i = 0; fd < 0 && i < READER_WAITS; i++) {
    if (i) nanosleep(&pause, NULL);
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno != ENXIO) break;
  }
  if (fd < 0 && errno == ENXIO) errno = EPIPE; /* for a socket, too, which has its own ways */
  if (fd >= 0) fcntl(fd, F_SETFL, 0);
  return fd;
}

uint64_t file_random(void) {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits) return bits;
  /* Only early during boot. The file is opened exclusively anyway. */
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec ^
         (uint64_t)getpid() << 40;
}

/* -------- aside -------- */

/* "NAME.0123456789abcdef.tmp" of the file NAME. */
static bool is_aside_of(const char *entry, const char *name) {
  size_t n = strlen(name);
  if (strncmp(entry, name, n) != 0 || entry[n] != '.') return false;
  const char *hex = entry + n + 1;
  return strspn(hex, "0123456789abcdef") == HEX && !strcmp(hex + HEX, ".tmp");
}

/* Its writer holds a lock on it while it lives. */
static bool is_stale(int folder, const char *entry) {
  struct stat st;
  int fd = openat(folder, entry, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return false;
  bool stale = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
               time(NULL) - st.st_mtime > STALE_SECONDS && flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return stale;
}

static void remove_stale(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  DIR *d = folder ? opendir(folder) : NULL;
  for (const struct dirent *e; d && (e = readdir(d));)
    if (is_aside_of(e->d_name, name) && is_stale(dirfd(d), e->d_name))
      unlinkat(dirfd(d), e->d_name, 0);
  if (d) closedir(d);
  free(folder);
}

char *file_aside_name(const char *path) {
  char *name = NULL;
  remove_stale(path);
  if (asprintf(&name, "%s.%016llx.tmp", path, (unsigned long long)file_random()) >= 0) return name;
  errno = ENOMEM;
  return NULL;
}

int file_aside(const char *path, char **name) {
  for (int tries = 0; tries < 100; tries++) {
    *name = file_aside_name(path);
    if (!*name) return -1;
    int fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) flock(fd, LOCK_EX | LOCK_NB); /* where there are no locks, age alone counts */
    if (fd >= 0) return fd;
    int error = errno;
    free(*name);
    *name = NULL;
    errno = error;
    if (error != EEXIST) return -1;
  }
  return -1;
}

/* -------- replacing -------- */

static int put(int fd, const void *from, size_t n) {
  for (const char *p = from; n > 0;) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    p += done;
    n -= (size_t)done;
  }
  return 0;
}

/* 0, or an errno; closes fd. */
static int fill(int fd, const void *a, size_t na, const void *b, size_t nb, bool sync) {
  int error = put(fd, a, na);
  if (!error) error = put(fd, b, nb);
  if (!error && sync && fsync(fd)) error = errno;
  if (close(fd) && !error) error = errno;
  return error;
}

/* The file that a chain of links ends in is replaced, not the link. */
static char *real_name(const char *path) {
  char *real = realpath(path, NULL);
  return real ? real : strdup(path);
}

int file_replace(const char *path, const void *a, size_t na, const void *b, size_t nb) {
  struct stat st;
  bool there = stat(path, &st) == 0;
  if (there && S_ISDIR(st.st_mode)) return EISDIR;
  if (there && !S_ISREG(st.st_mode)) {
    int fd = file_open_special(path);
    return fd < 0 ? errno : fill(fd, a, na, b, nb, false);
  }
  char *real = real_name(path), *aside = NULL;
  int fd = real ? file_aside(real, &aside) : -1, error = real ? errno : ENOMEM;
  if (fd >= 0) {
    error = there && fchmod(fd, st.st_mode & 07777) ? errno : 0;
    int filled = fill(fd, a, na, b, nb, true);
    if (!error) error = filled;
    if (!error && rename(aside, real)) error = errno;
    if (error) unlink(aside);
  }
  free(aside);
  free(real);
  return error;
}
