/* foreign.h: names and syntax that users of Python, JAX, C or Rust write, and the dtg form of
 * each. Messages only: nothing here changes what is accepted. */
#ifndef DTG_FOREIGN_H
#define DTG_FOREIGN_H
#include "ast.h"

/* What the parser knows where it stopped. */
typedef struct Stopped {
  Span at;          /* of the token that was not expected */
  bool ends;        /* which ends a line or the text */
  bool name;        /* that could have stood there: a name, */
  bool expr;        /* an expression, */
  bool stmt;        /* a statement, */
  bool brace;       /* `{`, */
  bool parenthesis; /* `)` */
} Stopped;

/* The message for it, or NULL: none better than what was expected. */
const char *foreign_syntax(Parse *p, const Stopped *s);
/* What to write in the place of a name that does not exist ("a range is written 0..n"), or NULL. */
const char *foreign_name(const char *name);
/* What to write for a statement that is nothing but that name (`break`), or NULL. */
const char *foreign_statement(const char *name);
#endif
