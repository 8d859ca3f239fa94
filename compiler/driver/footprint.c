/* dtgc.h: the memory of a device, predicted and measured. */
#include "program.h"
#include "report.h"

static dtgc_memory given(const dtrt_memory *m) {
  return (dtgc_memory){m->variables, m->arena, m->packing, m->exchanges, m->total};
}

static dtgc_status predict_inside(dtgc_program *p, void *arg) {
  dtrt_memory m = report_memory(p->plan);
  *(dtgc_memory *)arg = given(&m);
  return m.total < 0 ? program_fail(p, DTGC_NO_MEMORY, "out of memory") : DTGC_OK;
}

dtgc_status dtgc_memory_predicted(dtgc_program *p, dtgc_memory *out) {
  PROGRAM_USE(p);
  dtgc_status s = program_plan(p);
  if (s) return s;
  if (!out) return program_fail(p, DTGC_BAD_ARGUMENT, "out is NULL");
  return program_guard(p, predict_inside, out);
}

dtgc_status dtgc_memory_measured(dtgc_program *p, int device, dtgc_memory *out) {
  PROGRAM_USE(p);
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!out) return program_fail(p, DTGC_BAD_ARGUMENT, "out is NULL");
  if (!p->session) return program_fail(p, DTGC_BAD_ARGUMENT, "the program has not run yet");
  dtrt_memory m = dtrt_device_memory(p->session, device);
  if (m.total < 0)
    return program_fail(p, DTGC_BAD_ARGUMENT, "device %d does not belong to this process", device);
  *out = given(&m);
  return DTGC_OK;
}
