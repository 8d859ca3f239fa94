/* What the tests of dtgc.h count with. */
#ifndef API_CHECK_H
#define API_CHECK_H
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(what)                                                                                \
  do {                                                                                             \
    if (!(what)) {                                                                                 \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                   \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)
#define HAS(text, part)                                                                            \
  do {                                                                                             \
    if (!strstr((text), (part))) {                                                                 \
      fprintf(stderr, "%s:%d: \"%s\" is not in \"%s\"\n", __FILE__, __LINE__, part, text);         \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)
#endif
