/* step_log.c: see step_log.h. */
#include "step_log.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files.h"
#include "tensor_file.h"

enum { STEP_LOG_WRITE = 1 << 16, STEP_LOG_LINE = 64 };

static fit_status step_log_fail(const step_log *l, fit *f, int why) {
  snprintf(f->why, sizeof f->why, "%s: %s", l->path, strerror(why));
  return FIT_FAILED;
}

static void step_log_head(FILE *to, const fit *f) {
  fputs("step,epoch", to);
  for (int i = 0; i < f->train.entry->nout; i++)
    if (f->train.out[i]) fprintf(to, ",%s", f->train.entry->out[i].name);
  fputc('\n', to);
}

/* The lines of `path` before step `first`, when their head is that of `text`. */
static void step_log_keep(const char *path, FILE *to, const char *head, int64_t first) {
  const char *why;
  int fd = file_open(path, &why);
  FILE *old = fd >= 0 ? fdopen(fd, "rb") : NULL;
  char *line = NULL;
  size_t room = 0;
  ssize_t n = old ? getline(&line, &room, old) : -1;
  bool ours = n > 0 && !strcmp(line, head);
  while (ours && (n = getline(&line, &room, old)) > 0 && line[n - 1] == '\n')
    if (strtoll(line, NULL, 10) < first) fputs(line, to);
  free(line);
  if (old) fclose(old);
}

fit_status step_log_open(step_log *l, fit *f, int64_t first) {
  char *text = NULL;
  size_t n = 0;
  l->fd = -1;
  if (!l->path) return FIT_OK;
  FILE *to = open_memstream(&text, &n);
  if (!to) return step_log_fail(l, f, ENOMEM);
  step_log_head(to, f);
  fflush(to);
  char *head = first > 1 ? strdup(text) : NULL;
  if (head) step_log_keep(l->path, to, head, first);
  free(head);
  fit_status status = fclose(to) ? step_log_fail(l, f, ENOMEM) : FIT_OK;
  if (!status && !tensor_file_replace(l->path, text, n, "", 0, f->why, sizeof f->why))
    status = FIT_FAILED;
  free(text);
  if (status) return status;
  l->fd = file_is_special(l->path) ? file_open_special(l->path)
                                   : open(l->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  return l->fd >= 0 ? FIT_OK : step_log_fail(l, f, errno);
}

/* errno, or 0 when nothing is left. */
static int step_log_write(step_log *l) {
  size_t at = 0;
  int error = 0;
  while (at < l->n && !error) {
    ssize_t done = write(l->fd, l->text + at, l->n - at);
    if (done > 0)
      at += (size_t)done;
    else if (done == 0 || errno != EINTR)
      error = done ? errno : ENOSPC;
  }
  if (at) memmove(l->text, l->text + at, l->n - at);
  l->n -= at;
  return error;
}

__attribute__((format(printf, 2, 3))) static bool step_log_put(step_log *l, const char *format,
                                                               ...) {
  if (l->room - l->n < STEP_LOG_LINE) {
    size_t room = l->room ? 2 * l->room : STEP_LOG_WRITE;
    char *bigger = realloc(l->text, room);
    if (!bigger) return false;
    l->text = bigger;
    l->room = room;
  }
  va_list list;
  va_start(list, format);
  int n = vsnprintf(l->text + l->n, l->room - l->n, format, list);
  va_end(list);
  if (n < 0 || n >= STEP_LOG_LINE) return false;
  l->n += (size_t)n;
  return true;
}

fit_status step_log_add(step_log *l, fit *f) {
  const fit_pass *pass = &f->train;
  if (!l->path || l->fd < 0) return FIT_OK;
  bool good =
      step_log_put(l, "%lld,%lld", (long long)((f->epoch - 1) * fit_steps(pass) + pass->step),
                   (long long)f->epoch);
  for (int i = 0; good && i < pass->entry->nout; i++) {
    if (!pass->out[i]) continue;
    double v = fit_value(pass, i);
    good = step_log_put(l, ",%.9g", isnan(v) ? fabs(v) : v); /* never "-nan" */
  }
  if (!good || !step_log_put(l, "\n")) return step_log_fail(l, f, ENOMEM);
  if (l->n >= STEP_LOG_WRITE) step_log_write(l); /* the next sync reports failures */
  return FIT_OK;
}

bool step_log_sync(step_log *l, char *why, size_t whysize) {
  if (!l->path || l->fd < 0) return true;
  int error = step_log_write(l);
  /* A pipe or a terminal cannot wait for its disk. */
  if (!error && fsync(l->fd) && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    error = errno;
  if (error) snprintf(why, whysize, "%s: cannot write: %s", l->path, strerror(error));
  return !error;
}

void step_log_close(step_log *l) {
  if (l->path && l->fd >= 0) close(l->fd);
  free(l->text);
  *l = (step_log){.fd = -1};
}
