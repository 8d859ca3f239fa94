/* machine_reader.c: words, numbers and units of a machine file; see machine_reader.h.
 *
 * Invariant: the number in the file is the number that is used. Digits and unit prefix form one
 * decimal text, which is rounded once; so 1.555 TB/s and 1555 GB/s are the same bits. */
#include "machine_reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const Unit reader_units[] = {
    [Q_FLOPS] = {"a rate of computation", "312 Tflop/s", "flop/s with k, M, G, T, P or E before it",
                 1e3, 1e21, "1 kflop/s to 1000 Eflop/s"},
    [Q_BANDWIDTH] =
        {"a bandwidth", "300 GB/s",
         "B/s (bytes) and b/s (bits), with k, M, G, T, P, E or Ki, Mi, Gi, Ti before it", 1e3, 1e18,
         "1 kB/s to 1 EB/s"},
    [Q_BYTES] = {"a size of memory", "40 GB", "B with k, M, G, T, P, E or Ki, Mi, Gi, Ti before it",
                 1e3, 1e18, "1 kB to 1 EB"},
    [Q_CACHE] = {"a size of a cache", "1 MiB",
                 "B with k, M, G, T, P, E or Ki, Mi, Gi, Ti before it", 64, 1e18, "64 B to 1 EB"},
    [Q_PIECE] = {"a size of a vector, a line or a page", "64 B",
                 "B with k, M, G, T, P, E or Ki, Mi, Gi, Ti before it", 16, 1 << 30,
                 "16 B to 1 GiB"},
    [Q_TIME] = {"a time", "5 us", "s, ms, us (or µs) and ns", 1e-12, 1, "0, or 1 ps to 1 s"},
};

enum { MOST_DIGITS = 60 };
static const int64_t most_devices = INT64_C(1) << 40;

/* -------- words of a line -------- */

char reader_peek(const Reader *r) { return r->at < r->end ? r->text[r->at] : 0; }

void reader_skip_blanks(Reader *r) {
  while (r->at < r->end && is_blank(r->text[r->at])) r->at++;
}

static Span span_from(const Reader *r, uint32_t begin) { return (Span){r->file, begin, r->at}; }

/* What stands at the reader up to the next blank, for a message. */
Span reader_here(const Reader *r) {
  uint32_t e = r->at;
  while (e < r->end && !is_blank(r->text[e])) e++;
  return (Span){r->file, r->at, e > r->at ? e : r->at + 1};
}

/* A name; NULL when there is none. */
const char *reader_word(Reader *r, Span *at) {
  reader_skip_blanks(r);
  uint32_t begin = r->at;
  if (!is_letter(reader_peek(r))) return NULL;
  while (is_letter(reader_peek(r)) || is_digit(reader_peek(r))) r->at++;
  *at = span_from(r, begin);
  return arena_strndup(r->arena, r->text + begin, r->at - begin);
}

bool reader_equals(Reader *r) {
  reader_skip_blanks(r);
  if (reader_peek(r) != '=') return false;
  r->at++;
  return true;
}

bool reader_said_before(Reader *r, Span *said, Span now, const char *what) {
  if (!said->file) {
    *said = now;
    return false;
  }
  diag_error(r->diag, now, "%s is given twice", what);
  diag_note(r->diag, *said, "the first is here");
  return true;
}

/* -------- numbers with units -------- */

typedef struct MachineNumber {
  char digits[MOST_DIGITS + 1]; /* without the point */
  int n;
  int64_t exponent;
  bool negative;
} MachineNumber;

static void take_digits(Reader *r, MachineNumber *x, bool fraction, bool *too_long) {
  for (; is_digit(reader_peek(r)); r->at++) {
    if (x->n == MOST_DIGITS)
      *too_long = true;
    else
      x->digits[x->n++] = reader_peek(r), x->exponent -= fraction;
  }
}

/* [+-] digits [. digits] [e [+-] digits]; an E that no digit follows is the prefix exa. */
static bool take_number(Reader *r, MachineNumber *x) {
  bool too_long = false;
  *x = (MachineNumber){0};
  if (reader_peek(r) == '-' || reader_peek(r) == '+') x->negative = r->text[r->at++] == '-';
  take_digits(r, x, false, &too_long);
  if (reader_peek(r) == '.') {
    r->at++;
    take_digits(r, x, true, &too_long);
  }
  if (x->n == 0 || too_long) return false;
  uint32_t back = r->at;
  if (reader_peek(r) != 'e' && reader_peek(r) != 'E') return true;
  r->at++;
  bool minus = reader_peek(r) == '-';
  if (minus || reader_peek(r) == '+') r->at++;
  if (!is_digit(reader_peek(r))) {
    r->at = back;
    return true;
  }
  int64_t e = 0;
  for (; is_digit(reader_peek(r)); r->at++)
    if (e < 100000) e = 10 * e + (reader_peek(r) - '0');
  x->exponent += minus ? -e : e;
  return true;
}

/* The power of ten, and of two, of what stands before the unit. */
static bool prefix_of(const char *s, size_t n, bool binary, int *ten, int *two) {
  static const char big[] = "kMGTPE";
  *ten = *two = 0;
  if (n == 0) return true;
  const char *p = strchr(big, s[0] == 'K' ? 'k' : s[0]);
  if (!s[0] || !p || n > 2 || (n == 2 && (!binary || s[1] != 'i'))) return false;
  int steps = (int)(p - big) + 1;
  *ten = n == 1 ? 3 * steps : 0;
  *two = n == 2 ? 10 * steps : 0;
  return true;
}

bool reader_ends_in(const char *s, size_t n, const char *tail, bool any_case) {
  size_t k = strlen(tail);
  if (n < k) return false;
  return any_case ? !strncasecmp(s + n - k, tail, k) : !memcmp(s + n - k, tail, k);
}

static bool time_unit(const char *s, size_t n, int *ten) {
  static const struct {
    const char *name;
    int ten;
  } names[] = {{"s", 0},          {"ms", -3}, {"us", -6}, {"\xc2\xb5s", -6},
               {"\xce\xbcs", -6}, {"ns", -9}, {"ps", -12}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i].name) == n && !memcmp(names[i].name, s, n)) {
      *ten = names[i].ten;
      return true;
    }
  return false;
}

/* The factor of a unit is 10^ten * 2^two. */
static bool unit_of(Quantity q, const char *s, size_t n, int *ten, int *two) {
  static const struct {
    Quantity q;
    const char *tail;
    bool any_case;
    int two;
  } tails[] = {{Q_FLOPS, "flop/s", true, 0},       {Q_FLOPS, "flops/s", true, 0},
               {Q_FLOPS, "flops", true, 0},        {Q_BANDWIDTH, "B/s", false, 0},
               {Q_BANDWIDTH, "Bps", false, 0},     {Q_BANDWIDTH, "b/s", false, -3},
               {Q_BANDWIDTH, "bps", false, -3},    {Q_BANDWIDTH, "bit/s", false, -3},
               {Q_BANDWIDTH, "bits/s", false, -3}, {Q_BYTES, "B", false, 0},
               {Q_CACHE, "B", false, 0},           {Q_PIECE, "B", false, 0}};
  *two = 0;
  if (q == Q_TIME) return time_unit(s, n, ten);
  for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
    if (tails[i].q != q || !reader_ends_in(s, n, tails[i].tail, tails[i].any_case)) continue;
    if (!prefix_of(s, n - strlen(tails[i].tail), q != Q_FLOPS, ten, two)) continue;
    *two += tails[i].two;
    return true;
  }
  return false;
}

/* The word after a number, unless a `=` follows it: then it is the next key of the line. */
static bool unit_word(Reader *r, Span *at) {
  uint32_t back = r->at;
  reader_skip_blanks(r);
  uint32_t begin = r->at;
  while (r->at < r->end && !is_blank(reader_peek(r)) && reader_peek(r) != '=') r->at++;
  *at = span_from(r, begin);
  uint32_t end = r->at;
  bool next_key = reader_equals(r);
  r->at = next_key ? back : end;
  return !next_key && end > begin;
}

static bool check_range(Reader *r, Span at, Quantity q, double v, bool has_unit) {
  const Unit *u = &reader_units[q];
  if (v >= u->least && v <= u->most) return true;
  if (q == Q_TIME && v == 0) return true;
  if (v < 0 || v == 0)
    diag_error(r->diag, at, "%s is %s", u->what, q == Q_TIME ? "not negative" : "above 0");
  else if (!has_unit)
    diag_error(r->diag, at, "%s is out of range: it is %s; is a unit missing, as in %s?", u->what,
               u->range, u->example);
  else
    diag_error(r->diag, at, "%s is out of range: it is %s", u->what, u->range);
  return false;
}

/* Reads `300 GB/s`; a number without a unit is in flop/s, B/s, B or s. */
bool reader_quantity(Reader *r, Quantity q, double *out) {
  reader_skip_blanks(r);
  uint32_t begin = r->at;
  Span all = reader_here(r), unit;
  MachineNumber x;
  if (!take_number(r, &x)) {
    diag_error(r->diag, all, "%s is a number of at most %d digits and a unit, like %s",
               reader_units[q].what, MOST_DIGITS, reader_units[q].example);
    return false;
  }
  int ten = 0, two = 0;
  Span number = span_from(r, begin);
  bool has_unit = unit_word(r, &unit);
  if (has_unit && !unit_of(q, r->text + unit.begin, unit.end - unit.begin, &ten, &two)) {
    diag_error(r->diag, unit, "invalid unit of %s: expected %s", reader_units[q].what,
               reader_units[q].units);
    return false;
  }
  char text[MOST_DIGITS + 32];
  snprintf(text, sizeof text, "%se%lld", x.digits, (long long)(x.exponent + ten));
  *out = ldexp(strtod(text, NULL), two) * (x.negative ? -1 : 1);
  const Span at = has_unit ? span_join(number, unit) : number;
  if (!check_range(r, at, q, *out, has_unit)) return false;
  const bool whole = q != Q_PIECE || ((int64_t)*out & ((int64_t)*out - 1)) == 0;
  if (!whole || (q == Q_PIECE && *out != (double)(int64_t)*out)) {
    diag_error(r->diag, at, "%s is a power of two, like %s", reader_units[q].what,
               reader_units[q].example);
    return false;
  }
  return true;
}

bool reader_count(Reader *r, const Field *f, int64_t *out) {
  reader_skip_blanks(r);
  Span at = reader_here(r);
  MachineNumber x;
  int64_t n = 0;
  bool whole = take_number(r, &x) && r->at == at.end && x.exponent == 0 && !x.negative;
  for (int i = 0; whole && i < x.n; i++) n = n > most_devices ? n : 10 * n + (x.digits[i] - '0');
  if (!whole || n < f->least || n > most_devices) {
    diag_error(r->diag, at, "%s", f->wrong);
    return false;
  }
  *out = n;
  return true;
}

/* -------- names -------- */

static const char *nearest(const char *typed, const char *const *names, int n) {
  const char *near = NULL;
  int least = 4;
  for (int i = 0; i < n; i++) {
    int d = str_distance(typed, names[i], least);
    if (d < least && d < (int)strlen(names[i])) least = d, near = names[i];
  }
  return near;
}

void reader_unknown(Reader *r, Span at, const char *typed, const char *what,
                    const char *const *names, int n, const char *list) {
  const char *near = nearest(typed, names, n);
  if (near)
    diag_error(r->diag, at, "unknown %s `%.40s`: do you mean `%s`?", what, typed, near);
  else
    diag_error(r->diag, at, "unknown %s `%.40s`; there are %s", what, typed, list);
}
