/* stop_signals.c: see supervise.h. SIGINT, SIGTERM and SIGHUP are passed on to all ranks; one that
 * the launcher was started to ignore (nohup) stays ignored. SIGCHLD wakes the launcher. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include "supervise.h"

static int signal_pipe[2] = {-1, -1}; /* a signal handler has nowhere else to write */

static void on_signal(int sig) {
  int error = errno;
  char byte = (char)sig;
  (void)!write(signal_pipe[1], &byte, 1);
  errno = error;
}

int stop_signals_open(void) {
  static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK)) return -1;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESTART}, old;
    sigemptyset(&a.sa_mask);
    if (sigaction(all[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN && all[i] != SIGCHLD)
      continue;
    sigaction(all[i], &a, NULL);
  }
  signal(SIGPIPE, SIG_IGN);
  return signal_pipe[0];
}

void stop_signals_close(void) {
  close(signal_pipe[0]);
  close(signal_pipe[1]);
}
