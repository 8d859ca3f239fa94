/* tensor_file.c: opening a file of any format, and reading boxes of it. See tensor_file.h.
 *
 * A box is read as its longest contiguous runs: pread from the file or copied from memory, in
 * pieces when the elements must be converted. No state changes while reading, so threads need no
 * lock. */
#include "tensor_file.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tensor_file_fail(gz_stream *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = snprintf(s->why, s->whysize, "%s: ", s->name);
  if (n >= 0 && (size_t)n < s->whysize) vsnprintf(s->why + n, s->whysize - (size_t)n, format, list);
  va_end(list);
  return false;
}

void tensor_file_type_text(int kind, int rank, const int64_t *shape, char *text, size_t size) {
  int n = snprintf(text, size, "%s[", element_name(kind));
  for (int d = 0; d < rank && n > 0 && (size_t)n < size; d++)
    n += snprintf(text + n, size - (size_t)n, "%s%lld", d ? ", " : "", (long long)shape[d]);
  if (n > 0 && (size_t)n < size) snprintf(text + n, size - (size_t)n, "]");
}

bool tensor_file_size(tensor_file *f, gz_stream *s) {
  int64_t n = (int64_t)element_size(f->kind);
  bool over = false, empty = false;
  for (int d = 0; d < f->rank; d++) {
    empty |= f->shape[d] == 0;
    if (f->shape[d] && __builtin_mul_overflow(n, f->shape[d], &n)) over = true;
  }
  if (over) return tensor_file_fail(s, "the header tells of more elements than 64 bits can count");
  f->bytes = empty ? 0 : n;
  return true;
}

/* In place of the file's Fortran order. */
static bool to_c_order(tensor_file *f, gz_stream *s) {
  size_t size = element_size(f->kind);
  char *out = malloc((size_t)f->bytes + 1);
  if (!out) return tensor_file_fail(s, "out of memory for %lld bytes", (long long)f->bytes);
  int64_t at[DTRT_MAX_RANK] = {0}, stride[DTRT_MAX_RANK], n = f->bytes / (int64_t)size, from = 0;
  for (int64_t d = 0, step = 1; d < f->rank; d++) {
    stride[d] = step;
    step *= f->shape[d];
  }
  for (int64_t i = 0; i < n; i++) { /* i counts in C order, `from` follows in Fortran order */
    memcpy(out + i * (int64_t)size, f->memory + from * (int64_t)size, size);
    for (int d = f->rank - 1; d >= 0; d--) {
      from += stride[d];
      if (++at[d] < f->shape[d]) break;
      from -= stride[d] * f->shape[d];
      at[d] = 0;
    }
  }
  free(f->memory);
  f->memory = out;
  f->fortran = false;
  return true;
}

/* Where the elements are, once the header is read: left in a plain file, else decoded. */
static bool take_elements(tensor_file *f, gz_stream *s) {
  if (!tensor_file_size(f, s)) return false;
  if (f->rank < 2) f->fortran = false;
  if (!s->seekable || f->fortran) {
    f->memory = gz_take_rest(s, f->bytes);
    return f->memory && (!f->fortran || to_c_order(f, s));
  }
  f->offset = s->at;
  if (s->size - s->at != f->bytes) {
    char type[256];
    tensor_file_type_text(f->kind, f->rank, f->shape, type, sizeof type);
    return tensor_file_fail(s, "%s: its header says %s, expected %lld bytes of data, found %lld",
                            s->size - s->at < f->bytes ? "the file is cut off"
                                                       : "the file is too long",
                            type, (long long)f->bytes, (long long)(s->size - s->at));
  }
  f->fd = s->fd;
  s->fd = -1;
  return true;
}

static bool ends_in(const char *name, const char *suffix) {
  size_t n = strlen(name), k = strlen(suffix);
  if (n > 3 && !strcmp(name + n - 3, ".gz")) n -= 3;
  return n >= k && !strncmp(name + n - k, suffix, k);
}

static bool is_text(const gz_stream *s) {
  for (int i = 0; i < s->nhead; i++) {
    unsigned char c = s->head[i];
    if (c < ' ' && c != '\t' && c != '\n' && c != '\r') return false;
  }
  return true;
}

static bool unknown(gz_stream *s) {
  const unsigned char *h = s->head;
  char found[32] = "";
  for (int i = 0; i < s->nhead && i < 6; i++)
    snprintf(found + 3 * i, sizeof found - 3 * (size_t)i, " %02x", h[i]);
  if (ends_in(s->name, ".npy"))
    return tensor_file_fail(s, "expected an .npy file (93 4e 55 4d 50 59), found%s", found);
  if (s->nhead >= 4 && !h[2] && !h[3] && h[1] >= 8 && h[1] <= 14 && h[0] <= DTRT_MAX_RANK)
    return tensor_file_fail(s, "IDX in the wrong byte order: expected 00 00 %02x %02x, found%s",
                            h[1], h[0], found);
  if (strstr(s->name, "idx") || strstr(s->name, "ubyte"))
    return tensor_file_fail(s, "expected an IDX file (00 00, a type 08 to 0e, the dims), found%s",
                            found);
  const char *is = !memcmp(h, "PK\3\4", 4) ? ", a zip archive (unpack an .npz first)"
                   : !memcmp(h,
                             "\xfd"
                             "7zXZ",
                             5)
                       ? ", xz data (only gzip is read; unpack it)"
                   : !memcmp(h, "\x28\xb5\x2f\xfd", 4)
                       ? ", zstd data (only gzip is read; unpack it)"
                   : !memcmp(h, "BZh", 3) ? ", bzip2 data (only gzip is read; unpack it)"
                                          : "";
  return tensor_file_fail(s, "expected .npy, IDX or CSV, found%s%s", found, is);
}

static bool open_stream(tensor_file *f, gz_stream *s, int dtype, const char *columns) {
  bool npy = npy_is(s), idx = idx_is(s);
  if ((npy || idx) && columns)
    return tensor_file_fail(s, "columns ':%s' are for CSV, found %s", columns,
                            npy ? ".npy" : "IDX");
  if (npy) return npy_read_header(f, s) && take_elements(f, s);
  if (idx) return idx_read_header(f, s) && take_elements(f, s);
  if (!is_text(s) || ends_in(s->name, ".npy")) return unknown(s);
  return csv_read(f, s, dtype, columns) && tensor_file_size(f, s);
}

static bool open_number(tensor_file *f, const char *text, int dtype) {
  f->memory = malloc(8);
  f->format = "number";
  f->kind = dtype;
  f->bytes = (int64_t)element_size(dtype);
  return f->memory && element_parse(text, dtype, f->memory) == ELEMENT_FITS;
}

/* Cuts ":0-63" off a path, unless the path with it is a file's own name. */
static bool cut_columns(char *path, const char **columns, char *why, size_t whysize) {
  char *colon = strrchr(path, ':');
  *columns = NULL;
  if (!colon || colon == path || strchr(colon, '/') || access(path, F_OK) == 0) return true;
  bool good = csv_columns_ok(colon + 1);
  *colon = '\0';
  if (good) {
    *columns = colon + 1;
  } else if (access(path, F_OK) == 0) {
    snprintf(why, whysize, "%s: columns ':%s'; expected something like :0-63 or :0-3,7", path,
             colon + 1);
    return false;
  } else {
    *colon = ':'; /* no such file either way: say it with the name as given */
  }
  return true;
}

tensor_file *tensor_file_open(const char *spec, int dtype, bool scalar, char *why, size_t whysize) {
  tensor_file *f = calloc(1, sizeof *f);
  snprintf(why, whysize, "%.200s: out of memory", spec);
  if (!f) return NULL;
  f->fd = -1;
  snprintf(f->name, sizeof f->name, "%s", spec);
  if (scalar && element_is_number(spec)) {
    if (open_number(f, spec, dtype)) return f;
    if (f->memory)
      snprintf(why, whysize, "%s is not a value of %s (%s)", spec, element_name(dtype),
               element_range(dtype));
    tensor_file_close(f);
    return NULL;
  }
  const char *columns;
  gz_stream s;
  bool good = cut_columns(f->name, &columns, why, whysize);
  good = good && gz_open(&s, f->name, why, whysize);
  if (good) {
    good = open_stream(f, &s, dtype, columns);
    gz_close(&s);
  }
  if (good && !element_allowed(f->kind, dtype)) {
    snprintf(why, whysize, "%s: expected %s or what fits in it exactly, found %s (%s)", f->name,
             element_name(dtype), element_name(f->kind), f->format);
    good = false;
  }
  if (good) return f;
  tensor_file_close(f);
  return NULL;
}

void tensor_file_close(tensor_file *f) {
  if (!f) return;
  if (f->fd >= 0) close(f->fd);
  free(f->memory);
  free(f);
}

static bool read_bytes(const tensor_file *f, int64_t at, int64_t n, void *to, char *why,
                       size_t whysize) {
  if (f->fd < 0) {
    memcpy(to, f->memory + at, (size_t)n);
    return true;
  }
  for (int64_t done = 0; done < n;) {
    int64_t want = n - done < 1 << 30 ? n - done : 1 << 30;
    ssize_t got = pread(f->fd, (char *)to + done, (size_t)want, f->offset + at + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      snprintf(why, whysize, "%s: %s", f->name,
               got < 0 ? strerror(errno) : "the file became shorter while it was read");
      return false;
    }
    done += got;
  }
  return true;
}

/* n elements from element `at`, converted. */
static bool read_run(const tensor_file *f, int64_t at, int64_t n, int dtype, char *to, char *why,
                     size_t whysize) {
  int64_t size = (int64_t)element_size(f->kind), out = (int64_t)element_size(dtype);
  if (f->kind == dtype && !f->swap && dtype != ELEMENT_BOOL)
    return read_bytes(f, at * size, n * size, to, why, whysize);
  char piece[16384], value[64];
  int64_t room = (int64_t)sizeof piece / size;
  for (int64_t i = 0; i < n; i += room) {
    int64_t k = n - i < room ? n - i : room;
    if (!read_bytes(f, (at + i) * size, k * size, piece, why, whysize)) return false;
    int64_t bad = element_convert(f->kind, f->swap, piece, k, dtype, to + i * out);
    if (bad == k) continue;
    element_print(f->kind, f->swap, piece + bad * size, value, sizeof value);
    /* What a bool of the file does not fit is bool itself. */
    int narrow = f->kind == ELEMENT_BOOL ? ELEMENT_BOOL : dtype;
    snprintf(why, whysize, "%s: element %lld is %s, which does not fit %s (%s)", f->name,
             (long long)(at + i + bad), value, element_name(narrow), element_range(narrow));
    return false;
  }
  return true;
}

bool tensor_file_read(const tensor_file *f, int rank, const int64_t *shape, const int64_t *lo,
                      const int64_t *hi, int dtype, void *to, char *why, size_t whysize) {
  int64_t stride[DTRT_MAX_RANK], at[DTRT_MAX_RANK], run = 1;
  for (int64_t d = rank - 1, step = 1; d >= 0; d--) {
    if (lo[d] >= hi[d]) return true;
    stride[d] = step;
    step *= shape[d];
    at[d] = lo[d];
  }
  int outer = rank; /* dims below `outer` are walked, the others are one run */
  while (outer > 0) {
    outer--;
    run *= hi[outer] - lo[outer];
    if (lo[outer] > 0 || hi[outer] < shape[outer]) break;
  }
  char *p = to;
  for (;;) {
    int64_t from = 0;
    for (int d = 0; d < rank; d++) from += at[d] * stride[d];
    if (!read_run(f, from, run, dtype, p, why, whysize)) return false;
    p += run * (int64_t)element_size(dtype);
    int d = outer - 1;
    for (; d >= 0 && ++at[d] == hi[d]; d--) at[d] = lo[d];
    if (d < 0) return true;
  }
}

bool tensor_file_replace(const char *path, const void *a, size_t na, const void *b, size_t nb,
                         char *why, size_t whysize) {
  char aside[TENSOR_FILE_NAME + 32];
  if (snprintf(aside, sizeof aside, "%s.%ld.tmp", path, (long)getpid()) >= TENSOR_FILE_NAME) {
    snprintf(why, whysize, "%.100s...: the name is too long", path);
    return false;
  }
  FILE *out = fopen(aside, "wb");
  bool good = out != NULL;
  good = good && fwrite(a, 1, na, out) == na && (!nb || fwrite(b, 1, nb, out) == nb);
  int error = errno;
  if (out && fclose(out) && good) {
    error = errno;
    good = false;
  }
  if (good && rename(aside, path)) {
    error = errno;
    good = false;
  }
  if (good) return true;
  if (out) unlink(aside);
  snprintf(why, whysize, "%s: cannot write: %s", path, strerror(error));
  return false;
}

bool tensor_file_write(const char *path, int dtype, int rank, const int64_t *shape,
                       const void *data, char *why, size_t whysize) {
  char header[1024];
  int n = npy_header(dtype, rank, shape, header, sizeof header);
  if (n < 0) {
    snprintf(why, whysize, "%s: .npy has no %s; cast the output in the program, as in f32(x)", path,
             element_name(dtype));
    return false;
  }
  size_t bytes = element_size(dtype);
  for (int d = 0; d < rank; d++) bytes *= (size_t)shape[d];
  return tensor_file_replace(path, header, (size_t)n, data, bytes, why, whysize);
}
