/* npz.c: arrays in zip archives: stored and deflated members, zip64 as NumPy writes it, several
 * files as one; archives that lie about sizes, places and checksums; every truncation and many
 * mutations of good ones. Works in the directory given as its argument. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "check.h"
#include "tensor_file.h"

/* ---- writing archives, true or not */

typedef struct member {
  const char *name;
  const unsigned char *data;
  size_t n;
  bool deflate, zip64;
  /* What the headers say instead of the truth, where not 0. */
  unsigned method, flags, crc;
  uint64_t size, packed, place;
} member;

static unsigned char out[1 << 17];
static size_t nout;
static bool wide_end;

static void le(uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++) out[nout++] = (unsigned char)(i < 8 ? v >> (8 * i) : 0);
}
static void text(const char *s) {
  memcpy(out + nout, s, strlen(s));
  nout += strlen(s);
}

/* What the header before a member and its entry in the directory share. */
static void header(const member *m, uint64_t packed) {
  le(m->zip64 ? 45 : 20, 2);
  le(m->flags, 2);
  le(m->method ? m->method : m->deflate ? 8 : 0, 2);
  le(0, 4);
  le(m->crc ? m->crc : crc32(0, m->data, (unsigned)m->n), 4);
  le(m->zip64 ? 0xffffffff : m->packed ? m->packed : packed, 4);
  le(m->zip64 ? 0xffffffff : m->size ? m->size : m->n, 4);
  le(strlen(m->name), 2);
}

static void extra(const member *m, uint64_t packed) {
  if (!m->zip64) return;
  le(1, 2);
  le(16, 2);
  le(m->size ? m->size : m->n, 8);
  le(m->packed ? m->packed : packed, 8);
}

static size_t squeeze(const member *m, unsigned char *to, size_t room) {
  z_stream z = {.next_in = (unsigned char *)m->data, .avail_in = (unsigned)m->n};
  if (!m->deflate) return memcpy(to, m->data, m->n), m->n;
  z.next_out = to, z.avail_out = (unsigned)room;
  if (deflateInit2(&z, 9, Z_DEFLATED, -15, 8, 0) || deflate(&z, Z_FINISH) != Z_STREAM_END) exit(99);
  deflateEnd(&z);
  return room - z.avail_out;
}

static const char *make(const char *file, const member *m, int n) {
  uint64_t place[8], packed[8];
  nout = 0;
  for (int i = 0; i < n; i++) {
    static unsigned char bytes[1 << 16];
    packed[i] = squeeze(&m[i], bytes, sizeof bytes);
    place[i] = nout;
    le(0x04034b50, 4);
    header(&m[i], packed[i]);
    le(m[i].zip64 ? 20 : 0, 2);
    text(m[i].name);
    extra(&m[i], packed[i]);
    memcpy(out + nout, bytes, packed[i]);
    nout += packed[i];
  }
  size_t directory = nout;
  for (int i = 0; i < n; i++) {
    le(0x02014b50, 4);
    le(20, 2);
    header(&m[i], packed[i]);
    le(m[i].zip64 ? 20 : 0, 2);
    le(0, 2 + 2 + 2 + 4);
    le(m[i].place ? m[i].place - 1 : place[i], 4);
    text(m[i].name);
    extra(&m[i], packed[i]);
  }
  size_t end = nout;
  if (wide_end) { /* as in archives of 65535 members and more, or beyond 4 GiB */
    le(0x06064b50, 4);
    le(44, 8);
    le(45, 2 + 2 + 4);
    le(0, 4);
    le((unsigned)n, 8);
    le((unsigned)n, 8);
    le(end - directory, 8);
    le(directory, 8);
    le(0x07064b50, 4);
    le(0, 4);
    le(end, 8);
    le(1, 4);
  }
  le(0x06054b50, 4);
  le(0, 4);
  le(wide_end ? 0xffff : (unsigned)n, 2);
  le(wide_end ? 0xffff : (unsigned)n, 2);
  le(wide_end ? 0xffffffff : end - directory, 4);
  le(wide_end ? 0xffffffff : directory, 4);
  le(3, 2);
  text("bye"); /* a comment */
  FILE *f = fopen(file, "wb");
  if (!f || fwrite(out, 1, nout, f) != nout || fclose(f)) exit(99);
  return file;
}

/* An .npy of i32 [rows, 3] that counts from `first`. */
static size_t npy(unsigned char *to, int rows, int first) {
  int n = npy_header(DTRT_I32, 2, (const int64_t[]){rows, 3}, (char *)to, 1024);
  for (int32_t i = 0; i < rows * 3; i++) {
    int32_t v = first + i;
    memcpy(to + n + 4 * i, &v, 4);
  }
  return (size_t)n + (size_t)rows * 12;
}

/* ---- reading them */

static tensor_file *open_as(const char *spec, int dtype) {
  why[0] = '\0';
  return tensor_file_open(spec, dtype, false, NULL, why, sizeof why);
}

static bool read_all(const tensor_file *f, int dtype, void *to) {
  int64_t lo[DTRT_MAX_RANK] = {0};
  return tensor_file_read(f, f->rank, f->shape, lo, f->shape, dtype, to, why, sizeof why);
}

/* The feed is i32 [rows, 3] that counts from `first`; on disk or in memory. */
static bool counts(const char *spec, int rows, int first, bool disk) {
  static int32_t got[4096];
  tensor_file *f = open_as(spec, DTRT_I32);
  bool good = f && f->rank == 2 && f->shape[0] == rows && f->shape[1] == 3 &&
              (f->part || (f->fd >= 0) == disk) && read_all(f, DTRT_I32, got);
  for (int i = 0; good && i < rows * 3; i++) good = got[i] == first + i;
  tensor_file_close(f);
  return good;
}

static bool refuses(const char *spec, const char *a, const char *b) {
  static int32_t room[8192];
  tensor_file *f = open_as(spec, DTRT_I32);
  bool failed = !f || (f->bytes < (int64_t)sizeof room && !read_all(f, DTRT_I32, room));
  tensor_file_close(f);
  return failed && strstr(why, a) && strstr(why, b) && !strchr(why, '\n');
}

static unsigned char x[4096], y[4096];
static size_t nx, ny;

static void test_good(void) {
  make("one.npz", &(member){.name = "x.npy", .data = x, .n = nx}, 1);
  CHECK(counts("one.npz", 5, 0, true));
  CHECK(counts("one.npz:x", 5, 0, true));
  CHECK(counts("one.npz:x.npy", 5, 0, true));
  make("two.npz",
       (member[]){{.name = "x.npy", .data = x, .n = nx},
                  {.name = "a/b:0-3.npy", .data = y, .n = ny, .deflate = true}},
       2);
  CHECK(counts("two.npz:x", 5, 0, true));
  CHECK(counts("two.npz:a/b:0-3", 7, 15, false));
  wide_end = true;
  make("big.npz",
       (member[]){{.name = "0.npy", .data = x, .n = nx, .zip64 = true},
                  {.name = "y.npy", .data = y, .n = ny, .deflate = true, .zip64 = true}},
       2);
  wide_end = false;
  CHECK(counts("big.npz:0", 5, 0, true));
  CHECK(counts("big.npz:y", 7, 15, false));
  /* Known by its content. */
  make("archive",
       (member[]){{.name = "x.npy", .data = x, .n = nx}, {.name = "7.npy", .data = y, .n = ny}}, 2);
  CHECK(counts("archive:x", 5, 0, true));
  CHECK(counts("archive:7", 7, 15, true));
  /* Several files as one. */
  make("part1.npz", &(member){.name = "v.npy", .data = x, .n = nx}, 1);
  make("part2.npz",
       (member[]){{.name = "v.npy", .data = y, .n = ny, .deflate = true},
                  {.name = "w.npy", .data = x, .n = nx}},
       2);
  CHECK(counts("part?.npz:v", 12, 0, false));
  CHECK(counts("{part1,part2}.npz:v", 12, 0, false));
  CHECK(counts("{part1.npz,part2.npz}:v", 12, 0, false));
}

/* One device's rows of a stored member, and no others. */
static void test_stays_on_disk(void) {
  int32_t got[6];
  tensor_file *f = open_as("two.npz:x", DTRT_I32);
  CHECK(f && tensor_file_read(f, 2, f->shape, (const int64_t[]){3, 1}, (const int64_t[]){5, 3},
                              DTRT_I32, got, why, sizeof why));
  CHECK(got[0] == 10 && got[1] == 11 && got[2] == 13 && got[3] == 14);
  tensor_file_close(f);
}

static void test_wrong(void) {
  CHECK(refuses("two.npz", "two.npz: 2 members: x, a/b:0-3; name one, as in FILE.npz:NAME", ""));
  CHECK(refuses("two.npz:z", "two.npz: no member 'z'; it holds x, a/b:0-3", ""));
  CHECK(refuses("archive:z", "archive: no member 'z'; it holds x, 7", ""));
  CHECK(refuses("none.npz:z", "none.npz: No such file", ""));
  FILE *f = fopen("not.npz", "wb");
  if (!f || fwrite(x, 1, nx, f) != nx || fclose(f)) exit(99);
  CHECK(refuses("not.npz:z", "':z' after the name selects a member of an .npz archive", "not.npz"));
  CHECK(counts("not.npz", 5, 0, true)); /* content, not name */
  make("empty.npz", NULL, 0);
  CHECK(refuses("empty.npz", "the archive is empty", ""));
  CHECK(refuses("empty.npz:x", "the archive is empty", ""));
  make("csv.npz", &(member){.name = "x.csv", .data = (const unsigned char *)"1,2\n", .n = 4}, 1);
  CHECK(refuses("csv.npz", "csv.npz:x.csv: expected an .npy array in the archive", ""));
  make("nothing.npz", &(member){.name = "x.npy", .data = x, .n = 0}, 1);
  CHECK(refuses("nothing.npz", "expected an .npy array", ""));
  make("twice.npz",
       (member[]){{.name = "x.npy", .data = x, .n = nx}, {.name = "x.npy", .data = y, .n = ny}}, 2);
  CHECK(refuses("twice.npz:x", "it has 'x' 2 times", ""));
  make("line.npz",
       (member[]){{.name = "a\nb.npy", .data = x, .n = nx},
                  {.name = "\33[2J.npy", .data = y, .n = ny}},
       2);
  CHECK(refuses("line.npz", "2 members: a?b, ?[2J", ""));
}

static void test_hostile(void) {
  member m = {.name = "x.npy", .data = x, .n = nx};
#define HOSTILE(...)                                                                               \
  make("h.npz", (member[]){{.name = "x.npy", .data = x, .n = nx, __VA_ARGS__}}, 1)
  CHECK(refuses(HOSTILE(.crc = 5), "h.npz:x: the zip archive is damaged", "checksum"));
  CHECK(refuses(HOSTILE(.crc = 5, .deflate = true), "damaged", "checksum"));
  CHECK(refuses(HOSTILE(.flags = 1), "encrypted", "h.npz:x"));
  CHECK(refuses(HOSTILE(.method = 12), "packed by method 12; only stored and deflated", ""));
  CHECK(refuses(HOSTILE(.method = 8), "damaged", ""));
  CHECK(refuses(HOSTILE(.packed = nx + 4), "a member reaches into the directory or past the end",
                ""));
  CHECK(refuses(HOSTILE(.packed = nx - 4), "two different sizes", ""));
  CHECK(refuses(HOSTILE(.packed = 1u << 30, .size = 1u << 30),
                "reaches into the directory or past the end", ""));
  CHECK(refuses(HOSTILE(.zip64 = true, .packed = UINT64_MAX / 2, .size = UINT64_MAX / 2),
                "reaches into the directory or past the end", ""));
  CHECK(refuses(HOSTILE(.zip64 = true, .packed = UINT64_MAX, .size = UINT64_MAX),
                "reaches into the directory or past the end", ""));
  CHECK(refuses(HOSTILE(.size = 1u << 30, .deflate = true), "claims 1073741824 bytes", "cannot"));
  CHECK(refuses(HOSTILE(.size = nx + 12, .deflate = true), "the member ends early", ""));
  CHECK(refuses(HOSTILE(.size = nx - 12, .deflate = true),
                "the member holds more data than declared", ""));
  CHECK(refuses(HOSTILE(.place = 5), "damaged", ""));
  CHECK(refuses(HOSTILE(.place = 1u << 30), "damaged", ""));
  /* Two entries of the directory for the same bytes. */
  member same[2] = {m, m};
  same[1].place = 1;
  make("overlap.npz", same, 2);
  CHECK(refuses("overlap.npz:x", "its members overlap", ""));
  /* A true member that is no more than zeros is data. */
  static unsigned char zeros[60000];
  size_t n = npy(zeros, 0, 0);
  n = (size_t)npy_header(DTRT_I32, 2, (const int64_t[]){4000, 3}, (char *)zeros, 1024) + 48000;
  make("zeros.npz", &(member){.name = "z.npy", .data = zeros, .n = n, .deflate = true}, 1);
  tensor_file *f = open_as("zeros.npz", DTRT_I32);
  CHECK(f && f->bytes == 48000);
  tensor_file_close(f);
}

/* Truncated and altered archives end in a value or in one line that says why. */
static void test_broken(const char *good, const char *member) {
  static unsigned char file[1 << 16];
  static int32_t room[1 << 16];
  char spec[64];
  FILE *f = fopen(good, "rb");
  size_t n = f ? fread(file, 1, sizeof file, f) : 0;
  if (!f || fclose(f) || !n) exit(99);
  snprintf(spec, sizeof spec, "broken.npz:%s", member);
  uint64_t state = n;
  for (size_t i = 0; i < n + 1000; i++) {
    unsigned char keep[4];
    size_t length = i < n ? i : n, at[4];
    for (int k = 0; k < 4; k++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      at[k] = (state >> 33) % n;
      keep[k] = file[at[k]];
      if (i >= n && k <= (int)(i % 4)) file[at[k]] ^= (unsigned char)(1u << (state >> 60) % 8);
    }
    unlink("broken.npz"); /* a file that is cut to nothing and written anew is synced by ext4 */
    f = fopen("broken.npz", "wb");
    if (!f || fwrite(file, 1, length, f) != length || fclose(f)) exit(99);
    tensor_file *t = open_as(spec, DTRT_I32);
    bool good_read = t && t->bytes < (int64_t)sizeof room && read_all(t, DTRT_I32, room);
    checks++;
    if (!good_read && !(t && t->bytes >= (int64_t)sizeof room) && (!*why || strchr(why, '\n'))) {
      failures++;
      printf("%s broken %zu: no reason, or one of several lines: %s\n", good, i, why);
    }
    tensor_file_close(t);
    for (int k = 3; k >= 0; k--) file[at[k]] = keep[k];
  }
}

int main(int argc, char **argv) {
  if (argc != 2 || (mkdir(argv[1], 0777), chdir(argv[1]))) return 99;
  nx = npy(x, 5, 0);
  ny = npy(y, 7, 15);
  test_good();
  test_stays_on_disk();
  test_wrong();
  test_hostile();
  test_broken("two.npz", "x");
  test_broken("two.npz", "a/b:0-3");
  test_broken("big.npz", "y");
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
