/* vsnprintf, several times faster for the compiler's texts: %s %d %u %x %ld %lu %lx %c %% without
 * flags or widths. glibc's takes its slow path for every call once a library of the process has
 * registered conversions of its own, as libquadmath does, which OpenBLAS brings in. */
#ifndef DTG_FORMAT_H
#define DTG_FORMAT_H
#include <stdarg.h>
#include <stddef.h>

/* As vsnprintf: writes at most room bytes, NUL included; returns the length of the whole text. What
 * is not in the list above goes to vsnprintf, from there to the end of the format. */
size_t format_text(char *to, size_t room, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

#endif
