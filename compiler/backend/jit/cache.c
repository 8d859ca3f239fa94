/* Compiled objects on disk, in the folder that the caller names. Law: an entry is written aside and
 * renamed, so that a reader sees all of it or nothing, and bears its key, size and hash, so that a
 * damaged one is taken for none. An entry is code that will be executed: folder and entry must
 * belong to the user, and no other user may be able to write to them. One process compiles a key,
 * the others wait for it. When all entries together pass CACHE_MOST bytes the least recently used
 * are removed, soon after. */
#include "jit.h"
#include "files.h"
#include "str.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  CACHE_MOST = 512 << 20,
  TRIM_EVERY = 16, /* entries, on average: to look at 8000 takes 30 ms */
  CACHE_STALE_SECONDS = 3600,
  CACHE_WAIT_SECONDS = 120, /* for another process that compiles the same */
  CACHE_LOOK_MS = 10
};

typedef struct Head {
  char magic[8];
  CacheKey key;
  uint64_t size, hash;
} Head;

static const char cache_magic[8] = "dtgobj1";

void cache_key_add(CacheKey *k, const void *bytes, size_t n) {
  k->a = hash_bytes(bytes, n, k->a + 0x9e3779b97f4a7c15u);
  k->b = hash_bytes(bytes, n, k->b ^ 0xc2b2ae3d27d4eb4fu);
}

static bool make_folders(char *path) {
  for (char *p = path + 1; *p; p++) {
    if (*p != '/') continue;
    *p = 0;
    int bad = mkdir(path, 0700) && errno != EEXIST;
    *p = '/';
    if (bad) return false;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* NULL, or why what `st` is of may not be trusted. */
static const char *untrusted(const struct stat *st) {
  if (st->st_uid != geteuid()) return "it belongs to another user";
  if (st->st_mode & (S_IWGRP | S_IWOTH)) return "others can write to it (chmod go-w)";
  return NULL;
}

/* The folder, opened, or -1; *why is NULL unless one that is there may not be trusted. Everything
 * is then done relative to the descriptor, so that the folder cannot be exchanged meanwhile. */
static int open_folder(const char *path, bool make, const char **why) {
  struct stat st;
  *why = NULL;
  char *own = make ? jit_printf("%s", path) : NULL;
  bool made = !make || (own && make_folders(own));
  const int error = errno; /* of mkdir */
  free(own);
  errno = error;
  int fd = made ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd < 0) return -1;
  *why = fstat(fd, &st) ? strerror(errno) : untrusted(&st);
  if (!*why) return fd;
  close(fd);
  return -1;
}

static int cache_open(const char *path, bool make) {
  const char *why;
  return path ? open_folder(path, make, &why) : -1;
}

char *cache_refused(const char *path, bool named) {
  const char *why = NULL;
  char *said = NULL;
  int fd = path ? open_folder(path, named, &why) : -1;
  if (fd >= 0) close(fd);
  if (fd < 0 && path && !why && named) why = strerror(errno);
  if (why)
    said = jit_printf("the cache of compiled objects, %s, is not used: %s; DTGC_CACHE=off turns "
                      "it off, DTGC_CACHE=FOLDER names another",
                      path, why);
  return said;
}

static int open_locks(int folder) {
  return openat(folder, "locks", O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600);
}

char *cache_unwritable(const char *path) {
  int folder = cache_open(path, true), fd = folder >= 0 ? open_locks(folder) : -1;
  const char *why = fd < 0 ? strerror(errno) : NULL;
  if (fd >= 0) close(fd);
  if (folder >= 0) close(folder);
  return why ? jit_printf(
                   "no objects are stored in the cache, %s: %s; DTGC_CACHE=off turns it off, "
                   "DTGC_CACHE=FOLDER names another",
                   path, why)
             : NULL;
}

typedef struct EntryName {
  char at[40];
} EntryName;

static EntryName entry_name(const CacheKey *k) {
  EntryName n;
  snprintf(n.at, sizeof n.at, "%016llx%016llx.o", (unsigned long long)k->a,
           (unsigned long long)k->b);
  return n;
}

static bool read_all(int fd, void *to, size_t n) {
  for (char *p = to; n > 0;) {
    ssize_t got = read(fd, p, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got, n -= (size_t)got;
  }
  return true;
}

static bool write_all(int fd, const void *from, size_t n) {
  for (const char *p = from; n > 0;) {
    ssize_t put = write(fd, p, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    p += put, n -= (size_t)put;
  }
  return true;
}

static bool read_entry(int fd, const CacheKey *k, JitObject *out) {
  Head h;
  struct stat st;
  if (fstat(fd, &st) || !read_all(fd, &h, sizeof h)) return false;
  if (memcmp(h.magic, cache_magic, sizeof h.magic) != 0) return false;
  if (h.key.a != k->a || h.key.b != k->b) return false;
  if (h.size == 0 || h.size != (uint64_t)st.st_size - sizeof h) return false;
  void *at = malloc(h.size);
  if (at && read_all(fd, at, h.size) && hash_bytes(at, h.size, 1) == h.hash) {
    *out = (JitObject){at, h.size};
    return true;
  }
  free(at);
  return false;
}

/* Opened like this, an entry that is a FIFO is no wait and one that is a link is none. */
static int open_entry(int folder, const char *name, CacheFound *found) {
  struct stat st;
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0 && errno == ENOENT) return -1;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !untrusted(&st)) return fd;
  *found = CACHE_UNTRUSTED;
  if (fd >= 0) close(fd);
  return -1;
}

static CacheFound get(int folder, const CacheKey *k, JitObject *out) {
  EntryName name = entry_name(k);
  CacheFound found = CACHE_NONE;
  int fd = open_entry(folder, name.at, &found);
  if (fd >= 0 && read_entry(fd, k, out)) {
    futimens(fd, NULL); /* used just now */
    close(fd);
    return CACHE_FOUND;
  }
  if (fd >= 0) close(fd);
  if (fd >= 0 || found == CACHE_UNTRUSTED) unlinkat(folder, name.at, 0);
  return found;
}

CacheFound cache_get(const char *path, const CacheKey *k, JitObject *out) {
  int folder = cache_open(path, false);
  CacheFound found = folder >= 0 ? get(folder, k, out) : CACHE_NONE;
  if (folder >= 0) close(folder);
  return found;
}

/* -------- one compiles, the others wait -------- */

/* A lock of the open file on one byte of a file, whose place is the key: it ends with the process
 * that holds it, leaves nothing to clean up, and threads of one process lock each other out too. */
static bool try_lock(int fd, const CacheKey *k) {
  struct flock one = {.l_type = F_WRLCK,
                      .l_whence = SEEK_SET,
                      .l_start = (off_t)(k->a & INT64_MAX / 2),
                      .l_len = 1};
  return fcntl(fd, F_OFD_SETLK, &one) == 0 || (errno != EAGAIN && errno != EACCES);
}

int cache_lock(const char *path, const CacheKey *k) {
  int folder = cache_open(path, true);
  int fd = folder >= 0 ? open_locks(folder) : -1;
  if (folder >= 0) close(folder);
  const struct timespec pause = {.tv_nsec = CACHE_LOOK_MS * 1000000};
  for (int ms = 0; fd >= 0 && !try_lock(fd, k) && ms < CACHE_WAIT_SECONDS * 1000;
       ms += CACHE_LOOK_MS)
    nanosleep(&pause, NULL);
  return fd;
}

void cache_unlock(int lock) {
  if (lock >= 0) close(lock);
}

/* -------- keeping it small -------- */

typedef struct Aged {
  char name[48];
  int64_t bytes;
  time_t used;
} Aged;

static int by_age(const void *x, const void *y) {
  const Aged *a = x, *b = y;
  return (a->used > b->used) - (a->used < b->used);
}

static bool ends_in(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

/* Removes what a killed process left half written, and the oldest entries when there is too much.
 * Two processes that do this at once remove the same ones: unlinking twice does no harm. */
static void cache_trim(int folder) {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
  if (!d) {
    if (copy >= 0) close(copy);
    return;
  }
  Aged *all = NULL;
  size_t n = 0, cap = 0;
  int64_t total = 0;
  time_t now = time(NULL);
  for (struct dirent *e; (e = readdir(d));) {
    struct stat st;
    Aged one = {.bytes = 0};
    bool aside = strncmp(e->d_name, "new-", 4) == 0;
    if ((!aside && !ends_in(e->d_name, ".o")) || strlen(e->d_name) >= sizeof one.name) continue;
    if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)) continue;
    if (aside) {
      if (now - st.st_mtime > CACHE_STALE_SECONDS) unlinkat(dirfd(d), e->d_name, 0);
      continue;
    }
    if (n == cap) {
      Aged *more = realloc(all, (cap = cap ? 2 * cap : 64) * sizeof *all);
      if (!more) break;
      all = more;
    }
    strcpy(one.name, e->d_name);
    one.bytes = st.st_size;
    one.used = st.st_mtime;
    all[n++] = one;
    total += one.bytes;
  }
  /* Down to three quarters, so that not every later compilation has to clean up again. */
  if (total > CACHE_MOST) {
    qsort(all, n, sizeof *all, by_age);
    for (size_t i = 0; i < n && total > CACHE_MOST / 4 * 3; i++)
      if (unlinkat(dirfd(d), all[i].name, 0) == 0) total -= all[i].bytes;
  }
  free(all);
  closedir(d);
}

void cache_put(const char *path, const CacheKey *k, const JitObject *o) {
  Head h = {.key = *k, .size = o->n, .hash = hash_bytes(o->at, o->n, 1)};
  memcpy(h.magic, cache_magic, sizeof h.magic);
  int folder = cache_open(path, true);
  if (folder < 0) return;
  EntryName name = entry_name(k);
  char aside[32];
  snprintf(aside, sizeof aside, "new-%016llx", (unsigned long long)file_random());
  int fd = openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) {
    bool ok = write_all(fd, &h, sizeof h) && write_all(fd, o->at, o->n);
    ok = close(fd) == 0 && ok;
    if (!ok || renameat(folder, aside, folder, name.at)) unlinkat(folder, aside, 0);
    if (file_random() % TRIM_EVERY == 0) cache_trim(folder);
  }
  close(folder);
}
