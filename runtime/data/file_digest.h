/* file_digest.h: a checksum of what a file holds, by which ranks find that they have been given
 * other data. Of large files it is that of blocks spread over them, so that it costs no more than
 * reading 16 MiB. */
#ifndef DTG_RUNTIME_FILE_DIGEST_H
#define DTG_RUNTIME_FILE_DIGEST_H
#include "tensor_file.h"

enum { FILE_DIGEST_MOST = 16 << 20, FILE_DIGEST_BLOCK = 64 << 10 };

/* Of the elements; *sampled: not of all. What cannot be read is told by those who use the file. */
uint64_t file_digest(const tensor_file *f, bool *sampled);
/* Of a plain file's bytes; 0 when it cannot be read. */
uint64_t file_digest_path(const char *path);
#endif
