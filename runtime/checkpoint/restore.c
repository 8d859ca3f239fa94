/* restore.c: dtrt_restore: matches entries of the files with variables, then verifies checksums,
 * shared among the devices, then every device reads its own boxes. No variable changes before the
 * checksums are verified. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint.h"
#include "element.h"
#include "file_digest.h"
#include "load_map.h"
#include "nan.h"
#include "plural.h"
#include "session.h"
#include "tensor_file.h"
#include "file_jobs.h"

typedef struct RestoreSource { /* of a variable */
  const checkpoint_var *from;  /* NULL: it keeps its value */
  int perm[DTRT_MAX_RANK];
  checkpoint_var view;    /* `from`, where the map gives it other dims, */
  checkpoint_piece whole; /* and its piece */
} RestoreSource;

typedef struct Restore {
  dtrt_session *s;
  const dtrt_program *p;
  const dtrt_restore_options *o;
  checkpoint c;
  load_map map;
  RestoreSource *source; /* [nvars] */
  bool *taken;           /* [c.nvars] */
  FileJobs work;
} Restore;

__attribute__((format(printf, 2, 3))) static void tell(const Restore *r, const char *format, ...) {
  char line[512];
  if (!r->o->tell) return;
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  r->o->tell(r->o->user, line);
}

/* -------- which is which -------- */

static dtrt_status mismatch(const Restore *r, const checkpoint_var *v, const dtrt_tensor *t,
                            const char *why) {
  int64_t shape[DTRT_MAX_RANK];
  char ours[256], theirs[256];
  for (int d = 0; d < t->layout->rank; d++) shape[d] = t->layout->dim[d].n;
  tensor_file_type_text(t->dtype, t->layout->rank, shape, ours, sizeof ours);
  if (v->kind >= 0)
    tensor_file_type_text(v->kind, v->rank, v->shape, theirs, sizeof theirs);
  else
    snprintf(theirs, sizeof theirs, "of a type (%s) or a number of dims that dtg does not support",
             v->foreign);
  return session_error(r->s, DTRT_INVALID, "%s: %s is %s; variable %s is %s%s", r->c.path, v->path,
                       theirs, t->name, ours, why);
}

/* Exactly, or as the map allows. */
static bool fits_type(int kind, int dtype, const load_rule *rule) {
  if (kind == dtype || element_allowed(kind, dtype)) return true;
  return rule && rule->cast && element_is_float(dtype);
}

/* The variable of a file with the dims of the map. They follow each other in memory as the file's
 * do if it is whole; of a block the elements would lie elsewhere. */
static dtrt_status reshape(const Restore *r, const checkpoint_var *v, const load_rule *rule,
                           RestoreSource *s) {
  int64_t count = checkpoint_count(v), given = 1;
  int open = -1;
  if (v->npieces > 1)
    return session_error(r->s, DTRT_INVALID,
                         "%s: %s is in %d piece%s, which the map cannot reshape; `dtgc checkpoint "
                         "reshard` makes one of them",
                         r->c.path, v->path, v->npieces, PLURAL(v->npieces));
  s->view = *v;
  s->view.rank = rule->nshape;
  bool fits = true;
  for (int d = 0; d < rule->nshape; d++) {
    const int64_t n = s->view.shape[d] = rule->shape[d];
    if (n < 0)
      open = d;
    else
      fits &= !__builtin_mul_overflow(given, n, &given);
  }
  if (open >= 0 && (fits &= given > 0)) {
    s->view.shape[open] = count / given;
    given *= count / given;
  }
  if (!fits || given != count)
    return session_error(
        r->s, DTRT_INVALID,
        "%s: %s has %lld element%s, which do not fill the dims of the map's reshape", r->c.path,
        v->path, (long long)count, PLURAL(count));
  for (int d = 0; d < rule->nshape; d++) s->whole.box[d] = (BlockSpan){0, s->view.shape[d]};
  if (v->npieces) {
    s->whole.file = v->piece->file;
    s->whole.entry = v->piece->entry;
    s->view.piece = &s->whole;
  }
  return DTRT_OK;
}

static dtrt_status take(Restore *r, const checkpoint_var *v, int var, const load_rule *rule) {
  const dtrt_tensor *t = &r->p->var[var];
  RestoreSource *s = &r->source[var];
  if (s->from)
    return session_error(r->s, DTRT_INVALID, "%s: both %s and %s are mapped to %s", r->c.path,
                         s->from->path, v->path, t->name);
  if (v->kind < 0) return mismatch(r, v, t, "");
  const bool reshaped = rule && rule->nshape;
  if (reshaped) {
    const dtrt_status status = reshape(r, v, rule, s);
    if (status != DTRT_OK) return status;
    v = &s->view;
  }
  if (v->rank != t->layout->rank) return mismatch(r, v, t, reshaped ? ", reshaped" : "");
  bool turned = rule && rule->transpose;
  if (turned && rule->nperm && rule->nperm != v->rank)
    return mismatch(r, v, t, ": the dims to transpose do not match");
  for (int d = 0; d < v->rank; d++) {
    s->perm[d] = !turned ? d : rule->nperm ? rule->perm[d] : v->rank - 1 - d;
    if (v->shape[s->perm[d]] != t->layout->dim[d].n)
      return mismatch(r, v, t, turned ? ", transposed" : reshaped ? ", reshaped" : "");
  }
  if (!fits_type(v->kind, t->dtype, rule))
    return mismatch(r, v, t, element_is_float(t->dtype) ? " (`cast` in a map rounds)" : "");
  s->from = v;
  return DTRT_OK;
}

static dtrt_status match_all(Restore *r) {
  for (int i = 0; i < r->c.nvars; i++) {
    const load_rule *rule;
    const checkpoint_var *v = &r->c.var[i];
    char *name = load_map_name(&r->map, v->path, &rule);
    if (!name) return session_error(r->s, DTRT_NO_MEMORY, "out of memory");
    bool dropped = rule && !strcmp(rule->ours, "-");
    int var = dropped ? -1 : dtrt_find_var(r->p, name);
    bool wrong = rule && !dropped && var < 0;
    r->taken[i] = dropped || var >= 0;
    dtrt_status status = DTRT_OK;
    if (wrong)
      status = session_error(r->s, DTRT_INVALID,
                             "%s: the map assigns %s from %s, but %s has no such variable",
                             r->c.path, name, v->path, r->p->name);
    free(name);
    if (var >= 0) status = take(r, v, var, rule);
    if (status != DTRT_OK) return status;
  }
  return DTRT_OK;
}

/* What is on one side only, each a line; or all of it as one error. */
static dtrt_status leftovers(const Restore *r) {
  int lacks = 0, extra = 0, unused = 0;
  const char *lack = NULL, *more = NULL, *rule = NULL;
  for (int i = r->p->nvars - 1; i >= 0; i--)
    if (!r->source[i].from) lacks++, lack = r->p->var[i].name;
  for (int i = r->c.nvars - 1; i >= 0; i--)
    if (!r->taken[i]) extra++, more = r->c.var[i].path;
  for (int i = r->map.n - 1; i >= 0; i--)
    if (!r->map.rule[i].used) unused++, rule = r->map.rule[i].theirs;
  if (!lacks && !extra && !unused) return DTRT_OK;
  if (!r->o->partial) {
    char text[512] = "", count[32];
    size_t n = 0;
    const struct {
      int n;
      const char *first, *what;
    } part[] = {{lacks, lack, "no value for variable "},
                {extra, more, "the program has no variable for "},
                {unused, rule, "no tensor matches the map's "}};
    for (int i = 0; i < 3; i++) {
      snprintf(count, sizeof count, " and %d more", part[i].n - 1);
      if (part[i].n && n < sizeof text)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%.100s%s", n ? "; " : "",
                              part[i].what, part[i].first, part[i].n > 1 ? count : "");
    }
    return session_error(r->s, DTRT_INVALID, "%s: %s (a partial load allows it)", r->c.path, text);
  }
  for (int i = 0; i < r->p->nvars; i++)
    if (!r->source[i].from) tell(r, "not in %s: %s keeps its value", r->c.path, r->p->var[i].name);
  for (int i = 0; i < r->c.nvars; i++)
    if (!r->taken[i]) tell(r, "left out: %s of %s", r->c.var[i].path, r->c.path);
  for (int i = 0; i < r->map.n; i++)
    if (!r->map.rule[i].used) tell(r, "no tensor matches the map's %s", r->map.rule[i].theirs);
  return DTRT_OK;
}

/* -------- devices -------- */

static void verify_device(Device *d, void *arg) {
  Restore *r = arg;
  char why[CHECKPOINT_WHY] = "";
  file_jobs_enter(&r->work);
  if (!checkpoint_verify(&r->c, d->id, d->mesh->ndevices, why, sizeof why))
    file_jobs_fail(&r->work, d->id, why);
  file_jobs_leave(&r->work);
}

static bool read_var(checkpoint_reader *reader, const Device *d, const dtrt_tensor *t,
                     const RestoreSource *s) {
  BlockSpan box[DTRT_MAX_RANK];
  int64_t lo[DTRT_MAX_RANK + 1], hi[DTRT_MAX_RANK + 1];
  if (!s->from || !device_writes(d, t) || block_box(d->mesh, t->layout, d->coord, box) == 0)
    return true;
  for (int i = 0; i < t->layout->rank; i++) {
    lo[i] = box[i].lo;
    hi[i] = box[i].hi;
  }
  return checkpoint_read(reader, s->from, s->perm, lo, hi, t->dtype, device_variable(d, t));
}

static void read_device(Device *d, void *arg) {
  Restore *r = arg;
  char why[CHECKPOINT_WHY] = "";
  checkpoint_reader reader;
  file_jobs_enter(&r->work);
  bool good = checkpoint_reader_open(&reader, &r->c, why);
  for (int i = 0; good && i < r->p->nvars; i++)
    good = read_var(&reader, d, &r->p->var[i], &r->source[i]);
  checkpoint_reader_close(&reader);
  if (!good) file_jobs_fail(&r->work, d->id, why);
  file_jobs_leave(&r->work);
}

static dtrt_status on_devices(Restore *r, SessionJob *job) {
  file_jobs_open(&r->work);
  dtrt_status status = session_run(r->s, job, r);
  if (status == DTRT_OK && file_jobs_failed(&r->work))
    status = session_error(r->s, DTRT_FILE, "%s", r->work.why);
  file_jobs_close(&r->work);
  return session_agree(r->s, status);
}

/* -------- all -------- */

/* All ranks must have found the same files. */
static dtrt_status same_files(const Restore *r) {
  uint64_t sum = (uint64_t)r->c.nfiles;
  for (int i = 0; i < r->c.nfiles; i++) {
    sum = sum * 0x9e3779b97f4a7c15u + r->c.file[i].header_crc + (uint64_t)r->c.file[i].size;
    /* The headers of ours have the checksums of all elements. */
    if (!r->c.own && r->s->comm->nranks > 1) sum = sum * 31 + file_digest_path(r->c.file[i].path);
  }
  for (const char *at = r->o->map; at && *at; at++) sum = sum * 31 + (unsigned char)*at;
  if (session_share(r->s, sum) == sum) return DTRT_OK;
  return session_error(
      r->s, DTRT_INVALID,
      "%s: rank 0 sees different contents or another map; all ranks must load the same", r->c.path);
}

static dtrt_status prepare(Restore *r) {
  char why[256];
  if (!load_map_read(&r->map, r->o->map, why, sizeof why))
    return session_error(r->s, DTRT_INVALID, "the map: %s", why);
  r->source = calloc((size_t)r->p->nvars + 1, sizeof *r->source);
  r->taken = calloc((size_t)r->c.nvars + 1, sizeof *r->taken);
  if (!r->source || !r->taken) return session_error(r->s, DTRT_NO_MEMORY, "out of memory");
  dtrt_status status = match_all(r);
  return status == DTRT_OK ? leftovers(r) : status;
}

static dtrt_status restore(Restore *r) {
  dtrt_status status = same_files(r);
  if (status == DTRT_OK) status = prepare(r);
  status = session_agree(r->s, status);
  if (status == DTRT_OK) status = on_devices(r, verify_device);
  if (status != DTRT_OK) return status;
  status = on_devices(r, read_device);
  if (status == DTRT_OK || status == DTRT_FAILED) return status;
  atomic_store(r->s->comm->failed, 1); /* some variables have changed, and some have not */
  r->s->told = true;
  return DTRT_FAILED;
}

dtrt_status dtrt_restore(dtrt_session *s, const char *path, const dtrt_restore_options *o,
                         dtrt_progress *progress) {
  SESSION_USE(s);
  static const dtrt_restore_options none;
  char why[CHECKPOINT_WHY] = "";
  dtrt_status status = session_usable(s);
  if (status != DTRT_OK) return status;
  Restore r = {.s = s, .p = s->program[0].p, .o = o ? o : &none};
  if (!path || !*path) return session_error(s, DTRT_INVALID, "no path to restore from is given");
  bool opened = checkpoint_open(&r.c, path, why, sizeof why);
  if (!opened) status = session_error(s, DTRT_FILE, "%s", why);
  status = session_agree(s, status);
  nan_unsee(s);
  if (status == DTRT_OK) status = restore(&r);
  if (status == DTRT_OK && progress) *progress = r.c.progress;
  free(r.source);
  free(r.taken);
  load_map_free(&r.map);
  if (opened) checkpoint_free(&r.c);
  return status;
}
