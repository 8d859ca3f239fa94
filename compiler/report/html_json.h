/* JSON text for the page of --emit-html: numbers, escaped text, and tables of values that occur
 * often (names, layouts, places), which the rest then calls by their number. */
#ifndef DTG_HTML_JSON_H
#define DTG_HTML_JSON_H
#include "diag.h"

void html_json_string(Str *out, const char *s); /* NULL: null */
/* Six digits, with a point whatever the host's locale; what is no finite number is null. */
void html_json_number(Str *out, double x);

/* Values as JSON text, each kept once, numbered in the order in which they come. */
typedef struct JsonTable {
  Arena *arena;
  int *slot; /* [slots], number + 1; 0: empty */
  int slots;
  VEC(const char *) value;
} JsonTable;
int html_json_intern(JsonTable *t, const char *json);
void html_json_table(Str *out, const char *key, const JsonTable *t); /* "key":[...] */

/* The lines of the sources that somebody named. */
typedef struct JsonLines {
  const Diag *diag;
  Arena *arena;
  struct JsonFile {
    int *begin; /* [count + 1] offsets of the lines; NULL: no line of this file is named */
    int count;
    bool *named; /* [count] */
  } * file;      /* [diag->sources.n] */
} JsonLines;
JsonLines html_json_lines_new(const Diag *d, Arena *a);
/* Notes the line and gives its number, from 1; 0 for a span that is nowhere. */
int html_json_line(JsonLines *l, Span at);
void html_json_files(Str *out, const char *key,
                const JsonLines *l); /* "key":[{name, lines: {..}}, ..] */

#endif
