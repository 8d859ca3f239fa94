/* finite.h: finds NaN and infinity among elements, by their bits. */
#ifndef DTG_RUNTIME_FINITE_H
#define DTG_RUNTIME_FINITE_H
#include <stdbool.h>
#include <stdint.h>

enum { HAS_NAN = 1, HAS_INF = 2 };

bool finite_fails(int dtype, int64_t n, const void *at); /* one of them is NaN or infinite */
int finite_flags(int dtype, int64_t n, const void *at);  /* HAS_NAN | HAS_INF */
int finite_flags_of(double v);
int64_t finite_first_bad(int dtype, int64_t n, const void *at); /* -1: none */

#endif
