/* file_digest.h: a checksum of a file's contents, by which ranks detect that they were given
 * different data. For large files it covers blocks spread over the file, so that it costs no more
 * than reading 16 MiB. */
#ifndef DTG_RUNTIME_FILE_DIGEST_H
#define DTG_RUNTIME_FILE_DIGEST_H
#include "tensor_file.h"

enum { FILE_DIGEST_MOST = 16 << 20, FILE_DIGEST_BLOCK = 64 << 10 };

/* Of the elements; *sampled: not of all. An unreadable file is reported where it is used. */
uint64_t file_digest(const tensor_file *f, bool *sampled);
/* Of a plain file's bytes; 0 when it cannot be read. */
uint64_t file_digest_path(const char *path);
#endif
