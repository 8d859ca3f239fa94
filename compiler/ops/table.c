/* The list of ops, as a table. */
#include "opdefs.h"
#include <string.h>

#define OP(def) extern const OpDef def;
#include "ops.def"

static const OpDef *const table[] = {
#define OP(def) &def,
#include "ops.def"
};

enum { OPS = sizeof table / sizeof *table };

const OpDef *op_at(int i) { return i >= 0 && i < OPS ? table[i] : NULL; }

const OpDef *op_find(const char *name) {
  for (int i = 0; i < OPS; i++)
    if (table[i]->params && !strcmp(table[i]->name, name)) return table[i];
  return NULL;
}

Op op_operator(const char *sign, int operands) {
  for (int i = 0; i < OPS; i++)
    if (table[i]->sign && !strcmp(table[i]->sign, sign) &&
        (table[i]->numbers == 1) == (operands == 1))
      return table[i];
  return NULL;
}
