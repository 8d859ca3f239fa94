/* Deep models of equal and of nearly equal blocks: what was found of an op of one block and is
 * taken over for others (passes/layout/seen.c) leaves each op the way that it is given where every
 * op is looked at for itself, at the same cost to the bit.
 *
 *   choice_seen [first seed] [how many] */
#include "kit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed, ops, alike;

static const char *one_of(uint64_t *r, const char *const *of, int n) {
  return of[kit_random(r, (uint64_t)n)];
}

/* Blocks with a product or two, a bias, an axis that is reduced, and what came before added; some
 * are annotated otherwise than the rest, and the loss goes back through all of them. */
static void program(uint64_t seed, char *out, size_t size) {
  static const char *const mesh[] = {"[a=2, b=2]", "[a=4]", "[a=2, b=3, c=2]"};
  static const char *const layout[] = {"[_, _]", "[a, _]", "[_, a]"};
  static const char *const body[] = {"x + max(x @ w%d, 0)", "x + tanh(x @ w%d) @ transpose(w%d)",
                                     "x - mean(x, axis=1, keepdims=true) + x @ w%d",
                                     "where(x > 0, x @ w%d, x * b%d)"};
  uint64_t r = seed;
  const int blocks = 12 + (int)kit_random(&r, 30), n = 8 << kit_random(&r, 5);
  const bool mixed = kit_random(&r, 2);
  const char *own = one_of(&r, body, 4), *often = one_of(&r, layout, 3);
  size_t at = (size_t)snprintf(out, size, "mesh %s\nlayout x = %s\n", one_of(&r, mesh, 3),
                               one_of(&r, layout, 3));
  for (int i = 0; i < blocks; i++) {
    const char *as = !mixed || kit_random(&r, 20) ? often : one_of(&r, layout, 3);
    at +=
        (size_t)snprintf(out + at, size - at,
                         "param w%d: f32[%d, %d] = 0.5\nparam b%d: f32[%d] = 0.1\n", i, n, n, i, n);
    if (!mixed || kit_random(&r, 20))
      at += (size_t)snprintf(out + at, size - at, "layout w%d = %s\n", i, as);
  }
  at += (size_t)snprintf(out + at, size - at, "entry f(x: f32[%d, %d]) {\n", n, n);
  for (int i = 0; i < blocks; i++) {
    const char *text = !mixed || kit_random(&r, 20) ? own : one_of(&r, body, 4);
    at += (size_t)snprintf(out + at, size - at, "  x = ");
    at += (size_t)snprintf(out + at, size - at, text, i, i);
    at += (size_t)snprintf(out + at, size - at, "\n");
  }
  snprintf(out + at, size - at,
           "  loss = mean(x * x)\n  w0 <- w0 - 0.1 * grad(loss, w0)\n"
           "  return loss, x\n}\n");
}

static void look(uint64_t seed) {
  char text[16384];
  program(seed, text, sizeof text);
  Kit *k = kit_compile(text);
  if (!k) exit(1);
  for (int e = 0; e < k->program->entries.n; e++) {
    const int n = k->program->entries.at[e].graph->nodes.n;
    const Choice *all = choose_entry(k->plan, e, ways_cache(k->program, k->arena, true)),
                 *each = choose_entry_by(k->plan, e, ways_cache(k->program, k->arena, true), true);
    for (int i = 0; i < n; i++) {
      ops += all->ways[i] != NULL;
      alike += all->ways[i] && all->class_of[i] != i;
    }
    if (memcmp(all->way, each->way, sizeof *all->way * (size_t)n) != 0 ||
        memcmp(&all->total, &each->total, sizeof all->total) != 0) {
      printf("FAIL seed %ld, entry %d: %.17g, each for itself %.17g\n%s", (long)seed, e, all->total,
             each->total, text);
      failed = 1;
    }
  }
  kit_free(k);
}

int main(int argc, char **argv) {
  const long first = argc > 1 ? atol(argv[1]) : 1, many = argc > 2 ? atol(argv[2]) : 40;
  for (long i = 0; i < many; i++) look((uint64_t)(first + i));
  printf("%ld programs, %d ops, %d of them like an earlier one\n", many, ops, alike);
  return failed || !alike;
}
