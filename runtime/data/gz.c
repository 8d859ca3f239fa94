/* gz.c: see gz.h. zlib passes plain bytes through. Those of a gzip file are inflated here: gzread
 * leaves out what follows the last member that it knows, so that a file whose next one is damaged
 * at its beginning would end before it without a word. */
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
#include "plural.h"
#include "utf8.h"

bool gz_fail(gz_stream *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = snprintf(s->why, s->whysize, "%s: ", s->name);
  if (n >= 0 && (size_t)n < s->whysize) {
    vsnprintf(s->why + n, s->whysize - (size_t)n, format, list);
    utf8_clean(s->why + n); /* names and types from a damaged file are any bytes */
  }
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

struct gunzip {
  z_stream z;
  int64_t at;   /* of the file, behind `in` */
  bool between; /* a member has ended, and no other has begun */
  unsigned char in[1 << 17];
};

static bool gunzip_open(gz_stream *s) {
  s->gunzip = calloc(1, sizeof *s->gunzip);
  if (s->gunzip && inflateInit2(&s->gunzip->z, 15 + 16) == Z_OK) return true;
  free(s->gunzip);
  s->gunzip = NULL;
  return gz_fail(s, "out of memory");
}

/* Reads on in the file; false at its end, or with why. */
static bool gunzip_fill(gz_stream *s, bool *failed) {
  struct gunzip *g = s->gunzip;
  const ssize_t got = pread(s->fd, g->in, sizeof g->in, (off_t)g->at);
  *failed = got < 0 || (got == 0 && !g->between);
  if (got < 0) return gz_fail(s, "%s", strerror(errno));
  if (got == 0 && !g->between) return gz_fail(s, "the gzip data ends early (the file is cut off)");
  g->z.next_in = g->in;
  g->z.avail_in = (unsigned)got;
  g->at += got;
  return got > 0;
}

/* Between members: zeros, as tapes pad with, and what another one begins with. */
static bool gunzip_next(gz_stream *s) {
  struct gunzip *g = s->gunzip;
  while (g->z.avail_in && !*g->z.next_in) g->z.next_in++, g->z.avail_in--;
  if (!g->z.avail_in) return true;
  if (*g->z.next_in != 0x1f)
    return gz_fail(s, "the bytes from offset %lld on, behind the gzip data, are not gzip data",
                   (long long)(g->at - g->z.avail_in));
  g->between = false;
  return inflateReset(&g->z) == Z_OK || gz_fail(s, "out of memory");
}

static int64_t gunzip_take(gz_stream *s, char *to, int64_t n) {
  struct gunzip *g = s->gunzip;
  const unsigned most = n < 1 << 30 ? (unsigned)n : 1u << 30;
  bool failed = false;
  g->z.next_out = (unsigned char *)to;
  g->z.avail_out = most;
  while (g->z.avail_out) {
    if (!g->z.avail_in && !gunzip_fill(s, &failed))
      return failed ? -1 : (int64_t)(most - g->z.avail_out);
    if (g->between && !gunzip_next(s)) return -1;
    if (g->between) continue;
    const int code = inflate(&g->z, Z_NO_FLUSH);
    g->between = code == Z_STREAM_END;
    if (code == Z_MEM_ERROR) return gz_fail(s, "out of memory"), -1;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      return gz_fail(s, "the gzip data is damaged before offset %lld (%s)",
                     (long long)(g->at - g->z.avail_in), g->z.msg ? g->z.msg : "no gzip header"),
             -1;
  }
  return most;
}

static bool gz_open_plain(gz_stream *s) {
  int copy = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 && allow_more()) copy = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return gz_fail(s, "%s", strerror(errno));
  s->z = gzdopen(copy, "rb");
  if (!s->z) {
    close(copy);
    return gz_fail(s, "out of memory");
  }
  gzbuffer(s->z, 1 << 17);
  return true;
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
  if (!(s->packed ? gunzip_open(s) : gz_open_plain(s))) return false;
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
  if (s->gunzip) inflateEnd(&s->gunzip->z);
  free(s->gunzip);
  if (s->fd >= 0) close(s->fd);
  s->z = NULL;
  s->gunzip = NULL;
  s->fd = -1;
}

static bool gz_broken(gz_stream *s) {
  int code;
  const char *text = gzerror(s->z, &code);
  if (code == Z_ERRNO) return gz_fail(s, "%s", strerror(errno));
  if (code == Z_MEM_ERROR) return gz_fail(s, "out of memory");
  /* zlib begins with a name of its own for a descriptor, "<fd:4>: " */
  const char *after = strncmp(text, "<fd:", 4) ? NULL : strstr(text, ">: ");
  return gz_fail(s, "%s", after ? after + 3 : text);
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
  while (s->gunzip && done < n) {
    int64_t got = gunzip_take(s, p + done, n - done);
    if (got < 0) return -1;
    if (!got) return done;
    done += got;
    s->at += got;
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
      gz_fail(s, "expected %lld byte%s of data after the header, found %lld", (long long)bytes,
              PLURAL(bytes), (long long)have);
      goto fail;
    }
    if (have == bytes) {
      got = gz_take(s, &more, 1); /* also has the checksum of a gzip file looked at */
      if (got == 0) return data;
      if (got > 0)
        gz_fail(s, "expected %lld byte%s of data after the header, found more", (long long)bytes,
                PLURAL(bytes));
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
      gz_fail(s, "expected at most %lld byte%s for this input, found more", (long long)most,
              PLURAL(most));
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
