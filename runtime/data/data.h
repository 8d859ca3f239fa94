/* data.h: files fed to the inputs of an entry, and the batches read from them.
 *
 * In a *whole* set each file is the whole of its input (call). Otherwise dim 0 of the inputs is
 * the batch and the files hold rows: every step takes the next `batch` rows, in file order or
 * shuffled. The order depends on seed and epoch alone, so every rank and every mesh reads the same
 * rows. */
#ifndef DTG_RUNTIME_DATA_H
#define DTG_RUNTIME_DATA_H
#include <stdbool.h>
#include "dtrt.h"
#include "tensor_file.h"

typedef struct data_pair {
  const char *name, *file; /* of --feed and --out */
  const void *data;        /* a host's array of `rows` rows in place of a file */
  int64_t rows;
} data_pair;

typedef struct data_set {
  const dtrt_entry *entry;
  tensor_file **file; /* one an input */
  const char **spec;  /* what it was opened by */
  bool *fixed;        /* scalar inputs, which are the same in every step */
  bool whole;
  const char *constant; /* that dim 0 of all inputs was written as; NULL: a number */
  int64_t batch;        /* the size of dim 0 */
  int64_t rows;         /* of the files */
  int64_t skip, limit;  /* rows [skip, skip + limit) are used */
  int64_t *order;       /* [limit], or NULL for file order */
  int64_t first;        /* row (in order) that the next step begins with */
} data_set;

/* Opens the files and checks them against the entry's inputs. limit 0: all rows after the
 * skipped ones. A file that `like` (or NULL) has open for the same type is not opened, or decoded,
 * again. False with why, the set then needs no close. The texts of `feed` live as long as the set.
 */
bool data_open(data_set *set, const dtrt_entry *entry, const data_pair *feed, int nfeed, bool whole,
               int64_t skip, int64_t limit, const data_set *like, char *why, size_t whysize);
/* The same in a job: see tensor_file_open_in. */
bool data_open_in(const spool_job *job, data_set *set, const dtrt_entry *entry,
                  const data_pair *feed, int nfeed, bool whole, int64_t skip, int64_t limit,
                  const data_set *like, char *why, size_t whysize);
void data_close(data_set *set);
/* Whether a file of the set is the one at `path`. */
bool data_reads(const data_set *set, const char *path);

/* Puts the rows into the order of an epoch. False when out of memory. */
bool data_shuffle(data_set *set, uint64_t seed, int64_t epoch);

/* Puts the rows into the order of streams: row b of step k + 1 is the one after row b of step k, so
 * batch row b reads the b-th of `batch` equal ranges of consecutive rows. Rows that do not fill a
 * step are not in the order. False when out of memory. */
bool data_stream(data_set *set);

/* Whether the batch that the next step takes, all of it, has neither NaN nor infinities. True also
 * if that is unknown. */
bool data_finite(const data_set *set);

/* A dtrt_fill_fn over a data_set. */
dtrt_fill_fn data_fill;
#endif
