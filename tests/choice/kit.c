#include "kit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_message(void *user, const Message *m) {
  (void)user;
  fputs(m->rendered, stderr);
}

static void compile(Kit *k, const FrontOptions *o) {
  if (arena_catch(k->arena)) abort(); /* out of memory */
  diag_init(&k->diag, k->arena, on_message, NULL);
  k->program = front_compile(k->arena, &k->diag, o);
  PipelineOptions how = {0};
  const char *word;
  int len;
  /* What products cost as expressions the choice does not know. */
  pipeline_disable(&how.disabled, "unroll", &word, &len);
  k->plan = k->program ? pipeline_run(k->program, &how) : NULL;
}

Kit *kit_open(const FrontOptions *o) {
  Kit *k = calloc(1, sizeof *k);
  if (!k || !(k->arena = arena_new())) abort();
  compile(k, o);
  if (k->plan) return k;
  kit_free(k);
  return NULL;
}

Kit *kit_compile(const char *text) {
  FrontSource source = {"test.dtg", text, strlen(text)};
  FrontOptions o = {.source = &source, .nsources = 1};
  return kit_open(&o);
}

bool kit_machine(Kit *k, const char *text) {
  const Machine *m = machine_read(k->arena, &k->diag,
                                  diag_add_source(&k->diag, "test.machine", text, strlen(text)));
  if (m) k->program->machine = m;
  return m != NULL;
}

void kit_free(Kit *k) {
  arena_free(k->arena);
  free(k);
}

uint64_t kit_random(uint64_t *s, uint64_t below) {
  uint64_t z = *s += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (z ^ z >> 31) % below;
}

static const char *const meshes[] = {"[a=2]", "[a=4]", "[a=2, b=2]", "[a=3, b=2]"};
static const char *const one_axis[] = {"[_, _]", "[a, _]", "[_, a]"};
static const char *const two_axes[] = {"[_, _]", "[a, _]", "[b, _]",      "[_, a]",     "[_, b]",
                                       "[a, b]", "[b, a]", "[(a, b), _]", "[_, (b, a)]"};

void kit_program(uint64_t seed, char *out, size_t size) {
  uint64_t r = seed;
  int mesh = (int)kit_random(&r, 4), n = (int)(int[]){8, 30, 256, 1000}[kit_random(&r, 4)];
  int ops = 1 + (int)kit_random(&r, 6);
  size_t at = (size_t)snprintf(
      out, size, "mesh %s\nentry f(x0: f32[%d, %d], x1: f32[%d, %d], x2: f32[%d, %d]) {\n",
      meshes[mesh], n, n, n, n, n, n);
  for (int i = 0; i < ops; i++) {
    int a = (int)kit_random(&r, (uint64_t)(3 + i)), b = (int)kit_random(&r, (uint64_t)(3 + i));
    if (kit_random(&r, 3)) a = 2 + i; /* chains more often than not */
    const char *form = (const char *[]){"x%d @ x%d",
                                        "x%d + x%d",
                                        "x%d * x%d",
                                        "x%d @ x%d",
                                        "exp(x%d) - x%d",
                                        "transpose(x%d) + x%d",
                                        "x%d - sum(x%d, axis=0)"}[kit_random(&r, 7)];
    at += (size_t)snprintf(out + at, size - at, "  x%d = ", 3 + i);
    at += (size_t)snprintf(out + at, size - at, form, a, b);
    at += (size_t)snprintf(out + at, size - at, "\n");
  }
  at += (size_t)snprintf(out + at, size - at, "  return x%d\n}\n", 2 + ops);
  for (int i = 0; i < 3 + ops; i++) {
    if (i >= 3 && i != 2 + ops && kit_random(&r, 5)) continue;
    const char *l = mesh < 2 ? one_axis[kit_random(&r, 3)] : two_axes[kit_random(&r, 9)];
    at += (size_t)snprintf(out + at, size - at, "layout f.x%d = %s\n", i, l);
  }
}
