/* safetensors.c: see safetensors.h. The rules are those of the format's own reader (Hugging Face,
 * safetensors/src/tensor.rs): places begin at 0, follow each other and end where the file ends. */
#include "plural.h"
#include "safetensors.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "element.h"
#include "files.h"
#include "formats.h"

enum { MOST_HEADER = 100000000, DEEPEST = 4, MOST_VALUES = 2000000, ALIGN = 8 };

static const char *const names[] = {
#define DTYPE(ID, ...) [ELEMENT_##ID] = #ID,
#include "dtypes.def"
};
enum { NAMES = sizeof names / sizeof *names };

const char *safetensors_dtype(int kind) { return kind >= 0 && kind < NAMES ? names[kind] : "?"; }

int safetensors_kind(const char *dtype) {
  for (int i = 0; i < NAMES; i++)
    if (!strcmp(names[i], dtype)) return i;
  return -1;
}

bool safetensors_plain(const char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f) return false;
  return true;
}

/* -------- JSON -------- */

/* What a parser would build, without building it: it takes some 100 bytes for a `[]`. */
static bool within_limits(const char *text, size_t n, int deepest, char *why, size_t whysize) {
  int64_t values = 0;
  int depth = 0;
  for (size_t i = 0; i < n; i++) {
    char c = text[i];
    if (c == '"') {
      for (i++; i < n && text[i] != '"'; i++) i += text[i] == '\\';
    } else if (c == '{' || c == '[') {
      if (++depth > deepest)
        return snprintf(why, whysize, "is nested more than %d deep", deepest), false;
      values++;
    } else if (c == '}' || c == ']') {
      depth--;
    } else {
      values += c == ',';
    }
    if (values > MOST_VALUES)
      return snprintf(why, whysize, "has more than %d values", MOST_VALUES), false;
  }
  return true;
}

json_t *safetensors_json(const char *text, size_t n, int64_t at, int deepest, char *why,
                         size_t whysize) {
  json_error_t e;
  if (!within_limits(text, n, deepest, why, whysize)) return NULL;
  json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
  if (!j) {
    for (char *c = e.text; *c; c++)
      if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f) *c = '?';
    snprintf(why, whysize, "is not JSON: line %d, column %d, offset %lld in the file: %s", e.line,
             e.column, (long long)at + e.position, e.text);
  }
  return j;
}

char *safetensors_slurp(const char *path, int64_t most, int64_t *n, char *why, size_t whysize) {
  struct stat st;
  const char *wrong = NULL;
  int fd = file_open(path, &wrong);
  if (fd < 0 || fstat(fd, &st)) {
    snprintf(why, whysize, "%s: %s", path, wrong ? wrong : strerror(errno));
    if (fd >= 0) close(fd);
    return NULL;
  }
  char *text = NULL;
  *n = st.st_size;
  if (st.st_size > most)
    snprintf(why, whysize, "%s: %lld bytes, more than the limit of %lld", path,
             (long long)st.st_size, (long long)most);
  else if (!(text = malloc((size_t)st.st_size + 1)))
    snprintf(why, whysize, "%s: out of memory", path);
  int64_t at = 0;
  while (text && at < *n) {
    ssize_t got = read(fd, text + at, (size_t)(*n - at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      snprintf(why, whysize, "%s: %s", path, got ? strerror(errno) : "it became shorter");
      free(text);
      text = NULL;
      break;
    }
    at += got;
  }
  if (text) text[at] = 0;
  close(fd);
  return text;
}

/* -------- reading -------- */

typedef struct reading {
  safetensors *f;
  char *why;
  size_t whysize;
} reading;

__attribute__((format(printf, 2, 3))) static bool refuse(const reading *r, const char *format,
                                                         ...) {
  va_list list;
  va_start(list, format);
  int n = snprintf(r->why, r->whysize, "%s: ", r->f->path);
  if (n >= 0 && (size_t)n < r->whysize) vsnprintf(r->why + n, r->whysize - (size_t)n, format, list);
  va_end(list);
  return false;
}

static bool whole_number(const json_t *j, int64_t *v) {
  if (!json_is_integer(j) || json_integer_value(j) < 0) return false;
  *v = json_integer_value(j);
  return true;
}

static bool read_shape(const reading *r, safetensors_entry *e, const json_t *shape) {
  if (!json_is_array(shape)) return refuse(r, "%s: its shape is not a list", e->name);
  size_t rank = json_array_size(shape);
  int64_t count = 1, n = 0;
  bool empty = false, over = false;
  for (size_t i = 0; i < rank; i++) {
    if (!whole_number(json_array_get(shape, i), &n))
      return refuse(r, "%s: its shape holds an invalid size", e->name);
    empty |= n == 0;
    over |= n && __builtin_mul_overflow(count, n, &count);
    if (i < DTRT_MAX_RANK) e->shape[i] = n;
  }
  e->rank = rank > DTRT_MAX_RANK ? DTRT_MAX_RANK : (int)rank;
  if (rank > DTRT_MAX_RANK) e->kind = -1;
  if (e->kind < 0) return true; /* of what is never read, only the place matters */
  over |= __builtin_mul_overflow(count, (int64_t)element_size(e->kind), &count);
  if (empty) count = 0;
  if (over && !empty)
    return refuse(r, "%s: its shape has more elements than fit in 64 bits", e->name);
  if (count != e->bytes)
    return refuse(r, "%s: its shape takes %lld byte%s of %s, its range has %lld", e->name,
                  (long long)count, PLURAL(count), e->dtype, (long long)e->bytes);
  return true;
}

static bool read_entry(const reading *r, safetensors_entry *e, const char *name, const json_t *j) {
  int64_t begin = 0, end = 0;
  if (!safetensors_plain(name)) return refuse(r, "a tensor's name holds control characters");
  if (!*name) return refuse(r, "a tensor has an empty name");
  if (!(e->name = strdup(name))) return refuse(r, "out of memory");
  const json_t *dtype = json_object_get(j, "dtype"), *place = json_object_get(j, "data_offsets");
  if (!json_is_string(dtype) || strlen(json_string_value(dtype)) >= sizeof e->dtype ||
      !safetensors_plain(json_string_value(dtype)))
    return refuse(r, "%s: it has no dtype", name);
  snprintf(e->dtype, sizeof e->dtype, "%s", json_string_value(dtype));
  e->kind = safetensors_kind(e->dtype);
  if (json_array_size(place) != 2 || !whole_number(json_array_get(place, 0), &begin) ||
      !whole_number(json_array_get(place, 1), &end))
    return refuse(r, "%s: it has no data_offsets of two integers", name);
  if (begin > end || end > r->f->size - r->f->data)
    return refuse(r, "%s: its range [%lld, %lld) is outside the %lld bytes of data", name,
                  (long long)begin, (long long)end, (long long)(r->f->size - r->f->data));
  e->at = r->f->data + begin;
  e->bytes = end - begin;
  return read_shape(r, e, json_object_get(j, "shape"));
}

static int by_place(const void *a, const void *b) {
  const safetensors_entry *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  return strcmp(x->name, y->name);
}

static bool check_places(const reading *r) {
  const safetensors *f = r->f;
  int64_t at = f->data;
  for (int i = 0; i < f->n; i++) {
    const safetensors_entry *e = &f->entry[i];
    if (e->at < at) return refuse(r, "%s overlaps %s", e->name, f->entry[i - 1].name);
    if (e->at > at)
      return refuse(r, "no tensor has the %lld byte%s before %s", (long long)(e->at - at),
                    PLURAL(e->at - at), e->name);
    at += e->bytes;
  }
  if (at == f->size) return true;
  return refuse(r, "no tensor has the last %lld byte%s", (long long)(f->size - at),
                PLURAL(f->size - at));
}

static bool hex32(const char *text, uint32_t *v) {
  char *end;
  if (strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8) return false;
  *v = (uint32_t)strtoul(text, &end, 16);
  return true;
}

static bool read_sums(const reading *r, const json_t *metadata) {
  for (int i = 0; metadata && i < r->f->n; i++) {
    safetensors_entry *e = &r->f->entry[i];
    size_t n = strlen(e->name) + 16;
    char *key = malloc(n);
    if (!key) return refuse(r, "out of memory");
    snprintf(key, n, "crc32:%s", e->name);
    const json_t *sum = json_object_get(metadata, key);
    free(key);
    if (!sum) continue;
    if (!json_is_string(sum) || !hex32(json_string_value(sum), &e->crc))
      return refuse(r, "%s: its checksum is not a hexadecimal number", e->name);
    e->summed = true;
  }
  return true;
}

static bool read_entries(const reading *r, json_t *header) {
  safetensors *f = r->f;
  const char *name;
  json_t *j, *metadata = NULL;
  if (!json_is_object(header)) return refuse(r, "its header is not an object");
  f->entry = calloc(json_object_size(header) + 1, sizeof *f->entry);
  if (!f->entry) return refuse(r, "out of memory");
  json_object_foreach(header, name, j) {
    if (!strcmp(name, "__metadata__")) {
      const char *key;
      json_t *v;
      if (!json_is_object(metadata = j)) return refuse(r, "__metadata__ is not an object");
      json_object_foreach(j, key, v) if (!json_is_string(v)) return refuse(
          r, "__metadata__ holds a value that is not text");
      continue;
    }
    if (!json_is_object(j)) return refuse(r, "an entry of its header is not an object");
    if (!read_entry(r, &f->entry[f->n++], name, j)) return false;
  }
  f->part = json_object_get(metadata, "dtg") != NULL;
  qsort(f->entry, (size_t)f->n, sizeof *f->entry, by_place);
  return check_places(r) && read_sums(r, metadata);
}

static bool read_header(const reading *r, int fd) {
  safetensors *f = r->f;
  unsigned char head[8];
  uint64_t length = 0;
  if (f->size < 8 || pread(fd, head, 8, 0) != 8)
    return refuse(r, "not a safetensors file: %lld byte%s", (long long)f->size, PLURAL(f->size));
  for (int i = 0; i < 8; i++) length |= (uint64_t)head[i] << (8 * i);
  if (length > MOST_HEADER || (int64_t)length > f->size - 8) {
    const char *other = formats_text(head, sizeof head);
    if (*other) return refuse(r, "not a safetensors file%s", other);
    return refuse(
        r, "not a safetensors file, or cut off: its header would have %llu bytes, it has %lld",
        (unsigned long long)length, (long long)f->size);
  }
  f->data = 8 + (int64_t)length;
  char *text = malloc(length + 8), why[256];
  if (!text) return refuse(r, "out of memory");
  memcpy(text, head, 8);
  bool good = pread(fd, text + 8, length, 8) == (ssize_t)length;
  if (!good) refuse(r, "its header cannot be read: %s", strerror(errno));
  json_t *header = NULL;
  if (good) {
    f->header_crc = (uint32_t)crc32_z(0, (unsigned char *)text, length + 8);
    header = safetensors_json(text + 8, length, 8, DEEPEST, why, sizeof why);
    good = header ? true : refuse(r, "its header %s", why);
  }
  free(text);
  good = good && read_entries(r, header);
  json_decref(header);
  return good;
}

bool safetensors_open(safetensors *f, const char *path, char *why, size_t whysize) {
  struct stat st;
  *f = (safetensors){.path = strdup(path)};
  reading r = {f, why, whysize};
  if (!f->path) return snprintf(why, whysize, "%s: out of memory", path), false;
  const char *wrong = NULL;
  int fd = file_open(path, &wrong);
  bool good = fd >= 0 && !fstat(fd, &st);
  if (!good) {
    refuse(&r, "%s", wrong ? wrong : strerror(errno));
  } else {
    f->size = st.st_size;
    good = read_header(&r, fd);
  }
  if (fd >= 0) close(fd);
  if (!good) safetensors_free(f);
  return good;
}

safetensors_entry *safetensors_add(safetensors *f, const char *name) {
  if ((f->n & (f->n - 1)) == 0) { /* a power of two: full */
    const size_t room = f->n ? 2 * (size_t)f->n : 1;
    safetensors_entry *more = realloc(f->entry, room * sizeof *more);
    if (!more) return NULL;
    f->entry = more;
  }
  char *copy = strdup(name);
  if (!copy) return NULL;
  f->entry[f->n] = (safetensors_entry){.name = copy};
  return &f->entry[f->n++];
}

void safetensors_free(safetensors *f) {
  for (int i = 0; f->entry && i < f->n; i++) free(f->entry[i].name);
  free(f->entry);
  free(f->path);
  *f = (safetensors){0};
}

/* -------- writing -------- */

static json_t *sums_of(const safetensors_entry *entry, int n, const json_t *metadata) {
  json_t *all = metadata ? json_copy((json_t *)(uintptr_t)metadata) : json_object();
  for (int i = 0; all && i < n; i++) {
    if (!entry[i].summed) continue;
    size_t room = strlen(entry[i].name) + 16;
    char *key = malloc(room), hex[16];
    if (key) snprintf(key, room, "crc32:%s", entry[i].name);
    snprintf(hex, sizeof hex, "%08x", entry[i].crc);
    bool bad = !key || json_object_set_new(all, key, json_string(hex));
    free(key);
    if (!bad) continue;
    json_decref(all);
    return NULL;
  }
  return all;
}

/* The header is padded with blanks, so that what follows is aligned as its elements need. */
static char *header_bytes(const json_t *header, int64_t *length) {
  size_t n = json_dumpb(header, NULL, 0, JSON_COMPACT);
  size_t padded = (n + ALIGN - 1) / ALIGN * ALIGN;
  char *bytes = malloc(8 + padded + 1);
  if (!n || !bytes) {
    free(bytes);
    return NULL;
  }
  for (int i = 0; i < 8; i++) bytes[i] = (char)(padded >> (8 * i));
  memset(bytes + 8, ' ', padded);
  json_dumpb(header, bytes + 8, n, JSON_COMPACT);
  *length = (int64_t)(8 + padded);
  return bytes;
}

char *safetensors_header(safetensors_entry *entry, int n, const json_t *metadata, int64_t *length) {
  json_t *header = json_object();
  int64_t at = 0;
  bool bad = !header || json_object_set_new(header, "__metadata__", sums_of(entry, n, metadata));
  for (int i = 0; i < n && !bad; i++) {
    safetensors_entry *e = &entry[i];
    json_t *shape = json_array();
    for (int d = 0; d < e->rank; d++)
      bad |= json_array_append_new(shape, json_integer(e->shape[d]));
    bad |= json_object_set_new(header, e->name,
                               json_pack("{s:s, s:o, s:[I, I]}", "dtype",
                                         safetensors_dtype(e->kind), "shape", shape, "data_offsets",
                                         (json_int_t)at, (json_int_t)(at + e->bytes)));
    e->at = at;
    at += e->bytes;
  }
  char *bytes = bad ? NULL : header_bytes(header, length);
  json_decref(header);
  for (int i = 0; bytes && i < n; i++) entry[i].at += *length;
  return bytes;
}
