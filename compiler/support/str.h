/* Text being built, in an arena; and interned names, so that equal names are equal pointers. */
#ifndef DTG_STR_H
#define DTG_STR_H
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct Str {
  Arena *arena;
  char *at; /* always ends in NUL */
  size_t n, cap;
  int indent; /* str_line: two blanks each */
} Str;

Str str_new(Arena *a);
void str_put(Str *s, const char *text, size_t n);
void str_puts(Str *s, const char *text);
void str_printf(Str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One line of generated text: the indent, the formatted text, a newline. */
void str_line(Str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Text as a literal of C, in quotes; `broken`: each line of it on a line of its own. */
void str_literal(Str *s, const char *text, bool broken);

typedef struct Names Names;
Names *names_new(Arena *a);
/* Those of `below`, which must not grow meanwhile, and more; below may be NULL. */
Names *names_over(Arena *a, const Names *below);
const char *name_of(Names *t, const char *s, size_t n);

#define HASH_FIRST 1469598103934665603ull
#define HASH_SEED 0x9e3779b97f4a7c15ull
#define HASH_PRIME 1099511628211ull
#define HASH_LAST 0xd6e8feb86659fd93ull
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed); /* FNV-1a, 64 bits, mixed */
/* The same of bytes that come in parts: hash_end(hash_more(hash_more(hash_begin(seed), ...), ...)).
 */
uint64_t hash_begin(uint64_t seed);
uint64_t hash_more(uint64_t h, const void *p, size_t n);
uint64_t hash_end(uint64_t h);
/* Eight bytes at a time: for tables in memory; what is written down is hashed by hash_bytes. */
uint64_t hash_words(const void *p, size_t n, uint64_t seed);
/* Integers by address, such as that of an interned name; 0 for what was never put. Begins zeroed.
 */
typedef struct Lookup {
  const void **key;
  int *value;
  int n, nslots;
} Lookup;
int lookup_get(const Lookup *x, const void *key);
void lookup_put(Lookup *x, Arena *a, const void *key, int value); /* key is not NULL */

/* Edit distance with transpositions, for "did you mean"; stops counting past `most`. */
int str_distance(const char *a, const char *b, int most);

#endif
