/* torch_tensors.c: what torch.save has written, as a file of tensors: what safetensors.h has of
 * one. Nothing that its pickle names is run.
 *
 * Tensors in dicts and lists within each other are named by their keys: "model.fc.weight". Those of
 * a module that was saved as a whole have the names of its state_dict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "element.h"
#include "safetensors.h"
#include "torch_file.h"
#include "zip.h"

enum { DEEPEST = 64, MOST_LOOKS = 16 << 20, MOST_TENSORS = 1 << 20, MOST_NAME = 1024 };

typedef struct torch_names {
  safetensors *f;
  torch_file t;
  char name[MOST_NAME]; /* of what is looked at */
  int looks;
} torch_names;

/* -------- tensors -------- */

static const pickle_value *value_of(const torch_names *l, int v) { return &l->t.p.value[v]; }

static int item(const torch_names *l, int list, int k) { return torch_item(&l->t.p, list, k); }

static bool bad(torch_names *l, const char *what) {
  return gz_fail(&l->t.s, "damaged: tensor %.200s %s", l->name, what);
}

/* The type by a storage's class or by a dtype; how that is called where dtg has none such. */
static void read_kind(const torch_names *l, int name, safetensors_entry *e) {
  e->kind = torch_kind(&l->t.p, name);
  const pickle_value *v = value_of(l, name);
  const pickle_value *text = v->kind == PICKLE_NAME ? value_of(l, v->with) : NULL;
  if (e->kind >= 0)
    snprintf(e->dtype, sizeof e->dtype, "%s", element_name(e->kind));
  else if (text && text->kind == PICKLE_TEXT)
    snprintf(e->dtype, sizeof e->dtype, "%.*s", text->n, text->text);
}

/* Sizes and steps; *last: the place of the last element, from the first. */
static bool read_shape(torch_names *l, int size, int step, safetensors_entry *e, int64_t *last) {
  const pickle_value *s = value_of(l, size);
  int64_t count = 1, dense = 1;
  if (s->kind != PICKLE_LIST || value_of(l, step)->kind != PICKLE_LIST ||
      s->n != value_of(l, step)->n)
    return bad(l, "has no shape");
  if (s->n > DTRT_MAX_RANK) e->kind = -1;
  e->rank = s->n > DTRT_MAX_RANK ? DTRT_MAX_RANK : s->n;
  *last = 0;
  bool is_empty = false;
  for (int d = s->n; d--;) {
    int64_t n, apart, reach;
    if (!torch_count(&l->t.p, item(l, size, d), &n) ||
        !torch_count(&l->t.p, item(l, step, d), &apart))
      return bad(l, "has an invalid size");
    is_empty |= n == 0;
    if (n > 0 &&
        (__builtin_mul_overflow(n - 1, apart, &reach) ||
         __builtin_add_overflow(*last, reach, last) || __builtin_mul_overflow(count, n, &count)))
      return bad(l, "has more elements than fit in 64 bits");
    if (d < DTRT_MAX_RANK) e->shape[d] = n, e->step[d] = apart;
    e->is_strided |= n > 1 && apart != dense;
    dense = count;
  }
  e->bytes = is_empty ? 0 : count;
  return true;
}

static bool add_tensor(torch_names *l, const safetensors_entry *e) {
  if (l->f->n >= MOST_TENSORS) return gz_fail(&l->t.s, "it has more than %d tensors", MOST_TENSORS);
  safetensors_entry *to = safetensors_add(l->f, l->name);
  if (!to) return gz_fail(&l->t.s, "out of memory");
  char *name = to->name;
  *to = *e;
  to->name = name;
  return true;
}

/* Where the elements of a storage are that has a key; false with why. */
static bool place(torch_names *l, int key, int64_t begin, int64_t last, safetensors_entry *e) {
  const pickle_value *k = value_of(l, key);
  const int64_t each = (int64_t)element_size(e->kind);
  const torch_storage *s = k->kind == PICKLE_TEXT ? torch_find(&l->t, k->text, k->n) : NULL;
  int64_t end;
  if (!s) return bad(l, "has no elements in the file");
  if (__builtin_add_overflow(begin, last, &end) || end >= s->bytes / each)
    return bad(l, "reaches past the end of its storage");
  if (__builtin_mul_overflow(e->bytes, each, &e->bytes))
    return bad(l, "has more elements than fit in 64 bits");
  e->at = s->at + begin * each;
  return true;
}

/* Conjugates and negatives that are still to be computed are of no type of dtg's. */
static bool is_lazy(const torch_names *l, int metadata) {
  return metadata >= 0 && value_of(l, metadata)->kind == PICKLE_DICT &&
         value_of(l, metadata)->n > 0;
}

/* torch._utils._rebuild_tensor_v2(storage, begin, size, step, ..., metadata), and _v3, which has a
 * dtype before that. */
static bool read_tensor(torch_names *l, int args, bool has_dtype) {
  safetensors_entry e = {.kind = -1};
  int64_t begin, last;
  const int storage = item(l, args, 0), size = item(l, args, 2), step = item(l, args, 3),
            dtype = has_dtype ? item(l, args, 6) : -1;
  if (storage < 0 || value_of(l, storage)->kind != PICKLE_KEPT || size < 0 || step < 0 ||
      !torch_count(&l->t.p, item(l, args, 1), &begin))
    return bad(l, "is not described as torch.save does");
  const int at = value_of(l, storage)->with; /* ("storage", class, key, device, elements) */
  if (item(l, at, 4) < 0) return bad(l, "has no storage");
  const int view = item(l, at, 5); /* before 2020: a part of a storage that another tensor has */
  if (view >= 0 && value_of(l, view)->kind == PICKLE_LIST)
    return gz_fail(&l->t.s, "tensor %.200s is a part of another's storage; save it again", l->name);
  if (is_lazy(l, item(l, args, has_dtype ? 7 : 6)))
    snprintf(e.dtype, sizeof e.dtype, "lazy view");
  else
    read_kind(l, dtype >= 0 ? dtype : item(l, at, 1), &e);
  if (!read_shape(l, size, step, &e, &last)) return false;
  if (e.kind < 0) e.bytes = 0; /* it is never read */
  return (!e.bytes || place(l, item(l, at, 2), begin, last, &e)) && add_tensor(l, &e);
}

/* -------- what was saved -------- */

static bool look(torch_names *l, int v, int deep);

static bool look_below(torch_names *l, const char *key, int nkey, int v, int deep) {
  const size_t n = strlen(l->name);
  const int more = snprintf(l->name + n, sizeof l->name - n, "%s%.*s", n ? "." : "", nkey, key);
  const bool good = n + (size_t)more < sizeof l->name
                        ? look(l, v, deep + 1)
                        : gz_fail(&l->t.s, "a tensor's name has more than %d bytes", MOST_NAME);
  l->name[n] = 0;
  return good;
}

/* What a key is: text, or a number. False: neither. */
static bool key_text(const torch_names *l, int key, char *number, size_t size, const char **text,
                     int *n) {
  const pickle_value *k = value_of(l, key);
  *text = k->text, *n = k->n;
  if (k->kind != PICKLE_INTEGER) return k->kind == PICKLE_TEXT;
  *text = number;
  *n = snprintf(number, size, "%lld", (long long)k->number);
  return true;
}

static bool look_into(torch_names *l, const pickle_value *dict, int deep) {
  char number[32];
  const char *text;
  int n;
  const int *item = dict->item;
  for (int i = 0; i + 1 < dict->n; i += 2)
    if (key_text(l, item[i], number, sizeof number, &text, &n) &&
        !look_below(l, text, n, item[i + 1], deep))
      return false;
  return true;
}

/* The value of a key in a dict; NULL: there is none, or it has no items. */
static const pickle_value *entry_of(const torch_names *l, const pickle_value *dict,
                                    const char *key) {
  for (int i = 0; i + 1 < dict->n; i += 2)
    if (pickle_says(&l->t.p, dict->item[i], key)) {
      const pickle_value *v = value_of(l, dict->item[i + 1]);
      return v->kind == PICKLE_DICT || v->kind == PICKLE_MADE ? v : NULL;
    }
  return NULL;
}

/* A module has its parameters, buffers and modules in dicts. */
static bool look_into_state(torch_names *l, int state, int deep) {
  static const char *const members[] = {"_parameters", "_buffers", "_modules"};
  if (state < 0 || value_of(l, state)->kind != PICKLE_DICT) return true;
  for (int i = 0; i < 3; i++) {
    const pickle_value *of = entry_of(l, value_of(l, state), members[i]);
    if (of && !look_into(l, of, deep)) return false;
  }
  return true;
}

static bool look_at_made(torch_names *l, const pickle_value *v, int deep) {
  const int first = item(l, v->with, 0);
  for (int version = 0; version < 3; version++) {
    static const char *const names[] = {"_rebuild_tensor", "_rebuild_tensor_v2",
                                        "_rebuild_tensor_v3"};
    if (pickle_names(&l->t.p, v->of, "torch._utils", names[version]))
      return read_tensor(l, v->with, version == 2);
  }
  if (first >= 0 && (pickle_names(&l->t.p, v->of, "torch._utils", "_rebuild_parameter") ||
                     pickle_names(&l->t.p, v->of, "torch._utils", "_rebuild_parameter_with_state")))
    return look(l, first, deep + 1);
  return look_into(l, v, deep) && look_into_state(l, v->state, deep);
}

static bool look(torch_names *l, int id, int deep) {
  const pickle_value *v = value_of(l, id);
  char number[16];
  if (deep > DEEPEST) return gz_fail(&l->t.s, "it is nested more than %d deep", DEEPEST);
  if (++l->looks > MOST_LOOKS) return gz_fail(&l->t.s, "it names the same values again and again");
  if (v->kind == PICKLE_DICT) return look_into(l, v, deep);
  if (v->kind == PICKLE_MADE) return look_at_made(l, v, deep);
  if (v->kind != PICKLE_LIST) return true;
  for (int i = 0; i < v->n; i++) {
    const int n = snprintf(number, sizeof number, "%d", i);
    if (!look_below(l, number, n, v->item[i], deep)) return false;
  }
  return true;
}

static bool read_names(torch_names *l) {
  const bool is_legacy = torch_is_legacy(&l->t.s);
  if (!(is_legacy ? torch_read_legacy : torch_read_archive)(&l->t)) return false;
  if (!look(l, l->t.p.top, 0)) return false;
  for (int i = 0; i < l->f->n; i++) {
    const char *name = l->f->entry[i].name;
    if (!*name) return gz_fail(&l->t.s, "its tensor has no name; save a dict of tensors");
    if (!safetensors_plain(name))
      return gz_fail(&l->t.s, "a tensor's name holds control characters");
  }
  return l->f->n > 0 || gz_fail(&l->t.s, "it holds no tensors by name; expected what "
                                         "torch.save(model.state_dict(), path) writes");
}

bool torch_tensors_are(const char *path) {
  gz_stream s;
  char why[256];
  if (!gz_open(&s, path, why, sizeof why)) return false;
  const bool are = zip_is(&s) || torch_is_legacy(&s);
  gz_close(&s);
  return are;
}

bool torch_tensors_open(safetensors *f, const char *path, char *why, size_t whysize) {
  struct stat st;
  *f = (safetensors){.path = strdup(path)};
  torch_names *l = calloc(1, sizeof *l);
  bool good = l && f->path;
  if (!good) snprintf(why, whysize, "%s: out of memory", path);
  if (good && (good = gz_open(&l->t.s, path, why, whysize))) {
    l->f = f;
    if (!stat(path, &st)) f->size = st.st_size;
    good = read_names(l);
    torch_close(&l->t);
  }
  free(l);
  if (!good) safetensors_free(f);
  return good;
}
