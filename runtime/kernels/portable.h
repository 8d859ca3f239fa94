/* portable.h: the tiles of products and convolutions for any CPU, in vectors of four floats, which
 * SSE2, NEON and the like have: 6 rows x 2 vectors where there are 16 registers, else 14 x 2 in 32. */
#define LANES 4
#if defined(__x86_64__)
#define MOST 6
#else
#define MOST 14
#endif
