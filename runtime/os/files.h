/* files.h: opening and replacing files by name, shared by the runtime and the compiler.
 *
 * Invariants: what is read is a regular file, and finding out never waits (a FIFO without a writer
 * would wait forever); what is written aside is opened exclusively under a name that no other can
 * guess, and is removed by the next writer of the same file when its own writer has died. */
#ifndef DTG_FILES_H
#define DTG_FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a regular file for reading. -1: *why is a text such as "No such file or directory" or
 * "expected a regular file, found a pipe", and errno is set. */
int file_open(const char *path, const char **why);

/* Something that is neither a regular file nor a folder: written in place, never replaced. */
bool file_is_special(const char *path);

/* Whether both names lead to one existing file. */
bool file_is_same(const char *path, const char *other);

/* Opens such a file for writing. -1 with errno: EPIPE for a pipe that nothing opens for reading
 * within two seconds. */
int file_open_special(const char *path);

/* Creates a file beside `path` for writing; *name (malloc'ed) is removed or renamed by the caller.
 * Stale ones of the same path are removed first. -1 with errno, *name is NULL then. */
int file_aside(const char *path, char **name);

/* Such a name alone (malloc'ed; NULL: out of memory), for a writer that opens the file itself:
 * exclusively, and with flock(LOCK_EX) on it while it writes. */
char *file_aside_name(const char *path);

/* 64 bits that cannot be guessed, for names. */
uint64_t file_random(void);

/* Writes a, then b, in place of `path`: beside it first, synced to disk and renamed, so that the
 * file is the old or the new one. Of a symbolic link the file it leads to is replaced; the mode of
 * an older file is kept. A device or pipe is written directly. 0, or an errno. */
int file_replace(const char *path, const void *a, size_t na, const void *b, size_t nb);
#endif
