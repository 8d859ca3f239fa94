/* checkpoint.h: a checkpoint on disk: a folder of safetensors files and an index, or one file.
 *
 *   step-000120/part-00000-of-00004.safetensors ...     the blocks of one device each
 *   step-000120/model.safetensors.index.json            locations, checksums, progress of training
 *
 * A variable is one entry named by its path, or pieces named with their boxes: `model.d1.w[0:64,
 * 0:16]`. The index has the checksum of each file's header, and each header those of its tensors.
 * Foreign files have neither index nor checksums: their tensors are the variables. */
#ifndef DTG_RUNTIME_CHECKPOINT_H
#define DTG_RUNTIME_CHECKPOINT_H
#include "block.h"
#include "safetensors.h"

#define CHECKPOINT_INDEX "model.safetensors.index.json"
enum { CHECKPOINT_BUFFER = 1 << 20, CHECKPOINT_WHY = 1024 };

typedef struct checkpoint_piece {
  int file, entry;
  BlockSpan box[DTRT_MAX_RANK];
} checkpoint_piece;

typedef struct checkpoint_var {
  char *path, *layout; /* layout: "" when unknown */
  int kind;            /* of the elements on disk; -1: one dtg has no use for, */
  char foreign[16];    /* which is spelled so */
  int dtype;           /* of the variable that was saved; = kind in foreign files */
  int rank, trainable;
  int64_t shape[DTRT_MAX_RANK];
  checkpoint_piece *piece; /* [npieces]; none when it has no elements */
  int npieces;
  /* Of a variable in one piece whose elements lie in another order, or a part of one: how many
   * elements from one place of each dim to the next, and before the first; NULL: dense. */
  const int64_t *step;
  int64_t begin;
} checkpoint_var;

typedef struct checkpoint {
  char *path, *program, *mesh; /* mesh: "[batch=4, model=2]"; both "" when foreign */
  bool own;                    /* there is an index of ours */
  uint64_t hash;               /* of the program */
  dtrt_progress progress;
  safetensors *file;
  int nfiles;
  checkpoint_var *var; /* by path */
  int nvars;
} checkpoint;

/* Opens a checkpoint's folder, a folder of checkpoints (the newest), a folder with an index, a
 * single .safetensors file, an .npz archive or a file of torch.save or of Keras. Headers are read
 * and checked, elements are not. False with why. */
bool checkpoint_open(checkpoint *c, const char *path, char *why, size_t whysize);
void checkpoint_free(checkpoint *c);
int64_t checkpoint_count(const checkpoint_var *v); /* elements; sizes beside a 0 may be anything */
const checkpoint_var *checkpoint_find(const checkpoint *c, const char *path);

/* Compares elements with their checksums: entries k, k + step, ... of all files. */
bool checkpoint_verify(const checkpoint *c, int k, int step, char *why, size_t whysize);

/* Reading boxes through one buffer. One thread each. */
typedef struct checkpoint_reader {
  const checkpoint *of;
  char *buffer; /* CHECKPOINT_BUFFER bytes */
  int fd, file; /* the file that was read last, or -1 */
  char *why;    /* of CHECKPOINT_WHY bytes */
} checkpoint_reader;
bool checkpoint_reader_open(checkpoint_reader *r, const checkpoint *c, char *why);
void checkpoint_reader_close(checkpoint_reader *r);
/* The box of dims `lo` to `hi` of the variable with its dims in the order `perm` (dim i is dim
 * perm[i] of the file; NULL: as they are), to elements of a dtype that lie `step` apart (NULL:
 * dense). */
bool checkpoint_read(checkpoint_reader *r, const checkpoint_var *v, const int *perm,
                     const int64_t *lo, const int64_t *hi, int dtype, void *to,
                     const int64_t *step);

/* -------- names of checkpoints in a folder: checkpoint_dir.c -------- */

typedef struct checkpoint_steps {
  int64_t *step; /* descending */
  int n;
} checkpoint_steps;
/* The checkpoints step-* in a folder; none when there is no such folder. */
bool checkpoint_list(const char *dir, checkpoint_steps *s, char *why, size_t whysize);
char *checkpoint_step_path(const char *dir, int64_t step); /* malloc'ed */
bool checkpoint_remove(const char *path); /* renamed first, so that no half of one is ever found */
void checkpoint_discard(const char *aside); /* one that was never given its name */
void checkpoint_remove_aside(
    const char *dir); /* what crashes have left in a folder of checkpoints */
bool checkpoint_make_folder(const char *path, char *why, size_t whysize); /* with those above it */
bool checkpoint_sync_folder(const char *path, char *why, size_t whysize); /* fsync */
/* Moves the finished folder `aside` to `path`, replacing an existing one. */
bool checkpoint_place(const char *aside, const char *path, char *why, size_t whysize);
char *checkpoint_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* -------- writing the index: checkpoint_index.c -------- */

typedef struct checkpoint_saved { /* a variable's entry in the index */
  const char *path;
  int dtype, kind, rank, trainable;
  int64_t shape[DTRT_MAX_RANK];
  const char *layout;
} checkpoint_saved;
typedef struct checkpoint_about {
  const char *program, *mesh;
  uint64_t hash;
  dtrt_progress progress;
  const checkpoint_saved *var;
  int nvars;
} checkpoint_about;
/* Reads the headers of the parts in the folder and writes the index beside them. */
bool checkpoint_write_index(const char *folder, const checkpoint_about *a, int nparts, char *why,
                            size_t whysize);
json_t *checkpoint_metadata(const checkpoint_about *a); /* of every file */
char *checkpoint_part_name(int part, int nparts);       /* malloc'ed */
/* "path[0:64, 0:16]", malloc'ed; the path alone when the box is the whole. */
char *checkpoint_entry_name(const char *path, int rank, const int64_t *shape, const BlockSpan *box);

/* -------- writing a file of tensors: checkpoint_write.c -------- */

typedef struct checkpoint_writer {
  char *path;
  int fd;
  safetensors_entry *entry; /* in the order of their places */
  int n;
  const json_t *metadata;
  int64_t at;
  char *stretch; /* the bytes from `base` to `at`, which are not written yet */
  int64_t base, room;
  bool direct; /* past the page cache */
  int next;    /* entry that is being written */
  char *why;   /* of CHECKPOINT_WHY bytes */
} checkpoint_writer;
/* Makes the file, which must not exist; elements follow in the order of the entries, then close
 * writes the header with their checksums and waits until all is on disk. */
bool checkpoint_writer_open(checkpoint_writer *w, const char *path, safetensors_entry *entry, int n,
                            const json_t *metadata, char *why);
bool checkpoint_writer_put(checkpoint_writer *w, const void *bytes, int64_t n); /* of entry[next] */
bool checkpoint_writer_close(checkpoint_writer *w, bool good); /* not good: removes it */
/* So that the elements of all are aligned. */
void checkpoint_sort_entries(safetensors_entry *entry, int n);
#endif
