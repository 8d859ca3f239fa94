/* The roll, as a table. */
#include "opdefs.h"
#include <string.h>

static const OpDef *const table[OP_COUNT] = {
#define OP(name, def) [OP_##name] = &def,
#include "ops.def"
};

const OpDef *op_def(Op op) { return table[op]; }

const OpDef *op_at(int i) { return i >= 0 && i + 1 < OP_COUNT ? table[i + 1] : NULL; }

const OpDef *op_find(const char *name, Op *op) {
  for (int i = 1; i < OP_COUNT; i++)
    if (table[i]->params && !strcmp(table[i]->name, name)) {
      if (op) *op = (Op)i;
      return table[i];
    }
  return NULL;
}

const char *op_written(Op op) {
  static const char *const sign[OP_COUNT] = {
      [OP_add] = "+", [OP_sub] = "-",  [OP_neg] = "-",       [OP_mul] = "*",    [OP_div] = "/",
      [OP_mod] = "%", [OP_pow] = "**", [OP_floordiv] = "//", [OP_matmul] = "@", [OP_eq] = "==",
      [OP_ne] = "!=", [OP_lt] = "<",   [OP_le] = "<=",       [OP_gt] = ">",     [OP_ge] = ">="};
  return sign[op] ? sign[op] : table[op]->name;
}

void rule_of(const Graph *g, const Node *n, Rule *r, Arena *scratch) {
  memset(r, 0, sizeof *r);
  r->noperands = n->noperands;
  r->operand = arena_alloc(scratch, sizeof *r->operand * (size_t)(n->noperands ? n->noperands : 1));
  table[n->op]->rule(g, n, r);
}
