/* tfidf: reviews to the features that the model trains on.
 *   tfidf learn VOCABULARY [--tokens N] [REVIEWS ...]       counts tokens, writes the N - 1 most
 * frequent tfidf features VOCABULARY X.npy LABEL.npy [REVIEWS ...] float32 [reviews, N], uint8
 * [reviews] Each reads its files once, a line at a time; `-`, or no file, is the standard input. A
 * line is 0 (negative) or 1 (positive), a tab and the review. Memory is that of the tokens (learn)
 * or of one line (features). Results are written beside their files and renamed when they are
 * whole. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "text.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tfidf_usage[] =
    "usage: tfidf learn VOCABULARY [--tokens N] [REVIEWS ...]\n"
    "       tfidf features VOCABULARY X.npy LABEL.npy [REVIEWS ...]\n"
    "REVIEWS: a line each: 0 or 1, a tab, the text. Without a file, or for -, the standard input.\n"
    "N counts the column of tokens outside the vocabulary too; 1200 if not given.\n";

/* Called for each review; false after having said why. */
typedef bool ReviewFn(void *user, int label, const TextBytes *line, const char *place);

typedef struct Reader {
  ReviewFn *take;
  void *user;
  TextBytes line, spare;
  uint64_t reviews, repaired;
  char first[4300]; /* place of the first byte that is not UTF-8 */
} Reader;

static bool fail(const char *place, const char *what) {
  fprintf(stderr, "tfidf: %s: %s\n", place, what);
  return false;
}

static bool read_review(Reader *r, const char *name, uint64_t number) {
  char place[4200];
  snprintf(place, sizeof place, "%.4000s:%" PRIu64, name, number);
  const char *at = r->line.at;
  if (r->line.n < 2 || (at[0] != '0' && at[0] != '1') || at[1] != '\t')
    return fail(place, "expected 0 or 1, a tab, and the text of a review");
  ptrdiff_t bad = text_repair(&r->line, &r->spare);
  if (bad == -2) return fail(place, "out of memory");
  if (bad >= 0 && !r->repaired++)
    snprintf(r->first, sizeof r->first, "%s:%td", place, (ptrdiff_t)bad + 1);
  r->reviews++;
  return r->take(r->user, r->line.at[0] - '0', &r->line, place);
}

static bool read_file(Reader *r, const char *name) {
  bool standard = !strcmp(name, "-"), ok = true;
  FILE *f = standard ? stdin : fopen(name, "rbe");
  int got;
  if (standard) name = "standard input";
  if (!f) return fail(name, strerror(errno));
  for (uint64_t n = 1; ok && (got = text_line(f, &r->line)) != 0; n++) {
    if (got == -1)
      ok = fail(name, strerror(errno));
    else if (got < 0)
      ok = fail(name, got == -2 ? "a line of more than 16 MiB is no review" : "out of memory");
    else
      ok = read_review(r, name, n);
  }
  if (!standard) fclose(f);
  return ok;
}

static bool read_all(Reader *r, char **name, int n) {
  bool ok = n > 0 || read_file(r, "-");
  for (int i = 0; i < n && ok; i++) ok = read_file(r, name[i]);
  if (ok && r->reviews == 0) ok = fail(n ? name[0] : "standard input", "there is no review in it");
  if (ok && r->repaired)
    fprintf(stderr,
            "tfidf: warning: %" PRIu64
            " review%s not UTF-8, first at %s; such bytes count as U+FFFD\n",
            r->repaired, r->repaired == 1 ? " is" : "s are", r->first);
  free(r->line.at);
  free(r->spare.at);
  return ok;
}

/* -------- learn -------- */

typedef struct Learner {
  TextTable table;
  TextBytes token;
  uint64_t text, tokens;
} Learner;

static bool learn_review(void *user, int label, const TextBytes *line, const char *place) {
  Learner *l = user;
  const char *p = line->at + 2, *end = line->at + line->n;
  int got;
  (void)label;
  l->text++;
  while ((got = text_token(&p, end, &l->token)) > 0) {
    ptrdiff_t i = text_find(&l->table, l->token.at, l->token.n, true);
    if (i < 0) return fail(place, "out of memory");
    TextEntry *e = &l->table.entry[i];
    e->count++;
    e->df += e->last != l->text;
    e->last = l->text;
    l->tokens++;
  }
  return got == 0 || fail(place, "out of memory");
}

static int learn(const char *path, size_t columns, char **name, int n) {
  Learner l = {0};
  Reader r = {.take = learn_review, .user = &l};
  char why[TEXT_WHY];
  bool ok = read_all(&r, name, n);
  size_t distinct = l.table.n;
  if (ok && !text_keep(&l.table, columns - 1)) ok = fail(path, "out of memory");
  if (ok && !text_write_vocabulary(path, &l.table, l.text, why)) {
    fprintf(stderr, "tfidf: %s\n", why);
    ok = false;
  }
  if (ok)
    printf("%s: %zu of %zu tokens, from %" PRIu64 " reviews of %" PRIu64 " tokens in all\n", path,
           l.table.n, distinct, l.text, l.tokens);
  text_free(&l.table);
  free(l.token.at);
  return !ok;
}

/* -------- features -------- */

enum { NPY_HEADER = 128 };

/* A .npy whose rows are counted as they come: the header has room for any number of them. */
typedef struct Array {
  const char *path;
  char aside[4096];
  FILE *f;
} Array;

static bool array_begin(Array *a, const char *path) {
  static const char blank[NPY_HEADER];
  struct stat st;
  a->path = path;
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) return fail(path, "it is no regular file");
  a->f = text_aside(path, a->aside, sizeof a->aside);
  if (a->f && fwrite(blank, 1, NPY_HEADER, a->f) == NPY_HEADER) return true;
  return fail(path, strerror(errno));
}

/* `dims` is what stands in the brackets of the shape. */
static bool array_end(Array *a, const char *type, const char *dims) {
  char head[NPY_HEADER + 1];
  int n = snprintf(head, sizeof head,
                   "%c%s%c%c%c%c{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", 0x93,
                   "NUMPY", 1, 0, NPY_HEADER - 10, 0, type, dims);
  memset(head + n, ' ', (size_t)(NPY_HEADER - n));
  head[NPY_HEADER - 1] = '\n';
  bool ok = !fseeko(a->f, 0, SEEK_SET) && fwrite(head, 1, NPY_HEADER, a->f) == NPY_HEADER;
  ok = ok && !fflush(a->f) && !fsync(fileno(a->f));
  return ok || fail(a->path, strerror(errno));
}

static void array_drop(Array *a) {
  if (!a->f) return;
  fclose(a->f);
  unlink(a->aside);
}

static bool array_keep(Array *a) {
  bool ok = !fclose(a->f) && !rename(a->aside, a->path);
  a->f = NULL;
  return ok || fail(a->path, strerror(errno));
}

typedef struct Featurer {
  TextVocabulary v;
  float *row;
  Array x, label;
} Featurer;

static bool features_review(void *user, int label, const TextBytes *line, const char *place) {
  Featurer *f = user;
  if (!text_features(&f->v, line->at + 2, line->n - 2, f->row)) return fail(place, "out of memory");
  if (fwrite(f->row, sizeof *f->row, f->v.columns, f->x.f) != f->v.columns)
    return fail(f->x.aside, strerror(errno));
  return putc(label, f->label.f) == label || fail(f->label.aside, strerror(errno));
}

static bool features_write(Featurer *f, char **out, char **name, int n) {
  Reader r = {.take = features_review, .user = f};
  char dims[64];
  if (!array_begin(&f->x, out[0]) || !array_begin(&f->label, out[1]) || !read_all(&r, name, n))
    return false;
  snprintf(dims, sizeof dims, "%" PRIu64 ", %zu", r.reviews, f->v.columns);
  if (!array_end(&f->x, "<f4", dims)) return false;
  snprintf(dims, sizeof dims, "%" PRIu64 ",", r.reviews);
  if (!array_end(&f->label, "|u1", dims)) return false;
  if (!array_keep(&f->x) || !array_keep(&f->label)) return false;
  printf("%s: float32 [%" PRIu64 ", %zu]; %s: uint8 [%" PRIu64 "]\n", out[0], r.reviews,
         f->v.columns, out[1], r.reviews);
  return true;
}

/* out: X.npy, LABEL.npy */
static int features(const char *vocabulary, char **out, char **name, int n) {
  Featurer f = {.row = NULL};
  char why[TEXT_WHY];
  if (!text_read_vocabulary(vocabulary, &f.v, why)) {
    fprintf(stderr, "tfidf: %s\n", why);
    return 1;
  }
  f.row = malloc(f.v.columns * sizeof *f.row);
  bool ok = f.row ? features_write(&f, out, name, n) : fail(vocabulary, "out of memory");
  array_drop(&f.x);
  array_drop(&f.label);
  free(f.row);
  text_free_vocabulary(&f.v);
  return !ok;
}

/* -------- -------- */

static int wrong(const char *what, const char *which) {
  fprintf(stderr, "tfidf: %s%s\n%s", what, which, tfidf_usage);
  return 2;
}

int main(int argc, char **argv) {
  bool learns = argc > 1 && !strcmp(argv[1], "learn");
  long columns = 1200;
  int n = 0;
  if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
    return fputs(tfidf_usage, stdout) < 0;
  if (argc < 2) return wrong("learn or features?", "");
  if (!learns && strcmp(argv[1], "features") != 0) return wrong("no such command: ", argv[1]);
  for (int i = 2; i < argc; i++) { /* what is no option moves to the front */
    if (argv[i][0] != '-' || !argv[i][1]) {
      argv[n++] = argv[i];
      continue;
    }
    char *end = "";
    if (!learns || strcmp(argv[i], "--tokens") != 0) return wrong("no such option: ", argv[i]);
    columns = i + 1 < argc ? strtol(argv[++i], &end, 10) : 0;
    if (*end || columns < 2 || columns > 1 << 24)
      return wrong("--tokens takes a number from 2 to 16777216", "");
  }
  if (n < (learns ? 1 : 3)) return wrong("too few names", "");
  if (learns) return learn(argv[0], (size_t)columns, argv + 1, n - 1);
  return features(argv[0], argv + 1, argv + 3, n - 3);
}
