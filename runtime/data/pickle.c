/* pickle.c: see pickle.h. A pickle is a program for a machine with a stack, marks in it, and
 * numbered values. Format: Python's Lib/pickletools.py. */
#include "pickle.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "little.h"

typedef struct numbers {
  int *at, n, room;
} numbers;

typedef struct machine {
  pickle *p;
  const unsigned char *bytes;
  size_t n, at, op; /* op: where the instruction began */
  numbers stack, mark, memo;
  bool over;
  char *why;
  size_t whysize;
} machine;

static bool stop(machine *m, const char *what) {
  snprintf(m->why, m->whysize, "at offset %zu: %s", m->op, what);
  return false;
}

static bool room_for(numbers *list, int n) {
  if (n <= list->room) return true;
  if (n > INT_MAX / 2) return false;
  const int room = n < 8 ? 8 : 2 * n;
  int *more = realloc(list->at, (size_t)room * sizeof *more);
  if (more) list->at = more, list->room = room;
  return more != NULL;
}

static bool add(machine *m, numbers *list, int v) {
  if (!room_for(list, list->n + 1)) return stop(m, "out of memory");
  list->at[list->n++] = v;
  return true;
}

static bool add_item(machine *m, int to, int v) {
  pickle_value *t = &m->p->value[to];
  numbers list = {t->item, t->n, t->room};
  const bool good = add(m, &list, v);
  t->item = list.at, t->n = list.n, t->room = list.room;
  return good;
}

/* -------- the stack -------- */

static bool push(machine *m, int v) { return add(m, &m->stack, v); }

/* What is above the last mark, or on the whole stack, can be taken. */
static int above(const machine *m) {
  return m->stack.n - (m->mark.n ? m->mark.at[m->mark.n - 1] : 0);
}

static bool pop(machine *m, int *v) {
  if (above(m) < 1) return stop(m, "the stack is empty");
  *v = m->stack.at[--m->stack.n];
  return true;
}

/* Where what is above the last mark begins; the mark is gone. */
static bool pop_mark(machine *m, int *from) {
  if (!m->mark.n) return stop(m, "there is no mark on the stack");
  *from = m->mark.at[--m->mark.n];
  return true;
}

/* A new value; -1: out of memory. */
static int make(machine *m, pickle_value v) {
  pickle *p = m->p;
  if (p->n == p->room) {
    const int room = p->room ? 2 * p->room : 64;
    pickle_value *more =
        p->room < INT_MAX / 4 ? realloc(p->value, (size_t)room * sizeof *more) : NULL;
    if (!more) return stop(m, "out of memory"), -1;
    p->value = more, p->room = room;
  }
  v.state = -1;
  p->value[p->n] = v;
  return p->n++;
}

static bool put(machine *m, pickle_value v) {
  const int made = make(m, v);
  return made >= 0 && push(m, made);
}

/* A list of what is on the stack from there on. */
static bool put_list(machine *m, int from, pickle_kind kind) {
  const int made = make(m, (pickle_value){.kind = kind});
  bool good = made >= 0;
  for (int i = from; good && i < m->stack.n; i++) good = add_item(m, made, m->stack.at[i]);
  m->stack.n = from;
  return good && push(m, made);
}

static bool put_tuple(machine *m, int n) {
  return above(m) < n ? stop(m, "the stack is empty") : put_list(m, m->stack.n - n, PICKLE_LIST);
}

static bool put_above(machine *m, pickle_kind kind) {
  int from;
  if (!pop_mark(m, &from)) return false;
  if (kind == PICKLE_DICT && (m->stack.n - from) % 2) return stop(m, "a key has no value");
  return put_list(m, from, kind);
}

/* Gives what is on the stack from there on to the value below, if that is one of these kinds. */
static bool give(machine *m, int from, pickle_kind kind, pickle_kind or, bool pairs) {
  const int n = m->stack.n - from;
  if (pairs && n % 2) return stop(m, "a key has no value");
  if (from - 1 < (m->mark.n ? m->mark.at[m->mark.n - 1] : 0)) return stop(m, "the stack is empty");
  const int to = m->stack.at[from - 1];
  const bool takes = m->p->value[to].kind == kind || m->p->value[to].kind == or ;
  bool good = true;
  for (int i = from; takes && good && i < m->stack.n; i++) good = add_item(m, to, m->stack.at[i]);
  m->stack.n = from;
  return good;
}

static bool give_above(machine *m, pickle_kind kind, pickle_kind or, bool pairs) {
  int from;
  return pop_mark(m, &from) && give(m, from, kind, or, pairs);
}

static bool give_last(machine *m, int n, pickle_kind kind, pickle_kind or, bool pairs) {
  return above(m) < n + 1 ? stop(m, "the stack is empty")
                          : give(m, m->stack.n - n, kind, or, pairs);
}

/* -------- instructions -------- */

static bool take(machine *m, uint64_t n, const unsigned char **at) {
  if (n > m->n - m->at) return stop(m, "it ends early");
  *at = m->bytes + m->at;
  m->at += (size_t)n;
  return true;
}

static bool number(machine *m, int bytes, uint64_t *v) {
  const unsigned char *at;
  if (!take(m, (uint64_t)bytes, &at)) return false;
  *v = le(at, bytes);
  return true;
}

static bool put_integer(machine *m, int bytes, bool negative) {
  uint64_t v;
  if (!number(m, bytes, &v)) return false;
  return put(m, (pickle_value){.kind = PICKLE_INTEGER,
                               .number = negative ? (int32_t)(uint32_t)v : (int64_t)v});
}

/* An integer of any length, in two's complement. */
static bool put_long(machine *m, int count) {
  uint64_t n, v = 0;
  const unsigned char *at;
  if (!number(m, count, &n) || !take(m, n, &at)) return false;
  if (n > 8) return put(m, (pickle_value){.kind = PICKLE_OTHER});
  if (n && at[n - 1] & 0x80) v = UINT64_MAX;
  for (uint64_t i = n; i--;) v = v << 8 | at[i];
  return put(m, (pickle_value){.kind = PICKLE_INTEGER, .number = (int64_t)v});
}

static bool put_text(machine *m, uint64_t n, pickle_kind kind) {
  const unsigned char *at;
  if (!take(m, n, &at)) return false;
  if (n > INT_MAX) return stop(m, "a text of more than 2 GiB");
  return put(m, (pickle_value){.kind = kind, .text = (const char *)at, .n = (int)n});
}

static bool put_counted(machine *m, int count, pickle_kind kind) {
  uint64_t n;
  return number(m, count, &n) && put_text(m, n, kind);
}

static bool put_line(machine *m) {
  const unsigned char *end = memchr(m->bytes + m->at, '\n', m->n - m->at);
  if (!end) return stop(m, "it ends early");
  return put_text(m, (uint64_t)(end - (m->bytes + m->at)), PICKLE_TEXT) && ++m->at;
}

/* Of the two values on top of the stack. */
static bool put_of(machine *m, pickle_kind kind) {
  int with, of;
  return pop(m, &with) && pop(m, &of) &&
         put(m, (pickle_value){.kind = kind, .of = of, .with = with});
}

static bool build(machine *m) {
  int state;
  if (!pop(m, &state)) return false;
  if (above(m) < 1) return stop(m, "the stack is empty");
  m->p->value[m->stack.at[m->stack.n - 1]].state = state;
  return true;
}

static bool remember(machine *m, uint64_t at) {
  if (above(m) < 1) return stop(m, "the stack is empty");
  if (at >= m->n) return stop(m, "it numbers a value beyond its own bytes");
  if (!room_for(&m->memo, (int)at + 1)) return stop(m, "out of memory");
  while (m->memo.n <= (int)at) m->memo.at[m->memo.n++] = -1;
  m->memo.at[at] = m->stack.at[m->stack.n - 1];
  return true;
}

static bool remember_counted(machine *m, int bytes) {
  uint64_t at;
  return number(m, bytes, &at) && remember(m, at);
}

static bool recall(machine *m, int bytes) {
  uint64_t at;
  if (!number(m, bytes, &at)) return false;
  if (at >= (uint64_t)m->memo.n || m->memo.at[at] < 0)
    return stop(m, "it reads a value that has no number");
  return push(m, m->memo.at[at]);
}

static bool skip(machine *m, int bytes, pickle_kind kind) {
  const unsigned char *at;
  return take(m, (uint64_t)bytes, &at) &&
         (kind != PICKLE_OTHER || put(m, (pickle_value){.kind = kind}));
}

static bool copy_top(machine *m) {
  return above(m) < 1 ? stop(m, "the stack is empty") : push(m, m->stack.at[m->stack.n - 1]);
}

static bool drop_above(machine *m) {
  int from;
  if (!pop_mark(m, &from)) return false;
  m->stack.n = from;
  return true;
}

static bool drop(machine *m) {
  int v;
  return pop(m, &v);
}

static bool put_kept(machine *m) {
  int with;
  return pop(m, &with) && put(m, (pickle_value){.kind = PICKLE_KEPT, .with = with});
}

static bool new_object_named(machine *m) { /* with arguments by name, which count for nothing */
  return drop(m) && put_of(m, PICKLE_MADE);
}

static bool step(machine *m) {
  const pickle_value nothing = {.kind = PICKLE_OTHER};
  m->op = m->at;
  const unsigned char *op;
  if (!take(m, 1, &op)) return false;
  switch (*op) {
  case 0x80: m->at += m->at < m->n; return true; /* protocol */
  case 0x95: return skip(m, 8, PICKLE_TEXT);     /* frame */
  case '.': return m->over = true;
  case '(': return add(m, &m->mark, m->stack.n);
  case '0': return m->mark.n && !above(m) ? drop_above(m) : drop(m);
  case '1': return drop_above(m);
  case '2': return copy_top(m);
  case 'N': return put(m, nothing);
  case 0x88: return put(m, (pickle_value){.kind = PICKLE_TRUTH, .number = 1});
  case 0x89: return put(m, (pickle_value){.kind = PICKLE_TRUTH});
  case 'J': return put_integer(m, 4, true);
  case 'K': return put_integer(m, 1, false);
  case 'M': return put_integer(m, 2, false);
  case 0x8a: return put_long(m, 1);
  case 0x8b: return put_long(m, 4);
  case 'G': return skip(m, 8, PICKLE_OTHER);
  case 'X': return put_counted(m, 4, PICKLE_TEXT);
  case 0x8c: return put_counted(m, 1, PICKLE_TEXT);
  case 0x8d: return put_counted(m, 8, PICKLE_TEXT);
  case 'T': return put_counted(m, 4, PICKLE_TEXT);
  case 'U': return put_counted(m, 1, PICKLE_TEXT);
  case 'B': return put_counted(m, 4, PICKLE_OTHER);
  case 'C': return put_counted(m, 1, PICKLE_OTHER);
  case 0x8e: return put_counted(m, 8, PICKLE_OTHER);
  case 0x96: return put_counted(m, 8, PICKLE_OTHER);
  case ')': return put(m, (pickle_value){.kind = PICKLE_LIST});
  case ']': return put(m, (pickle_value){.kind = PICKLE_LIST});
  case '}': return put(m, (pickle_value){.kind = PICKLE_DICT});
  case 0x8f: return put(m, nothing);
  case 't': return put_above(m, PICKLE_LIST);
  case 'l': return put_above(m, PICKLE_LIST);
  case 'd': return put_above(m, PICKLE_DICT);
  case 0x91: return put_above(m, PICKLE_OTHER);
  case 0x85: return put_tuple(m, 1);
  case 0x86: return put_tuple(m, 2);
  case 0x87: return put_tuple(m, 3);
  case 'a': return give_last(m, 1, PICKLE_LIST, PICKLE_LIST, false);
  case 'e': return give_above(m, PICKLE_LIST, PICKLE_LIST, false);
  case 0x90: return give_above(m, PICKLE_LIST, PICKLE_LIST, false);
  case 's': return give_last(m, 2, PICKLE_DICT, PICKLE_MADE, true);
  case 'u': return give_above(m, PICKLE_DICT, PICKLE_MADE, true);
  case 'c': return put_line(m) && put_line(m) && put_of(m, PICKLE_NAME);
  case 0x93: return put_of(m, PICKLE_NAME);
  case 'R': return put_of(m, PICKLE_MADE);
  case 0x81: return put_of(m, PICKLE_MADE);
  case 0x92: return new_object_named(m);
  case 'b': return build(m);
  case 'Q': return put_kept(m);
  case 'q': return remember_counted(m, 1);
  case 'r': return remember_counted(m, 4);
  case 0x94: return remember(m, (uint64_t)m->memo.n);
  case 'h': return recall(m, 1);
  case 'j': return recall(m, 4);
  default: return stop(m, "no instruction of protocols 2 to 5");
  }
}

bool pickle_read(pickle *p, const unsigned char *bytes, size_t n, size_t *at, char *why,
                 size_t whysize) {
  *p = (pickle){0};
  machine m = {.p = p, .bytes = bytes, .n = n, .at = *at, .why = why, .whysize = whysize};
  bool good = true;
  while (good && !m.over) good = step(&m);
  good = good && pop(&m, &p->top);
  *at = m.at;
  free(m.stack.at);
  free(m.mark.at);
  free(m.memo.at);
  return good;
}

void pickle_free(pickle *p) {
  for (int i = 0; i < p->n; i++) free(p->value[i].item);
  free(p->value);
  *p = (pickle){0};
}

bool pickle_says(const pickle *p, int value, const char *text) {
  const pickle_value *v = &p->value[value];
  return v->kind == PICKLE_TEXT && (size_t)v->n == strlen(text) &&
         !memcmp(v->text, text, (size_t)v->n);
}

bool pickle_names(const pickle *p, int value, const char *module, const char *name) {
  const pickle_value *v = &p->value[value];
  return v->kind == PICKLE_NAME && pickle_says(p, v->of, module) && pickle_says(p, v->with, name);
}
