/* restore.c: dtrt_restore: matches entries of the files with variables, then verifies checksums,
 * shared among the devices, then every device reads its own boxes. No variable changes before the
 * checksums are verified. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "element.h"
#include "file_digest.h"
#include "nan.h"
#include "restore.h"

/* -------- devices -------- */

static void verify_device(Device *d, void *arg) {
  Restore *r = arg;
  char why[CHECKPOINT_WHY] = "";
  file_jobs_enter(&r->work);
  if (!checkpoint_verify(&r->c, d->id, d->mesh->ndevices, why, sizeof why))
    file_jobs_fail(&r->work, d->id, why);
  file_jobs_leave(&r->work);
}

/* Adds n elements that lie side by side to as many that lie `apart` elements apart. */
static void add_line(int dtype, const char *from, int64_t n, char *to, int64_t apart) {
  const int64_t size = (int64_t)element_size(dtype);
  for (int64_t i = 0; i < n; i++, from += size, to += apart * size) {
    double x, y;
    element_convert(dtype, false, from, 1, DTRT_F64, &x);
    element_convert(dtype, false, to, 1, DTRT_F64, &y);
    y += x;
    element_convert(DTRT_F64, false, &y, 1, dtype, to);
  }
}

static const char *add_box(int dtype, int rank, const int64_t *len, const int64_t *apart,
                           const char *from, char *to) {
  const int64_t size = (int64_t)element_size(dtype);
  if (rank <= 1) {
    const int64_t n = rank ? len[0] : 1;
    add_line(dtype, from, n, to, rank ? apart[0] : 1);
    return from + n * size;
  }
  for (int64_t i = 0; i < len[0]; i++, to += apart[0] * size)
    from = add_box(dtype, rank - 1, len + 1, apart + 1, from, to);
  return from;
}

static bool read_sum(checkpoint_reader *reader, const RestorePart *s, int dtype, const int64_t *lo,
                     const int64_t *hi, const int64_t *apart, char *to) {
  int64_t len[DTRT_MAX_RANK], n = (int64_t)element_size(dtype);
  for (int i = 0; i < s->rank; i++) n *= len[i] = hi[i] - lo[i];
  char *more = malloc((size_t)n);
  if (!more) snprintf(reader->why, CHECKPOINT_WHY, "%s: out of memory", reader->of->path);
  const bool good = more && checkpoint_read(reader, s->from, s->perm, lo, hi, dtype, more, NULL);
  if (good) add_box(dtype, s->rank, len, apart, more, to);
  free(more);
  return good;
}

/* What a part has of a device's box, which is dense at `to`. */
static bool read_part_of_var(checkpoint_reader *reader, const dtrt_tensor *t, const RestorePart *s,
                             const BlockSpan *box, char *to) {
  int64_t lo[DTRT_MAX_RANK + 1], hi[DTRT_MAX_RANK + 1], apart[DTRT_MAX_RANK + 1];
  int64_t step[DTRT_MAX_RANK], first = 0;
  for (int64_t d = t->layout->rank - 1, n = 1; d >= 0; d--) {
    const BlockSpan p = s->box[d];
    if ((p.lo > box[d].lo ? p.lo : box[d].lo) >= (p.hi < box[d].hi ? p.hi : box[d].hi)) return true;
    step[d] = n, n *= box[d].hi - box[d].lo;
    if (p.lo > box[d].lo) first += (p.lo - box[d].lo) * step[d];
  }
  for (int i = 0; i < s->rank; i++) {
    const int d = s->dim[i];
    const BlockSpan p = s->box[d];
    lo[i] = box[d].lo > p.lo ? box[d].lo - p.lo : 0;
    hi[i] = (box[d].hi < p.hi ? box[d].hi : p.hi) - p.lo;
    apart[i] = step[d];
  }
  to += first * (int64_t)element_size(t->dtype);
  if (s->add) return read_sum(reader, s, t->dtype, lo, hi, apart, to);
  return checkpoint_read(reader, s->from, s->perm, lo, hi, t->dtype, to, apart);
}

static bool read_var(checkpoint_reader *reader, const Device *d, const dtrt_tensor *t,
                     const RestorePart *parts) {
  BlockSpan box[DTRT_MAX_RANK];
  if (!parts || !device_writes(d, t) || block_box(d->mesh, t->layout, d->coord, box) == 0)
    return true;
  for (const RestorePart *s = parts; s; s = s->next)
    if (!read_part_of_var(reader, t, s, box, device_variable(d, t))) return false;
  return true;
}

static void read_device(Device *d, void *arg) {
  Restore *r = arg;
  char why[CHECKPOINT_WHY] = "";
  checkpoint_reader reader;
  file_jobs_enter(&r->work);
  bool good = checkpoint_reader_open(&reader, &r->c, why);
  for (int i = 0; good && i < r->p->nvars; i++)
    good = read_var(&reader, d, &r->p->var[i], r->part[i]);
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
  return restore_match(r);
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
  restore_match_free(&r);
  load_map_free(&r.map);
  if (opened) checkpoint_free(&r.c);
  return status;
}
