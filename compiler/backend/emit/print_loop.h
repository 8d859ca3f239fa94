/* Loop functions as C: print_loop.c writes the function, print_expr.c its expressions. */
#ifndef DTG_PRINT_LOOP_H
#define DTG_PRINT_LOOP_H
#include "emit.h"
#include "loop.h"

/* Where an expression is written: a block of statements, or one part of a select, whose statements
 * run only where it is taken. */
typedef struct Scope {
  int parent; /* -1: a block */
  Expr select;
  int part; /* the argument of it */
  Str code; /* of a part */
} Scope;

/* An expression in the outermost scope that uses it. */
typedef struct ExprUse {
  Expr of;
  int scope, uses, next; /* next: of the same expression; -1: none */
  const char *text;      /* NULL: not written yet */
  bool simple;           /* it needs no parentheses */
} ExprUse;

typedef struct Print {
  Arena *arena;
  const LocalEntry *le;
  const LoopFunction *f;
  const Exprs *x;
  const char **param, **buffer; /* names, by place */
  bool *moves;                  /* by expression: its value may change within a block */
  VEC(int) stored;              /* memory that stores of the function change (STMT_STORE) */
  VEC(Scope) scopes;
  VEC(ExprUse) uses;
  int *use_of;            /* by expression: 1 + its last in `uses` */
  int scope, use, looked; /* where the block's scopes and uses begin; scopes that are counted */
  int values, integers;   /* names given: v0, p0 */
  Str code;
} Print;

enum { LONG_TEXT = 110, LONGEST_TEXT = 800 /* compilers do not take brackets without end */ };

/* A block's expressions: first all are counted, then each is written. What is used twice, or is
 * long, has a name, which is declared in the outermost scope that uses it. */
typedef struct BlockMark {
  int scope, use, looked;
} BlockMark;
BlockMark print_begin_block(Print *p);
void print_count(Print *p, Expr e);
void print_counted(Print *p);
const char *print_expr(Print *p, Expr e);
const char *print_wrapped(Print *p, Expr e); /* in parentheses where it needs them */
const char *print_place(Print *p, Expr e);   /* of a local or an element, to be assigned to */
void print_end_block(Print *p, BlockMark m);

#endif
