/* From .dtg text to a Program: lexer.l and parser.y build the AST, elaborate.c executes it at
 * compile time and produces one global graph per entry. */
#ifndef DTG_FRONTEND_H
#define DTG_FRONTEND_H
#include "graph.h"

typedef struct FrontSource {
  const char *name; /* as shown in messages; a path when the text was read from a file */
  const char *text;
  size_t len;
} FrontSource;

/* The sources of a program that was compiled, parsed. Lives as long as the program. */
typedef struct Parsed Parsed;

typedef struct FrontOptions {
  const FrontSource *source; /* in order; all make one module: the model, then layout files */
  int nsources;
  const char *const *define; /* "batch=256" */
  int ndefines;
  bool variant;     /* the last of them is the one that --also adds */
  const char *mesh; /* "batch=4,model=2" (overrides the mesh of the sources), or NULL */
  const char *precision; /* "bf16", "f16" or "f32" (overrides `precision` of the sources), or NULL */
  const char *const
      *layout; /* "model.d1.w=[_,model]": added to, and stronger than, those of the sources */
  int nlayouts;
  bool strict_layouts;           /* a statement without effect is an error */
  const char *const *import_dir; /* searched after the importing file's own directory */
  int nimport_dirs;
  bool command_line; /* messages call the options --layout, -D and --mesh, else layout[0], define[0]
                        and mesh */
  /* Reads a file for `import`; NULL: files may not be read. Returns arena memory, or NULL when
   * there is no such file; *why is then NULL, or the reason why an existing one cannot be read. */
  char *(*read)(void *user, Arena *a, const char *path, size_t *len, const char **why);
  void *user;
  /* Compilations of variants of these sources, such as with other layouts: how many of how many are
   * done. NULL: none. */
  void (*tried)(void *user, int done, int all);
  void *tried_user;
  const Parsed *parsed; /* of the base of a variant: equal texts are not parsed again; or NULL */
} FrontOptions;

/* Reports to d and returns NULL when anything is wrong. */
Program *front_compile(Arena *a, Diag *d, const FrontOptions *o);
/* --dump=ast: the sources as parsed, one .dtg text that parses back to the same. False after
 * errors. */
bool front_dump_ast(Arena *a, Diag *d, const FrontOptions *o, Str *out);

/* The shipped library, include/dtg/NAME.dtg, built into the compiler (generated at build time). */
typedef struct FrontModule {
  const char *name; /* "nn" */
  const char *text;
  size_t len;
} FrontModule;
extern const FrontModule front_library[]; /* ends with a NULL name */

#endif
