/* float_mode.h: how this thread computes with floats: rounding, and what becomes of results that
 * are too small. PLAIN: to nearest, subnormal numbers, no traps;
 * SEEN: flags of what has occurred, which change nothing. */
#ifndef DTG_RUNTIME_FLOAT_MODE_H
#define DTG_RUNTIME_FLOAT_MODE_H

#if defined(__SSE2__)
#include <xmmintrin.h>
enum { FLOAT_PLAIN = 0x1f80, FLOAT_FLUSH_TO_ZERO = 0x8000, FLOAT_SEEN = 0x3f };
static inline unsigned float_mode(void) { return _mm_getcsr(); }
static inline void float_mode_set(unsigned mode) { _mm_setcsr(mode); }
#else
enum { FLOAT_PLAIN = 0, FLOAT_FLUSH_TO_ZERO = 0, FLOAT_SEEN = 0 };
static inline unsigned float_mode(void) { return 0; }
static inline void float_mode_set(unsigned mode) { (void)mode; }
#endif

#endif
