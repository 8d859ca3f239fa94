/* comm_find.c: the MPI transport, if this process has it or can load it.
 *
 * Programs that do not use MPI must not depend on it. Executables that use it link
 * libdtrt_mpi.a; else libdtrt-mpi.so is loaded: $DTRT_MPI_MODULE, or beside the file this code is
 * in, or its ../lib, or the installed one, or the loader's search path. In each of these places
 * the module of the MPI that started the process comes first (libdtrt-openmpi.so): types and
 * constants differ from one MPI to the next, and a launcher knows the ranks of its own alone. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "comm.h"
#include "launcher.h"
#include "variables.h"

#ifndef DTRT_LIBDIR
#define DTRT_LIBDIR "/usr/local/lib"
#endif

typedef Comm *Open(const CommOpen *o, char *why);
extern __attribute__((weak)) Open dtrt_comm_open_mpi;

bool comm_under_mpi(void) { return launcher_find().size > 1; }

/* The MPI that this process has already, as a host program that starts MPI itself; else that of its
 * launcher. NULL: any may be it. */
static const char *which_mpi(void) {
  const char *size = launcher_find().variable;
  if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world")) return "openmpi";
  if (dlsym(RTLD_DEFAULT, "MPI_Init")) return "mpich";
  if (size && !strncmp(size, "OMPI_", 5)) return "openmpi";
  return size && !strncmp(size, "PMI_", 4) ? "mpich" : NULL;
}

/* `form` has a place for the folder and one for the name. */
static void *load_from(const char *form, const char *dir) {
  const char *mpi = which_mpi();
  char path[1024];
  void *module = NULL;
  if (mpi) snprintf(path, sizeof path, form, dir, mpi);
  if (mpi) module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module) return module;
  snprintf(path, sizeof path, form, dir, "mpi");
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *load(char *tried, size_t room) {
  char dir[700] = ".";
  const char *own = variable(VARIABLE_MPI_MODULE);
  void *module = own ? dlopen(own, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (own) snprintf(tried, room, "%s", own);
  if (own) return module;
  Dl_info info;
  union { /* ISO C has no cast from a function to an object */
    Comm *(*f)(const CommOpen *, char *);
    void *p;
  } here = {.f = comm_open_mpi};
  if (dladdr(here.p, &info) && info.dli_fname) {
    snprintf(dir, sizeof dir, "%s", info.dli_fname);
    char *slash = strrchr(dir, '/');
    if (slash)
      *slash = 0;
    else
      strcpy(dir, ".");
  }
  static const char *const forms[] = {"%s/libdtrt-%s.so", "%s/../lib/libdtrt-%s.so",
                                      "%s/../runtime/libdtrt-%s.so"};
  for (size_t i = 0; !module && i < sizeof forms / sizeof *forms; i++)
    module = load_from(forms[i], dir);
  if (!module) module = load_from("%s/libdtrt-%s.so", DTRT_LIBDIR);
  if (!module) module = load_from("%slibdtrt-%s.so", "");
  if (!module) snprintf(tried, room, "%.200s and " DTRT_LIBDIR, dir);
  return module;
}

Comm *comm_open_mpi(const CommOpen *o, char *why) {
  union {
    Open *f;
    void *p;
  } open = {.f = dtrt_comm_open_mpi};
  if (!open.f) {
    char tried[COMM_WHY - 200] = "";
    void *module = load(tried, sizeof tried);
    if (!module) {
      snprintf(why, COMM_WHY,
               "transport mpi: this program has no MPI in it and libdtrt-mpi.so was not found "
               "(looked in "
               "%s); it comes with a dtg built where libmpich-dev or libopenmpi-dev is "
               "installed",
               tried);
      return NULL;
    }
    open.p = dlsym(module, "dtrt_comm_open_mpi"); /* the module stays: MPI cannot be unloaded */
  }
  if (!open.f) {
    snprintf(why, COMM_WHY, "transport mpi: libdtrt-mpi.so is not of this version");
    return NULL;
  }
  return open.f(o, why);
}
