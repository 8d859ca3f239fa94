/* checkpoint_read.c: reads elements from the files of a checkpoint, through one bounded buffer.
 *
 * A box is read at once if its span in the file fits the buffer and is mostly needed; otherwise it
 * is halved along its outermost dim. Runs of at least 512 bytes are read separately, shorter ones
 * together with the bytes between them. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "checkpoint.h"
#include "element.h"
#include "files.h"

enum { SHORT_RUN = 512 };

bool checkpoint_reader_open(checkpoint_reader *r, const checkpoint *c, char *why) {
  *r = (checkpoint_reader){
      .of = c, .buffer = malloc(CHECKPOINT_BUFFER), .fd = -1, .file = -1, .why = why};
  if (!r->buffer) snprintf(why, CHECKPOINT_WHY, "%s: out of memory", c->path);
  return r->buffer != NULL;
}

void checkpoint_reader_close(checkpoint_reader *r) {
  if (r->fd >= 0) close(r->fd);
  free(r->buffer);
  *r = (checkpoint_reader){.fd = -1};
}

static bool use_file(checkpoint_reader *r, int file) {
  if (r->file == file) return true;
  if (r->fd >= 0) close(r->fd);
  const char *wrong;
  r->fd = file_open(r->of->file[file].path, &wrong);
  r->file = r->fd >= 0 ? file : -1;
  if (r->fd < 0) snprintf(r->why, CHECKPOINT_WHY, "%s: %s", r->of->file[file].path, wrong);
  return r->fd >= 0;
}

static bool read_bytes(checkpoint_reader *r, int64_t at, int64_t n) {
  for (char *to = r->buffer; n > 0;) {
    ssize_t got = pread(r->fd, to, (size_t)n, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      snprintf(r->why, CHECKPOINT_WHY, "%s: %s", r->of->file[r->file].path,
               got ? strerror(errno) : "it became shorter");
      return false;
    }
    to += got;
    at += got;
    n -= got;
  }
  return true;
}

/* A box in the file and in the block, in the file's order of dims. */
typedef struct part {
  const checkpoint_var *v;
  int kind, dtype, rank;
  int64_t at; /* of its first element, in bytes of the file */
  char *to;
  int64_t len[DTRT_MAX_RANK], from_step[DTRT_MAX_RANK], to_step[DTRT_MAX_RANK]; /* in elements */
} part;

static bool bad_value(const checkpoint_reader *r, const part *p, const char *at) {
  char text[64];
  element_print(p->kind, false, at, text, sizeof text);
  snprintf(r->why, CHECKPOINT_WHY, "%s: %s of %s does not fit %s", r->of->file[r->file].path, text,
           p->v->path, element_name(p->dtype));
  return false;
}

/* The innermost dim first, where it is dense on both sides, in one call. */
static bool scatter(const checkpoint_reader *r, const part *p, int d, const char *from, char *to) {
  int64_t size = (int64_t)element_size(p->kind), out = (int64_t)element_size(p->dtype);
  bool last = d + 1 >= p->rank;
  if (p->rank == 0 || (last && p->from_step[d] == 1 && p->to_step[d] == 1)) {
    int64_t n = p->rank ? p->len[d] : 1;
    int64_t good = element_convert(p->kind, false, from, n, p->dtype, to);
    return good == n || bad_value(r, p, from + good * size);
  }
  for (int64_t i = 0; i < p->len[d]; i++) {
    if (!last) {
      if (!scatter(r, p, d + 1, from, to)) return false;
    } else if (element_convert(p->kind, false, from, 1, p->dtype, to) != 1) {
      return bad_value(r, p, from);
    }
    from += p->from_step[d] * size;
    to += p->to_step[d] * out;
  }
  return true;
}

/* Contiguous elements at each place, from the innermost dims. */
static int64_t run_of(const part *p) {
  int64_t run = 1;
  for (int d = p->rank - 1; d >= 0 && (p->len[d] == 1 || p->from_step[d] == run); d--)
    run *= p->len[d];
  return run;
}

static bool read_part(checkpoint_reader *r, const part *p) {
  int64_t size = (int64_t)element_size(p->kind), span = 1, want = 1;
  int outer = -1;
  for (int d = p->rank - 1; d >= 0; d--) {
    span += (p->len[d] - 1) * p->from_step[d];
    want *= p->len[d];
    if (p->len[d] > 1) outer = d;
  }
  bool sparse = span > 2 * want && run_of(p) * size >= SHORT_RUN;
  if (outer < 0 || (span <= CHECKPOINT_BUFFER / size && !sparse))
    return read_bytes(r, p->at, span * size) && scatter(r, p, 0, r->buffer, p->to);
  part half = *p;
  int64_t n = p->len[outer] / 2;
  half.len[outer] = n;
  if (!read_part(r, &half)) return false;
  half.len[outer] = p->len[outer] - n;
  half.at += n * p->from_step[outer] * size;
  half.to += n * p->to_step[outer] * (int64_t)element_size(p->dtype);
  return read_part(r, &half);
}

/* Dims with longer steps in the file come first. */
static void sort_dims(part *p) {
  for (int i = 1; i < p->rank; i++)
    for (int d = i; d > 0 && p->from_step[d] > p->from_step[d - 1]; d--) {
      int64_t *const field[] = {p->len, p->from_step, p->to_step};
      for (int f = 0; f < 3; f++) {
        const int64_t t = field[f][d];
        field[f][d] = field[f][d - 1], field[f][d - 1] = t;
      }
    }
}

bool checkpoint_read(checkpoint_reader *r, const checkpoint_var *v, const int *perm,
                     const int64_t *lo, const int64_t *hi, int dtype, void *to,
                     const int64_t *apart) {
  BlockSpan box[DTRT_MAX_RANK];
  int64_t step[DTRT_MAX_RANK];
  for (int i = 0; i < v->rank; i++)
    if (hi[i] <= lo[i]) return true;
  for (int64_t i = v->rank - 1, s = 1; i >= 0; i--) {
    int d = perm ? perm[i] : (int)i;
    box[d] = (BlockSpan){lo[i], hi[i]};
    step[d] = apart ? apart[i] : s;
    s *= hi[i] - lo[i];
  }
  for (int k = 0; k < v->npieces; k++) {
    const checkpoint_piece *q = &v->piece[k];
    part p = {.v = v, .kind = v->kind, .dtype = dtype, .rank = v->rank, .to = to};
    int64_t from = 1, first = v->begin, put = 0;
    bool meets = true;
    for (int d = v->rank - 1; d >= 0; d--) {
      int64_t a = box[d].lo > q->box[d].lo ? box[d].lo : q->box[d].lo;
      int64_t b = box[d].hi < q->box[d].hi ? box[d].hi : q->box[d].hi;
      meets &= a < b;
      p.len[d] = b - a;
      p.from_step[d] = v->step ? v->step[d] : from;
      p.to_step[d] = step[d];
      first += (a - q->box[d].lo) * p.from_step[d];
      put += (a - box[d].lo) * step[d];
      from *= q->box[d].hi - q->box[d].lo;
    }
    if (!meets) continue;
    if (v->step) sort_dims(&p);
    p.to += put * (int64_t)element_size(dtype);
    p.at = r->of->file[q->file].entry[q->entry].at + first * (int64_t)element_size(v->kind);
    if (!use_file(r, q->file) || !read_part(r, &p)) return false;
  }
  return true;
}

/* -------- checksums -------- */

static bool verify_entry(checkpoint_reader *r, int file, const safetensors_entry *e) {
  uint32_t crc = 0;
  if (!use_file(r, file)) return false;
  for (int64_t at = 0; at < e->bytes;) {
    int64_t n = e->bytes - at < CHECKPOINT_BUFFER ? e->bytes - at : CHECKPOINT_BUFFER;
    if (!read_bytes(r, e->at + at, n)) return false;
    crc = (uint32_t)crc32_z(crc, (const unsigned char *)r->buffer, (size_t)n);
    at += n;
  }
  if (crc == e->crc) return true;
  snprintf(r->why, CHECKPOINT_WHY, "%s: damaged: the checksum of %s is wrong",
           r->of->file[file].path, e->name);
  return false;
}

bool checkpoint_verify(const checkpoint *c, int k, int step, char *why, size_t whysize) {
  checkpoint_reader r;
  char text[CHECKPOINT_WHY] = "";
  int64_t n = 0;
  bool good = checkpoint_reader_open(&r, c, text);
  for (int i = 0; good && i < c->nfiles; i++)
    for (int j = 0; good && j < c->file[i].n; j++, n++)
      if (n % step == k && c->file[i].entry[j].summed)
        good = verify_entry(&r, i, &c->file[i].entry[j]);
  checkpoint_reader_close(&r);
  if (!good) snprintf(why, whysize, "%s", text);
  return good;
}
