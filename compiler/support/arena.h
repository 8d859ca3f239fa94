/* Memory of a compilation. An arena only grows and is freed as a whole; nothing in it is freed
 * alone. Invariant: an allocation never returns NULL. When memory runs out the arena jumps to the
 * point that arena_catch set, so that every failure returns to the host and no caller checks. Use:
 * if (arena_catch(a)) { arena_free(a); return OUT_OF_MEMORY; } */
#ifndef DTG_ARENA_H
#define DTG_ARENA_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void); /* NULL when the machine has no memory at all */
/* Freed with `a`, fails as `a` does, and is not touched by its marks: for what is kept while marks
 * come and go. */
Arena *arena_child(Arena *a);
void arena_free(Arena *a); /* and its children */
void *arena_alloc(Arena *a, size_t bytes); /* zeroed, aligned to 16 */
void *arena_copy(Arena *a, const void *from, size_t bytes);
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_strdup(Arena *a, const char *s);
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *a, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0), nonnull(1, 2)));
size_t arena_used(const Arena *a); /* bytes handed out so far */

/* What is allocated after a mark can be given back at once, when nothing of it is kept. */
typedef struct ArenaMark {
  void *top;
  size_t used;
} ArenaMark;
ArenaMark arena_mark(const Arena *a);
void arena_release(Arena *a, ArenaMark m);

jmp_buf *arena_jmp(Arena *a);
#define arena_catch(a) setjmp(*arena_jmp(a))

/* The n-th allocation from now fails (0: none does). For the hostile tests. */
void arena_fail_at(Arena *a, long n);

#define arena_new_of(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* Growing arrays in an arena: struct { T *at; int n, cap; } */
#define VEC(T)                                                                                     \
  struct {                                                                                         \
    T *at;                                                                                         \
    int n, cap;                                                                                    \
  }
#define vec_push(a, v, x)                                                                          \
  do {                                                                                             \
    if ((v)->n == (v)->cap) (v)->at = vec_grow((a), (v)->at, &(v)->cap, (v)->n, sizeof *(v)->at);  \
    (v)->at[(v)->n++] = (x);                                                                       \
  } while (0)
void *vec_grow(Arena *a, void *at, int *cap, int n, size_t size);
/* Room for `count` in a vector that has none yet; it still grows. */
#define vec_reserve(a, v, count)                                                                   \
  ((v)->cap = (count), (v)->at = arena_alloc((a), sizeof *(v)->at * (size_t)(v)->cap))

#endif
