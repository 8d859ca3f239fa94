/* What the tests of readers count with: failures say why the reader refused. */
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
