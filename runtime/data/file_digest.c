/* file_digest.c: see file_digest.h. */
#include "file_digest.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST_PARTS = 128 };

/* `n` bytes in memory, or of a file from `at` on. */
typedef struct DigestInput {
  const char *memory;
  int fd;
  int64_t at, n;
} DigestInput;

static uint32_t block_crc(const DigestInput *b, int64_t from, int64_t n, char *buffer,
                          uint32_t crc) {
  if (b->memory) return (uint32_t)crc32_z(crc, (const unsigned char *)b->memory + from, (size_t)n);
  ssize_t got = pread(b->fd, buffer, (size_t)n, b->at + from);
  return (uint32_t)crc32_z(crc, (const unsigned char *)buffer, got > 0 ? (size_t)got : 0);
}

/* All of it, or as many blocks as `most` holds, the first and the last among them. */
static uint32_t bytes_crc(const DigestInput *b, int64_t most, bool *sampled) {
  char *buffer = b->memory ? NULL : malloc(FILE_DIGEST_BLOCK);
  uint32_t crc = 0;
  int64_t blocks = (b->n + FILE_DIGEST_BLOCK - 1) / FILE_DIGEST_BLOCK;
  int64_t taken = most / FILE_DIGEST_BLOCK < 2 ? 2 : most / FILE_DIGEST_BLOCK;
  if (taken >= blocks) taken = blocks;
  if (taken < blocks) *sampled = true;
  for (int64_t i = 0; i < taken && (b->memory || buffer); i++) {
    int64_t k = taken < 2 ? 0 : i * (blocks - 1) / (taken - 1), from = k * FILE_DIGEST_BLOCK;
    int64_t n = b->n - from < FILE_DIGEST_BLOCK ? b->n - from : FILE_DIGEST_BLOCK;
    crc = block_crc(b, from, n, buffer, crc);
  }
  free(buffer);
  return crc;
}

static uint64_t digest(const tensor_file *f, int64_t most, bool *sampled) {
  uint64_t h = 0;
  if (!f->nparts) {
    int64_t n = f->width ? f->extent : f->bytes;
    DigestInput b = {.memory = f->memory, .fd = f->fd, .at = f->offset, .n = n};
    if (!f->memory && f->fd < 0) return (uint64_t)n << 32;
    return (uint64_t)n << 32 ^ bytes_crc(&b, most, sampled);
  }
  /* Of thousands of files some are looked into, of the others the sizes count. */
  int every = (f->nparts + MOST_PARTS - 1) / MOST_PARTS;
  if (every > 1) *sampled = true;
  for (int i = 0; i < f->nparts; i++) {
    const tensor_file *part = f->part[i];
    bool look = i % every == 0 || i + 1 == f->nparts;
    uint64_t size = (uint64_t)(part->width ? part->extent : part->bytes);
    h = h * 0x9e3779b97f4a7c15u +
        (look ? digest(part, most / f->nparts * every, sampled) : size << 32);
  }
  return h ^ h >> 32;
}

uint64_t file_digest(const tensor_file *f, bool *sampled) {
  *sampled = false;
  return digest(f, FILE_DIGEST_MOST, sampled);
}

uint64_t file_digest_path(const char *path) {
  struct stat st;
  bool sampled;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  uint64_t h = 0;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
    DigestInput b = {.fd = fd, .n = st.st_size};
    h = (uint64_t)st.st_size << 32 ^ bytes_crc(&b, FILE_DIGEST_MOST, &sampled);
  }
  if (fd >= 0) close(fd);
  return h;
}
