#include "format.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct Out {
  char *to;
  size_t room, n; /* n: of the whole text so far, also what does not fit */
} Out;

static void put(Out *o, const char *text, size_t n) {
  if (o->n < o->room) memcpy(o->to + o->n, text, n < o->room - o->n ? n : o->room - o->n);
  o->n += n;
}

static void put_whole(Out *o, uint64_t v, unsigned base, int negative) {
  char digits[24], *p = digits + sizeof digits;
  do *--p = "0123456789abcdef"[v % base];
  while (v /= base);
  if (negative) *--p = '-';
  put(o, p, (size_t)(digits + sizeof digits - p));
}

static void put_signed(Out *o, int64_t v) {
  put_whole(o, v < 0 ? -(uint64_t)v : (uint64_t)v, 10, v < 0);
}

size_t format_text(char *to, size_t room, const char *fmt, va_list ap) {
  Out o = {to, room, 0};
  for (const char *c = fmt; *c;) {
    size_t plain = strcspn(c, "%");
    put(&o, c, plain);
    c += plain;
    if (!*c) break;
    int wide = c[1] == 'l';
    switch (c[1 + wide]) {
    case 's':
    case 'c':
    case '%':
      if (wide) goto other;
      if (c[1] == 's') {
        const char *s = va_arg(ap, const char *);
        put(&o, s ? s : "(null)", s ? strlen(s) : 6);
      } else {
        char one = c[1] == 'c' ? (char)va_arg(ap, int) : '%';
        put(&o, &one, 1);
      }
      break;
    case 'd': put_signed(&o, wide ? va_arg(ap, long) : va_arg(ap, int)); break;
    case 'u':
    case 'x':
      put_whole(&o, wide ? va_arg(ap, unsigned long) : va_arg(ap, unsigned),
                c[1 + wide] == 'x' ? 16 : 10, 0);
      break;
    default:
    other: {
      size_t left = o.n < o.room ? o.room - o.n : 0;
      int n = vsnprintf(left ? o.to + o.n : NULL, left, c, ap);
      if (o.room && !left) o.to[o.room - 1] = 0;
      return o.n + (n > 0 ? (size_t)n : 0);
    }
    }
    c += 2 + wide;
  }
  if (o.room) o.to[o.n < o.room ? o.n : o.room - 1] = 0;
  return o.n;
}
