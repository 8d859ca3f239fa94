/* Writes a plan as C: one function an entry, the loops it calls, and the tables of include/dtrt.h.
 * The text needs dtrt.h alone and compiles without warnings under -std=c11 -Wall -Wextra with gcc
 * and clang. */
#ifndef DTG_EMIT_C_H
#define DTG_EMIT_C_H
#include "plan.h"

typedef struct EmitOptions {
  const char *name;    /* of the program, for the head comment and the tables */
  const char *layouts; /* text of --dump=layouts, kept in the program for `info`; NULL: none */
  bool line_marks;     /* #line back to the .dtg, for gdb and perf */
  bool values;         /* tables of what each step makes, for checks (emit_watch.c) */
  int drop_exchange;   /* from 1: this one is left out, to see that checks notice; 0: none */
} EmitOptions;

/* What a text uses of the headers' parts that few programs use. */
typedef struct HeaderUse {
  bool special, ints, lanes, lanes_f64;
} HeaderUse;
enum { HEADER_GUARDS = 5 };
/* The guards of the others, which need not be read with the text; NULL ends them. */
void emit_left_out(const HeaderUse *u, const char *guard[HEADER_GUARDS]);

typedef struct EmitCounts {
  HeaderUse uses;
  int functions;
} EmitCounts;

/* How many exchanges the plan's entries do, as drop_exchange counts them. */
long emit_exchanges(Arena *a, const Plan *plan);
void emit_c(Str *out, const Plan *plan, const EmitOptions *o, EmitCounts *counts);

#endif
