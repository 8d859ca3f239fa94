/* Shared by the files that read a machine file: machine_reader.c reads its words and numbers,
 * machine_lines.c its links and caches, machine_read.c its keys and the file as a whole. */
#ifndef DTG_MACHINE_READER_H
#define DTG_MACHINE_READER_H
#include "machine.h"

typedef enum Quantity {
  Q_FLOPS,
  Q_BANDWIDTH,
  Q_BYTES,
  Q_CACHE,
  Q_PIECE,
  Q_TIME,
  Q_COUNT,
  Q_BY
} Quantity;

typedef struct Unit {
  const char *what, *example, *units;
  double least, most; /* beyond these somebody forgot a unit */
  const char *range;
} Unit;
extern const Unit reader_units[]; /* by Quantity */

enum { MOST_KEYS = 12, MOST_COUNTS = 3 };
typedef struct Reader {
  Arena *arena;
  Diag *diag;
  uint32_t file;
  const char *text;
  uint32_t at, end; /* of the current line, without its comment and blanks at the end */
  Machine *m;
  Span name_said, key_said[MOST_KEYS], count_said[MOST_COUNTS], link_said[MAX_LINKS],
      cache_said[CACHE_LEVELS];
} Reader;

/* What `name=` is followed by, and where it goes. */
typedef struct Field {
  const char *name;
  Quantity quantity; /* Q_COUNT: an integer, which is an int64_t; Q_BY: a LinkBy */
  size_t at;
  const char *example;
  int64_t least;     /* of a count */
  const char *wrong; /* what a count is */
} Field;
enum { MOST_FIELDS = 5 };
typedef struct Fields {
  const Field field[MOST_FIELDS];
  int n;
  const char *what, *list, *example;
} Fields;

static inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool reader_ends_in(const char *s, size_t n, const char *tail, bool any_case);
char reader_peek(const Reader *r); /* 0: the line ends */
void reader_skip_blanks(Reader *r);
/* What stands at the reader up to the next blank, for a message. */
Span reader_here(const Reader *r);
/* A name; NULL when there is none. */
const char *reader_word(Reader *r, Span *at);
bool reader_equals(Reader *r);
/* An error when something was given before; else records where. */
bool reader_said_before(Reader *r, Span *said, Span now, const char *what);
/* Reads `300 GB/s`; a number without a unit is in flop/s, B/s, B or s. */
bool reader_quantity(Reader *r, Quantity q, double *out);
bool reader_count(Reader *r, const Field *f, int64_t *out);
/* The error that there is no such word, with the nearest. */
void reader_unknown(Reader *r, Span at, const char *typed, const char *what,
                    const char *const *names, int n, const char *list);

/* machine_lines.c: what comes after `link`, `axis` and `cache`. */
void read_link(Reader *r, bool of_axis, Span at);
void read_cache(Reader *r, Span at);
void check_caches(Reader *r); /* after the last line: caches that no machine has */

#endif
