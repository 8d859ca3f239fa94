/* csv.c: reads comma-separated numbers into one dense tensor [rows, columns] of a given dtype.
 *
 * Blank lines, blanks around fields, CRLF, quotes around a field and a UTF-8 byte order mark are
 * accepted. A first line without a single number is a header and skipped with a note; anything
 * else that is not a number, does not fit the dtype, or makes a line longer or shorter than the
 * first is an error with line and column. */
#include "plural.h"
#include "tensor_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CSV_MOST_LINE = 1 << 26, CSV_MOST_BLANK = 1 << 20, CSV_MOST_BEYOND = 1 << 24 };

typedef struct csv_reader {
  tensor_file *file;
  gz_stream *s;
  int dtype;
  char buffer[1 << 16];
  int64_t have, next; /* in buffer */
  char *line;
  int64_t length, room;
  int64_t number; /* of the line */
  char **field;
  int64_t nfields, field_room;
  int64_t width; /* fields of each line; -1: not known yet */
  columns take;  /* chosen */
  int64_t rows, row_room;
  int64_t most_rows; /* that are of use */
  int64_t beyond;    /* byte with which more begin */
  int64_t blank;     /* lines without anything since the last that had something */
} csv_reader;

/* One line without its end. 1, 0 at the end of the file, -1 on failure. */
static int csv_line(csv_reader *r) {
  bool some = false;
  r->length = 0;
  r->number++;
  for (;;) {
    if (r->next == r->have) {
      r->have = gz_take(r->s, r->buffer, sizeof r->buffer);
      r->next = 0;
      if (r->have < 0) return -1;
      if (r->have == 0) break;
    }
    some = true;
    char *from = r->buffer + r->next;
    char *end = memchr(from, '\n', (size_t)(r->have - r->next));
    int64_t n = end ? end - from : r->have - r->next;
    if (r->length + n + 1 > r->room) {
      r->room = 2 * (r->length + n + 1);
      char *line = r->room > CSV_MOST_LINE ? NULL : realloc(r->line, (size_t)r->room);
      if (!line)
        return gz_fail(r->s,
                       r->room > CSV_MOST_LINE ? "line %lld is longer than 32 MiB"
                                               : "out of memory in line %lld",
                       (long long)r->number),
               -1;
      r->line = line;
    }
    memcpy(r->line + r->length, from, (size_t)n);
    r->length += n;
    r->next += n + (end != NULL);
    if (end) break;
  }
  if (!some) return 0;
  if (r->length && r->line[r->length - 1] == '\r') r->length--;
  r->line[r->length] = '\0';
  if (memchr(r->line, 0, (size_t)r->length))
    return gz_fail(r->s, "line %lld: expected text, found a zero byte", (long long)r->number), -1;
  return 1;
}

static char *csv_trim(char *p, char *end) {
  while (end > p && (end[-1] == ' ' || end[-1] == '\t')) end--;
  while (p < end && (*p == ' ' || *p == '\t')) p++;
  if (end - p >= 2 && *p == '"' && end[-1] == '"') {
    p++;
    end--;
  }
  *end = '\0';
  return p;
}

/* Cuts the line into fields, in place. */
static bool csv_split(csv_reader *r) {
  char *p = r->line;
  if (r->number == 1 && !strncmp(p, "\xEF\xBB\xBF", 3)) p += 3;
  r->nfields = 0;
  for (bool more = true; more;) {
    char *end = p;
    bool quoted = false;
    for (; *end && (quoted || *end != ','); end++) quoted ^= *end == '"';
    more = *end == ',';
    if (r->nfields == r->field_room) {
      r->field_room = 2 * r->field_room + 64;
      char **field = realloc(r->field, (size_t)r->field_room * sizeof *field);
      if (!field) return gz_fail(r->s, "out of memory");
      r->field = field;
    }
    r->field[r->nfields++] = csv_trim(p, end);
    p = end + 1;
  }
  return true;
}

/* Numbers with something else than commas between them. */
static const char *csv_hint(const char *text, long long line) {
  const size_t digits = strspn(text, "+-.0123456789eE");
  if (digits && text[digits] && strchr("; \t|", text[digits]))
    return " (columns are separated by commas)";
  return line == 1 ? " (a header line contains no numbers)" : "";
}

static bool csv_bad(csv_reader *r, int64_t column, element_text what) {
  const char *text = r->field[column], *type = element_name(r->dtype);
  long long line = r->number, col = column;
  if (!*text)
    return gz_fail(r->s, "line %lld, column %lld: expected a number, found nothing", line, col);
  if (what == ELEMENT_NOT_A_NUMBER)
    return gz_fail(r->s, "line %lld, column %lld: expected a number, found '%.40s'%s", line, col,
                   text, csv_hint(text, line));
  if (what == ELEMENT_FRACTION)
    return gz_fail(r->s, "line %lld, column %lld: expected an integer (%s), found %.40s", line, col,
                   type, text);
  return gz_fail(r->s, "line %lld, column %lld: %.40s does not fit %s (%s)", line, col, text, type,
                 element_range(r->dtype));
}

/* A row too many: it is counted for the message, as long as that is quickly done. */
static bool csv_beyond(csv_reader *r) {
  if (r->rows++ == r->most_rows) r->beyond = r->s->at;
  if (r->s->at - r->beyond <= CSV_MOST_BEYOND) return true;
  return gz_fail(r->s, "expected %lld row%s, found more than %lld", (long long)r->most_rows,
                 PLURAL(r->most_rows), (long long)(r->rows - 1));
}

static bool csv_row(csv_reader *r) {
  size_t size = element_size(r->dtype);
  int64_t bytes = r->take.count * (int64_t)size;
  if (r->rows >= r->most_rows) return csv_beyond(r);
  if (r->rows == r->row_room) {
    int64_t room = 2 * r->row_room + 256, all;
    char *bigger = NULL;
    if (!__builtin_mul_overflow(room, bytes, &all)) bigger = realloc(r->file->memory, (size_t)all);
    if (!bigger) return gz_fail(r->s, "out of memory after %lld rows", (long long)r->rows);
    r->file->memory = bigger;
    r->row_room = room;
  }
  char *to = r->file->memory + r->rows * bytes;
  for (int i = 0; i < r->take.n; i++)
    for (int64_t c = r->take.range[i].first; c <= r->take.range[i].last; c++, to += size) {
      element_text what = element_parse(r->field[c], r->dtype, to);
      if (what != ELEMENT_FITS) return csv_bad(r, c, what);
    }
  r->rows++;
  return true;
}

static bool csv_is_header(const csv_reader *r) {
  bool words = false;
  for (int64_t i = 0; i < r->nfields; i++) {
    if (element_is_number(r->field[i], r->dtype)) return false;
    words |= *r->field[i] != '\0';
  }
  return words;
}

static bool csv_lines(csv_reader *r, const char *text) {
  int got;
  while ((got = csv_line(r)) > 0) {
    if (!csv_split(r)) return false;
    bool blank = r->nfields == 1 && !*r->field[0];
    r->blank = blank ? r->blank + 1 : 0;
    if (r->blank > CSV_MOST_BLANK)
      return gz_fail(r->s, "line %lld: expected numbers, found %d blank lines one after the other",
                     (long long)r->number, CSV_MOST_BLANK);
    if (blank) continue;
    bool first = r->width < 0;
    if (first) r->width = r->nfields;
    if (first && !columns_choose(&r->take, r->s, text, r->width)) return false;
    if (r->nfields != r->width)
      return gz_fail(r->s, "line %lld: expected %lld column%s as in the lines before, found %lld",
                     (long long)r->number, (long long)r->width, PLURAL(r->width),
                     (long long)r->nfields);
    if (first && csv_is_header(r))
      snprintf(r->file->note, sizeof r->file->note,
               "%.120s: line %lld is treated as a header and skipped: %.40s, ...", r->file->name,
               (long long)r->number, r->field[0]);
    else if (!csv_row(r))
      return false;
  }
  if (got == 0 && !r->rows) return gz_fail(r->s, "expected lines of numbers, found none");
  return got == 0;
}

bool csv_read(tensor_file *f, gz_stream *s, int dtype, const char *text, int64_t most_rows) {
  csv_reader *r = calloc(1, sizeof *r);
  if (!r) return gz_fail(s, "out of memory");
  r->file = f;
  r->s = s;
  r->dtype = dtype;
  r->width = -1;
  r->most_rows = most_rows;
  bool good = csv_lines(r, text);
  f->format = "CSV";
  f->kind = dtype;
  f->rank = 2;
  f->shape[0] = r->rows;
  f->shape[1] = r->take.count;
  free(r->line);
  free(r->field);
  free(r->take.range);
  free(r);
  return good;
}
