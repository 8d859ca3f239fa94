/* See replace.h. */
#include "replace.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or an errno; closes f. */
static int fill(FILE *f, const char *text, size_t n, int to_disk) {
  int error = 0;
  if (fwrite(text, 1, n, f) != n || fflush(f) || (to_disk && fsync(fileno(f)))) error = errno;
  if (fclose(f) && !error) error = errno;
  return error;
}

/* The file that a chain of links ends in is replaced, not the link. */
static char *real_name(const char *path) {
  char *real = realpath(path, NULL);
  return real ? real : strdup(path);
}

int replace_file(const char *path, const char *text, size_t n) {
  struct stat st;
  int there = stat(path, &st) == 0;
  if (there && !S_ISREG(st.st_mode)) {
    FILE *f = fopen(path, "w");
    return f ? fill(f, text, n, 0) : errno;
  }
  char *real = real_name(path), *aside = real ? malloc(strlen(real) + 32) : NULL;
  int error = ENOMEM;
  if (aside) {
    sprintf(aside, "%s.%ld.tmp", real, (long)getpid());
    FILE *f = fopen(aside, "w");
    error = f ? fill(f, text, n, 1) : errno;
    if (!error && there && chmod(aside, st.st_mode & 07777)) error = errno;
    if (!error && rename(aside, real)) error = errno;
    if (error && f) unlink(aside);
  }
  free(aside);
  free(real);
  return error;
}
