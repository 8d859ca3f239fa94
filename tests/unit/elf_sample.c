/* What elf_load.c is tried on: everything that objects of emitted C have in them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct Sample {
  int64_t (*sum)(const int32_t *v, int n);
  const char *name;
  const char *(*find)(char c);
  double (*power)(double x, double y);
  int64_t *counter;
  const double *table;
} Sample;

static int64_t counter;   /* .bss */
static int32_t added = 7; /* .data */
static const char name[] = "a sample";
static const double table[] = {1.5, 2.5, 1e300};

__attribute__((noinline)) static int64_t sum(const int32_t *v, int n) {
  int64_t s = added;
  for (int i = 0; i < n; i++) s += v[i];
  counter += 1;
  added += 1;
  return s;
}

static const char *find(char c) { return strchr(name, c); }

extern const Sample sample;
const Sample sample = {sum, name, find, pow, &counter, table}; /* addresses in read-only data */
