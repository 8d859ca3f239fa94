/* jit_text.c: text that is malloc'ed. */
#include "jit.h"
#include <stdarg.h>
#include <stdio.h>

char *jit_printf(const char *fmt, ...) {
  va_list ap;
  char *out = NULL;
  va_start(ap, fmt);
  if (vasprintf(&out, fmt, ap) < 0) out = NULL;
  va_end(ap);
  return out;
}
