/* The counters of the tests of readers: failures show why the reader rejected. */
#ifndef RUNTIME_DATA_CHECK_H
#define RUNTIME_DATA_CHECK_H
#include <stdio.h>

static int failures, checks;
static char why[1024];

#define CHECK(x)                                                                                   \
  do {                                                                                             \
    checks++;                                                                                      \
    if (!(x)) {                                                                                    \
      failures++;                                                                                  \
      printf("%s:%d: failed: %s (why: %s)\n", __FILE__, __LINE__, #x, why);                        \
    }                                                                                              \
  } while (0)
#endif
