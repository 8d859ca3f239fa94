/* c_locale.c: see c_locale.h. */
#include "c_locale.h"

/* The C library has the locale "C" in static memory, so that this takes none, cannot fail, and
 * leaves nothing to free. */
locale_t c_locale_begin(void) { return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); }

void c_locale_end(locale_t *before) { uselocale(*before); }
