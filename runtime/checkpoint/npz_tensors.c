/* npz_tensors.c: an archive of NumPy's arrays as a file of tensors: what safetensors.h has of one,
 * without checksums of the elements alone (zip.c compares those of members up to 64 MiB). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"
#include "safetensors.h"
#include "tensor_file.h"

/* A zip archive whose first member is an array: PyTorch's files are archives, too. */
bool npz_tensors_are(const char *path) {
  enum { LOCAL = 30, NAME_AT = 26, LONGEST = 4096 };
  unsigned char head[LOCAL + LONGEST] = "";
  const char *wrong;
  const int fd = file_open(path, &wrong);
  const ssize_t n = fd >= 0 ? pread(fd, head, sizeof head, 0) : -1;
  if (fd >= 0) close(fd);
  if (n < LOCAL || memcmp(head, "PK\3\4", 4) != 0) return false;
  const int name = head[NAME_AT] | head[NAME_AT + 1] << 8;
  return name >= 4 && LOCAL + name <= n && !memcmp(head + LOCAL + name - 4, ".npy", 4);
}

typedef struct Listing {
  safetensors *f;
  char *why;
  size_t whysize;
} Listing;

static bool listed(void *user, const char *name, const tensor_file *a) {
  Listing *l = user;
  if (!safetensors_plain(name))
    return snprintf(l->why, l->whysize, "%s: a name has control characters", a->name), false;
  safetensors_entry *e = safetensors_add(l->f, name);
  if (!e) return snprintf(l->why, l->whysize, "%s: out of memory", l->f->path), false;
  e->kind = a->kind, e->rank = a->rank, e->at = a->offset, e->bytes = a->bytes;
  snprintf(e->dtype, sizeof e->dtype, "%s", element_name(a->kind));
  memcpy(e->shape, a->shape, sizeof e->shape);
  e->is_strided = a->fortran && a->rank > 1;
  for (int64_t d = 0, n = 1; d < e->rank; d++) e->step[d] = n, n *= e->shape[d];
  return true;
}

bool npz_tensors_open(safetensors *f, const char *path, char *why, size_t whysize) {
  struct stat st;
  *f = (safetensors){.path = strdup(path)};
  Listing l = {.f = f, .why = why, .whysize = whysize};
  if (!f->path) return snprintf(why, whysize, "%s: out of memory", path), false;
  if (!stat(path, &st)) f->size = st.st_size;
  if (npz_each(path, listed, &l, why, whysize)) return true;
  safetensors_free(f);
  return false;
}
