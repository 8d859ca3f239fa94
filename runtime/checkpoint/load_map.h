/* load_map.h: maps the names of another model's tensors to this program's, by lines such as
 *
 *   encoder.embed.weight    -> model.embed.w              # another name
 *   encoder.layer.*.q.weight -> model.block[*].q.w transpose
 *   lm_head.*               -> -                          # ignored
 *
 * A `*` matches any text, the same on both sides, in order. The first line that matches a name
 * applies; a name without a match is kept. `reshape(12, 64, -1)` gives the elements other dims,
 * `transpose` then reverses all dims, `transpose(1, 0, 2)` permutes them; `cast` rounds to the
 * variable's type. */
#ifndef DTG_RUNTIME_LOAD_MAP_H
#define DTG_RUNTIME_LOAD_MAP_H
#include <stdbool.h>
#include "dtrt.h"

typedef struct load_rule {
  char *theirs, *ours;
  bool transpose, cast, used;
  int nperm; /* 0: turned round */
  int perm[DTRT_MAX_RANK];
  int nshape;                   /* 0: the tensor's own */
  int64_t shape[DTRT_MAX_RANK]; /* one may be -1: what is left */
} load_rule;

typedef struct load_map {
  load_rule *rule;
  int n;
} load_map;

/* False with why, which names the line. NULL is an empty map. */
bool load_map_read(load_map *m, const char *text, char *why, size_t whysize);
void load_map_free(load_map *m);
/* Our name for theirs, malloc'ed; *rule is what made it, or NULL. NULL: out of memory. */
char *load_map_name(load_map *m, const char *theirs, const load_rule **rule);
#endif
