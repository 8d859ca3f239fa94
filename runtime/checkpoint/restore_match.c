/* restore_match.c: see restore.h. A line of the map takes a tensor, or a part of it, gives it other
 * dims, and puts it into a variable or a part of one. Elements stay where they are in the file:
 * what is read is a box, with steps of its own along each dim. */
#include "restore.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "element.h"
#include "plural.h"
#include "tensor_file.h"

__attribute__((format(printf, 2, 3))) static void tell(const Restore *r, const char *format, ...) {
  char line[512];
  if (!r->o->tell) return;
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  r->o->tell(r->o->user, line);
}

/* A variable, or a place in one, that a tensor is for. */
typedef struct Target {
  const dtrt_tensor *t;
  const char *name; /* as the map has it */
  int var, rank, dim[DTRT_MAX_RANK];
  BlockSpan box[DTRT_MAX_RANK];
} Target;

static dtrt_status mismatch(const Restore *r, const checkpoint_var *v, const Target *to,
                            const char *why) {
  int64_t shape[DTRT_MAX_RANK + 1];
  char ours[256], theirs[256];
  for (int i = 0; i < to->rank; i++) shape[i] = to->box[to->dim[i]].hi - to->box[to->dim[i]].lo;
  tensor_file_type_text(to->t->dtype, to->rank, shape, ours, sizeof ours);
  if (v->kind >= 0)
    tensor_file_type_text(v->kind, v->rank, v->shape, theirs, sizeof theirs);
  else
    snprintf(theirs, sizeof theirs, "of a type (%s) or a number of dims that dtg does not support",
             v->foreign);
  return session_error(r->s, DTRT_INVALID, "%s: %s is %s; variable %s is %s%s", r->c.path, v->path,
                       theirs, to->name, ours, why);
}

/* Exactly, or as the map allows. */
static bool fits_type(int kind, int dtype, const load_rule *rule) {
  if (kind == dtype || element_allowed(kind, dtype)) return true;
  return rule && rule->cast && element_is_float(dtype);
}

/* -------- what is read -------- */

/* Of the first dims of s->view, which is all of the tensor. */
static dtrt_status take_part(const Restore *r, const load_part *part, RestorePart *s) {
  checkpoint_var *v = &s->view;
  int rank = 0;
  for (int d = 0; d < v->rank; d++) {
    const bool given = d < part->n;
    const int64_t n = v->shape[d], lo = given ? part->lo[d] : 0,
                  hi = given && part->hi[d] >= 0 ? part->hi[d] : n;
    if (lo > hi || hi > n)
      return session_error(
          r->s, DTRT_INVALID,
          "%s: the map takes elements %lld to %lld of dim %d of %s, which has %lld", r->c.path,
          (long long)lo, (long long)hi, d, v->path, (long long)n);
    v->begin += lo * s->step[d];
    if (given && part->one[d]) continue;
    v->shape[rank] = hi - lo;
    s->step[rank++] = s->step[d];
  }
  if (part->n > v->rank)
    return session_error(r->s, DTRT_INVALID,
                         "%s: the map takes a part of %d dims of %s, which has %d", r->c.path,
                         part->n, v->path, v->rank);
  v->rank = rank;
  return DTRT_OK;
}

/* The sizes that the map gives; *count elements. False: they do not come to as many. */
static bool new_sizes(const load_rule *rule, int64_t count, int64_t *shape) {
  int64_t given = 1;
  int open = -1;
  bool fits = true;
  for (int d = 0; d < rule->nshape; d++) {
    shape[d] = rule->shape[d];
    if (shape[d] < 0)
      open = d;
    else
      fits &= !__builtin_mul_overflow(given, shape[d], &given);
  }
  if (open < 0) return fits && given == count;
  if (!fits || given <= 0) return false;
  shape[open] = count / given;
  return shape[open] * given == count;
}

/* Steps of the new dims over the same elements: dims that follow each other without gaps are
 * joined and divided. False: some that would be joined have gaps. */
static bool new_steps(const checkpoint_var *v, const int64_t *step, const int64_t *shape, int rank,
                      int64_t *out) {
  int d = v->rank - 1;
  int64_t left = 1, next = 1; /* of the dims that were joined: places to give out, and their step */
  for (int i = rank - 1; i >= 0; i--) {
    while (left % shape[i]) {
      while (d >= 0 && v->shape[d] == 1) d--;
      if (left > 1 && (d < 0 || step[d] != next * left)) return false;
      if (left == 1) next = step[d]; /* d >= 0: there are as many elements */
      left *= v->shape[d--];
    }
    out[i] = next;
    left /= shape[i], next *= shape[i];
  }
  return true;
}

static dtrt_status reshape(const Restore *r, const load_rule *rule, RestorePart *s) {
  checkpoint_var *v = &s->view;
  int64_t shape[DTRT_MAX_RANK], step[DTRT_MAX_RANK];
  const int64_t count = checkpoint_count(v);
  if (!new_sizes(rule, count, shape))
    return session_error(
        r->s, DTRT_INVALID,
        "%s: %s has %lld element%s, which do not fill the dims of the map's reshape", r->c.path,
        v->path, (long long)count, PLURAL(count));
  if (count && !new_steps(v, s->step, shape, rule->nshape, step))
    return session_error(r->s, DTRT_INVALID,
                         "%s: the map's reshape joins dims of %s that do not lie side by "
                         "side",
                         r->c.path, v->path);
  v->rank = rule->nshape;
  memcpy(v->shape, shape, sizeof shape);
  if (count) memcpy(s->step, step, sizeof step);
  return DTRT_OK;
}

/* The tensor as the map has it: its elements follow each other in the file if it is in one piece.
 */
static dtrt_status view(const Restore *r, const checkpoint_var *v, const load_rule *rule,
                        RestorePart *s) {
  if (v->npieces > 1)
    return session_error(r->s, DTRT_INVALID,
                         "%s: %s is in %d piece%s, which the map cannot divide or reshape; `dtgc "
                         "checkpoint reshard` makes one of them",
                         r->c.path, v->path, v->npieces, PLURAL(v->npieces));
  s->view = *v;
  for (int64_t d = v->rank - 1, n = 1; d >= 0; d--)
    s->step[d] = v->step ? v->step[d] : n, n *= v->shape[d];
  dtrt_status status = take_part(r, &rule->part, s);
  if (status == DTRT_OK && rule->nshape) status = reshape(r, rule, s);
  for (int d = 0; d < s->view.rank; d++) s->piece.box[d] = (BlockSpan){0, s->view.shape[d]};
  if (v->npieces) {
    s->piece.file = v->piece->file;
    s->piece.entry = v->piece->entry;
    s->view.piece = &s->piece;
  }
  s->view.step = s->step;
  s->from = &s->view;
  return status;
}

/* -------- where it goes -------- */

/* "model.w", or "model.w[3]" where no variable has that name. 0: there is none; -1: it has no such
 * part. */
static int find_target(const Restore *r, const char *name, Target *to) {
  load_part part = {0};
  *to = (Target){.name = name, .var = dtrt_find_var(r->p, name)};
  const char *open = strrchr(name, '[');
  if (to->var < 0 && open && load_part_read(&part, open + 1)) {
    char *whole = strndup(name, (size_t)(open - name));
    to->var = whole ? dtrt_find_var(r->p, whole) : -1;
    free(whole);
  }
  if (to->var < 0) return 0;
  to->t = &r->p->var[to->var];
  if (part.n > to->t->layout->rank) return -1;
  for (int d = 0; d < to->t->layout->rank; d++) {
    const int64_t n = to->t->layout->dim[d].n;
    to->box[d] = (BlockSpan){0, n};
    if (d < part.n) to->box[d] = (BlockSpan){part.lo[d], part.hi[d] < 0 ? n : part.hi[d]};
    if (to->box[d].lo > to->box[d].hi || to->box[d].hi > n) return -1;
    if (d >= part.n || !part.one[d]) to->dim[to->rank++] = d;
  }
  return 1;
}

static bool meet(const RestorePart *a, const RestorePart *b, int rank) {
  for (int d = 0; d < rank; d++)
    if (a->box[d].lo >= b->box[d].hi || b->box[d].lo >= a->box[d].hi) return false;
  return true;
}

/* Puts s behind the others, but what is added behind all. */
static dtrt_status put(Restore *r, const Target *to, RestorePart *s) {
  RestorePart **at = &r->part[to->var];
  for (; *at && (s->add || !(*at)->add); at = &(*at)->next)
    if (!s->add && meet(*at, s, to->t->layout->rank))
      return session_error(r->s, DTRT_INVALID, "%s: both %s and %s are mapped to %s", r->c.path,
                           (*at)->from->path, s->from->path, to->t->name);
  s->next = *at;
  *at = s;
  return DTRT_OK;
}

static dtrt_status fit(Restore *r, const Target *to, const load_rule *rule, RestorePart *s) {
  const checkpoint_var *v = s->from;
  const char *how = rule && rule->nshape ? ", reshaped" : rule && rule->part.n ? ", the part" : "";
  const bool turned = rule && rule->transpose;
  if (v->rank != to->rank) return mismatch(r, v, to, how);
  if (turned && rule->nperm && rule->nperm != v->rank)
    return mismatch(r, v, to, ": the dims to transpose do not match");
  for (int d = 0; d < v->rank; d++) {
    const BlockSpan *box = &to->box[to->dim[d]];
    s->perm[d] = !turned ? d : rule->nperm ? rule->perm[d] : v->rank - 1 - d;
    if (v->shape[s->perm[d]] != box->hi - box->lo)
      return mismatch(r, v, to, turned ? ", transposed" : how);
  }
  const int dtype = to->t->dtype;
  if (!fits_type(v->kind, dtype, rule))
    return mismatch(r, v, to, element_is_float(dtype) ? " (`cast` in a map rounds)" : "");
  if (rule && rule->add && (!element_is_float(dtype) || element_is_complex(dtype)))
    return mismatch(r, v, to, ": only floats are added");
  s->add = rule && rule->add;
  s->rank = to->rank;
  memcpy(s->dim, to->dim, sizeof s->dim);
  memcpy(s->box, to->box, sizeof s->box);
  return DTRT_OK;
}

static dtrt_status take(Restore *r, const checkpoint_var *v, const Target *to,
                        const load_rule *rule) {
  if (v->kind < 0) return mismatch(r, v, to, "");
  RestorePart *s = calloc(1, sizeof *s);
  if (!s) return session_error(r->s, DTRT_NO_MEMORY, "out of memory");
  s->from = v;
  dtrt_status status = DTRT_OK;
  if (rule && (rule->part.n || rule->nshape)) status = view(r, v, rule, s);
  if (status == DTRT_OK) status = fit(r, to, rule, s);
  if (status == DTRT_OK) status = put(r, to, s);
  if (status != DTRT_OK) free(s);
  return status;
}

/* One line of the map, or none, for tensor i. */
static dtrt_status match_one(Restore *r, int i, const char *name, const load_rule *rule) {
  const checkpoint_var *v = &r->c.var[i];
  Target to;
  if (!name) return session_error(r->s, DTRT_NO_MEMORY, "out of memory");
  if (rule && !strcmp(rule->ours, "-")) {
    r->taken[i] = true;
    return DTRT_OK;
  }
  const int found = rule ? find_target(r, name, &to) : dtrt_find_var(r->p, name) >= 0;
  if (!rule && found) find_target(r, name, &to);
  if (found > 0) {
    r->taken[i] = true;
    return take(r, v, &to, rule);
  }
  if (!rule) return DTRT_OK;
  return session_error(r->s, DTRT_INVALID, "%s: the map assigns %s from %s, but %s has no such %s",
                       r->c.path, name, v->path, r->p->name,
                       found ? "part of the variable" : "variable");
}

static dtrt_status match_all(Restore *r) {
  dtrt_status status = DTRT_OK;
  for (int i = 0; i < r->c.nvars && status == DTRT_OK; i++) {
    const load_rule *rule;
    load_match at = {0};
    char *name;
    while (status == DTRT_OK && load_map_next(&r->map, r->c.var[i].path, &at, &rule, &name)) {
      status = match_one(r, i, name, rule);
      free(name);
    }
  }
  return status;
}

/* -------- what is left over -------- */

enum { NOTHING, SOME, ALL };

/* How much of a variable gets a value. */
static int given(const Restore *r, int var) {
  const dtrt_layout *l = r->p->var[var].layout;
  int64_t count = 1, sum = 0;
  bool any = false;
  for (int d = 0; d < l->rank; d++) count *= l->dim[d].n;
  for (const RestorePart *s = r->part[var]; s; s = s->next) {
    int64_t n = !s->add;
    any |= !s->add;
    for (int d = 0; d < l->rank; d++) n *= s->box[d].hi - s->box[d].lo;
    sum += n;
  }
  return any && sum == count ? ALL : any ? SOME : NOTHING;
}

/* What is on one side only, each a line; or all of it as one error. */
static dtrt_status leftovers(const Restore *r) {
  int lacks = 0, some = 0, extra = 0, unused = 0;
  const char *lack = NULL, *part = NULL, *more = NULL, *rule = NULL;
  for (int i = r->p->nvars - 1; i >= 0; i--) {
    const int has = given(r, i);
    if (has == NOTHING && r->part[i])
      return session_error(r->s, DTRT_INVALID, "%s: the map adds %s to %s, but gives it no value",
                           r->c.path, r->part[i]->from->path, r->p->var[i].name);
    if (has == NOTHING) lacks++, lack = r->p->var[i].name;
    if (has == SOME) some++, part = r->p->var[i].name;
  }
  for (int i = r->c.nvars - 1; i >= 0; i--)
    if (!r->taken[i]) extra++, more = r->c.var[i].path;
  for (int i = r->map.n - 1; i >= 0; i--)
    if (!r->map.rule[i].used) unused++, rule = r->map.rule[i].theirs;
  if (!lacks && !some && !extra && !unused) return DTRT_OK;
  if (!r->o->partial) {
    char text[512] = "", count[32];
    size_t n = 0;
    const struct {
      int n;
      const char *first, *what;
    } side[] = {{lacks, lack, "no value for variable "},
                {some, part, "no value for a part of variable "},
                {extra, more, "the program has no variable for "},
                {unused, rule, "no tensor matches the map's "}};
    for (int i = 0; i < 4; i++) {
      snprintf(count, sizeof count, " and %d more", side[i].n - 1);
      if (side[i].n && n < sizeof text)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%.100s%s", n ? "; " : "",
                              side[i].what, side[i].first, side[i].n > 1 ? count : "");
    }
    return session_error(r->s, DTRT_INVALID, "%s: %s (a partial load allows it)", r->c.path, text);
  }
  for (int i = 0; i < r->p->nvars; i++)
    if (given(r, i) != ALL)
      tell(r, "not in %s: %s%s keeps its value", r->c.path, r->part[i] ? "a part of " : "",
           r->p->var[i].name);
  for (int i = 0; i < r->c.nvars; i++)
    if (!r->taken[i]) tell(r, "left out: %s of %s", r->c.var[i].path, r->c.path);
  for (int i = 0; i < r->map.n; i++)
    if (!r->map.rule[i].used) tell(r, "no tensor matches the map's %s", r->map.rule[i].theirs);
  return DTRT_OK;
}

dtrt_status restore_match(Restore *r) {
  r->part = calloc((size_t)r->p->nvars + 1, sizeof *r->part);
  r->taken = calloc((size_t)r->c.nvars + 1, sizeof *r->taken);
  if (!r->part || !r->taken) return session_error(r->s, DTRT_NO_MEMORY, "out of memory");
  const dtrt_status status = match_all(r);
  return status == DTRT_OK ? leftovers(r) : status;
}

void restore_match_free(Restore *r) {
  for (int i = 0; r->part && i < r->p->nvars; i++)
    for (RestorePart *s = r->part[i], *next; s; s = next) {
      next = s->next;
      free(s);
    }
  free(r->part);
  free(r->taken);
}
