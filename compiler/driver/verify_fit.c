/* dtgc.h: `fit --verify-every` and dtgc_fit_options.verify_every: passes a step of the runtime to
 * dtgc_verify_step. */
#include "program.h"
#include <stdio.h>
#include <stdlib.h>

static dtgc_buffer *buffers(const dtgc_tensor *t, int n, const void *const *data, int *count) {
  dtgc_buffer *b = calloc((size_t)n + 1, sizeof *b);
  *count = 0;
  for (int i = 0; b && i < n; i++)
    if (data[i]) b[(*count)++] = (dtgc_buffer){t[i].name, (void *)(uintptr_t)data[i], t[i].bytes};
  return b;
}

int program_verify(dtgc_program *p, double tolerance, const char *entry, const void *const *in,
                   const void *const *out, const void *const *before, const void *const *after,
                   char *why, int n) {
  const EntryInfo *e = inspect_entry(p, entry);
  int differs = 0, nin, nout, nvars;
  char *text = NULL;
  dtgc_verify_options o = {.tolerance = tolerance};
  dtgc_buffer *b[] = {buffers(e->in, e->nin, in, &nin), buffers(e->out, e->nout, out, &nout),
                      buffers(p->vars, p->nvars, before, &nvars),
                      buffers(p->vars, p->nvars, after, &nvars)};
  dtgc_status s = b[0] && b[1] && b[2] && b[3]
                      ? dtgc_verify_step(p, &o, entry, b[0], nin, b[1], nout, b[2], b[3], nvars,
                                         &differs, &text)
                      : program_fail(p, DTGC_NO_MEMORY, "out of memory");
  snprintf(why, (size_t)n, "%s", s ? dtgc_error(p) : differs ? text : "");
  dtgc_free_text(text);
  for (int i = 0; i < 4; i++) free(b[i]);
  return s ? -1 : differs;
}

int dtgc_verify_fit(void *program, int entry, const void *const *in, const void *const *out,
                    const void *const *before, const void *const *after, char *why, int n) {
  dtgc_program *p = program;
  return program_verify(p, 0, dtgc_entry(p, entry - 1), in, out, before, after, why, n);
}
