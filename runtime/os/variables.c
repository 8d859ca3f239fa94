/* See variables.h. */
#include "variables.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const name[] = {[VARIABLE_TIMEOUT] = "DTRT_TIMEOUT",
                                   [VARIABLE_SLOW] = "DTRT_SLOW",
                                   [VARIABLE_MPI_MODULE] = "DTRT_MPI_MODULE",
                                   [VARIABLE_MPI_SHARED] = "DTRT_MPI_SHARED",
                                   [VARIABLE_THREAD_EACH] = "DTRT_THREAD_EACH",
                                   [VARIABLE_CORES] = "DTRT_CORES",
                                   [VARIABLE_PROGRESS] = "DTRT_PROGRESS",
                                   [VARIABLE_GEMM] = "DTRT_GEMM",
                                   [VARIABLE_CORETYPE] = "OPENBLAS_CORETYPE",
                                   [VARIABLE_TMPDIR] = "TMPDIR",
                                   [VARIABLE_TERM] = "TERM"};

const char *variable(variable_id id) { return getenv(name[id]); }

static const struct {
  variable_id id;
  const char *word[5];
} words[] = {{VARIABLE_MPI_SHARED, {"0", "1"}},
             {VARIABLE_THREAD_EACH, {"0", "1"}},
             {VARIABLE_PROGRESS, {"thread", "poll"}},
             {VARIABLE_GEMM, {"openblas", "avx2", "portable", "pairs", "avx512"}}};
enum { WORDS = sizeof words / sizeof *words, MOST_WORDS = sizeof words->word / sizeof(char *) };

bool variables_good(char *why, size_t size) {
  for (int i = 0; i < WORDS; i++) {
    const char *text = variable(words[i].id), *const *word = words[i].word;
    int n = 0;
    while (text && n < MOST_WORDS && word[n] && strcmp(text, word[n]) != 0) n++;
    if (!text || !*text || (n < MOST_WORDS && word[n])) continue;
    int at = snprintf(why, size, "%s is `%.40s`: expected ", name[words[i].id], text);
    for (int k = 0; k < n; k++)
      at += snprintf(why + at, size - (size_t)at, "%s%s",
                     !k          ? ""
                     : k + 1 < n ? ", "
                                 : " or ",
                     word[k]);
    return false;
  }
  return true;
}
