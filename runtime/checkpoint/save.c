/* save.c: dtrt_save: every device writes its share of the blocks to its own file; then rank 0
 * writes the index and renames the folder. Or beside training (save_job.h). */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "checkpoint.h"
#include "element.h"
#include "files.h"
#include "session.h"
#include "utf8.h"
#include "file_jobs.h"
#include "bind.h"
#include "save_job.h"
#include "thread.h"

typedef struct save_job Save;
struct save_job {
  dtrt_session *s;
  const dtrt_program *p;
  char *path;
  char *aside;     /* the folder that is being written */
  int *part;       /* [ndevices] number of a device's file, -1: it has none */
  uint8_t *writer; /* [nvars][ndevices] 1: it writes its block of the variable */
  int nparts;
  bool bf16;
  json_t *metadata;
  FileJobs work;
  /* The contents of the index. */
  checkpoint_about about;
  checkpoint_saved *var;
  char (*layout)[256];
  char *mesh, *program;
  /* Beside training. */
  save_copies *copies;
  void (*run)(Save *); /* what its thread does */
  bool threaded;       /* known to the thread that trains, not to this one */
  pthread_t thread;
  pthread_mutex_t mutex; /* of what follows */
  save_state state;
  bool cancelled;
  char why[CHECKPOINT_WHY];
  save_after_fn *after;
  void *user;
};

static int stored_kind(const Save *s, const dtrt_tensor *t) {
  return s->bf16 && t->trainable && t->dtype == DTRT_F32 ? ELEMENT_BF16 : t->dtype;
}

/* The block that a device writes of a variable. A variable without elements is device 0's. */
static bool writes(const Save *s, int device, int var, BlockSpan *box) {
  const dtrt_tensor *t = &s->p->var[var];
  int32_t coord[DTRT_MAX_AXES];
  if (!s->writer[(size_t)var * (size_t)s->s->mesh.ndevices + (size_t)device]) return false;
  block_coord(&s->s->mesh, device, coord);
  if (dtrt_tensor_count(t) == 0)
    for (int d = 0; d < t->layout->rank; d++) box[d] = (BlockSpan){0, t->layout->dim[d].n};
  else
    block_box(&s->s->mesh, t->layout, coord, box);
  return true;
}

/* -------- who writes what: the same on all ranks -------- */

typedef struct Largest {
  int64_t bytes; /* of device 0's block */
  int var;
} Largest;

static int larger_first(const void *a, const void *b) {
  const Largest *x = a, *y = b;
  return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : x->var - y->var;
}

/* Of the devices that hold the same block as `device`, the one that has least to write so far. */
static int least_loaded(const BlockMesh *m, int device, uint32_t cut, const int64_t *load) {
  int best = device;
  int32_t at[DTRT_MAX_AXES] = {0};
  for (;;) {
    int i = m->naxes - 1, d = device;
    for (; i >= 0; at[i--] = 0)
      if (!(cut & 1u << i) && ++at[i] < m->size[i]) break;
    if (i < 0) return best;
    for (int k = 0; k < m->naxes; k++) d += at[k] * m->stride[k];
    if (load[d] < load[best]) best = d;
  }
}

static void choose_writers(Save *s, int var, int64_t *load) {
  const BlockMesh *m = &s->s->mesh;
  const dtrt_tensor *t = &s->p->var[var];
  uint8_t *writer = s->writer + (size_t)var * (size_t)m->ndevices;
  uint32_t cut = block_axes(m, t->layout);
  if (dtrt_tensor_count(t) == 0) {
    writer[0] = 1;
    return;
  }
  for (int d = 0; d < m->ndevices; d++) {
    BlockSpan box[DTRT_MAX_RANK];
    int32_t coord[DTRT_MAX_AXES];
    block_coord(m, d, coord);
    int64_t n = block_lowest_owner(m, coord, t->layout) ? block_box(m, t->layout, coord, box) : 0;
    if (n <= 0) continue;
    int best = least_loaded(m, d, cut, load);
    writer[best] = 1;
    load[best] += n * (int64_t)element_size(stored_kind(s, t));
  }
}

/* Replicated blocks are shared out among their holders, large ones first. */
static bool share_out(Save *s) {
  size_t n = (size_t)s->p->nvars, devices = (size_t)s->s->mesh.ndevices;
  int64_t *load = calloc(devices, sizeof *load);
  Largest *order = calloc(n + 1, sizeof *order);
  s->writer = calloc(n * devices + 1, 1);
  bool good = load && order && s->writer;
  int32_t first[DTRT_MAX_AXES] = {0};
  for (int i = 0; good && i < s->p->nvars; i++) {
    const dtrt_tensor *t = &s->p->var[i];
    BlockSpan box[DTRT_MAX_RANK];
    order[i] = (Largest){block_box(&s->s->mesh, t->layout, first, box) *
                             (int64_t)element_size(stored_kind(s, t)),
                         i};
  }
  if (good && n) qsort(order, n, sizeof *order, larger_first);
  for (size_t i = 0; good && i < n; i++) choose_writers(s, order[i].var, load);
  free(order);
  free(load);
  return good;
}

static bool number_parts(Save *s) {
  int n = s->s->mesh.ndevices;
  s->part = malloc((size_t)n * sizeof *s->part);
  if (!s->part) return false;
  for (int d = 0; d < n; d++) {
    BlockSpan box[DTRT_MAX_RANK];
    bool any = d == 0 && s->p->nvars == 0;
    for (int i = 0; i < s->p->nvars && !any; i++) any = writes(s, d, i, box);
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
    if (!writes(s, device, i, box)) continue;
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

/* Bytes of a device's block. */
static int64_t block_bytes(const Save *s, int var, const BlockSpan *box) {
  const dtrt_tensor *t = &s->p->var[var];
  int64_t n = (int64_t)element_size(t->dtype);
  for (int d = 0; d < t->layout->rank; d++) n *= box[d].hi - box[d].lo;
  return n;
}

/* Where blocks begin in a copy of those that a device writes; returns its size. */
static int64_t copy_offsets(const Save *s, int device, int64_t *at) {
  int64_t n = 0;
  BlockSpan box[DTRT_MAX_RANK];
  for (int i = 0; i < s->p->nvars; i++) {
    if (!writes(s, device, i, box)) continue;
    if (at) at[i] = n;
    n += (block_bytes(s, i, box) + 63) / 64 * 64;
  }
  return n;
}

static bool is_cancelled(Save *s) {
  pthread_mutex_lock(&s->mutex);
  bool is = s->cancelled;
  pthread_mutex_unlock(&s->mutex);
  return is;
}

/* Blocks are dense in memory, so all but the rounded ones are written to the file directly: from
 * the variables, or from a copy of them. */
static bool put_entries(Save *s, const Device *d, const char *copy, const int64_t *at,
                        checkpoint_writer *w) {
  enum { STRETCH = 64 << 20 };
  char *buffer = s->bf16 ? malloc(CHECKPOINT_BUFFER) : NULL;
  bool good = buffer || !s->bf16;
  if (!good) snprintf(w->why, CHECKPOINT_WHY, "%s: out of memory", w->path);
  for (int i = 0; good && i < w->n; i++) {
    const safetensors_entry *e = &w->entry[i];
    const dtrt_tensor *t = &s->p->var[e->of];
    const char *block = copy ? copy + at[e->of] : device_variable(d, t);
    if (e->kind != t->dtype) {
      good = put_rounded(w, (const float *)(const void *)block, e->bytes / 2, buffer);
      continue;
    }
    for (int64_t k = 0; good && k < e->bytes; k += STRETCH)
      good = !is_cancelled(s) &&
             checkpoint_writer_put(w, block + k, e->bytes - k < STRETCH ? e->bytes - k : STRETCH);
  }
  free(buffer);
  return good;
}

/* One device's file. */
static void write_part(Save *s, int device, const Device *d, const char *copy) {
  char why[CHECKPOINT_WHY] = "";
  checkpoint_writer w = {.fd = -1};
  int n = 0, part = s->part[device];
  if (part < 0) return;
  safetensors_entry *entry = entries_of(s, device, &n);
  int64_t *at = copy ? calloc((size_t)s->p->nvars + 1, sizeof *at) : NULL;
  char *name = checkpoint_part_name(part, s->nparts);
  char *path = name ? checkpoint_printf("%s/%s", s->aside, name) : NULL;
  bool good = entry && path && (at || !copy);
  if (!good) snprintf(why, sizeof why, "%s: out of memory", s->path);
  if (good) {
    if (at) copy_offsets(s, device, at);
    checkpoint_sort_entries(entry, n);
    good = checkpoint_writer_open(&w, path, entry, n, s->metadata, why);
    good = good && put_entries(s, d, copy, at, &w);
    good = checkpoint_writer_close(&w, good);
  }
  if (!good) file_jobs_fail(&s->work, part, why);
  for (int i = 0; entry && i < n; i++) free(entry[i].name);
  free(entry);
  free(at);
  free(path);
  free(name);
}

static void save_device(Device *d, void *arg) {
  Save *s = arg;
  if (s->part[d->id] < 0) return;
  file_jobs_enter(&s->work);
  write_part(s, d->id, d, NULL);
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

/* The contents of the index. */
static bool describe(Save *s) {
  const dtrt_program *p = s->p;
  checkpoint_saved *var = s->var;
  char(*layout)[256] = s->layout;
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
  s->about.program = s->program;
  s->about.mesh = s->mesh;
  s->about.hash = session_hash(p);
  s->about.var = var;
  s->about.nvars = p->nvars;
  return true;
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
  dtrt_status status = session_run(s->s, save_device, s);
  if (status == DTRT_OK && file_jobs_failed(&s->work)) status = failed(s, s->work.why);
  return status;
}

/* Of rank 0, once all parts are on disk. */
static bool commit(Save *s, char *why) {
  return checkpoint_write_index(s->aside, &s->about, s->nparts, why, CHECKPOINT_WHY) &&
         checkpoint_place(s->aside, s->path, why, CHECKPOINT_WHY);
}

static dtrt_status finish(Save *s) {
  char why[CHECKPOINT_WHY];
  return s->s->comm->rank != 0 || commit(s, why) ? DTRT_OK : failed(s, why);
}

/* In the folder of the checkpoint, hidden, and of this call alone. */
static char *aside_path(dtrt_session *s, const char *path) {
  uint64_t once = session_share(s, file_random());
  const char *slash = strrchr(path, '/');
  int above = slash ? (int)(slash - path) : 1;
  return checkpoint_printf("%.*s/.new-%s-%016llx", above, slash ? path : ".",
                           slash ? slash + 1 : path, (unsigned long long)once);
}

static void release(Save *s) {
  if (!s) return;
  json_decref(s->metadata);
  file_jobs_close(&s->work);
  pthread_mutex_destroy(&s->mutex);
  free(s->program);
  free(s->aside);
  free(s->part);
  free(s->writer);
  free(s->mesh);
  free(s->layout);
  free(s->var);
  free(s->path);
  free(s);
}

/* What is checked before anything is written. NULL with *status. */
static Save *new_job(dtrt_session *s, const char *path, const dtrt_save_options *o,
                     dtrt_status *status) {
  static const dtrt_progress none;
  const dtrt_progress *progress = o && o->progress ? o->progress : &none;
  size_t n = path ? strlen(path) : 0;
  *status = DTRT_INVALID;
  while (n > 1 && path[n - 1] == '/') n--;
  if (!n || (n == 1 && *path == '/'))
    return session_error(s, DTRT_INVALID, "a checkpoint requires a folder name"), NULL;
  if (!memchr(progress->note, 0, sizeof progress->note))
    return session_error(s, DTRT_INVALID, "%s: the note has no terminating zero byte", path), NULL;
  if (!utf8_valid(progress->note))
    return session_error(s, DTRT_INVALID, "%s: the note is not UTF-8", path), NULL;
  Save *job = calloc(1, sizeof *job);
  char *own = strndup(path, n);
  if (!job || !own) {
    *status = session_error(s, DTRT_NO_MEMORY, "out of memory");
    free(job);
    free(own);
    return NULL;
  }
  *job = (Save){.s = s, .p = s->program[0].p, .path = own, .bf16 = o && o->bf16};
  job->about.progress = *progress;
  pthread_mutex_init(&job->mutex, NULL);
  file_jobs_open(&job->work);
  *status = DTRT_OK;
  return job;
}

/* Collective: all is known, and the folder is there; *made: it has to be discarded after a failure.
 */
static dtrt_status prepare(Save *s, bool *made) {
  size_t n = (size_t)s->p->nvars + 1;
  dtrt_status status = DTRT_OK;
  s->var = calloc(n, sizeof *s->var);
  s->layout = calloc(n, sizeof *s->layout);
  s->mesh = mesh_text(s->p);
  s->aside = aside_path(s->s, s->path);
  /* A file's name may be any bytes, the index is JSON. */
  s->program = utf8_printable(s->p->name);
  if (!s->var || !s->layout || !s->mesh || !s->aside || !s->program || !describe(s) ||
      !share_out(s) || !number_parts(s) || !(s->metadata = checkpoint_metadata(&s->about)))
    status = session_error(s->s, DTRT_NO_MEMORY, "%s: out of memory", s->path);
  status = session_agree(s->s, status);
  if (status == DTRT_OK) status = session_agree(s->s, make_aside(s));
  *made = status == DTRT_OK && s->s->comm->rank == 0;
  return status;
}

/* Collective: a job that is ready to write, or NULL and why in *status. */
static Save *open_job(dtrt_session *s, const char *path, const dtrt_save_options *o,
                      save_copies *copies, bool *made, dtrt_status *status) {
  *made = false;
  if ((*status = session_usable(s)) != DTRT_OK) return NULL;
  Save *job = new_job(s, path, o, status);
  if (!job) return NULL;
  job->copies = copies;
  if ((*status = prepare(job, made)) == DTRT_OK) return job;
  if (*made) checkpoint_discard(job->aside);
  release(job);
  return NULL;
}

dtrt_status dtrt_save(dtrt_session *s, const char *path, const dtrt_save_options *o) {
  SESSION_USE(s);
  bool made;
  dtrt_status status;
  Save *job = open_job(s, path, o, NULL, &made, &status);
  if (!job) return status;
  status = session_agree(s, write_parts(job));
  if (status == DTRT_OK) status = session_agree(s, finish(job));
  if (made && status != DTRT_OK) checkpoint_discard(job->aside);
  release(job);
  return status;
}

/* -------- beside training -------- */

static void set_state(Save *s, save_state state, const char *why) {
  pthread_mutex_lock(&s->mutex);
  s->state = state;
  snprintf(s->why, sizeof s->why, "%s", why);
  pthread_mutex_unlock(&s->mutex);
}

static void write_all(Save *s) {
  for (int i = 0; i < s->copies->n; i++)
    write_part(s, s->copies->first + i, NULL, s->copies->at[i]);
  bool bad = file_jobs_failed(&s->work);
  set_state(s, bad ? SAVE_FAILED : SAVE_WRITTEN, s->work.why);
}

static void commit_and_remove(Save *s) {
  char why[CHECKPOINT_WHY] = "";
  bool good = commit(s, why);
  if (good && s->after) s->after(s->user);
  set_state(s, good ? SAVE_COMMITTED : SAVE_FAILED, why);
}

static void *thread_main(void *arg) {
  Save *s = arg;
  setpriority(PRIO_PROCESS, (id_t)gettid(), 19); /* training goes first */
  bind_loosen(s->s->bind);
  s->run(s);
  return NULL;
}

static void start(Save *s, void (*run)(Save *)) {
  s->state = SAVE_RUNS;
  s->run = run;
  s->threaded = thread_start(&s->thread, thread_main, s, "dtrt saves") == 0;
  if (!s->threaded) run(s);
}

static void copy_device(Device *d, void *arg) {
  Save *s = arg;
  BlockSpan box[DTRT_MAX_RANK];
  char *to = s->copies->at[d->id - s->copies->first];
  for (int i = 0; i < s->p->nvars; i++) {
    if (!writes(s, d->id, i, box)) continue;
    int64_t bytes = block_bytes(s, i, box);
    dtrt_copy(to, device_variable(d, &s->p->var[i]), bytes);
    to += (bytes + 63) / 64 * 64;
  }
}

/* Memory for the copies, kept from one checkpoint to the next. False: there is not enough. */
static bool make_room(Save *s) {
  save_copies *c = s->copies;
  const Comm *comm = s->s->comm;
  if (!c->at) {
    c->first = comm->first;
    c->at = calloc((size_t)comm->count + 1, sizeof *c->at);
    c->bytes = calloc((size_t)comm->count + 1, sizeof *c->bytes);
    if (!c->at || !c->bytes) return false;
    c->n = comm->count;
  }
  for (int i = 0; i < c->n; i++) {
    int64_t bytes = copy_offsets(s, c->first + i, NULL) + 1;
    if (bytes <= c->bytes[i]) continue;
    free(c->at[i]);
    c->at[i] = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
    c->bytes[i] = c->at[i] ? bytes : 0;
    if (!c->at[i]) return false;
  }
  return true;
}

dtrt_status save_begin(dtrt_session *s, const char *path, const dtrt_save_options *o,
                       save_copies *copies, save_job **to) {
  SESSION_USE(s);
  bool made; /* save_job_end discards it */
  dtrt_status status;
  *to = NULL;
  Save *job = open_job(s, path, o, copies, &made, &status);
  if (!job) return status;
  if (!make_room(job)) { /* written from where they are, while training waits */
    status = write_parts(job);
    job->state = status == DTRT_OK ? SAVE_WRITTEN : SAVE_FAILED;
    snprintf(job->why, sizeof job->why, "%s", status == DTRT_OK ? "" : dtrt_session_error(s));
  } else if ((status = session_run(s, copy_device, job)) == DTRT_OK) {
    start(job, write_all);
  }
  if (status != DTRT_OK && status != DTRT_FILE) {
    release(job);
    return status;
  }
  *to = job;
  return DTRT_OK;
}

save_state save_job_state(save_job *s, bool wait, const char **why) {
  if (s->threaded && wait) {
    pthread_join(s->thread, NULL);
    s->threaded = false;
  }
  pthread_mutex_lock(&s->mutex);
  save_state state = s->state;
  pthread_mutex_unlock(&s->mutex);
  if (why) *why = s->why; /* written once, before the state */
  return state;
}

void save_job_commit(save_job *s, save_after_fn *after, void *user) {
  save_job_state(s, true, NULL);
  s->after = after;
  s->user = user;
  start(s, commit_and_remove);
}

void save_job_end(save_job *s, bool discard) {
  if (!s) return;
  pthread_mutex_lock(&s->mutex);
  s->cancelled = discard;
  pthread_mutex_unlock(&s->mutex);
  if (save_job_state(s, true, NULL) != SAVE_COMMITTED && discard) checkpoint_discard(s->aside);
  release(s);
}

void save_copies_free(save_copies *c) {
  for (int i = 0; i < c->n; i++) free(c->at[i]);
  free(c->at);
  free(c->bytes);
  *c = (save_copies){0};
}
