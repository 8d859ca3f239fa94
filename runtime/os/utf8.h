/* utf8.h: telling UTF-8 from other bytes, for texts such as JSON that may hold nothing else. Names
 * of files are any bytes but zero. */
#ifndef DTG_UTF8_H
#define DTG_UTF8_H
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character that the n bytes begin with; 0 where none does: a stray byte, an overlong
 * form, a surrogate. */
int utf8_character(const char *text, size_t n);
bool utf8_valid(const char *text);
/* Control characters, and what is not UTF-8, become `?`. */
void utf8_clean(char *text);
char *utf8_printable(const char *text); /* a clean copy (malloc'ed); NULL: no memory */
#endif
