/* Each NAME.dtg of a folder has an entry `f` without inputs whose outputs `wrong...` must all be 0:
 * alone, and under the mesh and layouts of NAME_on.dtg where there is one. One process runs them
 * all: half of what a start of dtgc and a small program take is the start.
 *
 *   regress FOLDER [--but] [NAME...]     without names all; --but: all but those */
#include "kit.h"
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OUTPUTS = 32 };

/* Of the types that tensor_at reads: 0 and -0 are right, NaN is not. */
static bool wrong_at(const Tensor *t, int64_t i) {
  switch (t->dtype) {
  case DTGC_BOOL:
  case DTGC_I32:
  case DTGC_I64:
  case DTGC_F32:
  case DTGC_F64: return tensor_at(t, i) != 0;
  default: return true;
  }
}

/* How many of the outputs `wrong...` were looked at, and *failures more of them are not 0. */
static int look(const char *path, const Tensor *out, int nout, int *failures) {
  int n = 0;
  for (int i = 0; i < nout; i++) {
    if (strncmp(out[i].name, "wrong", 5)) continue;
    n++;
    for (int64_t k = 0; k < out[i].count; k++)
      if (wrong_at(&out[i], k)) {
        printf("FAIL %s: %s is %g\n", path, out[i].name, tensor_at(&out[i], k));
        ++*failures;
        break;
      }
  }
  return n;
}

static int run(const char *path, dtgc_program *p) {
  Tensor out[MOST_OUTPUTS];
  dtgc_buffer to[MOST_OUTPUTS];
  int failures = 0, nout = dtgc_outputs(p, "f");
  if (nout < 1 || nout > MOST_OUTPUTS || dtgc_inputs(p, "f") != 0) {
    printf("FAIL %s: it has no entry f() with 1 to %d outputs\n", path, MOST_OUTPUTS);
    return 1;
  }
  for (int i = 0; i < nout; i++) {
    dtgc_tensor t;
    if (dtgc_output(p, "f", i, &t)) abort();
    out[i] = (Tensor){.dtype = t.dtype, .rank = t.rank};
    snprintf(out[i].name, sizeof out[i].name, "%s", t.name);
    memcpy(out[i].dim, t.shape, sizeof *t.shape * (size_t)t.rank);
    tensor_size(&out[i]);
    to[i] = (dtgc_buffer){t.name, out[i].data, out[i].bytes};
  }
  if (dtgc_run(p, "f", NULL, 0, to, nout)) {
    printf("FAIL %s: %s\n", path, dtgc_error(p));
    failures++;
  } else if (look(path, out, nout, &failures) == 0) {
    printf("FAIL %s: it has no output `wrong...`\n", path);
    failures++;
  }
  for (int i = 0; i < nout; i++) tensor_free(&out[i]);
  return failures;
}

/* `layouts` may be NULL. */
static int try_program(const char *path, const char *layouts) {
  const dtgc_source sources[] = {{.name = path}, {.name = layouts}};
  const char *which = layouts ? layouts : path;
  dtgc_program *p;
  int failures = 1;
  fprintf(stderr, "%s\n", which); /* the last one is the one that ended the process */
  if (dtgc_compile(sources, layouts ? 2 : 1, NULL, &p))
    printf("FAIL %s: %s\n", which, dtgc_error(p));
  else
    failures = run(which, p);
  dtgc_free(p);
  return failures;
}

static int stem(const char *path) { return (int)(strlen(path) - strlen(".dtg")); }

static bool is_layouts(const char *path) {
  const int at = stem(path) - (int)strlen("_on");
  return at >= 0 && !strcmp(path + at, "_on.dtg");
}

static int try_file(const char *path) {
  char layouts[4096];
  int failures = try_program(path, NULL);
  snprintf(layouts, sizeof layouts, "%.*s_on.dtg", stem(path), path);
  if (!access(layouts, R_OK)) failures += try_program(path, layouts);
  return failures;
}

static bool named(const char *path, char **names, int n, bool *seen) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const size_t len = (size_t)stem(name);
  for (int i = 0; i < n; i++)
    if (strlen(names[i]) == len && !strncmp(names[i], name, len)) return seen[i] = true;
  return false;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  const bool but = argc > 2 && !strcmp(argv[2], "--but");
  char pattern[4096], **names = argv + 2 + but;
  const int n = argc - 2 - but;
  bool *seen = calloc((size_t)n + 1, sizeof *seen);
  glob_t found;
  int failures = 0, runs = 0;
  snprintf(pattern, sizeof pattern, "%s/*.dtg", argv[1]);
  if (!seen || glob(pattern, 0, NULL, &found)) return 2;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    if (is_layouts(found.gl_pathv[i])) continue;
    if (n && named(found.gl_pathv[i], names, n, seen) == but) continue;
    failures += try_file(found.gl_pathv[i]);
    runs++;
  }
  for (int i = 0; i < n; i++)
    if (!seen[i]) printf("FAIL there is no %s.dtg\n", names[i]), failures++;
  printf("%d programs, %d failures\n", runs, failures);
  globfree(&found);
  free(seen);
  return failures || !runs;
}
