/* Trains a line through points from C: a model in a string, buffers of our own, four devices.
 *   cc embed.c -I../../include -L../../build/lib -ldtgc -Wl,-rpath,../../build/lib -o embed &&
 * ./embed */
#include <dtgc.h>
#include <stdio.h>

enum { N = 64 };

static const char model[] = "import \"optim\"\n"
                            "layer line() {\n"
                            "  param slope: f32[] = zeros()\n"
                            "  param height: f32[] = zeros()\n"
                            "  apply(x) { return slope * x + height }\n"
                            "}\n"
                            "line1 = line()\n"
                            "opt = sgd(line1, lr=0.1)\n"
                            "entry train(x: f32[64], y: f32[64]) {\n"
                            "  d = line1(x) - y\n"
                            "  loss = mean(d * d)\n"
                            "  opt.minimize(loss)\n"
                            "  return loss\n"
                            "}\n";

static void show(void *user, const dtgc_message *m) { fputs(m->rendered, user); }

static int train(dtgc_program *p) {
  float x[N], y[N], loss = 0, slope, height;
  for (int i = 0; i < N; i++) {
    x[i] = (float)i / N * 2 - 1;
    y[i] = 3 * x[i] + 0.5f;
  }
  dtgc_buffer in[] = {{"x", x, sizeof x}, {"y", y, sizeof y}};
  dtgc_buffer out[] = {{"loss", &loss, sizeof loss}};
  for (int step = 0; step < 200; step++) {
    if (dtgc_run(p, "train", in, 2, out, 1)) return 1;
    if (step % 50 == 0) printf("step %3d  loss %.6f\n", step, (double)loss);
  }
  if (dtgc_get(p, "line1.slope", &slope, sizeof slope)) return 1;
  if (dtgc_get(p, "line1.height", &height, sizeof height)) return 1;
  printf("y = %.3f x + %.3f\n", (double)slope, (double)height);
  return 0;
}

int main(void) {
  const char *layouts[] = {"x=[batch]", "y=[batch]"};
  dtgc_options o = {
      .mesh = "batch=4", .layout = layouts, .nlayouts = 2, .message = show, .user = stderr};
  dtgc_program *p = NULL;
  int bad = dtgc_compile_string("line.dtg", model, &o, &p) || train(p);
  if (bad) fprintf(stderr, "%s\n", dtgc_error(p));
  dtgc_free(p);
  return bad;
}
