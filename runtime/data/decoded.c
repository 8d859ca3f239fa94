/* decoded.c: see decoded.h. */
#include "decoded.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The ranks of a host run the same library, or `size` differs; ranges of columns follow it. */
typedef struct Header {
  uint64_t size;
  char name[TENSOR_FILE_NAME], format[16], note[256];
  int kind, swap, rank, ranges;
  int64_t shape[DTRT_MAX_RANK], bytes, width, pitch, extent, columns;
  int64_t data, length; /* where the elements are */
} Header;

enum { PAGE = 65536 };
static const char *const formats[] = {".npy", "IDX", "CSV", "raw"};

static bool put_bytes(int fd, const void *from, int64_t n, int64_t at) {
  for (int64_t done = 0; done < n;) {
    int64_t want = n - done < 1 << 30 ? n - done : 1 << 30;
    ssize_t put = pwrite(fd, (const char *)from + done, (size_t)want, at + done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += put;
  }
  return true;
}

static bool map(tensor_file *f, int fd, int64_t data, int64_t length) {
  void *at = mmap(NULL, (size_t)(data + length), PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return false;
  f->map = at;
  f->mapped = data + length;
  f->memory = (char *)at + data;
  return true;
}

bool decoded_put(tensor_file *f, const spool *to) {
  Header *h = calloc(1, sizeof *h);
  int64_t ranges = f->take.n * (int64_t)sizeof *f->take.range;
  char *memory = f->memory;
  if (!h) return false;
  *h = (Header){.size = sizeof *h,
                .kind = f->kind,
                .swap = f->swap,
                .rank = f->rank,
                .ranges = f->take.n,
                .bytes = f->bytes,
                .width = f->width,
                .pitch = f->pitch,
                .extent = f->extent,
                .columns = f->take.count,
                .data = ((int64_t)sizeof *h + ranges + PAGE - 1) / PAGE * PAGE,
                .length = f->width ? f->extent : f->bytes};
  memcpy(h->name, f->name, sizeof h->name);
  memcpy(h->note, f->note, sizeof h->note);
  memcpy(h->shape, f->shape, sizeof h->shape);
  strncpy(h->format, f->format, sizeof h->format - 1);
  bool good = posix_fallocate(to->fd, 0, h->data + h->length) == 0 &&
              put_bytes(to->fd, h, sizeof *h, 0) &&
              put_bytes(to->fd, f->take.range, ranges, sizeof *h) &&
              put_bytes(to->fd, memory, h->length, h->data) && map(f, to->fd, h->data, h->length);
  if (good) free(memory);
  free(h);
  return good;
}

bool decoded_get(tensor_file *f, const spool *from) {
  Header *h = malloc(sizeof *h);
  struct stat st;
  bool good = h && pread(from->fd, h, sizeof *h, 0) == (ssize_t)sizeof *h && h->size == sizeof *h &&
              fstat(from->fd, &st) == 0 && st.st_size >= h->data + h->length;
  const char *format = NULL;
  for (int i = 0; good && i < (int)(sizeof formats / sizeof *formats); i++)
    if (!strcmp(formats[i], h->format)) format = formats[i];
  good = good && format;
  size_t ranges = good ? (size_t)h->ranges * sizeof *f->take.range : 0;
  column_range *range = ranges ? malloc(ranges) : NULL;
  if (ranges) good = range && pread(from->fd, range, ranges, (off_t)sizeof *h) == (ssize_t)ranges;
  good = good && map(f, from->fd, h->data, h->length);
  if (good) {
    memcpy(f->name, h->name, sizeof f->name);
    memcpy(f->note, h->note, sizeof f->note);
    memcpy(f->shape, h->shape, sizeof f->shape);
    f->format = format;
    f->kind = h->kind;
    f->swap = h->swap;
    f->rank = h->rank;
    f->bytes = h->bytes;
    f->width = h->width;
    f->pitch = h->pitch;
    f->extent = h->extent;
    f->take = (columns){.range = range, .n = h->ranges, .count = h->columns};
  } else {
    free(range);
  }
  free(h);
  return good;
}
