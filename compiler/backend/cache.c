/* Compiled objects on disk, under $XDG_CACHE_HOME/dtgc or ~/.cache/dtgc; DTGC_CACHE=off turns it
 * off, any other value of DTGC_CACHE is the folder. Law: an entry is written aside and renamed, so
 * that a reader sees all of it or nothing, and bears its key, size and hash, so that a damaged one
 * is taken for none. When all entries together pass CACHE_MOST bytes the longest unused go. */
#include "jit.h"
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

enum { CACHE_MOST = 512 << 20, CACHE_STALE_SECONDS = 3600 };

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

/* Malloc'ed; NULL: there is no cache. An XDG path that is not absolute is to be ignored, says XDG.
 */
static char *cache_folder(void) {
  const char *own = getenv("DTGC_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (own && *own)
    return strcmp(own, "off") == 0 || strcmp(own, "0") == 0 ? NULL : jit_printf("%s", own);
  if (xdg && *xdg == '/') return jit_printf("%s/dtgc", xdg);
  if (home && *home == '/') return jit_printf("%s/.cache/dtgc", home);
  return NULL;
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

static char *entry_path(const char *folder, const CacheKey *k) {
  return jit_printf("%s/%016llx%016llx.o", folder, (unsigned long long)k->a,
                    (unsigned long long)k->b);
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
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !read_all(fd, &h, sizeof h)) return false;
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

bool cache_get(const CacheKey *k, JitObject *out) {
  char *folder = cache_folder(), *path = folder ? entry_path(folder, k) : NULL;
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  bool ok = fd >= 0 && read_entry(fd, k, out);
  if (ok) futimens(fd, NULL); /* used just now */
  if (fd >= 0) {
    close(fd);
    if (!ok) unlink(path);
  }
  free(path);
  free(folder);
  return ok;
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
 * Two processes that do this at once remove the same ones: unlinking twice harms nobody. */
static void cache_trim(const char *folder) {
  DIR *d = opendir(folder);
  if (!d) return;
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

void cache_put(const CacheKey *k, const JitObject *o) {
  Head h = {.key = *k, .size = o->n, .hash = hash_bytes(o->at, o->n, 1)};
  memcpy(h.magic, cache_magic, sizeof h.magic);
  char *folder = cache_folder();
  char *path = folder && make_folders(folder) ? entry_path(folder, k) : NULL;
  char *aside = path ? jit_printf("%s/new-XXXXXX", folder) : NULL;
  int fd = aside ? mkostemp(aside, O_CLOEXEC) : -1;
  if (fd >= 0) {
    bool ok = write_all(fd, &h, sizeof h) && write_all(fd, o->at, o->n);
    ok = close(fd) == 0 && ok;
    if (!ok || rename(aside, path)) unlink(aside);
    cache_trim(folder);
  }
  free(aside);
  free(path);
  free(folder);
}
