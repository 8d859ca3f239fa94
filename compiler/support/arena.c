/* Chunks in a list, the newest first; a large request gets a chunk of its own. */
#include "arena.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024 };

typedef struct Chunk {
  struct Chunk *next;
  size_t used, cap;
} Chunk;

struct Arena {
  Chunk *top;
  size_t total;
  long fail_at;
  jmp_buf on_fail;
};

_Static_assert(sizeof(Chunk) % 8 == 0, "chunk data starts aligned");
enum { HEAD = (sizeof(Chunk) + 15) / 16 * 16 };

Arena *arena_new(void) { return calloc(1, sizeof(Arena)); }

void arena_free(Arena *a) {
  if (!a) return;
  for (Chunk *c = a->top, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  free(a);
}

jmp_buf *arena_jmp(Arena *a) { return &a->on_fail; }
void arena_fail_at(Arena *a, long n) { a->fail_at = n; }
size_t arena_used(const Arena *a) { return a->total; }

void *arena_alloc(Arena *a, size_t bytes) {
  if (a->fail_at && --a->fail_at == 0) longjmp(a->on_fail, 1);
  if (bytes > SIZE_MAX / 2) longjmp(a->on_fail, 1);
  bytes = (bytes + 15) / 16 * 16;
  if (!a->top || a->top->cap - a->top->used < bytes) {
    size_t cap = bytes > CHUNK ? bytes : CHUNK;
    Chunk *c = malloc(HEAD + cap);
    if (!c) longjmp(a->on_fail, 1);
    *c = (Chunk){.next = a->top, .cap = cap};
    a->top = c;
  }
  char *p = (char *)a->top + HEAD + a->top->used;
  a->top->used += bytes;
  a->total += bytes;
  return memset(p, 0, bytes);
}

ArenaMark arena_mark(const Arena *a) { return (ArenaMark){a->top, a->top ? a->top->used : 0}; }

void arena_release(Arena *a, ArenaMark m) {
  while (a->top != m.top) {
    Chunk *c = a->top;
    a->top = c->next;
    free(c);
  }
  if (a->top) a->top->used = m.used;
}

void *arena_copy(Arena *a, const void *from, size_t bytes) {
  void *p = arena_alloc(a, bytes);
  return bytes ? memcpy(p, from, bytes) : p;
}

char *arena_strndup(Arena *a, const char *s, size_t n) {
  char *p = arena_alloc(a, n + 1);
  memcpy(p, s, n);
  return p;
}

char *arena_strdup(Arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_vprintf(Arena *a, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  char *p = arena_alloc(a, (size_t)n + 1);
  vsnprintf(p, (size_t)n + 1, fmt, again);
  va_end(again);
  return p;
}

char *arena_printf(Arena *a, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *p = arena_vprintf(a, fmt, ap);
  va_end(ap);
  return p;
}

void *vec_grow(Arena *a, void *at, int *cap, int n, size_t size) {
  int more = *cap ? *cap * 2 : 8;
  void *p = arena_alloc(a, (size_t)more * size);
  if (n) memcpy(p, at, (size_t)n * size);
  *cap = more;
  return p;
}
