/* A program compiled ahead (dtgc --emit-c), and the runtime alone. */
#include <dtrt.h>
#include <stdio.h>

extern const dtrt_program dtg_program;

int main(void) {
  float x[4] = {1, 2, 3, 4}, s = 0;
  const void *in[] = {x};
  void *out[] = {&s};
  dtrt_session *session;
  int bad = dtrt_open(&dtg_program, NULL, &session);
  if (!bad) bad = dtrt_call(session, dtrt_find_entry(&dtg_program, "add"), in, out);
  if (bad) fprintf(stderr, "%s\n", dtrt_session_error(session));
  printf("sum %g\n", (double)s);
  dtrt_close(session);
  return bad;
}
