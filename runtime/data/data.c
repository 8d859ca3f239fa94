/* data.c: see data.h. Consecutive rows of the file are read as one box, so file order costs one
 * read per step and input, and a shuffled order one per row. */
#include "data.h"
#include "files.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "finite.h"
#include "plural.h"
#include <unistd.h>

static void input_text(const dtrt_tensor *in, char *text, size_t size) {
  int64_t shape[DTRT_MAX_RANK];
  for (int d = 0; d < in->layout->rank; d++) shape[d] = in->layout->dim[d].n;
  tensor_file_type_text(in->dtype, in->layout->rank, shape, text, size);
}

static bool is_columns(const tensor_file *f) {
  return !strcmp(f->format, "CSV") || !strcmp(f->format, "raw");
}

/* The dims of a file must be those of the input. Dims of size 1 do not count, and the columns of a
 * CSV or of raw records may be all dims but the first as one. With `rows`, dim 0 of the file may be
 * any number. */
static bool same_shape(const tensor_file *f, const dtrt_tensor *in, bool rows) {
  const dtrt_layout *l = in->layout;
  int a = rows, b = rows;
  if (rows && (!f->rank || !l->rank)) return false;
  if (is_columns(f) && l->rank > 0) {
    int64_t columns = 1;
    for (int d = 1; d < l->rank; d++) columns *= l->dim[d].n;
    return f->shape[1] == columns && (rows || f->shape[0] == l->dim[0].n);
  }
  for (;;) {
    while (a < f->rank && f->shape[a] == 1) a++;
    while (b < l->rank && l->dim[b].n == 1) b++;
    if (a == f->rank || b == l->rank) return a == f->rank && b == l->rank;
    if (f->shape[a++] != l->dim[b++].n) return false;
  }
}

static bool check_shape(const data_set *set, int i, char *why, size_t whysize) {
  const tensor_file *f = set->file[i];
  const dtrt_tensor *in = &set->entry->in[i];
  bool rows = !set->whole && !set->fixed[i];
  if (same_shape(f, in, rows)) return true;
  char want[256], found[256];
  input_text(in, want, sizeof want);
  tensor_file_type_text(f->kind, f->rank, f->shape, found, sizeof found);
  const char *hint = "";
  const bool rows_only =
      f->rank == 2 && in->layout->rank == 2 && f->shape[1] == in->layout->dim[1].n;
  if (is_columns(f) && in->layout->rank > 0 && !rows_only)
    hint = !strcmp(f->format, "CSV")
               ? " (choose columns with FILE:0-63 or FILE:64)"
               : " (choose columns after the type, as in FILE:u8[3073]:1-3072)";
  snprintf(why, whysize, "%s: expected %s for input '%s'%s, found %s%s", f->name, want, in->name,
           rows ? ", with any number of rows for the first dim" : "", found, hint);
  return false;
}

static bool check_rows(data_set *set, int i, char *why, size_t whysize) {
  const dtrt_tensor *in = &set->entry->in[i];
  const tensor_file *f = set->file[i];
  const char *name = in->dim_const ? in->dim_const[0] : NULL;
  int64_t batch = in->layout->dim[0].n;
  if (batch < 1) {
    snprintf(why, whysize, "fit %s: the batch is %lld, the first dim of input '%s'",
             set->entry->name, (long long)batch, in->name);
    return false;
  }
  if (!set->batch) {
    set->constant = name;
    set->batch = batch;
    set->rows = f->shape[0];
  } else if (name && set->constant && strcmp(set->constant, name) != 0) {
    snprintf(why, whysize,
             "fit %s: the first dims of the inputs are different consts, '%s' and '%s' (of '%s')",
             set->entry->name, set->constant, name, in->name);
    return false;
  } else if (set->batch != batch) {
    snprintf(why, whysize,
             "fit %s: the first dim of the inputs is %lld in one and %lld in '%s'; it is the batch",
             set->entry->name, (long long)set->batch, (long long)batch, in->name);
    return false;
  } else if (f->shape[0] != set->rows) {
    snprintf(why, whysize, "%s: expected %lld row%s, as in the other files, found %lld", f->name,
             (long long)set->rows, PLURAL(set->rows), (long long)f->shape[0]);
    return false;
  }
  if (!name) set->constant = NULL; /* another value of the const would not fit this input */
  return true;
}

enum { MOST_SHIFT = 46 }; /* 2^46 bytes are the most that a tensor may have */

static tensor_file *open_array(const dtrt_tensor *in, const data_pair *from, char *why,
                               size_t whysize) {
  int64_t shape[DTRT_MAX_RANK], bytes = dtrt_dtype_size(in->dtype);
  bool over = false;
  for (int d = 0; d < in->layout->rank; d++) {
    shape[d] = d ? in->layout->dim[d].n : from->rows;
    over = over || shape[d] < 0 || shape[d] > (int64_t)1 << MOST_SHIFT;
    over = over || __builtin_mul_overflow(bytes, shape[d] ? shape[d] : 1, &bytes);
  }
  if (over || bytes > (int64_t)1 << MOST_SHIFT) {
    snprintf(why, whysize, "input '%s': %lld rows are more than 2^%d bytes", in->name,
             (long long)from->rows, MOST_SHIFT);
    return NULL;
  }
  return tensor_file_over(in->name, in->dtype, in->layout->rank, shape, from->data, why, whysize);
}

/* The file that another set has open by the same words for the same type. */
static tensor_file *shared(const data_set *like, const char *spec, const dtrt_tensor *in) {
  for (int k = 0; spec && like && like->entry && k < like->entry->nin; k++) {
    const dtrt_tensor *t = &like->entry->in[k];
    bool same = like->spec[k] && !strcmp(like->spec[k], spec) && t->dtype == in->dtype;
    if (same && in->layout->rank > 0 && t->layout->rank > 0)
      return tensor_file_share(like->file[k]);
  }
  return NULL;
}

static bool open_input(const spool_job *job, data_set *set, int i, const data_pair *feed, int nfeed,
                       const data_set *like, char *why, size_t whysize) {
  const dtrt_tensor *in = &set->entry->in[i];
  const data_pair *from = NULL;
  char want[256];
  input_text(in, want, sizeof want);
  for (int k = 0; k < nfeed; k++)
    if (!strcmp(feed[k].name, in->name)) from = &feed[k];
  if (!from) {
    snprintf(why, whysize, "entry '%s' requires input '%s' (%s): --feed %s=%s", set->entry->name,
             in->name, want, in->name, in->layout->rank ? "FILE" : "NUMBER");
    return false;
  }
  const char *spec = set->spec[i] = from->file;
  set->file[i] = from->data ? open_array(in, from, why, whysize) : shared(like, spec, in);
  tensor_file_most most = {INT64_MAX, INT64_MAX};
  if (set->whole || in->layout->rank == 0)
    most = (tensor_file_most){in->layout->rank ? in->layout->dim[0].n : 1, dtrt_tensor_count(in)};
  if (!set->file[i] && spec)
    set->file[i] =
        tensor_file_open_in(job, spec, in->dtype, in->layout->rank == 0, &most, why, whysize);
  set->fixed[i] = in->layout->rank == 0;
  if (!set->file[i] && spec && !set->fixed[i] && element_is_number(spec, in->dtype) &&
      access(spec, F_OK))
    snprintf(why, whysize,
             "%.64s: no such file; input '%s' is %s and needs a file (numbers are accepted for "
             "scalar inputs only)",
             spec, in->name, want);
  if (!set->file[i] && spec && set->fixed[i] && !strpbrk(spec, "*?[{@|:/") &&
      !element_is_number(spec, in->dtype) && access(spec, F_OK))
    snprintf(why, whysize, "%.64s: neither a number nor a file; input '%s' is %s%s", spec, in->name,
             want, in->dtype == DTRT_BOOL ? ", 0 or 1, true or false" : "");
  if (!set->file[i] || !check_shape(set, i, why, whysize)) return false;
  return set->whole || set->fixed[i] || check_rows(set, i, why, whysize);
}

bool data_open(data_set *set, const dtrt_entry *entry, const data_pair *feed, int nfeed, bool whole,
               int64_t skip, int64_t limit, const data_set *like, char *why, size_t whysize) {
  return data_open_in(NULL, set, entry, feed, nfeed, whole, skip, limit, like, why, whysize);
}

bool data_open_in(const spool_job *job, data_set *set, const dtrt_entry *entry,
                  const data_pair *feed, int nfeed, bool whole, int64_t skip, int64_t limit,
                  const data_set *like, char *why, size_t whysize) {
  *set = (data_set){.entry = entry, .whole = whole};
  size_t n = (size_t)entry->nin + 1;
  set->file = calloc(n, sizeof *set->file);
  set->fixed = calloc(n, sizeof *set->fixed);
  set->spec = calloc(n, sizeof *set->spec);
  snprintf(why, whysize, "out of memory");
  bool good = set->file && set->fixed && set->spec;
  for (int i = 0; good && i < entry->nin; i++)
    good = open_input(job, set, i, feed, nfeed, like, why, whysize);
  if (good && !whole && !set->batch) {
    snprintf(why, whysize, "fit %s: no input of the entry has a batch dim", entry->name);
    good = false;
  }
  if (good && !whole && skip >= set->rows) {
    snprintf(why, whysize, "fit %s: the files hold %lld row%s%s", entry->name, (long long)set->rows,
             PLURAL(set->rows), skip ? ", and all are skipped" : "");
    good = false;
  }
  if (good) {
    set->skip = skip;
    set->limit = limit && limit < set->rows - skip ? limit : set->rows - skip;
  }
  if (!good) data_close(set);
  return good;
}

static bool reads(const tensor_file *f, const char *path) {
  for (int i = 0; i < f->nparts; i++)
    if (reads(f->part[i], path)) return true;
  return file_is_same(f->name, path);
}

bool data_reads(const data_set *set, const char *path) {
  for (int i = 0; set->file && i < set->entry->nin; i++)
    if (set->file[i] && reads(set->file[i], path)) return true;
  return false;
}

void data_close(data_set *set) {
  for (int i = 0; set->file && i < set->entry->nin; i++) tensor_file_close(set->file[i]);
  free(set->file);
  free(set->fixed);
  free(set->spec);
  free(set->order);
  *set = (data_set){0};
}

/* splitmix64 (Steele, Lea, Flood): one multiply-mix a number, any start is good. */
static uint64_t splitmix(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Uniform in [0, n): draws that would favour small numbers are thrown away. */
static int64_t below(uint64_t *state, int64_t n) {
  uint64_t un = (uint64_t)n, unfair = (0 - un) % un, draw;
  do draw = splitmix(state);
  while (draw < unfair);
  return (int64_t)(draw % un);
}

bool data_shuffle(data_set *set, uint64_t seed, int64_t epoch) {
  if (!set->order) set->order = malloc((size_t)set->limit * sizeof *set->order);
  if (!set->order) return false;
  uint64_t state = seed;
  state = splitmix(&state) + (uint64_t)epoch; /* so that (1, 2) and (2, 1) are strangers */
  for (int64_t i = 0; i < set->limit; i++) set->order[i] = i;
  for (int64_t i = set->limit - 1; i > 0; i--) { /* Fisher and Yates */
    int64_t j = below(&state, i + 1), keep = set->order[i];
    set->order[i] = set->order[j];
    set->order[j] = keep;
  }
  return true;
}

bool data_stream(data_set *set) {
  int64_t steps = set->limit / set->batch;
  if (!set->order) set->order = malloc((size_t)set->limit * sizeof *set->order);
  if (!set->order) return false;
  for (int64_t k = 0; k < steps; k++)
    for (int64_t b = 0; b < set->batch; b++) set->order[k * set->batch + b] = b * steps + k;
  return true;
}

int data_fill(void *user, int device, int input, const int64_t *lo, const int64_t *hi, void *to,
              char *why) {
  const data_set *set = user;
  const dtrt_tensor *in = &set->entry->in[input];
  const tensor_file *f = set->file[input];
  int rank = in->layout->rank;
  int64_t shape[DTRT_MAX_RANK], from[DTRT_MAX_RANK], until[DTRT_MAX_RANK], row = 1;
  (void)device;
  for (int d = 0; d < rank; d++) {
    shape[d] = in->layout->dim[d].n;
    from[d] = lo[d];
    until[d] = hi[d];
    if (d > 0) row *= hi[d] - lo[d];
  }
  if (set->whole || set->fixed[input])
    return !tensor_file_read(f, rank, shape, from, until, in->dtype, to, why, 256);
  shape[0] = set->rows;
  char *p = to;
  for (int64_t i = lo[0]; i < hi[0];) {
    int64_t at = set->first + i, n = 1;
    from[0] = set->skip + (set->order ? set->order[at] : at);
    while (i + n < hi[0] && (!set->order || set->order[at + n] == set->order[at] + n)) n++;
    until[0] = from[0] + n;
    if (!tensor_file_read(f, rank, shape, from, until, in->dtype, p, why, 256)) return 1;
    p += n * row * dtrt_dtype_size(in->dtype);
    i += n;
  }
  return 0;
}

bool data_finite(const data_set *set) {
  bool finite = true;
  for (int i = 0; i < set->entry->nin && finite; i++) {
    const dtrt_tensor *t = &set->entry->in[i];
    int64_t lo[DTRT_MAX_RANK + 1] = {0}, hi[DTRT_MAX_RANK + 1] = {0}, n = dtrt_tensor_count(t);
    char why[256], *at = malloc((size_t)n * (size_t)dtrt_dtype_size(t->dtype) + 1);
    for (int d = 0; d < t->layout->rank; d++) hi[d] = t->layout->dim[d].n;
    if (at && data_fill((void *)set, 0, i, lo, hi, at, why) == 0)
      finite = finite_flags(t->dtype, n, at) == 0;
    free(at);
  }
  return finite;
}
