/* tell.c: what a program tells a person while it runs: a failed assertion ends the call on
 * all devices, as each of them takes it alike; a print is written by the first device alone, as
 * NumPy would show it, in one piece. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "dtype_table.h"

typedef struct ToldText {
  char *at;
  size_t n, room;
} ToldText;

/* Out of memory: what is there stays. */
static void put(ToldText *t, const char *s, size_t n) {
  if (t->n + n + 1 > t->room) {
    const size_t room = 2 * (t->n + n) + 256;
    char *at = realloc(t->at, room);
    if (!at) return;
    t->at = at, t->room = room;
  }
  memcpy(t->at + t->n, s, n);
  t->at[t->n += n] = 0;
}

static void puts_text(ToldText *t, const char *s) { put(t, s, strlen(s)); }

/* 1-2.5j */
static void put_complex(ToldText *t, int type, const void *x, int64_t i) {
  char s[80];
  const double re = type == DTRT_C64 ? ((const float *)x)[2 * i] : ((const double *)x)[2 * i],
               im = type == DTRT_C64 ? ((const float *)x)[2 * i + 1]
                                     : ((const double *)x)[2 * i + 1];
  snprintf(s, sizeof s, type == DTRT_C128 ? "%.12g%+.12gj" : "%.8g%+.8gj", re, im);
  puts_text(t, s);
}

static void put_value(ToldText *t, int type, const void *x, int64_t i) {
  char s[40];
  int64_t whole = 0;
  switch (type) {
  case DTRT_BOOL: puts_text(t, ((const uint8_t *)x)[i] ? "true" : "false"); return;
  case DTRT_U8: whole = ((const uint8_t *)x)[i]; break;
  case DTRT_I8: whole = ((const int8_t *)x)[i]; break;
  case DTRT_I16: whole = ((const int16_t *)x)[i]; break;
  case DTRT_U16: whole = ((const uint16_t *)x)[i]; break;
  case DTRT_U32: whole = ((const uint32_t *)x)[i]; break;
  case DTRT_U64:
    snprintf(s, sizeof s, "%" PRIu64, ((const uint64_t *)x)[i]);
    puts_text(t, s);
    return;
  case DTRT_I32: whole = ((const int32_t *)x)[i]; break;
  case DTRT_I64: whole = ((const int64_t *)x)[i]; break;
  case DTRT_C64:
  case DTRT_C128: put_complex(t, type, x, i); return;
  default:
    snprintf(s, sizeof s, type == DTRT_F64 ? "%.12g" : "%.8g",
             dtype_number(type, (const char *)x + i * dtrt_dtype_size(type)));
    puts_text(t, s);
    return;
  }
  snprintf(s, sizeof s, "%" PRId64, whole);
  puts_text(t, s);
}

/* The next line of a text that has one. */
static const char *next_line(const char *s, size_t *n) {
  *n = strcspn(s, "\n");
  return s[*n] ? s + *n + 1 : s + *n;
}

void dtrt_assert(dtrt_device *dev, int32_t *done, const char *text, int32_t type, const void *holds,
                 ...) {
  Device *d = device_of(dev);
  (void)type;
  *done = 0;
  if (*(const uint8_t *)holds) return;
  char why[400];
  ToldText t = {0};
  size_t n, condition;
  const char *rest = next_line(text, &n), *names = next_line(rest, &condition);
  if (n) put(&t, text, n), puts_text(&t, ": ");
  put(&t, rest, condition);
  puts_text(&t, " is false");
  va_list ap;
  va_start(ap, holds);
  for (const char *at = names; *at;) {
    const int of = va_arg(ap, int);
    const void *x = va_arg(ap, const void *);
    const char *name = at;
    at = next_line(at, &n);
    puts_text(&t, name == names ? ", where " : ", ");
    put(&t, name, n);
    puts_text(&t, " = ");
    put_value(&t, of, x, 0);
  }
  va_end(ap);
  snprintf(why, sizeof why, "%s", t.at ? t.at : "an assertion is false");
  free(t.at);
  device_fail(d, "%s", why);
}

typedef struct Printed {
  int rank;
  int64_t dim[DTRT_MAX_RANK];
  bool cut[DTRT_MAX_RANK];
} Printed;

static Printed printed_of(const char *s) {
  Printed to = {0};
  for (char *end; *s && to.rank < DTRT_MAX_RANK; s = end + strspn(end, " "), to.rank++) {
    to.cut[to.rank] = *s == '~';
    to.dim[to.rank] = strtoll(s + (*s == '~'), &end, 10);
  }
  return to;
}

static void indent(ToldText *t, int by) {
  puts_text(t, "\n");
  while (by-- > 0) puts_text(t, " ");
}

/* Rows below each other, an empty line between matrices. Returns the element behind. */
static int64_t put_dim(ToldText *t, const Printed *s, int d, int type, const void *x, int64_t i,
                       int from) {
  if (d == s->rank) {
    put_value(t, type, x, i);
    return i + 1;
  }
  const bool last = d == s->rank - 1;
  puts_text(t, "[");
  for (int64_t k = 0; k < s->dim[d]; k++) {
    if (k) puts_text(t, last ? ", " : ",");
    for (int gap = s->rank - d - 2; k && gap > 0; gap--)
      if (gap > 1) puts_text(t, "\n");
    if (k && !last) indent(t, from + d + 1);
    if (s->cut[d] && k == s->dim[d] / 2) {
      puts_text(t, last ? "..., " : "...,");
      if (!last) indent(t, from + d + 1);
    }
    i = put_dim(t, s, d + 1, type, x, i, from);
  }
  puts_text(t, "]");
  return i;
}

/* To the host program. Without memory it gets nothing, as stderr would. */
static void hand_over(Device *d, const Printed *s, const ToldText *all, const char *where,
                      const char *label, size_t nlabel, const char *kind, size_t nkind, int type,
                      const void *x) {
  ToldText name = {0}, of = {0};
  put(&name, label, nlabel), put(&of, kind, nkind);
  if (all->at && name.at && of.at)
    d->print(d->print_user, &(dtrt_printed){.text = all->at,
                                            .where = where,
                                            .label = name.at,
                                            .type = of.at,
                                            .dtype = type,
                                            .rank = s->rank,
                                            .shape = s->dim,
                                            .data = x});
  free(name.at), free(of.at);
}

void dtrt_print(dtrt_device *dev, int32_t *done, const char *text, int32_t type, const void *x) {
  Device *d = device_of(dev);
  *done = 0;
  if (d->id) return;
  ToldText t = {0};
  size_t label, kind;
  const char *second = next_line(text, &label), *dims = next_line(second, &kind);
  const dtrt_entry *e = d->entry;
  const int step = d->pub.at;
  const bool known = e && e->step && step >= 0 && step < e->nsteps && e->step[step].where;
  const char *where = known ? e->step[step].where : "";
  if (known) puts_text(&t, where), puts_text(&t, ": ");
  if (label) put(&t, text, label), puts_text(&t, ": ");
  const Printed s = printed_of(dims);
  put(&t, second, kind);
  puts_text(&t, s.rank > 1 ? " =" : " = ");
  if (s.rank > 1) indent(&t, 2);
  put_dim(&t, &s, 0, type, x, 0, s.rank > 1 ? 2 : 0);
  puts_text(&t, "\n");
  if (d->print)
    hand_over(d, &s, &t, where, text, label, second, kind, type, x);
  else if (t.at)
    fwrite(t.at, 1, t.n, stderr), fflush(stderr);
  free(t.at);
}

void dtrt_told(dtrt_device *dev, int32_t *done, const char *text) {
  (void)dev, (void)text;
  *done = 0;
}
