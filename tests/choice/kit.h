/* Programs from text to a plan, inside the compiler. */
#ifndef CHOICE_KIT_H
#define CHOICE_KIT_H
#include "choose.h"
#include "pipeline.h"
#include "frontend.h"

typedef struct Kit {
  Arena *arena;
  Diag diag;
  Program *program;
  Plan *plan;
} Kit;

/* NULL, with the messages on stderr, when the text is wrong. */
Kit *kit_compile(const char *text);
Kit *kit_open(const FrontOptions *o);
void kit_free(Kit *k);
/* Prices from here on are those of the machine that a text describes; the plan stays. */
bool kit_machine(Kit *k, const char *text);

/* A random program of a few ops under random layouts. */
void kit_program(uint64_t seed, char *out, size_t size);

/* One with a loop, or one within another, whose numbers of runs are known. */
void kit_loop_program(uint64_t seed, char *out, size_t size);
/* One of other kinds of ops, with a layout said of every input, and with `said` of some other
 * values; returns how many values it has, x0, x1, ... Its axes are a, b, c. */
int kit_mixed_program(uint64_t seed, bool said, char *out, size_t size);
/* "[a, (c, b)]": a random layout of axes a, b and c, of these sizes (0: not there), which leaves no
 * block empty. */
void kit_layout(uint64_t *r, const int *axes, int rank, const int *dim, char *out, size_t size);

/* A small generator of random numbers: the same on every machine. */
uint64_t kit_random(uint64_t *state, uint64_t below);

#endif
