/* A log of `fit`: names in the first line, numbers in all others. What is not so is an error with
 * path and line. */
#include "plot.h"
#include "files.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_MOST = 1 << 28, READ_COLUMNS = 1000 };

int plot_column(const PlotLog *l, const char *name) {
  for (int i = 0; i < l->ncolumns; i++)
    if (!strcmp(l->name[i], name)) return i;
  return -1;
}

/* The whole file, with a NUL behind it; NULL with why. */
static char *read_file(Arena *a, const char *path, size_t *bytes, char *why, int n) {
  Str text = str_new(a);
  char piece[1 << 16];
  const char *wrong = "";
  int fd = file_open(path, &wrong);
  FILE *f = fd >= 0 ? fdopen(fd, "rb") : NULL;
  if (fd >= 0 && !f) wrong = strerror(errno);
  for (size_t got; f && text.n < READ_MOST && (got = fread(piece, 1, sizeof piece, f)) > 0;)
    str_put(&text, piece, got);
  bool good = f && !ferror(f);
  if (f && !good) wrong = strerror(errno);
  if (f) fclose(f);
  *bytes = text.n;
  if (!good)
    snprintf(why, (size_t)n, "%s: %s", path, wrong);
  else if (text.n >= READ_MOST)
    snprintf(why, (size_t)n, "%s: a log of more than 256 MiB is not read", path);
  else if (memchr(text.at, 0, text.n))
    snprintf(why, (size_t)n, "%s: expected a log of `fit` (text), found a zero byte", path);
  else
    return text.at;
  return NULL;
}

/* Cuts the next line off; NULL at the end. */
static char *next_line(char **at) {
  char *line = *at;
  if (!*line) return NULL;
  size_t n = strcspn(line, "\n");
  *at = line + n + (line[n] == '\n');
  line[n] = '\0';
  if (n && line[n - 1] == '\r') line[n - 1] = '\0';
  return line;
}

/* Cuts the next field off, without the blanks around it. NULL: there are no more. */
static char *next_field(char **at) {
  char *p = *at;
  if (!p) return NULL;
  char *end = p + strcspn(p, ",");
  *at = *end ? end + 1 : NULL;
  *end = '\0';
  while (*p == ' ' || *p == '\t') p++;
  while (end > p && (end[-1] == ' ' || end[-1] == '\t')) *--end = '\0';
  return p;
}

static bool read_names(Arena *a, PlotLog *out, char *line, char *why, int n) {
  char *end, *field;
  while ((field = next_field(&line))) {
    strtod(field, &end);
    if (!*field || !*end || out->ncolumns == READ_COLUMNS) {
      snprintf(why, (size_t)n, "%s:1: expected the names of the columns, found %s", out->path,
               out->ncolumns == READ_COLUMNS ? "more than 1000"
               : *field                      ? field
                                             : "an empty one");
      return false;
    }
    if (plot_column(out, field) >= 0) {
      snprintf(why, (size_t)n, "%s:1: two columns are called `%s`", out->path, field);
      return false;
    }
    out->name[out->ncolumns++] = arena_strdup(a, field);
  }
  return true;
}

static bool read_row(PlotLog *out, char *line, int number, double *to, char *why, int n) {
  int i = 0;
  char *end, *field;
  while ((field = next_field(&line))) {
    if (i == out->ncolumns) break;
    to[i] = strtod(field, &end);
    if (!*field || *end) {
      snprintf(why, (size_t)n, "%s:%d: expected a number for `%s`, found `%.40s`", out->path,
               number, out->name[i], field);
      return false;
    }
    i++;
  }
  if (i == out->ncolumns && !field) return true;
  snprintf(why, (size_t)n, "%s:%d: expected %d numbers, as there are names, found %s", out->path,
           number, out->ncolumns, field ? "more" : "fewer");
  return false;
}

bool plot_read(Arena *a, const char *path, PlotLog *out, char *why, int n) {
  size_t bytes;
  *out = (PlotLog){.path = path, .label = path};
  char *at = read_file(a, path, &bytes, why, n), *line;
  if (!at) return false;
  if (!strncmp(at, "\xEF\xBB\xBF", 3)) at += 3;
  out->name = arena_array(a, const char *, READ_COLUMNS);
  if (!(line = next_line(&at)) || !read_names(a, out, line, why, n)) {
    if (!line) snprintf(why, (size_t)n, "%s: expected a log of `fit`, found nothing", path);
    return false;
  }
  VEC(double) values = {0};
  double *row = arena_array(a, double, out->ncolumns);
  for (int number = 2; (line = next_line(&at)); number++) {
    if (!line[strspn(line, " \t")]) continue;
    if (!read_row(out, line, number, row, why, n)) return false;
    for (int i = 0; i < out->ncolumns; i++) vec_push(a, &values, row[i]);
    out->nrows++;
  }
  out->value = values.at;
  if (out->nrows) return true;
  snprintf(why, (size_t)n, "%s: there is no line of numbers yet", path);
  return false;
}
