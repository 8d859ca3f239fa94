/* environment.h. $DTGC_FLAGS consists of words of the form --name=value, --no-lines, -O0 to -O3. */
#include "environment.h"
#include "program.h"
#include <stdlib.h>
#include <string.h>

/* -------- folders and tools -------- */

/* The XDG specification requires that relative paths are ignored. */
const char *environment_cache(Arena *a, bool *named) {
  const char *own = getenv("DTGC_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  *named = own && *own;
  if (*named) return !strcmp(own, "off") || !strcmp(own, "0") ? NULL : arena_strdup(a, own);
  if (xdg && *xdg == '/') return arena_printf(a, "%s/dtgc", xdg);
  if (home && *home == '/') return arena_printf(a, "%s/.cache/dtgc", home);
  return NULL;
}

LinkTools environment_tools(void) {
  return (LinkTools){.path = getenv("PATH"),
                     .tmp = getenv("TMPDIR"),
                     .cc = getenv("CC"),
                     .flags = getenv("CFLAGS")};
}

/* -------- flags -------- */

/* Of $DTGC_FLAGS; in arena memory. */
typedef struct Flags {
  const char *disable, *optimize, *machine, *loader;
  int repeat_saves, drop_exchange, no_lines;
} Flags;

static bool take_number(const char *text, int *out) {
  char *end;
  long n = strtol(text, &end, 10);
  if (end == text || *end || n < 1 || n > 1 << 30) return false;
  *out = (int)n;
  return true;
}

/* The value of `word` if it is `name`=value, else NULL. */
static const char *value_of(const char *word, const char *name) {
  size_t n = strlen(name);
  return !strncmp(word, name, n) && word[n] == '=' && word[n + 1] ? word + n + 1 : NULL;
}

static bool take(Arena *a, Flags *f, const char *word) {
  const char *v;
  if (!strncmp(word, "-O", 2)) return f->optimize = word + 2, true;
  if (!strcmp(word, "--no-lines")) return f->no_lines = 1, true;
  if ((v = value_of(word, "--machine"))) return f->machine = v, true;
  if ((v = value_of(word, "--loader"))) return f->loader = v, true;
  if ((v = value_of(word, "--repeat-saves"))) return take_number(v, &f->repeat_saves);
  if ((v = value_of(word, "--drop-exchange"))) return take_number(v, &f->drop_exchange);
  if (!(v = value_of(word, "--disable"))) return false;
  f->disable = f->disable ? arena_printf(a, "%s,%s", f->disable, v) : v;
  return true;
}

/* The word that is none of them, or NULL. */
static const char *read_flags(Arena *a, const char *text, Flags *out) {
  *out = (Flags){0};
  while (text && *text) {
    size_t n = strcspn(text, " ");
    const char *word = arena_strndup(a, text, n);
    if (n && !take(a, out, word)) return word;
    text += n + strspn(text + n, " ");
  }
  return NULL;
}

static void join_disabled(Arena *a, dtgc_options *o, const char *more) {
  const char **all = arena_array(a, const char *, o->ndisables + 1);
  for (int i = 0; i < o->ndisables; i++) all[i] = o->disable[i];
  all[o->ndisables++] = more;
  o->disable = all;
}

dtgc_status environment_options(dtgc_program *p, const dtgc_options *o, dtgc_options *out) {
  Flags f;
  const char *wrong = read_flags(p->arena, getenv("DTGC_FLAGS"), &f);
  *out = o ? *o : (dtgc_options){0};
  if (wrong)
    return program_fail(p, DTGC_BAD_ARGUMENT,
                        "`%s` in the environment variable DTGC_FLAGS is not one of "
                        "--disable=NAME,... -O0 to -O3 --no-lines --machine=FILE --loader=KIND "
                        "--repeat-saves=N --drop-exchange=N",
                        wrong);
  if (f.disable && (!out->ndisables || out->disable)) join_disabled(p->arena, out, f.disable);
  if (!out->optimize) out->optimize = f.optimize;
  if (!out->no_lines) out->no_lines = f.no_lines;
  if (!out->loader) out->loader = f.loader;
  if (!out->repeat_saves) out->repeat_saves = f.repeat_saves;
  if (!out->drop_exchange) out->drop_exchange = f.drop_exchange;
  if (!f.machine || out->machine) return DTGC_OK;
  dtgc_source *machine = arena_array(p->arena, dtgc_source, 1);
  *machine = (dtgc_source){.name = f.machine};
  out->machine = machine;
  return DTGC_OK;
}
