/* hostile.c DIR FILES [STRIDE COUNT]: files of strangers; FILES has folders of those of PyTorch and
 * Keras. Headers made to deceive are rejected with the file's path and the reason; no byte of a
 * checkpoint can change unnoticed; and nothing that fuzzing makes of one ends in a crash. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "checkpoint.h"
#include "checkpoint_index.h"
#include "element.h"

enum { MOST = 1 << 20 };
static int failures, checks;
static char path[4096], folder[4000];

static void put(const char *name, const void *bytes, size_t n) {
  unlink(name); /* ext4 waits for the disk when a file is cut to nothing and written again */
  FILE *f = fopen(name, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
    perror(name);
    exit(99);
  }
}

/* Everything that is ever done with a file: 0 refused, 1 accepted. */
static int use(const char *name, char *why, size_t size) {
  checkpoint c;
  if (!checkpoint_open(&c, name, why, size)) return 0;
  bool good = checkpoint_verify(&c, 0, 1, why, size);
  for (int i = 0; good && i < c.nvars; i++) {
    const checkpoint_var *v = &c.var[i];
    int64_t lo[DTRT_MAX_RANK + 1] = {0}, n = checkpoint_count(v);
    checkpoint_reader r;
    char read_why[CHECKPOINT_WHY] = "";
    if (v->kind < 0 || n > MOST) continue; /* few bytes can stand for many elements: steps of 0 */
    void *to = malloc((size_t)n * 8 + 1);
    good = to && checkpoint_reader_open(&r, &c, read_why);
    if (good && !checkpoint_read(&r, v, NULL, lo, v->shape, v->kind, to, NULL)) {
      snprintf(why, size, "%s", read_why);
      good = false;
    }
    if (to) checkpoint_reader_close(&r);
    free(to);
  }
  checkpoint_free(&c);
  return good;
}

/* -------- headers -------- */

typedef struct header {
  const char *json;
  int data;         /* bytes behind it */
  const char *want; /* within the message; NULL: it is fine */
} header;

#define T(place) "{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" place "}"

static const header headers[] = {
    {"{}", 0, NULL},
    {"{\"a\":" T("[0,4]") "}", 4, NULL},
    {"{\"a\":" T("[0,4]") ",\"b\":" T("[4,8]") ",\"__metadata__\":{\"k\":\"v\"}}   ", 8, NULL},
    {"{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4, NULL},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1,4],\"data_offsets\":[0,4]}}", 4, NULL},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[0,9223372036854775807,9223372036854775807],"
     "\"data_offsets\":[0,0]}}",
     0, NULL},
    {"", 0, "is not JSON"},
    {"[]", 0, "is not an object"},
    {"nonsense", 0, "is not JSON: line 1, column 8, offset 16 in the file"},
    {"{\"a\":1}", 0, "is not an object"},
    {"{\"a\":" T("[0,4]") "}", 3, "outside the 3 bytes"},
    {"{\"a\":" T("[0,4]") "}", 5, "no tensor has the last 1 byte"},
    {"{\"a\":" T("[4,0]") "}", 4, "outside"},
    {"{\"a\":" T("[-4,0]") "}", 4, "no data_offsets"},
    {"{\"a\":" T("[0,4.0]") "}", 4, "no data_offsets"},
    {"{\"a\":" T("[0,4,8]") "}", 4, "no data_offsets"},
    {"{\"a\":" T("\"0,4\"") "}", 4, "no data_offsets"},
    {"{\"a\":" T("[0,18446744073709551620]") "}", 4, "is not JSON"},
    {"{\"a\":" T("[0,9223372036854775807]") "}", 4, "outside"},
    {"{\"a\":" T("[0,4]") ",\"b\":" T("[2,6]") "}", 6, "b overlaps a"},
    {"{\"a\":" T("[0,4]") ",\"b\":" T("[0,4]") "}", 4, "b overlaps a"},
    {"{\"a\":" T("[0,4]") ",\"b\":" T("[6,10]") "}", 10, "no tensor has the 2 bytes before b"},
    {"{\"a\":" T("[0,4]") ",\"a\":" T("[4,8]") "}", 8, "duplicate"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4,
     "takes 16 bytes of F32"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}", 0,
     "fit in 64 bits"},
    {"{\"a\":{\"dtype\":\"F64\",\"shape\":[2305843009213693952],\"data_offsets\":[0,0]}}", 0,
     "fit in 64 bits"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,0]}}", 0, "invalid size"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1.5],\"data_offsets\":[0,0]}}", 0, "invalid size"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":4,\"data_offsets\":[0,4]}}", 4, "is not a list"},
    {"{\"a\":{\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "has no dtype"},
    {"{\"a\":{\"dtype\":\"F32F32F32F32F32F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
     "no dtype"},
    {"{\"a\":[[[[[[[[[[]]]]]]]]]]}", 0, "nested more than 4 deep"},
    {"{\"\\u001b[31m\":" T("[0,4]") "}", 4, "control characters"},
    {"{\"\":" T("[0,4]") "}", 4, "empty name"},
    {"{\"a\\u0000b\":" T("[0,4]") "}", 4, "is not JSON"},
    {"{\"\xff\xfe\":" T("[0,4]") "}", 4, "is not JSON"},
    {"{\"\xc0\xaf\":" T("[0,4]") "}", 4, "is not JSON"},
    {"{\"__metadata__\":7}", 0, "__metadata__ is not an object"},
    {"{\"__metadata__\":{\"a\":[]}}", 0, "holds a value that is not text"},
    {"{\"a\":" T("[0,4]") ",\"__metadata__\":{\"crc32:a\":\"0x12\"}}", 4, "checksum"},
    {"{\"a\":" T("[0,4]") ",\"__metadata__\":{\"crc32:a\":\"00000001\"}}", 4,
     "checksum of a is wrong"},
    {"{\"a\":" T("[0,4]") "} {}", 4, "is not JSON"},
    {"{\"a\":" T("[0,4]"), 4, "is not JSON"},
    {"{\"a\":{\"dtype\":\"BOOL\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "does not fit bool"},
};

static void expect(const char *name, const char *want, const char *shown) {
  char why[2048] = "";
  int good = use(name, why, sizeof why);
  checks++;
  if (good == !want && (!want || (strstr(why, want) && strstr(why, name)))) return;
  failures++;
  printf("FAIL %.70s: expected %s, found %s\n", shown, want ? want : "no complaint",
         good ? "no complaint" : why);
}

static void put_header(const char *json, size_t n, uint64_t says, int data) {
  char *bytes = calloc(1, n + (size_t)data + 8);
  for (int i = 0; i < 8; i++) bytes[i] = (char)(says >> (8 * i));
  memcpy(bytes + 8, json, n);
  memset(bytes + 8 + n, 7, (size_t)data);
  put(path, bytes, 8 + n + (size_t)data);
  free(bytes);
}

static void try_headers(void) {
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    const header *h = &headers[i];
    put_header(h->json, strlen(h->json), strlen(h->json), h->data);
    expect(path, h->want, h->json);
  }
  static const uint64_t lengths[] = {3, 5000, 100000001, 1ull << 40, 1ull << 63, ~0ull};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    put_header("{}", 2, lengths[i], 0);
    expect(path, "not a safetensors file, or cut off", "a wrong length");
  }
  /* What users have in their place was once told to have a header as long as its magic says. */
  static const char *const others[][2] = {{"\x80\2\x8a\n\x6c\xfc\x9c\x46"
                                           "abc",
                                           "a Python pickle"},
                                          {"\x1f\x8b\10\10abcdef", "gzip data (unpack it)"}};
  for (int i = 0; i < 2; i++) {
    put(path, others[i][0], 11);
    expect(path, "not a safetensors file, ", "another format");
    expect(path, others[i][1], "its name");
  }
  put(path, "PK\3\4\0\0\10\10abc", 11);
  expect(path, "the zip archive is damaged at offset 11", "the beginning of an archive");
  put(path, "\x89HDF\r\n\x1a\nabc", 11);
  expect(path, "HDF5, at offset 0, in the root group: it reaches past the end", "that of HDF5");
  put(path, "\2\0\0", 3);
  expect(path, "not a safetensors file: 3 bytes", "three bytes");
  put(path, "", 0);
  expect(path, "not a safetensors file: 0 bytes", "no bytes");
  size_t n = 12 << 20; /* a small file that a parser would make gigabytes of */
  char *many = malloc(n);
  memset(many, ',', n);
  memcpy(many, "{\"a\":[0", 7);
  put_header(many, n, n, 0);
  expect(path, "more than 2000000 values", "twelve million values");
  memset(many, '[', n);
  put_header(many, n, n, 0);
  expect(path, "nested more than 4 deep", "twelve million levels");
  memset(many, '"', n);
  put_header(many, n, n, 0);
  expect(path, "is not JSON", "quotes");
  free(many);
}

/* -------- a checkpoint, changed -------- */

static const checkpoint_saved vars[] = {
    {"a.w", DTRT_F32, DTRT_F32, 2, 1, {5, 6}, "[_, x]"},
    {"a.b", DTRT_BOOL, DTRT_BOOL, 1, 0, {9}, "[_]"},
    {"t", DTRT_I64, DTRT_I64, 0, 0, {0}, "[]"},
};

static void write_part(int part, int n, safetensors_entry *entry, const json_t *metadata) {
  char *name = checkpoint_part_name(part, 2), *at = checkpoint_printf("%s/%s", folder, name);
  char why[CHECKPOINT_WHY] = "";
  static const char zeros[4096];
  checkpoint_writer w;
  checkpoint_sort_entries(entry, n);
  bool good = checkpoint_writer_open(&w, at, entry, n, metadata, why);
  for (int i = 0; good && i < n; i++) good = checkpoint_writer_put(&w, zeros, entry[i].bytes);
  if (!checkpoint_writer_close(&w, good)) {
    printf("FAIL writing: %s\n", why);
    exit(1);
  }
  free(at);
  free(name);
}

/* With what is wrong: -1 nothing. */
static void write_checkpoint(int wrong) {
  char why[CHECKPOINT_WHY] = "";
  char *clean = checkpoint_printf("rm -rf '%s' && mkdir '%s'", folder, folder);
  if (system(clean)) exit(99);
  free(clean);
  checkpoint_about about = {.program = "p", .mesh = "[x=2]", .hash = 7, .var = vars, .nvars = 3};
  json_t *metadata = checkpoint_metadata(&about);
  static char *const second[] = {
      "a.w[0:5, 2:6]", "a.w[0:5, 4:6]", "a.w[0:5, 2:7]", "a.w[0:5, 3:3]",  "a.w[0:5]",
      "a.w",           "other",         "a.w[3:5, 2:6]", "a.w[0:5, 3:6] ", "a.w[0:5, -1:2]"};
  int64_t width = wrong == 0 || wrong == 7 ? 4 : wrong == 1 ? 2 : wrong == 2 ? 5 : 3;
  safetensors_entry one[] = {
      {.name = "a.w[0:5, 0:3]", .kind = DTRT_F32, .rank = 2, .shape = {5, 3}, .bytes = 60},
      {.name = "a.b", .kind = DTRT_BOOL, .rank = 1, .shape = {9}, .bytes = 9},
      {.name = "t", .kind = DTRT_I64, .bytes = 8}};
  safetensors_entry two[] = {{.name = wrong < 0 ? "a.w[0:5, 3:6]" : second[wrong],
                              .kind = DTRT_F32,
                              .rank = 2,
                              .shape = {wrong == 7 ? 2 : 5, width},
                              .bytes = (wrong == 7 ? 2 : 5) * width * 4}};
  write_part(0, 3, one, metadata);
  write_part(1, 1, two, metadata);
  json_decref(metadata);
  if (!checkpoint_write_index(folder, &about, 2, why, sizeof why)) {
    printf("FAIL index: %s\n", why);
    exit(1);
  }
}

static void try_pieces(void) {
  char why[2048];
  for (int wrong = -1; wrong < 10; wrong++) {
    write_checkpoint(wrong);
    why[0] = 0;
    int good = use(folder, why, sizeof why);
    checks++;
    if (good == (wrong < 0) && (good || strstr(why, folder))) continue;
    failures++;
    printf("FAIL pieces %d: %s\n", wrong, good ? "accepted" : why);
  }
}

static char *load(const char *name, size_t *n) {
  char why[512];
  int64_t size = 0;
  char *text = safetensors_slurp(name, 1 << 20, &size, why, sizeof why);
  if (!text) exit(99);
  *n = (size_t)size;
  return text;
}

static void try_every_byte(int stride) {
  static const char *const names[] = {"model.safetensors.index.json",
                                      "part-00000-of-00002.safetensors",
                                      "part-00001-of-00002.safetensors"};
  write_checkpoint(-1);
  for (int f = 0; f < 3; f++) {
    char *name = checkpoint_printf("%s/%s", folder, names[f]), why[2048];
    size_t n;
    char *bytes = load(name, &n);
    for (size_t i = 0; i < n; i += (size_t)stride) {
      bytes[i] ^= (char)(1 << i % 8);
      put(name, bytes, n);
      bytes[i] ^= (char)(1 << i % 8);
      checks++;
      if (!use(folder, why, sizeof why)) continue;
      failures++;
      printf("FAIL %s: byte %zu changed unnoticed\n", names[f], i);
    }
    put(name, bytes, n - 1);
    expect(folder, folder, "cut off by a byte");
    put(name, bytes, n);
    unlink(name);
    if (f) expect(folder, names[f], "a file is gone");
    put(name, bytes, n);
    free(bytes);
    free(name);
  }
  expect(folder, NULL, "as it was");
}

/* A later version, whole: it is told from a damaged one, and which it is. */
static void try_version(void) {
  write_checkpoint(-1);
  char *name = checkpoint_printf("%s/%s", folder, CHECKPOINT_INDEX), sum[16];
  size_t n;
  char *text = load(name, &n), *version = strstr(text, "\"version\": 1"),
       *at = index_sum_place(text);
  if (!version || !at) exit(99);
  version[11] = '2';
  memcpy(at, "00000000", 8);
  snprintf(sum, sizeof sum, "%08x", index_sum(text));
  memcpy(at, sum, 8);
  put(name, text, n);
  expect(folder, "\"version\" of \"dtg\": expected 1, found 2", "another version");
  free(text);
  free(name);
}

/* Bytes that fuzzing makes of a lone file: where a header still parses, what it promises must hold.
 */
static void fuzz(int count) {
  static const char *const words[] = {"[",
                                      "]",
                                      "{",
                                      "}",
                                      ",",
                                      ":",
                                      "\"",
                                      "0",
                                      "9223372036854775807",
                                      "-1",
                                      "1e9",
                                      "\\u0000",
                                      "data_offsets",
                                      "F64",
                                      "null",
                                      "\xff"};
  uint64_t state = 1;
  char why[2048];
  size_t n;
  char *name = checkpoint_printf("%s/part-00000-of-00002.safetensors", folder),
       *bytes = load(name, &n);
  char *changed = malloc(n + 4096);
  for (int i = 0; i < count; i++) {
    memcpy(changed, bytes, n);
    size_t size = n;
    for (int k = 1 + i % 3; k > 0; k--) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t at = (size_t)(state >> 33) % size;
      const char *word = words[(state >> 20) % 16];
      size_t len = strlen(word);
      if (state >> 62 == 0) {
        changed[at] = (char)(state >> 40);
      } else if (state >> 62 == 1 && at + len < size) {
        memcpy(changed + at, word, len);
      } else if (state >> 62 == 2) {
        memmove(changed + at + len, changed + at, size - at);
        memcpy(changed + at, word, len);
        size += len;
        changed[0] = (char)(changed[0] + (at < size ? (int)len : 0)); /* the header grew */
      } else if (size > 64) {
        size -= at % 16;
      }
    }
    put(path, changed, size);
    checks++;
    use(path, why, sizeof why);
  }
  free(changed);
  free(bytes);
  free(name);
}

/* Files of others without checksums, changed: pickles, directories, trees, places of elements. */
static void fuzz_file(const char *from, const char *file, int count) {
  static const unsigned char ops[] =
      "()]}.NKJMXqQrhjRbtu\x80\x81\x85\x86\x87\x88\x8a\x93\x94\x95\xff";
  char *name = checkpoint_printf("%s/%s", from, file), why[2048];
  uint64_t state = 1;
  size_t n;
  char *bytes = load(name, &n), *changed = malloc(n);
  put(path, bytes, n);
  expect(path, NULL, file);
  for (int i = 0; i < count; i++) {
    memcpy(changed, bytes, n);
    for (int k = 1 + i % 3; k > 0; k--) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const size_t at = (size_t)(state >> 33) % (i % 2 && n > 2048 ? 2048 : n);
      const unsigned kind = (unsigned)(state >> 30) % 3;
      changed[at] = kind == 0   ? (char)(state >> 20)
                    : kind == 1 ? (char)ops[(state >> 20) % (sizeof ops - 1)]
                                : (char)(changed[at] ^ 1 << (state >> 20) % 8);
    }
    put(path, changed, i % 8 ? n : n - (size_t)(state >> 40) % n);
    checks++;
    use(path, why, sizeof why);
  }
  free(changed);
  free(bytes);
  free(name);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  mkdir(argv[1], 0777);
  snprintf(path, sizeof path, "%s/x.safetensors", argv[1]);
  snprintf(folder, sizeof folder, "%s/step-000001", argv[1]);
  try_headers();
  try_pieces();
  try_version();
  try_every_byte(argc > 3 ? atoi(argv[3]) : 7);
  fuzz(argc > 4 ? 10 * atoi(argv[4]) : 3000);
  static const char *const files[] = {"torch/legacy.pt", "torch/unsummed.pt", "keras/few.h5",
                                      "keras/types.h5", "keras/legacy.h5"};
  for (int i = 0; i < 5; i++) fuzz_file(argv[2], files[i], argc > 4 ? atoi(argv[4]) : 600);
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
