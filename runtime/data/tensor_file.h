/* tensor_file.h: tensors in files: .npy, .npz, IDX, CSV and raw records, all but .npz also
 * gzipped, one file or several concatenated along the first dim.
 *
 * The format is detected from the content; the name only improves an error. Plain .npy, IDX and
 * raw files and stored members of an .npz stay on disk and only the requested parts are read; CSV,
 * gzip, deflated members and Fortran order are decoded once into memory. Every failure is one line
 * that names the file, what was expected and what was found. */
#ifndef DTG_RUNTIME_TENSOR_FILE_H
#define DTG_RUNTIME_TENSOR_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include "dtrt.h"
#include "element.h"
#include "gz.h"
#include "spool.h"

enum { TENSOR_FILE_NAME = 4096 };

typedef struct column_range {
  int64_t first, last;
} column_range;
typedef struct columns {
  column_range *range; /* [n], or NULL: all */
  int n;
  int64_t count; /* columns in all of them */
} columns;

typedef struct tensor_file {
  char name[TENSOR_FILE_NAME]; /* without column ranges */
  const char *format;          /* ".npy", "IDX", "CSV", "raw", "number" */
  int kind;                    /* element_kind */
  bool swap;                   /* its bytes are in the other order */
  bool fortran;                /* .npy: first dim varies fastest */
  int rank;
  int64_t shape[DTRT_MAX_RANK];
  int64_t bytes;             /* of all elements, as they are in the file */
  int64_t offset;            /* of the first element */
  int fd;                    /* >= 0: the elements stay in the file; -1: they are in memory */
  char *memory;              /* in C order */
  bool borrowed;             /* memory is another's */
  void *map;                 /* that memory is in; NULL: it is not mapped */
  int64_t mapped;            /* its bytes */
  spool output, decoded;     /* of a command; by one rank for all of its host */
  int64_t width;             /* raw: elements of a record in the file; others: 0 */
  int64_t pitch;             /* raw: elements from one record to the next */
  int64_t extent;            /* raw: bytes of the file, decoded */
  columns take;              /* raw: what of a record is the tensor's */
  struct tensor_file **part; /* [nparts] several files as one, each opened alone; NULL: one file */
  int nparts;
  int64_t *part_at;           /* [nparts + 1] element with which each part begins */
  _Atomic int64_t *from_disk; /* bytes that tensor_file_read has brought from the disk */
  int users;                  /* that have it besides the one who opened it */
  char note[256];             /* a note for the user, printed once, or "" */
} tensor_file;

/* How much of a file can be of use: a larger file need not be decoded to be rejected. */
typedef struct tensor_file_most {
  int64_t rows;     /* lines of a CSV, records of a raw file */
  int64_t elements; /* of other formats */
} tensor_file_most;

/* Opens `spec` (file_spec.h), or, for a dtype of a scalar input (`scalar`), a number. CSV text
 * becomes `dtype` at once; binary files keep their kind, which is checked against element_allowed.
 * `most` may be NULL; a file that would have to be decoded and has more elements is not: its shape
 * alone may then be looked at. NULL with why on failure. */
tensor_file *tensor_file_open(const char *spec, int dtype, bool scalar,
                              const tensor_file_most *most, char *why, size_t whysize);
/* The same of a job (NULL: none), which allows commands, and whose ranks decode a file once a host.
 */
tensor_file *tensor_file_open_in(const spool_job *job, const char *spec, int dtype, bool scalar,
                                 const tensor_file_most *most, char *why, size_t whysize);
/* The same over a host's memory: dense, of one of dtrt.h's types. It is only read, and must stay.
 * NULL after *why, or out of memory. */
tensor_file *tensor_file_over(const char *name, int dtype, int rank, const int64_t *shape,
                              const void *data, char *why, size_t whysize);
void tensor_file_close(tensor_file *f);         /* NULL is allowed */
tensor_file *tensor_file_share(tensor_file *f); /* the same, to be closed once more; one thread */
/* Bytes that were read from the disk since it was opened, headers and what was decoded not counted.
 */
int64_t tensor_file_from_disk(const tensor_file *f);

/* Copies the box [lo, hi) of the file, seen as rank dims of `shape` (the same elements in the same
 * order), to the dense block `to` of a dtype. Any number of threads may read at once. */
bool tensor_file_read(const tensor_file *f, int rank, const int64_t *shape, const int64_t *lo,
                      const int64_t *hi, int dtype, void *to, char *why, size_t whysize);

/* "f32[128, 10]" */
void tensor_file_type_text(int kind, int rank, const int64_t *shape, char *text, size_t size);

/* Writes a dense tensor as .npy: beside the file first, then renamed, so that a file is whole or
 * absent. */
bool tensor_file_write(const char *path, int dtype, int rank, const int64_t *shape,
                       const void *data, char *why, size_t whysize);
/* The same for any two runs of bytes. */
bool tensor_file_replace(const char *path, const void *a, size_t na, const void *b, size_t nb,
                         char *why, size_t whysize);

/* ---- between the readers. Each takes a stream at its first byte. */
bool tensor_file_size(tensor_file *f,
                      gz_stream *s); /* bytes from kind and shape; false: overflow */
bool npy_is(const gz_stream *s);
bool npy_read_header(tensor_file *f, gz_stream *s);
/* Makes the stream that of a member, whose name `f` then ends in. NULL: the only one. */
bool npz_enter(tensor_file *f, gz_stream *s, const char *name);
/* Calls `take` with each array of an .npz, named and measured: where it lies in the file, as none
 * may be deflated or in the other byte order. False with why, or once `take` is. */
bool npz_each(const char *path, bool (*take)(void *user, const char *name, const tensor_file *f),
              void *user, char *why, size_t whysize);
bool idx_is(const gz_stream *s);
bool idx_read_header(tensor_file *f, gz_stream *s);
/* The whole file; `text` of columns or NULL. */
bool csv_read(tensor_file *f, gz_stream *s, int dtype, const char *text, int64_t most_rows);
/* A file of records such as "u8[3073]" or "u8[65]@64". */
bool raw_read_header(tensor_file *f, gz_stream *s, const char *record, const char *text,
                     int64_t most_rows);
bool raw_looks_like(const char *record);
/* The columns that a text names of a row of `width`; NULL is all. */
bool columns_choose(columns *c, gz_stream *s, const char *text, int64_t width);
bool columns_ok(const char *text);
/* Text of an .npy header for a tensor; its length, or -1 when .npy has no such dtype. */
int npy_header(int dtype, int rank, const int64_t *shape, char *text, size_t size);
#endif
