/* cli_open.c: the session of a command. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

dtrt_session *cli_open(cli *c) {
  dtrt_session *s = NULL;
  dtrt_options o = {.transport = c->transport,
                    .seed = c->seed,
                    .devices_per_rank = c->per_rank < INT32_MAX ? (int)c->per_rank : INT32_MAX,
                    .cores = c->cores < INT32_MAX ? (int)c->cores : INT32_MAX,
                    .progress = (int)c->progress,
                    .bind = (int)c->bind,
                    .check_nan = (int)c->check_nan,
                    .timeout = c->timeout};
  dtrt_status status = dtrt_open(c->program, &o, &s);
  same_list list = {0};
  if (status == DTRT_OK) cli_same_options(c, &list);
  if (status == DTRT_OK) status = session_same(s, "comparing options", &list);
  same_free(&list);
  if (status == DTRT_OK) {
    c->rank = dtrt_session_rank(s);
    c->quiet = c->rank != 0;
    return s;
  }
  cli_session_failed(c, s);
  dtrt_close(s);
  return NULL;
}
