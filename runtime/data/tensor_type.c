/* tensor_type.c: the type of a tensor in a file: as text, and how many bytes it takes. */
#include <stdio.h>
#include "tensor_file.h"

void tensor_file_type_text(int kind, int rank, const int64_t *shape, char *text, size_t size) {
  int n = snprintf(text, size, "%s[", element_name(kind));
  for (int d = 0; d < rank && n > 0 && (size_t)n < size; d++)
    n += snprintf(text + n, size - (size_t)n, "%s%lld", d ? ", " : "", (long long)shape[d]);
  if (n > 0 && (size_t)n < size) snprintf(text + n, size - (size_t)n, "]");
}

bool tensor_file_size(tensor_file *f, gz_stream *s) {
  int64_t n = (int64_t)element_size(f->kind);
  bool over = false, empty = false;
  for (int d = 0; d < f->rank; d++) {
    empty |= f->shape[d] == 0;
    if (f->shape[d] && __builtin_mul_overflow(n, f->shape[d], &n)) over = true;
  }
  if (over) return gz_fail(s, "the header declares more elements than fit in 64 bits");
  f->bytes = empty ? 0 : n;
  return true;
}
