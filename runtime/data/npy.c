/* npy.c: headers of NumPy's .npy files, versions 1 to 3: a magic, a length and a Python dict
 * literal such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. The parser accepts
 * only this subset of Python, and never trusts a length or a size. Format: numpy.lib.format's
 * documentation. */
#include "tensor_file.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_MOST_HEADER = 1 << 20 };

bool npy_is(const gz_stream *s) { return s->nhead >= 6 && !memcmp(s->head, "\x93NUMPY", 6); }

static const struct {
  const char *code;
  int kind;
} npy_kinds[] = {{"b1", ELEMENT_BOOL}, {"u1", ELEMENT_U8},   {"i1", ELEMENT_I8},
                 {"u2", ELEMENT_U16},  {"i2", ELEMENT_I16},  {"u4", ELEMENT_U32},
                 {"i4", ELEMENT_I32},  {"u8", ELEMENT_U64},  {"i8", ELEMENT_I64},
                 {"f2", ELEMENT_F16},  {"f4", ELEMENT_F32},  {"f8", ELEMENT_F64},
                 {"c8", ELEMENT_C64},  {"c16", ELEMENT_C128}};
enum { NPY_KINDS = sizeof npy_kinds / sizeof *npy_kinds };

typedef struct npy_parser {
  gz_stream *s;
  const char *text, *p, *end; /* p: what comes next */
  int64_t at;                 /* of the text, from the beginning of the .npy */
} npy_parser;

/* What is wrong at `p`. */
__attribute__((format(printf, 2, 3))) static bool npy_fail(const npy_parser *t, const char *format,
                                                           ...) {
  char text[256];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return gz_fail(t->s, ".npy header at offset %lld: %s", (long long)(t->at + (t->p - t->text)),
                 text);
}

static bool npy_expected(const npy_parser *t, const char *what) {
  if (t->p == t->end) return npy_fail(t, "expected %s, found its end", what);
  return npy_fail(t, "expected %s, found %.*s", what,
                  (int)(t->end - t->p < 20 ? t->end - t->p : 20), t->p);
}

static void npy_blank(npy_parser *t) {
  while (t->p < t->end && strchr(" \t\n\r", *t->p) && *t->p) t->p++;
}

static bool npy_token(npy_parser *t, char c) {
  npy_blank(t);
  if (t->p == t->end || *t->p != c) return false;
  t->p++;
  return true;
}

static bool npy_word(npy_parser *t, const char *word) {
  size_t n = strlen(word);
  npy_blank(t);
  if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0) return false;
  t->p += n;
  return true;
}

static bool npy_string(npy_parser *t, char *to, size_t size) {
  npy_blank(t);
  if (t->p == t->end || (*t->p != '\'' && *t->p != '"')) return false;
  const char *p = t->p, quote = *p++;
  size_t n = 0;
  for (; p < t->end && *p != quote; p++) {
    if (*p == '\\' || n + 1 >= size || (unsigned char)*p < ' ') return false;
    to[n++] = *p;
  }
  to[n] = '\0';
  if (p == t->end) return false;
  t->p = p + 1;
  return true;
}

static bool npy_size(npy_parser *t, int64_t *v) {
  npy_blank(t);
  const char *p = t->p;
  *v = 0;
  for (; p < t->end && *p >= '0' && *p <= '9'; p++)
    if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, *p - '0', v))
      return npy_fail(t, "a size of 'shape' is too large for 64 bits");
  if (p == t->p) return npy_expected(t, "a size of 'shape' from 0");
  t->p = p + (p < t->end && *p == 'L'); /* Python 2 wrote 3L */
  return true;
}

static bool npy_descr(tensor_file *f, gz_stream *s, npy_parser *t) {
  char code[64];
  if (npy_token(t, '['))
    return gz_fail(s, ".npy of records (a structured dtype); expected plain numbers");
  if (!npy_string(t, code, sizeof code)) return npy_expected(t, "a dtype in quotes, as '<f4'");
  const char *name = code;
  char order = '|';
  if (*name && strchr("<>=|", *name)) order = *name++;
  if (*name == 'O') return gz_fail(s, ".npy of Python objects; expected plain numbers");
  for (int i = 0; i < NPY_KINDS; i++)
    if (!strcmp(name, npy_kinds[i].code)) {
      f->kind = npy_kinds[i].kind;
      f->swap = order == '>' && element_size(f->kind) > 1;
      return true;
    }
  return gz_fail(s,
                 ".npy of dtype '%s'; expected integers, bool, floats of 2, 4 or 8 bytes or "
                 "complex of 8 or 16",
                 code);
}

static bool npy_shape(tensor_file *f, gz_stream *s, npy_parser *t) {
  if (!npy_token(t, '(')) return npy_expected(t, "a shape, as (3, 4)");
  f->rank = 0;
  while (!npy_token(t, ')')) {
    int64_t n;
    if (!npy_size(t, &n)) return false;
    if (f->rank == DTRT_MAX_RANK) return gz_fail(s, ".npy with more than %d dims", DTRT_MAX_RANK);
    f->shape[f->rank++] = n;
    if (npy_token(t, ',')) continue;
    return npy_token(t, ')') || npy_expected(t, ", or ) in 'shape'");
  }
  return true;
}

static bool npy_dict(tensor_file *f, gz_stream *s, npy_parser *t) {
  char key[32];
  int seen = 0;
  if (!npy_token(t, '{')) return npy_expected(t, "a Python dict");
  while (!npy_token(t, '}')) {
    npy_blank(t);
    const char *from = t->p;
    if (!npy_string(t, key, sizeof key))
      return npy_expected(t, "'descr', 'fortran_order' or 'shape'");
    if (!npy_token(t, ':')) return npy_expected(t, "a colon");
    int bit;
    if (!strcmp(key, "descr")) {
      bit = 1;
      if (!npy_descr(f, s, t)) return false;
    } else if (!strcmp(key, "fortran_order")) {
      bit = 2;
      f->fortran = npy_word(t, "True");
      if (!f->fortran && !npy_word(t, "False")) return npy_expected(t, "True or False");
    } else if (!strcmp(key, "shape")) {
      bit = 4;
      if (!npy_shape(f, s, t)) return false;
    } else {
      t->p = from;
      return npy_fail(t, "unknown key '%s'", key);
    }
    if (seen & bit) {
      t->p = from;
      return npy_fail(t, "'%s' occurs twice", key);
    }
    seen |= bit;
    if (npy_token(t, ',')) continue;
    if (npy_token(t, '}')) break;
    return npy_expected(t, ", or }");
  }
  if (seen != 7)
    return npy_fail(t, "'%s' is missing",
                    !(seen & 1)   ? "descr"
                    : !(seen & 2) ? "fortran_order"
                                  : "shape");
  npy_blank(t);
  return t->p == t->end || npy_expected(t, "nothing after the dict");
}

bool npy_read_header(tensor_file *f, gz_stream *s) {
  unsigned char lead[12] = {0};
  f->format = ".npy";
  int64_t got = gz_take(s, lead, 8);
  if (got < 0) return false;
  if (got == 8 && (lead[6] < 1 || lead[6] > 3))
    return gz_fail(s, ".npy version %d.%d at offset 6; expected 1, 2 or 3", lead[6], lead[7]);
  int wide = lead[6] == 1 ? 2 : 4;
  if (got == 8 && (got += gz_take(s, lead + 8, wide)) < 8) return false;
  if (got < 8 + wide)
    return gz_fail(s, "the .npy header is cut off at offset %lld, before its length",
                   (long long)got);
  uint32_t n = lead[8] | (uint32_t)lead[9] << 8;
  if (wide == 4) n |= (uint32_t)lead[10] << 16 | (uint32_t)lead[11] << 24;
  if (n > NPY_MOST_HEADER)
    return gz_fail(s, ".npy header of %u bytes, by its length at offset 8; expected at most %d", n,
                   NPY_MOST_HEADER);
  char *text = malloc(n + 1);
  if (!text) return gz_fail(s, "out of memory");
  got = gz_take(s, text, n);
  bool good = got == n;
  if (got >= 0 && !good)
    gz_fail(s, "the .npy header is cut off: expected %u bytes from offset %d, found %lld", n,
            8 + wide, (long long)got);
  npy_parser t = {s, text, text, text + n, 8 + wide};
  good = good && npy_dict(f, s, &t);
  free(text);
  return good;
}

int npy_header(int dtype, int rank, const int64_t *shape, char *text, size_t size) {
  const char *code = NULL;
  for (int i = 0; i < NPY_KINDS; i++)
    if (npy_kinds[i].kind == dtype) code = npy_kinds[i].code;
  if (!code) return -1;
  char dims[DTRT_MAX_RANK * 24 + 4] = "";
  int n = 0;
  for (int d = 0; d < rank; d++)
    n += snprintf(dims + n, sizeof dims - (size_t)n, "%lld,%s", (long long)shape[d],
                  d + 1 < rank ? " " : "");
  if (rank > 1) dims[n - 1] = '\0'; /* (3, 4) but (3,) */
  char dict[512];
  int len =
      snprintf(dict, sizeof dict, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
               element_size(dtype) == 1 ? '|' : '<', code, dims);
  int total = (10 + len + 1 + 63) / 64 * 64; /* numpy aligns the data to 64 */
  if ((size_t)total > size) return -1;
  memset(text, ' ', (size_t)total);
  memcpy(text, "\x93NUMPY\1\0", 8);
  text[8] = (char)((total - 10) & 255);
  text[9] = (char)((total - 10) >> 8);
  memcpy(text + 10, dict, (size_t)len);
  text[total - 1] = '\n';
  return total;
}
