/* See pattern.h. A pattern that takes too long is reported, and matches: nothing more is said of
 * it.
 */
#include "pattern.h"
#include <string.h>

static void *pcre_alloc(PCRE2_SIZE n, void *arena) { return arena_alloc(arena, n); }
static void pcre_free(void *at, void *arena) { (void)at, (void)arena; }

bool pattern_compile(Elab *e, const char *text, Span at, Pattern *out) {
  pcre2_general_context *g = pcre2_general_context_create(pcre_alloc, pcre_free, e->arena);
  pcre2_compile_context *c = pcre2_compile_context_create(g);
  int error;
  PCRE2_SIZE where;
  *out = (Pattern){.text = text, .span = at};
  out->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                            PCRE2_ANCHORED | PCRE2_ENDANCHORED, &error, &where, c);
  if (!out->code) {
    PCRE2_UCHAR why[160];
    pcre2_get_error_message(error, why, sizeof why);
    elab_fail(e, at, "invalid pattern \"%s\" at character %zu: %s", text, where + 1, (char *)why);
    return false;
  }
  out->match = pcre2_match_data_create_from_pattern(out->code, g);
  out->context = pcre2_match_context_create(g);
  pcre2_set_match_limit(out->context, 1000000);
  pcre2_set_depth_limit(out->context, 10000);
  return true;
}

bool pattern_matches(Elab *e, const Pattern *p, const char *path) {
  int r = pcre2_match(p->code, (PCRE2_SPTR)path, strlen(path), 0, 0, p->match, p->context);
  if (r < 0 && r != PCRE2_ERROR_NOMATCH)
    elab_fail(e, p->span, "the pattern \"%s\" takes too long to match `%s`", p->text, path);
  return r >= 0;
}

/* "model.blocks.up.w" as "model.blocks[i].up.w"; NULL: it is in no stack. */
static const char *layer_path(Elab *e, const char *path, int64_t i) {
  const char *done = NULL;
  size_t before = 0;
  for (int k = 0; k < e->stacks.n; k++) {
    const Stack *s = e->stacks.at[k];
    const size_t n = strlen(s->path);
    if (!path_below(path, s->path) || path[n] == '[') continue;
    const int64_t at = i < 0 ? s->n - 1 : i;
    done = arena_printf(e->arena, "%s%.*s[%ld]", done ? done : "", (int)(n - before), path + before,
                        (long)at);
    before = n;
  }
  return done ? arena_printf(e->arena, "%s%s", done, path + before) : NULL;
}

bool pattern_names(Elab *e, const Pattern *p, const char *path) {
  if (pattern_matches(e, p, path)) return true;
  const char *first = e->stacks.n ? layer_path(e, path, 0) : NULL;
  if (!first) return false;
  const bool is = pattern_matches(e, p, first);
  if (is != pattern_matches(e, p, layer_path(e, path, -1)))
    elab_fail(e, p->span,
              "the pattern \"%s\" matches some layers of the stack that `%s` is in and others not: "
              "they are one loop, and alike",
              p->text, path);
  return is;
}
