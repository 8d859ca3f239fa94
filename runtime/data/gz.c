/* gz.c: see gz.h. zlib passes plain bytes through, so there is a single read path. */
#include "gz.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"

bool gz_fail(gz_stream *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = snprintf(s->why, s->whysize, "%s: ", s->name);
  if (n >= 0 && (size_t)n < s->whysize) vsnprintf(s->why + n, s->whysize - (size_t)n, format, list);
  va_end(list);
  return false;
}

/* When data lies in more files than a process may have open by default, the limit is raised to what
 * it may. False, with errno as it was: that was not the reason, or there is no more. */
static bool allow_more(void) {
  struct rlimit most;
  int error = errno;
  bool more = error == EMFILE && !getrlimit(RLIMIT_NOFILE, &most) && most.rlim_cur < most.rlim_max;
  if (more) {
    most.rlim_cur = most.rlim_max;
    more = !setrlimit(RLIMIT_NOFILE, &most);
  }
  errno = error;
  return more;
}

static bool gz_start(gz_stream *s) {
  struct stat st;
  unsigned char magic[2];
  if (fstat(s->fd, &st)) return gz_fail(s, "%s", strerror(errno));
  bool regular = S_ISREG(st.st_mode);
  if (regular && st.st_size == 0) return gz_fail(s, "the file is empty");
  s->packed = regular && pread(s->fd, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  s->seekable = regular && !s->packed;
  s->size = regular ? (int64_t)st.st_size : 0;
  int copy = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 && allow_more()) copy = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return gz_fail(s, "%s", strerror(errno));
  s->z = gzdopen(copy, "rb");
  if (!s->z) {
    close(copy);
    return gz_fail(s, "out of memory");
  }
  gzbuffer(s->z, 1 << 17);
  int64_t n = gz_take(s, s->head, GZ_HEAD);
  if (n < 0) return false;
  if (n == 0) return gz_fail(s, "the file is empty");
  s->nhead = (int)n;
  s->at = 0;
  return true;
}

bool gz_open(gz_stream *s, const char *name, char *why, size_t whysize) {
  *s = (gz_stream){.name = name, .why = why, .whysize = whysize};
  const char *wrong;
  s->fd = file_open(name, &wrong);
  if (s->fd < 0 && allow_more()) s->fd = file_open(name, &wrong);
  if (s->fd < 0) return gz_fail(s, "%s", wrong);
  if (gz_start(s)) return true;
  gz_close(s);
  return false;
}

bool gz_open_fd(gz_stream *s, const char *name, int fd, char *why, size_t whysize) {
  *s = (gz_stream){.name = name, .fd = fd, .why = why, .whysize = whysize};
  bool good =
      fd < 0 ? gz_fail(s, "%s", strerror(errno)) : lseek(fd, 0, SEEK_SET) == 0 && gz_start(s);
  if (!good) gz_close(s);
  return good;
}

void gz_close(gz_stream *s) {
  if (s->zip) s->zip_close(s);
  if (s->z) gzclose_r(s->z);
  if (s->fd >= 0) close(s->fd);
  s->z = NULL;
  s->fd = -1;
}

static bool gz_broken(gz_stream *s) {
  int code;
  const char *text = gzerror(s->z, &code);
  if (code == Z_BUF_ERROR) return gz_fail(s, "the gzip data ends early (the file is cut off)");
  if (code == Z_ERRNO) return gz_fail(s, "%s", strerror(errno));
  if (code == Z_MEM_ERROR) return gz_fail(s, "out of memory");
  /* zlib begins with a name of its own for a descriptor, "<fd:4>: " */
  const char *after = strncmp(text, "<fd:", 4) ? NULL : strstr(text, ">: ");
  return gz_fail(s, "the gzip data is damaged (%s)", after ? after + 3 : text);
}

int64_t gz_take(gz_stream *s, void *to, int64_t n) {
  char *p = to;
  int64_t done = 0;
  while (s->at < s->nhead && done < n) p[done++] = (char)s->head[s->at++]; /* what was peeked */
  if (s->zip && done < n) {
    int64_t got = s->zip_take(s, p + done, n - done);
    if (got > 0) s->at += got;
    return got < 0 ? -1 : done + got;
  }
  while (done < n) {
    int64_t want = n - done < 1 << 30 ? n - done : 1 << 30;
    int got = gzread(s->z, p + done, (unsigned)want);
    if (got > 0) {
      done += got;
      s->at += got;
    }
    if (got >= want) continue;
    int code;
    gzerror(s->z, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) return gz_broken(s), -1;
    break;
  }
  return done;
}

char *gz_take_rest(gz_stream *s, int64_t bytes) {
  int64_t room = bytes < 1 << 20 ? bytes : 1 << 20, have = 0;
  char *data = malloc((size_t)room + 1), more;
  while (data) {
    int64_t got = gz_take(s, data + have, room - have);
    if (got < 0) goto fail;
    have += got;
    if (have < room) {
      gz_fail(s, "expected %lld bytes of data after the header, found %lld", (long long)bytes,
              (long long)have);
      goto fail;
    }
    if (have == bytes) {
      got = gz_take(s, &more, 1); /* also has the checksum of a gzip file looked at */
      if (got == 0) return data;
      if (got > 0)
        gz_fail(s, "expected %lld bytes of data after the header, found more", (long long)bytes);
      goto fail;
    }
    room = room < bytes / 2 ? room * 2 : bytes;
    char *bigger = realloc(data, (size_t)room + 1);
    if (!bigger) break;
    data = bigger;
  }
  gz_fail(s, "out of memory for %lld bytes", (long long)bytes);
fail:
  free(data);
  return NULL;
}

char *gz_take_all(gz_stream *s, int64_t *bytes, int64_t most) {
  int64_t room = 1 << 20, have = 0;
  char *data = malloc((size_t)room);
  while (data) {
    int64_t got = gz_take(s, data + have, room - have);
    if (got < 0) {
      free(data);
      return NULL;
    }
    have += got;
    if (have > most) {
      gz_fail(s, "expected at most %lld bytes for this input, found more", (long long)most);
      free(data);
      return NULL;
    }
    if (have < room) return *bytes = have, data;
    char *bigger = room > INT64_MAX / 2 ? NULL : realloc(data, (size_t)(room *= 2));
    if (!bigger) free(data);
    data = bigger;
  }
  gz_fail(s, "out of memory after %lld bytes", (long long)have);
  return NULL;
}

const char *gz_packed_text(const unsigned char *h) {
  static const unsigned char xz[] = {0xfd, '7', 'z', 'X', 'Z'}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
  if (!memcmp(h, "PK\3\4", 4)) return ", a zip archive";
  if (!memcmp(h, xz, sizeof xz)) return ", xz data (only gzip is read; unpack it)";
  if (!memcmp(h, zstd, sizeof zstd)) return ", zstd data (only gzip is read; unpack it)";
  return memcmp(h, "BZh", 3) ? "" : ", bzip2 data (only gzip is read; unpack it)";
}
