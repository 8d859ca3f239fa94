/* gemm.h: what a session asks of matrix products: gemm.c, gemm_blocked.c. */
#ifndef DTG_RUNTIME_GEMM_H
#define DTG_RUNTIME_GEMM_H
#include <stdbool.h>
#include <stdint.h>

/* Room of a thread that multiplies, and what this one has taken of it by now, in bytes. */
int64_t gemm_room_bytes(void);
int64_t gemm_room_taken(void);
void gemm_prepare(int device_threads, char *why); /* why stays "" when all is well */

/* Whether products of bf16 are in AMX's order of sums (docs/sums.md). A job whose ranks do not all
 * have it leaves it, so that ranks agree in every bit. */
bool gemm_by_amx(void);
void gemm_leave_amx(void);

#endif
