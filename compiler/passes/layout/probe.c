/* Tries other layouts for the results of ops. For the ops of small graphs the layouts with the
 * least cost by the messages are tried in turn: the op is fixed to one, messages are propagated
 * again, all ops are set by them, and the best choice is kept. This leaves local optima of single
 * moves and moves of neighbours, so that annotating a layout gains nothing over leaving it open.
 *
 * Bounded by the number of ways to compute the ops: graphs of more than some hundred ops are not
 * probed. */
#include "choose.h"
#include <math.h>
#include <string.h>

enum { WORK = 60000, LEAST = 4, MOST = 80, LAYOUTS = 6 }; /* WORK: ways, over all probes */

/* The results of op id that cost least, but for the present one, cheapest first. */
static int cheapest(const Choice *c, NodeId id, const double *cost, int *out) {
  const Ways *w = c->ways[id];
  int n = 0;
  for (int r = 0; r < w->result.n; r++) {
    int k = n;
    if (r == w->result.of[c->way[id]] || !(cost[r] < INFINITY)) continue;
    while (k > 0 && cost[out[k - 1]] > cost[r]) k--;
    if (k == LAYOUTS) continue;
    n = n < LAYOUTS ? n + 1 : LAYOUTS;
    memmove(&out[k + 1], &out[k], sizeof *out * (size_t)(n - 1 - k));
    out[k] = r;
  }
  return n;
}

int probes(const Choice *c, MinSum *m, ChoiceProbe *out, int room) {
  double ways = 1;
  int n = 0, result[LAYOUTS + 1];
  for (NodeId i = 0; i < c->graph->nodes.n; i++) ways += c->ways[i] ? c->ways[i]->n : 0;
  if (ways * LEAST > WORK) return 0;
  if (room > MOST) room = MOST;
  if (room > WORK / ways) room = (int)(WORK / ways);
  for (int turn = 0; turn < LAYOUTS; turn++)
    for (NodeId i = 0; i < c->graph->nodes.n && n < room; i++) {
      if (!c->ways[i] || c->ways[i]->result.n < 2) continue;
      if (cheapest(c, i, min_sum_costs(m, i), result) > turn)
        out[n++] = (ChoiceProbe){i, result[turn]};
    }
  return n;
}
