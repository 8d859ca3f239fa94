/* Random meshes and layouts for a program, and the text of both; see program.h. */
#include "generate.h"
#include <stdio.h>
#include <string.h>

/* -------- layouts -------- */

/* A dim that is cut may be cut in granules, which divide it. */
static void add_granules(Script *s, const int64_t *dim, char *layout, size_t n) {
  char out[160] = "";
  int depth = 0, d = 0;
  for (const char *p = layout; *p; p++) {
    bool ends = depth == 1 && (*p == ',' || *p == ']'), cut = p[-(p > layout)] != '_';
    if (ends && cut && p > layout + 1 && dim[d] % 2 == 0 && random_below(&s->random, 4) == 0)
      snprintf(out + strlen(out), sizeof out - strlen(out), " by %ld",
               (long)(random_below(&s->random, 2) ? dim[d] : 2));
    d += depth == 1 && *p == ',';
    depth += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
    snprintf(out + strlen(out), sizeof out - strlen(out), "%c", *p);
  }
  snprintf(layout, n, "%s", out);
}

static void say_layout(Script *s, int rank, const int64_t *dim, const char *path) {
  char layout[160];
  Line *l = gen_line(s, LINE_LAYOUT, 0);
  layout_random(&s->random, s->naxes, rank, layout, sizeof layout);
  if (random_below(&s->random, 5) == 0) add_granules(s, dim, layout, sizeof layout);
  if (random_below(&s->random, 3) == 0) /* leave some dims to inference */
    for (char *p = layout; *p; p++)
      if (*p == '_' && random_below(&s->random, 2)) *p = '?';
  size_t n = strlen(layout);
  if (n > 3 && !strcmp(layout + n - 2, "_]") && random_below(&s->random, 4) == 0)
    snprintf(layout + n - 2, 6, "...]");
  snprintf(l->text, sizeof l->text, "layout %s = %s%s\n", path, layout,
           random_below(&s->random, 40) == 0 ? " forbid gather" : "");
}

static void forbid(Script *s) {
  Line *l = gen_line(s, LINE_LAYOUT, 0);
  int e = random_below(&s->random, s->nentries);
  const Scenery *at = &s->entry[e];
  if (random_below(&s->random, 3) == 0)
    snprintf(l->text, sizeof l->text, "layout forbid gather\n");
  else {
    char name[sizeof at->input->name];
    memcpy(name, at->input[random_below(&s->random, at->ninputs)].name, sizeof name);
    snprintf(l->text, sizeof l->text, "layout e%d.%s forbid gather\n", e, name);
  }
}

bool script_allow_gathers(Script *s) {
  bool any = false;
  for (int i = 0; i < s->nlines; i++) {
    Line *l = &s->line[i];
    char *at = l->kind == LINE_LAYOUT && !l->off ? strstr(l->text, " forbid gather") : NULL;
    if (!at) continue;
    any = true;
    if (strchr(l->text, '='))
      snprintf(at, 2, "\n");
    else
      l->off = true;
  }
  return any;
}

void script_layouts(Script *s) {
  static const struct {
    const char *mesh;
    int naxes;
  } meshes[] = {{"a=1", 1},         {"a=2", 1},         {"a=3", 1},     {"a=4", 1},
                {"a=2,b=2", 2},     {"a=2,b=3", 2},     {"a=3,b=2", 2}, {"a=1,b=3", 2},
                {"a=5", 1},         {"a=2,b=1,c=2", 3}, {"b=2,a=3", 2}, {"a=2,b=4", 2},
                {"a=2,b=2,c=2", 3}, {"a=2,b=3,c=2", 3}};
  enum { MESHES = sizeof meshes / sizeof *meshes, LARGE = 2 }; /* the last cost the most time */
  int m = random_below(&s->random, random_below(&s->random, 6) ? MESHES - LARGE : MESHES);
  int often = 1 + random_below(&s->random, 4);
  char path[60];
  snprintf(s->mesh, sizeof s->mesh, "%s", meshes[m].mesh);
  s->naxes = meshes[m].naxes;
  int kept = 0;
  for (int i = 0; i < s->nlines; i++)
    if (s->line[i].kind != LINE_LAYOUT) s->line[kept++] = s->line[i];
  s->nlines = kept;
  for (int i = 0; i < s->nparams; i++)
    if (random_below(&s->random, 5) < often)
      say_layout(s, s->param[i].rank, s->param[i].dim, s->param[i].name);
  for (int e = 0; e < s->nentries; e++) {
    Scenery *at = &s->entry[e];
    for (int i = 0; i < at->ninputs; i++) {
      snprintf(path, sizeof path, "e%d.%s", e, at->input[i].name);
      if (random_below(&s->random, 5) < often)
        say_layout(s, at->input[i].rank, at->input[i].dim, path);
    }
    for (int i = 0; i < at->nvalues; i++) {
      snprintf(path, sizeof path, "e%d.%s", e, at->value[i].name);
      if (at->value[i].name[0] == 't' && random_below(&s->random, 10) < often)
        say_layout(s, at->value[i].rank, at->value[i].dim, path);
    }
  }
  if (random_below(&s->random, 12) == 0) forbid(s);
}

/* -------- text -------- */

static bool is_returned(const Line *l, bool all, char *name) {
  if (l->kind == LINE_RETURN && !all) return sscanf(l->text, "%15s", name) == 1;
  return l->kind == LINE_BODY && all && sscanf(l->text, " %15[ts0-9] =", name) == 1;
}

static void write_entry(const Script *s, int e, bool all, FILE *f) {
  bool any = false;
  char name[16];
  for (int i = 0; i < s->nlines; i++) {
    const Line *l = &s->line[i];
    if (l->off || l->entry != e) continue;
    if (l->kind == LINE_ENTRY) fprintf(f, "%s) {\n", l->text), any = true;
    if (l->kind == LINE_BODY) fputs(l->text, f);
  }
  if (!any) return;
  any = false;
  for (int i = 0; i < s->nlines; i++) {
    const Line *l = &s->line[i];
    if (l->off || l->entry != e || !is_returned(l, all, name)) continue;
    fprintf(f, "%s%s", any ? ", " : "  return ", name);
    any = true;
  }
  fprintf(f, "%s}\n", any ? "\n" : "");
}

void script_write(const Script *s, bool all, FILE *model, FILE *layouts) {
  if (s->nparams) {
    fprintf(model, "layer variables() {\n");
    for (int i = 0; i < s->nlines; i++)
      if (s->line[i].kind == LINE_PARAM && !s->line[i].off) fputs(s->line[i].text, model);
    fprintf(model, "}\nnet = variables()\n");
  }
  for (int e = 0; e < s->nentries; e++) write_entry(s, e, all, model);
  for (int i = 0; layouts && i < s->nlines; i++)
    if (s->line[i].kind == LINE_LAYOUT && !s->line[i].off) fputs(s->line[i].text, layouts);
}
