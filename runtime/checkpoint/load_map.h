/* load_map.h: maps the names of another model's tensors to this program's, by lines such as
 *
 *   encoder.embed.weight    -> model.embed.w              # another name
 *   encoder.layer.*.q.weight -> model.block[*].q.w transpose
 *   lm_head.*               -> -                          # ignored
 *   qkv.weight[0:64]        -> model.q                    # a part of theirs
 *   layer.*.scale           -> model.scale[*]             # into a part of ours
 *   bias_hh                 -> model.b add                # to what another line gives
 *
 * A `*` matches any text, the same on both sides, in order. The first line that matches a name
 * applies, and all others with the same pattern; a name without a match is kept. `reshape(12, 64,
 * -1)` gives the elements other dims, `transpose` then reverses all dims, `transpose(1, 0, 2)`
 * permutes them; `cast` rounds to the variable's type. */
#ifndef DTG_RUNTIME_LOAD_MAP_H
#define DTG_RUNTIME_LOAD_MAP_H
#include <stdbool.h>
#include "dtrt.h"

/* "[0:64, 3, :]": of some first dims a range or one place, which takes the dim away. */
typedef struct load_part {
  int n;
  int64_t lo[DTRT_MAX_RANK], hi[DTRT_MAX_RANK]; /* hi < 0: to the end */
  bool one[DTRT_MAX_RANK];
} load_part;

typedef struct load_rule {
  char *theirs, *ours;
  load_part part; /* of theirs */
  bool transpose, cast, add, used;
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
/* Where load_map_next is. */
typedef struct load_match {
  int next;
  const char *pattern;
} load_match;
/* Our next name for theirs, malloc'ed (NULL: out of memory), and what made it, or NULL: none did. A
 * name that no line matches is its own. False behind the last. */
bool load_map_next(load_map *m, const char *theirs, load_match *at, const load_rule **rule,
                   char **name);
/* "0:64, 3]" up to its end; false: that is not what it is. */
bool load_part_read(load_part *p, const char *text);
#endif
