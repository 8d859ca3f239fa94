/* Machine files: one `key = value`, `cache LEVEL ...`, `link ...` or `axis NAME ...` per line
 * (docs/machines.md).
 *
 * Invariant: unknown, repeated or impossible entries are errors with their location; only flops,
 * memory_bandwidth and the link of all devices have no defaults. */
#include "machine_reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct MachineKey {
  const char *name;
  Quantity quantity;
  size_t at; /* in a Machine */
  bool required;
} MachineKey;
static const MachineKey keys[] = {
    {"flops", Q_FLOPS, offsetof(Machine, flops), true},
    {"vector_flops", Q_FLOPS, offsetof(Machine, vector_flops), false},
    {"memory_bandwidth", Q_BANDWIDTH, offsetof(Machine, memory_bandwidth), true},
    {"memory", Q_BYTES, offsetof(Machine, memory), false},
    {"start", Q_TIME, offsetof(Machine, start), false},
    {"host_bandwidth", Q_BANDWIDTH, offsetof(Machine, host_bandwidth), false},
    {"call", Q_TIME, offsetof(Machine, call), false},
    {"memory_latency", Q_TIME, offsetof(Machine, memory_latency), false},
    {"vector", Q_PIECE, offsetof(Machine, vector), false},
    {"line", Q_PIECE, offsetof(Machine, line), false},
    {"page", Q_PIECE, offsetof(Machine, page), false},
};
static const Field counts[] = {
    {"cores", Q_COUNT, offsetof(Machine, cores), "64", 1,
     "the number of cores of a host is an integer of at least 1: cores = 64"},
    {"registers", Q_COUNT, offsetof(Machine, registers), "32", 8,
     "the number of registers for vectors is an integer of at least 8: registers = 32"},
    {"streams", Q_COUNT, offsetof(Machine, streams), "16", 4,
     "the number of streams that a core fetches ahead is an integer of at least 4: streams = 16"},
};
enum {
  NKEYS = (int)(sizeof keys / sizeof *keys),
  NCOUNTS = (int)(sizeof counts / sizeof *counts),
  MOST_NAME = 64
};
_Static_assert((int)NKEYS <= (int)MOST_KEYS, "Reader has room for each");
_Static_assert((int)NCOUNTS <= (int)MOST_COUNTS, "Reader has room for each");

/* -------- lines -------- */

static void line_ends(Reader *r) {
  reader_skip_blanks(r);
  if (r->at < r->end) diag_error(r->diag, reader_here(r), "expected the end of the line");
}

static void read_name(Reader *r, Span at) {
  reader_skip_blanks(r);
  uint32_t begin = r->at, n = r->end - r->at;
  if (reader_said_before(r, &r->name_said, at, "`name`")) return;
  for (uint32_t i = begin; i < r->end; i++)
    if (r->text[i] < ' ' || r->text[i] > '~') {
      diag_error(r->diag, (Span){r->file, i, i + 1},
                 "a name consists of printable ASCII characters");
      return;
    }
  if (n == 0 || n > MOST_NAME)
    diag_error(r->diag, n ? (Span){r->file, begin, r->end} : at, "a name has 1 to %d characters",
               MOST_NAME);
  r->m->name = arena_strndup(r->arena, r->text + begin, n);
}

static void read_key(Reader *r, const char *name, Span at) {
  static const char *const names[] = {
      "flops",          "vector_flops", "memory_bandwidth", "memory", "start", "call",
      "memory_latency", "vector",       "registers",        "line",   "page",  "streams",
      "name",           "cores",        "host_bandwidth",   "cache",  "link",  "axis"};
  if (!strcmp(name, "name")) {
    read_name(r, at);
    return;
  }
  for (int i = 0; i < NCOUNTS; i++) {
    if (strcmp(name, counts[i].name) != 0) continue;
    reader_skip_blanks(r);
    int64_t *to = (int64_t *)(void *)((char *)r->m + counts[i].at);
    if (!reader_said_before(r, &r->count_said[i], at, name) && reader_count(r, &counts[i], to))
      line_ends(r);
    return;
  }
  for (int i = 0; i < NKEYS; i++) {
    if (strcmp(name, keys[i].name) != 0) continue;
    if (reader_said_before(r, &r->key_said[i], at, name)) return;
    if (reader_quantity(r, keys[i].quantity, (double *)(void *)((char *)r->m + keys[i].at)))
      line_ends(r);
    return;
  }
  if (!strcmp(name, "link") || !strcmp(name, "axis"))
    diag_error(r->diag, at, "`%s` takes no `=`: %s bandwidth=25GB/s latency=5us", name,
               name[0] == 'l' ? "link" : "axis model");
  else if (!strcmp(name, "cache"))
    diag_error(r->diag, at, "`cache` takes no `=`: cache L2 size=1MiB bandwidth=40GB/s");
  else
    reader_unknown(
        r, at, name, "key", names, (int)(sizeof names / sizeof *names),
        "flops, vector_flops, memory_bandwidth, memory, start, call, memory_latency, vector, "
        "registers, line, page, streams, name, cores, host_bandwidth, cache, link and axis");
}

static const char line_forms[] =
    "a line is `key = value`, `cache LEVEL ...`, `link ...` or `axis NAME ...`";

static void read_line(Reader *r) {
  Span at;
  reader_skip_blanks(r);
  if (r->at == r->end) return;
  const char *name = reader_word(r, &at);
  if (!name) {
    diag_error(r->diag, reader_here(r), "%s", line_forms);
    return;
  }
  if (reader_equals(r))
    read_key(r, name, at);
  else if (!strcmp(name, "link") || !strcmp(name, "axis"))
    read_link(r, name[0] == 'a', at);
  else if (!strcmp(name, "cache"))
    read_cache(r, at);
  else
    diag_error(r->diag, at, "%s", line_forms);
}

/* -------- files -------- */

static void read_lines(Reader *r, const Source *s) {
  uint32_t len = (uint32_t)s->len, at = len >= 3 && !memcmp(s->text, "\xef\xbb\xbf", 3) ? 3 : 0;
  while (at < len) {
    uint32_t next = at;
    while (next < len && s->text[next] != '\n') next++;
    r->at = r->end = at;
    while (r->end < next && s->text[r->end] != '#') r->end++;
    while (r->end > at && (is_blank(s->text[r->end - 1]) || s->text[r->end - 1] == '\r')) r->end--;
    read_line(r);
    at = next + 1;
  }
}

static void check_missing(Reader *r, const Source *s) {
  Span end = {r->file, (uint32_t)s->len, (uint32_t)s->len};
  for (int i = 0; i < NKEYS; i++)
    if (keys[i].required && !r->key_said[i].file)
      diag_error(r->diag, end, "`%s = %s` is missing: every machine file requires it", keys[i].name,
                 reader_units[keys[i].quantity].example);
  for (int i = 0; i < r->m->nlinks; i++)
    if (!r->m->link[i].axis && !r->m->link[i].devices) return;
  diag_error(r->diag, end,
             "the link of all devices is missing: a line `link bandwidth=25GB/s latency=5us`, "
             "without devices");
}

/* "machines/dgx.machine" is called "dgx". */
static const char *stem_of(Arena *a, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  size_t n = strlen(base);
  if (reader_ends_in(base, n, ".machine", false) && n > 8) n -= 8;
  if (n > MOST_NAME) n = MOST_NAME;
  char *name = arena_strndup(a, n ? base : "machine", n ? n : 7);
  for (char *c = name; *c; c++)
    if (!is_letter(*c) && !is_digit(*c) && !strchr("-.+", *c)) *c = '-';
  return name;
}

const Machine *machine_read(Arena *a, Diag *diag, uint32_t source) {
  const Source *s = diag_source(diag, source);
  int before = diag->errors;
  Machine *m = arena_new_of(a, Machine);
  m->call = m->memory_latency = -1;
  Reader r = {.arena = a, .diag = diag, .file = source, .text = s->text, .m = m};
  read_lines(&r, s);
  if (diag->errors == before) check_missing(&r, s);
  if (diag->errors == before) check_caches(&r);
  if (diag->errors != before) return NULL;
  if (!m->name) m->name = stem_of(a, s->name);
  machine_complete(m);
  if (m->vector_flops == 0) m->vector_flops = fmax(m->flops / 8, reader_units[Q_FLOPS].least);
  return m;
}
