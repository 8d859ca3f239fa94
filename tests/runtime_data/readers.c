/* readers.c: the readers of tensor files alone: values that must arrive, errors that must name what
 * was expected and found, boxes against a plain loop, and every truncation and many mutations of
 * good files (run under ASan and UBSan that is a small fuzzer). Works in the directory given as its
 * argument. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "check.h"
#include "data.h"
#include "tensor_file.h"

static void put(const char *name, const void *bytes, size_t n) {
  unlink(name); /* a file that is cut to nothing and written anew is synced by ext4 */
  FILE *f = fopen(name, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) exit(99);
}

static void put_gz(const char *name, const void *bytes, size_t n) {
  gzFile z = gzopen(name, "wb");
  if (!z || gzwrite(z, bytes, (unsigned)n) != (int)n || gzclose(z) != Z_OK) exit(99);
}

static void put_text(const char *name, const char *text) { put(name, text, strlen(text)); }

static size_t get(const char *name, unsigned char *to, size_t room) {
  FILE *f = fopen(name, "rb");
  if (!f) exit(99);
  size_t n = fread(to, 1, room, f);
  fclose(f);
  return n;
}

/* An .npy with any dict; the length field is true unless `lie` is given. */
static size_t npy(unsigned char *to, int version, const char *dict, long lie, const void *data,
                  size_t bytes) {
  size_t n = strlen(dict), wide = version == 1 ? 2 : 4;
  size_t length = lie >= 0 ? (size_t)lie : n;
  memcpy(to, "\x93NUMPY", 6);
  to[6] = (unsigned char)version;
  to[7] = 0;
  for (size_t i = 0; i < wide; i++) to[8 + i] = (unsigned char)(length >> (8 * i));
  memcpy(to + 8 + wide, dict, n);
  if (bytes) memcpy(to + 8 + wide + n, data, bytes);
  return 8 + wide + n + bytes;
}

static void put_npy(const char *name, const char *dict, const void *data, size_t bytes) {
  static unsigned char file[1 << 16];
  put(name, file, npy(file, 1, dict, -1, data, bytes));
}

static tensor_file *open_as(const char *spec, int dtype) {
  why[0] = '\0';
  return tensor_file_open(spec, dtype, false, NULL, why, sizeof why);
}

static bool read_all(const tensor_file *f, int dtype, void *to) {
  int64_t lo[DTRT_MAX_RANK] = {0};
  return tensor_file_read(f, f->rank, f->shape, lo, f->shape, dtype, to, why, sizeof why);
}

/* Opening or reading fails, and the reason holds the file's name and both words. */
static bool refuses(const char *spec, int dtype, const char *a, const char *b) {
  char name[256];
  double room[512];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
  tensor_file *f = open_as(spec, dtype);
  bool failed = !f;
  if (f && f->bytes < 512) failed = !read_all(f, dtype, room);
  tensor_file_close(f);
  return failed && strstr(why, name) && strstr(why, a) && strstr(why, b) && !strchr(why, '\n');
}

static void test_npy(void) {
  const float f32[6] = {0, 1, 2, 3, 4.5f, -1};
  float got[6];
  double got64[6];
  put_npy("a.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", f32,
          sizeof f32);
  tensor_file *f = open_as("a.npy", DTRT_F32);
  CHECK(f && f->rank == 2 && f->shape[0] == 2 && f->shape[1] == 3 && f->fd >= 0);
  CHECK(f && read_all(f, DTRT_F32, got) && !memcmp(got, f32, sizeof f32));
  CHECK(f && read_all(f, DTRT_F64, got64) && got64[4] == 4.5);
  tensor_file_close(f);
  for (int version = 1; version <= 3; version++) {
    unsigned char file[512];
    size_t n = npy(file, version, "{\"shape\":(6,),'fortran_order':False,'descr':'<f4'}", -1, f32,
                   sizeof f32);
    put_gz("v.npy", file, n);
    f = open_as("v.npy", DTRT_F32); /* gzip by content, whatever the name says */
    CHECK(f && f->fd < 0 && read_all(f, DTRT_F32, got) && !memcmp(got, f32, sizeof f32));
    tensor_file_close(f);
  }
  const float fortran[6] = {0, 3, 1, 4.5f, 2, -1};
  put_npy("f.npy", "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", fortran, 24);
  f = open_as("f.npy", DTRT_F32);
  CHECK(f && read_all(f, DTRT_F32, got) && !memcmp(got, f32, sizeof f32));
  tensor_file_close(f);
  const unsigned char big[8] = {0, 0, 0, 7, 0xff, 0xff, 0xff, 0xfe};
  int32_t whole[2];
  put_npy("b.npy", "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }", big, 8);
  f = open_as("b.npy", DTRT_I32);
  CHECK(f && read_all(f, DTRT_I32, whole) && whole[0] == 7 && whole[1] == -2);
  tensor_file_close(f);
  put_npy("s.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", f32 + 4, 4);
  f = open_as("s.npy", DTRT_F32);
  CHECK(f && f->rank == 0 && read_all(f, DTRT_F32, got) && got[0] == 4.5f);
  tensor_file_close(f);
}

static void test_npy_errors(void) {
  const int64_t wide[2] = {5, 300};
  double d[2] = {1, 2};
  unsigned char file[512];
  put_npy("e.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", wide, 16);
  CHECK(refuses("e.npy", DTRT_U8, "300", "0 to 255"));
  CHECK(refuses("e.npy", DTRT_F32, "expected f32", "found i64"));
  put_npy("e.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", d, 16);
  CHECK(refuses("e.npy", DTRT_F32, "expected f32", "found f64"));
  CHECK(refuses("e.npy", DTRT_I32, "expected i32", "found f64"));
  put_npy("e.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", d, 16);
  CHECK(refuses("e.npy", DTRT_F64, "expected 24 bytes", "found 16"));
  put_npy("e.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", d, 16);
  CHECK(refuses("e.npy", DTRT_F64, "expected 8 bytes", "found 16"));
  put_npy("e.npy", "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "expected f64", "found c64"));
  put_npy("e.npy", "{'descr': '<c32', 'fortran_order': False, 'shape': (1,), }", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "dtype", "<c32"));
  put_npy("e.npy", "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "Python objects", "expected"));
  put_npy("e.npy", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "records", "expected"));
  put_npy("e.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
          d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "more elements", "64 bits"));
  put_npy("e.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
          d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "header at offset 61: ", "too large"));
  put_npy("e.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "offset 61: expected a size of 'shape'", "found -1"));
  put_npy("e.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", d,
          8);
  CHECK(refuses("e.npy", DTRT_F64, "more than 8", "dims"));
  put_npy("e.npy", "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,), }", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "offset 44: expected True or False", "found 1, 'shape'"));
  put_npy("e.npy", "{'descr': <f8}", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "offset 20: expected a dtype in quotes", "found <f8}"));
  put_npy("e.npy", "{'descr': '<f8', 'size': 1}", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "offset 27", "unknown key 'size'"));
  put_npy("e.npy", "{'descr': '<f8', 'descr': '<f8'}", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "offset 27", "'descr' occurs twice"));
  put_npy("e.npy", "{'descr': '<f8'", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "offset 25: expected , or }", "found its end"));
  put_npy("e.npy", "{'descr': '<f8', 'shape': (1,), }", d, 8);
  CHECK(refuses("e.npy", DTRT_F64, "fortran_order", "missing"));
  put("e.npy", file, npy(file, 2, "{}", 0x7fffffff, NULL, 0));
  CHECK(refuses("e.npy", DTRT_F64, "header of 2147483647", "expected at most"));
  put("e.npy", "\x93NUMPY\1", 7);
  CHECK(refuses("e.npy", DTRT_F64, "cut off at offset 7", "its length"));
  put("e.npy", file, npy(file, 1, "{'descr'", 500, NULL, 0));
  CHECK(refuses("e.npy", DTRT_F64, "cut off", "found 8"));
  put("e.npy", file, npy(file, 9, "{}", -1, NULL, 0));
  CHECK(refuses("e.npy", DTRT_F64, "version 9", "expected 1, 2 or 3"));
  put("e.h5", "\x89HDF\r\n\x1a\n12345678", 16);
  CHECK(refuses("e.h5", DTRT_F64, "found 89 48 44 46 0d 0a, HDF5 (.h5 of Keras)", "expected .npy"));
  put("e.csv",
      "\xff\xfe"
      "1\0,\0"
      "2\0\n\0",
      10);
  CHECK(refuses("e.csv", DTRT_F64, "UTF-16 text (save it as UTF-8)", "expected .npy"));
  put("e.csv",
      "1,2,3\n4,\0"
      "5,6\n",
      13);
  CHECK(refuses("e.csv", DTRT_F64, "expected text (CSV)", "found the byte 00 at offset 8"));
  put_text("e.npy", "hello");
  CHECK(refuses("e.npy", DTRT_F64, "expected an .npy", "68 65 6c 6c 6f"));
  size_t n = npy(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }", -1,
                 d, 16);
  put_gz("e.npy", file, n);
  CHECK(refuses("e.npy", DTRT_F64, "expected 799999999992 bytes", "found 16"));
  n = npy(file, 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", -1, "\1\2", 2);
  put("e.npy", file, n);
  CHECK(refuses("e.npy", DTRT_BOOL, "element 1 is 2", "0 or 1"));
  CHECK(refuses("e.npy", DTRT_U8, "element 1 is 2", "does not fit"));
  n = npy(file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", -1, "abc", 3);
  put_gz("e.npy", file, n);
  CHECK(refuses("e.npy", DTRT_U8, "expected 2 bytes", "found more"));
}

static void test_idx(void) {
  const unsigned char good[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255};
  const unsigned char little[] = {2, 8, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3, 4, 5, 6};
  const unsigned char i16[] = {0, 0, 0x0b, 1, 0, 0, 0, 2, 1, 0, 0xff, 0xfe};
  const unsigned char huge[] = {0,   0,   0x0e, 3,   255, 255, 255, 255,
                                255, 255, 255,  255, 255, 255, 255, 255};
  uint8_t u8[6];
  float f32[6];
  int32_t i32[2];
  put("a-idx2-ubyte", good, sizeof good);
  tensor_file *f = open_as("a-idx2-ubyte", DTRT_U8);
  CHECK(f && f->rank == 2 && f->shape[1] == 3 && read_all(f, DTRT_U8, u8) && u8[5] == 255);
  CHECK(f && read_all(f, DTRT_F32, f32) && f32[5] == 255.0f && f32[0] == 1.0f);
  tensor_file_close(f);
  put_gz("a-idx2-ubyte.gz", good, sizeof good);
  f = open_as("a-idx2-ubyte.gz", DTRT_U8);
  CHECK(f && read_all(f, DTRT_U8, u8) && u8[5] == 255);
  tensor_file_close(f);
  put("i16.idx", i16, sizeof i16);
  f = open_as("i16.idx", DTRT_I32);
  CHECK(f && read_all(f, DTRT_I32, i32) && i32[0] == 256 && i32[1] == -2);
  tensor_file_close(f);
  put("e.idx", little, sizeof little);
  CHECK(refuses("e.idx", DTRT_U8, "byte order: expected 00 00 08 02", "found 02 08 00 00"));
  put("e.idx", good, sizeof good - 1);
  CHECK(refuses("e.idx", DTRT_U8, "expected 6 bytes", "found 5"));
  put("e.idx", good, 9);
  CHECK(refuses("e.idx", DTRT_U8, "cut off at offset 9: expected 2 dims", "found 1"));
  put("e.idx", huge, sizeof huge);
  CHECK(refuses("e.idx", DTRT_F64, "more elements", "64 bits"));
  put("e.idx", "\0\0\1\2xxxxxxxx", 12);
  CHECK(refuses("e.idx", DTRT_U8, "expected an IDX", "found 00 00 01 02"));
}

/* Text becomes a number of half width with one rounding: by way of f32 these are ties, and go the
 * other way. */
static void test_csv_halves(void) {
  static const struct {
    const char *text;
    int dtype;
    uint16_t want;
  } cases[] = {
      {"1.00048828125", DTRT_F16, 0x3c00},
      {"1.00048828125000000000000000001", DTRT_F16, 0x3c01},
      {"1.00146484374999999999999999999", DTRT_F16, 0x3c01},
      {"1.00146484375", DTRT_F16, 0x3c02},
      {"-1.00048828125000000000000000001", DTRT_F16, 0xbc01},
      {"65519.99999999999999999999", DTRT_F16, 0x7bff},
      {"1.00390625", DTRT_BF16, 0x3f80},
      {"1.0039062500000000000000000001", DTRT_BF16, 0x3f81},
      {"1.0117187499999999999999999999", DTRT_BF16, 0x3f81},
      {"3.38953138925e38", DTRT_BF16, 0x7f7f},
      {"16777217", DTRT_BF16, 0x4b80},
      {"0.1", DTRT_F16, 0x2e66},
      {"0.1", DTRT_BF16, 0x3dcd},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[80];
    uint16_t got = 0;
    snprintf(line, sizeof line, "%s\n", cases[i].text);
    put_text("half.csv", line);
    tensor_file *f = open_as("half.csv", cases[i].dtype);
    CHECK(f && read_all(f, cases[i].dtype, &got));
    if (got != cases[i].want)
      printf("%s: %04x instead of %04x\n", cases[i].text, got, cases[i].want);
    CHECK(got == cases[i].want);
    tensor_file_close(f);
  }
}

/* A scalar: complex numbers of two f64 had room for one. */
static void test_number(void) {
  double got[2] = {0, 7};
  char why[200];
  tensor_file *f = tensor_file_open("2.5", DTRT_C128, true, NULL, why, sizeof why);
  CHECK(f && read_all(f, DTRT_C128, got) && got[0] == 2.5 && got[1] == 0);
  tensor_file_close(f);
}

static void test_csv(void) {
  float got[8];
  uint8_t u8[8];
  put_text("a.csv", "\xEF\xBB\xBF"
                    "x, y ,\"na,me\"\r\n1, 2.5 ,\"3\"\r\n\r\n-4,5e1,6\r\n");
  tensor_file *f = open_as("a.csv", DTRT_F32);
  CHECK(f && f->shape[0] == 2 && f->shape[1] == 3 && strstr(f->note, "header"));
  CHECK(f && read_all(f, DTRT_F32, got) && got[1] == 2.5f && got[3] == -4 && got[4] == 50);
  tensor_file_close(f);
  f = open_as("a.csv:2,0", DTRT_F32);
  CHECK(f && f->shape[1] == 2 && read_all(f, DTRT_F32, got) && got[0] == 3 && got[3] == -4);
  tensor_file_close(f);
  f = open_as("a.csv:1-", DTRT_F32);
  CHECK(f && f->shape[1] == 2 && read_all(f, DTRT_F32, got) && got[2] == 50);
  tensor_file_close(f);
  put_gz("a.csv.gz", "1,2\n3,255", 9);
  f = open_as("a.csv.gz:1", DTRT_U8);
  CHECK(f && f->shape[0] == 2 && !*f->note && read_all(f, DTRT_U8, u8) && u8[1] == 255);
  tensor_file_close(f);
  CHECK(refuses("a.csv:3", DTRT_F32, "column 3", "found 3 columns"));
  CHECK(refuses("a.csv:2-1", DTRT_F32, "columns ':2-1'", "expected"));
  CHECK(refuses("a.csv:x", DTRT_F32, "columns ':x'", "expected"));
  CHECK(refuses("a.csv:0-99999999999999999999", DTRT_F32, "columns", "expected"));
  CHECK(refuses("a.csv:1", DTRT_I32, "line 2, column 1", "found 2.5"));
  CHECK(refuses("a.csv:0", DTRT_U8, "line 4, column 0", "-4 does not fit u8 (0 to 255)"));
  put_text("e.csv", "1,2\n3\n");
  CHECK(refuses("e.csv", DTRT_F32, "line 2: expected 2 columns", "found 1"));
  put_text("e.csv", "1,2\n3,4,5\n");
  CHECK(refuses("e.csv", DTRT_F32, "line 2: expected 2 columns", "found 3"));
  put_text("e.csv", "1,2\n3,x\n");
  CHECK(refuses("e.csv", DTRT_F32, "line 2, column 1: expected a number", "found 'x'"));
  put_text("e.csv", "1,b\n3,4\n");
  CHECK(refuses("e.csv", DTRT_F32, "line 1, column 1", "header"));
  put_text("e.csv", "1,2\n3,\n");
  CHECK(refuses("e.csv", DTRT_F32, "line 2, column 1", "found nothing"));
  put_text("e.csv", "1e400\n");
  CHECK(refuses("e.csv", DTRT_F32, "1e400 does not fit", "f32"));
  put_text("e.csv", "9223372036854775808\n");
  CHECK(refuses("e.csv", DTRT_I64, "does not fit i64", "9223372036854775807"));
  put_text("e.csv", "a,b\n");
  CHECK(refuses("e.csv", DTRT_F32, "expected lines of numbers", "found none"));
  put("e.csv",
      "1,2\n3,4\n5,6\n7,8\n9,0\n1,2\n3,4\n5,6\n7,8\n9,0\n1,2\n3,4\n5,6\n7,8\n9,0\n1,2\n3,4\n5\0",
      70);
  CHECK(refuses("e.csv", DTRT_F32, "line 18", "zero byte"));
  CHECK(refuses("a.npy:0-3", DTRT_F32, "for CSV", "found .npy"));
}

static void test_files(void) {
  unsigned char file[512];
  CHECK(refuses("none.npy", DTRT_F32, "No such file", "none.npy"));
  put("e.npy", "", 0);
  CHECK(refuses("e.npy", DTRT_F32, "empty", "e.npy"));
  mkdir("dir", 0777);
  CHECK(refuses("dir", DTRT_F32, "directory", "expected a file"));
  put("e.zip", "PK\3\4 and more", 13);
  CHECK(refuses("e.zip", DTRT_F32, "the zip archive is damaged", "end is missing"));
  size_t n = get("a.csv.gz", file, sizeof file);
  put("e.csv", file, n - 6);
  CHECK(refuses("e.csv", DTRT_F32, "gzip", "cut off"));
  file[n - 6] ^= 1; /* the checksum */
  put("e.csv", file, n);
  CHECK(refuses("e.csv", DTRT_F32, "gzip", "damaged"));
}

static int64_t rows_of(const char *name) {
  tensor_file *f = open_as(name, DTRT_F32);
  const int64_t rows = f ? f->shape[0] : -1;
  tensor_file_close(f);
  return rows;
}

/* What a damaged file has in the place of a type or a name went to the terminal as it was. */
static void test_bytes_in_messages(void) {
  put_npy("e.npy", "{'descr': '<\xe8', 'fortran_order': False, 'shape': (2,), }", "12345678", 8);
  CHECK(refuses("e.npy", DTRT_F32, "dtype '<?'", "expected"));
}

/* Of two gzip files in one a damaged header of the second was taken for the end of the data: its
 * rows were left out without a word. */
static void test_gzip_in_pieces(void) {
  unsigned char file[1024];
  put_gz("one.csv.gz", "1,2\n3,4\n", 8);
  const size_t n = get("one.csv.gz", file, sizeof file / 2);
  const int64_t rows = rows_of("one.csv.gz");
  memcpy(file + n, file, n);
  put("e.csv", file, 2 * n);
  CHECK(rows > 0 && rows_of("e.csv") == 2 * rows);
  file[n] ^= 4;
  put("e.csv", file, 2 * n);
  CHECK(refuses("e.csv", DTRT_F32, "behind the gzip data", "are not gzip data"));
  file[n] ^= 4, file[n + 1] ^= 1;
  put("e.csv", file, 2 * n);
  CHECK(refuses("e.csv", DTRT_F32, "gzip", "damaged"));
  put("e.csv", file, n + 1);
  CHECK(refuses("e.csv", DTRT_F32, "gzip", "cut off"));
  memset(file + n, 0, n); /* padding */
  put("e.csv", file, 2 * n);
  CHECK(rows_of("e.csv") == rows);
  file[2 * n - 1] = 'x';
  put("e.csv", file, 2 * n);
  CHECK(refuses("e.csv", DTRT_F32, "behind the gzip data", "are not gzip data"));
}

static void test_elements(void) {
  /* every f16 through f32 and back by way of text, and the swap of bytes */
  bool good = true;
  for (unsigned h = 0; h < 0x10000 && good; h++) {
    uint16_t in = (uint16_t)h, swapped = (uint16_t)(h << 8 | h >> 8), back = 0;
    float a, b;
    char text[64];
    element_convert(DTRT_F16, false, &in, 1, DTRT_F32, &a);
    element_convert(DTRT_F16, true, &swapped, 1, DTRT_F32, &b);
    element_print(DTRT_F16, false, &in, text, sizeof text);
    good = (isnan(a) && isnan(b)) || memcmp(&a, &b, 4) == 0;
    if (!isnan(a))
      good = good && element_parse(text, DTRT_F16, &back) == ELEMENT_FITS && back == in;
    if (h == 0x3c00) good = good && a == 1.0f;
    if (h == 0x0001) good = good && a == 0x1p-24f;
    if (h == 0x7bff) good = good && a == 65504.0f;
  }
  CHECK(good);
  CHECK(element_allowed(DTRT_U8, DTRT_F16) && element_allowed(DTRT_U8, DTRT_BF16));
  CHECK(!element_allowed(ELEMENT_I16, DTRT_F16) && !element_allowed(DTRT_I32, DTRT_F32));
  CHECK(!element_allowed(DTRT_F16, DTRT_BF16) && !element_allowed(DTRT_BF16, DTRT_F16));
  CHECK(element_allowed(DTRT_I32, DTRT_F64) && !element_allowed(DTRT_I64, DTRT_F64));
  CHECK(!element_allowed(DTRT_F64, DTRT_F32) && !element_allowed(DTRT_F32, DTRT_I32));
  uint64_t top = (uint64_t)1 << 63;
  int64_t to;
  CHECK(element_convert(ELEMENT_U64, false, &top, 1, DTRT_I64, &to) == 0);
  int8_t i8;
  CHECK(element_parse("-128", DTRT_I8, &i8) == ELEMENT_FITS && i8 == -128);
  CHECK(element_parse("5.0", DTRT_I8, &i8) == ELEMENT_FITS && i8 == 5);
  CHECK(element_parse("128", DTRT_I8, &i8) == ELEMENT_OUT_OF_RANGE);
  CHECK(element_parse("nan", DTRT_I8, &i8) != ELEMENT_FITS);
  uint8_t truth = 2; /* these were no values of bool */
  CHECK(element_parse("true", DTRT_BOOL, &truth) == ELEMENT_FITS && truth == 1);
  CHECK(element_parse("False", DTRT_BOOL, &truth) == ELEMENT_FITS && truth == 0);
  CHECK(element_is_number("true", DTRT_BOOL) && !element_is_number("true", DTRT_I32));
  CHECK(element_parse("true", DTRT_I8, &i8) == ELEMENT_NOT_A_NUMBER);
  /* Beyond 2^53 a point or an exponent made an integer too large. */
  CHECK(element_parse("1e18", DTRT_I64, &to) == ELEMENT_FITS && to == 1000000000000000000);
  CHECK(element_parse("-9223372036854775807.0", DTRT_I64, &to) == ELEMENT_FITS && to == -INT64_MAX);
  CHECK(element_parse("9223372036854775806.5", DTRT_I64, &to) == ELEMENT_FRACTION);
  CHECK(element_parse("1e-30", DTRT_I64, &to) == ELEMENT_FRACTION);
  CHECK(element_parse("9.3e18", DTRT_I64, &to) == ELEMENT_OUT_OF_RANGE);
  CHECK(element_parse("9.3e18", DTRT_U64, &top) == ELEMENT_FITS && top == 9300000000000000000u);
  CHECK(element_parse("-1e1", DTRT_U64, &top) == ELEMENT_OUT_OF_RANGE);
  float f;
  CHECK(element_parse("-0", DTRT_F32, &f) == ELEMENT_FITS && f == 0 && signbit(f));
  CHECK(element_parse("inf", DTRT_F32, &f) == ELEMENT_FITS && isinf(f));
}

/* Every box of a [3, 4, 5] tensor, from disk (converted) and from memory. */
static void test_boxes(void) {
  int16_t all[60];
  int32_t got[60];
  int64_t shape[3] = {3, 4, 5}, lo[3], hi[3];
  for (int i = 0; i < 60; i++) all[i] = (int16_t)(i * 7 - 100);
  put_npy("box.npy", "{'descr': '<i2', 'fortran_order': False, 'shape': (3, 4, 5), }", all,
          sizeof all);
  unsigned char file[512];
  put_gz("box.npy.gz", file, get("box.npy", file, sizeof file));
  for (int packed = 0; packed < 2; packed++) {
    tensor_file *f = open_as(packed ? "box.npy.gz" : "box.npy", DTRT_I32);
    bool good = f != NULL;
    for (int box = 0; good && box < 4 * 4 * 5 * 5 * 6 * 6; box++) {
      int b = box, n = 0;
      for (int d = 0; d < 3; d++) {
        int m = (int)shape[d] + 1;
        lo[d] = b % m, b /= m;
        hi[d] = b % m, b /= m;
      }
      good = tensor_file_read(f, 3, shape, lo, hi, DTRT_I32, got, why, sizeof why);
      for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
          for (int64_t k = lo[2]; k < hi[2]; k++)
            good = good && got[n++] == all[(i * 4 + j) * 5 + k];
    }
    CHECK(good);
    tensor_file_close(f);
  }
}

static void test_write(void) {
  double d[6] = {1, -2, 3, 4, 5, 0.1}, got[6];
  int64_t shape[3] = {2, 3, 1};
  CHECK(tensor_file_write("w.npy", DTRT_F64, 3, shape, d, why, sizeof why));
  tensor_file *f = open_as("w.npy", DTRT_F64);
  CHECK(f && f->rank == 3 && f->offset % 64 == 0 && read_all(f, DTRT_F64, got));
  CHECK(!memcmp(got, d, sizeof d));
  tensor_file_close(f);
  shape[0] = 6;
  CHECK(tensor_file_write("w.npy", DTRT_F64, 1, shape, d, why, sizeof why));
  f = open_as("w.npy", DTRT_F64);
  CHECK(f && f->rank == 1 && f->shape[0] == 6);
  tensor_file_close(f);
  CHECK(!tensor_file_write("none/w.npy", DTRT_F64, 1, shape, d, why, sizeof why));
  CHECK(strstr(why, "none/w.npy") && strstr(why, "No such file"));
  CHECK(!tensor_file_write("w.npy", DTRT_BF16, 1, shape, d, why, sizeof why) &&
        strstr(why, "bf16"));
}

/* Batches of shuffled and of skipped rows, a device taking a box that is cut in all dims. */
static void test_fill(void) {
  static const char *const consts[3] = {"batch", NULL, NULL};
  const dtrt_dim dim[3] = {{.n = 4, .granule = 1}, {.n = 3, .granule = 1}, {.n = 2, .granule = 1}};
  const dtrt_layout layout = {.rank = 3, .dim = dim};
  const dtrt_tensor in = {.name = "x", .dtype = DTRT_I32, .layout = &layout, .dim_const = consts};
  const dtrt_entry entry = {.name = "train", .nin = 1, .in = &in};
  const int64_t lo[3] = {1, 1, 1}, hi[3] = {4, 3, 2};
  uint8_t all[66];
  int32_t got[6];
  for (int i = 0; i < 66; i++) all[i] = (uint8_t)i;
  put_npy("x.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (11, 3, 2), }", all, 66);
  data_set set;
  CHECK(data_open(&set, &entry, &(data_pair){.name = "x", .file = "x.npy"}, 1, false, 2, 8, NULL,
                  why, sizeof why));
  CHECK(set.rows == 11 && set.limit == 8 && set.batch == 4 && !strcmp(set.constant, "batch"));
  for (int epoch = 0; epoch < 20; epoch++) {
    int seen[11] = {0};
    if (epoch) CHECK(data_shuffle(&set, 5, epoch));
    for (set.first = 0; set.first < 8; set.first += 4) {
      CHECK(!data_fill(&set, 0, 0, lo, hi, got, why));
      for (int i = 0; i < 3; i++) {
        int64_t row = 2 + (epoch ? set.order[set.first + 1 + i] : set.first + 1 + i);
        CHECK(row >= 2 && row < 10 && !seen[row]++);
        CHECK(got[2 * i] == row * 6 + 3 && got[2 * i + 1] == row * 6 + 5);
      }
    }
  }
  data_close(&set);
  CHECK(!data_open(&set, &entry, &(data_pair){.name = "x", .file = "x.npy"}, 1, true, 0, 0, NULL,
                   why, sizeof why));
  CHECK(strstr(why, "expected i32[4, 3, 2]") && strstr(why, "found u8[11, 3, 2]"));
}

/* Nothing a file holds may do worse than fail. */
static void test_hostile(void) {
  const char *names[] = {"a.npy", "f.npy",    "b.npy", "a-idx2-ubyte",   "i16.idx",
                         "a.csv", "a.csv.gz", "v.npy", "a-idx2-ubyte.gz"};
  unsigned char file[1024], bad[1024];
  uint32_t random = 12345;
  int opened = 0, tried = 0;
  static double room[4096];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    size_t n = get(names[k], file, sizeof file);
    for (size_t i = 0; i < 4 * n + 200; i++, tried++) {
      size_t length = i < n ? i : n;
      memcpy(bad, file, n);
      for (int m = 0; i >= n && m < 1 + (int)(i % 3); m++) {
        random = random * 1664525u + 1013904223u;
        bad[(random >> 8) % n] = (unsigned char)(random >> 3);
      }
      put("hostile", bad, length);
      int dtype = (int)(i % 3) == 0 ? DTRT_F64 : (int)(i % 3) == 1 ? DTRT_U8 : DTRT_F32;
      tensor_file *f = open_as("hostile", dtype);
      if (!f && (!*why || strchr(why, '\n'))) CHECK(!"a reason on one line");
      if (!f) continue;
      opened++;
      int64_t elements = f->bytes / (int64_t)element_size(f->kind);
      if (elements * (int64_t)element_size(dtype) <= (int64_t)sizeof room) read_all(f, dtype, room);
      tensor_file_close(f);
    }
  }
  CHECK(opened > 50 && opened < tried);
}

int main(int argc, char **argv) {
  if (argc != 2 || (mkdir(argv[1], 0777), chdir(argv[1]))) return 99;
  test_npy();
  test_npy_errors();
  test_idx();
  test_csv();
  test_csv_halves();
  test_number();
  test_files();
  test_bytes_in_messages();
  test_gzip_in_pieces();
  test_elements();
  test_boxes();
  test_write();
  test_fill();
  test_hostile();
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
