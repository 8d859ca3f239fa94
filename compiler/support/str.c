#include "str.h"
#include "format.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Str str_new(Arena *a) { return (Str){.arena = a, .at = arena_alloc(a, 16), .cap = 16}; }

static void reserve(Str *s, size_t more) {
  if (s->n + more + 1 <= s->cap) return;
  size_t cap = s->cap * 2 > s->n + more + 1 ? s->cap * 2 : s->n + more + 1;
  char *p = arena_alloc(s->arena, cap);
  memcpy(p, s->at, s->n);
  s->at = p;
  s->cap = cap;
}

void str_put(Str *s, const char *text, size_t n) {
  reserve(s, n);
  memcpy(s->at + s->n, text, n);
  s->n += n;
  s->at[s->n] = 0;
}

void str_puts(Str *s, const char *text) { str_put(s, text, strlen(text)); }

__attribute__((format(printf, 2, 0), nonnull(1, 2))) static void put_v(Str *s, const char *fmt,
                                                                       va_list ap) {
  va_list again;
  va_copy(again, ap);
  size_t room = s->cap - s->n, n = format_text(s->at + s->n, room, fmt, ap);
  if (n >= room) {
    reserve(s, n);
    format_text(s->at + s->n, n + 1, fmt, again);
  }
  s->n += n;
  va_end(again);
}

void str_printf(Str *s, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  put_v(s, fmt, ap);
  va_end(ap);
}

void str_line(Str *s, const char *fmt, ...) {
  if (*fmt)
    for (int i = 0; i < s->indent; i++) str_puts(s, "  ");
  va_list ap;
  va_start(ap, fmt);
  put_v(s, fmt, ap);
  va_end(ap);
  str_puts(s, "\n");
}

void str_literal(Str *s, const char *text, bool broken) {
  str_puts(s, "\"");
  for (const char *c = text; *c; c++)
    if (*c == '\n')
      str_puts(s, broken && c[1] ? "\\n\"\n    \"" : "\\n");
    else if ((unsigned char)*c < 32 || *c == 127)
      str_printf(s, "\\%03o", (unsigned char)*c);
    else
      str_printf(s, "%s%c", strchr("\"\\?", *c) ? "\\" : "", *c);
  str_puts(s, "\"");
}

uint64_t hash_begin(uint64_t seed) { return HASH_FIRST ^ (seed * HASH_SEED); }

uint64_t hash_more(uint64_t h, const void *p, size_t n) {
  const unsigned char *b = p;
  for (size_t i = 0; i < n; i++) h = (h ^ b[i]) * HASH_PRIME;
  return h;
}

uint64_t hash_end(uint64_t h) {
  h ^= h >> 32;
  h *= HASH_LAST;
  return h ^ h >> 32;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed) {
  return hash_end(hash_more(hash_begin(seed), p, n));
}

uint64_t hash_words(const void *p, size_t n, uint64_t seed) {
  const unsigned char *b = p;
  uint64_t h = seed * 0x9e3779b97f4a7c15ull + n;
  for (uint64_t w; n; n -= n < sizeof w ? n : sizeof w, b += sizeof w) {
    w = 0;
    memcpy(&w, b, n < sizeof w ? n : sizeof w);
    h = (h ^ w) * 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
  }
  return h * 0x9e3779b97f4a7c15ull ^ h >> 29;
}

typedef struct Name {
  struct Name *next;
  uint64_t hash;
  size_t n;
  char text[];
} Name;

struct Names {
  Arena *arena;
  const Names *below; /* looked in first; NULL: none */
  Name **slot;
  size_t nslots, count;
};

Names *names_new(Arena *a) {
  enum { FEW = 32 }; /* most are of a loop */
  Names *t = arena_new_of(a, Names);
  *t = (Names){.arena = a, .slot = arena_array(a, Name *, FEW), .nslots = FEW};
  return t;
}

Names *names_over(Arena *a, const Names *below) {
  Names *t = names_new(a);
  t->below = below;
  return t;
}

static void rehash(Names *t) {
  size_t n = t->nslots * 2;
  Name **slot = arena_array(t->arena, Name *, n);
  for (size_t i = 0; i < t->nslots; i++)
    for (Name *e = t->slot[i], *next; e; e = next) {
      next = e->next;
      e->next = slot[e->hash & (n - 1)];
      slot[e->hash & (n - 1)] = e;
    }
  t->slot = slot;
  t->nslots = n;
}

const char *name_of(Names *t, const char *s, size_t n) {
  uint64_t h = hash_words(s, n, 0);
  for (const Names *x = t; x; x = x->below)
    for (Name *e = x->slot[h & (x->nslots - 1)]; e; e = e->next)
      if (e->hash == h && e->n == n && !memcmp(e->text, s, n)) return e->text;
  if (t->count++ > t->nslots) rehash(t);
  Name *e = arena_alloc(t->arena, sizeof *e + n + 1);
  e->hash = h;
  e->n = n;
  memcpy(e->text, s, n);
  e->next = t->slot[h & (t->nslots - 1)];
  t->slot[h & (t->nslots - 1)] = e;
  return e->text;
}

static int lookup_slot(const Lookup *x, const void *key) {
  uint64_t mask = (uint64_t)x->nslots - 1,
           i = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull >> 32;
  while (x->key[i & mask] && x->key[i & mask] != key) i++;
  return (int)(i & mask);
}

int lookup_get(const Lookup *x, const void *key) {
  return x->n ? x->value[lookup_slot(x, key)] : 0;
}

void lookup_put(Lookup *x, Arena *a, const void *key, int value) {
  if (2 * (x->n + 1) > x->nslots) {
    Lookup old = *x;
    x->nslots = old.nslots ? 4 * old.nslots : 16;
    x->key = arena_array(a, const void *, x->nslots);
    x->value = arena_array(a, int, x->nslots);
    for (int i = 0; i < old.nslots; i++)
      if (old.key[i]) {
        int to = lookup_slot(x, old.key[i]);
        x->key[to] = old.key[i];
        x->value[to] = old.value[i];
      }
  }
  int i = lookup_slot(x, key);
  if (!x->key[i]) x->n++;
  x->key[i] = key;
  x->value[i] = value;
}

int str_distance(const char *a, const char *b, int most) {
  enum { MAX = 63 };
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > MAX || nb > MAX || abs(na - nb) > most) return most + 1;
  int d[MAX + 1][MAX + 1];
  for (int i = 0; i <= na; i++) d[i][0] = i;
  for (int j = 0; j <= nb; j++) d[0][j] = j;
  for (int i = 1; i <= na; i++)
    for (int j = 1; j <= nb; j++) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[na][nb];
}
