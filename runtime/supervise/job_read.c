/* job_read.c: see supervise.h: the arguments of `dtgc launch`, and the file of hosts. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "files.h"
#include "supervise.h"

static const char help[] =
    "dtgc launch: starts the ranks of a program, and continues from its last checkpoint when some "
    "are lost\n"
    "\n"
    "  dtgc launch -n 8 --restarts 5 -- ./model fit train ... --save run --resume\n"
    "  dtgc launch -n 8 --elastic 4:8 -- dtgc run model.dtg fit train ... --save run\n"
    "\n"
    "  -n N                  number of ranks (default: what --hosts has)\n"
    "  --restarts N          restarts in all; requires `fit --save` (default: 5 with --save, else "
    "0)\n"
    "  --elastic LEAST:MOST  ranks that are lost are left out, as long as LEAST remain\n"
    "  --mesh-for N MESH     the mesh with N ranks: --mesh of `dtgc run`, or {mesh} and {ranks} in "
    "the\n"
    "                        command. Without it the first axis shrinks; an executable keeps its "
    "mesh\n"
    "  --hosts FILE          hosts, one `host[:ranks]` a line, reached by mpiexec (ssh)\n"
    "  --progress            shows epoch, step, rate and metrics of rank 0's `fit`: on a terminal "
    "in "
    "one\n"
    "                        line, else a line every 10 s, on standard error\n"
    "  --with COMMAND        starts ranks instead of mpiexec, as 'srun --mpi=pmi2'\n"
    "\n"
    "Inside an allocation of Slurm srun starts the ranks. Ctrl-C, SIGTERM and SIGHUP are passed "
    "on: "
    "ranks\n"
    "save and end, and are not restarted. Exit status: that of the program; 128 + the signal that "
    "ended it.\n";

__attribute__((format(printf, 1, 2))) static bool wrong(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("dtgc launch: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return false;
}

static bool number(const char *text, int least, int *to) {
  char *end;
  errno = 0;
  long v = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
  if (v < least || v > 1 << 20 || errno || *end) return false;
  *to = (int)v;
  return true;
}

static bool take_elastic(job *j, const char *value) {
  char text[64], *colon;
  snprintf(text, sizeof text, "%s", value);
  colon = strchr(text, ':');
  if (colon) *colon = 0;
  if (colon && number(text, 1, &j->least) && number(colon + 1, 1, &j->most) && j->least <= j->most)
    return true;
  return wrong("--elastic %s: expected LEAST:MOST ranks, as in 4:8", value);
}

/* "data=2,model=2" */
static bool is_mesh(const char *text) {
  for (const char *at = text;; at++) {
    size_t name = strcspn(at, "=,"), digits;
    if (!name || at[name] != '=') return false;
    at += name + 1;
    digits = strspn(at, "0123456789");
    at += digits;
    if (!digits || !*at) return digits > 0;
    if (*at != ',') return false;
  }
}

static bool take_rule(job *j, const char *ranks, const char *mesh) {
  job_rule r = {.mesh = mesh};
  if (!number(ranks, 1, &r.ranks)) return wrong("--mesh-for %s: expected a number of ranks", ranks);
  if (!is_mesh(mesh))
    return wrong("--mesh-for %s %s: expected a mesh, as in data=2,model=2", ranks, mesh);
  for (int i = 0; i < j->nrules; i++)
    if (j->rule[i].ranks == r.ranks) return wrong("--mesh-for %s is given twice", ranks);
  if (j->nrules == SUPERVISE_RULES) return wrong("more than %d --mesh-for", SUPERVISE_RULES);
  j->rule[j->nrules++] = r;
  return true;
}

/* One option with its value; *i goes on past them. */
static bool take_option(job *j, int argc, char **argv, int *i) {
  const char *word = argv[*i], *value = *i + 1 < argc ? argv[*i + 1] : NULL;
  static const char *const names[] = {"-n",      "--restarts", "--elastic",
                                      "--hosts", "--with",     "--mesh-for"};
  bool known = false;
  if (!strcmp(word, "--progress")) return ++*i, j->progress = true;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) known |= !strcmp(word, names[k]);
  if (!known) return wrong("unknown option %s (dtgc launch --help)", word);
  if (!value || !strcmp(value, "--")) return wrong("%s requires a value", word);
  *i += 2;
  if (!strcmp(word, "-n"))
    return number(value, 1, &j->ranks) || wrong("-n %s: expected a number of ranks", value);
  if (!strcmp(word, "--restarts"))
    return number(value, 0, &j->restarts) || wrong("--restarts %s: expected a number", value);
  if (!strcmp(word, "--elastic")) return take_elastic(j, value);
  if (!strcmp(word, "--hosts")) return j->hosts = value, true;
  if (!strcmp(word, "--with")) return j->with = value, true;
  if (*i >= argc || !strcmp(argv[*i], "--"))
    return wrong("--mesh-for requires a number of ranks and a mesh");
  return take_rule(j, value, argv[(*i)++]);
}

/* -------- hosts -------- */

static bool add_host(job *j, const char *name, int ranks) {
  job_host *bigger = realloc(j->host, ((size_t)j->nhosts + 1) * sizeof *bigger);
  if (!bigger) return wrong("out of memory");
  j->host = bigger;
  j->host[j->nhosts] = (job_host){strdup(name), ranks};
  return j->host[j->nhosts++].name ? true : wrong("out of memory");
}

static bool read_hosts(job *j) {
  const char *why;
  int fd = file_open(j->hosts, &why), at = 0, last = 0;
  FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
  char line[512], name[256];
  bool good = true;
  if (!f) return wrong("--hosts: %s: %s", j->hosts, why);
  while (good && fgets(line, sizeof line, f)) {
    int ranks = 1, end = 0;
    char *hash = strchr(line, '#'), rest;
    at++;
    if (hash) *hash = 0;
    int got = sscanf(line, " %255[^: \t\n]%n", name, &end);
    if (got != 1) continue;
    if (line[end] == ':')
      good = sscanf(line + end, ":%d %c", &ranks, &rest) == 1 && ranks > 0;
    else
      good = sscanf(line + end, " %c", &rest) != 1;
    last = at;
    good = good && add_host(j, name, ranks);
  }
  fclose(f);
  if (!good) return wrong("%s:%d: expected host or host:ranks", j->hosts, last);
  return j->nhosts ? true : wrong("%s: no hosts", j->hosts);
}

/* Without numbers of ranks, or with too few, hosts are filled evenly, as mpiexec does. */
static bool fill_hosts(job *j) {
  if (!j->hosts) {
    if (!j->ranks) return wrong("-n is not given: the number of ranks");
    return add_host(j, "", j->ranks);
  }
  if (!read_hosts(j)) return false;
  if (!j->ranks) j->ranks = job_slots(j);
  for (int i = 0; job_slots(j) < j->ranks; i++) j->host[i % j->nhosts].ranks++;
  return true;
}

/* -------- all -------- */

static bool check(job *j) {
  bool holes = false, mesh = false, rule = false;
  for (int i = 0; i < j->ncommand; i++) {
    const char *word = j->command[i], *next = i + 1 < j->ncommand ? j->command[i + 1] : NULL;
    holes = holes || strstr(word, "{mesh}") || strstr(word, "{ranks}");
    mesh = mesh || strstr(word, "{mesh}");
    if (!strcmp(word, "--save") && next) j->save = next;
    if (!strncmp(word, "--save=", 7)) j->save = word + 7;
    if (!strcmp(word, "--resume")) j->resumes = true;
    if (!strncmp(word, "--devices-per-rank", 18) && j->least)
      return wrong("--devices-per-rank fixes the number of ranks, and --elastic may change it");
  }
  const char *base = strrchr(j->command[0], '/');
  bool run = !strcmp(base ? base + 1 : j->command[0], "dtgc");
  if (j->nrules && !run && !holes)
    return wrong("--mesh-for: the mesh of %s is built in; write {mesh} or {ranks} in the command "
                 "where executables differ, or launch `dtgc run`",
                 j->command[0]);
  for (int i = 0; i < j->nrules; i++) rule = rule || j->rule[i].ranks == j->ranks;
  if (mesh && !rule)
    return wrong("{mesh} requires --mesh-for %d, the mesh to begin with", j->ranks);
  if (j->nrules && !j->least) return wrong("--mesh-for has no effect without --elastic");
  if (j->restarts > 0 && !j->save)
    return wrong("--restarts: the command saves no checkpoints to continue from; give it --save");
  if (j->restarts < 0) j->restarts = j->save ? 5 : 0;
  if (j->least && (j->ranks < j->least || j->ranks > j->most))
    return wrong("-n %d is outside of --elastic %d:%d", j->ranks, j->least, j->most);
  return true;
}

bool job_read(job *j, int argc, char **argv, bool *done) {
  int i = 1;
  *j = (job){.restarts = -1};
  *done = false;
  if (argc < 2) return fputs(help, stderr), false;
  while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return *done = true, fputs(help, stdout) >= 0;
    if (!take_option(j, argc, argv, &i)) return false;
  }
  if (i < argc && !strcmp(argv[i], "--")) i++;
  if (i >= argc) return wrong("no command to start (dtgc launch --help)");
  j->command = argv + i;
  j->ncommand = argc - i;
  return fill_hosts(j) && check(j);
}

void job_free(job *j) {
  for (int i = 0; i < j->nhosts; i++) free(j->host[i].name);
  free(j->host);
  free(j->left_out);
}
