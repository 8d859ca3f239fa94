/* dtgc.h, profiles: those of dtrt.h on the program's session. */
#include "program.h"

static dtgc_status status_of(dtgc_program *p, dtrt_status st) {
  if (st != DTRT_FILE) return program_run_failed(p, st);
  return program_fail(p, DTGC_SYSTEM, "%s", dtrt_session_error(p->session));
}

dtgc_status dtgc_profile_start(dtgc_program *p) {
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (!s) s = dtgc_start(p);
  return s ? s : status_of(p, dtrt_profile_start(p->session));
}

dtgc_status dtgc_profile_text(dtgc_program *p, char **text) {
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!text) return program_fail(p, DTGC_BAD_ARGUMENT, "text is NULL");
  *text = NULL;
  s = dtgc_start(p);
  return s ? s : status_of(p, dtrt_profile_text(p->session, text));
}

dtgc_status dtgc_profile_save(dtgc_program *p, const char *path) {
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (!s && (!path || !*path))
    s = program_fail(p, DTGC_BAD_ARGUMENT, "path is %s", path ? "empty" : "NULL");
  if (!s) s = dtgc_start(p);
  return s ? s : status_of(p, dtrt_profile_save(p->session, path));
}
