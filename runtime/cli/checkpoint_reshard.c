/* checkpoint_reshard.c: `dtgc checkpoint reshard`: rewrites a checkpoint with whole tensors, in
 * several files or in one, for other tools. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "checkpoint_command.h"
#include "element.h"
#include "files.h"

typedef struct reshard {
  const checkpoint_command *c;
  checkpoint from;
  int *file; /* [from.nvars] that a variable goes to; -1: it is left out */
  int nfiles;
  json_t *metadata;
  checkpoint_about about;
  char *why; /* of CHECKPOINT_WHY bytes */
} reshard;

static bool fail(const reshard *r, const char *what) {
  snprintf(r->why, CHECKPOINT_WHY, "%s: %s", r->from.path, what);
  return false;
}

static int kind_of(const reshard *r, const checkpoint_var *v) {
  bool param = v->trainable || !r->from.own;
  return r->c->bf16 && param && v->kind == ELEMENT_F32 ? ELEMENT_BF16 : v->kind;
}

static int64_t bytes_of(const reshard *r, const checkpoint_var *v) {
  return (int64_t)element_size(kind_of(r, v)) * checkpoint_count(v);
}

/* -------- which tensor in which file: the largest first, each to the emptiest -------- */

typedef struct load {
  int var;
  int64_t bytes;
} load;

static int largest_first(const void *a, const void *b) {
  const load *x = a, *y = b;
  return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : x->var - y->var;
}

static bool deal(reshard *r) {
  int n = r->from.nvars, kept = 0;
  load *order = calloc((size_t)n + 1, sizeof *order);
  int64_t *sum = NULL;
  r->file = calloc((size_t)n + 1, sizeof *r->file);
  for (int i = 0; order && r->file && i < n; i++) {
    const checkpoint_var *v = &r->from.var[i];
    r->file[i] = -1;
    if (r->c->params && !v->trainable) continue;
    if (v->kind < 0) {
      snprintf(r->why, CHECKPOINT_WHY,
               "%s: %s has a type or a number of dims that dtg does not support", r->from.path,
               v->path);
      free(order);
      return false;
    }
    order[kept++] = (load){i, bytes_of(r, v)};
  }
  r->nfiles = r->c->files ? r->c->files : 1;
  if (r->nfiles > kept) r->nfiles = kept ? kept : 1;
  if (order && r->file) sum = calloc((size_t)r->nfiles, sizeof *sum);
  if (sum) qsort(order, (size_t)kept, sizeof *order, largest_first);
  for (int i = 0; sum && i < kept; i++) {
    int least = 0;
    for (int k = 1; k < r->nfiles; k++)
      if (sum[k] < sum[least]) least = k;
    sum[least] += order[i].bytes + 1; /* empty ones are distributed too */
    r->file[order[i].var] = least;
  }
  bool good = sum != NULL;
  free(order);
  free(sum);
  return good ? true : fail(r, "out of memory");
}

/* -------- one file -------- */

static bool put_tensor(const reshard *r, const safetensors_entry *e, checkpoint_writer *w) {
  const checkpoint_var *v = &r->from.var[e->of];
  checkpoint_walk walk;
  bool good = checkpoint_walk_open(&walk, &r->from, v, v->kind, r->why);
  while (good && checkpoint_walk_next(&walk)) {
    if (e->kind != v->kind) /* in place: what is written is never ahead of what is read */
      element_convert(v->kind, false, walk.data, walk.count, e->kind, walk.data);
    good = checkpoint_writer_put(w, walk.data, walk.count * (int64_t)element_size(e->kind));
  }
  good = good && !walk.failed;
  checkpoint_walk_close(&walk);
  return good;
}

static bool write_file(const reshard *r, int file, const char *path) {
  safetensors_entry *entry = calloc((size_t)r->from.nvars + 1, sizeof *entry);
  int n = 0;
  if (!entry) return fail(r, "out of memory");
  for (int i = 0; i < r->from.nvars; i++) {
    const checkpoint_var *v = &r->from.var[i];
    if (r->file[i] != file) continue;
    safetensors_entry *e = &entry[n++];
    *e = (safetensors_entry){.name = v->path, .kind = kind_of(r, v), .rank = v->rank, .of = i};
    memcpy(e->shape, v->shape, sizeof e->shape);
    e->bytes = bytes_of(r, v);
  }
  checkpoint_sort_entries(entry, n);
  checkpoint_writer w;
  bool good = checkpoint_writer_open(&w, path, entry, n, r->metadata, r->why);
  for (int i = 0; good && i < n; i++) good = put_tensor(r, &entry[i], &w);
  good = checkpoint_writer_close(&w, good);
  free(entry);
  return good;
}

/* -------- all -------- */

static bool write_one(const reshard *r, const char *path) {
  char *aside = file_aside_name(path);
  bool good = aside ? write_file(r, 0, aside) : fail(r, "out of memory");
  if (good && rename(aside, path)) {
    snprintf(r->why, CHECKPOINT_WHY, "%s: %s", path, strerror(errno));
    unlink(aside);
    good = false;
  }
  free(aside);
  return good;
}

static bool write_parts(const reshard *r, const char *aside) {
  bool good = checkpoint_make_folder(aside, r->why, CHECKPOINT_WHY);
  for (int i = 0; good && i < r->nfiles; i++) {
    char *name = checkpoint_part_name(i, r->nfiles);
    char *path = name ? checkpoint_printf("%s/%s", aside, name) : NULL;
    good = path ? write_file(r, i, path) : fail(r, "out of memory");
    free(path);
    free(name);
  }
  return good;
}

static bool write_folder(reshard *r, const char *path) {
  checkpoint_saved *var = calloc((size_t)r->from.nvars + 1, sizeof *var);
  char *aside = checkpoint_printf("%s.new-%016llx", path, (unsigned long long)file_random());
  bool good = var && aside ? true : fail(r, "out of memory");
  for (int i = 0; good && i < r->from.nvars; i++) {
    const checkpoint_var *v = &r->from.var[i];
    if (r->file[i] < 0) continue;
    checkpoint_saved *s = &var[r->about.nvars++];
    *s = (checkpoint_saved){v->path, v->dtype, kind_of(r, v), v->rank, v->trainable, {0}, ""};
    memcpy(s->shape, v->shape, sizeof s->shape);
  }
  r->about.var = var;
  good = good && write_parts(r, aside) &&
         checkpoint_write_index(aside, &r->about, r->nfiles, r->why, CHECKPOINT_WHY) &&
         checkpoint_place(aside, path, r->why, CHECKPOINT_WHY);
  if (!good && aside) checkpoint_remove(aside);
  free(aside);
  free(var);
  return good;
}

static bool ends_in(const char *text, const char *end) {
  size_t n = strlen(text), k = strlen(end);
  return n > k && !strcmp(text + n - k, end);
}

static bool run(reshard *r) {
  const char *to = r->c->word[1];
  bool one = ends_in(to, ".safetensors");
  if (one && r->c->files > 1)
    return fail(r, "--files goes with a folder, and a name that ends in .safetensors is one file");
  if (r->c->params && !r->from.own)
    return fail(r, "--params: only dtg's own checkpoints record which tensors are params");
  if (!deal(r)) return false;
  r->about = (checkpoint_about){
      .program = r->from.program, .mesh = "", .hash = r->from.hash, .progress = r->from.progress};
  if (!(r->metadata = checkpoint_metadata(&r->about))) return fail(r, "out of memory");
  if (one) json_object_del(r->metadata, "dtg"); /* it is a part of nothing */
  /* What is damaged must not become a file with good checksums. */
  if (!checkpoint_verify(&r->from, 0, 1, r->why, CHECKPOINT_WHY)) return false;
  return one ? write_one(r, to) : write_folder(r, to);
}

int checkpoint_reshard(const checkpoint_command *c) {
  char why[CHECKPOINT_WHY] = "";
  reshard r = {.c = c, .why = why};
  if (!checkpoint_open(&r.from, c->word[0], why, sizeof why))
    return checkpoint_command_fail(c, why);
  bool good = run(&r);
  json_decref(r.metadata);
  free(r.file);
  checkpoint_free(&r.from);
  return good ? COMMAND_OK : checkpoint_command_fail(c, why);
}
