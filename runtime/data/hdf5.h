/* hdf5.h: the datasets of an HDF5 file as Keras and h5py write it by default: where the elements of
 * each lie. What libhdf5 has beyond that is refused with a reason: chunks (which compression
 * needs), groups that newer writers keep in fractal heaps, external files, big-endian numbers. It
 * is read here, since the file may also be a member of a .keras archive, and the library opens none
 * at an offset.
 *
 * Invariant of reading: whatever the bytes are, what is visited lies within the file, or there is a
 * reason that names an offset. Format: The HDF Group's specification, version 3. */
#ifndef DTG_RUNTIME_HDF5_H
#define DTG_RUNTIME_HDF5_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HDF5_MOST_RANK = 32, HDF5_MOST_NAME = 1024 };

typedef struct hdf5_dataset {
  const char *name; /* "layers/dense/vars/0" */
  int kind;         /* element_kind; -1: none of dtg's */
  int rank;
  int64_t shape[HDF5_MOST_RANK];
  int64_t at, bytes; /* at: from the beginning of the file */
} hdf5_dataset;

bool hdf5_is(const unsigned char *head, size_t n);
/* Calls `take` with each dataset of the HDF5 file in bytes `from` to `to` of a file. False with why
 * (without a name), or once `take` is. */
bool hdf5_each(int fd, int64_t from, int64_t to, bool (*take)(void *user, const hdf5_dataset *d),
               void *user, char *why, size_t whysize);
#endif
