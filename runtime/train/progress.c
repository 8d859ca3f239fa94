/* progress.c: see progress.h. It is drawn on stderr, so that stdout holds only whole lines. */
#include "progress.h"
#include "variables.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

double progress_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_start(progress *p, bool wanted, int to) {
  const char *term = variable(VARIABLE_TERM);
  p->on = wanted && isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
  p->shown = false;
  p->to = to;
  p->last = progress_now();
}

bool progress_due(const progress *p) {
  return (p->on || p->to >= 0) && progress_now() - p->last >= 0.1;
}

/* A reader that is slow or gone costs a line, not time; part of one would spoil the next. */
static void send_line(progress *p, char *line, int n) {
  line[n] = '\n';
  const ssize_t sent = send(p->to, line, (size_t)n + 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0 ? sent != n + 1 : errno != EAGAIN && errno != EINTR) p->to = -1;
}

/* "0:03", "1:02:03" */
static void progress_time_text(double seconds, char *text, size_t size) {
  long long s = (long long)(seconds + 0.5);
  if (s >= 3600)
    snprintf(text, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
  else
    snprintf(text, size, "%lld:%02lld", s / 60, s % 60);
}

enum { BAR = 24 };

/* The line with a bar of so many columns, up to BAR (none for 0); its length. */
static int draw(char *line, size_t size, int width, const char *head, int64_t done, int64_t all,
                const char *metrics, const char *speed) {
  char bar[BAR];
  const double full = all > 0 ? (double)width * (double)done / (double)all : 0;
  int filled = 0;
  memset(bar, ' ', sizeof bar);
  while (filled < width && filled + 1 <= full) bar[filled++] = '=';
  if (filled < width) bar[filled] = '>';
  int n = width ? snprintf(line, size, "%s [%.*s] %lld/%lld%s  %s", head, width, bar,
                           (long long)done, (long long)all, metrics, speed)
                : snprintf(line, size, "%s %lld/%lld  %s%s", head, (long long)done, (long long)all,
                           speed, metrics);
  return n < (int)size ? n : (int)size - 1;
}

void progress_step(progress *p, const char *head, int64_t begun, int64_t done, int64_t all,
                   double seconds, const char *metrics) {
  char line[1024], speed[96], left[32];
  struct winsize window = {0};
  if (!progress_due(p)) return;
  p->last = progress_now();
  int columns = 80, most = (int)sizeof line - 1;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) columns = window.ws_col;
  if (columns - 1 < most) most = columns - 1; /* a wrapped line could not be cleared */
  double rate = seconds > 0 ? (double)(done - begun) / seconds : 0;
  progress_time_text(rate > 0 ? (double)(all - done) / rate : 0, left, sizeof left);
  snprintf(speed, sizeof speed, "%.*f steps/s  %s left", rate < 10 ? 1 : 0, rate, left);
  if (p->to >= 0)
    send_line(p, line, draw(line, sizeof line - 1, 0, head, done, all, metrics, speed));
  if (!p->on) return;
  for (int width = BAR; width >= 0; width -= 8) /* the bar shrinks before the text does */
    if (draw(line, sizeof line, width, head, done, all, metrics, speed) <= most) break;
  line[most] = '\0';
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
  p->shown = true;
}

void progress_clear(progress *p) {
  if (!p->shown) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  p->shown = false;
}
