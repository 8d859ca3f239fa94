/* The terms of a partial value, one from each device, against docs/sums.md: equal to the bit for up
 * to 300 devices, also where hosts combine what is theirs first. */
#include <stdio.h>
#include <string.h>
#include "reduce_terms.h"
#include "reference.h"

enum { MOST = 300, N = 1300 /* more than a tile */ };

static float term[MOST][N], got[N];

/* Leaves [first, end) of a tree whose subtrees of so many leaves are cut here. */
static float terms_tree(Kind k, int first, int size, int terms, int i) {
  if (size == 1) return term[first][i];
  const float left = terms_tree(k, first, size / 2, terms, i);
  if (first + size / 2 >= terms) return left;
  const float right = terms_tree(k, first + size / 2, size / 2, terms, i);
  return k == SUM ? left + right : left * right;
}

/* Hosts of some devices each, in a row or in turns: each combines what it can, then one all. */
static int by_hosts(Kind k, int terms, int hosts, bool in_turns) {
  static float part[MOST][N];
  const void *all[MOST];
  SumNode at[MOST];
  static float want[N];
  const int op = k == SUM ? DTRT_SUM : DTRT_PROD;
  int parts = 0, failures = 0;
  const void *leaves[MOST];
  for (int t = 0; t < terms; t++) leaves[t] = term[t];
  reduce_terms(DTRT_F32, op, &(void *){want}, 1, leaves, terms, N);
  for (int h = 0; h < hosts; h++) {
    int leaf[MOST], n = 0, used = 0;
    SumNode node[MOST];
    for (int t = 0; t < terms; t++)
      if ((in_turns ? t % hosts : t * hosts / terms) == h) leaf[n++] = t;
    const int nodes = sum_tree_nodes(leaf, n, terms, node);
    for (int i = 0; i < nodes; i++) {
      const int m = sum_tree_leaves(node[i], leaf + used, n - used);
      const void *from[MOST];
      SumNode mine[MOST];
      for (int j = 0; j < m; j++)
        from[j] = term[leaf[used + j]], mine[j] = (SumNode){0, leaf[used + j]};
      reduce_nodes(DTRT_F32, op, true, &(void *){part[parts]}, 1, from, mine, m, N);
      int place = parts++; /* in the order of the tree */
      for (; place && (int64_t)at[place - 1].index << at[place - 1].level > (int64_t)node[i].index
                                                                                << node[i].level;
           place--)
        at[place] = at[place - 1], all[place] = all[place - 1];
      at[place] = node[i], all[place] = part[parts - 1];
      used += m;
    }
    if (!in_turns && !(terms % hosts) && !(terms / hosts & (terms / hosts - 1)) && n && nodes != 1)
      failures++, printf("FAIL a host of %d is %d subtrees\n", n, nodes);
  }
  reduce_nodes(DTRT_F32, op, false, &(void *){got}, 1, all, at, parts, N);
  if (!memcmp(want, got, sizeof got)) return failures;
  printf("FAIL %d terms on %d hosts %s: other bits\n", terms, hosts,
         in_turns ? "in turns" : "in a row");
  return failures + 1;
}

int main(void) {
  const void *from[MOST];
  uint64_t state = 11;
  int failures = 0;
  for (int t = 0; t < MOST; t++) {
    from[t] = term[t];
    for (int i = 0; i < N; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      term[t][i] = (float)(state >> 40) * 0x1p-24f + 0.5f;
    }
  }
  for (int terms = 1; terms <= MOST; terms += terms < 70 ? 1 : 23)
    for (int k = SUM; k <= PROD; k++) {
      void *to = got;
      reduce_terms(DTRT_F32, k == SUM ? DTRT_SUM : DTRT_PROD, &to, 1, from, terms, N);
      for (int i = 0; i < N; i++) {
        const float want = terms_tree((Kind)k, 0, 512, terms, i);
        if (!memcmp(&want, &got[i], sizeof want)) continue;
        if (failures++ < 10)
          printf("FAIL %s of %d terms: %.9g, in the documented order %.9g\n", k ? "prod" : "sum",
                 terms, got[i], want);
        break;
      }
    }
  for (int terms = 1; terms <= 70; terms++)
    for (int hosts = 1; hosts <= terms; hosts += hosts < 9 ? 1 : 7)
      for (int in_turns = 0; in_turns < 2; in_turns++)
        failures += by_hosts(SUM, terms, hosts, in_turns);
  return failures > 0;
}
