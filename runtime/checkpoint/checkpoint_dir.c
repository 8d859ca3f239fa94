/* checkpoint_dir.c: folders of checkpoints: names, finding the newest, and crash-safe replacement:
 * a folder is completed under another name, synced, and then renamed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "checkpoint.h"
#include "files.h"

char *checkpoint_printf(const char *format, ...) {
  char *text = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&text, format, list) < 0) text = NULL;
  va_end(list);
  return text;
}

static bool said(char *why, size_t whysize, const char *path) {
  snprintf(why, whysize, "%s: %s", path, strerror(errno));
  return false;
}

/* The number of "step-000120", or -1. */
static int64_t step_of(const char *name) {
  char *end;
  if (strncmp(name, "step-", 5) != 0 || name[5] < '0' || name[5] > '9') return -1;
  errno = 0;
  long long v = strtoll(name + 5, &end, 10);
  char again[40];
  snprintf(again, sizeof again, "step-%06lld", v);
  return errno || *end || strcmp(again, name) != 0 ? -1 : v;
}

static int descending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

bool checkpoint_list(const char *dir, checkpoint_steps *s, char *why, size_t whysize) {
  *s = (checkpoint_steps){0};
  DIR *d = opendir(dir);
  if (!d) return errno == ENOENT ? true : said(why, whysize, dir);
  int room = 0;
  bool good = true;
  for (const struct dirent *e; good && (errno = 0, e = readdir(d));) {
    int64_t step = step_of(e->d_name);
    if (step < 0) continue;
    if (s->n == room) {
      int64_t *bigger = realloc(s->step, (size_t)(room = 2 * room + 16) * sizeof *bigger);
      if (!bigger) good = false;
      if (!bigger) break;
      s->step = bigger;
    }
    s->step[s->n++] = step;
  }
  closedir(d);
  if (s->n) qsort(s->step, (size_t)s->n, sizeof *s->step, descending);
  if (good) return true;
  free(s->step);
  *s = (checkpoint_steps){0};
  return snprintf(why, whysize, "%s: out of memory", dir), false;
}

char *checkpoint_step_path(const char *dir, int64_t step) {
  return checkpoint_printf("%s/step-%06lld", dir, (long long)step);
}

/* A folder of plain files. False with errno, that of the first file that stays. */
static bool empty_and_remove(const char *path) {
  DIR *d = opendir(path);
  int error = 0;
  if (!d) return false;
  for (const struct dirent *e; (e = readdir(d));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
        unlinkat(dirfd(d), e->d_name, 0) && !error)
      error = errno;
  closedir(d);
  if (rmdir(path) == 0) return true;
  if (error) errno = error;
  return false;
}

bool checkpoint_remove(const char *path) {
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  char *aside = checkpoint_printf("%.*s.old-%s-%016llx", folder, path, path + folder,
                                  (unsigned long long)file_random());
  bool good = aside && rename(path, aside) == 0 && empty_and_remove(aside);
  free(aside);
  return good;
}

void checkpoint_discard(const char *aside) { empty_and_remove(aside); }

void checkpoint_remove_aside(const char *dir) {
  DIR *d = opendir(dir);
  if (!d) return;
  for (const struct dirent *e; (e = readdir(d));) {
    if (strncmp(e->d_name, ".old-step-", 10) != 0 && strncmp(e->d_name, ".new-step-", 10) != 0)
      continue;
    char *path = checkpoint_printf("%s/%s", dir, e->d_name);
    if (path) empty_and_remove(path);
    free(path);
  }
  closedir(d);
}

bool checkpoint_make_folder(const char *path, char *why, size_t whysize) {
  char *part = strdup(path);
  if (!part) return snprintf(why, whysize, "%s: out of memory", path), false;
  bool good = true;
  for (char *p = part + 1; good; p++) {
    char keep = *p;
    if (keep && keep != '/') continue;
    *p = 0;
    good = mkdir(part, 0777) == 0 || errno == EEXIST || errno == EISDIR;
    if (!good) said(why, whysize, part);
    *p = keep;
    if (!keep) break;
  }
  struct stat st;
  if (good && (stat(path, &st) || !S_ISDIR(st.st_mode)))
    good = (snprintf(why, whysize, "%s: not a folder", path), false);
  free(part);
  return good;
}

bool checkpoint_sync_folder(const char *path, char *why, size_t whysize) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  /* Some file systems have no fsync of folders. */
  bool good = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
  if (!good) said(why, whysize, path);
  if (fd >= 0) close(fd);
  return good;
}

static bool sync_above(const char *path, char *why, size_t whysize) {
  const char *slash = strrchr(path, '/');
  char *above = !slash          ? strdup(".")
                : slash == path ? strdup("/")
                                : checkpoint_printf("%.*s", (int)(slash - path), path);
  if (!above) return snprintf(why, whysize, "%s: out of memory", path), false;
  bool good = checkpoint_sync_folder(above, why, whysize);
  free(above);
  return good;
}

/* What stands at `path` and is not a checkpoint is the user's own. */
static bool may_replace(const char *path, char *why, size_t whysize) {
  struct stat st;
  if (lstat(path, &st)) return errno == ENOENT ? true : said(why, whysize, path);
  char *index = checkpoint_printf("%s/%s", path, CHECKPOINT_INDEX);
  bool ours = index && S_ISDIR(st.st_mode) && access(index, F_OK) == 0;
  free(index);
  if (!ours) snprintf(why, whysize, "%s: exists, and is not a checkpoint", path);
  return ours;
}

bool checkpoint_place(const char *aside, const char *path, char *why, size_t whysize) {
  if (!may_replace(path, why, whysize)) return false;
  if (renameat2(AT_FDCWD, aside, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
    return sync_above(path, why, whysize);
  if (errno == EINVAL && rename(aside, path) == 0) /* a file system without the flag */
    return sync_above(path, why, whysize);
  if (renameat2(AT_FDCWD, aside, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
    bool good = sync_above(path, why, whysize);
    empty_and_remove(aside); /* the one that was there */
    return good;
  }
  if (errno != EINVAL) return said(why, whysize, path);
  return checkpoint_remove(path) && rename(aside, path) == 0 ? sync_above(path, why, whysize)
                                                             : said(why, whysize, path);
}
