/* file_spec.c: see file_spec.h. Braces are expanded here and not by glob, which silently omits a
 * missing name. */
#include "file_spec.h"
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files.h"
#include "tensor_file.h"

static bool is_there(const char *path) { return access(path, F_OK) == 0; }
static bool is_pattern(const char *path) { return strpbrk(path, "*?[{") != NULL; }

/* The last ":..." of a path, if it can be one. */
static char *last_part(char *path) {
  char *colon = strrchr(path, ':');
  return colon && colon != path && !strchr(colon, '/') ? colon : NULL;
}

/* Cuts ":u8[3073]" off, where the path ends in it. */
static bool cut_record(file_spec *s) {
  char *colon = last_part(s->path);
  if (!colon || is_there(s->path) || !raw_looks_like(colon + 1)) return false;
  *colon = '\0';
  s->record = colon + 1;
  return true;
}

/* Cuts ":NAME" off, where the path begins with an archive; a name may hold anything. */
static bool cut_member(file_spec *s) {
  static const char *const ends[] = {".npz:", ".npz}:"};
  for (int i = 0; i < 2; i++) {
    char *p = strstr(s->path, ends[i]);
    if (!p) continue;
    p += strlen(ends[i]);
    p[-1] = '\0';
    s->member = p;
    return true;
  }
  return false;
}

static bool is_archive(const char *path) {
  char magic[2];
  const char *why;
  int fd = file_open(path, &why);
  bool is = fd >= 0 && read(fd, magic, 2) == 2 && !memcmp(magic, "PK", 2);
  if (fd >= 0) close(fd);
  return is;
}

static bool cut(file_spec *s, char *why, size_t whysize) {
  if (!is_there(s->path) && cut_member(s)) return true;
  char *colon = last_part(s->path);
  if (!colon || is_there(s->path) || cut_record(s)) return true;
  bool good = columns_ok(colon + 1);
  *colon = '\0';
  bool record = cut_record(s);
  if (good) {
    s->columns = colon + 1;
  } else if (!record && is_archive(s->path)) {
    s->member = colon + 1;
  } else if (record || is_there(s->path)) {
    snprintf(why, whysize,
             "%s: columns ':%.100s'; expected something like :0-63 or :0-3,7 (of raw records "
             ":u8[3073]:1-3072)",
             s->path, colon + 1);
    return false;
  } else {
    *colon = ':'; /* no such file either way: say it with the name as given */
  }
  return true;
}

/* What follows a command's last colon, when it can be records or columns. A path may be in the
 * command. */
static bool cut_command(file_spec *s, char *why, size_t whysize) {
  s->command = true;
  char *colon = strrchr(s->path, ':');
  if (colon && columns_ok(colon + 1)) {
    s->columns = colon + 1;
    *colon = '\0';
    colon = strrchr(s->path, ':');
  }
  if (colon && raw_looks_like(colon + 1)) {
    s->record = colon + 1;
    *colon = '\0';
  }
  if (s->path[1 + strspn(s->path + 1, " \t\n")]) return true;
  snprintf(why, whysize, "|: expected a command behind the bar, as in '|zcat shards.gz:u8[65]'");
  return false;
}

static bool add(file_spec *s, const char *path, char *why, size_t whysize) {
  if (s->nfiles == FILE_SPEC_FILES) {
    snprintf(why, whysize, "%s: more than %d files", s->path, FILE_SPEC_FILES);
    return false;
  }
  if (!(s->nfiles & (s->nfiles + 1))) { /* full at 0, 1, 3, 7, ... */
    char **bigger = realloc(s->file, 2 * ((size_t)s->nfiles + 1) * sizeof *s->file);
    if (bigger) s->file = bigger;
    if (!bigger) return false;
  }
  s->file[s->nfiles] = strdup(path);
  return s->file[s->nfiles] && ++s->nfiles;
}

static bool add_matches(file_spec *s, const char *pattern, char *why, size_t whysize) {
  glob_t found;
  int bad = glob(pattern, 0, NULL, &found);
  if (bad == GLOB_NOMATCH) snprintf(why, whysize, "%s: no file matches", pattern);
  bool good = !bad;
  for (size_t i = 0; good && i < found.gl_pathc; i++)
    good = add(s, found.gl_pathv[i], why, whysize);
  globfree(&found);
  return good;
}

/* The names of "@list.txt", one a line, which begin in the list's folder. */
static bool add_list(file_spec *s, const char *list, char *why, size_t whysize) {
  const char *wrong, *slash = strrchr(list, '/');
  int fd = file_open(list, &wrong), number = 0;
  FILE *from = fd >= 0 ? fdopen(fd, "rb") : NULL;
  if (!from) {
    if (fd >= 0) close(fd);
    snprintf(why, whysize, "%s: %s", list, fd >= 0 ? strerror(errno) : wrong);
    return false;
  }
  char *line = NULL, path[FILE_SPEC_MOST];
  size_t room = 0;
  bool good = true;
  int before = s->nfiles;
  for (ssize_t n; good && (n = getline(&line, &room, from)) >= 0;) {
    number++;
    if ((size_t)n != strlen(line)) {
      snprintf(why, whysize, "%s:%d: expected the name of a file, found a zero byte", list, number);
      good = false;
      break;
    }
    while (n && strchr(" \t\r\n", line[n - 1])) line[--n] = '\0';
    const char *name = line + strspn(line, " \t");
    if (!*name || *name == '#') continue;
    bool relative = *name != '/' && slash;
    n = snprintf(path, sizeof path, "%.*s%s", relative ? (int)(slash - list) + 1 : 0, list, name);
    good = (size_t)n < sizeof path && is_there(path);
    if (good)
      good = add(s, path, why, whysize);
    else
      snprintf(why, whysize, "%s:%d: %.200s: %s", list, number, path,
               (size_t)n < sizeof path ? "No such file" : "the name is too long");
  }
  free(line);
  fclose(from);
  if (good && s->nfiles == before) snprintf(why, whysize, "%s: the list names no file", list);
  return good && s->nfiles > before;
}

/* The first "{a,b}": its end and, one after another, the alternatives' ends. Braces nest. */
static const char *part_end(const char *p, bool *comma) {
  for (int depth = 0; *p; p++) {
    if (*p == '{') depth++;
    if (*p == '}' && depth-- == 0) return p;
    if (*p == ',' && depth == 0) return *comma = true, p;
  }
  return NULL;
}

static bool expand(file_spec *s, const char *path, char *why, size_t whysize) {
  const char *open = strchr(path, '{'), *close = open;
  bool list = false;
  if (is_there(path) || !is_pattern(path)) return add(s, path, why, whysize);
  while (close && *close != '}') close = part_end(close + 1, &list);
  if (!open || !close || !list) return add_matches(s, path, why, whysize);
  for (const char *from = open + 1, *end; from <= close; from = end + 1) {
    char one[FILE_SPEC_MOST];
    end = part_end(from, &list);
    snprintf(one, sizeof one, "%.*s%.*s%s", (int)(open - path), path, (int)(end - from), from,
             close + 1);
    if (!expand(s, one, why, whysize)) return false;
  }
  return true;
}

bool file_spec_read(file_spec *s, const char *text, bool commands, char *why, size_t whysize) {
  *s = (file_spec){0};
  if ((size_t)snprintf(s->path, sizeof s->path, "%s", text) >= sizeof s->path) {
    snprintf(why, whysize, "%.100s...: the name is too long", text);
    return false;
  }
  if (commands && *s->path == '|')
    return cut_command(s, why, whysize) && add(s, s->path, why, whysize);
  if (!cut(s, why, whysize)) return false;
  if (*s->path == '@' && s->path[1] && !is_there(s->path))
    return add_list(s, s->path + 1, why, whysize);
  int braces = 0;
  for (const char *c = s->path; *c; c++) braces += *c == '{';
  if (braces > FILE_SPEC_BRACES) {
    snprintf(why, whysize, "%.100s: more than %d braces", text, FILE_SPEC_BRACES);
    return false;
  }
  snprintf(why, whysize, "%.200s: out of memory", text);
  return expand(s, s->path, why, whysize);
}

void file_spec_free(file_spec *s) {
  for (int i = 0; i < s->nfiles; i++) free(s->file[i]);
  free(s->file);
  s->file = NULL;
  s->nfiles = 0;
}
