/* The command line of dtgc, read into a struct. Nothing is compiled here. */
#ifndef DTG_OPTIONS_H
#define DTG_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Options {
  bool run;          /* dtgc run ... */
  bool calibrate;    /* dtgc calibrate ... */
  bool verify;       /* dtgc verify ... */
  const char *entry; /* verify: NULL: all */
  const char **feed; /* verify: NAME=FILE */
  int nfeeds;
  int64_t steps;    /* verify; 0: not given */
  double tolerance; /* verify; 0: not given */
  uint64_t seed;    /* verify: of inputs; run: of random values */
  bool json;        /* verify */
  const char **file; /* .dtg files */
  int nfiles;
  const char **host; /* C sources, objects and archives, for -o */
  int nhosts;
  const char **define, **layout, **import_dir, **dump, **also, **why;
  int ndefines, nlayouts, nimport_dirs, ndumps, nalsos, nwhys;
  const char *mesh, *precision, *output, *emit_c, *emit_html, *transport, *cpu, *machine, *diff;
  const char **disable, *optimize, *loader, *sums;
  int ndisables, repeat_saves, drop_exchange;
  const char *timeout; /* that `run` was given, as it was written */
  int devices; /* calibrate; 0: not given */
  bool help, ops, version, time, quick;
  bool automatic; /* --auto */
  bool strict_layouts, no_lines;
  bool check_nan;  /* code that can be checked after each step */
  uint64_t memory; /* bytes; 0: not given */
  const char *cores; /* run: as it was written; the program checks it */
  char **rest;       /* run: from the first of info, call, fit on */
  int nrest;
} Options;

extern const char options_help[];

/* Reads argv. On a wrong one writes why to `why` (of `n` bytes) and returns false. The texts of *o
 * are argv's own, or live until options_free. */
bool options_read(int argc, char **argv, Options *o, char *why, int n);
/* What options_read asks once it has read all of them; --json makes other stages of --dump's. */
bool options_agree(Options *o, char *why, int n);
void options_free(Options *o);

#endif
