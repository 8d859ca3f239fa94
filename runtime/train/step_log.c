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

bool log_is_json(const char *path) {
  size_t n = strlen(path);
  return n >= 6 && !strcmp(path + n - 6, ".jsonl");
}

static void step_log_head(FILE *to, const fit *f, const char *columns) {
  fputs(columns, to);
  for (int i = 0; i < f->train.entry->nout; i++)
    if (f->train.out[i]) fprintf(to, ",%s", f->train.entry->out[i].name);
  fputc('\n', to);
}

static const char json_step[] = "{\"step\":";
enum { JSON_STEP = sizeof json_step - 1 };

/* The lines of `path` before step `first`, when the file is such a log: CSV by its head, of JSON
 * each line. The last line may be cut off. */
static void step_log_keep(const char *path, bool json, FILE *to, const char *head, int64_t first) {
  const char *why;
  int fd = file_open(path, &why);
  FILE *old = fd >= 0 ? fdopen(fd, "rb") : NULL;
  char *line = NULL;
  size_t room = 0;
  ssize_t n = 0;
  bool ours = old && (json || ((n = getline(&line, &room, old)) > 0 && !strcmp(line, head)));
  while (ours && (n = getline(&line, &room, old)) > 0 && line[n - 1] == '\n') {
    bool is_step = !json || !strncmp(line, json_step, JSON_STEP);
    if (is_step && strtoll(line + (json ? JSON_STEP : 0), NULL, 10) < first) fputs(line, to);
  }
  free(line);
  if (old) fclose(old);
}

fit_status step_log_open(step_log *l, fit *f, int64_t first) {
  return step_log_open_as(l, f, "step,epoch", first);
}

fit_status step_log_open_as(step_log *l, fit *f, const char *columns, int64_t first) {
  char *text = NULL;
  size_t n = 0;
  l->fd = -1;
  if (!l->path) return FIT_OK;
  l->json = log_is_json(l->path);
  FILE *to = open_memstream(&text, &n);
  if (!to) return step_log_fail(l, f, ENOMEM);
  if (!l->json) step_log_head(to, f, columns);
  fflush(to);
  char *head = first > 1 ? strdup(l->json ? "" : text) : NULL;
  if (head) step_log_keep(l->path, l->json, to, head, first);
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

int step_log_write(step_log *l) {
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

/* A name or a host: what would end a field or a text of JSON is left out. */
static bool step_log_text_part(step_log *l, const char *text) {
  bool good = true;
  for (; good && *text; text++)
    if ((unsigned char)*text >= ' ' && !strchr(",\"\\", *text)) good = step_log_put(l, "%c", *text);
  return good;
}

/* What comes before a value: a line begins with its step. */
static bool step_log_name(step_log *l, const char *name) {
  bool first = !strcmp(name, "step");
  if (!l->json) return first || step_log_put(l, ",");
  return step_log_put(l, first ? "{\"" : ",\"") && step_log_text_part(l, name) &&
         step_log_put(l, "\":");
}

bool step_log_int(step_log *l, const char *name, int64_t v) {
  return step_log_name(l, name) && step_log_put(l, "%lld", (long long)v);
}

bool step_log_real(step_log *l, const char *name, double v) {
  if (!step_log_name(l, name)) return false;
  if (l->json && !isfinite(v)) return step_log_put(l, "null");
  return step_log_put(l, "%.9g", isnan(v) ? fabs(v) : v); /* never "-nan" */
}

bool step_log_number(step_log *l, const char *name, const char *digits) {
  return step_log_name(l, name) && step_log_put(l, "%s", digits);
}

bool step_log_text(step_log *l, const char *name, const char *v) {
  const char *quote = l->json ? "\"" : "";
  return step_log_name(l, name) && step_log_put(l, "%s", quote) && step_log_text_part(l, v) &&
         step_log_put(l, "%s", quote);
}

bool step_log_end(step_log *l) { return step_log_put(l, l->json ? "}\n" : "\n"); }

fit_status step_log_add(step_log *l, fit *f) {
  const fit_pass *pass = &f->train;
  if (!l->path || l->fd < 0) return FIT_OK;
  bool good = step_log_int(l, "step", (f->epoch - 1) * fit_steps(pass) + pass->step) &&
              step_log_int(l, "epoch", f->epoch);
  for (int i = 0; good && i < pass->entry->nout; i++)
    if (pass->out[i]) good = step_log_real(l, pass->entry->out[i].name, fit_value(pass, i));
  if (!good || !step_log_end(l)) return step_log_fail(l, f, ENOMEM);
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
