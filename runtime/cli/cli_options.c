/* cli_options.c: arguments into a struct cli, every one checked before a device is started. */
#include "cli.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind {
  OPT_FLAG,
  OPT_COUNT, /* from 1 */
  OPT_SKIP,  /* from 0 */
  OPT_SEED,
  OPT_SECONDS,
  OPT_TEXT,
  OPT_FILE,  /* may be left out: the next word is its value when it ends in .json */
  OPT_CHECK, /* --check-nan, --check-nan=MODE */
  OPT_PROGRESS,
  OPT_BIND,
  OPT_PAIR,
  OPT_ENTRY
} option_kind;

/* Where a value goes in struct cli; commands: bit 1 info, 2 call, 4 fit. */
typedef struct option {
  const char *name;
  option_kind kind;
  int commands;
  size_t at, count; /* count: of OPT_PAIR's number; of OPT_SEED's flag, when nonzero */
} option;

static const option options[] = {
    {"--feed", OPT_PAIR, 6, offsetof(cli, feed), offsetof(cli, nfeed)},
    {"--eval-feed", OPT_PAIR, 4, offsetof(cli, eval_feed), offsetof(cli, neval_feed)},
    {"--out", OPT_PAIR, 2, offsetof(cli, out), offsetof(cli, nout)},
    {"--eval", OPT_ENTRY, 4, offsetof(cli, eval), 0},
    {"--report", OPT_ENTRY, 4, offsetof(cli, report), 0},
    {"--stream", OPT_ENTRY, 4, offsetof(cli, stream), 0},
    {"--epochs", OPT_COUNT, 4, offsetof(cli, epochs), 0},
    {"--steps", OPT_COUNT, 4, offsetof(cli, steps), 0},
    {"--limit", OPT_COUNT, 4, offsetof(cli, limit), 0},
    {"--eval-limit", OPT_COUNT, 4, offsetof(cli, eval_limit), 0},
    {"--skip", OPT_SKIP, 4, offsetof(cli, skip), 0},
    {"--prefetch", OPT_SKIP, 4, offsetof(cli, prefetch), 0},
    {"--steps-per-call", OPT_COUNT, 4, offsetof(cli, per_call), 0},
    {"--eval-skip", OPT_SKIP, 4, offsetof(cli, eval_skip), 0},
    {"--shuffle", OPT_SEED, 4, offsetof(cli, shuffle_seed), offsetof(cli, shuffle)},
    {"--seed", OPT_SEED, 6, offsetof(cli, seed), 0},
    {"--log", OPT_TEXT, 4, offsetof(cli, log), 0},
    {"--log-steps", OPT_TEXT, 4, offsetof(cli, log_steps), 0},
    {"--log-ranks", OPT_TEXT, 4, offsetof(cli, log_ranks), 0},
    {"--transport", OPT_TEXT, 6, offsetof(cli, transport), 0},
    {"--devices-per-rank", OPT_COUNT, 6, offsetof(cli, per_rank), 0},
    {"--cores", OPT_COUNT, 6, offsetof(cli, cores), 0},
    {"--bind", OPT_BIND, 7, offsetof(cli, bind), 0},
    {"--progress", OPT_PROGRESS, 6, offsetof(cli, progress), 0},
    {"--timeout", OPT_SECONDS, 6, offsetof(cli, timeout), 0},
    {"--drop-last", OPT_FLAG, 4, offsetof(cli, drop_last), 0},
    {"--verify-every", OPT_COUNT, 4, offsetof(cli, verify_every), 0},
    {"--check-nan", OPT_CHECK, 6, offsetof(cli, check_nan), 0},
    {"--stop-on-nan", OPT_FLAG, 4, offsetof(cli, stop_on_nan), 0},
    {"--save", OPT_TEXT, 6, offsetof(cli, save), 0},
    {"--every", OPT_TEXT, 4, offsetof(cli, every_text), 0},
    {"--keep", OPT_COUNT, 4, offsetof(cli, keep), 0},
    {"--resume", OPT_FLAG, 4, offsetof(cli, resume), 0},
    {"--save-bf16", OPT_FLAG, 6, offsetof(cli, save_bf16), 0},
    {"--save-sync", OPT_FLAG, 4, offsetof(cli, save_sync), 0},
    {"--load", OPT_TEXT, 6, offsetof(cli, load), 0},
    {"--load-map", OPT_TEXT, 6, offsetof(cli, load_map), 0},
    {"--load-partial", OPT_FLAG, 6, offsetof(cli, load_partial), 0},
    {"--plain", OPT_FLAG, 4, offsetof(cli, plain), 0},
    {"--check-replicas", OPT_COUNT, 4, offsetof(cli, check_replicas), 0},
    {"--layouts", OPT_FLAG, 1, offsetof(cli, layouts), 0},
    {"--profile", OPT_FILE, 6, offsetof(cli, profile), 0},
    {"--stragglers", OPT_FLAG, 4, offsetof(cli, stragglers), 0},
    {"--traffic", OPT_FLAG, 2, offsetof(cli, traffic), 0},
    {"--footprint", OPT_FLAG, 2 | 4, offsetof(cli, footprint), 0},
};
enum { PREFETCH_MOST = 1000, PER_CALL_MOST = 1000 };
enum { OPTIONS = sizeof options / sizeof *options };

/* What ranks may be given differently: reports, and how long to wait. And what must be given to all
 * or none, but may be another path on another host: what the files hold is compared elsewhere. */
static const char *const free_options[] = {"--prefetch",  "--log",     "--log-steps", "--timeout",
                                           "--cores",     "--bind",    "--progress",  "--plain",
                                           "--footprint", "--traffic", NULL};
static const char *const path_options[] = {"--save",    "--load",      "--load-map",
                                           "--profile", "--log-ranks", NULL};

static bool is_among(const char *const *names, const char *name) {
  while (*names && strcmp(*names, name) != 0) names++;
  return *names != NULL;
}

static void same_option(const cli *c, const option *o, same_list *l) {
  const char *at = (const char *)c + o->at;
  char text[SAME_TEXT] = "not given";
  size_t n = 0;
  const char *word =
      o->kind == OPT_TEXT || o->kind == OPT_FILE ? *(const char *const *)(const void *)at : NULL;
  const dtrt_entry *e = o->kind == OPT_ENTRY ? *(const dtrt_entry *const *)(const void *)at : NULL;
  switch (o->kind) {
  case OPT_FLAG: strcpy(text, *(const bool *)at ? "given" : "not given"); break;
  case OPT_COUNT:
  case OPT_SKIP:
    if (*(const int64_t *)(const void *)at)
      snprintf(text, sizeof text, "%lld", (long long)*(const int64_t *)(const void *)at);
    break;
  case OPT_SEED:
    if (!o->count || *(const bool *)((const char *)c + o->count))
      snprintf(text, sizeof text, "%llu", (unsigned long long)*(const uint64_t *)(const void *)at);
    break;
  case OPT_TEXT:
  case OPT_FILE:
    if (word) snprintf(text, sizeof text, "%s", is_among(path_options, o->name) ? "given" : word);
    break;
  case OPT_ENTRY:
    if (e) snprintf(text, sizeof text, "%s", e->name);
    break;
  case OPT_PAIR: {
    const data_pair *pair = *(const data_pair *const *)(const void *)at;
    int count = *(const int *)(const void *)((const char *)c + o->count);
    for (int i = 0; i < count && n < sizeof text; i++)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=...", i ? " " : "", pair[i].name);
    break;
  }
  default: return;
  }
  same_add(l, o->name, 0, "%s", text);
}

void cli_same_options(const cli *c, same_list *l) {
  same_add(l, "the command", 0, "%s %s", c->command, c->entry ? c->entry->name : "");
  for (int pairs = 0; pairs < 2; pairs++) /* `--eval` says more than its feeds */
    for (int k = 0; k < OPTIONS; k++)
      if ((options[k].kind == OPT_PAIR) == pairs && !is_among(free_options, options[k].name))
        same_option(c, &options[k], l);
}

bool cli_find_entry(const cli *c, const char *name, const dtrt_entry **to) {
  cli_near near;
  cli_near_start(&near, name);
  for (int i = 1; i < c->program->nentries; i++) { /* entry[0] is init, the runtime's own */
    if (!strcmp(c->program->entry[i].name, name)) return *to = &c->program->entry[i], true;
    cli_near_try(&near, c->program->entry[i].name);
  }
  cli_usage(c, "%s has no entry '%s'%s", c->program->name, name, cli_near_text(&near));
  return false;
}

/* An integer in [least, most], in decimal and nothing else. */
static bool number(const char *text, uint64_t least, uint64_t most, uint64_t *v) {
  char *end;
  errno = 0;
  if (*text < '0' || *text > '9') return false;
  unsigned long long n = strtoull(text, &end, 10);
  *v = n;
  return !*end && errno == 0 && n >= least && n <= most;
}

static bool take_pair(const cli *c, char *base, const option *o, const char *value) {
  data_pair **list = (data_pair **)(void *)(base + o->at);
  int *n = (int *)(void *)(base + o->count);
  const char *equal = strchr(value, '=');
  if (!equal || equal == value || !equal[1])
    return cli_usage(c, "%s %s: expected NAME=FILE", o->name, value), false;
  char *name = strndup(value, (size_t)(equal - value));
  data_pair *bigger = realloc(*list, (size_t)(*n + 1) * sizeof **list);
  if (bigger) *list = bigger;
  if (!name || !bigger) {
    free(name);
    return cli_usage(c, "out of memory"), false;
  }
  (*list)[(*n)++] = (data_pair){.name = name, .file = equal + 1};
  for (int i = 0; i + 1 < *n; i++)
    if (!strcmp((*list)[i].name, name))
      return cli_usage(c, "%s %s is given twice", o->name, name), false;
  return true;
}

/* 0 is no limit, which dtrt_options has as less than 0. */
static bool take_seconds(const cli *c, const option *o, const char *value, double *to) {
  char *end;
  double v = strtod(value, &end);
  bool digits = *value == '.' || (*value >= '0' && *value <= '9');
  if (!digits || *end || !(v <= 1e9))
    return cli_usage(c, "%s %s: expected a number of seconds, or 0 to wait forever", o->name,
                     value),
           false;
  *to = v > 0 ? v : -1;
  return true;
}

/* One of three words, by its number. */
static bool take_word(const cli *c, const option *o, const char *value, int64_t *to) {
  static const char *const checks[] = {"off", "cheap", "full"};     /* as DTRT_CHECK_OFF ... */
  static const char *const progress[] = {"auto", "thread", "poll"}; /* as DTRT_PROGRESS_AUTO ... */
  static const char *const binds[] = {"none", "core", "numa"};      /* as DTRT_BIND_NONE ... */
  const char *const *words = o->kind == OPT_CHECK ? checks : o->kind == OPT_BIND ? binds : progress;
  cli_near near;
  cli_near_start(&near, value);
  for (int i = 0; i < 3; i++) {
    if (!strcmp(value, words[i])) return *to = i, true;
    cli_near_try(&near, words[i]);
  }
  return cli_usage(c, "%s=%s: expected %s, %s or %s%s", o->name, value, words[0], words[1],
                   words[2], cli_near_text(&near)),
         false;
}

static bool take_value(cli *c, const option *o, const char *value) {
  char *base = (char *)c;
  uint64_t v;
  switch (o->kind) {
  case OPT_FLAG: *(bool *)(base + o->at) = true; return true;
  case OPT_COUNT:
  case OPT_SKIP:
    if (!number(value, o->kind == OPT_COUNT, INT64_MAX, &v))
      return cli_usage(c, "%s %s: expected an integer from %d", o->name, value,
                       o->kind == OPT_COUNT),
             false;
    *(int64_t *)(void *)(base + o->at) = (int64_t)v;
    return true;
  case OPT_SEED:
    if (!number(value, 0, UINT64_MAX, &v))
      return cli_usage(c, "%s %s: expected an integer from 0", o->name, value), false;
    *(uint64_t *)(void *)(base + o->at) = v;
    if (o->count) *(bool *)(base + o->count) = true;
    return true;
  case OPT_SECONDS: return take_seconds(c, o, value, (double *)(void *)(base + o->at));
  case OPT_TEXT:
  case OPT_FILE: *(const char **)(void *)(base + o->at) = value; return true;
  case OPT_PROGRESS:
  case OPT_BIND:
  case OPT_CHECK: return take_word(c, o, value, (int64_t *)(void *)(base + o->at));
  case OPT_ENTRY: return cli_find_entry(c, value, (const dtrt_entry **)(void *)(base + o->at));
  default: return take_pair(c, base, o, value);
  }
}

static bool is_json(const char *word) {
  size_t n = strlen(word);
  return n > 5 && !strcmp(word + n - 5, ".json");
}

/* The options of a command, for who looks for one that has another name. */
static const char *options_text(int bit, char *text, size_t size) {
  size_t n = 0;
  text[0] = '\0';
  for (int k = 0; k < OPTIONS && n < size; k++)
    if (options[k].commands & bit)
      n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", options[k].name);
  return text;
}

/* What decides while compiling, and is often written behind the command. */
static bool is_of_compiler(const char *word, size_t n) {
  static const char *const names[] = {"--mesh",      "--layout",  "--machine", "--memory", "-D",
                                      "--precision", "--disable", "--auto",    "--dump",   "-O"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == n && !strncmp(names[i], word, n)) return true;
  return false;
}

/* One option at argv[*i], which moves to its last word. */
bool cli_take_option(cli *c, int argc, char **argv, int *i, int bit) {
  const char *word = argv[*i], *equal = strchr(word, '=');
  size_t n = equal ? (size_t)(equal - word) : strlen(word);
  cli_near near;
  cli_near_start(&near, word);
  for (int k = 0; k < OPTIONS; k++) {
    const option *o = &options[k];
    if (strncmp(o->name, word, n) != 0 || o->name[n]) {
      if (o->commands & bit) cli_near_try(&near, o->name);
      continue;
    }
    if (!(o->commands & bit))
      return cli_usage(c, "%s is not an option of '%s'", o->name, c->command), false;
    if (o->kind == OPT_FLAG && equal) return cli_usage(c, "%s takes no value", o->name), false;
    if (o->kind == OPT_FLAG) return take_value(c, o, "");
    if (o->kind == OPT_CHECK && !equal) return take_value(c, o, "full");
    if (o->kind == OPT_FILE && !equal && !(*i + 1 < argc && is_json(argv[*i + 1])))
      return take_value(c, o, "");
    if (!equal && *i + 1 >= argc) return cli_usage(c, "%s requires a value", o->name), false;
    return take_value(c, o, equal ? equal + 1 : argv[++*i]);
  }
  char all[1024];
  if (is_of_compiler(word, n))
    cli_usage(c, "%.*s is an option of the compiler: dtgc run MODEL.dtg %.*s ... %s ...", (int)n,
              word, (int)n, word, c->command);
  else if (*cli_near_text(&near))
    cli_usage(c, "unknown option '%s'%s", word, cli_near_text(&near));
  else
    cli_usage(c, "unknown option '%s'; those of '%s': %s", word, c->command,
              options_text(bit, all, sizeof all));
  return false;
}

/* Every NAME of --feed or --out is one of the entry's. */
static bool check_names(const cli *c, const char *option, const data_pair *pair, int n,
                        const dtrt_entry *e, bool inputs) {
  for (int i = 0; i < n; i++) {
    const dtrt_tensor *t = inputs ? e->in : e->out;
    int count = inputs ? e->nin : e->nout;
    bool found = false;
    cli_near near;
    cli_near_start(&near, pair[i].name);
    for (int k = 0; k < count; k++) {
      found = found || !strcmp(t[k].name, pair[i].name);
      cli_near_try(&near, t[k].name);
    }
    if (found) continue;
    cli_usage(c, "%s %s: entry '%s' has no %s of that name%s", option, pair[i].name, e->name,
              inputs ? "input" : "output", cli_near_text(&near));
    return false;
  }
  return true;
}

static bool check_transport(const cli *c) {
  static const char *const names[] = {"threads", "mpi", "self"};
  cli_near near;
  if (!c->transport) return true;
  cli_near_start(&near, c->transport);
  for (int i = 0; i < 3; i++) {
    if (!strcmp(names[i], c->transport)) return true;
    cli_near_try(&near, names[i]);
  }
  cli_usage(c, "--transport %s: expected threads, mpi or self%s", c->transport,
            cli_near_text(&near));
  return false;
}

static bool check_checkpoints(cli *c, int bit) {
  uint64_t v;
  if (c->save && !*c->save) return cli_usage(c, "--save: the name is empty"), false;
  if (!c->save && (c->every_text || c->keep || c->resume || c->save_bf16 || c->save_sync))
    return cli_usage(c, "--every, --keep, --resume, --save-bf16 and --save-sync require --save "
                        "FOLDER"),
           false;
  if (!c->load && (c->load_map || c->load_partial))
    return cli_usage(c, "--load-map and --load-partial require --load PATH"), false;
  if (bit == 2 && c->save && !c->entry->assigns)
    return cli_usage(c, "--save: entry '%s' changes no variables", c->entry->name), false;
  if (!c->every_text || !strcmp(c->every_text, "epoch")) return true;
  if (!number(c->every_text, 1, INT64_MAX, &v))
    return cli_usage(c, "--every %s: expected a number of steps, or `epoch`", c->every_text), false;
  c->every = (int64_t)v;
  return true;
}

static bool check_logs(const cli *c) {
  const char *const log[] = {c->log, c->log_steps, c->log_ranks};
  static const char *const name[] = {"--log", "--log-steps", "--log-ranks"};
  for (int i = 0; i < 3; i++) {
    const size_t n = log[i] ? strlen(log[i]) : 0;
    if (n >= 5 && !strcmp(log[i] + n - 5, ".json"))
      return cli_usage(c,
                       "%s %s: a log is CSV, or with the ending .jsonl JSON lines, an object each",
                       name[i], log[i]),
             false;
    for (int j = i + 1; j < 3; j++)
      if (log[i] && log[j] && !strcmp(log[i], log[j]))
        return cli_usage(c, "%s and %s name the same file", name[i], name[j]), false;
  }
  return true;
}

bool cli_check_options(cli *c, int bit) {
  if (bit == 1) return true;
  if (!c->entry)
    return cli_usage(c, "%s requires an entry: %s %s ENTRY ...", c->command, c->prog, c->command),
           false;
  if (!check_names(c, "--feed", c->feed, c->nfeed, c->entry, true)) return false;
  if (!check_checkpoints(c, bit)) return false;
  if (!check_names(c, "--out", c->out, c->nout, c->entry, false)) return false;
  if (!check_logs(c)) return false;
  if (bit == 4 && !c->epochs == !c->steps)
    return cli_usage(c, c->epochs ? "--epochs and --steps exclude each other"
                                  : "fit requires --epochs N or --steps N"),
           false;
  if (c->stream && c->shuffle)
    return cli_usage(c, "--stream and --shuffle exclude each other"), false;
  if (c->stream && c->stream->nin)
    return cli_usage(c, "--stream %s: expected an entry without inputs, which resets states",
                     c->stream->name),
           false;
  if (c->verify_every && !c->verify && !c->looks)
    return cli_usage(c, "--verify-every requires the compiler, which an executable does not "
                        "contain; use `dtgc run`"),
           false;
  if (c->prefetch > PREFETCH_MOST)
    return cli_usage(c, "--prefetch %lld: expected at most %d", (long long)c->prefetch,
                     PREFETCH_MOST),
           false;
  if (c->per_call > PER_CALL_MOST)
    return cli_usage(c, "--steps-per-call %lld: expected at most %d", (long long)c->per_call,
                     PER_CALL_MOST),
           false;
  if (!c->eval && (c->neval_feed || c->eval_limit || c->eval_skip))
    return cli_usage(c, "--eval-feed, --eval-skip and --eval-limit require --eval ENTRY"), false;
  if (c->eval && !check_names(c, "--eval-feed", c->eval_feed, c->neval_feed, c->eval, true))
    return false;
  return check_transport(c);
}
