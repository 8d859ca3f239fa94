/* load_map.c: see load_map.h. */
#include "load_map.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STARS = 4 };

/* Spaces within brackets are part of it. */
static char *word(char **at) {
  char *p = *at + strspn(*at, " \t\r");
  size_t n = 0;
  for (int open = 0; p[n] && (open > 0 || !strchr(" \t\r", p[n])); n++)
    open += (p[n] == '[') - (p[n] == ']');
  *at = p + n;
  return n ? strndup(p, n) : NULL;
}

/* An end of a range; *at goes behind it. -1: there is none. */
static bool read_end(const char **at, int64_t *n) {
  char *end;
  *at += strspn(*at, " \t");
  *n = -1;
  if (!isdigit((unsigned char)**at)) return true;
  errno = 0;
  *n = strtoll(*at, &end, 10);
  *at = end + strspn(end, " \t");
  return !errno;
}

bool load_part_read(load_part *p, const char *at) {
  *p = (load_part){0};
  for (;; at++) {
    int64_t lo, hi;
    if (p->n == DTRT_MAX_RANK || !read_end(&at, &lo)) return false;
    const bool one = *at != ':';
    if (one && lo < 0) return false;
    if (one) hi = lo + 1;
    if (!one && (at++, !read_end(&at, &hi))) return false;
    if (lo < 0) lo = 0;
    if (hi >= 0 && hi < lo) return false;
    p->lo[p->n] = lo, p->hi[p->n] = hi, p->one[p->n++] = one;
    if (*at == ']') return !at[1];
    if (*at != ',') return false;
  }
}

/* Takes the part off their name. Of the name are a number alone, block[3], and other text. */
static const char *read_part(load_rule *r) {
  const size_t n = strlen(r->theirs);
  char *open = n && r->theirs[n - 1] == ']' ? strrchr(r->theirs, '[') : NULL;
  if (!open || open[1 + strspn(open + 1, "0123456789:, \t")] != ']' || !strpbrk(open, ":,"))
    return NULL;
  if (!load_part_read(&r->part, open + 1))
    return "a part is written as [0:64], [:, 64:128] or [3, :]";
  *open = 0;
  return NULL;
}

static int stars(const char *s) {
  int n = 0;
  for (; *s; s++) n += *s == '*';
  return n;
}

/* "transpose(1, 0, 2)": where it ends, or NULL. */
static const char *read_perm(load_rule *r, const char *p) {
  unsigned seen = 0;
  while (*p != ')') {
    p += strspn(p, " \t");
    if (!isdigit((unsigned char)*p) || r->nperm == DTRT_MAX_RANK) return NULL;
    int d = *p++ - '0';
    p += strspn(p, " \t");
    if (d >= DTRT_MAX_RANK || seen & 1u << d || (*p != ',' && *p != ')')) return NULL;
    seen |= 1u << d;
    r->perm[r->nperm++] = d;
    p += *p == ',';
  }
  return seen == (1u << r->nperm) - 1 && r->nperm ? p + 1 : NULL;
}

/* "reshape(12, 64, -1)": likewise. */
static const char *read_shape(load_rule *r, const char *p) {
  bool open = false;
  while (*p != ')') {
    char *end;
    errno = 0;
    const long long n = strtoll(p, &end, 10);
    if (end == p || errno || n < -1 || (n < 0 && open) || r->nshape == DTRT_MAX_RANK) return NULL;
    open |= n < 0;
    r->shape[r->nshape++] = n;
    p = end + strspn(end, " \t");
    if (*p != ',' && *p != ')') return NULL;
    p += *p == ',';
  }
  return r->nshape ? p + 1 : NULL;
}

#define MAY_FOLLOW                                                                                 \
  "after the names there may be `reshape(4, -1)`, `transpose`, `transpose(1, 0)`, `cast` and "     \
  "`add`"

/* NULL, or what is wrong. */
static const char *read_how(load_rule *r, const char *p) {
  for (;;) {
    p += strspn(p, " \t\r");
    if (!*p) return NULL;
    if (!strncmp(p, "transpose", 9)) {
      r->transpose = true;
      p += 9;
      if (*p == '(' && !(p = read_perm(r, p + 1)))
        return "expected the dims in their new order, as in transpose(1, 0)";
    } else if (!strncmp(p, "reshape(", 8)) {
      if (r->transpose || r->nshape) return "`reshape` stands once, before `transpose`";
      if (!(p = read_shape(r, p + 8)))
        return "expected sizes, one of them perhaps -1, as in reshape(12, 64, -1)";
    } else if (!strncmp(p, "cast", 4)) {
      r->cast = true;
      p += 4;
    } else if (!strncmp(p, "add", 3)) {
      r->add = true;
      p += 3;
    } else {
      return MAY_FOLLOW;
    }
    if (*p && !strchr(" \t\r", *p)) return MAY_FOLLOW;
  }
}

static const char *read_line(load_rule *r, char *line) {
  char *hash = strchr(line, '#'), *at = line;
  if (hash) *hash = 0;
  if (!line[strspn(line, " \t\r")]) return NULL;
  r->theirs = word(&at);
  char *arrow = word(&at);
  bool fine = arrow && !strcmp(arrow, "->");
  free(arrow);
  if (!fine || !(r->ours = word(&at))) return "expected `theirs -> ours`";
  if (strcmp(r->ours, "-") != 0 && stars(r->ours) != stars(r->theirs))
    return "both names require the same number of `*`";
  if (stars(r->theirs) > MOST_STARS) return "a name may have up to four `*`";
  const char *bad = read_part(r);
  return bad ? bad : read_how(r, at);
}

bool load_map_read(load_map *m, const char *text, char *why, size_t whysize) {
  *m = (load_map){0};
  int lines = 1, line = 0;
  for (const char *p = text ? text : ""; *p; p++) lines += *p == '\n';
  m->rule = calloc((size_t)lines, sizeof *m->rule);
  char *copy = strdup(text ? text : ""), *next;
  const char *bad = m->rule && copy ? NULL : "out of memory";
  for (char *p = copy; p && !bad; p = next) {
    next = strchr(p, '\n');
    if (next) *next++ = 0;
    line++;
    load_rule *r = &m->rule[m->n++]; /* freed with the others, whatever is wrong with it */
    bad = read_line(r, p);
    if (!bad && !r->theirs) m->n--;
  }
  free(copy);
  if (!bad) return true;
  snprintf(why, whysize, "line %d: %s", line, bad);
  load_map_free(m);
  return false;
}

void load_map_free(load_map *m) {
  for (int i = 0; m->rule && i < m->n; i++) {
    free(m->rule[i].theirs);
    free(m->rule[i].ours);
  }
  free(m->rule);
  *m = (load_map){0};
}

/* What each star of the pattern stands for: the shortest text first. */
static bool match(const char *p, const char *s, const char **from, const char **to, int n) {
  for (; *p && *p != '*'; p++, s++)
    if (*p != *s) return false;
  if (!*p) return !*s;
  if (n == MOST_STARS) return false;
  for (const char *end = s;; end++) {
    from[n] = s;
    to[n] = end;
    if (match(p + 1, end, from, to, n + 1)) return true;
    if (!*end) return false;
  }
}

static char *fill(const char *ours, const char **from, const char **to) {
  size_t room = strlen(ours) + 1, at = 0;
  int n = 0;
  for (const char *p = ours; *p; p++)
    if (*p == '*') room += (size_t)(to[n] - from[n]), n++;
  char *name = malloc(room);
  n = 0;
  for (const char *p = ours; name && *p; p++) {
    if (*p != '*') {
      name[at++] = *p;
      continue;
    }
    memcpy(name + at, from[n], (size_t)(to[n] - from[n]));
    at += (size_t)(to[n] - from[n]);
    n++;
  }
  if (name) name[at] = 0;
  return name;
}

bool load_map_next(load_map *m, const char *theirs, load_match *at, const load_rule **rule,
                   char **name) {
  const char *from[MOST_STARS], *to[MOST_STARS];
  *rule = NULL;
  for (int i = at->next; i < m->n; i++) {
    load_rule *r = &m->rule[i];
    if (at->pattern && strcmp(at->pattern, r->theirs) != 0) continue;
    if (!match(r->theirs, theirs, from, to, 0)) continue;
    r->used = true;
    *at = (load_match){i + 1, r->theirs};
    *rule = r;
    *name = fill(r->ours, from, to);
    return true;
  }
  const bool first = !at->pattern && at->next <= m->n;
  at->next = m->n + 1;
  if (first) *name = strdup(theirs);
  return first;
}
