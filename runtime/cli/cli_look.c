/* cli_look.c: checks before a program is compiled whether files exist, match the inputs, and can
 * be written. Files with their shape in the header are opened, and small ones; reading a large
 * text twice would cost more than it saves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "element.h"
#include "launcher.h"

enum { SMALL = 1 << 20 }; /* bytes */

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && !strcmp(text + n - k, end);
}

/* The file of "FILE:0-63": what is before a colon, where there is no file of the whole name. */
static bool file_of(const char *spec, struct stat *s) {
  char path[4096];
  if (!stat(spec, s)) return true;
  for (const char *colon = spec; (colon = strchr(colon, ':')); colon++) {
    size_t n = (size_t)(colon - spec);
    if (n >= sizeof path) return false;
    memcpy(path, spec, n);
    path[n] = 0;
    if (!stat(path, s)) return true;
  }
  return false;
}

/* Whether all files are quick to read: small ones or .npy. Opening reports a missing one. A command
 * behind a number or a missing file is no file either: it is run once, later. */
static bool are_quick(const data_pair *feed, int n) {
  bool quick = true;
  for (int i = 0; i < n; i++)
    if (*feed[i].file == '|') return false;
  for (int i = 0; i < n; i++) {
    struct stat s;
    if (element_is_number(feed[i].file, DTRT_BOOL)) continue;
    if (!file_of(feed[i].file, &s)) return true; /* missing, or a pattern */
    quick = quick && S_ISREG(s.st_mode) && (s.st_size <= SMALL || ends_with(feed[i].file, ".npy"));
  }
  return quick;
}

static int look_feed(const cli *c, const dtrt_entry *e, const data_pair *feed, int n, bool calls,
                     int64_t skip, int64_t limit) {
  data_set set;
  char why[512];
  if (!are_quick(feed, n)) return -1;
  if (!data_open(&set, e, feed, n, calls, skip, limit, NULL, why, sizeof why))
    return cli_fail(c, why);
  data_close(&set);
  return -1;
}

/* A file that is there, or the folder that it would be in, can be written. */
static int look_output(const cli *c, const char *path) {
  char why[512], folder[4096];
  if (!path || !*path || !strcmp(path, "-")) return -1;
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;
  if (n >= sizeof folder) return -1;
  memcpy(folder, path, n);
  strcpy(folder + n, n ? "" : ".");
  bool there = access(path, F_OK) == 0;
  if (access(there ? path : folder, W_OK) == 0) return -1;
  snprintf(why, sizeof why, "%.400s: cannot write: %s", path, strerror(errno));
  return cli_fail(c, why);
}

int look_run(const cli *c, bool calls) {
  const char *const outputs[] = {c->log, c->log_steps, c->log_ranks, c->profile};
  int status = -1;
  if (launcher_is_there()) return -1;
  status = look_feed(c, c->entry, c->feed, c->nfeed, calls, c->skip, c->limit);
  if (status < 0 && c->eval && c->neval_feed == c->eval->nin)
    status = look_feed(c, c->eval, c->eval_feed, c->neval_feed, false, c->eval_skip, c->eval_limit);
  for (int i = 0; status < 0 && i < c->nout; i++) status = look_output(c, c->out[i].file);
  for (int i = 0; status < 0 && i < 4; i++) status = look_output(c, outputs[i]);
  return status;
}
