#include "diag.h"
#include <string.h>

void diag_init(Diag *d, Arena *a, MessageFn *fn, void *user) {
  *d = (Diag){.arena = a, .fn = fn, .user = user, .most_errors = 20};
}

uint32_t diag_add_source(Diag *d, const char *name, const char *text, size_t len) {
  Source s = {arena_strdup(d->arena, name), arena_strndup(d->arena, text, len), len};
  vec_push(d->arena, &d->sources, s);
  return (uint32_t)d->sources.n;
}

const Source *diag_source(const Diag *d, uint32_t file) {
  return file && (int)file <= d->sources.n ? &d->sources.at[file - 1] : NULL;
}

void diag_locate(const Diag *d, Span at, int *line, int *column) {
  const Source *s = diag_source(d, at.file);
  *line = *column = 1;
  if (!s) return;
  const char *begin = s->text, *end = begin + (at.begin < s->len ? at.begin : s->len);
  for (const char *n; (n = memchr(begin, '\n', (size_t)(end - begin))); begin = n + 1) ++*line;
  *column += (int)(end - begin);
}

bool diag_in_library(const Diag *d, Span at) {
  const Source *s = diag_source(d, at.file);
  return !s || !strncmp(s->name, "dtg/", 4);
}

const char *diag_where(const Diag *d, Arena *a, Span at) {
  const Source *s = diag_source(d, at.file);
  if (!s) return "";
  int line, column;
  diag_locate(d, at, &line, &column);
  return arena_printf(a, "%s:%d", s->name, line);
}

Span span_join(Span a, Span b) {
  if (!a.file) return b;
  if (!b.file || a.file != b.file) return a;
  return (Span){a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

/* The line of the span's beginning and a caret line under the part of the span on that line. */
static void show_line(Str *out, const Source *s, Span at, int line) {
  uint32_t b = at.begin > s->len ? (uint32_t)s->len : at.begin;
  uint32_t first = b, last = b;
  while (first > 0 && s->text[first - 1] != '\n') first--;
  while (last < s->len && s->text[last] != '\n') last++;
  if (last > b && s->text[last - 1] == '\r') last--; /* the line ends as on Windows */
  /* A very long line is shown in part, around the caret. */
  uint32_t from = b - first > 120 ? b - 60 : first, to = last - from > 200 ? from + 200 : last;
  str_printf(out, "%5d | ", line);
  for (uint32_t i = from; i < to; i++) {
    unsigned char c = (unsigned char)s->text[i];
    char shown = (char)(c < 32 || c == 127 ? (c == '\t' ? '\t' : '?') : c);
    str_put(out, &shown, 1);
  }
  str_puts(out, "\n      | ");
  for (uint32_t i = from; i < b; i++)
    /* A byte that continues a UTF-8 character has no width of its own. */
    if ((s->text[i] & 0xc0) != 0x80) str_puts(out, s->text[i] == '\t' ? "\t" : " ");
  str_puts(out, "^");
  for (uint32_t i = b + 1; i < at.end && i < to; i++)
    if ((s->text[i] & 0xc0) != 0x80) str_puts(out, "~");
  str_puts(out, "\n");
}

static const char *const severity_word[] = {"error", "warning", "note"};

const char *diag_render(const Diag *d, Arena *a, Severity sev, Span at, const char *text) {
  const Source *s = diag_source(d, at.file);
  Str out = str_new(a);
  int line, column;
  if (!s) {
    str_printf(&out, "dtgc: %s: %s\n", severity_word[sev], text);
    return out.at;
  }
  diag_locate(d, at, &line, &column);
  str_printf(&out, "%s:%d:%d: %s: %s\n", s->name, line, column, severity_word[sev], text);
  show_line(&out, s, at, line);
  return out.at;
}

/* Of the place and the text, but for shapes and numbers: a loop over sizes is wrong once. */
static uint64_t key_of(Span at, const char *text) {
  uint64_t key = at.file * 1000003ull + at.begin;
  while (*text) {
    const size_t n = strcspn(text, "[0123456789");
    key = hash_bytes(text, n, key);
    text += n;
    if (*text == '[') text += strcspn(text, "]");
    if (*text) text++;
  }
  return key;
}

static void show(Diag *d, Severity sev, Span at, bool of_first, const char *text) {
  const Source *s = diag_source(d, at.file);
  Message m = {.severity = sev,
               .text = text,
               .rendered = diag_render(d, d->arena, sev, at, text),
               .of_first = of_first};
  if (s) m.file = s->name, diag_locate(d, at, &m.line, &m.column);
  if (d->fn) d->fn(d->user, &m);
}

static void report(Diag *d, Severity sev, Span at, int before, const char *fmt, va_list ap) {
  Arena *a = d->arena;
  const char *text = arena_vprintf(a, fmt, ap);
  const Span library = at;
  const bool at_call = sev == SEV_ERROR && d->call.at.file && at.file && diag_in_library(d, at);
  if (at_call) at = d->call.at, text = arena_printf(a, "in %s: %s", d->call.callee, text);
  if (sev == SEV_NOTE) {
    /* The last error may be one that is not shown, others since `before` are. */
    if (before < 0 ? d->muted : before >= d->most_errors) return;
  } else {
    const uint64_t key = key_of(at, text);
    d->raised += sev == SEV_ERROR;
    d->muted = false;
    for (int i = 0; i < d->seen.n; i++)
      if (d->seen.at[i] == key) d->muted = true;
    if (sev == SEV_ERROR && !d->muted) d->errors++, d->at_calls += at_call;
    if (sev == SEV_WARNING && !d->muted) d->warnings++;
    if (d->errors > d->most_errors) d->muted = true;
    if (d->muted) return;
    vec_push(a, &d->seen, key);
  }
  show(d, sev, at, before == 0, text);
  if (at_call) show(d, SEV_NOTE, library, false, "the library's line");
}

#define DIAG(name, sev)                                                                            \
  void name(Diag *d, Span at, const char *fmt, ...) {                                              \
    va_list ap;                                                                                    \
    va_start(ap, fmt);                                                                             \
    report(d, sev, at, -1, fmt, ap);                                                                 \
    va_end(ap);                                                                                    \
  }
DIAG(diag_error, SEV_ERROR)
DIAG(diag_warning, SEV_WARNING)
DIAG(diag_note, SEV_NOTE)

void diag_note_since(Diag *d, Span at, int before, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  report(d, SEV_NOTE, at, before, fmt, ap);
  va_end(ap);
}

typedef struct Holding {
  Arena *arena;
  Withheld *held;
} Holding;

static void hold(void *user, const Message *m) {
  const Holding *h = user;
  vec_push(h->arena, &h->held->message, *m);
}

void diag_hold(Diag *d, Withheld *h) {
  Holding *user = arena_new_of(d->arena, Holding);
  *h = (Withheld){.fn = d->fn,
              .user = d->user,
              .errors = d->errors,
              .warnings = d->warnings,
              .at_calls = d->at_calls,
              .muted = d->muted,
              .nseen = d->seen.n};
  *user = (Holding){d->arena, h};
  d->fn = hold, d->user = user;
}

void diag_take(Diag *d, Withheld *h) {
  const int errors = d->errors - h->errors, warnings = d->warnings - h->warnings,
            at_calls = d->at_calls - h->at_calls;
  const bool muted = d->muted;
  for (int i = h->nseen; i < d->seen.n; i++) vec_push(d->arena, &h->seen, d->seen.at[i]);
  d->fn = h->fn, d->user = h->user;
  d->errors = h->errors, d->warnings = h->warnings, d->at_calls = h->at_calls;
  d->muted = h->muted, d->seen.n = h->nseen;
  h->errors = errors, h->warnings = warnings, h->at_calls = at_calls, h->muted = muted;
}

void diag_show(Diag *d, const Withheld *h) {
  d->errors += h->errors, d->warnings += h->warnings, d->at_calls += h->at_calls;
  if (h->message.n || h->errors) d->muted = h->muted;
  for (int i = 0; i < h->seen.n; i++) vec_push(d->arena, &d->seen, h->seen.at[i]);
  for (int i = 0; i < h->message.n && d->fn; i++) d->fn(d->user, &h->message.at[i]);
}
