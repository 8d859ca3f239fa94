/* Finds the object of a program in the cache before any pass has run, by its inputs: the texts as
 * the front end read them, the options, the compiler and the machine. Invariant: everything that
 * can change the emitted C or the object is in the key. Warnings of passes are not, so an object
 * is stored only if the passes had none.
 *
 * The passes of a program that is found run when its plan is requested (program_plan). */
#include "program.h"
#include <stdlib.h>
#include <string.h>

static void add_number(CacheKey *k, int64_t n) { cache_key_add(k, &n, sizeof n); }

static void add_bytes(CacheKey *k, const char *text, size_t n) {
  add_number(k, text ? (int64_t)n : -1);
  if (text) cache_key_add(k, text, n);
}

static void add_text(CacheKey *k, const char *text) { add_bytes(k, text, text ? strlen(text) : 0); }

static void add_texts(CacheKey *k, const char *const *text, int n) {
  add_number(k, n);
  for (int i = 0; i < n; i++) add_text(k, text[i]);
}

/* The host's own, imported ones, and the machine's file, by the names that messages and #line have
 * for them. */
static void add_sources(CacheKey *k, const dtgc_program *p) {
  add_number(k, p->front.nsources);
  Str machine = str_new(p->arena); /* with the properties of this computer */
  machine_put(&machine, p->machine);
  add_bytes(k, machine.at, machine.n);
  for (int i = 0; i < p->diag.sources.n; i++) {
    const Source *s = &p->diag.sources.at[i];
    add_text(k, s->name);
    add_bytes(k, s->text, s->len);
  }
}

static bool make_key(dtgc_program *p, CacheKey *k) {
  const FrontOptions *f = &p->front;
  *k = (CacheKey){0};
  if (!jit_build_id(k) || !jit_key_options(k, &p->jit)) return false;
  add_sources(k, p);
  add_texts(k, f->define, f->ndefines);
  add_texts(k, f->layout, f->nlayouts);
  add_texts(k, f->import_dir, f->nimport_dirs);
  add_text(k, f->mesh);
  add_text(k, f->precision);
  add_number(k, f->strict_layouts);
  add_number(k, (int64_t)p->given.memory);
  add_number(k, p->single);
  add_number(k, p->observe);
  add_number(k, p->disabled.passes);
  add_number(k, p->disabled.features);
  add_number(k, p->given.repeat_saves);
  add_number(k, p->given.drop_exchange);
  add_text(k, p->given.sums);
  return true;
}

bool program_alone(const dtgc_program *p) {
  if (p->apart) return true;
  if (p->transport && strcmp(p->transport, "mpi") != 0) return true;
  return !p->jit.mpi_comm && dtrt_launch_size() <= 1;
}

/* Objects are executed: what somebody else could have put there is not. */
static void check_cache(dtgc_program *p, bool variant) {
  char *why = p->jit.cache ? cache_refused(p->jit.cache, p->jit.cache_named) : NULL;
  if (!why) return;
  if (!variant) diag_warning(&p->diag, (Span){0}, "%s", why);
  p->jit.cache = NULL;
  free(why);
}

dtgc_status recall_object(dtgc_program *p, const dtgc_options *o, bool *found) {
  CacheFound how = CACHE_NONE;
  char *error = NULL;
  *found = false;
  check_cache(p, o->variant_of);
  /* A variant has its base's layouts, whose plan it needs while there is a base. Ranks compile
   * together, and ask together: where a call follows for which all come. */
  if (o->variant_of) return DTGC_OK;
  const bool alone = program_alone(p);
  if (!alone && !o->will_load) return DTGC_OK;
  p->has_key = p->jit.cache && make_key(p, &p->key);
  const CacheKey *key = p->has_key ? &p->key : NULL;
  if (!alone &&
      !jit_recall_together(p->jit.cache, key, p->jit.mpi_comm, &how, &p->object, &p->apart, &error))
    return program_fail_with(p, DTGC_SYSTEM, error);
  if (alone && key) how = jit_recall(p->jit.cache, key, &p->object);
  if (how == CACHE_UNTRUSTED)
    diag_warning(&p->diag, (Span){0},
                 "an object in the cache was not used: another user could have written it");
  *found = how == CACHE_FOUND;
  char *why = !*found && key && p->jit.cache_named ? cache_unwritable(p->jit.cache) : NULL;
  if (why) diag_warning(&p->diag, (Span){0}, "%s", why);
  free(why);
  return DTGC_OK;
}
