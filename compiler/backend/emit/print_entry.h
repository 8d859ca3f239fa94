/* A function of an entry being written: print_entry.c writes its statements, print_call.c what they
 * call. */
#ifndef DTG_PRINT_ENTRY_H
#define DTG_PRINT_ENTRY_H
#include "print_loop.h"

typedef struct Function {
  Emit *e;
  const LoopEntry *en;
  const LoopRows *rows; /* it is an epilogue */
  const char *id;       /* of the entry */
  const char *given;    /* what a repeated block is given: a row of its table */
  Print print;
  Str head;          /* extents */
  const char **view; /* by view: its name; NULL: not declared */
  bool *symbol;      /* by entry symbol: it is declared */
  const char **at; /* by buffer: the pointer that goes where it is, if it changes places, or NULL */
  VEC(const char *) homes; /* of loops with buffers that change places: where each is to be again */
  Lookup used;       /* identifiers, interned: the next number for another; 1: a variable's */
  int blocks, copies;
} Function;

/* print_call.c */
const char *print_of_entry(Print *p, const ExprNode *n, int scope); /* Print.own_expr */
void print_called(Print *p, Expr e);
void print_exchange(Function *f, const LoopStmt *s);

#endif
