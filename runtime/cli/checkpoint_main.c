/* checkpoint_main.c: dtrt_checkpoint_main: the arguments of `dtgc checkpoint`, and its `ls` and
 * `check`. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plural.h"
#include "thread_state.h"
#include "checkpoint_command.h"
#include "cli.h"
#include "element.h"
#include "tensor_file.h"

static const char usage[] =
    "usage: %s ls PATH                            what it holds\n"
    "       %s check PATH                         compares all checksums\n"
    "       %s cat PATH TENSOR [-o FILE.npy]      the values of one tensor\n"
    "       %s diff PATH OTHER                    which tensors differ, and by how much\n"
    "       %s reshard PATH TO [--files N] [--bf16] [--params]\n"
    "\n"
    "PATH is a checkpoint, a folder of them (the newest), or a .safetensors, .npz, .pt (PyTorch),\n"
    ".keras or .h5 file.\n"
    "reshard writes whole tensors: to the folder TO, in N files (1), or to one file\n"
    "TO.safetensors; --bf16 rounds f32 params to bf16, --params leaves states out. diff ends with\n"
    "0 when all are equal, 1 when not, 2 when it cannot tell.\n";

/* -------- ls and check -------- */

static int64_t bytes_of(const checkpoint *c, const checkpoint_var *v) {
  int64_t n = 0;
  for (int i = 0; i < v->npieces; i++)
    n += c->file[v->piece[i].file].entry[v->piece[i].entry].bytes;
  return n;
}

static void print_head(const checkpoint *c) {
  int64_t bytes = 0;
  for (int i = 0; i < c->nfiles; i++) bytes += c->file[i].size;
  printf("%s: ", c->path);
  if (*c->program) printf("%s, ", c->program);
  if (*c->mesh) printf("mesh %s, ", c->mesh);
  if (c->own)
    printf("step %lld, epoch %lld done, ", (long long)c->progress.step,
           (long long)c->progress.epoch);
  if (c->progress.row)
    printf("row %lld of %lld, ", (long long)c->progress.row, (long long)c->progress.rows);
  printf("%d tensor%s in %d file%s, %lld byte%s\n", c->nvars, c->nvars == 1 ? "" : "s", c->nfiles,
         c->nfiles == 1 ? "" : "s", (long long)bytes, PLURAL(bytes));
}

/* Columns as wide as what stands in them. */
static void print_vars(const checkpoint *c) {
  size_t path = 4, type = 4, layout = 0;
  char text[256], last[256];
  for (int i = 0; i < c->nvars; i++) {
    const checkpoint_var *v = &c->var[i];
    checkpoint_type_text(v, v->dtype, text, sizeof text);
    if (strlen(v->path) > path) path = strlen(v->path);
    if (strlen(text) > type) type = strlen(text);
    if (strlen(v->layout) > layout) layout = strlen(v->layout);
  }
  if (layout && layout < 6) layout = 6;
  printf("  %-*s  %-*s  %-5s  ", (int)path, "path", (int)type, "type", "role");
  if (layout) printf("%-*s  ", (int)layout, "layout");
  printf("%6s  %12s\n", "pieces", "bytes");
  for (int i = 0; i < c->nvars; i++) {
    const checkpoint_var *v = &c->var[i];
    checkpoint_type_text(v, v->dtype, text, sizeof text);
    bool other = v->kind >= 0 && v->kind != v->dtype;
    snprintf(last, sizeof last, "%s%s", other ? "  as " : "", other ? element_name(v->kind) : "");
    printf("  %-*s  %-*s  %-5s  ", (int)path, v->path, (int)type, text,
           !c->own        ? ""
           : v->trainable ? "param"
                          : "state");
    if (layout) printf("%-*s  ", (int)layout, v->layout);
    printf("%6d  %12lld%s\n", v->npieces, (long long)bytes_of(c, v), last);
  }
}

/* A folder of checkpoints: each in a line, the oldest first. */
static int list_steps(const checkpoint_command *c, const checkpoint_steps *steps) {
  char why[CHECKPOINT_WHY];
  for (int i = steps->n - 1; i >= 0; i--) {
    checkpoint of;
    char *path = checkpoint_step_path(c->word[0], steps->step[i]);
    if (!path) return checkpoint_command_fail(c, "out of memory");
    if (checkpoint_open(&of, path, why, sizeof why)) {
      print_head(&of);
      checkpoint_free(&of);
    } else {
      printf("%s\n", why);
    }
    free(path);
  }
  return COMMAND_OK;
}

static int ls(const checkpoint_command *c) {
  char why[CHECKPOINT_WHY];
  checkpoint_steps steps = {0};
  if (checkpoint_list(c->word[0], &steps, why, sizeof why) && steps.n > 0) {
    int status = list_steps(c, &steps);
    free(steps.step);
    return status;
  }
  checkpoint of;
  if (!checkpoint_open(&of, c->word[0], why, sizeof why)) return checkpoint_command_fail(c, why);
  print_head(&of);
  print_vars(&of);
  checkpoint_free(&of);
  return COMMAND_OK;
}

static int check(const checkpoint_command *c) {
  char why[CHECKPOINT_WHY];
  checkpoint of;
  int64_t summed = 0, all = 0;
  if (!checkpoint_open(&of, c->word[0], why, sizeof why)) return checkpoint_command_fail(c, why);
  bool good = checkpoint_verify(&of, 0, 1, why, sizeof why);
  for (int i = 0; i < of.nfiles; i++)
    for (int k = 0; k < of.file[i].n; k++, all++) summed += of.file[i].entry[k].summed;
  if (good && summed == all)
    printf("%s: good\n", of.path);
  else if (good)
    printf("%s: well formed; %lld of its %lld entries have no checksum\n", of.path,
           (long long)(all - summed), (long long)all);
  checkpoint_free(&of);
  return good ? COMMAND_OK : checkpoint_command_fail(c, why);
}

/* -------- arguments -------- */

static const struct {
  const char *name;
  int words;
  int (*run)(const checkpoint_command *c);
} commands[] = {{"ls", 1, ls},
                {"check", 1, check},
                {"cat", 2, checkpoint_cat},
                {"diff", 2, checkpoint_diff},
                {"reshard", 2, checkpoint_reshard}};
enum { COMMANDS = sizeof commands / sizeof *commands };

__attribute__((format(printf, 2, 3))) static int wrong(const checkpoint_command *c,
                                                       const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "%s: ", c->prog);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return COMMAND_USAGE;
}

/* The options belong to one command each. 0, or COMMAND_USAGE. */
static int take_option(checkpoint_command *c, const char *command, int argc, char **argv, int *i) {
  const char *word = argv[*i];
  bool reshard = !strcmp(command, "reshard");
  if (!strcmp(word, "--bf16") && reshard) return c->bf16 = true, 0;
  if (!strcmp(word, "--params") && reshard) return c->params = true, 0;
  bool output = !strcmp(word, "-o") && !strcmp(command, "cat");
  bool files = !strncmp(word, "--files", 7) && (!word[7] || word[7] == '=') && reshard;
  if (!output && !files) return wrong(c, "%s has no option %s", command, word);
  const char *value = files && word[7] ? word + 8 : *i + 1 < argc ? argv[++*i] : NULL;
  if (!value || !*value) return wrong(c, "%s requires a value", word);
  if (output) return c->output = value, 0;
  char *end;
  long n = strtol(value, &end, 10);
  if (*end || n < 1 || n > 99999) return wrong(c, "--files %s: expected a number from 1", value);
  c->files = (int)n;
  return 0;
}

static int unknown(const checkpoint_command *c, const char *word) {
  cli_near near;
  cli_near_start(&near, word);
  for (int k = 0; k < COMMANDS; k++) cli_near_try(&near, commands[k].name);
  return wrong(c, "there is no command '%s'%s; there are ls, check, cat, diff and reshard", word,
               cli_near_text(&near));
}

int dtrt_checkpoint_main(int argc, char **argv) {
  PLAIN_THREAD_HERE;
  checkpoint_command c = {.prog = argc > 0 ? argv[0] : "checkpoint"};
  int k = 0;
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return printf(usage, c.prog, c.prog, c.prog, c.prog, c.prog), COMMAND_OK;
  if (argc < 2) {
    fprintf(stderr, usage, c.prog, c.prog, c.prog, c.prog, c.prog);
    return COMMAND_USAGE;
  }
  while (k < COMMANDS && strcmp(commands[k].name, argv[1]) != 0) k++;
  if (k == COMMANDS) return unknown(&c, argv[1]);
  for (int i = 2; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1]) {
      if (take_option(&c, argv[1], argc, argv, &i)) return COMMAND_USAGE;
    } else if (c.nwords == commands[k].words) {
      return wrong(&c, "%s: unexpected '%s'", argv[1], argv[i]);
    } else {
      c.word[c.nwords++] = argv[i];
    }
  }
  if (c.nwords < commands[k].words)
    return wrong(&c, "%s requires %s", argv[1],
                 commands[k].words == 1 ? "a PATH" : "two names: see --help");
  return commands[k].run(&c);
}
