/* What elf_join.c is tried on: two parts of one program (PART 0 and 1), each with data and a
 * function of its own under the same names, which call each other. */
#include <stdint.h>
#include <string.h>

typedef struct Sample {
  int64_t (*count)(int64_t by);
  const char *(*name)(int part);
  int64_t (*length)(const char *s);
} Sample;

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN int64_t count_here(int64_t by);
HIDDEN const char *name_there(int part);
HIDDEN extern int64_t total;
HIDDEN extern const char *const names[2];

static int64_t counter; /* .bss */
__attribute__((noinline)) static int64_t step(int64_t by) { return counter += by + PART; }

#if PART == 0
int64_t total = 100; /* .data */
int64_t count_here(int64_t by) { return step(by); }
static int64_t count(int64_t by) {
  const char *n = name_there(1);
  return total += step(by) + (int64_t)strlen(n);
}
static int64_t length(const char *s) { return (int64_t)strlen(s); }
extern const Sample sample;
const Sample sample = {count, name_there, length};
#else
const char *const names[2] = {"first", "second part"};
const char *name_there(int part) {
  total += count_here(1) + step(10);
  return names[part];
}
#endif
