/* checkpoint_walk.c: iterates over a variable's elements, a buffer at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint_command.h"
#include "element.h"

bool checkpoint_walk_open(checkpoint_walk *w, const checkpoint *c, const checkpoint_var *v,
                          int dtype, char *why) {
  *w = (checkpoint_walk){.v = v, .dtype = dtype, .size = (int64_t)element_size(dtype)};
  int64_t room = CHECKPOINT_BUFFER / w->size, inner = 1;
  w->dim = v->rank - 1;
  w->ended = checkpoint_count(v) == 0;
  while (!w->ended && w->dim > 0 && inner * v->shape[w->dim] <= room) inner *= v->shape[w->dim--];
  w->most = room / (inner ? inner : 1);
  w->data = malloc(CHECKPOINT_BUFFER);
  if (checkpoint_reader_open(&w->reader, c, why) && w->data) return true;
  snprintf(why, CHECKPOINT_WHY, "%s: out of memory", c->path);
  return false;
}

/* The next box; false when there is none. */
static bool step(checkpoint_walk *w) {
  const checkpoint_var *v = w->v;
  int k = w->dim;
  if (!w->begun) {
    for (int d = 0; d < v->rank; d++) w->hi[d] = d < k ? 1 : v->shape[d];
  } else {
    if (k < 0) return false;
    w->lo[k] = w->hi[k];
    for (int d = k; d >= 0 && w->lo[d] == v->shape[d]; d--) {
      w->lo[d] = 0;
      if (d == 0) return false;
      w->lo[d - 1]++;
      w->hi[d - 1]++;
    }
    for (int d = 0; d < k; d++) w->hi[d] = w->lo[d] + 1;
  }
  if (k >= 0) {
    int64_t rest = v->shape[k] - w->lo[k];
    w->hi[k] = w->lo[k] + (rest < w->most ? rest : w->most);
  }
  w->begun = true;
  return true;
}

bool checkpoint_walk_next(checkpoint_walk *w) {
  if (w->ended || (w->ended = !step(w))) return false;
  w->count = 1;
  for (int d = 0; d < w->v->rank; d++) w->count *= w->hi[d] - w->lo[d];
  if (checkpoint_read(&w->reader, w->v, NULL, w->lo, w->hi, w->dtype, w->data, NULL)) return true;
  w->failed = w->ended = true;
  return false;
}

void checkpoint_walk_close(checkpoint_walk *w) {
  checkpoint_reader_close(&w->reader);
  free(w->data);
  w->data = NULL;
}
