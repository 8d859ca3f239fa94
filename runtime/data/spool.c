/* spool.c: see spool.h. Open file description locks: exclusive while a file is filled, shared while
 * it is read. That it is whole is kept in its mode, which is set before the lock is given back. */
#include "spool.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "variables.h"

enum { FILLING = S_IRUSR | S_IWUSR, FULL = FILLING | S_IXUSR, ATTEMPTS = 100 };

static const char *folder(void) {
  const char *dir = variable(VARIABLE_TMPDIR);
  return dir && *dir ? dir : "/tmp";
}

static uint64_t hash(const char *text) { /* FNV-1a */
  uint64_t h = 0xcbf29ce484222325u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
  return h;
}

static bool lock(int fd, short type, bool wait) {
  struct flock all = {.l_type = type, .l_whence = SEEK_SET};
  int got;
  do got = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &all);
  while (got && errno == EINTR);
  return got == 0;
}

static bool is_ours(int fd, struct stat *st) {
  return fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid();
}

/* It may have been removed between our open and our lock. */
static bool is_there(int fd, const char *path, struct stat *st) {
  struct stat named;
  return is_ours(fd, st) && lstat(path, &named) == 0 && named.st_ino == st->st_ino &&
         named.st_dev == st->st_dev;
}

/* Unless a process reads or fills it. Whoever has the exclusive lock of the file that is there is
 * the only one that may remove it. */
static void remove_unused(int fd, const char *path) {
  struct stat st;
  if (lock(fd, F_WRLCK, false) && is_there(fd, path, &st)) unlink(path);
}

static void remove_stale(const char *dir, const char *name) {
  char path[4096];
  if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, name) >= sizeof path) return;
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  remove_unused(fd, path);
  close(fd);
}

static void remove_all_stale(void) {
  char begin[64];
  size_t n = (size_t)snprintf(begin, sizeof begin, "dtrt-%u-", (unsigned)geteuid());
  DIR *d = opendir(folder());
  for (struct dirent *e; d && (e = readdir(d));)
    if (!strncmp(e->d_name, begin, n)) remove_stale(folder(), e->d_name);
  if (d) closedir(d);
}

/* SPOOL_FAILED with errno; 0 there: try again. Nobody waits for the exclusive lock, since those
 * that read keep theirs: who does not get it waits for a shared one, until the file has been
 * filled. */
static spool_state lock_it(int fd, const char *path) {
  struct stat st;
  for (;;) {
    if (!lock(fd, F_RDLCK, true)) return SPOOL_FAILED;
    if (!is_there(fd, path, &st)) return errno = 0, SPOOL_FAILED;
    if ((st.st_mode & FULL) == FULL) return SPOOL_FULL;
    if (!lock(fd, F_UNLCK, true)) return SPOOL_FAILED;
    if (lock(fd, F_WRLCK, false)) break;
    if (errno != EAGAIN && errno != EACCES) return SPOOL_FAILED;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* another looks at it as well */
  }
  if (!is_there(fd, path, &st)) return errno = 0, SPOOL_FAILED;
  if ((st.st_mode & FULL) == FULL) return lock(fd, F_RDLCK, true) ? SPOOL_FULL : SPOOL_FAILED;
  return ftruncate(fd, 0) ? SPOOL_FAILED : SPOOL_EMPTY;
}

spool_state spool_open(spool *s, const spool_job *job, const char *key, char *why, size_t whysize) {
  *s = (spool){.fd = -1};
  spool_state state = SPOOL_FAILED;
  if (asprintf(&s->path, "%s/dtrt-%u-%016llx-%016llx", folder(), (unsigned)geteuid(),
               (unsigned long long)job->id, (unsigned long long)hash(key)) < 0) {
    s->path = NULL;
    return snprintf(why, whysize, "out of memory"), SPOOL_FAILED;
  }
  if (access(s->path, F_OK)) remove_all_stale();
  for (int i = 0; i < ATTEMPTS && state == SPOOL_FAILED; i++) {
    struct stat st;
    s->fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, FILLING);
    if (s->fd >= 0 && !is_ours(s->fd, &st)) {
      close(s->fd);
      s->fd = -1;
      errno = EEXIST;
    }
    if (s->fd < 0) break;
    state = lock_it(s->fd, s->path);
    int error = errno;
    if (state == SPOOL_FAILED) close(s->fd);
    if (state == SPOOL_FAILED) s->fd = -1;
    errno = error;
    if (error) break;
  }
  if (state != SPOOL_FAILED) return state;
  snprintf(why, whysize, "%s: %s (TMPDIR names another folder)", s->path, strerror(errno));
  free(s->path);
  s->path = NULL;
  return state;
}

bool spool_filled(spool *s) { return fchmod(s->fd, FULL) == 0 && lock(s->fd, F_RDLCK, true); }

void spool_close(spool *s) {
  if (!s->path) return;
  lock(s->fd, F_UNLCK, false); /* before: two that close it at once are not in each other's way */
  remove_unused(s->fd, s->path);
  close(s->fd);
  free(s->path);
  *s = (spool){.fd = -1};
}

/* ---- commands */

static pid_t start(int out, const char *command, int *error) {
  extern char **environ;
  char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)command, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, usual;
  pid_t pid = -1;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  *error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  if (!*error) *error = posix_spawn_file_actions_adddup2(&files, out, 1);
  if (!*error) *error = posix_spawn(&pid, "/bin/sh", &files, &how, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  return *error ? -1 : pid;
}

bool spool_command(spool *s, const char *command, char *why, size_t whysize) {
  int status = 0, error = 0;
  struct stat st;
  pid_t pid = start(s->fd, command, &error), got;
  if (pid < 0) {
    snprintf(why, whysize, "|%.300s: cannot start sh: %s", command, strerror(error));
    return false;
  }
  do got = waitpid(pid, &status, 0);
  while (got < 0 && errno == EINTR);
  if (got < 0)
    snprintf(why, whysize, "|%.300s: its end is unknown: %s", command, strerror(errno));
  else if (WIFSIGNALED(status))
    snprintf(why, whysize, "|%.300s: the command was killed by signal %d (%s)", command,
             WTERMSIG(status), strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status))
    snprintf(why, whysize, "|%.300s: the command ended with status %d", command,
             WEXITSTATUS(status));
  else if (fstat(s->fd, &st) || st.st_size == 0)
    snprintf(why, whysize, "|%.300s: the command has printed nothing", command);
  else
    return true;
  return false;
}
