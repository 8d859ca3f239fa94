/* elf_join: parts joined into one object work as one: they see each other's functions and data,
 * keep their own under the same names, and reach names of elsewhere; what is defined twice is
 * refused.
 *
 *   unit_elf_join PART0 PART1     those of elf_parts.c */
#include "elf_join.h"
#include "elf_load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sample { /* as in elf_parts.c */
  int64_t (*count)(int64_t by);
  const char *(*name)(int part);
  int64_t (*length)(const char *s);
} Sample;

static int failed;

static void check(int fine, const char *what) {
  if (fine) return;
  printf("FAIL %s\n", what);
  failed = 1;
}

static JitObject read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  JitObject o = {malloc(1 << 20), 0};
  if (!f || !o.at) exit(2);
  o.n = fread(o.at, 1, 1 << 20, f);
  fclose(f);
  return o;
}

static void check_sample(const JitObject *joined) {
  void *at;
  const char *why = NULL;
  ElfLoaded *l = elf_load(joined->at, joined->n, "sample", "libm.so.6", &at, &why);
  if (!l) {
    printf("FAIL the joined object cannot be loaded: %s\n", why);
    exit(1);
  }
  const Sample *s = at;
  /* name: total = 100 + counter0 (1) + counter1 (11); count: + counter0 (1 + 5) + 11 letters. */
  check(s->count(5) == 100 + 1 + 11 + 6 + 11, "calls and data across parts");
  check(!strcmp(s->name(0), "first"), "a table of the other part");
  check(s->count(0) == 129 + 7 + 22 + 8 + 33 + 8 + 11, "data of each part's own");
  check(s->length("four") == 4, "a function of elsewhere");
  elf_unload(l);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const JitObject part[] = {read_file(argv[1]), read_file(argv[2])};
  const JitObject twice[] = {part[0], part[0]};
  JitObject joined;
  const char *why = NULL;
  if (!elf_join(part, 2, &joined, &why)) {
    printf("FAIL they cannot be joined: %s\n", why);
    return 1;
  }
  check_sample(&joined);
  JitObject again; /* what was joined is an object like any other */
  check(elf_join(&joined, 1, &again, &why), "an object by itself");
  check_sample(&again);
  JitObject none;
  check(!elf_join(twice, 2, &none, &why) && why, "names defined twice are refused");
  check(!elf_join(&(JitObject){part[0].at, 40}, 1, &none, &why), "a truncated object");
  free(joined.at), free(again.at), free(part[0].at), free(part[1].at);
  return failed;
}
