/* blocks.c: what devices read of files that stay on disk: their own rows and columns, counted in
 * bytes; files that are decoded once and shared; many files as one; every row once in each order.
 * Works in the directory given as its argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "check.h"
#include "data.h"

static void put(const char *name, const void *a, size_t na, const void *b, size_t nb) {
  FILE *f = fopen(name, "wb");
  if (!f || fwrite(a, 1, na, f) != na || fwrite(b, 1, nb, f) != nb || fclose(f)) exit(99);
}

static void put_npy(const char *name, int64_t rows, int64_t columns, const int32_t *data) {
  char header[1024];
  int n = npy_header(DTRT_I32, 2, (const int64_t[]){rows, columns}, header, sizeof header);
  put(name, header, (size_t)n, data, (size_t)(rows * columns) * 4);
}

static int32_t value(int64_t i) { return (int32_t)(i * 2654435761u >> 7); }

static int32_t all[600 * 4096], got[600 * 4096];

/* Reads a box and checks it; the bytes that this brought from the disk. */
static int64_t read_box(tensor_file *f, int64_t columns, int64_t r0, int64_t r1, int64_t c0,
                        int64_t c1) {
  int64_t before = tensor_file_from_disk(f), n = 0;
  const int64_t lo[2] = {r0, c0}, hi[2] = {r1, c1};
  bool good = tensor_file_read(f, 2, f->shape, lo, hi, DTRT_I32, got, why, sizeof why);
  for (int64_t r = r0; r < r1; r++)
    for (int64_t c = c0; c < c1; c++) good = good && got[n++] == all[r * columns + c];
  CHECK(good);
  return tensor_file_from_disk(f) - before;
}

/* Four devices, cut along either dim: of wide rows each reads its block alone; where rows are
 * narrow the bytes between are read along, but no more than the box spans. */
static void check_devices(const char *spec, int64_t rows, int64_t columns) {
  why[0] = '\0';
  tensor_file *f = tensor_file_open(spec, DTRT_I32, false, NULL, why, sizeof why);
  CHECK(f && f->fd >= 0 && tensor_file_from_disk(f) == 0);
  if (!f) return;
  for (int64_t d = 0; d < 4; d++) {
    int64_t r0 = rows * d / 4, r1 = rows * (d + 1) / 4, c0 = columns * d / 4,
            c1 = columns * (d + 1) / 4;
    CHECK(read_box(f, columns, r0, r1, 0, columns) == (r1 - r0) * columns * 4);
    int64_t took = read_box(f, columns, 0, rows, c0, c1);
    if (columns >= 2048)
      CHECK(took == rows * (c1 - c0) * 4);
    else
      CHECK(took <= (rows - 1) * columns * 4 + (c1 - c0) * 4 + 16384);
    CHECK(read_box(f, columns, 3, 4, c0, c1) == (c1 - c0) * 4);
  }
  tensor_file_close(f);
}

static void test_devices(void) {
  for (int64_t i = 0; i < 600 * 4096; i++) all[i] = value(i);
  put_npy("wide.npy", 600, 4096, all);
  check_devices("wide.npy", 600, 4096);
  put_npy("narrow.npy", 4000, 16, all);
  check_devices("narrow.npy", 4000, 16);
  put("wide.bin", all, 100 * 2048 * 4, "", 0);
  check_devices("wide.bin:i32[2048]", 100, 2048);
  static unsigned char idx[12 + 64 * 2048 * 4] = {0, 0, 12, 2, 0, 0, 0, 64, 0, 0, 8, 0};
  for (int64_t i = 0; i < 64 * 2048; i++)
    for (int b = 0; b < 4; b++)
      idx[12 + 4 * i + b] = (unsigned char)((uint32_t)all[i] >> (24 - 8 * b));
  put("wide.idx", idx, sizeof idx, "", 0);
  check_devices("wide.idx", 64, 2048);
}

/* Chosen columns of records, of which a device reads those alone that are its own. */
static void test_columns(void) {
  tensor_file *f = tensor_file_open("wide.bin:i32[2048]:1024-", DTRT_I32, false, NULL, why, sizeof why);
  CHECK(f);
  if (!f) return;
  const int64_t lo[2] = {0, 256}, hi[2] = {100, 512};
  CHECK(tensor_file_read(f, 2, f->shape, lo, hi, DTRT_I32, got, why, sizeof why));
  CHECK(tensor_file_from_disk(f) == 100 * 256 * 4);
  for (int64_t i = 0; i < 100 * 256; i++)
    checks++, failures += got[i] != all[i / 256 * 2048 + 1024 + 256 + i % 256];
  tensor_file_close(f);
}

/* ---- data sets */

static const dtrt_dim dims[2] = {{.n = 8, .granule = 1}, {.n = 2, .granule = 1}};
static const dtrt_layout layout = {.rank = 2, .dim = dims}, label_layout = {.rank = 2, .dim = dims};
static const char *const named[2] = {"batch", NULL};
static const dtrt_tensor in[2] = {
    {.name = "x", .dtype = DTRT_I32, .layout = &layout, .dim_const = named},
    {.name = "y", .dtype = DTRT_I64, .layout = &label_layout, .dim_const = named}};
static const dtrt_entry entry = {.name = "e", .nin = 2, .in = in};

static void test_shared(void) {
  gzFile z = gzopen("rows.csv.gz", "wb");
  for (int i = 0; i < 100; i++) gzprintf(z, "%d,%d,%d\n", i, i + 1, i + 2);
  if (gzclose(z) != Z_OK) exit(99);
  const data_pair feed[2] = {{.name = "x", .file = "rows.csv.gz:0-1"},
                             {.name = "y", .file = "rows.csv.gz:1-2"}};
  const data_pair turned[2] = {{.name = "x", .file = "rows.csv.gz:1-2"},
                               {.name = "y", .file = "rows.csv.gz:1-2"}};
  data_set a, b, c;
  CHECK(data_open(&a, &entry, feed, 2, false, 0, 80, NULL, why, sizeof why));
  CHECK(data_open(&b, &entry, feed, 2, false, 80, 0, &a, why, sizeof why));
  CHECK(data_open(&c, &entry, turned, 2, false, 0, 0, &a, why, sizeof why));
  CHECK(b.file[0] == a.file[0] && b.file[1] == a.file[1] && b.limit == 20);
  CHECK(c.file[0] != a.file[1] && c.file[1] == a.file[1]); /* another type is another decoding */
  data_close(&a);
  data_close(&c);
  int32_t x[16];
  const int64_t lo[2] = {0, 0}, hi[2] = {8, 2};
  b.first = 8;
  CHECK(data_fill(&b, 0, 0, lo, hi, x, why) == 0 && x[0] == 88 && x[15] == 96);
  data_close(&b);
}

/* Files of other lengths as one, more of them than may be open: every row once an epoch, in an
 * order that the skipped rows and the files have no part in. */
static void test_many(void) {
  enum { FILES = 200 };
  int rows = 0;
  mkdir("many", 0777);
  for (int i = 0; i < FILES; i++) {
    char name[64];
    int32_t v[8 * 2];
    int n = i % 5 + (i > 0); /* a file may hold none */
    for (int k = 0; k < n * 2; k++) v[k] = 2 * rows + k;
    snprintf(name, sizeof name, "many/%03d.npy", i);
    put_npy(name, n, 2, v);
    rows += n;
  }
  struct rlimit old, few;
  getrlimit(RLIMIT_NOFILE, &old);
  few = (struct rlimit){64, old.rlim_max};
  CHECK(old.rlim_max > FILES + 64 && !setrlimit(RLIMIT_NOFILE, &few));
  const data_pair feed[2] = {{.name = "x", .file = "many/*.npy"},
                             {.name = "y", .file = "many/*.npy"}};
  data_set set;
  static int seen[FILES * 5];
  bool good = data_open(&set, &entry, feed, 2, false, 13, 0, NULL, why, sizeof why);
  CHECK(good && set.rows == rows && set.limit == rows - 13);
  for (int epoch = 0; good && epoch < 3; epoch++) {
    if (epoch) good = data_shuffle(&set, 5, epoch);
    for (set.first = 0; good && set.first < set.limit; set.first += 8) {
      int64_t lo[2] = {0, 0}, hi[2] = {set.limit - set.first < 8 ? set.limit - set.first : 8, 2};
      int32_t x[16];
      int64_t y[16];
      good = !data_fill(&set, 0, 0, lo, hi, x, why) && !data_fill(&set, 0, 1, lo, hi, y, why);
      for (int i = 0; good && i < hi[0]; i++) {
        good = x[2 * i + 1] == x[2 * i] + 1 && y[2 * i] == x[2 * i] && x[2 * i] % 2 == 0 &&
               x[2 * i] >= 26 && x[2 * i] < 2 * rows && seen[x[2 * i] / 2]++ == epoch;
        if (!epoch) good = good && x[2 * i] == 2 * (13 + set.first + i);
      }
    }
    CHECK(good);
  }
  data_close(&set);
  setrlimit(RLIMIT_NOFILE, &old);
}

static void test_none(void) {
  const data_pair feed[2] = {{.name = "x", .file = "none.npy"}, {.name = "y", .file = "none.npy"}};
  data_set set;
  put_npy("none.npy", 0, 2, all);
  CHECK(!data_open(&set, &entry, feed, 2, false, 0, 0, NULL, why, sizeof why));
  CHECK(strstr(why, "the files hold 0 rows"));
}

int main(int argc, char **argv) {
  if (argc != 2 || (mkdir(argv[1], 0777), chdir(argv[1]))) return 99;
  test_devices();
  test_columns();
  test_shared();
  test_many();
  test_none();
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
