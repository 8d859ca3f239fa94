/* See foreign.h. Invariant: a message names what dtg has, or states that it has none; it never
 * guesses what was meant from spelling. */
#include "foreign.h"
#include <string.h>

#define NO_JUMP                                                                                    \
  "`break` and `continue` stand in the body of a `for`, `while`, `repeat` or `scan`, or in an "    \
  "`if` in it"
#define USE_BIND                                                                                   \
  "a name is bound without a keyword: `x = ...` (`const n = ...` for the command line)"
#define NO_RAISE "dtg has no exceptions: an error ends the call and is returned to the host"
#define NO_TYPE "a name takes the type of its value; write `x = f32(...)` or `i32(...)` to convert"

/* Words that begin a statement elsewhere, or stand inside an expression. */
static const ForeignWord statements[] = {
    {"until", FOREIGN_LOOPS},
    {"loop", FOREIGN_LOOPS},
    {"do", FOREIGN_LOOPS},
    {"break", NO_JUMP},
    {"continue", NO_JUMP},
    {"goto", "dtg has no `goto`; `break` ends a loop, `continue` a run of its body"},
    {"def", FOREIGN_METHOD},
    {"func", FOREIGN_FN},
    {"fun", FOREIGN_FN},
    {"function", FOREIGN_FN},
    {"lambda", "dtg has no `lambda`: " FOREIGN_FN ", and pass f"},
    {"class", FOREIGN_CLASS},
    {"struct", FOREIGN_CLASS},
    {"let", USE_BIND},
    {"var", USE_BIND},
    {"val", USE_BIND},
    {"auto", USE_BIND},
    {"mut", USE_BIND},
    {"int", NO_TYPE},
    {"float", NO_TYPE},
    {"double", NO_TYPE},
    {"bool", NO_TYPE},
    {"elif", "write `else if` for `elif`"},
    {"elsif", "write `else if` for `elsif`"},
    {"unless", "write `if not cond { }` for `unless`"},
    {"switch", "dtg has no `switch`: write `if` and `else if`, or where(cond, x, y) for elements"},
    {"match", "dtg has no `match`: write `if` and `else if`, or where(cond, x, y) for elements"},
    {"case", "dtg has no `case`: write `if` and `else if`, or where(cond, x, y) for elements"},
    {"from", "`import` takes a string and brings in all names: import \"nn\""},
    {"use", "`import` takes a string and brings in all names: import \"nn\""},
    {"include", "`import` takes a string and brings in all names: import \"nn\""},
    {"print", "`print` is a call: print(x, \"loss\")"},
    {"try", NO_RAISE},
    {"except", NO_RAISE},
    {"raise", NO_RAISE},
    {"throw", NO_RAISE},
    {"with", "dtg has no `with`"},
    {"del", "dtg has no `del`: memory is planned while compiling"},
    {"global", "params and states are assigned with `<-`; nothing has to be declared for that"},
    {"nonlocal", "params and states are assigned with `<-`; nothing has to be declared for that"},
    {"yield", "dtg has no generators: a list is written [f(i) for i in 0..n]"},
    {"async", "dtg has no `async`: exchanges are overlapped by the compiler"},
    {"await", "dtg has no `await`: exchanges are overlapped by the compiler"},
    {"pass", "an empty block is `{ }`"},
    {"is", "compare with `==`"},
};

#define FIND(table, word, n) foreign_find(table, sizeof(table) / sizeof *(table), word, n)

const char *foreign_statement(const char *name) { return FIND(statements, name, strlen(name)); }

/* As in lexer.l; `in` and `forbid` may be names. */
static bool foreign_is_reserved(const char *word, size_t n) {
  static const ForeignWord words[] = {
      {"import", ""}, {"const", ""},  {"fn", ""},      {"layer", ""}, {"entry", ""}, {"mesh", ""},
      {"layout", ""}, {"param", ""},  {"state", ""},   {"on", ""},    {"for", ""},   {"if", ""},
      {"else", ""},   {"return", ""}, {"and", ""},     {"or", ""},    {"not", ""},   {"true", ""},
      {"false", ""},  {"none", ""},   {"relayout", ""}};
  return FIND(words, word, n) != NULL;
}

/* -------- where the parser stopped -------- */

typedef struct Around {
  const char *text; /* of the token */
  size_t n;
  const char *before; /* the word before it on its line, or "" */
  size_t nbefore;
  const char *line; /* the beginning of its line */
  char last;        /* the character before it that is not blank, or a newline */
} Around;

static bool in_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static Around around(const Parse *p, Span at) {
  const char *text = diag_source(p->diag, p->file)->text, *end = text + at.begin;
  Around a = {.text = end, .n = at.end - at.begin, .before = "", .last = '\n'};
  for (a.line = end; a.line > text && a.line[-1] != '\n';) a.line--;
  while (end > a.line && (end[-1] == ' ' || end[-1] == '\t')) end--;
  if (end > a.line) a.last = end[-1];
  a.before = end;
  while (a.before > a.line && in_word(a.before[-1])) a.before--;
  a.nbefore = (size_t)(end - a.before);
  return a;
}

static bool is(const Around *a, const char *text) {
  return strlen(text) == a->n && !memcmp(a->text, text, a->n);
}

#define A_MESH "a mesh is written `mesh [batch=4, model=2]`"
#define A_LAYOUT "a layout is written in brackets, with the names of axes: `[batch, _]`"

/* Whether the word stands before, in its line. */
static bool behind(const Around *a, const char *word) {
  const size_t n = strlen(word);
  for (const char *c = a->line; c + n <= a->text; c++)
    if (!memcmp(c, word, n) && (c == a->line || !in_word(c[-1])) && !in_word(c[n])) return true;
  return false;
}

/* Meshes and layouts as others write them. */
static const char *in_layout(const Stopped *s, const Around *a) {
  const bool statement =
      !strncmp(a->line, "layout ", 7) && !behind(a, "forbid") && !is(a, "forbid");
  if (!strncmp(a->line, "mesh", 4) && !in_word(a->line[4]) && !s->ends && !s->stmt && !is(a, "]"))
    return A_MESH;
  if (is(a, "(") && a->nbefore == 2 && !memcmp(a->before, "on", 2)) return A_LAYOUT;
  if (*a->text == '"' && (behind(a, "on") || behind(a, "relayout"))) return A_LAYOUT;
  if (statement && (*a->text == '"' || is(a, "(")) && behind(a, "layout")) return A_LAYOUT;
  if (statement && (is(a, ":") || s->ends) && !memchr(a->line, '=', (size_t)(a->text - a->line)))
    return "a layout statement is written `layout x = [batch, _]`";
  return NULL;
}

/* A reserved word where a name belongs, or a sign after one that was meant as a name. */
static const char *reserved(Parse *p, const Stopped *s, const Around *a) {
  const char *word = NULL;
  size_t n = 0;
  const bool returns = is(a, ",") && a->nbefore == 6 && !memcmp(a->before, "return", 6);
  if (s->name && foreign_is_reserved(a->text, a->n) && !is(a, "and") && !is(a, "or") &&
      !is(a, "else"))
    word = a->text, n = a->n;
  else if (a->nbefore && foreign_is_reserved(a->before, a->nbefore) && !s->ends && !returns &&
           (is(a, "=") || is(a, "<-") || is(a, ".") || is(a, ",") || (is(a, ":") && !s->brace)))
    word = a->before, n = a->nbefore;
  if (!word) return NULL;
  if (n == 6 && !memcmp(word, "layout", n) && word == a->before)
    return "`layout` is a reserved word and cannot be a name; a layout statement names its tensor, "
           "as in "
           "`layout x = [batch, _]`";
  if (n == 4 && !memcmp(word, "none", n) && !strncmp(a->line, "layout ", 7))
    return "a dim that is not split is written `_`, as in [batch, _]";
  if (n == 4 && !memcmp(word, "mesh", n) && word == a->before && is(a, "=")) return A_MESH;
  if (n == 2 && !memcmp(word, "fn", n) && word == a->text)
    return "a fn is declared at top level, with a name: `fn f(x) { return ... }`; `f` may be "
           "passed as an argument";
  if (n == 5 && (!memcmp(word, "param", n) || !memcmp(word, "state", n)) && a->last == '=')
    return arena_printf(p->arena, "a %.*s is declared by `%.*s w: f32[8, 3] = 0`", (int)n, word,
                        (int)n, word);
  return arena_printf(p->arena, "`%.*s` is a reserved word and cannot be a name", (int)n, word);
}

/* `if`, `for` and the like in an expression. */
static const char *in_expression(const Stopped *s, const Around *a) {
  if (is(a, "if") && s->expr && !s->stmt)
    return "`if` does not begin an expression: write `a if cond else b`, decided while compiling; "
           "for "
           "elements where(cond, a, b)";
  if (is(a, "fn") && s->expr && !s->stmt)
    return "`fn` does not begin an expression: define the function at top level, `fn f(x) { return "
           "... }`, and write its name, f";
  if (is(a, "for") && s->expr && !s->stmt)
    return "`for` is a statement; a list is written [f(i) for i in 0..n]";
  if (is(a, "?"))
    return "dtg has no `cond ? a : b`: write `a if cond else b`, or where(cond, a, b) for elements";
  if (is(a, "{") && s->expr) return "dtg has no dictionaries or sets: a list is written [a, b]";
  return NULL;
}

/* Whether the word before begins its line, or a statement in it. */
static bool begins_statement(const Around *a) {
  const char *c = a->before;
  while (c > a->line && (c[-1] == ' ' || c[-1] == '\t')) c--;
  return c == a->line || c[-1] == '{' || c[-1] == ';';
}

/* A loop's head, behind its word. */
static const char *in_head(const Stopped *s, const Around *a) {
  const char *word = a->text, *end = a->text;
  while (word > a->line && word[-1] != '{' && word[-1] != '}' && word[-1] != ';') word--;
  while (word < end && (*word == ' ' || *word == '\t')) word++;
  size_t n = 0;
  while (word + n < end && in_word(word[n])) n++;
  const bool loop = (n == 3 && !memcmp(word, "for", n)) || (n == 6 && !memcmp(word, "repeat", n)) ||
                    (n == 4 && !memcmp(word, "scan", n));
  const char *name = word + n;
  while (name < end && (*name == ' ' || *name == '\t' || *name == '(')) name++;
  if (n == 7 && !memcmp(word, "collect", n) && !s->stmt && !memchr(word, '=', (size_t)(end - word)))
    return "`collect` names what it leaves behind the loop: `collect ys = y`";
  if (loop && (is(a, "(") ? a->before == word : is(a, "in") && a->before == name))
    return *word == 's'   ? "the head of a loop stands without parentheses: `scan x in xs { }`"
           : *word == 'r' ? "the head of a loop stands without parentheses: `repeat i in 0..n { }`"
                          : "the head of a loop stands without parentheses: `for i in 0..n { }`";
  if (loop && is(a, ",") && a->before == name)
    return *word == 's' ? "each sequence has one name: `scan x in xs, y in ys { }`"
                        : "a loop has one name: `for p in pairs { a, b = p }`";
  return NULL;
}

static bool is_operator(const char *text, size_t n) {
  static const ForeignWord words[] = {{"and", ""}, {"or", ""}, {"not", ""}};
  return n && (strchr("+-*/%@<>", *text) || FIND(words, text, n));
}

/* An expression in two lines. */
static const char *over_lines(const Stopped *s, const Around *a) {
  if (s->ends && s->expr &&
      (a->nbefore ? is_operator(a->before, a->nbefore)
                  : a->last != '\n' && is_operator(&a->last, 1)))
    return FOREIGN_NEXT_LINE;
  if (s->stmt && a->last == '\n' && is_operator(a->text, a->n) && !is(a, "//"))
    return FOREIGN_NEXT_LINE;
  return NULL;
}

static const char *in_line(const Parse *p, const Stopped *s, const Around *a) {
  if ((is(a, "//") || (is(a, "/") && (a->text[1] == '*' || a->text[1] == '/'))) && s->stmt)
    return "a comment begins with `#`";
  if (is(a, ">") && a->last == '=')
    return "a function is defined at top level, `fn f(x) { return ... }`, and passed by its name; a "
           "comparison is written `>=`";
  if (is(a, "@") && s->stmt) return "dtg has no decorators";
  if (*a->text == '"' && a->nbefore && a->before + a->nbefore == a->text)
    return "text has nothing before its quotes; print(x, \"x\") shows a label and a tensor";
  if (is(a, ".."))
    return "`..` stands once, in the range of a `for` or a `repeat`, whose step follows as "
           "in "
           "`0..n by 2`; a slice is written x[a:b:step]";
  if (is(a, ":") && a->nbefore && begins_statement(a) && !p->brackets &&
      !foreign_is_reserved(a->before, a->nbefore))
    return "only params, states and inputs declare types; a name takes the type of its value: `y = "
           "...`";
  if (s->ends && s->brace && !s->name && !s->expr) return "the `{` of a block stands in this line";
  if (is(a, ":") && s->brace)
    return "a block is written in braces: write `{` here, and `}` at its end";
  if (is(a, ",") && s->parenthesis && p->brackets && a->last != '(' && a->last != ',')
    return "dtg has no tuples: several values are written without parentheses, as in `a, b = "
           "f(x)`, and a list "
           "is written [a, b]";
  if ((s->ends || is(a, "}")) && s->expr && a->nbefore == 0 && a->before - a->line >= 2 &&
      (!strncmp(a->before - 2, "++", 2) || !strncmp(a->before - 2, "--", 2)))
    return "there is no `++` or `--`; write `x = x + 1`, or `x <- x + 1` for a variable";
  if (a->nbefore == 6 && !memcmp(a->before, "import", 6))
    return "`import` takes a string and brings in all names: import \"nn\"";
  for (const char *c = a->line; c + 1 < a->text; c++)
    if (c[0] == '/' && c[1] == '/' && in_word(*a->text) && a->nbefore)
      return "a comment begins with `#`; `//` divides and rounds down";
  return NULL;
}

const char *foreign_syntax(Parse *p, const Stopped *s) {
  Around a = around(p, s->at);
  const char *says = in_expression(s, &a);
  if (!says && a.nbefore) says = FIND(statements, a.before, a.nbefore);
  if (!says && in_word(*a.text) && !s->ends) says = FIND(statements, a.text, a.n);
  if (!says) says = in_layout(s, &a);
  if (!says) says = reserved(p, s, &a);
  if (!says) says = in_head(s, &a);
  if (!says) says = in_line(p, s, &a);
  return says ? says : over_lines(s, &a);
}
