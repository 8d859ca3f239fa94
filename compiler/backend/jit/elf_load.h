/* Objects into this process without LLVM, on x86-64. */
#ifndef DTG_ELF_LOAD_H
#define DTG_ELF_LOAD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ElfLoaded ElfLoaded;

/* Loads an object and finds `symbol`. Names that the object does not define are looked for in
 * `library`, which is there already, what it depends on, and the process. NULL: *why says in a few
 * words what in the object is not known here (a constant); another loader may do it. `bytes` may be
 * freed afterwards. Any bytes are safe to give, as far as they are not run. */
ElfLoaded *elf_load(const void *bytes, size_t n, const char *symbol, const char *library,
                    void **address, const char **why);
void elf_unload(ElfLoaded *loaded); /* may be NULL */

#endif
