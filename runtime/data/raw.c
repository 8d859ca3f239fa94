/* raw.c: records of one length and type, without a header: "u8[3073]" is the type of a record,
 * "u8[65]@64" a record that begins every 64 elements (windows of a text, each with its next
 * character). The bytes are in this machine's order. The file stays on disk and only the chosen
 * columns are read, unless it is gzipped. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats.h"
#include "plural.h"
#include "tensor_file.h"

enum { RAW_MOST = 1 << 30 }; /* elements of a record */

static int kind_of(const char *name, size_t n) {
  for (int k = ELEMENT_BOOL; k < ELEMENT_KINDS; k++)
    if (strlen(element_name(k)) == n && !strncmp(element_name(k), name, n)) return k;
  return -1;
}

bool raw_looks_like(const char *text) {
  size_t n = strlen(text);
  bool ends = n > 2 && (text[n - 1] == ']' || strstr(text, "]@"));
  return ends && strchr(text, '[') && !strchr(text, '/');
}

/* An integer from 1 to RAW_MOST at *p, or 0. */
static int64_t count_at(const char **p) {
  int64_t n = 0;
  for (; **p >= '0' && **p <= '9' && n <= RAW_MOST; ++*p) n = n * 10 + (**p - '0');
  return n > RAW_MOST ? 0 : n;
}

static bool parse(tensor_file *f, gz_stream *s, const char *record) {
  const char *open = strchr(record, '['), *p = open + 1;
  f->kind = kind_of(record, (size_t)(open - record));
  if (f->kind < 0)
    return gz_fail(s,
                   "':%s': expected a type (u8, i32, f32, ...) and the elements of a "
                   "record, as in :u8[3073]",
                   record);
  f->width = f->pitch = count_at(&p);
  if (!f->width || *p != ']')
    return gz_fail(s,
                   "':%s': expected an integer of elements from 1 to %d in brackets, "
                   "as in :u8[3073]",
                   record, RAW_MOST);
  if (!*++p) return true;
  if (*p++ == '@') f->pitch = count_at(&p);
  if (!f->pitch || *p || p[-1] == '@')
    return gz_fail(s,
                   "':%s': expected @ and the distance between records in elements (1 to "
                   "%d), as in :u8[65]@64",
                   record, RAW_MOST);
  return true;
}

/* Records that follow each other fill the file. */
static bool count_records(tensor_file *f, gz_stream *s, const char *record) {
  int64_t each = f->width * (int64_t)element_size(f->kind);
  f->shape[0] = f->extent / each;
  if (f->extent % each == 0) return true;
  return gz_fail(s,
                 "expected whole records of %lld byte%s (%s), found %lld bytes: %lld "
                 "records and %lld byte%s over%s",
                 (long long)each, PLURAL(each), record, (long long)f->extent,
                 (long long)f->shape[0], (long long)(f->extent % each), PLURAL(f->extent % each),
                 formats_text(s->head, (size_t)s->nhead));
}

/* Records that begin at every `pitch` need not: bytes left at the end are reported. */
static bool count_windows(tensor_file *f, gz_stream *s, const char *record) {
  int64_t size = (int64_t)element_size(f->kind), n = f->extent / size;
  if (f->extent % size)
    return gz_fail(s, "expected whole elements of %lld byte%s (%s), found %lld byte%s%s",
                   (long long)size, PLURAL(size), record, (long long)f->extent, PLURAL(f->extent),
                   formats_text(s->head, (size_t)s->nhead));
  if (n < f->width)
    return gz_fail(s, "expected a record of %lld element%s (%s), found %lld element%s",
                   (long long)f->width, PLURAL(f->width), record, (long long)n, PLURAL(n));
  f->shape[0] = (n - f->width) / f->pitch + 1;
  int64_t over = n - ((f->shape[0] - 1) * f->pitch + f->width);
  if (over)
    snprintf(f->note, sizeof f->note,
             "%.120s: left out the last %lld element%s, fewer than a record of %.40s has", f->name,
             (long long)over, PLURAL(over), record);
  return true;
}

/* Bytes of as many records; INT64_MAX: of any number. */
static int64_t bytes_of(const tensor_file *f, int64_t records) {
  int64_t n = records < 1 ? 0 : records - 1;
  if (__builtin_mul_overflow(n, f->pitch, &n) || __builtin_add_overflow(n, f->width, &n) ||
      __builtin_mul_overflow(n, (int64_t)element_size(f->kind), &n))
    return INT64_MAX;
  return n;
}

bool raw_read_header(tensor_file *f, gz_stream *s, const char *record, const char *text,
                     int64_t most_rows) {
  f->format = "raw";
  f->extent = s->size;
  if (!parse(f, s, record)) return false;
  if (!columns_choose(&f->take, s, text, f->width)) return false;
  if (!s->seekable) {
    /* Of windows less than a pitch may be left over. */
    int64_t most = bytes_of(f, most_rows < INT64_MAX ? most_rows + 1 : most_rows);
    if (!(f->memory = gz_take_all(s, &f->extent, most))) return false;
  }
  bool windows = strchr(record, '@') != NULL;
  if (!(windows ? count_windows : count_records)(f, s, record)) return false;
  f->rank = 2;
  f->shape[1] = f->take.count;
  if (s->seekable) {
    f->fd = s->fd;
    s->fd = -1;
  }
  return tensor_file_size(f, s);
}
