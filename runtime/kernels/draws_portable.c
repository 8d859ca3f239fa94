/* draws_portable.c: random numbers for any CPU. */
#define DRAWS draws_portable
#include "draws.inc"
