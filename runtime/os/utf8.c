/* utf8.c: see utf8.h. */
#include "utf8.h"
#include <stdlib.h>
#include <string.h>

int utf8_character(const char *text, size_t n) {
  const unsigned char *s = (const unsigned char *)text;
  int len = n == 0                         ? 0
            : s[0] < 0x80                  ? 1
            : s[0] >= 0xc2 && s[0] <= 0xdf ? 2
            : (s[0] & 0xf0) == 0xe0        ? 3
            : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                           : 0;
  if (!len || (size_t)len > n) return 0;
  for (int i = 1; i < len; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return len;
}

bool utf8_valid(const char *text) {
  size_t n = strlen(text);
  for (int len; n > 0; text += len, n -= (size_t)len)
    if (!(len = utf8_character(text, n))) return false;
  return true;
}

void utf8_clean(char *text) {
  const size_t n = strlen(text);
  for (size_t i = 0; i < n;) {
    int len = utf8_character(text + i, n - i);
    if (!len || (unsigned char)text[i] < ' ' || text[i] == 0x7f) text[i] = '?';
    i += len ? (size_t)len : 1;
  }
}

char *utf8_printable(const char *text) {
  char *copy = strdup(text);
  if (copy) utf8_clean(copy);
  return copy;
}
