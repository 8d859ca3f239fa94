/* safetensors.h: one safetensors file: eight bytes with the length of a JSON header, the header
 * (name -> dtype, shape, offsets), then the elements of all tensors, row-major and contiguous.
 *
 * Invariant of reading: whatever the bytes are, the result is a list of entries that are inside
 * the file, contiguous and of the sizes of their shapes, or one line that names the file and the
 * error. */
#ifndef DTG_RUNTIME_SAFETENSORS_H
#define DTG_RUNTIME_SAFETENSORS_H
#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include "dtrt.h"

typedef struct safetensors_entry {
  char *name;
  char dtype[16]; /* as the file spells it: "F32" */
  int kind;       /* element_kind; -1: one that dtg has no use for, or of more dims than it has */
  int rank;
  int64_t shape[DTRT_MAX_RANK];
  int64_t at, bytes; /* at: from the beginning of the file */
  /* Elements from one place of each dim to the next, where they do not lie as they are counted
   * (npz_tensors.c, torch_tensors.c). */
  bool is_strided;
  int64_t step[DTRT_MAX_RANK];
  bool summed;       /* crc is known */
  uint32_t crc;      /* CRC-32 of the bytes */
  int of;            /* a writer's own: which variable it is of */
} safetensors_entry;

typedef struct safetensors {
  char *path;
  int64_t size, data;  /* of the file; where the elements begin */
  uint32_t header_crc; /* of all before `data` */
  bool part;           /* by its metadata it is a part of a checkpoint of ours */
  safetensors_entry *entry;
  int n; /* entries, in the order of their places */
} safetensors;

/* False with why; the file then needs no free. */
typedef bool safetensors_opener(safetensors *f, const char *path, char *why, size_t whysize);
safetensors_opener safetensors_open;
/* The same of an .npz archive (npz_tensors.c), of weights of Keras (hdf5_tensors.c), and of any
 * other zip archive, which has to be a file of torch.save (torch_tensors.c). */
bool npz_tensors_are(const char *path), hdf5_tensors_are(const char *path),
    torch_tensors_are(const char *path);
safetensors_opener npz_tensors_open, hdf5_tensors_open, torch_tensors_open;
void safetensors_free(safetensors *f);
/* One more entry of this name, for files of other kinds; NULL: out of memory. */
safetensors_entry *safetensors_add(safetensors *f, const char *name);

/* The first bytes of a file of these entries, whose places are filled in: relative to the end of
 * the header they follow each other in the given order. Checksums become metadata beside those
 * given (text -> text). *length does not depend on their values. NULL: out of memory. */
char *safetensors_header(safetensors_entry *entry, int n, const json_t *metadata, int64_t *length);

const char *safetensors_dtype(int kind); /* "F32" */
int safetensors_kind(const char *dtype); /* -1: none */

/* Parses JSON of a stranger, which begins at the offset `at` of its file: at most `deepest` levels
 * and some million values, no duplicate keys. NULL with why. */
json_t *safetensors_json(const char *text, size_t n, int64_t at, int deepest, char *why,
                         size_t whysize);
/* All bytes of a file of at most `most` bytes, and a NUL after them. NULL with why. */
char *safetensors_slurp(const char *path, int64_t most, int64_t *n, char *why, size_t whysize);
/* Text that can be printed: no control characters. */
bool safetensors_plain(const char *text);
#endif
