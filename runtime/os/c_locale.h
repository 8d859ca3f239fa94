/* c_locale.h: numbers in texts have a point. A host may have set a locale in which they have a
 * comma, where strtod reads 0.3 as 0 and printf writes C that does not compile. So public calls
 * (hold.h) and the library's own threads run under the locale "C". */
#ifndef DTG_C_LOCALE_H
#define DTG_C_LOCALE_H
#include <locale.h>

/* Gives the calling thread the locale "C"; the one that it had. */
locale_t c_locale_begin(void);
void c_locale_end(locale_t *before); /* gives it back; for __attribute__((cleanup)) */

/* For the rest of the block. */
#define C_LOCALE_HERE                                                                              \
  __attribute__((cleanup(c_locale_end))) locale_t locale_before = c_locale_begin()
#endif
