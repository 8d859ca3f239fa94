/* Reading, repairing and taking apart text; the table of tokens. See text.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool text_room(TextBytes *b, size_t more) {
  if (b->room - b->n >= more) return true;
  size_t room = b->room ? b->room : 256;
  while (room - b->n < more) room *= 2;
  char *at = realloc(b->at, room);
  if (!at) return false;
  b->at = at;
  b->room = room;
  return true;
}

static bool text_put(TextBytes *b, const void *from, size_t n) {
  if (!text_room(b, n)) return false;
  if (n) memcpy(b->at + b->n, from, n);
  b->n += n;
  return true;
}

int text_line(FILE *f, TextBytes *line) {
  int c;
  line->n = 0;
  errno = 0;
  while ((c = getc_unlocked(f)) != EOF && c != '\n') {
    if (line->n == TEXT_MOST_LINE) return -2;
    if (line->n == line->room && !text_room(line, 1)) return -3;
    line->at[line->n++] = (char)c;
  }
  if (ferror(f)) return -1;
  return c == '\n' || line->n > 0;
}

/* -------- UTF-8 -------- */

/* The length of the well-formed sequence at p, or minus that of the ill-formed piece to replace:
 * the longest beginning of a well-formed one, at least a byte (Unicode 3.9, table 3-7 and "maximal
 * subparts"). */
static int text_sequence(const unsigned char *p, const unsigned char *end) {
  unsigned char c = *p, low = 0x80, high = 0xBF;
  if (c < 0x80) return 1;
  int n = c >= 0xC2 && c <= 0xDF ? 2 : (c & 0xF0) == 0xE0 ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
  if (!n) return -1;
  if (c == 0xE0) low = 0xA0;
  if (c == 0xED) high = 0x9F; /* surrogates */
  if (c == 0xF0) low = 0x90;
  if (c == 0xF4) high = 0x8F; /* beyond U+10FFFF */
  for (int i = 1; i < n; i++, low = 0x80, high = 0xBF)
    if (p + i == end || p[i] < low || p[i] > high) return -i;
  return n;
}

ptrdiff_t text_repair(TextBytes *line, TextBytes *spare) {
  const unsigned char *from = (const unsigned char *)line->at, *end = from + line->n, *p = from;
  int n = 1;
  while (p < end && (n = text_sequence(p, end)) > 0) p += n;
  if (p >= end) return -1;
  ptrdiff_t first = p - from;
  spare->n = 0;
  for (p = from; p < end; p += abs(n)) {
    n = text_sequence(p, end);
    if (!(n > 0 ? text_put(spare, p, (size_t)n) : text_put(spare, "\xEF\xBF\xBD", 3))) return -2;
  }
  TextBytes t = *line;
  *line = *spare;
  *spare = t;
  return first;
}

/* -------- tokens -------- */

enum { TEXT_KEEP, TEXT_SPACE, TEXT_DROP, TEXT_UPPER };

static int text_class(unsigned char c) {
  if (c == ' ' || (c >= '\t' && c <= '\r')) return TEXT_SPACE;
  if (c >= 'A' && c <= 'Z') return TEXT_UPPER;
  bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  return c > ' ' && c < 0x7F && !letter ? TEXT_DROP : TEXT_KEEP;
}

int text_token(const char **p, const char *end, TextBytes *token) {
  token->n = 0;
  for (; *p < end; ++*p) {
    int class = text_class((unsigned char)**p);
    if (class == TEXT_SPACE && token->n) return 1;
    if (class == TEXT_SPACE || class == TEXT_DROP) continue;
    if (token->n == token->room && !text_room(token, 1)) return -3;
    token->at[token->n++] = (char)(class == TEXT_UPPER ? **p + ('a' - 'A') : **p);
  }
  return token->n > 0;
}

/* -------- the table -------- */

/* FNV-1a. */
static uint64_t text_hash(const char *token, size_t n) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)token[i]) * 1099511628211u;
  return h ^ h >> 32;
}

const char *text_bytes(const TextTable *t, size_t i) { return t->bytes.at + t->entry[i].at; }

static size_t text_slot(const TextTable *t, uint64_t hash, const char *token, size_t n) {
  size_t s = hash & (t->slots - 1);
  for (; t->slot[s]; s = (s + 1) & (t->slots - 1)) {
    const TextEntry *e = &t->entry[t->slot[s] - 1];
    if (e->hash == hash && e->length == n && !memcmp(t->bytes.at + e->at, token, n)) break;
  }
  return s;
}

/* Slots twice the entries at least, so that looking for one is short and ends. */
static bool text_slots(TextTable *t, size_t slots) {
  uint32_t *slot = calloc(slots, sizeof *slot);
  if (!slot) return false;
  free(t->slot);
  t->slot = slot;
  t->slots = slots;
  for (size_t i = 0; i < t->n; i++)
    slot[text_slot(t, t->entry[i].hash, text_bytes(t, i), t->entry[i].length)] = (uint32_t)i + 1;
  return true;
}

static bool text_grow(TextTable *t) {
  if (t->n == t->room) {
    size_t room = t->room ? t->room * 2 : 1024;
    TextEntry *entry = realloc(t->entry, room * sizeof *entry);
    if (!entry) return false;
    t->entry = entry;
    t->room = room;
  }
  return t->n * 2 < t->slots || text_slots(t, t->slots ? t->slots * 2 : 2048);
}

ptrdiff_t text_find(TextTable *t, const char *token, size_t length, bool add) {
  if (add && (t->n >= UINT32_MAX - 1 || !text_grow(t))) return -1;
  if (!t->slots) return -1;
  uint64_t hash = text_hash(token, length);
  size_t s = text_slot(t, hash, token, length);
  if (t->slot[s]) return (ptrdiff_t)t->slot[s] - 1;
  if (!add) return -1;
  size_t at = t->bytes.n;
  if (!text_put(&t->bytes, token, length)) return -1;
  t->entry[t->n] = (TextEntry){.at = at, .length = (uint32_t)length, .hash = hash};
  t->slot[s] = (uint32_t)++t->n;
  return (ptrdiff_t)t->n - 1;
}

static int text_before(const void *x, const void *y, void *bytes) {
  const TextEntry *a = x, *b = y;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  const char *base = bytes;
  uint32_t n = a->length < b->length ? a->length : b->length;
  int c = memcmp(base + b->at, base + a->at, n);
  return c ? c : (a->length < b->length) - (a->length > b->length);
}

bool text_keep(TextTable *t, size_t most) {
  if (t->n) qsort_r(t->entry, t->n, sizeof *t->entry, text_before, t->bytes.at);
  if (t->n > most) t->n = most;
  return text_slots(t, t->slots ? t->slots : 2048);
}

void text_free(TextTable *t) {
  free(t->entry);
  free(t->slot);
  free(t->bytes.at);
  *t = (TextTable){0};
}
