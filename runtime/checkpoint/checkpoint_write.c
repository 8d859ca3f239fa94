/* checkpoint_write.c: writes one safetensors file: elements first, while their checksums are
 * computed, then the header before them, whose length does not depend on the checksums.
 *
 * Elements go past the page cache where the file system can (O_DIRECT), in stretches that begin at
 * multiples of ALIGN: copies into the cache, and the kernel's threads that write them, would take
 * more of the cores that train than all the rest of a save. What does not fill a stretch, and the
 * header, go through the cache. */
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

enum { ALIGN = 4096, STRETCH = CHECKPOINT_BUFFER, PART = 64 << 10 };

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

static void go_direct(checkpoint_writer *w, bool direct) {
  const int flags = fcntl(w->fd, F_GETFL);
  w->direct = flags >= 0 &&
              fcntl(w->fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0 && direct;
}

/* Writes what is there, of which a whole stretch may go past the cache. */
static bool flush(checkpoint_writer *w) {
  const int64_t n = w->at - w->base;
  const bool direct = w->direct && n == STRETCH;
  if (w->direct && !direct) go_direct(w, false);
  if (n && direct && pwrite(w->fd, w->stretch, (size_t)n, w->base) != n)
    go_direct(w, false); /* an alignment of its own, or an error, which comes again below */
  if (n && !(direct && w->direct) && !write_at(w, w->stretch, n, w->base)) return false;
  w->base = w->at;
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
  w->base = length / ALIGN * ALIGN;
  int64_t all = length - w->base;
  for (int i = 0; i < n; i++) all += entry[i].bytes;
  w->room = all < STRETCH ? (all / ALIGN + 1) * ALIGN : STRETCH;
  w->stretch = aligned_alloc(ALIGN, (size_t)w->room);
  if (!w->stretch) return snprintf(why, CHECKPOINT_WHY, "%s: out of memory", path), false;
  memset(w->stretch, 0, (size_t)(length - w->base)); /* until the header is there */
  w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (w->fd < 0) return failed(w, errno);
  flock(w->fd, LOCK_EX | LOCK_NB); /* files.h: it is being written */
  go_direct(w, true);
  return true;
}

bool checkpoint_writer_put(checkpoint_writer *w, const void *bytes, int64_t n) {
  if (n == 0) return true;
  while (w->next < w->n && w->at == w->entry[w->next].at + w->entry[w->next].bytes) w->next++;
  safetensors_entry *e = &w->entry[w->next];
  for (const char *p = bytes; n > 0;) { /* parts that are in the cache for the copy */
    const int64_t room = w->room - (w->at - w->base), most = n < PART ? n : PART;
    const int64_t part = most < room ? most : room;
    e->crc = (uint32_t)crc32_z(e->crc, (const void *)p, (size_t)part);
    memcpy(w->stretch + (w->at - w->base), p, (size_t)part);
    w->at += part, p += part, n -= part;
    if (w->at - w->base == w->room && !flush(w)) return false;
  }
  return true;
}

bool checkpoint_writer_close(checkpoint_writer *w, bool good) {
  if (w->fd >= 0) {
    int64_t length = 0;
    char *header = good ? safetensors_header(w->entry, w->n, w->metadata, &length) : NULL;
    if (good && !header) snprintf(w->why, CHECKPOINT_WHY, "out of memory");
    good = header && flush(w);
    if (w->direct) go_direct(w, false);
    good = good && write_at(w, header, length, 0);
    free(header);
    if (good && fsync(w->fd)) good = failed(w, errno);
    if (close(w->fd) && good) good = failed(w, errno);
    if (!good) unlink(w->path);
  }
  free(w->path);
  free(w->stretch);
  *w = (checkpoint_writer){.fd = -1};
  return good;
}
