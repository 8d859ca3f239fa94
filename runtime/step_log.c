/* step_log.c: see step_log.h. */
#include "step_log.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tensor_file.h"

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
  FILE *old = fopen(path, "rbe");
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
  l->file = fopen(l->path, "abe");
  return l->file ? FIT_OK : step_log_fail(l, f, errno);
}

fit_status step_log_add(step_log *l, fit *f) {
  const fit_pass *pass = &f->train;
  if (!l->file) return FIT_OK;
  fprintf(l->file, "%lld,%lld", (long long)((f->epoch - 1) * fit_steps(pass) + pass->step),
          (long long)f->epoch);
  for (int i = 0; i < pass->entry->nout; i++) {
    if (!pass->out[i]) continue;
    double v = fit_value(pass, i);
    fprintf(l->file, ",%.9g", isnan(v) ? fabs(v) : v); /* never "-nan" */
  }
  return fputc('\n', l->file) == EOF ? step_log_fail(l, f, errno) : FIT_OK;
}

fit_status step_log_flush(step_log *l, fit *f) {
  return l->file && fflush(l->file) ? step_log_fail(l, f, errno) : FIT_OK;
}

void step_log_close(step_log *l) {
  if (l->file) fclose(l->file);
  l->file = NULL;
}
