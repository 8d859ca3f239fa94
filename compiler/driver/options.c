/* The command line of dtgc. Long options take their value as --name=value or --name value, short
 * ones as -Dvalue or -D value; for a mistyped one the error suggests the nearest. */
#include "options.h"
#include "dtgc.h"
#include "str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum OptionId {
  OPT_DEFINE,
  OPT_MESH,
  OPT_LAYOUT,
  OPT_PRECISION,
  OPT_STRICT,
  OPT_NO_LINES,
  OPT_IMPORT,
  OPT_OUTPUT,
  OPT_ALSO,
  OPT_TRANSPORT,
  OPT_CPU,
  OPT_DUMP,
  OPT_WHY,
  OPT_DIFF,
  OPT_AUTO,
  OPT_MEMORY,
  OPT_EMIT_C,
  OPT_EMIT_HTML,
  OPT_TIME,
  OPT_OPS,
  OPT_MACHINE,
  OPT_DEVICES,
  OPT_QUICK,
  OPT_CHECK_NAN,
  OPT_FEED,
  OPT_STEPS,
  OPT_TOLERANCE,
  OPT_SEED,
  OPT_JSON,
  OPT_DISABLE,
  OPT_OPTIMIZE,
  OPT_LOADER,
  OPT_SUMS,
  OPT_REPEAT_SAVES,
  OPT_DROP_EXCHANGE,
  OPT_CORES,
  OPT_HELP,
  OPT_VERSION
} OptionId;

static const struct {
  const char *name;
  OptionId id;
  bool value;
} options_table[] = {
    {"-D", OPT_DEFINE, true},         {"-I", OPT_IMPORT, true},
    {"-o", OPT_OUTPUT, true},         {"--mesh", OPT_MESH, true},
    {"--layout", OPT_LAYOUT, true},   {"--also", OPT_ALSO, true},
    {"--cpu", OPT_CPU, true},         {"--dump", OPT_DUMP, true},
    {"--emit-c", OPT_EMIT_C, true},   {"--time", OPT_TIME, false},
    {"--help", OPT_HELP, false},      {"--version", OPT_VERSION, false},
    {"-h", OPT_HELP, false},          {"--transport", OPT_TRANSPORT, true},
    {"--emit-html", OPT_EMIT_HTML, true},
    {"--why", OPT_WHY, true},         {"--diff", OPT_DIFF, true},
    {"--ops", OPT_OPS, false},        {"--machine", OPT_MACHINE, true},
    {"--devices", OPT_DEVICES, true}, {"--quick", OPT_QUICK, false},
    {"--auto", OPT_AUTO, false},      {"--memory", OPT_MEMORY, true},
    {"--strict-layouts", OPT_STRICT, false},
    {"--no-lines", OPT_NO_LINES, false},
    {"--precision", OPT_PRECISION, true},
    {"--check-nan", OPT_CHECK_NAN, false},
    {"--feed", OPT_FEED, true},       {"--steps", OPT_STEPS, true},
    {"--tolerance", OPT_TOLERANCE, true},
    {"--seed", OPT_SEED, true},       {"--json", OPT_JSON, false},
    {"--disable", OPT_DISABLE, true}, {"-O", OPT_OPTIMIZE, true},
    {"--loader", OPT_LOADER, true},   {"--repeat-saves", OPT_REPEAT_SAVES, true},
    {"--drop-exchange", OPT_DROP_EXCHANGE, true},
    {"--cores", OPT_CORES, true},     {"--sums", OPT_SUMS, true},
};
enum { NOPTIONS = (int)(sizeof options_table / sizeof *options_table) };

static const char *const programs_words[] = {"info", "call", "fit"};

static bool is_programs_word(const char *s) {
  for (int i = 0; i < 3; i++)
    if (strcmp(s, programs_words[i]) == 0) return true;
  return false;
}

static bool ends_in_dtg(const char *s) {
  size_t n = strlen(s);
  return n > 4 && strcmp(s + n - 4, ".dtg") == 0;
}

/* What the C compiler takes: .c, .o, .a. */
static bool is_of_host(const char *s) {
  size_t n = strlen(s);
  return n > 2 && s[n - 2] == '.' && strchr("coa", s[n - 1]);
}

/* The option that `arg` names, and the value joined to it ("-Dx=1", "--mesh=a=2"), or -1. */
static int find_option(const char *arg, const char **joined) {
  *joined = NULL;
  for (int i = 0; i < NOPTIONS; i++) {
    const char *name = options_table[i].name;
    size_t n = strlen(name);
    if (strcmp(arg, name) == 0) return i;
    if (!options_table[i].value || strncmp(arg, name, n) != 0) continue;
    bool is_short = name[1] != '-';
    if (!is_short && arg[n] != '=') continue;
    *joined = arg + n + !is_short;
    return i;
  }
  return -1;
}

static void unknown_option(const char *arg, char *why, int n) {
  char typed[64];
  snprintf(typed, sizeof typed, "%.*s", (int)strcspn(arg, "="), arg);
  const char *near = NULL;
  int least = 4;
  for (int i = 0; i < NOPTIONS; i++) {
    int d = str_distance(typed, options_table[i].name, least);
    if (d < least) least = d, near = options_table[i].name;
  }
  if (near && !least)
    snprintf(why, (size_t)n, "option %s takes no value here: %s", typed, arg);
  else if (near)
    snprintf(why, (size_t)n, "unknown option %s: do you mean %s?", typed, near);
  else
    snprintf(why, (size_t)n, "unknown option %s (dtgc --help lists them)", typed);
}

/* All that a command line is likely to want: those before "summary"; of `loops:` the passes. */
static void list_stages(const char *typed, char *text, size_t n) {
  static const char loops[] = "loops:";
  const bool passes = !strncmp(typed, loops, sizeof loops - 1);
  size_t at = 0;
  for (const char *const *s = dtgc_stages(); *s && at < n; s++) {
    if (!passes && !strcmp(*s, "summary")) break;
    if (!passes || !strncmp(*s, loops, sizeof loops - 1))
      at += (size_t)snprintf(text + at, n - at, "%s%s", at ? ", " : "", *s);
  }
  if (at < n && !passes) snprintf(text + at, n - at, " and loops:PASS");
}

static bool add_dumps(Options *o, const char *list, int most, char *why, int n) {
  const char *const *stages = dtgc_stages();
  for (const char *p = list;; p++) {
    size_t len = strcspn(p, ",");
    int k = 0;
    while (stages[k] && (strlen(stages[k]) != len || strncmp(stages[k], p, len) != 0)) k++;
    if (!stages[k] || o->ndumps == most) {
      char names[512];
      list_stages(p, names, sizeof names);
      snprintf(why, (size_t)n, "--dump: unknown stage `%.*s`; the stages are %s",
               (int)(len < 40 ? len : 40), p, names);
      return false;
    }
    o->dump[o->ndumps++] = stages[k];
    p += len;
    if (!*p) return true;
  }
}

static bool is_optimization(const char *name, size_t n) {
  for (int i = 0; dtgc_optimization(i); i++)
    if (strlen(dtgc_optimization(i)) == n && !strncmp(dtgc_optimization(i), name, n)) return true;
  return false;
}

/* Says what is wrong with the first name of a list, or, where only the library can tell why, leaves
 * it to it. */
static bool take_disable(Options *o, const char *list, char *why, int n) {
  for (const char *p = list;; p++) {
    size_t len = strcspn(p, ",");
    if (!is_optimization(p, len)) {
      int at = snprintf(why, (size_t)n, "--disable: unknown optimization `%.*s`",
                        (int)(len < 40 ? len : 40), p);
      char typed[41];
      snprintf(typed, sizeof typed, "%.*s", (int)len, p);
      const char *near = NULL;
      for (int i = 0, least = (int)len / 3 + 2; dtgc_optimization(i); i++) {
        int d = str_distance(typed, dtgc_optimization(i), least);
        if (d < least) least = d, near = dtgc_optimization(i);
      }
      if (near) at += snprintf(why + at, (size_t)(n - at), " (do you mean `%s`?)", near);
      at += snprintf(why + at, (size_t)(n - at), "; there are ");
      for (int i = 0; dtgc_optimization(i); i++)
        at += snprintf(why + at, (size_t)(n - at), "%s%s", i ? ", " : "", dtgc_optimization(i));
      return false;
    }
    p += len;
    if (!*p) break;
  }
  o->disable[o->ndisables++] = list;
  return true;
}

static bool take_level(Options *o, const char *value, char *why, int n) {
  if (*value >= '0' && *value <= '3' && !value[1]) {
    o->optimize = value;
    return true;
  }
  snprintf(why, (size_t)n, "-O takes 0, 1, 2 or 3, not `%s`", value);
  return false;
}

static bool has_pair(const char *option, const char *value, char *why, int n) {
  const char *eq = strchr(value, '=');
  if (eq && eq != value && eq[1]) return true;
  if (!strcmp(option, "--layout") && (strstr(value, "forbid ") || !strcmp(value, "first")))
    return true; /* `forbid gather` alone, `layout first` */
  snprintf(why, (size_t)n, "%s takes NAME=VALUE, not `%s`", option, value);
  return false;
}

static bool take_once(const char **where, const char *option, const char *value, char *why, int n) {
  if (*where) {
    snprintf(why, (size_t)n, "%s is given twice: %s and %s", option, *where, value);
    return false;
  }
  *where = value;
  return true;
}

static bool is_transport(const char *s) {
  return strcmp(s, "threads") == 0 || strcmp(s, "mpi") == 0 || strcmp(s, "self") == 0;
}

static bool take_transport(Options *o, const char *value, char *why, int n) {
  if (is_transport(value)) return take_once(&o->transport, "--transport", value, why, n);
  snprintf(why, (size_t)n, "--transport takes threads, mpi or self, not `%s`", value);
  return false;
}

static bool take_loader(Options *o, const char *value, char *why, int n) {
  if (!strcmp(value, "own") || !strcmp(value, "llvm") || !strcmp(value, "perf"))
    return take_once(&o->loader, "--loader", value, why, n);
  snprintf(why, (size_t)n, "--loader takes own, llvm or perf, not `%s`", value);
  return false;
}

static bool take_sums(Options *o, const char *value, char *why, int n) {
  if (!strcmp(value, "fixed") || !strcmp(value, "fast"))
    return take_once(&o->sums, "--sums", value, why, n);
  snprintf(why, (size_t)n, "--sums takes fixed or fast, not `%s`", value);
  return false;
}

static bool take_devices(Options *o, const char *value, char *why, int n) {
  char *end;
  long devices = strtol(value, &end, 10);
  if (o->devices) {
    snprintf(why, (size_t)n, "--devices is given twice");
    return false;
  }
  if (*value && !*end && devices >= 2 && devices <= 128) {
    o->devices = (int)devices;
    return true;
  }
  snprintf(why, (size_t)n, "--devices takes a number from 2 to 128, not `%s`", value);
  return false;
}

/* 2GB, 500 MiB, 2G (which is 2 GiB), 1073741824 */
static bool take_memory(Options *o, const char *value, char *why, int n) {
  static const char letters[] = "KMGT";
  char *end;
  double bytes = strtod(value, &end);
  if (o->memory) {
    snprintf(why, (size_t)n, "--memory is given twice");
    return false;
  }
  const bool number = end != value;
  while (*end == ' ') end++;
  const char *letter = *end ? strchr(letters, *end == 'k' ? 'K' : *end) : NULL;
  if (letter) end++;
  for (const char *l = letters; letter && l <= letter; l++) bytes *= *end == 'B' ? 1000 : 1024;
  const bool unit = !*end || !strcmp(end, "B") || (letter && !strcmp(end, "iB"));
  if (number && unit && bytes >= 1 && bytes < 1e18) {
    o->memory = (uint64_t)bytes;
    return true;
  }
  snprintf(why, (size_t)n, "--memory takes a size such as 2GB or 500MiB, not `%s`", value);
  return false;
}

static bool take_number(uint64_t *to, uint64_t least, const char *name, const char *value,
                        char *why, int n) {
  char *end;
  *to = strtoull(value, &end, 10);
  if (*value >= '0' && *value <= '9' && !*end && *to >= least && *to <= INT64_MAX) return true;
  snprintf(why, (size_t)n, "%s takes an integer from %d, not `%s`", name, (int)least, value);
  return false;
}

static bool take_tolerance(Options *o, const char *value, char *why, int n) {
  char *end;
  o->tolerance = strtod(value, &end);
  if (end != value && !*end && o->tolerance > 0 && o->tolerance <= 1e30) return true;
  snprintf(why, (size_t)n, "--tolerance takes a number above 0, not `%s`", value);
  return false;
}

static bool take_count(int *to, const char *name, const char *value, char *why, int n) {
  uint64_t count;
  if (!take_number(&count, 1, name, value, why, n)) return false;
  *to = count > 1 << 30 ? 1 << 30 : (int)count;
  return true;
}

static bool take_steps(Options *o, const char *value, char *why, int n) {
  uint64_t steps;
  if (!take_number(&steps, 1, "--steps", value, why, n)) return false;
  o->steps = (int64_t)steps;
  return true;
}

static bool take_option(Options *o, int which, const char *value, int most, char *why, int n) {
  const char *name = options_table[which].name;
  switch (options_table[which].id) {
  case OPT_DEFINE: o->define[o->ndefines++] = value; return has_pair(name, value, why, n);
  case OPT_ALSO: o->also[o->nalsos++] = value; return has_pair(name, value, why, n);
  case OPT_LAYOUT: o->layout[o->nlayouts++] = value; return has_pair(name, value, why, n);
  case OPT_STRICT: o->strict_layouts = true; return true;
  case OPT_NO_LINES: o->no_lines = true; return true;
  case OPT_PRECISION: return take_once(&o->precision, name, value, why, n);
  case OPT_IMPORT: o->import_dir[o->nimport_dirs++] = value; return true;
  case OPT_MESH: return take_once(&o->mesh, name, value, why, n);
  case OPT_OUTPUT: return take_once(&o->output, name, value, why, n);
  case OPT_EMIT_C: return take_once(&o->emit_c, name, value, why, n);
  case OPT_EMIT_HTML: return take_once(&o->emit_html, name, value, why, n);
  case OPT_CPU: return take_once(&o->cpu, name, value, why, n);
  case OPT_TRANSPORT: return take_transport(o, value, why, n);
  case OPT_DUMP: return add_dumps(o, value, most, why, n);
  case OPT_WHY: o->why[o->nwhys++] = value; return true;
  case OPT_DIFF: return take_once(&o->diff, name, value, why, n);
  case OPT_AUTO: o->automatic = true; return true;
  case OPT_MEMORY: return take_memory(o, value, why, n);
  case OPT_TIME: o->time = true; return true;
  case OPT_OPS: o->ops = true; return true;
  case OPT_MACHINE: return take_once(&o->machine, name, value, why, n);
  case OPT_DEVICES: return take_devices(o, value, why, n);
  case OPT_QUICK: o->quick = true; return true;
  case OPT_CHECK_NAN: o->check_nan = true; return true;
  case OPT_FEED: o->feed[o->nfeeds++] = value; return has_pair(name, value, why, n);
  case OPT_STEPS: return take_steps(o, value, why, n);
  case OPT_TOLERANCE: return take_tolerance(o, value, why, n);
  case OPT_SEED: return take_number(&o->seed, 0, name, value, why, n);
  case OPT_JSON: o->json = true; return true;
  case OPT_DISABLE: return take_disable(o, value, why, n);
  case OPT_OPTIMIZE: return take_level(o, value, why, n);
  case OPT_CORES: return take_once(&o->cores, "--cores", value, why, n);
  case OPT_LOADER: return take_loader(o, value, why, n);
  case OPT_SUMS: return take_sums(o, value, why, n);
  case OPT_REPEAT_SAVES: return take_count(&o->repeat_saves, name, value, why, n);
  case OPT_DROP_EXCHANGE: return take_count(&o->drop_exchange, name, value, why, n);
  case OPT_HELP: o->help = true; return true;
  case OPT_VERSION: o->version = true; return true;
  }
  return true;
}

/* The program's transport decides which rank compiles: see dtgc_load. The program rejects a
 * wrong one. */
static void look_for_transport(Options *o) {
  for (int i = 0; i < o->nrest && !o->transport; i++) {
    if (strncmp(o->rest[i], "--transport=", 12) == 0)
      o->transport = o->rest[i] + 12;
    else if (strcmp(o->rest[i], "--transport") == 0 && i + 1 < o->nrest)
      o->transport = o->rest[i + 1];
    if (o->transport && !is_transport(o->transport)) o->transport = NULL;
  }
}

/* The seed of random values, for steps that are verified. The program rejects a wrong one. */
static void look_for_seed(Options *o) {
  for (int i = 0; i < o->nrest; i++)
    if (!strncmp(o->rest[i], "--seed=", 7))
      o->seed = strtoull(o->rest[i] + 7, NULL, 10);
    else if (!strcmp(o->rest[i], "--seed") && i + 1 < o->nrest)
      o->seed = strtoull(o->rest[i + 1], NULL, 10);
}

/* And whether each value is to be checked. */
static void look_for_check(Options *o) {
  for (int i = 0; i < o->nrest; i++)
    if (!strcmp(o->rest[i], "--check-nan") || !strcmp(o->rest[i], "--check-nan=full"))
      o->check_nan = true;
}

/* Likewise how long ranks wait for one that compiles. */
static void look_for_timeout(Options *o) {
  for (int i = 0; i < o->nrest; i++) {
    if (strncmp(o->rest[i], "--timeout=", 10) == 0)
      o->timeout = o->rest[i] + 10;
    else if (strcmp(o->rest[i], "--timeout") == 0 && i + 1 < o->nrest)
      o->timeout = o->rest[i + 1];
  }
}

bool options_read(int argc, char **argv, Options *o, char *why, int n) {
  int most = argc + 16;
  *o = (Options){0};
  const char ***lists[] = {&o->file, &o->host, &o->define, &o->layout, &o->import_dir,
                           &o->dump, &o->also,   &o->why, &o->feed, &o->disable};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!(*lists[i] = calloc((size_t)most, sizeof(char *)))) {
      snprintf(why, (size_t)n, "out of memory");
      return false;
    }
  int i = 1;
  for (bool only_files = false; i < argc; i++) {
    const char *arg = argv[i], *value;
    if (!o->run && !o->nfiles && strcmp(arg, "run") == 0) {
      o->run = true;
      continue;
    }
    if (i == 1 && strcmp(arg, "verify") == 0) {
      o->verify = true;
      continue;
    }
    if (i == 1 && strcmp(arg, "calibrate") == 0) {
      o->calibrate = true;
      continue;
    }
    if (o->run && is_programs_word(arg)) break;
    if (!only_files && strcmp(arg, "--") == 0) {
      only_files = true;
      continue;
    }
    if (only_files || arg[0] != '-' || !arg[1]) {
      if (o->run && !ends_in_dtg(arg)) {
        const bool entry = o->nfiles && !strpbrk(arg, "./");
        snprintf(why, (size_t)n, "`%s` is neither a .dtg file nor info, call or fit%s%s%s", arg,
                 entry ? " (an entry is called by `call " : "", entry ? arg : "",
                 entry ? "`, and trained by `fit`)" : "");
        return false;
      }
      if (o->verify && !ends_in_dtg(arg)) {
        if (o->entry) {
          snprintf(why, (size_t)n, "verify takes one entry: `%s` and `%s` are two", o->entry, arg);
          return false;
        }
        o->entry = arg;
        continue;
      }
      if (!only_files && !strpbrk(arg, "./") && access(arg, F_OK)) {
        const bool follows = o->nfiles && is_programs_word(arg);
        snprintf(why, (size_t)n,
                 follows ? "`%s` goes with run: dtgc run %s %s ..."
                         : "`%s` is no file (dtgc --help lists what dtgc does)",
                 arg, follows ? o->file[0] : "", arg);
        return false;
      }
      if (is_of_host(arg))
        o->host[o->nhosts++] = arg;
      else
        o->file[o->nfiles++] = arg;
      continue;
    }
    int which = find_option(arg, &value);
    if (which < 0) {
      unknown_option(arg, why, n);
      return false;
    }
    if (options_table[which].value && !value && !(value = i + 1 < argc ? argv[++i] : NULL)) {
      snprintf(why, (size_t)n, "%s requires a value", arg);
      return false;
    }
    if (!take_option(o, which, value, most, why, n)) return false;
  }
  o->rest = argv + i;
  o->nrest = argc - i;
  if (o->run) look_for_transport(o);
  if (o->run) look_for_timeout(o);
  if (o->run) look_for_check(o);
  if (o->run) look_for_seed(o);
  return options_agree(o, why, n);
}

void options_free(Options *o) {
  free(o->file);
  free(o->host);
  free(o->define);
  free(o->layout);
  free(o->import_dir);
  free(o->dump);
  free(o->also);
  free(o->why);
  free(o->feed);
  free(o->disable);
}
