/* Objects to an executable: the system's cc links them with the runtime, OpenBLAS and, on request,
 * MPI, and with sources of the host, which it compiles. The executable holds no compiler. It is
 * linked in a folder of its own, copied beside the output and renamed: a failed link leaves what
 * was there. What to link was found when dtgc itself was built (link_config.h, generated). */
#include "jit.h"
#include "files.h"
#include "link_config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINK_FOLDER "dtgc-"
enum { STALE_SECONDS = 3600, COPY_BYTES = 1 << 16 };

extern char **environ;

char *link_main_source(const char *const *names, int n, bool host) {
  char *out = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&out, &size);
  if (!f) return NULL;
  fputs("#include \"dtrt.h\"\n", f);
  for (int i = 0; i < n; i++) fprintf(f, "extern const dtrt_program %s;\n", names[i]);
  fputs("const dtrt_program *const dtg_variants[] = {", f);
  for (int i = 1; i < n; i++) fprintf(f, "&%s, ", names[i]);
  fputs("0};\n", f);
  if (!host)
    fprintf(f,
            "__attribute__((section(\".preinit_array\"), used)) static void (*const early)(void) =\n"
            "    dtrt_main_early;\n"
            "int main(int argc, char **argv);\n"
            "int main(int argc, char **argv) {\n"
            "  return dtrt_main(argc, argv, &%s, dtg_variants, 0, 0);\n"
            "}\n",
            names[0]);
  if (fclose(f) == 0) return out;
  free(out);
  return NULL;
}

/* -------- the command -------- */

enum { MOST_WORDS = 256 };

typedef struct Command {
  char *word[MOST_WORDS + 1]; /* malloc'ed, ends in NULL */
  int n;
  bool broken;
} Command;

static void command_take(Command *c, char *word) {
  if (word && c->n < MOST_WORDS) {
    c->word[c->n++] = word;
    return;
  }
  free(word);
  c->broken = true;
}

static void command_put(Command *c, const char *word) { command_take(c, jit_printf("%s", word)); }

static void command_free(Command *c) {
  for (int i = 0; i < c->n; i++) free(c->word[i]);
}

static bool on_path(const char *path, const char *name) {
  for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
    size_t n = strcspn(p, ":");
    char *full = jit_printf("%.*s/%s", (int)n, p, name);
    bool there = full && access(full, X_OK) == 0;
    free(full);
    if (there) return true;
    p += n + (p[n] == ':');
  }
  return false;
}

/* Text that may hold several words: "ccache gcc". */
static void command_words(Command *c, const char *text) {
  while (text && *text) {
    size_t blank = strspn(text, " "), n = strcspn(text + blank, " ");
    if (n) command_take(c, jit_printf("%.*s", (int)n, text + blank));
    text += blank + n;
  }
}

static void command_compiler(Command *c, const LinkTools *t) {
  static const char *const usual[] = {"cc", "gcc", "clang"};
  command_words(c, t->cc);
  for (size_t i = 0; c->n == 0 && i < sizeof usual / sizeof *usual; i++)
    if (on_path(t->path, usual[i])) command_put(c, usual[i]);
}

/* -------- running it -------- */

/* The first few thousand bytes of a file, as text. */
static char *read_some(const char *path) {
  char *text = calloc(1, 4001);
  int fd = text ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  ssize_t got = fd >= 0 ? read(fd, text, 4000) : -1;
  if (got >= 0) text[got] = 0;
  if (fd >= 0) close(fd);
  return text;
}

static bool run(const Command *c, const char *verb, const char *log, char **error) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_EXCL, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child;
  int status = 0, bad = posix_spawnp(&child, c->word[0], &files, NULL, c->word, environ);
  posix_spawn_file_actions_destroy(&files);
  if (bad) {
    *error = jit_printf("`%s` cannot be started: %s", c->word[0], strerror(bad));
    return false;
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) break;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  char *said = read_some(log);
  *error = jit_printf("`%s` could not %s the executable:\n%s", c->word[0], verb, said ? said : "");
  free(said);
  return false;
}

static bool write_file(const char *path, const void *at, size_t n) {
  FILE *f = path ? fopen(path, "wbxe") : NULL;
  if (!f) return false;
  bool ok = fwrite(at, 1, n, f) == n;
  return fclose(f) == 0 && ok;
}

static const char *const link_headers[] = {"dtrt.h", "dtrt_math.h", "dtrt_special.h"};

/* What the host's sources include, and how they are compiled. */
static bool put_host(Command *c, const LinkOptions *o, const char *folder) {
  const char *const text[] = {jit_dtrt_h, jit_dtrt_math_h, jit_dtrt_special_h};
  bool ok = true;
  if (o->nfiles == 0) return true;
  for (int i = 0; i < 3 && ok; i++) {
    char *path = jit_printf("%s/%s", folder, link_headers[i]);
    ok = write_file(path, text[i], strlen(text[i]));
    free(path);
  }
  command_put(c, "-O2");
  command_put(c, "-pthread");
  command_words(c, o->tools.flags);
  command_take(c, jit_printf("-I%s", folder));
  for (int i = 0; i < o->nfiles; i++) command_put(c, o->file[i]);
  return ok;
}

static void put_libraries(Command *c, const LinkOptions *o, const char *lib) {
  if (o->mpi) {
    /* The runtime knows MPI by a weak name only, for which nothing is taken out of an archive. */
    command_put(c, "-Wl,--whole-archive");
    command_take(c, jit_printf("%s/libdtrt_mpi.a", lib));
    command_put(c, "-Wl,--no-whole-archive");
  }
  command_take(c, jit_printf("%s/libdtrt.a", lib));
  for (int i = 0; link_runtime[i]; i++) command_put(c, link_runtime[i]);
  for (int i = 0; o->mpi && link_mpi[i]; i++) command_put(c, link_mpi[i]);
}

/* All of it in a folder of our own; `folder` is emptied by the caller. */
static bool link_in(const LinkOptions *o, const char *folder, const char *lib, const char *program,
                    char **error) {
  Command c = {.n = 0};
  command_compiler(&c, &o->tools);
  if (c.n == 0) {
    *error = jit_printf("an executable needs a C compiler to link it: set CC, or install gcc");
    return false;
  }
  command_put(&c, "-o");
  command_put(&c, program);
  bool ok = put_host(&c, o, folder);
  for (int i = 0; i < o->nobjects && ok; i++) {
    char *path = jit_printf("%s/%d.o", folder, i);
    ok = write_file(path, o->object[i].at, o->object[i].n);
    command_take(&c, path);
  }
  put_libraries(&c, o, lib);
  char *log = jit_printf("%s/log", folder);
  if (!ok)
    *error = jit_printf("%s: %s", folder, strerror(errno));
  else if (c.broken || !log)
    *error = jit_printf("out of memory, or too many programs or files for one executable");
  ok = ok && !c.broken && log && run(&c, o->nfiles ? "make" : "link", log, error);
  free(log);
  command_free(&c);
  return ok;
}

static bool has_mpi(const char *lib) {
  char *path = jit_printf("%s/libdtrt_mpi.a", lib);
  bool there = path && access(path, R_OK) == 0;
  free(path);
  return there;
}

static void remove_folder(int above, const char *name) {
  int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
  if (!d) {
    if (fd >= 0) close(fd);
    return;
  }
  for (const struct dirent *e; (e = readdir(d));) unlinkat(fd, e->d_name, 0);
  closedir(d);
  unlinkat(above, name, AT_REMOVEDIR);
}

/* Folders of ours whose process died: it would hold a lock on its folder. */
static void remove_stale(const char *tmp) {
  DIR *all = opendir(tmp);
  for (const struct dirent *e; all && (e = readdir(all));) {
    struct stat st;
    if (strncmp(e->d_name, LINK_FOLDER, sizeof LINK_FOLDER - 1) != 0) continue;
    if (strlen(e->d_name) != sizeof LINK_FOLDER - 1 + 6) continue;
    int fd = openat(dirfd(all), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    bool stale = fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
                 time(NULL) - st.st_mtime > STALE_SECONDS && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (stale) remove_folder(dirfd(all), e->d_name);
    close(fd);
  }
  if (all) closedir(all);
}

/* A new folder in `tmp`, locked by the descriptor; *name is malloc'ed. -1 with errno. */
static int make_folder(const char *tmp, char **name) {
  remove_stale(tmp);
  *name = jit_printf("%s/" LINK_FOLDER "XXXXXX", tmp);
  if (!*name || !mkdtemp(*name)) return -1;
  int fd = open(*name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0) flock(fd, LOCK_EX | LOCK_NB);
  return fd;
}

static bool copy_all(int from, int to) {
  char *piece = malloc(COPY_BYTES);
  ssize_t got = piece ? 1 : -1;
  while (piece && (got = read(from, piece, COPY_BYTES)) > 0)
    for (ssize_t at = 0; at < got;) {
      ssize_t put = write(to, piece + at, (size_t)(got - at));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return free(piece), false;
      at += put;
    }
  free(piece);
  return got == 0;
}

/* The executable `from` as `output`, which is the old one, the new one or absent at any instant. */
static bool place(const char *from, const char *output) {
  struct stat st;
  char *aside = NULL;
  int in = open(from, O_RDONLY | O_CLOEXEC), out = in >= 0 ? file_aside(output, &aside) : -1;
  bool ok = out >= 0 && fstat(in, &st) == 0 && copy_all(in, out) &&
            fchmod(out, st.st_mode & 0777) == 0;
  int error = errno;
  if (in >= 0) close(in);
  if (out >= 0 && close(out) && ok) ok = false, error = errno;
  if (ok && rename(aside, output)) ok = false, error = errno;
  if (!ok && aside) unlink(aside);
  free(aside);
  errno = error;
  return ok;
}

bool link_executable(const LinkOptions *o, char **error) {
  const char *own = jit_own_path(), *slash = own ? strrchr(own, '/') : NULL;
  const char *tmp = o->tools.tmp;
  char *beside = slash ? jit_printf("%.*s", (int)(slash - own), own) : NULL;
  char *trial = beside ? jit_printf("%s/libdtrt.a", beside) : NULL;
  const char *lib = o->lib ? o->lib : trial && access(trial, R_OK) == 0 ? beside : DTG_LIBDIR;
  char *folder = NULL, *program = NULL;
  int lock = -1;
  struct stat st;
  bool ok = false;
  *error = NULL;
  bool there = stat(o->output, &st) == 0;
  if (there && !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
    *error =
        jit_printf("%s is not a regular file: an executable cannot be written there", o->output);
  else if (there && S_ISDIR(st.st_mode))
    *error = jit_printf("%s is a folder: -o names the executable to write", o->output);
  else if (o->mpi && !has_mpi(lib))
    *error = jit_printf("%s/libdtrt_mpi.a is not there: this dtgc was built without MPI; "
                        "make the executable with --transport=threads",
                        lib);
  else if ((lock = make_folder(tmp && *tmp ? tmp : "/tmp", &folder)) < 0)
    *error = jit_printf("%s: %s", folder ? folder : "a temporary folder", strerror(errno));
  else {
    program = jit_printf("%s/program", folder);
    ok = program && link_in(o, folder, lib, program, error);
    if (ok && !place(program, o->output)) {
      *error = jit_printf("%s: %s", o->output, strerror(errno));
      ok = false;
    }
    remove_folder(AT_FDCWD, folder);
    close(lock);
  }
  free(program);
  free(folder);
  free(trial);
  free(beside);
  return ok;
}
