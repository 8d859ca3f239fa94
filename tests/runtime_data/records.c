/* records.c: feeds of raw records and of several files: values that must arrive, in the given
 * order, boxes against a plain loop, errors that name what was expected and found, and texts of
 * every kind that must never crash. Works in the directory given as its argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "check.h"
#include "file_spec.h"
#include "tensor_file.h"

static void put(const char *name, const void *bytes, size_t n) {
  FILE *f = fopen(name, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) exit(99);
}

static void put_gz(const char *name, const void *bytes, size_t n) {
  gzFile z = gzopen(name, "wb");
  if (!z || gzwrite(z, bytes, (unsigned)n) != (int)n || gzclose(z) != Z_OK) exit(99);
}

static tensor_file *open_as(const char *spec, int dtype) {
  why[0] = '\0';
  return tensor_file_open(spec, dtype, false, NULL, why, sizeof why);
}

static bool read_all(const tensor_file *f, int dtype, void *to) {
  int64_t lo[DTRT_MAX_RANK] = {0};
  return tensor_file_read(f, f->rank, f->shape, lo, f->shape, dtype, to, why, sizeof why);
}

/* The feed is [rows, columns] of these values as i32. */
static bool holds(const char *spec, int64_t rows, int64_t columns, const int32_t *want) {
  int32_t got[256];
  tensor_file *f = open_as(spec, DTRT_I32);
  bool good = f && f->rank == 2 && f->shape[0] == rows && f->shape[1] == columns &&
              read_all(f, DTRT_I32, got) &&
              !memcmp(got, want, (size_t)(rows * columns) * sizeof *want);
  tensor_file_close(f);
  return good;
}

static bool refuses(const char *spec, int dtype, const char *a, const char *b) {
  tensor_file *f = open_as(spec, dtype);
  bool failed = !f;
  tensor_file_close(f);
  return failed && strstr(why, a) && strstr(why, b) && !strchr(why, '\n');
}

#define ROW(...) ((const int32_t[]){__VA_ARGS__})

static void test_records(void) {
  const unsigned char a[6] = {1, 2, 3, 11, 12, 13}, b[3] = {21, 22, 255};
  put("r1.bin", a, sizeof a);
  put("r2.bin", b, sizeof b);
  put_gz("r1.gz", a, sizeof a);
  for (int packed = 0; packed < 2; packed++) {
    const char *name = packed ? "r1.gz" : "r1.bin";
    char spec[64];
#define SPEC(rest) (snprintf(spec, sizeof spec, "%s%s", name, rest), spec)
    CHECK(holds(SPEC(":u8[3]"), 2, 3, ROW(1, 2, 3, 11, 12, 13)));
    CHECK(holds(SPEC(":u8[3]:0"), 2, 1, ROW(1, 11)));
    CHECK(holds(SPEC(":u8[3]:1-2"), 2, 2, ROW(2, 3, 12, 13)));
    CHECK(holds(SPEC(":u8[3]:1-"), 2, 2, ROW(2, 3, 12, 13)));
    CHECK(holds(SPEC(":u8[3]:2,0-1"), 2, 3, ROW(3, 1, 2, 13, 11, 12)));
    CHECK(holds(SPEC(":u8[3]:1,1"), 2, 2, ROW(2, 2, 12, 12)));
    CHECK(holds(SPEC(":u8[6]:4,0-1"), 1, 3, ROW(12, 1, 2)));
    CHECK(holds(SPEC(":u8[1]"), 6, 1, ROW(1, 2, 3, 11, 12, 13)));
    CHECK(holds(SPEC(":i16[1]"), 3, 1, ROW(0x201, 0xb03, 0xd0c)));
  }
  CHECK(holds("r2.bin:i8[3]", 1, 3, ROW(21, 22, -1)));
  const float f32[4] = {0.5f, -1, 2, 3};
  float got[2];
  put("f.bin", f32, sizeof f32);
  tensor_file *f = open_as("f.bin:f32[2]:1", DTRT_F32);
  CHECK(f && f->shape[0] == 2 && read_all(f, DTRT_F32, got) && got[0] == -1 && got[1] == 3);
  tensor_file_close(f);
  /* A file whose name is the whole text is that file. */
  put("odd:u8[3]", "7,8\n", 4);
  CHECK(holds("odd:u8[3]", 1, 2, ROW(7, 8)));
  CHECK(holds("odd:u8[3]:1", 1, 1, ROW(8)));
}

static void test_record_errors(void) {
  put("short.bin", "12345678", 8);
  CHECK(refuses("short.bin:u8[3]", DTRT_U8, "short.bin: expected whole records of 3 bytes (u8[3])",
                "found 8 bytes: 2 records and 2 bytes over"));
  put_gz("short.gz", "12345678", 8);
  CHECK(refuses("short.gz:i32[3]", DTRT_I32, "records of 12 bytes", "0 records and 8 bytes over"));
  CHECK(refuses("short.bin:u8[4]:1-4", DTRT_U8, "column 4 (they count from 0)", "found 4 columns"));
  CHECK(refuses("short.bin:u8[4]:7", DTRT_U8, "column 7", "found 4 columns"));
  CHECK(refuses("short.bin:u9[4]", DTRT_U8, "':u9[4]'", "expected a type (u8, i32, f32, ...)"));
  CHECK(refuses("short.bin:u8[0]", DTRT_U8, "':u8[0]'", "from 1 to"));
  CHECK(refuses("short.bin:u8[-4]", DTRT_U8, "':u8[-4]'", "from 1 to"));
  CHECK(refuses("short.bin:u8[4x]", DTRT_U8, "':u8[4x]'", "from 1 to"));
  CHECK(refuses("short.bin:u8[2,2]", DTRT_U8, "':u8[2,2]'", "from 1 to"));
  CHECK(refuses("short.bin:u8[99999999999999999999]", DTRT_U8, "from 1 to", "in brackets"));
  CHECK(
      refuses("short.bin:u8[4]:x", DTRT_U8, "short.bin: columns ':x'", "expected something like"));
  CHECK(refuses("short.bin:u8[4]:2-1", DTRT_U8, "columns ':2-1'", "expected something like"));
  CHECK(refuses("short.bin:f32[2]", DTRT_I32, "expected i32", "found f32 (raw)"));
  CHECK(refuses("none.bin:u8[4]", DTRT_U8, "none.bin: No such file", ""));
  put("bytes.bin", "\1\2\3\4", 4);
  CHECK(refuses("bytes.bin", DTRT_U8, "FILE:u8[3073]", "found 01 02 03 04"));
  static const char xz[9] = {(char)0xfd, '7', 'z', 'X', 'Z'};
  put("p.xz", xz, sizeof xz);
  CHECK(refuses("p.xz:u8[4]", DTRT_U8, "1 byte over", "xz data (unpack it)"));
  int32_t one;
  put("big.bin", "\1\377", 2);
  tensor_file *f = open_as("big.bin:u8[2]:1", DTRT_I8);
  CHECK(f && !read_all(f, DTRT_I8, &one) && strstr(why, "255, which does not fit i8"));
  tensor_file_close(f);
}

/* Records that begin at every so many elements: they overlap, or leave elements between them out.
 */
static void test_windows(void) {
  const unsigned char t[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  put("w.bin", t, sizeof t);
  put("w2.bin", t + 3, 5);
  put_gz("w.gz", t, sizeof t);
  for (int packed = 0; packed < 2; packed++) {
    const char *name = packed ? "w.gz" : "w.bin";
    char spec[64];
    CHECK(holds(SPEC(":u8[4]@3"), 3, 4, ROW(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9)));
    CHECK(holds(SPEC(":u8[4]@3:0-2"), 3, 3, ROW(0, 1, 2, 3, 4, 5, 6, 7, 8)));
    CHECK(holds(SPEC(":u8[4]@3:1-"), 3, 3, ROW(1, 2, 3, 4, 5, 6, 7, 8, 9)));
    CHECK(holds(SPEC(":u8[8]@1:7,0"), 3, 2, ROW(7, 0, 8, 1, 9, 2)));
    CHECK(holds(SPEC(":u8[2]@4"), 3, 2, ROW(0, 1, 4, 5, 8, 9)));
    CHECK(holds(SPEC(":u8[10]@1000000"), 1, 10, ROW(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)));
    CHECK(holds(SPEC(":i16[2]@1"), 4, 2,
                ROW(0x100, 0x302, 0x302, 0x504, 0x504, 0x706, 0x706, 0x908)));
  }
  CHECK(holds("{w,w2}.bin:u8[4]@4", 3, 4, ROW(0, 1, 2, 3, 4, 5, 6, 7, 3, 4, 5, 6)));
  tensor_file *f = open_as("w.bin:u8[4]@4", DTRT_U8);
  CHECK(f &&
        strstr(f->note, "w.bin: left out the last 2 elements, fewer than a record of u8[4]@4 has"));
  tensor_file_close(f);
  f = open_as("w.bin:u8[4]@3", DTRT_U8);
  CHECK(f && !*f->note);
  tensor_file_close(f);
  CHECK(refuses("w.bin:u8[11]@2", DTRT_U8, "w.bin: expected a record of 11 elements", "found 10"));
  CHECK(refuses("w2.bin:i16[1]@1", DTRT_I32, "whole elements of 2 bytes", "found 5 bytes"));
  static const char *const bad[] = {"@", "@0", "@-1", "@3x", "@99999999999", "@3@3", "4"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char spec[64];
    snprintf(spec, sizeof spec, "w.bin:u8[4]%s", bad[i]);
    CHECK(
        refuses(spec, DTRT_U8, "w.bin", *bad[i] == '@' ? "as in :u8[65]@64" : "columns ':u8[4]4'"));
  }
}

/* A name that was cut off named another tensor. */
static void test_long_names(void) {
  static char name[2 * TENSOR_FILE_NAME];
  const float x[2] = {1, 2};
  for (int longer = 0; longer < 2; longer++) {
    memset(name, 'x', TENSOR_FILE_NAME - 1 + (size_t)longer);
    tensor_file *f = tensor_file_over(name, DTRT_F32, 1, (const int64_t[]){2}, x, why, sizeof why);
    CHECK(longer ? !f && strstr(why, "xxx...: the name is too long: 4096 bytes, at most 4095")
                 : f && !strcmp(f->name, name));
    tensor_file_close(f);
  }
}

/* Every box of windows, by threes and straight, against a plain loop. */
static void test_window_boxes(void) {
  enum { N = 40000, W = 96, S = 64, ROWS = (N - W) / S + 1 };
  static unsigned char text[N], got[ROWS * W];
  for (int i = 0; i < N; i++) text[i] = (unsigned char)(i * 7 + i / 251);
  put("text.bin", text, sizeof text);
  tensor_file *f = open_as("text.bin:u8[96]@64", DTRT_U8);
  CHECK(f && f->shape[0] == ROWS);
  bool good = f != NULL;
  for (int box = 0; good && box < 64; box++) {
    int64_t shape[3] = {ROWS, 4, 24}, n = 0;
    int64_t lo[3] = {box % 4 * 100, box / 4 % 4, box / 16 * 6};
    int64_t hi[3] = {box % 4 == 3 ? ROWS : lo[0] + 3 * (box % 2) + 100, 4, lo[2] + 6};
    good = tensor_file_read(f, 3, shape, lo, hi, DTRT_U8, got, why, sizeof why);
    for (int64_t r = lo[0]; r < hi[0]; r++)
      for (int64_t i = lo[1]; i < hi[1]; i++)
        for (int64_t j = lo[2]; j < hi[2]; j++) good = good && got[n++] == text[r * S + i * 24 + j];
  }
  CHECK(good);
  tensor_file_close(f);
}

static void test_several(void) {
  CHECK(holds("r[12].bin:u8[3]:0", 3, 1, ROW(1, 11, 21)));
  CHECK(holds("r?.bin:u8[3]", 3, 3, ROW(1, 2, 3, 11, 12, 13, 21, 22, 255)));
  CHECK(holds("{r2,r1}.bin:u8[3]:1-", 3, 2, ROW(22, 255, 2, 3, 12, 13)));
  CHECK(holds("r{2,{1,2}}.bin:u8[3]:1", 4, 1, ROW(22, 2, 12, 22)));
  CHECK(holds("{r2.bin,r1.gz}:u8[3]:0", 3, 1, ROW(21, 1, 11)));
  put("c1.csv", "a,b\n1,2\n", 8);
  put("c2.csv", "3,4\n5,6\n", 8);
  CHECK(holds("c*.csv", 3, 2, ROW(1, 2, 3, 4, 5, 6)));
  CHECK(holds("{c2,c1}.csv:1", 3, 1, ROW(4, 6, 2)));
  tensor_file *f = open_as("c*.csv", DTRT_I32);
  CHECK(f && strstr(f->note, "c1.csv: line 1 is treated as a header"));
  tensor_file_close(f);
  put("star*.csv", "9\n", 2); /* a name of its own */
  put("star1.csv", "8\n", 2);
  CHECK(holds("star*.csv", 1, 1, ROW(9)));

  CHECK(refuses("q*.bin:u8[3]", DTRT_U8, "q*.bin: no file matches", ""));
  CHECK(refuses("{r1,r3}.bin:u8[3]", DTRT_U8, "r3.bin: No such file", ""));
  CHECK(refuses("{r1.bin,q*}:u8[3]", DTRT_U8, "q*: no file matches", ""));
  CHECK(refuses("{r1,short}.bin:u8[3]", DTRT_U8, "short.bin: expected whole records", "3 bytes"));
  put("d.csv", "1,2,3\n", 6);
  CHECK(refuses("{c1,d}.csv", DTRT_I32, "d.csv: i32[1, 3] does not follow i32[1, 2] of c1.csv",
                "first dim"));
  put("e.idx", "\0\0\10\2\0\0\0\1\0\0\0\2ab", 14);
  CHECK(refuses("{r1.bin,e.idx}", DTRT_U8, "r1.bin", ""));
  CHECK(refuses("{c1.csv,e.idx}", DTRT_I32, "e.idx: u8[1, 2] does not follow i32[1, 2]", ""));
  char many[2000] = "";
  for (int i = 0; i < 40; i++) strcat(many, "{a,b}");
  CHECK(refuses(many, DTRT_U8, "more than 32 braces", ""));
  many[5 * 20] = '\0';
  CHECK(refuses(many, DTRT_U8, "more than 65536 files", ""));
}

/* Every box of a tensor [7, 3, 4] whose rows lie in three files, with columns left out and turned
 * about; and narrow boxes of one that is larger than any buffer. */
static void test_boxes(void) {
  unsigned char file[3][64], all[7][12];
  const int rows[3] = {2, 1, 4};
  for (int p = 0, r = 0, v = 0; p < 3; p++) {
    char name[32];
    for (int i = 0; i < rows[p]; i++, r++) {
      for (int c = 0; c < 14; c++) file[p][i * 14 + c] = (unsigned char)(v++ * 5);
      for (int c = 0; c < 12; c++) all[r][c] = file[p][i * 14 + (c < 10 ? c + 4 : c - 9)];
    }
    snprintf(name, sizeof name, "box%d.bin", p);
    put(name, file[p], (size_t)rows[p] * 14);
  }
  tensor_file *f = open_as("box?.bin:u8[14]:4-13,1-2", DTRT_I32);
  int64_t shape[3] = {7, 3, 4}, lo[3], hi[3];
  bool good = f != NULL;
  for (int box = 0; good && box < 8 * 8 * 4 * 4 * 5 * 5; box++) {
    int b = box, n = 0;
    int32_t got[84];
    for (int d = 0; d < 3; d++) {
      int m = (int)shape[d] + 1;
      lo[d] = b % m, b /= m;
      hi[d] = b % m, b /= m;
    }
    good = tensor_file_read(f, 3, shape, lo, hi, DTRT_I32, got, why, sizeof why);
    for (int64_t i = lo[0]; i < hi[0]; i++)
      for (int64_t j = lo[1]; j < hi[1]; j++)
        for (int64_t k = lo[2]; k < hi[2]; k++) good = good && got[n++] == all[i][j * 4 + k];
  }
  CHECK(good);
  tensor_file_close(f);
}

static void test_large(void) {
  enum { RECORDS = 150, WIDTH = 3073 };
  static unsigned char file[RECORDS * WIDTH], got[RECORDS * 3 * 16 * 16];
  for (int i = 0; i < RECORDS * WIDTH; i++) file[i] = (unsigned char)(i * 7 + i / 251);
  put("large1.bin", file, sizeof file / 3);
  put("large2.bin", file + sizeof file / 3, sizeof file / 3 * 2);
  tensor_file *f = open_as("large[12].bin:u8[3073]:1-", DTRT_U8);
  tensor_file *label = open_as("large[12].bin:u8[3073]:0", DTRT_U8);
  CHECK(f && label);
  bool good = f && label;
  for (int h = 0; good && h < 2; h++)
    for (int w = 0; w < 2; w++)
      for (int many = 0; many < 2; many++) { /* all records at once, and one */
        int64_t first = many ? 0 : 77, last = many ? RECORDS : 78, n = 0;
        int64_t shape[4] = {RECORDS, 3, 32, 32}, lo[4] = {first, 0, h * 16, w * 16},
                hi[4] = {last, 3, h * 16 + 16, w * 16 + 16};
        good = good && tensor_file_read(f, 4, shape, lo, hi, DTRT_U8, got, why, sizeof why);
        for (int64_t r = first; r < last; r++)
          for (int c = 0; c < 3; c++)
            for (int i = 0; i < 16; i++)
              for (int j = 0; j < 16; j++)
                good = good &&
                       got[n++] == file[r * WIDTH + 1 + c * 1024 + (h * 16 + i) * 32 + w * 16 + j];
      }
  CHECK(good);
  CHECK(label && read_all(label, DTRT_U8, got));
  for (int r = 0; r < RECORDS; r++) good = good && got[r] == file[r * WIDTH];
  CHECK(good);
  /* Cut off while it is open: an error, not numbers. */
  static float floats[RECORDS * 3072];
  CHECK(!truncate("large2.bin", 1000));
  CHECK(f && !read_all(f, DTRT_F32, floats) && strstr(why, "became shorter"));
  tensor_file_close(f);
  tensor_file_close(label);
}

/* Random texts of what has a meaning. */
static void test_texts(void) {
  static const char *const word[] = {"r1.bin", "c1.csv", ":", "u8", "[3]", "[", "]",
                                     "@1",     "@",      "{", "}",  ",",   "*", "?",
                                     "1-2",    "0",      "-", "/",  ".",   "r", "\\"};
  uint64_t state = 1;
  for (int i = 0; i < 20000; i++) {
    char text[128] = "";
    for (int n = (int)(i % 9) + 1; n > 0; n--) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      strcat(text, word[(state >> 33) % (sizeof word / sizeof *word)]);
    }
    tensor_file *f = open_as(text, DTRT_I32);
    checks++;
    if (!f && (!*why || strchr(why, '\n'))) {
      failures++;
      printf("'%s': no reason, or one of several lines: %s\n", text, why);
    }
    tensor_file_close(f);
  }
}

int main(int argc, char **argv) {
  if (argc != 2 || (mkdir(argv[1], 0777), chdir(argv[1]))) return 99;
  test_records();
  test_record_errors();
  test_windows();
  test_long_names();
  test_window_boxes();
  test_several();
  test_boxes();
  test_large();
  test_texts();
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
