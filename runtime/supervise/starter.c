/* starter.c: see supervise.h: mpiexec here, mpiexec with a file of hosts, srun inside an allocation
 * of Slurm, or the command after --with. It starts watchers, which start the program. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "launcher.h"
#include "supervise.h"

enum { MOST_WORDS = 64, END_MS = 1000 };

typedef struct StarterWords {
  const char *word[MOST_WORDS];
  int n;
} StarterWords;

static void add(StarterWords *w, const char *word) {
  if (w->n < MOST_WORDS - 1) w->word[w->n++] = word;
}

/* "host:ranks" a line, in the order of ranks. */
static bool write_hosts(starter *s, const job *j, char *why) {
  s->hosts = strdup("/tmp/dtgc-hosts-XXXXXX");
  int fd = s->hosts ? mkstemp(s->hosts) : -1;
  FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!f) return snprintf(why, SUPERVISE_WHY, "/tmp: %s", strerror(errno)), false;
  for (int i = 0; i < j->nhosts; i++)
    if (j->host[i].ranks) fprintf(f, "%s:%d\n", j->host[i].name, j->host[i].ranks);
  return fclose(f) == 0 || (snprintf(why, SUPERVISE_WHY, "%s: cannot be written", s->hosts), false);
}

__attribute__((noreturn)) static void become(const StarterWords *w, bool any_mpiexec, char **words,
                                             const char *self, const char *address, int out) {
  static const char *const names[] = {"mpiexec.mpich", "mpiexec.hydra", "mpiexec"};
  int n = 0, null = open("/dev/null", O_RDONLY);
  while (words[n]) n++;
  char **all = calloc((size_t)(w->n + n) + 4, sizeof *all);
  setpgid(0, 0);
  dup2(null, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  signal(SIGPIPE, SIG_DFL);
  setenv(RANK_ADDRESS, address, 1);
  for (int i = 0; all && i < w->n; i++) all[i] = (char *)(uintptr_t)w->word[i];
  if (all) {
    all[w->n] = (char *)(uintptr_t)self;
    all[w->n + 1] = (char *)(uintptr_t) "--watch-rank";
    memcpy(all + w->n + 2, words, (size_t)n * sizeof *all);
    for (size_t i = 0; i < sizeof names / sizeof *names && any_mpiexec; i++) execvp(names[i], all);
    execvp(all[0], all);
  }
  dprintf(STDERR_FILENO, "%s: %s\n", w->word[0], strerror(errno));
  _exit(127);
}

bool starter_begin(starter *s, const job *j, const job_plan *p, char **words, const char *address,
                   char *why) {
  static char self[4096];
  char ranks[16], exclude[4200];
  char *with = NULL, *rest = NULL;
  StarterWords w = {0};
  int pipes[2];
  *s = (starter){.pid = -1, .out = -1};
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return snprintf(why, SUPERVISE_WHY, "/proc: %s", strerror(errno)), false;
  self[length] = 0;
  /* It was installed anew while it ran. */
  if (length > 10 && !strcmp(self + length - 10, " (deleted)")) self[length - 10] = 0;
  snprintf(ranks, sizeof ranks, "%d", p->ranks);
  bool slurm = !j->with && !j->hosts && launcher_allocates(), mpiexec = !j->with && !slurm;
  if (j->with) {
    if (!(with = strdup(j->with))) return snprintf(why, SUPERVISE_WHY, "out of memory"), false;
    for (char *word = strtok_r(with, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
      add(&w, word);
  } else if (slurm) {
    add(&w, "srun"), add(&w, "--mpi=pmi2"), add(&w, "--kill-on-bad-exit=0"), add(&w, "--no-kill");
    snprintf(exclude, sizeof exclude, "--exclude=%s", j->left_out ? j->left_out : "");
    if (j->left_out) add(&w, exclude);
  } else {
    add(&w, "mpiexec");
  }
  if (j->hosts && write_hosts(s, j, why)) add(&w, "-f"), add(&w, s->hosts);
  add(&w, "-n"), add(&w, ranks);
  bool good = !j->hosts || w.n > 3;
  if (good && pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
    good = (snprintf(why, SUPERVISE_WHY, "pipe: %s", strerror(errno)), false);
  if (good) {
    s->pid = (int)fork();
    if (s->pid == 0) become(&w, mpiexec, words, self, address, pipes[1]);
    close(pipes[1]);
    s->out = pipes[0];
    if (s->pid < 0) good = (snprintf(why, SUPERVISE_WHY, "fork: %s", strerror(errno)), false);
  }
  free(with);
  return good;
}

void starter_end(starter *s, bool kill_it) {
  for (int ms = 0; s->pid > 0; ms += 10) {
    if (waitpid(s->pid, NULL, WNOHANG)) break;
    if (ms == (kill_it ? 0 : END_MS)) kill(-s->pid, SIGTERM);
    if (ms >= (kill_it ? 0 : END_MS) + END_MS) kill(-s->pid, SIGKILL);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  if (s->out >= 0) close(s->out);
  if (s->hosts) unlink(s->hosts);
  free(s->hosts);
  *s = (starter){.pid = -1, .out = -1};
}
