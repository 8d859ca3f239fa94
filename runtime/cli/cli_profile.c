/* cli_profile.c: --profile: the table after the run, and the trace in a file; --stragglers. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>
#include "profile.h"

int cli_profile_start(const cli *c, dtrt_session *s) {
  if (!c->profile && !c->stragglers) return CLI_OK;
  /* A path that cannot be written is better known now; an empty trace is one. */
  if (dtrt_profile_start(s) != DTRT_OK ||
      (c->profile && *c->profile && dtrt_profile_save(s, c->profile) != DTRT_OK))
    return cli_session_failed(c, s);
  return CLI_OK;
}

int cli_profile_end(const cli *c, dtrt_session *s) {
  char *text = NULL;
  if (!c->profile) return CLI_OK;
  if (dtrt_profile_text(s, &text) != DTRT_OK) return cli_session_failed(c, s);
  if (!c->quiet) printf("\n%s", text);
  free(text);
  if (!*c->profile) return CLI_OK;
  if (dtrt_profile_save(s, c->profile) != DTRT_OK) return cli_session_failed(c, s);
  if (!c->quiet) printf("the trace is in %s\n", c->profile);
  return CLI_OK;
}

int cli_stragglers(const cli *c, dtrt_session *s) {
  char *text = NULL;
  if (profile_stragglers(s, &text) != DTRT_OK) return cli_session_failed(c, s);
  if (!c->quiet) printf("%s", text);
  if (!c->quiet) fflush(stdout);
  free(text);
  return CLI_OK;
}
