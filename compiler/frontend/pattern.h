/* Patterns of statements about layouts and precision: regular expressions (PCRE2) that match a
 * whole path. */
#ifndef DTG_PATTERN_H
#define DTG_PATTERN_H
#include "elaborate.h"
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

typedef struct Pattern {
  const char *text;
  Span span;
  pcre2_code *code;
  pcre2_match_data *match;
  pcre2_match_context *context;
} Pattern;

bool pattern_compile(Elab *e, const char *text, Span at, Pattern *out); /* false after a report */
bool pattern_matches(Elab *e, const Pattern *p, const char *path);
/* Of what is in a stack, also as the layers of a list are called, "blocks[3].up": all or none. */
bool pattern_names(Elab *e, const Pattern *p, const char *path);

#endif
