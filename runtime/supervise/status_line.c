/* status_line.c: see supervise.h. On a terminal the line is the last and is drawn anew; elsewhere
 * one is written now and then. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "clock.h"
#include "supervise.h"
#include "variables.h"

static const double terminal_seconds = 0.1, log_seconds = 10; /* between two lines, at least */

static double now(void) { return (double)clock_ns() * 1e-9; }

void status_begin(status_line *s, bool wanted) {
  const char *term = variable(VARIABLE_TERM);
  *s = (status_line){.on = wanted};
  s->terminal = isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

void status_clear(status_line *s) {
  if (!s->shown) return;
  s->shown = false;
  fputs("\r\033[K", stderr);
  fflush(stderr);
}

void status_draw(status_line *s) {
  struct winsize window = {0};
  int columns = 80;
  if (!s->terminal || !*s->text || s->shown) return;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) columns = window.ws_col;
  fprintf(stderr, "\r\033[K%.*s", columns - 1, s->text); /* a wrapped line could not be cleared */
  fflush(stderr);
  s->shown = true;
  s->last = now();
}

/* The last whole line of what has come. */
static bool keep(status_line *s) {
  char *end = memrchr(s->in, '\n', s->n);
  if (!end) {
    if (s->n == sizeof s->in) s->n = 0; /* no line of fit's */
    return false;
  }
  char *from = memrchr(s->in, '\n', (size_t)(end - s->in));
  from = from ? from + 1 : s->in;
  snprintf(s->text, sizeof s->text, "%.*s", (int)(end - from), from);
  for (char *c = s->text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = ' '; /* a terminal is not a program's to steer */
  s->n -= (size_t)(end + 1 - s->in);
  memmove(s->in, end + 1, s->n);
  return true;
}

void status_put(status_line *s, const char *bytes, size_t n) {
  bool any = false;
  while (n) {
    size_t room = sizeof s->in - s->n, part = n < room ? n : room;
    memcpy(s->in + s->n, bytes, part);
    s->n += part, bytes += part, n -= part;
    any = keep(s) || any;
  }
  if (!any || !s->on || now() < s->last + (s->terminal ? terminal_seconds : log_seconds)) return;
  s->shown = false;
  status_draw(s);
  if (s->terminal) return;
  fprintf(stderr, "%s\n", s->text);
  s->last = now();
}
