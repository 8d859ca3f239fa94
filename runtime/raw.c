/* raw.c: records of one length and type, without a header: "u8[3073]" is what such a file is of.
 * The bytes are in this machine's order. The file stays on disk and only the chosen columns are
 * read, unless it is gzipped. */
#include <stdlib.h>
#include <string.h>
#include "tensor_file.h"

enum { RAW_MOST = 1 << 30 }; /* elements of a record */

static int kind_of(const char *name, size_t n) {
  for (int k = ELEMENT_BOOL; k <= ELEMENT_U64; k++)
    if (strlen(element_name(k)) == n && !strncmp(element_name(k), name, n)) return k;
  return -1;
}

bool raw_looks_like(const char *text) {
  size_t n = strlen(text);
  return n > 2 && strchr(text, '[') && text[n - 1] == ']' && !strchr(text, '/');
}

static bool parse(tensor_file *f, gz_stream *s, const char *record, int64_t *width) {
  const char *open = strchr(record, '['), *p = open + 1;
  f->kind = kind_of(record, (size_t)(open - record));
  if (f->kind < 0)
    return tensor_file_fail(s,
                            "':%s': expected a type (u8, i32, f32, ...) and the elements of a "
                            "record, as in :u8[3073]",
                            record);
  int64_t n = 0;
  for (; *p >= '0' && *p <= '9' && n <= RAW_MOST; p++) n = n * 10 + (*p - '0');
  if (p == open + 1 || strcmp(p, "]") != 0 || n < 1 || n > RAW_MOST)
    return tensor_file_fail(s,
                            "':%s': expected a whole number of elements from 1 to %d in brackets, "
                            "as in :u8[3073]",
                            record, RAW_MOST);
  *width = n;
  return true;
}

bool raw_read_header(tensor_file *f, gz_stream *s, const char *record, const char *text) {
  int64_t width = 0, bytes = s->size;
  f->format = "raw";
  if (!parse(f, s, record, &width)) return false;
  if (!columns_choose(&f->take, s, text, width)) return false;
  if (!s->seekable && !(f->memory = gz_take_all(s, &bytes))) return false;
  int64_t each = width * (int64_t)element_size(f->kind);
  if (bytes % each)
    return tensor_file_fail(s,
                            "expected whole records of %lld bytes (%s), found %lld bytes: %lld "
                            "records and %lld bytes over%s",
                            (long long)each, record, (long long)bytes, (long long)(bytes / each),
                            (long long)(bytes % each), tensor_file_packed(s->head));
  f->rank = 2;
  f->shape[0] = bytes / each;
  f->shape[1] = f->take.count;
  f->extent = bytes;
  f->width = width;
  if (s->seekable) {
    f->fd = s->fd;
    s->fd = -1;
  }
  return tensor_file_size(f, s);
}
