/* roundtrip.c DIR [SEED COUNT]: random variables and layouts, saved on one mesh and restored on
 * another; how much memory and reading that takes; and more files than may be open at once.
 *
 * libdtrt is linked with malloc and pread wrapped, so that all it takes and reads is counted. */
#include <jansson.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "dtrt.h"

/* -------- counting -------- */

void *__real_malloc(size_t n);
void *__real_aligned_alloc(size_t to, size_t n);
void *__wrap_aligned_alloc(size_t to, size_t n);
void *__real_calloc(size_t n, size_t m);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
ssize_t __real_pread(int fd, void *to, size_t n, off_t at);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t m);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at);

static atomic_llong live, peak, bytes_read;

static void *taken(void *p) {
  long long now =
      atomic_fetch_add(&live, (long long)malloc_usable_size(p)) + (long long)malloc_usable_size(p);
  long long most = atomic_load(&peak);
  while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
  }
  return p;
}
void *__wrap_malloc(size_t n) { return taken(__real_malloc(n)); }
void *__wrap_aligned_alloc(size_t to, size_t n) { return taken(__real_aligned_alloc(to, n)); }
void *__wrap_calloc(size_t n, size_t m) { return taken(__real_calloc(n, m)); }
void *__wrap_realloc(void *p, size_t n) {
  atomic_fetch_sub(&live, (long long)malloc_usable_size(p));
  return taken(__real_realloc(p, n));
}
void __wrap_free(void *p) {
  atomic_fetch_sub(&live, (long long)malloc_usable_size(p));
  __real_free(p);
}
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at) {
  ssize_t got = __real_pread(fd, to, n, at);
  if (got > 0) atomic_fetch_add(&bytes_read, got);
  return got;
}

/* -------- programs -------- */

enum { MOST_VARS = 12 };

typedef struct prog {
  dtrt_program p;
  int32_t size[3];
  dtrt_tensor var[MOST_VARS];
  dtrt_layout layout[MOST_VARS];
  dtrt_dim dim[MOST_VARS][DTRT_MAX_RANK];
  char name[MOST_VARS][32];
  dtrt_entry entry;
} prog;

static const char *const axes[] = {"a", "b", "c"};
static void nothing(dtrt_device *dev) { (void)dev; }

static uint64_t state = 1;
static int64_t pick(int64_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)n);
}

static void begin(prog *g, int naxes, const int *size, int nvars) {
  memset(g, 0, sizeof *g);
  for (int i = 0; i < naxes; i++) g->size[i] = size[i];
  g->entry = (dtrt_entry){.name = "init", .run = nothing};
  g->p = (dtrt_program){.abi = DTRT_ABI,
                        .name = "roundtrip",
                        .naxes = naxes,
                        .axis_name = axes,
                        .axis_size = g->size,
                        .nvars = nvars,
                        .nentries = 1,
                        .var = g->var,
                        .entry = &g->entry};
}

/* Room for the largest block is the whole: simple, and right. */
static void place(prog *g, int i, const char *name, int dtype, int rank, const int64_t *shape) {
  snprintf(g->name[i], sizeof g->name[i], "%s", name);
  for (int d = 0; d < rank; d++) {
    g->dim[i][d].n = shape[d];
    if (g->dim[i][d].granule == 0) g->dim[i][d].granule = 1;
  }
  g->layout[i] = (dtrt_layout){.rank = rank, .dim = g->dim[i]};
  g->var[i] = (dtrt_tensor){
      .name = g->name[i], .dtype = dtype, .trainable = i % 2, .layout = &g->layout[i], .where = ""};
  int64_t bytes = dtrt_tensor_count(&g->var[i]) * dtrt_dtype_size(dtype);
  g->var[i].offset = g->p.vars_bytes;
  g->var[i].bytes = bytes;
  g->p.vars_bytes += (bytes + 63) / 64 * 64;
}

static void cut(prog *g, int i, int d, int axis) {
  dtrt_dim *m = &g->dim[i][d];
  m->axis[m->naxes++] = axis;
}

static void deal_axes(prog *g, int i, int rank) {
  for (int a = 0; a < g->p.naxes && rank; a++)
    if (pick(3)) cut(g, i, (int)pick(rank), a);
  for (int d = 0; d < rank; d++)
    if (g->dim[i][d].n % 2 == 0 && g->dim[i][d].n && pick(3) == 0) g->dim[i][d].granule = 2;
}

static dtrt_session *start(prog *g) {
  dtrt_session *s = NULL;
  if (dtrt_open(&g->p, NULL, &s) == DTRT_OK) return s;
  printf("%s\n", dtrt_session_error(s));
  exit(99);
}

static int failures, checks;
static void check(int good, const char *what, const dtrt_session *s) {
  checks++;
  if (good) return;
  failures++;
  printf("FAIL %s: %s\n", what, s ? dtrt_session_error(s) : "");
}

static char *values(const dtrt_tensor *t, int64_t *bytes) {
  *bytes = dtrt_tensor_count(t) * dtrt_dtype_size(t->dtype);
  char *v = __real_malloc((size_t)*bytes + 1);
  for (int64_t i = 0; i < *bytes; i++) v[i] = (char)(t->dtype == DTRT_BOOL ? pick(2) : pick(256));
  return v;
}

/* -------- random layouts -------- */

static void random_pair(const char *path, int round) {
  static const int meshes[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {2, 2, 1},
                                  {2, 3, 1}, {2, 2, 2}, {5, 1, 1}, {3, 2, 1}};
  prog from, to;
  int nvars = 1 + (int)pick(MOST_VARS);
  begin(&from, 3, meshes[pick(8)], nvars);
  begin(&to, 3, meshes[pick(8)], nvars);
  char *was[MOST_VARS], name[64];
  int64_t bytes;
  for (int i = 0; i < nvars; i++) {
    int rank = (int)pick(5), dtype = (int)pick(9);
    int64_t shape[DTRT_MAX_RANK];
    for (int d = 0; d < rank; d++) shape[d] = pick(20) ? 1 + pick(9) : 0;
    snprintf(name, sizeof name, i % 3 ? "layer%d.w" : "opt.m[layer%d.w]", i);
    place(&from, i, name, dtype, rank, shape);
    place(&to, nvars - 1 - i, name, dtype, rank, shape);
    deal_axes(&from, i, rank);
    deal_axes(&to, nvars - 1 - i, rank);
  }
  dtrt_session *s = start(&from), *t = start(&to);
  for (int i = 0; i < nvars; i++) {
    was[i] = values(&from.var[i], &bytes);
    check(dtrt_set_var(s, i, was[i], bytes) == DTRT_OK, "set", s);
  }
  dtrt_progress p = {.step = round}, q;
  check(dtrt_save(s, path, &(dtrt_save_options){.progress = &p}) == DTRT_OK, "save", s);
  check(dtrt_restore(t, path, NULL, &q) == DTRT_OK && q.step == round, "restore", t);
  for (int i = 0; i < nvars; i++) {
    const dtrt_tensor *v = &to.var[nvars - 1 - i];
    bytes = dtrt_tensor_count(v) * dtrt_dtype_size(v->dtype);
    char *is = __real_malloc((size_t)bytes + 1);
    check(dtrt_get_var(t, nvars - 1 - i, is, bytes) == DTRT_OK &&
              !memcmp(is, was[i], (size_t)bytes),
          "values", t);
    __real_free(is);
    __real_free(was[i]);
  }
  dtrt_close(s);
  dtrt_close(t);
}

/* -------- what it takes -------- */

static long long size_of(const char *path) {
  char name[4200];
  struct stat st;
  long long all = 0;
  for (int i = 0; i < 8; i++) {
    snprintf(name, sizeof name, "%s/part-%05d-of-00008.safetensors", path, i);
    all += stat(name, &st) ? 0 : st.st_size;
  }
  return all;
}

/* 32 MiB from rows to columns, to squares, and to one device. Reads: each byte for its checksum,
 * and again by its owner, with gaps of less than what is wanted; memory: a buffer a device. */
static void measure(const char *path) {
  static const int from_mesh[] = {8}, to_mesh[] = {2, 4}, one[] = {1};
  const int64_t shape[] = {4096, 2048};
  const long long all = 4096ll * 2048 * 4, buffer = 1 << 20, small = 300000;
  prog from, to[4];
  begin(&from, 1, from_mesh, 1);
  place(&from, 0, "w", DTRT_F32, 2, shape);
  cut(&from, 0, 0, 0);
  begin(&to[0], 1, from_mesh, 1);
  begin(&to[1], 2, to_mesh, 1);
  begin(&to[2], 1, one, 1);
  begin(&to[3], 1, from_mesh, 1);
  for (int i = 0; i < 4; i++) place(&to[i], 0, "w", DTRT_F32, 2, shape);
  cut(&to[0], 0, 1, 0); /* columns: runs of 1 KiB */
  cut(&to[1], 0, 0, 0);
  cut(&to[1], 0, 1, 1);
  cut(&to[3], 0, 0, 0);
  dtrt_session *s = start(&from);
  int64_t bytes;
  char *was = values(&from.var[0], &bytes), *is = __real_malloc((size_t)bytes);
  check(dtrt_set_var(s, 0, was, bytes) == DTRT_OK, "set", s);
  atomic_store(&peak, atomic_load(&live));
  long long before = atomic_load(&live);
  check(dtrt_save(s, path, NULL) == DTRT_OK, "save", s);
  long long took = atomic_load(&peak) - before;
  printf("saving %lld bytes from 8 devices took %lld bytes of memory\n", all, took);
  check(took < 8 * (buffer + 4096) + small, "saving copies blocks", NULL);
  check(size_of(path) < all + 8 * 4096, "each piece is written once", NULL);
  dtrt_close(s);
  for (int i = 0; i < 4; i++) {
    dtrt_session *t = start(&to[i]);
    int n = dtrt_session_ndevices(t);
    before = atomic_load(&live);
    atomic_store(&peak, before);
    atomic_store(&bytes_read, 0);
    check(dtrt_restore(t, path, NULL, NULL) == DTRT_OK, "restore", t);
    took = atomic_load(&peak) - before;
    long long got = atomic_load(&bytes_read) - all;
    printf("restoring on %d devices took %lld bytes of memory, and %lld bytes were read besides "
           "checksums\n",
           n, took, got);
    check(took < n * buffer + small, "memory", NULL);
    check(got < all + small, "devices read what is not theirs", NULL);
    check(dtrt_get_var(t, 0, is, bytes) == DTRT_OK && !memcmp(is, was, (size_t)bytes), "values", t);
    dtrt_close(t);
  }
  __real_free(was);
  __real_free(is);
}

/* Files whose elements end before, at and behind the stretches that go past the page cache. */
static void stretches(const char *path) {
  const int one[] = {1};
  const int64_t stretch = 1 << 20, page = 4096;
  const int64_t sizes[] = {1, page, stretch - 2 * page, stretch, 2 * stretch, 3 * stretch + 12345};
  for (int k = 0; k < 6; k++)
    for (int64_t off = -600; off <= 600; off += k == 2 || k == 3 ? 41 : 600) {
      const int64_t shape[] = {sizes[k] + off > 0 ? sizes[k] + off : 0};
      prog from;
      int64_t bytes;
      begin(&from, 1, one, 1);
      place(&from, 0, "w", DTRT_U8, 1, shape);
      dtrt_session *s = start(&from), *t = start(&from);
      char *was = values(&from.var[0], &bytes), *is = __real_malloc((size_t)bytes + 1);
      check(dtrt_set_var(s, 0, was, bytes) == DTRT_OK && dtrt_save(s, path, NULL) == DTRT_OK,
            "save of stretches", s);
      check(dtrt_restore(t, path, NULL, NULL) == DTRT_OK, "restore of stretches", t);
      check(dtrt_get_var(t, 0, is, bytes) == DTRT_OK && !memcmp(is, was, (size_t)bytes), "values",
            t);
      __real_free(was);
      __real_free(is);
      dtrt_close(s);
      dtrt_close(t);
    }
}

/* A piece and a file a device, and few files that may be open. */
static void many(const char *path, int n) {
  struct rlimit old, few;
  prog from, to;
  const int64_t shape[] = {3 * n + 1};
  const int mesh[] = {n}, other[] = {3};
  begin(&from, 1, mesh, 1);
  begin(&to, 1, other, 1);
  place(&from, 0, "w", DTRT_F32, 1, shape);
  place(&to, 0, "w", DTRT_F32, 1, shape);
  cut(&from, 0, 0, 0);
  cut(&to, 0, 0, 0);
  dtrt_session *s = start(&from), *t = start(&to);
  int64_t bytes;
  char *was = values(&from.var[0], &bytes), *is = __real_malloc((size_t)bytes);
  check(dtrt_set_var(s, 0, was, bytes) == DTRT_OK, "set", s);
  getrlimit(RLIMIT_NOFILE, &old);
  few = old;
  few.rlim_cur = 64;
  setrlimit(RLIMIT_NOFILE, &few);
  check(dtrt_save(s, path, NULL) == DTRT_OK, "save of many files", s);
  check(dtrt_restore(t, path, NULL, NULL) == DTRT_OK, "restore of many files", t);
  setrlimit(RLIMIT_NOFILE, &old);
  check(dtrt_get_var(t, 0, is, bytes) == DTRT_OK && !memcmp(is, was, (size_t)bytes), "values", t);
  dtrt_close(s);
  dtrt_close(t);
  __real_free(was);
  __real_free(is);
}

int main(int argc, char **argv) {
  char path[4096];
  if (argc < 2) return 2;
  json_set_alloc_funcs(__wrap_malloc, __wrap_free);
  mkdir(argv[1], 0777);
  snprintf(path, sizeof path, "%s/step-000001", argv[1]);
  if (argc > 2) state = strtoull(argv[2], NULL, 10);
  int count = argc > 3 ? atoi(argv[3]) : 25;
  for (int i = 0; i < count; i++) {
    uint64_t seed = state;
    int was = failures;
    random_pair(path, i);
    if (failures > was) printf("  with seed %llu\n", (unsigned long long)seed);
  }
  if (argc > 3) {
    stretches(path);
    measure(path);
    many(path, 300);
  }
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
