/* torch_file.c: see torch_file.h. */
#include "torch_file.h"
#include <stdlib.h>
#include <string.h>
#include "element.h"
#include "zip.h"

void torch_close(torch_file *t) {
  gz_close(&t->s);
  if (t->zip) zip_free(t->zip);
  free(t->zip);
  pickle_free(&t->p);
  pickle_free(&t->keys);
  free(t->storage);
  free(t->bytes);
}

/* -------- storages -------- */

static int by_key(const void *a, const void *b) {
  const torch_storage *x = a, *y = b;
  const int c = memcmp(x->key, y->key, (size_t)(x->nkey < y->nkey ? x->nkey : y->nkey));
  return c ? c : (x->nkey > y->nkey) - (x->nkey < y->nkey);
}

bool torch_sort(torch_file *t) {
  qsort(t->storage, (size_t)t->nstorages, sizeof *t->storage, by_key);
  for (int i = 1; i < t->nstorages; i++)
    if (!by_key(&t->storage[i], &t->storage[i - 1]))
      return gz_fail(&t->s, "damaged: storage %.*s occurs twice",
                     t->storage[i].nkey < 100 ? t->storage[i].nkey : 100, t->storage[i].key);
  return true;
}

const torch_storage *torch_find(const torch_file *t, const char *key, int nkey) {
  const torch_storage k = {.key = key, .nkey = nkey};
  return t->nstorages ? bsearch(&k, t->storage, (size_t)t->nstorages, sizeof k, by_key) : NULL;
}

/* -------- values -------- */

int torch_item(const pickle *p, int list, int k) {
  const pickle_value *v = &p->value[list];
  return v->kind == PICKLE_LIST && k < v->n ? v->item[k] : -1;
}

bool torch_count(const pickle *p, int value, int64_t *n) {
  if (value < 0 || p->value[value].kind != PICKLE_INTEGER) return false;
  *n = p->value[value].number;
  return *n >= 0;
}

static const struct {
  const char *storage, *dtype; /* names in torch */
  int kind;                    /* element_kind */
} kinds[] = {{"FloatStorage", "float32", ELEMENT_F32},
             {"DoubleStorage", "float64", ELEMENT_F64},
             {"HalfStorage", "float16", ELEMENT_F16},
             {"BFloat16Storage", "bfloat16", ELEMENT_BF16},
             {"LongStorage", "int64", ELEMENT_I64},
             {"IntStorage", "int32", ELEMENT_I32},
             {"ShortStorage", "int16", ELEMENT_I16},
             {"CharStorage", "int8", ELEMENT_I8},
             {"ByteStorage", "uint8", ELEMENT_U8},
             {"BoolStorage", "bool", ELEMENT_BOOL},
             {"ComplexFloatStorage", "complex64", ELEMENT_C64},
             {"ComplexDoubleStorage", "complex128", ELEMENT_C128},
             {"", "uint16", ELEMENT_U16},
             {"", "uint32", ELEMENT_U32},
             {"", "uint64", ELEMENT_U64},
             {"", "float8_e4m3fn", ELEMENT_F8_E4M3},
             {"", "float8_e5m2", ELEMENT_F8_E5M2}};

int torch_kind(const pickle *p, int name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (pickle_names(p, name, "torch", kinds[i].storage) ||
        pickle_names(p, name, "torch", kinds[i].dtype))
      return kinds[i].kind;
  return -1;
}
