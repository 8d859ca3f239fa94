#include "kit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_message(void *user, const Message *m) {
  (void)user;
  fputs(m->rendered, stderr);
}

static void compile(Kit *k, const char *text) {
  if (arena_catch(k->arena)) abort(); /* out of memory */
  diag_init(&k->diag, k->arena, on_message, NULL);
  FrontSource source = {"test.dtg", text, strlen(text)};
  FrontOptions o = {.source = &source, .nsources = 1};
  k->program = front_compile(k->arena, &k->diag, &o);
  k->plan = k->program ? pipeline_run(k->program, NULL) : NULL;
}

Kit *kit_compile(const char *text) {
  Kit *k = calloc(1, sizeof *k);
  k->arena = arena_new();
  compile(k, text);
  if (k->plan) return k;
  kit_free(k);
  return NULL;
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
