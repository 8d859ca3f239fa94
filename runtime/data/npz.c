/* npz.c: NumPy's .npz, a zip archive of .npy members. A stored member stays on disk and each device
 * reads its own block of it, as of a plain .npy. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tensor_file.h"
#include "zip.h"

enum { NPZ_SAID = 12 /* members that a message names */ };

/* Arrays are called what their members are without ".npy". */
static bool read_names(zip_archive *a, gz_stream *s) {
  if (!zip_read(a, s)) return false;
  for (zip_member *m = a->member; m < a->member + a->n; m++)
    if (m->nname > 4 && !memcmp(m->name + m->nname - 4, ".npy", 4)) m->nname -= 4;
  return true;
}

/* ---- choosing a member */

/* "x, y, z" */
static void names(const zip_archive *a, char *text, size_t size) {
  char name[ZIP_NAME];
  text[0] = '\0';
  for (uint64_t i = 0; i < a->n && i <= NPZ_SAID; i++) {
    size_t n = strlen(text);
    zip_shown(&a->member[i], name);
    snprintf(text + n, size - n, "%s%.40s", i ? ", " : "", i < NPZ_SAID ? name : "...");
  }
}

static bool is_called(const zip_member *m, const char *name) {
  size_t n = strlen(name);
  if (n < m->nname || memcmp(name, m->name, m->nname) != 0) return false;
  return n == m->nname || !strcmp(name + m->nname, ".npy");
}

/* The requested member; NULL: the only one. */
static zip_member *choose(const zip_archive *a, const char *name) {
  zip_member *found = NULL;
  int count = 0;
  char text[640];
  for (uint64_t i = 0; i < a->n; i++) {
    zip_member *m = &a->member[i];
    if (name && !is_called(m, name)) continue;
    found = m;
    count++;
  }
  if (count == 1) return found;
  names(a, text, sizeof text);
  if (a->n == 0)
    gz_fail(a->s, "the archive is empty");
  else if (count == 0)
    gz_fail(a->s, "no member '%.100s'; it holds %s", name, text);
  else if (name)
    gz_fail(a->s, "it has '%.100s' %d times", name, count);
  else
    gz_fail(a->s, "%d members: %s; name one, as in FILE.npz:NAME", count, text);
  return NULL;
}

/* ---- its bytes */

bool npz_enter(tensor_file *f, gz_stream *s, const char *name) {
  zip_archive a;
  const zip_member *m = read_names(&a, s) ? choose(&a, name) : NULL;
  bool good = m != NULL;
  if (good) {
    size_t n = strlen(f->name);
    char text[ZIP_NAME];
    zip_shown(m, text);
    snprintf(f->name + n, sizeof f->name - n, ":%s", text);
    good = zip_enter(s, m);
  }
  zip_free(&a);
  return good;
}

/* The array that the stream, at its first byte, holds. */
static bool measure(gz_stream *s, const zip_member *m, tensor_file *f) {
  if (m->method != ZIP_STORED)
    return gz_fail(s, "the array is deflated; here it has to be stored, as numpy.savez does");
  if (!npy_is(s)) return gz_fail(s, "expected an .npy array in the archive");
  if (!npy_read_header(f, s) || !tensor_file_size(f, s)) return false;
  if (f->swap)
    return gz_fail(s, "the array is big-endian; here it has to be little-endian, as astype('<f4')");
  f->offset = s->base + s->at;
  return s->size - s->at == f->bytes ||
         gz_fail(s, "the array has %lld bytes of data where its header says %lld",
                 (long long)(s->size - s->at), (long long)f->bytes);
}

bool npz_each(const char *path, bool (*take)(void *user, const char *name, const tensor_file *f),
              void *user, char *why, size_t whysize) {
  gz_stream s;
  if (!gz_open(&s, path, why, whysize)) return false;
  zip_archive a = {0};
  tensor_file *f = calloc(1, sizeof *f);
  bool good =
      f ? zip_is(&s) || gz_fail(&s, "expected an .npz archive") : gz_fail(&s, "out of memory");
  good = good && read_names(&a, &s);
  for (uint64_t i = 0; good && i < a.n; i++) {
    char name[ZIP_NAME];
    zip_member *m = &a.member[i];
    zip_shown(m, name);
    *f = (tensor_file){.fd = -1};
    snprintf(f->name, sizeof f->name, "%s:%s", path, name);
    s.name = f->name;
    char *whole = strndup((const char *)m->name, m->nname);
    good = whole ? zip_enter(&s, m) && measure(&s, m, f) && take(user, whole, f)
                 : gz_fail(&s, "out of memory");
    free(whole);
  }
  gz_close(&s);
  free(f);
  zip_free(&a);
  return good;
}
