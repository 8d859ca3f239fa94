/* checkpoint_write.c: writes one safetensors file: elements first, while their checksums are
 * computed, then the header before them, whose length does not depend on the checksums. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "checkpoint.h"
#include "element.h"

/* Wider elements first: each then begins at a multiple of its size. */
static int wider_first(const void *a, const void *b) {
  const safetensors_entry *x = a, *y = b;
  size_t n = element_size(x->kind), m = element_size(y->kind);
  return n != m ? (n < m ? 1 : -1) : strcmp(x->name, y->name);
}

void checkpoint_sort_entries(safetensors_entry *entry, int n) {
  if (n) qsort(entry, (size_t)n, sizeof *entry, wider_first);
}

static bool failed(const checkpoint_writer *w, int error) {
  snprintf(w->why, CHECKPOINT_WHY, "%s: %s", w->path, strerror(error));
  return false;
}

static bool write_at(const checkpoint_writer *w, const void *bytes, int64_t n, int64_t at) {
  const char *p = bytes;
  while (n > 0) {
    ssize_t done = pwrite(w->fd, p, n < 1 << 30 ? (size_t)n : 1 << 30, at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failed(w, done ? errno : ENOSPC);
    p += done;
    n -= done;
    at += done;
  }
  return true;
}

bool checkpoint_writer_open(checkpoint_writer *w, const char *path, safetensors_entry *entry, int n,
                            const json_t *metadata, char *why) {
  *w = (checkpoint_writer){
      .path = strdup(path), .fd = -1, .entry = entry, .n = n, .metadata = metadata, .why = why};
  for (int i = 0; i < n; i++) {
    entry[i].summed = true;
    entry[i].crc = 0;
  }
  int64_t length = 0;
  char *header = safetensors_header(entry, n, metadata, &length);
  free(header);
  if (!w->path || !header) return snprintf(why, CHECKPOINT_WHY, "out of memory"), false;
  w->at = length;
  w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (w->fd >= 0) flock(w->fd, LOCK_EX | LOCK_NB); /* files.h: it is being written */
  return w->fd >= 0 || failed(w, errno);
}

bool checkpoint_writer_put(checkpoint_writer *w, const void *bytes, int64_t n) {
  if (n == 0) return true;
  while (w->next < w->n && w->at == w->entry[w->next].at + w->entry[w->next].bytes) w->next++;
  safetensors_entry *e = &w->entry[w->next];
  e->crc = (uint32_t)crc32_z(e->crc, bytes, (size_t)n);
  if (!write_at(w, bytes, n, w->at)) return false;
  w->at += n;
  return true;
}

bool checkpoint_writer_close(checkpoint_writer *w, bool good) {
  if (w->fd >= 0) {
    int64_t length = 0;
    char *header = good ? safetensors_header(w->entry, w->n, w->metadata, &length) : NULL;
    if (good && !header) snprintf(w->why, CHECKPOINT_WHY, "out of memory");
    good = header && write_at(w, header, length, 0);
    free(header);
    if (good && fsync(w->fd)) good = failed(w, errno);
    if (close(w->fd) && good) good = failed(w, errno);
    if (!good) unlink(w->path);
  }
  free(w->path);
  *w = (checkpoint_writer){.fd = -1};
  return good;
}
