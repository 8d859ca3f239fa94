/* line_merge.c: see supervise.h. A line is written with one call where the system takes it whole.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "supervise.h"

enum { MOST_LINE = 1 << 20 }; /* a longer one is written in parts */

static void write_all(int fd, const char *text, size_t n) {
  while (n) {
    ssize_t done = write(fd, text, n);
    if (done < 0 && errno == EAGAIN) poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
    if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (done <= 0) return; /* the reader is gone */
    text += done;
    n -= (size_t)done;
  }
}

static void keep_last(const char *text, size_t n, char *last) {
  while (n && (text[n - 1] == '\n' || text[n - 1] == '\r' || text[n - 1] == ' ')) n--;
  size_t from = n;
  while (from && text[from - 1] != '\n') from--;
  if (last && n > from) snprintf(last, SUPERVISE_LINE, "%.*s", (int)(n - from), text + from);
}

void line_merge_put(line_merge *m, int fd, const char *bytes, size_t n, char *last) {
  if (m->room - m->n < n) {
    size_t room = 2 * (m->n + n);
    char *bigger = realloc(m->text, room);
    if (!bigger) return write_all(fd, bytes, n);
    m->text = bigger;
    m->room = room;
  }
  memcpy(m->text + m->n, bytes, n);
  m->n += n;
  size_t whole = m->n;
  while (whole && m->text[whole - 1] != '\n') whole--;
  if (!whole && m->n > MOST_LINE) whole = m->n;
  if (!whole) return;
  write_all(fd, m->text, whole);
  keep_last(m->text, whole, last);
  memmove(m->text, m->text + whole, m->n - whole);
  m->n -= whole;
}

void line_merge_end(line_merge *m, int fd, char *last) {
  if (m->n) line_merge_put(m, fd, "\n", 1, last);
  free(m->text);
  *m = (line_merge){0};
}
