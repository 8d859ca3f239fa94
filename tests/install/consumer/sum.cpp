// A program compiled by the library, from C++.
#include <dtgc.h>
#include <cstdio>
#include <memory>

int main() {
  float x[4] = {1, 2, 3, 4}, s = 0;
  dtgc_buffer in[] = {{"x", x, sizeof x}}, out[] = {{"s", &s, sizeof s}};
  dtgc_program *p = nullptr;
  dtgc_status bad = dtgc_compile_string("sum.dtg", "entry add(x: f32[4]) { return s = sum(x) }\n", nullptr, &p);
  std::unique_ptr<dtgc_program, void (*)(dtgc_program *)> keep(p, dtgc_free);
  if (!bad) bad = dtgc_run(p, "add", in, 1, out, 1);
  if (bad) std::fprintf(stderr, "%s\n", dtgc_error(p));
  std::printf("sum %g\n", double(s));
  return bad;
}
