/* torch_file.h: what torch.save has written: a pickle, which says what there is, and storages, in
 * which the elements are. */
#ifndef DTG_RUNTIME_TORCH_FILE_H
#define DTG_RUNTIME_TORCH_FILE_H
#include "gz.h"
#include "pickle.h"

enum { TORCH_MOST_PICKLE = 16 << 20 /* bytes */ };

typedef struct torch_storage {
  const char *key; /* `nkey` bytes, in those of the archive's directory or of the pickles */
  int nkey;
  int64_t at, bytes; /* in the file */
} torch_storage;

typedef struct torch_file {
  gz_stream s;
  struct zip_archive *zip; /* NULL: it is none */
  unsigned char *bytes;    /* of the pickles */
  pickle p, keys;
  torch_storage *storage; /* by key */
  int nstorages;
} torch_file;

/* Each reads the pickle and where the storages are, of a stream at its first byte. False with why
 * in the stream; closed in either case. */
bool torch_read_archive(torch_file *t); /* torch_archive.c */
bool torch_is_legacy(const gz_stream *s);
bool torch_read_legacy(torch_file *t); /* torch_legacy.c */
void torch_close(torch_file *t);
const torch_storage *torch_find(const torch_file *t, const char *key, int nkey); /* or NULL */
bool torch_sort(torch_file *t); /* the storages; false with why where two have one key */

int torch_item(const pickle *p, int list, int k); /* item k of a list; -1: it has none */
/* An integer of at least 0; false: it is none. The value may be -1. */
bool torch_count(const pickle *p, int value, int64_t *n);
/* The type that a class of storages or a dtype stands for, an element_kind; -1: none of dtg's. */
int torch_kind(const pickle *p, int name);
#endif
