/* Vocabularies in files, and features by them. See text.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "text.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool vocabulary_fail(char *why, const char *path, const char *what) {
  snprintf(why, TEXT_WHY, "%s: %s", path, what);
  return false;
}

FILE *text_aside(const char *path, char *aside, size_t n) {
  if (snprintf(aside, n, "%s.part.XXXXXX", path) >= (int)n) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  mode_t mask = umask(022);
  umask(mask);
  int fd = mkostemp(aside, O_CLOEXEC);
  FILE *f = fd >= 0 && !fchmod(fd, 0666 & ~mask) ? fdopen(fd, "wb") : NULL;
  if (!f && fd >= 0) close(fd), unlink(aside);
  return f;
}

bool text_write_vocabulary(const char *path, const TextTable *t, uint64_t texts, char *why) {
  char aside[4096];
  struct stat st;
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
    return vocabulary_fail(why, path, "it is no regular file");
  FILE *f = text_aside(path, aside, sizeof aside);
  if (!f) return vocabulary_fail(why, path, strerror(errno));
  fprintf(f, "tfidf 1 texts=%" PRIu64 " columns=%zu\n", texts, t->n + 1);
  for (size_t i = 0; i < t->n; i++) {
    fwrite(text_bytes(t, i), 1, t->entry[i].length, f);
    fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\n", t->entry[i].df, t->entry[i].count);
  }
  bool ok = !fflush(f) && !ferror(f) && !fsync(fileno(f));
  ok = !fclose(f) && ok && !rename(aside, path);
  if (ok) return true;
  vocabulary_fail(why, path, strerror(errno));
  unlink(aside);
  return false;
}

/* A whole number in decimal that ends at `stop`; *p moves behind that. */
static bool vocabulary_number(const char **p, const char *end, char stop, uint64_t *v) {
  const char *from = *p;
  *v = 0;
  for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
    if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (uint64_t)(**p - '0'), v))
      return false;
  if (*p == from || (stop ? *p == end || **p != stop : *p != end)) return false;
  *p += stop != 0;
  return true;
}

static bool vocabulary_head(const TextBytes *line, TextVocabulary *v) {
  static const char texts[] = "tfidf 1 texts=", columns[] = "columns=";
  const char *p = line->at, *end = p + line->n;
  uint64_t n = 0;
  if (line->n < sizeof texts - 1 || memcmp(p, texts, sizeof texts - 1) != 0) return false;
  p += sizeof texts - 1;
  if (!vocabulary_number(&p, end, ' ', &v->texts) || v->texts >= (uint64_t)1 << 53) return false;
  if ((size_t)(end - p) < sizeof columns - 1 || memcmp(p, columns, sizeof columns - 1) != 0)
    return false;
  p += sizeof columns - 1;
  if (!vocabulary_number(&p, end, 0, &n) || n < 1 || n > INT32_MAX) return false;
  v->columns = (size_t)n;
  return true;
}

/* "token TAB df TAB count"; NULL, or what is wrong. */
static const char *vocabulary_take(const TextBytes *line, TextVocabulary *v) {
  const char *tab = memchr(line->at, '\t', line->n), *p = tab ? tab + 1 : NULL;
  const char *end = line->at + line->n;
  uint64_t df, count;
  if (!tab || tab == line->at) return "expected a token, a tab, and two numbers";
  if (!vocabulary_number(&p, end, '\t', &df) || !vocabulary_number(&p, end, 0, &count))
    return "expected two numbers behind the token, with a tab between";
  if (df < 1 || df > v->texts || count < df) return "expected 1 <= df <= texts, and count >= df";
  size_t before = v->table.n;
  ptrdiff_t i = text_find(&v->table, line->at, (size_t)(tab - line->at), true);
  if (i < 0) return "out of memory";
  if (v->table.n == before) return "the token stands there twice";
  v->table.entry[i].df = df;
  v->table.entry[i].count = count;
  return NULL;
}

static bool vocabulary_weights(TextVocabulary *v) {
  double sum = 0;
  v->idf = calloc(v->columns, sizeof *v->idf);
  if (!v->idf) return false;
  for (size_t i = 1; i < v->columns; i++) {
    double idf = log(1 + (double)v->texts / (1 + (double)v->table.entry[i - 1].df));
    v->idf[i] = (float)idf;
    sum += idf;
  }
  if (v->columns > 1) v->idf[0] = (float)(sum / (double)(v->columns - 1));
  return true;
}

static bool vocabulary_lines(FILE *f, const char *path, TextVocabulary *v, TextBytes *line,
                             char *why) {
  const char *what = NULL;
  int got = 0;
  uint64_t at = 1;
  for (; !what && (at == 1 || at <= v->columns) && (got = text_line(f, line)) > 0; at++)
    what = at > 1                     ? vocabulary_take(line, v)
           : vocabulary_head(line, v) ? NULL
                                      : "expected \"tfidf 1 texts=N columns=M\"";
  if (!what && got > 0 && text_line(f, line) != 0)
    what = "more tokens than its first line says", at++;
  if (what) {
    snprintf(why, TEXT_WHY, "%s:%" PRIu64 ": %s", path, at - 1, what);
    return false;
  }
  if (got == -1) return vocabulary_fail(why, path, strerror(errno));
  if (got < 0) return vocabulary_fail(why, path, got == -2 ? "a line has no end" : "out of memory");
  if (at == 1) return vocabulary_fail(why, path, "the file is empty");
  if (got) return vocabulary_weights(v) || vocabulary_fail(why, path, "out of memory");
  snprintf(why, TEXT_WHY, "%s: cut off: expected %zu tokens, found %" PRIu64, path, v->columns - 1,
           at - 2);
  return false;
}

bool text_read_vocabulary(const char *path, TextVocabulary *v, char *why) {
  FILE *f = fopen(path, "rbe");
  TextBytes line = {0};
  *v = (TextVocabulary){0};
  if (!f) return vocabulary_fail(why, path, strerror(errno));
  bool ok = vocabulary_lines(f, path, v, &line, why);
  free(line.at);
  fclose(f);
  if (!ok) text_free_vocabulary(v);
  return ok;
}

void text_free_vocabulary(TextVocabulary *v) {
  text_free(&v->table);
  free(v->idf);
  *v = (TextVocabulary){0};
}

bool text_features(TextVocabulary *v, const char *text, size_t n, float *row) {
  const char *p = text, *end = text + n;
  TextBytes token = {0};
  int got;
  memset(row, 0, v->columns * sizeof *row);
  /* A float counts exactly to 2^24; a text has at most TEXT_MOST_LINE / 2 = 2^23 tokens. */
  while ((got = text_token(&p, end, &token)) > 0)
    row[text_find(&v->table, token.at, token.n, false) + 1] += 1;
  free(token.at);
  for (size_t i = 0; i < v->columns; i++) row[i] *= v->idf[i];
  return got == 0;
}
