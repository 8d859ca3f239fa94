/* Shared by the parts of the C writer: emit_c.c (tables), print_loop.c, print_entry.c,
 * print_call.c and print_expr.c (the loop IR), step_text.c (what steps are, for tables and
 * comments), emit_watch.c. */
#ifndef DTG_EMIT_H
#define DTG_EMIT_H
#include "emit_c.h"
#include "loops.h"

/* What a step is, for comments, messages and profiles. */
typedef struct StepText {
  const char *what, *where;
} StepText;

typedef struct Emit {
  Arena *arena;
  const Plan *plan;
  const Program *program;
  const Mesh *mesh;
  const EmitOptions *options;
  Str tables, loops, entries;
  Names *names;
  VEC(const char *) dims, layouts; /* names of tables, each written once */
  Lookup dim_at, layout_at;        /* 1 + the place in those, by interned text */
  const char **unit;        /* names of functions, by number */
  VEC(const char *) parts;  /* names of functions that do a part of a loop */
  Lookup part_at;           /* 1 + the place in parts, by interned text */
  int nexchanges;
  EmitCounts *counts;
  /* the entry being written */
  const LocalEntry *le;
  const char **assigned; /* by node: the variable it is the new value of, or NULL */
  const StepText *text;  /* by step */
} Emit;

/* What a table holds under that text; 0: nothing. */
int emit_find(Emit *e, const Lookup *table, const char *text);
void emit_keep(Emit *e, Lookup *table, const char *text, int value);

/* A part of a C identifier from a user's name; a whole one, which no name in emitted loops equals.
 */
const char *emit_word(Emit *e, const char *name);
const char *emit_identifier(Emit *e, const char *name);
const char *emit_numbered(Emit *e, const char *name, int number); /* "sum_2" */
/* A name like `base` that is not used yet, and is by then. `used`: by name, 1 of a word that stays
 * free, as "sum" then is "sum_", else the next number for another like it. */
const char *emit_unique(Emit *e, Lookup *used, const char *base);
/* The node that a value is called after: what is exchanged keeps its name. */
const Node *emit_named(Emit *e, const Node *n);
/* The last two parts of a value's name, which tell loops' parameters apart: d1_w of model.d1.w. */
const char *emit_short_name(Emit *e, const Node *n);

/* emit_headers.c: what is printed, of a function's type, of lanes, or by a function's name. */
void emit_uses_type(HeaderUse *u, DType t);
void emit_uses_lanes(HeaderUse *u, DType t);
void emit_uses_function(HeaderUse *u, const char *name);

/* step_text.c */
void emit_begin_entry(Emit *e, const LocalEntry *le);
/* Writes the table of exchange `number`, which makes node `id`. */
void emit_exchange(Emit *e, NodeId id, int number);

/* emit_text.c: "head(a, b, c)tail" as a line, or as many as it takes. */
void emit_list(Str *to, const char *head, const char *const *text, int n, const char *tail);
/* Names of tables, which are written when first asked for, and texts of C. */
const char *emit_dim(Emit *e, const DimLayout *d, int64_t n);
const char *emit_layout(Emit *e, const Layout *l, const Shape *shape);
const char *emit_kind(int kind);                 /* of an exchange: "DTRT_COPY" */
void emit_string(Str *s, const char *text); /* in quotes; NULL: 0 */
/* What may stand between the marks of a comment, whatever the text (names of files) holds. */
const char *emit_comment(const Emit *e, const char *text);

/* emit_watch.c: the table of the entry's values, and its two fields in the entry's own table. */
void emit_values(Emit *e, Str *tables, Str *row, const char *id);
/* --drop-exchange=N leaves exchange number N out, counted from 1 over all entries by the nodes that
 * steps do: to see what notices. */
bool emit_is_dropped(const Emit *e, NodeId id);

#endif
