/* See shared_rules.h. */
#include "shared_rules.h"
#include <string.h>

/* Fills in what follows from `rule` alone. */
static void finish(Arena *a, SharedRule *s) {
  const Rule *r = &s->rule;
  s->where = arena_array(a, int8_t, (r->noperands + 1) * r->nfactors + 1);
  memset(s->where, -1, (size_t)((r->noperands + 1) * r->nfactors));
  for (int f = 0; f < r->nfactors; f++) s->shifts = s->shifts || r->factor[f].kind == FACTOR_SHIFT;
  for (int i = 0; i <= r->noperands; i++) {
    const RuleDim *rd = i < r->noperands ? r->operand[i] : r->result;
    for (int d = MAX_RANK - 1; d >= 0; d--)
      for (int j = 0; j < rd[d].n; j++) s->where[i * r->nfactors + rd[d].factor[j]] = (int8_t)d;
  }
}

/* All that a rule may depend on. */
static uint64_t rule_hash(const Graph *g, const Node *n) {
  uint64_t h = hash_words(n->attr, sizeof *n->attr * (size_t)n->nattr,
                          op_hash(n->op) << 8 | (uint64_t)n->dtype);
  for (int i = 0; i < n->noperands; i++) {
    const Shape *s = &graph_operand(g, n, i)->shape;
    h = hash_words(s->dim, sizeof *s->dim * (size_t)s->rank, h);
  }
  return hash_words(n->shape.dim, sizeof *n->shape.dim * (size_t)n->shape.rank, h);
}

static bool rule_same(const Graph *g, const Node *n, const SharedRule *s) {
  const Node *o = graph_node(s->graph, s->node);
  if (o->op != n->op || o->dtype != n->dtype || o->noperands != n->noperands ||
      o->nattr != n->nattr || memcmp(&o->value, &n->value, sizeof n->value) != 0 ||
      o->whole != n->whole || !shape_equal(&o->shape, &n->shape) ||
      memcmp(o->attr, n->attr, sizeof *n->attr * (size_t)n->nattr) != 0)
    return false;
  for (int i = 0; i < n->noperands; i++) {
    const Node *a = graph_operand(s->graph, o, i), *b = graph_operand(g, n, i);
    if (a->dtype != b->dtype || !shape_equal(&a->shape, &b->shape)) return false;
  }
  return true;
}

SharedRule *shared_rule(SharedRules *rules, const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  uint64_t h = rule_hash(g, n);
  SharedRule **at = &rules->slot[h % SHARED_RULES];
  const bool own = op_is(n, OPF_LAYOUT) && n->noperands == 1; /* of what its own node says */
  for (SharedRule *s = *at; s && !own; s = s->next)
    if (s->hash == h && rule_same(g, n, s)) return s;
  SharedRule *s = arena_new_of(rules->arena, SharedRule);
  *s = (SharedRule){.next = *at, .hash = h, .graph = g, .node = id};
  rule_of(g, n, &s->rule, rules->arena);
  if (!own) *at = s;
  for (int d = 0; own && d < n->shape.rank; d++)
    if (!n->spec || !(n->spec->open & 1u << d))
      s->rule.operand[0][d].n = 0; /* annotated: passed on as in sweeps_reach_back only */
  finish(rules->arena, s);
  return s;
}

static bool is_equality(const SharedRule *s, const Shape *shape) {
  if (s->rule.nfactors != shape->rank) return false;
  for (int d = 0; d < shape->rank; d++)
    if (s->rule.factor[d].size != shape->dim[d]) return false;
  return true;
}

SharedRule *shared_equality(SharedRules *rules, const Shape *shape) {
  for (int i = 0; i < rules->equal.n; i++)
    if (is_equality(rules->equal.at[i], shape)) return rules->equal.at[i];
  SharedRule *s = arena_new_of(rules->arena, SharedRule);
  Rule *r = &s->rule;
  r->noperands = 1;
  r->operand = arena_alloc(rules->arena, sizeof *r->operand);
  for (int d = 0; d < shape->rank; d++) {
    const int f = rule_factor(r, shape->dim[d], FACTOR_PASS);
    r->operand[0][d] = r->result[d] = (RuleDim){.n = 1, .factor = {(int8_t)f}};
  }
  finish(rules->arena, s);
  vec_push(rules->arena, &rules->equal, s);
  return s;
}
