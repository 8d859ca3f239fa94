/* tensor_read.c: reads boxes from files. See tensor_file.h.
 *
 * A box is read as its longest contiguous runs: pread from the file or copied from memory, in
 * pieces if the elements must be converted. Short runs close to each other (a block of an image
 * split in height and width) are read through a window of the file that one pread fills. All
 * mutable state is on the stack, so threads need no lock. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tensor_file.h"

enum { WINDOW = 16384, NEAR = 4096 };

typedef struct reader {
  int dtype;
  char *why;
  size_t whysize;
  int64_t room;          /* bytes the window may take at once; 0: runs are far apart */
  const tensor_file *in; /* what the window shows: bytes [at, at + n) */
  int64_t at, n;
  char window[WINDOW];
} reader;

static bool read_disk(reader *r, const tensor_file *f, int64_t at, int64_t n, void *to) {
  for (int64_t done = 0; done < n;) {
    int64_t want = n - done < 1 << 30 ? n - done : 1 << 30;
    ssize_t got = pread(f->fd, (char *)to + done, (size_t)want, f->offset + at + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      snprintf(r->why, r->whysize, "%s: %s", f->name,
               got < 0 ? strerror(errno) : "the file became shorter while it was read");
      return false;
    }
    done += got;
  }
  atomic_fetch_add_explicit(f->from_disk, n, memory_order_relaxed);
  return true;
}

static bool read_bytes(reader *r, const tensor_file *f, int64_t at, int64_t n, void *to) {
  if (f->fd < 0) {
    memcpy(to, f->memory + at, (size_t)n);
    return true;
  }
  if (2 * n > r->room) return read_disk(r, f, at, n, to);
  if (r->in != f || at < r->at || at + n > r->at + r->n) {
    int64_t left = (f->width ? f->extent : f->bytes) - at;
    r->in = NULL;
    r->at = at;
    r->n = left < r->room ? left : r->room;
    if (!read_disk(r, f, at, r->n, r->window)) return false;
    r->in = f;
  }
  memcpy(to, r->window + (at - r->at), (size_t)n);
  return true;
}

/* n elements from element `at` of the file, converted. */
static bool read_run(reader *r, const tensor_file *f, int64_t at, int64_t n, char *to) {
  int64_t size = (int64_t)element_size(f->kind), out = (int64_t)element_size(r->dtype);
  if (f->kind == r->dtype && !f->swap && r->dtype != ELEMENT_BOOL)
    return read_bytes(r, f, at * size, n * size, to);
  char piece[16384], value[64];
  int64_t room = (int64_t)sizeof piece / size;
  for (int64_t i = 0; i < n; i += room) {
    int64_t k = n - i < room ? n - i : room;
    if (!read_bytes(r, f, (at + i) * size, k * size, piece)) return false;
    int64_t bad = element_convert(f->kind, f->swap, piece, k, r->dtype, to + i * out);
    if (bad == k) continue;
    element_print(f->kind, f->swap, piece + bad * size, value, sizeof value);
    /* What a bool of the file does not fit is bool itself. */
    int narrow = f->kind == ELEMENT_BOOL ? ELEMENT_BOOL : r->dtype;
    snprintf(r->why, r->whysize, "%s: element %lld is %s, which does not fit %s (%s)", f->name,
             (long long)(at + i + bad), value, element_name(narrow), element_range(narrow));
    return false;
  }
  return true;
}

/* n elements from element `at` of the chosen columns. */
static bool read_columns(reader *r, const tensor_file *f, int64_t at, int64_t n, char *to) {
  int64_t out = (int64_t)element_size(r->dtype);
  while (n > 0) {
    int64_t record = at / f->take.count, column = at % f->take.count;
    const column_range *g = f->take.range;
    for (; column > g->last - g->first; g++) column -= g->last - g->first + 1;
    int64_t k = g->last - g->first + 1 - column;
    if (k > n) k = n;
    if (!read_run(r, f, record * f->pitch + g->first + column, k, to)) return false;
    at += k;
    n -= k;
    to += k * out;
  }
  return true;
}

static bool read_file(reader *r, const tensor_file *f, int64_t at, int64_t n, char *to) {
  bool whole = !f->width || (f->take.n == 1 && f->take.count == f->width && f->pitch == f->width);
  return whole ? read_run(r, f, at, n, to) : read_columns(r, f, at, n, to);
}

/* The part that holds element `at`. */
static int part_of(const tensor_file *f, int64_t at) {
  int lo = 0, hi = f->nparts - 1;
  while (lo < hi) {
    int mid = lo + (hi - lo + 1) / 2;
    if (f->part_at[mid] <= at)
      lo = mid;
    else
      hi = mid - 1;
  }
  return lo;
}

/* n elements from element `at`. Parts follow each other, element by element. */
static bool read_elements(reader *r, const tensor_file *f, int64_t at, int64_t n, char *to) {
  int64_t out = (int64_t)element_size(r->dtype);
  if (!f->part) return read_file(r, f, at, n, to);
  for (int i = part_of(f, at); n > 0 && i < f->nparts; i++) {
    int64_t k = f->part_at[i + 1] - at < n ? f->part_at[i + 1] - at : n;
    if (!read_file(r, f->part[i], at - f->part_at[i], k, to)) return false;
    n -= k;
    at += k;
    to += k * out;
  }
  return true;
}

/* What one pread may bring: what the box spans, where its runs lie near each other. */
static int64_t window_room(const tensor_file *f, int64_t span, int64_t pitch) {
  const tensor_file *one = f->part ? f->part[0] : f;
  int64_t size = (int64_t)element_size(f->kind);
  int64_t record = one->pitch * size;
  if (pitch > NEAR / size || record > NEAR) return 0;
  int64_t room = span > WINDOW / size ? WINDOW : span * size;
  if (one->width) { /* the columns in between are read along */
    int64_t records = room / (one->take.count * size) + 1;
    room = records > WINDOW / record ? WINDOW : records * record;
  }
  return room;
}

bool tensor_file_read(const tensor_file *f, int rank, const int64_t *shape, const int64_t *lo,
                      const int64_t *hi, int dtype, void *to, char *why, size_t whysize) {
  int64_t stride[DTRT_MAX_RANK], at[DTRT_MAX_RANK], run = 1, span = 1;
  for (int64_t d = rank - 1, step = 1; d >= 0; d--) {
    if (lo[d] >= hi[d]) return true;
    stride[d] = step;
    step *= shape[d];
    at[d] = lo[d];
    span += (hi[d] - lo[d] - 1) * stride[d];
  }
  int outer = rank; /* dims below `outer` are walked, the others are one run */
  while (outer > 0) {
    outer--;
    run *= hi[outer] - lo[outer];
    if (lo[outer] > 0 || hi[outer] < shape[outer]) break;
  }
  reader r;
  r.dtype = dtype, r.why = why, r.whysize = whysize, r.in = NULL;
  r.room = window_room(f, span, outer > 0 ? stride[outer - 1] : run);
  char *p = to;
  for (;;) {
    int64_t from = 0;
    for (int d = 0; d < rank; d++) from += at[d] * stride[d];
    if (!read_elements(&r, f, from, run, p)) return false;
    p += run * (int64_t)element_size(dtype);
    int d = outer - 1;
    for (; d >= 0 && ++at[d] == hi[d]; d--) at[d] = lo[d];
    if (d < 0) return true;
  }
}
