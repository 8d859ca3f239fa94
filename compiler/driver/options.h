/* The command line of dtgc, read into a struct. Nothing is compiled here. */
#ifndef DTG_OPTIONS_H
#define DTG_OPTIONS_H
#include <stdbool.h>

typedef struct Options {
  bool run;          /* dtgc run ... */
  const char **file; /* .dtg files */
  int nfiles;
  const char **define, **layout, **import_dir, **dump, **also;
  int ndefines, nlayouts, nimport_dirs, ndumps, nalsos;
  const char *mesh, *output, *emit_c, *transport, *cpu;
  bool help, ops, version, time;
  char **rest; /* run: from the first of info, call, fit on */
  int nrest;
} Options;

extern const char options_help[];

/* Reads argv. On a wrong one writes why to `why` (of `n` bytes) and returns false. The texts of *o
 * are argv's own, or live until options_free. */
bool options_read(int argc, char **argv, Options *o, char *why, int n);
void options_free(Options *o);

#endif
