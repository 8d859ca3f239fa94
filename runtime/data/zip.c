/* zip.c: see zip.h. Format: PKWARE's APPNOTE.TXT. */
#include "zip.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "little.h"

enum {
  CHECKED = 64 << 20,  /* bytes of a stored member whose checksum is verified at once */
  DEFLATE_MOST = 1032, /* no deflated byte becomes more */
  DIRECTORY_MOST = 16 << 20
};
enum { LOCAL = 30, ENTRY = 46, END = 22, END64 = 56, TO_END64 = 20 }; /* bytes of the records */

/* The bytes of one member. */
struct zip_stream {
  bool deflated, ended, is_unsummed;
  z_stream z;
  int64_t begin, at, left; /* in the file */
  uint32_t crc, want_crc;
  unsigned char in[1 << 15];
};

bool zip_is(const gz_stream *s) {
  return s->seekable && s->nhead >= 4 &&
         (!memcmp(s->head, "PK\3\4", 4) || !memcmp(s->head, "PK\5\6", 4));
}

static bool damaged(gz_stream *s, uint64_t at, const char *what) {
  return gz_fail(s, "the zip archive is damaged at offset %llu (%s)", (unsigned long long)at, what);
}

/* ---- the directory */

static bool bytes_at(const gz_stream *s, uint64_t at, void *to, size_t n) {
  if (at > (uint64_t)s->size || n > (uint64_t)s->size - at) return false;
  for (size_t done = 0; done < n;) {
    ssize_t got = pread(s->fd, (char *)to + done, n - done, (off_t)(at + done));
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

/* The record that ends the archive, behind which there is a comment of up to 64 KiB. */
static bool find_end(gz_stream *s, unsigned char *end, uint64_t *at) {
  uint64_t size = (uint64_t)s->size, tail = size < END + 65535 ? size : END + 65535;
  unsigned char *text = malloc(tail);
  bool found = false;
  if (!text) return gz_fail(s, "out of memory");
  bool read = bytes_at(s, size - tail, text, tail);
  for (uint64_t i = tail; read && !found && i-- > 0;) {
    if (i + END > tail || memcmp(text + i, "PK\5\6", 4) != 0) continue;
    found = i + END + le(text + i + 20, 2) == tail;
    if (!found) continue;
    memcpy(end, text + i, END);
    *at = size - tail + i;
  }
  free(text);
  return found || damaged(s, size, "its end is missing or cut off");
}

/* Where the directory is. Numbers that 32 bits do not hold are in a record of their own. */
static bool find_directory(zip_archive *a) {
  unsigned char end[END], to[TO_END64], end64[END64];
  uint64_t at = 0;
  gz_stream *s = a->s;
  if (!find_end(s, end, &at)) return false;
  unsigned disk = (unsigned)(le(end + 4, 2) | le(end + 6, 2));
  a->n = le(end + 10, 2);
  a->bytes = le(end + 12, 4);
  a->at = le(end + 16, 4);
  if (at >= TO_END64 && bytes_at(s, at - TO_END64, to, TO_END64) && !memcmp(to, "PK\6\7", 4)) {
    uint64_t at64 = le(to + 8, 8);
    if (!bytes_at(s, at64, end64, END64) || memcmp(end64, "PK\6\6", 4) != 0)
      return damaged(s, at - TO_END64, "its zip64 end is not at the given offset");
    disk = (unsigned)(le(end64 + 16, 4) | le(end64 + 20, 4));
    a->n = le(end64 + 32, 8);
    a->bytes = le(end64 + 40, 8);
    a->at = le(end64 + 48, 8);
    at = at64;
  }
  if (disk) return gz_fail(s, "the zip archive is one of several parts");
  if (a->at > at || a->bytes > at - a->at || a->n > a->bytes / ENTRY)
    return damaged(s, at, "its directory is not at the given offset");
  if (a->bytes > DIRECTORY_MOST)
    return gz_fail(s, "the directory of the zip archive has %llu bytes; expected at most %d",
                   (unsigned long long)a->bytes, DIRECTORY_MOST);
  return true;
}

/* The zip64 fields: present only where the plain field is all ones, in this order. */
static bool wide(zip_member *m, const unsigned char *extra, size_t n) {
  uint64_t *field[] = {&m->size, &m->packed, &m->header};
  for (; n >= 4;) {
    size_t id = le(extra, 2), bytes = le(extra + 2, 2);
    extra += 4, n -= 4;
    if (bytes > n) return false;
    const unsigned char *p = extra;
    for (int i = 0; id == 1 && i < 3; i++) {
      if (*field[i] != UINT32_MAX) continue;
      if (p + 8 > extra + bytes) return false;
      *field[i] = le(p, 8);
      p += 8;
    }
    extra += bytes, n -= bytes;
  }
  return true;
}

/* The header before a member's bytes, which the directory's entry must agree with. */
static bool read_local(const zip_archive *a, zip_member *m) {
  unsigned char local[LOCAL], name[ZIP_NAME];
  unsigned n = m->nname < ZIP_NAME ? m->nname : ZIP_NAME;
  if (!bytes_at(a->s, m->header, local, LOCAL) || memcmp(local, "PK\3\4", 4) != 0 ||
      le(local + 8, 2) != m->method || le(local + 26, 2) != m->nname ||
      !bytes_at(a->s, m->header + LOCAL, name, n) || memcmp(name, m->name, n) != 0)
    return damaged(a->s, m->header, "a member does not match its directory entry");
  m->data = m->header + LOCAL + m->nname + le(local + 28, 2);
  if (m->data <= a->at && m->packed <= a->at - m->data) return true;
  return damaged(a->s, m->header, "a member reaches into the directory or past the end");
}

static bool read_entry(zip_archive *a, uint64_t *at, zip_member *m) {
  const unsigned char *p = a->directory + *at;
  if (a->bytes - *at < ENTRY || memcmp(p, "PK\1\2", 4) != 0)
    return damaged(a->s, a->at + *at, "its directory is inconsistent");
  size_t extra = le(p + 30, 2);
  *m = (zip_member){.name = p + ENTRY,
                    .nname = (unsigned)le(p + 28, 2),
                    .flags = (unsigned)le(p + 8, 2),
                    .method = (unsigned)le(p + 10, 2),
                    .crc = (uint32_t)le(p + 16, 4),
                    .packed = le(p + 20, 4),
                    .size = le(p + 24, 4),
                    .header = le(p + 42, 4)};
  uint64_t n = ENTRY + m->nname + extra + le(p + 32, 2);
  if (n > a->bytes - *at || !wide(m, m->name + m->nname, extra))
    return damaged(a->s, a->at + *at, "its directory is cut off");
  *at += n;
  if (!read_local(a, m)) return false;
  return true;
}

static int by_place(const void *a, const void *b) {
  const zip_member *const *x = a, *const *y = b;
  return (*x)->header < (*y)->header ? -1 : (*x)->header > (*y)->header;
}

/* Members that share bytes are the usual way of making much out of little. */
static bool are_apart(zip_archive *a) {
  const zip_member **list = calloc(a->n + 1, sizeof *list);
  if (!list) return gz_fail(a->s, "out of memory");
  for (uint64_t i = 0; i < a->n; i++) list[i] = &a->member[i];
  qsort(list, a->n, sizeof *list, by_place);
  uint64_t i = 1;
  while (i < a->n && list[i]->header >= list[i - 1]->data + list[i - 1]->packed) i++;
  bool apart = i >= a->n || damaged(a->s, list[i]->header, "its members overlap");
  free(list);
  return apart;
}

bool zip_read(zip_archive *a, gz_stream *s) {
  *a = (zip_archive){.s = s};
  if (!find_directory(a)) return false;
  a->directory = malloc(a->bytes + 1);
  a->member = calloc(a->n + 1, sizeof *a->member);
  if (!a->directory || !a->member) return gz_fail(a->s, "out of memory");
  if (!bytes_at(a->s, a->at, a->directory, a->bytes))
    return damaged(a->s, a->at, "its directory cannot be read");
  uint64_t at = 0;
  for (uint64_t i = 0; i < a->n; i++)
    if (!read_entry(a, &at, &a->member[i])) return false;
  return at == a->bytes ? are_apart(a)
                        : damaged(a->s, a->at + at, "its directory has more entries than declared");
}

void zip_free(zip_archive *a) {
  free(a->directory);
  free(a->member);
  *a = (zip_archive){0};
}

/* ---- members */

/* What of a name a message shows. */
void zip_shown(const zip_member *m, char *text) {
  unsigned n = m->nname < ZIP_NAME - 1 ? m->nname : ZIP_NAME - 1;
  for (unsigned i = 0; i < n; i++)
    text[i] = m->name[i] < ' ' || m->name[i] == 127 ? '?' : (char)m->name[i];
  text[n] = '\0';
}
static bool member_good(gz_stream *s, const zip_member *m) {
  if (m->flags & 1) return gz_fail(s, "the member is encrypted");
  if (m->method != ZIP_STORED && m->method != ZIP_DEFLATED)
    return gz_fail(s, "the member is packed by method %u; only stored and deflated are read",
                   m->method);
  if (m->method == ZIP_STORED && m->packed != m->size)
    return damaged(s, m->header, "a stored member has two different sizes");
  if (m->size > INT64_MAX || m->size / DEFLATE_MOST > m->packed)
    return gz_fail(s, "the member claims %llu bytes, which its %llu bytes cannot hold",
                   (unsigned long long)m->size, (unsigned long long)m->packed);
  return true;
}

/* ---- its bytes */

static void end_member(gz_stream *s) {
  if (s->zip && s->zip->deflated) inflateEnd(&s->zip->z);
  free(s->zip);
  s->zip = NULL;
}

static int64_t take_packed(gz_stream *s, void *to, int64_t n) {
  struct zip_stream *z = s->zip;
  ssize_t got = pread(s->fd, to, (size_t)(n < z->left ? n : z->left), (off_t)z->at);
  if (got <= 0) return 0;
  z->at += got;
  z->left -= got;
  return got;
}

/* Some bytes, or 0 at the end or where there is no going on. */
static int64_t take_some(gz_stream *s, char *to, int64_t n) {
  struct zip_stream *z = s->zip;
  if (!z->deflated) return take_packed(s, to, n);
  z->z.next_out = (unsigned char *)to;
  z->z.avail_out = (unsigned)n;
  while (!z->ended && z->z.avail_out == (unsigned)n) {
    if (!z->z.avail_in) {
      z->z.next_in = z->in;
      z->z.avail_in = (unsigned)take_packed(s, z->in, sizeof z->in);
    }
    int code = inflate(&z->z, Z_NO_FLUSH);
    z->ended = code == Z_STREAM_END;
    if (code != Z_OK && !z->ended) break;
  }
  return n - z->z.avail_out;
}

static int64_t take_member(gz_stream *s, char *to, int64_t n) {
  struct zip_stream *z = s->zip;
  int64_t done = 0;
  while (done < n) {
    int64_t want = n - done < 1 << 30 ? n - done : 1 << 30, rest = s->size - s->at - done;
    int64_t got = take_some(s, to + done, want);
    if (got > rest)
      return damaged(s, (uint64_t)z->at, "the member holds more data than declared"), -1;
    z->crc = (uint32_t)crc32_z(z->crc, (unsigned char *)to + done, (size_t)got);
    done += got;
    if (got) continue;
    if (rest) return damaged(s, (uint64_t)z->at, "the member ends early or cannot be inflated"), -1;
    if (z->crc != z->want_crc && !z->is_unsummed)
      return damaged(s, (uint64_t)z->begin, "the checksum of the member does not match"), -1;
    break;
  }
  return done;
}

static bool begin(gz_stream *s, const zip_member *m) {
  struct zip_stream *z = calloc(1, sizeof *z);
  end_member(s);
  s->zip = z;
  s->zip_take = take_member;
  s->zip_close = end_member;
  if (!z) return gz_fail(s, "out of memory");
  z->begin = z->at = (int64_t)m->data;
  z->left = (int64_t)m->packed;
  z->want_crc = m->crc;
  z->is_unsummed = m->is_unsummed;
  z->deflated = m->method == ZIP_DEFLATED;
  if (z->deflated && inflateInit2(&z->z, -MAX_WBITS) != Z_OK) {
    z->deflated = false; /* nothing to end */
    return gz_fail(s, "out of memory");
  }
  s->packed = z->deflated;
  s->seekable = !z->deflated;
  s->base = z->at;
  s->size = (int64_t)m->size;
  s->at = s->nhead = 0;
  return true;
}

static bool checksum_good(gz_stream *s) {
  char piece[16384];
  int64_t got;
  while ((got = take_member(s, piece, sizeof piece)) > 0) s->at += got;
  return got == 0;
}

bool zip_enter(gz_stream *s, const zip_member *m) {
  if (!member_good(s, m) || !begin(s, m)) return false;
  if (m->method == ZIP_STORED && m->size <= CHECKED && !m->is_unsummed &&
      (!checksum_good(s) || !begin(s, m)))
    return false;
  int64_t n = gz_take(s, s->head, s->size < GZ_HEAD ? s->size : GZ_HEAD);
  s->nhead = n > 0 ? (int)n : 0;
  s->at = 0;
  return n >= 0;
}
