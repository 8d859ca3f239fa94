/* What was found of an op holds for others of its class (min_sum.c) as long as all that it was
 * found from is alike: the layouts of its operands, and those that uses of them and of its result
 * require. The equal blocks of a deep model are looked at once then, and not once each. Found again
 * would be the same to the bit: what is summed up has the same order. */
#include "choose.h"
#include <string.h>

enum { MOST_KEY = 128 };

struct ChoiceSeen {
  int n, room, found;
  int *key;
};

typedef struct SeenKey {
  int n, at[MOST_KEY + 1]; /* n > MOST_KEY: too long */
} SeenKey;

static void put(SeenKey *k, int x) {
  if (k->n <= MOST_KEY) k->at[k->n++] = x;
}

static void put_wants(SeenKey *k, const ChoiceValue *v) {
  put(k, v->want.n);
  for (int i = 0; i < v->want.n; i++) put(k, v->want.at[i].layout), put(k, v->want.at[i].count);
}

static void put_operands(SeenKey *key, const Choice *c, NodeId id) {
  const Ways *w = c->ways[id];
  for (int k = 0; k < w->noperands; k++) {
    const NodeId x = c->operand[id][k];
    int first = 0;
    while (c->operand[id][first] != x) first++;
    put(key, first);
    put(key, choice_is_made(c, x) ? choice_result(c, x) : -1);
    put(key, c->routes->forms.at[c->value[x].form].closed); /* more layouts, other routes */
    put_wants(key, &c->value[x]);
  }
}

static SeenKey key_of(const Choice *c, ChoiceLook look, NodeId id) {
  SeenKey k;
  k.n = 0;
  put(&k, c->routes == c->figures);
  put(&k, c->routes->forms.at[c->value[id].form].closed);
  if (look == LOOK_IMPROVE) put(&k, c->way[id]), put_wants(&k, &c->value[id]);
  put_operands(&k, c, id);
  return k;
}

static ChoiceSeen *place(const Choice *c, ChoiceLook look, NodeId id) {
  return &c->seen[look][c->class_of[id]];
}

static bool find(ChoiceSeen *s, Choice *c, const SeenKey *k, int *found) {
  const size_t bytes = sizeof *k->at * (size_t)k->n;
  if (k->n > MOST_KEY) {
    s->n = 0;
    return false;
  }
  if (s->n == k->n && !memcmp(s->key, k->at, bytes)) {
    *found = s->found;
    return true;
  }
  if (s->room < k->n) s->key = arena_alloc(c->arena, bytes), s->room = k->n;
  memcpy(s->key, k->at, bytes);
  s->n = -k->n; /* until it is found */
  return false;
}

bool choice_seen(Choice *c, ChoiceLook look, NodeId id, const int *more, int n, int *found) {
  if (!c->class_of) return false;
  SeenKey k = key_of(c, look, id);
  for (int i = 0; i < n; i++) put(&k, more[i]);
  return find(place(c, look, id), c, &k, found);
}

void choice_see(Choice *c, ChoiceLook look, NodeId id, int found) {
  if (!c->class_of) return;
  ChoiceSeen *s = place(c, look, id);
  if (s->n < 0) s->n = -s->n, s->found = found;
}

void choice_classes(Choice *c, const NodeId *class_of) {
  const int n = c->graph->nodes.n;
  c->class_of = class_of;
  for (int look = 0; look < LOOKS; look++) c->seen[look] = arena_array(c->arena, ChoiceSeen, n + 1);
}
