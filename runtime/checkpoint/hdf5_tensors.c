/* hdf5_tensors.c: weights of Keras, a file of HDF5 (.h5) or one in a zip archive (.keras), as a file
 * of tensors: what safetensors.h has of one, without checksums. Tensors are named by their paths:
 * "layers/dense/vars/0". */
#include "hdf5.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "element.h"
#include "safetensors.h"
#include "zip.h"

/* Where the weights are in a .keras archive. NULL: it is none. */
static const zip_member *weights_of(const zip_archive *a) {
  static const char name[] = "model.weights.h5";
  for (uint64_t i = 0; i < a->n; i++)
    if (a->member[i].nname == strlen(name) && !memcmp(a->member[i].name, name, strlen(name)))
      return &a->member[i];
  return NULL;
}

bool hdf5_tensors_are(const char *path) {
  gz_stream s;
  zip_archive a = {0};
  char why[256];
  if (!gz_open(&s, path, why, sizeof why)) return false;
  const bool are = hdf5_is(s.head, (size_t)s.nhead) ||
                   (zip_is(&s) && zip_read(&a, &s) && weights_of(&a) != NULL);
  zip_free(&a);
  gz_close(&s);
  return are;
}

typedef struct listing {
  safetensors *f;
  char *why;
  size_t whysize;
} listing;

static bool listed(void *user, const hdf5_dataset *d) {
  listing *l = user;
  if (!safetensors_plain(d->name))
    return snprintf(l->why, l->whysize, "a name has control characters"), false;
  safetensors_entry *e = safetensors_add(l->f, d->name);
  if (!e) return snprintf(l->why, l->whysize, "out of memory"), false;
  e->kind = d->rank > DTRT_MAX_RANK ? -1 : d->kind;
  e->rank = d->rank > DTRT_MAX_RANK ? DTRT_MAX_RANK : d->rank;
  e->at = d->at;
  e->bytes = e->kind < 0 ? 0 : d->bytes;
  snprintf(e->dtype, sizeof e->dtype, "%s", d->kind < 0 ? "another type" : element_name(d->kind));
  memcpy(e->shape, d->shape, sizeof e->shape);
  return true;
}

/* The bytes of the file that are HDF5's; of an archive they are read through once, so that the
 * checksum is right (zip.h). */
static bool find_range(gz_stream *s, zip_archive *a, int64_t *from, int64_t *to) {
  *from = 0, *to = s->size;
  if (!zip_is(s)) return true;
  const zip_member *m = zip_read(a, s) ? weights_of(a) : NULL;
  if (!m) return false;
  if (m->method != ZIP_STORED)
    return gz_fail(s, "model.weights.h5 is deflated; Keras stores it");
  *from = (int64_t)m->data, *to = (int64_t)(m->data + m->size);
  return zip_enter(s, m);
}

bool hdf5_tensors_open(safetensors *f, const char *path, char *why, size_t whysize) {
  gz_stream s;
  zip_archive a = {0};
  int64_t from, to;
  char reason[512];
  *f = (safetensors){.path = strdup(path)};
  listing l = {f, reason, sizeof reason};
  bool good = f->path || (snprintf(why, whysize, "%s: out of memory", path), false);
  if (good && (good = gz_open(&s, path, why, whysize))) {
    f->size = s.size;
    good = find_range(&s, &a, &from, &to) &&
           (hdf5_each(s.fd, from, to, listed, &l, reason, sizeof reason) ||
            gz_fail(&s, "%s", reason)) &&
           (f->n > 0 || gz_fail(&s, "it holds no datasets"));
    zip_free(&a);
    gz_close(&s);
  }
  if (!good) safetensors_free(f);
  return good;
}
