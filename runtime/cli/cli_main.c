/* cli_main.c: dtrt_main, the command line of compiled programs and of `dtgc run`: finds the command
 * and runs it. docs/running.md is its manual. */
#include "thread_state.h"
#include "cli.h"
#include "process.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name;
  int bit;
  int (*run)(const cli *c);
} commands[] = {{"info", 1, info_run}, {"call", 2, call_run}, {"fit", 4, cli_fit}};

static int parse_and_run(cli *c, int argc, char **argv) {
  int bit = 0, (*run)(const cli *) = NULL;
  cli_near near;
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return help_run(c, stdout, CLI_OK);
  if (argc < 2) return help_run(c, stderr, CLI_USAGE);
  cli_near_start(&near, argv[1]);
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
    cli_near_try(&near, commands[k].name);
    if (strcmp(argv[1], commands[k].name) != 0) continue;
    c->command = commands[k].name;
    bit = commands[k].bit;
    run = commands[k].run;
  }
  if (!run)
    return cli_usage(c, "unknown command '%s'%s; there are info, call and fit (%s --help)", argv[1],
                     cli_near_text(&near), c->prog);
  for (int i = 2; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1]) {
      if (!cli_take_option(c, argc, argv, &i, bit)) return CLI_USAGE;
    } else if (c->entry || bit == 1) {
      return cli_usage(c, "unexpected '%s' after '%s'", argv[i], argv[i - 1]);
    } else if (!cli_find_entry(c, argv[i], &c->entry)) {
      return CLI_USAGE;
    }
  }
  if (!cli_check_options(c, bit)) return CLI_USAGE;
  return !c->looks ? run(c) : bit == 1 ? -1 : look_run(c, bit == 2);
}

static void free_pairs(data_pair *pair, int n) {
  for (int i = 0; i < n; i++) free((char *)(uintptr_t)pair[i].name);
  free(pair);
}

static void free_all(const cli *c) {
  free_pairs(c->feed, c->nfeed);
  free_pairs(c->eval_feed, c->neval_feed);
  free_pairs(c->out, c->nout);
}

int dtrt_check_main(int argc, char **argv, const dtrt_program *p) {
  PLAIN_THREAD_HERE;
  cli c = {.prog = argc > 0 && argv[0] ? argv[0] : p->name, .program = p, .looks = true};
  c.rank = dtrt_launch_rank();
  c.quiet = c.rank != 0;
  int status = parse_and_run(&c, argc, argv);
  free_all(&c);
  return status;
}

/* Some file systems report a full disk only when a file is closed. */
static bool closing_fails(void) {
  int copy = dup(STDOUT_FILENO);
  return copy >= 0 && close(copy) != 0;
}

int dtrt_main(int argc, char **argv, const dtrt_program *p, const dtrt_program *const *variants,
              dtrt_more_fn *more, void *user) {
  return dtrt_main_verified(argc, argv, p, variants, more, NULL, user);
}

int dtrt_main_verified(int argc, char **argv, const dtrt_program *p,
                       const dtrt_program *const *variants, dtrt_more_fn *more,
                       dtrt_verify_fn *verify, void *user) {
  PLAIN_THREAD_HERE;
  cli c = {.prog = argc > 0 && argv[0] ? argv[0] : p->name,
           .program = p,
           .variants = variants,
           .more = more,
           .verify = verify,
           .user = user,
           .rank = dtrt_launch_rank(), /* before MPI is started only the launcher knows */
           .check_nan = DTRT_CHECK_CHEAP,
           .prefetch = 2};
  c.quiet = c.rank != 0;
  process_begin();
  dtrt_main_early();
  int status = parse_and_run(&c, argc, argv);
  free_all(&c);
  if (fflush(stdout) || ferror(stdout) || closing_fails()) {
    cli_note(&c, "cannot write to the standard output");
    if (!status) status = CLI_FAILED;
  }
  return status;
}
