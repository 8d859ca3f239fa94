/* job_plan.c: see supervise.h. With fewer ranks, in this order: the mesh that --mesh-for names; for
 * `dtgc run`, the mesh with a smaller first axis; for an executable, whose mesh is built in, the
 * same mesh on ranks of more devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "supervise.h"

static bool is_run(const job *j) {
  const char *base = strrchr(j->command[0], '/');
  base = base ? base + 1 : j->command[0];
  return j->ncommand > 1 && !strcmp(base, "dtgc") && !strcmp(j->command[1], "run");
}

int job_slots(const job *j) {
  int n = 0;
  for (int i = 0; i < j->nhosts; i++) n += j->host[i].ranks;
  return n;
}

/* -------- the mesh of the program -------- */

/* "model: 4 devices, mesh [a=2, b=2]" */
static bool read_mesh(const char *line, job_mesh *m) {
  const char *at = strstr(line, " device"), *from = at;
  while (from && from > line && from[-1] >= '0' && from[-1] <= '9') from--;
  if (!at || from == at) return false;
  m->devices = atoi(from);
  at = strstr(at, "mesh [");
  for (at = at ? at + 6 : NULL; at && m->naxes < 16; m->naxes++) {
    int used = 0;
    if (sscanf(at, "%63[^=]=%d%n", m->name[m->naxes], &m->size[m->naxes], &used) != 2) break;
    at += used;
    if (*at == ',') at += 2;
  }
  return m->devices > 0;
}

/* Runs the program's `info`. The words before `fit` or `call` are the program. */
bool job_find_mesh(const job *j, job_mesh *m) {
  char *text = NULL, line[1024];
  size_t n = 0;
  *m = (job_mesh){0};
  FILE *to = open_memstream(&text, &n);
  for (int i = 0; to && i < j->ncommand; i++) {
    const char *word = j->command[i];
    if (i && (!strcmp(word, "fit") || !strcmp(word, "call"))) break;
    fputs(" '", to);
    for (const char *c = word; *c; c++) fputs(*c == '\'' ? "'\\''" : (char[]){*c, 0}, to);
    fputc('\'', to);
  }
  if (!to) return false;
  fputs(" info </dev/null 2>/dev/null", to);
  fclose(to);
  FILE *f = popen(text, "r");
  bool good = f && fgets(line, sizeof line, f) && read_mesh(line, m);
  while (f && fgets(line, sizeof line, f)) continue;
  if (f) pclose(f);
  free(text);
  return good;
}

/* The mesh with its first axis shrunk to what `ranks` have; false: the other axes do not fit. */
static bool shrink(const job *j, job_mesh *m, int ranks) {
  int each = m->devices / j->ranks, others = 1, n = 0;
  for (int i = 1; i < m->naxes; i++) others *= m->size[i];
  if (!m->naxes || m->devices % j->ranks || each * ranks % others) return false;
  n = snprintf(m->shrunk, sizeof m->shrunk, "%s=%d", m->name[0], each * ranks / others);
  for (int i = 1; i < m->naxes; i++)
    n += snprintf(m->shrunk + n, sizeof m->shrunk - (size_t)n, ",%s=%d", m->name[i], m->size[i]);
  return true;
}

/* -------- what runs -------- */

static bool fits(const job *j, job_mesh *m, int ranks, job_plan *p) {
  *p = (job_plan){.ranks = ranks};
  for (int i = 0; i < j->nrules; i++)
    if (j->rule[i].ranks == ranks) return p->mesh = j->rule[i].mesh, true;
  if (ranks == j->ranks) return true;
  if (j->nrules) return false;
  if (!m->devices) return j->ranks % ranks == 0;
  if (!is_run(j)) return m->devices % ranks == 0;
  if (!shrink(j, m, ranks)) return false;
  p->mesh = m->shrunk;
  return true;
}

bool job_choose(const job *j, job_mesh *m, job_plan *p) {
  int slots = job_slots(j), least = j->least ? j->least : j->ranks;
  for (int ranks = slots < j->ranks ? slots : j->ranks; ranks >= least; ranks--)
    if (fits(j, m, ranks, p)) return true;
  return false;
}

/* The word with {mesh} and {ranks} replaced; malloc'ed. */
static char *filled(const char *word, const job_plan *p) {
  char *text = NULL;
  size_t n = 0;
  FILE *to = open_memstream(&text, &n);
  for (const char *at = word; to && *at;) {
    if (!strncmp(at, "{ranks}", 7)) {
      fprintf(to, "%d", p->ranks);
      at += 7;
    } else if (!strncmp(at, "{mesh}", 6) && p->mesh) {
      fputs(p->mesh, to);
      at += 6;
    } else {
      fputc(*at++, to);
    }
  }
  if (to) fclose(to);
  return text;
}

char **job_words(const job *j, const job_plan *p, bool again) {
  char **words = calloc((size_t)j->ncommand + 4, sizeof *words);
  bool has_mesh = false, run = is_run(j) && p->mesh;
  int n = 0;
  if (!words) return NULL;
  for (int i = 0; i < j->ncommand; i++) {
    const char *word = j->command[i];
    has_mesh = has_mesh || strstr(word, "{mesh}");
    bool program = !strcmp(word, "fit") || !strcmp(word, "call");
    if (run && !has_mesh && !strcmp(word, "--mesh") && i + 1 < j->ncommand) {
      i++; /* replaced */
      continue;
    }
    if (run && !has_mesh && !strncmp(word, "--mesh=", 7)) continue;
    if (run && !has_mesh && program) {
      words[n++] = strdup("--mesh");
      words[n++] = strdup(p->mesh);
      has_mesh = true;
    }
    words[n++] = filled(word, p);
  }
  if (again && j->save && !j->resumes) words[n++] = strdup("--resume");
  for (int i = 0; i < n; i++)
    if (!words[i]) return job_free_words(words), NULL;
  return words;
}

void job_free_words(char **words) {
  for (int i = 0; words && words[i]; i++) free(words[i]);
  free(words);
}
