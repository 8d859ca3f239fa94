/* algorithm_table.c: the rows of algorithms.def, and the choice among them: see algorithm_table.h. */
#include "algorithm_table.h"
#include <stddef.h>

#define ALGORITHM(NAME) extern const CollectiveAlgorithm NAME;
#include "algorithms.def"

static const CollectiveAlgorithm *const table[ALGORITHMS] = {
#define ALGORITHM(NAME) &NAME,
#include "algorithms.def"
};

const CollectiveAlgorithm *collective_algorithm(int which) { return table[which]; }

int collective_choose(const Collective *c, const Speed *s) {
  int best = ALGORITHMS;
  double least = 0;
  for (int i = 0; i < ALGORITHMS; i++) {
    if (!table[i]->fits(c)) continue;
    Price p = collective_price(i, c, s);
    if (best < ALGORITHMS && p.waiting + p.moving >= least) continue;
    best = i;
    least = p.waiting + p.moving;
  }
  return best;
}

static double doublings(int64_t n) {
  double rounds = 0;
  for (; n > 1; n = (n + 1) / 2) rounds++;
  return rounds;
}

Price collective_price(int which, const Collective *c, const Speed *s) {
  if (c->group <= 1) return (Price){0};
  Price p = table[which]->price(c, s);
  p.own = c->direct ? 0 : s->message * (double)p.messages;
  if (c->direct)
    p.waiting = s->latency * doublings(1 + p.peers);
  else
    p.waiting = s->latency * (double)(p.rounds - p.local) + p.own;
  p.moving = (double)(c->direct ? p.bytes : p.far) / s->bandwidth;
  return p;
}
