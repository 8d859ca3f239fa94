/* Which build of the compiler this is: the id that the linker wrote into the file this code is in,
 * a hash of all of it. Two builds that would write other C from one text have other ids. */
#include "jit.h"
#include <link.h>
#include <string.h>

typedef struct BuildIdSearch {
  uintptr_t code;
  CacheKey *key;
  bool found;
} BuildIdSearch;

/* A note of the linker's: its three numbers, a name and the id, each in words. */
static bool take_note(const char *at, const char *end, CacheKey *key) {
  while ((size_t)(end - at) > sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *n = (const void *)at;
    const char *name = at + sizeof *n, *id = name + (n->n_namesz + 3u) / 4 * 4;
    if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
      cache_key_add(key, id, n->n_descsz);
      return true;
    }
    at = id + (n->n_descsz + 3u) / 4 * 4;
  }
  return false;
}

static int look_at(struct dl_phdr_info *file, size_t size, void *user) {
  BuildIdSearch *s = user;
  bool here = false;
  (void)size;
  for (int i = 0; i < file->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &file->dlpi_phdr[i];
    uintptr_t lo = file->dlpi_addr + h->p_vaddr;
    here = here || (h->p_type == PT_LOAD && s->code >= lo && s->code - lo < h->p_memsz);
  }
  for (int i = 0; here && i < file->dlpi_phnum && !s->found; i++) {
    const ElfW(Phdr) *h = &file->dlpi_phdr[i];
    const char *at = (const char *)(file->dlpi_addr + h->p_vaddr);
    if (h->p_type == PT_NOTE) s->found = take_note(at, at + h->p_memsz, s->key);
  }
  return here;
}

bool jit_build_id(CacheKey *key) {
  BuildIdSearch s = {.code = (uintptr_t)jit_dtrt_h, .key = key};
  dl_iterate_phdr(look_at, &s);
  return s.found;
}
