/* All that the compiler takes from the environment. The table of docs/environment.md has the same
 * variables, which a test compares. Law: nobody else in compiler/ reads the environment; what is
 * read is handed down in options. */
#ifndef DTG_ENVIRONMENT_H
#define DTG_ENVIRONMENT_H
#include "arena.h"
#include "jit.h"

/* The folder of compiled objects, in arena memory; NULL: none is to be used. */
const char *environment_cache(Arena *a);
LinkTools environment_tools(void);

#endif
