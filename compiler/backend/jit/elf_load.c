/* Loads an object into this process without LLVM: for x86-64, and of ELF what clang makes of the C
 * we emit. Opening LLVM costs more than everything else a program from the cache needs, so ORC is
 * left for other machines, for objects with something in them that is not known here, and for perf.
 *
 * All of it is in one mapping, so that parts reach each other by 32 bits: code first, with a jump
 * for each function elsewhere that is called; then what is only read, with a table of addresses;
 * then what may be written. Nothing is both writable and executable. */
#include "elf_load.h"
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef R_X86_64_GOTPCRELX
#define R_X86_64_GOTPCRELX 41
#define R_X86_64_REX_GOTPCRELX 42
#endif

typedef enum LoadSegment { CODE, READ_ONLY, WRITABLE, NPARTS } LoadSegment;
enum { JUMP_BYTES = 8, ADDRESS_BYTES = 8 };

/* gdb's interface for code made at run time: it reads the list, and stops in the function, which is
 * therefore there to be found by these names. */
typedef struct jit_code_entry {
  struct jit_code_entry *next, *prev;
  const char *object;
  uint64_t bytes;
} jit_code_entry;
struct jit_descriptor {
  uint32_t version, action;
  jit_code_entry *relevant, *first;
};
enum { JIT_NOTHING, JIT_REGISTER, JIT_UNREGISTER };
extern struct jit_descriptor __jit_debug_descriptor;
struct jit_descriptor __jit_debug_descriptor = {.version = 1};
void __jit_debug_register_code(void);
__attribute__((noinline)) void __jit_debug_register_code(void) {
  __asm__ volatile("" ::: "memory");
}
static pthread_mutex_t gdb_lock = PTHREAD_MUTEX_INITIALIZER;

struct ElfLoaded {
  char *at; /* the mapping */
  size_t bytes;
  jit_code_entry gdb;
};

typedef struct Load {
  char *object; /* a copy, whose section headers gdb is to find addresses in; in `loaded` at the end
                 */
  size_t n;
  Elf64_Ehdr *head;
  Elf64_Shdr *section;
  const Elf64_Sym *symbol;
  size_t nsymbols;
  const char *names;
  void *library;
  /* addresses */
  char *at;
  size_t from[NPARTS + 1]; /* of each part, in the mapping */
  size_t jumps, addresses; /* in the mapping; one a symbol */
  const char *unknown;     /* what is not known here */
} Load;

/* -------- reading -------- */

static bool within(const Load *l, uint64_t offset, uint64_t bytes) {
  return offset <= l->n && bytes <= l->n - offset;
}

static bool unknown(Load *l, const char *what) {
  if (!l->unknown) l->unknown = what;
  return false;
}

static LoadSegment part_of(const Elf64_Shdr *s) {
  return s->sh_flags & SHF_EXECINSTR ? CODE : s->sh_flags & SHF_WRITE ? WRITABLE : READ_ONLY;
}

static bool is_loaded(const Elf64_Shdr *s) { return s->sh_flags & SHF_ALLOC && s->sh_size > 0; }

static bool read_symbols(Load *l, const Elf64_Shdr *s) {
  if (s->sh_link >= l->head->e_shnum || s->sh_offset % 8) return unknown(l, "symbols");
  const Elf64_Shdr *names = &l->section[s->sh_link];
  if (names->sh_type != SHT_STRTAB || names->sh_size == 0) return unknown(l, "no names");
  l->symbol = (const Elf64_Sym *)(const void *)(l->object + s->sh_offset);
  l->nsymbols = s->sh_size / sizeof(Elf64_Sym);
  l->names = l->object + names->sh_offset;
  if (l->names[names->sh_size - 1]) return unknown(l, "names");
  for (size_t k = 0; k < l->nsymbols; k++)
    if (l->symbol[k].st_name >= names->sh_size) return unknown(l, "a name");
  return true;
}

static bool read_headers(Load *l) {
  Elf64_Ehdr *h = l->head = (Elf64_Ehdr *)(void *)l->object;
  if (l->n < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0) return unknown(l, "no ELF");
  bool ours = h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == ELFDATA2LSB &&
              h->e_type == ET_REL && h->e_machine == EM_X86_64 &&
              h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shoff % 8 == 0;
  if (!ours || h->e_shnum == 0) return unknown(l, "an unsupported object format");
  if (!within(l, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr))) return unknown(l, "cut short");
  l->section = (Elf64_Shdr *)(void *)(l->object + h->e_shoff);
  for (int i = 0; i < h->e_shnum; i++) {
    const Elf64_Shdr *s = &l->section[i];
    if (s->sh_type != SHT_NOBITS && !within(l, s->sh_offset, s->sh_size))
      return unknown(l, "cut short");
    if (s->sh_flags & SHF_TLS) return unknown(l, "thread-local data");
  }
  for (int i = 0; i < h->e_shnum; i++)
    if (l->section[i].sh_type == SHT_SYMTAB && !read_symbols(l, &l->section[i])) return false;
  return l->symbol ? true : unknown(l, "no symbols");
}

/* -------- placing -------- */

static size_t rounded(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* Sections get their places in sh_addr, for now counted from the beginning of the mapping. */
static size_t place_part(Load *l, LoadSegment part, size_t at) {
  for (int i = 0; i < l->head->e_shnum; i++) {
    Elf64_Shdr *s = &l->section[i];
    if (!is_loaded(s) || part_of(s) != part) continue;
    at = rounded(at, s->sh_addralign > 1 ? s->sh_addralign : 1);
    s->sh_addr = at;
    at += s->sh_size;
  }
  return rounded(at, 16);
}

static bool place(Load *l) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), total = 0;
  for (int i = 0; i < l->head->e_shnum; i++) {
    const Elf64_Shdr *s = &l->section[i];
    if (!is_loaded(s)) continue;
    if (s->sh_addralign > page || (s->sh_addralign & (s->sh_addralign - 1)))
      return unknown(l, "an alignment");
    if (s->sh_size > INT32_MAX || (total += s->sh_size) > INT32_MAX / 2)
      return unknown(l, "too large");
  }
  l->jumps = place_part(l, CODE, 0);
  l->from[READ_ONLY] = rounded(l->jumps + l->nsymbols * JUMP_BYTES, page);
  l->addresses = place_part(l, READ_ONLY, l->from[READ_ONLY]);
  l->from[WRITABLE] = rounded(l->addresses + l->nsymbols * ADDRESS_BYTES, page);
  l->from[NPARTS] = rounded(place_part(l, WRITABLE, l->from[WRITABLE]), page);
  void *at =
      mmap(NULL, l->from[NPARTS], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return unknown(l, "no memory for it");
  l->at = at;
  for (int i = 0; i < l->head->e_shnum; i++) {
    Elf64_Shdr *s = &l->section[i];
    if (!is_loaded(s)) continue;
    char *to = l->at + s->sh_addr;
    if (s->sh_type != SHT_NOBITS) memcpy(to, l->object + s->sh_offset, s->sh_size);
    s->sh_addr = (uint64_t)(uintptr_t)to;
  }
  return true;
}

/* -------- symbols and relocations -------- */

/* The address of a symbol, 0 when there is none; weak ones may be nowhere. */
static bool address_of(Load *l, size_t k, uint64_t *out) {
  const Elf64_Sym *s = &l->symbol[k];
  *out = 0;
  if (s->st_shndx == SHN_ABS) {
    *out = s->st_value;
    return true;
  }
  if (s->st_shndx != SHN_UNDEF) {
    if (s->st_shndx >= l->head->e_shnum || ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
      return unknown(l, "an unsupported symbol type");
    *out = l->section[s->st_shndx].sh_addr + s->st_value;
    return true;
  }
  if (k == 0) return true;
  memcpy(out, l->at + l->addresses + k * ADDRESS_BYTES, sizeof *out);
  if (*out) return true; /* found before */
  void *found = dlsym(l->library, l->names + s->st_name);
  if (!found) found = dlsym(RTLD_DEFAULT, l->names + s->st_name);
  *out = (uint64_t)(uintptr_t)found;
  memcpy(l->at + l->addresses + k * ADDRESS_BYTES, out, sizeof *out);
  return found || ELF64_ST_BIND(s->st_info) == STB_WEAK ? true : unknown(l, "an undefined symbol");
}

/* The place in the table of addresses that holds the symbol's. */
static uint64_t address_slot(Load *l, size_t k, uint64_t address) {
  char *slot = l->at + l->addresses + k * ADDRESS_BYTES;
  memcpy(slot, &address, sizeof address);
  return (uint64_t)(uintptr_t)slot;
}

/* jmp *slot(%rip) */
static uint64_t jump_to(Load *l, size_t k, uint64_t address) {
  char *jump = l->at + l->jumps + k * JUMP_BYTES;
  int32_t far = (int32_t)(address_slot(l, k, address) - (uint64_t)(uintptr_t)(jump + 6));
  memcpy(jump, "\xff\x25", 2);
  memcpy(jump + 2, &far, sizeof far);
  return (uint64_t)(uintptr_t)jump;
}

static bool put_near(Load *l, char *to, uint64_t target, int64_t addend) {
  int64_t far = (int64_t)(target + (uint64_t)addend - (uint64_t)(uintptr_t)to);
  int32_t near = (int32_t)far;
  if (near != far) return unknown(l, "an address out of range");
  memcpy(to, &near, sizeof near);
  return true;
}

static bool relocate_one(Load *l, const Elf64_Shdr *in, const Elf64_Rela *r) {
  size_t k = ELF64_R_SYM(r->r_info), bytes = ELF64_R_TYPE(r->r_info) == R_X86_64_64 ? 8 : 4;
  uint64_t address;
  if (k >= l->nsymbols || r->r_offset > in->sh_size || bytes > in->sh_size - r->r_offset)
    return unknown(l, "a relocation outside its section");
  if (!address_of(l, k, &address)) return false;
  char *to = (char *)(uintptr_t)in->sh_addr + r->r_offset;
  bool elsewhere = l->symbol[k].st_shndx == SHN_UNDEF;
  switch (ELF64_R_TYPE(r->r_info)) {
  case R_X86_64_NONE: return true;
  case R_X86_64_64:
    address += (uint64_t)r->r_addend;
    memcpy(to, &address, sizeof address);
    return true;
  case R_X86_64_PLT32:
    return put_near(l, to, elsewhere ? jump_to(l, k, address) : address, r->r_addend);
  case R_X86_64_PC32: return put_near(l, to, address, r->r_addend);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX: return put_near(l, to, address_slot(l, k, address), r->r_addend);
  default: return unknown(l, "an unsupported relocation type");
  }
}

static bool relocate(Load *l) {
  for (int i = 0; i < l->head->e_shnum; i++) {
    const Elf64_Shdr *s = &l->section[i];
    if (s->sh_type == SHT_REL) return unknown(l, "relocations without addends");
    if (s->sh_type != SHT_RELA) continue;
    if (s->sh_info >= l->head->e_shnum || s->sh_offset % 8) return unknown(l, "relocations");
    const Elf64_Shdr *in = &l->section[s->sh_info];
    if (!is_loaded(in)) continue; /* of line tables: gdb's own business */
    if (in->sh_type == SHT_NOBITS) return unknown(l, "relocations");
    const Elf64_Rela *r = (const Elf64_Rela *)(const void *)(l->object + s->sh_offset);
    for (size_t k = 0; k < s->sh_size / sizeof *r; k++)
      if (!relocate_one(l, in, &r[k])) return false;
  }
  return true;
}

static bool protect(Load *l) {
  size_t code = l->from[READ_ONLY], constant = l->from[WRITABLE] - code;
  if (mprotect(l->at, code, PROT_READ | PROT_EXEC))
    return unknown(l, "a system that forbids executable memory");
  if (constant && mprotect(l->at + code, constant, PROT_READ)) return unknown(l, "mprotect");
  return true;
}

static void *find(Load *l, const char *name) {
  for (size_t k = 1; k < l->nsymbols; k++) {
    const Elf64_Sym *s = &l->symbol[k];
    uint64_t address;
    if (s->st_shndx != SHN_UNDEF && ELF64_ST_BIND(s->st_info) == STB_GLOBAL &&
        strcmp(l->names + s->st_name, name) == 0 && address_of(l, k, &address) &&
        address - (uint64_t)(uintptr_t)l->at < l->from[NPARTS])
      return (void *)(uintptr_t)address;
  }
  unknown(l, "the program is missing");
  return NULL;
}

/* -------- gdb -------- */

static void gdb_tell(jit_code_entry *e, uint32_t action) {
  pthread_mutex_lock(&gdb_lock);
  struct jit_descriptor *d = &__jit_debug_descriptor;
  if (action == JIT_REGISTER) {
    e->next = d->first;
    if (d->first) d->first->prev = e;
    d->first = e;
  } else {
    if (e->next) e->next->prev = e->prev;
    *(e->prev ? &e->prev->next : &d->first) = e->next;
  }
  d->relevant = e;
  d->action = action;
  __jit_debug_register_code();
  d->action = JIT_NOTHING;
  d->relevant = NULL;
  pthread_mutex_unlock(&gdb_lock);
}

/* -------- -------- */

void elf_unload(ElfLoaded *loaded) {
  if (!loaded) return;
  gdb_tell(&loaded->gdb, JIT_UNREGISTER);
  munmap(loaded->at, loaded->bytes);
  free((void *)(uintptr_t)loaded->gdb.object);
  free(loaded);
}

ElfLoaded *elf_load(const void *bytes, size_t n, const char *symbol, const char *library,
                    void **address, const char **why) {
  Load l = {.n = n};
  ElfLoaded *loaded = calloc(1, sizeof *loaded);
  *why = "out of memory";
  *address = NULL;
  l.object = loaded && n ? malloc(n) : NULL;
  if (l.object) {
    memcpy(l.object, bytes, n);
    l.library = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    bool ok = read_headers(&l) && place(&l) && relocate(&l) && protect(&l);
    *address = ok ? find(&l, symbol) : NULL;
    if (l.library) dlclose(l.library);
    *why = l.unknown;
  }
  if (*address) {
    *loaded = (ElfLoaded){l.at, l.from[NPARTS], {.object = l.object, .bytes = n}};
    gdb_tell(&loaded->gdb, JIT_REGISTER);
    return loaded;
  }
  if (l.at) munmap(l.at, l.from[NPARTS]);
  free(l.object);
  free(loaded);
  return NULL;
}
