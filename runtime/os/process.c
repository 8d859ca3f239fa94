/* process.c: see process.h. As gnulib's stdopen: a write to what is open for reading alone fails,
 * so that lost output is an error as before. */
#include "process.h"
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void process_begin(void) {
  struct sigaction old;
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd ? O_RDONLY : O_WRONLY);
  if (sigaction(SIGCHLD, NULL, &old) == 0 && old.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}
