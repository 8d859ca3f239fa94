/* gz.h: reads the bytes of a file in sequence, decoded if the content (not the name) is gzip, or
 * those of one member of a zip archive (zip.c).
 *
 * Errors are specific: missing, a directory, empty, damaged, ends early. */
#ifndef DTG_RUNTIME_GZ_H
#define DTG_RUNTIME_GZ_H
#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>
#include "dtrt.h"

enum { GZ_HEAD = 64 };

typedef struct gz_stream {
  const char *name;
  int fd;                /* the file itself, for reading at a place; the stream reads a duplicate */
  gzFile z;              /* of a file that is not packed */
  struct gunzip *gunzip; /* of one that is */
  /* Of a member of an archive (zip.c), with what takes its bytes and what ends it; NULL: the file.
   */
  struct zip_stream *zip;
  int64_t (*zip_take)(struct gz_stream *s, char *to, int64_t n); /* as gz_take */
  void (*zip_close)(struct gz_stream *s);
  bool packed;                 /* gzip, or a deflated member */
  bool seekable;               /* a regular file that is not packed */
  int64_t base;                /* where the bytes begin in the file */
  int64_t size;                /* of all bytes, when seekable */
  int64_t at;                  /* bytes taken from the stream */
  unsigned char head[GZ_HEAD]; /* its first bytes */
  int nhead;
  char *why; /* where failures are written */
  size_t whysize;
} gz_stream;

/* Writes why, behind the file's name; false. */
__attribute__((format(printf, 2, 3))) bool gz_fail(gz_stream *s, const char *format, ...);
bool gz_open(gz_stream *s, const char *name, char *why, size_t whysize);
/* The same of an open file, which the stream then has. */
bool gz_open_fd(gz_stream *s, const char *name, int fd, char *why, size_t whysize);
void gz_close(gz_stream *s); /* the stream and fd */
/* Bytes taken, fewer than n only at the end; -1 with why. */
int64_t gz_take(gz_stream *s, void *to, int64_t n);
/* All of `bytes` into new memory, which grows as bytes arrive, so that a false size costs nothing.
 * NULL with why when the file holds less, or more. */
char *gz_take_rest(gz_stream *s, int64_t bytes);
/* The same up to the end, if that is no more than `most`. */
char *gz_take_all(gz_stream *s, int64_t *bytes, int64_t most);
#endif
