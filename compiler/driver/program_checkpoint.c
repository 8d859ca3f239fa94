/* dtgc.h, checkpoints: those of dtrt.h on the program's session. */
#include "program.h"
#include <string.h>

static dtgc_status status_of(dtgc_program *p, dtrt_status st) {
  dtgc_status s = st == DTRT_OK          ? DTGC_OK
                  : st == DTRT_INVALID   ? DTGC_BAD_ARGUMENT
                  : st == DTRT_FILE      ? DTGC_SYSTEM
                  : st == DTRT_NO_MEMORY ? DTGC_NO_MEMORY
                                         : DTGC_RUN_FAILED;
  return s ? program_fail(p, s, "%s", dtrt_session_error(p->session)) : DTGC_OK;
}

static dtgc_status begin(dtgc_program *p, const char *path) {
  dtgc_status s = program_begin(p);
  if (!s && (!path || !*path))
    s = program_fail(p, DTGC_BAD_ARGUMENT, "path is %s", path ? "empty" : "NULL");
  return s ? s : dtgc_start(p);
}

dtgc_status dtgc_save(dtgc_program *p, const char *path, const dtgc_save_options *o) {
  PROGRAM_USE(p);
  dtgc_status s = begin(p, path);
  if (s) return s;
  dtrt_progress to = {0};
  if (o && o->progress) {
    const dtgc_progress *from = o->progress;
    if (!memchr(from->note, 0, sizeof from->note))
      return program_fail(p, DTGC_BAD_ARGUMENT, "the note has no terminating zero byte");
    to = (dtrt_progress){.step = from->step,
                         .epoch = from->epoch,
                         .row = from->row,
                         .rows = from->rows,
                         .shuffled = from->shuffled,
                         .shuffle = from->shuffle,
                         .seed = from->seed};
    memcpy(to.note, from->note, sizeof to.note);
  }
  dtrt_save_options options = {.progress = &to, .bf16 = o && o->bf16};
  return status_of(p, dtrt_save(p->session, path, &options));
}

dtgc_status dtgc_restore(dtgc_program *p, const char *path, const dtgc_restore_options *o,
                         dtgc_progress *progress) {
  PROGRAM_USE(p);
  dtgc_status s = begin(p, path);
  if (s) return s;
  dtrt_restore_options options = {0};
  if (o)
    options = (dtrt_restore_options){
        .map = o->map, .partial = o->partial, .tell = o->tell, .user = o->user};
  dtrt_progress from;
  s = status_of(p, dtrt_restore(p->session, path, &options, &from));
  if (s || !progress) return s;
  *progress = (dtgc_progress){.step = from.step,
                              .epoch = from.epoch,
                              .row = from.row,
                              .rows = from.rows,
                              .shuffled = from.shuffled,
                              .shuffle = from.shuffle,
                              .seed = from.seed};
  memcpy(progress->note, from.note, sizeof progress->note);
  return DTGC_OK;
}
