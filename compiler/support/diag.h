/* Sources and what is wrong with them. A span is a file and two offsets; lines and columns are
 * computed when a message is shown. Messages are collected and handed to the host's callback; none
 * stops the compiler. Rendered:
 *
 *   model.dtg:3:9: error: `@` needs the inner dims to agree: 784 and 785
 *     3 |   y = x @ w
 *       |       ~ ^ ~
 *   model.dtg:1:7: note: `w` is declared here: f32[785, 10]
 *
 * At most `most_errors` errors are shown (20 by default); the same text at the same place, whatever
 * the shapes and numbers in it, once. */
#ifndef DTG_DIAG_H
#define DTG_DIAG_H
#include "str.h"

typedef struct Span {
  uint32_t file;       /* number of the source, 1 and up; 0: nowhere */
  uint32_t begin, end; /* byte offsets, end after the last byte */
} Span;

typedef enum Severity { SEV_ERROR, SEV_WARNING, SEV_NOTE } Severity;

typedef struct Message {
  Severity severity;
  const char *file; /* NULL when the message has no place */
  int line, column; /* from 1; columns count bytes, a tab is one */
  const char *text;
  const char *rendered; /* with file, line and caret, several lines, ends in newline */
  bool of_first; /* a note of a call in which the first error of all is, others perhaps after it */
} Message;

typedef void MessageFn(void *user, const Message *m);

typedef struct Source {
  const char *name;
  const char *text; /* ends in NUL, which is not counted */
  size_t len;
} Source;

/* A call by which the user's text comes into the shipped library: an error within is shown at the
 * call, and the library's line in a note. */
typedef struct LibraryCall {
  Span at;            /* nowhere: what is looked at is the user's own */
  const char *callee; /* "`dense`", "`apply` of model" */
} LibraryCall;

typedef struct Diag {
  Arena *arena;
  VEC(Source) sources;
  MessageFn *fn; /* NULL: count only */
  void *user;
  int errors, warnings;
  int raised; /* errors, repeated ones too */
  int most_errors;
  bool muted; /* notes of a dropped error are dropped too */
  VEC(uint64_t) seen;
  LibraryCall call;
  int at_calls; /* errors that were shown at calls of the library */
} Diag;

/* Messages that were held back. */
typedef struct Withheld {
  MessageFn *fn;
  void *user;
  int errors, warnings, at_calls; /* of before; once they are taken, of these alone */
  bool muted;
  int nseen;
  VEC(uint64_t) seen;
  VEC(Message) message;
} Withheld;

void diag_init(Diag *d, Arena *a, MessageFn *fn, void *user);
uint32_t diag_add_source(Diag *d, const char *name, const char *text, size_t len);
const Source *diag_source(const Diag *d, uint32_t file);
void diag_locate(const Diag *d, Span at, int *line, int *column);
/* Whether a place is in the shipped library, or nowhere. */
bool diag_in_library(const Diag *d, Span at);
/* "file:line", or "" for a span that is nowhere. */
const char *diag_where(const Diag *d, Arena *a, Span at);
Span span_join(Span a, Span b);
/* A message as it is shown, without being one. */
const char *diag_render(const Diag *d, Arena *a, Severity sev, Span at, const char *text);

void diag_error(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A note on all errors since there were `before`, such as the call they are in. */
void diag_note_since(Diag *d, Span at, int before, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void diag_note(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* From diag_hold to diag_take messages are held: what was reported before is as it was. Holds nest.
 * What is not shown was not reported. */
void diag_hold(Diag *d, Withheld *h);
void diag_take(Diag *d, Withheld *h);
void diag_show(Diag *d, const Withheld *h);

#endif
