/* checkpoint_open.c: opening: finds the files and the entries of each variable, and checks that
 * pieces tile their variable: they must form a grid, as blocks of a layout do. */
#include "checkpoint.h"
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "checkpoint_index.h"
#include "element.h"

enum { MOST_INDEX = 256 << 20, DEEPEST_INDEX = 6 };

typedef struct checkpoint_opening {
  checkpoint *c;
  json_t *index; /* NULL: a single file */
  char *index_path;
  char *why;
  size_t whysize;
} checkpoint_opening;

__attribute__((format(printf, 2, 3))) static bool refuse(const checkpoint_opening *o,
                                                         const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = snprintf(o->why, o->whysize, "%s: ", o->index_path ? o->index_path : o->c->path);
  if (n >= 0 && (size_t)n < o->whysize) vsnprintf(o->why + n, o->whysize - (size_t)n, format, list);
  va_end(list);
  return false;
}

static bool no_memory(const checkpoint_opening *o) { return refuse(o, "out of memory"); }

static int by_path(const void *a, const void *b) {
  return strcmp(((const checkpoint_var *)a)->path, ((const checkpoint_var *)b)->path);
}

const checkpoint_var *checkpoint_find(const checkpoint *c, const char *path) {
  checkpoint_var key = {.path = (char *)(uintptr_t)path};
  return c->nvars ? bsearch(&key, c->var, (size_t)c->nvars, sizeof *c->var, by_path) : NULL;
}

int64_t checkpoint_count(const checkpoint_var *v) {
  int64_t n = 1;
  for (int d = 0; d < v->rank; d++)
    if (v->shape[d] == 0) return 0;
  for (int d = 0; d < v->rank; d++) n *= v->shape[d];
  return n;
}

static bool add_piece(const checkpoint_opening *o, checkpoint_var *v, const checkpoint_piece *p) {
  if ((v->npieces & (v->npieces - 1)) == 0) { /* a power of two: full */
    size_t room = v->npieces ? 2 * (size_t)v->npieces : 1;
    checkpoint_piece *bigger = realloc(v->piece, room * sizeof *bigger);
    if (!bigger) return no_memory(o);
    v->piece = bigger;
  }
  v->piece[v->npieces++] = *p;
  return true;
}

/* -------- our own index -------- */

static bool get_text(const checkpoint_opening *o, const json_t *j, const char *key,
                     const char **text) {
  *text = json_string_value(json_object_get(j, key));
  if (*text && safetensors_plain(*text)) return true;
  return refuse(o, "\"%s\" is missing or not text", key);
}

static bool get_count(const checkpoint_opening *o, const json_t *j, const char *key, int64_t *v) {
  const json_t *n = json_object_get(j, key);
  *v = json_integer_value(n);
  return json_is_integer(n) && *v >= 0 && *v < INT64_MAX / 2
             ? true
             : refuse(o, "\"%s\" is not a count", key);
}

static bool get_hex(const checkpoint_opening *o, const json_t *j, const char *key, uint64_t *v) {
  const char *text = json_string_value(json_object_get(j, key));
  if (!text || !*text || strlen(text) > 16 || strspn(text, "0123456789abcdef") != strlen(text))
    return refuse(o, "\"%s\" is not a hexadecimal number", key);
  *v = strtoull(text, NULL, 16);
  return true;
}

static bool read_progress(const checkpoint_opening *o, const json_t *j) {
  dtrt_progress *p = &o->c->progress;
  const char *note = json_string_value(json_object_get(j, "note"));
  if (!get_count(o, j, "step", &p->step) || !get_count(o, j, "epoch", &p->epoch) ||
      !get_count(o, j, "row", &p->row) || !get_count(o, j, "rows", &p->rows) ||
      !get_hex(o, j, "shuffle", &p->shuffle) || !get_hex(o, j, "seed", &p->seed))
    return false;
  p->shuffled = json_is_true(json_object_get(j, "shuffled"));
  if (!note || strlen(note) >= sizeof p->note)
    return refuse(o, "\"note\" is not text, or too long");
  snprintf(p->note, sizeof p->note, "%s", note);
  return true;
}

static bool read_variable(const checkpoint_opening *o, checkpoint_var *v, const json_t *j) {
  const char *path, *dtype, *stored, *layout;
  const json_t *shape = json_object_get(j, "shape");
  if (!get_text(o, j, "path", &path) || !get_text(o, j, "dtype", &dtype) ||
      !get_text(o, j, "stored", &stored) || !get_text(o, j, "layout", &layout))
    return false;
  v->path = strdup(path);
  v->layout = strdup(layout);
  if (!v->path || !v->layout) return no_memory(o);
  v->dtype = safetensors_kind(dtype);
  v->kind = safetensors_kind(stored);
  v->trainable = json_is_true(json_object_get(j, "trainable"));
  v->rank = (int)json_array_size(shape);
  if (v->dtype < 0 || v->kind < 0) return refuse(o, "%s has an unknown dtype", path);
  if (!json_is_array(shape) || v->rank > DTRT_MAX_RANK)
    return refuse(o, "the shape of %s is not a list of up to %d sizes", path, DTRT_MAX_RANK);
  for (int d = 0; d < v->rank; d++) {
    const json_t *n = json_array_get(shape, (size_t)d);
    v->shape[d] = json_integer_value(n);
    if (!json_is_integer(n) || v->shape[d] < 0)
      return refuse(o, "the shape of %s holds an invalid size", path);
  }
  return true;
}

static bool read_own(const checkpoint_opening *o, const json_t *j) {
  checkpoint *c = o->c;
  const char *program, *mesh;
  const json_t *version = json_object_get(j, "version");
  if (!json_is_integer(version) || json_integer_value(version) != 1)
    return refuse(o, "\"version\" of \"dtg\": expected 1, found %lld; a later dtg may read it",
                  (long long)json_integer_value(version));
  if (!get_text(o, j, "program", &program) || !get_text(o, j, "mesh", &mesh) ||
      !get_hex(o, j, "hash", &c->hash) || !read_progress(o, json_object_get(j, "progress")))
    return false;
  free(c->program);
  free(c->mesh);
  c->program = strdup(program);
  c->mesh = strdup(mesh);
  const json_t *list = json_object_get(j, "variables");
  if (!json_is_array(list)) return refuse(o, "it has no list of variables");
  c->var = calloc(json_array_size(list) + 1, sizeof *c->var);
  if (!c->program || !c->mesh || !c->var) return no_memory(o);
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!read_variable(o, &c->var[c->nvars++], json_array_get(list, i))) return false;
  qsort(c->var, (size_t)c->nvars, sizeof *c->var, by_path);
  for (int i = 1; i < c->nvars; i++)
    if (!strcmp(c->var[i].path, c->var[i - 1].path))
      return refuse(o, "variable %s occurs twice", c->var[i].path);
  return true;
}

/* -------- files -------- */

static bool open_file(const checkpoint_opening *o, const char *path) {
  static const struct {
    bool (*are)(const char *path);
    safetensors_opener *open;
  } others[] = {{npz_tensors_are, npz_tensors_open},
                {hdf5_tensors_are, hdf5_tensors_open},
                {torch_tensors_are, torch_tensors_open}};
  checkpoint *c = o->c;
  safetensors_opener *open = safetensors_open;
  for (size_t i = sizeof others / sizeof *others; i--;)
    if (others[i].are(path)) open = others[i].open;
  if (!open(&c->file[c->nfiles], path, o->why, o->whysize)) return false;
  c->nfiles++;
  return true;
}

/* A name in an index is of a file beside it. */
static bool open_beside(const checkpoint_opening *o, const char *name) {
  if (!*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..") ||
      !safetensors_plain(name))
    return refuse(o, "it names a file that does not exist beside it");
  char *path = checkpoint_printf("%s/%s", o->c->path, name);
  bool good = path ? open_file(o, path) : no_memory(o);
  free(path);
  return good;
}

static bool open_own_files(const checkpoint_opening *o, const json_t *list) {
  if (!json_is_array(list)) return refuse(o, "it has no list of files");
  o->c->file = calloc(json_array_size(list) + 1, sizeof *o->c->file);
  if (!o->c->file) return no_memory(o);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *j = json_array_get(list, i);
    const char *name;
    int64_t bytes = 0;
    uint64_t sum = 0;
    if (!get_text(o, j, "name", &name) || !get_count(o, j, "bytes", &bytes) ||
        !get_hex(o, j, "header_crc32", &sum) || !open_beside(o, name))
      return false;
    const safetensors *f = &o->c->file[i];
    if (f->size != bytes || f->header_crc != sum) {
      snprintf(o->why, o->whysize, "%s: damaged: its %s differs from the index", f->path,
               f->size != bytes ? "size" : "header's checksum");
      return false;
    }
  }
  return true;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files that a weight_map names, each once, in order. */
static bool open_mapped_files(const checkpoint_opening *o, json_t *map) {
  size_t n = json_object_size(map), i = 0;
  const char **name = calloc(n + 1, sizeof *name), *key;
  json_t *v;
  bool good = name ? true : no_memory(o);
  if (good) json_object_foreach(map, key, v) good = good && (name[i++] = json_string_value(v));
  if (name && !good) refuse(o, "its weight_map holds an invalid file name");
  if (good) qsort(name, n, sizeof *name, by_text);
  o->c->file = calloc(n + 1, sizeof *o->c->file);
  if (good && !o->c->file) good = no_memory(o);
  for (i = 0; good && i < n; i++)
    if (!i || strcmp(name[i], name[i - 1]) != 0) good = open_beside(o, name[i]);
  free(name);
  for (int k = 0; good && k < o->c->nfiles; k++)
    if (o->c->file[k].part)
      good = refuse(o, "damaged: files of dtg, but not dtg's part of the index");
  return good;
}

/* -------- entries to variables -------- */

/* The box of "path[0:64, 0:16]": where the path ends, or NULL. */
static const char *parse_box(const char *name, int rank, BlockSpan *box) {
  const char *open = strrchr(name, '[');
  if (!open) return NULL;
  const char *p = open + 1;
  for (int d = 0; d < rank; d++) {
    char *end;
    errno = 0;
    if (*p < '0' || *p > '9') return NULL;
    box[d].lo = strtoll(p, &end, 10);
    if (*end != ':' || end[1] < '0' || end[1] > '9') return NULL;
    box[d].hi = strtoll(end + 1, &end, 10);
    if (errno || (d + 1 < rank && strncmp(end, ", ", 2) != 0)) return NULL;
    p = d + 1 < rank ? end + 2 : end;
  }
  return !strcmp(p, "]") ? open : NULL;
}

static checkpoint_var *own_var(const checkpoint_opening *o, const char *name, int rank,
                               checkpoint_piece *p) {
  checkpoint_var *v = (checkpoint_var *)(uintptr_t)checkpoint_find(o->c, name);
  if (v) {
    for (int d = 0; d < v->rank; d++) p->box[d] = (BlockSpan){0, v->shape[d]};
    return v;
  }
  const char *end = parse_box(name, rank, p->box);
  char *path = end ? checkpoint_printf("%.*s", (int)(end - name), name) : NULL;
  v = path ? (checkpoint_var *)(uintptr_t)checkpoint_find(o->c, path) : NULL;
  free(path);
  return v;
}

static bool take_own(const checkpoint_opening *o, int file, int entry) {
  const safetensors_entry *e = &o->c->file[file].entry[entry];
  checkpoint_piece p = {.file = file, .entry = entry};
  checkpoint_var *v = own_var(o, e->name, e->rank, &p);
  if (!v)
    return refuse(o, "%s holds %s, which belongs to none of its variables", o->c->file[file].path,
                  e->name);
  bool fits = v->rank == e->rank && v->kind == e->kind && e->summed;
  for (int d = 0; fits && d < v->rank; d++)
    fits = p.box[d].lo >= 0 && p.box[d].lo <= p.box[d].hi && p.box[d].hi <= v->shape[d] &&
           p.box[d].hi - p.box[d].lo == e->shape[d];
  if (!fits)
    return refuse(o, "%s in %s does not match the index entry of %s", e->name,
                  o->c->file[file].path, v->path);
  return e->bytes == 0 || add_piece(o, v, &p);
}

static bool take_foreign(const checkpoint_opening *o, int file, int entry) {
  checkpoint *c = o->c;
  const safetensors_entry *e = &c->file[file].entry[entry];
  checkpoint_var *v = &c->var[c->nvars++];
  checkpoint_piece p = {.file = file, .entry = entry};
  *v = (checkpoint_var){.path = strdup(e->name),
                        .layout = strdup(""),
                        .kind = e->kind,
                        .dtype = e->kind,
                        .rank = e->rank};
  if (!v->path || !v->layout) return no_memory(o);
  memcpy(v->foreign, e->dtype, sizeof v->foreign);
  for (int d = 0; d < e->rank; d++) {
    v->shape[d] = e->shape[d];
    p.box[d] = (BlockSpan){0, e->shape[d]};
  }
  if (e->is_strided) {
    int64_t *step = malloc(sizeof e->step);
    if (!step) return no_memory(o);
    v->step = memcpy(step, e->step, sizeof e->step);
  }
  return e->bytes == 0 || add_piece(o, v, &p);
}

static bool take_entries(const checkpoint_opening *o) {
  checkpoint *c = o->c;
  int64_t n = 0;
  for (int i = 0; i < c->nfiles; i++) n += c->file[i].n;
  if (!c->own && !(c->var = calloc((size_t)n + 1, sizeof *c->var))) return no_memory(o);
  for (int i = 0; i < c->nfiles; i++)
    for (int k = 0; k < c->file[i].n; k++)
      if (!(c->own ? take_own(o, i, k) : take_foreign(o, i, k))) return false;
  if (c->own) return true;
  qsort(c->var, (size_t)c->nvars, sizeof *c->var, by_path);
  for (int i = 1; i < c->nvars; i++)
    if (!strcmp(c->var[i].path, c->var[i - 1].path))
      return refuse(o, "tensor %s occurs twice", c->var[i].path);
  return true;
}

/* -------- do the pieces tile the variable? -------- */

static int by_corner(const void *a, const void *b) {
  const checkpoint_piece *x = a, *y = b;
  for (int d = 0; d < DTRT_MAX_RANK; d++)
    if (x->box[d].lo != y->box[d].lo) return x->box[d].lo < y->box[d].lo ? -1 : 1;
  return 0;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Cuts of dim d: how many, and each piece must reach from one to the next. */
static int64_t check_cuts(const checkpoint_var *v, int d, int64_t *cut) {
  int n = 0;
  for (int i = 0; i < v->npieces; i++) cut[i] = v->piece[i].box[d].lo;
  qsort(cut, (size_t)v->npieces, sizeof *cut, by_number);
  for (int i = 0; i < v->npieces; i++)
    if (!i || cut[i] != cut[n - 1]) cut[n++] = cut[i];
  cut[n] = v->shape[d];
  if (cut[0] != 0) return 0;
  for (int i = 0; i < v->npieces; i++) {
    const BlockSpan *s = &v->piece[i].box[d];
    const int64_t *at = bsearch(&s->lo, cut, (size_t)n, sizeof *cut, by_number);
    if (!at || at[1] != s->hi) return 0;
  }
  return n;
}

static bool check_grid(const checkpoint_opening *o, checkpoint_var *v) {
  int64_t count = 1, cells = 1;
  for (int d = 0; d < v->rank; d++) {
    if (v->shape[d] == 0) return true;
    if (__builtin_mul_overflow(count, v->shape[d], &count))
      return refuse(o, "%s has more elements than fit in 64 bits", v->path);
  }
  if (v->npieces == 0) return refuse(o, "%s is missing from all files", v->path);
  int64_t *cut = malloc(((size_t)v->npieces + 1) * sizeof *cut);
  if (!cut) return no_memory(o);
  qsort(v->piece, (size_t)v->npieces, sizeof *v->piece, by_corner);
  bool good = true;
  for (int i = 1; i < v->npieces; i++) good &= by_corner(&v->piece[i], &v->piece[i - 1]) != 0;
  for (int d = 0; good && d < v->rank; d++) {
    good = !__builtin_mul_overflow(cells, check_cuts(v, d, cut), &cells);
  }
  free(cut);
  return good && cells == v->npieces ? true
                                     : refuse(o, "the pieces of %s overlap or leave gaps", v->path);
}

/* -------- opening -------- */

static bool check_index_sum(const checkpoint_opening *o, char *text) {
  char *at = index_sum_place(text), was[16] = "", now[16];
  if (!at) return refuse(o, "it has no checksum");
  memcpy(was, at, 8);
  memcpy(at, "00000000", 8);
  snprintf(now, sizeof now, "%08x", index_sum(text));
  return !strcmp(was, now) ? true : refuse(o, "damaged: its checksum is wrong");
}

static bool open_index(checkpoint_opening *o) {
  checkpoint *c = o->c;
  int64_t n = 0;
  char why[256];
  char *text = safetensors_slurp(o->index_path, MOST_INDEX, &n, o->why, o->whysize);
  if (!text) return false;
  o->index = safetensors_json(text, (size_t)n, 0, DEEPEST_INDEX, why, sizeof why);
  bool good = o->index ? true : refuse(o, "it %s", why);
  json_t *own = json_object_get(o->index, "dtg"), *map = json_object_get(o->index, "weight_map");
  c->own = own != NULL;
  if (good && own) good = check_index_sum(o, text);
  free(text);
  if (good && own) return read_own(o, own) && open_own_files(o, json_object_get(own, "files"));
  if (good && !json_is_object(map)) good = refuse(o, "it has no weight_map");
  return good && open_mapped_files(o, map);
}

static bool open_single(const checkpoint_opening *o) {
  checkpoint *c = o->c;
  c->file = calloc(1, sizeof *c->file);
  return c->file ? open_file(o, c->path) : no_memory(o);
}

/* The path of a file in the folder, if it is there. False: out of memory. */
static bool find_in(const checkpoint_opening *o, const char *name, char **path) {
  *path = checkpoint_printf("%s/%s", o->c->path, name);
  if (!*path) return no_memory(o);
  if (access(*path, F_OK) == 0) return true;
  free(*path);
  *path = NULL;
  return true;
}

/* The newest of a folder of checkpoints becomes the path. */
static bool find_newest(checkpoint_opening *o) {
  checkpoint_steps steps;
  char *step = NULL;
  if (!checkpoint_list(o->c->path, &steps, o->why, o->whysize)) return false;
  if (steps.n) step = checkpoint_step_path(o->c->path, steps.step[0]);
  free(steps.step);
  if (!step)
    return refuse(o, "there is no checkpoint in it: no %s and no folder step-*", CHECKPOINT_INDEX);
  free(o->c->path);
  o->c->path = step;
  o->index_path = checkpoint_printf("%s/%s", step, CHECKPOINT_INDEX);
  return o->index_path ? open_index(o) : no_memory(o);
}

/* A folder has an index, ours or one of files as Transformers names them, or is one of checkpoints,
 * or has a single file of such a name. */
static bool open_folder(checkpoint_opening *o) {
  static const char *const indexes[] = {CHECKPOINT_INDEX, "pytorch_model.bin.index.json"},
                           *const files[] = {"model.safetensors", "pytorch_model.bin"};
  for (int i = 0; i < 2; i++) {
    if (!find_in(o, indexes[i], &o->index_path)) return false;
    if (o->index_path) return open_index(o);
  }
  for (int i = 0; i < 2; i++) {
    char *file;
    if (!find_in(o, files[i], &file)) return false;
    if (!file) continue;
    free(o->c->path);
    o->c->path = file;
    return open_single(o);
  }
  return find_newest(o);
}

static bool open_at(checkpoint_opening *o) {
  struct stat st;
  if (stat(o->c->path, &st)) return refuse(o, "%s", strerror(errno));
  return S_ISDIR(st.st_mode) ? open_folder(o) : open_single(o);
}

bool checkpoint_open(checkpoint *c, const char *path, char *why, size_t whysize) {
  *c = (checkpoint){.path = strdup(path), .program = strdup(""), .mesh = strdup("")};
  checkpoint_opening o = {.c = c, .why = why, .whysize = whysize};
  bool good = c->path && c->program && c->mesh;
  if (!good) snprintf(why, whysize, "%s: out of memory", path);
  for (size_t n = good ? strlen(c->path) : 0; n > 1 && c->path[n - 1] == '/';) c->path[--n] = 0;
  good = good && open_at(&o) && take_entries(&o);
  for (int i = 0; good && c->own && i < c->nvars; i++) good = check_grid(&o, &c->var[i]);
  json_decref(o.index);
  free(o.index_path);
  if (!good) checkpoint_free(c);
  return good;
}

void checkpoint_free(checkpoint *c) {
  for (int i = 0; i < c->nfiles; i++) safetensors_free(&c->file[i]);
  for (int i = 0; c->var && i < c->nvars; i++) {
    free(c->var[i].path);
    free(c->var[i].layout);
    free(c->var[i].piece);
    free((int64_t *)(uintptr_t)c->var[i].step);
  }
  free(c->file);
  free(c->var);
  free(c->program);
  free(c->mesh);
  free(c->path);
  *c = (checkpoint){0};
}
