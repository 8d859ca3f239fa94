/* save.c: dtrt_save: every device writes the blocks whose lowest holder it is to its own
 * file; then rank 0 writes the index and renames the folder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "checkpoint.h"
#include "element.h"
#include "files.h"
#include "session.h"
#include "utf8.h"
#include "file_jobs.h"

typedef struct Save {
  dtrt_session *s;
  const dtrt_program *p;
  const char *path;
  char *aside; /* the folder that is being written */
  int *part;   /* [ndevices] number of a device's file, -1: it has none */
  int nparts;
  bool bf16;
  json_t *metadata;
  FileJobs work;
} Save;

static int stored_kind(const Save *s, const dtrt_tensor *t) {
  return s->bf16 && t->trainable && t->dtype == DTRT_F32 ? ELEMENT_BF16 : t->dtype;
}

/* The block that a device writes of a variable. A variable without elements is device 0's. */
static bool writes(const Save *s, int device, const dtrt_tensor *t, BlockSpan *box) {
  int32_t coord[DTRT_MAX_AXES];
  block_coord(&s->s->mesh, device, coord);
  if (dtrt_tensor_count(t) == 0) {
    for (int d = 0; d < t->layout->rank; d++) box[d] = (BlockSpan){0, t->layout->dim[d].n};
    return device == 0;
  }
  return block_lowest_owner(&s->s->mesh, coord, t->layout) &&
         block_box(&s->s->mesh, t->layout, coord, box) > 0;
}

static bool number_parts(Save *s) {
  int n = s->s->mesh.ndevices;
  s->part = malloc((size_t)n * sizeof *s->part);
  if (!s->part) return false;
  for (int d = 0; d < n; d++) {
    BlockSpan box[DTRT_MAX_RANK];
    bool any = d == 0 && s->p->nvars == 0;
    for (int i = 0; i < s->p->nvars && !any; i++) any = writes(s, d, &s->p->var[i], box);
    s->part[d] = any ? s->nparts++ : -1;
  }
  return true;
}

/* -------- one device -------- */

static safetensors_entry *entries_of(const Save *s, int device, int *n) {
  safetensors_entry *entry = calloc((size_t)s->p->nvars + 1, sizeof *entry);
  *n = 0;
  for (int i = 0; entry && i < s->p->nvars; i++) {
    const dtrt_tensor *t = &s->p->var[i];
    BlockSpan box[DTRT_MAX_RANK];
    int64_t shape[DTRT_MAX_RANK];
    if (!writes(s, device, t, box)) continue;
    safetensors_entry *e = &entry[(*n)++];
    *e = (safetensors_entry){.kind = stored_kind(s, t), .rank = t->layout->rank, .of = i};
    e->bytes = (int64_t)element_size(e->kind);
    for (int d = 0; d < e->rank; d++) {
      shape[d] = t->layout->dim[d].n;
      e->bytes *= e->shape[d] = box[d].hi - box[d].lo;
    }
    e->name = checkpoint_entry_name(t->name, e->rank, shape, box);
    if (e->name) continue;
    for (int k = 0; k < *n; k++) free(entry[k].name);
    free(entry);
    return NULL;
  }
  return entry;
}

static bool put_rounded(checkpoint_writer *w, const float *from, int64_t n, char *buffer) {
  enum { MOST = CHECKPOINT_BUFFER / 2 };
  for (int64_t at = 0; at < n; at += MOST) {
    int64_t k = n - at < MOST ? n - at : MOST;
    element_convert(ELEMENT_F32, false, from + at, k, ELEMENT_BF16, buffer);
    if (!checkpoint_writer_put(w, buffer, 2 * k)) return false;
  }
  return true;
}

/* Blocks are dense in memory, so all but the rounded ones are written to the file directly. */
static bool put_entries(const Save *s, const Device *d, checkpoint_writer *w) {
  char *buffer = s->bf16 ? malloc(CHECKPOINT_BUFFER) : NULL;
  bool good = buffer || !s->bf16;
  if (!good) snprintf(w->why, CHECKPOINT_WHY, "%s: out of memory", w->path);
  for (int i = 0; good && i < w->n; i++) {
    const safetensors_entry *e = &w->entry[i];
    const dtrt_tensor *t = &s->p->var[e->of];
    const char *block = d->pub.vars + t->offset;
    if (e->kind == t->dtype)
      good = checkpoint_writer_put(w, block, e->bytes);
    else
      good = put_rounded(w, (const float *)(const void *)block, e->bytes / 2, buffer);
  }
  free(buffer);
  return good;
}

static void save_device(Device *d, void *arg) {
  Save *s = arg;
  char why[CHECKPOINT_WHY] = "";
  checkpoint_writer w = {.fd = -1};
  int n = 0, part = s->part[d->id];
  if (part < 0) return;
  file_jobs_enter(&s->work);
  safetensors_entry *entry = entries_of(s, d->id, &n);
  char *name = checkpoint_part_name(part, s->nparts);
  char *path = name ? checkpoint_printf("%s/%s", s->aside, name) : NULL;
  bool good = entry && path;
  if (!good) snprintf(why, sizeof why, "%s: out of memory", s->path);
  if (good) {
    checkpoint_sort_entries(entry, n);
    good = checkpoint_writer_open(&w, path, entry, n, s->metadata, why);
    good = good && put_entries(s, d, &w);
    good = checkpoint_writer_close(&w, good);
  }
  if (!good) file_jobs_fail(&s->work, part, why);
  for (int i = 0; entry && i < n; i++) free(entry[i].name);
  free(entry);
  free(path);
  free(name);
  file_jobs_leave(&s->work);
}

/* -------- all -------- */

static char *mesh_text(const dtrt_program *p) {
  size_t n = 8;
  for (int i = 0; i < p->naxes; i++) n += strlen(p->axis_name[i]) + 16;
  char *text = calloc(1, n);
  if (!text || !p->naxes) return text;
  size_t at = (size_t)snprintf(text, n, "[");
  for (int i = 0; i < p->naxes; i++)
    at += (size_t)snprintf(text + at, n - at, "%s%s=%d", i ? ", " : "", p->axis_name[i],
                           p->axis_size[i]);
  snprintf(text + at, n - at, "]");
  return text;
}

/* The contents of the index; of layouts, texts in `layout`. */
static bool describe(const Save *s, checkpoint_about *a, checkpoint_saved *var,
                     char (*layout)[256]) {
  const dtrt_program *p = s->p;
  for (int i = 0; i < p->nvars; i++) {
    const dtrt_tensor *t = &p->var[i];
    block_layout_text(p, t->layout, layout[i], sizeof *layout);
    var[i] = (checkpoint_saved){.path = t->name,
                                .dtype = t->dtype,
                                .kind = stored_kind(s, t),
                                .rank = t->layout->rank,
                                .trainable = t->trainable,
                                .layout = layout[i]};
    for (int d = 0; d < t->layout->rank; d++) var[i].shape[d] = t->layout->dim[d].n;
  }
  a->hash = session_hash(p);
  a->var = var;
  a->nvars = p->nvars;
  return a->mesh != NULL;
}

static dtrt_status failed(Save *s, const char *why) {
  return session_error(s->s, DTRT_FILE, "%s", why);
}

static dtrt_status make_aside(Save *s) {
  char why[CHECKPOINT_WHY];
  if (s->s->comm->rank != 0) return DTRT_OK;
  char *slash = strrchr(s->aside, '/');
  *slash = 0;
  bool good = checkpoint_make_folder(*s->aside ? s->aside : "/", why, sizeof why);
  *slash = '/';
  if (good && mkdir(s->aside, 0777)) {
    snprintf(why, sizeof why, "%s: %s", s->aside, strerror(errno));
    good = false;
  }
  return good ? DTRT_OK : failed(s, why);
}

static dtrt_status write_parts(Save *s) {
  file_jobs_open(&s->work);
  dtrt_status status = session_run(s->s, save_device, s);
  if (status == DTRT_OK && file_jobs_failed(&s->work)) status = failed(s, s->work.why);
  file_jobs_close(&s->work);
  return status;
}

static dtrt_status finish(Save *s, const checkpoint_about *a) {
  char why[CHECKPOINT_WHY];
  if (s->s->comm->rank != 0) return DTRT_OK;
  if (checkpoint_write_index(s->aside, a, s->nparts, why, sizeof why) &&
      checkpoint_place(s->aside, s->path, why, sizeof why))
    return DTRT_OK;
  return failed(s, why);
}

/* In the folder of the checkpoint, hidden, and of this call alone. */
static char *aside_path(dtrt_session *s, const char *path) {
  uint64_t once = session_share(s, file_random());
  const char *slash = strrchr(path, '/');
  int above = slash ? (int)(slash - path) : 1;
  return checkpoint_printf("%.*s/.new-%s-%016llx", above, slash ? path : ".",
                           slash ? slash + 1 : path, (unsigned long long)once);
}

static dtrt_status save(Save *s, checkpoint_about *a) {
  size_t n = (size_t)s->p->nvars + 1;
  checkpoint_saved *var = calloc(n, sizeof *var);
  char(*layout)[256] = calloc(n, sizeof *layout);
  char *mesh = mesh_text(s->p);
  a->mesh = mesh;
  s->aside = aside_path(s->s, s->path);
  /* A file's name may be any bytes, the index is JSON. */
  char *program = utf8_printable(s->p->name);
  dtrt_status status = DTRT_OK;
  a->program = program;
  if (!var || !layout || !s->aside || !program || !describe(s, a, var, layout) || !number_parts(s) ||
      !(s->metadata = checkpoint_metadata(a)))
    status = session_error(s->s, DTRT_NO_MEMORY, "%s: out of memory", s->path);
  status = session_agree(s->s, status);
  if (status == DTRT_OK) status = session_agree(s->s, make_aside(s));
  bool made = status == DTRT_OK;
  if (status == DTRT_OK) status = session_agree(s->s, write_parts(s));
  if (status == DTRT_OK) status = session_agree(s->s, finish(s, a));
  if (made && status != DTRT_OK && s->s->comm->rank == 0) checkpoint_discard(s->aside);
  json_decref(s->metadata);
  free(program);
  free(s->aside);
  free(s->part);
  free(mesh);
  free(layout);
  free(var);
  return status;
}

dtrt_status dtrt_save(dtrt_session *s, const char *path, const dtrt_save_options *o) {
  SESSION_USE(s);
  static const dtrt_progress none;
  dtrt_status status = session_usable(s);
  if (status != DTRT_OK) return status;
  const dtrt_progress *progress = o && o->progress ? o->progress : &none;
  size_t n = path ? strlen(path) : 0;
  while (n > 1 && path[n - 1] == '/') n--;
  if (!n || (n == 1 && *path == '/'))
    return session_error(s, DTRT_INVALID, "a checkpoint requires a folder name");
  if (!memchr(progress->note, 0, sizeof progress->note))
    return session_error(s, DTRT_INVALID, "%s: the note has no terminating zero byte", path);
  if (!utf8_valid(progress->note))
    return session_error(s, DTRT_INVALID, "%s: the note is not UTF-8", path);
  char *own = strndup(path, n);
  if (!own) return session_error(s, DTRT_NO_MEMORY, "out of memory");
  Save job = {.s = s, .p = s->program[0].p, .path = own, .bf16 = o && o->bf16};
  checkpoint_about about = {.progress = *progress};
  status = save(&job, &about);
  free(own);
  return status;
}
