/* spool.c: temporary files that processes share. Regression: of two processes that closed a file at
 * the same moment each took the other for one that still reads, and the file was left. Works in the
 * directory given as its argument. */
#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "spool.h"

enum { PROCESSES = 3, ROUNDS = 3000 };

typedef struct together {
  atomic_int arrived;
  atomic_int filled; /* times, of all rounds */
  atomic_int wrong;  /* opens that failed, and files of another round */
} together;

static void meet(together *t, int times) {
  atomic_fetch_add(&t->arrived, 1);
  while (atomic_load(&t->arrived) < times * PROCESSES) sched_yield();
}

static int files(void) {
  int n = 0;
  DIR *d = opendir(".");
  for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
  if (d) closedir(d);
  return n;
}

/* One round: one process fills the file, all read it, and all close it at once. The files that are
 * left. */
static int share(together *t, int round) {
  spool s;
  int got = -1;
  spool_state state = spool_open(&s, &(spool_job){.id = 7, .shared = true}, "key", why, sizeof why);
  if (state == SPOOL_EMPTY) {
    atomic_fetch_add(&t->filled, 1);
    if (pwrite(s.fd, &round, sizeof round, 0) != sizeof round || !spool_filled(&s))
      state = SPOOL_FAILED;
  }
  if (state == SPOOL_FAILED || pread(s.fd, &got, sizeof got, 0) != sizeof got || got != round) {
    printf("round %d: state %d, of round %d: %s\n", round, state, got, why);
    atomic_fetch_add(&t->wrong, 1);
  }
  meet(t, 3 * round + 1);
  spool_close(&s);
  meet(t, 3 * round + 2);
  int left = files();
  meet(t, 3 * round + 3);
  return left;
}

int main(int argc, char **argv) {
  if (argc != 2 || (mkdir(argv[1], 0777), chdir(argv[1])) || setenv("TMPDIR", ".", 1)) return 99;
  together *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t == MAP_FAILED) return 99;
  int left = 0;
  if (system("rm -f ./*")) return 99; /* of a run that failed */
  for (int p = 1; p < PROCESSES; p++)
    if (fork() == 0) {
      for (int i = 0; i < ROUNDS; i++) share(t, i);
      exit(0);
    }
  for (int i = 0; i < ROUNDS; i++) left += share(t, i);
  while (wait(NULL) > 0) {
  }
  CHECK(left == 0);
  CHECK(atomic_load(&t->filled) == ROUNDS);
  CHECK(atomic_load(&t->wrong) == 0);
  printf("%d checks, %d failed\n", checks, failures);
  return failures ? 1 : 0;
}
