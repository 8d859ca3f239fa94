/* Several objects of one program to one. */
#ifndef DTG_ELF_JOIN_H
#define DTG_ELF_JOIN_H
#include "jit.h"

/* x86-64 ELF, as clang makes of C; false: *why says what is not known here. out->at is malloc'ed.
 */
bool elf_join(const JitObject *part, int n, JitObject *out, const char **why);

#endif
