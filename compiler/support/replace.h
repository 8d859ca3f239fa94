/* A file is written whole or not at all. */
#ifndef DTG_REPLACE_H
#define DTG_REPLACE_H
#include <stddef.h>

/* Writes n bytes beside `path`, to the disk, and renames: a crash or a full disk leaves what was
 * there. What is no regular file (a pipe, /dev/stdout) is written in place. 0, or an errno. */
int replace_file(const char *path, const char *text, size_t n);
#endif
