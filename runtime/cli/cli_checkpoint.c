/* cli_checkpoint.c: --load, --load-map and --load-partial of call and fit. */
#include <stdlib.h>
#include "checkpoint.h"
#include "cli.h"

static void on_line(void *user, const char *line) { cli_note(user, line); }

int cli_load(cli *c, dtrt_session *s, dtrt_progress *progress) {
  char why[CHECKPOINT_WHY];
  char *map = NULL;
  int64_t n = 0;
  if (!c->load) return CLI_OK;
  if (c->load_map && !(map = safetensors_slurp(c->load_map, 16 << 20, &n, why, sizeof why)))
    return cli_fail(c, why);
  dtrt_restore_options o = {.map = map, .partial = c->load_partial, .tell = on_line, .user = c};
  dtrt_status status = dtrt_restore(s, c->load, &o, progress);
  free(map);
  return status == DTRT_OK ? CLI_OK : cli_session_failed(c, s);
}
