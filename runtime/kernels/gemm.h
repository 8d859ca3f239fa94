/* gemm.h: what a session asks of matrix products: gemm.c, gemm_blocked.c. */
#ifndef DTG_RUNTIME_GEMM_H
#define DTG_RUNTIME_GEMM_H
#include <stdint.h>

/* Room of a thread that multiplies, and what this one has taken of it by now, in bytes. */
int64_t gemm_room_bytes(void);
int64_t gemm_room_taken(void);
void gemm_prepare(int device_threads, char *why); /* why stays "" when all is well */

#endif
