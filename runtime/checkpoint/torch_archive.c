/* torch_archive.c: what torch.save has written since 2020: a zip archive of NAME/data.pkl, of the
 * storages NAME/data/KEY, and of NAME/byteorder. */
#include <stdlib.h>
#include <string.h>
#include "torch_file.h"
#include "zip.h"

/* What follows in a member's name behind that of the pickle's folder and this; NULL: another name.
 */
static const unsigned char *below(const zip_member *m, const zip_member *pickle, const char *name) {
  const size_t prefix = pickle->nname - strlen("data.pkl"), n = strlen(name);
  const bool is = m->nname >= prefix + n && !memcmp(m->name, pickle->name, prefix) &&
                  !memcmp(m->name + prefix, name, n);
  return is ? m->name + prefix + n : NULL;
}

static bool is_pickle(const zip_member *m) {
  const size_t n = strlen("/data.pkl");
  return m->nname >= n && !memcmp(m->name + m->nname - n, "/data.pkl", n);
}

/* All bytes of a member; NULL with why. */
static char *bytes_of(torch_file *t, const zip_member *m, int64_t most, int64_t *n) {
  return zip_enter(&t->s, m) ? gz_take_all(&t->s, n, most) : NULL;
}

static bool is_little_endian(torch_file *t, const zip_member *m) {
  int64_t n = 0;
  char *order = bytes_of(t, m, 16, &n);
  const bool is_big =
      order && (n != (int64_t)strlen("little") || memcmp(order, "little", (size_t)n));
  if (is_big) gz_fail(&t->s, "its elements are big-endian");
  free(order);
  return order && !is_big;
}

/* A storage's bytes are read through once, so that its checksum is right (zip.h). */
static bool add_storage(torch_file *t, const zip_member *m, const unsigned char *key) {
  if (m->method != ZIP_STORED)
    return gz_fail(&t->s, "its elements are deflated; torch.save stores them");
  if (!zip_enter(&t->s, m)) return false;
  t->storage[t->nstorages++] = (torch_storage){.key = (const char *)key,
                                               .nkey = (int)(m->name + m->nname - key),
                                               .at = (int64_t)m->data,
                                               .bytes = (int64_t)m->size};
  return true;
}

static bool take_member(torch_file *t, const zip_member *m, const zip_member *pickle) {
  const unsigned char *end = m->name + m->nname, *key = below(m, pickle, "data/");
  if (key && key < end) return add_storage(t, m, key);
  return below(m, pickle, "byteorder") == end ? is_little_endian(t, m) : true;
}

bool torch_read_archive(torch_file *t) {
  zip_archive *zip = t->zip = calloc(1, sizeof *zip);
  const zip_member *pickle = NULL;
  if (!zip) return gz_fail(&t->s, "out of memory");
  if (!zip_read(zip, &t->s)) return false;
  t->storage = calloc(zip->n + 1, sizeof *t->storage);
  if (!t->storage) return gz_fail(&t->s, "out of memory");
  for (zip_member *m = zip->member; m < zip->member + zip->n; m++) {
    m->is_unsummed = !m->crc; /* torch.serialization.set_crc32_options(False) */
    if (is_pickle(m)) pickle = m;
  }
  if (!pickle)
    return gz_fail(&t->s,
                   "a zip archive with neither arrays of NumPy (.npz), a data.pkl of PyTorch "
                   "(.pt) nor a model.weights.h5 of Keras; save the weights as safetensors");
  for (uint64_t i = 0; i < zip->n; i++)
    if (!take_member(t, &zip->member[i], pickle)) return false;
  int64_t n = 0;
  char why[256];
  t->bytes = (unsigned char *)bytes_of(t, pickle, TORCH_MOST_PICKLE, &n);
  if (!t->bytes) return false;
  if (!pickle_read(&t->p, t->bytes, (size_t)n, &(size_t){0}, why, sizeof why))
    return gz_fail(&t->s, "its data.pkl is damaged %s", why);
  return torch_sort(t);
}
