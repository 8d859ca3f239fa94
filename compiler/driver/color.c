/* color.h. A name is an axis where it stands alone between brackets or commas of a layout, or in
 * the drawing of the mesh; nothing but escape sequences is added. */
#include "color.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AXES_MOST = 16 };

typedef struct Axes {
  const char *name[AXES_MOST];
  int length[AXES_MOST];
  int n;
} Axes;

static bool is_wanted(void) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

static bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Of "mesh [batch=4, model=2]"; the text lives as long. */
static Axes read_axes(const char *text) {
  Axes a = {.n = 0};
  const char *at = strncmp(text, "mesh [", 6) == 0 ? text : strstr(text, "\nmesh [");
  if (!at) return a;
  at = strchr(at, '[') + 1;
  while (a.n < AXES_MOST) {
    int length = 0;
    while (is_word(at[length])) length++;
    if (!length || at[length] != '=') break;
    a.name[a.n] = at;
    a.length[a.n++] = length;
    at += strcspn(at, ",]\n");
    if (*at != ',') break;
    at += 1 + strspn(at + 1, " ");
  }
  return a;
}

/* The axis whose name begins at s, in a place where layouts have axes; -1: none. */
static int axis_at(const Axes *a, const char *text, const char *s, bool drawing) {
  char before = s > text ? s[-1] : '\n';
  if (is_word(before) || (before != ' ' && before != '[' && before != '(')) return -1;
  if (before == '[' && s - text > 1 && s[-2] != ' ') return -1; /* opt.m[model] */
  for (int i = 0; i < a->n; i++) {
    if (strncmp(s, a->name[i], (size_t)a->length[i]) != 0) continue;
    const char *end = s + a->length[i];
    if (*end && strchr(",])=:", *end)) return i;
    if (drawing && *end == ' ' && end[1] >= '0' && end[1] <= '9') return i;
  }
  return -1;
}

void color_print(const char *text) {
  static const int shade[] = {36, 33, 35, 32, 34, 31};
  Axes a = {.n = 0};
  if (is_wanted()) a = read_axes(text);
  if (!a.n) {
    fputs(text, stdout);
    return;
  }
  bool drawing = false; /* between the line of the mesh and the next that is not indented */
  for (const char *s = text; *s; s++) {
    if (s == text || s[-1] == '\n')
      drawing = strncmp(s, "mesh [", 6) == 0 || (drawing && *s == ' ');
    int i = axis_at(&a, text, s, drawing);
    if (i < 0) {
      putchar(*s);
      continue;
    }
    printf("\033[%dm%.*s\033[0m", shade[i % 6], a.length[i], a.name[i]);
    s += a.length[i] - 1;
  }
}
