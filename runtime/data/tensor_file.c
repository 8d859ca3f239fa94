/* tensor_file.c: opening files of any format, and writing them. See tensor_file.h. */
#include "plural.h"
#include "tensor_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "decoded.h"
#include "file_spec.h"
#include "files.h"
#include "formats.h"
#include "zip.h"

/* In place of the file's Fortran order. */
static bool to_c_order(tensor_file *f, gz_stream *s) {
  size_t size = element_size(f->kind);
  char *out = malloc((size_t)f->bytes + 1);
  if (!out) return gz_fail(s, "out of memory for %lld bytes", (long long)f->bytes);
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
static bool take_elements(tensor_file *f, gz_stream *s, int64_t most) {
  if (!tensor_file_size(f, s)) return false;
  if (f->rank < 2) f->fortran = false;
  if (!s->seekable || f->fortran) {
    if (f->bytes / (int64_t)element_size(f->kind) > most)
      return true; /* to be rejected by its shape */
    f->memory = gz_take_rest(s, f->bytes);
    return f->memory && (!f->fortran || to_c_order(f, s));
  }
  f->offset = s->base + s->at;
  if (s->size - s->at != f->bytes) {
    char type[256];
    tensor_file_type_text(f->kind, f->rank, f->shape, type, sizeof type);
    return gz_fail(s,
                   "%s: its header says %s, expected %lld byte%s of data from offset %lld, found "
                   "%lld",
                   s->size - s->at < f->bytes ? "the file is cut off" : "the file is too long",
                   type, (long long)f->bytes, PLURAL(f->bytes), (long long)s->at,
                   (long long)(s->size - s->at));
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

/* How many of the first bytes are text. */
static int text_bytes(const gz_stream *s) {
  int n = 0;
  for (; n < s->nhead; n++) {
    unsigned char c = s->head[n];
    if (c < ' ' && c != '\t' && c != '\n' && c != '\r') break;
  }
  return n;
}

static bool is_text(const gz_stream *s) { return text_bytes(s) == s->nhead; }

static bool unknown(gz_stream *s) {
  const unsigned char *h = s->head;
  const char *other = formats_text(h, (size_t)s->nhead);
  const int text = text_bytes(s);
  char found[32] = "";
  for (int i = 0; i < s->nhead && i < 6; i++)
    snprintf(found + 3 * i, sizeof found - 3 * (size_t)i, " %02x", h[i]);
  if (ends_in(s->name, ".npy"))
    return gz_fail(s, "expected an .npy file (93 4e 55 4d 50 59), found%s", found);
  if (s->nhead >= 4 && !h[2] && !h[3] && h[1] >= 8 && h[1] <= 14 && h[0] <= DTRT_MAX_RANK)
    return gz_fail(s, "IDX in the wrong byte order: expected 00 00 %02x %02x, found%s", h[1], h[0],
                   found);
  if (strstr(s->name, "idx") || strstr(s->name, "ubyte"))
    return gz_fail(s, "expected an IDX file (00 00, a type 08 to 0e, the dims), found%s", found);
  if (!*other && text >= 6) /* a CSV, but for that byte */
    return gz_fail(s, "expected text (CSV), found the byte %02x at offset %d", h[text], text);
  return gz_fail(s,
                 "expected .npy, .npz, IDX or CSV (or raw records, as in FILE:u8[3073]), found%s%s",
                 found, other);
}

static bool open_member(tensor_file *f, gz_stream *s, const file_spec *of, int64_t most) {
  if (!npz_enter(f, s, of->member ? of->member : of->columns)) return false;
  if (!npy_is(s)) return gz_fail(s, "expected an .npy array in the archive");
  return npy_read_header(f, s) && take_elements(f, s, most);
}

static bool open_stream(tensor_file *f, gz_stream *s, int dtype, const file_spec *of,
                        const tensor_file_most *most) {
  if (zip_is(s) && !of->record) return open_member(f, s, of, most->elements);
  if (of->member)
    return gz_fail(s,
                   "':%s' after the name selects a member of an .npz archive; this file is not one",
                   of->member);
  if (of->record) return raw_read_header(f, s, of->record, of->columns, most->rows);
  bool npy = npy_is(s), idx = idx_is(s);
  if ((npy || idx) && of->columns)
    return gz_fail(s, "columns ':%s' are for CSV and raw records, found %s", of->columns,
                   npy ? ".npy" : "IDX");
  if (npy) return npy_read_header(f, s) && take_elements(f, s, most->elements);
  if (idx) return idx_read_header(f, s) && take_elements(f, s, most->elements);
  if (!is_text(s) || ends_in(s->name, ".npy")) return unknown(s);
  return csv_read(f, s, dtype, of->columns, most->rows) && tensor_file_size(f, s);
}

static element_text open_number(tensor_file *f, const char *text, int dtype) {
  f->memory = malloc(element_size(dtype));
  f->format = "number";
  f->kind = dtype;
  f->bytes = (int64_t)element_size(dtype);
  return f->memory ? element_parse(text, dtype, f->memory) : ELEMENT_NOT_A_NUMBER;
}

/* NULL after *why, or without memory, which is there before. */
static tensor_file *new_file(const char *name, char *why, size_t whysize) {
  const size_t n = strlen(name);
  if (n >= TENSOR_FILE_NAME) {
    snprintf(why, whysize, "%.100s...: the name is too long: %zu bytes, at most %d", name, n,
             TENSOR_FILE_NAME - 1);
    return NULL;
  }
  tensor_file *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->from_disk = calloc(1, sizeof *f->from_disk);
  if (!f->from_disk) return free(f), NULL;
  f->fd = -1;
  f->output.fd = f->decoded.fd = -1;
  memcpy(f->name, name, n + 1);
  return f;
}

typedef struct tensor_opening {
  const spool_job *job; /* or NULL */
  const file_spec *of;
  int dtype;
  const tensor_file_most *most;
} tensor_opening;

/* What cannot be read in place. Fortran order apart, which only the header has. */
static bool is_decoded(const gz_stream *s, const file_spec *of) {
  if (s->packed) return true;
  return !of->record && (zip_is(s) || (!npy_is(s) && !idx_is(s) && is_text(s)));
}

/* Decoded by one rank of the host, mapped by the others. Without room for it in TMPDIR each decodes
 * for itself. */
static bool open_shared(tensor_file *f, gz_stream *s, const tensor_opening *o) {
  const file_spec *of = o->of;
  struct stat st;
  char *key = NULL, why[256];
  bool good = false;
  if (fstat(s->fd, &st) ||
      asprintf(&key, "decoded %llu %llu %lld %lld.%09ld %d %lld %lld '%s' '%s' '%s'",
               (unsigned long long)st.st_dev, (unsigned long long)st.st_ino, (long long)st.st_size,
               (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, o->dtype, (long long)o->most->rows,
               (long long)o->most->elements, of->record ? of->record : "",
               of->columns ? of->columns : "", of->member ? of->member : "") < 0)
    return open_stream(f, s, o->dtype, of, o->most);
  spool_state state = spool_open(&f->decoded, o->job, key, why, sizeof why);
  free(key);
  if (state == SPOOL_FULL && decoded_get(f, &f->decoded)) return true;
  good = open_stream(f, s, o->dtype, of, o->most);
  bool put = state == SPOOL_EMPTY && good && f->memory && decoded_put(f, &f->decoded);
  if (!put || !spool_filled(&f->decoded)) spool_close(&f->decoded);
  return good;
}

/* The command of "|command" has run, once a host, and its output is open in `s`. */
static bool run_command(tensor_file *f, gz_stream *s, const tensor_opening *o, char *why,
                        size_t whysize) {
  char *key = NULL, failed[512];
  if (asprintf(&key, "command %s", f->name) < 0) return false;
  spool_state state = spool_open(&f->output, o->job, key, failed, sizeof failed);
  free(key);
  if (state == SPOOL_FAILED) {
    snprintf(why, whysize, "%.300s: %s", f->name, failed);
    return false;
  }
  if (state == SPOOL_EMPTY) {
    bool good = spool_command(&f->output, f->name + 1, why, whysize);
    if (!good || !spool_filled(&f->output)) return spool_close(&f->output), false;
  }
  return gz_open_fd(s, f->name, fcntl(f->output.fd, F_DUPFD_CLOEXEC, 0), why, whysize);
}

static tensor_file *open_one(const char *name, const tensor_opening *o, char *why, size_t whysize) {
  gz_stream s;
  tensor_file *f = new_file(name, why, whysize);
  bool good = f && (o->of->command ? run_command(f, &s, o, why, whysize)
                                   : gz_open(&s, f->name, why, whysize));
  if (good) {
    bool shared = o->job && o->job->shared && is_decoded(&s, o->of);
    good = shared ? open_shared(f, &s, o) : open_stream(f, &s, o->dtype, o->of, o->most);
    gz_close(&s);
  }
  if (good && !element_allowed(f->kind, o->dtype)) {
    const char *want = element_name(o->dtype), *found = element_name(f->kind);
    snprintf(why, whysize,
             "%s: expected %s or a type that converts to it exactly, found %s (%s): save it as %s, "
             "or let the input be %s and cast it, as in %s(x)",
             f->name, want, found, f->format, want, found, want);
    good = false;
  }
  if (good) return f;
  tensor_file_close(f);
  return NULL;
}

/* A part must match the first in all but the number of rows, which add up. */
static bool joins(tensor_file *f, const tensor_file *part, char *why, size_t whysize) {
  const tensor_file *first = f->part[0];
  bool same = part->kind == first->kind && part->rank == first->rank && part->rank > 0;
  for (int d = 1; same && d < part->rank; d++) same = part->shape[d] == first->shape[d];
  if (same) same = !__builtin_add_overflow(f->shape[0], part->shape[0], &f->shape[0]);
  if (same) same = !__builtin_add_overflow(f->bytes, part->bytes, &f->bytes);
  if (same) return true;
  char a[256], b[256];
  tensor_file_type_text(first->kind, first->rank, first->shape, a, sizeof a);
  tensor_file_type_text(part->kind, part->rank, part->shape, b, sizeof b);
  snprintf(why, whysize, "%s: %s does not follow %s of %s along the first dim", part->name, b, a,
           first->name);
  return false;
}

static tensor_file *open_several(const tensor_opening *o, char *why, size_t whysize) {
  const file_spec *of = o->of;
  tensor_file *f = new_file(of->path, why, whysize);
  if (f) f->part = calloc((size_t)of->nfiles, sizeof *f->part);
  if (f) f->part_at = calloc((size_t)of->nfiles + 1, sizeof *f->part_at);
  bool good = f && f->part && f->part_at;
  for (int i = 0; good && i < of->nfiles; i++) {
    tensor_file *part = open_one(of->file[i], o, why, whysize);
    if (!part) good = false;
    if (!good) break;
    f->part[f->nparts++] = part;
    if (i == 0) {
      f->format = part->format;
      f->kind = part->kind;
      f->rank = part->rank;
      memcpy(f->shape, part->shape, sizeof f->shape);
      f->shape[0] = 0;
    }
    good = joins(f, part, why, whysize);
    f->part_at[i + 1] = f->bytes / (int64_t)element_size(f->kind);
    if (!*f->note) memcpy(f->note, part->note, sizeof f->note);
  }
  if (good) return f;
  tensor_file_close(f);
  return NULL;
}

static tensor_file *open_scalar(const char *text, int dtype, char *why, size_t whysize) {
  tensor_file *f = new_file(text, why, whysize);
  const element_text got = f ? open_number(f, text, dtype) : ELEMENT_NOT_A_NUMBER;
  if (got == ELEMENT_FITS) return f;
  if (f && f->memory)
    snprintf(why, whysize, "%s is not a value of %s (%s)", text, element_name(dtype),
             got == ELEMENT_FRACTION ? "integers" : element_range(dtype));
  tensor_file_close(f);
  return NULL;
}

tensor_file *tensor_file_open_in(const spool_job *job, const char *spec, int dtype, bool scalar,
                                 const tensor_file_most *most, char *why, size_t whysize) {
  static const tensor_file_most all = {INT64_MAX, INT64_MAX};
  file_spec of;
  tensor_opening o = {job, &of, dtype, most ? most : &all};
  tensor_file *f = NULL;
  snprintf(why, whysize, "%.200s: out of memory", spec);
  if (scalar && element_is_number(spec, dtype)) return open_scalar(spec, dtype, why, whysize);
  if (file_spec_read(&of, spec, job != NULL, why, whysize))
    f = of.nfiles == 1 ? open_one(of.file[0], &o, why, whysize) : open_several(&o, why, whysize);
  file_spec_free(&of);
  return f;
}

tensor_file *tensor_file_open(const char *spec, int dtype, bool scalar,
                              const tensor_file_most *most, char *why, size_t whysize) {
  return tensor_file_open_in(NULL, spec, dtype, scalar, most, why, whysize);
}

tensor_file *tensor_file_over(const char *name, int dtype, int rank, const int64_t *shape,
                              const void *data, char *why, size_t whysize) {
  tensor_file *f = new_file(name, why, whysize);
  if (!f) return NULL;
  f->format = "array";
  f->kind = dtype;
  f->rank = rank;
  f->bytes = (int64_t)element_size(dtype);
  for (int d = 0; d < rank; d++) f->bytes *= f->shape[d] = shape[d];
  f->memory = (char *)(uintptr_t)data;
  f->borrowed = true;
  return f;
}

tensor_file *tensor_file_share(tensor_file *f) {
  f->users++;
  return f;
}

int64_t tensor_file_from_disk(const tensor_file *f) {
  int64_t n = atomic_load(f->from_disk);
  for (int i = 0; i < f->nparts; i++) n += tensor_file_from_disk(f->part[i]);
  return n;
}

void tensor_file_close(tensor_file *f) {
  if (!f || f->users-- > 0) return;
  for (int i = 0; i < f->nparts; i++) tensor_file_close(f->part[i]);
  if (f->fd >= 0) close(f->fd);
  free(f->part);
  free(f->part_at);
  free(f->from_disk);
  free(f->take.range);
  if (f->map)
    munmap(f->map, (size_t)f->mapped);
  else if (!f->borrowed)
    free(f->memory);
  spool_close(&f->decoded);
  spool_close(&f->output);
  free(f);
}

bool tensor_file_replace(const char *path, const void *a, size_t na, const void *b, size_t nb,
                         char *why, size_t whysize) {
  int error = file_replace(path, a, na, b, nb);
  if (error) snprintf(why, whysize, "%s: cannot write: %s", path, strerror(error));
  return !error;
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
