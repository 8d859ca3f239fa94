/* fit_fail.c: why a training loop has failed: a text of its own, or the session's. */
#include <stdarg.h>
#include <stdio.h>
#include "fit.h"

fit_status fit_fail(fit *f, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(f->why, sizeof f->why, format, list);
  va_end(list);
  return FIT_FAILED;
}

fit_status fit_session_failed(fit *f) {
  f->why[0] = '\0';
  return FIT_FAILED;
}
