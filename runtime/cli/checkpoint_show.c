/* checkpoint_show.c: `dtgc checkpoint cat` and `diff`. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "checkpoint_command.h"
#include "tensor_file.h"
#include "files.h"
#include "cli.h"
#include "element.h"

/* -------- cat -------- */

/* Brackets before and after element i, as `call --out -` prints them. */
static void print_element(const checkpoint_var *v, int64_t i, int kind, const char *at) {
  char text[64];
  int64_t block = 1;
  int opened = 0, closed = 0;
  for (int d = v->rank - 1; d >= 0; d--) {
    block *= v->shape[d];
    opened += i % block == 0;
    closed += (i + 1) % block == 0;
  }
  if (opened && i) printf("\n%*s", v->rank - opened, "");
  if (!opened && i) fputs(" ", stdout);
  for (int d = 0; d < opened; d++) putchar('[');
  element_print(kind, false, at, text, sizeof text);
  fputs(strcmp(text, "-nan") ? text : "nan", stdout);
  for (int d = 0; d < closed; d++) putchar(']');
  if (closed < v->rank) putchar(',');
}

static bool print_all(checkpoint_walk *w) {
  int64_t i = 0;
  while (checkpoint_walk_next(w))
    for (int64_t k = 0; k < w->count; k++)
      print_element(w->v, i++, w->dtype, w->data + k * w->size);
  if (!i && !w->failed) fputs("[]", stdout); /* no elements */
  putchar('\n');
  return !w->failed;
}

static bool said(const char *path, char *why) {
  snprintf(why, CHECKPOINT_WHY, "%s: %s", path, strerror(errno));
  return false;
}

/* Aside, then renamed. */
static bool write_npy(checkpoint_walk *w, const char *path, char *why) {
  char header[1024];
  int n = npy_header(w->dtype, w->v->rank, w->v->shape, header, sizeof header);
  if (n < 0)
    return snprintf(why, CHECKPOINT_WHY, "%s: .npy has no %s", path, element_name(w->dtype)), false;
  bool special = file_is_special(path);
  char *aside = NULL;
  int fd = special ? file_open_special(path) : file_aside(path, &aside);
  FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
  bool good = f && fwrite(header, 1, (size_t)n, f) == (size_t)n;
  while (good && checkpoint_walk_next(w))
    good = fwrite(w->data, (size_t)w->size, (size_t)w->count, f) == (size_t)w->count;
  if (!good) said(path, why);
  if (f && fclose(f) && good) good = said(path, why);
  good = good && !w->failed;
  if (good && !special && rename(aside, path)) good = said(path, why);
  if (aside && !good) unlink(aside);
  free(aside);
  return good;
}

static const checkpoint_var *find(const checkpoint *c, const char *path, char *why) {
  const checkpoint_var *v = checkpoint_find(c, path);
  cli_near near;
  if (v && v->kind >= 0) return v;
  cli_near_start(&near, path);
  for (int i = 0; i < c->nvars; i++) cli_near_try(&near, c->var[i].path);
  if (v)
    snprintf(why, CHECKPOINT_WHY, "%s: %s has a type or a number of dims that dtg does not support",
             c->path, path);
  else
    snprintf(why, CHECKPOINT_WHY, "%s: there is no tensor '%s'%s", c->path, path,
             cli_near_text(&near));
  return NULL;
}

int checkpoint_cat(const checkpoint_command *c) {
  char why[CHECKPOINT_WHY] = "";
  checkpoint of;
  if (!checkpoint_open(&of, c->word[0], why, sizeof why)) return checkpoint_command_fail(c, why);
  const checkpoint_var *v = find(&of, c->word[1], why);
  bool good = v != NULL;
  if (good) {
    checkpoint_walk w;
    const bool none = element_is_float(v->kind) && element_digits(v->kind) < 11; /* in .npy */
    int dtype = c->output && none ? ELEMENT_F32 : v->kind;
    good = checkpoint_walk_open(&w, &of, v, dtype, why) &&
           (c->output ? write_npy(&w, c->output, why) : print_all(&w));
    checkpoint_walk_close(&w);
  }
  checkpoint_free(&of);
  return good ? COMMAND_OK : checkpoint_command_fail(c, why);
}

/* -------- diff -------- */

typedef struct distance {
  int64_t count; /* elements that differ */
  double abs, rel;
} distance;

static void compare(distance *d, int dtype, const char *a, const char *b) {
  const int part = element_part(dtype);
  const size_t size_of_part = element_size(part);
  if (part != dtype) { /* the larger difference of the two parts */
    const int64_t count = d->count;
    compare(d, part, a, b);
    compare(d, part, a + size_of_part, b + size_of_part);
    if (d->count > count) d->count = count + 1;
    return;
  }
  double x = element_value(dtype, a), y = element_value(dtype, b);
  if (!memcmp(a, b, element_size(dtype)) || (isnan(x) && isnan(y)) || (x == y && x == 0)) return;
  double gap = fabs(x - y), size = fmax(fabs(x), fabs(y));
  d->count++;
  if (gap > d->abs || isnan(gap)) d->abs = gap;
  if (gap / size > d->rel || isnan(gap / size)) d->rel = gap / size;
}

/* bf16 and f32 of one value are compared as f32. */
static int common(int a, int b) {
  if (a == b) return a;
  if (element_is_complex(a) && element_is_complex(b)) return ELEMENT_C128;
  if (element_is_float(a) && element_is_float(b))
    return a == ELEMENT_F64 || b == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32;
  return element_allowed(a, b) && element_size(a) < element_size(b) ? b : a;
}

static bool measure(const checkpoint *a, const checkpoint_var *v, const checkpoint *b,
                    const checkpoint_var *u, distance *d, char *why) {
  checkpoint_walk x, y;
  int dtype = common(v->kind, u->kind);
  bool good = checkpoint_walk_open(&x, a, v, dtype, why);
  good = checkpoint_walk_open(&y, b, u, dtype, why) && good;
  while (good && checkpoint_walk_next(&x) && checkpoint_walk_next(&y))
    for (int64_t k = 0; k < x.count; k++)
      compare(d, dtype, x.data + k * x.size, y.data + k * x.size);
  good = good && !x.failed && !y.failed;
  checkpoint_walk_close(&x);
  checkpoint_walk_close(&y);
  return good;
}

static bool alike(const checkpoint_var *v, const checkpoint_var *u) {
  bool same = v->rank == u->rank && v->kind >= 0 && u->kind >= 0 &&
              element_is_float(v->kind) == element_is_float(u->kind) &&
              element_is_complex(v->kind) == element_is_complex(u->kind);
  for (int d = 0; same && d < v->rank; d++) same = v->shape[d] == u->shape[d];
  return same;
}

typedef struct tally {
  int equal, differ, only;
} tally;

static bool diff_var(const checkpoint *a, const checkpoint_var *v, const checkpoint *b, tally *t,
                     char *why) {
  const checkpoint_var *u = checkpoint_find(b, v->path);
  char type[256], other[256];
  distance d = {0};
  checkpoint_type_text(v, v->kind, type, sizeof type);
  if (!u) {
    printf("%s: only in %s (%s)\n", v->path, a->path, type);
    t->only++;
    return true;
  }
  checkpoint_type_text(u, u->kind, other, sizeof other);
  if (!alike(v, u)) {
    printf("%s: %s and %s\n", v->path, type, other);
    t->differ++;
    return true;
  }
  if (!measure(a, v, b, u, &d, why)) return false;
  if (!d.count) {
    t->equal++;
    return true;
  }
  printf("%s: %lld of %lld differ, by at most %.3g absolute, %.3g relative\n", v->path,
         (long long)d.count, (long long)checkpoint_count(v), d.abs, d.rel);
  t->differ++;
  return true;
}

int checkpoint_diff(const checkpoint_command *c) {
  char why[CHECKPOINT_WHY] = "";
  checkpoint a = {0}, b = {0};
  tally t = {0};
  bool good = checkpoint_open(&a, c->word[0], why, sizeof why) &&
              checkpoint_open(&b, c->word[1], why, sizeof why);
  for (int i = 0; good && i < a.nvars; i++) good = diff_var(&a, &a.var[i], &b, &t, why);
  for (int i = 0; good && i < b.nvars; i++) {
    char type[256];
    if (checkpoint_find(&a, b.var[i].path)) continue;
    checkpoint_type_text(&b.var[i], b.var[i].kind, type, sizeof type);
    printf("%s: only in %s (%s)\n", b.var[i].path, b.path, type);
    t.only++;
  }
  if (good) printf("%d equal, %d different, %d on one side only\n", t.equal, t.differ, t.only);
  checkpoint_free(&a);
  checkpoint_free(&b);
  if (!good) return checkpoint_command_fail(c, why), COMMAND_USAGE;
  return t.differ || t.only ? COMMAND_FAILED : COMMAND_OK;
}
