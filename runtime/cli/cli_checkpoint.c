/* cli_checkpoint.c: --load, --load-map and --load-partial of call and fit. */
#include <stdio.h>
#include <stdlib.h>
#include "checkpoint.h"
#include "cli.h"
#include "load_map.h"

static void on_line(void *user, const char *line) { cli_note(user, line); }

/* The text of a map, which is right as far as that can be told without the files; NULL with why,
 * which names its file. */
static char *read_map(const char *path, char *why, size_t whysize) {
  int64_t n = 0;
  load_map rules = {0};
  char wrong[256];
  char *text = safetensors_slurp(path, 16 << 20, &n, why, whysize);
  if (!text || load_map_read(&rules, text, wrong, sizeof wrong)) {
    load_map_free(&rules);
    return text;
  }
  snprintf(why, whysize, "%s: %s", path, wrong);
  load_map_free(&rules);
  free(text);
  return NULL;
}

int cli_load(cli *c, dtrt_session *s, dtrt_progress *progress) {
  char why[CHECKPOINT_WHY];
  char *map = NULL;
  if (!c->load) return CLI_OK;
  if (c->load_map && !(map = read_map(c->load_map, why, sizeof why))) return cli_fail(c, why);
  dtrt_restore_options o = {.map = map, .partial = c->load_partial, .tell = on_line, .user = c};
  dtrt_status status = dtrt_restore(s, c->load, &o, progress);
  free(map);
  return status == DTRT_OK ? CLI_OK : cli_session_failed(c, s);
}
