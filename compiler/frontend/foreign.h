/* foreign.h: names and syntax that users of Python, JAX, C or Rust write, and the dtg form of
 * each. Messages only: nothing here changes what is accepted. */
#ifndef DTG_FOREIGN_H
#define DTG_FOREIGN_H
#include "ast.h"

typedef struct ForeignWord {
  const char *word, *says;
} ForeignWord;

/* What is said of several words. */
#define FOREIGN_LOOPS                                                                              \
  "loops that run are `while c { }`, `repeat i in 0..n { }` and `scan x in xs { }`; `for` is "     \
  "unrolled while compiling"
#define FOREIGN_CLASS "dtg has no classes or structs: a `layer` has params, states and methods"
#define FOREIGN_METHOD FOREIGN_FN ", a method in a layer `apply(x) { return ... }`"
#define FOREIGN_FN "a function is written `fn f(x) { return ... }`"
#define FOREIGN_MODULE                                                                             \
  "operations have no module: write sum(x) (docs/ops.md); the shipped library is "                 \
  "imported as in import \"nn\""

const char *foreign_find(const ForeignWord *table, size_t count, const char *word, size_t n);

#define FOREIGN_NEXT_LINE "an expression goes on in the next line only within parentheses"

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
/* The same of what stands behind a tensor and a point (x.at), or NULL. */
const char *foreign_member(const char *name);
/* The same of a list, */
const char *foreign_list(const char *name);
/* and of an instance of a layer. */
const char *foreign_instance(const char *name);
/* Whether other libraries are read under that name (`np`). */
bool foreign_module(const char *name);
/* What to write for a statement that is nothing but that name (`break`), or NULL. */
const char *foreign_statement(const char *name);
#endif
