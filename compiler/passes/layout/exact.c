/* Exhaustive choice for small graphs (dynamic programming).
 *
 * Ops are set in the order of the graph. Later ops depend only on, for each value with remaining
 * uses, the layout it is computed in and the set of layouts required so far; of several prefixes
 * with the same state, the cheapest is kept. Prefixes that already cost more than the best known
 * choice are dropped. */
#include "choose.h"
#include <math.h>
#include <string.h>

enum {
  MOST_OPS = 10,
  MOST_TRIES = 200000,
  MOST_VALUES = 24,
  MOST_STATES = 20000,
  MOST_LAYOUTS = 64
};

typedef struct Live {
  uint64_t wanted; /* set of required layouts of the value's form */
  int64_t from;    /* the layout it is computed in; -1 after its last use */
} Live;

typedef struct State {
  double cost; /* of all that is decided: work, and conversions of values after their last use */
  int parent, way;
  uint64_t hash;
  Live live[MOST_VALUES];
} State;

typedef struct Level {
  VEC(State) s;
  int *slot; /* hash of `live` to state, open addressing */
  int nslots;
} Level;

typedef struct Exact {
  Choice *c;
  Arena *arena;
  int nvalues, nops;
  NodeId node[MOST_VALUES]; /* by value */
  int *value_of;            /* by node, or -1 */
  int *last;                /* by node: the op that reads it last */
  NodeId op[MOST_VALUES];
  double rest[MOST_VALUES + 1]; /* the least work of the ops from here on */
  double upper;
  int tries;
} Exact;

static int list_of(uint64_t set, int *out) {
  int n = 0;
  for (int i = 0; i < MOST_LAYOUTS; i++)
    if (set >> i & 1) out[n++] = i;
  return n;
}

static double conversions(const Exact *x, int v, const Live *l) {
  int wanted[MOST_LAYOUTS], n = list_of(l->wanted, wanted);
  if (n == 0) return 0;
  const NodeId id = x->node[v];
  return route_tree(x->c->routes, x->c->value[id].form, (int)l->from, wanted, n, NULL) *
         x->c->moves[id];
}

static uint64_t at_the_end(const Exact *x, int v) {
  const ChoiceValue *value = &x->c->value[x->node[v]];
  uint64_t set = 0;
  for (int i = 0; i < value->at_the_end.n; i++) set |= 1ull << value->at_the_end.at[i];
  return set;
}

static bool set_up(Exact *x) {
  const Choice *c = x->c;
  int n = c->graph->nodes.n, open = 0;
  x->value_of = arena_array(x->arena, int, n + 1);
  x->last = arena_array(x->arena, int, n + 1);
  for (NodeId i = 0; i < n; i++) {
    const Node *node = graph_node(c->graph, i);
    x->value_of[i] = x->last[i] = -1;
    if (c->value[i].free) continue;
    if (x->nvalues == MOST_VALUES || c->routes->forms.at[c->value[i].form].layouts.n > MOST_LAYOUTS)
      return false;
    x->value_of[i] = x->nvalues;
    x->node[x->nvalues++] = i;
    if (!c->ways[i]) continue;
    for (int k = 0; k < node->noperands; k++) x->last[node->operand[k]] = x->nops;
    x->op[x->nops++] = i;
    open += c->ways[i]->n > 1;
  }
  for (int i = x->nops - 1; i >= 0; i--) {
    const Ways *w = c->ways[x->op[i]];
    double least = INFINITY;
    for (int k = 0; k < w->n; k++) least = fmin(least, choice_work(c, x->op[i], k));
    x->rest[i] = x->rest[i + 1] + least;
  }
  return open <= MOST_OPS;
}

static void rehash(Exact *x, Level *l) {
  l->nslots = l->nslots ? l->nslots * 4 : 256;
  l->slot = arena_array(x->arena, int, l->nslots);
  for (int k = 0; k < l->s.n; k++) {
    int i = (int)(l->s.at[k].hash % (uint64_t)l->nslots);
    while (l->slot[i]) i = (i + 1) % l->nslots;
    l->slot[i] = k + 1;
  }
}

/* False: too many. */
static bool keep(Exact *x, Level *to, State *s) {
  size_t bytes = sizeof s->live[0] * (size_t)x->nvalues;
  s->hash = hash_bytes(s->live, bytes, 1);
  if (to->s.n * 2 >= to->nslots) rehash(x, to);
  int i = (int)(s->hash % (uint64_t)to->nslots);
  for (; to->slot[i]; i = (i + 1) % to->nslots) {
    State *y = &to->s.at[to->slot[i] - 1];
    if (y->hash != s->hash || memcmp(y->live, s->live, bytes)) continue;
    if (s->cost < y->cost) *y = *s;
    return true;
  }
  if (to->s.n == MOST_STATES) return false;
  vec_push(x->arena, &to->s, *s);
  to->slot[i] = to->s.n;
  return true;
}

/* Records the layouts that the op requires of its operands; its own value begins. False: a free
 * operand cannot have that layout. */
static bool advance(const Exact *x, int at, int way, State *s) {
  const Choice *c = x->c;
  NodeId id = x->op[at];
  const Node *n = graph_node(c->graph, id);
  const Way *w = &c->ways[id]->way[way];
  s->cost += choice_work(c, id, way);
  for (int k = 0; k < n->noperands; k++) {
    int v = x->value_of[n->operand[k]];
    const ChoiceValue *value = &c->value[n->operand[k]];
    if (v >= 0)
      s->live[v].wanted |= 1ull << w->need[k];
    else if (form_at(c->routes, value->form, w->need[k])->partial)
      return false;
  }
  Live *l = &s->live[x->value_of[id]];
  l->from = choice_source(c, id, w->result);
  if (l->from != w->result)
    s->cost += route(c->routes, c->value[id].form, w->result, l->from) * c->moves[id];
  l->wanted = at_the_end(x, x->value_of[id]);
  return true;
}

/* Values after their last use are decided; the rest bounds the whole from below. */
static double settle(const Exact *x, int at, State *s) {
  double bound = x->rest[at + 1];
  for (int v = 0; v < x->nvalues; v++) {
    if (s->live[v].from < 0) continue;
    double c = conversions(x, v, &s->live[v]);
    if (x->last[x->node[v]] <= at && x->node[v] <= x->op[at]) {
      s->cost += c;
      s->live[v] = (Live){0, -1};
    } else {
      bound += c;
    }
  }
  return s->cost + bound;
}

static bool step(Exact *x, const Level *from, Level *to, int at) {
  const Ways *w = x->c->ways[x->op[at]];
  for (int i = 0; i < from->s.n; i++)
    for (int way = 0; way < w->n; way++) {
      if (++x->tries > MOST_TRIES) return false;
      State s = from->s.at[i];
      s.parent = i, s.way = way;
      if (!advance(x, at, way, &s) || !(settle(x, at, &s) < x->upper)) continue;
      if (!keep(x, to, &s)) return false;
    }
  return true;
}

bool choose_exactly(Choice *c, double upper, int *way) {
  Exact x = {.c = c, .arena = c->plan->arena, .upper = upper};
  if (!set_up(&x) || !x.nops) return false;
  Level *level = arena_array(x.arena, Level, x.nops + 1);
  State begin = {.parent = -1};
  for (int v = 0; v < x.nvalues; v++) {
    const ChoiceValue *value = &c->value[x.node[v]];
    begin.live[v].from = value->lies;
    if (value->lies >= 0) begin.live[v].wanted = at_the_end(&x, v);
  }
  vec_push(x.arena, &level[0].s, begin);
  for (int at = 0; at < x.nops; at++)
    if (!step(&x, &level[at], &level[at + 1], at)) return false;
  const Level *end = &level[x.nops];
  int best = -1;
  for (int i = 0; i < end->s.n; i++)
    if (best < 0 || end->s.at[i].cost < end->s.at[best].cost) best = i;
  if (best < 0) return false;
  for (int at = x.nops, i = best; at > 0; i = level[at--].s.at[i].parent)
    way[x.op[at - 1]] = level[at].s.at[i].way;
  return true;
}
