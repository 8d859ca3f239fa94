/* gemm_amx.h: what products (gemm_amx.c) and convolutions (conv_amx.c) share of AMX. */
#ifndef DTRT_GEMM_AMX_H
#define DTRT_GEMM_AMX_H
#include <stdint.h>

enum { AMX_LINE = 64 /* bytes of a row of a tile */, AMX_SQUARE = 32 /* 2 x 2 tiles of sums */ };

/* What LDTILECFG reads. */
typedef struct AmxShapes {
  uint8_t palette, start, unused[14];
  uint16_t line[16]; /* bytes */
  uint8_t rows[16];
} AmxShapes;

static inline void amx_configure(const AmxShapes *s) {
  __asm__ volatile("ldtilecfg %0" : : "m"(*s));
}
static inline void amx_release(void) { __asm__ volatile("tilerelease" : : : "memory"); }
/* Of the four tiles of sums those that are there, as `right` and `below` say. Instructions of tiles
 * touch memory that compilers do not know of: the barriers. */
#define AMX_BARRIER __asm__ volatile("" : : : "memory")
#define AMX_SUMS(what)                                                                             \
  {                                                                                                \
    what(0, 0, 0);                                                                                 \
    if (right) what(1, 0, 1);                                                                      \
    if (below) what(2, 1, 0);                                                                      \
    if (right && below) what(3, 1, 1);                                                             \
  }
#endif
