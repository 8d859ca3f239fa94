/* file_spec.h: the value of --feed NAME=...: one file or several, and a selection of its contents.
 *
 *   digits.csv.gz:0-63                  columns
 *   data_batch_*.bin:u8[3073]:1-3072    raw records and their columns, of all matching files
 *   input.txt:u8[65]@64:0-63            records of 65 that begin every 64 elements
 *   arrays.npz:x                        a member of an archive
 *   {train,extra}.npy                   these files, in this order
 *   @shards.txt:u8[65]                  the files that a list names, one a line
 *   |zcat shard*.gz:u8[65]              what a command prints, where commands are allowed
 *
 * A file whose name is the whole text takes precedence. */
#ifndef DTG_RUNTIME_FILE_SPEC_H
#define DTG_RUNTIME_FILE_SPEC_H
#include <stdbool.h>
#include <stddef.h>

enum { FILE_SPEC_MOST = 4096, FILE_SPEC_FILES = 65536, FILE_SPEC_BRACES = 32 };

typedef struct file_spec {
  char path[FILE_SPEC_MOST]; /* without what follows it */
  /* In path's memory; NULL: not given. What looks like columns may be a member. */
  const char *record, *columns, *member;
  bool command; /* file[0] is one, behind its bar */
  char **file;  /* [nfiles], sorted where a pattern names them */
  int nfiles;
} file_spec;

/* False with why; file_spec_free in either case. A file that is not there is not found here, but a
 * pattern that nothing matches is. */
bool file_spec_read(file_spec *s, const char *text, bool commands, char *why, size_t whysize);
void file_spec_free(file_spec *s);
#endif
