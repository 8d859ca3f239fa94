/* A program compiled by the library. */
#include <dtgc.h>
#include <stdio.h>

int main(void) {
  float x[4] = {1, 2, 3, 4}, s = 0;
  dtgc_buffer in[] = {{"x", x, sizeof x}}, out[] = {{"s", &s, sizeof s}};
  dtgc_program *p;
  int bad = dtgc_compile_string("sum.dtg",
                                "import \"nn\"\n"
                                "entry add(x: f32[4]) { return s = sum(x) }\n"
                                "mesh [a=2]\n"
                                "layout x = [a]\n",
                                NULL, &p);
  if (!bad) bad = dtgc_run(p, "add", in, 1, out, 1);
  if (bad) fprintf(stderr, "%s\n", dtgc_error(p));
  printf("sum %g\n", (double)s);
  dtgc_free(p);
  return bad;
}
