/* Joins the objects of one program's parts into one, as `ld -r` does, so that the cache, loaders
 * and linkers see a single object. Sections of one name and kind lie one behind the other; what one
 * part calls and another defines is resolved by name. Takes what clang makes of C for x86-64;
 * anything else is rejected, and the program is then compiled as a whole. */
#include "elf_join.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHT_ADDRSIG                                                                                \
  0x6fff4c03u /* LLVM's: which symbols' addresses count; of use to linkers alone */

/* A growing run of bytes. */
typedef struct GrowingBytes {
  char *at;
  size_t n, room;
  bool broken; /* out of memory */
} GrowingBytes;

static size_t bytes_put(GrowingBytes *b, const void *from, size_t n) {
  const size_t start = b->n;
  if (b->n + n > b->room) {
    const size_t room = (b->n + n) * 2 + 256;
    char *at = realloc(b->at, room);
    if (!at) return b->broken = true, start;
    b->at = at, b->room = room;
  }
  if (from && n) memcpy(b->at + b->n, from, n);
  if (!from) memset(b->at + b->n, 0, n);
  b->n += n;
  return start;
}

static void bytes_align(GrowingBytes *b, size_t to) {
  if (to > 1 && b->n % to) bytes_put(b, NULL, to - b->n % to);
}

typedef struct Section { /* of the result */
  const char *name;
  Elf64_Shdr head;
  GrowingBytes bytes, rela;
} Section;

typedef struct Object {
  const char *at;
  size_t n;
  const Elf64_Ehdr *head;
  const Elf64_Shdr *section;
  const Elf64_Sym *symbol;
  const char *names, *section_names;
  size_t nsymbols;
  int *into;        /* by section: the result's; -1: left out */
  uint64_t *base;   /* by section: where its bytes begin there */
  uint32_t *number; /* by symbol: in the result */
} Object;

typedef struct ElfJoin {
  Object *object;
  int nobjects;
  Section *section;
  int nsections, room;
  GrowingBytes symbols, names;
  uint32_t locals, total; /* symbols */
  const char *why;
} ElfJoin;

static bool refuse(ElfJoin *j, const char *why) {
  if (!j->why) j->why = why;
  return false;
}

/* -------- reading -------- */

static bool within(const Object *o, uint64_t at, uint64_t n) {
  return at <= o->n && n <= o->n - at;
}

static bool read_object(ElfJoin *j, Object *o) {
  const Elf64_Ehdr *h = o->head = (const void *)o->at;
  if (o->n < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_type != ET_REL ||
      h->e_machine != EM_X86_64 || h->e_shentsize != sizeof(Elf64_Shdr) ||
      !within(o, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr)) || h->e_shstrndx >= h->e_shnum)
    return refuse(j, "an unsupported object format");
  o->section = (const void *)(o->at + h->e_shoff);
  o->section_names = o->at + o->section[h->e_shstrndx].sh_offset;
  for (int s = 0; s < h->e_shnum; s++) {
    const Elf64_Shdr *e = &o->section[s];
    if (e->sh_type != SHT_NOBITS && !within(o, e->sh_offset, e->sh_size))
      return refuse(j, "a truncated object");
    if (e->sh_type == SHT_GROUP || e->sh_type == SHT_SYMTAB_SHNDX || e->sh_type == SHT_REL)
      return refuse(j, "an unsupported section type");
    if (e->sh_type != SHT_SYMTAB) continue;
    o->symbol = (const void *)(o->at + e->sh_offset);
    o->nsymbols = e->sh_size / sizeof(Elf64_Sym);
    o->names = o->at + o->section[e->sh_link].sh_offset;
  }
  o->into = malloc(h->e_shnum * sizeof *o->into);
  o->base = calloc(h->e_shnum, sizeof *o->base);
  o->number = calloc(o->nsymbols + 1, sizeof *o->number);
  if (!o->into || !o->base || !o->number) return refuse(j, "out of memory");
  for (int s = 0; s < h->e_shnum; s++) o->into[s] = -1;
  return o->symbol ? true : refuse(j, "no symbols");
}

/* -------- sections -------- */

static bool is_joined(const Elf64_Shdr *s) {
  return s->sh_type != SHT_NULL && s->sh_type != SHT_SYMTAB && s->sh_type != SHT_STRTAB &&
         s->sh_type != SHT_RELA && s->sh_type != SHT_ADDRSIG;
}

static int section_of(ElfJoin *j, const char *name, const Elf64_Shdr *like) {
  for (int i = 0; i < j->nsections; i++)
    if (j->section[i].head.sh_type == like->sh_type &&
        j->section[i].head.sh_flags == like->sh_flags && !strcmp(j->section[i].name, name))
      return i;
  if (j->nsections == j->room) {
    const int room = j->room * 2 + 16;
    Section *all = realloc(j->section, (size_t)room * sizeof *all);
    if (!all) return refuse(j, "out of memory"), -1;
    j->section = all, j->room = room;
  }
  j->section[j->nsections] = (Section){.name = name,
                                       .head = {.sh_type = like->sh_type,
                                                .sh_flags = like->sh_flags,
                                                .sh_entsize = like->sh_entsize,
                                                .sh_addralign = 1}};
  return j->nsections++;
}

static bool join_sections(ElfJoin *j, Object *o) {
  for (int s = 0; s < o->head->e_shnum; s++) {
    const Elf64_Shdr *e = &o->section[s];
    if (!is_joined(e)) continue;
    if (e->sh_flags & (SHF_LINK_ORDER | SHF_TLS)) return refuse(j, "an unsupported section type");
    const int k = section_of(j, o->section_names + e->sh_name, e);
    if (k < 0) return false;
    Section *to = &j->section[k];
    if (e->sh_addralign > to->head.sh_addralign) to->head.sh_addralign = e->sh_addralign;
    const uint64_t align = e->sh_addralign > 1 ? e->sh_addralign : 1;
    const uint64_t at = (to->head.sh_size + align - 1) / align * align;
    if (e->sh_type != SHT_NOBITS) {
      bytes_align(&to->bytes, align);
      bytes_put(&to->bytes, o->at + e->sh_offset, e->sh_size);
    }
    o->into[s] = k, o->base[s] = at;
    to->head.sh_size = at + e->sh_size;
  }
  return true;
}

/* -------- symbols -------- */

/* What a later part has to itself gets a name of its own: .LCPI2_0 is a constant in several, and
 * LLVM's loader looks for names alone. (Sections in the place of symbols will not do: linkers merge
 * equal constants, and take the addend for the place of another one.) */
static uint32_t put_symbol(ElfJoin *j, const Object *o, const Elf64_Sym *s) {
  Elf64_Sym to = *s;
  const char *name = o->names + s->st_name;
  to.st_name = s->st_name ? (uint32_t)bytes_put(&j->names, name, strlen(name) + 1) : 0;
  if (s->st_name && o != j->object && ELF64_ST_BIND(s->st_info) == STB_LOCAL) {
    char part[24];
    const int n = snprintf(part, sizeof part, "$%d", (int)(o - j->object));
    j->names.n--; /* the NUL */
    bytes_put(&j->names, part, (size_t)n + 1);
  }
  if (s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE) {
    to.st_shndx = (uint16_t)(1 + o->into[s->st_shndx]);
    to.st_value += o->base[s->st_shndx];
  }
  bytes_put(&j->symbols, &to, sizeof to);
  return j->total++;
}

static bool is_left_out(const Object *o, const Elf64_Sym *s) {
  return s->st_shndx < SHN_LORESERVE && s->st_shndx != SHN_UNDEF && o->into[s->st_shndx] < 0;
}

/* A symbol for each section, then those that parts have to themselves. */
static void put_locals(ElfJoin *j) {
  bytes_put(&j->names, "", 1);
  bytes_put(&j->symbols, NULL, sizeof(Elf64_Sym));
  j->total = 1;
  for (int i = 0; i < j->nsections; i++) {
    const Elf64_Sym s = {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION),
                         .st_shndx = (uint16_t)(1 + i)};
    bytes_put(&j->symbols, &s, sizeof s);
    j->total++;
  }
  for (int i = 0; i < j->nobjects; i++)
    for (size_t k = 1; k < j->object[i].nsymbols; k++) {
      Object *o = &j->object[i];
      const Elf64_Sym *s = &o->symbol[k];
      if (ELF64_ST_BIND(s->st_info) != STB_LOCAL || is_left_out(o, s)) continue;
      if (ELF64_ST_TYPE(s->st_info) == STT_SECTION)
        o->number[k] = 1 + (uint32_t)o->into[s->st_shndx];
      else if (ELF64_ST_TYPE(s->st_info) != STT_FILE)
        o->number[k] = put_symbol(j, o, s);
    }
  j->locals = j->total;
}

/* The number of a name among the symbols of all parts; 0: none so far. Parts are few, and so are
 * the names of others that they use. */
static uint32_t find_global(const ElfJoin *j, const char *name) {
  const Elf64_Sym *s = (const void *)j->symbols.at;
  for (uint32_t k = j->locals; k < j->total; k++)
    if (!strcmp(j->names.at + s[k].st_name, name)) return k;
  return 0;
}

static bool put_globals(ElfJoin *j, bool defined) {
  for (int i = 0; i < j->nobjects; i++)
    for (size_t k = 1; k < j->object[i].nsymbols; k++) {
      Object *o = &j->object[i];
      const Elf64_Sym *s = &o->symbol[k];
      if (ELF64_ST_BIND(s->st_info) == STB_LOCAL || (s->st_shndx != SHN_UNDEF) != defined) continue;
      if (s->st_shndx == SHN_COMMON || is_left_out(o, s))
        return refuse(j, "an unsupported symbol type");
      const uint32_t before = find_global(j, o->names + s->st_name);
      if (defined && before) return refuse(j, "a symbol defined twice");
      o->number[k] = before ? before : put_symbol(j, o, s);
    }
  return true;
}

/* -------- relocations -------- */

static bool join_relocations(ElfJoin *j, const Object *o) {
  for (int s = 0; s < o->head->e_shnum; s++) {
    const Elf64_Shdr *e = &o->section[s];
    if (e->sh_type != SHT_RELA || e->sh_info >= o->head->e_shnum || o->into[e->sh_info] < 0)
      continue;
    Section *to = &j->section[o->into[e->sh_info]];
    const Elf64_Rela *r = (const void *)(o->at + e->sh_offset);
    for (size_t k = 0; k < e->sh_size / sizeof *r; k++) {
      const size_t symbol = ELF64_R_SYM(r[k].r_info);
      if (symbol >= o->nsymbols || (symbol && !o->number[symbol])) return refuse(j, "a relocation");
      const Elf64_Sym *of = &o->symbol[symbol];
      Elf64_Rela out = {.r_offset = r[k].r_offset + o->base[e->sh_info],
                        .r_info =
                            ELF64_R_INFO((uint64_t)o->number[symbol], ELF64_R_TYPE(r[k].r_info)),
                        .r_addend = r[k].r_addend};
      if (ELF64_ST_TYPE(of->st_info) == STT_SECTION) out.r_addend += (int64_t)o->base[of->st_shndx];
      bytes_put(&to->rela, &out, sizeof out);
    }
  }
  return true;
}

/* -------- writing -------- */

static size_t put_name(GrowingBytes *names, const char *prefix, const char *name) {
  const size_t at = bytes_put(names, prefix, strlen(prefix));
  bytes_put(names, name, strlen(name) + 1);
  return at;
}

/* Headers: none, the sections, their relocations, symbols, names, names of sections. */
static bool write_all(ElfJoin *j, GrowingBytes *out) {
  GrowingBytes names = {0}, heads = {0};
  uint32_t symtab = 1 + (uint32_t)j->nsections;
  Elf64_Ehdr h = *j->object[0].head;
  for (int i = 0; i < j->nsections; i++) symtab += j->section[i].rela.n > 0;
  bytes_put(out, &h, sizeof h);
  bytes_put(&names, "", 1);
  bytes_put(&heads, NULL, sizeof(Elf64_Shdr));
  for (int i = 0; i < j->nsections; i++) {
    Section *s = &j->section[i];
    bytes_align(out, s->head.sh_addralign);
    s->head.sh_name = (uint32_t)put_name(&names, "", s->name);
    s->head.sh_offset = out->n;
    bytes_put(out, s->bytes.at ? s->bytes.at : "", s->bytes.n);
    bytes_put(&heads, &s->head, sizeof s->head);
    out->broken = out->broken || s->bytes.broken || s->rela.broken;
  }
  for (int i = 0; i < j->nsections; i++) {
    const Section *s = &j->section[i];
    if (!s->rela.n) continue;
    bytes_align(out, 8);
    const Elf64_Shdr r = {.sh_name = (uint32_t)put_name(&names, ".rela", s->name),
                          .sh_type = SHT_RELA,
                          .sh_flags = SHF_INFO_LINK,
                          .sh_offset = out->n,
                          .sh_size = s->rela.n,
                          .sh_link = symtab,
                          .sh_info = 1 + (uint32_t)i,
                          .sh_addralign = 8,
                          .sh_entsize = sizeof(Elf64_Rela)};
    bytes_put(out, s->rela.at ? s->rela.at : "", s->rela.n);
    bytes_put(&heads, &r, sizeof r);
  }
  bytes_align(out, 8);
  Elf64_Shdr t = {.sh_name = (uint32_t)put_name(&names, "", ".symtab"),
                  .sh_type = SHT_SYMTAB,
                  .sh_offset = bytes_put(out, j->symbols.at, j->symbols.n),
                  .sh_size = j->symbols.n,
                  .sh_link = symtab + 1,
                  .sh_info = j->locals,
                  .sh_addralign = 8,
                  .sh_entsize = sizeof(Elf64_Sym)};
  bytes_put(&heads, &t, sizeof t);
  t = (Elf64_Shdr){.sh_name = (uint32_t)put_name(&names, "", ".strtab"),
                   .sh_type = SHT_STRTAB,
                   .sh_offset = bytes_put(out, j->names.at, j->names.n),
                   .sh_size = j->names.n,
                   .sh_addralign = 1};
  bytes_put(&heads, &t, sizeof t);
  t = (Elf64_Shdr){.sh_name = (uint32_t)put_name(&names, "", ".shstrtab"),
                   .sh_type = SHT_STRTAB,
                   .sh_addralign = 1};
  t.sh_offset = bytes_put(out, names.at, names.n);
  t.sh_size = names.n;
  bytes_put(&heads, &t, sizeof t);
  bytes_align(out, 8);
  h.e_shoff = bytes_put(out, heads.at, heads.n);
  h.e_shnum = (uint16_t)(symtab + 3);
  h.e_shstrndx = (uint16_t)(symtab + 2);
  if (out->at) memcpy(out->at, &h, sizeof h);
  const bool ok =
      !out->broken && !names.broken && !heads.broken && !j->symbols.broken && !j->names.broken;
  free(names.at), free(heads.at);
  return ok ? true : refuse(j, "out of memory");
}

bool elf_join(const JitObject *part, int n, JitObject *out, const char **why) {
  ElfJoin j = {.object = calloc((size_t)n, sizeof *j.object), .nobjects = n};
  GrowingBytes bytes = {0};
  bool ok = j.object || refuse(&j, "out of memory");
  for (int i = 0; i < n && ok; i++) {
    j.object[i].at = part[i].at, j.object[i].n = part[i].n;
    ok = read_object(&j, &j.object[i]) && join_sections(&j, &j.object[i]);
  }
  if (ok) put_locals(&j);
  ok = ok && put_globals(&j, true) && put_globals(&j, false);
  for (int i = 0; i < n && ok; i++) ok = join_relocations(&j, &j.object[i]);
  ok = ok && write_all(&j, &bytes);
  for (int i = 0; i < n && j.object; i++)
    free(j.object[i].into), free(j.object[i].base), free(j.object[i].number);
  for (int i = 0; i < j.nsections; i++) free(j.section[i].bytes.at), free(j.section[i].rela.at);
  free(j.object), free(j.section), free(j.symbols.at), free(j.names.at);
  if (!ok) free(bytes.at);
  *out = ok ? (JitObject){bytes.at, bytes.n} : (JitObject){0};
  *why = j.why;
  return ok;
}
