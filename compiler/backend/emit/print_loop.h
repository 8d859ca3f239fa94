/* Statements as C: print_loop.c writes loop functions, print_entry.c entries, print_expr.c their
 * expressions. */
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

/* How firmly the parts of a text hold together: what is looser than its place allows takes
 * parentheses. */
typedef enum Bind { BIND_LOOSE, BIND_SUM, BIND_PRODUCT, BIND_TIGHT } Bind;

/* An expression in the outermost scope that uses it. */
typedef struct ExprUse {
  Expr of;
  int scope, uses, next; /* next: of the same expression; -1: none */
  const char *text;      /* NULL: not written yet */
  Bind bind;
} ExprUse;

typedef struct Print Print;
struct Print {
  Arena *arena;
  const LocalEntry *le;
  const LoopFunction *f; /* NULL: of an entry, which prints itself what it alone has */
  const Exprs *x;
  HeaderUse *headers; /* what the text uses of them */
  void *user;
  const char *(*own_expr)(Print *p, const ExprNode *n, int scope);
  void (*own_stmt)(Print *p, const LoopStmt *s);
  const char **param, **buffer; /* names, by place */
  bool *moves;                  /* by expression: its value may change within a block */
  VEC(int) stored;              /* memory that stores of the function change (STMT_STORE) */
  Expr unrounded; /* 1 + one that is stored, and printed as it is before it is rounded; 0: none */
  bool *late; /* by expression: a part of a select in it reads what stores overwrite */
  bool *reads_stored; /* by expression: it reads what those stores overwrite */
  VEC(Scope) scopes;
  VEC(ExprUse) uses;
  int *use_of;            /* by expression: 1 + its last in `uses` */
  int scope, use, looked; /* where the block's scopes and uses begin; scopes that are counted */
  int values, integers;   /* names given: v0, p0 */
  Str code;
};

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
/* A value that becomes `to`: in memory of half-width numbers storing it rounds. */
const char *print_stored(Print *p, Expr to, Expr e);
const char *print_wrapped(Print *p, Expr e); /* in parentheses where it needs them */
const char *print_place(Print *p, Expr e);   /* of a local or an element, to be assigned to */
void print_end_block(Print *p, BlockMark m);
const char *print_in(Print *p, Expr e, int scope); /* a part of an expression of that scope */
const char *print_wrapped_in(Print *p, Expr e, int scope);
/* An expression apart from all others. */
const char *print_alone(Print *p, Expr e);
void print_begin(Print *p); /* once p->x is known */
/* Whether a load reads memory that stores of the function change, of several stores. */
bool print_is_overwritten(const Print *p, const ExprNode *n);
void print_block(Print *p, const LoopStmt *s);

/* The whole of a loop function, called so. */
void print_function(Emit *e, const LoopFunction *f, const char *name);
/* print_entry.c: an epilogue, called so; an entry, with the blocks that it repeats. */
void print_rows(Emit *e, const LoopEntry *en, const LoopRows *r, const char *name);
void print_entry(Emit *e, const LoopEntry *en, const char *id);

#endif
