/* Everything that the compiler reads from the environment. The table of docs/environment.md has
 * the same variables, which a test compares. Invariant: no other file in compiler/ reads the
 * environment; values are passed on in options. */
#ifndef DTG_ENVIRONMENT_H
#define DTG_ENVIRONMENT_H
#include "arena.h"
#include "jit.h"

/* The folder of compiled objects, in arena memory; NULL: none is to be used. */
const char *environment_cache(Arena *a, bool *named); /* by the user, not by default */
LinkTools environment_tools(void);

#endif
