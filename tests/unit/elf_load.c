/* elf_load: code, data and names of elsewhere of an object work once it is loaded; several copies
 * do not share their data; and no object, however damaged, does harm by being loaded.
 *
 *   unit_elf_load OBJECT     that of elf_sample.c */
#include "elf_load.h"
#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sample { /* as in elf_sample.c */
  int64_t (*sum)(const int32_t *v, int n);
  const char *name;
  const char *(*find)(char c);
  double (*power)(double x, double y);
  int64_t *counter;
  const double *table;
} Sample;

static int failed;

static void check(int fine, const char *what) {
  if (fine) return;
  printf("FAIL %s\n", what);
  failed = 1;
}

static char *read_file(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  char *bytes = malloc(1 << 20);
  if (!f || !bytes) exit(2);
  *n = fread(bytes, 1, 1 << 20, f);
  fclose(f);
  return bytes;
}

static ElfLoaded *load(const void *bytes, size_t n, const char *symbol, void **at,
                       const char **why) {
  return elf_load(bytes, n, symbol, "libm.so.6", at, why);
}

static void check_sample(const char *bytes, size_t n) {
  enum { COPIES = 20 };
  ElfLoaded *copy[COPIES];
  const Sample *s[COPIES];
  static const int32_t v[] = {1, 2, 3};
  const char *why;
  for (int i = 0; i < COPIES; i++) {
    void *at;
    copy[i] = load(bytes, n, "sample", &at, &why);
    if (!copy[i]) {
      printf("FAIL it cannot be loaded: %s\n", why);
      exit(1);
    }
    s[i] = at;
  }
  for (int i = 0; i < COPIES; i++)
    for (int k = 0; k < 2; k++) {
      check(s[i]->sum(v, 3) == 6 + 7 + k, "a sum, and data that changes");
      check(*s[i]->counter == k + 1, "data that begins as zero, of each copy its own");
    }
  check(strcmp(s[0]->name, "a sample") == 0, "text");
  check(s[0]->find('s') == s[0]->name + 2, "a function of libc");
  check(s[0]->power(2, 10) == 1024, "the address of one of libm");
  check(s[0]->table[2] == 1e300, "a table");
  for (int i = 0; i < COPIES; i += 2) elf_unload(copy[i]);
  check(s[1]->sum(v, 3) == 6 + 9, "a copy, after others went");
  for (int i = 1; i < COPIES; i += 2) elf_unload(copy[i]);
}

/* Loaded or refused, but never run. */
static void try_damaged(const char *bytes, size_t n) {
  void *at;
  const char *why = NULL;
  ElfLoaded *l = load(bytes, n, "sample", &at, &why);
  check(l ? at != NULL : why != NULL, "neither loaded nor refused");
  elf_unload(l);
}

/* The symbol looked for was in a section that is not loaded: its address was 0, and no reason
 * given. */
static void check_symbol_of_no_loaded_section(const char *bytes, size_t n) {
  Elf64_Ehdr head;
  memcpy(&head, bytes, sizeof head);
  for (int i = 1; i < head.e_shnum; i++) {
    char *copy = malloc(n);
    if (!copy) exit(2);
    memcpy(copy, bytes, n);
    memset(copy + head.e_shoff + (size_t)i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_flags), 0,
           sizeof(Elf64_Xword));
    try_damaged(copy, n);
    free(copy);
  }
}

static void check_damaged(const char *bytes, size_t n) {
  char *copy = malloc(n);
  if (!copy) exit(2);
  for (size_t cut = 0; cut < n; cut += cut < 200 ? 1 : 37) {
    memcpy(copy, bytes, cut); /* to the byte, so that a sanitizer sees what is read beyond */
    char *exact = malloc(cut ? cut : 1);
    if (!exact) exit(2);
    memcpy(exact, bytes, cut);
    try_damaged(exact, cut);
    free(exact);
  }
  srand(1);
  for (int round = 0; round < 4000; round++) {
    memcpy(copy, bytes, n);
    for (int k = 1 + rand() % 4; k > 0; k--) {
      static const char odd[] = {0, 1, -1, 127, -128, 8, 64};
      /* headers lie first and last */
      size_t at = rand() % 3 == 0 ? (size_t)rand() % 64 : (size_t)rand() % n;
      copy[at] = rand() % 2 ? (char)rand() : odd[(size_t)rand() % sizeof odd];
    }
    try_damaged(copy, n);
  }
  free(copy);
}

int main(int argc, char **argv) {
  size_t n;
  void *at;
  const char *why = NULL;
  if (argc != 2) return 2;
  if (!dlopen("libm.so.6", RTLD_NOW)) return 2;
  char *bytes = read_file(argv[1], &n);
  check_sample(bytes, n);
  check(!load(bytes, n, "absent", &at, &why) && why, "a name that is not in it");
  check_symbol_of_no_loaded_section(bytes, n);
  check_damaged(bytes, n);
  free(bytes);
  return failed;
}
