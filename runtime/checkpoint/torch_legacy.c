/* torch_legacy.c: what torch.save wrote before 2020, and the weights of many older models are in:
 * pickles of a magic number, a version, the kind of machine, of what was saved and of the list of
 * keys of the storages, which follow, each behind its number of elements. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "element.h"
#include "little.h"
#include "torch_file.h"

enum { MAGIC = 15 };

bool torch_is_legacy(const gz_stream *s) {
  return s->seekable && s->nhead >= MAGIC &&
         !memcmp(s->head, "\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.", MAGIC);
}

static bool next(torch_file *t, pickle *p, int64_t n, size_t *at) {
  char why[256];
  if (pickle_read(p, t->bytes, (size_t)n, at, why, sizeof why)) return true;
  return n < t->s.size && *at >= (size_t)n
             ? gz_fail(&t->s, "its pickles have more than %d bytes", TORCH_MOST_PICKLE)
             : gz_fail(&t->s, "damaged %s", why);
}

/* A pickle that is read for its end alone, and for "little_endian". */
static bool skip(torch_file *t, int64_t n, size_t *at, bool *is_big) {
  pickle p;
  const bool good = next(t, &p, n, at);
  const pickle_value *v = good ? &p.value[p.top] : NULL;
  for (int i = 0; v && v->kind == PICKLE_DICT && i + 1 < v->n; i += 2)
    if (pickle_says(&p, v->item[i], "little_endian")) *is_big |= !p.value[v->item[i + 1]].number;
  pickle_free(&p);
  return good;
}

/* Bytes of an element of the storage of a key: what the pickle says where it uses it. */
typedef struct use {
  const pickle_value *key;
  int64_t each;
} use;

static int by_key(const void *a, const void *b) {
  const pickle_value *x = ((const use *)a)->key, *y = ((const use *)b)->key;
  const int c = memcmp(x->text, y->text, (size_t)(x->n < y->n ? x->n : y->n));
  return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* The storages that the pickle uses, by key. NULL with why. */
static use *uses(torch_file *t, int *n) {
  use *list = calloc((size_t)t->p.n + 1, sizeof *list);
  *n = 0;
  for (int i = 0; list && i < t->p.n; i++) {
    const pickle_value *v = &t->p.value[i];
    const int key = v->kind == PICKLE_KEPT ? torch_item(&t->p, v->with, 2) : -1;
    if (key < 0 || t->p.value[key].kind != PICKLE_TEXT) continue;
    const int kind = torch_kind(&t->p, torch_item(&t->p, v->with, 1));
    list[(*n)++] = (use){&t->p.value[key], kind < 0 ? 0 : (int64_t)element_size(kind)};
  }
  if (!list) gz_fail(&t->s, "out of memory");
  if (list) qsort(list, (size_t)*n, sizeof *list, by_key);
  return list;
}

static bool read_storage(torch_file *t, const use *list, int n, const pickle_value *key,
                         int64_t *at) {
  const use wanted = {.key = key};
  const use *u = key->kind == PICKLE_TEXT && n
                     ? bsearch(&wanted, list, (size_t)n, sizeof *list, by_key)
                     : NULL;
  if (!u || !u->each)
    return gz_fail(&t->s, "its storages have elements of an unknown type; save it again");
  unsigned char count[8];
  int64_t bytes = 0;
  if (*at > t->s.size - 8 || pread(t->s.fd, count, 8, *at) != 8)
    return gz_fail(&t->s, "damaged: it ends early");
  bytes = (int64_t)le(count, 8);
  *at += 8;
  if (bytes < 0 || __builtin_mul_overflow(bytes, u->each, &bytes) || bytes > t->s.size - *at)
    return gz_fail(&t->s, "damaged: a storage reaches past the end of the file");
  t->storage[t->nstorages++] =
      (torch_storage){.key = key->text, .nkey = key->n, .at = *at, .bytes = bytes};
  *at += bytes;
  return true;
}

static bool read_storages(torch_file *t, int64_t at) {
  const pickle_value *keys = &t->keys.value[t->keys.top];
  int n;
  if (keys->kind != PICKLE_LIST) return gz_fail(&t->s, "damaged: it has no list of storages");
  use *list = uses(t, &n);
  t->storage = calloc((size_t)keys->n + 1, sizeof *t->storage);
  bool good = list && (t->storage || gz_fail(&t->s, "out of memory"));
  for (int i = 0; good && i < keys->n; i++)
    good = read_storage(t, list, n, &t->keys.value[keys->item[i]], &at);
  free(list);
  return good && torch_sort(t);
}

bool torch_read_legacy(torch_file *t) {
  const int64_t n = t->s.size < TORCH_MOST_PICKLE ? t->s.size : TORCH_MOST_PICKLE;
  size_t at = 0;
  bool is_big = false;
  t->bytes = malloc((size_t)n);
  if (!t->bytes) return gz_fail(&t->s, "out of memory");
  if (pread(t->s.fd, t->bytes, (size_t)n, 0) != n) return gz_fail(&t->s, "it cannot be read");
  for (int i = 0; i < 3; i++)
    if (!skip(t, n, &at, &is_big)) return false;
  if (is_big) return gz_fail(&t->s, "its elements are big-endian");
  return next(t, &t->p, n, &at) && next(t, &t->keys, n, &at) && read_storages(t, (int64_t)at);
}
