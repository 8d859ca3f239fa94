/* Chunks in a list, the newest first, each a quarter as large as all before, so that a large arena
 * asks the system seldom; a large request gets a chunk of its own. A chunk comes zeroed and knows
 * how much of it was ever handed out, so that only what was given back is zeroed again. Large ones
 * come from the system itself: calloc would write zeros into memory that it has had before, and the
 * system has huge pages, each one fault instead of 512. What is given back stays with the
 * compilation: the system clears each page that it hands out, which takes longer than most of what
 * is done with it. */
#include "arena.h"
#include "format.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK = 64 << 10, MOST_CHUNK = 16 << 20, HUGE_PAGE = 2 << 20, SPARES = 8 };

typedef struct Chunk {
  struct Chunk *next;
  size_t used, cap;
  size_t dirty;  /* bytes from here on are zero */
  size_t mapped; /* bytes of huge pages; 0: of malloc */
} Chunk;

struct Arena {
  Arena *root;     /* whose failures and count are this one's too; itself, unless it is a child */
  Arena *children; /* of the root: all, by `next` */
  Arena *next;
  Chunk *top;
  Chunk *spare; /* of the root: what arena_release gave back of it and of its children, at most
                   SPARES chunks */
  size_t total, reserved;
  long fail_at;
  jmp_buf on_fail;
};

enum { HEAD = (sizeof(Chunk) + 15) / 16 * 16 };

Arena *arena_new(void) {
  Arena *a = calloc(1, sizeof *a);
  if (a) a->root = a;
  return a;
}

Arena *arena_child(Arena *a) {
  Arena *root = a->root, *c = calloc(1, sizeof *c);
  if (!c) longjmp(root->on_fail, 1);
  c->root = root;
  c->next = root->children;
  root->children = c;
  return c;
}

static void chunk_free(Chunk *c) {
  if (c && c->mapped)
    munmap(c, c->mapped);
  else
    free(c);
}

void arena_free(Arena *a) {
  if (!a) return;
  for (Arena *c = a->children, *next; c; c = next) {
    next = c->next;
    arena_free(c);
  }
  for (Chunk *c = a->top, *next; c; c = next) {
    next = c->next;
    chunk_free(c);
  }
  for (Chunk *c = a->spare, *next; c; c = next) {
    next = c->next;
    chunk_free(c);
  }
  free(a);
}

jmp_buf *arena_jmp(Arena *a) { return &a->on_fail; }
void arena_fail_at(Arena *a, long n) { a->fail_at = n; }
size_t arena_used(const Arena *a) { return a->total; }

/* Huge pages, where the system has them. NULL: there is no memory. */
static Chunk *chunk_map(size_t bytes) {
  const size_t size = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  char *at =
      mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  const size_t before = -(uintptr_t)at % HUGE_PAGE;
  if (before) munmap(at, before);
  munmap(at + before + size, HUGE_PAGE - before);
  Chunk *c = (Chunk *)(at + before);
#ifdef MADV_HUGEPAGE
  madvise(c, size, MADV_HUGEPAGE);
#endif
  c->mapped = size;
  c->cap = size - HEAD;
  return c;
}

/* Small arenas do without: a huge page is zeroed whole. */
static Chunk *chunk_new(const Arena *a, size_t bytes) {
  size_t cap = a->reserved / 4 < MOST_CHUNK ? a->reserved / 4 : MOST_CHUNK;
  if (cap < CHUNK) cap = CHUNK;
  if (cap < bytes) cap = bytes;
  if (HEAD + cap >= HUGE_PAGE || a->reserved >= HUGE_PAGE / 2) return chunk_map(HEAD + cap);
  Chunk *c = calloc(1, HEAD + cap);
  if (c) c->cap = cap;
  return c;
}

/* The smallest spare chunk that holds it; NULL: there is none. */
static Chunk *spare_take(Arena *a, size_t bytes) {
  Chunk **best = NULL;
  for (Chunk **c = &a->root->spare; *c; c = &(*c)->next)
    if ((*c)->cap >= bytes && (!best || (*c)->cap < (*best)->cap)) best = c;
  if (!best) return NULL;
  Chunk *c = *best;
  *best = c->next;
  return c;
}

/* Of too many the smallest goes back to the system. */
static void spare_put(Arena *a, Chunk *c) {
  Chunk **least = &a->root->spare;
  int n = 1;
  c->used = 0;
  c->next = a->root->spare;
  a->root->spare = c;
  for (Chunk **x = &c->next; *x; x = &(*x)->next, n++)
    if ((*x)->cap < (*least)->cap) least = x;
  if (n <= SPARES) return;
  Chunk *gone = *least;
  *least = gone->next;
  chunk_free(gone);
}

static void add_chunk(Arena *a, size_t bytes) {
  Chunk *c = spare_take(a, bytes);
  if (!c) c = chunk_new(a, bytes);
  if (!c) longjmp(a->root->on_fail, 1);
  c->next = a->top;
  a->reserved += c->cap;
  a->top = c;
}

void *arena_alloc(Arena *a, size_t bytes) {
  Arena *root = a->root;
  if (root->fail_at && --root->fail_at == 0) longjmp(root->on_fail, 1);
  if (bytes > SIZE_MAX / 2) longjmp(root->on_fail, 1);
  bytes = (bytes + 15) / 16 * 16;
  if (!a->top || a->top->cap - a->top->used < bytes) add_chunk(a, bytes);
  Chunk *c = a->top;
  char *p = (char *)c + HEAD + c->used;
  if (c->used < c->dirty) memset(p, 0, bytes < c->dirty - c->used ? bytes : c->dirty - c->used);
  c->used += bytes;
  if (c->used > c->dirty) c->dirty = c->used;
  a->total += bytes;
  return p;
}

ArenaMark arena_mark(const Arena *a) { return (ArenaMark){a->top, a->top ? a->top->used : 0}; }

void arena_release(Arena *a, ArenaMark m) {
  while (a->top != m.top) {
    Chunk *c = a->top;
    a->top = c->next;
    a->reserved -= c->cap;
    spare_put(a, c);
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
  char some[256];
  va_list again;
  va_copy(again, ap);
  size_t n = format_text(some, sizeof some, fmt, ap);
  char *p = arena_alloc(a, n + 1);
  if (n < sizeof some)
    memcpy(p, some, n);
  else
    format_text(p, n + 1, fmt, again);
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
