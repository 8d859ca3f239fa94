/* cli_stop.h: Ctrl-C, SIGTERM and SIGHUP end training between two steps, after it has saved. One
 * of several processes may receive the signal earlier than the others, or alone: they agree, a few
 * times a second, on whether any has, so that all stop after the same step. */
#ifndef DTG_RUNTIME_CLI_STOP_H
#define DTG_RUNTIME_CLI_STOP_H
#include <signal.h>
#include "session.h"

enum { CLI_STOP_SIGNALS = 3 };

typedef struct cli_stop {
  dtrt_session *session;
  int nranks;
  bool caught[CLI_STOP_SIGNALS];
  struct sigaction old[CLI_STOP_SIGNALS];
  int64_t steps, next; /* steps so far; when ranks next agree */
  int64_t last_steps;  /* at the last agreement, */
  double last;         /* and when that was */
  bool met; /* by the last cli_stop_asked, ranks have agreed: for what else is due then */
} cli_stop;

/* From here on the signals are kept for cli_stop_asked, those apart that the process ignores. */
void cli_stop_catch(cli_stop *c, dtrt_session *s);
void cli_stop_release(cli_stop *c);
/* After every step, by all processes: the signal to stop for, the same on all; 0: none. DTRT_FAILED
 * when the ranks could not agree, as the session says. */
dtrt_status cli_stop_asked(cli_stop *c, int *sig);
/* In its place after a step of a call that has run further. */
void cli_stop_later(cli_stop *c);
/* "Ctrl-C", "SIGTERM" */
const char *cli_stop_name(int sig);
#endif
